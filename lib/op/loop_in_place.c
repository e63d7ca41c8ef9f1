/* SPDX-License-Identifier: BSD-3-Clause */
/* Which loops add in place in deterministic mode, and what is queued with them. */
#include "loop_in_place.h"

#include <stdio.h>

#include "access.h"
#include "backend.h"
#include "component.h"
#include "context.h"
#include "error.h"
#include "kernel.h"
#include "loop.h"
#include "loop_table.h"
#include "map.h"
#include "mem.h"

/* ---- which loops do -------------------------------------------------------------------------- */

static bool adds_through_map(const op2_arg *arg) {
  return arg->tag == OP2_TAG_DAT_ && arg->map && op2i_sums((op2_access)arg->access);
}

uint64_t op2i_arg_slots(const op2_arg *arg) {
  return op2i_map_slots(arg->map, arg->idx < 0 ? OP2_ALL : arg->idx);
}

static bool uses(const op2_arg *arg, op2_dat dat) {
  return arg->tag == OP2_TAG_DAT_ && op2i_dat_whole(arg->object) == dat;
}

/* True if each of the dat's additions goes through slots of its own of one map. */
static bool added_apart(int nargs, const op2_arg *args, op2_dat dat, op2_map map) {
  uint64_t seen = 0;
  bool apart = !dat->whole && op2i_type_real(dat->type);
  for (int n = 0; n < nargs && apart; n++) {
    if (!uses(&args[n], dat)) continue;
    const uint64_t slots = args[n].map == map ? op2i_arg_slots(&args[n]) : 0;
    apart = args[n].object == dat && adds_through_map(&args[n]) && slots && !(seen & slots);
    seen |= slots;
  }
  return apart;
}

/* True if the kernel may run a second time for the same element: then it finds the same values, and
 * what it writes besides increments is the same. */
static bool runs_again(int nargs, const op2_arg *args, int n, op2_map map) {
  const op2_arg *arg = &args[n];
  const op2_access access = (op2_access)arg->access;
  int others = 0;
  if (!arg->object) return arg->tag != OP2_TAG_OPAQUE_;
  if (arg->tag == OP2_TAG_GBL_) return !op2i_modifies(access) || op2i_bounds(access);
  if (arg->tag != OP2_TAG_DAT_) return arg->tag == OP2_TAG_MAP_IDX_;
  if (adds_through_map(arg)) return added_apart(nargs, args, arg->object, map);
  for (int k = 0; k < nargs; k++) others += k != n && uses(&args[k], op2i_dat_whole(arg->object));
  return !op2i_modifies(access) || (access == OP2_WRITE && !arg->map && !others);
}

/* The map through which a loop could add in place, and its slots; null: it cannot. All ranks find the
 * same, and contexts with several backends do too. */
static op2_map map_of(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args,
                      uint64_t *bits) {
  op2_map map = NULL;
  const op2_context ctx = set->obj.ctx;
  *bits = 0;
  if (set != set->base || ctx->device || ctx->backend->variant == OP2I_CHECKED) return NULL;
  if (kernel->function || kernel->signature.state_line) return NULL;
  for (int n = 0; n < nargs; n++) {
    if (!args[n].object || !adds_through_map(&args[n])) continue;
    if (!map) map = args[n].map;
    if (args[n].map != map) return NULL;
    *bits |= op2i_arg_slots(&args[n]);
  }
  if (!map || map->arity > 64 || op2i_contributions_foreign(map)) return NULL;
  for (int n = 0; n < nargs; n++)
    if (!runs_again(nargs, args, n, map)) return NULL;
  return map;
}

op2_status op2i_in_place_open(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args,
                              struct op2i_in_place *out) {
  uint64_t bits;
  const op2_map map = map_of(kernel, set, nargs, args, &bits);
  struct op2i_contributions *c = NULL;
  op2_status status = map ? op2i_contributions_in_place(map, bits, &c) : OP2_SUCCESS;
  if (status || !c || !c->elements) return status;
  out->args = op2i_calloc((size_t)nargs, sizeof *out->args);
  status = op2i_context_agree(set->obj.ctx,
                              out->args ? OP2_SUCCESS : op2i_error_nomem("a loop's arguments"));
  if (status) return status;
  for (int n = 0; n < nargs; n++) out->args[n] = args[n];
  out->contributions = c;
  return OP2_SUCCESS;
}

/* ---- what is queued with them ---------------------------------------------------------------- */

op2_status op2i_in_place_make(op2_where where, op2_kernel kernel, int nargs,
                              struct op2i_in_place *p) {
  op2_status status =
      op2i_loop_intern(where, kernel, p->contributions->elements, nargs, p->args, &p->again);
  if (status) return status;
  p->values = op2i_calloc(1, (size_t)p->again->op.payload_bytes + 1);
  if (!p->values) return op2i_error_nomem("a loop's values");
  op2i_loop_capture_values(p->again, p->args, p->values);
  return OP2_SUCCESS;
}

static op2_status need_copy(struct op2i_contributed *c) {
  char source[160];
  const char *type = op2i_type_c(c->dat->type);
  if (c->copy) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void keep(const %s *x, %s *y) {\n  for (int i = 0; i < %d; i++) y[i] = x[i];\n}\n",
           type, type, (int)c->dat->dim);
  return op2i_kernel_create_own(c->dat->obj.ctx, "keep", source, &c->copy);
}

op2_status op2i_in_place_need(struct op2i_contributed *c, op2_set targets) {
  op2_status status = op2i_contributed_before(c, targets);
  return status ? status : need_copy(c);
}

op2_status op2i_in_place_copy(op2_where where, const struct op2i_contributed *c, op2_set targets,
                              op2_dat dat, bool back, struct op2i_loop **loop) {
  const op2_arg args[] = {op2_arg_direct(back ? c->before : dat, OP2_READ),
                          op2_arg_direct(back ? dat : c->before, OP2_WRITE)};
  return op2i_loop_intern(where, c->copy, targets, 2, args, loop);
}

void op2i_in_place_close(struct op2i_in_place *p) {
  if (p->again) op2i_loop_unuse(p->again);
  op2i_free(p->values);
  op2i_free(p->args);
  *p = (struct op2i_in_place){0};
}
