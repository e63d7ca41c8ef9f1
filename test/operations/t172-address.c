/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels by address: functions of this program in place of text, with all kinds of arguments, in
 * plans and reductions, one thread at a time or all at once. */
#include <fenv.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { EDGES = 3000, NODES = 500 };

struct mesh {
  op2_set edges, nodes;
  op2_map map;
  int32_t *ends; /* [EDGES][2] */
  op2_dat length, sum, w;
};

static double length_of(int64_t edge) { return (double)(edge % 17 + 1); }

static struct mesh make_mesh(void) {
  struct mesh m = {0};
  uint64_t seed = 5;
  m.ends = scratch(EDGES * 2, sizeof *m.ends);
  double *length = scratch(EDGES, sizeof *length);
  for (int i = 0; i < 2 * EDGES; i++) m.ends[i] = draw_below(&seed, NODES);
  for (int i = 0; i < EDGES; i++) length[i] = length_of(i);
  m.edges = new_set(EDGES, "edges");
  m.nodes = new_set(NODES, "nodes");
  m.map = new_map(m.edges, m.nodes, 2, m.ends, "map");
  m.length = new_dat(m.edges, 1, OP2_F64, length, "length");
  m.sum = new_dat(m.nodes, 1, OP2_F64, NULL, "sum");
  m.w = new_dat(m.edges, 1, OP2_F64, NULL, "w");
  return m;
}

static op2_kernel by_address(const char *name, const char *source, op2_function function) {
  const op2_kernel_desc desc = {
      .name = name, .source = source, .function = function, .threads = OP2_ANY_THREADS};
  return new_kernel(&desc);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void spread(const double *length, double *a, double *b) {
  *a += *length;
  *b += 2 * *length;
}
OP2_KERNEL_FUNCTION(spread, (const double *length, double *a, double *b), OP2_ANY_THREADS);

static void mixed(double *w, double **sums, const double *pair, int number, const int64_t *ends,
                  double factor, const int32_t shift[2], double *total, double *least) {
  *w = factor * number + *sums[0] - *sums[1] + pair[0] + 2 * pair[1] + (double)ends[1] + shift[1];
  *total += *w;
  if (*w < *least) *least = *w;
}
OP2_KERNEL_FUNCTION(mixed,
                    (double *w, double **sums, const double *pair, int number, const int64_t *ends,
                     double factor, const int32_t shift[2], double *total, double *least),
                    OP2_ONE_THREAD);

/* Increments through a map, then every other kind of argument. All values are whole numbers. */
static void values(void) {
  struct mesh m = make_mesh();
  const double half = 0.5, none = 0, much = 1e9;
  const int32_t shift[2] = {1, 4};
  double *sum = scratch(NODES, sizeof *sum), *w = scratch(EDGES, sizeof *w), total = 0, least = 1e9;
  op2_gbl sums = new_gbl(1, OP2_F64, &none, "total"), low = new_gbl(1, OP2_F64, &much, "least");
  MUST(op2_par_loop(new_kernel(&spread_kernel), m.edges, op2_arg_direct(m.length, OP2_READ),
                    op2_arg_dat(m.sum, 0, m.map, OP2_INC), op2_arg_dat(m.sum, 1, m.map, OP2_INC)));
  MUST(op2_par_loop(new_kernel(&mixed_kernel), m.edges, op2_arg_direct(m.w, OP2_WRITE),
                    op2_arg_dat(m.sum, OP2_ALL, m.map, OP2_READ),
                    op2_arg_dat(m.sum, OP2_ITER(0), m.map, OP2_READ), op2_arg_idx(),
                    op2_arg_map_idx(m.map, OP2_ALL), op2_arg_val(&half, 1, OP2_F64),
                    op2_arg_val(shift, 2, OP2_I32), op2_arg_gbl(sums, OP2_INC),
                    op2_arg_gbl(low, OP2_MIN)));
  for (int i = 0; i < EDGES; i++) {
    sum[m.ends[2 * i]] += length_of(i);
    sum[m.ends[2 * i + 1]] += 2 * length_of(i);
  }
  for (int i = 0; i < EDGES; i++) {
    const double a = sum[m.ends[2 * i]], b = sum[m.ends[2 * i + 1]];
    w[i] = 0.5 * i + a - b + a + 2 * b + m.ends[2 * i + 1] + 4;
    total += w[i];
    if (w[i] < least) least = w[i];
  }
  EXPECT_VALUES(double, m.sum, NODES, i, sum[i]);
  EXPECT_VALUES(double, m.w, EDGES, i, w[i]);
  EXPECT_GBL(double, sums, total);
  EXPECT_GBL(double, low, least);
  const int64_t some[] = {3, 8, 100};
  MUST(op2_par_loop(new_kernel(&spread_kernel), new_subset(m.edges, 3, some, "some"),
                    op2_arg_direct(m.length, OP2_READ), op2_arg_dat(m.sum, 0, m.map, OP2_INC),
                    op2_arg_dat(m.sum, 0, m.map, OP2_INC)));
  for (int i = 0; i < 3; i++) sum[m.ends[2 * some[i]]] += 3 * length_of(some[i]);
  EXPECT_VALUES(double, m.sum, NODES, i, sum[i]);
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void set(double *w, const double *x) { *w = 3 * x[0]; }
static void rows(double w[1], const double x[][1]) { w[0] = 4 * x[0][0]; }

/* Forms of the declaration, with what may stand around it. */
static void declarations(void) {
  static const struct {
    const char *source;
    bool rows;
  } forms[] = {
      {"void f(double *w, const double *x)", false},
      {"void f(double *, const double *);", false},
      {"extern void f(double w[1],\n  const double *x /* input */); // ends here", false},
      {"typedef double real;\n#define IN const\nvoid f(real *w, IN real *);\nvoid g(int);", false},
      {"/* rows */ void f(double w[1], const double x[][1])", true},
      {"static inline void f(double *const restrict w, double const *x)", false},
      {"void f(double *w, const double *uintptr_t)", false},
  };
  struct mesh m = make_mesh();
  for (int k = 0; k < (int)(sizeof forms / sizeof *forms); k++) {
    op2_kernel f =
        by_address("f", forms[k].source, forms[k].rows ? (op2_function)rows : (op2_function)set);
    MUST(op2_par_loop(f, m.edges, op2_arg_direct(m.w, OP2_WRITE),
                      op2_arg_direct(m.length, OP2_READ)));
    EXPECT_VALUES(double, m.w, EDGES, i, (forms[k].rows ? 4 : 3) * length_of(i));
    MUST(op2_dat_set(m.w, scratch(EDGES, sizeof(double))));
  }
}

/* Arguments are checked as those of text, and constants of the program are not seen. */
static void checked_arguments(void) {
  struct mesh m = make_mesh();
  const double one = 1;
  (void)new_const(1, OP2_F64, &one, "x");
  op2_kernel f = by_address("f", "void f(double *w, const double *x)", (op2_function)set);
  op2_dat i32 = new_dat(m.edges, 1, OP2_I32, NULL, "i32");
  op2_arg w = op2_arg_direct(m.w, OP2_WRITE), x = op2_arg_direct(m.length, OP2_READ);
  REFUSED(OP2_ERR_ARITY, op2_par_loop(f, m.edges, w), "'f'", "2 parameters");
  REFUSED(OP2_ERR_TYPE, op2_par_loop(f, m.edges, w, op2_arg_direct(i32, OP2_READ)), "argument 1",
          "const double *");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(f, m.edges, w, op2_arg_direct(m.length, OP2_RW)),
          "points to const");
  MUST(op2_par_loop(f, m.edges, w, x));
  EXPECT_VALUES(double, m.w, EDGES, i, 3 * length_of(i));
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void refusals(void) {
  static const char *const libraries[] = {"-lm", NULL};
  const op2_function function = (op2_function)set;
  op2_kernel k = NULL;
#define CREATE(...) op2_kernel_create(test_ctx, &(op2_kernel_desc){.name = "f", __VA_ARGS__}, &k)
  REFUSED(OP2_ERR_ARG, CREATE(.function = function), "declares the parameters");
  REFUSED(OP2_ERR_ARG, CREATE(.source = NULL), "null");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "\nvoid f(double *x) { *x = 0; }", .function = function),
          "'f', line 2", "both a function and a body");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "void f(double *x);"), "its body is nowhere");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "void g(double *x);", .function = function), "'f'",
          "has to declare the function", "void f(const double *x, double *y)");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "int f(double *x)", .function = function),
          "returns void");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "void f(double *, ...)", .function = function), "'...'");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "void f(double [3])", .function = function),
          "parameter 0", "needs a name");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "void f(double *op2_function)", .function = function),
          "needs another name");
  REFUSED(OP2_ERR_SYNTAX, CREATE(.source = "void f(double *x", .function = function), "no ')'");
  REFUSED(OP2_ERR_SYNTAX,
          CREATE(.source = "void f(double *x) __attribute__((cold));", .function = function),
          "ends with its parameters");
  REFUSED(OP2_ERR_ARG, CREATE(.source = "void f(double *x)", .function = function, .threads = 2),
          "threads is 2");
  REFUSED(OP2_ERR_ARG, CREATE(.source = "void f(double *x) { *x = 0; }", .threads = 1), "reserved");
  REFUSED(OP2_ERR_ARG,
          CREATE(.source = "void f(double *x)", .function = function, .libraries = libraries),
          "takes no libraries");
  EXPECT(!k);
}

/* The checked mode sees what functions do to their arguments. */
static void overwrite(double *w, const double *x) { *w = *(double *)(uintptr_t)x += 1; }

static void accused(void) {
  if (!on_check()) return;
  struct mesh m = make_mesh();
  op2_kernel f = by_address("f", "void f(double *w, const double *x)", (op2_function)overwrite);
  op2_status status =
      op2_par_loop(f, m.edges, op2_arg_direct(m.w, OP2_WRITE), op2_arg_direct(m.length, OP2_READ));
  if (!test_config.eager) status = op2_flush(test_ctx);
  EXPECT(status == OP2_ERR_KERNEL && strstr(op2_error_message(), "argument 1"));
  MUST(op2_dat_set(m.w, scratch(EDGES, sizeof(double))));
}

/* ---- how they run ---------------------------------------------------------------------------- */

/* Without the library's lock, another thread would find `inside` set or lose one of the counts. */
static volatile int inside, met;
static volatile int64_t calls;

static void alone(double *w) {
  if (inside) met++;
  inside = 1;
  for (int spin = 0; spin < 50; spin++) calls = calls + (spin == 0);
  *w = 1;
  inside = 0;
}
static void alone_too(double *w) { alone(w); }
OP2_KERNEL_FUNCTION(alone, (double *w), OP2_ONE_THREAD);
OP2_KERNEL_FUNCTION(alone_too, (double *w), OP2_ONE_THREAD);

static void one_thread(void) {
  struct mesh m = make_mesh();
  inside = met = 0, calls = 0;
  for (int k = 0; k < 10; k++) {
    MUST(op2_par_loop(new_kernel(&alone_kernel), m.edges, op2_arg_direct(m.w, OP2_WRITE)));
    MUST(op2_par_loop(new_kernel(&alone_too_kernel), m.nodes, op2_arg_direct(m.sum, OP2_WRITE)));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(met == 0);
  EXPECT(on_check() ? calls > 10 * (EDGES + NODES) : calls == 10 * (EDGES + NODES));
}

static void modes(double *w) { *w = fegetround() == FE_TONEAREST; }
OP2_KERNEL_FUNCTION(modes, (double *w), OP2_ANY_THREADS);

static void environment(void) {
  struct mesh m = make_mesh();
  fesetround(FE_UPWARD);
  op2_status status =
      op2_par_loop(new_kernel(&modes_kernel), m.edges, op2_arg_direct(m.w, OP2_WRITE));
  if (!status) status = op2_flush(test_ctx);
  EXPECT(fegetround() == FE_UPWARD);
  fesetround(FE_TONEAREST);
  MUST(status);
  EXPECT_VALUES(double, m.w, EDGES, i, 1 + 0 * i);
}

static void twice(double *w, const double *x) { *w = 2 * *x; }
static void thrice(double *w, const double *x) { *w = 3 * *x; }

/* Two functions with one declaration share one code, which has no addresses. */
static void same_code(void) {
  struct mesh m = make_mesh();
  static const char declared[] = "void same(double *w, const double *x)";
  op2_kernel first = by_address("same", declared, (op2_function)twice),
             second = by_address("same", declared, (op2_function)thrice);
  op2_arg w = op2_arg_direct(m.w, OP2_WRITE), x = op2_arg_direct(m.length, OP2_READ);
  const char *text[2];
  op2_loop loops[2];
  MUST(op2_loop_create(&loops[0], first, m.edges, w, x));
  MUST(op2_loop_create(&loops[1], second, m.edges, w, x));
  for (int l = 0; l < 2; l++) {
    own_loop(loops[l]);
    MUST(op2_loop_generate(loops[l], "c", &text[l]));
  }
  EXPECT(!strcmp(text[0], text[1]));
  MUST(op2_loop_compute(loops[0]));
  EXPECT_VALUES(double, m.w, EDGES, i, 2 * length_of(i));
  op2_times before, after;
  MUST(op2_times_get(test_ctx, &before));
  MUST(op2_loop_compute(loops[1]));
  MUST(op2_times_get(test_ctx, &after));
  EXPECT(after.compiled == before.compiled);
  EXPECT_VALUES(double, m.w, EDGES, i, 3 * length_of(i));
}

static void explained(void) {
  struct mesh m = make_mesh();
  op2_kernel text = new_source("text", "void text(double *w) { *w += 1; }");
  op2_kernel first = by_address("first", "void first(double *, const double *)", (op2_function)set),
             last = by_address("last", "void last(double *, const double *)", (op2_function)twice);
  op2_dat v = new_dat(m.edges, 1, OP2_F64, NULL, "v");
  MUST(op2_par_loop(text, m.edges, op2_arg_direct(m.w, OP2_RW)));
  MUST(op2_par_loop(first, m.edges, op2_arg_direct(m.w, OP2_WRITE),
                    op2_arg_direct(m.length, OP2_READ)));
  MUST(op2_par_loop(last, m.edges, op2_arg_direct(v, OP2_WRITE), op2_arg_direct(m.w, OP2_READ)));
  EXPECT_VALUES(double, v, EDGES, i, 6 * length_of(i));
  const bool scalar = !strcmp(test_config.backend, "sequential") || on_check();
  if (on_device())
    EXPECT(explains("on the host: its kernel is called by address"));
  else
    EXPECT(scalar || explains("scalar code: kernel 'first' is called by address"));
  if (!scalar && !test_config.eager) EXPECT(explains("first+last: one loop over 'edges'"));
}

static const struct test_case cases[] = {
    {"all kinds of arguments", values},
    {"declarations", declarations},
    {"arguments are checked", checked_arguments},
    {"refusals", refusals},
    {"functions that do wrong", accused},
    {"one thread at a time", one_thread},
    {"the floating-point environment", environment},
    {"two functions with one code", same_code},
    {"explained", explained},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES);
}
