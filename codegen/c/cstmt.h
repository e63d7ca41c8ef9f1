/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CSTMT_H
#define OP2I_CSTMT_H

#include "cdecl.h"

/* Statements (C11 6.8), read in one place for all that ask: whose name a word is, and what is to
 * become vectors. What is a declaration, where a scope begins and ends, and from where on a name is
 * visible in it (6.2.1), is decided here for all of them. Expressions are opaque: the asker reads
 * them. Nothing is refused here. */

enum op2i_c_kind {
  OP2I_C_EXPRESSION, /* test; */
  OP2I_C_DECLARATION,
  OP2I_C_BLOCK, /* { body } */
  OP2I_C_IF,    /* if (test) body */
  OP2I_C_ELSE_IF,
  OP2I_C_FOR,   /* for (init; test; step) body */
  OP2I_C_WHILE, /* while (test) body */
  OP2I_C_DO,
  OP2I_C_SWITCH,
  OP2I_C_CASE, /* case test: or default: */
  OP2I_C_LABEL,
  OP2I_C_GOTO,
  OP2I_C_RETURN, /* return test; */
  OP2I_C_BREAK,
  OP2I_C_CONTINUE
};

/* Its parts are what the asker made of them; null where there is none. */
struct op2i_c_statement {
  enum op2i_c_kind kind;
  int line;
  const struct op2i_c_statement *outer; /* the one round it, or null */
  int nested; /* how many are round it, the branches before an else if among them */
  int bodies; /* how many of them are round it without braces, or might be */
  void *init, *test, *step, *body;
};

struct op2i_c_list {
  void *first, *last;
};

/* Whoever reads statements. Where nothing is made of them, what makes something may be null. */
struct op2i_c_asker {
  /* To read no further. */
  bool (*stopped)(const struct op2i_c_reader *r);
  /* How many names can be seen; see no more than the first `count` of them from now on. */
  int64_t (*visible)(const struct op2i_c_reader *r);
  void (*forget)(struct op2i_c_reader *r, int64_t count);
  /* The specifiers of a declaration have been read. */
  void (*specified)(struct op2i_c_reader *r, struct op2i_c_decl *all);
  /* Something is declared, and visible from here on, in its initializer too, which `initialized`
   * reads if there is one. */
  void *(*declared)(struct op2i_c_reader *r, struct op2i_c_decl *decl);
  void (*initialized)(struct op2i_c_reader *r, const struct op2i_c_decl *decl, void *declared);
  void (*parameter)(struct op2i_c_reader *r, struct op2i_c_decl *decl);
  /* value: null, and not given, where it is one more than that of the one before. */
  void (*enumerator)(struct op2i_c_reader *r, const struct op2i_piece *name, bool given,
                     void *value);
  /* Read the expression here, which ends before `end`: one of ; ) : and the comma. */
  void *(*expression)(struct op2i_c_reader *r, const char *end);
  /* `spelling` should be here and is not. */
  void (*missing)(struct op2i_c_reader *r, const char *spelling);
  /* Before a statement is read: whether to read it. Its kind is known, and what is round it. */
  bool (*begin)(struct op2i_c_reader *r, const struct op2i_c_statement *s);
  /* Of a statement; then of what stands behind its else. */
  void *(*made)(struct op2i_c_reader *r, const struct op2i_c_statement *s);
  void (*otherwise)(struct op2i_c_reader *r, void *branch, void *other);
  /* Put one or several that belong together at the end of a list. */
  void (*append)(struct op2i_c_reader *r, struct op2i_c_list *list, void *made);
};

/* What stands at `at`, which is left behind it. */
void *op2i_c_statement(struct op2i_c_reader *r);
void *op2i_c_declaration(struct op2i_c_reader *r); /* the first of a list */
void op2i_c_parameters(struct op2i_c_reader *r);   /* up to a parenthesis or the end */
void op2i_c_enumerators(struct op2i_c_reader *r);  /* with braces */

#endif
