/* SPDX-License-Identifier: BSD-3-Clause */
/* Repetitions in a long queue: a time loop that never flushes queues the same loops again
 * and again. */
#include "period.h"

#include "mem.h"

/* LONGEST is the longest period that is looked for. SEGMENT is the least length of a program, in
 * loops, chosen so that what is lost between two programs is negligible: one wait for all workers,
 * and the fusion of the last loops of one with the first of the next. */
enum { LONGEST = 128, SEGMENT = 160 };

/* True if the same operation stands at both places of the sequence. Versions of globals are left to
 * the program's key: where they differ, another program is made. */
static bool alike(struct op2i_node *const *nodes, int64_t a, int64_t b) {
  return nodes[a]->op == nodes[b]->op;
}

/* The length up to which the sequence repeats itself with this period from the start. */
static int64_t repeats_until(struct op2i_node *const *nodes, int64_t n, int64_t period) {
  int64_t i = period;
  while (i < n && alike(nodes, i, i - period)) i++;
  return i;
}

/* The shortest period with which the sequence repeats itself for at least `least` loops from the
 * start; 0: there is none. */
static int64_t find_period(struct op2i_node *const *nodes, int64_t n, int64_t least) {
  for (int64_t period = 1; period <= LONGEST && 3 * period <= n; period++)
    if (alike(nodes, 0, period) && repeats_until(nodes, n, period) >= least) return period;
  return 0;
}

static int64_t of_periods(int64_t n, int64_t period) {
  int64_t whole = n / period, per_segment = SEGMENT / period;
  if (per_segment < 2) per_segment = 2;
  if (whole <= per_segment) return n;
  /* Equal parts are preferred, since they need fewer different programs. */
  for (int64_t k = per_segment; 2 * k > per_segment; k--)
    if (whole % k == 0) return k * period;
  return per_segment * period;
}

int64_t op2i_sched_complete(struct op2i_sched *sched) {
  int64_t n = sched->queue.nnodes, done = 0;
  for (int64_t i = 0; i < n; i++) {
    /* without memory the whole queue is one program; among ranks graph.c has reserved it */
    if (op2i_grow(&sched->queue.marked, sizeof(struct op2i_node *), i,
                  &sched->queue.marked_capacity))
      return n;
    sched->queue.marked[i] = &sched->queue.nodes[i];
  }
  for (int64_t length = 0; done < n;) {
    length = op2i_segment_length(sched->queue.marked + done, n - done, length);
    if (done && done + length == n) break;
    done += length;
  }
  return done;
}

/* True if the next `length` loops are the same as the `length` loops before them. */
static bool goes_on(struct op2i_node *const *nodes, int64_t n, int64_t length) {
  if (length < 1 || length > n) return false;
  int64_t i = 0;
  while (i < length && nodes[i]->op == nodes[i - length]->op) i++;
  return i == length;
}

/* List for each node the next one of the same operation; n: there is none. Null without memory. */
static int32_t *list_next(struct op2i_node *const *nodes, int64_t n) {
  int32_t *next = n < INT32_MAX ? op2i_malloc((size_t)n * sizeof *next) : NULL;
  for (int64_t i = n - 1; next && i >= 0; i--) {
    int64_t *met = &nodes[i]->op->met; /* left by an earlier list, or a later node of this one */
    const bool valid = *met > i && *met < n && nodes[*met]->op == nodes[i]->op;
    next[i] = (int32_t)(valid ? *met : n);
    *met = i;
  }
  return next;
}

/* True if the sequence repeats itself from `start` on with one of the periods at which its first
 * operation comes again. */
static bool repeats_from(struct op2i_node *const *nodes, int64_t n, int64_t start,
                         const int32_t *next) {
  for (int64_t i = next[start]; i - start <= LONGEST && 3 * (i - start) <= n - start; i = next[i])
    if (repeats_until(nodes + start, n - start, i - start) >= SEGMENT) return true;
  return false;
}

/* The number of operations before the first repetition; n: there is none. It is apart, so that short
 * queues take few instructions. */
static __attribute__((noinline)) int64_t find_repetition(struct op2i_node *const *nodes,
                                                         int64_t n) {
  int32_t *next = list_next(nodes, n);
  int64_t start = 1;
  while (start < n - SEGMENT && !(next ? repeats_from(nodes, n, start, next)
                                       : find_period(nodes + start, n - start, SEGMENT) > 0))
    start++;
  op2i_free(next);
  return start < n - SEGMENT ? start : n;
}

int64_t op2i_segment_length(struct op2i_node *const *nodes, int64_t n, int64_t before) {
  if (goes_on(nodes, n, before)) return before;
  if (n <= SEGMENT) return n;
  int64_t period = find_period(nodes, n, SEGMENT);
  if (period) return of_periods(repeats_until(nodes, n, period), period);
  /* The operations before the repetitions become a program of their own. */
  return find_repetition(nodes, n);
}
