/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls for a file that is written beside the one that it will replace. */
#define _GNU_SOURCE /* for fallocate() and locks of open files */
#include "io_part.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char suffix[] = ".op2-part";

bool op2i_io_part_fail(struct op2i_io_part *part, const char *doing, int error) {
  if (part->failed) return false;
  part->failed = error ? error : EIO;
  part->doing = doing;
  return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

size_t op2i_io_part_room(const char *path) { return PATH_MAX + strlen(path) + sizeof suffix + 1; }

/* Set the target to the last component of `part->name`, in the folder to which the other components
 * lead. */
static bool resolve_folder(struct op2i_io_part *part) {
  char *slash = strrchr(part->name, '/'), *base = slash ? slash + 1 : part->name;
  const char first = *base;
  *base = '\0';
  if (!realpath(slash ? part->name : ".", part->target)) return false;
  *base = first;
  if (part->target[strlen(part->target) - 1] != '/') strcat(part->target, "/");
  errno = ENAMETOOLONG;
  if (strlen(part->target) + strlen(base) >= PATH_MAX) return false;
  strcat(part->target, base);
  return true;
}

/* Replace the name by the target of a link, which is relative to the folder of the link. */
static bool follow_link(struct op2i_io_part *part, const char *link) {
  const size_t folder = *link == '/' ? 0 : (size_t)(strrchr(part->target, '/') + 1 - part->target);
  errno = ENAMETOOLONG;
  if (folder + strlen(link) >= PATH_MAX) return false;
  memcpy(part->name, part->target, folder);
  strcpy(part->name + folder, link);
  return true;
}

/* Find the target of a file that does not exist yet; its folder must exist. Its name may be a link,
 * or a chain of links, to the future file: the links are kept. */
static bool resolve_new(struct op2i_io_part *part, const char *path) {
  enum { MOST_LINKS = 40 }; /* the limit of Linux */
  char link[PATH_MAX];
  strcpy(part->name, path); /* name is free to be used as a buffer here */
  for (int n = 0; n <= MOST_LINKS; n++) {
    if (!resolve_folder(part)) return false;
    ssize_t length = readlink(part->target, link, sizeof link - 1);
    if (length < 0) return errno == ENOENT || errno == EINVAL;
    link[length] = '\0';
    if (!follow_link(part, link)) return false;
  }
  errno = ELOOP;
  return false;
}

bool op2i_io_part_name(struct op2i_io_part *part, const char *path) {
  if (!realpath(path, part->target) && (errno != ENOENT || !resolve_new(part, path)))
    return op2i_io_part_fail(part, part->leads ? "created" : "opened", errno);
  sprintf(part->name, "%s%s", part->target, suffix);
  return true;
}

/* ---- creating the temporary file ------------------------------------------------------------- */

/* Find the permissions for the part, which are those of the target; 0 for a new file, which gets
 * the process's default. */
static bool look_at_target(struct op2i_io_part *part, mode_t *permissions) {
  struct stat st;
  *permissions = 0;
  if (stat(part->target, &st) != 0)
    return errno == ENOENT ? true : op2i_io_part_fail(part, "created", errno);
  if (!S_ISREG(st.st_mode))
    return op2i_io_part_fail(part, "created", S_ISDIR(st.st_mode) ? EISDIR : EINVAL);
  if (access(part->target, W_OK) != 0) return op2i_io_part_fail(part, "created", errno);
  *permissions = st.st_mode & 07777;
  return true;
}

bool op2i_io_part_create(struct op2i_io_part *part, int64_t number) {
  mode_t permissions;
  struct stat st;
  if (part->failed || !look_at_target(part, &permissions)) return false;
  if (unlink(part->name) != 0 && errno != ENOENT) return op2i_io_part_fail(part, "created", errno);
  part->fd = open(part->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (part->fd < 0) return op2i_io_part_fail(part, "created", errno);
  if (fstat(part->fd, &st) != 0) return op2i_io_part_fail(part, "created", errno);
  part->device = st.st_dev;
  part->inode = st.st_ino;
  if (permissions && fchmod(part->fd, permissions) != 0)
    return op2i_io_part_fail(part, "created", errno);
  return op2i_io_part_write(part, &number, sizeof number, 0);
}

/* The file is opened for writing only: an NFS client that may read would fetch whole pages, and
 * write back to the server data that other ranks have overwritten meanwhile. */
bool op2i_io_part_join(struct op2i_io_part *part, int64_t number) {
  int64_t found = 0;
  if (part->failed) return false;
  part->fd = open(part->name, O_RDONLY | O_CLOEXEC);
  if (part->fd < 0) return op2i_io_part_fail(part, "opened", errno);
  if (!op2i_io_part_read(part, &found, sizeof found, 0)) return false;
  close(part->fd);
  part->fd = -1;
  if (found != number)
    return op2i_io_part_fail(part, "opened: it is another file than on rank 0", ESTALE);
  part->fd = open(part->name, O_WRONLY | O_CLOEXEC);
  return part->fd >= 0 ? true : op2i_io_part_fail(part, "opened", errno);
}

static bool copy_bytes(struct op2i_io_part *part, int from) {
  char chunk[1 << 16];
  int64_t at = 0;
  ssize_t n = 1;
  while (n != 0 && !part->failed) {
    n = pread(from, chunk, sizeof chunk, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      op2i_io_part_fail(part, "copied from the former file", errno);
    else if (n > 0)
      op2i_io_part_write(part, chunk, (size_t)n, at);
    at += n > 0 ? n : 0;
  }
  return !part->failed;
}

bool op2i_io_part_begin(struct op2i_io_part *part, bool copy) {
  struct stat st;
  if (!op2i_io_part_resize(part, 0) || !copy) return !part->failed;
  int from = open(part->target, O_RDONLY | O_CLOEXEC);
  if (from < 0) return op2i_io_part_fail(part, "opened", errno);
  if (fstat(from, &st) != 0)
    op2i_io_part_fail(part, "opened", errno);
  else if (op2i_io_part_reserve(part, 0, st.st_size))
    copy_bytes(part, from);
  close(from);
  return !part->failed;
}

/* ---- writing to it --------------------------------------------------------------------------- */

static bool is_owner(const struct op2i_io_part *part) { return getpid() == part->owner; }

/* Without fallocate(), all that can be checked is the free space. */
static bool has_room(struct op2i_io_part *part, int64_t bytes) {
  struct statvfs fs;
  if (fstatvfs(part->fd, &fs) != 0) return true;
  if ((uint64_t)bytes / fs.f_frsize < fs.f_bavail) return true;
  return op2i_io_part_fail(part, "written", ENOSPC);
}

bool op2i_io_part_reserve(struct op2i_io_part *part, int64_t offset, int64_t bytes) {
  if (part->failed || !is_owner(part)) return !part->failed;
  if (bytes == 0) return true;
  int error;
  do error = fallocate(part->fd, 0, offset, bytes) ? errno : 0;
  while (error == EINTR);
  if (error == EOPNOTSUPP || error == ENOSYS) return has_room(part, bytes);
  return error ? op2i_io_part_fail(part, "written", error) : true;
}

/* NFS writes back whole pages unless a range is locked, and the rest of a page may belong to
 * another rank. No other process locks the range, so this never waits; where locks do not exist,
 * they are not needed or not available. */
static void lock_range(struct op2i_io_part *part, short type, size_t bytes, int64_t offset) {
  struct flock range = {
      .l_type = type, .l_whence = SEEK_SET, .l_start = offset, .l_len = (off_t)bytes};
  if (part->shared) (void)!fcntl(part->fd, F_OFD_SETLK, &range);
}

bool op2i_io_part_write(struct op2i_io_part *part, const void *data, size_t bytes, int64_t offset) {
  enum { MOST = 1 << 30 }; /* bytes per call; the limit of Linux is just below 2^31 */
  const char *at = data;
  if (part->failed || !is_owner(part)) return !part->failed;
  lock_range(part, F_WRLCK, bytes, offset);
  for (size_t left = bytes; left > 0 && !part->failed;) {
    ssize_t n = pwrite(part->fd, at, left < MOST ? left : MOST, offset + (at - (const char *)data));
    if (n > 0) {
      at += n;
      left -= (size_t)n;
    } else if (n == 0 || errno != EINTR) {
      op2i_io_part_fail(part, "written", n == 0 ? ENOSPC : errno);
    }
  }
  lock_range(part, F_UNLCK, bytes, offset);
  return !part->failed;
}

bool op2i_io_part_read(struct op2i_io_part *part, void *data, size_t bytes, int64_t offset) {
  char *at = data;
  while (bytes > 0) {
    ssize_t n = pread(part->fd, at, bytes, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return op2i_io_part_fail(part, "read", errno);
    if (n == 0) break;
    at += n;
    offset += n;
    bytes -= (size_t)n;
  }
  memset(at, 0, bytes);
  return true;
}

bool op2i_io_part_resize(struct op2i_io_part *part, int64_t bytes) {
  int error;
  if (part->failed || !is_owner(part)) return !part->failed;
  do error = ftruncate(part->fd, bytes) ? errno : 0;
  while (error == EINTR);
  return error ? op2i_io_part_fail(part, "written", error) : true;
}

int64_t op2i_io_part_size(const struct op2i_io_part *part) {
  struct stat st;
  return fstat(part->fd, &st) == 0 ? st.st_size : -1;
}

/* ---- syncing it and renaming it to its target ------------------------------------------------ */

bool op2i_io_part_sync(struct op2i_io_part *part) {
  int error;
  if (part->failed) return false;
  do error = fsync(part->fd) ? errno : 0;
  while (error == EINTR);
  return error ? op2i_io_part_fail(part, "written to the disk", error) : true;
}

/* True if the part still has its name: another program that writes the same file replaces it by a
 * part of its own. */
static bool is_still_named(const struct op2i_io_part *part) {
  struct stat st;
  return part->inode && stat(part->name, &st) == 0 && st.st_ino == part->inode &&
         st.st_dev == part->device;
}

/* Write the folder, which contains the name, to the disk. If this fails, the former file may come
 * back after the machine crashes, as complete as the new one: no data are lost that existed
 * before. */
static void sync_folder(struct op2i_io_part *part) {
  char *folder = part->name; /* the part no longer has this name */
  strcpy(folder, part->target);
  strrchr(folder, '/')[1] = '\0';
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) (void)!fsync(fd);
  if (fd >= 0) close(fd);
}

bool op2i_io_part_keep(struct op2i_io_part *part, int64_t bytes, op2i_io_whole *whole) {
  int64_t size = part->failed ? 0 : op2i_io_part_size(part);
  if (part->failed) return false;
  if (size != bytes) return op2i_io_part_fail(part, "kept: its size is not what was written", EIO);
  if (whole && !whole(part, bytes)) return false;
  if (!is_still_named(part))
    return op2i_io_part_fail(part, "kept: another program has removed or replaced it", ESTALE);
  /* NFS reports here data that it could not write. */
  int fd = part->fd;
  part->fd = -1;
  if (close(fd) != 0 && errno != EINTR)
    return op2i_io_part_fail(part, "written to the disk", errno);
  if (rename(part->name, part->target) != 0) return op2i_io_part_fail(part, "renamed", errno);
  part->leads = false; /* there is nothing left to remove */
  sync_folder(part);
  return true;
}

void op2i_io_part_drop(struct op2i_io_part *part) {
  if (part->leads && is_owner(part) && is_still_named(part)) unlink(part->name);
  if (part->fd >= 0) close(part->fd);
  part->fd = -1;
}
