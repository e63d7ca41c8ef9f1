/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static char *read_file(const char *path) {
  enum { MOST = 1 << 20 };
  FILE *file = fopen(path, "rb");
  char *text = file ? calloc(1, MOST) : NULL;
  if (text) text[fread(text, 1, MOST - 1, file)] = '\0';
  if (file) fclose(file);
  return text;
}

static bool write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  const bool written = fputs(text, file) >= 0;
  return fclose(file) == 0 && written;
}

static void first_difference(const char *got, const char *want) {
  size_t start = 0;
  int line = 1;
  for (size_t i = 0; got[i] && got[i] == want[i]; i++)
    if (got[i] == '\n') {
      line++;
      start = i + 1;
    }
  diag("line %d: got '%.*s', golden file has '%.*s'", line, (int)strcspn(got + start, "\n"),
       got + start, (int)strcspn(want + start, "\n"), want + start);
}

void matches_golden(const char *got, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/test/golden/codegen/%s.txt", source_root(), name);
  if (getenv("OP2_TEST_UPDATE")) {
    ok(write_file(path, got), "wrote %s", path);
    return;
  }
  char *want = read_file(path);
  const bool same = want && strcmp(want, got) == 0;
  ok(same, "%s is as in its golden file", name);
  if (want && !same) first_difference(got, want);
  free(want);
}
