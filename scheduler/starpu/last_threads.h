/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LAST_THREADS_H
#define OP2I_LAST_THREADS_H

/* A process whose main thread has left by pthread_exit() ends with its last thread. Workers never
 * end by themselves, so they check now and then whether any other thread is left. */

enum { OP2I_LAST_THREADS = 4096 };

/* Called by worker number `worker` while it has no work. When only threads that call this are left,
 * it calls `end` once, in a new thread, which is the last one when the workers have ended. */
void op2i_last_threads_look(int worker, void (*end)(void));

/* Called before the first of new workers. */
void op2i_last_threads_forget(void);

#endif
