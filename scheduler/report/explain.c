/* SPDX-License-Identifier: BSD-3-Clause */
/* The explanation of what happened and why, and the profile. */
#include <inttypes.h>

#include "call.h"
#include "combination.h"
#include "comm.h"
#include "device.h"
#include "error.h"
#include "exec_mode.h"
#include "fpenv.h"
#include "jit.h"
#include "loop_device.h"
#include "machine.h"
#include "mem.h"
#include "model.h"
#include "op2/graph.h"
#include "part_report.h"
#include "program.h"
#include "program_keep.h"
#include "program_make.h"
#include "report.h"
#include "split.h"
#include "stream.h"
#include "tasks.h"
#include "text.h"

static void explain_forces(const struct op2i_sched *sched, FILE *stream) {
  int64_t first = sched->stats.nforces > OP2I_FORCES ? sched->stats.nforces - OP2I_FORCES : 0;
  fputs("\nwhat made queued loops run (", stream);
  if (first > 0) fprintf(stream, "the last %d of ", OP2I_FORCES);
  fprintf(stream, "%" PRId64 "):\n", sched->stats.nforces);
  for (int64_t f = first; f < sched->stats.nforces; f++) {
    const struct op2i_force *force = &sched->stats.forces[f % OP2I_FORCES];
    char text[96];
    snprintf(text, sizeof text, force->name[0] ? "%s of '%s'" : "%s", force->call, force->name);
    fprintf(stream, "  %-60s ran %s, left %" PRId64 " queued\n", text, OP2I_N(force->loops, "loop"),
            force->left);
  }
}

/* Print why fused loops run on the host. Loops that are not fused have it in lines of their own. */
static void explain_off_device(const struct op2i_program *program, FILE *stream) {
  for (int64_t s = 0; s < program->nsteps; s++) {
    const struct op2i_loop *loop = program->steps[s].loop;
    if (loop && loop->fused.members && loop->form.not_on_device && program->steps[s].range == 0)
      fprintf(stream, "  %s on the host: %s\n", op2i_loop_name(loop), loop->form.not_on_device);
  }
}

static void count_steps(const struct op2i_program *program, int64_t *calls, int64_t *tasks) {
  for (int64_t g = 0; g < program->grouping.ngroups; g++)
    *calls += !program->grouping.groups[g].loop;
  for (int64_t s = 0; s < program->nsteps; s++) {
    const struct op2i_task_list *list = program->steps[s].bundle->tasks;
    *tasks += list ? list->ntasks : 0;
  }
}

/* Print the copies of a program in which loops may run in several places. */
static void explain_copies(struct op2i_sched *sched, const struct op2i_program *program,
                           FILE *stream) {
  struct op2i_model_copies copies;
  if (!program->moves || !program->runs) return;
  if (!op2i_model_copies(sched, program->steps, program->nsteps, &copies)) return;
  fprintf(stream, "  each time it brings %s of dats to the device and %zu to the host\n",
          OP2I_N(copies.to_device, "byte"), copies.to_host);
}

static void explain_fusion(const struct op2i_sched *sched, FILE *stream) {
  const struct op2i_combinations *table = sched->caches.combinations;
  if (sched->ctx->config.fuse == OP2I_FUSE_NEVER)
    fputs("  fusion is switched off (OP2_FUSE=0)\n", stream);
  else
    fprintf(stream, "  combinations of loops: %" PRId64 " fused, %" PRId64 " kept apart so far%s\n",
            table->fused.n, table->apart.n,
            sched->ctx->config.fuse == OP2I_FUSE_AT_ONCE ? " (OP2_FUSE=2: fused at once)" : "");
}

static void explain_kept(const struct op2i_sched *sched, FILE *stream) {
  const struct op2i_caches *caches = &sched->caches;
  fprintf(stream, "  kept: %" PRId64 " whole, %" PRId64 " as keys, %zu KiB of at most %d",
          caches->nprograms - caches->nkeys, caches->nkeys, op2i_programs_bytes(sched) / 1024,
          sched->ctx->config.program_bytes / 1024);
  if (sched->stats.programs_evicted)
    fprintf(stream, "; %s one that had come again had no room",
            OP2I_N(sched->stats.programs_evicted, "time"));
  fputc('\n', stream);
}

/* Print how the launches of a program were handed over. */
static void explain_graphs(const struct op2i_sched *sched, const struct op2i_program *program,
                           FILE *stream) {
  const struct op2i_device_graphs *graphs = &program->kept.graphs;
  if (!graphs->n || sched->ctx->device->no_graphs) return;
  fprintf(stream, "  on the device: %s of %d launches, made %s\n", OP2I_N(graphs->n, "graph"),
          graphs->nodes, OP2I_N(graphs->made, "time"));
}

static void explain_program(struct op2i_sched *sched, const struct op2i_program *p, FILE *stream) {
  int64_t calls = 0, tasks = 0;
  count_steps(p, &calls, &tasks);
  fprintf(stream, " %s", OP2I_N(p->nnodes - calls, "loop"));
  if (calls) fprintf(stream, " and %s", OP2I_N(calls, "call"));
  fprintf(stream, " in %s, run %s", OP2I_N(p->grouping.ngroups, "step"), OP2I_N(p->runs, "time"));
  if (tasks) fprintf(stream, ", %s", OP2I_N(tasks, "task"));
  fputs(p->kept.key_only ? ", kept as a key\n" : "\n", stream);
  for (int pass = 0; op2i_passes[pass]; pass++)
    if (op2i_passes[pass]->explain) op2i_passes[pass]->explain(sched, p, stream);
  op2i_exchanges_explain(p, stream);
  op2i_convoys_explain(p, stream);
  if (sched->ctx->device) explain_off_device(p, stream);
  explain_copies(sched, p, stream);
  explain_graphs(sched, p, stream);
  for (int64_t s = 0; s < p->nsteps; s++) op2i_mode_explain(&p->steps[s].bundle->modes, stream);
}

static void explain_programs(struct op2i_sched *sched, FILE *stream) {
  fprintf(stream, "\nprograms: %" PRId64 " made, %s one was found and run again%s\n",
          sched->stats.programs_made, OP2I_N(sched->stats.programs_replayed, "time"),
          sched->ctx->config.replay ? "" : " (OP2_REPLAY=0: none is kept)");
  if (sched->ctx->config.replay) explain_kept(sched, stream);
  explain_fusion(sched, stream);
  if (sched->costs.probe_seconds > 0)
    fprintf(stream, "  loops were tried on the device, which was held to take %.1f ms\n",
            1e3 * sched->costs.probe_seconds);
  for (const struct op2i_program *p = sched->caches.programs; p; p = p->next)
    explain_program(sched, p, stream);
}

static void explain_range(const struct op2i_loop *loop, int r, FILE *stream) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_range *range = &loop->ranges[r];
  fprintf(stream, "    positions %" PRId64 " to %" PRId64, range->lo, range->hi);
  if (data->plans[r]) {
    const struct op2i_plan *plan = data->plans[r]->plan;
    fprintf(stream, ": %s of %s in %s", OP2I_N(plan->nblocks, "block"),
            OP2I_N(plan->block_size, "element"), OP2I_N(plan->ncolors, "colour"));
    if (data->plans[r]->refs > 1)
      fprintf(stream, "; plan shared by %" PRId32 " loops", data->plans[r]->refs);
  }
  fputc('\n', stream);
}

static void explain_calls(op2_context ctx, bool own, FILE *stream) {
  bool first = true;
  for (const struct op2i_user_call *call = ctx->calls; call; call = call->next) {
    if (op2i_call_is_own(&call->op) != own) continue;
    if (first) fprintf(stream, "\ncalls of the %s functions:\n", own ? "library's" : "program's");
    first = false;
    fprintf(stream, "  %s: called %s, %.3f ms in all\n", call->name, OP2I_N(call->times, "time"),
            1e3 * call->seconds);
  }
}

static void explain_device(const struct op2i_loop *loop, FILE *stream) {
  static const char *const names[OP2I_DEVICE_STRATEGIES] = {
      [OP2I_DEVICE_ONCE] = "a work item for each element",
      [OP2I_DEVICE_REPEAT] =
          ("a work item for each target, which computes what reaches it anew and "
           "adds it in the order of the host's blocks"),
      [OP2I_DEVICE_OWNER] =
          ("a group for each block of targets, which computes what reaches it and adds "
           "it in the order of the host's blocks"),
      [OP2I_DEVICE_GATHER] =
          ("a work item for each element, and then one for each target, which adds "
           "what they have left in the order of the host's blocks"),
      [OP2I_DEVICE_STAGED] = "blocks of a colour together, in shared memory, colour by colour",
      [OP2I_DEVICE_UNSTAGED] = "blocks of a colour together, their elements colour by colour",
      [OP2I_DEVICE_SERIAL] =
          "a work item for each of the host's blocks, whose elements come in turn",
      [OP2I_DEVICE_ATOMICS] = "a work item for each element, which adds by atomics, as they come"};
  const enum op2i_device_strategy wish = loop->op.ctx->config.strategy;
  struct op2i_device_form form;
  if (loop->form.not_on_device) {
    const struct op2i_loop_data *data = loop->attached.sched_data;
    fprintf(stream, "    on the host: %s%s%s\n", loop->form.not_on_device,
            data->refused ? ": " : "", data->refused ? data->refused : "");
    return;
  }
  op2i_loop_device_form(loop, loop->op.ctx->device->kind->generic, &form);
  const char *name = op2i_strategy_name(form.strategy);
  fprintf(stream, "    on the device: %s%s%s%s\n", name, *name ? ", " : "", names[form.strategy],
          form.npasses && form.rest && form.strategy != OP2I_DEVICE_GATHER
              ? "; and one for each element"
              : "");
  if (form.unfit) fprintf(stream, "      not %s: %s\n", op2i_strategy_name(wish), form.unfit);
  if (form.gather > 0)
    fprintf(stream,
            "      bytes that an element is held to cost: repeat %.0f, owner %.0f, gather %.0f\n",
            form.repeat, form.owner, form.gather);
}

static void explain_split(const struct op2i_loop *loop, FILE *stream) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_cut *cut = data->cut;
  if (!data->placed[2] || !cut) return;
  fprintf(stream,
          "      split %" PRId32 ":%" PRId32 ": elements below %" PRId64
          " on the host, from %" PRId64 " on on the device\n",
          cut->split.host, cut->split.device, cut->host_end, cut->device_begin);
}

/* Print where a loop runs and what that costs, in contexts with a device. */
static void explain_place(const struct op2i_loop *loop, FILE *stream) {
  static const char *const rules[] = {
      [OP2I_RULE_NONE] = "",
      [OP2I_RULE_FREE] = "where it takes least time",
      [OP2I_RULE_HOST] = "on the host, as OP2_PLACE says",
      [OP2I_RULE_DEVICE] = "on the device, as OP2_PLACE says",
      [OP2I_RULE_SPLIT] = "on both at once, as OP2_PLACE says",
      [OP2I_RULE_ALTERNATE] = "in turns, as OP2_PLACE says",
      [OP2I_RULE_RANDOM] = "as drawn, since OP2_PLACE says so",
  };
  const struct op2i_loop_data *data = loop->attached.sched_data;
  enum op2i_rule_kind rule = op2i_loop_rule(loop).kind;
  fprintf(stream, "    is to run %s: %s on the host, %" PRId64 " on the device", rules[rule],
          OP2I_N(data->placed[0], "time"), data->placed[1]);
  if (data->placed[2]) fprintf(stream, ", %" PRId64 " on both", data->placed[2]);
  fputc('\n', stream);
  explain_split(loop, stream);
  if (rule == OP2I_RULE_SPLIT && op2i_loop_unsplit(loop))
    fprintf(stream, "      not on both: %s\n", op2i_loop_unsplit(loop));
  for (int device = 0; device < 2; device++) {
    double ns = op2i_loop_cost(loop, device);
    if (ns >= 0)
      fprintf(stream, "    %.2f ns per element %s\n", ns,
              device ? "on the device" : "on one processor of the host");
  }
}

static void explain_remarks(const struct op2i_loop *loop, FILE *stream) {
  for (int m = 0; m < op2i_loop_nmembers(loop); m++) {
    const struct op2_kernel_s *kernel = op2i_loop_member(loop, m).kernel;
    if (kernel->remark) fprintf(stream, "    kernel '%s': %s\n", kernel->obj.name, kernel->remark);
  }
}

static void explain_order(const struct op2i_loop *loop, FILE *stream) {
  for (int d = 0; d < loop->op.ndats; d++) {
    bool same = false;
    for (int a = 0; a < loop->nargs; a++)
      same = same || (loop->args[a].dat == d && loop->args[a].same_values);
    if (same)
      fprintf(stream, "    all elements write the same values to '%s', in any order\n",
              loop->op.dats[d]->obj.name);
  }
}

/* Print what was faster in a trial, or why there was none. */
static void explain_trial(const struct op2i_loop *loop, enum op2i_trial_kind kind, FILE *stream) {
  static const char *const names[][4] = {
      [OP2I_TRY_PREFETCH] = {"prefetches", "without prefetches", "was tried without prefetches",
                             "the time with them"},
      [OP2I_TRY_SCALAR] = {"both forms", "scalar code", "scalar code was tried",
                           "the time of vector code"}};
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_trial *trial = &data->trials[kind];
  const bool other =
      kind == OP2I_TRY_PREFETCH ? loop->form.prefetch_slower : loop->form.scalar_faster;
  const double per_ns = 1e9 / (double)(trial->elements > 0 ? trial->elements : 1);
  if (trial->none) fprintf(stream, "    no trial of %s: %s\n", names[kind][0], trial->none);
  if (!trial->over || trial->none || !trial->elements) return;
  fprintf(
      stream, "    %s: %.2f of %s in a trial of %d runs of each (%.2f and %.2f ns per element)%s\n",
      names[kind][other ? 1 : 2], op2i_trial_ratio(trial), names[kind][3],
      trial->form[OP2I_TRIED_OTHER].runs, per_ns * trial->form[OP2I_TRIED_OTHER].best,
      per_ns * trial->form[OP2I_TRIED_USUAL].best, trial->recalled ? ", found in the cache" : "");
}

static void explain_loop(const struct op2i_loop *loop, FILE *stream) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  fprintf(stream, "  %s over %s: run %s\n", op2i_loop_name(loop), loop->set->obj.name,
          OP2I_N(loop->profile.calls, "time"));
  explain_remarks(loop, stream);
  if (!data || !data->ready) return;
  fprintf(stream, "    %s%s%s\n",
          loop->traits.indirect_write ? "modifies through maps"
          : loop->traits.indirect     ? "reads through maps"
                                      : "direct",
          loop->partial_bytes ? ", reduces per block in a fixed tree" : "",
          loop->traits.ordered
              ? ", keeps element order where elements conflict (WRITE or RW through a "
                "map, or mixed access)"
              : "");
  explain_order(loop, stream);
  for (int r = 0; r < loop->nranges; r++) explain_range(loop, r, stream);
  if (loop->op.ctx->device) explain_device(loop, stream);
  if (loop->op.ctx->device && loop->op.ctx->config.place) explain_place(loop, stream);
  if (loop->op.ctx->device && !loop->form.not_on_device) return;
  if (loop->form.why)
    fprintf(stream, "    scalar code: %s\n", loop->form.why);
  else if (loop->code.function[OP2I_VECTOR] && !loop->form.scalar_faster)
    fprintf(stream, "    vector code, %d bytes%s%s%s\n", loop->form.simd_bytes,
            loop->form.width ? ": " : "", loop->form.width ? loop->form.width : "",
            loop->form.past_caches ? "; what it overwrites is larger than the caches" : "");
  explain_trial(loop, OP2I_TRY_PREFETCH, stream);
  explain_trial(loop, OP2I_TRY_SCALAR, stream);
  if (data->ns_per_element > 0)
    fprintf(stream, "    %.2f ns per element measured\n", data->ns_per_element);
}

static void explain_loops(const struct op2i_loop_table *table, FILE *stream) {
  for (const struct op2i_loop *loop = table->first; loop; loop = loop->entry.next)
    explain_loop(loop, stream);
  for (const struct op2i_profile_line *line = table->profile; line; line = line->next)
    if (line->calls_gone)
      fprintf(stream, "  %s over %s: run %s for dats or globals that are gone\n",
              line->kernel->obj.name, line->set->obj.name, OP2I_N(line->calls_gone, "time"));
}

static void explain_ranks(op2_context ctx, FILE *stream) {
  const struct op2i_comm *comm = ctx->comm;
  if (comm)
    fprintf(stream, "ranks: %d of %d (%s), %d of %d on this node, with %s\n", comm->rank,
            comm->size, comm->kind->name, comm->node_rank.rank, comm->node_rank.size, ctx->share);
}

/* Print the processors of the backend's workers: a bound thread that shares a processor
 * with another is slow. */
static op2_status explain_workers(op2_context ctx, FILE *stream) {
  int workers = op2_workers(ctx);
  int *numbers = op2i_malloc((size_t)workers * sizeof *numbers);
  if (!numbers) return op2i_error_nomem("the explanation");
  if (ctx->passed_over)
    fprintf(stream, "  chosen because this build of %s has at most %s\n", ctx->passed_over->name,
            OP2I_N(ctx->passed_over->most_workers(), "worker"));
  if (ctx->backend->processors) ctx->backend->processors(ctx->backend_state, numbers);
  int bound = 0;
  for (int w = 0; w < workers && ctx->backend->processors; w++) bound += numbers[w] >= 0;
  fputs(!ctx->backend->processors ? "workers: the calling thread"
        : bound                   ? "workers: on processors"
                                  : "workers: not bound to processors",
        stream);
  for (int w = 0; w < workers && bound; w++)
    if (numbers[w] < 0)
      fprintf(stream, "%s any", w ? "," : "");
    else
      fprintf(stream, "%s %d", w ? "," : "", numbers[w]);
  fputc('\n', stream);
  op2i_free(numbers);
  return OP2_SUCCESS;
}

static void explain_device_use(const struct op2i_device *device, FILE *stream) {
  const struct op2i_device_counts *counts = &device->counts;
  fprintf(stream,
          "device: %s; %s there of %s, %" PRId64 " back of %" PRId64 "; %s; %s of its memory in "
          "use, at most %" PRId64 "\n",
          device->limits.name, OP2I_N(counts->puts, "transfer"), OP2I_N(counts->put_bytes, "byte"),
          counts->gets, counts->get_bytes, OP2I_N(counts->launches, "launch"),
          OP2I_N(device->memory.used, "byte"), device->memory.most);
}

static void explain_cache(FILE *stream, const char *cache, int64_t bytes) {
  if (bytes > 0)
    fprintf(stream, ", %s: %" PRId64 " KiB", cache, bytes / 1024);
  else
    fprintf(stream, ", %s: not known", cache);
}

static void explain_machine(FILE *stream) {
  const struct op2i_machine *machine = op2i_machine();
  fprintf(stream, "machine: %d of %d processing units", machine->cores, machine->present);
  explain_cache(stream, "L2 cache of each", machine->l2_bytes);
  explain_cache(stream, "L3 cache", machine->l3_bytes);
  fprintf(stream, "\n");
}

static void explain_counts(op2_context ctx, FILE *stream) {
  const struct op2i_sched *sched = ctx->sched;
  struct op2i_jit_stats jit;
  op2i_jit_statistics(ctx, &jit);
  explain_machine(stream);
  fprintf(stream,
          "loops: %" PRId64 " queued in all, %" PRId64 " run, %" PRId64 " failed, %" PRId64
          " cancelled, %" PRId64 " waiting\n",
          sched->queue.next_number - 1, sched->stats.loops_run, sched->stats.loops_failed,
          sched->stats.loops_cancelled, sched->queue.nnodes);
  fprintf(stream, "plans: %" PRId64 " made, found %s\n", sched->caches.plans->made,
          OP2I_N(sched->caches.plans->found, "time"));
  fprintf(stream,
          "code: %" PRId64 " compiled in %.3f s, %" PRId64 " from the cache on disk, %" PRId64
          " in memory, %" PRId64 " failed, %" PRId64 " cache entries rejected\n",
          jit.compiled, jit.seconds, jit.disk_hits, jit.memory_hits, jit.failed, jit.rejected);
  if (ctx->device) explain_device_use(ctx->device, stream);
  if (sched->stats.first_kernel)
    fprintf(stream, "start: %.1f ms from op2_init to the first kernel\n",
            1e-6 * (double)(sched->stats.first_kernel - ctx->born));
  fprintf(stream,
          "tasks: %" PRId64 " given to workers; %s run in the calling thread, %" PRId64
          " by a team\n",
          sched->stats.tasks_submitted, OP2I_N(sched->stats.programs_inline, "program"),
          sched->stats.programs_team);
}

op2_status op2_explain(op2_context ctx, FILE *stream) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_context_validate(ctx, "op2_explain");
  if (status) return status;
  if (!stream) return op2i_error(OP2_ERR_ARG, "op2_explain: the stream is null");
  struct op2i_sched *sched = ctx->sched;
  fprintf(stream, "backend %s (%s), %s, %s\n", ctx->backend->name, ctx->backend->summary,
          OP2I_N(op2_workers(ctx), "worker"), ctx->config.eager ? "eager" : "lazy");
  explain_ranks(ctx, stream);
  op2i_comm_explain(ctx, stream);
  status = explain_workers(ctx, stream);
  if (status) return status;
  explain_counts(ctx, stream);
  explain_forces(sched, stream);
  explain_programs(sched, stream);
  op2i_partition_explain(ctx, stream);
  op2i_numbering_explain(ctx, stream);
  fputs("\nloops:\n", stream);
  if (ctx->loops) explain_loops(ctx->loops, stream);
  explain_calls(ctx, false, stream);
  explain_calls(ctx, true, stream);
  return op2i_stream_written(stream, "op2_explain");
}

op2_status op2_profile_get(op2_context ctx, int i, op2_profile *profile) {
  OP2I_FP_DEFAULT;
  const int asked = i;
  op2_status status = op2i_context_validate(ctx, "op2_profile_get");
  if (status) return status;
  if (!profile || i < 0)
    return op2i_error(OP2_ERR_ARG, "op2_profile_get: a null pointer or a negative line");
  const struct op2i_profile_line *line = ctx->loops ? ctx->loops->profile : NULL;
  while (line && (!line->calls || i-- > 0)) line = line->next;
  if (!line) return op2i_error(OP2_ERR_RANGE, "op2_profile_get: there is no line %d", asked);
  *profile = (op2_profile){.kernel = line->kernel->obj.name,
                           .set = line->set->obj.name,
                           .calls = line->calls,
                           .elements = line->elements,
                           .seconds = line->seconds,
                           .bytes = line->bytes};
  return OP2_SUCCESS;
}
