/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PORTABLE_H
#define OP2I_PORTABLE_H

#include "rewrite.h"

/* Kernels in C that C++ and OpenCL C take: forms that one of these languages lacks are written in
 * words of both. The source's macros are expanded, and no token moves to another line. */

/* Write the source of a rewrite anew, for CUDA C++ if `cxx` is true, else for OpenCL C. Nothing is
 * appended if the source has no such form, or one that cannot be replaced. Fails only with
 * OP2_ERR_NOMEM. */
op2_status op2i_portable(const struct op2i_rewrite *rewrite, bool cxx, struct op2i_text *source);

#endif
