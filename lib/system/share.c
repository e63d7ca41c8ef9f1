/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of the cores of a node on which a rank works. A launcher that has bound processes to
 * different CPUs has decided, and so has a user who set places of OpenMP. Otherwise all ranks would
 * put their workers on the same cores: ranks that may run on the same CPUs take equal shares, in
 * the order of their ranks. */
#include "share.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affinity.h"
#include "comm.h"
#include "env.h"
#include "log.h"
#include "machine.h"
#include "text.h"

int op2i_threads_asked(op2_context ctx) {
  const char *text = op2i_env_system("OMP_NUM_THREADS");
  if (ctx->config.threads || !text) return ctx->config.threads;
  long number = strtol(text, NULL, 10);
  return number > 0 && number <= 4096 ? (int)number : 0;
}

static void note_reason(op2_context ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note_reason(op2_context ctx, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(ctx->share, sizeof ctx->share, format, arguments);
  va_end(arguments);
}

/* The reason why this rank keeps the cores that it has; null: they can be shared out. */
static const char *kept(const struct op2i_node_rank *node_rank, bool narrow, bool first) {
  if (!first) return "the first context of this process has settled it";
  if (node_rank->size == 1) return "no other rank is on this node";
  if (node_rank->overlapping) return "the launcher has bound ranks to cores that overlap";
  if (node_rank->cpu_sharers == 1) return "the launcher has bound each rank to cores of its own";
  if (narrow) return "the environment gives OpenMP its places";
  return NULL;
}

void op2i_share_cores(op2_context ctx, bool first) {
  const struct op2i_node_rank *node_rank = &ctx->comm->node_rank;
  int numbers[OP2I_CPU_NUMBERS], threads = op2i_threads_asked(ctx), cores = op2i_machine()->cores;
  bool narrow;
  (void)op2i_process_cpus(numbers, &narrow);
  int from = (int)((int64_t)cores * node_rank->sharer_rank / node_rank->cpu_sharers);
  int to = (int)((int64_t)cores * (node_rank->sharer_rank + 1) / node_rank->cpu_sharers);
  int share = to > from ? to - from : 1;
  if (first) ctx->crowd = op2i_crowd_of(node_rank, cores, threads, narrow);
  const char *why = node_rank->process ? NULL : kept(node_rank, narrow, first);
  ctx->config.threads = threads;
  if (why)
    note_reason(ctx, "all %d cores of this process: %s", cores, why);
  else if (threads > share)
    note_reason(ctx,
                "all %d cores of this process: %s asked for, more than its share of %d", cores,
                OP2I_N(threads, "worker"), share);
  else if (node_rank->process)
    note_reason(ctx, "%d of %d cores: ranks are threads of one process", share, cores);
  else
    note_reason(ctx, "%d of the %d cores that %d ranks may use%s", share, cores,
                node_rank->cpu_sharers,
                node_rank->cpu_sharers > cores ? ", which have not one each" : "");
  if (why || threads > share) return;
  if (!threads) ctx->config.threads = share;
  if (!node_rank->process) op2i_machine_narrow(from, share);
}

/* ---- cores that ranks share ------------------------------------------------------------------ */

static int count(const struct op2i_cpu_set *set) {
  int n = 0;
  for (int w = 0; w < OP2I_CPU_WORDS; w++) n += __builtin_popcountll(set->words[w]);
  return n;
}

static bool meet(const struct op2i_cpu_set *a, const struct op2i_cpu_set *b) {
  bool any = false;
  for (int w = 0; w < OP2I_CPU_WORDS; w++) any = any || (a->words[w] & b->words[w]);
  return any;
}

void op2i_node_rank_compare(struct op2i_node_rank *node_rank, const struct op2i_cpu_set *sets) {
  const struct op2i_cpu_set *own = &sets[node_rank->rank];
  struct op2i_cpu_set used = {{0}}, others;
  node_rank->sharer_rank = node_rank->cpu_sharers = node_rank->overlapping = 0;
  for (int r = 0; r < node_rank->size; r++) {
    bool same_cpus = !memcmp(&sets[r], own, sizeof *own);
    node_rank->sharer_rank += same_cpus && r < node_rank->rank;
    node_rank->cpu_sharers += same_cpus;
    node_rank->overlapping += !same_cpus && meet(&sets[r], own);
    for (int w = 0; w < OP2I_CPU_WORDS; w++) used.words[w] |= sets[r].words[w];
  }
  op2i_allowed_cpu_set(&others);
  for (int w = 0; w < OP2I_CPU_WORDS; w++) others.words[w] &= ~used.words[w];
  node_rank->cpus = count(&used);
  node_rank->spare = count(&others);
}

enum op2i_crowd op2i_crowd_of(const struct op2i_node_rank *node_rank, int cores, int workers,
                              bool narrow) {
  if (node_rank->process || node_rank->size == 1) return OP2I_CROWD_NONE;
  const bool shared = node_rank->cpu_sharers > 1 || node_rank->overlapping;
  const bool better = node_rank->spare > 0 || node_rank->cpus >= node_rank->size;
  if (!shared || !better) return OP2I_CROWD_NONE;
  if (narrow && cores >= node_rank->cpu_sharers) return OP2I_CROWD_PLACES;
  if (node_rank->overlapping || node_rank->cpu_sharers > cores) return OP2I_CROWD_BOUND;
  return workers > cores / node_rank->cpu_sharers ? OP2I_CROWD_WORKERS : OP2I_CROWD_NONE;
}

void op2i_crowd_warn(op2_context ctx, enum op2i_crowd crowd, int rank) {
  static const char *const words[OP2I_CROWDS] = {
      [OP2I_CROWD_BOUND] =
          "has cores in common with another rank of its node, as the launcher or a variable such "
          "as "
          "OMP_PLACES or GOMP_CPU_AFFINITY binds them, while there are cores enough for all: give "
          "each rank cores of its own (mpirun --bind-to core, srun --cpu-bind=cores), or bind none "
          "of them (--bind-to none), and the library shares out what there is",
      [OP2I_CROWD_PLACES] =
          "works on the same cores as another rank of its node, since the environment gives OpenMP "
          "the same places on both (OMP_PROC_BIND, OMP_PLACES): unset these, and the library "
          "shares out the cores, or have the launcher bind each rank to cores of its own",
      [OP2I_CROWD_WORKERS] =
          "works on the same cores as another rank of its node, as it is asked for more workers "
          "than its share of the cores (OP2_THREADS, OMP_NUM_THREADS, op2_options.threads): ask "
          "for fewer, or for none"};
  if (words[crowd])
    op2i_log(ctx, OP2I_LOG_WARN, "rank %d of %d %s", rank, ctx->comm->size, words[crowd]);
}
