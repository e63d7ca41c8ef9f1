/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_H
#define OP2I_LOOP_H

/* Loops inside the library: validated, resolved into tables and interned; and the table of
 * loops. */

#include "code.h"
#include "kernel.h"
#include "loop_arg.h"
#include "loop_single.h"
#include "loop_sums.h"
#include "mesh.h"
#include "op.h"
#include "op2/loop.h"
#include "plan.h"
#include "profile.h"
#include "strategy.h"

/* One kernel of a loop and its part of the loop's tables. Fused loops have several, applied one
 * after the other to each element. */
struct op2i_member {
  op2_kernel kernel;
  int first_arg, nargs;
  int first_const, nconsts;
};

struct op2i_loop_const {
  char *name;
  int64_t id; /* of the constant */
  op2_type type;
  int32_t dim;
  int32_t offset; /* bytes into the payload */
  bool in_place;  /* read where it is in the payload: too large for a copy on a worker's stack */
};

/* A contiguous stretch of the iteration set that runs as one. */
struct op2i_range {
  /* CORE: the core elements, of a loop that goes through maps and waits for other ranks before the
   * rest. OWNED: the other owned elements. EXEC: halo elements that are run over as well; what they
   * reduce into globals does not count. */
  enum op2i_section section;
  int64_t lo, hi; /* positions: elements of a set, entries of a subset */
};
enum { OP2I_RANGES = 3 };

/* How a loop is run where a backend requests vectors or a device. Decided once. */
struct op2i_form {
  bool known;
  char *why;         /* why it is not run in vectors, in words; null: it is */
  int simd_bytes;    /* bytes of a vector */
  const char *width; /* why that width, in words; null: there was no choice */
  /* True if a trial found its scalar code to be faster. Then that runs it, and only that: `why`
   * stays null, since passes ask whether it could be vector code. */
  bool scalar_faster;
  bool prefetches; /* its vector code prefetches rows, if the call says so */
  /* True if a trial found its vector code to be faster without prefetches. */
  bool prefetch_slower;
  bool too_small;   /* vectors are possible, but the set has too few elements */
  bool past_caches; /* dats that it overwrites are larger than what the caches hold */
  bool mergeable;   /* its scalar text may share a translation unit, as vector code always may */
  /* Why the backend's device does not run it, in words; null: it does, or there is none. */
  const char *not_on_device;
  /* True if not_on_device was decided by this rank alone, for lack of memory or in a probe, and
   * need not hold on other ranks. */
  bool local_decision;
  /* On all ranks: its code for the device is not compiled collectively any more; each rank compiles
   * it when it tries the loop there. */
  bool device_compile_deferred;
};
/* True if no device of this kind can run it. The same on all ranks. */
static inline bool op2i_form_unfit(const struct op2i_form *form) {
  return form->not_on_device && !form->local_decision;
}

/* A loop's place in the table of the context, and what it was found by. */
struct op2i_loop_entry {
  op2_arg *key; /* [nkey], as given, values cleared; null: it is fused, and no call finds it */
  int nkey;
  int nleft;   /* dats and globals that it names and whose handles were destroyed (`left`) */
  int nspares; /* spares among its objects (recycle.h): while there are any, it is in no bucket */
  bool in_bucket;
  bool drops; /* some argument leaves out the rows or columns of a subset */
  /* One of its constants is gone: the loop is freed when it is not used any more. */
  bool stale;
  int64_t objects_left; /* the context's count when the handles were last checked */
  int64_t const_epoch;
  uint64_t hash;
  struct op2i_loop *next_in_bucket, *next, *prev; /* bucket; order of creation */
};

/* The loops that a fused loop replaces. It is in the list of loops but not in a bucket. */
struct op2i_loop_fused {
  int nmembers;                /* 0 unless fused */
  struct op2i_member *members; /* [nmembers], null unless fused: see op2i_loop_member() */
  struct op2i_loop **origins;  /* [nmembers] the loops it was fused from */
  bool *dropped; /* [ndats] what the loop writes there is not read after it; null: none */
};

/* Properties that follow from a loop's arguments. */
struct op2i_loop_traits {
  bool indirect;       /* some dat is reached through a map */
  bool per_nonzero;    /* some kernel is called for each entry of a matrix's row */
  bool indirect_write; /* some dat is modified through a map: runs over the exec halo as well */
  bool one_thread;     /* some kernel by address is for one thread of the process at a time */
  bool ordered; /* conflicting elements must run in element order (WRITE or RW through a map, or a
                   dat both modified and otherwise used through a map, where elements meet) */
};

/* Generated code, which the layers above own. */
struct op2i_loop_code {
  char *source[OP2I_VARIANTS]; /* generated text; null: not made yet */
  bool mergeable[OP2I_VARIANTS];
  void *function[OP2I_VARIANTS]; /* compiled function */
  /* A use of the image that has the function; null: it stays until the context ends. */
  void *image[OP2I_VARIANTS];
  void (*release)(op2_context ctx, void *image);
};

/* Data that the layers above attach to a loop, with the functions that free it. */
struct op2i_loop_attached {
  void *sched_data; /* scheduler: plans, footprints, measured cost */
  void (*sched_release)(void *sched_data);
  void *device_data; /* backends: tables of its launches on a device */
  void (*device_release)(void *device_data);
};

/* The costs of a loop. They include those of runs in which it is a member of a fused loop. */
struct op2i_loop_profile {
  int64_t calls;
  struct op2i_profile_line *line; /* of its kernel and set; null for a fused loop */
  int32_t what; /* number of its name in the trace (trace.h); 0: it has none yet */
};

/* The part of a loop that is the same each time it is queued with these arguments. It is interned
 * in the context, so that generated code, plans and measurements are found again. Objects are
 * referenced only while `uses` is positive: a loop that is neither held nor queued keeps nothing
 * alive, and is dropped when one of its objects goes. */
struct op2i_loop {
  struct op2i_op op;
  struct op2i_loop_entry entry;
  op2_kernel kernel; /* of a fused loop: the first member's */
  op2_set set;
  struct op2i_loop_fused fused;
  char *name; /* for users: "update+save_soln"; null: the kernel's */
  int nargs;
  struct op2i_loop_arg *args;
  int nmaps, nconsts; /* distinct objects, numbered by first appearance */
  op2_map *maps;
  /* Distinct matrices, which hold the maps that a call names, and subsets whose rows or columns
   * arguments leave out; of fused loops none. */
  int nnamed;
  struct op2i_object **named;
  struct op2i_loop_const *consts; /* captured in the payload after the arguments' values */
  int32_t partial_bytes; /* one block's reduction results, 0 without reductions; multiple of 64 */
  struct op2i_loop_traits traits;
  int nranges;
  struct op2i_range ranges[OP2I_RANGES];
  double bytes; /* bytes that one run moves at least: every value once, maps included */
  struct op2i_loop_code code;
  struct op2i_form form;
  struct op2i_loop_attached attached;
  struct op2i_loop_profile profile;
};

/* The object of a user's op2_loop: a loop and the values of its op2_arg_val()s. */
struct op2_loop_s {
  struct op2i_object obj;
  struct op2i_loop *loop; /* counts as one use */
  op2_where where;
  unsigned char *payload;
  struct op2i_single single; /* what is queued with it; no uses in most loops */
  struct op2i_sums sums;     /* the same, in deterministic mode */
  char *by_strategy[OP2I_VARIANTS][OP2I_DEVICE_STRATEGIES]; /* text that was requested, or null */
};

enum { OP2I_SITES = 64 };

struct op2i_loop_table {
  int64_t nbuckets, nloops;
  int64_t nawaiting; /* loops that calls may find, but which are in no bucket yet */
  struct op2i_loop **buckets, *first, *last;
  struct op2i_profile_line *profile; /* list */
  struct op2i_profile_past *past;    /* list */
  /* The loop that was found last from a call site; null: none, or it is freed. */
  struct op2i_loop *sites[OP2I_SITES];
};

static inline int op2i_loop_nmembers(const struct op2i_loop *loop) {
  return loop->fused.members ? loop->fused.nmembers : 1;
}
static inline struct op2i_member op2i_loop_member(const struct op2i_loop *loop, int m) {
  if (loop->fused.members) return loop->fused.members[m];
  return (struct op2i_member){loop->kernel, 0, loop->nargs, 0, loop->nconsts};
}
/* The member that argument a belongs to. */
static inline int op2i_loop_member_of(const struct op2i_loop *loop, int a) {
  int m = 0;
  while (loop->fused.members &&
         a >= loop->fused.members[m].first_arg + loop->fused.members[m].nargs)
    m++;
  return m;
}
/* The elements of the dat's set that an argument uses for one element: n entries of idx at these
 * positions, or the positions themselves if idx is null. */
struct op2i_targets {
  const int32_t *idx;
  struct op2i_entries at;
};
static inline struct op2i_targets
op2i_arg_targets(const struct op2i_loop *loop, const struct op2i_loop_arg *arg, int64_t element) {
  if (arg->map < 0) return (struct op2i_targets){NULL, {element, 1, 1}};
  const struct op2_map_s *map = loop->maps[arg->map];
  if (arg->kind == OP2I_ARG_ROW_ENTRIES) {
    const struct op2_map_s *rows = map->first;
    return (struct op2i_targets){map->idx,
                                 op2i_row_entries(rows->idx, rows->rows_per_slice, element)};
  }
  int32_t slot = arg->kind == OP2I_ARG_SLOT ? arg->slot : 0;
  return (struct op2i_targets){map->idx, {element * map->arity + slot, arg->arity, 1}};
}
static inline int64_t op2i_target(struct op2i_targets targets, int64_t k) {
  const int64_t at = op2i_entry(targets.at, k);
  return targets.idx ? targets.idx[at] : at;
}
/* True if an argument goes through this slot of this map. */
static inline bool op2i_arg_uses_slot(const struct op2i_loop_arg *arg, int map, int slot) {
  bool one = arg->kind == OP2I_ARG_SLOT || (arg->kind == OP2I_ARG_IDX && arg->slot >= 0);
  return arg->map == map && arg->kind != OP2I_ARG_ROW_ENTRIES && (!one || arg->slot == slot);
}
/* True if kernels are given the numbers of the elements that a map leads to. */
static inline bool op2i_loop_numbers(const struct op2i_loop *loop, int map) {
  bool any = false;
  for (int a = 0; a < loop->nargs; a++)
    any |= loop->args[a].kind == OP2I_ARG_IDX && loop->args[a].map == map;
  return any;
}
/* True if the loop's code uses the numbers of the elements that it runs over, for its kernel or to
 * decide which of equal values wins. */
static inline bool op2i_loop_numbers_elements(const struct op2i_loop *loop) {
  bool any = false;
  for (int a = 0; a < loop->nargs; a++)
    any |= (loop->args[a].kind == OP2I_ARG_IDX && loop->args[a].map < 0) ||
           op2i_arg_located(&loop->args[a]);
  return any;
}
/* True if a loop runs over the elements of a section separately. */
static inline bool op2i_loop_runs_over(const struct op2i_loop *loop, enum op2i_section section) {
  bool over = false;
  for (int r = 0; r < loop->nranges; r++) over |= loop->ranges[r].section == section;
  return over;
}
/* True if two loops over one set run over the same elements of it. */
static inline bool op2i_loop_same_elements(const struct op2i_loop *a, const struct op2i_loop *b) {
  return op2i_loop_runs_over(a, OP2I_EXEC) == op2i_loop_runs_over(b, OP2I_EXEC);
}
const char *op2i_loop_name(const struct op2i_loop *loop);

extern const struct op2i_op_kind op2i_loop_kind;
/* The loop of an operation; null for operations of another kind. */
static inline struct op2i_loop *op2i_op_loop(struct op2i_op *op) {
  return op->kind == &op2i_loop_kind ? (struct op2i_loop *)op : NULL;
}
/* Copy op2_arg_val() values, or the present constants, to their offsets in
 * payload[payload_bytes]. */
void op2i_loop_capture_values(const struct op2i_loop *loop, const op2_arg *args,
                              unsigned char *payload);
/* loop_form.c: get the form, which is decided at the first request. */
op2_status op2i_loop_form(struct op2i_loop *loop, const struct op2i_form **form);
/* The variant of the code that runs a loop, if the backend runs `wish`. For vectors the form must
 * be known. */
enum op2i_variant op2i_loop_variant(const struct op2i_loop *loop, enum op2i_variant wish);
/* The generated text of a loop in one variant, made at the first request. */
op2_status op2i_loop_source(struct op2i_loop *loop, enum op2i_variant variant, const char **source);
/* Make a loop that applies the kernels of n loops over one set, one after the other, to each
 * element. The caller knows that this is the same as running the loops one after the other.
 * globals[] has a number below nglobals for each global of each origin, in order: equal numbers
 * stand for the same version. The new loop is listed in the context's table and goes when an object
 * of its origins goes. */
op2_status op2i_loop_fuse(int n, struct op2i_loop *const *origins, const int32_t *globals,
                          int nglobals, struct op2i_loop **loop);
void op2i_loop_free(struct op2i_loop *loop);
void op2i_loop_count_bytes(struct op2i_loop *loop);

#endif
