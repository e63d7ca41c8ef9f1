/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for every kind of argument, access mode and type, compiled, run and compared with
 * an independent interpreter. All loops of a compiler share one translation unit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cgen.h"
#include "compile_case.h"
#include "loop_case.h"
#include "tap.h"
#include "text.h"

enum {
  ELEMENTS = 37,
  TARGETS = 11,
  SUBSET = 19,
  FIRST_CALL = 5, /* number of positions in it */
  ARITY_MAX = 4,
  DIM_MAX = 3,
  ROW_MAX = ARITY_MAX * DIM_MAX,
  TYPES = OP2_U64
};

enum shape { DIRECT, SLOT, ALL, ITER, GLOBAL, POINTER, VALUE, SHAPES };
static const char *const shape_names[] = {"direct", "slot",    "all",  "iter",
                                          "global", "pointer", "value"};
static const char *const access_names[] = {"", "read", "write", "rw", "inc", "min", "max"};

/* One loop: a tested argument, a direct value `in` to work with, and `seen`, the values that the
 * kernel found in the argument. */
struct form {
  enum shape shape;
  op2_access access;
  op2_type type;
  int dim, arity, slot, n; /* n: number of values that the kernel sees */
  bool subset;
  char name[64], source[1024];
  struct loop_case loop;
};

static struct form forms[400];
static int nforms;

static int32_t map[ELEMENTS * ARITY_MAX]; /* map of the current form */
static int64_t subset[SUBSET];

/* ---- values of any type ---------------------------------------------------------------------- */

#define EACH_TYPE(X)                                                                               \
  X(OP2_F64, double)                                                                               \
  X(OP2_F32, float)                                                                                \
  X(OP2_I8, int8_t)                                                                                \
  X(OP2_I16, int16_t)                                                                              \
  X(OP2_I32, int32_t)                                                                              \
  X(OP2_I64, int64_t)                                                                              \
  X(OP2_U8, uint8_t) X(OP2_U16, uint16_t) X(OP2_U32, uint32_t) X(OP2_U64, uint64_t)

/* The value after a store in the type: the numbers here are small, so only the narrow types
 * wrap. */
static double stored(op2_type type, double value) {
  switch (type) {
#define X(id, T)                                                                                   \
  case id: return id <= OP2_F32 ? (double)(T)value : (double)(T)(int64_t)value;
    EACH_TYPE(X)
#undef X
  }
  return 0;
}

static void put(op2_type type, void *values, int64_t i, double value) {
  switch (type) {
#define X(id, T)                                                                                   \
  case id: ((T *)values)[i] = (T)value; break;
    EACH_TYPE(X)
#undef X
  }
}

static double get(op2_type type, const void *values, int64_t i) {
  switch (type) {
#define X(id, T)                                                                                   \
  case id: return (double)((const T *)values)[i];
    EACH_TYPE(X)
#undef X
  }
  return 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void write_kernel(struct form *f) {
  const char *type = op2i_type_c(f->type);
  const char *fixed = f->access == OP2_READ && f->type % 2 ? "const " : "";
  char place[32] = "a[i]", parameter[64], name[sizeof f->name];
  memcpy(name, f->name, sizeof name); /* gcc suspects the text of overlapping with it */
  snprintf(parameter, sizeof parameter, "%s%s *a", fixed, type);
  if (f->shape == ALL) {
    snprintf(place, sizeof place, "a[i / %d][i %% %d]", f->dim, f->dim);
    snprintf(parameter, sizeof parameter, f->type % 3 ? "%s%s **a" : "%s%s *a[]", fixed, type);
  } else if (f->shape == VALUE) {
    snprintf(place, sizeof place, "a");
    snprintf(parameter, sizeof parameter, "%s a", type);
  }
  char work[160] = "";
  if (f->access == OP2_WRITE) snprintf(work, sizeof work, "%s = in[0] + i;", place);
  if (f->access == OP2_RW) snprintf(work, sizeof work, "%s = %s + in[0];", place, place);
  if (f->access == OP2_INC) snprintf(work, sizeof work, "%s += in[0] + i;", place);
  if (f->access == OP2_MIN)
    snprintf(work, sizeof work, "if (in[0] + i < %s) %s = in[0] + i;", place, place);
  if (f->access == OP2_MAX)
    snprintf(work, sizeof work, "if (in[0] + i > %s) %s = in[0] + i;", place, place);
  snprintf(f->source, sizeof f->source,
           "void %s(%s, const %s *in, %s *seen) {\n  for (int i = 0; i < %d; i++) {\n    seen[i] = "
           "%s + 0 * in[0];\n"
           "    %s\n  }\n}\n",
           name, parameter, type, type, f->n, f->access == OP2_WRITE ? "0" : place, work);
}

static void make_loop(struct form *f) {
  struct loop_case *c = &f->loop;
  if (case_begin(c, f->name, f->source)) diag("%s", op2_error_message());
  if (f->shape > DIRECT && f->shape < GLOBAL) case_map(c, 0, f->arity);
  if (f->subset) case_over_subset(c);
  switch (f->shape) {
  case DIRECT: case_dat(c, 0, f->dim, f->type, 0, -1, f->access); break;
  case SLOT: case_dat(c, 0, f->dim, f->type, f->slot, 0, f->access); break;
  case ALL: case_dat(c, 0, f->dim, f->type, OP2_ALL, 0, f->access); break;
  case ITER: case_dat(c, 0, f->dim, f->type, OP2_ITER(1), 0, f->access); break;
  case GLOBAL: case_gbl(c, 0, f->dim, f->type, f->access); break;
  default: case_val(c, f->dim, f->type); break;
  }
  case_dat(c, 1, 1, f->type, 0, -1, OP2_READ);
  case_dat(c, 2, f->n, f->type, 0, -1, OP2_WRITE);
  c->loop.op.ndats = 3;
  if (f->shape >= GLOBAL) { /* there is no dat 0: number the others from 0 */
    c->args[1].dat = 0;
    c->args[2].dat = 1;
    c->loop.op.ndats = 2;
  }
}

static void add_form(enum shape shape, op2_access access, op2_type type) {
  struct form *f = &forms[nforms++];
  bool wide = shape == ALL || shape == ITER;
  *f = (struct form){.shape = shape, .access = access, .type = type};
  f->dim = shape == VALUE ? 1 : 1 + ((int)type + nforms) % DIM_MAX;
  f->arity = 1 + ((int)type + (int)shape + (int)access) % ARITY_MAX;
  f->slot = f->arity - 1;
  f->n = (wide ? f->arity : 1) * f->dim;
  f->subset = nforms % 2 == 0;
  snprintf(f->name, sizeof f->name, "%s_%s_%s", op2i_type_name(type) + 4, shape_names[shape],
           access_names[access]);
  write_kernel(f);
  make_loop(f);
}

static void make_forms(void) {
  int step = quick() ? 3 : 1;
  for (int type = 1; type <= TYPES; type += step) {
    for (int shape = DIRECT; shape <= ITER; shape++)
      for (int access = OP2_READ; access <= OP2_MAX; access++)
        add_form((enum shape)shape, (op2_access)access, (op2_type)type);
    add_form(GLOBAL, OP2_READ, (op2_type)type);
    for (int access = OP2_INC; access <= OP2_MAX; access++)
      add_form(GLOBAL, (op2_access)access, (op2_type)type);
    add_form(POINTER, OP2_READ, (op2_type)type);
    add_form(VALUE, OP2_READ, (op2_type)type);
  }
}

/* ---- the interpreter ------------------------------------------------------------------------- */

/* Values before and after a loop, in doubles. dat: the tested argument, whatever its kind. */
struct world {
  double dat[(TARGETS + ELEMENTS) * DIM_MAX], in[ELEMENTS], seen[ELEMENTS * ROW_MAX];
};

static void set_up(const struct form *f, struct world *w) {
  memset(w, 0, sizeof *w);
  for (int i = 0; i < (TARGETS + ELEMENTS) * DIM_MAX; i++)
    w->dat[i] = (i * 7 + (int)f->shape) % 23 + 3;
  for (int i = 0; i < ELEMENTS; i++)
    w->in[i] = (i * 5 + (int)f->access) % 29 + (f->type <= OP2_F32 ? 0.25 : 0);
  for (int i = 0; i < ELEMENTS; i++)
    for (int s = 0; s < f->arity; s++)
      map[i * f->arity + s] = (i * 3 + s * (i % 3) + i / 4) % TARGETS;
  for (int i = 0; i < SUBSET; i++) subset[i] = 2 * i;
}

/* The index in w->dat of value i of the argument. */
static int place_of(const struct form *f, int64_t e, int i) {
  switch (f->shape) {
  case DIRECT: return (int)e * f->dim + i;
  case SLOT: return map[e * f->arity + f->slot] * f->dim + i;
  case ALL:
  case ITER: return map[e * f->arity + i / f->dim] * f->dim + i % f->dim;
  default: return i;
  }
}

static double apply(const struct form *f, double value, double in, int i) {
  double other = in + i;
  switch (f->access) {
  case OP2_READ: return value;
  case OP2_WRITE: return stored(f->type, other);
  case OP2_RW: return stored(f->type, value + in);
  case OP2_INC: return stored(f->type, value + other);
  case OP2_MIN: return other < value ? stored(f->type, other) : value;
  case OP2_MAX: return other > value ? stored(f->type, other) : value;
  }
  return 0;
}

/* The kernel works on a private copy, which is then combined with the old values. */
static void element_private(const struct form *f, struct world *w, int64_t e) {
  double copy[ROW_MAX];
  for (int i = 0; i < f->n; i++) {
    copy[i] = f->access == OP2_INC || f->access == OP2_WRITE ? 0 : w->dat[place_of(f, e, i)];
    w->seen[e * f->n + i] = copy[i];
    copy[i] = apply(f, copy[i], w->in[e], i);
  }
  for (int i = 0; i < f->n; i++) {
    double *there = &w->dat[place_of(f, e, i)];
    if (f->access == OP2_INC)
      *there = stored(f->type, *there + copy[i]);
    else if (f->access == OP2_MIN)
      *there = copy[i] < *there ? copy[i] : *there;
    else if (f->access == OP2_MAX)
      *there = copy[i] > *there ? copy[i] : *there;
    else if (f->access != OP2_READ)
      *there = copy[i];
  }
}

/* The kernel works on a copy of the global's value before the loop; the result is then combined
 * with the minimum or maximum. */
static void element_bound(const struct form *f, struct world *w, int64_t e, const double *start) {
  for (int i = 0; i < f->n; i++) {
    double copy = apply(f, start[i], w->in[e], i);
    w->seen[e * f->n + i] = start[i];
    if (f->access == OP2_MIN ? copy < w->dat[i] : copy > w->dat[i]) w->dat[i] = copy;
  }
}

/* The kernel works on the data itself. */
static void element_in_place(const struct form *f, struct world *w, int64_t e) {
  for (int i = 0; i < f->n; i++) {
    double *there = &w->dat[place_of(f, e, i)];
    w->seen[e * f->n + i] = f->access == OP2_WRITE ? 0 : *there;
    *there = apply(f, *there, w->in[e], i);
  }
}

/* The kernel adds to the strand (partial sum) of this position; each call begins with new
 * strands. */
static void element_strand(const struct form *f, struct world *w, int64_t e, int p, int nstrands) {
  static double strands[OP2I_STRANDS_MAX][ROW_MAX];
  int in_call = p < FIRST_CALL ? p : p - FIRST_CALL;
  double *strand = strands[in_call % nstrands];
  for (int i = 0; i < f->n; i++) {
    if (in_call < nstrands) strand[i] = 0.0;
    double sum = apply(f, strand[i], w->in[e], i);
    w->seen[e * f->n + i] = strand[i];
    w->dat[i] += sum - strand[i]; /* exact, since the numbers are small */
    strand[i] = sum;
  }
}

static void interpret(const struct form *f, struct world *w) {
  bool privately = f->shape == ITER || (f->shape < GLOBAL && f->access >= OP2_INC);
  bool bounds = op2i_arg_bounds(&f->loop.loop.args[0]);
  int nstrands = op2i_arg_strands(&f->loop.loop.args[0]);
  double start[ROW_MAX];
  for (int i = 0; i < f->n; i++) start[i] = w->dat[i];
  int count = f->subset ? SUBSET : ELEMENTS;
  for (int p = 0; p < count; p++) {
    int64_t e = f->subset ? subset[p] : p;
    if (nstrands > 1)
      element_strand(f, w, e, p, nstrands);
    else if (bounds)
      element_bound(f, w, e, start);
    else if (privately)
      element_private(f, w, e);
    else
      element_in_place(f, w, e);
  }
}

/* ---- running --------------------------------------------------------------------------------- */

struct memory {
  _Alignas(16) unsigned char dat[(TARGETS + ELEMENTS) * DIM_MAX * 8];
  _Alignas(16) unsigned char start[ROW_MAX * 8]; /* the global's value before the loop */
  _Alignas(16) unsigned char in[ELEMENTS * 8];
  _Alignas(16) unsigned char seen[ELEMENTS * ROW_MAX * 8];
};

static void load(op2_type type, void *memory, const double *values, int n) {
  for (int i = 0; i < n; i++) put(type, memory, i, values[i]);
}

static int differences(op2_type type, const void *memory, const double *values, int n) {
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += get(type, memory, i) != values[i];
  return wrong;
}

static void run_plain(const struct form *f, op2i_plain_fn entry, struct memory *m) {
  void *dats[3] = {m->dat, m->in, m->seen};
  const void *gbls[1] = {m->start};
  const int32_t *maps[1] = {map};
  const struct op2i_call call = {.distance = OP2I_PREFETCH_DISTANCE,
                                 .dat = f->shape >= GLOBAL ? dats + 1 : dats,
                                 .map = maps,
                                 .subset = f->subset ? subset : NULL,
                                 .gbl = gbls,
                                 .payload = m->dat};
  int64_t count = f->subset ? SUBSET : ELEMENTS;
  bool reduces = f->shape == GLOBAL && f->access != OP2_READ;
  entry(&call, 0, FIRST_CALL, reduces ? m->dat : NULL);
  entry(&call, FIRST_CALL, FIRST_CALL, reduces ? m->dat : NULL);
  entry(&call, FIRST_CALL, count, reduces ? m->dat : NULL);
}

static void check_plain(const struct form *f, op2i_plain_fn entry, const char *compiler) {
  static struct memory m;
  struct world w;
  int n = (TARGETS + ELEMENTS) * DIM_MAX;
  set_up(f, &w);
  load(f->type, m.dat, w.dat, n);
  load(f->type, m.start, w.dat, f->n);
  load(f->type, m.in, w.in, ELEMENTS);
  load(f->type, m.seen, w.seen, ELEMENTS * f->n);
  run_plain(f, entry, &m);
  interpret(f, &w);
  int wrong = differences(f->type, m.dat, w.dat, n) + differences(f->type, m.in, w.in, ELEMENTS);
  int unseen = differences(f->type, m.seen, w.seen, ELEMENTS * f->n);
  ok(!wrong && !unseen, "%s: %s (dim %d, arity %d%s)", compiler, f->name, f->dim, f->arity,
     f->subset ? ", subset" : "");
  if (wrong || unseen) diag("%d values are wrong, %d were seen wrong", wrong, unseen);
}

static void check_checked(const struct form *f, op2i_checked_fn entry, const char *compiler) {
  struct memory m;
  double values[ROW_MAX], seen[ROW_MAX], in = 9;
  void *slots[ARITY_MAX];
  size_t bytes = op2i_type_size(f->type);
  for (int i = 0; i < f->n; i++) values[i] = 4 + 3 * i;
  load(f->type, m.dat, values, f->n);
  load(f->type, m.in, &in, 1);
  for (int s = 0; s < f->arity; s++) slots[s] = m.dat + (size_t)(s * f->dim) * bytes;
  void *args[3] = {f->shape == ALL ? (void *)slots : m.dat, m.in, m.seen};
  entry(args);
  for (int i = 0; i < f->n; i++) {
    seen[i] = f->access == OP2_WRITE ? 0 : values[i];
    values[i] = apply(f, values[i], in, i);
  }
  ok(!differences(f->type, m.dat, values, f->n) && !differences(f->type, m.seen, seen, f->n),
     "%s: %s, one checked call", compiler, f->name);
}

/* ---- one translation unit -------------------------------------------------------------------- */

static void add_unit(struct op2i_text *unit, const struct form *f, enum op2i_variant variant) {
  bool mergeable = false;
  op2i_text_add(unit, "#define OP2_ID %c_%s\n", variant == OP2I_PLAIN ? 'p' : 'c', f->name);
  if (op2i_generate(&f->loop.loop, variant, unit, &mergeable) || !mergeable)
    ok(false, "%s: %s", f->name, op2_error_message());
  op2i_text_add(unit, "#undef OP2_ID\n");
}

static void run_all(const char *compiler, const char *flags, const char *unit) {
  struct compiled code;
  bool good = case_compile(compiler, flags, unit, &code);
  ok(good && !*code.messages, "%s compiles %d loops in one translation unit without a word",
     compiler, 2 * nforms);
  if (*code.messages) diag("%.2000s", code.messages);
  for (int i = 0; good && i < nforms; i++) {
    char name[128];
    snprintf(name, sizeof name, "op2_entry_p_%s", forms[i].name);
    op2i_plain_fn plain = (op2i_plain_fn)case_symbol(&code, name);
    snprintf(name, sizeof name, "op2_entry_c_%s", forms[i].name);
    op2i_checked_fn checked = (op2i_checked_fn)case_symbol(&code, name);
    if (!ok(plain && checked, "%s: %s has its entries", compiler, forms[i].name)) continue;
    check_plain(&forms[i], plain, compiler);
    check_checked(&forms[i], checked, compiler);
  }
  case_unload(&code);
}

int main(void) {
  make_forms();
  struct op2i_text unit = {0};
  for (int i = 0; i < nforms; i++) {
    add_unit(&unit, &forms[i], OP2I_PLAIN);
    add_unit(&unit, &forms[i], OP2I_CHECKED);
  }
  for (const char *const *compiler = case_compilers; *compiler; compiler++) {
    if (case_have_compiler(*compiler))
      run_all(*compiler, "-O3 -march=native -Wall -Wextra -Wno-type-limits", unit.chars);
    else
      skip("no %s", *compiler);
  }
  op2i_text_free(&unit);
  for (int i = 0; i < nforms; i++) case_end(&forms[i].loop);
  return done();
}
