/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVGEN_H
#define OP2I_DEVGEN_H

/* Text of loops for devices. CUDA C, which HIP takes as well, and OpenCL C have different preludes, whose macros give the
 * rest of the text the same meaning in both:
 *
 *   OP2_ENTRY OP2_GLOBAL OP2_LOCAL OP2_SHARED_PARAMETER OP2_SHARED   functions and kinds of memory
 *   op2_group() op2_item() op2_items()   the work item's group, its index there, size of the group
 *   op2_wait()                           a barrier of the group
 *   op2_in_order()                       compilers move no access to memory across it (CUDA and HIP)
 *   OP2_AS(p)                            a pointer that converts to the type that is needed
 *
 * Names are those of codegen/host/emit.h, and in addition
 *
 *   op2_row<d>    the element's own row of dat d      op2_sum<d>   the target's, with increments
 *   op2_given     payload                             op2_column   the column that leads to it
 *   op2_kept      values that elements keep for another launch: an array over positions for each
 *   op2_stage<s>  rows of a dat that a block has in shared memory
 *   op2_wide<p>   a part of the rows that a group moves through shared memory (loop_device.h)
 *   op2_local<l>  index of an element's row there
 *   op2_t<k> op2_n<k>   tables and numbers of a launch; each entry's comment describes them */

#include "emit.h"
#include "loop_device.h"

struct op2i_device_dialect {
  const char *name;    /* "cuda", "hip", "opencl" */
  const char *prelude; /* definitions of the macros */
  const char *opening; /* what this one of several languages needs before their prelude; or null */
  const char *atomics; /* additional definitions for ATOMICS: op2_swap32(), op2_swap64() */
  bool generic;        /* True if a pointer may point to any kind of memory. */
  bool stages;         /* True if work items move values side by side, through shared memory. */
  bool adds;           /* True if atomicAdd() supports float and double. */
  bool wraps;          /* True if its compiler lets signed integers wrap. */
  struct op2i_dialect c;
};
#define DEVICE_KIND(id_, name_, summary_)                                                          \
  extern const struct op2i_device_dialect op2i_dialect_##name_;
#include "kinds.def"
#undef DEVICE_KIND

/* Append the text of a loop, whose entries are
 *   ONCE      op2_once
 *   REPEAT    op2_repeat<p> for each pass, and op2_once for the rest
 *   OWNER     the same, and op2_owner<p>, which op2_repeat<p> replaces if it needs too much shared
 *             memory
 *   GATHER    op2_once, and then op2_sum<p> for each pass
 *   STAGED, UNSTAGED  op2_block_in_turn; op2_block_at_once too, unless kernels must see what others
 *             store
 *   SERIAL    op2_block_serial
 *   ATOMICS   op2_once
 * If the loop reduces, op2_reduce and op2_fold replace op2_once; they come after it if values are
 * reduced apart, and after blocks. Where the last group finishes a reduction there is no op2_fold. All entries have the same parameters. Fails with
 * OP2_ERR_UNAVAILABLE if the loop cannot run on a device. */
op2_status op2i_device_generate(const struct op2i_loop *loop,
                                const struct op2i_device_dialect *dialect, struct op2i_text *out);
/* Append the text by a given strategy, whatever the context asks for. Also fails with
 * OP2_ERR_UNAVAILABLE if the strategy does not fit. */
op2_status op2i_device_generate_by(const struct op2i_loop *loop,
                                   const struct op2i_device_dialect *dialect,
                                   enum op2i_device_strategy strategy, struct op2i_text *out);

struct op2i_devgen {
  struct op2i_emitter e;
  const struct op2i_device_dialect *dialect;
  struct op2i_device_form form;
  /* The launch that is written: `pass` is the pass whose increments count, or null; `stores` is
   * true if values that belong to no pass are stored. */
  const struct op2i_device_pass *pass;
  bool stores;
  bool stages; /* True if work items of a group have consecutive positions. */
  bool owns;   /* True if values of a pass stay in shared memory, for targets of this launch. */
  bool hoists; /* True if an element's contributions are needed outside its braces. */
};

/* devgen.c */
void op2i_devgen_entry(const struct op2i_devgen *g, const char *name, int number); /* -1: none */
void op2i_devgen_element(const struct op2i_devgen *g); /* op2_position's, in the caller's braces */
void op2i_devgen_live(
    const struct op2i_devgen *g); /* declares op2_live, the number of work items with an element */
/* The lvalue of a value that the element at op2_position keeps for another launch; `value` is its
 * number as text. */
void op2i_devgen_kept(const struct op2i_devgen *g, int a, const char *value, char *there,
                      size_t room);

#endif
