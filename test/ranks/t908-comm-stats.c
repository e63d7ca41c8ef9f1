/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of halo exchanges: in total, by neighbour and by dat; and as text, with the points
 * of a program where they occur. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "init.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

/* Two dats that are read by one loop each: one exchange, or two if loops run singly. */
static op2_status queue(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->b) || row_look(w, w->a) || row_look(w, w->b);
}

enum { ROW_BYTES = 8, TIMES = 3 };

static int differs(const char *what, int64_t is, int64_t want) {
  if (is != want) fprintf(stderr, "# %s: %d, not %d\n", what, (int)is, (int)want);
  return is != want;
}

static int look_at_figures(struct row *w, int exchanges) {
  op2_comm_stats stats;
  op2_comm_neighbour neighbour;
  op2_comm_dat dat;
  op2_dat want[] = {w->a, w->b};
  int wrong = op2_comm_stats_get(w->ctx, &stats) != OP2_SUCCESS;
  if (wrong) return wrong;
  wrong += differs("exchanges", stats.exchanges, TIMES * exchanges);
  wrong += differs("messages", stats.messages, TIMES * exchanges);
  wrong += differs("bytes", stats.bytes, TIMES * 2 * ROW_BYTES);
  wrong += !(stats.travelling > 0 && stats.waited >= 0 && stats.waited <= stats.travelling);
  if (op2_comm_neighbour_get(w->ctx, 0, &neighbour)) return wrong + 1;
  wrong += differs("neighbour", neighbour.rank, 1 - w->comm->rank);
  wrong += differs("its messages", neighbour.messages, stats.messages);
  wrong += differs("its bytes", neighbour.bytes, stats.bytes);
  wrong += op2_comm_neighbour_get(w->ctx, 1, &neighbour) != OP2_ERR_RANGE;
  for (int d = 0; d < 2; d++) {
    if (op2_comm_dat_get(w->ctx, d, &dat)) return wrong + 1;
    wrong += dat.dat != want[d] || strcmp(dat.name, d ? "b" : "a") != 0;
    wrong += differs("exchanges of a dat", dat.exchanges, TIMES);
    wrong += differs("bytes of a dat", dat.bytes, TIMES * ROW_BYTES);
  }
  return wrong + (op2_comm_dat_get(w->ctx, 2, &dat) != OP2_ERR_RANGE);
}

static int look_at_words(struct row *w, bool together) {
  const char *want[] = {
      "bytes sent; ", "  of 'a': 24 bytes in 3 exchanges\n",
      "  halos of 'a', 'b' are sent before 'look', waited for in 'look': 16 bytes in 1 "
      "message\n"};
  char text[16384] = "";
  int wrong = 0;
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (!stream || op2_explain(w->ctx, stream)) return 1;
  fclose(stream);
  for (int i = 0; i < (together ? 3 : 2); i++) {
    if (strstr(text, want[i])) continue;
    fprintf(stderr, "# not there: %s", want[i]);
    wrong++;
  }
  return wrong;
}

static int rank(struct op2i_comm *comm, void *backend) {
  struct row w;
  bool together = strcmp(backend, "sequential") != 0;
  int wrong = row_begin(&w, comm, backend) != OP2_SUCCESS;
  for (int t = 0; t < TIMES && !wrong; t++) wrong = queue(&w) || op2_flush(w.ctx);
  if (!wrong) wrong = look_at_figures(&w, together ? 1 : 2) + look_at_words(&w, together);
  if (wrong) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

/* ---- messages in one direction only ---------------------------------------------------------- */

/* The last edge of rank 0 is in the exec halo of rank 1; rank 0 has none of rank 1. */
static int one_way(struct op2i_comm *comm, void *backend) {
  struct row w;
  op2_comm_stats stats;
  op2_comm_neighbour neighbour;
  op2_comm_dat dat;
  int first = comm->rank == 0;
  if (row_begin(&w, comm, backend)) return 1;
  int wrong = row_look(&w, w.b) || row_add(&w, w.a) || op2_flush(w.ctx) ||
              op2_comm_stats_get(w.ctx, &stats) || op2_comm_dat_get(w.ctx, 0, &dat);
  if (!wrong) {
    op2_status status = op2_comm_neighbour_get(w.ctx, 0, &neighbour);
    wrong += differs("exchanges", stats.exchanges, 1);
    wrong += differs("messages", stats.messages, first);
    wrong += differs("bytes", stats.bytes, first * ROW_BYTES);
    wrong += differs("neighbours", status == OP2_SUCCESS, first);
    wrong += first && differs("its bytes", neighbour.bytes, ROW_BYTES);
    wrong += dat.dat != w.e;
    wrong += differs("bytes of the edges' dat", dat.bytes, first * ROW_BYTES);
  }
  if (wrong) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

/* ---- order of the entries -------------------------------------------------------------------- */

enum { DATS = 11 };

/* Each dat has another dim and is exchanged once: eight are listed, the widest first. */
static int most_first(struct op2i_comm *comm, void *backend) {
  struct row w;
  op2_dat dats[DATS] = {0};
  char text[16384] = "", name[20], *at = text;
  if (row_begin(&w, comm, backend)) return 1;
  int wrong = 0;
  for (int i = 0; i < DATS && !wrong; i++) {
    int dim = 1 + (i * 4) % DATS; /* 1 to 11, in no particular order */
    int64_t zeros[(ROW_CELLS / 2 + 1) * DATS] = {0};
    snprintf(name, sizeof name, "wide%d", dim);
    wrong = op2_dat_create(w.cells, dim, OP2_I64, NULL, name, &dats[i]) ||
            op2_dat_set(dats[i], zeros) || op2_dat_get_halo(dats[i], zeros);
  }
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (!stream || op2_explain(w.ctx, stream)) wrong++;
  if (stream) fclose(stream);
  for (int i = 0; i < 8 && !wrong; i++) {
    char line[80];
    snprintf(line, sizeof line, "  of 'wide%d': %d bytes in 1 exchange\n", DATS - i,
             (DATS - i) * ROW_BYTES);
    at = strstr(at, line);
    wrong += !at;
  }
  wrong = wrong || !strstr(at, "\n  of 3 more: 48 bytes\n");
  if (wrong) fprintf(stderr, "# rank %d: %s\n%s\n", comm->rank, op2_error_message(), text);
  for (int i = 0; i < DATS; i++) op2_dat_destroy(&dats[i]);
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

static void alone(void) {
  op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  op2_comm_stats stats;
  op2_comm_neighbour neighbour;
  op2_comm_dat dat;
  memset(&stats, 0xff, sizeof stats);
  if (!CHECK(op2_init(&options, &ctx))) return;
  CHECK(op2_comm_stats_get(ctx, &stats));
  ok(stats.exchanges == 0 && stats.messages == 0 && stats.bytes == 0 && stats.travelling == 0 &&
         stats.waited == 0 && stats.reserved[7] == 0,
     "alone nothing travels");
  FAILS(op2_comm_neighbour_get(ctx, 0, &neighbour), OP2_ERR_RANGE);
  FAILS(op2_comm_dat_get(ctx, 0, &dat), OP2_ERR_RANGE);
  FAILS(op2_comm_stats_get(ctx, NULL), OP2_ERR_ARG);
  FAILS(op2_comm_neighbour_get(ctx, -1, &neighbour), OP2_ERR_ARG);
  FAILS(op2_comm_dat_get(ctx, 0, NULL), OP2_ERR_ARG);
  CHECK(op2_finalize(&ctx));
  FAILS(op2_comm_stats_get(NULL, &stats), OP2_ERR_STATE);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  test_environment();
  setenv("OP2_FUSE", "0", 1);
  for (int b = 0; b < 3; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why) {
      skip("%s: %s", backends[b], why);
      continue;
    }
    is_int(run_contexts(2, rank, (void *)backends[b]), 0, "figures and words on %s", backends[b]);
    is_int(run_contexts(2, one_way, (void *)backends[b]), 0, "one way on %s", backends[b]);
    is_int(run_contexts(2, most_first, (void *)backends[b]), 0, "most first on %s", backends[b]);
  }
  alone();
  return done();
}
