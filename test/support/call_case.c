/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_case.h"

#include <stdio.h>
#include <string.h>

OP2_KERNEL(look, (const double *x, double *y), { *y += 10 * *x; });
OP2_KERNEL(put, (double *x, const double *y), { *x = *y + 2; });
OP2_KERNEL(change, (double *x, const double *y), { *x = 3 * *x + *y; });
OP2_KERNEL(add, (double *x, const double *y), { *x += *y; });
OP2_KERNEL(lower, (double *x, const double *y), { *x = *y < *x ? *y : *x; });
OP2_KERNEL(lift, (double *x, const double *y), { *x = *y > *x ? *y : *x; });
OP2_KERNEL(use, (const double *g, double *y), { *y += *g; });
OP2_KERNEL(sum, (const double *x, double *g), { *g += *x; });
OP2_KERNEL(least, (const double *x, double *g), { *g = *x < *g ? *x : *g; });
OP2_KERNEL(most, (const double *x, double *g), { *g = *x > *g ? *x : *g; });
OP2_KERNEL(twice, (double *x), { *x *= 2; });

struct two make_two(void) {
  static const op2_kernel_desc *const loops[] = {
      [OP2_READ] = &look_kernel, [OP2_WRITE] = &put_kernel, [OP2_RW] = &change_kernel,
      [OP2_INC] = &add_kernel,   [OP2_MIN] = &lower_kernel, [OP2_MAX] = &lift_kernel};
  double start[ROWS];
  int32_t back[ROWS];
  struct two t;
  for (int i = 0; i < ROWS; i++) start[i] = i, back[i] = ROWS - 1 - i;
  t.cells = new_set(ROWS, "cells");
  t.back = new_map(t.cells, t.cells, 1, back, "back");
  t.x = new_dat(t.cells, 1, OP2_F64, start, "xdat");
  t.y = new_dat(t.cells, 1, OP2_F64, start, "ydat");
  for (int a = OP2_READ; a <= OP2_MAX; a++) t.loop[a] = new_kernel(loops[a]);
  t.use = new_kernel(&use_kernel);
  t.sum = new_kernel(&sum_kernel);
  t.least = new_kernel(&least_kernel);
  t.most = new_kernel(&most_kernel);
  t.twice = new_kernel(&twice_kernel);
  return t;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void queue(const struct two *t, op2_access access, op2_arg x, op2_dat y) {
  MUST(op2_par_loop(t->loop[access], t->cells, x,
                    op2_arg_direct(y, access == OP2_READ ? OP2_INC : OP2_READ)));
}

void queue_on(const struct two *t, op2_access access, op2_dat x, op2_dat y) {
  queue(t, access, op2_arg_direct(x, access), y);
}

void queue_loop(const struct two *t, op2_access access) { queue_on(t, access, t->x, t->y); }

void queue_mapped(const struct two *t, op2_access access) {
  queue(t, access, op2_arg_dat(t->x, 0, t->back, access), t->y);
}

void loop_by_hand(op2_access access, bool mapped, double *x, double *y) {
  for (int i = 0; i < ROWS; i++) {
    double *at = &x[mapped ? ROWS - 1 - i : i];
    if (access == OP2_READ) look(at, &y[i]);
    if (access == OP2_WRITE) put(at, &y[i]);
    if (access == OP2_RW) change(at, &y[i]);
    if (access == OP2_INC) add(at, &y[i]);
    if (access == OP2_MIN) lower(at, &y[i]);
    if (access == OP2_MAX) lift(at, &y[i]);
  }
}

void queue_twice(const struct two *t, op2_dat x) {
  MUST(op2_par_loop(t->twice, t->cells, op2_arg_direct(x, OP2_RW)));
}

void queue_use(const struct two *t, op2_gbl g, op2_dat y) {
  MUST(op2_par_loop(t->use, t->cells, op2_arg_gbl(g, OP2_READ), op2_arg_direct(y, OP2_INC)));
}

void queue_reduce(const struct two *t, op2_access access, op2_dat x, op2_gbl g) {
  const op2_kernel kernel = access == OP2_MIN ? t->least : access == OP2_MAX ? t->most : t->sum;
  MUST(op2_par_loop(kernel, t->cells, op2_arg_direct(x, OP2_READ), op2_arg_gbl(g, access)));
}

void queue_bad(const struct two *t, op2_dat x) {
  const op2_kernel bad = new_source("bad", "void bad(double *x) { *x = unknown_name; }");
  const op2_status status = op2_par_loop(bad, t->cells, op2_arg_direct(x, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_COMPILE : OP2_SUCCESS));
}

bool same_values(op2_dat dat, const double *want) {
  double got[ROWS];
  MUST(op2_dat_get(dat, got));
  return memcmp(got, want, sizeof got) == 0;
}

void flush_all(void) {
  int told = 0;
  while (told < 100 && op2_flush(test_ctx)) told++;
  EXPECT(told < 100);
}

void restart(int queue_max) {
  op2_options options = config_options(&test_config);
  options.queue_max = queue_max;
  MUST(op2_finalize(&test_ctx));
  MUST(op2_init(&options, &test_ctx));
}

/* ---- functions ------------------------------------------------------------------------------- */

int watch(void *data, void *const *values) {
  struct seen *seen = data;
  const double *x = values[0];
  seen->first[seen->times % PAST] = x[0];
  seen->last[seen->times % PAST] = x[ROWS - 1];
  seen->times++;
  return 0;
}

int fill(void *data, void *const *values) {
  (void)data;
  for (int i = 0; i < ROWS; i++) ((double *)values[0])[i] = 100 + i;
  return 0;
}

int triple(void *data, void *const *values) {
  (void)data;
  for (int i = 0; i < ROWS; i++) ((double *)values[0])[i] *= 3;
  return 0;
}

int note_value(void *data, void *const *values) {
  struct seen *seen = data;
  seen->first[seen->times++ % PAST] = *(const double *)values[0];
  return 0;
}

int set_five(void *data, void *const *values) {
  (void)data;
  *(double *)values[0] = 5;
  return 0;
}

int double_it(void *data, void *const *values) {
  double *g = values[0];
  (void)data;
  *g = 2 * *g + 1;
  return 0;
}

int count(void *data, void *const *values) {
  (void)values;
  ++*(int *)data;
  return 0;
}

int note(void *data, void *const *values) {
  char *text = data, word[16];
  snprintf(word, sizeof word, "%d ", *(const int *)values[0]);
  strcat(text, word);
  return 0;
}

int refuse(void *data, void *const *values) {
  (void)values;
  if (data) ++*(int *)data;
  return 17;
}
