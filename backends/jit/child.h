/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHILD_H
#define OP2I_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether a child is to have a process group of its own. It is when the program sees to SIGINT
 * itself, by a handler or sigwait(): Ctrl-C at the terminal does not end the program then, and must
 * not end its child. Else it ends both, and leaves nothing behind. (To block the signal would not
 * do: shells unblock it.) */
bool op2i_child_apart(void);

/* Nanoseconds of a clock that does not count while this process is stopped, by Ctrl-Z or a
 * debugger: its children are then, too, or their time would run out unseen. */
int64_t op2i_child_clock(void);

enum op2i_child_end {
  OP2I_CHILD_ENDED,  /* *how is what waitpid() tells */
  OP2I_CHILD_HIDDEN, /* the program ignores SIGCHLD or has reaped it itself */
  OP2I_CHILD_LATE    /* it was killed, with all that it had started and that had not left it */
};
/* Wait for a child, until op2i_child_clock() is at `deadline` (INT64_MAX: without end). */
enum op2i_child_end op2i_child_wait(pid_t pid, int64_t deadline, int *how);

#endif
