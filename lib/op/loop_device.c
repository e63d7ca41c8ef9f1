/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the launches that a loop takes on a device. */
#include "loop_device.h"

#include "codegen.h"
#include "context.h"
#include "device.h"
#include "loop_resolve.h"

/* Limits beyond which the host is as good: the values of one element, and the bytes of a constant
 * or global where these have to be copied. */
enum { VALUES_MAX = 4096, COPY_MAX = 2048 };

bool op2i_device_shared(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  return arg->dat >= 0 && op2i_loop_contended(loop, arg->dat);
}

/* True if every dat in which elements meet only accumulates, through maps. */
static bool accumulates_only(const struct op2i_loop *loop) {
  bool only = !loop->traits.ordered;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (op2i_device_shared(loop, arg)) only &= arg->map >= 0 && op2i_accumulates(arg->access);
  return only;
}

/* ---- passes ---------------------------------------------------------------------------------- */

int op2i_device_column(const struct op2i_device_pass *pass, int map, int slot) {
  for (int c = 0; c < pass->ncolumns; c++)
    if (pass->columns[c].map == map && pass->columns[c].slot == slot) return c;
  return -1;
}

static struct op2i_device_pass *pass_of(struct op2i_device_form *form, op2_set target) {
  for (int p = 0; p < form->npasses; p++)
    if (form->passes[p].target == target) return &form->passes[p];
  if (form->npasses == OP2I_DEVICE_PASSES) return NULL;
  form->passes[form->npasses] = (struct op2i_device_pass){.target = target};
  return &form->passes[form->npasses++];
}

static bool add_columns(const struct op2i_loop *loop, const struct op2i_loop_arg *arg,
                        struct op2i_device_form *form) {
  struct op2i_device_pass *pass = pass_of(form, loop->maps[arg->map]->to);
  int first, end = op2i_device_slots(arg, &first);
  if (!pass) return false;
  for (int slot = first; slot < first + end; slot++) {
    if (op2i_device_column(pass, arg->map, slot) >= 0) continue;
    if (pass->ncolumns == OP2I_DEVICE_COLUMNS) return false;
    pass->columns[pass->ncolumns++] = (struct op2i_device_column){arg->map, slot};
  }
  return true;
}

static const char *list_passes(const struct op2i_loop *loop, struct op2i_device_form *form) {
  bool can = true;
  form->npasses = 0;
  if (!accumulates_only(loop)) return "its elements have to take turns";
  for (int a = 0; a < loop->nargs && can; a++)
    if (op2i_device_shared(loop, &loop->args[a])) can = add_columns(loop, &loop->args[a], form);
  return can ? NULL : "an element increments in too many places";
}

int op2i_device_pass_values(const struct op2i_loop *loop, const struct op2i_device_pass *pass) {
  int values = 0, first;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (op2i_device_shared(loop, arg) && loop->maps[arg->map]->to == pass->target)
      values += op2i_device_slots(arg, &first) * (int)arg->dim;
  return values;
}

/* Minima and maxima are excluded: they start from the old value, which other groups change. */
static const char *list_owners(const struct op2i_loop *loop, struct op2i_device_form *form) {
  const struct op2i_device *device = loop->op.ctx ? loop->op.ctx->device : NULL;
  const char *why = list_passes(loop, form);
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs && !why; arg++)
    if (op2i_device_shared(loop, arg) && !op2i_sums(arg->access))
      why = "it takes minima or maxima through maps";
  for (int p = 0; p < form->npasses && !why; p++)
    if (device && 8 * op2i_device_pass_values(loop, &form->passes[p]) > device->limits.local_bytes)
      why = "what an element has does not fit the device's shared memory";
  return why;
}

/* ---- stages ---------------------------------------------------------------------------------- */

int op2i_device_stage(const struct op2i_device_form *form, int dat, int map) {
  for (int s = 0; s < form->nstages; s++)
    if (form->stages[s].dat == dat && form->stages[s].map == map) return s;
  return -1;
}

int op2i_device_local(const struct op2i_device_form *form, int stage, int slot) {
  for (int l = 0; l < form->nlocals; l++)
    if (form->locals[l].stage == stage && form->locals[l].slot == slot) return l;
  return -1;
}

/* A bank serves two work items in turn if the strides of rows leave half of the banks, which is left
 * so: more memory would make blocks smaller. */
int op2i_device_stride(const struct op2i_loop_arg *arg, bool generic) {
  const int dim = (int)arg->dim;
  return generic && op2i_type_size(arg->type) >= 4 && dim % 2 == 0 ? dim + 1 : dim;
}

static bool add_stage(const struct op2i_loop_arg *arg, struct op2i_device_form *form) {
  int s = op2i_device_stage(form, arg->dat, arg->map), first, n = op2i_device_slots(arg, &first);
  if (s < 0) {
    if (form->nstages == OP2I_DEVICE_STAGES) return false;
    s = form->nstages++;
    form->stages[s] =
        (struct op2i_device_stage){arg->dat, arg->map, op2i_device_stride(arg, form->generic)};
  }
  for (int slot = first; slot < first + n; slot++) {
    if (op2i_device_local(form, s, slot) >= 0) continue;
    if (form->nlocals == OP2I_DEVICE_COLUMNS) return false;
    form->locals[form->nlocals++] = (struct op2i_device_local){s, slot};
  }
  return true;
}

/* True if the loop reaches a dat by one map only. By another one its values would be in other rows
 * of shared memory, or in none. */
static bool by_one_map(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  bool one = true;
  for (const struct op2i_loop_arg *other = loop->args; other < loop->args + loop->nargs; other++)
    one &= other->dat != arg->dat || other->map == arg->map;
  return one;
}

/* True if some of the rows through which an argument reads may be written by other elements, and
 * not by this one: a block stores all rows that it has staged of the dat, and others may read those
 * that it only read. */
static bool reads_beside(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  int first, n = op2i_device_slots(arg, &first);
  bool modified = false, beside = false;
  for (const struct op2i_loop_arg *other = loop->args; other < loop->args + loop->nargs; other++)
    modified |= other->dat == arg->dat && op2i_modifies(other->access);
  for (int slot = first; slot < first + n && modified; slot++) {
    bool own = false;
    for (const struct op2i_loop_arg *other = loop->args; other < loop->args + loop->nargs; other++)
      own |= other->dat == arg->dat && op2i_modifies(other->access) &&
             op2i_arg_uses_slot(other, arg->map, slot);
    beside |= !own;
  }
  return beside;
}

static int64_t row_bytes(const struct op2i_loop *loop, const struct op2i_device_stage *stage) {
  const struct op2i_loop_arg *arg = loop->args;
  while (arg->dat != stage->dat) arg++;
  return (int64_t)stage->stride * (int64_t)op2i_type_size(arg->type);
}

int64_t op2i_device_staged_bytes(const struct op2i_loop *loop,
                                 const struct op2i_device_form *form) {
  int64_t total = 0;
  for (int s = 0; s < form->nstages; s++) {
    int64_t bytes = 0;
    for (int l = 0; l < form->nlocals; l++)
      if (form->locals[l].stage == s) bytes += row_bytes(loop, &form->stages[s]);
    total += (bytes + 15) / 16 * 16;
  }
  return total;
}

static const char *list_stages(const struct op2i_loop *loop, struct op2i_device_form *form) {
  const struct op2i_device *device = loop->op.ctx ? loop->op.ctx->device : NULL;
  bool can = true;
  form->nstages = form->nlocals = 0;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    if (arg->dat < 0) continue;
    if (op2i_device_shared(loop, arg) && !by_one_map(loop, arg))
      return "elements meet in a dat that is reached in several ways";
    if (arg->map >= 0 && reads_beside(loop, arg))
      return "of a dat that is modified some rows are only read";
    if (arg->map >= 0) can = can && add_stage(arg, form);
  }
  if (!can) return "an element reaches too many places";
  if (device && op2i_device_staged_bytes(loop, form) > device->limits.local_bytes)
    return "an element's rows do not fit the device's shared memory";
  return NULL;
}

int32_t op2i_device_block(const struct op2i_loop *loop, const struct op2i_device_form *form) {
  int chosen = loop->op.ctx ? loop->op.ctx->config.block_size : 0;
  if (form->why) return 0;
  if (!op2i_device_turns(form) || form->strategy == OP2I_DEVICE_SERIAL) return 0;
  return chosen && chosen < OP2I_DEVICE_BLOCK ? chosen : OP2I_DEVICE_BLOCK;
}

/* ---- atomics --------------------------------------------------------------------------------- */

static const char *no_atomics(const struct op2i_loop *loop) {
  const struct op2i_device *device = loop->op.ctx ? loop->op.ctx->device : NULL;
  if (!accumulates_only(loop)) return "its elements have to take turns";
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    size_t bytes = op2i_type_size(arg->type);
    if (!op2i_device_shared(loop, arg)) continue;
    if (bytes < 4) return "there are no atomics of 8 or 16 bits";
    if (bytes > 4 && device && device->limits.short_atomics)
      return "the device has no atomics of 64 bits";
  }
  return NULL;
}

/* ---- strategies that a loop rules out -------------------------------------------------------- */

static int64_t values_of(const struct op2i_loop *loop) {
  int64_t values = 0;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (arg->dat >= 0 || arg->kind == OP2I_ARG_WORK) values += (int64_t)arg->arity * arg->dim;
  return values;
}

static bool large_values(const struct op2i_loop *loop) {
  bool large = false;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    bool given = arg->kind == OP2I_ARG_VAL || (arg->kind == OP2I_ARG_GBL && !op2i_arg_reduces(arg));
    large |= given && (int64_t)arg->dim * (int64_t)op2i_type_size(arg->type) > COPY_MAX;
  }
  for (int c = 0; c < loop->nconsts; c++) large |= loop->consts[c].in_place;
  return large;
}

static bool packs_part(const struct op2i_loop *loop) {
  bool any = false;
  for (int a = 0; a < loop->nargs; a++) any |= op2i_arg_packs_part(&loop->args[a]);
  return any;
}

/* True if an element may reach a value that is set in place by two arguments or slots: the kernel's
 * copies of it would not see each other's changes. */
static bool two_names(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  if (arg->dat < 0 || arg->map < 0 || !op2i_keeps_order(arg->access)) return false;
  bool two = arg->arity > 1;
  for (const struct op2i_loop_arg *other = loop->args; other < loop->args + loop->nargs; other++)
    two |= other != arg && other->dat == arg->dat &&
           (other->map != arg->map || other->slot != arg->slot || other->part || arg->part);
  return two;
}

static bool doubles(const struct op2i_loop *loop) {
  bool any = false;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    any |= arg->type == OP2_F64;
  for (int c = 0; c < loop->nconsts; c++) any |= loop->consts[c].type == OP2_F64;
  for (int m = 0; m < op2i_loop_nmembers(loop) && !any; m++)
    any = op2i_codegen.doubles(op2i_loop_member(loop, m).kernel->source);
  return any;
}

static bool opaque(const struct op2i_loop *loop) {
  bool any = false;
  for (int a = 0; a < loop->nargs; a++) any |= loop->args[a].kind == OP2I_ARG_OPAQUE;
  return any;
}

static bool by_address(const struct op2i_loop *loop) {
  bool any = false;
  for (int m = 0; m < op2i_loop_nmembers(loop); m++)
    any |= op2i_loop_member(loop, m).kernel->function != NULL;
  return any;
}

/* True if a kernel has numbers of long double, which CUDA takes for double. */
static bool extended(const struct op2i_loop *loop) {
  bool any = false;
  for (int m = 0; m < op2i_loop_nmembers(loop) && !any; m++)
    any = op2i_codegen.extended(op2i_loop_member(loop, m).kernel->source);
  return any;
}

/* True if a kernel's function calls itself. OpenCL C forbids that, and compilers may crash on it.
 * CUDA allows it, but a work item has a stack of 1 KiB, and what overflows it ends the context. */
static bool recurs(const struct op2i_loop *loop) {
  bool any = false;
  for (int m = 0; m < op2i_loop_nmembers(loop) && !any; m++)
    any = op2i_codegen.recurs(op2i_loop_member(loop, m).kernel->source);
  return any;
}

/* The reason why the device cannot run the loop, or null. */
static const char *lacking(const struct op2i_loop *loop, const struct op2i_device *device,
                           const struct op2i_device_form *form) {
  int64_t shared = op2i_device_local_bytes(form);
  if (!form->apart) shared += op2i_device_stage_bytes(loop, form, OP2I_DEVICE_GROUP);
  if (!device->limits.doubles && doubles(loop))
    return "it computes in double precision, which the device has not";
  if (form->nvalues > 0 && shared > device->limits.local_bytes)
    return "what it reduces does not fit the device's shared memory";
  return NULL;
}

static const char *refusal(const struct op2i_loop *loop, bool generic,
                           const struct op2i_device_form *form) {
  const struct op2i_device *device = loop->op.ctx ? loop->op.ctx->device : NULL;
  if (by_address(loop)) return "its kernel is called by address";
  if (opaque(loop)) return "it is given a pointer of the program";
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (two_names(loop, arg)) return "it sets values through several slots, that may be one value";
  const struct op2i_config *config = loop->op.ctx ? &loop->op.ctx->config : NULL;
  if (config && op2i_codegen.given(config->cc, config->cflags, NULL))
    return "the host compiler's flags may define what it uses";
  if (extended(loop)) return "its kernel computes in long double, which devices have not";
  if (packs_part(loop)) return "it is given a packed component of a dat";
  if (form->nvalues > OP2I_DEVICE_VALUES) return "it reduces into more than 256 values";
  if (values_of(loop) > VALUES_MAX) return "an element has more than 4096 values";
  if (!generic && large_values(loop)) return "it is given constants or globals of more than 2 KiB";
  if (recurs(loop)) return "a function of its kernel calls itself";
  return device ? lacking(loop, device, form) : NULL;
}

static bool stores_besides(const struct op2i_loop *loop) {
  bool stores = false;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    stores |= op2i_arg_reduces(arg) ||
              (arg->dat >= 0 && op2i_modifies(arg->access) && !op2i_device_shared(loop, arg));
  return stores;
}

/* ---- choice of the strategy ------------------------------------------------------------------ */

static const char *unfit(const struct op2i_loop *loop, enum op2i_device_strategy strategy,
                         struct op2i_device_form *form) {
  switch (strategy) {
  case OP2I_DEVICE_REPEAT:
  case OP2I_DEVICE_GATHER: return list_passes(loop, form);
  case OP2I_DEVICE_OWNER: return list_owners(loop, form);
  case OP2I_DEVICE_STAGED: return list_stages(loop, form);
  case OP2I_DEVICE_ATOMICS: return no_atomics(loop);
  default: return NULL;
  }
}

/* All strategies that are chosen here give the same bits: those of the host, except in reductions
 * into globals. */
static enum op2i_device_strategy choose(const struct op2i_loop *loop,
                                        struct op2i_device_form *form) {
  const struct op2i_device *device = loop->op.ctx ? loop->op.ctx->device : NULL;
  if (device && device->limits.on_host) return OP2I_DEVICE_SERIAL;
  if (list_passes(loop, form))
    return list_stages(loop, form) ? OP2I_DEVICE_UNSTAGED : OP2I_DEVICE_STAGED;
  op2i_device_costs(loop, form);
  if (form->repeat <= form->owner && form->repeat <= form->gather) return OP2I_DEVICE_REPEAT;
  if (form->owner <= form->gather && !list_owners(loop, form)) return OP2I_DEVICE_OWNER;
  return form->repeat <= form->gather ? OP2I_DEVICE_REPEAT : OP2I_DEVICE_GATHER;
}

static void count_kept(const struct op2i_loop *loop, struct op2i_device_form *form) {
  int kept = 0, first;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (form->strategy == OP2I_DEVICE_GATHER && op2i_device_shared(loop, arg))
      kept += op2i_device_slots(arg, &first) * (int)arg->dim;
  form->reduced_at = kept;
  form->nkept = kept + (op2i_device_leaves(form) ? form->nvalues : 0);
}

static void decide(const struct op2i_loop *loop, enum op2i_device_strategy wish,
                   struct op2i_device_form *form) {
  form->unfit = unfit(loop, wish, form);
  form->strategy = wish == OP2I_DEVICE_ONCE || form->unfit ? choose(loop, form) : wish;
  enum op2i_device_strategy chosen = form->strategy;
  if (chosen >= OP2I_DEVICE_STAGED) form->npasses = 0;
  if (chosen != OP2I_DEVICE_STAGED) form->nstages = form->nlocals = 0;
  form->in_turn = !accumulates_only(loop);
  form->rest = chosen == OP2I_DEVICE_GATHER || stores_besides(loop);
}

/* Values are counted up to one more than the maximum, so that the sum does not overflow. */
static void count_reduced(const struct op2i_loop *loop, struct op2i_device_form *form) {
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    int most = OP2I_DEVICE_VALUES + 1 - form->nvalues, values = op2i_device_reduced(arg);
    form->nvalues += values < most ? values : most;
    form->apart |= op2i_arg_located(arg);
  }
  form->apart |= form->nvalues > OP2I_DEVICE_TOGETHER;
}

void op2i_loop_device_form_by(const struct op2i_loop *loop, bool generic,
                              enum op2i_device_strategy wish, struct op2i_device_form *form) {
  *form = (struct op2i_device_form){.strategy = OP2I_DEVICE_ONCE, .generic = generic};
  bool shares = false;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    shares |= op2i_device_shared(loop, arg);
  count_reduced(loop, form);
  op2i_device_parts(loop, &form->parts);
  form->why = refusal(loop, generic, form);
  if (!form->why && shares) decide(loop, wish, form);
  form->finishes = generic && form->nvalues > 0 && !form->apart;
  count_kept(loop, form);
}

void op2i_loop_device_form(const struct op2i_loop *loop, bool generic,
                           struct op2i_device_form *form) {
  enum op2i_device_strategy wish = loop->op.ctx ? loop->op.ctx->config.strategy : OP2I_DEVICE_ONCE;
  op2i_loop_device_form_by(loop, generic, wish, form);
}
