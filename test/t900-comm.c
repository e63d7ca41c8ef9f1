/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks and messages: order, what all ranks do together, parcels for who does not expect them, ranks
 * that are gone, links that are slow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "comm.h"
#include "error.h"
#include "mem.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

static const struct op2i_link_speed fast = {0};
static const int sizes[] = {1, 2, 3, 4, 7, 16, 33};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void everywhere(const char *what, rank_function *function, void *data) {
  for (int s = 0; s < SIZES; s++)
    is_int(run_ranks(sizes[s], fast, function, data), 0, "%s, %d ranks", what, sizes[s]);
}

static op2_status go(struct op2i_comm *comm, int n, struct op2i_message **messages) {
  bool over;
  op2_status status = comm->kind->start(comm, n, messages);
  return status ? status : comm->kind->over(comm, n, messages, true, &over);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Round a ring, again and again with the same two messages, of two tags that must not be mixed. */
static int ring(struct op2i_comm *comm, void *data) {
  enum { ROUNDS = 50, WORDS = 100 };
  int64_t out[2][WORDS], in[2][WORDS];
  struct op2i_message *messages[4];
  int wrong = 0, next = (comm->rank + 1) % comm->size,
      last = (comm->rank + comm->size - 1) % comm->size;
  (void)data;
  if (comm->size == 1) return 0;
  for (int tag = 0; tag < 2; tag++) {
    const struct op2i_envelope to = {true, next, tag, out[tag], sizeof out[tag]},
                               from = {false, last, tag, in[tag], sizeof in[tag]};
    wrong += comm->kind->open(comm, &to, &messages[tag]) != OP2_SUCCESS;
    wrong += comm->kind->open(comm, &from, &messages[3 - tag]) != OP2_SUCCESS;
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < WORDS; i++)
      for (int tag = 0; tag < 2; tag++)
        out[tag][i] = comm->rank * 1000000 + round * 1000 + 2 * i + tag;
    memset(in, 0, sizeof in);
    wrong += go(comm, 4, messages) != OP2_SUCCESS;
    for (int i = 0; i < WORDS; i++)
      for (int tag = 0; tag < 2; tag++)
        wrong += in[tag][i] != last * 1000000 + round * 1000 + 2 * i + tag;
  }
  for (int m = 0; m < 4; m++) comm->kind->close(messages[m]);
  return wrong;
}

/* Of one tag they come in the order in which they were started, also where the receiver is late. */
static int in_order(struct op2i_comm *comm, void *data) {
  enum { MANY = 20 };
  int values[MANY], wrong = 0;
  struct op2i_message *messages[MANY];
  (void)data;
  if (comm->size == 1) return 0;
  if (comm->rank > 1) return 0;
  for (int m = 0; m < MANY; m++) {
    const struct op2i_envelope e = {comm->rank == 0, 1 - comm->rank, 5, &values[m],
                                    sizeof values[m]};
    values[m] = comm->rank == 0 ? m : -1;
    wrong += comm->kind->open(comm, &e, &messages[m]) != OP2_SUCCESS;
  }
  wrong += go(comm, MANY, messages) != OP2_SUCCESS;
  for (int m = 0; m < MANY; m++) {
    wrong += values[m] != m;
    comm->kind->close(messages[m]);
  }
  return wrong;
}

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

/* ---- together -------------------------------------------------------------------------------- */

/* What combines shows in which order it was done: neighbours, then pairs of those. */
struct braced {
  char text[400];
};
static void brace(void *into, const void *from, void *closure) {
  struct braced *a = into, sum;
  const struct braced *b = from;
  (void)closure;
  snprintf(sum.text, sizeof sum.text, "(%.190s%.190s)", a->text, b->text);
  *a = sum;
}

static void expected(int first, int bit, int size, struct braced *out) {
  if (bit == 0) {
    snprintf(out->text, sizeof out->text, "%c", 'A' + first);
    return;
  }
  struct braced other;
  expected(first, bit >> 1, size, out);
  if (first + bit >= size) return;
  expected(first + bit, bit >> 1, size, &other);
  brace(out, &other, NULL);
}

static int tree(struct op2i_comm *comm, void *data) {
  struct braced mine = {{(char)('A' + comm->rank)}}, want;
  (void)data;
  int bit = 1;
  while (bit < comm->size) bit <<= 1;
  expected(0, bit >> 1, comm->size, &want);
  if (op2i_comm_combine(comm, &mine, sizeof mine, brace, NULL)) return 1;
  return strcmp(mine.text, want.text) != 0;
}

static int numbers(struct op2i_comm *comm, void *data) {
  const int64_t n = comm->size, r = comm->rank;
  int64_t sum[3] = {r, 1, -r}, least[2] = {10 - r, r}, most[2] = {r * r, -r}, before[2] = {r, 1};
  int wrong = 0;
  (void)data;
  wrong += op2i_comm_sum(comm, 3, sum) || op2i_comm_least(comm, 2, least);
  wrong += op2i_comm_greatest(comm, 2, most) || op2i_comm_before(comm, 2, before);
  wrong += sum[0] != n * (n - 1) / 2 || sum[1] != n || sum[2] != -sum[0];
  wrong += least[0] != 11 - n || least[1] != 0 || most[0] != (n - 1) * (n - 1) || most[1] != 0;
  wrong += before[0] != r * (r - 1) / 2 || before[1] != r;
  for (int root = 0; root < n; root++) {
    int64_t word = r == root ? 77 + root : 0;
    wrong += op2i_comm_share(comm, root, &word, sizeof word) || word != 77 + root;
  }
  return wrong;
}

/* ---- parcels --------------------------------------------------------------------------------- */

static uint64_t drawn(uint64_t seed, int from, int to) {
  uint64_t state = seed * 1000003 + (uint64_t)from * 131 + (uint64_t)to + 1;
  (void)draw(&state);
  return draw(&state);
}

/* Bytes from one rank to another: none at all, an empty parcel, or some. */
static int64_t bytes_of(uint64_t seed, int from, int to) {
  uint64_t word = drawn(seed, from, to);
  return word % 3 == 0 ? -1 : word % 7 == 0 ? 0 : (int64_t)(word >> 20) % 3000;
}

static unsigned char byte_of(uint64_t seed, int from, int to, int64_t i) {
  return (unsigned char)(drawn(seed, from, to) + (uint64_t)i * 7);
}

static int parcels(struct op2i_comm *comm, void *data) {
  enum { MOST = 33, BYTES = 3000 };
  uint64_t seed = *(const uint64_t *)data;
  struct op2i_parcel out[MOST];
  struct op2i_parcels in;
  unsigned char *room = malloc(MOST * BYTES);
  int64_t n = 0, at = 0;
  int wrong = 0;
  for (int to = comm->size - 1; to >= 0; to--) { /* in no order that would help */
    int64_t bytes = bytes_of(seed, comm->rank, to);
    if (bytes < 0) continue;
    unsigned char *values = room + n * BYTES;
    for (int64_t i = 0; i < bytes; i++) values[i] = byte_of(seed, comm->rank, to, i);
    out[n++] = (struct op2i_parcel){to, (size_t)bytes, values};
  }
  if (op2i_comm_deliver(comm, n, out, &in)) wrong++;
  for (int from = 0; from < comm->size; from++) {
    int64_t bytes = bytes_of(seed, from, comm->rank);
    if (bytes < 0) continue;
    if (at >= in.n || in.parcel[at].peer != from || (int64_t)in.parcel[at].bytes != bytes) {
      wrong++;
      continue;
    }
    const unsigned char *values = in.parcel[at++].data;
    for (int64_t i = 0; i < bytes; i++) wrong += values[i] != byte_of(seed, from, comm->rank, i);
  }
  wrong += at != in.n;
  op2i_parcels_free(&in);
  free(room);
  return wrong;
}

static void deliver(void) {
  for (uint64_t seed = 1; seed <= (quick() ? 3 : 12); seed++) {
    int wrong = 0;
    for (int s = 0; s < SIZES; s++) wrong += run_ranks(sizes[s], fast, parcels, &seed);
    is_int(wrong, 0, "parcels, choice %d", (int)seed);
  }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* All but one wait for all: those who miss it directly are told so, and then those who miss them. */
static int missing(struct op2i_comm *comm, void *data) {
  int64_t one = 1;
  if (comm->rank == *(const int *)data) return 0;
  op2_status status = op2i_comm_sum(comm, 1, &one);
  return status != OP2_ERR_FATAL || !strstr(op2_error_message(), "has ended");
}

static void gone(void) {
  for (int rank = 0; rank < 5; rank++)
    is_int(run_ranks(5, fast, missing, &rank), 0, "rank %d of 5 is gone", rank);
}

/* One gives up: those who wait for it are told why, and so are those who wait for somebody else that
 * would come, and those who begin to wait later. */
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
    is_int(run_ranks(5, fast, given_up, &rank), 0, "rank %d of 5 cannot go on", rank);
}

/* Ranks that do not make the same calls: some wait for a message, others for one more, and nobody
 * sends either. */
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

/* The same where the messages meet, but not what is in them. */
static int differ(struct op2i_comm *comm, void *data) {
  int64_t words[2] = {1, 2};
  (void)data;
  op2_status status = op2i_comm_sum(comm, comm->rank == 1 ? 2 : 1, words);
  return status != OP2_ERR_FATAL || !strstr(op2_error_message(), "different calls");
}

/* ---- no memory ------------------------------------------------------------------------------- */

/* What is agreed on, where one rank's n-th allocation fails. */
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
  return status != OP2_ERR_MISMATCH || strcmp(op2_error_message(), want) ||
         op2i_comm_agree(comm, OP2_SUCCESS);
}

/* A large sum, a large share and parcels. All ranks get the same, and go on together. */
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
  if (op2i_comm_sum(comm, 1, &one)) return 1; /* its own memory is there */
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
      for (; !s.beyond && s.n < 200; s.n++) wrong += run_ranks(size, fast, short_of_memory, &s);
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

/* A link of 20 ms and 1 byte in a microsecond: nothing comes sooner, and what is under way at one
 * time takes the time of the longest. */
static int slowly(struct op2i_comm *comm, void *data) {
  static const size_t bytes[] = {1, 10000};
  char room[2][10000] = {{0}};
  struct op2i_message *messages[2];
  bool over = true;
  int wrong = 0;
  (void)data;
  for (int m = 0; m < 2; m++) {
    const struct op2i_envelope e = {comm->rank == 0, 1 - comm->rank, m, room[m], bytes[m]};
    if (comm->kind->open(comm, &e, &messages[m])) return 1;
  }
  int64_t begin = op2i_nanoseconds();
  wrong += comm->kind->start(comm, 2, messages) != OP2_SUCCESS;
  wrong += comm->kind->over(comm, 2, messages, false, &over) != OP2_SUCCESS;
  if (comm->rank == 1) wrong += over && op2i_nanoseconds() - begin < 20000000;
  wrong += comm->kind->over(comm, 2, messages, true, &over) != OP2_SUCCESS || !over;
  if (comm->rank == 1) wrong += op2i_nanoseconds() - begin < 25000000;
  for (int m = 0; m < 2; m++) comm->kind->close(messages[m]);
  return wrong;
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
  everywhere("a ring", ring, NULL);
  everywhere("in order", in_order, NULL);
  is_int(run_ranks(2, fast, of_two_lengths, NULL), 0, "a message of two lengths");
  everywhere("a tree", tree, NULL);
  everywhere("numbers", numbers, NULL);
  deliver();
  gone();
  abandoned();
  is_int(run_ranks(3, fast, apart, NULL), 0, "ranks that wait for each other");
  is_int(run_ranks(3, fast, differ, NULL), 0, "sums of different lengths");
  for (int size = 2; size <= 5; size++)
    is_int(run_ranks(size, fast, agree_all, NULL), 0, "%d ranks agree on a failure", size);
  shortages();
  is_int(run_ranks(3, fast, from_the_start, NULL), 0, "no memory for a communicator");
  is_int(run_ranks(2, (struct op2i_link_speed){20000000, 1000}, slowly, NULL), 0, "a slow link");
  no_memory();
  return done();
}
