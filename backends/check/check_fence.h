/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_FENCE_H
#define OP2I_CHECK_FENCE_H

/* Memory that nobody may touch, and catching those who do: for the checked mode. */

#include <stdbool.h>
#include <stddef.h>

#include "backend.h"

struct op2i_check;

/* Memory of frames that kernels see at other addresses than the library does: every row by itself,
 * read-only where it is only read, and with memory that cannot be touched far before and behind. */
struct op2i_fence {
  bool up;
  int file;
  size_t page;
  size_t gap; /* bytes between two rows' pages */
  unsigned char *memory, *views;
  size_t memory_bytes, view_bytes; /* of all frames; of one */
};

/* Make frame and view of a check whose rows have their places. False, with nothing left behind,
 * where the system does not allow it. */
bool op2i_fence_open(struct op2i_check *check);
void op2i_fence_close(struct op2i_check *check);
size_t op2i_fence_page(void);
/* The row whose pages or whose half of a gap an address in a frame's view belongs to, or -1; and
 * how far it is from the row's first byte. */
int op2i_fence_row(const struct op2i_check *check, int frame, const void *address,
                   ptrdiff_t *offset);
/* Let an address that must not be touched be read, to see whether a kernel wants more. */
void op2i_fence_lower(const struct op2i_check *check, const void *address);

/* ---- kernels that touch what is not there ---------------------------------------------------- */

struct op2i_fault {
  int signal; /* 0: none */
  void *address;
};

/* While somebody catches faults the process' handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP
 * are the library's; what does not come from a kernel of op2i_fault_call() goes on to those that
 * were set before. */
void op2i_fault_catch(void);
void op2i_fault_release(void);
/* Call generated code; tells whether it came to its end. */
bool op2i_fault_call(op2i_checked_fn entry, void *const *args, struct op2i_fault *fault);

#endif
