/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_SCAN_H
#define BENCH_SCAN_H

#include <stdint.h>

#include "error.h"

/** @file scan.h
 * Reading OP2's text files of meshes: numbers that white space of any kind separates. Functions
 * that can fail return 0, or -1 with file, line and what was expected in the error. */

typedef struct scanner {
  const char *path;
  char *text; /**< the whole file, ended by a NUL */
  const char *at, *end;
  int64_t line;
  bench_error *error;
} scanner;

/** The number that is being read, in words for messages: "node 2 of edge 17", or `part` alone if
 * `of` is null. */
typedef struct scan_item {
  const char *part;
  int slot; /**< -1: the part has no number */
  const char *of;
  int64_t element;
} scan_item;

/** Load a file, to be closed with scan_close(). */
int scan_open(scanner *s, const char *path, bench_error *error);
void scan_close(scanner *s);

/** Read a decimal integer in [low, high]. */
int scan_int(scanner *s, const scan_item *what, int64_t low, int64_t high, int32_t *value);

/** Read a finite number. */
int scan_real(scanner *s, const scan_item *what, double *value);

/** Read n indices in [0, size); `what` gets their slots if there are several. */
int scan_row(scanner *s, int32_t *row, int n, scan_item *what, int64_t size);

/** Read two coordinates for each of n nodes. */
int scan_nodes(scanner *s, double *x, int64_t n);

/** Fail if so many numbers cannot follow in the file: absurd counts are refused before memory is
 * allocated. */
int scan_room(const scanner *s, int64_t numbers);

/** Fail if anything follows `last`. */
int scan_end(scanner *s, const char *last);

#endif
