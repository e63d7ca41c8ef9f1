/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of contributions, and in which order targets add them up. */
#include "contributions.h"

#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "op2/loop.h"
#include "row_table.h"
#include "set.h"

static op2_status no_memory(void) { return op2i_error_nomem("contributions of elements"); }

/* ---- freeing ------------------------------------------------------------------------------- */

static void free_addends(struct op2i_addends *a) {
  op2i_unref(a->targets);
  op2i_unref(a->entries);
  op2i_unref(a->first);
}

void op2i_contributions_free(struct op2i_contributions *c) {
  while (c) {
    struct op2i_contributions *next = c->next;
    for (int64_t k = 0; k < c->ndats; k++) {
      for (int32_t row = 0; row < op2i_block_rows(c->layout); row++)
        op2i_unref(c->dats[k]->add[row]);
      op2i_unref(c->dats[k]->clear);
      op2i_unref(c->dats[k]->copy);
      op2i_unref(c->dats[k]->before);
      op2i_unref(c->dats[k]->dat);
      op2i_free(c->dats[k]);
    }
    for (int64_t k = 0; k < c->naddends; k++) free_addends(&c->addends[k]);
    op2i_unref(c->elements);
    op2i_unref(c->own);
    op2i_unref(c->set);
    op2i_free(c->dats);
    op2i_free(c->addends);
    op2i_free(c);
    c = next;
  }
}

bool op2i_contributions_foreign(const struct op2_map_s *map) {
  return !map->obj.ctx->comm && (map->from->ends[OP2I_OWNED] < map->from->ends[OP2I_NONEXEC] ||
                                 map->to->ends[OP2I_OWNED] < map->to->ends[OP2I_NONEXEC]);
}

/* ---- the set --------------------------------------------------------------------------------- */

/* The number of contributions of an element; 0: it is one itself. */
static int32_t per_element(const struct op2_map_s *map, struct op2i_contribution_layout layout) {
  return map->arity * layout.block_rows;
}

/* Contributions have the numbers and owners that follow from those of their elements. */
static op2_status make_spread_set(const struct op2_map_s *map, int32_t n, const int64_t ends[4],
                                  op2_set *set) {
  const struct op2_set_s *from = map->from;
  const int64_t total = from->ends[OP2I_NONEXEC], owned = from->ends[OP2I_OWNED];
  int64_t *number = op2i_malloc((size_t)(total * n) * sizeof *number);
  int32_t *owner = op2i_malloc((size_t)((total - owned) * n) * sizeof *owner);
  op2_status status =
      op2i_context_agree(from->obj.ctx, number && owner ? OP2_SUCCESS : no_memory());
  for (int64_t e = 0; e < total && !status; e++)
    for (int32_t k = 0; k < n; k++) {
      number[e * n + k] = op2i_set_number(from, e) * n + k;
      if (e >= owned)
        owner[(e - owned) * n + k] = from->halo->owner[op2i_set_place(from, e) - owned];
    }
  if (!status)
    status = op2i_set_create_halo(from->obj.ctx, ends, number, owner, from->obj.name, set);
  op2i_free(number);
  op2i_free(owner);
  return status;
}

static op2_status make_set(const struct op2_map_s *map, int32_t n, op2_set *set) {
  const struct op2_set_s *from = map->from;
  int64_t ends[OP2I_SECTIONS];
  for (int s = 0; s < OP2I_SECTIONS; s++) ends[s] = from->ends[s] * n;
  op2_status status = OP2_SUCCESS;
  if (ends[OP2I_NONEXEC] > INT32_MAX)
    status = op2i_error(OP2_ERR_RANGE,
                        "map '%s': its elements make more than 2^31 contributions%s, and they are "
                        "numbered by 32 bits",
                        map->obj.name, from->halo ? " on a rank" : "");
  status = op2i_context_agree(from->obj.ctx, status);
  if (status) return status;
  if (from->halo) return make_spread_set(map, n, ends, set);
  return op2_set_create_sections(from->obj.ctx, ends, from->obj.name, set);
}

/* Each element leads to contributions of its own. */
static op2_status make_own(const struct op2_map_s *map, int32_t n, op2_set set, op2_map *own) {
  const int64_t entries = set->ends[OP2I_NONEXEC];
  int32_t *idx = op2i_alloc_raw((size_t)entries * sizeof *idx);
  if (!idx) return no_memory();
  for (int64_t k = 0; k < entries; k++) idx[k] = (int32_t)k;
  op2_status status = op2i_map_make(map->from, set, n, idx, NULL, map->obj.name, own);
  if (status) return status;
  op2i_map_hide(*own);
  (*own)->own_rows = true;
  return OP2_SUCCESS;
}

static op2_status make(op2_map map, struct op2i_contribution_layout layout,
                       struct op2i_contributions **out) {
  const op2_context ctx = map->obj.ctx;
  const int32_t n = per_element(map, layout);
  struct op2i_contributions *c = op2i_calloc(1, sizeof *c);
  op2_status status = op2i_context_agree(ctx, c ? OP2_SUCCESS : no_memory());
  if (!status && !n) {
    c->set = op2i_ref(map->from);
  } else if (!status) {
    status = make_set(map, n, &c->set);
  }
  if (!status && n) {
    op2i_object_own(c->set);
    status = op2i_context_agree(ctx, make_own(map, n, c->set, &c->own));
  }
  if (status) {
    op2i_contributions_free(c);
    return status;
  }
  c->layout = layout;
  op2i_contributions_keep(map, c);
  *out = c;
  return OP2_SUCCESS;
}

void op2i_contributions_keep(op2_map map, struct op2i_contributions *c) {
  c->next = map->contributions;
  map->contributions = c;
  map->contributions_free = op2i_contributions_free;
  map->obj.ctx->ncontributions++;
}

op2_status op2i_contributions_need(op2_map map, struct op2i_contribution_layout layout,
                                   struct op2i_contributions **out) {
  for (struct op2i_contributions *c = map->contributions; c; c = c->next)
    if (!c->in_place && c->layout.columns == layout.columns &&
        c->layout.block_rows == layout.block_rows) {
      *out = c;
      return OP2_SUCCESS;
    }
  return make(map, layout, out);
}

/* ---- the order of additions ------------------------------------------------------------------ */

struct numbered {
  int64_t number;
  int32_t element;
};

static int by_number(const void *a, const void *b) {
  const int64_t x = ((const struct numbered *)a)->number, y = ((const struct numbered *)b)->number;
  return (x > y) - (x < y);
}

/* In which order contributions are added, and to which targets. */
struct order {
  struct numbered *list;
  int64_t n;
  const unsigned char *flags; /* [targets] of those that have addends; null: all */
};

/* Order elements of a map by their global numbers: all whose targets are known here, or those that
 * have contributions. */
static op2_status open_order(const struct op2_map_s *map, const struct op2i_contributions *c,
                             struct order *order) {
  const op2_set some = c->in_place ? c->elements : NULL;
  bool sorted = true;
  order->n = some ? some->ends[OP2I_NONEXEC] : op2i_map_rows(map);
  order->list = op2i_alloc_raw((size_t)order->n * sizeof *order->list);
  for (int64_t k = 0; k < order->n && order->list; k++) {
    const int64_t e = some ? some->idx[k] : k;
    order->list[k] = (struct numbered){op2i_set_number(map->from, e), (int32_t)e};
    sorted = sorted && (!k || order->list[k - 1].number < order->list[k].number);
  }
  if (!order->list) return no_memory();
  if (!sorted) qsort(order->list, (size_t)order->n, sizeof *order->list, by_number);
  return OP2_SUCCESS;
}

/* Call `visit` for each contribution through the slots to an owned target, in order. */
typedef void visitor(struct op2i_row_table *table, int64_t target, int64_t contribution);

static void count(struct op2i_row_table *table, int64_t target, int64_t contribution) {
  (void)contribution;
  table->length[target]++;
}

static void append(struct op2i_row_table *table, int64_t target, int64_t contribution) {
  table->entry[op2i_row_table_next(table, target)] = (int32_t)contribution;
}

/* The contribution of an element through a slot. */
static int64_t contribution(const struct op2i_contributions *c, const struct op2i_addends *a,
                            int64_t element, int32_t arity, int32_t slot) {
  const int32_t columns = c->layout.columns, rows = c->layout.block_rows;
  if (!c->own) return element;
  if (c->in_place) return op2i_map_target(c->own, element * arity + slot);
  return element * arity * rows + (slot / columns * rows + a->block_row) * columns + slot % columns;
}

static bool is_through(const struct op2i_added_slots *through, const struct op2_map_s *map,
                       int32_t slot) {
  if (through->slot != OP2_ALL) return slot == through->slot;
  return map->arity > 64 || through->bits >> slot & 1;
}

static void walk(const struct op2_map_s *map, const struct op2i_contributions *c,
                 const struct op2i_addends *a, const struct order *order,
                 struct op2i_row_table *table, visitor *visit) {
  const int32_t arity = map->arity;
  const int64_t targets = op2i_set_looped(map->to);
  for (int64_t k = 0; k < order->n; k++) {
    const int64_t e = order->list[k].element;
    for (int32_t slot = 0; slot < arity; slot++) {
      const int64_t target = op2i_map_target(map, e * arity + slot);
      if (target >= targets || (order->flags && !order->flags[target])) continue;
      if (is_through(&a->through, map, slot))
        visit(table, target, contribution(c, a, e, arity, slot));
    }
  }
}

/* If most targets have no addends, or only some are to have any, loops run over a subset of those that
 * have. All ranks choose the same. */
static op2_status choose_targets(const struct op2_map_s *map, const struct op2i_row_table *table,
                                 bool some, op2_set *targets) {
  const op2_context ctx = map->obj.ctx;
  int64_t counts[] = {0, table->nrows};
  for (int64_t row = 0; row < table->nrows; row++) counts[0] += table->length[row] > 0;
  const int64_t few = counts[0];
  op2_status status = ctx->comm ? op2i_comm_sum(ctx->comm, 2, counts) : OP2_SUCCESS;
  *targets = NULL;
  if (status) return status;
  if (!some && 2 * counts[0] > counts[1]) {
    *targets = op2i_ref(map->to);
    return OP2_SUCCESS;
  }
  int64_t *idx = op2i_alloc_raw((size_t)few * sizeof *idx), n = 0;
  for (int64_t row = 0; row < table->nrows && idx; row++)
    if (table->length[row] > 0) idx[n++] = op2i_set_place(map->to, row);
  if (!idx) return no_memory();
  op2i_sort_indices(n, idx);
  return op2i_subset_make(map->to, n, idx, map->to->obj.name, targets);
}

static op2_status fill_addends(const struct op2_map_s *map, const struct op2i_contributions *c,
                               const unsigned char *flags, struct op2i_addends *a) {
  struct op2i_row_table table = {.nrows = map->to->ends[OP2I_OWNED], .rows_per_slice = 1};
  struct order order = {.flags = flags};
  op2_status status = open_order(map, c, &order);
  if (!status) status = op2i_row_table_open(&table);
  status = op2i_context_agree(map->obj.ctx, status);
  if (!status) {
    walk(map, c, a, &order, &table, count);
    status = choose_targets(map, &table, flags != NULL, &a->targets);
    op2i_object_own(a->targets == map->to ? NULL : a->targets);
  }
  status = op2i_context_agree(map->obj.ctx, status);
  if (!status) status = op2i_row_table_lay_out(map->obj.ctx, &table);
  if (!status) {
    walk(map, c, a, &order, &table, append);
    op2i_row_table_pad(&table);
    status = op2i_row_table_maps(&table, map->to, c->set, map->obj.name, &a->first, &a->entries);
  }
  op2i_free_data(order.list);
  op2i_row_table_close(&table);
  return status;
}

static op2_status make_addends(const struct op2_map_s *map, struct op2i_contributions *c,
                               struct op2i_addends made, const unsigned char *flags) {
  op2_status status = OP2_SUCCESS;
  if (op2i_grow(&c->addends, sizeof *c->addends, c->naddends, &c->addends_capacity))
    status = no_memory();
  status = op2i_context_agree(map->obj.ctx, status);
  if (!status) status = fill_addends(map, c, flags, &made);
  status = op2i_context_agree(map->obj.ctx, status);
  if (status) {
    free_addends(&made);
    return status;
  }
  c->addends[c->naddends++] = made;
  return OP2_SUCCESS;
}

op2_status op2i_addends_make(const struct op2_map_s *map, struct op2i_contributions *c,
                             struct op2i_added_slots through, const unsigned char *flags) {
  return make_addends(map, c, (struct op2i_addends){.through = through}, flags);
}

op2_status op2i_addends_need(op2_map map, struct op2i_contributions *c,
                             struct op2i_added_slots through, int32_t block_row,
                             const struct op2i_addends **out) {
  op2_status status = OP2_SUCCESS;
  int64_t k = 0;
  if (!c->in_place)
    while (k < c->naddends &&
           (c->addends[k].through.slot != through.slot ||
            c->addends[k].through.bits != through.bits || c->addends[k].block_row != block_row))
      k++;
  if (k == c->naddends)
    status = make_addends(map, c, (struct op2i_addends){.through = through, .block_row = block_row},
                          NULL);
  if (!status) *out = &c->addends[k];
  return status;
}

/* ---- dats ------------------------------------------------------------------------------------ */

op2_status op2i_contributed_need(struct op2i_contributions *c, int dim, op2_type type, int at,
                                 const char *name, struct op2i_contributed **out) {
  const bool nested = c->set->obj.ctx->records->inside != NULL;
  for (int64_t k = 0; k < c->ndats; k++) {
    const op2_dat dat = c->dats[k]->dat;
    if (dat->dim != dim || dat->type != type || dat->nested != nested || at-- > 0) continue;
    op2i_resource_admit(&dat->res);
    *out = c->dats[k];
    return OP2_SUCCESS;
  }
  if (op2i_grow(&c->dats, sizeof *c->dats, c->ndats, &c->dats_capacity)) return no_memory();
  const size_t bytes =
      sizeof(struct op2i_contributed) + (size_t)op2i_block_rows(c->layout) * sizeof(op2_kernel);
  struct op2i_contributed *made = op2i_calloc(1, bytes);
  if (!made) return no_memory();
  op2_status status = op2i_dat_create_alone(c->set, dim, type, name, &made->dat);
  if (status) {
    op2i_free(made);
    return status;
  }
  made->dat->from_zero = true;
  made->dat->nested = nested;
  *out = c->dats[c->ndats++] = made;
  return OP2_SUCCESS;
}

op2_status op2i_contributed_before(struct op2i_contributed *c, op2_set set) {
  if (c->before) {
    op2i_resource_admit(&c->before->res);
    return OP2_SUCCESS;
  }
  op2_status status =
      op2i_dat_create_alone(set, c->dat->dim, c->dat->type, c->dat->obj.name, &c->before);
  if (status) return status;
  c->before->nested = c->dat->nested;
  return OP2_SUCCESS;
}
