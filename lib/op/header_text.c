/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts the contents of a kernel's headers in the place of the lines that include them, as a
 * preprocessor does, so that what they define can become vector code. */
#include "header_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "header.h"
#include "mem.h"

/* More text than this is not put together: the kernel's own headers are meant, not a library's. */
enum { DEPTH_MAX = 32, BYTES_MAX = 1 << 20 };

struct expansion {
  const op2_kernel_desc *desc;
  struct op2i_whole *out;
  struct op2i_text once; /* paths of files that say #pragma once, a line for each */
  int64_t capacity;
  int depth;
  bool any, failed, large;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void add_line(struct expansion *x, const char *at, size_t length, int line) {
  struct op2i_whole *out = x->out;
  if (out->text.length + length > BYTES_MAX) x->large = true;
  if (x->large) return;
  op2i_text_bytes(&out->text, at, length);
  op2i_text_bytes(&out->text, "\n", 1);
  if (op2i_grow(&out->lines, sizeof *out->lines, out->nlines, &x->capacity))
    x->failed = true;
  else
    out->lines[out->nlines++] = line;
}

/* The position behind a string or character constant that begins at `at`. */
static const char *past_quoted(const char *at, const char *end) {
  const char quote = *at++;
  while (at < end && *at != quote) at += *at == '\\' ? 2 : 1;
  return at < end ? at + 1 : end;
}

/* True if a comment that may have begun before the line is still open behind it. */
static bool comment_behind(const char *at, const char *end, bool open) {
  while (at < end) {
    if (open) {
      open = !(at[0] == '*' && at[1] == '/');
      at += open ? 1 : 2;
    } else if (at[0] == '/' && at[1] == '*') {
      open = true;
      at += 2;
    } else if (at[0] == '/' && at[1] == '/') {
      return false;
    } else {
      at = *at == '"' || *at == '\'' ? past_quoted(at, end) : at + 1;
    }
  }
  return open;
}

/* The word of a directive, or the end of the line. */
static const char *directive(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  if (at == end || *at != '#') return end;
  at++;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  return at;
}

static bool begins(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - at) >= length && !memcmp(at, word, length);
}

/* Copy the name of an #include "name". */
static bool included(const char *at, const char *end, char *name, size_t room) {
  at = directive(at, end);
  if (!begins(at, end, "include")) return false;
  at += strlen("include");
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  if (at == end || *at != '"') return false;
  const char *behind = memchr(at + 1, '"', (size_t)(end - at - 1));
  if (!behind || (size_t)(behind - at) > room) return false;
  snprintf(name, room, "%.*s", (int)(behind - at - 1), at + 1);
  return strcmp(name, "op2.h") != 0;
}

static bool marked_once(const char *text) {
  for (const char *at = text; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    const char *end = at + strcspn(at, "\n"), *word = directive(at, end);
    if (begins(word, end, "pragma once")) return true;
  }
  return false;
}

/* ---- files ----------------------------------------------------------------------------------- */

static op2_status expand(struct expansion *x, const char *text, const char *path, int line);

static bool seen_once(struct expansion *x, const char *path, const char *text) {
  char entry[PATH_MAX + 2];
  if (!marked_once(text)) return false;
  snprintf(entry, sizeof entry, "%s\n", path);
  if (x->once.chars && strstr(x->once.chars, entry)) return true;
  op2i_text_add(&x->once, "%s", entry);
  return false;
}

static op2_status expand_file(struct expansion *x, const char *path, int line) {
  struct op2i_bytes contents = {0};
  const char *fault;
  op2_status status = op2i_file_load(path, &contents, &fault);
  const char *text = (const char *)contents.data;
  if (!status && (fault || x->depth == DEPTH_MAX)) x->large = true;
  x->any = true;
  x->depth++;
  if (!status && !x->large && !seen_once(x, path, text)) status = expand(x, text, path, line);
  x->depth--;
  op2i_free(contents.data);
  return status;
}

/* `line` is 0 for the kernel's own source, whose lines count; else that of the line which brought
 * this text, or -1 where the description of the kernel did. */
static op2_status expand(struct expansion *x, const char *text, const char *path, int line) {
  op2_status status = OP2_SUCCESS;
  bool comment = false;
  for (int own = 1; *text && !status && !x->large; own++) {
    const char *end = text + strcspn(text, "\n");
    char name[1024], found[PATH_MAX];
    const int number = line ? line : own;
    if (!comment && included(text, end, name, sizeof name) &&
        op2i_header_find(x->desc, name, path, found)) {
      status = expand_file(x, found, number);
      add_line(x, "", 0, number);
    } else {
      add_line(x, text, (size_t)(end - text), number);
    }
    comment = comment_behind(text, end, comment);
    text = end + (*end == '\n');
  }
  return status;
}

static op2_status expand_all(struct expansion *x, const char *source) {
  op2_status status = OP2_SUCCESS;
  for (const char *const *h = x->desc->headers; h && *h && !status; h++) {
    char path[PATH_MAX];
    if ((*h)[0] != '<' && op2i_header_find(x->desc, *h, x->desc->file, path))
      status = expand_file(x, path, -1);
  }
  return status ? status : expand(x, source, x->desc->file, 0);
}

op2_status op2i_headers_expand(const op2_kernel_desc *desc, const char *source,
                               struct op2i_whole *out) {
  struct expansion x = {.desc = desc, .out = out};
  *out = (struct op2i_whole){0};
  op2_status status = expand_all(&x, source);
  if (!status && (x.failed || x.once.failed || out->text.failed))
    status = op2i_error_nomem("a kernel's headers");
  op2i_text_free(&x.once);
  if (status || !x.any || x.large) op2i_whole_free(out);
  return status;
}

void op2i_whole_free(struct op2i_whole *whole) {
  op2i_text_free(&whole->text);
  op2i_free(whole->lines);
  *whole = (struct op2i_whole){0};
}
