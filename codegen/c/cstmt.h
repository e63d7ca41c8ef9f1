/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CSTMT_H
#define OP2I_CSTMT_H

#include "cdecl.h"

/* A reader of statements (C11 6.8), shared by all its users: scope.c, which resolves names, and the
 * translation into vectors. It decides for all of them what is a declaration, where a scope begins
 * and ends, and from where on a name is visible in it (6.2.1). Expressions are opaque: a callback
 * reads them. It refuses nothing. */

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

/* The parts are what the callbacks returned for them; null where there is none. */
struct op2i_c_statement {
  enum op2i_c_kind kind;
  int line;
  const struct op2i_c_statement *outer; /* the statement around this one, or null */
  int nested; /* number of statements around it, including the branches before an else if */
  int bodies; /* number of those that may be without braces */
  void *init, *test, *step, *body;
};

struct op2i_c_list {
  void *first, *last;
};

/* The callbacks of a user of this reader. `specified` may be null; so may `made`, `otherwise` and
 * `append` if the user builds nothing from statements. */
struct op2i_c_asker {
  /* True if reading is to stop. */
  bool (*stopped)(const struct op2i_c_reader *r);
  /* The number of names that are visible; forget() hides all but the first `count` of them. */
  int64_t (*visible)(const struct op2i_c_reader *r);
  void (*forget)(struct op2i_c_reader *r, int64_t count);
  /* Called when the specifiers of a declaration have been read. */
  void (*specified)(struct op2i_c_reader *r, struct op2i_c_decl *all);
  /* Called for a declared name. It is visible from here on, also in its initializer, which
   * `initialized` reads if there is one. */
  void *(*declared)(struct op2i_c_reader *r, struct op2i_c_decl *decl);
  void (*initialized)(struct op2i_c_reader *r, const struct op2i_c_decl *decl, void *declared);
  void (*parameter)(struct op2i_c_reader *r, struct op2i_c_decl *decl);
  /* `value` is null and `given` false where the enumerator is one more than the one before it. */
  void (*enumerator)(struct op2i_c_reader *r, const struct op2i_piece *name, bool given,
                     void *value);
  /* Read the expression here, which ends before `end`: one of ; ) : and the comma. */
  void *(*expression)(struct op2i_c_reader *r, const char *end);
  /* Called when `spelling` is expected here and is missing. */
  void (*missing)(struct op2i_c_reader *r, const char *spelling);
  /* Called before a statement is read, with its kind and surroundings known; returns whether to
   * read it. */
  bool (*begin)(struct op2i_c_reader *r, const struct op2i_c_statement *s);
  /* Build a statement; `otherwise` then adds the else branch. */
  void *(*made)(struct op2i_c_reader *r, const struct op2i_c_statement *s);
  void (*otherwise)(struct op2i_c_reader *r, void *branch, void *other);
  /* Append one node, or several that belong together, to a list. */
  void (*append)(struct op2i_c_reader *r, struct op2i_c_list *list, void *made);
};

/* Read what begins at `at`, and leave `at` after it. */
void *op2i_c_statement(struct op2i_c_reader *r);
void *op2i_c_declaration(struct op2i_c_reader *r); /* returns the first of a list */
void op2i_c_parameters(struct op2i_c_reader *r);   /* up to a parenthesis or the end */
void op2i_c_enumerators(struct op2i_c_reader *r);  /* including the braces */

#endif
