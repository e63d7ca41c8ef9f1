/* SPDX-License-Identifier: BSD-3-Clause */
/* Run by op2-c++: prints copies of the kernels of a unit.
 *   op2-c++-copies [FUNCTION...] <TEXT
 * TEXT is the program's own text of the unit after the preprocessor. What is printed is C++ that is
 * compiled behind the unit. Kernels that need a FUNCTION have no copy. The status is 1 if the text
 * cannot be read. */
#include <stdio.h>
#include <string.h>

#include "cxx.h"
#include "mem.h"

static bool read_all(FILE *file, struct op2i_text *out) {
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) op2i_text_bytes(out, buffer, n);
  return !ferror(file) && !out->failed && out->chars;
}

int main(int argc, char **argv) {
  struct op2i_text text = {0}, copies = {0};
  struct op2i_cxx_unit unit = {0};
  (void)argc;
  bool good = read_all(stdin, &text);
  const char *why = good ? op2i_cxx_read(text.chars, &unit) : "there is no text";
  good = !why && op2i_cxx_copy(&unit, (const char *const *)argv + 1, &copies) &&
         fwrite(copies.chars, 1, copies.length, stdout) == copies.length && !fflush(stdout);
  if (!good)
    fprintf(stderr, "op2-c++: kernels have no copies: %s\n", why ? why : "memory is lacking");
  op2i_text_free(&copies);
  op2i_cxx_free(&unit);
  return !good;
}
