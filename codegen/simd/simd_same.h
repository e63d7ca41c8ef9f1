/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_SAME_H
#define OP2I_SIMD_SAME_H

#include "simd.h"

/* The proof that a kernel writes the same values to a dat whatever the element is. */

struct op2i_simd;
struct op2i_simd_form;

/* The parameters of a kernel that lead to one dat. */
struct op2i_simd_same {
  const int *slots;     /* [nparams] number of slots that a parameter leads to; 0: not this dat */
  const bool *pointers; /* [nparams] True for pointers to the rows, else the rows lie in a line. */
  int dim;              /* components of a row */
};
/* Set *holds to true if each call of the kernel writes all components of all slots, once, with values
 * that are the same in every slot and do not depend on the element, and reads none of them. Fails
 * only with OP2_ERR_NOMEM. */
op2_status op2i_simd_same_values(const struct op2i_simd_request *request,
                                 const struct op2i_simd_same *same, bool *holds);

/* simd.c: the form of the kernel's own function, completely analysed; null if the kernel cannot be
 * translated. */
struct op2i_simd_form *op2i_simd_analyse(struct op2i_simd *l);

#endif
