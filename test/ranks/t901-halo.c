/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos: the rows to send are derived from the owners, on random decompositions; if what ranks
 * declare is inconsistent, all of them report it. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "halo.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

/* A rank's part of a set of `size` elements, drawn from one seed by all ranks. */
struct part {
  int64_t ends[4];
  int64_t *global;
  int32_t *owner;
};

enum kind { RANDOM, BLOCKS, ALL_ON_ONE, KINDS };
struct choice {
  enum kind kind;
  int64_t size;
  uint64_t seed;
  int spoil; /* kind of error; 0: none */
};

static int owner_of(const struct choice *choice, int ranks, int64_t global) {
  uint64_t state = choice->seed * 977 + (uint64_t)global;
  if (choice->kind == BLOCKS) return (int)(global * ranks / choice->size);
  if (choice->kind == ALL_ON_ONE) return (int)(choice->seed % (uint64_t)ranks);
  (void)draw(&state);
  return draw_below(&state, ranks);
}

static void shuffle(int64_t *list, int64_t n, uint64_t *seed) {
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t k = draw_below(seed, (int)i + 1), other = list[i];
    list[i] = list[k];
    list[k] = other;
  }
}

static struct part draw_part(const struct choice *choice, int ranks, int rank) {
  struct part part = {.global = calloc((size_t)choice->size + 1, sizeof *part.global),
                      .owner = calloc((size_t)choice->size + 1, sizeof *part.owner)};
  int64_t *others = calloc((size_t)choice->size + 1, sizeof *others), n = 0, owned = 0;
  uint64_t seed = choice->seed * 31 + (uint64_t)rank + 5;
  for (int64_t g = 0; g < choice->size; g++) {
    if (owner_of(choice, ranks, g) == rank)
      part.global[owned++] = g;
    else if (draw_below(&seed, 3) == 0)
      others[n++] = g;
  }
  shuffle(part.global, owned, &seed);
  shuffle(others, n, &seed);
  part.ends[0] = owned ? draw_below(&seed, (int)owned + 1) : 0;
  part.ends[1] = owned;
  part.ends[2] = owned + draw_below(&seed, (int)n + 1);
  part.ends[3] = owned + n;
  for (int64_t i = 0; i < n; i++) {
    part.global[owned + i] = others[i];
    part.owner[i] = owner_of(choice, ranks, others[i]);
  }
  free(others);
  return part;
}

static void free_part(struct part *part) {
  free(part->global);
  free(part->owner);
}

/* Send each row's number over the lists, and check that it arrives in the right row. */
static int travel(struct op2i_comm *comm, const struct part *part, const struct op2i_halo *halo) {
  struct op2i_message *messages[256];
  int64_t *got = malloc((size_t)(part->ends[3] + 1) * sizeof *got);
  int64_t *rooms[256];
  int n = 0, wrong = 0;
  bool over;
  memset(got, 0xFF, (size_t)(part->ends[3] + 1) * sizeof *got);
  for (int i = 0; i < halo->n; i++) {
    const struct op2i_neighbour *peer = &halo->neighbours[i];
    wrong += i > 0 && halo->neighbours[i - 1].rank >= peer->rank;
    for (int p = 0; p < OP2I_HALO_PARTS; p++)
      for (int out = 0; out < 2; out++) {
        const struct op2i_rows *rows = out ? &peer->out[p] : &peer->in[p];
        rooms[n] = malloc((size_t)(rows->n + 1) * sizeof **rooms);
        for (int64_t r = 0; r < rows->n && out; r++) {
          wrong += rows->row[r] < 0 || rows->row[r] >= part->ends[1];
          rooms[n][r] = part->global[rows->row[r]];
        }
        const struct op2i_envelope e = {out, peer->rank, p, rooms[n],
                                        (size_t)rows->n * sizeof **rooms};
        wrong += comm->kind->open(comm, &e, &messages[n++]) != OP2_SUCCESS;
      }
  }
  wrong += comm->kind->start(comm, n, messages) != OP2_SUCCESS;
  wrong += comm->kind->over(comm, n, messages, true, &over) != OP2_SUCCESS;
  for (int i = 0, m = 0; i < halo->n; i++)
    for (int p = 0; p < OP2I_HALO_PARTS; p++, m += 2) {
      const struct op2i_rows *rows = &halo->neighbours[i].in[p];
      for (int64_t r = 0; r < rows->n; r++) {
        bool here = rows->row[r] >= part->ends[1 + p] && rows->row[r] < part->ends[2 + p];
        wrong += !here || got[rows->row[r]] != -1;
        got[rows->row[r]] = rooms[m][r];
      }
    }
  for (int64_t i = part->ends[1]; i < part->ends[3]; i++) wrong += got[i] != part->global[i];
  for (int m = 0; m < n; m++) {
    comm->kind->close(messages[m]);
    free(rooms[m]);
  }
  free(got);
  return wrong;
}

static int random_rank(struct op2i_comm *comm, void *data) {
  struct part part = draw_part(data, comm->size, comm->rank);
  struct op2i_halo *halo = NULL;
  int wrong = 1;
  if (!op2i_halo_make(comm, part.ends, part.global, part.owner, "cells", &halo)) {
    wrong = halo->global_size != ((const struct choice *)data)->size;
    wrong += travel(comm, &part, halo);
    op2i_halo_free(halo);
  }
  free_part(&part);
  return wrong;
}

static void random_decompositions(void) {
  static const int ranks[] = {1, 2, 3, 4, 9};
  static const int64_t sizes[] = {0, 1, 2, 17, 500};
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      int wrong = 0;
      for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
          struct choice choice = {(enum kind)kind, sizes[s], seed, 0};
          wrong += run_ranks(ranks[r], random_rank, &choice);
        }
      is_int(wrong, 0, "decompositions of kind %d of %d elements", kind, (int)sizes[s]);
    }
}

/* ---- inconsistent arguments ------------------------------------------------------------------ */

enum { OWN_RANK = 1, NO_RANK, OTHER_OWNER, NO_SUCH, TWICE, OWNED_TWICE, SPOILS };

/* Rank 1 of 3 makes one error; each rank has two elements, and one of the next rank in its halo. */
static int spoilt(struct op2i_comm *comm, void *data) {
  static const char *const says[] = {
      [OWN_RANK] = "rank 1 of 3: set 'cells': element 2 of the halo is owned by rank 1",
      [NO_RANK] = "owned by rank 3, which is not another one of 3",
      [OTHER_OWNER] = "rank 0 of 3: set 'cells': rank 1 has element 4 in its halo as one of rank 0",
      [NO_SUCH] = "global number 6, which is not in [0, 6)",
      [TWICE] = "elements 2 and 4 of the halo have one global number, 4",
      [OWNED_TWICE] = "ranks 1 and 2 both give the element with the global number 5"};
  int spoil = *(const int *)data, next = (comm->rank + 1) % 3;
  bool here = comm->rank == 1;
  int64_t ends[4] = {2, 2, 2, here && spoil == TWICE ? 5 : 3};
  int64_t global[5] = {2 * comm->rank, 2 * comm->rank + 1, 2 * next, 2 * next + 1, 2 * next};
  int32_t owner[3] = {next, next, next};
  if (here && spoil == OWN_RANK) owner[0] = 1;
  if (here && spoil == NO_RANK) owner[0] = 3;
  if (here && spoil == OTHER_OWNER) owner[0] = 0;
  if (here && spoil == NO_SUCH) global[2] = 6;
  if (here && spoil == OWNED_TWICE) global[1] = 5;
  struct op2i_halo *halo = NULL;
  op2_status status = op2i_halo_make(comm, ends, global, owner, "cells", &halo);
  if (status && !halo && strstr(op2_error_message(), says[spoil])) return 0;
  if (comm->rank == 0) fprintf(stderr, "# %s\n", op2_error_message());
  op2i_halo_free(halo);
  return 1;
}

int main(void) {
  random_decompositions();
  for (int spoil = OWN_RANK; spoil < SPOILS; spoil++)
    is_int(run_ranks(3, spoilt, &spoil), 0, "told on all ranks, %d", spoil);
  return done();
}
