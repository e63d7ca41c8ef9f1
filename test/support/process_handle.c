/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that use stale handles, and pointers that are not handles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process_case.h"

static struct model m;

#define STALE(call) RETURNS((call), OP2_ERR_STATE, "ended")

static void stale_context(op2_context ctx) {
  op2_set set;
  op2_gbl gbl;
  op2_profile profile;
  HOLDS(!op2_initialised(ctx));
  HOLDS(op2_workers(ctx) == 0 && op2_queued(ctx) == 0);
  STALE(op2_flush(ctx));
  STALE(op2_set_create(ctx, 3, "more", &set));
  STALE(op2_gbl_create(ctx, 1, OP2_F64, NULL, "more", &gbl));
  STALE(op2_explain(ctx, stderr));
  STALE(op2_profile_get(ctx, 0, &profile));
  RETURNS(op2_finalize(&ctx), OP2_ERR_STATE, "finalized before");
  HOLDS(!ctx);
}

static int finalize_copy(void) {
  start(&m);
  run(&m, 2);
  op2_context copies[3] = {m.ctx, m.ctx, m.ctx};
  stop(&m);
  for (int c = 0; c < 3; c++) stale_context(copies[c]);
  return failures();
}

static int finalize_copy_objects_alive(void) {
  start(&m);
  op2_context copy = m.ctx;
  RETURNS(op2_finalize(&m.ctx), OP2_SUCCESS, "");
  stale_context(copy);
  RETURNS(op2_finalize(&copy), OP2_ERR_STATE, "finalized before");
  RETURNS(op2_dat_get(m.x, &(double){0}), OP2_ERR_STATE, "ended");
  stop(&m);
  return failures();
}

/* A context that has ended must not be taken for one that was made later. */
static int finalize_copy_and_begin(void) {
  struct model other;
  start(&m);
  op2_context copy = m.ctx;
  stop(&m);
  for (int n = 0; n < 20; n++) {
    op2_context again = copy;
    start_on(&other, "sequential");
    RETURNS(op2_finalize(&again), OP2_ERR_STATE, "finalized before");
    run(&other, 2);
    expect_x(&other, 2);
    stop(&other);
  }
  return failures();
}

static int destroy_copies(void) {
  start(&m);
  queue(&m, 2);
  struct model copy = m;
  op2_loop_destroy(&m.loop);
  op2_kernel_destroy(&m.grow);
  op2_const_destroy(&m.one);
  op2_gbl_destroy(&m.sum);
  op2_map_destroy(&m.map);
  op2_loop_destroy(&copy.loop);
  op2_kernel_destroy(&copy.grow);
  op2_const_destroy(&copy.one);
  op2_gbl_destroy(&copy.sum);
  op2_map_destroy(&copy.map);
  expect_x(&m, 2);
  op2_set_destroy(&m.set);
  op2_set_destroy(&copy.set);
  expect_x(&m, 2);
  op2_dat_destroy(&m.x);
  op2_dat_destroy(&copy.x);
  HOLDS(!copy.loop && !copy.grow && !copy.one && !copy.sum && !copy.map && !copy.set && !copy.x);
  RETURNS(op2_finalize(&m.ctx), OP2_SUCCESS, "");
  return failures();
}

#define GONE(call) RETURNS((call), OP2_ERR_ARG, "destroyed")

static int use_after_destroy(void) {
  static double values[CELLS];
  start(&m);
  run(&m, 1);
  struct model copy = m;
  stop(&m);
  op2_dat dat;
  GONE(op2_dat_get(copy.x, values));
  GONE(op2_gbl_get(copy.sum, values));
  GONE(op2_const_set(copy.one, values));
  GONE(op2_dat_create(copy.set, 1, OP2_F64, NULL, "more", &dat));
  GONE(op2_loop_enqueue(copy.loop));
  GONE(op2_par_loop(copy.grow, copy.set, op2_arg_direct(copy.x, OP2_RW)));
  return failures();
}

#define WRONG(call) RETURNS((call), OP2_ERR_ARG, "handle")

/* Handles of other kinds, which a cast lets through. */
static int other_kinds(void) {
  static double values[CELLS];
  start(&m);
  op2_context ctx = (op2_context)(void *)m.set;
  op2_dat dat = (op2_dat)(void *)m.ctx;
  op2_set set = (op2_set)(void *)m.x, made;
  WRONG(op2_flush(ctx));
  WRONG(op2_set_create(ctx, 1, "more", &made));
  WRONG(op2_finalize(&ctx));
  HOLDS(!ctx);
  WRONG(op2_dat_get(dat, values));
  WRONG(op2_par_loop(m.grow, set, op2_arg_direct(m.x, OP2_RW)));
  WRONG(op2_par_loop((op2_kernel)(void *)m.set, m.set, op2_arg_direct(m.x, OP2_RW)));
  WRONG(op2_par_loop(m.grow, m.set, op2_arg_direct((op2_dat)(void *)m.map, OP2_RW)));
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  HOLDS(!dat && !set);
  run(&m, 1);
  expect_x(&m, 1);
  stop(&m);
  return failures();
}

static int null_handles(void) {
  op2_set set;
  op2_gbl gbl;
  op2_profile profile;
  double value;
  start(&m);
  RETURNS(op2_flush(NULL), OP2_ERR_STATE, "null");
  RETURNS(op2_set_create(NULL, 1, "more", &set), OP2_ERR_STATE, "null");
  RETURNS(op2_gbl_create(NULL, 1, OP2_F64, NULL, "more", &gbl), OP2_ERR_STATE, "null");
  RETURNS(op2_profile_get(NULL, 0, &profile), OP2_ERR_STATE, "null");
  RETURNS(op2_explain(NULL, stderr), OP2_ERR_STATE, "null");
  RETURNS(op2_graph_write_dot(NULL, stderr), OP2_ERR_STATE, "null");
  RETURNS(op2_init(NULL, NULL), OP2_ERR_ARG, "null");
  WRONG(op2_dat_get(NULL, &value));
  WRONG(op2_gbl_get(NULL, &value));
  WRONG(op2_const_set(NULL, &value));
  WRONG(op2_loop_enqueue(NULL));
  WRONG(op2_par_loop(NULL, m.set, op2_arg_direct(m.x, OP2_RW)));
  WRONG(op2_par_loop(m.grow, NULL, op2_arg_direct(m.x, OP2_RW)));
  WRONG(op2_par_loop(m.grow, m.set, op2_arg_direct(NULL, OP2_RW)));
  op2_set_destroy(NULL);
  op2_set_destroy(&(op2_set){NULL});
  op2_dat_destroy(NULL);
  op2_const_destroy(&(op2_const){NULL});
  RETURNS(op2_finalize(NULL), OP2_SUCCESS, "");
  stop(&m);
  return failures();
}

const struct process_case handle_cases[] = {
    {"finalize of copies", finalize_copy, "starpu openmp sequential", 0, ""},
    {"finalize of a copy, objects alive", finalize_copy_objects_alive, "starpu sequential", 0, ""},
    {"finalize of a copy after a new context", finalize_copy_and_begin, "starpu sequential", 0, ""},
    {"destroying copies", destroy_copies, "starpu sequential", 0, "destroyed before"},
    {"use after destroying", use_after_destroy, "starpu sequential", 0, ""},
    {"handles of other kinds", other_kinds, "starpu sequential", 0, "another object's"},
    {"null handles", null_handles, "starpu sequential", 0, ""},
    {0}};
