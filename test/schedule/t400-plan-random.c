/* SPDX-License-Identifier: BSD-3-Clause */
/* Random plans: every one passes the verifier, has exactly the colours of the definition, and is
 * made the same way twice. */
#include <stdlib.h>
#include <string.h>

#include "plan_case.h"
#include "tap.h"

struct seen {
  int empty, ordered, subset, staged, elements, several_colours, no_conflict, several_stages;
};

static void note(struct seen *seen, const struct op2i_plan *plan,
                 const struct op2i_plan_desc *desc) {
  seen->empty += plan->nblocks == 0;
  seen->ordered += plan->ordered && plan->ncolors > 2;
  seen->subset += desc->subset != NULL;
  seen->staged += plan->nloc > 2;
  seen->elements += plan->nthrcol && plan->nblocks && plan->nthrcol[0] > 3;
  seen->several_colours += plan->ncolors > 3;
  seen->no_conflict += !plan->conflicts;
  seen->several_stages += plan->nstages > 2;
}

static bool block_colours_right(const struct op2i_plan *plan, const struct op2i_plan_desc *desc) {
  int32_t *color = malloc(((size_t)plan->nblocks + 1) * sizeof *color), ncolors;
  plan_case_colours(desc, desc->lo, desc->hi, desc->block_size, color, &ncolors);
  bool right = ncolors == plan->ncolors &&
               memcmp(color, plan->color, (size_t)plan->nblocks * sizeof *color) == 0;
  free(color);
  return right;
}

static bool element_colours_right(const struct op2i_plan *plan, const struct op2i_plan_desc *desc) {
  bool right = true;
  for (int32_t b = 0; b < plan->nblocks && plan->thrcol; b++) {
    int64_t lo = op2i_plan_block_lo(plan, b), hi = op2i_plan_block_hi(plan, b);
    int32_t *color = malloc((size_t)(hi - lo + 1) * sizeof *color), ncolors;
    plan_case_colours(desc, lo, hi, 1, color, &ncolors);
    right &= ncolors == plan->nthrcol[b] &&
             memcmp(color, plan->thrcol + (lo - plan->lo), (size_t)(hi - lo) * sizeof *color) == 0;
    free(color);
  }
  return right;
}

static void try_seed(uint64_t seed, struct seen *seen, int *broken, int *colours_wrong,
                     int *differing) {
  struct plan_case c;
  struct op2i_plan *plan = NULL, *again = NULL;
  plan_case_random(&c, seed);
  op2_status made = op2i_plan_create(&c.desc, &plan);
  if (made == OP2_SUCCESS) made = op2i_plan_create(&c.desc, &again);
  if (made != OP2_SUCCESS || op2i_plan_verify(plan, &c.desc) != OP2_SUCCESS) {
    diag("seed %llu: %s", (unsigned long long)seed, op2_error_message());
    ++*broken;
  } else {
    const char *difference = plan_case_difference(plan, again, c.desc.nargs);
    if (difference) diag("seed %llu: %s differs", (unsigned long long)seed, difference);
    *differing += difference != NULL;
    if (!block_colours_right(plan, &c.desc) || !element_colours_right(plan, &c.desc)) {
      diag("seed %llu: colours are not those of the definition", (unsigned long long)seed);
      ++*colours_wrong;
    }
    note(seen, plan, &c.desc);
  }
  op2i_plan_free(plan);
  op2i_plan_free(again);
  plan_case_free(&c);
}

int main(void) {
  int cases = quick() ? 500 : 4000, broken = 0, colours_wrong = 0, differing = 0;
  struct seen seen = {0};
  for (int i = 0; i < cases; i++) try_seed((uint64_t)i, &seen, &broken, &colours_wrong, &differing);
  is_int(broken, 0, "%d random plans pass the verifier", cases);
  is_int(colours_wrong, 0, "their block and element colours are those of the definition");
  is_int(differing, 0, "each is the same when made again");
  int few = cases / 100;
  ok(seen.empty > few, "empty ranges were among them (%d)", seen.empty);
  ok(seen.ordered > few, "so were ordered plans with three colours (%d)", seen.ordered);
  ok(seen.subset > few, "subsets (%d)", seen.subset);
  ok(seen.staged > few, "staging with three columns (%d)", seen.staged);
  ok(seen.several_stages > few, "staging with three stages (%d)", seen.several_stages);
  ok(seen.elements > few, "blocks with four element colours (%d)", seen.elements);
  ok(seen.several_colours > few, "four block colours (%d)", seen.several_colours);
  ok(seen.no_conflict > few, "loops without conflicts (%d)", seen.no_conflict);
  return done();
}
