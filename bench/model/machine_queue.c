/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures what it takes to queue a loop, to flush, and to find the program of the queue again. */
#include <math.h>

#include "common/clock.h"
#include "machine.h"
#include "op2.h"

enum { LOOPS = 60, FLUSHES = 400, WARM = 20 };

OP2_KERNEL(change, (const double *a, const double *b, const double *c, double *d),
           { *d = 0.5 * *d + *a * *b + *c; });

typedef struct subject {
  op2_context ctx;
  op2_set one;
  op2_dat dats[4];
  op2_kernel kernel;
} subject;

static bool declare(subject *s) {
  const op2_options options = {.backend = "sequential"};
  if (op2_init(&options, &s->ctx) || op2_set_create(s->ctx, 1, "one", &s->one)) return false;
  for (int d = 0; d < 4; d++)
    if (op2_dat_create(s->one, 1, OP2_F64, NULL, "d", &s->dats[d])) return false;
  return op2_kernel_create(s->ctx, &change_kernel, &s->kernel) == OP2_SUCCESS;
}

static bool flush_some(subject *s) {
  for (int i = 0; i < LOOPS; i++)
    if (op2_par_loop(s->kernel, s->one, op2_arg_direct(s->dats[i % 3], OP2_READ),
                     op2_arg_direct(s->dats[(i + 1) % 3], OP2_READ),
                     op2_arg_direct(s->dats[(i + 2) % 3], OP2_READ),
                     op2_arg_direct(s->dats[3], OP2_RW)))
      return false;
  return op2_flush(s->ctx) == OP2_SUCCESS;
}

bool machine_queue_ns(double *ns) {
  subject s = {0};
  bool good = declare(&s);
  *ns = INFINITY;
  for (int i = 0; i < FLUSHES && good; i++) {
    const double begin = clock_now();
    good = flush_some(&s);
    if (i >= WARM) *ns = fmin(*ns, 1e9 * (clock_now() - begin) / LOOPS);
  }
  op2_kernel_destroy(&s.kernel);
  for (int d = 0; d < 4; d++) op2_dat_destroy(&s.dats[d]);
  op2_set_destroy(&s.one);
  return op2_finalize(&s.ctx) == OP2_SUCCESS && good;
}
