/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit of the cache on disk: entries that were not used for longest are removed first. */
#define _GNU_SOURCE
#include "prune.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "entry.h"
#include "mem.h"

#define FAMILY "op2-abi-" /* prefix of OP2I_ABI in all versions */
enum { RENEWED_EVERY = 3600, VERSIONS_MAX = 16, BLOCK = 512 };

struct item {
  int folder;
  char name[OP2I_KEY_CHARS + 4];
  int64_t used;
  ino_t inode;
  int64_t bytes; /* its share of the file's bytes, as several entries may be links to one file */
};

struct listing {
  int folders[VERSIONS_MAX], nfolders;
  struct item *items;
  int64_t nitems, capacity, bytes;
};

void op2i_temporary_name(char name[OP2I_PRUNE_NAME]) {
  static atomic_uint counter;
  snprintf(name, OP2I_PRUNE_NAME, OP2I_TEMPORARY "%ld-%u", (long)getpid(),
           atomic_fetch_add(&counter, 1));
}

int64_t op2i_prune_used(const struct stat *st) {
  return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

void op2i_prune_renew(int fd) {
  struct stat st;
  if (fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > RENEWED_EVERY) (void)!futimens(fd, NULL);
}

bool op2i_prune_entry(int folder, const char *name, int64_t used) {
  char aside[OP2I_PRUNE_NAME];
  struct stat st;
  op2i_temporary_name(aside);
  if (renameat(folder, name, folder, aside) != 0) return false;
  bool newer = fstatat(folder, aside, &st, AT_SYMLINK_NOFOLLOW) == 0 && op2i_prune_used(&st) > used;
  /* Rename it back, unless there is another entry of this name by now. */
  if (newer && linkat(folder, aside, folder, name, 0) != 0 && errno != EEXIST)
    return renameat(folder, aside, folder, name) != 0;
  unlinkat(folder, aside, 0);
  return !newer;
}

/* ---- listing --------------------------------------------------------------------------------- */

static bool is_entry(const char *name) {
  const size_t digits = OP2I_KEY_CHARS - 1;
  return strspn(name, "0123456789abcdef") == digits &&
         (strcmp(name + digits, ".so") == 0 || strcmp(name + digits, OP2I_PLAIN_SUFFIX) == 0 ||
          strcmp(name + digits, OP2I_CHOICE_SUFFIX) == 0);
}

static DIR *open_list(int folder) {
  int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  if (!list && fd >= 0) close(fd);
  return list;
}

/* Without memory for the list, entries that do not fit are ignored. */
static void add_item(struct listing *l, int folder, const char *name) {
  struct stat st;
  if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) return;
  if (op2i_grow(&l->items, sizeof *l->items, l->nitems, &l->capacity)) return;
  struct item *item = &l->items[l->nitems++];
  *item =
      (struct item){.folder = folder,
                    .used = op2i_prune_used(&st),
                    .inode = st.st_ino,
                    .bytes = (int64_t)st.st_blocks * BLOCK / (int64_t)(st.st_nlink + !st.st_nlink)};
  strcpy(item->name, name);
  l->bytes += item->bytes;
}

static void list_folder(struct listing *l, int folder) {
  DIR *list = open_list(folder);
  if (!list) return;
  for (const struct dirent *item; (item = readdir(list));)
    if (is_entry(item->d_name)) add_item(l, folder, item->d_name);
  closedir(list);
}

/* Open the folders of this and of other versions that belong to the user. */
static void open_folders(struct listing *l, int folder) {
  struct stat st;
  int parent = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = parent < 0 ? NULL : open_list(parent);
  for (const struct dirent *item; list && l->nfolders < VERSIONS_MAX && (item = readdir(list));) {
    if (strncmp(item->d_name, FAMILY, sizeof FAMILY - 1) != 0) continue;
    int fd = openat(parent, item->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
      l->folders[l->nfolders++] = fd;
    else
      close(fd);
  }
  if (list) closedir(list);
  if (parent >= 0) close(parent);
}

/* ---- pruning --------------------------------------------------------------------------------- */

/* Order by age; entries of one file are consecutive, since the file is removed with the last of
 * them. */
static int by_age(const void *left, const void *right) {
  const struct item *a = left, *b = right;
  if (a->used != b->used) return a->used < b->used ? -1 : 1;
  if (a->inode != b->inode) return a->inode < b->inode ? -1 : 1;
  return strcmp(a->name, b->name);
}

int64_t op2i_prune(int folder, int64_t limit, int64_t *removed) {
  struct listing l = {0};
  int64_t left = 0, recent = ((int64_t)time(NULL) - OP2I_PRUNE_RECENT) * 1000000000;
  *removed = 0;
  open_folders(&l, folder);
  for (int f = 0; f < l.nfolders; f++) list_folder(&l, l.folders[f]);
  left = l.bytes;
  if (left > limit && l.items) qsort(l.items, (size_t)l.nitems, sizeof *l.items, by_age);
  for (int64_t i = 0; l.bytes > limit && i < l.nitems && left > limit / 4 * 3; i++) {
    const struct item *item = &l.items[i];
    if (item->used >= recent) break;
    if (!op2i_prune_entry(item->folder, item->name, item->used)) continue;
    left -= item->bytes;
    ++*removed;
  }
  for (int f = 0; f < l.nfolders; f++) close(l.folders[f]);
  op2i_free(l.items);
  return left;
}
