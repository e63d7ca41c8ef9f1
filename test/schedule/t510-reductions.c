/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial results of blocks: their start, the tree that combines them, and what reaches the
 * global. */
#include <math.h>
#include <string.h>

#include "backend.h"
#include "loop.h"
#include "mem.h"
#include "registry.h"
#include "step.h"
#include "tap.h"

enum { DIM = 3, BLOCKS_MAX = 1030 };

static const op2_type types[] = {OP2_F64, OP2_F32, OP2_I8,  OP2_I16, OP2_I32,
                                 OP2_I64, OP2_U8,  OP2_U16, OP2_U32, OP2_U64};
static const op2_access modes[] = {OP2_INC, OP2_MIN, OP2_MAX};

static uint64_t seed = 12345;
static uint64_t draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 11;
}

/* ---- one value of any type ------------------------------------------------------------------- */

/* Reals are kept in a double (every float fits), integers in 64 bits: sign-extended if the type is
 * signed. */
union number {
  double real;
  int64_t i;
  uint64_t u;
};

static bool is_real(op2_type type) { return type == OP2_F64 || type == OP2_F32; }
static bool is_signed(op2_type type) { return type >= OP2_I8 && type <= OP2_I64; }

#define WITH_TYPE(type_, do_)                                                                      \
  switch (type_) {                                                                                 \
  case OP2_F64: do_(double, real); break;                                                          \
  case OP2_F32: do_(float, real); break;                                                           \
  case OP2_I8: do_(int8_t, i); break;                                                              \
  case OP2_I16: do_(int16_t, i); break;                                                            \
  case OP2_I32: do_(int32_t, i); break;                                                            \
  case OP2_I64: do_(int64_t, i); break;                                                            \
  case OP2_U8: do_(uint8_t, u); break;                                                             \
  case OP2_U16: do_(uint16_t, u); break;                                                           \
  case OP2_U32: do_(uint32_t, u); break;                                                           \
  case OP2_U64: do_(uint64_t, u); break;                                                           \
  }

static void put(op2_type type, void *array, int64_t index, union number n) {
#define PUT(c_, field_) ((c_ *)array)[index] = (c_)n.field_
  WITH_TYPE(type, PUT)
}

static union number get(op2_type type, const void *array, int64_t index) {
  union number n = {0};
#define GET(c_, field_) n.field_ = ((const c_ *)array)[index]
  WITH_TYPE(type, GET)
  return n;
}

/* The value rounded or wrapped to the type. */
static union number as(op2_type type, union number n) {
  _Alignas(8) unsigned char room[8];
  put(type, room, 0, n);
  return get(type, room, 0);
}

static union number random_number(op2_type type) {
  union number n = {.u = draw() << 11};
  /* The magnitudes differ widely, so that the order of additions shows. */
  if (is_real(type)) n.real = ldexp((double)(draw() % 20001) / 10000 - 1, (int)(draw() % 40));
  return as(type, n);
}

static union number both(op2_type type, op2_access mode, union number a, union number b) {
  bool less = is_real(type) ? b.real < a.real : is_signed(type) ? b.i < a.i : b.u < a.u;
  bool more = is_real(type) ? b.real > a.real : is_signed(type) ? b.i > a.i : b.u > a.u;
  if (mode == OP2_MIN) return less ? b : a;
  if (mode == OP2_MAX) return more ? b : a;
  union number sum;
  if (is_real(type))
    sum.real = a.real + b.real;
  else
    sum.u = a.u + b.u;
  return as(type, sum);
}

/* The reduction tree by its other definition: the left half has as many blocks as fit in a full
 * tree. */
static union number tree(op2_type type, op2_access mode, const union number *leaf, int64_t n) {
  if (n == 1) return leaf[0];
  int64_t left = 1;
  while (2 * left < n) left *= 2;
  return both(type, mode, tree(type, mode, leaf, left), tree(type, mode, leaf + left, n - left));
}

/* ---- a loop of three reductions: two of the same global and one READ among them -------------- */

struct fixture {
  struct op2i_loop_arg args[4];
  struct op2i_loop loop;
  struct op2i_step step;
  _Alignas(16) unsigned char values[2][DIM * 8];
  void *gbl[2];
};

static void set_up(struct fixture *f, op2_type type, op2_access mode, op2_access second) {
  memset(f, 0, sizeof *f);
  const struct op2i_loop_arg one = {.kind = OP2I_ARG_GBL,
                                    .access = mode,
                                    .type = type,
                                    .dim = DIM,
                                    .arity = 1,
                                    .dat = -1,
                                    .map = -1,
                                    .gbl = 0,
                                    .offset = 0};
  for (int a = 0; a < 4; a++) f->args[a] = one;
  f->args[1].access = OP2_READ;
  f->args[1].gbl = 1;
  f->args[1].offset = -1;
  f->args[2].offset = 32;
  f->args[3].access = second;
  f->args[3].gbl = 1;
  f->args[3].offset = 64;
  f->loop.nargs = 4;
  f->loop.args = f->args;
  f->loop.partial_bytes = 128;
  f->gbl[0] = f->values[0];
  f->gbl[1] = f->values[1];
  f->step = (struct op2i_step){.loop = &f->loop, .reduces = true, .values.gbl = f->gbl};
}

static union number leaves[4][DIM][BLOCKS_MAX];

/* Partial results of the blocks in strided order, as several workers might finish them. */
static bool fill_partials(struct fixture *f, int64_t nblocks, int64_t stride) {
  bool good = true;
  for (int64_t k = 0; k < nblocks; k++) {
    int64_t b = k * stride % nblocks;
    unsigned char *partial = f->step.values.partials + b * f->loop.partial_bytes;
    op2i_partial_init(&f->step, partial);
    for (int a = 0; a < 4; a++) {
      const struct op2i_loop_arg *arg = &f->args[a];
      if (arg->access == OP2_READ) continue;
      for (int c = 0; c < DIM; c++) {
        union number start = get(arg->type, partial + arg->offset, c);
        union number want = {0};
        if (is_real(arg->type)) want.real = -0.0;
        if (arg->access != OP2_INC) want = get(arg->type, f->gbl[arg->gbl], c);
        good &= start.u == want.u;
        put(arg->type, partial + arg->offset, c,
            both(arg->type, arg->access, start, leaves[a][c][b]));
      }
    }
  }
  return good;
}

static bool expected(const struct fixture *f, const union number before[2][DIM], int64_t nblocks) {
  bool good = true;
  for (int g = 0; g < 2; g++)
    for (int c = 0; c < DIM; c++) {
      union number want = before[g][c];
      for (int a = 0; a < 4; a++) {
        const struct op2i_loop_arg *arg = &f->args[a];
        if (arg->access != OP2_READ && arg->gbl == g)
          want = both(arg->type, arg->access, want,
                      tree(arg->type, arg->access, leaves[a][c], nblocks));
      }
      good &= get(f->args[0].type, f->gbl[g], c).u == want.u;
    }
  return good;
}

static void test_type(op2_type type, op2_access mode, op2_access second) {
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 64, 100, BLOCKS_MAX - 1};
  struct fixture f;
  bool starts = true, results = true, grouping = true;
  set_up(&f, type, mode, second);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int64_t n = sizes[i];
    union number before[2][DIM], after[2][DIM];
    memset(after, 0, sizeof after);
    for (int g = 0; g < 2; g++)
      for (int c = 0; c < DIM; c++) before[g][c] = random_number(type);
    for (int a = 0; a < 4; a++)
      for (int c = 0; c < DIM; c++)
        for (int64_t b = 0; b < n; b++) leaves[a][c][b] = random_number(type);
    static const int64_t strides[] = {1, 1031, 8191};
    for (int s = 0; s < 3; s++) {
      for (int g = 0; g < 2; g++)
        for (int c = 0; c < DIM; c++) put(type, f.gbl[g], c, before[g][c]);
      if (op2i_step_begin(&f.step, n)) return (void)ok(false, "partial results allocated");
      starts &= fill_partials(&f, n, strides[s]);
      op2i_step_combine(&f.step, n);
      op2i_step_end(&f.step);
      results &= expected(&f, before, n);
      for (int g = 0; g < 2; g++)
        for (int c = 0; c < DIM; c++) {
          union number now = get(type, f.gbl[g], c);
          grouping &= s == 0 || now.u == after[g][c].u;
          after[g][c] = now;
        }
    }
  }
  const char *t = op2i_type_name(type), *m = op2i_access_name(mode), *m2 = op2i_access_name(second);
  ok(starts, "%s %s, %s: a block starts from the mode's identity", t, m, m2);
  ok(results, "%s %s, %s: the global is what the tree over blocks gives", t, m, m2);
  ok(grouping, "%s %s, %s: in whatever order blocks ran", t, m, m2);
}

static void test_order_matters(void) {
  struct fixture f;
  set_up(&f, OP2_F64, OP2_INC, OP2_INC);
  const double values[3] = {1, 1e16, -1e16};
  CHECK(op2i_step_begin(&f.step, 3));
  for (int b = 0; b < 3; b++) {
    op2i_partial_init(&f.step, f.step.values.partials + b * 128);
    memcpy(f.step.values.partials + b * 128, &values[b], sizeof(double));
  }
  op2i_step_combine(&f.step, 3);
  double got;
  memcpy(&got, f.gbl[0], sizeof got);
  ok(got == (1.0 + 1e16) + -1e16 && got == 0, "sums are made pairwise from block 0");
  op2i_step_end(&f.step);
}

static void test_halo(void) {
  struct fixture f;
  set_up(&f, OP2_I32, OP2_INC, OP2_MAX);
  f.step.reduces = false;
  const int32_t before[3] = {5, 6, 7};
  memcpy(f.gbl[0], before, sizeof before);
  CHECK(op2i_step_begin(&f.step, 2));
  ok(f.step.values.partials != NULL, "a range whose reductions do not count has partial results");
  memset(f.step.values.partials, 1, 256);
  op2i_step_combine(&f.step, 2);
  ok(!memcmp(f.gbl[0], before, sizeof before), "which do not reach the global");
  op2i_step_end(&f.step);
  ok(!f.step.values.partials, "and are given back");
}

static void test_edges(void) {
  struct fixture f;
  set_up(&f, OP2_F64, OP2_MIN, OP2_MAX);
  op2i_mem_fail_at(1);
  ok(op2i_step_begin(&f.step, 2) == OP2_ERR_NOMEM && !f.step.values.partials, "no memory is told");
  op2i_mem_fail_at(0);
  op2i_step_end(&f.step);
  CHECK(op2i_step_begin(&f.step, 0));
  op2i_step_combine(&f.step, 0);
  double g = 0;
  memcpy(&g, f.gbl[0], sizeof g);
  ok(g == 0, "no blocks change nothing");
  op2i_step_end(&f.step);
  f.loop.partial_bytes = 0;
  f.loop.nargs = 0;
  CHECK(op2i_step_begin(&f.step, 5));
  ok(!f.step.values.partials, "a loop without reductions has no partial results");
  op2i_partial_init(&f.step, NULL);
  op2i_step_combine(&f.step, 5);
  op2i_step_end(&f.step);
}

static void test_nan(void) {
  struct fixture f;
  set_up(&f, OP2_F64, OP2_MIN, OP2_MAX);
  for (int where = 0; where < 4; where++) {
    double global = where == 3 ? NAN : 9, low;
    memcpy(f.gbl[0], &global, sizeof global);
    CHECK(op2i_step_begin(&f.step, 3));
    for (int b = 0; b < 3; b++) {
      double value = b == where ? NAN : 3 + b;
      op2i_partial_init(&f.step, f.step.values.partials + b * 128);
      memcpy(f.step.values.partials + b * 128, &value, sizeof value);
      memcpy(f.step.values.partials + b * 128 + 32, &value, sizeof value);
    }
    op2i_step_combine(&f.step, 3);
    memcpy(&low, f.gbl[0], sizeof low);
    ok(low == (where == 0 ? 4 : 3), "a NaN counts for nothing in a minimum (place %d: %g)", where,
       low);
    op2i_step_end(&f.step);
  }
}

int main(void) {
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (int m = 0; m < 3; m++) test_type(types[t], modes[m], modes[(m + 1) % 3]);
  test_order_matters();
  test_halo();
  test_edges();
  test_nan();
  return done();
}
