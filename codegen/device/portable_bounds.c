/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of integers. */
#include "portable_bounds.h"

#include <stdlib.h>
#include <string.h>

typedef struct op2i_portable_value value;

/* The bounds of an unsigned integer of 64 bits are not known. */
void op2i_portable_bounds(enum op2i_c_base base, int64_t *lo, int64_t *hi) {
  static const int64_t bounds[][2] = {[OP2I_C_BOOL] = {0, 1},
                                      [OP2I_C_I8] = {-128, 127},
                                      [OP2I_C_U8] = {0, 255},
                                      [OP2I_C_I16] = {-32768, 32767},
                                      [OP2I_C_U16] = {0, 65535},
                                      [OP2I_C_I32] = {INT32_MIN, INT32_MAX},
                                      [OP2I_C_U32] = {0, UINT32_MAX},
                                      [OP2I_C_I64] = {INT64_MIN, INT64_MAX},
                                      [OP2I_C_U64] = {INT64_MIN, INT64_MAX}};
  const bool known = op2i_portable_whole(base);
  *lo = known ? bounds[base][0] : INT64_MIN;
  *hi = known ? bounds[base][1] : INT64_MAX;
}

void op2i_portable_become(value *v, enum op2i_c_base base) {
  int64_t lo, hi;
  op2i_portable_bounds(base, &lo, &hi);
  v->type = (struct op2i_c_type){.base = base};
  if (v->lo < lo || v->hi > hi || (base == OP2I_C_U64 && v->lo < 0)) {
    v->lo = lo;
    v->hi = hi;
  }
}

void op2i_portable_unbounded(value *v) {
  v->lo = INT64_MIN;
  v->hi = INT64_MAX;
}

bool op2i_portable_within(int64_t lo, int64_t hi, enum op2i_c_base base) {
  int64_t least, most;
  op2i_portable_bounds(base, &least, &most);
  return lo >= least && hi <= most;
}

void op2i_portable_typed(value *v, struct op2i_c_type type) {
  v->type = type;
  op2i_portable_bounds(type.nlevels ? OP2I_C_VOID : type.base, &v->lo, &v->hi);
}

void op2i_portable_number(value *v, const struct op2i_piece *t) {
  char *end;
  const bool hexadecimal = t->length > 1 && (t->text[1] | 32) == 'x';
  const bool binary = t->length > 1 && (t->text[1] | 32) == 'b';
  bool real = false, single = false, is_long = false, is_unsigned = false;
  for (int k = 0; k < t->length; k++) {
    const char c = (char)(t->text[k] | 32);
    real |= t->text[k] == '.' || c == 'p' || (c == 'e' && !hexadecimal);
    single |= c == 'f' && k == t->length - 1;
    is_long |= c == 'l';
    is_unsigned |= c == 'u';
  }
  if (real) {
    op2i_portable_typed(v, (struct op2i_c_type){.base = is_long  ? OP2I_C_LONG_DOUBLE
                                                        : single ? OP2I_C_F32
                                                                 : OP2I_C_F64});
    return;
  }
  const unsigned long long n = binary ? strtoull(t->text + 2, &end, 2) : strtoull(t->text, &end, 0);
  const bool decimal = t->text[0] != '0';
  enum op2i_c_base base = is_unsigned ? OP2I_C_U32 : OP2I_C_I32;
  if (n > INT32_MAX && !decimal && !is_unsigned) base = OP2I_C_U32;
  if (n > UINT32_MAX || is_long || (n > INT32_MAX && base == OP2I_C_I32))
    base = is_unsigned || n > INT64_MAX ? OP2I_C_U64 : OP2I_C_I64;
  v->lo = n > INT64_MAX ? INT64_MIN : (int64_t)n;
  v->hi = n > INT64_MAX ? INT64_MAX : (int64_t)n;
  v->type = (struct op2i_c_type){.base = base};
}

void op2i_portable_bits(value *v, int bits, int op) {
  const bool is_unsigned = v->type.base == OP2I_C_BOOL || v->type.base == OP2I_C_U8 ||
                           v->type.base == OP2I_C_U16 || v->type.base == OP2I_C_U32 ||
                           v->type.base == OP2I_C_U64;
  v->bits = bits;
  v->op = op;
  if (bits > 32 || !op2i_portable_whole(v->type.base)) return;
  if (bits == 32) {
    op2i_portable_typed(v, (struct op2i_c_type){.base = is_unsigned ? OP2I_C_U32 : OP2I_C_I32});
    return;
  }
  v->type.base = OP2I_C_I32;
  v->lo = is_unsigned ? 0 : -((int64_t)1 << (bits - 1));
  v->hi = ((int64_t)1 << (bits - !is_unsigned)) - 1;
}

/* The bounds of a product, or false if they do not fit. */
static bool product(int64_t alo, int64_t ahi, int64_t blo, int64_t bhi, int64_t *lo, int64_t *hi) {
  int64_t all[4];
  if (__builtin_mul_overflow(alo, blo, &all[0]) || __builtin_mul_overflow(alo, bhi, &all[1]) ||
      __builtin_mul_overflow(ahi, blo, &all[2]) || __builtin_mul_overflow(ahi, bhi, &all[3]))
    return false;
  *lo = *hi = all[0];
  for (int k = 1; k < 4; k++) {
    if (all[k] < *lo) *lo = all[k];
    if (all[k] > *hi) *hi = all[k];
  }
  return true;
}

bool op2i_portable_sum_bounds(char op, const value *a, const value *b, int64_t *lo, int64_t *hi) {
  switch (op) {
  case '+':
    return !__builtin_add_overflow(a->lo, b->lo, lo) && !__builtin_add_overflow(a->hi, b->hi, hi);
  case '-':
    return !__builtin_sub_overflow(a->lo, b->hi, lo) && !__builtin_sub_overflow(a->hi, b->lo, hi);
  case '*': return product(a->lo, a->hi, b->lo, b->hi, lo, hi);
  default: /* << */
    return b->lo >= 0 && b->hi < 62 &&
           product(a->lo, a->hi, (int64_t)1 << b->lo, (int64_t)1 << b->hi, lo, hi);
  }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Bounds of other operators, if they are known. */
static void other_bounds(char op, const value *a, const value *b, value *out) {
  op2i_portable_unbounded(out);
  if (op == '&' && (a->lo >= 0 || b->lo >= 0)) {
    out->lo = 0;
    out->hi = least(a->lo >= 0 ? a->hi : INT64_MAX, b->lo >= 0 ? b->hi : INT64_MAX);
  } else if ((op == '|' || op == '^') && a->lo >= 0 && b->lo >= 0) {
    int64_t all = most(a->hi, b->hi);
    for (int k = 1; k < 64; k *= 2) all |= all >> k;
    out->lo = 0;
    out->hi = all;
  } else if (op == '%' && b->lo > 0) {
    out->lo = a->lo >= 0 ? 0 : 1 - b->hi;
    out->hi = b->hi - 1;
  } else if ((op == '/' && b->lo > 0) || op == '>') {
    out->lo = least(a->lo, 0);
    out->hi = most(a->hi, 0);
  }
}

bool op2i_portable_shifts(const struct op2i_portable_state *p, int op) {
  return op2i_portable_is(p, op, "<<") || op2i_portable_is(p, op, "<<=") ||
         op2i_portable_is(p, op, ">>");
}

void op2i_portable_compute(struct op2i_portable_state *p, value *v, int op) {
  const char *word = p->tokens[op].text;
  const bool left = word[0] == '<', sums = strchr("+-*", *word) || left;
  value a = *v->a, b = *v->b;
  if (!op2i_portable_shifts(p, op)) op2i_portable_become(&b, v->computed);
  op2i_portable_become(&a, v->computed);
  if (!sums) {
    other_bounds(*word, &a, &b, v);
  } else if (!op2i_portable_sum_bounds(*word, &a, &b, &v->lo, &v->hi) ||
             !op2i_portable_within(v->lo, v->hi, v->computed)) {
    v->overflows = op2i_portable_signed(v->computed);
    op2i_portable_unbounded(v);
  }
  op2i_portable_become(v, v->computed);
}
