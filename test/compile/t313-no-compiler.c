/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines without a compiler use the code in a cache that was filled elsewhere, as long as the
 * files it was compiled from are unchanged or missing. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mount.h>

#include "op2.h"
#include "t3-rig.h"

static char cache[RIG_PATH], folder[RIG_PATH], empty[RIG_PATH];

static void write_text(const char *name, const char *text) {
  char path[2 * RIG_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  rig_write(path, text, strlen(text), 0644);
}

/* The value stored by a loop whose kernel includes v.h through o.h, or has no headers; -1 if it
 * cannot run, with the message. All text on stderr is in *heard. */
static double run(const char *flags, bool headers, int level, const char **heard) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  char outer[2 * RIG_PATH];
  double value = -1;
  const op2_options options = {
      .backend = "sequential", .cache_dir = cache, .cflags = flags, .log_level = level};
  snprintf(outer, sizeof outer, "%s/o.h", folder);
  const char *names[] = {outer, NULL};
  const op2_kernel_desc desc = {.name = "k",
                                .source = headers ? "void k(double *x) { *x = VALUE; }\n"
                                                  : "void k(double *x) { *x = sqrt(9.0); }\n",
                                .headers = headers ? names : NULL};
  rig_listen();
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, 1, "set", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status) status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE));
  if (!status) status = op2_dat_get(x, &value);
  if (status) fprintf(stderr, "%s\n", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx)) value = -1;
  *heard = rig_heard();
  return value;
}

static bool says(const char *heard, const char *part) {
  bool found = strstr(heard, part) != NULL;
  if (!found) diag("%s", heard);
  return found;
}

static void test_here(const char *flags) {
  const char *heard;
  write_text("o.h", "#include <v.h>\n");
  write_text("v.h", "#define VALUE 7\n");
  ok(run(flags, true, 2, &heard) == 7 && run(flags, false, 2, &heard) == 3,
     "with a compiler two loops are compiled and kept");
  setenv("PATH", empty, 1);
  ok(run(flags, true, 3, &heard) == 7, "without one a loop is taken from the cache");
  ok(says(heard, "no C compiler") && says(heard, "are used") && says(heard, "unchanged"),
     "and the log says so");
  ok(run(flags, false, 2, &heard) == 3 && !*heard, "so is one without headers; no warning");

  write_text("v.h", "#define VALUE 8\n");
  ok(run(flags, true, 2, &heard) == -1, "a header has changed: the loop fails");
  ok(says(heard, "no C compiler") && says(heard, "v.h has changed"),
     "the message says that there is no compiler, and which header");
  char path[2 * RIG_PATH], aside[2 * RIG_PATH];
  snprintf(path, sizeof path, "%s/v.h", folder);
  snprintf(aside, sizeof aside, "%s/aside", folder);
  ok(rename(path, aside) == 0, "the header goes");
  ok(run(flags, true, 3, &heard) == 7 && says(heard, "unchanged or not here"),
     "it is used, and the log says that files are not here");
  ok(rename(aside, path) == 0, "the header comes back");
}

/* A header that would be read instead of another one. */
static void test_shadow(const char *flags) {
  const char *heard;
  char early[2 * RIG_PATH], path[3 * RIG_PATH];
  write_text("v.h", "#define VALUE 7\n");
  snprintf(early, sizeof early, "%s/early", folder);
  snprintf(path, sizeof path, "%s/v.h", early);
  rig_write(path, "#define VALUE 9\n", 16, 0644);
  ok(run(flags, true, 2, &heard) == -1 && says(heard, "was not there before"),
     "a header that hides another one: the loop fails, and the message names it");
  unlink(path);
  ok(run(flags, true, 2, &heard) == 7, "without it the loop runs");
}

/* ---- another root ---------------------------------------------------------------------------- */

/* For a child: run in a root folder that holds only the cache, as another user if one is given. */
static int in_root(const char *flags, const char *root, uid_t user) {
  const char *heard;
  char kept[RIG_PATH + 8];
  snprintf(kept, sizeof kept, "%s/cache", root);
  bool fixed = unshare(CLONE_NEWNS) == 0 &&
               mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
               mount(kept, kept, NULL, MS_BIND, NULL) == 0 &&
               mount(NULL, kept, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0;
  if (!fixed) diag("nothing may be mounted here: the cache is not read-only");
  if (chroot(root) != 0 || chdir("/") != 0) return 70;
  strcpy(cache, "/cache");
  strcpy(folder, "/headers");
  strcpy(rig_root, "/tmp");
  setenv("TMPDIR", "/tmp", 1);
  setenv("HOME", "/nowhere", 1);
  if (user && (setgid(user) != 0 || setuid(user) != 0)) return 71;
  return run(flags, false, 4, &heard) == 3 ? 0 : (fputs(heard, stderr), 72);
}

static int status_of(pid_t pid) {
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + status;
}

static bool shell(const char *format, ...) {
  char line[8 * RIG_PATH];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  return system(line) == 0;
}

static void test_root(const char *flags) {
  enum { STRANGER = 4711 };
  char root[RIG_PATH];
  rig_path(root, "root");
  if (geteuid() != 0) {
    skip("only root may change the root folder");
    return;
  }
  setenv("PATH", "/usr/bin:/bin", 1);
  /* Only the user of the tests can read their folder; a new root folder is readable for all
   * users. */
  ok(shell("chmod 755 '%s' && mkdir -p '%s/tmp' && cp -r '%s' '%s/cache' && "
           "chmod -R a+rX,go-w '%s' && chmod 1777 '%s/tmp'",
           rig_root, root, cache, root, root, root),
     "the cache is copied into an empty root");
  setenv("PATH", "/nowhere", 1);
  static const uid_t users[] = {0, STRANGER};
  for (int i = 0; i < 2; i++) {
    pid_t pid = fork();
    if (pid == 0) _exit(in_root(flags, root, users[i]));
    is_int(status_of(pid), 0, "in a root without a compiler and without headers: %s",
           i ? "another user, whom root's cache serves" : "root");
  }
}

int main(void) {
  rig_open();
  char flags[4 * RIG_PATH];
  rig_path(cache, "cache");
  rig_path(folder, "folder");
  rig_path(empty, "empty");
  mkdir(folder, 0755);
  mkdir(empty, 0755);
  rig_path(flags, "folder/early");
  mkdir(flags, 0755);
  snprintf(flags, sizeof flags, "-O1 -I%s/early -I%s", folder, folder);
  test_here(flags);
  test_shadow(flags);
  test_root(flags);
  rig_close();
  return done();
}
