/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on vectors for which compilers have no operator: by the processor's instructions, or
 * lane by lane. */
#include "lanes.h"

#include <string.h>

#include "math_text.h"

/* `condition` is one of the preprocessor, to which is added that the compiler has the instruction's
 * function; OP2_HAS is defined in math_print.c. `lanes` is zero if the text is for every length;
 * there %d is the number of lanes. The last form of an operation has no condition. */
static const struct {
  const char *name;
  int lanes;
  const char *condition, *text;
} forms[] = {
    /* 4 is the current direction of rounding, and -1 are all lanes. */
    {"fused", 2, "defined __FMA__", "return __builtin_ia32_vfmaddpd(op2_a, op2_b, op2_c);"},
    {"fused", 4, "defined __FMA__", "return __builtin_ia32_vfmaddpd256(op2_a, op2_b, op2_c);"},
    {"fused", 8, "defined __FMA__ && defined __AVX512F__",
     "return __builtin_ia32_vfmaddpd512_mask(op2_a, op2_b, op2_c, -1, 4);"},
    {"fused", 0, "OP2_FUSED && OP2_HAS(__builtin_elementwise_fma)",
     "return __builtin_elementwise_fma(op2_a, op2_b, op2_c);"},
    {"fused", 0, "OP2_FUSED",
     "op2_f64x%d op2_r;\n  for (int op2_i = 0; op2_i < %d; op2_i++)\n"
     "    op2_r[op2_i] = __builtin_fma(op2_a[op2_i], op2_b[op2_i], op2_c[op2_i]);\n"
     "  return op2_r;"},
    {"fused", 0, NULL, "return op2_a * op2_b + op2_c;"},
    {"fused_minus", 2, "defined __FMA__ && !defined __clang__",
     "return __builtin_ia32_vfnmaddpd(op2_a, op2_b, op2_c);"},
    {"fused_minus", 4, "defined __FMA__ && !defined __clang__",
     "return __builtin_ia32_vfnmaddpd256(op2_a, op2_b, op2_c);"},
    {"fused_minus", 8, "defined __FMA__ && defined __AVX512F__ && !defined __clang__",
     "return __builtin_ia32_vfnmaddpd512_mask(op2_a, op2_b, op2_c, -1, 4);"},
    {"fused_minus", 2, "defined __FMA__", "return __builtin_ia32_vfmaddpd(-op2_a, op2_b, op2_c);"},
    {"fused_minus", 4, "defined __FMA__",
     "return __builtin_ia32_vfmaddpd256(-op2_a, op2_b, op2_c);"},
    {"fused_minus", 8, "defined __FMA__ && defined __AVX512F__",
     "return __builtin_ia32_vfmaddpd512_mask(-op2_a, op2_b, op2_c, -1, 4);"},
    {"fused_minus", 0, "OP2_FUSED && OP2_HAS(__builtin_elementwise_fma)",
     "return __builtin_elementwise_fma(-op2_a, op2_b, op2_c);"},
    {"fused_minus", 0, "OP2_FUSED",
     "op2_f64x%d op2_r;\n  for (int op2_i = 0; op2_i < %d; op2_i++)\n"
     "    op2_r[op2_i] = __builtin_fma(-op2_a[op2_i], op2_b[op2_i], op2_c[op2_i]);\n"
     "  return op2_r;"},
    {"fused_minus", 0, NULL, "return op2_c - op2_a * op2_b;"},
    {"root", 2, "defined __SSE2__", "return __builtin_ia32_sqrtpd(op2_x);"},
    {"root", 4, "defined __AVX__", "return __builtin_ia32_sqrtpd256(op2_x);"},
    {"root", 8, "defined __AVX512F__ && defined __clang__",
     "return __builtin_ia32_sqrtpd512(op2_x, 4);"},
    {"root", 8, "defined __AVX512F__",
     "return __builtin_ia32_sqrtpd512_mask(op2_x, op2_x, -1, 4);"},
    {"root", 0, "OP2_HAS(__builtin_elementwise_sqrt)", "return __builtin_elementwise_sqrt(op2_x);"},
    {"root", 0, NULL,
     "op2_f64x%d op2_r;\n  for (int op2_i = 0; op2_i < %d; op2_i++)\n"
     "    op2_r[op2_i] = __builtin_sqrt(op2_x[op2_i]);\n  return op2_r;"},
    /* The first operand if it is less (greater), else the second, as the instructions have it. */
    {"lesser", 2, "defined __SSE2__", "return __builtin_ia32_minpd(op2_a, op2_b);"},
    {"lesser", 4, "defined __AVX__", "return __builtin_ia32_minpd256(op2_a, op2_b);"},
    {"lesser", 8, "defined __AVX512F__ && defined __clang__",
     "return __builtin_ia32_minpd512(op2_a, op2_b, 4);"},
    {"lesser", 8, "defined __AVX512F__",
     "return __builtin_ia32_minpd512_mask(op2_a, op2_b, op2_a, -1, 4);"},
    {"lesser", 0, NULL,
     "const op2_i64x%d op2_m = (op2_i64x%d)(op2_a < op2_b);\n"
     "  return (op2_f64x%d)((op2_m & (op2_i64x%d)op2_a) | (~op2_m & (op2_i64x%d)op2_b));"},
    {"greater", 2, "defined __SSE2__", "return __builtin_ia32_maxpd(op2_a, op2_b);"},
    {"greater", 4, "defined __AVX__", "return __builtin_ia32_maxpd256(op2_a, op2_b);"},
    {"greater", 8, "defined __AVX512F__ && defined __clang__",
     "return __builtin_ia32_maxpd512(op2_a, op2_b, 4);"},
    {"greater", 8, "defined __AVX512F__",
     "return __builtin_ia32_maxpd512_mask(op2_a, op2_b, op2_a, -1, 4);"},
    {"greater", 0, NULL,
     "const op2_i64x%d op2_m = (op2_i64x%d)(op2_a > op2_b);\n"
     "  return (op2_f64x%d)((op2_m & (op2_i64x%d)op2_a) | (~op2_m & (op2_i64x%d)op2_b));"},
    {"all", 2, "defined __SSE2__", "return __builtin_ia32_movmskpd((op2_f64x2)op2_m) == 3;"},
    {"all", 4, "defined __AVX__", "return __builtin_ia32_movmskpd256((op2_f64x4)op2_m) == 15;"},
    {"all", 8, "defined __AVX512DQ__",
     "typedef long long op2_wide __attribute__((vector_size(64)));\n"
     "  return (unsigned char)__builtin_ia32_cvtq2mask512((op2_wide)op2_m) == 255;"},
    {"all", 0, NULL,
     "int64_t op2_r = -1;\n  for (int op2_i = 0; op2_i < %d; op2_i++)\n"
     "    op2_r &= op2_m[op2_i];\n  return op2_r != 0;"}};
enum { FORMS = sizeof forms / sizeof *forms };

/* True if the form is printed, and the one that is printed last has no condition. */
static bool fits(int form, const char *name, int lanes) {
  return strcmp(forms[form].name, name) == 0 && (!forms[form].lanes || forms[form].lanes == lanes);
}

static void print_condition(int form, bool first, struct op2i_text *out) {
  const char *const named = strstr(forms[form].text, "__builtin_ia32");
  if (!forms[form].condition) {
    op2i_text_add(out, first ? "" : "#else\n");
    return;
  }
  op2i_text_add(out, "#%s %s", first ? "if" : "elif", forms[form].condition);
  if (named) op2i_text_add(out, " && OP2_HAS(%.*s)", (int)strcspn(named, "("), named);
  op2i_text_add(out, "\n");
}

static void print_form(int form, int lanes, struct op2i_text *out) {
  op2i_text_add(out, "  ");
  for (const char *at = forms[form].text; *at; at++) {
    if (at[0] == '%' && at[1] == 'd')
      op2i_text_add(out, "%d", lanes), at++;
    else
      op2i_text_bytes(out, at, 1);
  }
  op2i_text_add(out, "\n");
}

void op2i_math_lanes(const char *name, int lanes, struct op2i_text *out) {
  bool first = true, last = false;
  op2i_text_add(out, "{\n");
  for (int i = 0; i < FORMS && !last; i++) {
    if (!fits(i, name, lanes)) continue;
    print_condition(i, first, out);
    print_form(i, lanes, out);
    last = !forms[i].condition;
    if (last && !first) op2i_text_add(out, "#endif\n");
    first = false;
  }
  op2i_text_add(out, "}");
}
