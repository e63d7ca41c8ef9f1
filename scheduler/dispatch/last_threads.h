/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LAST_THREADS_H
#define OP2I_LAST_THREADS_H

/* A process whose main thread has gone by pthread_exit() ends with its last thread. Workers never
 * end by themselves, so they look now and then whether anybody else is left. */

enum { OP2I_LAST_THREADS = 4096 };

/* By worker number `worker` while it has no work. When no thread but those that come by here is
 * left, calls `end` once, in a thread of its own, which is the last when the workers have ended. */
void op2i_last_threads_look(int worker, void (*end)(void));

/* Before the first of new workers comes by. */
void op2i_last_threads_forget(void);

#endif
