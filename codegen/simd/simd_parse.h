/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_PARSE_H
#define OP2I_SIMD_PARSE_H

#include "simd_base.h"

/* Reading the kernel: simd_token.c replaces macros, simd_type.c reads declarations. */

/* simd_token.c */
void op2i_simd_directives(struct op2i_simd *l);
/* The tokens [begin, end) with macros replaced, and END after them. */
struct op2i_piece *op2i_simd_expand(struct op2i_simd *l, int begin, int end, int *count);

/* A parser's position in a list of tokens, and the names that are visible there. */
struct op2i_simd_parser {
  struct op2i_c_reader r;
  struct op2i_simd *l;
  struct op2i_simd_var *scope;
  int64_t visible; /* number of names added to the scope */
  struct op2i_simd_form *form;
  int enumerates; /* number of enumerations in the current declaration */
  int64_t next;   /* value of the next enumerator */
};

/* simd_type.c */
bool op2i_simd_at(const struct op2i_simd_parser *p, const char *spelling);
bool op2i_simd_accept(struct op2i_simd_parser *p, const char *spelling);
void op2i_simd_expect(struct op2i_simd_parser *p, const char *spelling);
int op2i_simd_line(const struct op2i_simd_parser *p);
/* Begin to parse the tokens [begin, end), with macros replaced. p->l and p->scope must be set. */
void op2i_simd_parse(struct op2i_simd_parser *p, int begin, int end);
/* Refuse a declaration that only the compiler can understand. */
void op2i_simd_check(struct op2i_simd_parser *p, struct op2i_c_decl *decl);
/* Read a type that declares nothing, as in a cast. `expected` has the flags that may occur beside
 * it, such as OP2I_C_STATIC. */
void op2i_simd_unnamed(struct op2i_simd_parser *p, unsigned expected, struct op2i_c_type *type);

static inline bool op2i_simd_float(enum op2i_c_base base) {
  return base == OP2I_C_F32 || base == OP2I_C_F64;
}
int op2i_simd_size(enum op2i_c_base base);
enum op2i_c_base op2i_simd_promoted(enum op2i_c_base base);
enum op2i_c_base op2i_simd_common(enum op2i_c_base a, enum op2i_c_base b);

#endif
