/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and helper functions of the generated text. */
#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_convert.h"
#include "simd_helper.h"
#include "simd_math.h"
#include "simd_parse.h"
#include "simd_tree.h"

/* ---- types ----------------------------------------------------------------------------------- */

static const struct {
  const char *name, *c;
} bases[] = {[OP2I_C_I8] = {"i8", "int8_t"},    [OP2I_C_U8] = {"u8", "uint8_t"},
             [OP2I_C_I16] = {"i16", "int16_t"}, [OP2I_C_U16] = {"u16", "uint16_t"},
             [OP2I_C_I32] = {"i32", "int32_t"}, [OP2I_C_U32] = {"u32", "uint32_t"},
             [OP2I_C_I64] = {"i64", "int64_t"}, [OP2I_C_U64] = {"u64", "uint64_t"},
             [OP2I_C_F32] = {"f32", "float"},   [OP2I_C_F64] = {"f64", "double"}};

const char *op2i_simd_scalar_name(enum op2i_c_base base) {
  return base == OP2I_C_VOID ? "void" : base == OP2I_C_BOOL ? "_Bool" : bases[base].c;
}

static void vector_typedef(struct op2i_text *out, const char *c, const char *name, int bits,
                           int lanes) {
  op2i_text_add(out, "typedef %s op2_%sx%d __attribute__((vector_size(%d)));\n", c, name, lanes,
                bits / 8 * lanes);
}

void op2i_simd_prelude(int lanes, struct op2i_text *out) {
  op2i_text_add(out,
                "#ifndef OP2_LANES_%d\n"
                "#define OP2_LANES_%d\n"
                "#undef OP2_LANES_INLINE\n"
                "#define OP2_LANES_INLINE static inline __attribute__((always_inline))\n"
                /* Repeats the body of the loop that follows. */
                "#ifndef OP2_UNROLL\n"
                "#define OP2_PRAGMA(text) _Pragma(#text)\n"
                "#ifdef __clang__\n"
                "#define OP2_UNROLL(n) OP2_PRAGMA(clang loop unroll_count(n))\n"
                "#else\n"
                "#define OP2_UNROLL(n) OP2_PRAGMA(GCC unroll n)\n"
                "#endif\n"
                "#endif\n"
                /* Functions with vectors as parameters or results are not called from outside. */
                "#pragma GCC diagnostic ignored \"-Wpsabi\"\n",
                lanes, lanes);
  for (int base = OP2I_C_I8; base <= OP2I_C_F64; base++)
    vector_typedef(out, bases[base].c, bases[base].name, 8 * op2i_simd_size((enum op2i_c_base)base),
                   lanes);
  vector_typedef(out, "int32_t", "m32", 32, lanes);
  vector_typedef(out, "int64_t", "m64", 64, lanes);
  op2i_text_add(out, "#endif\n");
}

/* Append f64x8 for a number, or m64x8 for OP2I_C_BOOL. */
static void suffix(const struct op2i_simd *l, enum op2i_c_base base, struct op2i_text *out) {
  if (base == OP2I_C_BOOL || base == OP2I_C_VOID)
    op2i_text_add(out, "m%dx%d", l->bits, l->lanes);
  else
    op2i_text_add(out, "%sx%d", bases[base].name, l->lanes);
}

void op2i_simd_type_name(struct op2i_simd *l, enum op2i_c_base base, struct op2i_text *out) {
  int bytes = base == OP2I_C_BOOL ? l->bits / 8 : op2i_simd_size(base);
  if (l->request->widest && l->lanes * bytes > l->request->widest)
    op2i_simd_refuse(l, "needs vectors of %d bytes, and there are none longer than %d",
                     l->lanes * bytes, l->request->widest);
  op2i_text_add(out, "op2_");
  suffix(l, base, out);
}

/* ---- helper functions ------------------------------------------------------------------------ */

/* The names of the types that a helper works on. */
struct words {
  struct op2i_text name, mask, type, bits; /* bits: integers as wide as the type */
  const char *c;
};

static void free_words(struct words *w) {
  op2i_text_free(&w->name);
  op2i_text_free(&w->mask);
  op2i_text_free(&w->type);
  op2i_text_free(&w->bits);
}

static void make_words(struct op2i_simd *l, enum op2i_c_base base, struct words *w) {
  bool mask = base == OP2I_C_BOOL;
  op2i_simd_type_name(l, OP2I_C_BOOL, &w->mask);
  op2i_simd_type_name(l, base, &w->type);
  op2i_text_add(&w->bits, "op2_i%dx%d", mask ? l->bits : 8 * op2i_simd_size(base), l->lanes);
  w->c = mask ? "_Bool" : bases[base].c;
  if (w->name.failed || w->mask.failed || w->type.failed || w->bits.failed) l->failed = true;
}

bool op2i_simd_lacks(struct op2i_simd *l, const char *name) {
  for (const struct op2i_simd_name *h = l->helpers; h; h = h->next)
    if (strcmp(h->name, name) == 0) return false;
  struct op2i_simd_name *added = op2i_simd_take(l, sizeof *added);
  if (!added) return false;
  added->name = op2i_simd_string(l, name, strlen(name));
  added->next = l->helpers;
  l->helpers = added;
  return true;
}

static enum op2i_c_base integer_of(enum op2i_c_base base) {
  static const enum op2i_c_base integers[] = {
      [1] = OP2I_C_I8, [2] = OP2I_C_I16, [4] = OP2I_C_I32, [8] = OP2I_C_I64};
  return base == OP2I_C_BOOL ? base : integers[op2i_simd_size(base)];
}

/* Emit a mask of the kernel's width converted to the width of the type. */
static void widened(struct op2i_simd *l, enum op2i_c_base base, const struct words *w,
                    struct op2i_text *out) {
  op2i_text_add(out, "  const %s op2_wide = ", w->bits.chars);
  if (base == OP2I_C_BOOL || 8 * op2i_simd_size(base) == l->bits) {
    op2i_text_add(out, "(%s)op2_mask;\n", w->bits.chars);
    return;
  }
  op2i_simd_convert_begin(l, OP2I_C_BOOL, integer_of(base), out);
  op2i_text_add(out, "op2_mask");
  op2i_simd_convert_end(l, OP2I_C_BOOL, integer_of(base), out);
  op2i_text_add(out, ";\n");
}

static void each_lane(const struct op2i_simd *l, struct op2i_text *out) {
  op2i_text_add(out, "  for (int op2_lane = 0; op2_lane < %d; op2_lane++) ", l->lanes);
}

static void splat(const struct op2i_simd *l, enum op2i_c_base base, const struct words *w,
                  struct op2i_text *out) {
  bool mask = base == OP2I_C_BOOL;
  op2i_text_add(out, "OP2_LANES_INLINE %s %s(%s op2_a) {\n", w->type.chars, w->name.chars, w->c);
  if (mask) op2i_text_add(out, "  const int%d_t op2_b = -(int%d_t)op2_a;\n", l->bits, l->bits);
  op2i_text_add(out, "  return (%s){", w->type.chars);
  for (int i = 0; i < l->lanes; i++)
    op2i_text_add(out, "%s%s", i ? ", " : "", mask ? "op2_b" : "op2_a");
  op2i_text_add(out, "};\n}\n");
}

/* One instruction chooses by a mask register. Compilers find it only where the mask has just come
 * from a comparison; one that a loop keeps they expand into two operations on bits. */
static void blend_at_once(const struct op2i_simd *l, const struct words *w, struct op2i_text *out) {
  const int bytes = l->lanes * l->bits / 8;
  const bool wide = l->bits == 64;
  char name[64];
  snprintf(name, sizeof name, "__builtin_ia32_blendmp%c_%d_mask", wide ? 'd' : 's', 8 * bytes);
  op2i_text_add(out,
                "#if defined %s && __has_builtin(%s)\n"
                "  typedef %s op2_whole __attribute__((vector_size(%d)));\n"
                "  typedef %s op2_reals __attribute__((vector_size(%d)));\n"
                "  return (%s)%s((op2_reals)op2_b, (op2_reals)op2_a,\n"
                "      __builtin_ia32_cmp%c%d_mask((op2_whole)op2_wide, (op2_whole){0}, 4, -1));\n"
                "#else\n",
                bytes == 64 ? "__AVX512F__" : "__AVX512VL__", name, wide ? "long long" : "int",
                bytes, wide ? "double" : "float", bytes, w->type.chars, name, wide ? 'q' : 'd',
                8 * bytes);
}

static void select_lanes(struct op2i_simd *l, enum op2i_c_base base, const struct words *w,
                         bool blend, struct op2i_text *out) {
  const int bytes = l->lanes * l->bits / 8;
  const bool at_once = blend && l->bits >= 32 && 8 * op2i_simd_size(base) == l->bits &&
                       (bytes == 16 || bytes == 32 || bytes == 64);
  op2i_text_add(out, "OP2_LANES_INLINE %s %s(%s op2_mask, %s op2_a, %s op2_b) {\n", w->type.chars,
                w->name.chars, w->mask.chars, w->type.chars, w->type.chars);
  widened(l, base, w, out);
  if (at_once) blend_at_once(l, w, out);
  op2i_text_add(out, "  return (%s)((op2_wide & (%s)op2_a) | (~op2_wide & (%s)op2_b));\n%s}\n",
                w->type.chars, w->bits.chars, w->bits.chars, at_once ? "#endif\n" : "");
}

/* Processors that compare or test a whole vector by one instruction do so; compilers do not find it
 * in the loop over lanes. */
static void any_at_once(const struct op2i_simd *l, struct op2i_text *out) {
  const int bytes = l->lanes * l->bits / 8;
  const char type = l->bits == 64 ? 'q' : 'd';
  if (bytes == 64 && l->bits >= 32)
    op2i_text_add(out,
                  "#if defined __AVX512F__ && __has_builtin(__builtin_ia32_cmp%c512_mask)\n"
                  "  typedef %s op2_whole __attribute__((vector_size(64)));\n"
                  "  return __builtin_ia32_cmp%c512_mask((op2_whole)op2_mask, (op2_whole){0}, 4, "
                  "-1) != 0;\n#else\n",
                  type, type == 'q' ? "long long" : "int", type);
  else
    op2i_text_add(out,
                  "#if defined %s && __has_builtin(__builtin_ia32_ptestz%d)\n"
                  "  typedef long long op2_whole __attribute__((vector_size(%d)));\n"
                  "  return !__builtin_ia32_ptestz%d((op2_whole)op2_mask, (op2_whole)op2_mask);\n"
                  "#else\n",
                  bytes == 32 ? "__AVX__" : "__SSE4_1__", 8 * bytes, bytes, 8 * bytes);
}

static void any_lane(const struct op2i_simd *l, const struct words *w, struct op2i_text *out) {
  const int bytes = l->lanes * l->bits / 8;
  const bool at_once = bytes == 16 || bytes == 32 || (bytes == 64 && l->bits >= 32);
  op2i_text_add(out, "OP2_LANES_INLINE int %s(%s op2_mask) {\n", w->name.chars, w->mask.chars);
  if (at_once) any_at_once(l, out);
  op2i_text_add(out, "  int%d_t op2_result = 0;\n", l->bits);
  each_lane(l, out);
  op2i_text_add(out, "op2_result |= op2_mask[op2_lane];\n  return op2_result != 0;\n%s}\n",
                at_once ? "#endif\n" : "");
}

static void weigh(struct op2i_simd *l, enum op2i_c_base base, const struct words *w,
                  struct op2i_text *out) {
  op2i_text_add(out, "OP2_LANES_INLINE %s %s(%s op2_mask) {\n", w->type.chars, w->name.chars,
                w->mask.chars);
  widened(l, base, w, out);
  op2i_text_add(out, "  const %s op2_a = 1 - (%s){0};\n  return (%s)(op2_wide & (%s)op2_a);\n}\n",
                w->type.chars, w->type.chars, w->type.chars, w->bits.chars);
}

static void divisor(struct op2i_simd *l, enum op2i_c_base base, const struct words *w,
                    struct op2i_text *out) {
  op2i_text_add(out, "OP2_LANES_INLINE %s %s(%s op2_mask, %s op2_a) {\n", w->type.chars,
                w->name.chars, w->mask.chars, w->type.chars);
  widened(l, base, w, out);
  op2i_text_add(out, "  return (%s)((op2_wide & (%s)op2_a) | (~op2_wide & 1));\n}\n", w->type.chars,
                w->bits.chars);
}

/* Read where the subscripts say. Compilers read lane after lane unless they are given the
 * instruction, which only vectors of 32 and 64 bytes have. */
static void gather(const struct op2i_simd *l, const struct words *w, struct op2i_text *out) {
  const bool longest = l->lanes == 8;
  op2i_text_add(out, "OP2_LANES_INLINE %s %s(const %s *op2_a, %s op2_index) {\n", w->type.chars,
                w->name.chars, w->c, w->bits.chars);
  op2i_text_add(out,
                "#if defined %s && __has_builtin(__builtin_ia32_gatherdiv%ddf)\n"
                "  typedef long long op2_whole __attribute__((vector_size(%d)));\n"
                "  return __builtin_ia32_gatherdiv%ddf((%s){0}, op2_a, (op2_whole)op2_index, "
                "%s, 8);\n#else\n  %s op2_result = {0};\n",
                longest ? "__AVX512F__" : "__AVX2__", l->lanes, 8 * l->lanes, l->lanes,
                w->type.chars, longest ? "-1" : "(op2_f64x4)~(op2_i64x4){0}", w->type.chars);
  each_lane(l, out);
  op2i_text_add(out, "op2_result[op2_lane] = op2_a[op2_index[op2_lane]];\n"
                     "  return op2_result;\n#endif\n}\n");
}

static void begin_guard(struct op2i_text *out, const char *name) {
  op2i_text_add(out, "#ifndef %s\n#define %s %s\n", name, name, name);
}

void op2i_simd_help(struct op2i_simd *l, enum op2i_simd_help help, enum op2i_c_base base,
                    struct op2i_text *out) {
  static const char *const names[] = {
      [OP2I_SIMD_SPLAT] = "splat",  [OP2I_SIMD_SELECT] = "select", [OP2I_SIMD_BLEND] = "blend",
      [OP2I_SIMD_ANY] = "any",      [OP2I_SIMD_WEIGH] = "weigh",   [OP2I_SIMD_DIVISOR] = "divisor",
      [OP2I_SIMD_GATHER] = "gather"};
  bool masked = help == OP2I_SIMD_SELECT || help == OP2I_SIMD_BLEND || help == OP2I_SIMD_WEIGH ||
                help == OP2I_SIMD_DIVISOR;
  struct words w = {0};
  make_words(l, base, &w);
  op2i_text_add(&w.name, "op2_%s", names[help]);
  if (masked) op2i_text_add(&w.name, "%d", l->bits);
  op2i_text_add(&w.name, "_");
  suffix(l, base, &w.name);
  if (w.name.failed) l->failed = true;
  if (!l->failed) op2i_text_add(out, "%s", w.name.chars);
  if (!l->failed && op2i_simd_lacks(l, w.name.chars)) {
    if (masked && base != OP2I_C_BOOL) op2i_simd_convert_define(l, OP2I_C_BOOL, integer_of(base));
    begin_guard(&l->prefix, w.name.chars);
    switch (help) {
    case OP2I_SIMD_SPLAT: splat(l, base, &w, &l->prefix); break;
    case OP2I_SIMD_SELECT: select_lanes(l, base, &w, false, &l->prefix); break;
    case OP2I_SIMD_BLEND: select_lanes(l, base, &w, true, &l->prefix); break;
    case OP2I_SIMD_ANY: any_lane(l, &w, &l->prefix); break;
    case OP2I_SIMD_WEIGH: weigh(l, base, &w, &l->prefix); break;
    case OP2I_SIMD_DIVISOR: divisor(l, base, &w, &l->prefix); break;
    case OP2I_SIMD_GATHER: gather(l, &w, &l->prefix); break;
    }
    op2i_text_add(&l->prefix, "#endif\n");
  }
  free_words(&w);
}

/* ---- functions of the library ---------------------------------------------------------------- */

static void math_head(struct op2i_simd *l, const struct op2i_simd_math *math, bool single,
                      const struct words *w, struct op2i_text *out) {
  struct op2i_text result = {0};
  op2i_simd_type_name(
      l, math->how == OP2I_SIMD_TEST ? OP2I_C_BOOL : op2i_simd_math_type(math, single, 0), &result);
  op2i_text_add(out, "OP2_LANES_INLINE %s %s(", result.chars ? result.chars : "", w->name.chars);
  for (int n = 1; n <= op2i_simd_math_arity(math); n++) {
    op2i_text_add(out, n > 1 ? ", " : "");
    op2i_simd_type_name(l, op2i_simd_math_type(math, single, n), out);
    op2i_text_add(out, " op2_%c", 'a' + n - 1);
  }
  op2i_text_add(out, ") {\n");
  if (result.failed) l->failed = true;
  op2i_text_free(&result);
}

static void math_loop(struct op2i_simd *l, const struct op2i_simd_math *math, bool single,
                      struct op2i_text *out) {
  op2i_text_add(out, "  ");
  op2i_simd_type_name(l, op2i_simd_math_type(math, single, 0), out);
  op2i_text_add(out, " op2_result;\n");
  each_lane(l, out);
  op2i_text_add(out, "op2_result[op2_lane] = %s%s%s(", math->types[1] == 'd' ? "" : "__builtin_",
                math->name, single ? "f" : "");
  for (int n = 1; n <= op2i_simd_math_arity(math); n++)
    op2i_text_add(out, "%sop2_%c[op2_lane]", n > 1 ? ", " : "", 'a' + n - 1);
  op2i_text_add(out, ");\n  return op2_result;\n");
}

/* Emit functions that one instruction computes, as bit operations or comparisons. Returns true if
 * it is one of these. */
static bool math_bits(struct op2i_simd *l, const struct op2i_simd_math *math, const struct words *w,
                      struct op2i_text *out) {
  const char *type = w->type.chars, *bits = w->bits.chars;
  const char *high = strstr(bits, "i64") ? "INT64_MIN" : "INT32_MIN";
  if (strcmp(math->name, "fabs") == 0)
    op2i_text_add(out, "  return (%s)((%s)op2_a & ~((%s){0} | %s));\n", type, bits, bits, high);
  else if (strcmp(math->name, "copysign") == 0)
    op2i_text_add(out,
                  "  const %s op2_sign = (%s){0} | %s;\n"
                  "  return (%s)(((%s)op2_a & ~op2_sign) | ((%s)op2_b & op2_sign));\n",
                  bits, bits, high, type, bits, bits);
  else if (math->how == OP2I_SIMD_TEST) {
    bool wide = l->bits == 64;
    op2i_text_add(out, "  const %s op2_tested = %s;\n  return %s(", type,
                  strcmp(math->name, "isnan") == 0 ? "op2_a" : "op2_a - op2_a",
                  wide ? "" : "__builtin_convertvector");
    op2i_text_add(out, strcmp(math->name, "isfinite") == 0 ? "op2_tested == op2_tested"
                       : strcmp(math->name, "isnan") == 0
                           ? "op2_tested != op2_tested"
                           : "(op2_tested != op2_tested) & (op2_a == op2_a)");
    op2i_text_add(out, wide ? ");\n" : ", %s);\n", w->mask.chars);
  } else
    return false;
  return true;
}

/* The first operand where it is less (greater) or the other one is NaN, else the second, as in
 * scalar code (cgen.c). Compilers have one instruction for op2_chosen. */
static void math_extreme(const struct op2i_simd_math *math, const struct words *w,
                         struct op2i_text *out) {
  const char *type = w->type.chars, *bits = w->bits.chars;
  op2i_text_add(out,
                "  const %s op2_first = (%s)(op2_a %c op2_b), op2_known = (%s)(op2_b == op2_b);\n"
                "  const %s op2_chosen = (op2_first & (%s)op2_a) | (~op2_first & (%s)op2_b);\n"
                "  return (%s)((op2_known & op2_chosen) | (~op2_known & (%s)op2_a));\n",
                bits, bits, math->name[2] == 'i' ? '<' : '>', bits, bits, bits, bits, type, bits);
}

bool op2i_simd_own_math(const struct op2i_simd *l, const struct op2i_simd_math *math) {
  return math->how == OP2I_SIMD_FUSED || (l->request->own_math && op2i_math_known(math->name));
}

/* Functions of float compute in double, with vectors that are no longer than the machine's. */
static void print_own_math(struct op2i_simd *l, const struct op2i_simd_math *math, bool single) {
  const int widest = l->request->widest ? l->request->widest : 64;
  const bool halves = 8 * l->lanes > widest;
  if (single && halves) op2i_simd_prelude(l->lanes / 2, &l->prefix);
  if (single)
    op2i_math_print_single(math->name, l->lanes, halves, &l->math, &l->prefix);
  else
    op2i_math_print(math->name, l->lanes, &l->math, &l->prefix);
}

void op2i_simd_help_math(struct op2i_simd *l, const struct op2i_simd_math *math, bool single,
                         struct op2i_text *out) {
  struct words w = {0};
  make_words(l, op2i_simd_math_type(math, single, 1), &w);
  op2i_text_add(&w.name, "op2_%s", math->name);
  if (math->how == OP2I_SIMD_TEST) op2i_text_add(&w.name, "%d", l->bits);
  op2i_text_add(&w.name, "_");
  suffix(l, op2i_simd_math_type(math, single, 1), &w.name);
  if (w.name.failed) l->failed = true;
  if (!l->failed) op2i_text_add(out, "%s", w.name.chars);
  if (op2i_simd_own_math(l, math)) {
    if (!l->failed && op2i_simd_lacks(l, w.name.chars)) print_own_math(l, math, single);
  } else if (!l->failed && op2i_simd_lacks(l, w.name.chars)) {
    begin_guard(&l->prefix, w.name.chars);
    math_head(l, math, single, &w, &l->prefix);
    if (strcmp(math->name, "fmin") == 0 || strcmp(math->name, "fmax") == 0)
      math_extreme(math, &w, &l->prefix);
    else if (!math_bits(l, math, &w, &l->prefix))
      math_loop(l, math, single, &l->prefix);
    op2i_text_add(&l->prefix, "}\n#endif\n");
  }
  free_words(&w);
}

void op2i_simd_help_scalar_math(struct op2i_simd *l, const struct op2i_simd_math *math, bool single,
                                struct op2i_text *out) {
  char name[64];
  snprintf(name, sizeof name, "op2_%s_%s", math->name, single ? "f32" : "f64");
  op2i_text_add(out, "%s", name);
  if (!op2i_simd_lacks(l, name)) return;
  if (single)
    op2i_math_print_single(math->name, 1, false, &l->math, &l->prefix);
  else
    op2i_math_print(math->name, 1, &l->math, &l->prefix);
}
