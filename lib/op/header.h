/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HEADER_H
#define OP2I_HEADER_H

#include <limits.h>
#include <stdbool.h>

#include "op2/loop.h"
#include "text.h"

/* The #include lines of a kernel's headers. For each header that is a file, and each file that it
 * includes and that is found beside it or in the kernel's folders, a comment with a digest of the
 * contents follows, so that the text changes with an edited header and is compiled anew. (Headers
 * that only the compiler finds are checked where compiled loops are kept, see
 * backends/jit/depend.h.) Errors: OP2_ERR_IO naming kernel and header; OP2_ERR_NOMEM. */
op2_status op2i_headers_collect(const op2_kernel_desc *desc, struct op2i_text *out);
/* Find a header as a compiler would: beside the file that includes it, if that is given, then in the
 * kernel's folders. The path that is found is absolute. */
bool op2i_header_find(const op2_kernel_desc *desc, const char *name, const char *beside,
                      char path[PATH_MAX]);

#endif
