/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic renumbering. What it depends on is counted when loops are queued, and it takes
 * place between two calls, after everything that was queued has run. So it has the same
 * place among the loops however and whenever they run, and its effects on the rounding of
 * results are reproducible. */
#include <inttypes.h>

#include "clock.h"
#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "loopdata.h"
#include "numbering.h"
#include "plancache.h"
#include "program_keep.h"
#include "renumber.h"
#include "sched.h"
#include "text.h"

static void note_renumbering(struct op2i_sched *sched, int level, const struct op2i_text *line) {
  if (line->failed) return;
  op2i_log(sched->ctx, level, "%s", line->chars);
  op2i_text_add(&sched->stats.renumberings, "  %s\n", line->chars);
}

/* Drop everything that was computed for loops and programs, since it depends on the numbering. */
static void forget_numbering(struct op2i_sched *sched) {
  op2i_sched_forget_all(sched);
  if (sched->inner) op2i_sched_forget_all(sched->inner);
  op2i_loops_drop_plans(sched->ctx);
}

/* ---- loops that keep element order ----------------------------------------------------------- */

/* Return a set to the program's order, which a loop over it keeps; the set is not
 * renumbered again. */
static op2_status give_back(struct op2i_sched *sched, const struct op2i_loop *loop) {
  op2_set set = loop->set->base;
  struct op2i_text line = {0};
  op2_status status =
      op2i_sched_run_all(sched, "going back to the program's order of", set->obj.name);
  if (!status) status = op2i_renumber_back(set);
  if (status) return status;
  forget_numbering(sched);
  op2i_text_add(&line,
                "set '%s' was given back the program's order before loop %" PRId64
                ": '%s' keeps element order",
                set->obj.name, sched->queue.next_number, op2i_loop_name(loop));
  note_renumbering(sched, OP2I_LOG_INFO, &line);
  op2i_text_free(&line);
  return OP2_SUCCESS;
}

static op2_status keep_order(struct op2i_sched *sched, const struct op2i_loop *loop) {
  op2_set set = loop->set->base;
  if (set->auto_renumbered && sched->outer)
    return op2i_error(
        OP2_ERR_STATE,
        "loop '%s' keeps element order, and runs inside an operation, where set '%s' cannot "
        "be given back the program's order (OP2_RENUMBER=0)",
        op2i_loop_name(loop), set->obj.name);
  op2_status status = set->auto_renumbered ? give_back(sched, loop) : OP2_SUCCESS;
  if (!status) set->keeps_order = true;
  return status;
}

/* ---- automatic renumbering ------------------------------------------------------------------- */

/* The set of a map whose loops keep its element order; null: there is none. */
static op2_set kept_set(op2_map map) {
  return map->from->keeps_order ? map->from : map->to->keeps_order ? map->to : NULL;
}

static void report_gain(struct op2i_sched *sched, op2_map map, op2_status status,
                        const struct op2i_gain *gain, double seconds) {
  struct op2i_text line = {0};
  if (status)
    op2i_text_add(&line, "not renumbered by map '%s': %s", map->obj.name, op2_error_message());
  else if (gain->nsets)
    op2i_text_add(&line, "renumbered %s by map '%s'", OP2I_N(gain->nsets, "set"), map->obj.name);
  else
    op2i_text_add(&line, "not renumbered by map '%s', which would win too little", map->obj.name);
  if (!status)
    op2i_text_add(&line,
                  ": a loop through it brings %.1f times what it reaches to a cache, %s %.1f times",
                  gain->nsets ? gain->after : gain->before, gain->nsets ? "before" : "renumbered",
                  gain->nsets ? gain->before : gain->after);
  if (!status && map->crowd_blocks)
    op2i_text_add(&line,
                  ", and one that modifies what it reaches had %s for %s, so that hardly any run "
                  "at the same time",
                  OP2I_N(map->crowd_colors, "colour"), OP2I_N(map->crowd_blocks, "block"));
  op2i_text_add(&line, " (before loop %" PRId64 ", in %.3f s; nobody asked: OP2_RENUMBER)",
                sched->queue.next_number, seconds);
  const op2_set kept = !status && !gain->nsets ? kept_set(map) : NULL;
  if (kept)
    op2i_text_add(&line, ". Loops keep the element order of '%s'; op2_renumber() changes it",
                  kept->obj.name);
  const bool bad = status || kept || (map->crowd_blocks && !gain->nsets);
  note_renumbering(sched, bad ? OP2I_LOG_WARN : OP2I_LOG_INFO, &line);
  op2i_text_free(&line);
}

/* Renumber by the map. It fails only fatally; after any other failure the program goes on
 * with the old numbering. */
static op2_status renumber(struct op2i_sched *sched, op2_map map) {
  struct op2i_gain gain = {0};
  op2i_numbering_settle(map);
  op2_status status = op2i_sched_run_all(sched, "renumbering by", map->obj.name);
  if (status == OP2_ERR_FATAL) return status;
  double start = op2i_seconds();
  if (!status) status = op2i_renumber_auto(map, sched->ctx->config.renumber == 1, &gain);
  if (gain.nsets) forget_numbering(sched);
  report_gain(sched, map, status, &gain, op2i_seconds() - start);
  return OP2_SUCCESS;
}

/* Measure the numbering of a map when this loop comes, and renumber if that pays at once. The plan is
 * the one that host backends use; without memory for it, blocks count as free of conflicts. */
static op2_status measure(struct op2i_sched *sched, const struct op2i_loop *loop, op2_map map,
                          const struct op2i_map_use *use) {
  int32_t colors = 0, blocks = 0;
  for (int r = 0; use->modifies && r < loop->nranges; r++) {
    struct op2i_shared_plan *shared = NULL;
    if (op2i_plan_get(sched, loop, r, 0, &shared) == OP2_SUCCESS &&
        op2i_map_crowds(map, shared->plan, loop->set->idx)) {
      colors = shared->plan->ncolors;
      blocks = shared->plan->nblocks;
    }
    op2i_shared_plan_unref(shared);
  }
  if (op2i_numbering_measure(map, colors, blocks)) return renumber(sched, map);
  /* Loops that are prepared later warn by themselves. */
  if (!op2i_numbering_waits(map) && loop->attached.sched_data) op2i_numbering_warn(sched, loop);
  return OP2_SUCCESS;
}

/* Find what a loop does with its map number m. */
static struct op2i_map_use use_of(const struct op2i_loop *loop, int m) {
  struct op2i_map_use use = {0};
  for (int r = 0; r < loop->nranges; r++) use.rows += loop->ranges[r].hi - loop->ranges[r].lo;
  for (int n = 0; n < loop->nargs; n++)
    use.modifies |= loop->args[n].map == m && op2i_modifies(loop->args[n].access);
  return use;
}

static op2_status count_map(struct op2i_sched *sched, const struct op2i_loop *loop, int m) {
  const struct op2i_map_use use = use_of(loop, m);
  op2_map map = loop->maps[m];
  switch (op2i_numbering_count_rows(map, &use, sched->ctx->open_scopes > 0)) {
  case OP2I_NUMBERING_DUE_MEASURE: return measure(sched, loop, map, &use);
  case OP2I_NUMBERING_DUE_RENUMBER: return renumber(sched, map);
  case OP2I_NUMBERING_DUE_NOTHING: break;
  }
  return OP2_SUCCESS;
}

op2_status op2i_numbering_count(struct op2i_sched *sched, struct op2i_op *op) {
  struct op2i_loop *loop = op2i_op_loop(op);
  op2_status status = OP2_SUCCESS;
  op->counted = !loop || !op2i_renumbers(sched->ctx);
  if (op->counted) return OP2_SUCCESS;
  OP2I_FP_DEFAULT;
  bool waiting = false;
  if (loop->traits.ordered) status = keep_order(sched, loop);
  if (sched->outer) return status;
  for (int m = 0; m < loop->nmaps && !status; m++) {
    if (op2i_numbering_waits(loop->maps[m])) status = count_map(sched, loop, m);
    waiting |= op2i_numbering_waits(loop->maps[m]);
  }
  op->counted = !waiting && !status;
  return status;
}
