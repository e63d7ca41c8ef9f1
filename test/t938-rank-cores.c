/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a node that share cores, and the warning about it, which is printed only if the cores
 * could be distributed better. */
#include <string.h>

#include "share.h"
#include "tap.h"

/* Ranks on four CPUs or fewer; bits give the set of each rank. */
static struct op2i_seat seat_of(int rank, int size, const unsigned char *bits) {
  struct op2i_cpu_set sets[8] = {{{0}}};
  struct op2i_seat seat = {.rank = rank, .size = size};
  for (int r = 0; r < size; r++) sets[r].words[0] = bits[r];
  op2i_seat_compare(&seat, sets);
  return seat;
}

static void seats(void) {
  struct op2i_seat seat = seat_of(2, 4, (const unsigned char[]){3, 12, 3, 6});
  is_int(seat.twins, 2, "ranks on the same CPUs");
  is_int(seat.twin, 1, "the second of these");
  is_int(seat.overlapping, 1, "and one that has one of the CPUs");
  is_int(seat.cpus, 4, "CPUs of all ranks");
  struct op2i_cpu_set allowed;
  int spare = 0;
  op2i_allowed_cpu_set(&allowed);
  for (int w = 0; w < OP2I_CPU_WORDS; w++)
    spare += __builtin_popcountll(allowed.words[w] & ~(w ? UINT64_C(0) : UINT64_C(15)));
  is_int(seat.spare, spare, "CPUs that no rank has");
}

static const struct {
  const char *what;
  struct op2i_seat seat;
  int cores, workers;
  bool narrow;
  enum op2i_crowd crowd;
} cases[] = {
#define SEAT(size_, twins_, overlapping_, cpus_, spare_)                                           \
  { .size = size_, .twins = twins_, .overlapping = overlapping_, .cpus = cpus_, .spare = spare_ }
    {"a rank alone", SEAT(1, 1, 0, 4, 0), 4, 8, false, OP2I_CROWD_NONE},
    {"ranks that share out four cores", SEAT(4, 4, 0, 4, 0), 4, 0, false, OP2I_CROWD_NONE},
    {"each bound to its own", SEAT(4, 1, 0, 4, 0), 1, 0, false, OP2I_CROWD_NONE},
    {"more ranks than cores", SEAT(5, 5, 0, 4, 0), 4, 0, false, OP2I_CROWD_NONE},
    {"more ranks than cores, with workers asked for", SEAT(5, 5, 0, 4, 0), 4, 4, false,
     OP2I_CROWD_NONE},
    {"all on one core of four", SEAT(4, 4, 0, 1, 3), 1, 0, false, OP2I_CROWD_BOUND},
    {"all on one core, and there is no other", SEAT(4, 4, 0, 1, 0), 1, 0, false, OP2I_CROWD_NONE},
    {"sets that overlap", SEAT(2, 1, 1, 3, 0), 2, 0, false, OP2I_CROWD_BOUND},
    {"sets that overlap, of too few cores", SEAT(3, 1, 2, 2, 0), 2, 0, false, OP2I_CROWD_NONE},
    {"two on a core, and one has three", SEAT(3, 2, 0, 4, 0), 1, 0, false, OP2I_CROWD_BOUND},
    {"places of OpenMP", SEAT(2, 2, 0, 4, 0), 4, 0, true, OP2I_CROWD_PLACES},
    {"as many workers as the share", SEAT(2, 2, 0, 4, 0), 4, 2, false, OP2I_CROWD_NONE},
    {"more workers than the share", SEAT(2, 2, 0, 4, 0), 4, 3, false, OP2I_CROWD_WORKERS},
    {"ranks that are threads",
     {.size = 4, .twins = 4, .cpus = 4, .process = true},
     4,
     4,
     false,
     OP2I_CROWD_NONE}};

int main(void) {
  seats();
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    is_int(op2i_crowd_of(&cases[c].seat, cases[c].cores, cases[c].workers, cases[c].narrow),
           cases[c].crowd, "%s", cases[c].what);
  return done();
}
