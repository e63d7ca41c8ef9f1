/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line of the heat programs. */
#include "options.h"

#include <stdlib.h>

static const option table[] = {
    {"--mesh", "classic|IxJ|FILE", "mesh to generate, or a new_grid.dat (default 72x102)",
     PROGRAM_ALL, option_text, offsetof(heat_options, mesh)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", PROGRAM_ALL, option_seed,
     offsetof(heat_options, shuffle)},
    {"--iterations", "N", "time steps at most (default 1000)", PROGRAM_ALL, option_count,
     offsetof(heat_options, iterations)},
    {"--tolerance", "T", "stop when no temperature changes by more; 0 never (default 0)",
     PROGRAM_ALL, option_real, offsetof(heat_options, tolerance)},
    {"--every", "N", "print the largest change every N time steps; 0 never (default 100)",
     PROGRAM_ALL, option_count, offsetof(heat_options, every)},
    {"--graph", "FILE", "write the graph of one time step, as queued, in Graphviz' language",
     PROGRAM_OP2, option_text, offsetof(heat_options, graph)},
    {"--dump-x", "FILE", "write the temperatures and then the last change as binary doubles",
     PROGRAM_ALL, option_text, offsetof(heat_options, dump)},
    {0},
};

int heat_options_parse(int argc, char **argv, unsigned program, heat_options *o) {
  *o = (heat_options){.mesh = "72x102", .iterations = 1000, .every = 100};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int heat_options_open(const heat_options *o, mesh *m, problem *p, bench_error *error) {
  if (mesh_open(o->mesh, m, error)) return -1;
  if ((o->shuffle && mesh_shuffle(m, strtoull(o->shuffle, NULL, 10), error)) ||
      problem_create(m, p, error)) {
    mesh_free(m);
    return -1;
  }
  return 0;
}
