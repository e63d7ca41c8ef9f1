/* SPDX-License-Identifier: BSD-3-Clause */
#include "scan.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

int scan_open(scanner *s, const char *path, bench_error *error) {
  size_t size;
  *s = (scanner){.path = path, .line = 1, .error = error};
  if (text_load(path, &s->text, &size, error)) return -1;
  s->at = s->text;
  s->end = s->text + size;
  return 0;
}

void scan_close(scanner *s) {
  free(s->text);
  *s = (scanner){0};
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_space(scanner *s) {
  for (; is_space(*s->at); s->at++) s->line += *s->at == '\n';
}

static int fail_item(const scanner *s, const scan_item *what, const char *problem) {
  char name[128];
  int n = snprintf(name, sizeof name, "%s", what->part);
  if (what->slot >= 0) n += snprintf(name + n, sizeof name - (size_t)n, " %d", what->slot);
  if (what->of)
    snprintf(name + n, sizeof name - (size_t)n, " of %s %lld", what->of, (long long)what->element);
  if (s->at == s->end)
    return bench_fail(s->error, "%s:%lld: the file ends before %s", s->path, (long long)s->line,
                      name);
  const int word = (int)strcspn(s->at, " \t\n\v\f\r");
  return bench_fail(s->error, "%s:%lld: %s %s, not \"%.*s\"", s->path, (long long)s->line, name,
                    problem, word > 40 ? 40 : word, s->at);
}

int scan_int(scanner *s, const scan_item *what, int64_t low, int64_t high, int32_t *value) {
  skip_space(s);
  const char *at = s->at;
  const bool negative = *at == '-';
  at += negative;
  const char *first = at;
  int64_t v = 0;
  for (; *at >= '0' && *at <= '9'; at++) v = v > INT32_MAX ? v : 10 * v + (*at - '0');
  if (at == first || (at != s->end && !is_space(*at)))
    return fail_item(s, what, "must be an integer");
  if (negative) v = -v;
  if (v < low || v > high) {
    char range[80];
    snprintf(range, sizeof range, "must be in [%lld, %lld]", (long long)low, (long long)high);
    return fail_item(s, what, range);
  }
  s->at = at;
  *value = (int32_t)v;
  return 0;
}

int scan_real(scanner *s, const scan_item *what, double *value) {
  skip_space(s);
  char *at;
  *value = strtod(s->at, &at);
  if (at == s->at || (at != s->end && !is_space(*at)) || !isfinite(*value))
    return fail_item(s, what, "must be a finite number");
  s->at = at;
  return 0;
}

int scan_row(scanner *s, int32_t *row, int n, scan_item *what, int64_t size) {
  for (int k = 0; k < n; k++) {
    what->slot = n > 1 ? k : -1;
    if (scan_int(s, what, 0, size - 1, row + k)) return -1;
  }
  return 0;
}

int scan_nodes(scanner *s, double *x, int64_t n) {
  for (int64_t i = 0; i < 2 * n; i++)
    if (scan_real(s, &(scan_item){"coordinate", (int)(i % 2), "node", i / 2}, x + i)) return -1;
  return 0;
}

/* Every number takes at least a digit and a separator. */
int scan_room(const scanner *s, int64_t numbers) {
  if (2 * numbers <= s->end - s->at + 1) return 0;
  return bench_fail(s->error,
                    "%s:%lld: these counts need %lld numbers more, and the file is too short for "
                    "them",
                    s->path, (long long)s->line, (long long)numbers);
}

int scan_end(scanner *s, const char *last) {
  skip_space(s);
  if (s->at == s->end) return 0;
  return bench_fail(s->error, "%s:%lld: text after %s", s->path, (long long)s->line, last);
}
