/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = CG_OP2 | CG_SEQ | CG_OMP };

typedef bool reader(const char *text, void *member);

static bool read_text(const char *text, void *member) {
  memcpy(member, &text, sizeof text);
  return *text;
}

static bool read_count(const char *text, void *member) {
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  *(int *)member = (int)value;
  return end != text && !*end && !errno && value >= 0 && value <= INT_MAX;
}

static bool read_positive(const char *text, void *member) {
  return read_count(text, member) && *(int *)member > 0;
}

static bool read_real(const char *text, void *member) {
  char *end;
  const double value = strtod(text, &end);
  *(double *)member = value;
  return end != text && !*end && isfinite(value) && value >= 0;
}

/* The text itself is kept: it is looked at again when the mesh is there. */
static bool read_seed(const char *text, void *member) {
  char *end;
  errno = 0;
  (void)strtoull(text, &end, 10);
  memcpy(member, &text, sizeof text);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

static const struct option {
  const char *name, *value, *help;
  unsigned programs;
  reader *read;
  size_t member;
} table[] = {
    {"--mesh", "classic|IxJ|FILE",
     "mesh to generate, or a new_grid.dat (default classic, which is 400x600)", ALL, read_text,
     offsetof(cg_options, mesh)},
    {"--problem", "NAME", "flow, linear or wave (default flow)", ALL, read_text,
     offsetof(cg_options, problem)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", ALL, read_seed,
     offsetof(cg_options, shuffle)},
    {"--iterations", "N", "iterations at most (default 1000)", ALL, read_count,
     offsetof(cg_options, iterations)},
    {"--tolerance", "R", "stop when the residual is R times the first one; 0 never (default 1e-8)",
     ALL, read_real, offsetof(cg_options, tolerance)},
    {"--check", "N", "look at the residual every N iterations; 0 never (default 20)", ALL,
     read_count, offsetof(cg_options, check)},
    {"--warmup", "N", "of the iterations, how many are not timed (default 2)", ALL, read_count,
     offsetof(cg_options, warmup)},
    {"--backend", "NAME",
     "sequential, openmp, starpu or check (default $OP2_BACKEND, or the best there is)", CG_OP2,
     read_text, offsetof(cg_options, backend)},
    {"--threads", "N", "CPU threads (default $OP2_THREADS, or all)", CG_OP2, read_count,
     offsetof(cg_options, threads)},
    {"--threads", "N", "CPU threads (default all)", CG_OMP, read_count,
     offsetof(cg_options, threads)},
    {"--block-size", "N", "cells in a block (default 4096)", CG_OMP, read_positive,
     offsetof(cg_options, block_size)},
    {"--graph", "FILE", "write the graph of one iteration, as queued, in Graphviz' language",
     CG_OP2, read_text, offsetof(cg_options, graph)},
    {"--explain", "FILE|-", "write what the library did with the loops, at the end", CG_OP2,
     read_text, offsetof(cg_options, explain)},
    {"--dump-x", "FILE", "write the solution and then the residual as binary doubles", ALL,
     read_text, offsetof(cg_options, dump)},
};
enum { OPTIONS = sizeof table / sizeof *table };

static void usage(FILE *stream, const char *name, unsigned program) {
  fprintf(stream, "usage: %s [option value]...\n", name);
  for (int i = 0; i < OPTIONS; i++)
    if (table[i].programs & program)
      fprintf(stream, "  %-12s %-17s %s\n", table[i].name, table[i].value, table[i].help);
  fprintf(stream, "  %-12s %-17s %s\n", "--help", "", "print this and exit");
}

/* The option that `text` names, alone or before an equals sign. */
static const struct option *find(const char *text, size_t length, unsigned program) {
  for (int i = 0; i < OPTIONS; i++)
    if ((table[i].programs & program) && strlen(table[i].name) == length &&
        !strncmp(table[i].name, text, length))
      return &table[i];
  return NULL;
}

static int reject(const char *name, unsigned program, const char *complaint, const char *text) {
  fprintf(stderr, "%s: %s %s\n", name, complaint, text);
  usage(stderr, name, program);
  return 2;
}

int cg_options_parse(int argc, char **argv, unsigned program, cg_options *o) {
  const char *name = argc > 0 && argv[0] ? argv[0] : "cg";
  *o = (cg_options){.mesh = "classic",
                    .problem = "flow",
                    .iterations = 1000,
                    .tolerance = 1e-8,
                    .check = 20,
                    .warmup = 2,
                    .block_size = 4096};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) {
      usage(stdout, name, program);
      return 0;
    }
    const size_t length = strcspn(argv[i], "=");
    const struct option *p = find(argv[i], length, program);
    if (!p) return reject(name, program, "unknown option", argv[i]);
    const char *value = argv[i][length] ? argv[i] + length + 1 : ++i < argc ? argv[i] : NULL;
    if (!value) return reject(name, program, "a value is missing after", p->name);
    if (!p->read(value, (char *)o + p->member))
      return reject(name, program, "not a value for", p->name);
  }
  return -1;
}

int cg_options_open(const cg_options *o, mesh *m, problem *p, mesh_error *error) {
  if (mesh_open(o->mesh, m, error)) return -1;
  if ((o->shuffle && mesh_shuffle(m, strtoull(o->shuffle, NULL, 10), error)) ||
      problem_create(o->problem, m, p, error)) {
    mesh_free(m);
    return -1;
  }
  return 0;
}

int cg_options_warmup(const cg_options *o) {
  if (o->iterations == 0) return 0;
  return o->warmup < o->iterations ? o->warmup : o->iterations - 1;
}
