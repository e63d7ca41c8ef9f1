/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_SHARED_FUNCTIONS_H
#define TEST_SHARED_FUNCTIONS_H

#include "op2.h"

/* A function that files share by a header. */
OP2_FUNCTION(shared_cube, double, (double a), { return a * a * a; });

#endif
