/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of kernels in vector form: golden files, and memory that runs out. OP2_TEST_UPDATE=1
 * writes the golden files anew: check the difference before committing it. */
#include <stdio.h>
#include <string.h>

#include "../../bench/airfoil/kernels.h"
#include "golden_case.h"
#include "loop_case.h"
#include "mem.h"
#include "simd.h"
#include "tap.h"

enum { PARAMS = 16 };

/* A limited flux of a shallow-water solver: dry cells, one-sided waves. */
static const char wave_source[] =
    "static double speed(const double *q, const double *n) {\n"
    "  if (q[0] < eps) return 0;\n"
    "  return (q[1] * n[0] + q[2] * n[1]) / q[0];\n"
    "}\n"
    "void wave(const double *ql, const double *qr, const double *n, double *out, double *fastest) "
    "{\n"
    "  double ul = speed(ql, n), ur = speed(qr, n), c = sqrt(gam * fmax(ql[0], qr[0]));\n"
    "  double sl = fmin(ul, ur) - c, sr = fmax(ul, ur) + c;\n"
    "  for (int i = 0; i < 3; i++) {\n"
    "    double f = 0.5 * (ul * ql[i] + ur * qr[i]);\n"
    "    if (sl >= 0)\n"
    "      f = ul * ql[i];\n"
    "    else if (sr <= 0)\n"
    "      f = ur * qr[i];\n"
    "    out[i] += f > 0 && ql[0] > eps ? f : -eps;\n"
    "  }\n"
    "  *fastest = fmax(*fastest, fmax(fabs(sl), fabs(sr)));\n"
    "}\n";

static op2_status generate(const char *name, const char *source, int lanes, struct op2i_text *out,
                           struct op2i_text *why) {
  bool varying[PARAMS];
  struct loop_case c;
  struct op2i_rewrite rewrite = {0};
  for (int i = 0; i < PARAMS; i++) varying[i] = true;
  op2_status status = case_begin(&c, name, source);
  case_const(&c, "gam", 1, OP2_F64);
  case_const(&c, "gm1", 1, OP2_F64);
  case_const(&c, "cfl", 1, OP2_F64);
  case_const(&c, "eps", 1, OP2_F64);
  case_const(&c, "qinf", 4, OP2_F64);
  if (!status) status = op2i_rewrite_begin(&c.loop, 0, &rewrite);
  const struct op2i_simd_request request = {
      .rewrite = &rewrite, .varying = varying, .lanes = lanes};
  if (!status) status = op2i_simd_kernel(&request, out, why, NULL);
  op2i_rewrite_end(&rewrite);
  case_end(&c);
  return status;
}

/* ---- golden files ---------------------------------------------------------------------------- */

static void translates(const char *name, const char *source, int lanes) {
  struct op2i_text text = {0}, why = {0};
  char golden[64];
  snprintf(golden, sizeof golden, "lanes-%s", name);
  op2i_simd_prelude(lanes, &text);
  CHECK(generate(name, source, lanes, &text, &why));
  ok(why.length == 0, "%s is not refused", name);
  matches_golden(text.chars, golden);
  op2i_text_free(&text);
  op2i_text_free(&why);
}

/* The first or last piece of C on the page; the text after it is cut off. */
static char *piece_of(char *page, bool last) {
  char *begin = NULL;
  for (char *at = page; (last || !begin) && (at = strstr(at, "```c\n"));)
    begin = at += strlen("```c\n");
  char *end = begin ? strstr(begin, "```") : NULL;
  if (end) *end = '\0';
  return begin;
}

/* The kernel of doc/translator.md gives the text that the page shows. */
static void test_page(void) {
  enum { MOST = 1 << 16 };
  static char first[MOST], last[MOST];
  char path[1024];
  snprintf(path, sizeof path, "%s/doc/translator.md", source_root());
  FILE *file = fopen(path, "rb");
  ok(file != NULL, "the page is there");
  if (!file) return;
  first[fread(first, 1, MOST - 1, file)] = '\0';
  fclose(file);
  memcpy(last, first, MOST);
  struct op2i_text text = {0}, why = {0};
  const char *source = piece_of(first, false), *shown = piece_of(last, true);
  CHECK(generate("upwind", source ? source : "", 4, &text, &why));
  const char *functions =
      text.chars ? strstr(text.chars, "OP2_LANES_INLINE op2_f64x4 OP2_NAME") : "";
  is_str(shown ? shown : "", functions ? functions : "", "the page shows what its kernel gives");
  op2i_text_free(&text);
  op2i_text_free(&why);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void test_memory(const char *name, const char *source) {
  struct op2i_text text = {0}, again = {0}, why = {0};
  op2i_mem_fail_at(0);
  CHECK(generate(name, source, 8, &text, &why));
  int64_t allocations = op2i_mem_fail_at(0), wrong = 0;
  CHECK(generate(name, source, 8, &again, &why));
  is_str(again.chars ? again.chars : "", text.chars ? text.chars : "",
         "%s: the same kernel gives the same text", name);
  for (int64_t n = 1; n <= allocations; n++) {
    struct op2i_text failed = {0}, reason = {0};
    op2i_mem_fail_at(n);
    wrong += generate(name, source, 8, &failed, &reason) == OP2_SUCCESS;
    op2i_text_free(&failed);
    op2i_text_free(&reason);
  }
  op2i_mem_fail_at(0);
  ok(allocations > 5, "%s: generating allocates", name);
  is_int(wrong, 0, "%s: each allocation that fails is an error", name);
  op2i_text_free(&text);
  op2i_text_free(&again);
  op2i_text_free(&why);
}

int main(void) {
  translates("adt_calc", adt_calc_kernel.source, 8);
  translates("res_calc", res_calc_kernel.source, 8);
  translates("bres_calc", bres_calc_kernel.source, 4);
  translates("update", update_kernel.source, 8);
  translates("wave", wave_source, 8);
  test_page();
  test_memory("bres_calc", bres_calc_kernel.source);
  test_memory("wave", wave_source);
  test_memory("macros",
              "#define N 4\n#define M N\nenum { A = 1, B };\ntypedef double real;\nstatic const "
              "real w[M] = {1, B};\nvoid macros(real *x) { for (int n = 0; n < N; n++) x[n] *= "
              "w[n] * A; }\n");
  return done();
}
