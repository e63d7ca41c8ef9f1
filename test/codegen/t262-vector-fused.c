/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector code of several kernels applied to each element, compared with the same kernels one after
 * the other, and with scalar code of the same fused loop: every byte of memory is the same. The
 * loops are random; their kernels share the elements' own rows in all ways. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "compile_case.h"
#include "loop_case.h"
#include "tap.h"
#include "text.h"
#include "vec.h"

enum {
  ELEMENTS = 45,
  TARGETS = 17,
  ARITY = 3,
  OWN = 4,    /* number of the elements' own dats */
  READ = OWN, /* the dat read through the map */
  SUM,        /* the dat incremented through it */
  DATS,
  MEMBERS = 4,
  USES = 3,
  DIM_MAX = 5,
  ROUNDS = 60
};

static const int dims[DATS] = {4, 1, 2, 5, 2, 4};
static const op2_type types[DATS] = {OP2_F64, OP2_F64, OP2_F64, OP2_F64, OP2_F64, OP2_F64};

/* An argument: a dat, or -1 for a sum and -2 for a minimum. */
struct use {
  int dat, slot;
  op2_access access;
};

struct member {
  int nuses;
  struct use uses[USES];
  char name[16], source[2048];
  struct loop_case alone;
  int numbers[DATS]; /* numbers of its dats, or -1 */
};

struct round {
  int number, nmembers;
  bool exact; /* increments are exact in any order */
  bool dropped[DATS];
  struct member members[MEMBERS];
  struct loop_case fused;
  struct op2i_member list[MEMBERS];
  int numbers[DATS];
  bool drops[DATS];
};

static struct round rounds[ROUNDS];
static unsigned seed = 4711;
static int random_below(int n) {
  seed = seed * 1103515245u + 12345u;
  return (int)(seed >> 16) % n;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void choose_uses(struct member *m) {
  bool taken[OWN] = {false};
  int n = 2 + random_below(USES - 1);
  while (m->nuses < n) {
    struct use *use = &m->uses[m->nuses];
    *use = (struct use){.dat = random_below(DATS + 2), .slot = -1, .access = OP2_READ};
    if (use->dat >= DATS) {
      use->dat = DATS - 1 - use->dat;
      use->access = use->dat == -1 ? OP2_INC : OP2_MIN;
    } else if (use->dat >= OWN) {
      use->slot = random_below(ARITY);
      if (use->dat == SUM) use->access = OP2_INC;
    } else if (taken[use->dat]) {
      continue;
    } else {
      static const op2_access accesses[] = {OP2_READ, OP2_WRITE, OP2_RW, OP2_INC, OP2_READ};
      taken[use->dat] = true;
      use->access = accesses[random_below(5)];
    }
    m->nuses++;
  }
}

static void add_line(struct op2i_text *text, const struct use *use, int a, bool reads, bool exact) {
  int dim = use->dat < 0 ? 1 : dims[use->dat];
  const char *increment = exact && use->dat == SUM ? "floor(s)" : "s / 3";
  if (reads != (use->access == OP2_READ || use->access == OP2_RW)) return;
  op2i_text_add(text, "  for (int j = 0; j < %d; j++) ", dim);
  if (use->access == OP2_READ) op2i_text_add(text, "s += a%d[j] * (j + 1);\n", a);
  if (use->access == OP2_RW)
    op2i_text_add(text, "{ s += a%d[j]; a%d[j] = 0.5 * a%d[j] + s; }\n", a, a, a);
  if (use->access == OP2_WRITE) op2i_text_add(text, "a%d[j] = s + j;\n", a);
  if (use->access == OP2_INC) op2i_text_add(text, "a%d[j] += %s + j;\n", a, increment);
  if (use->access == OP2_MIN) op2i_text_add(text, "if (s < a%d[j]) a%d[j] = s;\n", a, a);
}

static void write_kernel(struct member *m, bool exact) {
  struct op2i_text text = {0};
  op2i_text_add(&text, "void %s(", m->name);
  for (int a = 0; a < m->nuses; a++)
    op2i_text_add(&text, "%s%sdouble *a%d", a ? ", " : "",
                  m->uses[a].access == OP2_READ ? "const " : "", a);
  op2i_text_add(&text, ") {\n  double s = shift;\n");
  for (int reads = 1; reads >= 0; reads--)
    for (int a = 0; a < m->nuses; a++) add_line(&text, &m->uses[a], a, reads, exact);
  op2i_text_add(&text, "}\n");
  snprintf(m->source, sizeof m->source, "%s", text.chars);
  op2i_text_free(&text);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void add_arg(struct loop_case *c, const struct use *use, int numbers[DATS]) {
  if (use->dat < 0) {
    case_gbl(c, c->loop.op.ngbls, 1, OP2_F64, use->access);
    return;
  }
  if (numbers[use->dat] < 0) numbers[use->dat] = c->loop.op.ndats;
  case_dat(c, numbers[use->dat], dims[use->dat], types[use->dat], use->slot,
           use->slot >= 0 ? 0 : -1, use->access);
}

static bool mapped(const struct member *m) {
  bool any = false;
  for (int a = 0; a < m->nuses; a++) any = any || m->uses[a].slot >= 0;
  return any;
}

static void make_member(struct round *r, int k) {
  struct member *m = &r->members[k];
  snprintf(m->name, sizeof m->name, "part%d", k);
  choose_uses(m);
  write_kernel(m, r->exact);
  CHECK(case_begin(&m->alone, m->name, m->source));
  if (mapped(m)) case_map(&m->alone, 0, ARITY);
  for (int d = 0; d < DATS; d++) m->numbers[d] = -1;
  for (int a = 0; a < m->nuses; a++) add_arg(&m->alone, &m->uses[a], m->numbers);
  case_const(&m->alone, "shift", 1, OP2_F64);
}

static void make_round(struct round *r, int number) {
  bool any_map = false;
  *r = (struct round){.number = number, .exact = number % 2};
  r->nmembers = 2 + random_below(MEMBERS - 1);
  for (int k = 0; k < r->nmembers; k++) make_member(r, k);
  CHECK(case_begin(&r->fused, r->members[0].name, r->members[0].source));
  for (int k = 0; k < r->nmembers; k++) any_map = any_map || mapped(&r->members[k]);
  if (any_map) case_map(&r->fused, 0, ARITY);
  for (int d = 0; d < DATS; d++) r->numbers[d] = -1;
  for (int k = 0; k < r->nmembers; k++) {
    struct member *m = &r->members[k];
    r->list[k] = (struct op2i_member){.kernel = &m->alone.kernel,
                                      .first_arg = r->fused.loop.nargs,
                                      .nargs = m->nuses,
                                      .first_const = k,
                                      .nconsts = 1};
    for (int a = 0; a < m->nuses; a++) add_arg(&r->fused, &m->uses[a], r->numbers);
  }
  for (int k = 0; k < r->nmembers; k++) case_const(&r->fused, "shift", 1, OP2_F64);
  r->fused.loop.fused.members = r->list;
  r->fused.loop.fused.nmembers = r->nmembers;
  r->fused.loop.name = (char *)"parts";
}

/* The loop need not store one of the elements' own dats. */
static void choose_dropped(struct round *r) {
  int d = random_below(OWN);
  if (r->number % 3 || r->numbers[d] < 0) return;
  r->dropped[d] = true;
  r->drops[r->numbers[d]] = true;
  r->fused.loop.fused.dropped = r->drops;
}

/* ---- running --------------------------------------------------------------------------------- */

struct memory {
  double dat[DATS][(ELEMENTS + TARGETS) * DIM_MAX];
  double results[MEMBERS * USES]; /* values of globals, in order of appearance */
};

static int32_t map[ELEMENTS * ARITY];
static int64_t list[ELEMENTS];
static _Alignas(16) double shifts[2 * MEMBERS];

static void fill(struct memory *m) {
  for (int d = 0; d < DATS; d++)
    for (int i = 0; i < (ELEMENTS + TARGETS) * DIM_MAX; i++) {
      double value = 0.01 * ((i * 37 + d * 11) % 101) - 0.3;
      m->dat[d][i] = d == SUM ? (i + d) % 5 : value;
    }
  for (int i = 0; i < MEMBERS * USES; i++) m->results[i] = 3 * i;
  for (int i = 0; i < ELEMENTS * ARITY; i++) map[i] = i * i % TARGETS;
  for (int i = 0; i < ELEMENTS; i++) list[i] = i * 7 % ELEMENTS;
  for (int k = 0; k < MEMBERS; k++) shifts[2 * k] = 0.7;
}

/* `results` are the loop's own among those in *m. */
static void run(op2i_plain_fn entry, const struct loop_case *c, const int numbers[DATS],
                struct memory *m, double *results, bool listed, int64_t lo, int64_t hi) {
  void *dats[DATS] = {NULL};
  const int32_t *maps[1] = {map};
  _Alignas(64) double partial[2 * MEMBERS * USES] = {0}; /* each result has 16 bytes */
  double starts[MEMBERS * USES];
  const void *gbls[MEMBERS * USES];
  for (int d = 0; d < DATS; d++)
    if (numbers[d] >= 0) dats[numbers[d]] = m->dat[d];
  const struct op2i_call call = {.distance = OP2I_PREFETCH_DISTANCE,
                                 .dat = dats,
                                 .map = maps,
                                 .subset = listed ? list : NULL,
                                 .gbl = gbls,
                                 .payload = (const unsigned char *)shifts};
  for (int g = 0; g < c->loop.op.ngbls; g++) {
    partial[2 * g] = starts[g] = results[g];
    gbls[g] = &starts[g];
  }
  entry(&call, lo, hi, (unsigned char *)partial);
  for (int g = 0; g < c->loop.op.ngbls; g++) results[g] = partial[2 * g];
}

static bool same(const struct round *r, const struct memory *x, const struct memory *y) {
  bool good = !memcmp(x->results, y->results, sizeof x->results);
  for (int d = 0; d < DATS; d++)
    good = good && (r->dropped[d] || !memcmp(x->dat[d], y->dat[d], sizeof x->dat[d]));
  return good;
}

struct code {
  op2i_plain_fn fused[4], alone[MEMBERS];
};

static void run_round(const struct round *r, const struct code *code, const char *compiler) {
  static struct memory start, vector, scalar, apart;
  int wrong = 0, differ = 0, kept = 0;
  fill(&start);
  for (int n = 0; n <= ELEMENTS; n += n < 20 ? 1 : 25) {
    for (int listed = 0; listed < 2; listed++) {
      vector = scalar = start;
      const struct loop_case *c = &r->fused;
      run(code->fused[2 * listed], c, r->numbers, &scalar, scalar.results, listed, 0, n);
      run(code->fused[2 * listed + 1], c, r->numbers, &vector, vector.results, listed, 0, n);
      wrong += !same(r, &scalar, &vector);
      for (int d = 0; d < OWN; d++)
        kept += r->dropped[d] && memcmp(vector.dat[d], start.dat[d], sizeof start.dat[d]);
    }
    apart = vector = start;
    double *results = apart.results;
    for (int k = 0; k < r->nmembers; k++) {
      const struct member *m = &r->members[k];
      run(code->alone[k], &m->alone, m->numbers, &apart, results, false, 0, n);
      results += m->alone.loop.op.ngbls;
    }
    run(code->fused[1], &r->fused, r->numbers, &vector, vector.results, false, 0, n);
    differ += r->exact && !same(r, &apart, &vector);
  }
  ok(!wrong && !differ && !kept, "%s: fused loop %d, %d kernels", compiler, r->number, r->nmembers);
  if (wrong) diag("%d runs differ from scalar code of the same loop", wrong);
  if (differ) diag("%d runs differ from one kernel after the other", differ);
  if (kept) diag("%d runs store what is dropped", kept);
  if (wrong || differ || kept)
    for (int k = 0; k < r->nmembers; k++) diag("%s", r->members[k].source);
}

/* ---- translation units ----------------------------------------------------------------------- */

static void add_text(struct op2i_text *unit, const struct loop_case *c, enum op2i_variant variant,
                     int bytes, const char *id) {
  struct op2i_text text = {0};
  bool mergeable = false;
  if (CHECK(op2i_generate_vector(&c->loop, variant, bytes, &text, &mergeable)))
    op2i_text_add(unit, "#define OP2_ID %s\n%s#undef OP2_ID\n", id, text.chars);
  op2i_text_free(&text);
}

/* Scalar and vector code of the fused loop over the set, and then over a subset; and scalar code of
 * each of its loops. */
static void add_round(struct op2i_text *unit, struct round *r) {
  static const int widths[] = {64, 32, 16};
  char id[32];
  for (int k = 0; k < 4; k++) {
    snprintf(id, sizeof id, "f%d_%d", r->number, k);
    r->fused.loop.set = k < 2 ? &r->fused.set : &r->fused.subset;
    add_text(unit, &r->fused, k % 2 ? OP2I_VECTOR : OP2I_PLAIN, widths[r->number % 3], id);
  }
  for (int k = 0; k < r->nmembers; k++) {
    snprintf(id, sizeof id, "a%d_%d", r->number, k);
    add_text(unit, &r->members[k].alone, OP2I_PLAIN, 0, id);
  }
}

static bool find_code(const struct compiled *compiled, const struct round *r, struct code *code) {
  bool there = true;
  char name[64];
  for (int k = 0; k < 4; k++) {
    snprintf(name, sizeof name, "op2_entry_f%d_%d", r->number, k);
    code->fused[k] = (op2i_plain_fn)case_symbol(compiled, name);
    there = there && code->fused[k];
  }
  for (int k = 0; k < r->nmembers; k++) {
    snprintf(name, sizeof name, "op2_entry_a%d_%d", r->number, k);
    code->alone[k] = (op2i_plain_fn)case_symbol(compiled, name);
    there = there && code->alone[k];
  }
  return there;
}

enum { PER_UNIT = 10 };

/* Every `every`-th fused loop from `first` on. */
static void run_unit(const char *compiler, int first, int end, int every) {
  struct op2i_text unit = {0};
  struct compiled compiled;
  for (int i = first; i < end; i += every) add_round(&unit, &rounds[i]);
  bool good = case_compile(compiler,
                           "-O2 -march=native -fno-math-errno -ffp-contract=off -Wall -Wextra "
                           "-Wno-unused-but-set-variable -Wno-psabi",
                           unit.chars, &compiled);
  ok(good && !*compiled.messages, "%s compiles fused loops from %d to %d without a word", compiler,
     first, end - 1);
  if (*compiled.messages) diag("%.2000s", compiled.messages);
  for (int i = first; good && i < end; i += every) {
    struct code code;
    if (ok(find_code(&compiled, &rounds[i], &code), "%s: entries of loop %d", compiler, i))
      run_round(&rounds[i], &code, compiler);
  }
  case_unload(&compiled);
  op2i_text_free(&unit);
}

int main(void) {
  int n = quick() ? ROUNDS / 3 : ROUNDS;
  for (int i = 0; i < n; i++) {
    make_round(&rounds[i], i);
    choose_dropped(&rounds[i]);
  }
  for (const char *const *compiler = case_compilers; *compiler; compiler++) {
    if (!case_have_compiler(*compiler)) {
      skip("no %s", *compiler);
      continue;
    }
    int of, first = case_share(*compiler, &of);
    for (int i = first; i < n; i += PER_UNIT * of)
      run_unit(*compiler, i, i + PER_UNIT * of < n ? i + PER_UNIT * of : n, of);
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < rounds[i].nmembers; k++) case_end(&rounds[i].members[k].alone);
    case_end(&rounds[i].fused);
  }
  return done();
}
