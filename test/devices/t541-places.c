/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of a dat's values, host or device: each state, and the transitions that loops and
 * accesses of each kind make, with the transfers that they need. Backends of the host work on the
 * shadow, so that they have a device, too. */
#include <stdio.h>
#include <stdlib.h>

#include "support.h"

enum { N = 40, BYTES = N * 8, STATES = OP2_STATE_BOTH + 1 };

OP2_KERNEL(look, (const double *x, double *y), { *y = *x; });
OP2_KERNEL(fill, (double *x), { *x = 5; });
OP2_KERNEL(grow, (double *x), { *x += 1; });
OP2_KERNEL(take, (const double *g, double *y), { *y = *g; });
OP2_KERNEL(count, (const double *x, double *g), { *g += 1 + 0 * *x; });
OP2_KERNEL(most, (const double *x, double *g), { *g = *x > *g ? *x : *g; });

static struct {
  op2_set set, some;
  op2_map same;
  op2_dat seen;
  op2_kernel look, fill, grow, take, count, most;
} w;

static double values[N];

/* Every third element; and a map that leads each element to itself. */
static void make_mesh(void) {
  int64_t thirds[(N + 2) / 3];
  int32_t self[N];
  for (int i = 0; i < N; i++) self[i] = i, values[i] = i;
  for (int i = 0; 3 * i < N; i++) thirds[i] = 3 * i;
  w.set = new_set(N, "cells");
  w.some = new_subset(w.set, (N + 2) / 3, thirds, "thirds");
  w.same = new_map(w.set, w.set, 1, self, "same");
  w.seen = new_dat(w.set, 1, OP2_F64, NULL, "seen");
  w.look = new_kernel(&look_kernel);
  w.fill = new_kernel(&fill_kernel);
  w.grow = new_kernel(&grow_kernel);
  w.take = new_kernel(&take_kernel);
  w.count = new_kernel(&count_kernel);
  w.most = new_kernel(&most_kernel);
}

/* ---- accesses to a dat ----------------------------------------------------------------------- */

static void loop_reads(op2_dat x) {
  MUST(op2_par_loop(w.look, w.set, op2_arg_direct(x, OP2_READ), op2_arg_direct(w.seen, OP2_WRITE)));
}
static void loop_overwrites(op2_dat x) {
  MUST(op2_par_loop(w.fill, w.set, op2_arg_direct(x, OP2_WRITE)));
}
static void loop_changes(op2_dat x) {
  MUST(op2_par_loop(w.grow, w.set, op2_arg_direct(x, OP2_RW)));
}
static void loop_overwrites_some(op2_dat x) {
  MUST(op2_par_loop(w.fill, w.some, op2_arg_direct(x, OP2_WRITE)));
}
static void loop_overwrites_by_map(op2_dat x) {
  MUST(op2_par_loop(w.fill, w.set, op2_arg_dat(x, 0, w.same, OP2_WRITE)));
}
static void loop_reads_some(op2_dat x) {
  MUST(
      op2_par_loop(w.look, w.some, op2_arg_direct(x, OP2_READ), op2_arg_direct(w.seen, OP2_WRITE)));
}
static void host_gets(op2_dat x) {
  double out[N];
  MUST(op2_dat_get(x, out));
}
static void host_sets(op2_dat x) { MUST(op2_dat_set(x, values)); }
static void host_reads(op2_dat x) {
  const void *at;
  MUST(op2_dat_read_begin(x, &at));
  MUST(op2_dat_read_end(x, &at));
}
static void host_writes(op2_dat x) {
  void *at;
  MUST(op2_dat_write_begin(x, &at));
  ((double *)at)[1] = 9;
  MUST(op2_dat_write_end(x, &at));
}
static void to_device(op2_dat x) { MUST(op2_dat_to(x, OP2_PLACE_DEVICE)); }
static void to_host(op2_dat x) { MUST(op2_dat_to(x, OP2_PLACE_HOST)); }

/* A new dat that is brought into a state in the shortest way. */
static op2_dat in_state(op2_data_state state, double want[N]) {
  bool empty = state == OP2_STATE_HOST_UNALLOCATED;
  op2_dat x = new_dat(w.set, 1, OP2_F64, empty ? NULL : values, "x");
  if (empty) loop_overwrites(x);
  if (state == OP2_STATE_DEVICE || state == OP2_STATE_HOST) loop_changes(x);
  if (state == OP2_STATE_BOTH) loop_reads(x);
  MUST(op2_flush(test_ctx));
  if (state == OP2_STATE_HOST) host_sets(x);
  for (int i = 0; i < N; i++) want[i] = empty ? 5 : values[i] + (state == OP2_STATE_DEVICE);
  return x;
}

/* ---- states and transfers after an access ---------------------------------------------------- */

#define DU  OP2_STATE_DEVICE_UNALLOCATED
#define HU  OP2_STATE_HOST_UNALLOCATED
#define DEV OP2_STATE_DEVICE
#define HST OP2_STATE_HOST
#define BTH OP2_STATE_BOTH

enum effect { SAME, FIVES, MORE, SOME_FIVES, SET, NINE };

/* A row of the table: for each state before, the state after, and whether values were copied to the
 * device or from it. */
static const struct action {
  const char *name;
  void (*act)(op2_dat x);
  enum effect effect;
  struct {
    op2_data_state after;
    int puts, gets;
  } cells[STATES];
} actions[] = {
    {"a loop reads",
     loop_reads,
     SAME,
     {{BTH, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {BTH, 1, 0}, {BTH, 0, 0}}},
    {"a loop reads some",
     loop_reads_some,
     SAME,
     {{BTH, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {BTH, 1, 0}, {BTH, 0, 0}}},
    {"a loop overwrites all",
     loop_overwrites,
     FIVES,
     {{DEV, 0, 0}, {HU, 0, 0}, {DEV, 0, 0}, {DEV, 0, 0}, {DEV, 0, 0}}},
    {"a loop changes all",
     loop_changes,
     MORE,
     {{DEV, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {DEV, 1, 0}, {DEV, 0, 0}}},
    {"a loop overwrites some",
     loop_overwrites_some,
     SOME_FIVES,
     {{DEV, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {DEV, 1, 0}, {DEV, 0, 0}}},
    {"a loop overwrites through a map",
     loop_overwrites_by_map,
     FIVES,
     {{DEV, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {DEV, 1, 0}, {DEV, 0, 0}}},
    {"the host gets",
     host_gets,
     SAME,
     {{DU, 0, 0}, {BTH, 0, 1}, {BTH, 0, 1}, {HST, 0, 0}, {BTH, 0, 0}}},
    {"the host sets",
     host_sets,
     SET,
     {{DU, 0, 0}, {HST, 0, 0}, {HST, 0, 0}, {HST, 0, 0}, {HST, 0, 0}}},
    {"the host reads in a scope",
     host_reads,
     SAME,
     {{DU, 0, 0}, {BTH, 0, 1}, {BTH, 0, 1}, {HST, 0, 0}, {BTH, 0, 0}}},
    {"the host writes in a scope",
     host_writes,
     NINE,
     {{DU, 0, 0}, {HST, 0, 1}, {HST, 0, 1}, {HST, 0, 0}, {HST, 0, 0}}},
    {"it is moved to the device",
     to_device,
     SAME,
     {{BTH, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {BTH, 1, 0}, {BTH, 0, 0}}},
    {"it is moved to the host",
     to_host,
     SAME,
     {{DU, 0, 0}, {BTH, 0, 1}, {BTH, 0, 1}, {HST, 0, 0}, {BTH, 0, 0}}},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static void apply(enum effect effect, double want[N]) {
  for (int i = 0; i < N; i++) switch (effect) {
    case SAME: break;
    case FIVES: want[i] = 5; break;
    case MORE: want[i] += 1; break;
    case SOME_FIVES: want[i] = i % 3 ? want[i] : 5; break;
    case SET: want[i] = values[i]; break;
    case NINE: want[i] = i == 1 ? 9 : want[i]; break;
    }
}

static op2_device_stats stats(void) {
  op2_device_stats now;
  MUST(op2_device_stats_get(test_ctx, &now));
  return now;
}

static void cell(const struct action *action, op2_data_state before) {
  double want[N];
  op2_data_state after = BTH;
  op2_dat x = in_state(before, want);
  MUST(op2_dat_state(x, &after));
  bool right = after == before;
  const op2_device_stats then = stats();
  action->act(x);
  MUST(op2_flush(test_ctx));
  const op2_device_stats now = stats();
  MUST(op2_dat_state(x, &after));
  const int puts = action->cells[before].puts, gets = action->cells[before].gets;
  right = right && after == action->cells[before].after && now.puts - then.puts == puts &&
          now.gets - then.gets == gets && now.put_bytes - then.put_bytes == puts * BYTES &&
          now.get_bytes - then.get_bytes == gets * BYTES;
  if (!EXPECT(right))
    diag("%s in state %d: state %d, %d puts, %d gets", action->name, before, after,
         (int)(now.puts - then.puts), (int)(now.gets - then.gets));
  apply(action->effect, want);
  EXPECT_VALUES(double, x, N, i, want[i]);
}

/* All else that loops need is brought to the device before transfers are counted. */
static void cells(void) {
  make_mesh();
  for (int a = 0; a < ACTIONS; a++) actions[a].act(new_dat(w.set, 1, OP2_F64, values, "first"));
  MUST(op2_flush(test_ctx));
  for (int a = 0; a < ACTIONS; a++)
    for (int s = 0; s < STATES; s++) cell(&actions[a], (op2_data_state)s);
}

/* ---- globals --------------------------------------------------------------------------------- */

static void loop_takes(op2_gbl g) {
  MUST(op2_par_loop(w.take, w.set, op2_arg_gbl(g, OP2_READ), op2_arg_direct(w.seen, OP2_WRITE)));
}
static void loop_adds(op2_gbl g) {
  MUST(op2_par_loop(w.count, w.set, op2_arg_direct(w.seen, OP2_READ), op2_arg_gbl(g, OP2_INC)));
}
static void loop_compares(op2_gbl g) {
  MUST(op2_par_loop(w.most, w.set, op2_arg_direct(w.seen, OP2_READ), op2_arg_gbl(g, OP2_MAX)));
}
static int hear(void *heard, void *const *given) {
  *(double *)heard = *(const double *)given[0];
  return 0;
}
static int twice(void *none, void *const *given) {
  (void)none;
  *(double *)given[0] *= 2;
  return 0;
}
static void host_gets_global(op2_gbl g) {
  double out;
  MUST(op2_gbl_get(g, &out));
}
static double heard;
static void call_reads(op2_gbl g) {
  MUST(op2_call(test_ctx, hear, &heard, op2_arg_gbl(g, OP2_READ)));
}
static void call_changes(op2_gbl g) {
  MUST(op2_call(test_ctx, twice, NULL, op2_arg_gbl(g, OP2_RW)));
}
static void host_sets_global(op2_gbl g) {
  const double value = 7;
  MUST(op2_gbl_set(g, &value));
}

/* The global's value is at most the sum of a dat of fives. */
static op2_gbl global_in_state(op2_data_state state, double *want) {
  const double value = 3;
  op2_gbl g = new_gbl(1, OP2_F64, &value, "g");
  *want = value;
  if (state == DEV || state == HST) loop_adds(g), *want += N;
  if (state == HST) call_changes(g), *want *= 2;
  if (state == BTH) loop_takes(g);
  MUST(op2_flush(test_ctx));
  return g;
}

enum global_effect { KEPT, PLUS_N, AT_LEAST_FIVE, DOUBLED, SEVEN };

static const struct global_action {
  const char *name;
  void (*act)(op2_gbl g);
  enum global_effect effect;
  struct {
    op2_data_state after;
    int puts, gets;
  } cells[STATES];
} global_actions[] = {
    {"a loop reads it",
     loop_takes,
     KEPT,
     {{BTH, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {BTH, 1, 0}, {BTH, 0, 0}}},
    {"a loop adds to it",
     loop_adds,
     PLUS_N,
     {{DEV, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {DEV, 1, 0}, {DEV, 0, 0}}},
    {"a loop takes the maximum",
     loop_compares,
     AT_LEAST_FIVE,
     {{DEV, 1, 0}, {HU, 0, 0}, {DEV, 0, 0}, {DEV, 1, 0}, {DEV, 0, 0}}},
    {"the host gets it",
     host_gets_global,
     KEPT,
     {{DU, 0, 0}, {HU, 0, 0}, {BTH, 0, 1}, {HST, 0, 0}, {BTH, 0, 0}}},
    {"a call reads it",
     call_reads,
     KEPT,
     {{DU, 0, 0}, {HU, 0, 0}, {BTH, 0, 1}, {HST, 0, 0}, {BTH, 0, 0}}},
    {"a call changes it",
     call_changes,
     DOUBLED,
     {{DU, 0, 0}, {HU, 0, 0}, {HST, 0, 1}, {HST, 0, 0}, {HST, 0, 0}}},
    {"the host sets it",
     host_sets_global,
     SEVEN,
     {{DU, 0, 0}, {HU, 0, 0}, {DU, 0, 0}, {DU, 0, 0}, {DU, 0, 0}}},
};
enum { GLOBAL_ACTIONS = sizeof global_actions / sizeof *global_actions };

static double changed_global(enum global_effect effect, double value) {
  switch (effect) {
  case PLUS_N: return value + N;
  case AT_LEAST_FIVE: return value > 5 ? value : 5;
  case DOUBLED: return 2 * value;
  case SEVEN: return 7;
  default: return value;
  }
}

static void global_cell(const struct global_action *action, op2_data_state before) {
  double want;
  op2_data_state after = BTH;
  op2_gbl g = global_in_state(before, &want);
  MUST(op2_par_loop(w.fill, w.set, op2_arg_direct(w.seen, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  MUST(op2_gbl_state(g, &after));
  bool right = after == before;
  const op2_device_stats then = stats();
  action->act(g);
  MUST(op2_flush(test_ctx));
  const op2_device_stats now = stats();
  MUST(op2_gbl_state(g, &after));
  const int puts = action->cells[before].puts, gets = action->cells[before].gets;
  right = right && after == action->cells[before].after && now.puts - then.puts == puts &&
          now.gets - then.gets == gets && now.put_bytes - then.put_bytes == puts * 8 &&
          now.get_bytes - then.get_bytes == gets * 8;
  if (!EXPECT(right))
    diag("%s in state %d: state %d, %d puts, %d gets", action->name, before, after,
         (int)(now.puts - then.puts), (int)(now.gets - then.gets));
  EXPECT_GBL(double, g, changed_global(action->effect, want));
}

/* A global has a value from its creation, so none is HOST_UNALLOCATED. */
static void global_cells(void) {
  make_mesh();
  for (int a = 0; a < GLOBAL_ACTIONS; a++)
    for (int s = 0; s < STATES; s++)
      if (s != HU) global_cell(&global_actions[a], (op2_data_state)s);
}

/* ---- other cases ----------------------------------------------------------------------------- */

/* Dats without initial values that have not been used either. */
static void empty(void) {
  op2_data_state state = BTH;
  make_mesh();
  const op2_device_stats then = stats();
  op2_dat read = new_dat(w.set, 1, OP2_F64, NULL, "read");
  op2_dat written = new_dat(w.set, 1, OP2_F64, NULL, "written");
  op2_dat got = new_dat(w.set, 1, OP2_F64, NULL, "got");
  MUST(op2_dat_state(read, &state));
  EXPECT(state == DU);
  loop_reads(read);
  loop_overwrites(written);
  MUST(op2_flush(test_ctx));
  MUST(op2_dat_state(read, &state));
  EXPECT(state == HU);
  MUST(op2_dat_state(written, &state));
  EXPECT(state == HU);
  host_gets(got);
  MUST(op2_dat_state(got, &state));
  EXPECT(state == DU);
  EXPECT(stats().puts == then.puts && stats().gets == then.gets);
  EXPECT_VALUES(double, w.seen, N, i, 0);
}

/* Device memory is reported, and is released with the object that it belongs to. */
static void memory(void) {
  make_mesh();
  op2_dat x = NULL;
  MUST(op2_dat_create(w.set, 1, OP2_F64, values, "x", &x));
  const int64_t before = stats().memory;
  MUST(op2_dat_to(x, OP2_PLACE_DEVICE));
  const op2_device_stats with = stats();
  EXPECT(with.memory >= before + BYTES && with.most_memory >= with.memory);
  op2_dat_destroy(&x);
  EXPECT(stats().memory == before && stats().most_memory == with.most_memory);
}

static void refused(void) {
  op2_data_state state;
  op2_device_stats stats;
  void *at;
  make_mesh();
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g");
  REFUSED(OP2_ERR_ARG, op2_dat_state(NULL, &state), "op2_dat_state");
  REFUSED(OP2_ERR_ARG, op2_dat_state(w.seen, NULL), "seen");
  REFUSED(OP2_ERR_ARG, op2_gbl_state(NULL, &state), "op2_gbl_state");
  REFUSED(OP2_ERR_ARG, op2_gbl_state(g, NULL), "'g'");
  REFUSED(OP2_ERR_ARG, op2_dat_to(NULL, OP2_PLACE_HOST), "op2_dat_to");
  REFUSED(OP2_ERR_ARG, op2_dat_to(w.seen, (op2_place)2), "seen", "2");
  MUST(op2_dat_write_begin(w.seen, &at));
  REFUSED(OP2_ERR_STATE, op2_dat_to(w.seen, OP2_PLACE_DEVICE), "open for writing");
  MUST(op2_dat_write_end(w.seen, &at));
  REFUSED(OP2_ERR_ARG, op2_device_stats_get(test_ctx, NULL), "op2_device_stats_get");
  EXPECT(op2_device_stats_get(NULL, &stats) == OP2_ERR_STATE);
}

/* There is neither a device nor a shadow. */
static void alone(void) {
  op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  op2_set set;
  op2_dat x;
  op2_kernel kernel;
  op2_data_state state = BTH;
  op2_device_stats stats = {.puts = -1, .memory = -1};
  unsetenv("OP2_SHADOW");
  if (!CHECK(op2_init(&options, &ctx))) return;
  CHECK(op2_set_create(ctx, N, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  CHECK(op2_kernel_create(ctx, &fill_kernel, &kernel));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE)));
  CHECK(op2_dat_to(x, OP2_PLACE_DEVICE));
  CHECK(op2_dat_state(x, &state));
  CHECK(op2_device_stats_get(ctx, &stats));
  ok(state == DU && op2_queued(ctx) == 0 && stats.puts == 0 && stats.memory == 0 &&
         stats.host_loops == 0,
     "without a device values are the host's, and nothing moves");
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
}

static const struct test_case cases[] = {
    {"each state, and what is done to it", cells},
    {"each state of a global, and what is done to it", global_cells},
    {"dats without values", empty},
    {"memory on the device", memory},
    {"what is refused", refused},
};

int main(void) {
  test_environment();
  alone();
  setenv("OP2_SHADOW", "1", 1);
  return RUN(cases, RUN_ON_DEVICES | RUN_ONE_BLOCK);
}
