/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_ARG_H
#define OP2I_LOOP_ARG_H

/* An argument of a loop, and its properties. */

#include "access.h"
#include "op2/loop.h"

/* The slot that stands for each entry of a matrix's row in turn. */
enum { OP2I_EACH = -2 };

enum op2i_arg_kind {
  OP2I_ARG_DIRECT = 1, /* dat, no map */
  OP2I_ARG_SLOT,       /* dat through one slot */
  OP2I_ARG_ALL,        /* dat through all slots, array of pointers */
  OP2I_ARG_ITER,       /* dat through all slots, private buffer */
  /* A dat through the entries of a matrix's row in turn: the kernel is called for each; READ. */
  OP2I_ARG_ROW_ENTRIES,
  OP2I_ARG_GBL,    /* global: read, reduced into, or located beside a reduction (RW) */
  OP2I_ARG_VAL,    /* captured values */
  OP2I_ARG_OPAQUE, /* a pointer of the program's, captured as a number of 64 bits */
  OP2I_ARG_ABSENT, /* nothing: the kernel gets a null pointer */
  OP2I_ARG_WORK,   /* values of the call's own, neither set before nor kept */
  OP2I_ARG_IDX     /* element numbers: the element's own, or through a map's slot or all of them */
};

/* One argument, validated and resolved. Indices refer to the tables of the loop. */
struct op2i_loop_arg {
  enum op2i_arg_kind kind;
  op2_access access;
  op2_type type;
  int32_t dim;
  int32_t slot;  /* SLOT, IDX: the slot; ITER: the index space; else -1 */
  int32_t arity; /* slots the kernel sees: 1, or the map's arity for ALL, ITER and IDX of all */
  int32_t dat;   /* index into dats, or -1 */
  int32_t map;   /* index into maps, or -1 */
  int32_t gbl;   /* index into gbls, or -1 */
  /* For a dat that is modified in a way that depends on order: true if no two elements meet in it,
   * since all accesses go through slots of one map that is injective there. */
  bool injective;
  /* The same, where elements meet: true if all elements overwrite all that they reach of the dat with
   * the same values, so that their order does not matter. */
  bool same_values;
  int32_t
      offset; /* VAL, OPAQUE: bytes into the payload; reduced GBL: into a block's partial results */
  int32_t first; /* EACH: index into maps of the row table; else 0 */
  /* WRITE of values to which the kernel adds: its copy starts at zero. Beside EACH this is an
   * element's own row, and all calls of the kernel for the element add to one copy. */
  bool row_sum;
  /* For a matrix: the number of slots side by side in the kernel's dense block, and the number of
   * columns of a component; else 0. */
  int32_t columns, column_dim;
  /* For op2_arg_info(): the argument whose winning element gives the values; else 0. */
  int32_t info_of;
  int32_t found_at; /* that argument: bytes into the partial results of its op2i_found; else 0 */
  /* For a component of a dat, the kernel gets `part` values of a row of dim values, from part_first
   * on. Everything else moves whole rows. 0: it gets all of them. */
  int32_t part_first, part;
};

/* Kept beside the value of a MIN or MAX that op2_arg_info() arguments refer to. */
struct op2i_found {
  int64_t number; /* the user's number of the element with the value; OP2I_NOBODY: none yet */
  unsigned char start[8]; /* the global's value before the loop */
};
enum { OP2I_NOBODY = -1 };

/* While a block runs, a sum into a global is kept in this many strands: position i of the block is
 * added to strand i modulo their number, and in the end neighbours are added, then pairs of those,
 * and so on. Vectors of 64 bytes hold all strands; shorter ones alternate, and scalar code does the
 * same, so that no bit depends on the form of the code. 1: the order of additions does not
 * matter. */
enum { OP2I_STRANDS_MAX = 16 };
static inline int op2i_arg_strands(const struct op2i_loop_arg *arg) {
  if (arg->kind != OP2I_ARG_GBL || !op2i_sums(arg->access)) return 1;
  return arg->type == OP2_F64 ? 8 : arg->type == OP2_F32 ? OP2I_STRANDS_MAX : 1;
}

/* True if the kernel's private buffer has some values of each row only, slot by slot. */
static inline bool op2i_arg_packs_part(const struct op2i_loop_arg *arg) {
  return arg->part && arg->kind == OP2I_ARG_ITER;
}
/* The values of a row that its private copy has, and the first of them. */
static inline int op2i_arg_copied(const struct op2i_loop_arg *arg) {
  return (int)(op2i_arg_packs_part(arg) ? arg->part : arg->dim);
}
static inline int op2i_arg_copied_first(const struct op2i_loop_arg *arg) {
  return op2i_arg_packs_part(arg) ? (int)arg->part_first : 0;
}
/* The value of a row, or of a copy of it, at which the kernel's pointer begins. */
static inline int op2i_arg_shift(const struct op2i_loop_arg *arg) {
  return op2i_arg_packs_part(arg) ? 0 : (int)arg->part_first;
}
/* The position of a component of a slot in the kernel's private buffer. */
static inline int op2i_arg_place(const struct op2i_loop_arg *arg, int slot, int component) {
  if (op2i_arg_packs_part(arg)) return slot * (int)arg->part + component - (int)arg->part_first;
  if (!arg->columns) return slot * (int)arg->dim + component;
  int row = slot / (int)arg->columns * (int)(arg->dim / arg->column_dim) +
            component / (int)arg->column_dim;
  int column = slot % (int)arg->columns * (int)arg->column_dim + component % (int)arg->column_dim;
  return row * (int)(arg->columns * arg->column_dim) + column;
}
/* True if that buffer is ordered slot by slot, and component by component. */
static inline bool op2i_arg_in_order(const struct op2i_loop_arg *arg) {
  return !arg->columns || arg->dim == 1;
}

/* True if the argument's values are captured when the loop is queued. */
static inline bool op2i_arg_captured(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_VAL || arg->kind == OP2I_ARG_OPAQUE;
}
static inline bool op2i_arg_is_dat(const struct op2i_loop_arg *arg) { return arg->dat >= 0; }
static inline bool op2i_arg_through_map(const struct op2i_loop_arg *arg) { return arg->map >= 0; }
/* True for a reduction into a global, which has values in a block's partial results. */
static inline bool op2i_arg_reduces(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_GBL && op2i_modifies(arg->access);
}
/* True if the values are those of the element that wins in another argument. */
static inline bool op2i_arg_informs(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_GBL && arg->access == OP2_RW;
}
/* True for a MIN or MAX with such arguments, for which it matters which element wins. */
static inline bool op2i_arg_located(const struct op2i_loop_arg *arg) { return arg->found_at > 0; }
/* True for a minimum or maximum of a global of which only the value matters. For each element the
 * kernel begins with a copy of the value that the global had before the loop, and its result is
 * combined with those of other elements. So what a kernel finds for one element never reaches
 * another one, and a NaN, which gives way to every number, loses nothing. */
static inline bool op2i_arg_bounds(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_GBL && op2i_bounds(arg->access) && !op2i_arg_located(arg);
}
/* True if the global's value is needed: it is read, a minimum or maximum starts from it, or it
 * stays if no element wins. */
static inline bool op2i_arg_reads_global(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_GBL && !op2i_sums(arg->access);
}
/* True if the kernel works on a copy, not in the dat. */
static inline bool op2i_arg_private(const struct op2i_loop_arg *arg) {
  return arg->dat >= 0 &&
         (arg->kind == OP2I_ARG_ITER || arg->row_sum || op2i_accumulates(arg->access));
}

#endif
