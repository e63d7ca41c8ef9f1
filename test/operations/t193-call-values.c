/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of a call's function, and the effect of its writes: values, globals and whole dats,
 * for all sets, types and numberings. */
#include <stdio.h>
#include <string.h>

#include "call_case.h"

/* ---- values ---------------------------------------------------------------------------------- */

struct sums {
  double got[4];
  int n;
};

/* Adds n numbers of double precision or, if n is negative, -n numbers of one byte. */
static int add_up(void *data, void *const *values) {
  struct sums *sums = data;
  const int n = *(const int *)values[0];
  double sum = 0;
  for (int i = 0; i < n; i++) sum += ((const double *)values[1])[i];
  for (int i = 0; i < -n; i++) sum += ((const int8_t *)values[1])[i];
  sums->got[sums->n++] = sum;
  return 0;
}

/* Calls that differ in the number of values, or in their type, are different calls. */
static void captured(void) {
  struct sums sums = {0};
  double v[9];
  int8_t bytes[9];
  const int less = -9;
  for (int i = 0; i < 9; i++) v[i] = i, bytes[i] = (int8_t)i;
  MUST(op2_call(test_ctx, add_up, &sums, op2_arg_val(&less, 1, OP2_I32),
                op2_arg_val(bytes, 9, OP2_I8)));
  for (int n = 1; n <= 9; n += 8)
    MUST(
        op2_call(test_ctx, add_up, &sums, op2_arg_val(&n, 1, OP2_I32), op2_arg_val(v, n, OP2_F64)));
  memset(v, 0, sizeof v);
  memset(bytes, 0, sizeof bytes);
  MUST(op2_flush(test_ctx));
  EXPECT(sums.n == 3 && sums.got[0] == 36 && sums.got[1] == 0 && sums.got[2] == 36);
}

static void long_values(void) {
  enum { MANY = 5000 };
  struct sums sums = {0};
  const int n = MANY;
  double *v = scratch(MANY, sizeof *v);
  for (int s = 0; s < 3; s++) {
    for (int i = 0; i < MANY; i++) v[i] = i + s;
    MUST(
        op2_call(test_ctx, add_up, &sums, op2_arg_val(&n, 1, OP2_I32), op2_arg_val(v, n, OP2_F64)));
  }
  memset(v, 0, MANY * sizeof *v);
  MUST(op2_flush(test_ctx));
  for (int s = 0; s < 3; s++) EXPECT(sums.got[s] == MANY * (MANY - 1) / 2 + s * MANY);
}

enum { MANY_ARGS = 40 };

/* Each value is aligned for any type. */
static int in_line(void *data, void *const *values) {
  for (int a = 0; a < MANY_ARGS - 1; a++)
    if (*(const int *)values[a] != 3 * a || (uintptr_t)values[a] % 16) return 1 + a;
  return watch(data, values + MANY_ARGS - 1);
}

static void many_arguments(void) {
  struct two t = make_two();
  struct seen seen = {0};
  op2_arg args[MANY_ARGS];
  int numbers[MANY_ARGS];
  for (int a = 0; a < MANY_ARGS - 1; a++) {
    numbers[a] = 3 * a;
    args[a] = op2_arg_val(&numbers[a], 1, OP2_I32);
  }
  args[MANY_ARGS - 1] = op2_arg_direct(t.x, OP2_READ);
  MUST(op2_call_at(OP2_HERE, "in_line", test_ctx, in_line, &seen, MANY_ARGS, args));
  memset(numbers, 0, sizeof numbers);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.last[0] == ROWS - 1);
}

static int fill_if(void *data, void *const *values) { return data ? fill(data, values) : 0; }

/* Calls that differ in the access mode of an argument are different calls. */
static void two_modes(void) {
  struct two t = make_two();
  MUST(op2_call(test_ctx, fill_if, NULL, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, fill_if, &t, op2_arg_direct(t.x, OP2_WRITE)));
  queue_on(&t, OP2_WRITE, t.y, t.x);
  EXPECT_VALUES(double, t.y, ROWS, i, 102 + i);
}

/* More calls than the library remembers, each with its own name, and all queued. */
static void many_names(void) {
  enum { MANY = 300 };
  int times = 0;
  char name[16];
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "call%d", i);
    MUST(op2_call_at(OP2_HERE, name, test_ctx, count, &times, 0, NULL));
  }
  MUST(op2_flush(test_ctx));
  EXPECT(times == MANY);
}

/* ---- globals --------------------------------------------------------------------------------- */

static int clip(void *data, void *const *values) {
  double *g = values[0], most = *(const double *)values[1];
  (void)data;
  if (*g > most) *g = most;
  return 0;
}

/* Each call gets the values of the time when it was queued. */
static void globals(void) {
  struct two t = make_two();
  struct seen seen = {0};
  const op2_gbl g = new_gbl(1, OP2_F64, (double[]){1}, "gbl");
  double most = 50;
  MUST(op2_call(test_ctx, note_value, &seen, op2_arg_gbl(g, OP2_READ)));
  queue_reduce(&t, OP2_INC, t.x, g);
  MUST(op2_call(test_ctx, note_value, &seen, op2_arg_gbl(g, OP2_READ)));
  MUST(op2_call(test_ctx, clip, NULL, op2_arg_gbl(g, OP2_RW), op2_arg_val(&most, 1, OP2_F64)));
  most = 3;
  MUST(op2_gbl_set(g, (double[]){7}));
  MUST(op2_call(test_ctx, note_value, &seen, op2_arg_gbl(g, OP2_READ)));
  MUST(op2_call(test_ctx, set_five, NULL, op2_arg_gbl(g, OP2_WRITE)));
  queue_reduce(&t, OP2_INC, t.x, g);
  const double total = ROWS * (ROWS - 1) / 2;
  EXPECT_GBL(double, g, total + 5);
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 3 && seen.first[0] == 1 && seen.first[1] == total + 1 && seen.first[2] == 7);
}

static void clipped_global(void) {
  struct two t = make_two();
  const op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  const double most = 50;
  for (int n = 0; n < 2; n++) {
    queue_reduce(&t, OP2_INC, t.x, g);
    MUST(op2_call(test_ctx, clip, NULL, op2_arg_gbl(g, OP2_RW), op2_arg_val(&most, 1, OP2_F64)));
    if (n == 0) EXPECT_GBL(double, g, 50);
  }
  queue_reduce(&t, OP2_INC, t.x, g);
  EXPECT_GBL(double, g, 50 + ROWS * (ROWS - 1) / 2);
}

/* Loops read the values that calls have computed. */
static void used_global(void) {
  struct two t = make_two();
  const op2_gbl g = new_gbl(1, OP2_F64, (double[]){1000}, "gbl");
  queue_use(&t, g, t.y);
  MUST(op2_call(test_ctx, set_five, NULL, op2_arg_gbl(g, OP2_WRITE)));
  queue_use(&t, g, t.y);
  MUST(op2_call(test_ctx, double_it, NULL, op2_arg_gbl(g, OP2_RW)));
  queue_use(&t, g, t.y);
  EXPECT_VALUES(double, t.y, ROWS, i, i + 1000 + 5 + 11);
}

static int rotate(void *data, void *const *values) {
  float *g = values[0], first = g[0];
  (void)data;
  g[0] = g[1], g[1] = g[2], g[2] = first;
  return 0;
}

static void vector_global(void) {
  float got[3];
  const op2_gbl g = new_gbl(3, OP2_F32, (float[]){1, 2, 3}, "gbl");
  MUST(op2_call(test_ctx, rotate, NULL, op2_arg_gbl(g, OP2_RW)));
  MUST(op2_gbl_get(g, got));
  EXPECT(got[0] == 2 && got[1] == 3 && got[2] == 1);
}

/* ---- dats ------------------------------------------------------------------------------------ */

static int number_rows(void *data, void *const *values) {
  double *x = values[0];
  for (int i = 0; i < *(const int *)data; i++) x[i] = i;
  return 0;
}

enum { DOUBLED = ROWS + 3 };

static int are_doubled(void *data, void *const *values) {
  const double *x = values[0];
  for (int i = 0; i < DOUBLED; i++)
    if (x[i] != 2 * i) return 1;
  ++*(int *)data;
  return 0;
}

static int32_t *scattered(void) {
  int32_t *pairs = scratch(2 * DOUBLED, sizeof *pairs);
  for (int i = 0; i < DOUBLED; i++) pairs[2 * i] = i, pairs[2 * i + 1] = (i * 11 + 5) % DOUBLED;
  return pairs;
}

/* On a renumbered set the function gets all rows in the program's numbering, also if it was queued
 * before. */
static void renumbered(bool before) {
  static int total = DOUBLED;
  int good = 0;
  struct two t = make_two();
  op2_set cells = new_set(DOUBLED, "cells"), edges = new_set(DOUBLED, "edges");
  op2_map map = new_map(edges, cells, 2, scattered(), "map");
  op2_dat x = new_dat(cells, 1, OP2_F64, NULL, "xdat");
  op2_status status = before ? OP2_SUCCESS : op2_renumber(map);
  if (!status) {
    MUST(op2_call(test_ctx, number_rows, &total, op2_arg_direct(x, OP2_WRITE)));
    MUST(op2_par_loop(t.twice, cells, op2_arg_direct(x, OP2_RW)));
    if (before) status = op2_renumber(map);
  }
  if (status == OP2_ERR_UNAVAILABLE) return; /* without Scotch; t115 checks the message */
  MUST(status);
  MUST(op2_call(test_ctx, are_doubled, &good, op2_arg_direct(x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(good == 1);
  EXPECT_VALUES(double, x, DOUBLED, i, 2 * i);
}
static void renumbered_before(void) { renumbered(false); }
static void renumbered_meanwhile(void) { renumbered(true); }

static void wrapped(void) {
  struct two t = make_two();
  double *mine = scratch(ROWS, sizeof *mine);
  op2_dat w = NULL;
  MUST(op2_dat_wrap(t.cells, 1, OP2_F64, mine, "wrapped", &w));
  own_dat(w);
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(w, OP2_WRITE)));
  queue_on(&t, OP2_INC, w, t.y);
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(w, OP2_RW)));
  EXPECT_VALUES(double, w, ROWS, i, 3 * (100 + 2 * i));
}

/* Loops run over a part of the set; calls get all of it. */
static void subset(void) {
  struct two t = make_two();
  struct seen seen = {0};
  const int64_t idx[] = {0, 5, 6, 20};
  op2_set part = new_subset(t.cells, 4, idx, "part");
  double x[ROWS];
  for (int i = 0; i < ROWS; i++) x[i] = 6 * i;
  for (int n = 0; n < 4; n++) x[idx[n]] = 24 * idx[n];
  MUST(op2_par_loop(t.twice, part, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_par_loop(t.twice, part, op2_arg_direct(t.x, OP2_RW)));
  queue_twice(&t, t.x);
  EXPECT(same_values(t.x, x));
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.last[0] == ROWS - 1);
}

/* A call overwrites the whole dat, so that the result of a loop over a part is gone. */
static void subset_overwritten(void) {
  struct two t = make_two();
  const int64_t idx[] = {1, 2, 36};
  op2_set part = new_subset(t.cells, 3, idx, "part");
  MUST(op2_par_loop(t.twice, part, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_par_loop(t.twice, part, op2_arg_direct(t.x, OP2_RW)));
  EXPECT_VALUES(double, t.x, ROWS, i, (100 + i) * (i == 1 || i == 2 || i == 36 ? 2 : 1));
}

static int rows_from(void *data, void *const *values) {
  memcpy(data, values[0], 15 * sizeof(double));
  return 0;
}

/* With sections the function gets all rows, also those of halos, which loops do not change. */
static void halos(void) {
  static int total = 15;
  double seen[15] = {0}, got[15];
  struct two t = make_two();
  op2_set cells = new_sections(5, 9, 12, total, "cells");
  op2_dat x = new_dat(cells, 1, OP2_F64, NULL, "xdat");
  MUST(op2_call(test_ctx, number_rows, &total, op2_arg_direct(x, OP2_WRITE)));
  MUST(op2_par_loop(t.twice, cells, op2_arg_direct(x, OP2_RW)));
  MUST(op2_call(test_ctx, rows_from, seen, op2_arg_direct(x, OP2_READ)));
  MUST(op2_dat_get_halo(x, got));
  MUST(op2_flush(test_ctx));
  for (int i = 0; i < total; i++)
    if (!EXPECT(seen[i] == (i < 9 ? 2 * i : i))) diag("row %d: %g", i, seen[i]);
}

static int set_bytes(void *data, void *const *values) {
  memset(values[0], 37, *(const size_t *)data);
  return 0;
}

static int has_bytes(void *data, void *const *values) {
  for (size_t i = 0; i < *(const size_t *)data; i++)
    if (((const unsigned char *)values[0])[i] != 37) return 1;
  return 0;
}

static void every_type(void) {
  static const struct {
    op2_type type;
    size_t bytes;
  } types[] = {{OP2_F64, 8}, {OP2_F32, 4}, {OP2_I8, 1},  {OP2_I16, 2}, {OP2_I32, 4},
               {OP2_I64, 8}, {OP2_U8, 1},  {OP2_U16, 2}, {OP2_U32, 4}, {OP2_U64, 8}};
  enum { TYPES = sizeof types / sizeof *types };
  size_t bytes[TYPES];
  unsigned char got[8 * 3 * ROWS];
  op2_set cells = new_set(ROWS, "cells");
  for (int n = 0; n < TYPES; n++) {
    const op2_dat x = new_dat(cells, 3, types[n].type, NULL, "xdat");
    bytes[n] = 3 * ROWS * types[n].bytes;
    MUST(op2_call(test_ctx, set_bytes, &bytes[n], op2_arg_direct(x, OP2_WRITE)));
    MUST(op2_call(test_ctx, has_bytes, &bytes[n], op2_arg_direct(x, OP2_READ)));
    MUST(op2_dat_get(x, got));
    EXPECT(!has_bytes(&bytes[n], (void *[]){got}));
  }
  MUST(op2_flush(test_ctx));
}

static void untouched(void) {
  struct seen seen = {{1}, {1}, 0};
  op2_set cells = new_set(ROWS, "cells");
  const op2_dat x = new_dat(cells, 1, OP2_F64, NULL, "xdat");
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.first[0] == 0 && seen.last[0] == 0);
}

static void no_rows(void) {
  struct two t = make_two();
  int times = 0;
  op2_set none = new_set(0, "none");
  const op2_dat x = new_dat(none, 1, OP2_F64, NULL, "xdat");
  MUST(op2_par_loop(t.twice, none, op2_arg_direct(x, OP2_RW)));
  MUST(op2_call(test_ctx, count, &times, op2_arg_direct(x, OP2_RW)));
  MUST(op2_flush(test_ctx));
  EXPECT(times == 1);
}

int main(void) {
  static const struct test_case cases[] = {
      {"captured values", captured},
      {"long values", long_values},
      {"many arguments", many_arguments},
      {"one function in two modes", two_modes},
      {"many names", many_names},
      {"globals as of when it was queued", globals},
      {"a global that a call changes", clipped_global},
      {"a global that loops use then", used_global},
      {"a global of three values", vector_global},
      {"the program's numbers", renumbered_before},
      {"renumbered while it waits", renumbered_meanwhile},
      {"wrapped dats", wrapped},
      {"dats that loops over a subset change", subset},
      {"a call overwrites what such a loop has left", subset_overwritten},
      {"rows of halos", halos},
      {"dats of every type", every_type},
      {"dats that nobody has touched", untouched},
      {"dats without rows", no_rows},
  };
  return RUN(cases, 0);
}
