/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVGEN_ROW_H
#define OP2I_DEVGEN_ROW_H

#include "devgen.h"

/* Rows of values and arguments in code for devices. */

/* Append the text of the entries op2_pack4, op2_unpack4, op2_pack1 and op2_unpack1, which move
 * units of 4 bytes or 1 byte. Their parameters are the numbers of rows and of units of a row, then
 * values, positions and packed memory (device.h). */
op2_status op2i_device_rows_text(const struct op2i_device_dialect *dialect, struct op2i_text *out);
/* devgen_arg.c: arguments in an element's body. */
void op2i_devgen_prepare(const struct op2i_devgen *g, int a); /* before the call */
void op2i_devgen_actual(const struct op2i_devgen *g, int a);  /* in the call */
/* Before the call, if the kernel is called for each entry of a row: the loop over the entries,
 * whose brace stays open. */
bool op2i_devgen_entries(const struct op2i_devgen *g, const struct op2i_member *member);
void op2i_devgen_put_in_order(const struct op2i_devgen *g,
                              int a);                        /* right after it: a matrix's block */
void op2i_devgen_settle(const struct op2i_devgen *g, int a); /* after the call */
void op2i_devgen_add(const struct op2i_devgen *g, int a);    /* adds increments to memory */
void op2i_devgen_hoist(const struct op2i_devgen *g);
/* The lvalue of component %s of the row that an argument reaches through a slot. */
void op2i_devgen_place(const struct op2i_devgen *g, int a, int slot, char *there, size_t room);
/* The statement that adds to `there`, or takes the minimum or maximum with it. */
void op2i_devgen_add_text(const struct op2i_loop_arg *arg, const char *there, const char *ours,
                          char *statement, size_t room);
/* devgen_row.c: rows. */
/* Emit `statement` for each of n components; every `%s` in it stands for the component. */
void op2i_devgen_each(const struct op2i_devgen *g, int64_t n, const char *indent,
                      const char *statement);
/* The number of values of a row that are moved at once, and the name of their type. */
int op2i_devgen_pieces(op2_type type, int dim, const char **name);
/* Move n values between `place`, an address that is aligned for a vector of `width` values, and the
 * copy `ours`. */
void op2i_devgen_load_pieces(const struct op2i_devgen *g, op2_type type, int n, int width,
                             const char *place, const char *ours, const char *indent);
void op2i_devgen_store_pieces(const struct op2i_devgen *g, op2_type type, int n, int width,
                              const char *place, const char *ours, const char *indent);
/* The type of values in memory, as in the declaration of the dat's parameter. */
const char *op2i_devgen_dat_type(const struct op2i_devgen *g, int d);
/* Move the row with number `at` of dat d between memory and the copy `ours`. */
void op2i_devgen_load_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                          const char *indent);
void op2i_devgen_store_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                           const char *indent);
void op2i_devgen_load(const struct op2i_devgen *g);  /* rows and columns of the element */
void op2i_devgen_store(const struct op2i_devgen *g); /* rows of the element */
void op2i_devgen_hoist_columns(const struct op2i_devgen *g);
/* Load narrow rows and maps' entries of op2_position, if there is such an element. */
void op2i_devgen_load_early(const struct op2i_devgen *g);

#endif
