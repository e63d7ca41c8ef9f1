/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HEADER_TEXT_H
#define OP2I_HEADER_TEXT_H

#include "op2/loop.h"
#include "text.h"

/* A kernel's source with the contents of its own headers in it: those that its description names,
 * and those that it and they include in quotes and that are found. Others stay as they are. */
struct op2i_whole {
  struct op2i_text text; /* empty if there are no such headers, or too much text */
  int *lines;            /* [nlines] for each line of the text that of the source, which is the one
                            that includes it for a header's; -1 for headers that the description names */
  int64_t nlines;
};

/* Fails with OP2_ERR_NOMEM only. */
op2_status op2i_headers_expand(const op2_kernel_desc *desc, const char *source,
                               struct op2i_whole *out);
void op2i_whole_free(struct op2i_whole *whole);

#endif
