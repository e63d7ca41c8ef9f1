/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMPAT_FORMS_H
#define COMPAT_FORMS_H

/* An application in four forms, to be timed against one another by bench/compat.sh: in OP2's
 * interface with results of reductions at once or put off (OP_LAZY), and in op2's own interface,
 * where it asks for the same results at the same points, or for the last one only. */
#include <op2.h>

#include <op_seq.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

enum form { COMPAT, LAZY, ASKS, NEVER, FORMS };
static const char *const form_names[FORMS] = {"compat", "lazy", "asks", "never"};

static inline form form_of(const char *name) {
  int f = 0;
  while (f < FORMS && strcmp(form_names[f], name)) f++;
  return (form)f;
}

static inline double clock_now(void) {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/* End the program if a call of op2 has failed. */
static inline void must(op2_status status) {
  if (!status) return;
  fprintf(stderr, "%s\n", op2_error_message());
  exit(1);
}

/* Numbers of a text file, into arrays. */
struct reader {
  FILE *file;
  explicit reader(const char *name) : file(fopen(name, "r")) {
    if (!file) perror(name), exit(1);
  }
  ~reader() { fclose(file); }
  int integer() {
    int v;
    if (fscanf(file, "%d", &v) != 1) fprintf(stderr, "the mesh ends early\n"), exit(1);
    return v;
  }
  double real() {
    double v;
    if (fscanf(file, "%lf", &v) != 1) fprintf(stderr, "the mesh ends early\n"), exit(1);
    return v;
  }
};

/* The result, which all forms have, and the time of what came after the warm-up. */
static inline void report(double seconds, int iterations, double result) {
  printf("time_per_iteration_ms %.6f\nresult %.15e\n", 1e3 * seconds / iterations, result);
}

#endif
