/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KERNEL_H
#define OP2I_KERNEL_H

#include "header_text.h"
#include "object.h"
#include "op2/loop.h"

/* A kernel parameter as the parser of codegen/ finds it. */
enum { OP2I_EXTENTS = 4 };
struct op2i_param {
  char *name;      /* "" when unnamed */
  char *type_text; /* as written, for messages: "const double *" */
  op2_type type;   /* of the innermost value; 0 when the name is not one we know (then the compiler
                      checks it) */
  bool foreign;    /* the type is certainly none of the library's */
  int depth;       /* levels of pointer, arrays counted: 0 value, 1 `T *`, 2 `T **` and `T *x[]` */
  int64_t extent;  /* of the array as which it is declared: 4 for `T x[4]`, `T *x[4]` and
                      `T x[2][2]`; 0: none, or one that only the compiler can tell */
  int nextents;    /* of the arrays as which it is declared, the outermost first: 2 for `T x[2][3]`,
                   `T x[][3]` and `T (*x)[3]` */
  int64_t extents[OP2I_EXTENTS]; /* 0: none, or one that only the compiler can tell */
  bool readonly;                 /* the innermost value is const */
  bool rows;                     /* it points to arrays, by a typedef that does not show it */
  /* The first line that reads its values and does not change them; 0: none that is certain, or the
   * kernel sets them. */
  int read_line;
  int64_t most_index; /* of an array of pointers: the greatest index that the text shows */
  int index_line;     /* the line of that index; 0: the text shows no index but 0 */
};

struct op2i_signature {
  int nparams;
  struct op2i_param *params;
  int line;       /* of the function's name, counted from 1 at the start of the source */
  int state_line; /* line of a variable that keeps its value from call to call; 0: there is none */
  char state[48]; /* its name */
  int ntokens; /* of the source, with helpers and macros; the contents of headers are not counted */
};

/* The constant by which the source of a kernel by address calls its function. */
#define OP2I_FUNCTION_NAME "op2_function"

struct op2_kernel_s {
  struct op2i_object obj; /* obj.name is the function's name */
  char *source;           /* with the functions that it shares with other kernels of its file */
  char *functions;        /* the names of these, a blank before and after each; null: none */
  op2_const function; /* of a kernel by address: OP2I_FUNCTION_NAME, its only constant; else null */
  bool one_thread;    /* by address: no other thread may be in such a function */
  char *file;         /* null: none given */
  int line;
  char *remark; /* what op2_explain() says of it; may be null */
  /* Text to print: "#include ..." lines and a digest comment for each file; may be "". */
  char *headers;
  char **includes;         /* null-terminated, may be null; absolute */
  char **libraries;        /* the same, for the linker */
  bool given;              /* flags or headers may define names that the source does not */
  struct op2i_whole whole; /* the source with its own headers in it; empty: there are none */
  bool whole_given;        /* as `given`, for that text */
  struct op2i_signature signature;
  /* The constants used; they are found again when the context's const_epoch has moved. */
  int64_t const_epoch;
  uint32_t warned; /* parameters that were warned of, by a bit each */
  int nconsts;
  op2_const *consts;       /* in order of creation */
  struct op2i_loop *model; /* a loop of it with known text, see loop_form.c; null: none */
  struct op2i_simd_translation *translations; /* codegen's: its vector forms, as requested */
};

/* Make a kernel for the library itself. */
op2_status op2i_kernel_create_own(op2_context ctx, const char *name, const char *source,
                                  op2_kernel *kernel);
struct op2i_text;
/* kernel_functions.c: the source of a kernel with those functions of its description in it that it
 * calls, and their names, a blank before and after each. Fails with OP2_ERR_NOMEM only. */
op2_status op2i_kernel_join(const op2_kernel_desc *desc, const char *source, struct op2i_text *out,
                            struct op2i_text *names);
/* kernel_functions.c: true if the kernel's source has this function of OP2_FUNCTION(). */
bool op2i_kernel_shares(const struct op2_kernel_s *kernel, const char *name, size_t length);
/* Find the context's constants that the kernel mentions and keep them in kernel->consts. Nothing is to
 * be done unless a constant was created or destroyed since the last call. */
op2_status op2i_kernel_bind_consts(op2_kernel kernel);

/* The use of an argument by a kernel, in the words of messages. */
struct op2i_shown {
  op2_where where;
  const char *set, *argument;
  const char *map; /* null: the parameter is not a list of all slots of a map */
  int64_t nslots;
};
/* Warn if the kernel's text shows that it misuses this argument as parameter n. There is one
 * warning for each parameter of a kernel, over all loops. */
void op2i_kernel_warn(op2_kernel kernel, int n, op2_access access, const struct op2i_shown *shown);

#endif
