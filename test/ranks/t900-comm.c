/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks and messages: order, collective operations, parcels to ranks that do not expect them, ranks
 * that have ended, slow links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm_case.h"
#include "comm_parcel.h"
#include "error.h"
#include "mem.h"
#include "support.h"
#include "tap.h"

static const struct op2i_link_speed fast = {0};
static const int sizes[] = {1, 2, 3, 4, 7, 16, 33};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void everywhere(const char *what, rank_function *function, void *data) {
  for (int s = 0; s < SIZES; s++)
    is_int(run_ranks(sizes[s], function, data), 0, "%s, %d ranks", what, sizes[s]);
}

/* ---- messages -------------------------------------------------------------------------------- */

static int of_two_lengths(struct op2i_comm *comm, void *data) {
  char bytes[8] = {0};
  bool over;
  struct op2i_message *message;
  (void)data;
  const struct op2i_envelope e = {comm->rank == 0, 1 - comm->rank, 0, bytes, comm->rank ? 8 : 4};
  if (comm->kind->open(comm, &e, &message) || comm->kind->start(comm, 1, &message)) return 1;
  bool good = comm->kind->over(comm, 1, &message, true, &over) == OP2_ERR_FATAL &&
              strstr(op2_error_message(), "differ in the length");
  comm->kind->close(message);
  return !good;
}

static void deliver(void) {
  for (uint64_t seed = 1; seed <= (quick() ? 3 : 12); seed++) {
    int wrong = 0;
    for (int s = 0; s < SIZES; s++) wrong += run_ranks(sizes[s], comm_parcels, &seed);
    is_int(wrong, 0, "parcels, choice %d", (int)seed);
  }
}

/* ---- failures -------------------------------------------------------------------------------- */

/* All ranks but one take part in a sum: those that wait for the missing rank get an error, and then
 * those that wait for these. */
static int missing(struct op2i_comm *comm, void *data) {
  int64_t one = 1;
  if (comm->rank == *(const int *)data) return 0;
  op2_status status = op2i_comm_sum(comm, 1, &one);
  return status != OP2_ERR_FATAL || !strstr(op2_error_message(), "has ended");
}

static void gone(void) {
  for (int rank = 0; rank < 5; rank++)
    is_int(run_ranks(5, missing, &rank), 0, "rank %d of 5 is gone", rank);
}

/* One rank gives up: ranks that wait for it get the reason, and so do ranks that wait for another
 * rank that is still alive, and those that begin to wait later. */
static int given_up(struct op2i_comm *comm, void *data) {
  const int rank = *(const int *)data;
  char want[80];
  int64_t one = 1;
  int wrong = 0;
  snprintf(want, sizeof want, "rank %d of %d cannot go on: no more of it", rank, comm->size);
  if (comm->rank == rank) {
    comm->kind->abandon(comm, "no more of it");
    comm->kind->abandon(comm, "another cause");
  }
  for (int again = 0; again < 2; again++) {
    op2_status status = op2i_comm_sum(comm, 1, &one);
    wrong += status != OP2_ERR_FATAL || strcmp(op2_error_message(), want);
  }
  return wrong;
}

static void abandoned(void) {
  for (int rank = 0; rank < 5; rank++)
    is_int(run_ranks(5, given_up, &rank), 0, "rank %d of 5 cannot go on", rank);
}

/* Ranks make different calls: one waits for a message, others for another one, and neither is
 * sent. */
static int apart(struct op2i_comm *comm, void *data) {
  int64_t one = 1;
  struct op2i_message *message;
  bool over;
  (void)data;
  if (comm->rank) return op2i_comm_sum(comm, 1, &one) != OP2_ERR_FATAL;
  const struct op2i_envelope e = {false, 1, 0, &one, sizeof one};
  if (comm->kind->open(comm, &e, &message) || comm->kind->start(comm, 1, &message)) return 1;
  bool told = comm->kind->over(comm, 1, &message, true, &over) == OP2_ERR_FATAL &&
              strstr(op2_error_message(), "wait for each other");
  comm->kind->close(message);
  return !told;
}

/* The messages match here, but not their contents. */
static int differ(struct op2i_comm *comm, void *data) {
  int64_t words[2] = {1, 2};
  (void)data;
  op2_status status = op2i_comm_sum(comm, comm->rank == 1 ? 2 : 1, words);
  return status != OP2_ERR_FATAL || !strstr(op2_error_message(), "different calls");
}

/* ---- failures of allocations ----------------------------------------------------------------- */

/* A collective operation in which one rank's n-th allocation fails. */
struct shortage {
  rank_function *function;
  int rank;
  int64_t n;
  _Atomic bool beyond;
};

static int agree_all(struct op2i_comm *comm, void *data) {
  char want[40];
  (void)data;
  snprintf(want, sizeof want, "rank %d of %d: no luck", comm->size / 2, comm->size);
  bool unlucky = comm->rank >= comm->size / 2;
  op2_status status =
      op2i_comm_agree(comm, unlucky ? op2i_error(OP2_ERR_MISMATCH, "no luck") : OP2_SUCCESS);
  status = op2i_comm_agree(comm, status); /* again: the rank is not named twice */
  return status != OP2_ERR_MISMATCH || strcmp(op2_error_message(), want) ||
         op2i_comm_agree(comm, OP2_SUCCESS);
}

/* A large sum, a large share and parcels. All ranks get the same status. */
static int much(struct op2i_comm *comm, void *data) {
  enum { MANY = 1000 };
  int64_t values[MANY] = {0};
  char bytes[4][300];
  struct op2i_parcel out[4];
  struct op2i_parcels in;
  (void)data;
  for (int r = 0; r < comm->size; r++)
    out[r] = (struct op2i_parcel){r, sizeof bytes[r], memset(bytes[r], comm->rank, 300)};
  op2_status status = op2i_comm_sum(comm, MANY, values);
  if (!status) status = op2i_comm_share(comm, comm->size - 1, values, sizeof values);
  if (!status) status = op2i_comm_deliver(comm, comm->size, out, &in);
  if (!status) op2i_parcels_free(&in);
  return (int)status;
}

static int short_of_memory(struct op2i_comm *comm, void *data) {
  struct shortage *s = data;
  int64_t one = 1;
  if (op2i_comm_sum(comm, 1, &one)) return 1; /* allocates the sum's own memory */
  if (comm->rank == s->rank) op2i_mem_fail_here_at(s->n);
  int status = s->function(comm, NULL);
  if (comm->rank == s->rank) s->beyond = op2i_mem_fail_here_at(0) < s->n;
  int64_t both[2] = {status, -status};
  if (op2i_comm_greatest(comm, 2, both) || both[0] != -both[1]) return 1;
  bool named = strstr(op2_error_message(), "rank") && strstr(op2_error_message(), "memory");
  if (status ? status != OP2_ERR_NOMEM || !named : !s->beyond) return 1;
  return s->function(comm, NULL);
}

static void shortages(void) {
  for (int size = 2; size <= 4; size++)
    for (int rank = 0; rank < size; rank++) {
      struct shortage s = {.function = much, .rank = rank, .n = 1};
      int wrong = 0;
      for (; !s.beyond && s.n < 200; s.n++) wrong += run_ranks(size, short_of_memory, &s);
      is_int(wrong, 0, "rank %d of %d lacks memory", rank, size);
      ok(s.n > 8 && s.n < 200, "at one of %d allocations", (int)s.n - 2);
    }
}

static int from_the_start(struct op2i_comm *comm, void *data) {
  int64_t one = 1;
  (void)data;
  if (comm->rank == 1) op2i_mem_fail_here_at(3);
  op2_status status = op2i_comm_sum(comm, 1, &one);
  op2i_mem_fail_here_at(0);
  return !status || !strstr(op2_error_message(), "memory");
}

static void no_memory(void) {
  struct op2i_comm *comms[3];
  (void)op2i_mem_fail_at(0);
  for (int64_t n = 1; n <= 3; n++) {
    op2i_mem_fail_at(n);
    FAILS(op2i_comm_threads(3, fast, comms), OP2_ERR_NOMEM);
    op2i_mem_fail_at(0);
  }
  CHECK(op2i_comm_threads(3, fast, comms));
  is_int(op2i_mem_fail_at(0), 3, "allocations of three ranks");
  for (int r = 0; r < 3; r++) op2i_comm_free(comms[r]);
}

int main(void) {
  everywhere("a ring", comm_ring, NULL);
  everywhere("in order", comm_in_order, NULL);
  is_int(run_ranks(2, of_two_lengths, NULL), 0, "a message of two lengths");
  everywhere("a tree", comm_tree, NULL);
  everywhere("numbers", comm_numbers, NULL);
  deliver();
  gone();
  abandoned();
  is_int(run_ranks(3, apart, NULL), 0, "ranks that wait for each other");
  is_int(run_ranks(3, differ, NULL), 0, "sums of different lengths");
  for (int size = 2; size <= 5; size++)
    is_int(run_ranks(size, agree_all, NULL), 0, "%d ranks agree on a failure", size);
  shortages();
  is_int(run_ranks(3, from_the_start, NULL), 0, "no memory for a communicator");
  is_int(run_ranks_over(2, COMM_SLOW, comm_slowly, NULL), 0, "a slow link");
  no_memory();
  return done();
}
