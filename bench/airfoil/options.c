/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = PROGRAM_OP2 | PROGRAM_SEQ | PROGRAM_OMP };

typedef enum kind { TEXT, COUNT, SEED, FLAG } kind;

typedef struct option {
  const char *name, *value, *help;
  unsigned programs;
  kind kind;
  size_t offset; /* of the member of `options` */
} option;

static const option table[] = {
    {"--mesh", "classic|IxJ|FILE",
     "mesh to generate, or a new_grid.dat (default classic, which is 400x600)", ALL, TEXT,
     offsetof(options, mesh)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", ALL, SEED,
     offsetof(options, shuffle)},
    {"--renumber", "", "let the library renumber the mesh", PROGRAM_OP2, FLAG,
     offsetof(options, renumber)},
    {"--iterations", "N", "time steps (default 1000)", ALL, COUNT, offsetof(options, iterations)},
    {"--every", "N", "print the rms of the last update every N steps; 0 never (default 100)", ALL,
     COUNT, offsetof(options, every)},
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
    {"--graph", "FILE", "write the graph of one time step, as queued, in Graphviz' language",
     PROGRAM_OP2, TEXT, offsetof(options, graph)},
    {"--explain", "FILE|-", "write what the library did with the loops, at the end", PROGRAM_OP2,
     TEXT, offsetof(options, explain)},
    {"--picture", "FILE.png", "draw the Mach number round the section", PROGRAM_OP2, TEXT,
     offsetof(options, picture)},
    {"--write-mesh", "FILE", "write the mesh as a new_grid.dat", ALL, TEXT,
     offsetof(options, write_mesh)},
    {"--dump-q", "FILE", "write q and then the rms as binary doubles", ALL, TEXT,
     offsetof(options, dump_q)},
};
enum { OPTIONS = sizeof table / sizeof *table };

static void usage(FILE *stream, const char *name, unsigned program) {
  fprintf(stream, "usage: %s [option value]...\n", name);
  for (int i = 0; i < OPTIONS; i++)
    if (table[i].programs & program)
      fprintf(stream, "  %-12s %-17s %s\n", table[i].name, table[i].value, table[i].help);
  fprintf(stream, "  %-12s %-17s %s\n", "--help", "", "print this and exit");
}

static bool parse_count(const char *text, int *value) {
  char *end;
  errno = 0;
  const long v = strtol(text, &end, 10);
  if (end == text || *end || errno || v < 0 || v > INT_MAX) return false;
  *value = (int)v;
  return true;
}

static bool parse_seed(const char *text, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool store(const option *p, const char *value, options *o) {
  char *member = (char *)o + p->offset;
  switch (p->kind) {
  case FLAG: {
    const bool set = true;
    memcpy(member, &set, sizeof set);
    return true;
  }
  case COUNT: {
    int v;
    if (!parse_count(value, &v)) return false;
    memcpy(member, &v, sizeof v);
    return true;
  }
  case SEED:
    if (!parse_seed(value, &o->seed)) return false;
    break;
  case TEXT:
    if (!*value) return false;
    break;
  }
  memcpy(member, &value, sizeof value);
  return true;
}

/* The option that `text` names, alone or before an equals sign. */
static const option *find(const char *text, size_t length, unsigned program) {
  for (int i = 0; i < OPTIONS; i++)
    if ((table[i].programs & program) && strlen(table[i].name) == length &&
        !strncmp(table[i].name, text, length))
      return &table[i];
  return NULL;
}

static int reject(const char *name, unsigned program, const char *problem, const char *text) {
  fprintf(stderr, "%s: %s %s\n", name, problem, text);
  usage(stderr, name, program);
  return 2;
}

int options_parse(int argc, char **argv, unsigned program, options *o) {
  const char *name = argc > 0 && argv[0] ? argv[0] : "airfoil";
  *o = (options){
      .mesh = "classic", .iterations = 1000, .every = 100, .warmup = 2, .block_size = 4096};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) {
      usage(stdout, name, program);
      return 0;
    }
    const size_t length = strcspn(argv[i], "=");
    const option *p = find(argv[i], length, program);
    if (!p) return reject(name, program, "unknown option", argv[i]);
    const bool attached = argv[i][length], flag = p->kind == FLAG;
    if (flag && attached) return reject(name, program, "no value goes with", p->name);
    const char *value = flag ? "" : attached ? argv[i] + length + 1 : ++i < argc ? argv[i] : NULL;
    if (!value) return reject(name, program, "a value is missing after", p->name);
    if (!store(p, value, o)) return reject(name, program, "not a value for", p->name);
  }
  if (o->block_size < 1) return reject(name, program, "not a value for", "--block-size");
  return -1;
}

int options_mesh(const options *o, mesh *m, mesh_error *error) {
  if (mesh_open(o->mesh, m, error)) return -1;
  if ((o->shuffle && mesh_shuffle(m, o->seed, error)) ||
      (o->write_mesh && mesh_write(m, o->write_mesh, error))) {
    mesh_free(m);
    return -1;
  }
  return 0;
}

int options_warmup(const options *o) {
  if (o->iterations == 0) return 0;
  return o->warmup < o->iterations ? o->warmup : o->iterations - 1;
}
