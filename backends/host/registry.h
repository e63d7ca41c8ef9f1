/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REGISTRY_H
#define OP2I_REGISTRY_H

#include "backend.h"

/* The backends by name. */

/* All names that OP2_BACKEND knows, built or not; ends with null. */
const struct op2i_backend *const *op2i_backends(void);
const struct op2i_backend *op2i_backend_find(const char *name);
/* The first usable one by preference that can have so many workers, or else comes closest.
 * *passed_over is the one that would have been preferred and has fewer; null: there is none. */
const struct op2i_backend *op2i_backend_default(int workers,
                                                const struct op2i_backend **passed_over);
/* The next usable one by preference; null: there is none. */
const struct op2i_backend *op2i_backend_after(const struct op2i_backend *backend);
extern const struct op2i_backend op2i_backend_sequential, op2i_backend_openmp, op2i_backend_check,
    op2i_backend_starpu, op2i_backend_cuda, op2i_backend_opencl, op2i_backend_static;

#endif
