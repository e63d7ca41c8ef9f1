/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops are fused when they come together the second time: in one queue, in a queue that is queued
 * again, or in another one; OP2_FUSE changes this. Fused loops are found again, and their number is
 * bounded. Only the calls decide: neither replay nor the contents of a cache does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "combination.h"
#include "kernel.h"
#include "program.h"
#include "support.h"
#include "text.h"

OP2_KERNEL(put, (double *x, const double *v), { *x = *v; });
OP2_KERNEL(copy, (const double *x, double *y), { *y = *x; });
OP2_KERNEL(more, (double *x), { *x = 0.5 * *x + 1; });
OP2_KERNEL(spread, (const double *x, double *y), { *y += *x / 3; });

enum { N = 1000 };

struct mesh {
  op2_set cells, nodes;
  op2_map map;
  op2_dat x, y, z, w; /* w on nodes */
  op2_kernel put, copy, more, spread;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  int32_t *idx = scratch(N, sizeof *idx);
  for (int i = 0; i < N; i++) idx[i] = i * 7 % N / 5;
  m.cells = new_set(N, "cells");
  m.nodes = new_set(N, "nodes");
  m.map = new_map(m.cells, m.nodes, 1, idx, "map");
  m.x = new_dat(m.cells, 1, OP2_F64, NULL, "x");
  m.y = new_dat(m.cells, 1, OP2_F64, NULL, "y");
  m.z = new_dat(m.cells, 1, OP2_F64, NULL, "z");
  m.w = new_dat(m.nodes, 1, OP2_F64, NULL, "w");
  m.put = new_kernel(&put_kernel);
  m.copy = new_kernel(&copy_kernel);
  m.more = new_kernel(&more_kernel);
  m.spread = new_kernel(&spread_kernel);
  return m;
}

#define PUT(dat, value)                                                                            \
  MUST(op2_par_loop(m.put, m.cells, op2_arg_direct(dat, OP2_WRITE),                                \
                    op2_arg_val((double[]){value}, 1, OP2_F64)))
#define COPY(to, from)                                                                             \
  MUST(op2_par_loop(m.copy, m.cells, op2_arg_direct(from, OP2_READ), op2_arg_direct(to, OP2_WRITE)))
#define MORE(set, dat) MUST(op2_par_loop(m.more, set, op2_arg_direct(dat, OP2_RW)))
#define SPREAD(from)                                                                               \
  MUST(op2_par_loop(m.spread, m.cells, op2_arg_direct(from, OP2_READ),                             \
                    op2_arg_dat(m.w, 0, m.map, OP2_INC)))
#define FLUSH() MUST(op2_flush(test_ctx))

static bool fusing(void) { return test_ctx->backend->passes && !test_config.eager; }

#define EXPECT_GROUPS(want) expect_groups(want, __LINE__)
static void expect_groups(int64_t want, int line) {
  if (!fusing()) return;
  const struct op2i_program *program = test_ctx->sched->caches.programs;
  if (!EXPECT(program && program->grouping.ngroups == want))
    diag("line %d: %lld groups instead of %lld", line,
         program ? (long long)program->grouping.ngroups : -1, (long long)want);
}

static void expect_note(const char *text) {
  const struct op2i_program *program = test_ctx->sched->caches.programs;
  if (!fusing() || !EXPECT(program != NULL)) return;
  const char *notes = program->grouping.notes.chars;
  if (!EXPECT(notes && strstr(notes, text))) diag("notes: %s", notes ? notes : "none");
}

/* Run `body` in a context of its own, with variables set as in "NAME=VALUE". */
static void within(const char *setting, const char *cache, void (*body)(void)) {
  op2_context outer = test_ctx;
  op2_options options = config_options(&test_config);
  if (cache) options.cache_dir = cache;
  char name[32] = "";
  if (setting) {
    memcpy(name, setting, strcspn(setting, "="));
    setenv(name, strchr(setting, '=') + 1, 1);
  }
  MUST(op2_init(&options, &test_ctx));
  if (setting) unsetenv(name);
  body();
  op2_context inner = test_ctx;
  test_ctx = outer;
  MUST(op2_finalize(&inner));
}

/* ---- queues in which combinations are fused -------------------------------------------------- */

static void sequence(void) {
  struct mesh m = make_mesh();
  for (int round = 0; round < 4; round++) {
    PUT(m.x, round);
    COPY(m.y, m.x);
    FLUSH();
    EXPECT_GROUPS(round ? 1 : 2);
    expect_note(round ? "put+copy: one loop over 'cells'"
                      : "put+copy: kept apart until it comes again\n");
    EXPECT_VALUES(double, m.y, N, i, round);
  }
  if (!fusing()) return;
  EXPECT(test_ctx->sched->caches.nprograms == 1);
  EXPECT(test_ctx->sched->stats.programs_made == 2 &&
         test_ctx->sched->stats.programs_replayed == 2);
}

static void one_queue(void) {
  struct mesh m = make_mesh();
  for (int round = 0; round < 2; round++) {
    for (int step = 0; step < 3; step++) {
      MUST(op2_par_loop(m.copy, m.cells, op2_arg_dat(m.w, 0, m.map, OP2_READ),
                        op2_arg_direct(m.x, OP2_WRITE)));
      COPY(m.y, m.x);
      SPREAD(m.y);
      MORE(m.nodes, m.w);
    }
    FLUSH();
    /* The pair of copies comes twice, and is one loop from the start. The last time it has to store
     * x, which is not overwritten afterwards, so that is another combination. */
    EXPECT_GROUPS(round ? 9 : 10);
  }
}

/* The combination comes again among other loops, and uses the loop built for it. */
static void another_queue(void) {
  struct mesh m = make_mesh();
  for (int round = 0; round < 3; round++) {
    PUT(m.x, round);
    COPY(m.y, m.x);
    for (int k = 0; k < round; k++) MORE(m.nodes, m.w);
    FLUSH();
  }
  if (!fusing()) return;
  const struct op2i_program *last = test_ctx->sched->caches.programs;
  EXPECT(last->grouping.groups[0].count == 2 && last->next->grouping.groups[0].count == 2);
  EXPECT(last->grouping.groups[0].loop == last->next->grouping.groups[0].loop);
  EXPECT(last->next->next->grouping.ngroups == 2);
  EXPECT(test_ctx->sched->caches.combinations->fused.n == 1);
}

/* No queue comes again, but one pair does: the more queues there are, the less a repetition of the
 * pair says. */
static void without_pattern(void) {
  struct mesh m = make_mesh();
  op2_dat dats[40];
  for (int d = 0; d < 40; d++) dats[d] = new_dat(m.cells, 1, OP2_F64, NULL, "d");
  for (int d = 0; d < 40; d++) {
    PUT(dats[d], 1);
    MORE(m.cells, dats[d]);
    if (d % 10 == 0) COPY(m.y, m.x);
    if (d % 10 == 0) MORE(m.cells, m.y);
    FLUSH();
  }
  if (!fusing()) return;
  EXPECT(test_ctx->sched->caches.combinations->fused.n == 0);
  EXPECT(test_ctx->sched->caches.combinations->apart.n == 41);
  PUT(dats[39], 1);
  MORE(m.cells, dats[39]);
  FLUSH(); /* the whole sequence has come again */
  EXPECT(test_ctx->sched->caches.combinations->fused.n == 1);
}

static void never(void) {
  struct mesh m = make_mesh();
  for (int round = 0; round < 3; round++) {
    PUT(m.x, round);
    COPY(m.y, m.x);
    FLUSH();
    EXPECT_GROUPS(2);
  }
}

static void at_once(void) {
  struct mesh m = make_mesh();
  PUT(m.x, 1);
  COPY(m.y, m.x);
  FLUSH();
  EXPECT_GROUPS(1);
}

static void modes(void) {
  within("OP2_FUSE=0", NULL, never);
  within("OP2_FUSE=2", NULL, at_once);
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* The kernel `more` with a given number of tokens. */
static op2_kernel more_of(int tokens) {
  static const char body[] = "void more(double *x) { *x = 0.5 * *x + 1; ";
  enum { TOKENS = 19 }; /* including the closing brace */
  struct op2i_text text = {0};
  op2i_text_add(&text, "%s", body);
  for (int t = TOKENS; t < tokens; t++) op2i_text_add(&text, ";");
  op2i_text_add(&text, "}\n");
  op2_kernel kernel = new_kernel(&(op2_kernel_desc){.name = "more", .source = text.chars});
  op2i_text_free(&text);
  EXPECT(kernel->signature.ntokens == tokens);
  return kernel;
}

static void twelve_times(struct mesh m) {
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < 12; k++) MORE(m.cells, m.x);
    FLUSH();
  }
}

static void repeats(void) {
  static const struct {
    int tokens;
    int64_t groups;
  } lengths[] = {{100, 1}, {170, 1}, {171, 2}, {512, 3}, {513, 4}, {682, 4}, {683, 6}, {3000, 6}};
  struct mesh m = make_mesh();
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    m.more = more_of(lengths[k].tokens);
    twelve_times(m);
    EXPECT_GROUPS(lengths[k].groups);
    if (lengths[k].groups > 1)
      expect_note("the fused loop has that kernel as often as its length allows");
  }
  for (int k = 0; k < 12; k++) MORE(m.cells, m.x);
  double want = 0;
  for (int k = 0; k < 204; k++) want = 0.5 * want + 1;
  EXPECT_VALUES(double, m.x, N, i, want);
}

/* Loops are moved to later ones; together they use that kernel four times, and five times. */
static void moved_repeats(void) {
  for (int later = 1; later <= 2; later++) {
    struct mesh m = make_mesh();
    op2_kernel most_four = more_of(512), short_one = m.more;
    for (int round = 0; round < 2; round++) {
      m.more = most_four;
      for (int k = 0; k < 3; k++) MORE(m.cells, m.x);
      m.more = short_one;
      MORE(m.nodes, m.w);
      SPREAD(m.x);
      m.more = most_four;
      for (int k = 0; k < later; k++) MORE(m.cells, m.x);
      FLUSH();
    }
    EXPECT_GROUPS(1 + later);
  }
}

/* There are more pairs than are kept, all with one text; the first ones have been dropped, and
 * count as new when they come again. */
static void bounded(void) {
  enum { DATS = 300, MOST = 256 };
  struct mesh m = make_mesh();
  static op2_dat dats[DATS];
  for (int d = 0; d < DATS; d++) {
    dats[d] = new_dat(m.cells, 1, OP2_F64, NULL, "d");
    PUT(dats[d], d);
    MORE(m.cells, dats[d]);
    FLUSH();
    if (fusing()) EXPECT(test_ctx->sched->caches.combinations->fused.n <= MOST);
  }
  for (int d = 0; d < DATS; d++) EXPECT_VALUES(double, dats[d], N, i, 0.5 * d + 1);
  if (!fusing()) return;
  int64_t n = 0;
  for (const struct op2i_loop *loop = test_ctx->loops->first; loop; loop = loop->entry.next)
    n += loop->fused.members != NULL;
  EXPECT(n == test_ctx->sched->caches.combinations->fused.n && n > MOST / 2);
}

static void bounds(void) { within("OP2_FUSE=2", NULL, bounded); }

/* ---- independence of the results ------------------------------------------------------------- */

static double dumps[4][2 * N];
static double *dump;

/* Increments of two loops into one dat interleave if they are fused, which gives other bits than
 * one loop after the other. */
static void queue_increments(void) {
  struct mesh m = make_mesh();
  for (int round = 0; round < 4; round++) {
    PUT(m.x, 0.1 + round);
    PUT(m.y, 1e9 / 7);
    SPREAD(m.x);
    SPREAD(m.y);
    FLUSH();
    if (round == 1) MUST(op2_dat_get(m.w, dump));
  }
  MUST(op2_dat_get(m.w, dump + N));
}

static void same_bits(void) {
  static const char *const settings[] = {NULL, NULL, "OP2_REPLAY=0", "OP2_FUSE=0"};
  static int times;
  char cache[4096];
  snprintf(cache, sizeof cache, "%.4000s/cold-%d", test_scratch(), times++);
  for (int k = 0; k < 4; k++) { /* cold cache, warm cache, without replay, without fusion */
    dump = dumps[k];
    within(settings[k], cache, queue_increments);
  }
  EXPECT(!memcmp(dumps[0], dumps[1], sizeof *dumps));
  EXPECT(!memcmp(dumps[0], dumps[2], sizeof *dumps));
  /* Without fusion the bits differ, so a difference would have been seen above. */
  if (fusing()) EXPECT(memcmp(dumps[0], dumps[3], sizeof *dumps) != 0);
}

static const struct test_case cases[] = {
    {"a sequence that comes again", sequence},
    {"twice in one queue", one_queue},
    {"again in another queue", another_queue},
    {"queues without pattern", without_pattern},
    {"OP2_FUSE=0 and OP2_FUSE=2", modes},
    {"repeats of a kernel", repeats},
    {"repeats of a kernel in loops that are moved", moved_repeats},
    {"more fused loops than are kept", bounds},
    {"cold and warm caches, with and without replay", same_bits},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
