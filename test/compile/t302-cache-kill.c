/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes killed while they compile or write: their leftovers never do harm, and are removed. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/file.h>
#include <time.h>
#include <utime.h>

#include "t3-rig.h"

static char cache[RIG_PATH], inner[RIG_PATH];

static void sleep_us(long us) {
  struct timespec t = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&t, NULL);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_state = 12345;
static uint64_t random_below(uint64_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (random_state >> 33) % n;
}

/* Writes many entries, merged and single, as fast as it can; "compiling" copies files, so that most
 * of the time is writing. */
static void writer(const char *cc) {
  static char sources[8][2048];
  for (int round = 0;; round++) {
    struct op2i_jit_code units[8];
    op2_context ctx = rig_context(cache, cc, NULL);
    for (int i = 0; i < 8; i++) {
      rig_source(sources[i], sizeof sources[i], i, NULL);
      units[i] =
          (struct op2i_jit_code){.source = sources[i], .mergeable = i < 4, .label = "killed"};
    }
    if (op2i_jit_get(ctx, 8, units) != OP2_SUCCESS) _exit(1);
    rig_end(ctx);
    rig_remove(inner);
  }
}

/* True if every entry in the folder is intact: a look-up must not reject any. */
static bool all_whole(const char *cc, struct op2i_jit_stats *stats) {
  bool good = true;
  op2_context ctx = rig_context(cache, cc, NULL);
  for (int i = 0; i < 8; i++) {
    struct op2i_jit_code unit;
    good = rig_get(ctx, i, NULL, &unit) && good;
    op2i_free(unit.message);
  }
  *stats = rig_stats(ctx);
  rig_end(ctx);
  return good;
}

/* A compiler that keeps its outputs, by source, so that the writers spend more time writing than
 * compiling. */
static const char copying[] =
    "#!/bin/sh\n" RIG_ASKED
    "for a; do case $a in *.c) c=$a;; esac; case $last in -o) o=$a;; esac; last=$a; done\n"
    "k=$(cksum < \"$c\" | tr ' ' -)\n"
    "if [ -f \"$STORE/$k\" ]; then exec cp \"$STORE/$k\" \"$o\"; fi\n"
    "cc \"$@\" && cp \"$o\" \"$STORE/$k.$$\" && mv \"$STORE/$k.$$\" \"$STORE/$k\"\n";

static void test_killed_writers(void) {
  char cc[RIG_PATH], store[RIG_PATH];
  struct op2i_jit_stats stats;
  rig_path(store, "store");
  mkdir(store, 0700);
  setenv("STORE", store, 1);
  rig_script(cc, "copying-cc", copying);
  int wrong = 0, rejected = 0,
      rounds = quick()      ? 20
               : thorough() ? 120
                            : 60,
      leftovers = 0, found = 0;
  ok(all_whole(cc, &stats), "all units compute");
  rig_remove(inner);
  /* The time to write all entries once, on this machine under its present load. */
  const double begin = now();
  all_whole(cc, &stats);
  const uint64_t once_us = (uint64_t)(1e6 * (now() - begin));
  rig_remove(inner);
  for (int round = 0; round < rounds; round++) {
    pid_t pid = fork();
    if (pid == 0) writer(cc);
    sleep_us((long)(once_us / 4 + random_below(2 * once_us)));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    leftovers += rig_count(inner, "tmp-") > 0;
    wrong += !all_whole(cc, &stats);
    rejected += (int)stats.rejected;
    found += (int)stats.disk_hits;
    rig_remove(inner);
  }
  ok(wrong == 0, "%d writers killed at random moments: right numbers after each", rounds);
  is_int(rejected, 0, "no entry that they left was in part");
  ok(found > rounds / 4, "they did leave entries (%d), and %d times a temporary file", found,
     leftovers);
}

/* A kill by the system between any two steps of a write leaves a temporary file of any length. */
static void test_leftovers(void) {
  char file[RIG_PATH], entry[RIG_PATH];
  struct op2i_jit_stats stats;
  rig_remove(cache);
  ok(rig_once(cache, 5, &stats) && rig_find_entry(cache, entry), "an entry");
  size_t size;
  unsigned char *bytes = rig_read(entry, &size);
  for (size_t i = 0; i < 20; i++) {
    snprintf(file, sizeof file, "%.400s/tmp-1-%zu", inner, i);
    rig_write(file, bytes, size * i / 20, 0600);
    if (i % 2 == 0) {
      struct utimbuf old = {time(NULL) - 3700, time(NULL) - 3700};
      utime(file, &old);
    }
  }
  free(bytes);
  ok(rig_once(cache, 6, &stats) && stats.compiled == 1, "the next one to write");
  is_int(rig_count(inner, "tmp-"), 10, "sweeps temporary files older than an hour, and no others");
  ok(rig_once(cache, 5, &stats) && stats.disk_hits == 1, "the entry is still there");
}

/* Names of scratch folders; returns their number, `name` is the last one found. */
static int scratch_folders(char name[RIG_PATH], bool remove_them) {
  int count = 0;
  DIR *list = opendir(rig_root);
  for (struct dirent *item; list && (item = readdir(list));) {
    if (strncmp(item->d_name, "op2-scratch-", 12) != 0) continue;
    rig_path(name, "%s", item->d_name);
    if (remove_them) rig_remove(name);
    count++;
  }
  if (list) closedir(list);
  return count;
}

static void make_old(const char *path) {
  struct utimbuf old = {time(NULL) - 3700, time(NULL) - 3700};
  utime(path, &old);
}

/* A compiler hangs, and the program that waits for it is killed: the scratch folder is left behind,
 * and is removed when it is old and no process holds its lock. */
static void test_hanging(void) {
  char cc[RIG_PATH], flag[RIG_PATH], script[4 * RIG_PATH], scratch[RIG_PATH] = "";
  struct op2i_jit_stats stats;
  scratch_folders(scratch, true); /* left by the writers killed above */
  rig_path(flag, "hanging");
  snprintf(script, sizeof script, "#!/bin/sh\necho $$ > %s.new; mv %s.new %s; exec sleep 600\n",
           flag, flag, flag);
  rig_script(cc, "hanging-cc", script);
  pid_t pid = fork();
  if (pid == 0) {
    struct op2i_jit_code unit;
    op2_context ctx = rig_context(cache, cc, NULL);
    rig_get(ctx, 7, NULL, &unit);
    _exit(0);
  }
  double limit = now() + 60;
  while (access(flag, F_OK) != 0 && now() < limit) sleep_us(10000);
  FILE *file = fopen(flag, "r");
  int compiler = 0;
  ok(file && fscanf(file, "%d", &compiler) == 1 && compiler > 1, "a compiler hangs");
  if (file) fclose(file);
  is_int(scratch_folders(scratch, false), 1, "its program has a scratch folder");
  make_old(scratch);
  ok(rig_once(cache, 8, &stats), "meanwhile another program works");
  ok(access(scratch, F_OK) == 0, "and leaves a scratch folder alone, though old, that is in use");
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  if (compiler > 1) kill(compiler, SIGKILL);
  ok(access(scratch, F_OK) == 0, "a killed program leaves it behind");
  utime(scratch, NULL);
  ok(rig_once(cache, 9, &stats) && access(scratch, F_OK) == 0, "while young it stays");
  make_old(scratch);
  ok(rig_once(cache, 10, &stats) && access(scratch, F_OK) != 0,
     "when old it is swept by the next to compile");
  ok(rig_once(cache, 7, &stats) && stats.compiled == 1,
     "the loop that was being compiled is compiled");
}

/* Only the compiler is killed: the error names the signal, and the next attempt works. */
static void test_killed_compiler(void) {
  char cc[RIG_PATH], flag[RIG_PATH], script[4 * RIG_PATH];
  struct op2i_jit_code unit;
  rig_path(flag, "once");
  snprintf(script, sizeof script,
           "#!/bin/sh\n[ -f %s ] && exec cc \"$@\"\n: > %s\necho half a word\nkill -9 $$\n", flag,
           flag);
  rig_script(cc, "dying-cc", script);
  op2_context ctx = rig_context(cache, cc, NULL);
  char source[2048];
  rig_source(source, sizeof source, 11, NULL);
  unit = (struct op2i_jit_code){.source = source, .label = "dying"};
  CHECK(op2i_jit_get(ctx, 1, &unit));
  is_int(unit.status, OP2_ERR_COMPILE, "a killed compiler is a failure of the loop");
  ok(unit.message && strstr(unit.message, "signal 9") && strstr(unit.message, "half a word"),
     "with signal and words");
  op2i_free(unit.message);
  ok(rig_get(ctx, 11, NULL, &unit), "asked again, it is compiled");
  rig_end(ctx);
}

int main(void) {
  rig_open();
  rig_path(cache, "cache");
  rig_path(inner, "cache/" OP2I_ABI);
  test_killed_writers();
  test_leftovers();
  test_hanging();
  test_killed_compiler();
  rig_close();
  return done();
}
