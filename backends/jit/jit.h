/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_JIT_H
#define OP2I_JIT_H

/* Generated text is turned into functions here. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

struct op2i_image;
struct op2i_jit_code {
  const char *source; /* from op2i_generate() */
  bool mergeable;
  const char *const *includes;  /* directories, null-terminated, may be null */
  const char *const *libraries; /* absolute paths to link to, null-terminated, may be null */
  const char *label;            /* for log lines: the kernel's name */
  bool on_device; /* True for the context's device: the function is a struct op2i_device_unit */
  bool if_cached; /* for a device: only taken from the cache; else no function and no message */
  void *function; /* out: valid while the use of its image lasts */
  struct op2i_image *image; /* out: the image that holds the function, with one use counted for
                                the caller, who ends it by op2i_jit_unuse(); null if there is no
                                function */
  op2_status status;        /* out */
  char *message;            /* out: freed by the caller with op2i_free(); null: success */
};
/* Find each function in memory or in the cache of compiled loops, and compile those that are
 * missing, in as few compiler runs as is fastest, at most one per core at a time. Each code fails
 * separately; the call itself fails only for lack of memory. Once a compiler run was given up,
 * because it took too long or was ended from outside, no other one is started until
 * op2i_jit_resume(), which every force ends with. So a flush takes no multiple of the time limit,
 * and an interrupt by the user stops all compilation. */
op2_status op2i_jit_get(op2_context ctx, int n, struct op2i_jit_code *codes);
/* The same for rank number `part` of `parts` ranks, which may share a folder of compiled loops and
 * need the same functions. The rank compiles every parts-th of the missing functions, or all if it
 * has no folder. The others get neither function nor message: look them up again when the other
 * ranks have compiled their part. */
op2_status op2i_jit_get_part(op2_context ctx, int part, int parts, int n,
                             struct op2i_jit_code *codes);
void op2i_jit_unuse(op2_context ctx, struct op2i_image *image);
void op2i_jit_resume(op2_context ctx);
void op2i_jit_close(op2_context ctx);
struct op2i_jit_stats {
  int64_t memory_hits, disk_hits, compiled, failed,
      rejected;   /* rejected: damaged or foreign cache entries */
  double seconds; /* elapsed time of compiler runs */
};
void op2i_jit_statistics(op2_context ctx, struct op2i_jit_stats *stats);

#endif
