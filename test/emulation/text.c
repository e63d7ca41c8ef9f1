/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code as it is compiled for the emulation: faults are planted, and a table says what can be
 * launched. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc.h"

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* ---- faults ---------------------------------------------------------------------------------- */

/* The first of what is there becomes the other. */
static char *replace(char *text, const char *from, size_t nfrom, const char *to, size_t nto,
                     int *count) {
  char *at = memmem(text, strlen(text), from, nfrom);
  if (!at) return text;
  char *out = malloc(strlen(text) + nto + 1);
  if (!out) return text;
  size_t before = (size_t)(at - text);
  memcpy(out, text, before);
  memcpy(out + before, to, nto);
  strcpy(out + before + nto, at + nfrom);
  free(text);
  ++*count;
  return out;
}

/* Lines s|this|that|, whatever stands for the bar; `\n` in them is a line's end. */
static char *plant(char *text, const char *faults, int *count) {
  while (faults && *faults == 's') {
    char end = faults[1];
    const char *from = faults + 2, *middle = strchr(from, end);
    const char *last = middle ? strchr(middle + 1, end) : NULL;
    if (!last) break;
    text = replace(text, from, (size_t)(middle - from), middle + 1, (size_t)(last - middle - 1),
                   count);
    faults = strchr(last, '\n');
    if (faults) faults++;
  }
  return text;
}

/* ---- functions that can be launched ---------------------------------------------------------- */

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

/* Behind what is in brackets that open here. */
static const char *skip_brackets(const char *at) {
  int depth = 0;
  for (; *at; at++) {
    depth += (*at == '(') - (*at == ')');
    if (depth == 0) return at + 1;
  }
  return at;
}

static size_t word(const char *at) {
  size_t length = 0;
  while (is_word(at[length])) length++;
  return length;
}

static bool is(const char *at, size_t length, const char *what) {
  return strlen(what) == length && strncmp(at, what, length) == 0;
}

/* The last name of each parameter that is no macro's. */
static void list_parameters(FILE *out, const char *at) {
  const char *end = skip_brackets(at), *name = NULL;
  size_t length = 0;
  for (at++; at < end;) {
    size_t n = word(at);
    if (n > 0 && !isdigit((unsigned char)*at) && islower((unsigned char)at[n - 1 ? 1 : 0]))
      name = at, length = n;
    if (n == 0 && (*at == ',' || at == end - 1) && name) fprintf(out, "%.*s ", (int)length, name);
    at += n ? n : 1;
  }
}

/* What follows `__global__` or OP2_ENTRY: return type and bounds, name, parameters. */
static void list_entry(FILE *out, const char *at) {
  int threads = 0;
  for (;;) {
    at = skip_blanks(at);
    if (*at == '(') at = skip_blanks(skip_brackets(at));
    size_t length = word(at);
    if (length == 0) return;
    const char *next = skip_blanks(at + length);
    if (is(at, length, "__launch_bounds__")) {
      threads = atoi(next + 1);
      at = skip_brackets(next);
    } else if (*next == '(') {
      fprintf(out, "op2_emulation_caller<&%.*s>::entry(\"%.*s\", \"", (int)length, at, (int)length,
              at);
      list_parameters(out, next);
      fprintf(out, "\", %d),\n", threads);
      return;
    } else {
      at += length;
    }
  }
}

static void list_entries(FILE *out, const char *text) {
  fprintf(out, "\n#undef constexpr\nextern \"C\" OP2_EMULATION_SHOWN constexpr op2_emulation_entry "
               "op2_emulation_entries[] = {\n");
  for (const char *at = text; *at;) {
    size_t length = word(at);
    if (*at == '#') {
      do at += strcspn(at, "\n");
      while (*at && at[-1] == '\\' && at++);
    } else if (is(at, length, "__global__") || is(at, length, "OP2_ENTRY")) {
      list_entry(out, at + length);
    }
    at += length ? length : *at != '\0';
  }
  fprintf(out, "{}};\n");
}

/* The kernel's name, which the first line of a loop's text has. */
static void name_kernel(FILE *out, const char *text) {
  static const char opening[] = "/* Kernel ";
  const bool there = strncmp(text, opening, strlen(opening)) == 0;
  const char *name = there ? text + strlen(opening) : "";
  fprintf(out,
          "extern \"C\" {\nOP2_EMULATION_SHOWN extern const char op2_emulation_kernel[] = "
          "\"%.*s\";\n}\n",
          (int)strcspn(name, " \n\""), name);
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Memory of which a launch says how much there is gets no definition here: a name for it is enough. */
static void name_shared(char *text, char name[EMULATION_NAME]) {
  static const char words[] = "extern __shared__";
  name[0] = '\0';
  for (char *at = text; (at = strstr(at, words)); at++) {
    char *end = at + strcspn(at, "[;");
    memset(at + strlen("extern "), ' ', strlen("__shared__"));
    while (end > at && !is_word(end[-1])) end--;
    char *begin = end;
    while (begin > at && is_word(begin[-1])) begin--;
    snprintf(name, EMULATION_NAME, "%.*s", (int)(end - begin), begin);
  }
}

char *emulation_text(const char *source, char shared[EMULATION_NAME], int *planted) {
  char *out = NULL;
  size_t bytes = 0;
  char *text = strdup(source);
  FILE *stream = open_memstream(&out, &bytes);
  if (!text || !stream) abort();
  text = plant(text, getenv("OP2_TEST_PLANT"), planted);
  name_shared(text, shared);
  fprintf(stream, "#line 1 \"loop.cu\"\n%s\n", text);
  list_entries(stream, text);
  name_kernel(stream, text);
  fclose(stream);
  free(text);
  return out;
}
