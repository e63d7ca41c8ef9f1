/* SPDX-License-Identifier: BSD-3-Clause */
/* Check that the programs that ranks have made of one queue exchange the same halos at the
 * same points: a message that one of them does not expect would be taken for another, or
 * would never come. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "graph.h"
#include "halos.h"
#include "hash.h"
#include "passes.h"

struct lists {
  struct op2i_node *const *nodes;
  const struct op2i_program *program;
};

static const struct op2i_placed *placed_at(const struct lists *lists, int64_t at) {
  return at < lists->program->nexchanges ? &lists->program->exchanges[at] : NULL;
}

/* The number of a group's first node. Ranks that have different groups have made an error. */
static int64_t number_of(const struct lists *lists, int64_t g) {
  const struct op2i_grouping *grouping = &lists->program->grouping;
  return lists->nodes[grouping->nodes[grouping->groups[g].first]]->number;
}

/* A dat is identified by the place in the queue where it is first used, since names may
 * differ between ranks. */
static int64_t place_of(const struct lists *lists, const struct op2_dat_s *dat) {
  int64_t place = 0;
  for (int64_t i = 0; i < lists->program->nnodes; i++) {
    const struct op2i_op *op = lists->nodes[i]->op;
    for (int d = 0; d < op->ndats; d++, place++)
      if (op->dats[d] == dat) return place;
  }
  return -1;
}

static uint64_t hash_placed(const void *of, int64_t at) {
  const struct lists *lists = of;
  const struct op2i_placed *placed = placed_at(lists, at);
  uint64_t hash = 0;
  if (!placed) return hash;
  hash = op2i_hash_word((uint64_t)number_of(lists, placed->begin) + 1,
                        (uint64_t)number_of(lists, placed->end));
  for (int i = 0; i < op2i_exchange_dats(placed->exchange); i++) {
    const struct op2_dat_s *dat = op2i_exchange_dat(placed->exchange, i);
    hash = op2i_hash_word(hash, (uint64_t)place_of(lists, dat));
    hash = op2i_hash_word(hash, op2i_exchange_parts(placed->exchange, i));
  }
  return hash;
}

static void describe_placed(const void *of, int64_t at, char *words, size_t size) {
  static const char *const parts[] = {"", " (exec)", " (non-exec)", ""};
  const struct lists *lists = of;
  const struct op2i_placed *placed = placed_at(lists, at);
  int length = snprintf(words, size, "%s", placed ? "the halo of" : "no more");
  for (int i = 0; placed && i < op2i_exchange_dats(placed->exchange); i++)
    if ((size_t)length < size - 120)
      length += snprintf(words + length, size - (size_t)length, "%s '%.60s'%s", i ? "," : "",
                         op2i_exchange_dat(placed->exchange, i)->obj.name,
                         parts[op2i_exchange_parts(placed->exchange, i) & OP2I_EVERY_PART]);
  if (placed)
    snprintf(words + length, size - (size_t)length, " from call %" PRId64 " to call %" PRId64,
             number_of(lists, placed->begin), number_of(lists, placed->end));
}

op2_status op2i_exchanges_verify(struct op2i_node *const *nodes,
                                 const struct op2i_program *program) {
  op2_context ctx = nodes[0]->op->ctx;
  const struct lists lists = {nodes, program};
  const struct op2i_listing list = {&lists, program->nexchanges, hash_placed, describe_placed};
  struct op2i_difference d;
  if (!ctx->comm || ctx->comm->size == 1) return OP2_SUCCESS;
  op2_status status = op2i_ranks_compare(ctx->comm, &list, &d);
  if (status || d.at < 0) return status;
  return op2i_error(OP2_ERR_FATAL,
                    "ranks differ in exchange %" PRId64 " of the program that begins with call "
                    "%" PRId64 ": rank 0 of %d brings %s, rank %d brings %s",
                    d.at + 1, nodes[0]->number, ctx->comm->size, d.lowest, (int)d.rank, d.other);
}
