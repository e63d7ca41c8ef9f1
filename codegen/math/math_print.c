/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the texts of mathematical functions for scalars and for vectors. */
#include "math_print.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lanes.h"
#include "math_text.h"

static const struct op2i_math_text *const lists[] = {op2i_math_base, op2i_math_exp,  op2i_math_log,
                                                     op2i_math_pow,  op2i_math_root, op2i_math_trig,
                                                     op2i_math_arc,  op2i_math_area};

struct printer {
  int lanes;
  struct op2i_math_seen *seen;
  struct op2i_text *out;
};

/* ---- the texts by name ----------------------------------------------------------------------- */

static bool is_word(const char *at, size_t length, const char *word) {
  return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* Find a text and its number. */
static const struct op2i_math_text *find(const char *name, size_t length, int *number) {
  *number = 0;
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
    for (const struct op2i_math_text *t = lists[l]; t->name; t++, ++*number)
      if (is_word(name, length, t->name)) return t;
  return NULL;
}

bool op2i_math_known(const char *name) {
  int number;
  const struct op2i_math_text *text = find(name, strlen(name), &number);
  return text && text->how == OP2I_MATH_FUNCTION;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The length of a word or number; 0: there is another character. */
static size_t word_length(const char *at) {
  size_t n = 0;
  bool number = isdigit((unsigned char)*at);
  while (in_word(at[n]) || (number && at[n] == '.') ||
         (number && n && strchr("+-", at[n]) && strchr("eEpP", at[n - 1]) && at[n]))
    n++;
  return n;
}

static bool is_c(const char *at, size_t length) {
  static const char *const words[] = {"const",
                                      "return",
                                      "if",
                                      "else",
                                      "for",
                                      "int",
                                      "static",
                                      "sizeof",
                                      "double",
                                      "int64_t",
                                      "uint64_t",
                                      "uint32_t",
                                      "__builtin_memcpy",
                                      "__builtin_fma",
                                      "__builtin_sqrt"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_word(at, length, words[i])) return true;
  return false;
}

static void suffix(const struct printer *p) {
  op2i_text_add(p->out, p->lanes > 1 ? "_f64x%d" : "_f64", p->lanes);
}

static bool type_name(const struct printer *p, const char *at, size_t length) {
  static const struct {
    const char *word, *scalar, *vector;
  } types[] = {{"real", "double", "op2_f64x"},
               {"whole", "int64_t", "op2_i64x"},
               {"natural", "uint64_t", "op2_u64x"},
               {"mask", "int", "op2_m64x"},
               {"LANES", "1", ""}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (!is_word(at, length, types[i].word)) continue;
    if (p->lanes == 1)
      op2i_text_add(p->out, "%s", types[i].scalar);
    else
      op2i_text_add(p->out, "%s%d", types[i].vector, p->lanes);
    return true;
  }
  return false;
}

static void print_word(const struct printer *p, const char *at, size_t length) {
  bool number = isdigit((unsigned char)*at);
  if (!number && type_name(p, at, length)) return;
  if (!number && !is_c(at, length)) op2i_text_add(p->out, "op2_");
  op2i_text_bytes(p->out, at, length);
  if (!number && !is_c(at, length) && at[length] == '(') suffix(p);
}

/* Go on to the next line; a text that was made by the preprocessor has only one. */
static const char *next_line(const struct printer *p, const char *at, int *depth) {
  while (*at == ' ') at++;
  if (*at == '}') --*depth;
  if (*at) op2i_text_add(p->out, "\n%*s", 2 * *depth, "");
  return at;
}

/* True at the last character of a line: brackets of lists have no blank inside. */
static bool ends_line(const char *text, const char *at, int brackets) {
  if (*at == '{') return at[1] == ' ';
  if (*at == '}') return at > text && at[-1] == ' ';
  return *at == ';' && !brackets;
}

static void print_text(const struct printer *p, const char *text) {
  int depth = 0, brackets = 0;
  for (const char *at = text; *at;) {
    size_t length = word_length(at);
    if (length) {
      print_word(p, at, length);
      at += length;
      continue;
    }
    bool end = ends_line(text, at, brackets);
    brackets += (*at == '(') - (*at == ')');
    depth += end && *at == '{';
    op2i_text_bytes(p->out, at++, 1);
    if (end) at = next_line(p, at, &depth);
  }
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* These macros say what the compiler and the processor have. Processors that have a fused
 * multiplication and addition use it in all forms of the code. */
static const char target[] = "#ifndef OP2_FUSED\n"
                             "#if defined __FMA__ || defined __ARM_FEATURE_FMA\n"
                             "#define OP2_FUSED 1\n"
                             "#else\n"
                             "#define OP2_FUSED 0\n"
                             "#endif\n"
                             "#if defined __clang__ || __GNUC__ >= 12\n"
                             "#define OP2_SHUFFLES 1\n"
                             "#else\n"
                             "#define OP2_SHUFFLES 0\n"
                             "#endif\n"
                             "#ifdef __has_builtin\n"
                             "#define OP2_HAS(name) __has_builtin(name)\n"
                             "#elif defined __clang__\n"
                             "#define OP2_HAS(name) 0\n"
                             "#else\n"
                             "#define OP2_HAS(name) 1\n"
                             "#endif\n"
                             "#endif\n";

static void define(const struct printer *p, const struct op2i_math_text *text, int number);

/* Append what a text calls, unless it is there already. */
static void needs(const struct printer *p, const char *at) {
  while (*at) {
    size_t length = word_length(at);
    int number;
    const struct op2i_math_text *text = at[length] == '(' ? find(at, length, &number) : NULL;
    if (length && text) define(p, text, number);
    at += length ? length : 1;
  }
}

static void print_head(const struct printer *p, const struct op2i_math_text *text) {
  static const char *const kinds[] = {
      [OP2I_MATH_PART] = "static inline __attribute__((always_inline)) ",
      [OP2I_MATH_FUNCTION] = "static inline ",
      [OP2I_MATH_FLOAT] = "static inline ",
      [OP2I_MATH_LANES] = "static inline __attribute__((always_inline)) ",
      [OP2I_MATH_SELDOM] = "static __attribute__((noinline, cold, const, unused)) ",
      [OP2I_MATH_EACH] = "static __attribute__((noinline, cold, const, unused)) ",
      [OP2I_MATH_APART] = "static __attribute__((noinline, cold, const, unused)) "};
  for (int i = 0; i < 2; i++) {
    op2i_text_add(p->out, i ? "#define op2_%s" : "#ifndef op2_%s", text->name);
    suffix(p);
    if (i) op2i_text_add(p->out, " op2_%s", text->name);
    if (i) suffix(p);
    op2i_text_add(p->out, "\n");
  }
  op2i_text_add(p->out, "%s", kinds[text->how]);
  print_text(p, text->result);
  op2i_text_add(p->out, " op2_%s", text->name);
  suffix(p);
  print_text(p, text->parameters);
  op2i_text_add(p->out, " ");
}

static void print_each(const struct printer *p, const struct op2i_math_text *text) {
  op2i_text_add(p->out,
                "{\n  op2_f64x%d op2_result;\n  for (int op2_lane = 0; op2_lane < %d; op2_lane++)\n"
                "    op2_result[op2_lane] = op2_%s_f64(op2_x[op2_lane]);\n"
                "  return op2_result;\n}\n#endif\n",
                p->lanes, p->lanes, text->name);
}

/* A text with a form for processors with fused operations has both. */
static void print_body(const struct printer *p, const struct op2i_math_text *text) {
  const bool lanes = p->lanes > 1 && text->how == OP2I_MATH_LANES;
  const bool two = text->fused && !lanes;
  if (two) {
    op2i_text_add(p->out, "\n#if OP2_FUSED\n");
    print_text(p, text->fused);
    op2i_text_add(p->out, "\n#else\n");
  }
  if (lanes)
    op2i_math_lanes(text->name, p->lanes, p->out);
  else
    print_text(p, p->lanes > 1 && text->lanes ? text->lanes : text->text);
  op2i_text_add(p->out, two ? "\n#endif\n#endif\n" : "\n#endif\n");
}

static void define(const struct printer *p, const struct op2i_math_text *text, int number) {
  bool *seen = p->lanes > 1 ? p->seen->vector : p->seen->scalar;
  bool apart = text->how == OP2I_MATH_EACH || text->how == OP2I_MATH_APART;
  if (seen[number]) return;
  seen[number] = true;
  if (p->lanes > 1 && apart)
    define(&(struct printer){1, p->seen, p->out}, text, number);
  else
    needs(p, p->lanes > 1 && text->lanes ? text->lanes : text->text);
  if (!apart && text->fused) needs(p, text->fused);
  if (p->lanes > 1 && text->how == OP2I_MATH_APART) return;
  print_head(p, text);
  if (p->lanes > 1 && apart) {
    print_each(p, text);
    return;
  }
  print_body(p, text);
}

void op2i_math_print(const char *name, int lanes, struct op2i_math_seen *seen,
                     struct op2i_text *out) {
  int number;
  const struct op2i_math_text *text = find(name, strlen(name), &number);
  op2i_text_add(out, "%s", target);
  if (text) define(&(struct printer){lanes, seen, out}, text, number);
}

/* ---- float ----------------------------------------------------------------------------------- */

/* The text of double that computes the function for float: one of its own, which is shorter, or
 * that of double. */
static const char *text_for_float(const char *name) {
  int number;
  char own[64];
  snprintf(own, sizeof own, "%s_float", name);
  const struct op2i_math_text *text = find(own, strlen(own), &number);
  return text ? text->name : name;
}

static bool has_two(const char *name) {
  int number;
  return strchr(find(name, strlen(name), &number)->parameters, ',') != NULL;
}

/* Append lanes `from` to `to` of two vectors. gcc 12 is the first that knows this function. */
static void add_lanes(const char *a, const char *b, int from, int to, struct op2i_text *out) {
  op2i_text_add(out, "__builtin_shufflevector(%s, %s", a, b);
  for (int i = from; i < to; i++) op2i_text_add(out, ", %d", i);
  op2i_text_add(out, ");\n");
}

/* Append the definition of op2_x0, op2_x1, op2_y0 or op2_y1, a half of a parameter. */
static void add_part(char parameter, int lanes, int half, struct op2i_text *out) {
  const char from[] = {'o', 'p', '2', '_', parameter, '\0'};
  op2i_text_add(out, "  op2_f32x%d %s%d;\n#if OP2_SHUFFLES\n  %s%d = ", lanes, from, half, from,
                half);
  add_lanes(from, from, half * lanes, (half + 1) * lanes, out);
  op2i_text_add(out,
                "#else\n  __builtin_memcpy(&%s%d, (const char *)&%s + %d, sizeof %s%d);\n#endif\n",
                from, half, from, 4 * half * lanes, from, half);
}

/* Append the definition of op2_r0 or op2_r1, a half of the result. */
static void add_half(const char *name, int lanes, int half, struct op2i_text *out) {
  const bool two = has_two(name);
  for (int i = 0; i < 1 + two; i++) add_part(i ? 'y' : 'x', lanes, half, out);
  op2i_text_add(out, "  const op2_f32x%d op2_r%d = __builtin_convertvector(op2_%s_f64x%d(", lanes,
                half, name, lanes);
  for (int i = 0; i < 1 + two; i++)
    op2i_text_add(out, "%s__builtin_convertvector(op2_%c%d, op2_f64x%d)", i ? ", " : "",
                  i ? 'y' : 'x', half, lanes);
  op2i_text_add(out, "), op2_f32x%d);\n", lanes);
}

static void add_halves(const char *name, int lanes, struct op2i_text *out) {
  for (int half = 0; half < 2; half++) add_half(name, lanes, half, out);
  op2i_text_add(out, "#if OP2_SHUFFLES\n  return ");
  add_lanes("op2_r0", "op2_r1", 0, 2 * lanes, out);
  op2i_text_add(out,
                "#else\n  op2_f32x%d op2_r;\n"
                "  __builtin_memcpy(&op2_r, &op2_r0, sizeof op2_r0);\n"
                "  __builtin_memcpy((char *)&op2_r + sizeof op2_r0, &op2_r1, sizeof op2_r1);\n"
                "  return op2_r;\n#endif\n",
                2 * lanes);
}

static void add_whole(const char *name, int lanes, struct op2i_text *out) {
  bool two = has_two(name);
  if (lanes == 1) {
    op2i_text_add(out, "  return (float)op2_%s_f64(op2_x%s);\n", name, two ? ", op2_y" : "");
    return;
  }
  op2i_text_add(out, "  return __builtin_convertvector(op2_%s_f64x%d(", name, lanes);
  for (int i = 0; i < 1 + two; i++)
    op2i_text_add(out, "%s__builtin_convertvector(op2_%c, op2_f64x%d)", i ? ", " : "",
                  i ? 'y' : 'x', lanes);
  op2i_text_add(out, "), op2_f32x%d);\n", lanes);
}

void op2i_math_print_single(const char *name, int lanes, bool halves, struct op2i_math_seen *seen,
                            struct op2i_text *out) {
  char type[32] = "float", full[64];
  snprintf(full, sizeof full, "op2_%s_f32", name);
  if (lanes > 1) snprintf(type, sizeof type, "op2_f32x%d", lanes);
  if (lanes > 1) snprintf(full, sizeof full, "op2_%s_f32x%d", name, lanes);
  name = text_for_float(name);
  op2i_math_print(name, halves ? lanes / 2 : lanes, seen, out);
  op2i_text_add(out, "#ifndef %s\n#define %s %s\nstatic inline %s %s(%s op2_x", full, full, full,
                type, full, type);
  if (has_two(name)) op2i_text_add(out, ", %s op2_y", type);
  op2i_text_add(out, ") {\n");
  if (halves)
    add_halves(name, lanes / 2, out);
  else
    add_whole(name, lanes, out);
  op2i_text_add(out, "}\n#endif\n");
}

/* ---- functions by their names in C ----------------------------------------------------------- */

const char *op2i_math_name(int n) {
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
    for (const struct op2i_math_text *t = lists[l]; t->name; t++)
      if (t->how == OP2I_MATH_FUNCTION && n-- == 0) return t->name;
  return NULL;
}

static bool mentions(const char *source, const char *name) {
  size_t length = strlen(name);
  for (const char *at = source; (at = strstr(at, name)); at++)
    if ((at == source || !in_word(at[-1])) && !in_word(at[length])) return true;
  return false;
}

/* True if this, behind the word `include`, is a header whose macros call no function by a name that
 * the source does not have. */
static bool known_header(const char *at) {
  static const char *const names[] = {"float.h",  "math.h",   "stddef.h", "stdint.h", "stdbool.h",
                                      "stdlib.h", "string.h", "limits.h", "stdio.h",  "inttypes.h"};
  at += strspn(at, " \t<");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(at, names[i], strlen(names[i])) == 0 && at[strlen(names[i])] == '>') return true;
  return false;
}

static bool includes_others(const char *text) {
  for (const char *at = text; at && (at = strstr(at, "include")); at++)
    if (!known_header(at + strlen("include"))) return true;
  return false;
}

/* Inline functions of GNU C do not conflict with the declaration in <math.h>. */
static void define_name(const char *name, bool single, struct op2i_math_seen *seen,
                        struct op2i_text *out) {
  const char *type = single ? "float" : "double", *f = single ? "f" : "";
  if (single)
    op2i_math_print_single(name, 1, false, seen, out);
  else
    op2i_math_print(name, 1, seen, out);
  op2i_text_add(out,
                "#ifndef OP2_MATH_%s%s\n#define OP2_MATH_%s%s\n"
                "extern __inline__ __attribute__((gnu_inline, always_inline)) %s\n"
                "%s%s(%s op2_x",
                name, f, name, f, type, name, f, type);
  if (has_two(name)) op2i_text_add(out, ", %s op2_y", type);
  op2i_text_add(out, ") { return op2_%s_%s(op2_x%s); }\n#endif\n", name, single ? "f32" : "f64",
                has_two(name) ? ", op2_y" : "");
}

void op2i_math_define(const char *source, const char *headers, struct op2i_text *out) {
  struct op2i_math_seen seen = {{0}, {0}};
  bool any = includes_others(source) || includes_others(headers);
  for (int n = 0; op2i_math_name(n); n++)
    for (int single = 0; single < 2; single++) {
      char name[64];
      snprintf(name, sizeof name, "%s%s", op2i_math_name(n), single ? "f" : "");
      if (any || mentions(source, name)) define_name(op2i_math_name(n), single, &seen, out);
    }
}
