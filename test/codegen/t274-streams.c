/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that only go through short rows in order have rounds whose step the compiler knows, and the
 * remainder apart; dats that they overwrite and that are too large for the caches are stored past
 * these. For every size of a set around those of a round, in all forms of the code: the values of
 * plain C, and not a row behind the last one is touched. All values are small whole
 * numbers, so that sums are exact in any order. */
#include <math.h>

#include "backend.h"
#include "context.h"
#include "support.h"

OP2_KERNEL(put, (double *y), { *y = 1.25; });
OP2_KERNEL(add, (const double *x, double *y), { *y += 2 * *x; });
OP2_KERNEL(advance, (const double *old, const double *rate, double *res, double *q), {
  *q = *old - *rate * *res;
  *res = 0.0;
});
OP2_KERNEL(mix, (const float *f, const int32_t *n, double *y), { *y = *y + *f * *n; });
OP2_KERNEL(narrow, (const double *x, float *f), { *f = (float)(*x + 1); });
OP2_KERNEL(most, (const double *x, double *gain, double *high, double *sum), {
  *high = *x > *high ? *x : *high;
  *sum += *x * *gain;
  *gain = 0.0;
});

/* Rows of the halo, which direct loops leave alone, stand behind the last one. */
enum { BEHIND = 19, WORDS = 4 };

static double value(int64_t i, int word) { return (double)((i * 37 + word * 11) % 23 - 9); }

/* The rows of a set, as the loops find them. */
struct rows {
  op2_set set;
  op2_dat dat[WORDS], single, whole;
  op2_gbl high, sum;
};

static struct rows make_rows(int64_t n) {
  struct rows r = {.set = new_sections(n, n, n, n + BEHIND, "rows")};
  size_t all = (size_t)(n + BEHIND);
  double *values = scratch(all, sizeof *values);
  float *single = scratch(all, sizeof *single);
  int32_t *whole = scratch(all, sizeof *whole);
  for (int word = 0; word < WORDS; word++) {
    for (size_t i = 0; i < all; i++) values[i] = value((int64_t)i, word);
    r.dat[word] = new_dat(r.set, 1, OP2_F64, values, "values");
  }
  for (size_t i = 0; i < all; i++) {
    single[i] = (float)value((int64_t)i, 4);
    whole[i] = (int32_t)value((int64_t)i, 5);
  }
  r.single = new_dat(r.set, 1, OP2_F32, single, "single");
  r.whole = new_dat(r.set, 1, OP2_I32, whole, "whole");
  r.high = new_gbl(1, OP2_F64, (double[]){-100}, "high");
  r.sum = new_gbl(1, OP2_F64, (double[]){0.5}, "sum");
  return r;
}

static void test_writes(int64_t n) {
  struct rows r = make_rows(n);
  MUST(op2_par_loop(new_kernel(&add_kernel), r.set, op2_arg_direct(r.dat[0], OP2_READ),
                    op2_arg_direct(r.dat[1], OP2_RW)));
  MUST(op2_par_loop(new_kernel(&put_kernel), r.set, op2_arg_direct(r.dat[0], OP2_WRITE)));
  EXPECT_VALUES(double, r.dat[0], n + BEHIND, i, (i < n ? 1.25 : value(i, 0)));
  EXPECT_VALUES(double, r.dat[1], n + BEHIND, i, (value(i, 1) + (i < n ? 2 * value(i, 0) : 0)));
  MUST(op2_par_loop(new_kernel(&advance_kernel), r.set, op2_arg_direct(r.dat[1], OP2_READ),
                    op2_arg_direct(r.dat[2], OP2_READ), op2_arg_direct(r.dat[3], OP2_RW),
                    op2_arg_direct(r.dat[0], OP2_WRITE)));
  EXPECT_VALUES(double, r.dat[0], n + BEHIND, i,
                (i < n ? value(i, 1) + 2 * value(i, 0) - value(i, 2) * value(i, 3) : value(i, 0)));
  EXPECT_VALUES(double, r.dat[3], n + BEHIND, i, (i < n ? 0 : value(i, 3)));
}

static void test_types(int64_t n) {
  struct rows r = make_rows(n);
  MUST(op2_par_loop(new_kernel(&mix_kernel), r.set, op2_arg_direct(r.single, OP2_READ),
                    op2_arg_direct(r.whole, OP2_READ), op2_arg_direct(r.dat[0], OP2_RW)));
  MUST(op2_par_loop(new_kernel(&narrow_kernel), r.set, op2_arg_direct(r.dat[1], OP2_READ),
                    op2_arg_direct(r.single, OP2_WRITE)));
  EXPECT_VALUES(double, r.dat[0], n + BEHIND, i,
                (value(i, 0) + (i < n ? value(i, 4) * value(i, 5) : 0)));
  EXPECT_VALUES(float, r.single, n + BEHIND, i, (i < n ? value(i, 1) + 1 : value(i, 4)));
}

static void test_reductions(int64_t n) {
  struct rows r = make_rows(n);
  double high = -100, sum = 0.5;
  for (int64_t i = 0; i < n; i++) {
    high = fmax(high, value(i, 0));
    sum += value(i, 0) * value(i, 1);
  }
  MUST(op2_par_loop(new_kernel(&most_kernel), r.set, op2_arg_direct(r.dat[0], OP2_READ),
                    op2_arg_direct(r.dat[1], OP2_RW), op2_arg_gbl(r.high, OP2_MAX),
                    op2_arg_gbl(r.sum, OP2_INC)));
  EXPECT_GBL(double, r.high, high);
  EXPECT_GBL(double, r.sum, sum);
  EXPECT_VALUES(double, r.dat[1], n + BEHIND, i, (i < n ? 0 : value(i, 1)));
}

/* Sets of fewer than 16 elements have scalar code. */
static void every_size(int bytes) {
  static const int64_t more[] = {63, 64, 65, 127, 128, 129, 515, 1013};
  test_ctx->config.simd_bytes = bytes;
  test_ctx->config.simd_halved = false;
  for (int64_t n = 15; n <= 41; n++) test_writes(n), test_types(n), test_reductions(n);
  for (int k = 0; k < 8; k++) test_writes(more[k]), test_types(more[k]), test_reductions(more[k]);
}

/* ---- stores past the caches ------------------------------------------------------------------ */

/* Dats of doubles that begin anywhere in a cache line are stored in the usual way. */
static void test_wrapped(int64_t n) {
  op2_set set = new_set(n, "rows");
  for (int at = 0; at < 2; at++) {
    op2_dat dat;
    double *memory = scratch((size_t)n + 8, sizeof *memory);
    memory[at] = memory[at + n + 1] = -7;
    MUST(op2_dat_wrap(set, 1, OP2_F64, memory + at + 1, "wrapped", &dat));
    own_dat(dat);
    MUST(op2_par_loop(new_kernel(&put_kernel), set, op2_arg_direct(dat, OP2_WRITE)));
    EXPECT_VALUES(double, dat, n, i, 1.25);
    EXPECT(memory[at] == -7 && memory[at + n + 1] == -7);
  }
}

static void put_rows(op2_kernel put, int64_t n) {
  op2_set set = new_set(n, "rows");
  op2_dat dat = new_dat(set, 1, OP2_F64, NULL, "y");
  MUST(op2_par_loop(put, set, op2_arg_direct(dat, OP2_WRITE)));
  EXPECT_VALUES(double, dat, n, i, 1.25);
}

/* Loops that overwrite a megabyte count as larger than the caches; the last rows are no round. */
static void past_caches(int bytes) {
  enum { DOUBLES = 1 << 17, FLOATS = 1 << 18 };
  static const char words[] = "what it overwrites is larger than the caches";
  bool vectors = test_ctx->backend->variant == OP2I_VECTOR && bytes;
  test_ctx->config.simd_bytes = bytes;
  test_ctx->config.simd_halved = false;
  test_ctx->config.stream_mb = 1;
  op2_kernel put = new_kernel(&put_kernel);
  put_rows(put, DOUBLES - 1);
  EXPECT(!explains(words));
  put_rows(put, DOUBLES);
  EXPECT(explains(words) == vectors);
  test_writes(DOUBLES + 13);
  test_types(FLOATS + 3);
  test_wrapped(DOUBLES + 5);
}

static void past_64(void) { past_caches(64); }
static void past_32(void) { past_caches(32); }
static void past_16(void) { past_caches(16); }

static void never_past(void) {
  test_ctx->config.stream_mb = 0;
  test_writes(1 << 17);
  EXPECT(!explains("larger than the caches"));
}

/* ---- forms of the code ----------------------------------------------------------------------- */

static void in_64(void) { every_size(64); }
static void in_32(void) { every_size(32); }
static void in_16(void) { every_size(16); }
static void scalar(void) { every_size(0); }

int main(void) {
  static const struct test_case cases[] = {{"64 bytes", in_64},
                                           {"32 bytes", in_32},
                                           {"16 bytes", in_16},
                                           {"scalar code", scalar},
                                           {"past the caches, 64 bytes", past_64},
                                           {"past the caches, 32 bytes", past_32},
                                           {"past the caches, 16 bytes", past_16},
                                           {"never past the caches", never_past}};
  return RUN(cases, RUN_TWO_BLOCKS);
}
