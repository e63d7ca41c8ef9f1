/* SPDX-License-Identifier: BSD-3-Clause */
/* What all kinds of operations share. */
#include "op.h"

#include "error.h"
#include "mem.h"

op2_status op2i_op_tables(struct op2i_op *op, size_t n) {
  op->dats = op2i_calloc(n, sizeof *op->dats);
  op->gbls = op2i_calloc(n, sizeof *op->gbls);
  op->dat_access = op2i_calloc(n, sizeof *op->dat_access);
  op->gbl_access = op2i_calloc(n, sizeof *op->gbl_access);
  return op->dats && op->gbls && op->dat_access && op->gbl_access
             ? OP2_SUCCESS
             : op2i_error_nomem("an operation");
}

void op2i_op_free_tables(struct op2i_op *op) {
  op2i_free(op->dats);
  op2i_free(op->gbls);
  op2i_free(op->dat_access);
  op2i_free(op->gbl_access);
}

int32_t op2i_number_of(void **table, int *n, void *object) {
  for (int i = 0; i < *n; i++)
    if (table[i] == object) return i;
  table[*n] = object;
  return (*n)++;
}
