/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPAT_CHOICE_H
#define OP2I_COMPAT_CHOICE_H

#include "compat.h"

/* Kernels of op2.hpp that are given by a lambda or a function, in a program that op2-c++ has compiled:
 * their stored text is taken where it computes the same. op2.hpp declares this once more. */

/* A kernel that has text and an address until its first loop decides. */
struct op2_compat_choice {
  /* Give the kernel that a loop is to use. Collective. */
  op2_status (*choose)(struct op2_compat_choice *choice, op2_set set, int nargs,
                       const op2_arg *args, op2_kernel *kernel);
  void (*destroy)(struct op2_compat_choice *choice);
  op2_kernel address; /* the kernel by address, which the program owns */
};

/* A unit of the program has this for its kernels. */
struct op2_compat_stored {
  const char *text;                            /* from op2-c++ */
  void (*(*copies)(const char *kernel))(void); /* may be null */
  /* Calls a function with pointers to the values of its parameters, or with these pointers. */
  void (*call)(void (*function)(void), void *const *values);
};

/* Make the kernel by address that `desc` describes. *choice is null if there is no text that could
 * be taken instead; the remark of the kernel says why. Collective. */
OP2_COMPAT_API op2_status op2_compat_choice_create(op2_context ctx,
                                                   const struct op2_compat_stored *stored,
                                                   const op2_kernel_desc *desc, op2_kernel *kernel,
                                                   struct op2_compat_choice **choice);

/* choice_args.c: arguments as those of OP2's calls, for a trial. */
struct op2i_compat_list {
  struct op_set_core set;
  int nargs;
  op_arg *args;
  struct op_dat_core *dats; /* [nargs] */
  struct op_map_core *maps; /* [nargs] */
  int32_t **entries;        /* [nargs] of the maps, may be null */
  char **values;            /* [nargs] of globals, may be null */
  const char *why;          /* why there is no trial */
};
/* Returns an error of the library, which ends the loop. A list whose `why` is set is no trial. */
op2_status op2i_compat_list_make(op2_set set, int nargs, const op2_arg *args,
                                 struct op2i_compat_list *list);
void op2i_compat_list_free(struct op2i_compat_list *list);

#endif
