/* SPDX-License-Identifier: BSD-3-Clause */
/* ParLoop objects: generate, compute and enqueue, any number of times. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "support.h"

OP2_KERNEL(add_value, (int32_t * x, int32_t v), { *x += v; });
OP2_KERNEL(copy, (int32_t * x, const int32_t *y), { *x = *y; });

/* Values are those at the creation, however often the loop is queued, and the object may be
 * destroyed at once. */
static void enqueue(void) {
  op2_set set = new_set(10, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x");
  op2_loop loop = NULL;
  int32_t v = 3;
  MUST(op2_loop_create(&loop, new_kernel(&add_value_kernel), set, op2_arg_direct(x, OP2_RW),
                       op2_arg_val(&v, 1, OP2_I32)));
  EXPECT(op2_queued(test_ctx) == 0);
  v = 1000;
  for (int i = 0; i < 5; i++) MUST(op2_loop_enqueue(loop));
  EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 5));
  op2_loop_destroy(&loop);
  EXPECT(!loop);
  op2_loop_destroy(&loop);
  op2_loop_destroy(NULL);
  EXPECT_VALUES(int32_t, x, 10, i, 15);
}

/* Compute runs the loop and the loops on which it depends, and nothing else. */
static void compute(void) {
  op2_set set = new_set(10, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x"), y = new_dat(set, 1, OP2_I32, NULL, "y"),
          z = new_dat(set, 1, OP2_I32, NULL, "z");
  op2_kernel add = new_kernel(&add_value_kernel);
  op2_loop loop = NULL;
  MUST(op2_loop_create(&loop, new_kernel(&copy_kernel), set, op2_arg_direct(y, OP2_WRITE),
                       op2_arg_direct(x, OP2_READ)));
  own_loop(loop);
  MUST(op2_par_loop(add, set, op2_arg_direct(x, OP2_RW), op2_arg_val((int32_t[]){7}, 1, OP2_I32)));
  MUST(op2_par_loop(add, set, op2_arg_direct(z, OP2_RW), op2_arg_val((int32_t[]){1}, 1, OP2_I32)));
  REFUSED(OP2_ERR_ARG, /* the loop is known except for this argument */
          op2_par_loop(add, set, op2_arg_direct(x, OP2_RW), op2_arg_val(NULL, 1, OP2_I32)), "null");
  MUST(op2_loop_compute(loop));
  EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 1));
  EXPECT_VALUES(int32_t, y, 10, i, 7);
  EXPECT(op2_queued(test_ctx) == (test_config.eager ? 0 : 1));
  EXPECT_VALUES(int32_t, z, 10, i, 1);
  MUST(op2_par_loop(add, set, op2_arg_direct(x, OP2_RW), op2_arg_val((int32_t[]){2}, 1, OP2_I32)));
  MUST(op2_loop_compute(loop));
  EXPECT_VALUES(int32_t, y, 10, i, 9);
}

/* Generation needs no data, queues nothing and returns the same text each time. */
static void generate(void) {
  op2_set set = new_set(10, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x");
  op2_loop loop = NULL, twin = NULL;
  const char *text = NULL, *again = NULL, *checked = NULL, *bad = NULL;
  op2_kernel k = new_kernel(&add_value_kernel);
  const op2_arg args[] = {op2_arg_direct(x, OP2_RW), op2_arg_val((int32_t[]){7}, 1, OP2_I32)};
  MUST(op2_loop_create_at(OP2_HERE, k, set, 2, args, &loop));
  own_loop(loop);
  MUST(op2_loop_generate(loop, "c", &text));
  EXPECT(strstr(text, "add_value") != NULL && strstr(text, "*x += v") != NULL);
  MUST(op2_loop_generate(loop, "c", &again));
  EXPECT(strcmp(text, again) == 0);
  MUST(op2_loop_generate(loop, "check", &checked));
  EXPECT(strcmp(text, checked) != 0 && strstr(checked, "add_value") != NULL);
  MUST(op2_loop_create_at(OP2_HERE, k, set, 2, args, &twin));
  own_loop(twin);
  MUST(op2_loop_generate(twin, "c", &again));
  EXPECT(strcmp(text, again) == 0);
  REFUSED(OP2_ERR_UNAVAILABLE, op2_loop_generate(loop, "fortran", &bad), "fortran");
  REFUSED(OP2_ERR_ARG, op2_loop_generate(loop, NULL, &bad));
  REFUSED(OP2_ERR_ARG, op2_loop_generate(loop, "c", NULL));
  EXPECT(!bad && !op2_dat_allocated(x) && op2_queued(test_ctx) == 0);
}

/* The text does not depend on names or addresses of the data, so two meshes share compiled code. */
static void generated_text_is_structural(void) {
  op2_kernel k = new_kernel(&copy_kernel);
  const char *text[2] = {NULL, NULL};
  for (int m = 0; m < 2; m++) {
    op2_set set = new_set(10 + m, m ? "cells" : "faces");
    op2_dat x = new_dat(set, 1, OP2_I32, NULL, m ? "x" : "u"),
            y = new_dat(set, 1, OP2_I32, NULL, m ? "y" : "v");
    op2_loop loop = NULL;
    MUST(op2_loop_create(&loop, k, set, op2_arg_direct(x, OP2_WRITE), op2_arg_direct(y, OP2_READ)));
    own_loop(loop);
    MUST(op2_loop_generate(loop, "c", &text[m]));
  }
  EXPECT(strcmp(text[0], text[1]) == 0);
}

/* The loop holds references to its objects: every handle but its own may be destroyed. */
static void loop_outlives_handles(void) {
  op2_set set = NULL;
  op2_dat x = NULL, y = new_dat(new_set(1, "other"), 1, OP2_I32, NULL, "y");
  op2_kernel k = NULL;
  op2_loop loop = NULL;
  MUST(op2_set_create(test_ctx, 3, "cells", &set));
  MUST(op2_dat_create(set, 1, OP2_I32, NULL, "x", &x));
  MUST(op2_kernel_create(test_ctx, &add_value_kernel, &k));
  MUST(op2_loop_create(&loop, k, set, op2_arg_direct(x, OP2_RW),
                       op2_arg_val((int32_t[]){7}, 1, OP2_I32)));
  op2_set_destroy(&set);
  op2_dat_destroy(&x);
  op2_kernel_destroy(&k);
  MUST(op2_loop_enqueue(loop));
  MUST(op2_loop_compute(loop));
  op2_loop_destroy(&loop);
  EXPECT_VALUES(int32_t, y, 1, i, 0);
}

static op2_status queue_here(op2_kernel kernel, op2_set set, op2_dat x, int32_t v) {
  return op2_par_loop(kernel, set, op2_arg_direct(x, OP2_RW), op2_arg_val(&v, 1, OP2_I32));
}

OP2_KERNEL(subtract_value, (int32_t * x, int32_t v), { *x -= v; });

/* Copies of the handles of a dat and of a global, whose loops are queued and known. */
static void refuse_stale(op2_kernel copy, op2_set set, op2_dat y) {
  op2_dat x = NULL;
  op2_gbl g = NULL;
  MUST(op2_dat_create(set, 1, OP2_I32, NULL, "x", &x));
  MUST(op2_gbl_create(test_ctx, 1, OP2_I32, NULL, "g", &g));
  const op2_arg to = op2_arg_direct(y, OP2_WRITE), from_dat = op2_arg_direct(x, OP2_READ),
                from_gbl = op2_arg_gbl(g, OP2_READ);
  MUST(op2_par_loop(copy, set, to, from_dat));
  MUST(op2_par_loop(copy, set, to, from_gbl));
  op2_dat_destroy(&x);
  REFUSED(OP2_ERR_ARG, op2_par_loop(copy, set, to, from_dat), "destroyed");
  MUST(op2_par_loop(copy, set, to, op2_arg_direct(y, OP2_READ)));
  op2_gbl_destroy(&g);
  REFUSED(OP2_ERR_ARG, op2_par_loop(copy, set, to, from_gbl), "destroyed");
}

/* A copy of a destroyed handle is reported as such, also if the same call is known and queued. */
static void stale_copies(void) {
  op2_set set = new_set(10, "cells");
  op2_dat y = new_dat(set, 1, OP2_I32, NULL, "y");
  op2_kernel copy = new_kernel(&copy_kernel);
  for (int i = 0; i < 2; i++) refuse_stale(copy, set, y);
  MUST(op2_flush(test_ctx));
}

/* A call site remembers its last loop: another kernel, dat or set, and a dat in reused memory, must
 * still be told apart. */
static void one_call_many_loops(void) {
  op2_set few = new_set(10, "few"), many = new_set(20, "many");
  op2_dat x = new_dat(few, 1, OP2_I32, NULL, "x"), y = new_dat(many, 1, OP2_I32, NULL, "y");
  op2_kernel add = new_kernel(&add_value_kernel), subtract = new_kernel(&subtract_value_kernel);
  for (int32_t i = 0; i < 4; i++) {
    op2_dat brief = NULL;
    MUST(op2_dat_create(few, 1, i == 3 ? OP2_F64 : OP2_I32, NULL, "brief", &brief));
    MUST(queue_here(add, few, x, 100));
    MUST(queue_here(add, many, y, 10));
    MUST(queue_here(subtract, many, y, 1));
    REFUSED(OP2_ERR_MISMATCH, queue_here(subtract, few, y, 1), "many");
    if (i == 3)
      REFUSED(OP2_ERR_TYPE, queue_here(add, few, brief, i), "brief");
    else
      MUST(queue_here(add, few, brief, i));
    if (i < 3) EXPECT_VALUES(int32_t, brief, 10, e, i);
    op2_dat_destroy(&brief);
  }
  EXPECT_VALUES(int32_t, x, 10, e, 400);
  EXPECT_VALUES(int32_t, y, 20, e, 36);
}

static void profile(void) {
  op2_set set = new_set(10, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x"), y = new_dat(set, 1, OP2_I32, NULL, "y");
  op2_kernel add = new_kernel(&add_value_kernel), cp = new_kernel(&copy_kernel);
  op2_profile line = {0};
  for (int i = 0; i < 3; i++)
    MUST(
        op2_par_loop(add, set, op2_arg_direct(x, OP2_RW), op2_arg_val((int32_t[]){7}, 1, OP2_I32)));
  MUST(op2_par_loop(cp, set, op2_arg_direct(y, OP2_WRITE), op2_arg_direct(x, OP2_READ)));
  /* A profile line is about a kernel over a set, whatever the dats. */
  MUST(op2_par_loop(add, set, op2_arg_direct(y, OP2_RW), op2_arg_val((int32_t[]){7}, 1, OP2_I32)));
  MUST(op2_flush(test_ctx));
  MUST(op2_profile_get(test_ctx, 0, &line));
  EXPECT(strcmp(line.kernel, "add_value") == 0 && strcmp(line.set, "cells") == 0);
  EXPECT(line.calls == 4 && line.elements == 40 && line.seconds >= 0 && line.bytes >= 4 * 10 * 4);
  MUST(op2_profile_get(test_ctx, 1, &line));
  EXPECT(strcmp(line.kernel, "copy") == 0 && line.calls == 1);
  REFUSED(OP2_ERR_RANGE, op2_profile_get(test_ctx, 2, &line));
  REFUSED(OP2_ERR_ARG, op2_profile_get(test_ctx, -1, &line));
  REFUSED(OP2_ERR_ARG, op2_profile_get(test_ctx, 0, NULL));
}

/* The sum of all profile lines in seconds. */
static double profiled_seconds(void) {
  op2_profile line;
  double seconds = 0;
  for (int i = 0; op2_profile_get(test_ctx, i, &line) == OP2_SUCCESS; i++) seconds += line.seconds;
  return seconds;
}

static bool adds_up(const op2_times *t) {
  double sum = t->loops + t->waiting + t->compiling + t->preparing + t->elsewhere;
  return t->loops >= 0 && t->waiting >= 0 && t->compiling >= 0 && t->preparing >= 0 &&
         t->elsewhere >= 0 && fabs(sum - t->total) <= 1e-9 * t->total;
}

static void run_three(op2_kernel kernel, op2_set set, op2_dat x) {
  for (int i = 0; i < 3; i++)
    MUST(op2_par_loop(kernel, set, op2_arg_direct(x, OP2_RW),
                      op2_arg_val((int32_t[]){7}, 1, OP2_I32)));
  MUST(op2_flush(test_ctx));
}

/* The parts add up to the total time: compilation occurs until queues repeat, and never again;
 * loops agree with the profile; and the time of the program itself is `elsewhere`. */
static void times(void) {
  op2_set set = new_set(100000, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x");
  op2_kernel add = new_kernel(&add_value_kernel);
  op2_times before, first, second, third;
  MUST(op2_times_get(test_ctx, &before));
  EXPECT(adds_up(&before) && before.loops == 0 && before.compiled + before.loaded == 0);
  for (int i = 0; i < 2; i++) run_three(add, set, x); /* the second time the loops are fused */
  MUST(op2_times_get(test_ctx, &first));
  EXPECT(adds_up(&first) && first.total > before.total && first.loops > 0);
  EXPECT(first.compiling > 0 && first.preparing > 0 && first.compiled + first.loaded >= 1);
  /* A worker waits at least for the others to finish; a device has no other workers. */
  EXPECT(op2_workers(test_ctx) == 1 || on_device() || first.waiting > 0);
  EXPECT(fabs(first.loops * op2_workers(test_ctx) - profiled_seconds()) <= 1e-9);
  run_three(add, set, x);
  MUST(op2_times_get(test_ctx, &second));
  EXPECT(adds_up(&second) && second.loops > first.loops && second.compiling == first.compiling);
  EXPECT(second.compiled == first.compiled && second.loaded == first.loaded);
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  MUST(op2_times_get(test_ctx, &third));
  /* On a device the times of loops are estimates, most of them unmeasured, and their sum may exceed
   * the elapsed time. */
  EXPECT(adds_up(&third) && third.elsewhere >= second.elsewhere + (on_device() ? 0 : 0.02));
  EXPECT(third.loops == second.loops && third.waiting == second.waiting);
  REFUSED(OP2_ERR_ARG, op2_times_get(test_ctx, NULL));
  REFUSED(OP2_ERR_STATE, op2_times_get(NULL, &third));
}

static const struct test_case cases[] = {
    {"enqueue", enqueue},
    {"compute", compute},
    {"generate", generate},
    {"generated text is structural", generated_text_is_structural},
    {"a loop outlives the handles it was made from", loop_outlives_handles},
    {"one call, many loops", one_call_many_loops},
    {"copies of a destroyed handle", stale_copies},
    {"profile", profile},
    {"times", times},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
