/* SPDX-License-Identifier: BSD-3-Clause */
/* A device with too little memory: objects that a program does not need there are evicted, loops
 * that do not fit run on the host, and results are the same as in any other run. Needs a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "hear.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"

enum { CELLS = 3000, EDGES = CELLS, STEPS = 3, DATS = 4, BYTES = CELLS * 8 };

OP2_KERNEL(spread, (const double *a, const double *b, double *c, double *d), {
  *c += *a + 2 * *b;
  *d += *b - *a;
});
OP2_KERNEL(shrink, (const double *old, double *x, double *sum, double *most), {
  *x = *old > 1000 ? *old - 1000 : *old;
  *sum += *x;
  *most = *x > *most ? *x : *most;
});
OP2_KERNEL(clear, (double *x, const double *value), { *x = *value; });
OP2_KERNEL(next, (const double *x, double *y), { *y = *x + 1; });

/* ---- a program with loops of each kind ------------------------------------------------------- */

struct flow {
  op2_context ctx;
  op2_set cells, edges, some;
  op2_map ends;
  op2_dat dats[DATS];
  op2_gbl sum, most;
  op2_kernel spread, shrink, clear, next;
};

static bool begin(struct flow *f, const char *backend, int log_level) {
  static int32_t ends[2 * EDGES];
  static int64_t some[CELLS / 7];
  static double values[CELLS];
  op2_options options = {
      .backend = backend, .threads = 2, .cache_dir = test_cache(), .log_level = log_level};
  for (int i = 0; i < EDGES; i++) ends[2 * i] = i, ends[2 * i + 1] = (i * 7 + 1) % CELLS;
  for (int i = 0; i < CELLS / 7; i++) some[i] = 7 * i;
  for (int i = 0; i < CELLS; i++) values[i] = i % 91;
  *f = (struct flow){0};
  bool good = CHECK(op2_init(&options, &f->ctx)) &&
              CHECK(op2_set_create(f->ctx, CELLS, "cells", &f->cells)) &&
              CHECK(op2_set_create(f->ctx, EDGES, "edges", &f->edges)) &&
              CHECK(op2_subset_create(f->cells, CELLS / 7, some, "some", &f->some)) &&
              CHECK(op2_map_create(f->edges, f->cells, 2, ends, "ends", &f->ends)) &&
              CHECK(op2_gbl_create(f->ctx, 1, OP2_F64, NULL, "sum", &f->sum)) &&
              CHECK(op2_gbl_create(f->ctx, 1, OP2_F64, NULL, "most", &f->most)) &&
              CHECK(op2_kernel_create(f->ctx, &spread_kernel, &f->spread)) &&
              CHECK(op2_kernel_create(f->ctx, &shrink_kernel, &f->shrink)) &&
              CHECK(op2_kernel_create(f->ctx, &clear_kernel, &f->clear)) &&
              CHECK(op2_kernel_create(f->ctx, &next_kernel, &f->next));
  for (int d = 0; d < DATS && good; d++)
    good = CHECK(op2_dat_create(f->cells, 1, OP2_F64, d < 2 ? values : NULL, "dat", &f->dats[d]));
  return good;
}

static op2_device_stats stats_of(const struct flow *f) {
  op2_device_stats stats = {0};
  CHECK(op2_device_stats_get(f->ctx, &stats));
  return stats;
}

static void end(struct flow *f) {
  op2_kernel_destroy(&f->spread);
  op2_kernel_destroy(&f->shrink);
  op2_kernel_destroy(&f->clear);
  op2_kernel_destroy(&f->next);
  for (int d = 0; d < DATS; d++) op2_dat_destroy(&f->dats[d]);
  op2_gbl_destroy(&f->sum);
  op2_gbl_destroy(&f->most);
  op2_map_destroy(&f->ends);
  op2_set_destroy(&f->some);
  op2_set_destroy(&f->cells);
  op2_set_destroy(&f->edges);
  is_int(stats_of(f).memory, 0, "memory on the device goes with what it was for");
  CHECK(op2_finalize(&f->ctx));
}

/* The terms are whole numbers, so that the sums do not depend on the order. */
static op2_status run(struct flow *f, int step) {
  const double zero = 0, value = step;
  op2_dat x = f->dats[0], y = f->dats[1], c = f->dats[2], d = f->dats[3];
  op2_status status = op2_gbl_set(f->sum, &zero);
  if (!status) status = op2_gbl_set(f->most, &zero);
  if (!status)
    status = op2_par_loop(f->spread, f->edges, op2_arg_dat(x, 0, f->ends, OP2_READ),
                          op2_arg_dat(y, 1, f->ends, OP2_READ), op2_arg_dat(c, 0, f->ends, OP2_INC),
                          op2_arg_dat(d, 1, f->ends, OP2_INC));
  if (!status)
    status =
        op2_par_loop(f->shrink, f->cells, op2_arg_direct(c, OP2_READ), op2_arg_direct(x, OP2_WRITE),
                     op2_arg_gbl(f->sum, OP2_INC), op2_arg_gbl(f->most, OP2_MAX));
  if (!status)
    status = op2_par_loop(f->clear, f->some, op2_arg_direct(d, OP2_WRITE),
                          op2_arg_val(&value, 1, OP2_F64));
  return status ? status : op2_flush(f->ctx);
}

struct outcome {
  double dats[DATS][CELLS], sum, most;
};

static bool runs(struct flow *f, struct outcome *out) {
  bool good = true;
  memset(out, 0, sizeof *out);
  for (int step = 0; step < STEPS && good; step++) good = !run(f, step);
  for (int d = 0; d < DATS && good; d++) good = !op2_dat_get(f->dats[d], out->dats[d]);
  good = good && !op2_gbl_get(f->sum, &out->sum) && !op2_gbl_get(f->most, &out->most);
  if (!good) diag("%s", op2_error_message());
  return good;
}

static struct outcome want;

/* ---- limits ---------------------------------------------------------------------------------- */

/* The device memory of a run without a limit, in bytes. */
static int64_t whole(const char *backend) {
  struct flow f;
  struct outcome got;
  if (!begin(&f, backend, 1)) return 0;
  bool good = runs(&f, &got);
  const op2_device_stats stats = stats_of(&f);
  ok(good && !memcmp(&got, &want, sizeof got) && stats.host_loops == 0 && stats.launches > 0,
     "%s: with enough memory all runs there", backend);
  end(&f);
  return stats.most_memory;
}

static bool explained_by(op2_context ctx, const char *reason) {
  static char text[1 << 15];
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  bool good = stream && !op2_explain(ctx, stream);
  if (stream) fclose(stream);
  return good && strstr(text, reason);
}

static bool explained(op2_context ctx) {
  return explained_by(ctx, "on the host: its values do not fit into the device's memory");
}

/* A table with more entries than the device counts: the host runs the loop. */
static void few_entries(const char *backend) {
  struct flow f;
  struct outcome got;
  if (!begin(&f, backend, 1)) return;
  f.ctx->device->limits.entries = 10;
  f.ctx->config.strategy = OP2I_DEVICE_REPEAT;
  bool good = runs(&f, &got) && !memcmp(&got, &want, sizeof got);
  ok(good && stats_of(&f).host_loops > 0 && stats_of(&f).launches > 0 &&
         explained_by(f.ctx, "on the host: its tables have more entries than a device counts"),
     "%s: a loop whose tables are too long runs on the host", backend);
  end(&f);
}

/* Beside StarPU's workers the loops count that the host runs in place of the device. */
static void beside_workers(const char *device) {
  struct flow f;
  struct outcome got;
  char place[40];
  snprintf(place, sizeof place, "*:%s", device);
  setenv("OP2_PLACE", place, 1);
  bool good = begin(&f, "starpu", 1);
  unsetenv("OP2_PLACE");
  if (!good) return;
  if (!f.ctx->device) {
    skip("starpu has no device");
  } else {
    f.ctx->device->memory.limit = 1;
    good = runs(&f, &got) && !memcmp(&got, &want, sizeof got);
    ok(good && stats_of(&f).host_loops >= 3 && stats_of(&f).launches == 0,
       "starpu: %d loops on the host count", (int)stats_of(&f).host_loops);
  }
  end(&f);
}

static void limited(const char *backend, int64_t all) {
  static const int eighths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  for (size_t i = 0; i < sizeof eighths / sizeof *eighths; i++) {
    struct flow f;
    struct outcome got;
    const int64_t limit = eighths[i] ? all * eighths[i] / 8 : 1;
    if (!begin(&f, backend, 1)) return;
    f.ctx->device->memory.limit = limit;
    bool good = runs(&f, &got) && !memcmp(&got, &want, sizeof got);
    const op2_device_stats stats = stats_of(&f);
    good = good && stats.most_memory <= limit && (stats.host_loops > 0) == (limit < all) &&
           explained(f.ctx) == (limit < all);
    if (!ok(good, "%s: with %d of 8 parts of it the results are the same", backend, eighths[i]))
      diag("%d loops on the host, %d launches, %d bytes", (int)stats.host_loops,
           (int)stats.launches, (int)stats.most_memory);
    end(&f);
  }
}

static void failing(const char *backend) {
  for (int every = 1; every <= 16; every++) {
    struct flow f;
    struct outcome got;
    if (!begin(&f, backend, 1)) return;
    f.ctx->device->memory.fail_every = every;
    bool good = runs(&f, &got) && !memcmp(&got, &want, sizeof got);
    const op2_device_stats stats = stats_of(&f);
    good = good && (every > 1 || stats.launches == 0) && (every > 4 || stats.host_loops > 0) &&
           (every <= 4 || stats.launches > 0);
    ok(good, "%s: each %d-th time there is none, the same", backend, every);
    end(&f);
  }
}

/* ---- eviction of dats ------------------------------------------------------------------------ */

static bool holds(op2_dat dat, double first) {
  static double got[CELLS];
  bool good = CHECK(op2_dat_get(dat, got));
  for (int i = 0; i < CELLS && good; i++) good = got[i] == i % 91 + first;
  return good;
}

static bool is_in(op2_dat dat, op2_data_state want_state) {
  op2_data_state state = OP2_STATE_BOTH;
  return CHECK(op2_dat_state(dat, &state)) && state == want_state;
}

static bool add_one(struct flow *f, int from, int to) {
  return CHECK(op2_par_loop(f->next, f->cells, op2_arg_direct(f->dats[from], OP2_READ),
                            op2_arg_direct(f->dats[to], OP2_WRITE))) &&
         CHECK(op2_flush(f->ctx));
}

/* The device has memory for three dats, and two programs of two dats each alternate. */
static void leaving(const char *backend) {
  struct flow f;
  if (!begin(&f, backend, 1)) return;
  f.ctx->device->memory.limit = 3 * BYTES + 1000;
  bool good = add_one(&f, 0, 2);
  good = good && is_in(f.dats[0], OP2_STATE_BOTH) && is_in(f.dats[2], OP2_STATE_HOST_UNALLOCATED);
  ok(good, "%s: a program has its two dats there", backend);
  good = add_one(&f, 1, 3);
  ok(good && is_in(f.dats[0], OP2_STATE_DEVICE_UNALLOCATED) &&
         is_in(f.dats[2], OP2_STATE_HOST_UNALLOCATED) && stats_of(&f).gets == 0,
     "%s: for the next one that goes which the host has as well", backend);
  good = add_one(&f, 0, 3);
  ok(good && is_in(f.dats[2], OP2_STATE_HOST_UNALLOCATED) &&
         is_in(f.dats[1], OP2_STATE_DEVICE_UNALLOCATED) && stats_of(&f).gets == 0,
     "%s: before one that it has not, though that was asked for longer ago", backend);
  for (int i = 0; i < 4; i++) good = good && add_one(&f, 2, 1) && add_one(&f, 0, 3);
  const op2_device_stats stats = stats_of(&f);
  ok(good && stats.host_loops == 0 && stats.gets > 0 && stats.most_memory <= 3 * BYTES + 1000,
     "%s: then others, whose values come to the host; all of it ran on the device", backend);
  ok(holds(f.dats[0], 0) && holds(f.dats[1], 2) && holds(f.dats[2], 1) && holds(f.dats[3], 1),
     "%s: and nothing is lost", backend);
  end(&f);
}

/* Two dats may be evicted without a copy, since the host has their values: the least recently used
 * one goes. */
static void longest_ago(const char *backend) {
  struct flow f;
  if (!begin(&f, backend, 1)) return;
  f.ctx->device->memory.limit = 3 * BYTES + 1000;
  bool good = CHECK(op2_dat_to(f.dats[1], OP2_PLACE_DEVICE)) &&
              CHECK(op2_dat_to(f.dats[0], OP2_PLACE_DEVICE)) && add_one(&f, 3, 2);
  ok(good && is_in(f.dats[0], OP2_STATE_BOTH) && is_in(f.dats[1], OP2_STATE_DEVICE_UNALLOCATED),
     "%s: the one goes that was asked for longest ago", backend);
  end(&f);
}

/* Loops that are fused fall back to the host together. */
static void fused(const char *backend) {
  struct flow f;
  setenv("OP2_FUSE", "2", 1);
  bool good = begin(&f, backend, 1);
  unsetenv("OP2_FUSE");
  if (!good) return;
  f.ctx->device->memory.limit = BYTES + 1000;
  for (int d = 0; d < 2; d++)
    good = good && CHECK(op2_par_loop(f.next, f.cells, op2_arg_direct(f.dats[2 * d], OP2_READ),
                                      op2_arg_direct(f.dats[d + 2], OP2_WRITE)));
  good = good && CHECK(op2_flush(f.ctx));
  const op2_device_stats stats = stats_of(&f);
  ok(good && stats.host_loops == 1 && stats.launches == 0 && explained(f.ctx) &&
         holds(f.dats[2], 1) && holds(f.dats[3], 2),
     "%s: fused loops run on the host", backend);
  end(&f);
}

static void by_hand(const char *backend) {
  struct flow f;
  if (!begin(&f, backend, 1)) return;
  f.ctx->device->memory.limit = BYTES - 1;
  FAILS(op2_dat_to(f.dats[0], OP2_PLACE_DEVICE), OP2_ERR_NOMEM);
  ok(is_in(f.dats[0], OP2_STATE_DEVICE_UNALLOCATED) && holds(f.dats[0], 0),
     "%s: what cannot be moved stays where it is", backend);
  f.ctx->device->memory.limit = 0;
  ok(CHECK(op2_dat_to(f.dats[0], OP2_PLACE_DEVICE)) && is_in(f.dats[0], OP2_STATE_BOTH),
     "%s: until there is room", backend);
  end(&f);
}

/* ---- warnings, and limits set by the environment --------------------------------------------- */

static int times_in(const char *text, const char *part) {
  int n = 0;
  for (; (text = strstr(text, part)); text++) n++;
  return n;
}

static void told_once(const char *backend) {
  struct flow f;
  struct outcome got;
  hear_begin();
  bool good = begin(&f, backend, 2);
  if (good) f.ctx->device->memory.limit = 1;
  good = good && runs(&f, &got) && runs(&f, &got);
  end(&f);
  const char *said = hear_end();
  ok(good &&
         times_in(said, "runs on the host: its values do not fit into the device's memory: ") ==
             3 &&
         times_in(said, "loop 'shrink' runs on the host") == 1 &&
         times_in(said, "OP2_DEVICE_MEMORY allows") == 3,
     "%s: each of three loops is warned of once: %s", backend, said);
}

static void by_environment(const char *backend) {
  struct flow f;
  setenv("OP2_DEVICE_MEMORY", "3", 1);
  bool good = begin(&f, backend, 1);
  unsetenv("OP2_DEVICE_MEMORY");
  if (!good) return;
  is_int(f.ctx->device->memory.limit, 3 << 20, "%s: OP2_DEVICE_MEMORY is in megabytes", backend);
  end(&f);
}

/* ---- among ranks ----------------------------------------------------------------------------- */

struct ranks {
  const char *backend;
  bool short_of_memory; /* true for one of the ranks */
  double sums[2];       /* of each rank */
};

/* A result that the ranks reduce, added to an earlier one. */
static int rank(struct op2i_comm *comm, void *data) {
  struct ranks *ranks = data;
  struct row w;
  if (row_begin(&w, comm, ranks->backend)) return 1;
  const bool lacks = ranks->short_of_memory && comm->rank == 1;
  if (lacks) w.ctx->device->memory.limit = 1;
  op2_device_stats stats = {0};
  int wrong = row_bump(&w, w.a) || row_add(&w, w.a) || row_total(&w, w.a) || row_bump(&w, w.a) ||
              row_total(&w, w.a) || op2_gbl_get(w.sum, &ranks->sums[comm->rank]) ||
              op2_device_stats_get(w.ctx, &stats);
  wrong += lacks ? stats.host_loops == 0 || stats.launches > 0 : stats.host_loops > 0;
  if (wrong) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

static void among_ranks(const char *backend) {
  struct ranks want_ranks = {.backend = "sequential"};
  setenv("OP2_LOG", "1", 1);
  is_int(run_contexts(2, rank, &want_ranks), 0, "two ranks on the host");
  for (int lacks = 0; lacks < 2; lacks++) {
    struct ranks got = {.backend = backend, .short_of_memory = lacks};
    const int wrong = run_contexts(2, rank, &got);
    ok(!wrong && got.sums[0] == want_ranks.sums[0] && got.sums[1] == want_ranks.sums[0] &&
           got.sums[0] != 0,
       "%s: two ranks%s", backend, lacks ? ", one without memory" : "");
  }
  unsetenv("OP2_LOG");
}

int main(void) {
  const char *backend;
  struct flow f;
  test_environment();
  for (int b = 0; (backend = next_backend(device_backends, &b));) {
    if (!begin(&f, "sequential", 1)) break;
    ok(runs(&f, &want) && want.sum > 0 && want.most > 0, "the reference runs");
    end(&f);
    limited(backend, whole(backend));
    failing(backend);
    leaving(backend);
    few_entries(backend);
    if (!backend_unfit("starpu")) beside_workers(backend);
    longest_ago(backend);
    fused(backend);
    by_hand(backend);
    told_once(backend);
    by_environment(backend);
    among_ranks(backend);
  }
  return done();
}
