/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchanges in the drawing of what ran: one node of Graphviz' language for each, after the
 * loops that compute the rows and before the loop that waits for them; and the same for each convoy
 * of reductions that ranks combined. */
#include "call.h"
#include "context.h"
#include "exchange.h"
#include "program_make.h"

struct drawing {
  struct op2i_text *text;
  const struct op2i_program *program;
  struct op2i_node *const *nodes;
  const struct op2i_placed *placed;
  int64_t number; /* number of the exchange in this drawing */
};

static void put_quoted(struct op2i_text *text, const char *name) {
  for (; *name; name++) op2i_text_add(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
}

static void put_node(struct op2i_text *text, const struct op2i_node *node) {
  op2i_text_add(text, "%s%lld", node->op->kind->name, (long long)node->number);
}

static const struct op2i_node *member(const struct drawing *d, int64_t group, int32_t i) {
  const struct op2i_grouping *grouping = &d->program->grouping;
  return d->nodes[grouping->nodes[grouping->groups[group].first + i]];
}

static bool touches(const struct op2i_node *node, op2_dat dat, bool modifies) {
  for (int i = 0; i < node->op->ndats; i++)
    if (node->op->dats[i] == dat && (!modifies || op2i_modifies(node->op->dat_access[i])))
      return true;
  return false;
}

/* The first loop for which the exchange receives the dat. */
static const struct op2i_node *reader(const struct drawing *d, op2_dat dat) {
  const struct op2i_group *group = &d->program->grouping.groups[d->placed->end];
  const struct op2i_node *first = NULL;
  for (int32_t i = 0; i < group->count; i++) {
    const struct op2i_node *node = member(d, d->placed->end, i);
    if (touches(node, dat, false) && (!first || node->number < first->number)) first = node;
  }
  return first;
}

/* The last node before number `before` that modifies the dat; null: there is none in this
 * program. */
static const struct op2i_node *maker(const struct drawing *d, op2_dat dat, int64_t before) {
  const struct op2i_node *last = NULL;
  for (int64_t i = 0; i < d->program->nnodes; i++) {
    const struct op2i_node *node = d->nodes[i];
    if (node->number < before && touches(node, dat, true) && (!last || node->number > last->number))
      last = node;
  }
  return last;
}

static void put_label(const struct drawing *d) {
  const struct op2i_exchange *exchange = d->placed->exchange;
  int n = op2i_exchange_dats(exchange), messages;
  int64_t bytes = op2i_exchange_sends(exchange, &messages);
  op2i_text_add(d->text, "  exchange%lld [label=\"halos of ", (long long)d->number);
  for (int i = 0; i < n; i++) {
    if (i) op2i_text_add(d->text, ", ");
    put_quoted(d->text, op2i_exchange_dat(exchange, i)->obj.name);
  }
  op2i_text_add(d->text, "\\nrank %d sends %lld bytes in %d message%s\\nbefore ",
                op2i_exchange_dat(exchange, 0)->obj.ctx->comm->rank, (long long)bytes, messages,
                messages == 1 ? "" : "s");
  put_node(d->text, member(d, d->placed->begin, 0));
  op2i_text_add(d->text, "\" shape=cds fillcolor=lightskyblue];\n");
}

/* An edge of a dat leads to its first reader, which may be any member of the fused loop. */
static void put_edges(const struct drawing *d, bool overlap) {
  for (int i = 0; i < op2i_exchange_dats(d->placed->exchange); i++) {
    op2_dat dat = op2i_exchange_dat(d->placed->exchange, i);
    const struct op2i_node *end = reader(d, dat);
    /* what a later group reads comes in the same message */
    if (!end) end = member(d, d->placed->end, 0);
    const struct op2i_node *begin = maker(d, dat, end->number);
    const struct op2i_loop *loop = d->program->grouping.groups[d->placed->end].loop;
    bool hidden = overlap && loop && loop->ranges[0].section == OP2I_CORE;
    if (begin) {
      op2i_text_add(d->text, "  ");
      put_node(d->text, begin);
      const struct op2i_loop *made = op2i_node_loop(begin);
      op2i_text_add(d->text, "%s", made && op2i_loop_runs_over(made, OP2I_EXEC) ? "_exec" : "");
      op2i_text_add(d->text, " -> exchange%lld [label=\"", (long long)d->number);
      put_quoted(d->text, dat->obj.name);
      op2i_text_add(d->text, "\" color=\"#107060\"];\n");
    }
    op2i_text_add(d->text, "  exchange%lld -> ", (long long)d->number);
    put_node(d->text, end);
    op2i_text_add(d->text, " [label=\"");
    put_quoted(d->text, dat->obj.name);
    op2i_text_add(d->text, "%s\" color=\"#107060\" arrowhead=vee];\n", hidden ? " after core" : "");
  }
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* An edge from each loop to what it has reduced. */
static void put_results(const struct drawing *d, const struct op2i_reduction *r) {
  for (int32_t i = 0; i < d->program->grouping.groups[r->group].count; i++) {
    const struct op2i_node *node = member(d, r->group, i);
    for (int g = 0; g < node->op->ngbls; g++) {
      if (!op2i_modifies(node->op->gbl_access[g])) continue;
      op2i_text_add(d->text, "  ");
      put_node(d->text, node);
      op2i_text_add(d->text, " -> reduction%lld [label=\"", (long long)d->number);
      put_quoted(d->text, node->op->gbls[g]->obj.name);
      op2i_text_add(d->text, "\" color=\"#107060\"];\n");
    }
  }
}

static void put_convoy(const struct drawing *d, int64_t b) {
  const struct op2i_convoys *convoys = &d->program->convoys;
  const struct op2i_convoy_place *place = &convoys->places[b];
  op2i_text_add(d->text, "  reduction%lld [label=\"%lld bytes that ranks combine\\nsent behind ",
                (long long)d->number, (long long)convoys->list[b].bytes);
  put_node(d->text, member(d, place->begin, 0));
  op2i_text_add(d->text, "\" shape=cds fillcolor=thistle];\n");
  for (int i = 0; i < convoys->list[b].n; i++) put_results(d, &convoys->list[b].reductions[i]);
  if (place->end == d->program->grouping.ngroups) return;
  op2i_text_add(d->text, "  reduction%lld -> ", (long long)d->number);
  put_node(d->text, member(d, place->end, 0));
  op2i_text_add(d->text, " [color=\"#107060\" arrowhead=vee];\n");
}

static void put_convoys(struct op2i_sched *sched, struct drawing *d, int64_t done) {
  for (int64_t b = 0; b < d->program->convoys.n; b++) {
    if (d->program->convoys.places[b].begin >= done) continue;
    d->number = ++sched->drawing.nreductions;
    put_convoy(d, b);
  }
}

void op2i_program_draw(struct op2i_sched *sched, const struct op2i_program *program,
                       struct op2i_node *const *nodes, int64_t done) {
  struct drawing d = {.text = &sched->drawing.exchanges, .program = program, .nodes = nodes};
  for (int64_t x = 0; x < program->nexchanges; x++) {
    d.placed = &program->exchanges[x];
    if (d.placed->end >= done) continue;
    d.number = ++sched->drawing.nexchanges;
    put_label(&d);
    put_edges(&d, sched->ctx->config.overlap);
  }
  put_convoys(sched, &d, done);
}
