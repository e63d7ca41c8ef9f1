/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMBINATION_H
#define OP2I_COMBINATION_H

#include "sched_state.h"

/* A combination is a list of loops that fusion would make one, in their order, together with which
 * of their globals are the same version and which stores are dropped. To compile the fused loop
 * takes as long as thousands of small loops take to run, so loops are fused only if they are likely
 * to come together again. That is decided by which combinations have come and how often, never by a
 * timing or by what a cache holds: the same calls fuse the same loops, whatever was compiled
 * before.
 *
 * A combination is due
 *   - if the sequence of operations that it is in has come before, or
 *   - if it has come twice, even in one sequence. The more of the others have come only once, the
 *     less likely it is to come again, and the more often it must have come. */

struct op2i_combination {
  struct op2i_combination *next_in_bucket, *older, *newer;
  uint64_t hash;
  int64_t times;          /* number of times that it came before it was fused */
  int64_t last;           /* number of the pass that met it last */
  struct op2i_loop *loop; /* the loop it was fused into; null: it has been kept apart so far */
  int nwords;
  int64_t words[]; /* for each member its operation's id, and for each of its globals the
                      number of the version; then for each dat of the fused loop whether its
                      store is dropped */
};

struct op2i_combination_list {
  struct op2i_combination *oldest, *newest; /* in the order in which they were last met */
  int64_t n;
};

enum { OP2I_SEQUENCES = 256 };

struct op2i_combinations {
  int64_t nbuckets; /* a power of two, or 0 */
  struct op2i_combination **buckets;
  struct op2i_combination_list apart, fused;
  int64_t nsingle; /* number of those kept apart that have come only once */
  int64_t passes;
  /* Digests of the operations' ids for the last sequences that had combinations kept apart. */
  uint64_t sequences[OP2I_SEQUENCES];
  int64_t nsequences; /* number of such sequences so far */
};

/* Begin a pass. */
void op2i_combinations_begin(struct op2i_combinations *table);
/* Find or add a combination that the pass has met, and count it. */
op2_status op2i_combination_meet(struct op2i_combinations *table, const int64_t *words, int nwords,
                                 struct op2i_combination **out);
/* The number of times that a combination must have come to be due in a new sequence. */
int64_t op2i_combinations_wanted(const struct op2i_combinations *table);
/* Note the loop that a combination was fused into. */
void op2i_combination_fused(struct op2i_combinations *table, struct op2i_combination *c,
                            struct op2i_loop *loop);
/* Forget the combination of a fused loop that is about to be freed. */
void op2i_combinations_forget(struct op2i_combinations *table, const struct op2i_loop *loop);
/* Keep the table within bounds: the oldest combinations are dropped that no program has used
 * lately, fused loops together with the programs that use them; but none that this pass has met. */
void op2i_combinations_trim(struct op2i_sched *sched);
/* Reset the table, as if no combination had ever come. */
void op2i_combinations_reset(struct op2i_combinations *table);
void op2i_combinations_free(struct op2i_combinations *table);

uint64_t op2i_sequence_digest(struct op2i_node *const *nodes, int64_t n);
/* True if the sequence is one of the last in which a combination was kept apart. */
bool op2i_sequence_known(const struct op2i_combinations *table, uint64_t digest);
/* Note that a combination was kept apart in the sequence. */
void op2i_sequence_add(struct op2i_combinations *table, uint64_t digest);

#endif
