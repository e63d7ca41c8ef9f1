/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that outlives scopes: a holder may read it after the scope, after renumbering, and after
 * the end of the dat and of the context. Run under the address sanitizer, it is also seen that all
 * is freed. */
#include <pthread.h>

#include "support.h"

/* Memory of this many bytes is returned to the system when it is freed, so that reading it then
 * ends the program also without a sanitizer. */
enum { N = 100000 };

OP2_KERNEL(twice, (double *x), { *x *= 2; });

static double sum(const void *memory) {
  const double *x = memory;
  double total = 0;
  for (int i = 0; i < N; i++) total += x[i];
  return total;
}

static op2_dat new_ones(op2_set set) {
  double *ones = scratch(N, sizeof *ones);
  for (int i = 0; i < N; i++) ones[i] = 1;
  return new_dat(set, 1, OP2_F64, ones, "ones");
}

static void after_scopes(void) {
  op2_dat x = new_ones(new_set(N, "cells"));
  const void *seen = NULL;
  void *changed = NULL;
  MUST(op2_dat_read_begin(x, &seen));
  const void *held = op2_dat_hold(x);
  EXPECT(held == seen);
  MUST(op2_dat_read_end(x, &seen));
  MUST(op2_dat_write_begin(x, &changed));
  const void *again = op2_dat_hold(x);
  EXPECT(again == changed);
  MUST(op2_dat_write_end(x, &changed));
  disown(x);
  op2_dat_destroy(&x);
  EXPECT(sum(held) == N);
  op2_memory_release(&held);
  EXPECT(!held);
  EXPECT(sum(again) == N); /* there is still one holder */
  op2_memory_release(&again);
  op2_memory_release(&again);
  op2_memory_release(NULL);
}

/* A new dat of the same kind may get the memory of one that was destroyed, but not what is held. */
static void not_reused(void) {
  op2_set set = new_set(N, "cells");
  op2_dat x = new_ones(set);
  const void *seen = NULL;
  MUST(op2_dat_read_begin(x, &seen));
  const void *held = op2_dat_hold(x);
  MUST(op2_dat_read_end(x, &seen));
  disown(x);
  op2_dat_destroy(&x);
  op2_dat next = new_ones(set);
  MUST(op2_par_loop(new_kernel(&twice_kernel), set, op2_arg_direct(next, OP2_RW)));
  MUST(op2_flush(test_ctx));
  EXPECT(sum(held) == N);
  op2_memory_release(&held);
}

/* A renumbered set has its values elsewhere, and a scope shows them in memory of its own. */
static void renumbered(void) {
  op2_set set = new_set(N, "cells");
  int32_t *next = scratch(N, sizeof *next);
  for (int i = 0; i < N; i++) next[i] = (int32_t)(i * INT64_C(7919) % N);
  op2_map map = new_map(set, set, 1, next, "next");
  op2_dat x = new_ones(set);
  const void *seen = NULL;
  MUST(op2_dat_read_begin(x, &seen));
  const void *before = op2_dat_hold(x);
  MUST(op2_dat_read_end(x, &seen));
  const op2_status status = op2_renumber(map);
  if (status != OP2_ERR_UNAVAILABLE) MUST(status); /* a build without Scotch */
  MUST(op2_dat_read_begin(x, &seen));
  const void *after = op2_dat_hold(x);
  EXPECT(after == seen);
  MUST(op2_dat_read_end(x, &seen));
  MUST(op2_par_loop(new_kernel(&twice_kernel), set, op2_arg_direct(x, OP2_RW)));
  MUST(op2_flush(test_ctx));
  EXPECT(status || sum(after) == N);
  EXPECT(sum(before) != 0); /* NaN where the shadow device has overwritten values that are old */
  op2_memory_release(&before);
  op2_memory_release(&after);
}

struct call {
  op2_dat x;
  const void *held;
};

static int hold_it(void *data, void *const *values) {
  struct call *call = data;
  call->held = op2_dat_hold(call->x);
  return call->held != values[0];
}

static void *release_it(void *data) {
  op2_memory_release(data);
  return NULL;
}

static void inside_calls(void) {
  struct call call = {new_ones(new_set(N, "cells")), NULL};
  op2_dat x = call.x;
  MUST(op2_call(test_ctx, hold_it, &call, op2_arg_direct(x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  disown(x);
  op2_dat_destroy(&x);
  EXPECT(sum(call.held) == N);
  pthread_t other;
  EXPECT(!pthread_create(&other, NULL, release_it, &call.held));
  EXPECT(!pthread_join(other, NULL));
  EXPECT(!call.held);
}

static void nothing_to_hold(void) {
  op2_set set = new_set(N, "cells");
  double *memory = scratch(N, sizeof *memory);
  op2_dat wrapped = NULL, empty = new_dat(set, 1, OP2_F64, NULL, "empty");
  MUST(op2_dat_wrap(set, 1, OP2_F64, memory, "wrapped", &wrapped));
  own_dat(wrapped);
  EXPECT(!op2_dat_hold(wrapped));
  EXPECT(!op2_dat_hold(empty));
  EXPECT(!op2_dat_hold(NULL));
}

/* The last holder outlives the context. */
static int outlives_the_context(void) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  void *data = NULL;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  if (op2_init(&options, &ctx) || op2_set_create(ctx, N, "cells", &set) ||
      op2_dat_create(set, 1, OP2_F64, NULL, "x", &x) || op2_dat_write_begin(x, &data))
    return 0;
  ((double *)data)[N - 1] = 5;
  const void *held = op2_dat_hold(x);
  if (op2_dat_write_end(x, &data)) return 0;
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx)) return 0;
  const int right = sum(held) == 5;
  op2_memory_release(&held);
  return right;
}

int main(void) {
  static const struct test_case cases[] = {
      {"memory held in a scope is there after the dat has gone", after_scopes},
      {"memory held in a scope is there after renumbering", renumbered},
      {"a new dat does not get memory that is held", not_reused},
      {"functions that are called hold memory, another thread releases it", inside_calls},
      {"there is nothing to hold in wrapped and empty dats", nothing_to_hold},
  };
  test_environment();
  ok(outlives_the_context(), "memory is held beyond the end of its context");
  return RUN(cases, RUN_ONE_BLOCK);
}
