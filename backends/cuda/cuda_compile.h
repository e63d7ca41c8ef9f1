/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CUDA_COMPILE_H
#define OP2I_CUDA_COMPILE_H

/* Compilation of a text by NVRTC, or by a library with the same functions under other names. Such
 * compilers have no headers of C: they are given replacements for those that need no operating
 * system. */

#include "cuda_api.h"

enum { OP2I_CUDA_HEADERS = 20 };
struct op2i_cuda_header {
  const char *name, *text;
};
extern const struct op2i_cuda_header op2i_cuda_headers[OP2I_CUDA_HEADERS];

/* A digest of the texts, for the identity of what builds binaries. */
unsigned op2i_cuda_headers_digest(void);

struct op2i_cuda_compiler {
  const char *name; /* "NVRTC": for messages */
  const struct op2i_nvrtc_api *api;
  const char *architecture;
  bool ptx; /* True if the result is PTX. */
  int noptions;
  const char *const *options; /* [noptions], without folders of headers */
};
/* Compile source as op2i_cuda_compile() does. */
op2_status op2i_cuda_compile_by(const struct op2i_cuda_compiler *compiler, const char *source,
                                const char *const *includes, struct op2i_text *log, void **binary,
                                size_t *bytes);

#endif
