/* SPDX-License-Identifier: BSD-3-Clause */
/* Helper functions for short rows that lie one behind the other: as many whole vectors are loaded as
 * a row has values, and shuffles of two of them gather a component each. That takes fewer
 * instructions than loading row by row. */
#include "vec_order.h"

/* The lanes of vectors of 64 bytes can be chosen from two vectors at will by one instruction. */
enum { LONG = 64 };

bool op2i_vec_ordered(const struct op2i_vec *v, op2_type type, int dim) {
  const int size = (int)op2i_type_size(type), bytes = v->lanes * size;
  if (size < 4 || bytes > v->widest || v->lanes < 4) return false;
  return dim == 2 ? bytes == LONG || size == 4 : dim == 3 && bytes == LONG;
}

static void begin_function(const struct op2i_vec *v, const char *name, op2_type type, int dim,
                           bool load) {
  const char *stem = op2i_type_stem(type);
  op2i_text_add(v->out,
                "static inline __attribute__((always_inline)) void op2_%s%d_%sx%d(%sop2_%sx%d "
                "*op2_vectors, %s%s *op2_memory) {\n",
                name, dim, stem, v->lanes, load ? "" : "const ", stem, v->lanes,
                load ? "const " : "", op2i_type_c(type));
}

/* Returns the number, among the values of all vectors, of the one that goes to a lane of vector n.
 * Vectors in memory have one value of a row after the other; the others have a component each. */
static int source_of(int lanes, int dim, bool load, int n, int lane) {
  const int place = n * lanes + lane;
  return load ? dim * lane + n : place % dim * lanes + place / dim;
}

/* Emit vector n of the result. Its lanes are chosen from the first two vectors, and then from these
 * and the third, if a row has three values. */
static void add_vector(const struct op2i_vec *v, int dim, bool load, int n) {
  for (int third = 0; third < dim - 1; third++) {
    op2i_text_add(v->out, "  const __typeof__(*op2_vectors) op2_%s%d = __builtin_shufflevector(",
                  third == dim - 2 ? "done" : "two", n);
    if (third)
      op2i_text_add(v->out, "op2_two%d, op2_row2", n);
    else
      op2i_text_add(v->out, "op2_row0, op2_row1");
    for (int lane = 0; lane < v->lanes; lane++) {
      const int from = source_of(v->lanes, dim, load, n, lane);
      const bool late = from >= 2 * v->lanes;
      op2i_text_add(v->out, ", %d", late == third ? from - third * v->lanes : lane);
    }
    op2i_text_add(v->out, ");\n");
  }
}

void op2i_vec_add_load(const struct op2i_vec *v, op2_type type, int dim) {
  begin_function(v, "load", type, dim, true);
  for (int n = 0; n < dim; n++)
    op2i_text_add(v->out,
                  "  const op2_%sx%d op2_row%d = *(const op2_%smem%d *)(op2_memory + %d);\n",
                  op2i_type_stem(type), v->lanes, n, op2i_type_stem(type), v->lanes, n * v->lanes);
  for (int n = 0; n < dim; n++) add_vector(v, dim, true, n);
  for (int n = 0; n < dim; n++) op2i_text_add(v->out, "  op2_vectors[%d] = op2_done%d;\n", n, n);
  op2i_text_add(v->out, "}\n");
}

void op2i_vec_add_store(const struct op2i_vec *v, op2_type type, int dim) {
  begin_function(v, "store", type, dim, false);
  for (int n = 0; n < dim; n++)
    op2i_text_add(v->out, "  const __typeof__(*op2_vectors) op2_row%d = op2_vectors[%d];\n", n, n);
  for (int n = 0; n < dim; n++) add_vector(v, dim, false, n);
  for (int n = 0; n < dim; n++)
    op2i_text_add(v->out, "  *(op2_%smem%d *)(op2_memory + %d) = op2_done%d;\n",
                  op2i_type_stem(type), v->lanes, n * v->lanes, n);
  op2i_text_add(v->out, "}\n");
}
