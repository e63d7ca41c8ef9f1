/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation of a context, from options to backend and scheduler, and its end with all that
 * it holds. */
#include "init.h"
#include "background.h"

#include "backend.h"
#include "clock.h"
#include "context.h"
#include "cpu.h"
#include "device.h"
#include "error.h"
#include "failure.h"
#include "fpenv.h"
#include "gbl.h"
#include "jit.h"
#include "load.h"
#include "log.h"
#include "machine.h"
#include "mem.h"
#include "mesh.h"
#include "numa.h"
#include "op.h"
#include "process.h"
#include "progress.h"
#include "recycle.h"
#include "registry.h"
#include "report.h"
#include "sched.h"
#include "schedule.h"
#include "section.h"
#include "share.h"
#include "text.h"
#include "tools.h"
#include "trace.h"
#include "trace_report.h"
#include "watch.h"

/* If the user has not chosen a backend, it is no error that the default one cannot be started: the
 * next one that computes on the same cores takes its place. Programs that set places for their
 * loops need the backend that supports them, so none replaces it. */
static op2_status open_backend(op2_context ctx) {
  op2_status status = ctx->backend->open(ctx, &ctx->backend_state);
  while (status == OP2_ERR_UNAVAILABLE && !ctx->config.backend && !ctx->config.place) {
    const struct op2i_backend *next = op2i_backend_after(ctx->backend);
    if (!next) break;
    op2i_log(ctx, OP2I_LOG_WARN, "the backend is %s, since %s cannot be used: %s", next->name,
             ctx->backend->name, op2_error_message());
    ctx->backend = next;
    ctx->passed_over = NULL;
    status = next->open(ctx, &ctx->backend_state);
  }
  return status;
}

static op2_status choose_backend(op2_context ctx) {
  const char *name = ctx->config.backend;
  if (name)
    ctx->backend = op2i_backend_find(name);
  else
    ctx->backend = op2i_backend_default(
        ctx->config.threads ? ctx->config.threads : op2i_machine()->cores, &ctx->passed_over);
  if (!ctx->backend)
    return op2i_error(OP2_ERR_OPTION, "%s is '%s': %s", ctx->config.backend_by, name,
                      op2_backend_unavailable(name));
  const char *reason = ctx->backend->unavailable();
  if (reason)
    return op2i_error(OP2_ERR_UNAVAILABLE, "backend %s%s%s%s is not available: %s",
                      ctx->backend->name, name ? " (asked for by " : "",
                      name ? ctx->config.backend_by : "", name ? ")" : "", reason);
  return open_backend(ctx);
}

static op2_status create_sched(op2_context ctx) {
  const char *record = ctx->config.schedule_file;
  op2_status status = record ? op2i_schedule_open(record) : OP2_SUCCESS;
  if (status) return status;
  status = op2i_sched_create(ctx, &ctx->sched);
  if (!status)
    op2i_sched_use(ctx->sched);
  else if (record)
    op2i_schedule_close();
  return status;
}

/* Find the NUMA nodes of the workers. Nothing is asked where there is one node. */
static op2_status find_nodes(op2_context ctx) {
  const bool forced = ctx->config.numa == 1;
  if (ctx->config.numa == 0 || !ctx->backend->processors || ctx->workers < 2) return OP2_SUCCESS;
  if (!forced && op2i_machine()->nodes < 2) return OP2_SUCCESS;
  int *cpus = op2i_malloc((size_t)ctx->workers * sizeof *cpus);
  if (!cpus) return op2i_error_nomem("the processors of workers");
  ctx->backend->processors(ctx->backend_state, cpus);
  op2_status status = op2i_numa_find(ctx->workers, cpus, forced, &ctx->numa);
  op2i_free(cpus);
  if (!status)
    op2i_log(ctx, OP2I_LOG_INFO,
             ctx->numa ? "large dats are placed on the NUMA nodes of workers"
                       : "dats are not placed on NUMA nodes: the workers are "
                         "on one of them, or not bound to cores "
                         "(OMP_PROC_BIND=true binds those of openmp)");
  return status;
}

/* The number of contexts of this process so far that have used its cores, or a share of them; those
 * that compute only in the calling thread do not count. */
static int64_t settled;

static bool spread; /* a context of this process was over ranks */

/* Warn once in a job when the machine's cores keep it from the usual backend. */
static void warn_passed_over(op2_context ctx) {
  static bool warned;
  const bool first = !warned && (!ctx->comm || ctx->comm->rank == 0);
  warned = true;
  op2i_log(ctx, first ? OP2I_LOG_WARN : OP2I_LOG_INFO,
           "the backend is %s for %s, since this build of %s has at most %d; only %s tiles loops "
           "(one built with --enable-maxcpus has more workers; OP2_BACKEND=%s says that this is "
           "meant)",
           ctx->backend->name, OP2I_N(ctx->workers, "worker"), ctx->passed_over->name,
           ctx->passed_over->most_workers(), ctx->passed_over->name, ctx->backend->name);
}

/* On failure the caller still owns the communicator. */
static op2_status begin_context(const op2_options *options, struct op2i_comm *comm,
                                op2_context *ctx_out) {
  op2_context ctx = op2i_calloc(1, sizeof *ctx);
  if (!ctx) return op2i_error_nomem("a context");
  ctx->comm = comm;
  ctx->magic = OP2I_CONTEXT_MAGIC;
  ctx->refs = 1;
  ctx->born = op2i_nanoseconds();
  ctx->epoch = 1;
  op2_status status;
  OP2I_TRY(op2i_config_init(&ctx->config, options));
  if (ctx->config.deterministic) op2i_deterministic_begun = true;
  op2i_load_prepare(); /* before there are threads */
  if (comm) op2i_share_cores(ctx, settled == 0);
  op2i_env_warn_unknown(ctx);
  spread |= comm != NULL;
  if (!spread) op2i_env_warn_launcher(ctx);
  if (ctx->config.shadow) OP2I_TRY(op2i_device_open(&op2i_device_shadow, NULL, 0, 0, &ctx->shadow));
  OP2I_TRY(choose_backend(ctx));
  ctx->workers = ctx->backend->workers(ctx->backend_state);
  ctx->spares.never = ctx->backend->never_recycles;
  status = find_nodes(ctx);
  if (!status) status = create_sched(ctx);
  if (status) {
    ctx->backend->close(ctx->backend_state);
    goto fail;
  }
  op2i_log(ctx, OP2I_LOG_INFO, "backend %s, %s", ctx->backend->name,
           OP2I_N(ctx->workers, "worker"));
  if (ctx->passed_over) warn_passed_over(ctx);
  op2i_trace_start(ctx);
  op2i_tools_open(ctx);
  op2i_process_enter(ctx);
  settled += comm || ctx->backend->processors;
  *ctx_out = ctx;
  return OP2_SUCCESS;
fail:
  ctx->comm = NULL;
  op2i_context_unref(ctx);
  return status;
}

static void drop_failures(op2_context ctx) {
  while (ctx->records->failures) {
    struct op2i_failure *failure = ctx->records->failures;
    ctx->records->failures = failure->next;
    op2i_log(ctx, OP2I_LOG_ERROR, "also failed: %s", failure->message);
    failure->next = NULL;
    op2i_failure_unref(failure);
  }
}

static void end(op2_context ctx) {
  /* Failures that can no longer be returned are logged, so that none is lost. */
  drop_failures(ctx);
  op2i_objects_release_awaiting(ctx);
  op2i_spares_end(ctx);
  op2i_dats_come_home(ctx);
  op2i_gbls_come_home(ctx);
  op2i_progress_end(ctx);
  op2i_sections_end(ctx);
  op2i_trace_stop(ctx);
  op2i_sections_free(ctx);
  op2i_tools_close(ctx);
  ctx->finalized = true;
  op2i_process_leave(ctx);
  op2i_sched_destroy(ctx->sched);
  op2i_objects_release_awaiting(ctx); /* those that functions left which destroy calls' data */
  (void)op2i_background_wait(ctx, true);
  op2i_comm_free(ctx->comm); /* no rank may wait for one whose program has kept a handle */
  ctx->comm = NULL;
  op2i_interned_loops.free(ctx);
  op2i_interned_calls.free(ctx);
  op2i_interned_solves.free(ctx);
  op2i_interned_kernels.free(ctx);
  op2i_jit_close(ctx);
  ctx->backend->close(ctx->backend_state);
  if (ctx->config.schedule_file) op2i_schedule_close();
  op2i_context_unref(ctx);
}

static op2_status begin_alone(const op2_options *options, struct op2i_comm *comm,
                              op2_context *ctx) {
  op2i_process_begin_context();
  op2_status status = begin_context(options, comm, ctx);
  op2i_process_context_begun();
  return status;
}

/* Choose the vector width: that of the processor or, among ranks, of the narrowest one, so that
 * all ranks make the same loops into vector code; and in the same way how much caches hold. Rank 0
 * also warns of the lowest rank that shares its cores with others. If all ranks have a trace, the
 * traces get one time. */
static op2_status choose_vectors(op2_context ctx) {
  const int rank = ctx->comm ? ctx->comm->rank : 0;
  int64_t least[5] = {op2i_simd_bytes(), op2i_simd_halved() ? 0 : 1, INT64_MAX,
                      (op2i_machine_cached(op2i_machine()) + (1 << 20) - 1) >> 20,
                      ctx->trace != NULL};
  if (ctx->crowd) least[2] = (int64_t)rank * OP2I_CROWDS + ctx->crowd;
  op2_status status = ctx->comm ? op2i_comm_least(ctx->comm, 5, least) : OP2_SUCCESS;
  if (!status && ctx->comm && least[4]) status = op2i_trace_align(ctx);
  if (!status && rank == 0 && least[2] != INT64_MAX)
    op2i_crowd_warn(ctx, (enum op2i_crowd)(least[2] % OP2I_CROWDS), (int)(least[2] / OP2I_CROWDS));
  if (ctx->config.stream_mb == OP2I_STREAM_AUTO)
    ctx->config.stream_mb = least[3] < 1 << 20 ? (int)least[3] : 1 << 20;
  if (ctx->config.simd_bytes != OP2I_SIMD_AUTO) return status;
  ctx->config.simd_bytes = (int)least[0];
  ctx->config.simd_chosen = true;
  ctx->config.simd_halved = !least[1];
  return status;
}

static void warn(void *ctx, const char *text) { op2i_log(ctx, OP2I_LOG_WARN, "%s", text); }

/* From the first call on, ranks compare the calls that they make, and have a limit on how long they
 * wait for each other. */
static op2_status begin_trail(op2_context ctx) {
  struct op2i_comm *comm = ctx->comm;
  if (comm->size == 1) return OP2_SUCCESS;
  comm->trail = op2i_calloc(1, sizeof *comm->trail);
  if (!comm->trail) return op2i_error_nomem("the calls that ranks compare");
  comm->watch.longest = (int64_t)ctx->config.wait_max * 1000000000;
  comm->watch.warn = warn;
  comm->watch.closure = ctx;
  return OP2_SUCCESS;
}

/* No rank ends while others still need it. */
static op2_status leave_ranks(op2_context ctx) {
  struct op2i_comm *comm = ctx->comm;
  if (!comm || comm->size == 1) return OP2_SUCCESS;
  if (!ctx->fatal) return op2i_comm_farewell(comm, "op2_finalize");
  op2i_comm_leave_dead(comm);
  return OP2_SUCCESS;
}

/* Agree on options and vectors, once all ranks have a context. */
static op2_status agree_on_options(op2_context ctx) {
  op2_status status = op2i_config_agree(&ctx->config, ctx->backend->name, ctx->comm);
  return status ? status : choose_vectors(ctx);
}

op2_status op2i_init_ranks(const op2_options *options, struct op2i_comm *comm, op2_context *out) {
  OP2I_FP_DEFAULT;
  op2_context ctx = NULL;
  op2_status status = begin_alone(options, comm, &ctx);
  if (!status && comm) status = begin_trail(ctx);
  op2_status agreed = comm ? op2i_comm_agree(comm, status) : status;
  if (!agreed) agreed = comm ? agree_on_options(ctx) : choose_vectors(ctx);
  if (!agreed)
    *out = ctx;
  else if (ctx)
    end(ctx);
  else if (comm)
    op2i_comm_free(comm);
  return agreed;
}

op2_status op2_init(const op2_options *options, op2_context *ctx) {
  if (!ctx) return op2i_error(OP2_ERR_ARG, "op2_init: where to put the context is null");
  return op2i_init_ranks(options, NULL, ctx);
}

/* Run what is queued and end together with the other ranks. */
static op2_status leave(op2_context ctx) {
  op2_status status = OP2_SUCCESS, left;
  if (ctx->comm && ctx->comm->watch.ended) ctx->fatal = true;
  if (!ctx->fatal) {
    op2i_context_call(ctx, "op2_finalize", NULL, 0, 0);
    status = op2i_scheduler.flush(ctx->sched, "op2_finalize");
    if (!status) status = op2i_background_wait(ctx, false);
  }
  op2i_report_end(ctx);
  left = leave_ranks(ctx);
  return status ? status : left;
}

op2_status op2_finalize(op2_context *handle) {
  OP2I_FP_DEFAULT;
  if (!handle || !*handle) return OP2_SUCCESS;
  op2_context ctx = *handle;
  op2_status status = OP2_SUCCESS;
  if (ctx->magic == OP2I_CONTEXT_MAGIC) status = op2i_context_allow(ctx, "op2_finalize");
  if (status) return status;
  /* This comes before the handle is null, since functions of op2_call() may have it. */
  if (ctx->magic == OP2I_CONTEXT_MAGIC && !ctx->finalized) status = leave(ctx);
  *handle = NULL;
  if (ctx->magic != OP2I_CONTEXT_MAGIC)
    return op2i_error(OP2_ERR_ARG, "op2_finalize: not a context handle");
  if (ctx->forked) return op2i_error_forked();
  if (ctx->finalized)
    return op2i_error(OP2_ERR_STATE, "op2_finalize: the context was finalized before, through a "
                                     "copy of the handle");
  end(ctx);
  return status;
}

const char *op2_backend_name(op2_context ctx) {
  return ctx && ctx->magic == OP2I_CONTEXT_MAGIC ? ctx->backend->name : NULL;
}
