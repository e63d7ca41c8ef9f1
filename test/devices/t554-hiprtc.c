/* SPDX-License-Identifier: BSD-3-Clause */
/* The real hipRTC, which needs no device: it rounds each operation as the host does, and an
 * architecture that it does not know does not end the process. */
#include <stdlib.h>
#include <string.h>

#include "hip_compile.h"
#include "mem.h"
#include "support.h"
#include "text.h"

/* Compile a kernel whose body is `statement`; null: it is not compiled. */
static unsigned char *compile(const char *statement, const char *architecture, size_t *bytes) {
  struct op2i_text text = {0}, log = {0};
  void *binary = NULL;
  op2i_text_add(&text,
                "extern \"C\" __global__ void op2_once(double *a, float *f) {\n"
                "  const int i = threadIdx.x;\n  %s\n}\n",
                statement);
  op2_status status = op2i_hip_compile(text.chars, architecture, NULL, &log, &binary, bytes);
  if (status) diag("%s: %s%s", architecture, op2_error_message(), log.chars ? log.chars : "");
  op2i_text_free(&text);
  op2i_text_free(&log);
  return status ? NULL : binary;
}

/* The number of words with these upper 16 bits, by which instructions of gfx906 are known. */
static int count(const char *statement, unsigned upper) {
  size_t bytes = 0;
  int n = 0;
  unsigned char *binary = compile(statement, "gfx906", &bytes);
  for (size_t i = 0; binary && i + 4 <= bytes; i += 4)
    n += binary[i + 2] == (upper & 0xff) && binary[i + 3] == upper >> 8;
  op2i_free(binary);
  return n;
}

static int count_fma(const char *statement) { return count(statement, 0xd1cc); } /* v_fma_f64 */
static int count_loads(const char *statement) { return count(statement, 0xdc50); }

static void rounds_as_the_host(void) {
  ok(count_fma("a[i] = fma(a[i], a[i + 1], a[i + 2]);") > 0, "fma() is one instruction");
  is_int(count_fma("a[i] = a[i] * a[i + 1] + a[i + 2];"), 0,
         "a product and a sum are not contracted");
}

/* Signed numbers wrap: what is asked here is so for all but the largest, and has to be looked up. */
static void wraps_as_the_host(void) {
  is_int(count_loads("f[i] = 1;"), 0, "what is stored alone is not loaded");
  ok(count_loads("int n = ((int *)f)[i]; f[i] = n + 1 > n;") > 0, "signed integers wrap");
}

static void knows_architectures(void) {
  static const char *const known[] = {"gfx90a", "gfx90a:sramecc+:xnack-", "gfx906", "gfx1030"};
  char found[OP2I_CUDA_ARCHITECTURE];
  size_t bytes;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    ok(!op2i_hip_architecture(known[k], found), "%s: its code needs no translation", known[k]);
    is_str(found, known[k], "%s: is known", known[k]);
    unsigned char *binary = compile("a[i] += f[i];", found, &bytes);
    ok(binary && memcmp(binary, "\177ELF", 4) == 0, "%s: a code object", known[k]);
    op2i_free(binary);
  }
}

static void lacks_architectures(void) {
  static const char *const targets[] = {"gfx9999", "gfx103f", "gfx94f"};
  char found[OP2I_CUDA_ARCHITECTURE];
  size_t bytes;
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    op2i_hip_architecture(targets[t], found);
    ok(strcmp(found, targets[t]) != 0, "%s: is not known; near it: %s", targets[t],
       *found ? found : "none");
    unsigned char *binary = compile("a[i] += f[i];", found, &bytes);
    ok((binary != NULL) == (*found != '\0'), "%s: code of the nearest, or a reason", targets[t]);
    op2i_free(binary);
  }
  op2i_hip_architecture("gfx103f", found);
  ok(strncmp(found, "gfx10", 5) == 0, "gfx103f: the nearest is of the same generation");
}

static const char *unfit(void) {
  const char *why;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return "the sanitizer and hipRTC's own compiler do not go together";
#endif
  return op2i_hiprtc_api(&why) ? NULL : why;
}

int main(void) {
  test_environment();
  if (unfit()) {
    skip("there is no hipRTC: %s", unfit());
    return done();
  }
  diag("hipRTC %s", op2i_hiprtc_version());
  rounds_as_the_host();
  wraps_as_the_host();
  knows_architectures();
  lacks_architectures();
  return done();
}
