/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TOOL_TABLE_H
#define OP2I_TOOL_TABLE_H

/* A profiling tool is called by a table of its functions, which comes from a library of
 * OP2_TOOLS_LIBS, or from markers of OP2_MARKERS. tools.c calls all functions under its lock, and
 * those of one context in one thread. */

#include "tools.h"

/* The functions that a tool has; each may be null. */
struct op2i_tool {
  char path[1024]; /* of its library, or the name of its markers */
  void (*begin[OP2I_TOOLS_KINDS])(const char *name, uint32_t device, uint64_t *id);
  void (*end[OP2I_TOOLS_KINDS])(uint64_t id);
  void (*push)(const char *name);
  void (*pop)(void);
  void (*finalize)(void);
};

/* Load the library of markers and fill in the table. Returns null, or why there are no markers. A
 * library that has been loaded stays so. */
const char *op2i_marker_nvtx(struct op2i_tool *tool);
const char *op2i_marker_itt(struct op2i_tool *tool);
const char *op2i_marker_likwid(struct op2i_tool *tool);

#endif
