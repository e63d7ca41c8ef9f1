/* SPDX-License-Identifier: BSD-3-Clause */
/* Time steps as plain loops on one thread: the reference for all other programs. */
#include <math.h>

#include "reference.h"

static double advance(int64_t n, const double *restrict rate, double *restrict u,
                      double *restrict gain) {
  double change = 0.0;
  for (int64_t i = 0; i < n; i++) {
    const double more = rate[i] * gain[i];
    u[i] += more;
    change = fabs(more) > change ? fabs(more) : change;
    gain[i] = 0.0;
  }
  return change;
}

static double step(heat_state *s) {
  for (int64_t e = 0; e < s->nedge; e++) ref_flow(s->weight[e], s->edge + 2 * e, s->u, s->gain);
  return advance(s->nnode, s->rate, s->u, s->gain);
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){.program = PROGRAM_SEQ, .step = step});
}
