/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs as those of t600 with half of the kernels compiled beforehand and called by address:
 * they read what the interpreter reads, on every backend, lazy and eager, on one rank and on
 * several. OP2_TEST_FULL=1 takes 300 programs (30 on devices), OP2_TEST_QUICK=1 a few. */
#include <stdlib.h>
#include <string.h>

#include "address_case.h"
#include "context.h"
#include "sched_state.h"

enum { BLOCKS = 4, SEED = 1 };

static struct rkernel *pool[PROGRAM_KERNELS];
static int numbers[PROGRAM_KERNELS];
static op2_function functions[PROGRAM_KERNELS];
static int64_t fused, replayed;

static bool run_programs(struct place *place, int count, int *loops) {
  bool good = true;
  const op2_options options = config_options(&place->config);
  if (!CHECK(place_begin(place, &options, NULL))) return false;
  for (int n = 0; n < count && good; n++) {
    struct rprogram *p = rprogram_make(SEED, n, pool, PROGRAM_KERNELS);
    *loops += p->loops;
    if (!p->collides || strcmp(place->config.backend, "check")) good = program_run(p, place);
    rprogram_free(p);
  }
  fused += place->ctx->sched->stats.loops_fused;
  replayed += place->ctx->sched->stats.programs_replayed;
  return CHECK(place_end(place)) && good;
}

static void run_backend(const char *backend, int count) {
  static const int blocks[BLOCKS] = {7, 1000000, 1, 2};
  for (int e = 0; e < 2; e++)
    for (int b = 0; b < (quick() ? 2 : BLOCKS); b++) {
      int loops = 0;
      struct place place = {.config = {backend, e == 1, blocks[b]}};
      ok(run_programs(&place, count, &loops) && loops > count, "%s, %s, blocks of %d: %d programs",
         backend, e ? "eager" : "lazy", blocks[b], count);
    }
}

static int how_many(const char *backend) {
  if (thorough()) return is_device(backend) ? 30 : 300;
  return is_device(backend) ? 3 : quick() ? 6 : 40;
}

static int as_threads(int n, rank_function *function, void *data) {
  return run_contexts_over(n, (struct op2i_link_speed){0}, function, data);
}

static int on_ranks(const char *backend) {
  const int count = is_device(backend) ? 3 : quick() ? 6 : thorough() ? 300 : 30;
  return programs_on_ranks(backend, 0, SEED, 0, count, as_threads).wrong;
}

int main(void) {
  struct compiled compiled;
  const char *backend;
  test_environment();
  setenv("OP2_CFLAGS", "-O1 -march=native -fno-math-errno -ffp-contract=off", 0);
  setenv("OP2_FUSE", "2", 1);
  address_choose(SEED, numbers);
  program_numbers = numbers;
  for (int k = 0; k < PROGRAM_KERNELS; k++) pool[k] = program_kernel(SEED, k);
  const int n = address_compile(pool, functions, &compiled);
  if (!ok(n == PROGRAM_KERNELS / 2, "%d kernels are compiled beforehand, of %d", n,
          PROGRAM_KERNELS))
    return done();
  program_functions = functions;
  for (int b = 0; (backend = next_backend(every_backend, &b));)
    run_backend(backend, how_many(backend));
  ok(fused > 0 && replayed > 0, "%lld loops were fused, %lld programs run again", (long long)fused,
     (long long)replayed);
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));)
    is_int(on_ranks(backend), 0, "%s: programs on ranks", backend);
  for (int k = 0; k < PROGRAM_KERNELS; k++) rkernel_free(pool[k]);
  case_unload(&compiled);
  return done();
}
