/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints: a program that goes on from one has the bits of a program that was not interrupted,
 * alone and on ranks, also if sets were renumbered; any number of ranks reads what another has
 * written; the last ones are kept; signals; damaged files are passed over. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow_case.h"
#include "init.h"
#include "mesh.h"
#include "rank_case.h"
#include "support.h"

enum { SIDE = 24, STEPS = 9, AT = 4 };

static char folder[512];
static op2_context ctx;

/* A path of checkpoints for one test. */
static const char *path_of(const char *name) {
  static _Thread_local char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static bool is_there(const char *name, int number, const char *end) {
  char file[700];
  snprintf(file, sizeof file, "%s.%06d.h5%s", path_of(name), number, end);
  return access(file, F_OK) == 0;
}

static bool failed(op2_status status, op2_status want, const char *words) {
  const bool good = status == want && strstr(op2_error_message(), words);
  if (!good) diag("%s: %s", op2_status_name(status), op2_error_message());
  return good;
}

static void begin(const char *backend) {
  const op2_options options = {
      .backend = backend, .cache_dir = test_cache(), .threads = 2, .log_level = 1};
  CHECK(op2_init(&options, &ctx));
}

/* ---- going on -------------------------------------------------------------------------------- */

/* A run of `steps` steps. It begins from a checkpoint if `goes_on`, and writes one after step `at`
 * unless that is 0. */
struct run {
  const char *name, *backend;
  int side, steps, at, ordered;
  bool scattered, goes_on;
  uint64_t digest; /* of the end, from rank 0 */
};

static int run_in(op2_context c, struct run *run) {
  struct flow flow;
  op2_checkpoint ck = NULL;
  const op2_checkpoint_options options = {.seconds = -1, .signal = -1, .calls = run->at};
  bool found = false;
  op2_status status = flow_declare(c, run->side, run->scattered, &flow);
  flow.ordered = run->ordered;
  if (!status) status = flow_checkpoint(&flow, path_of(run->name), &options, &ck);
  if (!status && run->goes_on) status = op2_checkpoint_read(ck, &found);
  int wrong = status || found != run->goes_on;
  while (!status && flow.steps < run->steps) {
    status = flow_advance(&flow);
    if (!status) status = op2_checkpoint_step(ck, NULL);
  }
  const uint64_t digest = flow_digest(&flow);
  if (op2_rank(c) == 0) run->digest = digest;
  if (status) printf("# %s\n", op2_error_message());
  op2_checkpoint_destroy(&ck);
  flow_destroy(&flow);
  return wrong + (status != OP2_SUCCESS) + (digest == 0);
}

static int run_on(struct op2i_comm *comm, void *data) {
  struct run *run = data;
  op2_options options = rank_options(run->backend, false);
  op2_context c = NULL;
  if (op2i_init_ranks(&options, comm, &c)) return 1;
  int wrong = run_in(c, run);
  return wrong + (op2_finalize(&c) != OP2_SUCCESS);
}

/* Run alone (0 ranks) or on ranks. */
static int run_flow(int ranks, struct run *run) {
  if (ranks) return run_contexts(ranks, run_on, run);
  begin(run->backend);
  int wrong = run_in(ctx, run);
  CHECK(op2_finalize(&ctx));
  return wrong;
}

static void goes_on(int ranks, struct run run) {
  char name[64];
  struct run whole = run, first = run, second = run;
  snprintf(name, sizeof name, "on-%s-%d-%d", run.backend, ranks, run.at);
  whole.name = "whole", whole.at = 0;
  first.name = second.name = name;
  first.steps = run.at;
  second.at = 0, second.goes_on = true;
  const int wrong = run_flow(ranks, &whole) + run_flow(ranks, &first) + run_flow(ranks, &second);
  ok(wrong == 0 && whole.digest == second.digest && whole.digest != first.digest,
     "%s, %d ranks: after step %d the bits are those without interruption", run.backend, ranks,
     run.at);
}

static void bitwise(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", NULL};
  const char *backend;
  for (int b = 0; (backend = next_backend_of_ranks(backends, &b));)
    for (int ranks = 0; ranks <= 3; ranks += ranks ? 1 : 2)
      goes_on(ranks, (struct run){.backend = backend, .side = SIDE, .steps = STEPS, .at = AT});
}

enum { LARGE = 192, LARGE_STEPS = 24 };

/* True if the library renumbers a badly numbered mesh within these steps; *after: the first one
 * after which it has. */
static bool renumbers(int *after) {
  struct flow flow;
  begin("openmp");
  CHECK(flow_declare(ctx, LARGE, true, &flow));
  for (*after = 0; *after < LARGE_STEPS && !flow.cells->auto_renumbered; ++*after)
    if (flow_advance(&flow)) break;
  const bool was = flow.cells->auto_renumbered;
  flow_destroy(&flow);
  CHECK(op2_finalize(&ctx));
  return was;
}

/* A run goes on from before its sets are renumbered, and from after that. */
static void renumbered(void) {
  int after = 0;
  const char *why = backend_unfit("openmp");
  if (!why && !renumbers(&after)) why = "nothing is renumbered here by itself";
  if (why) {
    skip("%s", why);
    return;
  }
  ok(after > 4 && after < LARGE_STEPS - 4, "sets are renumbered after %d steps", after);
  const int at[] = {after - 4, after - 1, after, after + 3};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++)
    goes_on(0, (struct run){.backend = "openmp",
                            .side = LARGE,
                            .steps = LARGE_STEPS,
                            .at = at[i],
                            .scattered = true});
}

/* A loop that keeps the order of a set gives it back the program's. A run that goes on from after
 * that has no such loop, and its sets are renumbered at once, or when they are partitioned. */
static void given_back(void) {
  const char *why = backend_unfit("openmp");
  if (why) {
    skip("%s", why);
    return;
  }
  setenv("OP2_RENUMBER", "1", 1);
  for (int ranks = 0; ranks <= 2; ranks += 2)
    for (int ordered = 2; ordered <= 5; ordered += 3)
      goes_on(ranks, (struct run){.backend = "openmp",
                                  .side = SIDE,
                                  .steps = STEPS,
                                  .at = AT,
                                  .ordered = ordered,
                                  .scattered = true});
  unsetenv("OP2_RENUMBER");
}

/* ---- other numbers of ranks ------------------------------------------------------------------ */

/* A flow whose state is read, if there is one, and written after one more change of whole numbers,
 * which do not depend on the order of sums. */
struct whole {
  const char *name;
  int64_t expected; /* the counter that must be found; 0: no checkpoint */
};
enum { WHOLE_CELLS = 1000 };

static int whole_differs(op2_dat dat, op2_dat single, op2_gbl gbl, int64_t count) {
  int32_t values[WHOLE_CELLS * 2];
  double sum = 0, one[3] = {0};
  int wrong = op2_dat_get_block(dat, 0, WHOLE_CELLS, values) || op2_gbl_get(gbl, &sum) ||
              op2_dat_get_block(single, 0, 1, one);
  for (int64_t i = 0; i < WHOLE_CELLS * 2; i++) wrong += values[i] != i * 7 + count;
  return wrong + (sum != 0.1 * (double)count) + (one[2] != 2.5 * (double)count);
}

static op2_status whole_set(op2_dat dat, op2_dat single, op2_gbl gbl, int64_t count) {
  int32_t values[WHOLE_CELLS * 2];
  const double sum = 0.1 * (double)count, one[3] = {0, 1, 2.5 * (double)count};
  op2_context c = dat->obj.ctx;
  const int64_t rank = op2_rank(c), ranks = op2_ranks(c), first = WHOLE_CELLS * rank / ranks;
  const int64_t n = WHOLE_CELLS * (rank + 1) / ranks - first;
  for (int64_t i = 0; i < n * 2; i++) values[i] = (int32_t)((first * 2 + i) * 7 + count);
  op2_status status = op2_dat_set_block(dat, first, n, values);
  if (!status) status = op2_dat_set_block(single, 0, rank == 0, one);
  return status ? status : op2_gbl_set(gbl, &sum);
}

static int whole_on(struct op2i_comm *comm, void *data) {
  const struct whole *whole = data;
  op2_options options = rank_options("sequential", false);
  op2_context c = NULL;
  op2_set cells = NULL, single = NULL;
  op2_dat dat = NULL, one = NULL;
  op2_gbl gbl = NULL;
  op2_checkpoint ck = NULL;
  int64_t count = 0;
  bool found = false;
  if (op2i_init_ranks(&options, comm, &c)) return 1;
  const int64_t rank = op2_rank(c), ranks = op2_ranks(c);
  const int64_t n = WHOLE_CELLS * (rank + 1) / ranks - WHOLE_CELLS * rank / ranks;
  int wrong = op2_set_create(c, n, "cells", &cells) || op2_set_create_single(c, "one", &single) ||
              op2_dat_create(cells, 2, OP2_I32, NULL, "whole", &dat) ||
              op2_dat_create(single, 3, OP2_F64, NULL, "shared", &one) ||
              op2_gbl_create(c, 1, OP2_F64, &(double){0}, "sum", &gbl) ||
              op2_checkpoint_create(c, path_of(whole->name), NULL, &ck) ||
              op2_checkpoint_add_all(ck) ||
              op2_checkpoint_add_counter(ck, "count", OP2_I64, 1, &count) ||
              op2_checkpoint_read(ck, &found);
  if (!wrong) wrong = found != (whole->expected > 0) || count != whole->expected;
  if (!wrong && found) wrong = whole_differs(dat, one, gbl, count);
  count++;
  if (!wrong) wrong = whole_set(dat, one, gbl, count) || op2_checkpoint_write(ck);
  if (wrong) printf("# %s\n", op2_error_message());
  op2_checkpoint_destroy(&ck);
  op2_dat_destroy(&dat), op2_dat_destroy(&one), op2_gbl_destroy(&gbl);
  op2_set_destroy(&cells), op2_set_destroy(&single);
  return wrong + (op2_finalize(&c) != OP2_SUCCESS);
}

static void other_ranks(void) {
  static const int ranks[] = {1, 3, 2, 4, 1};
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    struct whole whole = {"whole", (int64_t)i};
    is_int(run_contexts(ranks[i], whole_on, &whole), 0, "%d ranks go on with what %d have written",
           ranks[i], i ? ranks[i - 1] : 0);
  }
}

/* ---- alone ----------------------------------------------------------------------------------- */

static struct flow flow;
static op2_checkpoint ck;

static void declare(const char *name, op2_checkpoint_options options) {
  begin("sequential");
  CHECK(flow_declare(ctx, SIDE, false, &flow));
  CHECK(flow_checkpoint(&flow, path_of(name), &options, &ck));
}

static void end(void) {
  op2_checkpoint_destroy(&ck);
  flow_destroy(&flow);
  CHECK(op2_finalize(&ctx));
}

static op2_checkpoint_info info_of(void) {
  op2_checkpoint_info info = {0};
  CHECK(op2_checkpoint_info_get(ck, &info));
  return info;
}

static void last_ones_kept(void) {
  char stale[700];
  declare("kept", (op2_checkpoint_options){.keep = 3, .calls = 2, .seconds = -1});
  bool found = true, stop = true;
  CHECK(op2_checkpoint_read(ck, &found));
  ok(!found, "there is no checkpoint yet");
  snprintf(stale, sizeof stale, "%s.000002.h5.op2-part", path_of("kept"));
  FILE *part = fopen(stale, "w");
  if (part) fclose(part);
  for (int i = 0; i < 11; i++) {
    CHECK(flow_advance(&flow));
    CHECK(op2_checkpoint_step(ck, &stop));
  }
  const op2_checkpoint_info info = info_of();
  ok(!stop && info.written == 5 && info.newest == 5 && info.failed == 0 && info.seconds > 0,
     "every second step is written");
  ok(!is_there("kept", 2, "") && is_there("kept", 3, "") && is_there("kept", 4, "") &&
         is_there("kept", 5, "") && !is_there("kept", 6, ""),
     "the last three are kept");
  ok(!is_there("kept", 2, ".op2-part") && !is_there("kept", 5, ".op2-part"),
     "what a killed program has left is removed");
  CHECK(op2_checkpoint_read(ck, &found));
  ok(found && flow.steps == 10 && info_of().read == 5, "the last one is read");
  end();
}

/* Nothing runs, and nothing waits, where no checkpoint is due. */
static void costs_nothing(void) {
  declare("idle", (op2_checkpoint_options){.seconds = 0.2, .share = 1});
  const int64_t before = op2_queued(ctx);
  if (op2_par_loop(flow.save, flow.cells, op2_arg_direct(flow.q, OP2_READ),
                   op2_arg_direct(flow.old, OP2_WRITE)))
    ok(false, "a loop");
  CHECK(op2_checkpoint_step(ck, NULL));
  is_int(op2_queued(ctx), before + 1, "the loop is still queued");
  usleep(250000);
  CHECK(op2_checkpoint_step(ck, NULL));
  ok(op2_queued(ctx) == before && info_of().written == 1, "after some time a checkpoint is due");
  CHECK(op2_checkpoint_step(ck, NULL));
  is_int(info_of().written, 1, "the next one is not due yet");
  end();
}

static volatile sig_atomic_t own, own_info;
static void own_handler(int number) { own = number; }
static void own_info_handler(int number, siginfo_t *info, void *context) {
  (void)context;
  own_info = number + (info ? 0 : 100);
}

static void signals(void) {
  struct sigaction action = {.sa_handler = own_handler}, now;
  bool stop = false;
  sigaction(SIGTERM, &action, NULL);
  declare("signals", (op2_checkpoint_options){.seconds = -1});
  CHECK(op2_checkpoint_step(ck, &stop));
  ok(!stop && info_of().written == 0, "no signal has come");
  raise(SIGTERM);
  CHECK(op2_checkpoint_step(ck, &stop));
  ok(stop && info_of().written == 1 && own == SIGTERM,
     "after SIGTERM a checkpoint is written, and the program's own handler was called");
  CHECK(op2_checkpoint_step(ck, &stop));
  ok(stop && info_of().written == 1, "it is written once, and the program is asked again to stop");
  end();
  sigaction(SIGTERM, NULL, &now);
  ok(now.sa_handler == own_handler, "then the program has its own handler back");
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = own_info_handler;
  sigaction(SIGUSR1, &action, NULL);
  declare("signals", (op2_checkpoint_options){.seconds = -1, .signal = SIGUSR1});
  raise(SIGUSR1);
  stop = false;
  CHECK(op2_checkpoint_step(ck, &stop));
  ok(stop && own_info == SIGUSR1, "another signal, and a handler that is told more");
  end();
  signal(SIGTERM, SIG_DFL);
  declare("signals", (op2_checkpoint_options){.seconds = -1, .signal = -1});
  sigaction(SIGTERM, NULL, &now);
  ok(now.sa_handler == SIG_DFL, "without a signal no handler is installed");
  end();
}

/* ---- damage ---------------------------------------------------------------------------------- */

static long size_of(const char *file) {
  struct stat st;
  return stat(file, &st) == 0 ? (long)st.st_size : -1;
}

static void flip(const char *file, long at, int bit) {
  FILE *f = fopen(file, "r+b");
  if (!f) return;
  fseek(f, at, SEEK_SET);
  const int byte = fgetc(f);
  fseek(f, at, SEEK_SET);
  fputc(byte ^ 1 << bit, f);
  fclose(f);
}

static char *bytes_of(const char *file, long n) {
  FILE *f = fopen(file, "rb");
  char *bytes = malloc((size_t)n + 1);
  if (f && bytes && fread(bytes, 1, (size_t)n, f) != (size_t)n) diag("%s is short", file);
  if (f) fclose(f);
  return bytes;
}

static void put_bytes(const char *file, const char *bytes, long n) {
  FILE *f = fopen(file, "wb");
  if (f) fwrite(bytes, 1, (size_t)n, f), fclose(f);
}

/* Two checkpoints, of which the newer one is damaged: a bit of the newer, or its end, is lost. What
 * is read is one of the two, and never something else. */
static void damaged(void) {
  char newer[700];
  const int rounds = quick() ? 60 : 400;
  uint64_t digests[2], state = 3;
  int older = 0, same = 0, wrong = 0;
  declare("damaged", (op2_checkpoint_options){.seconds = -1});
  for (int i = 0; i < 2; i++) {
    CHECK(flow_advance(&flow));
    digests[i] = flow_digest(&flow);
    CHECK(op2_checkpoint_write(ck));
  }
  snprintf(newer, sizeof newer, "%s.000002.h5", path_of("damaged"));
  const long n = size_of(newer);
  char *bytes = bytes_of(newer, n);
  for (int i = 0; i < rounds; i++) {
    const long at = draw_below(&state, (int)n);
    bool found = false;
    put_bytes(newer, bytes, i % 4 ? n : at);
    if (i % 4) flip(newer, at, i % 8);
    wrong += op2_checkpoint_read(ck, &found) || !found;
    const uint64_t digest = flow_digest(&flow);
    older += digest == digests[0];
    same += digest == digests[1];
  }
  ok(!wrong && older + same == rounds && older > rounds / 2,
     "of %d damaged files %d were passed over, and %d had all values", rounds, older, same);
  put_bytes(newer, bytes, n / 2);
  bool found = false;
  CHECK(op2_checkpoint_read(ck, &found));
  CHECK(op2_checkpoint_write(ck));
  ok(is_there("damaged", 1, "") && !is_there("damaged", 2, "") && is_there("damaged", 3, ""),
     "a damaged file does not count as kept");
  snprintf(newer, sizeof newer, "%s.000003.h5", path_of("damaged"));
  put_bytes(newer, bytes, n / 3);
  snprintf(newer, sizeof newer, "%s.000001.h5", path_of("damaged"));
  put_bytes(newer, "no HDF5", 7);
  found = false;
  ok(failed(op2_checkpoint_read(ck, &found), OP2_ERR_IO, "no file of 2 can be read") && !found,
     "all are damaged");
  free(bytes);
  end();
}

int main(void) {
  snprintf(folder, sizeof folder, "%s", test_scratch());
  test_environment();
  bitwise();
  renumbered();
  given_back();
  other_ranks();
  last_ones_kept();
  costs_nothing();
  signals();
  damaged();
  return done();
}
