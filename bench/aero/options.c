/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <string.h>

static bool option_form(const char *text, void *member) {
  static const char *const known[] = {"op2", "csr", "slices", "cells"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(text, known[i])) return option_text(text, member);
  return false;
}

static const option table[] = {
    {"--mesh", "classic|IxJ|FILE",
     "mesh to generate, or an FE_grid.dat (default classic, which is 400x600)", PROGRAM_ALL,
     option_text, offsetof(options, mesh)},
    {"--newton", "N", "Newton's steps (default 20)", PROGRAM_ALL, option_count,
     offsetof(options, newton)},
    {"--matrix-free", "", "apply the matrix cell by cell instead of assembling it", PROGRAM_OP2,
     option_flag, offsetof(options, matrix_free)},
    {"--form", "op2|csr|slices|cells",
     "OP2's loops; or few loops, a matrix in rows, in slices of eight rows, or cell by cell "
     "(default op2)",
     PROGRAM_SEQ | PROGRAM_OMP, option_form, offsetof(options, form)},
    {"--graph", "FILE", "write the graph of one iteration, as queued, in Graphviz' language",
     PROGRAM_OP2, option_output, offsetof(options, graph)},
    {"--write-mesh", "FILE", "write the mesh as an FE_grid.dat", PROGRAM_ALL, option_output,
     offsetof(options, write_mesh)},
    {"--dump-phi", "FILE", "write the potential and then the last rms as binary doubles",
     PROGRAM_ALL, option_text, offsetof(options, dump)},
    {0},
};

int options_parse(int argc, char **argv, unsigned program, options *o) {
  *o = (options){.mesh = "classic", .form = "op2", .newton = 20};
  return option_parse(argc, argv, program, table, o, &o->run);
}

int options_mesh(const options *o, mesh *m, bench_error *error) {
  if (mesh_open(o->mesh, m, error)) return -1;
  if (!o->write_mesh || !mesh_write(m, o->write_mesh, error)) return 0;
  mesh_free(m);
  return -1;
}
