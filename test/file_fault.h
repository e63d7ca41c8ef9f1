/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FILE_FAULT_H
#define OP2_TEST_FILE_FAULT_H

/* The calls by which a file is changed fail on demand. The program that is linked with this takes
 * the place of libc's pwrite, ftruncate, fallocate, fsync and rename; calls about files whose name
 * ends in ".op2-part" are counted, and one of them does not do what it should. */

enum file_fault {
  FAULT_NONE,
  FAULT_ENOSPC, /* the call fails for lack of room */
  FAULT_EIO,    /* the call fails for a broken disk */
  FAULT_KILL,   /* the process is killed in place of the call */
  FAULT_SHORT,  /* pwrite writes half; other calls are interrupted by a signal and do nothing */
  FAULT_CUT,    /* fsync succeeds, and the file has lost its last byte; other calls do not count */
  FAULT_BLANK,  /* fsync succeeds, and the file's first bytes are zero; other calls do not count */
  FAULT_KINDS
};

/* The n-th call from here on, from 1. */
void file_fault_arm(enum file_fault kind, int n);
/* Nothing fails any more. Returns whether the call was reached. */
int file_fault_disarm(void);

#endif
