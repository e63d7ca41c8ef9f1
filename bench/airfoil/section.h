/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_SECTION_H
#define AIRFOIL_SECTION_H

#include <stdint.h>

#include "common/error.h"

/** @file section.h
 * The nodes of a C-type grid round a NACA 0012 section: 3 ni + 1 columns, numbered row by row from
 * the wake and the section outwards. In the first row the nodes below and above the wake
 * coincide. */

/** The smallest permitted numbers of cells. */
enum { SECTION_MIN_I = 2, SECTION_MIN_J = 2 };

static inline int64_t section_columns(int64_t ni) { return 3 * ni + 1; }
static inline int64_t section_node(int64_t ni, int64_t i, int64_t j) {
  return i + j * section_columns(ni);
}

/** Check that a mesh on such a grid is neither too small nor too large. Returns 0, or -1 with the
 * reason in *error. */
int section_check(int64_t ni, int64_t nj, bench_error *error);

/** Two coordinates for each of the nodes in nj + 1 rows, with six decimals as in OP2's text files.
 * Returns 0, or -1 with the reason in *error. */
int section_grid(int64_t ni, int64_t nj, double *x, bench_error *error);

#endif
