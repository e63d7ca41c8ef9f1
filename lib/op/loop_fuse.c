/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that do the work of several over the same set, and the bytes that loops move. */
#include <string.h>

#include "error.h"
#include "loop.h"
#include "loop_table.h"
#include "mem.h"
#include "text.h"

static void add_arg(struct op2i_loop *loop, const struct op2i_loop *from, int a,
                    const int32_t *globals) {
  struct op2i_loop_arg *arg = &loop->args[loop->nargs++];
  *arg = from->args[a];
  if (arg->dat >= 0)
    arg->dat =
        op2i_number_of((void **)loop->op.dats, &loop->op.ndats, from->op.dats[from->args[a].dat]);
  if (arg->map >= 0)
    arg->map = op2i_number_of((void **)loop->maps, &loop->nmaps, from->maps[from->args[a].map]);
  if (arg->kind == OP2I_ARG_ROW_ENTRIES)
    arg->first = op2i_number_of((void **)loop->maps, &loop->nmaps, from->maps[from->args[a].first]);
  if (arg->gbl >= 0) {
    arg->gbl = globals[from->args[a].gbl];
    loop->op.gbls[arg->gbl] = from->op.gbls[from->args[a].gbl];
    if (op2i_modifies(arg->access)) loop->op.gbl_access[arg->gbl] = OP2_RW;
  }
  if (op2i_arg_captured(arg)) arg->offset += loop->op.payload_bytes;
  if (op2i_arg_reduces(arg)) arg->offset += loop->partial_bytes;
  if (op2i_arg_located(arg)) arg->found_at += loop->partial_bytes;
  if (op2i_arg_informs(arg)) arg->info_of += loop->nargs - 1 - a;
}

static op2_status add_consts(struct op2i_loop *loop, const struct op2i_loop *from) {
  for (int c = 0; c < from->nconsts; c++) {
    struct op2i_loop_const *cst = &loop->consts[loop->nconsts];
    *cst = from->consts[c];
    cst->name = op2i_strdup(from->consts[c].name);
    if (!cst->name) return op2i_error_nomem("a fused loop");
    cst->offset += loop->op.payload_bytes;
    loop->nconsts++;
  }
  return OP2_SUCCESS;
}

static op2_status add_member(struct op2i_loop *loop, struct op2i_loop *from,
                             const int32_t *globals) {
  loop->fused.origins[loop->fused.nmembers] = from;
  loop->fused.members[loop->fused.nmembers++] = (struct op2i_member){.kernel = from->kernel,
                                                                     .first_arg = loop->nargs,
                                                                     .nargs = from->nargs,
                                                                     .first_const = loop->nconsts,
                                                                     .nconsts = from->nconsts};
  for (int a = 0; a < from->nargs; a++) add_arg(loop, from, a, globals);
  op2_status status = add_consts(loop, from);
  loop->op.payload_bytes += (from->op.payload_bytes + 15) / 16 * 16;
  loop->partial_bytes += from->partial_bytes;
  loop->traits.indirect |= from->traits.indirect;
  loop->traits.per_nonzero |= from->traits.per_nonzero;
  loop->traits.indirect_write |= from->traits.indirect_write;
  loop->traits.one_thread |= from->traits.one_thread;
  loop->traits.ordered |= from->traits.ordered;
  return status;
}

static op2_status name_fused(struct op2i_loop *loop) {
  struct op2i_text name = {0};
  for (int m = 0; m < loop->fused.nmembers; m++)
    op2i_text_add(&name, "%s%s", m ? "+" : "", loop->fused.members[m].kernel->obj.name);
  if (name.failed) {
    op2i_text_free(&name);
    return op2i_error_nomem("a fused loop");
  }
  loop->name = name.chars;
  return OP2_SUCCESS;
}

static op2_status allocate(struct op2i_loop *loop, int n, struct op2i_loop *const *origins) {
  size_t nargs = 0, nconsts = 0, ndats = 0;
  for (int m = 0; m < n; m++) {
    nargs += (size_t)origins[m]->nargs;
    nconsts += (size_t)origins[m]->nconsts;
    ndats += (size_t)origins[m]->op.ndats;
  }
  loop->fused.members = op2i_calloc((size_t)n, sizeof *loop->fused.members);
  loop->fused.origins = op2i_calloc((size_t)n, sizeof(struct op2i_loop *));
  loop->args = op2i_calloc(nargs, sizeof *loop->args);
  loop->maps = op2i_calloc(2 * nargs, sizeof *loop->maps);
  loop->consts = op2i_calloc(nconsts, sizeof *loop->consts);
  loop->fused.dropped = op2i_calloc(ndats, sizeof *loop->fused.dropped);
  if (loop->fused.members && loop->fused.origins && loop->args && loop->maps && loop->consts &&
      loop->fused.dropped && !op2i_op_tables(&loop->op, nargs))
    return OP2_SUCCESS;
  return op2i_error_nomem("a fused loop");
}

/* No values from before are needed if the first member that uses a dat overwrites it. */
static op2_access access_of(op2_dat dat, int n, struct op2i_loop *const *origins) {
  bool modified = false, used = false;
  for (int m = 0; m < n; m++)
    for (int d = 0; d < origins[m]->op.ndats; d++) {
      const op2_access access = origins[m]->op.dat_access[d];
      if (origins[m]->op.dats[d] != dat) continue;
      if (!used && op2i_overwrites(access)) return access;
      used = true;
      modified |= op2i_modifies(access);
    }
  return modified ? OP2_RW : OP2_READ;
}

static void find_access(struct op2i_loop *loop, int n, struct op2i_loop *const *origins) {
  for (int d = 0; d < loop->op.ndats; d++)
    loop->op.dat_access[d] = access_of(loop->op.dats[d], n, origins);
}

/* Take the ranges of the member that has most: all members run over the same elements, and some of
 * them over the core elements separately. */
static void take_ranges(struct op2i_loop *loop, int n, struct op2i_loop *const *origins) {
  const struct op2i_loop *most = origins[0];
  for (int m = 1; m < n; m++)
    if (origins[m]->nranges > most->nranges) most = origins[m];
  loop->nranges = most->nranges;
  memcpy(loop->ranges, most->ranges, sizeof loop->ranges);
  if (!loop->traits.per_nonzero || loop->ranges[0].section != OP2I_CORE) return;
  loop->ranges[0].hi = 0;
  loop->ranges[1].lo = 0;
}

op2_status op2i_loop_fuse(int n, struct op2i_loop *const *origins, const int32_t *globals,
                          int nglobals, struct op2i_loop **out) {
  const struct op2i_loop *first = origins[0];
  struct op2i_loop *loop = op2i_calloc(1, sizeof *loop);
  if (!loop) return op2i_error_nomem("a fused loop");
  loop->op.kind = &op2i_loop_kind;
  loop->op.ctx = first->op.ctx;
  loop->kernel = first->kernel;
  loop->set = first->set;
  op2_status status;
  OP2I_TRY(allocate(loop, n, origins));
  for (int g = 0; g < nglobals; g++) loop->op.gbl_access[g] = OP2_READ;
  loop->op.ngbls = nglobals;
  for (int m = 0; m < n; m++) {
    OP2I_TRY(add_member(loop, origins[m], globals));
    globals += origins[m]->op.ngbls;
  }
  find_access(loop, n, origins);
  take_ranges(loop, n, origins);
  op2i_loop_count_bytes(loop);
  OP2I_TRY(name_fused(loop));
  op2i_loop_list(loop);
  *out = loop;
  return OP2_SUCCESS;
fail:
  op2i_loop_free(loop);
  return status;
}

/* The number of entries in all rows of a matrix that are on this rank. */
static double entries_of(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  const struct op2_map_s *rows = loop->maps[arg->map]->first;
  return (double)op2i_row_table_end(rows->idx, rows->rows_per_slice,
                                    loop->set->base->ends[OP2I_OWNED]);
}

/* Every value counts once: a dat that is reached through a map counts with all its rows, or with as
 * many as the elements can reach. */
void op2i_loop_count_bytes(struct op2i_loop *loop) {
  double elements = (double)loop->set->ends[OP2I_OWNED];
  loop->bytes = 0; /* it is counted anew after each op2_partition() */
  for (int d = 0; d < loop->op.ndats; d++) {
    double rows = 0, limit = (double)loop->op.dats[d]->set->ends[OP2I_OWNED];
    bool read = false, written = false;
    for (int n = 0; n < loop->nargs; n++) {
      const struct op2i_loop_arg *arg = &loop->args[n];
      if (arg->dat != d) continue;
      rows += arg->kind == OP2I_ARG_ROW_ENTRIES ? entries_of(loop, arg) : elements * arg->arity;
      read = read || !op2i_overwrites(arg->access);
      written = written || op2i_modifies(arg->access);
    }
    loop->bytes += (rows < limit ? rows : limit) * (double)loop->op.dats[d]->row_bytes *
                   (read && written ? 2 : 1);
  }
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].kind == OP2I_ARG_ROW_ENTRIES && loop->maps[loop->args[a].map]->idx)
      loop->bytes += entries_of(loop, &loop->args[a]) * sizeof(int32_t);
  for (int m = 0; m < loop->nmaps; m++)
    loop->bytes += elements * loop->maps[m]->arity * sizeof(int32_t);
}
