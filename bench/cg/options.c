/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stdlib.h>

static const option table[] = {
    {"--mesh", "classic|IxJ|FILE",
     "mesh to generate, or a new_grid.dat (default classic, which is 400x600)", PROGRAM_ALL,
     option_text, offsetof(cg_options, mesh)},
    {"--problem", "NAME", "flow, linear or wave (default flow)", PROGRAM_ALL, option_text,
     offsetof(cg_options, problem)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", PROGRAM_ALL, option_seed,
     offsetof(cg_options, shuffle)},
    {"--iterations", "N", "iterations at most (default 1000)", PROGRAM_ALL, option_count,
     offsetof(cg_options, iterations)},
    {"--tolerance", "R", "stop when the residual is R times the first one; 0 never (default 1e-8)",
     PROGRAM_ALL, option_real, offsetof(cg_options, tolerance)},
    {"--check", "N", "look at the residual every N iterations; 0 never (default 20)", PROGRAM_ALL,
     option_count, offsetof(cg_options, check)},
    {"--graph", "FILE", "write the graph of one iteration, as queued, in Graphviz' language",
     PROGRAM_OP2, option_text, offsetof(cg_options, graph)},
    {"--dump-x", "FILE", "write the solution and then the residual as binary doubles", PROGRAM_ALL,
     option_text, offsetof(cg_options, dump)},
    {0},
};

int cg_options_parse(int argc, char **argv, unsigned program, cg_options *o) {
  *o = (cg_options){
      .mesh = "classic", .problem = "flow", .iterations = 1000, .tolerance = 1e-8, .check = 20};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int cg_options_open(const cg_options *o, mesh *m, problem *p, bench_error *error) {
  if (mesh_open(o->mesh, m, error)) return -1;
  if ((o->shuffle && mesh_shuffle(m, strtoull(o->shuffle, NULL, 10), error)) ||
      problem_create(o->problem, m, p, error)) {
    mesh_free(m);
    return -1;
  }
  return 0;
}
