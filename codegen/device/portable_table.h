/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PORTABLE_TABLE_H
#define OP2I_PORTABLE_TABLE_H

#include "portable_state.h"

/* Tables at file scope, of which functions have copies in OpenCL C: a part of portable.c. */

struct op2i_portable_table {
  struct op2i_portable_table *next;
  int name;
  struct op2i_c_type type;
};

/* A function, or constants that are declared together. */
struct op2i_portable_item {
  struct op2i_portable_item *next;
  int begin, end;
  int body;      /* the brace of a function; 0: constants */
  bool pointers; /* the constants are pointers, or the function returns one */
  struct op2i_portable_table *tables;
};

/* Constants that a function's block declares anew. */
struct op2i_portable_copy {
  struct op2i_portable_copy *next;
  const struct op2i_portable_item *item;
};

/* Take note of a table, and then of the item that ends where the reader is. */
void op2i_portable_add_table(struct op2i_portable_state *p, const struct op2i_c_decl *decl);
void op2i_portable_add_item(struct op2i_portable_state *p, int begin, int body, bool pointers);
/* Decide which functions get copies of which tables. */
void op2i_portable_tables(struct op2i_portable_state *p);
/* True if the item that begins here has no place at file scope. */
bool op2i_portable_moved(const struct op2i_portable_state *p, int at);

#endif
