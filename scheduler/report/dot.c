/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph in Graphviz' language. The text depends only on what was queued: it has no
 * addresses, and times only if OP2_GRAPH_COSTS asks for them. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "mem.h"
#include "op2/graph.h"
#include "report.h"
#include "report_file.h"
#include "sched_state.h"
#include "stream.h"

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void put_quoted(FILE *stream, const char *text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', stream);
    fputc(*text, stream);
  }
}

static const char *state_name(enum op2i_node_state state) {
  static const char *const names[] = {"queued", "done", "failed", "cancelled"};
  return names[state];
}

static const char *state_colour(enum op2i_node_state state) {
  static const char *const colours[] = {"white", "honeydew", "mistyrose", "gray90"};
  return colours[state];
}

/* A node's name is its kind and its number, such as loop7 or call8. */
static void put_id(FILE *stream, const struct op2i_node *node) {
  fprintf(stream, "%s%" PRId64, node->op->kind->name, node->number);
}

static bool in_two_parts(const struct op2i_node *node) {
  const struct op2i_loop *loop = op2i_node_loop(node);
  return loop && op2i_loop_runs_over(loop, OP2I_EXEC);
}

static void put_label(FILE *stream, const struct op2i_node *node, const char *part) {
  const struct op2i_loop *loop = op2i_node_loop(node);
  struct op2i_text text = {0};
  fprintf(stream, "label=\"%" PRId64 ": ", node->number);
  if (loop) {
    put_quoted(stream, loop->kernel->obj.name);
    fputs("\\nover ", stream);
    put_quoted(stream, loop->set->obj.name);
  } else {
    node->op->kind->describe(node->op, &text);
    put_quoted(stream, text.chars && !text.failed ? text.chars : node->op->kind->name);
    op2i_text_free(&text);
  }
  fputs(part, stream);
  fputs("\\n", stream);
  put_quoted(stream, base_name(node->where.file));
  fprintf(stream, ":%d\\n%s", node->where.line, state_name(node->state));
  if (node->seconds > 0) fprintf(stream, "\\n%.3f ms", 1e3 * node->seconds);
  fprintf(stream, "\" fillcolor=%s%s%s", state_colour(node->state), loop ? "" : " shape=note",
          node->critical ? " penwidth=4" : "");
}

/* A loop that also runs over the exec halo is drawn as two nodes in a box: edges of reductions
 * leave the first one. */
static void put_node(FILE *stream, const struct op2i_node *node) {
  int64_t n = node->number;
  if (!in_two_parts(node)) {
    fputs("  ", stream);
    put_id(stream, node);
    fputs(" [", stream);
    put_label(stream, node, "");
    fputs("];\n", stream);
    return;
  }
  fprintf(stream, "  subgraph cluster_loop%" PRId64 " {\n    loop%" PRId64 " [", n, n);
  put_label(stream, node, " (owned)");
  fprintf(stream, "];\n    loop%" PRId64 "_exec [", n);
  put_label(stream, node, " (exec halo)");
  fprintf(stream, "];\n    loop%" PRId64 " -> loop%" PRId64 "_exec [style=dotted];\n  }\n", n, n);
}

static const struct {
  const char *name, *looks, *meaning;
} edge_kinds[] = {
    [OP2I_RAW] = {"RAW", "style=solid color=\"#1f4e79\"", "reads what the\\l  earlier loop wrote"},
    [OP2I_WAR] = {"WAR", "style=dashed color=\"#b06000\"",
                  "overwrites what the\\l  earlier loop read"},
    [OP2I_WAW] = {"WAW", "style=dotted color=\"#a02020\"",
                  "overwrites what the\\l  earlier loop wrote"},
};

static void put_edge(FILE *stream, struct op2i_sched *sched, const struct op2i_node *node,
                     const struct op2i_edge *edge) {
  const struct op2i_node *from = op2i_graph_find(sched, edge->from);
  if (!from) return;
  const char *name;
  (void)op2i_node_resource(node, edge->resource, &name);
  bool leaves_exec = in_two_parts(from) && edge->resource < node->op->ndats;
  fputs("  ", stream);
  put_id(stream, from);
  fputs(leaves_exec ? "_exec -> " : " -> ", stream);
  put_id(stream, node);
  fputs(" [label=\"", stream);
  put_quoted(stream, name);
  fprintf(stream, " %s\" %s];\n", edge_kinds[edge->kind].name, edge_kinds[edge->kind].looks);
}

/* Fused loops are drawn in one box, at the place of the first of them. */
static void put_any(FILE *stream, const struct op2i_sched *sched, int64_t i, bool marked_only) {
  const struct op2i_node *first = &sched->queue.nodes[i];
  if (!first->fused) put_node(stream, first);
  if (!first->fused || first->fused != first->number) return;
  fprintf(stream,
          "  subgraph cluster_fused%" PRId64
          " {\n    label=\"one loop\" fontname=\"sans-serif\" style=\"rounded,filled\" "
          "fillcolor=lightyellow;\n",
          first->number);
  for (int64_t k = i; k < sched->queue.nnodes; k++)
    if (sched->queue.nodes[k].fused == first->number &&
        (!marked_only || sched->queue.nodes[k].marked))
      put_node(stream, &sched->queue.nodes[k]);
  fputs("  }\n", stream);
}

/* ---- the legend ------------------------------------------------------------------------------ */

/* The elements that a drawing contains, which the legend explains. */
struct shown {
  bool state[OP2I_CANCELLED + 1], kind[OP2I_WAW + 1], fused, two, call, exchange, reduction;
};

static struct shown what_is_shown(struct op2i_sched *sched, bool marked_only) {
  struct shown shown = {.exchange = marked_only && sched->drawing.nexchanges,
                        .reduction = marked_only && sched->drawing.nreductions};
  for (int64_t i = 0; i < sched->queue.nnodes; i++) {
    const struct op2i_node *node = &sched->queue.nodes[i];
    if (marked_only && !node->marked) continue;
    shown.state[node->state] = true;
    shown.fused |= node->fused != 0;
    shown.two |= in_two_parts(node);
    shown.call |= !op2i_node_loop(node);
    for (int32_t e = 0; e < node->nedges; e++) {
      const struct op2i_edge *edge = &sched->queue.edges[node->first_edge + e];
      if (op2i_graph_find(sched, edge->from)) shown.kind[edge->kind] = true;
    }
  }
  return shown;
}

/* Invisible edges put the parts of the legend below each other. The legend's edges are written
 * without blanks, so that programs that look for " -> " find the edges between loops and no others.
 */
static void put_below(FILE *stream, const char **above, const char *name, const char *looks) {
  if (*above) fprintf(stream, "    %s->%s [%s];\n", *above, name, looks);
  *above = name;
}

static void put_messages_legend(FILE *stream, const struct shown *shown, const char **above) {
  if (shown->exchange) {
    fputs("    key_exchange [label=\"rows that other ranks own travel:\\nfrom the loops that made "
          "them\\nto "
          "the loop that waits for them\" shape=cds fillcolor=lightskyblue];\n",
          stream);
    put_below(stream, above, "key_exchange", "style=invis");
  }
  if (shown->reduction) {
    fputs(
        "    key_reduction [label=\"results that ranks combine:\\nfrom the loops that reduce\\nto "
        "the loops that wait for them\" shape=cds fillcolor=thistle];\n",
        stream);
    put_below(stream, above, "key_reduction", "style=invis");
  }
}

static void put_nodes_legend(FILE *stream, const struct shown *shown, const char **above) {
  static const char *const keys[] = {"key_queued", "key_done", "key_failed", "key_cancelled"},
                           *const meanings[] = {"waits to be run", "has run", "failed",
                                                "cancelled: it needs what failed"};
  for (int s = 0; s <= OP2I_CANCELLED; s++) {
    if (!shown->state[s]) continue;
    fprintf(stream, "    %s [label=\"%s\" fillcolor=%s];\n", keys[s], meanings[s],
            state_colour((enum op2i_node_state)s));
    put_below(stream, above, keys[s], "style=invis");
  }
  if (shown->two) {
    fputs("    key_halo [label=\"(exec halo): the elements\\nthat only increments need\" "
          "fillcolor=white];\n",
          stream);
    put_below(stream, above, "key_halo", "style=invis");
  }
  if (shown->call) {
    fputs("    key_call [label=\"a function of\\nthe program's\" shape=note fillcolor=white];\n",
          stream);
    put_below(stream, above, "key_call", "style=invis");
  }
  put_messages_legend(stream, shown, above);
  if (!shown->fused) return;
  fputs("    subgraph cluster_legend_fused {\n      label=\"one loop\" style=\"rounded,filled\" "
        "fillcolor=lightyellow;\n      key_fused [label=\"loops that were fused\\nand run as one\" "
        "fillcolor=honeydew];\n    }\n",
        stream);
  put_below(stream, above, "key_fused", "style=invis");
}

static void put_legend(FILE *stream, const struct shown *shown) {
  static const char *const ends[] = {"key_end_raw", "key_end_war", "key_end_waw"};
  const char *above = NULL;
  fputs("  subgraph cluster_legend {\n    label=\"Legend\" fontname=\"sans-serif\" fontsize=11 "
        "style=rounded color=gray60;\n    node [fontsize=10 height=0.3 group=legend];\n",
        stream);
  put_nodes_legend(stream, shown, &above);
  fputs("    node [shape=point width=0.06 height=0.06 label=\"\"];\n", stream);
  if (above && (shown->kind[OP2I_RAW] || shown->kind[OP2I_WAR] || shown->kind[OP2I_WAW]))
    put_below(stream, &above, "key_begin", "style=invis");
  for (int k = 0; k <= OP2I_WAW; k++) {
    char looks[160];
    if (!shown->kind[k]) continue;
    snprintf(looks, sizeof looks, "label=\"  %s: %s\\l\" %s", edge_kinds[k].name,
             edge_kinds[k].meaning, edge_kinds[k].looks);
    put_below(stream, &above, ends[k], looks);
  }
  fputs("  }\n", stream);
}

static op2_status write_dot(struct op2i_sched *sched, FILE *stream, bool marked_only,
                            const char *call) {
  op2_status status = op2i_graph_join(sched);
  if (status) return status;
  fputs("digraph op2 {\n  node [shape=box style=filled fontname=\"sans-serif\"];\n  edge "
        "[fontname=\"sans-serif\" fontsize=10];\n",
        stream);
  for (int64_t i = 0; i < sched->queue.nnodes; i++)
    if (!marked_only || sched->queue.nodes[i].marked) put_any(stream, sched, i, marked_only);
  for (int64_t i = 0; i < sched->queue.nnodes; i++) {
    const struct op2i_node *node = &sched->queue.nodes[i];
    if (marked_only && !node->marked) continue;
    for (int32_t e = 0; e < node->nedges; e++)
      put_edge(stream, sched, node, &sched->queue.edges[node->first_edge + e]);
  }
  if (marked_only && sched->drawing.exchanges.failed) return op2i_error_nomem("a drawing");
  if (marked_only && sched->drawing.exchanges.chars) fputs(sched->drawing.exchanges.chars, stream);
  const struct shown shown = what_is_shown(sched, marked_only);
  if (sched->queue.nnodes) put_legend(stream, &shown);
  fputs("}\n", stream);
  return op2i_stream_written(stream, call);
}

op2_status op2_graph_write_dot(op2_context ctx, FILE *stream) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_context_validate(ctx, "op2_graph_write_dot");
  if (status) return status;
  if (!stream) return op2i_error(OP2_ERR_ARG, "op2_graph_write_dot: the stream is null");
  return write_dot(ctx->sched, stream, false, "op2_graph_write_dot");
}

static bool draws(const struct op2i_sched *sched) {
  const char *name = sched->ctx->config.graph_file;
  return name && !sched->outer && op2i_report_writes(sched->ctx, name);
}

/* Mark the longest chain of dependences among the nodes that have run, by the time that they took.
 * Edges lead to earlier nodes. Returns false if there is no memory for it. */
static bool mark_critical(struct op2i_sched *sched) {
  const int64_t n = sched->queue.nnodes;
  struct op2i_node *nodes = sched->queue.nodes;
  double *until = op2i_calloc((size_t)n + 1, sizeof *until);
  int64_t *before = op2i_calloc((size_t)n + 1, sizeof *before), last = -1;
  for (int64_t i = 0; until && before && i < n; i++) {
    before[i] = -1;
    for (int32_t e = 0; e < nodes[i].nedges; e++) {
      const int64_t number = sched->queue.edges[nodes[i].first_edge + e].from;
      const struct op2i_node *from = op2i_graph_find(sched, number);
      if (from && from->marked && (before[i] < 0 || until[from - nodes] > until[before[i]]))
        before[i] = from - nodes;
    }
    until[i] = nodes[i].seconds + (before[i] < 0 ? 0 : until[before[i]]);
    if (nodes[i].seconds > 0 && (last < 0 || until[i] > until[last])) last = i;
  }
  const bool good = until && before;
  for (int64_t i = last; good && i >= 0; i = before[i]) nodes[i].critical = nodes[i].seconds > 0;
  op2i_free(until);
  op2i_free(before);
  return good;
}

/* A "%d" in the configured name is the number of the flush. */
static void draw(struct op2i_sched *sched) {
  char path[4096];
  op2i_report_path(sched->ctx, sched->ctx->config.graph_file, sched->stats.nforces - 1, path,
                   sizeof path);
  const char *by = sched->ctx->config.graph_file_by;
  FILE *stream = op2i_report_open(path, by);
  op2_status status = stream ? op2i_graph_join(sched) : OP2_ERR_IO;
  if (!status && sched->ctx->config.graph_costs && !mark_critical(sched))
    status = op2i_error_nomem("a drawing");
  if (!status) status = write_dot(sched, stream, true, by);
  if (stream && fclose(stream) && !status)
    status = op2i_error(OP2_ERR_IO, "%s: %s", by, strerror(errno));
  if (!status || sched->drawing.graph_failed) return;
  sched->drawing.graph_failed = true;
  op2i_log(sched->ctx, OP2I_LOG_WARN, "the graph could not be written to '%s': %s", path,
           op2_error_message());
}

void op2i_dot_dump(struct op2i_sched *sched) {
  if (draws(sched)) draw(sched);
  op2i_text_free(&sched->drawing.exchanges);
  sched->drawing.nexchanges = sched->drawing.nreductions = 0;
}
