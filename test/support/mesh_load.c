/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what of HDF5 a program has loaded that is linked to libop2-meshfile alone: mesh_load FILE... reads
 * these meshes one after the other.
 *
 *     FILE: CELLS cells, HDF5 is [not] loaded
 *     FILE: MESSAGE */
#include <stdio.h>
#include <string.h>

#include <op2.h>
#include <op2/meshfile.h>

static int has_hdf5(void) {
  char line[600];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, "libhdf5") != NULL;
  if (maps) fclose(maps);
  return found;
}

int main(int argc, char **argv) {
  const op2_options options = {.backend = "sequential"};
  op2_context ctx;
  if (op2_init(&options, &ctx)) return 1;
  for (int f = 1; f < argc; f++) {
    op2_mesh mesh = NULL;
    if (op2_mesh_read(ctx, argv[f], &mesh))
      printf("%s: %s\n", argv[f], op2_error_message());
    else
      printf("%s: %lld cells, HDF5 is %sloaded\n", argv[f],
             (long long)op2_set_size(op2_mesh_cells(mesh)), has_hdf5() ? "" : "not ");
    op2_mesh_destroy(&mesh);
  }
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
