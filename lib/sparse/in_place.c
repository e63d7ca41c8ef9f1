/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that add in place in deterministic mode. A target is added to in the right order by the loop
 * itself if all elements that lead to it are in one block, in the order of their global numbers. The
 * other targets are deferred: whatever the loop adds to them is undone, and their contributions are
 * added. Deferred are targets at the borders between blocks, sections and ranks, and those whose
 * elements have been renumbered. */
#include <stdio.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "contributions.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "set.h"

static op2_status no_memory(void) { return op2i_error_nomem("contributions of elements"); }

/* ---- which targets are deferred -------------------------------------------------------------- */

struct search {
  const struct op2_map_s *map;
  uint64_t bits;
  int32_t block_size;
  int32_t *last;           /* [owned targets] the last element that led there; -1: none yet */
  unsigned char *deferred; /* [owned targets] flags */
  unsigned char *leads;    /* [from total] flags of elements that lead to deferred targets */
  int64_t count;           /* of these */
};

/* Elements [lo, hi) of a section that loops run over. Those of the core and the other owned ones may
 * be divided into blocks together. */
struct stretch {
  int64_t lo, hi;
  bool owned;
};

static int stretches(const struct op2_set_s *from, struct stretch out[3]) {
  const int64_t looped = op2i_set_looped(from);
  const int64_t core = from->ends[OP2I_CORE] < looped ? from->ends[OP2I_CORE] : looped;
  out[0] = (struct stretch){0, core, true};
  out[1] = (struct stretch){core, looped, true};
  out[2] = (struct stretch){from->ends[OP2I_OWNED], from->ends[OP2I_EXEC], false};
  return 3;
}

/* True if the second element follows the first one in a loop, in the same block and with a larger
 * number. `first` is before `second`. */
static bool follows(const struct search *s, const struct stretch *in, int64_t first,
                    int64_t second) {
  const int64_t size = s->block_size;
  if (first < in->lo || (first - in->lo) / size != (second - in->lo) / size) return false;
  if (in->owned && first / size != second / size) return false;
  return op2i_set_number(s->map->from, first) < op2i_set_number(s->map->from, second);
}

static void visit(struct search *s, const struct stretch *in, int64_t element) {
  const struct op2_map_s *map = s->map;
  for (int32_t slot = 0; slot < map->arity; slot++) {
    const int64_t target = op2i_map_target(map, element * map->arity + slot);
    if (!(s->bits >> slot & 1) || target >= map->to->ends[OP2I_OWNED]) continue;
    if (s->last[target] >= 0 && !follows(s, in, s->last[target], element)) s->deferred[target] = 1;
    s->last[target] = (int32_t)element;
  }
}

static void find_elements(struct search *s, const struct stretch *in) {
  const struct op2_map_s *map = s->map;
  for (int64_t e = in->lo; e < in->hi; e++)
    for (int32_t slot = 0; slot < map->arity && !s->leads[e]; slot++) {
      const int64_t target = op2i_map_target(map, e * map->arity + slot);
      if (!(s->bits >> slot & 1) || target >= map->to->ends[OP2I_OWNED]) continue;
      if (!s->deferred[target]) continue;
      s->leads[e] = 1;
      s->count++;
    }
}

static op2_status open_search(op2_map map, uint64_t bits, struct search *s) {
  const size_t targets = (size_t)map->to->ends[OP2I_OWNED],
               elements = (size_t)map->from->ends[OP2I_NONEXEC];
  struct stretch in[3];
  const int n = stretches(map->from, in);
  *s = (struct search){.map = map,
                       .bits = bits,
                       .block_size = op2i_set_block_size(map->from),
                       .last = op2i_malloc(targets * sizeof *s->last),
                       .deferred = op2i_calloc(targets, 1),
                       .leads = op2i_calloc(elements, 1)};
  if (!s->last || !s->deferred || !s->leads) return no_memory();
  memset(s->last, 0xff, targets * sizeof *s->last);
  for (int k = 0; k < n; k++)
    for (int64_t e = in[k].lo; e < in[k].hi; e++) visit(s, &in[k], e);
  for (int k = 0; k < n; k++) find_elements(s, &in[k]);
  return OP2_SUCCESS;
}

static void close_search(struct search *s) {
  op2i_free(s->last);
  op2i_free(s->deferred);
  op2i_free(s->leads);
}

/* Set *pays to true if few elements lead to deferred targets, on all ranks together. */
static op2_status judge(const struct search *s, bool *pays) {
  const op2_context ctx = s->map->obj.ctx;
  const int64_t room = INT32_MAX / s->map->arity;
  int64_t counts[] = {s->count, op2i_set_looped(s->map->from), s->count > room};
  op2_status status = ctx->comm ? op2i_comm_sum(ctx->comm, 3, counts) : OP2_SUCCESS;
  *pays = 2 * counts[0] <= counts[1] && !counts[2];
  return status;
}

/* ---- their contributions --------------------------------------------------------------------- */

static op2_status make_elements(const struct search *s, op2_set *elements) {
  const struct op2_set_s *from = s->map->from;
  char name[OP2I_NAME_ROOM];
  int64_t *idx = op2i_alloc_raw((size_t)s->count * sizeof *idx), n = 0;
  if (!idx) return no_memory();
  for (int64_t e = 0; e < from->ends[OP2I_NONEXEC]; e++)
    if (s->leads[e]) idx[n++] = op2i_set_place(from, e);
  op2i_sort_indices(n, idx);
  snprintf(name, sizeof name, "%.*s at borders", OP2I_NAME_ROOM - 16, from->obj.name);
  op2_status status = op2i_subset_make(s->map->from, n, idx, name, elements);
  op2i_object_own(status ? NULL : *elements);
  return status;
}

/* Each of these elements leads to contributions of its own, the others to the first ones. */
static op2_status make_own(const struct search *s, struct op2i_contributions *c) {
  const struct op2_map_s *map = s->map;
  const int64_t total = map->from->ends[OP2I_NONEXEC];
  int32_t *idx = op2i_alloc_raw((size_t)(total * map->arity) * sizeof *idx), next = 0;
  if (!idx) return no_memory();
  for (int64_t e = 0; e < total; e++)
    for (int32_t slot = 0; slot < map->arity; slot++)
      idx[e * map->arity + slot] = s->leads[e] ? next++ : slot;
  op2_status status =
      op2i_map_make(map->from, c->set, map->arity, idx, NULL, map->obj.name, &c->own);
  if (!status) op2i_map_hide(c->own);
  return status;
}

/* Contributions stay on the rank that adds them, which also runs over the elements of others that lead
 * to its targets. So their set has no halo. */
static op2_status make_parts(const struct search *s, struct op2i_contributions *c) {
  const struct op2_map_s *map = s->map;
  const op2_context ctx = map->obj.ctx;
  const int64_t rows = s->count * map->arity;
  op2_status status = op2i_set_create_counted(ctx, rows < map->arity ? map->arity : rows, 0,
                                              map->from->obj.name, &c->set);
  if (status) return status;
  op2i_object_own(c->set);
  status = make_elements(s, &c->elements);
  if (!status) status = make_own(s, c);
  status = op2i_context_agree(ctx, status);
  const struct op2i_added_slots through = {OP2_ALL, s->bits};
  return status ? status : op2i_addends_make(map, c, through, s->deferred);
}

static op2_status make(op2_map map, uint64_t bits, struct op2i_contributions **out) {
  const op2_context ctx = map->obj.ctx;
  struct op2i_contributions *c = op2i_calloc(1, sizeof *c);
  struct search s = {0};
  bool pays = false;
  op2_status status = c ? open_search(map, bits, &s) : no_memory();
  status = op2i_context_agree(ctx, status);
  if (!status) {
    *c = (struct op2i_contributions){
        .layout = {map->arity, 1}, .in_place = true, .bits = bits, .block_size = s.block_size};
    status = judge(&s, &pays);
  }
  if (!status && pays) status = make_parts(&s, c);
  close_search(&s);
  if (status) {
    op2i_contributions_free(c);
    return status;
  }
  op2i_contributions_keep(map, c);
  *out = c;
  return OP2_SUCCESS;
}

op2_status op2i_contributions_in_place(op2_map map, uint64_t bits,
                                       struct op2i_contributions **out) {
  const int32_t block_size = op2i_set_block_size(map->from);
  for (struct op2i_contributions *c = map->contributions; c; c = c->next)
    if (c->in_place && c->bits == bits && c->block_size == block_size) {
      *out = c;
      return OP2_SUCCESS;
    }
  return make(map, bits, out);
}
