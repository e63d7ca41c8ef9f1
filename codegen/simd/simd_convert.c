/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints conversions between vectors of different types. */
#include "simd_convert.h"

#include <stdio.h>

#include "simd_helper.h"
#include "simd_parse.h"
#include "simd_tree.h"

/* A conversion that one instruction does. */
struct conversion {
  enum op2i_c_base from, to; /* signed ones stand for unsigned ones where bits are the same */
  int lanes;
  const char *target;   /* the macro that is defined where the processor has the instruction */
  const char *function; /* the compiler's, after __builtin_ia32_ */
  const char *more;     /* arguments after the operand */
};

/* The values of lanes outside of a mask, and a mask of all lanes. */
#define ALL_LANES ", (op2_to){0}, -1"
static const struct conversion conversions[] = {
    {OP2I_C_I32, OP2I_C_I64, 4, "__AVX2__", "pmovsxdq256", ""},
    {OP2I_C_I32, OP2I_C_I64, 8, "__AVX512F__", "pmovsxdq512_mask", ALL_LANES},
    {OP2I_C_U32, OP2I_C_I64, 4, "__AVX2__", "pmovzxdq256", ""},
    {OP2I_C_U32, OP2I_C_I64, 8, "__AVX512F__", "pmovzxdq512_mask", ALL_LANES},
    {OP2I_C_I32, OP2I_C_F64, 4, "__AVX__", "cvtdq2pd256", ""},
    {OP2I_C_I32, OP2I_C_F64, 8, "__AVX512F__", "cvtdq2pd512_mask", ALL_LANES},
    {OP2I_C_U32, OP2I_C_F64, 4, "__AVX512VL__", "cvtudq2pd256_mask", ALL_LANES},
    {OP2I_C_U32, OP2I_C_F64, 8, "__AVX512F__", "cvtudq2pd512_mask", ALL_LANES},
    {OP2I_C_F32, OP2I_C_F64, 4, "__AVX__", "cvtps2pd256", ""},
    {OP2I_C_F32, OP2I_C_F64, 8, "__AVX512F__", "cvtps2pd512_mask", ALL_LANES ", 4"},
    {OP2I_C_I64, OP2I_C_I32, 4, "__AVX512VL__", "pmovqd256_mask", ALL_LANES},
    {OP2I_C_I64, OP2I_C_I32, 8, "__AVX512F__", "pmovqd512_mask", ALL_LANES}};
#undef ALL_LANES

/* Numbers as wide as a mask stand for it. */
static enum op2i_c_base number_of(const struct op2i_simd *l, enum op2i_c_base base) {
  if (base != OP2I_C_BOOL) return base;
  return l->bits == 64 ? OP2I_C_I64 : l->bits == 32 ? OP2I_C_I32 : OP2I_C_BOOL;
}

/* Only what is widened depends on the sign. */
static enum op2i_c_base without_sign(enum op2i_c_base base) {
  return base == OP2I_C_U64 ? OP2I_C_I64 : base;
}

static const struct conversion *find(const struct op2i_simd *l, enum op2i_c_base from,
                                     enum op2i_c_base to) {
  from = without_sign(number_of(l, from));
  to = without_sign(number_of(l, to));
  if (from == OP2I_C_I64 && to == OP2I_C_U32) to = OP2I_C_I32;
  for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
    const struct conversion *c = &conversions[i];
    if (c->from == from && c->to == to && c->lanes == l->lanes) return c;
  }
  return NULL;
}

/* ---- the helper ------------------------------------------------------------------------------ */

static void name_of(struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to,
                    struct op2i_text *out) {
  static const char *const stems[] = {
      [OP2I_C_I32] = "i32", [OP2I_C_U32] = "u32", [OP2I_C_I64] = "i64",
      [OP2I_C_U64] = "u64", [OP2I_C_F32] = "f32", [OP2I_C_F64] = "f64"};
  op2i_text_add(out, "op2_convert_%s_%sx%d", stems[from], stems[to], l->lanes);
}

static void vector_type(struct op2i_text *out, enum op2i_c_base base, int lanes, const char *name) {
  const char *c = base == OP2I_C_F64                         ? "double"
                  : base == OP2I_C_F32                       ? "float"
                  : base == OP2I_C_I64 || base == OP2I_C_U64 ? "long long"
                                                             : "int";
  op2i_text_add(out, "  typedef %s %s __attribute__((vector_size(%d)));\n", c, name,
                lanes * op2i_simd_size(base));
}

/* Where the result takes more than one register, floats are converted lane by lane: gcc 12 takes
 * single precision for integers when it splits such a vector that is compared and chosen from, and
 * stops with an internal error. */
static void one_by_one(struct op2i_simd *l, enum op2i_c_base to, struct op2i_text *out) {
  const int bytes = l->lanes * op2i_simd_size(to);
  op2i_text_add(out,
                "#elif defined __AVX512F__ ? %d > 64 : defined __AVX__ ? %d > 32 : %d > 16\n  ",
                bytes, bytes, bytes);
  op2i_simd_type_name(l, to, out);
  op2i_text_add(out,
                " op2_result;\n  for (int op2_lane = 0; op2_lane < %d; op2_lane++) "
                "op2_result[op2_lane] = op2_a[op2_lane];\n  return op2_result;\n",
                l->lanes);
}

/* Without a conversion `c` of the processor's, the compiler finds its own. */
static void define(struct op2i_simd *l, const struct conversion *c, enum op2i_c_base from,
                   enum op2i_c_base to, const char *name) {
  struct op2i_text *out = &l->prefix;
  op2i_text_add(out, "#ifndef %s\n#define %s %s\nOP2_LANES_INLINE ", name, name, name);
  op2i_simd_type_name(l, to, out);
  op2i_text_add(out, " %s(", name);
  op2i_simd_type_name(l, from, out);
  op2i_text_add(out, " op2_a) {\n");
  if (c) {
    op2i_text_add(out, "#if defined %s && __has_builtin(__builtin_ia32_%s)\n", c->target,
                  c->function);
    vector_type(out, from, l->lanes, "op2_from");
    if (*c->more) vector_type(out, to, l->lanes, "op2_to");
    op2i_text_add(out, "  return (");
    op2i_simd_type_name(l, to, out);
    op2i_text_add(out, ")__builtin_ia32_%s((op2_from)op2_a%s);\n", c->function, c->more);
  } else {
    op2i_text_add(out, "#if 0\n");
  }
  if (from == OP2I_C_F32) one_by_one(l, to, out);
  op2i_text_add(out, "#else\n  return __builtin_convertvector(op2_a, ");
  op2i_simd_type_name(l, to, out);
  op2i_text_add(out, ");\n#endif\n}\n#endif\n");
}

static bool has_helper(const struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to) {
  return (from == OP2I_C_F32 && to == OP2I_C_F64) || find(l, from, to);
}

bool op2i_simd_convert_define(struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to) {
  struct op2i_text name = {0};
  from = number_of(l, from);
  to = number_of(l, to);
  if (!has_helper(l, from, to)) return false;
  name_of(l, from, to, &name);
  if (name.failed) l->failed = true;
  if (!l->failed && op2i_simd_lacks(l, name.chars))
    define(l, find(l, from, to), from, to, name.chars);
  op2i_text_free(&name);
  return true;
}

/* ---- conversions ----------------------------------------------------------------------------- */

void op2i_simd_convert_begin(struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to,
                             struct op2i_text *out) {
  if (op2i_simd_convert_define(l, from, to))
    name_of(l, number_of(l, from), number_of(l, to), out);
  else
    op2i_text_add(out, "__builtin_convertvector");
  op2i_text_add(out, "(");
}

void op2i_simd_convert_end(struct op2i_simd *l, enum op2i_c_base from, enum op2i_c_base to,
                           struct op2i_text *out) {
  if (!has_helper(l, number_of(l, from), number_of(l, to))) {
    op2i_text_add(out, ", ");
    op2i_simd_type_name(l, to, out);
  }
  op2i_text_add(out, ")");
}
