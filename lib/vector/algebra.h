/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ALGEBRA_H
#define OP2I_ALGEBRA_H

/* Operations with dats and globals as vectors: their table, and the checks of calls. */

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
  OP2I_MAXPY, /* for dats only */
  OP2I_POINTWISE_MULT,
  OP2I_POINTWISE_DIV,
  OP2I_DOT,
  OP2I_MDOT, /* for dats only */
  OP2I_NORM_1,
  OP2I_NORM_2,
  OP2I_NORM_INF,
  OP2I_SUM,
  OP2I_MIN,
  OP2I_MAX,
  OP2I_VECTOR_OPS
};

enum { OP2I_VECTORS = 3, OP2I_SCALARS = 2 };

/* One row of the table of operations. Vectors have letters. A reduction reads all of them; any
 * other operation writes the first and reads the others. */
struct op2i_vector_form {
  const char *name; /* of loops and functions */
  const char *call; /* the program's call, after op2_dat_ or op2_gbl_ */
  const char *vectors;
  int nscalars;       /* number of scalars, a and b */
  bool keeps;         /* true if the vector that is written is read, too */
  bool real;          /* true if integers are not allowed */
  op2_access reduces; /* INC, MIN or MAX; 0: not a reduction */
  /* The statement of a loop for value i of the vectors, with scalars a and b, and the result s,
   * whose type is S. */
  const char *statement;
  /* The statement for double precision, where sums may overflow; null: the same as `statement`. */
  const char *scaled;
};
extern const struct op2i_vector_form op2i_vector_forms[OP2I_VECTOR_OPS];

/* One call. Vectors are dats or globals, in the order of their letters. */
struct op2i_vector_call {
  op2_where where;
  enum op2i_vector_op op;
  enum op2i_kind kind; /* OP2I_DAT or OP2I_GBL; OP2I_MAT: dats, and messages speak of matrices */
  void *vectors[OP2I_VECTORS];
  op2_scalar scalars[OP2I_SCALARS];
  op2_gbl result;
  /* For operations with n dats, the result, and `numerator` of the scalar, have n values each, and
   * the second vector is dat number `at`. For all other operations n is 0. */
  int n, at;
  bool adds; /* true if a sum is added to the values of the result, which are not reset */
};

/* The properties that all vectors of an operation share. */
struct op2i_shape {
  op2_context ctx;
  op2_set set; /* null for globals */
  int32_t dim;
  op2_type type;
};
/* Check a call, and return the shape of its vectors in *shape. */
op2_status op2i_vector_check(struct op2i_vector_call *call, struct op2i_shape *shape);
/* Check the second vector of a call whose others were checked before. */
op2_status op2i_vector_check_second(const struct op2i_vector_call *call,
                                    const struct op2i_shape *shape);
/* Set the operation of a call to that of a norm. */
op2_status op2i_norm_op(struct op2i_vector_call *call, op2_norm norm);

/* The types of the result of a reduction of such values, and of the factors of scalars. */
op2_type op2i_result_type(enum op2i_vector_op op, op2_type type);
op2_type op2i_factor_type(op2_type type);
/* Convert a factor to that type. */
void op2i_factor(double factor, op2_type type, void *value);
/* The start value of a reduction, in the type of its result. It is also the result for no
 * values. */
void op2i_reduction_start(enum op2i_vector_op op, op2_type type, void *value);

/* The properties by which kernels of loops over dats differ. The struct has no padding, because
 * keys are compared bytewise in every call. */
struct op2i_vector_key {
  int32_t dim;
  uint8_t op, type;
  /* Index of the first vector that is the same object. */
  uint8_t same[OP2I_VECTORS];
  uint8_t numerator[OP2I_SCALARS], denominator[OP2I_SCALARS]; /* enum op2i_gbl_form */
  uint8_t count;   /* number of dats in a block, for operations with n dats; else 0 */
  uint8_t shifted; /* 1 if the block's values of globals begin at an offset */
  uint8_t nothing;
};
_Static_assert(sizeof(struct op2i_vector_key) == 16, "gaps are not compared");
/* The type of a scalar's global. */
enum op2i_gbl_form { OP2I_NO_GBL, OP2I_FACTOR_TYPE, OP2I_OWN_TYPE };
uint8_t op2i_gbl_form_of(op2_gbl gbl, const struct op2i_vector_key *key);
/* Get the kernel for a key. The context keeps it. */
op2_status op2i_vector_kernel(op2_context ctx, const struct op2i_vector_key *key,
                              op2_kernel *kernel);
/* dat_many.c: append the source text of the kernel of a block. */
void op2i_many_text(const struct op2i_vector_key *key, struct op2i_text *text);

/* Queue a loop for a checked call on dats. */
op2_status op2i_dat_algebra(const struct op2i_vector_call *call, const struct op2i_shape *shape);
/* As op2_dat_dot() and op2_dat_mdot(), but products are added to the values of the result: for
 * vectors that consist of several dats. With op2i_dat_mdot_add() n is a power of 2, at most 8. */
op2_status op2i_dat_dot_add(op2_where where, op2_dat x, op2_dat y, op2_gbl result);
op2_status op2i_dat_mdot_add(op2_where where, op2_dat x, int n, const op2_dat *y, op2_gbl result);
/* True if the norm needs a second global, of OP2I_PARTS values p. */
enum { OP2I_PARTS = 2 };
bool op2i_norm_has_parts(enum op2i_vector_op op, op2_type type);

#endif
