/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that operations of all kinds share. */
#include "op.h"

#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"

op2_status op2i_op_tables(struct op2i_op *op, size_t n) {
  op->id = op2i_next_id(op->ctx);
  op->dats = op2i_calloc(n, sizeof *op->dats);
  op->gbls = op2i_calloc(n, sizeof *op->gbls);
  op->dat_access = op2i_calloc(n, sizeof *op->dat_access);
  op->gbl_access = op2i_calloc(n, sizeof *op->gbl_access);
  op->changed = op2i_calloc(2 * n, sizeof *op->changed);
  op->links = op2i_calloc(2 * n, sizeof *op->links);
  op->capacity = (int32_t)n;
  return op->dats && op->gbls && op->dat_access && op->gbl_access && op->changed && op->links
             ? OP2_SUCCESS
             : op2i_error_nomem("an operation");
}

void op2i_op_free_tables(struct op2i_op *op) {
  op2i_free(op->dats);
  op2i_free(op->gbls);
  op2i_free(op->dat_access);
  op2i_free(op->gbl_access);
  op2i_free(op->changed);
  op2i_free(op->links);
}

void op2i_op_link(struct op2i_op *op, void *user) {
  struct op2i_link *of_gbls = op->links + op->capacity;
  for (int d = 0; d < op->ndats; d++)
    op2i_list_append(&op->dats[d]->obj.users, &op->links[d], user);
  for (int g = 0; g < op->ngbls; g++) op2i_list_append(&op->gbls[g]->obj.users, &of_gbls[g], user);
}

/* Links to an object that has ended are in no list any more, and the object is not accessed. */
void op2i_op_unlink(struct op2i_op *op) {
  struct op2i_link *of_gbls = op->links + op->capacity;
  for (int d = 0; d < op->ndats; d++)
    if (op->links[d].object) op2i_list_remove(&op->dats[d]->obj.users, &op->links[d]);
  for (int g = 0; g < op->ngbls; g++)
    if (of_gbls[g].object) op2i_list_remove(&op->gbls[g]->obj.users, &of_gbls[g]);
}

void op2i_op_list_changed(struct op2i_op *op) {
  op->nchanged = 0;
  for (int d = 0; d < op->ndats; d++)
    if (op2i_modifies(op->dat_access[d])) op->changed[op->nchanged++] = d;
  op->nchanged_dats = op->nchanged;
  for (int g = 0; g < op->ngbls; g++)
    if (op2i_modifies(op->gbl_access[g])) op->changed[op->nchanged++] = g;
  op->listed = true;
}

int32_t op2i_number_of(void **table, int *n, void *object) {
  for (int i = 0; i < *n; i++)
    if (table[i] == object) return i;
  table[*n] = object;
  return (*n)++;
}

/* An object with open access scopes (op2_dat_access() and the like), as the message names it. */
struct open_object {
  const char *what, *name, *opened_by;
  bool writing;
};

static op2_status in_scope(op2_where where, const struct op2i_op *op, struct open_object object) {
  struct op2i_text text = {0};
  op->kind->describe(op, &text);
  op2i_text_add(&text, ": %s '%s' is open for ", object.what, object.name);
  if (object.writing)
    op2i_text_add(&text, "writing");
  else
    op2i_text_add(&text, "reading and the %s modifies it", op->kind->name);
  op2i_text_add(&text, " (%s_end is missing)", object.opened_by);
  op2_status status =
      text.failed ? op2i_error_nomem("a message")
                  : op2i_error(OP2_ERR_STATE, "%s:%d: %s", where.file, where.line, text.chars);
  op2i_text_free(&text);
  return op2i_error_at(status, where.file, where.line, -1, object.name);
}

/* The values of a matrix are a dat of the library's own, and the program knows only the matrix. */
static struct open_object open_dat(const struct op2_dat_s *dat) {
  const char *what = strcmp(dat->opened_by, "op2_mat_petsc") ? "dat" : "matrix";
  return (struct open_object){what, dat->obj.name, dat->opened_by, dat->open_writes > 0};
}

static struct open_object open_gbl(const struct op2_gbl_s *gbl) {
  return (struct open_object){"global", gbl->obj.name, gbl->opened_by, gbl->open_writes > 0};
}

op2_status op2i_op_validate_scopes(op2_where where, const struct op2i_op *op) {
  for (int d = 0; d < op->ndats; d++)
    if (op->dats[d]->open_writes || (op->dats[d]->open_reads && op2i_modifies(op->dat_access[d])))
      return in_scope(where, op, open_dat(op->dats[d]));
  for (int g = 0; g < op->ngbls; g++)
    if (op->gbls[g]->open_writes || (op->gbls[g]->open_reads && op2i_modifies(op->gbl_access[g])))
      return in_scope(where, op, open_gbl(op->gbls[g]));
  return OP2_SUCCESS;
}
