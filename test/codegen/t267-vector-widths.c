/* SPDX-License-Identifier: BSD-3-Clause */
/* The vector width of loops on processors that execute long vectors in two steps; the test sets
 * this property instead of querying it. The width follows the rule of lib/op/loop_form.c, also for
 * fused loops, op2_explain() reports it, and no bit of the results changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "cpu.h"
#include "loop.h"
#include "support.h"

OP2_KERNEL(axpy, (double *y, const double *x), { *y += 0.3 * *x; });
OP2_KERNEL(dot, (const double *x, const double *y, double *sum, float *less), {
  for (int i = 0; i < 8; i++) sum[i] += *x * (*y + 0.1 * i);
  *less += (float)*x;
});
OP2_KERNEL(product, (const double *k, const double *p[2], double *v[2]), {
  v[0][0] += k[0] * p[0][0] + k[1] * p[1][0];
  v[1][0] += k[1] * p[0][0] + k[2] * p[1][0];
});
OP2_KERNEL(quotient, (double *z, const double *y), { *z = 1 / (2 + *y); });
OP2_KERNEL(root, (const double *y, double *s), { *s += sqrt(fabs(*y)); });
OP2_KERNEL(many, (const double *w, double *t), {
  for (int i = 0; i < 40; i++) *t += w[i];
});

enum { N = 1013, MANY = 40 };

/* The results of one run. */
struct result {
  double y[N], v[N], z[N], s[N], t[N], sum[8];
  float less;
};

static bool in_vectors(void) { return test_ctx->backend->variant == OP2I_VECTOR; }

static void state_machine(int bytes, bool halved) {
  test_ctx->config.simd_bytes = bytes;
  test_ctx->config.simd_halved = halved;
}

/* ---- loops of all kinds ---------------------------------------------------------------------- */

static op2_dat dat(op2_set set, int dim, const char *name) {
  double *values = scratch((size_t)(N * dim), sizeof *values);
  for (int i = 0; i < N * dim; i++) values[i] = 1.0 / (1 + i * 37 % 101) - 0.1;
  return new_dat(set, dim, OP2_F64, values, name);
}

static void queue(struct result *out) {
  int32_t *ends = scratch(2 * N, sizeof *ends);
  for (int i = 0; i < 2 * N; i++) ends[i] = i * 7 % N;
  op2_set nodes = new_set(N, "nodes"), edges = new_set(N, "edges");
  op2_map map = new_map(edges, nodes, 2, ends, "ends");
  op2_dat x = dat(nodes, 1, "x"), y = dat(nodes, 1, "y"), v = dat(nodes, 1, "v");
  op2_dat z = dat(nodes, 1, "z"), s = dat(nodes, 1, "s"), t = dat(edges, 1, "t");
  op2_dat k = dat(edges, 3, "k"), w = dat(edges, MANY, "w");
  op2_gbl sum = new_gbl(8, OP2_F64, NULL, "sum"), less = new_gbl(1, OP2_F32, NULL, "less");
  MUST(op2_par_loop(new_kernel(&product_kernel), edges, op2_arg_direct(k, OP2_READ),
                    op2_arg_dat(x, OP2_ALL, map, OP2_READ), op2_arg_dat(v, OP2_ALL, map, OP2_INC)));
  MUST(op2_par_loop(new_kernel(&root_kernel), edges, op2_arg_dat(y, 0, map, OP2_READ),
                    op2_arg_dat(s, 1, map, OP2_INC)));
  MUST(op2_flush(test_ctx));
  MUST(op2_par_loop(new_kernel(&many_kernel), edges, op2_arg_direct(w, OP2_READ),
                    op2_arg_direct(t, OP2_INC)));
  MUST(op2_par_loop(new_kernel(&dot_kernel), nodes, op2_arg_direct(x, OP2_READ),
                    op2_arg_direct(v, OP2_READ), op2_arg_gbl(sum, OP2_INC),
                    op2_arg_gbl(less, OP2_INC)));
  MUST(op2_flush(test_ctx));
  MUST(op2_par_loop(new_kernel(&axpy_kernel), nodes, op2_arg_direct(y, OP2_RW),
                    op2_arg_direct(x, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&quotient_kernel), nodes, op2_arg_direct(z, OP2_WRITE),
                    op2_arg_direct(y, OP2_READ)));
  MUST(op2_flush(test_ctx));
  MUST(op2_dat_get(y, out->y));
  MUST(op2_dat_get(v, out->v));
  MUST(op2_dat_get(z, out->z));
  MUST(op2_dat_get(s, out->s));
  MUST(op2_dat_get(t, out->t));
  MUST(op2_gbl_get(sum, out->sum));
  MUST(op2_gbl_get(less, &out->less));
}

/* ---- widths that were chosen ----------------------------------------------------------------- */

/* The last loop of that name. */
static const struct op2i_loop *find(const char *name) {
  const struct op2i_loop *found = NULL;
  for (const struct op2i_loop *loop = test_ctx->loops->first; loop; loop = loop->entry.next)
    if (!strcmp(op2i_loop_name(loop), name)) found = loop;
  return found;
}

static void expect_width(const char *name, int bytes, const char *why) {
  const struct op2i_loop *loop = find(name);
  bool good = loop && loop->form.known && loop->form.simd_bytes == bytes &&
              (why ? loop->form.width && strstr(loop->form.width, why) : !loop->form.width);
  expect_at(__FILE__, __LINE__, good, name);
  const char *text = loop ? loop->code.source[OP2I_VECTOR] : NULL;
  if (text) expect_at(__FILE__, __LINE__, !strstr(text, "op2_f64x8") == (bytes < 64), name);
}

static void explained(const char *text) {
  char *all = NULL;
  size_t size;
  FILE *stream = open_memstream(&all, &size);
  MUST(op2_explain(test_ctx, stream));
  fclose(stream);
  expect_at(__FILE__, __LINE__, strstr(all, text), text);
  free(all);
}

static void test_rule(void) {
  static struct result result;
  state_machine(64, true);
  queue(&result);
  if (!in_vectors()) return;
  expect_width("product", 32, "mostly moves values");
  expect_width("dot", 32, "mostly moves values");
  expect_width("axpy", 32, "mostly moves values");
  expect_width("root", 64, "divides or takes roots");
  expect_width("quotient", 64, "divides or takes roots");
  expect_width("many", 64, "many values");
  if (!test_config.eager && test_ctx->backend->passes)
    expect_width("axpy+quotient", 64, "divides or takes roots");
  explained("vector code, 32 bytes: it mostly moves values");
  explained("vector code, 64 bytes: it divides or takes roots");
}

static void test_no_choice(void) {
  static const int widths[] = {64, 32, 16};
  static const char *const names[] = {"product", "dot", "axpy", "root", "quotient", "many"};
  static struct result result;
  int width = widths[test_config.block_size % 3];
  state_machine(width, false);
  queue(&result);
  for (int n = 0; n < 6 && in_vectors(); n++) expect_width(names[n], width, NULL);
}

static void test_bits(void) {
  static struct result by_rule, other;
  static const int widths[] = {64, 32, 16, 0};
  state_machine(64, true);
  queue(&by_rule);
  for (int w = 0; w < 4; w++) {
    state_machine(widths[w], false);
    memset(&other, 0, sizeof other);
    queue(&other);
    EXPECT(!memcmp(&by_rule, &other, sizeof other));
  }
}

int main(void) {
  static const struct test_case cases[] = {{"the width that the rule gives", test_rule},
                                           {"no rule where there is no choice", test_no_choice},
                                           {"the same bits in any width", test_bits}};
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  ok(op2i_cpu_halves("AuthenticAMD", 0x00a10f11, true), "AMD's family 19h with AVX-512");
  ok(!op2i_cpu_halves("AuthenticAMD", 0x00a00f11, false), "not where vectors have 32 bytes");
  ok(!op2i_cpu_halves("AuthenticAMD", 0x00b40f40, true), "not family 1ah");
  ok(!op2i_cpu_halves("GenuineIntel", 0x000806f8, true), "not Intel's");
  return RUN(cases, 0);
}
