/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm_case.h"
#include "comm_parcel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "support.h"

static op2_status go(struct op2i_comm *comm, int n, struct op2i_message **messages) {
  bool over;
  op2_status status = comm->kind->start(comm, n, messages);
  return status ? status : comm->kind->over(comm, n, messages, true, &over);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The ranks send round a ring, again and again with the same two messages, of two tags that must
 * not be mixed. */
int comm_ring(struct op2i_comm *comm, void *data) {
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

/* Messages of one tag are received in the order in which they were started, also where the receiver
 * is late, and in whatever order they were opened. */
int comm_in_order(struct op2i_comm *comm, void *data) {
  enum { MANY = 20 };
  int values[MANY], wrong = 0, sends = comm->rank == 0;
  struct op2i_message *messages[MANY], *started[MANY];
  (void)data;
  if (comm->size == 1) return 0;
  if (comm->rank > 1) return 0;
  for (int m = 0; m < MANY; m++) {
    const struct op2i_envelope e = {sends, 1 - comm->rank, 5, &values[m], sizeof values[m]};
    values[m] = sends ? m : -1;
    wrong += comm->kind->open(comm, &e, &messages[m]) != OP2_SUCCESS;
  }
  for (int m = 0; m < MANY; m++) started[m] = messages[(sends ? 7 : 3) * m % MANY];
  wrong += go(comm, MANY, started) != OP2_SUCCESS;
  for (int m = 0; m < MANY; m++) wrong += !sends && values[3 * m % MANY] != 7 * m % MANY;
  for (int m = 0; m < MANY; m++) comm->kind->close(messages[m]);
  return wrong;
}

/* ---- collective operations ------------------------------------------------------------------- */

/* The combining function records in brackets the order in which it is applied: neighbours first,
 * then pairs of neighbours. */
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

int comm_tree(struct op2i_comm *comm, void *data) {
  struct braced mine = {{(char)('A' + comm->rank)}}, want;
  (void)data;
  int bit = 1;
  while (bit < comm->size) bit <<= 1;
  expected(0, bit >> 1, comm->size, &want);
  if (op2i_comm_combine(comm, &mine, sizeof mine, brace, NULL)) return 1;
  return strcmp(mine.text, want.text) != 0;
}

int comm_numbers(struct op2i_comm *comm, void *data) {
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

/* The number of bytes from one rank to another; some parcels are absent, some are empty. */
static int64_t bytes_of(uint64_t seed, int from, int to) {
  uint64_t word = drawn(seed, from, to);
  return word % 3 == 0 ? -1 : word % 7 == 0 ? 0 : (int64_t)(word >> 20) % 3000;
}

static unsigned char byte_of(uint64_t seed, int from, int to, int64_t i) {
  return (unsigned char)(drawn(seed, from, to) + (uint64_t)i * 7);
}

int comm_parcels(struct op2i_comm *comm, void *data) {
  enum { MOST = 33, BYTES = 3000 };
  uint64_t seed = *(const uint64_t *)data;
  struct op2i_parcel out[MOST];
  struct op2i_parcels in;
  unsigned char *room = malloc(MOST * BYTES);
  int64_t n = 0, at = 0;
  int wrong = 0;
  for (int to = comm->size - 1; to >= 0; to--) { /* in descending order, which does not help the
                                                  * library */
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

/* ---- a slow link ----------------------------------------------------------------------------- */

/* The link has a latency of 20 ms and takes 1 microsecond a byte: no message is received earlier,
 * and messages in flight together take the time of the longest. */
int comm_slowly(struct op2i_comm *comm, void *data) {
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
