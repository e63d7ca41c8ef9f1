/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_PATTERN_H
#define KERNELS_PATTERN_H

#include "problem.h"

/** @file pattern.h
 * The nonzeros of a matrix that is assembled through a map, for the twins. */

/** Add a set of the nonzeros that map 0 gives, row by row and in each row by columns, and a map that
 * leads from each element to its arity * arity nonzeros, for twins alone. */
void pattern_add(problem *p);

#endif
