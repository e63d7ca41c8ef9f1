/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_T3_RIG_H
#define OP2_TEST_T3_RIG_H

/* Shared by the tests of compile-and-load: a folder of their own, contexts with only the objects
 * that this part needs, small sources, and the text written to stderr. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code.h"
#include "context.h"
#include "error.h"
#include "jit.h"
#include "mem.h"
#include "tap.h"

enum { RIG_PATH = 512 };
static char rig_root[RIG_PATH];

static inline void rig_path(char path[RIG_PATH], const char *format, ...) {
  char tail[RIG_PATH / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(tail, sizeof tail, format, args);
  va_end(args);
  snprintf(path, RIG_PATH, "%.200s/%s", rig_root, tail);
}

static inline int rig_remove_one(const char *path, const struct stat *st, int type,
                                 struct FTW *where) {
  (void)st, (void)type, (void)where;
  return remove(path);
}
static inline void rig_remove(const char *path) {
  nftw(path, rig_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static inline void rig_open(void) {
  const char *place = getenv("TMPDIR");
  snprintf(rig_root, sizeof rig_root, "%.180s/op2-test-XXXXXX", place ? place : P_tmpdir);
  if (!mkdtemp(rig_root)) {
    perror(rig_root);
    exit(1);
  }
  /* The tests must not touch the cache of the user who runs them, and they search for scratch
   * folders below. */
  setenv("HOME", rig_root, 1);
  unsetenv("XDG_CACHE_HOME");
  setenv("TMPDIR", rig_root, 1);
}
static inline void rig_close(void) { rig_remove(rig_root); }

static inline op2_context rig_context(const char *cache_dir, const char *cc, const char *cflags) {
  op2_context ctx = calloc(1, sizeof *ctx);
  ctx->config.cache_dir = cache_dir ? strdup(cache_dir) : NULL;
  ctx->config.cc = cc ? strdup(cc) : NULL;
  ctx->config.cflags = strdup(cflags ? cflags : "-O0");
  ctx->config.log_level = 2;
  return ctx;
}
static inline void rig_end(op2_context ctx) {
  op2i_jit_close(ctx);
  free(ctx->config.cache_dir);
  free(ctx->config.cc);
  free(ctx->config.cflags);
  free(ctx);
}
static inline struct op2i_jit_stats rig_stats(op2_context ctx) {
  struct op2i_jit_stats stats;
  op2i_jit_statistics(ctx, &stats);
  return stats;
}

typedef double (*rig_fn)(double);
/* Write the source of x -> factor * x + 1; `more` is file-scope text before it. */
static inline void rig_source(char *source, size_t size, double factor, const char *more) {
  snprintf(source, size,
           "#ifndef OP2_NAME\n#define OP2_PASTE_(a, b) a##_##b\n#define OP2_PASTE(a, b) "
           "OP2_PASTE_(a, b)\n"
           "#define OP2_NAME(x) OP2_PASTE(x, OP2_ID)\n#endif\n%s\n"
           "static double OP2_NAME(step)(double x) { return x * %a; }\n"
           "double OP2_NAME(op2_entry)(double x) { return OP2_NAME(step)(x) + 1; }\n",
           more ? more : "", factor);
}

/* Get the function of one source and return true if it computes the right value; the caller frees
 * the unit's outputs. */
static inline bool rig_get(op2_context ctx, double factor, const char *more,
                           struct op2i_jit_code *unit) {
  char source[4096];
  rig_source(source, sizeof source, factor, more);
  *unit = (struct op2i_jit_code){.source = source, .mergeable = true, .label = "step"};
  op2_status status = op2i_jit_get(ctx, 1, unit);
  unit->source = NULL;
  if (status != OP2_SUCCESS || unit->status != OP2_SUCCESS || !unit->function) {
    if (unit->message) diag("%s", unit->message);
    return false;
  }
  return ((rig_fn)unit->function)(3.0) == 3.0 * factor + 1;
}
/* As rig_get(), in a context of its own; *stats are that context's. */
static inline bool rig_once(const char *cache_dir, double factor, struct op2i_jit_stats *stats) {
  op2_context ctx = rig_context(cache_dir, NULL, NULL);
  struct op2i_jit_code unit;
  bool good = rig_get(ctx, factor, NULL, &unit);
  free(unit.message);
  if (stats) *stats = rig_stats(ctx);
  rig_end(ctx);
  return good;
}

/* The only entry (or one of several) in a cache folder; false if there is none. */
static inline bool rig_find_entry(const char *cache_dir, char path[RIG_PATH]) {
  char folder[RIG_PATH];
  bool found = false;
  snprintf(folder, sizeof folder, "%.400s/" OP2I_ABI, cache_dir);
  DIR *list = opendir(folder);
  for (struct dirent *item; list && !found && (item = readdir(list));) {
    size_t length = strlen(item->d_name);
    found = length > 3 && strcmp(item->d_name + length - 3, ".so") == 0;
    if (found) snprintf(path, RIG_PATH, "%.400s/%.100s", folder, item->d_name);
  }
  if (list) closedir(list);
  return found;
}
/* The number of names in a folder with this prefix; "" counts all but . and .. */
static inline int rig_count(const char *folder, const char *prefix) {
  int count = 0;
  DIR *list = opendir(folder);
  for (struct dirent *item; list && (item = readdir(list));)
    count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0 &&
             strncmp(item->d_name, prefix, strlen(prefix)) == 0;
  if (list) closedir(list);
  return count;
}

static inline unsigned char *rig_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = malloc(1 << 20);
  *size = file ? fread(bytes, 1, 1 << 20, file) : 0;
  if (file) fclose(file);
  return bytes;
}
/* Overwrite a file in place, keeping its inode. */
static inline void rig_write(const char *path, const void *bytes, size_t size, mode_t mode) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) perror(path);
  if (fd >= 0) {
    fchmod(fd, mode);
    close(fd);
  }
}
/* For scripts in the place of a compiler: queries about the compiler go straight to the real
 * one. */
#define RIG_ASKED "case \" $* \" in *' -### '* | *' -E '*) exec cc \"$@\" ;; esac\n"
static inline void rig_script(char path[RIG_PATH], const char *name, const char *text) {
  rig_path(path, "%s", name);
  rig_write(path, text, strlen(text), 0755);
}

/* Everything that is written to stderr between the two calls, as text. */
static int rig_saved_stderr = -1;
static inline void rig_listen(void) {
  char path[RIG_PATH];
  rig_path(path, "stderr");
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  fflush(stderr);
  rig_saved_stderr = dup(2);
  dup2(fd, 2);
  close(fd);
}
static inline const char *rig_heard(void) {
  static char heard[65536];
  fflush(stderr);
  ssize_t length = pread(2, heard, sizeof heard - 1, 0);
  heard[length > 0 ? length : 0] = '\0';
  dup2(rig_saved_stderr, 2);
  close(rig_saved_stderr);
  return heard;
}
static inline int rig_occurrences(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text++) count++;
  return count;
}

/* Compile two loops with a cache in this folder; returns the warnings of a context about it. */
static inline const char *rig_try_folder(const char *cache, const char *what) {
  struct op2i_jit_code unit;
  op2_context ctx = rig_context(cache, NULL, NULL);
  rig_listen();
  bool right = rig_get(ctx, 2, NULL, &unit);
  right = rig_get(ctx, 3, NULL, &unit) && right;
  const char *heard = rig_heard();
  ok(right, "%s: right numbers", what);
  rig_end(ctx);
  return heard;
}

#endif
