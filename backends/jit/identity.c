/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of a compiler: programs, variables of the environment, and files that flags name. */
#define _GNU_SOURCE
#include "identity.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entry.h"
#include "environment.h"
#include "file.h"
#include "mem.h"

static void add_digest(struct op2i_text *identity, struct op2i_bytes bytes) {
  char digest[OP2I_KEY_CHARS];
  op2i_key_text(op2i_digest(bytes.data, bytes.size), digest);
  op2i_text_add(identity, " %s", digest);
}

void op2i_identity_program(struct op2i_text *identity, const char *path, const struct stat *st) {
  enum { SCRIPT_MOST = 256 << 10 };
  char real[PATH_MAX];
  struct op2i_bytes bytes = {0};
  const char *fault = "it is large";
  op2i_text_add(identity, "program %s %" PRId64 " %" PRId64 ".%09ld %" PRIu64 ".%" PRIu64,
                realpath(path, real) ? real : path, (int64_t)st->st_size,
                (int64_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec, (uint64_t)st->st_dev,
                (uint64_t)st->st_ino);
  if (st->st_size <= SCRIPT_MOST && op2i_file_load(path, &bytes, &fault)) identity->failed = true;
  if (fault)
    op2i_text_add(identity, " %" PRId64 ".%09ld", (int64_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
  else
    add_digest(identity, bytes);
  op2i_free(bytes.data);
  op2i_text_add(identity, "\n");
}

static void add_working_directory(struct op2i_compiler *compiler) {
  op2i_text_add(&compiler->identity, "folder %s\n", compiler->folder ? compiler->folder : "?");
}

/* ---- the environment ------------------------------------------------------------------------- */

/* An empty element of a list of folders is the working directory. */
static bool has_relative(const char *list) {
  for (;; list++) {
    if (*list != '/') return true;
    list += strcspn(list, ":");
    if (!*list) return false;
  }
}

void op2i_identity_environment(struct op2i_compiler *compiler) {
  struct op2i_text *identity = &compiler->identity;
  static const struct {
    const char *name;
    bool folders;
  } variables[] = {{"CPATH", true},
                   {"C_INCLUDE_PATH", true},
                   {"GCC_EXEC_PREFIX", true},
                   {"COMPILER_PATH", true},
                   {"LIBRARY_PATH", true},
                   {"CCC_OVERRIDE_OPTIONS", false},
                   {"GCC_COMPARE_DEBUG", false},
                   {"SOURCE_DATE_EPOCH", false},
                   {"LD_RUN_PATH", true}};
  bool relative = false;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = op2i_environment_value(compiler, variables[i].name);
    if (!value) continue;
    op2i_text_add(identity, "%s=%s\n", variables[i].name, value);
    relative |= variables[i].folders && has_relative(value);
  }
  if (relative) add_working_directory(compiler);
}

/* ---- flags ----------------------------------------------------------------------------------- */

/* Return where the name of a file or folder begins in a flag; null: none. *folder is true if the
 * compiler searches the folder, whether it exists or not. */
static const char *name_in(const char *flag, bool *folder) {
  static const char *const options[] = {"-include",   "-imacros", "-iquote",   "-isystem",
                                        "-idirafter", "-iprefix", "-isysroot", "-imultilib",
                                        "-I",         "-L",       "-B",        "-F"};
  const char *at;
  *folder = true;
  if (*flag == '@') return flag + 1;
  if (*flag != '-') return flag;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    size_t length = strlen(options[i]);
    if (strncmp(flag, options[i], length) == 0) return flag[length] ? flag + length : NULL;
  }
  *folder = false;
  if (strncmp(flag, "-Wl,", 4) == 0) return strrchr(flag, ',') + 1;
  return (at = strchr(flag, '=')) ? at + 1 : NULL;
}

enum { NESTED_MOST = 8 };
static op2_status add_flags(struct op2i_compiler *compiler, const struct op2i_words *flags,
                            bool *relative, int depth);

/* A response file holds more flags. */
static op2_status add_response(struct op2i_compiler *compiler, const char *text, bool *relative,
                               int depth) {
  struct op2i_words words = {0};
  op2_status status = op2i_words_split(&words, text);
  if (!status && depth < NESTED_MOST) status = add_flags(compiler, &words, relative, depth + 1);
  op2i_words_free(&words);
  return status;
}

static op2_status add_flag(struct op2i_compiler *compiler, const char *flag, bool *relative,
                           int depth) {
  bool folder;
  struct stat st;
  struct op2i_bytes bytes = {0};
  struct op2i_text *identity = &compiler->identity;
  char path[PATH_MAX];
  const char *fault, *name = name_in(flag, &folder);
  if (!name || !*name || !op2i_compiler_name(compiler->folder, name, path)) return OP2_SUCCESS;
  bool there = stat(path, &st) == 0;
  *relative |= *name != '/' && (folder || there);
  if (!there || !S_ISREG(st.st_mode)) return OP2_SUCCESS;
  op2_status status = op2i_file_load(path, &bytes, &fault);
  if (status || fault) return status;
  op2i_text_add(identity, "file %s", name);
  add_digest(identity, bytes);
  op2i_text_add(identity, "\n");
  if (*flag == '@') status = add_response(compiler, (const char *)bytes.data, relative, depth);
  op2i_free(bytes.data);
  return status;
}

static op2_status add_flags(struct op2i_compiler *compiler, const struct op2i_words *flags,
                            bool *relative, int depth) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < flags->count && !status; i++)
    status = add_flag(compiler, flags->item[i], relative, depth);
  return status;
}

op2_status op2i_identity_flags(struct op2i_compiler *compiler, const struct op2i_words *flags,
                               bool command) {
  bool relative = false;
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < flags->count && !status; i++)
    if (!command || strchr("-@", flags->item[i][0]))
      status = add_flag(compiler, flags->item[i], &relative, 0);
  if (relative) add_working_directory(compiler);
  return status;
}
