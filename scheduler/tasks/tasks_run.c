/* SPDX-License-Identifier: BSD-3-Clause */
/* Running tasks, and whole programs in the calling thread; and freeing lists of tasks. */
#include "clock.h"
#include "comm.h"
#include "context.h"
#include "device.h"
#include "device_probe.h"
#include "device_run.h"
#include "exchange.h"
#include "hash.h"
#include "mem.h"
#include "partial.h"
#include "tasks.h"
#include "trace.h"

static void run_chunk(struct op2i_step *step, int32_t first, int32_t last) {
  int64_t start = op2i_nanoseconds();
  op2i_step_run_blocks(step, first, last);
  const int64_t end = op2i_nanoseconds();
  __atomic_fetch_add(&step->time.nanoseconds, end - start, __ATOMIC_RELAXED);
  struct op2i_trace *trace = op2i_trace_of(step->loop->op.ctx);
  if (trace) op2i_trace_loop(trace, op2i_track_here(trace), step->loop->profile.what, start, end);
}

/* ---- a device -------------------------------------------------------------------------------- */

uint64_t op2i_steps_places(const struct op2i_step *steps, int64_t nsteps) {
  uint64_t hash = 0;
  for (int64_t s = 0; s < nsteps; s++) {
    hash = op2i_hash_word(hash,
                          (uint64_t)steps[s].where.place << 32 | (uint32_t)steps[s].where.nmoves);
    hash = op2i_hash_word(hash, (uint64_t)steps[s].lo);
    hash = op2i_hash_word(hash, (uint64_t)steps[s].hi);
    for (int i = 0; i < steps[s].where.nmoves; i++) {
      const struct op2i_move *move = &steps[s].where.moves[i];
      hash = op2i_hash_word(hash, (uint64_t)move->dat << 32 | (uint32_t)move->source.from << 8 |
                                      (uint32_t)move->to);
      hash = op2i_hash_word(hash, move->source.first);
      hash = op2i_hash_word(hash, move->source.bytes);
    }
  }
  return hash;
}

static op2_status bring(const struct op2i_step *step, const struct op2i_move *move) {
  return op2i_buffer_bring(&step->loop->op.dats[move->dat]->values, move->to, &move->source);
}

static op2_status run_move(struct op2i_step *step, int32_t i) {
  struct op2i_device *device = step->loop->op.ctx->device;
  const struct op2i_move *move = &step->where.moves[i];
  if (!step->probe.active) return bring(step, move);
  op2_status status = device->kind->wait(device);
  double begin = op2i_seconds();
  if (!status) status = bring(step, move);
  if (!status) status = device->kind->wait(device);
  if (!status) op2i_probe_add_copy_time(step, op2i_seconds() - begin, move->source.bytes);
  return status;
}

op2_status op2i_step_moves_run(struct op2i_step *step) {
  op2_status status = OP2_SUCCESS;
  for (int32_t i = 0; i < step->where.nmoves && !status; i++) status = run_move(step, i);
  return status;
}

/* True if this run is timed. That takes a wait for the device before and after, so it is
 * done only now and then. */
static bool is_timed(const struct op2i_loop_data *data) {
  enum { EVERY = 64 };
  return data->device_runs < OP2I_DEVICE_RUNS_FIRST || data->device_runs % EVERY == 0;
}

static op2_status run_on_device(struct op2i_step *step) {
  struct op2i_device *device = step->loop->op.ctx->device;
  struct op2i_loop_data *data = step->loop->attached.sched_data;
  bool timed = is_timed(data);
  op2_status status = timed ? device->kind->wait(device) : OP2_SUCCESS;
  int64_t start = op2i_nanoseconds();
  if (!status) status = op2i_device_run(device, step);
  if (!status && timed) status = device->kind->wait(device);
  step->time.nanoseconds = op2i_nanoseconds() - start;
  step->time.elapsed = 0; /* it is counted in the program's */
  step->time.untimed = !timed || data->device_runs < OP2I_DEVICE_RUNS_BEFORE;
  data->device_runs++;
  return status;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void pack(struct op2i_step *step, int32_t leg) {
  if (step->convoy)
    op2i_convoy_pack(step->convoy);
  else
    op2i_exchange_pack(step->exchange, leg);
}

static void unpack(struct op2i_step *step, int32_t leg) {
  if (step->convoy)
    op2i_convoy_unpack(step->convoy);
  else
    op2i_exchange_unpack(step->exchange, leg);
}

op2_status op2i_task_run(struct op2i_step *step, enum op2i_task_kind kind, int32_t first,
                         int32_t last) {
  switch (kind) {
  case OP2I_TASK_CHUNK: run_chunk(step, first, last); break;
  case OP2I_TASK_REDUCE: op2i_step_combine(step, op2i_step_blocks(step)); break;
  case OP2I_TASK_PACK: pack(step, first); break;
  case OP2I_TASK_UNPACK: unpack(step, first); break;
  case OP2I_TASK_MOVE: return run_move(step, first);
  case OP2I_TASK_DEVICE: return run_on_device(step);
  }
  return OP2_SUCCESS;
}

op2_status op2i_exchange_step_run(struct op2i_step *step) {
  switch (step->kind) {
  case OP2I_STEP_BEGIN: return op2i_exchange_begin(step->exchange);
  case OP2I_STEP_SEND: return op2i_convoy_begin(step->convoy);
  case OP2I_STEP_REDUCE: return op2i_convoy_end(step->convoy);
  default: return op2i_exchange_end(step->exchange);
  }
}

/* Some communicators make progress only while they are called. *in_flight: true if the exchange
 * that steps wait for next is still in flight, or an allreduce. */
static op2_status poll_messages(struct op2i_comm *comm, const struct op2i_step *steps,
                                int64_t nsteps, bool *in_flight) {
  bool over = true;
  op2_status status = op2i_allreduces_advance(comm);
  int64_t s = 0;
  while (s < nsteps && steps[s].kind != OP2I_STEP_END) s++;
  if (!status && s < nsteps && op2i_exchange_in_flight(steps[s].exchange))
    status = op2i_exchange_over(steps[s].exchange, false, &over);
  *in_flight = !over || op2i_allreduces_in_flight(comm);
  return status;
}

/* The number of blocks that are estimated to take about `seconds`. */
static int32_t blocks_of(const struct op2i_step *step, double seconds) {
  double all = op2i_program_seconds(step, 1);
  double blocks = all > 0 ? step->plan->nblocks * seconds / all : 1;
  return blocks < 1 ? 1 : blocks < step->plan->nblocks ? (int32_t)blocks : step->plan->nblocks;
}

/* Run the first of these steps. While messages are in flight they are looked at now and then. */
static op2_status run_loop(struct op2i_step *steps, int64_t nsteps) {
  const double poll_seconds = 200e-6;
  struct op2i_comm *comm = steps->loop->op.ctx->comm;
  bool in_flight = comm && comm->flying > 0;
  int32_t n = steps->plan->nblocks, piece = in_flight ? blocks_of(steps, poll_seconds) : n;
  op2_status status = OP2_SUCCESS;
  for (int32_t i = 0, next; i < n && !status; i = next) {
    if (in_flight) status = poll_messages(comm, steps, nsteps, &in_flight);
    next = in_flight && piece < n - i ? i + piece : n;
    if (!status) run_chunk(steps, i, next);
  }
  return status;
}

op2_status op2i_tasks_run_here(struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++) {
    struct op2i_step *step = &steps[s];
    op2_status status = step->loop ? OP2_SUCCESS : op2i_exchange_step_run(step);
    if (status) return status;
    if (step->hi <= step->lo) continue;
    status = op2i_step_moves_run(step);
    if (!status && step->where.place == OP2I_DEVICE) {
      status = run_on_device(step);
      if (!status) continue;
    }
    if (!status) status = op2i_step_begin(step, op2i_step_blocks(step));
    if (!status) status = run_loop(step, nsteps - s);
    if (status) return status;
    if (step->values.partials) op2i_step_combine(step, op2i_step_blocks(step));
  }
  return OP2_SUCCESS;
}

/* ---- lists of tasks -------------------------------------------------------------------------- */

void op2i_task_list_clear(struct op2i_task_list *list) {
  op2i_free(list->tasks);
  op2i_free(list->deps);
  op2i_free(list->free);
  *list = (struct op2i_task_list){0};
}

void op2i_task_list_free(struct op2i_task_list **list) {
  if (!*list) return;
  op2i_task_list_clear(*list);
  op2i_free(*list);
  *list = NULL;
}
