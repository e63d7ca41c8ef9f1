/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot kernels of airfoil become vector instructions: the compiler's code for this processor
 * contains no calls, and only vector divisions and square roots; the same holds for the loop into
 * which the kernels are fused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../bench/airfoil/kernels.h"
#include "backend.h"
#include "compile_case.h"
#include "cpu.h"
#include "loop_case.h"
#include "tap.h"
#include "text.h"
#include "vec.h"

/* ---- loops ----------------------------------------------------------------------------------- */

static void gas(struct loop_case *c) {
  static const char *const names[] = {"gam", "gm1", "cfl", "eps"};
  for (int i = 0; i < 4; i++) case_const(c, names[i], 1, OP2_F64);
  case_const(c, "qinf", 4, OP2_F64);
}

static void kernel(struct loop_case *c, const op2_kernel_desc *desc) {
  CHECK(case_begin(c, desc->name, desc->source));
}

static void flux_args(struct loop_case *c, int slots) {
  for (int i = 0; i < 2; i++) case_dat(c, 0, 2, OP2_F64, i, 0, OP2_READ);
  for (int i = 0; i < slots; i++) case_dat(c, 1, 4, OP2_F64, i, 1, OP2_READ);
  for (int i = 0; i < slots; i++) case_dat(c, 2, 1, OP2_F64, i, 1, OP2_READ);
  for (int i = 0; i < slots; i++) case_dat(c, 3, 4, OP2_F64, i, 1, OP2_INC);
}

static void res_case(struct loop_case *c) {
  kernel(c, &res_calc_kernel);
  case_map(c, 0, 2);
  case_map(c, 1, 2);
  flux_args(c, 2);
  gas(c);
}

static void bres_case(struct loop_case *c) {
  kernel(c, &bres_calc_kernel);
  case_map(c, 0, 2);
  case_map(c, 1, 1);
  flux_args(c, 1);
  case_dat(c, 4, 1, OP2_I32, 0, -1, OP2_READ);
  gas(c);
}

/* Dats: 0 qold, 1 q, 2 res, 3 adt, 4 x. */
static void update_args(struct loop_case *c) {
  case_dat(c, 0, 4, OP2_F64, 0, -1, OP2_READ);
  case_dat(c, 1, 4, OP2_F64, 0, -1, OP2_WRITE);
  case_dat(c, 2, 4, OP2_F64, 0, -1, OP2_RW);
  case_dat(c, 3, 1, OP2_F64, 0, -1, OP2_READ);
  case_gbl(c, 0, 1, OP2_F64, OP2_INC);
}

static void adt_args(struct loop_case *c, int x, int q, int adt) {
  for (int i = 0; i < 4; i++) case_dat(c, x, 2, OP2_F64, i, 0, OP2_READ);
  case_dat(c, q, 4, OP2_F64, 0, -1, OP2_READ);
  case_dat(c, adt, 1, OP2_F64, 0, -1, OP2_WRITE);
}

static void update_case(struct loop_case *c) {
  kernel(c, &update_kernel);
  update_args(c);
}

static void adt_case(struct loop_case *c) {
  kernel(c, &adt_calc_kernel);
  case_map(c, 0, 4);
  adt_args(c, 0, 1, 2);
  gas(c);
}

/* update, save_soln and adt_calc, fused as by the scheduler; adt_calc overwrites the time steps
 * that update leaves. */
static void fused_case(struct loop_case *c) {
  static struct loop_case save, adt;
  static struct op2i_member members[3];
  case_end(&save); /* end the case of the last call */
  case_end(&adt);
  kernel(c, &update_kernel);
  kernel(&save, &save_soln_kernel);
  kernel(&adt, &adt_calc_kernel);
  case_map(c, 0, 4);
  update_args(c);
  case_dat(c, 1, 4, OP2_F64, 0, -1, OP2_READ);
  case_dat(c, 0, 4, OP2_F64, 0, -1, OP2_WRITE);
  adt_args(c, 4, 1, 3);
  gas(c);
  members[0] = (struct op2i_member){.kernel = &c->kernel, .nargs = 5};
  members[1] = (struct op2i_member){.kernel = &save.kernel, .first_arg = 5, .nargs = 2};
  members[2] =
      (struct op2i_member){.kernel = &adt.kernel, .first_arg = 7, .nargs = 6, .nconsts = 5};
  c->loop.fused.members = members;
  c->loop.fused.nmembers = 3;
  c->loop.name = (char *)"update+save_soln+adt_calc";
}

/* ---- instructions that the compiler generates ------------------------------------------------ */

/* The instructions of the loop's own functions, one per line; null if it does not compile. */
static char *instructions(const char *compiler, const char *source) {
  enum { ROOM = 1 << 20 };
  const char *base = getenv("TMPDIR");
  char folder[512], command[2048], *text = calloc(1, ROOM);
  snprintf(folder, sizeof folder, "%s/op2-test-XXXXXX", base && *base ? base : "/tmp");
  if (!text || !mkdtemp(folder)) return NULL;
  snprintf(command, sizeof command,
           "cd '%s' && %s -std=gnu11 -fwrapv -ffp-contract=off -fno-tree-slp-vectorize %s -shared "
           "-fPIC -x c - -o a.so -lm && "
           "objdump -d --no-show-raw-insn a.so >a.txt",
           folder, compiler, op2i_cpu_flags());
  FILE *pipe = popen(command, "w");
  bool good = pipe && fputs(source, pipe) >= 0;
  if (pipe) good = pclose(pipe) == 0 && good;
  snprintf(command, sizeof command,
           "awk '/^[0-9a-f]+ </ { own = /op2_(body|entry)/ } own' '%s/a.txt'", folder);
  FILE *listing = good ? popen(command, "r") : NULL;
  if (listing) {
    text[fread(text, 1, ROOM - 1, listing)] = '\0';
    pclose(listing);
  }
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  (void)!system(command);
  return text;
}

static int count(const char *text, const char *word) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, word)); at++) n++;
  return n;
}

/* Calls of functions other than those that copy the last elements. */
static int foreign_calls(const char *text) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, "call")); at++) {
    size_t length = strcspn(at, "\n");
    char line[256] = "";
    memcpy(line, at, length < sizeof line ? length : sizeof line - 1);
    bool copies = strstr(line, "<op2_pad") || strstr(line, "<memcpy@plt");
    copies = copies || strstr(line, "<op2_body");
    if (!copies) diag("%s", line);
    n += !copies;
  }
  return n;
}

struct hot {
  const char *name;
  void (*make)(struct loop_case *c);
  int roots, divisions; /* instructions in an iteration of the loop, over one batch or two */
};

static void check_instructions(const struct hot *hot, const char *compiler, const char *source,
                               int bytes) {
  char *text = instructions(compiler, source);
  if (!ok(text && *text, "%s: %s compiles", compiler, hot->name)) return;
  is_int(foreign_calls(text), 0, "%s: %s calls nothing", compiler, hot->name);
#if defined(__x86_64__)
  is_int(count(text, "sqrtpd"), hot->roots, "%s: %s takes roots of vectors", compiler, hot->name);
  is_int(count(text, "divpd"), hot->divisions, "%s: %s divides vectors", compiler, hot->name);
  is_int(count(text, "sqrtsd"), 0, "%s: %s takes no other roots", compiler, hot->name);
  const char *wide = bytes == 64 ? "%zmm" : bytes == 32 ? "%ymm" : "%xmm";
  ok(count(text, wide) > 20, "%s: %s uses vectors of %d bytes", compiler, hot->name, bytes);
#else
  (void)bytes;
#endif
  free(text);
}

static void check_hot(const struct hot *hot, const char *compiler, bool objdump) {
  struct loop_case c;
  struct op2i_text text = {0};
  bool mergeable;
  int bytes = op2i_simd_bytes();
  hot->make(&c);
  if (CHECK(op2i_generate_vector(&c.loop, OP2I_VECTOR, bytes ? bytes : 16, &text, &mergeable))) {
    ok(strstr(text.chars, "op2_f64x"), "%s: %s is written in vectors", compiler, hot->name);
    if (objdump && bytes) check_instructions(hot, compiler, text.chars, bytes);
  }
  op2i_text_free(&text);
  case_end(&c);
}

int main(void) {
  static const struct hot hots[] = {{"res_calc", res_case, 0, 2 * 2},
                                    {"bres_calc", bres_case, 0, 2 * 1},
                                    {"adt_calc", adt_case, 5, 1},
                                    {"update", update_case, 0, 1},
                                    {"update+save_soln+adt_calc", fused_case, 5, 2}};
  bool objdump = case_have_compiler("objdump");
  if (!objdump) skip("no objdump: instructions are not looked at");
  for (const char *const *compiler = case_compilers; *compiler; compiler++) {
    if (!case_have_compiler(*compiler)) {
      skip("no %s", *compiler);
      continue;
    }
    for (size_t i = 0; i < sizeof hots / sizeof hots[0]; i++)
      check_hot(&hots[i], *compiler, objdump);
  }
  return done();
}
