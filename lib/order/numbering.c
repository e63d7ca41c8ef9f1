/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of how well the elements of two sets are numbered relative to one another: whether
 * consecutive rows of a map lead to targets that lie near each other. They are taken on samples of
 * the map, so that the time does not depend on its size. */
#include "numbering.h"

#include <string.h>

#include "context.h"
#include "mem.h"
#include "renumber.h"
#include "renumber_order.h"

enum {
  STRETCHES = 32,
  ENTRIES = 2048,  /* map entries in a stretch of consecutive rows */
  ROWS_LEAST = 16, /* least number of rows in a stretch, whatever the arity */
  LINE = 8,        /* targets in a cache line, for one double each */
};

/* Count the cache lines that n entries touch. `table` has a capacity of 2^bits lines, at least 2
 * n. */
static int64_t count_lines(const int32_t *idx, int64_t n, int32_t *table, int bits) {
  uint32_t mask = (UINT32_C(1) << bits) - 1;
  int64_t lines = 0;
  memset(table, 0xff, sizeof *table << bits);
  for (int64_t i = 0; i < n; i++) {
    int32_t line = idx[i] / LINE;
    uint32_t at = (uint32_t)line * UINT32_C(2654435769) >> (32 - bits);
    while (table[at] >= 0 && table[at] != line) at = (at + 1) & mask;
    lines += table[at] < 0;
    table[at] = line;
  }
  return lines;
}

static double sum_spans(const int32_t *idx, int64_t rows, int32_t arity) {
  double sum = 0;
  for (int64_t row = 0; row < rows; row++, idx += arity) {
    int32_t least = idx[0], most = idx[0];
    for (int32_t slot = 1; slot < arity; slot++) {
      if (idx[slot] < least) least = idx[slot];
      if (idx[slot] > most) most = idx[slot];
    }
    sum += (double)most - least;
  }
  return sum;
}

void op2i_map_measure(op2_map map) {
  int64_t rows = map->from->ends[OP2I_OWNED], length = ENTRIES / map->arity;
  if (map->rows_per_slice) rows = 0; /* the row table of a matrix in slices has no targets */
  if (map->first) rows = op2i_row_table_end(map->first->idx, map->first->rows_per_slice, rows);
  if (length < ROWS_LEAST) length = ROWS_LEAST;
  if (length > rows) length = rows;
  int bits = 1;
  while (bits < 31 && INT64_C(1) << bits < 2 * length * map->arity) bits++;
  int32_t *table = map->idx && rows ? op2i_malloc(sizeof *table << bits) : NULL;
  map->scatter = map->span = 0;
  if (!table) return; /* without memory the map counts as well numbered */
  int64_t lines = 0;
  double spans = 0;
  for (int s = 0; s < STRETCHES; s++) {
    const int32_t *idx = map->idx + (rows - length) / (STRETCHES - 1) * s * map->arity;
    lines += count_lines(idx, length * map->arity, table, bits);
    spans += sum_spans(idx, length, map->arity);
  }
  map->scatter = (float)lines / (float)(STRETCHES * length * map->arity);
  map->span = (float)(spans / (double)(STRETCHES * length));
  op2i_free(table);
}

/* ---- memory traffic of a numbering ----------------------------------------------------------- */

enum {
  TARGETS_IN_LINE = 2, /* targets of 32 bytes: a few numbers for each element */
  CACHE_LINES = (4 << 20) / 64,
  WINDOWS = 4, /* windows of consecutive rows, at equal distances */
};

/* A map as it would be with other numberings of its sets. */
struct numbered {
  op2_map map;
  const int64_t *order, *inverse;
};

/* Count the rows from `at` on whose targets fit into a cache of `room` lines, the row that fills it
 * included. A window is the rows between two such fillings: met[line] is `window` if one of its rows
 * has touched this cache line already. */
static int64_t fill_cache(const struct numbered *as, int64_t at, int64_t room, int32_t *met,
                          int32_t window, int64_t *lines) {
  int64_t rows = as->map->from->ends[OP2I_OWNED], first = at;
  for (*lines = 0; at < rows && *lines < room; at++) {
    const int32_t *row = as->map->idx + (as->order ? as->order[at] : at) * as->map->arity;
    for (int32_t slot = 0; slot < as->map->arity; slot++) {
      int64_t target = as->inverse ? as->inverse[row[slot]] : row[slot];
      int32_t *line = &met[target / TARGETS_IN_LINE];
      *lines += *line != window;
      *line = window;
    }
  }
  return at - first;
}

double op2i_map_traffic(op2_map map, const int64_t *order, const int64_t *inverse) {
  struct numbered as = {map, order, inverse};
  int64_t rows = map->from->ends[OP2I_OWNED], some = 0, counted = 0, lines = 0;
  int64_t all = map->to->ends[OP2I_NONEXEC] / TARGETS_IN_LINE + 1;
  int64_t room = all / 4 < CACHE_LINES ? all / 4 + 1 : CACHE_LINES;
  int32_t *met = map->idx && rows ? op2i_alloc_data((size_t)all * sizeof *met) : NULL;
  if (!met) return 1;
  for (int w = 0; w < WINDOWS; w++) {
    counted += fill_cache(&as, rows / WINDOWS * w, room, met, w + 1, &some);
    lines += some;
  }
  op2i_free_data(met);
  return (double)lines / (double)counted * (double)rows / (double)all;
}

/* ---- estimated gain of renumbering ----------------------------------------------------------- */

/* Renumbering takes as long as some 80 loops through the map once it is in order (measured: a
 * triangulation of 1.3 million edges, rows of five doubles, two threads), and a loop through the
 * present map takes `traffic` times as long as one of those. */
enum { LOOPS_LOOK = 8, LOOPS_PAY = 80, TARGETS_FEW = 32768 };

/* True if the target set can be numbered by this map: rows connect several targets, and there are
 * enough entries that none is left out in a mesh, where each target is in some rows. */
static bool joins(op2_map map) {
  return map->idx && !map->conflict_map && !map->first && !map->rows_per_slice &&
         (map->arity > 1 || map->from == map->to) &&
         map->from->ends[OP2I_OWNED] * map->arity >= 2 * map->to->ends[OP2I_OWNED];
}

static bool at_once(op2_map map) { return map->obj.ctx->config.renumber == 1; }

static bool is_candidate(op2_map map) {
  if (!op2i_renumbers(map->obj.ctx) || !joins(map) || op2i_order_unavailable()) return false;
  if (map->obj.ctx->comm) return false; /* op2_partition() has checked it already */
  return at_once(map) || map->to->ends[OP2I_OWNED] >= TARGETS_FEW;
}

bool op2i_numbering_spread(op2_map map) {
  int64_t rows = op2_set_global_size(map->from), targets = op2_set_global_size(map->to);
  if (!op2i_renumbers(map->obj.ctx) || op2i_order_unavailable()) return false;
  if (!map->idx || (map->arity == 1 && map->from != map->to)) return false;
  return rows * map->arity >= 2 * targets && (at_once(map) || targets >= TARGETS_FEW);
}

/* Enter a state, which lasts until as many rows as `loops` loops have used the map. */
static void set_state(op2_map map, enum op2i_numbering to, double loops) {
  map->numbering = to;
  map->rows_to_wait = (int64_t)(loops * (double)map->from->ends[OP2I_OWNED]);
}

bool op2i_numbering_measure(op2_map map, int32_t colors, int32_t blocks) {
  const double good = 1.5;
  const double traffic = at_once(map) || blocks ? good : op2i_map_traffic(map, NULL, NULL);
  const double loops = at_once(map) || blocks ? 0 : LOOPS_PAY / (traffic - 1) - LOOPS_LOOK;
  map->crowd_colors = colors;
  map->crowd_blocks = blocks;
  if (traffic < good)
    set_state(map, OP2I_NUMBERING_NOT_CANDIDATE, 0);
  else
    set_state(map, OP2I_NUMBERING_PENDING, loops);
  return map->numbering == OP2I_NUMBERING_PENDING && map->rows_to_wait <= 0;
}

enum op2i_numbering op2i_numbering_of(op2_map map) {
  if (map->numbering == OP2I_NUMBERING_NEW)
    set_state(map, is_candidate(map) ? OP2I_NUMBERING_COUNTING : OP2I_NUMBERING_NOT_CANDIDATE,
              at_once(map) ? 0 : LOOPS_LOOK);
  return map->numbering;
}

bool op2i_numbering_waits(op2_map map) {
  enum op2i_numbering numbering = op2i_numbering_of(map);
  return numbering == OP2I_NUMBERING_COUNTING || numbering == OP2I_NUMBERING_PENDING;
}

void op2i_numbering_settle(op2_map map) {
  bool measured = map->numbering == OP2I_NUMBERING_PENDING || map->numbering == OP2I_NUMBERING_DONE;
  set_state(map, measured ? OP2I_NUMBERING_DONE : OP2I_NUMBERING_NOT_CANDIDATE, 0);
}

enum op2i_numbering_due op2i_numbering_count_rows(op2_map map, const struct op2i_map_use *use,
                                                  bool put_off) {
  if (!op2i_numbering_waits(map)) return OP2I_NUMBERING_DUE_NOTHING;
  map->rows_to_wait -= use->rows;
  map->modified |= use->modifies;
  if (map->rows_to_wait > 0) return OP2I_NUMBERING_DUE_NOTHING;
  if (map->from->number || map->to->number) {
    op2i_numbering_settle(map);
    return OP2I_NUMBERING_DUE_NOTHING;
  }
  if (put_off) return OP2I_NUMBERING_DUE_NOTHING;
  if (map->numbering == OP2I_NUMBERING_PENDING) return OP2I_NUMBERING_DUE_RENUMBER;
  return map->modified && !use->modifies ? OP2I_NUMBERING_DUE_NOTHING : OP2I_NUMBERING_DUE_MEASURE;
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* True if the map is worth measuring: its set is large (small sets are in caches anyway, and their
 * blocks are few), and op2_renumber() can renumber its sets and has not done so. */
static bool in_question(op2_map map) {
  enum { ROWS_FEW = 32768 };
  bool mendable = !map->conflict_map && !map->first && (map->arity > 1 || map->from == map->to);
  return mendable && map->from->ends[OP2I_OWNED] >= ROWS_FEW && !map->from->number &&
         !map->to->number;
}

bool op2i_map_scattered(op2_map map) { return in_question(map) && map->scatter > 0.4f; }

/* The largest number of blocks that share a target, through any slot; -1: not enough memory. */
static int64_t most_blocks(const struct op2i_plan *plan, const int64_t *subset, op2_map map) {
  int64_t targets = map->to->ends[OP2I_NONEXEC], most = 0;
  struct met {
    int32_t last, blocks; /* the last block that used the target, plus 1; number of such blocks */
  } *met = op2i_alloc_data((size_t)targets * sizeof *met);
  if (!met) return -1;
  for (int32_t b = 0; b < plan->nblocks; b++)
    for (int64_t p = op2i_plan_block_lo(plan, b); p < op2i_plan_block_hi(plan, b); p++)
      for (int32_t slot = 0; slot < map->arity; slot++) {
        struct met *m = &met[map->idx[(subset ? subset[p] : p) * map->arity + slot]];
        if (m->last == b + 1) continue;
        m->last = b + 1;
        if (++m->blocks > most) most = m->blocks;
      }
  op2i_free_data(met);
  return most;
}

bool op2i_map_crowds(op2_map map, const struct op2i_plan *plan, const int64_t *subset) {
  enum { BLOCKS_FEW = 64 };
  if (!in_question(map) || plan->nblocks < BLOCKS_FEW || plan->ordered) return false;
  if (plan->ncolors <= plan->nblocks / 8) return false;
  if (map->scatter < 0) op2i_map_measure(map);
  if (map->scatter < 0.2f && map->span < (float)map->to->ends[OP2I_NONEXEC] / 16) return false;
  int64_t most = most_blocks(plan, subset, map);
  return most >= 0 && plan->ncolors > 2 * most;
}
