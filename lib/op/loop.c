/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of distinct loops: found by kernel, set and arguments, made once. */
#include "loop.h"
#include "component.h"
#include "loop_spare.h"
#include "loop_validate.h"
#include "map.h"

#include <string.h>

#include "context.h"
#include "drop.h"
#include "error.h"
#include "fpenv.h"
#include "mem.h"
#include "sparse.h"

/* ---- resolving arguments --------------------------------------------------------------------- */

/* A component is a part of its dat's rows. What writes it keeps the rest of the row. */
static void resolve_component(struct op2i_loop *loop, op2_dat component,
                              struct op2i_loop_arg *out) {
  out->part_first = component->first;
  out->part = component->dim;
  if (op2i_overwrites(out->access)) out->access = OP2_RW;
  (void)op2i_number_of((void **)loop->named, &loop->nnamed, component);
}

static void resolve_dat(struct op2i_loop *loop, const op2_arg *arg, struct op2i_loop_arg *out) {
  op2_dat given = arg->object, dat = op2i_dat_whole(given);
  out->type = dat->type;
  out->dim = dat->dim;
  out->dat = op2i_number_of((void **)loop->op.dats, &loop->op.ndats, dat);
  if (given != dat) resolve_component(loop, given, out);
  if (out->kind == OP2I_ARG_DIRECT) return;
  out->map = op2i_number_of((void **)loop->maps, &loop->nmaps, arg->map);
  out->slot = out->kind == OP2I_ARG_SLOT   ? arg->idx
              : out->kind == OP2I_ARG_ITER ? arg->idx == OP2_ITER(1)
                                           : -1;
  out->arity = out->kind == OP2I_ARG_SLOT ? 1 : arg->map->arity;
  if (out->kind == OP2I_ARG_ROW_ENTRIES) {
    out->first = op2i_number_of((void **)loop->maps, &loop->nmaps, arg->map->first);
    loop->traits.per_nonzero = true;
  }
  loop->traits.indirect = true;
  loop->traits.indirect_write |= op2i_modifies(arg->access);
}

/* A matrix is a dat on its nonzeros, which one map leads to. */
static void resolve_mat(struct op2i_loop *loop, const op2_arg *arg, struct op2i_loop_arg *out) {
  op2_mat mat = arg->object;
  op2_map nonzeros = op2i_sparsity_nonzeros(mat->sparsity, arg->map, arg->map2);
  if (arg->value) {
    nonzeros = op2i_sparsity_dropped(mat->sparsity, nonzeros, (op2_set)arg->value, arg->idx2);
    (void)op2i_number_of((void **)loop->named, &loop->nnamed, (void *)arg->value);
  }
  out->type = mat->type;
  out->dim = mat->row_dim * mat->column_dim;
  out->dat = op2i_number_of((void **)loop->op.dats, &loop->op.ndats, mat->values);
  out->map = op2i_number_of((void **)loop->maps, &loop->nmaps, nonzeros);
  out->arity = nonzeros->arity;
  out->columns = arg->map2->arity;
  out->column_dim = mat->column_dim;
  (void)op2i_number_of((void **)loop->named, &loop->nnamed, mat);
  loop->traits.indirect = loop->traits.indirect_write = true;
}

/* Element numbers have the type that the kernel's parameter has. */
static void resolve_idx(struct op2i_loop *loop, const op2_arg *arg, const struct op2i_param *param,
                        struct op2i_loop_arg *out) {
  bool narrow = param->type == OP2_I32 || (!param->type && param->depth > 0);
  out->type = narrow ? OP2_I32 : OP2_I64;
  out->dim = 1;
  if (!arg->map) return;
  out->map = op2i_number_of((void **)loop->maps, &loop->nmaps, arg->map);
  out->slot = arg->idx;
  if (arg->idx == OP2_ALL) out->arity = arg->map->arity;
  loop->traits.indirect = true;
}

static int32_t take_bytes(int32_t *used, size_t bytes, size_t align) {
  int32_t at = (int32_t)(((size_t)*used + align - 1) / align * align);
  *used = at + (int32_t)bytes;
  return at;
}

static void resolve_captured(struct op2i_loop *loop, struct op2i_loop_arg *out) {
  if (out->kind == OP2I_ARG_OPAQUE) out->type = OP2_U64;
  out->offset =
      take_bytes(&loop->op.payload_bytes, (size_t)out->dim * op2i_type_size(out->type), 16);
}

static void resolve_gbl(struct op2i_loop *loop, op2_gbl gbl, struct op2i_loop_arg *out) {
  out->type = gbl->type;
  out->dim = gbl->dim;
  out->gbl = op2i_number_of((void **)loop->op.gbls, &loop->op.ngbls, gbl);
  if (op2i_modifies(out->access)) out->offset = take_bytes(&loop->partial_bytes, gbl->bytes, 16);
}

/* Reductions that op2_arg_info() arguments refer to also keep which element it was. */
static void resolve_info(struct op2i_loop *loop, const op2_arg *args) {
  for (int n = 0; n < loop->nargs; n++) {
    if (!op2i_arg_informs(&loop->args[n])) continue;
    struct op2i_loop_arg *reduction = &loop->args[args[n].idx];
    loop->args[n].info_of = args[n].idx;
    if (!op2i_arg_located(reduction))
      reduction->found_at = take_bytes(&loop->partial_bytes, sizeof(struct op2i_found), 16);
  }
}

static void resolve_args(struct op2i_loop *loop, const op2_arg *args) {
  for (int n = 0; n < loop->nargs; n++) {
    struct op2i_loop_arg *out = &loop->args[n];
    *out = (struct op2i_loop_arg){.kind = op2i_arg_kind(&args[n]),
                                  .access = (op2_access)args[n].access,
                                  .type = args[n].type ? (op2_type)args[n].type : OP2_F64,
                                  .dim = args[n].type ? args[n].dim : 1,
                                  .slot = -1,
                                  .arity = 1,
                                  .dat = -1,
                                  .map = -1,
                                  .gbl = -1,
                                  .offset = -1};
    if (out->kind == OP2I_ARG_IDX) {
      resolve_idx(loop, &args[n], &loop->kernel->signature.params[n], out);
    } else if (op2i_arg_captured(out)) {
      resolve_captured(loop, out);
    } else if (!args[n].object) {
      continue; /* It is absent or a work array, which have no more than a type and extent. */
    } else if (out->kind == OP2I_ARG_GBL) {
      resolve_gbl(loop, args[n].object, out);
    } else if (args[n].tag == OP2_TAG_MAT_) {
      resolve_mat(loop, &args[n], out);
    } else {
      resolve_dat(loop, &args[n], out);
    }
  }
  for (int n = 0; n < loop->nargs && loop->traits.per_nonzero; n++)
    loop->args[n].row_sum =
        loop->args[n].kind == OP2I_ARG_DIRECT && op2i_overwrites(loop->args[n].access);
  resolve_info(loop, args);
  loop->partial_bytes = (loop->partial_bytes + 63) / 64 * 64;
}

/* Generated code keeps constants in a local structure, and so in registers. Large ones, and those
 * of a kernel that uses very many, stay where they were captured. */
static bool fits_stack(const op2_const cst, size_t *local) {
  enum { LARGEST = 1024, ALL = 4096 };
  if (cst->bytes > LARGEST || *local + cst->bytes > ALL) return false;
  *local += cst->bytes;
  return true;
}

static op2_status resolve_consts(struct op2i_loop *loop) {
  op2_kernel kernel = loop->kernel;
  size_t local = 0;
  loop->entry.const_epoch = kernel->const_epoch;
  loop->consts = op2i_calloc((size_t)kernel->nconsts, sizeof *loop->consts);
  if (!loop->consts) return op2i_error_nomem("a loop's constants");
  for (int c = 0; c < kernel->nconsts; c++) {
    op2_const cst = kernel->consts[c];
    struct op2i_loop_const *out = &loop->consts[c];
    out->name = op2i_strdup(cst->obj.name);
    if (!out->name) return op2i_error_nomem("a loop's constants");
    loop->nconsts++;
    out->id = cst->obj.id;
    out->type = cst->type;
    out->dim = cst->dim;
    out->offset = take_bytes(&loop->op.payload_bytes, cst->bytes, 16);
    out->in_place = !fits_stack(cst, &local);
  }
  return OP2_SUCCESS;
}

/* ---- properties ------------------------------------------------------------------------------ */

/* Set *holds to true if all accesses of a loop to a dat go through slots of one map that is
 * injective there. */
static op2_status find_injective(const struct op2i_loop *loop, int d, bool *holds) {
  op2_map map = NULL;
  uint64_t slots = 0;
  *holds = false;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (arg->dat != d) continue;
    if (!op2i_arg_through_map(arg) || (map && loop->maps[arg->map] != map)) return OP2_SUCCESS;
    map = loop->maps[arg->map];
    slots |= op2i_map_slots(map, arg->kind == OP2I_ARG_SLOT ? arg->slot : OP2_ALL);
  }
  return op2i_map_injective(map, slots, holds);
}

/* Elements that meet in a dat run in order; if none meet, there is no order to keep. */
static op2_status keep_order(struct op2i_loop *loop, int d) {
  bool injective;
  op2_status status = find_injective(loop, d, &injective);
  loop->traits.ordered |= !injective;
  for (int n = 0; n < loop->nargs; n++)
    if (loop->args[n].dat == d) loop->args[n].injective = injective;
  return status;
}

/* Work out dat_access and whether element order matters: see the fields. */
static op2_status classify_dat(struct op2i_loop *loop, int d) {
  int uses = 0, reads = 0;
  bool mapped = false, mixed = false, direct_write = false, order = false;
  op2_access first = OP2_READ;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (arg->dat != d) continue;
    if (uses++ == 0) first = arg->access;
    mixed |= arg->access != first;
    mapped |= op2i_arg_through_map(arg);
    reads += !op2i_modifies(arg->access);
    direct_write |= op2i_overwrites(arg->access) && !op2i_arg_through_map(arg);
    order |= op2i_arg_through_map(arg) && op2i_keeps_order(arg->access);
  }
  order |= mapped && mixed;
  bool whole = direct_write && uses == 1 && loop->set->base == loop->set;
  loop->op.dat_access[d] = reads == uses ? OP2_READ : whole ? OP2_WRITE : OP2_RW;
  return order ? keep_order(loop, d) : OP2_SUCCESS;
}

static op2_status classify(struct op2i_loop *loop) {
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < loop->op.ndats && !status; d++) status = classify_dat(loop, d);
  for (int g = 0; g < loop->op.ngbls; g++) loop->op.gbl_access[g] = OP2_READ;
  for (int n = 0; n < loop->nargs; n++)
    if (op2i_arg_reduces(&loop->args[n])) loop->op.gbl_access[loop->args[n].gbl] = OP2_RW;
  return status;
}

/* All ranks return the same. */
static bool has_exec(op2_set set) {
  if (set->base->halo) return set->base->halo->parts[OP2I_HALO_EXEC] > 0;
  return set->ends[OP2I_EXEC] > set->ends[OP2I_OWNED];
}

static void add_range(struct op2i_loop *loop, enum op2i_section section, int64_t lo, int64_t hi) {
  loop->ranges[loop->nranges++] = (struct op2i_range){section, lo, hi};
}

/* Core elements need nothing from other ranks and run during halo exchanges. Which elements are
 * core is known for maps, but not for the rows of matrices. */
static void set_ranges(struct op2i_loop *loop) {
  const int64_t *ends = loop->set->ends;
  bool waits = loop->traits.indirect && loop->set->base->halo;
  int64_t core = waits && !loop->traits.per_nonzero ? ends[OP2I_CORE] : 0;
  loop->nranges = 0;
  if (waits) add_range(loop, OP2I_CORE, 0, core);
  add_range(loop, OP2I_OWNED, core, op2i_set_looped(loop->set));
  if (loop->traits.indirect_write && has_exec(loop->set))
    add_range(loop, OP2I_EXEC, ends[OP2I_OWNED], ends[OP2I_EXEC]);
}

bool op2i_loop_contended(const struct op2i_loop *loop, int32_t dat) {
  bool modified = false, mapped = false;
  for (int n = 0; n < loop->nargs; n++) {
    if (loop->args[n].dat != dat) continue;
    modified |= op2i_modifies(loop->args[n].access);
    mapped |= loop->args[n].map >= 0 && !loop->args[n].injective;
  }
  return modified && mapped;
}

const char *op2i_loop_name(const struct op2i_loop *loop) {
  return loop->name ? loop->name : loop->kernel->obj.name;
}

/* ---- creating and freeing -------------------------------------------------------------------- */

static void release_images(struct op2i_loop *loop) {
  for (int v = 0; v < OP2I_VARIANTS; v++) {
    if (loop->code.image[v]) loop->code.release(loop->op.ctx, loop->code.image[v]);
    loop->code.image[v] = NULL;
  }
}

void op2i_loop_free(struct op2i_loop *loop) {
  if (loop->profile.line) loop->profile.line->calls_gone += loop->profile.calls;
  if (loop->op.ctx && loop->op.ctx->sched) op2i_scheduler.forget(loop->op.ctx->sched, &loop->op);
  if (!loop->fused.members && loop->kernel->model == loop) loop->kernel->model = NULL;
  if (loop->attached.sched_release) loop->attached.sched_release(loop->attached.sched_data);
  if (loop->attached.device_release) loop->attached.device_release(loop->attached.device_data);
  release_images(loop);
  for (int v = 0; v < OP2I_VARIANTS; v++) op2i_free(loop->code.source[v]);
  op2i_free(loop->form.why);
  op2i_free(loop->name);
  op2i_free(loop->fused.members);
  op2i_free(loop->fused.origins);
  op2i_free(loop->fused.dropped);
  for (int c = 0; c < loop->nconsts; c++) op2i_free(loop->consts[c].name);
  op2i_free(loop->consts);
  op2i_free(loop->entry.key);
  op2i_free(loop->args);
  op2i_free(loop->maps);
  op2i_free(loop->named);
  op2i_op_free_tables(&loop->op);
  op2i_free(loop);
}

static op2_status allocate_loop(op2_kernel kernel, op2_set set, int nargs, struct op2i_loop **out) {
  struct op2i_loop *loop = op2i_calloc(1, sizeof *loop);
  if (!loop) return op2i_error_nomem("a loop");
  size_t n = (size_t)nargs;
  loop->op.kind = &op2i_loop_kind;
  loop->op.ctx = set->obj.ctx;
  loop->kernel = kernel;
  loop->set = set;
  loop->nargs = nargs;
  loop->entry.key = op2i_malloc(n * sizeof *loop->entry.key);
  loop->args = op2i_calloc(n, sizeof *loop->args);
  loop->maps = op2i_calloc(2 * n, sizeof *loop->maps);   /* each may need a row table as well */
  loop->named = op2i_calloc(2 * n, sizeof *loop->named); /* a matrix may come with a subset */
  if (!loop->entry.key || !loop->args || !loop->maps || !loop->named ||
      op2i_op_tables(&loop->op, n)) {
    op2i_loop_free(loop);
    return op2i_error_nomem("a loop");
  }
  *out = loop;
  return OP2_SUCCESS;
}

/* Make the maps of arguments that leave rows or columns out, unless they exist. */
static op2_status need_dropped(int nargs, const op2_arg *args) {
  op2_status status = OP2_SUCCESS;
  for (int n = 0; n < nargs && !status; n++)
    if (args[n].tag == OP2_TAG_MAT_ && args[n].value)
      status = op2i_sparsity_need_dropped(((op2_mat)args[n].object)->sparsity, args[n].map,
                                          args[n].map2, (op2_set)args[n].value, args[n].idx2);
  return status;
}

static op2_status make_loop(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args,
                            struct op2i_loop **out) {
  struct op2i_loop *loop = NULL;
  op2_status status = allocate_loop(kernel, set, nargs, &loop);
  if (status) return status;
  for (int n = 0; n < nargs; n++) {
    loop->entry.key[n] = args[n];
    if (args[n].tag != OP2_TAG_MAT_) loop->entry.key[n].value = NULL;
    loop->entry.drops |= loop->entry.key[n].value != NULL;
  }
  loop->traits.one_thread = kernel->one_thread;
  status = need_dropped(nargs, args);
  if (!status) {
    resolve_args(loop, args);
    status = resolve_consts(loop);
  }
  if (!status) status = classify(loop);
  if (!status)
    status = op2i_profile_line(&set->obj.ctx->loops->profile, kernel, set, &loop->profile.line);
  if (status) {
    op2i_loop_free(loop);
    return status;
  }
  set_ranges(loop);
  op2i_loop_count_bytes(loop);
  *out = loop;
  return OP2_SUCCESS;
}

/* ---- the table of loops ---------------------------------------------------------------------- */

/* Hash what calls differ in, enough to distinguish most of them. Each argument is hashed by itself,
 * with an odd factor of its own, so that no multiplication waits for the one before. */
static uint64_t hash_call(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args) {
  const uint64_t golden = 0x9E3779B97F4A7C15u, other = 0xC2B2AE3D27D4EB4Fu;
  uint64_t hash = (uintptr_t)kernel * golden ^ (uintptr_t)set * other, factor = golden;
  for (int n = 0; n < nargs; n++, factor += 2 * other)
    hash += ((uintptr_t)args[n].object ^ (uint64_t)(uintptr_t)args[n].map << 16 ^
             (uint64_t)args[n].idx << 40) *
            factor;
  hash = (hash ^ hash >> 32) * golden;
  return hash ^ hash >> 29;
}

static inline op2_status bind_consts(op2_kernel kernel) {
  if (kernel->const_epoch == kernel->obj.ctx->const_epoch) return OP2_SUCCESS;
  return op2i_kernel_bind_consts(kernel);
}

static bool same_consts(struct op2i_loop *loop) {
  op2_kernel kernel = loop->kernel;
  if (loop->entry.const_epoch == kernel->const_epoch) return true;
  if (loop->nconsts != kernel->nconsts) return false;
  for (int c = 0; c < loop->nconsts; c++)
    if (loop->consts[c].id != kernel->consts[c]->obj.id) return false;
  loop->entry.const_epoch = kernel->const_epoch;
  return true;
}

/* Part of an argument: two words, which are compared at once. */
typedef uint64_t words __attribute__((vector_size(16)));

static inline words words_at(const op2_arg *arg, size_t offset) {
  words two;
  memcpy(&two, (const char *)arg + offset, sizeof two);
  return two;
}

static inline words difference(const op2_arg *a, const op2_arg *b, size_t offset) {
  return words_at(a, offset) ^ words_at(b, offset);
}

/* Compares all but the values, which are captured anew. There are no branches, since arguments are
 * nearly always the same. */
static inline bool same_args(int nargs, const op2_arg *a, const op2_arg *b) {
  _Static_assert(offsetof(op2_arg, value) == 4 * sizeof(void *) + 6 * sizeof a->idx &&
                     sizeof *a == 4 * sizeof(words),
                 "what is compared has no padding, and ends within the last word but one");
  words different = {0}, last = {0};
  for (int n = 0; n < nargs; n++) {
    different |= difference(&a[n], &b[n], 0) | difference(&a[n], &b[n], sizeof(words)) |
                 difference(&a[n], &b[n], 2 * sizeof(words));
    last |= difference(&a[n], &b[n], 3 * sizeof(words));
  }
  return !(different[0] | different[1] | last[0]);
}

/* Subsets whose rows or columns a matrix's argument leaves out are part of the loop. */
static bool same_drops(const struct op2i_loop *loop, const op2_arg *args) {
  for (int n = 0; n < loop->nargs; n++)
    if (args[n].tag == OP2_TAG_MAT_ && args[n].value != loop->entry.key[n].value) return false;
  return true;
}

static bool same_call(const struct op2i_loop *loop, op2_kernel kernel, op2_set set, int nargs,
                      const op2_arg *args) {
  return loop->kernel == kernel && loop->set == set && loop->nargs == nargs &&
         same_args(nargs, args, loop->entry.key) && (!loop->entry.drops || same_drops(loop, args));
}

static op2_status grow_table(struct op2i_loop_table *table) {
  int64_t nbuckets = table->nbuckets ? 2 * table->nbuckets : 64;
  struct op2i_loop **buckets = op2i_calloc((size_t)nbuckets, sizeof(struct op2i_loop *));
  if (!buckets) return op2i_error_nomem("the table of loops");
  for (struct op2i_loop *loop = table->first; loop; loop = loop->entry.next) {
    if (loop->fused.members || loop->entry.nspares) continue;
    struct op2i_loop **bucket = &buckets[loop->entry.hash & (uint64_t)(nbuckets - 1)];
    loop->entry.next_in_bucket = *bucket;
    *bucket = loop;
  }
  op2i_free(table->buckets);
  table->buckets = buckets;
  table->nbuckets = nbuckets;
  return OP2_SUCCESS;
}

static op2_status ensure_table(op2_context ctx) {
  if (!ctx->loops) ctx->loops = op2i_calloc(1, sizeof *ctx->loops);
  if (!ctx->loops) return op2i_error_nomem("the table of loops");
  return ctx->loops->nloops < ctx->loops->nbuckets ? OP2_SUCCESS : grow_table(ctx->loops);
}

void op2i_loop_list(struct op2i_loop *loop) {
  struct op2i_loop_table *table = loop->op.ctx->loops;
  loop->entry.prev = table->last;
  *(table->last ? &table->last->entry.next : &table->first) = loop;
  table->last = loop;
  table->nloops++;
}

static void insert_bucket(struct op2i_loop_table *table, struct op2i_loop *loop) {
  struct op2i_loop **bucket = &table->buckets[loop->entry.hash & (uint64_t)(table->nbuckets - 1)];
  loop->entry.next_in_bucket = *bucket;
  *bucket = loop;
}

static void insert(struct op2i_loop_table *table, struct op2i_loop *loop) {
  insert_bucket(table, loop);
  op2i_loop_list(loop);
}

static void remove_bucket(struct op2i_loop_table *table, struct op2i_loop *loop) {
  struct op2i_loop **at = &table->buckets[loop->entry.hash & (uint64_t)(table->nbuckets - 1)];
  while (*at != loop) at = &(*at)->entry.next_in_bucket;
  *at = loop->entry.next_in_bucket;
}

static void remove_loop(struct op2i_loop_table *table, struct op2i_loop *loop) {
  for (int i = 0; i < OP2I_SITES && !loop->fused.members; i++)
    if (table->sites[i] == loop) table->sites[i] = NULL;
  if (!loop->fused.members && !loop->entry.nspares) remove_bucket(table, loop);
  *(loop->entry.prev ? &loop->entry.prev->entry.next : &table->first) = loop->entry.next;
  *(loop->entry.next ? &loop->entry.next->entry.prev : &table->last) = loop->entry.prev;
  table->nloops--;
}

void op2i_loop_hide(struct op2i_loop *loop) { remove_bucket(loop->op.ctx->loops, loop); }

void op2i_loop_show(struct op2i_loop *loop) {
  loop->entry.hash = hash_call(loop->kernel, loop->set, loop->nargs, loop->entry.key);
  insert_bucket(loop->op.ctx->loops, loop);
}

static op2_status add_loop(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                           const op2_arg *args, uint64_t hash, struct op2i_loop **out) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_loop_validate(where, kernel, set, nargs, args);
  if (!status) status = make_loop(kernel, set, nargs, args, out);
  if (status) return status;
  (*out)->entry.hash = hash;
  (*out)->entry.objects_left = set->obj.ctx->objects_left;
  insert(set->obj.ctx->loops, *out);
  return OP2_SUCCESS;
}

/* Loops are found by everything but the pointers to a call's values, so these are checked each
 * time. */
static op2_status check_values(op2_where where, const struct op2i_loop *loop, const op2_arg *args) {
  if (!loop->op.payload_bytes) return OP2_SUCCESS;
  for (int n = 0; n < loop->nargs; n++)
    if (loop->args[n].kind == OP2I_ARG_VAL && !args[n].value)
      return op2i_error(OP2_ERR_ARG, "%s:%d: loop '%s', argument %d: op2_arg_val of a null pointer",
                        where.file, where.line, loop->kernel->obj.name, n);
  return OP2_SUCCESS;
}

/* The entry of a call site, which other sites may share. It has the loop that was found last from
 * there: the next call from there is mostly the same. */
static struct op2i_loop **site_of(struct op2i_loop_table *table, op2_where where) {
  uint64_t file = (uintptr_t)where.file;
  return &table->sites[(file ^ file >> 6 ^ (uint64_t)where.line) % OP2I_SITES];
}

static op2_status find_loop(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                            const op2_arg *args, struct op2i_loop **out) {
  op2_status status = ensure_table(set->obj.ctx);
  if (status) return status;
  struct op2i_loop_table *table = set->obj.ctx->loops;
  uint64_t hash = hash_call(kernel, set, nargs, args);
  struct op2i_loop *loop = table->buckets[hash & (uint64_t)(table->nbuckets - 1)];
  while (loop && !(loop->entry.hash == hash && same_call(loop, kernel, set, nargs, args) &&
                   same_consts(loop)))
    loop = loop->entry.next_in_bucket;
  if (!loop) {
    const struct op2i_behalf before =
        op2i_context_behalf(set->obj.ctx, "loop", kernel->obj.name, where);
    status = add_loop(where, kernel, set, nargs, args, hash, &loop);
    op2i_context_behalf_end(set->obj.ctx, before);
  }
  if (!status) *site_of(table, where) = *out = loop;
  return status;
}

op2_status op2i_loop_intern(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                            const op2_arg *args, struct op2i_loop **out) {
  /* A call that is found was valid when it was first made and its objects still exist, so it needs
   * no checking but for handles that were destroyed since. The arguments of the look-up are still
   * unchecked: only their addresses are used. */
  if (!op2i_object_is(set, OP2I_SET) || set->obj.ctx->finalized ||
      !op2i_object_is(kernel, OP2I_KERNEL) || nargs < 1 || !args)
    return op2i_loop_validate(where, kernel, set, nargs, args);
  op2_context ctx = set->obj.ctx;
  op2_status status = bind_consts(kernel);
  if (status) return status;
  struct op2i_loop *loop = ctx->loops ? *site_of(ctx->loops, where) : NULL;
  if (!loop || loop->entry.nspares || !same_call(loop, kernel, set, nargs, args) ||
      !same_consts(loop))
    status = find_loop(where, kernel, set, nargs, args, &loop);
  if (!status && loop->entry.objects_left != ctx->objects_left) {
    status = op2i_loop_validate(where, kernel, set, nargs, args);
    if (!status) loop->entry.objects_left = ctx->objects_left;
  }
  if (!status) status = check_values(where, loop, args);
  if (!status && ctx->open_scopes) status = op2i_op_validate_scopes(where, &loop->op);
  if (status) return status;
  op2i_loop_use(loop);
  *out = loop;
  return OP2_SUCCESS;
}

/* Add `by` references to each object of a loop; false if one is left without any. No two of the
 * objects are the same. */
static inline bool add_references(const struct op2i_loop *loop, int by) {
  bool left = (loop->kernel->obj.refs += by) > 0;
  left &= (loop->set->obj.refs += by) > 0;
  for (int d = 0; d < loop->op.ndats; d++) left &= (loop->op.dats[d]->obj.refs += by) > 0;
  for (int m = 0; m < loop->nmaps; m++) left &= (loop->maps[m]->obj.refs += by) > 0;
  for (int m = 0; m < loop->nnamed; m++) left &= (loop->named[m]->refs += by) > 0;
  for (int g = 0; g < loop->op.ngbls; g++) left &= (loop->op.gbls[g]->obj.refs += by) > 0;
  return left;
}

void op2i_loop_use(struct op2i_loop *loop) {
  if (loop->op.uses++ == 0) (void)add_references(loop, 1);
}

void op2i_loop_discard(struct op2i_loop *loop) {
  remove_loop(loop->op.ctx->loops, loop);
  op2i_loop_free(loop);
}

/* Discards a loop and those that it was fused into. */
static void drop_stale(struct op2i_loop *loop) {
  struct op2i_loop *earlier;
  for (struct op2i_loop *fused = loop->op.ctx->loops->last; fused; fused = earlier) {
    bool member = false;
    earlier = fused->entry.prev;
    for (int m = 0; fused->fused.members && m < fused->fused.nmembers; m++)
      member |= fused->fused.origins[m] == loop;
    if (member) op2i_loop_discard(fused);
  }
  op2i_loop_discard(loop);
}

void op2i_loop_unuse(struct op2i_loop *loop) {
  if (--loop->op.uses > 0) return;
  if (add_references(loop, -1) && !loop->entry.stale) return;
  (void)add_references(loop, 1);
  /* The last reference to an object frees the loop as well (forget_loops), so keep what is
   * walked. */
  op2_context ctx = loop->op.ctx;
  ctx->refs++;
  loop->op.uses = 1;
  int n = loop->op.ndats + loop->nmaps + loop->nnamed + loop->op.ngbls + 2;
  void *few[32], **objects = n <= 32 ? few : op2i_malloc((size_t)n * sizeof *objects);
  if (!objects) return; /* the references stay: a leak, never a dangling handle */
  memcpy(objects, loop->op.dats, (size_t)loop->op.ndats * sizeof *objects);
  memcpy(objects + loop->op.ndats, loop->maps, (size_t)loop->nmaps * sizeof *objects);
  if (loop->nnamed)
    memcpy(objects + loop->op.ndats + loop->nmaps, loop->named,
           (size_t)loop->nnamed * sizeof *objects);
  memcpy(objects + loop->op.ndats + loop->nmaps + loop->nnamed, loop->op.gbls,
         (size_t)loop->op.ngbls * sizeof *objects);
  objects[n - 2] = loop->kernel;
  objects[n - 1] = loop->set;
  loop->op.uses = 0;
  if (loop->entry.stale) drop_stale(loop);
  for (int i = 0; i < n; i++) op2i_unref(objects[i]);
  if (objects != few) op2i_free(objects);
  op2i_context_unref(ctx);
}

static bool names(const struct op2i_loop *loop, const void *object) {
  for (int m = 0; loop->fused.members && m < loop->fused.nmembers; m++)
    if (names(loop->fused.origins[m], object)) return true;
  if (loop->fused.members) return false;
  for (int c = 0; c < loop->nconsts; c++)
    if (loop->consts[c].id == ((const struct op2i_object *)object)->id) return true;
  if (loop->kernel == object || loop->set == object) return true;
  for (int n = 0; n < loop->nargs; n++)
    if (loop->entry.key[n].object == object || loop->entry.key[n].map == object ||
        loop->entry.key[n].map2 == object || loop->entry.key[n].value == object)
      return true;
  return false;
}

static void forget_loops(op2_context ctx, const void *object) {
  if (!ctx->loops) return;
  /* Fused loops come after their origins, and are discarded before them. */
  struct op2i_loop *earlier;
  for (struct op2i_loop *loop = ctx->loops->last; loop; loop = earlier) {
    earlier = loop->entry.prev;
    if (!names(loop, object)) continue;
    loop->entry.stale = true; /* of all objects only constants can go while the loop is in use */
    if (!loop->op.uses) op2i_loop_discard(loop);
  }
  op2i_profile_forget(&ctx->loops->profile, object);
}

/* ---- updates after sets and maps have changed ------------------------------------------------ */

static void drop_code(struct op2i_loop *loop) {
  release_images(loop);
  for (int v = 0; v < OP2I_VARIANTS; v++) {
    op2i_free(loop->code.source[v]);
    loop->code.source[v] = NULL;
    loop->code.function[v] = NULL;
    loop->code.mergeable[v] = false;
  }
  op2i_free(loop->form.why);
  loop->form = (struct op2i_form){0};
}

void op2i_loops_drop_code(op2_context ctx, const struct op2_map_s *map) {
  for (struct op2i_loop *loop = ctx->loops ? ctx->loops->first : NULL; loop;
       loop = loop->entry.next)
    for (int m = 0; m < loop->nmaps; m++)
      if (loop->maps[m] == map) drop_code(loop);
}

/* Derive again what depends on sets and maps, for a loop that a handle holds. If there is no memory
 * to test whether elements meet, they are assumed to: all ranks get the same result, since they
 * test together. */
static void reclassify(struct op2i_loop *loop) {
  drop_code(loop);
  loop->traits.ordered = false;
  for (int n = 0; n < loop->nargs; n++) loop->args[n].injective = false;
  if (classify(loop)) loop->traits.ordered = true;
  set_ranges(loop);
  op2i_loop_count_bytes(loop);
}

void op2i_loops_reclassify(op2_context ctx) {
  struct op2i_loop *earlier;
  for (struct op2i_loop *loop = ctx->loops ? ctx->loops->last : NULL; loop; loop = earlier) {
    earlier = loop->entry.prev;
    if (loop->fused.members || !loop->op.uses)
      op2i_loop_discard(loop);
    else
      reclassify(loop);
  }
}

static void free_table(op2_context ctx) {
  if (!ctx->loops) return;
  struct op2i_loop *earlier;
  for (struct op2i_loop *loop = ctx->loops->last; loop; loop = earlier) {
    earlier = loop->entry.prev;
    if (loop->op.uses) continue; /* held by a loop handle: freed with it */
    remove_loop(ctx->loops, loop);
    op2i_loop_free(loop);
  }
  if (ctx->loops->first) return;
  op2i_profile_forget(&ctx->loops->profile, NULL);
  op2i_free(ctx->loops->buckets);
  op2i_free(ctx->loops);
  ctx->loops = NULL;
}

/* ---- captured values ------------------------------------------------------------------------- */

void op2i_loop_capture_values(const struct op2i_loop *loop, const op2_arg *args,
                              unsigned char *payload) {
  if (!loop->op.payload_bytes) return;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    const uint64_t pointer = (uintptr_t)args[n].value;
    if (op2i_arg_captured(arg))
      memcpy(payload + arg->offset, arg->kind == OP2I_ARG_VAL ? args[n].value : &pointer,
             (size_t)arg->dim * op2i_type_size(arg->type));
  }
}

static op2_status capture_consts(struct op2i_op *op, unsigned char *payload) {
  struct op2i_loop *loop = op2i_op_loop(op);
  op2_status status = bind_consts(loop->kernel);
  if (status) return status;
  if (!same_consts(loop))
    return op2i_error(
        OP2_ERR_STATE,
        "loop '%s': a constant it uses was created or destroyed since the loop object was made",
        loop->kernel->obj.name);
  for (int c = 0; c < loop->nconsts; c++)
    memcpy(payload + loop->consts[c].offset, loop->kernel->consts[c]->data,
           loop->kernel->consts[c]->bytes);
  return OP2_SUCCESS;
}

/* ---- the operation in the queue -------------------------------------------------------------- */

static void use(struct op2i_op *op) { op2i_loop_use(op2i_op_loop(op)); }
static void unuse(struct op2i_op *op) { op2i_loop_unuse(op2i_op_loop(op)); }

static void describe(const struct op2i_op *op, struct op2i_text *text) {
  const struct op2i_loop *loop = (const struct op2i_loop *)op;
  op2i_text_add(text, "loop '%s' over '%s'", op2i_loop_name(loop), loop->set->obj.name);
}

const struct op2i_op_kind op2i_loop_kind = {
    .name = "loop", .use = use, .unuse = unuse, .capture = capture_consts, .describe = describe};

const struct op2i_interned op2i_interned_loops = {forget_loops, free_table, op2i_loops_set_aside,
                                                  op2i_loops_pass_on};
