/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of vector code without prefetches, and of scalar code: the rule, with times that the test
 * invents; both results on all backends; what op2_explain() says; that programs that are kept run the faster
 * form from then on, and later loops with the same code from the beginning; and that no bit of any
 * result changes. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend.h"
#include "choice.h"
#include "context.h"
#include "jit_state.h"
#include "kept_form.h"
#include "loop_table.h"
#include "loopdata.h"
#include "machine.h"
#include "mem.h"
#include "passes.h"
#include "place.h"
#include "program_keep.h"
#include "support.h"
#include "trial.h"

/* ---- the rule -------------------------------------------------------------------------------- */

enum { ELEMENTS = 1000, MANY = 1000 };
static const double ms = 1e-3;

/* Let both forms run in turn, n times each and once before that; true if the trial has ended. */
static bool run_pairs(struct op2i_trial *trial, int n, double vector, double scalar, bool *faster) {
  bool over = false;
  op2i_trial_begin(trial, ELEMENTS, vector);
  for (int run = 0; run < 2 * (n + 1) && !over; run++) {
    const bool first = run < 2;
    const enum op2i_tried form = trial->next;
    op2i_trial_count(trial, form, ELEMENTS,
                     first                      ? 9 * ms
                     : form == OP2I_TRIED_OTHER ? scalar
                                                : vector);
    over = op2i_trial_decide(trial, faster);
  }
  return over;
}

static void test_times(void) {
  struct op2i_trial trial = {0};
  bool faster;
  ok(run_pairs(&trial, 8, 2 * ms, 1 * ms, &faster) && faster,
     "scalar code at half the time is kept");
  is_int(trial.form[OP2I_TRIED_OTHER].runs, 8, "after eight runs of it that count");
  is_int(trial.form[OP2I_TRIED_USUAL].runs, 8, "and as many of vector code");
  ok(run_pairs(&trial, 8, 1 * ms, 0.96 * ms, &faster) && faster,
     "so is scalar code that saves 4 %%");
  ok(run_pairs(&trial, 8, 1 * ms, 0.98 * ms, &faster) && !faster, "but not if it saves 2 %%");
  ok(run_pairs(&trial, 3, 1 * ms, 1.3 * ms, &faster) && !faster, "without hope there are few runs");
  ok(!run_pairs(&trial, 7, 1 * ms, 1.2 * ms, &faster), "with some hope there are more");
  ok(!run_pairs(&trial, 20, 2e-6, 1e-6, &faster), "short runs are repeated more often");
  ok(run_pairs(&trial, 64, 2e-6, 1e-6, &faster) && faster, "but not for ever");
}

/* All runs of a form but one take ten times as long. */
static void test_preempted(void) {
  for (int slow = 0; slow < OP2I_TRIED_FORMS; slow++)
    for (int good = 0; good < 8; good++) {
      struct op2i_trial trial = {0};
      bool faster = false, over = false;
      op2i_trial_begin(&trial, ELEMENTS, 0.2 * ms);
      for (int run = 0; run < 18; run++) {
        const int form = trial.next;
        const double time = form == OP2I_TRIED_OTHER ? 0.2 * ms : 0.24 * ms;
        const int number = trial.form[form].runs;
        const bool disturbed = number != good && (int)form == slow && good < 3;
        op2i_trial_count(&trial, (enum op2i_tried)form, ELEMENTS, disturbed ? 10 * time : time);
        over = op2i_trial_decide(&trial, &faster);
      }
      if (!over || !faster) ok(false, "form %d is disturbed, but for run %d", slow, good);
    }
  ok(true, "the fastest run of each form counts");
}

static void test_sizes(void) {
  struct op2i_trial trial = {0};
  op2i_trial_begin(&trial, ELEMENTS, ms);
  for (int run = 0; run < 8; run++) op2i_trial_count(&trial, trial.next, ELEMENTS / 2, run * ms);
  is_int(trial.form[OP2I_TRIED_OTHER].runs, -1, "runs over fewer elements do not count");
}

/* Scalar code takes so many times as long: the time that its runs waste, in usual runs. */
static double wasted(double times, double usual) {
  struct op2i_trial trial = {0};
  bool faster, over = false;
  double lost = 0;
  op2i_trial_begin(&trial, ELEMENTS, usual);
  for (int run = 0; run < MANY && !over; run++) {
    const bool scalar = trial.next == OP2I_TRIED_OTHER;
    lost += scalar ? (times - 1) * usual : 0;
    op2i_trial_count(&trial, trial.next, ELEMENTS, scalar ? times * usual : usual);
    over = op2i_trial_decide(&trial, &faster);
  }
  if (!over || faster != (times < 1)) ok(false, "scalar code takes %g of the time", times);
  return lost / usual;
}

static void test_slow(void) {
  struct op2i_trial trial = {0};
  double most = 0;
  bool faster;
  for (double times = 1.02; times <= 16; times *= 1.05)
    if (wasted(times, 1) > most) most = wasted(times, 1);
  ok(most <= 23, "a trial wastes at most 23 runs of vector code (%.1f)", most);
  ok(wasted(16, 1) == 15, "one run of code that takes 16 times as long is enough");
  op2i_trial_begin(&trial, ELEMENTS, 1);
  op2i_trial_count(&trial, OP2I_TRIED_OTHER, ELEMENTS, 16);
  ok(op2i_trial_decide(&trial, &faster) && !faster && !op2i_trial_compared(&trial),
     "which is not taken for a comparison");
  op2i_trial_begin(&trial, ELEMENTS, 1e-5);
  op2i_trial_count(&trial, OP2I_TRIED_OTHER, ELEMENTS, 5 * ms);
  ok(!op2i_trial_decide(&trial, &faster), "but a short run that was disturbed ends nothing");
}

/* The number of runs before the trial may begin. */
static int64_t runs_before(double compilation, double run) {
  const struct op2i_trial trial = {.compile_seconds = compilation};
  int64_t runs = 1;
  while (!op2i_trial_due(&trial, runs, run)) runs++;
  return runs;
}

/* The number of runs of a trial in which the other candidate takes so many times as long. */
static int64_t runs_of_trial(double times, double usual) {
  struct op2i_trial trial = {0};
  bool other, over = false;
  int64_t n = 0;
  op2i_trial_begin(&trial, ELEMENTS, usual);
  for (; n < MANY && !over; n++) {
    const bool slow = trial.next == OP2I_TRIED_OTHER;
    op2i_trial_count(&trial, trial.next, ELEMENTS, slow ? times * usual : usual);
    over = op2i_trial_decide(&trial, &other);
  }
  return n;
}

/* The trial costs a compilation, and at most 23 runs and 0.02 seconds, as test_slow() shows. */
static double worst(double compilation, double run) {
  const double without = compilation + (double)runs_before(compilation, run) * run;
  return (without + compilation + 23 * run + 0.02) / without;
}

/* The number of runs before the trial of prefetches may begin. */
static int64_t runs_before_prefetches(double run) {
  int64_t runs = 1;
  while (!op2i_prefetch_trial_due(runs, run)) runs++;
  return runs;
}

/* The same as worst() with a trial of prefetches before it. Runs until its end do not count. */
static double worst_of_both(double compilation, double run, double times) {
  const int64_t runs =
      runs_before(compilation, run) + runs_before_prefetches(run) + runs_of_trial(times, run);
  const double without = compilation + (double)runs * run;
  return (without + compilation + 23 * run + wasted(times, run) * run + 0.02) / without;
}

static void test_both(void) {
  const struct op2i_trial trial = {.before = 40, .compile_seconds = 0.1};
  double most = 0;
  ok(!op2i_trial_due(&trial, 167, 1) && op2i_trial_due(&trial, 169, 1),
     "runs until the end of the trial before this one do not count");
  for (double compilation = 0.1; compilation < 30; compilation *= 2)
    for (double run = 1 * ms; run < 100; run *= 2)
      for (double times = 1.02; times <= 3; times += 0.02)
        if (worst_of_both(compilation, run, times) > most)
          most = worst_of_both(compilation, run, times);
  ok(most <= 1.2, "a program that ends after both trials takes at most 1.2 of the time (%.3f)",
     most);
}

static void test_prefetch_due(void) {
  double most = 0, longest = 0;
  is_int(runs_before_prefetches(1), 32, "prefetches are tried after 32 runs");
  is_int(runs_before_prefetches(0.5 * ms), 40, "that took 20 ms");
  is_int(runs_before_prefetches(2e-6), 10000, "so there are more of short runs");
  for (double times = 1.02; times <= 3; times += 0.01)
    if (wasted(times, 1) > most) most = wasted(times, 1);
  ok(most <= 8, "the trial wastes at most 8 runs (%.2f)", most);
  for (double run = 1e-6; run < 1; run *= 1.1)
    for (double times = 1.02; times <= 3; times += 0.01) {
      const int64_t runs = runs_before_prefetches(run) + runs_of_trial(times, run);
      const double share = wasted(times, run) / (double)runs;
      if (share > longest) longest = share;
    }
  ok(longest <= 0.2, "a program that ends after it takes at most 1.2 of the time (%.3f)",
     1 + longest);
}

static void test_due(void) {
  double most = 0;
  is_int(runs_before(1, 1), 134,
         "a loop of long runs is tried after 128, and as long as six compilations");
  is_int(runs_before(1, 0.5), 140, "of shorter runs there are more");
  is_int(runs_before(0.001, 0.5), 130, "a tenth of a second is expected at least");
  is_int(runs_before(0, 0.5), 130, "and more where code came from the cache");
  is_int(runs_before(0, 0.25), 132, "that is 0.15 s");
  for (double compilation = 0.1; compilation < 30; compilation *= 2)
    for (double run = 1 * ms; run < 100; run *= 2)
      if (worst(compilation, run) > most) most = worst(compilation, run);
  ok(most <= 1.2, "a program that ends after it takes at most 1.2 of the time (%.3f)", most);
  ok(op2i_trials_affordable(0, 1, 6) && !op2i_trials_affordable(0, 1, 5.9),
     "all compilations for trials take a sixth of the other time at most");
  ok(op2i_trials_affordable(1, 1, 13) && !op2i_trials_affordable(1, 1, 12.9),
     "with those that took longer than expected");
}

/* ---- loops ----------------------------------------------------------------------------------- */

OP2_KERNEL(move, (double *y, const double *x), { *y += 0.3 * *x; });
OP2_KERNEL(invert, (double *z, const double *y), { *z = 1 / (2 + *y); });
OP2_KERNEL(spread, (const double *w, const double *x[2], double *v[2]), {
  v[0][0] += w[0] * x[0][0] + w[1] * x[1][0];
  v[1][0] += w[1] * x[0][0] - w[0] * x[1][0];
});
OP2_KERNEL(total, (const double *v, const float *f, double *sum, float *most), {
  sum[0] += *v;
  if (*f > *most) *most = *f;
});

enum { N = 1013, STEPS = 60 };

struct result {
  double y[N], z[N], v[N], sum;
  float most;
};

static op2_dat dat(op2_set set, int dim, const char *name) {
  double *values = scratch((size_t)(N * dim), sizeof *values);
  for (int i = 0; i < N * dim; i++) values[i] = 1.0 / (1 + i * 37 % 101) - 0.1;
  return new_dat(set, dim, OP2_F64, values, name);
}

/* Run all loops as often as a trial needs, over a set of their own. */
static void run_loops(int steps, struct result *out) {
  int32_t *ends = scratch(2 * N, sizeof *ends);
  float *numbers = scratch(N, sizeof *numbers);
  for (int i = 0; i < 2 * N; i++) ends[i] = i * 7 % N;
  for (int i = 0; i < N; i++) numbers[i] = (float)(i * 31 % 97);
  op2_set nodes = new_set(N, "nodes"), edges = new_set(N, "edges");
  op2_map map = new_map(edges, nodes, 2, ends, "ends");
  op2_dat x = dat(nodes, 1, "x"), y = dat(nodes, 1, "y"), z = dat(nodes, 1, "z");
  op2_dat v = dat(nodes, 1, "v"), w = dat(edges, 2, "w");
  op2_dat f = new_dat(nodes, 1, OP2_F32, numbers, "f");
  op2_gbl sum = new_gbl(1, OP2_F64, NULL, "sum"), most = new_gbl(1, OP2_F32, NULL, "most");
  op2_kernel kernels[] = {new_kernel(&spread_kernel), new_kernel(&move_kernel),
                          new_kernel(&invert_kernel), new_kernel(&total_kernel)};
  for (int s = -2; s < steps; s++) {
    MUST(op2_par_loop(kernels[0], edges, op2_arg_direct(w, OP2_READ),
                      op2_arg_dat(x, OP2_ALL, map, OP2_READ),
                      op2_arg_dat(v, OP2_ALL, map, OP2_INC)));
    if (s < 0) { /* a program of the first loop alone, whose next run would be vector code */
      MUST(op2_flush(test_ctx));
      continue;
    }
    MUST(op2_par_loop(kernels[1], nodes, op2_arg_direct(y, OP2_RW), op2_arg_direct(x, OP2_READ)));
    MUST(
        op2_par_loop(kernels[2], nodes, op2_arg_direct(z, OP2_WRITE), op2_arg_direct(y, OP2_READ)));
    MUST(op2_flush(test_ctx));
    MUST(op2_par_loop(kernels[3], nodes, op2_arg_direct(v, OP2_READ), op2_arg_direct(f, OP2_READ),
                      op2_arg_gbl(sum, OP2_INC), op2_arg_gbl(most, OP2_MAX)));
    MUST(op2_flush(test_ctx));
  }
  MUST(op2_dat_get(y, out->y));
  MUST(op2_dat_get(z, out->z));
  MUST(op2_dat_get(v, out->v));
  MUST(op2_gbl_get(sum, &out->sum));
  MUST(op2_gbl_get(most, &out->most));
}

static bool in_vectors(void) { return test_ctx->backend->variant == OP2I_VECTOR; }

/* Compiled loops are kept in a folder for this case alone, in this configuration. */
static void keep_in(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s-%s-%d-%d", test_scratch(), name, test_config.backend,
           test_config.eager, test_config.block_size);
  (void)mkdir(path, 0700);
  op2i_free(test_ctx->config.cache_dir);
  test_ctx->config.cache_dir = op2i_strdup(path);
}

/* The newest loop of that name, or null. */
static struct op2i_loop *find(const char *name) {
  struct op2i_loop *found = NULL;
  for (struct op2i_loop *loop = test_ctx->loops->first; loop; loop = loop->entry.next)
    if (!strcmp(op2i_loop_name(loop), name)) found = loop;
  return found;
}

/* The names of the loops that run at last. */
static int names(const char *list[4]) {
  const bool fused = !test_config.eager && test_ctx->backend->passes;
  int n = 0;
  list[n++] = "spread";
  list[n++] = "total";
  list[n++] = fused ? "move+invert" : "move";
  if (!fused) list[n++] = "invert";
  return n;
}

static int steps_of(const struct op2i_program *programs, const struct op2i_loop *loop,
                    const void *function) {
  int n = 0;
  for (const struct op2i_program *program = programs; program; program = program->next)
    for (int64_t s = 0; s < program->nsteps; s++)
      n += program->steps[s].loop == loop && (!function || program->steps[s].function == function);
  return n;
}

/* True if the loop is in programs that are kept, and runs this function in all of them. */
static bool runs(const struct op2i_loop *loop, const void *function) {
  const struct op2i_caches *caches = &test_ctx->sched->caches;
  int all = steps_of(caches->programs, loop, NULL);
  int good = steps_of(caches->programs, loop, function);
  for (int i = 0; i < OP2I_ALONE_LISTS; i++) {
    all += steps_of(caches->alone[i], loop, NULL);
    good += steps_of(caches->alone[i], loop, function);
  }
  return function && all > 0 && all == good;
}

static bool same(const struct result *a, const struct result *b) {
  return !memcmp(a->y, b->y, sizeof a->y) && !memcmp(a->z, b->z, sizeof a->z) &&
         !memcmp(a->v, b->v, sizeof a->v) && !memcmp(&a->sum, &b->sum, sizeof a->sum) &&
         !memcmp(&a->most, &b->most, sizeof a->most);
}

/* Run with a trial of this kind, and compare with vector code alone. */
static void compare(int trial, int steps) {
  static struct result plain, tried;
  if (!in_vectors()) return;
  test_ctx->config.trial = OP2I_TRIAL_NEVER;
  run_loops(steps, &plain);
  test_ctx->config.trial = trial;
  run_loops(steps, &tried);
  EXPECT(same(&plain, &tried));
}

/* ---- both results ---------------------------------------------------------------------------- */

static void expect_kept(bool scalar) {
  const char *list[4];
  for (int n = names(list) - 1; n >= 0 && in_vectors(); n--) {
    const struct op2i_loop *loop = find(list[n]);
    expect_at(__FILE__, __LINE__, loop && loop->form.scalar_faster == scalar, list[n]);
    if (!loop) continue;
    expect_at(__FILE__, __LINE__,
              runs(loop, loop->code.function[scalar ? OP2I_PLAIN : OP2I_VECTOR]), list[n]);
  }
}

static void test_scalar_kept(void) {
  keep_in("scalar");
  compare(OP2I_TRIAL_SCALAR, STEPS);
  expect_kept(true);
  EXPECT(
      explains("    scalar code: 0.50 of the time of vector code in a trial of 8 runs of each") ==
      in_vectors());
  EXPECT(!explains("found in the cache"));
}

static void test_vector_kept(void) {
  keep_in("vector");
  compare(OP2I_TRIAL_VECTOR, STEPS);
  expect_kept(false);
  EXPECT(explains("scalar code was tried: 2.00 of the time of vector code in a trial of 3 runs") ==
         in_vectors());
}

/* Each flush makes its program anew, so steps get their form when they are made. */
static void test_no_replay(void) {
  const char *list[4];
  keep_in("no-replay");
  test_ctx->config.replay = 0;
  compare(OP2I_TRIAL_SCALAR, STEPS);
  for (int n = names(list) - 1; n >= 0 && in_vectors(); n--) {
    const struct op2i_loop *loop = find(list[n]);
    expect_at(__FILE__, __LINE__, loop && loop->form.scalar_faster, list[n]);
  }
}

/* ---- prefetches ------------------------------------------------------------------------------ */

static op2i_plain_fn counted;
static _Atomic int64_t with_prefetches, without_prefetches;

/* Stands in for a loop's vector code: counts what its calls ask for. */
static void count_calls(const struct op2i_call *call, int64_t lo, int64_t hi,
                        unsigned char *partial) {
  if (call->distance)
    with_prefetches++;
  else
    without_prefetches++;
  counted(call, lo, hi, partial);
}

/* From now on the loop's runs are counted. */
static void count_runs_of(const char *name) {
  struct op2i_loop *loop = find(name);
  EXPECT(loop && loop->code.function[OP2I_VECTOR]);
  if (!loop || !loop->code.function[OP2I_VECTOR]) return;
  counted = (op2i_plain_fn)loop->code.function[OP2I_VECTOR];
  loop->code.function[OP2I_VECTOR] = (void *)count_calls;
  op2i_programs_switch(test_ctx->sched, loop, (void *)count_calls, op2i_loop_distance(loop));
  with_prefetches = without_prefetches = 0;
}

OP2_KERNEL(gather, (double *z, const double *x[2]), { z[1] = z[0] * x[0][0] - x[1][0]; });

/* Run one loop that prefetches, and count its runs from the second one on. */
static void run_gather(double z[2 * N]) {
  int32_t *ends = scratch(2 * N, sizeof *ends);
  for (int i = 0; i < 2 * N; i++) ends[i] = i * 5 % N;
  op2_set nodes = new_set(N, "nodes"), edges = new_set(N, "edges");
  op2_map map = new_map(edges, nodes, 2, ends, "ends");
  op2_dat x = dat(nodes, 1, "x"), to = dat(edges, 2, "z");
  op2_kernel kernel = new_kernel(&gather_kernel);
  for (int s = 0; s < STEPS; s++) {
    MUST(op2_par_loop(kernel, edges, op2_arg_direct(to, OP2_RW),
                      op2_arg_dat(x, OP2_ALL, map, OP2_READ)));
    MUST(op2_flush(test_ctx));
    if (s == 0) count_runs_of("gather");
  }
  MUST(op2_dat_get(to, z));
}

static void test_both_settings_run(void) {
  static double plain[2 * N], tried[2 * N];
  if (!in_vectors()) return;
  keep_in("settings");
  test_ctx->config.trial = OP2I_TRIAL_NEVER;
  run_gather(plain);
  EXPECT(with_prefetches > 0 && without_prefetches == 0);
  test_ctx->config.trial = OP2I_TRIAL_VECTOR;
  run_gather(tried);
  EXPECT(with_prefetches > 0 && without_prefetches > with_prefetches);
  EXPECT(!memcmp(plain, tried, sizeof plain));
}

static int steps_at(const struct op2i_program *programs, const struct op2i_loop *loop,
                    int64_t distance) {
  int n = 0;
  for (const struct op2i_program *program = programs; program; program = program->next)
    for (int64_t s = 0; s < program->nsteps; s++)
      n += program->steps[s].loop == loop && program->steps[s].call.distance == distance;
  return n;
}

/* True if all kept steps of the loop prefetch so far ahead. */
static bool prefetches_at(const struct op2i_loop *loop, int64_t distance) {
  const struct op2i_caches *caches = &test_ctx->sched->caches;
  int all = steps_of(caches->programs, loop, NULL);
  int good = steps_at(caches->programs, loop, distance);
  for (int i = 0; i < OP2I_ALONE_LISTS; i++) {
    all += steps_of(caches->alone[i], loop, NULL);
    good += steps_at(caches->alone[i], loop, distance);
  }
  return all > 0 && all == good;
}

static void test_without_prefetches(void) {
  keep_in("prefetches");
  compare(OP2I_TRIAL_VECTOR, STEPS);
  if (!in_vectors()) return;
  const struct op2i_loop *loop = find("spread"), *other = find("total");
  EXPECT(loop && loop->form.prefetches && loop->form.prefetch_slower && prefetches_at(loop, 0));
  EXPECT(other && !other->form.prefetches && !other->form.prefetch_slower);
  EXPECT(explains("    without prefetches: 0.50 of the time with them in a trial of 8 runs of each "
                  "(987.17 and 1974.33 ns per element)\n"));
}

/* The result is used in later loops, unless trials are switched off. */
static void test_prefetches_recalled(void) {
  keep_in("prefetches-again");
  compare(OP2I_TRIAL_VECTOR, STEPS);
  compare(OP2I_TRIAL_MEASURED, 4);
  if (!in_vectors()) return;
  const struct op2i_loop *loop = find("spread");
  EXPECT(loop && loop->form.prefetch_slower && prefetches_at(loop, 0));
  EXPECT(explains("    without prefetches: 0.50 of the time with them in a trial of 8 runs of each "
                  "(987.17 and 1974.33 ns per element), found in the cache\n"));
  test_ctx->config.trial = OP2I_TRIAL_NEVER;
  static struct result result;
  run_loops(4, &result);
  loop = find("spread");
  EXPECT(loop && !loop->form.prefetch_slower && prefetches_at(loop, OP2I_PREFETCH_DISTANCE));
}

static bool read_choice(struct op2i_loop *loop, struct op2i_key *key, struct op2i_choice *choice) {
  const char *source = loop->code.source[OP2I_VECTOR];
  const struct op2i_jit_code code = op2i_code_of(loop, OP2I_VECTOR, source);
  bool found;
  MUST(op2i_code_key(test_ctx, &code, key));
  MUST(op2i_choice_read(test_ctx, *key, OP2I_IN_CORE_CACHE, choice, &found));
  return found;
}

/* A file has the results of both trials, and what a loop has not tried stays in it. */
static void test_both_results(void) {
  struct op2i_key key;
  struct op2i_choice choice;
  keep_in("both");
  compare(OP2I_TRIAL_VECTOR, STEPS);
  struct op2i_loop *loop = in_vectors() ? find("spread") : NULL;
  if (!loop) return;
  struct op2i_loop_data *data = loop->attached.sched_data;
  EXPECT(read_choice(loop, &key, &choice));
  EXPECT(choice.prefetch.known && choice.prefetch.second && choice.prefetch.elements == N);
  EXPECT(choice.scalar.known && !choice.scalar.second && choice.scalar.runs == 3);
  data->trials[OP2I_TRY_PREFETCH] = (struct op2i_trial){0};
  op2i_form_keep(loop);
  EXPECT(read_choice(loop, &key, &choice) && choice.prefetch.known && choice.prefetch.second);
  data->trials[OP2I_TRY_SCALAR] = (struct op2i_trial){0};
  op2i_form_keep(loop);
  EXPECT(read_choice(loop, &key, &choice) && choice.scalar.known && choice.scalar.runs == 3);
  choice.prefetch.second = false;
  op2i_choice_write(test_ctx, key, OP2I_IN_CORE_CACHE, &choice);
  MUST(op2i_form_recall(loop));
  EXPECT(!loop->form.prefetch_slower && data->trials[OP2I_TRY_PREFETCH].recalled);
  EXPECT(explains("    was tried without prefetches: 0.50 of the time with them in a trial of 8"));
}

/* ---- later loops with the same code ----------------------------------------------------------- */

static int64_t ncompiled(void) {
  struct op2i_jit_stats stats;
  op2i_jit_statistics(test_ctx, &stats);
  return stats.compiled;
}

static void test_recalled(void) {
  const char *list[4];
  keep_in("scalar-again");
  compare(OP2I_TRIAL_SCALAR, STEPS);
  const int64_t compiled = ncompiled();
  compare(OP2I_TRIAL_MEASURED, 4);
  for (int n = names(list) - 1; n >= 0 && in_vectors(); n--) {
    const struct op2i_loop *loop = find(list[n]);
    expect_at(__FILE__, __LINE__,
              loop && loop->form.scalar_faster && !loop->code.function[OP2I_VECTOR] &&
                  runs(loop, loop->code.function[OP2I_PLAIN]),
              list[n]);
  }
  EXPECT(!in_vectors() || ncompiled() == compiled);
  EXPECT(explains("in a trial of 8 runs of each") == in_vectors());
  EXPECT(explains("found in the cache") == in_vectors());
}

static void test_recalled_vector(void) {
  keep_in("vector-again");
  compare(OP2I_TRIAL_VECTOR, STEPS);
  compare(OP2I_TRIAL_MEASURED, 4);
  if (!in_vectors()) return;
  const struct op2i_loop *loop = find("spread");
  const struct op2i_trial *trial =
      loop ? &((struct op2i_loop_data *)loop->attached.sched_data)->trials[OP2I_TRY_SCALAR] : NULL;
  EXPECT(trial && trial->over && trial->recalled && !loop->form.scalar_faster);
  EXPECT(explains("found in the cache"));
}

/* Change one bit of each kept choice. */
static int damage(void) {
  int n = 0;
  DIR *list = opendir(test_ctx->jit->cache.folder.path);
  for (const struct dirent *item; list && (item = readdir(list));) {
    char path[1024];
    const char *suffix = strrchr(item->d_name, '.');
    if (!suffix || strcmp(suffix, ".try") != 0) continue;
    snprintf(path, sizeof path, "%s/%s", test_ctx->jit->cache.folder.path, item->d_name);
    FILE *file = fopen(path, "r+");
    int byte = file && !fseek(file, 56, SEEK_SET) ? fgetc(file) : EOF;
    if (byte != EOF && !fseek(file, 56, SEEK_SET)) n += fputc(byte ^ 4, file) != EOF;
    if (file) fclose(file);
  }
  if (list) closedir(list);
  return n;
}

static bool recalls(struct op2i_loop *loop) {
  loop->form.scalar_faster = false;
  MUST(op2i_form_recall(loop));
  return loop->form.scalar_faster;
}

/* Keep a trial's result, which a recall that found none has removed from the loop. */
static void keep_scalar(struct op2i_loop *loop, struct op2i_trial result) {
  ((struct op2i_loop_data *)loop->attached.sched_data)->trials[OP2I_TRY_SCALAR] = result;
  loop->form.scalar_faster = true;
  op2i_form_keep(loop);
}

static struct op2i_trial trial_of(const struct op2i_loop *loop) {
  return ((struct op2i_loop_data *)loop->attached.sched_data)->trials[OP2I_TRY_SCALAR];
}

static void test_trusted(void) {
  keep_in("trusted");
  compare(OP2I_TRIAL_SCALAR, STEPS);
  struct op2i_loop *loop = in_vectors() ? find("spread") : NULL;
  if (!loop) return;
  const struct op2i_trial result = trial_of(loop);
  struct op2i_key key;
  struct op2i_choice choice;
  EXPECT(recalls(loop));
  EXPECT(damage() > 0);
  EXPECT(!recalls(loop));
  keep_scalar(loop, result);
  EXPECT(read_choice(loop, &key, &choice));
  EXPECT(choice.scalar.known && choice.scalar.second && !choice.prefetch.known);
  choice.scalar_key.low++;
  op2i_choice_write(test_ctx, key, OP2I_IN_CORE_CACHE, &choice);
  EXPECT(!recalls(loop)); /* the scalar code was another one */
}

/* The form that was faster in a cache is not chosen for a larger mesh. */
static void test_memories(void) {
  const struct op2i_machine *machine = op2i_machine();
  const double last[] = {(double)machine->l2_bytes, (double)op2i_machine_cached(machine)};
  keep_in("memories");
  compare(OP2I_TRIAL_SCALAR, STEPS);
  struct op2i_loop *loop = in_vectors() ? find("spread") : NULL;
  if (!loop) return;
  const struct op2i_trial result = trial_of(loop);
  const double bytes = loop->bytes;
  EXPECT(bytes <= last[0] && recalls(loop));
  for (int m = 0; m < 2; m++) {
    loop->bytes = last[m] + 1;
    EXPECT(!recalls(loop));
    keep_scalar(loop, result);
    EXPECT(recalls(loop));
  }
  loop->bytes = bytes;
}

/* ---- functions of the math library ----------------------------------------------------------- */

/* The compiler could compute results for constant arguments by itself, in one form of code and not
 * in the other one. */
OP2_KERNEL(functions, (const double *x, double *y), {
  y[0] += exp(*x) + sin(0.3) * *x + pow(fabs(*x) + 0.1, 0.7) + exp(0.7) * *x;
  y[1] += erf(*x) + erf(0.7) * *x + tgamma(1.3) * *x + log(5 * *x * *x + 0.1) + atan2(*x, 0.3);
});

/* Return the sums of STEPS runs, half of which are scalar code if scalar code wins a trial. */
static void sum_functions(int trial, double sums[2 * N], bool *tried) {
  test_ctx->config.trial = trial;
  op2_set set = new_set(N, "points");
  op2_dat x = dat(set, 1, "x"), y = dat(set, 2, "y");
  op2_kernel kernel = new_kernel(&functions_kernel);
  for (int s = 0; s < STEPS; s++) {
    MUST(op2_par_loop(kernel, set, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_INC)));
    MUST(op2_flush(test_ctx));
  }
  MUST(op2_dat_get(y, sums));
  const struct op2i_loop *loop = find("functions");
  *tried = loop && loop->form.scalar_faster;
}

static void compare_functions(int libm) {
  static double plain[2 * N], tried[2 * N];
  bool none, scalar;
  keep_in(libm ? "libm" : "math");
  test_ctx->config.libm = libm;
  if (!in_vectors()) return;
  sum_functions(OP2I_TRIAL_NEVER, plain, &none);
  sum_functions(OP2I_TRIAL_SCALAR, tried, &scalar);
  EXPECT(!none && scalar);
  EXPECT(!memcmp(plain, tried, sizeof plain));
}

static void test_own_functions(void) { compare_functions(0); }
static void test_library_functions(void) { compare_functions(1); }

/* ---- where there is no trial ----------------------------------------------------------------- */

static void expect_none(const char *why) {
  static struct result result;
  run_loops(STEPS, &result);
  const struct op2i_loop *loop = find("spread");
  EXPECT(loop && !loop->form.scalar_faster);
  expect_at(__FILE__, __LINE__, explains(why) == in_vectors(), why);
}

static void test_switched_off(void) {
  test_ctx->config.trial = OP2I_TRIAL_NEVER;
  expect_none("    no trial of both forms: OP2_TRIAL=0\n");
  EXPECT(!op2i_prefetch_open(find("spread")) && !explains("without prefetches"));
}

static void test_width_given(void) {
  test_ctx->config.trial = OP2I_TRIAL_MEASURED;
  test_ctx->config.simd_chosen = false;
  expect_none("    no trial of both forms: OP2_SIMD is set\n");
  EXPECT(!in_vectors() || op2i_prefetch_open(find("spread")));
}

static void test_flags_given(void) {
  test_ctx->config.trial = OP2I_TRIAL_MEASURED;
  test_ctx->config.cflags = op2i_strdup("-O1");
  expect_none("    no trial of both forms: OP2_CFLAGS may change bits\n");
}

int main(void) {
  static const struct test_case cases[] = {
      {"scalar code is faster", test_scalar_kept},
      {"vector code is faster", test_vector_kept},
      {"scalar code was faster for an earlier loop", test_recalled},
      {"vector code was faster for an earlier loop", test_recalled_vector},
      {"programs are not kept", test_no_replay},
      {"code runs with prefetches and without", test_both_settings_run},
      {"vector code is faster without prefetches", test_without_prefetches},
      {"it was faster without prefetches for an earlier loop", test_prefetches_recalled},
      {"results of both trials are kept", test_both_results},
      {"a choice that is damaged or about other code is not used", test_trusted},
      {"a choice is for data in the same caches, or past them", test_memories},
      {"functions of the math library", test_own_functions},
      {"functions of the C library", test_library_functions},
      {"trials are switched off", test_switched_off},
      {"the width of vectors is given", test_width_given},
      {"compiler flags are given", test_flags_given}};
  test_environment();
  test_times();
  test_preempted();
  test_slow();
  test_sizes();
  test_prefetch_due();
  test_due();
  test_both();
  return RUN(cases, RUN_ONE_BLOCK);
}
