/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TOOLS_H
#define OP2I_TOOLS_H

/* Profiling tools that are called for each loop: libraries with the functions of Kokkos Tools, which
 * OP2_TOOLS_LIBS names, and the markers that OP2_MARKERS names. They are loaded once in a process,
 * for all contexts, and called by one thread at a time. `ctx->tools` is null without them. */

#include <stdint.h>

#include "context.h"

enum op2i_tools_kind { OP2I_TOOLS_FOR, OP2I_TOOLS_REDUCE, OP2I_TOOLS_FENCE, OP2I_TOOLS_KINDS };

/* Tools of a process, and what each of them calls something that has begun. */
enum { OP2I_TOOLS_MOST = 8 };
struct op2i_tools_ids {
  uint64_t id[OP2I_TOOLS_MOST];
};

/* Load the libraries that are not loaded; what cannot be loaded is warned of. Counts a user of all
 * of them. */
void op2i_tools_open(op2_context ctx);
/* The last user ends them. */
void op2i_tools_close(op2_context ctx);

/* A loop or a wait begins and ends. The context has tools. */
void op2i_tools_begin(enum op2i_tools_kind kind, const char *name, struct op2i_tools_ids *ids);
void op2i_tools_end(enum op2i_tools_kind kind, const struct op2i_tools_ids *ids);
/* A region of the program begins, and the one that began last ends. */
void op2i_tools_push(const char *name);
void op2i_tools_pop(void);

#endif
