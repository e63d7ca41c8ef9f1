/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that op2_par_loop refuses: cases D and the signature of the kernel. The call itself
 * refuses each wrong argument, in the user's words, queues nothing and leaves every object as it
 * was. */
#include "support.h"

OP2_KERNEL(scale, (double *x, const double *y), { *x = 2 * *y; });
OP2_KERNEL(one, (double *x), { *x = 1; });
OP2_KERNEL(all3, (double *x[3]), { x[0][0] = x[1][0] = x[2][0] = 1; });
OP2_KERNEL(mixed, (double *x, int n, const float *f, int32_t e), { *x = n + *f + e; });
OP2_KERNEL(readonly, (const double *x, double *y), { *y = *x; });
OP2_KERNEL(two_iter, (double *a, double *b), { *a = *b = 0; });
OP2_KERNEL(by_value, (double *x, double v), { *x = v; });

struct mesh {
  op2_set edges, nodes, twins; /* twins: as large as nodes */
  op2_map e2n, e2n3, bare;
  op2_dat x, y, f, on_edges, on_twins;
  op2_gbl g;
  op2_kernel scale, one;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  m.edges = new_set(3, "edges");
  m.nodes = new_set(4, "nodes");
  m.twins = new_set(4, "twins");
  m.e2n = new_map(m.edges, m.nodes, 2, (int32_t[]){0, 1, 1, 2, 2, 3}, "e2n");
  m.e2n3 = new_map(m.edges, m.nodes, 3, (int32_t[]){0, 1, 2, 1, 2, 3, 2, 3, 0}, "e2n3");
  m.bare = new_map(m.edges, m.nodes, 1, NULL, "bare");
  m.x = new_dat(m.nodes, 1, OP2_F64, (double[]){0, 1, 2, 3}, "xnode");
  m.y = new_dat(m.nodes, 1, OP2_F64, (double[]){5, 5, 5, 5}, "ynode");
  m.f = new_dat(m.nodes, 1, OP2_F32, NULL, "fnode");
  m.on_edges = new_dat(m.edges, 1, OP2_F64, NULL, "xedge");
  m.on_twins = new_dat(m.twins, 1, OP2_F64, NULL, "xtwin");
  m.g = new_gbl(1, OP2_F64, NULL, "rms");
  m.scale = new_kernel(&scale_kernel);
  m.one = new_kernel(&one_kernel);
  return m;
}

/* D1 */
static void handles(void) {
  struct mesh m = make_mesh();
  const op2_arg zero = {0};
  REFUSED(OP2_ERR_ARG, op2_par_loop(NULL, m.nodes, op2_arg_direct(m.x, OP2_RW)), "kernel");
  REFUSED(OP2_ERR_ARG, op2_par_loop(m.one, NULL, op2_arg_direct(m.x, OP2_RW)), "set");
  REFUSED(OP2_ERR_ARG,
          op2_par_loop((op2_kernel)(void *)m.nodes, m.nodes, op2_arg_direct(m.x, OP2_RW)),
          "kernel");
  REFUSED(OP2_ERR_ARG, op2_par_loop(m.one, (op2_set)(void *)m.x, op2_arg_direct(m.x, OP2_RW)),
          "set");
  REFUSED(OP2_ERR_ARG, op2_par_loop(m.one, m.nodes, op2_arg_direct(NULL, OP2_RW)), "one");
  REFUSED(OP2_ERR_ARG, op2_par_loop(m.one, m.nodes, op2_arg_direct((op2_dat)(void *)m.e2n, OP2_RW)),
          "one");
  REFUSED(OP2_ERR_ARG, op2_par_loop(m.one, m.nodes, op2_arg_gbl(NULL, OP2_INC)), "one");
  REFUSED(OP2_ERR_ARG,
          op2_par_loop(m.one, m.edges, op2_arg_dat(m.x, 0, (op2_map)(void *)m.x, OP2_RW)), "one");
  REFUSED(OP2_ERR_ARG, op2_par_loop(m.one, m.nodes, op2_arg_val(NULL, 1, OP2_F64)), "one");
  REFUSED(OP2_ERR_ARG, op2_par_loop(m.one, m.nodes, zero), "one");
  REFUSED(OP2_ERR_ARG, op2_par_loop_at(OP2_HERE, m.one, m.nodes, 1, NULL), "one");
  REFUSED(OP2_ERR_ARG, op2_par_loop_at(OP2_HERE, m.one, m.nodes, -1, &zero));
}

/* D2, D4, D5: sets of the same size are still different sets. */
static void sets_and_maps(void) {
  struct mesh m = make_mesh();
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(m.one, m.nodes, op2_arg_direct(m.on_twins, OP2_RW)), "one",
          "xtwin", "twins", "nodes");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(m.one, m.edges, op2_arg_dat(m.on_twins, 0, m.e2n, OP2_RW)),
          "one", "xtwin", "e2n", "twins", "nodes");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(m.one, m.nodes, op2_arg_dat(m.x, 0, m.e2n, OP2_RW)), "one",
          "e2n", "edges", "nodes");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(m.one, m.edges, op2_arg_dat(m.x, 0, m.bare, OP2_RW)),
          "one", "bare");
  op2_set some = new_subset(m.twins, 2, (int64_t[]){0, 3}, "some twins");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(m.one, some, op2_arg_direct(m.x, OP2_RW)), "one", "xnode");
  op2_set few = new_subset(m.nodes, 2, (int64_t[]){0, 3}, "few nodes");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(m.one, few, op2_arg_dat(m.x, 0, m.e2n, OP2_RW)), "e2n");
}

/* A map without values may be declared, and used if no value has to be looked up. */
static void map_without_values(void) {
  struct mesh m = make_mesh();
  op2_set none = new_set(0, "none");
  op2_map map = new_map(none, m.nodes, 1, NULL, "void");
  MUST(op2_par_loop(m.one, none, op2_arg_dat(m.x, 0, map, OP2_RW)));
  EXPECT_VALUES(double, m.x, 4, i, i);
}

static void slots(void) {
  struct mesh m = make_mesh();
  static const int bad[] = {2, -2, 100, -1003, OP2_ITER(2), INT32_MAX, INT32_MIN};
  for (int i = 0; i < 7; i++)
    REFUSED(OP2_ERR_RANGE, op2_par_loop(m.one, m.edges, op2_arg_dat(m.x, bad[i], m.e2n, OP2_RW)),
            "one", "argument 0", "e2n");
}

/* A null map means the element itself only if no slot is named. */
static void slots_without_map(void) {
  struct mesh m = make_mesh();
  static const int bad[] = {0, 1, 2, -2, OP2_ITER(0), OP2_ITER(1), INT32_MAX, INT32_MIN};
  for (int i = 0; i < 8; i++)
    REFUSED(OP2_ERR_RANGE, op2_par_loop(m.one, m.nodes, op2_arg_dat(m.x, bad[i], NULL, OP2_RW)),
            "one", "argument 0", "xnode", "without a map");
  MUST(op2_par_loop(m.one, m.nodes, op2_arg_dat(m.x, OP2_ALL, NULL, OP2_RW)));
  EXPECT_VALUES(double, m.x, 4, i, 1);
}

static void modes(void) {
  struct mesh m = make_mesh();
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(m.one, m.nodes, op2_arg_gbl(m.g, OP2_RW)), "one", "rms",
          "OP2_RW");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(m.one, m.nodes, op2_arg_gbl(m.g, OP2_WRITE)), "one", "rms",
          "OP2_WRITE");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(m.one, m.nodes, op2_arg_direct(m.x, (op2_access)0)), "one",
          "argument 0", "0");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(m.one, m.nodes, op2_arg_direct(m.x, (op2_access)7)), "one",
          "argument 0", "7");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(m.one, m.nodes, op2_arg_gbl(m.g, (op2_access)-1)), "one",
          "argument 0", "-1");
  /* A parameter that points to const cannot be written. */
  op2_kernel k = new_kernel(&readonly_kernel);
  static const op2_access writing[] = {OP2_WRITE, OP2_RW, OP2_INC, OP2_MIN, OP2_MAX};
  for (int i = 0; i < 5; i++)
    REFUSED(
        OP2_ERR_ACCESS,
        op2_par_loop(k, m.nodes, op2_arg_direct(m.x, writing[i]), op2_arg_direct(m.y, OP2_WRITE)),
        "readonly", "x");
  MUST(op2_par_loop(k, m.nodes, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(m.y, OP2_WRITE)));
}

/* D11 */
static void arity(void) {
  struct mesh m = make_mesh();
  REFUSED(OP2_ERR_ARITY, op2_par_loop(m.scale, m.nodes, op2_arg_direct(m.x, OP2_WRITE)), "scale",
          "1", "2");
  REFUSED(OP2_ERR_ARITY,
          op2_par_loop(m.one, m.nodes, op2_arg_direct(m.x, OP2_RW), op2_arg_direct(m.y, OP2_READ)),
          "one", "1", "2");
}

static void types(void) {
  struct mesh m = make_mesh();
  const int32_t four = 4;
  const double d = 4;
  op2_kernel k = new_kernel(&mixed_kernel), all = new_kernel(&all3_kernel),
             value = new_kernel(&by_value_kernel);
  REFUSED(OP2_ERR_TYPE, op2_par_loop(m.one, m.nodes, op2_arg_direct(m.f, OP2_RW)), "one", "fnode",
          "double", "F32");
  REFUSED(OP2_ERR_TYPE, op2_par_loop(m.one, m.edges, op2_arg_dat(m.x, OP2_ALL, m.e2n, OP2_RW)),
          "one", "xnode");
  REFUSED(OP2_ERR_TYPE, op2_par_loop(all, m.edges, op2_arg_dat(m.x, 0, m.e2n, OP2_RW)), "all3",
          "xnode");
  REFUSED(OP2_ERR_TYPE, op2_par_loop(all, m.edges, op2_arg_dat(m.x, OP2_ITER(0), m.e2n3, OP2_RW)),
          "all3", "xnode");
  REFUSED(OP2_ERR_TYPE, op2_par_loop(m.one, m.nodes, op2_arg_idx()), "one");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(value, m.nodes, op2_arg_direct(m.x, OP2_RW), op2_arg_direct(m.y, OP2_READ)),
          "by_value", "ynode");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(value, m.nodes, op2_arg_direct(m.x, OP2_RW), op2_arg_val(&four, 1, OP2_I32)),
          "by_value");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(value, m.nodes, op2_arg_direct(m.x, OP2_RW),
                       op2_arg_val((double[]){1, 2}, 2, OP2_F64)),
          "by_value");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(k, m.nodes, op2_arg_direct(m.x, OP2_RW), op2_arg_val(&d, 1, OP2_F64),
                       op2_arg_direct(m.f, OP2_READ), op2_arg_idx()),
          "mixed");
  MUST(op2_par_loop(k, m.nodes, op2_arg_direct(m.y, OP2_RW), op2_arg_val(&four, 1, OP2_I32),
                    op2_arg_direct(m.f, OP2_READ), op2_arg_idx()));
  EXPECT_VALUES(double, m.y, 4, i, 4 + i);
}

/* One loop over the edges with a kernel of one parameter; it is refused if `word` is given. */
static void length(op2_set set, const char *parameter, op2_arg arg, const char *word) {
  char source[256];
  snprintf(source, sizeof source,
           "#define FOUR 4\ntypedef double three[3];\nvoid declared(%s) { (void)x; }\n", parameter);
  const op2_kernel_desc desc = {.name = "declared", .source = source};
  op2_kernel kernel = new_kernel(&desc);
  if (word)
    REFUSED(OP2_ERR_TYPE, op2_par_loop_at(OP2_HERE, kernel, set, 1, &arg), "declared", "argument 0",
            word);
  else
    MUST(op2_par_loop_at(OP2_HERE, kernel, set, 1, &arg));
}

/* A parameter declared as an array may have the argument's length or less; its number of pointers
 * does not matter. */
static void lengths(void) {
  struct mesh m = make_mesh();
  op2_arg all = op2_arg_dat(m.x, OP2_ALL, m.e2n, OP2_READ),
          slot = op2_arg_dat(m.x, 0, m.e2n, OP2_READ),
          iter = op2_arg_dat(m.x, OP2_ITER(0), m.e2n3, OP2_READ),
          pair = op2_arg_val((double[]){1, 2}, 2, OP2_F64);
  length(m.edges, "double *x[2]", all, NULL);
  length(m.edges, "double *x[]", all, NULL);
  length(m.edges, "double **x", all, NULL);
  length(m.edges, "double *x[1]", all, NULL);
  length(m.edges, "double *x[3]", all, NULL);
  length(m.edges, "const double *const x[FOUR * 2]", all, NULL);
  length(m.edges, "double *(x[(2) + 2u])", all, NULL);
  length(m.edges, "const double x[1]", slot, NULL);
  length(m.edges, "const double x[static 1]", slot, NULL);
  length(m.edges, "const double x[2]", slot, "an array of 2 values, the argument has 1");
  length(m.edges, "const double x[static FOUR]", slot, "an array of 4 values");
  length(m.edges, "three x", slot, "an array of 3 values");
  length(m.edges, "three *x", slot, NULL);
  length(m.edges, "double x[0x3]", iter, NULL);
  length(m.edges, "three x", iter, NULL);
  length(m.edges, "double x[2][2]", iter, "an array of 4 values, the argument has 3");
  length(m.edges, "double x[sizeof(int)]", iter, NULL);
  length(m.edges, "double x[99999999999999999999]", iter, "an array of 1073741824 values");
  length(m.edges, "const double x[2]", pair, NULL);
  length(m.edges, "const double x[3]", pair, "an array of 3 values, the argument has 2");
}

/* D7 */
static void iteration_extents(void) {
  struct mesh m = make_mesh();
  op2_kernel k = new_kernel(&two_iter_kernel);
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(k, m.edges, op2_arg_dat(m.x, OP2_ITER(0), m.e2n, OP2_RW),
                       op2_arg_dat(m.y, OP2_ITER(0), m.e2n3, OP2_RW)),
          "two_iter", "2", "3");
  MUST(op2_par_loop(k, m.edges, op2_arg_dat(m.x, OP2_ITER(0), m.e2n, OP2_INC),
                    op2_arg_dat(m.y, OP2_ITER(1), m.e2n3, OP2_INC)));
}

static void values(void) {
  struct mesh m = make_mesh();
  op2_kernel k = new_kernel(&by_value_kernel);
  const double d = 1;
  REFUSED(OP2_ERR_ARG,
          op2_par_loop(k, m.nodes, op2_arg_direct(m.x, OP2_RW), op2_arg_val(&d, 0, OP2_F64)),
          "by_value");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(k, m.nodes, op2_arg_direct(m.x, OP2_RW), op2_arg_val(&d, 1, (op2_type)99)),
          "by_value");
}

/* The same checks apply when a loop object is made; the handle stays null. */
static void loop_objects(void) {
  struct mesh m = make_mesh();
  op2_loop loop = NULL;
  const char *text = NULL;
  REFUSED(OP2_ERR_MISMATCH,
          op2_loop_create(&loop, m.one, m.nodes, op2_arg_direct(m.on_twins, OP2_RW)), "xtwin");
  REFUSED(OP2_ERR_ARITY, op2_loop_create(&loop, m.scale, m.nodes, op2_arg_direct(m.x, OP2_RW)),
          "scale");
  REFUSED(OP2_ERR_ARG, op2_loop_create_at(OP2_HERE, m.one, m.nodes, 1, &(op2_arg){0}, &loop),
          "one");
  REFUSED(OP2_ERR_ARG,
          op2_loop_create((op2_loop *)NULL, m.one, m.nodes, op2_arg_direct(m.x, OP2_RW)));
  REFUSED(OP2_ERR_ARG, op2_loop_enqueue(NULL));
  REFUSED(OP2_ERR_ARG, op2_loop_compute(NULL));
  REFUSED(OP2_ERR_ARG, op2_loop_generate(NULL, "c", &text));
  EXPECT(!loop && !text);
}

/* A refused call in the middle of a program leaves the queue and every value alone. */
static void nothing_changed(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.scale, m.nodes, op2_arg_direct(m.y, OP2_WRITE),
                    op2_arg_direct(m.x, OP2_READ)));
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(m.scale, m.nodes, op2_arg_direct(m.x, OP2_WRITE),
                       op2_arg_direct(m.on_twins, OP2_READ)),
          "xtwin");
  REFUSED(OP2_ERR_ACCESS,
          op2_par_loop(m.scale, m.nodes, op2_arg_direct(m.x, OP2_WRITE), op2_arg_gbl(m.g, OP2_RW)),
          "rms");
  EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 1));
  EXPECT_VALUES(double, m.x, 4, i, i);
  EXPECT_VALUES(double, m.y, 4, i, 2 * i);
  EXPECT_GBL(double, m.g, 0);
}

static void kernels(void) {
  static const struct {
    const char *name, *source;
    op2_status want;
  } bad[] = {{"f", "void g(double *x) { *x = 1; }", OP2_ERR_SYNTAX},
             {"f", "", OP2_ERR_SYNTAX},
             {"f", "int f(double *x) { return *x > 0; }", OP2_ERR_SYNTAX},
             {"f", "/* void f(double *x) {} */", OP2_ERR_SYNTAX},
             {"f", "void f(double *x, ...) { *x = 1; }", OP2_ERR_SYNTAX},
             {"f", "void f(double *x", OP2_ERR_SYNTAX},
             {"", "void f(double *x) { *x = 1; }", OP2_ERR_NAME},
             {NULL, "void f(double *x) { *x = 1; }", OP2_ERR_NAME},
             {"f", NULL, OP2_ERR_ARG}};
  op2_kernel k = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    REFUSED(bad[i].want,
            op2_kernel_create(
                test_ctx, &(op2_kernel_desc){.name = bad[i].name, .source = bad[i].source}, &k));
  REFUSED(OP2_ERR_ARG, op2_kernel_create(test_ctx, NULL, &k));
  REFUSED(OP2_ERR_ARG, op2_kernel_create(test_ctx, &one_kernel, NULL));
  const char *missing[] = {"no-such-header-of-ours.h", NULL};
  REFUSED(OP2_ERR_IO,
          op2_kernel_create(test_ctx,
                            &(op2_kernel_desc){.name = "f",
                                               .source = "void f(int *x) { *x = 1; }",
                                               .headers = missing},
                            &k),
          "no-such-header-of-ours.h");
  EXPECT(!k);
}

static const struct test_case cases[] = {
    {"D1 wrong handles", handles},
    {"D2 D4 D5 sets and maps", sets_and_maps},
    {"D5 map without values on an empty set", map_without_values},
    {"slots outside the arity", slots},
    {"slots without a map", slots_without_map},
    {"access modes", modes},
    {"D11 number of arguments", arity},
    {"types of parameters", types},
    {"lengths of parameters that are arrays", lengths},
    {"D7 extents of an iteration space", iteration_extents},
    {"values", values},
    {"loop objects", loop_objects},
    {"a refused call changes nothing", nothing_changed},
    {"kernels that are refused", kernels},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
