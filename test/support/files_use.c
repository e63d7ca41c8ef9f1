/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's program that reads and writes files, in C and in C++: t923 compiles it outside of the
 * build. */
#include <op2.h>
#include <op2/io.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const double far_field[2] = {1, 0.5};
  double back[2] = {0, 0};
  op2_context ctx;
  op2_set nodes, again;
  op2_file file;
  if (argc != 2 || op2_init(NULL, &ctx) || op2_set_create(ctx, 7, "nodes", &nodes) ||
      op2_file_open(ctx, argv[1], OP2_FILE_CREATE, &file) ||
      op2_file_write_set(file, nodes, NULL) ||
      op2_file_write_const(file, 2, OP2_F64, "qinf", far_field) || op2_file_close(&file) ||
      op2_file_open(ctx, argv[1], OP2_FILE_READ, &file) ||
      op2_file_read_set(file, "nodes", &again) ||
      op2_file_read_const(file, 2, OP2_F64, "qinf", back) || op2_file_close(&file)) {
    fprintf(stderr, "%s\n", op2_error_message());
    return 1;
  }
  printf("%d %g %g\n", (int)op2_set_size(again), back[0], back[1]);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
