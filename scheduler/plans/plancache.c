/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans shared by all loops of a context that touch data in the same way. The key of a plan is
 * everything it depends on. */
#include <string.h>

#include "error.h"
#include "loop_device.h"
#include "loop_resolve.h"
#include "loopdata.h"
#include "mem.h"
#include "plancache.h"

struct op2i_plan_cache *op2i_plan_cache_create(void) {
  struct op2i_plan_cache *cache = op2i_calloc(1, sizeof *cache);
  if (cache) cache->refs = 1;
  return cache;
}

void op2i_plan_cache_unref(struct op2i_plan_cache *cache) {
  if (cache && --cache->refs == 0) op2i_free(cache);
}

static void free_shared(struct op2i_shared_plan *shared) {
  op2i_plan_free(shared->plan);
  op2i_free(shared->key);
  op2i_free(shared);
}

void op2i_shared_plan_unref(struct op2i_shared_plan *shared) {
  if (!shared || --shared->refs > 0) return;
  struct op2i_plan_cache *cache = shared->cache;
  struct op2i_shared_plan **at = &cache->first;
  while (*at != shared) at = &(*at)->next;
  *at = shared->next;
  free_shared(shared);
  op2i_plan_cache_unref(cache);
}

/* ---- describing a loop to the planner -------------------------------------------------------- */

/* The words of a key: those of the loop, and then those of each argument that counts. The bytes of
 * a row are 0 where nothing is staged. */
enum { KEY_SET, KEY_LO, KEY_HI, KEY_BLOCK_SIZE, KEY_ORDERED, KEY_PARTS, KEY_WORDS };
enum {
  ARG_DAT,
  ARG_MAP,
  ARG_SLOT,
  ARG_MODIFIES,
  ARG_ROW_BYTES,
  ARG_INJECTIVE,
  ARG_SAME,
  ARG_WORDS
};

struct request {
  struct op2i_plan_desc desc;
  struct op2i_plan_arg *args;
  int64_t *key;
  int64_t nwords;
  /* [set size] 0, 1, 2, ...: the map of direct arguments on a dat that is also modified
   * through a map */
  int32_t *identity;
};

static void free_request(struct request *request) {
  op2i_free(request->args);
  op2i_free(request->key);
  op2i_free(request->identity);
}

static op2_status need_identity(const struct op2i_loop *loop, struct request *request) {
  if (request->identity) return OP2_SUCCESS;
  int64_t n = loop->set->base->ends[OP2I_NONEXEC];
  if (n > (int64_t)INT32_MAX + 1)
    return op2i_error(
        OP2_ERR_RANGE,
        "loop '%s': set '%s' has more than 2^31 elements and a dat on it is modified through a map",
        loop->kernel->obj.name, loop->set->base->obj.name);
  request->identity = op2i_malloc((size_t)n * sizeof *request->identity);
  if (!request->identity) return op2i_error_nomem("a plan");
  for (int64_t i = 0; i < n; i++) request->identity[i] = (int32_t)i;
  return OP2_SUCCESS;
}

/* Bytes from row to row of a dat where a block stages it. */
static int32_t staged_row(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  const struct op2i_device *device = loop->op.ctx->device;
  const int64_t stride = op2i_device_stride(arg, device && device->kind->generic);
  return (int32_t)(stride * (int64_t)op2i_type_size(arg->type));
}

/* Elements that conflict in a nonzero of a matrix also conflict in its row, and there are fewer
 * rows; so colours are made for rows. */
static op2_status add_arg(const struct op2i_loop *loop, int n, struct request *request) {
  const struct op2i_loop_arg *arg = &loop->args[n];
  op2_dat dat = loop->op.dats[arg->dat];
  op2_map map = arg->map >= 0 ? loop->maps[arg->map] : NULL;
  int64_t targets = dat->set->ends[OP2I_NONEXEC];
  if (map && map->conflict_map && !(request->desc.parts & OP2I_PLAN_STAGE)) {
    map = map->conflict_map;
    targets = map->to->ends[OP2I_NONEXEC];
  }
  if (!map) {
    op2_status status = need_identity(loop, request);
    if (status) return status;
  }
  request->args[request->desc.nargs++] =
      (struct op2i_plan_arg){.dat = arg->dat,
                             .map = map ? arg->map : loop->nmaps,
                             .idx = map ? map->idx : request->identity,
                             .arity = map ? map->arity : 1,
                             .slot = !map                         ? 0
                                     : arg->kind == OP2I_ARG_SLOT ? arg->slot
                                                                  : -1,
                             .access = arg->access,
                             .injective = arg->injective,
                             .same_values = arg->same_values,
                             .target_size = targets,
                             .row_bytes = staged_row(loop, arg)};
  const struct op2i_plan_arg *described = &request->args[request->desc.nargs - 1];
  int64_t *word = request->key + request->nwords;
  word[ARG_DAT] = arg->dat;
  word[ARG_MAP] = map ? map->obj.id : 0;
  word[ARG_SLOT] = described->slot;
  word[ARG_MODIFIES] = op2i_modifies(arg->access);
  word[ARG_ROW_BYTES] = request->desc.parts & OP2I_PLAN_STAGE ? described->row_bytes : 0;
  word[ARG_INJECTIVE] = described->injective;
  word[ARG_SAME] = described->same_values;
  request->nwords += ARG_WORDS;
  return OP2_SUCCESS;
}

/* Number the dats in the key by first appearance among the contended ones, so that equal
 * patterns have equal keys. */
static void canonical(struct request *request) {
  int64_t seen[64], nseen = 0;
  for (int64_t w = KEY_WORDS; w < request->nwords; w += ARG_WORDS) {
    int64_t *dat = &request->key[w + ARG_DAT], number = 0;
    while (number < nseen && seen[number] != *dat) number++;
    if (number == nseen && nseen < 64) seen[nseen++] = *dat;
    if (number < nseen) *dat = number;
  }
}

/* True if the plan depends on the argument. Colours separate elements that may conflict,
 * the verifier checks that injective arguments do not, and all that is reached through maps
 * is staged. */
static bool counts(const struct op2i_loop *loop, const struct op2i_loop_arg *arg, unsigned parts) {
  if (arg->dat < 0) return false;
  return arg->injective || op2i_loop_contended(loop, arg->dat) ||
         (parts & OP2I_PLAN_STAGE && arg->map >= 0);
}

static op2_status describe(const struct op2i_loop *loop, int range, unsigned parts,
                           int32_t block_size, struct request *request) {
  *request =
      (struct request){.desc = {.lo = loop->ranges[range].lo,
                                .hi = loop->ranges[range].hi,
                                .subset = loop->set->idx,
                                .block_size = block_size ? block_size : op2i_set_block_size(loop->set),
                                .ordered = loop->traits.ordered,
                                .parts = parts}};
  request->args = op2i_calloc((size_t)loop->nargs, sizeof *request->args);
  request->key = op2i_calloc((size_t)loop->nargs * ARG_WORDS + KEY_WORDS, sizeof *request->key);
  if (!request->args || !request->key) return op2i_error_nomem("a plan");
  const struct op2i_plan_desc *desc = &request->desc;
  request->key[KEY_SET] = loop->set->obj.id;
  request->key[KEY_LO] = desc->lo;
  request->key[KEY_HI] = desc->hi;
  request->key[KEY_BLOCK_SIZE] = desc->block_size;
  request->key[KEY_ORDERED] = desc->ordered;
  request->key[KEY_PARTS] = desc->parts;
  request->nwords = KEY_WORDS;
  for (int n = 0; n < loop->nargs; n++) {
    if (!counts(loop, &loop->args[n], parts)) continue;
    op2_status status = add_arg(loop, n, request);
    if (status) return status;
  }
  canonical(request);
  request->desc.args = request->args;
  return OP2_SUCCESS;
}

/* ---- the cache ------------------------------------------------------------------------------- */

static op2_status make_entry(struct op2i_sched *sched, struct request *request,
                             struct op2i_shared_plan **out) {
  struct op2i_shared_plan *shared = op2i_calloc(1, sizeof *shared);
  if (!shared) return op2i_error_nomem("a plan");
  op2_status status = op2i_plan_create(&request->desc, &shared->plan);
  if (!status && sched->ctx->config.verify) status = op2i_plan_verify(shared->plan, &request->desc);
  if (status) {
    free_shared(shared);
    return status;
  }
  struct op2i_plan_cache *cache = sched->caches.plans;
  shared->key = request->key;
  request->key = NULL;
  shared->nwords = request->nwords;
  shared->refs = 1;
  shared->cache = cache;
  cache->refs++;
  cache->made++;
  shared->next = cache->first;
  cache->first = shared;
  *out = shared;
  return OP2_SUCCESS;
}

/* Check that a cached plan fits this loop as well as the one it was made for. */
static op2_status verify_found(const struct op2i_loop *loop, const struct op2i_shared_plan *shared,
                               const struct request *request) {
  op2_status status = op2i_plan_verify(shared->plan, &request->desc);
  if (status != OP2_ERR_STATE) return status;
  return op2i_error(OP2_ERR_STATE, "loop '%s' was given a plan that is not its own: %s",
                    op2i_loop_name(loop), op2_error_message());
}

op2_status op2i_plan_get_sized(struct op2i_sched *sched, const struct op2i_loop *loop, int range,
                               unsigned parts, int32_t block_size, struct op2i_shared_plan **out) {
  struct request request;
  op2_status status = describe(loop, range, parts, block_size, &request);
  if (status) goto done;
  for (struct op2i_shared_plan *shared = sched->caches.plans->first; shared;
       shared = shared->next) {
    if (shared->nwords != request.nwords ||
        memcmp(shared->key, request.key, (size_t)shared->nwords * sizeof *shared->key))
      continue;
    if (sched->ctx->config.verify) status = verify_found(loop, shared, &request);
    if (status) goto done;
    shared->refs++;
    sched->caches.plans->found++;
    *out = shared;
    goto done;
  }
  status = make_entry(sched, &request, out);
done:
  free_request(&request);
  return status;
}

op2_status op2i_plan_get(struct op2i_sched *sched, const struct op2i_loop *loop, int range,
                         unsigned parts, struct op2i_shared_plan **out) {
  return op2i_plan_get_sized(sched, loop, range, parts, 0, out);
}
