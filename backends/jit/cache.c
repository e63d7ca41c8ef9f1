/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of compiled loops on disk. Entries are verified before they are loaded, and written
 * under another name and renamed. */
#define _GNU_SOURCE
#include "cache.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "code.h"
#include "context.h"
#include "depend.h"
#include "error.h"
#include "jit_state.h"
#include "load.h"
#include "log.h"
#include "mem.h"
#include "prune.h"
#include "query.h"
#include "trust.h"

enum { NAME_ROOM = OP2I_PRUNE_NAME, TEMPORARY_TRIES = 100 };

/* ---- the folder ------------------------------------------------------------------------------ */

static void warn_once(op2_context ctx, struct op2i_cache *cache, const char *why) {
  const char *by = ctx->config.cache_dir_by;
  if (cache->warned) return;
  cache->warned = true;
  op2i_log(ctx, OP2I_LOG_WARN, "compiled loops are not kept for later runs: %s%s%s%s",
           by ? "of " : "", by ? by : "", by ? ", " : "", why);
}

/* If trusted users share the cache, the folder for this version is opened to the same users as its
 * parent. */
static void make_shared(const struct op2i_folder *folder) {
  struct stat st;
  if (fstat(folder->fd, &st) != 0 || mkdirat(folder->fd, OP2I_ABI, 0700) != 0) return;
  int fd = openat(folder->fd, OP2I_ABI, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && fchown(fd, (uid_t)-1, st.st_gid) == 0) (void)!fchmod(fd, st.st_mode & 07777);
  if (fd >= 0) close(fd);
}

/* Open the folder itself, and in it the folder for this version of generated code. */
static op2_status try_folder(struct op2i_cache *cache, const char *path, const char *trust,
                             struct op2i_text *why) {
  char inner[PATH_MAX];
  op2_status status = op2i_folder_open(&cache->folder, path, trust, why);
  if (status != OP2_SUCCESS || cache->folder.fd < 0) return status;
  if (trust) make_shared(&cache->folder);
  int length = snprintf(inner, sizeof inner, "%s/" OP2I_ABI, cache->folder.path);
  op2i_folder_close(&cache->folder);
  if (length < (int)sizeof inner) return op2i_folder_open(&cache->folder, inner, trust, why);
  op2i_text_add(why, "%s: %s", path, strerror(ENAMETOOLONG));
  return why->failed ? op2i_error_nomem("a message") : OP2_SUCCESS;
}

/* Default folders in order of preference; null: no such folder. */
static const char *default_place(int i, char path[PATH_MAX]) {
  const char *base = op2i_env_system(i == 0 ? "XDG_CACHE_HOME" : i == 1 ? "HOME" : "TMPDIR");
  int length;
  if (i == 2 && !base) base = P_tmpdir;
  /* The XDG base directory specification requires that relative settings are ignored. */
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

/* Open the requested folder, or the first usable default one. If another user could replace the
 * requested folder, the last default one is used instead. */
static op2_status choose_folder(op2_context ctx, struct op2i_cache *cache, bool *unsafe,
                                struct op2i_text *why) {
  const char *asked = ctx->config.cache_dir;
  op2_status status = OP2_SUCCESS;
  if (asked) status = try_folder(cache, asked, ctx->config.cache_trust, why);
  *unsafe = cache->folder.unsafe;
  int first = !asked ? 0 : *unsafe ? DEFAULT_PLACES - 1 : DEFAULT_PLACES;
  for (int i = first; i < DEFAULT_PLACES && cache->folder.fd < 0 && !status; i++) {
    char path[PATH_MAX];
    if (default_place(i, path)) status = try_folder(cache, path, ctx->config.cache_trust, why);
    *unsafe |= cache->folder.unsafe;
  }
  return status;
}

op2_status op2i_cache_open(op2_context ctx, struct op2i_cache *cache) {
  struct op2i_text why = {0};
  bool unsafe;
  *cache = (struct op2i_cache){.folder.fd = -1, .shared = ctx->config.cache_trust != NULL};
  op2_status status = choose_folder(ctx, cache, &unsafe, &why);
  if (status == OP2_SUCCESS && cache->folder.fd < 0)
    warn_once(ctx, cache, why.length ? why.chars : "no folder");
  else if (status == OP2_SUCCESS && cache->folder.unknown)
    op2i_log(ctx, OP2I_LOG_WARN,
             "the owner of folders above %s has no number in this user namespace and is taken for "
             "root",
             cache->folder.path);
  if (status == OP2_SUCCESS && cache->folder.fd >= 0)
    op2i_log(ctx, unsafe ? OP2I_LOG_WARN : OP2I_LOG_DEBUG, "compiled loops are kept in %s%s%s%s",
             cache->folder.path, why.length ? "; not in " : "", why.length ? why.chars : "",
             unsafe ? " (OP2_CACHE_TRUST names users and groups with whom it may be shared)" : "");
  op2i_text_free(&why);
  return status;
}

void op2i_cache_close(struct op2i_cache *cache) {
  while (cache->nimages > 0) op2i_image_unload(cache->images[--cache->nimages]);
  op2i_free(cache->images);
  op2i_free(cache->checked);
  op2i_folder_close(&cache->folder);
  *cache = (struct op2i_cache){.folder.fd = -1};
}

/* ---- images ---------------------------------------------------------------------------------- */

op2_status op2i_image_load(op2_context ctx, struct op2i_bytes image, struct op2i_key key,
                           const struct stat *file, struct op2i_image **loaded, bool *refused,
                           struct op2i_text *why) {
  struct op2i_cache *cache = &ctx->jit->cache;
  char name[OP2I_KEY_CHARS];
  void *handle = NULL;
  *loaded = NULL;
  if (op2i_grow(&cache->images, sizeof(struct op2i_image *), cache->nimages, &cache->capacity) != 0)
    return op2i_error_nomem("the table of loaded loops");
  struct op2i_image *made = op2i_calloc(1, sizeof *made);
  if (!made) return op2i_error_nomem("the table of loaded loops");
  op2i_key_text(key, name);
  op2_status status =
      op2i_load(image, name, &ctx->jit->scratch, cache->folder.path, &handle, refused, why);
  if (!handle) {
    op2i_free(made);
    return status;
  }
  *made = (struct op2i_image){.device = file ? file->st_dev : 0,
                              .inode = file ? file->st_ino : 0,
                              .handle = handle,
                              .idle_since = cache->times_idle++};
  cache->images[cache->nimages++] = *loaded = made;
  return status;
}

void op2i_image_depends(struct op2i_image *image, struct op2i_bytes *list) {
  op2i_free(image->list.data);
  image->list = *list;
  *list = (struct op2i_bytes){0};
}

void *op2i_image_function(void *handle, struct op2i_key key) {
  char name[NAME_ROOM] = "op2_entry_k";
  op2i_key_text(key, name + strlen(name));
  return dlsym(handle, name);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* An entry has a second name, under which it is found if there is no compiler. */
static void entry_name(char name[NAME_ROOM], struct op2i_key key, bool plain) {
  op2i_key_text(key, name);
  strcat(name, plain ? OP2I_PLAIN_SUFFIX : ".so");
}

static const char *file_fault(const char *trust, int fd, struct stat *st) {
  if (fstat(fd, st) != 0) return strerror(errno);
  if (!S_ISREG(st->st_mode)) return "it is not a regular file";
  if (!op2i_trust_user(trust, st->st_uid)) return "it belongs to another user";
  if (st->st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
  return NULL;
}

/* ---- dependencies of entries ----------------------------------------------------------------- */

static bool was_checked(const struct op2i_cache *cache, struct op2i_key digest) {
  for (int64_t i = 0; i < cache->nchecked; i++)
    if (op2i_key_equal(cache->checked[i], digest)) return true;
  return false;
}

/* Report, once in a context, that code is used which could not be compiled on this machine. */
static void report_unverified(op2_context ctx, bool absent) {
  struct op2i_cache *cache = &ctx->jit->cache;
  if (cache->reported > (int)absent) return;
  cache->reported = 1 + (int)absent;
  op2i_log(ctx, OP2I_LOG_INFO, "compiled loops of %s are used though %s: %s", cache->folder.path,
           ctx->jit->compiler.missing.chars,
           absent ? "the files that they were compiled from are unchanged or not here"
                  : "the files that they were compiled from are unchanged");
}

static op2_status note_outdated(op2_context ctx, const char *why) {
  struct op2i_jit *jit = ctx->jit;
  op2i_query_forget(jit);
  if (!jit->compiler.missing.length) {
    op2i_log(ctx, OP2I_LOG_DEBUG, "an entry of the cache is made anew: %s", why);
    return OP2_SUCCESS;
  }
  op2i_free(jit->outdated);
  jit->outdated = op2i_strdup(why);
  return jit->outdated ? OP2_SUCCESS : op2i_error_nomem("a message");
}

/* Loops without headers of their own usually depend on the same system headers, which are checked
 * once in a context. */
static op2_status is_fresh(op2_context ctx, struct op2i_bytes list,
                           const struct op2i_jit_code *code, bool *fresh) {
  struct op2i_cache *cache = &ctx->jit->cache;
  struct op2i_key digest = op2i_digest(list.data, list.size);
  struct op2i_text why = {0};
  bool absent;
  *fresh = code->mergeable && was_checked(cache, digest);
  if (*fresh) return OP2_SUCCESS;
  op2_status status = op2i_depend_check(ctx, list, code, fresh, &absent, &why);
  if (!status && *fresh && ctx->jit->compiler.missing.length) report_unverified(ctx, absent);
  if (!status && !*fresh) {
    status = note_outdated(ctx, why.chars);
  } else if (!status && code->mergeable) {
    if (op2i_grow(&cache->checked, sizeof digest, cache->nchecked, &cache->checked_capacity))
      status = op2i_error_nomem("the table of loaded loops");
    else
      cache->checked[cache->nchecked++] = digest;
  }
  op2i_text_free(&why);
  return status;
}

static op2_status copy_list(struct op2i_image *image, struct op2i_bytes list) {
  struct op2i_bytes copy = {op2i_malloc(list.size + 1), list.size};
  if (!copy.data) return op2i_error_nomem("the table of loaded loops");
  if (list.size) memcpy(copy.data, list.data, list.size);
  op2i_image_depends(image, &copy);
  return OP2_SUCCESS;
}

/* Load an entry whose bytes are sound. */
static op2_status load_image(op2_context ctx, struct op2i_bytes bytes, const struct stat *st,
                             const struct op2i_request *request, struct op2i_image **image,
                             const char **fault) {
  struct op2i_text why = {0};
  bool refused;
  op2_status status = op2i_image_load(ctx, bytes, request->key, st, image, &refused, &why);
  if (status == OP2_SUCCESS && !*image) {
    if (refused) *fault = "it does not load";
    op2i_log(ctx, OP2I_LOG_DEBUG, "%s", why.chars);
    if (ctx->jit->compiler.missing.length) status = note_outdated(ctx, why.chars);
  }
  op2i_text_free(&why);
  if (!*image) return status;
  status = copy_list(*image, op2i_entry_list(bytes));
  request->code->function = op2i_image_function((*image)->handle, request->plain);
  if (!request->code->function) *fault = "it lacks the function";
  return status;
}

/* Find the function in an image that was loaded from the same file. */
static void find_loaded(const struct op2i_cache *cache, const struct stat *st,
                        const struct op2i_request *request, struct op2i_image **image) {
  for (int64_t i = 0; i < cache->nimages && !request->code->function; i++) {
    struct op2i_image *loaded = cache->images[i];
    if (loaded->device != st->st_dev || loaded->inode != st->st_ino) continue;
    request->code->function = op2i_image_function(loaded->handle, request->plain);
    *image = loaded;
  }
}

/* The verified bytes are loaded, not the file, which could have been replaced since. */
static op2_status load_file(op2_context ctx, int fd, const struct op2i_request *request,
                            struct op2i_image **image, const char **fault) {
  struct op2i_bytes bytes = {0};
  struct stat st;
  bool fresh;
  if ((*fault = file_fault(ctx->config.cache_trust, fd, &st))) return OP2_SUCCESS;
  if (request->code->mergeable) find_loaded(&ctx->jit->cache, &st, request, image);
  if (request->code->function) return OP2_SUCCESS;
  op2_status status = op2i_file_read(fd, &bytes, fault);
  if (status == OP2_SUCCESS && !*fault) *fault = op2i_entry_fault(bytes, request->key);
  if (status == OP2_SUCCESS && !*fault) {
    status = is_fresh(ctx, op2i_entry_list(bytes), request->code, &fresh);
    if (status == OP2_SUCCESS && fresh) status = load_image(ctx, bytes, &st, request, image, fault);
  }
  op2i_free(bytes.data);
  return status;
}

/* Free the name of an entry, whatever is there. */
static int discard(const struct op2i_cache *cache, const char *name) {
  char aside[NAME_ROOM];
  op2i_temporary_name(aside);
  return op2i_folder_discard(cache->folder.fd, name, aside);
}

static void reject(op2_context ctx, struct op2i_cache *cache, const char *name, const char *fault) {
  char why[PATH_MAX + 256];
  op2i_log(ctx, OP2I_LOG_DEBUG, "entry %s of the cache is rejected and made anew: %s", name, fault);
  int error = discard(cache, name);
  if (!error || error == ENOENT || error == EROFS) return;
  snprintf(why, sizeof why, "%s/%s is in the way (%s) and cannot be removed: %s",
           cache->folder.path, name, fault, strerror(error));
  warn_once(ctx, cache, why);
}

op2_status op2i_cache_load(op2_context ctx, struct op2i_cache *cache,
                           const struct op2i_request *request, struct op2i_image **image,
                           int64_t *rejected) {
  char name[NAME_ROOM];
  const char *fault = NULL;
  op2_status status = OP2_SUCCESS;
  request->code->function = NULL;
  if (cache->folder.fd < 0) return OP2_SUCCESS;
  entry_name(name, request->key, ctx->jit->compiler.missing.length > 0);
  int fd = op2i_file_open(cache->folder.fd, name, O_RDONLY | O_NOFOLLOW, 0);
  if (fd >= 0) {
    status = load_file(ctx, fd, request, image, &fault);
    if (request->code->function) op2i_prune_renew(fd);
    close(fd);
  } else if (errno != ENOENT && errno != EMFILE && errno != ENFILE && errno != ENOMEM) {
    fault = strerror(errno);
  }
  if (status != OP2_SUCCESS || !fault) return status;
  ++*rejected;
  reject(ctx, cache, name, fault);
  return OP2_SUCCESS;
}

/* The image comes first in an entry, so that it can stay at the start of the memory it was read
 * to. */
static op2_status read_image(const char *trust, int fd, struct op2i_key key, void **image,
                             size_t *size, const char **fault) {
  struct op2i_bytes bytes = {0};
  struct stat st;
  if ((*fault = file_fault(trust, fd, &st))) return OP2_SUCCESS;
  op2_status status = op2i_file_read(fd, &bytes, fault);
  if (status || *fault) return status;
  struct op2i_bytes found = op2i_entry_image(bytes, key);
  if (!found.data) {
    *fault = "it is damaged, or not ours";
    op2i_free(bytes.data);
    return OP2_SUCCESS;
  }
  *image = bytes.data;
  *size = found.size;
  return OP2_SUCCESS;
}

op2_status op2i_cache_read(op2_context ctx, struct op2i_cache *cache, struct op2i_key key,
                           void **image, size_t *size, int64_t *rejected) {
  char name[NAME_ROOM];
  const char *fault = NULL;
  *image = NULL;
  if (cache->folder.fd < 0) return OP2_SUCCESS;
  entry_name(name, key, false);
  int fd = op2i_file_open(cache->folder.fd, name, O_RDONLY | O_NOFOLLOW, 0);
  if (fd < 0) return OP2_SUCCESS;
  op2_status status = read_image(ctx->config.cache_trust, fd, key, image, size, &fault);
  if (*image) op2i_prune_renew(fd);
  close(fd);
  if (status || !fault) return status;
  ++*rejected;
  reject(ctx, cache, name, fault);
  return OP2_SUCCESS;
}

op2_status op2i_cache_file(op2_context ctx, struct op2i_cache *cache, const char *name,
                           struct op2i_bytes *bytes) {
  struct stat st;
  const char *fault;
  if (cache->folder.fd < 0) return OP2_SUCCESS;
  int fd = op2i_file_open(cache->folder.fd, name, O_RDONLY | O_NOFOLLOW, 0);
  if (fd < 0) return OP2_SUCCESS;
  op2_status status = OP2_SUCCESS;
  if (!file_fault(ctx->config.cache_trust, fd, &st)) status = op2i_file_read(fd, bytes, &fault);
  op2i_prune_renew(fd);
  close(fd);
  return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Write a whole file under a unique name, and force it to disk. */
static int write_temporary(struct op2i_cache *cache, struct op2i_bytes entry,
                           char name[NAME_ROOM]) {
  int fd = -1;
  for (int i = 0; fd < 0 && i < TEMPORARY_TRIES; i++) {
    op2i_temporary_name(name);
    fd = op2i_file_open(cache->folder.fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd < 0) return errno;
  int error = op2i_file_write(fd, entry.data, entry.size);
  if (!error && cache->shared && fchmod(fd, 0644) != 0) error = errno;
  if (!error && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && !error) error = errno;
  if (error) unlinkat(cache->folder.fd, name, 0);
  return error;
}

/* Make a second name for the file `from`; it is a copy if the file system has no hard links. */
static int link_temporary(struct op2i_cache *cache, const char *from, struct op2i_bytes entry,
                          char name[NAME_ROOM]) {
  op2i_temporary_name(name);
  if (linkat(cache->folder.fd, from, cache->folder.fd, name, 0) == 0) return 0;
  return write_temporary(cache, entry, name);
}

static int publish(struct op2i_cache *cache, const char *temporary, const char *name) {
  if (renameat(cache->folder.fd, temporary, cache->folder.fd, name) == 0) return 0;
  int error =
      errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST ? discard(cache, name) : errno;
  if (!error && renameat(cache->folder.fd, temporary, cache->folder.fd, name) != 0) error = errno;
  if (!error) return 0;
  unlinkat(cache->folder.fd, temporary, 0);
  return error;
}

/* Remove files that killed writers have left. */
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
    if (strncmp(item->d_name, OP2I_TEMPORARY, sizeof OP2I_TEMPORARY - 1) == 0 &&
        fstatat(fd, item->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        time(NULL) - st.st_mtime > OP2I_STALE_SECONDS)
      op2i_folder_discard(fd, item->d_name, NULL);
  }
  closedir(list);
}

/* The folder's size is counted at the first entry that this context writes, and again when the
 * entries written since may exceed the limit. */
static void keep_limit(op2_context ctx, struct op2i_cache *cache, size_t written) {
  const int64_t limit = (int64_t)ctx->config.cache_mb << 20;
  int64_t removed;
  cache->bytes += (int64_t)written;
  if (!limit || (cache->counted && cache->bytes <= limit)) return;
  cache->counted = true;
  cache->bytes = op2i_prune(cache->folder.fd, limit, &removed);
  if (removed)
    op2i_log(ctx, OP2I_LOG_DEBUG,
             "%" PRId64 " compiled loops that were not used for longest are no longer kept "
             "(OP2_CACHE_MB=%d)",
             removed, ctx->config.cache_mb);
  /* If all entries are recent, this is not repeated for each new entry. */
  if (cache->bytes > limit) cache->bytes = limit / 4 * 3;
}

/* Warn, once, that the folder could not be written to; 0: it could. */
static void warn_of(op2_context ctx, struct op2i_cache *cache, int error) {
  char why[PATH_MAX + 128];
  if (!error) return;
  snprintf(why, sizeof why, "%s: %s", cache->folder.path, strerror(error));
  warn_once(ctx, cache, why);
}

void op2i_cache_store(op2_context ctx, struct op2i_cache *cache, struct op2i_bytes entry,
                      const struct op2i_key *keys, int64_t nkeys) {
  char first[NAME_ROOM], other[NAME_ROOM], name[NAME_ROOM];
  if (cache->folder.fd < 0) return;
  sweep(cache);
  int error = write_temporary(cache, entry, first);
  bool written = !error;
  for (int64_t i = 1; i < nkeys && !error; i++) {
    error = link_temporary(cache, first, entry, other);
    entry_name(name, keys[i], i % 2);
    if (!error) error = publish(cache, other, name);
  }
  entry_name(name, keys[0], false);
  if (written && !error)
    error = publish(cache, first, name);
  else if (written)
    unlinkat(cache->folder.fd, first, 0);
  if (written && !error) keep_limit(ctx, cache, entry.size);
  warn_of(ctx, cache, error);
}

void op2i_cache_put(op2_context ctx, struct op2i_cache *cache, const char *name,
                    struct op2i_bytes bytes) {
  char temporary[NAME_ROOM];
  if (cache->folder.fd < 0) return;
  int error = write_temporary(cache, bytes, temporary);
  if (!error) error = publish(cache, temporary, name);
  if (!error) keep_limit(ctx, cache, bytes.size);
  warn_of(ctx, cache, error);
}
