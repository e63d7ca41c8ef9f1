/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of vector code: golden files, and loops that are refused with their reasons.
 * OP2_TEST_UPDATE=1 writes the golden files anew: check the difference before committing it. */
#include <string.h>

#include "backend.h"
#include "cgen.h"
#include "golden_case.h"
#include "loop_case.h"
#include "tap.h"
#include "text.h"
#include "vec.h"
#include "vec_view.h"

/* ---- golden files ---------------------------------------------------------------------------- */

static void generates(struct loop_case *c, int bytes, const char *name) {
  struct op2i_text text = {0};
  bool mergeable;
  if (CHECK(op2i_generate_vector(&c->loop, OP2I_VECTOR, bytes, &text, &mergeable)))
    matches_golden(text.chars, name);
  op2i_text_free(&text);
}

/* Rows of three lengths through a map, and increments of two rows that may be the same. */
static void golden_flux(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "flux",
                   "void flux(const double *x1, const double *x2, const double *p, double *res1, "
                   "double *res2) {\n"
                   "  for (int n = 0; n < 3; n++) {\n"
                   "    double f = gm1 * p[0] * (x1[n % 2] - x2[n % 2]);\n"
                   "    res1[n] += f;\n    res2[n] -= f;\n  }\n}\n"));
  case_map(&c, 0, 2);
  for (int i = 0; i < 2; i++) case_dat(&c, 0, 2, OP2_F64, i, 0, OP2_READ);
  case_dat(&c, 1, 1, OP2_F64, 0, 0, OP2_READ);
  for (int i = 0; i < 2; i++) case_dat(&c, 2, 3, OP2_F64, i, 0, OP2_INC);
  case_const(&c, "gm1", 1, OP2_F64);
  generates(&c, 64, "vec-flux");
  case_end(&c);
}

/* A division, because of which two batches run together. */
static void golden_twos(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "pull",
                   "void pull(const double *length, const double *x1, const double *x2, double *f1,"
                   " double *f2, double *most) {\n  double f = (x2[0] - x1[0]) / length[0];\n"
                   "  f1[0] += f;\n  f2[0] -= f;\n  if (f > *most) *most = f;\n}\n"));
  case_map(&c, 0, 2);
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_READ);
  for (int i = 0; i < 2; i++) case_dat(&c, 1, 1, OP2_F64, i, 0, OP2_READ);
  for (int i = 0; i < 2; i++) case_dat(&c, 2, 1, OP2_F64, i, 0, OP2_INC);
  case_gbl(&c, 0, 1, OP2_F64, OP2_MAX);
  generates(&c, 16, "vec-twos");
  case_end(&c);
}

/* Two kernels that share rows, reductions, and a dat that no kernel reads. */
static void golden_fused(void) {
  struct loop_case c, keep;
  CHECK(case_begin(&c, "step",
                   "void step(const double *old, double *q, double *sum, double *low, double dt) "
                   "{\n  q[0] = old[0] * dt;\n  q[1] = old[1];\n  *sum += q[0] * q[0];\n"
                   "  if (q[0] < *low) *low = q[0];\n}\n"));
  CHECK(case_begin(&keep, "keep",
                   "void keep(const double *q, double *old, double *total, double *flag) {\n"
                   "  old[0] = q[0];\n  old[1] = q[1];\n  *total += q[1];\n  *flag = 0;\n}\n"));
  case_dat(&c, 0, 2, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 1, 2, OP2_F64, 0, -1, OP2_WRITE);
  case_gbl(&c, 0, 1, OP2_F64, OP2_INC);
  case_gbl(&c, 1, 1, OP2_F64, OP2_MIN);
  case_val(&c, 1, OP2_F64);
  case_dat(&c, 1, 2, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 0, 2, OP2_F64, 0, -1, OP2_WRITE);
  case_dat(&c, 2, 1, OP2_F64, 0, -1, OP2_INC);
  case_dat(&c, 3, 1, OP2_F64, 0, -1, OP2_WRITE);
  struct op2i_member members[2] = {{.kernel = &c.kernel, .nargs = 5},
                                   {.kernel = &keep.kernel, .first_arg = 5, .nargs = 4}};
  bool dropped[4] = {false, false, false, true};
  c.loop.fused.members = members;
  c.loop.fused.nmembers = 2;
  c.loop.name = (char *)"step+keep";
  c.loop.fused.dropped = dropped;
  generates(&c, 32, "vec-fused");
  case_end(&keep);
  case_end(&c);
}

/* All slots at once in both forms, minima and maxima, the element's number, over a subset. */
static void golden_gather(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "gather",
                   "void gather(const float **in, const float *all, float *low, int e, float *out)"
                   " {\n  *out = in[0][0] + all[1] + e;\n  if (*out < *low) *low = *out;\n}\n"));
  case_map(&c, 0, 2);
  case_dat(&c, 0, 1, OP2_F32, OP2_ALL, 0, OP2_READ);
  case_dat(&c, 0, 1, OP2_F32, OP2_ITER(0), 0, OP2_READ);
  case_dat(&c, 1, 1, OP2_F32, 1, 0, OP2_MIN);
  case_idx(&c);
  case_dat(&c, 2, 1, OP2_F32, 0, -1, OP2_WRITE);
  case_over_subset(&c);
  generates(&c, 16, "vec-gather");
  case_end(&c);
}

/* Reads of a global by a number that differs between elements: by one instruction where vectors are
 * long enough and all lanes read, lane by lane where a mask says which of them do. */
static void golden_table(int bytes, const char *name) {
  struct loop_case c;
  CHECK(case_begin(&c, "table",
                   "void table(const double *t, const int *i, double *y) {\n"
                   "  *y = t[*i + 1];\n  if (*i > 0) *y -= t[*i - 1];\n}\n"));
  case_gbl(&c, 0, 9, OP2_F64, OP2_READ);
  case_dat(&c, 0, 1, OP2_I32, 0, -1, OP2_READ);
  case_dat(&c, 1, 1, OP2_F64, 0, -1, OP2_WRITE);
  generates(&c, bytes, name);
  case_end(&c);
}

/* Contiguous rows of one value, with a known step and the remainder apart; also with dats that are
 * larger than the caches, of which one is overwritten. */
static void golden_streams(bool past, const char *name) {
  struct loop_case c;
  CHECK(case_begin(&c, "advance",
                   "void advance(const double *old, double *res, double *q, double *most) {\n"
                   "  *q = *old - *res;\n  if (*res > *most) *most = *res;\n  *res = 0;\n}\n"));
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 1, 1, OP2_F64, 0, -1, OP2_RW);
  case_dat(&c, 2, 1, OP2_F64, 0, -1, OP2_WRITE);
  case_gbl(&c, 0, 1, OP2_F64, OP2_MAX);
  c.loop.form.past_caches = past;
  generates(&c, 32, name);
  case_end(&c);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuses(struct loop_case *c, int bytes, const char *why) {
  struct op2i_text text = {0};
  bool mergeable;
  if (FAILS(op2i_generate_vector(&c->loop, OP2I_VECTOR, bytes, &text, &mergeable),
            OP2_ERR_UNAVAILABLE)) {
    ok(strstr(op2_error_message(), why), "the reason: %s", why);
    if (!strstr(op2_error_message(), why)) diag("%s", op2_error_message());
  }
  op2i_text_free(&text);
  case_end(c);
}

static const char two_source[] = "void two(const double *a, double *b) { b[0] += a[0]; }\n";

/* `a` and `b` are one dat, accessed in these two ways. */
static void refuses_two(int slot_a, int slot_b, op2_access access_a, op2_access access_b) {
  struct loop_case c;
  CHECK(case_begin(&c, "two", two_source));
  case_map(&c, 0, 2);
  case_dat(&c, 0, 1, OP2_F64, slot_a, slot_a < 0 ? -1 : 0, access_a);
  case_dat(&c, 0, 1, OP2_F64, slot_b, slot_b < 0 ? -1 : 0, access_b);
  c.dat[0].obj.name = (char *)"depth";
  refuses(&c, 64, "dat 'depth' is reached through a map and modified");
}

static void one_case(struct loop_case *c, const char *source, int dim) {
  CHECK(case_begin(c, "one", source));
  case_dat(c, 0, dim, OP2_F64, 0, -1, OP2_RW);
}

/* A loop that is refused keeps its scalar code. */
static void test_deep(void) {
  struct loop_case c;
  struct op2i_text source = {0}, scalar = {0};
  bool mergeable;
  op2i_text_add(&source, "void one(double *a) { ");
  for (int i = 0; i < 300; i++) op2i_text_add(&source, "if (*a == %d) *a = 1; else ", i);
  op2i_text_add(&source, "*a = 2; }\n");
  one_case(&c, source.chars, 1);
  CHECK(op2i_generate(&c.loop, OP2I_PLAIN, &scalar, &mergeable));
  refuses(&c, 64, "statements nested too deep in line 1");
  op2i_text_free(&source);
  op2i_text_free(&scalar);
}

static void test_refusals(void) {
  struct loop_case c;
  refuses_two(0, 1, OP2_READ, OP2_INC);
  refuses_two(0, 0, OP2_READ, OP2_INC);
  refuses_two(-1, 0, OP2_READ, OP2_INC);
  refuses_two(-1, 0, OP2_RW, OP2_READ);
  refuses_two(0, 1, OP2_MIN, OP2_INC);
  refuses_two(0, 1, OP2_READ, OP2_RW);
  one_case(&c, "void one(double *a) { *a = 1; }\n", 1);
  refuses(&c, 0, "switched off");
  one_case(&c, "void one(double *a) { *a = 1; }\n", 1);
  refuses(&c, 8, "single value");
  one_case(&c, "void one(double *a) { *a = 1; }\n", 65);
  refuses(&c, 64, "65 vector registers");
  one_case(&c, "#ifdef __SSE__\n#endif\nvoid one(double *a) { *a = 1; }\n", 1);
  refuses(&c, 64, "has a preprocessor line (1)");
  one_case(&c, "void one(double *a) { *a = cbrtnot(*a); }\n", 1);
  refuses(&c, 64, "kernel 'one'");
  one_case(&c, "void one(double *a) { *a = 1; }\n", 1);
  c.loop.traits.ordered = true;
  refuses(&c, 64, "in order");
}

/* ---- two batches at a time ------------------------------------------------------------------- */

static void takes(struct loop_case *c, const char *batches) {
  struct op2i_text text = {0};
  bool mergeable;
  if (CHECK(op2i_generate_vector(&c->loop, OP2I_VECTOR, 64, &text, &mergeable)))
    is_str(strstr(text.chars, " op2_early_own1[") ? "two" : "one", batches, "%s", c->kernel.source);
  op2i_text_free(&text);
  case_end(c);
}

/* A loop with `access` through a map to a value that `work` computes from the element's own x[dim];
 * `more` is another parameter. */
static void pull_case(struct loop_case *c, const char *more, const char *work, int dim,
                      op2_access access) {
  static char source[256]; /* used by one case at a time */
  snprintf(source, sizeof source, "void k(const double *x, double *f%s) { %s }\n", more, work);
  CHECK(case_begin(c, "k", source));
  case_map(c, 0, 1);
  case_dat(c, 0, dim, OP2_F64, 0, -1, OP2_READ);
  case_dat(c, 1, 1, OP2_F64, 0, 0, access);
}

static void test_twos(void) {
  static const struct {
    const char *work, *batches;
  } works[] = {{"f[0] += 1 / x[0];", "two"},
               {"f[0] += sqrt(x[0]);", "two"},
               {"double y = x[0]; y /= x[1]; f[0] += y;", "two"},
               {"if (x[0] > 0) f[0] += 1 / x[0];", "two"},
               {"f[0] += fabs(x[0]) * x[1];", "one"}};
  static const char over[] = "f[0] += 1 / x[0];";
  struct loop_case c;
  for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
    pull_case(&c, "", works[i].work, 2, OP2_INC);
    takes(&c, works[i].batches);
  }
  pull_case(&c, "", over, 31, OP2_INC);
  takes(&c, "two");
  pull_case(&c, "", over, 32, OP2_INC); /* 33 values with f */
  takes(&c, "one");
  pull_case(&c, "", over, 2, OP2_INC);
  case_over_subset(&c);
  takes(&c, "one");
  pull_case(&c, "", "if (1 / x[0] < *f) *f = 1 / x[0];", 2, OP2_MIN);
  takes(&c, "one");
  pull_case(&c, ", double *y", "f[0] += 1 / x[0]; *y = 1;", 2, OP2_INC);
  case_dat(&c, 2, 1, OP2_F64, 0, -1, OP2_WRITE);
  takes(&c, "one");
  pull_case(&c, ", double *f1", "f[0] += 1 / x[0]; *f1 += 1;", 2, OP2_INC);
  case_dat(&c, 1, 1, OP2_F64, 0, -1, OP2_INC);
  takes(&c, "one");
  pull_case(&c, ", int e", "f[0] += e / x[0];", 2, OP2_INC);
  case_idx(&c);
  takes(&c, "one");
}

static void test_fused_twos(void) {
  struct loop_case c, other;
  pull_case(&c, "", "f[0] += 1 / x[0];", 2, OP2_INC);
  CHECK(case_begin(&other, "other", "void other(const double *x, double *f) { f[0] += x[0]; }\n"));
  case_dat(&c, 0, 2, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 2, 1, OP2_F64, 0, 0, OP2_INC);
  struct op2i_member members[2] = {{.kernel = &c.kernel, .nargs = 2},
                                   {.kernel = &other.kernel, .first_arg = 2, .nargs = 2}};
  c.loop.fused.members = members;
  c.loop.fused.nmembers = 2;
  c.loop.name = (char *)"k+other";
  takes(&c, "one");
  case_end(&other);
}

/* ---- loops that stream ----------------------------------------------------------------------- */

/* Whether the rounds of a loop have a known step, and no prefetches. */
static void streams(struct loop_case *c, int bytes, const char *times, const char *name) {
  struct op2i_text text = {0}, why = {0};
  struct op2i_judgement judgement = {0};
  bool mergeable;
  if (CHECK(op2i_generate_judge(&c->loop, bytes, &judgement, &why)))
    ok(!judgement.prefetches == !!times, "%s: which is known before there is text", name);
  op2i_text_free(&why);
  if (CHECK(op2i_generate_vector(&c->loop, OP2I_VECTOR, bytes, &text, &mergeable))) {
    const char *body = strstr(text.chars, "void OP2_NAME(op2_body)(");
    const char *unroll = strstr(body, "OP2_UNROLL(");
    ok(times ? unroll && !strncmp(unroll, times, strlen(times)) : !unroll, "%s: %s", name,
       times ? times : "no known step");
    ok(!strstr(body, "op2_ahead(") == !!times, "%s: %s", name, times ? "no prefetch" : "prefetch");
    const char *asked = strstr(body, "if (op2_distance) {\n        op2_ahead(");
    ok(!asked == !!times && !strstr(body, "op2_call->distance") == !!times, "%s: %s", name,
       times ? "no distance" : "prefetches if the call has a distance");
  }
  op2i_text_free(&text);
  case_end(c);
}

static void sum_case(struct loop_case *c, const char *name, int dim, op2_type type) {
  static char source[256]; /* used by one case at a time */
  snprintf(source, sizeof source, "void %s(const %s *x, %s *y) { *y += x[0]; }\n", name,
           op2i_type_c(type), op2i_type_c(type));
  CHECK(case_begin(c, name, source));
  case_dat(c, 0, dim, type, 0, -1, OP2_READ);
}

static void test_streams(void) {
  static const struct {
    int bytes;
    const char *times;
  } widths[] = {{64, "OP2_UNROLL(2)"}, {32, "OP2_UNROLL(4)"}, {16, "OP2_UNROLL(8)"}};
  struct loop_case c;
  for (int w = 0; w < 3; w++) {
    sum_case(&c, "sum", 1, OP2_F64);
    case_dat(&c, 1, 1, OP2_F64, 0, -1, OP2_RW);
    streams(&c, widths[w].bytes, widths[w].times, "rows of one double");
  }
  sum_case(&c, "sum", 2, OP2_F32);
  case_dat(&c, 1, 1, OP2_F32, 0, -1, OP2_RW);
  streams(&c, 64, "OP2_UNROLL(1)", "rows of 8 bytes, 16 lanes");
  sum_case(&c, "sum", 2, OP2_F64);
  case_dat(&c, 1, 1, OP2_F64, 0, -1, OP2_RW);
  streams(&c, 64, NULL, "rows of 16 bytes");
  sum_case(&c, "sum", 1, OP2_F64);
  case_map(&c, 0, 1);
  case_dat(&c, 1, 1, OP2_F64, 0, 0, OP2_INC);
  streams(&c, 64, NULL, "a map");
}

/* A batch of n dats of two numbers each fills 2 n registers. */
static void test_many_streams(int n, const char *times) {
  struct loop_case c;
  struct op2i_text source = {0};
  op2i_text_add(&source, "void many(");
  for (int d = 0; d < n; d++) op2i_text_add(&source, "%sfloat *x%d", d ? ", " : "", d);
  op2i_text_add(&source, ") {");
  for (int d = 0; d < n; d++) op2i_text_add(&source, " *x%d += 1;", d);
  op2i_text_add(&source, " }\n");
  CHECK(case_begin(&c, "many", source.chars));
  for (int d = 0; d < n; d++) case_dat(&c, d, 2, OP2_F32, 0, -1, OP2_RW);
  streams(&c, 64, times, n > 4 ? "ten registers" : "eight registers");
  op2i_text_free(&source);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void lanes_of(op2_type type, int want64, int want32, int want16) {
  struct loop_case c;
  CHECK(case_begin(&c, "one", "void one(double *a) { *a = 1; }\n"));
  case_dat(&c, 0, 1, type, 0, -1, OP2_RW);
  is_int(op2i_vec_lanes(&c.loop, 64), want64, "lanes of %s in 64 bytes", op2i_type_c(type));
  is_int(op2i_vec_lanes(&c.loop, 32), want32, "lanes of %s in 32 bytes", op2i_type_c(type));
  is_int(op2i_vec_lanes(&c.loop, 16), want16, "lanes of %s in 16 bytes", op2i_type_c(type));
  case_end(&c);
}

int main(void) {
  lanes_of(OP2_F64, 8, 4, 2);
  lanes_of(OP2_F32, 16, 8, 4);
  lanes_of(OP2_U8, 16, 8, 4);
  lanes_of(OP2_I32, 16, 8, 4);
  lanes_of(OP2_I64, 8, 4, 2);
  golden_flux();
  golden_fused();
  golden_gather();
  golden_table(16, "vec-table-16");
  golden_table(32, "vec-table-32");
  golden_table(64, "vec-table-64");
  golden_twos();
  golden_streams(false, "vec-streams");
  golden_streams(true, "vec-past");
  test_refusals();
  test_twos();
  test_fused_twos();
  test_streams();
  test_many_streams(4, "OP2_UNROLL(1)");
  test_many_streams(5, NULL);
  test_deep();
  return done();
}
