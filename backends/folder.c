/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <paths.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "env.h"
#include "error.h"
#include "file.h"
#include "mem.h"

enum { OTHERS_WRITE = S_IWGRP | S_IWOTH };

/* ---- folders --------------------------------------------------------------------------------- */

/* Like mkdir -p, all levels private. */
static int make_path(const char *path) {
  char level[PATH_MAX];
  size_t length = strlen(path);
  if (length >= sizeof level) return ENAMETOOLONG;
  for (size_t i = 1; i <= length; i++) {
    if (path[i] && path[i] != '/') continue;
    memcpy(level, path, i);
    level[i] = '\0';
    if (mkdir(level, 0700) == 0 || errno == EEXIST) continue;
    int error = errno;
    struct stat st;
    /* A read-only or foreign parent that is there already is no obstacle. */
    if (stat(level, &st) != 0 || !S_ISDIR(st.st_mode)) return error;
  }
  return 0;
}

/* Null when an open folder may be trusted and used for code. */
static const char *folder_fault(int fd) {
  struct stat st;
  struct statvfs fs;
  if (fstat(fd, &st) != 0 || fstatvfs(fd, &fs) != 0) return strerror(errno);
  if (!S_ISDIR(st.st_mode)) return "it is not a directory";
  if (st.st_uid != geteuid()) return "it belongs to another user";
  if (st.st_mode & OTHERS_WRITE) return "others may write into it (chmod go-w would cure that)";
  if (fs.f_flag & ST_NOEXEC) return "its file system is mounted noexec";
  return NULL;
}

static op2_status keep_path(struct op2i_folder *folder, const char *path) {
  char real[PATH_MAX];
  folder->path = op2i_strdup(realpath(path, real) ? real : path);
  return folder->path ? OP2_SUCCESS : op2i_error_nomem("a folder's name");
}

op2_status op2i_folder_open(struct op2i_folder *folder, const char *path, struct op2i_text *why) {
  struct stat link;
  const char *fault = NULL;
  *folder = (struct op2i_folder){.fd = -1};
  int error = make_path(path);
  if (error) {
    fault = strerror(error);
  } else if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != geteuid()) {
    fault = "it is a symbolic link made by another user";
  } else {
    folder->fd = op2i_file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
    fault = folder->fd < 0 ? strerror(errno) : folder_fault(folder->fd);
  }
  op2_status status = OP2_SUCCESS;
  if (!fault)
    status = keep_path(folder, path);
  else
    op2i_text_add(why, "%s%s: %s", why->length ? "; " : "", path, fault);
  if (why->failed) status = op2i_error_nomem("a message");
  if (fault || status != OP2_SUCCESS) op2i_folder_close(folder);
  return status;
}

void op2i_folder_close(struct op2i_folder *folder) {
  if (folder->fd >= 0) close(folder->fd);
  op2i_free(folder->path);
  *folder = (struct op2i_folder){.fd = -1};
}

/* ---- scratch --------------------------------------------------------------------------------- */

#define SCRATCH_NAME "op2-scratch-"
enum { SUFFIX = 6 }; /* what mkdtemp() fills in */

static const char *place_path(int place, const char *last) {
  switch (place) {
  case 0: return op2i_env_system("TMPDIR");
  case 1: return P_tmpdir;
  case 2: return _PATH_VARTMP;
  case 3: return _PATH_DEV "shm";
  default: return last;
  }
}

/* Room for a large translation unit, its assembly and its object. */
static const char *room_fault(const struct statvfs *fs) {
  enum { ROOM = 4 << 20 };
  if (fs->f_flag & ST_RDONLY) return strerror(EROFS);
  if (fs->f_flag & ST_NOEXEC) return "mounted noexec";
  if ((double)fs->f_bavail * (double)fs->f_frsize < ROOM) return strerror(ENOSPC);
  if (fs->f_files > 0 && fs->f_favail < 8) return strerror(ENOSPC);
  return NULL;
}

/* Who may rename our folder could slip other code in its place. */
static const char *place_fault(const char *path) {
  struct stat st;
  struct statvfs fs;
  if (stat(path, &st) != 0 || statvfs(path, &fs) != 0) return strerror(errno);
  if (!S_ISDIR(st.st_mode)) return strerror(ENOTDIR);
  if (st.st_uid != geteuid() && st.st_uid != 0) return "it belongs to another user";
  if ((st.st_mode & OTHERS_WRITE) && !(st.st_mode & S_ISVTX))
    return "others may write into it and it is not sticky";
  return room_fault(&fs);
}

/* Remove what is in a folder; what a compiler makes is not nested deeply. */
static void empty_folder(int fd, int depth) {
  int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  if (!list) {
    if (copy >= 0) close(copy);
    return;
  }
  for (const struct dirent *item; (item = readdir(list));) {
    if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
    if (unlinkat(fd, item->d_name, 0) == 0 || depth == 0) continue;
    int inner = openat(fd, item->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) continue;
    empty_folder(inner, depth - 1);
    close(inner);
    unlinkat(fd, item->d_name, AT_REMOVEDIR);
  }
  closedir(list);
}
enum { DEPTH = 4 };

/* Remove the scratch folder `name` if its owner is dead. */
static void sweep_one(int place, const char *name) {
  struct stat st;
  int fd = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
      time(NULL) - st.st_mtime > OP2I_STALE_SECONDS && flock(fd, LOCK_EX | LOCK_NB) == 0) {
    empty_folder(fd, DEPTH);
    unlinkat(place, name, AT_REMOVEDIR);
  }
  close(fd);
}

static void sweep_place(const char *path) {
  DIR *list = opendir(path);
  if (!list) return;
  for (const struct dirent *item; (item = readdir(list));)
    if (strncmp(item->d_name, SCRATCH_NAME, sizeof SCRATCH_NAME - 1) == 0 &&
        strlen(item->d_name) == sizeof SCRATCH_NAME - 1 + SUFFIX)
      sweep_one(dirfd(list), item->d_name);
  closedir(list);
}

static op2_status scratch_make(struct op2i_folder *folder, const char *place,
                               struct op2i_text *why) {
  char path[PATH_MAX];
  const char *fault = place_fault(place);
  int length = snprintf(path, sizeof path, "%s/" SCRATCH_NAME "XXXXXX", place);
  if (!fault && length >= (int)sizeof path) fault = strerror(ENAMETOOLONG);
  if (!fault && !mkdtemp(path)) fault = strerror(errno);
  if (fault) {
    op2i_text_add(why, "%s%s: %s", why->length ? "; " : "", place, fault);
    return why->failed ? op2i_error_nomem("a message") : OP2_SUCCESS;
  }
  op2_status status = op2i_folder_open(folder, path, why);
  if (folder->fd < 0)
    rmdir(path);
  else
    flock(folder->fd, LOCK_EX | LOCK_NB); /* where locks do not work the sweeper gets none either */
  return status;
}

void op2i_scratch_init(struct op2i_scratch *scratch) {
  for (int i = 0; i < OP2I_PLACES; i++) scratch->folder[i] = (struct op2i_folder){.fd = -1};
  scratch->swept = false;
}

/* Still in the file system: those who clean temporary places may have removed it. */
static bool scratch_exists(const struct op2i_folder *folder) {
  struct stat st;
  return folder->fd >= 0 && fstat(folder->fd, &st) == 0 && st.st_nlink > 0;
}

bool op2i_scratch_works(const struct op2i_scratch *scratch, int place) {
  const struct op2i_folder *folder = &scratch->folder[place];
  struct statvfs fs;
  return scratch_exists(folder) && fstatvfs(folder->fd, &fs) == 0 && !room_fault(&fs);
}

static void scratch_remove(struct op2i_scratch *scratch, int place) {
  struct op2i_folder *folder = &scratch->folder[place];
  if (folder->fd >= 0) {
    empty_folder(folder->fd, DEPTH);
    rmdir(folder->path);
  }
  op2i_folder_close(folder);
}

op2_status op2i_scratch_find(struct op2i_scratch *scratch, int *place, const char *last,
                             struct op2i_text *why) {
  for (; *place < OP2I_PLACES; ++*place) {
    const char *path = place_path(*place, last);
    if (op2i_scratch_works(scratch, *place)) return OP2_SUCCESS;
    /* One that is full may be in use by compilers that run. */
    if (!path || scratch_exists(&scratch->folder[*place])) continue;
    scratch_remove(scratch, *place);
    op2_status status = scratch_make(&scratch->folder[*place], path, why);
    if (status != OP2_SUCCESS) return status;
    if (scratch->folder[*place].fd < 0) continue;
    if (!scratch->swept) sweep_place(path);
    scratch->swept = true;
    return OP2_SUCCESS;
  }
  return OP2_SUCCESS;
}

void op2i_scratch_close(struct op2i_scratch *scratch) {
  for (int i = 0; i < OP2I_PLACES; i++) scratch_remove(scratch, i);
}
