/* SPDX-License-Identifier: BSD-3-Clause */
/* Access scopes: the values they show, and the calls that are refused while they are open. */
#include "support.h"

OP2_KERNEL(inc, (int32_t *x), { *x += 1; });
OP2_KERNEL(add, (int32_t *x, const int32_t *y), { *x += *y; });

struct two {
  op2_set set;
  op2_dat x, y;
  op2_kernel inc, add;
};

static struct two make_two(void) {
  struct two t;
  t.set = new_sections(1, 3, 4, 4, "cells");
  t.x = new_dat(t.set, 1, OP2_I32, (int32_t[]){0, 1, 2, 3}, "xdat");
  t.y = new_dat(t.set, 1, OP2_I32, NULL, "ydat");
  t.inc = new_kernel(&inc_kernel);
  t.add = new_kernel(&add_kernel);
  return t;
}

static void read_scope(void) {
  struct two t = make_two();
  const void *a = NULL, *b = NULL;
  MUST(op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_dat_read_begin(t.x, &a));
  EXPECT(((const int32_t *)a)[0] == 1 && ((const int32_t *)a)[2] == 3 &&
         ((const int32_t *)a)[3] == 3);
  MUST(op2_dat_read_begin(t.x, &b)); /* scopes for reading nest */
  EXPECT(a == b);
  MUST(op2_dat_read_end(t.x, &b));
  EXPECT(b == NULL);
  /* One scope is still open: loops that read the dat are queued, loops that modify it are
   * refused. */
  REFUSED(OP2_ERR_STATE, op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)), "inc", "xdat");
  MUST(op2_par_loop(t.add, t.set, op2_arg_direct(t.y, OP2_RW), op2_arg_direct(t.x, OP2_READ)));
  EXPECT_VALUES(int32_t, t.y, 3, i, i + 1);
  MUST(op2_dat_read_end(t.x, &a));
  EXPECT(a == NULL);
  MUST(op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)));
  EXPECT_VALUES(int32_t, t.x, 3, i, i + 2);
}

static void write_scope(void) {
  struct two t = make_two();
  void *a = NULL;
  MUST(op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)));
  MUST(op2_par_loop(t.add, t.set, op2_arg_direct(t.y, OP2_RW), op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_dat_write_begin(t.x, &a));
  EXPECT(((int32_t *)a)[2] == 3);
  ((int32_t *)a)[0] = -100;
  REFUSED(OP2_ERR_STATE, op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)), "xdat");
  REFUSED(OP2_ERR_STATE,
          op2_par_loop(t.add, t.set, op2_arg_direct(t.y, OP2_RW), op2_arg_direct(t.x, OP2_READ)),
          "xdat");
  MUST(op2_par_loop(t.inc, t.set, op2_arg_direct(t.y, OP2_RW)));
  MUST(op2_dat_write_end(t.x, &a));
  EXPECT(a == NULL);
  /* The loop queued before the scope has read the values from before. */
  EXPECT_VALUES(int32_t, t.y, 3, i, i + 2);
  MUST(op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)));
  EXPECT_VALUES(int32_t, t.x, 4, i, (i == 0 ? -99 : i == 3 ? 3 : i + 2));
}

/* C13: a view for reading shows the values written in a scope for writing. */
static void write_then_read(void) {
  struct two t = make_two();
  void *w = NULL;
  const void *r = NULL;
  MUST(op2_dat_write_begin(t.y, &w));
  ((int32_t *)w)[0] = -100;
  MUST(op2_dat_write_end(t.y, &w));
  MUST(op2_dat_read_begin(t.y, &r));
  EXPECT(((const int32_t *)r)[0] == -100 && ((const int32_t *)r)[1] == 0);
  MUST(op2_dat_read_end(t.y, &r));
}

static void wrong_order(void) {
  struct two t = make_two();
  int32_t values[4] = {0};
  const void *r = NULL, *r2 = NULL;
  void *w = NULL, *w2 = NULL;
  REFUSED(OP2_ERR_STATE, op2_dat_read_end(t.x, &r), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_write_end(t.x, &w), "xdat");
  REFUSED(OP2_ERR_ARG, op2_dat_read_begin(t.x, NULL));
  REFUSED(OP2_ERR_ARG, op2_dat_write_begin(NULL, &w));
  MUST(op2_dat_read_begin(t.x, &r));
  REFUSED(OP2_ERR_STATE, op2_dat_write_begin(t.x, &w), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_set(t.x, values), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_set_halo(t.x, values), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_write_end(t.x, &w), "xdat");
  MUST(op2_dat_get(t.x, values));
  EXPECT(values[2] == 2);
  MUST(op2_dat_read_end(t.x, &r));
  MUST(op2_dat_write_begin(t.x, &w));
  REFUSED(OP2_ERR_STATE, op2_dat_read_begin(t.x, &r2), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_write_begin(t.x, &w2), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_set(t.x, values), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_get(t.x, values), "xdat");
  REFUSED(OP2_ERR_STATE, op2_dat_read_end(t.x, &r2), "xdat");
  MUST(op2_dat_write_end(t.x, &w));
  REFUSED(OP2_ERR_STATE, op2_dat_write_end(t.x, &w), "xdat");
  EXPECT(!r2 && !w2);
}

/* A loop object made before a scope opens is refused when it is queued, and works after. */
static void loop_objects(void) {
  struct two t = make_two();
  op2_loop loop = NULL;
  void *w = NULL;
  MUST(op2_loop_create(&loop, t.inc, t.set, op2_arg_direct(t.x, OP2_RW)));
  own_loop(loop);
  MUST(op2_dat_write_begin(t.x, &w));
  REFUSED(OP2_ERR_STATE, op2_loop_enqueue(loop), "dat 'xdat'", "op2_dat_write_end is missing");
  REFUSED(OP2_ERR_STATE, op2_loop_compute(loop), "xdat");
  MUST(op2_dat_write_end(t.x, &w));
  MUST(op2_loop_enqueue(loop));
  EXPECT_VALUES(int32_t, t.x, 3, i, i + 1);
}

/* A dat whose handle is destroyed in an open scope. */
static void destroyed_in_scope(void) {
  struct two t = make_two();
  op2_dat z = NULL;
  const void *r = NULL;
  MUST(op2_dat_create(t.set, 1, OP2_I32, NULL, "z", &z));
  MUST(op2_dat_read_begin(z, &r));
  op2_dat_destroy(&z);
  MUST(op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)));
  EXPECT_VALUES(int32_t, t.x, 3, i, i + 1);
}

/* Open scopes are counted: destroying a dat with an open scope leaves the scopes of others. */
static void destroyed_beside_another(void) {
  struct two t = make_two();
  const void *r = NULL, *again = NULL, *other = NULL;
  for (int i = 0; i < 3; i++) {
    op2_dat z = NULL;
    MUST(op2_dat_create(t.set, 1, OP2_I32, NULL, "z", &z));
    MUST(op2_dat_read_begin(z, &r));
    MUST(op2_dat_read_begin(z, &again));
    MUST(op2_dat_read_begin(t.x, &other));
    op2_dat_destroy(&z);
    REFUSED(OP2_ERR_STATE, op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)), "xdat");
    MUST(op2_dat_read_end(t.x, &other));
    MUST(op2_par_loop(t.inc, t.set, op2_arg_direct(t.x, OP2_RW)));
  }
  EXPECT_VALUES(int32_t, t.x, 3, i, i + 3);
}

static const struct test_case cases[] = {
    {"reading", read_scope},
    {"writing", write_scope},
    {"C13 read after write", write_then_read},
    {"scopes in the wrong order", wrong_order},
    {"loop objects and scopes", loop_objects},
    {"destroyed in a scope", destroyed_in_scope},
    {"destroyed in a scope beside another", destroyed_beside_another},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK | RUN_ON_DEVICES); }
