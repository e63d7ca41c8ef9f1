/* SPDX-License-Identifier: BSD-3-Clause */
/* Private folders: those of the cache, and scratch folders for compilers, with checks of who else
 * could change their contents. */
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
#include "path.h"
#include "trust.h"

/* ---- folders --------------------------------------------------------------------------------- */

/* Return null if an open folder may be trusted and used for code; *unsafe is true if the fault is
 * that another user could change its contents. */
static const char *folder_fault(int fd, const char *trust, bool *unsafe) {
  struct stat st;
  struct statvfs fs;
  if (fstat(fd, &st) != 0 || fstatvfs(fd, &fs) != 0) return strerror(errno);
  if (!S_ISDIR(st.st_mode)) return "it is not a directory";
  bool theirs = !op2i_trust_user(trust, st.st_uid);
  bool open = st.st_mode & S_IWOTH || (st.st_mode & S_IWGRP && !op2i_trust_group(trust, st.st_gid));
  *unsafe = theirs || open;
  if (theirs) return "it belongs to another user";
  if (open) return "others may write into it (chmod go-w would cure that)";
  if (fs.f_flag & ST_NOEXEC) return "its file system is mounted noexec";
  return NULL;
}

op2_status op2i_folder_open(struct op2i_folder *folder, const char *path, const char *trust,
                            struct op2i_text *why) {
  struct op2i_path opened;
  const char *fault = NULL;
  op2_status status = OP2_SUCCESS;
  *folder = (struct op2i_folder){.fd = -1};
  op2i_path_open(&opened, path, true, OP2I_PATH_OWN, trust, why);
  bool unsafe = false;
  if (opened.fd >= 0) {
    folder->fd = op2i_file_open(opened.fd, ".", O_RDONLY | O_DIRECTORY, 0);
    fault = folder->fd < 0 ? strerror(errno) : folder_fault(folder->fd, trust, &unsafe);
    folder->unknown = opened.unknown;
    folder->path = op2i_strdup(opened.real);
    if (!folder->path) status = op2i_error_nomem("a folder's name");
  }
  if (fault) op2i_text_add(why, "%s%s: %s", why->length ? "; " : "", path, fault);
  if (why->failed) status = op2i_error_nomem("a message");
  if (fault || opened.fd < 0 || status != OP2_SUCCESS) op2i_folder_close(folder);
  folder->unsafe = opened.unsafe || unsafe;
  op2i_path_close(&opened);
  return status;
}

void op2i_folder_close(struct op2i_folder *folder) {
  if (folder->fd >= 0) close(folder->fd);
  op2i_free(folder->path);
  *folder = (struct op2i_folder){.fd = -1};
}

/* ---- scratch --------------------------------------------------------------------------------- */

#define SCRATCH_NAME "op2-scratch-"
enum { SUFFIX = 6 }; /* length of what mkdtemp() fills in */

static const char *parent_path(int parent, const char *last) {
  switch (parent) {
  case 0: return op2i_env_system("TMPDIR");
  case 1: return P_tmpdir;
  case 2: return _PATH_VARTMP;
  case 3: return _PATH_DEV "shm";
  default: return last;
  }
}

/* A parent needs space for a large translation unit, its assembly and its object. */
static const char *room_fault(const struct statvfs *fs) {
  enum { ROOM = 4 << 20 };
  if (fs->f_flag & ST_RDONLY) return strerror(EROFS);
  if (fs->f_flag & ST_NOEXEC) return "mounted noexec";
  if ((double)fs->f_bavail * (double)fs->f_frsize < ROOM) return strerror(ENOSPC);
  if (fs->f_files > 0 && fs->f_favail < 8) return strerror(ENOSPC);
  return NULL;
}

/* Remove the contents of a folder, unless it is nested too deeply. */
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
enum { DEPTH = 32 };

int op2i_folder_discard(int folder, const char *name, const char *aside) {
  if (unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0) return 0;
  if (aside && renameat(folder, name, folder, aside) != 0) return errno;
  if (aside) name = aside;
  int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) {
    empty_folder(fd, DEPTH);
    close(fd);
  }
  unlinkat(folder, name, AT_REMOVEDIR);
  return 0;
}

/* Remove the scratch folder `name` if its owner is dead. */
static void sweep_one(int parent, const char *name) {
  struct stat st;
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
      time(NULL) - st.st_mtime > OP2I_STALE_SECONDS && flock(fd, LOCK_EX | LOCK_NB) == 0) {
    empty_folder(fd, DEPTH);
    unlinkat(parent, name, AT_REMOVEDIR);
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

enum { ROOM_FOR_NAME = PATH_MAX + sizeof SCRATCH_NAME + SUFFIX + 1 };

/* Make a uniquely named folder in a suitable parent. */
static const char *scratch_path(const struct op2i_path *parent, char path[ROOM_FOR_NAME]) {
  struct statvfs fs;
  if (statvfs(parent->real, &fs) != 0) return strerror(errno);
  const char *fault = room_fault(&fs);
  snprintf(path, ROOM_FOR_NAME, "%s/" SCRATCH_NAME "XXXXXX", parent->real);
  if (!fault && !mkdtemp(path)) fault = strerror(errno);
  return fault;
}

static op2_status scratch_make(struct op2i_folder *folder, const char *name,
                               struct op2i_text *why) {
  char path[ROOM_FOR_NAME];
  struct op2i_path parent;
  op2i_path_open(&parent, name, false, OP2I_PATH_PARENT, NULL, why);
  const char *fault = parent.fd < 0 ? NULL : scratch_path(&parent, path);
  bool made = parent.fd >= 0 && !fault;
  op2i_path_close(&parent);
  if (fault) op2i_text_add(why, "%s%s: %s", why->length ? "; " : "", name, fault);
  if (why->failed) return op2i_error_nomem("a message");
  if (!made) return OP2_SUCCESS;
  op2_status status = op2i_folder_open(folder, path, NULL, why);
  if (folder->fd < 0)
    rmdir(path);
  else
    flock(folder->fd, LOCK_EX | LOCK_NB); /* without locks the sweeper gets none either */
  return status;
}

void op2i_scratch_init(struct op2i_scratch *scratch) {
  for (int i = 0; i < OP2I_SCRATCH_PARENTS; i++)
    scratch->folder[i] = (struct op2i_folder){.fd = -1};
  scratch->swept = false;
}

/* True if the folder is still in the file system: a program that cleans temporary folders may have
 * removed it. */
static bool scratch_exists(const struct op2i_folder *folder) {
  struct stat st;
  return folder->fd >= 0 && fstat(folder->fd, &st) == 0 && st.st_nlink > 0;
}

bool op2i_scratch_works(const struct op2i_scratch *scratch, int parent) {
  const struct op2i_folder *folder = &scratch->folder[parent];
  struct statvfs fs;
  return scratch_exists(folder) && fstatvfs(folder->fd, &fs) == 0 && !room_fault(&fs);
}

static void scratch_remove(struct op2i_scratch *scratch, int parent) {
  struct op2i_folder *folder = &scratch->folder[parent];
  if (folder->fd >= 0) {
    empty_folder(folder->fd, DEPTH);
    rmdir(folder->path);
  }
  op2i_folder_close(folder);
}

op2_status op2i_scratch_find(struct op2i_scratch *scratch, int *parent, const char *last,
                             struct op2i_text *why) {
  for (; *parent < OP2I_SCRATCH_PARENTS; ++*parent) {
    const char *path = parent_path(*parent, last);
    if (op2i_scratch_works(scratch, *parent)) return OP2_SUCCESS;
    /* A full folder may be in use by running compilers. */
    if (!path || scratch_exists(&scratch->folder[*parent])) continue;
    scratch_remove(scratch, *parent);
    op2_status status = scratch_make(&scratch->folder[*parent], path, why);
    if (status != OP2_SUCCESS) return status;
    if (scratch->folder[*parent].fd < 0) continue;
    if (!scratch->swept) sweep_place(path);
    scratch->swept = true;
    return OP2_SUCCESS;
  }
  return OP2_SUCCESS;
}

void op2i_scratch_close(struct op2i_scratch *scratch) {
  for (int i = 0; i < OP2I_SCRATCH_PARENTS; i++) scratch_remove(scratch, i);
}
