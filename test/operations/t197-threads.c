/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts are independent: several threads, each with a context of its own, start, run and end at
 * the same time. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { THREADS = 4, ROUNDS = 6, N = 500 };

OP2_KERNEL(spread, (double *a, double *b, const double *w, double *sum), {
  *a += *w;
  *b += 2 * *w;
  *sum += *w;
});
OP2_KERNEL(double_it, (double *x), { *x *= 2; });

struct worker {
  const char *backend;
  int number;
  char problem[400];
};

static op2_status loops(op2_context ctx, struct worker *w, double *x, double *sum) {
  int32_t idx[2 * N];
  double weights[N];
  op2_set edges = NULL, nodes = NULL;
  op2_map map = NULL;
  op2_dat dx = NULL, dw = NULL;
  op2_gbl g = NULL;
  op2_kernel spread = NULL, twice = NULL;
  op2_status status;
  for (int i = 0; i < N; i++)
    idx[2 * i] = i, idx[2 * i + 1] = (i * 7 + w->number) % N, weights[i] = i + w->number;
#define DO(call)                                                                                   \
  if ((status = (call)) != OP2_SUCCESS) return status
  DO(op2_set_create(ctx, N, "edges", &edges));
  DO(op2_set_create(ctx, N, "nodes", &nodes));
  DO(op2_map_create(edges, nodes, 2, idx, "map", &map));
  DO(op2_dat_create(nodes, 1, OP2_F64, NULL, "x", &dx));
  DO(op2_dat_create(edges, 1, OP2_F64, weights, "w", &dw));
  DO(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &g));
  DO(op2_kernel_create(ctx, &spread_kernel, &spread));
  DO(op2_kernel_create(ctx, &double_it_kernel, &twice));
  for (int i = 0; i < 3; i++) {
    DO(op2_par_loop(spread, edges, op2_arg_dat(dx, 0, map, OP2_INC),
                    op2_arg_dat(dx, 1, map, OP2_INC), op2_arg_direct(dw, OP2_READ),
                    op2_arg_gbl(g, OP2_INC)));
    DO(op2_par_loop(twice, nodes, op2_arg_direct(dx, OP2_RW)));
  }
  DO(op2_dat_get(dx, x));
  DO(op2_gbl_get(g, sum));
#undef DO
  op2_kernel_destroy(&spread);
  op2_kernel_destroy(&twice);
  op2_gbl_destroy(&g);
  op2_dat_destroy(&dx);
  op2_dat_destroy(&dw);
  op2_map_destroy(&map);
  op2_set_destroy(&edges);
  op2_set_destroy(&nodes);
  return OP2_SUCCESS;
}

/* Sums are of whole numbers: every order of adding gives the same. */
static bool right(const struct worker *w, const double *x, double sum) {
  double want[N] = {0}, total = 0;
  for (int r = 0; r < 3; r++) {
    for (int i = 0; i < N; i++) {
      const double v = i + w->number;
      want[i] += v, want[(i * 7 + w->number) % N] += 2 * v, total += v;
    }
    for (int i = 0; i < N; i++) want[i] *= 2;
  }
  return memcmp(want, x, sizeof want) == 0 && sum == total;
}

static void *work(void *argument) {
  struct worker *w = argument;
  for (int round = 0; round < ROUNDS && !w->problem[0]; round++) {
    const struct config config = {w->backend, round % 2 == 1, 1 + 16 * w->number};
    const op2_options options = config_options(&config);
    op2_context ctx = NULL;
    double x[N], sum = 0;
    op2_status status = op2_init(&options, &ctx);
    if (!status) status = loops(ctx, w, x, &sum);
    if (status)
      snprintf(w->problem, sizeof w->problem, "%s: %.300s", op2_status_name(status),
               op2_error_message());
    else if (!right(w, x, sum))
      snprintf(w->problem, sizeof w->problem, "wrong in round %d", round);
    if (op2_finalize(&ctx) && !w->problem[0])
      snprintf(w->problem, sizeof w->problem, "end: %.300s", op2_error_message());
  }
  return NULL;
}

static void together(const char *const *backends, const char *name) {
  pthread_t threads[THREADS];
  struct worker workers[THREADS];
  int failed = 0;
  for (int t = 0; t < THREADS; t++) {
    workers[t] = (struct worker){backends[t % 4], t, ""};
    if (pthread_create(&threads[t], NULL, work, &workers[t]) != 0) {
      ok(false, "a thread cannot be made");
      return;
    }
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    if (workers[t].problem[0])
      diag("thread %d on %s: %s", t, workers[t].backend, workers[t].problem);
    failed += workers[t].problem[0] != '\0';
  }
  ok(failed == 0, "%d threads with contexts of their own: %s", THREADS, name);
}

/* A failure on one thread does not change the message of another. */
static void *fail_once(void *argument) {
  op2_set set = NULL;
  const op2_status status = op2_set_create(NULL, 1, "other", &set);
  *(bool *)argument = status == OP2_ERR_STATE && op2_error_message()[0];
  return NULL;
}

static void messages(void) {
  pthread_t thread;
  op2_gbl gbl = NULL;
  bool failed = false;
  char before[512];
  FAILS(op2_gbl_create(NULL, 1, OP2_F64, NULL, "mine", &gbl), OP2_ERR_STATE);
  snprintf(before, sizeof before, "%s", op2_error_message());
  if (pthread_create(&thread, NULL, fail_once, &failed) == 0) pthread_join(thread, NULL);
  ok(failed && strcmp(before, op2_error_message()) == 0, "each thread has a message of its own");
}

int main(void) {
  static const char *const names[] = {"sequential", "openmp", "starpu", "check"};
  const char *usable[4];
  test_environment();
  messages();
  for (int b = 0; b < 4; b++) {
    const char *why = op2_backend_unavailable(names[b]);
    usable[b] = why ? "sequential" : names[b];
    if (why) {
      skip("%s: %s", names[b], why);
      continue;
    }
    together((const char *const[]){names[b], names[b], names[b], names[b]}, names[b]);
  }
  together(usable, "all backends at once");
  return done();
}
