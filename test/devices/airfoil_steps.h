/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_AIRFOIL_STEPS_H
#define OP2_TEST_AIRFOIL_STEPS_H

/* Time steps of airfoil on a small mesh, for tests of what they take on a device. */

#include <stdbool.h>

#include "op2.h"

/* Cells in both directions. */
enum { NX = 12, NY = 9, NODES = (NX + 1) * (NY + 1), CELLS = NX * NY };
enum { EDGES = (NX - 1) * NY + NX * (NY - 1), BOUNDARY = 2 * (NX + NY), LOOPS = 9 };

/* How a step passes its length, which changes from step to step unless it is not passed. */
enum way { SAME, VALUE, CONSTANT, GLOBAL, WAYS };
extern const char *const ways[WAYS];

enum kernel { SAVE, ADT, RES, BRES, UPDATE, UPDATE_VALUE, UPDATE_CONSTANT, KERNELS };
struct program {
  op2_context ctx;
  op2_set nodes, cells, edges, bedges;
  op2_map cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells;
  op2_dat x, q, qold, res, adt, bound;
  op2_const constants[6];
  op2_gbl rms, dt;
  op2_kernel kernels[KERNELS];
};
extern struct program flow;

/* Open a context, and declare and destroy all of it. */
bool steps_begin(const char *backend, int queue_max);
void steps_end(void);
/* The same where anything may fail: no failure is noted. */
op2_status steps_leave(void);
op2_status steps_try(enum way way, int number);
/* Queue steps with these numbers. */
bool steps_queue(enum way way, int first, int n);

/* This is the state after some steps. The sum has rounding errors: the host adds in another order. */
struct result {
  double q[CELLS][4], rms;
};
bool steps_take(struct result *result);
/* Run steps on the sequential backend. */
bool steps_expect(enum way way, int n, struct result *result);
bool steps_near(const struct result *got, const struct result *want);

#endif
