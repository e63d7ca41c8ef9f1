/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders that cannot be trusted or used: one clear warning, and the numbers are still right. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mount.h>

#include "t3-rig.h"

enum { STRANGER = 12345 };

/* Two loops with a cache folder; `expect` is part of the one warning that must occur, or null if
 * none may. */
static void try_folder(const char *cache, const char *expect, const char *what) {
  const char *heard = rig_try_folder(cache, what);
  int warnings = rig_occurrences(heard, "op2 warning:");
  bool clear =
      expect ? warnings == 1 && strstr(heard, expect) && strstr(heard, "not ") : warnings == 0;
  if (!ok(clear, "%s: %s", what, expect ? "one clear warning" : "no warning")) diag("%s", heard);
  is_int(rig_count(rig_root, "op2-scratch-"), 0, "%s: nothing is left in the temporary folder",
         what);
}

static void test_writable(void) {
  char cache[RIG_PATH], inner[RIG_PATH];
  struct op2i_jit_stats stats;
  rig_path(cache, "open");
  mkdir(cache, 0700);
  chmod(cache, 0777);
  try_folder(cache, "others may write", "a folder that all may write into");
  chmod(cache, 0770);
  try_folder(cache, "others may write", "a folder that the group may write into");
  is_int(rig_count(cache, ""), 0, "nothing was put there");
  chmod(cache, 0755);
  try_folder(cache, NULL, "a folder that others may read");
  rig_path(inner, "open/" OP2I_ABI);
  chmod(inner, 0777);
  try_folder(cache, "others may write", "a folder within that all may write into");
  chmod(inner, 0700);
  ok(rig_once(cache, 2, &stats) && stats.disk_hits == 1, "put right, it is used");
}

static void test_not_a_folder(void) {
  char cache[RIG_PATH], target[RIG_PATH];
  struct op2i_jit_stats stats;
  rig_path(cache, "file");
  rig_write(cache, "x", 1, 0600);
  try_folder(cache, "Not a directory", "a file in the place of the folder");
  rig_path(cache, "file/below");
  try_folder(cache, "Not a directory", "a file in the place of its parent");
  rig_path(target, "target");
  rig_path(cache, "link");
  mkdir(target, 0700);
  if (symlink("target", cache) != 0) perror(cache);
  try_folder(cache, NULL, "a symbolic link of one's own");
  ok(rig_once(target, 2, &stats) && stats.disk_hits == 1, "leads to the folder");
  unlink(cache);
  if (symlink("nowhere/at/all", cache) != 0) perror(cache);
  try_folder(cache, "No such file", "a dangling symbolic link");
  unlink(cache);
  if (symlink("link", cache) != 0) perror(cache);
  try_folder(cache, "symbolic links", "a symbolic link to itself");
}

static void test_not_ours(void) {
  char cache[RIG_PATH], inner[RIG_PATH];
  if (geteuid() != 0) {
    skip("giving folders to another user takes root");
    return;
  }
  rig_path(cache, "theirs");
  mkdir(cache, 0700);
  if (chown(cache, STRANGER, -1) != 0) perror(cache);
  try_folder(cache, "another user", "a folder of another user");
  rig_path(cache, "within");
  rig_path(inner, "within/" OP2I_ABI);
  mkdir(cache, 0700);
  mkdir(inner, 0700);
  if (chown(inner, STRANGER, -1) != 0) perror(inner);
  try_folder(cache, "another user", "a folder of another user within ours");
  rig_path(cache, "their-link");
  if (symlink("within", cache) != 0 || lchown(cache, STRANGER, -1) != 0) perror(cache);
  try_folder(cache, "symbolic link made by another user", "a symbolic link of another user");
}

/* Mount a separate file system at a path, in this process's private view; false and a skip if that
 * is not permitted. */
static bool mounted(const char *path, const char *options, unsigned long flags) {
  static bool own_view;
  if (!own_view)
    own_view =
        unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
  mkdir(path, 0700);
  if (own_view && mount("none", path, "tmpfs", flags, options) == 0) return true;
  skip("mounting is not permitted here: %s", strerror(errno));
  return false;
}

static void test_read_only(void) {
  char cache[RIG_PATH];
  struct op2i_jit_stats stats;
  rig_path(cache, "read-only");
  if (!mounted(cache, "size=4m,mode=0700", 0)) return;
  ok(rig_once(cache, 2, NULL), "a file system with an entry in it");
  mount("none", cache, NULL, MS_REMOUNT | MS_RDONLY, NULL);
  ok(rig_once(cache, 2, &stats) && stats.disk_hits == 1,
     "the entry is found when it has become read-only");
  try_folder(cache, "Read-only", "a read-only folder without the entry");
  umount(cache);
  if (!mounted(cache, "size=4m,mode=0700", MS_RDONLY)) return;
  try_folder(cache, "Read-only", "an empty read-only folder");
  umount(cache);
}

static void fill(const char *folder) {
  char path[RIG_PATH], block[4096] = "";
  snprintf(path, sizeof path, "%.400s/filler", folder);
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  while (write(fd, block, sizeof block) > 0) {
  }
  close(fd);
}

static void test_full(void) {
  char cache[RIG_PATH], inner[RIG_PATH];
  rig_path(cache, "full");
  rig_path(inner, "full/" OP2I_ABI);
  if (!mounted(cache, "size=64k,mode=0700", 0)) return;
  mkdir(inner, 0700);
  fill(cache);
  try_folder(cache, "No space", "a full folder");
  is_int(rig_count(inner, ""), 0, "no part of an entry is left in it");
  umount(cache);
  /* The file system has one free block: writing an entry begins and fails half way. */
  if (!mounted(cache, "size=24k,mode=0700", 0)) return;
  mkdir(inner, 0700);
  try_folder(cache, "No space", "a folder that fills while it is written");
  ok(rig_count(inner, "tmp-") == 0, "no part of an entry is left in it");
  umount(cache);
}

static void test_noexec(void) {
  char cache[RIG_PATH];
  rig_path(cache, "noexec");
  if (!mounted(cache, "size=4m,mode=0700", MS_NOEXEC)) return;
  try_folder(cache, "noexec", "a folder where nothing may be executed");
  umount(cache);
}

/* The folder for temporary files itself is unusable: others are tried. */
static void test_temporary(void) {
  static const struct {
    const char *options;
    unsigned long flags;
    const char *what;
  } kinds[] = {
      {"size=64k,mode=0700", 0, "a small TMPDIR"},
      {"size=16m,mode=0700", MS_RDONLY, "a read-only TMPDIR"},
      {"size=16m,mode=0700", MS_NOEXEC, "a TMPDIR where nothing may be executed"},
      {"size=16m,mode=0777", 0, "a TMPDIR that others control"},
      {"size=16m,mode=0700,nr_inodes=4", 0, "a TMPDIR without inodes"},
  };
  char place[RIG_PATH], cache[RIG_PATH];
  rig_path(place, "tmpdir");
  setenv("TMPDIR", place, 1);
  rig_path(cache, "no-tmpdir");
  try_folder(cache, NULL, "a missing TMPDIR");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!mounted(place, kinds[i].options, kinds[i].flags)) break;
    rig_path(cache, "tmpdir-%zu", i);
    try_folder(cache, NULL, kinds[i].what);
    is_int(rig_count(place, ""), 0, "%s: nothing is left in it", kinds[i].what);
    umount(place);
  }
  setenv("TMPDIR", rig_root, 1);
}

/* TMPDIR fills up while the compiler runs, which then fails: it is run once more in a folder with
 * free space. */
static void test_filling(void) {
  char place[RIG_PATH], cache[RIG_PATH], cc[RIG_PATH], script[4 * RIG_PATH];
  struct op2i_jit_code unit;
  rig_path(place, "filling");
  rig_path(cache, "filling-cache");
  snprintf(
      script, sizeof script,
      "#!/bin/sh\ncase $TMPDIR in %s/*) head -c 16777216 /dev/zero > %s/filler; exit 1;; esac\n"
      "exec cc \"$@\"\n",
      place, place);
  rig_script(cc, "filling-cc", script);
  if (!mounted(place, "size=8m,mode=0700", 0)) return;
  setenv("TMPDIR", place, 1);
  op2_context ctx = rig_context(cache, cc, NULL);
  rig_listen();
  bool right = rig_get(ctx, 2, NULL, &unit);
  rig_heard();
  struct stat st;
  char filler[RIG_PATH + 8];
  snprintf(filler, sizeof filler, "%s/filler", place);
  ok(stat(filler, &st) == 0 && st.st_size > 4 << 20, "a compiler finds TMPDIR full");
  ok(right, "and is run once more elsewhere: right numbers");
  is_int(rig_count(place, ""), 1, "nothing of ours is left in TMPDIR");
  rig_end(ctx);
  setenv("TMPDIR", rig_root, 1);
  umount(place);
}

/* Every usual folder for temporary files is read-only; the test's own folder is visible at another
 * path. */
static void test_no_temporary(void) {
  static const char *const places[] = {P_tmpdir, "/var/tmp", "/dev/shm"};
  static const char elsewhere[] = "/mnt";
  struct op2i_jit_stats stats;
  char source[2048];
  pid_t pid = fork();
  if (pid) {
    int status;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
      skip("mounting is not permitted here");
    else
      ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "no temporary place works: the cache's folder serves, and "
         "without it a clear failure (step %d)",
         WEXITSTATUS(status));
    return;
  }
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    _exit(77);
  if (mount(rig_root, elsewhere, NULL, MS_BIND, NULL) != 0) _exit(77);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (mount("none", places[i], "tmpfs", MS_RDONLY, "size=4k") != 0) _exit(77);
  setenv("TMPDIR", "/nowhere", 1);
  char cache[RIG_PATH];
  snprintf(cache, sizeof cache, "%s/last-place", elsewhere);
  if (!rig_once(cache, 2, &stats) || stats.compiled != 1) _exit(1);
  snprintf(cache, sizeof cache, "%s/last-place/" OP2I_ABI, elsewhere);
  if (rig_count(cache, "op2-scratch-") != 0) _exit(2);
  op2_context ctx = rig_context("/dev/null", NULL, NULL);
  ctx->config.log_level = 0;
  rig_source(source, sizeof source, 2, NULL);
  struct op2i_jit_code unit = {.source = source, .label = "nowhere"};
  if (op2i_jit_get(ctx, 1, &unit) != OP2_SUCCESS || unit.status != OP2_ERR_COMPILE) _exit(3);
  if (!strstr(unit.message, "no folder for the compiler's files") ||
      !strstr(unit.message, "Read-only"))
    _exit(4);
  op2i_free(unit.message);
  rig_end(ctx);
  _exit(0);
}

static void test_vanishing(void) {
  char cache[RIG_PATH];
  struct op2i_jit_code unit;
  rig_path(cache, "vanishing");
  op2_context ctx = rig_context(cache, NULL, NULL);
  ok(rig_get(ctx, 2, NULL, &unit), "a loop");
  rig_remove(cache);
  rig_listen();
  bool right = rig_get(ctx, 3, NULL, &unit);
  ok(strstr(rig_heard(), "not kept") && right,
     "the cache's folder is removed in between: a warning");
  is_int(rig_count(rig_root, "op2-scratch-"), 0, "between compilations there is no scratch folder");
  ok(rig_get(ctx, 4, NULL, &unit), "another loop");
  rig_end(ctx);
}

static void test_defaults(void) {
  char path[RIG_PATH], entry[RIG_PATH];
  struct op2i_jit_stats stats;
  ok(rig_once(NULL, 2, NULL), "no folder named");
  rig_path(path, ".cache/op2");
  ok(rig_find_entry(path, entry), "it is ~/.cache/op2");
  rig_path(path, "xdg");
  setenv("XDG_CACHE_HOME", path, 1);
  ok(rig_once(NULL, 2, NULL), "XDG_CACHE_HOME set");
  rig_path(path, "xdg/op2");
  ok(rig_find_entry(path, entry), "it is $XDG_CACHE_HOME/op2");
  unsetenv("XDG_CACHE_HOME");
  rig_path(path, "no-home");
  rig_write(path, "x", 1, 0600);
  setenv("HOME", path, 1);
  try_folder(NULL, NULL, "a home that is no folder");
  rig_path(path, "op2-%ld", (long)geteuid());
  ok(rig_find_entry(path, entry), "a folder of the user's among the temporary files serves");
  unsetenv("HOME");
  ok(rig_once(NULL, 2, &stats) && stats.disk_hits == 1, "so it does without a home");
  chmod(path, 0777);
  try_folder(NULL, "others may write", "when that cannot be trusted either");
  setenv("HOME", rig_root, 1);
}

int main(void) {
  rig_open();
  test_writable();
  test_not_a_folder();
  test_not_ours();
  test_vanishing();
  test_defaults();
  test_no_temporary();
  test_read_only();
  test_full();
  test_noexec();
  test_temporary();
  test_filling();
  rig_close();
  return done();
}
