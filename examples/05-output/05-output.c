/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 5 of doc/tutorial.md: files for ParaView, and a state that is kept: 05-output [FILE.msh] */
#include <op2.h>
#include <op2/meshfile.h>
#include <stdio.h>
#include <string.h>
#ifdef WITH_HDF5
#include <op2/io.h>
#endif

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

enum { MOST_CELLS = 10000 };

OP2_KERNEL(decay, (double *q), { *q *= 0.9; });

#ifdef WITH_HDF5
/* Another run, which goes on where the first one stopped. */
static int restart(const double *before) {
  static double after[MOST_CELLS];
  op2_context ctx;
  op2_file file;
  op2_set cells;
  op2_dat q;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_file_open(ctx, "state.h5", OP2_FILE_READ, &file));
  CHECK(op2_file_read_set(file, "cells", &cells));
  CHECK(op2_file_read_dat(file, cells, 1, OP2_F64, "q", &q));
  CHECK(op2_file_close(&file));
  CHECK(op2_dat_get(q, after));
  const size_t bytes = sizeof *after * (size_t)op2_set_size(cells);
  printf("restart: %s\n", memcmp(before, after, bytes) ? "another state" : "the same bits");
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
#endif

int main(int argc, char **argv) {
  static double values[MOST_CELLS];
  op2_context ctx;
  op2_mesh mesh;
  op2_dat q;
  op2_kernel decays;
  op2_vtu_series series;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_mesh_read(ctx, argc > 1 ? argv[1] : "channel.msh", &mesh));
  CHECK(op2_kernel_create(ctx, &decay_kernel, &decays));
  const op2_set cells = op2_mesh_cells(mesh);
  if (op2_set_size(cells) > MOST_CELLS) return 1;
  for (int i = 0; i < op2_set_size(cells); i++) values[i] = i + 1;
  CHECK(op2_dat_create(cells, 1, OP2_F64, values, "q", &q));

  CHECK(op2_vtu_series_create(mesh, "dye.pvd", &series));
  for (int step = 0; step <= 20; step++) {
    if (step % 10 == 0) CHECK(op2_vtu_series_write(series, step * 0.1, 1, &q));
    CHECK(op2_par_loop(decays, cells, op2_arg_direct(q, OP2_RW)));
  }
  CHECK(op2_flush(ctx));
  op2_vtu_series_destroy(&series);
  printf("written: dye-0000.vtu, dye-0001.vtu, dye-0002.vtu, dye.pvd\n");

#ifdef WITH_HDF5
  CHECK(op2_dat_get(q, values));
  CHECK(op2_file_dump(ctx, "state.h5"));
  if (op2_finalize(&ctx)) return 1;
  return restart(values);
#else
  printf("restart: built without HDF5\n");
  return op2_finalize(&ctx) != OP2_SUCCESS;
#endif
}
