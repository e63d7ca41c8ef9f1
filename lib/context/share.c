/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores of its node a rank works on. A launcher that has bound processes to different CPUs has
 * decided; so has a user who set places of OpenMP. Otherwise all ranks would put their workers on the
 * same cores: those that may run on the same CPUs take equal shares, in the order of their numbers. */
#include "share.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "affinity.h"
#include "comm.h"
#include "machine.h"

/* The number of threads that the user asks for; 0: none. */
static int asked_for(op2_context ctx) {
  const char *text = op2i_env_system("OMP_NUM_THREADS");
  if (ctx->config.threads || !text) return ctx->config.threads;
  long number = strtol(text, NULL, 10);
  return number > 0 && number <= 4096 ? (int)number : 0;
}

static void say(op2_context ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(op2_context ctx, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(ctx->share, sizeof ctx->share, format, arguments);
  va_end(arguments);
}

/* Why the cores are as they were found; null: they can be shared out. */
static const char *kept(const struct op2i_seat *seat, bool narrow, bool first) {
  if (!first) return "the first context of this process has settled it";
  if (seat->size == 1) return "no other rank is on this node";
  if (seat->twins == 1) return "the launcher has bound each rank to cores of its own";
  if (narrow) return "the environment gives OpenMP its places";
  return NULL;
}

void op2i_share_cores(op2_context ctx, bool first) {
  const struct op2i_seat *seat = &ctx->comm->seat;
  int numbers[OP2I_CPU_NUMBERS], threads = asked_for(ctx), cores = op2i_machine()->cores;
  bool narrow;
  (void)op2i_process_cpus(numbers, &narrow);
  int from = (int)((int64_t)cores * seat->twin / seat->twins);
  int to = (int)((int64_t)cores * (seat->twin + 1) / seat->twins);
  int share = to > from ? to - from : 1;
  const char *why = seat->process ? NULL : kept(seat, narrow, first);
  ctx->config.threads = threads;
  if (why)
    say(ctx, "all %d cores of this process: %s", cores, why);
  else if (threads > share)
    say(ctx, "all %d cores of this process: %d workers are asked for, more than its share of %d",
        cores, threads, share);
  else if (seat->process)
    say(ctx, "%d of %d cores: ranks are threads of one process", share, cores);
  else
    say(ctx, "%d of the %d cores that %d ranks may use%s", share, cores, seat->twins,
        seat->twins > cores ? ", which have not one each" : "");
  if (why || threads > share) return;
  if (!threads) ctx->config.threads = share;
  if (!seat->process) op2i_machine_narrow(from, share);
}
