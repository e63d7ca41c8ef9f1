/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DECIMAL_H
#define OP2I_DECIMAL_H

/* Numbers with a point, in text that programs read.
 *
 * Read an unsigned decimal number, optionally with a fraction; *value is -1 if there is none.
 * Returns the end of the number in `text`. strtod() would depend on the user's locale. */
const char *op2i_decimal(const char *text, double *value);

/* Let the numbers that this thread prints have a point, whatever the user's locale, until the end,
 * which gets what the beginning returned. */
void *op2i_decimal_begin(void);
void op2i_decimal_end(void *begun);

#endif
