/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop_case.h"
#include "loop_validate.h"

#include <string.h>

#include "signature.h"
#include "simd.h"

op2_status case_begin(struct loop_case *c, const char *name, const char *source) {
  memset(c, 0, sizeof *c);
  c->kernel.obj.name = (char *)name;
  c->kernel.source = (char *)source;
  c->kernel.headers = (char *)"";
  c->set.base = c->subset.base = &c->set;
  c->loop.kernel = &c->kernel;
  c->loop.set = &c->set;
  c->loop.args = c->args;
  c->loop.op.dats = c->dats;
  c->loop.maps = c->maps;
  c->loop.op.gbls = c->gbls;
  c->loop.consts = c->consts;
  for (int i = 0; i < CASE_OBJECTS; i++) {
    c->dats[i] = &c->dat[i];
    c->maps[i] = &c->map[i];
    c->gbls[i] = &c->gbl[i];
  }
  return op2i_signature_parse(source, name, false, &c->kernel.signature);
}

void case_end(struct loop_case *c) {
  op2i_simd_forget(&c->kernel);
  op2i_signature_free(&c->kernel.signature);
}

void case_over_subset(struct loop_case *c) { c->loop.set = &c->subset; }

void case_map(struct loop_case *c, int map, int arity) {
  c->map[map].arity = arity;
  if (map >= c->loop.nmaps) c->loop.nmaps = map + 1;
}

static struct op2i_loop_arg *add(struct loop_case *c, enum op2i_arg_kind kind, int dim,
                                 op2_type type, op2_access access) {
  struct op2i_loop_arg *arg = &c->args[c->loop.nargs++];
  *arg = (struct op2i_loop_arg){.kind = kind,
                                .access = access,
                                .type = type,
                                .dim = dim,
                                .slot = -1,
                                .arity = 1,
                                .dat = -1,
                                .map = -1,
                                .gbl = -1,
                                .offset = -1};
  return arg;
}

static int take(int32_t *total, int bytes) {
  int at = *total;
  *total += (bytes + 15) / 16 * 16;
  return at;
}

int case_dat(struct loop_case *c, int dat, int dim, op2_type type, int slot, int map,
             op2_access access) {
  bool iter = slot == OP2_ITER(0) || slot == OP2_ITER(1);
  enum op2i_arg_kind kind = map < 0           ? OP2I_ARG_DIRECT
                            : slot == OP2_ALL ? OP2I_ARG_ALL
                            : iter            ? OP2I_ARG_ITER
                                              : OP2I_ARG_SLOT;
  struct op2i_loop_arg *arg = add(c, kind, dim, type, access);
  arg->dat = dat;
  arg->map = map;
  if (kind == OP2I_ARG_SLOT) arg->slot = slot;
  if (kind == OP2I_ARG_ITER) arg->slot = slot == OP2_ITER(1);
  if (kind == OP2I_ARG_ITER || kind == OP2I_ARG_ALL) arg->arity = c->map[map].arity;
  c->dat[dat].dim = dim;
  c->dat[dat].type = type;
  if (dat >= c->loop.op.ndats) c->loop.op.ndats = dat + 1;
  return c->loop.nargs - 1;
}

int case_gbl(struct loop_case *c, int gbl, int dim, op2_type type, op2_access access) {
  struct op2i_loop_arg *arg = add(c, OP2I_ARG_GBL, dim, type, access);
  arg->gbl = gbl;
  if (access != OP2_READ)
    arg->offset = take(&c->loop.partial_bytes, dim * (int)op2i_type_size(type));
  if (gbl >= c->loop.op.ngbls) c->loop.op.ngbls = gbl + 1;
  return c->loop.nargs - 1;
}

int case_info(struct loop_case *c, int gbl, int dim, op2_type type, int beside) {
  int a = case_gbl(c, gbl, dim, type, OP2_RW);
  c->args[a].info_of = beside;
  if (!c->args[beside].found_at)
    c->args[beside].found_at = take(&c->loop.partial_bytes, sizeof(struct op2i_found));
  return a;
}

int case_val(struct loop_case *c, int dim, op2_type type) {
  struct op2i_loop_arg *arg = add(c, OP2I_ARG_VAL, dim, type, OP2_READ);
  arg->offset = take(&c->loop.op.payload_bytes, dim * (int)op2i_type_size(type));
  return c->loop.nargs - 1;
}

int case_idx(struct loop_case *c) {
  (void)add(c, OP2I_ARG_IDX, 1, OP2_I64, OP2_READ);
  return c->loop.nargs - 1;
}

int case_map_idx(struct loop_case *c, int map, int slot) {
  struct op2i_loop_arg *arg = add(c, OP2I_ARG_IDX, 1, OP2_I32, OP2_READ);
  arg->map = map;
  arg->slot = slot;
  if (slot == OP2_ALL) arg->arity = c->map[map].arity;
  return c->loop.nargs - 1;
}

int case_const(struct loop_case *c, const char *name, int dim, op2_type type) {
  struct op2i_loop_const *cst = &c->consts[c->loop.nconsts++];
  *cst = (struct op2i_loop_const){.name = (char *)name, .type = type, .dim = dim};
  cst->offset = take(&c->loop.op.payload_bytes, dim * (int)op2i_type_size(type));
  return cst->offset;
}
