/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EMIT_H
#define OP2I_EMIT_H

#include "loop.h"
#include "rewrite.h"
#include "text.h"

/* The part of generated text that calls the kernel. Every name in it begins with op2_, so that no
 * macro of a kernel's source or headers meets one of them:
 *
 *   op2_lo op2_hi  positions, op2_position one     op2_element     the element there
 *   op2_distance   bytes by which rows are prefetched ahead, or 0
 *   op2_subset     elements of a subset            op2_number      the user's numbers, or null
 *   op2_number<n>  the user's numbers of elements that map n leads to
 *   op2_dat<n>     dat n of the loop               op2_gbl<n>      values of global n
 *   op2_map<n>     values of map n                 op2_map<n>_<s>  its slot s for this element
 *   op2_payload    captured values and constants   op2_partial     partial results
 *   op2_arg<n>     storage of argument n: the strands of a sum into a global, the result so far of
 *                  a minimum or maximum
 *   op2_own<n>     its private copy                op2_consts      the constants, or a pointer
 *   op2_best<n>    the best value of argument n    op2_winner<n>   the number of its element
 *   op2_start<n>   the value that it starts from for each element
 *   op2_value<n>   an element's value of it        op2_who<n>      that element's number
 *   op2_slot op2_component  counters               op2_consts<m>   those of a fused loop's member
 */

/* The differences between the languages that are generated. */
struct op2i_dialect {
  const char *restricted;   /* pointer qualifier: no other pointer leads there */
  const char *global;       /* address space of dats, maps, ... followed by a blank; or "" */
  const char *body_prefix;  /* before a function that generated code calls */
  const char *entry_prefix; /* before the function that the library calls */
  const char *tables;       /* qualifier of tables, as in op2i_rewrite; or null */
  const char *variables;    /* the same for variables */
  bool longs;               /* these three as in op2i_rewrite */
  bool renames;
  bool operators;
};
extern const struct op2i_dialect op2i_dialect_c;

struct op2i_emitter {
  const struct op2i_loop *loop;
  const struct op2i_dialect *dialect;
  int nmembers;
  struct op2i_rewrite *rewrites; /* [nmembers] the members' kernels */
  bool listed;                   /* runs over the elements of a subset, which are in a list */
  bool prefetches;               /* the text prefetches rows, and takes op2_distance for that */
  struct op2i_text *types;       /* [nargs] a value's type, as the kernel spells it if possible */
  struct op2i_text *out;
};

/* An argument of the loop, by its number. */
static inline const struct op2i_loop_arg *op2i_emit_arg(const struct op2i_emitter *e, int a) {
  return &e->loop->args[a];
}

/* emit_arg.c: arguments, one at a time. `a` is the number of an argument. */
const struct op2i_param *op2i_emit_param(const struct op2i_emitter *e, int a);
const char *op2i_emit_type(const struct op2i_emitter *e, int a);
int op2i_emit_first_of_dat(const struct op2i_emitter *e, int dat);
bool op2i_emit_dat_writable(const struct op2i_emitter *e, int dat);
bool op2i_emit_slot_used(const struct op2i_emitter *e, int map, int slot);
void op2i_emit_setup(const struct op2i_emitter *e, int a);   /* before the loop */
void op2i_emit_prepare(const struct op2i_emitter *e, int a); /* before the call */
void op2i_emit_actual(const struct op2i_emitter *e, int a);  /* in the call */
void op2i_emit_settle(const struct op2i_emitter *e, int a);  /* after the call */
void op2i_emit_finish(const struct op2i_emitter *e, int a);  /* after the loop */
/* The sum of all strands of component j of an argument, or of component op2_component if j is -1.
 * Each vector holds `lanes` strands; if it is 1, they are scalars. */
void op2i_emit_strands(const struct op2i_emitter *e, int a, int j, int lanes);

/* emit_winner.c: located reductions, and the arguments beside them. */
void op2i_emit_winner_begin(const struct op2i_emitter *e, int a); /* before the loop */
/* Emitted after the call. `lane` selects a lane: "[op2_lane]", or empty in scalar code. */
void op2i_emit_winner_settle(const struct op2i_emitter *e, int a, const char *indent,
                             const char *lane);
void op2i_emit_winner_finish(const struct op2i_emitter *e, int a); /* after the loop */

/* emit.c */
op2_status op2i_emitter_begin(struct op2i_emitter *e, const struct op2i_loop *loop,
                              const struct op2i_dialect *dialect, struct op2i_text *out);
/* Use C's names of types, for text in which the kernel's own names of types are not defined. */
op2_status op2i_emit_bare_types(struct op2i_emitter *e);
void op2i_emitter_end(struct op2i_emitter *e);
/* True if the text calls the functions by which contracted products are computed. */
bool op2i_emit_contracts(const struct op2i_emitter *e);
/* True if functions of the math library have texts of their own (math_print.h), false with
 * OP2_LIBM=1. */
bool op2i_emit_own_math(const struct op2i_emitter *e);
/* True if an argument of the right type and depth still needs a cast: for pointers to rows, and if
 * a typedef hides levels of pointers. A parameter whose type is unknown gets no cast, so that the
 * compiler checks it. */
bool op2i_emit_needs_cast(const struct op2i_param *param);
/* Emit the structure of a kernel's constants, if it has any. */
void op2i_emit_consts_struct(const struct op2i_emitter *e, const struct op2i_rewrite *r);
/* Emit the structures of constants and the sources of all kernels, each kernel once. */
void op2i_emit_kernels(const struct op2i_emitter *e);
/* Emit what every function over positions begins with: local copies of the constants. */
void op2i_emit_load_consts(const struct op2i_emitter *e);
/* Emit the parameters of such a function, from op2_lo on, and the entry that calls it. */
void op2i_emit_parameters(const struct op2i_emitter *e);
void op2i_emit_entry(const struct op2i_emitter *e);
/* The name of a member's constants: op2_consts, in fused loops op2_consts<m>. */
struct op2i_emit_name {
  char text[24];
};
struct op2i_emit_name op2i_emit_consts_name(const struct op2i_emitter *e, int member);
/* Emit the head of the loop over the entries of a matrix's row, with a counter of this type, if the
 * member takes a row. Returns false if it takes none. */
bool op2i_emit_entries(const struct op2i_emitter *e, const struct op2i_member *member,
                       const char *type);
void op2i_emit_plain(const struct op2i_emitter *e);
void op2i_emit_checked(const struct op2i_emitter *e);

#endif
