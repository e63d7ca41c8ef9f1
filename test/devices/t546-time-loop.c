/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between the host and a device while a program runs as airfoil does: each dat is copied
 * to the device once, and only the residuals that the host reads are copied back. Backends of the
 * host work on the shadow. */
#include <stdlib.h>

#include "support.h"

enum { N = 40, BYTES = N * 8, ITERATIONS = 100 };

OP2_KERNEL(keep, (const double *q, double *old), { *old = *q; });
OP2_KERNEL(step, (const double *q, double *dt), { *dt = 0.25 + 0 * *q; });
OP2_KERNEL(flux,
           (const double *x1, const double *x2, const double *q1, const double *q2,
            const double *dt, double *r1, double *r2),
           {
             double f = *dt * (*q1 - *q2) * (*x2 - *x1 > 0 ? 1 : 0.5);
             *r1 -= f;
             *r2 += f;
           });
OP2_KERNEL(update, (const double *old, double *q, double *r, double *rms), {
  *q = *old + *r;
  *rms += *r * *r;
  *r = 0;
});

static struct {
  op2_set cells, edges;
  op2_map ends;
  op2_dat x, q, old, dt, r;
  op2_gbl rms;
  op2_kernel keep, step, flux, update;
} w;

static void make_ring(void) {
  int32_t ends[2 * N];
  double values[N];
  for (int i = 0; i < N; i++) ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % N, values[i] = i;
  w.cells = new_set(N, "cells");
  w.edges = new_set(N, "edges");
  w.ends = new_map(w.edges, w.cells, 2, ends, "ends");
  w.x = new_dat(w.cells, 1, OP2_F64, values, "x");
  w.q = new_dat(w.cells, 1, OP2_F64, values, "q");
  w.old = new_dat(w.cells, 1, OP2_F64, NULL, "old");
  w.dt = new_dat(w.cells, 1, OP2_F64, NULL, "dt");
  w.r = new_dat(w.cells, 1, OP2_F64, NULL, "r");
  w.rms = new_gbl(1, OP2_F64, NULL, "rms");
  w.keep = new_kernel(&keep_kernel);
  w.step = new_kernel(&step_kernel);
  w.flux = new_kernel(&flux_kernel);
  w.update = new_kernel(&update_kernel);
}

static void iterate(void) {
  const double zero = 0;
  MUST(op2_gbl_set(w.rms, &zero));
  MUST(op2_par_loop(w.keep, w.cells, op2_arg_direct(w.q, OP2_READ),
                    op2_arg_direct(w.old, OP2_WRITE)));
  MUST(op2_par_loop(w.step, w.cells, op2_arg_direct(w.q, OP2_READ),
                    op2_arg_direct(w.dt, OP2_WRITE)));
  MUST(op2_par_loop(w.flux, w.edges, op2_arg_dat(w.x, 0, w.ends, OP2_READ),
                    op2_arg_dat(w.x, 1, w.ends, OP2_READ), op2_arg_dat(w.q, 0, w.ends, OP2_READ),
                    op2_arg_dat(w.q, 1, w.ends, OP2_READ), op2_arg_dat(w.dt, 0, w.ends, OP2_READ),
                    op2_arg_dat(w.r, 0, w.ends, OP2_INC), op2_arg_dat(w.r, 1, w.ends, OP2_INC)));
  MUST(op2_par_loop(w.update, w.cells, op2_arg_direct(w.old, OP2_READ),
                    op2_arg_direct(w.q, OP2_WRITE), op2_arg_direct(w.r, OP2_RW),
                    op2_arg_gbl(w.rms, OP2_INC)));
  MUST(op2_flush(test_ctx));
}

static op2_device_stats stats(void) {
  op2_device_stats now;
  MUST(op2_device_stats_get(test_ctx, &now));
  return now;
}

static bool is_in(op2_dat dat, op2_data_state want) {
  op2_data_state state;
  MUST(op2_dat_state(dat, &state));
  return state == want;
}

/* The sum over the ring is conserved. */
static bool conserved(void) {
  double q[N], sum = 0;
  MUST(op2_dat_get(w.q, q));
  for (int i = 0; i < N; i++) sum += q[i];
  return sum > N * (N - 1) / 2 - 1e-9 && sum < N * (N - 1) / 2 + 1e-9;
}

static void time_loop(void) {
  double rms = 0, again = 0;
  make_ring();
  const op2_device_stats before = stats();
  iterate();
  const op2_device_stats first = stats();
  for (int i = 1; i < ITERATIONS; i++) iterate();
  MUST(op2_gbl_get(w.rms, &rms));
  const op2_device_stats last = stats();
  /* A launch also copies tables and constants. */
  const int64_t values = 2 * BYTES + 2 * N * (int64_t)sizeof(int32_t);
  EXPECT(on_device() ? first.put_bytes - before.put_bytes > values
                     : first.put_bytes - before.put_bytes == values);
  EXPECT(last.puts == first.puts);
  EXPECT(last.gets == before.gets + 1 && last.get_bytes == before.get_bytes + 8);
  EXPECT(last.host_loops == 0 && rms > 0);
  EXPECT(is_in(w.x, OP2_STATE_BOTH) && is_in(w.q, OP2_STATE_DEVICE));
  EXPECT(is_in(w.old, OP2_STATE_HOST_UNALLOCATED) && is_in(w.dt, OP2_STATE_HOST_UNALLOCATED) &&
         is_in(w.r, OP2_STATE_HOST_UNALLOCATED));
  MUST(op2_gbl_get(w.rms, &again));
  EXPECT(again == rms && stats().gets == last.gets);
  EXPECT(conserved());
}

static const struct test_case cases[] = {
    {"a time loop moves nothing but its residual", time_loop},
};

int main(void) {
  setenv("OP2_SHADOW", "1", 1);
  return RUN(cases, RUN_ON_DEVICES | RUN_ONE_BLOCK);
}
