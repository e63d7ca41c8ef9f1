/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the ranges of counters, and the loops that are worth to be unrolled: where a counter is a
 * subscript, the values of an array of vectors can be in registers once each subscript is a number,
 * and what else depends on the counter is a constant. Compilers unroll loops of few trips only. */
#include <string.h>

#include "simd_idle.h"
#include "simd_math.h"
#include "simd_parse.h"
#include "simd_tree.h"
#include "simd_unroll.h"

/* A loop is unrolled if it has at most TRIPS trips and then at most OPERATIONS of vectors, of which
 * a call has CALL. Longer text takes long to compile, and does not fit into a core's cache. */
enum { TRIPS = 32, OPERATIONS = 512, CALL = 16, MOST = OPERATIONS + 1 };

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool counter_range(const struct op2i_simd_var *var, const struct op2i_simd_counted *around,
                          int64_t *lo, int64_t *hi) {
  while (around && around->counter != var) around = around->outer;
  if (!around && !var->counts) return false;
  *lo = around ? around->lo : var->lo;
  *hi = (around ? around->hi : var->hi) - 1;
  return true;
}

bool op2i_simd_range(const struct op2i_simd_node *e, const struct op2i_simd_counted *around,
                     int64_t *lo, int64_t *hi) {
  int64_t a, b, c, d;
  *lo = *hi = e->value;
  if (e->known) return true;
  if (e->kind == OP2I_SIMD_NAME) return counter_range(e->var, around, lo, hi);
  if (e->kind != OP2I_SIMD_BINARY || !op2i_simd_range(e->a, around, &a, &b) ||
      !op2i_simd_range(e->b, around, &c, &d))
    return false;
  if (!strcmp(e->op, "+")) {
    *lo = a + c;
    *hi = b + d;
  } else if (!strcmp(e->op, "-")) {
    *lo = a - d;
    *hi = b - c;
  } else if (!strcmp(e->op, "*") && a >= 0 && c >= 0) {
    *lo = a * c;
    *hi = b * d;
  } else {
    return false;
  }
  return true;
}

static bool is_counter(const struct op2i_simd_node *e, const struct op2i_simd_var *var) {
  return e->kind == OP2I_SIMD_NAME && e->var == var;
}

/* True if `step` changes the variable by 1 or another constant; *up is true if it increases. */
static bool steps(const struct op2i_simd_node *step, const struct op2i_simd_var *var, bool *up,
                  int64_t *by) {
  bool one = step->kind == OP2I_SIMD_UNARY || step->kind == OP2I_SIMD_POSTFIX;
  bool more = step->kind == OP2I_SIMD_ASSIGN && step->b->known && step->b->value > 0;
  *by = more ? step->b->value : 1;
  *up = strcmp(step->op, "++") == 0 || strcmp(step->op, "+=") == 0;
  bool down = strcmp(step->op, "--") == 0 || strcmp(step->op, "-=") == 0;
  return (one || more) && (*up || down) && is_counter(step->a, var);
}

bool op2i_simd_counted(const struct op2i_simd_node *loop, const struct op2i_simd_counted *around,
                       struct op2i_simd_counted *counted) {
  const struct op2i_simd_node *init = loop->a, *test = loop->b, *step = loop->c;
  int64_t first[2], last[2], by;
  bool up;
  if (loop->kind != OP2I_SIMD_FOR || !init || !test || !step) return false;
  if (init->kind != OP2I_SIMD_DECL || init->next || !init->a) return false;
  const struct op2i_simd_var *var = init->var;
  if (var->type.nlevels || op2i_simd_float(var->type.base) || var->assigned > 1) return false;
  if (test->kind != OP2I_SIMD_BINARY || !is_counter(test->a, var)) return false;
  if (!steps(step, var, &up, &by)) return false;
  if (!op2i_simd_range(init->a, around, &first[0], &first[1])) return false;
  if (!op2i_simd_range(test->b, around, &last[0], &last[1])) return false;
  bool closed = strcmp(test->op, "<=") == 0 || strcmp(test->op, ">=") == 0;
  if (test->op[0] != (up ? '<' : '>') || test->op[1] == test->op[0]) return false;
  const int64_t lo = up ? first[0] : last[0] + !closed;
  const int64_t hi = up ? last[1] + closed : first[1] + 1;
  const int64_t trips = hi > lo ? (hi - lo - 1) / by + 1 : 0;
  *counted = (struct op2i_simd_counted){var, lo, hi, trips, around};
  return true;
}

/* ---- size ------------------------------------------------------------------------------------ */

static bool operates(const struct op2i_simd_node *e) {
  switch (e->kind) {
  case OP2I_SIMD_ASSIGN: return strcmp(e->op, "=") != 0;
  case OP2I_SIMD_UNARY:
  case OP2I_SIMD_BINARY:
  case OP2I_SIMD_CHOICE:
  case OP2I_SIMD_COMPLEX:
  case OP2I_SIMD_CAST: return true;
  default: return false;
  }
}

/* True for a call of what is an instruction or two. */
static bool is_short(const struct op2i_simd_node *call) {
  return call->math && (call->math->how == OP2I_SIMD_SMALL || call->math->how == OP2I_SIMD_FUSED);
}

static int64_t at_most(int64_t operations) { return operations < MOST ? operations : MOST; }

/* Count the operations of a list of statements, up to MOST, as if all loops were unrolled. */
static int64_t size_of(const struct op2i_simd_node *e, const struct op2i_simd_counted *around,
                       int depth) {
  int64_t size = 0;
  if (depth > OP2I_SIMD_DEPTH) return MOST;
  for (; e && size < MOST; e = e->next) {
    struct op2i_simd_counted counted;
    const bool is_loop =
        e->kind == OP2I_SIMD_FOR || e->kind == OP2I_SIMD_WHILE || e->kind == OP2I_SIMD_DO;
    const bool known = is_loop && op2i_simd_counted(e, around, &counted);
    if (is_loop && (!known || counted.trips > MOST)) return MOST;
    if (e->kind == OP2I_SIMD_CALL && e->varying) size += is_short(e) ? 1 : CALL;
    size += (known ? counted.trips : 1) * size_of(e->d, known ? &counted : around, depth + 1) +
            (e->varying && operates(e)) + size_of(e->a, around, depth + 1) +
            size_of(e->b, around, depth + 1) + size_of(e->c, around, depth + 1);
  }
  return at_most(size);
}

/* ---- subscripts ------------------------------------------------------------------------------ */

/* True if a statement has a vector of an array at a subscript that depends on the counter. */
static bool selects(const struct op2i_simd_node *e, const struct op2i_simd_var *var, int depth) {
  if (depth > OP2I_SIMD_DEPTH) return false;
  for (; e; e = e->next)
    if ((e->kind == OP2I_SIMD_INDEX && e->varying && !e->b->varying &&
         op2i_simd_mentions(e->b, var)) ||
        selects(e->a, var, depth + 1) || selects(e->b, var, depth + 1) ||
        selects(e->c, var, depth + 1) || selects(e->d, var, depth + 1))
      return true;
  return false;
}

bool op2i_simd_unrolls(const struct op2i_simd_node *loop, const struct op2i_simd_counted *counted) {
  return counted->trips > 1 && counted->trips <= TRIPS && selects(loop->d, counted->counter, 1) &&
         counted->trips * size_of(loop->d, counted, 1) <= OPERATIONS;
}
