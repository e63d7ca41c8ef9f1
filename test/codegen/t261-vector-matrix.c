/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector code for every kind of argument, access mode and type, with rows of many lengths and
 * vectors of any width, over ranges and subsets of any length, compared with scalar code of the same
 * loop: every byte of memory is the same afterwards. All dats end at the end of readable memory.
 * Each loop is compiled by one of the compilers, which alternate; with OP2_TEST_FULL=1 by all.
 * Further kinds are loops that take two batches at a time, and loops with so many increments that
 * their text has loops for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend.h"
#include "compile_case.h"
#include "loop_case.h"
#include "tap.h"
#include "text.h"
#include "vec.h"
#include "vec_view.h"

enum {
  ELEMENTS = 71,
  TARGETS = 13,
  ARITY_MAX = 4,
  ROW_MAX = 16, /* number of values that a kernel sees in one argument */
  LARGE_ARITY = 130,
  FORMS = 640,
  TYPES = OP2_U64,
  DATS = 3
};

/* MET and MET_ALL: the numbers of the elements at one slot, or at all. WHERE: a global with
 * op2_arg_info(). */
enum shape { DIRECT, SLOT, ALL, ITER, GLOBAL, POINTER, VALUE, NUMBER, MET, MET_ALL, WHERE, SHAPES };
static const char *const shape_names[] = {"direct", "slot",   "all", "iter",    "global", "pointer",
                                          "value",  "number", "met", "met_all", "where"};
static const char *const access_names[] = {"", "read", "write", "rw", "inc", "min", "max"};
static const int dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 16};
static const int widths[] = {64, 32, 16};

/* One loop: a tested argument, a direct value `in` to work with, and `seen`, the values that the
 * kernel found in the argument. */
struct form {
  enum shape shape;
  op2_access access;
  op2_type type;
  int dim, arity, slot, n; /* n: number of values that the kernel sees */
  int bytes;               /* vector width */
  bool twos;               /* true if two batches run at a time */
  bool large;              /* more increments than lines of text */
  bool injective;          /* no target occurs twice in the map */
  char name[64], source[1024];
  struct loop_case loop;
};

static struct form forms[FORMS];
static int nforms;

/* ---- kernels --------------------------------------------------------------------------------- */

static bool reduces(const struct form *f) {
  return f->twos || f->shape == WHERE || (f->shape == GLOBAL && f->access != OP2_READ);
}

/* A kernel must not depend on changes of the argument by other elements at the same time. */
static bool sees(const struct form *f) {
  bool bound = f->access == OP2_MIN || f->access == OP2_MAX;
  return f->access != OP2_WRITE && !reduces(f) && !(bound && f->shape != DIRECT);
}

static void write_kernel(struct form *f) {
  const char *type = op2i_type_c(f->type);
  const char *fixed = f->access == OP2_READ ? "const " : "";
  char place[32] = "a[i]", parameter[64], work[160] = "";
  snprintf(parameter, sizeof parameter, "%s%s *a", fixed, type);
  if (f->shape == ALL) {
    snprintf(place, sizeof place, "a[i / %d][i %% %d]", f->dim, f->dim);
    snprintf(parameter, sizeof parameter, "%s%s **a", fixed, type);
  } else if (f->shape == VALUE || f->shape == NUMBER || f->shape == MET) {
    snprintf(place, sizeof place, "a");
    snprintf(parameter, sizeof parameter, "%s a", f->shape == VALUE ? type : "int");
  } else if (f->shape == MET_ALL) {
    snprintf(parameter, sizeof parameter, "const int *a");
  }
  if (f->access == OP2_WRITE) snprintf(work, sizeof work, "%s = in[0] + i;", place);
  if (f->access == OP2_RW) snprintf(work, sizeof work, "%s = %s + in[0];", place, place);
  if (f->access == OP2_INC) snprintf(work, sizeof work, "%s += in[0] + i;", place);
  if (f->access == OP2_MIN)
    snprintf(work, sizeof work, "if (in[0] + i < %s) %s = in[0] + i;", place, place);
  if (f->access == OP2_MAX)
    snprintf(work, sizeof work, "if (in[0] + i > %s) %s = in[0] + i;", place, place);
  snprintf(f->source, sizeof f->source,
           "void %s(%s, const %s *in, %s *seen) {\n  for (int i = 0; i < %d; i++) {\n    seen[i] = "
           "%s + in[0];\n    %s\n  }\n}\n",
           f->name, parameter, type, type, f->n, sees(f) ? place : "0", work);
}

static void write_where_kernel(struct form *f) {
  const char *type = op2i_type_c(f->type);
  snprintf(f->source, sizeof f->source,
           "void %s(%s *a, const %s *in, %s *seen, long long *where, double *at, long long i) {\n"
           "  seen[0] = in[0];\n  if (in[0] %c a[0]) {\n    a[0] = in[0];\n    where[0] = i;\n"
           "    at[0] = (double)(in[0]);\n    at[1] = (double)(i + 1);\n  }\n}\n",
           f->name, type, type, type, f->access == OP2_MIN ? '<' : '>');
}

/* The kernel increments by quotients, and sums. */
static void write_dividing_kernel(struct form *f) {
  const char *type = op2i_type_c(f->type);
  char place[32] = "a[i]";
  if (f->shape == ALL) snprintf(place, sizeof place, "a[i / %d][i %% %d]", f->dim, f->dim);
  snprintf(f->source, sizeof f->source,
           "void %s(%s *%sa, %s *b, const %s *in, const %s **there, %s *sum, %s *most) {\n"
           "  for (int i = 0; i < %d; i++)\n"
           "    %s += (in[0] + there[0][0] + i) / (%s)(i + 3);\n"
           "  b[0] += in[0] / (%s)(7);\n  sum[0] += in[0];\n  sum[1] += there[%d][0];\n"
           "  if (in[0] > *most) *most = in[0];\n}\n",
           f->name, type, f->shape == ALL ? "*" : "", type, type, type, type, type, f->n, place,
           type, type, f->arity - 1);
}

static void make_dividing_loop(struct form *f) {
  struct loop_case *c = &f->loop;
  if (case_begin(c, f->name, f->source)) diag("%s", op2_error_message());
  case_map(c, 0, f->arity);
  case_dat(c, 0, 1, f->type, 0, -1, OP2_READ);
  case_dat(c, 1, 1, f->type, f->slot, 0, OP2_READ);
  c->loop.nargs = 0;
  /* Both increments go to rows of one dat. */
  case_dat(c, 2, f->dim, f->type,
           f->shape == ALL    ? OP2_ALL
           : f->shape == ITER ? OP2_ITER(0)
                              : f->slot,
           0, OP2_INC);
  case_dat(c, 2, f->dim, f->type, 0, 0, OP2_INC);
  case_dat(c, 0, 1, f->type, 0, -1, OP2_READ);
  case_dat(c, 1, 1, f->type, OP2_ALL, 0, OP2_READ);
  case_gbl(c, 0, 2, f->type, OP2_INC);
  case_gbl(c, 1, 1, f->type, OP2_MAX);
}

/* Sizes for which there are more than 512 additions with vectors of 64 bytes: rows that are split
 * into pieces of one width or of several, and dense blocks. */
static const struct large {
  enum shape shape;
  int dim, arity, columns, column_dim;
} larges[] = {{ALL, 1, LARGE_ARITY, 0, 0}, {ITER, 3, 36, 0, 0}, {ALL, 16, 17, 0, 0},
              {SLOT, 140, 3, 0, 0},        {ITER, 4, 72, 9, 2}, {ITER, 6, 49, 7, 3}};
enum { LARGES = sizeof larges / sizeof *larges };

/* Further arguments access the row of a slot, and the element's own row. */
static void write_large_kernel(struct form *f) {
  const char *type = op2i_type_c(f->type);
  char place[32] = "a[i]";
  if (f->shape == ALL) snprintf(place, sizeof place, "a[i / %d][i %% %d]", f->dim, f->dim);
  snprintf(f->source, sizeof f->source,
           "void %s(%s *%sa, %s *b, %s *c, const %s *in, %s *seen) {\n"
           "  for (int i = 0; i < %d; i++) %s += in[0] * (%s)(i + 1);\n"
           "  b[0] += in[0];\n  c[%d] += in[0] - 2;\n  seen[0] = in[0];\n}\n",
           f->name, type, f->shape == ALL ? "*" : "", type, type, type, type, f->n, place, type,
           f->dim - 1);
}

static void make_large_loop(struct form *f, const struct large *of) {
  struct loop_case *c = &f->loop;
  if (case_begin(c, f->name, f->source)) diag("%s", op2_error_message());
  case_map(c, 0, f->arity);
  case_dat(c, 0, 1, f->type, 0, -1, OP2_READ);
  case_dat(c, 1, 1, f->type, 0, -1, OP2_WRITE);
  c->loop.nargs = 0;
  case_dat(c, 2, f->dim, f->type,
           f->shape == ALL    ? OP2_ALL
           : f->shape == ITER ? OP2_ITER(0)
                              : f->slot,
           0, OP2_INC);
  c->args[0].columns = of->columns;
  c->args[0].column_dim = of->column_dim;
  case_dat(c, 2, f->dim, f->type, 0, 0, OP2_INC);
  case_dat(c, 2, f->dim, f->type, 0, -1, OP2_INC);
  case_dat(c, 0, 1, f->type, 0, -1, OP2_READ);
  case_dat(c, 1, 1, f->type, 0, -1, OP2_WRITE);
}

static void make_loop(struct form *f) {
  struct loop_case *c = &f->loop;
  if (case_begin(c, f->name, f->source)) diag("%s", op2_error_message());
  if ((f->shape > DIRECT && f->shape < GLOBAL) || f->shape == MET || f->shape == MET_ALL)
    case_map(c, 0, f->arity);
  case_dat(c, 0, 1, f->type, 0, -1, OP2_READ);
  case_dat(c, 1, f->n, f->type, 0, -1, OP2_WRITE);
  c->loop.nargs = 0;
  switch (f->shape) {
  case DIRECT: case_dat(c, 2, f->dim, f->type, 0, -1, f->access); break;
  case SLOT: case_dat(c, 2, f->dim, f->type, f->slot, 0, f->access); break;
  case ALL: case_dat(c, 2, f->dim, f->type, OP2_ALL, 0, f->access); break;
  case ITER: case_dat(c, 2, f->dim, f->type, OP2_ITER(0), 0, f->access); break;
  case GLOBAL:
  case WHERE: case_gbl(c, 0, f->dim, f->type, f->access); break;
  case NUMBER: case_idx(c); break;
  case MET: case_map_idx(c, 0, f->slot); break;
  case MET_ALL: case_map_idx(c, 0, OP2_ALL); break;
  default: case_val(c, f->dim, f->type); break;
  }
  c->args[0].injective = f->injective;
  case_dat(c, 0, 1, f->type, 0, -1, OP2_READ);
  case_dat(c, 1, f->n, f->type, 0, -1, OP2_WRITE);
  if (f->shape != WHERE) return;
  case_info(c, 1, 1, OP2_I64, 0);
  case_info(c, 2, 2, OP2_F64, 0);
  case_idx(c);
}

static struct form *add_form(enum shape shape, op2_access access, op2_type type, int dim,
                             int bytes) {
  struct form *f = &forms[nforms++];
  bool wide = shape == ALL || shape == ITER || shape == MET_ALL;
  *f = (struct form){.shape = shape, .access = access, .type = type, .bytes = bytes};
  f->injective = shape != DIRECT && (access == OP2_WRITE || access == OP2_RW);
  f->dim = shape >= VALUE ? 1 : dim;
  f->arity = 1 + (nforms + (int)shape) % ARITY_MAX;
  while (wide && f->arity * f->dim > ROW_MAX) f->arity--;
  f->slot = f->arity - 1;
  f->n = (wide ? f->arity : 1) * f->dim;
  snprintf(f->name, sizeof f->name, "%s_%s_%s_%d_%d", op2i_type_name(type) + 4, shape_names[shape],
           access_names[access], f->dim, bytes);
  return f;
}

static void add_plain(enum shape shape, op2_access access, op2_type type, int dim, int bytes) {
  struct form *f = add_form(shape, access, type, dim, bytes);
  if (shape == WHERE)
    write_where_kernel(f);
  else
    write_kernel(f);
  make_loop(f);
}

static void add_twos(enum shape shape, op2_type type, int dim, int bytes) {
  struct form *f = add_form(shape, OP2_INC, type, dim, bytes);
  f->twos = true;
  snprintf(f->name + strlen(f->name), sizeof f->name - strlen(f->name), "_twos");
  write_dividing_kernel(f);
  make_dividing_loop(f);
}

static void add_large(const struct large *of, op2_type type, int bytes) {
  struct form *f = add_form(of->shape, OP2_INC, type, of->dim, bytes);
  f->large = true;
  f->arity = of->arity;
  f->slot = f->arity - 1;
  f->n = (of->shape == SLOT ? 1 : f->arity) * f->dim;
  snprintf(f->name + strlen(f->name), sizeof f->name - strlen(f->name), "_large");
  write_large_kernel(f);
  make_large_loop(f, of);
}

/* Every second combination of kinds, modes and types, with row lengths and vector widths in turn;
 * double and float with all row lengths. With OP2_TEST_FULL=1 all combinations, and all of these
 * with all widths. */
static void make_forms(void) {
  int step = quick() ? 6 : thorough() ? 1 : 2, turn = taken_half();
  for (int type = 1; type <= TYPES; type++)
    for (int shape = DIRECT; shape < SHAPES; shape++)
      for (int access = OP2_READ; access <= OP2_MAX; access++) {
        bool in_place = access == OP2_WRITE || access == OP2_RW;
        if (shape > ITER && in_place) continue;
        bool bound = access == OP2_MIN || access == OP2_MAX;
        if (shape == WHERE ? !bound : shape > GLOBAL && access != OP2_READ) continue;
        if (turn++ % step) continue;
        add_plain((enum shape)shape, (op2_access)access, (op2_type)type, dims[turn / step % 9],
                  widths[turn / step % 3]);
      }
  for (int type = OP2_F64; type <= OP2_F32; type++)
    for (int d = 0; d < 9; d++)
      for (int w = 0; w < 3; w++) {
        bool taken = quick() || thorough() || (type + d + w) % 3 == 0;
        if (turn++ % step || !taken) continue;
        add_plain(SLOT, turn % 2 ? OP2_INC : OP2_READ, (op2_type)type, dims[d], widths[w]);
        add_plain(DIRECT, turn % 2 ? OP2_RW : OP2_WRITE, (op2_type)type, dims[d], widths[w]);
      }
  for (int type = OP2_F64; type <= OP2_I64; type++)
    for (int shape = SLOT; shape <= ITER; shape++)
      for (int w = 0; w < 3; w++)
        if (turn++ % step == 0)
          add_twos((enum shape)shape, (op2_type)type, dims[turn / step % 5], widths[w]);
  for (int type = OP2_F64; type <= OP2_I32; type++)
    for (int n = 0; n < LARGES; n++)
      if (turn++ % step == 0 || n == 3 || n == 4)
        add_large(&larges[n], (op2_type)type, widths[(turn / 2) % 2]);
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct memory {
  unsigned char *dat[DATS], *reduced, *value; /* each ends at a page that cannot be accessed */
  size_t bytes[DATS];
};

static unsigned char *guarded(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page + 1;
  unsigned char *at =
      mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED || mprotect(at + (pages - 1) * page, page, PROT_NONE)) return NULL;
  return at + (pages - 1) * page - bytes;
}

static void release(unsigned char *at, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page + 1;
  munmap(at + bytes - (pages - 1) * page, pages * page);
}

static void put(op2_type type, void *values, int64_t i, double value) {
  switch (type) {
  case OP2_F64: ((double *)values)[i] = value; break;
  case OP2_F32: ((float *)values)[i] = (float)value; break;
  case OP2_I8:
  case OP2_U8: ((uint8_t *)values)[i] = (uint8_t)(int64_t)value; break;
  case OP2_I16:
  case OP2_U16: ((uint16_t *)values)[i] = (uint16_t)(int64_t)value; break;
  case OP2_I32:
  case OP2_U32: ((uint32_t *)values)[i] = (uint32_t)(int64_t)value; break;
  default: ((uint64_t *)values)[i] = (uint64_t)(int64_t)value; break;
  }
}

static bool memory_begin(const struct form *f, struct memory *m) {
  size_t size = op2i_type_size(f->type);
  m->bytes[0] = ELEMENTS * size;
  m->bytes[1] = ELEMENTS * (size_t)(f->twos || f->large ? 1 : f->n) * size;
  size_t rows = f->injective                     ? ELEMENTS * (size_t)f->arity
                : f->shape == DIRECT || f->large ? ELEMENTS
                                                 : TARGETS;
  m->bytes[2] = rows * (size_t)f->dim * size;
  for (int d = 0; d < DATS; d++) m->dat[d] = guarded(m->bytes[d]);
  m->reduced = guarded(256);
  m->value = guarded(256);
  return m->dat[0] && m->dat[1] && m->dat[2] && m->reduced && m->value;
}

static void memory_end(struct memory *m) {
  for (int d = 0; d < DATS; d++) release(m->dat[d], m->bytes[d]);
  release(m->reduced, 256);
  release(m->value, 256);
}

/* Values whose sums show a change of order. */
static void memory_fill(const struct form *f, struct memory *m) {
  size_t size = op2i_type_size(f->type);
  double scale = f->type > OP2_F32 ? 1 : 0.137;
  for (int d = 0; d < DATS; d++)
    for (size_t i = 0; i < m->bytes[d] / size; i++)
      put(f->type, m->dat[d], (int64_t)i, scale * (double)((i * 37 + (size_t)d * 11) % 101));
  for (size_t i = 0; i < 256 / size; i++) {
    put(f->type, m->reduced, (int64_t)i, scale * (double)(50 + i));
    put(f->type, m->value, (int64_t)i, scale * (double)(7 + 3 * i));
  }
}

static bool memory_same(const struct memory *x, const struct memory *y) {
  bool same = !memcmp(x->reduced, y->reduced, 256);
  for (int d = 0; d < DATS; d++) same = same && !memcmp(x->dat[d], y->dat[d], x->bytes[d]);
  return same;
}

/* ---- running --------------------------------------------------------------------------------- */

static int32_t map[ELEMENTS * LARGE_ARITY];
static int64_t list[ELEMENTS], numbers[TARGETS], own_numbers[ELEMENTS];

static void make_places(const struct form *f) {
  for (int i = 0; i < ELEMENTS; i++)
    for (int s = 0; s < f->arity; s++)
      map[i * f->arity + s] = (i * 3 + s * (i % 3) + i / 4) % TARGETS;
  map[(ELEMENTS - 1) * f->arity + f->slot] = TARGETS - 1;
  for (int i = 0; i < ELEMENTS * f->arity && f->injective; i++)
    map[i] = i * 5 % (ELEMENTS * f->arity);
  for (int i = 0; i < TARGETS; i++) numbers[i] = 3 * (TARGETS - i);
  for (int i = 0; i < ELEMENTS; i++) own_numbers[i] = (i * 29 + 7) % ELEMENTS;
  for (int i = 0; i < ELEMENTS; i++) list[i] = (i * 16 + 5) % ELEMENTS;
}

static void run(const struct form *f, op2i_plain_fn entry, bool listed, const struct memory *m,
                int64_t lo, int64_t hi) {
  void *dats[DATS] = {m->dat[0], m->dat[1], m->dat[2]};
  const void *gbls[2] = {m->value, m->value};
  const int32_t *maps[1] = {map};
  const int64_t *targets[1] = {lo % 2 ? numbers : NULL};
  const struct op2i_call call = {.dat = dats,
                                 .map = maps,
                                 .subset = listed ? list : NULL,
                                 .gbl = gbls,
                                 .payload = m->value,
                                 .number = lo % 3 ? own_numbers : NULL,
                                 .target = targets};
  entry(&call, lo, hi, reduces(f) ? m->reduced : NULL);
}

/* Ranges from 0 elements to two iterations of the vector loop and one element more, in the middle
 * and at the end. */
static int differences(const struct form *f, op2i_plain_fn scalar, op2i_plain_fn vector,
                       bool listed, struct memory *x, struct memory *y) {
  int wrong = 0, lanes = op2i_vec_lanes(&f->loop.loop, f->bytes);
  for (int n = 0; n <= (f->twos ? 4 : 2) * lanes + 1; n++)
    for (int at_end = 0; at_end < 2; at_end++) {
      int64_t hi = at_end ? ELEMENTS : 3 + n;
      memory_fill(f, x);
      memory_fill(f, y);
      run(f, scalar, listed, x, hi - n, hi);
      run(f, vector, listed, y, hi - n, hi);
      bool same = memory_same(x, y);
      if (!same && !wrong) diag("%d elements up to %d come out different", n, (int)hi);
      wrong += !same;
    }
  return wrong;
}

static void check_form(const struct form *f, void *const entries[4], const char *compiler) {
  struct memory x, y;
  if (!memory_begin(f, &x) || !memory_begin(f, &y)) {
    ok(false, "memory for %s", f->name);
    return;
  }
  make_places(f);
  for (int listed = 0; listed < 2; listed++)
    is_int(differences(f, (op2i_plain_fn)entries[2 * listed],
                       (op2i_plain_fn)entries[2 * listed + 1], listed, &x, &y),
           0, "%s: %s (arity %d%s)", compiler, f->name, f->arity, listed ? ", subset" : "");
  memory_end(&x);
  memory_end(&y);
}

/* ---- translation units ----------------------------------------------------------------------- */

/* Scalar and vector code over the set, and then over a subset. */
static void add_unit(struct op2i_text *unit, int i) {
  struct loop_case *c = &forms[i].loop;
  for (int k = 0; k < 4; k++) {
    const bool vectors = k % 2, listed = k / 2;
    struct op2i_text text = {0};
    bool mergeable = false;
    c->loop.set = listed ? &c->subset : &c->set;
    if (op2i_generate_vector(&c->loop, vectors ? OP2I_VECTOR : OP2I_PLAIN, forms[i].bytes, &text,
                             &mergeable) ||
        !mergeable)
      ok(false, "%s: %s", forms[i].name, op2_error_message());
    else
      op2i_text_add(unit, "#define OP2_ID %d_%d\n%s#undef OP2_ID\n", i, k, text.chars);
    bool twos = text.chars && strstr(text.chars, " op2_early_own0[");
    if (twos != (forms[i].twos && vectors && !listed))
      ok(false, "%s: by %s", forms[i].name, twos ? "twos" : "ones");
    bool rolled = text.chars && strstr(text.chars, "        for (int op2_slot = 0;");
    if (vectors && rolled != forms[i].large && forms[i].bytes == 64)
      ok(false, "%s: %s", forms[i].name, rolled ? "in loops" : "line by line");
    op2i_text_free(&text);
  }
}

enum { PER_UNIT = 24 };

/* Every `every`-th loop from `first` on. */
static void run_unit(const char *compiler, const char *flags, int first, int every) {
  struct op2i_text unit = {0};
  struct compiled code;
  int end = first + PER_UNIT * every < nforms ? first + PER_UNIT * every : nforms;
  for (int i = first; i < end; i += every) add_unit(&unit, i);
  bool good = case_compile(compiler, flags, unit.chars, &code);
  ok(good && !*code.messages, "%s compiles loops from %d to %d without a word", compiler, first,
     end - 1);
  if (*code.messages) diag("%.2000s", code.messages);
  for (int i = first; good && i < end; i += every) {
    void *entries[4];
    bool there = true;
    for (int k = 0; k < 4; k++) {
      char name[64];
      snprintf(name, sizeof name, "op2_entry_%d_%d", i, k);
      entries[k] = case_symbol(&code, name);
      there = there && entries[k];
    }
    if (ok(there, "%s: %s has its entries", compiler, forms[i].name))
      check_form(&forms[i], entries, compiler);
  }
  case_unload(&code);
  op2i_text_free(&unit);
}

int main(void) {
  static const char *const flags[2] = {
      "-O2 -march=native -fno-math-errno -ffp-contract=off -Wall -Wextra -Wno-type-limits "
      "-Wno-psabi",
      /* gcc notes that older versions pass such vectors differently. */
      "-O1 -fno-math-errno -ffp-contract=off -Wall -Wextra -Wno-type-limits -Wno-psabi"};
  make_forms();
  for (const char *const *compiler = case_compilers; *compiler; compiler++) {
    if (!case_have_compiler(*compiler)) {
      skip("no %s", *compiler);
      continue;
    }
    /* Every fourth unit is compiled for the baseline processor. */
    int of, first = case_share(*compiler, &of);
    for (int unit = 0; first < nforms; first += PER_UNIT * of)
      run_unit(*compiler, flags[unit++ % 4 == 3], first, of);
  }
  for (int i = 0; i < nforms; i++) case_end(&forms[i].loop);
  return done();
}
