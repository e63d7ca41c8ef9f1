/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_JIT_H
#define OP2I_JIT_H

/* From generated text to functions. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

struct op2i_image;
struct op2i_jit_code {
  const char *source; /* from op2i_generate() */
  bool mergeable;
  const char *const *includes;  /* directories, null-terminated, may be null */
  const char *const *libraries; /* to link to, absolute, null-terminated, may be null */
  const char *label;            /* for log lines: the kernel's name */
  bool on_device; /* for the context's device: the function is a struct op2i_device_unit */
  bool
      if_cached; /* of a device: it is not compiled; without function and message, if it was not there */
  void *function;           /* out: valid while the use of its image lasts */
  struct op2i_image *image; /* out: one use of it, for op2i_jit_unuse(); null: no function */
  op2_status status;        /* out */
  char *message;            /* out: op2i_free()d by the caller; null on success */
};
/* Find each in memory or in the cache of compiled loops, and compile what is missing: in as
 * few compiler runs as is fastest, at most one per core at a time. Each fails by itself; the call
 * itself fails only for lack of memory. Once a compiler run was given up, because it took too long or
 * somebody ended it, no other is started until op2i_jit_resume(), which every force ends with: a
 * flush takes no multiple of the time limit, and who interrupts it is not defied. */
op2_status op2i_jit_get(op2_context ctx, int n, struct op2i_jit_code *codes);
/* The same for number `part` of `parts` ranks that may have one folder of compiled loops and need the
 * same: of what is missing it compiles every parts-th, or all where it has no folder. The rest has
 * neither function nor message: it is to be looked for again when the others have done their part. */
op2_status op2i_jit_get_part(op2_context ctx, int part, int parts, int n,
                             struct op2i_jit_code *codes);
void op2i_jit_unuse(op2_context ctx, struct op2i_image *image);
void op2i_jit_resume(op2_context ctx);
void op2i_jit_close(op2_context ctx);
struct op2i_jit_stats {
  int64_t memory_hits, disk_hits, compiled, failed,
      rejected;   /* rejected: damaged or foreign cache entries */
  double seconds; /* spent in compilers, wall time */
};
void op2i_jit_statistics(op2_context ctx, struct op2i_jit_stats *stats);

#endif
