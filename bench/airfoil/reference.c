/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/dump.h"
#include "common/reference.h"

static int move_mesh(mesh *m, bench_error *error) {
  if (reference_move(&m->x, (size_t)m->nnode * 2 * sizeof *m->x) ||
      reference_move(&m->cell, (size_t)m->ncell * 4 * sizeof *m->cell) ||
      reference_move(&m->edge, (size_t)m->nedge * 2 * sizeof *m->edge) ||
      reference_move(&m->ecell, (size_t)m->nedge * 2 * sizeof *m->ecell))
    return bench_fail(error, "out of memory for the mesh");
  return 0;
}

static void flow_free(flow *f) {
  free(f->q);
  free(f->qold);
  free(f->adt);
  free(f->res);
}

static int flow_create(const mesh *m, flow *f, const double *far_field, bench_error *error) {
  const size_t n = (size_t)m->ncell;
  *f = (flow){.q = reference_alloc(4 * n * sizeof(double)),
              .qold = reference_alloc(4 * n * sizeof(double)),
              .adt = reference_alloc(n * sizeof(double)),
              .res = reference_alloc(4 * n * sizeof(double))};
  if (!f->q || !f->qold || !f->adt || !f->res) {
    flow_free(f);
    return bench_fail(error, "out of memory for the flow");
  }
  for (size_t i = 0; i < 4 * n; i++) f->q[i] = far_field[i % 4];
  return 0;
}

static int run(const reference *r, const options *o, const mesh *m, bench_error *error) {
  flow f;
  double far_field[4], rms = 0;
  gas_free_stream(far_field);
  if (flow_create(m, &f, far_field, error)) return -1;
  const int warmup = option_warmup(&o->run, o->iterations);
  const double begin = clock_now();
  double timed = begin;
  for (int it = 1; it <= o->iterations; it++) {
    rms = sqrt(r->step(m, &f, far_field) / (double)m->ncell);
    if (o->every > 0 && it % o->every == 0) printf("%d %.15e\n", it, rms);
    if (it == warmup) timed = clock_now();
  }
  reference_times(begin, timed, o->iterations - warmup);
  const int rc = o->dump_q ? dump_write(o->dump_q, f.q, 4 * m->ncell, rms, error) : 0;
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
  if (rc == 0) rc = move_mesh(&m, &error);
  if (rc == 0 && r->prepare) rc = r->prepare(&o, &m, &error);
  if (rc == 0) {
    rc = run(r, &o, &m, &error);
    if (r->finish) r->finish();
  }
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? 1 : 0;
}
