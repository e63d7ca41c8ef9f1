/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of StarPU's files: StarPU's default if that belongs to the user and is writable, and
 * otherwise one that is. The process never ends because of it, and the program's variables keep
 * their values. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op2.h"
#include "tap.h"

static char root[256];

static void folder(const char *name, mode_t mode, char path[512]) {
  snprintf(path, 512, "%s/%s", root, name);
  mkdir(path, 0700);
  chmod(path, mode);
}

static void set_or_unset(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

static int exists(const char *folder_path, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder_path, name);
  return access(path, F_OK) == 0;
}

/* Run in a process of its own; returns 0 if a context begins, ends and leaves the variable as it
 * was. */
static int begin(const char *cache, const char *starpu, const char *home) {
  op2_context ctx;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    set_or_unset("XDG_CACHE_HOME", cache);
    set_or_unset("STARPU_HOME", starpu);
    set_or_unset("HOME", home);
    setenv("TMPDIR", root, 1);
    if (op2_init(&(op2_options){.backend = "starpu", .threads = 1, .log_level = 1}, &ctx)) {
      fprintf(stderr, "# %s\n", op2_error_message());
      _exit(1);
    }
    if (op2_finalize(&ctx)) _exit(2);
    const char *now = getenv("XDG_CACHE_HOME");
    _exit(cache ? !now || strcmp(now, cache) != 0 : now != NULL);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- folders for which StarPU would end the process ------------------------------------------ */

enum { STRANGER = 4711 };

enum { WRONG = 1, REFUSED, BY_STARPU, BY_ANOTHER };

/* A context in a process of its own, of a user without root's rights: it is refused with a message
 * that names the umask, or begins with StarPU or with another backend. */
static int start_as_stranger(const char *backend, const char *home, mode_t mask) {
  op2_context ctx;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("STARPU_HOME");
    unsetenv("OP2_BACKEND");
    setenv("HOME", home, 1);
    setenv("TMPDIR", home, 1);
    if (geteuid() == 0 && (setgid(STRANGER) || setuid(STRANGER))) _exit(WRONG);
    umask(mask);
    op2_status status =
        op2_init(&(op2_options){.backend = backend, .threads = 1, .log_level = 1}, &ctx);
    if (status == OP2_ERR_UNAVAILABLE && strstr(op2_error_message(), "umask")) _exit(REFUSED);
    if (status) _exit(WRONG);
    int chosen = strcmp(op2_backend_name(ctx), "starpu") ? BY_ANOTHER : BY_STARPU;
    _exit(op2_finalize(&ctx) ? WRONG : chosen);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int is_empty(const char *path) {
  char command[600];
  snprintf(command, sizeof command, "test -z \"$(ls -A '%s')\"", path);
  return system(command) == 0;
}

static void test_umask(void) {
  static const mode_t masks[] = {0777, 0700, 0400};
  char home[512];
  folder("stranger", 0755, home);
  if (chmod(root, 0755) || (geteuid() == 0 && chown(home, STRANGER, STRANGER))) {
    skip("there can be no folder of another user here");
    return;
  }
  for (int m = 0; m < 3; m++) {
    is_int(start_as_stranger("starpu", home, masks[m]), REFUSED,
           "umask %04o is an error that names it", (unsigned)masks[m]);
    is_int(start_as_stranger(NULL, home, masks[m]), BY_ANOTHER,
           "without a backend asked for, another one takes its place");
    ok(is_empty(home), "nothing was made that could not be used");
  }
}

/* Folders below the home that the user cannot write to, such as a program of root's leaves. */
static void test_parts(void) {
  static const char *const parts[] = {".starpu", ".starpu/sampling", ".starpu/sampling/bus",
                                      ".starpu/sampling/codelets"};
  if (geteuid() != 0) {
    skip("only root can make folders that belong to nobody else and are not its user's");
    return;
  }
  for (int p = 0; p < 4; p++) {
    char home[512], command[3000];
    snprintf(home, sizeof home, "%s/parts%d", root, p);
    snprintf(
        command, sizeof command,
        "mkdir -p '%s/.starpu/sampling/bus' '%s/.starpu/sampling/codelets' && chown -R %d '%s' && "
        "chown 0 '%s/%s'",
        home, home, STRANGER, home, home, parts[p]);
    if (system(command)) diag("%s is not as it should be", home);
    is_int(start_as_stranger("starpu", home, 022), BY_STARPU,
           "%s belongs to root: StarPU takes another folder", parts[p]);
    snprintf(command, sizeof command, "%s/.cache/op2-starpu", home);
    ok(exists(command, ".starpu/sampling/bus"), "one of its own");
  }
}

/* Folders for performance models, given by a variable. */
static void test_models(const char *home) {
  char good[512];
  snprintf(good, sizeof good, "%s/models", root);
  setenv("STARPU_PERF_MODEL_DIR", good, 1);
  is_int(begin(NULL, NULL, home), 0, "a folder for models that is not there yet");
  ok(exists(good, "bus") && exists(good, "codelets"), "is made");
  setenv("STARPU_PERF_MODEL_DIR", "/proc/nonexistent", 1);
  is_int(begin(NULL, NULL, home), 0, "one that cannot be made is not used");
  setenv("STARPU_PERF_MODEL_DIR", "", 1);
  is_int(begin(NULL, NULL, home), 0, "nor is an empty name");
  unsetenv("STARPU_PERF_MODEL_DIR");
}

/* Make every file of StarPU's measurements empty, as a process leaves them that is killed when it has
 * opened them; returns how many there are. */
static int empty_files(const char *home, bool old) {
  char command[1600];
  snprintf(
      command, sizeof command,
      "n=0; for f in '%s'/.starpu/sampling/bus/*; do : >\"$f\"; %s; n=$((n + 1)); done; exit $n",
      home, old ? "touch -d '1 hour ago' \"$f\"" : ":");
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* StarPU would end the process that reads an empty file of measurements. */
static void test_empty(const char *home) {
  for (int old = 0; old < 2; old++) {
    int files = empty_files(home, old);
    ok(files > 1 && files < 20, "%d files, empty %s", files, old ? "for an hour" : "since now");
    is_int(begin(NULL, NULL, home), 0, "StarPU measures again");
    char command[600];
    snprintf(command, sizeof command, "test -z \"$(find '%s/.starpu' -type f -empty)\"", home);
    ok(system(command) == 0, "no file is empty then");
  }
}

static void remove_tree(void) {
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  if (system(command)) diag("%s stays", root);
}

int main(void) {
  char cache[512], starpu[512], home[512], sticky[512], absent[512];
  const char *why = op2_backend_unavailable("starpu");
  if (why) {
    skip("%s", why);
    return done();
  }
  snprintf(root, sizeof root, "%.200s/op2-test-XXXXXX", P_tmpdir);
  if (!mkdtemp(root)) return 1;
  folder("cache", 0700, cache);
  folder("starpu", 0700, starpu);
  folder("home", 0755, home);
  folder("sticky", 01777, sticky);
  snprintf(absent, sizeof absent, "%s/made/on/the/way", root);
  is_int(begin(cache, starpu, home), 0, "all is well");
  ok(exists(cache, ".starpu") && !exists(starpu, ".starpu") && !exists(home, ".starpu"),
     "StarPU takes XDG_CACHE_HOME first");
  is_int(begin(NULL, starpu, home), 0, "STARPU_HOME");
  ok(exists(starpu, ".starpu") && !exists(home, ".starpu"), "is where its files go");
  is_int(begin(NULL, NULL, home), 0, "HOME");
  ok(exists(home, ".starpu"), "is where its files go");
  is_int(begin(absent, starpu, home), 0, "a cache folder that is not there yet");
  ok(exists(absent, ".starpu"), "is made");
  is_int(begin("/proc/nonexistent", starpu, home), 0, "one that cannot be made");
  ok(exists(home, ".cache/op2-starpu/.starpu"), "is not used");
  is_int(begin("", starpu, home), 0, "an empty one");
  is_int(begin(sticky, NULL, home), 0, "one that others may put files into");
  ok(!exists(sticky, ".starpu") && exists(sticky, "op2-starpu/.starpu"),
     "gets a folder of the user's own");
  is_int(begin(NULL, NULL, sticky), 0, "the same as HOME");
  ok(!exists(sticky, ".starpu") && exists(sticky, ".cache/op2-starpu/.starpu"), "too");
  is_int(begin(NULL, NULL, NULL), 0, "no variable at all");
  test_empty(home);
  test_models(home);
  test_umask();
  test_parts();
  remove_tree();
  return done();
}
