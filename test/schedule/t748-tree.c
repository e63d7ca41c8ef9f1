/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of a team with many members (lib/system/tree.h): tallies are full with the last block and
 * not before, whoever counts it; nobody leaves a barrier before all have come, whether members spin
 * or sleep; and a turn's end makes no more than a few members wait for one another. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tree.h"

enum { MOST = 512, NODES = 64 + 8 + 1 };

static uint64_t seed = 1;
static uint32_t draw(uint32_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % below;
}

/* ---- one thread ------------------------------------------------------------------------------ */

static void test_shape(void) {
  is_int(op2i_tree_nodes(1), 1, "one member has one line");
  is_int(op2i_tree_nodes(8), 1, "so have eight");
  is_int(op2i_tree_nodes(9), 2 + 1, "nine have a line above two");
  is_int(op2i_tree_nodes(64), 8 + 1, "64 have a line above eight");
  is_int(op2i_tree_nodes(512), NODES, "512 have three levels");
  is_int(op2i_tree_path(2), 2, "two members wait for each other");
  is_int(op2i_tree_path(64), 16, "of 64 members, eight at a time");
  is_int(op2i_tree_path(128), 18, "and of 128");
}

static int32_t share_of(int32_t blocks, int members, int m) {
  return op2i_share_begin(blocks, members, m + 1) - op2i_share_begin(blocks, members, m);
}

/* The members whose shares are passed over have no blocks left, and those of full squads of eight
 * are passed over. */
static bool passed_right(const struct op2i_tally_node *nodes, int members, uint32_t turn,
                         int32_t blocks, const int32_t *left) {
  for (int m = 0; m < members; m++) {
    const int passed = op2i_tally_passed(nodes, members, turn, blocks, m);
    int squad_left = 0;
    for (int i = m / 8 * 8; i < m / 8 * 8 + 8 && i < members; i++) squad_left += left[i];
    if (passed < 0 || m + passed > members || (passed == 0) != (squad_left > 0)) return false;
    for (int i = m; i < m + passed; i++)
      if (left[i]) return false;
  }
  return true;
}

/* Count the blocks of a turn in a random order, some at a time, each with the value 3. */
static bool count_turn(struct op2i_tally_node *nodes, int members, uint32_t turn, int32_t blocks) {
  int32_t left[MOST], all = blocks;
  int64_t sum = -1;
  for (int m = 0; m < members; m++) left[m] = share_of(blocks, members, m);
  while (all > 0) {
    const int m = (int)draw((uint32_t)members);
    if (!left[m]) continue;
    if (op2i_tally_is_full(nodes, members, turn, blocks)) return false;
    const int32_t n = 1 + (int32_t)draw((uint32_t)left[m]);
    const struct op2i_count count = {m, n, INT64_C(3) * n};
    left[m] -= n;
    all -= n;
    if (op2i_tally_add(nodes, members, turn, blocks, count, &sum) != (all == 0)) return false;
    if (!passed_right(nodes, members, turn, blocks, left)) return false;
  }
  return sum == INT64_C(3) * blocks && op2i_tally_is_full(nodes, members, turn, blocks);
}

static void test_tallies(void) {
  static struct op2i_tally_node nodes[NODES];
  static const int members[] = {1, 2, 7, 8, 9, 16, 17, 64, 65, 200, 512};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const int m = members[i];
    const int32_t blocks[] = {1, 5, m, m + 1, 300, 2, 1};
    bool good = true;
    memset(nodes, 0, sizeof nodes);
    for (uint32_t t = 0; t < sizeof blocks / sizeof *blocks; t++)
      good = good && count_turn(nodes, m, t + 1, blocks[t]);
    ok(good, "%d members: full with the last block of each turn", m);
  }
}

/* ---- many threads ---------------------------------------------------------------------------- */

struct crowd {
  int members, rounds;
  int64_t spin_ns, total;
  struct op2i_barrier_node barrier[NODES];
  struct op2i_tally_node tally[NODES];
  int64_t came[MOST]; /* without atomics, so that the sanitizer sees races */
  int64_t sums[MOST];
  _Atomic int last, wrong;
};

struct one {
  struct crowd *crowd;
  int me;
};

/* Two barriers a round: what members write before one of them, all read behind it. */
static void *take_rounds(void *argument) {
  const struct one *one = argument;
  struct crowd *c = one->crowd;
  const int32_t blocks = 3 * c->members + 1;
  uint32_t number = 0;
  for (int r = 1; r <= c->rounds; r++) {
    const struct op2i_count count = {one->me, share_of(blocks, c->members, one->me), one->me};
    c->came[one->me] = r;
    if (op2i_tally_add(c->tally, c->members, (uint32_t)r, blocks, count, &c->sums[one->me])) {
      atomic_fetch_add(&c->last, 1);
      for (int m = 0; m < c->members; m++) c->wrong += c->came[m] != r;
      c->wrong += c->sums[one->me] != (int64_t)c->members * (c->members - 1) / 2;
    }
    op2i_barrier_wait(c->barrier, c->members, one->me, ++number, c->spin_ns, r, &c->total);
    for (int m = 0; m < c->members; m++) c->wrong += c->came[m] != r;
    c->wrong += c->total != (int64_t)c->members * r * (r + 1) / 2;
    op2i_barrier_wait(c->barrier, c->members, one->me, ++number, c->spin_ns, 0, &c->total);
  }
  return NULL;
}

static void crowd(int members, int rounds, int64_t spin_ns) {
  static struct crowd c;
  static struct one ones[MOST];
  static pthread_t threads[MOST];
  int begun = 0;
  memset(&c, 0, sizeof c);
  c.members = members;
  c.rounds = rounds;
  c.spin_ns = spin_ns;
  op2i_barrier_open(c.barrier, members);
  for (int m = 0; m < members; m++) {
    ones[m] = (struct one){&c, m};
    begun += pthread_create(&threads[m], NULL, take_rounds, &ones[m]) == 0;
    if (begun <= m) exit(EXIT_FAILURE);
  }
  for (int m = 0; m < members; m++) pthread_join(threads[m], NULL);
  ok(c.wrong == 0, "%d members, spinning %d us: nobody is early", members, (int)(spin_ns / 1000));
  is_int(c.last, rounds, "one of them completes each tally");
}

int main(void) {
  const int rounds = quick() ? 50 : 400;
  test_shape();
  test_tallies();
  crowd(1, rounds, 0);
  crowd(2, rounds, 0);
  crowd(2, rounds, 100000);
  crowd(8, rounds, 0);
  crowd(9, rounds, 0);
  crowd(9, rounds, 20000);
  crowd(70, rounds, 0);
  crowd(130, rounds / 5, 0);
  return done();
}
