/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_LOOP_CASE_H
#define OP2_TEST_LOOP_CASE_H

#include "loop.h"

/* A loop made by hand, without a context, for tests that need only its structure. */

enum { CASE_ARGS = 16, CASE_OBJECTS = 8, CASE_CONSTS = 16 };

struct loop_case {
  struct op2_kernel_s kernel;
  struct op2_set_s set, subset;
  struct op2_dat_s dat[CASE_OBJECTS];
  struct op2_map_s map[CASE_OBJECTS];
  struct op2_gbl_s gbl[CASE_OBJECTS];
  op2_dat dats[CASE_OBJECTS];
  op2_map maps[CASE_OBJECTS];
  op2_gbl gbls[CASE_OBJECTS];
  struct op2i_loop_arg args[CASE_ARGS];
  struct op2i_loop_const consts[CASE_CONSTS];
  struct op2i_loop loop;
};

/* The strings must outlive the case. Maps are declared before arguments name them. */
op2_status case_begin(struct loop_case *c, const char *name, const char *source);
void case_end(struct loop_case *c);
void case_over_subset(struct loop_case *c);
void case_map(struct loop_case *c, int map, int arity);
/* Each function returns the number of the argument. `slot` is as for op2_arg_dat(); map -1 means a
 * direct argument. */
int case_dat(struct loop_case *c, int dat, int dim, op2_type type, int slot, int map,
             op2_access access);
int case_gbl(struct loop_case *c, int gbl, int dim, op2_type type, op2_access access);
int case_info(struct loop_case *c, int gbl, int dim, op2_type type, int beside);
int case_val(struct loop_case *c, int dim, op2_type type);
int case_idx(struct loop_case *c);
int case_map_idx(struct loop_case *c, int map, int slot); /* for a kernel with an int32_t
                                                           * parameter */
/* Add a constant, after the last argument. Returns its offset in the payload. */
int case_const(struct loop_case *c, const char *name, int dim, op2_type type);

#endif
