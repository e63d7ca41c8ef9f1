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

/* Emit: , N with the position of a value among two vectors of so many lanes. */
static void add_place(struct op2i_text *out, int lanes, int vector, int lane) {
  op2i_text_add(out, ", %d", vector * lanes + lane);
}

static void begin_choice(struct op2i_text *out, const char *name, int n, const char *from) {
  op2i_text_add(out, "  const __typeof__(*op2_vectors) op2_%s%d = __builtin_shufflevector(%s", name,
                n, from);
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

/* Component k is gathered from the first two vectors, and then from the third. */
static void load_component(const struct op2i_vec *v, int dim, int k) {
  const int lanes = v->lanes;
  begin_choice(v->out, "two", k, "op2_row0, op2_row1");
  for (int lane = 0; lane < lanes; lane++) {
    const int place = dim * lane + k;
    add_place(v->out, lanes, 0, place < 2 * lanes ? place : lane);
  }
  op2i_text_add(v->out, ");\n");
  if (dim == 3) begin_choice(v->out, "all", k, "");
  if (dim == 3) op2i_text_add(v->out, "op2_two%d, op2_row2", k);
  for (int lane = 0; lane < lanes && dim == 3; lane++) {
    const int place = dim * lane + k;
    add_place(v->out, lanes, place >= 2 * lanes, place < 2 * lanes ? lane : place - 2 * lanes);
  }
  op2i_text_add(v->out, dim == 3 ? ");\n" : "");
}

void op2i_vec_add_load(const struct op2i_vec *v, op2_type type, int dim) {
  begin_function(v, "load", type, dim, true);
  for (int n = 0; n < dim; n++)
    op2i_text_add(v->out,
                  "  const op2_%sx%d op2_row%d = *(const op2_%smem%d *)(op2_memory + %d);\n",
                  op2i_type_stem(type), v->lanes, n, op2i_type_stem(type), v->lanes, n * v->lanes);
  for (int k = 0; k < dim; k++) load_component(v, dim, k);
  for (int k = 0; k < dim; k++)
    op2i_text_add(v->out, "  op2_vectors[%d] = op2_%s%d;\n", k, dim == 3 ? "all" : "two", k);
  op2i_text_add(v->out, "}\n");
}

/* Vector n of memory is made from the first two components, and then from the third. */
static void store_vector(const struct op2i_vec *v, int dim, int n) {
  const int lanes = v->lanes;
  begin_choice(v->out, "two", n, "op2_vectors[0], op2_vectors[1]");
  for (int lane = 0; lane < lanes; lane++) {
    const int place = n * lanes + lane;
    add_place(v->out, lanes, place % dim == 1, place / dim);
  }
  op2i_text_add(v->out, ");\n");
  if (dim == 3) begin_choice(v->out, "all", n, "");
  if (dim == 3) op2i_text_add(v->out, "op2_two%d, op2_vectors[2]", n);
  for (int lane = 0; lane < lanes && dim == 3; lane++) {
    const int place = n * lanes + lane;
    add_place(v->out, lanes, place % dim == 2, place % dim == 2 ? place / dim : lane);
  }
  op2i_text_add(v->out, dim == 3 ? ");\n" : "");
}

void op2i_vec_add_store(const struct op2i_vec *v, op2_type type, int dim) {
  begin_function(v, "store", type, dim, false);
  for (int n = 0; n < dim; n++) store_vector(v, dim, n);
  for (int n = 0; n < dim; n++)
    op2i_text_add(v->out, "  *(op2_%smem%d *)(op2_memory + %d) = op2_%s%d;\n", op2i_type_stem(type),
                  v->lanes, n * v->lanes, dim == 3 ? "all" : "two", n);
  op2i_text_add(v->out, "}\n");
}
