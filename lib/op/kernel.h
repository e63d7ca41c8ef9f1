/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KERNEL_H
#define OP2I_KERNEL_H

#include "object.h"
#include "op2/loop.h"

/* A kernel parameter as the parser of codegen/ saw it. */
struct op2i_param {
  char *name;      /* "" when unnamed */
  char *type_text; /* as written, for messages: "const double *" */
  op2_type type;   /* of the innermost value; 0 when the name is not one we know (then the compiler
                      checks it) */
  bool foreign;    /* it is certainly none of the library's */
  int depth;       /* levels of pointer, arrays counted: 0 value, 1 `T *`, 2 `T **` and `T *x[]` */
  int64_t extent;  /* of the array as which it is declared: 4 for `T x[4]`, `T *x[4]` and
                      `T x[2][2]`; 0: none, or one that only the compiler can tell */
  bool readonly;   /* the innermost value is const */
  bool rows;       /* it points to arrays, by a typedef that does not show it */
};

struct op2i_signature {
  int nparams;
  struct op2i_param *params;
  int line; /* of the function's name, counted from 1 at the start of the source */
};

struct op2_kernel_s {
  struct op2i_object obj; /* obj.name is the function's name */
  char *source;
  char *file; /* null: none given */
  int line;
  char
      *headers; /* ready text: "#include ..." lines and a digest comment for each file, may be "" */
  char **includes; /* null-terminated, may be null */
  bool given;      /* flags or headers may define names that the source does not */
  struct op2i_signature signature;
  /* constants used, worked out again when the context's const_epoch has moved */
  int64_t const_epoch;
  int nconsts;
  op2_const *consts; /* in order of creation */
  struct op2i_lanes_translation *lanes; /* codegen's: its vector forms that have been asked for */
};

/* Implemented in codegen/: whether the words of a compiler, its flags or a kernel's headers may
 * define macros that its source does not show. */
bool op2i_kernel_given(const char *compiler, const char *flags, const char *headers);
/* Implemented in codegen/. `given` is the kernel's. Errors: OP2_ERR_SYNTAX with kernel name, line and what is wrong;
 * OP2_ERR_NOMEM. On error *out is untouched. */
op2_status op2i_signature_parse(const char *source, const char *name, bool given,
                                struct op2i_signature *out);
void op2i_signature_free(struct op2i_signature *signature);
/* Whether `source` refers to the file-scope identifier `word`: as a token that is not in a comment,
 * string or preprocessor line, not a member name, and not hidden by a parameter or local of that
 * name where it stands. */
bool op2i_source_uses(const char *source, const char *word);
/* The line on which a function of `source` gives that identifier, or an element of it, a value; 0
 * when none does that can be seen from the tokens. */
int op2i_source_assigns(const char *source, const char *word);

/* Append to `message`, what the compiler said of the kernel, why names in it are not known: the text
 * is all that a kernel sees. Appends nothing where that is not what is wrong. */
struct op2i_text;
struct op2i_loop_const;
void op2i_kernel_hint(op2_kernel kernel, const struct op2i_loop_const *consts, int nconsts,
                      struct op2i_text *message);

/* Implemented in codegen/: free kernel->lanes. */
void op2i_lanes_forget(op2_kernel kernel);

/* lib/: bring kernel->consts up to date. */
op2_status op2i_kernel_bind_consts(op2_kernel kernel);

#endif
