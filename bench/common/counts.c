/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"

#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

/* Print the sum over all ranks, and the largest value of one rank. */
static void print(const char *what, const char *of, double here) {
  double sum = here, most = here;
  ranks_sum(&sum, 1);
  ranks_greatest(&most, 1);
  printf("count %s%s%s %.12g %.12g\n", what, *of ? "_" : "", of, sum, most);
}

static bool print_set(const counted_set *set) {
  static const char *const sections[] = {"core", "owned", "exec", "nonexec"};
  int64_t ends[4];
  TRY(op2_set_sections(set->set, ends));
  for (int s = 0; s < 4; s++)
    print(set->name, sections[s], (double)(ends[s] - (s > 1 ? ends[s - 1] : 0)));
  return true;
fail:
  return false;
}

/* ---- messages and bytes sent ---- */

void counts_free(counts *c) {
  free(c->messages);
  *c = (counts){0};
}

static op2_status add_neighbour(op2_context ctx, counts *c) {
  op2_comm_neighbour neighbour;
  const op2_status status = op2_comm_neighbour_get(ctx, (int)c->n, &neighbour);
  if (status) return status;
  int64_t *grown = realloc(c->messages, (size_t)(c->n + 1) * sizeof *grown);
  if (!grown) return OP2_ERR_NOMEM;
  grown[c->n++] = neighbour.messages;
  c->messages = grown;
  return OP2_SUCCESS;
}

bool counts_get(op2_context ctx, counts *c) {
  op2_status status = OP2_SUCCESS;
  counts_free(c);
  TRY(op2_comm_stats_get(ctx, &c->stats));
  while (!status) status = add_neighbour(ctx, c);
  return status == OP2_ERR_RANGE || report_ok(status, "op2_comm_neighbour_get");
fail:
  return false;
}

/* A neighbour keeps its index; new ones follow. */
static int64_t neighbours_since(const counts *before, const counts *c) {
  int64_t n = 0;
  for (int64_t i = 0; i < c->n; i++)
    n += c->messages[i] > (i < before->n ? before->messages[i] : 0);
  return n;
}

static void print_travel(const counts *before, const counts *c, int64_t iterations) {
  const double each = iterations > 0 ? (double)iterations : 1;
  print("neighbours", "", (double)neighbours_since(before, c));
  print("exchanges", "", (double)(c->stats.exchanges - before->stats.exchanges) / each);
  print("messages", "", (double)(c->stats.messages - before->stats.messages) / each);
  print("bytes", "", (double)(c->stats.bytes - before->stats.bytes) / each);
}

bool counts_print(op2_context ctx, int n, const counted_set *sets, const counts *before,
                  int64_t iterations) {
  counts now = {0};
  double elements = 0;
  for (int s = 0; s < n; s++) {
    if (!print_set(&sets[s])) return false;
    elements += (double)op2_set_size(sets[s].set);
  }
  print("elements", "", elements);
  printf("count rows_cut %lld -\n", (long long)ranks_parts()->cut);
  const bool got = counts_get(ctx, &now);
  if (got) print_travel(before, &now, iterations);
  counts_free(&now);
  return got;
}
