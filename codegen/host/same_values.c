/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out whether all elements of a loop write the same values to a dat. */
#include "cgen.h"
#include "emit.h"
#include "error.h"
#include "mem.h"
#include "simd_same.h"

/* True if a kernel that overwrites whole rows of the dat gets the rows themselves, or a packed
 * copy of them. */
static bool overwrites_rows(const struct op2i_loop_arg *arg) {
  bool packed =
      arg->kind == OP2I_ARG_SLOT || arg->kind == OP2I_ARG_ALL || arg->kind == OP2I_ARG_ITER;
  return packed && op2i_overwrites(arg->access) && !arg->part && !arg->columns && !arg->row_sum;
}

/* True if the loop's arguments allow all that the kernel's text has to show. What a pointer of the
 * program leads to may change while the loop runs. */
static bool may_hold(const struct op2i_loop *loop, int dat) {
  bool may = !loop->kernel->function && !loop->traits.per_nonzero && !loop->fused.members;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    may = may && arg->kind != OP2I_ARG_OPAQUE && (arg->dat != dat || overwrites_rows(arg));
  }
  return may;
}

static bool is_uniform(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_VAL || (arg->kind == OP2I_ARG_GBL && !op2i_modifies(arg->access));
}

static op2_status prove(const struct op2i_emitter *e, int dat, bool *holds) {
  const struct op2i_loop *loop = e->loop;
  size_t nargs = (size_t)loop->nargs;
  int *slots = op2i_calloc(nargs, sizeof *slots);
  bool *pointers = op2i_calloc(nargs, sizeof *pointers),
       *varying = op2i_calloc(nargs, sizeof *varying);
  struct op2i_simd_same same = {.slots = slots, .pointers = pointers};
  op2_status status = slots && pointers && varying ? OP2_SUCCESS : op2i_error_nomem("a loop");
  for (int a = 0; a < loop->nargs && !status; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    varying[a] = !is_uniform(arg);
    if (arg->dat != dat) continue;
    slots[a] = (int)arg->arity;
    pointers[a] = arg->kind == OP2I_ARG_ALL;
    same.dim = (int)arg->dim;
  }
  const struct op2i_simd_request request = {
      .rewrite = &e->rewrites[0], .varying = varying, .lanes = 2};
  if (!status) status = op2i_simd_same_values(&request, &same, holds);
  op2i_free(slots);
  op2i_free(pointers);
  op2i_free(varying);
  return status;
}

op2_status op2i_generate_same_values(const struct op2i_loop *loop, int dat, bool *holds) {
  struct op2i_emitter emitter;
  struct op2i_text none = {0};
  *holds = false;
  if (!may_hold(loop, dat)) return OP2_SUCCESS;
  op2_status status = op2i_emitter_begin(&emitter, loop, &op2i_dialect_c, &none);
  if (!status) status = prove(&emitter, dat, holds);
  op2i_emitter_end(&emitter);
  op2i_text_free(&none);
  return status;
}
