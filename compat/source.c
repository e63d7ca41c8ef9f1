/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's own text of a unit: what op2-c++ has stored, or what the preprocessor makes of the
 * unit's file now. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat.h"
#include "mem.h"

extern char **environ;

enum { WORDS = 64 };

/* Cut flags into words at blanks; the words lie in `flags`. */
static int cut(char *flags, char **argv, int n) {
  for (char *word = strtok(flags, " \t"); word && n < WORDS - 4; word = strtok(NULL, " \t"))
    argv[n++] = word;
  return n;
}

/* Start the command with its output in a pipe; returns the end to read from, or -1. */
static int start(char **argv, pid_t *child) {
  posix_spawn_file_actions_t actions;
  int ends[2];
  if (pipe(ends)) return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (!error) return ends[0];
  close(ends[0]);
  return -1;
}

/* The output of a command; false if it fails. */
static bool output(char **argv, struct op2i_text *out) {
  char buffer[65536];
  pid_t child;
  int status, from = start(argv, &child);
  if (from < 0) return false;
  for (;;) {
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    op2i_text_bytes(out, buffer, (size_t)n);
  }
  close(from);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && out->chars && !out->failed;
}

/* ---- the program's own lines ----------------------------------------------------------------- */

struct filter {
  const char *systems[1024]; /* names of system headers, not ended by a null */
  int lengths[1024];
  int count;
  bool keep;
};

static bool is_system(const struct filter *f, const char *name, int length) {
  for (int i = 0; i < f->count; i++)
    if (f->lengths[i] == length && !memcmp(f->systems[i], name, (size_t)length)) return true;
  return false;
}

static bool has(const char *begin, const char *end, const char *what) {
  size_t length = strlen(what);
  for (; begin + length <= end; begin++)
    if (!memcmp(begin, what, length)) return true;
  return false;
}

/* Take note of a line `# number "name" flags`. Flag 3 says "from a system header" of what a macro
 * from there expands to as well, so that it counts only where a file is entered (flag 1). */
static void marker(struct filter *f, const char *line, const char *end) {
  const char *name = memchr(line, '"', (size_t)(end - line));
  const char *after = name ? memchr(name + 1, '"', (size_t)(end - name - 1)) : NULL;
  if (!after) return;
  int length = (int)(after - name - 1);
  bool entered = false, system = false;
  for (const char *at = after + 1; at < end; at++) entered |= *at == '1', system |= *at == '3';
  name++;
  if (entered && system && f->count < 1024 && !is_system(f, name, length)) {
    f->systems[f->count] = name;
    f->lengths[f->count++] = length;
  }
  bool library = has(name, after, "op2-compat/") || has(name, after, "/op2.hpp");
  f->keep = *name != '<' && !library && !is_system(f, name, length);
}

static void own_lines(const char *text, struct op2i_text *out) {
  struct filter *f = op2i_compat_memory(sizeof *f);
  f->keep = true;
  while (*text) {
    const char *end = strchr(text, '\n');
    if (!end) end = text + strlen(text);
    if (text[0] == '#' && text[1] == ' ')
      marker(f, text, end);
    else if (f->keep && *text != '#')
      op2i_text_bytes(out, text, (size_t)(end - text));
    op2i_text_bytes(out, "\n", 1);
    text = *end ? end + 1 : end;
  }
  op2i_free(f);
}

static char *setting(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  char *copy = op2i_strdup(value && *value ? value : otherwise);
  if (!copy) op2i_compat_end("memory is lacking");
  return copy;
}

static bool preprocess(const struct op2_compat_site *site, struct op2i_text *out) {
  char *compiler = setting("OP_COMPAT_CXX", "c++"), *flags = setting("OP_COMPAT_CXXFLAGS", "");
  static char only[] = "-E";
  char *argv[WORDS] = {0};
  struct op2i_text folder = {0};
  const char *slash = strrchr(site->header, '/');
  op2i_text_add(&folder, "-I%.*s", slash ? (int)(slash - site->header) : 1,
                slash ? site->header : ".");
  int n = cut(compiler, argv, 0);
  argv[n++] = only;
  n = cut(flags, argv, n);
  argv[n++] = folder.chars;
  argv[n++] = (char *)site->unit;
  bool good = !folder.failed && output(argv, out);
  op2i_text_free(&folder);
  op2i_free(compiler);
  op2i_free(flags);
  return good;
}

char *op2i_compat_source(const struct op2_compat_site *site, const char **why) {
  struct op2i_text made = {0}, own = {0};
  *why = NULL;
  if (!site->text && !preprocess(site, &made))
    *why = "its file cannot be read by the preprocessor: compile with op2-c++, or set "
           "OP_COMPAT_CXXFLAGS and start the program where it was compiled";
  else
    own_lines(site->text ? site->text : made.chars, &own);
  op2i_text_free(&made);
  if (!*why && (own.failed || !own.chars)) *why = "its file is empty";
  if (*why) op2i_text_free(&own);
  return own.chars;
}
