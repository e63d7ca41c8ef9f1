/* SPDX-License-Identifier: BSD-3-Clause */
/* Random chains of loops in tiles: every plan passes the verifier, is made the same way twice, and
 * gives the values of the plain chain and of its prefixes, whichever tiles run at the same time. */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tile_case.h"

struct seen {
  int one_tile, many_tiles, long_path, short_path, spans, ids, late_seed, empty_loop, wide, prefix;
  int ordered;
};

static bool is_ordered(const struct op2i_tile_loop *loop) {
  for (int a = 0; a < loop->naccesses; a++)
    if (loop->accesses[a].idx &&
        (loop->accesses[a].mode == OP2I_TILE_RW || loop->accesses[a].mode == OP2I_TILE_WRITE))
      return loop->n > 1;
  return false;
}

static void note(struct seen *seen, const struct op2i_tile_plan *plan,
                 const struct op2i_tile_desc *desc, int prefix) {
  seen->one_tile += plan->ntiles == 1;
  seen->many_tiles += plan->ntiles > 10;
  seen->long_path += plan->critical_path > 10;
  seen->short_path += plan->ntiles > 3 * plan->critical_path;
  seen->spans += plan->nspans > 10;
  seen->ids += plan->nids > 100;
  seen->late_seed += desc->seed > 1 && plan->ntiles > 1;
  seen->prefix += prefix < desc->nloops;
  for (int l = 0; l < desc->nloops; l++) {
    seen->empty_loop += desc->loops[l].n == 0;
    seen->ordered += is_ordered(&desc->loops[l]) && plan->ntiles > 1;
    for (int a = 0; a < desc->loops[l].naccesses; a++)
      seen->wide += desc->loops[l].accesses[a].arity > 8 && desc->loops[l].accesses[a].slot < 0;
  }
}

static bool values_right(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc,
                         int nloops, uint64_t seed) {
  uint64_t **plain = tile_case_values(desc), **tiled = tile_case_values(desc);
  tile_case_run(desc, nloops, plain);
  bool right = tile_case_run_tiles(plan, desc, nloops, seed, tiled);
  for (int d = 0; d < desc->ndats; d++)
    right &= memcmp(plain[d], tiled[d], (size_t)desc->dat_size[d] * sizeof **plain) == 0;
  tile_case_values_free(desc, plain);
  tile_case_values_free(desc, tiled);
  return right;
}

static void try_seed(uint64_t seed, struct seen *seen, int *broken, int *differing, int *wrong) {
  struct tile_case c;
  struct op2i_tile_plan *plan = NULL, *again = NULL;
  tile_case_random(&c, seed);
  op2_status made = op2i_tile_create(&c.desc, &plan);
  if (made == OP2_SUCCESS) made = op2i_tile_create(&c.desc, &again);
  if (made != OP2_SUCCESS || op2i_tile_verify(plan, &c.desc) != OP2_SUCCESS) {
    diag("seed %llu: %s", (unsigned long long)seed, op2_error_message());
    ++*broken;
  } else {
    int prefix = 1 + (int)(seed % (uint64_t)c.desc.nloops);
    const char *difference = tile_case_difference(plan, again);
    if (difference) diag("seed %llu: %s differs", (unsigned long long)seed, difference);
    *differing += difference != NULL;
    if (!values_right(plan, &c.desc, c.desc.nloops, seed) ||
        !values_right(plan, &c.desc, prefix, seed + 1)) {
      diag("seed %llu: values differ from the plain chain's", (unsigned long long)seed);
      ++*wrong;
    }
    note(seen, plan, &c.desc, prefix);
  }
  op2i_tile_free(plan);
  op2i_tile_free(again);
  tile_case_free(&c);
}

int main(void) {
  int cases = quick() ? 2000 : 20000, broken = 0, differing = 0, wrong = 0, few = cases / 100;
  struct seen seen = {0};
  for (int i = 0; i < cases; i++) try_seed((uint64_t)i, &seen, &broken, &differing, &wrong);
  is_int(broken, 0, "%d random plans pass the verifier", cases);
  is_int(differing, 0, "each is the same when made again");
  is_int(wrong, 0, "the values are those of the plain chain and of a prefix of it");
  ok(seen.one_tile > few, "plans of one tile were among them (%d)", seen.one_tile);
  ok(seen.many_tiles > few, "so were more than ten tiles (%d)", seen.many_tiles);
  ok(seen.long_path > few, "long chains of tiles (%d)", seen.long_path);
  ok(seen.short_path > few, "short chains of many tiles (%d)", seen.short_path);
  ok(seen.spans > few, "ten spans (%d)", seen.spans);
  ok(seen.ids > few, "a hundred ids (%d)", seen.ids);
  ok(seen.late_seed > few, "seeds with two loops before them (%d)", seen.late_seed);
  ok(seen.ordered > few, "loops that keep their order (%d)", seen.ordered);
  ok(seen.empty_loop > few, "empty loops (%d)", seen.empty_loop);
  ok(seen.wide > few, "all slots of wide maps (%d)", seen.wide);
  ok(seen.prefix > few, "prefixes (%d)", seen.prefix);
  return done();
}
