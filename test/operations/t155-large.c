/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows and maps too long to be written out value by value: dims and arities beyond those that
 * generated code unrolls. */
#include <stdio.h>

#include "support.h"

enum { CELLS = 60, NODES = 90, DIM = 37, ARITY = 41 };

OP2_KERNEL(wide_direct, (double *x, const double *y), {
  for (int c = 0; c < 37; c++) x[c] = 2 * y[36 - c];
});
OP2_KERNEL(wide_slot, (int64_t *x, const int64_t *y), {
  for (int c = 0; c < 37; c++) x[c] += y[c] + c;
});
OP2_KERNEL(wide_add, (double *x, const int64_t *y), {
  for (int c = 0; c < 37; c++) x[c] += (double)(y[c] + c);
});
OP2_KERNEL(wide_raise, (int64_t *x, const int64_t *y), {
  for (int c = 0; c < 37; c++)
    if (y[c] > x[c]) x[c] = y[c];
});
OP2_KERNEL(long_all, (int64_t **x, const int64_t *y), {
  for (int k = 0; k < 41; k++) x[k][0] += y[0] * (k + 1);
});
OP2_KERNEL(long_iter, (int64_t *x, const int64_t *y), {
  for (int k = 0; k < 41; k++) x[k] += y[0] * (k + 1);
});
OP2_KERNEL(both_all, (int64_t **x, const int64_t *y), {
  for (int k = 0; k < 41; k++)
    for (int c = 0; c < 37; c++) x[k][c] += y[c] + k;
});
OP2_KERNEL(both_iter, (int64_t *x, const int64_t *y), {
  for (int k = 0; k < 41; k++)
    for (int c = 0; c < 37; c++) x[37 * k + c] += y[c] + k;
});
OP2_KERNEL(sum_all, (int64_t *x, int64_t **y), {
  for (int c = 0; c < 37; c++) {
    x[c] = 0;
    for (int k = 0; k < 41; k++) x[c] += y[k][c] * (k + 1);
  }
});
OP2_KERNEL(sum_iter, (int64_t *x, const int64_t *y), {
  for (int c = 0; c < 37; c++) {
    x[c] = 0;
    for (int k = 0; k < 41; k++) x[c] += y[37 * k + c] * (k + 1);
  }
});
OP2_KERNEL(wide_global,
           (const int64_t *y, int64_t *sum, int64_t *low, const int64_t *given,
            const int64_t *value),
           {
             for (int c = 0; c < 37; c++) {
               sum[c] += y[c] + given[c] + value[36 - c];
               if (y[c] < low[c]) low[c] = y[c];
             }
           });

struct mesh {
  op2_set cells, nodes;
  op2_map one, many;
  int32_t *one_idx, *many_idx;
  int64_t *y;
  op2_dat dy, wide, narrow;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  uint64_t seed = 8;
  m.one_idx = scratch(CELLS, sizeof *m.one_idx);
  m.many_idx = scratch(CELLS * ARITY, sizeof *m.many_idx);
  m.y = scratch(CELLS * DIM, sizeof *m.y);
  for (int i = 0; i < CELLS; i++) m.one_idx[i] = draw_below(&seed, NODES);
  for (int i = 0; i < CELLS * ARITY; i++) m.many_idx[i] = draw_below(&seed, NODES);
  for (int i = 0; i < CELLS * DIM; i++) m.y[i] = draw_below(&seed, 1000) - 500;
  m.cells = new_set(CELLS, "cells");
  m.nodes = new_set(NODES, "nodes");
  m.one = new_map(m.cells, m.nodes, 1, m.one_idx, "one");
  m.many = new_map(m.cells, m.nodes, ARITY, m.many_idx, "many");
  m.dy = new_dat(m.cells, DIM, OP2_I64, m.y, "y");
  m.wide = new_dat(m.nodes, DIM, OP2_I64, NULL, "wide");
  m.narrow = new_dat(m.nodes, 1, OP2_I64, NULL, "narrow");
  return m;
}

static void direct(void) {
  op2_set set = new_set(CELLS, "cells");
  double *v = scratch(CELLS * DIM, sizeof *v);
  for (int i = 0; i < CELLS * DIM; i++) v[i] = i;
  op2_dat y = new_dat(set, DIM, OP2_F64, v, "y"), x = new_dat(set, DIM, OP2_F64, NULL, "x");
  MUST(op2_par_loop(new_kernel(&wide_direct_kernel), set, op2_arg_direct(x, OP2_WRITE),
                    op2_arg_direct(y, OP2_READ)));
  EXPECT_VALUES(double, x, CELLS *DIM, i, 2 * (i / DIM * DIM + DIM - 1 - i % DIM));
}

static void slots(void) {
  struct mesh m = make_mesh();
  int64_t *want = scratch(NODES * DIM, sizeof *want), *most = scratch(NODES * DIM, sizeof *most);
  for (int i = 0; i < CELLS * DIM; i++) {
    const int at = m.one_idx[i / DIM] * DIM + i % DIM;
    want[at] += m.y[i] + i % DIM;
    if (m.y[i] > most[at]) most[at] = m.y[i];
  }
  op2_dat top = new_dat(m.nodes, DIM, OP2_I64, NULL, "top"),
          sum = new_dat(m.nodes, DIM, OP2_F64, NULL, "sum");
  MUST(op2_par_loop(new_kernel(&wide_slot_kernel), m.cells, op2_arg_dat(m.wide, 0, m.one, OP2_INC),
                    op2_arg_direct(m.dy, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&wide_raise_kernel), m.cells, op2_arg_dat(top, 0, m.one, OP2_MAX),
                    op2_arg_direct(m.dy, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&wide_add_kernel), m.cells, op2_arg_dat(sum, 0, m.one, OP2_INC),
                    op2_arg_direct(m.dy, OP2_READ)));
  EXPECT_VALUES(int64_t, m.wide, NODES * DIM, i, want[i]);
  EXPECT_VALUES(double, sum, NODES * DIM, i, want[i]);
  EXPECT_VALUES(int64_t, top, NODES * DIM, i, most[i]);
}

static void rows(void) {
  struct mesh m = make_mesh();
  const struct {
    int idx;
    const op2_kernel_desc *narrow, *wide, *sum;
  } forms[] = {{OP2_ALL, &long_all_kernel, &both_all_kernel, &sum_all_kernel},
               {OP2_ITER(0), &long_iter_kernel, &both_iter_kernel, &sum_iter_kernel}};
  int64_t *narrow = scratch(NODES, sizeof *narrow), *wide = scratch(NODES * DIM, sizeof *wide);
  int64_t *sums = scratch(CELLS * DIM, sizeof *sums);
  for (int f = 0; f < 2; f++) {
    for (int i = 0; i < CELLS * ARITY; i++) {
      narrow[m.many_idx[i]] += m.y[i / ARITY * DIM] * (i % ARITY + 1);
      for (int c = 0; c < DIM; c++)
        wide[m.many_idx[i] * DIM + c] += m.y[i / ARITY * DIM + c] + i % ARITY;
    }
    for (int i = 0; i < CELLS * DIM; i++) {
      sums[i] = 0;
      for (int k = 0; k < ARITY; k++)
        sums[i] += wide[m.many_idx[i / DIM * ARITY + k] * DIM + i % DIM] * (k + 1);
    }
    op2_dat x = new_dat(m.cells, DIM, OP2_I64, NULL, "x");
    MUST(op2_par_loop(new_kernel(forms[f].narrow), m.cells,
                      op2_arg_dat(m.narrow, forms[f].idx, m.many, OP2_INC),
                      op2_arg_direct(m.dy, OP2_READ)));
    MUST(op2_par_loop(new_kernel(forms[f].wide), m.cells,
                      op2_arg_dat(m.wide, forms[f].idx, m.many, OP2_INC),
                      op2_arg_direct(m.dy, OP2_READ)));
    MUST(op2_par_loop(new_kernel(forms[f].sum), m.cells, op2_arg_direct(x, OP2_WRITE),
                      op2_arg_dat(m.wide, forms[f].idx, m.many, OP2_READ)));
    EXPECT_VALUES(int64_t, m.narrow, NODES, i, narrow[i]);
    EXPECT_VALUES(int64_t, m.wide, NODES * DIM, i, wide[i]);
    EXPECT_VALUES(int64_t, x, CELLS * DIM, i, sums[i]);
  }
}

static void globals(void) {
  struct mesh m = make_mesh();
  int64_t want[DIM] = {0}, low[DIM], given[DIM], value[DIM], got[DIM], got_low[DIM];
  for (int c = 0; c < DIM; c++) low[c] = 0, given[c] = c, value[c] = 100 * c;
  op2_gbl sum = new_gbl(DIM, OP2_I64, NULL, "sum"), least = new_gbl(DIM, OP2_I64, low, "low"),
          extra = new_gbl(DIM, OP2_I64, given, "given");
  MUST(op2_par_loop(new_kernel(&wide_global_kernel), m.cells, op2_arg_direct(m.dy, OP2_READ),
                    op2_arg_gbl(sum, OP2_INC), op2_arg_gbl(least, OP2_MIN),
                    op2_arg_gbl(extra, OP2_READ), op2_arg_val(value, DIM, OP2_I64)));
  for (int i = 0; i < CELLS * DIM; i++) {
    const int c = i % DIM;
    want[c] += m.y[i] + given[c] + value[DIM - 1 - c];
    if (m.y[i] < low[c]) low[c] = m.y[i];
  }
  MUST(op2_gbl_get(sum, got));
  MUST(op2_gbl_get(least, got_low));
  for (int c = 0; c < DIM; c++) EXPECT(got[c] == want[c] && got_low[c] == low[c]);
}

/* More arguments than a loop is likely to have. */
static void many_arguments(void) {
  enum { ARGS = 60 };
  char *source = scratch(ARGS, 64), *at = source;
  op2_set set = new_set(20, "cells");
  op2_arg args[ARGS];
  op2_dat dats[ARGS];
  at += sprintf(at, "void many(");
  for (int a = 0; a < ARGS; a++) at += sprintf(at, "%sint32_t *p%d", a ? ", " : "", a);
  at += sprintf(at, ") {\n");
  for (int a = 0; a < ARGS; a++) at += sprintf(at, "  *p%d += %d;\n", a, a);
  sprintf(at, "}\n");
  for (int a = 0; a < ARGS; a++) {
    dats[a] = new_dat(set, 1, OP2_I32, NULL, NULL);
    args[a] = op2_arg_direct(dats[a], OP2_RW);
  }
  MUST(op2_par_loop_at(OP2_HERE, new_source("many", source), set, ARGS, args));
  for (int a = 0; a < ARGS; a++) EXPECT_VALUES(int32_t, dats[a], 20, i, a);
}

static const struct test_case cases[] = {
    {"direct", direct},
    {"slots", slots},
    {"whole rows of a map", rows},
    {"globals", globals},
    {"many arguments", many_arguments},
};

int main(void) { return RUN(cases, 0); }
