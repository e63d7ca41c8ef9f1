/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVGEN_H
#define OP2I_DEVGEN_H

/* Text of loops for devices. CUDA C and OpenCL C have different preludes, whose macros give the
 * rest of the text the same meaning in both:
 *
 *   OP2_ENTRY OP2_GLOBAL OP2_LOCAL OP2_SHARED_PARAMETER OP2_SHARED   functions and kinds of memory
 *   op2_group() op2_item() op2_items()   the work item's group, its index there, size of the group
 *   op2_wait()                           a barrier of the group
 *   op2_in_order()                       compilers move no access to memory across it (CUDA only)
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
  const char *name;    /* "cuda", "opencl" */
  const char *prelude; /* definitions of the macros */
  const char *atomics; /* additional definitions for ATOMICS: op2_swap32(), op2_swap64() */
  bool generic;        /* True if a pointer may point to any kind of memory. */
  bool stages;         /* True if work items move values side by side, through shared memory. */
  bool adds;           /* True if atomicAdd() supports float and double. */
  struct op2i_dialect c;
};
extern const struct op2i_device_dialect op2i_dialect_cuda, op2i_dialect_opencl;

/* Append the text of a loop, whose entries are
 *   ONCE      op2_once
 *   REPEAT    op2_repeat<p> for each pass, and op2_once for the rest
 *   OWNER     the same, and op2_owner<p>, which op2_repeat<p> replaces if it needs too much shared
 *             memory
 *   GATHER    op2_once, and then op2_sum<p> for each pass
 *   STAGED, UNSTAGED  op2_block_in_turn; op2_block_at_once too, unless kernels must see what others
 *             store
 *   ATOMICS   op2_once
 * If the loop reduces, op2_reduce and op2_fold replace op2_once; they come after it if values are
 * reduced apart, and after blocks. All entries have the same parameters. Fails with
 * OP2_ERR_UNAVAILABLE if the loop cannot run on a device. */
op2_status op2i_device_generate(const struct op2i_loop *loop,
                                const struct op2i_device_dialect *dialect, struct op2i_text *out);
/* Append the text by a given strategy, whatever the context asks for. Also fails with
 * OP2_ERR_UNAVAILABLE if the strategy does not fit. */
op2_status op2i_device_generate_by(const struct op2i_loop *loop,
                                   const struct op2i_device_dialect *dialect,
                                   enum op2i_device_strategy strategy, struct op2i_text *out);

/* Append the text of the entries op2_pack4, op2_unpack4, op2_pack1 and op2_unpack1, which move
 * units of 4 bytes or 1 byte. Their parameters are the numbers of rows and of units of a row, then
 * values, positions and packed memory (device.h). */
op2_status op2i_device_rows_text(const struct op2i_device_dialect *dialect, struct op2i_text *out);

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

/* devgen_arg.c: arguments in an element's body. */
void op2i_devgen_prepare(const struct op2i_devgen *g, int a); /* before the call */
void op2i_devgen_actual(const struct op2i_devgen *g, int a);  /* in the call */
/* Before the call, if the kernel is called for each entry of a row: the loop over the entries,
 * whose brace stays open. */
bool op2i_devgen_entries(const struct op2i_devgen *g, const struct op2i_member *member);
void op2i_devgen_put_in_order(const struct op2i_devgen *g,
                              int a);                        /* right after it: a matrix's block */
void op2i_devgen_settle(const struct op2i_devgen *g, int a); /* after the call */
void op2i_devgen_add(const struct op2i_devgen *g, int a);    /* adds increments to memory */
void op2i_devgen_hoist(const struct op2i_devgen *g);
/* The lvalue of component %s of the row that an argument reaches through a slot. */
void op2i_devgen_place(const struct op2i_devgen *g, int a, int slot, char *there, size_t room);
/* The statement that adds to `there`, or takes the minimum or maximum with it. */
void op2i_devgen_add_text(const struct op2i_loop_arg *arg, const char *there, const char *ours,
                          char *statement, size_t room);

/* devgen_row.c: rows. */
/* Emit `statement` for each of n components; every `%s` in it stands for the component. */
void op2i_devgen_each(const struct op2i_devgen *g, int64_t n, const char *indent,
                      const char *statement);
/* The number of values of a row that are moved at once, and the name of their type. */
int op2i_devgen_pieces(op2_type type, int dim, const char **name);
/* Move n values between `place`, an address that is aligned for a vector of `width` values, and the
 * copy `ours`. */
void op2i_devgen_load_pieces(const struct op2i_devgen *g, op2_type type, int n, int width,
                             const char *place, const char *ours, const char *indent);
void op2i_devgen_store_pieces(const struct op2i_devgen *g, op2_type type, int n, int width,
                              const char *place, const char *ours, const char *indent);
/* The type of values in memory, as in the declaration of the dat's parameter. */
const char *op2i_devgen_dat_type(const struct op2i_devgen *g, int d);
/* Move the row with number `at` of dat d between memory and the copy `ours`. */
void op2i_devgen_load_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                          const char *indent);
void op2i_devgen_store_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                           const char *indent);
void op2i_devgen_load(const struct op2i_devgen *g);  /* rows and columns of the element */
void op2i_devgen_store(const struct op2i_devgen *g); /* rows of the element */
void op2i_devgen_hoist_columns(const struct op2i_devgen *g);
/* Load narrow rows and maps' entries of op2_position, if there is such an element. */
void op2i_devgen_load_early(const struct op2i_devgen *g);

/* devgen_stage.c: wide rows, which a group moves together: op2_live of them from op2_base on. All
 * work items take part. */
bool op2i_devgen_staged(const struct op2i_devgen *g, int d);
/* True if some rows are moved so; then elements' other values are loaded before they have come. */
bool op2i_devgen_early(const struct op2i_devgen *g);
void op2i_devgen_stage_in(const struct op2i_devgen *g);
void op2i_devgen_stage_out(const struct op2i_devgen *g);

/* devgen_target.c: a work item for each target of a pass. */
bool op2i_devgen_of_target(const struct op2i_devgen *g, int a); /* it adds to those of the pass */
void op2i_devgen_repeat(struct op2i_devgen *g, int p);
void op2i_devgen_sum(struct op2i_devgen *g, int p);
void op2i_devgen_owner(struct op2i_devgen *g, int p);
void op2i_devgen_keep(const struct op2i_devgen *g, int a); /* for op2_sum<p> */
/* Add to the sums of the target, if the element reaches it through the current column. */
void op2i_devgen_to_target(const struct op2i_devgen *g, int a);

void op2i_devgen_blocks(struct op2i_devgen *g);             /* devgen_block.c */
void op2i_devgen_reduce(const struct op2i_devgen *g);       /* devgen_reduce.c */
void op2i_devgen_keep_reduced(const struct op2i_devgen *g); /* for op2_reduce */
/* devgen_locate.c: located reductions. The first function returns the index of an argument's first
 * value. */
int op2i_devgen_first_value(const struct op2i_devgen *g, int a);
void op2i_devgen_keep_apart(const struct op2i_devgen *g);         /* all of them, for op2_reduce */
void op2i_devgen_locate_tile(const struct op2i_devgen *g, int a); /* in op2_reduce */
void op2i_devgen_locate_all(const struct op2i_devgen *g, int a);  /* in op2_fold */

void op2i_devgen_define_atomics(const struct op2i_devgen *g); /* devgen_atomic.c */
void op2i_devgen_atomic(const struct op2i_devgen *g, int a);

#endif
