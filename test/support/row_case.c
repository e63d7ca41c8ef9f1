/* SPDX-License-Identifier: BSD-3-Clause */
#include "row_case.h"

#include "init.h"
#include "mesh.h"
#include "set.h"
#include "support.h"

enum { HALF = ROW_CELLS / 2 };

OP2_KERNEL(bump, (int64_t * a), { *a += 1; });
OP2_KERNEL(put, (int64_t * a), { *a = 5; });
OP2_KERNEL(look, (const int64_t *a0, const int64_t *a1, int64_t *e), { *e = *a0 + *a1; });
OP2_KERNEL(look2, (const int64_t *a0, const int64_t *a1, const int64_t *b0, int64_t *e),
           { *e = *a0 + *a1 + *b0; });
OP2_KERNEL(total, (const int64_t *a, int64_t *s), { *s += *a; });
OP2_KERNEL(add, (const int64_t *e, int64_t *a0, int64_t *a1), {
  *a0 += *e;
  *a1 -= *e;
});

OP2_KERNEL(add_total, (const int64_t *e, int64_t *a0, int64_t *a1, int64_t *s), {
  *a0 += *e;
  *a1 -= *e;
  *s += *e;
});

/* Rank 0 has cells 0 to 19 and edges 0 to 19, the last of which leads to a cell of rank 1. Rank 1
 * has the others, and that edge in its exec halo. */
static op2_status declare(struct row *w) {
  int rank = w->comm->rank, first = rank * HALF;
  int64_t cells[HALF + 1], edges[HALF + 1];
  int32_t idx[2 * (HALF + 1)], other = 1 - rank;
  for (int i = 0; i < HALF; i++) cells[i] = first + i;
  cells[HALF] = rank ? first - 1 : first + HALF;
  int nedges = rank ? HALF - 1 : HALF;
  for (int i = 0; i < nedges; i++) {
    edges[i] = first + i;
    idx[2 * i] = i;
    idx[2 * i + 1] = i + 1; /* rank 0's last edge leads to the halo's cell */
  }
  if (rank) {
    edges[nedges] = first - 1;
    idx[2 * nedges] = HALF;
    idx[2 * nedges + 1] = 0;
  }
  const int64_t cell_ends[4] = {HALF - 1, HALF, HALF, HALF + 1};
  const int64_t edge_ends[4] = {nedges - 1, nedges, nedges + rank, nedges + rank};
  op2_status status = op2i_set_create_halo(w->ctx, cell_ends, cells, &other, "cells", &w->cells);
  if (!status) status = op2i_set_create_halo(w->ctx, edge_ends, edges, &other, "edges", &w->edges);
  if (!status) status = op2_map_create(w->edges, w->cells, 2, idx, "ends", &w->ends);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, NULL, "a", &w->a);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, NULL, "b", &w->b);
  if (!status) status = op2_dat_create(w->cells, 3, OP2_I64, NULL, "wide", &w->wide);
  if (!status) status = op2_dat_create(w->edges, 1, OP2_I64, NULL, "e", &w->e);
  if (!status) status = op2_kernel_create(w->ctx, &bump_kernel, &w->bump);
  if (!status) status = op2_kernel_create(w->ctx, &put_kernel, &w->put);
  if (!status) status = op2_kernel_create(w->ctx, &look_kernel, &w->look);
  if (!status) status = op2_kernel_create(w->ctx, &look2_kernel, &w->look2);
  if (!status) status = op2_kernel_create(w->ctx, &add_kernel, &w->add);
  if (!status) status = op2_kernel_create(w->ctx, &total_kernel, &w->total);
  if (!status) status = op2_kernel_create(w->ctx, &add_total_kernel, &w->add_total);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_I64, NULL, "sum", &w->sum);
  return status;
}

op2_status row_bump(struct row *w, op2_dat dat) {
  return op2_par_loop(w->bump, w->cells, op2_arg_direct(dat, OP2_RW));
}
op2_status row_put(struct row *w, op2_dat dat) {
  return op2_par_loop(w->put, w->cells, op2_arg_direct(dat, OP2_WRITE));
}
op2_status row_look(struct row *w, op2_dat dat) {
  return op2_par_loop(w->look, w->edges, op2_arg_dat(dat, 0, w->ends, OP2_READ),
                      op2_arg_dat(dat, 1, w->ends, OP2_READ), op2_arg_direct(w->e, OP2_WRITE));
}
op2_status row_look_at_both(struct row *w) {
  return op2_par_loop(w->look2, w->edges, op2_arg_dat(w->a, 0, w->ends, OP2_READ),
                      op2_arg_dat(w->a, 1, w->ends, OP2_READ),
                      op2_arg_dat(w->b, 0, w->ends, OP2_READ), op2_arg_direct(w->e, OP2_WRITE));
}
op2_status row_add(struct row *w, op2_dat dat) {
  return op2_par_loop(w->add, w->edges, op2_arg_direct(w->e, OP2_READ),
                      op2_arg_dat(dat, 0, w->ends, OP2_INC), op2_arg_dat(dat, 1, w->ends, OP2_INC));
}
op2_status row_total(struct row *w, op2_dat dat) {
  return op2_par_loop(w->total, w->cells, op2_arg_direct(dat, OP2_READ),
                      op2_arg_gbl(w->sum, OP2_INC));
}

op2_status row_add_total(struct row *w, op2_dat dat) {
  return op2_par_loop(w->add_total, w->edges, op2_arg_direct(w->e, OP2_READ),
                      op2_arg_dat(dat, 0, w->ends, OP2_INC), op2_arg_dat(dat, 1, w->ends, OP2_INC),
                      op2_arg_gbl(w->sum, OP2_INC));
}

op2_status row_begin(struct row *w, struct op2i_comm *comm, const char *backend) {
  const op2_options options = {
      .backend = backend, .threads = 1, .eager = -1, .cache_dir = test_cache()};
  *w = (struct row){.comm = comm};
  op2_status status = op2i_init_ranks(&options, comm, &w->ctx);
  return status ? status : declare(w);
}

op2_status row_end(struct row *w) {
  op2_kernel *kernels[] = {&w->bump, &w->put,   &w->look,     &w->look2,
                           &w->add,  &w->total, &w->add_total};
  for (int k = 0; k < 7; k++) op2_kernel_destroy(kernels[k]);
  op2_dat *dats[] = {&w->a, &w->b, &w->wide, &w->e};
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  op2_gbl_destroy(&w->sum);
  op2_map_destroy(&w->ends);
  op2_set_destroy(&w->cells);
  op2_set_destroy(&w->edges);
  return op2_finalize(&w->ctx);
}
