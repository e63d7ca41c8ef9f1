/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FORMS_H
#define OP2_TEST_FORMS_H

/* Forms of C in kernels: each must give the host's bits on a device, and must run there unless it
 * says why the host runs it. The tables are in the files forms_*.c. */

/* The parameters and the first line of all kernels: n is an int, f a float, x a double. */
#define HEAD(name)                                                                                 \
  "void " name "(const double *px, const float *pf, const int *pn, double *out) {\n"               \
  "  const double x = *px; const float f = *pf; const int n = *pn;\n"                              \
  "  (void)x, (void)f, (void)n;\n"

struct form {
  const char *name;
  const char *headers;       /* separated by blanks, or null */
  const char *before;        /* text in front of the kernel, or null */
  const char *body;          /* of the kernel, whose name is the form's */
  /* null: the device runs it; else a part of the reason why not. hip is as cuda. */
  const char *cuda, *opencl;
};

struct forms {
  const struct form *list;
  int count;
};

extern const struct forms forms_expressions, forms_declarations, forms_tables, forms_words,
    forms_headers, forms_meanings;

/* Forms that do not have their outcome yet; the lists end with null. */
extern const char *const forms_open_cuda[], *const forms_open_opencl[];

#endif
