/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of tiles that cannot be made: every allocation fails in turn, and invalid descriptions. */
#include <string.h>

#include "mem.h"
#include "tap.h"
#include "tile_case.h"

/* Let the first, second, ... allocation fail until the call needs no more. Returns the number of
 * failures that were handled cleanly. */
static int64_t starve_create(const struct op2i_tile_desc *desc, int *wrong) {
  struct op2i_tile_plan *const untouched = (struct op2i_tile_plan *)desc;
  for (int64_t n = 1;; n++) {
    struct op2i_tile_plan *plan = untouched;
    op2i_mem_fail_at(n);
    op2_status status = op2i_tile_create(desc, &plan);
    int64_t made = op2i_mem_fail_at(0);
    if (status == OP2_SUCCESS) {
      *wrong += made >= n || op2i_tile_verify(plan, desc) != OP2_SUCCESS;
      op2i_tile_free(plan);
      return n - 1;
    }
    *wrong +=
        status != OP2_ERR_NOMEM || plan != untouched || !strstr(op2_error_message(), "memory");
  }
}

static int64_t starve_verify(const struct op2i_tile_desc *desc, int *wrong) {
  struct op2i_tile_plan *plan = NULL;
  *wrong += op2i_tile_create(desc, &plan) != OP2_SUCCESS;
  int64_t n = 1;
  for (op2_status status = OP2_ERR_NOMEM; status == OP2_ERR_NOMEM; n++) {
    op2i_mem_fail_at(n);
    status = op2i_tile_verify(plan, desc);
    op2i_mem_fail_at(0);
    *wrong += status != OP2_SUCCESS && status != OP2_ERR_NOMEM;
  }
  op2i_tile_free(plan);
  return n - 2;
}

static void starve(void) {
  int wrong = 0, cases = quick() ? 100 : 600;
  int64_t create = 0, verify = 0;
  for (int i = 0; i < cases; i++) {
    struct tile_case c;
    tile_case_random(&c, (uint64_t)i);
    create += starve_create(&c.desc, &wrong);
    verify += starve_verify(&c.desc, &wrong);
    tile_case_free(&c);
  }
  is_int(wrong, 0, "out of memory is said and leaves the output alone");
  ok(create > 20 * cases, "%d plans, %lld allocations failed", cases, (long long)create);
  ok(verify > 4 * cases, "and %lld of the verifier", (long long)verify);
}

static void descriptions(void) {
  static const int32_t idx[2] = {0, 0};
  struct op2i_tile_plan *plan = NULL;
  struct op2i_tile_access access = {0, idx, 1, 0, OP2I_TILE_INC, false};
  struct op2i_tile_loop loop = {2, 1, &access};
  int64_t size = 1;
  const struct op2i_tile_desc good = {
      .nloops = 1, .loops = &loop, .ndats = 1, .dat_size = &size, .tile_size = 1};
  struct op2i_tile_desc desc = good;
  desc.nloops = 0;
  FAILS(op2i_tile_create(&desc, &plan), OP2_ERR_ARG);
  desc = good;
  desc.seed = 1;
  FAILS(op2i_tile_create(&desc, &plan), OP2_ERR_ARG);
  desc = good;
  desc.tile_size = 0;
  FAILS(op2i_tile_create(&desc, &plan), OP2_ERR_ARG);
  access.dat = 1;
  FAILS(op2i_tile_create(&good, &plan), OP2_ERR_ARG);
  access = (struct op2i_tile_access){0, idx, 1, 1, OP2I_TILE_INC, false};
  FAILS(op2i_tile_create(&good, &plan), OP2_ERR_ARG);
  access = (struct op2i_tile_access){0, idx, 1, 0, (enum op2i_tile_mode)0, false};
  FAILS(op2i_tile_create(&good, &plan), OP2_ERR_ARG);
  access = (struct op2i_tile_access){0, NULL, 1, 0, OP2I_TILE_INC, false};
  FAILS(op2i_tile_create(&good, &plan), OP2_ERR_ARG);
  ok(strstr(op2_error_message(), "2 iterations") && strstr(op2_error_message(), "only 1 elements"),
     "the message has both numbers");
  access.idx = idx;
  loop.n = (int64_t)INT32_MAX + 1;
  FAILS(op2i_tile_create(&good, &plan), OP2_ERR_RANGE);
  ok(strstr(op2_error_message(), "2147483648") != NULL, "the message has the iterations");
  loop.n = 2;
  size = (int64_t)INT32_MAX + 1;
  FAILS(op2i_tile_create(&good, &plan), OP2_ERR_RANGE);
  size = 1;
  ok(plan == NULL, "nothing was made");
  op2i_tile_free(NULL);

  /* Both iterations update the only element, so one tile waits for the other. */
  if (!CHECK(op2i_tile_create(&good, &plan))) return;
  CHECK(op2i_tile_verify(plan, &good));
  is_int(plan->ntiles, 2, "two tiles of one iteration");
  is_int(plan->pred_offs[2], 1, "the second waits for the first");
  op2i_tile_free(plan);
}

/* Loops without iterations or accesses, and a chain of such loops only. */
static void nothing(void) {
  struct op2i_tile_plan *plan = NULL;
  struct op2i_tile_access access = {0, NULL, 1, 0, OP2I_TILE_WRITE, false};
  struct op2i_tile_loop loops[] = {{0, 1, &access}, {10, 0, NULL}, {0, 0, NULL}};
  int64_t size = 0;
  struct op2i_tile_desc desc = {
      .nloops = 3, .loops = loops, .ndats = 1, .dat_size = &size, .tile_size = 5};
  if (CHECK(op2i_tile_create(&desc, &plan))) CHECK(op2i_tile_verify(plan, &desc));
  is_int(plan->ntiles, 1, "an empty seed is one tile");
  op2i_tile_free(plan);
  desc.seed = 1;
  if (CHECK(op2i_tile_create(&desc, &plan))) CHECK(op2i_tile_verify(plan, &desc));
  is_int(plan->ntiles, 2, "a seed that touches nothing is cut");
  is_int(plan->pred_offs[2], 0, "and nothing waits");
  op2i_tile_free(plan);
  loops[1].n = 0;
  desc.ndats = 0;
  loops[0].naccesses = 0;
  if (CHECK(op2i_tile_create(&desc, &plan))) CHECK(op2i_tile_verify(plan, &desc));
  op2i_tile_free(plan);
}

int main(void) {
  starve();
  descriptions();
  nothing();
  return done();
}
