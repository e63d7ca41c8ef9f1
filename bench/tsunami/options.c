/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stdlib.h>

static const option table[] = {
    {"--mesh", "classic|IxJ", "rectangles of two triangles (default classic, which is 500x500)",
     PROGRAM_ALL, option_text, offsetof(options, mesh)},
    {"--shuffle", "SEED", "renumber nodes, cells and edges at random", PROGRAM_ALL, option_seed,
     offsetof(options, shuffle)},
    {"--hump", "METRES", "height of the wave at the start; 0 is a lake at rest (default 5)",
     PROGRAM_ALL, option_real, offsetof(options, hump)},
    {"--iterations", "N", "time steps (default 1000)", PROGRAM_ALL, option_count,
     offsetof(options, iterations)},
    {"--every", "N", "print what the water does every N steps; 0 never (default 100)", PROGRAM_ALL,
     option_count, offsetof(options, every)},
    {"--graph", "FILE", "write the graph of what waits between two looks at the time step",
     PROGRAM_OP2, option_output, offsetof(options, graph)},
    {"--picture", "FILE.png", "draw the sea after each quarter of the time steps", PROGRAM_OP2,
     option_text, offsetof(options, picture)},
    {"--dump-q", "FILE", "write q and then the simulated time as binary doubles", PROGRAM_ALL,
     option_text, offsetof(options, dump_q)},
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.mesh = "classic", .hump = 5, .iterations = 1000, .every = 100};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  if (mesh_open(o->mesh, m, error)) return -1;
  if (!o->shuffle || !mesh_shuffle(m, strtoull(o->shuffle, NULL, 10), error)) return 0;
  mesh_free(m);
  return -1;
}
