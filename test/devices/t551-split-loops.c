/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that the host's processors and a device run together, each a part: the bits are the same
 * wherever the cut is and whatever the device's strategy, and only the rows at the cut are copied.
 * Needs StarPU and a device (PoCL will do). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "loopdata.h"
#include "mesh.h"
#include "support.h"

/* Cells in rows of WIDTH, and the edges between them in about the same order. */
enum { WIDTH = 20, HEIGHT = 300, CELLS = WIDTH * HEIGHT, EDGES = 2 * CELLS - WIDTH - HEIGHT };
enum { STEPS = 9, ROW = 2 * 8 };

OP2_KERNEL(flux, (const double *x1, const double *x2, const double *w, double *r1, double *r2), {
  double f = (x2[0] - x1[0] * x1[1]) * w[0];
  r1[0] += f;
  r2[0] -= f;
  r1[1] += 0.1 * f;
  r2[1] -= 0.3 * f;
});
OP2_KERNEL(settle, (double *x, double *r, double *sum, double *most), {
  for (int i = 0; i < 2; i++) {
    x[i] += 0.01 * r[i];
    r[i] = 0;
  }
  *sum += x[0] * x[0];
  if (x[1] > *most) *most = x[1];
});
OP2_KERNEL(keep, (const double *x, double *old), {
  old[0] = x[0];
  old[1] = x[1];
});
OP2_KERNEL(blend, (const double *x1, const double *x2, double *w),
           { w[0] = 0.9 * w[0] + 0.01 * (x1[0] + x2[1]); });
OP2_KERNEL(lowest, (const double *w, double *low1, double *low2), {
  if (*w < *low1) *low1 = *w;
  if (-*w < *low2) *low2 = -*w;
});

struct mesh {
  op2_context ctx;
  op2_set cells, edges;
  op2_map ends;
  op2_dat x, r, old, w, low;
  op2_gbl sum, most;
  op2_kernel flux, settle, keep, blend, lowest;
};

struct values {
  double x[2 * CELLS], old[2 * CELLS], w[EDGES], low[CELLS], mosts[STEPS], sums[STEPS];
};

static int32_t ends[2 * EDGES];

static void lay_edges(void) {
  int e = 0;
  for (int c = 0; c < CELLS; c++) {
    if (c % WIDTH + 1 < WIDTH) ends[2 * e] = c, ends[2 * e++ + 1] = c + 1;
    if (c + WIDTH < CELLS) ends[2 * e] = c + WIDTH, ends[2 * e++ + 1] = c;
  }
  if (e != EDGES) abort();
}

static void build(struct mesh *m) {
  static double x[2 * CELLS], w[EDGES];
  uint64_t seed = 7;
  for (int i = 0; i < 2 * CELLS; i++) x[i] = 1 + draw_below(&seed, 1000) / 999.0;
  for (int e = 0; e < EDGES; e++) w[e] = draw_below(&seed, 1000) / 997.0;
  CHECK(op2_set_create(m->ctx, CELLS, "cells", &m->cells));
  CHECK(op2_set_create(m->ctx, EDGES, "edges", &m->edges));
  CHECK(op2_map_create(m->edges, m->cells, 2, ends, "ends", &m->ends));
  CHECK(op2_dat_create(m->cells, 2, OP2_F64, x, "x", &m->x));
  CHECK(op2_dat_create(m->cells, 2, OP2_F64, NULL, "r", &m->r));
  CHECK(op2_dat_create(m->cells, 2, OP2_F64, NULL, "old", &m->old));
  CHECK(op2_dat_create(m->edges, 1, OP2_F64, w, "w", &m->w));
  CHECK(op2_dat_create(m->cells, 1, OP2_F64, NULL, "low", &m->low));
  CHECK(op2_gbl_create(m->ctx, 1, OP2_F64, NULL, "sum", &m->sum));
  CHECK(op2_gbl_create(m->ctx, 1, OP2_F64, NULL, "most", &m->most));
  CHECK(op2_kernel_create(m->ctx, &flux_kernel, &m->flux));
  CHECK(op2_kernel_create(m->ctx, &settle_kernel, &m->settle));
  CHECK(op2_kernel_create(m->ctx, &keep_kernel, &m->keep));
  CHECK(op2_kernel_create(m->ctx, &blend_kernel, &m->blend));
  CHECK(op2_kernel_create(m->ctx, &lowest_kernel, &m->lowest));
}

static void close_mesh(struct mesh *m) {
  op2_dat *const dats[] = {&m->x, &m->r, &m->old, &m->w, &m->low};
  op2_kernel *const kernels[] = {&m->flux, &m->settle, &m->keep, &m->blend, &m->lowest};
  for (int d = 0; d < 5; d++) op2_dat_destroy(dats[d]);
  for (int k = 0; k < 5; k++) op2_kernel_destroy(kernels[k]);
  op2_gbl_destroy(&m->sum);
  op2_gbl_destroy(&m->most);
  op2_map_destroy(&m->ends);
  op2_set_destroy(&m->edges);
  op2_set_destroy(&m->cells);
  CHECK(op2_finalize(&m->ctx));
}

static bool open_mesh(struct mesh *m, const char *backend, const char *place) {
  op2_options options = {.backend = backend, .block_size = 64, .threads = 2};
  *m = (struct mesh){0};
  if (place)
    setenv("OP2_PLACE", place, 1);
  else
    unsetenv("OP2_PLACE");
  if (!CHECK(op2_init(&options, &m->ctx))) return false;
  build(m);
  return true;
}

static void queue_flux(struct mesh *m) {
  CHECK(op2_par_loop(m->flux, m->edges, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
                     op2_arg_dat(m->x, 1, m->ends, OP2_READ), op2_arg_direct(m->w, OP2_READ),
                     op2_arg_dat(m->r, 0, m->ends, OP2_INC),
                     op2_arg_dat(m->r, 1, m->ends, OP2_INC)));
}

static void queue_settle(struct mesh *m) {
  const double zero = 0;
  CHECK(op2_gbl_set(m->sum, &zero));
  CHECK(op2_par_loop(m->settle, m->cells, op2_arg_direct(m->x, OP2_RW),
                     op2_arg_direct(m->r, OP2_RW), op2_arg_gbl(m->sum, OP2_INC),
                     op2_arg_gbl(m->most, OP2_MAX)));
}

static void queue_keep(struct mesh *m, op2_dat from, op2_dat to) {
  CHECK(op2_par_loop(m->keep, m->cells, op2_arg_direct(from, OP2_READ),
                     op2_arg_direct(to, OP2_WRITE)));
}

static void queue_rest(struct mesh *m) {
  queue_keep(m, m->x, m->old);
  CHECK(op2_par_loop(m->blend, m->edges, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
                     op2_arg_dat(m->x, 1, m->ends, OP2_READ), op2_arg_direct(m->w, OP2_RW)));
  CHECK(op2_par_loop(m->lowest, m->edges, op2_arg_direct(m->w, OP2_READ),
                     op2_arg_dat(m->low, 0, m->ends, OP2_MIN),
                     op2_arg_dat(m->low, 1, m->ends, OP2_MIN)));
}

static void run_steps(struct mesh *m, struct values *out) {
  for (int s = 0; s < STEPS; s++) {
    void *at;
    queue_rest(m);
    queue_flux(m);
    queue_settle(m);
    if (s % 4 == 3) { /* the host changes values all over the mesh */
      CHECK(op2_dat_write_begin(m->x, &at));
      for (int c = 0; c < CELLS; c += 7) ((double *)at)[2 * c] = 1 + c % 13;
      CHECK(op2_dat_write_end(m->x, &at));
    }
    CHECK(op2_gbl_get(m->sum, &out->sums[s]));
    CHECK(op2_gbl_get(m->most, &out->mosts[s]));
  }
  CHECK(op2_dat_get(m->x, out->x));
  CHECK(op2_dat_get(m->old, out->old));
  CHECK(op2_dat_get(m->w, out->w));
  CHECK(op2_dat_get(m->low, out->low));
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct values wanted;

/* The largest difference, relative to the larger of the expected value and one. */
static double off(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(a[i] - b[i]) / fmax(1, fabs(b[i]));
    if (!(d <= most)) most = isnan(d) ? HUGE_VAL : d;
  }
  return most;
}

static int64_t split_runs(const struct mesh *m) {
  int64_t runs = 0;
  for (const struct op2i_loop *loop = m->ctx->loops->first; loop; loop = loop->entry.next)
    runs += loop->attached.sched_data
                ? ((const struct op2i_loop_data *)loop->attached.sched_data)->placed[2]
                : 0;
  return runs;
}

static void check_values(const struct values *got, bool bits, const char *what) {
  const size_t dats = offsetof(struct values, sums);
  double most = off((const double *)got, (const double *)&wanted, (int)(sizeof wanted / 8));
  if (bits)
    ok(!memcmp(got, &wanted, dats), "%s: the bits of the host alone (off by %.1e)", what, most);
  ok(most < 1e-12, "%s: its values, by %.1e", what, most);
}

static void values_of(const char *place, const char *strategy, bool bits) {
  static struct values got, again;
  char what[96];
  struct mesh m;
  snprintf(what, sizeof what, "%s, %s", place, strategy ? strategy : "no strategy named");
  if (strategy) setenv("OP2_DEVICE_STRATEGY", strategy, 1);
  for (int time = 0; time < 2 && open_mesh(&m, "starpu", place); time++) {
    run_steps(&m, time ? &again : &got);
    ok(split_runs(&m) >= STEPS, "%s: %d runs in two parts", what, (int)split_runs(&m));
    close_mesh(&m);
  }
  check_values(&got, bits, what);
  if (!strategy || strcmp(strategy, "atomics") != 0)
    ok(!memcmp(&got, &again, sizeof got), "%s: the same bits again", what);
  unsetenv("OP2_DEVICE_STRATEGY");
}

static void values(void) {
  static const struct {
    const char *name;
    bool bits;
  } ways[] = {{NULL, true},      {"repeat", true},    {"owner", true},  {"gather", true},
              {"staged", false}, {"unstaged", false}, {"serial", true}, {"atomics", false}};
  struct mesh m;
  if (!open_mesh(&m, "starpu", NULL)) return;
  run_steps(&m, &wanted);
  close_mesh(&m);
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    values_of("*:split=3:1", ways[w].name, ways[w].bits);
  values_of("*:split=1:7", NULL, true);
  values_of("*:split=999:1", NULL, true);
  values_of("settle:split=2:1,flux:device,*:alternate", NULL, true);
  values_of("flux:split=1:1,settle:split=1:3,blend:split=3:1,*:random", NULL, true);
  setenv("OP2_SHADOW", "1", 1);
  values_of("*:split=3:1", NULL, true);
  values_of("settle:split=2:1,flux:device,*:cpu", NULL, true);
  unsetenv("OP2_SHADOW");
}

/* The device has less memory than the mesh needs: some loops run on the host as a whole. */
static void little_memory(void) {
  static struct values got;
  struct mesh m;
  op2_device_stats stats = {0};
  if (!open_mesh(&m, "starpu", "*:split=1:1")) return;
  for (int64_t bytes = 50000; bytes < 800000; bytes += 125000) {
    close_mesh(&m);
    if (!open_mesh(&m, "starpu", "*:split=1:1")) return;
    m.ctx->device->memory.limit = bytes;
    run_steps(&m, &got);
    CHECK(op2_device_stats_get(m.ctx, &stats));
    ok(stats.most_memory <= bytes, "%d bytes on the device: at most %d are used", (int)bytes,
       (int)stats.most_memory);
    check_values(&got, true, "little memory");
  }
  close_mesh(&m);
}

/* A dat that is partly on the device is evicted for others: its part is copied to the host
 * first. */
static void gives_way(void) {
  static double want[2 * CELLS], got[2 * CELLS];
  op2_data_state state = OP2_STATE_SPLIT;
  for (int limited = 0; limited < 2; limited++) {
    struct mesh m;
    if (!open_mesh(&m, "starpu", "*:split=1:1")) return;
    queue_settle(&m);
    CHECK(op2_flush(m.ctx));
    if (limited) m.ctx->device->memory.limit = m.ctx->device->memory.used + 1;
    queue_keep(&m, m.old, m.r);
    CHECK(op2_flush(m.ctx));
    if (limited) CHECK(op2_dat_state(m.x, &state));
    CHECK(op2_dat_get(m.x, limited ? got : want));
    close_mesh(&m);
  }
  is_int(state, OP2_STATE_DEVICE_UNALLOCATED, "a dat that is split leaves the device for others");
  ok(!memcmp(got, want, sizeof got), "and its values come to the host before");
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* A cut by its definition: the host's elements are those up to the last one that has an end before
 * the cut, the device's begin with the first that has one after it. */
struct cut {
  int64_t row, host_end, device_begin; /* a row of cells; edges */
  int64_t last, first;                 /* cells that these reach: below `last`, from `first` on */
};

static struct cut cut_at(int64_t row) {
  struct cut cut = {.row = row, .device_begin = EDGES, .first = CELLS};
  for (int64_t e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) {
      if (ends[2 * e + k] < row) cut.host_end = e + 1;
      if (ends[2 * e + k] >= row && e < cut.device_begin) cut.device_begin = e;
    }
  for (int64_t e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) {
      if (e < cut.host_end && ends[2 * e + k] >= cut.last) cut.last = ends[2 * e + k] + 1;
      if (e >= cut.device_begin && ends[2 * e + k] < cut.first) cut.first = ends[2 * e + k];
    }
  return cut;
}

static void queue_pair(struct mesh *m) {
  queue_flux(m);
  queue_settle(m);
}

static const char *explanation(const struct mesh *m) {
  static char text[1 << 15];
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (stream) CHECK(op2_explain(m->ctx, stream));
  if (stream) fclose(stream);
  return text;
}

/* op2_explain() reports the same bytes for dats; results of reductions are copied to the host
 * besides. */
static void told_copies(const struct mesh *m, const char *place, int64_t put_bytes,
                        int64_t get_bytes) {
  char line[160];
  snprintf(line, sizeof line,
           "each time it brings %d bytes of dats to the device and %d to the host", (int)put_bytes,
           (int)get_bytes);
  ok(strstr(explanation(m), line), "%s: op2_explain(): %s", place, line);
}

/* Copies of one time step, counted after the first steps have brought all values where they are
 * used. */
static void copies_of(const char *place, int64_t puts, int64_t put_bytes, int64_t gets,
                      int64_t get_bytes, int64_t results) {
  enum { TIMES = 5 };
  const double most = 1e300; /* a larger value would have to be copied to the device */
  struct mesh m;
  if (!open_mesh(&m, "starpu", place)) return;
  CHECK(op2_gbl_set(m.most, &most));
  for (int s = 0; s < 3; s++) queue_pair(&m);
  CHECK(op2_flush(m.ctx));
  const struct op2i_device_counts before = m.ctx->device->counts;
  for (int s = 0; s < TIMES; s++) {
    queue_pair(&m);
    CHECK(op2_flush(m.ctx));
  }
  const struct op2i_device_counts *now = &m.ctx->device->counts;
  is_int(now->puts - before.puts, TIMES * puts, "%s: copies to the device", place);
  is_int(now->put_bytes - before.put_bytes, TIMES * put_bytes, "%s: bytes", place);
  is_int(now->gets - before.gets, TIMES * gets, "%s: copies back", place);
  is_int(now->get_bytes - before.get_bytes, TIMES * (get_bytes + results), "%s: bytes", place);
  told_copies(&m, place, put_bytes, get_bytes);
  close_mesh(&m);
}

static void copies(void) {
  const struct cut c = cut_at((int64_t)(CELLS * 0.75) / 64 * 64);
  const int64_t sums = 2 * 8; /* two doubles: the sums of the device's part */
  ok(c.last - c.row <= 2 * WIDTH && c.row - c.first <= 2 * WIDTH && c.first < c.row,
     "the cut at cell %d needs %d rows from the one, %d from the other", (int)c.row,
     (int)(c.last - c.row), (int)(c.row - c.first));
  copies_of("*:split=3:1", 1, (c.row - c.first) * ROW, 2, (c.last - c.row) * ROW, sums);
  copies_of("flux:split=3:1,settle:cpu", 2, (CELLS - c.first) * ROW + (CELLS - c.row) * ROW, 1,
            (CELLS - c.row) * ROW, 0);
  copies_of("flux:split=3:1,settle:device", 1, c.row * ROW, 3, (c.last + c.row) * ROW, sums);
  copies_of("flux:cpu,settle:split=3:1", 1, (CELLS - c.row) * ROW, 3, 2 * (CELLS - c.row) * ROW,
            sums);
}

/* ---- states and explanations ----------------------------------------------------------------- */

static void states(void) {
  struct mesh m;
  op2_data_state state = OP2_STATE_HOST;
  static double x[2 * CELLS];
  if (!open_mesh(&m, "starpu", "*:split=3:1")) return;
  queue_pair(&m);
  CHECK(op2_flush(m.ctx));
  CHECK(op2_dat_state(m.x, &state));
  is_int(state, OP2_STATE_SPLIT, "what both have modified is in two parts");
  CHECK(op2_dat_state(m.w, &state));
  is_int(state, OP2_STATE_HOST, "what they have read is on the host, and in part on the device");
  CHECK(op2_dat_to(m.x, OP2_PLACE_DEVICE));
  CHECK(op2_dat_state(m.x, &state));
  is_int(state, OP2_STATE_DEVICE, "moved there, all of it is");
  CHECK(op2_dat_get(m.x, x));
  CHECK(op2_dat_state(m.x, &state));
  is_int(state, OP2_STATE_BOTH, "and read by the host in both places");
  close_mesh(&m);
}

/* op2_explain() reports where the cut is, or why there is none. */
static void told(void) {
  char line[160];
  const struct cut c = cut_at((int64_t)(CELLS * 0.75) / 64 * 64);
  struct mesh m;
  op2_set part = NULL;
  const int64_t some[] = {1, 5, 9};
  if (!open_mesh(&m, "starpu", "*:split=3:1")) return;
  CHECK(op2_subset_create(m.cells, 3, some, "some", &part));
  queue_pair(&m);
  CHECK(
      op2_par_loop(m.keep, part, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(m.old, OP2_WRITE)));
  CHECK(op2_par_loop(m.settle, m.edges, op2_arg_dat(m.x, 0, m.ends, OP2_RW),
                     op2_arg_dat(m.r, 1, m.ends, OP2_RW), op2_arg_gbl(m.sum, OP2_INC),
                     op2_arg_gbl(m.most, OP2_MAX)));
  CHECK(op2_flush(m.ctx));
  const char *text = explanation(&m);
  snprintf(line, sizeof line, "split 3:1: elements below %d on the host, from %d on on the device",
           (int)c.host_end, (int)c.device_begin);
  ok(strstr(text, line), "op2_explain(): %s", line);
  ok(strstr(text, "not on both: it runs over a subset"), "or that a subset is not split");
  ok(strstr(text, "not on both: its elements keep their order"), "nor what keeps an order");
  op2_set_destroy(&part);
  close_mesh(&m);
}

/* ---- chosen by the model --------------------------------------------------------------------- */

static int64_t runs_of(const struct mesh *m, const char *name, int where) {
  const struct op2i_loop *loop = m->ctx->loops->first;
  while (loop && strcmp(op2i_loop_name(loop), name) != 0) loop = loop->entry.next;
  return loop ? ((const struct op2i_loop_data *)loop->attached.sched_data)->placed[where] : -1;
}

/* Check where both loops run at these costs, for an element on one of two processors or on the
 * device. */
static void chosen(const char *costs, int flux, int settle, const char *text) {
  enum { TIMES = 6 };
  struct mesh m;
  setenv("OP2_PLACE_COSTS", costs, 1);
  if (!open_mesh(&m, "starpu", "*:free")) return;
  for (int s = 0; s < TIMES; s++) {
    queue_pair(&m);
    CHECK(op2_flush(m.ctx));
  }
  is_int(runs_of(&m, "flux", flux), TIMES, "%s: flux runs in place %d", costs, flux);
  is_int(runs_of(&m, "settle", settle), TIMES, "%s: settle runs in place %d", costs, settle);
  ok(strstr(explanation(&m), text), "op2_explain(): %s", text);
  close_mesh(&m);
  unsetenv("OP2_PLACE_COSTS");
}

static void choices(void) {
  enum { HOST, DEVICE, BOTH };
  chosen("*:cpu=2,*:device=1,copy=0,byte=0", BOTH, BOTH, "split 8:8");
  chosen("*:cpu=2,*:device=3,copy=0,byte=0", BOTH, BOTH, "split 12:4");
  chosen("*:cpu=2,*:device=100,copy=0,byte=0", HOST, HOST, "6 times on the host, 0 on the device");
  chosen("*:cpu=100,*:device=1,copy=0,byte=0", DEVICE, DEVICE,
         "0 times on the host, 6 on the device");
  /* The copies at the cut would take longer than the device saves. */
  chosen("*:cpu=2,*:device=1.5,copy=1000000,byte=0", HOST, HOST, "6 times on the host");
}

/* Choices for loops of another program, and a rule for one loop, leave the ratio of other loops
 * alone. */
static void apart(void) {
  enum { HOST, DEVICE, BOTH, TIMES = 6 };
  struct mesh m;
  setenv("OP2_PLACE_COSTS", "flux:cpu=2,flux:device=1,settle:cpu=100,settle:device=1,copy=0,byte=0",
         1);
  if (!open_mesh(&m, "starpu", "*:free")) return;
  for (int s = 0; s < TIMES; s++) {
    queue_flux(&m);
    CHECK(op2_flush(m.ctx));
    if (s == 0)
      continue; /* the place of flux is reconsidered at its second run, not at its third */
    queue_settle(&m);
    CHECK(op2_flush(m.ctx));
  }
  is_int(runs_of(&m, "flux", BOTH), TIMES, "flux stays on both");
  is_int(runs_of(&m, "settle", DEVICE), TIMES - 1, "beside settle on the device");
  ok(strstr(explanation(&m), "split 8:8"), "in the ratio that was chosen");
  close_mesh(&m);
  if (!open_mesh(&m, "starpu", "flux:split=3:1,*:free")) return;
  for (int s = 0; s < TIMES; s++) {
    queue_pair(&m);
    CHECK(op2_flush(m.ctx));
  }
  is_int(runs_of(&m, "flux", BOTH), TIMES, "a rule's loop is on both");
  is_int(runs_of(&m, "settle", DEVICE), TIMES, "beside a free one");
  ok(strstr(explanation(&m), "split 3:1"), "in its own ratio");
  close_mesh(&m);
  unsetenv("OP2_PLACE_COSTS");
}

static const char *unfit(void) {
  const char *why = backend_unfit("starpu");
  return why || !backend_unfit("opencl") || !backend_unfit("cuda") ? why : backend_unfit("opencl");
}

int main(void) {
  test_environment();
  const char *why = unfit();
  if (why) {
    skip("loops split between the host and a device: %s", why);
    return done();
  }
  lay_edges();
  values();
  little_memory();
  gives_way();
  copies();
  states();
  told();
  choices();
  apart();
  return done();
}
