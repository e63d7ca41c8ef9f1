/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double gain = 0.7; /* what the C compiler sees; kernels get the constant of this name */

OP2_KERNEL(flow_save, (const double *q, double *old), {
  for (int i = 0; i < 4; i++) old[i] = q[i];
});
OP2_KERNEL(flow_step, (const double *q, double *dt), {
  double size = 0.01 / (1.0 + q[0] * q[0] + q[1] * q[1]);
  *dt = fmin(*dt, size);
});
OP2_KERNEL(flow_flux, (const double *a, const double *b, double *left, double *right), {
  double f[4];
  for (int i = 0; i < 4; i++) {
    f[i] = gain * (a[i] - b[i]) + 0.3 * a[(i + 1) % 4] * b[(i + 3) % 4];
    left[i] += f[i];
    right[i] -= f[i];
  }
});
OP2_KERNEL(flow_update, (const double *old, double *q, double *res, const double *dt, double *rms),
           {
             for (int i = 0; i < 4; i++) {
               double change = *dt * res[i];
               q[i] = old[i] - change;
               res[i] = 0;
               *rms += change * change;
             }
           });

OP2_KERNEL(flow_mark, (double *old), { *old = 0.5 * *old + 1; });

static uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* A permutation of n numbers: that of 0, 1, ... unless `scattered`. */
static int64_t *permutation(int64_t n, bool scattered) {
  int64_t *to = malloc((size_t)n * sizeof *to);
  for (int64_t i = 0; to && i < n; i++) to[i] = i;
  for (int64_t i = n - 1; to && scattered && i > 0; i--) {
    const int64_t other = (int64_t)(scramble((uint64_t)i) % (uint64_t)(i + 1)), kept = to[i];
    to[i] = to[other];
    to[other] = kept;
  }
  return to;
}

/* This rank's block of n elements. */
static void block(op2_context ctx, int64_t n, int64_t *first, int64_t *count) {
  const int64_t rank = op2_rank(ctx), ranks = op2_ranks(ctx), end = n * (rank + 1) / ranks;
  *first = n * rank / ranks;
  *count = end - *first;
}

static op2_status declare_mesh(struct flow *flow, bool scattered) {
  const int64_t side = flow->side, n = side * side, across = side * (side - 1), m = 2 * across;
  int64_t *cell = permutation(n, scattered), *edge = permutation(m, true), first, count;
  int64_t *ends = malloc((size_t)m * 2 * sizeof *ends);
  op2_status status = cell && edge && ends ? OP2_SUCCESS : OP2_ERR_NOMEM;
  for (int64_t e = 0; !status && e < m; e++) {
    const int64_t k = edge[e] % across, line = k / (side - 1), at = k % (side - 1);
    const bool right = edge[e] < across;
    ends[2 * e] = cell[right ? line * side + at : at * side + line];
    ends[2 * e + 1] = cell[right ? line * side + at + 1 : (at + 1) * side + line];
  }
  block(flow->ctx, n, &first, &count);
  if (!status) status = op2_set_create(flow->ctx, count, "cells", &flow->cells);
  block(flow->ctx, m, &first, &count);
  if (!status) status = op2_set_create(flow->ctx, count, "edges", &flow->edges);
  if (!status)
    status =
        op2_map_create_global(flow->edges, flow->cells, 2, ends + 2 * first, "ends", &flow->ends);
  free(cell);
  free(edge);
  free(ends);
  return status;
}

static op2_status declare_values(struct flow *flow) {
  const double one = 1, none = 0;
  int64_t first, count;
  block(flow->ctx, (int64_t)flow->side * flow->side, &first, &count);
  double *q = malloc((size_t)count * FLOW_DIM * sizeof *q + 1);
  op2_status status = q ? OP2_SUCCESS : OP2_ERR_NOMEM;
  for (int64_t i = 0; q && i < count * FLOW_DIM; i++)
    q[i] = (double)(scramble((uint64_t)(first * FLOW_DIM + i)) >> 11) * 0x1p-53;
  if (!status) status = op2_dat_create(flow->cells, FLOW_DIM, OP2_F64, q, "q", &flow->q);
  if (!status) status = op2_dat_create(flow->cells, FLOW_DIM, OP2_F64, NULL, "old", &flow->old);
  if (!status) status = op2_dat_create(flow->cells, FLOW_DIM, OP2_F64, NULL, "res", &flow->res);
  if (!status) status = op2_dat_create(flow->edges, 1, OP2_U8, NULL, "flags", &flow->flags);
  if (!status) status = op2_gbl_create(flow->ctx, 1, OP2_F64, &one, "dt", &flow->dt);
  if (!status) status = op2_gbl_create(flow->ctx, 1, OP2_F64, &none, "rms", &flow->rms);
  if (!status) status = op2_const_create(flow->ctx, 1, OP2_F64, &gain, "gain", &flow->gain);
  free(q);
  return status;
}

op2_status flow_declare(op2_context ctx, int side, bool scattered, struct flow *flow) {
  *flow = (struct flow){.ctx = ctx, .side = side};
  op2_status status = declare_mesh(flow, scattered);
  if (!status) status = declare_values(flow);
  if (!status) status = op2_kernel_create(ctx, &flow_save_kernel, &flow->save);
  if (!status) status = op2_kernel_create(ctx, &flow_step_kernel, &flow->step);
  if (!status) status = op2_kernel_create(ctx, &flow_flux_kernel, &flow->flux);
  if (!status) status = op2_kernel_create(ctx, &flow_update_kernel, &flow->update);
  if (!status) status = op2_kernel_create(ctx, &flow_mark_kernel, &flow->mark);
  return status ? status : op2_partition(ctx, NULL, NULL);
}

void flow_destroy(struct flow *flow) {
  op2_dat_destroy(&flow->q);
  op2_dat_destroy(&flow->old);
  op2_dat_destroy(&flow->res);
  op2_dat_destroy(&flow->flags);
  op2_gbl_destroy(&flow->dt);
  op2_gbl_destroy(&flow->rms);
  op2_const_destroy(&flow->gain);
  op2_kernel_destroy(&flow->save);
  op2_kernel_destroy(&flow->step);
  op2_kernel_destroy(&flow->flux);
  op2_kernel_destroy(&flow->update);
  op2_kernel_destroy(&flow->mark);
  op2_map_destroy(&flow->ends);
  op2_set_destroy(&flow->edges);
  op2_set_destroy(&flow->cells);
}

op2_status flow_checkpoint(struct flow *flow, const char *path,
                           const op2_checkpoint_options *options, op2_checkpoint *ck) {
  op2_status status = op2_checkpoint_create(flow->ctx, path, options, ck);
  if (!status) status = op2_checkpoint_add_all(*ck);
  if (!status) status = op2_checkpoint_add_const(*ck, flow->gain);
  if (!status) status = op2_checkpoint_add_counter(*ck, "steps", OP2_I64, 1, &flow->steps);
  if (!status) status = op2_checkpoint_add_counter(*ck, "time", OP2_F64, 1, &flow->time);
  return status;
}

op2_status flow_advance(struct flow *flow) {
  const double most = 1e30;
  double dt = 0, now = 0;
  op2_status status = op2_par_loop(flow->save, flow->cells, op2_arg_direct(flow->q, OP2_READ),
                                   op2_arg_direct(flow->old, OP2_WRITE));
  if (!status) status = op2_gbl_set(flow->dt, &most);
  if (!status)
    status = op2_par_loop(flow->step, flow->cells, op2_arg_direct(flow->q, OP2_READ),
                          op2_arg_gbl(flow->dt, OP2_MIN));
  if (!status)
    status = op2_par_loop(flow->flux, flow->edges, op2_arg_dat(flow->q, 0, flow->ends, OP2_READ),
                          op2_arg_dat(flow->q, 1, flow->ends, OP2_READ),
                          op2_arg_dat(flow->res, 0, flow->ends, OP2_INC),
                          op2_arg_dat(flow->res, 1, flow->ends, OP2_INC));
  if (!status)
    status = op2_par_loop(flow->update, flow->cells, op2_arg_direct(flow->old, OP2_READ),
                          op2_arg_direct(flow->q, OP2_WRITE), op2_arg_direct(flow->res, OP2_RW),
                          op2_arg_gbl(flow->dt, OP2_READ), op2_arg_gbl(flow->rms, OP2_INC));
  if (!status) status = op2_gbl_get(flow->dt, &dt);
  if (!status) status = op2_const_get(flow->gain, &now);
  now *= 0.999;
  if (!status) status = op2_const_set(flow->gain, &now);
  flow->time += dt;
  flow->steps += !status;
  if (!status && flow->steps == flow->ordered)
    status = op2_par_loop(flow->mark, flow->edges, op2_arg_dat(flow->old, 0, flow->ends, OP2_RW));
  return status;
}

uint64_t flow_digest(struct flow *flow) {
  const size_t n = (size_t)flow->side * (size_t)flow->side * FLOW_DIM;
  uint64_t *words = calloc(n + 4, sizeof *words), digest = 1469598103934665603u;
  op2_status status =
      words ? op2_dat_get_block(flow->q, 0, (int64_t)(n / FLOW_DIM), words) : OP2_ERR_NOMEM;
  if (!status) status = op2_gbl_get(flow->rms, words + n);
  if (!status) status = op2_gbl_get(flow->dt, words + n + 1);
  if (!status) memcpy(words + n + 2, &flow->steps, sizeof flow->steps);
  if (!status) memcpy(words + n + 3, &flow->time, sizeof flow->time);
  for (size_t i = 0; !status && i < n + 4; i++) digest = scramble(digest ^ words[i]);
  free(words);
  return status ? 0 : digest;
}
