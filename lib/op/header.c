/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of kernels are found as a compiler would find them, and digested with all that they
 * include, so that code is compiled again when one of them has changed. */
#include "header.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "error.h"
#include "file.h"
#include "mem.h"

struct walk {
  const op2_kernel_desc *desc;
  struct op2i_text *out;
  int depth;
  bool folder; /* the last look-up found a folder of the name */
};

enum { DEPTH_MAX = 64 };

/* Compilers pass folders over when they look for a header. */
static bool is_there(struct walk *walk, const char *trial, char path[PATH_MAX]) {
  struct stat st;
  if (!realpath(trial, path)) return false;
  bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
  walk->folder |= folder;
  return !folder;
}

/* Look in the kernel's include directories; path is absolute when found. */
static bool find_in_folders(struct walk *walk, const char *name, char path[PATH_MAX]) {
  char trial[PATH_MAX];
  for (const char *const *dir = walk->desc->includes; dir && *dir; dir++) {
    snprintf(trial, sizeof trial, "%s/%s", *dir, name);
    if (is_there(walk, trial, path)) return true;
  }
  return false;
}

/* Look beside the including file, then in the kernel's include directories. */
static bool find_file(struct walk *walk, const char *name, const char *beside,
                      char path[PATH_MAX]) {
  char trial[PATH_MAX];
  const char *slash = beside ? strrchr(beside, '/') : NULL;
  walk->folder = false;
  if (name[0] == '/' || !slash)
    snprintf(trial, sizeof trial, "%s", name);
  else
    snprintf(trial, sizeof trial, "%.*s/%s", (int)(slash - beside), beside, name);
  return is_there(walk, trial, path) || find_in_folders(walk, name, path);
}

bool op2i_header_find(const op2_kernel_desc *desc, const char *name, const char *beside,
                      char path[PATH_MAX]) {
  struct walk walk = {.desc = desc};
  return find_file(&walk, name, beside, path);
}

static op2_status digest(struct walk *walk, const char *path);

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

static bool starts(const char *text, const char *word) {
  return strncmp(text, word, strlen(word)) == 0;
}

/* Find the next file that a directive includes or tests for, from *at on, and whether its name is
 * in quotes: #include "name", #include <name>, __has_include("name"). */
static bool next_included(const char **at, char *name, size_t size, bool *quoted) {
  for (const char *text = *at; *text && *text != '\n'; text++) {
    if (!starts(text, "include")) continue;
    text += strlen("include");
    if (starts(text, "_next")) text += strlen("_next");
    text += strspn(text, " \t(");
    *quoted = *text == '"';
    size_t length = *quoted || *text == '<' ? strcspn(text + 1, *quoted ? "\"\n" : ">\n") : 0;
    if (length == 0 || length >= size || text[1 + length] != (*quoted ? '"' : '>')) {
      text--; /* another word, as in `defined __has_include && __has_include("name")` */
      continue;
    }
    *at = text + length;
    memcpy(name, text + 1, length);
    name[length] = '\0';
    return true;
  }
  return false;
}

/* Digest the files that a directive names. A file that is not found is the system's, or the
 * compiler will report it. */
static op2_status digest_directive(struct walk *walk, const char *at, const char *path) {
  char name[1024], found[PATH_MAX];
  bool quoted;
  op2_status status = OP2_SUCCESS;
  while (!status && next_included(&at, name, sizeof name, &quoted))
    if (quoted ? find_file(walk, name, path, found) : find_in_folders(walk, name, found))
      status = digest(walk, found);
  return status;
}

static op2_status digest_nested(struct walk *walk, const char *contents, const char *path) {
  op2_status status = OP2_SUCCESS;
  if (walk->depth >= DEPTH_MAX)
    return OP2_SUCCESS; /* a header that includes itself behind a guard */
  for (const char *line = contents; line && !status; line = next_line(line)) {
    const char *at = line + strspn(line, " \t");
    if (*at == '#') status = digest_directive(walk, at, path);
  }
  return status;
}

static op2_status digest(struct walk *walk, const char *path) {
  struct op2i_bytes contents = {0};
  const char *fault;
  op2_status status = op2i_file_load(path, &contents, &fault);
  if (!status && fault)
    status = op2i_error(OP2_ERR_IO, "kernel '%s': header %s: %s", walk->desc->name, path, fault);
  if (!status) {
    XXH128_hash_t hash = XXH3_128bits(contents.data, contents.size);
    char line[PATH_MAX + 64]; /* with the path: equal files may have different files beside them */
    snprintf(line, sizeof line, "/* %016" PRIx64 "%016" PRIx64 " %s */\n", (uint64_t)hash.high64,
             (uint64_t)hash.low64, path);
    bool seen = walk->out->chars && strstr(walk->out->chars, line);
    op2i_text_add(walk->out, "%s", line);
    walk->depth++;
    if (!seen) status = digest_nested(walk, (const char *)contents.data, path);
    walk->depth--;
  }
  op2i_free(contents.data);
  return status;
}

op2_status op2i_headers_collect(const op2_kernel_desc *desc, struct op2i_text *out) {
  struct walk walk = {.desc = desc, .out = out};
  for (const char *const *header = desc->headers; header && *header; header++) {
    char path[PATH_MAX];
    if ((*header)[0] == '<') {
      op2i_text_add(out, "#include %s\n", *header);
      snprintf(path, sizeof path, "include %s", *header);
      op2_status status = digest_directive(&walk, path, NULL);
      if (status) return status;
      continue;
    }
    if (!find_file(&walk, *header, desc->file, path))
      return op2i_error(OP2_ERR_IO, "kernel '%s': header %s: %s", desc->name, *header,
                        walk.folder ? "it is a directory" : "not found");
    op2i_text_add(out, "#include \"%s\"\n", path);
    op2_status status = digest(&walk, path);
    if (status) return status;
  }
  return out->failed ? op2i_error_nomem("a kernel's headers") : OP2_SUCCESS;
}
