/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading of shared objects whose bytes are in memory. */
#define _GNU_SOURCE
#include "load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "process.h"

/* The C library knows whether the process has had threads since glibc 2.32. */
#if defined __GLIBC__ && __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define SINGLE_THREADED __libc_single_threaded
#endif

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u /* Linux 6.3: without it a kernel may be configured to refuse execution */
#endif

/* Make a sealed file in memory; returns -1 and sets errno on failure. */
static int memory_file(struct op2i_bytes image, const char *name) {
  enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  fd = op2i_file_above_streams(fd);
  if (fd < 0) return -1;
  int error = op2i_file_write(fd, image.data, image.size);
  if (!error && fcntl(fd, F_ADD_SEALS, SEALS) == 0) return fd;
  if (!error) error = errno;
  close(fd);
  errno = error;
  return -1;
}

/* Debuggers open the paths of loaded objects, some of them long after loading. If the descriptor
 * were reused soon, for example for a pipe, they would wait for it; so it gets a high number. */
enum { HIGH = 800 };
static int high_descriptor(int fd) {
  int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
  if (high < 0) return fd;
  close(fd);
  return high;
}

void op2i_load_prepare(void) {
#ifdef SINGLE_THREADED
  const int fd = SINGLE_THREADED ? open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) close(high_descriptor(fd));
#endif
}

/* The path uses the number that this /proc has for the process: for a debugger "self" is the
 * debugger. */
static void own_folder(char *path, size_t size) {
  char number[32];
  ssize_t length = readlink("/proc/self", number, sizeof number);
  bool good = length > 0 && (size_t)length < sizeof number;
  snprintf(path, size, "/proc/%.*s/fd/", good ? (int)length : 4, good ? number : "self");
}

/* The loader takes a known name for the image that it already has, and numbers of descriptors are
 * reused. So each path encodes how many came before it, in bits that the kernel ignores: "./" is
 * one, "/" is zero. */
static void unique_path(char *path, size_t size, int fd) {
  static atomic_uint counter;
  own_folder(path, size);
  int length = (int)strlen(path);
  for (unsigned bits = atomic_fetch_add(&counter, 1); bits; bits >>= 1)
    length += snprintf(path + length, size - (size_t)length, bits & 1 ? "./" : "/");
  snprintf(path + length, size - (size_t)length, "%d", fd);
}

/* True if the last error of dlopen() is about the object. */
static bool is_refusal(void) { return errno != EMFILE && errno != ENFILE && errno != ENOMEM; }

static void *load_memory(struct op2i_bytes image, const char *name, struct op2i_text *why) {
  char path[128], title[64];
  snprintf(title, sizeof title, "op2-%s", name);
  int fd = memory_file(image, title);
  if (fd < 0) {
    op2i_text_add(why, "a file in memory: %s", strerror(errno));
    return NULL;
  }
  fd = high_descriptor(fd);
  unique_path(path, sizeof path, fd);
  void *handle = op2i_process_load(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) op2i_text_add(why, "%s", dlerror());
  close(fd);
  return handle;
}

/* Load from a file in a folder that only this user can change, under a name that was never used in
 * it. */
static void *load_file(struct op2i_bytes image, const struct op2i_folder *folder, bool *refused,
                       struct op2i_text *why) {
  static atomic_uint counter;
  char path[PATH_MAX];
  void *handle = NULL;
  snprintf(path, sizeof path, "%s/i%u.so", folder->path, atomic_fetch_add(&counter, 1));
  int fd = op2i_file_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0700);
  int error = fd < 0 ? errno : op2i_file_write(fd, image.data, image.size);
  if (fd >= 0 && close(fd) != 0 && !error) error = errno;
  errno = 0;
  if (!error) handle = op2i_process_load(path, RTLD_NOW | RTLD_LOCAL);
  *refused = !error && !handle && is_refusal();
  if (!handle) op2i_text_add(why, "; %s", error ? strerror(error) : dlerror());
  if (fd >= 0) unlink(path);
  return handle;
}

op2_status op2i_load(struct op2i_bytes image, const char *name, struct op2i_scratch *scratch,
                     const char *last, void **handle, bool *refused, struct op2i_text *why) {
  int parent = 0;
  *refused = false;
  *handle = load_memory(image, name, why);
  if (!*handle) {
    op2_status status = op2i_scratch_find(scratch, &parent, last, why);
    if (status != OP2_SUCCESS) return status;
    if (parent < OP2I_SCRATCH_PARENTS)
      *handle = load_file(image, &scratch->folder[parent], refused, why);
  }
  return why->failed ? op2i_error_nomem("a message") : OP2_SUCCESS;
}
