/* SPDX-License-Identifier: BSD-3-Clause */
/* Compilers that are missing, fail, report a false success or print too much: the message names the
 * reason, and no other loop is affected. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <time.h>

#include "t3-rig.h"

static char cache[RIG_PATH];

/* The message for a loop with this compiler; "" if it has none. */
static const char *message_with(const char *cc) {
  static char message[OP2I_MESSAGE_MAX];
  char source[2048];
  op2_context ctx = rig_context(cache, cc, NULL);
  rig_source(source, sizeof source, 2, NULL);
  struct op2i_jit_code unit = {.source = source, .mergeable = true, .label = "cc"};
  message[0] = '\0';
  CHECK(op2i_jit_get(ctx, 1, &unit));
  is_int(unit.status, OP2_ERR_COMPILE, "compiler %s: the loop fails", cc ? cc : "(default)");
  ok(!unit.function, "without a function");
  if (unit.message) snprintf(message, sizeof message, "%s", unit.message);
  op2i_free(unit.message);
  is_int(rig_stats(ctx).failed, 1, "and is counted");
  rig_end(ctx);
  return message;
}

static bool says(const char *message, const char *part) {
  bool found = strstr(message, part) != NULL;
  if (!found) diag("%s", message);
  return found;
}

static void test_missing(void) {
  char cc[RIG_PATH];
  ok(says(message_with("no-such-compiler-at-all"), "no-such-compiler-at-all is not in"),
     "not in PATH: by name");
  rig_path(cc, "nowhere/cc");
  ok(says(message_with(cc), "does not exist"), "a path that does not exist");
  rig_path(cc, "plain");
  rig_write(cc, "#!/bin/sh\nexec cc \"$@\"\n", 23, 0600);
  ok(says(message_with(cc), "not an executable file"), "a file that is not executable");
  ok(says(message_with(rig_root), "not an executable file"), "a folder");
  ok(says(message_with("  "), "blank"), "nothing but blanks");
  rig_script(cc, "binary", "\x7f\x45LF nonsense");
  ok(says(message_with(cc), "cannot be run"), "a file that the system cannot run");
  rig_script(cc, "interpreter", "#!/no/such/interpreter\n");
  ok(says(message_with(cc), "cannot be run"), "a script whose interpreter is missing");

  char *path = strdup(getenv("PATH"));
  setenv("PATH", rig_root, 1);
  ok(says(message_with(NULL), "none of cc, gcc and clang"), "no compiler in PATH");
  rig_script(cc, "cc", "#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin\nexec cc \"$@\"\n");
  ok(rig_once(cache, 2, NULL), "one that comes into PATH later is found");
  unlink(cc);
  setenv("PATH", path, 1);
  free(path);
}

static void test_failing(void) {
  char cc[RIG_PATH];
  rig_script(cc, "cc-silent", "#!/bin/sh\nexit 3\n");
  const char *message = message_with(cc);
  ok(says(message, "exit status 3") && says(message, "printed nothing") && says(message, cc),
     "fails without a word");

  rig_script(cc, "cc-loud",
             "#!/bin/sh\necho the first words >&2\n"
             "head -c 1048576 /dev/zero | tr '\\0' 'x' >&2\nhead -c 1048576 /dev/zero\nexit 1\n");
  message = message_with(cc);
  ok(says(message, "the first words"), "prints 2 MB: the first words are told");
  ok(says(message, "more bytes)"), "that there is more as well");
  ok(strlen(message) < OP2I_MESSAGE_MAX - 2048, "and the message fits");

  rig_script(cc, "cc-reads", "#!/bin/sh\ncat\necho end of input >&2\nexit 1\n");
  ok(says(message_with(cc), "end of input"), "reads its input: there is none, and nothing hangs");
  rig_script(cc, "cc-killed", "#!/bin/sh\nkill -SEGV $$\n");
  ok(says(message_with(cc), "signal 11"), "dies of a signal");
}

static void test_lying(void) {
  static const struct {
    const char *action, *what;
  } lies[] = {
      {":", "nothing"},
      {": > \"$o\"", "an empty file"},
      {"echo no code > \"$o\"", "text"},
      {"mkdir \"$o\"", "a folder"},
      {"mkfifo \"$o\"", "a pipe"},
      {"cc \"$@\" && head -c 9000 \"$o\" > \"$o.2\" && mv \"$o.2\" \"$o\"", "half a shared object"},
      {"cc \"$@\" && head -c 64 \"$o\" > \"$o.2\" && mv \"$o.2\" \"$o\"", "the header of one"},
      {"cc -c -x c -o \"$o\" /dev/null", "an object that is not shared"},
  };
  char cc[RIG_PATH], script[1024], name[32];
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    snprintf(script, sizeof script,
             "#!/bin/sh\nfor a; do case $last in -o) o=$a;; esac; last=$a; done\necho so it "
             "says\n%s\nexit 0\n",
             lies[i].action);
    snprintf(name, sizeof name, "cc-lie-%zu", i);
    rig_script(cc, name, script);
    const char *message = message_with(cc);
    ok(says(message, "no usable shared object") && says(message, "so it says"),
       "ends well but makes %s", lies[i].what);
  }
  rig_script(cc, "cc-other",
             "#!/bin/sh\nfor a; do case $last in -o) o=$a;; esac; last=$a; done\n"
             "echo 'int other;' > \"$o.c\"; exec cc -shared -fPIC -o \"$o\" \"$o.c\"\n");
  ok(says(message_with(cc), "lacks the function"), "ends well but makes something else");
}

/* A compiler fails for sources with more than one loop: each loop is then compiled separately. */
static void test_merged(void) {
  char cc[RIG_PATH], sources[20][2048];
  struct op2i_jit_code units[20];
  int right = 0;
  rig_script(cc, "cc-single",
             "#!/bin/sh\nfor a; do case $a in *.c) c=$a;; esac; done\n"
             "[ $(grep -c '^#define OP2_ID' \"$c\") = 1 ] || kill -9 $$\nexec cc \"$@\"\n");
  op2_context ctx = rig_context(cache, cc, NULL);
  for (int i = 0; i < 20; i++) {
    rig_source(sources[i], sizeof sources[i], i, NULL);
    units[i] = (struct op2i_jit_code){.source = sources[i], .mergeable = true, .label = "merged"};
  }
  CHECK(op2i_jit_get(ctx, 20, units));
  for (int i = 0; i < 20; i++)
    right += units[i].function && ((rig_fn)units[i].function)(2.0) == 2.0 * i + 1;
  is_int(right, 20, "a compiler that dies of large sources: all loops work one by one");
  is_int(rig_stats(ctx).failed, 0, "and none is counted as failed");
  rig_end(ctx);
}

/* Signals that the program has blocked must not be blocked in a compiler. */
static void test_signals(void) {
  char cc[RIG_PATH];
  sigset_t all, before;
  rig_script(cc, "cc-signal", "#!/bin/sh\nkill -TERM $$\necho immune >&2\nexit 1\n");
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const char *message = message_with(cc);
  sigprocmask(SIG_SETMASK, &before, NULL);
  ok(says(message, "signal 15"), "signals that the program blocks reach a compiler");
}

/* For a child: returns 0 if a compiler runs although there is no /dev/null, and its standard input
 * is empty. */
static int without_null(void) {
  char empty[RIG_PATH], cc[RIG_PATH];
  rig_path(empty, "empty");
  if (mkdir(empty, 0755) || mount(empty, "/dev", NULL, MS_BIND, NULL)) return 1;
  if (access("/dev/null", F_OK) == 0) return 2;
  rig_script(cc, "cc-reads", "#!/bin/sh\ncat\nexec cc \"$@\"\n");
  op2_context ctx = rig_context(NULL, cc, NULL);
  char source[2048];
  rig_source(source, sizeof source, 7, NULL);
  struct op2i_jit_code unit = {.source = source, .mergeable = true, .label = "null"};
  if (op2i_jit_get(ctx, 1, &unit)) return 3;
  if (unit.message) fprintf(stderr, "# %s\n", unit.message);
  int result = unit.function && ((rig_fn)unit.function)(2.0) == 15 ? 0 : 4;
  op2i_free(unit.message);
  rig_end(ctx);
  return result;
}

static void test_null(void) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    bool apart =
        unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    _exit(apart ? without_null() : 99);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
    skip("nothing may be mounted here, so /dev/null stays");
  else
    is_int(status, 0, "a compiler runs where there is no /dev/null, and reads nothing");
}

/* The folder in which the context was made is removed. */
static void test_folder(void) {
  char folder[RIG_PATH];
  rig_path(folder, "gone");
  op2_context ctx = rig_context(cache, NULL, "-O0");
  ctx->config.folder = strdup(folder);
  char source[2048];
  rig_source(source, sizeof source, 11, NULL);
  struct op2i_jit_code unit = {.source = source, .mergeable = true, .label = "gone"};
  CHECK(op2i_jit_get(ctx, 1, &unit));
  ok(unit.message && says(unit.message, folder) &&
         says(unit.message, "cannot be run in the folder"),
     "the message names a folder that is gone, and does not blame the compiler");
  op2i_free(unit.message);
  free(ctx->config.folder);
  rig_end(ctx);
}

int main(void) {
  rig_open();
  rig_path(cache, "cache");
  test_missing();
  test_failing();
  test_lying();
  test_merged();
  test_signals();
  test_null();
  test_folder();
  ok(rig_once(cache, 2, NULL), "after all that a good compiler works on the same cache");
  is_int(rig_count(rig_root, "op2-scratch-"), 0, "and no scratch folder is left");
  rig_close();
  return done();
}
