/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports on maps whose sets are badly numbered: a warning when a loop first uses one, and a line
 * for each map in op2_explain(). */
#include "numbering.h"

#include <inttypes.h>
#include <stdio.h>

#include "log.h"
#include "loopdata.h"
#include "renumber.h"
#include "renumber_order.h"
#include "text.h"

/* The plan in which blocks of the map conflict so often that few run at the same time;
 * null: there is none. */
static const struct op2i_plan *crowded(const struct op2i_loop *loop, int m) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  bool modifies = false;
  for (int n = 0; n < loop->nargs; n++)
    modifies = modifies || (loop->args[n].map == m && op2i_modifies(loop->args[n].access));
  for (int r = 0; modifies && r < loop->nranges; r++)
    if (data->plans[r] && op2i_map_crowds(loop->maps[m], data->plans[r]->plan, loop->set->idx))
      return data->plans[r]->plan;
  return NULL;
}

static void warn(const struct op2i_sched *sched, const struct op2i_loop *loop, op2_map map,
                 const struct op2i_plan *plan) {
  struct op2i_text text = {0};
  const char *name = map->obj.name, *to = map->to->obj.name, *why = op2i_order_unavailable();
  op2i_text_add(&text, "map '%s' (%s -> %s) is badly numbered: ", name, map->from->obj.name, to);
  if (plan)
    op2i_text_add(&text,
                  "loop '%s' has %s for %s, so that hardly any run at the same time",
                  op2i_loop_name(loop), OP2I_N(plan->ncolors, "colour"),
                  OP2I_N(plan->nblocks, "block"));
  if (op2i_map_scattered(map))
    op2i_text_add(&text, "%s%.0f of 100 accesses to '%s' meet a cache line of their own",
                  plan ? "; " : "", 100 * (double)map->scatter, to);
  else
    op2i_text_add(&text, "; elements of '%s' in one row are %.0f numbers apart in the mean", to,
                  (double)map->span);
  if (why)
    op2i_text_add(&text, ". op2_renumber() would mend that, but it needs Scotch: %s", why);
  else
    op2i_text_add(&text, ". op2_renumber() of this map, called once all maps are declared, mends "
                         "that; your program keeps its own numbers");
  if (!text.failed) op2i_log(sched->ctx, OP2I_LOG_WARN, "%s", text.chars);
  op2i_text_free(&text);
}

void op2i_numbering_warn(const struct op2i_sched *sched, const struct op2i_loop *loop) {
  for (int m = 0; m < loop->nmaps; m++) {
    op2_map map = loop->maps[m];
    if (map->scatter < 0) op2i_map_measure(map);
    if (map->conflict_map || map->first || map->rows_per_slice)
      continue; /* derived maps are numbered as well as the maps they are made of */
    if (map->numbering_warned || op2i_numbering_of(map) != OP2I_NUMBERING_NOT_CANDIDATE) continue;
    const struct op2i_plan *plan = crowded(loop, m);
    if (!plan && !op2i_map_scattered(map)) continue;
    map->numbering_warned = true;
    warn(sched, loop, map, plan);
  }
}

static bool met_before(const struct op2i_loop_table *table, const struct op2i_loop *loop,
                       op2_map map) {
  for (const struct op2i_loop *earlier = table->first; earlier != loop;
       earlier = earlier->entry.next)
    for (int m = 0; m < earlier->nmaps; m++)
      if (earlier->maps[m] == map) return true;
  return false;
}

static const char *in_words(op2_map map) {
  if (map->from->number || map->to->number) return ", renumbered";
  if (op2i_numbering_of(map) == OP2I_NUMBERING_PENDING)
    return ": badly numbered, to be renumbered when more loops have been queued";
  if (!map->numbering_warned) return "";
  return op2i_order_unavailable() ? ": badly numbered"
                                  : ": badly numbered, op2_renumber() would help";
}

void op2i_numbering_explain(op2_context ctx, FILE *stream) {
  bool any = false;
  if (ctx->sched->stats.renumberings.chars)
    fprintf(stream, "\nrenumbering by itself:\n%s", ctx->sched->stats.renumberings.chars);
  for (const struct op2i_loop *loop = ctx->loops ? ctx->loops->first : NULL; loop;
       loop = loop->entry.next)
    for (int m = 0; m < loop->nmaps; m++) {
      op2_map map = loop->maps[m];
      if (map->rows_per_slice || map->scatter < 0 || met_before(ctx->loops, loop, map)) continue;
      if (!any) fputs("\nmaps, and how many accesses meet a cache line of their own:\n", stream);
      any = true;
      fprintf(stream, "  %s (%s -> %s): %.0f of 100%s\n", map->obj.name, map->from->obj.name,
              map->to->obj.name, 100 * (double)map->scatter, in_words(map));
    }
}
