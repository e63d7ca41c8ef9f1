/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_H
#define OP2I_VEC_H

#include "codegen.h"
#include "emit.h"

/* Loops that take several elements at a time, one in each lane of vectors. The values of a dat that
 * an element meets in one place, its own row or that behind one slot of a map, are a view: a vector
 * for each component, in registers, which all arguments of all members share that meet it there.
 * Views come from whole rows that are transposed in registers, and go back as whole rows; nothing
 * is read beside rows. Names in the text beside those in emit.h:
 *
 *   op2_view<n>    view n                          op2_own<n>      private copy of argument n
 *   op2_rows<n>    dat n at the first element      op2_targets<n>  map n at the first element
 *   op2_rows_left<n>, op2_targets_left<n>, op2_list_left: copies of their last rows, as many as come
 *                  at a time
 *   op2_list       the list at the first lane      op2_parts<n>_<v> pieces of argument n, from its
 *                                                  vector v on, on their way to memory
 *   op2_element    elements of the lanes           op2_first       the first of them in a range
 *   op2_steps      what they are from there        op2_halves<n>   lanes put together, n are left
 *   op2_bound      what lanes have to pass to win  op2_start<n>    what lanes begin with
 *   op2_record     of the slice that the lanes' rows are in, op2_side the first of them there
 *   op2_length     how many entries they have       op2_turn        how many were done
 *   op2_columns<n> columns of entries, for view n  op2_sums        what rows add up to, and again with
 *                  that of the last row in all lanes that do not count
 *   op2_left       positions not done              op2_count       how many of a round count
 *   op2_again<n>_<s>  op2_map<n>_<s> read again    op2_each        0, 1, 2, ...
 *   op2_row        vectors of one slot             op2_block       values of one slot in a dense block
 *   op2_early_view<n>, op2_early_own<n>: those of the first of two batches
 *
 * A sum into a global has its strands in op2_arg<n>, the vectors that the next batch works on in
 * front. The last lanes of an incomplete round, of which the second batch may be all, do again what
 * the last one that counts does: they store the same values to the same place, and their increments
 * are taken away. */

/* Of the registers that the values of a batch fill: up to TWOS, two batches may come at a time. Beyond
 * HELD the values are in the first cache in truth, which pays where a loop goes through maps or
 * divides; else rows lie in memory as compilers like them, and scalar code is as good. More than
 * STATE would not stay in that cache. LINES: how many additions to a dat have a line of text each;
 * compilers take seconds over more. */
enum {
  OP2I_VEC_LANES_MAX = 16,
  OP2I_VEC_TWOS_MAX = 32,
  OP2I_VEC_HELD_MAX = 64,
  OP2I_VEC_STATE_MAX = 512,
  OP2I_VEC_LINES_MAX = 512
};

/* A dat in the place where arguments meet it; with a map, `nslots` slots from `slot` on. */
struct op2i_vec_view {
  int dat, map, slot, nslots; /* map -1: elements' own rows */
  bool loaded, stored;
  int begin, end; /* first member that has it, and the last one */
};

struct op2i_vec_arg {
  int view;         /* or -1 */
  int first;        /* vector of the view where it begins */
  bool own;         /* works on a copy that is added to the view, or to memory */
  bool accumulates; /* the copy is added to memory, element by element */
  bool varies;      /* differs between lanes */
};

enum op2i_vec_help {
  OP2I_VEC_ROW,   /* types of a piece of a row */
  OP2I_VEC_GET,   /* vectors from pieces of rows */
  OP2I_VEC_PARTS, /* pieces of rows from vectors */
  OP2I_VEC_PUT,   /* and to memory */
  OP2I_VEC_ADD,   /* add a piece to memory */
  OP2I_VEC_LIMIT, /* zero in the lanes that do not count */
  OP2I_VEC_KEEP,  /* other values there */
  OP2I_VEC_LOWER, /* the lesser ones, and the greater */
  OP2I_VEC_RAISE,
  OP2I_VEC_LEAST, /* the same of what has been found for a global */
  OP2I_VEC_MOST,
  OP2I_VEC_HELPS
};

struct op2i_vec {
  const struct op2i_emitter *e;
  struct op2i_text *out;
  struct op2i_text *why; /* why the loop cannot be had in this form */
  int lanes;
  int widest; /* bytes of the longest vectors there may be */
  int nviews;
  struct op2i_vec_view *views;                  /* [nargs] room */
  struct op2i_vec_arg *args;                    /* [nargs] */
  int state;                                    /* registers that the values of a batch fill */
  const struct op2i_simd_translation **kernels; /* [nmembers] null: an earlier member has it */
  bool numbered;                                /* op2_element is needed, */
  bool pointed;                                 /* and somebody points into it */
  bool divides;                                 /* some kernel does, or takes roots */
  int round;                                    /* elements that come at a time, one batch or two */
  uint64_t helped[OP2I_VEC_HELPS];              /* which helper functions the text has */
};

/* An argument that has a dat: all that have it have its dimension and type. */
static inline const struct op2i_loop_arg *op2i_vec_row(const struct op2i_vec *v, int dat) {
  return &v->e->loop->args[op2i_emit_first_of_dat(v->e, dat)];
}

/* vec_view.c */
/* Lanes of vectors of simd_bytes in this loop: as many as go with its largest floating type. */
int op2i_vec_lanes(const struct op2i_loop *loop, int simd_bytes);
/* Places for arguments, and vector forms of the kernels, with the lanes of vectors of lane_bytes,
 * though vectors may be as long as `widest`. Where the loop cannot be had so, *why gets the reason,
 * a sentence for people without its full stop. */
op2_status op2i_vec_begin(struct op2i_vec *v, const struct op2i_emitter *e, int lane_bytes,
                          int widest, struct op2i_text *why);
void op2i_vec_end(struct op2i_vec *v);
/* Whether a loop can be had in vectors of simd_bytes: *why stays empty. */
op2_status op2i_vec_judge(const struct op2i_emitter *e, int simd_bytes,
                          struct op2i_judgement *judgement, struct op2i_text *why);

/* vec_rows.c */
/* The widest piece of a row that can come next where `left` values are left. */
int op2i_vec_piece(const struct op2i_vec *v, int left);
/* Append a helper function and what it needs, once. */
void op2i_vec_need(struct op2i_vec *v, enum op2i_vec_help help, op2_type type, int width);

/* vec_emit.c */
/* Append the vector forms of the kernels, the function over positions and the entry; nothing where
 * *why gets a reason. */
op2_status op2i_vec_emit(const struct op2i_emitter *e, int simd_bytes, struct op2i_text *why);

/* vec_loop.c */
void op2i_vec_body(struct op2i_vec *v);

/* vec_entries.c: round the call of a member that takes a matrix's row, the loop over its entries. False:
 * it takes none. */
bool op2i_vec_entries_begin(const struct op2i_vec *v, int m);
void op2i_vec_entries_end(const struct op2i_vec *v, int m);

/* vec_move.c: between memory and vectors. `a` is the number of an argument, `n` of a view. */
void op2i_vec_move_helps(struct op2i_vec *v);        /* the helper functions for all of it */
void op2i_vec_load(const struct op2i_vec *v, int n); /* declares the view, too */
void op2i_vec_store(const struct op2i_vec *v, int n);
void op2i_vec_copy(const struct op2i_vec *v, int a);   /* the private copy, before the call */
void op2i_vec_settle(const struct op2i_vec *v, int a); /* from there to the view, after the call */
/* Whether a dat gets so many increments that the text has loops for them. */
bool op2i_vec_rolled(const struct op2i_vec *v, int dat);
/* Declares nothing: the vectors of an argument's view from rows that `base` and an array of numbers say. */
void op2i_vec_get(const struct op2i_vec *v, int a, const char *base, const char *rows);
/* And to memory, after all calls, from op2_own<n>, or from op2_early_own<n>: `copy` is the stem. */
void op2i_vec_accumulate(const struct op2i_vec *v, int dat, const char *copy);

/* cgen.c: op2i_generate() for vectors of simd_bytes. */
op2_status op2i_generate_vector(const struct op2i_loop *loop, enum op2i_variant variant,
                                int simd_bytes, struct op2i_text *out, bool *mergeable);

#endif
