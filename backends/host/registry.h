/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REGISTRY_H
#define OP2I_REGISTRY_H

#include "backend.h"

/* The backends by name. */

/* Return all backends that OP2_BACKEND accepts, built or not; the list ends with null. */
const struct op2i_backend *const *op2i_backends(void);
const struct op2i_backend *op2i_backend_find(const char *name);
/* Return the first usable backend in order of preference that can have so many workers, or else the
 * one that comes closest. *passed_over is the backend that would have been preferred and has fewer
 * workers; null: none. */
const struct op2i_backend *op2i_backend_default(int workers,
                                                const struct op2i_backend **passed_over);
/* Return the next usable backend in order of preference; null: none. */
const struct op2i_backend *op2i_backend_after(const struct op2i_backend *backend);
#define BACKEND(name_) extern const struct op2i_backend op2i_backend_##name_;
#include "backends.def"
#undef BACKEND

#endif
