/* SPDX-License-Identifier: BSD-3-Clause */
/* What op2_error_get() tells of a failure besides its message: status, argument, object and place. */
#include <string.h>

#include "support.h"

enum { CELLS = 100 };

OP2_KERNEL(add, (const double *x, double *y), { *y += *x; });
static const op2_kernel_desc broken = {
    .name = "broken", .source = "void broken(double *y) { *y = no_such_function(*y); }"};

static struct {
  op2_set cells, nodes;
  op2_map map;
  op2_dat x, y, u;
} m;

static void make_mesh(void) {
  int32_t *to = scratch(CELLS, sizeof *to);
  m.cells = new_set(CELLS, "cells");
  m.nodes = new_set(CELLS, "nodes");
  m.map = new_map(m.cells, m.nodes, 1, to, "map");
  m.x = new_dat(m.cells, 1, OP2_F64, NULL, "x");
  m.y = new_dat(m.cells, 1, OP2_F64, NULL, "y");
  m.u = new_dat(m.nodes, 1, OP2_F64, NULL, "u");
}

/* Check the last failure; line is 0 where no place is known. */
static void is_error(op2_status status, int argument, const char *object, int line,
                     const char *what) {
  op2_error error = {.argument = 77};
  op2_error_get(&error);
  EXPECT(error.status == status);
  EXPECT(error.argument == argument);
  EXPECT(object ? error.object && strcmp(error.object, object) == 0 : !error.object);
  EXPECT(error.line == line);
  EXPECT(line ? error.file && strcmp(error.file, __FILE__) == 0 : !error.file);
  EXPECT(strcmp(error.message, op2_error_message()) == 0);
  EXPECT(!what || strstr(error.message, what));
}

static void refused_loops(void) {
  make_mesh();
  op2_kernel k = new_kernel(&add_kernel);
  op2_status status =
      op2_par_loop(k, m.cells, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(m.u, OP2_INC));
  is_error(status, 1, "u", __LINE__ - 1, "'u'");
  EXPECT(status == OP2_ERR_MISMATCH);
  status = op2_par_loop(k, m.cells, op2_arg_dat(m.u, 4, m.map, OP2_READ), op2_arg_direct(m.y, 1));
  is_error(status, 0, "u", __LINE__ - 1, "slot 4");
  EXPECT(status == OP2_ERR_RANGE);
  status = op2_par_loop(k, m.cells, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(NULL, OP2_INC));
  is_error(status, 1, NULL, __LINE__ - 1, "null");
  EXPECT(status == OP2_ERR_ARG);
  status = op2_par_loop(k, m.cells, op2_arg_direct(m.x, OP2_READ));
  is_error(status, -1, NULL, __LINE__ - 1, "1 arguments");
  EXPECT(status == OP2_ERR_ARITY);
  status = op2_par_loop(k, m.cells, op2_arg_direct(m.x, OP2_INC), op2_arg_direct(m.y, OP2_INC));
  is_error(status, 0, "x", __LINE__ - 1, NULL);
  EXPECT(status == OP2_ERR_ACCESS);
}

static int function(void *data, void *const *values) {
  (void)values;
  return data != NULL;
}

static void refused_calls(void) {
  make_mesh();
  op2_status status = op2_call(test_ctx, function, NULL, op2_arg_direct(m.x, OP2_READ),
                               op2_arg_dat(m.u, 0, m.map, OP2_READ));
  is_error(status, 1, "u", __LINE__ - 2, "through a map");
  status = op2_dat_axpy(m.x, op2_scalar_value(2), m.u);
  is_error(status, -1, NULL, __LINE__ - 1, "'u'");
  EXPECT(status == OP2_ERR_MISMATCH);
}

/* Creation has no place, and what was known of an earlier failure is gone. */
static void created(void) {
  make_mesh();
  op2_dat dat = NULL;
  op2_status status = op2_par_loop(new_kernel(&add_kernel), m.cells, op2_arg_direct(m.x, OP2_READ),
                                   op2_arg_direct(m.u, OP2_INC));
  EXPECT(status == OP2_ERR_MISMATCH);
  status = op2_dat_create(m.cells, 0, OP2_F64, NULL, "none", &dat);
  is_error(status, -1, NULL, 0, "none");
  op2_error_get(NULL);
}

/* A failure of a loop that ran is returned by a later call, with the place where it was queued. */
static void failed(void) {
  make_mesh();
  op2_kernel k = new_kernel(&broken);
  double values[CELLS];
  const int line = __LINE__ + 1;
  op2_status status = op2_par_loop(k, m.cells, op2_arg_direct(m.y, OP2_RW));
  if (!status) status = op2_dat_get(m.y, values);
  is_error(status, -1, NULL, line, "no_such_function");
  EXPECT(status == OP2_ERR_COMPILE);
  const int next = __LINE__ + 1;
  status = op2_call(test_ctx, function, values, op2_arg_direct(m.x, OP2_RW));
  if (!status) status = op2_dat_get(m.x, values);
  is_error(status, -1, NULL, next, NULL);
  EXPECT(status == OP2_ERR_CALL);
}

static const struct test_case cases[] = {
    {"loops that are refused", refused_loops},
    {"calls that are refused", refused_calls},
    {"objects that cannot be made", created},
    {"loops and calls that fail", failed},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
