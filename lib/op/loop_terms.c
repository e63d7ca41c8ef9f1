/* SPDX-License-Identifier: BSD-3-Clause */
/* Terms of globals in deterministic mode: their exact sums over all ranks. */
#include "loop_terms.h"

#include "allreduce.h"
#include "comm.h"
#include "context.h"
#include "exact_sum.h"
#include "mesh.h"

/* Components whose sums travel among ranks in one message, where the digits of one sum do not fit. */
enum { AT_ONCE = 8 };

/* Rows are null if this rank has failed: it takes part without terms. */
static void sum_terms(const struct op2_dat_s *terms, const char *rows, int32_t component,
                      struct op2i_exact_sum *sum) {
  op2i_exact_clear(sum);
  if (!rows) return;
  op2i_exact_add(sum, terms->type, rows + (size_t)component * op2i_type_size(terms->type),
                 op2i_set_looped(terms->set), terms->dim);
}

static void add_sum(const struct op2_dat_s *terms, struct op2i_exact_sum *sum, void *value) {
  op2i_exact_add(sum, terms->type, value, 1, 1);
  op2i_exact_round(sum, terms->type, value);
}

/* Add the owned rows of the terms of all ranks to `n` values from component `first` on, which are the
 * same on all ranks. */
static op2_status add_terms(const struct op2_dat_s *terms, const char *rows, int32_t first, int n,
                            char *values) {
  const size_t size = op2i_type_size(terms->type);
  struct op2i_comm *comm = terms->obj.ctx->comm;
  struct op2i_exact_sum sum;
  int64_t words[AT_ONCE * OP2I_EXACT_WORDS]; /* a call that runs has no memory to fail for */
  op2_status status = OP2_SUCCESS;
  for (int j = 0; j < n; j++) {
    sum_terms(terms, rows, first + j, &sum);
    op2i_exact_pack(&sum, words + j * OP2I_EXACT_WORDS);
  }
  if (comm) status = op2i_comm_sum(comm, n * OP2I_EXACT_WORDS, words);
  for (int j = 0; j < n && rows && !status; j++) {
    op2i_exact_unpack(&sum, words + j * OP2I_EXACT_WORDS);
    add_sum(terms, &sum, values + (size_t)(first + j) * size);
  }
  return status;
}

static void combine(void *into, const void *from, void *closure) {
  (void)closure;
  op2i_exact_combine(into, from);
}

_Static_assert(sizeof(struct op2i_exact_window) <= OP2I_ALLREDUCE_BYTES,
               "a window travels as an allreduce of a few bytes");

static op2_status combine_windows(struct op2i_comm *comm, struct op2i_exact_window *window) {
  struct op2i_allreduce travel;
  bool over;
  op2_status status = op2i_allreduce_begin(comm, window, sizeof *window, combine, NULL, &travel);
  if (!status) status = op2i_allreduce_over(&travel, true, &over);
  if (status) op2i_allreduce_forget(&travel);
  return status;
}

/* The same for one value. Small messages need no agreement on memory before. */
static op2_status add_term(const struct op2_dat_s *terms, const char *rows, char *value) {
  struct op2i_exact_sum sum;
  struct op2i_exact_window window;
  sum_terms(terms, rows, 0, &sum);
  op2i_exact_narrow(&sum, &window);
  op2_status status = combine_windows(terms->obj.ctx->comm, &window);
  if (status) return status;
  if (!op2i_exact_widen(&sum, &window)) return add_terms(terms, rows, 0, 1, value);
  if (rows) add_sum(terms, &sum, value);
  return OP2_SUCCESS;
}

int op2i_terms_run(void *data, void *const *values) {
  const op2_dat terms = data;
  op2_status status = OP2_SUCCESS;
  if (terms->dim == 1 && terms->obj.ctx->comm) return (int)add_term(terms, values[0], values[1]);
  for (int32_t j = 0; j < terms->dim && !status; j += AT_ONCE)
    status = add_terms(terms, values[0], j, terms->dim - j < AT_ONCE ? terms->dim - j : AT_ONCE,
                       values[1]);
  return (int)status;
}
