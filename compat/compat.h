/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPAT_H
#define OP2I_COMPAT_H

#include <op2.h>

#include "op2_compat.h"
#include "text.h"

/* The state behind the interface of OP2: one context for the process. */

struct op2i_compat_type {
  const char *name; /* as in OP2's calls */
  const char *text; /* in C */
  op2_type type;
  int size;
};
/* types.c: ends the program if there is no such type, or if its size is not that of the pointer's. */
const struct op2i_compat_type *op2i_compat_type(const char *name, int size);
/* The same, null if there is no such type. */
const struct op2i_compat_type *op2i_compat_type_known(const char *name);

/* A variable of the program that kernels see. */
struct op2i_compat_const {
  const char *name;
  const struct op2i_compat_type *type;
  int dim;
  const void *data; /* the variable */
  void *last;       /* the values that the library has */
  op2_const handle;
  op2_const trial; /* the same in the context of trials */
};

struct op2i_compat {
  op2_context ctx;
  op2_context trial; /* where texts are compared with functions, or null */
  int run;           /* how many contexts there have been */
  int maps_base;
  int64_t forced; /* loops whose results were wanted at once */
  op_set *sets;
  op_map *maps;
  op_dat *dats;
  struct op2i_compat_const *consts;
  int64_t nsets, nmaps, ndats, nconsts;
  int64_t sets_max, maps_max, dats_max, consts_max;
  bool parted;   /* op_partition() has moved what was declared so far */
  op_set chosen; /* the set whose owners it chose, from which those of others follow; null: none */
  op_dat viewed; /* the dat whose values the program has a pointer to, or null */
  void *view;
};
extern struct op2i_compat op2i_compat;

/* MPI, from libop2-compat-mpi; null: the process is alone. */
extern const struct op2_compat_ranks *op2i_compat_ranks;
/* ranks.c: one process, or one rank */
bool op2i_compat_alone(void);
int64_t op2i_compat_before(int64_t count); /* what lower ranks give, together; collective */
op2_dat op2i_compat_owners(op_set set);    /* an int for each element; collective */

/* context.c: if a call has failed, end the program with its message. */
void op2i_compat_check(op2_status status, const char *call);
void op2i_compat_end(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void op2i_compat_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The number that maps begin with by a word of the command line, which may have no say in it. */
int op2i_compat_maps_base(const char *word, int base);
void *op2i_compat_memory(size_t bytes); /* zeroed; ends the program where there is none */
/* Append an element to a list. */
void op2i_compat_append(void *list, size_t bytes, int64_t *count, int64_t *capacity,
                        const void *element);

/* data.c: end the use of `dat->data`. */
void op2i_compat_close_view(void);

/* constants.c */
bool op2i_compat_is_constant(const char *name, int length);
void op2i_compat_constants(void); /* give the library the values that the variables have now */
void op2i_compat_trial_constants(void);

/* A kernel as the library runs it. */
enum { OP2I_COMPAT_ADDRESSES = 4 };
struct op2i_compat_kernel {
  op2_kernel handle;
  bool address; /* the function is called: addresses are the last argument */
  bool repeats; /* the owner of the element is the argument before them */
  uint64_t addresses[OP2I_COMPAT_ADDRESSES]; /* they live as long as the kernel */
};

/* kernel.c: the kernel of a call. `marks` are those of op2i_cxx_request. */
const struct op2i_compat_kernel *op2i_compat_kernel(struct op2_compat_site *site, op_set set,
                                                    const char *marks, int nargs,
                                                    const op_arg *args);
/* True if the file of a call may print, on any rank. Collective. */
bool op2i_compat_prints(const struct op2_compat_site *site);
/* address.c: the text of a kernel that calls the function of a site. Its last argument leads to the
 * addresses that op2i_compat_addresses() gives. */
void op2i_compat_address_text(const struct op2_compat_site *site, int nargs, const op_arg *args,
                              struct op2i_text *out);
void op2i_compat_addresses(const struct op2_compat_site *site, bool repeats,
                           uint64_t addresses[OP2I_COMPAT_ADDRESSES]);
/* True if the kernel may print and the loop also runs for copies of elements that other ranks own.
 * Collective. */
bool op2i_compat_repeats(const struct op2_compat_site *site, int nargs, const op_arg *args);
/* source.c: the program's own text of the unit of a call, which is the caller's; null and *why where
 * there is none. */
char *op2i_compat_source(const struct op2_compat_site *site, const char **why);
/* trial.c: run text and function on some elements. Returns null if they agree, else how they
 * differ, or why the text does not run. */
struct op2i_compat_tried {
  op2_context ctx; /* where the text runs, with the constants that it needs */
  const struct op2_compat_site *site;
  void (*copy)(void); /* the function without contraction, or null */
  op_set set;
  int nargs;
  const op_arg *args;
};
const char *op2i_compat_trial(const struct op2i_compat_tried *what, const op2_kernel_desc *desc);
op2_status op2i_compat_trial_context(op2_context *ctx);
/* kernel.c, loop.c, profile.c, ranks.c: at the end of the context */
void op2i_compat_forget_sections(void);
void op2i_compat_forget_owners(void);
void op2i_compat_forget_kernels(void);
void op2i_compat_forget_results(void);
/* loop.c: the value of a variable that a loop reads, which may be a result that waits */
void op2i_compat_value(const op_arg *arg, void *out);
/* loop.c: the modes of arguments */
bool op2i_compat_all_slots(const op_arg *arg);
/* True for scratch memory: each call of the kernel has its own, whatever the program has. */
static inline bool op2i_compat_works(const op_arg *arg) {
  return arg->kind == OP2_COMPAT_GBL && arg->acc == OP_WORK;
}
int op2i_compat_position(const op_arg *args,
                         int i); /* of argument i among those that are not off */
op2_access op2i_compat_access(const struct op2_compat_site *site, int i, const op_arg *arg);

#endif
