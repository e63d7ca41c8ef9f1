/* SPDX-License-Identifier: BSD-3-Clause */
/* Time steps for OpenMP: edges are in blocks, coloured so that two blocks of one colour share no
 * node, with a parallel loop for every colour; then one loop does all work on nodes. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

#include "common/plan.h"
#include "reference.h"

static plan edges;

static void finish(void) { plan_free(&edges); }

static int prepare(const options *o, const heat_state *s, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  if (plan_create(&edges, s->edge, s->nedge, 2, s->nnode, o->run.block_size, error)) return -1;
  printf("threads %d, block size %d, colours %lld\n", omp_get_max_threads(), o->run.block_size,
         (long long)edges.ncolour);
  return 0;
}

static void flow(const heat_state *s) {
  for (int64_t k = 0; k < edges.ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = edges.start[k]; i < edges.start[k + 1]; i++) {
      const int64_t b = edges.order[i], end = plan_block_end(&edges, b);
      for (int64_t e = b * edges.size; e < end; e++)
        ref_flow(s->weight[e], s->edge + 2 * e, s->u, s->gain);
    }
  }
}

static double advance(int64_t n, const double *restrict rate, double *restrict u,
                      double *restrict gain) {
  double change = 0.0;
#pragma omp parallel for simd schedule(static) reduction(max : change)
  for (int64_t i = 0; i < n; i++) {
    const double more = rate[i] * gain[i];
    u[i] += more;
    change = fabs(more) > change ? fabs(more) : change;
    gain[i] = 0.0;
  }
  return change;
}

static double step(heat_state *s) {
  flow(s);
  return advance(s->nnode, s->rate, s->u, s->gain);
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, step, finish});
}
