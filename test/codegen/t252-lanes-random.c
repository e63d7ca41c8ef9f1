/* SPDX-License-Identifier: BSD-3-Clause */
/* Random kernels give the same values in each lane of the vector form as in scalar form. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_case.h"
#include "lane_case.h"
#include "tap.h"

enum { KERNELS = 30, LOCALS = 3, DEPTH = 3 };

/* State of a kernel's writer: locals d<n>, f<n> and i<n>, structures r<n>, and helper functions h0
 * and h1, of structures v0 and v1. */
struct writer {
  uint64_t state;
  struct op2i_text text;
  int counter;    /* counter of the innermost loop: n1, n2, ..., or 0 */
  int next;       /* the next unused counter */
  int loops;      /* number of loops around, */
  int switches;   /* and of switches within the innermost one, which break leaves */
  bool in_helper; /* inside a helper function, which has only its parameters a, b and i */
};

static int below(struct writer *w, int n) {
  uint64_t z = (w->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

static void put(struct writer *w, const char *format, ...) {
  char piece[512];
  va_list args;
  va_start(args, format);
  vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  op2i_text_add(&w->text, "%s", piece);
}

static void real(struct writer *w, int depth);
static void whole(struct writer *w, int depth);
static void truth(struct writer *w, int depth);

/* ---- expressions ----------------------------------------------------------------------------- */

static void real_leaf(struct writer *w) {
  static const char *const numbers[] = {"0.5", "2", "1.25f", "-3.0", "1e-3", "7"};
  if (w->in_helper) {
    put(w, below(w, 2) ? "a" : "b");
    return;
  }
  switch (below(w, 11)) {
  case 0: put(w, "x[%d]", below(w, 4)); break;
  case 1: put(w, "y[%d]", below(w, 4)); break;
  case 2: put(w, "g[%d]", below(w, 2)); break;
  case 3: put(w, "f%d", below(w, LOCALS)); break;
  case 4: put(w, "%s", numbers[below(w, 6)]); break;
  case 5: put(w, below(w, 2) ? "dt" : "c1"); break;
  case 6:
    if (w->counter)
      put(w, "x[n%d]", w->counter);
    else
      put(w, "c2[2]");
    break;
  case 7: put(w, below(w, 2) ? "r%d.a" : "r%d.f", below(w, 2)); break;
  case 8: put(w, "r%d.in.b[%d]", below(w, 2), below(w, 2)); break;
  default: put(w, "d%d", below(w, LOCALS));
  }
}

/* Ties between zeros are avoided, since C leaves their order open. */
static void real_call(struct writer *w, int depth) {
  static const char *const one[] = {"fabs", "sqrt", "floor", "-", "trunc", "(float)"};
  switch (below(w, w->in_helper ? 2 : 4)) {
  case 0:
    put(w, "%s(", one[below(w, 6)]);
    real(w, depth - 1);
    put(w, ")");
    break;
  case 1:
    put(w, below(w, 2) ? "fmin(" : "fmax(");
    real(w, depth - 1);
    put(w, ", %d.5)", below(w, 4) - 2);
    break;
  default:
    put(w, "h%d(", below(w, 2));
    real(w, depth - 1);
    put(w, ", ");
    real(w, depth - 1);
    put(w, ", ");
    whole(w, depth - 1);
    put(w, ")");
  }
}

static void real(struct writer *w, int depth) {
  static const char *const ops[] = {"+", "-", "*", "/"};
  if (depth <= 0) {
    real_leaf(w);
    return;
  }
  switch (below(w, 8)) {
  case 0: real_leaf(w); break;
  case 1: real_call(w, depth); break;
  case 2:
    put(w, "(");
    truth(w, depth - 1);
    put(w, " ? ");
    real(w, depth - 1);
    put(w, " : ");
    if (below(w, 2))
      real(w, depth - 1);
    else
      whole(w, depth - 1);
    put(w, ")");
    break;
  case 3:
    put(w, "(");
    whole(w, depth - 1);
    put(w, " %s ", ops[below(w, 4)]);
    real(w, depth - 1);
    put(w, ")");
    break;
  default:
    put(w, "(");
    real(w, depth - 1);
    put(w, " %s ", ops[below(w, 4)]);
    real(w, depth - 1);
    put(w, ")");
  }
}

/* Integers stay between -100 and 100, so that nothing overflows. */
static void whole(struct writer *w, int depth) {
  static const char *const ops[] = {"+", "-", "*", "&", "|", "^"};
  if (depth <= 0 || below(w, 4) == 0) {
    if (w->in_helper)
      put(w, "i");
    else if (below(w, 3) == 0)
      put(w, "%d", below(w, 9) - 4);
    else if (below(w, 4) == 0)
      put(w, "r%d.n", below(w, 2));
    else
      put(w, below(w, 3) ? "j[%d]" : "i%d", below(w, 2));
    return;
  }
  switch (below(w, 5)) {
  case 0:
    put(w, "(");
    truth(w, depth - 1);
    put(w, below(w, 2) ? " ? 3 : " : " + ");
    whole(w, depth - 1);
    put(w, ") %% 50");
    break;
  case 1:
    put(w, "(int)fmin(fmax(");
    real(w, depth - 1);
    put(w, ", -20.5), 20.5)");
    break;
  case 2:
    put(w, "(");
    whole(w, depth - 1);
    put(w, below(w, 2) ? ") / 3" : ") %% 7");
    break;
  default:
    put(w, "((");
    whole(w, depth - 1);
    put(w, ") %s (", ops[below(w, 6)]);
    whole(w, depth - 1);
    put(w, ")) %% 100");
  }
}

static void truth(struct writer *w, int depth) {
  static const char *const ops[] = {"<", ">", "<=", ">=", "==", "!="};
  switch (below(w, depth > 0 ? 7 : 3)) {
  case 3:
    put(w, "!(");
    truth(w, depth - 1);
    put(w, ")");
    break;
  case 4:
  case 5:
    put(w, "(");
    truth(w, depth - 1);
    put(w, below(w, 2) ? " && " : " || ");
    truth(w, depth - 1);
    put(w, ")");
    break;
  case 6: whole(w, depth - 1); break;
  case 2:
    if (!w->in_helper) {
      put(w, below(w, 2) ? "m > 2" : "b0");
      break;
    } /* fall through */
  default:
    put(w, "(");
    real(w, depth - 1);
    put(w, " %s ", ops[below(w, 6)]);
    real(w, depth - 1);
    put(w, ")");
  }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void statements(struct writer *w, int depth, int n);

static void structure(struct writer *w) {
  int to = below(w, 2), from = below(w, 2);
  switch (below(w, 6)) {
  case 0: put(w, "r%d = r%d;\n", to, from); return;
  case 1:
    put(w, "r%d = ", to);
    truth(w, 1);
    put(w, " ? r%d : r%d;\n", from, below(w, 2));
    return;
  case 2: put(w, "r%d.in = r%d.in;\n", to, from); return;
  case 3: put(w, "r%d = v0(r%d, ", to, from); break;
  case 4: put(w, "v1(&r%d, ", to); break;
  default:
    put(w, "r%d.n = ", to);
    whole(w, 2);
    put(w, ";\n");
    return;
  }
  real(w, 1);
  put(w, ");\n");
}

static void assignment(struct writer *w) {
  static const char *const ops[] = {"=", "+=", "-=", "*="};
  const char *op = ops[below(w, 4)];
  switch (below(w, 10)) {
  case 0: put(w, "y[%d] %s ", below(w, 4), op); break;
  case 1: put(w, "g[%d] %s ", below(w, 2), op); break;
  case 2: put(w, "f%d %s ", below(w, LOCALS), op); break;
  case 3:
    put(w, "i%d = ", below(w, 2));
    whole(w, 2);
    put(w, ";\n");
    return;
  case 4:
    put(w, "j[%d] = ", below(w, 2));
    whole(w, 2);
    put(w, ";\n");
    return;
  case 5:
    put(w, "b0 = ");
    truth(w, 2);
    put(w, ";\n");
    return;
  case 6: put(w, below(w, 2) ? "r%d.a %s " : "r%d.in.b[1] %s ", below(w, 2), op); break;
  case 7: structure(w); return;
  default: put(w, "d%d %s ", below(w, LOCALS), op);
  }
  real(w, DEPTH);
  put(w, ";\n");
}

static void branch(struct writer *w, int depth) {
  put(w, "if (");
  if (below(w, 5))
    truth(w, 2);
  else
    put(w, "m %% %d == 0", 2 + below(w, 3));
  put(w, ") {\n");
  statements(w, depth - 1, 1 + below(w, 3));
  if (below(w, 2)) {
    put(w, "} else {\n");
    statements(w, depth - 1, 1 + below(w, 2));
  }
  put(w, "}\n");
}

/* Trip counts are those of all lanes or, with another condition, of each. */
static void loop(struct writer *w, int depth) {
  int n = ++w->next, outer = w->counter, switches = w->switches;
  put(w, "for (int n%d = 0; n%d < %d", n, n, 2 + below(w, 3));
  if (below(w, 3) == 0) {
    put(w, " && ");
    truth(w, 1);
  }
  put(w, "; n%d++) {\n", n);
  w->counter = n;
  w->loops++;
  w->switches = 0;
  statements(w, depth - 1, 1 + below(w, 3));
  put(w, "y[n%d] += 1;\n}\n", n);
  w->loops--;
  w->switches = switches;
  w->counter = outer;
}

static void repeated(struct writer *w, int depth) {
  int n = ++w->next, switches = w->switches;
  bool last = below(w, 2);
  put(w, "{ int w%d = 0; %s", n, last ? "do" : "while (");
  if (!last) {
    put(w, "w%d++ < %d && ", n, 1 + below(w, 4));
    truth(w, 1);
    put(w, ")");
  }
  put(w, " {\n");
  w->loops++;
  w->switches = 0;
  statements(w, depth - 1, 1 + below(w, 3));
  w->loops--;
  w->switches = switches;
  put(w, "}");
  if (last) {
    put(w, " while (w%d++ < %d && ", n, 1 + below(w, 4));
    truth(w, 1);
    put(w, ");");
  }
  put(w, "}\n");
}

static void choice(struct writer *w, int depth) {
  int labels = 1 + below(w, 3), other = below(w, labels + 1);
  put(w, "switch (");
  if (below(w, 4))
    whole(w, 2);
  else
    put(w, "m");
  put(w, ") {\n");
  w->switches++;
  for (int n = 0; n < labels; n++) {
    if (n == other) put(w, "default:;\n");
    put(w, "case %d:;\n", 3 * n - 2 + below(w, 3));
    statements(w, depth - 1, 1 + below(w, 2));
    if (below(w, 2)) put(w, "break;\n");
  }
  w->switches--;
  put(w, "}\n");
}

static void jump(struct writer *w) {
  put(w, "if (");
  if (below(w, 4))
    truth(w, 1);
  else
    put(w, "m > %d", below(w, 3));
  put(w, w->loops && below(w, 2) ? ") continue;\n" : ") break;\n");
}

static void statements(struct writer *w, int depth, int n) {
  for (int s = 0; s < n; s++) {
    int kind = below(w, 16);
    if (kind < 3 && depth > 0) {
      branch(w, depth);
    } else if (kind == 3 && depth > 0) {
      loop(w, depth);
    } else if (kind == 4 && below(w, 3) == 0) {
      put(w, "if (");
      truth(w, 1);
      put(w, ") return;\n");
    } else if (kind == 5) {
      put(w, "s0(y + %d, x, ", below(w, 2));
      real(w, 1);
      put(w, ");\n");
    } else if (kind == 6 && depth > 0) {
      put(w, "{ const double e = ");
      real(w, 2);
      put(w, "; double d0 = e;\n");
      statements(w, depth - 1, 2);
      put(w, "d1 = d0; }\n");
    } else if (kind == 7 && depth > 0) {
      repeated(w, depth);
    } else if (kind == 8 && depth > 0) {
      choice(w, depth);
    } else if (kind >= 9 && kind < 12 && (w->loops || w->switches)) {
      jump(w);
    } else {
      assignment(w);
    }
  }
}

static void helper(struct writer *w, int n) {
  w->in_helper = true;
  put(w, "static double h%d(double a, double b, int i) {\n", n);
  if (below(w, 2)) {
    put(w, "if (");
    truth(w, 1);
    put(w, ") return ");
    real(w, 2);
    put(w, ";\n");
  }
  put(w, "if (i > 1) { a *= 2; i = 0; }\nreturn ");
  real(w, 2);
  put(w, ";\n}\n");
  w->in_helper = false;
}

/* Every other kernel is in single precision, which makes masks narrow. */
static void narrow(char *text) {
  for (char *at = text; (at = strstr(at, "double"));) memcpy(at, "float ", 6);
}

/* Kernels are compiled together, so each has a structure of another name. */
static void structures(struct writer *w, uint64_t seed) {
  put(w,
      "struct t%llu { double a; float f; struct { double b[2]; } in; int n; };\n"
      "static struct t%llu v0(struct t%llu r, double a) {\nif (a < 0) return r;\nr.a += a; r.n = "
      "-r.n;\nif (r.f > a) r.in.b[0] = r.f;\nreturn r;\n}\n",
      (unsigned long long)seed, (unsigned long long)seed, (unsigned long long)seed);
  put(w,
      "static void v1(struct t%llu *r, double a) {\nr->in.b[1] = a;\nif (r->n > 1) { r->a -= 1; "
      "return; }\nr->f = a;\n}\n",
      (unsigned long long)seed);
}

static char *write_kernel(uint64_t seed, bool single) {
  struct writer w = {.state = seed};
  structures(&w, seed);
  helper(&w, 0);
  helper(&w, 1);
  put(&w,
      "static void s0(double *p, const double *q, double a) {\nfor (int n = 0; n < 3; n++) p[n] "
      "= p[n] * 0.5 + q[n] * a;\nif (a < 0) p[0] = a;\n}\n"
      "void k(const double *x, double *y, float *g, int *j, double dt, int m) {\n"
      "double d0 = x[0], d1 = 1, d2 = dt;\nfloat f0 = g[0], f1 = 0.5f, f2 = 2;\n"
      "int i0 = j[0], i1 = 1;\n_Bool b0 = x[1] > 0;\n");
  put(&w, "struct t%llu r0 = {.a = x[2], .n = 3}, r1 = {dt, 2, {{1, 0.5}}, 1};\n",
      (unsigned long long)seed);
  statements(&w, 3, 8);
  put(&w, "y[0] += d0 + r0.a + r0.in.b[0]; y[3] -= r1.f + r1.in.b[1] + r0.n; y[1] += d1 - f1; y[2] "
          "*= d2 + f2; g[1] += f0; j[0] = i0 + b0; j[1] = (i1 + "
          "j[1]) %% 90;\n}\n");
  if (single) narrow(w.text.chars);
  return w.text.chars;
}

int main(void) {
  struct lane_kernel *kernels = calloc(KERNELS, sizeof *kernels);
  const char *chosen = getenv("OP2_TEST_SEED");
  uint64_t seed = chosen ? strtoull(chosen, NULL, 0) : 1;
  int n = quick() ? KERNELS / 3 : KERNELS;
  for (int i = 0; i < n; i++) {
    bool single = i % 2;
    kernels[i].name = "a random kernel";
    kernels[i].params = single ? "Vf4 Vf4 Vf2 Vi2 um ui" : "Vd4 Vd4 Vf2 Vi2 un ui";
    kernels[i].source = write_kernel(1000 * seed + (uint64_t)i, single);
  }
  static const int lanes[] = {8, 4, 2};
  const char *flags = "-O1 -w -Wno-psabi -march=native -ffp-contract=off -fno-math-errno";
  for (int c = 0; case_compilers[c]; c++)
    for (int k = 0; k < (quick() || c ? 1 : 3); k++)
      if (case_have_compiler(case_compilers[c]))
        lane_compare(case_compilers[c], flags, lanes[k], n, kernels, "random kernels");
      else
        skip("%s is not installed", case_compilers[c]);
#ifdef __x86_64__
  /* Vectors of four doubles take two registers here. */
  const char *plain = "-O1 -w -Wno-psabi -march=x86-64 -ffp-contract=off -fno-math-errno";
  if (case_have_compiler(case_compilers[0]))
    lane_compare(case_compilers[0], plain, 4, n, kernels, "random kernels without AVX");
#endif
  for (int i = 0; i < n; i++) free((char *)kernels[i].source);
  free(kernels);
  return done();
}
