/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DECIMAL_H
#define OP2I_DECIMAL_H

/* Read a number without a sign, with a fraction at most; -1: it is none. Returns where it ends. strtod()
 * would go by the language of the program's user. */
const char *op2i_decimal(const char *text, double *value);

#endif
