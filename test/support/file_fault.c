/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE      /* RTLD_NEXT, fallocate */
#undef _FILE_OFFSET_BITS /* it would give one name to both functions of a pair below */
#include "file_fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum file_fault fault;
static int left, reached;

void file_fault_arm(enum file_fault kind, int n) {
  fault = kind;
  left = n;
  reached = 0;
}

int file_fault_disarm(void) {
  fault = FAULT_NONE;
  return reached;
}

static int is_part(const char *name) {
  static const char suffix[] = ".op2-part";
  size_t n = strlen(name), k = sizeof suffix - 1;
  return n >= k && strcmp(name + n - k, suffix) == 0;
}

static int is_part_open(int fd) {
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, name, sizeof name - 1);
  if (n < 0) return 0;
  name[n] = '\0';
  return is_part(name);
}

/* The fault of this call; a call that fails has set errno. */
static enum file_fault met(int about_part) {
  if (fault == FAULT_NONE || fault >= FAULT_CUT) return FAULT_NONE;
  if (!about_part || --left != 0) return FAULT_NONE;
  reached = 1;
  if (fault == FAULT_KILL) raise(SIGKILL);
  errno = fault == FAULT_ENOSPC ? ENOSPC : fault == FAULT_EIO ? EIO : EINTR;
  return fault;
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

/* libc has a second name of some functions for files beyond 2^31 bytes; the compilation of a
 * library determines which one it calls. */
#define PWRITE(name_)                                                                              \
  ssize_t name_(int fd, const void *data, size_t n, off_t at);                                     \
  ssize_t name_(int fd, const void *data, size_t n, off_t at) {                                    \
    ssize_t (*real)(int, const void *, size_t, off_t) =                                            \
        (ssize_t(*)(int, const void *, size_t, off_t))next(#name_);                                \
    switch (met(is_part_open(fd))) {                                                               \
    case FAULT_NONE: return real(fd, data, n, at);                                                 \
    case FAULT_SHORT: return real(fd, data, n / 2 + 1, at);                                        \
    default: return -1;                                                                            \
    }                                                                                              \
  }
#define FTRUNCATE(name_)                                                                           \
  int name_(int fd, off_t n) {                                                                     \
    int (*real)(int, off_t) = (int (*)(int, off_t))next(#name_);                                   \
    return met(is_part_open(fd)) ? -1 : real(fd, n);                                               \
  }
#define FALLOCATE(name_)                                                                           \
  int name_(int fd, int mode, off_t at, off_t n) {                                                 \
    int (*real)(int, int, off_t, off_t) = (int (*)(int, int, off_t, off_t))next(#name_);           \
    return met(is_part_open(fd)) ? -1 : real(fd, mode, at, n);                                     \
  }

PWRITE(pwrite)
PWRITE(pwrite64)
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)
FALLOCATE(fallocate)
FALLOCATE(fallocate64)

/* A disk that loses data without reporting it. */
static void damage(int fd) {
  static const char zero[8] = {0};
  struct stat st;
  if (fault < FAULT_CUT || !is_part_open(fd) || --left != 0) return;
  if (fstat(fd, &st) != 0) return;
  reached = fault == FAULT_CUT ? ftruncate(fd, st.st_size - 1) == 0
                               : pwrite(fd, zero, sizeof zero, 0) == (ssize_t)sizeof zero;
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))next("fsync");
  damage(fd);
  return met(is_part_open(fd)) ? -1 : real(fd);
}

int rename(const char *from, const char *to) {
  int (*real)(const char *, const char *) = (int (*)(const char *, const char *))next("rename");
  if (fault == FAULT_SHORT) return real(from, to); /* no signal interrupts it */
  return met(is_part(from)) ? -1 : real(from, to);
}
