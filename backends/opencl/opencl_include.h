/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OPENCL_INCLUDE_H
#define OP2I_OPENCL_INCLUDE_H

/* Folders of headers as options of OpenCL's compilers, which take words with blanks between them
 * and know no way to write a blank. Folders with one are given by links to them, in a private
 * folder. */

#include "op2/status.h"
#include "text.h"

struct op2i_opencl_links {
  char folder[256]; /* empty: there are none */
  int n;
};

/* Append " -I..." for each of a null-terminated list, which may be null. */
op2_status op2i_opencl_include(struct op2i_opencl_links *links, const char *const *includes,
                               struct op2i_text *options);
void op2i_opencl_links_remove(struct op2i_opencl_links *links);

#endif
