/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_PRINT_H
#define OP2I_SIMD_PRINT_H

#include "simd_base.h"

/* Printing of values and of expressions. */

struct op2i_simd_counted;

/* simd_print.c */
/* The loops and switches around that some lanes leave before others, the innermost first. */
struct op2i_simd_apart {
  const struct op2i_simd_node *s;
  int loop; /* number of the mask of the lanes in the loop, or 0 */
  int on;   /* number of the mask of those that have not left the rest of its body, either */
  const struct op2i_simd_apart *outer;
};

/* A branch that some lanes take, and in `outer` the next one around it. */
struct op2i_simd_taken {
  const struct op2i_simd_node *s; /* the `if` */
  int condition; /* number of the mask of the lanes that would take the branch */
  int mask;      /* number of the mask of those that do: they are on outside of it, too */
  int outer_mask;
  const struct op2i_simd_taken *outer;
};

struct op2i_simd_printer {
  struct op2i_simd *l;
  struct op2i_simd_form *form;
  struct op2i_text *out;
  int depth;    /* depth of indentation */
  int numbered; /* names generated so far */
  int mask;     /* number of the mask of active lanes; 0: all; -1: those the caller needs */
  int tested;   /* number of the mask of which it was asked last whether a lane is on, or 0 */
  const struct op2i_simd_apart *apart;
  const struct op2i_simd_taken *taken;
  int left;   /* number of open statements after which some lanes may have returned */
  int looped; /* number of loops around */
  const struct op2i_simd_counted *counted; /* the loops around whose counters are known */
  bool unrolled;                           /* True if one of them is unrolled. */
  const struct op2i_simd_node *ending; /* the branch without which the loop around does nothing */
};
bool op2i_simd_is_mask(const struct op2i_simd_node *e);
/* Print a uniform value or an lvalue, as an operand of something that binds as tightly as
 * `tight`. */
void op2i_simd_print(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
void op2i_simd_print_as(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                        enum op2i_c_base base, int tight);
void op2i_simd_print_mask(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
/* Print the value for a variable of this type, varying or not. */
void op2i_simd_print_value(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                           const struct op2i_c_type *type, bool varying, int tight);
/* Print the name of the function that chooses between two values of this type by a mask. */
void op2i_simd_print_select(struct op2i_simd_printer *p, const struct op2i_c_type *type);
/* The same for the mask of active lanes. */
void op2i_simd_print_select_active(struct op2i_simd_printer *p, const struct op2i_c_type *type);
void op2i_simd_print_on(struct op2i_simd_printer *p, int mask);
/* Print an expression whose value is not used. */
void op2i_simd_print_statement(struct op2i_simd_printer *p, const struct op2i_simd_node *e);
int op2i_simd_tightness(const struct op2i_simd_node *e);
void op2i_simd_print_call(struct op2i_simd_printer *p, const struct op2i_simd_node *e);
void op2i_simd_print_choice(struct op2i_simd_printer *p, const struct op2i_simd_node *e);
void op2i_simd_print_logical(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                             int tight);
/* simd_assign.c */
void op2i_simd_print_assign(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
void op2i_simd_print_step(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
bool op2i_simd_scattered(const struct op2i_simd_node *lvalue);
void op2i_simd_print_gather(struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue);

#endif
