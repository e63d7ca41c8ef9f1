/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CXX_BODY_H
#define OP2I_CXX_BODY_H

#include "cxx.h"

/* The parts of the translation of one function. */

/* How a parameter or variable is held in the C text. */
enum op2i_cxx_how {
  OP2I_CXX_PLAIN,
  OP2I_CXX_REFERENCE, /* a pointer to it */
  OP2I_CXX_RECORD_OF  /* a structure of numbers, held as an array */
};

struct op2i_cxx_name {
  int word;    /* index of a word of its spelling */
  char letter; /* 'd' double, 'f' float, 'i' integers and everything else */
  enum op2i_cxx_how how;
  const struct op2i_cxx_item *record; /* RECORD_OF */
};

struct op2i_cxx_turn { /* one call of op2i_cxx_translate() */
  struct op2i_cxx_unit *unit;
  const struct op2i_cxx_request *request;
  struct op2i_text *out; /* finished functions and declarations */
  const char *why;       /* the reason for a refusal, or null */
  int depth;             /* functions that are being turned */
};

struct op2i_cxx_body {
  struct op2i_cxx_turn *turn;
  struct op2i_text text;
  struct op2i_cxx_name *names; /* parameters and local variables, the latest last */
  int64_t nnames, capacity;
};

/* cxx_names.c */
const struct op2i_cxx_name *op2i_cxx_local(const struct op2i_cxx_body *body, int at);
bool op2i_cxx_declare(struct op2i_cxx_body *body, struct op2i_cxx_name name);
/* Declare the local variables of the words [begin, end). */
bool op2i_cxx_declare_all(struct op2i_cxx_body *body, int begin, int end);
/* The letter of the type that the words [begin, end) name, or of the value of an expression. */
char op2i_cxx_type_letter(const struct op2i_cxx_body *body, int begin, int end);
char op2i_cxx_letter(const struct op2i_cxx_body *body, int begin, int end);
/* The item at file scope that declares a word as another name of a type, or null. */
const struct op2i_cxx_item *op2i_cxx_alias(const struct op2i_cxx_unit *unit, int at);
/* True if a word is the name of an enumeration. */
bool op2i_cxx_is_enumeration(const struct op2i_cxx_unit *unit, int at);
/* True if the & of word `at` declares a local reference to a number: `double &x = a[1];`. */
bool op2i_cxx_refers(const struct op2i_cxx_unit *unit, int at);
bool op2i_cxx_is_integer_operator(const struct op2i_cxx_unit *unit, int at);
bool op2i_cxx_is_math(const struct op2i_cxx_unit *unit, int at);
bool op2i_cxx_is_float_math(const struct op2i_cxx_unit *unit, int at); /* sqrtf, ... */
bool op2i_cxx_is_number(const struct op2i_cxx_unit *unit, int at);     /* double, int, ... */
/* The record of numbers that the words name, if these are to become arrays, or null. */
const struct op2i_cxx_item *op2i_cxx_record(const struct op2i_cxx_body *body, int begin, int end);

/* cxx_rules.c: append the words [begin, end) as C. */
void op2i_cxx_words(struct op2i_cxx_body *body, int begin, int end);
void op2i_cxx_add(struct op2i_text *out, const char *text, int length);

/* cxx_function.c */
struct op2i_cxx_parameter {
  int begin, end; /* words of the type */
  int name;
  int extent; /* words [extent, last) behind the name: [4] */
  int last;
  enum op2i_cxx_how how;
};
/* Read the parameter in [begin, end). */
void op2i_cxx_parameter(struct op2i_cxx_body *body, int begin, int end,
                        struct op2i_cxx_parameter *out);
/* Make the text of a function, or of the declaration of a name at file scope, unless there is one.
 * A refusal sets turn->why. */
void op2i_cxx_function(struct op2i_cxx_turn *turn, struct op2i_cxx_item *item, bool kernel);
/* Returns false if nothing at file scope declares the word as what a kernel may use. */
bool op2i_cxx_file_name(struct op2i_cxx_turn *turn, int at);

#endif
