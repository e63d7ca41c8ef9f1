/* SPDX-License-Identifier: BSD-3-Clause */
/* An estimate of the operations of a kernel from its source: loops count as often as the largest
 * number in their head says, helper functions once, and all branches count. */
#include <stdlib.h>
#include <string.h>

#include "kernel_checks.h"
#include "mem.h"
#include "signature.h"
#include "unit.h"

/* The cost of a division and of a library function in units of an addition, and the trip count of a
 * loop without a number in its head. */
enum { DIVISION = 8, FUNCTION = 40, TRIPS = 4 };

static double weight(const struct op2i_unit *unit, int t) {
  static const char *const signs[] = {
      "+", "-", "*", "+=", "-=", "*=", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "<<", ">>"};
  static const char *const functions[] = {"exp", "log",  "pow",   "sin",  "cos",  "tan",
                                          "erf", "cbrt", "atan2", "tanh", "sinh", "cosh"};
  if (op2i_unit_is(unit, t, "/") || op2i_unit_is(unit, t, "/=") || op2i_unit_is(unit, t, "sqrt"))
    return DIVISION;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (op2i_unit_is(unit, t, signs[i])) return 1;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (op2i_unit_is(unit, t, functions[i])) return FUNCTION;
  return 0;
}

static double trips(const struct op2i_unit *unit, int from, int to) {
  long most = 0;
  for (int t = from; t < to; t++) {
    const struct op2i_token *token = &unit->tokens.list[unit->code[t]];
    if (token->kind != OP2I_TOK_NUMBER) continue;
    long number = strtol(unit->tokens.text + token->begin, NULL, 0);
    if (number > most) most = number;
  }
  return most > 0 ? (double)most : TRIPS;
}

/* The last token of the statement that begins at t. */
static int statement_end(const struct op2i_unit *unit, int t, int end) {
  for (; t < end; t++) {
    bool block = op2i_unit_is(unit, t, "{");
    if (unit->match[t] > t) t = unit->match[t];
    if (block || op2i_unit_is(unit, t, ";")) return t;
  }
  return end - 1;
}

/* Trip counts of nested loops multiply: often[t] is the product for token t. */
static double operations(const struct op2i_unit *unit, double *often) {
  double total = 0;
  for (int t = 0; t < unit->ncode; t++) {
    bool loop = op2i_unit_is(unit, t, "for") || op2i_unit_is(unit, t, "while");
    total += often[t] * weight(unit, t);
    if (!loop || !op2i_unit_is(unit, t + 1, "(") || unit->match[t + 1] <= t) continue;
    int head = unit->match[t + 1], end = statement_end(unit, head + 1, unit->ncode);
    double times = trips(unit, t + 1, head);
    for (int i = t + 1; i <= end; i++) often[i] *= times;
  }
  return total;
}

double op2i_source_operations(const char *source) {
  struct op2i_unit unit;
  double total = (double)strlen(source) / 8;
  if (op2i_unit_read(source, false, &unit)) {
    op2i_unit_free(&unit);
    return total;
  }
  double *often = op2i_malloc(((size_t)unit.ncode + 1) * sizeof *often);
  for (int t = 0; often && t < unit.ncode; t++) often[t] = 1;
  if (often) total = operations(&unit, often);
  op2i_free(often);
  op2i_unit_free(&unit);
  return total;
}
