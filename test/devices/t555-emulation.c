/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend `cuda` itself, or `hip` if OP2_TEST_BACKEND says so, on the emulation of a device
 * (test/emulation): programs with all strategies give the results of `sequential`, in whatever order
 * threads and blocks run, and each fault that is planted in their text is found. Needs a C++ compiler
 * for the device's code. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulation_case.h"
#include "support.h"

/* ---- correct results ------------------------------------------------------------------------- */

static const char *const devices[] = {
    "order=1", "order=2", "order=3", "threads=32", "threads=64",
    "sm=90",   "wave=32", "check=0", "pinned=0",
};

/* The strategies for increments through maps; a loop that one does not fit uses another. */
static const char *const strategies[] = {"repeat",   "owner",  "gather", "staged",
                                         "unstaged", "serial", "atomics"};

static struct outcome got;

static void strategies_agree(enum emulation_program p) {
  for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
    setenv("OP2_DEVICE_STRATEGY", strategies[s], 1);
    emulation_run(emulation_backend(), p, test_cache(), &got);
    if (!ok(emulation_same(&got, emulation_expected(p)) && got.launches > 0,
            "%s: the same bits, %s", emulation_name(p), strategies[s]))
      diag("%s, %lld launches", got.message, (long long)got.launches);
  }
  unsetenv("OP2_DEVICE_STRATEGY");
}

static void all_agree(void) {
  for (enum emulation_program p = 0; p < PROGRAMS; p++) {
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
      setenv("OP2_TEST_EMULATION", devices[d], 1);
      emulation_run(emulation_backend(), p, test_cache(), &got);
      if (!ok(emulation_same(&got, emulation_expected(p)) && got.launches > 0,
              "%s: the same bits, %s", emulation_name(p), devices[d]))
        diag("%s, %lld launches", got.message, (long long)got.launches);
    }
    unsetenv("OP2_TEST_EMULATION");
    strategies_agree(p);
  }
}

/* Elements that take turns leave their values for a reduction. In its launch a group that lacks elements
 * reads the global, and so does the one that ends last, before it writes it. */
OP2_KERNEL(least, (const int16_t *x, int16_t *y, int16_t *low), {
  *y = *x;
  *low = *x < *low ? *x : *low;
});

static bool least_of(int n, int16_t *low) {
  op2_context ctx = NULL;
  op2_set cells = NULL, nodes = NULL;
  op2_map map = NULL;
  op2_dat x = NULL, y = NULL;
  op2_gbl global = NULL;
  op2_kernel kernel = NULL;
  static int16_t values[2000];
  static int32_t to[2000];
  const int16_t high = 30000;
  const op2_options options = {.backend = emulation_backend(), .cache_dir = test_cache()};
  for (int i = 0; i < n; i++) {
    values[i] = (int16_t)(n - i);
    to[i] = i % 100;
  }
  bool good = CHECK(op2_init(&options, &ctx)) && CHECK(op2_set_create(ctx, n, "cells", &cells)) &&
              CHECK(op2_set_create(ctx, 100, "nodes", &nodes)) &&
              CHECK(op2_map_create(cells, nodes, 1, to, "map", &map)) &&
              CHECK(op2_dat_create(nodes, 1, OP2_I16, NULL, "y", &y)) &&
              CHECK(op2_dat_create(cells, 1, OP2_I16, values, "x", &x)) &&
              CHECK(op2_gbl_create(ctx, 1, OP2_I16, &high, "low", &global)) &&
              CHECK(op2_kernel_create(ctx, &least_kernel, &kernel)) &&
              CHECK(op2_par_loop(kernel, cells, op2_arg_direct(x, OP2_READ),
                                 op2_arg_dat(y, 0, map, OP2_RW), op2_arg_gbl(global, OP2_MIN))) &&
              CHECK(op2_gbl_get(global, low));
  op2_kernel_destroy(&kernel);
  op2_gbl_destroy(&global);
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_map_destroy(&map);
  op2_set_destroy(&nodes);
  op2_set_destroy(&cells);
  return CHECK(op2_finalize(&ctx)) && good;
}

static void few_groups(void) {
  for (size_t d = 0; d < 3; d++) {
    int16_t low = 0;
    setenv("OP2_TEST_EMULATION", devices[d], 1);
    ok(least_of(1298, &low) && low == 1, "a minimum of six groups, %s", devices[d]);
  }
  unsetenv("OP2_TEST_EMULATION");
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* These run with the automatic choice of strategy; t557 has the faults of each strategy. */
static const struct emulation_fault faults[] = {
    {"no barrier before rows are taken from shared memory", WIDE,
     "s~    op2_wait();\n    if (op2_item() < op2_live) {~    if (op2_item() < op2_live) {~", ""},
    {"no barrier before shared memory is used again", PARTS,
     "s~    }\n    op2_wait();\n    if (op2_live ==~    }\n    if (op2_live ==~", ""},
    {"no barrier between positions of a work item", PARTS,
     "s~    op2_wait();\n  }\n  op2_wait();~  }\n  op2_wait();~", ""},
    {"no barrier before rows go out", WIDE,
     "s~op2_row1[3]);\n    }\n    op2_wait();~op2_row1[3]);\n    }\n~", "barrier"},
    {"no barrier before another part's rows go out", PARTS,
     "s~    op2_wait();\n    if (op2_item() < op2_live) {\n      op2_store2~    if (op2_item() < "
     "op2_live) {\n      op2_store2~",
     ""},
    {"a barrier that not all reach", WIDE,
     "s~    op2_wait();\n    if (op2_item() <~    if (op2_item() < op2_live) op2_wait();\n    if "
     "(op2_item() <~",
     "is at the barrier"},
    {"a row's index in shared memory, taken", WIDE,
     "s~op2_wide0 + 6 * op2_item() + 0)~op2_wide0 + 6 * op2_item() + 2)~", NULL},
    {"a row's index in shared memory, put", WIDE,
     "s~op2_wide1 + 6 * op2_item() + 2,~op2_wide1 + 6 * op2_item() + 6,~", ""},
    {"rows that are shorter than their distance", WIDE,
     "s~op2_nth1 / 2 * 3 + op2_nth1 % 2]~op2_nth1]~", ""},
    {"a piece of the next group", WIDE,
     "s~op2_item() + 1 * op2_items()~op2_item() + 2 * op2_items()~", ""},
    {"rows of two dats in one place", TWO, "s~op2_shared + 48 *~op2_shared + 0 *~", ""},
    {"the other part of a row", PARTS, "s~% 6 + 6]~% 6 + 0]~", NULL},
    {"a row's index in memory", WIDE,
     "s~    } else {\n      for (int op2_i = op2_item(); op2_i < 2 * op2_live; op2_i += "
     "op2_items())\n        ((OP2_GLOBAL op2_unit16 *)(op2_dat1 + 4 * op2_base))[op2_i]~"
     "    } else {\n      for (int op2_i = op2_item(); op2_i < 2 * op2_live; op2_i += "
     "op2_items())\n        ((OP2_GLOBAL op2_unit16 *)(op2_dat1 + 4 * op2_base))[op2_i + 1]~",
     "writes"},
    {"a full group that has too few elements", WIDE, "s~(op2_live == op2_items())~(op2_live > 0)~",
     ""},
    {"all blocks at the first one's place", WIDE,
     "s~op2_base = op2_lo + op2_group() * op2_items()~op2_base = op2_lo~", "another block"},
    {"an element too many", NARROW, "s~if (op2_position < op2_hi)~if (op2_position <= op2_hi)~",
     "outside"},
    {"a target too many", INCREMENT, "s~if (op2_at >= op2_n0)~if (op2_at > op2_n0)~", "outside"},
    {"a target's number", INCREMENT, "s~: op2_at;~: op2_at + 1;~", ""},
    {"two items for a target", INCREMENT, "s~: op2_at;~: op2_at / 2;~", "barrier"},
    {"an index of a table", INCREMENT, "s~op2_t2[op2_i]~op2_t2[op2_i + 1]~", ""},
    {"an entry too many", INCREMENT, "s~op2_i < op2_t1[op2_at + 1]~op2_i <= op2_t1[op2_at + 1]~",
     ""},
    {"the wrong column", INCREMENT, "s~op2_column == 0~op2_column == 1~", NULL},
    {"an address that is not aligned", INCREMENT,
     "s~op2_load2(double, op2_dat1 + 2 *~op2_load2(double, op2_dat1 + 1 + 2 *~", "aligned"},
    {"all colours at once", IN_TURN, "s~!= op2_turn) continue~< 0) continue~", ""},
    {"colours that are not told apart", IN_TURN,
     "s~op2_t2[op2_position - op2_lo] != op2_turn~op2_turn != 0~", "barrier"},
    {"no barrier between colours", IN_TURN, "s~    }\n    op2_wait();\n  }\n~    }\n  }\n~", ""},
    {"the block after", IN_TURN, "s~op2_t0[op2_n1 + op2_group()]~op2_t0[op2_n1 + op2_group() + 1]~",
     ""},
    {"no barrier between a tree's levels", REDUCE,
     "s~    op2_wait();\n  }\n  if (op2_item() == 0)~  }\n  if (op2_item() == 0)~", "barrier"},
    {"values that nobody set", REDUCE, "s~op2_lane < 256;~op2_lane < 128;~", "never written"},
    {"the stride of partial results", REDUCE,
     "s~(op2_partial + 1 * op2_n0))[op2_group()]~(op2_partial + 0 * op2_n0))[op2_group()]~", ""},
    {"partial results of one place", REDUCE, "s~[op2_group()] =~[0] =~", "another block"},
    {"no fence before a group is counted", REDUCE,
     "s~  __threadfence();\n  const int op2_last~  const int op2_last~", "another block"},
    {"no fence before the last group reads", REDUCE,
     "s~  __threadfence();\n  return op2_last~  return op2_last~", "another block"},
    {"a group that takes itself for the last", REDUCE, "s~  if (!op2_last) return;~~", ""},
    {"a group that ends too early", REDUCE, "s~(unsigned)(op2_n - 1)~(unsigned)(op2_n - 2)~", ""},
    {"no barrier before a group knows whether it is the last", REDUCE,
     "s~op2_n0);\n  op2_wait();~op2_n0);~", "barrier"},
    {"no barrier before what it knows is written over", REDUCE,
     "s~  op2_wait();\n  if (!op2_last)~  if (!op2_last)~", "barrier"},
    {"the place of the shared values", PARTS, "s~op2_shared + op2_n1 / 4~op2_shared + op2_n1~", ""},
    {"of equal minima the last", LOCATE,
     "s~op2_n < op2_m~op2_n > op2_m~\ns~op2_n < op2_m~op2_n > op2_m~\n"
     "s~op2_n < op2_m~op2_n > op2_m~",
     NULL},
    {"a winner that leaves its place behind", LOCATE,
     "s~op2_where[op2_lane] = op2_where[op2_other];~~", NULL},
    {"what another has left", LOCATE, "s~op2_position = op2_where[0];~op2_position = op2_lo;~",
     NULL},
    {"a number that no element leaves", LOCATE, "s~ = op2_winner2;~;~", "never written"},
    {"the first elements in all tiles", LOCATE,
     "s~op2_lo + op2_group() * 256 + op2_lane~op2_lo + op2_lane~", NULL},
    {"no barrier before who wins", LOCATE,
     "s~  }\n  op2_wait();\n  for (int op2_width~  }\n  for (int op2_width~", ""},
    {"who wins is nobody's", LOCATE,
     "s~if (op2_n1 && op2_winner[0] >= 0~if (op2_n1 && op2_winner[0] < 0~", NULL},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* ---- a device that is lost, or lacks memory -------------------------------------------------- */

static void lost(void) {
  char setting[32];
  int failed = 0, right = 0, other = 0;
  for (int n = 1; n <= 60; n++) {
    snprintf(setting, sizeof setting, "lost=%d", n);
    setenv("OP2_TEST_EMULATION", setting, 1);
    emulation_run(emulation_backend(), INCREMENT, test_cache(), &got);
    failed += got.status == OP2_ERR_FATAL && strstr(got.message, "lost");
    right += emulation_same(&got, emulation_expected(INCREMENT));
    other += got.status && got.status != OP2_ERR_FATAL;
  }
  ok(failed > 0 && other == 0, "a device that is lost is told: %d times", failed);
  ok(failed + right == 60, "and else results are right: %d times", right);
  unsetenv("OP2_TEST_EMULATION");
  emulation_run(emulation_backend(), INCREMENT, test_cache(), &got);
  ok(emulation_same(&got, emulation_expected(INCREMENT)), "the next context has it again");
}

static void little_memory(void) {
  int failed = 0, right = 0, other = 0;
  char setting[32];
  for (int kib = 1; kib <= 256; kib *= 2) {
    snprintf(setting, sizeof setting, "memory=%d", kib * 1024);
    setenv("OP2_TEST_EMULATION", setting, 1);
    emulation_run(emulation_backend(), INCREMENT, test_cache(), &got);
    failed += got.status == OP2_ERR_NOMEM;
    right += emulation_same(&got, emulation_expected(INCREMENT));
    other += got.status && got.status != OP2_ERR_NOMEM;
  }
  ok(right > 0 && other == 0, "a device of little memory: %d times too little, %d times enough",
     failed, right);
  unsetenv("OP2_TEST_EMULATION");
}

/* ---- the compiler ---------------------------------------------------------------------------- */

/* An undefined function is reported when the text is compiled, not when its binary is loaded. */
static void refuses(void) {
  static const char text[] = "double nowhere(double x);\n"
                             "extern \"C\" __global__ void f(double *x) {\n"
                             "  *x = nowhere(*x);\n"
                             "}\n";
  char log[4096] = "";
  void *program = NULL, *nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(void *, int, const char *const *), (*take_log)(void *, char *);
  int (*destroy)(void **);
  *(void **)&create = dlsym(nvrtc, "nvrtcCreateProgram");
  *(void **)&compile = dlsym(nvrtc, "nvrtcCompileProgram");
  *(void **)&take_log = dlsym(nvrtc, "nvrtcGetProgramLog");
  *(void **)&destroy = dlsym(nvrtc, "nvrtcDestroyProgram");
  ok(!create(&program, text, "loop.cu", 0, NULL, NULL) && compile(program, 0, NULL) &&
         !take_log(program, log) && strstr(log, "loop.cu:3") && strstr(log, "nowhere"),
     "a function that is nowhere is told with its line");
  destroy(&program);
  dlclose(nvrtc);
}

int main(void) {
  if (!emulation_begin()) return done();
  all_agree();
  few_groups();
  for (int f = 0; f < FAULTS; f++) emulation_find(&faults[f], "", "");
  lost();
  little_memory();
  if (strcmp(emulation_backend(), "cuda") == 0) refuses();
  emulation_end();
  return done();
}
