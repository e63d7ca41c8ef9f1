/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a node that share cores, and the warning about it, which is printed only if the cores
 * could be distributed better. */
#include <string.h>

#include "share.h"
#include "tap.h"

/* Ranks on four CPUs or fewer; bits give the set of each rank. */
static struct op2i_node_rank node_rank_of(int rank, int size, const unsigned char *bits) {
  struct op2i_cpu_set sets[8] = {{{0}}};
  struct op2i_node_rank node_rank = {.rank = rank, .size = size};
  for (int r = 0; r < size; r++) sets[r].words[0] = bits[r];
  op2i_node_rank_compare(&node_rank, sets);
  return node_rank;
}

static void node_ranks(void) {
  struct op2i_node_rank node_rank = node_rank_of(2, 4, (const unsigned char[]){3, 12, 3, 6});
  is_int(node_rank.cpu_sharers, 2, "ranks on the same CPUs");
  is_int(node_rank.sharer_rank, 1, "the second of these");
  is_int(node_rank.overlapping, 1, "and one that has one of the CPUs");
  is_int(node_rank.cpus, 4, "CPUs of all ranks");
  struct op2i_cpu_set allowed;
  int spare = 0;
  op2i_allowed_cpu_set(&allowed);
  for (int w = 0; w < OP2I_CPU_WORDS; w++)
    spare += __builtin_popcountll(allowed.words[w] & ~(w ? UINT64_C(0) : UINT64_C(15)));
  is_int(node_rank.spare, spare, "CPUs that no rank has");
}

static const struct {
  const char *what;
  struct op2i_node_rank node_rank;
  int cores, workers;
  bool narrow;
  enum op2i_crowd crowd;
} cases[] = {
#define NODE_RANK(size_, sharers_, overlapping_, cpus_, spare_)                                    \
  {                                                                                                \
    .size = size_, .cpu_sharers = sharers_, .overlapping = overlapping_, .cpus = cpus_,            \
    .spare = spare_                                                                                \
  }
    {"a rank alone", NODE_RANK(1, 1, 0, 4, 0), 4, 8, false, OP2I_CROWD_NONE},
    {"ranks that share out four cores", NODE_RANK(4, 4, 0, 4, 0), 4, 0, false, OP2I_CROWD_NONE},
    {"each bound to its own", NODE_RANK(4, 1, 0, 4, 0), 1, 0, false, OP2I_CROWD_NONE},
    {"more ranks than cores", NODE_RANK(5, 5, 0, 4, 0), 4, 0, false, OP2I_CROWD_NONE},
    {"more ranks than cores, with workers asked for", NODE_RANK(5, 5, 0, 4, 0), 4, 4, false,
     OP2I_CROWD_NONE},
    {"all on one core of four", NODE_RANK(4, 4, 0, 1, 3), 1, 0, false, OP2I_CROWD_BOUND},
    {"all on one core, and there is no other", NODE_RANK(4, 4, 0, 1, 0), 1, 0, false,
     OP2I_CROWD_NONE},
    {"sets that overlap", NODE_RANK(2, 1, 1, 3, 0), 2, 0, false, OP2I_CROWD_BOUND},
    {"sets that overlap, of too few cores", NODE_RANK(3, 1, 2, 2, 0), 2, 0, false, OP2I_CROWD_NONE},
    {"two on a core, and one has three", NODE_RANK(3, 2, 0, 4, 0), 1, 0, false, OP2I_CROWD_BOUND},
    {"places of OpenMP", NODE_RANK(2, 2, 0, 4, 0), 4, 0, true, OP2I_CROWD_PLACES},
    {"as many workers as the share", NODE_RANK(2, 2, 0, 4, 0), 4, 2, false, OP2I_CROWD_NONE},
    {"more workers than the share", NODE_RANK(2, 2, 0, 4, 0), 4, 3, false, OP2I_CROWD_WORKERS},
    {"ranks that are threads",
     {.size = 4, .cpu_sharers = 4, .cpus = 4, .process = true},
     4,
     4,
     false,
     OP2I_CROWD_NONE}};

int main(void) {
  node_ranks();
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    is_int(op2i_crowd_of(&cases[c].node_rank, cases[c].cores, cases[c].workers, cases[c].narrow),
           cases[c].crowd, "%s", cases[c].what);
  return done();
}
