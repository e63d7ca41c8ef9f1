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
 *   op2_kept      what elements leave to another launch, an array over positions for each value
 *   op2_stage<s>  rows of a dat that a block has in shared memory, op2_local<l> where an element's are
 *   op2_t<k> op2_n<k>   tables and numbers of a launch; what they are, each entry says */

#include "emit.h"
#include "loop_device.h"

struct op2i_device_dialect {
  const char *name;    /* "cuda", "opencl" */
  const char *prelude; /* what the macros are */
  const char *atomics; /* what else those of ATOMICS need: op2_swap32(), op2_swap64() */
  bool generic;        /* a pointer may point to any memory */
  bool stages; /* work items move values side by side: wide rows go by way of shared memory */
  bool adds;   /* atomicAdd() knows float and double */
  struct op2i_dialect c;
};
extern const struct op2i_device_dialect op2i_dialect_cuda, op2i_dialect_opencl;

/* Append the text of a loop, whose entries are
 *   ONCE      op2_once
 *   REPEAT    op2_repeat<p> for each pass, and op2_once for the rest
 *   OWNER     the same, and op2_owner<p>, in whose place op2_repeat<p> is where it needs too much
 *   GATHER    op2_once, and then op2_sum<p> for each pass
 *   STAGED, UNSTAGED  op2_block_in_turn; where kernels need not see what others set, op2_block_at_once
 *   ATOMICS   op2_once
 * With reductions op2_reduce and op2_fold are in the place of op2_once, or come after it where values are
 * reduced apart, and after blocks. All have the same parameters. OP2_ERR_UNAVAILABLE where a device will not do. */
op2_status op2i_device_generate(const struct op2i_loop *loop,
                                const struct op2i_device_dialect *dialect, struct op2i_text *out);
/* By this strategy whatever the context asks for; also OP2_ERR_UNAVAILABLE where it does not fit. */
op2_status op2i_device_generate_by(const struct op2i_loop *loop,
                                   const struct op2i_device_dialect *dialect,
                                   enum op2i_device_strategy strategy, struct op2i_text *out);

/* Append the text of entries op2_pack4, op2_unpack4, op2_pack1, op2_unpack1, by units of so many
 * bytes: numbers of rows and units of a row, then values, places and packed memory (device.h). */
op2_status op2i_device_rows_text(const struct op2i_device_dialect *dialect, struct op2i_text *out);

struct op2i_devgen {
  struct op2i_emitter e;
  const struct op2i_device_dialect *dialect;
  struct op2i_device_form form;
  /* The launch that is written: the pass whose increments count, or null; whether what is not in any
   * pass is stored. */
  const struct op2i_device_pass *pass;
  bool stores;
  bool stages; /* work items of a group are at positions that follow each other */
  bool owns;   /* values of a pass stay in shared memory, for the targets of the same launch */
  bool hoists; /* what an element has for others is needed outside of its braces */
};

/* devgen.c */
void op2i_devgen_entry(const struct op2i_devgen *g, const char *name, int number); /* -1: none */
void op2i_devgen_element(const struct op2i_devgen *g); /* that at op2_position, braces round it */
void op2i_devgen_live(
    const struct op2i_devgen *g); /* how many of a group's items have an element */
/* A value that the element at op2_position leaves, its number in words. */
void op2i_devgen_kept(const struct op2i_devgen *g, int a, const char *value, char *there,
                      size_t room);

/* devgen_arg.c: arguments in an element's body. */
void op2i_devgen_prepare(const struct op2i_devgen *g, int a); /* before the call */
void op2i_devgen_actual(const struct op2i_devgen *g, int a);  /* in it */
/* before it, where the kernel is called for each entry of a row: the loop over them, whose brace is open */
bool op2i_devgen_entries(const struct op2i_devgen *g, const struct op2i_member *member);
void op2i_devgen_put_in_order(const struct op2i_devgen *g,
                              int a);                        /* right after it: a matrix's block */
void op2i_devgen_settle(const struct op2i_devgen *g, int a); /* after it */
void op2i_devgen_add(const struct op2i_devgen *g, int a);    /* increments to their places */
void op2i_devgen_hoist(const struct op2i_devgen *g);
/* Where component %s is that an argument has by way of a slot. */
void op2i_devgen_place(const struct op2i_devgen *g, int a, int slot, char *there, size_t room);
/* The statement that adds to, or takes the minimum or maximum with, what is there. */
void op2i_devgen_add_text(const struct op2i_loop_arg *arg, const char *there, const char *ours,
                          char *statement, size_t room);

/* devgen_row.c: rows. */
/* `statement` for each of n components; in it `%s` stands for the component, as often as it likes. */
void op2i_devgen_each(const struct op2i_devgen *g, int64_t n, const char *indent,
                      const char *statement);
/* How many values of a row are moved at once, and the type that they have then. */
int op2i_devgen_pieces(op2_type type, int dim, const char **name);
/* Of values in memory: as the parameter of the dat is declared. */
const char *op2i_devgen_dat_type(const struct op2i_devgen *g, int d);
/* A row of dat d, at row `at` of memory, to or from what is called `ours`. */
void op2i_devgen_load_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                          const char *indent);
void op2i_devgen_store_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                           const char *indent);
void op2i_devgen_load(const struct op2i_devgen *g);  /* rows and columns of the element */
void op2i_devgen_store(const struct op2i_devgen *g); /* rows of the element */
void op2i_devgen_hoist_columns(const struct op2i_devgen *g);
/* Rows that a group moves together, op2_live of them from op2_base on; all work items take part. */
bool op2i_devgen_staged(const struct op2i_devgen *g, int d);
void op2i_devgen_stage_in(const struct op2i_devgen *g);
void op2i_devgen_stage_out(const struct op2i_devgen *g);

/* devgen_target.c: an item for each target of a pass. */
bool op2i_devgen_of_target(const struct op2i_devgen *g, int a); /* it adds to those of the pass */
void op2i_devgen_repeat(struct op2i_devgen *g, int p);
void op2i_devgen_sum(struct op2i_devgen *g, int p);
void op2i_devgen_owner(struct op2i_devgen *g, int p);
void op2i_devgen_keep(const struct op2i_devgen *g, int a); /* for op2_sum<p> */
/* To the sums of the target that the pass is about, if the element reaches it here. */
void op2i_devgen_to_target(const struct op2i_devgen *g, int a);

void op2i_devgen_blocks(struct op2i_devgen *g);             /* devgen_block.c */
void op2i_devgen_reduce(const struct op2i_devgen *g);       /* devgen_reduce.c */
void op2i_devgen_keep_reduced(const struct op2i_devgen *g); /* for op2_reduce */
/* devgen_locate.c: reductions that are located; the number of an argument's first value. */
int op2i_devgen_first_value(const struct op2i_devgen *g, int a);
void op2i_devgen_keep_apart(const struct op2i_devgen *g);         /* all of them, for op2_reduce */
void op2i_devgen_locate_tile(const struct op2i_devgen *g, int a); /* in op2_reduce */
void op2i_devgen_locate_all(const struct op2i_devgen *g, int a);  /* in op2_fold */

void op2i_devgen_define_atomics(const struct op2i_devgen *g); /* devgen_atomic.c */
void op2i_devgen_atomic(const struct op2i_devgen *g, int a);

#endif
