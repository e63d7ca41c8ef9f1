/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CODE_H
#define OP2I_CODE_H

/* The interface of generated code to its callers. */

#include <stdbool.h>
#include <stdint.h>

enum op2i_variant {
  OP2I_PLAIN,        /* element by element */
  OP2I_CHECKED,      /* one call on private data */
  OP2I_VECTOR,       /* several elements at a time, in the lanes of vectors */
  OP2I_FIRST_DEVICE, /* the same number as the first kind below, which counts on from LAST_HOST */
  OP2I_LAST_HOST = OP2I_FIRST_DEVICE - 1,
/* For each kind of device, the functions that it launches: struct op2i_device_unit. */
#define DEVICE_KIND(id_, name_, summary_) OP2I_##id_,
#include "kinds.def"
#undef DEVICE_KIND
  OP2I_VARIANTS
};

static inline bool op2i_on_device(enum op2i_variant variant) {
  return variant >= OP2I_FIRST_DEVICE && variant < OP2I_VARIANTS;
}

/* The arguments of generated code. The generator prints this structure into its output word for
 * word (codegen/host/cgen.c); a change here changes OP2I_ABI. */
struct op2i_call {
  void *const *dat;          /* storage of the loop's distinct dats */
  const int32_t *const *map; /* values of its distinct maps */
  const int64_t *subset;     /* element at a position; null: the position itself */
  const void *const *gbl;    /* values of its distinct globals; reductions use `partial` instead */
  const unsigned char *payload; /* captured values and constants */
  const int64_t *number;        /* the user's number of an element; null: the element's own */
  /* The same for the elements that each map leads to, where kernels are given their numbers. */
  const int64_t *const *target;
  int64_t distance; /* bytes by which vector code prefetches rows ahead; 0: it does not */
};
#define OP2I_ABI "op2-abi-5"

/* How far ahead code prefetches, unless a trial finds that it is faster without. */
enum { OP2I_PREFETCH_DISTANCE = 8192 };

/* All but OP2I_CHECKED: apply the kernels to positions lo..hi-1 in order, folding reductions into
 * partial (null without any). */
typedef void (*op2i_plain_fn)(const struct op2i_call *call, int64_t lo, int64_t hi,
                              unsigned char *partial);
/* OP2I_CHECKED: apply the kernel once; args[i] points to argument i's private data: `T` values, for
 * ALL arguments an array of pointers to them, for IDX an int64_t, for VAL the values. The loop's
 * constants follow the arguments. */
typedef void (*op2i_checked_fn)(void *const *args);

#endif
