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
 *   op2_subset     elements of a subset            op2_number      the user's numbers, or null
 *   op2_number<n>  those of elements that map n leads to
 *   op2_dat<n>     dat n of the loop               op2_gbl<n>      values of global n
 *   op2_map<n>     values of map n                 op2_map<n>_<s>  its slot s for this element
 *   op2_payload    captured values and constants   op2_partial     partial results
 *   op2_arg<n>     what argument n needs: of a sum into a global its strands, of a minimum or
 *                  maximum what has been found
 *   op2_own<n>     its private copy                op2_consts      the constants, or a pointer
 *   op2_best<n>    what argument n has found       op2_winner<n>   the number of its element
 *   op2_start<n>   what it begins with for each element
 *   op2_value<n>   what an element has there       op2_who<n>      that element's number
 *   op2_slot op2_component  counters               op2_consts<m>   those of a fused loop's member
 */

/* What differs between the languages that are generated. */
struct op2i_dialect {
  const char *restricted;   /* pointer qualifier: nothing else points there */
  const char *global;       /* address space of dats, maps, ... and a blank behind it; or "" */
  const char *body_prefix;  /* before a function that generated code calls */
  const char *entry_prefix; /* before the function that the library calls */
  const char *tables;       /* of constants in kernels' sources, as in op2i_rewrite; or null */
  bool longs;               /* of the same */
};
extern const struct op2i_dialect op2i_dialect_c;

struct op2i_emitter {
  const struct op2i_loop *loop;
  const struct op2i_dialect *dialect;
  int nmembers;
  struct op2i_rewrite *rewrites; /* [nmembers] their kernels */
  bool listed;                   /* over a list of elements: a subset, or what the caller chooses */
  struct op2i_text *types;       /* [nargs] of one value, spelled as in the kernel where possible */
  struct op2i_text *out;
};

/* emit_arg.c: arguments one at a time. `a` is the number of one. */
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
/* The sum of all strands of an argument's component j, -1: op2_component, where so many stand in each
 * vector, or 1: they are values. */
void op2i_emit_strands(const struct op2i_emitter *e, int a, int j, int lanes);

/* emit_winner.c: reductions that are located, and what stands beside them. */
void op2i_emit_winner_begin(const struct op2i_emitter *e, int a); /* before the loop */
/* After the call; the lane that is asked is `lane`: "[op2_lane]", or empty in scalar code. */
void op2i_emit_winner_settle(const struct op2i_emitter *e, int a, const char *indent,
                             const char *lane);
void op2i_emit_winner_finish(const struct op2i_emitter *e, int a); /* after the loop */

/* emit.c */
op2_status op2i_emitter_begin(struct op2i_emitter *e, const struct op2i_loop *loop,
                              const struct op2i_dialect *dialect, struct op2i_text *out);
/* Spell types as C does: for text in which the kernel's own names of types mean nothing. */
op2_status op2i_emit_bare_types(struct op2i_emitter *e);
void op2i_emitter_end(struct op2i_emitter *e);
/* Whether an argument of the right type and depth needs a cast all the same: pointers to rows, and
 * hidden levels. A parameter whose type is not known gets none, so that the compiler checks it. */
bool op2i_emit_needs_cast(const struct op2i_param *param);
/* The structure of a kernel's constants, if it has any. */
void op2i_emit_consts_struct(const struct op2i_emitter *e, const struct op2i_rewrite *r);
/* Kernels whose text comes first in the loop: the structures of their constants, their sources. */
void op2i_emit_kernels(const struct op2i_emitter *e);
/* What every function over positions begins with: local copies of the constants. */
void op2i_emit_load_consts(const struct op2i_emitter *e);
/* The parameters of such a function, from op2_lo on, and the entry that calls it. */
void op2i_emit_parameters(const struct op2i_emitter *e);
void op2i_emit_entry(const struct op2i_emitter *e);
/* The name of the constants of a member: op2_consts, in fused loops op2_consts<m>. */
struct op2i_emit_name {
  char text[24];
};
struct op2i_emit_name op2i_emit_consts_name(const struct op2i_emitter *e, int member);
/* Where a member takes a matrix's row, the head of the loop over its entries, numbers of this type. */
bool op2i_emit_entries(const struct op2i_emitter *e, const struct op2i_member *member,
                       const char *type);
void op2i_emit_plain(const struct op2i_emitter *e);
void op2i_emit_checked(const struct op2i_emitter *e);

#endif
