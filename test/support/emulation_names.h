/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_EMULATION_NAMES_H
#define OP2_TEST_EMULATION_NAMES_H

/* Which device is emulated in a test, and what its driver's library and functions are called. */

#include <stdbool.h>

/* The backend whose device is emulated here: "hip" if OP2_TEST_BACKEND says so, or else "cuda". */
const char *emulation_backend(void);
bool emulation_is_hip(void);
/* The library of its driver, and the name there of a function that CUDA has by this one. The name is valid
 * until the next call. */
const char *emulation_driver(void);
const char *emulation_call(const char *cuda_name);

#endif
