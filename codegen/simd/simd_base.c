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

void op2i_simd_refuse(struct op2i_simd *l, const char *format, ...) {
  char phrase[512];
  va_list args;
  if (op2i_simd_stopped(l)) return;
  l->refused = true;
  va_start(args, format);
  vsnprintf(phrase, sizeof phrase, format, args);
  va_end(args);
  /* Only headers that the kernel's description names have no line in its text. */
  char *nowhere = strstr(phrase, " in line 0");
  if (nowhere && !strchr("0123456789", nowhere[10] ? nowhere[10] : '.'))
    op2i_text_add(l->why, "%.*s in a header%s", (int)(nowhere - phrase), phrase, nowhere + 10);
  else
    op2i_text_add(l->why, "%s", phrase);
}

bool op2i_simd_enter(struct op2i_simd *l, int line) {
  if (++l->depth > OP2I_SIMD_DEPTH) op2i_simd_refuse(l, "is nested too deep in line %d", line);
  return !op2i_simd_stopped(l);
}
