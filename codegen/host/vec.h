/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VEC_H
#define OP2I_VEC_H

#include "codegen.h"
#include "emit.h"

/* Vector code of loops, which handles several elements at a time, one in each lane of vectors. The
 * values of a dat that an element meets in one place, its own row or the row that one slot of a map
 * leads to, form a view: a vector for each component, in registers, shared by all arguments of all
 * members that meet the dat there. Views are loaded as whole rows that are transposed in registers,
 * and stored as whole rows; nothing outside rows is read. Lanes without an element of their own, at
 * the end of the loop, are padding lanes. Names in the text in addition to those in emit.h:
 *
 *   op2_view<n>    view n                          op2_own<n>      private copy of argument n
 *   op2_rows<n>    dat n at the first element      op2_targets<n>  map n at the first element
 *   op2_rows_left<n>, op2_targets_left<n>, op2_list_left: copies of their last rows, padded to a
 *                  whole round
 *   op2_list       the list at the first lane      op2_parts<n>_<v> pieces of argument n, from its
 *                                                  vector v on, to be added to memory
 *   op2_element    elements of the lanes           op2_first       the first of them in a range
 *   op2_steps      their offsets from op2_first    op2_halves<n>   n combined lanes
 *   op2_bound      the value that a lane must beat op2_start<n>    the value that lanes start from
 *   op2_record     record of the slice that holds the lanes' rows, op2_side the first lane in it
 *   op2_length     numbers of entries of the rows  op2_turn        number of entries done
 *   op2_columns<n> columns of entries, for view n  op2_sums        sums of rows, and a copy where
 *                  padding lanes have the sum of the last row
 *   op2_left       positions not done              op2_count       elements of this round
 *   op2_again<n>_<s>  op2_map<n>_<s> read again    op2_each        0, 1, 2, ...
 *   op2_row        vectors of one slot             op2_block       dense block of a matrix
 *   op2_early_view<n>, op2_early_own<n>: those of the first of two batches
 *
 * A round is one batch or two. A sum into a global has its strands in op2_arg<n>; the vectors that
 * the next batch adds to come first. The padding lanes of an incomplete round, possibly the whole
 * second batch, repeat the computation of the last element: they store the same values to the same
 * place, and their increments are removed. */

/* Limits on the number of registers that the values of a batch fill. Up to TWOS, two batches may
 * be computed at a time. Beyond HELD most values are in caches and not in registers, which pays if
 * a loop goes through maps or divides; otherwise rows lie in memory as compilers like them, and
 * scalar code is as fast. Vector code with up to STATE has been measured to gain. LINES is the
 * number of additions to a dat that may have a line of text each; compilers take seconds for more.
 * A loop that only streams through rows of at most STREAM_ROW bytes each, and fills at most
 * STREAM_STATE registers, is unrolled to STREAM_BYTES of a dat of doubles. */
enum {
  OP2I_VEC_LANES_MAX = 16,
  OP2I_VEC_TWOS_MAX = 32,
  OP2I_VEC_HELD_MAX = 64,
  OP2I_VEC_STATE_MAX = 1024,
  OP2I_VEC_LINES_MAX = 512,
  OP2I_VEC_STREAM_ROW = 8,
  OP2I_VEC_STREAM_STATE = 8,
  OP2I_VEC_STREAM_BYTES = 128
};

/* A view: a dat at the place where arguments meet it. With a map it has `nslots` slots from `slot`
 * on. */
struct op2i_vec_view {
  int dat, map, slot, nslots; /* map -1: elements' own rows */
  bool loaded, stored;
  int begin, end; /* first and last member that uses it */
};

struct op2i_vec_arg {
  int view;         /* its view, or -1 */
  int first;        /* the vector of the view where it begins */
  bool own;         /* True if it works on a copy that is added to the view or memory. */
  bool accumulates; /* True if the copy is added to memory, element by element. */
  bool varies;      /* True if it differs between lanes. */
};

enum op2i_vec_help {
  OP2I_VEC_ROW,   /* types of a piece of a row */
  OP2I_VEC_GET,   /* vectors from pieces of rows */
  OP2I_VEC_PARTS, /* pieces of rows from vectors */
  OP2I_VEC_PUT,   /* pieces of rows to memory */
  OP2I_VEC_LOAD,  /* vectors from whole rows, one behind the other; the width is a row's */
  OP2I_VEC_STORE, /* whole rows to memory, likewise */
  OP2I_VEC_ADD,   /* add a piece to memory */
  OP2I_VEC_LIMIT, /* set padding lanes to zero */
  OP2I_VEC_KEEP,  /* set padding lanes to other values */
  OP2I_VEC_LOWER, /* minima and maxima of data */
  OP2I_VEC_RAISE,
  OP2I_VEC_LEAST, /* minima and maxima found for a global */
  OP2I_VEC_MOST,
  OP2I_VEC_HELPS
};

struct op2i_vec {
  const struct op2i_emitter *e;
  struct op2i_text *out;
  struct op2i_text *why; /* why the loop cannot be vectorised */
  int lanes;
  int widest; /* bytes of the longest vectors allowed */
  int nviews;
  struct op2i_vec_view *views;                  /* [nargs] capacity */
  struct op2i_vec_arg *args;                    /* [nargs] */
  int state;                                    /* registers that the values of a batch fill */
  const struct op2i_simd_translation **kernels; /* [nmembers] null: an earlier member has it */
  bool numbered;                                /* the text needs op2_element */
  bool pointed;                                 /* the text needs pointers into op2_element */
  bool divides;                                 /* some kernel divides or takes roots */
  int round;                                    /* elements of a round: one batch or two */
  bool streams;                                 /* it only goes through short rows in order */
  bool past;                                    /* the text that is emitted stores past caches */
  uint64_t helped[OP2I_VEC_HELPS];              /* helper functions that the text has */
};

/* An argument of the dat: all its arguments have the same dimension and type. */
static inline const struct op2i_loop_arg *op2i_vec_row(const struct op2i_vec *v, int dat) {
  return &v->e->loop->args[op2i_emit_first_of_dat(v->e, dat)];
}

/* Append the type of a vector with an element in each lane. */
static inline void op2i_vec_add_type(const struct op2i_vec *v, op2_type type) {
  op2i_text_add(v->out, "op2_%sx%d", op2i_type_stem(type), v->lanes);
}

/* vec_loop.c */
void op2i_vec_body(struct op2i_vec *v);
/* True if the body prefetches rows that it needs later. */
bool op2i_vec_prefetches(const struct op2i_vec *v);

/* cgen.c: op2i_generate() for vectors of simd_bytes. */
op2_status op2i_generate_vector(const struct op2i_loop *loop, enum op2i_variant variant,
                                int simd_bytes, struct op2i_text *out, bool *mergeable);

#endif
