/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of temporaries: the same time steps with four dats and a global that stay, with those
 * that each step makes and destroys, and with the latter where nothing of them is recycled
 * (OP2_RECYCLE=0). Results must be bitwise equal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/option.h"
#include "op2.h"

/* clang-format off */
OP2_KERNEL(slope, (const double *u0, const double *u1, double *s), { s[0] = u1[0] - u0[0]; });
OP2_KERNEL(flux, (const double *s, double *f) , { f[0] = 0.2 * s[0] * (1.0 - 0.01 * s[0] * s[0]); });
OP2_KERNEL(gather, (const double *f, double *d0, double *d1), { d0[0] += f[0]; d1[0] -= f[0]; });
OP2_KERNEL(blend, (const double *u, const double *d, double *v), { v[0] = u[0] + d[0]; });
OP2_KERNEL(change, (const double *d, double *sum), { sum[0] += d[0] * d[0]; });
OP2_KERNEL(store, (const double *v, const double *sum, double *u), {
  u[0] = v[0] + 1e-9 * sum[0];
});
/* clang-format on */

enum { KERNELS = 6 };
static const op2_kernel_desc *const descs[KERNELS] = {&slope_kernel, &flux_kernel,   &gather_kernel,
                                                      &blend_kernel, &change_kernel, &store_kernel};

typedef struct settings {
  int steps, size, rounds;
  run_options run;
} settings;

static const option table[] = {
    {"--steps", "N", "time steps (default 3000)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, steps)},
    {"--size", "N", "cells (default 1000)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, size)},
    {"--rounds", "N", "measurements, of which the least count (default 3)", PROGRAM_COMPARES,
     option_positive, offsetof(settings, rounds)},
    {0},
};

/* A ring of cells with an edge between neighbours. */
typedef struct ring {
  op2_context ctx;
  op2_set cells, edges;
  op2_map ends;
  op2_dat u;
  op2_kernel kernels[KERNELS];
} ring;

/* A time step needs this besides its dats. */
typedef struct work {
  op2_dat slope, flux, gain, next;
  op2_gbl sum;
} work;

static bool good(op2_status status) {
  if (status) fprintf(stderr, "temporaries: %s\n", op2_error_message());
  return !status;
}

static op2_status declare(const settings *o, ring *r) {
  const size_t n = (size_t)o->size;
  int32_t *ends = malloc(2 * n * sizeof *ends);
  double *values = malloc(n * sizeof *values);
  op2_status status = ends && values ? OP2_SUCCESS : OP2_ERR_NOMEM;
  for (int i = 0; i < o->size && !status; i++) {
    ends[2 * i] = i;
    ends[2 * i + 1] = (i + 1) % o->size;
    values[i] = (double)(i * 37 % 101) / 101.0;
  }
  if (!status) status = op2_set_create(r->ctx, o->size, "cells", &r->cells);
  if (!status) status = op2_set_create(r->ctx, o->size, "edges", &r->edges);
  if (!status) status = op2_map_create(r->edges, r->cells, 2, ends, "ends", &r->ends);
  if (!status) status = op2_dat_create(r->cells, 1, OP2_F64, values, "u", &r->u);
  for (int k = 0; k < KERNELS && !status; k++)
    status = op2_kernel_create(r->ctx, descs[k], &r->kernels[k]);
  free(ends), free(values);
  return status;
}

static op2_status make_work(const ring *r, work *w) {
  op2_status status = op2_dat_create(r->edges, 1, OP2_F64, NULL, "slope", &w->slope);
  if (!status) status = op2_dat_create(r->edges, 1, OP2_F64, NULL, "flux", &w->flux);
  if (!status) status = op2_dat_create(r->cells, 1, OP2_F64, NULL, "gain", &w->gain);
  if (!status) status = op2_dat_create(r->cells, 1, OP2_F64, NULL, "next", &w->next);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_F64, NULL, "sum", &w->sum);
  return status;
}

static void destroy_work(work *w) {
  op2_dat_destroy(&w->slope);
  op2_dat_destroy(&w->flux);
  op2_dat_destroy(&w->gain);
  op2_dat_destroy(&w->next);
  op2_gbl_destroy(&w->sum);
}

/* Dats that stay are cleared as new ones are. */
static op2_status clear(const work *w) {
  op2_status status = op2_dat_fill(w->gain, op2_scalar_value(0));
  return status ? status : op2_gbl_set(w->sum, (double[]){0});
}

static op2_status queue(const ring *r, const work *w) {
  op2_status status =
      op2_par_loop(r->kernels[0], r->edges, op2_arg_dat(r->u, 0, r->ends, OP2_READ),
                   op2_arg_dat(r->u, 1, r->ends, OP2_READ), op2_arg_direct(w->slope, OP2_WRITE));
  if (!status)
    status = op2_par_loop(r->kernels[1], r->edges, op2_arg_direct(w->slope, OP2_READ),
                          op2_arg_direct(w->flux, OP2_WRITE));
  if (!status)
    status = op2_par_loop(r->kernels[2], r->edges, op2_arg_direct(w->flux, OP2_READ),
                          op2_arg_dat(w->gain, 0, r->ends, OP2_INC),
                          op2_arg_dat(w->gain, 1, r->ends, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[3], r->cells, op2_arg_direct(r->u, OP2_READ),
                          op2_arg_direct(w->gain, OP2_READ), op2_arg_direct(w->next, OP2_WRITE));
  if (!status)
    status = op2_par_loop(r->kernels[4], r->cells, op2_arg_direct(w->gain, OP2_READ),
                          op2_arg_gbl(w->sum, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[5], r->cells, op2_arg_direct(w->next, OP2_READ),
                          op2_arg_gbl(w->sum, OP2_READ), op2_arg_direct(r->u, OP2_WRITE));
  return status ? status : op2_flush(r->ctx);
}

/* ---- one measurement ------------------------------------------------------------------------- */

enum { STAYING, PASSING, ANEW, MODES };
static const char *const names[MODES] = {"staying", "passing", "OP2_RECYCLE=0"};

static op2_status run(const settings *o, const ring *r, int mode) {
  work w = {0};
  op2_status status = mode == STAYING ? make_work(r, &w) : OP2_SUCCESS;
  for (int s = 0; s < o->steps && !status; s++) {
    status = mode == STAYING ? clear(&w) : make_work(r, &w);
    if (!status) status = queue(r, &w);
    if (mode != STAYING) destroy_work(&w);
  }
  destroy_work(&w);
  return status;
}

/* The first run compiles and makes what stays; the second one is timed. */
static bool measure(const settings *o, int mode, double *values, double *seconds) {
  ring r = {0};
  const op2_options options = {.backend = o->run.backend, .threads = o->run.threads};
  mode == ANEW ? setenv("OP2_RECYCLE", "0", 1) : unsetenv("OP2_RECYCLE");
  if (!good(op2_init(&options, &r.ctx))) return false;
  bool right = good(declare(o, &r)) && good(run(o, &r, mode));
  const double begin = clock_now();
  right = right && good(run(o, &r, mode));
  *seconds = clock_now() - begin;
  right = right && good(op2_dat_get(r.u, values));
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&r.kernels[k]);
  op2_dat_destroy(&r.u);
  op2_map_destroy(&r.ends);
  op2_set_destroy(&r.edges);
  op2_set_destroy(&r.cells);
  return good(op2_finalize(&r.ctx)) && right;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool compare(const settings *o, double *values[MODES], double least[MODES], bool *same) {
  for (int round = 0; round < o->rounds; round++)
    for (int m = 0; m < MODES; m++) {
      double seconds;
      if (!measure(o, m, values[m], &seconds)) return false;
      if (round == 0 || seconds < least[m]) least[m] = seconds;
      *same = *same && !memcmp(values[0], values[m], (size_t)o->size * sizeof(double));
    }
  return true;
}

int main(int argc, char **argv) {
  settings o = {.steps = 3000, .size = 1000, .rounds = 3};
  const int exit_status = option_parse(argc, argv, PROGRAM_COMPARES, table, &o, &o.run);
  if (exit_status >= 0) return exit_status;
  double *all = malloc(MODES * (size_t)o.size * sizeof *all), *values[MODES], least[MODES];
  for (int m = 0; m < MODES && all; m++) values[m] = all + (size_t)m * (size_t)o.size;
  bool same = true;
  const bool right = all && compare(&o, values, least, &same);
  if (right) {
    printf(
        "%d steps of six loops on %d cells, milliseconds, the least of %d; ratio: over dats that "
        "stay\n",
        o.steps, o.size, o.rounds);
    for (int m = 0; m < MODES; m++)
      printf("%-14s %10.3f %6.2f\n", names[m], 1e3 * least[m], least[m] / least[STAYING]);
    printf("%s\n", same ? "same bits" : "BITS DIFFER");
  }
  free(all);
  return right && same ? 0 : 1;
}
