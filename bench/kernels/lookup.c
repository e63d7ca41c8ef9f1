/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops with integers: tables by material, rows of differing length, keys and flags. */
#include <math.h>

#include "columns.h"
#include "common/lanes.h"
#include "kernels.h"

/* ---- a table for each material --------------------------------------------------------------- */

enum { MATERIALS = 8, POINTS = 32 };

OP2_KERNEL(lookup, (const double *table, const int *material, const double *x, double *y), {
  const double *t = table + 32 * *material;
  double at = *x * 31.0;
  int k = (int)at;
  if (k > 30) k = 30;
  double f = at - k;
  *y = t[k] + f * (t[k + 1] - t[k]);
});

static double material(const problem *p, int64_t i, int k) {
  return floor(MATERIALS * (problem_mixed(p, i, k) - 0.5));
}

static double fraction(const problem *p, int64_t i, int k) { return problem_mixed(p, i, k) - 0.5; }

static void make_lookup(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_global(p, MATERIALS * POINTS, OP2_F64, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_I32, READ, material);
  problem_dat_add(p, 0, 1, OP2_F64, READ, fraction);
  problem_dat_add(p, 0, 1, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_lookup(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_gbl(o->gbl[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_READ),
                      op2_arg_direct(o->dat[3], OP2_WRITE));
}

WHOLE static void lookup_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, t, 0);
  FIELD(const int32_t, m, 1);
  FIELD(const double, x, 2);
  FIELD(double, y, 3);
  for (int64_t i = first; i < last; i++) lookup(t, m + i, x + i, y + i);
}

WHOLE static void lookup_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, t, 0);
  FIELD(const int32_t, m, 1);
  FIELD(const double, x, 2);
  FIELD(double, y, 3);
#pragma omp simd
  for (int64_t i = first; i < last; i++) {
    const double at = x[i] * 31.0;
    int k = (int)at;
    k = k > 30 ? 30 : k;
    const double low = t[32 * m[i] + k], high = t[32 * m[i] + k + 1];
    y[i] = low + (at - k) * (high - low);
  }
}

const yardstick yardstick_table = {
    .name = "table",
    .what = "interpolation in the table of a material",
    .make = make_lookup,
    .kernel = {&lookup_kernel},
    .queue = queue_lookup,
    .flops = 6,
    .twins = {{"scalar", 1, {{lookup_scalar, 0, 0}}}, {"simd", 1, {{lookup_simd, 0, 0}}}},
};

/* ---- rows of up to six neighbours ------------------------------------------------------------ */

OP2_KERNEL(ragged,
           (const int *there, const double *weight, const double *u, const double *near[6],
            double *r),
           {
             double sum = 0;
             for (int k = 0; k < 6; k++) {
               if (there[k] < 0) continue;
               sum += weight[k] * (near[k][0] - u[0]);
             }
             *r = sum;
           });

/* Points have a neighbour in each of six directions that stays on the grid; the rows of others lead
 * to the point itself. Returns the neighbour, or -1. */
static int64_t neighbour(const problem *p, int64_t i, int k) {
  const int64_t w = p->points[0], h = p->points[1];
  static const int dx[6] = {1, -1, 0, 0, 1, -1}, dy[6] = {0, 0, 1, -1, 1, -1};
  const int64_t x = i % w + dx[k], y = i / w + dy[k];
  return x < 0 || x >= w || y < 0 || y >= h || (i * 7 + k) % 5 == 0 ? -1 : y * w + x;
}

static double is_there(const problem *p, int64_t i, int k) {
  return neighbour(p, i, k) < 0 ? -1 : 1;
}

static void make_ragged(problem *p, int64_t n) {
  p->points[0] = p->points[1] = (int64_t)llround(sqrt((double)n));
  problem_set(p, p->points[0] * p->points[1]);
  int32_t *rows = problem_map_rows(p, 0, 0, 6);
  for (int64_t i = 0; rows && i < p->size[0]; i++)
    for (int k = 0; k < 6; k++) {
      const int64_t to = neighbour(p, i, k);
      rows[6 * i + k] = (int32_t)(to < 0 ? i : to);
    }
  problem_dat_add(p, 0, 6, OP2_I32, READ, is_there);
  problem_dat_add(p, 0, 6, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_ragged(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_READ),
                      op2_arg_dat(o->dat[2], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_direct(o->dat[3], OP2_WRITE));
}

WHOLE static void ragged_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const int32_t, there, 0);
  FIELD(const double, weight, 1);
  FIELD(const double, u, 2);
  FIELD(double, r, 3);
  ROWS(near, 0);
  for (int64_t i = first; i < last; i++) {
    double sum = 0;
    for (int k = 0; k < 6; k++)
      if (there[6 * i + k] >= 0) sum += weight[6 * i + k] * (u[near[6 * i + k]] - u[i]);
    r[i] = sum;
  }
}

static inline double ragged_column(int32_t (*there)[BLOCK], const column *weight,
                                   const column *near, double u, int e) {
  double sum = 0;
  for (int k = 0; k < 6; k++) {
    const double part = weight[k][e] * (near[k][e] - u);
    sum += there[k][e] >= 0 ? part : 0;
  }
  return sum;
}

WHOLE static void ragged_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const int32_t, there, 0);
  FIELD(const double, weight, 1);
  FIELD(const double, u, 2);
  FIELD(double, r, 3);
  ROWS(near, 0);
  column w[6], around[6];
  int32_t is[6][BLOCK];
  int64_t i = first;
  for (; i + BLOCK <= last; i += BLOCK) {
    columns_load(weight + 6 * i, 6, w);
    columns_gather(u, 1, near + 6 * i, 6, around);
    for (int e = 0; e < BLOCK; e++)
      for (int k = 0; k < 6; k++) is[k][e] = there[6 * (i + e) + k];
#pragma omp simd
    for (int e = 0; e < BLOCK; e++) r[i + e] = ragged_column(is, w, around, u[i + e], e);
  }
  ragged_scalar(a, i, last);
}

const yardstick yardstick_ragged = {
    .name = "ragged",
    .what = "sums over up to six neighbours, by continue",
    .make = make_ragged,
    .kernel = {&ragged_kernel},
    .queue = queue_ragged,
    .flops = 13,
    .twins = {{"scalar", 1, {{ragged_scalar, 0, 0}}}, {"simd", 1, {{ragged_simd, 0, 0}}}},
};

/* ---- keys ------------------------------------------------------------------------------------ */

OP2_KERNEL(hash, (const uint32_t *x, const uint32_t *flags, uint32_t *key), {
  uint32_t a = x[0] & 0xffffu;
  uint32_t b = x[1] & 0xffffu;
  a = (a | a << 8) & 0x00ff00ffu;
  a = (a | a << 4) & 0x0f0f0f0fu;
  a = (a | a << 2) & 0x33333333u;
  a = (a | a << 1) & 0x55555555u;
  b = (b | b << 8) & 0x00ff00ffu;
  b = (b | b << 4) & 0x0f0f0f0fu;
  b = (b | b << 2) & 0x33333333u;
  b = (b | b << 1) & 0x55555555u;
  uint32_t h = a | b << 1;
  if (*flags & 4u) h ^= *flags >> 3;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  *key = h;
});

static double word(const problem *p, int64_t i, int k) {
  return floor(4294967295.0 * (problem_mixed(p, i, k) - 0.5));
}

static void make_hash(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 2, OP2_U32, READ, word);
  problem_dat_add(p, 0, 1, OP2_U32, READ, word);
  problem_dat_add(p, 0, 1, OP2_U32, WRITTEN, problem_zero);
}

static op2_status queue_hash(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_WRITE));
}

WHOLE static void hash_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const uint32_t, x, 0);
  FIELD(const uint32_t, flags, 1);
  FIELD(uint32_t, key, 2);
  for (int64_t i = first; i < last; i++) hash(x + 2 * i, flags + i, key + i);
}

WHOLE static void hash_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const uint32_t, x, 0);
  FIELD(const uint32_t, flags, 1);
  FIELD(uint32_t, key, 2);
#pragma omp simd
  for (int64_t i = first; i < last; i++) hash(x + 2 * i, flags + i, key + i);
}

static inline lanes_u32 spread(lanes_u32 a) {
  a &= 0xffffu;
  a = (a | a << 8) & 0x00ff00ffu;
  a = (a | a << 4) & 0x0f0f0f0fu;
  a = (a | a << 2) & 0x33333333u;
  return (a | a << 1) & 0x55555555u;
}

WHOLE static void hash_lanes(const arrays *a, int64_t first, int64_t last) {
  FIELD(const uint32_t, x, 0);
  FIELD(const uint32_t, flags, 1);
  FIELD(uint32_t, key, 2);
  int64_t i = first;
  for (; i + LANES32 <= last; i += LANES32) {
    const lanes_u32 flag = lanes_load_u32(flags + i);
    lanes_u32 low, high;
    lanes_load_pairs_u32(x + 2 * i, &low, &high);
    lanes_u32 h = spread(low) | spread(high) << 1;
    h ^= (lanes_u32)((flag & 4u) != 0) & flag >> 3;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    lanes_store_u32(key + i, h);
  }
  hash_scalar(a, i, last);
}

const yardstick yardstick_hash = {
    .name = "hash",
    .what = "Morton keys, flags and a hash, in 32-bit integers",
    .make = make_hash,
    .kernel = {&hash_kernel},
    .queue = queue_hash,
    .flops = 40,
    .twins = {{"scalar", 1, {{hash_scalar, 0, 0}}},
              {"simd", 1, {{hash_simd, 0, 0}}},
              {"lanes", 1, {{hash_lanes, 0, 0}}}},
};
