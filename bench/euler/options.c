/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_SIZE "192x64"

static const option table[] = {
    {"--mesh", "FILE.su2|random:N",
     "triangulation to read, or of N nodes in random order, instead of the channel with a bump",
     PROGRAM_ALL, option_text, offsetof(options, mesh)},
    {"--size", "IxJ", "rectangles of the channel (default " DEFAULT_SIZE ")", PROGRAM_ALL,
     option_text, offsetof(options, size)},
    {"--refine", "N", "split every triangle into four, N times; new nodes are numbered last",
     PROGRAM_ALL, option_count, offsetof(options, refine)},
    {"--farfield", "TAG,...|none",
     "markers that are far field, all others are walls (default by name: far, in, outlet ...)",
     PROGRAM_ALL, option_text, offsetof(options, far_field)},
    {"--mach", "M", "Mach number of the far field and at the start (default 0.4)", PROGRAM_ALL,
     option_real, offsetof(options, mach)},
    {"--renumber", "", "let the library renumber the mesh", PROGRAM_OP2, option_flag,
     offsetof(options, renumber)},
    {"--iterations", "N", "time steps (default 500)", PROGRAM_ALL, option_count,
     offsetof(options, iterations)},
    {"--every", "N",
     "print the rms of the residual and masses every N steps; 0 never (default 100)", PROGRAM_ALL,
     option_count, offsetof(options, every)},
    {"--flush", "", "flush after every time step", PROGRAM_OP2, option_flag,
     offsetof(options, flush)},
    {"--graph", "FILE", "write the graph of the first time step, as queued, in Graphviz' language",
     PROGRAM_OP2, option_output, offsetof(options, graph)},
    {"--dump-q", "FILE", "write q and then the rms as binary doubles", PROGRAM_ALL, option_text,
     offsetof(options, dump_q)},
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.mach = 0.4, .iterations = 500, .every = 100};
  return option_parse(argc, argv, program, table, o, &o->run);
}

/* Make the mesh that is named `random:N`. */
static int make_random(const char *number, mesh *m, bench_error *error) {
  int nodes;
  if (!option_count(number, &nodes))
    return bench_fail(error, "a number of nodes is, say, 27000, not %s", number);
  return mesh_random(nodes, m, error);
}

static int open_mesh(const options *o, mesh *m, bench_error *error) {
  static const char random[] = "random:";
  const size_t length = sizeof random - 1;
  const char *size = o->size ? o->size : DEFAULT_SIZE;
  int64_t ni, nj;
  if (o->mesh && o->size) return bench_fail(error, "--size is for the channel, not for a file");
  if (o->mesh && !strncmp(o->mesh, random, length)) return make_random(o->mesh + length, m, error);
  if (o->mesh) return mesh_read(o->mesh, m, error);
  if (!option_size(size, &ni, &nj)) return bench_fail(error, "a size is, say, 40x30, not %s", size);
  return mesh_channel(ni, nj, m, error);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  *m = (mesh){0};
  int rc = open_mesh(o, m, error);
  if (rc == 0) rc = mesh_check(m, error);
  if (rc == 0) rc = mesh_refine(m, o->refine, error);
  if (rc == 0) rc = mesh_finish(m, o->far_field, error);
  if (rc) mesh_free(m);
  return rc;
}

void options_print_mesh(const mesh *m) {
  int64_t far = 0;
  for (int64_t b = 0; b < m->nbedge; b++) far += m->kind[b] == MESH_FAR_FIELD;
  printf(
      "%s: %lld nodes, %lld triangles, %lld edges, %lld boundary edges, %lld of them far field\n",
      m->name, (long long)m->nnode, (long long)m->ncell, (long long)m->nedge, (long long)m->nbedge,
      (long long)far);
}
