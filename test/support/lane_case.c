/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane_case.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_case.h"
#include "loop_case.h"
#include "simd.h"
#include "tap.h"

/* ---- parameters ------------------------------------------------------------------------------ */

enum { PARAMS = 16 };

struct param {
  bool varying;
  char type;
  int slots, dim; /* slots 0: one pointer; dim 0: a value */
};

static int read_params(const char *text, struct param *params) {
  int n = 0;
  while (*text) {
    struct param *p = &params[n++];
    *p = (struct param){.varying = text[0] == 'V', .type = text[1]};
    for (text += 2; isdigit((unsigned char)*text); text++) p->dim = 10 * p->dim + *text - '0';
    if (*text == 'x') {
      p->slots = p->dim;
      for (p->dim = 0, text++; isdigit((unsigned char)*text); text++)
        p->dim = 10 * p->dim + *text - '0';
    }
    while (*text == ' ') text++;
  }
  return n;
}

static const struct {
  char code;
  const char *c, *name;
} types[] = {{'d', "double", "f64"},  {'n', "double", "f64"},  {'e', "double", "f64"},
             {'f', "float", "f32"},   {'g', "float", "f32"},   {'m', "float", "f32"},
             {'i', "int32_t", "i32"}, {'l', "int64_t", "i64"}, {'h', "int16_t", "i16"},
             {'b', "uint8_t", "u8"},  {'w', "uint32_t", "u32"}};

static int type_of(const struct param *p) {
  int k = 0;
  while (types[k].code != p->type) k++;
  return k;
}

static int values_of(const struct param *p) {
  return (p->slots ? p->slots : 1) * (p->dim ? p->dim : 1);
}

/* ---- common parts of generated programs ------------------------------------------------------ */

static const char common[] =
    "#include <float.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
    "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#define OP2_PASTE_(name, id) name##_##id\n"
    "#define OP2_PASTE(name, id) OP2_PASTE_(name, id)\n"
    "#define OP2_NAME(name) OP2_PASTE(name, OP2_ID)\n"
    "static uint64_t test_state;\n"
    "static uint64_t test_draw(void) {\n"
    "  uint64_t z = (test_state += 0x9e3779b97f4a7c15u);\n"
    "  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;\n"
    "  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;\n"
    "  return z ^ (z >> 31);\n"
    "}\n"
    "static double test_real(int any) {\n"
    "  const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 5e-324, -2e-310, 1e-40, 1e300,\n"
    "                        -1e30, 1, -1};\n"
    "  uint64_t z = test_draw();\n"
    "  if (any && z % 4 == 0) return odd[(z >> 8) % (any == 1 ? 12 : 3)];\n"
    "  if (z % 4 == 1) return (double)((int)((z >> 8) % 9) - 4);\n"
    "  return (double)(int64_t)(z >> 8) / (double)(1ll << 53) - 4.0;\n"
    "}\n"
    "static void test_fill(void *to, char type, int n) {\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    uint64_t z = test_draw();\n"
    "    int small = (int)(z % 23) - 11;\n"
    "    switch (type) {\n"
    "    case 'd': ((double *)to)[i] = test_real(1); break;\n"
    "    case 'e': ((double *)to)[i] = test_real(2); break;\n"
    "    case 'n': ((double *)to)[i] = test_real(0); break;\n"
    "    case 'f': ((float *)to)[i] = (float)test_real(1); break;\n"
    "    case 'g': ((float *)to)[i] = (float)test_real(2); break;\n"
    "    case 'm': ((float *)to)[i] = (float)test_real(0); break;\n"
    "    case 'i': ((int32_t *)to)[i] = small; break;\n"
    "    case 'l': ((int64_t *)to)[i] = small; break;\n"
    "    case 'h': ((int16_t *)to)[i] = (int16_t)small; break;\n"
    "    case 'b': ((uint8_t *)to)[i] = (uint8_t)(z >> 9); break;\n"
    "    default: ((uint32_t *)to)[i] = (uint32_t)(z >> 9);\n"
    "    }\n"
    "  }\n"
    "}\n"
    /* The compiler chooses which of two NaNs is the result. */
    "static int test_same(const void *a, const void *b, char type, int size) {\n"
    "  if (strchr(\"den\", type)) {\n"
    "    double x, y;\n"
    "    memcpy(&x, a, 8), memcpy(&y, b, 8);\n"
    "    return memcmp(a, b, 8) == 0 || (x != x && y != y);\n"
    "  }\n"
    "  if (strchr(\"fgm\", type)) {\n"
    "    float x, y;\n"
    "    memcpy(&x, a, 4), memcpy(&y, b, 4);\n"
    "    return memcmp(a, b, 4) == 0 || (x != x && y != y);\n"
    "  }\n"
    "  return memcmp(a, b, (size_t)size) == 0;\n"
    "}\n"
    "static double test_value(const void *a, char type) {\n"
    "  double d; float f; int32_t i; int64_t l; int16_t h; uint32_t w;\n"
    "  switch (type) {\n"
    "  case 'd': case 'e': case 'n': memcpy(&d, a, 8); return d;\n"
    "  case 'f': case 'g': case 'm': memcpy(&f, a, 4); return f;\n"
    "  case 'i': memcpy(&i, a, 4); return i;\n"
    "  case 'l': memcpy(&l, a, 8); return (double)l;\n"
    "  case 'h': memcpy(&h, a, 2); return h;\n"
    "  case 'b': return *(const uint8_t *)a;\n"
    "  default: memcpy(&w, a, 4); return w;\n"
    "  }\n"
    "}\n";

/* ---- one kernel ------------------------------------------------------------------------------ */

/* The names of a parameter's data: a for the drawn values, s for the values after the scalar calls,
 * v for those in vectors. */
static void declare_param(const struct param *p, int i, int lanes, struct op2i_text *out) {
  int k = type_of(p), n = values_of(p);
  op2i_text_add(out, "    static %s a%d[%d][%d], s%d[%d][%d];\n", types[k].c, i, lanes, n, i, lanes,
                n);
  if (p->varying) op2i_text_add(out, "    static op2_%sx%d v%d[%d];\n", types[k].name, lanes, i, n);
  op2i_text_add(out, "    test_fill(a%d, '%c', %d);\n", i, p->type, p->varying ? lanes * n : n);
  if (!p->varying)
    op2i_text_add(out, "    for (int l = 1; l < %d; l++) memcpy(a%d[l], a%d[0], sizeof a%d[0]);\n",
                  lanes, i, i, i);
  op2i_text_add(out, "    memcpy(s%d, a%d, sizeof a%d);\n", i, i, i);
  if (p->varying)
    op2i_text_add(out,
                  "    for (int l = 0; l < %d; l++) for (int j = 0; j < %d; j++) v%d[j][l] = "
                  "a%d[l][j];\n",
                  lanes, n, i, i);
}

static void actual(const struct param *p, int i, bool vector, int lanes, struct op2i_text *out) {
  int k = type_of(p);
  const char *lane = vector ? "0" : "l";
  char name = vector && p->varying ? 'v' : vector ? 'a' : 's';
  op2i_text_add(out, i ? ", " : "");
  if (p->slots) {
    if (name == 'v')
      op2i_text_add(out, "(void *)(op2_%sx%d *[]){", types[k].name, lanes);
    else
      op2i_text_add(out, "(void *)(%s *[]){", types[k].c);
    for (int slot = 0; slot < p->slots; slot++)
      if (name == 'v')
        op2i_text_add(out, "%sv%d + %d", slot ? ", " : "", i, slot * p->dim);
      else
        op2i_text_add(out, "%s%c%d[%s] + %d", slot ? ", " : "", name, i, lane, slot * p->dim);
    op2i_text_add(out, "}");
  } else if (name == 'v') {
    op2i_text_add(out, p->dim ? "(void *)v%d" : "v%d[0]", i);
  } else {
    op2i_text_add(out, p->dim ? "(void *)%c%d[%s]" : "%c%d[%s][0]", name, i, lane);
  }
}

static void compare_param(const struct param *p, int i, int lanes, struct op2i_text *out) {
  if (!p->varying) return;
  op2i_text_add(out,
                "    for (int l = 0; l < %d; l++) for (int j = 0; j < %d; j++) {\n"
                "      %s got = v%d[j][l];\n"
                "      if (test_same(&got, &s%d[l][j], '%c', sizeof got)) continue;\n"
                "      if (!bad++) snprintf(what, 200, \"round %%d, parameter %d, lane %%d, value "
                "%%d: %%.17g, scalar %%.17g, from %%.17g\", round, l, j,\n"
                "        test_value(&got, '%c'), test_value(&s%d[l][j], '%c'), "
                "test_value(&a%d[l][j], '%c'));\n"
                "    }\n",
                lanes, values_of(p), types[type_of(p)].c, i, i, p->type, i, p->type, i, p->type, i,
                p->type);
}

static void driver(const struct lane_kernel *kernel, int number, int lanes, bool consts,
                   bool renamed, struct op2i_text *out) {
  struct param params[PARAMS];
  int n = read_params(kernel->params, params);
  op2i_text_add(out, "\nint test_%d(char *what) {\n  int bad = 0;\n  test_state = %d;\n", number,
                number);
  if (consts)
    op2i_text_add(out, "  static struct OP2_NAME(op2_consts) c = {1.5, {0.25, -2, 3, 0.1}, 0.75f, "
                       "3};\n"
                       "  __asm__ volatile(\"\" : \"+m\"(c));\n");
  op2i_text_add(out, "  for (int round = 0; round < %d; round++) {\n", LANE_ROUNDS);
  for (int i = 0; i < n; i++) declare_param(&params[i], i, lanes, out);
  op2i_text_add(out,
                renamed ? "    for (int l = 0; l < %d; l++) OP2_NAME(k)(%s"
                        : "    for (int l = 0; l < %d; l++) OP2_NAME(own_k)(%s",
                lanes, consts ? "&c, " : "");
  for (int i = 0; i < n; i++) actual(&params[i], i, false, lanes, out);
  op2i_text_add(out, ");\n    OP2_NAME(op2_vec_k)(%s", consts ? "&c, " : "");
  for (int i = 0; i < n; i++) actual(&params[i], i, true, lanes, out);
  op2i_text_add(out, ");\n");
  for (int i = 0; i < n; i++) compare_param(&params[i], i, lanes, out);
  op2i_text_add(out, "  }\n  return bad;\n}\n#undef OP2_ID\n");
}

static bool translate(const struct lane_kernel *kernel, int lanes, int widest,
                      const struct op2i_rewrite *rewrite, struct op2i_text *out,
                      struct op2i_text *why) {
  struct param params[PARAMS];
  bool varying[PARAMS] = {0};
  int n = read_params(kernel->params, params);
  for (int i = 0; i < n; i++) varying[i] = params[i].varying;
  const struct op2i_simd_request request = {
      .rewrite = rewrite, .varying = varying, .lanes = lanes, .widest = widest};
  op2_status status = op2i_simd_kernel(&request, out, why, NULL);
  if (status) ok(false, "%s: no memory", kernel->name);
  return !status && why->length == 0;
}

static bool begin(struct loop_case *c, const struct lane_kernel *kernel,
                  struct op2i_rewrite *rewrite) {
  op2_status status = case_begin(c, "k", kernel->source);
  case_const(c, "c1", 1, OP2_F64);
  case_const(c, "c2", 4, OP2_F64);
  case_const(c, "c3", 1, OP2_F32);
  case_const(c, "c4", 1, OP2_I32);
  if (!status) status = op2i_rewrite_begin(&c->loop, 0, rewrite);
  if (status) ok(false, "%s can be read", kernel->name);
  return !status;
}

bool lane_translate_within(const struct lane_kernel *kernel, int lanes, int widest,
                           struct op2i_text *out, struct op2i_text *why) {
  struct loop_case c;
  struct op2i_rewrite rewrite = {0};
  bool good = begin(&c, kernel, &rewrite) && translate(kernel, lanes, widest, &rewrite, out, why);
  op2i_rewrite_end(&rewrite);
  case_end(&c);
  return good;
}

bool lane_translate(const struct lane_kernel *kernel, int lanes, struct op2i_text *out,
                    struct op2i_text *why) {
  return lane_translate_within(kernel, lanes, 0, out, why);
}

/* Functions of a source with types of its own keep their names there, which other kernels have,
 * too. */
static void scalar_form(const struct op2i_rewrite *rewrite, struct op2i_text *out) {
  const struct op2i_names *functions = &rewrite->unit.functions;
  for (int64_t i = 0; i < functions->count && !rewrite->mergeable; i++) {
    const struct op2i_name *f = &functions->list[i];
    if (op2i_names_find(&rewrite->unit.macros, f->word, f->length) >= 0) continue;
    op2i_text_add(out, "#define %.*s OP2_NAME(own_%.*s)\n", (int)f->length, f->word, (int)f->length,
                  f->word);
  }
  op2i_rewrite_emit(rewrite, out);
  for (int64_t i = 0; i < functions->count && !rewrite->mergeable; i++)
    op2i_text_add(out, "\n#undef %.*s", (int)functions->list[i].length, functions->list[i].word);
}

/* Append the scalar form, the vector form and the comparison of the two; append nothing when the
 * kernel is refused. */
static bool add_kernel(const struct lane_kernel *kernel, int number, int lanes,
                       struct op2i_text *out) {
  struct loop_case c;
  struct op2i_rewrite rewrite = {0};
  struct op2i_text vector = {0}, why = {0};
  if (!begin(&c, kernel, &rewrite)) return false;
  bool good = translate(kernel, lanes, 0, &rewrite, &vector, &why);
  if (good) {
    op2i_text_add(out, "#define OP2_ID %d\n", number);
    /* gcc 12 warns of vectors that are set lane by lane, in loops that are unrolled. */
    op2i_text_add(out, "#ifndef __clang__\n"
                       "#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n#endif\n");
    op2i_simd_prelude(lanes, out);
    op2i_text_add(out,
                  "struct OP2_NAME(op2_consts) { double c1, c2[4]; float c3; int32_t c4; };\n");
    /* Compiler warnings about the style of the scalar form do not matter. */
    op2i_text_add(out, "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wall\"\n"
                       "#pragma GCC diagnostic ignored \"-Wparentheses\"\n"
                       "#pragma GCC diagnostic ignored \"-Wempty-body\"\n");
    scalar_form(&rewrite, out);
    op2i_text_add(out, "\n#pragma GCC diagnostic pop\n%s", vector.chars);
    driver(kernel, number, lanes, op2i_rewrite_kernel_needs(&rewrite), rewrite.mergeable, out);
  } else {
    diag("%s: %s", kernel->name, why.chars ? why.chars : "?");
  }
  op2i_text_free(&vector);
  op2i_text_free(&why);
  op2i_rewrite_end(&rewrite);
  case_end(&c);
  return good;
}

/* ---- running a program ----------------------------------------------------------------------- */

static int run_one(const struct compiled *compiled, const struct lane_kernel *kernel, int number) {
  char name[32], what[256] = "";
  snprintf(name, sizeof name, "test_%d", number);
  void *symbol = case_symbol(compiled, name);
  int (*function)(char *);
  if (!symbol) return -1;
  memcpy(&function, &symbol, sizeof function);
  int bad = function(what);
  if (bad) diag("%s: %s", kernel->name, what);
  return bad;
}

void lane_compare(const char *compiler, const char *flags, int lanes, int n,
                  const struct lane_kernel *kernels, const char *summary) {
  struct op2i_text text = {0};
  struct compiled compiled = {0};
  int wrong = 0;
  bool *translated = calloc((size_t)n, sizeof *translated);
  op2i_text_add(&text, "%s", common);
  for (int i = 0; i < n; i++) translated[i] = add_kernel(&kernels[i], i, lanes, &text);
  const char *kept = getenv("OP2_TEST_KEEP");
  FILE *file = kept ? fopen(kept, "w") : NULL;
  if (file) {
    fputs(text.chars, file);
    fclose(file);
  }
  bool good = case_compile(compiler, flags, text.chars, &compiled);
  ok(good && compiled.messages && !*compiled.messages, "%s compiles %d lanes without a word",
     compiler, lanes);
  if (compiled.messages && *compiled.messages) diag("%.2000s", compiled.messages);
  for (int i = 0; i < n; i++) {
    bool same = good && translated[i] && run_one(&compiled, &kernels[i], i) == 0;
    if (!summary) ok(same, "%s, %s, %d lanes", kernels[i].name, compiler, lanes);
    wrong += !same;
    if (!same && summary) diag("%s: %s", kernels[i].name, kernels[i].source);
  }
  if (summary) is_int(wrong, 0, "%s, %s, %d lanes", summary, compiler, lanes);
  free(translated);
  case_unload(&compiled);
  op2i_text_free(&text);
}
