/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain of loops, reduced to the accesses that determine its conflicts. Most dats of a chain are
 * covered by another one: all conflicts over them are also conflicts over that dat. Tracking the
 * covering dats is enough, and makes the inspector several times faster. */

#include <stdlib.h>

#include "error.h"
#include "mem.h"
#include "tile_chain.h"

/* ---- columns ---- */

static int32_t slot_count(const struct op2i_tile_access *access) {
  return access->slot < 0 ? access->arity : 1;
}

/* A map is identified by the number of the first access through it, counted over the chain. */
static int32_t map_number(const struct op2i_tile_desc *desc, const int32_t *idx) {
  int32_t number = 0;
  for (int l = 0; idx && l < desc->nloops; l++)
    for (int a = 0; a < desc->loops[l].naccesses; a++) {
      number++;
      if (desc->loops[l].accesses[a].idx == idx) return number;
    }
  return 0;
}

static int by_place(const void *a, const void *b) {
  const struct op2i_tile_column *x = a, *y = b;
  if (x->dat != y->dat) return x->dat < y->dat ? -1 : 1;
  if (x->map != y->map) return x->map < y->map ? -1 : 1;
  return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Merge accesses to a dat through the same slot. If their modes differ, iterations keep their
 * order. */
static int32_t merge_columns(struct op2i_tile_column *columns, int32_t count) {
  int32_t merged = 0;
  for (int32_t c = 0; c < count; c++) {
    struct op2i_tile_column *last = merged ? &columns[merged - 1] : NULL;
    if (!last || by_place(last, &columns[c]) != 0)
      columns[merged++] = columns[c];
    else if (last->mode != columns[c].mode)
      last->mode = OP2I_TILE_RW;
  }
  return merged;
}

static int32_t read_columns(const struct op2i_tile_desc *desc, int loop, const bool *written,
                            struct op2i_tile_column *columns) {
  int32_t count = 0;
  for (int a = 0; a < desc->loops[loop].naccesses; a++) {
    const struct op2i_tile_access *access = &desc->loops[loop].accesses[a];
    if (!written[access->dat]) continue;
    bool all = access->idx && access->slot < 0;
    int32_t slots = access->idx ? slot_count(access) : 1, map = map_number(desc, access->idx);
    for (int32_t s = 0; s < slots; s++)
      columns[count++] = (struct op2i_tile_column){
          .dat = access->dat,
          .map = map,
          .idx = access->idx,
          .arity = access->idx ? access->arity : 1,
          .slot = all           ? s
                  : access->idx ? access->slot
                                : 0,
          .mode = access->mode == OP2I_TILE_WRITE ? OP2I_TILE_RW : access->mode,
          .injective = access->injective};
  }
  qsort(columns, (size_t)count, sizeof *columns, by_place);
  return merge_columns(columns, count);
}

/* ---- uses ---- */

static struct op2i_tile_use make_use(struct op2i_tile_column *columns, int32_t count) {
  struct op2i_tile_use use = {.dat = columns->dat, .ncolumns = count, .columns = columns};
  use.direct = count == 1 && !columns->idx;
  use.injective = true;
  for (int32_t c = 0; c < count; c++) {
    use.writes |= columns[c].mode != OP2I_TILE_READ;
    use.injective &= columns[c].injective;
  }
  /* In a dat that is accessed directly, each iteration has an element of its own. */
  if (use.direct && use.writes) columns->mode = OP2I_TILE_RW;
  return use;
}

static bool keeps_order(const struct op2i_tile_use *use) {
  if (use->direct || use->injective) return false;
  for (int32_t c = 0; c < use->ncolumns; c++)
    if (use->columns[c].mode == OP2I_TILE_RW || use->columns[c].mode != use->columns[0].mode)
      return true;
  return false;
}

static const struct op2i_tile_use *find_use(const struct op2i_tile_step *step, int32_t dat) {
  for (int32_t u = 0; u < step->nuses; u++)
    if (step->uses[u].dat == dat) return &step->uses[u];
  return NULL;
}

static const struct op2i_tile_column *find_column(const struct op2i_tile_use *use,
                                                  const struct op2i_tile_column *like) {
  for (int32_t c = 0; c < use->ncolumns; c++)
    if (use->columns[c].map == like->map && use->columns[c].slot == like->slot)
      return &use->columns[c];
  return NULL;
}

/* True if iterations that conflict over `inner`, within the loop or with other loops, also conflict
 * over `outer`, and keep their order there if they have to here. */
static bool use_covers(const struct op2i_tile_use *outer, const struct op2i_tile_use *inner) {
  for (int32_t c = 0; c < inner->ncolumns; c++) {
    const struct op2i_tile_column *column = find_column(outer, &inner->columns[c]);
    if (!column) return false;
    if (inner->writes && column->mode != inner->columns[c].mode && column->mode != OP2I_TILE_RW)
      return false;
  }
  return true;
}

static bool dat_covers(const struct op2i_tile_chain *chain, int32_t outer, int32_t inner) {
  for (int l = 0; l < chain->nloops; l++) {
    const struct op2i_tile_use *in = find_use(&chain->loops[l], inner);
    if (!in) continue;
    const struct op2i_tile_use *out = find_use(&chain->loops[l], outer);
    if (!out || !use_covers(out, in)) return false;
  }
  return true;
}

/* Covering is transitive, so a dat that is covered by a dropped one is also covered by one that is
 * kept. */
static void find_covered(struct op2i_tile_chain *chain) {
  for (int32_t d = 0; d < chain->ndats; d++) chain->kept[d] = chain->written[d];
  for (int32_t d = 0; d < chain->ndats; d++)
    for (int32_t other = 0; other < chain->ndats && chain->kept[d]; other++)
      if (other != d && chain->kept[other] && dat_covers(chain, other, d)) chain->kept[d] = false;
}

static bool same_columns(const struct op2i_tile_use *a, const struct op2i_tile_use *b) {
  if (a->ncolumns != b->ncolumns) return false;
  for (int32_t c = 0; c < a->ncolumns; c++)
    if (a->columns[c].map != b->columns[c].map || a->columns[c].slot != b->columns[c].slot)
      return false;
  return true;
}

static void finish_step(const struct op2i_tile_chain *chain, struct op2i_tile_step *step) {
  int32_t nkept = 0;
  for (int32_t u = 0; u < step->nuses; u++)
    if (chain->kept[step->uses[u].dat]) step->uses[nkept++] = step->uses[u];
  step->nuses = nkept;
  for (int32_t u = 0; u < nkept; u++) {
    step->uses[u].group = -1;
    for (int32_t before = 0; before < u && step->uses[u].group < 0; before++)
      if (same_columns(&step->uses[before], &step->uses[u]))
        step->uses[u].group = step->uses[before].group;
    if (step->uses[u].group < 0) step->uses[u].group = step->ngroups++;
    step->ordered |= keeps_order(&step->uses[u]);
  }
}

static void read_step(const struct op2i_tile_desc *desc, int loop, struct op2i_tile_chain *chain,
                      struct op2i_tile_use **uses, struct op2i_tile_column **columns) {
  int32_t count = read_columns(desc, loop, chain->written, *columns);
  struct op2i_tile_step *step = &chain->loops[loop];
  *step = (struct op2i_tile_step){.n = desc->loops[loop].n, .uses = *uses};
  if (step->n == 0) return;
  for (int32_t c = 0, first = 0; c < count; c++) {
    if (c + 1 < count && (*columns)[c + 1].dat == (*columns)[c].dat) continue;
    step->uses[step->nuses++] = make_use(*columns + first, c + 1 - first);
    first = c + 1;
  }
  *uses += step->nuses;
  *columns += count;
}

op2_status op2i_tile_chain_open(const struct op2i_tile_desc *desc, struct op2i_tile_chain *chain) {
  int64_t naccesses = 0, ncolumns = 0;
  for (int l = 0; l < desc->nloops; l++)
    for (int a = 0; a < desc->loops[l].naccesses; a++, naccesses++)
      ncolumns += slot_count(&desc->loops[l].accesses[a]);
  *chain = (struct op2i_tile_chain){.nloops = desc->nloops, .ndats = desc->ndats};
  chain->loops = op2i_calloc((size_t)desc->nloops, sizeof *chain->loops);
  chain->uses = op2i_malloc((size_t)naccesses * sizeof *chain->uses);
  chain->columns = op2i_malloc((size_t)ncolumns * sizeof *chain->columns);
  chain->written = op2i_calloc((size_t)desc->ndats, sizeof *chain->written);
  chain->kept = op2i_calloc((size_t)desc->ndats, sizeof *chain->kept);
  if (!chain->loops || !chain->uses || !chain->columns || !chain->written || !chain->kept) {
    op2i_tile_chain_close(chain);
    return op2i_error_nomem("the accesses of a chain");
  }
  for (int l = 0; l < desc->nloops; l++)
    for (int a = 0; a < desc->loops[l].naccesses; a++)
      if (desc->loops[l].accesses[a].mode != OP2I_TILE_READ && desc->loops[l].n > 0)
        chain->written[desc->loops[l].accesses[a].dat] = true;
  struct op2i_tile_use *uses = chain->uses;
  struct op2i_tile_column *columns = chain->columns;
  for (int l = 0; l < desc->nloops; l++) read_step(desc, l, chain, &uses, &columns);
  find_covered(chain);
  for (int l = 0; l < desc->nloops; l++) finish_step(chain, &chain->loops[l]);
  return OP2_SUCCESS;
}

void op2i_tile_chain_close(struct op2i_tile_chain *chain) {
  op2i_free(chain->loops);
  op2i_free(chain->uses);
  op2i_free(chain->columns);
  op2i_free(chain->written);
  op2i_free(chain->kept);
  *chain = (struct op2i_tile_chain){0};
}
