/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs are compared with an interpreter of their own, on every backend, lazy and eager.
 *
 *   t600-random [count [seed [only]]]
 *
 * runs `count` programs of a seed, or just program `only` of them. OP2_TEST_RANDOM_COUNT and
 * OP2_TEST_RANDOM_SEED do the same. A program that fails is listed with its seed and number.
 * OP2_TEST_MODES=loops runs each program once more while the calling thread has drawn
 * floating-point modes, without functions among the loops, and compares bits; =calls keeps the
 * functions, which must see these modes.
 * The kernels are those of the seed, or of OP2_TEST_RANDOM_KERNELS: several runs may share them.
 * OP2_TEST_FULL=1 takes 2,000 programs, OP2_TEST_QUICK=1 only the first.
 * OP2_TEST_RANDOM_DEVICES is how many of the programs run on each device, whose compilers take
 * longer than everything else. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "fp_case.h"
#include "program_case.h"
#include "sched_state.h"

enum { BLOCKS = 4, BACKENDS = 6 };

/* StarPU starts OpenCL's loader with no platforms, so OpenCL has to come first, as it does there. */
static const char *const *const backends = every_backend;
static const int block_sizes[BLOCKS] = {1, 2, 7, 1000000};

enum { DEVICES = 2 };       /* these backends come first in the list */
static int most_on_devices; /* the number of programs; their compilers take long */

static struct rkernel *pool[PROGRAM_KERNELS];
static bool fuse_given; /* True if the caller of the test has set OP2_FUSE, for every place. */

static bool place_open(struct place *place) {
  op2_options options = config_options(&place->config);
  /* In most places every block is a task. One has a short queue, and its programs may run inline;
   * this one also fuses loops only when they come again. */
  options.queue_max = place->config.block_size == 2 ? 3 : 0;
  setenv("OP2_CHUNK_US", place->config.block_size == 2 ? "200" : "0", 1);
  if (!fuse_given) setenv("OP2_FUSE", place->config.block_size == 2 ? "1" : "2", 1);
  return place_begin(place, &options, NULL) == OP2_SUCCESS;
}

/* Counts of the events that the test is meant to reach. */
static struct { int64_t fused, replayed, looks, edits, launches, puts, gets, tried; } seen;

static bool place_close(struct place *place) {
  const struct op2i_sched *sched = place->ctx->sched;
  seen.fused += sched->stats.loops_fused;
  seen.replayed += sched->stats.programs_replayed;
  seen.tried += sched->costs.trial_seconds > 0;
  seen.looks += place->looks;
  seen.edits += place->edits;
  place->looks = place->edits = 0;
  if (place->ctx->device) {
    seen.launches += place->ctx->device->counts.launches;
    seen.puts += place->ctx->device->counts.puts;
    seen.gets += place->ctx->device->counts.gets;
  }
  return place_end(place) == OP2_SUCCESS;
}

/* One place per backend, mode and block size; the block size is drawn per program. */
static struct place places[BACKENDS][2][BLOCKS];

static bool usable(int b) {
  const char *only = getenv("OP2_TEST_BACKEND");
  return !backend_unfit(backends[b]) && !(only && *only && strcmp(only, backends[b]) != 0);
}

static void open_all(void) {
  for (int b = 0; b < BACKENDS; b++) {
    const char *why = backend_unfit(backends[b]);
    if (why) skip("%s: %s", backends[b], why);
    for (int e = 0; usable(b) && e < 2; e++)
      for (int s = 0; s < BLOCKS; s++) {
        places[b][e][s].config = (struct config){backends[b], e == 1, block_sizes[s]};
        if (!place_open(&places[b][e][s]))
          ok(false, "context on %s, blocks of %d: %s", backends[b], block_sizes[s],
             op2_error_message());
      }
  }
}

static void close_all(void) {
  bool clean = true;
  for (int b = 0; b < BACKENDS; b++)
    for (int e = 0; usable(b) && e < 2; e++)
      for (int s = 0; s < BLOCKS; s++)
        if (places[b][e][s].ctx) clean = place_close(&places[b][e][s]) && clean;
  ok(clean, "every context ends without a failure");
}

struct counts {
  int run[BACKENDS], failed[BACKENDS][2], loops;
};

static const char *modes_asked; /* null: programs run once */

/* Run the program again while the thread has drawn floating-point modes, which must be unchanged
 * afterwards. */
static bool same_with_modes(const struct rprogram *p, struct place *place, uint64_t *random) {
  const uint64_t digest = place->digest;
  const unsigned drawn = fp_sets[draw_below(random, FP_SETS)] & fp_possible();
  /* The comparisons here are inexact computations, too, so no trap may be set. */
  place->modes = drawn & ~(unsigned)FP_EVERY_TRAP;
  place->other_modes = 0;
  fp_set(place->modes);
  const bool good = program_run(p, place), kept = fp_get() == place->modes;
  fp_set(0);
  const bool alike = place->digest == digest, seen_right = place->other_modes == 0;
  if (good && !(kept && alike && seen_right))
    diag("program %d on %s, %s: %s", p->number, place->config.backend, fp_name(place->modes),
         !alike  ? "other bits"
         : !kept ? "the modes are others"
                 : "functions saw other modes");
  place->modes = 0;
  return good && kept && alike && seen_right;
}

static bool run_here(const struct rprogram *p, struct place *place, uint64_t *random) {
  place->no_calls = modes_asked && strcmp(modes_asked, "loops") == 0;
  return program_run(p, place) && (!modes_asked || same_with_modes(p, place, random));
}

static void run_everywhere(uint64_t seed, int number, struct counts *counts) {
  struct rprogram *p = rprogram_make(seed, number, pool, PROGRAM_KERNELS);
  uint64_t random = seed ^ (uint64_t)number;
  const int s = draw_below(&random, BLOCKS);
  counts->loops += p->loops;
  for (int b = 0; b < BACKENDS; b++) {
    if (!usable(b) || (p->collides && strcmp(backends[b], "check") == 0)) continue;
    if (b < DEVICES && counts->run[b] >= most_on_devices) continue;
    counts->run[b]++;
    for (int e = 0; e < 2; e++) {
      struct place *place = &places[b][e][s];
      if (place->ctx && run_here(p, place, &random)) continue;
      counts->failed[b][e]++;
      /* Leftovers of a failure must not fail the next program. */
      if (place->ctx && !place_close(place)) diag("  and at the end: %s", op2_error_message());
      if (!place_open(place)) diag("cannot open the context again: %s", op2_error_message());
    }
  }
  rprogram_free(p);
}

static int number_of(int argc, char **argv, int i, const char *variable, int otherwise) {
  const char *text = argc > i ? argv[i] : variable ? getenv(variable) : NULL;
  return text && *text ? atoi(text) : otherwise;
}

int main(int argc, char **argv) {
  struct counts counts = {0};
  test_environment();
  /* Half of the time is spent compiling, mostly loops that only one program fuses. */
  setenv("OP2_CFLAGS", "-O1 -march=native -fno-math-errno -ffp-contract=off", 0);
  const int usual_on_devices = quick() ? 10 : thorough() ? 2000 : 16;
  most_on_devices = number_of(0, NULL, 0, "OP2_TEST_RANDOM_DEVICES", usual_on_devices);
  const int usual = quick() ? 40 : thorough() ? 2000 : 90;
  const int count = number_of(argc, argv, 1, "OP2_TEST_RANDOM_COUNT", usual);
  const int seed = number_of(argc, argv, 2, "OP2_TEST_RANDOM_SEED", 1),
            only = number_of(argc, argv, 3, NULL, -1),
            drawn = number_of(0, NULL, 0, "OP2_TEST_RANDOM_KERNELS", seed);
  for (int k = 0; k < PROGRAM_KERNELS; k++) pool[k] = rkernel_make((uint64_t)drawn, k);
  fuse_given = getenv("OP2_FUSE");
  modes_asked = getenv("OP2_TEST_MODES");
  open_all();
  for (int n = only < 0 ? 0 : only; n < (only < 0 ? count : only + 1); n++)
    run_everywhere((uint64_t)seed, n, &counts);
  for (int b = 0; b < BACKENDS; b++)
    for (int e = 0; usable(b) && e < 2; e++)
      ok(counts.failed[b][e] == 0 && counts.run[b] > 0,
         "%d programs of seed %d on %s, %s: %d failed", counts.run[b], seed, backends[b],
         e ? "eager" : "lazy", counts.failed[b][e]);
  diag("%d loops in all programs", counts.loops);
  int runs = 0;
  for (int b = 0; b < BACKENDS; b++) runs += counts.run[b];
  close_all();
  diag("%lld loops were fused, %lld programs run again, %lld calls looked, %lld changed",
       (long long)seen.fused, (long long)seen.replayed, (long long)seen.looks,
       (long long)seen.edits);
  diag("%lld contexts tried scalar code", (long long)seen.tried);
  diag("%lld launches on devices, %lld copies there, %lld back", (long long)seen.launches,
       (long long)seen.puts, (long long)seen.gets);
  ok(only >= 0 || runs < 100 || (modes_asked && strcmp(modes_asked, "loops") == 0) ||
         (4 * seen.looks > runs && 16 * seen.edits > runs),
     "calls are among the loops");
  for (int k = 0; k < PROGRAM_KERNELS; k++) rkernel_free(pool[k]);
  return done();
}
