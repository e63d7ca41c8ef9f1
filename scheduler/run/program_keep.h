/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRAM_KEEP_H
#define OP2I_PROGRAM_KEEP_H

#include "passes.h"

/* The programs that a queue keeps. A sequence that has come once is likely not to come again, so its
 * program is reduced to its key and grouping as soon as another one is made; the newest stays whole
 * meanwhile. From its second appearance on it is kept whole. All programs of a context, nested
 * queues included, take OP2_PROGRAM_BYTES at most: beyond that, those used least recently are
 * reduced to their keys first, and then dropped. Programs of one operation are small, and whole from
 * the start; they are dropped last, all together. Ranks keep the same programs, so among ranks a
 * program is counted by what is the same on all of them: tasks and messages are left out. */

/* Put a program into the lists of the queue. The caller has a reference to it. */
void op2i_program_keep(struct op2i_sched *sched, struct op2i_program *program);
/* Take a program of several operations out of the list, if it is there, and drop it. */
void op2i_program_replace(struct op2i_sched *sched, struct op2i_program *program);
/* The sequence of a program in the list has come again, and the program is whole. */
void op2i_program_again(struct op2i_sched *sched, struct op2i_program *program);
/* The list of the cache in which programs of this single operation are looked for. Operations whose
 * ids have the same last bits share a list. */
struct op2i_program **op2i_alone_list(struct op2i_sched *sched, const struct op2i_op *op);
/* Release a reference. Programs that have run may have grown, so the bound is kept here, too. */
void op2i_program_put(struct op2i_sched *sched, struct op2i_program *program);
/* The program is no longer in any list. It is freed once nobody has a reference to it.
 * Takes null. */
void op2i_program_drop(struct op2i_program *program);
/* An operation is about to be freed, or all are: drop the programs that contain it. */
void op2i_sched_forget(struct op2i_sched *sched, struct op2i_op *op);
void op2i_sched_forget_all(struct op2i_sched *sched);
/* Let all steps of the loop run this function, and prefetch so many bytes ahead. No step may be
 * running. */
void op2i_programs_switch(struct op2i_sched *sched, const struct op2i_loop *loop, void *function,
                          int64_t distance);
/* Let the exchanges of all programs refer to another dat. */
void op2i_programs_pass_on(struct op2i_sched *sched, const void *dat, op2_dat successor);
/* Bytes of the programs of this queue and of those nested in it or around it. */
size_t op2i_programs_bytes(const struct op2i_sched *sched);
/* Check the counts of the queue's programs, and that the bound holds but for programs that run.
 * OP2_ERR_STATE if they are wrong. */
op2_status op2i_programs_verify(const struct op2i_sched *sched);

#endif
