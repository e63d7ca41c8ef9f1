/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_C_FUNCTIONS_H
#define OP2I_C_FUNCTIONS_H

/* Functions of <math.h> that must be told apart from those built into the languages of devices. */

#define OP2I_ONE_ARGUMENT(each)                                                                    \
  each(acos) each(acosh) each(asin) each(asinh) each(atan) each(atanh) each(cbrt) each(ceil)       \
      each(cos) each(cosh) each(erf) each(erfc) each(exp) each(exp2) each(expm1) each(fabs)        \
          each(floor) each(lgamma) each(log) each(log10) each(log1p) each(log2) each(logb)         \
              each(rint) each(round) each(sin) each(sinh) each(sqrt) each(tan) each(tanh)          \
                  each(tgamma) each(trunc)
#define OP2I_TWO_ARGUMENTS(each)                                                                   \
  each(atan2) each(copysign) each(fdim) each(fmod) each(hypot) each(nextafter) each(pow)           \
      each(remainder)

#endif
