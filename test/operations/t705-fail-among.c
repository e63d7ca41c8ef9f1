/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that fail to compile among others in one flush: they are compiled once; the others still
 * run as fused programs, in an order that respects dependences through the loops left out; and halo
 * rows stay poisoned until they are overwritten. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mem.h"
#include "program.h"
#include "support.h"

OP2_KERNEL(put, (int64_t * x, const int64_t *v), { *x = *v; });
OP2_KERNEL(more, (int64_t * x), { *x += 1; });
OP2_KERNEL(copy, (int64_t * x, const int64_t *y), { *x = *y; });

enum { N = 400, OWNED = 300 };

struct mesh {
  op2_set cells, edges;
  op2_map ends;
  op2_dat x, y, z, w, e; /* e on edges */
  op2_kernel broken, subtle, put, more, copy;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  int32_t *ends = scratch(N, sizeof *ends);
  for (int i = 0; i < N; i++) ends[i] = (N - 1 - i) % N;
  m.cells = new_set(N, "cells");
  m.edges = new_set(N, "edges");
  m.ends = new_map(m.edges, m.cells, 1, ends, "ends");
  m.x = new_dat(m.cells, 1, OP2_I64, NULL, "xdat");
  m.y = new_dat(m.cells, 1, OP2_I64, NULL, "ydat");
  m.z = new_dat(m.cells, 1, OP2_I64, NULL, "zdat");
  m.w = new_dat(m.cells, 1, OP2_I64, NULL, "wdat");
  m.e = new_dat(m.edges, 1, OP2_I64, NULL, "edat");
  m.broken = new_source("broken", "void broken(long *x) { *x = no_such_name; }\n");
  m.subtle = new_source("subtle", "void subtle(long *x) { const long c = *x; c = 2; *x = c; }\n");
  m.put = new_kernel(&put_kernel);
  m.more = new_kernel(&more_kernel);
  m.copy = new_kernel(&copy_kernel);
  return m;
}

#define PUT(dat, value)                                                                            \
  MUST(op2_par_loop(m.put, (dat)->set, op2_arg_direct(dat, OP2_WRITE),                             \
                    op2_arg_val((int64_t[]){value}, 1, OP2_I64)))
#define MORE(dat) MUST(op2_par_loop(m.more, (dat)->set, op2_arg_direct(dat, OP2_RW)))
#define COPY(to, from)                                                                             \
  MUST(op2_par_loop(m.copy, m.cells, op2_arg_direct(to, OP2_WRITE), op2_arg_direct(from, OP2_READ)))
#define BREAK(dat, access) MUST(op2_par_loop(m.broken, (dat)->set, op2_arg_direct(dat, access)))

static bool programs(void) { return test_ctx->backend->passes; }

static int64_t failed_units(void) {
  struct op2i_jit_stats stats;
  op2i_jit_statistics(test_ctx, &stats);
  return stats.failed;
}

static bool fails(op2_status status) {
  return status == OP2_ERR_COMPILE && strstr(op2_error_message(), "error:");
}

static bool lost(op2_dat dat) {
  int64_t values[N];
  return fails(op2_dat_get(dat, values));
}

static void bystanders(void) {
  struct mesh m = make_mesh();
  for (int round = 1; round <= 3; round++) {
    MORE(m.z);
    BREAK(m.x, OP2_WRITE);
    COPY(m.w, m.z);
    COPY(m.y, m.x);
    EXPECT(fails(op2_flush(test_ctx)));
    MUST(op2_flush(test_ctx));
    EXPECT(failed_units() == round);
    EXPECT_VALUES(int64_t, m.w, N, i, round);
    EXPECT(lost(m.x) && lost(m.y));
  }
  const struct op2i_sched *sched = test_ctx->sched;
  EXPECT(sched->stats.loops_failed == 3 && sched->stats.loops_cancelled == 3 &&
         sched->stats.loops_run == 6);
  if (programs()) EXPECT(sched->stats.loops_fused == 0 && sched->stats.programs_replayed == 4);
}

/* Only the compiler sees that the kernel is wrong. The faulty one among the fused loops has to be
 * found, but only once. */
static void fused_with(void) {
  struct mesh m = make_mesh();
  for (int round = 1; round <= 3; round++) {
    PUT(m.x, round);
    MORE(m.x);
    MUST(op2_par_loop(m.subtle, m.cells, op2_arg_direct(m.x, OP2_RW)));
    COPY(m.y, m.x);
    PUT(m.z, 2 * round);
    COPY(m.w, m.z);
    EXPECT(fails(op2_flush(test_ctx)));
    EXPECT(failed_units() == round + programs());
    EXPECT(lost(m.x) && lost(m.y));
    EXPECT_VALUES(int64_t, m.w, N, i, 2 * round);
  }
  EXPECT(test_ctx->sched->stats.loops_failed == 3 && test_ctx->sched->stats.loops_cancelled == 3);
  if (programs()) EXPECT(test_ctx->sched->stats.loops_fused == 4);
}

/* The last loop could be fused with the first if the second did not come between; it depends on the
 * second only through the loop that is left out. */
static void order(void) {
  struct mesh m = make_mesh();
  int64_t *numbers = scratch(N, sizeof *numbers);
  for (int i = 0; i < N; i++) numbers[i] = i;
  MUST(op2_dat_set(m.z, numbers));
  PUT(m.x, 5);
  MUST(op2_flush(test_ctx));
  COPY(m.y, m.z);
  MUST(op2_par_loop(m.copy, m.edges, op2_arg_direct(m.e, OP2_WRITE),
                    op2_arg_dat(m.x, 0, m.ends, OP2_READ)));
  BREAK(m.x, OP2_RW);
  COPY(m.x, m.z);
  EXPECT(fails(op2_flush(test_ctx)));
  EXPECT_VALUES(int64_t, m.e, N, i, 5);
  EXPECT_VALUES(int64_t, m.x, N, i, i);
  EXPECT_VALUES(int64_t, m.y, N, i, i);
}

/* Poisoning and overwriting alternate in one flush. */
static void in_between(void) {
  struct mesh m = make_mesh();
  for (int k = 0; k < 5; k++) {
    BREAK(m.x, OP2_RW);
    COPY(m.y, m.x);
    PUT(m.x, k);
    COPY(m.z, m.x);
    MORE(m.w);
  }
  for (int k = 0; k < 5; k++) EXPECT(fails(op2_flush(test_ctx)));
  MUST(op2_flush(test_ctx));
  EXPECT(failed_units() == 1);
  EXPECT(test_ctx->sched->stats.loops_failed == 5 && test_ctx->sched->stats.loops_cancelled == 5);
  EXPECT_VALUES(int64_t, m.z, N, i, 4);
  EXPECT_VALUES(int64_t, m.x, N, i, 4);
  EXPECT_VALUES(int64_t, m.w, N, i, 5);
  EXPECT(lost(m.y));
}

static void halo(void) {
  struct mesh m = make_mesh();
  op2_set set = new_sections(OWNED, OWNED, N, N, "parted");
  int32_t *self = scratch(N, sizeof *self);
  for (int i = 0; i < N; i++) self[i] = i;
  op2_map map = new_map(set, set, 1, self, "self");
  op2_dat a = new_dat(set, 1, OP2_I64, NULL, "adat"), b = new_dat(set, 1, OP2_I64, NULL, "bdat");
  BREAK(a, OP2_RW); /* poisons owned rows only */
  PUT(a, 3);
  EXPECT(fails(op2_flush(test_ctx)));
  EXPECT_VALUES(int64_t, a, OWNED, i, 3);
  MUST(op2_par_loop(m.broken, set, op2_arg_dat(a, 0, map, OP2_INC)));
  PUT(a, 4);
  EXPECT(fails(op2_flush(test_ctx)));
  EXPECT(lost(a));
  BREAK(a, OP2_WRITE); /* poisons fewer rows than are poisoned already */
  PUT(a, 4);
  MUST(op2_par_loop(m.copy, set, op2_arg_direct(b, OP2_WRITE), op2_arg_dat(a, 0, map, OP2_READ)));
  EXPECT(fails(op2_flush(test_ctx)));
  EXPECT(lost(a) && lost(b));
  MUST(op2_dat_set_halo(a, scratch(N, sizeof(int64_t))));
  EXPECT_VALUES(int64_t, a, N, i, 0);
  PUT(b, 1);
  EXPECT_VALUES(int64_t, b, OWNED, i, 1);
}

/* A compiler that accepts two loops together but refuses the first alone. This shows that code of
 * both that was compiled before still runs, and so does a loop that reads its results. */
static void refuse_alone(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/picky-cc", test_scratch());
  FILE *script = fopen(path, "w");
  EXPECT(script);
  fputs("#!/bin/sh\nfor a in \"$@\"; do case $a in *.c) f=$a ;; esac; done\n"
        "if [ -f \"$f\" ] && grep -q MARK_A \"$f\" && ! grep -q MARK_B \"$f\"; then\n"
        "  echo 'kernel.c:1: error: refused' >&2; exit 1\nfi\nexec cc \"$@\"\n",
        script);
  EXPECT(fclose(script) == 0 && chmod(path, 0700) == 0);
  op2i_free(test_ctx->config.cc);
  test_ctx->config.cc = op2i_strdup(path);
}

static void alone(void) {
  if (on_device()) return; /* loops there use another compiler */
  struct mesh m = make_mesh();
  refuse_alone();
  op2_kernel odd = new_source("odd", "void odd(long *x) { long MARK_A = 1; *x += MARK_A; }");
  op2_kernel pair = new_source(
      "pair", "void pair(long *x, const long *y) { long MARK_B = 2; *x = *y + MARK_B; }");
  MUST(op2_par_loop(odd, m.cells, op2_arg_direct(m.x, OP2_RW)));
  MUST(op2_par_loop(pair, m.cells, op2_arg_direct(m.y, OP2_WRITE), op2_arg_direct(m.x, OP2_READ)));
  BREAK(m.w, OP2_RW);
  PUT(m.w, 7);
  MUST(op2_par_loop(m.copy, m.edges, op2_arg_direct(m.e, OP2_WRITE),
                    op2_arg_dat(m.y, 0, m.ends, OP2_READ)));
  MORE(m.e);
  MUST(op2_par_loop(odd, m.cells, op2_arg_direct(m.x, OP2_RW)));
  EXPECT(fails(op2_flush(test_ctx)));
  EXPECT(fails(op2_flush(test_ctx)));
  MUST(op2_flush(test_ctx));
  EXPECT(test_ctx->sched->stats.loops_failed == 2);
  EXPECT(test_ctx->sched->stats.loops_cancelled == (programs() ? 0 : 4));
  EXPECT_VALUES(int64_t, m.w, N, i, 7);
  if (programs()) {
    EXPECT_VALUES(int64_t, m.y, N, i, 3);
    EXPECT_VALUES(int64_t, m.e, N, i, 4);
  } else { /* loop by loop, the first one has no code */
    EXPECT(lost(m.y) && lost(m.e));
  }
  EXPECT(lost(m.x));
}

static const struct test_case cases[] = {
    {"others are fused, and code is asked for once", bystanders},
    {"fused with others at first", fused_with},
    {"order by way of a loop that is left out", order},
    {"failures and cures in turn", in_between},
    {"rows of the halo", halo},
    {"no code when alone", alone},
};

/* Each case has its loops fused as soon as they first come together. */
int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_LAZY_ONLY | RUN_ONE_BLOCK);
}
