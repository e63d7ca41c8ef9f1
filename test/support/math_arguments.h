/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_MATH_ARGUMENTS_H
#define OP2_TEST_MATH_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Arguments of mathematical functions for tests. Each function makes two, of one of four kinds,
 * which are hard for the functions named in math_arguments.c, or usual. */
typedef void math_argument(uint64_t *state, int kind, double x[2]);

math_argument math_exponential, math_logarithm, math_logarithm_1, math_angle, math_sine, math_usual,
    math_small, math_above_one, math_power;
/* Two numbers from all binades of double or float, also infinite ones and NaN. */
void math_anywhere(uint64_t *state, bool single, double x[2]);

enum { MATH_SPECIAL = 24 };
extern const double math_special[MATH_SPECIAL];

#endif
