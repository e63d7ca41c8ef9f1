/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 files that are cut off, or in which one byte is changed: errors that are detected give a
 * message with the file's name, and nothing crashes. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_plain.h"
#include "support.h"

#ifdef __SANITIZE_ADDRESS__
/* In a damaged file HDF5 1.10 copies from beyond its own memory; the sanitizer is to check only
 * what this library does then. */
const char *__asan_default_suppressions(void);
const char *__asan_default_suppressions(void) { return "interceptor_via_lib:libhdf5\n"; }
#endif

static char path[512], other[512];
static op2_context ctx;

static void begin(void) {
  op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CHECK(op2_init(&options, &ctx));
}

static bool put(const char *where, const char *bytes, size_t n) {
  FILE *file = fopen(where, "wb");
  bool good = file && fwrite(bytes, 1, n, file) == n;
  return file && fclose(file) == 0 && good;
}

static char *take(const char *where, size_t *n) {
  FILE *file = fopen(where, "rb");
  fseek(file, 0, SEEK_END);
  *n = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*n);
  if (fread(bytes, 1, *n, file) != *n) *n = 0;
  fclose(file);
  return bytes;
}

/* Read as much as possible of a damaged file; an error must have a message with the file's name. */
static bool survives(bool *failed) {
  struct small s = {0};
  op2_file file = NULL;
  op2_status status = op2_file_open(ctx, other, OP2_FILE_READ, &file);
  if (!status) status = read_small(file, &s);
  bool good = !status || strstr(op2_error_message(), other);
  if (!good) diag("message: %s", op2_error_message());
  *failed = status != OP2_SUCCESS;
  if (op2_file_close(&file)) good = good && strstr(op2_error_message(), other);
  destroy_small(&s);
  return good;
}

static void truncated(void) {
  size_t n;
  int bad = 0, passed = 0;
  bool failed;
  write_as_op2(path);
  char *bytes = take(path, &n);
  for (size_t length = 0; length < n; length += quick() ? 41 : 7) {
    put(other, bytes, length);
    bad += !survives(&failed);
    passed += !failed;
  }
  put(other, bytes, n);
  ok(survives(&failed) && !failed, "the whole file is read");
  is_int(bad, 0, "truncated files: the message names the file");
  is_int(passed, 0, "truncated files: every one is noticed");
  free(bytes);
}

/* A child reads a file with one changed byte, so that a crash is detected. */
static int damaged_child(const char *bytes, size_t n, size_t from, size_t to, int step) {
  static const unsigned char masks[] = {0x01, 0x80, 0xff};
  char *copy = malloc(n);
  int bad = 0;
  bool failed;
  for (size_t at = from; at < to; at += (size_t)step)
    for (int m = 0; m < 3; m++) {
      memcpy(copy, bytes, n);
      copy[at] = (char)(copy[at] ^ masks[m]);
      put(other, copy, n);
      bad += !survives(&failed);
    }
  free(copy);
  return bad;
}

/* HDF5 1.10 itself reads outside its memory if some headers are damaged; which bytes these are
 * varies, as the file contains the time. Such crashes are counted; more than one in twenty would be
 * due to this library. */
static void flipped(void) {
  enum { WRONG = 7, SANITIZED = 1 };
  size_t n;
  int crashed = 0, bad = 0, all = 0;
  write_as_op2(path);
  char *bytes = take(path, &n);
  const size_t part = 64;
  CHECK(op2_finalize(&ctx));
  for (size_t from = 0; from < n; from += part) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
      alarm(60);
      if (op2_init(&options, &ctx)) _exit(99);
      bad = damaged_child(bytes, n, from, from + part < n ? from + part : n, thorough() ? 1 : 7);
      _exit(bad ? WRONG : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    bool crash = !WIFEXITED(status) || WEXITSTATUS(status) == SANITIZED;
    if (crash) diag("bytes from %d on: a crash, status %d", (int)from, status);
    crashed += crash;
    bad += !crash && WEXITSTATUS(status) != 0;
    all++;
  }
  ok(crashed * 20 <= all, "changed bytes: %d of %d readers crash", crashed, all);
  is_int(bad, 0, "changed bytes: messages name the file");
  free(bytes);
  begin();
}

int main(void) {
  test_environment();
  snprintf(path, sizeof path, "%s/mesh.h5", test_scratch());
  snprintf(other, sizeof other, "%s/other.h5", test_scratch());
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  begin();
  truncated();
  flipped();
  CHECK(op2_finalize(&ctx));
  return done();
}
