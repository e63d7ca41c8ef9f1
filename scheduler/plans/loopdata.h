/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOPDATA_H
#define OP2I_LOOPDATA_H

/* Data that is computed for a loop before it runs, and kept with it. */

#include "plan.h"
#include "sched_state.h"
#include "trial.h"

struct op2i_cut;

/* ---- plans, shared by all loops of a context with the same access pattern -------------------- */

struct op2i_shared_plan {
  struct op2i_shared_plan *next;
  struct op2i_plan_cache *cache;
  int32_t refs;
  int64_t nwords;
  int64_t *key; /* [nwords] everything the plan depends on: set or subset, range, block size,
                   order, parts, and for each argument the canonical number of its dat, the
                   map's id, the slot, whether it modifies, is injective and writes the same
                   everywhere, and the bytes of a row where it is staged */
  struct op2i_plan *plan;
};

struct op2i_plan_cache {
  int32_t refs; /* held by the scheduler and by every plan */
  int64_t made, found;
  struct op2i_shared_plan *first;
};

/* ---- data of a loop for dispatch ------------------------------------------------------------- */

/* The granules of a dat's set that the blocks of a plan touch. Block b touches the intervals
 * offs[b] to offs[b+1] - 1; interval k is intervals[2k] to intervals[2k+1], both inclusive, in
 * numbers of granules. A granule is 2^shift consecutive elements. */
struct op2i_footprint {
  int32_t shift;
  int64_t *offs;
  int32_t *intervals;
};

struct op2i_loop_data {
  bool ready;
  int ndats;
  struct op2i_shared_plan *plans[OP2I_RANGES];
  struct op2i_footprint *footprints[OP2I_RANGES]; /* [ndats], each made when first needed */
  double ns_per_element;                          /* measured on the host, 0 before the first run */
  double device_ns;                               /* the same on the device */
  int64_t device_runs;                            /* runs on the device, beside a task backend */
  int probes;                                     /* runs that were to measure device_ns */
  int64_t placed[3];                     /* runs placed on the host, on the device, and on both */
  struct op2i_cut *cut;                  /* its last split; null: not split yet */
  struct op2i_trial trials[OP2I_TRIALS]; /* if it is vector code */
  int64_t compiling;                     /* number in the compilation in progress, -1 none */
  char *no_code; /* why it has no code; null: it has, or that is not known */
  op2_status no_code_status;
  int64_t no_code_force; /* number of forces before the one in which that was found */
  int no_code_times;     /* number of forces in which that was found */
  char *
      refused; /* what the device's compiler reported on rejecting it; null: nothing or no memory */
};

/* The first runs on a device do not count in its measured time, since compilers of devices defer
 * work to the first launch; the time is taken as known after OP2I_DEVICE_RUNS_FIRST runs. */
enum { OP2I_DEVICE_RUNS_BEFORE = 1, OP2I_DEVICE_RUNS_FIRST = 2 };

/* The data of a loop, made at first use. */
op2_status op2i_loop_data(struct op2i_loop *loop, struct op2i_loop_data **data);
/* Prepare the loop for its first run: make plans, where the backend needs them. */
op2_status op2i_loop_prepare(struct op2i_sched *sched, struct op2i_loop *loop);
/* Make the footprint of one of its dats; needs the loop's plans. */
op2_status op2i_loop_footprint(struct op2i_loop *loop, int range, int32_t dat);
int32_t op2i_granule_shift(int64_t set_size);

/* numbering_report.c: warn of the loop's maps whose sets are badly numbered, once for each map;
 * needs the loop's plans where there are any. op2i_numbering_explain() prints for op2_explain()
 * how each map is numbered. */
void op2i_numbering_warn(const struct op2i_sched *sched, const struct op2i_loop *loop);
void op2i_numbering_explain(op2_context ctx, FILE *stream);

#endif
