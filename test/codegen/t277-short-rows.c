/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of two or three values that lie one behind the other are loaded and stored as whole vectors.
 * For each type and for sizes of sets around those of a batch, in all forms of the code: the values
 * of plain C, and no row behind the last one is touched. All values are small whole numbers. */
#include <string.h>

#include "backend.h"
#include "context.h"
#include "loop.h"
#include "support.h"

/* Rows of the halo, which direct loops leave alone, stand behind the last one. */
enum { BEHIND = 19, LONGEST = 70 };

static int64_t value(int64_t i, int dat) { return (i * 37 + dat * 11) % 23; }

/* Each component has a factor of its own, so that none can be taken for another. */
#define KERNELS(name, type, dim)                                                                   \
  OP2_KERNEL(mix_##name, (const type *x, type *y, type *z), {                                      \
    for (int k = 0; k < dim; k++) {                                                                \
      y[k] = (type)(x[(k + 1) % dim] * (k + 2));                                                   \
      z[k] = (type)(z[k] + x[k] * (3 * k + 1));                                                    \
    }                                                                                              \
  });                                                                                              \
  OP2_KERNEL(sum_##name, (const type *x, const type *y, type *s), {                                \
    for (int k = 0; k < dim; k++) *s = (type)(*s + x[k] * (5 * k + 1) + y[dim - 1 - k]);           \
  });

/* Queue both kernels on rows of that type, and compare all values with those of plain C. */
#define TEST(name, type, element, dim)                                                             \
  static op2_dat dat_##name(op2_set set, int width, int number, int64_t n) {                       \
    type values[3 * (LONGEST + BEHIND)];                                                           \
    for (int64_t i = 0; i < width * (n + BEHIND); i++) values[i] = (type)value(i, number);         \
    return new_dat(set, width, element, values, "values");                                         \
  }                                                                                                \
  static void test_##name(int64_t n) {                                                             \
    op2_set set = new_sections(n, n, n, n + BEHIND, "rows");                                       \
    op2_dat x = dat_##name(set, dim, 0, n), y = dat_##name(set, dim, 1, n);                        \
    op2_dat z = dat_##name(set, dim, 2, n), s = dat_##name(set, 1, 3, n);                          \
    MUST(op2_par_loop(new_kernel(&mix_##name##_kernel), set, op2_arg_direct(x, OP2_READ),          \
                      op2_arg_direct(y, OP2_WRITE), op2_arg_direct(z, OP2_RW)));                   \
    MUST(op2_par_loop(new_kernel(&sum_##name##_kernel), set, op2_arg_direct(x, OP2_READ),          \
                      op2_arg_direct(z, OP2_READ), op2_arg_direct(s, OP2_INC)));                   \
    EXPECT_VALUES(type, x, dim *(n + BEHIND), i, value(i, 0));                                     \
    EXPECT_VALUES(type, y, dim *(n + BEHIND), i,                                                   \
                  (i < dim * n ? value(i - i % dim + (i % dim + 1) % dim, 0) * (i % dim + 2)       \
                               : value(i, 1)));                                                    \
    EXPECT_VALUES(type, z, dim *(n + BEHIND), i,                                                   \
                  (value(i, 2) + (i < dim * n ? value(i, 0) * (3 * (i % dim) + 1) : 0)));          \
    EXPECT_VALUES(type, s, n + BEHIND, i, (value(i, 3) + (i < n ? sum_of(i, dim) : 0)));           \
  }

/* Returns what the second kernel adds up for an element. */
static int64_t sum_of(int64_t element, int dim) {
  int64_t sum = 0;
  for (int k = 0; k < dim; k++) {
    const int64_t x = element * dim + k, z = element * dim + dim - 1 - k;
    sum += value(x, 0) * (5 * k + 1) + value(z, 2) + value(z, 0) * (3 * (dim - 1 - k) + 1);
  }
  return sum;
}

KERNELS(f64_2, double, 2)
KERNELS(f64_3, double, 3)
KERNELS(f32_2, float, 2)
KERNELS(f32_3, float, 3)
KERNELS(i32_2, int32_t, 2)
KERNELS(u32_3, uint32_t, 3)
KERNELS(i64_2, int64_t, 2)
KERNELS(i64_3, int64_t, 3)
KERNELS(i16_2, int16_t, 2)
TEST(f64_2, double, OP2_F64, 2)
TEST(f64_3, double, OP2_F64, 3)
TEST(f32_2, float, OP2_F32, 2)
TEST(f32_3, float, OP2_F32, 3)
TEST(i32_2, int32_t, OP2_I32, 2)
TEST(u32_3, uint32_t, OP2_U32, 3)
TEST(i64_2, int64_t, OP2_I64, 2)
TEST(i64_3, int64_t, OP2_I64, 3)
TEST(i16_2, int16_t, OP2_I16, 2)

static void all_types(int64_t n) {
  test_f64_2(n);
  test_f64_3(n);
  test_f32_2(n);
  test_f32_3(n);
  test_i32_2(n);
  test_u32_3(n);
  test_i64_2(n);
  test_i64_3(n);
  test_i16_2(n);
}

/* ---- forms of the code ----------------------------------------------------------------------- */

/* Returns true if the text of the last loop with that name has these words. */
static bool has_text(const char *name, const char *words) {
  const char *text = NULL;
  for (const struct op2i_loop *loop = test_ctx->loops->first; loop; loop = loop->entry.next)
    if (!strcmp(op2i_loop_name(loop), name)) text = loop->code.source[OP2I_VECTOR];
  return text && strstr(text, words);
}

/* Sets of fewer than 16 elements have scalar code. */
static void every_size(int bytes) {
  test_ctx->config.simd_bytes = bytes;
  test_ctx->config.simd_halved = false;
  test_ctx->config.fuse = 0;
  for (int64_t n = 15; n <= LONGEST; n += n < 34 ? 1 : 9) all_types(n);
  if (test_ctx->backend->variant != OP2I_VECTOR) return;
  EXPECT(has_text("mix_f64_2", "op2_load2_f64x8(op2_view0, op2_rows0)") == (bytes == 64));
  EXPECT(has_text("mix_f64_3", "op2_store3_f64x8(op2_view1, op2_rows1)") == (bytes == 64));
  EXPECT(has_text("mix_i32_2", "op2_load2_i32x8") == (bytes == 32));
  EXPECT(has_text("mix_u32_3", "op2_load3_u32x16") == (bytes == 64));
}

static void in_64(void) { every_size(64); }
static void in_32(void) { every_size(32); }
static void in_16(void) { every_size(16); }
static void scalar(void) { every_size(0); }

int main(void) {
  static const struct test_case cases[] = {
      {"64 bytes", in_64}, {"32 bytes", in_32}, {"16 bytes", in_16}, {"scalar code", scalar}};
  return RUN(cases, 0);
}
