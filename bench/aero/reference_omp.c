/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>

#include "reference.h"

/* All forms with parallel loops. */

static void use_threads(int n) { omp_set_num_threads(n); }

int main(int argc, char **argv) { return reference_main(argc, argv, PROGRAM_OMP, use_threads); }
