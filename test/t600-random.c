/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs against an interpreter of their own, on every backend, lazy and eager.
 *
 *   t600-random [count [seed [only]]]
 *
 * runs `count` programs of a seed, or just program `only` of them. OP2_TEST_RANDOM_COUNT and
 * OP2_TEST_RANDOM_SEED do the same. A program that fails is listed with its seed and number.
 * The kernels are those of the seed, or of OP2_TEST_RANDOM_KERNELS: several runs may share them.
 * OP2_TEST_FULL=1 takes four times as many programs, OP2_TEST_QUICK=1 only the first. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "sched_state.h"
#include "support.h"
#include "support_rprogram.h"

enum { KERNELS = 100, BLOCKS = 4, BACKENDS = 4, SHOWN = 3 };

static const char *const backends[BACKENDS] = {"sequential", "openmp", "starpu", "check"};
static const int block_sizes[BLOCKS] = {1, 2, 7, 1000000};

/* A context that lives through many programs, with every kernel and constant. */
struct place {
  struct config config;
  op2_context ctx;
  op2_kernel kernels[KERNELS];
  op2_const consts[R_CONSTS];
};

/* A look at values, or a change of them, that waits in the queue. */
struct later {
  struct runner *runner;
  op2_type type;
  size_t bytes;
  unsigned char *data;
};

/* One run of one program. */
struct runner {
  const struct rprogram *p;
  struct place *place;
  op2_set *sets;
  op2_map *maps;
  op2_dat *dats;
  op2_gbl *gbls;
  op2_loop *loops;
  unsigned char **memory; /* of wrapped dats */
  struct later *later;    /* by operation */
  const char *problem;
};

static struct rkernel *pool[KERNELS];
static int shown;
static bool tile_given, fuse_given; /* by whoever runs this: to every place */

static bool place_open(struct place *place) {
  op2_options options = config_options(&place->config);
  /* In most places every block is a task; in one the queue is short and programs may run inline, in
   * one chains are tiled wherever they can be, and in one loops are fused when they come again. */
  options.queue_max = place->config.block_size == 2 ? 3 : 0;
  setenv("OP2_CHUNK_US", place->config.block_size == 2 ? "200" : "0", 1);
  if (!fuse_given) setenv("OP2_FUSE", place->config.block_size == 2 ? "1" : "2", 1);
  if (!tile_given) setenv("OP2_TILE", place->config.block_size == 7 ? "3" : "0", 1);
  if (op2_init(&options, &place->ctx) != OP2_SUCCESS) return false;
  for (int k = 0; k < KERNELS; k++) {
    const op2_kernel_desc desc = {.name = pool[k]->name, .source = pool[k]->source};
    if (op2_kernel_create(place->ctx, &desc, &place->kernels[k]) != OP2_SUCCESS) return false;
  }
  for (int c = 0; c < R_CONSTS; c++) {
    const double zero[R_DIM] = {0};
    if (op2_const_create(place->ctx, rconsts[c].dim, rconsts[c].type, zero, rconsts[c].name,
                         &place->consts[c]) != OP2_SUCCESS)
      return false;
  }
  return true;
}

/* How often what is tested here has happened. */
static struct { int64_t fused, replayed, tiled, looks, edits; } seen;

static bool place_close(struct place *place) {
  const struct op2i_sched *sched = place->ctx->sched;
  seen.fused += sched->loops_fused;
  seen.replayed += sched->programs_replayed;
  seen.tiled += sched->chains_tiled;
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&place->kernels[k]);
  for (int c = 0; c < R_CONSTS; c++) op2_const_destroy(&place->consts[c]);
  return op2_finalize(&place->ctx) == OP2_SUCCESS;
}

/* ---- operations ----------------------------------------------------------------------------- */

static op2_status make_set(struct runner *r, int s) {
  const struct rset *set = &r->p->sets[s];
  if (set->parent >= 0)
    return op2_subset_create(r->sets[set->parent], set->count, set->position, NULL, &r->sets[s]);
  return op2_set_create_sections(r->place->ctx, set->ends, NULL, &r->sets[s]);
}

static op2_status make_dat(struct runner *r, int d, const unsigned char *data) {
  const struct rdat *dat = &r->p->dats[d];
  if (!dat->wrapped)
    return op2_dat_create(r->sets[dat->set], dat->dim, dat->type, dat->bare ? NULL : data, NULL,
                          &r->dats[d]);
  const size_t bytes = rdat_bytes(r->p, dat, true);
  r->memory[d] = malloc(bytes);
  if (!r->memory[d]) exit(2);
  memcpy(r->memory[d], data, bytes);
  return op2_dat_wrap(r->sets[dat->set], dat->dim, dat->type, r->memory[d], NULL, &r->dats[d]);
}

static op2_arg argument(const struct runner *r, const struct rcall *call, int a) {
  const struct rarg *arg = &call->kernel->args[a];
  switch (arg->kind) {
  case R_DIRECT: return op2_arg_direct(r->dats[call->dat[arg->dat]], arg->access);
  case R_SLOT:
    return op2_arg_dat(r->dats[call->dat[arg->dat]], arg->slot, r->maps[call->map[arg->map]],
                       arg->access);
  case R_ALL:
    return op2_arg_dat(r->dats[call->dat[arg->dat]], OP2_ALL, r->maps[call->map[arg->map]],
                       arg->access);
  case R_ITER:
    return op2_arg_dat(r->dats[call->dat[arg->dat]], OP2_ITER(arg->slot),
                       r->maps[call->map[arg->map]], arg->access);
  case R_GBL: return op2_arg_gbl(r->gbls[call->dat[arg->dat]], arg->access);
  case R_VAL: return op2_arg_val(call->value[a], arg->dim, arg->type);
  default: return op2_arg_idx();
  }
}

static op2_status queue(struct runner *r, int number, const struct rcall *call, op2_loop *object) {
  op2_arg args[R_ARGS];
  const op2_where where = {"program", number};
  const op2_kernel kernel = r->place->kernels[call->kernel_number];
  for (int a = 0; a < call->kernel->nargs; a++) args[a] = argument(r, call, a);
  if (object)
    return op2_loop_create_at(where, kernel, r->sets[call->set], call->kernel->nargs, args, object);
  return op2_par_loop_at(where, kernel, r->sets[call->set], call->kernel->nargs, args);
}

static bool same(struct runner *r, op2_type type, size_t bytes, const void *got,
                 const unsigned char *want) {
  static char text[200];
  for (size_t at = 0; at < bytes; at += size_of(type)) {
    const union rvalue a = load(type, (const char *)got + at), b = load(type, want + at);
    const double x = as_double(type, a), y = as_double(type, b);
    const double tolerance = type == OP2_F64 ? 1e-12 * r->p->scale64 : 2e-5 * r->p->scale32;
    if (is_float(type) ? fabs(x - y) <= tolerance : a.u == b.u) continue;
    snprintf(text, sizeof text, "value %zu is %.17g, expected %.17g", at / size_of(type), x, y);
    r->problem = text;
    return false;
  }
  return true;
}

static op2_status look(struct runner *r, const struct roperation *o) {
  const struct rdat *dat = &r->p->dats[o->a];
  const size_t bytes = rdat_bytes(r->p, dat, o->step != P_GET);
  const void *view = NULL;
  unsigned char *out = NULL;
  op2_status status;
  if (o->step == P_READ) {
    status = op2_dat_read_begin(r->dats[o->a], &view);
    if (status) return status;
    same(r, dat->type, bytes, view, o->data);
    return op2_dat_read_end(r->dats[o->a], &view);
  }
  out = malloc(bytes + 1);
  if (!out) exit(2);
  status =
      o->step == P_GET ? op2_dat_get(r->dats[o->a], out) : op2_dat_get_halo(r->dats[o->a], out);
  if (!status) same(r, dat->type, bytes, out, o->data);
  free(out);
  return status;
}

static op2_status edit(struct runner *r, const struct roperation *o) {
  const struct rdat *dat = &r->p->dats[o->a];
  void *view = NULL;
  op2_status status = op2_dat_write_begin(r->dats[o->a], &view);
  if (status) return status;
  /* All but three values are what they were: nothing else is looked at, so take them from the
   * model. */
  memcpy(view, o->data, rdat_bytes(r->p, dat, true));
  return op2_dat_write_end(r->dats[o->a], &view);
}

static op2_status look_gbl(struct runner *r, const struct roperation *o) {
  unsigned char out[R_DIM * 8];
  const struct rgbl *gbl = &r->p->gbls[o->a];
  const op2_status status = op2_gbl_get(r->gbls[o->a], out);
  if (!status) same(r, gbl->type, (size_t)gbl->dim * size_of(gbl->type), out, o->data);
  return status;
}

/* ---- the same by calls ----------------------------------------------------------------------- */

static int look_later(void *data, void *const *values) {
  const struct later *later = data;
  seen.looks++;
  return !same(later->runner, later->type, later->bytes, values[0], later->data);
}

static int edit_later(void *data, void *const *values) {
  const struct later *later = data;
  seen.edits++;
  memcpy(values[0], later->data, later->bytes);
  return 0;
}

static op2_status call(struct runner *r, int number) {
  const struct roperation *o = &r->p->operations[number];
  struct later *later = &r->later[number];
  op2_arg arg;
  if (o->step == P_GBL_GET) {
    const struct rgbl *gbl = &r->p->gbls[o->a];
    *later = (struct later){r, gbl->type, (size_t)gbl->dim * size_of(gbl->type), o->data};
    arg = op2_arg_gbl(r->gbls[o->a], OP2_READ);
  } else {
    const struct rdat *dat = &r->p->dats[o->a];
    *later = (struct later){r, dat->type, rdat_bytes(r->p, dat, true), o->data};
    arg = op2_arg_direct(r->dats[o->a], o->step == P_READ ? OP2_READ : OP2_WRITE);
  }
  const op2_where where = {"program", number};
  if (o->step == P_EDIT)
    return op2_call_at(where, "edit", r->place->ctx, edit_later, later, 1, &arg);
  return op2_call_at(where, "look", r->place->ctx, look_later, later, 1, &arg);
}

static op2_status make_object(struct runner *r, const struct roperation *o) {
  const struct rmap *map = &r->p->maps[o->a];
  const struct rgbl *gbl = &r->p->gbls[o->a];
  switch (o->step) {
  case P_MAP:
    return op2_map_create(r->sets[map->from], r->sets[map->to], map->arity, map->idx, NULL,
                          &r->maps[o->a]);
  case P_DAT: return make_dat(r, o->a, o->data);
  case P_GBL:
    return op2_gbl_create(r->place->ctx, gbl->dim, gbl->type, o->data, NULL, &r->gbls[o->a]);
  default: return make_set(r, o->a);
  }
}

static op2_status step(struct runner *r, int number) {
  const struct roperation *o = &r->p->operations[number];
  bool callable = o->step == P_READ || o->step == P_EDIT || o->step == P_GBL_GET;
  if (callable && number % 2) return call(r, number);
  switch (o->step) {
  case P_KILL_MAP: op2_map_destroy(&r->maps[o->a]); return OP2_SUCCESS;
  case P_KILL_DAT: op2_dat_destroy(&r->dats[o->a]); return OP2_SUCCESS;
  case P_KILL_GBL: op2_gbl_destroy(&r->gbls[o->a]); return OP2_SUCCESS;
  case P_KILL_OBJECT: op2_loop_destroy(&r->loops[o->a]); return OP2_SUCCESS;
  case P_LOOP: return queue(r, number, o->call, NULL);
  case P_OBJECT: return queue(r, number, o->call, &r->loops[o->a]);
  case P_ENQUEUE: return op2_loop_enqueue(r->loops[o->a]);
  case P_COMPUTE: return op2_loop_compute(r->loops[o->a]);
  case P_FLUSH: return op2_flush(r->place->ctx);
  case P_GET:
  case P_GET_HALO:
  case P_READ: return look(r, o);
  case P_PUT: return op2_dat_set(r->dats[o->a], o->data);
  case P_PUT_HALO: return op2_dat_set_halo(r->dats[o->a], o->data);
  case P_EDIT: return edit(r, o);
  case P_GBL_GET: return look_gbl(r, o);
  case P_GBL_PUT: return op2_gbl_set(r->gbls[o->a], o->data);
  case P_CONST_PUT: return op2_const_set(r->place->consts[o->a], o->data);
  default: return make_object(r, o);
  }
}

/* ---- programs ------------------------------------------------------------------------------- */

static void *handles(int n) {
  void *memory = calloc((size_t)n + 1, sizeof(void *));
  if (!memory) exit(2);
  return memory;
}

static void destroy(struct runner *r) {
  for (int i = 0; i < r->p->nobjects; i++) op2_loop_destroy(&r->loops[i]);
  for (int i = 0; i < r->p->ndats; i++) op2_dat_destroy(&r->dats[i]);
  for (int i = 0; i < r->p->nsets; i++) op2_set_destroy(&r->sets[i]);
  for (int i = 0; i < r->p->nmaps; i++) op2_map_destroy(&r->maps[i]);
  for (int i = 0; i < r->p->ngbls; i++) op2_gbl_destroy(&r->gbls[i]);
  /* Borrowed memory may go when no queued loop uses it. */
  if (op2_flush(r->place->ctx) != OP2_SUCCESS && !r->problem) r->problem = "the last flush fails";
  for (int i = 0; i < r->p->ndats; i++) free(r->memory[i]);
  free(r->later), free(r->loops), free(r->dats), free(r->sets), free(r->maps), free(r->gbls),
      free(r->memory);
}

static void show(const struct runner *r, int number, op2_status status) {
  const struct config *c = &r->place->config;
  diag("seed %llu, program %d, operation %d on %s, %s, blocks of %d: %s: %s",
       (unsigned long long)r->p->seed, r->p->number, number, c->backend,
       c->eager ? "eager" : "lazy", c->block_size, op2_status_name(status),
       r->problem ? r->problem : op2_error_message());
  if (shown++ >= SHOWN) return;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  rprogram_print(r->p, out);
  const struct roperation *o = &r->p->operations[number];
  if (o->call) fprintf(out, "%s\n", strstr(o->call->kernel->source, "void random_"));
  fclose(out);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) diag("%.500s", line);
  free(text);
}

static bool run(const struct rprogram *p, struct place *place) {
  struct runner r = {p,
                     place,
                     handles(p->nsets),
                     handles(p->nmaps),
                     handles(p->ndats),
                     handles(p->ngbls),
                     handles(p->nobjects),
                     handles(p->ndats),
                     calloc((size_t)p->noperations + 1, sizeof(struct later)),
                     NULL};
  op2_status status = OP2_SUCCESS;
  int number = 0;
  for (; number < p->noperations && !status && !r.problem; number++) status = step(&r, number);
  const bool good = !status && !r.problem;
  if (!good) show(&r, number - 1, status);
  destroy(&r);
  if (good && r.problem) show(&r, p->noperations - 1, OP2_SUCCESS);
  return good && !r.problem;
}

/* One place per backend, mode and block size; the block size is drawn per program. */
static struct place places[BACKENDS][2][BLOCKS];

static bool usable(int b) {
  const char *only = getenv("OP2_TEST_BACKEND");
  return !op2_backend_unavailable(backends[b]) &&
         !(only && *only && strcmp(only, backends[b]) != 0);
}

static void open_all(void) {
  for (int b = 0; b < BACKENDS; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why) skip("%s: %s", backends[b], why);
    for (int e = 0; usable(b) && e < 2; e++)
      for (int s = 0; s < BLOCKS; s++) {
        places[b][e][s].config = (struct config){backends[b], e == 1, block_sizes[s]};
        if (!place_open(&places[b][e][s]))
          ok(false, "context on %s, blocks of %d: %s", backends[b], block_sizes[s],
             op2_error_message());
      }
  }
}

static void close_all(void) {
  bool clean = true;
  for (int b = 0; b < BACKENDS; b++)
    for (int e = 0; usable(b) && e < 2; e++)
      for (int s = 0; s < BLOCKS; s++)
        if (places[b][e][s].ctx) clean = place_close(&places[b][e][s]) && clean;
  ok(clean, "every context ends without a failure");
}

struct counts {
  int run[BACKENDS], failed[BACKENDS][2], loops;
};

static void run_everywhere(uint64_t seed, int number, struct counts *counts) {
  struct rprogram *p = rprogram_make(seed, number, pool, KERNELS);
  uint64_t random = seed ^ (uint64_t)number;
  const int s = draw_below(&random, BLOCKS);
  counts->loops += p->loops;
  for (int b = 0; b < BACKENDS; b++) {
    if (!usable(b) || (p->collides && strcmp(backends[b], "check") == 0)) continue;
    counts->run[b]++;
    for (int e = 0; e < 2; e++) {
      struct place *place = &places[b][e][s];
      if (place->ctx && run(p, place)) continue;
      counts->failed[b][e]++;
      /* What a failure left behind must not fail the next program. */
      if (place->ctx && !place_close(place)) diag("  and at the end: %s", op2_error_message());
      if (!place_open(place)) diag("cannot open the context again: %s", op2_error_message());
    }
  }
  rprogram_free(p);
}

static int number_of(int argc, char **argv, int i, const char *variable, int otherwise) {
  const char *text = argc > i ? argv[i] : variable ? getenv(variable) : NULL;
  return text && *text ? atoi(text) : otherwise;
}

int main(int argc, char **argv) {
  struct counts counts = {0};
  test_environment();
  /* Half of the time is spent compiling, most of it loops that only one program fuses. */
  setenv("OP2_CFLAGS", "-O1 -march=native -fno-math-errno -ffp-contract=off", 0);
  const int usual = quick() ? 100 : thorough() ? 2000 : 500;
  const int count = number_of(argc, argv, 1, "OP2_TEST_RANDOM_COUNT", usual);
  const int seed = number_of(argc, argv, 2, "OP2_TEST_RANDOM_SEED", 1),
            only = number_of(argc, argv, 3, NULL, -1),
            drawn = number_of(0, NULL, 0, "OP2_TEST_RANDOM_KERNELS", seed);
  for (int k = 0; k < KERNELS; k++) pool[k] = rkernel_make((uint64_t)drawn, k);
  tile_given = getenv("OP2_TILE");
  fuse_given = getenv("OP2_FUSE");
  open_all();
  for (int n = only < 0 ? 0 : only; n < (only < 0 ? count : only + 1); n++)
    run_everywhere((uint64_t)seed, n, &counts);
  for (int b = 0; b < BACKENDS; b++)
    for (int e = 0; usable(b) && e < 2; e++)
      ok(counts.failed[b][e] == 0 && counts.run[b] > 0,
         "%d programs of seed %d on %s, %s: %d failed", counts.run[b], seed, backends[b],
         e ? "eager" : "lazy", counts.failed[b][e]);
  diag("%d loops in all programs", counts.loops);
  close_all();
  diag("%lld loops were fused, %lld programs run again, %lld chains tiled, %lld calls looked, %lld "
       "changed",
       (long long)seen.fused, (long long)seen.replayed, (long long)seen.tiled,
       (long long)seen.looks, (long long)seen.edits);
  ok(only >= 0 || count < 20 || (seen.looks > count && 4 * seen.edits > count),
     "calls are among the loops");
  for (int k = 0; k < KERNELS; k++) rkernel_free(pool[k]);
  return done();
}
