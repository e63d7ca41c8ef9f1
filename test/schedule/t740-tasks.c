/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs cut into tasks: random programs give the same integers loop by loop and in any order
 * that their dependences allow, the verifier accepts them, and it finds a dependence that was
 * removed. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "mem.h"
#include "registry.h"
#include "support.h"
#include "tap.h"
#include "tasks.h"

enum { NODES = 700, EDGES = 900, LOOPS = 12, DATS = 3 };

static uint64_t random_state;

static uint64_t pick(uint64_t below) {
  random_state += 0x9E3779B97F4A7C15u;
  uint64_t z = random_state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (z ^ z >> 31) % below;
}

/* ---- a backend that runs tasks in an order of its own --------------------------------------- */

static struct {
  int64_t programs, tasks, caught, tried;
  bool drop; /* also remove single dependences and check that the verifier notices */
} seen;

static void run_listed(struct op2i_step *steps, const struct op2i_task *task) {
  op2i_task_run(&steps[task->step], task->kind, task->first, task->last);
}

static bool ready(const struct op2i_task_list *list, const bool *ended, int64_t t) {
  const struct op2i_task *task = &list->tasks[t];
  for (int64_t d = 0; d < task->ndeps; d++)
    if (!ended[list->deps[task->first_dep + d]]) return false;
  return true;
}

/* Run always a random one of the tasks that are ready, or the last one: a task with too few
 * dependences then runs too early. */
static void run_shuffled(struct op2i_step *steps, const struct op2i_task_list *list, bool last) {
  bool *ended = calloc((size_t)(list->ntasks > 0 ? list->ntasks : 1), sizeof *ended);
  for (int64_t left = list->ntasks; left > 0; left--) {
    int64_t t = last ? list->ntasks - 1 : (int64_t)pick((uint64_t)list->ntasks);
    while (last && (ended[t] || !ready(list, ended, t))) t--;
    while (ended[t] || !ready(list, ended, t)) t = (t + 1) % list->ntasks;
    run_listed(steps, &list->tasks[t]);
    ended[t] = true;
  }
  free(ended);
}

/* Replace each dependence in turn by none (a task on itself). Many are implied by others, so not
 * every loss matters. */
static void drop_each(struct op2i_step *steps, struct op2i_task_list *list) {
  for (int64_t t = 0; t < list->ntasks; t++)
    for (int64_t d = 0; d < list->tasks[t].ndeps; d++) {
      int64_t *dep = &list->deps[list->tasks[t].first_dep + d], kept = *dep;
      *dep = t;
      seen.tried++;
      seen.caught += op2i_task_list_verify(steps, list) == OP2_ERR_STATE;
      *dep = kept;
    }
}

static const struct op2i_loop *first_loop(const struct op2i_step *steps, int64_t nsteps) {
  int64_t s = 0;
  while (s + 1 < nsteps && !steps[s].loop) s++;
  return steps[s].loop;
}

static op2_status run_steps(void *state, struct op2i_step *steps, int64_t nsteps) {
  (void)state;
  struct op2i_task_list list;
  op2_status status =
      op2i_tasks_build(first_loop(steps, nsteps)->op.ctx, steps, nsteps, 2, 0, &list);
  if (status) return status;
  status = op2i_task_list_verify(steps, &list);
  if (status) diag("%s", op2_error_message());
  if (seen.drop) drop_each(steps, &list);
  run_shuffled(steps, &list, seen.programs % 2 != 0);
  seen.programs++;
  seen.tasks += list.ntasks;
  op2i_task_list_clear(&list);
  return status;
}

/* ---- random programs ------------------------------------------------------------------------- */

OP2_KERNEL(copy, (const int64_t *a, int64_t *b), { b[0] = 3 * a[0] + 1; });
OP2_KERNEL(scatter, (const int64_t *a, int64_t *b0, int64_t *b1, int64_t *sum), {
  b0[0] += a[0];
  b1[0] -= 2 * a[0];
  sum[0] += a[0];
});
OP2_KERNEL(gather, (const int64_t *a0, const int64_t *a1, int64_t *b), { b[0] += a0[0] ^ a1[0]; });
OP2_KERNEL(order, (int64_t * b0, int64_t *b1, const int64_t *g), {
  int64_t t = b0[0];
  b0[0] = b1[0] + g[0];
  b1[0] = 5 * t - 1;
});
OP2_KERNEL(highest, (const int64_t *a, int64_t *g), { g[0] = a[0] > g[0] ? a[0] : g[0]; });

struct mesh {
  op2_context ctx;
  op2_set nodes, edges, some;
  op2_map ends;
  op2_dat n[DATS], e[DATS];
  op2_gbl sum, top;
  op2_kernel copy, scatter, gather, order, highest;
};

static bool fine(op2_status status) {
  if (status) diag("%s", op2_error_message());
  return status == OP2_SUCCESS;
}

static bool open_mesh(struct mesh *m, const char *backend) {
  int32_t ends[EDGES][2];
  int64_t values[EDGES], some[EDGES / 3];
  op2_options options = {
      .backend = backend, .block_size = 37, .threads = 2, .cache_dir = test_cache()};
  for (int i = 0; i < EDGES; i++) {
    /* Most ends are neighbours, some are far away, some edges are loops. */
    ends[i][0] = (int32_t)(i * (int64_t)NODES / EDGES);
    ends[i][1] = pick(8) ? (ends[i][0] + (int32_t)pick(3)) % NODES : (int32_t)pick(NODES);
    values[i] = (int64_t)pick(1000);
  }
  for (int i = 0; i < EDGES / 3; i++) some[i] = (int64_t)pick(EDGES);
  bool good = fine(op2_init(&options, &m->ctx)) &&
              fine(op2_set_create(m->ctx, NODES, "nodes", &m->nodes)) &&
              fine(op2_set_create(m->ctx, EDGES, "edges", &m->edges)) &&
              fine(op2_subset_create(m->edges, EDGES / 3, some, "some", &m->some)) &&
              fine(op2_map_create(m->edges, m->nodes, 2, ends[0], "ends", &m->ends)) &&
              fine(op2_gbl_create(m->ctx, 1, OP2_I64, NULL, "sum", &m->sum)) &&
              fine(op2_gbl_create(m->ctx, 1, OP2_I64, NULL, "top", &m->top)) &&
              fine(op2_kernel_create(m->ctx, &copy_kernel, &m->copy)) &&
              fine(op2_kernel_create(m->ctx, &scatter_kernel, &m->scatter)) &&
              fine(op2_kernel_create(m->ctx, &gather_kernel, &m->gather)) &&
              fine(op2_kernel_create(m->ctx, &order_kernel, &m->order)) &&
              fine(op2_kernel_create(m->ctx, &highest_kernel, &m->highest));
  for (int d = 0; d < DATS && good; d++)
    good = fine(op2_dat_create(m->nodes, 1, OP2_I64, values, NULL, &m->n[d])) &&
           fine(op2_dat_create(m->edges, 1, OP2_I64, values, NULL, &m->e[d]));
  return good;
}

static op2_status queue_one(struct mesh *m) {
  op2_dat n = m->n[pick(DATS)], n2 = m->n[pick(DATS)], e = m->e[pick(DATS)], e2 = m->e[pick(DATS)];
  op2_set over = pick(3) ? m->edges : m->some;
  switch (pick(6)) {
  case 0:
    return n == n2 ? OP2_SUCCESS
                   : op2_par_loop(m->copy, m->nodes, op2_arg_direct(n, OP2_READ),
                                  op2_arg_direct(n2, OP2_WRITE));
  case 1:
    return e == e2 ? OP2_SUCCESS
                   : op2_par_loop(m->copy, over, op2_arg_direct(e, OP2_READ),
                                  op2_arg_direct(e2, OP2_WRITE));
  case 2:
    return op2_par_loop(m->scatter, over, op2_arg_direct(e, OP2_READ),
                        op2_arg_dat(n, 0, m->ends, OP2_INC), op2_arg_dat(n, 1, m->ends, OP2_INC),
                        op2_arg_gbl(m->sum, OP2_INC));
  case 3:
    return op2_par_loop(m->gather, over, op2_arg_dat(n, 0, m->ends, OP2_READ),
                        op2_arg_dat(n2, 1, m->ends, OP2_READ), op2_arg_direct(e, OP2_INC));
  case 4:
    return op2_par_loop(m->order, over, op2_arg_dat(n, 0, m->ends, OP2_RW),
                        op2_arg_dat(n, 1, m->ends, OP2_RW), op2_arg_gbl(m->top, OP2_READ));
  default:
    return op2_par_loop(m->highest, m->nodes, op2_arg_direct(n, OP2_READ),
                        op2_arg_gbl(m->top, OP2_MAX));
  }
}

static void close_mesh(struct mesh *m) {
  for (int d = 0; d < DATS; d++) {
    op2_dat_destroy(&m->n[d]);
    op2_dat_destroy(&m->e[d]);
  }
  op2_gbl_destroy(&m->sum);
  op2_gbl_destroy(&m->top);
  op2_kernel_destroy(&m->copy);
  op2_kernel_destroy(&m->scatter);
  op2_kernel_destroy(&m->gather);
  op2_kernel_destroy(&m->order);
  op2_kernel_destroy(&m->highest);
  op2_map_destroy(&m->ends);
  op2_set_destroy(&m->some);
  op2_set_destroy(&m->edges);
  op2_set_destroy(&m->nodes);
  if (op2_finalize(&m->ctx) != OP2_SUCCESS) diag("%s", op2_error_message());
}

/* The results of the program: all dats and both globals. */
static int64_t *results(struct mesh *m, int64_t *count) {
  *count = DATS * (NODES + EDGES) + 2;
  int64_t *all = calloc((size_t)*count, sizeof *all), *at = all;
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < DATS && !status; d++, at += NODES + EDGES) {
    status = op2_dat_get(m->n[d], at);
    if (!status) status = op2_dat_get(m->e[d], at + NODES);
  }
  if (!status) status = op2_gbl_get(m->sum, all + *count - 2);
  if (!status) status = op2_gbl_get(m->top, all + *count - 1);
  if (status) diag("%s", op2_error_message());
  return all;
}

static int64_t *run_seed(uint64_t seed, const char *name, const struct op2i_backend *instead,
                         int64_t *count) {
  struct mesh m = {0};
  random_state = seed;
  if (!open_mesh(&m, name)) return NULL;
  const struct op2i_backend *own = m.ctx->backend;
  if (instead) m.ctx->backend = instead;
  for (int l = 0; l < LOOPS; l++)
    if (queue_one(&m) != OP2_SUCCESS) diag("%s", op2_error_message());
  if (op2_flush(m.ctx) != OP2_SUCCESS) diag("%s", op2_error_message());
  int64_t *all = results(&m, count);
  m.ctx->backend = own;
  close_mesh(&m);
  return all;
}

int main(void) {
  int programs = quick() ? 30 : 150, same = 0;
  /* This backend begins and ends like openmp, which has plans, and runs programs as tasks. */
  struct op2i_backend shuffled = op2i_backend_openmp;
  if (op2i_backend_openmp.unavailable()) {
    skip("%s", op2i_backend_openmp.unavailable());
    return done();
  }
  shuffled.run_step = NULL;
  shuffled.run_loops = NULL;
  shuffled.run_steps = run_steps;
  test_environment();
  for (int p = 0; p < programs; p++) {
    int64_t n, n2;
    seen.drop = p == 0;
    int64_t *expected = run_seed((uint64_t)p, "sequential", NULL, &n);
    int64_t *got = run_seed((uint64_t)p, "openmp", &shuffled, &n2);
    same += expected && got && !memcmp(expected, got, (size_t)n * sizeof *got);
    free(expected);
    free(got);
  }
  is_int(same, programs,
         "random programs of tasks in random order equal loop after loop in element order");
  ok(seen.programs >= programs && seen.tasks > 50 * (int64_t)programs,
     "they ran as tasks (%lld in %lld programs)", (long long)seen.tasks, (long long)seen.programs);
  ok(seen.tried > 100 && seen.caught > seen.tried / 20,
     "the verifier missed some dependences taken away: %lld of %lld", (long long)seen.caught,
     (long long)seen.tried);
  return done();
}
