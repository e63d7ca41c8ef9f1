/* SPDX-License-Identifier: BSD-3-Clause */
/* When a mesh has been read as a whole, nodes are numbered in the order of the file, and cells that
 * the file repeats are merged. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "meshfile_raw.h"

/* Numbers of nodes by tag. */
struct finder {
  int64_t least, most;
  int64_t *dense; /* [most - least + 1] number + 1 of each tag, 0: none; null: tags are scattered */
  int64_t (*sorted)[2]; /* [n] tag and number, ascending */
  int64_t n;
};

static int by_tag(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (x[0] > y[0]) - (x[0] < y[0]);
}

static op2_status twice(const struct op2i_raw *raw, const char *path, int64_t tag) {
  return raw->op2->error(OP2_ERR_IO, "%s: node %" PRId64 " is there twice", path, tag);
}

static op2_status fill_dense(const struct op2i_raw *raw, const char *path, struct finder *finder) {
  finder->dense =
      raw->op2->calloc((size_t)(finder->most - finder->least) + 1, sizeof *finder->dense);
  if (!finder->dense) return raw->op2->error_nomem("numbers of nodes");
  for (int64_t i = 0; i < raw->nnodes; i++) {
    int64_t *at = finder->dense + (raw->tag[i] - finder->least);
    if (*at) return twice(raw, path, raw->tag[i]);
    *at = i + 1;
  }
  return OP2_SUCCESS;
}

static op2_status fill_sorted(const struct op2i_raw *raw, const char *path, struct finder *finder) {
  finder->sorted = raw->op2->calloc((size_t)raw->nnodes, sizeof *finder->sorted);
  if (!finder->sorted) return raw->op2->error_nomem("numbers of nodes");
  for (int64_t i = 0; i < raw->nnodes; i++) {
    finder->sorted[i][0] = raw->tag[i];
    finder->sorted[i][1] = i;
  }
  qsort(finder->sorted, (size_t)raw->nnodes, sizeof *finder->sorted, by_tag);
  for (int64_t i = 1; i < raw->nnodes; i++)
    if (finder->sorted[i][0] == finder->sorted[i - 1][0])
      return twice(raw, path, finder->sorted[i][0]);
  return OP2_SUCCESS;
}

static op2_status make_finder(const struct op2i_raw *raw, const char *path, struct finder *finder) {
  *finder = (struct finder){.n = raw->nnodes};
  if (!raw->nnodes) return raw->op2->error(OP2_ERR_IO, "%s: has no nodes", path);
  finder->least = finder->most = raw->tag[0];
  for (int64_t i = 1; i < raw->nnodes; i++) {
    if (raw->tag[i] < finder->least) finder->least = raw->tag[i];
    if (raw->tag[i] > finder->most) finder->most = raw->tag[i];
  }
  /* Tags may be any numbers of 64 bits, so that their distance may need one bit more. */
  if ((uint64_t)finder->most - (uint64_t)finder->least < 4 * (uint64_t)raw->nnodes + 1000)
    return fill_dense(raw, path, finder);
  return fill_sorted(raw, path, finder);
}

static int64_t find(const struct finder *finder, int64_t tag) {
  if (tag < finder->least || tag > finder->most) return -1;
  if (finder->dense) return finder->dense[tag - finder->least] - 1;
  int64_t key[2] = {tag, 0};
  int64_t(*at)[2] = bsearch(key, finder->sorted, (size_t)finder->n, sizeof *finder->sorted, by_tag);
  return at ? (*at)[1] : -1;
}

static op2_status translate(struct op2i_raw *raw, const char *path, const struct finder *finder) {
  for (int d = 0; d < 4; d++)
    for (int64_t e = 0; e < raw->of[d].n; e++)
      for (int64_t i = op2i_element_begin(&raw->of[d], e); i < raw->of[d].end[e]; i++) {
        int64_t node = find(finder, raw->of[d].node[i]);
        if (node < 0)
          return raw->op2->error(
              OP2_ERR_IO, "%s: element %" PRId64 " has node %" PRId64 ", which is not in the file",
              path, raw->of[d].tag[e], raw->of[d].node[i]);
        raw->of[d].node[i] = node;
      }
  return OP2_SUCCESS;
}

/* ---- cells that are there several times ------------------------------------------------------ */

static int64_t least_node(const struct op2i_elements *list, int64_t e) {
  int64_t least = INT64_MAX;
  for (int64_t i = op2i_element_begin(list, e); i < list->end[e]; i++)
    if (list->node[i] < least) least = list->node[i];
  return least;
}

static bool same_nodes(const struct op2i_elements *list, int64_t a, int64_t b) {
  int64_t begin = op2i_element_begin(list, a), other = op2i_element_begin(list, b);
  int64_t n = list->end[a] - begin;
  return list->kind[a] == list->kind[b] &&
         memcmp(list->node + begin, list->node + other, (size_t)n * sizeof *list->node) == 0;
}

/* Set first[e] to the first element that has the nodes of e. */
static op2_status find_first(const struct op2i_raw *raw, const struct op2i_elements *list,
                             int64_t *first) {
  int64_t *head = raw->op2->calloc((size_t)raw->nnodes + 1, sizeof *head);
  int64_t *next = raw->op2->calloc((size_t)list->n + 1, sizeof *next);
  if (head && next)
    for (int64_t e = 0; e < list->n; e++) {
      int64_t least = least_node(list, e), other = head[least];
      while (other && !same_nodes(list, other - 1, e)) other = next[other];
      first[e] = other ? other - 1 : e;
      if (!other) {
        next[e + 1] = head[least];
        head[least] = e + 1;
      }
    }
  op2_status status = head && next ? OP2_SUCCESS : raw->op2->error_nomem("numbers of cells");
  raw->op2->free(head);
  raw->op2->free(next);
  return status;
}

/* Keep the first of equal cells, with the groups of all. */
static op2_status merge(struct op2i_raw *raw) {
  struct op2i_elements *list = &raw->of[raw->dimension];
  struct op2i_members *members = &raw->group[raw->dimension];
  int64_t *first = raw->op2->calloc((size_t)list->n + 1, sizeof *first), n = 0, nodes = 0;
  if (!first) return raw->op2->error_nomem("numbers of cells");
  op2_status status = find_first(raw, list, first);
  for (int64_t e = 0, begin = 0; e < list->n && !status; e++) {
    const int64_t end = list->end[e], length = end - begin;
    if (first[e] == e) {
      memmove(list->node + nodes, list->node + begin, (size_t)length * sizeof *list->node);
      list->kind[n] = list->kind[e];
      list->tag[n] = list->tag[e];
      list->end[n] = nodes += length;
      first[e] = n++;
    } else
      first[e] = first[first[e]];
    begin = end;
  }
  for (int64_t m = 0; m < members->n && !status; m++)
    members->member[m].element = first[members->member[m].element];
  if (!status) list->n = n;
  raw->op2->free(first);
  return status;
}

op2_status op2i_raw_finish(struct op2i_raw *raw, const char *path) {
  struct finder finder = {0};
  op2_status status = make_finder(raw, path, &finder);
  if (!status) status = translate(raw, path, &finder);
  raw->op2->free(finder.dense);
  raw->op2->free(finder.sorted);
  raw->dimension = 3;
  while (raw->dimension > 0 && !raw->of[raw->dimension].n) raw->dimension--;
  if (!status && raw->dimension == 0)
    status = raw->op2->error(OP2_ERR_IO, "%s: has no cells", path);
  if (!status && raw->repeats) status = merge(raw);
  if (raw->space < raw->dimension) { /* not given, or solid cells with two coordinates */
    raw->space = raw->dimension < 3 ? 2 : 3;
    for (int64_t i = 0; i < raw->nnodes; i++)
      if (raw->x[3 * i + 2] != 0) raw->space = 3;
  }
  return status ? status : op2i_raw_find_turned(raw);
}
