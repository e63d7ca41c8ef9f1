/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRAM_H
#define OP2I_PROGRAM_H

#include "passes.h"
#include "step.h"

/* Programs: they are made by the passes and run. */

/* Find or make the program of the sequence, with code compiled and plans made; one of
 * which only the key is kept, or in which loops were kept apart, is made again. Fails if one of the loops, or of those fused from
 * them, has no code (op2i_no_code()), or for lack of memory. On success the caller has a
 * reference to the program until op2i_program_put(): an operation of the program may remove
 * it from all lists meanwhile. */
op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program);
/* Run it with the values of these nodes. *done is the number of groups that have run; on failure,
 * unless it is fatal, the next one has failed, and those after it have not run. Among ranks groups
 * that fail are noted (op2i_outcome_note()), and the others run. */
op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes, int64_t *done);
/* execute.c: run the marked nodes. Fails only fatally or for lack of memory; failures of
 * loops are recorded. */
op2_status op2i_execute_marked(struct op2i_sched *sched);

/* Make the key by which the program is found. */
op2_status op2i_program_key(struct op2i_program *program, struct op2i_node *const *nodes,
                            int64_t n);
/* The result of a verifier for what `pass` has made. A broken invariant is a fatal error, since no
 * other way of running could be trusted. */
op2_status op2i_verified(op2_status status, const char *pass);
#endif
