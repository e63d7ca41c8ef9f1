/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a time loop and the time that is left, on the terminal. The library is not told of
 * steps. They are counted by the loop that has run least often among those that repeat: the others run
 * several times in a step, or now and then. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "comm.h"
#include "context.h"
#include "loop.h"
#include "mem.h"

/* A loop repeats if it has run at least an EVERY-th as often as the one that has run most often. */
enum { EVERY = 8 };
static const double pause_seconds = 0.25; /* between two lines */

struct op2i_progress {
  bool terminal;
  bool line;          /* there is a line on the terminal */
  int64_t first_step; /* steps when the first line was written; compilers have run by then */
  double first, last; /* times of the first and of the last line */
};

static int64_t count_steps(op2_context ctx) {
  int64_t most = 0, steps = 0;
  const struct op2i_loop *loop, *loops = ctx->loops ? ctx->loops->first : NULL;
  for (loop = loops; loop; loop = loop->entry.next)
    if (loop->profile.line && loop->profile.calls > most) most = loop->profile.calls;
  for (loop = loops; loop; loop = loop->entry.next) {
    const int64_t calls = loop->profile.calls;
    if (loop->profile.line && calls > 0 && calls >= most / EVERY && (!steps || calls < steps))
      steps = calls;
  }
  return steps;
}

static struct op2i_progress *have_progress(op2_context ctx) {
  if (ctx->progress) return ctx->progress;
  ctx->progress = op2i_calloc(1, sizeof *ctx->progress);
  if (ctx->progress)
    ctx->progress->terminal = isatty(STDERR_FILENO) && (!ctx->comm || ctx->comm->rank == 0);
  return ctx->progress;
}

static int time_text(char *text, size_t size, double seconds) {
  const int64_t whole = (int64_t)(seconds + 0.5);
  if (seconds < 9.95) return snprintf(text, size, "%.1f s", seconds);
  if (whole < 120) return snprintf(text, size, "%" PRId64 " s", whole);
  if (whole < 2 * 3600)
    return snprintf(text, size, "%" PRId64 " min %02d s", whole / 60, (int)(whole % 60));
  return snprintf(text, size, "%" PRId64 " h %02d min", whole / 3600, (int)(whole / 60 % 60));
}

/* Write a line over the former one. `pace` is the time of a step; 0: not known yet. */
static void write_line(op2_context ctx, int64_t step, double pace) {
  const int64_t steps = ctx->config.progress;
  char line[200], left[40];
  int n = steps > 1 ? snprintf(line, sizeof line, "\rop2: step %" PRId64 " of %" PRId64 ", %d %%",
                               step, steps, (int)(100 * step / steps))
                    : snprintf(line, sizeof line, "\rop2: step %" PRId64, step);
  if (pace > 0 && steps > 1 && step <= steps) {
    time_text(left, sizeof left, pace * (double)(steps - step));
    n += snprintf(line + n, sizeof line - (size_t)n, ", %s left", left);
  } else if (pace > 0) {
    n += snprintf(line + n, sizeof line - (size_t)n, ", %.3g ms each", 1e3 * pace);
  }
  fprintf(stderr, "%.*s\033[K", n, line);
}

void op2i_progress_show(op2_context ctx) {
  struct op2i_progress *progress = have_progress(ctx);
  if (!progress || !progress->terminal) return;
  const double now = op2i_seconds();
  if (now - progress->last < pause_seconds) return;
  const int64_t step = count_steps(ctx);
  if (step < 2) return;
  if (!progress->line) {
    progress->first = now;
    progress->first_step = step;
  }
  const int64_t done = step - progress->first_step;
  write_line(ctx, step, done > 0 ? (now - progress->first) / (double)done : 0);
  progress->last = now;
  progress->line = true;
}

void op2i_progress_end(op2_context ctx) {
  struct op2i_progress *progress = ctx->progress;
  if (progress && progress->line) {
    char total[40];
    time_text(total, sizeof total, op2i_seconds() - 1e-9 * (double)ctx->born);
    fprintf(stderr, "\r\033[Kop2: the run took %s\n", total);
  }
  op2i_free(progress);
  ctx->progress = NULL;
}
