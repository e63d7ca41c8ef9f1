/* SPDX-License-Identifier: BSD-3-Clause */
/* The N-th allocation fails while a solve runs whose operator queues loops. The solve fails with
 * OP2_ERR_NOMEM, or goes on without the memory; the next solve finds no leftovers of it and gives
 * the usual result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "mem.h"
#include "sched_state.h"
#include "support.h"

enum { ROWS = 24 };

struct objects {
  op2_context ctx;
  op2_set set;
  op2_dat u, b;
  op2_kernel scale, one;
  op2_solver solver;
  op2_operator matrix;
};

/* y = (2 + i / 8) x, in two loops. */
static op2_status product(void *data, op2_dat x, op2_dat y) {
  const struct objects *o = data;
  op2_status status = op2_dat_fill(y, op2_scalar_value(0));
  if (status) return status;
  return op2_par_loop(o->scale, o->set, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_RW),
                      op2_arg_idx());
}

static const char *declare(struct objects *o) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  const op2_kernel_desc
      scale = {.name = "scale",
               .source = "void scale(const double *x, double *y, int64_t i) { *y += (2 + i / 8.0) "
                         "* *x; }"},
      one = {.name = "one", .source = "void one(double *b) { *b = 1; }"};
  const op2_solver_options how = {.rtol = 1e-12, .preconditioner = OP2_PRECONDITIONER_NONE};
  if (op2_init(&options, &o->ctx) || op2_set_create(o->ctx, ROWS, "rows", &o->set) ||
      op2_dat_create(o->set, 1, OP2_F64, NULL, "u", &o->u) ||
      op2_dat_create(o->set, 1, OP2_F64, NULL, "b", &o->b) ||
      op2_kernel_create(o->ctx, &scale, &o->scale) || op2_kernel_create(o->ctx, &one, &o->one) ||
      op2_solver_create(o->ctx, &how, "solver", &o->solver))
    return op2_error_message();
  const op2_operator_desc desc = {
      .set = o->set, .dim = 1, .type = OP2_F64, .apply = product, .data = o};
  return op2_operator_create(&desc, "A", &o->matrix) ? op2_error_message() : NULL;
}

static const char *end(struct objects *o) {
  const char *problem = op2_finalize(&o->ctx) ? op2_error_message() : NULL;
  op2_solver_destroy(&o->solver);
  op2_operator_destroy(&o->matrix);
  op2_kernel_destroy(&o->scale);
  op2_kernel_destroy(&o->one);
  op2_dat_destroy(&o->u);
  op2_dat_destroy(&o->b);
  op2_set_destroy(&o->set);
  return problem;
}

static op2_status solve(struct objects *o) {
  op2_status status = op2_dat_fill(o->u, op2_scalar_value(0));
  if (!status) status = op2_par_loop(o->one, o->set, op2_arg_direct(o->b, OP2_WRITE));
  if (!status) status = op2_solve_operator(o->solver, o->matrix, o->u, o->b);
  op2_status ran = op2_flush(o->ctx);
  return status ? status : ran;
}

static const char *is_solved(struct objects *o) {
  double u[ROWS];
  if (op2_dat_get(o->u, u)) return op2_error_message();
  for (int i = 0; i < ROWS; i++)
    if (!(fabs(u[i] - 1 / (2 + i / 8.0)) < 1e-9)) return "other values";
  return NULL;
}

/* The first solve of a context makes most objects, the second one fewer. */
static const char *attempt(int64_t n, bool second, int64_t *made, bool *denied) {
  struct objects objects = {0}, *o = &objects;
  const char *problem = declare(o);
  if (!problem && second && solve(o)) problem = op2_error_message();
  op2i_mem_fail_at(n);
  op2_status status = problem ? OP2_SUCCESS : solve(o);
  *made = op2i_mem_fail_at(0);
  *denied = status != OP2_SUCCESS;
  if (!problem && status && status != OP2_ERR_NOMEM) problem = op2_error_message();
  const struct op2i_sched *inner = o->ctx ? o->ctx->sched->inner : NULL;
  if (!problem && inner && inner->queue.nnodes)
    problem = "loops of the solve are left in its queue";
  if (!problem && status && solve(o)) problem = op2_error_message();
  if (!problem) problem = is_solved(o);
  const char *last = end(o);
  return problem ? problem : last;
}

static void all(bool second) {
  const char *which = second ? "second" : "first";
  int64_t count = 0, made;
  int failed = 0, denials = 0, step = quick() ? 5 : 1;
  bool denied = false;
  const char *problem = attempt(0, second, &count, &denied);
  ok(!problem && !denied, "the %s solve with memory%s%s", which, problem ? ": " : "",
     problem ? problem : "");
  for (int64_t n = 1; n <= count; n += step) {
    problem = attempt(n, second, &made, &denied);
    denials += denied;
    if (problem && failed++ < 5) diag("allocation %lld: %s", (long long)n, problem);
  }
  is_int(failed, 0, "each of %lld allocations of the %s solve fails", (long long)(count / step),
         which);
  ok(denials > 0, "and some of them let it fail (%d)", denials);
}

int main(void) {
  test_environment();
  all(false);
  all(true);
  return done();
}
