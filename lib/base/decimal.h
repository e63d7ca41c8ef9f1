/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DECIMAL_H
#define OP2I_DECIMAL_H

/* Read an unsigned decimal number, optionally with a fraction; *value is -1 if there is none.
 * Returns the end of the number in `text`. strtod() would depend on the user's locale. */
const char *op2i_decimal(const char *text, double *value);

#endif
