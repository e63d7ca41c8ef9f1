/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVGEN_H
#define OP2I_DEVGEN_H

/* Text of loops for devices. CUDA C and OpenCL C differ in what stands before it: macros of their
 * own give the rest one meaning in both.
 *
 *   OP2_ENTRY OP2_GLOBAL OP2_LOCAL OP2_SHARED_PARAMETER OP2_SHARED   functions and kinds of memory
 *   op2_group() op2_item() op2_items() op2_wait()                    where a work item is, and a barrier
 *   OP2_AS(p)                                                        a pointer to whatever is asked for
 *
 * Names are those of codegen/host/emit.h; besides there are
 *
 *   op2_row<d>    the element's own row of dat d      op2_sum<d>   the target's, that takes increments
 *   op2_given     payload                             op2_column   of a pass: through which it is reached
 *   op2_t<k> op2_n<k>   tables and numbers of a launch; what they are, each entry says */

#include "emit.h"
#include "loop_device.h"

struct op2i_device_dialect {
  const char *name;    /* "cuda", "opencl" */
  const char *prelude; /* what the macros are */
  bool generic;        /* a pointer may point to any memory */
  bool stages;         /* wide rows go by way of shared memory */
  struct op2i_dialect c;
};
extern const struct op2i_device_dialect op2i_dialect_cuda, op2i_dialect_opencl;

/* Append the text of a loop: the entries op2_once (ONCE; with reductions op2_reduce and op2_fold in its
 * place), op2_repeat<p> for each pass and op2_once or op2_reduce for the rest, op2_coloured. All have
 * the parameters of op2i_devgen_parameters(). OP2_ERR_UNAVAILABLE where a device will not do. */
op2_status op2i_device_generate(const struct op2i_loop *loop,
                                const struct op2i_device_dialect *dialect, struct op2i_text *out);

/* devgen_arg.c: arguments in an element's body. */
struct op2i_devgen {
  struct op2i_emitter e;
  const struct op2i_device_dialect *dialect;
  struct op2i_device_form form;
  /* The launch that is written: the pass whose increments count, or null; whether what is not in any
   * pass is stored. */
  const struct op2i_device_pass *pass;
  bool stores;
  bool stages; /* work items of a group are at positions that follow each other */
};
void op2i_devgen_load(const struct op2i_devgen *g);           /* rows and columns of the element */
void op2i_devgen_prepare(const struct op2i_devgen *g, int a); /* before the call */
void op2i_devgen_actual(const struct op2i_devgen *g, int a);  /* in it */
void op2i_devgen_settle(const struct op2i_devgen *g, int a);  /* after it */
void op2i_devgen_add(const struct op2i_devgen *g, int a);     /* increments to memory */
void op2i_devgen_store(const struct op2i_devgen *g);          /* rows of the element */
/* Rows that a group moves together, op2_live of them from op2_base on; all work items take part. */
bool op2i_devgen_staged(const struct op2i_devgen *g, int d);
void op2i_devgen_stage_in(const struct op2i_devgen *g);
void op2i_devgen_stage_out(const struct op2i_devgen *g);
void op2i_devgen_target_load(const struct op2i_devgen *g); /* rows of a pass's target */
void op2i_devgen_target_store(const struct op2i_devgen *g);

#endif
