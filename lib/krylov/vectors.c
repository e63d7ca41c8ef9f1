/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of a system: a dat for each of its fields. Operations are those with dats, once for each
 * field; products of all fields are added up in one global. */
#include <math.h>

#include "algebra.h"
#include "krylov.h"

op2_arg op2i_arg_vector(const op2_dat *vector, op2_access access) {
  op2_arg arg = op2_arg_direct(NULL, access);
  arg.object = (void *)vector;
  return arg;
}

op2_status op2i_vector_loop_args(const struct op2i_workspace *w, int k, int nargs,
                                 const op2_arg *args) {
  op2_arg own[OP2I_VECTOR_ARGS];
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < w->n && !status; f++) {
    for (int a = 0; a < nargs; a++) {
      own[a] = args[a];
      if (args[a].tag == OP2_TAG_DAT_) own[a].object = ((const op2_dat *)args[a].object)[f];
    }
    status = op2_par_loop_at(OP2_HERE, w->fields[f].kernels[k], w->fields[f].rows, nargs, own);
  }
  return status;
}

op2_status op2i_vector_fill(const struct op2i_workspace *w, const op2_dat *x, double value) {
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < w->n && !status; f++) status = op2_dat_fill(x[f], op2_scalar_value(value));
  return status;
}

op2_status op2i_vector_scale(const struct op2i_workspace *w, const op2_dat *x, double factor) {
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < w->n && !status; f++) status = op2_dat_scale(x[f], op2_scalar_value(factor));
  return status;
}

op2_status op2i_vector_copy(const struct op2i_workspace *w, const op2_dat *x, const op2_dat *y) {
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < w->n && !status; f++) status = op2_dat_copy(x[f], y[f]);
  return status;
}

op2_status op2i_vector_dot(const struct op2i_workspace *w, const op2_dat *x, const op2_dat *y,
                           op2_gbl result) {
  op2_status status = op2_dat_dot(x[0], y[0], result);
  for (int f = 1; f < w->n && !status; f++) status = op2i_dat_dot_add(OP2_HERE, x[f], y[f], result);
  return status;
}

op2_status op2i_vector_norm(const struct op2i_workspace *w, const op2_dat *x, op2_gbl work,
                            double *norm) {
  op2_status status = OP2_SUCCESS;
  *norm = 0;
  for (int f = 0; f < w->n && !status; f++) {
    double part = 0;
    status = op2_dat_norm(x[f], OP2_NORM_2, work);
    if (!status) status = op2_gbl_get(work, &part);
    *norm = f ? hypot(*norm, part) : part;
  }
  return status;
}

/* Collect the dats of a field in a block of vectors. */
static const op2_dat *field_of(const struct op2i_workspace *w, int k, int f,
                               op2_dat dats[OP2I_VECTOR_BLOCK]) {
  for (int i = 0; i < OP2I_VECTOR_BLOCK; i++) dats[i] = op2i_work(w, k + i)[f];
  return dats;
}

op2_status op2i_vector_mdot(const struct op2i_workspace *w, const op2_dat *x, int k,
                            op2_gbl result) {
  op2_dat y[OP2I_VECTOR_BLOCK];
  op2_status status = op2_dat_mdot(x[0], OP2I_VECTOR_BLOCK, field_of(w, k, 0, y), result);
  for (int f = 1; f < w->n && !status; f++)
    status = op2i_dat_mdot_add(OP2_HERE, x[f], OP2I_VECTOR_BLOCK, field_of(w, k, f, y), result);
  return status;
}

op2_status op2i_vector_maxpy(const struct op2i_workspace *w, const op2_dat *y, op2_scalar a,
                             int k) {
  op2_dat x[OP2I_VECTOR_BLOCK];
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < w->n && !status; f++)
    status = op2_dat_maxpy(y[f], a, OP2I_VECTOR_BLOCK, field_of(w, k, f, x));
  return status;
}
