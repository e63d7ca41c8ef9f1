/* SPDX-License-Identifier: BSD-3-Clause */
/* Every public call where it may not be expected: inside an operator's function, inside a function
 * of op2_call(), inside one that an operator's function queues, and in open scopes. Each returns a
 * status and never crashes; what is refused names the call, and the solve goes on. On every backend,
 * and on two ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "op2/ranks.h"
#include "rank_case.h"
#include "support.h"

enum { N = 24 };

struct world {
  op2_context ctx;
  op2_set nodes, some;
  op2_map self;
  op2_dat u, b, other, diagonal;
  op2_gbl named, unnamed;
  op2_const constant;
  op2_kernel twice, one;
  op2_loop loop;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_solver solver, second;
  op2_operator matrix;
  FILE *sink;
  int products, called, wrong;
};

/* ---- the calls ------------------------------------------------------------------------------- */

#define CALL(name_, call_)                                                                         \
  static op2_status name_(struct world *w) { return call_; }
/* A call that makes an object, which is destroyed again. */
#define MAKE(name_, type_, call_)                                                                  \
  static op2_status name_(struct world *w) {                                                       \
    type_ new = NULL;                                                                              \
    op2_status status = call_;                                                                     \
    type_##_destroy(&new);                                                                         \
    return status;                                                                                 \
  }

static const double ones[N] = {1};
static double room[2 * N];
static int64_t numbers[2 * N];
static int32_t targets[2 * N];
static const int64_t first[] = {0, 2};
static const op2_kernel_desc spare_kernel = {.name = "nothing",
                                             .source = "void nothing(double *x) { (void)x; }"};
static op2_status nothing(void *data, op2_dat x, op2_dat y) {
  return (void)data, (void)x, (void)y, OP2_SUCCESS;
}
static int no_function(void *data, void *const *values) { return (void)data, (void)values, 0; }

static op2_status try_renumber(struct world *w) { return op2_renumber(w->self); }
static op2_status try_finalize(struct world *w) {
  op2_context copy = w->ctx;
  return op2_finalize(&copy);
}
CALL(try_partition, op2_partition(w->ctx, NULL, NULL))
CALL(try_solve, op2_solve(w->second, w->mat, w->other, w->b))
CALL(try_solve_operator, op2_solve_operator(w->second, w->matrix, w->u, w->b))
CALL(try_solve_nested, op2_solve_nested(w->second, 1, &w->mat, &w->other, &w->b))
CALL(try_solve_blocks, op2_solve_blocks(w->second, 1, NULL, &w->matrix, &w->u, &w->b))
CALL(try_flush, op2_flush(w->ctx))
CALL(try_loop, op2_par_loop(w->one, w->nodes, op2_arg_direct(w->other, OP2_WRITE)))
CALL(try_loop_some, op2_par_loop(w->one, w->some, op2_arg_direct(w->other, OP2_WRITE)))
CALL(try_loop_unnamed, op2_par_loop(w->one, w->nodes, op2_arg_direct(w->diagonal, OP2_WRITE)))
CALL(try_enqueue, op2_loop_enqueue(w->loop))
CALL(try_compute, op2_loop_compute(w->loop))
CALL(try_call, op2_call(w->ctx, no_function, NULL, op2_arg_direct(w->other, OP2_READ)))
CALL(try_call_owned,
     op2_call_owned(w->ctx, no_function, NULL, NULL, op2_arg_direct(w->other, OP2_READ)))
CALL(try_fill, op2_dat_fill(w->other, op2_scalar_value(1)))
CALL(try_copy, op2_dat_copy(w->other, w->b))
CALL(try_scale, op2_dat_scale(w->other, op2_scalar_gbl(w->named)))
CALL(try_axpy, op2_dat_axpy(w->other, op2_scalar_ratio(w->named, w->unnamed), w->b))
CALL(try_aypx, op2_dat_aypx(w->other, op2_scalar_value(2), w->b))
CALL(try_mult, op2_dat_pointwise_mult(w->other, w->b, w->b))
CALL(try_dot, op2_dat_dot(w->b, w->b, w->named))
CALL(try_dot_unnamed, op2_dat_dot(w->b, w->b, w->unnamed))
CALL(try_mdot, op2_dat_mdot(w->b, 1, (const op2_dat[]){w->b}, w->named))
CALL(try_norm, op2_dat_norm(w->other, OP2_NORM_2, w->unnamed))
CALL(try_sum, op2_dat_sum(w->other, w->unnamed))
CALL(try_gbl_fill, op2_gbl_fill(w->named, op2_scalar_value(3)))
CALL(try_gbl_axpy, op2_gbl_axpy(w->unnamed, op2_scalar_value(3), w->named))
CALL(try_gbl_norm, op2_gbl_norm(w->named, OP2_NORM_INF, w->unnamed))
CALL(try_gbl_get, op2_gbl_get(w->named, room))
CALL(try_gbl_set, op2_gbl_set(w->named, ones))
CALL(try_unnamed_get, op2_gbl_get(w->unnamed, room))
CALL(try_unnamed_set, op2_gbl_set(w->unnamed, ones))
CALL(try_const_set, op2_const_set(w->constant, ones))
CALL(try_dat_get, op2_dat_get(w->other, room))
CALL(try_dat_set, op2_dat_set(w->other, ones))
CALL(try_dat_get_b, op2_dat_get(w->b, room))
CALL(try_dat_get_u, op2_dat_get(w->u, room))
CALL(try_get_halo, op2_dat_get_halo(w->other, room))
CALL(try_set_halo, op2_dat_set_halo(w->other, room))
CALL(try_get_block, op2_dat_get_block(w->other, 0, 0, room))
CALL(try_set_block, op2_dat_set_block(w->other, 0, 0, room))
CALL(try_mat_zero, op2_mat_zero(w->mat))
CALL(try_mat_zero_rows, op2_mat_zero_rows(w->mat, w->some, 1.0))
CALL(try_mat_columns, op2_mat_zero_rows_columns(w->mat, w->some, 1.0, w->other, w->diagonal))
CALL(try_mat_diagonal, op2_mat_diagonal(w->mat, w->diagonal))
CALL(try_mat_mult, op2_mat_mult(w->mat, w->other, w->diagonal))
CALL(try_mat_get, op2_mat_get(w->mat, room))
CALL(try_numbering, op2_set_numbering(w->nodes, numbers))
CALL(try_global, op2_set_global(w->nodes, numbers))
CALL(try_map_get, op2_map_get(w->self, targets))
CALL(try_map_get_global, op2_map_get_global(w->self, numbers))
CALL(try_const_get, op2_const_get(w->constant, room))
CALL(try_to_host, op2_dat_to(w->other, OP2_PLACE_HOST))
CALL(try_to_device, op2_dat_to(w->other, OP2_PLACE_DEVICE))
CALL(try_dot_file, op2_graph_write_dot(w->ctx, w->sink))
CALL(try_explain, op2_explain(w->ctx, w->sink))
MAKE(make_set, op2_set, op2_set_create(w->ctx, 3, "new", &new))
static op2_status make_subset(struct world *w) {
  op2_set new = NULL;
  op2_status status = op2_subset_create(w->nodes, 2, first, "new", &new);
  op2_set_destroy(&new);
  return status;
}
static op2_status make_merged(struct world *w) {
  op2_set new = NULL;
  op2_status status = op2_subset_create_union(w->some, w->some, "new", &new);
  op2_set_destroy(&new);
  return status;
}
MAKE(make_map, op2_map,
     op2_map_create_composed(2, (const op2_map[]){w->self, w->self}, "new", &new))
static const op2_entries_desc wide = {.type = OP2_I64, .global = true};
MAKE(make_wide_map, op2_map,
     op2_map_create_entries(w->nodes, w->nodes, 1, &wide, numbers, "new", &new))
MAKE(make_dat, op2_dat, op2_dat_create(w->nodes, 1, OP2_F64, NULL, "new", &new))
MAKE(make_gbl, op2_gbl, op2_gbl_create(w->ctx, 1, OP2_F64, NULL, "new", &new))
MAKE(make_wrapped, op2_gbl, op2_gbl_wrap(w->ctx, 1, OP2_F64, room, "new", &new))
MAKE(make_constant, op2_const, op2_const_create(w->ctx, 1, OP2_F64, ones, "new_constant", &new))
MAKE(make_kernel, op2_kernel, op2_kernel_create(w->ctx, &spare_kernel, &new))
MAKE(make_new_loop, op2_loop,
     op2_loop_create(&new, w->one, w->nodes, op2_arg_direct(w->other, OP2_WRITE)))
MAKE(make_sparsity, op2_sparsity,
     op2_sparsity_create(1, &(op2_map_pair){w->self, w->self}, "new", &new))
MAKE(make_mat, op2_mat, op2_mat_create(w->sparsity, 1, 1, OP2_F64, "new", &new))
MAKE(make_solver, op2_solver, op2_solver_create(w->ctx, NULL, "new", &new))
MAKE(make_operator, op2_operator,
     op2_operator_create(
         &(op2_operator_desc){.set = w->nodes, .dim = 1, .type = OP2_F64, .apply = nothing}, "new",
         &new))
static op2_status try_scope(struct world *w) {
  const void *read = NULL;
  void *write = NULL;
  op2_status status = op2_dat_read_begin(w->other, &read);
  if (!status) status = op2_dat_read_end(w->other, &read);
  if (!status) status = op2_dat_write_begin(w->other, &write);
  return status ? status : op2_dat_write_end(w->other, &write);
}
static op2_status try_gbl_scope(struct world *w) {
  const void *read = NULL;
  void *write = NULL;
  op2_status status = op2_gbl_read_begin(w->named, &read);
  if (!status) status = op2_gbl_read_end(w->named, &read);
  if (!status) status = op2_gbl_write_begin(w->named, &write);
  return status ? status : op2_gbl_write_end(w->named, &write);
}
static op2_status try_unnamed_scope(struct world *w) {
  void *write = NULL;
  op2_status status = op2_gbl_write_begin(w->unnamed, &write);
  return status ? status : op2_gbl_write_end(w->unnamed, &write);
}
static op2_status try_result(struct world *w) {
  op2_solve_result was;
  return op2_solver_result(w->second, &was);
}
static op2_status try_state(struct world *w) {
  op2_data_state was;
  op2_status status = op2_dat_state(w->other, &was);
  return status ? status : op2_gbl_state(w->unnamed, &was);
}
static op2_status try_figures(struct world *w) {
  op2_profile profile;
  op2_times times;
  op2_device_stats device;
  op2_status status = op2_times_get(w->ctx, &times);
  if (!status) status = op2_device_stats_get(w->ctx, &device);
  if (!status) status = op2_profile_get(w->ctx, 100000, &profile);
  return status == OP2_ERR_RANGE ? OP2_SUCCESS : status;
}
static op2_status try_infos(struct world *w) {
  op2_set_info set;
  op2_map_info map;
  op2_dat_info dat;
  op2_gbl_info gbl;
  op2_const_info constant;
  op2_object object;
  op2_status status = op2_set_info_get(w->some, &set);
  if (!status) status = op2_map_info_get(w->self, &map);
  if (!status) status = op2_dat_info_get(w->b, &dat);
  if (!status) status = op2_gbl_info_get(w->unnamed, &gbl);
  if (!status) status = op2_const_info_get(w->constant, &constant);
  return status ? status : op2_object_get(w->ctx, OP2_OBJECT_DAT, 0, &object);
}
static op2_status try_generate(struct world *w) {
  const char *text;
  return op2_loop_generate(w->loop, "c", &text);
}

/* REFUSED_INSIDE: an operator's function gets OP2_ERR_STATE, since the call would take what the
 * solve needs, or uses what the operator does not name. */
enum rule { ANY, REFUSED_INSIDE };

struct trial {
  const char *call;
  op2_status (*run)(struct world *w);
  enum rule rule;
};

static const struct trial trials[] = {
    {"op2_partition", try_partition, REFUSED_INSIDE},
    {"op2_solve", try_solve, REFUSED_INSIDE},
    {"op2_solve_operator", try_solve_operator, REFUSED_INSIDE},
    {"op2_solve_nested", try_solve_nested, REFUSED_INSIDE},
    {"op2_solve_blocks", try_solve_blocks, REFUSED_INSIDE},
    {"op2_flush", try_flush, ANY},
    {"op2_par_loop", try_loop, ANY},
    {"op2_par_loop", try_loop_some, ANY},
    {"op2_par_loop", try_loop_unnamed, REFUSED_INSIDE},
    {"op2_loop_enqueue", try_enqueue, ANY},
    {"op2_loop_compute", try_compute, ANY},
    {"op2_call", try_call, ANY},
    {"op2_call", try_call_owned, ANY},
    {"op2_dat_fill", try_fill, ANY},
    {"op2_dat_copy", try_copy, ANY},
    {"op2_dat_scale", try_scale, ANY},
    {"op2_dat_axpy", try_axpy, ANY},
    {"op2_dat_aypx", try_aypx, ANY},
    {"op2_dat_pointwise_mult", try_mult, ANY},
    {"op2_dat_dot", try_dot, ANY},
    {"op2_dat_dot", try_dot_unnamed, REFUSED_INSIDE},
    {"op2_dat_mdot", try_mdot, ANY},
    {"op2_dat_norm", try_norm, ANY},
    {"op2_dat_sum", try_sum, ANY},
    {"op2_gbl_fill", try_gbl_fill, ANY},
    {"op2_gbl_axpy", try_gbl_axpy, ANY},
    {"op2_gbl_norm", try_gbl_norm, REFUSED_INSIDE},
    {"op2_gbl_get", try_gbl_get, ANY},
    {"op2_gbl_set", try_gbl_set, ANY},
    {"op2_gbl_get", try_unnamed_get, REFUSED_INSIDE},
    {"op2_gbl_set", try_unnamed_set, REFUSED_INSIDE},
    {"op2_const_set", try_const_set, ANY},
    {"op2_dat_get", try_dat_get, ANY},
    {"op2_dat_set", try_dat_set, ANY},
    {"op2_dat_get", try_dat_get_b, ANY},
    {"op2_dat_get", try_dat_get_u, ANY},
    {"op2_dat_get_halo", try_get_halo, ANY},
    {"op2_dat_set_halo", try_set_halo, ANY},
    {"op2_dat_get_block", try_get_block, ANY},
    {"op2_dat_set_block", try_set_block, ANY},
    {"op2_mat_zero", try_mat_zero, REFUSED_INSIDE},
    {"op2_mat_zero_rows", try_mat_zero_rows, ANY},
    {"op2_mat_zero_rows_columns", try_mat_columns, ANY},
    {"op2_mat_diagonal", try_mat_diagonal, ANY},
    {"op2_mat_mult", try_mat_mult, REFUSED_INSIDE},
    {"op2_mat_get", try_mat_get, REFUSED_INSIDE},
    {"op2_set_numbering", try_numbering, ANY},
    {"op2_set_global", try_global, ANY},
    {"op2_dat_to", try_to_host, ANY},
    {"op2_dat_to", try_to_device, ANY},
    {"op2_graph_write_dot", try_dot_file, ANY},
    {"op2_explain", try_explain, ANY},
    {"op2_set_create", make_set, ANY},
    {"op2_map_create_composed", make_map, ANY},
    {"op2_map_create_entries", make_wide_map, ANY},
    {"op2_dat_create", make_dat, ANY},
    {"op2_gbl_create", make_gbl, ANY},
    {"op2_gbl_wrap", make_wrapped, ANY},
    {"op2_const_create", make_constant, ANY},
    {"op2_kernel_create", make_kernel, ANY},
    {"op2_loop_create", make_new_loop, ANY},
    {"op2_sparsity_create", make_sparsity, ANY},
    {"op2_mat_create", make_mat, ANY},
    {"op2_solver_create", make_solver, ANY},
    {"op2_operator_create", make_operator, ANY},
    {"op2_renumber", try_renumber, REFUSED_INSIDE},
    {"op2_finalize", try_finalize, REFUSED_INSIDE},
    {"op2_dat_read_begin", try_scope, ANY},
    {"op2_gbl_read_begin", try_gbl_scope, ANY},
    {"op2_gbl_write_begin", try_unnamed_scope, REFUSED_INSIDE},
    {"op2_solver_result", try_result, ANY},
    {"op2_dat_state", try_state, ANY},
    {"op2_times_get", try_figures, ANY},
    {"op2_set_info_get", try_infos, ANY},
    {"op2_map_get", try_map_get, ANY},
    {"op2_map_get_global", try_map_get_global, ANY},
    {"op2_const_get", try_const_get, ANY},
    {"op2_loop_generate", try_generate, ANY},
    {"op2_subset_create", make_subset, ANY},
    {"op2_subset_create_union", make_merged, ANY},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* ---- the nestings ---------------------------------------------------------------------------- */

static void note(struct world *w, bool good, const char *call, const char *where, op2_status got) {
  if (good) return;
  w->wrong++;
  diag("%s %s: %d, %s", call, where, (int)got, got ? op2_error_message() : "");
}

/* A solve and unnamed objects are refused with the call's name; the rest may succeed or not. */
static void try_in_operator(struct world *w) {
  for (int t = 0; t < TRIALS; t++) {
    op2_status got = trials[t].run(w);
    bool good = got >= OP2_SUCCESS && got != OP2_ERR_FATAL && (!got || *op2_error_message());
    if (trials[t].rule == REFUSED_INSIDE) good &= got == OP2_ERR_STATE;
    note(w, good, trials[t].call, "in an operator's function", got);
  }
}

static int all_in_call(void *data, void *const *values) {
  struct world *w = data;
  (void)values;
  w->called++;
  for (int t = 0; t < TRIALS; t++) {
    op2_status got = trials[t].run(w);
    const char *said = op2_error_message();
    note(w, got == OP2_ERR_STATE && strstr(said, trials[t].call) && strstr(said, "all_in_call"),
         trials[t].call, "in a call's function", got);
  }
  return 0;
}

static op2_status product(void *data, op2_dat x, op2_dat y) {
  struct world *w = data;
  op2_status status =
      op2_par_loop(w->twice, w->nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE));
  if (status || w->products++) return status;
  try_in_operator(w);
  status = op2_call(w->ctx, all_in_call, w);
  return status ? status : op2_flush(w->ctx);
}

/* Everything but the end of the context, which would be right, in an open scope. */
static void try_in_scope(struct world *w, const char *where) {
  for (int t = 0; t < TRIALS; t++) {
    if (trials[t].run == try_finalize) continue;
    op2_status got = trials[t].run(w);
    note(w, got >= OP2_SUCCESS && got != OP2_ERR_FATAL, trials[t].call, where, got);
  }
}

/* ---- the world ------------------------------------------------------------------------------- */

static op2_status make_mesh(struct world *w) {
  const int ranks = op2_ranks(w->ctx), n = N / ranks;
  int64_t self[N];
  for (int i = 0; i < n; i++) self[i] = (int64_t)op2_rank(w->ctx) * n + i;
  op2_status status = op2_set_create(w->ctx, n, "nodes", &w->nodes);
  if (!status) status = op2_map_create_global(w->nodes, w->nodes, 1, self, "self", &w->self);
  if (!status) status = op2_partition(w->ctx, NULL, NULL);
  if (!status) status = op2_subset_create(w->nodes, 2, first, "some", &w->some);
  op2_dat *dats[] = {&w->u, &w->b, &w->other, &w->diagonal};
  static const char *const names[] = {"u", "b", "other", "diagonal"};
  for (int d = 0; d < 4 && !status; d++)
    status = op2_dat_create(w->nodes, 1, OP2_F64, NULL, names[d], dats[d]);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_F64, ones, "named", &w->named);
  if (!status) status = op2_gbl_create(w->ctx, 1, OP2_F64, ones, "unnamed", &w->unnamed);
  return status ? status
                : op2_const_create(w->ctx, 1, OP2_F64, ones, "constant_of_it", &w->constant);
}

static op2_status make_work(struct world *w) {
  const op2_kernel_desc twice = {
      .name = "twice", .source = "void twice(const double *x, double *y) { *y = 2 * *x; }"};
  const op2_kernel_desc one = {.name = "one", .source = "void one(double *x) { *x = 1; }"};
  const op2_map_pair pair = {w->self, w->self};
  op2_status status = op2_kernel_create(w->ctx, &twice, &w->twice);
  if (!status) status = op2_kernel_create(w->ctx, &one, &w->one);
  if (!status)
    status = op2_loop_create(&w->loop, w->one, w->nodes, op2_arg_direct(w->other, OP2_WRITE));
  if (!status) status = op2_sparsity_create(1, &pair, "sparsity", &w->sparsity);
  if (!status) status = op2_mat_create(w->sparsity, 1, 1, OP2_F64, "mat", &w->mat);
  if (!status) status = op2_solver_create(w->ctx, NULL, "second", &w->second);
  const op2_solver_options plain = {.preconditioner = OP2_PRECONDITIONER_NONE};
  if (!status) status = op2_solver_create(w->ctx, &plain, "solver", &w->solver);
  const op2_arg args[] = {op2_arg_gbl(w->named, OP2_READ), op2_arg_direct(w->other, OP2_RW)};
  const op2_operator_desc desc = {.set = w->nodes,
                                  .dim = 1,
                                  .type = OP2_F64,
                                  .apply = product,
                                  .data = w,
                                  .nargs = 2,
                                  .args = args};
  return status ? status : op2_operator_create(&desc, "matrix", &w->matrix);
}

static void end_world(struct world *w) {
  op2_operator_destroy(&w->matrix);
  op2_solver_destroy(&w->solver);
  op2_solver_destroy(&w->second);
  op2_mat_destroy(&w->mat);
  op2_sparsity_destroy(&w->sparsity);
  op2_loop_destroy(&w->loop);
  op2_kernel_destroy(&w->twice);
  op2_kernel_destroy(&w->one);
  op2_const_destroy(&w->constant);
  op2_gbl_destroy(&w->named);
  op2_gbl_destroy(&w->unnamed);
  op2_dat *dats[] = {&w->u, &w->b, &w->other, &w->diagonal};
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  op2_map_destroy(&w->self);
  op2_set_destroy(&w->some);
  op2_set_destroy(&w->nodes);
  if (w->sink) fclose(w->sink);
}

/* ---- what is tried --------------------------------------------------------------------------- */

/* The rows of a dat that this rank has all hold one value. */
static void all_are(struct world *w, op2_dat dat, double want, const char *what) {
  double got[N];
  const int64_t n = op2_set_size(w->nodes);
  op2_status status = op2_dat_get_block(dat, (int64_t)op2_rank(w->ctx) * n, n, got);
  bool good = !status;
  for (int64_t i = 0; i < n && good; i++) good = got[i] == want;
  note(w, good, what, "afterwards", status);
}

static void solve_between_loops(struct world *w) {
  double named = 0, unnamed = 0;
  const double before[] = {7, 11};
  op2_status status = op2_gbl_set(w->named, &before[0]);
  if (!status) status = op2_gbl_set(w->unnamed, &before[1]);
  if (!status) status = op2_par_loop(w->one, w->nodes, op2_arg_direct(w->b, OP2_WRITE));
  if (!status) status = op2_solve_operator(w->solver, w->matrix, w->u, w->b);
  if (!status) status = op2_flush(w->ctx);
  note(w, !status && w->products > 0 && w->called == 1, "op2_solve_operator", "in a queue", status);
  all_are(w, w->u, 0.5, "the solution");
  status = op2_gbl_get(w->named, &named);
  if (!status) status = op2_gbl_get(w->unnamed, &unnamed);
  note(w, !status && named == before[0] && unnamed == before[1], "globals", "afterwards", status);
}

static void calls_in_scopes(struct world *w) {
  const void *read = NULL;
  void *write = NULL;
  op2_status status = op2_dat_read_begin(w->other, &read);
  try_in_scope(w, "in a scope that reads");
  if (!status) status = op2_dat_read_end(w->other, &read);
  note(w, !status, "op2_dat_read_end", "afterwards", status);
  status = op2_flush(w->ctx);
  status = op2_dat_write_begin(w->other, &write);
  try_in_scope(w, "in a scope that writes");
  if (!status) status = op2_dat_write_end(w->other, &write);
  note(w, !status, "op2_dat_write_end", "afterwards", status);
}

static int try_all(op2_context ctx) {
  struct world w = {.ctx = ctx, .sink = fopen("/dev/null", "w")};
  op2_status status = make_mesh(&w);
  if (!status) status = make_work(&w);
  note(&w, !status && w.sink, "the world", "is made", status);
  if (!status) {
    solve_between_loops(&w);
    status = op2_call(ctx, all_in_call, &w);
    if (!status) status = op2_flush(ctx);
    note(&w, !status && w.called == 2, "op2_call", "in a queue", status);
    calls_in_scopes(&w);
    status = op2_par_loop(w.one, w.nodes, op2_arg_direct(w.other, OP2_WRITE));
    note(&w, !status, "op2_par_loop", "afterwards", status);
    all_are(&w, w.other, 1, "a loop");
  }
  end_world(&w);
  return w.wrong;
}

static void alone(void) { EXPECT(try_all(test_ctx) == 0); }

static int rank(struct op2i_comm *comm, void *data) {
  const op2_options *options = data;
  op2_context ctx = NULL;
  if (op2i_init_ranks(options, comm, &ctx)) return 1;
  int wrong = try_all(ctx);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

int main(void) {
  static const struct test_case cases[] = {{"calls inside functions and scopes", alone}};
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  test_environment();
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    const op2_options options = {.backend = backends[b], .cache_dir = test_cache(), .threads = 1};
    if (why)
      skip("2 ranks on %s: %s", backends[b], why);
    else
      is_int(run_contexts(2, rank, (void *)&options), 0, "%d calls in 5 places on 2 ranks on %s",
             (int)TRIALS, backends[b]);
  }
  return RUN(cases, RUN_ONE_BLOCK | RUN_ON_DEVICES);
}
