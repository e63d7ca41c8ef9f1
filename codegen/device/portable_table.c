/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables at file scope in OpenCL C: they are in an address space of their own, and no pointer of a
 * kernel leads there. A function that does more than read their values has a copy. */
#include "portable_table.h"

#include <string.h>

typedef struct op2i_portable_state state;
typedef struct op2i_portable_item item;

static bool is(const state *p, int at, const char *word) { return op2i_portable_is(p, at, word); }

static bool same(const state *p, int a, int b) {
  const struct op2i_piece *x = &p->tokens[a], *y = &p->tokens[b];
  return x->length == y->length && memcmp(x->text, y->text, (size_t)x->length) == 0;
}

/* True if the token at `at` is the name of a table, and no member's. */
static bool names_it(const state *p, int at, const struct op2i_portable_table *table) {
  return p->tokens[at].kind == OP2I_TOK_WORD && same(p, at, table->name) && !is(p, at - 1, ".") &&
         !is(p, at - 1, "->");
}

/* True if only a value of the table is read here. */
static bool reads(const state *p, int at, const struct op2i_portable_table *table) {
  int behind = at + 1;
  if (is(p, at - 1, "&")) return false;
  if (is(p, at - 1, "sizeof") || (is(p, at - 2, "sizeof") && is(p, at + 1, ")"))) return true;
  for (int k = 0; k < table->type.nlevels; k++) {
    if (!is(p, behind, "[")) return false;
    behind = p->match[behind] + 1;
  }
  return true;
}

static bool needs_copy(const state *p, const item *all, int begin, int end) {
  bool needs = false;
  for (const struct op2i_portable_table *t = all->tables; t; t = t->next)
    for (int at = begin; at < end && !needs; at++)
      needs = names_it(p, at, t) && (all->pointers || !reads(p, at, t));
  return needs;
}

static bool has_copy(const struct op2i_portable_note *block, const item *all) {
  const struct op2i_portable_copy *c = block->copies;
  while (c && c->item != all) c = c->next;
  return c != NULL;
}

/* Copies of tables to which a table points come before its own. */
static void add_copy(state *p, struct op2i_portable_note *block, const item *all) {
  struct op2i_portable_copy **tail = &block->copies;
  if (has_copy(block, all)) return;
  for (const item *other = p->items; other && other != all; other = other->next)
    if (!other->body && needs_copy(p, other, all->begin, all->end)) add_copy(p, block, other);
  while (*tail) tail = &(*tail)->next;
  if ((*tail = op2i_arena_take(&p->macros.arena, sizeof **tail))) (*tail)->item = all;
  p->wanted = true;
}

static void look_at(state *p, const item *function) {
  struct op2i_portable_note *block = op2i_portable_find(p, function->body, OP2I_PORTABLE_BLOCK);
  for (const item *all = p->items; all && block; all = all->next)
    if (!all->body && all->end <= function->begin &&
        needs_copy(p, all, function->body, function->end))
      add_copy(p, block, all);
  /* A pointer to a copy must not outlive the function. */
  if (block && block->copies && function->pointers) p->failed = true;
}

void op2i_portable_tables(state *p) {
  for (const item *function = p->items; function; function = function->next)
    if (function->body) look_at(p, function);
}

void op2i_portable_add_item(state *p, int begin, int body, bool pointers) {
  item **tail = &p->items;
  while (*tail) tail = &(*tail)->next;
  item *made = *tail = op2i_arena_take(&p->macros.arena, sizeof *made);
  if (!made) return;
  made->begin = begin;
  made->end = p->r.at;
  made->body = body;
  made->pointers = pointers;
  made->tables = p->tables;
  p->tables = NULL;
}

void op2i_portable_add_table(state *p, const struct op2i_c_decl *decl) {
  struct op2i_portable_table *t = op2i_arena_take(&p->macros.arena, sizeof *t);
  if (!t || !decl->name) return;
  t->name = (int)(decl->name - p->tokens);
  t->type = decl->type;
  t->next = p->tables;
  p->tables = t;
}

bool op2i_portable_moved(const state *p, int at) {
  const item *all = p->items;
  while (all && all->begin != at) all = all->next;
  return all && !all->body && all->pointers;
}
