/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

/* All forms as plain loops on one thread. */

int main(int argc, char **argv) { return reference_main(argc, argv, PROGRAM_SEQ, NULL); }
