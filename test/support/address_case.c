/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "address_case.h"

#include <stdlib.h>
#include <string.h>

/* A kernel's text begins with helpers that all kernels share. */
static const char *own_text(const struct rkernel *kernel) {
  return strstr(kernel->source, "void random_");
}

char *address_declaration(const struct rkernel *kernel) {
  const char *text = own_text(kernel);
  return strndup(text, strcspn(text, "{"));
}

static bool uses_constants(const struct rkernel *kernel) {
  bool any = false;
  for (int n = 0; n < kernel->nnodes; n++) any |= kernel->nodes[n].op == R_CONST;
  return any;
}

int address_compile(uint64_t seed, op2_function functions[PROGRAM_KERNELS],
                    struct compiled *compiled) {
  struct rkernel *chosen[PROGRAM_KERNELS] = {0};
  char *text = NULL;
  size_t size;
  int n = 0, found = 0;
  FILE *out = open_memstream(&text, &size);
  fputs("#include <stdint.h>\n", out);
  for (int k = 0; k < PROGRAM_KERNELS; k++) {
    struct rkernel *kernel = rkernel_make(seed, k);
    if (uses_constants(kernel) || found++ % 2) {
      rkernel_free(kernel);
      continue;
    }
    fputs(n++ ? own_text(kernel) : kernel->source, out);
    chosen[k] = kernel;
  }
  fclose(out);
  bool good = case_compile("cc", "-O1 -fwrapv -ffp-contract=off", text, compiled);
  for (int k = 0; k < PROGRAM_KERNELS; k++) {
    void *symbol = good && chosen[k] ? case_symbol(compiled, chosen[k]->name) : NULL;
    memcpy(&functions[k], &symbol, sizeof symbol);
    if (chosen[k]) rkernel_free(chosen[k]);
  }
  free(text);
  return good ? n : 0;
}
