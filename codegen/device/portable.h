/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PORTABLE_H
#define OP2I_PORTABLE_H

#include "rewrite.h"

/* Kernels in C that C++ and OpenCL C take: forms that one of these languages lacks are written in
 * words of both. The source's macros are expanded, and no token moves to another line. */

/* Write the source of a rewrite anew, for CUDA C++ if `cxx` is true, else for OpenCL C; if `wraps` is
 * true, operations of signed integers that may overflow are computed without a sign. Nothing is
 * appended if there is nothing to be replaced, or if it cannot be. Fails only with OP2_ERR_NOMEM. */
op2_status op2i_portable(const struct op2i_rewrite *rewrite, bool cxx, bool wraps,
                         struct op2i_text *source);

#endif
