/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code in special cases, compiled by every compiler and run: constants, element numbers,
 * ways to write types, dats that occur twice, compiler messages, and ranges split at any
 * position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cgen.h"
#include "compile_case.h"
#include "loop_case.h"
#include "tap.h"
#include "text.h"

static const char *compiler; /* compiler of the current repetition */
static const char flags[] = "-O3 -march=native -Wall -Wextra -Wno-unused-function -Wno-comment "
                            "-Werror=incompatible-pointer-types";

enum company {
  ALONE,
  NAMED,
  MERGED
}; /* no OP2_ID; with OP2_ID; after another loop of the same kernel */

static void add_loop(struct op2i_text *unit, const struct loop_case *c, const char *id,
                     enum op2i_variant variant) {
  bool mergeable;
  if (id) op2i_text_add(unit, "#define OP2_ID %s\n", id);
  CHECK(op2i_generate(&c->loop, variant, unit, &mergeable));
  if (id) op2i_text_add(unit, "#undef OP2_ID\n");
}

static bool compile_loop(const struct loop_case *c, enum company company, struct compiled *code) {
  struct op2i_text unit = {0};
  if (company == MERGED) add_loop(&unit, c, "first", OP2I_CHECKED);
  add_loop(&unit, c, company == ALONE ? NULL : "k", OP2I_PLAIN);
  bool good = case_compile(compiler, flags, unit.chars, code);
  op2i_text_free(&unit);
  return good;
}

/* The entry of a loop that must compile without messages; null if it does not. */
static op2i_plain_fn entry_of(const struct loop_case *c, enum company company,
                              struct compiled *code) {
  static const char *const names[] = {"alone", "with a name of its own", "behind another"};
  bool good = compile_loop(c, company, code);
  ok(good && !*code->messages, "%s compiles %s, %s", compiler, c->kernel.obj.name, names[company]);
  if (*code->messages) diag("%.2000s", code->messages);
  return good ? (op2i_plain_fn)case_symbol(code, company == ALONE ? "op2_entry" : "op2_entry_k")
              : NULL;
}

/* ---- constants ------------------------------------------------------------------------------- */

static const char constants_source[] =
    "static double twice(double a);\n"
    "static int untouched(int c_i8) { return c_i8 + 1; }\n"
    "static double deep(int n) { return n ? deep(n - 1) : c_f64[2]; }\n"
    "void consts(double *x) {\n"
    "  x[0] = c_f64[0] + 10 * c_f64[1];\n"
    "  x[1] = c_f32;\n  x[2] = c_i8;\n  x[3] = c_i64;\n  x[4] = c_u64[1];\n"
    "  x[5] = twice(3);\n  x[6] = untouched(4);\n  x[7] = deep(3);\n"
    "  { double c_f32 = 7; x[8] = c_f32; }\n  x[9] = c_f32 + c_u8 + c_i16;\n"
    "  for (int c_i8 = 0; c_i8 < 3; c_i8++) x[10] = c_i8;\n"
    "  x[11] = sizeof c_f64 / sizeof *c_f64 + c_u16 + c_u32 + c_i32;\n"
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
  memcpy(payload + case_const(c, "c_u8", 1, OP2_U8), &u8, sizeof u8);
  memcpy(payload + case_const(c, "c_u16", 1, OP2_U16), &u16, sizeof u16);
  memcpy(payload + case_const(c, "c_u32", 1, OP2_U32), &u32, sizeof u32);
  memcpy(payload + case_const(c, "c_u64", 2, OP2_U64), u64, sizeof u64);
}

static void test_constants(void) {
  static const double want[12] = {
      21.5, 0.75,   -5, 1125899906842624.0, 4503599627370496.0, 4.5, 5, 4.25,
      7,    -99.25, 2,  4073801827.0};
  _Alignas(16) unsigned char payload[512];
  struct loop_case c;
  CHECK(case_begin(&c, "consts", constants_source));
  case_dat(&c, 0, 12, OP2_F64, 0, -1, OP2_WRITE);
  put_constants(&c, payload);
  for (int company = ALONE; company <= MERGED; company++) {
    double x[2][12] = {{0}};
    void *dats[1] = {x};
    struct compiled code;
    op2i_plain_fn entry = entry_of(&c, (enum company)company, &code);
    if (entry) entry(&(struct op2i_call){.dat = dats, .payload = payload}, 0, 2, NULL);
    for (int i = 0; entry && i < 12; i++)
      ok(x[0][i] == want[i] && x[1][i] == want[i], "%s: constants, value %d: got %g, expected %g",
         compiler, i, x[1][i], want[i]);
    case_unload(&code);
  }
  case_end(&c);
}

/* ---- element numbers ------------------------------------------------------------------------- */

static void test_numbers(void) {
  static const char source[] =
      "void number(int a, int32_t b, int64_t c, const int *d, const int64_t *e, long long f,\n"
      "            const long *g, double *out) {\n"
      "  out[0] = a + 1e1 * b + 1e2 * c + 1e3 * *d + 1e4 * *e + 1e5 * f + 1e6 * *g;\n}\n";
  struct loop_case c;
  struct compiled code;
  CHECK(case_begin(&c, "number", source));
  for (int i = 0; i < 7; i++) case_idx(&c);
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_WRITE);
  for (int over_subset = 0; over_subset < 2; over_subset++) {
    double out[8] = {0};
    int64_t subset[3] = {1, 4, 6};
    void *dats[1] = {out};
    if (over_subset) case_over_subset(&c);
    op2i_plain_fn entry = entry_of(&c, MERGED, &code);
    if (entry)
      entry(&(struct op2i_call){.dat = dats, .subset = over_subset ? subset : NULL}, 1, 3, NULL);
    for (int i = 0; entry && i < 8; i++) {
      bool there = over_subset ? i == 4 || i == 6 : i == 1 || i == 2;
      ok(out[i] == (there ? i * 1111111.0 : 0), "%s: number of element %d%s", compiler, i,
         over_subset ? " of a subset" : "");
    }
    case_unload(&code);
  }
  case_end(&c);
}

/* ---- spellings of types ---------------------------------------------------------------------- */

static const char spellings_source[] =
    "typedef double real;\ntypedef double pair[2];\n#define IN const real *restrict\n"
    "void spell(long long *a, unsigned long long *b, const long *c, signed char *d, real *e, pair "
    "f, double (*rows)[2],\n"
    "           const double (*fixed)[2], IN scale, double *const *all) {\n"
    "  *a += *c;\n  *b = *b * 2;\n  *d += 1;\n  if (*e > 3) *e = 3;\n  f[0] = 5;\n  f[1] = "
    "*scale;\n"
    "  rows[1][0] = rows[0][1] + fixed[1][1];\n  *all[1] = *all[0] + 1;\n}\n";

static void spellings_case(struct loop_case *c) {
  CHECK(case_begin(c, "spell", spellings_source));
  case_map(c, 0, 2);
  case_dat(c, 0, 1, OP2_I64, 0, -1, OP2_INC);
  case_dat(c, 1, 1, OP2_U64, 0, -1, OP2_RW);
  case_dat(c, 2, 1, OP2_I64, 0, -1, OP2_READ);
  case_dat(c, 3, 1, OP2_I8, 0, -1, OP2_INC);
  case_dat(c, 4, 1, OP2_F64, 0, -1, OP2_MIN);
  case_dat(c, 5, 2, OP2_F64, 0, -1, OP2_WRITE);
  case_dat(c, 6, 2, OP2_F64, OP2_ITER(0), 0, OP2_RW);
  case_dat(c, 6, 2, OP2_F64, OP2_ITER(0), 0, OP2_READ);
  case_val(c, 1, OP2_F64);
  case_dat(c, 7, 1, OP2_F64, OP2_ALL, 0, OP2_RW);
}

static void test_spellings(void) {
  struct loop_case c;
  struct compiled code;
  int64_t a = 100, k = 7;
  uint64_t b = (uint64_t)1 << 40;
  int8_t d = 5;
  double e = 9, f[2] = {0, 0}, rows[3][2] = {{1, 2}, {3, 4}, {5, 6}}, all[3] = {10, 20, 30};
  const int32_t map[2] = {2, 0};
  _Alignas(16) double scale[2] = {0.5, 0};
  void *dats[8] = {&a, &b, &k, &d, &e, f, rows, all};
  const int32_t *maps[1] = {map};
  spellings_case(&c);
  op2i_plain_fn entry = entry_of(&c, NAMED, &code);
  const struct op2i_call call = {.dat = dats, .map = maps, .payload = (const unsigned char *)scale};
  if (entry) entry(&call, 0, 1, NULL);
  is_int(a, 107, "%s: long long, increments", compiler);
  is_int(b, (int64_t)1 << 41, "%s: unsigned long long, in place", compiler);
  is_int(d, 6, "%s: signed char", compiler);
  ok(e == 3 && f[0] == 5 && f[1] == 0.5,
     "%s: a type of the source's; one that hides an array; a macro", compiler);
  ok(rows[0][0] == 6 + 2 && rows[0][1] == 2 && rows[2][1] == 6, "%s: rows", compiler);
  ok(all[0] == 31 && all[1] == 20 && all[2] == 30, "%s: constant pointers to all slots", compiler);
  case_unload(&code);
  case_end(&c);
}

/* More values than have their own lines of text, through maps of one entry. */
static void test_one_slot(void) {
  enum { WIDE = 40 };
  struct loop_case c;
  struct compiled code;
  double all[2 * WIDE], rows[2 * WIDE];
  const int32_t map[2] = {1, 0};
  void *dats[2] = {all, rows};
  const int32_t *maps[1] = {map};
  bool good = true;
  for (int i = 0; i < 2 * WIDE; i++) all[i] = rows[i] = i;
  CHECK(case_begin(&c, "wide",
                   "void wide(double *all[1], double (*rows)[40]) {\n"
                   "  for (int i = 0; i < 40; i++) { all[0][i] += i; rows[0][i] *= 2; }\n}\n"));
  case_map(&c, 0, 1);
  case_dat(&c, 0, WIDE, OP2_F64, OP2_ALL, 0, OP2_INC);
  case_dat(&c, 1, WIDE, OP2_F64, OP2_ITER(0), 0, OP2_RW);
  op2i_plain_fn entry = entry_of(&c, NAMED, &code);
  const struct op2i_call call = {.dat = dats, .map = maps};
  if (entry) entry(&call, 0, 1, NULL);
  for (int i = 0; i < 2 * WIDE; i++)
    good = good && all[i] == i + (i < WIDE ? 0 : i - WIDE) && rows[i] == (i < WIDE ? i : 2 * i);
  ok(good, "%s: wide rows behind a map of one entry", compiler);
  case_unload(&code);
  case_end(&c);
}

/* ---- dats that appear twice ------------------------------------------------------------------ */

enum { EDGES = 200, NODES = 23 };

static void make_map(int32_t *map) {
  for (int i = 0; i < EDGES; i++) {
    map[2 * i] = (i * 7 + i / 5) % NODES;
    map[2 * i + 1] = i % 6 == 0 ? map[2 * i] : (i * 3 + 1) % NODES;
  }
}

static void test_same_dat_in_place(void) {
  struct loop_case c;
  struct compiled code;
  int32_t map[2 * EDGES];
  double got[NODES], want[NODES];
  void *dats[1] = {got};
  const int32_t *maps[1] = {map};
  make_map(map);
  for (int i = 0; i < NODES; i++) got[i] = want[i] = i;
  for (int i = 0; i < EDGES; i++) {
    double *a = &want[map[2 * i]], *b = &want[map[2 * i + 1]], t = *a;
    *a = *b + 1;
    *b = 0.5 * (t + *a);
  }
  CHECK(case_begin(
      &c, "mix",
      "void mix(double *a, double *b) { double t = *a; *a = *b + 1; *b = 0.5 * (t + *a); }"));
  case_map(&c, 0, 2);
  for (int i = 0; i < 2; i++) case_dat(&c, 0, 1, OP2_F64, i, 0, OP2_RW);
  op2i_plain_fn entry = entry_of(&c, MERGED, &code);
  if (entry) entry(&(struct op2i_call){.dat = dats, .map = maps}, 0, EDGES, NULL);
  ok(memcmp(got, want, sizeof want) == 0, "%s: a dat through two slots that may meet, in place",
     compiler);
  case_unload(&code);
  case_end(&c);
}

/* The dat is read through one type and incremented through another one of the same size and
 * values. */
static void test_same_dat_two_types(void) {
  struct loop_case c;
  struct compiled code;
  int32_t map[2 * EDGES];
  int64_t got[EDGES], want[EDGES];
  void *dats[1] = {got};
  const int32_t *maps[1] = {map};
  make_map(map);
  for (int i = 0; i < EDGES; i++) got[i] = want[i] = i;
  for (int i = 0; i < EDGES; i++) want[map[2 * i + 1]] += want[i] % 1000;
  CHECK(case_begin(&c, "pass", "void pass(const long *a, long long *b) { *b += *a % 1000; }"));
  case_map(&c, 0, 2);
  case_dat(&c, 0, 1, OP2_I64, 0, -1, OP2_READ);
  case_dat(&c, 0, 1, OP2_I64, 1, 0, OP2_INC);
  op2i_plain_fn entry = entry_of(&c, MERGED, &code);
  if (entry) entry(&(struct op2i_call){.dat = dats, .map = maps}, 0, EDGES, NULL);
  ok(memcmp(got, want, sizeof want) == 0, "%s: a dat read as long and incremented as long long",
     compiler);
  case_unload(&code);
  case_end(&c);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void value_of(const char *name, const char *source, enum company company, double want,
                     const char *what) {
  struct loop_case c;
  struct compiled code;
  double x = 3;
  void *dats[1] = {&x};
  CHECK(case_begin(&c, name, source));
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_RW);
  op2i_plain_fn entry = entry_of(&c, company, &code);
  if (entry) entry(&(struct op2i_call){.dat = dats}, 0, 1, NULL);
  ok(x == want, "%s: %s: got %g", compiler, what, x);
  case_unload(&code);
  case_end(&c);
}

static void test_names(void) {
  value_of("y1",
           "static double gamma(double a) { return 2 * a; } void y1(double *x) { *x = gamma(*x); }",
           MERGED, 6, "functions with names of <math.h>");
  value_of("k",
           "#define SQUARE(a) square(a)\nstatic double square(double a) { return a * a; }\n"
           "void k(double *x) { *x = SQUARE(*x); }",
           NAMED, 9, "a macro that calls a helper");
  value_of("k",
           "#define i -\n#define e /\n#define lo (\n#define restrict\n#define d0 }\nvoid k(double "
           "*x) { *x = 1; }",
           NAMED, 1, "macros of short names");
  value_of("k", "extern void k(double *x); extern inline void k(double *x) { *x = 4; }", MERGED, 4,
           "extern inline");
  value_of("k",
           "void k(double *x) { *x = fabs(-*x) + DBL_EPSILON * 0 + (double)(size_t)1 + (int32_t)2; "
           "} // \\",
           MERGED, 6, "the headers that are always there; a spliced comment at the end");
}

/* ---- messages -------------------------------------------------------------------------------- */

static void says(const char *headers, const char *source, const char *file, const char *want) {
  struct loop_case c;
  struct compiled code;
  CHECK(case_begin(&c, "bad", source));
  c.kernel.headers = (char *)headers;
  c.kernel.file = (char *)file;
  c.kernel.line = file ? 100 : 0;
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_RW);
  bool good = compile_loop(&c, NAMED, &code);
  ok(!good && strstr(code.messages, want), "%s says '%s'", compiler, want);
  if (!good && !strstr(code.messages, want)) diag("%.1000s", code.messages);
  case_unload(&code);
  case_end(&c);
}

static void test_messages(void) {
  says("", "void bad(double *x) {\n  *x = 1;\n  *x = nothing;\n}\n", "flow/user.c",
       "flow/user.c:102:");
  says("", "void bad(double *x) {\n  *x = 1;\n  *x = nothing;\n}\n", NULL, "kernel:bad:3:");
  says("", "/* \n */ void bad(double *x) { *x = helper(\n1, nothing); }", "a \"b\".c",
       "a \"b\".c:102:");
  says("typedef float unknown;\n", "void bad(unknown *x) { *x = 1; }", NULL, "op2:bad:");
  struct loop_case c;
  struct compiled code;
  CHECK(case_begin(&c, "good", "void good(unknown *x) { *x = 1; }"));
  c.kernel.headers = (char *)"typedef double unknown;\n";
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_RW);
  ok(entry_of(&c, NAMED, &code) != NULL, "%s: a type from a header that turns out right", compiler);
  case_unload(&code);
  case_end(&c);
}

/* ---- loops that run in parts ----------------------------------------------------------------- */

enum { CELLS = 300, POINTS = 70 };

/* The airfoil loop that reads through a map: vectorised if the compiler can, and with the same
 * results for any split. */
static void speed_case(struct loop_case *c) {
  CHECK(case_begin(
      c, "speed",
      "static double side(const double *a, const double *b, double u, double v, double c) {\n"
      "  double dx = b[0] - a[0], dy = b[1] - a[1];\n"
      "  return fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);\n}\n"
      "void speed(const double *a, const double *b, const double *c, const double *q, double *out) "
      "{\n"
      "  double r = 1.0 / q[0], u = r * q[1], v = r * q[2], s = sqrt(fabs(r * q[3] - 0.5 * (u * u "
      "+ v * v)));\n"
      "  *out = side(a, b, u, v, s) + side(b, c, u, v, s) + side(c, a, u, v, s);\n}\n"));
  case_map(c, 0, 3);
  for (int i = 0; i < 3; i++) case_dat(c, 0, 2, OP2_F64, i, 0, OP2_READ);
  case_dat(c, 1, 4, OP2_F64, 0, -1, OP2_READ);
  case_dat(c, 2, 1, OP2_F64, 0, -1, OP2_WRITE);
}

/* A private array that is written at computed indices prevents gcc from vectorising over elements,
 * since its vector code would be wrong. */
static void test_computed_places(void) {
  static double x[2 * POINTS], got[CELLS], want[CELLS];
  static int32_t map[CELLS], places[2 * CELLS];
  struct loop_case c;
  struct compiled code;
  for (int i = 0; i < 2 * POINTS; i++) x[i] = i;
  for (int i = 0; i < CELLS; i++) {
    map[i] = i * 29 % POINTS;
    places[2 * i] = i * 7 % 4;
    places[2 * i + 1] = i * i % 4;
    double t[4];
    t[places[2 * i]] = x[2 * map[i]];
    t[places[2 * i + 1]] = x[2 * map[i] + 1];
    want[i] = t[places[2 * i]];
  }
  void *dats[3] = {x, places, got};
  const int32_t *maps[1] = {map};
  CHECK(case_begin(&c, "place",
                   "void place(const double *x, const int *p, double *out) {\n  double t[4];\n"
                   "  t[p[0]] = x[0]; t[p[1]] = x[1]; *out = t[p[0]];\n}\n"));
  case_map(&c, 0, 1);
  case_dat(&c, 0, 2, OP2_F64, 0, 0, OP2_READ);
  case_dat(&c, 1, 2, OP2_I32, 0, -1, OP2_READ);
  case_dat(&c, 2, 1, OP2_F64, 0, -1, OP2_WRITE);
  op2i_plain_fn entry = entry_of(&c, MERGED, &code);
  if (entry) entry(&(struct op2i_call){.dat = dats, .map = maps}, 0, CELLS, NULL);
  ok(memcmp(got, want, sizeof want) == 0, "%s: a private array written at computed places",
     compiler);
  case_unload(&code);
  case_end(&c);
}

static void test_cuts(void) {
  static double x[2 * POINTS], q[4 * CELLS], whole[CELLS], cut[CELLS];
  static int32_t map[3 * CELLS];
  struct loop_case c;
  struct compiled code;
  unsigned seed = 12345;
  for (int i = 0; i < 2 * POINTS; i++) x[i] = 0.01 * (i * 37 % 101) - 0.3;
  for (int i = 0; i < 4 * CELLS; i++) q[i] = 1.0 + 0.003 * (i * 53 % 97);
  for (int i = 0; i < 3 * CELLS; i++) map[i] = i * 29 % POINTS;
  void *dats[3] = {x, q, whole};
  const int32_t *maps[1] = {map};
  speed_case(&c);
  op2i_plain_fn entry = entry_of(&c, MERGED, &code);
  if (!entry) return;
  entry(&(struct op2i_call){.dat = dats, .map = maps}, 0, CELLS, NULL);
  dats[2] = cut;
  int different = 0, rounds = 300;
  for (int round = 0; round < rounds; round++) {
    memset(cut, 0, sizeof cut);
    for (int lo = 0, hi; lo < CELLS; lo = hi) {
      seed = seed * 1103515245u + 12345u;
      hi = lo + 1 + (int)(seed >> 16) % (1 + round % 60);
      if (hi > CELLS) hi = CELLS;
      entry(&(struct op2i_call){.dat = dats, .map = maps}, lo, hi, NULL);
    }
    different += memcmp(whole, cut, sizeof cut) != 0;
  }
  is_int(different, 0, "%s: bitwise the same however the range is cut", compiler);
  case_unload(&code);
  case_end(&c);
}

int main(void) {
  for (const char *const *name = case_compilers; *name; name++) {
    compiler = *name;
    if (!case_have_compiler(compiler)) {
      skip("no %s", compiler);
      continue;
    }
    test_constants();
    test_numbers();
    test_spellings();
    test_one_slot();
    test_same_dat_in_place();
    test_same_dat_two_types();
    test_names();
    test_messages();
    test_computed_places();
    test_cuts();
  }
  return done();
}
