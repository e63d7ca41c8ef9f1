/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing whole files whose names come from users and from the environment. */
#define _GNU_SOURCE
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "mem.h"

int op2i_file_open(int folder, const char *name, int flags, mode_t mode) {
  return op2i_file_above_streams(
      openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode));
}

int op2i_file_above_streams(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
  close(fd);
  errno = error;
  return other;
}

static const char *kind_fault(const struct stat *st) {
  switch (st->st_mode & S_IFMT) {
  case S_IFREG: return st->st_size > OP2I_FILE_MOST ? "it is larger than 64 MiB" : NULL;
  case S_IFDIR: return "it is a directory";
  case S_IFIFO: return "it is a pipe, not a file";
  case S_IFSOCK: return "it is a socket, not a file";
  default: return "it is a device, not a file";
  }
}

/* Some files are longer than fstat() reports, and some grow while they are read. */
static op2_status read_all(int fd, size_t expected, struct op2i_bytes *bytes, const char **fault) {
  size_t room = expected + 1, have = 0;
  unsigned char *data = op2i_malloc(room + 1);
  bool ended = false;
  while (data && !ended && !*fault) {
    ssize_t got = pread(fd, data + have, room - have, (off_t)have);
    ended = got == 0;
    if (got > 0) have += (size_t)got;
    if (got < 0 && errno != EINTR) *fault = strerror(errno);
    if (have > OP2I_FILE_MOST) *fault = "it is larger than 64 MiB";
    if (have < room) continue;
    unsigned char *larger = op2i_realloc(data, 2 * room + 1);
    if (!larger) op2i_free(data);
    data = larger;
    room *= 2;
  }
  if (!data) return op2i_error_nomem("the contents of a file");
  data[have] = '\0';
  if (*fault)
    op2i_free(data);
  else
    *bytes = (struct op2i_bytes){data, have};
  return OP2_SUCCESS;
}

op2_status op2i_file_read(int fd, struct op2i_bytes *bytes, const char **fault) {
  struct stat st;
  *fault = fstat(fd, &st) != 0 ? strerror(errno) : kind_fault(&st);
  return *fault ? OP2_SUCCESS : read_all(fd, (size_t)st.st_size, bytes, fault);
}

op2_status op2i_file_load(const char *path, struct op2i_bytes *bytes, const char **fault) {
  struct stat st;
  /* Merely opening a device may have side effects. */
  if (stat(path, &st) == 0 && (*fault = kind_fault(&st))) return OP2_SUCCESS;
  int fd = op2i_file_open(AT_FDCWD, path, O_RDONLY, 0);
  if (fd < 0) {
    *fault = strerror(errno);
    return OP2_SUCCESS;
  }
  op2_status status = op2i_file_read(fd, bytes, fault);
  close(fd);
  return status;
}

int op2i_file_write(int fd, const void *data, size_t size) {
  const unsigned char *from = data;
  struct rlimit limit;
  /* A write beyond this limit would end the program by a signal. */
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) return EFBIG;
  while (size > 0) {
    ssize_t put = write(fd, from, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : ENOSPC;
    from += put;
    size -= (size_t)put;
  }
  return 0;
}
