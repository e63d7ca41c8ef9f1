/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line of the heat programs. */
#include "options.h"

static const option table[] = {
    {"--mesh", "classic|IxJ|FILE", "mesh to generate, or a new_grid.dat (default 72x102)",
     PROGRAM_ALL, option_text, offsetof(options, mesh)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", PROGRAM_ALL, option_seed,
     offsetof(options, shuffle)},
    {"--iterations", "N", "time steps at most (default 1000)", PROGRAM_ALL, option_count,
     offsetof(options, iterations)},
    {"--tolerance", "T", "stop when no temperature changes by more; 0 never (default 0)",
     PROGRAM_ALL, option_real, offsetof(options, tolerance)},
    {"--every", "N", "print the largest change every N time steps; 0 never (default 100)",
     PROGRAM_ALL, option_count, offsetof(options, every)},
    {"--graph", "FILE", "write the graph of one time step, as queued, in Graphviz' language",
     PROGRAM_OP2, option_output, offsetof(options, graph)},
    {"--dump-x", "FILE", "write the temperatures and then the last change as binary doubles",
     PROGRAM_ALL, option_text, offsetof(options, dump)},
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.mesh = "72x102", .iterations = 1000, .every = 100};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  return mesh_open_shuffled(o->mesh, o->shuffle, m, error);
}
