/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CDECL_H
#define OP2I_CDECL_H

#include "macro.h"
#include "op2/types.h"
#include "text.h"
#include "unit.h"

/* A reader of declarations (C11 6.7), shared by all its users: those that find out which parameters
 * a kernel has, which names its source declares, and what the types of the values are that are to
 * become vectors. It refuses nothing: a declaration that only the compiler must understand comes
 * out opaque, and its name is found all the same. */

enum op2i_c_base {
  OP2I_C_VOID,
  OP2I_C_BOOL, /* a mask if the value varies between lanes */
  OP2I_C_I8,   /* from here on in the order of C's conversion ranks */
  OP2I_C_U8,
  OP2I_C_I16,
  OP2I_C_U16,
  OP2I_C_I32,
  OP2I_C_U32,
  OP2I_C_I64,
  OP2I_C_U64,
  OP2I_C_F32,
  OP2I_C_F64,
  /* opaque */
  OP2I_C_LONG_DOUBLE,
  OP2I_C_OTHER,  /* other numbers: complex, __int128 */
  OP2I_C_RECORD, /* struct, union */
  OP2I_C_UNCLEAR /* unknown names, enum, typeof, functions */
};

enum { OP2I_C_LEVELS = 4 };

struct op2i_c_record;

struct op2i_c_type {
  enum op2i_c_base base;
  struct op2i_c_record *record;  /* of OP2I_C_RECORD: what it holds, or null if nobody asked */
  bool readonly;                 /* True if the innermost value is const. */
  int nlevels;                   /* number of pointer and array levels */
  int64_t levels[OP2I_C_LEVELS]; /* outermost first: 0 a pointer, -1 [], else the extent */
};

/* A structure or union. */
struct op2i_c_member {
  struct op2i_c_member *next;
  const char *name;
  struct op2i_c_type type;
  int bits; /* the width of a bit-field; 0: it is none */
};
struct op2i_c_record {
  bool either;       /* a union */
  bool complex;      /* a complex number */
  const char *fault; /* what its values cannot be followed for, as in "has bit-fields"; or null */
  int nmembers;
  struct op2i_c_member *members;
  int number; /* of its name in the generated text, from 1; 0: it has none yet */
};

/* Flags for what a declaration states beside the type. */
enum {
  OP2I_C_TYPEDEF = 1,
  OP2I_C_EXTERN = 2,
  OP2I_C_STATIC = 4,
  OP2I_C_NORETURN = 8,
  OP2I_C_ATTRIBUTE = 16,
  OP2I_C_SPECIAL = 32, /* volatile, an alignment, an unknown word, ... */
  OP2I_C_DEEP = 64,    /* more levels than fit */
  OP2I_C_NESTED = 128  /* more parentheses than are followed */
};

struct op2i_c_decl {
  struct op2i_c_type type;
  bool seen;                        /* there is a type */
  int line;                         /* line of the declarator */
  unsigned said;                    /* flags OP2I_C_TYPEDEF | ... */
  const struct op2i_piece *special; /* the first token that gave a flag which was not expected */
  const struct op2i_piece *name;    /* null when nothing is declared */
  enum { OP2I_C_VALUE, OP2I_C_FUNCTION, OP2I_C_TO_FUNCTION } what;
};

/* The kinds of brackets that can occur within a declaration. */
enum op2i_c_bracket {
  OP2I_C_EXTENT,
  OP2I_C_PARAMETERS,
  OP2I_C_MEMBERS,
  OP2I_C_ENUMERATORS,
  OP2I_C_TYPEOF
};

struct op2i_c_asker;
struct op2i_c_statement;

/* A position in a list of tokens, and the user that reads there. */
struct op2i_c_reader {
  const struct op2i_piece *tokens; /* [count + 2] END twice at the end */
  int count, at;
  int nested;
  unsigned expected; /* flags that may occur beside types: OP2I_C_TYPEDEF | ... */
  bool guesses;      /* True if `T x` and the like are taken for declarations. */
  void *client;
  const struct op2i_c_asker *asker;      /* the callbacks for statements (see cstmt.h), or null */
  const struct op2i_c_statement *inside; /* the innermost statement that is being read */
  /* Looks up the word at `at`. Returns 1 and *type if it names a type, 0 if it is not visible, and
   * -1 if it names something else. */
  int (*named)(struct op2i_c_reader *r, struct op2i_c_type *type);
  /* Called for a word at `at` that is taken for a type name; may be null. */
  void (*word)(struct op2i_c_reader *r);
  /* Called for `word`, which is struct or union, behind its tag if it has one, and at its members if
   * these follow. Returns the structure, or null if it stays opaque; it may leave `at` anywhere. May
   * be null. */
  struct op2i_c_record *(*record)(struct op2i_c_reader *r, const struct op2i_piece *word,
                                  const struct op2i_piece *tag);
  /* Returns the structure that stands for complex numbers of such parts, or null. May be null. */
  struct op2i_c_record *(*complex)(struct op2i_c_reader *r, enum op2i_c_base base);
  /* Called for a bracket that opens at `at`; returns an extent, or -1 for one that is not known. It
   * may leave `at` anywhere. */
  int64_t (*bracket)(struct op2i_c_reader *r, enum op2i_c_bracket kind);
};

/* Read specifiers, which begin *out; then a declarator, which takes the type from *out. */
void op2i_c_specifiers(struct op2i_c_reader *r, struct op2i_c_decl *out);
void op2i_c_declarator(struct op2i_c_reader *r, struct op2i_c_decl *out);

/* True if a declaration or a type name begins at `at`. */
bool op2i_c_at_type(struct op2i_c_reader *r);
/* True if the token is a word that only declarations begin with. */
bool op2i_c_declares(const struct op2i_piece *token);
bool op2i_c_word(const struct op2i_piece *token); /* an identifier, not a reserved word */
/* record.c: read the members of the structure that begins at `at` as one array of numbers; null if
 * they are not of one type, are aligned by hand, or cannot be read. Without memory it is null, and
 * the arena says so. */
struct op2i_c_record *op2i_c_row(struct op2i_c_reader *r, struct op2i_arena *arena);
enum op2i_c_base op2i_c_base_of(op2_type type);
op2_type op2i_c_type_of(enum op2i_c_base base); /* 0 if the library has no such type */

/* The tokens [begin, end) of a unit with macros replaced. They lie one after the other in memory
 * and are linked through `next` too, with END twice at the end. Null without memory, or with *why
 * filled in. */
struct op2i_piece *op2i_c_tokens(struct op2i_macros *macros, const struct op2i_unit *unit,
                                 int begin, int end, int *count, struct op2i_why_macro *why);

/* Append the tokens [begin, end) as one line of text, without the last word that equals `omit`. */
void op2i_c_print_tokens(const struct op2i_unit *unit, int begin, int end, const char *omit,
                         struct op2i_text *out);
/* The part of a parameter's type text that names the type of one value: "real" of "const real
 * *restrict". */
void op2i_c_element(const char *type_text, struct op2i_text *out);

#endif
