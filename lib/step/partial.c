/* SPDX-License-Identifier: BSD-3-Clause */
/* Global reductions: partial results of blocks, combined in a fixed tree over the block numbers. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "backend.h"
#include "comm.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "mem.h"
#include "partial.h"
#include "plan.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* Sums are computed in a type where overflow wraps and are converted back. A zero that MIN or MAX
 * takes is made positive, by adding zero, so that the order of zeros does not matter. */
#define COMBINE(name_, c_, sum_, is_nan_)                                                          \
  static void combine_##name_(op2_access access, int64_t n, c_ *into, const c_ *from) {            \
    if (op2i_sums(access))                                                                         \
      for (int64_t i = 0; i < n; i++) into[i] = (c_)((sum_)into[i] + (sum_)from[i]);               \
    else if (op2i_lowers(access))                                                                  \
      for (int64_t i = 0; i < n; i++)                                                              \
        into[i] = from[i] < into[i] || is_nan_(into[i]) ? (c_)(from[i] + 0) : into[i];             \
    else if (op2i_bounds(access))                                                                  \
      for (int64_t i = 0; i < n; i++)                                                              \
        into[i] = from[i] > into[i] || is_nan_(into[i]) ? (c_)(from[i] + 0) : into[i];             \
  }
#define NEVER(x_)                         false
#define COMBINE_REAL(type_, name_, c_)    COMBINE(name_, c_, c_, isnan)
#define COMBINE_INTEGER(type_, name_, c_) COMBINE(name_, c_, uint64_t, NEVER)

OP2I_REAL_TYPES(COMBINE_REAL)
OP2I_SIGNED_TYPES(COMBINE_INTEGER)
OP2I_UNSIGNED_TYPES(COMBINE_INTEGER)

void op2i_values_combine(op2_type type, op2_access access, int64_t n, void *into,
                         const void *from) {
#define COMBINED(type_, name_, c_)                                                                 \
  case type_: combine_##name_(access, n, into, from); break;
  switch (type) { OP2I_TYPES(COMBINED) }
}

/* True if MIN or MAX takes the value in place of another. */
#define BETTER(name_, c_, is_nan_)                                                                 \
  static bool better_##name_(op2_access access, const c_ *value, const c_ *other) {                \
    if (is_nan_(*other)) return !is_nan_(*value);                                                  \
    return op2i_lowers(access) ? *value < *other : *value > *other;                                \
  }
#define BETTER_REAL(type_, name_, c_)    BETTER(name_, c_, isnan)
#define BETTER_INTEGER(type_, name_, c_) BETTER(name_, c_, NEVER)

OP2I_REAL_TYPES(BETTER_REAL)
OP2I_SIGNED_TYPES(BETTER_INTEGER)
OP2I_UNSIGNED_TYPES(BETTER_INTEGER)

static bool better(const struct op2i_loop_arg *arg, const void *value, const void *other) {
#define IS_BETTER(type_, name_, c_)                                                                \
  case type_: return better_##name_(arg->access, value, other);
  switch (arg->type) { OP2I_TYPES(IS_BETTER) }
  return false;
}

void op2i_values_begin(op2_type type, op2_access access, int64_t n, void *into) {
  const double start = op2i_access_modes[access].identity;
#define BEGIN(type_, name_, c_)                                                                    \
  case type_:                                                                                      \
    for (int64_t i = 0; i < n; i++) ((c_ *)into)[i] = (c_)start;                                   \
    break;
  switch (type) { OP2I_TYPES(BEGIN) }
}

/* ---- partial results ------------------------------------------------------------------------- */

op2_status op2i_step_begin(struct op2i_step *step, int64_t nblocks) {
  size_t bytes = (size_t)step->loop->partial_bytes;
  void *data = NULL;
  if (!bytes) return OP2_SUCCESS;
  if ((size_t)nblocks > SIZE_MAX / bytes) return op2i_error_nomem("partial results of reductions");
  if (step->values.results.bytes < (size_t)nblocks * bytes) {
    op2i_step_end(step);
    op2i_buffer_init(&step->values.results, step->loop->op.ctx, (size_t)nblocks * bytes,
                     (size_t)nblocks * bytes, false);
  }
  enum op2i_place place = step->where.place == OP2I_DEVICE ? OP2I_HOST : step->where.place;
  op2_status status =
      op2i_buffer_at(&step->values.results, place, OP2_WRITE, OP2I_EVERY_ROW, &data);
  if (status) op2i_step_end(step);
  step->values.partials = data;
  return status;
}

static size_t bytes_of(const struct op2i_loop_arg *arg) {
  return (size_t)arg->dim * op2i_type_size(arg->type);
}

void op2i_partial_init(const struct op2i_step *step, unsigned char *partial) {
  const struct op2i_loop *loop = step->loop;
  if (!partial) return;
  memset(partial, 0, (size_t)loop->partial_bytes);
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (!op2i_arg_reduces(arg)) continue;
    if (op2i_sums(arg->access))
      op2i_values_begin(arg->type, arg->access, arg->dim, partial + arg->offset);
    else
      memcpy(partial + arg->offset, step->values.gbl[arg->gbl], bytes_of(arg));
    if (!op2i_arg_located(arg)) continue;
    struct op2i_found found = {.number = OP2I_NOBODY};
    memcpy(found.start, step->values.gbl[arg->gbl], bytes_of(arg));
    memcpy(partial + arg->found_at, &found, sizeof found);
  }
}

/* ---- the element of a minimum or maximum ----------------------------------------------------- */

static int64_t *winner(const struct op2i_loop_arg *arg, unsigned char *partial) {
  return &((struct op2i_found *)(partial + arg->found_at))->number;
}

/* If values are equal, the one with the lower element number wins, so the order of comparison does
 * not matter. */
static bool wins(const struct op2i_loop_arg *arg, unsigned char *from, unsigned char *into) {
  int64_t number = *winner(arg, from), other = *winner(arg, into);
  const void *value = from + arg->offset, *there = into + arg->offset;
  if (number == OP2I_NOBODY) return false;
  return better(arg, value, there) || (!better(arg, there, value) && number < other);
}

void op2i_reduce_minloc(const struct op2i_loop *loop, int a, unsigned char *into,
                        unsigned char *from) {
  const struct op2i_loop_arg *arg = &loop->args[a];
  if (!wins(arg, from, into)) return;
  *winner(arg, into) = *winner(arg, from);
  memcpy(into + arg->offset, from + arg->offset, bytes_of(arg));
  for (int b = 0; b < loop->nargs; b++) {
    const struct op2i_loop_arg *info = &loop->args[b];
    if (op2i_arg_informs(info) && info->info_of == a)
      memcpy(into + info->offset, from + info->offset, bytes_of(info));
  }
}

/* Earlier members of a fused loop may have changed the global, so the result is stored only if it
 * is better than the global's present value. */
static void store_result(const struct op2i_step *step, int a) {
  const struct op2i_loop *loop = step->loop;
  const struct op2i_loop_arg *arg = &loop->args[a];
  const unsigned char *value = step->values.partials + arg->offset;
  if (*winner(arg, step->values.partials) == OP2I_NOBODY) return;
  if (!better(arg, value, step->values.gbl[arg->gbl])) return;
  memcpy(step->values.gbl[arg->gbl], value, bytes_of(arg));
  for (int b = 0; b < loop->nargs; b++) {
    const struct op2i_loop_arg *info = &loop->args[b];
    if (op2i_arg_informs(info) && info->info_of == a)
      memcpy(step->values.gbl[info->gbl], step->values.partials + info->offset, bytes_of(info));
  }
}

/* ---- all reductions -------------------------------------------------------------------------- */

static void combine_partials(const struct op2i_loop *loop, unsigned char *into,
                             unsigned char *from) {
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (!op2i_arg_reduces(arg) || op2i_arg_informs(arg)) continue;
    if (op2i_arg_located(arg))
      op2i_reduce_minloc(loop, a, into, from);
    else
      op2i_values_combine(arg->type, arg->access, arg->dim, into + arg->offset, from + arg->offset);
  }
}

static void store_results(struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (op2i_arg_located(arg))
      store_result(step, a);
    else if (op2i_arg_reduces(arg) && !op2i_arg_informs(arg))
      op2i_values_combine(arg->type, arg->access, arg->dim, step->values.gbl[arg->gbl],
                          step->values.partials + arg->offset);
  }
}

/* Combine partial results in a binary tree: blocks 2k and 2k+1, then pairs of those, and so on. The
 * tree depends on nblocks alone. */
void op2i_step_combine(struct op2i_step *step, int64_t nblocks) {
  if (!step->values.partials || !step->reduces || nblocks < 1) return;
  size_t bytes = (size_t)step->loop->partial_bytes;
  op2i_fp_reset(); /* a kernel may have changed the floating-point environment */
  for (int64_t distance = 1; distance < nblocks; distance *= 2)
    for (int64_t b = 0; b + distance < nblocks; b += 2 * distance)
      combine_partials(step->loop, step->values.partials + (size_t)b * bytes,
                       step->values.partials + (size_t)(b + distance) * bytes);
  if (!step->defers) store_results(step);
}

/* ---- combination over ranks ------------------------------------------------------------------ */

size_t op2i_reduction_bytes(const struct op2i_loop *loop) {
  size_t end = 0;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (!op2i_arg_reduces(arg)) continue;
    size_t value = (size_t)arg->offset + bytes_of(arg);
    size_t found = op2i_arg_located(arg) ? (size_t)arg->found_at + sizeof(struct op2i_found) : 0;
    if (value > end) end = value;
    if (found > end) end = found;
  }
  return (end + 15) / 16 * 16;
}

static void combine_ranks(void *into, const void *from, void *closure) {
  const struct op2i_convoy *convoy = closure;
  op2i_fp_reset(); /* it may be called between blocks */
  for (const struct op2i_reduction *r = convoy->reductions; r < convoy->reductions + convoy->n; r++)
    combine_partials(r->steps->loop, (unsigned char *)into + r->at, (unsigned char *)from + r->at);
}

/* A range without elements contributes the identity. */
static op2_status add_nothing(struct op2i_step *step) {
  op2_status status = op2i_step_begin(step, 1);
  if (!status) op2i_partial_init(step, step->values.partials);
  return status;
}

/* Combine this rank's results of one loop into its first range, and copy them to the message. */
static void gather(struct op2i_reduction *r, unsigned char *message) {
  r->status = OP2_SUCCESS;
  for (int64_t s = 0; s < r->n && !r->status && !r->lost; s++) {
    struct op2i_step *step = &r->steps[s];
    if (!step->reduces) continue;
    if (step->hi <= step->lo) r->status = add_nothing(step);
    if (!r->status && s > 0)
      combine_partials(step->loop, r->steps->values.partials, step->values.partials);
  }
  if (message && !r->lost && !r->status)
    memcpy(message + r->at, r->steps->values.partials, r->bytes);
}

struct op2i_convoy op2i_convoy_make(struct op2i_reduction *reductions, int n) {
  struct op2i_convoy convoy = {.reductions = reductions, .n = n};
  for (int i = 0; i < n; convoy.bytes += reductions[i++].bytes) {
    reductions[i].at = convoy.bytes;
    reductions[i].bytes = op2i_reduction_bytes(reductions[i].steps->loop);
  }
  return convoy;
}

op2_status op2i_convoy_reserve(struct op2i_convoy *convoy) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < convoy->n; i++)
    for (int64_t s = 0; s < convoy->reductions[i].n && !status; s++) {
      struct op2i_step *step = &convoy->reductions[i].steps[s];
      if (step->reduces && step->hi <= step->lo) status = op2i_step_begin(step, 1);
    }
  return status;
}

/* A rank that has failed sends zeros, so that no other rank waits for it. */
static void pack(struct op2i_convoy *convoy, unsigned char *message) {
  op2i_fp_reset();
  if (message) memset(message, 0, convoy->bytes);
  for (int i = 0; i < convoy->n; i++) gather(&convoy->reductions[i], message);
}

static void unpack(const struct op2i_convoy *convoy, const unsigned char *message) {
  op2i_fp_reset(); /* a kernel may have changed it */
  for (int i = 0; i < convoy->n; i++) {
    const struct op2i_reduction *r = &convoy->reductions[i];
    if (r->lost || r->status) continue;
    memcpy(r->steps->values.partials, message + r->at, r->bytes);
    store_results(r->steps);
  }
}

void op2i_convoy_pack(struct op2i_convoy *convoy) { pack(convoy, convoy->message); }

op2_status op2i_convoy_start(struct op2i_convoy *convoy) {
  return op2i_allreduce_begin(convoy->reductions->steps->loop->op.ctx->comm, convoy->message,
                              convoy->bytes, combine_ranks, convoy, &convoy->travel);
}

op2_status op2i_convoy_over(struct op2i_convoy *convoy, bool wait, bool *over) {
  return op2i_allreduce_over(&convoy->travel, wait, over);
}

void op2i_convoy_unpack(struct op2i_convoy *convoy) { unpack(convoy, convoy->message); }

op2_status op2i_convoy_begin(struct op2i_convoy *convoy) {
  op2i_convoy_pack(convoy);
  return op2i_convoy_start(convoy);
}

op2_status op2i_convoy_end(struct op2i_convoy *convoy) {
  bool over;
  op2_status status = op2i_convoy_over(convoy, true, &over);
  if (!status) op2i_convoy_unpack(convoy);
  return status;
}

op2_status op2i_convoy_combine(struct op2i_convoy *convoy) {
  op2_context ctx = convoy->reductions->steps->loop->op.ctx;
  if (op2i_convoy_small(convoy)) {
    op2_status status = op2i_convoy_begin(convoy);
    return status ? status : op2i_convoy_end(convoy);
  }
  unsigned char *message = op2i_alloc_data(convoy->bytes);
  pack(convoy, message);
  op2_status status = op2i_comm_combine(ctx->comm, message, convoy->bytes, combine_ranks, convoy);
  if (!status) unpack(convoy, message);
  op2i_free_data(message);
  return status;
}

void op2i_step_end(struct op2i_step *step) {
  op2i_buffer_free(&step->values.results);
  step->values.results.bytes = 0;
  step->values.partials = NULL;
}

int32_t op2i_step_blocks(const struct op2i_step *step) {
  const struct op2i_plan *plan = step->plan;
  if (!op2i_is_split(step->where.split)) return plan->nblocks;
  return (int32_t)((step->hi - plan->lo + plan->block_size - 1) / plan->block_size);
}

/* Held by the thread that runs kernels by address which are for one thread at a time. It belongs to
 * the process, since functions of several contexts may share what they change. */
static pthread_mutex_t one_thread = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t watched = PTHREAD_ONCE_INIT;

/* The thread that held it is not in the child. */
static void in_child(void) { one_thread = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, in_child); }

static void wait_for_kernels(void) {
  (void)pthread_once(&watched, watch_forks);
  pthread_mutex_lock(&one_thread);
}

void op2i_kernels_enter(const struct op2i_loop *loop) {
  if (loop->traits.one_thread) wait_for_kernels();
}

void op2i_kernels_leave(const struct op2i_loop *loop) {
  if (loop->traits.one_thread) pthread_mutex_unlock(&one_thread);
}

void op2i_step_apply(const struct op2i_step *step, int64_t lo, int64_t hi, unsigned char *partial) {
  op2i_plain_fn run = (op2i_plain_fn)step->function;
  if (!step->loop->traits.one_thread) {
    run(&step->call, lo, hi, partial);
    return;
  }
  op2i_kernels_enter(step->loop);
  run(&step->call, lo, hi, partial);
  op2i_kernels_leave(step->loop);
}

/* Run blocks that follow each other, with one partial result. */
static void run_joined(const struct op2i_step *step, int32_t first, int32_t end,
                       unsigned char *partial) {
  int64_t hi = op2i_plan_block_hi(step->plan, end - 1);
  op2i_fp_reset(); /* a kernel of an earlier block may have changed it */
  op2i_step_apply(step, op2i_plan_block_lo(step->plan, first), hi < step->hi ? hi : step->hi,
                  partial);
}

static void run_block(const struct op2i_step *step, int32_t block) {
  size_t bytes = (size_t)step->loop->partial_bytes;
  unsigned char *partial =
      step->values.partials ? step->values.partials + (size_t)block * bytes : NULL;
  op2i_partial_init(step, partial);
  run_joined(step, block, block + 1, partial);
}

/* Blocks of a plan with one colour are in order, so that one call computes the same as several. */
bool op2i_step_joins_blocks(const struct op2i_step *step) {
  return step->plan->ncolors == 1 && !step->values.partials && !step->loop->traits.one_thread;
}

void op2i_step_run_blocks(const struct op2i_step *step, int32_t first, int32_t last) {
  int32_t blocks = op2i_step_blocks(step);
  if (op2i_step_joins_blocks(step)) {
    int32_t end = last < blocks ? last : blocks;
    if (first < end) run_joined(step, first, end, NULL);
    return;
  }
  for (int32_t i = first; i < last; i++)
    if (step->plan->blkmap[i] < blocks) run_block(step, step->plan->blkmap[i]);
}
