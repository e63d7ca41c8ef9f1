/* SPDX-License-Identifier: BSD-3-Clause */
/* The basis of the translation of a kernel into vectors: memory, refusals and limits. */
#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_tree.h"

void *op2i_simd_take(struct op2i_simd *l, size_t bytes) {
  void *taken = op2i_arena_take(&l->arena, bytes);
  if (!taken) l->failed = true;
  return taken;
}

const char *op2i_simd_string(struct op2i_simd *l, const char *text, size_t length) {
  char *copy = op2i_simd_take(l, length + 1);
  return copy ? memcpy(copy, text, length) : "";
}

void op2i_simd_release(struct op2i_simd *l) {
  op2i_arena_free(&l->arena);
  op2i_macros_free(&l->macros);
  op2i_text_free(&l->prefix);
  op2i_text_free(&l->records);
  op2i_text_free(&l->tables);
  op2i_text_free(&l->functions);
}

struct op2i_simd_node *op2i_simd_node(struct op2i_simd *l, enum op2i_simd_kind kind, int line) {
  struct op2i_simd_node *node = op2i_simd_take(l, sizeof *node);
  if (!node) {
    node = &l->no_node;
    memset(node, 0, sizeof *node);
  }
  node->kind = kind;
  node->line = line;
  node->op = node->text = "";
  node->item = -1;
  return node;
}

struct op2i_simd_var *op2i_simd_var(struct op2i_simd *l, const char *name) {
  struct op2i_simd_var *var = op2i_simd_take(l, sizeof *var);
  if (!var) {
    var = &l->no_var;
    memset(var, 0, sizeof *var);
  }
  var->name = var->text = name;
  var->param = -1;
  return var;
}

/* Functions of OP2_FUNCTION() have no lines in the kernel's source; neither have headers that the
 * kernel's description names. */
static void add_reason(struct op2i_simd *l, const char *phrase) {
  static const char words[] = " in line ";
  const char *at = strstr(phrase, words), *digits = at ? at + strlen(words) : "";
  const char *behind = digits + strspn(digits, "0123456789");
  bool header = at && behind == digits + 1 && *digits == '0';
  if (!at || behind == digits || !(l->shared || header))
    op2i_text_add(l->why, "%s", phrase);
  else if (l->shared)
    op2i_text_add(l->why, "%.*s in OP2_FUNCTION %s%s", (int)(at - phrase), phrase, l->shared,
                  behind);
  else
    op2i_text_add(l->why, "%.*s in a header%s", (int)(at - phrase), phrase, behind);
}

void op2i_simd_refuse(struct op2i_simd *l, const char *format, ...) {
  char phrase[512];
  va_list args;
  if (op2i_simd_stopped(l)) return;
  l->refused = true;
  va_start(args, format);
  vsnprintf(phrase, sizeof phrase, format, args);
  va_end(args);
  add_reason(l, phrase);
}

bool op2i_simd_enter(struct op2i_simd *l, int line) {
  if (++l->depth > OP2I_SIMD_DEPTH) op2i_simd_refuse(l, "is nested too deep in line %d", line);
  return !op2i_simd_stopped(l);
}
