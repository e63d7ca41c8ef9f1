/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a rank does not grow with the number of ranks as long as its part of the mesh has
 * the same size, except for messages along trees over the ranks: two for each bit of the number of
 * ranks, in both directions. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "allreduce.h"
#include "comm_pass.h"
#include "init.h"
#include "mem.h"
#include "op2.h"
#include "op2/ranks.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
enum { COUNTED = 0 };
static _Atomic int64_t held;
#else
#include <malloc.h>

/* All memory of the process, counted in front of the C library's allocator. */
enum { COUNTED = 1 };
static _Atomic int64_t held;
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void __libc_free(void *memory);

static void *taken(void *memory) {
  if (memory) held += (int64_t)malloc_usable_size(memory);
  return memory;
}
void *malloc(size_t bytes) { return taken(__libc_malloc(bytes)); }
void *calloc(size_t count, size_t bytes) { return taken(__libc_calloc(count, bytes)); }
void *realloc(void *old, size_t bytes) {
  int64_t before = old ? (int64_t)malloc_usable_size(old) : 0;
  void *grown = __libc_realloc(old, bytes);
  if (grown) held += (int64_t)malloc_usable_size(grown) - before;
  return grown;
}
void free(void *memory) {
  if (memory) held -= (int64_t)malloc_usable_size(memory);
  __libc_free(memory);
}
#endif

OP2_KERNEL(look, (const double *a, const double *b, double *e), { *e = *a - *b; });
OP2_KERNEL(add, (const double *e, double *a, double *b, double *sum), {
  *a += *e;
  *b -= *e;
  *sum += *e;
});

/* A ring of cells with an edge between neighbours, equally many of both on each rank. */
enum { EACH = 300 };
struct ring {
  op2_context ctx;
  op2_set cells, edges;
  op2_map ends;
  op2_dat x, a, e;
  op2_gbl sum;
  op2_kernel look, add;
};

/* Three more bits mean six more ranks that a rank exchanges messages with. A number of four bytes
 * for each rank would exceed this bound. */
enum {
  FEW = 8,
  MANY = 64,
  A_MESSAGE = 112,
  A_WIRE = sizeof(struct op2i_piece) + sizeof(void *) + A_MESSAGE,
  /* three levels more, with a message to and one from another rank, of each allreduce in flight */
  ALLREDUCES = OP2I_ALLREDUCE_COUNT * 3 * 2 * A_WIRE,
  MOST = 2 * 6 * A_MESSAGE + ALLREDUCES
};

static op2_status declare(struct ring *w) {
  double x[EACH];
  int64_t idx[2 * EACH], first = op2_rank(w->ctx) * EACH, all = op2_ranks(w->ctx) * EACH;
  for (int64_t i = 0; i < EACH; i++) {
    x[i] = (double)(first + i);
    idx[2 * i] = first + i;
    idx[2 * i + 1] = (first + i + 1) % all;
  }
  op2_status status = op2_set_create(w->ctx, EACH, "cells", &w->cells);
  if (!status) status = op2_set_create(w->ctx, EACH, "edges", &w->edges);
  if (!status) status = op2_map_create_global(w->edges, w->cells, 2, idx, "ends", &w->ends);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_F64, x, "x", &w->x);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_F64, NULL, "a", &w->a);
  if (!status) status = op2_dat_create(w->edges, 1, OP2_F64, NULL, "e", &w->e);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_F64, NULL, "sum", &w->sum);
  if (!status) status = op2_kernel_create(w->ctx, &look_kernel, &w->look);
  if (!status) status = op2_kernel_create(w->ctx, &add_kernel, &w->add);
  return status;
}

static op2_status run(struct ring *w) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < 3 && !status; i++) {
    status = op2_par_loop(w->look, w->edges, op2_arg_dat(w->a, 0, w->ends, OP2_READ),
                          op2_arg_dat(w->a, 1, w->ends, OP2_READ), op2_arg_direct(w->e, OP2_WRITE));
    if (!status)
      status = op2_par_loop(w->add, w->edges, op2_arg_direct(w->e, OP2_READ),
                            op2_arg_dat(w->a, 0, w->ends, OP2_INC),
                            op2_arg_dat(w->a, 1, w->ends, OP2_INC), op2_arg_gbl(w->sum, OP2_INC));
    if (!status) status = op2_flush(w->ctx);
  }
  return status;
}

struct job {
  op2_partition_method method;
  int64_t before, after; /* bytes that the process holds */
};

/* No rank allocates or frees memory between two calls of this. */
static op2_status meet(struct op2i_comm *comm) { return op2i_comm_sum(comm, 1, &(int64_t){0}); }

static int rank(struct op2i_comm *comm, void *data) {
  struct job *job = data;
  struct ring w = {0};
  const op2_options options = {
      .backend = "sequential", .threads = 1, .eager = -1, .cache_dir = test_cache()};
  op2_status status = op2i_init_ranks(&options, comm, &w.ctx);
  if (!status) status = declare(&w);
  const op2_partition_options how = {
      .method = job->method, .coordinates = w.x, .map = w.ends, .set = NULL};
  if (!status) status = op2_partition(w.ctx, &how, NULL);
  if (!status) status = run(&w);
  if (!status) status = meet(comm);
  if (!status && comm->rank == 0) job->after = held;
  if (!status) status = meet(comm);
  if (status) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  op2_status ended = op2_finalize(&w.ctx);
  return status || ended;
}

/* Memory that ranks share because they are threads: a list for each pair of them. */
static int64_t of_threads(int ranks) {
  struct op2i_comm *comms[64];
  int64_t before = held, after = 0;
  if (op2i_comm_threads(ranks, (struct op2i_link_speed){0}, comms)) return 0;
  after = held;
  for (int r = 0; r < ranks; r++) op2i_comm_free(comms[r]);
  return after - before;
}

static int64_t held_by_one(int ranks, op2_partition_method method) {
  struct job job = {.method = method, .before = held + of_threads(ranks)};
  is_int(run_contexts(ranks, rank, &job), 0, "%d ranks", ranks);
  return (job.after - job.before) / ranks;
}

int main(void) {
  static const char *const names[] = {
      [OP2_PARTITION_BLOCKS] = "blocks", [OP2_PARTITION_COORDINATES] = "coordinates"};
  test_environment();
  if (!COUNTED) {
    skip("memory is counted with the C library's own malloc only");
    return done();
  }
  (void)held_by_one(FEW, OP2_PARTITION_BLOCKS); /* memory that the process allocates once */
  for (int m = OP2_PARTITION_BLOCKS; m <= OP2_PARTITION_COORDINATES; m++) {
    int64_t few = held_by_one(FEW, m), many = held_by_one(MANY, m);
    ok(many - few <= MOST, "%s: %d bytes on each of %d ranks, %d on each of %d", names[m], (int)few,
       FEW, (int)many, MANY);
  }
  return done();
}
