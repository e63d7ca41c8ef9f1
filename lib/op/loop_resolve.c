/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves the arguments of a loop: which dats, maps and globals they refer to, what the loop does to
 * each, and over which elements it runs. */
#include "loop_resolve.h"

#include <string.h>

#include "codegen.h"
#include "component.h"
#include "context.h"
#include "drop.h"
#include "error.h"
#include "loop_validate.h"
#include "map.h"
#include "mem.h"
#include "sparse.h"

/* ---- resolving arguments --------------------------------------------------------------------- */

/* A component is a part of its dat's rows. What writes it keeps the rest of the row. */
static void resolve_component(struct op2i_loop *loop, op2_dat component,
                              struct op2i_loop_arg *out) {
  out->part_first = component->first;
  out->part = component->dim;
  if (op2i_overwrites(out->access)) out->access = OP2_RW;
  (void)op2i_number_of((void **)loop->named, &loop->nnamed, component);
}

static void resolve_dat(struct op2i_loop *loop, const op2_arg *arg, struct op2i_loop_arg *out) {
  op2_dat given = arg->object, dat = op2i_dat_whole(given);
  out->type = dat->type;
  out->dim = dat->dim;
  out->dat = op2i_number_of((void **)loop->op.dats, &loop->op.ndats, dat);
  if (given != dat) resolve_component(loop, given, out);
  if (out->kind == OP2I_ARG_DIRECT) return;
  out->map = op2i_number_of((void **)loop->maps, &loop->nmaps, arg->map);
  out->slot = out->kind == OP2I_ARG_SLOT   ? arg->idx
              : out->kind == OP2I_ARG_ITER ? arg->idx == OP2_ITER(1)
                                           : -1;
  out->arity = out->kind == OP2I_ARG_SLOT ? 1 : arg->map->arity;
  if (out->kind == OP2I_ARG_ROW_ENTRIES) {
    out->first = op2i_number_of((void **)loop->maps, &loop->nmaps, arg->map->first);
    loop->traits.per_nonzero = true;
  }
  loop->traits.indirect = true;
  out->injective = arg->map->own_rows;
  loop->traits.indirect_write |=
      op2i_modifies(arg->access) && !(arg->map->own_rows && arg->map->from->halo);
}

/* A matrix is a dat on its nonzeros, which one map leads to. */
static void resolve_mat(struct op2i_loop *loop, const op2_arg *arg, struct op2i_loop_arg *out) {
  op2_mat mat = arg->object;
  op2_map nonzeros = op2i_sparsity_nonzeros(mat->sparsity, arg->map, arg->map2);
  if (arg->value) {
    nonzeros = op2i_sparsity_dropped(mat->sparsity, nonzeros, (op2_set)arg->value, arg->idx2);
    (void)op2i_number_of((void **)loop->named, &loop->nnamed, (void *)arg->value);
  }
  out->type = mat->type;
  out->dim = mat->row_dim * mat->column_dim;
  out->dat = op2i_number_of((void **)loop->op.dats, &loop->op.ndats, mat->values);
  out->map = op2i_number_of((void **)loop->maps, &loop->nmaps, nonzeros);
  out->arity = nonzeros->arity;
  out->columns = arg->map2->arity;
  out->column_dim = mat->column_dim;
  (void)op2i_number_of((void **)loop->named, &loop->nnamed, mat);
  loop->traits.indirect = loop->traits.indirect_write = true;
}

/* Element numbers have the type that the kernel's parameter has. */
static void resolve_idx(struct op2i_loop *loop, const op2_arg *arg, const struct op2i_param *param,
                        struct op2i_loop_arg *out) {
  bool narrow = param->type == OP2_I32 || (!param->type && param->depth > 0);
  out->type = narrow ? OP2_I32 : OP2_I64;
  out->dim = 1;
  if (!arg->map) return;
  out->map = op2i_number_of((void **)loop->maps, &loop->nmaps, arg->map);
  out->slot = arg->idx;
  if (arg->idx == OP2_ALL) out->arity = arg->map->arity;
  loop->traits.indirect = true;
}

static int32_t take_bytes(int32_t *used, size_t bytes, size_t align) {
  int32_t at = (int32_t)(((size_t)*used + align - 1) / align * align);
  *used = at + (int32_t)bytes;
  return at;
}

/* Captured values fill whole pieces of 16 bytes. */
static int32_t take_pieces(struct op2i_loop *loop, size_t bytes) {
  return take_bytes(&loop->op.payload_bytes, (bytes + 15) / 16 * 16, 16);
}

static void resolve_captured(struct op2i_loop *loop, struct op2i_loop_arg *out) {
  if (out->kind == OP2I_ARG_OPAQUE) out->type = OP2_U64;
  out->offset = take_pieces(loop, (size_t)out->dim * op2i_type_size(out->type));
}

static void resolve_gbl(struct op2i_loop *loop, op2_gbl gbl, struct op2i_loop_arg *out) {
  out->type = gbl->type;
  out->dim = gbl->dim;
  out->gbl = op2i_number_of((void **)loop->op.gbls, &loop->op.ngbls, gbl);
  if (op2i_modifies(out->access)) out->offset = take_bytes(&loop->partial_bytes, gbl->bytes, 16);
}

/* Reductions that op2_arg_info() arguments refer to also keep which element it was. */
static void resolve_info(struct op2i_loop *loop, const op2_arg *args) {
  for (int n = 0; n < loop->nargs; n++) {
    if (!op2i_arg_informs(&loop->args[n])) continue;
    struct op2i_loop_arg *reduction = &loop->args[args[n].idx];
    loop->args[n].info_of = args[n].idx;
    if (!op2i_arg_located(reduction))
      reduction->found_at = take_bytes(&loop->partial_bytes, sizeof(struct op2i_found), 16);
  }
}

static void resolve_args(struct op2i_loop *loop, const op2_arg *args) {
  for (int n = 0; n < loop->nargs; n++) {
    struct op2i_loop_arg *out = &loop->args[n];
    *out = (struct op2i_loop_arg){.kind = op2i_arg_kind(&args[n]),
                                  .access = (op2_access)args[n].access,
                                  .type = args[n].type ? (op2_type)args[n].type : OP2_F64,
                                  .dim = args[n].type ? args[n].dim : 1,
                                  .slot = -1,
                                  .arity = 1,
                                  .dat = -1,
                                  .map = -1,
                                  .gbl = -1,
                                  .offset = -1};
    if (out->kind == OP2I_ARG_IDX) {
      resolve_idx(loop, &args[n], &loop->kernel->signature.params[n], out);
    } else if (op2i_arg_captured(out)) {
      resolve_captured(loop, out);
    } else if (!args[n].object) {
      continue; /* It is absent or a work array, which have no more than a type and extent. */
    } else if (out->kind == OP2I_ARG_GBL) {
      resolve_gbl(loop, args[n].object, out);
    } else if (args[n].tag == OP2_TAG_MAT_) {
      resolve_mat(loop, &args[n], out);
    } else {
      resolve_dat(loop, &args[n], out);
    }
  }
  for (int n = 0; n < loop->nargs; n++) {
    struct op2i_loop_arg *arg = &loop->args[n];
    const bool adds = loop->traits.per_nonzero
                          ? arg->kind == OP2I_ARG_DIRECT
                          : arg->dat >= 0 && loop->op.dats[arg->dat]->from_zero;
    arg->row_sum = adds && op2i_overwrites(arg->access);
  }
  resolve_info(loop, args);
  loop->partial_bytes = (loop->partial_bytes + 63) / 64 * 64;
}

/* Generated code keeps constants in a local structure, and so in registers. Large ones, and those
 * of a kernel that uses very many, stay where they were captured. */
static bool fits_stack(const op2_const cst, size_t *local) {
  enum { LARGEST = 1024, ALL = 4096 };
  if (cst->bytes > LARGEST || *local + cst->bytes > ALL) return false;
  *local += cst->bytes;
  return true;
}

static op2_status resolve_consts(struct op2i_loop *loop) {
  op2_kernel kernel = loop->kernel;
  size_t local = 0;
  loop->entry.const_epoch = kernel->const_epoch;
  loop->consts = op2i_calloc((size_t)kernel->nconsts, sizeof *loop->consts);
  if (!loop->consts) return op2i_error_nomem("a loop's constants");
  for (int c = 0; c < kernel->nconsts; c++) {
    op2_const cst = kernel->consts[c];
    struct op2i_loop_const *out = &loop->consts[c];
    out->name = op2i_strdup(cst->obj.name);
    if (!out->name) return op2i_error_nomem("a loop's constants");
    loop->nconsts++;
    out->id = cst->obj.id;
    out->type = cst->type;
    out->dim = cst->dim;
    out->offset = take_pieces(loop, cst->bytes);
    out->in_place = !fits_stack(cst, &local);
  }
  return OP2_SUCCESS;
}

/* ---- properties ------------------------------------------------------------------------------ */

/* Set *holds to true if all accesses of a loop to a dat go through slots of one map that is
 * injective there. */
static op2_status find_injective(const struct op2i_loop *loop, int d, bool *holds) {
  op2_map map = NULL;
  uint64_t slots = 0;
  *holds = false;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (arg->dat != d) continue;
    if (!op2i_arg_through_map(arg) || (map && loop->maps[arg->map] != map)) return OP2_SUCCESS;
    map = loop->maps[arg->map];
    slots |= op2i_map_slots(map, arg->kind == OP2I_ARG_SLOT ? arg->slot : OP2_ALL);
  }
  return op2i_map_injective(map, slots, holds);
}

/* True if every argument of the dat overwrites what it reaches through a map. */
static bool only_overwritten(const struct op2i_loop *loop, int d) {
  bool only = true;
  for (int n = 0; n < loop->nargs; n++)
    if (loop->args[n].dat == d)
      only = only && op2i_arg_through_map(&loop->args[n]) && op2i_overwrites(loop->args[n].access);
  return only;
}

/* Elements that meet in a dat run in order; if none meet, or if all write the same, there is no order
 * to keep. Where a device may run the loop there is, since languages of devices do not let threads
 * write to one place at once, whatever they write. */
static op2_status keep_order(struct op2i_loop *loop, int d) {
  bool injective, same = false;
  op2_status status = find_injective(loop, d, &injective);
  if (!status && !injective && !loop->op.ctx->device && only_overwritten(loop, d))
    status = op2i_codegen.same_values(loop, d, &same);
  loop->traits.ordered |= !injective && !same;
  for (int n = 0; n < loop->nargs; n++) {
    if (loop->args[n].dat != d) continue;
    loop->args[n].injective = injective;
    loop->args[n].same_values = same;
  }
  return status;
}

/* Work out dat_access and whether element order matters: see the fields. */
static op2_status classify_dat(struct op2i_loop *loop, int d) {
  int uses = 0, reads = 0;
  bool mapped = false, mixed = false, direct_write = false, order = false;
  op2_access first = OP2_READ;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (arg->dat != d) continue;
    if (uses++ == 0) first = arg->access;
    mixed |= arg->access != first;
    mapped |= op2i_arg_through_map(arg);
    reads += !op2i_modifies(arg->access);
    direct_write |= op2i_overwrites(arg->access) && !op2i_arg_through_map(arg);
    order |= op2i_arg_through_map(arg) && op2i_keeps_order(arg->access);
  }
  order |= mapped && mixed;
  bool whole = direct_write && uses == 1 && loop->set->base == loop->set;
  loop->op.dat_access[d] = reads == uses ? OP2_READ : whole ? OP2_WRITE : OP2_RW;
  return order ? keep_order(loop, d) : OP2_SUCCESS;
}

static op2_status classify(struct op2i_loop *loop) {
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < loop->op.ndats && !status; d++) status = classify_dat(loop, d);
  for (int g = 0; g < loop->op.ngbls; g++) loop->op.gbl_access[g] = OP2_READ;
  for (int n = 0; n < loop->nargs; n++)
    if (op2i_arg_reduces(&loop->args[n])) loop->op.gbl_access[loop->args[n].gbl] = OP2_RW;
  return status;
}

/* All ranks return the same. */
static bool has_exec(op2_set set) {
  if (set->base->halo) return set->base->halo->parts[OP2I_HALO_EXEC] > 0;
  return set->ends[OP2I_EXEC] > set->ends[OP2I_OWNED];
}

static void add_range(struct op2i_loop *loop, enum op2i_section section, int64_t lo, int64_t hi) {
  loop->ranges[loop->nranges++] = (struct op2i_range){section, lo, hi};
}

/* Core elements need nothing from other ranks and run during halo exchanges. Which elements are
 * core is known for maps, but not for the rows of matrices. */
static void set_ranges(struct op2i_loop *loop) {
  const int64_t *ends = loop->set->ends;
  bool waits = loop->traits.indirect && loop->set->base->halo;
  int64_t core = waits && !loop->traits.per_nonzero ? ends[OP2I_CORE] : 0;
  loop->nranges = 0;
  if (waits) add_range(loop, OP2I_CORE, 0, core);
  add_range(loop, OP2I_OWNED, core, op2i_set_looped(loop->set));
  if (loop->traits.indirect_write && has_exec(loop->set))
    add_range(loop, OP2I_EXEC, ends[OP2I_OWNED], ends[OP2I_EXEC]);
}

bool op2i_loop_contended(const struct op2i_loop *loop, int32_t dat) {
  bool modified = false, mapped = false;
  for (int n = 0; n < loop->nargs; n++) {
    if (loop->args[n].dat != dat) continue;
    modified |= op2i_modifies(loop->args[n].access);
    mapped |= loop->args[n].map >= 0 && !loop->args[n].injective && !loop->args[n].same_values;
  }
  return modified && mapped;
}

/* ---- all of it ------------------------------------------------------------------------------- */

op2_status op2i_loop_resolve(struct op2i_loop *loop, const op2_arg *args) {
  resolve_args(loop, args);
  op2_status status = resolve_consts(loop);
  if (!status) status = classify(loop);
  if (status) return status;
  set_ranges(loop);
  op2i_loop_count_bytes(loop);
  return OP2_SUCCESS;
}

/* If there is no memory to test whether elements meet, they are assumed to: all ranks get the same
 * result, since they test together. */
void op2i_loop_resolve_again(struct op2i_loop *loop) {
  loop->traits.ordered = false;
  for (int n = 0; n < loop->nargs; n++) loop->args[n].injective = loop->args[n].same_values = false;
  if (classify(loop)) loop->traits.ordered = true;
  set_ranges(loop);
  op2i_loop_count_bytes(loop);
}
