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

/* One in four kernels without constants is text, so that both sorts are given as text. */
void address_choose(uint64_t seed, int numbers[PROGRAM_KERNELS]) {
  int even = 0, odd = 1, plain = 0;
  for (int k = 0; even < PROGRAM_KERNELS || odd < PROGRAM_KERNELS; k++) {
    struct rkernel *kernel = rkernel_make(seed, k);
    int *at = uses_constants(kernel) || plain++ % 4 == 3 ? &odd : &even;
    if (*at < PROGRAM_KERNELS) numbers[*at] = k;
    *at += 2;
    rkernel_free(kernel);
  }
}

int address_compile(struct rkernel *const pool[PROGRAM_KERNELS],
                    op2_function functions[PROGRAM_KERNELS], struct compiled *compiled) {
  char *text = NULL;
  size_t size;
  int n = 0;
  FILE *out = open_memstream(&text, &size);
  fputs("#include <stdint.h>\n", out);
  for (int k = 0; k < PROGRAM_KERNELS; k += 2) fputs(k ? own_text(pool[k]) : pool[k]->source, out);
  fclose(out);
  bool good = case_compile("cc", "-O1 -fwrapv -ffp-contract=off", text, compiled);
  for (int k = 0; k < PROGRAM_KERNELS; k++) {
    void *symbol = good && k % 2 == 0 ? case_symbol(compiled, pool[k]->name) : NULL;
    memcpy(&functions[k], &symbol, sizeof symbol);
    n += symbol != NULL;
  }
  free(text);
  return n;
}
