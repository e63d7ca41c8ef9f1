/* SPDX-License-Identifier: BSD-3-Clause */
#error                                                                                             \
    "libop2-compat is for one process: include op_seq.h, or port the program to op2_init_mpi() (doc/from-op2.md)"
