/* SPDX-License-Identifier: BSD-3-Clause */
/* A compiled loop is taken from the cache only if everything that the compiler would read is
 * unchanged: headers that change, appear, disappear or are hidden by others, wherever they are
 * found, and any setting that chooses the compiler or its flags. */
#define _GNU_SOURCE
#include <time.h>

#include "op2.h"
#include "t3-rig.h"

static void must(op2_status status) {
  if (status) ok(false, "%s", op2_error_message());
}

/* ---- one loop -------------------------------------------------------------------------------- */

/* The settings of a program. Its kernel stores VALUE, which comes from the header v.h in the folder
 * `base` or, if `early` has one, in that folder. */
struct program {
  char cache[RIG_PATH], base[RIG_PATH], early[RIG_PATH], outer[RIG_PATH];
  const char *headers[2], *includes[3], *cc;
  char cflags[4 * RIG_PATH];
};

static double run_loop(op2_context ctx, const struct program *p) {
  op2_set set;
  op2_dat x;
  op2_kernel kernel;
  double value[2] = {-1, -1};
  const op2_kernel_desc desc = {.name = "k",
                                .source = "void k(double *x) { *x = VALUE; }\n",
                                .headers = p->headers,
                                .includes = p->includes};
  must(op2_set_create(ctx, 2, "set", &set));
  must(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  op2_status status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status) status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE));
  if (!status) status = op2_dat_get(x, value);
  if (status) diag("%s", op2_error_message());
  if (!status) op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  return value[0];
}

static op2_context begin(const struct program *p) {
  op2_context ctx;
  const op2_options options = {.backend = "sequential",
                               .cache_dir = p->cache,
                               .cc = p->cc ? p->cc : "cc",
                               .cflags = p->cflags[0] ? p->cflags : "-O0"};
  must(op2_init(&options, &ctx));
  return ctx;
}

/* The value that the program stores; *compiled is true if it compiled anything. */
static double run(const struct program *p, bool *compiled) {
  op2_times times;
  op2_context ctx = begin(p);
  double value = run_loop(ctx, p);
  must(op2_times_get(ctx, &times));
  *compiled = times.compiled > 0;
  must(op2_finalize(&ctx));
  return value;
}

/* The program now stores this value, and the next time without compiling. */
static bool stores(const struct program *p, double want, const char *what) {
  bool compiled, again;
  double value = run(p, &compiled), second = run(p, &again);
  if (value != want || second != want) diag("%s: %g and %g, not %g", what, value, second, want);
  if (again) diag("%s: compiled again, though nothing has changed", what);
  return value == want && second == want && !again;
}

static void write_text(const char *folder, const char *name, const char *text) {
  char path[2 * RIG_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  rig_write(path, text, strlen(text), 0644);
}

static void write_script(const char *folder, const char *name, const char *text) {
  char path[2 * RIG_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  rig_write(path, text, strlen(text), 0755);
}

static void remove_text(const char *folder, const char *name) {
  char path[2 * RIG_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

/* Write other contents with the same size and the same date. */
static void write_disguised(const char *folder, const char *name, const char *text, mode_t mode) {
  char path[2 * RIG_PATH];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (stat(path, &st) != 0 || (size_t)st.st_size != strlen(text)) diag("%s: not as large", path);
  rig_write(path, text, strlen(text), mode);
  const struct timespec times[2] = {st.st_atim, st.st_mtim};
  utimensat(AT_FDCWD, path, times, 0);
}

/* ---- locations of a header, and changes to it ------------------------------------------------ */

enum place { OWN, NESTED, SYSTEM, BY_FLAG, BY_WRAPPER, BY_ENVIRONMENT, PLACES };
static const char *const place_names[] = {"a kernel's own header",
                                          "a header that a header includes",
                                          "a system header",
                                          "a header included by a flag",
                                          "a header found through a wrapper",
                                          "a header found by the environment"};

enum change { CHANGED, ADDED, REMOVED, SHADOWED, DISGUISED, CHANGES };
static const char *const change_names[] = {"is changed", "asks for one that is added",
                                           "asks for one that is removed", "is shadowed",
                                           "is changed, of the same size and date"};

static void set_up(struct program *p, enum place place, int number) {
  static char wrapper[RIG_PATH], script[4 * RIG_PATH], own[RIG_PATH];
  *p = (struct program){.headers = {own}};
  rig_path(p->cache, "cache-%d", number);
  rig_path(p->base, "base-%d", number);
  rig_path(p->early, "early-%d", number);
  rig_path(p->outer, "outer-%d", number);
  mkdir(p->base, 0755);
  mkdir(p->early, 0755);
  mkdir(p->outer, 0755);
  bool quoted = place == OWN || place == NESTED;
  write_text(p->outer, "o.h", quoted ? "#include \"v.h\"\n" : "#include <v.h>\n");
  snprintf(own, sizeof own, "%.400s/o.h", p->outer);
  if (place == OWN) p->headers[0] = "v.h";
  if (quoted) p->includes[0] = p->early, p->includes[1] = p->base;
  if (place == SYSTEM)
    snprintf(p->cflags, sizeof p->cflags, "-O0 -isystem %s -isystem %s", p->early, p->base);
  if (place == BY_FLAG)
    snprintf(p->cflags, sizeof p->cflags, "-O0 -I%s -I %s -include v.h", p->early, p->base);
  if (place == BY_FLAG || place == BY_WRAPPER) p->headers[0] = NULL;
  snprintf(script, sizeof script, "#!/bin/sh\nexec cc -I%s -I%s -include v.h \"$@\"\n", p->early,
           p->base);
  if (place == BY_WRAPPER) {
    char name[32];
    snprintf(name, sizeof name, "wrapper-%d", number);
    rig_script(wrapper, name, script);
    p->cc = wrapper;
  }
  unsetenv("C_INCLUDE_PATH");
  if (place != BY_ENVIRONMENT) return;
  snprintf(script, sizeof script, "%s:%s", p->early, p->base);
  setenv("C_INCLUDE_PATH", script, 1);
}

static void test_one(enum place place, enum change change, int number) {
  static const char asking[] = "#if __has_include(\"opt.h\")\n#define VALUE 2\n#else\n"
                               "#define VALUE 1\n#endif\n";
  struct program p;
  set_up(&p, place, number);
  bool asks = change == ADDED || change == REMOVED;
  write_text(p.base, "v.h", asks ? asking : "#define VALUE 1\n");
  if (change == REMOVED) write_text(p.base, "opt.h", "\n");
  bool good = stores(&p, change == REMOVED ? 2 : 1, "at first");
  switch (change) {
  case CHANGED: write_text(p.base, "v.h", "#define VALUE 20\n"); break;
  case ADDED: write_text(place == OWN || place == NESTED ? p.early : p.base, "opt.h", "\n"); break;
  case REMOVED: remove_text(p.base, "opt.h"); break;
  case SHADOWED: write_text(p.early, "v.h", "#define VALUE 20\n"); break;
  default: write_disguised(p.base, "v.h", "#define VALUE 3\n", 0644); break;
  }
  static const double want[] = {20, 2, 1, 20, 3};
  good = stores(&p, want[change], "then") && good;
  if (change == SHADOWED) {
    remove_text(p.early, "v.h");
    good = stores(&p, 1, "when the other has gone") && good;
  }
  ok(good, "%s %s", place_names[place], change_names[change]);
  unsetenv("C_INCLUDE_PATH");
}

/* Under OP2_TEST_QUICK each place and each change occurs, but not all pairs. */
static void test_product(void) {
  for (int place = 0; place < PLACES; place++)
    for (int change = 0; change < CHANGES; change++)
      if (!quick() || (place + change) % CHANGES == 0 || change == DISGUISED)
        test_one((enum place)place, (enum change)change, place * CHANGES + change);
}

/* ---- changes of the compiler, its flags and folders ------------------------------------------ */

static void begin_plain(struct program *p, const char *name) {
  *p = (struct program){0};
  rig_path(p->cache, "cache-%s", name);
  rig_path(p->base, "%s", name);
  mkdir(p->base, 0755);
}

static void test_wrappers(void) {
  struct program p;
  char cc[RIG_PATH], settings[2 * RIG_PATH], script[4 * RIG_PATH];
  begin_plain(&p, "wrappers");
  snprintf(cc, sizeof cc, "%.400s/cc", p.base);
  p.cc = cc;
  write_script(p.base, "cc", "#!/bin/sh\nexec cc -DVALUE=1 \"$@\"\n");
  ok(stores(&p, 1, "wrapper"), "a wrapper that adds a flag");
  write_disguised(p.base, "cc", "#!/bin/sh\nexec cc -DVALUE=2 \"$@\"\n", 0755);
  ok(stores(&p, 2, "wrapper"), "it adds another one, and has the same size and date");

  snprintf(settings, sizeof settings, "%s/settings", p.base);
  snprintf(script, sizeof script, "#!/bin/sh\n. %s\nexec cc $FLAGS $MORE \"$@\"\n", settings);
  write_text(p.base, "settings", "FLAGS=-DVALUE=3\n");
  write_script(p.base, "cc", script);
  ok(stores(&p, 3, "settings"), "a wrapper that reads its flags from a file");
  write_disguised(p.base, "settings", "FLAGS=-DVALUE=4\n", 0644);
  ok(stores(&p, 4, "settings"), "the file changes");
  setenv("MORE", "-UVALUE -DVALUE=5", 1);
  ok(stores(&p, 5, "variable"), "a variable of its own that adds flags is set");
  unsetenv("MORE");
  ok(stores(&p, 4, "variable"), "it is no longer set");

  snprintf(script, sizeof script, "#!/bin/sh\nexec %s/target \"$@\"\n", p.base);
  write_script(p.base, "target", "#!/bin/sh\nexec cc -DVALUE=6 \"$@\"\n");
  write_script(p.base, "cc", script);
  ok(stores(&p, 6, "target"), "a wrapper of a wrapper");
  write_disguised(p.base, "target", "#!/bin/sh\nexec cc -DVALUE=7 \"$@\"\n", 0755);
  ok(stores(&p, 7, "target"), "the inner one changes");
}

static void test_flags(void) {
  struct program p;
  begin_plain(&p, "flags");
  write_text(p.base, "response", "-DVALUE=1\n");
  snprintf(p.cflags, sizeof p.cflags, "-O0 @%s/response", p.base);
  ok(stores(&p, 1, "response"), "flags in a response file");
  write_disguised(p.base, "response", "-DVALUE=2\n", 0644);
  ok(stores(&p, 2, "response"), "the file changes");
  char text[2 * RIG_PATH];
  snprintf(text, sizeof text, "@%s/inner\n", p.base);
  write_text(p.base, "inner", "-DVALUE=3\n");
  write_text(p.base, "response", text);
  ok(stores(&p, 3, "response"), "a response file in a response file");
  write_disguised(p.base, "inner", "-DVALUE=4\n", 0644);
  ok(stores(&p, 4, "response"), "the inner one changes");

  /* A name that only a macro contains: only the preprocessor knows which file is looked for. */
  snprintf(p.cflags, sizeof p.cflags, "-O0 -I%s -DNAME=<w.h>", p.base);
  write_text(p.base, "o.h",
             "#if __has_include(NAME)\n#define VALUE 6\n#else\n#define VALUE 5\n"
             "#endif\n");
  char header[2 * RIG_PATH];
  snprintf(header, sizeof header, "%s/o.h", p.base);
  p.headers[0] = header;
  ok(stores(&p, 5, "macro"), "a header that is asked for by a macro");
  write_text(p.base, "w.h", "\n");
  ok(stores(&p, 6, "macro"), "it is added");
}

/* A folder that was missing when the loop was compiled, and a folder that has the name of a
 * header. */
static void test_folders(void) {
  struct program p;
  char path[2 * RIG_PATH];
  begin_plain(&p, "folders");
  p.headers[0] = "o.h";
  p.includes[0] = p.base;
  snprintf(p.cflags, sizeof p.cflags, "-O0 -isystem %s/new -isystem %s", p.base, p.base);
  write_text(p.base, "o.h", "#include <v.h>\n");
  write_text(p.base, "v.h", "#define VALUE 1\n");
  p.includes[0] = NULL;
  snprintf(path, sizeof path, "%s/o.h", p.base);
  p.headers[0] = path;
  ok(stores(&p, 1, "missing"), "a folder that is searched and missing");
  char folder[2 * RIG_PATH];
  snprintf(folder, sizeof folder, "%s/new", p.base);
  mkdir(folder, 0755);
  write_text(folder, "v.h", "#define VALUE 2\n");
  ok(stores(&p, 2, "missing"), "it is made, with a header");
}

static void test_moved(const struct program *p, const char *here, const char *other,
                       const char *how) {
  op2_set set;
  op2_dat x;
  op2_kernel kernel;
  double value = -1;
  ok(chdir(here) == 0, "in one directory");
  op2_context ctx = begin(p);
  const op2_kernel_desc desc = {.name = "k",
                                .source = "void k(double *x) { *x = VALUE; }\n",
                                .headers = p->headers,
                                .includes = p->includes};
  must(op2_set_create(ctx, 1, "set", &set));
  must(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  must(op2_kernel_create(ctx, &desc, &kernel));
  must(op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE)));
  ok(chdir(other) == 0, "in another one before the loop is compiled");
  must(op2_dat_get(x, &value));
  ok(value == 1, "%s is that of the first", how);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  must(op2_finalize(&ctx));
  ok(stores(p, 2, how), "a program that begins in the other one has its header");
  ok(chdir(here) == 0 && stores(p, 1, how), "and one in the first has that");
}

static void test_directory(void) {
  struct program p;
  char here[RIG_PATH], other[RIG_PATH], before[4096], header[2 * RIG_PATH];
  static const char *const how[] = {"a relative folder of the kernel's",
                                    "a relative folder in flags"};
  begin_plain(&p, "directory");
  rig_path(here, "directory/here");
  rig_path(other, "directory/other");
  mkdir(here, 0755);
  mkdir(other, 0755);
  write_text(here, "v.h", "#define VALUE 1\n");
  write_text(other, "v.h", "#define VALUE 2\n");
  write_text(p.base, "o.h", "#include <v.h>\n");
  snprintf(header, sizeof header, "%s/o.h", p.base);
  p.headers[0] = header;
  if (!getcwd(before, sizeof before)) strcpy(before, "/");
  for (int flag = 0; flag < 2; flag++) {
    p.includes[0] = flag ? NULL : ".";
    snprintf(p.cflags, sizeof p.cflags, flag ? "-O0 -I." : "-O0");
    test_moved(&p, here, other, how[flag]);
  }
  ok(chdir(before) == 0, "back");
}

/* In one process, kernels that are made anew use the present contents of their headers. */
static void test_one_process(void) {
  struct program p;
  char header[2 * RIG_PATH];
  begin_plain(&p, "process");
  snprintf(header, sizeof header, "%s/o.h", p.base);
  p.headers[0] = header;
  snprintf(p.cflags, sizeof p.cflags, "-O0 -isystem %s", p.base);
  write_text(p.base, "o.h", "#include <v.h>\n");
  write_text(p.base, "v.h", "#define VALUE 1\n");
  op2_context ctx = begin(&p);
  ok(run_loop(ctx, &p) == 1 && run_loop(ctx, &p) == 1, "two kernels of one text");
  write_text(p.base, "v.h", "#define VALUE 2\n");
  ok(run_loop(ctx, &p) == 2, "a third one after a system header has changed");
  must(op2_finalize(&ctx));
}

/* While a program compiles, after the compiler has read its files, a header changes, or a new one
 * hides it. Later programs must not take its code for that of the new header. */
static void test_while_compiling(void) {
  static const struct {
    const char *script, *what;
  } changes[] = {
      {"test ! -e next || mv next v.h", "a header is replaced while it is compiled"},
      {"test ! -e next || { cat next >v.h; rm next; }", "a header changes while it is compiled"},
      {"test ! -e next || mv next early/v.h", "a header is hidden while it is compiled"}};
  struct program p;
  for (int i = 0; i < (int)(sizeof changes / sizeof *changes); i++) {
    char name[32], cc[RIG_PATH], script[4 * RIG_PATH], header[2 * RIG_PATH];
    bool compiled;
    snprintf(name, sizeof name, "while-%d", i);
    begin_plain(&p, name);
    snprintf(cc, sizeof cc, "%.400s/cc", p.base);
    snprintf(header, sizeof header, "%s/early", p.base);
    mkdir(header, 0755);
    snprintf(header, sizeof header, "%s/o.h", p.base);
    snprintf(script, sizeof script, "#!/bin/sh\n" RIG_ASKED "cc \"$@\" || exit\ncd '%s' && %s\n",
             p.base, changes[i].script);
    write_script(p.base, "cc", script);
    p.cc = cc;
    p.headers[0] = header;
    snprintf(p.cflags, sizeof p.cflags, "-O0 -isystem %s/early -isystem %s", p.base, p.base);
    write_text(p.base, "o.h", "#include <v.h>\n");
    write_text(p.base, "v.h", "#define VALUE 1\n");
    write_text(p.base, "next", "#define VALUE 2\n");
    const double first = run(&p, &compiled);
    snprintf(header, sizeof header, "%s/next", p.base);
    ok(first == 1 && compiled && access(header, F_OK) != 0, "%s: the first program",
       changes[i].what);
    snprintf(header, sizeof header, "%s/o.h", p.base);
    ok(stores(&p, 2, changes[i].what), "%s: those after it", changes[i].what);
  }
}

int main(void) {
  rig_open();
  test_product();
  test_wrappers();
  test_flags();
  test_folders();
  test_directory();
  test_one_process();
  test_while_compiling();
  rig_close();
  return done();
}
