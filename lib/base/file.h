/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FILE_H
#define OP2I_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "op2/status.h"

/* Whole files. A name may lead to anything: what is opened here never waits for a pipe's other end,
 * and only regular files of a sane size are read. */

struct op2i_bytes {
  unsigned char *data; /* a zero byte follows the last; op2i_free()d by the owner */
  size_t size;
};
enum { OP2I_FILE_MOST = 64 << 20 };

/* openat() that never waits, does not leak into child processes, and does not take the number of a
 * standard stream that the program has closed: what the program prints would end in the file. -1
 * with errno when it fails. */
int op2i_file_open(int folder, const char *name, int flags, mode_t mode);
/* That last promise for a file which was opened in another way: `fd`, or a number that takes its
 * place. -1 with errno when there is none, and when fd is -1. */
int op2i_file_above_streams(int fd);

/* Read an open file from its beginning. When it is not regular, larger than OP2I_FILE_MOST or
 * cannot be read, *fault says why and *bytes is untouched; null else. Fails only for lack of
 * memory. */
op2_status op2i_file_read(int fd, struct op2i_bytes *bytes, const char **fault);
/* The same by name. */
op2_status op2i_file_load(const char *path, struct op2i_bytes *bytes, const char **fault);

/* Write all of `data` to an empty file; 0 or an errno value. */
int op2i_file_write(int fd, const void *data, size_t size);

#endif
