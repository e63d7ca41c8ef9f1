/* SPDX-License-Identifier: BSD-3-Clause */
/* Work arrays: each call of a kernel has its own, in scalar code and in vectors, on devices, in all
 * types, beside increments and reductions, alone and fused, by text and by address. The checked mode
 * finds kernels that read what they have not written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { EDGES = 1500, NODES = 400 };

/* Sorts three values, and adds the middle one to both ends. */
static void middle(const double *a, double *work, const double *w, const double *b, double *ra,
                   double *rb, double *least) {
  work[0] = *a, work[1] = *w, work[2] = *b;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 - i; k++)
      if (work[k] > work[k + 1]) {
        const double larger = work[k];
        work[k] = work[k + 1];
        work[k + 1] = larger;
      }
  *ra += work[1];
  *rb += work[1];
  if (work[0] < *least) *least = work[0];
}
OP2_KERNEL_FUNCTION(middle,
                    (const double *a, double *work, const double *w, const double *b, double *ra,
                     double *rb, double *least),
                    OP2_ANY_THREADS);

static const op2_kernel_desc middle_text = {
    .name = "middle",
    .source = "void middle(const double *a, double work[3], const double *w, const double *b,\n"
              "            double *ra, double *rb, double *least) {\n"
              "  work[0] = *a; work[1] = *w; work[2] = *b;\n"
              "  for (int i = 0; i < 2; i++)\n"
              "    for (int k = 0; k < 2 - i; k++)\n"
              "      if (work[k] > work[k + 1]) {\n"
              "        const double larger = work[k];\n"
              "        work[k] = work[k + 1];\n"
              "        work[k + 1] = larger;\n"
              "      }\n"
              "  *ra += work[1];\n"
              "  *rb += work[1];\n"
              "  if (work[0] < *least) *least = work[0];\n"
              "}\n"};

struct mesh {
  op2_set edges, nodes;
  op2_map map;
  int32_t *ends;
  op2_dat w, x, sums, out;
  op2_gbl least;
};

static double w_of(int64_t i) { return (double)(i * 53 % 97); }
static double x_of(int64_t i) { return (double)(1 + i * 37 % 101); }

static struct mesh make_mesh(void) {
  struct mesh m = {.edges = new_set(EDGES, "edges"), .nodes = new_set(NODES, "nodes")};
  uint64_t seed = 5;
  m.ends = scratch(EDGES * 2, sizeof *m.ends);
  double *w = scratch(EDGES, sizeof *w), *x = scratch(NODES, sizeof *x);
  for (int i = 0; i < 2 * EDGES; i++) m.ends[i] = draw_below(&seed, NODES);
  for (int i = 0; i < EDGES; i++) w[i] = w_of(i);
  for (int i = 0; i < NODES; i++) x[i] = x_of(i);
  m.map = new_map(m.edges, m.nodes, 2, m.ends, "map");
  m.w = new_dat(m.edges, 1, OP2_F64, w, "w");
  m.x = new_dat(m.nodes, 1, OP2_F64, x, "x");
  m.sums = new_dat(m.nodes, 1, OP2_F64, NULL, "sums");
  m.out = new_dat(m.edges, 1, OP2_F64, NULL, "out");
  m.least = new_gbl(1, OP2_F64, &(double){1000}, "least");
  return m;
}

static op2_status queue_middle(const struct mesh *m, op2_kernel kernel, op2_set over) {
  return op2_par_loop(kernel, over, op2_arg_dat(m->x, 0, m->map, OP2_READ),
                      op2_arg_work(3, OP2_F64), op2_arg_direct(m->w, OP2_READ),
                      op2_arg_dat(m->x, 1, m->map, OP2_READ),
                      op2_arg_dat(m->sums, 0, m->map, OP2_INC),
                      op2_arg_dat(m->sums, 1, m->map, OP2_INC), op2_arg_gbl(m->least, OP2_MIN));
}

static double middle_of(double a, double b, double c) {
  const double low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

static void try_middle(op2_kernel kernel) {
  struct mesh m = make_mesh();
  const int64_t some[] = {3, 700, 701, 702, 1499};
  op2_set subset = new_subset(m.edges, 5, some, "some");
  double *want = scratch(NODES, sizeof *want), least = 1000;
  MUST(queue_middle(&m, kernel, m.edges));
  MUST(queue_middle(&m, kernel, subset));
  for (int i = 0; i < EDGES + 5; i++) {
    const int64_t e = i < EDGES ? i : some[i - EDGES];
    const double a = x_of(m.ends[2 * e]), b = x_of(m.ends[2 * e + 1]), w = w_of(e);
    want[m.ends[2 * e]] += middle_of(a, b, w);
    want[m.ends[2 * e + 1]] += middle_of(a, b, w);
    least = a < least ? a : least;
    least = b < least ? b : least;
    least = w < least ? w : least;
  }
  EXPECT_VALUES(double, m.sums, NODES, i, want[i]);
  EXPECT_GBL(double, m.least, least);
}

static void sorted(void) {
  try_middle(new_kernel(&middle_text));
  if (on_device()) EXPECT(!explains("on the host"));
}

static void by_address(void) { try_middle(new_kernel(&middle_kernel)); }

/* ---- types and extents ----------------------------------------------------------------------- */

/* The array is longer than what is listed one by one, and its index differs between elements. */
static void long_arrays(void) {
  struct mesh m = make_mesh();
  op2_kernel count = new_source("count", "void count(const double *w, int *tally, double *out) {\n"
                                         "  for (int k = 0; k < 97; k++) tally[k] = 97 - k;\n"
                                         "  tally[(int)*w] += 1000;\n"
                                         "  *out = tally[(int)*w] + tally[96];\n"
                                         "}\n");
  MUST(op2_par_loop(count, m.edges, op2_arg_direct(m.w, OP2_READ), op2_arg_work(97, OP2_I32),
                    op2_arg_direct(m.out, OP2_WRITE)));
  EXPECT_VALUES(double, m.out, EDGES, i, 1097 - w_of(i) + (w_of(i) == 96 ? 1001 : 1));
}

static void types(void) {
  static const struct {
    op2_type type;
    const char *name;
  } all[] = {{OP2_F64, "double"},  {OP2_F32, "float"},    {OP2_I8, "int8_t"},
             {OP2_U8, "uint8_t"},  {OP2_I16, "int16_t"},  {OP2_U16, "uint16_t"},
             {OP2_I32, "int32_t"}, {OP2_U32, "uint32_t"}, {OP2_I64, "int64_t"},
             {OP2_U64, "uint64_t"}};
  struct mesh m = make_mesh();
  for (size_t t = 0; t < sizeof all / sizeof *all; t++) {
    char source[300];
    snprintf(source, sizeof source,
             "void turn(const double *w, %s *work, double *out) {\n"
             "  work[0] = (%s)*w; work[1] = 3;\n"
             "  if (*w > 50) { work[1] = work[0]; work[0] = 2; }\n"
             "  *out = 100 * (double)work[0] + (double)work[1];\n"
             "}\n",
             all[t].name, all[t].name);
    MUST(op2_par_loop(new_source("turn", source), m.edges, op2_arg_direct(m.w, OP2_READ),
                      op2_arg_work(2, all[t].type), op2_arg_direct(m.out, OP2_WRITE)));
    EXPECT_VALUES(double, m.out, EDGES, i, w_of(i) > 50 ? 200 + w_of(i) : 100 * w_of(i) + 3);
  }
}

/* ---- several loops, several arrays ----------------------------------------------------------- */

static void fused(void) {
  struct mesh m = make_mesh();
  op2_kernel first = new_source("first", "void first(const double *w, double *p, double *q, double "
                                         "*out) { p[0] = *w; q[1] = 2; *out = p[0] * q[1]; }");
  op2_kernel second = new_source("second", "void second(double *out, double *p) {\n"
                                           "  p[2] = *out + 1; *out = 10 * p[2]; }");
  MUST(op2_par_loop(first, m.edges, op2_arg_direct(m.w, OP2_READ), op2_arg_work(1, OP2_F64),
                    op2_arg_work(2, OP2_F64), op2_arg_direct(m.out, OP2_WRITE)));
  MUST(op2_par_loop(second, m.edges, op2_arg_direct(m.out, OP2_RW), op2_arg_work(3, OP2_F64)));
  EXPECT_VALUES(double, m.out, EDGES, i, 10 * (2 * w_of(i) + 1));
  const bool alone = !strcmp(test_config.backend, "sequential") || on_check();
  if (!alone && queue_grows()) EXPECT(explains("first+second: one loop over 'edges'"));
}

static void absent(void) {
  struct mesh m = make_mesh();
  op2_kernel k = new_source("k", "void k(const double *w, double *p, double *out) {\n"
                                 "  if (p) { p[0] = *w; *out = p[0] + 1; } else *out = 5; }");
  for (int present = 0; present < 2; present++) {
    MUST(op2_par_loop(k, m.edges, op2_arg_direct(m.w, OP2_READ),
                      op2_arg_opt(present, op2_arg_work(1, OP2_F64)),
                      op2_arg_direct(m.out, OP2_WRITE)));
    EXPECT_VALUES(double, m.out, EDGES, i, present ? w_of(i) + 1 : 5);
  }
}

static void vectors(void) {
  struct mesh m = make_mesh();
  op2_loop loop;
  const char *text;
  MUST(op2_loop_create(&loop, new_kernel(&middle_text), m.edges,
                       op2_arg_dat(m.x, 0, m.map, OP2_READ), op2_arg_work(3, OP2_F64),
                       op2_arg_direct(m.w, OP2_READ), op2_arg_dat(m.x, 1, m.map, OP2_READ),
                       op2_arg_dat(m.sums, 0, m.map, OP2_INC),
                       op2_arg_dat(m.sums, 1, m.map, OP2_INC), op2_arg_gbl(m.least, OP2_MIN)));
  own_loop(loop);
  MUST(op2_loop_generate(loop, "simd", &text));
  EXPECT(strstr(text, "op2_vec_middle") && strstr(text, "op2_own1[3];"));
  EXPECT(strstr(text, "1 work: work array, double[3]"));
}

/* ---- kernels and arguments that are wrong ---------------------------------------------------- */

static void misused(void) {
  struct mesh m = make_mesh();
  op2_kernel reads = new_source("reads", "void reads(const double *w, double *p, double *out) {\n"
                                         "  p[0] = *w; *out = p[0] + p[1]; }");
  op2_kernel leaves =
      new_source("leaves", "void leaves(const double *w, double *p, double *out) {\n"
                           "  *out = *w; p[2] = 1; }");
  if (!on_check()) return;
  op2_status status = op2_par_loop(reads, m.edges, op2_arg_direct(m.w, OP2_READ),
                                   op2_arg_work(2, OP2_F64), op2_arg_direct(m.out, OP2_WRITE));
  if (!status) status = op2_flush(test_ctx);
  EXPECT(status == OP2_ERR_KERNEL && strstr(op2_error_message(), "argument 1 (op2_arg_work)") &&
         strstr(op2_error_message(), "the kernel read component 1 before writing it"));
  diag("%s", op2_error_message());
  status = op2_par_loop(leaves, m.edges, op2_arg_direct(m.w, OP2_READ), op2_arg_work(2, OP2_F64),
                        op2_arg_direct(m.out, OP2_WRITE));
  if (!status) status = op2_flush(test_ctx);
  EXPECT(status == OP2_ERR_KERNEL && strstr(op2_error_message(), "argument 1 (op2_arg_work)"));
  diag("%s", op2_error_message());
}

static int no_function(void *data, void *const *values) {
  (void)data, (void)values;
  return 0;
}

static op2_status queue_plain(const struct mesh *m, op2_kernel kernel, op2_arg work) {
  return op2_par_loop(kernel, m->edges, op2_arg_direct(m->out, OP2_RW), work);
}

static void refused(void) {
  struct mesh m = make_mesh();
  op2_kernel k = new_source("k", "void k(double *out, double *p) { p[0] = *out; }"),
             fixed = new_source("fixed", "void fixed(double *out, const double *p) { }"),
             value = new_source("value", "void value(double *out, double p) { }"),
             longer = new_source("longer", "void longer(double *out, double p[9]) { }");
  REFUSED(OP2_ERR_ARG, queue_plain(&m, k, op2_arg_work(0, OP2_F64)), "argument 1",
          "op2_arg_work with dim 0");
  REFUSED(OP2_ERR_TYPE, queue_plain(&m, k, op2_arg_work(2, (op2_type)99)), "argument 1",
          "99 is not an op2_type");
  REFUSED(OP2_ERR_TYPE, queue_plain(&m, k, op2_arg_work(2, OP2_F32)), "argument 1 (a work array)",
          "OP2_F32", "'double * p'");
  REFUSED(OP2_ERR_ACCESS, queue_plain(&m, fixed, op2_arg_work(2, OP2_F64)),
          "argument 1 (a work array) is op2_arg_work", "points to const");
  REFUSED(OP2_ERR_TYPE, queue_plain(&m, value, op2_arg_work(1, OP2_F64)), "expected a pointer");
  REFUSED(OP2_ERR_TYPE, queue_plain(&m, longer, op2_arg_work(8, OP2_F64)), "an array of 9 values",
          "the argument has 8");
  REFUSED(OP2_ERR_RANGE, queue_plain(&m, k, op2_arg_work(32769, OP2_F64)),
          "argument 1 (a work array)", "262144 bytes");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, no_function, NULL, op2_arg_work(1, OP2_F64)),
          "argument 0", "not made by op2_arg_direct()");
}

static const struct test_case cases[] = {
    {"an array of each element's own", sorted},
    {"kernels by address", by_address},
    {"long arrays", long_arrays},
    {"all types", types},
    {"several arrays, and fused loops", fused},
    {"arrays that may be absent", absent},
    {"vector code", vectors},
    {"kernels that misuse an array", misused},
    {"arguments that are refused", refused},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}
