/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a random loop on plain arrays: gathers the arguments of every element in turn, runs the
 * kernel and writes the results back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support_rprogram.h"

/* ---- values --------------------------------------------------------------------------------- */

bool is_float(op2_type type) { return type == OP2_F64 || type == OP2_F32; }
op2_type domain_of(op2_type type) { return is_float(type) ? type : OP2_U64; }

static const struct {
  size_t size;
  const char *name;
} types[] = {[OP2_F64] = {8, "double"},  [OP2_F32] = {4, "float"},    [OP2_I8] = {1, "int8_t"},
             [OP2_I16] = {2, "int16_t"}, [OP2_I32] = {4, "int32_t"},  [OP2_I64] = {8, "int64_t"},
             [OP2_U8] = {1, "uint8_t"},  [OP2_U16] = {2, "uint16_t"}, [OP2_U32] = {4, "uint32_t"},
             [OP2_U64] = {8, "uint64_t"}};

size_t size_of(op2_type type) { return types[type].size; }
const char *c_name(op2_type type) { return types[type].name; }

/* Integers are stored as their conversion to uint64_t. */
union rvalue load(op2_type type, const void *at) {
  union rvalue v = {0};
  switch (type) {
  case OP2_F64: v.d = *(const double *)at; break;
  case OP2_F32: v.f = *(const float *)at; break;
  case OP2_I8: v.u = (uint64_t) * (const int8_t *)at; break;
  case OP2_I16: v.u = (uint64_t) * (const int16_t *)at; break;
  case OP2_I32: v.u = (uint64_t) * (const int32_t *)at; break;
  case OP2_I64: v.u = (uint64_t) * (const int64_t *)at; break;
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
  if (type == OP2_F64)
    v.d = a.d + b.d;
  else if (type == OP2_F32)
    v.f = a.f + b.f;
  else
    v.u = a.u + b.u;
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

/* ---- evaluation ----------------------------------------------------------------------------- */

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
  const union rvalue b = n->b < 0 ? a : eval(k, f, n->b, domain),
                     c = n->c < 0 ? a : eval(k, f, n->c, domain);
  if (domain == OP2_U64) return integer(n, a.u, b.u, c.u);
  if (domain == OP2_F64)
    v.d = floating(n, a.d, b.d);
  else
    v.f = floating_f(n, a.f, b.f);
  return v;
}

/* The effect that a statement applies to the value before it is stored; support_rlisting.c prints
 * the same as text. */
static union rvalue finish(const struct rstatement *s, op2_type type, union rvalue v) {
  if (s->effect == R_PLUS) {
    if (type == OP2_F64)
      v.d = 0.25 * (v.d / (1 + v.d * v.d));
    else if (type == OP2_F32)
      v.f = 0.25f * (v.f / (1 + v.f * v.f));
    else
      v.u &= 63;
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

/* ---- loops ---------------------------------------------------------------------------------- */

struct runner {
  struct rprogram *p;
  const struct rcall *call;
  const struct rkernel *k;
  unsigned char **
      written; /* by dat group: for WRITE through a map, true if a value was written in this loop */
  bool agree;
  int64_t found[R_ARGS];      /* located: the element with the best value, or -1, */
  union rvalue start[R_ARGS]; /* and the global's value before the loop */
};

static void *room(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) exit(2);
  return memory;
}

/* The element of the dat's set to which a slot of an argument leads. */
static int64_t target(const struct runner *r, const struct rarg *arg, int64_t element, int slot) {
  if (arg->map < 0) return element;
  const struct rmap *map = &r->p->maps[r->call->map[arg->map]];
  return map->idx[element * map->arity + (arg->kind == R_SLOT ? arg->slot : slot)];
}

static unsigned char *value_at(const struct runner *r, const struct rarg *arg, int64_t element,
                               int slot, int comp) {
  unsigned char *data = r->p->dats[r->call->dat[arg->dat]].data;
  return data + (size_t)(target(r, arg, element, slot) * arg->dim + comp) * size_of(arg->type);
}

static void gather(const struct runner *r, int a, int64_t element, struct rframe *f) {
  const struct rarg *arg = &r->k->args[a];
  for (int s = 0; s < arg->slots; s++)
    for (int c = 0; c < arg->dim; c++) {
      union rvalue *v = &f->arg[a][s * arg->dim + c];
      const unsigned char *at = NULL;
      memset(v, 0, sizeof *v);
      if (arg->kind == R_IDX)
        v->u = (uint64_t)element;
      else if (arg->kind == R_VAL)
        at = r->call->value[a] + (size_t)c * size_of(arg->type);
      else if (arg->located)
        *v = r->start[a];
      else if (arg->kind == R_GBL || arg->kind == R_INFO)
        at = r->p->gbls[r->call->dat[arg->dat]].data + (size_t)c * size_of(arg->type);
      else
        at = value_at(r, arg, element, s, c);
      if (at && arg->access != OP2_INC && arg->access != OP2_WRITE) *v = load(arg->type, at);
    }
}

static union rvalue combine(op2_access access, op2_type type, union rvalue old, union rvalue v) {
  switch (access) {
  case OP2_INC: return plus(type, old, v);
  case OP2_MIN: return less(type, v, old) ? v : old;
  case OP2_MAX: return less(type, old, v) ? v : old;
  default: return v;
  }
}

static void note_scale(struct rprogram *p, op2_type type, union rvalue v) {
  if (!is_float(type)) return;
  double *scale = type == OP2_F64 ? &p->scale64 : &p->scale32;
  *scale = fmax(*scale, fabs(as_double(type, v)));
}

static void note_collision(struct runner *r, const struct rarg *arg, const unsigned char *at,
                           union rvalue v) {
  const size_t size = size_of(arg->type);
  const unsigned char *data = r->p->dats[r->call->dat[arg->dat]].data;
  unsigned char *mark = &r->written[arg->dat][(size_t)(at - data) / size], cut[8];
  store(arg->type, cut, v);
  if (*mark && memcmp(cut, at, size) != 0) r->agree = false;
  *mark = 1;
}

static unsigned char *global(const struct runner *r, int a) {
  return r->p->gbls[r->call->dat[r->k->args[a].dat]].data;
}

/* Take the value if it is better, or equal and from an element with a lower number; take the values
 * of its op2_arg_info() arguments with it. */
static void offer(struct runner *r, int a, int64_t element, const struct rframe *f) {
  const struct rarg *arg = &r->k->args[a];
  const union rvalue v = f->arg[a][0], best = load(arg->type, global(r, a));
  bool low = arg->access == OP2_MIN;
  bool better = low ? less(arg->type, v, best) : less(arg->type, best, v);
  bool worse = low ? less(arg->type, best, v) : less(arg->type, v, best);
  if (worse || (!better && element >= r->found[a])) return;
  r->found[a] = element;
  store(arg->type, global(r, a), v);
  for (int b = 0; b < r->k->nargs; b++) {
    const struct rarg *info = &r->k->args[b];
    for (int c = 0; info->kind == R_INFO && info->beside == arg->dat && c < info->dim; c++)
      store(info->type, global(r, b) + (size_t)c * size_of(info->type), f->arg[b][c]);
  }
}

static void scatter(struct runner *r, int a, int64_t element, const struct rframe *f, bool counts) {
  const struct rarg *arg = &r->k->args[a];
  if (arg->access == OP2_READ || (arg->kind == R_GBL && !counts) || arg->kind == R_INFO) return;
  if (arg->located) {
    offer(r, a, element, f);
    return;
  }
  for (int s = 0; s < arg->slots; s++)
    for (int c = 0; c < arg->dim; c++) {
      unsigned char *at = arg->kind == R_GBL ? r->p->gbls[r->call->dat[arg->dat]].data +
                                                   (size_t)c * size_of(arg->type)
                                             : value_at(r, arg, element, s, c);
      const union rvalue v =
          combine(arg->access, arg->type, load(arg->type, at), f->arg[a][s * arg->dim + c]);
      if (arg->access == OP2_WRITE && arg->map >= 0) note_collision(r, arg, at, v);
      store(arg->type, at, v);
      note_scale(r->p, arg->type, v);
    }
}

static void run_element(struct runner *r, int64_t element, bool counts) {
  struct rframe f;
  memset(&f, 0, sizeof f);
  for (int c = 0; c < R_CONSTS; c++)
    for (int i = 0; i < rconsts[c].dim; i++)
      f.cst[c][i] = load(rconsts[c].type, r->p->cst[c] + (size_t)i * size_of(rconsts[c].type));
  for (int a = 0; a < r->k->nargs; a++) gather(r, a, element, &f);
  rkernel_run(r->k, &f);
  for (int a = 0; a < r->k->nargs; a++) scatter(r, a, element, &f, counts);
}

bool rcall_run(struct rprogram *p, const struct rcall *call) {
  struct runner r = {.p = p, .call = call, .k = call->kernel, .agree = true};
  const struct rset *set = &p->sets[call->set];
  for (int a = 0; a < r.k->nargs; a++) {
    r.found[a] = -1;
    if (r.k->args[a].located) r.start[a] = load(r.k->args[a].type, global(&r, a));
  }
  unsigned char *written[R_GROUPS] = {NULL};
  r.written = written;
  for (int a = 0; a < r.k->nargs; a++) {
    const struct rarg *arg = &r.k->args[a];
    if (arg->kind > R_ITER || arg->map < 0 || arg->access != OP2_WRITE || written[arg->dat])
      continue;
    const struct rdat *dat = &p->dats[call->dat[arg->dat]];
    written[arg->dat] = room((size_t)(p->sets[dat->set].ends[3] * dat->dim));
  }
  /* Indirect writes also run over the exec halo, whose elements do not count in reductions. */
  const int64_t owned = set->ends[1], end = r.k->indirect_write ? set->ends[2] : owned;
  for (int64_t i = 0; i < end; i++) run_element(&r, set->idx ? set->idx[i] : i, i < owned);
  for (int g = 0; g < R_GROUPS; g++) free(written[g]);
  return r.agree;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The element that touched a value of a dat, if only one has, and its access. */
struct touch {
  int64_t element;
  bool many;
  unsigned accesses;
};

/* False if this access and the earlier ones must keep their order. */
static bool touch(struct touch *t, int64_t element, op2_access access) {
  t->many = t->many || (t->accesses && t->element != element);
  t->element = element;
  t->accesses |= 1u << access;
  return !t->many || t->accesses == 1u << OP2_READ || t->accesses == 1u << OP2_INC ||
         t->accesses == 1u << OP2_MIN || t->accesses == 1u << OP2_MAX;
}

static bool touch_slots(const struct runner *r, int a, int64_t element, struct touch *touches) {
  const struct rarg *arg = &r->k->args[a];
  bool free = true;
  for (int s = 0; s < arg->slots; s++)
    free = touch(&touches[target(r, arg, element, s)], element, arg->access) && free;
  return free;
}

bool rcall_ordered(const struct rprogram *p, const struct rcall *call) {
  const struct runner r = {.p = (struct rprogram *)p, .call = call, .k = call->kernel};
  const struct rset *set = &p->sets[call->set];
  bool ordered = false;
  for (int a = 0; a < r.k->nargs; a++) ordered |= r.k->args[a].located;
  for (int g = 0; g < r.k->ndats; g++) {
    if (r.k->dats[g].role < 0) continue;
    struct touch *touches =
        room((size_t)p->sets[p->dats[call->dat[g]].set].ends[3] * sizeof *touches);
    for (int64_t i = 0; i < set->ends[1]; i++)
      for (int a = 0; a < r.k->nargs; a++)
        if (r.k->args[a].kind <= R_ITER && r.k->args[a].dat == g)
          ordered = !touch_slots(&r, a, set->idx ? set->idx[i] : i, touches) || ordered;
    free(touches);
  }
  return ordered;
}
