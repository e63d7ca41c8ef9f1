/* SPDX-License-Identifier: BSD-3-Clause */
/* One of several ranks that are threads fails, in every possible way, each rank in turn. */
#include <stdlib.h>
#include <string.h>

#include "failure_case.h"
#include "support.h"
#include "tap.h"

static void run_all(const char *backend, const struct failure *f) {
  const char *why = failure_unavailable(f);
  int wrong = 0;
  if (why || (f->only && strcmp(f->only, backend) != 0)) {
    if (why) skip("%s: %s: %s", backend, f->what, why);
    return;
  }
  struct scene scene = {.backend = backend, .verify = f->verify, .play = f->play};
  for (scene.ranks = 2; scene.ranks <= 4; scene.ranks++)
    for (scene.victim = 0; scene.victim < scene.ranks; scene.victim++)
      wrong += failure_run(&scene, run_contexts);
  is_int(wrong, 0, "%s: %s", backend, f->what);
}

/* If loops work on a copy in other memory, results are copied to the host when they are read. A
 * rank that lacks memory for this copy fails alone: its values exist, and other ranks get
 * theirs. */
static void run_memory(const char *backend, int ranks) {
  struct scene scene = {.backend = backend, .play = failure_memory};
  const int step = quick() ? 5 : thorough() ? 1 : 2;
  int wrong = 0, tried = 0, all = 0, none = 0, alone = 0, most_alone = getenv("OP2_SHADOW") ? 1 : 0;
  scene.ranks = ranks;
  scene.victim = ranks - 1;
  do {
    scene.n += step;
    tried++;
    int sum = failure_run(&scene, run_contexts);
    all += sum == 1000 * ranks;
    none += sum == 0;
    alone += sum == 1000;
    if (sum && sum != 1000 * ranks && !(sum == 1000 && alone <= most_alone)) {
      diag("allocation %d: %d", (int)scene.n, sum);
      wrong++;
    }
  } while (scene.made >= scene.n && scene.n < 3000);
  is_int(wrong, 0, "%s: one of %d allocations fails: %d times all have failed, %d times none",
         scene.backend, tried, all, none);
  ok(all > 50 / step, "%s: many allocations are missed", scene.backend);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check", NULL};
  const char *backend;
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  for (int b = 0; (backend = next_backend_of_ranks(backends, &b));) {
    for (int f = 0; f < FAILURES; f++) run_all(backend, &failures[f]);
    run_memory(backend, thorough() ? 3 : 2);
  }
  return done();
}
