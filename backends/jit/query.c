/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries to the compiler: the commands it would run, where it searches for headers, and the
 * preprocessed text. */
#define _GNU_SOURCE
#include "query.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "error.h"
#include "jit_state.h"
#include "mem.h"
#include "parts.h"

/* ---- running the compiler for an answer ------------------------------------------------------ */

/* The name is always the same, as it occurs in the answer. */
#define QUESTION "op2-question"

static void remove_files(const char *stem) {
  static const char *const suffixes[] = {".c", ".i", ".so", ".log"};
  char path[PATH_MAX + 8];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    snprintf(path, sizeof path, "%s%s", stem, suffixes[i]);
    unlink(path);
  }
}

static int write_question(const char *stem, const struct op2i_text *source) {
  char path[PATH_MAX + 8];
  snprintf(path, sizeof path, "%s.c", stem);
  int fd = op2i_file_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return errno;
  int error = source ? op2i_file_write(fd, source->chars, source->length) : 0;
  return close(fd) != 0 && !error ? errno : error;
}

static op2_status read_answer(const char *stem, enum op2i_compiler_mode mode,
                              struct op2i_bytes *answer) {
  char path[PATH_MAX + 8];
  const char *fault;
  snprintf(path, sizeof path, "%s%s", stem,
           mode == OP2I_PREPROCESS ? op2i_compiler_output(mode) : ".log");
  return op2i_file_load(path, answer, &fault);
}

/* Run the compiler once; answer->data stays null if it gives no answer. */
static op2_status ask(op2_context ctx, enum op2i_compiler_mode mode, const char *const *includes,
                      const struct op2i_text *source, struct op2i_bytes *answer) {
  struct op2i_jit *jit = ctx->jit;
  struct op2i_text why = {0};
  char stem[PATH_MAX];
  int parent = 0;
  op2_status status = op2i_scratch_find(&jit->scratch, &parent, jit->cache.folder.path, &why);
  op2i_text_free(&why);
  if (status || parent == OP2I_SCRATCH_PARENTS || jit->halted) return status;
  const char *folder = jit->scratch.folder[parent].path;
  if (snprintf(stem, sizeof stem, "%s/" QUESTION, folder) >= (int)sizeof stem) return OP2_SUCCESS;
  struct op2i_compiler_run run = {
      .mode = mode, .stem = stem, .folder = folder, .includes = includes};
  if (write_question(stem, source) == 0) {
    status = op2i_compiler_start(&jit->compiler, &run);
    if (!status && run.pid) status = op2i_compiler_wait(&jit->compiler, &run);
    if (!status && run.good) status = read_answer(stem, mode, answer);
  }
  remove_files(stem);
  op2i_text_free(&run.failure);
  return status;
}

static struct op2i_key digest_includes(const char *const *includes) {
  struct op2i_key digest = {0};
  for (const char *const *folder = includes; folder && *folder; folder++) {
    struct op2i_key parts[] = {digest, op2i_digest(*folder, strlen(*folder))};
    digest = op2i_digest(parts, sizeof parts);
  }
  return digest;
}

static op2_status find_query(struct op2i_jit *jit, const char *const *includes,
                             struct op2i_query **query) {
  struct op2i_key digest = digest_includes(includes);
  for (*query = jit->query; *query; *query = (*query)->next)
    if (op2i_key_equal((*query)->includes, digest)) return OP2_SUCCESS;
  *query = op2i_calloc(1, sizeof **query);
  if (!*query) return op2i_error_nomem("what the compiler says");
  (*query)->includes = digest;
  (*query)->next = jit->query;
  jit->query = *query;
  return OP2_SUCCESS;
}

void op2i_query_forget(struct op2i_jit *jit) {
  while (jit->query) {
    struct op2i_query *query = jit->query;
    jit->query = query->next;
    op2i_words_free(&query->programs);
    op2i_words_free(&query->by_path);
    op2i_words_free(&query->untaken);
    op2i_words_free(&query->unmade);
    op2i_words_free(&query->quoted);
    op2i_words_free(&query->bracketed);
    op2i_words_free(&query->missing);
    op2i_free(query);
  }
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The digest omits what differs from run to run: paths in the scratch folder, which end with the
 * name of the query or of a temporary file, and the working directory. */
static op2_status digest_commands(const struct op2i_jit *jit, const char *text,
                                  struct op2i_key *digest) {
  struct op2i_text plain = {0};
  const char *here = jit->compiler.folder;
  size_t length = here ? strlen(here) : 0;
  while (*text) {
    size_t skip = 0;
    for (int i = 0; i < OP2I_SCRATCH_PARENTS && !skip; i++) {
      const char *path = jit->scratch.folder[i].path;
      if (path && strncmp(text, path, strlen(path)) == 0) skip = strcspn(text, "'\" \n");
    }
    if (!skip && length > 1 && strncmp(text, here, length) == 0) skip = length;
    if (!skip) op2i_text_bytes(&plain, text, 1);
    text += skip ? skip : 1;
  }
  op2_status status = plain.failed ? op2i_error_nomem("what the compiler says") : OP2_SUCCESS;
  if (!status) *digest = op2i_digest(plain.chars ? plain.chars : "", plain.length);
  op2i_text_free(&plain);
  return status;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

static bool starts(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

static bool same_file(const char *a, const char *b) {
  struct stat one, two;
  return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

/* True if the driver is a program and not a script, and runs no other driver. */
static bool is_compiler(const struct op2i_jit *jit, const char *text, const char *first) {
  const struct op2i_words *driver = &jit->compiler.driver;
  char magic[4] = "", own[PATH_MAX];
  for (int64_t i = 1; i < driver->count; i++)
    if (driver->item[i][0] != '-') return false;
  int fd = op2i_file_open(AT_FDCWD, driver->item[0], O_RDONLY, 0);
  bool read_it = fd >= 0 && pread(fd, magic, sizeof magic, 0) == sizeof magic;
  if (fd >= 0) close(fd);
  if (!read_it || memcmp(magic, "\177ELF", sizeof magic) != 0) return false;
  if (snprintf(own, sizeof own, "COLLECT_GCC=%s\n", driver->item[0]) < PATH_MAX &&
      strstr(text, own))
    return true;
  return *first && same_file(first, driver->item[0]);
}

op2_status op2i_query_commands(op2_context ctx, const char *const *includes,
                               struct op2i_query **query) {
  struct op2i_bytes answer = {0};
  char first[PATH_MAX] = "";
  op2_status status = find_query(ctx->jit, includes, query);
  if (status || (*query)->asked_commands) return status;
  OP2I_TRY(ask(ctx, OP2I_COMMANDS, includes, NULL, &answer));
  if (answer.data) {
    const char *text = (const char *)answer.data;
    OP2I_TRY(digest_commands(ctx->jit, text, &(*query)->commands));
    OP2I_TRY(op2i_parts_read(&ctx->jit->compiler, *query, text, first));
    (*query)->wrapper = !is_compiler(ctx->jit, text, first);
    if ((*query)->wrapper) OP2I_TRY(op2i_parts_of_wrapper(*query, text));
    (*query)->has_commands = *first != '\0';
  }
  (*query)->asked_commands = true;
fail:
  op2i_free(answer.data);
  return status;
}

/* ---- folders --------------------------------------------------------------------------------- */

static op2_status add_folder(const struct op2i_compiler *compiler, struct op2i_words *words,
                             const char *text, size_t length) {
  char name[PATH_MAX], path[PATH_MAX];
  if (length == 0 || length >= sizeof name) return OP2_SUCCESS;
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  bool fits = op2i_compiler_name(compiler->folder, name, path);
  return fits ? op2i_words_add(words, path) : OP2_SUCCESS;
}

/* Both GCC and Clang print the missing folders, each in quotes, and then the folders of the two
 * searches, one per line after a blank. */
static op2_status read_folders(const struct op2i_compiler *compiler, struct op2i_query *query,
                               const char *text) {
  static const char missing[] = "ignoring nonexistent directory \"";
  struct op2i_words *into = NULL;
  op2_status status = OP2_SUCCESS;
  for (const char *line = text; line && !status && !query->has_folders; line = next_line(line)) {
    if (starts(line, missing))
      status = add_folder(compiler, &query->missing, line + sizeof missing - 1,
                          strcspn(line + sizeof missing - 1, "\"\n"));
    else if (starts(line, "#include \"...\" search starts here:"))
      into = &query->quoted;
    else if (starts(line, "#include <...> search starts here:"))
      into = &query->bracketed;
    else if (starts(line, "End of search list."))
      query->has_folders = into == &query->bracketed;
    else if (into && *line == ' ')
      status = add_folder(compiler, into, line + 1, strcspn(line + 1, "\n"));
  }
  return status;
}

op2_status op2i_query_folders(op2_context ctx, const char *const *includes,
                              struct op2i_query **query) {
  struct op2i_bytes answer = {0};
  op2_status status = find_query(ctx->jit, includes, query);
  if (status || (*query)->asked_folders) return status;
  status = ask(ctx, OP2I_SEARCH, includes, NULL, &answer);
  if (!status && answer.data)
    status = read_folders(&ctx->jit->compiler, *query, (const char *)answer.data);
  (*query)->asked_folders = !status;
  op2i_free(answer.data);
  return status;
}

/* ---- preprocessing --------------------------------------------------------------------------- */

op2_status op2i_query_preprocessed(op2_context ctx, const char *const *includes,
                                   const struct op2i_text *source, struct op2i_key *digest,
                                   bool *known) {
  struct op2i_bytes answer = {0};
  op2_status status = ask(ctx, OP2I_PREPROCESS, includes, source, &answer);
  *known = !status && answer.data;
  if (*known) *digest = op2i_digest(answer.data, answer.size);
  op2i_free(answer.data);
  return status;
}
