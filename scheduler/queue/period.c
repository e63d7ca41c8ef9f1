/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeats in a long queue: a time loop that never flushes queues the same loops again and again. */
#include "period.h"

#include "mem.h"

/* Whether two places of the sequence have the same loop. Versions of globals are left to the
 * program's key: where they differ, another program is made. */
static bool alike(struct op2i_node *const *nodes, int64_t a, int64_t b) {
  return nodes[a]->op == nodes[b]->op;
}

/* How far the sequence repeats itself with this period from the start. */
static int64_t repeats_until(struct op2i_node *const *nodes, int64_t n, int64_t period) {
  int64_t i = period;
  while (i < n && alike(nodes, i, i - period)) i++;
  return i;
}

/* The shortest period that the sequence keeps for `least` loops at least, from `start` on; 0 for
 * none. */
static int64_t find_period(struct op2i_node *const *nodes, int64_t n, int64_t least) {
  enum { LONGEST = 128 };
  for (int64_t period = 1; period <= LONGEST && 3 * period <= n; period++)
    if (alike(nodes, 0, period) && repeats_until(nodes, n, period) >= least) return period;
  return 0;
}

/* Long enough that what is lost between two programs - one wait for all workers, and the fusion of
 * the last loops of one with the first of the next - does not count. */
enum { SEGMENT = 160 };

static int64_t of_periods(int64_t n, int64_t period) {
  int64_t whole = n / period, per_segment = SEGMENT / period;
  if (per_segment < 2) per_segment = 2;
  if (whole <= per_segment) return n;
  /* Equal parts where that is possible: fewer different programs. */
  for (int64_t k = per_segment; 2 * k > per_segment; k--)
    if (whole % k == 0) return k * period;
  return per_segment * period;
}

int64_t op2i_sched_complete(struct op2i_sched *sched) {
  int64_t n = sched->nnodes, done = 0;
  for (int64_t i = 0; i < n; i++) {
    /* without memory all of it; among ranks there is memory for it: graph.c */
    if (op2i_grow(&sched->marked, sizeof(struct op2i_node *), i, &sched->marked_capacity)) return n;
    sched->marked[i] = &sched->nodes[i];
  }
  for (int64_t length = 0; done < n;) {
    length = op2i_segment_length(sched->marked + done, n - done, length);
    if (done && done + length == n) break;
    done += length;
  }
  return done;
}

/* Whether the sequence goes on as it has been for so many loops. */
static bool goes_on(struct op2i_node *const *nodes, int64_t n, int64_t length) {
  if (length < 1 || length > n) return false;
  int64_t i = 0;
  while (i < length && nodes[i]->op == nodes[i - length]->op) i++;
  return i == length;
}

int64_t op2i_segment_length(struct op2i_node *const *nodes, int64_t n, int64_t before) {
  if (goes_on(nodes, n, before)) return before;
  if (n <= SEGMENT) return n;
  int64_t period = find_period(nodes, n, SEGMENT);
  if (period) return of_periods(repeats_until(nodes, n, period), period);
  /* Something comes before the repeats: it is a program of its own. */
  for (int64_t start = 1; start < n - SEGMENT; start++)
    if (find_period(nodes + start, n - start, SEGMENT)) return start;
  return n;
}
