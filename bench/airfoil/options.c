/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

static const option table[] = {
    {"--mesh", "classic|IxJ|FILE",
     "mesh to generate, or a file: new_grid.dat, new_grid.h5 (default classic, which is 400x600)", PROGRAM_ALL,
     option_text, offsetof(options, mesh)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", PROGRAM_ALL, option_seed,
     offsetof(options, shuffle)},
    {"--renumber", "", "let the library renumber the mesh", PROGRAM_OP2, option_flag,
     offsetof(options, renumber)},
    {"--iterations", "N", "time steps (default 1000)", PROGRAM_ALL, option_count,
     offsetof(options, iterations)},
    {"--every", "N", "print the rms of the last update every N steps; 0 never (default 100)",
     PROGRAM_ALL, option_count, offsetof(options, every)},
    {"--graph", "FILE", "write the graph of the first time step, as queued, in Graphviz' language",
     PROGRAM_OP2, option_output, offsetof(options, graph)},
    {"--graph-steps", "N", "of so many time steps, as far as they wait (default 1)", PROGRAM_OP2,
     option_positive, offsetof(options, graph_steps)},
    {"--counts", "", "print how much of the mesh each rank has, and what travels in a time step",
     PROGRAM_OP2, option_flag, offsetof(options, counts)},
    {"--picture", "FILE.png", "draw the Mach number round the section", PROGRAM_OP2, option_text,
     offsetof(options, picture)},
    {"--write-mesh", "FILE", "write the mesh as a new_grid.dat, or as a new_grid.h5 where FILE ends in .h5", PROGRAM_ALL, option_output,
     offsetof(options, write_mesh)},
    {"--dump-q", "FILE", "write q and then the rms as binary doubles", PROGRAM_ALL, option_text,
     offsetof(options, dump_q)},
    OPTIONS_OF_CHECKPOINTS,
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.mesh = "classic", .iterations = 1000, .every = 100, .graph_steps = 1};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  if (mesh_open_shuffled(o->mesh, o->shuffle, m, error)) return -1;
  if (!o->write_mesh || !mesh_save(m, o->write_mesh, error)) return 0;
  mesh_free(m);
  return -1;
}
