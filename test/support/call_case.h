/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_CALL_CASE_H
#define OP2_TEST_CALL_CASE_H

#include "support.h"

/* Shared by the tests of op2_call(): two dats, loops over them, the same computed by hand, and
 * functions to call. */

enum { ROWS = 37, PAST = 16 };

struct two {
  op2_set cells;
  op2_map back;                            /* from cell i to cell ROWS - 1 - i */
  op2_dat x, y;                            /* i in both */
  op2_kernel loop[OP2_MAX + 1];            /* loops that access x, indexed by the access mode */
  op2_kernel use, sum, least, most, twice; /* read a global, reduce into one, double a dat */
};
struct two make_two(void);

/* Queue the loop that accesses x so, with y; the one that READs x adds to y. */
void queue_on(const struct two *t, op2_access access, op2_dat x, op2_dat y);
void queue_loop(const struct two *t, op2_access access);   /* on the x and y of *t */
void queue_mapped(const struct two *t, op2_access access); /* reaches x through the map */
void loop_by_hand(op2_access access, bool mapped, double *x, double *y);
void queue_twice(const struct two *t, op2_dat x);
/* Queue a loop that adds the global to y. */
void queue_use(const struct two *t, op2_gbl g, op2_dat y);
/* Queue a loop that combines the global with all of x: INC, MIN or MAX. */
void queue_reduce(const struct two *t, op2_access access, op2_dat x, op2_gbl g);
/* Queue a loop whose kernel does not compile; in eager mode it fails here. */
void queue_bad(const struct two *t, op2_dat x);

bool same_values(op2_dat dat, const double *want);
/* Flush until every failure has been reported; a dead context reports the same one forever. */
void flush_all(void);
/* Start the case's context anew with a queue of this capacity. */
void restart(int queue_max);

/* ---- functions ------------------------------------------------------------------------------- */

/* Records the first and the last row that watch() saw, and the globals that note_value() saw. */
struct seen {
  double first[PAST], last[PAST];
  int times;
};

int watch(void *data, void *const *values);      /* READs a dat; data is a struct seen */
int fill(void *data, void *const *values);       /* WRITEs 100 + i */
int triple(void *data, void *const *values);     /* RW: multiplies a dat by three */
int note_value(void *data, void *const *values); /* READs a global; data is a struct seen */
int set_five(void *data, void *const *values);   /* WRITEs a global */
int double_it(void *data, void *const *values);  /* RW: a global, and one more */
int count(void *data, void *const *values);      /* data is an int */
int note(void *data, void *const *values);       /* adds its int and a blank to the text in data */
int refuse(void *data, void *const *values);     /* returns 17, and counts if there is an int */

#endif
