/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

static const option table[] = {
    {"--mesh", "classic|IxJ|FILE",
     "mesh to generate, or a new_grid.dat (default classic, which is 400x600)", PROGRAM_ALL,
     option_text, offsetof(options, mesh)},
    {"--problem", "NAME", "flow, linear or wave (default flow)", PROGRAM_ALL, option_text,
     offsetof(options, problem)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", PROGRAM_ALL, option_seed,
     offsetof(options, shuffle)},
    {"--iterations", "N", "iterations at most (default 1000)", PROGRAM_ALL, option_count,
     offsetof(options, iterations)},
    {"--tolerance", "R", "stop when the residual is R times the first one; 0 never (default 1e-8)",
     PROGRAM_ALL, option_real, offsetof(options, tolerance)},
    {"--check", "N", "look at the residual every N iterations; 0 never (default 20)", PROGRAM_ALL,
     option_count, offsetof(options, check)},
    {"--graph", "FILE", "write the graph of one iteration, as queued, in Graphviz' language",
     PROGRAM_OP2, option_output, offsetof(options, graph)},
    {"--dump-x", "FILE", "write the solution and then the residual as binary doubles", PROGRAM_ALL,
     option_text, offsetof(options, dump)},
    OPTIONS_OF_CHECKPOINTS,
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){
      .mesh = "classic", .problem = "flow", .iterations = 1000, .tolerance = 1e-8, .check = 20};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  return mesh_open_shuffled(o->mesh, o->shuffle, m, error);
}
