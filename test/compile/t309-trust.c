/* SPDX-License-Identifier: BSD-3-Clause */
/* Another user of the machine can write to a folder above the cache, to the temporary folder or to
 * a file between its check and its use: none of that user's code ever runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>

#include "load.h"
#include "t3-rig.h"

enum { VICTIM = 12345, ATTACKER = 23456 };

/* ---- folders --------------------------------------------------------------------------------- */

/* Two loops with a cache folder; the warning names the folder or file at fault and the reason. */
static void try_folder(const char *cache, const char *culprit, const char *expect,
                       const char *what) {
  const char *heard = rig_try_folder(cache, what);
  bool clear = expect ? rig_occurrences(heard, "op2 warning:") == 1 && strstr(heard, expect) &&
                            strstr(heard, culprit) && strstr(heard, "not ")
                      : !strstr(heard, "op2 warning:");
  if (!ok(clear, "%s: %s", what, expect ? "one warning names the culprit" : "no warning"))
    diag("%s", heard);
}

static void test_above(void) {
  char top[RIG_PATH], middle[RIG_PATH], cache[RIG_PATH], link[RIG_PATH], expect[RIG_PATH + 8];
  rig_path(top, "above");
  rig_path(middle, "above/middle");
  rig_path(cache, "above/middle/deep/cache");
  mkdir(top, 0700);
  mkdir(middle, 0700);
  snprintf(expect, sizeof expect, "%s: ", middle);
  chmod(middle, 0777);
  try_folder(cache, expect, "others may write", "a parent that all may write into");
  chmod(middle, 0770);
  try_folder(cache, expect, "others may write", "a parent that the group may write into");
  rig_path(link, "way");
  if (symlink("above/middle/../middle", link) != 0) perror(link);
  rig_path(cache, "way/deep/cache");
  try_folder(cache, expect, "others may write", "the same by a link and a detour");
  chmod(middle, 0700);
  snprintf(expect, sizeof expect, "%s: ", top);
  chmod(top, 0777);
  try_folder(cache, expect, "others may write", "a parent's parent");
  chmod(top, 01777);
  try_folder(cache, NULL, NULL, "one that is sticky, with ours in it");
  chmod(top, 0755);
  try_folder(cache, NULL, NULL, "one that others may read");
  if (geteuid() != 0) {
    skip("giving folders to another user takes root");
    return;
  }
  if (chown(top, ATTACKER, -1) != 0) perror(top);
  try_folder(cache, expect, "another user", "a parent of another user");
  if (chown(top, 0, -1) != 0 || chown(middle, ATTACKER, -1) != 0) perror(top);
  chmod(top, 01777);
  snprintf(expect, sizeof expect, "%s: ", middle);
  try_folder(cache, expect, "another user", "another user's folder in a sticky one");
  if (chown(middle, 0, -1) != 0) perror(middle);
}

/* The cache is given by a relative name, from a folder that is or is not below an unsafe one. */
static void test_relative(void) {
  char top[RIG_PATH], inner[RIG_PATH];
  rig_path(top, "relative");
  rig_path(inner, "relative/inner");
  mkdir(top, 0700);
  mkdir(inner, 0700);
  int before = open(".", O_RDONLY | O_DIRECTORY);
  if (chdir(inner) != 0) perror(inner);
  try_folder("cache", NULL, NULL, "a relative name");
  ok(rig_count(inner, "cache") == 1, "leads to a folder here");
  chmod(top, 0777);
  try_folder("cache", top, "others may write", "a relative name below an unsafe folder");
  if (fchdir(before) != 0) perror("fchdir");
  close(before);
}

/* The temporary folder itself is unsafe: others are used, and no file is made in it. */
static void test_temporary(void) {
  char top[RIG_PATH], place[RIG_PATH], cc[RIG_PATH], seen[RIG_PATH], script[4 * RIG_PATH];
  struct op2i_jit_code unit;
  rig_path(top, "unsafe");
  rig_path(place, "unsafe/tmp");
  rig_path(seen, "seen");
  mkdir(top, 0700);
  mkdir(place, 0700);
  chmod(top, 0777);
  snprintf(script, sizeof script, "#!/bin/sh\necho $TMPDIR >> %s\nexec cc \"$@\"\n", seen);
  rig_script(cc, "cc-places", script);
  setenv("TMPDIR", place, 1);
  op2_context ctx = rig_context(NULL, cc, NULL);
  ok(rig_get(ctx, 5, NULL, &unit), "a TMPDIR below an unsafe folder: right numbers");
  rig_end(ctx);
  setenv("TMPDIR", rig_root, 1);
  size_t size;
  char *text = (char *)rig_read(seen, &size);
  text[size] = '\0';
  ok(size > 0 && !strstr(text, top), "compiled elsewhere");
  free(text);
}

static void become(uid_t uid) {
  if (setgroups(0, NULL) != 0 || setgid(uid) != 0 || setuid(uid) != 0) _exit(99);
}

/* A home that others can change: the next choice is used, and the warning gives the reason. */
static void test_home(void) {
  char top[RIG_PATH], home[RIG_PATH], expect[RIG_PATH + 8], other[RIG_PATH];
  struct op2i_jit_code unit;
  rig_path(top, "homes");
  rig_path(home, "homes/mine");
  rig_path(other, "op2-%ld", (long)geteuid());
  mkdir(top, 0700);
  mkdir(home, 0700);
  chmod(top, 0777);
  setenv("HOME", home, 1);
  op2_context ctx = rig_context(NULL, NULL, NULL);
  rig_listen();
  bool right = rig_get(ctx, 2, NULL, &unit);
  const char *heard = rig_heard();
  setenv("HOME", rig_root, 1);
  rig_end(ctx);
  snprintf(expect, sizeof expect, "%s: ", top);
  if (!ok(right && rig_occurrences(heard, "op2 warning:") == 1 && strstr(heard, expect) &&
              strstr(heard, other),
          "a home below a folder that all may write into: one warning says which, and what serves"))
    diag("%s", heard);
  is_int(rig_count(home, ""), 0, "and nothing is put there");
}

static bool write_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY);
  bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  if (fd >= 0) close(fd);
  return good;
}

/* A user's own container, in which root has no number and still owns the folders above: there is a
 * warning, and everything works. */
static void test_container(void) {
  char cache[RIG_PATH], home[RIG_PATH], map[64];
  int status;
  if (geteuid() != 0) {
    skip("to be another user takes root");
    return;
  }
  rig_path(home, "contained");
  rig_path(cache, "contained/cache");
  mkdir(home, 0700);
  chmod(rig_root, 0755);
  if (chown(home, VICTIM, VICTIM) != 0) perror(home);
  pid_t pid = fork();
  if (pid == 0) {
    become(VICTIM);
    prctl(PR_SET_DUMPABLE, 1); /* otherwise the files in its /proc would belong to root */
    snprintf(map, sizeof map, "%d %d 1", VICTIM, VICTIM);
    if (unshare(CLONE_NEWUSER) != 0 || !write_text("/proc/self/uid_map", map)) _exit(77);
    setenv("TMPDIR", home, 1);
    snprintf(rig_root, sizeof rig_root, "%s", home);
    struct op2i_jit_code unit;
    struct op2i_jit_stats stats;
    op2_context ctx = rig_context(cache, NULL, NULL);
    rig_listen();
    bool right = rig_get(ctx, 2, NULL, &unit);
    const char *heard = rig_heard();
    rig_end(ctx);
    if (!strstr(heard, "taken for root")) _exit(2);
    if (!rig_once(cache, 2, &stats) || stats.disk_hits != 1) _exit(3);
    _exit(right ? 0 : 1);
  }
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    skip("user namespaces are not permitted here");
  else
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
       "in a user namespace without root: a warning, and the cache serves (%x)", (unsigned)status);
}

/* ---- changes between check and use ----------------------------------------------------------- */

/* The same name and the same descriptor number are used again and again: each time the right image
 * is loaded. */
static void test_many(void) {
  enum { MANY = 300 };
  struct op2i_scratch scratch;
  op2i_scratch_init(&scratch);
  int right = 0, before = rig_count("/proc/self/fd", "");
  for (int i = 0; i < MANY; i++) {
    static struct op2i_bytes images[2];
    char path[RIG_PATH], source[RIG_PATH], command[3 * RIG_PATH], text[128];
    struct op2i_text why = {0};
    void *handle;
    bool refused;
    int which = i % 2;
    if (!images[which].data) {
      rig_path(source, "many.c");
      rig_path(path, "many.so");
      snprintf(text, sizeof text, "int which(void) { return %d; }\n", which);
      rig_write(source, text, strlen(text), 0600);
      snprintf(command, sizeof command, "cc -shared -fPIC -o %s %s", path, source);
      if (system(command) != 0) diag("cc failed");
      images[which].data = rig_read(path, &images[which].size);
    }
    op2_status status = op2i_load(images[which], "many", &scratch, NULL, &handle, &refused, &why);
    int (*function)(void) =
        status == OP2_SUCCESS && handle ? (int (*)(void))dlsym(handle, "which") : NULL;
    right += function && function() == which;
    if (!handle) diag("%s", why.chars);
    op2i_text_free(&why);
  }
  is_int(right, MANY, "many images of one name: each is its own");
  is_int(rig_count("/proc/self/fd", ""), before, "and none holds a descriptor");
  op2i_scratch_close(&scratch);
}

/* Without /proc images are loaded from a private file. */
static void test_no_proc(void) {
  struct op2i_jit_stats stats;
  char cache[RIG_PATH];
  int status;
  rig_path(cache, "no-proc");
  pid_t pid = fork();
  if (pid == 0) {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/proc", "tmpfs", 0, "size=4k") != 0)
      _exit(77);
    if (!rig_once(cache, 2, &stats) || stats.compiled != 1) _exit(1);
    if (!rig_once(cache, 2, &stats) || stats.disk_hits != 1) _exit(2);
    _exit(rig_count(rig_root, "op2-scratch-") ? 3 : 0);
  }
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    skip("mounting is not permitted here");
  else
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "without /proc it works all the same (%x)",
       (unsigned)status);
}

/* The attacker's code records that it ran, and the user it ran as. */
static void evil_object(char path[RIG_PATH], const char *mark) {
  char source[RIG_PATH], command[3 * RIG_PATH], text[4 * RIG_PATH];
  rig_path(source, "evil.c");
  rig_path(path, "evil.so");
  snprintf(text, sizeof text,
           "#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void "
           "run(void) { close(open(\"%s\", O_CREAT | O_WRONLY, 0666)); }\n",
           mark);
  rig_write(source, text, strlen(text), 0600);
  snprintf(command, sizeof command, "cc -shared -fPIC -o %s %s", path, source);
  if (system(command) != 0) diag("the evil object cannot be made");
  chmod(path, 0755);
}

/* A folder of the attacker with his object under every name that the victim's entries will have:
 * keys depend on the program, not on its user. */
static bool evil_folder(const char *own, const char *evil) {
  char cache[RIG_PATH], inner[RIG_PATH], name[RIG_PATH], command[6 * RIG_PATH];
  struct op2i_jit_code unit;
  int n = 0;
  rig_path(cache, "names");
  snprintf(inner, sizeof inner, "%.400s/" OP2I_ABI, own);
  mkdir(own, 0755);
  mkdir(inner, 0755);
  op2_context ctx = rig_context(cache, NULL, NULL);
  for (int i = 0; i < 3; i++) rig_get(ctx, i, NULL, &unit);
  rig_end(ctx);
  while (rig_find_entry(cache, name)) {
    snprintf(command, sizeof command, "cp %s %s/%s && rm %s", evil, inner, strrchr(name, '/') + 1,
             name);
    if (system(command) == 0) n++;
  }
  snprintf(command, sizeof command, "chown -R %d %s", ATTACKER, own);
  return system(command) == 0 && n == 3;
}

/* The attacker owns a folder above the victim's cache, and replaces the victim's folder by his own
 * again and again. */
static void attack(const char *top, const char *own) {
  char victims[RIG_PATH], aside[RIG_PATH], mine[RIG_PATH];
  snprintf(victims, sizeof victims, "%.400s/cache", top);
  snprintf(aside, sizeof aside, "%.400s/aside", top);
  snprintf(mine, sizeof mine, "%.400s", own);
  become(ATTACKER);
  for (;;) {
    rename(victims, aside);
    rename(mine, victims);
    rename(victims, mine);
    rename(aside, victims);
  }
}

static int run_victim(const char *cache, const char *home, int i) {
  int status;
  pid_t victim = fork();
  if (victim == 0) {
    become(VICTIM);
    setenv("TMPDIR", home, 1);
    struct op2i_jit_code unit;
    op2_context ctx = rig_context(cache, NULL, NULL);
    ctx->config.log_level = 0;
    bool right = rig_get(ctx, i % 3, NULL, &unit);
    rig_end(ctx);
    _exit(right ? 0 : 1);
  }
  waitpid(victim, &status, 0);
  return status;
}

static void test_attacker(void) {
  char top[RIG_PATH], cache[RIG_PATH], own[RIG_PATH], evil[RIG_PATH], mark[RIG_PATH];
  char marks[RIG_PATH], home[RIG_PATH];
  int wrong = 0, rounds = quick() ? 15 : 60;
  if (geteuid() != 0) {
    skip("to be two users takes root");
    return;
  }
  rig_path(marks, "marks");
  rig_path(mark, "marks/ran");
  mkdir(marks, 0777);
  chmod(marks, 0777);
  chmod(rig_root, 0755);
  evil_object(evil, mark);
  ok(dlopen(evil, RTLD_NOW) && access(mark, F_OK) == 0, "the evil object marks that it runs");
  unlink(mark);
  rig_path(top, "shared");
  rig_path(cache, "shared/cache");
  rig_path(own, "shared/own");
  rig_path(home, "victim");
  mkdir(top, 0755);
  mkdir(cache, 0700);
  mkdir(home, 0700);
  ok(evil_folder(own, evil), "and is there under the names of all entries");
  if (chown(top, ATTACKER, -1) != 0 || chown(cache, VICTIM, -1) != 0 ||
      chown(home, VICTIM, -1) != 0)
    perror(top);
  for (int i = 0; i < 3; i++) wrong += run_victim(cache, home, i) != 0;
  pid_t attacker = fork();
  if (attacker == 0) attack(top, own);
  for (int i = 0; i < rounds; i++) wrong += run_victim(cache, home, i) != 0;
  kill(attacker, SIGKILL);
  waitpid(attacker, NULL, 0);
  is_int(wrong, 0, "another user exchanges the cache's folder all the time: right numbers");
  ok(access(mark, F_OK) != 0, "and none of his code has run");
}

/* ---- users that are trusted on request ------------------------------------------------------- */

/* True if a loop is kept there without a warning, readable for others, and found again. */
static bool is_shared(const char *cache, const char *trust) {
  char entry[RIG_PATH], list[64];
  struct op2i_jit_code unit;
  struct stat st;
  bool good = true;
  snprintf(list, sizeof list, "%s", trust);
  rig_listen();
  for (int i = 0; i < 2; i++) {
    op2_context ctx = rig_context(cache, NULL, NULL);
    ctx->config.cache_trust = list;
    good = rig_get(ctx, 2, NULL, &unit) && rig_stats(ctx).disk_hits == i && good;
    rig_end(ctx);
  }
  const char *heard = rig_heard();
  if (*heard) diag("%s", heard);
  return good && !*heard && rig_find_entry(cache, entry) && stat(entry, &st) == 0 &&
         (st.st_mode & 0777) == 0644;
}

static bool rejects(const char *cache, const char *trust) {
  char list[64];
  struct op2i_jit_code unit;
  op2_context ctx = rig_context(cache, NULL, NULL);
  snprintf(list, sizeof list, "%s", trust ? trust : "");
  if (trust) ctx->config.cache_trust = list;
  bool good = rig_get(ctx, 2, NULL, &unit) && rig_stats(ctx).rejected == 1;
  rig_end(ctx);
  return good;
}

static void test_shared(void) {
  char above[RIG_PATH], cache[RIG_PATH], inner[RIG_PATH], entry[RIG_PATH], group[32], user[32];
  rig_path(above, "group");
  rig_path(cache, "group/cache");
  mkdir(above, 0700);
  chmod(above, 0770);
  snprintf(group, sizeof group, "nobody-at-all,@%ld", (long)getegid());
  try_folder(cache, above, "OP2_CACHE_TRUST", "the group may write above, and is not trusted");
  ok(is_shared(cache, group), "it is trusted: the loops are kept there");
  chmod(above, 0777);
  try_folder(cache, above, "others may write", "everybody may write above");
  chmod(above, 0700);
  chmod(cache, 0770);
  rig_remove(cache);
  mkdir(cache, 0700);
  chmod(cache, 0770);
  ok(is_shared(cache, group), "the folder itself is open to the group");
  if (geteuid() != 0) {
    skip("only root may give files away");
    return;
  }
  snprintf(user, sizeof user, "%d", VICTIM);
  chmod(cache, 0700);
  rig_path(inner, "group/cache/" OP2I_ABI);
  chmod(inner, 0700);
  ok(rig_find_entry(cache, entry) && chown(entry, ATTACKER, -1) == 0, "an entry of another user");
  ok(rejects(cache, NULL), "it is not used by who trusts nobody");
  rig_remove(cache);
  mkdir(cache, 0755);
  ok(chown(cache, VICTIM, -1) == 0 && is_shared(cache, user), "a folder of a user who is trusted");
  ok(rig_find_entry(cache, entry) && chown(entry, ATTACKER, -1) == 0, "an entry of another user");
  ok(rejects(cache, user), "it is not used either, as that one is not trusted");
  snprintf(user, sizeof user, "%d,%lld", VICTIM, (1LL << 32) + ATTACKER);
  ok(rig_find_entry(cache, entry) && chown(entry, ATTACKER, -1) == 0, "once more");
  ok(rejects(cache, user), "a number that is too large for a user names nobody");
}

int main(void) {
  rig_open();
  test_above();
  test_relative();
  test_temporary();
  test_home();
  test_container();
  test_many();
  test_no_proc();
  test_attacker();
  test_shared();
  rig_close();
  return done();
}
