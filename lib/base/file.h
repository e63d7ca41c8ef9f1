/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FILE_H
#define OP2I_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "op2/status.h"

/* Whole files. A path may lead to anything: opening never waits for the other end of a pipe, and
 * only regular files of at most OP2I_FILE_MOST bytes are read. */

struct op2i_bytes {
  unsigned char *data; /* a zero byte follows the last one; the owner frees it with op2i_free() */
  size_t size;
};
enum { OP2I_FILE_MOST = 64 << 20 };

/* openat() that never waits and does not leak into child processes. It does not take the number of
 * a standard stream that the program has closed, as the program's output would end in the file.
 * Returns -1 with errno on failure. */
int op2i_file_open(int folder, const char *name, int flags, mode_t mode);
/* Move a file that was opened by other means away from the numbers of standard streams: returns
 * `fd`, or a new number that replaces it. Returns -1 with errno if there is none, or if fd is
 * -1. */
int op2i_file_above_streams(int fd);

/* Read an open file from its beginning. If it is not regular, is larger than OP2I_FILE_MOST or
 * cannot be read, *fault is the reason and *bytes is untouched; else *fault is null. Fails only for
 * lack of memory. */
op2_status op2i_file_read(int fd, struct op2i_bytes *bytes, const char **fault);
/* Read the file of this path, like op2i_file_read(). */
op2_status op2i_file_load(const char *path, struct op2i_bytes *bytes, const char **fault);

/* Write all of `data` to an empty file. Returns 0 or an errno value. */
int op2i_file_write(int fd, const void *data, size_t size);

#endif
