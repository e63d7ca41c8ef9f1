/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of kernels: found as a compiler would, and digested with all that they include, so that
 * code is compiled again when one has changed. */
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
  bool folder; /* the last look-up met a folder of the name */
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

/* Look beside the including file, then in the kernel's include directories; path is absolute when
 * found. */
static bool find_file(struct walk *walk, const char *name, const char *beside,
                      char path[PATH_MAX]) {
  char trial[PATH_MAX];
  const char *slash = beside ? strrchr(beside, '/') : NULL;
  walk->folder = false;
  if (name[0] == '/' || !slash)
    snprintf(trial, sizeof trial, "%s", name);
  else
    snprintf(trial, sizeof trial, "%.*s/%s", (int)(slash - beside), beside, name);
  if (is_there(walk, trial, path)) return true;
  for (const char *const *dir = walk->desc->includes; dir && *dir; dir++) {
    snprintf(trial, sizeof trial, "%s/%s", *dir, name);
    if (is_there(walk, trial, path)) return true;
  }
  return false;
}

static op2_status digest(struct walk *walk, const char *path);

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

/* Whether a line includes a file in quotes, and which. */
static bool quoted_include(const char *line, char *name, size_t size) {
  static const char word[] = "include";
  line += strspn(line, " \t");
  if (*line != '#') return false;
  line += 1 + strspn(line + 1, " \t");
  if (strncmp(line, word, sizeof word - 1) != 0) return false;
  line += sizeof word - 1;
  line += strspn(line, " \t");
  size_t length = *line == '"' ? strcspn(line + 1, "\"\n") : 0;
  if (length == 0 || length >= size || line[1 + length] != '"') return false;
  memcpy(name, line + 1, length);
  name[length] = '\0';
  return true;
}

/* The files that `contents` includes in quotes. One that is not found is left for the compiler to
 * complain about. */
static op2_status digest_nested(struct walk *walk, const char *contents, const char *path) {
  if (walk->depth >= DEPTH_MAX)
    return OP2_SUCCESS; /* a header that includes itself behind a guard */
  for (const char *line = contents; line; line = next_line(line)) {
    char name[1024], found[PATH_MAX];
    if (!quoted_include(line, name, sizeof name)) continue;
    if (!find_file(walk, name, path, found)) continue;
    op2_status status = digest(walk, found);
    if (status) return status;
  }
  return OP2_SUCCESS;
}

static op2_status digest(struct walk *walk, const char *path) {
  struct op2i_bytes contents = {0};
  const char *fault;
  op2_status status = op2i_file_load(path, &contents, &fault);
  if (!status && fault)
    status = op2i_error(OP2_ERR_IO, "kernel '%s': header %s: %s", walk->desc->name, path, fault);
  if (!status) {
    XXH128_hash_t hash = XXH3_128bits(contents.data, contents.size);
    char line[PATH_MAX + 64]; /* with the path: what stands beside an equal file may be another */
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
    if ((*header)[0] == '<') {
      op2i_text_add(out, "#include %s\n", *header);
      continue;
    }
    char path[PATH_MAX];
    if (!find_file(&walk, *header, desc->file, path))
      return op2i_error(OP2_ERR_IO, "kernel '%s': header %s: %s", desc->name, *header,
                        walk.folder ? "it is a directory" : "not found");
    op2i_text_add(out, "#include \"%s\"\n", path);
    op2_status status = digest(&walk, path);
    if (status) return status;
  }
  return out->failed ? op2i_error_nomem("a kernel's headers") : OP2_SUCCESS;
}
