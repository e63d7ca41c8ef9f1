/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with checkpoints that is killed, stopped by a signal, or whose disk is full; run by
 * t959-checkpoint-kill.sh, alone or over ranks of MPI, which chooses the task:
 *   reference HOW FILE                     write digests of the state after each step to a file
 *   run HOW FILE PATH [RANK MICROS SIGNAL] go on from PATH with a checkpoint at every step; this rank
 *                                          gets the signal so long after the first step begins
 *   fail HOW FILE PATH                     let calls of the system fail while checkpoints are written
 *   full HOW FILE PATH BALLAST             fill the disk with the file BALLAST
 * HOW is alone or ranks. Lines with "wrong" say what did not hold. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_fault.h"
#include "flow_case.h"
#include "op2/mpi.h"
#include "support.h"

enum { SIDE = 40, STEPS = 40 };
static int rank;
static op2_context ctx;
static struct flow flow;
static op2_checkpoint ck;
static uint64_t digests[STEPS + 1]; /* of the state after each step */

static int wrong(const char *what) {
  printf("rank %d: wrong: %s: %s\n", rank, what, op2_error_message());
  fflush(stdout);
  return 1;
}

/* True on all ranks if it is on one. */
static int any(int value) {
  int all = value;
  if (op2_ranks(ctx) > 1) MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* ---- the reference --------------------------------------------------------------------------- */

static int write_reference(const char *path) {
  FILE *out = rank ? NULL : fopen(path, "w");
  int bad = 0;
  for (int step = 0; step <= STEPS && !bad; step++) {
    const uint64_t digest = flow_digest(&flow);
    if (out) fprintf(out, "%" PRIx64 "\n", digest);
    bad = !digest || (step < STEPS && flow_advance(&flow));
  }
  if (out) fclose(out);
  return bad ? wrong("a step") : 0;
}

static int read_reference(const char *path) {
  FILE *in = fopen(path, "r");
  int n = 0;
  while (in && n <= STEPS && fscanf(in, "%" SCNx64, &digests[n]) == 1) n++;
  if (in) fclose(in);
  return n == STEPS + 1 ? 0 : wrong("the reference");
}

static int differs(void) { return flow_digest(&flow) != digests[flow.steps]; }

/* ---- running --------------------------------------------------------------------------------- */

static useconds_t delay;
static int signal_sent;

static void *send_later(void *unused) {
  usleep(delay);
  kill(getpid(), signal_sent);
  return unused;
}

static int go_on(bool armed) {
  bool found = false, stop = false;
  pthread_t thread;
  if (op2_checkpoint_read(ck, &found)) return wrong("reading");
  if (differs()) return wrong("the state that was read");
  if (rank == 0) printf("from %" PRId64 "\n", flow.steps);
  fflush(stdout);
  if (armed && pthread_create(&thread, NULL, send_later, NULL)) return wrong("a thread");
  if (armed) pthread_detach(thread);
  while (flow.steps < STEPS && !stop) {
    if (flow_advance(&flow)) return wrong("a step");
    if (op2_checkpoint_step(ck, &stop)) return wrong("writing");
  }
  if (differs()) return wrong("the last state");
  if (rank == 0) printf("%s %" PRId64 "\n", stop ? "stopped" : "ended", flow.steps);
  return 0;
}

/* ---- failures -------------------------------------------------------------------------------- */

/* The newest checkpoint is that of this step, and has its state. */
static int newest_is(int64_t step) {
  bool found = false;
  if (op2_checkpoint_read(ck, &found) || !found) return wrong("reading after a failure");
  return flow.steps != step || differs() ? wrong("the state after a failure") : 0;
}

/* Each call of the system fails in turn. Then the program goes on. */
static int fail_calls(void) {
  int bad = 0, reached = 1, n = 1, failures = 0;
  for (; reached && n < 500 && !bad; n += n < 20 ? 1 : 5) {
    const int64_t step = flow.steps;
    if (n % 8 == 1 && flow.steps < STEPS) bad = flow_advance(&flow) || op2_checkpoint_write(ck);
    const int64_t kept = flow.steps;
    file_fault_arm(n % 2 ? FAULT_ENOSPC : FAULT_EIO, n);
    const op2_status status = op2_checkpoint_write(ck);
    reached = any(file_fault_disarm());
    if (status && status != OP2_ERR_IO) bad = wrong("another error");
    failures += status != OP2_SUCCESS;
    if (!bad) bad = newest_is(kept);
    if (step > kept) bad = wrong("going back");
  }
  printf("%d of %d calls failed\n", failures, n);
  return bad || failures < 3;
}

/* The file takes all space that is left, but for some bytes. */
static void fill(const char *ballast) {
  static char block[4096];
  FILE *out = fopen(ballast, "w");
  setvbuf(out, NULL, _IONBF, 0);
  while (fwrite(block, 1, sizeof block, out) == sizeof block) continue;
  fclose(out);
}

static int fill_disk(const char *ballast) {
  for (int i = 0; i < 3; i++)
    if (flow_advance(&flow) || op2_checkpoint_step(ck, NULL)) return wrong("a step");
  if (rank == 0) fill(ballast);
  if (flow_advance(&flow)) return wrong("a step");
  const op2_status status = op2_checkpoint_step(ck, NULL);
  if (status != OP2_ERR_IO || !strstr(op2_error_message(), "No space"))
    return wrong("a full disk is no error");
  if (flow_advance(&flow) || flow.steps != 5 || differs()) return wrong("going on");
  if (newest_is(3)) return 1;
  if (rank == 0) unlink(ballast);
  if (flow_advance(&flow) || op2_checkpoint_step(ck, NULL)) return wrong("space again");
  return newest_is(4);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static int run(int argc, char **argv) {
  const op2_checkpoint_options options = {.calls = 1, .seconds = -1};
  const char *what = argv[1], *reference = argv[3];
  if (flow_declare(ctx, SIDE, false, &flow)) return wrong("declaring");
  if (strcmp(what, "reference") == 0) return write_reference(reference);
  if (read_reference(reference)) return 1;
  if (flow_checkpoint(&flow, argv[4], &options, &ck)) return wrong("a checkpoint");
  const bool armed = argc > 7 && atoi(argv[5]) == rank;
  if (armed) {
    delay = (useconds_t)atoi(argv[6]);
    signal_sent = atoi(argv[7]);
  }
  if (strcmp(what, "run") == 0) return go_on(armed);
  if (strcmp(what, "fail") == 0) return fail_calls();
  return fill_disk(argv[5]);
}

int main(int argc, char **argv) {
  op2_options options = {.backend = "openmp", .threads = 1, .log_level = 1};
  const int least = argc > 1 && !strcmp(argv[1], "reference") ? 4
                    : argc > 1 && !strcmp(argv[1], "full")    ? 6
                                                              : 5;
  if (argc < least) return 2;
  const bool alone = strcmp(argv[2], "alone") == 0;
  if (!alone) MPI_Init(&argc, &argv);
  op2_status status =
      alone ? op2_init(&options, &ctx) : op2_init_mpi(&options, MPI_COMM_WORLD, &ctx);
  if (status) return wrong("a context");
  rank = op2_rank(ctx);
  int bad = run(argc, argv);
  op2_checkpoint_destroy(&ck);
  flow_destroy(&flow);
  if (op2_finalize(&ctx)) bad = wrong("the end");
  if (!alone) MPI_Finalize();
  return bad;
}
