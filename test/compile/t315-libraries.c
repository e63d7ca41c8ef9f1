/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels call functions of the user's own libraries: shared ones, archives and object files. */
#define _GNU_SOURCE
#include "op2.h"
#include "t3-rig.h"

static char folder[RIG_PATH];

static bool shell(const char *format, ...) {
  char line[8 * RIG_PATH];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  return system(line) == 0;
}

/* Make a shared library, an archive and an object file with mine(), which returns this value. */
static bool make_libraries(int value) {
  return shell(
      "cd '%s' && echo 'double mine(void) { return %d; }' >mine.c && "
      "cc -fPIC -c mine.c -o mine.o && cc -shared mine.o -o libmine.so && rm -f libours.a && "
      "ar rc libours.a mine.o",
      folder, value);
}

/* The value stored by a kernel that calls mine(); -1 if it cannot run, with the message in
 * *message. */
static double run(const char *const *libraries, const char **message, bool *compiled) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  op2_times times;
  double value = -1;
  const op2_options options = {.backend = "sequential", .cflags = "-O0"};
  const op2_kernel_desc desc = {
      .name = "k",
      .source = "extern double mine(void);\nvoid k(double *x) { *x = mine(); }\n",
      .libraries = libraries};
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, 1, "set", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status) status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE));
  if (!status) status = op2_dat_get(x, &value);
  static char words[4096];
  snprintf(words, sizeof words, "%s", status ? op2_error_message() : "");
  *message = words;
  if (!status) status = op2_times_get(ctx, &times);
  *compiled = !status && times.compiled > 0;
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx)) value = -1;
  return value;
}

static void test_kinds(void) {
  char shared[2 * RIG_PATH], archive[2 * RIG_PATH], object[2 * RIG_PATH], search[2 * RIG_PATH];
  const char *message;
  bool compiled;
  snprintf(shared, sizeof shared, "%s/libmine.so", folder);
  snprintf(archive, sizeof archive, "%s/libours.a", folder);
  snprintf(object, sizeof object, "%s/mine.o", folder);
  snprintf(search, sizeof search, "-L%s", folder);
  const struct {
    const char *words[3], *what;
  } kinds[] = {{{shared}, "a shared library"},
               {{archive}, "an archive"},
               {{object}, "an object file"},
               {{search, "-lmine"}, "a shared library that is searched for"},
               {{search, "-lours"}, "an archive that is searched for"},
               {{search, "-l:libours.a"}, "an archive that is searched for by its file's name"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    ok(make_libraries(5) && run(kinds[i].words, &message, &compiled) == 5, "%s", kinds[i].what);
    ok(run(kinds[i].words, &message, &compiled) == 5 && !compiled, "%s: loaded", kinds[i].what);
    ok(make_libraries(6), "it changes");
    int status = -1;
    pid_t pid = fork(); /* a shared library that a process has loaded is not loaded anew */
    if (pid == 0) _exit(run(kinds[i].words, &message, &compiled) == 6 ? 0 : 1);
    waitpid(pid, &status, 0);
    is_int(status, 0, "%s: what it is now is called", kinds[i].what);
  }
}

static void test_missing(void) {
  const char *message;
  bool compiled;
  ok(run(NULL, &message, &compiled) == -1, "without a library the loop fails");
  bool told = strstr(message, "mine") && strstr(message, "op2_kernel_desc.libraries") &&
              strstr(message, "OP2_LDFLAGS");
  if (!ok(told, "and the message says how it is linked")) diag("%s", message);
}

static void test_relative(void) {
  static const char *const words[] = {"./libours.a", NULL};
  char before[4096], flags[3 * RIG_PATH];
  const char *message;
  bool compiled;
  if (!getcwd(before, sizeof before)) strcpy(before, "/");
  ok(chdir(folder) == 0 && make_libraries(7) && run(words, &message, &compiled) == 7,
     "a relative path");
  setenv("OP2_LDFLAGS", "-L. -lours", 1);
  ok(run(NULL, &message, &compiled) == 7, "OP2_LDFLAGS with a relative folder");
  ok(make_libraries(9) && run(NULL, &message, &compiled) == 9, "its archive changes");
  setenv("OP2_LDFLAGS", "-lours", 1);
  setenv("LIBRARY_PATH", folder, 1);
  ok(run(NULL, &message, &compiled) == 9, "LIBRARY_PATH");
  ok(make_libraries(7) && run(NULL, &message, &compiled) == 7, "its archive changes");
  unsetenv("LIBRARY_PATH");
  ok(chdir(before) == 0, "back");
  snprintf(flags, sizeof flags, "-L%s -lours", folder);
  setenv("OP2_LDFLAGS", flags, 1);
  ok(run(NULL, &message, &compiled) == 7, "OP2_LDFLAGS");
  ok(make_libraries(8) && run(NULL, &message, &compiled) == 8, "its archive changes");
  unsetenv("OP2_LDFLAGS");
}

/* Linker options are passed with commas between them, so a folder's name must not be split at its
 * own commas. */
static void test_commas(void) {
  char before[RIG_PATH], shared[2 * RIG_PATH], search[2 * RIG_PATH];
  const char *message;
  bool compiled;
  snprintf(before, sizeof before, "%s", folder);
  rig_path(folder, "a,b folder, and c");
  ok(mkdir(folder, 0755) == 0 && make_libraries(11), "a folder with commas in its name");
  snprintf(shared, sizeof shared, "%s/libmine.so", folder);
  snprintf(search, sizeof search, "-L%s", folder);
  double value = run((const char *const[]){shared, NULL}, &message, &compiled);
  ok(value == 11, "a shared library in it: %s", message);
  value = run((const char *const[]){search, "-lmine", NULL}, &message, &compiled);
  ok(value == 11, "and one that is searched for there: %s", message);
  snprintf(folder, sizeof folder, "%s", before);
}

int main(void) {
  rig_open();
  rig_path(folder, "folder");
  mkdir(folder, 0755);
  test_missing();
  test_kinds();
  test_relative();
  test_commas();
  rig_close();
  return done();
}
