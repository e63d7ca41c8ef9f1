/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a run and the time that is left, on stderr. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "option.h"

#define PAUSE 0.25 /* seconds between two lines on a terminal */

static struct {
  const char *program, *unit;
  int steps;
  bool shown, terminal;
  bool line;    /* True if there is a line on the terminal */
  double begin; /* begin of the run, in seconds of the clock */
  double first; /* time of the first share > 0: compilers have run by then */
  double first_share;
  double last; /* time of the last output */
  int tenth;   /* the tenth that was last reported to a file */
} progress;

int progress_done(op2_context ctx, int queued, int loops) {
  return queued - (int)((op2_queued(ctx) + loops - 1) / loops);
}

static void print_time(double seconds) {
  const int whole = (int)(seconds + 0.5);
  if (seconds < 9.95)
    fprintf(stderr, "%.1f s", seconds);
  else if (whole < 120)
    fprintf(stderr, "%d s", whole);
  else if (whole < 2 * 3600)
    fprintf(stderr, "%d min %02d s", whole / 60, whole % 60);
  else
    fprintf(stderr, "%d h %02d min", whole / 3600, whole / 60 % 60);
}

/* Print the program and its share as the beginning of a line. */
static void print_share(double share) {
  fprintf(stderr, "%s%s: %d %%", progress.terminal ? "\r" : "", progress.program,
          (int)(100 * share));
  if (progress.unit) fprintf(stderr, " of %d %s", progress.steps, progress.unit);
}

static void print_left(double share, double now) {
  if (share <= progress.first_share || now <= progress.first) return;
  const double pace = (now - progress.first) / (share - progress.first_share);
  fputs(", ", stderr);
  print_time(pace * (1 - share));
  fputs(" left", stderr);
}

void progress_begin(const char *program, int steps, const char *unit, bool always) {
  progress.program = program;
  progress.unit = unit;
  progress.steps = steps;
  progress.terminal = isatty(STDERR_FILENO);
  progress.shown = (progress.terminal || always) && option_writes;
  progress.begin = clock_now();
  progress.first = progress.last = progress.first_share = 0;
  progress.tenth = 0;
  if (!progress.terminal || !progress.shown) return;
  print_share(0);
  progress.line = true;
}

void progress_show(double share) {
  if (!progress.shown || share <= 0 || share >= 1) return;
  const int tenth = (int)(10 * share);
  if (!progress.terminal && progress.first > 0 && tenth <= progress.tenth) return;
  const double now = clock_now();
  if (progress.first == 0) {
    progress.first = now;
    progress.first_share = share;
  }
  if (progress.terminal ? now - progress.last < PAUSE : tenth <= progress.tenth) return;
  progress.last = now;
  progress.tenth = tenth;
  print_share(share);
  print_left(share, now);
  fputs(progress.terminal ? "\033[K" : "\n", stderr);
  progress.line = progress.terminal;
}

void progress_clear(void) {
  if (progress.line) fputs("\r\033[K", stderr);
  progress.line = false;
}

void progress_end(void) {
  progress_clear();
  if (!progress.shown) return;
  print_share(1);
  fputs(" in ", stderr);
  print_time(clock_now() - progress.begin);
  fputc('\n', stderr);
  progress.shown = false;
}
