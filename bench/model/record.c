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

int record_read(const char *path, record *r, bench_error *error) {
  FILE *file = fopen(path, "r");
  char *line = malloc(LINE);
  int number = 0;
  bool good = true;
  *r = (record){0};
  if (file && line)
    for (; good && fgets(line, LINE, file); number++) good = read_line(r, line);
  const bool opened = file && line;
  if (file) fclose(file);
  free(line);
  if (opened && good && r->nrun > 0) return 0;
  record_free(r);
  if (!opened) return bench_fail(error, "%s: %s", path, strerror(errno));
  return bench_fail(error, "%s: line %d is not one of a schedule", path, number);
}

void record_free(record *r) {
  for (int64_t i = 0; i < r->nrun; i++) {
    for (int64_t s = 0; s < r->runs[i].nstep; s++) free(r->runs[i].steps[s].blocks);
    free(r->runs[i].steps);
    free(r->runs[i].events);
  }
  free(r->runs);
  *r = (record){0};
}
