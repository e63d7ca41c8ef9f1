/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"

void *reference_alloc(size_t bytes) {
  const size_t huge = (size_t)2 << 20, size = (bytes / huge + 1) * huge;
  void *p = aligned_alloc(huge, size);
  if (!p) return NULL;
  madvise(p, size, MADV_HUGEPAGE);
  return memset(p, 0, size);
}

int reference_move(void *member, size_t bytes) {
  void *old, *new = reference_alloc(bytes);
  if (!new) return -1;
  memcpy(&old, member, sizeof old);
  memcpy(new, old, bytes);
  free(old);
  memcpy(member, &new, sizeof new);
  return 0;
}

void reference_times(double begin, double timed, int iterations) {
  const double end = clock_now();
  printf("time_loop_s %.6f\n", end - begin);
  if (iterations > 0) printf("time_per_iteration_ms %.6f\n", 1e3 * (end - timed) / iterations);
}
