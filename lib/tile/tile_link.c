/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood of iterations of the seed loop. Neighbours use the same element through a map of a
 * loop over the same set, or their elements are used together by a loop over another set. One of
 * the maps of a chain is chosen. */

#include "error.h"
#include "mem.h"
#include "tile_chain.h"
#include "tile_seed.h"

enum {
  /* A map is ignored if its elements are used by more iterations than this on average, since that
   * does not indicate locality. */
  SHARED_MAX = 64
};

/* A loop and one of its maps, as a candidate. */
struct candidate {
  int loop;
  bool own;           /* true if its iterations are those of the seed loop */
  const int32_t *idx; /* null: no map was found */
  int32_t arity;
  double worth;
};

static const struct op2i_tile_loop *seed_of(const struct op2i_tile_desc *desc) {
  return &desc->loops[desc->seed];
}

/* True if elements of the dat are iterations of the seed loop. */
static bool is_direct_in_seed(const struct op2i_tile_desc *desc, int32_t dat) {
  const struct op2i_tile_loop *seed = seed_of(desc);
  for (int a = 0; a < seed->naccesses; a++)
    if (seed->accesses[a].dat == dat && !seed->accesses[a].idx) return true;
  return false;
}

/* True if iterations of the loop are those of the seed loop: both access the same dat directly, one
 * element per iteration. */
static bool is_over_seed(const struct op2i_tile_desc *desc, int loop) {
  const struct op2i_tile_loop *l = &desc->loops[loop];
  bool shared = loop == desc->seed;
  for (int a = 0; a < l->naccesses && !shared; a++)
    shared = !l->accesses[a].idx && is_direct_in_seed(desc, l->accesses[a].dat);
  return shared && l->n >= seed_of(desc)->n;
}

static bool is_link(const struct op2i_tile_desc *desc, int loop,
                    const struct op2i_tile_access *access, const int32_t *idx) {
  return access->idx == idx && (is_over_seed(desc, loop) || is_direct_in_seed(desc, access->dat));
}

static bool links_slot(const struct op2i_tile_desc *desc, int loop, const int32_t *idx,
                       int32_t slot) {
  for (int a = 0; a < desc->loops[loop].naccesses; a++) {
    const struct op2i_tile_access *access = &desc->loops[loop].accesses[a];
    if (is_link(desc, loop, access, idx) && (access->slot < 0 || access->slot == slot)) return true;
  }
  return false;
}

/* Links that may cause conflicts count twice: tiles that are compact with respect to them wait for
 * fewer other tiles. */
static double worth_of(const struct op2i_tile_desc *desc, const struct op2i_tile_chain *chain,
                       int loop, const struct op2i_tile_access *access) {
  bool conflicts = false;
  int32_t ncolumns = 0;
  for (int32_t slot = 0; slot < access->arity; slot++)
    ncolumns += links_slot(desc, loop, access->idx, slot);
  for (int a = 0; a < desc->loops[loop].naccesses; a++) {
    const struct op2i_tile_access *other = &desc->loops[loop].accesses[a];
    conflicts |= is_link(desc, loop, other, access->idx) && chain->written[other->dat];
  }
  bool own = is_over_seed(desc, loop);
  double ends = (double)(own ? seed_of(desc) : &desc->loops[loop])->n * ncolumns;
  if (own && ends > (double)SHARED_MAX * (double)desc->dat_size[access->dat]) return 0;
  if (!own && ncolumns < 2) return 0;
  return conflicts ? 2 * ends : ends;
}

/* The number of elements that the loop may reach through the map. */
static int64_t targets_of(const struct op2i_tile_desc *desc, int loop, const int32_t *idx) {
  int64_t most = 0;
  for (int a = 0; a < desc->loops[loop].naccesses; a++) {
    const struct op2i_tile_access *access = &desc->loops[loop].accesses[a];
    if (access->idx == idx && desc->dat_size[access->dat] > most)
      most = desc->dat_size[access->dat];
  }
  return most;
}

static struct candidate choose(const struct op2i_tile_desc *desc,
                               const struct op2i_tile_chain *chain) {
  struct candidate best = {0};
  for (int l = 0; l < desc->nloops; l++)
    for (int a = 0; a < desc->loops[l].naccesses; a++) {
      const struct op2i_tile_access *access = &desc->loops[l].accesses[a];
      if (!access->idx || !is_link(desc, l, access, access->idx)) continue;
      double worth = worth_of(desc, chain, l, access);
      if (worth <= best.worth) continue;
      best = (struct candidate){.loop = l,
                                .own = is_over_seed(desc, l),
                                .idx = access->idx,
                                .arity = access->arity,
                                .worth = worth};
    }
  return best;
}

/* List for each of `ntargets` targets the rows that name it; a row that names it twice is listed
 * twice. Targets beyond `ntargets` are left out. */
static op2_status transpose(const struct op2i_tile_rows *rows, int64_t nrows, int64_t ntargets,
                            struct op2i_tile_links *links) {
  links->offs = op2i_alloc_data((size_t)(ntargets + 2) * sizeof *links->offs);
  if (!links->offs) return op2i_error_nomem("neighbours of iterations");
  int64_t *at = links->offs;
  for (int64_t r = 0; r < nrows; r++)
    for (int32_t k = 0; k < rows->ncolumns; k++) {
      int64_t target = op2i_tile_row_item(rows, r, k);
      if (target < ntargets) at[target + 2]++;
    }
  for (int64_t t = 0; t < ntargets; t++) at[t + 2] += at[t + 1];
  links->items = op2i_alloc_data((size_t)at[ntargets + 1] * sizeof *links->items);
  if (!links->items) return op2i_error_nomem("neighbours of iterations");
  for (int64_t r = 0; r < nrows; r++)
    for (int32_t k = 0; k < rows->ncolumns; k++) {
      int64_t target = op2i_tile_row_item(rows, r, k);
      if (target < ntargets) links->items[at[target + 1]++] = (int32_t)r;
    }
  return OP2_SUCCESS;
}

op2_status op2i_tile_links_open(const struct op2i_tile_desc *desc,
                                const struct op2i_tile_chain *chain,
                                struct op2i_tile_links *links) {
  *links = (struct op2i_tile_links){.nvertices = seed_of(desc)->n};
  struct candidate found = choose(desc, chain);
  if (!found.idx) return OP2_SUCCESS;
  links->columns = op2i_malloc((size_t)found.arity * sizeof *links->columns);
  if (!links->columns) return op2i_error_nomem("neighbours of iterations");
  struct op2i_tile_rows map = {.items = found.idx, .arity = found.arity, .columns = links->columns};
  for (int32_t slot = 0; slot < found.arity; slot++)
    if (links_slot(desc, found.loop, found.idx, slot)) links->columns[map.ncolumns++] = slot;
  int64_t nrows = found.own ? links->nvertices : desc->loops[found.loop].n;
  int64_t ntargets = found.own ? targets_of(desc, found.loop, found.idx) : links->nvertices;
  op2_status status = transpose(&map, nrows, ntargets, links);
  if (status != OP2_SUCCESS) {
    op2i_tile_links_close(links);
    return status;
  }
  struct op2i_tile_rows back = {.offs = links->offs, .items = links->items};
  links->nlinks = found.own ? ntargets : nrows;
  links->of_vertex = found.own ? map : back;
  links->of_link = found.own ? back : map;
  return OP2_SUCCESS;
}

void op2i_tile_links_close(struct op2i_tile_links *links) {
  op2i_free_data(links->offs);
  op2i_free_data(links->items);
  op2i_free(links->columns);
  links->offs = NULL;
  links->items = links->columns = NULL;
}
