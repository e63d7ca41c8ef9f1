/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cache.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "error.h"
#include "log.h"
#include "mem.h"

#define TEMPORARY "tmp-"
enum { NAME_ROOM = 64, TEMPORARY_TRIES = 100 };

/* ---- the folder ------------------------------------------------------------------------------ */

static void warn_once(op2_context ctx, struct op2i_cache *cache, const char *why) {
  const char *by = ctx->config.cache_dir_by;
  if (cache->warned) return;
  cache->warned = true;
  op2i_log(ctx, OP2I_LOG_WARN, "compiled loops are not kept for later runs: %s%s%s%s",
           by ? "of " : "", by ? by : "", by ? ", " : "", why);
}

/* The folder itself and the one for this version of generated code in it. */
static op2_status try_folder(struct op2i_cache *cache, const char *path, struct op2i_text *why) {
  char inner[PATH_MAX];
  op2_status status = op2i_folder_open(&cache->folder, path, why);
  if (status != OP2_SUCCESS || cache->folder.fd < 0) return status;
  int length = snprintf(inner, sizeof inner, "%s/" OP2I_ABI, cache->folder.path);
  op2i_folder_close(&cache->folder);
  if (length < (int)sizeof inner) return op2i_folder_open(&cache->folder, inner, why);
  op2i_text_add(why, "%s: %s", path, strerror(ENAMETOOLONG));
  return why->failed ? op2i_error_nomem("a message") : OP2_SUCCESS;
}

/* Default places by falling preference; null when there is no such place. */
static const char *default_place(int i, char path[PATH_MAX]) {
  const char *base = op2i_env_system(i == 0 ? "XDG_CACHE_HOME" : i == 1 ? "HOME" : "TMPDIR");
  int length;
  if (i == 2 && !base) base = P_tmpdir;
  /* The XDG base directory specification has relative settings ignored. */
  if (!base || base[0] != '/') return NULL;
  if (i == 0)
    length = snprintf(path, PATH_MAX, "%s/op2", base);
  else if (i == 1)
    length = snprintf(path, PATH_MAX, "%s/.cache/op2", base);
  else
    length = snprintf(path, PATH_MAX, "%s/op2-%ld", base, (long)geteuid());
  return length < PATH_MAX ? path : NULL;
}
enum { DEFAULT_PLACES = 3 };

op2_status op2i_cache_open(op2_context ctx, struct op2i_cache *cache) {
  struct op2i_text why = {0};
  op2_status status = OP2_SUCCESS;
  *cache = (struct op2i_cache){.folder.fd = -1};
  if (ctx->config.cache_dir) status = try_folder(cache, ctx->config.cache_dir, &why);
  for (int i = 0; !ctx->config.cache_dir && i < DEFAULT_PLACES && cache->folder.fd < 0; i++) {
    char path[PATH_MAX];
    if (default_place(i, path)) status = try_folder(cache, path, &why);
    if (status != OP2_SUCCESS) break;
  }
  if (status == OP2_SUCCESS && cache->folder.fd < 0)
    warn_once(ctx, cache, why.length ? why.chars : "no folder");
  else if (status == OP2_SUCCESS)
    op2i_log(ctx, OP2I_LOG_DEBUG, "compiled loops are kept in %s%s%s", cache->folder.path,
             why.length ? "; not in " : "", why.length ? why.chars : "");
  op2i_text_free(&why);
  return status;
}

void op2i_cache_close(struct op2i_cache *cache) {
  while (cache->nimages > 0) dlclose(cache->images[--cache->nimages].handle);
  op2i_free(cache->images);
  op2i_folder_close(&cache->folder);
  *cache = (struct op2i_cache){.folder.fd = -1};
}

/* ---- images ---------------------------------------------------------------------------------- */

op2_status op2i_image_load(struct op2i_cache *cache, const char *path, dev_t device, ino_t inode,
                           void **handle) {
  *handle = NULL;
  if (op2i_grow(&cache->images, sizeof *cache->images, cache->nimages, &cache->capacity) != 0)
    return op2i_error_nomem("the table of loaded loops");
  *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*handle) cache->images[cache->nimages++] = (struct op2i_image){device, inode, *handle};
  return OP2_SUCCESS;
}

void *op2i_image_entry(void *handle, struct op2i_key key) {
  char name[NAME_ROOM] = "op2_entry_k";
  op2i_key_text(key, name + strlen(name));
  return dlsym(handle, name);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void entry_name(char name[NAME_ROOM], struct op2i_key key) {
  op2i_key_text(key, name);
  strcat(name, ".so");
}

static const char *file_fault(int fd, struct stat *st) {
  if (fstat(fd, st) != 0) return strerror(errno);
  if (!S_ISREG(st->st_mode)) return "it is not a regular file";
  if (st->st_uid != geteuid()) return "it belongs to another user";
  if (st->st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
  return NULL;
}

/* Load from an entry whose bytes are sound. */
static op2_status load_image(struct op2i_cache *cache, const char *name, const struct stat *st,
                             struct op2i_key key, void **entry, const char **fault) {
  char path[PATH_MAX];
  void *handle;
  snprintf(path, sizeof path, "%s/%s", cache->folder.path, name);
  op2_status status = op2i_image_load(cache, path, st->st_dev, st->st_ino, &handle);
  if (status != OP2_SUCCESS) return status;
  if (!handle) {
    *fault = "it does not load";
    return OP2_SUCCESS;
  }
  *entry = op2i_image_entry(handle, key);
  if (!*entry) *fault = "it lacks the function";
  return OP2_SUCCESS;
}

/* The bytes are verified before the loader sees them; what the loader then maps is this file or one
 * renamed over it since, which was whole when it was renamed. */
static op2_status load_file(struct op2i_cache *cache, int fd, const char *name, struct op2i_key key,
                            void **entry, const char **fault) {
  struct op2i_bytes bytes = {0};
  struct stat st;
  bool fresh;
  if ((*fault = file_fault(fd, &st))) return OP2_SUCCESS;
  for (int64_t i = 0; i < cache->nimages && !*entry; i++)
    if (cache->images[i].device == st.st_dev && cache->images[i].inode == st.st_ino)
      *entry = op2i_image_entry(cache->images[i].handle, key);
  if (*entry) return OP2_SUCCESS;
  op2_status status = op2i_file_read(fd, &bytes, fault);
  if (status == OP2_SUCCESS && !*fault) *fault = op2i_entry_fault(bytes, key);
  if (status == OP2_SUCCESS && !*fault) {
    status = op2i_entry_fresh(bytes, &fresh);
    if (status == OP2_SUCCESS && fresh) status = load_image(cache, name, &st, key, entry, fault);
  }
  op2i_free(bytes.data);
  return status;
}

op2_status op2i_cache_load(op2_context ctx, struct op2i_cache *cache, struct op2i_key key,
                           void **entry, int64_t *rejected) {
  char name[NAME_ROOM];
  const char *fault = NULL;
  op2_status status = OP2_SUCCESS;
  *entry = NULL;
  if (cache->folder.fd < 0) return OP2_SUCCESS;
  entry_name(name, key);
  int fd = op2i_file_open(cache->folder.fd, name, O_RDONLY | O_NOFOLLOW, 0);
  if (fd >= 0) {
    status = load_file(cache, fd, name, key, entry, &fault);
    close(fd);
  } else if (errno != ENOENT && errno != EMFILE && errno != ENFILE && errno != ENOMEM) {
    fault = strerror(errno);
  }
  if (status != OP2_SUCCESS || !fault) return status;
  ++*rejected;
  op2i_log(ctx, OP2I_LOG_DEBUG, "entry %s of the cache is rejected and made anew: %s", name, fault);
  if (unlinkat(cache->folder.fd, name, 0) != 0) unlinkat(cache->folder.fd, name, AT_REMOVEDIR);
  return OP2_SUCCESS;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void temporary_name(char name[NAME_ROOM]) {
  static atomic_uint counter;
  snprintf(name, NAME_ROOM, TEMPORARY "%ld-%u", (long)getpid(), atomic_fetch_add(&counter, 1));
}

/* A whole file under a name of its own, safely on disk. */
static int write_temporary(struct op2i_cache *cache, struct op2i_bytes entry,
                           char name[NAME_ROOM]) {
  int fd = -1;
  for (int i = 0; fd < 0 && i < TEMPORARY_TRIES; i++) {
    temporary_name(name);
    fd = op2i_file_open(cache->folder.fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd < 0) return errno;
  int error = op2i_file_write(fd, entry.data, entry.size);
  if (!error && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && !error) error = errno;
  if (error) unlinkat(cache->folder.fd, name, 0);
  return error;
}

/* A second name for the file `from`; a copy where the file system has no hard links. */
static int link_temporary(struct op2i_cache *cache, const char *from, struct op2i_bytes entry,
                          char name[NAME_ROOM]) {
  temporary_name(name);
  if (linkat(cache->folder.fd, from, cache->folder.fd, name, 0) == 0) return 0;
  return write_temporary(cache, entry, name);
}

static int publish(struct op2i_cache *cache, const char *temporary, struct op2i_key key) {
  char name[NAME_ROOM];
  entry_name(name, key);
  if (renameat(cache->folder.fd, temporary, cache->folder.fd, name) == 0) return 0;
  int error = errno;
  unlinkat(cache->folder.fd, temporary, 0);
  return error;
}

/* What writers that were killed have left. */
static void sweep(struct op2i_cache *cache) {
  if (cache->swept) return;
  cache->swept = true;
  int fd = openat(cache->folder.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  if (!list) {
    if (fd >= 0) close(fd);
    return;
  }
  for (const struct dirent *item; (item = readdir(list));) {
    struct stat st;
    if (strncmp(item->d_name, TEMPORARY, sizeof TEMPORARY - 1) == 0 &&
        fstatat(fd, item->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        time(NULL) - st.st_mtime > OP2I_STALE_SECONDS)
      unlinkat(fd, item->d_name, 0);
  }
  closedir(list);
}

void op2i_cache_store(op2_context ctx, struct op2i_cache *cache, struct op2i_bytes entry,
                      const struct op2i_key *keys, int64_t nkeys) {
  char first[NAME_ROOM], other[NAME_ROOM];
  if (cache->folder.fd < 0) return;
  sweep(cache);
  int error = write_temporary(cache, entry, first);
  bool written = !error;
  for (int64_t i = 1; i < nkeys && !error; i++) {
    error = link_temporary(cache, first, entry, other);
    if (!error) error = publish(cache, other, keys[i]);
  }
  if (written && !error)
    error = publish(cache, first, keys[0]);
  else if (written)
    unlinkat(cache->folder.fd, first, 0);
  if (!error) return;
  char why[PATH_MAX + 128];
  snprintf(why, sizeof why, "%s: %s", cache->folder.path, strerror(error));
  warn_once(ctx, cache, why);
}
