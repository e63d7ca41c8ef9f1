/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a set by global number: each rank gets and sets rows of any range, whichever rank owns
 * them; inconsistent calls are reported on all ranks. */
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "comm.h"
#include "context.h"
#include "init.h"
#include "mail.h"
#include "rank_case.h"
#include "set.h"
#include "support.h"
#include "tap.h"

struct choice {
  int64_t size;
  uint64_t seed;
  int spoil;
};

/* The words of a row of 12 bytes, computed from its number and the number of the pass. */
enum { WORDS = 3 };
static int32_t word(int64_t number, int w, int round) {
  return (int32_t)(number * 7 + w * 1000003 + round * 31);
}

static int owner_of(const struct choice *choice, int ranks, int64_t number) {
  uint64_t state = choice->seed * 977 + (uint64_t)number;
  (void)draw(&state);
  return choice->seed % 4 ? draw_below(&state, ranks) : (int)choice->seed / 4 % ranks;
}

/* A set of owned elements in random order, without a halo. */
static op2_status declare(op2_context ctx, const struct choice *choice, int rank, int ranks,
                          op2_set *set) {
  int64_t *global = calloc((size_t)choice->size + 1, sizeof *global), n = 0;
  uint64_t seed = choice->seed + (uint64_t)rank;
  for (int64_t g = 0; g < choice->size; g++)
    if (owner_of(choice, ranks, g) == rank) global[n++] = g;
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t k = draw_below(&seed, (int)i + 1), other = global[i];
    global[i] = global[k];
    global[k] = other;
  }
  op2_status status =
      op2i_set_create_halo(ctx, (const int64_t[4]){n, n, n, n}, global, NULL, "cells", set);
  free(global);
  return status;
}

static int wrong_rows(const int32_t *rows, int64_t n, int64_t first, int round) {
  int wrong = 0;
  for (int64_t i = 0; i < n * WORDS; i++)
    wrong += rows[i] != word(first + i / WORDS, (int)(i % WORDS), round);
  return wrong;
}

static int get_some(op2_set set, const struct choice *choice, uint64_t *seed) {
  int64_t owned = op2_set_size(set), first = draw_below(seed, (int)choice->size + 1);
  int64_t n = draw_below(seed, (int)(choice->size - first) + 1);
  int32_t *rows = malloc((size_t)(owned + 1) * WORDS * sizeof *rows);
  int32_t *out = malloc((size_t)(n + 1) * WORDS * sizeof *out);
  for (int64_t i = 0; i < owned * WORDS; i++)
    rows[i] = word(op2i_set_number(set, i / WORDS), (int)(i % WORDS), 0);
  int wrong = op2i_block_get(set, WORDS * sizeof *rows, rows, first, n, out) != OP2_SUCCESS;
  if (!wrong) wrong = wrong_rows(out, n, first, 0);
  free(rows);
  free(out);
  return wrong;
}

/* Every rank sets the rows of its share except the last one, which keeps its value. */
static int put_some(op2_set set, const struct choice *choice, int rank, int ranks) {
  int64_t owned = op2_set_size(set), first = op2i_share_first(choice->size, ranks, rank);
  int64_t end = op2i_share_first(choice->size, ranks, rank + 1),
          n = end > first ? end - first - 1 : 0;
  int32_t *rows = malloc((size_t)(owned + 1) * WORDS * sizeof *rows);
  int32_t *in = malloc((size_t)(n + 1) * WORDS * sizeof *in);
  for (int64_t i = 0; i < owned * WORDS; i++) rows[i] = -1;
  for (int64_t i = 0; i < n * WORDS; i++) in[i] = word(first + i / WORDS, (int)(i % WORDS), 1);
  int wrong = op2i_block_put(set, WORDS * sizeof *rows, first, n, in, rows) != OP2_SUCCESS;
  for (int64_t i = 0; i < owned * WORDS && !wrong; i++) {
    int64_t number = op2i_set_number(set, i / WORDS);
    int holder = op2i_share_rank(choice->size, ranks, number);
    bool last = number == op2i_share_first(choice->size, ranks, holder + 1) - 1;
    wrong += rows[i] != (last ? -1 : word(number, (int)(i % WORDS), 1));
  }
  free(rows);
  free(in);
  return wrong;
}

/* Every third element, by lists whose lengths differ; the last rank has none. */
static int put_list(op2_set set, const struct choice *choice, int rank, int ranks) {
  const int64_t owned = op2_set_size(set), end = op2i_share_first(choice->size, ranks, rank + 1);
  int32_t *rows = malloc((size_t)(owned + 1) * sizeof *rows);
  int32_t *in = malloc((size_t)(choice->size + 1) * sizeof *in);
  int64_t *numbers = malloc((size_t)(choice->size + 1) * sizeof *numbers), n = 0;
  const int64_t without = op2i_share_first(choice->size, ranks, ranks - 1);
  for (int64_t i = 0; i < owned; i++) rows[i] = -1;
  for (int64_t i = op2i_share_first(choice->size, ranks, rank); i < end; i++)
    if (i % 3 == 0 && i < without) {
      in[n] = word(i, 0, 2);
      numbers[n++] = i;
    }
  int wrong = op2i_block_put_list(set, sizeof *rows, n, numbers, in, rows) != OP2_SUCCESS;
  for (int64_t i = 0; i < owned && !wrong; i++) {
    const int64_t number = op2i_set_number(set, i);
    wrong += rows[i] != (number % 3 == 0 && number < without ? word(number, 0, 2) : -1);
  }
  free(numbers);
  free(rows);
  free(in);
  return wrong;
}

static int random_rank(struct op2i_comm *comm, void *data) {
  const struct choice *choice = data;
  const op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  op2_set set = NULL;
  uint64_t seed = choice->seed * 13 + (uint64_t)comm->rank;
  int rank = comm->rank, ranks = comm->size;
  int wrong = op2i_init_ranks(&options, comm, &ctx) != OP2_SUCCESS;
  if (!wrong) wrong = declare(ctx, choice, rank, ranks, &set) != OP2_SUCCESS;
  for (int i = 0; i < 3 && !wrong; i++) wrong += get_some(set, choice, &seed);
  if (!wrong) wrong = put_some(set, choice, rank, ranks);
  if (!wrong) wrong = put_list(set, choice, rank, ranks);
  op2_set_destroy(&set);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void random_sets(void) {
  static const int ranks[] = {1, 2, 3, 4, 7};
  static const int64_t sizes[] = {0, 1, 5, 300};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      int wrong = 0;
      for (uint64_t seed = 1; seed <= 8; seed++)
        wrong += run_contexts(ranks[r], random_rank, &(struct choice){sizes[s], seed, 0});
      is_int(wrong, 0, "%d elements on %d ranks", (int)sizes[s], ranks[r]);
    }
}

/* ---- division into blocks -------------------------------------------------------------------- */

static void shares(void) {
  int wrong = 0;
  for (int ranks = 1; ranks < 9; ranks++)
    for (int64_t size = 0; size < 40; size++) {
      wrong +=
          op2i_share_first(size, ranks, 0) != 0 || op2i_share_first(size, ranks, ranks) != size;
      for (int r = 0; r < ranks; r++) {
        int64_t first = op2i_share_first(size, ranks, r),
                end = op2i_share_first(size, ranks, r + 1);
        wrong += end - first < size / ranks || end - first > size / ranks + 1;
        for (int64_t i = first; i < end; i++) wrong += op2i_share_rank(size, ranks, i) != r;
      }
    }
  is_int(wrong, 0, "shares are whole, equal but for one, and found");
}

/* ---- inconsistent arguments ------------------------------------------------------------------ */

enum { BEFORE = 1, BEHIND, TWICE, TWICE_BEHIND, SPOILS };

/* Rank 1 of 3 makes an error; each rank has two of six elements. */
static int spoilt(struct op2i_comm *comm, void *data) {
  static const char *const says[] = {
      [BEFORE] = "rank 1 of 3: set 'cells': 2 elements from -1 on are not in [0, 6)",
      [BEHIND] = "rank 1 of 3: set 'cells': 2 elements from 5 on are not in [0, 6)",
      [TWICE] = "set 'cells': ranks 1 and 2 both give the element with the global number 4",
      [TWICE_BEHIND] = "set 'cells': ranks 1 and 2 both give the element with the global number 5"};
  const op2_options options = {.backend = "sequential"};
  int spoil = *(const int *)data, wrong = 1;
  int64_t first = 2 * comm->rank, n = 2, rows[2] = {-1, -1}, in[2] = {5, 5};
  op2_context ctx = NULL;
  op2_set set = NULL;
  if (spoil == TWICE_BEHIND && comm->rank == 2) first = 5, n = 1;
  if (comm->rank == 1) first = spoil == BEFORE ? -1 : spoil == BEHIND ? 5 : spoil == TWICE ? 3 : 4;
  if (!op2i_init_ranks(&options, comm, &ctx) && !op2_set_create(ctx, 2, "cells", &set))
    wrong = !op2i_block_put(set, sizeof *in, first, n, in, rows);
  if (!wrong) wrong = !strstr(op2_error_message(), says[spoil]) || rows[0] != -1 || rows[1] != -1;
  if (wrong && comm->rank == 0) fprintf(stderr, "# %s\n", op2_error_message());
  op2_set_destroy(&set);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void without_ranks(void) {
  const op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  op2_set set = NULL;
  int32_t in[] = {10, 11, 12, 13}, out[2] = {0};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, 4, "cells", &set));
  CHECK(op2i_block_get(set, sizeof *in, in, 1, 2, out));
  ok(out[0] == 11 && out[1] == 12, "without ranks: the set's own rows");
  CHECK(op2i_block_put(set, sizeof *in, 2, 2, out, in));
  ok(in[1] == 11 && in[2] == 11 && in[3] == 12, "and the other way");
  FAILS(op2i_block_get(set, sizeof *in, in, 3, 2, out), OP2_ERR_RANGE);
  const int64_t ends[] = {0, 3}, beyond[] = {2, 4};
  CHECK(op2i_block_put_list(set, sizeof *in, 2, ends, (const int32_t[]){5, 6}, in));
  ok(in[0] == 5 && in[1] == 11 && in[2] == 11 && in[3] == 6, "elements of a list");
  FAILS(op2i_block_put_list(set, sizeof *in, 2, beyond, out, in), OP2_ERR_RANGE);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
}

int main(void) {
  test_environment();
  shares();
  random_sets();
  for (int spoil = BEFORE; spoil < SPOILS; spoil++)
    is_int(run_contexts(3, spoilt, &spoil), 0, "told on all ranks, %d", spoil);
  without_ranks();
  return done();
}
