/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints random kernels as C text and random programs as readable lists. */
#define _XOPEN_SOURCE 700
#include "support_rprogram.h"

/* ---- kernels -------------------------------------------------------------------------------- */

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
  if (domain == OP2_U64)
    fputs("(uint64_t)", out);
  else if (!is_float(type))
    fputs(domain == OP2_F64 ? "((double)((uint64_t)" : "((float)((uint64_t)", out);
  else if (domain != type)
    fputs("(float)", out);
}

static void close_bring(FILE *out, op2_type domain, op2_type type) {
  if (domain != OP2_U64 && !is_float(type))
    fputs(domain == OP2_F64 ? " & 255) * 0.00390625)" : " & 255) * 0.00390625f)", out);
}

static void print(FILE *out, const struct rkernel *k, int at, op2_type domain);

static void print_binary(FILE *out, const struct rkernel *k, const struct rnode *n, op2_type domain,
                         const char *before, const char *between, const char *after) {
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

struct binary {
  const char *before, *between;
};

/* The text of an operation on two operands in integers, doubles and floats. */
static const struct binary *spelling(enum rop op, op2_type domain) {
  static const struct binary table[][3] = {
      [R_ADD] = {{"(", " + "}},
      [R_SUB] = {{"(", " - "}},
      [R_MUL] = {{"(", " * "}},
      [R_AND] = {{"(", " & "}},
      [R_OR] = {{"(", " | "}},
      [R_XOR] = {{"(", " ^ "}},
      [R_MEAN] = {{NULL, NULL}, {"(0.5 * ", " + 0.5 * "}, {"(0.5f * ", " + 0.5f * "}},
      [R_DIFF] = {{NULL, NULL}, {"(0.5 * ", " - 0.5 * "}, {"(0.5f * ", " - 0.5f * "}},
      [R_LESS] = {{"less(", ", "}, {"less_d(", ", "}, {"less_f(", ", "}},
      [R_MORE] = {{"more(", ", "}, {"more_d(", ", "}, {"more_f(", ", "}},
      [R_PICK] = {{NULL, NULL}}};
  const struct binary *found = &table[op][domain == OP2_U64 ? 0 : domain == OP2_F64 ? 1 : 2];
  return found->before ? found : NULL;
}

/* Operations on one operand and a number. */
static void print_unary(FILE *out, const struct rkernel *k, const struct rnode *n,
                        op2_type domain) {
  const char letter = domain == OP2_F32 ? 'f' : 'd';
  if (n->op == R_SCALE)
    fprintf(out, "((%s)%.17g * ", c_name(domain), (double)(int64_t)n->number / 64);
  else if (n->op == R_SHIFT)
    fputc('(', out);
  else
    fprintf(out, "%s_%c(", n->op == R_ABS ? "magnitude" : "squash", letter);
  print(out, k, n->a, domain);
  if (n->op == R_SHIFT) fprintf(out, " >> %d", (int)n->number);
  fputc(')', out);
}

static void print(FILE *out, const struct rkernel *k, int at, op2_type domain) {
  const struct rnode *n = &k->nodes[at];
  const struct binary *binary = n->op <= R_LEAF ? NULL : spelling(n->op, domain);
  if (n->op <= R_LEAF) {
    print_leaf(out, k, n, domain);
  } else if (n->op == R_PICK) {
    print_binary(out, k, n, domain, "(", " < ", " ? ");
    print(out, k, n->b, domain);
    fputs(" : ", out);
    print(out, k, n->c, domain);
    fputc(')', out);
  } else if (binary) {
    print_binary(out, k, n, domain, binary->before, binary->between, ")");
  } else {
    print_unary(out, k, n, domain);
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
  static const char *const idx[] = {"int p%d", "int32_t p%d", "int64_t p%d", "const int64_t *p%d",
                                    "const int *p%d"};
  const struct rarg *arg = &k->args[a];
  const char *cst = arg->access == OP2_READ && arg->form % 2 ? "const " : "",
             *type = c_name(arg->type);
  if (a) fputs(", ", out);
  if (arg->kind == R_IDX) {
    fprintf(out, idx[arg->form], a);
  } else if (arg->kind == R_VAL) {
    if (arg->dim == 1 && arg->form)
      fprintf(out, "%s%s p%d", arg->form == 2 ? "const " : "", type, a);
    else
      fprintf(out, arg->form == 2 ? "const %s p%d[%d]" : "const %s *p%d", type, a, arg->dim);
  } else if (arg->kind == R_ALL) {
    if (arg->form < 2)
      fprintf(out, "%s%s **p%d", cst, type, a);
    else if (arg->form < 4)
      fprintf(out, "%s%s *p%d[%d]", cst, type, a, arg->slots);
    else
      fprintf(out, "%s *const *p%d", type, a);
  } else {
    if (arg->form < 2)
      fprintf(out, "%s%s *p%d", cst, type, a);
    else if (arg->form < 4)
      fprintf(out, "%s%s p%d[%d]", cst, type, a, arg->dim * arg->slots);
    else
      fprintf(out, "%s *\n/* a comment, with (parentheses */ p%d", type, a);
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

char *rkernel_text(const struct rkernel *k) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fprintf(out, "%svoid %s(", helpers, k->name);
  for (int a = 0; a < k->nargs; a++) print_parameter(out, k, a);
  fputs(") {\n", out);
  for (int i = 0; i < k->nstatements; i++) print_statement(out, k, &k->statements[i]);
  fputs("}\n", out);
  fclose(out);
  return text;
}

/* ---- programs ------------------------------------------------------------------------------- */

static const char *const access_names[] = {"?", "READ", "WRITE", "RW", "INC", "MIN", "MAX"};

static void print_argument(FILE *out, const struct rcall *call, int a) {
  const struct rarg *arg = &call->kernel->args[a];
  const char *mode = access_names[arg->access];
  switch (arg->kind) {
  case R_DIRECT: fprintf(out, " d%d.%s", call->dat[arg->dat], mode); break;
  case R_SLOT:
    fprintf(out, " d%d.%s@m%d[%d]", call->dat[arg->dat], mode, call->map[arg->map], arg->slot);
    break;
  case R_ALL: fprintf(out, " d%d.%s@m%d[*]", call->dat[arg->dat], mode, call->map[arg->map]); break;
  case R_ITER:
    fprintf(out, " d%d.%s@m%d[i%d]", call->dat[arg->dat], mode, call->map[arg->map], arg->slot);
    break;
  case R_GBL: fprintf(out, " g%d.%s", call->dat[arg->dat], mode); break;
  case R_INFO: fprintf(out, " g%d.info", call->dat[arg->dat]); break;
  case R_VAL: fprintf(out, " val(%s x%d)", c_name(arg->type), arg->dim); break;
  case R_IDX: fputs(" idx", out); break;
  }
}

static void print_call(FILE *out, const struct rcall *call) {
  fprintf(out, "%s over s%d:", call->kernel->name, call->set);
  for (int a = 0; a < call->kernel->nargs; a++) print_argument(out, call, a);
}

static void print_object(FILE *out, const struct rprogram *p, const struct roperation *o) {
  if (o->step == P_SET || o->step == P_SUBSET) {
    const struct rset *s = &p->sets[o->a];
    fprintf(out, "s%d: ends %d %d %d %d", o->a, (int)s->ends[0], (int)s->ends[1], (int)s->ends[2],
            (int)s->ends[3]);
    if (s->parent >= 0) fprintf(out, ", subset of s%d:", s->parent);
    for (int64_t i = 0; i < s->count && i < 40; i++) fprintf(out, " %d", (int)s->position[i]);
  } else if (o->step == P_MAP) {
    const struct rmap *m = &p->maps[o->a];
    const int64_t n = p->sets[m->from].ends[3] * m->arity;
    fprintf(out, "m%d: s%d -> s%d x%d%s:", o->a, m->from, m->to, m->arity,
            m->distinct ? ", distinct" : "");
    for (int64_t i = 0; i < n && i < 80; i++)
      fprintf(out, "%s%d", i % m->arity ? " " : " | ", m->idx[i]);
  } else if (o->step == P_DAT) {
    const struct rdat *d = &p->dats[o->a];
    fprintf(out, "d%d: %s x%d on s%d%s%s", o->a, c_name(d->type), d->dim, d->set,
            d->wrapped ? ", wrapped" : "", d->bare ? ", without data" : "");
  } else {
    fprintf(out, "g%d: %s x%d", o->a, c_name(p->gbls[o->a].type), p->gbls[o->a].dim);
  }
}

void rprogram_print(const struct rprogram *p, FILE *out) {
  static const char *const words[] = {
      [P_KILL_MAP] = "give up m", [P_KILL_DAT] = "give up d",   [P_KILL_GBL] = "give up g",
      [P_ENQUEUE] = "enqueue o",  [P_COMPUTE] = "compute o",    [P_KILL_OBJECT] = "give up o",
      [P_GET] = "get d",          [P_GET_HALO] = "get whole d", [P_READ] = "read scope of d",
      [P_PUT] = "put d",          [P_PUT_HALO] = "put whole d", [P_EDIT] = "write scope of d",
      [P_GBL_GET] = "get g",      [P_GBL_PUT] = "put g",        [P_CONST_PUT] = "put constant "};
  fprintf(out, "program %d of seed %llu, %d loops\n", p->number, (unsigned long long)p->seed,
          p->loops);
  for (int i = 0; i < p->noperations; i++) {
    const struct roperation *o = &p->operations[i];
    fprintf(out, "%3d ", i);
    if (o->step <= P_GBL)
      print_object(out, p, o);
    else if (o->step == P_LOOP)
      print_call(out, o->call);
    else if (o->step == P_OBJECT)
      fprintf(out, "o%d = ", o->a), print_call(out, o->call);
    else if (o->step == P_FLUSH)
      fputs("flush", out);
    else
      fprintf(out, "%s%d", words[o->step], o->a);
    fputc('\n', out);
  }
}
