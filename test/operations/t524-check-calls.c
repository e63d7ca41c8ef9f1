/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode and the program's own functions: writes to arguments that are declared READ,
 * values that are left unwritten, and dats that the call does not name. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support.h"

enum { SMALL = 5, LARGE = 20000 };

static op2_context ctx;
static op2_set cells;
static op2_dat x, y, bytes, wrapped;
static op2_gbl g;
static double *mine;
static const double *stale_y; /* address of y's values in an earlier read scope */
static int size;

static void set_up(void) {
  const op2_options options = {.backend = "check", .cache_dir = test_cache(), .eager = 1};
  mine = calloc((size_t)size, sizeof *mine);
  if (op2_init(&options, &ctx) || op2_set_create(ctx, size, "cells", &cells) ||
      op2_dat_create(cells, 1, OP2_F64, NULL, "xdat", &x) ||
      op2_dat_create(cells, 2, OP2_F64, NULL, "ydat", &y) ||
      op2_dat_create(cells, 1, OP2_U8, NULL, "bytes", &bytes) ||
      op2_dat_wrap(cells, 1, OP2_F64, mine, "wrapped", &wrapped) ||
      op2_gbl_create(ctx, 2, OP2_F64, (double[]){1, 2}, "gbl", &g)) {
    diag("%s", op2_error_message());
    exit(2);
  }
  const void *at;
  if (op2_dat_read_begin(y, &at)) exit(2);
  stale_y = at;
  if (op2_dat_read_end(y, &at)) exit(2);
}

static void tear_down(void) {
  op2_gbl_destroy(&g);
  op2_dat *dats[] = {&x, &y, &bytes, &wrapped};
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  op2_set_destroy(&cells);
  CHECK(op2_finalize(&ctx));
  free(mine);
}

/* ---- functions ------------------------------------------------------------------------------- */

static int changes_last(void *data, void *const *values) {
  double *x0 = values[0];
  x0[size - 1] = *(double *)data;
  return 0;
}

static int writes_all(void *data, void *const *values) {
  double *x0 = values[0];
  (void)data;
  for (int i = 0; i < size; i++) x0[i] = i;
  return 0;
}

static int writes_bytes(void *data, void *const *values) {
  (void)data;
  memset(values[0], 0xA5, (size_t)size);
  return 0;
}

static int writes_all_but_one(void *data, void *const *values) {
  double *x0 = values[0];
  (void)data;
  for (int i = 0; i < size; i++)
    if (i != size / 2) x0[i] = i;
  return 0;
}

static int gives_up(void *data, void *const *values) {
  (void)data, (void)values;
  return 5;
}

static int writes_mine(void *data, void *const *values) {
  (void)data, (void)values;
  mine[size - 1] = 3;
  return 0;
}

static int writes_stale(void *data, void *const *values) {
  (void)values;
  ((double *)(uintptr_t)stale_y)[*(int *)data] = 3;
  return 0;
}

static int reads_stale(void *data, void *const *values) {
  *(double *)values[0] = stale_y[*(int *)data];
  return 0;
}

static int follows(void *data, void *const *values) {
  *(double *)values[0] = *(volatile double *)data;
  return 0;
}

static int sets_one_value(void *data, void *const *values) {
  (void)data;
  *(double *)values[0] = 3;
  return 0;
}

/* ---- faults of functions that the checked mode finds ----------------------------------------- */

static void right(op2_status status, const char *what) {
  if (!ok(!status, "%d rows: %s is right", size, what)) diag("%s", op2_error_message());
}

static void caught(op2_status status, const char *what, const char *word, const char *name) {
  const char *said = op2_error_message();
  if (!ok(status == OP2_ERR_KERNEL && strstr(said, word) && strstr(said, name),
          "%d rows: %s is caught", size, what))
    diag("%d: %s", (int)status, said);
}

static void reading_and_writing(void) {
  double zero = 0, one = 1;
  right(op2_call(ctx, changes_last, &zero, op2_arg_direct(x, OP2_READ)), "writing what is there");
  caught(op2_call(ctx, changes_last, &one, op2_arg_direct(x, OP2_READ)), "changing a dat it reads",
         "changed OP2_READ", "'xdat' (argument 0)");
  right(op2_call(ctx, changes_last, &one, op2_arg_direct(x, OP2_RW)), "changing one value");
  right(op2_call(ctx, writes_all, NULL, op2_arg_direct(x, OP2_WRITE)), "writing all values");
  right(op2_call(ctx, writes_bytes, NULL, op2_arg_direct(bytes, OP2_WRITE)), "any byte");
  caught(op2_call(ctx, writes_all_but_one, NULL, op2_arg_direct(x, OP2_WRITE)), "leaving one out",
         "left unwritten", "'xdat'");
  right(op2_call(ctx, writes_all, NULL, op2_arg_direct(x, OP2_WRITE)), "writing all of them again");
  op2_status status = op2_call(ctx, gives_up, NULL, op2_arg_direct(x, OP2_WRITE));
  ok(status == OP2_ERR_CALL && strstr(op2_error_message(), "returned 5"),
     "%d rows: a function that writes nothing since it fails is told as that", size);
  right(op2_call(ctx, writes_all, NULL, op2_arg_direct(x, OP2_WRITE)), "and once more");
  caught(op2_call(ctx, sets_one_value, NULL, op2_arg_gbl(g, OP2_READ)), "changing a global",
         "changed OP2_READ value 0", "'gbl'");
  caught(op2_call(ctx, sets_one_value, NULL, op2_arg_gbl(g, OP2_WRITE)), "half a global",
         "left unwritten OP2_WRITE value 1", "'gbl'");
  caught(op2_call(ctx, sets_one_value, NULL, op2_arg_val(&zero, 1, OP2_F64)), "changing a value",
         "changed OP2_READ", "the values");
}

static void others(void) {
  int first = 0, middle = size, last = 2 * size - 1;
  const void *view;
  double values[2];
  CHECK(op2_gbl_set(g, (double[]){1, 2}));
  caught(op2_call(ctx, writes_mine, NULL, op2_arg_direct(x, OP2_READ)), "writing a wrapped dat",
         "which the call does not name", "'wrapped'");
  ok(mine[size - 1] == 0, "%d rows: its values are put back", size);
  right(op2_call(ctx, writes_mine, NULL, op2_arg_direct(wrapped, OP2_RW)), "naming it");
  caught(op2_call(ctx, writes_stale, &first), "writing the first row of another dat", "not name",
         "'ydat'");
  caught(op2_call(ctx, writes_stale, &middle), "its middle", "not name", "'ydat'");
  caught(op2_call(ctx, writes_stale, &last), "its end", "not name", "'ydat'");
  if (size == LARGE)
    caught(op2_call(ctx, reads_stale, &middle, op2_arg_direct(x, OP2_RW)), "reading it", "touched",
           "'ydat'");
  else
    right(op2_call(ctx, reads_stale, &middle, op2_arg_direct(x, OP2_RW)),
          "reading what fills no page is not seen and");
  CHECK(op2_dat_read_begin(y, &view));
  ok(((const double *)view)[0] == 0 && ((const double *)view)[last] == 0,
     "%d rows: all values are put back", size);
  right(op2_call(ctx, reads_stale, &middle, op2_arg_gbl(g, OP2_RW)), "reading by an open scope");
  CHECK(op2_dat_read_end(y, &view));
  CHECK(op2_gbl_get(g, values));
  ok(values[0] == 0 && values[1] == 2, "%d rows: and gives its values", size);
}

static void faults(void) {
  const size_t length = 1 << 16;
  void *nowhere = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  caught(op2_call(ctx, follows, nowhere, op2_arg_gbl(g, OP2_RW)), "following a stray pointer",
         "stopped by signal 11", "address");
  munmap(nowhere, length);
}

int main(void) {
  test_environment();
  for (int s = 0; s < 2; s++) {
    size = s ? LARGE : SMALL;
    set_up();
    reading_and_writing();
    others();
    faults();
    tear_down();
  }
  return done();
}
