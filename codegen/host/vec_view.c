/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a loop can be vectorised, and which views its arguments have. */
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "simd.h"
#include "vec.h"
#include "vec_view.h"

/* The size of the largest type of a loop's values, among real types alone or among all. */
static int largest_type(const struct op2i_loop *loop, bool real) {
  int largest = 0;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    int size = (int)op2i_type_size(arg->type);
    bool held = arg->dat >= 0 || arg->gbl >= 0 || arg->kind == OP2I_ARG_WORK;
    if (held && (!real || op2i_type_real(arg->type)) && size > largest) largest = size;
  }
  return largest;
}

/* Where all values are integers, C computes with 4 bytes of those that are shorter. A loop without
 * values, which may have a kernel that computes something all the same, has lanes for doubles. */
int op2i_vec_lanes(const struct op2i_loop *loop, int simd_bytes) {
  int largest = largest_type(loop, true);
  if (!largest) largest = largest_type(loop, false);
  if (!largest) largest = (int)sizeof(double);
  if (largest < (int)sizeof(int32_t)) largest = (int)sizeof(int32_t);
  int lanes = simd_bytes / largest;
  int most = loop->traits.per_nonzero ? OP2I_SLICE : OP2I_VEC_LANES_MAX;
  return lanes > most ? most : lanes;
}

/* ---- arguments with the same dat ------------------------------------------------------------- */

struct use {
  bool modified, mapped, in_place; /* in_place: WRITE or RW */
  bool apart, buffered;            /* apart: elements do not meet, or write the same;
                                    * buffered: an argument is a private buffer over all slots */
  int nargs, modes;                /* modes: bit per access */
};

static struct use use_of(const struct op2i_loop *loop, int dat) {
  struct use use = {0};
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat != dat) continue;
    use.nargs++;
    use.apart = use.apart || arg->injective || arg->same_values;
    use.buffered = use.buffered || arg->kind == OP2I_ARG_ITER;
    use.mapped = use.mapped || arg->map >= 0;
    use.modified = use.modified || op2i_modifies(arg->access);
    use.in_place = use.in_place || op2i_keeps_order(arg->access);
    use.modes |= 1 << arg->access;
  }
  return use;
}

static bool accumulated(const struct use *use) {
  return use->modified && use->mapped && !use->in_place && !(use->modes & (use->modes - 1));
}

/* Batches must begin where blocks do, and lie in one slice. */
static void check_rows(const struct op2i_emitter *e, struct op2i_text *why) {
  const struct op2i_loop *loop = e->loop;
  for (int a = 0; a < loop->nargs && !why->length; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->kind != OP2I_ARG_ROW_ENTRIES) continue;
    const int block_size = loop->op.ctx->config.block_size;
    if (loop->maps[arg->first]->rows_per_slice != OP2I_SLICE)
      op2i_text_add(why, "it goes through the rows of a matrix, which are not in slices");
    else if (e->listed)
      op2i_text_add(why, "it goes through some rows of a matrix");
    else if (block_size % OP2I_SLICE)
      op2i_text_add(why,
                    "it goes through the rows of a matrix, whose slices blocks of %d elements cut",
                    block_size);
  }
}

/* Lanes do not see each other's modifications, so no two elements may share values of a dat that is
 * modified in place. Values in a private buffer are not visible to other arguments of the dat. */
static void check_dats(const struct op2i_loop *loop, struct op2i_text *why) {
  for (int d = 0; d < loop->op.ndats; d++) {
    struct use use = use_of(loop, d);
    if (!use.modified || !use.mapped || accumulated(&use)) continue;
    if (use.apart && !(use.buffered && use.nargs > 1)) continue;
    const char *name = loop->op.dats[d]->obj.name;
    op2i_text_add(why, "dat '%s' is reached through a map and modified, other than by increments%s",
                  name ? name : "", use.apart ? ", and once in a private buffer" : "");
    return;
  }
  if (loop->traits.ordered) op2i_text_add(why, "elements that share data must run in order");
}

/* The values of a view are in the order of memory; only a private copy can be in the order of
 * blocks. */
static void check_blocks(const struct op2i_loop *loop, struct op2i_text *why) {
  for (int a = 0; a < loop->nargs && !why->length; a++)
    if (!op2i_arg_in_order(&loop->args[a]) && !op2i_sums(loop->args[a].access))
      op2i_text_add(why, "matrix '%s' is written in blocks",
                    loop->op.dats[loop->args[a].dat]->obj.name);
}

/* Views have whole rows, slot by slot. */
static void check_parts(const struct op2i_loop *loop, struct op2i_text *why) {
  for (int a = 0; a < loop->nargs && !why->length; a++)
    if (op2i_arg_packs_part(&loop->args[a]))
      op2i_text_add(why, "a component of dat '%s' is packed",
                    loop->op.dats[loop->args[a].dat]->obj.name);
}

static void check_pointers(const struct op2i_loop *loop, struct op2i_text *why) {
  for (int a = 0; a < loop->nargs && !why->length; a++)
    if (loop->args[a].kind == OP2I_ARG_OPAQUE)
      op2i_text_add(why, "argument %d is a pointer of the program", a);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* An absent argument is taken for one from a dat, which may be modified. */
static bool varies(const struct op2i_loop_arg *arg) {
  return arg->dat >= 0 || arg->kind == OP2I_ARG_IDX || arg->kind == OP2I_ARG_ABSENT ||
         arg->kind == OP2I_ARG_WORK || op2i_arg_reduces(arg);
}

/* True if the parameters of a kernel vary between lanes alike in both members. */
static bool vary_alike(const struct op2i_loop *loop, const struct op2i_member *x,
                       const struct op2i_member *y) {
  for (int i = 0; i < x->nargs; i++)
    if (varies(&loop->args[x->first_arg + i]) != varies(&loop->args[y->first_arg + i]))
      return false;
  return true;
}

static void check_kernels(const struct op2i_emitter *e, struct op2i_text *why) {
  for (int m = 0; m < e->nmembers && !why->length; m++) {
    const struct op2i_rewrite *r = &e->rewrites[m];
    const char *name = r->member.kernel->obj.name;
    if (r->member.kernel->function)
      op2i_text_add(why, "kernel '%s' is called by address", name);
    else if (!vary_alike(e->loop, &e->rewrites[r->same_as].member, &r->member))
      op2i_text_add(
          why, "kernel '%s' has the same argument once from a dat and once from elsewhere", name);
  }
}

/* Translate the kernel of member m, unless an earlier member has it. */
static op2_status translate(struct op2i_vec *v, int m) {
  const struct op2i_rewrite *r = &v->e->rewrites[m];
  if (r->same_as != m) return OP2_SUCCESS;
  bool *varying = op2i_calloc((size_t)r->member.nargs, sizeof *varying);
  if (!varying) return op2i_error_nomem("generated code");
  for (int i = 0; i < r->member.nargs; i++) varying[i] = v->args[r->member.first_arg + i].varies;
  const struct op2i_simd_request request = {.rewrite = r,
                                            .varying = varying,
                                            .lanes = v->lanes,
                                            .widest = v->widest,
                                            .own_math = op2i_emit_own_math(v->e)};
  op2_status status = op2i_simd_translated(&request, &v->kernels[m]);
  op2i_free(varying);
  if (status) return status;
  v->divides |= v->kernels[m]->divides;
  if (v->kernels[m]->why.length)
    op2i_text_add(v->why, "kernel '%s' %s", r->member.kernel->obj.name, v->kernels[m]->why.chars);
  return OP2_SUCCESS;
}

/* ---- views ----------------------------------------------------------------------------------- */

static bool wide(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_ALL || arg->kind == OP2I_ARG_ITER;
}

/* True if some argument uses all slots of this dat and map. */
static bool met_wholly(const struct op2i_loop *loop, int dat, int map) {
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat == dat && loop->args[a].map == map && wide(&loop->args[a])) return true;
  return false;
}

static int find_view(struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = &v->e->loop->args[a];
  struct op2i_vec_view want = {.dat = arg->dat, .map = arg->map, .nslots = 1};
  if (arg->map >= 0 && met_wholly(v->e->loop, arg->dat, arg->map))
    want.nslots = (int)v->e->loop->maps[arg->map]->arity;
  else if (arg->map >= 0)
    want.slot = arg->slot;
  int n = 0;
  while (n < v->nviews && (v->views[n].dat != want.dat || v->views[n].map != want.map ||
                           v->views[n].slot != want.slot))
    n++;
  want.begin = op2i_loop_member_of(v->e->loop, a);
  if (n == v->nviews) v->views[v->nviews++] = want;
  v->views[n].end = want.begin;
  return n;
}

/* True if an argument of an earlier member overwrites the view of this one. */
static bool overwritten(const struct op2i_vec *v, int a) {
  const struct op2i_loop *loop = v->e->loop;
  for (int b = 0; b < a; b++)
    if (v->args[b].view == v->args[a].view && op2i_overwrites(loop->args[b].access) &&
        op2i_loop_member_of(loop, b) < op2i_loop_member_of(loop, a))
      return true;
  return false;
}

static void place_arg(struct op2i_vec *v, int a) {
  const struct op2i_loop *loop = v->e->loop;
  const struct op2i_loop_arg *arg = &loop->args[a];
  struct op2i_vec_arg *at = &v->args[a];
  *at = (struct op2i_vec_arg){.view = -1, .varies = varies(arg)};
  if (arg->kind == OP2I_ARG_IDX && arg->map < 0) v->numbered = true;
  if (arg->kind == OP2I_ARG_ROW_ENTRIES) v->numbered = true;
  if (op2i_arg_located(arg)) v->numbered = true;
  if (arg->kind == OP2I_ARG_GBL) at->own = op2i_sums(arg->access) || op2i_arg_bounds(arg);
  if (arg->kind == OP2I_ARG_WORK) at->own = true;
  if (arg->dat < 0) return;
  struct use use = use_of(loop, arg->dat);
  at->own = op2i_accumulates(arg->access);
  at->accumulates = accumulated(&use);
  if (at->accumulates) {
    v->numbered = v->numbered || arg->map < 0;
    v->pointed = v->pointed || arg->map < 0;
    return;
  }
  at->view = find_view(v, a);
  struct op2i_vec_view *view = &v->views[at->view];
  if (!wide(arg) && view->nslots > 1) at->first = (int)(arg->slot * arg->dim);
  view->loaded = view->loaded || (!op2i_overwrites(arg->access) && !overwritten(v, a));
  view->stored = view->stored || (op2i_modifies(arg->access) &&
                                  !(loop->fused.dropped && loop->fused.dropped[arg->dat]));
}

/* The number of registers that the values of a batch fill. */
static int64_t state_of(const struct op2i_vec *v, int simd_bytes) {
  const struct op2i_loop *loop = v->e->loop;
  int64_t bytes = 0;
  for (int n = 0; n < v->nviews; n++) {
    const struct op2i_loop_arg *arg = op2i_vec_row(v, v->views[n].dat);
    bytes += (int64_t)v->views[n].nslots * arg->dim * (int64_t)op2i_type_size(arg->type);
  }
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    int64_t copies = v->args[a].own + (arg->kind == OP2I_ARG_GBL && v->args[a].varies) +
                     (arg->kind == OP2I_ARG_IDX && arg->map >= 0);
    bytes += copies * arg->arity * arg->dim * (int64_t)op2i_type_size(arg->type);
  }
  return bytes * v->lanes / simd_bytes;
}

static op2_status allocate(struct op2i_vec *v) {
  size_t nargs = (size_t)v->e->loop->nargs;
  v->views = op2i_calloc(nargs, sizeof *v->views);
  v->args = op2i_calloc(nargs, sizeof *v->args);
  v->kernels = op2i_calloc((size_t)v->e->nmembers, sizeof(struct op2i_simd_translation *));
  return v->views && v->args && v->kernels ? OP2_SUCCESS : op2i_error_nomem("generated code");
}

static void place_args(struct op2i_vec *v, int lane_bytes) {
  for (int a = 0; a < v->e->loop->nargs; a++) place_arg(v, a);
  int64_t state = state_of(v, lane_bytes);
  v->state = state > OP2I_VEC_STATE_MAX ? OP2I_VEC_STATE_MAX + 1 : (int)state;
}

static void check_state(const struct op2i_vec *v, int64_t state) {
  bool pays = v->divides || v->e->loop->nmaps;
  if (state > (pays ? OP2I_VEC_STATE_MAX : OP2I_VEC_HELD_MAX))
    op2i_text_add(v->why, "an element's values would fill %lld vector registers", (long long)state);
}

op2_status op2i_vec_begin(struct op2i_vec *v, const struct op2i_emitter *e, int lane_bytes,
                          int widest, struct op2i_text *why) {
  *v = (struct op2i_vec){.e = e, .out = e->out, .why = why, .widest = widest};
  v->lanes = op2i_vec_lanes(e->loop, lane_bytes);
  if (lane_bytes <= 0)
    op2i_text_add(why, "vectors are switched off");
  else if (v->lanes < 2)
    op2i_text_add(why, "vectors of %d bytes hold a single value", lane_bytes);
  if (!why->length) check_kernels(e, why);
  if (!why->length) check_rows(e, why);
  if (!why->length) check_blocks(e->loop, why);
  if (!why->length) check_parts(e->loop, why);
  if (!why->length) check_dats(e->loop, why);
  if (!why->length) check_pointers(e->loop, why);
  op2_status status = allocate(v);
  if (!status && !why->length) place_args(v, lane_bytes);
  for (int m = 0; m < e->nmembers && !status && !why->length; m++) status = translate(v, m);
  if (!status && !why->length) check_state(v, state_of(v, lane_bytes));
  if (!status && why->failed) status = op2i_error_nomem("generated code");
  return status;
}

void op2i_vec_end(struct op2i_vec *v) {
  op2i_free(v->views);
  op2i_free(v->args);
  op2i_free(v->kernels);
  v->views = NULL;
  v->args = NULL;
  v->kernels = NULL;
}
