/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend of programs that only need the text of loops, for any backend. It needs no compiler,
 * cache or device on this machine. */
#include "registry.h"
#include "stateless.h"

const struct op2i_backend op2i_backend_static = {
    .name = "static",
    .summary = "the text of loops, for any backend: none is compiled or run",
    .variant = OP2I_PLAIN,
    .idle = "the backend static runs no loops: their text is to be had by op2_loop_generate(), and "
            "to run them takes another backend (OP2_BACKEND)",
    .unavailable = op2i_always_available,
    .open = op2i_open_nothing,
    .close = op2i_close_nothing,
    .workers = op2i_one_worker,
    .most_workers = op2i_at_most_one,
};
