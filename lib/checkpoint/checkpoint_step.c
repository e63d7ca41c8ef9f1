/* SPDX-License-Identifier: BSD-3-Clause */
/* When checkpoints are due. */
#include "checkpoint_parts.h"

/* Clocks and signals of this rank: what it knows, by itself. */
static bool clock_due(op2_checkpoint ck, int64_t now) {
  return ck->options.seconds > 0 && now >= ck->due;
}
static bool signal_came(op2_checkpoint ck) {
  return op2i_signal_count(ck->options.signal) != ck->signals;
}

/* The number of calls that take about half a second, as it was lately: at most twice as many as
 * last time, since a program that only queues loops makes many calls before the first one runs. */
static int64_t calls_to_wait(op2_checkpoint ck, int64_t now) {
  const int64_t half = 500000000, calls = ck->calls - ck->looked_call, spent = now - ck->looked;
  const double ahead = (double)calls * (double)half / ((double)spent + 1);
  const int64_t most = 2 * calls + 1;
  return ahead < 1 ? 1 : ahead < (double)most ? (int64_t)ahead : most;
}

/* Find out if any rank's clock or signal says that a checkpoint is due. Ranks do so together, at a
 * call on which they agreed last time. */
static op2_status look(op2_checkpoint ck, bool *clock, bool *signal) {
  const int64_t now = ck->op2->nanoseconds();
  if (!ck->comm) {
    *clock = clock_due(ck, now);
    *signal = signal_came(ck);
    return OP2_SUCCESS;
  }
  if (ck->calls < ck->next_look) return OP2_SUCCESS;
  int64_t found[] = {clock_due(ck, now), signal_came(ck), -calls_to_wait(ck, now)};
  op2_status status = ck->op2->greatest(ck->comm, 3, found);
  if (status) return status;
  *clock = found[0];
  *signal = found[1];
  ck->next_look = ck->calls - found[2];
  ck->looked_call = ck->calls;
  ck->looked = now;
  return OP2_SUCCESS;
}

op2_status op2_checkpoint_step(op2_checkpoint ck, bool *stop) {
  bool clock = false, signal = false;
  op2_status status = op2i_checkpoint_check(ck, "op2_checkpoint_step");
  if (status) return status;
  ck->calls++;
  if (ck->options.seconds > 0 || (ck->options.signal > 0 && !ck->stops))
    status = look(ck, &clock, &signal);
  if (status) return status;
  /* A signal that comes again asks for nothing new. */
  signal = signal && !ck->stops;
  ck->stops = ck->stops || signal;
  if (stop) *stop = ck->stops;
  if (clock || signal || (ck->options.calls && ck->calls % ck->options.calls == 0))
    status = op2_checkpoint_write(ck);
  return status;
}
