/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of distinct loops: found by kernel, set and arguments, made once. */
#include "loop_table.h"

#include <string.h>

#include "context.h"
#include "drop.h"
#include "error.h"
#include "fpenv.h"
#include "loop_resolve.h"
#include "loop_spare.h"
#include "loop_validate.h"
#include "mem.h"

/* ---- comparing calls ------------------------------------------------------------------------- */

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

/* ---- the table ------------------------------------------------------------------------------- */

static op2_status grow_table(struct op2i_loop_table *table) {
  int64_t nbuckets = table->nbuckets ? 2 * table->nbuckets : 64;
  struct op2i_loop **buckets = op2i_calloc((size_t)nbuckets, sizeof(struct op2i_loop *));
  if (!buckets) return op2i_error_nomem("the table of loops");
  for (struct op2i_loop *loop = table->first; loop; loop = loop->entry.next) {
    if (!loop->entry.in_bucket) continue;
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
  op2i_op_link(&loop->op, loop);
}

static void insert_bucket(struct op2i_loop_table *table, struct op2i_loop *loop) {
  struct op2i_loop **bucket = &table->buckets[loop->entry.hash & (uint64_t)(table->nbuckets - 1)];
  loop->entry.next_in_bucket = *bucket;
  *bucket = loop;
  loop->entry.in_bucket = true;
}

static void insert(struct op2i_loop_table *table, struct op2i_loop *loop) {
  insert_bucket(table, loop);
  op2i_loop_list(loop);
}

static void remove_bucket(struct op2i_loop_table *table, struct op2i_loop *loop) {
  struct op2i_loop **at = &table->buckets[loop->entry.hash & (uint64_t)(table->nbuckets - 1)];
  while (*at != loop) at = &(*at)->entry.next_in_bucket;
  *at = loop->entry.next_in_bucket;
  loop->entry.in_bucket = false;
}

/* True if it has to be put into a bucket before any loop is looked for there. */
static bool awaits_bucket(const struct op2i_loop *loop) {
  return !loop->fused.members && !loop->entry.nspares && !loop->entry.in_bucket;
}

static void remove_loop(struct op2i_loop_table *table, struct op2i_loop *loop) {
  for (int i = 0; i < OP2I_SITES && !loop->fused.members; i++)
    if (table->sites[i] == loop) table->sites[i] = NULL;
  table->nawaiting -= awaits_bucket(loop);
  if (loop->entry.in_bucket) remove_bucket(table, loop);
  op2i_op_unlink(&loop->op);
  *(loop->entry.prev ? &loop->entry.prev->entry.next : &table->first) = loop->entry.next;
  *(loop->entry.next ? &loop->entry.next->entry.prev : &table->last) = loop->entry.prev;
  table->nloops--;
}

void op2i_loop_hide(struct op2i_loop *loop) {
  struct op2i_loop_table *table = loop->op.ctx->loops;
  if (loop->entry.in_bucket)
    remove_bucket(table, loop);
  else
    table->nawaiting--;
}

/* Loops of temporaries are mostly found by their call sites, so they are put into buckets only when
 * these are looked at. */
static void fill_buckets(struct op2i_loop_table *table) {
  for (struct op2i_loop *loop = table->first; loop && table->nawaiting; loop = loop->entry.next) {
    if (!awaits_bucket(loop)) continue;
    loop->entry.hash = hash_call(loop->kernel, loop->set, loop->nargs, loop->entry.key);
    insert_bucket(table, loop);
    table->nawaiting--;
  }
}

/* ---- finding loops --------------------------------------------------------------------------- */

static op2_status add_loop(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                           const op2_arg *args, uint64_t hash, struct op2i_loop **out) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_loop_validate(where, kernel, set, nargs, args);
  if (!status) status = op2i_loop_make(kernel, set, nargs, args, out);
  if (status) return status;
  (*out)->entry.hash = hash;
  op2i_loop_count_left(*out);
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
  fill_buckets(table);
  uint64_t hash = hash_call(kernel, set, nargs, args);
  struct op2i_loop *loop = table->buckets[hash & (uint64_t)(table->nbuckets - 1)];
  while (loop && !(loop->entry.hash == hash && same_call(loop, kernel, set, nargs, args) &&
                   op2i_loop_same_consts(loop)))
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
  op2_status status = op2i_loop_bind_consts(kernel);
  if (status) return status;
  struct op2i_loop *loop = ctx->loops ? *site_of(ctx->loops, where) : NULL;
  if (!loop || loop->entry.nspares || !same_call(loop, kernel, set, nargs, args) ||
      !op2i_loop_same_consts(loop))
    status = find_loop(where, kernel, set, nargs, args, &loop);
  if (!status && (loop->entry.nleft || loop->entry.objects_left != ctx->objects_left)) {
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

/* ---- uses ------------------------------------------------------------------------------------ */

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
  op2i_profile_forget(&ctx->loops->profile, &ctx->loops->past, object);
}

/* ---- updates after sets and maps have changed ------------------------------------------------ */

void op2i_loops_drop_code(op2_context ctx, const struct op2_map_s *map) {
  for (struct op2i_loop *loop = ctx->loops ? ctx->loops->first : NULL; loop;
       loop = loop->entry.next)
    for (int m = 0; m < loop->nmaps; m++)
      if (loop->maps[m] == map) op2i_loop_drop_code(loop);
}

void op2i_loops_reclassify(op2_context ctx) {
  struct op2i_loop *earlier;
  for (struct op2i_loop *loop = ctx->loops ? ctx->loops->last : NULL; loop; loop = earlier) {
    earlier = loop->entry.prev;
    if (loop->fused.members || !loop->op.uses) {
      op2i_loop_discard(loop);
    } else { /* a handle holds it */
      op2i_loop_drop_code(loop);
      op2i_loop_resolve_again(loop);
    }
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
  op2i_profile_free(&ctx->loops->profile, &ctx->loops->past);
  op2i_free(ctx->loops->buckets);
  op2i_free(ctx->loops);
  ctx->loops = NULL;
}

const struct op2i_interned op2i_interned_loops = {.forget = forget_loops,
                                                  .free = free_table,
                                                  .left = op2i_loops_left,
                                                  .set_aside = op2i_loops_set_aside,
                                                  .pass_on = op2i_loops_pass_on};
