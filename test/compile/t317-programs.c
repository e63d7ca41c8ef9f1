/* SPDX-License-Identifier: BSD-3-Clause */
/* A compiler finds programs by PATH, by COMPILER_PATH and by -B. An entry of the cache is used only
 * if it would find the same ones again: when another assembler, linker or compiler comes first,
 * loops are compiled anew, and when it is removed, once more. */
#define _GNU_SOURCE
#include "t3-rig.h"

static char usual[8 * RIG_PATH],
    marks[RIG_PATH]; /* PATH as it is, and the file to which the marking programs write */
static int number;   /* number of cases, each of which has its own folders */

/* The program that a compiler runs; false if the compiler does not report it. A name without a
 * slash is found by PATH. */
static bool find_real(const char *cc, const char *program, char real[RIG_PATH]) {
  char command[2 * RIG_PATH];
  snprintf(command, sizeof command, "p=$(%s -print-prog-name=%s) && command -v \"$p\"", cc,
           program);
  FILE *pipe = popen(command, "r");
  bool found = pipe && fgets(real, RIG_PATH, pipe);
  if (pipe) pclose(pipe);
  if (found) real[strcspn(real, "\n")] = '\0';
  return found && real[0] == '/';
}

/* A program that leaves a mark and then runs the real one. */
static void make_program(const char *folder, const char *name, const char *real) {
  char path[2 * RIG_PATH], script[4 * RIG_PATH];
  mkdir(folder, 0755);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(script, sizeof script, "#!/bin/sh\necho %s >>%s\nexec %s \"$@\"\n", name, marks, real);
  rig_write(path, script, strlen(script), 0755);
}

static bool was_marked(void) {
  bool marked = access(marks, F_OK) == 0;
  unlink(marks);
  return marked;
}

struct state {
  const char *cc, *cflags;
  char cache[RIG_PATH];
};

static int compiled_in(op2_context ctx, double factor) {
  struct op2i_jit_code unit;
  bool good = rig_get(ctx, factor, NULL, &unit);
  free(unit.message);
  return good ? (int)rig_stats(ctx).compiled : -1;
}

/* The number of loops that a context compiles, 0 or 1; -1 if it fails. */
static int compiled(const struct state *s) {
  op2_context ctx = rig_context(s->cache, s->cc, s->cflags);
  int n = compiled_in(ctx, 2);
  rig_end(ctx);
  return n;
}

/* True if a loop is compiled, with the marking program or without it, and then taken from the
 * cache. */
static bool is_anew(const struct state *s, bool marked, const char *when) {
  was_marked();
  int first = compiled(s);
  bool mark = was_marked();
  int second = compiled(s);
  if (first != 1) diag("%s: %d loops are compiled", when, first);
  if (mark != marked) diag("%s: the other program runs: %d", when, mark);
  if (second != 0) diag("%s: the second time %d loops are compiled", when, second);
  return first == 1 && mark == marked && second == 0 && !was_marked();
}

static void begin(struct state *s, const char *cc) {
  *s = (struct state){.cc = cc, .cflags = "-O0"};
  rig_path(s->cache, "cache-%d", ++number);
}

static void set_path(const char *first) {
  char path[16 * RIG_PATH];
  snprintf(path, sizeof path, "%s%s%s", first ? first : "", first ? ":" : "", usual);
  setenv("PATH", path, 1);
}

/* ---- locations of programs ------------------------------------------------------------------- */

enum way { BY_PATH, BY_FLAG, BY_MISSING_FLAG, BY_PREFIX, BY_VARIABLE, BY_MISSING_VARIABLE, WAYS };
static const char *const way_names[] = {"PATH",
                                        "a folder of -B",
                                        "one that was missing",
                                        "a beginning of names of -B",
                                        "COMPILER_PATH",
                                        "a folder of it that was missing"};

static void test_one(enum way way, const char *cc, const char *program, const char *real) {
  struct state s;
  char folder[RIG_PATH], name[64], flags[2 * RIG_PATH], file[2 * RIG_PATH];
  begin(&s, cc);
  rig_path(folder, "folder-%d", number);
  snprintf(name, sizeof name, "%s%s", way == BY_PREFIX ? "my-" : "", program);
  snprintf(flags, sizeof flags, "-O0 -B%s%s", folder, way == BY_PREFIX ? "/my-" : "");
  snprintf(file, sizeof file, "%s/%s", folder, name);
  if (way == BY_FLAG || way == BY_VARIABLE || way == BY_PREFIX) mkdir(folder, 0755);
  if (way == BY_FLAG || way == BY_MISSING_FLAG || way == BY_PREFIX) s.cflags = flags;
  if (way == BY_VARIABLE || way == BY_MISSING_VARIABLE) setenv("COMPILER_PATH", folder, 1);
  bool good = is_anew(&s, false, "at first");
  make_program(folder, name, real);
  if (way == BY_PATH) set_path(folder);
  good = is_anew(&s, true, "with another program") && good;
  if (way == BY_PATH)
    set_path(NULL);
  else
    unlink(file);
  good = is_anew(&s, false, "without it") && good;
  unsetenv("COMPILER_PATH");
  ok(good, "%s: another %s comes and goes in %s", cc, program, way_names[way]);
}

static void test_ways(void) {
  static const char *const cases[][2] = {
      {"gcc", "as"}, {"gcc", "ld"}, {"gcc", "cc1"}, {"gcc", "collect2"}, {"clang", "ld"}};
  char real[RIG_PATH];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const char *cc = cases[c][0], *program = cases[c][1];
    bool clang = cc[0] == 'c';
    bool parts = strcmp(program, "cc1") == 0 || strcmp(program, "collect2") == 0;
    if (!find_real(cc, program, real)) {
      skip("%s runs no %s here", cc, program);
      continue;
    }
    for (enum way way = 0; way < WAYS; way++) {
      /* GCC does not look for its own parts in PATH, and collect2 knows only folders; Clang takes a
       * linker next to itself. */
      if (way == BY_PATH && (parts || clang)) continue;
      if (way == BY_PREFIX && !clang && program[0] == 'l') continue;
      if (quick() && (c + (size_t)way) % 3 && way != BY_PATH) continue;
      test_one(way, cc, program, real);
    }
  }
}

/* ---- PATH alone ------------------------------------------------------------------------------ */

/* Folders that contain none of the compiler's programs, and the same program under another name. */
static void test_irrelevant(const char *real) {
  struct state s;
  char one[RIG_PATH], two[RIG_PATH], path[4 * RIG_PATH], link[2 * RIG_PATH];
  begin(&s, "gcc");
  rig_path(one, "empty-1");
  rig_path(two, "empty-2");
  mkdir(one, 0755);
  mkdir(two, 0755);
  snprintf(path, sizeof path, "%s:%s", one, two);
  set_path(path);
  is_int(compiled(&s), 1, "PATH begins with two folders");
  snprintf(path, sizeof path, "%s:%s", two, one);
  set_path(path);
  is_int(compiled(&s), 0, "in another order they change nothing");
  set_path(NULL);
  is_int(compiled(&s), 0, "nor without them");
  snprintf(link, sizeof link, "%s/as", two);
  is_int(symlink(real, link), 0, "one of them has a link to the assembler");
  set_path(two);
  is_int(compiled(&s), 0, "it is the same one");
  mkdir(strcat(one, "/as"), 0755);
  one[strlen(one) - 3] = '\0';
  set_path(one);
  is_int(compiled(&s), 0, "a folder of that name is no program");
  set_path(NULL);
}

/* A context keeps the PATH that it had when its first loop was compiled, and its entries are valid
 * for that PATH. */
static void test_one_context(const char *real) {
  struct state s;
  char folder[RIG_PATH];
  begin(&s, "gcc");
  rig_path(folder, "later");
  make_program(folder, "as", real);
  op2_context ctx = rig_context(s.cache, s.cc, s.cflags);
  was_marked();
  is_int(compiled_in(ctx, 3), 1, "a loop is compiled");
  set_path(folder);
  is_int(compiled_in(ctx, 2), 2, "and another one after PATH has changed");
  ok(!was_marked(), "with the assembler of before");
  rig_end(ctx);
  ok(is_anew(&s, true, "a new context"), "a new context finds another assembler");
  set_path(NULL);
  ok(is_anew(&s, false, "before"), "and one with PATH as it was finds that of before");
}

static int in_process(const struct state *s) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) _exit(compiled(s));
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_processes(const char *real) {
  struct state s;
  char folder[RIG_PATH];
  begin(&s, "gcc");
  rig_path(folder, "processes");
  make_program(folder, "ld", real);
  is_int(in_process(&s), 1, "a process compiles a loop");
  is_int(in_process(&s), 0, "the next one has it from the cache");
  set_path(folder);
  was_marked();
  is_int(in_process(&s), 1, "one whose PATH has another linker first compiles it anew");
  ok(was_marked(), "with that linker");
  set_path(NULL);
}

/* ---- wrappers -------------------------------------------------------------------------------- */

/* A script that finds the compiler by PATH: another script would run the same commands. */
static void test_wrapper(const char *program, const char *real) {
  static const char script[] = "#!/bin/sh\nexec gcc \"$@\"\n";
  struct state s;
  char folder[RIG_PATH], wrapper[RIG_PATH], name[64];
  snprintf(name, sizeof name, "wrapper-%d", number);
  rig_script(wrapper, name, script);
  begin(&s, wrapper);
  rig_path(folder, "wrapped-%d", number);
  bool good = is_anew(&s, false, "at first");
  make_program(folder, program, real);
  set_path(folder);
  good = is_anew(&s, true, "with another program") && good;
  set_path(NULL);
  good = is_anew(&s, false, "without it") && good;
  ok(good, "a wrapper that runs gcc: another %s comes and goes in PATH", program);
}

int main(void) {
  char as[RIG_PATH], ld[RIG_PATH];
  rig_open();
  rig_path(marks, "marks");
  snprintf(usual, sizeof usual, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
  unsetenv("COMPILER_PATH");
  test_ways();
  bool found = find_real("gcc", "as", as) && find_real("gcc", "ld", ld);
  if (found) {
    test_irrelevant(as);
    test_one_context(as);
    test_processes(ld);
    test_wrapper("as", as);
    test_wrapper("ld", ld);
  } else {
    skip("gcc runs no assembler or linker here");
  }
  rig_close();
  return done();
}
