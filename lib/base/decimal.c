/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as people write them in the environment, and as JSON has them. */
#define _GNU_SOURCE /* for uselocale() */
#include "decimal.h"

#include <locale.h>
#include <pthread.h>
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

static locale_t plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_plain(void) { plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); }

void *op2i_decimal_begin(void) {
  pthread_once(&once, make_plain);
  return plain ? (void *)uselocale(plain) : NULL;
}

void op2i_decimal_end(void *begun) {
  if (begun) uselocale((locale_t)begun);
}
