/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BACKEND_H
#define OP2I_BACKEND_H

/* The interface between the library and what runs loops: generated code, compiling it, steps and
 * backends, the machine. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "op2/status.h"
#include "op2/types.h"

struct op2i_plan;
struct op2i_task_list;
struct op2i_user_call;
struct op2i_tile_plan;
struct op2i_text;
struct op2i_loop;
struct op2i_version;

/* ---- generated code -------------------------------------------------------------------------- */

enum op2i_variant {
  OP2I_PLAIN,      /* element by element */
  OP2I_CHECKED,    /* one call on private data */
  OP2I_LANES,      /* several elements at a time, in the lanes of vectors */
  OP2I_PLAIN_LIST, /* PLAIN and LANES over a list of elements, op2i_call.subset */
  OP2I_LANES_LIST,
  OP2I_VARIANTS
};

/* What generated code is called with. The generator prints this structure into its output word for
 * word (codegen/host/cgen.c); a change here changes OP2I_ABI. */
struct op2i_call {
  void *const *dat;          /* storage of the loop's distinct dats */
  const int32_t *const *map; /* values of its distinct maps */
  const int64_t *subset;     /* element of a position; null: the position itself */
  const void *const *gbl;    /* values of its distinct globals; reductions use `partial` instead */
  const unsigned char *payload; /* captured values and constants */
  const int64_t *number;        /* the user's number of an element; null: the element's own */
};
#define OP2I_ABI "op2-abi-2"

/* All but OP2I_CHECKED: apply the kernels to positions lo..hi-1 in order, folding reductions into
 * partial (null without any). */
typedef void (*op2i_plain_fn)(const struct op2i_call *call, int64_t lo, int64_t hi,
                              unsigned char *partial);
/* OP2I_CHECKED: apply the kernel once; args[i] points to argument i's private data: `T` values, for
 * ALL arguments an array of pointers to them, for IDX an int64_t, for VAL the values. The loop's
 * constants follow the arguments. */
typedef void (*op2i_checked_fn)(void *const *args);

/* codegen/: append the generated source of a loop. Pure: depends on the loop's structure only,
 * never on data, addresses or names of anything but kernel, parameters and constants. The text is
 * complete (compiles alone) and wraps its names in OP2_NAME(x) so that several can share a
 * translation unit: the prelude is guarded, the entry function is OP2_NAME(op2_entry). *mergeable
 * tells whether sharing is safe. OP2I_LANES depends on the context's simd_bytes, too, and fails with
 * OP2_ERR_UNAVAILABLE for loops that cannot be had in that form. */
op2_status op2i_generate(const struct op2i_loop *loop, enum op2i_variant variant,
                         struct op2i_text *out, bool *mergeable);
/* What is to be known before the text is made: whether the loop can be had as OP2I_LANES, or else
 * why not, in words; *why stays empty if it can. And whether its scalar text may share a translation
 * unit; that of vectors always may. */
op2_status op2i_generate_judge(const struct op2i_loop *loop, bool *mergeable,
                               struct op2i_text *why);

/* ---- compile and load (backends/) ------------------------------------------------------------ */

struct op2i_jit_unit {
  const char *source; /* from op2i_generate() */
  bool mergeable;
  const char *const *includes; /* directories, null-terminated, may be null */
  const char *label;           /* for log lines: the kernel's name */
  void *entry;                 /* out: the entry function, valid until the context ends */
  op2_status status;           /* out */
  char *message;               /* out: op2i_free()d by the caller; null on success */
};
/* Find each unit in memory or in the cache of compiled loops, and compile what is missing: in as
 * few compiler runs as is fastest, at most one per core at a time. Failures are per unit; the call
 * itself fails only for lack of memory. Once a compiler run was given up, because it took too long or
 * somebody ended it, no other is started until op2i_jit_resume(), which every force ends with: a
 * flush takes no multiple of the time limit, and who interrupts it is not defied. */
op2_status op2i_jit_get(op2_context ctx, int n, struct op2i_jit_unit *units);
void op2i_jit_resume(op2_context ctx);
void op2i_jit_close(op2_context ctx);
struct op2i_jit_stats {
  int64_t memory_hits, disk_hits, compiled, failed,
      rejected;   /* rejected: damaged or foreign cache entries */
  double seconds; /* spent in compilers, wall time */
};
void op2i_jit_statistics(op2_context ctx, struct op2i_jit_stats *stats);

/* ---- programs and backends ------------------------------------------------------------------- */

enum op2i_step_kind {
  OP2I_STEP_LOOP, /* a loop over one of its ranges: backends run it */
  OP2I_STEP_CALL  /* another operation: the scheduler runs it, in its own thread */
};

/* Part of a program, ready to run. Backends are handed loops only, and what follows is about them.
 */
struct op2i_step {
  enum op2i_step_kind kind;
  struct op2i_loop *loop;
  int64_t number;   /* loop number, for messages */
  const char *file; /* where it was queued */
  int line;
  void *entry; /* by the backend's variant */
  struct op2i_call call;
  int64_t lo, hi;               /* positions */
  int range;                    /* of the loop's ranges */
  bool reduces;                 /* fold partial results into the globals */
  const struct op2i_plan *plan; /* null when the backend wants none */
  enum op2i_place place;        /* where it runs */
  struct op2i_version *const *versions; /* [ngbls] of the loop's distinct globals */
  /* Values of its distinct dats, maps and globals in that place. What `call` points to is the same;
   * all are asked for before it runs. Reductions end in `gbl`. */
  void **dat;
  const int32_t **map;
  void **gbl;
  int64_t epoch; /* of the first of the steps that are run together: the context's, when all of them
                    were last asked for but those of globals, which are asked for at each run */
  /* Steps of a chain that is run tile by tile share `tiles`; the first says how many they are. */
  const struct op2i_tile_plan *tiles;
  int32_t chain;
  void *entry_list;        /* the function over lists of elements; null without tiles */
  struct op2i_task_list *tasks; /* of the first of the steps that a task backend runs together:
                                   what it worked out for them before; for op2i_task_list_free() */
  struct op2i_buffer results;   /* of reductions: of each block those of its own, by
                                 op2i_step_begin() */
  unsigned char *partials; /* [nblocks][partial_bytes]: they, where the step runs; null: none */
  double seconds;          /* out: time in generated code, summed over workers */
  int64_t nanoseconds;     /* the same while workers add to it */
  double clock_seconds;    /* out: on the clock; of a program that workers share, the first step has
                              those of all */
};

struct op2i_backend {
  const char *name;
  const char *summary; /* one line for people */
  enum op2i_variant variant;
  bool needs_plan;
  const char *(*unavailable)(void); /* null when usable, else why not */
  op2_status (*open)(op2_context ctx, void **state);
  void (*close)(void *state);
  int (*workers)(void *state);
  int (*most_workers)(void); /* that there can be; null: any number */
  /* The system's numbers of the processing units that workers are bound to, -1 for a worker that is
   * not bound to one; null: the only worker is the calling thread. */
  void (*processors)(void *state, int *numbers);
  bool passes; /* loops may be fused; else each is run by itself, in the order of calls */
  /* Direct backends run a step and wait. */
  op2_status (*run_step)(void *state, struct op2i_step *step);
  /* Task backends run all the loops of a program that follow each other, ordering them by the data
   * they share. The first step keeps their `tasks`. */
  op2_status (*run_steps)(void *state, struct op2i_step *steps, int64_t nsteps);
  /* Call a function of op2_call() with its values, looking at what it does; null: it is just called.
   * Fails for what it should not have done; *answer is what it returned. */
  op2_status (*call)(struct op2i_user_call *call, void *data, void *const *values, int *answer);
};

/* Reductions. A block's partial starts from the identity of its mode (MIN and MAX: the global's
 * present value) and partials are combined in a fixed tree over the block number, so the result
 * does not depend on workers. op2i_step_begin() sees to memory for `nblocks` partials, which steps
 * that run again keep; op2i_partial_init() fills one; op2i_step_combine() puts all of them into the
 * globals; op2i_step_end() frees. */
op2_status op2i_step_begin(struct op2i_step *step, int64_t nblocks);
void op2i_partial_init(const struct op2i_step *step, unsigned char *partial);
void op2i_step_combine(struct op2i_step *step, int64_t nblocks);
void op2i_step_end(struct op2i_step *step);

/* All names that OP2_BACKEND knows, built or not; ends with null. */
const struct op2i_backend *const *op2i_backends(void);
const struct op2i_backend *op2i_backend_find(const char *name);
/* The first usable one by preference that can have so many workers, or else comes closest.
 * *passed_over is the one that would have been preferred and has fewer; null: there is none. */
const struct op2i_backend *op2i_backend_default(int workers,
                                                const struct op2i_backend **passed_over);
extern const struct op2i_backend op2i_backend_sequential, op2i_backend_openmp, op2i_backend_check,
    op2i_backend_starpu, op2i_backend_cuda, op2i_backend_opencl;

/* The machine, by hwloc where built in. */
enum { OP2I_CPUS_MAX = 1024 };
struct op2i_machine {
  int cores;                 /* this process may use */
  int present;               /* processing units that the machine has */
  int ncpus;                 /* places for workers, 0 when not known */
  int cpus[OP2I_CPUS_MAX];   /* hwloc's logical number of one processing unit in each of those cores
                            */
  int system[OP2I_CPUS_MAX]; /* its number to the system */
  int64_t l2_bytes;          /* per core */
  int64_t l3_bytes;          /* shared */
};
const struct op2i_machine *op2i_machine(void);
/* Bytes of the vectors that this processor is fastest with; 0: it has none worth using. */
int op2i_simd_bytes(void);

#endif
