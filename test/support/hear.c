/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures stderr in a temporary file. */
#define _XOPEN_SOURCE 700
#include "hear.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *file;
static int real_stderr = -1;
static char *heard;

void hear_begin(void) {
  fflush(stderr);
  file = tmpfile();
  real_stderr = dup(2);
  if (!file || real_stderr < 0 || dup2(fileno(file), 2) < 0) {
    perror("hear_begin");
    exit(2);
  }
}

const char *hear_end(void) {
  fflush(stderr);
  dup2(real_stderr, 2);
  close(real_stderr);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  free(heard);
  heard = calloc((size_t)size + 1, 1);
  rewind(file);
  if (!heard || fread(heard, 1, (size_t)size, file) != (size_t)size) {
    perror("hear_end");
    exit(2);
  }
  fclose(file);
  return heard;
}
