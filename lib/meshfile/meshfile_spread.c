/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh that rank 0 has read is spread over the ranks: each gets its share of the nodes, and of the
 * elements of each dimension with their groups. */
#include "meshfile_spread.h"

#include <stdlib.h>
#include <string.h>

/* Shares that are in memory besides the mesh at the same time, unless a single one is larger. */
enum { BYTES_AT_ONCE = 128 << 20 };

/* ---- what all ranks know ---------------------------------------------------------------------- */

/* Count the nodes that belong to no cell. */
static op2_status count_unused(op2_mesh mesh) {
  const struct op2i_raw *raw = &mesh->raw;
  const struct op2i_elements *cells = &raw->of[raw->dimension];
  char *used = mesh->op2->calloc((size_t)raw->nnodes, 1);
  if (!used) return mesh->op2->error_nomem("marks of nodes");
  mesh->info.unused_nodes = raw->nnodes;
  for (int64_t i = 0; i < op2i_element_begin(cells, cells->n); i++) {
    mesh->info.unused_nodes -= !used[cells->node[i]];
    used[cells->node[i]] = 1;
  }
  mesh->op2->free(used);
  return OP2_SUCCESS;
}

static op2_status describe(op2_mesh mesh) {
  struct op2i_raw *raw = &mesh->raw;
  const struct op2i_elements *cells = &raw->of[raw->dimension];
  mesh->info = (op2_mesh_info){.dimension = raw->dimension,
                               .space = raw->space,
                               .nodes = raw->nnodes,
                               .cells = cells->n,
                               .groups = (int32_t)raw->ngroups};
  mesh->only_kind = cells->kind[0];
  for (int64_t e = 0; e < cells->n; e++) {
    const struct op2i_cell_kind *kind = &op2i_cell_kinds[cells->kind[e]];
    if (cells->kind[e] != cells->kind[0]) mesh->only_kind = -1;
    mesh->info.cells_of[kind->shape]++;
    if (kind->nodes > mesh->info.cell_nodes) mesh->info.cell_nodes = kind->nodes;
  }
  for (int d = 0; d < 4; d++)
    for (int64_t m = 0; m < raw->group[d].n; m++) {
      struct op2i_mesh_group *group = &raw->groups[raw->group[d].member[m].group];
      group->elements += group->dimension < 0 || group->dimension == d;
    }
  return count_unused(mesh);
}

/* Names of groups follow what is known of them, each with its zero byte. */
struct group_words {
  int64_t dimension, tag, elements, length;
};

static op2_status share_groups(op2_mesh mesh, int64_t ngroups, int64_t names) {
  const struct op2i_companion *op2 = mesh->op2;
  struct op2i_raw *raw = &mesh->raw;
  const size_t bytes = (size_t)ngroups * sizeof(struct group_words) + (size_t)names;
  struct group_words *words = op2->calloc(bytes + 1, 1);
  char *name = words ? (char *)(words + ngroups) : NULL;
  for (int64_t g = 0; words && g < raw->ngroups; g++) {
    const struct op2i_mesh_group *group = &raw->groups[g];
    words[g] = (struct group_words){group->dimension, group->tag, group->elements,
                                    (int64_t)strlen(group->name) + 1};
    memcpy(name, group->name, (size_t)words[g].length);
    name += words[g].length;
  }
  op2_status status = op2->agree(mesh->comm, words ? OP2_SUCCESS : op2->error_nomem("groups"));
  if (!status) status = op2->share(mesh->comm, 0, words, bytes);
  name = words ? (char *)(words + ngroups) : NULL;
  bool good = true;
  for (int64_t g = raw->ngroups; g < ngroups && !status && good; g++) {
    int32_t made;
    good = op2i_raw_group(raw, (int32_t)words[g].dimension, words[g].tag, name,
                          (size_t)words[g].length - 1, &made);
    if (good) raw->groups[made].elements = words[g].elements;
    name += words[g].length;
  }
  op2->free(words);
  return op2->agree(mesh->comm, status || good ? status : op2->error_nomem("groups"));
}

/* ---- shares ----------------------------------------------------------------------------------- */

/* A share is a block of words: these, then for the nodes tags and coordinates, then for the elements
 * of each dimension tags, kinds, marks of turned ones, ends, nodes and members of groups. */
struct share_head {
  int64_t nnodes;
  struct {
    int64_t n, nodes, members;
  } of[4];
};

static size_t share_bytes(const struct share_head *head) {
  size_t words = sizeof *head / 8 + 4 * (size_t)head->nnodes;
  for (int d = 0; d < 4; d++)
    words +=
        4 * (size_t)head->of[d].n + (size_t)head->of[d].nodes + 2 * (size_t)head->of[d].members;
  return 8 * words;
}

/* The items [first, end) of `total` that a rank gets. */
static void block_of(op2_mesh mesh, int64_t total, int rank, int64_t *first, int64_t *end) {
  const int64_t ranks = op2_ranks(mesh->ctx), each = total / ranks, more = total % ranks;
  *first = rank * each + (rank < more ? rank : more);
  *end = *first + each + (rank < more);
}

static int by_element(const void *a, const void *b) {
  const struct op2i_member *x = a, *y = b;
  return (x->element > y->element) - (x->element < y->element);
}

/* The first member, of those in ascending order, that is no element before `element`. */
static int64_t member_from(const struct op2i_members *members, int64_t element) {
  int64_t low = 0, high = members->n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (members->member[middle].element < element)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct share_head head_of(op2_mesh mesh, int rank) {
  const struct op2i_raw *raw = &mesh->raw;
  struct share_head head = {0};
  int64_t first, end;
  block_of(mesh, raw->nnodes, rank, &first, &end);
  head.nnodes = end - first;
  for (int d = 0; d < 4; d++) {
    block_of(mesh, raw->of[d].n, rank, &first, &end);
    head.of[d].n = end - first;
    head.of[d].nodes =
        op2i_element_begin(&raw->of[d], end) - op2i_element_begin(&raw->of[d], first);
    head.of[d].members = member_from(&raw->group[d], end) - member_from(&raw->group[d], first);
  }
  return head;
}

static int64_t *put(int64_t *at, const void *from, int64_t words) {
  if (words) memcpy(at, from, (size_t)words * sizeof *at);
  return at + words;
}

static int64_t *put_elements(op2_mesh mesh, int d, int rank, int64_t *at) {
  const struct op2i_raw *raw = &mesh->raw;
  const struct op2i_elements *list = &raw->of[d];
  const struct op2i_members *members = &raw->group[d];
  int64_t first, end;
  block_of(mesh, list->n, rank, &first, &end);
  const int64_t begin = op2i_element_begin(list, first);
  const int64_t from = member_from(members, first), to = member_from(members, end);
  at = put(at, list->tag + first, end - first);
  for (int64_t e = first; e < end; e++) *at++ = list->kind[e];
  for (int64_t e = first; e < end; e++) *at++ = d == raw->dimension && raw->turned[e];
  for (int64_t e = first; e < end; e++) *at++ = list->end[e] - begin;
  at = put(at, list->node + begin, op2i_element_begin(list, end) - begin);
  for (int64_t m = from; m < to; m++) {
    *at++ = members->member[m].group;
    *at++ = members->member[m].element - first;
  }
  return at;
}

static op2_status pack(op2_mesh mesh, int rank, struct op2i_parcel *parcel) {
  const struct share_head head = head_of(mesh, rank);
  int64_t first, end, *at;
  *parcel = (struct op2i_parcel){rank, share_bytes(&head), NULL};
  parcel->data = at = mesh->op2->calloc(parcel->bytes, 1);
  if (!at) return mesh->op2->error_nomem("a share of a mesh");
  block_of(mesh, mesh->raw.nnodes, rank, &first, &end);
  at = put(at, &head, sizeof head / 8);
  at = put(at, mesh->raw.tag + first, end - first);
  at = put(at, mesh->raw.x + 3 * first, 3 * (end - first));
  for (int d = 0; d < 4; d++) at = put_elements(mesh, d, rank, at);
  return OP2_SUCCESS;
}

static const int64_t *take(const struct op2i_companion *op2, const int64_t *at, int64_t words,
                           void *array_of_pointer, bool *good) {
  void *copy = op2->calloc((size_t)words + 1, sizeof *at);
  *good &= copy != NULL;
  if (copy && words) memcpy(copy, at, (size_t)words * sizeof *at);
  memcpy(array_of_pointer, &copy, sizeof copy);
  return at + words;
}

static const int64_t *take_bytes(const struct op2i_companion *op2, const int64_t *at, int64_t n,
                                 uint8_t **array, bool *good) {
  *array = op2->calloc((size_t)n + 1, 1);
  *good &= *array != NULL;
  for (int64_t i = 0; *array && i < n; i++) (*array)[i] = (uint8_t)at[i];
  return at + n;
}

/* Fill in what a share has. */
static op2_status unpack(struct op2i_raw *raw, const int64_t *at) {
  const struct op2i_companion *op2 = raw->op2;
  struct share_head head;
  bool good = true;
  memcpy(&head, at, sizeof head);
  at += sizeof head / 8;
  raw->nnodes = head.nnodes;
  at = take(op2, at, head.nnodes, &raw->tag, &good);
  at = take(op2, at, 3 * head.nnodes, &raw->x, &good);
  for (int d = 0; d < 4; d++) {
    struct op2i_elements *list = &raw->of[d];
    uint8_t *turned = NULL;
    list->n = head.of[d].n;
    raw->group[d].n = head.of[d].members;
    at = take(op2, at, list->n, &list->tag, &good);
    at = take_bytes(op2, at, list->n, &list->kind, &good);
    at = take_bytes(op2, at, list->n, &turned, &good);
    at = take(op2, at, list->n, &list->end, &good);
    at = take(op2, at, head.of[d].nodes, &list->node, &good);
    at = take(op2, at, 2 * head.of[d].members, &raw->group[d].member, &good);
    if (d == raw->dimension)
      raw->turned = turned;
    else
      op2->free(turned);
  }
  return good ? OP2_SUCCESS : op2->error_nomem("a share of a mesh");
}

/* ---- spreading -------------------------------------------------------------------------------- */

/* Send shares to as many ranks from `next` on as may be in memory; returns the rank after these. */
static op2_status pack_some(op2_mesh mesh, int64_t *next, struct op2i_parcel *parcel, int64_t *n) {
  size_t bytes = 0;
  op2_status status = OP2_SUCCESS;
  while (*next < op2_ranks(mesh->ctx) && bytes < BYTES_AT_ONCE && !status) {
    status = pack(mesh, (int)*next, &parcel[*n]);
    bytes += parcel[(*n)++].bytes;
    ++*next;
  }
  return status;
}

static op2_status send_some(op2_mesh mesh, int64_t *next, struct op2i_raw *mine) {
  const struct op2i_companion *op2 = mesh->op2;
  struct op2i_parcel *parcel = NULL;
  struct op2i_parcels in = {0};
  int64_t n = 0;
  op2_status status = OP2_SUCCESS;
  if (op2_rank(mesh->ctx) == 0) {
    parcel = op2->calloc((size_t)op2_ranks(mesh->ctx), sizeof *parcel);
    status = parcel ? pack_some(mesh, next, parcel, &n) : op2->error_nomem("shares of a mesh");
  }
  status = op2->agree(mesh->comm, status);
  if (!status) status = op2->share(mesh->comm, 0, next, sizeof *next);
  if (!status) status = op2->deliver(mesh->comm, n, parcel, &in);
  for (int64_t p = 0; p < n; p++) op2->free(parcel[p].data);
  op2->free(parcel);
  if (!status && in.n) status = unpack(mine, in.parcel[0].data);
  op2->parcels_free(&in);
  return op2->agree(mesh->comm, status);
}

/* Keep this rank's share in place of the whole mesh, with the groups. */
static void replace(struct op2i_raw *raw, struct op2i_raw *mine) {
  struct op2i_raw old = *raw;
  mine->groups = old.groups;
  mine->ngroups = old.ngroups;
  mine->group_capacity = old.group_capacity;
  mine->slot = old.slot;
  mine->nslots = old.nslots;
  old.groups = NULL;
  old.slot = NULL;
  old.ngroups = 0;
  *raw = *mine;
  op2i_raw_free(&old);
}

static op2_status spread(op2_mesh mesh, const int64_t total[5]) {
  struct op2i_raw *raw = &mesh->raw;
  struct op2i_raw mine = {
      .op2 = raw->op2, .dimension = mesh->info.dimension, .space = mesh->info.space};
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < 4; d++)
    if (raw->group[d].n)
      qsort(raw->group[d].member, (size_t)raw->group[d].n, sizeof *raw->group[d].member,
            by_element);
  for (int64_t next = 0; next < op2_ranks(mesh->ctx) && !status;)
    status = send_some(mesh, &next, &mine);
  if (status) {
    op2i_raw_free(&mine);
    return status;
  }
  replace(raw, &mine);
  int64_t count;
  op2i_mesh_block(mesh, total[4], &raw->first_node, &count);
  raw->total_nodes = total[4];
  for (int d = 0; d < 4; d++) {
    op2i_mesh_block(mesh, total[d], &raw->of[d].first, &count);
    raw->of[d].total = total[d];
  }
  return OP2_SUCCESS;
}

op2_status op2i_mesh_spread(op2_mesh mesh) {
  struct op2i_raw *raw = &mesh->raw;
  int64_t total[5], names[2] = {raw->ngroups, 0};
  op2_status status = op2_rank(mesh->ctx) ? OP2_SUCCESS : describe(mesh);
  status = op2i_mesh_agree(mesh, status);
  if (status) return status;
  for (int d = 0; d < 4; d++) total[d] = raw->of[d].total = raw->of[d].n;
  total[4] = raw->total_nodes = raw->nnodes;
  if (!mesh->comm) return OP2_SUCCESS;
  for (int64_t g = 0; g < raw->ngroups; g++) names[1] += (int64_t)strlen(raw->groups[g].name) + 1;
  status = mesh->op2->share(mesh->comm, 0, &mesh->info, sizeof mesh->info);
  if (!status) status = mesh->op2->share(mesh->comm, 0, &mesh->only_kind, sizeof mesh->only_kind);
  if (!status) status = mesh->op2->share(mesh->comm, 0, total, sizeof total);
  if (!status) status = mesh->op2->share(mesh->comm, 0, names, sizeof names);
  if (!status) status = share_groups(mesh, names[0], names[1]);
  return status ? status : spread(mesh, total);
}
