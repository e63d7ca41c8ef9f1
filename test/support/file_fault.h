/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FILE_FAULT_H
#define OP2_TEST_FILE_FAULT_H

/* Calls that change a file fail on demand. A program that is linked with this file replaces libc's
 * pwrite, ftruncate, fallocate, fsync and rename; calls about files whose name ends in ".op2-part"
 * are counted, and one of them misbehaves. */

enum file_fault {
  FAULT_NONE,
  FAULT_ENOSPC, /* the call fails because the disk is full */
  FAULT_EIO,    /* the call fails because the disk is broken */
  FAULT_KILL,   /* the process is killed instead of the call */
  FAULT_SHORT,  /* pwrite writes half; other calls are interrupted by a signal and do nothing */
  FAULT_CUT,    /* fsync succeeds, and the file has lost its last byte; other calls do not count */
  FAULT_BLANK,  /* fsync succeeds, and the file's first bytes are zero; other calls do not count */
  FAULT_KINDS
};

/* Arm the fault for the n-th call from now on, counted from 1. */
void file_fault_arm(enum file_fault kind, int n);
/* Disarm the fault. Returns 1 if the call was reached. */
int file_fault_disarm(void);

#endif
