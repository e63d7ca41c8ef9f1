/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TREE_H
#define OP2I_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Counters and a barrier for teams of many threads. If all members of a team write one cache line,
 * each of them waits for its turn at it. So they write the lines of a tree: the first eight members
 * have one line in common, and so do the next eight; above them eight lines have one. A thread
 * that completes a line goes on to the line above. A team of up to eight members has one line. What
 * several members write is two cache lines apart, since processors fetch lines in pairs. */

enum { OP2I_TREE_ARITY = 8, OP2I_TREE_SPACE = 128 };

/* The number of lines in the tree. */
int op2i_tree_nodes(int members);
/* The number of writes to lines of the tree that wait for one another at the end of a turn, at most:
 * those of all who share a line, for each line on the path to the root. */
int op2i_tree_path(int members);

/* The first block of a member's share: shares are equal, and the same in each run. */
static inline int32_t op2i_share_begin(int32_t blocks, int members, int member) {
  return (int32_t)((int64_t)blocks * member / members);
}

/* ---- tallies --------------------------------------------------------------------------------- */

/* A tally counts blocks of a turn. What was counted in an earlier turn does not count, so nobody has
 * to clear it; all its nodes are 0 at first, and the numbers of turns begin with 1. */
struct op2i_tally_node {
  uint64_t word; /* the number of the turn, and how many blocks were counted in it */
  int64_t value; /* the sum of what was added along with them */
  char space[OP2I_TREE_SPACE - 16];
};

/* A member counts n blocks of some member's share, and adds a value. */
struct op2i_count {
  int member;
  int32_t n;
  int64_t value;
};

/* Count blocks in a turn of `blocks` blocks. True if all of them have been counted now: exactly one
 * call in each turn returns that, and sets *sum to the sum of the turn's values. What threads have
 * written before they count can be read by the one that gets true. */
bool op2i_tally_add(struct op2i_tally_node *nodes, int members, uint32_t turn, int32_t blocks,
                    struct op2i_count count, int64_t *sum);
/* True if all blocks of the turn have been counted. */
bool op2i_tally_is_full(const struct op2i_tally_node *nodes, int members, uint32_t turn,
                        int32_t blocks);
/* The number of members, from this one on, all of whose blocks are known to be counted, because the
 * line that they share says so; 0 if the member's own line does not. */
int op2i_tally_passed(const struct op2i_tally_node *nodes, int members, uint32_t turn,
                      int32_t blocks, int member);

/* ---- a barrier ------------------------------------------------------------------------------- */

/* Members that wait spin for a moment, if they have a CPU each, and then sleep. */
struct op2i_barrier_node {
  uint64_t arrived; /* members that have come, in the lower bits, and the sum of their values */
  char space[OP2I_TREE_SPACE - 8];
  uint32_t released; /* the number of the last barrier that members may leave */
  int32_t asleep;    /* members that sleep until that number changes */
  char more_space[OP2I_TREE_SPACE - 8];
};

/* Make the nodes ready for barriers of so many members. No thread uses them meanwhile. */
void op2i_barrier_open(struct op2i_barrier_node *nodes, int members);
/* Wait until all members have called this for the same barrier; `number` is 1 for the first one
 * after op2i_barrier_open(), and 1 more for each one after that. A waiting member spins for `spin_ns`
 * nanoseconds at most before it sleeps. The sum of all values, which are not negative, is added to
 * *total before anybody leaves. */
void op2i_barrier_wait(struct op2i_barrier_node *nodes, int members, int member, uint32_t number,
                       int64_t spin_ns, int64_t value, int64_t *total);

/* Let a thread that spins leave resources of its core to others. */
void op2i_relax(void);

#endif
