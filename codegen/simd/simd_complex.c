/* SPDX-License-Identifier: BSD-3-Clause */
/* Complex numbers. Arithmetic is what compilers make of it in scalar code: a real operand is not
 * made complex but for a divisor's sake, a product whose parts are both no numbers is computed once
 * more as C11 G.5.1 says, and quotients are the compiler's own. */
#include "simd_complex.h"

#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_convert.h"
#include "simd_emit.h"
#include "simd_expr.h"
#include "simd_helper.h"

/* ---- types ----------------------------------------------------------------------------------- */

static struct op2i_c_record *record_of(struct op2i_simd *l, enum op2i_c_base base) {
  struct op2i_c_record **known = &l->complex[base == OP2I_C_F64];
  if (*known) return *known;
  struct op2i_c_record *record = op2i_simd_take(l, sizeof *record);
  struct op2i_c_member *re = op2i_simd_take(l, sizeof *re), *im = op2i_simd_take(l, sizeof *im);
  if (!record || !re || !im) return NULL;
  *im = (struct op2i_c_member){.name = "op2_im", .type = {.base = base}};
  *re = (struct op2i_c_member){.next = im, .name = "op2_re", .type = {.base = base}};
  *record = (struct op2i_c_record){.complex = true, .nmembers = 2, .members = re};
  return *known = record;
}

struct op2i_c_record *op2i_simd_complex_record(struct op2i_c_reader *r, enum op2i_c_base base) {
  struct op2i_simd_parser *p = r->client;
  return record_of(p->l, base);
}

static enum op2i_c_base part_of(const struct op2i_c_type *type) {
  return op2i_simd_complex(type) ? type->record->members->type.base : type->base;
}

static struct op2i_c_type complex_of(struct op2i_simd *l, enum op2i_c_base base) {
  return (struct op2i_c_type){.base = OP2I_C_RECORD, .record = record_of(l, base)};
}

/* ---- expressions ----------------------------------------------------------------------------- */

static struct op2i_simd_node *node(struct op2i_simd *l, const char *op, struct op2i_simd_node *a,
                                   struct op2i_simd_node *b, struct op2i_c_type type, int line) {
  struct op2i_simd_node *e = op2i_simd_node(l, OP2I_SIMD_COMPLEX, line);
  e->op = op;
  e->a = a;
  e->b = b;
  e->type = type;
  e->varying = (a && a->varying) || (b && b->varying); /* printers make nodes, too */
  return e;
}

static struct op2i_simd_node *part(struct op2i_simd *l, struct op2i_simd_node *e, bool real) {
  struct op2i_simd_node *member = op2i_simd_node(l, OP2I_SIMD_MEMBER, e->line);
  member->a = e;
  member->member = real ? e->type.record->members : e->type.record->members->next;
  member->type = member->member->type;
  member->varying = e->varying;
  return member;
}

static bool is_number(const struct op2i_c_type *type) {
  return type->nlevels == 0 && type->base >= OP2I_C_BOOL && type->base <= OP2I_C_F64;
}

struct op2i_simd_node *op2i_simd_converted(struct op2i_simd *l, struct op2i_simd_node *e,
                                           const struct op2i_c_type *type) {
  if (op2i_simd_stopped(l)) return e;
  if (is_number(type) && op2i_simd_complex(&e->type)) return part(l, e, true);
  if (!op2i_simd_complex(type) || type->record == e->type.record) return e;
  if (!is_number(&e->type) && !op2i_simd_complex(&e->type)) return e;
  struct op2i_c_type plain = *type;
  plain.readonly = false;
  return node(l, "cast", e, NULL, plain, e->line);
}

struct op2i_simd_node *op2i_simd_complex_binary(struct op2i_simd *l, const char *op,
                                                struct op2i_simd_node *a,
                                                struct op2i_simd_node *b) {
  const bool numbers = (is_number(&a->type) || op2i_simd_complex(&a->type)) &&
                       (is_number(&b->type) || op2i_simd_complex(&b->type));
  if (!numbers || strlen(op) != 1 || !strchr("+-*/", *op)) {
    op2i_simd_refuse(l, "applies '%s' to a complex number in line %d", op, a->line);
    return a;
  }
  const enum op2i_c_base base = op2i_simd_common(part_of(&a->type), part_of(&b->type));
  const struct op2i_c_type type = complex_of(l, base);
  const bool divides = *op == '/' && op2i_simd_complex(&b->type);
  if (op2i_simd_complex(&a->type) || divides) a = op2i_simd_converted(l, a, &type);
  if (op2i_simd_complex(&b->type)) b = op2i_simd_converted(l, b, &type);
  return node(l, op, a, b, type, a->line);
}

struct op2i_simd_node *op2i_simd_complex_unary(struct op2i_simd *l, const char *op,
                                               struct op2i_simd_node *a) {
  struct op2i_c_type type = a->type;
  type.readonly = false;
  if (strcmp(op, "+") == 0) return a;
  if (strcmp(op, "-") && strcmp(op, "~"))
    op2i_simd_refuse(l, "applies '%s' to a complex number in line %d", op, a->line);
  return node(l, *op == '-' ? "negate" : "conjugate", a, NULL, type, a->line);
}

void op2i_simd_complex_choice(struct op2i_simd *l, struct op2i_simd_node *e) {
  const enum op2i_c_base base = op2i_simd_common(part_of(&e->b->type), part_of(&e->c->type));
  e->type = complex_of(l, base);
  e->b = op2i_simd_converted(l, e->b, &e->type);
  e->c = op2i_simd_converted(l, e->c, &e->type);
}

struct op2i_simd_node *op2i_simd_imaginary(struct op2i_simd *l, int line) {
  return node(l, "unit", NULL, NULL, complex_of(l, OP2I_C_F32), line);
}

/* ---- functions of <complex.h> ---------------------------------------------------------------- */

static const char *const names[] = {"creal", "cimag", "conj", "cabs", "carg"};

bool op2i_simd_complex_name(const struct op2i_piece *name) {
  struct op2i_piece stem = *name;
  if (stem.length && stem.text[stem.length - 1] == 'f') stem.length--;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (op2i_piece_is(&stem, names[i])) return true;
  return false;
}

struct op2i_simd_node *op2i_simd_complex_call(struct op2i_simd *l, struct op2i_simd_node *call) {
  const bool single = call->text[strlen(call->text) - 1] == 'f';
  const enum op2i_c_base base = single ? OP2I_C_F32 : OP2I_C_F64;
  const struct op2i_c_type type = complex_of(l, base);
  if (!call->a || call->a->next)
    op2i_simd_refuse(l, "calls %s in line %d, which takes one argument", call->text, call->line);
  if (op2i_simd_stopped(l)) return call;
  struct op2i_simd_node *a = op2i_simd_converted(l, call->a, &type);
  op2i_simd_check_initializer(l, &type, a);
  if (op2i_simd_stopped(l)) return call;
  if (strncmp(call->text, "creal", 5) == 0) return part(l, a, true);
  if (strncmp(call->text, "cimag", 5) == 0) return part(l, a, false);
  if (strncmp(call->text, "conj", 4) == 0) return op2i_simd_complex_unary(l, "~", a);
  return node(l, strncmp(call->text, "cabs", 4) == 0 ? "cabs" : "carg", a, NULL,
              (struct op2i_c_type){.base = base}, call->line);
}

/* ---- functions in the text ------------------------------------------------------------------- */

/* An operation and its operands, as a function in the text has them. */
struct function {
  struct op2i_simd *l;
  const char *op;
  bool varying, left, right;     /* left, right: the operand is complex */
  bool whole;                    /* one operand is an integer */
  struct op2i_c_type type, from; /* from: of the operand, which is cast */
  enum op2i_c_base base;
  struct op2i_text *out;
};

static bool is(const struct function *f, const char *op) { return strcmp(f->op, op) == 0; }

static void type_name(const struct function *f, const struct op2i_c_type *type) {
  op2i_simd_base_name(f->l, type, f->varying, f->out);
}

static void number_name(const struct function *f) {
  const struct op2i_c_type type = {.base = f->base};
  type_name(f, &type);
}

/* The result has a part that each operand contributes to as it does to the other part. */
static void each_part(const struct function *f) {
  static const char *const parts[] = {"re", "im"};
  for (int i = 0; i < 2; i++) {
    char a[16] = "op2_a", b[16] = "op2_b";
    if (f->left) snprintf(a, sizeof a, "op2_a.op2_%s", parts[i]);
    if (f->right) snprintf(b, sizeof b, "op2_b.op2_%s", parts[i]);
    op2i_text_add(f->out, "  op2_result.op2_%s = ", parts[i]);
    if (strchr("*/", *f->op) || i == 0 || (f->left && f->right))
      op2i_text_add(f->out, "%s %s %s;\n", a, f->op, b);
    else if (f->left)
      op2i_text_add(f->out, "%s;\n", a);
    else
      op2i_text_add(f->out, "%s%s;\n", *f->op == '-' ? "-" : "", b);
  }
}

/* Compute lanes, or the only value, as the compiler computes complex numbers. */
static void by_compiler(const struct function *f) {
  const char *lane = f->varying ? "[op2_lane]" : "";
  const char *c = op2i_simd_scalar_name(f->base);
  op2i_text_add(f->out,
                "    %s _Complex op2_x, op2_y;\n"
                "    __real__ op2_x = op2_a.op2_re%s, __imag__ op2_x = op2_a.op2_im%s;\n"
                "    __real__ op2_y = op2_b.op2_re%s, __imag__ op2_y = op2_b.op2_im%s;\n"
                "    op2_x = op2_x %s op2_y;\n"
                "    op2_result.op2_re%s = __real__ op2_x;\n"
                "    op2_result.op2_im%s = __imag__ op2_x;\n",
                c, lane, lane, lane, lane, f->op, lane, lane);
}

static void each_lane(const struct function *f, const char *condition) {
  if (f->varying)
    op2i_text_add(f->out, "  for (int op2_lane = 0; op2_lane < %d; op2_lane++)%s {\n", f->l->lanes,
                  condition);
  else
    op2i_text_add(f->out, "  {\n");
  by_compiler(f);
  op2i_text_add(f->out, "  }\n");
}

/* Most products are numbers, so all lanes are asked at once. */
static void product(const struct function *f) {
  if (!f->varying) {
    each_lane(f, "");
    return;
  }
  op2i_text_add(f->out,
                "  op2_result.op2_re = op2_a.op2_re * op2_b.op2_re - op2_a.op2_im * "
                "op2_b.op2_im;\n"
                "  op2_result.op2_im = op2_a.op2_re * op2_b.op2_im + op2_a.op2_im * "
                "op2_b.op2_re;\n"
                "  const __typeof__(op2_result.op2_re != op2_result.op2_re) op2_lost =\n"
                "      (op2_result.op2_re != op2_result.op2_re) & (op2_result.op2_im != "
                "op2_result.op2_im);\n"
                "  long op2_any = 0;\n"
                "  for (int op2_lane = 0; op2_lane < %d; op2_lane++) op2_any |= "
                "op2_lost[op2_lane];\n"
                "  if (op2_any)\n",
                f->l->lanes);
  each_lane(f, " if (op2_lost[op2_lane])");
}

/* Convert both parts to the type of the result. */
static void cast(const struct function *f) {
  const bool complex = op2i_simd_complex(&f->from);
  const enum op2i_c_base from = part_of(&f->from);
  for (int i = 0; i < (complex ? 2 : 1); i++) {
    const char *name = i ? "im" : "re";
    op2i_text_add(f->out, "  op2_result.op2_%s = ", name);
    if (complex && f->varying) op2i_simd_convert_begin(f->l, from, f->base, f->out);
    op2i_text_add(f->out, complex ? "op2_a.op2_%s" : "op2_a", name);
    if (complex && f->varying) op2i_simd_convert_end(f->l, from, f->base, f->out);
    op2i_text_add(f->out, ";\n");
  }
  if (complex) return;
  op2i_text_add(f->out, "  op2_result.op2_im = (");
  number_name(f);
  op2i_text_add(f->out, "){0};\n");
}

/* A function of <complex.h>, lane by lane. */
static void number_of(const struct function *f) {
  const char *lane = f->varying ? "[op2_lane]" : "";
  if (f->varying)
    op2i_text_add(f->out, "  for (int op2_lane = 0; op2_lane < %d; op2_lane++)", f->l->lanes);
  op2i_text_add(f->out,
                "  {\n    %s _Complex op2_x;\n"
                "    __real__ op2_x = op2_a.op2_re%s, __imag__ op2_x = op2_a.op2_im%s;\n"
                "    op2_result%s = __builtin_%s%s(op2_x);\n  }\n",
                op2i_simd_scalar_name(f->base), lane, lane, lane, f->op,
                f->base == OP2I_C_F32 ? "f" : "");
}

static void body(const struct function *f) {
  if (!op2i_simd_complex(&f->type))
    number_of(f);
  else if (is(f, "cast"))
    cast(f);
  else if (is(f, "negate") || is(f, "conjugate"))
    op2i_text_add(f->out,
                  "  op2_result.op2_re = %sop2_a.op2_re;\n  op2_result.op2_im = -op2_a.op2_im;\n",
                  is(f, "negate") ? "-" : "");
  else if (is(f, "/") && f->right)
    each_lane(f, ""); /* the left operand has been made complex */
  else if (is(f, "*") && f->left && f->right)
    product(f);
  else
    each_part(f);
}

/* Append the name of the function, which shows all that it depends on. */
static void add_name(const struct function *f, struct op2i_text *out) {
  static const char *const words[][2] = {
      {"+", "add"}, {"-", "subtract"}, {"*", "multiply"}, {"/", "divide"}};
  const char *word = f->op;
  for (int i = 0; i < 4; i++)
    if (is(f, words[i][0])) word = words[i][1];
  op2i_text_add(out, "OP2_NAME(%sop2_complex_%s_%d_%d%d%d%s)", f->l->request->rewrite->prefix, word,
                8 * op2i_simd_size(f->base), f->varying, f->left, f->right, f->whole ? "w" : "");
}

static void operand(const struct function *f, bool complex, const char *name) {
  if (complex && (is(f, "cast") || !op2i_simd_complex(&f->type)))
    type_name(f, &f->from);
  else if (complex)
    type_name(f, &f->type);
  else
    number_name(f);
  op2i_text_add(f->out, " %s", name);
}

static void add_function(struct op2i_simd *l, const struct op2i_simd_node *e,
                         struct op2i_text *out);

static void made_complex(const struct function *f, bool complex, const char *name) {
  if (!complex) op2i_text_add(f->out, "(");
  if (!complex) type_name(f, &f->type);
  op2i_text_add(f->out, complex ? "%s" : "){%s, (", name);
  if (!complex) number_name(f);
  op2i_text_add(f->out, complex ? "" : "){0}}");
}

/* Some compilers make an integer complex before they add or multiply, and some do not. Their own sum
 * shows which: -0 + 0 is 0. */
static void as_complex(const struct function *f, const struct op2i_simd_node *e) {
  const struct op2i_simd_node operand = {.type = f->type};
  struct op2i_simd_node both = *e, left = operand, right = operand;
  both.a = &left;
  both.b = &right;
  op2i_text_add(f->out, "  double _Complex op2_zero;\n"
                        "  __real__ op2_zero = 0, __imag__ op2_zero = -0.0;\n"
                        "  if (!__builtin_signbit(__imag__(1 + op2_zero)))\n    return ");
  add_function(f->l, &both, f->out);
  op2i_text_add(f->out, "(");
  made_complex(f, f->left, "op2_a");
  op2i_text_add(f->out, ", ");
  made_complex(f, f->right, "op2_b");
  op2i_text_add(f->out, ");\n");
}

static void define(const struct function *f, const char *name, const struct op2i_simd_node *e) {
  const bool binary = e->b != NULL;
  op2i_text_add(f->out, "OP2_LANES_INLINE ");
  type_name(f, &f->type);
  op2i_text_add(f->out, " %s(", name);
  operand(f, f->left, "op2_a");
  if (binary) op2i_text_add(f->out, ", ");
  if (binary) operand(f, f->right, "op2_b");
  op2i_text_add(f->out, ") {\n  ");
  type_name(f, &f->type);
  op2i_text_add(f->out, " op2_result;\n");
  if (f->whole) as_complex(f, e);
  body(f);
  op2i_text_add(f->out, "  return op2_result;\n}\n");
}

static bool is_whole(const struct op2i_simd_node *e) {
  return e->type.nlevels == 0 && e->type.base <= OP2I_C_U64;
}

static struct function function_of(struct op2i_simd *l, const struct op2i_simd_node *e,
                                   struct op2i_text *out) {
  return (struct function){.l = l,
                           .op = e->op,
                           .varying = e->varying,
                           .left = op2i_simd_complex(&e->a->type),
                           .right = e->b && op2i_simd_complex(&e->b->type),
                           .whole = e->b && (is_whole(e->a) || is_whole(e->b)),
                           .type = e->type,
                           .from = e->a->type,
                           .base = part_of(&e->type),
                           .out = out};
}

/* Append the name, and its definition once. */
static void add_function(struct op2i_simd *l, const struct op2i_simd_node *e,
                         struct op2i_text *out) {
  struct op2i_text name = {0}, text = {0};
  const struct function f = function_of(l, e, &text);
  add_name(&f, &name);
  if (name.failed) l->failed = true;
  if (!l->failed) op2i_text_add(out, "%s", name.chars);
  if (!l->failed && op2i_simd_lacks(l, name.chars)) {
    define(&f, name.chars, e);
    if (text.failed) l->failed = true;
    if (!l->failed) op2i_text_bytes(&l->records, text.chars, text.length);
  }
  op2i_text_free(&text);
  op2i_text_free(&name);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_operand(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                          const struct op2i_simd_node *operand) {
  const struct op2i_c_type number = {.base = part_of(&e->type)};
  const bool complex = op2i_simd_complex(&operand->type);
  op2i_simd_print_value(p, operand, complex ? &operand->type : &number, e->varying, 1);
}

void op2i_simd_print_complex(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  if (strcmp(e->op, "unit") == 0) {
    op2i_text_add(p->out, "(");
    op2i_simd_base_name(p->l, &e->type, false, p->out);
    op2i_text_add(p->out, "){0, 1}");
    return;
  }
  p->l->divides = p->l->divides || (e->varying && *e->op == '/');
  add_function(p->l, e, p->out);
  op2i_text_add(p->out, "(");
  print_operand(p, e, e->a);
  if (e->b) op2i_text_add(p->out, ", ");
  if (e->b) print_operand(p, e, e->b);
  op2i_text_add(p->out, ")");
}
