/* SPDX-License-Identifier: BSD-3-Clause */
/* The C compiler as a process: which compiler is used, its flags and identity, and runs of it with
 * a time limit. */
#define _GNU_SOURCE
#include "compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "affinity.h"
#include "backend.h"
#include "child.h"
#include "cpu.h"
#include "depend.h"
#include "environment.h"
#include "error.h"
#include "file.h"
#include "folder.h"
#include "identity.h"
#include "math_print.h"
#include "mem.h"
#include "messages.h"

/* A kernel's own file-scope names take precedence over those of the program (-Bsymbolic), and words
 * that old compilers predefine are ordinary names. The last three are warnings by default and
 * crashes at run time. They do not survive -w, so warnings stay on; they are shown only if a
 * compilation fails.
 *
 * The flags in the middle make values the same in every form of a loop: signed integers wrap;
 * products and sums are rounded separately; two of fmin(), fmax() and the like are not exchanged,
 * which would exchange zeros of different sign (generated text has functions of its own for them);
 * and gcc 12 does not vectorise straight-line code, where it loses conversions of doubles to float
 * and back. They come before OP2_CFLAGS, which can revoke them one by one. */
static const char *const fixed_flags[] = {"-shared",
                                          "-fPIC",
                                          "-std=gnu11",
                                          "-Wl,-Bsymbolic",
                                          "-Ulinux",
                                          "-Uunix",
                                          "-fwrapv",
                                          "-ffp-contract=off",
                                          "-fno-builtin-fmin",
                                          "-fno-builtin-fmax",
                                          "-fno-builtin-fminf",
                                          "-fno-builtin-fmaxf",
                                          "-fno-tree-slp-vectorize",
                                          "-Werror=incompatible-pointer-types",
                                          "-Werror=implicit-function-declaration",
                                          "-Werror=int-conversion"};
enum { NFIXED = sizeof fixed_flags / sizeof *fixed_flags };

bool op2i_compiler_name(const char *folder, const char *name, char path[PATH_MAX]) {
  bool relative = *name != '/' && folder;
  return snprintf(path, PATH_MAX, "%s%s%s", relative ? folder : "", relative ? "/" : "", name) <
         PATH_MAX;
}

/* ---- finding the compiler -------------------------------------------------------------------- */

/* Look a program up as execvp() would. The first one goes to `found`, and all programs of that name
 * are identified: if the first one is a wrapper (ccache, distcc), one of the others does the
 * work. */
static bool find_program(const char *name, char found[PATH_MAX], struct op2i_compiler *compiler) {
  struct op2i_text *identity = &compiler->identity;
  const char *path = op2i_environment_value(compiler, "PATH");
  char file[PATH_MAX];
  struct stat st;
  found[0] = '\0';
  if (strchr(name, '/')) {
    if (!op2i_compiler_name(compiler->folder, name, file) || !op2i_is_program(file, &st))
      return false;
    op2i_identity_program(identity, file, &st);
    strcpy(found, file);
    return true;
  }
  while (op2i_next_in_list(compiler, &path, name, file)) {
    if (!file[0] || !op2i_is_program(file, &st)) continue;
    op2i_identity_program(identity, file, &st);
    if (!found[0]) strcpy(found, file);
  }
  return found[0] != '\0';
}

static void report_missing(struct op2i_compiler *compiler, const char *name, const char *by) {
  if (strchr(name, '/') && access(name, F_OK) == 0)
    op2i_text_add(&compiler->missing, "the C compiler %s is not an executable file", name);
  else if (strchr(name, '/'))
    op2i_text_add(&compiler->missing, "the C compiler %s does not exist", name);
  else
    op2i_text_add(&compiler->missing, "the C compiler %s is not in the directories of PATH", name);
  op2i_text_add(&compiler->missing, " (asked for by %s)", by);
}

static op2_status find_named(struct op2i_compiler *compiler, const char *cc, const char *by) {
  char found[PATH_MAX];
  op2_status status;
  OP2I_TRY(op2i_words_split(&compiler->driver, cc));
  struct op2i_words *driver = &compiler->driver;
  if (driver->count == 0) {
    op2i_text_add(&compiler->missing, "%s is '%s': blank, no compiler is named", by, cc);
    return OP2_SUCCESS;
  }
  if (!find_program(driver->item[0], found, compiler)) {
    report_missing(compiler, driver->item[0], by);
    return OP2_SUCCESS;
  }
  char *path = op2i_strdup(found);
  if (!path) return op2i_error_nomem("the compiler's name");
  op2i_free(driver->item[0]);
  driver->item[0] = path;
  /* In "ccache gcc" the program that the wrapper runs matters, too. */
  for (int64_t i = 1; i < driver->count; i++)
    if (driver->item[i][0] != '-') find_program(driver->item[i], found, compiler);
fail:
  return status;
}

static op2_status find_default(struct op2i_compiler *compiler) {
  static const char *const names[] = {"cc", "gcc", "clang"};
  char found[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (find_program(names[i], found, compiler)) return op2i_words_add(&compiler->driver, found);
  op2i_text_add(&compiler->missing, "no C compiler: none of cc, gcc and clang is in the "
                                    "directories of PATH (OP2_CC names another)");
  return OP2_SUCCESS;
}

/* True if flags name a processor, so that the code does not depend on the processor here. */
static bool names_processor(const struct op2i_words *flags) {
  static const char *const options[] = {"-march=", "-mcpu="};
  bool named = false;
  for (int64_t i = 0; i < flags->count; i++)
    for (size_t o = 0; o < sizeof options / sizeof *options; o++)
      if (strncmp(flags->item[i], options[o], strlen(options[o])) == 0)
        named = strcmp(flags->item[i] + strlen(options[o]), "native") != 0;
  return named;
}

static void add_plain(struct op2i_compiler *compiler) {
  struct op2i_text *plain = &compiler->plain;
  op2i_text_add(plain, OP2I_ABI "\nrecords " OP2I_DEPEND_RECORDS "\n");
  for (int i = 0; i < NFIXED; i++) op2i_text_add(plain, "flag %s\n", fixed_flags[i]);
  for (int64_t i = 0; i < compiler->flags.count; i++)
    op2i_text_add(plain, "flag %s\n", compiler->flags.item[i]);
  for (int64_t i = 0; i < compiler->linker.count; i++)
    op2i_text_add(plain, "linker %s\n", compiler->linker.item[i]);
  if (!names_processor(&compiler->flags)) op2i_cpu_text(plain);
}

/* Generated text defines these functions (codegen/math/math_print.h). Compilers must not know what they
 * return: they would compute constant results by themselves, with other bits. */
static op2_status add_own_math(struct op2i_words *flags) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; op2i_math_name(i / 2) && !status; i++) {
    char option[64];
    snprintf(option, sizeof option, "-fno-builtin-%s%s", op2i_math_name(i / 2), i % 2 ? "f" : "");
    status = op2i_words_add(flags, option);
  }
  return status;
}

op2_status op2i_compiler_open(struct op2i_compiler *compiler, const struct op2i_config *config) {
  op2_status status;
  char here[PATH_MAX];
  const char *folder = config->folder ? config->folder : getcwd(here, sizeof here);
  *compiler = (struct op2i_compiler){.flags_by = config->cflags_by, .timeout = config->cc_timeout};
  if (folder && !(compiler->folder = op2i_strdup(folder)))
    OP2I_TRY(op2i_error_nomem("the compiler's folder"));
  OP2I_TRY(op2i_environment_copy(compiler));
  OP2I_TRY(config->cc ? find_named(compiler, config->cc, config->cc_by) : find_default(compiler));
  OP2I_TRY(op2i_words_split(&compiler->flags, config->cflags ? config->cflags : op2i_cpu_flags()));
  if (!config->libm) OP2I_TRY(add_own_math(&compiler->flags));
  if (config->ldflags) OP2I_TRY(op2i_words_split(&compiler->linker, config->ldflags));
  struct op2i_text *identity = &compiler->identity;
  add_plain(compiler);
  op2i_text_bytes(identity, compiler->plain.chars, compiler->plain.length);
  for (int64_t i = 0; i < compiler->driver.count; i++)
    op2i_text_add(identity, "cc %s\n", compiler->driver.item[i]);
  OP2I_TRY(op2i_identity_flags(compiler, &compiler->driver, true));
  OP2I_TRY(op2i_identity_flags(compiler, &compiler->flags, false));
  OP2I_TRY(op2i_identity_flags(compiler, &compiler->linker, false));
  op2i_identity_environment(compiler);
  if (identity->failed || compiler->plain.failed || compiler->missing.failed)
    OP2I_TRY(op2i_error_nomem("the compiler's identity"));
  return OP2_SUCCESS;
fail:
  op2i_compiler_close(compiler);
  return status;
}

void op2i_compiler_close(struct op2i_compiler *compiler) {
  op2i_words_free(&compiler->driver);
  op2i_words_free(&compiler->flags);
  op2i_words_free(&compiler->linker);
  op2i_words_free(&compiler->environment);
  op2i_free(compiler->folder);
  compiler->folder = NULL;
  op2i_text_free(&compiler->identity);
  op2i_text_free(&compiler->plain);
  op2i_text_free(&compiler->missing);
}

/* ---- running the compiler -------------------------------------------------------------------- */

static op2_status add_file(struct op2i_words *words, const char *option, const char *stem,
                           const char *suffix) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s%s", stem, suffix);
  op2_status status = option ? op2i_words_add(words, option) : OP2_SUCCESS;
  return status == OP2_SUCCESS ? op2i_words_add(words, path) : status;
}

/* System headers are dependencies like others: -MMD would omit them. Definitions are part of the
 * preprocessed text, names of files are not. */
static const char *const mode_options[][4] = {[OP2I_COMPILE] = {"-MD"},
                                              [OP2I_COMMANDS] = {"-###"},
                                              [OP2I_SEARCH] = {"-v", "-E"},
                                              [OP2I_PREPROCESS] = {"-E", "-dD", "-P"}};

const char *op2i_compiler_output(enum op2i_compiler_mode mode) {
  return mode == OP2I_COMPILE || mode == OP2I_COMMANDS ? ".so" : ".i";
}

/* Add the kernel's libraries, with options to find them at run time in the same folders, and the
 * libraries that the user wants linked to all kernels. */
static op2_status add_libraries(const struct op2i_compiler *compiler,
                                const struct op2i_compiler_run *run, struct op2i_words *words) {
  op2_status status = OP2_SUCCESS;
  for (const char *const *library = run->libraries; library && *library && !status; library++) {
    char search[PATH_MAX + 16];
    bool folder = strncmp(*library, "-L", 2) == 0;
    const char *path = folder ? *library + 2 : *library, *end = strrchr(path, '/');
    status = op2i_words_add(words, *library);
    if (status || (!folder && (*path == '-' || !end || !strstr(end, ".so")))) continue;
    /* -Wl would split a name at its commas. */
    snprintf(search, sizeof search, "-rpath=%.*s",
             (int)(folder ? strlen(path) : (size_t)(end - path)), path);
    status = op2i_words_add(words, "-Xlinker");
    if (!status) status = op2i_words_add(words, search);
  }
  for (int64_t i = 0; i < compiler->linker.count && !status; i++)
    status = op2i_words_add(words, compiler->linker.item[i]);
  return status;
}

static op2_status make_arguments(const struct op2i_compiler *compiler,
                                 const struct op2i_compiler_run *run, struct op2i_words *words) {
  op2_status status;
  for (int64_t i = 0; i < compiler->driver.count; i++)
    OP2I_TRY(op2i_words_add(words, compiler->driver.item[i]));
  for (int i = 0; i < NFIXED; i++) OP2I_TRY(op2i_words_add(words, fixed_flags[i]));
  for (int64_t i = 0; i < compiler->flags.count; i++)
    OP2I_TRY(op2i_words_add(words, compiler->flags.item[i]));
  for (const char *const *folder = run->includes; folder && *folder; folder++) {
    OP2I_TRY(op2i_words_add(words, "-I"));
    OP2I_TRY(op2i_words_add(words, *folder));
  }
  for (const char *const *option = mode_options[run->mode]; *option; option++)
    OP2I_TRY(op2i_words_add(words, *option));
  if (run->mode == OP2I_COMPILE) OP2I_TRY(add_file(words, "-MF", run->stem, ".d"));
  OP2I_TRY(add_file(words, "-o", run->stem, op2i_compiler_output(run->mode)));
  OP2I_TRY(add_file(words, NULL, run->stem, ".c"));
  OP2I_TRY(add_libraries(compiler, run, words));
  OP2I_TRY(op2i_words_add(words, "-lm"));
fail:
  return status;
}

/* The compiler must not inherit the program's blocked signals, and it hangs if its children are
 * reaped without its knowledge. */
static int set_signals(posix_spawnattr_t *attributes) {
  sigset_t none, defaults;
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGCHLD);
  sigaddset(&defaults, SIGPIPE);
  if (op2i_child_apart()) flags |= POSIX_SPAWN_SETPGROUP; /* a new group, unless another is set */
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &defaults);
  if (!error) error = posix_spawnattr_setflags(attributes, flags);
  return error;
}

/* A process starts on the processors that its parent may use. If OpenMP has bound the parent to one
 * place of several, all compilers would share that place. */
static int spawn_anywhere(pid_t *pid, const posix_spawn_file_actions_t *files,
                          const posix_spawnattr_t *attributes, char **arguments,
                          char **environment) {
  cpu_set_t cpus, mine;
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  int n = op2i_process_cpus(numbers, &narrow);
  narrow = narrow && !sched_getaffinity(0, sizeof mine, &mine);
  CPU_ZERO(&cpus);
  for (int i = 0; i < n; i++) CPU_SET(numbers[i], &cpus);
  if (narrow) sched_setaffinity(0, sizeof cpus, &cpus);
  int error = posix_spawn(pid, arguments[0], files, attributes, arguments, environment);
  if (narrow) sched_setaffinity(0, sizeof mine, &mine);
  return error;
}

/* Return the folder in which the compiler has to be started, as its flags may have relative paths;
 * null: the process is in that folder. */
static const char *other_folder(const char *folder) {
  char here[PATH_MAX];
  return folder && getcwd(here, sizeof here) && strcmp(here, folder) == 0 ? NULL : folder;
}

/* A compiler gets empty input: from an empty file of its own if a system has no /dev/null. */
static int add_input(posix_spawn_file_actions_t *files, const char *stem) {
  char empty[PATH_MAX];
  if (access("/dev/null", R_OK) == 0)
    return posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  snprintf(empty, sizeof empty, "%s.in", stem);
  return posix_spawn_file_actions_addopen(files, 0, empty, O_RDONLY | O_CREAT, 0600);
}

static int spawn(const char *folder, const char *stem, char **arguments, char **environment,
                 pid_t *pid) {
  char log[PATH_MAX];
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    snprintf(log, sizeof log, "%s.log", stem);
    error = add_input(&files, stem);
    if (!error)
      error = posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, 1, 2);
    if (!error && folder) error = posix_spawn_file_actions_addchdir_np(&files, folder);
    if (!error) error = set_signals(&attributes);
    if (!error) error = spawn_anywhere(pid, &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* The system's error does not say which of the files it is about, so they are tried here. */
static void add_refusal(struct op2i_text *text, const char *program, const char *folder,
                        const char *scratch, int error) {
  op2i_text_add(text, "the C compiler %s cannot be run", program);
  if (folder && access(folder, X_OK) != 0)
    op2i_text_add(text, " in the folder that the program was in when the context was made, %s",
                  folder);
  else if (access(scratch, W_OK | X_OK) != 0)
    op2i_text_add(text, ", as its files cannot be written to %s", scratch);
  op2i_text_add(text, ": %s", strerror(error));
}

op2_status op2i_compiler_start(const struct op2i_compiler *compiler,
                               struct op2i_compiler_run *run) {
  struct op2i_words arguments = {0};
  char setting[PATH_MAX];
  char **environment = NULL;
  op2_status status;
  run->pid = 0;
  run->good = run->given_up = false;
  run->deadline = INT64_MAX;
  clock_gettime(CLOCK_REALTIME, &run->started);
  OP2I_TRY(make_arguments(compiler, run, &arguments));
  snprintf(setting, sizeof setting, "TMPDIR=%s", run->folder);
  environment = op2i_environment_for_run(compiler, setting, run->mode != OP2I_COMPILE);
  if (!environment) OP2I_TRY(op2i_error_nomem("the compiler's environment"));
  const char *folder = other_folder(compiler->folder);
  int error = spawn(folder, run->stem, arguments.item, environment, &run->pid);
  if (error) {
    run->pid = 0;
    add_refusal(&run->failure, arguments.item[0], folder, run->folder, error);
    if (run->failure.failed) status = op2i_error_nomem("a message");
  } else if (compiler->timeout > 0) {
    run->deadline = op2i_child_clock() + compiler->timeout * INT64_C(1000000000);
  }
fail:
  op2i_words_free(&arguments);
  op2i_free(environment);
  return status;
}

/* ---- messages of the compiler ---------------------------------------------------------------- */

static void add_command(struct op2i_text *text, const struct op2i_words *words) {
  for (int64_t i = 0; i < words->count; i++) {
    const char *word = words->item[i];
    bool plain = *word && !strpbrk(word, " \t\n'\"\\$`&;|<>()*?[]#~!{}");
    op2i_text_add(text, plain ? " %s" : " '%s'", word);
  }
}

/* Read the beginning of the compiler's output, as the first errors matter. */
static void read_log(const char *stem, struct op2i_text *text) {
  enum { SHOWN = 8192 };
  char path[PATH_MAX], shown[SHOWN];
  struct stat st;
  snprintf(path, sizeof path, "%s.log", stem);
  int fd = op2i_file_open(AT_FDCWD, path, O_RDONLY, 0);
  ssize_t length = fd < 0 ? -1 : pread(fd, shown, sizeof shown, 0);
  while (length > 0 && shown[length - 1] == '\n') length--;
  for (ssize_t i = 0; i < length; i++)
    if (!shown[i]) shown[i] = '?';
  if (length > 0)
    op2i_text_bytes(text, shown, (size_t)length);
  else
    op2i_text_add(text, "(it printed nothing)");
  if (length > 0 && fstat(fd, &st) == 0 && st.st_size > SHOWN)
    op2i_text_add(text, "\n... (%" PRId64 " more bytes)", (int64_t)st.st_size - SHOWN);
  if (fd >= 0) close(fd);
}

/* Add what the compiler printed. Returns true if it is about the text of a kernel. */
static bool add_log(struct op2i_text *text, const char *stem) {
  char path[PATH_MAX];
  struct op2i_text log = {0};
  struct op2i_bytes unit = {0};
  const char *fault = NULL;
  bool placed = false;
  read_log(stem, &log);
  snprintf(path, sizeof path, "%s.c", stem);
  text->failed |= log.failed || op2i_file_load(path, &unit, &fault) != OP2_SUCCESS;
  if (!text->failed)
    placed = op2i_messages_place(log.chars, unit.data ? (const char *)unit.data : "", text);
  op2i_text_free(&log);
  op2i_free(unit.data);
  return placed;
}

op2_status op2i_compiler_report(const struct op2i_compiler *compiler,
                                struct op2i_compiler_run *run) {
  struct op2i_words arguments = {0};
  op2_status status = make_arguments(compiler, run, &arguments);
  /* An error in a kernel is the kernel's, unless the program's own flags have a part in it. */
  if (!add_log(&run->failure, run->stem) || compiler->flags_by) {
    op2i_text_add(&run->failure,
                  "\nthe command%s%s was:", compiler->flags_by ? ", with the flags of " : "",
                  compiler->flags_by ? compiler->flags_by : "");
    add_command(&run->failure, &arguments);
  }
  op2i_words_free(&arguments);
  if (status == OP2_SUCCESS && run->failure.failed) status = op2i_error_nomem("a message");
  return status;
}

/* Return the signal by which a user or program requested the end of a process; 0: it ended
 * otherwise. Wrappers report such a signal as shells do. */
static int ended_by_request(int how) {
  static const int requests[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
  int signal = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how) - 128;
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
    if (signal == requests[i]) return signal;
  return 0;
}

static void add_end(struct op2i_text *text, const char *program, int how) {
  static const char *const names[] = {
      [SIGHUP] = "SIGHUP",   [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT",
      [SIGTERM] = "SIGTERM", [SIGUSR1] = "SIGUSR1", [SIGUSR2] = "SIGUSR2"};
  int signal = ended_by_request(how);
  if (signal)
    op2i_text_add(text, "the C compiler %s was ended by signal %d (%s):\n", program, signal,
                  names[signal]);
  else if (WIFSIGNALED(how))
    op2i_text_add(text, "the C compiler %s was killed by signal %d (%s):\n", program, WTERMSIG(how),
                  strsignal(WTERMSIG(how)));
  else
    op2i_text_add(text, "the C compiler %s ended with exit status %d:\n", program,
                  WEXITSTATUS(how));
}

op2_status op2i_compiler_wait(const struct op2i_compiler *compiler, struct op2i_compiler_run *run) {
  const char *program = compiler->driver.item[0];
  int how = 0;
  enum op2i_child_end end = op2i_child_wait(run->pid, run->deadline, &how);
  run->pid = 0;
  /* If the program hides the status, the compiler's output decides. */
  run->good = end == OP2I_CHILD_HIDDEN ||
              (end == OP2I_CHILD_ENDED && WIFEXITED(how) && WEXITSTATUS(how) == 0);
  if (run->good) return OP2_SUCCESS;
  run->given_up = end == OP2I_CHILD_LATE || ended_by_request(how);
  if (end == OP2I_CHILD_LATE)
    op2i_text_add(&run->failure,
                  "the C compiler %s was killed, as it had not ended after %d seconds "
                  "(OP2_CC_TIMEOUT sets the limit, 0 is none):\n",
                  program, compiler->timeout);
  else
    add_end(&run->failure, program, how);
  return op2i_compiler_report(compiler, run);
}
