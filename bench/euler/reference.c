/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/dump.h"
#include "common/reference.h"
#include "laps.h"

/* Move the arrays of the mesh that a time step reads to huge pages. */
static int move_mesh(mesh *m, bench_error *error) {
  const size_t nodes = (size_t)m->nnode * sizeof(double);
  if (reference_move(&m->edge, 2 * (size_t)m->nedge * sizeof *m->edge) ||
      reference_move(&m->normal, 3 * (size_t)m->nedge * sizeof *m->normal) ||
      reference_move(&m->area, nodes) || reference_move(&m->rim, nodes))
    return bench_fail(error, "out of memory for the mesh");
  return 0;
}

static void flow_free(flow *f) {
  free(f->q);
  free(f->old);
  free(f->res);
}

/* Create the far field's flow, without dye. */
static int flow_create(const mesh *m, const double *far_field, flow *f, bench_error *error) {
  const size_t bytes = (size_t)m->nnode * GAS_DIM * sizeof(double);
  *f = (flow){reference_alloc(bytes), reference_alloc(bytes), reference_alloc(bytes)};
  if (!f->q || !f->old || !f->res) {
    flow_free(f);
    return bench_fail(error, "out of memory for the flow");
  }
  for (int64_t i = 0; i < m->nnode; i++) memcpy(f->q + GAS_DIM * i, far_field, 4 * sizeof(double));
  return 0;
}

static int show(int it, const mesh *m, const flow *f, double sum, bench_error *error) {
  double mass[2] = {0, 0};
  for (int64_t i = 0; i < m->nnode; i++) {
    mass[0] += m->area[i] * f->q[GAS_DIM * i];
    mass[1] += m->area[i] * f->q[GAS_DIM * i + 4];
  }
  gas_print(it, sum, m->nnode, mass);
  return isfinite(sum) ? 0 : bench_fail(error, "the residual is no number after step %d", it);
}

static int steps(const reference *r, const options *o, const mesh *m, flow *f,
                 const double *far_field, laps *l, double *rms, bench_error *error) {
  double sum = 0;
  if (o->every > 0) gas_print_header();
  for (int it = 1; it <= o->iterations; it++) {
    sum = r->step(m, f, far_field);
    if (o->every > 0 && it % o->every == 0 && show(it, m, f, sum, error)) return -1;
    if (laps_due(l, it)) laps_take(l, it);
  }
  *rms = sqrt(sum / (double)m->nnode);
  return 0;
}

static int run(const reference *r, const options *o, const mesh *m, double begin,
               bench_error *error) {
  flow f;
  laps l;
  double far_field[GAS_DIM], rms;
  gas_far_field(o->mach, far_field);
  if (flow_create(m, far_field, &f, error)) return -1;
  const int warmup = option_warmup(&o->run, o->iterations);
  laps_begin(&l, warmup, o->iterations, clock_now() - begin);
  int rc = steps(r, o, m, &f, far_field, &l, &rms, error);
  if (rc == 0) {
    reference_times(l.begin, l.warm, o->iterations - warmup);
    laps_print(&l);
  }
  if (rc == 0 && o->dump_q) rc = dump_write(o->dump_q, f.q, GAS_DIM * m->nnode, rms, error);
  flow_free(&f);
  return rc;
}

int reference_main(int argc, char **argv, const reference *r) {
  options o;
  const int status = options_parse(argc, argv, r->program, &o);
  if (status >= 0) return status;
  mesh m = {0};
  bench_error error;
  int rc = options_mesh(&o, &m, &error);
  const double begin = clock_now();
  if (rc == 0) options_print_mesh(&m);
  if (rc == 0) rc = move_mesh(&m, &error);
  if (rc == 0 && r->prepare) rc = r->prepare(&o, &m, &error);
  if (rc == 0) {
    rc = run(r, &o, &m, begin, &error);
    if (r->finish) r->finish();
  }
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? 1 : 0;
}
