/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a compiler searches for: they are parsed from the directives of the files that it has
 * read, and searched for in the same folders. */
#define _GNU_SOURCE
#include "lookup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "depend.h"
#include "error.h"
#include "mem.h"

/* ---- searching one location ------------------------------------------------------------------ */

/* Nothing is at `path`: record the first missing folder on the path, since many names have that
 * folder in common. */
static void record_missing(struct op2i_text *out, const char *path) {
  char part[PATH_MAX];
  struct stat st;
  for (const char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
    snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
    if (stat(part, &st) == 0) continue;
    op2i_depend_add(out, OP2I_DEPEND_NOTHING, NULL, part);
    return;
  }
  op2i_depend_add(out, OP2I_DEPEND_NO_FILE, NULL, path);
}

static bool is_later(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

enum found { MISSING, UNREAD, READ };

/* Check one location of a search. */
static enum found look_in_folder(struct op2i_lookup *lookup, const char *folder, const char *name) {
  static const struct op2i_key changed = {0};
  char path[PATH_MAX];
  struct stat st;
  int size = *name == '/' ? snprintf(path, sizeof path, "%s", name)
                          : snprintf(path, sizeof path, "%s/%s", folder, name);
  if (size >= PATH_MAX) return MISSING;
  if (stat(path, &st) != 0 || S_ISDIR(st.st_mode)) {
    record_missing(lookup->out, path);
    return MISSING;
  }
  for (int64_t i = 0; i < lookup->nfiles; i++) {
    struct op2i_read_file *file = &lookup->files[i];
    if (file->device != st.st_dev || file->inode != st.st_ino) continue;
    file->explained = true;
    return READ;
  }
  /* The file may have been made after the compiler had searched. */
  if (is_later(st.st_ctim, lookup->started))
    op2i_depend_add(lookup->out, OP2I_DEPEND_FILE, &changed, path);
  else
    op2i_depend_add(lookup->out, OP2I_DEPEND_SOME_FILE, NULL, path);
  return UNREAD;
}

/* ---- searching for one name ------------------------------------------------------------------ */

static op2_status note_seen(struct op2i_lookup *lookup, const char *name, const char *folder,
                            bool next, bool *seen) {
  char line[2 * PATH_MAX];
  snprintf(line, sizeof line, "%d %s\n%s", next, name, folder ? folder : "");
  for (int64_t i = 0; i < lookup->seen.count; i++)
    if (strcmp(lookup->seen.item[i], line) == 0) {
      *seen = true;
      return OP2_SUCCESS;
    }
  *seen = false;
  return op2i_words_add(&lookup->seen, line);
}

/* Search until the name is found. A file that exists and was not read means that the directive was
 * excluded by a condition, or that it only tests for such a file. With `next` the search continues
 * to the end, as the compiler's search begins somewhere in the middle. */
static void search(struct op2i_lookup *lookup, const struct op2i_words *folders, const char *name,
                   bool next, bool *found) {
  for (int64_t i = 0; i < folders->count && (next || !*found); i++)
    *found |= look_in_folder(lookup, folders->item[i], name) != MISSING;
}

op2_status op2i_lookup_name(struct op2i_lookup *lookup, const char *name, const char *folder,
                            bool next) {
  bool seen, found = false;
  op2_status status = note_seen(lookup, name, folder, next, &seen);
  if (status || seen) return status;
  if (*name == '/') {
    look_in_folder(lookup, NULL, name);
    return OP2_SUCCESS;
  }
  if (folder) found = look_in_folder(lookup, folder, name) != MISSING;
  if (folder && (next || !found)) search(lookup, &lookup->query->quoted, name, next, &found);
  if (next || !found) search(lookup, &lookup->query->bracketed, name, next, &found);
  return OP2_SUCCESS;
}

/* ---- directives ------------------------------------------------------------------------------ */

/* Copy the text with comments replaced by blanks, since their lines often look like directives. */
static char *without_comments(const char *text) {
  size_t size = strlen(text);
  char *plain = op2i_malloc(size + 1);
  enum { CODE, STRING, LINE, BLOCK } in = CODE;
  if (!plain) return NULL;
  for (size_t i = 0; i < size; i++) {
    char c = text[i], next = text[i + 1];
    plain[i] = c == '\n' || in < LINE ? c : ' ';
    if (c == '\n' && in != BLOCK && (i == 0 || text[i - 1] != '\\')) {
      in = CODE;
    } else if (in == CODE && c == '/' && (next == '*' || next == '/')) {
      in = next == '*' ? BLOCK : LINE;
      plain[i] = plain[i + 1] = ' ';
      i++;
    } else if (in == BLOCK && c == '*' && next == '/') {
      plain[++i] = ' ';
      in = CODE;
    } else if (in == STRING && c == '\\' && next && next != '\n') {
      plain[i + 1] = next;
      i++;
    } else if (c == '"' && in < LINE) {
      in = in == CODE ? STRING : CODE;
    }
  }
  plain[size] = '\0';
  return plain;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }

/* Copy the next directive with its continuation lines, from its # on; returns null after the last
 * one. Functions like strchr() would look through the rest of the text for each line under the
 * address sanitizer. */
static const char *next_directive(const char *text, char line[], size_t room) {
  while (*text) {
    const char *at = text;
    size_t length = 0;
    while (is_blank(*at)) at++;
    if (*at != '#') {
      while (*at && *at != '\n') at++;
      text = *at ? at + 1 : at;
      continue;
    }
    for (; *at && *at != '\n'; at++) {
      bool joined = at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'));
      if (joined) at += at[1] == '\r' ? 2 : 1;
      if (length < room - 1) line[length++] = joined ? ' ' : *at;
    }
    line[length] = '\0';
    return at;
  }
  return NULL;
}

/* Take the name in quotes or brackets at `at`, if there is one; *where is set to the folder for
 * quotes, and to null for brackets. */
static bool take_name(const char *at, char name[PATH_MAX], const char *folder, const char **where) {
  if (*at != '"' && *at != '<') return false;
  size_t length = strcspn(at + 1, *at == '"' ? "\"" : ">");
  if (length == 0 || length >= PATH_MAX || !at[1 + length]) return false;
  memcpy(name, at + 1, length);
  name[length] = '\0';
  *where = *at == '"' ? folder : NULL;
  return true;
}

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t"); }

/* Follow #include, #include_next and #import. */
static op2_status follow_include(struct op2i_lookup *lookup, const char *at, const char *folder) {
  char name[PATH_MAX];
  const char *where;
  bool next = strncmp(at, "_next", 5) == 0;
  at = skip_blanks(at + (next ? 5 : 0));
  if (take_name(at, name, folder, &where)) return op2i_lookup_name(lookup, name, where, next);
  lookup->computed = true;
  return OP2_SUCCESS;
}

/* Follow all tests __has_include(...) in a directive. A directive that defines the word, or tests
 * whether it is defined, does not search for a file. */
static op2_status follow_questions(struct op2i_lookup *lookup, const char *line,
                                   const char *folder) {
  static const char word[] = "__has_include";
  op2_status status = OP2_SUCCESS;
  const char *own = skip_blanks(line + 1);
  if (strncmp(own, "define", 6) == 0) own = skip_blanks(own + 6);
  for (const char *at = line; !status && (at = strstr(at, word));) {
    char name[PATH_MAX];
    const char *where;
    bool is_own = at == own;
    at += sizeof word - 1;
    bool next = strncmp(at, "_next", 5) == 0;
    at = skip_blanks(at + (next ? 5 : 0));
    if (*at == '_' || *at != '(' || is_own) continue;
    at = skip_blanks(at + 1);
    if (take_name(at, name, folder, &where))
      status = op2i_lookup_name(lookup, name, where, next);
    else
      lookup->computed = true;
  }
  return status;
}

op2_status op2i_lookup_text(struct op2i_lookup *lookup, const char *text, const char *folder) {
  enum { LINE = 8192 };
  char line[LINE];
  op2_status status = OP2_SUCCESS;
  char *plain = without_comments(text);
  if (!plain) return op2i_error_nomem("a header");
  text = plain;
  while (!status && (text = next_directive(text, line, sizeof line))) {
    const char *at = skip_blanks(line + 1);
    if (strncmp(at, "include", 7) == 0)
      status = follow_include(lookup, at + 7, folder);
    else if (strncmp(at, "import", 6) == 0)
      status = follow_include(lookup, at + 6, folder);
    else if (strstr(at, "__has_include"))
      status = follow_questions(lookup, line, folder);
  }
  op2i_free(plain);
  return status;
}

void op2i_lookup_free(struct op2i_lookup *lookup) {
  for (int64_t i = 0; i < lookup->nfiles; i++) {
    op2i_free(lookup->files[i].path);
    op2i_free(lookup->files[i].contents.data);
  }
  op2i_free(lookup->files);
  op2i_words_free(&lookup->seen);
}
