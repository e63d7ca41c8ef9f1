/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/reference.h"

/* How fast the library is to be beside its own scalar code. */
static const double own_figure = 0.97;

/* The subjects in the order in which they are timed first. */
enum { VECTORS, SCALARS, READING, FIRST_TWIN };

/* All that a kernel at one size needs. */
typedef struct bench {
  const yardstick *y;
  problem p;
  crew crew;
  ours vectors, scalars;
  double *times, *stream;
} bench;

/* ---- results --------------------------------------------------------------------------------- */

static void complain(const bench *b, counts *c, const char *who, const char *how) {
  c->different++;
  fprintf(stderr, "kernels: %s, %" PRId64 " elements: the result of %s %s\n", b->y->name,
          b->p.size[0], who, how);
}

/* Run both forms of the library once: their bits are to be the same. */
static bool compare_ours(bench *b, counts *c) {
  bool same = true;
  if (!ours_run(&b->vectors, b->y) || !ours_compare(&b->vectors, &b->p, &same) ||
      !ours_run(&b->scalars, b->y) || !ours_compare(&b->scalars, &b->p, &same))
    return false;
  same = same && b->vectors.found == b->scalars.found;
  c->results++;
  if (!same) complain(b, c, "scalar code", "has other bits than that of vector code");
  return true;
}

static void compare_twin(bench *b, const twin *t, bool spoil, counts *c) {
  char how[64];
  double most = 0;
  problem_reset(&b->p);
  const double found = crew_run(&b->crew, t);
  for (int d = 0; d < b->p.ndat; d++) {
    if (!(b->p.dat[d].use & WRITTEN)) continue;
    if (spoil) problem_spoil(&b->p, d);
    most = fmax(most, problem_difference(&b->p, d));
  }
  if (b->y->most) most = fmax(most, fabs(found - b->vectors.found) / fabs(b->vectors.found));
  c->results++;
  if (most <= (b->y->tolerance ? b->y->tolerance : 1e-12)) return;
  snprintf(how, sizeof how, "differs by %.1e of the largest value", most);
  complain(b, c, t->name, how);
}

/* ---- lines ----------------------------------------------------------------------------------- */

void table_head(const settings *o, const machine *m) {
  printf("%s, %d thread%s, %d rounds; times in microseconds, medians; ratios: how many times as\n"
         "fast the library is as the twin (its own scalar code), of the least times, then the\n"
         "median of the pairs and its 95 %% interval; GB/s, and GFLOP/s, of the library, of the\n"
         "twin, and of reading as many bytes as the kernel has\n",
         op2_backend_name(m->vectors), m->threads, m->threads > 1 ? "s" : "", o->rounds);
  if (m->read > 0)
    printf("memory: %.1f GB/s read, %.1f read and written\n", 1e-9 * m->read, 1e-9 * m->change);
  printf("%-14s %9s %11s %11s %-8s %11s | %6s %6s %15s | %6s %15s | %6s %6s %6s | %6s %6s\n",
         "kernel", "elements", "library", "twin", "", "own scalar", "least", "median", "interval",
         "scalar", "interval", "GB/s", "twin", "read", "GF/s", "twin");
}

/* Count a figure that a ratio is held against, and print a line if it is not reached for certain. */
static void judge(const contest *t, int rounds, int who, double figure, counts *c) {
  const ratio r = rounds_ratio(t->subjects[who].times, t->subjects[VECTORS].times, rounds);
  if (figure == 0) return;
  c->figures++;
  if (r.lower >= figure) return;
  c->missed += r.upper < figure;
  c->unsure += r.upper >= figure;
  printf("  %s %s: %.2f [%.2f,%.2f] of %.2f\n", r.upper < figure ? "missed," : "unsure,",
         t->subjects[who].name, r.median, r.lower, r.upper, figure);
}

static void judge_all(const contest *t, int rounds, counts *c) {
  judge(t, rounds, SCALARS, own_figure, c);
  for (int k = FIRST_TWIN; k < t->n; k++) judge(t, rounds, k, t->subjects[k].twin->least, c);
}

static void print_line(const bench *b, const contest *t, int rounds, int who) {
  const subject *s = t->subjects;
  const ratio to_twin = rounds_ratio(s[who].times, s[VECTORS].times, rounds);
  const ratio to_own = rounds_ratio(s[SCALARS].times, s[VECTORS].times, rounds);
  const double mine = rounds_median(s[VECTORS].times, rounds),
               theirs = rounds_median(s[who].times, rounds);
  const double bytes = 1e-9 * problem_traffic(&b->p),
               flops = 1e-9 * b->y->flops * (double)b->p.size[0];
  printf("%-14s %9" PRId64 " %11.3f %11.3f %-8s %11.3f | %6.2f %6.2f [%6.2f,%6.2f] | "
         "%6.2f [%6.2f,%6.2f] | %6.1f %6.1f %6.1f | %6.2f %6.2f\n",
         b->y->name, b->p.size[0], 1e6 * mine, 1e6 * theirs, s[who].name,
         1e6 * rounds_median(s[SCALARS].times, rounds), to_twin.least, to_twin.median,
         to_twin.lower, to_twin.upper, to_own.median, to_own.lower, to_own.upper, bytes / mine,
         bytes / theirs, 1e-9 * (double)t->bytes / rounds_median(s[READING].times, rounds),
         flops / mine, flops / theirs);
}

static int best_twin(const contest *t, int rounds) {
  int best = FIRST_TWIN;
  for (int k = FIRST_TWIN + 1; k < t->n; k++)
    if (rounds_median(t->subjects[k].times, rounds) <
        rounds_median(t->subjects[best].times, rounds))
      best = k;
  return best;
}

static void print_lines(const settings *o, const bench *b, const contest *t, counts *c) {
  const int best = best_twin(t, o->rounds);
  for (int k = FIRST_TWIN; k < t->n; k++)
    if (o->all || k == best) print_line(b, t, o->rounds, k);
  judge_all(t, o->rounds, c);
  fflush(stdout);
}

/* ---- one kernel at one size ------------------------------------------------------------------ */

static contest contest_of(bench *b, int rounds) {
  contest t = {b->y, &b->crew, b->stream, (int64_t)problem_footprint(&b->p), FIRST_TWIN, {{0}}};
  t.subjects[VECTORS] = (subject){.name = "library", .ours = &b->vectors};
  t.subjects[SCALARS] = (subject){.name = "own", .ours = &b->scalars};
  t.subjects[READING] = (subject){.name = "read"};
  for (int k = 0; k < MOST_TWINS && b->y->twins[k].name; k++)
    t.subjects[t.n++] = (subject){.name = b->y->twins[k].name, .twin = &b->y->twins[k]};
  for (int k = 0; k < t.n; k++) t.subjects[k].times = b->times + (ptrdiff_t)k * rounds;
  return t;
}

static bool run(const settings *o, bench *b, counts *c) {
  if (!ours_make(&b->vectors, b->y, &b->p) || !ours_make(&b->scalars, b->y, &b->p) ||
      !compare_ours(b, c))
    return false;
  for (int k = 0; k < MOST_TWINS && b->y->twins[k].name; k++)
    compare_twin(b, &b->y->twins[k], o->spoil, c);
  if (!o->untried && !ours_try(&b->vectors, b->y)) return false;
  contest t = contest_of(b, o->rounds);
  if (!rounds_run(&t, o->rounds, 1e-3 * o->least)) return false;
  print_lines(o, b, &t, c);
  return true;
}

/* Make the problem, the plans and the arrays. */
static bool prepare(const settings *o, const machine *m, bench *b, int64_t size) {
  bench_error error = {"out of memory"};
  b->y->make(&b->p, size);
  b->times = malloc(sizeof(double) * MOST_SUBJECTS * (size_t)o->rounds);
  b->stream = reference_alloc((size_t)problem_footprint(&b->p) + 64);
  if (!b->p.failed && b->times && b->stream &&
      !crew_make(&b->crew, b->y, &b->p, m->threads, &error))
    return true;
  fprintf(stderr, "kernels: %s, %" PRId64 " elements: %s\n", b->y->name, size, error.text);
  return false;
}

bool table_lines(const settings *o, const machine *m, const yardstick *y, int64_t size, counts *c) {
  bench b = {.y = y, .vectors = {.ctx = m->vectors}, .scalars = {.ctx = m->scalars}};
  const bool right = prepare(o, m, &b, size) && run(o, &b, c);
  ours_free(&b.vectors);
  ours_free(&b.scalars);
  crew_free(&b.crew);
  problem_free(&b.p);
  free(b.times);
  free(b.stream);
  return right;
}

void table_foot(const counts *c) {
  printf("results: %d compared, %d different\n", c->results, c->different);
  printf("figures: %d, %d missed, %d within the interval\n", c->figures, c->missed, c->unsure);
}
