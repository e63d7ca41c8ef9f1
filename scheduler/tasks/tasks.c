/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependences between tasks, from the granules of dats that they touch.
 *
 * For every granule of every dat that the program modifies there are three lists of tasks: the
 * group that modifies it now, the tasks that have read it since, and those the group itself had to
 * wait for. Tasks of one loop and colour form a group: they share no element, so they do not wait
 * for each other even where they share a granule. */
#include "tasks.h"

#include <stddef.h>
#include <string.h>

#include "error.h"
#include "exchange.h"
#include "loop_resolve.h"
#include "mem.h"
#include "partial.h"

enum { NONE = -1 };

struct link {
  int64_t task;
  int32_t next;
};

struct granule {
  int64_t group;                    /* step and colour of the writers, NONE before the first */
  int32_t before, writers, readers; /* lists of links */
};

/* The state of a dat or a global that the program modifies. */
struct track {
  int32_t shift;
  int64_t ngranules;
  struct granule *granules;
};

struct builder {
  struct op2i_step *steps;
  int64_t step, colour;
  struct track **tracks; /* [nslots] indexed by the slot of a resource; null: only read */
  int32_t nslots;
  struct link *links;
  int64_t nlinks, links_capacity;
  int32_t free_link;
  int64_t ntasks;
  int64_t *deps;
  int64_t ndeps, deps_capacity;
  int64_t *last_seen; /* [ntasks so far] the task that last listed it as a dependence */
  int64_t seen_capacity;
  int64_t device; /* the last task that uses the device, NONE: none yet */
  struct op2i_task_list *list;
  bool failed; /* out of memory */
};

/* ---- lists ----------------------------------------------------------------------------------- */

static void push(struct builder *b, int32_t *list, int64_t task) {
  int32_t at = b->free_link;
  if (at != NONE) {
    b->free_link = b->links[at].next;
  } else {
    if (op2i_grow(&b->links, sizeof *b->links, b->nlinks, &b->links_capacity)) {
      b->failed = true;
      return;
    }
    at = (int32_t)b->nlinks++;
  }
  b->links[at] = (struct link){task, *list};
  *list = at;
}

static void drop_links(struct builder *b, int32_t *list) {
  while (*list != NONE) {
    int32_t at = *list;
    *list = b->links[at].next;
    b->links[at].next = b->free_link;
    b->free_link = at;
  }
}

static void depend(struct builder *b, int64_t task) {
  if (task == b->ntasks || b->last_seen[task] == b->ntasks) return;
  b->last_seen[task] = b->ntasks;
  if (op2i_grow(&b->deps, sizeof *b->deps, b->ndeps, &b->deps_capacity)) {
    b->failed = true;
    return;
  }
  b->deps[b->ndeps++] = task;
}

static void depend_all(struct builder *b, int32_t list) {
  for (; list != NONE; list = b->links[list].next) depend(b, b->links[list].task);
}

/* ---- granules -------------------------------------------------------------------------------- */

static void read_granule(struct builder *b, struct granule *s) {
  depend_all(b, s->writers);
  if (s->readers == NONE || b->links[s->readers].task != b->ntasks) push(b, &s->readers, b->ntasks);
}

static void write_granule(struct builder *b, struct granule *s, int64_t group) {
  if (s->group != group) {
    /* Readers have waited for all writers, so it is enough to wait for the readers. */
    drop_links(b, &s->before);
    s->before = s->readers != NONE ? s->readers : s->writers;
    if (s->readers != NONE) drop_links(b, &s->writers);
    s->writers = s->readers = NONE;
    s->group = group;
  }
  depend_all(b, s->before);
  if (s->writers == NONE || b->links[s->writers].task != b->ntasks) push(b, &s->writers, b->ntasks);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

static struct track *track_of(const struct builder *b, const struct op2i_resource *resource) {
  return b->tracks[resource->slot];
}

static op2_status add_track(struct builder *b, const struct op2i_resource *resource, int64_t size) {
  if (track_of(b, resource)) return OP2_SUCCESS;
  struct track *track = op2i_calloc(1, sizeof *track);
  if (!track) return op2i_error_nomem("a program");
  track->shift = op2i_granule_shift(size);
  track->ngranules = (size >> track->shift) + 1;
  track->granules = op2i_malloc((size_t)track->ngranules * sizeof *track->granules);
  if (!track->granules) {
    op2i_free(track);
    return op2i_error_nomem("a program");
  }
  for (int64_t s = 0; s < track->ngranules; s++)
    track->granules[s] = (struct granule){NONE, NONE, NONE, NONE};
  b->tracks[resource->slot] = track;
  return OP2_SUCCESS;
}

static op2_status track_exchange(struct builder *b, const struct op2i_exchange *exchange) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < op2i_exchange_dats(exchange) && !status; i++) {
    op2_dat dat = op2i_exchange_dat(exchange, i);
    status = add_track(b, &dat->res, dat->set->ends[OP2I_NONEXEC]);
  }
  return status;
}

static op2_status track_globals(struct builder *b, const struct op2i_step *step) {
  const struct op2i_op *op = &step->loop->op;
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < op->ngbls && !status; g++)
    if (op2i_modifies(op->gbl_access[g])) status = add_track(b, &step->values.versions[g]->res, 1);
  return status;
}

/* The loops of a convoy may have run before this program's tasks. */
static op2_status track_convoy(struct builder *b, const struct op2i_convoy *convoy) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < convoy->n && !status; i++)
    status = track_globals(b, convoy->reductions[i].steps);
  return status;
}

static op2_status track_step(struct builder *b, const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  op2_status status = OP2_SUCCESS;
  if (step->kind == OP2I_STEP_REDUCE) return track_convoy(b, step->convoy);
  if (step->kind == OP2I_STEP_END) return track_exchange(b, step->exchange);
  if (!loop) return OP2_SUCCESS;
  for (int i = 0; i < step->where.nmoves && !status; i++) {
    op2_dat dat = loop->op.dats[step->where.moves[i].dat];
    if (step->where.moves[i].to != OP2I_DEVICE)
      status = add_track(b, &dat->res, dat->set->ends[OP2I_NONEXEC]);
  }
  for (int d = 0; d < loop->op.ndats && !status && step->where.place != OP2I_DEVICE; d++)
    if (op2i_modifies(loop->op.dat_access[d]))
      status = add_track(b, &loop->op.dats[d]->res, loop->op.dats[d]->set->ends[OP2I_NONEXEC]);
  return status ? status : track_globals(b, step);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void touch_dat(struct builder *b, const struct op2i_step *step, int d, int32_t first,
                      int32_t last) {
  const struct op2i_loop *loop = step->loop;
  struct track *track = track_of(b, &loop->op.dats[d]->res);
  if (!track) return; /* only read in this program */
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_footprint *print = &data->footprints[step->range][d];
  bool reads = !op2i_modifies(loop->op.dat_access[d]);
  int64_t colour = op2i_loop_contended(loop, d) ? b->colour : 0;
  int64_t group = b->step << 32 | colour;
  for (int32_t i = first; i < last; i++) {
    int32_t block = step->plan->blkmap[i];
    for (int64_t k = print->offs[block]; k < print->offs[block + 1]; k++)
      for (int32_t s = print->intervals[2 * k]; s <= print->intervals[2 * k + 1]; s++) {
        if (reads)
          read_granule(b, &track->granules[s]);
        else
          write_granule(b, &track->granules[s], group);
      }
  }
}

/* A chunk depends on the tasks that modify the globals that it reads. */
static void read_globals(struct builder *b, const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (!op2i_arg_reads_global(arg)) continue;
    struct track *track = track_of(b, &step->values.versions[arg->gbl]->res);
    if (track) read_granule(b, &track->granules[0]);
  }
}

static void write_globals(struct builder *b, const struct op2i_step *step) {
  for (int g = 0; g < step->loop->op.ngbls; g++) {
    struct track *track = track_of(b, &step->values.versions[g]->res);
    if (track && op2i_modifies(step->loop->op.gbl_access[g]))
      write_granule(b, &track->granules[0], b->step << 32);
  }
}

static op2_status finish_task(struct builder *b, enum op2i_task_kind kind, int32_t first,
                              int32_t last) {
  struct op2i_task_list *list = b->list;
  if (b->failed || op2i_grow(&list->tasks, sizeof *list->tasks, b->ntasks, &list->tasks_capacity))
    return op2i_error_nomem("a program");
  if (op2i_reserve(&list->deps, sizeof *list->deps, list->ndeps + b->ndeps, &list->deps_capacity))
    return op2i_error_nomem("a program");
  if (b->ndeps) memcpy(list->deps + list->ndeps, b->deps, (size_t)b->ndeps * sizeof *list->deps);
  int32_t stage = kind == OP2I_TASK_UNPACK ? list->nstages : 0;
  for (int64_t d = 0; d < b->ndeps; d++)
    if (list->tasks[b->deps[d]].stage > stage) stage = list->tasks[b->deps[d]].stage;
  list->tasks[b->ntasks++] = (struct op2i_task){.kind = kind,
                                                .step = b->step,
                                                .first = first,
                                                .last = last,
                                                .first_dep = list->ndeps,
                                                .ndeps = b->ndeps,
                                                .stage = stage};
  list->ntasks = b->ntasks;
  list->ndeps += b->ndeps;
  return OP2_SUCCESS;
}

static op2_status begin_task(struct builder *b) {
  b->ndeps = 0;
  if (op2i_grow(&b->last_seen, sizeof *b->last_seen, b->ntasks, &b->seen_capacity))
    return op2i_error_nomem("a program");
  b->last_seen[b->ntasks] = NONE;
  return OP2_SUCCESS;
}

static op2_status build_chunk(struct builder *b, int32_t first, int32_t last) {
  const struct op2i_step *step = &b->steps[b->step];
  op2_status status = begin_task(b);
  if (status) return status;
  for (int d = 0; d < step->loop->op.ndats; d++) touch_dat(b, step, d, first, last);
  read_globals(b, step);
  return finish_task(b, OP2I_TASK_CHUNK, first, last);
}

static op2_status build_reduce(struct builder *b, int64_t first_chunk, int64_t end_chunk) {
  op2_status status = begin_task(b);
  if (status) return status;
  for (int64_t chunk = first_chunk; chunk < end_chunk; chunk++) depend(b, chunk);
  write_globals(b, &b->steps[b->step]);
  return finish_task(b, OP2I_TASK_REDUCE, 0, 0);
}

/* ---- a device -------------------------------------------------------------------------------- */

/* Tasks that use the device follow each other in the order of the program. Tracks are only
 * about the host's memory. */
static void follow_device(struct builder *b) {
  if (b->device != NONE) depend(b, b->device);
  b->device = b->ntasks;
}

/* Copies of a step write what its own tasks use, so they form a group before any colour. */
static op2_status build_move(struct builder *b, int32_t number) {
  const struct op2i_step *step = &b->steps[b->step];
  const struct op2i_move *move = &step->where.moves[number];
  const int64_t group = b->step << 32 | UINT32_MAX;
  op2_dat dat = step->loop->op.dats[move->dat];
  struct track *track = track_of(b, &dat->res);
  int64_t first = (int64_t)(move->source.first / dat->row_bytes);
  int64_t last = (int64_t)((move->source.first + move->source.bytes - 1) / dat->row_bytes);
  op2_status status = begin_task(b);
  if (status) return status;
  follow_device(b);
  int64_t end = track ? (last >> track->shift) + 1 : 0;
  for (int64_t s = track ? first >> track->shift : 0; s < end; s++)
    if (move->to != OP2I_DEVICE)
      write_granule(b, &track->granules[s], group);
    else
      read_granule(b, &track->granules[s]);
  return finish_task(b, OP2I_TASK_MOVE, number, number + 1);
}

static op2_status build_launches(struct builder *b) {
  struct op2i_step *step = &b->steps[b->step];
  op2_status status = op2i_step_begin(step, 1);
  if (!status) status = begin_task(b);
  if (status) return status;
  follow_device(b);
  read_globals(b, step);
  write_globals(b, step);
  return finish_task(b, OP2I_TASK_DEVICE, 0, 0);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static void touch_rows(struct builder *b, const struct track *track, struct op2i_rows rows,
                       bool writes) {
  for (int64_t i = 0; i < rows.n; i++) {
    struct granule *granule = &track->granules[rows.row[i] >> track->shift];
    if (i > 0 && rows.row[i] >> track->shift == rows.row[i - 1] >> track->shift) continue;
    if (writes)
      write_granule(b, granule, b->step << 32);
    else
      read_granule(b, granule);
  }
}

static op2_status build_leg(struct builder *b, const struct op2i_exchange *exchange, int leg,
                            bool ends) {
  op2_status status = begin_task(b);
  if (status) return status;
  for (int i = 0; i < op2i_exchange_dats(exchange); i++) {
    const struct track *track = track_of(b, &op2i_exchange_dat(exchange, i)->res);
    for (int part = 0; part < OP2I_HALO_PARTS && track; part++)
      touch_rows(b, track, op2i_exchange_rows(exchange, i, leg, part, ends), ends);
  }
  return finish_task(b, ends ? OP2I_TASK_UNPACK : OP2I_TASK_PACK, leg, leg + 1);
}

/* ---- reductions that ranks combine ----------------------------------------------------------- */

static void touch_results(struct builder *b, const struct op2i_reduction *r, bool writes) {
  const struct op2i_loop *loop = r->steps->loop;
  for (int g = 0; g < loop->op.ngbls; g++) {
    struct track *track = track_of(b, &r->steps->values.versions[g]->res);
    if (!track || !op2i_modifies(loop->op.gbl_access[g])) continue;
    if (writes)
      write_granule(b, &track->granules[0], b->step << 32);
    else
      read_granule(b, &track->granules[0]);
  }
}

/* A convoy is packed when its loops have combined their partial results, and unpacked into the
 * globals. */
static op2_status build_convoy(struct builder *b) {
  const struct op2i_step *step = &b->steps[b->step];
  const bool ends = step->kind == OP2I_STEP_REDUCE;
  op2_status status = ends ? OP2_SUCCESS : op2i_convoy_reserve(step->convoy);
  if (!status) status = begin_task(b);
  if (status) return status;
  b->list->nstages += ends;
  for (int i = 0; i < step->convoy->n; i++) touch_results(b, &step->convoy->reductions[i], ends);
  return finish_task(b, ends ? OP2I_TASK_UNPACK : OP2I_TASK_PACK, 0, 1);
}

static op2_status build_exchange(struct builder *b) {
  const struct op2i_step *step = &b->steps[b->step];
  op2_status status = OP2_SUCCESS;
  if (step->convoy) return build_convoy(b);
  b->list->nstages += step->kind == OP2I_STEP_END;
  for (int leg = 0; leg < op2i_exchange_legs(step->exchange) && !status; leg++)
    status = build_leg(b, step->exchange, leg, step->kind == OP2I_STEP_END);
  return status;
}

/* ---- grain ----------------------------------------------------------------------------------- */

static int32_t blocks_per_chunk(const struct op2i_step *step, int workers, int chunk_us) {
  enum { CHUNKS_PER_WORKER = 4 };
  if (chunk_us == 0) return 1;
  double wanted = 1e3 * chunk_us / (op2i_loop_ns(step->loop) * step->plan->block_size);
  int32_t most = op2i_step_blocks(step) / (CHUNKS_PER_WORKER * workers);
  if (wanted > most) wanted = most;
  return wanted < 1 ? 1 : (int32_t)wanted;
}

/* Chunks get smaller towards the end of the step, where workers would otherwise wait for
 * the last one. */
static op2_status build_colours(struct builder *b, int32_t blocks, int workers) {
  const struct op2i_plan *plan = b->steps[b->step].plan;
  int32_t nblocks = op2i_step_blocks(&b->steps[b->step]);
  int32_t least = blocks / 4 > 1 ? blocks / 4 : 1;
  for (; b->colour < plan->ncolors; b->colour++) {
    int32_t end = plan->color_offs[b->colour + 1];
    bool last = b->colour + 1 == plan->ncolors;
    while (end > plan->color_offs[b->colour] && plan->blkmap[end - 1] >= nblocks) end--;
    for (int32_t i = plan->color_offs[b->colour], next; i < end; i = next) {
      int32_t share = last ? (end - i) / (2 * workers) : blocks;
      int32_t take = share < least ? least : share < blocks ? share : blocks;
      next = i + take < end ? i + take : end;
      op2_status status = build_chunk(b, i, next);
      if (status) return status;
    }
  }
  return OP2_SUCCESS;
}

/* Make the footprints of dats that the program modifies. */
static op2_status footprints(const struct builder *b, const struct op2i_step *step) {
  op2_status status = OP2_SUCCESS;
  for (int32_t d = 0; d < step->loop->op.ndats && !status; d++)
    if (track_of(b, &step->loop->op.dats[d]->res))
      status = op2i_loop_footprint(step->loop, step->range, d);
  return status;
}

static op2_status build_step(struct builder *b, int workers, int chunk_us) {
  struct op2i_step *step = &b->steps[b->step];
  if (!step->loop) return build_exchange(b);
  const struct op2i_plan *plan = step->plan;
  op2_status status = OP2_SUCCESS;
  if (step->hi <= step->lo) return OP2_SUCCESS;
  for (int32_t i = 0; i < step->where.nmoves && !status; i++) status = build_move(b, i);
  if (!status && step->where.place == OP2I_DEVICE) return build_launches(b);
  if (!status) status = footprints(b, step);
  if (!status) status = op2i_step_begin(step, plan->nblocks);
  if (status) return status;
  int64_t first_chunk = b->ntasks;
  int32_t blocks = blocks_per_chunk(step, workers, chunk_us);
  /* If colours have hardly more than one block each there is nothing to share, so the whole step is
   * one task, which runs colour by colour. */
  bool serial = plan->nblocks < 2 * plan->ncolors && chunk_us > 0;
  b->colour = 0;
  status = serial ? build_chunk(b, 0, plan->nblocks) : build_colours(b, blocks, workers);
  if (status) return status;
  return step->values.partials ? build_reduce(b, first_chunk, b->ntasks) : OP2_SUCCESS;
}

static op2_status count_stages(struct op2i_task_list *list) {
  list->free = op2i_calloc((size_t)list->nstages + 1, sizeof *list->free);
  if (!list->free) return op2i_error_nomem("a program");
  for (int64_t t = 0; t < list->ntasks; t++) list->free[list->tasks[t].stage]++;
  for (int32_t s = 1; s <= list->nstages; s++) list->free[s] += list->free[s - 1];
  return OP2_SUCCESS;
}

static void free_tracks(struct builder *b) {
  for (int32_t s = 0; b->tracks && s < b->nslots; s++) {
    if (b->tracks[s]) op2i_free(b->tracks[s]->granules);
    op2i_free(b->tracks[s]);
  }
  op2i_free(b->tracks);
}

op2_status op2i_tasks_build(op2_context ctx, struct op2i_step *steps, int64_t nsteps, int workers,
                            int chunk_us, struct op2i_task_list *list) {
  const int32_t nslots = ctx->slots.n;
  struct builder b = {.steps = steps,
                      .tracks = op2i_calloc((size_t)nslots + 1, sizeof *b.tracks),
                      .nslots = nslots,
                      .free_link = NONE,
                      .device = NONE,
                      .list = list};
  op2_status status = b.tracks ? OP2_SUCCESS : op2i_error_nomem("a program");
  *list = (struct op2i_task_list){.seconds = op2i_program_seconds(steps, nsteps),
                                  .places = op2i_steps_places(steps, nsteps)};
  for (int64_t s = 0; s < nsteps && !status; s++) status = track_step(&b, &steps[s]);
  for (; b.step < nsteps && !status; b.step++) status = build_step(&b, workers, chunk_us);
  free_tracks(&b);
  op2i_free(b.links);
  op2i_free(b.deps);
  op2i_free(b.last_seen);
  if (!status) status = count_stages(list);
  if (status) op2i_task_list_clear(list);
  return status;
}
