/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of files, for diverge_case.h. */
#include "diverge_case.h"

DIVERGE_STEP(file_create) {
  return op2_file_open(w->ctx, w->path, changed ? OP2_FILE_READ : OP2_FILE_CREATE, &w->file);
}
DIVERGE_STEP(write_set) {
  return op2_file_write_set(w->file, changed ? w->edges : w->cells, "cells");
}
DIVERGE_STEP(write_map) { return op2_file_write_map(w->file, changed ? w->self : w->ends, "ends"); }
DIVERGE_STEP(write_dat) { return op2_file_write_dat(w->file, changed ? w->b : w->q, "q"); }
DIVERGE_STEP(write_const) {
  const double value = changed ? 2 : 1;
  return op2_file_write_const(w->file, 1, OP2_F64, "factor", &value);
}
DIVERGE_STEP(file_close) { return changed ? op2_flush(w->ctx) : op2_file_close(&w->file); }
DIVERGE_STEP(file_read) {
  return op2_file_open(w->ctx, w->path, changed ? OP2_FILE_ADD : OP2_FILE_READ, &w->file);
}
DIVERGE_STEP(file_shape) {
  int64_t rows;
  int columns;
  op2_type type;
  return op2_file_shape(w->file, changed ? "ends" : "q", &rows, &columns, &type);
}
DIVERGE_STEP(read_set) {
  op2_set set = NULL;
  op2_status status = changed ? op2_flush(w->ctx) : op2_file_read_set(w->file, "cells", &set);
  op2_set_destroy(&set);
  return status;
}
DIVERGE_STEP(read_map) {
  op2_map map = NULL;
  op2_status status =
      op2_file_read_map(w->file, w->edges, changed ? w->edges : w->cells, 2, "ends", &map);
  op2_map_destroy(&map);
  return status;
}
DIVERGE_STEP(read_dat) {
  op2_dat dat = NULL;
  op2_status status =
      op2_file_read_dat(w->file, changed ? w->edges : w->cells, 1, OP2_F64, "q", &dat);
  op2_dat_destroy(&dat);
  return status;
}
DIVERGE_STEP(read_const) {
  double value;
  return op2_file_read_const(w->file, 1, OP2_F64, changed ? "q" : "factor", &value);
}
DIVERGE_STEP(read_rows) {
  double values[2];
  return op2_file_read_rows(w->file, changed ? "factor" : "q", w->rank, 1, 1, OP2_F64, values);
}
DIVERGE_STEP(file_has) {
  bool has;
  return op2_file_has(w->file, changed ? "ends" : "q", &has);
}
DIVERGE_STEP(read_set_rows) {
  op2_set set = NULL;
  op2_status status = op2_file_read_set_rows(w->file, changed ? "ends" : "q", "rows", &set);
  op2_set_destroy(&set);
  return status;
}
DIVERGE_STEP(file_end) { return changed ? op2_flush(w->ctx) : op2_file_close(&w->file); }

static const struct diverge_step files[] = {
    {"file_open to write", "op2_file_open", file_create, AS_USUAL},
    {"file_write_set", "op2_file_write_set", write_set, AS_USUAL},
    {"file_write_map", "op2_file_write_map", write_map, AS_USUAL},
    {"file_write_dat", "op2_file_write_dat", write_dat, AS_USUAL},
    {"file_write_const", "op2_file_write_const", write_const, AS_USUAL},
    {"file_close of a new file", "op2_file_close", file_close, TWICE},
    {"file_open to read", "op2_file_open", file_read, AS_USUAL},
    {"file_shape", "op2_file_shape", file_shape, AS_USUAL},
    {"file_read_set", "op2_file_read_set", read_set, AS_USUAL},
    {"file_read_map", "op2_file_read_map", read_map, AS_USUAL},
    {"file_read_dat", "op2_file_read_dat", read_dat, AS_USUAL},
    {"file_read_const", "op2_file_read_const", read_const, AS_USUAL},
    {"file_read_rows", "op2_file_read_rows", read_rows, AS_USUAL},
    {"file_has", "op2_file_has", file_has, AS_USUAL},
    {"file_read_set_rows", "op2_file_read_set_rows", read_set_rows, AS_USUAL},
    {"file_close", "op2_file_close", file_end, TWICE}};

/* A file that is still open is given up when its context has ended. */
static void give_up(struct diverge_world *w) {
  if (w->file && op2_file_close(&w->file) == OP2_SUCCESS) w->file = NULL;
}

const struct diverge_list diverge_files = {(int)(sizeof files / sizeof *files), files, give_up};
