/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that came once are reduced to their keys, and those that came again are kept whole up to
 * OP2_PROGRAM_BYTES. What was reduced or dropped gives the same results when it comes back. Sizes
 * are those of the library's own counts, which are compared here with the lists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "program_keep.h"
#include "support.h"

OP2_KERNEL(mix, (const int64_t *x, int64_t *y), { *y = (3 * *y + *x + 1) % 1000003; });
OP2_KERNEL(total, (const int64_t *x, int64_t *g), { *g += *x; });

enum { N = 60, DATS = 12, LONGEST = 400 };

struct mesh {
  op2_set cells;
  op2_dat dats[DATS];
  op2_gbl sum;
  op2_kernel mix, total;
  int64_t want[DATS][N]; /* computed here, in the order of the calls */
};

static struct mesh *make_mesh(void) {
  struct mesh *m = scratch(1, sizeof *m);
  memset(m, 0, sizeof *m);
  m->cells = new_set(N, "cells");
  for (int d = 0; d < DATS; d++) {
    for (int i = 0; i < N; i++) m->want[d][i] = 17 * d + i;
    m->dats[d] = new_dat(m->cells, 1, OP2_I64, m->want[d], "d");
  }
  m->sum = new_gbl(1, OP2_I64, NULL, "sum");
  m->mix = new_kernel(&mix_kernel);
  m->total = new_kernel(&total_kernel);
  return m;
}

static void queue_mix(struct mesh *m, int from, int to) {
  MUST(op2_par_loop(m->mix, m->cells, op2_arg_direct(m->dats[from], OP2_READ),
                    op2_arg_direct(m->dats[to], OP2_RW)));
  for (int i = 0; i < N; i++)
    m->want[to][i] = (3 * m->want[to][i] + m->want[from][i] + 1) % 1000003;
}

/* Queue the sequence with this number, of n loops, and run it. */
static void sequence(struct mesh *m, unsigned number, int n) {
  unsigned state = 2654435761u * (number + 1);
  for (int k = 0; k < n; k++) {
    state = state * 1664525u + 1013904223u;
    const int from = (int)(state >> 8) % DATS;
    queue_mix(m, from, (from + 1 + (int)(state >> 16) % (DATS - 1)) % DATS);
  }
  MUST(op2_flush(test_ctx));
}

static void expect_values(const struct mesh *m) {
  for (int d = 0; d < DATS; d++) EXPECT_VALUES(int64_t, m->dats[d], N, i, m->want[d][i]);
}

static struct op2i_sched *sched(void) { return test_ctx->sched; }

static bool several(void) {
  return test_ctx->backend->passes && !test_config.eager && test_ctx->config.replay;
}

/* The counts are those of the lists, and within the bound. */
static void expect_counts(void) {
  const struct op2i_caches *caches = &sched()->caches;
  size_t bytes = 0;
  int64_t n = 0, keys = 0;
  for (const struct op2i_program *p = caches->programs; p; p = p->next, n++) {
    bytes += p->kept.counted;
    keys += p->kept.key_only;
    EXPECT(p->kept.key_only ? !p->steps && !p->nsteps
                            : p->nsteps > 0 && (p->kept.again || p == caches->fresh));
  }
  for (int i = 0; i < OP2I_ALONE_LISTS; i++)
    for (const struct op2i_program *p = caches->alone[i]; p; p = p->next) bytes += p->kept.counted;
  EXPECT(n == caches->nprograms && keys == caches->nkeys && bytes == caches->bytes);
  if (!EXPECT(bytes <= (size_t)test_ctx->config.program_bytes)) diag("%zu bytes", bytes);
}

#define EXPECT_MADE(made, replayed) expect_made(made, replayed, __LINE__)
static void expect_made(int64_t made, int64_t replayed, int line) {
  const struct op2i_sched_stats *stats = &sched()->stats;
  if (!several()) return;
  if (!EXPECT(stats->programs_made == made && stats->programs_replayed == replayed))
    diag("line %d: %lld made, not %lld; %lld replayed, not %lld", line,
         (long long)stats->programs_made, (long long)made, (long long)stats->programs_replayed,
         (long long)replayed);
}

/* Run `body` in a context of its own, with these variables; a null value leaves one out. */
static void within(const char *bytes, const char *fuse, void (*body)(void)) {
  op2_context outer = test_ctx;
  op2_options options = config_options(&test_config);
  if (bytes) setenv("OP2_PROGRAM_BYTES", bytes, 1);
  if (fuse) setenv("OP2_FUSE", fuse, 1);
  MUST(op2_init(&options, &test_ctx));
  unsetenv("OP2_PROGRAM_BYTES");
  if (fuse) unsetenv("OP2_FUSE");
  body();
  op2_context inner = test_ctx;
  test_ctx = outer;
  MUST(op2_finalize(&inner));
}

/* ---- once, twice, three times ---------------------------------------------------------------- */

/* The newest program is whole until another one is made, so what comes twice in a row is found at
 * once. Fusion is off, so that only the lists decide. */
static void in_a_row(void) {
  struct mesh *m = make_mesh();
  sequence(m, 0, 20);
  EXPECT_MADE(1, 0);
  sequence(m, 0, 20);
  EXPECT_MADE(1, 1);
  sequence(m, 1, 20);
  EXPECT_MADE(2, 1);
  sequence(m, 0, 20);
  EXPECT_MADE(2, 2);
  expect_counts();
  expect_values(m);
}

static void third_time(void) {
  struct mesh *m = make_mesh();
  for (unsigned s = 0; s < 5; s++) sequence(m, s, 20);
  EXPECT_MADE(5, 0);
  if (several()) {
    const struct op2i_program *newest = sched()->caches.programs;
    EXPECT(sched()->caches.nkeys == 4 && !newest->kept.key_only && sched()->caches.fresh == newest);
    EXPECT(newest->next->kept.counted < newest->kept.counted / 4);
    EXPECT(sched()->stats.programs_reduced == 4 && !sched()->stats.programs_evicted);
  }
  for (unsigned s = 0; s < 4; s++) sequence(m, s, 20);
  EXPECT_MADE(9, 0);
  if (several()) EXPECT(sched()->caches.nkeys == 1 && sched()->caches.nprograms == 5);
  for (unsigned s = 0; s < 4; s++) sequence(m, s, 20);
  EXPECT_MADE(9, 4);
  if (several()) EXPECT(sched()->caches.programs->runs == 3);
  expect_counts();
  expect_values(m);
}

/* With fusion, programs whose loops were kept apart are made anew as well, once. */
static void fused(void) {
  struct mesh *m = make_mesh();
  for (int round = 0; round < 4; round++)
    for (unsigned s = 0; s < 3; s++) sequence(m, s, 12);
  EXPECT_MADE(6, 6);
  expect_counts();
  expect_values(m);
}

static void appearances(void) {
  within(NULL, "0", in_a_row);
  within(NULL, "0", third_time);
  within(NULL, "1", fused);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Random sequences take a small part of what whole programs would. */
static void never_again(void) {
  enum { SEQUENCES = 40 };
  struct mesh *m = make_mesh();
  size_t whole = 0;
  const unsigned n = several() ? SEQUENCES : 3;
  for (unsigned s = 0; s < n; s++) {
    sequence(m, s, LONGEST);
    expect_counts();
    if (several()) whole += sched()->caches.programs->kept.counted;
  }
  if (several() && !EXPECT(sched()->caches.bytes < whole / 4))
    diag("%zu bytes are kept, %zu as whole programs", sched()->caches.bytes, whole);
  expect_values(m);
}

/* Each sequence comes three times in a row, and then once more: not all of them fit. */
static void evicted(void) {
  enum { SEQUENCES = 12 };
  struct mesh *m = make_mesh();
  for (unsigned round = 0; round < 4; round++)
    for (unsigned s = 0; s < SEQUENCES; s++)
      for (int times = round ? 1 : 3; times > 0; times--) {
        sequence(m, s, several() ? 60 : 4);
        expect_counts();
      }
  expect_values(m);
  if (!several()) return;
  const struct op2i_sched_stats *stats = &sched()->stats;
  if (!EXPECT(stats->programs_evicted > SEQUENCES))
    diag("%lld programs were evicted", (long long)stats->programs_evicted);
  EXPECT(stats->programs_made > 2 * SEQUENCES && stats->programs_replayed >= SEQUENCES);
}

/* The program that was used last is the last to go. */
static void least_recent(void) {
  struct mesh *m = make_mesh();
  for (unsigned s = 1; s < 9; s++)
    for (int times = 0; times < 2; times++) {
      sequence(m, 0, 60);
      sequence(m, s, 60);
    }
  if (several()) {
    const struct op2i_sched_stats *stats = &sched()->stats;
    EXPECT(stats->programs_evicted > 0);
    const int64_t made = stats->programs_made;
    sequence(m, 0, 60);
    EXPECT(stats->programs_made == made);
  }
  expect_counts();
  expect_values(m);
}

static void none_kept(void) {
  struct mesh *m = make_mesh();
  for (int round = 0; round < 3; round++)
    for (unsigned s = 0; s < 3; s++) sequence(m, s, 10);
  MUST(op2_par_loop(m->total, m->cells, op2_arg_direct(m->dats[0], OP2_READ),
                    op2_arg_gbl(m->sum, OP2_INC)));
  int64_t want = 0;
  for (int i = 0; i < N; i++) want += m->want[0][i];
  EXPECT_GBL(int64_t, m->sum, want);
  expect_values(m);
  EXPECT(!sched()->caches.bytes && !sched()->caches.nprograms);
  if (several()) EXPECT(sched()->stats.programs_made >= 9);
}

/* Programs of single loops are bounded as well; where queues become programs, flushes make them. */
static void single_loops(void) {
  struct mesh *m = make_mesh();
  for (int round = 0; round < 2; round++)
    for (int from = 0; from < DATS; from++)
      for (int to = 0; to < DATS; to++) {
        if (from == to) continue;
        queue_mix(m, from, to);
        MUST(op2_flush(test_ctx));
        if (!EXPECT(sched()->caches.bytes <= (size_t)test_ctx->config.program_bytes)) return;
      }
  expect_values(m);
}

static void bounds(void) {
  within(NULL, NULL, never_again);
  within("200000", "0", evicted);
  within("200000", "1", evicted);
  within("100000", "0", least_recent);
  within("0", NULL, none_kept);
  within("20000", NULL, single_loops);
}

/* ---- the verifier, the explanation ------------------------------------------------------------ */

static void counted_wrongly(void) {
  struct mesh *m = make_mesh();
  sequence(m, 0, 5);
  EXPECT(!op2i_programs_verify(sched()));
  sched()->caches.bytes++;
  EXPECT(op2i_programs_verify(sched()) == OP2_ERR_STATE);
  sched()->caches.bytes--;
  if (!several()) return;
  sched()->caches.nkeys++;
  EXPECT(op2i_programs_verify(sched()) == OP2_ERR_STATE);
  sched()->caches.nkeys--;
  const int most = test_ctx->config.program_bytes;
  test_ctx->config.program_bytes = 1;
  EXPECT(op2i_programs_verify(sched()) == OP2_ERR_STATE);
  test_ctx->config.program_bytes = most;
  sequence(m, 1, 5);
  struct op2i_program *fresh = sched()->caches.fresh;
  sched()->caches.fresh = NULL;
  EXPECT(op2i_programs_verify(sched()) == OP2_ERR_STATE);
  sched()->caches.fresh = fresh;
  EXPECT(!op2i_programs_verify(sched()));
}

static void explained(void) {
  struct mesh *m = make_mesh();
  char *text = NULL;
  size_t size;
  sequence(m, 0, 5);
  sequence(m, 1, 5);
  FILE *stream = open_memstream(&text, &size);
  if (!EXPECT(stream != NULL)) return;
  MUST(op2_explain(test_ctx, stream));
  fclose(stream);
  if (several())
    EXPECT(strstr(text, "kept: 1 whole, 1 as keys,") && strstr(text, "run 1 time, kept as a key"));
  free(text);
}

static const struct test_case cases[] = {
    {"programs are found from their third appearance", appearances},
    {"programs take OP2_PROGRAM_BYTES at most", bounds},
    {"counts that are wrong are noticed", counted_wrongly},
    {"the explanation", explained},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
