/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether functions touch memory only at fixed offsets from their parameters. Decided on tokens,
 * erring towards no: a pointer parameter may be subscripted by a number, dereferenced, or handed to
 * a function, and there are no other arrays and pointers. */
#include "unit.h"

static bool is(const struct op2i_unit *unit, int place, const char *spelling) {
  return op2i_unit_is(unit, place, spelling);
}

static enum op2i_token_kind kind_at(const struct op2i_unit *unit, int place) {
  return unit->tokens.list[unit->code[place]].kind;
}

/* Whether the operator behind this token has it as its left operand. */
static bool operand_ends(const struct op2i_unit *unit, int place) {
  return op2i_unit_word(unit, place) || kind_at(unit, place) == OP2I_TOK_NUMBER ||
         is(unit, place, ")") || is(unit, place, "]");
}

/* The parameter of the item that the word at `place` spells: levels of pointer, or -1 when it is
 * none. */
static int parameter_levels(const struct op2i_unit *unit, const struct op2i_item *item, int place) {
  int levels = 0;
  bool named = false;
  for (int p = item->open + 1; p < item->close; p++) {
    if (is(unit, p, ",") && named) return levels;
    if (is(unit, p, ",")) levels = 0;
    levels += is(unit, p, "*") || is(unit, p, "[");
    named = named || op2i_token_same(&unit->tokens, unit->code[p], unit->code[place]);
  }
  return named ? levels : -1;
}

/* Whether the word at `place` stands alone as an argument of a call. */
static bool handed_on(const struct op2i_unit *unit, int place) {
  if (!is(unit, place + 1, ",") && !is(unit, place + 1, ")")) return false;
  if (!is(unit, place - 1, ",") && !is(unit, place - 1, "(")) return false;
  int p = place - 1;
  while (p > 0 && unit->match[p] < place) p = unit->match[p] >= 0 ? unit->match[p] - 1 : p - 1;
  return p > 0 && is(unit, p, "(") && op2i_unit_word(unit, p - 1);
}

static bool subscripted(const struct op2i_unit *unit, int place) {
  return is(unit, place + 1, "[") && kind_at(unit, place + 2) == OP2I_TOK_NUMBER &&
         unit->match[place + 1] == place + 3;
}

static bool dereferenced(const struct op2i_unit *unit, int place) {
  return is(unit, place - 1, "*") && !operand_ends(unit, place - 2) && !is(unit, place + 1, "[");
}

static bool place_fixed(const struct op2i_unit *unit, const struct op2i_item *item, int place) {
  if (is(unit, place, "static") || is(unit, place, "struct") || is(unit, place, "union") ||
      is(unit, place, "asm") || is(unit, place, "__asm__"))
    return false;
  if (is(unit, place, "&") && !operand_ends(unit, place - 1)) return false;
  if (is(unit, place, "*") && !operand_ends(unit, place - 1))
    return op2i_unit_word(unit, place + 1) && parameter_levels(unit, item, place + 1) == 1;
  if (is(unit, place, "["))
    return op2i_unit_word(unit, place - 1) && parameter_levels(unit, item, place - 1) == 1;
  if (!op2i_unit_word(unit, place) || parameter_levels(unit, item, place) < 1) return true;
  return subscripted(unit, place) || dereferenced(unit, place) || handed_on(unit, place);
}

bool op2i_unit_fixed_offsets(const struct op2i_unit *unit) {
  for (int i = 0; i < unit->nitems; i++) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind != OP2I_ITEM_FUNCTION) continue;
    for (int p = item->begin; p < item->name; p++)
      if (is(unit, p, "*")) return false;
    for (int p = item->body + 1; p < item->end; p++)
      if (!place_fixed(unit, item, p)) return false;
  }
  return true;
}
