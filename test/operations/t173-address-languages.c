/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels by address that are compiled from C, C++, Fortran and Rust, each to a library of its own,
 * where the language's compiler is installed. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { NODES = 400, EDGES = 1000 };

static const struct {
  const char *name, *compiler, *suffix, *command, *text;
} languages[] = {
    {"C", "cc", "c", "cc -shared -fPIC -o %s %s",
     "void flux(const double *w, double *a, double *b, int n) { *a += *w * n; *b -= *w; }\n"},
    {"C++", "c++", "cpp", "c++ -shared -fPIC -o %s %s",
     "template <class T> static T times(T a, int n) { return a * n; }\n"
     "extern \"C\" void flux(const double *w, double *a, double *b, int n) {\n"
     "  auto add = [&](double &x, double v) { x += v; };\n"
     "  add(*a, times(*w, n)), add(*b, -*w);\n"
     "}\n"},
    {"Fortran", "gfortran", "f90", "gfortran -shared -fPIC -o %s %s",
     "subroutine flux(w, a, b, n) bind(c)\n"
     "  use iso_c_binding\n"
     "  real(c_double), intent(in) :: w\n"
     "  real(c_double), intent(inout) :: a, b\n"
     "  integer(c_int), value :: n\n"
     "  a = a + w * n\n"
     "  b = b - w\n"
     "end subroutine\n"},
    {"Rust", "rustc", "rs", "rustc -Cpanic=abort --crate-type cdylib -o %s %s",
     "#[no_mangle]\n"
     "pub extern \"C\" fn flux(w: &f64, a: &mut f64, b: &mut f64, n: i32) {\n"
     "    *a += *w * n as f64;\n"
     "    *b -= *w;\n"
     "}\n"},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };
static op2_function functions[LANGUAGES];

/* Compile the function of a language; null if its compiler is not installed or fails. */
static op2_function compile(int l) {
  char line[2048], source[1024], library[1024], command[3072];
  snprintf(line, sizeof line, "%s --version >/dev/null 2>&1", languages[l].compiler);
  if (system(line)) {
    skip("%s: %s is not installed", languages[l].name, languages[l].compiler);
    return NULL;
  }
  snprintf(source, sizeof source, "%s/flux.%s", test_scratch(), languages[l].suffix);
  snprintf(library, sizeof library, "%s/libflux-%s.so", test_scratch(), languages[l].suffix);
  FILE *file = fopen(source, "w");
  if (!file || fputs(languages[l].text, file) < 0 || fclose(file)) exit(2);
  snprintf(line, sizeof line, languages[l].command, library, source);
  snprintf(command, sizeof command, "%s >/dev/null 2>&1", line);
  void *symbol = NULL, *handle = system(command) ? NULL : dlopen(library, RTLD_NOW);
  if (handle) symbol = dlsym(handle, "flux");
  op2_function function;
  memcpy(&function, &symbol, sizeof function);
  ok(function, "%s: compiled and loaded", languages[l].name);
  return function;
}

static void all_languages(void) {
  uint64_t seed = 3;
  int32_t *ends = scratch(EDGES * 2, sizeof *ends);
  double *weights = scratch(EDGES, sizeof *weights), *want = scratch(NODES, sizeof *want);
  const int times = 3;
  for (int i = 0; i < 2 * EDGES; i++) ends[i] = draw_below(&seed, NODES);
  for (int i = 0; i < EDGES; i++) weights[i] = i % 23;
  op2_set edges = new_set(EDGES, "edges"), nodes = new_set(NODES, "nodes");
  op2_map map = new_map(edges, nodes, 2, ends, "map");
  op2_dat w = new_dat(edges, 1, OP2_F64, weights, "w"), x = new_dat(nodes, 1, OP2_F64, NULL, "x");
  for (int l = 0; l < LANGUAGES; l++) {
    const op2_kernel_desc desc = {.name = "flux",
                                  .source =
                                      "void flux(const double *w, double *a, double *b, int n)",
                                  .function = functions[l],
                                  .threads = OP2_ANY_THREADS};
    if (!functions[l]) continue;
    MUST(op2_par_loop(new_kernel(&desc), edges, op2_arg_direct(w, OP2_READ),
                      op2_arg_dat(x, 0, map, OP2_INC), op2_arg_dat(x, 1, map, OP2_INC),
                      op2_arg_val(&times, 1, OP2_I32)));
    for (int i = 0; i < EDGES; i++) {
      want[ends[2 * i]] += 3 * weights[i];
      want[ends[2 * i + 1]] -= weights[i];
    }
    EXPECT_VALUES(double, x, NODES, i, want[i]);
  }
}

static const struct test_case cases[] = {{"functions of several languages", all_languages}};

int main(void) {
  for (int l = 0; l < LANGUAGES; l++) functions[l] = compile(l);
  return RUN(cases, 0);
}
