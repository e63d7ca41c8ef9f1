/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of declarations, loops and data, for diverge_case.h. */
#include <stdio.h>
#include <string.h>

#include "diverge_case.h"

enum { CELLS = DIVERGE_CELLS };

/* The compiler of this program needs a declaration of the constant. */
static double factor = 1;

OP2_KERNEL(spread, (const double *q, double *a, double *b), {
  *a += q[0];
  *b += q[0];
});
OP2_KERNEL(scale, (double *q, const double *by, double *sum), {
  *q *= factor * *by;
  *sum += *q;
});
OP2_KERNEL(other, (double *q, const double *by, double *sum), {
  *q *= factor + *by;
  *sum += *q;
});

OP2_KERNEL(fill, (double *block), { block[0] = block[3] = 1; });

static op2_dat one_of(const struct diverge_world *w, bool changed) { return changed ? w->b : w->q; }

/* ---- declarations ---------------------------------------------------------------------------- */

DIVERGE_STEP(set_create) {
  op2_status status = op2_set_create(w->ctx, CELLS, changed ? "nodes" : "cells", &w->cells);
  return status ? status : op2_set_create(w->ctx, CELLS, "edges", &w->edges);
}
DIVERGE_STEP(set_create_sections) {
  const int64_t ends[] = {CELLS, CELLS, CELLS, CELLS};
  return op2_set_create_sections(w->ctx, ends, changed ? "others" : "nodes", &w->nodes);
}
DIVERGE_STEP(set_create_halo) {
  const int64_t ends[] = {1, 2, 3, 3}, first = 2 * w->rank,
                global[] = {first, first + 1, w->rank ? 1 : 2};
  const int32_t owner = 1 - w->rank;
  return op2_set_create_halo(w->ctx, ends, global, &owner, changed ? "own" : "shared", &w->shared);
}
DIVERGE_STEP(set_create_single) {
  op2_set single = NULL;
  op2_status status = op2_set_create_single(w->ctx, changed ? "one" : "single", &single);
  op2_set_destroy(&single);
  return status;
}
DIVERGE_STEP(map_create_global) {
  int64_t idx[2 * CELLS];
  for (int i = 0; i < CELLS; i++)
    for (int k = 0; k < 2; k++) idx[2 * i + k] = (w->rank * CELLS + i + k) % (2 * CELLS);
  return op2_map_create_global(w->edges, w->cells, 2, idx, changed ? "other" : "ends", &w->ends);
}
DIVERGE_STEP(dat_create) {
  const double values[2 * CELLS] = {1, 2, 3, 4};
  op2_status status = op2_dat_create(w->cells, 1, OP2_F64, values, changed ? "r" : "q", &w->q);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_F64, values, "b", &w->b);
  return status ? status : op2_dat_create(w->cells, 1, OP2_F64, values, "x", &w->x);
}
DIVERGE_STEP(gbl_create) {
  const double zero[2] = {0}, one = changed ? 2 : 1;
  op2_status status = op2_gbl_create(w->ctx, 1, OP2_F64, zero, "sum", &w->sum);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_F64, zero, "parts", &w->parts);
  return status ? status : op2_gbl_create(w->ctx, 1, OP2_F64, &one, "by", &w->by);
}
DIVERGE_STEP(gbl_wrap) {
  double memory = changed ? 1 : 0;
  op2_gbl gbl = NULL;
  op2_status status = op2_gbl_wrap(w->ctx, 1, OP2_F64, &memory, "wrapped sum", &gbl);
  op2_gbl_destroy(&gbl);
  return status;
}
DIVERGE_STEP(const_create) {
  const double value = changed ? 3 : 1;
  return op2_const_create(w->ctx, 1, OP2_F64, &value, "factor", &w->factor);
}
DIVERGE_STEP(kernel_create) {
  op2_kernel_desc desc = changed ? other_kernel : scale_kernel;
  char source[400];
  snprintf(source, sizeof source, "%s", desc.source);
  if (changed) memcpy(strstr(source, "other"), "scale", 5);
  desc.name = "scale";
  desc.source = source;
  op2_status status = op2_kernel_create(w->ctx, &spread_kernel, &w->spread);
  if (!status) status = op2_kernel_create(w->ctx, &fill_kernel, &w->fill);
  return status ? status : op2_kernel_create(w->ctx, &desc, &w->scale);
}
DIVERGE_STEP(partition) {
  (void)changed;
  return op2_partition(w->ctx, NULL, NULL);
}
DIVERGE_STEP(dat_wrap) {
  return op2_dat_wrap(w->cells, 1, OP2_F64, w->memory, changed ? "memory" : "wrapped", &w->wrapped);
}
DIVERGE_STEP(subset_create) {
  return op2_subset_create(changed ? w->edges : w->cells, 1, (int64_t[]){1}, "some", &w->some);
}
DIVERGE_STEP(subset_union) {
  return op2_subset_create_union(w->some, changed ? w->some : w->cells, "both", &w->both);
}
DIVERGE_STEP(subset_intersection) {
  op2_set set = NULL;
  op2_status status =
      op2_subset_create_intersection(changed ? w->both : w->some, w->cells, "common", &set);
  op2_set_destroy(&set);
  return status;
}
DIVERGE_STEP(subset_difference) {
  return op2_subset_create_difference(w->cells, changed ? w->both : w->some, "rest", &w->rest);
}
DIVERGE_STEP(map_create) {
  int32_t idx[4 * CELLS];
  for (int i = 0; i < 4 * CELLS; i++) idx[i] = i < 3 ? i : 0;
  return op2_map_create(w->cells, w->cells, 1, idx, changed ? "other" : "self", &w->self);
}
DIVERGE_STEP(map_composed) {
  op2_map map = NULL;
  op2_status status = op2_map_create_composed(1, changed ? &w->ends : &w->self, "composed", &map);
  op2_map_destroy(&map);
  return status;
}
DIVERGE_STEP(map_partial) {
  const int32_t idx[4 * CELLS] = {0, -1};
  return op2_map_create_partial(w->cells, changed ? w->edges : w->cells, 1, idx, "partial",
                                &w->partial);
}
DIVERGE_STEP(map_entries) {
  const int64_t idx[4 * CELLS] = {1, 1};
  const op2_entries_desc how = {.type = OP2_I64, .base = 1, .partial = true};
  op2_map map = NULL;
  op2_status status = op2_map_create_entries(w->cells, changed ? w->edges : w->cells, 1, &how, idx,
                                             "entries", &map);
  op2_map_destroy(&map);
  return status;
}
DIVERGE_STEP(renumber) { return op2_renumber(changed ? w->self : w->ends); }

static const struct diverge_step mesh[] = {
    {"set_create", "op2_set_create", set_create, AS_USUAL},
    {"set_create_sections", "op2_set_create", set_create_sections, AS_USUAL},
    {"set_create_halo", "op2_set_create_halo", set_create_halo, AS_USUAL},
    {"set_create_single", "op2_set_create_single", set_create_single, AS_USUAL},
    {"map_create_global", "op2_map_create_global", map_create_global, AS_USUAL},
    {"dat_create", "op2_dat_create", dat_create, AS_USUAL},
    {"gbl_create", "op2_gbl_create", gbl_create, AS_USUAL},
    {"gbl_wrap", "op2_gbl_wrap", gbl_wrap, AS_USUAL},
    {"const_create", "op2_const_create", const_create, AS_USUAL},
    {"kernel_create", "op2_kernel_create", kernel_create, AS_USUAL},
    {"partition", "op2_partition", partition, CHANGED},
    {"dat_wrap", "op2_dat_wrap", dat_wrap, AS_USUAL},
    {"subset_create", "op2_subset_create", subset_create, AS_USUAL},
    {"subset_union", "op2_subset_create_union", subset_union, AS_USUAL},
    {"subset_intersection", "op2_subset_create_inters", subset_intersection, AS_USUAL},
    {"subset_difference", "op2_subset_create_differ", subset_difference, AS_USUAL},
    {"map_create", "op2_map_create", map_create, AS_USUAL},
    {"map_composed", "op2_map_create_composed", map_composed, AS_USUAL},
    {"map_partial", "op2_map_create_partial", map_partial, AS_USUAL},
    {"map_entries", "op2_map_create_entries", map_entries, AS_USUAL},
    {"renumber", "op2_renumber", renumber, AS_USUAL}};
DIVERGE_LIST(diverge_mesh, mesh);

/* ---- loops and calls ------------------------------------------------------------------------- */

DIVERGE_STEP(par_loop) {
  return op2_par_loop(w->spread, w->edges, op2_arg_dat(w->q, changed, w->ends, OP2_READ),
                      op2_arg_dat(w->b, 0, w->ends, OP2_INC),
                      op2_arg_dat(w->b, 1, w->ends, OP2_INC));
}
DIVERGE_STEP(par_loop_subset) {
  const double one = 1;
  return op2_par_loop(w->scale, changed ? w->both : w->some, op2_arg_direct(w->q, OP2_RW),
                      op2_arg_val(&one, 1, OP2_F64), op2_arg_gbl(w->sum, OP2_INC));
}
DIVERGE_STEP(arg_val) {
  const double value = changed ? 2 : 1;
  return op2_par_loop(w->scale, w->cells, op2_arg_direct(w->q, OP2_RW),
                      op2_arg_val(&value, 1, OP2_F64), op2_arg_gbl(w->sum, OP2_INC));
}
DIVERGE_STEP(another_dat) {
  return op2_par_loop(w->scale, w->cells, op2_arg_direct(one_of(w, changed), OP2_RW),
                      op2_arg_gbl(w->by, OP2_READ), op2_arg_gbl(w->sum, OP2_INC));
}
static int nothing(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 0;
}
DIVERGE_STEP(call) {
  return op2_call(w->ctx, nothing, NULL, op2_arg_direct(one_of(w, changed), OP2_READ));
}
DIVERGE_STEP(loop_create) {
  op2_loop_destroy(&w->loop);
  return op2_loop_create(
      &w->loop, w->spread, w->edges, op2_arg_dat(w->q, changed, w->ends, OP2_READ),
      op2_arg_dat(w->b, 0, w->ends, OP2_INC), op2_arg_dat(w->b, 1, w->ends, OP2_INC));
}
DIVERGE_STEP(loop_enqueue) {
  return changed ? op2_loop_compute(w->loop) : op2_loop_enqueue(w->loop);
}
DIVERGE_STEP(loop_compute) { return changed ? op2_flush(w->ctx) : op2_loop_compute(w->loop); }

/* ---- values ---------------------------------------------------------------------------------- */

DIVERGE_STEP(gbl_set) {
  const double value = changed ? 1 : 2;
  return op2_gbl_set(w->by, &value);
}
DIVERGE_STEP(const_set) {
  const double value = changed ? 1 : 2;
  return op2_const_set(w->factor, &value);
}
DIVERGE_STEP(flush) { return changed ? op2_dat_to(w->q, OP2_PLACE_HOST) : op2_flush(w->ctx); }
DIVERGE_STEP(gbl_get) {
  double value;
  return op2_gbl_get(changed ? w->by : w->sum, &value);
}
DIVERGE_STEP(dat_get) {
  double values[8 * CELLS];
  return op2_dat_get(one_of(w, changed), values);
}
DIVERGE_STEP(dat_get_halo) {
  double values[8 * CELLS];
  return op2_dat_get_halo(one_of(w, changed), values);
}
DIVERGE_STEP(dat_set) {
  const double values[8 * CELLS] = {1};
  return op2_dat_set(one_of(w, changed), values);
}
DIVERGE_STEP(dat_set_halo) {
  const double values[8 * CELLS] = {1};
  return op2_dat_set_halo(one_of(w, changed), values);
}
DIVERGE_STEP(dat_get_block) {
  double values[4];
  return op2_dat_get_block(one_of(w, changed), 0, 2, values);
}
DIVERGE_STEP(dat_set_block) {
  const double values[2] = {1};
  return op2_dat_set_block(one_of(w, changed), 2 * w->rank, 2, values);
}
DIVERGE_STEP(read_scope) {
  const void *data = NULL;
  op2_status status = op2_dat_read_begin(one_of(w, changed), &data);
  return status ? status : op2_dat_read_end(one_of(w, changed), &data);
}
DIVERGE_STEP(write_scope) {
  void *data = NULL;
  op2_status status = op2_dat_write_begin(one_of(w, changed), &data);
  return status ? status : op2_dat_write_end(one_of(w, changed), &data);
}
DIVERGE_STEP(gbl_read_scope) {
  const void *data = NULL;
  op2_gbl gbl = changed ? w->by : w->sum;
  op2_status status = op2_gbl_read_begin(gbl, &data);
  return status ? status : op2_gbl_read_end(gbl, &data);
}
DIVERGE_STEP(gbl_write_scope) {
  void *data = NULL;
  op2_status status = op2_gbl_write_begin(w->by, &data);
  if (status) return status;
  *(double *)data = changed ? 1 : 2;
  return op2_gbl_write_end(w->by, &data);
}
DIVERGE_STEP(dat_to) { return op2_dat_to(one_of(w, changed), OP2_PLACE_HOST); }

static const struct diverge_step loops[] = {
    {"par_loop", "loop 'spread'", par_loop, AS_USUAL},
    {"par_loop over a subset", "loop 'scale'", par_loop_subset, AS_USUAL},
    {"arg_val", "loop 'scale'", arg_val, AS_USUAL},
    {"arg_direct", "loop 'scale'", another_dat, AS_USUAL},
    {"gbl_set", "op2_gbl_set", gbl_set, AS_USUAL},
    {"const_set", "op2_const_set", const_set, AS_USUAL},
    {"flush", "op2_flush", flush, AS_USUAL},
    {"gbl_get", "op2_gbl_get", gbl_get, AS_USUAL},
    {"dat_get", "op2_dat_get", dat_get, AS_USUAL},
    {"dat_get_halo", "op2_dat_get_halo", dat_get_halo, AS_USUAL},
    {"dat_set", "op2_dat_set", dat_set, AS_USUAL},
    {"dat_set_halo", "op2_dat_set_halo", dat_set_halo, AS_USUAL},
    {"dat_get_block", "op2_dat_get_block", dat_get_block, AS_USUAL},
    {"dat_set_block", "op2_dat_set_block", dat_set_block, AS_USUAL},
    {"dat_read_begin", "op2_dat_read_begin", read_scope, AS_USUAL},
    {"dat_write_begin", "op2_dat_write_begin", write_scope, AS_USUAL},
    {"gbl_read_begin", "op2_gbl_read_begin", gbl_read_scope, AS_USUAL},
    {"gbl_write_begin and its end", "op2_gbl_write_", gbl_write_scope, AS_USUAL},
    {"dat_to", "op2_dat_to", dat_to, AS_USUAL},
    {"call", "call '", call, AS_USUAL},
    /* The arguments of a ParLoop object are compared when it is queued. */
    {"loop_create", "loop", loop_create, AS_USUAL},
    {"loop_enqueue", "loop", loop_enqueue, AS_USUAL},
    {"loop_compute", "loop 'spread'", loop_compute, AS_USUAL}};
DIVERGE_LIST(diverge_loops, loops);
