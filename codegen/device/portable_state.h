/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PORTABLE_STATE_H
#define OP2I_PORTABLE_STATE_H

#include "cstmt.h"
#include "rewrite.h"

/* The parts of portable.c: reading, lists of initializers, writing. */

enum op2i_portable_kind {
  OP2I_PORTABLE_BLOCK,     /* the brace of a block */
  OP2I_PORTABLE_INITIAL,   /* the = of an initializer, or the { of one in a literal */
  OP2I_PORTABLE_LITERAL,   /* the ( of a compound literal */
  OP2I_PORTABLE_TYPE,      /* the ( before the name of a type */
  OP2I_PORTABLE_STATEMENT, /* the ( of a statement in an expression */
  OP2I_PORTABLE_ENUM,      /* the word enum where it lists enumerators */
  OP2I_PORTABLE_RECORD,    /* the word struct or union of one that is defined in another */
  OP2I_PORTABLE_GENERIC,   /* the word _Generic */
  OP2I_PORTABLE_TEXT,      /* the first of the string constants that a pointer may lead to */
  OP2I_PORTABLE_OR,        /* where the first operand of ?: begins */
  OP2I_PORTABLE_WRAP       /* where an operation begins that may overflow */
};

struct op2i_portable_choice {
  struct op2i_portable_choice *next;
  int type, type_end; /* empty: the default */
  int begin, end;
};

/* A note says what the token at a position begins. */
struct op2i_portable_note {
  struct op2i_portable_note *next;
  enum op2i_portable_kind kind;
  int at, end, middle;
  bool busy;     /* it is being written */
  bool lasting;  /* INITIAL: of an object at file scope, or a static one */
  bool full;     /* INITIAL: a text that leaves no room for its end; WRAP: its value is used */
  bool ahead;    /* ENUM, RECORD: it stands in front of the declaration already */
  bool negative; /* ENUM: an enumerator is less than 0 */
  int number;    /* LITERAL; INITIAL: position of the name */
  struct op2i_portable_initial *list; /* LITERAL, INITIAL */
  struct op2i_c_type type;            /* INITIAL, LITERAL, TYPE */
  struct op2i_portable_note
      *below; /* BLOCK: the literals that it declares; LITERAL: the next one */
  struct op2i_portable_choice *choices;    /* GENERIC */
  struct op2i_portable_copy *copies;       /* BLOCK: tables that a function has copies of */
  const struct op2i_portable_value *value; /* WRAP */
};

enum op2i_portable_meaning {
  OP2I_PORTABLE_VALUE,
  OP2I_PORTABLE_NAME_OF_TYPE,
  OP2I_PORTABLE_NUMBER
};
struct op2i_portable_name {
  enum op2i_portable_meaning meaning;
  struct op2i_c_type type;
  int64_t value;
  bool bounded; /* a constant integer: it lies in [lo, hi] */
  int64_t lo, hi;
};

struct op2i_portable_state {
  const struct op2i_rewrite *rewrite;
  const struct op2i_unit *unit;
  bool cxx;
  bool wraps;  /* signed integers have to be made to wrap */
  bool wanted; /* a form has to be replaced */
  bool failed; /* the source cannot be read, or a form not be replaced */
  struct op2i_macros macros;
  struct op2i_c_reader r;
  const struct op2i_piece *tokens;
  int count;
  int *match; /* [count + 2] index of the matching bracket, or -1 */
  struct op2i_names names;
  struct op2i_portable_name *meanings;
  int64_t nmeanings, capacity;
  struct op2i_portable_note **notes; /* [count + 2] */
  struct op2i_portable_note none;    /* stands for a note that no memory is left for */
  int nliterals, depth, records;
  struct op2i_portable_item *items;   /* of OpenCL C, in the order of the source */
  struct op2i_portable_table *tables; /* of the item that is read */
  int parameters;                     /* position of the last list of parameters */
  bool known;          /* the last expression was an integer constant, of this value */
  int64_t value, next; /* next: of the next enumerator */
  bool negative;       /* an enumerator of the list that is read is less than 0 */
  struct op2i_portable_counter *counters;
  /* writing */
  struct op2i_text *out;
  int line, still;    /* still: no new lines are begun */
  int64_t directives; /* tokens of the source whose preprocessor lines have been written */
  int behind;         /* a declaration of void * whose other declarators lose a star: its end */
};

static inline bool op2i_portable_is(const struct op2i_portable_state *p, int at, const char *word) {
  return at >= 0 && at < p->count && op2i_piece_is(&p->tokens[at], word);
}
struct op2i_portable_note *op2i_portable_find(const struct op2i_portable_state *p, int at,
                                              enum op2i_portable_kind kind);
struct op2i_portable_note *op2i_portable_note(struct op2i_portable_state *p, int at,
                                              enum op2i_portable_kind kind);
/* portable_read.c: find the forms. */
void op2i_portable_read(struct op2i_portable_state *p);
bool op2i_portable_constant(struct op2i_portable_state *p, int begin, int end, int64_t *value);
const struct op2i_portable_name *op2i_portable_named(const struct op2i_portable_state *p,
                                                     const struct op2i_piece *word);
/* portable_print.c: append the tokens [begin, end) with forms replaced. */
void op2i_portable_print(struct op2i_portable_state *p, int begin, int end);
/* portable_initial.c: an initializer list as a tree. */
struct op2i_portable_initial {
  struct op2i_c_type type;
  int begin, end; /* the expression, if there is one */
  int nparts, capacity;
  struct op2i_portable_initial **parts; /* null where there is nothing */
  int member;                           /* of a union: the one that is set */
};
/* Null if the list cannot be read. */
struct op2i_portable_initial *op2i_portable_list(struct op2i_portable_state *p, int brace,
                                                 const struct op2i_c_type *type);
/* True if the list has designators. */
bool op2i_portable_designated(const struct op2i_portable_state *p, int brace);
void op2i_portable_in_order(struct op2i_portable_state *p, struct op2i_portable_initial *all);
/* Append assignments to the parts of the object that `path` leads to. */
void op2i_portable_assign(struct op2i_portable_state *p, struct op2i_portable_initial *all,
                          const char *path, const char **between);

#endif
