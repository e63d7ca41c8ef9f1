/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_UNIT_H
#define OP2I_UNIT_H

#include "names.h"
#include "token.h"

/* A kernel's source as its file-scope declarations, and what each of its identifiers refers to. */

enum op2i_item_kind { OP2I_ITEM_FUNCTION = 1, OP2I_ITEM_PROTOTYPE, OP2I_ITEM_OTHER };

/* Tokens are given by their index in `code`. */
struct op2i_item {
  enum op2i_item_kind kind;
  int begin, end;  /* range of its tokens, including the final ; or } */
  int name;        /* FUNCTION, PROTOTYPE: the name that it declares */
  int open, close; /* the parentheses around its parameters */
  int body;        /* FUNCTION: the brace that opens it */
};

enum op2i_role {
  OP2I_ROLE_NONE,  /* no reference: a member, tag, label, keyword, or a name's declaration */
  OP2I_ROLE_LOCAL, /* a parameter, local variable or local type */
  OP2I_ROLE_FILE,  /* declared at file scope by this source, other than by extern */
  OP2I_ROLE_FREE   /* declared nowhere here */
};

struct op2i_unit {
  struct op2i_tokens tokens;
  int ncode;
  int *code;            /* [ncode + 1] the tokens that are read, without directives; then END */
  int *match;           /* [ncode + 1] index of the matching bracket, else -1 */
  unsigned char *roles; /* [tokens.count + 1] enum op2i_role of each token, skipped ones included */
  int nitems;
  struct op2i_item *items;
  struct op2i_names functions; /* defined functions, first definition last: items */
  struct op2i_names macros;    /* without parameters, in order of the text: #define tokens */
  struct op2i_names declared;  /* at file scope, other than by extern */
  const char *wrong;           /* set after OP2_ERR_SYNTAX */
  int wrong_line;
};

/* Read `source`, which must outlive *unit; `given` is as in conditional.h. Fails with
 * OP2_ERR_NOMEM, or with OP2_ERR_SYNTAX and unit->wrong filled in (no message is set). *unit may be
 * freed after either. */
op2_status op2i_unit_read(const char *source, bool given, struct op2i_unit *unit);
void op2i_unit_free(struct op2i_unit *unit);

bool op2i_unit_is(const struct op2i_unit *unit, int at, const char *spelling);
bool op2i_unit_word(const struct op2i_unit *unit, int at); /* an identifier, not a reserved word */
int op2i_unit_line(const struct op2i_unit *unit, int at);
/* The index after an __attribute__((...)) or the like at `at`; `at` itself where there is none. */
int op2i_unit_attribute(const struct op2i_unit *unit, int at);
/* The item of the function that is defined under token t's spelling, or -1. */
int op2i_unit_function(const struct op2i_unit *unit, int64_t t);

/* refuse.c: fails with OP2_ERR_SYNTAX and a message if the text is not C, or would be misunderstood
 * by C. */
op2_status op2i_unit_refuse(const struct op2i_unit *unit, const char *name);
/* refuse.c: called if there is no function of this name. Fails likewise if a reason can be found,
 * else returns OP2_SUCCESS. */
op2_status op2i_unit_refuse_missing(const struct op2i_unit *unit, const char *name);

/* scope.c: fill in the roles. Fails as op2i_unit_read() does. */
op2_status op2i_unit_resolve(struct op2i_unit *unit);

#endif
