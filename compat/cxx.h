/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CXX_H
#define OP2I_CXX_H

#include "text.h"
#include "token.h"

/* Kernels of C++ programs as C text. What is read is a unit after the preprocessor; what is turned
 * is the part of C++ that kernels are written in: functions of numbers, references, functional
 * casts, std::min and the like, structures of numbers, overloads of <cmath> for float. Everything
 * else is refused with a reason. The reader does not know types well enough to be always right, so
 * its text must be compared with the compiled function before it is used. */

struct op2i_cxx_word {
  const char *text; /* not ended by a null */
  int length;
  enum op2i_token_kind kind;
  int match; /* index of the matching bracket, or -1 */
};

/* A declaration at file scope, or in a namespace, which is an item itself. */
enum op2i_cxx_kind { OP2I_CXX_FUNCTION, OP2I_CXX_RECORD, OP2I_CXX_OTHER, OP2I_CXX_NAMESPACE };
struct op2i_cxx_item {
  enum op2i_cxx_kind kind;
  int begin, end;  /* range of its words */
  int name;        /* index of the declared word, or -1 */
  int open, close; /* FUNCTION: the parentheses of its parameters */
  int body;        /* the brace that opens it; all but OTHER */
  int space;       /* the item of the namespace that it is in, or -1 */
  bool emitted;    /* its text has been made */
};

struct op2i_cxx_unit {
  char *text;
  struct op2i_tokens tokens;
  struct op2i_cxx_word *words; /* [nwords + 1] END follows */
  int nwords;
  struct op2i_cxx_item *items;
  int64_t nitems, capacity;
};

/* Read the text, which the unit owns from then on, also after an error. Returns null, or why it
 * cannot be read. */
const char *op2i_cxx_read(char *text, struct op2i_cxx_unit *unit);
void op2i_cxx_free(struct op2i_cxx_unit *unit);
/* cxx_plain.c: take the quotes out of numbers such as 1'000, and make raw strings empty ones. */
void op2i_cxx_plain(char *text);

bool op2i_cxx_is(const struct op2i_cxx_unit *unit, int at, const char *spelling);
bool op2i_cxx_same(const struct op2i_cxx_unit *unit, int a, int b);
bool op2i_cxx_in(const struct op2i_cxx_unit *unit, int at, const char *const *list);
/* True if the word is the name of a member, behind . or ->. */
bool op2i_cxx_member(const struct op2i_cxx_unit *unit, int at);
/* The index of the first comma outside of brackets in [at, end), or end. */
int op2i_cxx_comma(const struct op2i_cxx_unit *unit, int at, int end);
/* The first item of a kind that declares the spelling of word `at`, or null. */
struct op2i_cxx_item *op2i_cxx_find(const struct op2i_cxx_unit *unit, enum op2i_cxx_kind kind,
                                    int at);
/* The only function of the spelling of word `at`, or null. */
struct op2i_cxx_item *op2i_cxx_only(const struct op2i_cxx_unit *unit, int at);
bool op2i_cxx_has(const struct op2i_cxx_unit *unit, int begin, int end, const char *spelling);

/* If all members of a record have one such type, returns their number, else 0. *type is the word of
 * the type; *index the position of the member of the spelling of word `member`, or -1. */
int op2i_cxx_numbers(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *record,
                     int member, int *type, int *index);

/* The kernel that is wanted, and how it will be used. */
struct op2i_cxx_request {
  const char *kernel;
  const char *marks; /* for each parameter: 'c' it must point to const, 'n' it is null, '-' */
  bool (*constant)(const char *name, int length); /* True if the library declares the name. */
  bool flat;                   /* structures of numbers become arrays, which vector code can hold */
  struct op2i_cxx_item *given; /* a lambda, or a function that is to have the name; may be null */
};

/* Append the kernel and what it calls. Returns null, or why they cannot be turned: a string that
 * lives until the next call. */
const char *op2i_cxx_translate(struct op2i_cxx_unit *unit, const struct op2i_cxx_request *request,
                               struct op2i_text *out);
/* cxx_given.c: what a C++ program gives op2::kernel behind a name. */
/* True if word `at` is the name and such a thing follows: a lambda without captures, a variable that
 * holds one, or a function. The item of a lambda begins with its bracket, which is also its name. */
bool op2i_cxx_given_at(const struct op2i_cxx_unit *unit, int at, struct op2i_cxx_item *out);
/* Find the only place of a name. Returns null, or why it is not known. */
const char *op2i_cxx_given(const struct op2i_cxx_unit *unit, const char *name,
                           struct op2i_cxx_item *out);
/* True if the item is a lambda. */
bool op2i_cxx_is_lambda(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *item);

/* True if a text calls functions whose results C does not determine to the last bit, such as exp(),
 * so that compilers may have two results for them. */
bool op2i_cxx_rounds(const char *text);

/* cxx_copy.c: append C++ text that follows the unit: copies of its kernels and of what they call,
 * and the function op2_compat_copies(), which returns the copy of a function, or for "=NAME" of what
 * op2::kernel is given behind the name. What needs a function of `left_out`, a null-terminated list,
 * has no copy. False if memory is lacking. */
bool op2i_cxx_copy(struct op2i_cxx_unit *unit, const char *const *left_out, struct op2i_text *out);

#endif
