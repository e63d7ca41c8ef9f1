/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_CALL_CASE_H
#define OP2_TEST_CALL_CASE_H

#include "support.h"

/* What the tests of op2_call() share: two dats, loops over them, the same by hand, and functions. */

enum { ROWS = 37, PAST = 16 };

struct two {
  op2_set cells;
  op2_map back;                            /* from cell i to cell ROWS - 1 - i */
  op2_dat x, y;                            /* i, both */
  op2_kernel loop[OP2_MAX + 1];            /* by what they do to x */
  op2_kernel use, sum, least, most, twice; /* of a global, into one, and of a dat by itself */
};
struct two make_two(void);

/* The loop that does so to x, with y; the one that READs x adds to y. */
void queue_on(const struct two *t, op2_access access, op2_dat x, op2_dat y);
void queue_loop(const struct two *t, op2_access access);   /* with the x and y of *t */
void queue_mapped(const struct two *t, op2_access access); /* which reaches x through the map */
void loop_by_hand(op2_access access, bool mapped, double *x, double *y);
void queue_twice(const struct two *t, op2_dat x);
/* y gets more by the global. */
void queue_use(const struct two *t, op2_gbl g, op2_dat y);
/* The global is combined with all of x: INC, MIN or MAX. */
void queue_reduce(const struct two *t, op2_access access, op2_dat x, op2_gbl g);
/* A loop without code; in eager mode its failure comes here. */
void queue_bad(const struct two *t, op2_dat x);

bool same_values(op2_dat dat, const double *want);
/* Flush until each failure has been told; a dead context tells the same for ever. */
void flush_all(void);
/* Start the case's context anew, with so much room in its queue. */
void restart(int queue_max);

/* ---- functions ------------------------------------------------------------------------------- */

/* What watch() saw in the first and the last row, and note_value() in a global. */
struct seen {
  double first[PAST], last[PAST];
  int times;
};

int watch(void *data, void *const *values);      /* READs a dat; data is a struct seen */
int fill(void *data, void *const *values);       /* WRITEs 100 + i */
int triple(void *data, void *const *values);     /* RW: a dat, three times what it was */
int note_value(void *data, void *const *values); /* READs a global; data is a struct seen */
int set_five(void *data, void *const *values);   /* WRITEs a global */
int double_it(void *data, void *const *values);  /* RW: a global, and one more */
int count(void *data, void *const *values);      /* data is an int */
int note(void *data, void *const *values);       /* adds its int and a blank to the text in data */
int refuse(void *data, void *const *values);     /* returns 17, and counts if there is an int */

#endif
