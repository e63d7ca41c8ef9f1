/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "support_rkernel.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

const struct rconst rconsts[R_CONSTS] = {
    {"kilo", OP2_I32, 1}, {"gamma_1", OP2_F64, 1}, {"weights", OP2_F64, 3}, {"masks", OP2_U16, 2}};

/* ---- values ---------------------------------------------------------------------------------------------- */

bool is_float(op2_type type) { return type == OP2_F64 || type == OP2_F32; }

static const struct {
  size_t size;
  const char *name;
} types[] = {[OP2_F64] = {8, "double"},   [OP2_F32] = {4, "float"},    [OP2_I8] = {1, "int8_t"},
             [OP2_I16] = {2, "int16_t"},  [OP2_I32] = {4, "int32_t"},  [OP2_I64] = {8, "int64_t"},
             [OP2_U8] = {1, "uint8_t"},   [OP2_U16] = {2, "uint16_t"}, [OP2_U32] = {4, "uint32_t"},
             [OP2_U64] = {8, "uint64_t"}};

size_t size_of(op2_type type) { return types[type].size; }
const char *c_name(op2_type type) { return types[type].name; }

/* Integers are held as what conversion to uint64_t makes of them. */
union rvalue load(op2_type type, const void *at) {
  union rvalue v = {0};
  switch (type) {
  case OP2_F64: v.d = *(const double *)at; break;
  case OP2_F32: v.f = *(const float *)at; break;
  case OP2_I8: v.u = (uint64_t)*(const int8_t *)at; break;
  case OP2_I16: v.u = (uint64_t)*(const int16_t *)at; break;
  case OP2_I32: v.u = (uint64_t)*(const int32_t *)at; break;
  case OP2_I64: v.u = (uint64_t)*(const int64_t *)at; break;
  case OP2_U8: v.u = *(const uint8_t *)at; break;
  case OP2_U16: v.u = *(const uint16_t *)at; break;
  case OP2_U32: v.u = *(const uint32_t *)at; break;
  case OP2_U64: v.u = *(const uint64_t *)at; break;
  }
  return v;
}

void store(op2_type type, void *at, union rvalue v) {
  switch (type) {
  case OP2_F64: *(double *)at = v.d; break;
  case OP2_F32: *(float *)at = v.f; break;
  case OP2_I8: *(int8_t *)at = (int8_t)v.u; break;
  case OP2_I16: *(int16_t *)at = (int16_t)v.u; break;
  case OP2_I32: *(int32_t *)at = (int32_t)v.u; break;
  case OP2_I64: *(int64_t *)at = (int64_t)v.u; break;
  case OP2_U8: *(uint8_t *)at = (uint8_t)v.u; break;
  case OP2_U16: *(uint16_t *)at = (uint16_t)v.u; break;
  case OP2_U32: *(uint32_t *)at = (uint32_t)v.u; break;
  case OP2_U64: *(uint64_t *)at = v.u; break;
  }
}

static union rvalue cut(op2_type type, union rvalue v) {
  unsigned char room[8];
  if (is_float(type)) return v;
  store(type, room, v);
  return load(type, room);
}

bool less(op2_type type, union rvalue a, union rvalue b) {
  switch (type) {
  case OP2_F64: return a.d < b.d;
  case OP2_F32: return a.f < b.f;
  case OP2_I8:
  case OP2_I16:
  case OP2_I32:
  case OP2_I64: return (int64_t)a.u < (int64_t)b.u;
  default: return a.u < b.u;
  }
}

union rvalue plus(op2_type type, union rvalue a, union rvalue b) {
  union rvalue v = {0};
  if (type == OP2_F64) v.d = a.d + b.d;
  else if (type == OP2_F32) v.f = a.f + b.f;
  else v.u = a.u + b.u;
  return cut(type, v);
}

double as_double(op2_type type, union rvalue v) {
  switch (type) {
  case OP2_F64: return v.d;
  case OP2_F32: return (double)v.f;
  case OP2_I8:
  case OP2_I16:
  case OP2_I32:
  case OP2_I64: return (double)(int64_t)v.u;
  default: return (double)v.u;
  }
}

/* ---- evaluation ------------------------------------------------------------------------------------------ */

/* Expressions are of one domain: OP2_U64, OP2_F64 or OP2_F32. */
static union rvalue bring(op2_type domain, op2_type type, union rvalue v) {
  union rvalue out = {0};
  if (domain == OP2_U64) return v;
  if (domain == OP2_F64) {
    out.d = type == OP2_F64 ? v.d : (double)(v.u & 255) * 0.00390625;
  } else {
    out.f = type == OP2_F32 ? v.f : type == OP2_F64 ? (float)v.d : (float)(v.u & 255) * 0.00390625f;
  }
  return out;
}

static union rvalue integer(const struct rnode *n, uint64_t a, uint64_t b, uint64_t c) {
  union rvalue v = {0};
  switch (n->op) {
  case R_ADD: v.u = a + b; break;
  case R_SUB: v.u = a - b; break;
  case R_MUL: v.u = a * b; break;
  case R_AND: v.u = a & b; break;
  case R_OR: v.u = a | b; break;
  case R_XOR: v.u = a ^ b; break;
  case R_SHIFT: v.u = a >> n->number; break;
  case R_LESS: v.u = a < b ? a : b; break;
  case R_MORE: v.u = a > b ? a : b; break;
  default: v.u = a < b ? b : c; break;
  }
  return v;
}

static double floating(const struct rnode *n, double a, double b) {
  switch (n->op) {
  case R_MEAN: return 0.5 * a + 0.5 * b;
  case R_DIFF: return 0.5 * a - 0.5 * b;
  case R_SCALE: return (double)(int64_t)n->number / 64 * a;
  case R_ABS: return a < 0 ? -a : a;
  case R_SQUASH: return a / (1 + a * a);
  case R_LESS: return a < b ? a : b;
  default: return a > b ? a : b;
  }
}

static float floating_f(const struct rnode *n, float a, float b) {
  switch (n->op) {
  case R_MEAN: return 0.5f * a + 0.5f * b;
  case R_DIFF: return 0.5f * a - 0.5f * b;
  case R_SCALE: return (float)(int64_t)n->number / 64 * a;
  case R_ABS: return a < 0 ? -a : a;
  case R_SQUASH: return a / (1 + a * a);
  case R_LESS: return a < b ? a : b;
  default: return a > b ? a : b;
  }
}

static union rvalue eval(const struct rkernel *k, const struct rframe *f, int at, op2_type domain) {
  const struct rnode *n = &k->nodes[at];
  union rvalue v = {0};
  switch (n->op) {
  case R_LITERAL:
    v.u = n->number;
    if (domain == OP2_F64) v.d = (double)(int64_t)n->number / 64;
    if (domain == OP2_F32) v.f = (float)(int64_t)n->number / 64;
    return v;
  case R_CONST: return bring(domain, rconsts[n->a].type, f->cst[n->a][n->b]);
  case R_LEAF: {
    const struct rarg *arg = &k->args[n->a];
    return bring(domain, arg->type, f->arg[n->a][n->b * arg->dim + n->c]);
  }
  default: break;
  }
  const union rvalue a = eval(k, f, n->a, domain);
  const union rvalue b = n->b < 0 ? a : eval(k, f, n->b, domain), c = n->c < 0 ? a : eval(k, f, n->c, domain);
  if (domain == OP2_U64) return integer(n, a.u, b.u, c.u);
  if (domain == OP2_F64) v.d = floating(n, a.d, b.d);
  else v.f = floating_f(n, a.f, b.f);
  return v;
}

static op2_type domain_of(op2_type type) { return is_float(type) ? type : OP2_U64; }

/* What a statement does to the value before it takes effect; the text of print_statement() says the same. */
static union rvalue finish(const struct rstatement *s, op2_type type, union rvalue v) {
  if (s->effect == R_PLUS) {
    if (type == OP2_F64) v.d = 0.25 * (v.d / (1 + v.d * v.d));
    else if (type == OP2_F32) v.f = 0.25f * (v.f / (1 + v.f * v.f));
    else v.u &= 63;
  } else if (!is_float(type)) {
    v.u = (v.u & 65535) - 30000;
  }
  return cut(type, v);
}

void rkernel_run(const struct rkernel *k, struct rframe *f) {
  for (int i = 0; i < k->nstatements; i++) {
    const struct rstatement *s = &k->statements[i];
    const struct rarg *arg = &k->args[s->arg];
    union rvalue *to = &f->arg[s->arg][s->slot * arg->dim + s->comp];
    const union rvalue v = finish(s, arg->type, eval(k, f, s->value, domain_of(arg->type)));
    if (s->effect == R_STORE || (s->effect == R_LOWER && less(arg->type, v, *to)) ||
        (s->effect == R_RAISE && less(arg->type, *to, v)))
      *to = v;
    else if (s->effect == R_PLUS)
      *to = plus(arg->type, *to, v);
  }
}

/* ---- C text ---------------------------------------------------------------------------------------------- */

static void print_place(FILE *out, const struct rkernel *k, int a, int slot, int comp) {
  const struct rarg *arg = &k->args[a];
  switch (arg->kind) {
  case R_ALL: fprintf(out, "p%d[%d][%d]", a, slot, comp); break;
  case R_ITER: fprintf(out, "p%d[%d]", a, slot * arg->dim + comp); break;
  case R_IDX: fprintf(out, arg->form >= 3 ? "*p%d" : "p%d", a); break;
  case R_VAL: fprintf(out, arg->dim == 1 && arg->form ? "p%d" : "p%d[%d]", a, comp); break;
  default: fprintf(out, "p%d[%d]", a, comp); break;
  }
}

static void open_bring(FILE *out, op2_type domain, op2_type type) {
  if (domain == OP2_U64) fputs("(uint64_t)", out);
  else if (!is_float(type)) fputs(domain == OP2_F64 ? "((double)((uint64_t)" : "((float)((uint64_t)", out);
  else if (domain != type) fputs("(float)", out);
}

static void close_bring(FILE *out, op2_type domain, op2_type type) {
  if (domain != OP2_U64 && !is_float(type)) fputs(domain == OP2_F64 ? " & 255) * 0.00390625)" : " & 255) * 0.00390625f)", out);
}

static void print(FILE *out, const struct rkernel *k, int at, op2_type domain);

static void print_binary(FILE *out, const struct rkernel *k, const struct rnode *n, op2_type domain, const char *before,
                         const char *between, const char *after) {
  fputs(before, out);
  print(out, k, n->a, domain);
  fputs(between, out);
  print(out, k, n->b, domain);
  fputs(after, out);
}

static void print_leaf(FILE *out, const struct rkernel *k, const struct rnode *n, op2_type domain) {
  if (n->op == R_LITERAL && domain == OP2_U64) {
    fprintf(out, "%lluull", (unsigned long long)n->number);
  } else if (n->op == R_LITERAL) {
    fprintf(out, "((%s)%.17g)", c_name(domain), (double)(int64_t)n->number / 64);
  } else if (n->op == R_CONST) {
    const struct rconst *c = &rconsts[n->a];
    open_bring(out, domain, c->type);
    fprintf(out, c->dim == 1 ? "%s" : "%s[%d]", c->name, n->b);
    close_bring(out, domain, c->type);
  } else {
    open_bring(out, domain, k->args[n->a].type);
    print_place(out, k, n->a, n->b, n->c);
    close_bring(out, domain, k->args[n->a].type);
  }
}

static void print(FILE *out, const struct rkernel *k, int at, op2_type domain) {
  const struct rnode *n = &k->nodes[at];
  const char *half = domain == OP2_F32 ? "(0.5f * " : "(0.5 * ";
  switch (n->op) {
  case R_ADD: print_binary(out, k, n, domain, "(", " + ", ")"); break;
  case R_SUB: print_binary(out, k, n, domain, "(", " - ", ")"); break;
  case R_MUL: print_binary(out, k, n, domain, "(", " * ", ")"); break;
  case R_AND: print_binary(out, k, n, domain, "(", " & ", ")"); break;
  case R_OR: print_binary(out, k, n, domain, "(", " | ", ")"); break;
  case R_XOR: print_binary(out, k, n, domain, "(", " ^ ", ")"); break;
  case R_MEAN: print_binary(out, k, n, domain, half, domain == OP2_F32 ? " + 0.5f * " : " + 0.5 * ", ")"); break;
  case R_DIFF: print_binary(out, k, n, domain, half, domain == OP2_F32 ? " - 0.5f * " : " - 0.5 * ", ")"); break;
  case R_LESS: print_binary(out, k, n, domain, domain == OP2_U64 ? "less(" : domain == OP2_F64 ? "less_d(" : "less_f(", ", ", ")"); break;
  case R_MORE: print_binary(out, k, n, domain, domain == OP2_U64 ? "more(" : domain == OP2_F64 ? "more_d(" : "more_f(", ", ", ")"); break;
  case R_PICK:
    print_binary(out, k, n, domain, "(", " < ", " ? ");
    print(out, k, n->b, domain);
    fputs(" : ", out);
    print(out, k, n->c, domain);
    fputs(")", out);
    break;
  case R_SHIFT:
    fputs("(", out);
    print(out, k, n->a, domain);
    fprintf(out, " >> %d)", (int)n->number);
    break;
  case R_SCALE:
    fprintf(out, "((%s)%.17g * ", c_name(domain), (double)(int64_t)n->number / 64);
    print(out, k, n->a, domain);
    fputs(")", out);
    break;
  case R_ABS:
  case R_SQUASH:
    fprintf(out, "%s%s(", n->op == R_ABS ? "magnitude" : "squash", domain == OP2_F32 ? "_f" : "_d");
    print(out, k, n->a, domain);
    fputs(")", out);
    break;
  default: print_leaf(out, k, n, domain); break;
  }
}

static void print_statement(FILE *out, const struct rkernel *k, const struct rstatement *s) {
  const struct rarg *arg = &k->args[s->arg];
  const op2_type type = arg->type;
  fprintf(out, "  { const %s v = (%s)", c_name(type), c_name(type));
  if (is_float(type) && s->effect == R_PLUS)
    fputs(type == OP2_F64 ? "(0.25 * squash_d(" : "(0.25f * squash_f(", out);
  else
    fputs("((", out);
  print(out, k, s->value, domain_of(type));
  fputs(is_float(type) ? "));" : s->effect == R_PLUS ? ") & 63);" : " & 65535) - 30000);", out);
  static const char *const guard[] = {"", "", "if (v < ", "if (v > "};
  fprintf(out, " %s", guard[s->effect]);
  if (s->effect >= R_LOWER) {
    print_place(out, k, s->arg, s->slot, s->comp);
    fputs(") ", out);
  }
  print_place(out, k, s->arg, s->slot, s->comp);
  fprintf(out, " %s v; }\n", s->effect == R_PLUS ? "+=" : "=");
}

static void print_parameter(FILE *out, const struct rkernel *k, int a) {
  static const char *const idx[] = {"int p%d", "int32_t p%d", "int64_t p%d", "const int64_t *p%d", "const int *p%d"};
  const struct rarg *arg = &k->args[a];
  const char *cst = arg->access == OP2_READ && arg->form % 2 ? "const " : "", *type = c_name(arg->type);
  if (a) fputs(", ", out);
  if (arg->kind == R_IDX) {
    fprintf(out, idx[arg->form], a);
  } else if (arg->kind == R_VAL) {
    if (arg->dim == 1 && arg->form) fprintf(out, "%s%s p%d", arg->form == 2 ? "const " : "", type, a);
    else fprintf(out, arg->form == 2 ? "const %s p%d[%d]" : "const %s *p%d", type, a, arg->dim);
  } else if (arg->kind == R_ALL) {
    if (arg->form < 2) fprintf(out, "%s%s **p%d", cst, type, a);
    else if (arg->form < 4) fprintf(out, "%s%s *p%d[%d]", cst, type, a, arg->slots);
    else fprintf(out, "%s *const *p%d", type, a);
  } else {
    if (arg->form < 2) fprintf(out, "%s%s *p%d", cst, type, a);
    else if (arg->form < 4) fprintf(out, "%s%s p%d[%d]", cst, type, a, arg->dim * arg->slots);
    else fprintf(out, "%s *\n/* a comment, with (parentheses */ p%d", type, a);
  }
}

static const char helpers[] =
    "static inline uint64_t less(uint64_t a, uint64_t b) { return a < b ? a : b; }\n"
    "static inline uint64_t more(uint64_t a, uint64_t b) { return a > b ? a : b; }\n"
    "static inline double less_d(double a, double b) { return a < b ? a : b; }\n"
    "static inline double more_d(double a, double b) { return a > b ? a : b; }\n"
    "static inline float less_f(float a, float b) { return a < b ? a : b; }\n"
    "static inline float more_f(float a, float b) { return a > b ? a : b; }\n"
    "static inline double magnitude_d(double a) { return a < 0 ? -a : a; }\n"
    "static inline float magnitude_f(float a) { return a < 0 ? -a : a; }\n"
    "static inline double squash_d(double a) { return a / (1 + a * a); }\n"
    "static inline float squash_f(float a) { return a / (1 + a * a); }\n";

static void print_kernel(struct rkernel *k) {
  size_t size;
  FILE *out = open_memstream(&k->source, &size);
  fprintf(out, "%svoid %s(", helpers, k->name);
  for (int a = 0; a < k->nargs; a++) print_parameter(out, k, a);
  fputs(") {\n", out);
  for (int i = 0; i < k->nstatements; i++) print_statement(out, k, &k->statements[i]);
  fputs("}\n", out);
  fclose(out);
}

/* ---- making one ------------------------------------------------------------------------------------------ */

struct maker {
  struct rkernel *k;
  uint64_t random;
  bool uniform; /* no leaf that depends on the element, the same for every slot: colliding WRITEs agree */
};

static op2_type random_type(uint64_t *r) {
  static const op2_type list[] = {OP2_F64, OP2_F64, OP2_F64, OP2_F64, OP2_F64, OP2_I32, OP2_I32, OP2_I32, OP2_F32,
                                  OP2_F32, OP2_I64, OP2_U32, OP2_U8,  OP2_I8,  OP2_I16, OP2_U16, OP2_U64};
  return list[draw_below(r, (int)(sizeof list / sizeof list[0]))];
}

static int random_dim(uint64_t *r) {
  static const int list[] = {1, 1, 1, 1, 2, 2, 3, 4, 4, 5};
  return list[draw_below(r, 10)];
}

static int map_group(struct maker *m, bool distinct) {
  struct rkernel *k = m->k;
  int g = draw_below(&m->random, k->nmaps + 1);
  if (g == k->nmaps || g == 3) {
    if (k->nmaps == 3) g = 2;
    else k->maps[k->nmaps++] = (struct rmapgroup){1 + draw_below(&m->random, R_ARITY), draw_below(&m->random, R_ROLES), false};
  }
  k->maps[g].distinct |= distinct;
  return g;
}

/* Whether two arguments may name the same dat: all reading, all combining alike, increments beside reads (the kernel sees
 * the values from before its own increments), or different slots of one map whose rows have no repeats. */
static bool compatible(struct maker *m, const struct rarg *a, const struct rarg *b) {
  if (a->access == OP2_READ && b->access == OP2_READ) return true;
  if (a->access == b->access && a->access >= OP2_INC) return true;
  if ((a->access == OP2_READ && b->access == OP2_INC) || (a->access == OP2_INC && b->access == OP2_READ))
    return draw_below(&m->random, 3) == 0;
  if (a->kind == R_SLOT && b->kind == R_SLOT && a->map == b->map && a->slot != b->slot &&
      (a->access == OP2_READ || b->access == OP2_READ || a->access == b->access)) {
    m->k->maps[a->map].distinct = true;
    return true;
  }
  return false;
}

/* Give the argument a dat: one of another argument, or one of its own. */
static void dat_group(struct maker *m, struct rarg *arg) {
  struct rkernel *k = m->k;
  const int role = arg->map < 0 ? 0 : k->maps[arg->map].role;
  for (int g = 0; g < k->ndats; g++) {
    if (k->dats[g].role != role || draw_below(&m->random, 2)) continue;
    bool fits = true;
    for (int a = 0; a < k->nargs; a++)
      if (k->args[a].kind <= R_ITER && k->args[a].dat == g) fits = fits && compatible(m, &k->args[a], arg);
    if (!fits) continue;
    arg->dat = g;
    arg->type = k->dats[g].type;
    arg->dim = k->dats[g].dim;
    return;
  }
  arg->dat = k->ndats;
  k->dats[k->ndats++] = (struct rdatgroup){role, arg->type, arg->dim};
}

static op2_access random_access(uint64_t *r, bool writes) {
  static const op2_access list[] = {OP2_WRITE, OP2_RW, OP2_RW, OP2_INC, OP2_INC, OP2_INC, OP2_MIN, OP2_MAX};
  return writes ? list[draw_below(r, 8)] : OP2_READ;
}

static void add_dat(struct maker *m, bool writes) {
  struct rkernel *k = m->k;
  uint64_t *r = &m->random;
  struct rarg arg = {.kind = R_DIRECT, .access = random_access(r, writes), .type = random_type(r), .dim = random_dim(r),
                     .slots = 1, .map = -1, .form = draw_below(r, 5)};
  if (draw_below(r, 3)) {
    static const enum rkind kinds[] = {R_SLOT, R_SLOT, R_ALL, R_ITER};
    arg.kind = kinds[draw_below(r, 4)];
    arg.map = map_group(m, arg.kind != R_SLOT && arg.access == OP2_RW);
    const int arity = k->maps[arg.map].arity;
    arg.slot = draw_below(r, arity);
    if (arg.kind != R_SLOT) arg.slots = arity;
    k->indirect_write |= writes;
  }
  dat_group(m, &arg);
  /* Extents of an iteration space agree: one map group has one arity, and each group takes its own space. */
  if (arg.kind == R_ITER) arg.slot = arg.map < 2 ? arg.map : 0;
  if (arg.kind == R_ITER && arg.map == 2 && k->maps[2].arity != k->maps[0].arity) arg.kind = R_ALL;
  k->args[k->nargs++] = arg;
}

static void add_gbl(struct maker *m, bool writes) {
  static const op2_access list[] = {OP2_INC, OP2_INC, OP2_MIN, OP2_MAX};
  struct rkernel *k = m->k;
  uint64_t *r = &m->random;
  struct rarg arg = {.kind = R_GBL, .access = writes ? list[draw_below(r, 4)] : OP2_READ, .type = random_type(r),
                     .dim = random_dim(r), .slots = 1, .map = -1, .form = draw_below(r, 4)};
  arg.dat = k->ndats;
  k->dats[k->ndats++] = (struct rdatgroup){-1, arg.type, arg.dim};
  k->args[k->nargs++] = arg;
}

static void add_value(struct maker *m) {
  uint64_t *r = &m->random;
  struct rarg arg = {.kind = R_VAL, .access = OP2_READ, .type = random_type(r), .dim = random_dim(r), .slots = 1,
                     .map = -1, .dat = -1, .form = draw_below(r, 3)};
  m->k->args[m->k->nargs++] = arg;
}

static void add_idx(struct maker *m) {
  struct rarg arg = {.kind = R_IDX, .access = OP2_READ, .type = OP2_I64, .dim = 1, .slots = 1, .map = -1, .dat = -1,
                     .form = draw_below(&m->random, 5)};
  m->k->args[m->k->nargs++] = arg;
}

static int node(struct maker *m, struct rnode n) {
  m->k->nodes[m->k->nnodes] = n;
  return m->k->nnodes++;
}

static int literal(struct maker *m, op2_type domain) {
  const int n = draw_below(&m->random, 129);
  return node(m, (struct rnode){R_LITERAL, -1, -1, -1, domain == OP2_U64 ? (uint64_t)n : (uint64_t)(int64_t)(n - 64)});
}

static bool readable(const struct maker *m, const struct rarg *arg, op2_type domain) {
  if (arg->access != OP2_READ && arg->access != OP2_RW) return false;
  if (domain == OP2_U64 && is_float(arg->type)) return false;
  if (domain == OP2_F64 && arg->type == OP2_F32) return false; /* its rounding would show */
  return !m->uniform || arg->kind == R_GBL || arg->kind == R_VAL;
}

static int leaf(struct maker *m, op2_type domain) {
  struct rkernel *k = m->k;
  uint64_t *r = &m->random;
  for (int tries = 0; tries < 6; tries++) {
    const int a = draw_below(r, k->nargs + 1);
    if (a == k->nargs) {
      const int c = draw_below(r, R_CONSTS);
      if (domain == OP2_U64 && is_float(rconsts[c].type)) continue;
      return node(m, (struct rnode){R_CONST, c, draw_below(r, rconsts[c].dim), -1, 0});
    }
    const struct rarg *arg = &k->args[a];
    if (!readable(m, arg, domain)) continue;
    return node(m, (struct rnode){R_LEAF, a, draw_below(r, arg->slots), draw_below(r, arg->dim), 0});
  }
  return literal(m, domain);
}

static int expression(struct maker *m, op2_type domain, int depth) {
  static const enum rop integers[] = {R_ADD, R_SUB, R_MUL, R_AND, R_OR, R_XOR, R_SHIFT, R_LESS, R_MORE, R_PICK};
  static const enum rop floats[] = {R_MEAN, R_MEAN, R_DIFF, R_SCALE, R_ABS, R_SQUASH, R_LESS, R_MORE};
  uint64_t *r = &m->random;
  if (depth == 0 || m->k->nnodes > R_NODES - 400 || draw_below(r, 5) == 0) return leaf(m, domain);
  struct rnode n = {R_LITERAL, -1, -1, -1, 0};
  n.op = domain == OP2_U64 ? integers[draw_below(r, 10)] : floats[draw_below(r, 8)];
  n.a = expression(m, domain, depth - 1);
  if (n.op == R_SHIFT) n.number = (uint64_t)draw_below(r, 6);
  else if (n.op == R_SCALE) n.number = (uint64_t)(int64_t)(draw_below(r, 129) - 64);
  else if (n.op != R_ABS && n.op != R_SQUASH) n.b = expression(m, domain, depth - 1);
  if (n.op == R_PICK) n.c = expression(m, domain, depth - 1);
  return node(m, n);
}

/* Returns the value's expression; `value` is one to use again, or -1. */
static int add_statement(struct maker *m, int a, int slot, int comp, int value) {
  static const enum reffect effects[] = {
      [OP2_WRITE] = R_STORE, [OP2_RW] = R_STORE, [OP2_INC] = R_PLUS, [OP2_MIN] = R_LOWER, [OP2_MAX] = R_RAISE};
  struct rkernel *k = m->k;
  const struct rarg *arg = &k->args[a];
  if (k->nstatements == R_STATEMENTS) return value;
  const op2_type domain = domain_of(arg->type);
  if (value < 0) value = expression(m, domain, 2);
  if (arg->access == OP2_RW) {
    const int self = node(m, (struct rnode){R_LEAF, a, slot, comp, 0});
    static const enum rop with[] = {R_ADD, R_XOR, R_MUL};
    value = node(m, (struct rnode){domain == OP2_U64 ? with[draw_below(&m->random, 3)] : R_MEAN, self, value, -1, 0});
  }
  k->statements[k->nstatements++] = (struct rstatement){a, slot, comp, value, effects[arg->access]};
  return value;
}

static void add_statements(struct maker *m, int a) {
  const struct rarg *arg = &m->k->args[a];
  if (arg->access == OP2_READ) return;
  int values[R_DIM] = {-1, -1, -1, -1, -1};
  m->uniform = arg->access == OP2_WRITE && arg->map >= 0 && draw_below(&m->random, 2);
  for (int s = 0; s < arg->slots; s++)
    for (int c = 0; c < arg->dim; c++)
      if (arg->access == OP2_WRITE || draw_below(&m->random, 4)) {
        const int value = add_statement(m, a, s, c, values[c]);
        if (m->uniform) values[c] = value;
      }
  m->uniform = false;
}

/* WRITE arguments must be written whole: at most two modified dats keep the statements within bounds. */
struct rkernel *rkernel_make(uint64_t seed, int number) {
  struct rkernel *k = calloc(1, sizeof *k);
  struct maker m = {k, seed * 1000003u + (uint64_t)number, false};
  uint64_t *r = &m.random;
  if (!k) exit(2);
  snprintf(k->name, sizeof k->name, "random_%d", number);
  add_dat(&m, true);
  if (draw_below(r, 3) == 0) add_dat(&m, true);
  for (int i = draw_below(r, 3); i > 0; i--) add_dat(&m, false);
  if (draw_below(r, 4) == 0) add_gbl(&m, true);
  if (draw_below(r, 4) == 0) add_gbl(&m, false);
  if (draw_below(r, 4) == 0) add_value(&m);
  if (draw_below(r, 4) == 0) add_idx(&m);
  for (int i = k->nargs - 1; i > 0; i--) {
    const int j = draw_below(r, i + 1);
    const struct rarg swap = k->args[i];
    k->args[i] = k->args[j];
    k->args[j] = swap;
  }
  for (int a = 0; a < k->nargs; a++) add_statements(&m, a);
  print_kernel(k);
  return k;
}

void rkernel_free(struct rkernel *k) {
  if (!k) return;
  free(k->source);
  free(k);
}
