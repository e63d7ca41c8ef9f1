/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats: declaration, storage, copies in and out, borrowed memory. Cases C4 to C14 and S7. */
#include <string.h>

#include "support.h"

OP2_KERNEL(plus, (int32_t *x), { *x += 1; });
OP2_KERNEL(copy_f64, (double *x, const double *y), { *x = *y; });
OP2_KERNEL(wide_i8, (int64_t *s, const int8_t *x), { *s = *x; });
OP2_KERNEL(wide_i16, (int64_t *s, const int16_t *x), { *s = *x; });
OP2_KERNEL(wide_i32, (int64_t *s, const int32_t *x), { *s = *x; });
OP2_KERNEL(wide_i64, (int64_t *s, const int64_t *x), { *s = *x; });
OP2_KERNEL(wide_u8, (int64_t *s, const uint8_t *x), { *s = *x; });
OP2_KERNEL(wide_u16, (int64_t *s, const uint16_t *x), { *s = *x; });
OP2_KERNEL(wide_u32, (int64_t *s, const uint32_t *x), { *s = *x; });
OP2_KERNEL(wide_u64, (int64_t *s, const uint64_t *x), { *s = (int64_t)*x; });
OP2_KERNEL(wide_f32, (int64_t *s, const float *x), { *s = (int64_t)*x; });
OP2_KERNEL(wide_f64, (int64_t *s, const double *x), { *s = (int64_t)*x; });

/* C4, C5: a dat without data is zero, and has no storage before it is accessed. */
static void no_data(void) {
  op2_set set = new_sections(2, 3, 4, 6, "cells");
  op2_dat x = new_dat(set, 2, OP2_F64, NULL, "x"),
          y = new_dat(set, 2, OP2_F64, (double[12]){0}, "y");
  double all[12];
  EXPECT(!op2_dat_allocated(x));
  EXPECT(op2_dat_allocated(y));
  EXPECT(!op2_dat_allocated(NULL));
  memset(all, 0xff, sizeof all);
  MUST(op2_dat_get_halo(x, all));
  EXPECT(op2_dat_allocated(x));
  for (int i = 0; i < 12; i++) EXPECT(all[i] == 0);
}

static void owned_and_halo(void) {
  op2_set set = new_sections(1, 3, 4, 5, "cells");
  int32_t data[10], got[10];
  for (int i = 0; i < 10; i++) data[i] = i;
  op2_dat x = new_dat(set, 2, OP2_I32, data, "x");
  data[0] = 99; /* the dat has a copy */
  memset(got, 0x11, sizeof got);
  MUST(op2_dat_get(x, got));
  for (int i = 0; i < 6; i++) EXPECT(got[i] == i);
  EXPECT(got[6] == 0x11111111); /* owned values only */
  const int32_t next[6] = {10, 11, 12, 13, 14, 15};
  MUST(op2_dat_set(x, next));
  EXPECT_VALUES(int32_t, x, 10, i, (i < 6 ? 10 + i : i));
  for (int i = 0; i < 10; i++) data[i] = -i;
  MUST(op2_dat_set_halo(x, data));
  MUST(op2_dat_get_halo(x, got));
  EXPECT(memcmp(got, data, sizeof got) == 0);
}

/* Get and set take part in the order of the queue. */
static void set_between_loops(void) {
  op2_set set = new_set(4, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, (int32_t[]){0, 1, 2, 3}, "x");
  op2_kernel k = new_kernel(&plus_kernel);
  int32_t got[4];
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
  MUST(op2_dat_get(x, got));
  EXPECT(got[0] == 1 && got[3] == 4);
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
  MUST(op2_dat_set(x, (int32_t[]){10, 20, 30, 40}));
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
  EXPECT_VALUES(int32_t, x, 4, i, 10 * (i + 1) + 1);
}

enum { OWNED = 6, ROWS = 11, TURNS = 60 };

struct turns {
  op2_set cells, edges;
  op2_map each;
  op2_dat x;
  op2_kernel plus;
  int32_t want[ROWS];
};

/* Access by loops over the owned rows or over all rows, and by the host in each way. */
static void take_turn(struct turns *t, int way, int32_t value) {
  int32_t values[ROWS];
  void *w = NULL;
  const int rows = way == 0 || way == 2 || way == 4 ? OWNED : ROWS;
  for (int i = 0; i < ROWS; i++) values[i] = value + i;
  switch (way) {
  case 0: MUST(op2_par_loop(t->plus, t->cells, op2_arg_direct(t->x, OP2_RW))); break;
  case 1: MUST(op2_par_loop(t->plus, t->edges, op2_arg_dat(t->x, 0, t->each, OP2_INC))); break;
  case 2: MUST(op2_dat_get(t->x, values)); break;
  case 3: MUST(op2_dat_get_halo(t->x, values)); break;
  case 4: MUST(op2_dat_set(t->x, values)); break;
  case 5: MUST(op2_dat_set_halo(t->x, values)); break;
  case 6:
    MUST(op2_dat_write_begin(t->x, &w));
    ((int32_t *)w)[ROWS - 1] -= 3;
    t->want[ROWS - 1] -= 3;
    MUST(op2_dat_write_end(t->x, &w));
    break;
  default: EXPECT_VALUES(int32_t, t->x, ROWS, i, t->want[i]);
  }
  for (int i = 0; i < rows && way < 2; i++) t->want[i]++;
  for (int i = 0; i < rows && (way == 2 || way == 3); i++) EXPECT(values[i] == t->want[i]);
  for (int i = 0; i < rows && (way == 4 || way == 5); i++) t->want[i] = values[i];
}

/* Any access finds the values of the last change, by a loop or by the host. */
static void in_turn(void) {
  enum { WAYS = 8 };
  for (uint64_t seed = 1; seed <= 6; seed++) {
    struct turns t = {.cells = new_sections(2, OWNED, 8, ROWS, "cells"),
                      .edges = new_set(ROWS, "edges"),
                      .plus = new_kernel(&plus_kernel)};
    uint64_t state = seed;
    int32_t rows[ROWS], *memory = scratch(ROWS, sizeof *memory);
    for (int i = 0; i < ROWS; i++) rows[i] = memory[i] = t.want[i] = i;
    t.each = new_map(t.edges, t.cells, 1, rows, "each");
    MUST(op2_dat_wrap(t.cells, 1, OP2_I32, memory, "x", &t.x));
    for (int n = 0; n < TURNS; n++) take_turn(&t, draw_below(&state, WAYS), 100 * n);
    take_turn(&t, 1, 0);
    op2_dat_destroy(&t.x);
    MUST(op2_flush(test_ctx));
    EXPECT(memcmp(memory, t.want, sizeof t.want) == 0);
  }
}

/* Every type goes in, through a kernel and out. */
static void types(void) {
  static const struct {
    op2_type type;
    int size;
    const op2_kernel_desc *desc;
    int64_t least;
  } all[] = {{OP2_F64, 8, &wide_f64_kernel, -5},         {OP2_F32, 4, &wide_f32_kernel, -5},
             {OP2_I8, 1, &wide_i8_kernel, -128},         {OP2_I16, 2, &wide_i16_kernel, -32768},
             {OP2_I32, 4, &wide_i32_kernel, INT32_MIN},  {OP2_I64, 8, &wide_i64_kernel, INT64_MIN},
             {OP2_U8, 1, &wide_u8_kernel, 255},          {OP2_U16, 2, &wide_u16_kernel, 65535},
             {OP2_U32, 4, &wide_u32_kernel, UINT32_MAX}, {OP2_U64, 8, &wide_u64_kernel, INT64_MAX}};
  op2_set set = new_set(3, "cells");
  for (size_t t = 0; t < sizeof all / sizeof all[0]; t++) {
    const int64_t values[3] = {all[t].least, 1, 100};
    unsigned char data[24], got[24];
    for (int i = 0; i < 3; i++) {
      unsigned char *at = data + i * all[t].size;
      const double d = (double)values[i];
      const float f = (float)values[i];
      /* Little-endian: the low bytes of an integer are the narrower integer. */
      memcpy(at,
             all[t].type == OP2_F64   ? (const void *)&d
             : all[t].type == OP2_F32 ? (const void *)&f
                                      : &values[i],
             (size_t)all[t].size);
    }
    op2_dat x = new_dat(set, 1, all[t].type, data, "x"), s = new_dat(set, 1, OP2_I64, NULL, "s");
    MUST(op2_par_loop(new_kernel(all[t].desc), set, op2_arg_direct(s, OP2_WRITE),
                      op2_arg_direct(x, OP2_READ)));
    EXPECT_VALUES(int64_t, s, 3, i, values[i]);
    MUST(op2_dat_get(x, got));
    EXPECT(memcmp(got, data, (size_t)(3 * all[t].size)) == 0);
  }
}

static void refused(void) {
  op2_set set = new_set(4, "cells"), sub = new_subset(set, 1, (int64_t[]){1}, "one cell");
  op2_dat dat = NULL;
  double values[5];
  REFUSED(OP2_ERR_ARG, op2_dat_create(set, 0, OP2_F64, NULL, "pressure", &dat), "pressure", "0");
  REFUSED(OP2_ERR_ARG, op2_dat_create(set, -3, OP2_F64, NULL, "pressure", &dat), "pressure", "-3");
  REFUSED(OP2_ERR_TYPE, op2_dat_create(set, 1, (op2_type)0, NULL, "pressure", &dat), "pressure");
  REFUSED(OP2_ERR_TYPE, op2_dat_create(set, 1, (op2_type)77, NULL, "pressure", &dat), "pressure",
          "77");
  REFUSED(OP2_ERR_ARG, op2_dat_create(sub, 1, OP2_F64, NULL, "pressure", &dat), "pressure",
          "one cell");
  REFUSED(OP2_ERR_ARG, op2_dat_create(NULL, 1, OP2_F64, NULL, "pressure", &dat));
  REFUSED(OP2_ERR_ARG, op2_dat_create(set, 1, OP2_F64, NULL, "pressure", NULL));
  REFUSED(OP2_ERR_ARG, op2_dat_wrap(set, 1, OP2_F64, NULL, "pressure", &dat), "pressure");
  REFUSED(OP2_ERR_ARG, op2_dat_wrap(set, 1, OP2_F64, (char *)values + 4, "pressure", &dat),
          "pressure", "align");
  EXPECT(dat == NULL);
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  REFUSED(OP2_ERR_ARG, op2_dat_get(x, NULL), "x");
  REFUSED(OP2_ERR_ARG, op2_dat_set(x, NULL), "x");
  REFUSED(OP2_ERR_ARG, op2_dat_get(NULL, values));
  REFUSED(OP2_ERR_ARG, op2_dat_set(NULL, values));
  REFUSED(OP2_ERR_ARG, op2_dat_get_halo(NULL, values));
  REFUSED(OP2_ERR_ARG, op2_dat_set_halo(NULL, values));
}

static void wrapped(void) {
  op2_set set = new_set(4, "cells");
  int32_t *memory = scratch(8, sizeof *memory);
  op2_dat x = NULL, y = NULL;
  for (int i = 0; i < 8; i++) memory[i] = i;
  MUST(op2_dat_wrap(set, 1, OP2_I32, memory, "x", &x));
  REFUSED(OP2_ERR_ARG, op2_dat_wrap(set, 1, OP2_I32, memory + 3, "y", &y), "y", "x");
  REFUSED(OP2_ERR_ARG, op2_dat_wrap(set, 2, OP2_I32, memory, "y", &y), "y", "x");
  MUST(op2_dat_wrap(set, 1, OP2_I32, memory + 4, "y", &y));
  op2_kernel k = new_kernel(&plus_kernel);
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
  MUST(op2_par_loop(k, set, op2_arg_direct(y, OP2_RW)));
  const void *at = NULL;
  MUST(op2_dat_read_begin(x, &at));
  EXPECT(at == memory && memory[0] == 1 && memory[3] == 4);
  MUST(op2_dat_read_end(x, &at));
  op2_dat_destroy(&y); /* its loop may still be queued */
  MUST(op2_flush(test_ctx));
  EXPECT(memory[4] == 5 && memory[7] == 8);
  op2_dat_destroy(&x);
  MUST(op2_dat_wrap(set, 2, OP2_I32, memory, "z", &x)); /* the old dat no longer borrows the
                                                         * memory */
  op2_dat_destroy(&x);
}

/* Two dats never share values, whatever their names. */
static void same_name(void) {
  op2_set set = new_set(3, "cells");
  op2_dat a = new_dat(set, 1, OP2_F64, (double[]){1, 2, 3}, "u"),
          b = new_dat(set, 1, OP2_F64, NULL, "u");
  op2_dat c = new_dat(set, 1, OP2_F64, NULL, NULL);
  op2_kernel k = new_kernel(&copy_f64_kernel);
  MUST(op2_par_loop(k, set, op2_arg_direct(b, OP2_WRITE), op2_arg_direct(a, OP2_READ)));
  MUST(op2_par_loop(k, set, op2_arg_direct(c, OP2_WRITE), op2_arg_direct(b, OP2_READ)));
  MUST(op2_dat_set(a, (double[]){-1, -1, -1}));
  EXPECT_VALUES(double, b, 3, i, i + 1);
  EXPECT_VALUES(double, c, 3, i, i + 1);
  EXPECT_VALUES(double, a, 3, i, -1);
}

/* Destroying handles while work is pending does not affect the queued loops. */
static void destroyed_while_queued(void) {
  op2_set set = new_set(3, "cells");
  op2_dat a = NULL, b = new_dat(set, 1, OP2_F64, NULL, "b"),
          out = new_dat(set, 1, OP2_F64, NULL, "out");
  op2_kernel k = NULL;
  MUST(op2_kernel_create(test_ctx, &copy_f64_kernel, &k));
  MUST(op2_dat_create(set, 1, OP2_F64, (double[]){4, 5, 6}, "a", &a));
  MUST(op2_par_loop(k, set, op2_arg_direct(b, OP2_WRITE), op2_arg_direct(a, OP2_READ)));
  op2_dat_destroy(&a);
  disown(b);
  MUST(op2_par_loop(k, set, op2_arg_direct(out, OP2_WRITE), op2_arg_direct(b, OP2_READ)));
  op2_dat_destroy(&b);
  op2_kernel_destroy(&k);
  EXPECT(!a && !b && !k);
  EXPECT_VALUES(double, out, 3, i, 4 + i);
}

static const struct test_case cases[] = {
    {"C4 C5 dats without data", no_data},
    {"C7 S7 owned and halo values", owned_and_halo},
    {"dat_set and dat_get between loops", set_between_loops},
    {"the host and loops in turn", in_turn},
    {"all types", types},
    {"dats that are refused", refused},
    {"wrapped memory", wrapped},
    {"dats of one name", same_name},
    {"dats and kernels destroyed while queued", destroyed_while_queued},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
