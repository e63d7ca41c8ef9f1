/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHILD_H
#define OP2I_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* True if a child must have a process group of its own. This is so if the program handles SIGINT
 * itself, by a handler or sigwait(): Ctrl-C at the terminal does not end the program then, and must
 * not end its child. Otherwise Ctrl-C ends both, and no process is left. (Blocking the signal would
 * not do: shells unblock it.) */
bool op2i_child_apart(void);

/* Nanoseconds of a clock that stands still while this process is stopped, by Ctrl-Z or a debugger.
 * Its children are stopped then, too, and their time must not run out meanwhile. */
int64_t op2i_child_clock(void);

enum op2i_child_end {
  OP2I_CHILD_ENDED,  /* *how is the status from waitpid() */
  OP2I_CHILD_HIDDEN, /* the program ignores SIGCHLD or has reaped it itself */
  OP2I_CHILD_LATE    /* it was killed, with all descendants that it still had */
};
/* Wait for a child until op2i_child_clock() reaches `deadline` (INT64_MAX: without limit). */
enum op2i_child_end op2i_child_wait(pid_t pid, int64_t deadline, int *how);

#endif
