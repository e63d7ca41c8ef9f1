/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged and foreign entries of the cache: each is detected before it is loaded, rejected and
 * compiled anew. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "t3-rig.h"

enum { FACTOR = 3 };
static char cache[RIG_PATH], path[RIG_PATH];
static unsigned char *good;
static size_t size;

/* True if the file at `path` is rejected and replaced by a good entry, which gives the right
 * number. */
static bool recovers(const char *what, long where) {
  struct op2i_jit_stats stats;
  bool right = rig_once(cache, FACTOR, &stats), again;
  bool rejected = stats.rejected == 1 && stats.compiled == 1 && stats.disk_hits == 0;
  again = rig_once(cache, FACTOR, &stats) && stats.disk_hits == 1 && stats.rejected == 0;
  if (!right || !rejected || !again)
    diag("%s at %ld: %s, %s, %s", what, where, right ? "right number" : "WRONG NUMBER",
         rejected ? "rejected" : "not rejected", again ? "made anew" : "not made anew");
  return right && rejected && again;
}

/* Start from a good entry in a new file: an entry that a program has loaded must not be changed. */
static void put(const void *bytes, size_t length) {
  unlink(path);
  rig_write(path, bytes, length, 0600);
}

static void test_truncated(void) {
  int wrong = 0, tried = 0;
  size_t tail = 16 + 48; /* the key and the tail; the test tries every byte of them */
  for (size_t cut = 0; cut < size; cut += cut >= size - tail        ? 1
                                          : cut + 256 < size - tail ? 256
                                                                    : size - tail - cut) {
    if (quick() && tried >= 40 && cut < size - tail) continue;
    put(good, cut);
    wrong += !recovers("truncated", (long)cut);
    tried++;
  }
  ok(wrong == 0 && tried >= 40, "truncated at %d places", tried);
}

static void test_flipped(void) {
  int wrong = 0, tried = 0;
  /* A prime step reaches headers, code, symbols, padding, key and tail at all bit positions. */
  for (size_t bit = 0; bit < 8 * size; bit += quick() ? 8 * 997 + 3 : 8 * 97 + 3, tried++) {
    good[bit / 8] ^= (unsigned char)(1u << bit % 8);
    put(good, size);
    good[bit / 8] ^= (unsigned char)(1u << bit % 8);
    wrong += !recovers("bit", (long)bit);
  }
  for (size_t byte = size - 64; byte < size; byte += quick() ? 7 : 1, tried++) {
    good[byte] ^= 0x10;
    put(good, size);
    good[byte] ^= 0x10;
    wrong += !recovers("byte of the tail", (long)byte);
  }
  ok(wrong == 0 && tried > 20, "one bit flipped at %d places", tried);
}

static void test_lengthened(void) {
  unsigned char *longer = calloc(1, size + 4096);
  memcpy(longer, good, size);
  put(longer, size + 1);
  ok(recovers("one byte more", (long)size), "one byte too many");
  put(longer, size + 4096);
  ok(recovers("a page more", (long)size), "a page too many");
  memset(longer, 0, size);
  put(longer, size);
  ok(recovers("zeros", 0), "all zeros, as a crash of the system leaves");
  memcpy(longer + 64, good, size);
  put(longer, size + 64);
  ok(recovers("moved", 64), "a sound tail behind a moved image");
  free(longer);
}

static void test_foreign(void) {
  struct op2i_jit_stats stats;
  char other[RIG_PATH], made[RIG_PATH];
  static const char text[] = "#!/bin/sh\necho this is no entry\n";
  put("", 0);
  ok(recovers("empty", 0), "an empty file");
  put(text, sizeof text);
  ok(recovers("text", 0), "a text file");
  put(good, size - 64);
  ok(recovers("plain", 0), "a shared object without a tail");

  rig_path(other, "other-cache");
  ok(rig_once(other, FACTOR + 1, &stats) && rig_find_entry(other, made),
     "a sound entry of another loop");
  size_t length;
  unsigned char *bytes = rig_read(made, &length);
  put(bytes, length);
  free(bytes);
  ok(recovers("another loop", 0), "under this one's name");
}

static void test_not_a_file(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char aside[RIG_PATH];
  unlink(path);
  mkfifo(path, 0600);
  ok(recovers("pipe", 0), "a named pipe (without waiting for its writer)");
  unlink(path);
  mkdir(path, 0700);
  ok(recovers("directory", 0), "a directory");
  char inner[RIG_PATH], deep[2 * RIG_PATH];
  unlink(path);
  mkdir(path, 0700);
  snprintf(inner, sizeof inner, "%.400s/inner", path);
  mkdir(inner, 0700);
  snprintf(deep, sizeof deep, "%s/file", inner);
  rig_write(deep, "x", 1, 0600);
  ok(recovers("full directory", 0), "a directory that is not empty");
  snprintf(inner, sizeof inner, "%.400s/cache/" OP2I_ABI, rig_root);
  is_int(rig_count(inner, "tmp-"), 0, "and nothing of it is left");
  unlink(path);
  mkdir(path, 0700);
  rig_path(aside, "aside.so");
  rename(path, aside);
  if (symlink(aside, path) != 0) perror(path);
  ok(recovers("link", 0), "a symbolic link, though to a sound entry");
  unlink(path);
  if (symlink("nowhere", path) != 0) perror(path);
  ok(recovers("dangling link", 0), "a dangling symbolic link");
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(path);
  snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
  if (strlen(path) <= 100 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0)
    ok(recovers("socket", 0), "a socket");
  else
    skip("a socket needs a path of at most 100 characters");
  close(fd);
}

static void test_not_ours(void) {
  put(good, size);
  if (chmod(path, 0666) == 0) ok(recovers("mode", 0666), "an entry that others may write to");
  put(good, size);
  if (geteuid() == 0 && chown(path, 12345, -1) == 0)
    ok(recovers("owner", 12345), "an entry of another user");
  else
    skip("giving a file to another user takes root");
}

/* A name that cannot be freed: the numbers are right, and one warning names the obstacle. */
static void test_stuck(void) {
  struct op2i_jit_code unit;
  if (geteuid() == 0 &&
      (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)) {
    skip("mounting is not permitted here: %s", strerror(errno));
    return;
  }
  unlink(path);
  mkdir(path, 0700);
  if (mount("none", path, "tmpfs", 0, "size=16k") != 0) {
    skip("mounting is not permitted here: %s", strerror(errno));
    return;
  }
  op2_context ctx = rig_context(cache, NULL, NULL);
  rig_listen();
  bool right = rig_get(ctx, FACTOR, NULL, &unit);
  const char *heard = rig_heard();
  if (!ok(right && rig_occurrences(heard, "op2 warning:") == 1 && strstr(heard, "in the way"),
          "a mounted folder in an entry's place: one warning and right numbers"))
    diag("%s", heard);
  rig_end(ctx);
  umount(path);
  ok(recovers("unmounted folder", 0), "once it is gone, the entry is made");
}

/* A rebuilt entry is a new file: code that a running program has loaded stays unchanged. */
static void test_running(void) {
  struct op2i_jit_code unit;
  struct stat before, after;
  put(good, size);
  op2_context ctx = rig_context(cache, NULL, NULL);
  ok(rig_get(ctx, FACTOR, NULL, &unit), "a program has an entry loaded");
  int held = open(path, O_RDONLY); /* keeps the number, so that no other file gets it */
  fstat(held, &before);
  unlink(path);
  rig_write(path, "damage", 6, 0600);
  ok(recovers("under a running program", 0), "another one damages and remakes it");
  ok(stat(path, &after) == 0 && before.st_ino != after.st_ino, "the entry is another file now");
  close(held);
  ok(((rig_fn)unit.function)(3.0) == 3.0 * FACTOR + 1,
     "the first program's function still computes");
  rig_end(ctx);
}

static void test_told(void) {
  struct op2i_jit_code unit;
  put(good, size / 2);
  op2_context ctx = rig_context(cache, NULL, NULL);
  ctx->config.log_level = 4;
  rig_listen();
  bool right = rig_get(ctx, FACTOR, NULL, &unit);
  const char *heard = rig_heard();
  ok(right && strstr(heard, "rejected") && strstr(heard, "cut off"),
     "the debugging log tells of a rejected entry");
  rig_end(ctx);
}

int main(void) {
  struct op2i_jit_stats stats;
  rig_open();
  rig_path(cache, "cache");
  ok(rig_once(cache, FACTOR, &stats) && rig_find_entry(cache, path), "an entry");
  good = rig_read(path, &size);
  ok(size > 4096, "of %zu bytes", size);
  put(good, size);
  ok(rig_once(cache, FACTOR, &stats) && stats.disk_hits == 1, "that a copy serves for, unchanged");
  test_truncated();
  test_flipped();
  test_lengthened();
  test_foreign();
  test_not_a_file();
  test_stuck();
  test_not_ours();
  test_running();
  test_told();
  free(good);
  rig_close();
  return done();
}
