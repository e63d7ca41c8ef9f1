/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of one dat with n dats: one loop for each block of 8, 4, 2 or 1 of them, so that a few
 * kernels serve every n. If products need several blocks, each block is reduced into a global of
 * its own, and the host combines these. Vector code keeps all values of a global that it reduces
 * into in registers, so for a global of n values it would be slow, and not possible for large n. */
#include <stdio.h>
#include <string.h>

#include "algebra.h"
#include "call.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "gbl.h"
#include "mem.h"
#include "mesh.h"
#include "op2/loop.h"

enum { BLOCK = 8, MOST_ARGS = BLOCK + 5 };

/* One loop, for dats first to first + count - 1. */
struct block {
  int32_t first;
  int count;
};

static struct block next_block(struct block block, int n) {
  block.first += block.count;
  block.count = BLOCK;
  while (block.count > n - block.first) block.count /= 2;
  return block;
}

static int count_blocks(int n) {
  int blocks = 0;
  for (struct block b = next_block((struct block){0}, n); b.count; b = next_block(b, n)) blocks++;
  return blocks;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *index_of(const struct op2i_vector_key *key) {
  return key->shifted ? "first + " : "";
}

static void add_params(const struct op2i_vector_key *key, struct op2i_text *text) {
  const char *type = op2i_type_c(key->type), *wide = op2i_type_c(op2i_factor_type(key->type));
  const bool dot = key->op == OP2I_MDOT;
  op2i_text_add(text, "%s%s *v", dot ? "const " : "", type);
  for (int k = 0; k < key->count; k++) op2i_text_add(text, ", const %s *u%d", type, k);
  if (!dot) op2i_text_add(text, ", %s factor", wide);
  if (key->numerator[0])
    op2i_text_add(text, ", const %s *numerator", key->numerator[0] == OP2I_OWN_TYPE ? type : wide);
  if (key->denominator[0])
    op2i_text_add(text, ", const %s *denominator",
                  key->denominator[0] == OP2I_OWN_TYPE ? type : wide);
  if (dot) op2i_text_add(text, ", double *s");
  if (key->shifted) op2i_text_add(text, ", int first");
}

/* The factor of dat k, computed as for an operation with one dat. */
static void add_factor(const struct op2i_vector_key *key, int k, struct op2i_text *text) {
  const char *type = op2i_type_c(key->type), *wide = op2i_type_c(op2i_factor_type(key->type));
  char numerator[80] = "1";
  if (key->numerator[0])
    snprintf(numerator, sizeof numerator, "(%s)numerator[%s%d]", wide, index_of(key), k);
  op2i_text_add(text, "  const %s a%d = (%s)(factor", type, k, type);
  if (key->denominator[0])
    op2i_text_add(text, " * (denominator[0] != 0 ? %s / (%s)denominator[0] : 0 * %s)", numerator,
                  wide, numerator);
  else if (key->numerator[0])
    op2i_text_add(text, " * %s", numerator);
  op2i_text_add(text, ");\n");
}

/* Values are added in the same order as by n operations with one dat each. */
static void add_sum(const struct op2i_vector_key *key, struct op2i_text *text) {
  for (int k = 0; k < key->count; k++) add_factor(key, k, text);
  op2i_text_add(text, "  for (int i = 0; i < %d; i++) v[i] = ", (int)key->dim);
  for (int k = key->count - 1; k >= 0; k--)
    op2i_text_add(text, "a%d * u%d[i] + %s", k, k, k ? "(" : "v[i]");
  for (int k = 1; k < key->count; k++) op2i_text_add(text, ")");
  op2i_text_add(text, ";\n}\n");
}

void op2i_many_text(const struct op2i_vector_key *key, struct op2i_text *text) {
  op2i_text_add(text, "void %s(", op2i_vector_forms[key->op].name);
  add_params(key, text);
  op2i_text_add(text, ") {\n");
  if (key->op == OP2I_MAXPY) {
    add_sum(key, text);
    return;
  }
  op2i_text_add(text, "  for (int i = 0; i < %d; i++) {\n", (int)key->dim);
  for (int k = 0; k < key->count; k++)
    op2i_text_add(text, "    s[%d] += (double)v[i] * (double)u%d[i];\n", k, k);
  op2i_text_add(text, "  }\n}\n");
}

/* ---- queueing -------------------------------------------------------------------------------- */

struct many {
  struct op2i_vector_call call; /* the call, with its first vector */
  const op2_dat *dats;          /* [call.n] the second vectors */
  struct op2i_shape shape;
};

static int make_args(const struct many *many, const struct op2i_vector_key *key,
                     const struct block *block, op2_gbl into, int64_t *room,
                     op2_arg args[MOST_ARGS]) {
  const struct op2i_vector_call *call = &many->call;
  const op2_scalar *scalar = &call->scalars[0];
  const bool dot = call->op == OP2I_MDOT;
  const op2_type wide = op2i_factor_type(key->type);
  int n = 0;
  args[n++] = op2_arg_direct(call->vectors[0], dot ? OP2_READ : OP2_RW);
  for (int k = 0; k < block->count; k++)
    args[n++] = op2_arg_direct(many->dats[block->first + k], OP2_READ);
  if (dot) {
    args[n++] = op2_arg_gbl(into, OP2_INC);
  } else {
    op2i_factor(scalar->factor, wide, room);
    args[n++] = op2_arg_val(room, 1, wide);
    if (scalar->numerator) args[n++] = op2_arg_gbl(scalar->numerator, OP2_READ);
    if (scalar->denominator) args[n++] = op2_arg_gbl(scalar->denominator, OP2_READ);
  }
  if (key->shifted) args[n++] = op2_arg_val(&block->first, 1, OP2_I32);
  return n;
}

/* Queue the loop of a block. Products are reduced into `into`. */
static op2_status queue_block(const struct many *many, const struct block *block, op2_gbl into) {
  const struct op2i_vector_call *call = &many->call;
  struct op2i_vector_key key = {.dim = many->shape.dim,
                                .op = (uint8_t)call->op,
                                .type = (uint8_t)many->shape.type,
                                .count = (uint8_t)block->count};
  op2_arg args[MOST_ARGS];
  int64_t room;
  op2_kernel kernel = NULL;
  key.numerator[0] = op2i_gbl_form_of(call->scalars[0].numerator, &key);
  key.denominator[0] = op2i_gbl_form_of(call->scalars[0].denominator, &key);
  key.shifted = key.numerator[0] && call->n > block->count;
  op2_status status = op2i_vector_kernel(many->shape.ctx, &key, &kernel);
  if (status) return status;
  const int nargs = make_args(many, &key, block, into, &room, args);
  return op2_par_loop_at(call->where, kernel, many->shape.set, nargs, args);
}

/* Queue one loop for each block. If memory is short, the blocks queued so far are removed, as long
 * as none has run. */
static op2_status queue_blocks(const struct many *many,
                               op2_status (*one)(const struct many *many,
                                                 const struct block *block),
                               op2_status (*end)(const struct many *many)) {
  struct op2i_sched *sched = many->shape.ctx->sched;
  const int64_t from = op2i_scheduler.next(sched);
  op2_status status = OP2_SUCCESS;
  for (struct block b = next_block((struct block){0}, many->call.n); b.count && !status;
       b = next_block(b, many->call.n))
    status = one(many, &b);
  if (!status && end) status = end(many);
  if (status == OP2_ERR_STATE || status == OP2_ERR_NOMEM) op2i_scheduler.undo_from(sched, from);
  return status;
}

static op2_status queue_sum(const struct many *many, const struct block *block) {
  return queue_block(many, block, NULL);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Queue a product of one block. As in other reductions, the result is a new version that begins at
 * 0. */
static op2_status queue_one(const struct many *many, const struct block *block) {
  static const double start[BLOCK];
  op2_gbl result = many->call.result;
  if (many->call.adds) return queue_block(many, block, result);
  struct op2i_version *was = op2i_version_ref(op2i_gbl_now(result));
  op2_status status = op2_gbl_set(result, start);
  if (!status) status = queue_block(many, block, result);
  const bool begun = op2i_gbl_now(result) != was; /* else nothing of it is queued */
  if (begun && (status == OP2_ERR_STATE || status == OP2_ERR_NOMEM) && !op2i_gbl_poisoned(result)) {
    op2i_scheduler.undo(many->shape.ctx->sched, op2i_gbl_now(result));
    op2i_gbl_replace(result, op2i_version_ref(was));
  }
  op2i_version_unref(was);
  return status;
}

/* The global of a block, with as many values. The queue in use keeps these globals: one for each of
 * the last blocks, of 4, 2 and 1 dats, and one for each block of 8. */
static op2_gbl *global_of_block(const struct many *many, const struct block *block) {
  enum { LAST = 3 };
  struct op2i_records *records = many->shape.ctx->records;
  const int last = block->count == 4 ? 0 : block->count == 2 ? 1 : 2;
  const int at = block->count == BLOCK ? LAST + block->first / BLOCK : last;
  if (at >= records->ndot_parts) {
    const int n = at + 1 > LAST ? at + 1 : LAST;
    op2_gbl *gbls = op2i_realloc(records->dot_parts, (size_t)n * sizeof *gbls);
    if (!gbls) return NULL;
    memset(gbls + records->ndot_parts, 0, (size_t)(n - records->ndot_parts) * sizeof *gbls);
    records->dot_parts = gbls;
    records->ndot_parts = n;
  }
  return &records->dot_parts[at];
}

static op2_status queue_part(const struct many *many, const struct block *block) {
  static const double start[BLOCK];
  op2_context ctx = many->shape.ctx;
  op2_gbl *part = global_of_block(many, block);
  if (!part) return op2i_context_abort_ranks(ctx, op2i_error_nomem("an operation with dats"));
  op2_status status = OP2_SUCCESS;
  if (!*part)
    status = op2_gbl_create(ctx, block->count, OP2_F64, NULL, "some scalar products", part);
  if (status) return status;
  op2i_object_own(*part);
  op2i_gbl_admit(*part);
  status = op2_gbl_set(*part, start);
  return status ? status : queue_block(many, block, *part);
}

enum { RESULT = 1, PARTS };

static int gather(void *data, void *const *values) {
  double *result = values[RESULT];
  int at = PARTS;
  int32_t n;
  (void)data;
  memcpy(&n, values[0], sizeof n);
  for (struct block b = next_block((struct block){0}, n); b.count; b = next_block(b, n))
    memcpy(result + b.first, values[at++], (size_t)b.count * sizeof *result);
  return 0;
}

static op2_status queue_gather(const struct many *many) {
  const struct op2i_vector_call *call = &many->call;
  const int32_t n = call->n;
  int nargs = PARTS;
  op2_arg *args = op2i_calloc((size_t)(PARTS + count_blocks(n)), sizeof *args);
  if (!args)
    return op2i_context_abort_ranks(many->shape.ctx, op2i_error_nomem("an operation with dats"));
  args[0] = op2_arg_val(&n, 1, OP2_I32);
  args[RESULT] = op2_arg_gbl(call->result, OP2_WRITE);
  for (struct block b = next_block((struct block){0}, n); b.count; b = next_block(b, n))
    args[nargs++] = op2_arg_gbl(*global_of_block(many, &b), OP2_READ);
  op2_status status =
      op2i_call_own(call->where, "products", many->shape.ctx, gather, NULL, nargs, args);
  op2i_free(args);
  return status;
}

static op2_status queue_dots(const struct many *many) {
  const struct block first = next_block((struct block){0}, many->call.n);
  if (first.count == many->call.n) return queue_one(many, &first);
  return queue_blocks(many, queue_part, queue_gather);
}

/* ---- checks of arguments --------------------------------------------------------------------- */

static op2_status check_dats(struct many *many) {
  struct op2i_vector_call *call = &many->call;
  const char *name = op2i_vector_forms[call->op].call;
  if (!call->where.file) call->where.file = "?";
  if (call->n < 1 || !many->dats)
    return op2i_error(OP2_ERR_ARG, "%s:%d: op2_dat_%s: %s", call->where.file, call->where.line,
                      name, many->dats ? "n is not positive" : "the list of dats is null");
  for (call->at = 0; call->at < call->n; call->at++) {
    call->vectors[1] = many->dats[call->at];
    op2_status status = call->at ? op2i_vector_check_second(call, &many->shape)
                                 : op2i_vector_check(call, &many->shape);
    if (status) return status;
    if (call->op == OP2I_MAXPY && call->vectors[1] == call->vectors[0])
      return op2i_error(OP2_ERR_ARG,
                        "%s:%d: op2_dat_%s, x[%d]: dat '%s' is y as well, which the sum changes; "
                        "add a copy of it",
                        call->where.file, call->where.line, name, call->at,
                        many->dats[call->at]->obj.name);
  }
  return OP2_SUCCESS;
}

/* Kernels and globals that are made here are attributed to this call in messages. */
static op2_status queue(struct many *many) {
  const struct op2i_vector_call *call = &many->call;
  op2_status status = check_dats(many);
  if (status) return status;
  const struct op2i_behalf before = op2i_context_behalf(
      many->shape.ctx, "algebra of dats", op2i_vector_forms[call->op].name, call->where);
  status = call->result ? queue_dots(many) : queue_blocks(many, queue_sum, NULL);
  op2i_context_behalf_end(many->shape.ctx, before);
  return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

op2_status op2_dat_mdot_at(op2_where where, op2_dat x, int n, const op2_dat *y, op2_gbl result) {
  OP2I_FP_DEFAULT;
  struct many many = {.call = {.where = where,
                               .op = OP2I_MDOT,
                               .kind = OP2I_DAT,
                               .vectors = {x},
                               .result = result,
                               .n = n},
                      .dats = y};
  return queue(&many);
}

op2_status op2i_dat_mdot_add(op2_where where, op2_dat x, int n, const op2_dat *y, op2_gbl result) {
  struct many many = {.call = {.where = where,
                               .op = OP2I_MDOT,
                               .kind = OP2I_DAT,
                               .vectors = {x},
                               .result = result,
                               .n = n,
                               .adds = true},
                      .dats = y};
  return queue(&many);
}

op2_status op2_dat_maxpy_at(op2_where where, op2_dat y, op2_scalar a, int n, const op2_dat *x) {
  OP2I_FP_DEFAULT;
  struct many many = {.call = {.where = where,
                               .op = OP2I_MAXPY,
                               .kind = OP2I_DAT,
                               .vectors = {y},
                               .scalars = {a},
                               .n = n},
                      .dats = x};
  return queue(&many);
}
