/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_rprogram.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

struct maker {
  struct rprogram *p;
  uint64_t random;
  struct rkernel *const *kernels;
  int nkernels, *numbers; /* numbers: the kernels that this program uses */
  bool whole;             /* sets have no halo, and no loop depends on the order of elements */
};

static void *room(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) exit(2);
  return memory;
}

/* Grow the array for one more than `count` elements; arrays grow by doubling. */
static void *grown(void *array, int count, size_t bytes) {
  if (count & (count - 1)) return array;
  array = realloc(array, (size_t)(count ? 2 * count : 1) * bytes);
  if (!array) exit(2);
  return array;
}

static struct roperation *operation(struct rprogram *p, enum rstep step, int a) {
  p->operations = grown(p->operations, p->noperations, sizeof *p->operations);
  p->operations[p->noperations] = (struct roperation){step, a, NULL, NULL};
  return &p->operations[p->noperations++];
}

size_t rdat_bytes(const struct rprogram *p, const struct rdat *d, bool whole) {
  return (size_t)(p->sets[d->set].ends[whole ? 3 : 1] * d->dim) * size_of(d->type);
}

static unsigned char *copy(const void *data, size_t bytes) {
  unsigned char *out = room(bytes);
  if (bytes) memcpy(out, data, bytes);
  return out;
}

/* Whole numbers that every type can hold, and fractions for floating point. */
static void random_value(uint64_t *r, op2_type type, void *at) {
  union rvalue v = {0};
  const int n = draw_below(r, 201) - 100;
  if (type == OP2_F64)
    v.d = n / 32.0;
  else if (type == OP2_F32)
    v.f = (float)n / 32;
  else
    v.u = (uint64_t)(int64_t)n;
  store(type, at, v);
}

static void random_values(uint64_t *r, op2_type type, size_t bytes, unsigned char *out) {
  for (size_t i = 0; i < bytes; i += size_of(type)) random_value(r, type, out + i);
}

/* ---- objects -------------------------------------------------------------------------------- */

static int64_t random_size(uint64_t *r) {
  const int kind = draw_below(r, 40);
  return kind == 0   ? 0
         : kind == 1 ? 1
         : kind == 2 ? 700 + draw_below(r, 900)
         : kind < 8  ? 100 + draw_below(r, 200)
                     : 4 + draw_below(r, 50);
}

static void make_set(struct maker *m) {
  struct rprogram *p = m->p;
  uint64_t *r = &m->random;
  struct rset s = {.base = p->nsets, .parent = -1};
  int64_t n = random_size(r);
  for (int e = 3; e >= 0; e--) {
    s.ends[e] = n;
    if (m->whole) continue;
    if (draw_below(r, 2) && n) n = draw_below(r, 4) ? n - n / 4 : draw_below(r, (int)n + 1);
    if (e == 3 && draw_below(r, 2)) {
      s.ends[2] = s.ends[1] = s.ends[0] = s.ends[3];
      break;
    }
  }
  p->sets = grown(p->sets, p->nsets, sizeof *p->sets);
  p->sets[p->nsets] = s;
  operation(p, P_SET, p->nsets++);
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int make_subset(struct maker *m, int parent) {
  struct rprogram *p = m->p;
  uint64_t *r = &m->random;
  p->sets = grown(p->sets, p->nsets, sizeof *p->sets);
  const struct rset *of = &p->sets[parent], *base = &p->sets[of->base];
  struct rset s = {.base = of->base, .parent = parent};
  s.count = of->ends[3] ? draw_below(r, (int)of->ends[3] + 1) : 0;
  s.position = room((size_t)s.count * sizeof *s.position);
  s.idx = room((size_t)s.count * sizeof *s.idx);
  for (int64_t i = 0; i < s.count; i++) {
    s.position[i] = draw_below(r, (int)of->ends[3]);
    s.idx[i] = of->idx ? of->idx[s.position[i]] : s.position[i];
  }
  qsort(s.idx, (size_t)s.count, sizeof *s.idx, compare);
  int64_t kept = 0;
  for (int64_t i = 0; i < s.count; i++)
    if (i == 0 || s.idx[i] != s.idx[i - 1]) s.idx[kept++] = s.idx[i];
  for (int64_t i = 0; i < kept; i++)
    for (int e = 0; e < 4; e++) s.ends[e] += s.idx[i] < base->ends[e];
  p->sets[p->nsets] = s;
  operation(p, P_SUBSET, p->nsets);
  return p->nsets++;
}

static bool row_has(const int32_t *row, int n, int32_t value) {
  for (int k = 0; k < n; k++)
    if (row[k] == value) return true;
  return false;
}

/* Styles of maps: anywhere, near (as in a numbered mesh), into few elements, one to one as far as
 * possible. */
static int make_map(struct maker *m, int from, int to, int arity, bool distinct) {
  struct rprogram *p = m->p;
  uint64_t *r = &m->random;
  const int64_t rows = p->sets[from].ends[3], limit = p->sets[to].ends[3];
  const int style = draw_below(r, 5), few = distinct ? arity : 1 + draw_below(r, 3);
  struct rmap map = {from,     to,    arity,
                     distinct, false, room((size_t)(rows * arity) * sizeof(int32_t))};
  for (int64_t i = 0; i < rows; i++)
    for (int k = 0; k < arity; k++) {
      int32_t v = 0;
      if (style <= 1)
        v = draw_below(r, (int)limit);
      else if (style == 2)
        v = (int32_t)((i * limit / (rows ? rows : 1) + draw_below(r, 4)) % limit);
      else if (style == 3)
        v = draw_below(r, few < limit ? few : (int)limit);
      else
        v = (int32_t)((i * arity + k) % limit);
      while (distinct && row_has(map.idx + i * arity, k, v)) v = (int32_t)((v + 1) % limit);
      map.idx[i * arity + k] = v;
    }
  p->maps = grown(p->maps, p->nmaps, sizeof *p->maps);
  p->maps[p->nmaps] = map;
  operation(p, P_MAP, p->nmaps);
  return p->nmaps++;
}

static int make_dat(struct maker *m, int set, op2_type type, int dim) {
  struct rprogram *p = m->p;
  uint64_t *r = &m->random;
  struct rdat d = {.set = set, .dim = dim, .type = type};
  d.wrapped = draw_below(r, 8) == 0;
  d.bare = !d.wrapped && draw_below(r, 4) == 0;
  const size_t bytes = rdat_bytes(p, &d, true);
  if (d.wrapped && bytes == 0) d.wrapped = false;
  d.data = room(bytes);
  if (!d.bare) random_values(r, type, bytes, d.data);
  p->dats = grown(p->dats, p->ndats, sizeof *p->dats);
  p->dats[p->ndats] = d;
  operation(p, P_DAT, p->ndats)->data = copy(d.data, bytes);
  return p->ndats++;
}

static int make_gbl(struct maker *m, op2_type type, int dim) {
  struct rprogram *p = m->p;
  const size_t bytes = (size_t)dim * size_of(type);
  struct rgbl g = {.dim = dim, .type = type, .data = room(bytes)};
  random_values(&m->random, type, bytes, g.data);
  p->gbls = grown(p->gbls, p->ngbls, sizeof *p->gbls);
  p->gbls[p->ngbls] = g;
  operation(p, P_GBL, p->ngbls)->data = copy(g.data, bytes);
  return p->ngbls++;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static int pick_base(struct maker *m) {
  int s;
  do s = draw_below(&m->random, m->p->nsets);
  while (m->p->sets[s].parent >= 0);
  return s;
}

static int find_map(struct maker *m, int from, int to, const struct rmapgroup *g,
                    const struct rcall *call, int before) {
  struct rprogram *p = m->p;
  for (int i = 0; i < p->nmaps; i++) {
    const struct rmap *map = &p->maps[i];
    bool used = false;
    for (int b = 0; b < before; b++) used = used || call->map[b] == i;
    if (!used && !map->dead && map->from == from && map->to == to && map->arity == g->arity &&
        (map->distinct || !g->distinct) && draw_below(&m->random, 3))
      return i;
  }
  return make_map(m, from, to, g->arity, g->distinct);
}

static int find_dat(struct maker *m, int set, const struct rdatgroup *g, const struct rcall *call,
                    int before) {
  struct rprogram *p = m->p;
  const int start = p->ndats ? draw_below(&m->random, p->ndats) : 0;
  for (int n = 0; n < p->ndats; n++) {
    const int i = (start + n) % p->ndats;
    const struct rdat *d = &p->dats[i];
    bool used = d->dead;
    for (int b = 0; b < before; b++)
      used = used || (call->kernel->dats[b].role >= 0 && call->dat[b] == i);
    if (!used && d->set == set && d->type == g->type && d->dim == g->dim &&
        draw_below(&m->random, 6))
      return i;
  }
  return make_dat(m, set, g->type, g->dim);
}

static int find_gbl(struct maker *m, const struct rdatgroup *g, const struct rcall *call,
                    int before) {
  struct rprogram *p = m->p;
  for (int i = 0; i < p->ngbls; i++) {
    bool used = p->gbls[i].dead;
    for (int b = 0; b < before; b++)
      used = used || (call->kernel->dats[b].role < 0 && call->dat[b] == i);
    if (!used && p->gbls[i].type == g->type && p->gbls[i].dim == g->dim &&
        draw_below(&m->random, 4))
      return i;
  }
  return make_gbl(m, g->type, g->dim);
}

/* Choose sets for the kernel's roles; false if no map can be made between them. */
static bool choose_roles(struct maker *m, const struct rkernel *k, int *roles) {
  struct rprogram *p = m->p;
  for (int role = 0; role < R_ROLES; role++) roles[role] = pick_base(m);
  if (p->sets[roles[0]].ends[3] == 0) return true;
  for (int g = 0; g < k->nmaps; g++)
    if (p->sets[roles[k->maps[g].role]].ends[3] < (k->maps[g].distinct ? k->maps[g].arity : 1))
      return false;
  return true;
}

static int choose_range(struct maker *m, int base) {
  struct rprogram *p = m->p;
  if (draw_below(&m->random, 4)) return base;
  for (int s = 0; s < p->nsets; s++)
    if (p->sets[s].parent >= 0 && p->sets[s].base == base && draw_below(&m->random, 2)) {
      return draw_below(&m->random, 3) ? s : make_subset(m, s);
    }
  return make_subset(m, base);
}

static void fill_call(struct maker *m, struct rcall *call) {
  int roles[R_ROLES];
  do {
    call->kernel_number = m->numbers[draw_below(&m->random, m->nkernels)];
    call->kernel = m->kernels[call->kernel_number];
  } while (!choose_roles(m, call->kernel, roles));
  const struct rkernel *k = call->kernel;
  call->set = choose_range(m, roles[0]);
  for (int g = 0; g < k->nmaps; g++)
    call->map[g] = find_map(m, roles[0], roles[k->maps[g].role], &k->maps[g], call, g);
  for (int g = 0; g < k->ndats; g++)
    call->dat[g] = k->dats[g].role < 0 ? find_gbl(m, &k->dats[g], call, g)
                                       : find_dat(m, roles[k->dats[g].role], &k->dats[g], call, g);
  for (int a = 0; a < k->nargs; a++)
    if (k->args[a].kind == R_VAL)
      random_values(&m->random, k->args[a].type, (size_t)k->args[a].dim * size_of(k->args[a].type),
                    call->value[a]);
}

/* Null if none of the kernels that were tried fits. */
static struct rcall *make_call(struct maker *m) {
  struct rcall *call = room(sizeof *call);
  int tries = m->whole ? 4 : 0;
  do fill_call(m, call);
  while (m->whole && rcall_ordered(m->p, call) && --tries);
  if (!m->whole || tries) return call;
  free(call);
  return NULL;
}

/* ---- operations ----------------------------------------------------------------------------- */

static void run(struct maker *m, const struct rcall *call) {
  m->p->loops++;
  if (!rcall_run(m->p, call)) m->p->collides = true;
}

static void queue_loop(struct maker *m) {
  struct rcall *call = make_call(m);
  if (!call) return;
  operation(m->p, P_LOOP, 0)->call = call;
  run(m, call);
}

/* Make a loop object, or use an existing one. */
static void use_object(struct maker *m) {
  struct rprogram *p = m->p;
  uint64_t *r = &m->random;
  const int o = p->nobjects ? draw_below(r, p->nobjects) : 0;
  if (p->nobjects == 0 || draw_below(r, 4) == 0) {
    struct rcall *call = make_call(m);
    if (!call) return;
    p->objects = grown(p->objects, p->nobjects, sizeof *p->objects);
    p->objects[p->nobjects] = call;
    operation(p, P_OBJECT, p->nobjects++)->call = call;
  } else if (p->objects[o]) {
    const int kind = draw_below(r, 8);
    operation(p, kind == 0 ? P_KILL_OBJECT : kind == 1 ? P_COMPUTE : P_ENQUEUE, o);
    if (kind)
      run(m, p->objects[o]);
    else
      p->objects[o] = NULL;
  }
}

static void look_at_dat(struct maker *m) {
  static const enum rstep steps[] = {P_GET, P_GET_HALO, P_READ, P_PUT, P_PUT_HALO, P_EDIT};
  struct rprogram *p = m->p;
  if (p->ndats == 0) return;
  const int d = draw_below(&m->random, p->ndats);
  struct rdat *dat = &p->dats[d];
  if (dat->dead) return;
  const enum rstep step = steps[draw_below(&m->random, 6)];
  const size_t bytes = rdat_bytes(p, dat, step != P_GET && step != P_PUT);
  if (step == P_PUT || step == P_PUT_HALO) random_values(&m->random, dat->type, bytes, dat->data);
  if (step == P_EDIT && bytes)
    for (int i = 0; i < 3; i++) {
      const size_t at =
          (size_t)draw_below(&m->random, (int)(bytes / size_of(dat->type))) * size_of(dat->type);
      random_value(&m->random, dat->type, dat->data + at);
    }
  operation(p, step, d)->data = copy(dat->data, bytes);
}

static void look_at_gbl(struct maker *m) {
  struct rprogram *p = m->p;
  if (p->ngbls == 0) return;
  const int g = draw_below(&m->random, p->ngbls);
  struct rgbl *gbl = &p->gbls[g];
  if (gbl->dead) return;
  const size_t bytes = (size_t)gbl->dim * size_of(gbl->type);
  const bool put = draw_below(&m->random, 2);
  if (put) random_values(&m->random, gbl->type, bytes, gbl->data);
  operation(p, put ? P_GBL_PUT : P_GBL_GET, g)->data = copy(gbl->data, bytes);
}

static void change_const(struct maker *m, int c) {
  const size_t bytes = (size_t)rconsts[c].dim * size_of(rconsts[c].type);
  random_values(&m->random, rconsts[c].type, bytes, m->p->cst[c]);
  operation(m->p, P_CONST_PUT, c)->data = copy(m->p->cst[c], bytes);
}

static void give_up(struct maker *m) {
  struct rprogram *p = m->p;
  const int counts[] = {p->nmaps, p->ndats, p->ngbls}, kind = draw_below(&m->random, 3);
  if (counts[kind] == 0) return;
  const int i = draw_below(&m->random, counts[kind]);
  bool *dead = kind == 0 ? &p->maps[i].dead : kind == 1 ? &p->dats[i].dead : &p->gbls[i].dead;
  if (*dead) return;
  *dead = true;
  operation(p, kind == 0 ? P_KILL_MAP : kind == 1 ? P_KILL_DAT : P_KILL_GBL, i);
}

/* In the end all remaining objects are read, in half of the programs without a flush before. */
static void finish(struct maker *m) {
  struct rprogram *p = m->p;
  if (draw_below(&m->random, 2)) operation(p, P_FLUSH, 0);
  for (int d = 0; d < p->ndats; d++)
    if (!p->dats[d].dead)
      operation(p, P_GET_HALO, d)->data = copy(p->dats[d].data, rdat_bytes(p, &p->dats[d], true));
  for (int g = 0; g < p->ngbls; g++)
    if (!p->gbls[g].dead)
      operation(p, P_GBL_GET, g)->data =
          copy(p->gbls[g].data, (size_t)p->gbls[g].dim * size_of(p->gbls[g].type));
}

static struct rprogram *make(uint64_t seed, int number, struct rkernel *const *pool, int npool,
                             bool whole) {
  int numbers[6];
  struct rprogram *p = room(sizeof *p);
  struct maker m = {p, seed * 7919u + (uint64_t)number * 104729u + 1, pool, 6, numbers, whole};
  p->seed = seed;
  p->number = number;
  p->scale64 = p->scale32 = 8;
  for (int i = 0; i < 6; i++) numbers[i] = draw_below(&m.random, npool);
  for (int i = 2 + draw_below(&m.random, 2); i > 0; i--) make_set(&m);
  while (p->sets[0].ends[3] < R_ARITY)
    p->sets[0] = whole ? (struct rset){.ends = {20, 20, 20, 20}, .parent = -1}
                       : (struct rset){.ends = {9, 12, 15, 20}, .parent = -1};
  for (int c = 0; c < R_CONSTS; c++) change_const(&m, c);
  for (int steps = 6 + draw_below(&m.random, 14); steps > 0; steps--) {
    const int kind = draw_below(&m.random, 20);
    if (kind < 11)
      queue_loop(&m);
    else if (kind < 13)
      use_object(&m);
    else if (kind < 15)
      look_at_dat(&m);
    else if (kind < 17)
      look_at_gbl(&m);
    else if (kind == 17)
      change_const(&m, draw_below(&m.random, R_CONSTS));
    else if (kind == 18)
      operation(p, P_FLUSH, 0);
    else
      give_up(&m);
  }
  finish(&m);
  return p;
}

struct rprogram *rprogram_make(uint64_t seed, int number, struct rkernel *const *pool, int npool) {
  return make(seed, number, pool, npool, false);
}

struct rprogram *rprogram_make_whole(uint64_t seed, int number, struct rkernel *const *pool,
                                     int npool) {
  return make(seed, number, pool, npool, true);
}

void rprogram_free(struct rprogram *p) {
  for (int i = 0; i < p->noperations; i++) {
    free(p->operations[i].call);
    free(p->operations[i].data);
  }
  for (int i = 0; i < p->nsets; i++) free(p->sets[i].idx), free(p->sets[i].position);
  for (int i = 0; i < p->nmaps; i++) free(p->maps[i].idx);
  for (int i = 0; i < p->ndats; i++) free(p->dats[i].data);
  for (int i = 0; i < p->ngbls; i++) free(p->gbls[i].data);
  free(p->sets);
  free(p->maps);
  free(p->dats);
  free(p->gbls);
  free(p->objects);
  free(p->operations);
  free(p);
}
