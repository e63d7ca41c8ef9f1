/* SPDX-License-Identifier: BSD-3-Clause */
#include "header.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "error.h"
#include "mem.h"

struct walk {
  const op2_kernel_desc *desc;
  struct op2i_text *out;
  int depth;
};

enum { DEPTH_MAX = 64 };

static op2_status read_file(const char *path, struct op2i_text *contents) {
  FILE *file = fopen(path, "rb");
  if (!file) return OP2_ERR_IO;
  char piece[8192];
  size_t got;
  while ((got = fread(piece, 1, sizeof piece, file)) > 0) op2i_text_bytes(contents, piece, got);
  int bad = ferror(file);
  fclose(file);
  if (contents->failed) return op2i_error_nomem("a kernel header");
  return bad ? OP2_ERR_IO : OP2_SUCCESS;
}

/* Look beside the including file, then in the kernel's include directories; path is absolute when
 * found. */
static bool find_file(const struct walk *walk, const char *name, const char *beside,
                      char path[PATH_MAX]) {
  char trial[PATH_MAX];
  const char *slash = beside ? strrchr(beside, '/') : NULL;
  if (name[0] == '/' || !slash)
    snprintf(trial, sizeof trial, "%s", name);
  else
    snprintf(trial, sizeof trial, "%.*s/%s", (int)(slash - beside), beside, name);
  if (realpath(trial, path)) return true;
  for (const char *const *dir = walk->desc->includes; dir && *dir; dir++) {
    snprintf(trial, sizeof trial, "%s/%s", *dir, name);
    if (realpath(trial, path)) return true;
  }
  return false;
}

static op2_status digest(struct walk *walk, const char *path);

/* The files that `contents` includes in quotes. One that is not found is left for the compiler to
 * complain about. */
static op2_status digest_nested(struct walk *walk, const char *contents, const char *path) {
  if (walk->depth >= DEPTH_MAX)
    return OP2_SUCCESS; /* a header that includes itself behind a guard */
  for (const char *line = contents; line; line = strchr(line, '\n')) {
    line += strspn(line, "\n \t");
    char name[1024], found[PATH_MAX];
    if (sscanf(line, "# include \"%1023[^\"\n]\"", name) != 1) continue;
    if (!find_file(walk, name, path, found)) continue;
    op2_status status = digest(walk, found);
    if (status) return status;
  }
  return OP2_SUCCESS;
}

static op2_status digest(struct walk *walk, const char *path) {
  struct op2i_text contents = {0};
  op2_status status = read_file(path, &contents);
  if (status == OP2_ERR_IO)
    status = op2i_error(OP2_ERR_IO, "kernel '%s': header %s: %s", walk->desc->name, path,
                        strerror(errno));
  if (!status) {
    XXH128_hash_t hash = XXH3_128bits(contents.chars, contents.length);
    char line[64];
    snprintf(line, sizeof line, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
             (uint64_t)hash.low64);
    bool seen = walk->out->chars && strstr(walk->out->chars, line);
    op2i_text_add(walk->out, "/* %s %s */\n", line, path);
    walk->depth++;
    if (!seen && contents.chars) status = digest_nested(walk, contents.chars, path);
    walk->depth--;
  }
  op2i_text_free(&contents);
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
      return op2i_error(OP2_ERR_IO, "kernel '%s': header %s: not found", desc->name, *header);
    op2i_text_add(out, "#include \"%s\"\n", path);
    op2_status status = digest(&walk, path);
    if (status) return status;
  }
  return out->failed ? op2i_error_nomem("a kernel's headers") : OP2_SUCCESS;
}
