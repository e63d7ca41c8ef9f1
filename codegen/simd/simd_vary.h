/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_VARY_H
#define OP2I_SIMD_VARY_H

#include "simd_base.h"

/* The loops and switches around a statement, the innermost first. */
struct op2i_simd_around {
  struct op2i_simd_node *s;
  const struct op2i_simd_node *region; /* that of its body */
  const struct op2i_simd_around *outer;
};

/* simd_vary.c and simd_flow.c: which values differ between lanes. */
struct op2i_simd_vary {
  struct op2i_simd *l;
  struct op2i_simd_form *form;
  const struct op2i_simd_node *region;
  const struct op2i_simd_around *around;
  int conditional; /* number of operands around this one that some lanes skip */
  bool changed;
};
void op2i_simd_vary_expr(struct op2i_simd_vary *v, struct op2i_simd_node *e);
void op2i_simd_vary_init(struct op2i_simd_vary *v, struct op2i_simd_var *var,
                         struct op2i_simd_node *init);
/* simd_pointer.c. If a declaration makes a pointer one of two by a condition, make it the condition,
 * and what the body reads through it a choice of values. Returns false, with nothing changed, where
 * the body does more with it. */
bool op2i_simd_divide_pointer(struct op2i_simd *l, struct op2i_simd_node *body,
                              struct op2i_simd_node *decl);
/* The same for a pointer that is the sum of a pointer and a number: the number stays, and what the
 * body reads through the pointer gets a subscript with it. */
bool op2i_simd_number_pointer(struct op2i_simd *l, struct op2i_simd_node *body,
                              struct op2i_simd_node *decl);
/* The form of a function, completely analysed. */
struct op2i_simd_form *op2i_simd_form(struct op2i_simd *l, int item, const bool *asked, int nparams,
                                      bool masked);

#endif
