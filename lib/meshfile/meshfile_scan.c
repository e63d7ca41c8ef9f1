/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of the words and numbers of a mesh file. */
#define _GNU_SOURCE /* for strtod_l() */
#include "meshfile_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* HDF5 reads its files itself, so that their first bytes are enough here. */
static bool is_hdf5(int fd) {
  char begin[8];
  return pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
         memcmp(begin, "\x89HDF\r\n\x1a\n", sizeof begin) == 0;
}

static op2_status load(struct op2i_scan *scan, int fd) {
  struct stat st;
  size_t got = 0;
  if (fstat(fd, &st)) return scan->op2->error(OP2_ERR_IO, "%s: %s", scan->path, strerror(errno));
  if (!S_ISREG(st.st_mode))
    return scan->op2->error(OP2_ERR_IO, "%s: is not a regular file", scan->path);
  const size_t size = is_hdf5(fd) ? 8 : (size_t)st.st_size;
  scan->data = scan->op2->calloc(size + 1, 1);
  if (!scan->data) return scan->op2->error_nomem("a mesh file");
  while (got < size) {
    ssize_t n = read(fd, scan->data + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return scan->op2->error(OP2_ERR_IO, "%s: %s", scan->path, strerror(errno));
    if (n == 0) break;
    got += (size_t)n;
  }
  scan->at = scan->data;
  scan->end = scan->data + got;
  return OP2_SUCCESS;
}

op2_status op2i_scan_open(struct op2i_scan *scan, const struct op2i_companion *op2,
                          const char *path) {
  *scan = (struct op2i_scan){.op2 = op2, .path = path, .size_bytes = 8};
  scan->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!scan->locale) return op2->error_nomem("a locale");
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return op2->error(OP2_ERR_IO, "%s: cannot be opened (%s)", path, strerror(errno));
  op2_status status = load(scan, fd);
  close(fd);
  return status;
}

void op2i_scan_close(struct op2i_scan *scan) {
  if (scan->locale) freelocale(scan->locale);
  scan->op2->free(scan->data);
  *scan = (struct op2i_scan){0};
}

bool op2i_scan_fail(struct op2i_scan *scan, const char *format, ...) {
  char text[800], place[60];
  int64_t line = 1;
  va_list args;
  if (scan->status) return false;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (const char *c = scan->data; c < scan->at; c++) line += *c == '\n';
  if (scan->binary)
    snprintf(place, sizeof place, " byte %" PRId64, (int64_t)(scan->at - scan->data));
  else
    snprintf(place, sizeof place, "%" PRId64, line);
  scan->status = scan->op2->error(OP2_ERR_IO, "%s:%s: %s", scan->path, place, text);
  return false;
}

bool op2i_scan_nomem(struct op2i_scan *scan) {
  if (!scan->status) scan->status = scan->op2->error_nomem("a mesh");
  return false;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void op2i_scan_space(struct op2i_scan *scan) {
  while (scan->at < scan->end && is_space(*scan->at)) scan->at++;
}

bool op2i_scan_in_line(struct op2i_scan *scan) {
  while (scan->at < scan->end && is_space(*scan->at) && *scan->at != '\n') scan->at++;
  return scan->at < scan->end && *scan->at != '\n';
}

void op2i_scan_line(struct op2i_scan *scan) {
  while (scan->at < scan->end && *scan->at++ != '\n') {
  }
}

bool op2i_scan_word(struct op2i_scan *scan, const char *word) {
  size_t length = strlen(word);
  if (scan->status || (size_t)(scan->end - scan->at) < length) return false;
  if (memcmp(scan->at, word, length) != 0) return false;
  if (scan->at + length < scan->end && !is_space(scan->at[length])) return false;
  scan->at += length;
  return true;
}

/* Report that the next word is not what was expected. */
static bool unexpected(struct op2i_scan *scan, const char *what) {
  int length = 0;
  while (scan->at + length < scan->end && length < 40 && !is_space(scan->at[length])) length++;
  if (length == 0) return op2i_scan_fail(scan, "the file ends where %s should be", what);
  return op2i_scan_fail(scan, "'%.*s' is where %s should be", length, scan->at, what);
}

static bool text_int(struct op2i_scan *scan, const char *what, int64_t *value) {
  op2i_scan_space(scan);
  const char *at = scan->at;
  bool minus = *at == '-';
  int64_t v = 0;
  at += *at == '-' || *at == '+';
  const char *digits = at;
  for (; *at >= '0' && *at <= '9' && at - digits < 18; at++) v = 10 * v + (*at - '0');
  if (at == digits || (at < scan->end && !is_space(*at))) return unexpected(scan, what);
  scan->at = at;
  *value = minus ? -v : v;
  return true;
}

static bool text_real(struct op2i_scan *scan, const char *what, double *value) {
  char *after;
  op2i_scan_space(scan);
  *value = strtod_l(scan->at, &after, scan->locale);
  if (after == scan->at || (after < scan->end && !is_space(*after))) return unexpected(scan, what);
  if (*value - *value != 0) return unexpected(scan, what); /* infinite, or NaN */
  scan->at = after;
  return true;
}

/* ---- binary numbers -------------------------------------------------------------------------- */

static bool bytes(struct op2i_scan *scan, const char *what, int n, void *value) {
  unsigned char *to = value;
  if (scan->end - scan->at < n)
    return op2i_scan_fail(scan, "the file ends where %s should be", what);
  for (int b = 0; b < n; b++) to[scan->swapped ? n - 1 - b : b] = (unsigned char)scan->at[b];
  scan->at += n;
  return true;
}

static bool binary_int(struct op2i_scan *scan, const char *what, int n, int64_t *value) {
  int32_t narrow = 0;
  int64_t wide = 0;
  if (!bytes(scan, what, n, n == 4 ? (void *)&narrow : (void *)&wide)) return false;
  *value = n == 4 ? narrow : wide;
  return true;
}

bool op2i_scan_int(struct op2i_scan *scan, const char *what, int64_t *value) {
  if (scan->status) return false;
  return scan->binary ? binary_int(scan, what, 4, value) : text_int(scan, what, value);
}

bool op2i_scan_size(struct op2i_scan *scan, const char *what, int64_t *value) {
  if (scan->status) return false;
  return scan->binary ? binary_int(scan, what, scan->size_bytes, value)
                      : text_int(scan, what, value);
}

bool op2i_scan_real(struct op2i_scan *scan, const char *what, double *value) {
  if (scan->status) return false;
  if (!scan->binary) return text_real(scan, what, value);
  if (!bytes(scan, what, 8, value)) return false;
  if (*value - *value != 0) return op2i_scan_fail(scan, "%s is not a finite number", what);
  return true;
}

bool op2i_scan_count(struct op2i_scan *scan, const char *what, size_t each, int64_t *value) {
  const char *before = scan->at;
  int64_t count;
  if (!op2i_scan_size(scan, what, &count)) return false;
  /* The last item of a text need not end with a space. */
  if (count >= 0 && count <= (int64_t)((size_t)(scan->end - scan->at + 1) / each)) {
    *value = count;
    return true;
  }
  scan->at = before;
  if (!scan->binary) op2i_scan_space(scan);
  return op2i_scan_fail(scan, "%s is %" PRId64 ", which the rest of the file cannot hold", what,
                        count);
}
