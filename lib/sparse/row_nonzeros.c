/* SPDX-License-Identifier: BSD-3-Clause */
/* The nonzeros of the rows of a subset, and of its columns. They are computed on first use, and
 * kept with the sparsity as long as the subset exists. */
#include <inttypes.h>

#include "context.h"
#include "drop.h"
#include "error.h"
#include "mem.h"
#include "slices.h"
#include "sparse.h"

/* The number that the program uses for a nonzero: its number in the set of nonzeros. */
static int64_t shown(const struct op2_sparsity_s *sparsity, int64_t nonzero) {
  return op2i_set_place(sparsity->nonzeros, nonzero);
}

static int64_t row_at(op2_set rows, int64_t position) {
  return rows->idx ? rows->idx[position] : position;
}

struct list {
  int64_t *nonzero, n;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static op2_status list_rows(const struct op2_sparsity_s *sparsity, const struct op2i_row_request *r,
                            struct list *all, struct list *on) {
  op2_set rows = r->rows;
  int64_t n = rows->ends[OP2I_OWNED], count = 0;
  for (int64_t i = 0; i < n; i++) count += op2i_sparsity_row(sparsity, row_at(rows, i)).n;
  all->nonzero = op2i_malloc((size_t)count * sizeof *all->nonzero);
  on->nonzero = op2i_malloc((size_t)n * sizeof *on->nonzero);
  if (!all->nonzero || !on->nonzero) return op2i_error_nomem("the rows of a matrix");
  for (int64_t i = 0; i < n; i++) {
    int64_t row = row_at(rows, i);
    int64_t nonzero = r->diagonal ? op2i_sparsity_nonzero(sparsity, row, (int32_t)row) : -1;
    if (r->diagonal && nonzero < 0)
      return op2i_error(OP2_ERR_MISMATCH,
                        "%s, sparsity '%s': row %" PRId64 " has no place on the diagonal", r->call,
                        sparsity->obj.name, op2i_set_number(sparsity->rows, row));
    const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
    for (int64_t k = 0; k < entries.n; k++)
      all->nonzero[all->n++] = shown(sparsity, op2i_entry(entries, k));
    if (r->diagonal) on->nonzero[on->n++] = shown(sparsity, nonzero);
  }
  return OP2_SUCCESS;
}

static op2_status make_rows(op2_sparsity sparsity, const struct op2i_row_request *r,
                            struct op2i_row_nonzeros *out) {
  struct list all = {0}, on = {0};
  struct op2i_row_nonzeros made = *out;
  made.all = made.on_diagonal = NULL;
  op2_status status = list_rows(sparsity, r, &all, &on);
  status = op2i_context_agree(sparsity->obj.ctx, status);
  if (!status)
    status =
        op2_subset_create(sparsity->nonzeros, all.n, all.nonzero, "rows of a matrix", &made.all);
  if (!status)
    status = op2_subset_create(sparsity->nonzeros, on.n, on.nonzero, "diagonal of rows",
                               &made.on_diagonal);
  op2i_free(all.nonzero);
  op2i_free(on.nonzero);
  if (status) {
    op2_set_destroy(&made.all);
    return status;
  }
  op2i_object_own(made.all);
  op2i_object_own(made.on_diagonal);
  op2i_unref(out->all);
  op2i_unref(out->on_diagonal);
  made.diagonal = r->diagonal;
  *out = made;
  return OP2_SUCCESS;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Make a dat that is 1 for the elements of a subset, unless there is one. Rows on other ranks may have nonzeros in a
 * column of the subset, so they need the flags, which they find in the halo of the dat. */
static op2_status need_marked(struct op2i_row_nonzeros *own, op2_set rows, const char *call) {
  void *open = NULL;
  op2_dat marked = NULL;
  if (own->marked) return OP2_SUCCESS;
  op2_status status = op2_dat_create(rows->base, 1, OP2_I32, NULL, rows->obj.name, &marked);
  if (status) return status;
  op2i_object_own(marked);
  status = op2i_dat_open(marked, OP2_WRITE, call, &open);
  if (!status) {
    int32_t *flag = open;
    for (int64_t i = 0; i < rows->base->ends[OP2I_OWNED]; i++) flag[i] = 0;
    for (int64_t i = 0; i < rows->ends[OP2I_OWNED]; i++) flag[row_at(rows, i)] = 1;
    status = op2i_dat_close(marked, OP2_WRITE, call);
  }
  status = op2i_context_agree(rows->obj.ctx, status);
  if (status)
    op2_dat_destroy(&marked);
  else
    own->marked = marked;
  return status;
}

/* The flags of all elements on this rank, in the library's order. */
static op2_status flags_of(op2_dat marked, const int32_t **flags) {
  const void *open = NULL;
  void *data = NULL;
  op2_status status = op2_dat_read_begin(marked, &open);
  if (!status) status = op2_dat_read_end(marked, &open);
  if (!status) status = op2i_buffer_at(&marked->values, OP2I_HOST, OP2_READ, OP2I_EVERY_ROW, &data);
  *flags = data;
  return status;
}

static op2_status list_cross(const struct op2_sparsity_s *sparsity, const int32_t *flag,
                             struct list *out) {
  out->nonzero = op2i_malloc((size_t)sparsity->nnz * sizeof *out->nonzero);
  if (!out->nonzero) return op2i_error_nomem("the rows and columns of a matrix");
  for (int64_t row = 0; row < sparsity->nrows; row++) {
    const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
    for (int64_t k = 0; k < entries.n; k++) {
      const int64_t nonzero = op2i_entry(entries, k);
      if (flag[row] || flag[sparsity->column[nonzero]])
        out->nonzero[out->n++] = shown(sparsity, nonzero);
    }
  }
  return OP2_SUCCESS;
}

static op2_status make_columns(op2_sparsity sparsity, const struct op2i_row_request *r,
                               struct op2i_row_nonzeros *out) {
  struct list cross = {0};
  const int32_t *flag = NULL;
  op2_status status = need_marked(out, r->rows, r->call);
  if (!status) status = flags_of(out->marked, &flag);
  if (!status) status = list_cross(sparsity, flag, &cross);
  status = op2i_context_agree(sparsity->obj.ctx, status);
  if (!status)
    status = op2_subset_create(sparsity->nonzeros, cross.n, cross.nonzero, "rows and columns",
                               &out->cross);
  op2i_free(cross.nonzero);
  op2i_object_own(out->cross);
  return status;
}

/* ---- cached records -------------------------------------------------------------------------- */

static void free_nonzeros(struct op2i_row_nonzeros *p) {
  op2i_unref(p->all);
  op2i_unref(p->on_diagonal);
  op2i_unref(p->cross);
  op2i_unref(p->marked);
}

void op2i_sparsity_free_row_nonzeros(op2_sparsity sparsity) {
  for (int64_t k = 0; k < sparsity->nrow_nonzeros; k++) free_nonzeros(&sparsity->row_nonzeros[k]);
  op2i_free(sparsity->row_nonzeros);
}

static struct op2i_row_nonzeros *find_rows(op2_sparsity sparsity, int64_t rows) {
  for (int64_t k = 0; k < sparsity->nrow_nonzeros; k++)
    if (sparsity->row_nonzeros[k].rows == rows) return &sparsity->row_nonzeros[k];
  return NULL;
}

static op2_status add(op2_sparsity sparsity, int64_t rows) {
  if (sparsity->nrow_nonzeros == sparsity->row_nonzeros_capacity) {
    int64_t room = sparsity->row_nonzeros_capacity ? 2 * sparsity->row_nonzeros_capacity : 4;
    struct op2i_row_nonzeros *more =
        op2i_realloc(sparsity->row_nonzeros, (size_t)room * sizeof *more);
    if (!more) return op2i_error_nomem("the rows of a matrix");
    sparsity->row_nonzeros = more;
    sparsity->row_nonzeros_capacity = room;
  }
  sparsity->row_nonzeros[sparsity->nrow_nonzeros++] = (struct op2i_row_nonzeros){.rows = rows};
  return OP2_SUCCESS;
}

/* Add a record on all ranks or on none: after a failure, the next call for the subset agrees
 * again. */
static op2_status have(op2_sparsity sparsity, int64_t rows) {
  op2_status status = op2i_context_agree(sparsity->obj.ctx, add(sparsity, rows));
  if (status && find_rows(sparsity, rows)) sparsity->nrow_nonzeros--;
  return status;
}

op2_status op2i_sparsity_flags(op2_sparsity sparsity, op2_set subset, const char *call,
                               const int32_t **flags) {
  const int64_t id = subset->obj.id;
  op2_status status = OP2_SUCCESS;
  if (!find_rows(sparsity, id)) status = have(sparsity, id);
  if (!status) status = need_marked(find_rows(sparsity, id), subset, call);
  return status ? status : flags_of(find_rows(sparsity, id)->marked, flags);
}

op2_status op2i_sparsity_row_nonzeros(op2_sparsity sparsity, const struct op2i_row_request *r,
                                      const struct op2i_row_nonzeros **nonzeros) {
  const int64_t rows = r->rows->obj.id;
  op2_status status = OP2_SUCCESS;
  if (!find_rows(sparsity, rows)) status = have(sparsity, rows);
  if (status) return status;
  struct op2i_row_nonzeros *own = find_rows(sparsity, rows);
  if (!own->all || own->diagonal < r->diagonal) status = make_rows(sparsity, r, own);
  if (!status && r->columns && !own->cross) status = make_columns(sparsity, r, own);
  *nonzeros = own;
  return status;
}

/* Free what is kept for a subset when the subset is freed. */
static void forget_rows(op2_context ctx, const void *object) {
  if (!op2i_object_is(object, OP2I_SET)) return;
  const int64_t rows = ((const struct op2_set_s *)object)->obj.id;
  for (struct op2i_link *l = ctx->sparsities.first; l; l = l->next) {
    op2_sparsity sparsity = l->object;
    op2i_sparsity_forget_dropped(sparsity, rows);
    for (int64_t k = 0; k < sparsity->nrow_nonzeros; k++) {
      struct op2i_row_nonzeros gone = sparsity->row_nonzeros[k];
      if (gone.rows != rows) continue;
      sparsity->row_nonzeros[k] = sparsity->row_nonzeros[--sparsity->nrow_nonzeros];
      free_nonzeros(&gone);
      break;
    }
  }
}

const struct op2i_interned op2i_interned_rows = {.forget = forget_rows};
