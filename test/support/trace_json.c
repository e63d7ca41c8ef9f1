/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader of JSON, as strict as the standard where the tests need it. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_case.h"

static struct json *read_value(const char **at);

static void skip_blanks(const char **at) { *at += strspn(*at, " \t\r\n"); }

void json_free(struct json *value) {
  while (value) {
    struct json *next = value->next;
    json_free(value->first);
    free(value->name);
    free(value->text);
    free(value);
    value = next;
  }
}

/* One character of a string; escapes of four digits become one byte, or '?'. False if it is none. */
static bool read_char(const char **at, char *c) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if ((unsigned char)**at < ' ') return false;
  *c = *(*at)++;
  if (*c != '\\') return true;
  const char *which = strchr(from, **at);
  if (**at && which) {
    *c = to[which - from];
    ++*at;
    return true;
  }
  if (**at != 'u' || strspn(*at + 1, "0123456789abcdefABCDEF") < 4) return false;
  const char digits[] = {(*at)[1], (*at)[2], (*at)[3], (*at)[4], 0};
  const long code = strtol(digits, NULL, 16);
  *c = code < 128 ? (char)code : '?';
  *at += 5;
  return true;
}

static char *read_string(const char **at) {
  char text[4096];
  size_t n = 0;
  if (*(*at)++ != '"') return NULL;
  for (; **at != '"'; n++)
    if (n + 1 == sizeof text || !read_char(at, &text[n])) return NULL;
  ++*at;
  text[n] = 0;
  return strdup(text);
}

static bool read_member(const char **at, bool named, struct json **value) {
  char *name = NULL;
  if (named) {
    skip_blanks(at);
    name = read_string(at);
    skip_blanks(at);
    if (!name || *(*at)++ != ':') {
      free(name);
      return false;
    }
  }
  *value = read_value(at);
  if (!*value) {
    free(name);
    return false;
  }
  (*value)->name = name;
  return true;
}

static bool read_list(const char **at, struct json *list, char end) {
  struct json **last = &list->first;
  ++*at;
  skip_blanks(at);
  if (**at == end) return ++*at;
  for (;;) {
    if (!read_member(at, list->type == '{', last)) return false;
    last = &(*last)->next;
    skip_blanks(at);
    if (**at == end) return ++*at;
    if (*(*at)++ != ',') return false;
  }
}

static bool read_number(const char **at, struct json *value) {
  char *end;
  strtod(*at, &end);
  if (end == *at || strspn(*at, "+-.0123456789eE") != (size_t)(end - *at)) return false;
  value->text = strndup(*at, (size_t)(end - *at));
  *at = end;
  return value->text;
}

static bool read_word(const char **at, const char *word) {
  if (strncmp(*at, word, strlen(word))) return false;
  *at += strlen(word);
  return true;
}

static struct json *read_value(const char **at) {
  struct json *value = calloc(1, sizeof *value);
  skip_blanks(at);
  if (!value) return NULL;
  value->type = **at == '"' ? 's' : **at == 'n' ? '0' : strchr("{[tf", **at) ? **at : 'n';
  const bool good = value->type == '{'   ? read_list(at, value, '}')
                    : value->type == '[' ? read_list(at, value, ']')
                    : value->type == 's' ? (value->text = read_string(at)) != NULL
                    : value->type == 't' ? read_word(at, "true")
                    : value->type == 'f' ? read_word(at, "false")
                    : value->type == '0' ? read_word(at, "null")
                                         : read_number(at, value);
  if (good) return value;
  json_free(value);
  return NULL;
}

struct json *json_read(const char *path) {
  FILE *file = fopen(path, "r");
  struct json *value = NULL;
  char *text = NULL;
  size_t size = 0;
  if (file && getdelim(&text, &size, 0, file) > 0) {
    const char *at = text;
    value = read_value(&at);
    skip_blanks(&at);
    if (*at) {
      json_free(value);
      value = NULL;
    }
  }
  free(text);
  if (file) fclose(file);
  return value;
}

const struct json *json_member(const struct json *object, const char *name) {
  const struct json *member = object && object->type == '{' ? object->first : NULL;
  while (member && strcmp(member->name, name)) member = member->next;
  return member;
}

const char *json_text(const struct json *object, const char *name) {
  const struct json *member = json_member(object, name);
  return member && member->type == 's' ? member->text : "";
}

double json_number(const struct json *object, const char *name) {
  const struct json *member = json_member(object, name);
  return member && member->type == 'n' ? atof(member->text) : 0;
}
