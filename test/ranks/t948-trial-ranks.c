/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of scalar code among ranks. Each rank decides alone, so one of them may run a loop as scalar
 * code and another one as vector code, in the run in which they decide and in later ones that find
 * other choices in their caches. Loops that come after that are compiled together as before, and no
 * bit of any result changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend.h"
#include "context.h"
#include "init.h"
#include "jit.h"
#include "loop_table.h"
#include "loopdata.h"
#include "op2.h"
#include "rank_case.h"
#include "support.h"

OP2_KERNEL(spread, (const double *w, const double *x[2], double *v[2]), {
  v[0][0] += w[0] * x[0][0] + w[1] * x[1][0];
  v[1][0] += w[1] * x[0][0] - w[0] * x[1][0];
});
OP2_KERNEL(advance, (double *x, const double *v), { *x = 0.5 * *x + 0.01 * *v; });
OP2_KERNEL(total, (const double *x, double *sum), { *sum += *x; });
OP2_KERNEL(late, (double *x, const double *v), { *x += 1 / (3 + *v * *v); });

enum { CELLS = 120, STRIDE = 47, STEPS = 40, RANKS = 3, LOOPS = 4 };

/* Which folder of compiled loops a rank has: one of its own in the scene, the one from before, or
 * one of all ranks. */
enum folder { OWN, FROM_BEFORE, NEW_ON_LAST, SHARED };
static const struct scene {
  const char *name;
  int first, last; /* the trial of rank 0, and that of the others */
  enum folder folder;
  int first_scalar, last_scalar; /* loops that are scalar code at last; -1: not known */
} scenes[] = {
    {"one rank keeps scalar code", OP2I_TRIAL_SCALAR, OP2I_TRIAL_VECTOR, OWN, LOOPS, 0},
    {"ranks find different choices", OP2I_TRIAL_MEASURED, OP2I_TRIAL_MEASURED, FROM_BEFORE, LOOPS,
     0},
    {"one rank finds a choice", OP2I_TRIAL_MEASURED, OP2I_TRIAL_NEVER, NEW_ON_LAST, LOOPS, 0},
    {"one rank tries", OP2I_TRIAL_NEVER, OP2I_TRIAL_SCALAR, OWN, 0, LOOPS},
    {"choices of one folder differ", OP2I_TRIAL_SCALAR, OP2I_TRIAL_VECTOR, SHARED, LOOPS, 0},
    {"ranks find choices in one folder", OP2I_TRIAL_MEASURED, OP2I_TRIAL_MEASURED, SHARED, -1, -1},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

struct job {
  const char *backend;
  const struct scene *scene; /* null: no trials */
  int number, ranks;
  double values[RANKS][2][CELLS], sums[RANKS];
};

static void folder_of(const struct job *job, int rank, char path[600]) {
  const enum folder folder = job->scene ? job->scene->folder : SHARED;
  const bool last = rank == job->ranks - 1;
  const int age = folder == OWN                   ? job->number
                  : folder == FROM_BEFORE         ? job->number - 1
                  : folder == NEW_ON_LAST && last ? job->number
                  : folder == NEW_ON_LAST         ? 0
                  : job->scene                    ? 100
                                                  : 200;
  snprintf(path, 600, "%.400s/%s-%d-%d-%d", test_scratch(), job->backend, job->ranks, age,
           folder == SHARED ? -1 : rank);
  (void)mkdir(path, 0700);
}

struct mesh {
  op2_context ctx;
  op2_set cells, edges;
  op2_map ends;
  op2_dat x, v, w;
  op2_gbl sum;
  op2_kernel kernels[LOOPS];
};

static op2_status begin(struct mesh *m, struct op2i_comm *comm, const struct job *job) {
  static const op2_kernel_desc *const descs[] = {&spread_kernel, &advance_kernel, &total_kernel,
                                                 &late_kernel};
  const int n = CELLS / comm->size, first = n * comm->rank;
  char folder[600];
  double x[CELLS], w[2 * CELLS];
  int64_t ends[2 * CELLS];
  op2_options options = rank_options(job->backend, false);
  folder_of(job, comm->rank, folder);
  options.cache_dir = folder;
  for (int i = 0; i < n; i++) {
    x[i] = 1.0 / (1 + (first + i) * 37 % 101);
    for (int k = 0; k < 2; k++) {
      ends[2 * i + k] = (first + i + k * STRIDE) % CELLS;
      w[2 * i + k] = 0.3 + 1.0 / (3 + (2 * (first + i) + k) * 31 % 97);
    }
  }
  op2_status status = op2i_init_ranks(&options, comm, &m->ctx);
  if (status) return status;
  m->ctx->config.trial = !job->scene  ? OP2I_TRIAL_NEVER
                         : comm->rank ? job->scene->last
                                      : job->scene->first;
  status = op2_set_create(m->ctx, n, "cells", &m->cells);
  if (!status) status = op2_set_create(m->ctx, n, "edges", &m->edges);
  if (!status) status = op2_map_create_global(m->edges, m->cells, 2, ends, "ends", &m->ends);
  if (!status) status = op2_dat_create(m->cells, 1, OP2_F64, x, "x", &m->x);
  if (!status) status = op2_dat_create(m->cells, 1, OP2_F64, NULL, "v", &m->v);
  if (!status) status = op2_dat_create(m->edges, 2, OP2_F64, w, "w", &m->w);
  if (!status) status = op2_partition(m->ctx, NULL, NULL);
  if (!status) status = op2_gbl_create(m->ctx, 1, OP2_F64, NULL, "sum", &m->sum);
  for (int k = 0; k < LOOPS && !status; k++)
    status = op2_kernel_create(m->ctx, descs[k], &m->kernels[k]);
  return status;
}

static op2_status end(struct mesh *m) {
  for (int k = 0; k < LOOPS; k++) op2_kernel_destroy(&m->kernels[k]);
  op2_gbl_destroy(&m->sum);
  op2_dat_destroy(&m->x);
  op2_dat_destroy(&m->v);
  op2_dat_destroy(&m->w);
  op2_map_destroy(&m->ends);
  op2_set_destroy(&m->edges);
  op2_set_destroy(&m->cells);
  return op2_finalize(&m->ctx);
}

static op2_status step(const struct mesh *m, bool late) {
  op2_status status = op2_par_loop(m->kernels[0], m->edges, op2_arg_direct(m->w, OP2_READ),
                                   op2_arg_dat(m->x, OP2_ALL, m->ends, OP2_READ),
                                   op2_arg_dat(m->v, OP2_ALL, m->ends, OP2_INC));
  if (!status)
    status = op2_par_loop(m->kernels[1], m->cells, op2_arg_direct(m->x, OP2_RW),
                          op2_arg_direct(m->v, OP2_READ));
  if (!status) status = op2_flush(m->ctx);
  if (!status && late)
    status = op2_par_loop(m->kernels[3], m->cells, op2_arg_direct(m->x, OP2_RW),
                          op2_arg_direct(m->v, OP2_READ));
  if (!status)
    status = op2_par_loop(m->kernels[2], m->cells, op2_arg_direct(m->x, OP2_READ),
                          op2_arg_gbl(m->sum, OP2_INC));
  return status ? status : op2_flush(m->ctx);
}

/* How many loops run as scalar code because of a choice. */
static int scalar_loops(const struct mesh *m) {
  int n = 0;
  for (const struct op2i_loop *loop = m->ctx->loops->first; loop; loop = loop->entry.next)
    n += loop->form.scalar_faster;
  return n;
}

static int say(const struct job *job, int rank, int wrong, const char *what) {
  if (wrong)
    fprintf(stderr, "# rank %d of %d, %s: %s: %d\n", rank, job->ranks,
            job->scene ? job->scene->name : "no trials", what, wrong);
  return wrong != 0;
}

static int check(const struct mesh *m, const struct job *job, int rank) {
  if (!job->scene) return 0;
  const int want = rank ? job->scene->last_scalar : job->scene->first_scalar;
  const int got = scalar_loops(m);
  struct op2i_jit_stats stats;
  op2i_jit_statistics(m->ctx, &stats);
  int wrong = want >= 0 ? say(job, rank, got != want, "loops are in another form") : 0;
  if (job->scene->folder == FROM_BEFORE)
    wrong += say(job, rank, (int)stats.compiled, "loops were compiled");
  return wrong;
}

static int work(struct op2i_comm *comm, void *data) {
  struct job *job = data;
  const int rank = comm->rank;
  struct mesh m = {0};
  op2_status status = begin(&m, comm, job);
  for (int s = 0; s < STEPS && !status; s++) status = step(&m, s > STEPS / 2);
  int wrong = status ? 0 : check(&m, job, rank);
  if (!status) status = op2_dat_get(m.x, job->values[rank][0]);
  if (!status) status = op2_dat_get(m.v, job->values[rank][1]);
  if (!status) status = op2_gbl_get(m.sum, &job->sums[rank]);
  if (status) wrong += say(job, rank, (int)status, op2_error_message());
  return wrong + (end(&m) != OP2_SUCCESS);
}

static void run(const char *backend, int ranks) {
  static struct job plain, tried;
  plain = (struct job){.backend = backend, .ranks = ranks};
  is_int(run_contexts(ranks, work, &plain), 0, "%s, %d ranks: no trials", backend, ranks);
  for (int s = 0; s < SCENES; s++) {
    tried = (struct job){.backend = backend, .scene = &scenes[s], .number = s, .ranks = ranks};
    is_int(run_contexts(ranks, work, &tried), 0, "%s, %d ranks: %s", backend, ranks,
           scenes[s].name);
    ok(!memcmp(plain.values, tried.values, sizeof plain.values) &&
           !memcmp(plain.sums, tried.sums, sizeof plain.sums),
       "and no bit differs");
  }
}

int main(void) {
  static const char *const backends[] = {"openmp", "starpu", NULL};
  const char *backend;
  int b = 0;
  test_environment();
  setenv("OP2_FUSE", "0", 1);
  while ((backend = next_backend_of_ranks(backends, &b)))
    for (int ranks = 2; ranks <= RANKS; ranks++) run(backend, ranks);
  return done();
}
