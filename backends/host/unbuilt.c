/* SPDX-License-Identifier: BSD-3-Clause */
/* Backends that this build does not have. They are known by name and report why they cannot be
 * used. */
#include "config.h"

#include "backend.h"
#include "error.h"
#include "stateless.h"

#if !OP2_HAVE_STARPU
static int no_workers(void *state) {
  (void)state;
  return 0;
}

#define UNBUILT(name_, summary_, why_)                                                             \
  static const char *name_##_unavailable(void) { return why_; }                                    \
  static op2_status name_##_open(op2_context ctx, void **state) {                                  \
    (void)ctx;                                                                                     \
    (void)state;                                                                                   \
    return op2i_error(OP2_ERR_UNAVAILABLE, "backend %s is not available: %s", #name_, why_);       \
  }                                                                                                \
  const struct op2i_backend op2i_backend_##name_ = {                                               \
      .name = #name_,                                                                              \
      .summary = summary_,                                                                         \
      .unavailable = name_##_unavailable,                                                          \
      .open = name_##_open,                                                                        \
      .close = op2i_close_nothing,                                                                 \
      .workers = no_workers,                                                                       \
  }

UNBUILT(starpu, "tasks on CPU workers, ordered by data, through StarPU",
        "op2 was built without StarPU (package libstarpu-dev, meson option starpu)");
#endif
