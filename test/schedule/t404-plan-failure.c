/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans that cannot be made: every allocation fails in turn, invalid ranges, more blocks than can
 * be numbered. */
#include <string.h>

#include "mem.h"
#include "plan_case.h"
#include "tap.h"

/* Let the first, second, ... allocation fail until the call needs no more. Returns the number of
 * failures that were handled cleanly. */
static int64_t starve_create(const struct op2i_plan_desc *desc, int *wrong) {
  struct op2i_plan *const untouched = (struct op2i_plan *)desc;
  for (int64_t n = 1;; n++) {
    struct op2i_plan *plan = untouched;
    op2i_mem_fail_at(n);
    op2_status status = op2i_plan_create(desc, &plan);
    int64_t made = op2i_mem_fail_at(0);
    if (status == OP2_SUCCESS) {
      *wrong += made >= n || op2i_plan_verify(plan, desc) != OP2_SUCCESS;
      op2i_plan_free(plan);
      return n - 1;
    }
    *wrong +=
        status != OP2_ERR_NOMEM || plan != untouched || !strstr(op2_error_message(), "memory");
  }
}

static int64_t starve_verify(const struct op2i_plan_desc *desc, int *wrong) {
  struct op2i_plan *plan = NULL;
  *wrong += op2i_plan_create(desc, &plan) != OP2_SUCCESS;
  int64_t n = 1;
  for (op2_status status = OP2_ERR_NOMEM; status == OP2_ERR_NOMEM; n++) {
    op2i_mem_fail_at(n);
    status = op2i_plan_verify(plan, desc);
    op2i_mem_fail_at(0);
    *wrong += status != OP2_SUCCESS && status != OP2_ERR_NOMEM;
  }
  op2i_plan_free(plan);
  return n - 2;
}

static void starve(void) {
  int wrong = 0, cases = quick() ? 60 : 300;
  int64_t create = 0, verify = 0;
  for (int i = 0; i < cases; i++) {
    struct plan_case c;
    plan_case_random(&c, (uint64_t)i);
    create += starve_create(&c.desc, &wrong);
    verify += starve_verify(&c.desc, &wrong);
    plan_case_free(&c);
  }
  is_int(wrong, 0, "out of memory is said and leaves the output alone");
  ok(create > 8 * cases, "%d plans, %lld allocations failed", cases, (long long)create);
  ok(verify > 2 * cases, "and %lld of the verifier", (long long)verify);
}

static void ranges(void) {
  struct op2i_plan *plan = NULL;
  struct op2i_plan_desc desc = {.lo = 0, .hi = (int64_t)INT32_MAX + 1, .block_size = 1};
  FAILS(op2i_plan_create(&desc, &plan), OP2_ERR_RANGE);
  ok(strstr(op2_error_message(), "2147483648") != NULL, "the message has the number of blocks");
  desc = (struct op2i_plan_desc){.lo = 10, .hi = INT64_MAX, .block_size = INT32_MAX};
  FAILS(op2i_plan_create(&desc, &plan), OP2_ERR_RANGE);
  desc = (struct op2i_plan_desc){.lo = 5, .hi = 4, .block_size = 1};
  FAILS(op2i_plan_create(&desc, &plan), OP2_ERR_ARG);
  desc = (struct op2i_plan_desc){.lo = -1, .hi = 4, .block_size = 1};
  FAILS(op2i_plan_create(&desc, &plan), OP2_ERR_ARG);
  desc = (struct op2i_plan_desc){.hi = 4, .block_size = 0};
  FAILS(op2i_plan_create(&desc, &plan), OP2_ERR_ARG);
  ok(plan == NULL, "nothing was made");
  op2i_plan_free(NULL);
}

/* Positions beyond 2^31, which need a range without arguments here: blocks still have the right
 * limits. */
static void far_positions(void) {
  int64_t far = INT64_C(3) << 40;
  struct op2i_plan *plan = NULL;
  struct op2i_plan_desc desc = {.lo = far, .hi = far + 2500, .block_size = 1000};
  if (!CHECK(op2i_plan_create(&desc, &plan))) return;
  CHECK(op2i_plan_verify(plan, &desc));
  is_int(plan->nblocks, 3, "three blocks");
  is_int(op2i_plan_block_lo(plan, 2), far + 2000, "the last begins");
  is_int(op2i_plan_block_hi(plan, 2), far + 2500, "and ends");
  op2i_plan_free(plan);

  desc.hi = desc.lo;
  desc.parts = OP2I_PLAN_STAGE | OP2I_PLAN_ELEMENTS;
  if (!CHECK(op2i_plan_create(&desc, &plan))) return;
  CHECK(op2i_plan_verify(plan, &desc));
  is_int(plan->nblocks, 0, "an empty range has no blocks");
  is_int(plan->ncolors, 0, "and no colours");
  is_int(plan->color_offs[0], 0, "from 0 on");
  op2i_plan_free(plan);
}

int main(void) {
  starve();
  ranges();
  far_positions();
  return done();
}
