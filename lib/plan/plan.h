/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PLAN_H
#define OP2I_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

/* An execution plan splits a range of positions into contiguous blocks of equal size and colours
 * the blocks so that blocks of one colour share no element modified through a map. For devices it
 * also stages indirect data and colours the elements of each block. It depends on nothing but its
 * description; in particular not on the number of workers. */

/* One indirect dat argument. Arguments with equal `dat` touch the same data. */
struct op2i_plan_arg {
  int32_t dat;        /* canonical number of the dat in the loop, from 0 */
  int32_t map;        /* canonical number of the map in the loop, from 0 */
  const int32_t *idx; /* the map's values [..][arity] */
  int32_t arity;      /* arity of the map */
  int32_t slot;       /* one slot, or -1 for all of them */
  op2_access access;
  bool injective;   /* no two positions reach the same element of this dat through any argument */
  bool same_values; /* all positions write the same values through all arguments of this dat */
  int64_t target_size; /* total size of the map's to-set */
  int32_t row_bytes;   /* bytes of one element of the dat, for the staging size */
};

enum op2i_plan_parts {
  OP2I_PLAN_STAGE = 1,   /* ind_* and loc_map */
  OP2I_PLAN_ELEMENTS = 2 /* nthrcol and thrcol */
};

struct op2i_plan_desc {
  int64_t lo, hi;        /* positions */
  const int64_t *subset; /* element of a position, or null: the position itself */
  int32_t block_size;    /* >= 1 */
  /* conflicting blocks and elements keep their order: later ones have higher colours */
  bool ordered;
  int nargs;
  const struct op2i_plan_arg *args;
  unsigned parts;
};

/* Staging of one unique (dat, map) pair: each block has one list for all slots that arguments of
 * the loop use. */
struct op2i_plan_stage {
  int32_t dat, map;
  int32_t row_bytes;
  int32_t *ind_map;   /* [ind_total]: sorted unique global indices, block after block */
  int64_t *ind_offs;  /* [nblocks]: start of each block in ind_map */
  int32_t *ind_sizes; /* [nblocks] */
  int64_t ind_total;
};

struct op2i_plan {
  int64_t lo, hi;
  int32_t block_size, nblocks;
  bool ordered, conflicts; /* conflicts: some argument needed colouring */
  int32_t ncolors;         /* block colours; 1 without conflicts, 0 for an empty range */
  int32_t *color;          /* [nblocks] */
  int32_t *color_offs;     /* [ncolors + 1] into blkmap */
  int32_t *blkmap;         /* [nblocks]: blocks sorted by colour, ascending within one */

  unsigned parts;
  int nstages;
  struct op2i_plan_stage *stages;
  int32_t *arg_stage; /* [nargs]: stage of each argument */
  int nloc;           /* distinct (stage, slot) columns */
  /* [nargs]: first column of each argument; one over all slots has `arity` columns */
  int32_t *arg_loc;
  bool loc_wide; /* true if local indices need 32 bits */
  uint16_t *
      *loc_map16; /* [nloc][hi - lo]: position in the block's part of ind_map; null if loc_wide */
  int32_t **loc_map32;  /* [nloc][hi - lo]: the same; null unless loc_wide */
  int64_t shared_bytes; /* largest staging area of a block; each stage aligned to 16 bytes */

  int32_t *nthrcol; /* [nblocks] */
  int32_t *thrcol;  /* [hi - lo]: colour of each element in its block */
};

/* Time and memory are linear in the number of positions times arguments plus, once, the target
 * sizes. */
op2_status op2i_plan_create(const struct op2i_plan_desc *desc, struct op2i_plan **plan);
void op2i_plan_free(struct op2i_plan *plan);
int64_t op2i_plan_block_lo(const struct op2i_plan *plan, int32_t block);
int64_t op2i_plan_block_hi(const struct op2i_plan *plan, int32_t block);

/* Check every invariant from the definition, independently of how the plan was made. OP2_SUCCESS,
 * or OP2_ERR_STATE with what is broken and where in the message. */
op2_status op2i_plan_verify(const struct op2i_plan *plan, const struct op2i_plan_desc *desc);

#endif
