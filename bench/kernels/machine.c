/* SPDX-License-Identifier: BSD-3-Clause */
/* The contexts and the bandwidth of the memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/reference.h"
#include "table.h"

enum { STREAM_ROUNDS = 7 };

static bool measure_memory(machine *m, int megabytes) {
  const int64_t bytes = (int64_t)megabytes << 20;
  double *data = reference_alloc((size_t)bytes), read = INFINITY, change = INFINITY;
  if (!data) {
    fprintf(stderr, "kernels: no memory for an array of %d MB\n", megabytes);
    return false;
  }
  for (int k = 0; k < STREAM_ROUNDS; k++) {
    const double begin = clock_now();
    crew_read(m->threads, data, bytes);
    const double middle = clock_now();
    crew_change(m->threads, data, bytes);
    read = fmin(read, middle - begin);
    change = fmin(change, clock_now() - middle);
  }
  m->read = (double)bytes / read;
  m->change = 2 * (double)bytes / change;
  free(data);
  return true;
}

bool machine_start(machine *m, const settings *o) {
  if (!ours_init(o->run.backend, o->run.threads, false, &m->vectors) ||
      !ours_init(o->run.backend, o->run.threads, true, &m->scalars))
    return false;
  m->threads = op2_workers(m->vectors);
  return !o->stream || measure_memory(m, o->stream);
}

bool machine_end(machine *m) {
  const bool first = op2_finalize(&m->scalars) == OP2_SUCCESS;
  return op2_finalize(&m->vectors) == OP2_SUCCESS && first;
}
