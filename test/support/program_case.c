/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a random program with the library, operation by operation, and compares all values that it
 * reads with those of the interpreter. */
#define _XOPEN_SOURCE 700
#include "program_case.h"
#include "address_case.h"
#include "set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "fp_case.h"
#include "init.h"
#include "tap.h"

/* An operation in the queue that reads values or changes them. */
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
  unsigned char **memory; /* memory of wrapped dats */
  struct later *later;    /* indexed by operation */
  char problem[200];
};

const op2_function *program_functions;
const int *program_numbers;

struct rkernel *program_kernel(uint64_t seed, int place) {
  return rkernel_make(seed, program_numbers ? program_numbers[place] : place);
}

op2_status place_begin(struct place *place, const op2_options *options, struct op2i_comm *comm) {
  op2_status status = op2i_init_ranks(options, comm, &place->ctx);
  for (int c = 0; c < R_CONSTS && !status; c++) {
    const double zero[R_DIM] = {0};
    status = op2_const_create(place->ctx, rconsts[c].dim, rconsts[c].type, zero, rconsts[c].name,
                              &place->consts[c]);
  }
  return status;
}

op2_status place_end(struct place *place) {
  for (int k = 0; k < PROGRAM_KERNELS; k++) op2_kernel_destroy(&place->kernels[k]);
  for (int c = 0; c < R_CONSTS; c++) op2_const_destroy(&place->consts[c]);
  return op2_finalize(&place->ctx);
}

/* ---- operations ----------------------------------------------------------------------------- */

static op2_status make_set(struct runner *r, int s) {
  const struct rset *set = &r->p->sets[s];
  if (set->parent >= 0)
    return op2_subset_create(r->sets[set->parent], set->count, set->position, NULL, &r->sets[s]);
  const struct share *share = r->place->share;
  if (share)
    return op2i_set_create_halo(r->place->ctx, set->ends, share->set[s].global, share->set[s].owner,
                                NULL, &r->sets[s]);
  return op2_set_create_sections(r->place->ctx, set->ends, NULL, &r->sets[s]);
}

static op2_status make_dat(struct runner *r, int d, const unsigned char *data) {
  const struct rdat *dat = &r->p->dats[d];
  if (!dat->wrapped)
    return op2_dat_create(r->sets[dat->set], dat->dim, dat->type, dat->bare ? NULL : data, NULL,
                          &r->dats[d]);
  const size_t bytes = rdat_bytes(r->p, dat, true);
  r->memory[d] = malloc(bytes ? bytes : 1);
  if (!r->memory[d]) exit(2);
  memcpy(r->memory[d], data, bytes);
  return op2_dat_wrap(r->sets[dat->set], dat->dim, dat->type, r->memory[d], NULL, &r->dats[d]);
}

/* The number of the argument to whose minimum or maximum this one belongs. */
static int beside(const struct rkernel *k, const struct rarg *info) {
  int a = 0;
  while (!k->args[a].located || k->args[a].dat != info->beside) a++;
  return a;
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
    return op2_arg_dat(r->dats[call->dat[arg->dat]],
                       arg->slot < 2 ? OP2_ITER(arg->slot) : OP2_PACKED,
                       r->maps[call->map[arg->map]], arg->access);
  case R_GBL: return op2_arg_gbl(r->gbls[call->dat[arg->dat]], arg->access);
  case R_INFO: return op2_arg_info(r->gbls[call->dat[arg->dat]], beside(call->kernel, arg));
  case R_VAL: return op2_arg_val(call->value[a], arg->dim, arg->type);
  default: return op2_arg_idx();
  }
}

static op2_status make_kernel(struct runner *r, const struct rcall *call, op2_kernel *kernel) {
  const op2_function function = program_functions ? program_functions[call->kernel_number] : NULL;
  char *declaration = function ? address_declaration(call->kernel) : NULL;
  const op2_kernel_desc desc = {.name = call->kernel->name,
                                .source = function ? declaration : call->kernel->source,
                                .threads = function ? call->kernel_number % 4 / 2 : 0,
                                .function = function};
  const op2_status status = op2_kernel_create(r->place->ctx, &desc, kernel);
  free(declaration);
  return status;
}

static op2_status queue(struct runner *r, int number, const struct rcall *call, op2_loop *object) {
  op2_arg args[R_ARGS];
  const op2_where where = {"program", number};
  op2_kernel *kernel = &r->place->kernels[call->kernel_number];
  const op2_status status = *kernel ? OP2_SUCCESS : make_kernel(r, call, kernel);
  if (status) return status;
  for (int a = 0; a < call->kernel->nargs; a++) args[a] = argument(r, call, a);
  if (object)
    return op2_loop_create_at(where, *kernel, r->sets[call->set], call->kernel->nargs, args,
                              object);
  return op2_par_loop_at(where, *kernel, r->sets[call->set], call->kernel->nargs, args);
}

static bool same(struct runner *r, op2_type type, size_t bytes, const void *got,
                 const unsigned char *want) {
  for (size_t at = 0; at < bytes; at++)
    r->place->digest = (r->place->digest ^ ((const unsigned char *)got)[at]) * 1099511628211u;
  for (size_t at = 0; at < bytes; at += size_of(type)) {
    const union rvalue a = load(type, (const char *)got + at), b = load(type, want + at);
    const double x = as_double(type, a), y = as_double(type, b);
    const double tolerance = type == OP2_F64 ? 1e-12 * r->p->scale64 : 2e-5 * r->p->scale32;
    if (is_float(type) ? fabs(x - y) <= tolerance : a.u == b.u) continue;
    snprintf(r->problem, sizeof r->problem, "value %zu is %.17g, expected %.17g",
             at / size_of(type), x, y);
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
  /* Only three values of the dat have changed and no others are compared, so the rest is taken from
   * the model. */
  memcpy(view, o->data, rdat_bytes(r->p, dat, true));
  return op2_dat_write_end(r->dats[o->a], &view);
}

static op2_status look_gbl(struct runner *r, const struct roperation *o) {
  unsigned char out[R_SLOTS * 8];
  const struct rgbl *gbl = &r->p->gbls[o->a];
  const op2_status status = op2_gbl_get(r->gbls[o->a], out);
  if (!status) same(r, gbl->type, (size_t)gbl->dim * size_of(gbl->type), out, o->data);
  return status;
}

/* ---- the same by calls ----------------------------------------------------------------------- */

static int look_later(void *data, void *const *values) {
  const struct later *later = data;
  later->runner->place->looks++;
  later->runner->place->other_modes += fp_get() != later->runner->place->modes;
  return !same(later->runner, later->type, later->bytes, values[0], later->data);
}

static int edit_later(void *data, void *const *values) {
  const struct later *later = data;
  later->runner->place->edits++;
  later->runner->place->other_modes += fp_get() != later->runner->place->modes;
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
  if (callable && number % 2 && !r->place->no_calls) return call(r, number);
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
  /* Borrowed memory may go as soon as no queued loop uses it. */
  if (op2_flush(r->place->ctx) != OP2_SUCCESS && !*r->problem)
    snprintf(r->problem, sizeof r->problem, "the last flush fails");
  for (int i = 0; i < r->p->ndats; i++) free(r->memory[i]);
  free(r->later), free(r->loops), free(r->dats), free(r->sets), free(r->maps), free(r->gbls),
      free(r->memory);
}

/* Only the first mismatches are printed. */
enum { SHOWN = 3 };
static _Atomic int shown;

static void show(const struct runner *r, int number, op2_status status) {
  const struct config *c = &r->place->config;
  diag("seed %llu, program %d, operation %d on %s, %s, blocks of %d: %s: %s",
       (unsigned long long)r->p->seed, r->p->number, number, c->backend,
       c->eager ? "eager" : "lazy", c->block_size, op2_status_name(status),
       *r->problem ? r->problem : op2_error_message());
  if (shown++ >= SHOWN) return;
  char *text = NULL, *rest = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  rprogram_print(r->p, out);
  const struct roperation *o = &r->p->operations[number];
  if (o->call) fprintf(out, "%s\n", strstr(o->call->kernel->source, "void random_"));
  fclose(out);
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    diag("%.500s", line);
  free(text);
}

/* Append the digest of a program to the file that OP2_TEST_DIGESTS names; test/bits.sh compares
 * those of two builds. */
static void write_digest(const struct rprogram *p, const struct place *place) {
  const char *name = getenv("OP2_TEST_DIGESTS");
  const struct op2i_comm *comm = place->ctx->comm;
  FILE *file = name && *name ? fopen(name, "a") : NULL;
  if (!file) return;
  fprintf(file, "seed %llu program %d %s %s blocks of %d rank %d of %d: %016llx\n",
          (unsigned long long)p->seed, p->number, place->config.backend,
          place->config.eager ? "eager" : "lazy", place->config.block_size, comm ? comm->rank : 0,
          comm ? comm->size : 1, (unsigned long long)place->digest);
  fclose(file);
}

bool program_run(const struct rprogram *p, struct place *place) {
  struct runner r = {p,
                     place,
                     handles(p->nsets),
                     handles(p->nmaps),
                     handles(p->ndats),
                     handles(p->ngbls),
                     handles(p->nobjects),
                     handles(p->ndats),
                     calloc((size_t)p->noperations + 1, sizeof(struct later)),
                     ""};
  op2_status status = OP2_SUCCESS;
  int number = 0;
  place->digest = 0;
  /* On ranks the program goes on after a mismatch, since the other ranks wait for this one. */
  for (; number < p->noperations && !status && (!*r.problem || place->share); number++)
    status = step(&r, number);
  const bool good = !status && !*r.problem;
  if (!good) show(&r, number - 1, status);
  destroy(&r);
  write_digest(p, place);
  if (good && *r.problem) show(&r, p->noperations - 1, OP2_SUCCESS);
  return good && !*r.problem;
}
