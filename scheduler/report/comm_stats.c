/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of the communication between ranks, as numbers and in the explanation. */
#include <inttypes.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "mesh.h"
#include "op2/ranks.h"
#include "passes.h"
#include "report.h"
#include "text.h"

op2_status op2_comm_stats_get(op2_context ctx, op2_comm_stats *stats) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_context_validate(ctx, "op2_comm_stats_get");
  if (status) return status;
  if (!stats) return op2i_error(OP2_ERR_ARG, "op2_comm_stats_get: where to put them is null");
  const struct op2i_comm none = {0}, *comm = ctx->comm ? ctx->comm : &none;
  *stats = (op2_comm_stats){.exchanges = comm->exchanges,
                            .messages = comm->messages,
                            .bytes = comm->bytes,
                            .travelling = 1e-9 * (double)comm->transit_ns,
                            .waited = 1e-9 * (double)comm->waited};
  return OP2_SUCCESS;
}

op2_status op2_comm_neighbour_get(op2_context ctx, int i, op2_comm_neighbour *out) {
  op2_status status = op2i_context_validate(ctx, "op2_comm_neighbour_get");
  if (status) return status;
  if (!out || i < 0)
    return op2i_error(OP2_ERR_ARG, "op2_comm_neighbour_get: a null pointer or a negative number");
  for (int64_t k = 0, n = 0; ctx->comm && k < ctx->comm->nsent; k++) {
    const struct op2i_sent *sent = &ctx->comm->sent[k];
    if (!sent->messages || n++ < i) continue;
    *out =
        (op2_comm_neighbour){.rank = sent->rank, .messages = sent->messages, .bytes = sent->bytes};
    return OP2_SUCCESS;
  }
  return op2i_error(OP2_ERR_RANGE, "op2_comm_neighbour_get: there is no neighbour %d", i);
}

op2_status op2_comm_dat_get(op2_context ctx, int i, op2_comm_dat *out) {
  op2_status status = op2i_context_validate(ctx, "op2_comm_dat_get");
  if (status) return status;
  if (!out || i < 0)
    return op2i_error(OP2_ERR_ARG, "op2_comm_dat_get: a null pointer or a negative number");
  int n = 0;
  for (const struct op2i_link *l = ctx->dats.first; l; l = l->next) {
    op2_dat dat = l->object;
    if (!dat->nexchanges || n++ < i) continue;
    *out = (op2_comm_dat){.dat = dat,
                          .name = dat->obj.name,
                          .exchanges = dat->nexchanges,
                          .bytes = dat->exchanged_bytes};
    return OP2_SUCCESS;
  }
  return op2i_error(OP2_ERR_RANGE, "op2_comm_dat_get: no dat %d has travelled", i);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* A list of the entries with most bytes, in descending order. */
enum { LISTED = 8 };
struct most {
  int n;
  const void *of[LISTED];
  int64_t bytes[LISTED];
  int64_t left, left_bytes; /* the number of other entries, and their bytes */
};

static void enter(struct most *most, const void *of, int64_t bytes) {
  int at = most->n;
  while (at > 0 && most->bytes[at - 1] < bytes) at--;
  int64_t out = most->n < LISTED ? 0 : at == LISTED ? bytes : most->bytes[LISTED - 1];
  most->left += most->n == LISTED;
  most->left_bytes += out;
  most->n += most->n < LISTED;
  for (int i = most->n - 1; i > at; i--) {
    most->of[i] = most->of[i - 1];
    most->bytes[i] = most->bytes[i - 1];
  }
  if (at == LISTED) return;
  most->of[at] = of;
  most->bytes[at] = bytes;
}

static void put_left(const struct most *most, const char *what, FILE *stream) {
  if (most->left)
    fprintf(stream, "  %s %" PRId64 " more: %s\n", what, most->left,
            OP2I_N(most->left_bytes, "byte"));
}

static void put_neighbours(const struct op2i_comm *comm, FILE *stream) {
  struct most most = {0};
  for (int64_t k = 0; k < comm->nsent; k++)
    if (comm->sent[k].messages) enter(&most, &comm->sent[k], comm->sent[k].bytes);
  for (int i = 0; i < most.n; i++) {
    const struct op2i_sent *sent = most.of[i];
    fprintf(stream, "  to rank %d: %s, %s\n", sent->rank, OP2I_N(sent->messages, "message"),
            OP2I_N(sent->bytes, "byte"));
  }
  put_left(&most, "to", stream);
}

static void put_dats(op2_context ctx, FILE *stream) {
  struct most most = {0};
  for (const struct op2i_link *l = ctx->dats.first; l; l = l->next) {
    const struct op2_dat_s *dat = l->object;
    if (dat->nexchanges) enter(&most, dat, dat->exchanged_bytes);
  }
  for (int i = 0; i < most.n; i++) {
    const struct op2_dat_s *dat = most.of[i];
    fprintf(stream, "  of '%s': %s in %s\n", dat->obj.name,
            OP2I_N(dat->exchanged_bytes, "byte"), OP2I_N(dat->nexchanges, "exchange"));
  }
  put_left(&most, "of", stream);
}

void op2i_comm_explain(op2_context ctx, FILE *stream) {
  const struct op2i_comm *comm = ctx->comm;
  if (!comm) return;
  double transit = (double)comm->transit_ns, hidden = transit - (double)comm->waited;
  fprintf(stream, "halos: %s, %s of %s sent", OP2I_N(comm->exchanges, "exchange"),
          OP2I_N(comm->messages, "message"), OP2I_N(comm->bytes, "byte"));
  if (transit > 0)
    fprintf(stream, "; %.3f ms on their way, of which %.0f of 100 were hidden", 1e-6 * transit,
            100 * hidden / transit);
  fputc('\n', stream);
  put_neighbours(comm, stream);
  put_dats(ctx, stream);
}

static void put_group(const struct op2i_program *program, int64_t g, FILE *stream) {
  const struct op2i_group *group = &program->grouping.groups[g];
  struct op2i_op *op = program->ops[program->grouping.nodes[group->first]];
  struct op2i_text text = {0};
  if (group->loop) {
    fprintf(stream, "'%s'", op2i_loop_name(group->loop));
    return;
  }
  op->kind->describe(op, &text);
  fputs(text.chars && !text.failed ? text.chars : op->kind->name, stream);
  op2i_text_free(&text);
}

static void explain_convoy(const struct op2i_program *program, int64_t b, FILE *stream) {
  const struct op2i_convoy *convoy = &program->convoys.list[b];
  const struct op2i_convoy_place *place = &program->convoys.places[b];
  const bool together = program->ops[0]->ctx->config.overlap && op2i_convoy_small(convoy);
  fputs("  reductions of", stream);
  for (int i = 0; i < convoy->n; i++) {
    fputs(i ? ", " : " ", stream);
    put_group(program, convoy->reductions[i].group, stream);
  }
  if (together) {
    fputs(" are sent when ", stream);
    put_group(program, place->begin, stream);
    fputs(" has run over owned elements, and", stream);
  } else {
    fputs(" are combined and", stream);
  }
  fputs(" waited for ", stream);
  if (place->end < program->grouping.ngroups) {
    fputs("before ", stream);
    put_group(program, place->end, stream);
  } else {
    fputs("at the end", stream);
  }
  fprintf(stream, ": %s\n", OP2I_N(convoy->bytes, "byte"));
}

void op2i_convoys_explain(const struct op2i_program *program, FILE *stream) {
  for (int64_t b = 0; b < program->convoys.n; b++) explain_convoy(program, b, stream);
}

void op2i_exchanges_explain(const struct op2i_program *program, FILE *stream) {
  for (int64_t x = 0; x < program->nexchanges; x++) {
    const struct op2i_placed *placed = &program->exchanges[x];
    fputs("  halos of", stream);
    for (int i = 0; i < op2i_exchange_dats(placed->exchange); i++)
      fprintf(stream, "%s '%s'", i ? "," : "", op2i_exchange_dat(placed->exchange, i)->obj.name);
    fputs(" are sent before ", stream);
    put_group(program, placed->begin, stream);
    fputs(", waited for in ", stream);
    put_group(program, placed->end, stream);
    int messages;
    int64_t bytes = op2i_exchange_sends(placed->exchange, &messages);
    fprintf(stream, ": %s in %s\n", OP2I_N(bytes, "byte"), OP2I_N(messages, "message"));
  }
}
