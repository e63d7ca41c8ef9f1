/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps by entries of any description: of 32 or 64 bits, from 0 or 1 on, with entries that lead
 * nowhere, and global ones. They are the maps that the same entries of 32 bits from 0 on make, also
 * between renumbered sets; and what is out of range is refused as it was given. */
#include <limits.h>
#include <string.h>

#include "support.h"

enum { ROWS = 40, TARGETS = 23, ARITY = 3, ALL = ROWS * ARITY, MANY = 50000 };

OP2_KERNEL(sum_up, (int32_t * y, const int32_t *x[3]), { *y = x[0][0] + 5 * x[1][0] + x[2][0]; });

static op2_entries_desc description(int n) {
  const op2_entries_desc how = {
      .type = n & 1 ? OP2_I64 : OP2_I32, .base = n >> 1 & 1, .partial = n & 4, .global = n & 8};
  return how;
}
enum { DESCRIPTIONS = 16 };

/* The same entries by that description; those below 0 lead nowhere. */
static void *describe(const op2_entries_desc *how, int n, const int32_t *entries) {
  int64_t *wide = scratch((size_t)n + 1, sizeof *wide);
  int32_t *narrow = scratch((size_t)n + 1, sizeof *narrow);
  for (int e = 0; e < n; e++) {
    narrow[e] = entries[e] + how->base;
    wide[e] = entries[e] + (entries[e] < 0 ? (int64_t)INT32_MIN * 8 : how->base);
  }
  return how->type == OP2_I64 ? (void *)wide : narrow;
}

static void draw_entries(uint64_t *seed, bool partial, int32_t *entries) {
  for (int e = 0; e < ALL; e++)
    entries[e] =
        partial && !draw_below(seed, 3) ? -1 - draw_below(seed, 4) : draw_below(seed, TARGETS);
}

static void expect_map(op2_map map, const op2_entries_desc *how, const int32_t *entries) {
  int32_t is[ALL];
  op2_map_info info;
  MUST(op2_map_get(map, is));
  MUST(op2_map_info_get(map, &info));
  EXPECT(info.partial == how->partial && info.has_values && info.origin == OP2_MAP_DECLARED);
  for (int e = 0; e < ALL; e++) EXPECT(is[e] == (entries[e] < 0 ? -1 : entries[e]));
}

/* A loop reads the targets that the entries say. */
static void expect_loop(op2_map map, op2_set from, op2_set to, const int32_t *entries) {
  int32_t values[TARGETS];
  for (int i = 0; i < TARGETS; i++) values[i] = 3 * i + 1;
  op2_dat x = new_dat(to, 1, OP2_I32, values, "x"), y = new_dat(from, 1, OP2_I32, NULL, "y");
  MUST(op2_par_loop(new_kernel(&sum_up_kernel), from, op2_arg_direct(y, OP2_WRITE),
                    op2_arg_dat(x, OP2_ALL, map, OP2_READ)));
  EXPECT_VALUES(int32_t, y, ROWS, i,
                values[entries[3 * i]] + 5 * values[entries[3 * i + 1]] +
                    values[entries[3 * i + 2]]);
}

/* Sets are renumbered between two maps of each description, unless the library cannot. */
static void descriptions(void) {
  uint64_t seed = 3;
  int32_t entries[ALL];
  op2_set from = new_set(ROWS, "from"), to = new_set(TARGETS, "to");
  draw_entries(&seed, false, entries);
  op2_map by = new_map(from, to, ARITY, entries, "by");
  for (int n = 0; n < 2 * DESCRIPTIONS; n++) {
    const op2_entries_desc how = description(n % DESCRIPTIONS);
    op2_map map = NULL;
    draw_entries(&seed, how.partial, entries);
    MUST(op2_map_create_entries(from, to, ARITY, &how, describe(&how, ALL, entries), "map", &map));
    own_map(map);
    expect_map(map, &how, entries);
    if (!how.partial) expect_loop(map, from, to, entries);
    if (n != DESCRIPTIONS - 1) continue;
    const op2_status status = op2_renumber(by);
    if (status == OP2_ERR_UNAVAILABLE) return;
    MUST(status);
    expect_map(map, &how, entries);
  }
}

/* Maps that are copied in pieces, and by several threads. */
static void many(void) {
  op2_set from = new_set(MANY, "from"), to = new_set(MANY, "to");
  int32_t *entries = scratch(MANY * ARITY, sizeof *entries),
          *is = scratch(MANY * ARITY, sizeof *is);
  for (int e = 0; e < MANY * ARITY; e++) entries[e] = (int32_t)((int64_t)e * 7919 % MANY);
  for (int n = 0; n < 4; n++) {
    const op2_entries_desc how = description(n);
    void *given = describe(&how, MANY * ARITY, entries);
    op2_map map = NULL;
    MUST(op2_map_create_entries(from, to, ARITY, &how, given, "map", &map));
    MUST(op2_map_get(map, is));
    EXPECT(!memcmp(is, entries, MANY * ARITY * sizeof *is));
    op2_map_destroy(&map);
    const int at = 3 * 41234 + 1;
    if (how.type == OP2_I64)
      ((int64_t *)given)[at] = (int64_t)1 << 32;
    else
      ((int32_t *)given)[at] = MANY + 1;
    REFUSED(OP2_ERR_RANGE, op2_map_create_entries(from, to, ARITY, &how, given, "map", &map),
            how.type == OP2_I64 ? "entry 4294967296 at row 41234, column 1"
                                : "entry 50001 at row 41234, column 1");
  }
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Entries are reported as they were given, also those that 32 bits would make good ones. */
static void strays(void) {
  static const int64_t high = ((int64_t)1 << 32) + 1;
  static const struct {
    op2_entries_desc how;
    int64_t entry;
    const char *words;
  } all[] = {
      {{.type = OP2_I64}, high, "entry 4294967297 at row 1, column 0 is not in [0, 4)"},
      {{.type = OP2_I64}, -1, "entry -1 at row 1, column 0 is not in [0, 4)"},
      {{.type = OP2_I64}, INT64_MIN, "entry -9223372036854775808 at row 1, column 0"},
      {{.type = OP2_I64}, INT64_MAX, "entry 9223372036854775807 at row 1, column 0"},
      {{.type = OP2_I64, .base = 1}, INT64_MIN, "entry -9223372036854775808 at row 1"},
      {{.type = OP2_I64, .base = 1}, 0, "entry 0 at row 1, column 0 is not in [1, 5)"},
      {{.type = OP2_I64, .base = 1}, 5, "entry 5 at row 1, column 0 is not in [1, 5)"},
      {{.type = OP2_I32}, 4, "entry 4 at row 1, column 0 is not in [0, 4)"},
      {{.type = OP2_I32}, INT32_MIN, "entry -2147483648 at row 1, column 0 is not in [0, 4)"},
      {{.type = OP2_I32, .base = 1}, INT32_MIN, "entry -2147483648 at row 1"},
      {{.type = OP2_I32, .base = 1}, 0, "entry 0 at row 1, column 0 is not in [1, 5)"},
      {{.type = OP2_I32, .base = 1, .partial = true}, 5, "entry 5 at row 1, column 0"},
      {{.type = OP2_I64, .partial = true}, high, "entry 4294967297 at row 1, column 0"},
      {{.type = OP2_I64, .base = 1, .global = true}, 0, "entry 0 at row 1, column 0"},
      {{.type = OP2_I32, .global = true}, 4, "entry 4 at row 1, column 0 is not in [0, 4)"},
  };
  op2_set from = new_set(3, "from"), to = new_set(4, "to");
  op2_map map = NULL;
  for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
    const int64_t wide[] = {1, all[n].entry, 2};
    const int32_t narrow[] = {1, (int32_t)all[n].entry, 2};
    const void *idx = all[n].how.type == OP2_I64 ? (const void *)wide : narrow;
    REFUSED(OP2_ERR_RANGE, op2_map_create_entries(from, to, 1, &all[n].how, idx, "map", &map),
            "map 'map' (from -> to)", all[n].words);
  }
  EXPECT(!map);
}

/* The message asks whether entries count from 1 if all of them would be right then. */
static void counted_from_one(void) {
  static const struct {
    int32_t idx[3];
    bool partial, asked;
  } all[] = {{{1, 4, 2}, false, true},
             {{0, 4, 2}, false, false},
             {{1, 4, 5}, false, false},
             {{1, 5, 2}, false, false},
             {{-1, 4, 2}, true, false}};
  op2_set from = new_set(3, "from"), to = new_set(4, "to");
  op2_map map = NULL;
  for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
    const op2_entries_desc how = {.type = OP2_I32, .partial = all[n].partial};
    REFUSED(OP2_ERR_RANGE, op2_map_create_entries(from, to, 1, &how, all[n].idx, "map", &map),
            "at row 1", "is not in [0, 4)");
    EXPECT(!strstr(op2_error_message(), "do the entries count from 1?") == !all[n].asked);
  }
  REFUSED(OP2_ERR_RANGE, op2_map_create(from, to, 1, all[0].idx, "map", &map),
          "op2_map_create_entries() takes such maps with base = 1");
  const op2_entries_desc how = {.type = OP2_I32, .base = 1};
  REFUSED(OP2_ERR_RANGE, op2_map_create_entries(from, to, 1, &how, all[3].idx, "map", &map),
          "row 1");
  EXPECT(!strstr(op2_error_message(), "?"));
  MUST(op2_map_create_entries(from, to, 1, &how, all[0].idx, "map", &map));
}

static void refused(void) {
  op2_set from = new_set(3, "from"), to = new_set(4, "to"), none = new_set(0, "none");
  const int32_t idx[3] = {1, 2, 3};
  op2_map map = NULL;
  int mark;
  op2_entries_desc how = {.type = OP2_I32};
#define TRY(from_, to_, idx_) op2_map_create_entries(from_, to_, 1, &how, idx_, "map", &map)
  REFUSED(OP2_ERR_ARG, op2_map_create_entries(from, to, 1, NULL, idx, "map", &map), "description");
  REFUSED(OP2_ERR_ARG, op2_map_create_entries(from, to, 1, &how, idx, "map", NULL), "map is null");
  REFUSED(OP2_ERR_ARG, op2_map_create_entries(NULL, to, 1, &how, idx, "map", &map), "null");
  REFUSED(OP2_ERR_ARG, op2_map_create_entries(from, to, 0, &how, idx, "map", &map), "arity 0");
  how.base = 2;
  REFUSED(OP2_ERR_ARG, TRY(from, to, idx), "map 'map'", "from 2 on");
  how = (op2_entries_desc){.type = OP2_F64};
  REFUSED(OP2_ERR_TYPE, TRY(from, to, idx), "map 'map'", "OP2_F64");
  how = (op2_entries_desc){.base = 1};
  REFUSED(OP2_ERR_TYPE, TRY(from, to, idx), "map 'map'");
  how = (op2_entries_desc){.type = OP2_I32, .reserved = {NULL, &mark}};
  REFUSED(OP2_ERR_ARG, TRY(from, to, idx), "map 'map'", "reserved");
  how = (op2_entries_desc){.type = OP2_I32, .partial = true};
  REFUSED(OP2_ERR_ARG, TRY(from, to, NULL), "map 'map'", "null");
  REFUSED(OP2_ERR_RANGE, TRY(from, none, idx), "set 'none' has no elements, and 'from' has some");
  how.global = true;
  REFUSED(OP2_ERR_RANGE, TRY(from, none, idx), "set 'none' has no elements, and 'from' has some");
  how.partial = false;
  REFUSED(OP2_ERR_ARG, TRY(from, to, NULL), "map 'map'", "null");
  EXPECT(!map);
}

/* Without entries there is a map without values, or one of no rows. */
static void no_entries(void) {
  op2_set from = new_set(3, "from"), to = new_set(4, "to"), none = new_set(0, "none");
  for (int n = 0; n < DESCRIPTIONS; n++) {
    const op2_entries_desc how = description(n);
    op2_map bare = NULL, empty = NULL;
    op2_map_info info;
    if (!how.partial && !how.global) {
      MUST(op2_map_create_entries(from, to, 2, &how, NULL, "bare", &bare));
      MUST(op2_map_info_get(bare, &info));
      EXPECT(!info.has_values);
      op2_map_destroy(&bare);
    }
    MUST(op2_map_create_entries(none, to, 2, &how, NULL, "empty", &empty));
    MUST(op2_map_info_get(empty, &info));
    EXPECT(info.has_values == (how.partial || how.global) && info.partial == how.partial);
    op2_map_destroy(&empty);
  }
}

static const struct test_case cases[] = {
    {"maps of every description", descriptions},
    {"large maps", many},
    {"entries out of range", strays},
    {"entries that count from 1", counted_from_one},
    {"descriptions and arguments that are refused", refused},
    {"maps without entries", no_entries},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
