/* SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 16 };

/* Make space for one more; returns it, all zero, or null. */
static void *add(void *array_of_pointer, size_t bytes, int64_t *n, int64_t *space) {
  void **array = array_of_pointer;
  if (*n == *space) {
    const int64_t more = *space ? 2 * *space : 16;
    void *grown = realloc(*array, (size_t)more * bytes);
    if (!grown) return NULL;
    *array = grown;
    *space = more;
  }
  void *made = (char *)*array + (size_t)(*n)++ * bytes;
  memset(made, 0, bytes);
  return made;
}

static bool read_run(record *r, const char *line) {
  char team[16];
  record_run *run = add(&r->runs, sizeof *run, &r->nrun, &r->space);
  if (!run || sscanf(line, "run %15s %d", team, &run->members) != 2) return false;
  run->openmp = !strcmp(team, "openmp");
  return true;
}

static bool read_step(record_run *run, const char *line) {
  int64_t number;
  int partials, at = 0;
  record_step *s = add(&run->steps, sizeof *s, &run->nstep, &run->step_space);
  if (!s ||
      sscanf(line,
             "step %" SCNd64 " %127s %*s elements %" SCNd64 " size %" SCNd64
             " bytes %lf partials %d colours %" SCNd32 "%n",
             &number, s->name, &s->elements, &s->size, &s->bytes, &partials, &s->ncolour, &at) != 7)
    return false;
  s->partials = partials;
  s->blocks = calloc((size_t)s->ncolour + 1, sizeof *s->blocks);
  if (!s->blocks || number != run->nstep - 1) return false;
  char *rest = (char *)(uintptr_t)line + at;
  for (int32_t c = 0; c < s->ncolour; c++) {
    s->blocks[c] = (int32_t)strtol(rest, &rest, 10);
    s->nblock += s->blocks[c];
  }
  return true;
}

static bool read_event(record_run *run, const char *line) {
  record_event *e = add(&run->events, sizeof *e, &run->nevent, &run->event_space);
  return e &&
         sscanf(line,
                "took %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32
                " %" SCNd64 " %" SCNd64 " %" SCNd64,
                &e->step, &e->colour, &e->member, &e->owner, &e->first, &e->n, &e->came, &e->begin,
                &e->end) == 9 &&
         e->step >= 0 && e->step < run->nstep && e->member >= 0 && e->member < run->members &&
         e->colour < run->steps[e->step].ncolour;
}

static bool read_line(record *r, const char *line) {
  record_run *run = r->nrun ? &r->runs[r->nrun - 1] : NULL;
  if (!strncmp(line, "run ", 4)) return read_run(r, line);
  if (run && !strncmp(line, "step ", 5)) return read_step(run, line);
  if (run && !strncmp(line, "took ", 5)) return read_event(run, line);
  return run && sscanf(line, "end %" SCNd64 " %" SCNd64, &run->ns, &run->lost) == 2;
}

static void free_run(record_run *run) {
  for (int64_t s = 0; s < run->nstep; s++) free(run->steps[s].blocks);
  free(run->steps);
  free(run->events);
}

/* Remove the first half of the runs from `begin` on. */
static void drop_half(record *r, int64_t begin) {
  const int64_t half = (r->nrun - begin) / 2;
  for (int64_t i = begin; i < begin + half; i++) free_run(&r->runs[i]);
  r->nrun -= half;
  for (int64_t i = begin; i < r->nrun; i++) r->runs[i] = r->runs[i + half];
}

int record_read(const char *path, record *r, bench_error *error) {
  FILE *file = fopen(path, "r");
  char *line = malloc(LINE);
  const int64_t before = r->nrun;
  int number = 0;
  bool good = true;
  if (file && line)
    for (; good && fgets(line, LINE, file); number++) good = read_line(r, line);
  const bool opened = file && line;
  if (file) fclose(file);
  free(line);
  if (opened && good && r->nrun > before) {
    drop_half(r, before);
    return 0;
  }
  record_free(r);
  if (!opened) return bench_fail(error, "%s: %s", path, strerror(errno));
  return bench_fail(error, "%s: line %d is not one of a schedule", path, number);
}

void record_free(record *r) {
  for (int64_t i = 0; i < r->nrun; i++) free_run(&r->runs[i]);
  free(r->runs);
  *r = (record){0};
}
