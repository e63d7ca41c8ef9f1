/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as people write them in the environment. */
#include "decimal.h"

#include <stddef.h>
#include <string.h>

const char *op2i_decimal(const char *text, double *value) {
  size_t whole = strspn(text, "0123456789"), fraction = 0;
  double unit = 1;
  *value = 0;
  for (size_t i = 0; i < whole; i++) *value = 10 * *value + (text[i] - '0');
  if (text[whole] == '.') {
    const char *digits = text + whole + 1;
    fraction = 1 + strspn(digits, "0123456789");
    for (size_t i = 0; i + 1 < fraction; i++) *value += (unit /= 10) * (digits[i] - '0');
  }
  if (!whole && fraction < 2) *value = -1;
  return text + whole + fraction;
}
