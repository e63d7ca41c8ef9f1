/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Read all of the file; null: no memory. */
static char *read_all(FILE *file, size_t *size) {
  size_t room = (size_t)1 << 16;
  char *text = malloc(room);
  *size = 0;
  while (text) {
    *size += fread(text + *size, 1, room - *size - 1, file);
    if (*size < room - 1) break;
    char *more = realloc(text, room *= 2);
    if (!more) free(text);
    text = more;
  }
  return text;
}

int text_load(const char *path, char **text, size_t *size, bench_error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) return bench_fail(error, "%s: %s", path, strerror(errno));
  size_t length;
  char *loaded = read_all(file, &length);
  const int failed = ferror(file) ? errno : 0;
  fclose(file);
  if (!loaded) return bench_fail(error, "%s: out of memory", path);
  if (failed) {
    free(loaded);
    return bench_fail(error, "%s: %s", path, strerror(failed));
  }
  loaded[length] = '\0';
  *text = loaded;
  *size = length;
  return 0;
}

FILE *text_create(const char *path, bench_error *error) {
  FILE *file = fopen(path, "wb");
  if (file)
    setvbuf(file, NULL, _IOFBF, (size_t)1 << 20);
  else
    bench_fail(error, "%s: %s", path, strerror(errno));
  return file;
}

void text_write_real(FILE *file, double value, char after) {
  char text[400];
  snprintf(text, sizeof text, "%f", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  fputs(text, file);
  fputc(after, file);
}

int text_finish(FILE *file, const char *path, bench_error *error) {
  const bool failed = ferror(file) != 0;
  if (!fclose(file) && !failed) return 0;
  return bench_fail(error, "%s: could not be written: %s", path, strerror(errno));
}
