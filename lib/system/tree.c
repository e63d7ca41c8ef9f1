/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters and a barrier in the lines of a tree. */
#define _GNU_SOURCE
#include "tree.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

enum { ARITY = OP2I_TREE_ARITY };

void op2i_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

static int above(int count) { return (count + ARITY - 1) / ARITY; }

int op2i_tree_nodes(int members) {
  int nodes = 0, count = members;
  do nodes += count = above(count);
  while (count > 1);
  return nodes;
}

int op2i_tree_path(int members) {
  int path = 0;
  for (int count = members;; count = above(count)) {
    path += count < ARITY ? count : ARITY;
    if (count <= ARITY) return path;
  }
}

/* ---- tallies --------------------------------------------------------------------------------- */

/* A line of the tree, and the members below it. */
struct line {
  int index; /* among all nodes: those of the lowest level come first */
  int lo, hi;
  int place, count; /* its place in its level, and the number of lines that this level has */
  int width;        /* members below a line of the level */
};

static struct line limited(struct line line, int members) {
  line.lo = line.place * line.width;
  line.hi = line.lo + line.width < members ? line.lo + line.width : members;
  return line;
}

static struct line lowest(int members, int member) {
  return limited((struct line){.index = member / ARITY,
                               .place = member / ARITY,
                               .count = above(members),
                               .width = ARITY},
                 members);
}

static struct line line_above(struct line line, int members) {
  const int first = line.index - line.place + line.count, place = line.place / ARITY;
  return limited((struct line){.index = first + place,
                               .place = place,
                               .count = above(line.count),
                               .width = line.width * ARITY},
                 members);
}

static bool is_root(struct line line) { return line.count == 1; }

/* The number of blocks of all shares below a line. */
static int32_t blocks_below(struct line line, int members, int32_t blocks) {
  if (is_root(line)) return blocks;
  return op2i_share_begin(blocks, members, line.hi) - op2i_share_begin(blocks, members, line.lo);
}

static uint64_t word_of(uint32_t turn, int32_t n) { return (uint64_t)turn << 32 | (uint32_t)n; }

/* Count n blocks at one line; returns how many have been counted there in the turn. */
static int32_t count_at(struct op2i_tally_node *node, uint32_t turn, int32_t n) {
  uint64_t word = __atomic_load_n(&node->word, __ATOMIC_RELAXED);
  for (;;) {
    const int32_t sum = (word >> 32 == turn ? (int32_t)(uint32_t)word : 0) + n;
    if (__atomic_compare_exchange_n(&node->word, &word, word_of(turn, sum), true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return sum;
  }
}

bool op2i_tally_add(struct op2i_tally_node *nodes, int members, uint32_t turn, int32_t blocks,
                    struct op2i_count count, int64_t *sum) {
  struct line line = lowest(members, count.member);
  for (;;) {
    struct op2i_tally_node *node = &nodes[line.index];
    const int32_t all = blocks_below(line, members, blocks);
    if (count.value) __atomic_fetch_add(&node->value, count.value, __ATOMIC_RELAXED);
    if (count_at(node, turn, count.n) < all) return false;
    /* Nobody adds to the node any more until the next turn begins. */
    count.value = __atomic_load_n(&node->value, __ATOMIC_RELAXED);
    __atomic_store_n(&node->value, 0, __ATOMIC_RELAXED);
    count.n = all;
    if (is_root(line)) break;
    line = line_above(line, members);
  }
  *sum = count.value;
  return true;
}

static bool is_full(const struct op2i_tally_node *nodes, struct line line, int members,
                    uint32_t turn, int32_t blocks) {
  const int32_t all = blocks_below(line, members, blocks);
  return all == 0 ||
         __atomic_load_n(&nodes[line.index].word, __ATOMIC_RELAXED) == word_of(turn, all);
}

bool op2i_tally_is_full(const struct op2i_tally_node *nodes, int members, uint32_t turn,
                        int32_t blocks) {
  const struct line root = {.index = op2i_tree_nodes(members) - 1, .count = 1};
  return is_full(nodes, root, members, turn, blocks);
}

int op2i_tally_passed(const struct op2i_tally_node *nodes, int members, uint32_t turn,
                      int32_t blocks, int member) {
  struct line line = lowest(members, member);
  int end = member;
  while (is_full(nodes, line, members, turn, blocks)) {
    end = line.hi;
    if (is_root(line)) break;
    line = line_above(line, members);
  }
  return end - member;
}

/* ---- a barrier ------------------------------------------------------------------------------- */

enum { ARRIVAL_BITS = 8 };
static const uint64_t arrival_mask = ((uint64_t)1 << ARRIVAL_BITS) - 1;

void op2i_barrier_open(struct op2i_barrier_node *nodes, int members) {
  for (int n = 0; n < op2i_tree_nodes(members); n++) {
    nodes[n].arrived = 0;
    nodes[n].released = 0;
    nodes[n].asleep = 0;
  }
}

/* The number of members, or of lower lines, that arrive at a line. */
static int arrivals(struct line line, int below) {
  const int left = below - line.place * ARITY;
  return left < ARITY ? left : ARITY;
}

/* Arrive at a line with a value. True for the last one, whose value becomes that of all. */
static bool arrive(struct op2i_barrier_node *node, int all, int64_t *value) {
  const uint64_t mine = (uint64_t)*value << ARRIVAL_BITS | 1;
  const uint64_t word = __atomic_fetch_add(&node->arrived, mine, __ATOMIC_ACQ_REL) + mine;
  if ((int)(word & arrival_mask) < all) return false;
  *value = (int64_t)(word >> ARRIVAL_BITS);
  __atomic_store_n(&node->arrived, 0, __ATOMIC_RELAXED); /* the next arrival is after the release */
  return true;
}

static bool is_released(const struct op2i_barrier_node *node, uint32_t number) {
  return __atomic_load_n(&node->released, __ATOMIC_SEQ_CST) == number;
}

static bool spin(const struct op2i_barrier_node *node, uint32_t number, int64_t ns) {
  enum { LOOKS = 4 };
  const int64_t until = ns > 0 ? op2i_nanoseconds() + ns : 0;
  do {
    for (int i = 0; i < LOOKS; i++) {
      if (is_released(node, number)) return true;
      op2i_relax();
    }
  } while (ns > 0 && op2i_nanoseconds() < until);
  return false;
}

/* Until the line is released, its number is that of the barrier before. */
static void await_release(struct op2i_barrier_node *node, uint32_t number, int64_t spin_ns) {
  if (spin(node, number, spin_ns)) return;
  __atomic_fetch_add(&node->asleep, 1, __ATOMIC_SEQ_CST);
  while (!is_released(node, number))
    (void)syscall(SYS_futex, &node->released, FUTEX_WAIT_PRIVATE, number - 1, NULL, NULL, 0);
  __atomic_fetch_sub(&node->asleep, 1, __ATOMIC_RELAXED);
}

static void release(struct op2i_barrier_node *node, uint32_t number) {
  __atomic_store_n(&node->released, number, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&node->asleep, __ATOMIC_SEQ_CST) > 0)
    (void)syscall(SYS_futex, &node->released, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* The last member to arrive at a line goes on to the line above. When that is released, this member
 * releases the line that it came from. */
void op2i_barrier_wait(struct op2i_barrier_node *nodes, int members, int member, uint32_t number,
                       int64_t spin_ns, int64_t value, int64_t *total) {
  struct op2i_barrier_node *completed[sizeof members * CHAR_BIT];
  int n = 0, below = members;
  for (struct line line = lowest(members, member);; line = line_above(line, members)) {
    struct op2i_barrier_node *node = &nodes[line.index];
    if (!arrive(node, arrivals(line, below), &value)) {
      await_release(node, number, spin_ns);
      break;
    }
    completed[n++] = node;
    if (is_root(line)) {
      *total += value;
      break;
    }
    below = line.count;
  }
  while (n > 0) release(completed[--n], number);
}
