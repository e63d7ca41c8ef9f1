/* SPDX-License-Identifier: BSD-3-Clause */
/* Helper functions of generated vector code. A network of shuffles of two vectors turns pieces of
 * rows into vectors of components, and back. To describe it, the bits of row numbers and of
 * component numbers have names. Each vector has a number, whose bits stand for some of them, and
 * each position in a vector has a number, whose bits stand for the others. At first the low bits of
 * a position belong to the component, at last all of them belong to the row; a stage exchanges one
 * of each. */
#include <stdio.h>

#include "vec.h"
#include "vec_order.h"
#include "vec_rows.h"

enum { BITS = 4, STAGES = 4, COLUMN = 8 }; /* row bit b is named b, component bit b COLUMN + b */

struct stage {
  int slot;         /* bit of the vectors' numbers that changes */
  int row, column;  /* what it stands for before and after */
  int places[BITS]; /* what the bits of positions stand for after it */
};

struct network {
  int lanes, width;
  int nplace, nvector;             /* bits: lanes is 2 to the nplace, width 2 to the nvector */
  int places[BITS], vectors[BITS]; /* what bits stand for before the first stage */
  int nstages;
  struct stage stages[STAGES];
};

/* A piece is at most half a vector: two pieces are joined as they are loaded, which saves a shuffle
 * each. */
int op2i_vec_piece(const struct op2i_vec *v, int left) {
  int width = v->lanes / 2;
  while (width > left) width /= 2;
  return width;
}

/* ---- the network of shuffles ----------------------------------------------------------------- */

static int log2_of(int n) {
  int bits = 0;
  while (1 << bits < n) bits++;
  return bits;
}

/* Take component bit `column` out of the positions and insert the row bit at bit `at`; the other
 * bits move together. */
static void add_stage(struct network *net, int column, int row, int at) {
  struct stage *stage = &net->stages[net->nstages];
  const int *before = net->nstages ? stage[-1].places : net->places;
  int n = 0;
  *stage = (struct stage){.row = row, .column = COLUMN + column};
  while (net->vectors[stage->slot] != row) stage->slot++;
  for (int i = 0; i < net->nplace; i++) {
    if (n == at) stage->places[n++] = row;
    if (before[i] != stage->column) stage->places[n++] = before[i];
  }
  if (n < net->nplace) stage->places[n] = row;
  net->nstages++;
}

/* The upper bits of positions stand for the row bits first, first + 1, ...; the row bits below and
 * above these belong to the vectors' numbers. */
static void begin_network(struct network *net, int first) {
  int n = 0;
  for (int b = 0; b < net->nvector; b++) net->places[b] = COLUMN + b;
  for (int b = net->nvector; b < net->nplace; b++) net->places[b] = first + b - net->nvector;
  for (int b = 0; b < net->nplace; b++)
    if (b < first || b >= first + net->nplace - net->nvector) net->vectors[n++] = b;
}

/* Choose stages for which compilers find single instructions: exchanges within 16 bytes first, then
 * of whole 16-byte parts. Where there are none, any correct stages do. */
static struct network make_network(int lanes, int width, int size) {
  struct network net = {
      .lanes = lanes, .width = width, .nplace = log2_of(lanes), .nvector = log2_of(width)};
  int n = net.nplace, k = net.nvector, c = 0;
  if (size == 8 && k >= 1) {
    begin_network(&net, 1);
    add_stage(&net, c++, 0, 0);
  } else if (size == 4 && n >= 2 && k == 1) {
    net.places[0] = COLUMN;
    for (int b = 1; b < n; b++) net.places[b] = b == 1 ? 0 : b;
    net.vectors[0] = 1;
    add_stage(&net, c++, 1, 1);
  } else if (size == 4 && k >= 2) {
    begin_network(&net, 2);
    add_stage(&net, 1, 1, 0);
    add_stage(&net, 0, 0, 0);
    c = 2;
  } else {
    begin_network(&net, 0);
  }
  for (; c < k; c++) add_stage(&net, c, n - k + c, n - 1);
  return net;
}

/* ---- shuffles -------------------------------------------------------------------------------- */

/* The positions to take from two vectors that differ in the bit `enters`, in order. The result is
 * the vector with `value` for the bit `leaves`, and its positions stand for `after`. */
static void add_choice(const struct network *net, const int *before, const int *after, int leaves,
                       int enters, int value, struct op2i_text *out) {
  for (int place = 0; place < net->lanes; place++) {
    int bits[COLUMN + BITS] = {0}, from = 0;
    for (int b = 0; b < net->nplace; b++) bits[after[b]] = place >> b & 1;
    bits[leaves] = value;
    for (int b = 0; b < net->nplace; b++) from |= bits[before[b]] << b;
    op2i_text_add(out, ", %d", bits[enters] * net->lanes + from);
  }
}

/* Emit one stage, from vectors op2_<from><n> to op2_<to><n>. */
static void add_exchange(const struct network *net, int slot, const int *before, const int *after,
                         int leaves, int enters, const char *from, const char *to, const char *type,
                         struct op2i_text *out) {
  for (int n = 0; n < net->width; n++) {
    int low = n & ~(1 << slot);
    op2i_text_add(out, "  const %s op2_%s%d = __builtin_shufflevector(op2_%s%d, op2_%s%d", type, to,
                  n, from, low, from, low | 1 << slot);
    add_choice(net, before, after, leaves, enters, n >> slot & 1, out);
    op2i_text_add(out, ");\n");
  }
}

/* The row in part `part` of vector n before the first stage. */
static int row_at(const struct network *net, int n, int part) {
  int row = 0;
  for (int b = 0; b < net->nvector; b++) row |= (n >> b & 1) << net->vectors[b];
  for (int b = net->nvector; b < net->nplace; b++)
    row |= (part >> (b - net->nvector) & 1) << net->places[b];
  return row;
}

/* The component of vector n after the last stage. */
static int column_at(const struct network *net, int n) {
  int column = 0;
  for (int s = 0; s < net->nstages; s++)
    column |= (n >> net->stages[s].slot & 1) << (net->stages[s].column - COLUMN);
  return column;
}

/* ---- functions ------------------------------------------------------------------------------- */

struct name {
  char text[32];
};

static struct name stage_name(int stage) {
  struct name name;
  snprintf(name.text, sizeof name.text, "stage%d_", stage);
  return name;
}

/* The name of a vector type, such as "op2_f64x8"; "op2_f64row4" is a piece of a row, and
 * "op2_f64mem4" the same in memory. */
static struct name type_name(op2_type type, const char *form, int width) {
  struct name name;
  snprintf(name.text, sizeof name.text, "op2_%s%s%d", op2i_type_stem(type), form, width);
  return name;
}

static struct name part_type(op2_type type, int width) {
  struct name name;
  if (width > 1) return type_name(type, "row", width);
  snprintf(name.text, sizeof name.text, "%s", op2i_type_c(type));
  return name;
}

static struct name memory_type(op2_type type, int width) {
  return width > 1 ? type_name(type, "mem", width) : part_type(type, width);
}

/* Emit the concatenation of `parts` rows of vector n from part `first` on. gcc finds the
 * instruction for 32 and 64 bytes only when it is named. */
static void add_joined(const struct network *net, op2_type type, int n, int first, int parts,
                       struct op2i_text *out) {
  int values = parts * net->width, bytes = values * (int)op2i_type_size(type);
  if (parts == 1) {
    op2i_text_add(out, "op2_row%d", row_at(net, n, first));
    return;
  }
  if (bytes == 32 || bytes == 64)
    op2i_text_add(out, "OP2_JOIN%d(%s, ", bytes, type_name(type, "row", values).text);
  else
    op2i_text_add(out, "__builtin_shufflevector(");
  add_joined(net, type, n, first, parts / 2, out);
  op2i_text_add(out, ", ");
  add_joined(net, type, n, first + parts / 2, parts / 2, out);
  for (int i = 0; i < values; i++) op2i_text_add(out, ", %d", i);
  op2i_text_add(out, ")");
}

static const char head[] = "static inline __attribute__((always_inline)) void ";

static void add_row_types(struct op2i_text *out, op2_type type, int width) {
  int size = (int)op2i_type_size(type);
  if (width == 1) return;
  op2i_text_add(out, "typedef %s op2_%srow%d __attribute__((vector_size(%d)));\n",
                op2i_type_c(type), op2i_type_stem(type), width, width * size);
  op2i_text_add(
      out, "typedef %s op2_%smem%d __attribute__((vector_size(%d), aligned(%d), may_alias));\n",
      op2i_type_c(type), op2i_type_stem(type), width, width * size, size);
}

static void add_get(struct op2i_text *out, int lanes, op2_type type, int width) {
  struct network net = make_network(lanes, width, (int)op2i_type_size(type));
  struct name vector = type_name(type, "x", lanes), part = part_type(type, width);
  op2i_text_add(
      out,
      "%sop2_get%d_%sx%d(%s *op2_vectors, const %s *op2_memory, int64_t op2_dim, const int64_t "
      "*op2_rows) {\n",
      head, width, op2i_type_stem(type), lanes, vector.text, op2i_type_c(type));
  for (int row = 0; row < lanes; row++)
    op2i_text_add(out,
                  "  const %s op2_row%d = *(const %s *)(op2_memory + op2_dim * op2_rows[%d]);\n",
                  part.text, row, memory_type(type, width).text, row);
  for (int n = 0; n < width && width > 1; n++) {
    op2i_text_add(out, "  const %s op2_stage0_%d = ", vector.text, n);
    add_joined(&net, type, n, 0, lanes / width, out);
    op2i_text_add(out, ";\n");
  }
  for (int s = 0; s < net.nstages; s++)
    add_exchange(&net, net.stages[s].slot, s ? net.stages[s - 1].places : net.places,
                 net.stages[s].places, net.stages[s].column, net.stages[s].row, stage_name(s).text,
                 stage_name(s + 1).text, vector.text, out);
  for (int n = 0; n < width && width > 1; n++)
    op2i_text_add(out, "  op2_vectors[%d] = op2_%s%d;\n", column_at(&net, n),
                  stage_name(net.nstages).text, n);
  for (int row = 0; row < lanes && width == 1; row++)
    op2i_text_add(out, "%sop2_row%d", row ? ", " : "  op2_vectors[0] = (__typeof__(*op2_vectors)){",
                  row);
  op2i_text_add(out, width == 1 ? "};\n}\n" : "}\n");
}

/* Emit part `part` of vector n. */
static void add_part(const struct network *net, int n, int part, struct op2i_text *out) {
  op2i_text_add(out, "  op2_parts[%d] = ", row_at(net, n, part));
  if (net->width == net->lanes) {
    op2i_text_add(out, "op2_stage0_%d;\n", n);
    return;
  }
  op2i_text_add(out, "__builtin_shufflevector(op2_stage0_%d, op2_stage0_%d", n, n);
  for (int i = 0; i < net->width; i++) op2i_text_add(out, ", %d", part * net->width + i);
  op2i_text_add(out, ");\n");
}

static void add_parts(struct op2i_text *out, int lanes, op2_type type, int width) {
  struct network net = make_network(lanes, width, (int)op2i_type_size(type));
  struct name vector = type_name(type, "x", lanes);
  op2i_text_add(out, "%sop2_parts%d_%sx%d(%s *op2_parts, const %s *op2_vectors) {\n", head, width,
                op2i_type_stem(type), lanes, part_type(type, width).text, vector.text);
  for (int row = 0; row < lanes && width == 1; row++)
    op2i_text_add(out, "  op2_parts[%d] = op2_vectors[0][%d];\n", row, row);
  for (int n = 0; n < width && width > 1; n++)
    op2i_text_add(out, "  const %s op2_%s%d = op2_vectors[%d];\n", vector.text,
                  stage_name(net.nstages).text, n, column_at(&net, n));
  for (int s = net.nstages - 1; s >= 0; s--)
    add_exchange(&net, net.stages[s].slot, net.stages[s].places,
                 s ? net.stages[s - 1].places : net.places, net.stages[s].row, net.stages[s].column,
                 stage_name(s + 1).text, stage_name(s).text, vector.text, out);
  for (int n = 0; n < width && width > 1; n++)
    for (int part = 0; part < lanes / width; part++) add_part(&net, n, part, out);
  op2i_text_add(out, "}\n");
}

static void add_put(struct op2i_text *out, int lanes, op2_type type, int width) {
  op2i_text_add(
      out,
      "%sop2_put%d_%sx%d(%s *op2_memory, int64_t op2_dim, const int64_t *op2_rows, const %s "
      "*op2_vectors) {\n  %s op2_parts[%d];\n  op2_parts%d_%sx%d(op2_parts, op2_vectors);\n",
      head, width, op2i_type_stem(type), lanes, op2i_type_c(type), type_name(type, "x", lanes).text,
      part_type(type, width).text, lanes, width, op2i_type_stem(type), lanes);
  for (int row = 0; row < lanes; row++)
    op2i_text_add(out, "  *(%s *)(op2_memory + op2_dim * op2_rows[%d]) = op2_parts[%d];\n",
                  memory_type(type, width).text, row, row);
  op2i_text_add(out, "}\n");
}

static void add_add(struct op2i_text *out, op2_type type, int width) {
  op2i_text_add(out,
                "%sop2_add%d_%s(%s *op2_memory, const %s *op2_from) {\n  *(%s *)op2_memory += "
                "*op2_from;\n}\n",
                head, width, op2i_type_stem(type), op2i_type_c(type), part_type(type, width).text,
                memory_type(type, width).text);
}

/* The signed integer type as wide as the type. */
static op2_type integer_of(op2_type type) {
  switch (op2i_type_size(type)) {
  case 1: return OP2_I8;
  case 2: return OP2_I16;
  case 4: return OP2_I32;
  default: return OP2_I64;
  }
}

/* Select `on` in lanes where op2_mask is set and `off` elsewhere, for vectors of `type`. */
static void add_select(struct op2i_text *out, int lanes, op2_type type, const char *on,
                       const char *off) {
  struct name mask = type_name(integer_of(type), "x", lanes);
  op2i_text_add(out, "(%s)((op2_mask & (%s)%s) | (~op2_mask & (%s)%s))",
                type_name(type, "x", lanes).text, mask.text, on, mask.text, off);
}

/* Emit a function that sets padding lanes: to those of op2_others if `keep` is true, else to -0. */
static void add_limit(struct op2i_text *out, int lanes, op2_type type, bool keep) {
  struct name vector = type_name(type, "x", lanes), mask = type_name(integer_of(type), "x", lanes);
  const char *c = op2i_type_c(integer_of(type));
  op2i_text_add(out,
                "%sop2_%s_%sx%d(%s *op2_vectors, %s%s%sint op2_components, int64_t op2_count) {\n  "
                "const %s op2_mask "
                "= (%s)((%s){",
                head, keep ? "keep" : "limit", op2i_type_stem(type), lanes, vector.text,
                keep ? "const " : "", keep ? vector.text : "", keep ? " *op2_others, " : "",
                mask.text, mask.text, mask.text);
  for (int lane = 0; lane < lanes; lane++) op2i_text_add(out, lane ? ", %d" : "%d", lane);
  op2i_text_add(out, "} < (%s)op2_count);\n", c);
  if (!keep) op2i_text_add(out, "  const %s op2_none = -(%s){0};\n", vector.text, vector.text);
  op2i_text_add(out, "  for (int op2_component = 0; op2_component < op2_components; "
                     "op2_component++)\n    op2_vectors[op2_component] = ");
  add_select(out, lanes, type, "op2_vectors[op2_component]",
             keep ? "op2_others[op2_component]" : "op2_none");
  op2i_text_add(out, ";\n}\n");
}

/* Begin a function that takes values of op2_from into op2_vectors, up to the condition for it.
 * Returns the type of a mask. */
static struct name begin_taking(struct op2i_text *out, int lanes, op2_type type, const char *name) {
  struct name vector = type_name(type, "x", lanes), mask = type_name(integer_of(type), "x", lanes);
  op2i_text_add(out,
                "%sop2_%s_%sx%d(%s *op2_vectors, const %s *op2_from, int op2_components) {\n"
                "  for (int op2_component = 0; op2_component < op2_components; op2_component++) {\n"
                "    const %s op2_mask = (%s)",
                head, name, op2i_type_stem(type), lanes, vector.text, vector.text, mask.text,
                mask.text);
  return mask;
}

static void end_taking(struct op2i_text *out, int lanes, op2_type type, const char *from) {
  op2i_text_add(out, ";\n    op2_vectors[op2_component] = ");
  add_select(out, lanes, type, from, "op2_vectors[op2_component]");
  op2i_text_add(out, ";\n  }\n}\n");
}

/* Combine the minimum or maximum found so far with those of a batch of elements, by the same rule
 * as the scalar code of emit_arg.c. Only the operand in front of `&` depends on the batch
 * before. */
static void add_found(struct op2i_text *out, int lanes, op2_type type, const char *name,
                      char before) {
  const struct name mask = begin_taking(out, lanes, type, name);
  op2i_text_add(out, "~(op2_vectors[op2_component] %c= op2_from[op2_component])", before);
  if (op2i_type_real(type))
    op2i_text_add(out, " & (%s)(op2_from[op2_component] == op2_from[op2_component])", mask.text);
  end_taking(out, lanes, type, "op2_from[op2_component]");
}

/* Combine minima or maxima by the rule of emit_arg.c. */
static void add_bound(struct op2i_text *out, int lanes, op2_type type, const char *name,
                      char before) {
  const struct name mask = begin_taking(out, lanes, type, name);
  const struct name vector = type_name(type, "x", lanes);
  op2i_text_add(out, "(op2_from[op2_component] %c op2_vectors[op2_component])", before);
  if (!op2i_type_real(type)) {
    end_taking(out, lanes, type, "op2_from[op2_component]");
    return;
  }
  op2i_text_add(out,
                " | (%s)(op2_vectors[op2_component] != op2_vectors[op2_component]);\n"
                "    const %s op2_plus = op2_from[op2_component] + (%s){0}",
                mask.text, vector.text, vector.text);
  end_taking(out, lanes, type, "op2_plus");
}

/* ---- emitting a helper at its first use ------------------------------------------------------ */

static void add_help(struct op2i_vec *v, enum op2i_vec_help help, op2_type type, int width) {
  switch (help) {
  case OP2I_VEC_ROW: add_row_types(v->out, type, width); break;
  case OP2I_VEC_GET: add_get(v->out, v->lanes, type, width); break;
  case OP2I_VEC_PARTS: add_parts(v->out, v->lanes, type, width); break;
  case OP2I_VEC_PUT: add_put(v->out, v->lanes, type, width); break;
  case OP2I_VEC_LOAD: op2i_vec_add_load(v, type, width); break;
  case OP2I_VEC_STORE: op2i_vec_add_store(v, type, width); break;
  case OP2I_VEC_ADD: add_add(v->out, type, width); break;
  case OP2I_VEC_LIMIT: add_limit(v->out, v->lanes, type, false); break;
  case OP2I_VEC_KEEP: add_limit(v->out, v->lanes, type, true); break;
  case OP2I_VEC_LOWER: add_bound(v->out, v->lanes, type, "lower", '<'); break;
  case OP2I_VEC_RAISE: add_bound(v->out, v->lanes, type, "raise", '>'); break;
  case OP2I_VEC_LEAST: add_found(v->out, v->lanes, type, "least", '<'); break;
  case OP2I_VEC_MOST: add_found(v->out, v->lanes, type, "most", '>'); break;
  case OP2I_VEC_HELPS: break;
  }
}

void op2i_vec_need(struct op2i_vec *v, enum op2i_vec_help help, op2_type type, int width) {
  static const char *const names[OP2I_VEC_HELPS] = {"ROW",   "GET",   "PARTS", "PUT",  "LOAD",
                                                    "STORE", "ADD",   "LIMIT", "KEEP", "LOWER",
                                                    "RAISE", "LEAST", "MOST"};
  uint64_t bit = (uint64_t)1 << ((int)type * (BITS + 1) + log2_of(width));
  if (v->helped[help] & bit) return;
  v->helped[help] |= bit;
  if (help == OP2I_VEC_PUT) op2i_vec_need(v, OP2I_VEC_PARTS, type, width);
  bool whole = help == OP2I_VEC_LOAD || help == OP2I_VEC_STORE;
  if (whole) op2i_vec_need(v, OP2I_VEC_ROW, type, v->lanes);
  if (!whole && help >= OP2I_VEC_GET && help <= OP2I_VEC_ADD)
    op2i_vec_need(v, OP2I_VEC_ROW, type, width);
  for (int w = 2 * width; help == OP2I_VEC_GET && width > 1 && w <= v->lanes; w *= 2)
    op2i_vec_need(v, OP2I_VEC_ROW, type, w);
  if (help == OP2I_VEC_ROW && width == 1) return;
  /* Pieces, and the functions that add them, are the same for any number of lanes. */
  bool common = help == OP2I_VEC_ROW || help == OP2I_VEC_ADD;
  char guard[48], lanes[16] = "";
  if (!common) snprintf(lanes, sizeof lanes, "x%d", v->lanes);
  snprintf(guard, sizeof guard, "OP2_%s%d_%s%s", names[help], width, op2i_type_stem(type), lanes);
  op2i_text_add(v->out, "#ifndef %s\n#define %s\n", guard, guard);
  add_help(v, help, type, width);
  op2i_text_add(v->out, "#endif\n");
}
