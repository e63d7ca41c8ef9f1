/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that fail after they were queued, in lazy mode: which call reports the failure, what is
 * poisoned, and what still runs. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

OP2_KERNEL(put, (double *x), { *x = 5; });
OP2_KERNEL(inc, (double *x), { *x += 1; });
OP2_KERNEL(copy, (double *x, const double *y), { *x = *y; });
OP2_KERNEL(add, (const double *x, const double *y, double *z), { *z = *x + *y; });
OP2_KERNEL(total, (const double *x, double *g), { *g += *x; });

/* Three sources that do not compile or load; line 3 of each is wrong. */
static const char *const undeclared =
    "void broken(double *x) {\n  *x = 1;\n  *x = no_such_name;\n}\n";
static const char *const mistyped =
    "void broken(double *x) {\n  struct { int a; } s = {1};\n  *x = s;\n}\n";
static const char *const unlinked =
    "double nowhere_defined(double);\nvoid broken(double *x) {\n  *x = nowhere_defined(*x);\n}\n";

struct mesh {
  op2_set set;
  op2_dat x, y, z;
  op2_gbl g;
  op2_kernel broken, put, inc, copy, total;
};

static op2_kernel broken_kernel(const char *source) {
  return new_kernel(&(op2_kernel_desc){
      .name = "broken", .source = source, .file = "physics/flux.h", .line = 100});
}

static struct mesh make_mesh(void) {
  struct mesh m;
  const double ones[6] = {1, 1, 1, 1, 1, 1};
  m.set = new_set(6, "cells");
  m.x = new_dat(m.set, 1, OP2_F64, ones, "xdat");
  m.y = new_dat(m.set, 1, OP2_F64, ones, "ydat");
  m.z = new_dat(m.set, 1, OP2_F64, ones, "zdat");
  m.g = new_gbl(1, OP2_F64, NULL, "sum");
  m.broken = broken_kernel(undeclared);
  m.put = new_kernel(&put_kernel);
  m.inc = new_kernel(&inc_kernel);
  m.copy = new_kernel(&copy_kernel);
  m.total = new_kernel(&total_kernel);
  return m;
}

static op2_status read_dat(op2_dat dat) {
  double values[6];
  return op2_dat_get(dat, values);
}

/* The call fails with OP2_ERR_COMPILE and a message with every word. Returns true if it did. */
static bool fails_at(int line, op2_status got, const char *const *words, int n) {
  char text[8192];
  snprintf(text, sizeof text, "%s", op2_error_message());
  bool good = got == OP2_ERR_COMPILE;
  for (int i = 0; i < n; i++) good = good && strstr(text, words[i]);
  if (!good) diag("line %d: %s: %s", line, op2_status_name(got), text);
  return good;
}
#define FAILS_WITH(call, ...)                                                                      \
  EXPECT(fails_at(__LINE__, (call), (const char *[]){"broken", __VA_ARGS__},                       \
                  (int)(sizeof((const char *[]){"broken", __VA_ARGS__}) / sizeof(const char *))))

static const char *here(int line) {
  char *text = scratch(1, 64);
  snprintf(text, 64, "t700-errors.c:%d", line);
  return text;
}

/* The message has the call site of the loop, the compiler's message and the kernel's own line. */
static void message(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *place = here(__LINE__ - 1);
  EXPECT(op2_queued(test_ctx) == 1);
  FAILS_WITH(read_dat(m.x), place, "no_such_name", "physics/flux.h:102");
  FAILS_WITH(read_dat(m.x), place); /* poisoned until it is overwritten */
  MUST(op2_flush(test_ctx));        /* the failure was reported */
}

static void ways_to_fail(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(broken_kernel(mistyped), m.set, op2_arg_direct(m.x, OP2_WRITE)));
  FAILS_WITH(op2_flush(test_ctx), "physics/flux.h:102", here(__LINE__ - 1));
  MUST(op2_par_loop(broken_kernel(unlinked), m.set, op2_arg_direct(m.y, OP2_RW)));
  FAILS_WITH(op2_flush(test_ctx), "nowhere_defined", here(__LINE__ - 1));
  /* Without a file of its own the kernel's lines are given under its name. */
  op2_kernel k = new_source("broken", undeclared);
  MUST(op2_par_loop(k, m.set, op2_arg_direct(m.z, OP2_WRITE)));
  FAILS_WITH(op2_flush(test_ctx), "no_such_name", ":3");
}

/* Loops that read poison are cancelled, and what they would have written is poisoned by the same
 * failure; other loops run. */
static void dependents(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *place = here(__LINE__ - 1);
  MUST(op2_par_loop(m.copy, m.set, op2_arg_direct(m.y, OP2_WRITE), op2_arg_direct(m.x, OP2_READ)));
  MUST(op2_par_loop(m.total, m.set, op2_arg_direct(m.y, OP2_READ), op2_arg_gbl(m.g, OP2_INC)));
  MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.z, OP2_RW)));
  double sum = -1;
  FAILS_WITH(op2_gbl_get(m.g, &sum), place);
  EXPECT(sum == -1);
  FAILS_WITH(read_dat(m.y), place);
  EXPECT_VALUES(double, m.z, 6, i, 2);
  EXPECT(op2_queued(test_ctx) == 0);
  MUST(op2_flush(test_ctx));
}

/* Reading an independent dat neither fails nor runs the loop that would fail. */
static void independent(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  MUST(op2_par_loop(m.copy, m.set, op2_arg_direct(m.y, OP2_WRITE), op2_arg_direct(m.x, OP2_READ)));
  MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.z, OP2_RW)));
  EXPECT_VALUES(double, m.z, 6, i, 2);
  EXPECT(op2_queued(test_ctx) == 2);
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
  EXPECT_VALUES(double, m.z, 6, i, 2);
  MUST(op2_flush(test_ctx));
}

/* Loops before the failing one have run, and what they wrote to other dats stays. */
static void earlier_loops(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.x, OP2_RW)));
  MUST(op2_par_loop(m.copy, m.set, op2_arg_direct(m.y, OP2_WRITE), op2_arg_direct(m.x, OP2_READ)));
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_RW)));
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
  EXPECT_VALUES(double, m.y, 6, i, 2);
  FAILS_WITH(read_dat(m.x), "no_such_name");
}

static void lowest_first(void) {
  for (int repeat = 0; repeat < 3; repeat++) {
    struct mesh m = make_mesh();
    MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.z, OP2_RW)));
    MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.y, OP2_WRITE)));
    const char *first = here(__LINE__ - 1);
    MUST(op2_par_loop(broken_kernel(mistyped), m.set, op2_arg_direct(m.x, OP2_WRITE)));
    const char *second = here(__LINE__ - 1);
    FAILS_WITH(op2_flush(test_ctx), first);
    EXPECT(op2_queued(test_ctx) == 0);
    FAILS_WITH(op2_flush(test_ctx), second);
    MUST(op2_flush(test_ctx));
  }
}

/* This also holds if one loop needs two of them, in whatever order it names them. */
static void lowest_of_two(void) {
  for (int swapped = 0; swapped < 2; swapped++) {
    struct mesh m = make_mesh();
    op2_dat first = swapped ? m.y : m.x, second = swapped ? m.x : m.y;
    op2_kernel add = new_kernel(&add_kernel);
    MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(first, OP2_RW)));
    const int line = __LINE__ - 1;
    MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(second, OP2_RW)));
    MUST(op2_par_loop(add, m.set, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(m.y, OP2_READ),
                      op2_arg_direct(m.z, OP2_WRITE)));
    FAILS_WITH(read_dat(m.z), here(line));
    FAILS_WITH(op2_flush(test_ctx), here(line + 2));
  }
}

/* The same kernel queued at two call sites fails twice. */
static void two_places(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.y, OP2_WRITE)));
  const char *first = here(__LINE__ - 1);
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *second = here(__LINE__ - 1);
  FAILS_WITH(op2_flush(test_ctx), first);
  FAILS_WITH(op2_flush(test_ctx), second);
  MUST(op2_flush(test_ctx));
}

/* Reading needs the later loop only, so that one's failure is reported; the earlier one is reported
 * at the next flush. */
static void by_need(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.y, OP2_WRITE)));
  const char *first = here(__LINE__ - 1);
  MUST(op2_par_loop(broken_kernel(mistyped), m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *second = here(__LINE__ - 1);
  FAILS_WITH(read_dat(m.x), second);
  FAILS_WITH(op2_flush(test_ctx), first);
  MUST(op2_flush(test_ctx));
  FAILS_WITH(read_dat(m.y), first);
}

static void finalize_tells(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.y, OP2_WRITE)));
  const char *first = here(__LINE__ - 1);
  MUST(op2_par_loop(broken_kernel(mistyped), m.set, op2_arg_direct(m.x, OP2_WRITE)));
  FAILS_WITH(op2_finalize(&test_ctx), first);
  EXPECT(test_ctx == NULL);
}

static void finalize_tells_the_rest(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.y, OP2_WRITE)));
  MUST(op2_par_loop(broken_kernel(mistyped), m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *second = here(__LINE__ - 1);
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
  FAILS_WITH(op2_finalize(&test_ctx), second);
}

/* Poison is removed by overwriting the whole dat, but not by writing a part, an update or an access
 * scope. */
static void cures(void) {
  struct mesh m = make_mesh();
  const double seven[6] = {7, 7, 7, 7, 7, 7};
  void *view = NULL;
  op2_set some = new_subset(m.set, 2, (int64_t[]){1, 2}, "some");
  op2_map self = new_map(m.set, m.set, 1, (int32_t[]){0, 1, 2, 3, 4, 5}, "self");
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
  MUST(op2_par_loop(m.put, some, op2_arg_direct(m.x, OP2_WRITE)));
  FAILS_WITH(read_dat(m.x), "no_such_name");
  MUST(op2_par_loop(m.put, m.set, op2_arg_dat(m.x, 0, self, OP2_WRITE)));
  FAILS_WITH(read_dat(m.x), "no_such_name");
  MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.x, OP2_INC)));
  FAILS_WITH(read_dat(m.x), "no_such_name");
  FAILS_WITH(op2_dat_write_begin(m.x, &view), "no_such_name");
  EXPECT(view == NULL);
  MUST(op2_par_loop(m.put, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.x, OP2_RW)));
  EXPECT_VALUES(double, m.x, 6, i, 6);
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_RW)));
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
  MUST(op2_dat_set(m.x, seven));
  EXPECT_VALUES(double, m.x, 6, i, 7);
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_RW)));
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
  MUST(op2_dat_set_halo(m.x, seven));
  EXPECT_VALUES(double, m.x, 6, i, 7);
}

/* If poison is overwritten before it is read, reading succeeds, and the flush still reports the
 * failure. */
static void cured_unseen(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *place = here(__LINE__ - 1);
  MUST(op2_par_loop(m.put, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  EXPECT_VALUES(double, m.x, 6, i, 5);
  FAILS_WITH(op2_flush(test_ctx), place);
  MUST(op2_flush(test_ctx));
  EXPECT_VALUES(double, m.x, 6, i, 5);
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  MUST(op2_dat_set(
      m.x, (double[]){7, 7, 7, 7, 7, 7})); /* forces the loop, but does not need its result */
  EXPECT(op2_queued(test_ctx) == 0);
  EXPECT_VALUES(double, m.x, 6, i, 7);
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
}

static void globals(void) {
  struct mesh m = make_mesh();
  op2_kernel k = new_source("broken", "void broken(double *g) { *g += no_such_name; }\n");
  double sum = -1;
  MUST(op2_par_loop(k, m.set, op2_arg_gbl(m.g, OP2_INC)));
  FAILS_WITH(op2_gbl_get(m.g, &sum), "no_such_name");
  EXPECT(sum == -1);
  MUST(op2_par_loop(m.total, m.set, op2_arg_direct(m.x, OP2_READ), op2_arg_gbl(m.g, OP2_INC)));
  FAILS_WITH(op2_gbl_get(m.g, &sum), "no_such_name"); /* an increment of poison */
  MUST(op2_gbl_set(m.g, (double[]){2}));
  MUST(op2_par_loop(m.total, m.set, op2_arg_direct(m.x, OP2_READ), op2_arg_gbl(m.g, OP2_INC)));
  EXPECT_GBL(double, m.g, 8);
}

/* Objects are destroyed while a loop that will fail is queued. */
static void destroyed(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *place = here(__LINE__ - 1);
  MUST(op2_par_loop(m.copy, m.set, op2_arg_direct(m.y, OP2_WRITE), op2_arg_direct(m.x, OP2_READ)));
  disown(m.x), disown(m.y), disown(m.broken), disown(m.set);
  op2_dat_destroy(&m.x);
  op2_dat_destroy(&m.y);
  op2_kernel_destroy(&m.broken);
  op2_set_destroy(&m.set);
  EXPECT_VALUES(double, m.z, 6, i, 1);
  FAILS_WITH(op2_flush(test_ctx), place);
}

static void compute(void) {
  struct mesh m = make_mesh();
  op2_loop loop = NULL, after = NULL;
  MUST(op2_loop_create(&loop, m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  const char *place = here(__LINE__ - 1);
  own_loop(loop);
  MUST(op2_loop_create(&after, m.copy, m.set, op2_arg_direct(m.y, OP2_WRITE),
                       op2_arg_direct(m.x, OP2_READ)));
  own_loop(after);
  FAILS_WITH(op2_loop_compute(loop), place, "no_such_name");
  FAILS_WITH(op2_loop_compute(after), place);
  MUST(op2_flush(test_ctx));
  MUST(op2_par_loop(m.put, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  MUST(op2_loop_compute(after));
  EXPECT_VALUES(double, m.y, 6, i, 5);
}

/* Queueing never reports an older loop's failure, not even if the queue is full. */
static void full_queue(void) {
  op2_options options = config_options(&test_config);
  op2_context saved = test_ctx;
  options.queue_max = 2;
  test_ctx = NULL;
  MUST(op2_init(&options, &test_ctx));
  op2_set set = NULL;
  op2_dat x = NULL, z = NULL;
  op2_kernel bad = NULL, good = NULL;
  MUST(op2_set_create(test_ctx, 3, "cells", &set));
  MUST(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  MUST(op2_dat_create(set, 1, OP2_F64, NULL, "z", &z));
  MUST(op2_kernel_create(test_ctx, &(op2_kernel_desc){.name = "broken", .source = undeclared},
                         &bad));
  MUST(op2_kernel_create(test_ctx, &inc_kernel, &good));
  MUST(op2_par_loop(bad, set, op2_arg_direct(x, OP2_WRITE)));
  for (int i = 0; i < 6; i++) MUST(op2_par_loop(good, set, op2_arg_direct(z, OP2_RW)));
  EXPECT_VALUES(double, z, 3, i, 6);
  FAILS_WITH(op2_flush(test_ctx), "no_such_name");
  op2_kernel_destroy(&bad);
  op2_kernel_destroy(&good);
  op2_dat_destroy(&x);
  op2_dat_destroy(&z);
  op2_set_destroy(&set);
  MUST(op2_finalize(&test_ctx));
  test_ctx = saved;
}

/* In deterministic mode a loop and its sums are queued as one, so its failure is returned by the call
 * that runs it, even if the queue is full in between. */
static void failure_of_sums(bool eager, int queue_max) {
  op2_options options = config_options(&test_config);
  op2_context saved = test_ctx;
  op2_loop loop = NULL;
  options.queue_max = queue_max;
  options.eager = eager ? 1 : -1;
  setenv("OP2_DETERMINISTIC", "1", 1);
  MUST(op2_init(&options, &test_ctx));
  unsetenv("OP2_DETERMINISTIC");
  op2_set set = NULL;
  op2_map self = NULL;
  op2_dat x = NULL, y = NULL;
  op2_kernel bad = NULL;
  MUST(op2_set_create(test_ctx, 3, "cells", &set));
  MUST(op2_map_create(set, set, 1, (int32_t[]){0, 1, 2}, "self", &self));
  MUST(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  MUST(op2_dat_create(set, 1, OP2_F64, NULL, "y", &y));
  MUST(op2_kernel_create(test_ctx, &(op2_kernel_desc){.name = "broken", .source = undeclared},
                         &bad));
  MUST(op2_loop_create(&loop, bad, set, op2_arg_dat(x, 0, self, OP2_INC)));
  FAILS_WITH(op2_loop_compute(loop), "no_such_name");
  MUST(op2_flush(test_ctx));
  if (eager)
    FAILS_WITH(op2_par_loop(bad, set, op2_arg_dat(y, 0, self, OP2_INC)), "no_such_name");
  else
    MUST(op2_par_loop(bad, set, op2_arg_dat(y, 0, self, OP2_INC)));
  EXPECT(op2_flush(test_ctx) == (eager ? OP2_SUCCESS : OP2_ERR_COMPILE));
  MUST(op2_flush(test_ctx)); /* the loop fails once, though its kernel may run a second time */
  op2_loop_destroy(&loop);
  op2_kernel_destroy(&bad);
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_map_destroy(&self);
  op2_set_destroy(&set);
  MUST(op2_finalize(&test_ctx));
  test_ctx = saved;
}

static void deterministic(void) {
  for (int queue_max = 1; queue_max < 4; queue_max++) {
    failure_of_sums(false, queue_max);
    failure_of_sums(true, queue_max);
  }
}

static const struct test_case cases[] = {
    {"the message", message},
    {"ways to fail", ways_to_fail},
    {"dependents are cancelled, others run", dependents},
    {"independent data does not fail", independent},
    {"earlier loops stay", earlier_loops},
    {"lowest loop first, the rest later", lowest_first},
    {"lowest of two that one loop needs", lowest_of_two},
    {"one kernel, two places", two_places},
    {"the look that needs it", by_need},
    {"finalize tells", finalize_tells},
    {"finalize tells the rest", finalize_tells_the_rest},
    {"what cures and what does not", cures},
    {"cured before it was seen", cured_unseen},
    {"globals", globals},
    {"destroyed with a failure pending", destroyed},
    {"compute", compute},
    {"a full queue", full_queue},
    {"a full queue in deterministic mode", deterministic},
};

int main(void) { return RUN(cases, RUN_LAZY_ONLY | RUN_ONE_BLOCK); }
