/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_FENCE_H
#define OP2I_CHECK_FENCE_H

/* Memory that may not be accessed, and handlers for faults of kernels, for the checked mode. */

#include <stdbool.h>
#include <stddef.h>

#include "backend.h"

struct op2i_check;

/* Memory of frames that kernels see at other addresses than the library does. Each row is mapped by
 * itself, read-only if the kernel may only read it, with large inaccessible gaps before and after
 * it. */
struct op2i_fence {
  bool up;
  int file;
  size_t page;
  size_t gap; /* bytes between two rows' pages */
  unsigned char *memory, *views;
  size_t memory_bytes, view_bytes; /* bytes of all frames; bytes of one frame's view */
};

/* Make frames and views of a check whose rows have been laid out. Returns false, and leaves nothing
 * behind, if the system does not allow it. */
bool op2i_fence_open(struct op2i_check *check);
void op2i_fence_close(struct op2i_check *check);
size_t op2i_fence_page(void);
/* Return the row to whose pages or half of a gap an address in a frame's view belongs, or -1, and
 * the distance of the address from the row's first byte. */
int op2i_fence_row(const struct op2i_check *check, int frame, const void *address,
                   ptrdiff_t *offset);
/* Make an inaccessible address readable, to find out whether the kernel also writes there. */
void op2i_fence_lower(const struct op2i_check *check, const void *address);

/* ---- kernels that access memory outside their arguments -------------------------------------- */

struct op2i_fault {
  int signal; /* 0: none */
  void *address;
};

/* The process' handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP are the library's from the
 * first op2i_fault_catch() to the last op2i_fault_release(). A signal that does not come from a
 * kernel of op2i_fault_call() is passed on to the handlers that were set before. */
void op2i_fault_catch(void);
void op2i_fault_release(void);
/* Call generated code; returns true if it ran to its end. */
bool op2i_fault_call(op2i_checked_fn entry, void *const *args, struct op2i_fault *fault);

#endif
