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

enum { ALL = PROGRAM_OP2 | PROGRAM_SEQ | PROGRAM_OMP };

typedef enum kind { TEXT, COUNT, SEED, LENGTH } kind;

typedef struct option {
  const char *name, *value, *help;
  unsigned programs;
  kind kind;
  size_t member; /* offset in `options` */
} option;

static const option table[] = {
    {"--mesh", "classic|IxJ", "rectangles of two triangles (default classic, which is 500x500)",
     ALL, TEXT, offsetof(options, mesh)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", ALL, SEED,
     offsetof(options, shuffle)},
    {"--hump", "METRES", "height of the wave at the start; 0 is a lake at rest (default 5)", ALL,
     LENGTH, offsetof(options, hump)},
    {"--iterations", "N", "time steps (default 1000)", ALL, COUNT, offsetof(options, iterations)},
    {"--every", "N", "print what the water does every N steps; 0 never (default 100)", ALL, COUNT,
     offsetof(options, every)},
    {"--warmup", "N", "of the time steps, how many are not timed (default 2)", ALL, COUNT,
     offsetof(options, warmup)},
    {"--backend", "NAME",
     "sequential, openmp, starpu or check (default $OP2_BACKEND, or the best there is)",
     PROGRAM_OP2, TEXT, offsetof(options, backend)},
    {"--threads", "N", "CPU threads (default $OP2_THREADS, or all)", PROGRAM_OP2, COUNT,
     offsetof(options, threads)},
    {"--threads", "N", "CPU threads (default all)", PROGRAM_OMP, COUNT, offsetof(options, threads)},
    {"--block-size", "N", "edges in a block (default 4096)", PROGRAM_OMP, COUNT,
     offsetof(options, block_size)},
    {"--graph", "FILE", "write the graph of what waits between two looks at the time step",
     PROGRAM_OP2, TEXT, offsetof(options, graph)},
    {"--explain", "FILE|-", "write what the library did with the loops, at the end", PROGRAM_OP2,
     TEXT, offsetof(options, explain)},
    {"--dump-q", "FILE", "write q and then the simulated time as binary doubles", ALL, TEXT,
     offsetof(options, dump_q)},
};
static const size_t table_size = sizeof table / sizeof *table;

static void usage(FILE *stream, const char *name, unsigned program) {
  fprintf(stream, "usage: %s [option value]...\n", name);
  for (const option *p = table; p < table + table_size; p++)
    if (p->programs & program) fprintf(stream, "  %-12s %-12s %s\n", p->name, p->value, p->help);
  fprintf(stream, "  %-12s %-12s %s\n", "--help", "", "print this and exit");
}

static bool store_count(const char *text, int *count) {
  char *end;
  errno = 0;
  const long read = strtol(text, &end, 10);
  if (end == text || *end || errno || read < 0 || read > INT_MAX) return false;
  *count = (int)read;
  return true;
}

static bool store_seed(const char *text, uint64_t *seed) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  *seed = strtoull(text, &end, 10);
  return !*end && !errno;
}

static bool store_length(const char *text, double *metres) {
  char *end;
  *metres = strtod(text, &end);
  return end != text && !*end && isfinite(*metres) && *metres >= 0;
}

static bool store(const option *p, const char *value, options *o) {
  void *member = (char *)o + p->member;
  switch (p->kind) {
  case COUNT: return store_count(value, member);
  case LENGTH: return store_length(value, member);
  case SEED:
    if (!store_seed(value, &o->seed)) return false;
    break;
  case TEXT:
    if (!*value) return false;
    break;
  }
  memcpy(member, &value, sizeof value);
  return true;
}

/* The option whose name the first `length` characters are. */
static const option *find(const char *text, size_t length, unsigned program) {
  for (const option *p = table; p < table + table_size; p++)
    if ((p->programs & program) && strlen(p->name) == length && !memcmp(p->name, text, length))
      return p;
  return NULL;
}

static int refuse(const char *name, unsigned program, const char *problem, const char *text) {
  fprintf(stderr, "%s: %s %s\n", name, problem, text);
  usage(stderr, name, program);
  return 2;
}

int options_parse(int argc, char **argv, unsigned program, options *o) {
  const char *name = argc > 0 && argv[0] ? argv[0] : "tsunami";
  *o = (options){.mesh = "classic",
                 .hump = 5,
                 .iterations = 1000,
                 .every = 100,
                 .warmup = 2,
                 .block_size = 4096};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) {
      usage(stdout, name, program);
      return 0;
    }
    const size_t length = strcspn(argv[i], "=");
    const option *p = find(argv[i], length, program);
    if (!p) return refuse(name, program, "unknown option", argv[i]);
    const char *value = argv[i][length] ? argv[i] + length + 1 : argv[++i];
    if (!value) return refuse(name, program, "a value is missing after", p->name);
    if (!store(p, value, o)) return refuse(name, program, "not a value for", p->name);
  }
  if (o->block_size < 1) return refuse(name, program, "not a value for", "--block-size");
  return -1;
}

int options_mesh(const options *o, mesh *m, mesh_error *error) {
  if (mesh_open(o->mesh, m, error)) return -1;
  if (!o->shuffle || !mesh_shuffle(m, o->seed, error)) return 0;
  mesh_free(m);
  return -1;
}

int options_warmup(const options *o) {
  if (o->warmup < o->iterations) return o->warmup;
  return o->iterations > 0 ? o->iterations - 1 : 0;
}
