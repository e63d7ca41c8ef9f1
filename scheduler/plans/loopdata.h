/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOPDATA_H
#define OP2I_LOOPDATA_H

/* What is worked out for a loop before it runs, and kept with it. */

#include "plan.h"
#include "sched_state.h"

struct op2i_cut;

/* ---- plans, shared by all loops of a context with the same access pattern -------------------- */

struct op2i_shared_plan {
  struct op2i_shared_plan *next;
  struct op2i_plan_cache *cache;
  int32_t refs;
  int64_t nwords;
  int64_t *key; /* [nwords] everything the plan depends on: set or subset, range, block size, order,
                   parts, and per argument the canonical number of its dat, the map's id, the slot,
                   whether it modifies and is injective, and where it is staged the bytes of a
                   row */
  struct op2i_plan *plan;
};

struct op2i_plan_cache {
  int32_t refs; /* the scheduler and every plan */
  int64_t made, found;
  struct op2i_shared_plan *first;
};

struct op2i_plan_cache *op2i_plan_cache_create(void); /* null: out of memory */
void op2i_plan_cache_unref(struct op2i_plan_cache *cache);
void op2i_shared_plan_unref(struct op2i_shared_plan *shared);
/* Find or make the plan of a loop over one of its ranges, with these parts (op2i_plan_parts). */
op2_status op2i_plan_get(struct op2i_sched *sched, const struct op2i_loop *loop, int range,
                         unsigned parts, struct op2i_shared_plan **shared);
/* The same with blocks of so many elements; 0: as many as the context chooses. */
op2_status op2i_plan_get_sized(struct op2i_sched *sched, const struct op2i_loop *loop, int range,
                               unsigned parts, int32_t block_size,
                               struct op2i_shared_plan **shared);

/* ---- what dispatch keeps with a loop --------------------------------------------------------- */

/* Which granules of a dat's set the blocks of a plan touch: intervals [2k], [2k+1] of granule
 * numbers, both inclusive, for block b those from offs[b] to offs[b+1]. A granule is 2^shift
 * consecutive elements. */
struct op2i_footprint {
  int32_t shift;
  int64_t *offs;
  int32_t *intervals;
};

struct op2i_loop_data {
  bool ready;
  int ndats;
  struct op2i_shared_plan *plans[OP2I_RANGES];
  struct op2i_footprint *footprints[OP2I_RANGES]; /* [ndats], each made when it is first needed */
  double ns_per_element;                          /* measured on the host, 0 before the first run */
  double device_ns;                               /* the same on the device */
  int64_t device_runs;                            /* there, beside a task backend */
  int trials;                                     /* those that were to find that out */
  int64_t placed[3];    /* runs that were to be on the host, on the device, and on both */
  struct op2i_cut *cut; /* how it was split last; null: not yet */
  int64_t compiling;    /* number in the compilation in progress, -1 none */
  char *no_code;        /* why it has none; null: not known, or it has */
  op2_status no_code_status;
  int64_t no_code_force; /* in which that was found out, by the number of those before it */
  int no_code_times;     /* in how many */
  char *
      refused; /* what a device's compiler said, which did not take it; null: nothing, or no memory */
};

/* Runs on a device that do not count in what a loop takes there, since compilers of devices put off work
 * until it is launched; and so many until that is taken to be known. */
enum { OP2I_DEVICE_RUNS_BEFORE = 1, OP2I_DEVICE_RUNS_FIRST = 2 };

/* The data of a loop, made at first use. */
op2_status op2i_loop_data(struct op2i_loop *loop, struct op2i_loop_data **data);
/* Before the first run: plans, where the backend wants them. */
op2_status op2i_loop_prepare(struct op2i_sched *sched, struct op2i_loop *loop);
/* Have the footprint of one of its dats; needs plans. */
op2_status op2i_loop_footprint(struct op2i_loop *loop, int range, int32_t dat);
int32_t op2i_granule_shift(int64_t set_size);

/* numbering.c: warn of the loop's maps whose sets are badly numbered, of each once; needs the
 * loop's plans where there are any. Say of all maps how they are numbered. */
void op2i_numbering_tell(const struct op2i_sched *sched, const struct op2i_loop *loop);
void op2i_numbering_explain(op2_context ctx, FILE *stream);

#endif
