/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_C_FUNCTIONS_H
#define OP2I_C_FUNCTIONS_H

/* This is what functions of <math.h> and absolute values of <stdlib.h> take and return in C. The
 * languages of devices have functions of the same names for several types, among which the types of
 * the arguments choose; in C they convert the arguments. Functions of float (sinf) mean the same
 * everywhere. fmin() and fmax() are the library's own (devgen_dialect.c); j0(), nan() and the like,
 * nexttoward() and functions of long double are missing: loops that use them may run on the host. */

/* double NAME(double) */
#define OP2I_ONE_ARGUMENT(each)                                                                    \
  each(acos) each(acosh) each(asin) each(asinh) each(atan) each(atanh) each(cbrt) each(ceil)       \
      each(cos) each(cosh) each(erf) each(erfc) each(exp) each(exp2) each(expm1) each(fabs)        \
          each(floor) each(lgamma) each(log) each(log10) each(log1p) each(log2) each(logb)         \
              each(nearbyint) each(rint) each(round) each(sin) each(sinh) each(sqrt) each(tan)     \
                  each(tanh) each(tgamma) each(trunc)
/* double NAME(double, double) */
#define OP2I_TWO_ARGUMENTS(each)                                                                   \
  each(atan2) each(copysign) each(fdim) each(fmod) each(hypot) each(nextafter) each(pow)           \
      each(remainder)
/* double NAME(double, double, double) */
#define OP2I_THREE_ARGUMENTS(each) each(fma)
/* double NAME(double, TYPE) */
#define OP2I_SCALED(each) each(ldexp, int) each(scalbn, int) each(scalbln, long)
/* TYPE NAME(double) */
#define OP2I_WHOLE(each)                                                                           \
  each(ilogb, int) each(lrint, long) each(lround, long) each(llrint, long long)                    \
      each(llround, long long)
/* double NAME(double, int *), and modf(), whose second argument points to a number of the type of
 * the first */
#define OP2I_SPLIT(each) each(frexp) each(modf)
/* double NAME(double, double, int *) */
#define OP2I_QUOTIENT(each) each(remquo)
/* TYPE NAME(TYPE) */
#define OP2I_ABSOLUTE(each) each(abs, int) each(labs, long) each(llabs, long long)

#endif
