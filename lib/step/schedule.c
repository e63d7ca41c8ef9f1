/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of schedules: members of a team note what they took, and the calling thread writes it
 * to a file after each run. */
#include "schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "error.h"
#include "loop.h"
#include "mem.h"
#include "plan.h"
#include "step.h"

/* The events of one member. What several members write is two cache lines apart. */
struct notes {
  struct op2i_schedule_event *events; /* [capacity] */
  int64_t n, capacity;
  int64_t lost; /* events for which there was no memory */
  char space[128 - sizeof(void *) - 3 * sizeof(int64_t)];
};

/* The file and the run that is recorded. `lock` protects the first three fields; the others belong
 * to the thread whose run is recorded. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static int contexts;
static bool busy;
static struct {
  const struct op2i_step *steps;
  int64_t start;       /* nanoseconds */
  struct notes *notes; /* [most] */
  int members, most;
} run;

/* ---- the file -------------------------------------------------------------------------------- */

op2_status op2i_schedule_open(const char *path) {
  op2_status status = OP2_SUCCESS;
  pthread_mutex_lock(&lock);
  FILE *opened = file ? file : fopen(path, "w");
  if (opened)
    contexts++;
  else
    status =
        op2i_error(OP2_ERR_OPTION, "OP2_SCHEDULE: cannot write '%s': %s", path, strerror(errno));
  __atomic_store_n(&file, opened, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return status;
}

static void free_notes(void) {
  for (int m = 0; m < run.most; m++) op2i_free(run.notes[m].events);
  op2i_free(run.notes);
  run.notes = NULL;
  run.most = 0;
}

void op2i_schedule_close(void) {
  pthread_mutex_lock(&lock);
  if (--contexts == 0) {
    fclose(file);
    __atomic_store_n(&file, NULL, __ATOMIC_RELAXED);
    free_notes();
  }
  pthread_mutex_unlock(&lock);
}

/* ---- one run --------------------------------------------------------------------------------- */

static bool have_notes(int members) {
  if (members > run.most) {
    struct notes *notes = op2i_calloc((size_t)members, sizeof *notes);
    if (!notes) return false;
    free_notes();
    run.notes = notes;
    run.most = members;
  }
  for (int m = 0; m < members; m++) run.notes[m].n = run.notes[m].lost = 0;
  return true;
}

/* Write a line for a step, and the numbers of blocks of its colours. */
static void write_step(const struct op2i_step *step, int64_t s) {
  const struct op2i_loop *loop = step->loop;
  const struct op2i_plan *plan = step->plan;
  if (!plan) return;
  fprintf(file, "step %" PRId64 " %s %s elements %" PRId64 " size %" PRId32 " bytes %.0f", s,
          loop->kernel ? op2i_loop_name(loop) : "-", loop->set ? loop->set->obj.name : "-",
          step->hi - step->lo, plan->block_size, loop->bytes);
  fprintf(file, " partials %d colours %" PRId32, step->values.partials != NULL, plan->ncolors);
  for (int32_t c = 0; c < plan->ncolors; c++)
    fprintf(file, " %" PRId32, plan->color_offs[c + 1] - plan->color_offs[c]);
  fputc('\n', file);
}

bool op2i_schedule_begin(const char *team, const struct op2i_step *steps, int64_t nsteps,
                         int members) {
  if (!__atomic_load_n(&file, __ATOMIC_RELAXED)) return false;
  pthread_mutex_lock(&lock);
  bool mine = file && !busy && have_notes(members);
  busy = busy || mine;
  pthread_mutex_unlock(&lock);
  if (!mine) return false;
  fprintf(file, "run %s %d\n", team, members);
  for (int64_t s = 0; s < nsteps; s++) write_step(&steps[s], s);
  run.steps = steps;
  run.members = members;
  run.start = op2i_nanoseconds();
  return true;
}

void op2i_schedule_note(int member, struct op2i_schedule_event event) {
  struct notes *notes = &run.notes[member];
  if (op2i_grow(&notes->events, sizeof event, notes->n, &notes->capacity))
    notes->lost++;
  else
    notes->events[notes->n++] = event;
}

static int32_t colour_of(const struct op2i_plan *plan, int32_t index) {
  int32_t c = 0;
  while (c + 1 < plan->ncolors && index >= plan->color_offs[c + 1]) c++;
  return c;
}

static void write_event(int member, const struct op2i_schedule_event *event) {
  fprintf(file,
          "took %td %" PRId32 " %d %" PRId32 " %" PRId32 " %" PRId32 " %" PRId64 " %" PRId64
          " %" PRId64 "\n",
          event->step - run.steps, colour_of(event->step->plan, event->first), member, event->owner,
          event->first, event->n, event->came - run.start, event->begin - run.start,
          event->end - run.start);
}

void op2i_schedule_end(void) {
  const int64_t ns = op2i_nanoseconds() - run.start;
  int64_t lost = 0;
  for (int m = 0; m < run.members; m++) {
    for (int64_t i = 0; i < run.notes[m].n; i++) write_event(m, &run.notes[m].events[i]);
    lost += run.notes[m].lost;
  }
  fprintf(file, "end %" PRId64 " %" PRId64 "\n", ns, lost);
  fflush(file);
  pthread_mutex_lock(&lock);
  busy = false;
  pthread_mutex_unlock(&lock);
}
