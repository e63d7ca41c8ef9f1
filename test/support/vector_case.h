/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_VECTOR_CASE_H
#define OP2_TEST_VECTOR_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "op2.h"

/* The operations of op2/algebra.h by number, with dats or globals, and their results for plain
 * arrays of doubles. */
enum vector_op {
  FILL,
  COPY,
  SCALE,
  AXPY,
  AYPX,
  AXPBY,
  MULT,
  DIV,
  CHANGES,
  DOT = CHANGES,
  NORM_1,
  NORM_2,
  NORM_INF,
  SUM,
  MIN,
  MAX,
  VECTOR_OPS
};

/* Three vectors: one is written, two are read. */
struct vectors {
  bool global;
  op2_dat dat[3];
  op2_gbl gbl[3];
};

const char *vector_name(enum vector_op op);
bool vector_real(enum vector_op op); /* true if it has no form for integers */
/* Call an operation. Vector operations use the vectors numbered out, x and y of the three;
 * reductions use x and y. */
op2_status vector_call(const struct vectors *v, enum vector_op op, int out, int x, int y,
                       op2_scalar a, op2_scalar b, op2_gbl result);
void vector_change(enum vector_op op, size_t n, double *out, const double *x, const double *y,
                   double a, double b);
double vector_reduce(enum vector_op op, size_t n, const double *x, const double *y);
/* The type of the result when values of this type are reduced. */
op2_type vector_result(enum vector_op op, op2_type type);

/* Types, and their values as doubles. */
bool value_real(op2_type type);
size_t value_bytes(op2_type type);
double value_get(op2_type type, const void *at, size_t i);
void value_put(op2_type type, void *at, size_t i, double value);

#endif
