/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for a part of a program that is linked with OpenCL, in t732. */
extern int clGetPlatformIDs(unsigned room, void **platforms, unsigned *n);
int op2_test_platforms(void);

int op2_test_platforms(void) {
  unsigned n = 0;
  return clGetPlatformIDs(0, 0, &n);
}
