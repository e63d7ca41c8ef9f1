/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that kernels of a file share (OP2_FUNCTION): their text comes before the first line
 * of code of a kernel's source, on that line, so that the source's lines keep their numbers. */
#include <string.h>

#include "codegen.h"
#include "error.h"
#include "kernel.h"
#include "text.h"

/* ---- the place ------------------------------------------------------------------------------- */

/* The end of a directive's line; spliced lines belong to it. */
static const char *past_directive(const char *at) {
  while (*at && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
  return at;
}

static const char *past_comment(const char *at) {
  const char *end = at[1] == '*' ? strstr(at + 2, "*/") : strchr(at, '\n');
  if (!end) return at + strlen(at);
  return at[1] == '*' ? end + 2 : end;
}

static bool begins(const char *at, const char *word) {
  at += 1 + strspn(at + 1, " \t");
  return strncmp(at, word, strlen(word)) == 0;
}

/* The first line of code, behind comments, blanks and directives; where a conditional is open
 * there, the outermost directive of it. */
static const char *place_of(const char *source) {
  const char *at = source, *outermost = source;
  int open = 0;
  for (;;) {
    at += strspn(at, " \t\r\n\f\v");
    if (*at == '#') {
      if (begins(at, "if") && open++ == 0) outermost = at;
      if (begins(at, "endif") && open > 0) open--;
      at = past_directive(at);
    } else if (at[0] == '/' && (at[1] == '*' || at[1] == '/')) {
      at = past_comment(at);
    } else {
      return open ? outermost : at;
    }
  }
}

/* ---- the functions --------------------------------------------------------------------------- */

/* Put text before what is there. */
static void prepend(const char *text, const char *between, struct op2i_text *to) {
  struct op2i_text joined = {0};
  op2i_text_add(&joined, "%s%s%s", text, between, to->chars ? to->chars : "");
  joined.failed = joined.failed || to->failed;
  op2i_text_free(to);
  *to = joined;
}

/* Functions are called by what is defined after them, and the last one comes first here. */
static void choose(const op2_function_text *first, const char *source, struct op2i_text *chosen,
                   struct op2i_text *names) {
  for (const op2_function_text *f = first; f && !chosen->failed; f = f->next) {
    bool called = op2i_codegen.uses(source, NULL, f->name) ||
                  (chosen->length && op2i_codegen.uses(chosen->chars, NULL, f->name));
    if (!called) continue;
    prepend(f->source, " ", chosen);
    op2i_text_add(names, " %s ", f->name);
  }
}

op2_status op2i_kernel_join(const op2_kernel_desc *desc, const char *source, struct op2i_text *out,
                            struct op2i_text *names) {
  struct op2i_text chosen = {0};
  if (desc->functions && !desc->function) choose(*desc->functions, source, &chosen, names);
  const char *place = chosen.length ? place_of(source) : source;
  op2i_text_bytes(out, source, (size_t)(place - source));
  if (chosen.length) op2i_text_bytes(out, chosen.chars, chosen.length);
  /* A directive begins a line; then the numbers of lines are greater by one from there on. */
  if (chosen.length && *place == '#') op2i_text_add(out, "\n");
  op2i_text_add(out, "%s", place);
  bool failed = chosen.failed || names->failed || out->failed;
  op2i_text_free(&chosen);
  return failed ? op2i_error_nomem("a kernel's source") : OP2_SUCCESS;
}

bool op2i_kernel_shares(const struct op2_kernel_s *kernel, const char *name, size_t length) {
  const char *at = kernel->functions;
  for (; at && (at = strchr(at, ' ')); at++)
    if (strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ') return true;
  return false;
}
