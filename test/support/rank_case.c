/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank_case.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tap.h"

enum { RANKS_MOST = 64 };

struct job {
  struct op2i_comm *comm;
  rank_function *function;
  void *data;
  bool taken; /* the context owns the communicator */
  int result;
  pthread_t thread;
};

static void *work(void *data) {
  struct job *job = data;
  job->result = job->function(job->comm, job->data);
  if (!job->taken) op2i_comm_free(job->comm);
  return NULL;
}

static int run_all(int n, struct op2i_link_speed speed, struct job job) {
  struct op2i_comm *comms[RANKS_MOST];
  struct job jobs[RANKS_MOST];
  int sum = 0;
  if (n > RANKS_MOST || op2i_comm_threads(n, speed, comms)) {
    ok(false, "%d ranks as threads", n);
    return -1;
  }
  for (int r = 0; r < n; r++) {
    jobs[r] = job;
    jobs[r].comm = comms[r];
    if (pthread_create(&jobs[r].thread, NULL, work, &jobs[r])) {
      ok(false, "a thread for rank %d", r);
      _Exit(1); /* the other ranks would wait for this one */
    }
  }
  for (int r = 0; r < n; r++) {
    pthread_join(jobs[r].thread, NULL);
    sum += jobs[r].result;
  }
  return sum;
}

int run_ranks_over(int n, struct op2i_link_speed speed, rank_function *function, void *data) {
  return run_all(n, speed, (struct job){.function = function, .data = data});
}

int run_contexts_over(int n, struct op2i_link_speed speed, rank_function *function, void *data) {
  return run_all(n, speed, (struct job){.function = function, .data = data, .taken = true});
}

int run_ranks(int n, rank_function *function, void *data) {
  return run_ranks_over(n, (struct op2i_link_speed){0}, function, data);
}

int run_contexts(int n, rank_function *function, void *data) {
  return run_contexts_over(n, (struct op2i_link_speed){0}, function, data);
}

op2_options rank_options(const char *backend, bool eager) {
  return (op2_options){.backend = backend,
                       .threads = 1,
                       .eager = eager ? 1 : -1,
                       .block_size = 7,
                       .cache_dir = test_cache()};
}

const char *next_backend_of_ranks(const char *const *backends, int *b) {
#ifdef __SANITIZE_THREAD__
  for (const char *backend; (backend = next_backend(backends, b));) {
    if (!strcmp(backend, "sequential")) return backend;
    skip("%s: the thread sanitizer does not know the locks of its threads", backend);
  }
  return NULL;
#else
  return next_backend(backends, b);
#endif
}
