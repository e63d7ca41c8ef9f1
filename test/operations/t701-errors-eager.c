/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that fail in eager mode: the call that queues one returns its own failure. */
#include <string.h>

#include "support.h"

OP2_KERNEL(put, (double *x), { *x = 5; });
OP2_KERNEL(inc, (double *x), { *x += 1; });
OP2_KERNEL(copy, (double *x, const double *y), { *x = *y; });

static const char *const undeclared = "void broken(double *x) {\n  *x = no_such_name;\n}\n";

struct mesh {
  op2_set set;
  op2_dat x, y, z;
  op2_kernel broken, put, inc, copy;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  m.set = new_set(6, "cells");
  m.x = new_dat(m.set, 1, OP2_F64, NULL, "xdat");
  m.y = new_dat(m.set, 1, OP2_F64, NULL, "ydat");
  m.z = new_dat(m.set, 1, OP2_F64, NULL, "zdat");
  m.broken = new_kernel(
      &(op2_kernel_desc){.name = "broken", .source = undeclared, .file = "flux.h", .line = 20});
  m.put = new_kernel(&put_kernel);
  m.inc = new_kernel(&inc_kernel);
  m.copy = new_kernel(&copy_kernel);
  return m;
}

static bool says(op2_status got, const char *word) {
  const bool good = got == OP2_ERR_COMPILE && strstr(op2_error_message(), word);
  if (!good) diag("%s: %s", op2_status_name(got), op2_error_message());
  return good;
}

static void own_failure(void) {
  struct mesh m = make_mesh();
  double got[6] = {-1};
  MUST(op2_par_loop(m.put, m.set, op2_arg_direct(m.z, OP2_WRITE)));
  EXPECT(says(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)), "flux.h:21"));
  EXPECT(strstr(op2_error_message(), "t701-errors-eager.c") &&
         strstr(op2_error_message(), "no_such_name"));
  EXPECT(op2_queued(test_ctx) == 0);
  EXPECT(says(op2_dat_get(m.x, got), "no_such_name"));
  EXPECT(got[0] == -1);
  EXPECT_VALUES(double, m.z, 6, i, 5);
  MUST(op2_flush(test_ctx)); /* the failure was reported */
}

/* A loop that would read poison does not run. The call that queues it does not repeat the older
 * failure; reading what it would have written does. */
static void cancelled(void) {
  struct mesh m = make_mesh();
  EXPECT(says(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)), "no_such_name"));
  MUST(op2_par_loop(m.copy, m.set, op2_arg_direct(m.y, OP2_WRITE), op2_arg_direct(m.x, OP2_READ)));
  MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.z, OP2_RW)));
  EXPECT_VALUES(double, m.z, 6, i, 1);
  EXPECT(says(op2_dat_get(m.y, (double[6]){0}), "no_such_name"));
  MUST(op2_dat_set(m.y, (double[6]){9, 9, 9, 9, 9, 9}));
  EXPECT_VALUES(double, m.y, 6, i, 9);
}

static void cured(void) {
  struct mesh m = make_mesh();
  EXPECT(says(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)), "no_such_name"));
  MUST(op2_par_loop(m.put, m.set, op2_arg_direct(m.x, OP2_WRITE)));
  MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.x, OP2_RW)));
  EXPECT_VALUES(double, m.x, 6, i, 6);
}

/* The same wrong loop fails each time, and never affects others. */
static void again(void) {
  struct mesh m = make_mesh();
  for (int i = 0; i < 3; i++) {
    EXPECT(says(op2_par_loop(m.broken, m.set, op2_arg_direct(m.x, OP2_WRITE)), "no_such_name"));
    MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(m.z, OP2_RW)));
  }
  EXPECT_VALUES(double, m.z, 6, i, 3);
}

static const struct test_case cases[] = {
    {"the loop's own failure", own_failure},
    {"loops that read poison", cancelled},
    {"cured", cured},
    {"again", again},
};

int main(void) { return RUN(cases, RUN_EAGER_ONLY | RUN_ONE_BLOCK); }
