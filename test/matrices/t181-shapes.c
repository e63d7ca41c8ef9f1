/* SPDX-License-Identifier: BSD-3-Clause */
/* The shapes of objects, as they were declared; outputs that are left out, and wrong handles. */
#include "support.h"

enum { UNTOUCHED = -7 };

static void dats(void) {
  op2_set set = new_sections(1, 3, 4, 6, "cells");
  op2_dat x = new_dat(set, 2, OP2_F32, NULL, "x");
  int dim = UNTOUCHED;
  op2_type type = OP2_U64;
  int64_t owned = UNTOUCHED, total = UNTOUCHED;
  MUST(op2_dat_shape(x, &dim, &type, &owned, &total));
  EXPECT(dim == 2 && type == OP2_F32 && owned == 3 && total == 6);
  MUST(op2_dat_shape(x, NULL, NULL, NULL, NULL));
  dim = UNTOUCHED;
  EXPECT(op2_dat_shape(NULL, &dim, &type, &owned, &total) == OP2_ERR_ARG && dim == UNTOUCHED);
}

static void values(void) {
  op2_gbl g = new_gbl(3, OP2_I64, NULL, "g");
  op2_const c = new_const(2, OP2_U8, (uint8_t[]){1, 2}, "shape_const");
  int dim = UNTOUCHED;
  op2_type type = OP2_F64;
  MUST(op2_gbl_shape(g, &dim, &type));
  EXPECT(dim == 3 && type == OP2_I64);
  MUST(op2_const_shape(c, &dim, &type));
  EXPECT(dim == 2 && type == OP2_U8);
  MUST(op2_gbl_shape(g, NULL, NULL));
  MUST(op2_const_shape(c, NULL, NULL));
  EXPECT(op2_gbl_shape(NULL, &dim, &type) == OP2_ERR_ARG);
  EXPECT(op2_const_shape(NULL, &dim, &type) == OP2_ERR_ARG && dim == 2);
}

static void maps_and_matrices(void) {
  static const int32_t idx[] = {0, 1, 1, 2, 2, 0};
  op2_set edges = new_set(3, "edges"), nodes = new_set(3, "nodes");
  op2_map map = new_map(edges, nodes, 2, idx, "ends");
  const op2_map_pair pair = {map, map};
  op2_sparsity sparsity;
  op2_mat mat;
  int arity, row_dim, column_dim;
  op2_type type;
  int64_t rows, places;
  MUST(op2_map_shape(map, &arity, &rows));
  EXPECT(arity == 2 && rows == 3);
  MUST(op2_map_shape(map, NULL, NULL));
  EXPECT(op2_map_shape(NULL, &arity, &rows) == OP2_ERR_ARG);
  MUST(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 2, 3, OP2_F32, "a", &mat));
  MUST(op2_mat_shape(mat, &row_dim, &column_dim, &type, &places));
  EXPECT(row_dim == 2 && column_dim == 3 && type == OP2_F32 && places == 9);
  MUST(op2_mat_shape(mat, NULL, NULL, NULL, NULL));
  EXPECT(op2_mat_shape(NULL, &row_dim, NULL, NULL, NULL) == OP2_ERR_ARG);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

static const struct test_case cases[] = {
    {"dats", dats},
    {"globals and constants", values},
    {"maps and matrices", maps_and_matrices},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
