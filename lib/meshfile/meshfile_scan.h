/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_SCAN_H
#define OP2I_MESHFILE_SCAN_H

/* Reading of a mesh file from its beginning to its end. The file is in memory, as text or, in
 * sections of it, as binary numbers. The first failure is recorded with its place, as a line of a text
 * or as a byte; functions that return a bool then return false, and so do all later ones. */

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "companion.h"

struct op2i_scan {
  const struct op2i_companion *op2;
  const char *path;
  char *data; /* a zero byte follows the last one */
  const char *at, *end;
  locale_t locale; /* numbers do not depend on the user's locale */
  bool binary;     /* the numbers of the present section are binary */
  bool swapped;    /* and their bytes are in the order that this machine does not have */
  int size_bytes;  /* what Gmsh's size_t has in binary files: 4 or 8 bytes */
  op2_status status;
};

/* Load a file; op2i_scan_close() is called in any case. */
op2_status op2i_scan_open(struct op2i_scan *scan, const struct op2i_companion *op2,
                          const char *path);
void op2i_scan_close(struct op2i_scan *scan);

/* Record a failure of the file at the present place, and return false. */
bool op2i_scan_fail(struct op2i_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Record lack of memory, and return false. */
bool op2i_scan_nomem(struct op2i_scan *scan);

/* Skip white space, lines included. */
void op2i_scan_space(struct op2i_scan *scan);
/* Skip spaces and tabs; true if more of the line follows. */
bool op2i_scan_in_line(struct op2i_scan *scan);
/* Skip what is left of the line. */
void op2i_scan_line(struct op2i_scan *scan);
/* Skip this word if it comes next; else nothing is skipped, recorded or returned but false. */
bool op2i_scan_word(struct op2i_scan *scan, const char *word);

/* Numbers, after white space in texts. `what` names them in messages. */
bool op2i_scan_int(struct op2i_scan *scan, const char *what, int64_t *value);
bool op2i_scan_size(struct op2i_scan *scan, const char *what, int64_t *value);
bool op2i_scan_real(struct op2i_scan *scan, const char *what, double *value);
/* A number of things that take at least `bytes` bytes each, of as many as the rest of the file can
 * hold. */
bool op2i_scan_count(struct op2i_scan *scan, const char *what, size_t bytes, int64_t *value);

#endif
