/* SPDX-License-Identifier: BSD-3-Clause */
/* A model of dispatch: predicts what programs take on some members, from what the machine takes for
 * the parts of dispatch, and from what elements take on a small mesh with one member. bench/model.sh
 * runs the programs and calls this. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "predict.h"

static const char usage[] =
    "usage: model < LIST\n"
    "Each line of the list is one of these, and names records that OP2_SCHEDULE made:\n"
    "  measure FILE                  measure the machine, and write that\n"
    "  machine RECORD FILES          read it, and learn costs from one member's record\n"
    "  program NAME LOOP TIMES PLANS SMALLS\n"
    "                                SMALLS have one member, on a small mesh\n"
    "  measured RECORDS              of the program, with PLANS\n"
    "  schedule RECORD               of the program, with any number of members\n"
    "  far MEMBERS PLANS             of the program\n"
    "  rehearse MEMBERS RECORD       make a record of blocks that sleep\n"
    "LOOP is a loop that comes so many TIMES in an iteration. Of several files the median "
    "counts.\n";

typedef struct program {
  char name[32], marker[128];
  int times;
  profile small;
  record plans;
} program;

static int do_measure(const char *line, bench_error *error) {
  char path[512];
  machine m;
  if (sscanf(line, "%*s %511s", path) != 1) return bench_fail(error, "not understood: %s", line);
  if (!machine_measure(&m)) return bench_fail(error, "no memory for measurements");
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(&m, sizeof m, 1, file) != 1 || fclose(file))
    return bench_fail(error, "cannot write %s", path);
  return 0;
}

/* Read all records that the rest of a line names. */
static int read_all(char *rest, record *r, bench_error *error) {
  *r = (record){0};
  for (char *path = strtok(rest, " \n"); path; path = strtok(NULL, " \n"))
    if (record_read(path, r, error)) return -1;
  return r->nrun ? 0 : bench_fail(error, "no record is named");
}

static int read_machines(char *rest, machine *m, bench_error *error) {
  static machine several[MACHINE_MOST];
  int n = 0;
  for (char *path = strtok(rest, " \n"); path && n < MACHINE_MOST; path = strtok(NULL, " \n")) {
    FILE *file = fopen(path, "rb");
    const bool good = file && fread(&several[n++], sizeof *several, 1, file) == 1;
    if (file) fclose(file);
    if (!good) return bench_fail(error, "cannot read %s", path);
  }
  if (n == 0) return bench_fail(error, "no measurement is named");
  *m = machine_median(several, n);
  return 0;
}

static int do_machine(machine *m, char *line, bench_error *error) {
  char from[512];
  int at = 0;
  record r = {0};
  if (sscanf(line, "%*s %511s%n", from, &at) != 1)
    return bench_fail(error, "not understood: %s", line);
  if (read_machines(line + at, m, error) || record_read(from, &r, error)) return -1;
  const int failed = profile_costs(&r, &m->costs, error);
  record_free(&r);
  if (!failed) machine_print(m, stdout);
  return failed;
}

static int do_program(program *p, char *line, bench_error *error) {
  char plans[512];
  int at = 0;
  record r;
  if (sscanf(line, "%*s %31s %127s %d %511s%n", p->name, p->marker, &p->times, plans, &at) != 4)
    return bench_fail(error, "not understood: %s", line);
  record_free(&p->plans);
  if (read_all(line + at, &r, error)) return -1;
  int failed = profile_make(&r, &p->small, error);
  record_free(&r);
  if (!failed) failed = record_read(plans, &p->plans, error);
  return failed;
}

static int do_measured(const machine *m, const program *p, char *line, bench_error *error) {
  prediction out;
  record r;
  if (read_all(line + strcspn(line, " "), &r, error)) return -1;
  const int members = r.runs[r.nrun - 1].members;
  const double ns = record_median(&r, p->marker, p->times);
  record_free(&r);
  const setting s = {.m = m, .costs = m->costs, .members = members, .threads = members, .cut = 1};
  if (predict(&p->small, &s, &p->plans, p->marker, p->times, &out, error)) return -1;
  const double off = 100 * (out.ns / ns - 1);
  printf("time %-8s %d members: measured %8.4f ms, predicted %8.4f ms, %+5.1f %%%s\n", p->name,
         members, 1e-6 * ns, 1e-6 * out.ns, off, fabs(off) > 15 ? "  more than 15 % off" : "");
  return 0;
}

static int64_t most_elements(const record *r) {
  const record_run *run = &r->runs[r->nrun - 1];
  int64_t most = 0;
  for (int64_t i = 0; i < run->nstep; i++)
    if (run->steps[i].elements > most) most = run->steps[i].elements;
  return most;
}

/* Other rules by which openmp could dispatch, and the one that it had: see predict.h and simulate.h. */
typedef struct variant {
  const char *name;
  int cut;
  bool flat;
} variant;

static const variant variants[] = {
    {"as it is", 1, false},
    {"blocks in 2 parts", 2, false},
    {"blocks in 4 parts", 4, false},
    {"without a tree", 1, true},
};

static void scale(sim_costs *c, double factor) {
  double *costs[] = {&c->take,   &c->look, &c->scan,  &c->barrier, &c->member,
                     &c->region, &c->fold, &c->start, &c->queue};
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) *costs[i] *= factor;
}

/* Print the speed-up over one member, with the costs of dispatch times `factor`, and what the time
 * consists of. */
static int print_far(const machine *m, const program *p, const record *plans, int members,
                     const variant *v, double factor, bench_error *error) {
  setting s = {.m = m, .costs = m->costs, .members = 1, .threads = 1, .cut = 1};
  prediction one, many;
  if (predict(&p->small, &s, plans, p->marker, p->times, &one, error)) return -1;
  s.members = members;
  s.cut = v->cut;
  s.costs.flat = v->flat;
  scale(&s.costs, factor);
  if (predict(&p->small, &s, plans, p->marker, p->times, &many, error)) return -1;
  const double alone = one.ns + one.queue, all = many.ns + many.queue, share = alone / members;
  printf("far %s %9" PRId64 " elements, %3d members, %-18s costs x%.0f: speed-up %5.1f; "
         "%7.1f us: share %.1f, rounds %.1f, alone %.1f, dispatch %.1f in %.1f turns\n",
         p->name, most_elements(plans), members, v->name, factor, alone / all, 1e-3 * all,
         1e-3 * share, 1e-3 * (many.blocks - share), 1e-3 * many.alone,
         1e-3 * (all - many.blocks - many.alone), many.turns);
  return 0;
}

static int do_far(const machine *m, const program *p, const char *line, bench_error *error) {
  char plans[512];
  int members, failed = 0;
  record r = {0};
  if (sscanf(line, "%*s %d %511s", &members, plans) != 2)
    return bench_fail(error, "not understood: %s", line);
  if (record_read(plans, &r, error)) return -1;
  for (size_t v = 0; v < sizeof variants / sizeof *variants && !failed; v++)
    for (int factor = 1; factor <= 2 && !failed; factor++)
      failed = print_far(m, p, &r, members, &variants[v], factor, error);
  record_free(&r);
  return failed;
}

static int do_schedule(const machine *m, const program *p, const char *line, bench_error *error) {
  char path[512];
  record r = {0};
  if (sscanf(line, "%*s %511s", path) != 1) return bench_fail(error, "not understood: %s", line);
  if (record_read(path, &r, error)) return -1;
  const int failed = check_schedule(m, p->name, &p->small, &r, error);
  record_free(&r);
  return failed;
}

static int do_rehearse(const char *line, bench_error *error) {
  char path[512];
  int members;
  if (sscanf(line, "%*s %d %511s", &members, path) != 2 || members < 1)
    return bench_fail(error, "not understood: %s", line);
  return check_rehearsals(members, path, error);
}

static int do_line(machine *m, program *p, char *line, bench_error *error) {
  if (!strncmp(line, "measure ", 8)) return do_measure(line, error);
  if (!strncmp(line, "machine ", 8)) return do_machine(m, line, error);
  if (!strncmp(line, "program ", 8)) return do_program(p, line, error);
  if (!strncmp(line, "measured ", 9)) return do_measured(m, p, line, error);
  if (!strncmp(line, "schedule ", 9)) return do_schedule(m, p, line, error);
  if (!strncmp(line, "rehearse ", 9)) return do_rehearse(line, error);
  if (!strncmp(line, "far ", 4)) return do_far(m, p, line, error);
  return bench_fail(error, "not understood: %s", line);
}

int main(int argc, char **argv) {
  static machine m;
  static program p;
  char line[1 << 14];
  bench_error error;
  (void)argv;
  if (argc > 1) {
    fputs(usage, stdout);
    return EXIT_SUCCESS;
  }
  while (fgets(line, sizeof line, stdin))
    if (do_line(&m, &p, line, &error)) {
      fprintf(stderr, "model: %s\n", error.text);
      return EXIT_FAILURE;
    }
  record_free(&p.plans);
  return EXIT_SUCCESS;
}
