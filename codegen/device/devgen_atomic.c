/* SPDX-License-Identifier: BSD-3-Clause */
/* Increments by atomics in code for devices. If a device has no atomic for a type, the value is
 * read, combined, and written back unless another work item has changed it in between. */
#include <stdio.h>

#include "devgen.h"
#include "devgen_row.h"
#include "devgen_target.h"

static const char words[] = {'+', '<', '>'};
static const char *const verbs[] = {"add", "least", "most"};

static int which(const struct op2i_loop_arg *arg) {
  return op2i_sums(arg->access) ? 0 : op2i_lowers(arg->access) ? 1 : 2;
}

/* Sums of integers are computed unsigned, so that they may wrap. */
static void combined(const struct op2i_loop_arg *arg, char *text, size_t room) {
  const char *type = op2i_type_c(arg->type);
  int size = 8 * (int)op2i_type_size(arg->type);
  if (which(arg) > 0)
    snprintf(text, room, "op2_b %c op2_a || op2_a != op2_a ? op2_b + 0 : op2_a", words[which(arg)]);
  else if (op2i_type_real(arg->type))
    snprintf(text, room, "op2_a + op2_b");
  else
    snprintf(text, room, "(%s)((uint%d_t)op2_a + (uint%d_t)op2_b)", type, size, size);
}

static void define(const struct op2i_devgen *g, const struct op2i_loop_arg *arg) {
  const char *type = op2i_type_c(arg->type);
  int size = 8 * (int)op2i_type_size(arg->type);
  char text[96];
  combined(arg, text, sizeof text);
  op2i_text_add(g->e.out,
                "static inline void op2_%s_%s(OP2_GLOBAL %s *op2_p, %s op2_b) {\n"
                "  union { %s op2_value; uint%d_t op2_word; } op2_was, op2_is;\n"
                "  uint%d_t op2_found = *(OP2_GLOBAL volatile uint%d_t *)op2_p;\n"
                "  do {\n"
                "    op2_was.op2_word = op2_found;\n"
                "    const %s op2_a = op2_was.op2_value;\n"
                "    op2_is.op2_value = %s;\n"
                "    op2_found = op2_swap%d(op2_p, op2_was.op2_word, op2_is.op2_word);\n"
                "  } while (op2_found != op2_was.op2_word);\n"
                "}\n",
                verbs[which(arg)], op2i_type_stem(arg->type), type, type, type, size, size, size,
                type, text, size);
}

static bool native(const struct op2i_devgen *g, const struct op2i_loop_arg *arg) {
  return g->dialect->adds && op2i_sums(arg->access) && op2i_type_real(arg->type);
}

/* Each function is defined once. */
void op2i_devgen_define_atomics(const struct op2i_devgen *g) {
  bool seen[16][3] = {{false}};
  const struct op2i_loop *loop = g->e.loop;
  op2i_text_add(g->e.out, "%s", g->dialect->atomics);
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    if (!op2i_device_shared(loop, arg) || native(g, arg) || seen[arg->type][which(arg)]) continue;
    seen[arg->type][which(arg)] = true;
    define(g, arg);
  }
}

void op2i_devgen_atomic(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = &g->e.loop->args[a];
  char there[96], statement[512];
  int first, n = op2i_device_slots(arg, &first);
  if (!op2i_device_shared(g->e.loop, arg)) return;
  for (int k = 0; k < n; k++) {
    op2i_devgen_place(g, a, first + k, there, sizeof there);
    if (native(g, arg))
      snprintf(statement, sizeof statement, "atomicAdd(&%s, op2_own%d[%d + %%s]);", there, a,
               k * (int)arg->dim);
    else
      snprintf(statement, sizeof statement, "op2_%s_%s((OP2_GLOBAL %s *)&%s, op2_own%d[%d + %%s]);",
               verbs[which(arg)], op2i_type_stem(arg->type), op2i_type_c(arg->type), there, a,
               k * (int)arg->dim);
    op2i_devgen_each(g, arg->dim, "    ", statement);
  }
}
