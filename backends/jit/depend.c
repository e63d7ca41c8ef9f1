/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of dependencies of a compiled image: made when the image was compiled, checked before it
 * is used. */
#define _GNU_SOURCE
#include "depend.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "environment.h"
#include "error.h"
#include "jit_state.h"
#include "lookup.h"
#include "mem.h"

/* ---- records --------------------------------------------------------------------------------- */

struct record {
  enum op2i_depend_kind kind;
  struct op2i_key digest;
  const char *path;
};

/* Take the next record off a list; false at its end. */
static bool next_record(struct op2i_bytes list, size_t *at, struct record *record) {
  const size_t fixed = 1 + sizeof record->digest;
  if (*at >= list.size || list.size - *at <= fixed) return false;
  record->kind = list.data[*at];
  memcpy(&record->digest, list.data + *at + 1, sizeof record->digest);
  record->path = (const char *)list.data + *at + fixed;
  size_t length = strnlen(record->path, list.size - *at - fixed);
  *at += fixed + length + 1;
  return *at <= list.size;
}

void op2i_depend_add(struct op2i_text *list, enum op2i_depend_kind kind,
                     const struct op2i_key *digest, const char *path) {
  static const struct op2i_key none = {0};
  struct record record;
  const char byte = (char)kind;
  const struct op2i_bytes have = {(unsigned char *)list->chars, list->length};
  for (size_t at = 0; next_record(have, &at, &record);)
    if (record.kind == kind && strcmp(record.path, path) == 0) return;
  op2i_text_bytes(list, &byte, 1);
  op2i_text_bytes(list, (const char *)(digest ? digest : &none), sizeof *digest);
  op2i_text_bytes(list, path, strlen(path) + 1);
}

/* The contents of a program are not read, as programs are large. A program that was only copied or
 * touched counts as changed: in the worst case code is recompiled without need. */
static bool digest_program(const char *path, struct op2i_key *digest) {
  struct stat st;
  if (stat(path, &st) != 0) return false;
  const int64_t facts[] = {st.st_size,        st.st_mtim.tv_sec,  st.st_mtim.tv_nsec,
                           st.st_ctim.tv_sec, st.st_ctim.tv_nsec, (int64_t)st.st_ino};
  *digest = op2i_digest(facts, sizeof facts);
  return true;
}

static struct op2i_key digest_in_path(const struct op2i_compiler *compiler, const char *name) {
  struct op2i_key digest = {0};
  char file[PATH_MAX];
  if (!op2i_find_in_path(compiler, name, file) || !digest_program(file, &digest))
    return (struct op2i_key){0};
  return digest;
}

/* ---- files that the compiler has read -------------------------------------------------------- */

/* Take the next name off a make rule; blanks, # and $ in names are escaped as GNU make requires. */
static const char *next_name(const char *rule, char name[PATH_MAX]) {
  size_t length = 0;
  for (;; rule++) {
    if (rule[0] == '\\' && rule[1] == '\n')
      rule++;
    else if (*rule != ' ' && *rule != '\n')
      break;
  }
  for (; *rule && *rule != ' ' && *rule != '\n' && length < PATH_MAX - 1; rule++) {
    if (rule[0] == '\\' && rule[1] == '\n') break;
    if (rule[0] == '\\' && (rule[1] == ' ' || rule[1] == '#' || rule[1] == '\\'))
      rule++;
    else if (rule[0] == '$' && rule[1] == '$')
      rule++;
    name[length++] = *rule;
  }
  name[length] = '\0';
  return rule;
}

/* Read a file once more. A file that has changed since the compiler was started gets an impossible
 * digest, since the compiler may have read the older contents. */
static op2_status add_file(struct op2i_lookup *lookup, const char *name) {
  const struct timespec *started = &lookup->started;
  const char *fault;
  struct stat st;
  if (op2i_grow(&lookup->files, sizeof *lookup->files, lookup->nfiles, &lookup->capacity))
    return op2i_error_nomem("a list of headers");
  struct op2i_read_file *file = &lookup->files[lookup->nfiles];
  *file = (struct op2i_read_file){0};
  char path[PATH_MAX];
  if (!op2i_compiler_name(lookup->folder, name, path)) strcpy(path, name);
  if (!(file->path = op2i_strdup(path))) return op2i_error_nomem("a list of headers");
  lookup->nfiles++;
  op2_status status = op2i_file_load(file->path, &file->contents, &fault);
  if (status || fault || stat(file->path, &st) != 0) return status;
  file->device = st.st_dev;
  file->inode = st.st_ino;
  bool later = st.st_ctim.tv_sec != started->tv_sec ? st.st_ctim.tv_sec > started->tv_sec
                                                    : st.st_ctim.tv_nsec > started->tv_nsec;
  if (!later) file->digest = op2i_digest(file->contents.data, file->contents.size);
  return OP2_SUCCESS;
}

/* The rule is "target: source header header ..."; the first two names are skipped. */
static op2_status add_files(struct op2i_lookup *lookup, const char *rule) {
  char name[PATH_MAX];
  op2_status status = OP2_SUCCESS;
  for (int i = 0; !status && (*(rule = next_name(rule, name)) || name[0]); i++)
    if (i >= 2) status = add_file(lookup, name);
  return status;
}

/* ---- files that the compiler has searched for ------------------------------------------------ */

static op2_status follow_file(struct op2i_lookup *lookup, const struct op2i_read_file *file) {
  char folder[PATH_MAX];
  const char *slash = strrchr(file->path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file->path) : 1,
           slash ? file->path : ".");
  if (!file->contents.data) return OP2_SUCCESS;
  return op2i_lookup_text(lookup, (const char *)file->contents.data, folder);
}

/* Headers that flags include are searched for in the working directory first. */
static op2_status follow_flags(struct op2i_lookup *lookup, const struct op2i_words *flags) {
  static const char *const options[] = {"-include", "-imacros"};
  const char *here = lookup->folder ? lookup->folder : "/";
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < flags->count && !status; i++)
    for (size_t o = 0; o < 2 && !status; o++) {
      size_t length = strlen(options[o]);
      if (strncmp(flags->item[i], options[o], length) != 0) continue;
      const char *name = flags->item[i] + length;
      if (!*name && i + 1 < flags->count) name = flags->item[i + 1];
      status = op2i_lookup_name(lookup, name, here, false);
    }
  return status;
}

/* A precompiled header beside the first header, or in a folder that is searched before it, would be
 * read in its place; GCC uses none for later headers. Two headers are checked, since GCC does not
 * count stdc-predef.h, which comes first. */
static op2_status follow_precompiled(struct op2i_lookup *lookup) {
  enum { FIRST = 2 };
  char path[PATH_MAX];
  for (int64_t i = 0; i < lookup->nfiles && i < FIRST; i++)
    if (snprintf(path, sizeof path, "%s.gch", lookup->files[i].path) < PATH_MAX) {
      op2_status status = op2i_lookup_name(lookup, path, NULL, false);
      if (status) return status;
    }
  return OP2_SUCCESS;
}

static op2_status follow_all(op2_context ctx, struct op2i_lookup *lookup, const char *source) {
  const struct op2i_words *missing = &lookup->query->missing;
  op2_status status;
  OP2I_TRY(op2i_lookup_name(lookup, "stdc-predef.h", NULL, false));
  OP2I_TRY(follow_flags(lookup, &ctx->jit->compiler.flags));
  OP2I_TRY(op2i_lookup_text(lookup, source, NULL));
  for (int64_t i = 0; i < lookup->nfiles; i++) OP2I_TRY(follow_file(lookup, &lookup->files[i]));
  OP2I_TRY(follow_precompiled(lookup));
  for (int64_t i = 0; i < missing->count; i++)
    op2i_depend_add(lookup->out, OP2I_DEPEND_NOTHING, NULL, missing->item[i]);
fail:
  return status;
}

/* True if all names that were searched for are known. */
static bool is_decided(const struct op2i_lookup *lookup) {
  bool decided = lookup->query->has_folders && !lookup->computed;
  for (int64_t i = 0; i < lookup->nfiles; i++) decided = decided && lookup->files[i].explained;
  return decided;
}

/* ---- other dependencies ---------------------------------------------------------------------- */

/* Add the directives of a text, which determine all that headers can contribute. Texts that share a
 * translation unit begin with the same directives, and no others of theirs matter. */
static void add_directives(const struct op2i_jit_code *code, struct op2i_text *out) {
  bool joined = false;
  if (code->mergeable) {
    op2i_text_add(out, "#include <float.h>\n#include <math.h>\n#include <stddef.h>\n"
                       "#include <stdint.h>\n");
    return;
  }
  for (const char *line = code->source; *line;) {
    size_t length = strcspn(line, "\n"), blank = strspn(line, " \t");
    if (joined || line[blank] == '#') {
      op2i_text_add(out, "%.*s\n", (int)length, line);
      joined = length > 0 && line[length - 1] == '\\';
    }
    line += length + (line[length] == '\n');
  }
}

static op2_status preprocess(op2_context ctx, const struct op2i_jit_code *code,
                             struct op2i_key *digest, bool *known) {
  struct op2i_text text = {0};
  add_directives(code, &text);
  op2_status status = text.failed ? op2i_error_nomem("a loop's directives") : OP2_SUCCESS;
  if (!status) status = op2i_query_preprocessed(ctx, code->includes, &text, digest, known);
  op2i_text_free(&text);
  return status;
}

/* A compiler that a wrapper runs is asked each time which commands it would run; others change only
 * with their programs. */
static op2_status add_programs(op2_context ctx, const struct op2i_jit_code *code,
                               struct op2i_text *list) {
  struct op2i_query *query;
  struct op2i_key digest;
  op2_status status = op2i_query_commands(ctx, code->includes, &query);
  if (status || !query->has_commands) return status;
  if (query->wrapper) op2i_depend_add(list, OP2I_DEPEND_COMMANDS, &query->commands, "");
  for (int64_t i = 0; i < query->programs.count; i++)
    if (digest_program(query->programs.item[i], &digest))
      op2i_depend_add(list, OP2I_DEPEND_PROGRAM, &digest, query->programs.item[i]);
  for (int64_t i = 0; i < query->by_path.count; i++) {
    digest = digest_in_path(&ctx->jit->compiler, query->by_path.item[i]);
    op2i_depend_add(list, OP2I_DEPEND_IN_PATH, &digest, query->by_path.item[i]);
  }
  for (int64_t i = 0; i < query->untaken.count; i++)
    op2i_depend_add(list, OP2I_DEPEND_NO_FILE, NULL, query->untaken.item[i]);
  for (int64_t i = 0; i < query->unmade.count; i++)
    op2i_depend_add(list, OP2I_DEPEND_NOTHING, NULL, query->unmade.item[i]);
  return OP2_SUCCESS;
}

/* The linker writes no list of the libraries that it reads. Libraries that are named by their paths
 * are recorded, and those that are found in folders of -L and of LIBRARY_PATH; libraries in the
 * linker's own folders belong to the system. */

/* Record one possible location of a library; returns true if it is there. `name` is a path or the
 * text after -l; after a colon it is the whole name of a file. */
static bool add_candidate(const char *folder, const char *name, const char *kind,
                          struct op2i_text *list) {
  static const struct op2i_key none = {0};
  struct op2i_bytes bytes = {0};
  const char *fault;
  char path[PATH_MAX];
  int size = *name == '/'   ? snprintf(path, sizeof path, "%s", name)
             : *name == ':' ? snprintf(path, sizeof path, "%s/%s", folder, name + 1)
                            : snprintf(path, sizeof path, "%s/lib%s.%s", folder, name, kind);
  if (size >= PATH_MAX) return false;
  if (op2i_file_load(path, &bytes, &fault)) list->failed = true;
  struct op2i_key digest = bytes.data ? op2i_digest(bytes.data, bytes.size) : none;
  bool found = bytes.data != NULL;
  op2i_free(bytes.data);
  op2i_depend_add(list, found ? OP2I_DEPEND_FILE : OP2I_DEPEND_NO_FILE, &digest, path);
  return found;
}

/* Record both kinds in the first folder that has one of them: -static chooses between the two. */
static void add_library(const struct op2i_words *folders, const char *name,
                        struct op2i_text *list) {
  bool found = false;
  if (*name == '/') add_candidate("", name, "", list);
  for (int64_t i = 0; i < folders->count && *name != '/' && !found; i++) {
    found = add_candidate(folders->item[i], name, "so", list);
    found |= add_candidate(folders->item[i], name, "a", list);
  }
}

static op2_status add_folder(const struct op2i_compiler *compiler, const char *name,
                             struct op2i_words *folders) {
  char path[PATH_MAX];
  return op2i_compiler_name(compiler->folder, name, path) ? op2i_words_add(folders, path)
                                                          : OP2_SUCCESS;
}

/* Collect the folders that the linker searches, in its order. */
static op2_status find_folders(const struct op2i_compiler *compiler, const struct op2i_words *words,
                               struct op2i_words *folders) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < words->count && !status; i++) {
    if (strncmp(words->item[i], "-L", 2) != 0) continue;
    const char *name = words->item[i] + 2;
    if (!*name && i + 1 < words->count) name = words->item[++i];
    status = add_folder(compiler, name, folders);
  }
  for (const char *at = op2i_environment_value(compiler, "LIBRARY_PATH"); at && *at && !status;) {
    char name[PATH_MAX];
    size_t length = strcspn(at, ":");
    if (length < sizeof name) {
      snprintf(name, sizeof name, "%.*s", length ? (int)length : 1, length ? at : ".");
      status = add_folder(compiler, name, folders);
    }
    at += length + (at[length] == ':');
  }
  return status;
}

static op2_status add_libraries(op2_context ctx, const struct op2i_jit_code *code,
                                struct op2i_text *list) {
  const struct op2i_compiler *compiler = &ctx->jit->compiler;
  struct op2i_words all = {0}, folders = {0};
  op2_status status = OP2_SUCCESS;
  for (const char *const *name = code->libraries; name && *name && !status; name++)
    status = op2i_words_add(&all, *name);
  for (int64_t i = 0; i < compiler->linker.count && !status; i++)
    status = op2i_words_add(&all, compiler->linker.item[i]);
  if (!status) status = find_folders(compiler, &all, &folders);
  for (int64_t i = 0; i < all.count && !status; i++) {
    bool named = strncmp(all.item[i], "-l", 2) == 0;
    if (named || all.item[i][0] == '/') add_library(&folders, all.item[i] + (named ? 2 : 0), list);
  }
  op2i_words_free(&all);
  op2i_words_free(&folders);
  return status;
}

/* Assembler text may read files that the compiler's list does not contain. */
static bool reads_more(const struct op2i_lookup *lookup, const char *source) {
  bool more = strstr(source, ".incbin") != NULL;
  for (int64_t i = 0; i < lookup->nfiles; i++)
    more |= lookup->files[i].contents.data &&
            strstr((const char *)lookup->files[i].contents.data, ".incbin");
  return more;
}

static op2_status add_text(op2_context ctx, const struct op2i_compiled *compiled,
                           struct op2i_text *list, bool *known) {
  struct op2i_key digest;
  op2_status status = preprocess(ctx, compiled->code, &digest, known);
  if (!status && *known) op2i_depend_add(list, OP2I_DEPEND_TEXT, &digest, "");
  return status;
}

op2_status op2i_depend_record(op2_context ctx, const struct op2i_compiled *compiled,
                              struct op2i_text *list, bool *known) {
  struct op2i_lookup lookup = {
      .folder = ctx->jit->compiler.folder, .started = compiled->started, .out = list};
  struct op2i_query *query;
  op2_status status;
  *known = true;
  OP2I_TRY(add_programs(ctx, compiled->code, list));
  OP2I_TRY(add_libraries(ctx, compiled->code, list));
  OP2I_TRY(op2i_query_folders(ctx, compiled->code->includes, &query));
  lookup.query = query;
  if (compiled->rule) OP2I_TRY(add_files(&lookup, compiled->rule));
  for (int64_t i = 0; i < lookup.nfiles; i++)
    op2i_depend_add(list, OP2I_DEPEND_FILE, &lookup.files[i].digest, lookup.files[i].path);
  OP2I_TRY(follow_all(ctx, &lookup, compiled->source));
  if (!compiled->rule || !is_decided(&lookup)) OP2I_TRY(add_text(ctx, compiled, list, known));
  *known = *known && !reads_more(&lookup, compiled->source);
  if (list->failed) status = op2i_error_nomem("a list of headers");
fail:
  op2i_lookup_free(&lookup);
  return status;
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static bool has_digest(struct op2i_bytes bytes, struct op2i_key digest) {
  return op2i_key_equal(op2i_digest(bytes.data, bytes.size), digest);
}

static op2_status check_file(const struct record *record, bool lenient, bool *holds, bool *absent) {
  struct op2i_bytes bytes = {0};
  const char *fault;
  if (lenient && access(record->path, F_OK) != 0) {
    *absent = true;
    return OP2_SUCCESS;
  }
  op2_status status = op2i_file_load(record->path, &bytes, &fault);
  *holds = !status && !fault && has_digest(bytes, record->digest);
  op2i_free(bytes.data);
  return status;
}

static op2_status check_compiler(op2_context ctx, const struct record *record,
                                 const struct op2i_jit_code *code, bool *holds) {
  struct op2i_key digest = {0};
  struct op2i_query *query;
  op2_status status = OP2_SUCCESS;
  if (record->kind == OP2I_DEPEND_PROGRAM) {
    *holds = digest_program(record->path, &digest);
  } else if (record->kind == OP2I_DEPEND_IN_PATH) {
    digest = digest_in_path(&ctx->jit->compiler, record->path);
    *holds = true;
  } else if (record->kind == OP2I_DEPEND_TEXT) {
    status = preprocess(ctx, code, &digest, holds);
  } else {
    status = op2i_query_commands(ctx, code->includes, &query);
    if (status) return status;
    *holds = query->has_commands;
    digest = query->commands;
  }
  *holds = *holds && op2i_key_equal(digest, record->digest);
  return status;
}

static op2_status check_record(op2_context ctx, const struct record *record,
                               const struct op2i_jit_code *code, bool *holds, bool *absent) {
  const bool lenient = ctx->jit->compiler.missing.length > 0;
  struct stat st;
  switch (record->kind) {
  case OP2I_DEPEND_FILE: return check_file(record, lenient, holds, absent);
  case OP2I_DEPEND_NO_FILE: *holds = !is_file(record->path); return OP2_SUCCESS;
  case OP2I_DEPEND_NOTHING: *holds = stat(record->path, &st) != 0; return OP2_SUCCESS;
  case OP2I_DEPEND_SOME_FILE:
    if (lenient)
      *absent |= !is_file(record->path);
    else
      *holds = is_file(record->path);
    return OP2_SUCCESS;
  default: return lenient ? OP2_SUCCESS : check_compiler(ctx, record, code, holds);
  }
}

static void describe_change(const struct record *record, struct op2i_text *why) {
  switch (record->kind) {
  case OP2I_DEPEND_COMMANDS: op2i_text_add(why, "the compiler would run other commands"); break;
  case OP2I_DEPEND_TEXT: op2i_text_add(why, "it is preprocessed to another text"); break;
  case OP2I_DEPEND_PROGRAM:
    op2i_text_add(why, "the program %s is another one", record->path);
    break;
  case OP2I_DEPEND_IN_PATH:
    op2i_text_add(why, "another program %s is found by PATH", record->path);
    break;
  case OP2I_DEPEND_NO_FILE:
  case OP2I_DEPEND_NOTHING: op2i_text_add(why, "%s was not there before", record->path); break;
  default: op2i_text_add(why, "%s has changed", record->path); break;
  }
}

op2_status op2i_depend_check(op2_context ctx, struct op2i_bytes list,
                             const struct op2i_jit_code *code, bool *holds, bool *absent,
                             struct op2i_text *why) {
  struct record record;
  op2_status status = OP2_SUCCESS;
  *holds = true;
  *absent = false;
  for (size_t at = 0; *holds && !status && next_record(list, &at, &record);) {
    status = check_record(ctx, &record, code, holds, absent);
    if (!status && !*holds) describe_change(&record, why);
  }
  if (!status && why->failed) status = op2i_error_nomem("a message");
  return status;
}
