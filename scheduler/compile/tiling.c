/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiling: choosing the steps of a program that run tile by tile, where that pays. */
#include "tiling.h"
#include "compile.h"

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "log.h"
#include "machine.h"
#include "mem.h"
#include "tasks.h"

enum { CHAIN_USUAL = 18, STAGES_LEAST = 4, PERIOD_MOST = 24, RUNS_BEFORE = 1 };

/* ---- chains ---------------------------------------------------------------------------------- */

static bool scatters(const struct op2i_loop *loop) { return loop->traits.indirect_write; }

static bool eligible(const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  return step->kind == OP2I_STEP_LOOP && loop->nranges == 1 && loop->set->base == loop->set &&
         !loop->traits.ordered && !loop->traits.per_nonzero && step->lo == 0;
}

/* True if the step reads a reduction of the chain. Reductions are complete only after all tiles, so
 * such a step ends the chain. */
static bool reads_result(const struct op2i_step *chain, int64_t n, const struct op2i_step *step) {
  for (int a = 0; a < step->loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &step->loop->args[a];
    if (!op2i_arg_reads_global(arg)) continue;
    for (int64_t s = 0; s < n; s++)
      for (int g = 0; g < chain[s].loop->op.ngbls; g++)
        if (op2i_modifies(chain[s].loop->op.gbl_access[g]) &&
            chain[s].values.versions[g] == step->values.versions[arg->gbl])
          return true;
  }
  return false;
}

/* The number of steps after which the loops repeat from here on; 0: they do not. */
static int64_t period_of(const struct op2i_step *steps, int64_t n) {
  for (int64_t period = 1; period <= PERIOD_MOST && 2 * period <= n; period++) {
    int64_t i = 0;
    while (i < period && steps[i].loop == steps[i + period].loop) i++;
    if (i == period) return period;
  }
  return 0;
}

/* The length of the chain that begins here. */
static int64_t chain_length(const struct op2i_step *steps, int64_t n) {
  int64_t most = CHAIN_USUAL, period = period_of(steps, n), length = 0;
  if (period) most = period * (CHAIN_USUAL / period > 1 ? CHAIN_USUAL / period : 1);
  if (most > n) most = n;
  while (length < most && eligible(&steps[length]) && !reads_result(steps, length, &steps[length]))
    length++;
  return length;
}

static int stages(const struct op2i_step *steps, int64_t n) {
  int count = 0;
  for (int64_t s = 0; s < n; s++) count += scatters(steps[s].loop);
  return count;
}

/* ---- describing a chain ---------------------------------------------------------------------- */

struct description {
  struct op2i_tile_desc desc;
  struct op2i_tile_loop *loops;
  struct op2i_tile_access *accesses;
  op2_dat *dats;
  bool *modified;
  int64_t *sizes;
};

static void free_description(struct description *d) {
  op2i_free(d->loops);
  op2i_free(d->accesses);
  op2i_free(d->dats);
  op2i_free(d->modified);
  op2i_free(d->sizes);
}

static int32_t number_of(struct description *d, op2_dat dat) {
  int32_t n = 0;
  while (n < d->desc.ndats && d->dats[n] != dat) n++;
  if (n == d->desc.ndats) {
    d->dats[n] = dat;
    d->sizes[n] = dat->set->ends[OP2I_NONEXEC];
    d->desc.ndats++;
  }
  return n;
}

static enum op2i_tile_mode mode_of(op2_access access) {
  switch (access) {
  case OP2_READ: return OP2I_TILE_READ;
  case OP2_WRITE: return OP2I_TILE_WRITE;
  case OP2_RW: return OP2I_TILE_RW;
  default: return OP2I_TILE_INC;
  }
}

static void describe_loop(struct description *d, const struct op2i_step *step,
                          struct op2i_tile_access **at) {
  const struct op2i_loop *loop = step->loop;
  struct op2i_tile_loop *out = &d->loops[d->desc.nloops++];
  *out = (struct op2i_tile_loop){.n = step->hi, .accesses = *at};
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat < 0) continue;
    const op2_map map = arg->map >= 0 ? loop->maps[arg->map] : NULL;
    int32_t dat = number_of(d, loop->op.dats[arg->dat]);
    d->modified[dat] |= op2i_modifies(arg->access);
    *(*at)++ = (struct op2i_tile_access){.dat = dat,
                                         .idx = map ? map->idx : NULL,
                                         .arity = map ? map->arity : 1,
                                         .slot = arg->kind == OP2I_ARG_SLOT ? arg->slot
                                                 : map                      ? -1
                                                                            : 0,
                                         .mode = mode_of(arg->access),
                                         .injective = arg->injective};
    out->naccesses++;
  }
}

/* The loop whose iterations are divided first: it runs over the set with most bytes of what
 * the chain modifies. */
static int choose_seed(const struct description *d, const struct op2i_step *steps) {
  int best = 0;
  double most = -1;
  for (int k = 0; k < d->desc.nloops; k++) {
    double bytes = 0;
    for (int n = 0; n < d->desc.ndats; n++)
      if (d->modified[n] && d->dats[n]->set == steps[k].loop->set)
        bytes += (double)d->dats[n]->row_bytes * (double)d->sizes[n];
    if (bytes > most) {
      most = bytes;
      best = k;
    }
  }
  return best;
}

static op2_status describe(const struct op2i_step *steps, int64_t n, struct description *d) {
  size_t nargs = 0;
  *d = (struct description){0};
  for (int64_t s = 0; s < n; s++) nargs += (size_t)steps[s].loop->nargs;
  d->loops = op2i_calloc((size_t)n, sizeof *d->loops);
  d->accesses = op2i_calloc(nargs, sizeof *d->accesses);
  d->dats = op2i_calloc(nargs, sizeof *d->dats);
  d->modified = op2i_calloc(nargs, sizeof *d->modified);
  d->sizes = op2i_calloc(nargs, sizeof *d->sizes);
  if (!d->loops || !d->accesses || !d->dats || !d->modified || !d->sizes)
    return op2i_error_nomem("a chain of loops");
  struct op2i_tile_access *at = d->accesses;
  for (int64_t s = 0; s < n; s++) describe_loop(d, &steps[s], &at);
  d->desc.loops = d->loops;
  d->desc.dat_size = d->sizes;
  d->desc.seed = choose_seed(d, steps);
  return OP2_SUCCESS;
}

/* ---- estimated gain of tiling ---------------------------------------------------------------- */

/* Bytes of all dats and maps that the chain uses, each counted once. */
static double working_set(const struct description *d, const struct op2i_step *steps, int64_t n) {
  double bytes = 0;
  for (int k = 0; k < d->desc.ndats; k++)
    bytes += (double)d->dats[k]->row_bytes * (double)d->sizes[k];
  for (int64_t s = 0; s < n; s++)
    for (int m = 0; m < steps[s].loop->nmaps; m++) {
      const op2_map map = steps[s].loop->maps[m];
      bool seen = false;
      for (int64_t t = 0; t < s && !seen; t++)
        for (int k = 0; k < steps[t].loop->nmaps; k++) seen |= steps[t].loop->maps[k] == map;
      if (!seen) bytes += (double)steps[s].hi * map->arity * sizeof(int32_t);
    }
  return bytes;
}

/* The reason why tiles would not pay, or null. Tiles trade bandwidth for work: fragments of batches
 * make their code about a quarter slower (measured), and what they save is memory traffic. Below
 * twice the last-level cache there is little of that; and where few cores share the memory, each of
 * them streams as fast as it can compute (measured on two cores: the same time per element at 0.25
 * and at 4.6 times the cache, tiles 1.2 times slower). This depends on the machine and not on the
 * number of workers, since results depend on it. */
static const char *not_worth(double bytes) {
  enum { SHARERS = 16 };
  if (bytes <= 2.0 * (double)op2i_machine()->l3_bytes)
    return "all its data fits twice the last-level cache";
  if (op2i_machine()->present < SHARERS)
    return "few cores share the memory: each streams as fast as it computes";
  return NULL;
}

/* Iterations per tile, so that what a tile touches fills half of a core's L2 cache. */
static int32_t tile_size(const struct op2i_sched *sched, double bytes, int64_t iterations) {
  enum { LEAST = 1000, MOST = 20000 };
  if (sched->ctx->config.tile > 1) return sched->ctx->config.tile;
  double size = 0.5 * (double)op2i_machine()->l2_bytes * (double)iterations / (bytes + 1);
  return size < LEAST ? LEAST : size > MOST ? MOST : (int32_t)size;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void free_tiling(struct op2i_tiling *tiling) {
  op2i_tile_free(tiling->plan);
  op2i_free(tiling->loops);
  op2i_free(tiling);
}

void op2i_tilings_forget(struct op2i_sched *sched, const struct op2i_loop *loop) {
  for (struct op2i_tiling **at = &sched->caches.tilings; *at;) {
    struct op2i_tiling *tiling = *at;
    bool named = !loop;
    for (int k = 0; k < tiling->nloops; k++) named |= tiling->loops[k] == loop;
    if (!named) {
      at = &tiling->next;
      continue;
    }
    *at = tiling->next;
    free_tiling(tiling);
  }
}

/* Find a plan. It can be used for every prefix of its chain. */
static struct op2i_tiling *find_tiling(const struct op2i_sched *sched,
                                       const struct op2i_step *steps, int64_t n) {
  for (struct op2i_tiling *tiling = sched->caches.tilings; tiling; tiling = tiling->next) {
    int64_t k = 0;
    while (k < n && k < tiling->nloops && tiling->loops[k] == steps[k].loop) k++;
    if (k == n) return tiling;
  }
  return NULL;
}

static op2_status make_tiling(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                              const struct op2i_tile_desc *desc) {
  struct op2i_tiling *tiling = op2i_calloc(1, sizeof *tiling);
  if (!tiling) return op2i_error_nomem("a chain of loops");
  op2_status status = OP2_SUCCESS;
  tiling->loops = op2i_malloc((size_t)n * sizeof *tiling->loops);
  if (!tiling->loops) status = op2i_error_nomem("a chain of loops");
  if (!status) status = op2i_tile_create(desc, &tiling->plan);
  if (!status && sched->ctx->config.verify) status = op2i_tile_verify(tiling->plan, desc);
  if (status) {
    free_tiling(tiling);
    return status;
  }
  tiling->nloops = (int)n;
  for (int64_t s = 0; s < n; s++) tiling->loops[s] = steps[s].loop;
  tiling->next = sched->caches.tilings;
  sched->caches.tilings = tiling;
  return OP2_SUCCESS;
}

/* Compile the chain's loops as code that runs over lists of elements. */
static op2_status compile_lists(struct op2i_sched *sched, struct op2i_step *steps, int64_t n) {
  struct op2i_compile compile = {.sched = sched, .wish = OP2I_VECTOR_LIST, .optional = true};
  op2_status status = OP2_SUCCESS;
  for (int64_t s = 0; s < n && !status; s++) status = op2i_compile_add(&compile, steps[s].loop);
  if (!status) status = op2i_compile_run(&compile);
  for (int64_t u = 0; u < compile.ncodes && !status; u++) status = compile.codes[u].status;
  op2i_compile_end(&compile);
  for (int64_t s = 0; s < n && !status; s++)
    steps[s].function_list =
        steps[s].loop->code.function[op2i_loop_variant(steps[s].loop, OP2I_VECTOR_LIST)];
  return status;
}

/* ---- programs -------------------------------------------------------------------------------- */

static op2_status tile_chain(struct op2i_sched *sched, struct op2i_program *program,
                             struct op2i_step *steps, int64_t n) {
  struct description d;
  op2_status status = describe(steps, n, &d);
  if (!status) {
    double bytes = working_set(&d, steps, n);
    const char *why = sched->ctx->config.tile == OP2I_TILE_AUTO ? not_worth(bytes) : NULL;
    if (!why) {
      d.desc.tile_size = tile_size(sched, bytes, steps[d.desc.seed].hi);
      if (!find_tiling(sched, steps, n)) status = make_tiling(sched, steps, n, &d.desc);
      if (!status) status = compile_lists(sched, steps, n);
      if (!status) {
        for (int64_t s = 0; s < n; s++) steps[s].tiles = find_tiling(sched, steps, n)->plan;
        steps[0].chain = (int32_t)n;
        program->tiling.chains++;
        sched->stats.chains_tiled++;
      }
    } else {
      program->tiling.why = why;
    }
  }
  free_description(&d);
  return status;
}

/* Tile the chains of a program. A chain with fewer than STAGES_LEAST loops that add through
 * maps is not worth it. */
static op2_status tile_steps(struct op2i_sched *sched, struct op2i_program *program) {
  op2_status status = OP2_SUCCESS;
  int least = sched->ctx->config.tile == OP2I_TILE_AUTO ? STAGES_LEAST : 1;
  program->tiling.why = "no chain of loops through maps is long enough";
  for (int64_t s = 0; s < program->nsteps && !status;) {
    int64_t left = program->nsteps - s;
    int64_t length = chain_length(program->steps + s, left);
    bool worth = length > 1 && stages(program->steps + s, length) >= least;
    /* The first step of a long program is often fused in another way than the later ones of its
     * kind, so chains begin where the repetitions do. */
    bool prologue = s == 0 && left > 2 * PERIOD_MOST && !period_of(program->steps, left);
    if (worth && !prologue)
      status = tile_chain(sched, program, program->steps + s, length);
    else
      length = 1;
    s += length;
  }
  return status;
}

/* Tile the program's steps if that is possible, enabled and expected to pay. The decision depends
 * on the program, the machine and how often the program has run, but not on measured times, since
 * tiles change the order of increments. */
static op2_status tile_program(struct op2i_sched *sched, struct op2i_program *program,
                               bool *ended) {
  int wish = sched->ctx->config.tile;
  *ended = program->tiling.tried || wish == 0 || !sched->ctx->backend->run_steps;
  if (*ended || (wish == OP2I_TILE_AUTO && program->runs < RUNS_BEFORE)) return OP2_SUCCESS;
  program->tiling.tried = true;
  if (sched->ctx->device) {
    program->tiling.why = "its loops may run on a device";
    return OP2_SUCCESS;
  }
  double begin = op2i_prepare_begin(sched);
  op2_status status = tile_steps(sched, program);
  op2i_prepare_end(sched, begin);
  if (status) {
    if (!program->tiling.chains) program->tiling.why = "the tiles or their code could not be made";
    op2i_log(sched->ctx, OP2I_LOG_WARN, "no tiles: %s", op2_error_message());
  }
  for (int64_t s = 0; s < program->nsteps; s++) op2i_task_list_free(&program->bundles[s].tasks);
  return status;
}

static void explain_chains(const struct op2i_sched *sched, const struct op2i_program *program,
                           FILE *stream) {
  for (int64_t s = 0; s < program->nsteps; s++) {
    const struct op2i_step *step = &program->steps[s];
    if (step->chain)
      fprintf(stream,
              "  tiled: %" PRId32 " steps from %s on, in %" PRId32 " tiles, at most %" PRId32
              " one after the other\n",
              step->chain, op2i_loop_name(step->loop), step->tiles->ntiles,
              step->tiles->critical_path);
  }
  if (sched->ctx->config.tile == 0)
    fputs("  tiling is switched off (OP2_TILE=0)\n", stream);
  else if (!sched->ctx->backend->run_steps)
    fputs("  not tiled: this backend runs loop after loop\n", stream);
  else if (!program->tiling.tried)
    fputs("  not tiled yet: it would pay only for a program that runs again\n", stream);
  else if (!program->tiling.chains)
    fprintf(stream, "  not tiled: %s\n", program->tiling.why);
}

const struct op2i_pass op2i_pass_tiling = {
    .name = "tiling", .before_run = tile_program, .explain = explain_chains};
