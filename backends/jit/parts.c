/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs that a compiler's driver runs, and where it would find others of the same names. */
#define _GNU_SOURCE
#include "parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "environment.h"
#include "error.h"
#include "mem.h"

/* State for parsing one answer of the driver. */
struct parts {
  const struct op2i_compiler *compiler;
  struct op2i_query *query;
  const char *text;
  struct op2i_words options; /* options of the driver, including those from a response file */
  struct op2i_words own; /* absolute folders of -B and COMPILER_PATH, whether they exist or not */
  struct op2i_text searched; /* folders that the driver searches before PATH, separated by colons */
  char target[NAME_MAX];     /* "x86_64-linux-gnu"; "": not printed */
};

static bool starts(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

/* Return what follows a name in the first line that begins with it; null: no such line. */
static const char *line_of(const char *text, const char *name) {
  for (const char *line = text; line; line = next_line(line))
    if (starts(line, name)) return line + strlen(name);
  return NULL;
}

/* ---- folders --------------------------------------------------------------------------------- */

static op2_status read_options(struct parts *p) {
  const char *printed = line_of(p->text, "COLLECT_GCC_OPTIONS=");
  const struct op2i_words *given[] = {&p->compiler->driver, &p->compiler->flags,
                                      &p->compiler->linker};
  struct op2i_text line = {0};
  op2_status status = OP2_SUCCESS;
  if (printed) {
    op2i_text_bytes(&line, printed, strcspn(printed, "\n"));
    status = line.failed ? op2i_error_nomem("what the compiler says")
                         : op2i_words_split(&p->options, line.chars ? line.chars : "");
    op2i_text_free(&line);
    return status;
  }
  for (int g = 0; g < 3; g++)
    for (int64_t i = 0; i < given[g]->count && !status; i++)
      status = op2i_words_add(&p->options, given[g]->item[i]);
  return status;
}

static op2_status add_own(struct parts *p, const char *name) {
  char path[PATH_MAX];
  return op2i_compiler_name(p->compiler->folder, name, path) ? op2i_words_add(&p->own, path)
                                                             : OP2_SUCCESS;
}

static op2_status find_own(struct parts *p) {
  const char *list = op2i_environment_value(p->compiler, "COMPILER_PATH");
  const struct op2i_words *options = &p->options;
  char folder[PATH_MAX];
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < options->count && !status; i++) {
    const char *name = options->item[i] + 2;
    if (!starts(options->item[i], "-B")) continue;
    if (!*name && i + 1 < options->count) name = options->item[++i];
    status = add_own(p, name);
  }
  while (!status && op2i_next_in_list(p->compiler, &list, "", folder))
    if (folder[0]) status = add_own(p, folder);
  return status;
}

/* GCC prints where it searches. Clang does not, and searches the user's folders first. */
static op2_status find_searched(struct parts *p) {
  const char *printed = line_of(p->text, "COMPILER_PATH=");
  if (printed) op2i_text_bytes(&p->searched, printed, strcspn(printed, "\n"));
  for (int64_t i = 0; i < p->own.count && !printed; i++)
    op2i_text_add(&p->searched, "%s%s", i ? ":" : "", p->own.item[i]);
  const char *target = line_of(p->text, "Target: ");
  size_t length = target ? strcspn(target, "\n") : 0;
  if (length < sizeof p->target)
    snprintf(p->target, sizeof p->target, "%.*s", (int)length, target ? target : "");
  return p->searched.failed ? op2i_error_nomem("what the compiler says") : OP2_SUCCESS;
}

/* GCC also searches subfolders for its target and version, such as "x86_64-linux-gnu/12". */
static void find_version(const struct parts *p, char version[NAME_MAX]) {
  char between[NAME_MAX + 2];
  version[0] = '\0';
  snprintf(between, sizeof between, "/%s/", p->target);
  const char *at = p->target[0] && p->searched.chars ? strstr(p->searched.chars, between) : NULL;
  while (at && strcspn(at + strlen(between), "/:") == 0) at = strstr(at + 1, between);
  if (!at) return;
  at += strlen(between);
  size_t length = strcspn(at, "/:");
  if (length < NAME_MAX) snprintf(version, NAME_MAX, "%.*s", (int)length, at);
}

/* The folders that GCC prints do not include missing folders of the user. */
static op2_status add_unmade(struct parts *p) {
  char version[NAME_MAX], path[PATH_MAX];
  struct stat st;
  op2_status status = OP2_SUCCESS;
  find_version(p, version);
  for (int64_t i = 0; i < p->own.count; i++)
    for (int depth = 0; depth < 3 && !status; depth++) {
      if (depth > 0 && (!p->target[0] || stat(p->own.item[i], &st) != 0)) break;
      int size =
          snprintf(path, sizeof path, "%s%s%s%s%s", p->own.item[i], depth > 0 ? "/" : "",
                   depth > 0 ? p->target : "", depth > 1 ? "/" : "", depth > 1 ? version : "");
      if (size < PATH_MAX && stat(path, &st) != 0) status = op2i_words_add(&p->query->unmade, path);
    }
  return status;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Record a name that the driver ignores. A file that cannot be executed is recorded like a program:
 * its date changes when it becomes executable. */
static op2_status pass_over(struct parts *p, const char *file) {
  struct stat st;
  bool there = stat(file, &st) == 0 && !S_ISDIR(st.st_mode);
  return op2i_words_add(there ? &p->query->programs : &p->query->untaken, file);
}

/* Search for a name where the driver does before PATH: up to the file that it is known to use
 * (`taken`), or, if that is null, up to the first program. *found is true if there is one. */
static op2_status search(struct parts *p, const char *name, const char *taken, bool *found) {
  const char *list = p->searched.length ? p->searched.chars : NULL;
  char file[PATH_MAX];
  struct stat st;
  op2_status status = OP2_SUCCESS;
  *found = false;
  while (!status && !*found && op2i_next_in_list(p->compiler, &list, name, file)) {
    if (!file[0]) continue;
    *found = taken ? strcmp(file, taken) == 0 : op2i_is_program(file, &st);
    status = *found ? op2i_words_add(&p->query->programs, file) : pass_over(p, file);
  }
  /* A -B or COMPILER_PATH that is not a folder is put before the name as a prefix. */
  for (int64_t i = 0; i < p->own.count && !status; i++) {
    bool fits = snprintf(file, sizeof file, "%s%s", p->own.item[i], name) < PATH_MAX;
    bool folder = stat(p->own.item[i], &st) == 0 && S_ISDIR(st.st_mode);
    if (fits && !folder && (!taken || strcmp(file, taken) != 0)) status = pass_over(p, file);
  }
  return status;
}

/* Record a program that the driver names by its path. It may have been found by PATH, as Clang
 * finds `ld`; a program with the target before its name would be found first. */
static op2_status add_named(struct parts *p, const char *whole) {
  const char *name = strrchr(whole, '/') + 1;
  char file[PATH_MAX];
  bool found;
  op2_status status = search(p, name, whole, &found);
  if (!status && !found) status = op2i_words_add(&p->query->programs, whole);
  if (status || !op2i_find_in_path(p->compiler, name, file) || strcmp(file, whole) != 0)
    return status;
  status = op2i_words_add(&p->query->by_path, name);
  if (!status && p->target[0] &&
      snprintf(file, sizeof file, "%s-%s", p->target, name) < (int)sizeof file)
    status = op2i_words_add(&p->query->by_path, file);
  return status;
}

/* Record a program that the driver names without a folder, and finds by PATH. */
static op2_status add_bare(struct parts *p, const char *name) {
  bool found;
  op2_status status = search(p, name, NULL, &found);
  return status || found ? status : op2i_words_add(&p->query->by_path, name);
}

/* collect2, which finds the linker, tries two other names first, but not by PATH. */
static op2_status add_linker(struct parts *p) {
  static const char *const others[] = {"real-ld", "collect-ld"};
  static const char chosen[] = "-fuse-ld=";
  const struct op2i_words *options = &p->options;
  char name[NAME_MAX] = "ld";
  bool found = false;
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < options->count; i++)
    if (starts(options->item[i], chosen))
      snprintf(name, sizeof name, "ld.%.200s", options->item[i] + sizeof chosen - 1);
  for (int o = 0; o < 2 && !status && !found; o++) status = search(p, others[o], NULL, &found);
  return status || found ? status : add_bare(p, name);
}

/* The driver does not print the commands that optimise at link time. */
static op2_status add_link_time(struct parts *p) {
  static const char *const names[] = {"lto-wrapper", "lto1"};
  static const char option[] = " -plugin ";
  bool asked = false, found;
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < p->options.count; i++) asked |= starts(p->options.item[i], "-flto");
  for (int n = 0; n < 2 && asked && !status; n++) status = search(p, names[n], NULL, &found);
  const char *plugin = asked ? strstr(p->text, option) : NULL;
  char path[PATH_MAX];
  if (!plugin || status) return status;
  plugin += sizeof option - 1;
  size_t length = strcspn(plugin, " \n");
  if (length < sizeof path) {
    snprintf(path, sizeof path, "%.*s", (int)length, plugin);
    status = op2i_words_add(&p->query->programs, path);
  }
  return status;
}

/* GCC reads a file `specs` in the folders where it searches for its parts. */
static op2_status add_specs(struct parts *p) {
  const char *list = p->searched.length ? p->searched.chars : NULL;
  char file[PATH_MAX];
  struct stat st;
  op2_status status = OP2_SUCCESS;
  while (!status && op2i_next_in_list(p->compiler, &list, "specs", file))
    if (file[0] && stat(file, &st) != 0) status = op2i_words_add(&p->query->untaken, file);
  return status;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Return the program of a command line that the driver prints; such a line begins with a blank. */
static void program_of(const char *line, char program[PATH_MAX]) {
  size_t length;
  program[0] = '\0';
  if (*line != ' ') return;
  line += strspn(line, " ");
  bool quoted = *line == '"';
  line += quoted;
  length = strcspn(line, quoted ? "\"\n" : " \n");
  if (length > 0 && length < PATH_MAX) snprintf(program, PATH_MAX, "%.*s", (int)length, line);
}

static op2_status read_commands(struct parts *p, char first[PATH_MAX]) {
  char program[PATH_MAX], whole[PATH_MAX];
  op2_status status = OP2_SUCCESS;
  for (const char *line = p->text; line && !status; line = next_line(line)) {
    program_of(line, program);
    if (!*program || starts(program, "(in-process)")) continue;
    if (!op2i_compiler_name(p->compiler->folder, program, whole)) continue;
    const char *name = strrchr(program, '/');
    if (!*first) strcpy(first, name ? whole : program);
    status = name ? add_named(p, whole) : add_bare(p, program);
    if (!status && name && strcmp(name, "/collect2") == 0) status = add_linker(p);
  }
  return status;
}

op2_status op2i_parts_read(const struct op2i_compiler *compiler, struct op2i_query *query,
                           const char *text, char first[PATH_MAX]) {
  struct parts p = {.compiler = compiler, .query = query, .text = text};
  op2_status status;
  first[0] = '\0';
  OP2I_TRY(read_options(&p));
  OP2I_TRY(find_own(&p));
  OP2I_TRY(find_searched(&p));
  OP2I_TRY(add_unmade(&p));
  OP2I_TRY(read_commands(&p, first));
  OP2I_TRY(add_link_time(&p));
  OP2I_TRY(add_specs(&p));
fail:
  op2i_words_free(&p.options);
  op2i_words_free(&p.own);
  op2i_text_free(&p.searched);
  return status;
}

op2_status op2i_parts_of_wrapper(struct op2i_query *query, const char *text) {
  static const char *const usual[] = {"cc", "gcc", "clang"};
  const char *printed = line_of(text, "COLLECT_GCC=");
  size_t length = printed ? strcspn(printed, "\n") : 0;
  char name[PATH_MAX];
  op2_status status = OP2_SUCCESS;
  for (int u = 0; u < 3 && !status; u++) status = op2i_words_add(&query->by_path, usual[u]);
  if (status || !length || length >= sizeof name) return status;
  snprintf(name, sizeof name, "%.*s", (int)length, printed);
  return strchr(name, '/') ? OP2_SUCCESS : op2i_words_add(&query->by_path, name);
}
