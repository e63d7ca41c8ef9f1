/* SPDX-License-Identifier: BSD-3-Clause */
/* A set-user-ID program that another user starts, with an environment meant to run that user's code
 * with the program's rights. */
#define _GNU_SOURCE
#include <grp.h>
#include <sys/auxv.h>

#include "op2.h"
#include "t3-rig.h"

enum { VICTIM = 12345, ATTACKER = 23456, NOT_PRIVILEGED = 77 };

OP2_KERNEL(spread, (const double *length, double *a, double *b), {
  *a += length[0];
  *b += length[0];
});

/* The program of README; returns the number of a step that failed. */
static int run_loop(const op2_options *options) {
  const int32_t ends[] = {0, 1, 1, 2, 2, 0};
  const double lengths[] = {1, 10, 100};
  double sums[3];
  op2_context ctx;
  op2_set edges, nodes;
  op2_map to_nodes;
  op2_dat length, sum;
  op2_kernel kernel;
  if (op2_init(options, &ctx)) return 1;
  if (strcmp(op2_backend_name(ctx), "starpu") == 0) return 2;
  if (op2_set_create(ctx, 3, "edges", &edges) || op2_set_create(ctx, 3, "nodes", &nodes) ||
      op2_map_create(edges, nodes, 2, ends, "to_nodes", &to_nodes) ||
      op2_dat_create(edges, 1, OP2_F64, lengths, "length", &length) ||
      op2_dat_create(nodes, 1, OP2_F64, NULL, "sum", &sum) ||
      op2_kernel_create(ctx, &spread_kernel, &kernel) ||
      op2_par_loop(kernel, edges, op2_arg_direct(length, OP2_READ),
                   op2_arg_dat(sum, 0, to_nodes, OP2_INC), op2_arg_dat(sum, 1, to_nodes, OP2_INC)))
    return 3;
  if (op2_dat_get(sum, sums)) return 4;
  if (sums[0] != 101 || sums[1] != 11 || sums[2] != 110) return 5;
  return op2_finalize(&ctx) ? 6 : 0;
}

/* Runs in the set-user-ID copy. */
static int privileged(const char *folder) {
  op2_context ctx;
  char *text = NULL;
  size_t size = 0;
  if (!getauxval(AT_SECURE) || geteuid() != VICTIM) return NOT_PRIVILEGED;
  int wrong = run_loop(NULL);
  if (wrong) {
    fprintf(stderr, "%s\n", op2_error_message());
    return wrong;
  }
  char cache[RIG_PATH];
  snprintf(cache, sizeof cache, "%.400s/cache", folder);
  const op2_options own = {.backend = "sequential", .cache_dir = cache};
  if (run_loop(&own)) return 11;
  if (!rig_find_entry(cache, (char[RIG_PATH]){0})) return 12;
  const op2_options starpu = {.backend = "starpu"};
  if (op2_init(&starpu, &ctx) != OP2_ERR_UNAVAILABLE) return 13;
  FILE *stream = open_memstream(&text, &size);
  bool written = stream && op2_environment_write(stream) == OP2_SUCCESS;
  if (stream) fclose(stream);
  return written && strstr(text, "none is read") && !strstr(text, "; now") ? 0 : 14;
}

static void become(uid_t uid) {
  if (setgroups(0, NULL) != 0 || setgid(uid) != 0 || setuid(uid) != 0) _exit(99);
}

static void evil_programs(const char *folder, const char *mark) {
  static const char *const names[] = {"cc", "gcc", "clang", "as", "ld", "collect2", "cc1", "sh"};
  char path[RIG_PATH], script[2 * RIG_PATH];
  snprintf(script, sizeof script, "#!/bin/sh\n: > %s\nexec /usr/bin/cc \"$@\"\n", mark);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%.400s/%s", folder, names[i]);
    rig_write(path, script, strlen(script), 0755);
  }
}

static void start(const char *program, const char *folder, const char *evil) {
  static const char *const folders[] = {
      "OP2_CACHE_DIR",  "HOME",          "XDG_CACHE_HOME",    "TMPDIR",
      "PATH",           "COMPILER_PATH", "LIBRARY_PATH",      "CPATH",
      "C_INCLUDE_PATH", "STARPU_HOME",   "HWLOC_PLUGINS_PATH"};
  char value[RIG_PATH];
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) setenv(folders[i], evil, 1);
  snprintf(value, sizeof value, "%.400s/", evil);
  setenv("GCC_EXEC_PREFIX", value, 1);
  snprintf(value, sizeof value, "%.400s/cc", evil);
  setenv("OP2_CC", value, 1);
  setenv("OP2_CFLAGS", "-wrapper ./cc", 1);
  setenv("OP2_BACKEND", "starpu", 1);
  setenv("OP2_THREADS", "nonsense", 1);
  setenv("OP2_NO_SUCH_THING", "1", 1);
  snprintf(value, sizeof value, "%.400s/precious", folder);
  setenv("OP2_GRAPH", value, 1);
  umask(0);
  if (chdir(evil) != 0) _exit(98);
  become(ATTACKER);
  execl(program, program, "--privileged", folder, (char *)NULL);
  _exit(97);
}

static bool copy_program(const char *to) {
  char command[2 * RIG_PATH + 64], self[RIG_PATH] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return false;
  snprintf(command, sizeof command, "cp %s %s", self, to);
  return system(command) == 0 && chown(to, VICTIM, VICTIM) == 0 && chmod(to, 04755) == 0;
}

static void test_privileged(void) {
  char program[RIG_PATH], folder[RIG_PATH], evil[RIG_PATH], mark[RIG_PATH], precious[RIG_PATH];
  int status;
  size_t size;
  if (geteuid() != 0) {
    skip("a set-user-ID program of another user takes root");
    return;
  }
  rig_path(program, "setuid");
  rig_path(folder, "folder");
  rig_path(evil, "evil");
  rig_path(mark, "evil/ran");
  rig_path(precious, "folder/precious");
  chmod(rig_root, 0755);
  mkdir(folder, 0700);
  mkdir(evil, 0777);
  chmod(evil, 0777);
  evil_programs(evil, mark);
  rig_write(precious, "precious", 8, 0600);
  if (chown(folder, VICTIM, -1) != 0 || chown(precious, VICTIM, -1) != 0 ||
      !copy_program(program)) {
    ok(false, "a set-user-ID copy of this program");
    return;
  }
  char home[64]; /* the cache of a user without a home */
  snprintf(home, sizeof home, P_tmpdir "/op2-%d", VICTIM);
  rig_remove(home);
  int before = rig_count(evil, "");
  pid_t pid = fork();
  if (pid == 0) start(program, folder, evil);
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_PRIVILEGED) {
    skip("set-user-ID has no effect in %s (mounted nosuid?)", rig_root);
    return;
  }
  if (!ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "it computes, options count, and variables do not"))
    diag("status %x", (unsigned)status);
  ok(access(mark, F_OK) != 0, "no program of the user who started it has run");
  is_int(rig_count(evil, ""), before, "nothing was put into his folders");
  unsigned char *bytes = rig_read(precious, &size);
  ok(size == 8 && memcmp(bytes, "precious", 8) == 0, "no file of the other user was overwritten");
  free(bytes);
  ok(rig_count(home, "") > 0,
     "without a home, its cache is a folder of its own for temporary files");
  rig_remove(home);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--privileged") == 0) _exit(privileged(argv[2]));
  rig_open();
  test_privileged();
  rig_close();
  return done();
}
