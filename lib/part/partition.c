/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_partition(): its checks, its steps, and its report. */
#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "loop.h"
#include "loop_table.h"
#include "mem.h"
#include "part.h"
#include "part_follow.h"
#include "part_graph.h"
#include "part_method.h"
#include "partitioner.h"
#include "recycle.h"
#include "renumber.h"
#include "text.h"

/* ---- checks of arguments --------------------------------------------------------------------- */

static op2_status check_set(op2_context ctx, op2_set set) {
  op2_status status = op2i_object_validate(set, OP2I_SET, "op2_partition");
  if (status) return status;
  if (set->obj.ctx != ctx)
    return op2i_error(OP2_ERR_MISMATCH, "op2_partition: set '%s' belongs to another context",
                      set->obj.name);
  if (set->base != set)
    return op2i_error(OP2_ERR_ARG, "op2_partition: '%s' is a subset of '%s'", set->obj.name,
                      set->base->obj.name);
  if (set->single)
    return op2i_error(OP2_ERR_ARG,
                      "op2_partition: set '%s' has one element, which all ranks share "
                      "(op2_set_create_single)",
                      set->obj.name);
  return OP2_SUCCESS;
}

static op2_status check_coordinates(op2_context ctx, op2_dat dat) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, "op2_partition, coordinates");
  if (!status) status = check_set(ctx, dat->set);
  if (status) return status;
  if ((dat->type == OP2_F64 || dat->type == OP2_F32) && dat->dim <= 3) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_TYPE,
                    "op2_partition: dat '%s' is of type %s and dim %" PRId32
                    "; coordinates are of type f64 or f32 and dim 1 to 3",
                    dat->obj.name, op2i_type_name(dat->type), dat->dim);
}

static op2_status check_graph(op2_context ctx, op2_map map) {
  op2_status status = op2i_object_validate(map, OP2I_MAP, "op2_partition, map");
  if (!status) status = check_set(ctx, map->to);
  if (status) return status;
  if (map->arity == 1 && map->from != map->to)
    return op2i_error(
        OP2_ERR_MISMATCH,
        "op2_partition: map '%s' has arity 1, so that no row has two elements of '%s' "
        "that could be neighbours",
        map->obj.name, map->to->obj.name);
  return OP2_SUCCESS;
}

static op2_status check_how(op2_context ctx, const op2_partition_options *how) {
  for (size_t i = 0; i < sizeof how->reserved / sizeof *how->reserved; i++)
    if (how->reserved[i])
      return op2i_error(OP2_ERR_ARG, "op2_partition: an option that is reserved is not null");
  switch (how->method) {
  case OP2_PARTITION_BLOCKS: return how->set ? check_set(ctx, how->set) : OP2_SUCCESS;
  case OP2_PARTITION_COORDINATES: return check_coordinates(ctx, how->coordinates);
  case OP2_PARTITION_GIVEN: return check_set(ctx, how->set);
  case OP2_PARTITION_KWAY: return check_graph(ctx, how->map);
  }
  return op2i_error(OP2_ERR_ARG, "op2_partition: %d is not an op2_partition_method",
                    (int)how->method);
}

static op2_status check_sparsities(op2_context ctx) {
  const struct op2i_link *first = ctx->sparsities.first;
  if (ctx->ncontributions)
    return op2i_error(OP2_ERR_STATE,
                      "op2_partition: loops have added through maps in deterministic mode "
                      "(OP2_DETERMINISTIC=1), and what they have added to cannot go to other ranks: "
                      "partition first");
  if (!first) return OP2_SUCCESS;
  return op2i_error(
      OP2_ERR_STATE,
      "op2_partition: there is sparsity '%s', whose rows would go to other ranks: sparsities "
      "are made of sets that are partitioned",
      ((const struct op2i_object *)first->object)->name);
}

/* A set with one element that all ranks share stays as it is, and so would the targets of maps that
 * start from it. */
static op2_status check_single(op2_context ctx) {
  for (struct op2i_link *l = ctx->sets.first; l && ctx->comm->size > 1; l = l->next) {
    const struct op2_set_s *set = l->object;
    for (struct op2i_link *m = set->single ? set->maps_from.first : NULL; m; m = m->next) {
      const struct op2_map_s *map = m->object;
      if (map->idx || map->global)
        return op2i_error(OP2_ERR_STATE,
                          "op2_partition: map '%s' starts from set '%s', which all ranks share and "
                          "which stays as it is: declare such a map after the partition",
                          map->obj.name, set->obj.name);
    }
  }
  return OP2_SUCCESS;
}

static op2_status check_dats(op2_context ctx) {
  for (struct op2i_link *l = ctx->dats.first; l; l = l->next) {
    op2_dat dat = l->object;
    if (dat->open_reads || dat->open_writes)
      return op2i_error(OP2_ERR_STATE, "op2_partition: dat '%s' is open for %s", dat->obj.name,
                        dat->open_writes ? "writing" : "reading");
    if (dat->wrapped)
      return op2i_error(
          OP2_ERR_MISMATCH,
          "op2_partition: dat '%s' is wrapped: its memory is the program's and cannot "
          "grow or shrink (op2_dat_create copies)",
          dat->obj.name);
  }
  return OP2_SUCCESS;
}

static int64_t position(const struct op2i_list *list, const void *object) {
  int64_t at = 1;
  for (const struct op2i_link *l = list->first; l && l->object != object; l = l->next) at++;
  return at;
}

/* Check that all ranks name the same method and object, which is identified by the position of its
 * set and its position within the set. */
static op2_status compare_methods(op2_context ctx, const op2_partition_options *how) {
  bool coordinates = how->method == OP2_PARTITION_COORDINATES,
       kway = how->method == OP2_PARTITION_KWAY;
  op2_set set = coordinates ? how->coordinates->set : kway ? how->map->to : how->set;
  int64_t at = set ? position(&ctx->sets, set) : 0, within = 0;
  if (coordinates) within = position(&set->dats, how->coordinates);
  if (kway) within = position(&set->maps_to, how->map);
  const int64_t values[] = {(int64_t)how->method, at, within};
  bool same;
  op2_status status = op2i_comm_same(ctx->comm, 3, values, &same);
  if (status || same) return status;
  return op2i_error(OP2_ERR_MISMATCH,
                    "op2_partition: the ranks do not name the same method and the same object");
}

/* ---- statistics of a partition --------------------------------------------------------------- */

static op2_status add_up(struct op2i_parting *p) {
  op2_partition_report *r = &p->report;
  int64_t owned = 0, exec = 0, nonexec = 0;
  for (int s = 0; s < p->nsets; s++) {
    const int64_t *ends = p->sets[s].ends;
    owned += ends[OP2I_OWNED];
    exec += ends[OP2I_EXEC] - ends[OP2I_OWNED];
    nonexec += ends[OP2I_NONEXEC] - ends[OP2I_EXEC];
  }
  int64_t sums[] = {r->rows, r->cut, owned, exec, nonexec, r->moved},
          most[] = {owned, exec, nonexec};
  op2_status status = op2i_comm_sum(p->comm, 6, sums);
  if (!status) status = op2i_comm_greatest(p->comm, 3, most);
  *r = (op2_partition_report){.rows = sums[0],
                              .cut = sums[1],
                              .owned = sums[2],
                              .most_owned = most[0],
                              .imbalance = 1,
                              .exec = sums[3],
                              .most_exec = most[1],
                              .nonexec = sums[4],
                              .most_nonexec = most[2],
                              .moved = sums[5]};
  if (r->owned) r->imbalance = (double)r->most_owned * p->comm->size / (double)r->owned;
  return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status find_owners(op2_context ctx, const op2_partition_options *how,
                              struct op2i_parting *p) {
  op2_status status = op2i_part_collect(ctx, p);
  if (!status) status = op2i_part_cut(p, how);
  if (!status) status = op2i_part_follow(p);
  if (!status) status = op2i_part_shape(p);
  if (!status) status = op2i_part_move(p);
  if (!status) status = add_up(p);
  return status;
}

/* Renumber sets. A failure is only a warning, since the mesh is valid without it, if slower. */
static op2_status renumber(op2_context ctx) {
  struct op2i_gain gain;
  op2_status status = op2i_renumber_spread(ctx, &gain);
  if (status == OP2_ERR_FATAL) return status;
  if (status)
    op2i_log(ctx, OP2I_LOG_WARN, "not renumbered after op2_partition: %s", op2_error_message());
  else if (gain.nsets)
    op2i_log(ctx, OP2I_LOG_INFO,
             "renumbered %s: a loop brings %.1f times what it reaches to a cache, before %.1f "
             "times (nobody asked: OP2_RENUMBER)",
             OP2I_N(gain.nsets, "set"), gain.after, gain.before);
  return OP2_SUCCESS;
}

static op2_status partition(op2_context ctx, const op2_partition_options *how,
                            struct op2i_parting *p) {
  double start = op2i_seconds();
  op2_status status = op2i_comm_agree(ctx->comm, check_how(ctx, how));
  if (!status) status = compare_methods(ctx, how);
  if (!status) status = op2i_comm_agree(ctx->comm, check_dats(ctx));
  if (!status) status = op2i_comm_agree(ctx->comm, check_sparsities(ctx));
  if (!status) status = op2i_comm_agree(ctx->comm, check_single(ctx));
  if (status) return status;
  status = op2i_scheduler.flush(ctx->sched, "op2_partition");
  if (status != OP2_ERR_FATAL) status = op2i_comm_agree(ctx->comm, status);
  if (!status) status = find_owners(ctx, how, p);
  if (status) return status;
  op2i_spares_end(ctx); /* their memory has the old sizes */
  op2i_scheduler.forget(ctx->sched, NULL);
  op2i_loops_drop_plans(ctx);
  op2i_part_apply(p);
  op2i_loops_reclassify(ctx);
  ctx->partition = p->report;
  ctx->partitioned = true;
  op2i_log(ctx, OP2I_LOG_INFO,
           "partitioned %s over %d ranks in %.3f s: %" PRId64 " of %s are cut, imbalance %.3f",
           OP2I_N(p->nsets, "set"), ctx->comm->size, op2i_seconds() - start, p->report.cut,
           OP2I_N(p->report.rows, "row"), p->report.imbalance);
  return renumber(ctx);
}

/* The call in a process without other ranks: nothing moves, but errors are reported. */
static op2_status alone(op2_context ctx, const op2_partition_options *how,
                        op2_partition_report *report) {
  op2_status status = check_how(ctx, how);
  if (!status) status = op2i_scheduler.flush(ctx->sched, "op2_partition");
  *report = (op2_partition_report){.imbalance = 1};
  for (struct op2i_link *l = ctx->sets.first; l; l = l->next) {
    op2_set set = l->object;
    report->owned += set->ends[OP2I_OWNED];
    for (struct op2i_link *m = set->maps_from.first; m; m = m->next)
      if (((op2_map)m->object)->idx) report->rows += set->ends[OP2I_OWNED];
  }
  report->most_owned = report->owned;
  return status;
}

op2_status op2_partition(op2_context ctx, const op2_partition_options *how,
                         op2_partition_report *report) {
  OP2I_FP_DEFAULT;
  const op2_partition_options blocks = {.method = OP2_PARTITION_BLOCKS};
  op2_status status = op2i_context_validate(ctx, "op2_partition");
  if (status) return status;
  struct op2i_parting p = {0};
  if (!how) how = &blocks;
  op2i_context_call(ctx, "op2_partition", NULL, 0, 0);
  status = ctx->comm ? partition(ctx, how, &p) : alone(ctx, how, &p.report);
  if (!status && report) *report = p.report;
  op2i_part_free(&p);
  if (ctx->comm) op2i_mem_give_back();
  return status;
}
