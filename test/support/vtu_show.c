/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the doubles of an array of a VTU file: vtu_show FILE NAME */
#include <stdio.h>
#include <stdlib.h>

#include "vtu_case.h"

int main(int argc, char **argv) {
  struct vtu vtu;
  size_t size = 0;
  double *values = NULL;
  if (argc == 3 && vtu_open(argv[1], &vtu)) {
    values = vtu_array(&vtu, argv[2], &size);
    vtu_close(&vtu);
  }
  for (size_t i = 0; values && i < size / sizeof *values; i++) printf("%.9g\n", values[i]);
  free(values);
  return values == NULL;
}
