/* SPDX-License-Identifier: BSD-3-Clause */
#include "option.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tables of a command: the program's own options come first. */
enum { TABLES = 2 };

typedef struct command {
  const char *name;
  unsigned program;
  const option *table[TABLES];
  void *options[TABLES]; /* the options that each table is about */
} command;

static const option run_table[] = {
    {"--warmup", "N", "of the iterations, how many are not timed (default 2)", PROGRAM_ALL,
     option_count, offsetof(run_options, warmup)},
    {"--backend", "NAME",
     "sequential, openmp, starpu or check (default $OP2_BACKEND, or the best there is)",
     PROGRAM_OP2 | PROGRAM_COMPARES, option_text, offsetof(run_options, backend)},
    {"--threads", "N", "CPU threads (default $OP2_THREADS, or all)", PROGRAM_OP2 | PROGRAM_COMPARES,
     option_count, offsetof(run_options, threads)},
    {"--threads", "N", "CPU threads (default all)", PROGRAM_OMP, option_count,
     offsetof(run_options, threads)},
    {"--block-size", "N", "elements in a block (default 4096)", PROGRAM_OMP, option_positive,
     offsetof(run_options, block_size)},
    {"--eager", "", "run every loop when it is queued", PROGRAM_OP2, option_flag,
     offsetof(run_options, eager)},
    {"--progress", "", "tell on stderr how far the run has come, even if that is no terminal",
     PROGRAM_OP2, option_flag, offsetof(run_options, progress)},
    {"--explain", "FILE|-", "write what the library did with the loops, at the end", PROGRAM_OP2,
     option_output, offsetof(run_options, explain)},
    {"--dump-state", "FILE", "write all sets, maps, dats, matrices, ... at the end, in HDF5",
     PROGRAM_OP2, option_text, offsetof(run_options, state)},
    {"--partition", "METHOD",
     "kway, coordinates, blocks or random, among ranks (default kway if there is a partitioner)",
     PROGRAM_OP2, option_partition, offsetof(run_options, partition)},
    {0},
};

/* ---- values ---- */

bool option_writes = true;

bool option_text(const char *text, void *member) {
  memcpy(member, &text, sizeof text);
  return *text;
}

bool option_output(const char *text, void *member) {
  return option_writes ? option_text(text, member) : *text;
}

bool option_partition(const char *text, void *member) {
  static const char *const known[] = {"kway", "coordinates", "blocks", "random"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(text, known[i])) return option_text(text, member);
  return false;
}

bool option_count(const char *text, void *member) {
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  *(int *)member = (int)value;
  return end != text && !*end && !errno && value >= 0 && value <= INT_MAX;
}

bool option_positive(const char *text, void *member) {
  return option_count(text, member) && *(int *)member > 0;
}

bool option_real(const char *text, void *member) {
  char *end;
  const double value = strtod(text, &end);
  *(double *)member = value;
  return end != text && !*end && isfinite(value) && value >= 0;
}

/* The text itself is kept, because null means that there is no seed. */
bool option_seed(const char *text, void *member) {
  char *end;
  errno = 0;
  (void)strtoull(text, &end, 10);
  memcpy(member, &text, sizeof text);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

bool option_flag(const char *text, void *member) {
  (void)text;
  return *(bool *)member = true;
}

bool option_size(const char *text, int64_t *ni, int64_t *nj) {
  char *end;
  if (strspn(text, "0123456789") == 0) return false;
  *ni = strtoll(text, &end, 10);
  if (*end != 'x' || strspn(end + 1, "0123456789") == 0) return false;
  *nj = strtoll(end + 1, &end, 10);
  return !*end;
}

int option_warmup(const run_options *run, int iterations) {
  if (run->warmup < iterations) return run->warmup;
  return iterations > 0 ? iterations - 1 : 0;
}

/* ---- the command line ---- */

static void usage(FILE *stream, const command *c) {
  int width = 0; /* width of the column of value names */
  for (int t = 0; t < TABLES; t++)
    for (const option *p = c->table[t]; p->name; p++)
      if (width < (int)strlen(p->value)) width = (int)strlen(p->value);
  fprintf(stream, "usage: %s [option value]...\n", c->name);
  for (int t = 0; t < TABLES; t++)
    for (const option *p = c->table[t]; p->name; p++)
      if (p->programs & c->program)
        fprintf(stream, "  %-12s %-*s  %s\n", p->name, width, p->value, p->help);
  fprintf(stream, "  %-12s %-*s  %s\n", "--help", width, "", "print this and exit");
}

static int reject(const command *c, const char *complaint, const char *text) {
  if (!option_writes) return 2;
  fprintf(stderr, "%s: %s %s\n", c->name, complaint, text);
  usage(stderr, c);
  return 2;
}

/* Find the option that the first `length` characters name, and the options that it is a member
 * of. */
static const option *find(const command *c, const char *text, size_t length, char **options) {
  for (int t = 0; t < TABLES; t++)
    for (const option *p = c->table[t]; p->name; p++) {
      if (!(p->programs & c->program) || strlen(p->name) != length || memcmp(p->name, text, length))
        continue;
      *options = c->options[t];
      return p;
    }
  return NULL;
}

int option_parse(int argc, char **argv, unsigned program, const option *table, void *options,
                 run_options *run) {
  const command c = {argv[0], program, {table, run_table}, {options, run}};
  *run = (run_options){.warmup = 2, .block_size = OPTION_BLOCK_SIZE};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) {
      usage(stdout, &c);
      return 0;
    }
    char *of;
    const size_t length = strcspn(argv[i], "=");
    const option *p = find(&c, argv[i], length, &of);
    if (!p) return reject(&c, "unknown option", argv[i]);
    const bool attached = argv[i][length], flag = p->read == option_flag;
    if (flag && attached) return reject(&c, "no value goes with", p->name);
    const char *value = flag ? "" : attached ? argv[i] + length + 1 : argv[++i];
    if (!value) return reject(&c, "a value is missing after", p->name);
    if (!p->read(value, of + p->member)) return reject(&c, "not a value for", p->name);
  }
  return -1;
}
