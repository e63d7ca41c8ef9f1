/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ALGEBRA_H
#define OP2I_ALGEBRA_H

/* Operations with dats and globals as vectors: what they are, and what can be wrong with one. */

#include "object.h"
#include "op2/algebra.h"
#include "text.h"

enum op2i_vector_op {
  OP2I_FILL,
  OP2I_COPY,
  OP2I_SCALE,
  OP2I_AXPY,
  OP2I_AYPX,
  OP2I_AXPBY,
  OP2I_MAXPY, /* of dats alone */
  OP2I_POINTWISE_MULT,
  OP2I_POINTWISE_DIV,
  OP2I_DOT,
  OP2I_MDOT, /* of dats alone */
  OP2I_NORM_1,
  OP2I_NORM_2,
  OP2I_NORM_INF,
  OP2I_SUM,
  OP2I_MIN,
  OP2I_MAX,
  OP2I_VECTOR_OPS
};

enum { OP2I_VECTORS = 3, OP2I_SCALARS = 2 };

/* One row of the table. Vectors have letters, of which a reduction reads all, and of the others the
 * first is what is written. */
struct op2i_vector_form {
  const char *name; /* of loops */
  const char *call; /* what the program's call is named, behind op2_dat_ or op2_gbl_ */
  const char *vectors;
  int nscalars;       /* a and b */
  bool keeps;         /* what is written is read, too */
  bool real;          /* not of integers */
  op2_access reduces; /* INC, MIN or MAX; 0: it is no reduction */
  /* What a loop does with value i: of the vectors, a and b, and s, which is of type S. */
  const char *statement;
  /* The same for double precision, where sums may overflow; null: no difference. */
  const char *scaled;
};
extern const struct op2i_vector_form op2i_vector_forms[OP2I_VECTOR_OPS];

/* A call. Vectors are dats or globals, in the order of their letters. */
struct op2i_vector_call {
  op2_where where;
  enum op2i_vector_op op;
  enum op2i_kind kind; /* OP2I_DAT or OP2I_GBL */
  void *vectors[OP2I_VECTORS];
  op2_scalar scalars[OP2I_SCALARS];
  op2_gbl result;
  /* Operations with n dats: the result, and `above` of the scalar, have n values each, and the second
   * vector is dat number `at`. For all other operations n is 0. */
  int n, at;
};

/* What vectors of one operation have in common. */
struct op2i_shape {
  op2_context ctx;
  op2_set set; /* null: a global's */
  int32_t dim;
  op2_type type;
};
/* All that can be wrong with it; *shape is that of its vectors. */
op2_status op2i_vector_check(struct op2i_vector_call *call, struct op2i_shape *shape);
/* Make it that of a norm. */
op2_status op2i_norm_op(struct op2i_vector_call *call, op2_norm norm);

/* The type of what a reduction of such values gives, and of the factors of scalars. */
op2_type op2i_result_type(enum op2i_vector_op op, op2_type type);
op2_type op2i_factor_type(op2_type type);
/* A factor in that type. */
void op2i_factor(double factor, op2_type type, void *value);
/* What a reduction begins with, and what it is of no values, in the type of its result. */
void op2i_reduction_start(enum op2i_vector_op op, op2_type type, void *value);

/* The kernels of loops over dats differ in this. It is packed and has no gaps, because keys are
 * compared in every call, as they lie in memory. */
struct op2i_vector_key {
  int32_t dim;
  uint8_t op, type;
  uint8_t same[OP2I_VECTORS];                       /* the first vector that this one is */
  uint8_t above[OP2I_SCALARS], below[OP2I_SCALARS]; /* enum op2i_gbl_form */
  uint8_t count;   /* dats of a block, of operations with n dats; else 0 */
  uint8_t shifted; /* whether the block's values of globals begin at an offset */
  uint8_t nothing;
};
_Static_assert(sizeof(struct op2i_vector_key) == 16, "gaps are not compared");
/* The type of a scalar's global. */
enum op2i_gbl_form { OP2I_NO_GBL, OP2I_FACTOR_TYPE, OP2I_OWN_TYPE };
uint8_t op2i_gbl_form_of(op2_gbl gbl, const struct op2i_vector_key *key);
/* The kernel, which the context keeps. */
op2_status op2i_vector_kernel(op2_context ctx, const struct op2i_vector_key *key,
                              op2_kernel *kernel);
/* dat_many.c: add the text of a kernel of a block. */
void op2i_many_text(const struct op2i_vector_key *key, struct op2i_text *text);
/* Give up the globals that blocks of scalar products are reduced into. */
void op2i_many_forget(op2_context ctx);

/* Queue a call that was checked: of dats a loop, */
op2_status op2i_dat_algebra(const struct op2i_vector_call *call, const struct op2i_shape *shape);
/* of globals a function. */
op2_status op2i_gbl_algebra(const struct op2i_vector_call *call, const struct op2i_shape *shape);
/* Whether such a norm reduces into a second global, of OP2I_PARTS values p. */
enum { OP2I_PARTS = 2 };
bool op2i_norm_has_parts(enum op2i_vector_op op, op2_type type);
/* Queue: the global becomes the norm, which is made of what was reduced into it and into the second
 * global, unless that is null. */
op2_status op2i_gbl_finish_norm(op2_where where, enum op2i_vector_op op, op2_gbl gbl,
                                op2_gbl parts);
/* The root of a sum of squares, given in units of 1, 2^600 and 2^-600. */
double op2i_norm_root(double squares, const double parts[OP2I_PARTS]);

#endif
