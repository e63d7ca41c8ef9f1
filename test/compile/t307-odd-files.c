/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers and outputs that are not regular files: they are reported at once with a clear message,
 * and nothing hangs or exhausts the memory. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "jit.h"
#include "op2.h"
#include "t3-rig.h"

static op2_context ctx;

/* Check that a kernel with this header is refused with this text. */
static void refused(const char *header, const char *expect, const char *what) {
  const char *const headers[] = {header, NULL};
  const op2_kernel_desc desc = {
      .name = "reads", .source = "static void reads(double *x) { *x = 1; }", .headers = headers};
  op2_kernel kernel = NULL;
  FAILS(op2_kernel_create(ctx, &desc, &kernel), OP2_ERR_IO);
  const char *said = op2_error_message();
  if (!ok(strstr(said, expect) && strstr(said, "'reads'"), "a header that is %s: %s", what, expect))
    diag("%s", said);
  op2_kernel_destroy(&kernel);
}

static void test_kinds(void) {
  char path[RIG_PATH], outer[RIG_PATH], text[2 * RIG_PATH];
  rig_path(path, "pipe.h");
  mkfifo(path, 0600);
  refused(path, "it is a pipe", "a pipe without a writer");
  rig_path(outer, "outer.h");
  snprintf(text, sizeof text, "#  include\t\"pipe.h\"\n");
  rig_write(outer, text, strlen(text), 0600);
  refused(outer, "it is a pipe", "one that includes a pipe");
  refused("/dev/zero", "it is a device", "an endless device");
  refused("/dev/null", "it is a device", "another device");
  rig_path(path, "folder.h");
  mkdir(path, 0700);
  refused(path, "it is a directory", "a directory");
  rig_path(path, "loop.h");
  if (symlink("loop.h", path) != 0) perror(path);
  refused(path, "not found", "a link to itself");
  rig_path(path, "huge.h");
  rig_write(path, "x", 1, 0600);
  if (truncate(path, (off_t)1 << 40) == 0)
    refused(path, "larger than 64 MiB", "a file of a terabyte of nothing");
  else
    skip("no file of a terabyte here: %s", strerror(errno));
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  rig_path(path, "socket.h");
  snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
  if (strlen(path) <= 100 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0)
    refused(path, "it is a socket", "a socket");
  else
    skip("a socket needs a path of at most 100 characters");
  close(fd);
}

/* A file that grows while it is read. */
static void test_growing(void) {
  char path[RIG_PATH], block[4096];
  rig_path(path, "growing.h");
  memset(block, ' ', sizeof block);
  rig_write(path, block, sizeof block, 0600);
  pid_t pid = fork();
  if (pid == 0) {
    int fd = open(path, O_WRONLY | O_APPEND);
    for (int i = 0; i < 20000; i++)
      if (write(fd, block, sizeof block) < 0) _exit(1);
    _exit(0);
  }
  const char *const headers[] = {path, NULL};
  const op2_kernel_desc desc = {
      .name = "reads", .source = "static void reads(double *x) { *x = 1; }", .headers = headers};
  int ended = 0;
  for (int i = 0; i < 10; i++) {
    op2_kernel kernel = NULL;
    op2_status status = op2_kernel_create(ctx, &desc, &kernel);
    ended += status == OP2_SUCCESS || strstr(op2_error_message(), "larger than 64 MiB");
    op2_kernel_destroy(&kernel);
  }
  is_int(ended, 10, "a header that grows meanwhile is read or refused");
  waitpid(pid, NULL, 0);
  refused(path, "larger than 64 MiB", "80 MiB of blanks");
}

/* Oddities where a compiler does not look either, and a header that is merely long. */
static void test_harmless(void) {
  char path[RIG_PATH], folder[RIG_PATH];
  rig_path(folder, "include");
  mkdir(folder, 0700);
  rig_path(path, "include/names.h");
  mkdir(path, 0700);
  rig_path(path, "include/long.h");
  FILE *file = fopen(path, "w");
  fputs("#if 0\n#include \"names.h\"\n#include \"nowhere.h\"\n#endif\n", file);
  for (int i = 0; i < 20000; i++) fprintf(file, "#define LONG_%d %d\n", i, i);
  fclose(file);
  const char *const headers[] = {"long.h", NULL}, *const includes[] = {folder, NULL};
  const op2_kernel_desc desc = {.name = "reads",
                                .source = "static void reads(double *x) { *x = LONG_7; }",
                                .headers = headers,
                                .includes = includes};
  op2_kernel kernel = NULL;
  op2_set set;
  op2_dat dat;
  double x[4];
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  CHECK(op2_set_create(ctx, 4, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_WRITE)));
  CHECK(op2_dat_get(dat, x));
  ok(x[3] == 7, "a long header, with folders of the names that it does not include, serves");
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
}

OP2_KERNEL(ones, (double *x), { x[0] = 1; });

/* The value that a kernel with these headers stores; 0 if it fails. */
static double written(const char *const *headers) {
  const op2_kernel_desc desc = {.name = "sums",
                                .source = "static void sums(double *x) { *x = FIRST + SECOND; }",
                                .headers = headers};
  op2_kernel kernel;
  op2_set set;
  op2_dat dat;
  double x[4] = {0};
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  CHECK(op2_set_create(ctx, 4, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, x, "x", &dat));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_WRITE)));
  CHECK(op2_dat_get(dat, x));
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  return x[3];
}

/* Equal files in two folders, each of which includes the file next to it. */
static void test_twins(void) {
  static const char *const folders[] = {"twin1", "twin2"};
  static const char outer[] = "#include \"inner.h\"\n";
  char path[RIG_PATH], header[2][RIG_PATH], inner[2][RIG_PATH];
  for (int i = 0; i < 2; i++) {
    rig_path(path, "%s", folders[i]);
    mkdir(path, 0700);
    rig_path(header[i], "%s/outer.h", folders[i]);
    rig_write(header[i], outer, strlen(outer), 0600);
    rig_path(inner[i], "%s/inner.h", folders[i]);
  }
  const char *const headers[] = {header[0], header[1], NULL};
  rig_write(inner[0], "#define FIRST 1\n", 16, 0600);
  rig_write(inner[1], "#define SECOND 2\n", 17, 0600);
  is_int((int)written(headers), 3, "equal headers in two folders");
  rig_write(inner[1], "#define SECOND 5\n", 17, 0600);
  is_int((int)written(headers), 6, "what the second includes has changed");
  rig_write(inner[0], "#define FIRST 3\n", 16, 0600);
  is_int((int)written(headers), 8, "what the first includes has changed");
}

/* Draw the graph to a target that is not a regular file. */
static void draws(const char *target, const char *expect, const char *what) {
  const op2_options options = {.backend = "sequential", .graph_file = target};
  op2_context own;
  op2_set set;
  op2_dat dat;
  op2_kernel kernel;
  CHECK(op2_init(&options, &own));
  CHECK(op2_set_create(own, 4, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  CHECK(op2_kernel_create(own, &ones_kernel, &kernel));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_WRITE)));
  rig_listen();
  op2_status status = op2_flush(own);
  const char *heard = rig_heard();
  ok(status == OP2_SUCCESS, "a graph to %s: the loops run", what);
  bool clear = expect ? strstr(heard, expect) && strstr(heard, target) : !*heard;
  if (!ok(clear, "a graph to %s: %s", what, expect ? expect : "no warning")) diag("%s", heard);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&own));
}

static void test_graph(void) {
  char path[RIG_PATH], text[512] = "";
  rig_path(path, "graph.dot");
  mkfifo(path, 0600);
  draws(path, "nobody reads from this pipe", "a pipe that nobody reads");
  int fd = open(path, O_RDONLY | O_NONBLOCK);
  draws(path, NULL, "a pipe that somebody reads");
  ok(read(fd, text, sizeof text - 1) > 10 && strstr(text, "digraph"), "who gets it");
  close(fd);
  draws(rig_root, "Is a directory", "a directory");
  draws("/dev/null", NULL, "a device");
}

/* Descriptors that the library opens must not get the numbers of the standard streams that a
 * program has closed. */
static void test_closed_streams(void) {
  char folder[RIG_PATH], log[RIG_PATH];
  rig_path(folder, "closed");
  rig_path(log, "closed-log");
  pid_t pid = fork();
  if (pid == 0) {
    struct op2i_jit_code unit;
    close(0);
    close(1);
    close(2);
    op2_context own = rig_context(folder, NULL, NULL);
    bool right = rig_get(own, 3, NULL, &unit);
    int taken = 0;
    for (int fd = 0; fd < 3; fd++) taken += fcntl(fd, F_GETFD) >= 0;
    rig_end(own);
    struct op2i_jit_stats stats;
    right = rig_once(folder, 3, &stats) && stats.disk_hits == 1 && right;
    _exit(right ? taken : 77);
  }
  int status;
  waitpid(pid, &status, 0);
  ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
     "with the standard streams closed it compiles, keeps and loads, and takes none of them (%x)",
     (unsigned)status);
}

/* The number of standard streams' descriptors in use while the kernel's code was loaded, and while
 * it ran. */
static const op2_kernel_desc looks_kernel = {
    .name = "looks",
    .headers = (const char *const[]){"<fcntl.h>", NULL},
    .source =
        "static int taken(void) {\n"
        "  return (fcntl(0, F_GETFD) >= 0) + (fcntl(1, F_GETFD) >= 0) + (fcntl(2, F_GETFD) >= "
        "0);\n}\n"
        "static int loaded;\n"
        "__attribute__((constructor)) static void look(void) { loaded = taken(); }\n"
        "static void looks(double *x) { x[0] = loaded; x[1] = taken(); }\n"};

static int run_looks(const char *backend) {
  const op2_options options = {.backend = backend, .threads = 2};
  op2_context own;
  op2_set set;
  op2_dat dat;
  op2_kernel kernel;
  double x[2] = {0, 0};
  if (op2_init(&options, &own) || op2_set_create(own, 1, "cells", &set) ||
      op2_dat_create(set, 2, OP2_F64, NULL, "x", &dat) ||
      op2_kernel_create(own, &looks_kernel, &kernel) ||
      op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_WRITE)) || op2_dat_get(dat, x))
    return 77;
  return (int)x[0] + 8 * (int)x[1];
}

/* The library has descriptors that exist only while code is loaded or runs: another thread may
 * print at that time. */
static void test_closed_meanwhile(const char *backend) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    for (int fd = 0; fd < 3; fd++) close(fd);
    _exit(run_looks(backend));
  }
  waitpid(pid, &status, 0);
  ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
     "%s: none is taken while a loop is loaded and runs (%x)", backend, (unsigned)status);
}

/* A compiler whose messages go to a pipe that no other process has open. */
static void test_log(void) {
  char cc[RIG_PATH];
  struct op2i_jit_code unit;
  rig_script(cc, "cc-pipe",
             "#!/bin/sh\nfor a; do case $last in -o) o=$a;; esac; last=$a; done\n"
             "l=${o%.so}.log\nrm $l\nmkfifo $l\nexit 1\n");
  op2_context own = rig_context(NULL, cc, NULL);
  rig_get(own, 4, NULL, &unit);
  ok(unit.status == OP2_ERR_COMPILE && unit.message && strstr(unit.message, "printed nothing"),
     "a log that is a pipe: nothing is read from it, and nobody waits");
  op2i_free(unit.message);
  rig_end(own);
}

int main(void) {
  rig_open();
  alarm(300); /* a hang ends the test as a failure */
  const op2_options options = {.backend = "sequential"};
  CHECK(op2_init(&options, &ctx));
  test_kinds();
  test_growing();
  test_harmless();
  test_twins();
  CHECK(op2_finalize(&ctx));
  test_graph();
  test_closed_streams();
  test_closed_meanwhile("sequential");
  test_closed_meanwhile("check");
  test_log();
  rig_close();
  return done();
}
