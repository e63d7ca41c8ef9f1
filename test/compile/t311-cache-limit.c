/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit of the cache on disk (OP2_CACHE_MB): entries that have not been used for longest are
 * removed, of other versions too; entries just written or used stay, and so do files that are not
 * entries; several processes do so at the same time. */
#define _GNU_SOURCE
#include "prune.h"
#include "t3-rig.h"

enum { DAY = 86400, FAKES = 8, KIB = 1024, LARGE = 200 * KIB };

static char folder[RIG_PATH], elder[RIG_PATH];

static void make_old(const char *path, int days) {
  struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - (time_t)days * DAY}};
  if (utimensat(AT_FDCWD, path, times, 0) != 0) perror(path);
}

static void fake_path(char path[RIG_PATH], const char *in, int k) {
  snprintf(path, RIG_PATH, "%.400s/%032d.so", in, k);
}

/* A file of one size, last used this many days ago. */
static void make_file(const char *path, int days) {
  static char bytes[LARGE];
  memset(bytes, 'x', sizeof bytes);
  rig_write(path, bytes, sizeof bytes, 0600);
  make_old(path, days);
}

static void make_fakes(bool fresh) {
  char path[RIG_PATH];
  for (int k = 1; k <= FAKES; k++) {
    fake_path(path, folder, k);
    make_file(path, fresh ? 0 : k);
  }
}

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

/* True if exactly the fakes in `want` exist: one bit for each. */
static bool fakes_are(unsigned want) {
  char path[RIG_PATH];
  unsigned have = 0;
  for (int k = 1; k <= FAKES; k++) {
    fake_path(path, folder, k);
    have |= (unsigned)is_there(path) << k;
  }
  if (have != want) diag("fakes are %x, expected %x", have, want);
  return have == want;
}

/* Compile or find a loop under a limit; returns true if its numbers are right. */
static bool get(const char *cache, int megabytes, double factor, struct op2i_jit_stats *stats) {
  struct op2i_jit_code unit;
  op2_context ctx = rig_context(cache, NULL, NULL);
  ctx->config.cache_mb = megabytes;
  bool right = rig_get(ctx, factor, NULL, &unit);
  free(unit.message);
  *stats = rig_stats(ctx);
  rig_end(ctx);
  return right;
}

static void by_age(const char *cache) {
  struct op2i_jit_stats stats;
  char entry[RIG_PATH], path[RIG_PATH], twin[RIG_PATH], stray[RIG_PATH], old[RIG_PATH],
      choice[RIG_PATH];
  struct stat st;
  ok(get(cache, 1, 2, &stats) && stats.compiled == 1 && rig_find_entry(cache, entry),
     "a loop is compiled and kept");
  make_old(entry, 100);
  ok(get(cache, 1, 2, &stats) && stats.disk_hits == 1 && stat(entry, &st) == 0 &&
         time(NULL) - st.st_mtime < DAY,
     "an old one that is found has been used");
  make_fakes(false);
  fake_path(path, folder, 3);
  fake_path(twin, folder, 30);
  if (link(path, twin) != 0) perror(twin);
  snprintf(stray, sizeof stray, "%.400s/notes.so", folder);
  make_file(stray, 50);
  mkdir(elder, 0700);
  fake_path(old, elder, 9);
  make_file(old, 9);
  snprintf(choice, sizeof choice, "%.400s/%032d.try", folder, 1);
  make_file(choice, 60);
  ok(get(cache, 0, 3, &stats) && stats.compiled == 1 && fakes_are(0x1fe) && is_there(old),
     "without a limit nothing goes");
  ok(get(cache, 1, 4, &stats) && stats.compiled == 1, "one more is compiled");
  ok(fakes_are(0xe) && !is_there(old), "the oldest are gone, those of another version too");
  ok(!is_there(choice), "so is an old choice between two forms of a loop");
  ok(is_there(twin) && is_there(stray), "two entries of one file count once; others' files stay");
  int hits = 0;
  for (int k = 2; k <= 4; k++) hits += get(cache, 1, k, &stats) && stats.disk_hits == 1;
  is_int(hits, 3, "what was just used or written stays");
}

static void all_recent(const char *cache) {
  struct op2i_jit_stats stats;
  make_fakes(true);
  ok(get(cache, 1, 5, &stats) && stats.compiled == 1 && fakes_are(0x1fe),
     "nothing goes that is minutes old, whatever the limit");
}

/* Between the check of an entry and its removal it may be used, or written anew. */
static void in_between(void) {
  char path[RIG_PATH], name[RIG_PATH];
  struct stat st;
  int fd = open(folder, O_RDONLY | O_DIRECTORY);
  fake_path(path, folder, 1);
  snprintf(name, sizeof name, "%032d.so", 1);
  make_old(path, 5);
  ok(stat(path, &st) == 0 && !op2i_prune_entry(fd, name, op2i_prune_used(&st) - 1) &&
         is_there(path),
     "an entry that was used meanwhile stays");
  ok(op2i_prune_entry(fd, name, op2i_prune_used(&st)) && !is_there(path), "another does not");
  ok(!op2i_prune_entry(fd, name, 0), "nor is one missed that somebody else has removed");
  close(fd);
}

static void at_once(const char *cache) {
  enum { PROCESSES = 4, LOOPS = 5 };
  pid_t pids[PROCESSES];
  int right = 0;
  make_fakes(false);
  for (int p = 0; p < PROCESSES; p++) {
    pids[p] = fork();
    if (pids[p] != 0) continue;
    struct op2i_jit_stats stats;
    bool good = true;
    for (int k = 0; k < LOOPS; k++)
      good = get(cache, 1, 10 + (p + k) % LOOPS, &stats) && stats.rejected == 0 && good;
    _exit(good ? 0 : 1);
  }
  for (int p = 0; p < PROCESSES; p++) {
    int status;
    right += waitpid(pids[p], &status, 0) == pids[p] && WIFEXITED(status) && !WEXITSTATUS(status);
  }
  is_int(right, PROCESSES, "processes that compile and prune at once have right numbers");
  is_int(rig_count(folder, OP2I_TEMPORARY), 0, "and leave nothing behind");
  ok(!fakes_are(0x1fe), "the oldest are gone again");
}

int main(void) {
  char cache[RIG_PATH];
  rig_open();
  rig_path(cache, "cache");
  rig_path(folder, "cache/" OP2I_ABI);
  rig_path(elder, "cache/op2-abi-0");
  by_age(cache);
  all_recent(cache);
  in_between();
  at_once(cache);
  rig_close();
  return done();
}
