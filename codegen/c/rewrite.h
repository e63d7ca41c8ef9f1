/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REWRITE_H
#define OP2I_REWRITE_H

#include "loop.h"
#include "macro.h"
#include "text.h"
#include "unit.h"

/* How the source's macros use the loop's constants; all null if there are no macros or no constants. */
struct op2i_rewrite_macros {
  struct op2i_macros list; /* those of the source, or of the source with its headers in it */
  bool foreign;            /* the latter: their positions are not those of the source */
  /* [nconsts + 1][list.count] True if the macro mentions the constant, by other macros too; in the
   * last row, if it mentions any constant or a function that takes them. */
  bool *marks;
  bool *argument; /* [unit.tokens.count + 1] True between the parentheses of a macro's call. */
  bool *local;    /* [nconsts][unit.nitems] True if the function gets a variable of this name. */
};

/* Rewrites a kernel's source for generated text. Every function that the source defines becomes
 * static inline. A function that uses one of the loop's constants, directly or through another
 * function, takes a pointer to the structure of all constants as its first parameter, passes it on,
 * and reads the constant from it. Where macros mention a constant, the function that uses them has a
 * local variable of its name, and where macros call a function that takes the constants, they call
 * another macro instead, which passes the pointer on. If the text is to share its translation unit, each function f
 * becomes OP2_NAME(<prefix>f). If constants have an address space of their own, tables at file
 * scope go there, and tables within functions are no longer static, which makes no difference for
 * constants. Where functions are built in that could be taken for the source's own, every function f
 * becomes OP2_NAME(<prefix>f): in text that is not to share its unit by macros, which
 * op2i_rewrite_define() writes, since other macros may use and make such names. Nothing else changes,
 * and no token moves to another line. */
struct op2i_rewrite {
  struct op2i_member member;
  const struct op2i_loop_const *consts; /* [member.nconsts] */
  int same_as;     /* the first member of the loop with this kernel; only its text is needed */
  char prefix[16]; /* prefix of the names of its functions: "", in fused loops "k<same_as>_" */
  struct op2i_unit unit;
  struct op2i_text source; /* in place of the kernel's own source, if it is not empty */
  bool apart;              /* the structure holds a pointer to each constant */
  bool *needs;             /* [unit.nitems] True if the function at this item uses constants. */
  struct op2i_rewrite_macros macros;
  /* True if source and headers cannot disturb others in their translation unit: there are functions
   * only, no preprocessor lines, and no headers but those that all loops see. Otherwise functions
   * keep their names, which macros may use. */
  bool mergeable;
  const char *tables; /* qualifier for constants at file scope, with a blank after it; null: none */
  const char *variables; /* the same for variables there */
  bool longs;            /* `long long` becomes `long`: see longs.h */
  bool renames;          /* every function gets another name */
  bool operators;        /* words that are operators in C++ (and, xor, ...) get other names */
};

op2_status op2i_rewrite_begin(const struct op2i_loop *loop, int member,
                              struct op2i_rewrite *rewrite);
/* The same with another source of the kernel, which then belongs to the rewrite whatever is returned. */
op2_status op2i_rewrite_replace(const struct op2i_loop *loop, int member, struct op2i_text *source,
                                struct op2i_rewrite *rewrite);
/* The same of a kernel's source with its headers in it, for translations; *whole is ended like any
 * other. Sets *why to a reason where the text means something else than in scalar code. */
op2_status op2i_rewrite_whole(const struct op2i_rewrite *rewrite, struct op2i_rewrite *whole,
                              const char **why);
void op2i_rewrite_end(struct op2i_rewrite *rewrite);

void op2i_rewrite_emit(const struct op2i_rewrite *rewrite, struct op2i_text *out);
/* The macros that must be defined in front of the source and its headers, and their end behind it;
 * nothing where functions are renamed in the text or keep their names. */
void op2i_rewrite_define(const struct op2i_rewrite *rewrite, struct op2i_text *out);
void op2i_rewrite_undefine(const struct op2i_rewrite *rewrite, struct op2i_text *out);
/* The name by which generated text calls the kernel's own function. */
void op2i_rewrite_kernel_name(const struct op2i_rewrite *rewrite, struct op2i_text *out);
/* True if the kernel's own function takes the constants. */
bool op2i_rewrite_kernel_needs(const struct op2i_rewrite *rewrite);
/* Resolve token t: to the constant that it refers to, or null; to the item of the function of this
 * source that it refers to, or -1. A call may stand before the definition. */
const struct op2i_loop_const *op2i_rewrite_constant(const struct op2i_rewrite *rewrite, int64_t t);
int op2i_rewrite_function(const struct op2i_rewrite *rewrite, int64_t t);
/* True if the function at an item takes no parameters. */
bool op2i_rewrite_no_parameters(const struct op2i_rewrite *rewrite, const struct op2i_item *item);

/* rewrite_macro.c: read the macros. Fails with OP2_ERR_NOMEM, and sets no message. */
op2_status op2i_rewrite_macros(struct op2i_rewrite *rewrite);
void op2i_rewrite_free_macros(struct op2i_rewrite *rewrite);
/* Mark more macros as needing constants, as functions have been found to. Returns true if one is. */
bool op2i_rewrite_mark(const struct op2i_rewrite *rewrite);
/* True if token t is the name of a macro that needs constants. */
bool op2i_rewrite_carries(const struct op2i_rewrite *rewrite, int64_t t);
/* True if the source has a macro of this name at token t. */
bool op2i_rewrite_redefined(const struct op2i_rewrite *rewrite, const char *word, size_t length,
                            int64_t t);
/* Decide which functions get local variables; true for item i if it has one of this constant. */
void op2i_rewrite_find_locals(struct op2i_rewrite *rewrite);
bool op2i_rewrite_local(const struct op2i_rewrite *rewrite, int i, const struct op2i_loop_const *c);
/* Append the local variables of item i, unless out is null. Returns true if it has any. */
bool op2i_rewrite_declare(const struct op2i_rewrite *rewrite, int i, struct op2i_text *out);
/* Append the expression for a constant's value. */
void op2i_rewrite_read(const struct op2i_rewrite *rewrite, const struct op2i_loop_const *c,
                       struct op2i_text *out);
/* True if macros have to call the function of this name by its other name. */
bool op2i_rewrite_called(const struct op2i_rewrite *rewrite, const char *word, size_t length);
/* Append the end of macros that have the names of constants, for text behind the source. */
void op2i_rewrite_undefine_consts(const struct op2i_rewrite *rewrite, struct op2i_text *out);
/* Append the macros by which macros call functions that take the constants. */
void op2i_rewrite_define_calls(const struct op2i_rewrite *rewrite, struct op2i_text *out);

#endif
