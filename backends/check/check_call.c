/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: detect user functions that change arguments which they may only read, that leave
 * OP2_WRITE arguments unwritten, or that touch dats which their call does not name. While the
 * function runs, the whole pages of these other dats cannot be accessed, and the rest of their
 * memory holds a pattern. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "call.h"
#include "check.h"
#include "check_layout.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "mem.h"
#include "sparse.h"

/* Memory that is compared before and after the function runs. */
struct watched {
  enum { FOREIGN, READ_ONLY, TO_WRITE } how;
  const char *what, *name; /* "dat", its name */
  int argument;
  bool in_nonzeros; /* the rows of values are the nonzeros of a matrix */
  op2_type type;
  int32_t dim;
  unsigned char *memory, *saved;      /* saved: a copy of the values; null for TO_WRITE */
  size_t bytes, page_first, page_end; /* the pages that cannot be accessed; FOREIGN only */
};

struct guard {
  struct op2i_user_call *call;
  struct watched *watched;
  int64_t n, capacity;
};

/* ---- patterns -------------------------------------------------------------------------------- */

/* The pattern is NaN for real types, and bytes that are unlikely in integers. */
static int pattern(op2_type type) { return op2i_type_real(type) ? 0xFF : 0xA5; }

static bool is_pattern(const unsigned char *value, op2_type type) {
  for (size_t b = 0; b < op2i_type_size(type); b++)
    if (value[b] != pattern(type)) return false;
  return true;
}

/* ---- before the function runs ---------------------------------------------------------------- */

static op2_status watch(struct guard *guard, struct watched w) {
  if (op2i_grow(&guard->watched, sizeof w, guard->n, &guard->capacity))
    return op2i_error_nomem("the checked mode");
  if (w.how != TO_WRITE) {
    w.saved = op2i_malloc(w.bytes);
    if (!w.saved) return op2i_error_nomem("the checked mode");
    memcpy(w.saved, w.memory, w.bytes);
  }
  if (w.how != READ_ONLY) memset(w.memory, pattern(w.type), w.bytes);
  guard->watched[guard->n++] = w;
  return OP2_SUCCESS;
}

static op2_status watch_argument(struct guard *guard, int n, void *value) {
  const struct op2i_user_arg *arg = &guard->call->args[n];
  struct watched w = {.argument = n, .memory = value, .what = "the values"};
  w.how = op2i_modifies(arg->access) ? TO_WRITE : READ_ONLY;
  if (arg->access == OP2_RW) return OP2_SUCCESS;
  if (arg->mat) {
    const op2_mat_rows *rows = value;
    w.what = "matrix", w.name = arg->mat->obj.name, w.type = rows->type;
    w.dim = rows->row_dim * rows->column_dim;
    w.in_nonzeros = true;
    w.memory = rows->values;
    w.bytes = (size_t)rows->starts[rows->nrows] * (size_t)w.dim * op2i_type_size(w.type);
  } else if (arg->dat >= 0) {
    op2_dat dat = guard->call->op.dats[arg->dat];
    w.what = "dat", w.name = dat->obj.name, w.type = dat->type, w.dim = dat->dim;
    w.bytes = (size_t)dat->set->ends[OP2I_NONEXEC] * dat->row_bytes;
  } else if (arg->gbl >= 0) {
    op2_gbl gbl = guard->call->op.gbls[arg->gbl];
    w.what = "global", w.name = gbl->obj.name, w.type = gbl->type, w.dim = gbl->dim;
    w.bytes = gbl->bytes;
  } else {
    w.name = "", w.type = (op2_type)guard->call->key[n].type, w.dim = guard->call->key[n].dim;
    w.bytes = (size_t)w.dim * op2i_type_size(w.type);
  }
  return watch(guard, w);
}

static bool is_named(const struct op2i_op *op, op2_dat dat) {
  for (int d = 0; d < op->ndats; d++)
    if (op->dats[d] == dat) return true;
  return false;
}

/* Dats that a scope has open stay accessible to the program. Memory of wrapped dats belongs to the
 * program, which may have protected it or share it with others; it is only compared. */
static op2_status watch_others(struct guard *guard) {
  op2_context ctx = guard->call->op.ctx;
  op2_status status = OP2_SUCCESS;
  for (const struct op2i_link *at = ctx->dats.first; at && !status; at = at->next) {
    op2_dat dat = at->object;
    void *host = dat->values.at[OP2I_HOST];
    if (!host || dat->open_reads || dat->open_writes || is_named(&guard->call->op, dat)) continue;
    status = watch(
        guard, (struct watched){.how = host == dat->wrapped ? READ_ONLY : FOREIGN,
                                .what = "dat",
                                .name = dat->obj.name,
                                .argument = -1,
                                .type = dat->type,
                                .dim = dat->dim,
                                .memory = host,
                                .bytes = (size_t)dat->set->ends[OP2I_NONEXEC] * dat->row_bytes});
  }
  return status;
}

/* Protect the pages that hold only values. */
static void shut(struct guard *guard) {
  size_t page = op2i_fence_page();
  for (int64_t i = 0; i < guard->n; i++) {
    struct watched *w = &guard->watched[i];
    if (w->how != FOREIGN) continue;
    size_t before = (page - (uintptr_t)w->memory % page) % page;
    if (before + page > w->bytes) continue;
    w->page_first = before;
    w->page_end = before + (w->bytes - before) / page * page;
    if (mprotect(w->memory + w->page_first, w->page_end - w->page_first, PROT_NONE))
      w->page_first = w->page_end = 0;
  }
}

/* ---- after the function has run -------------------------------------------------------------- */

static void open_again(const struct watched *w) {
  if (w->page_end > w->page_first)
    (void)mprotect(w->memory + w->page_first, w->page_end - w->page_first, PROT_READ | PROT_WRITE);
}

static op2_status wrong(const struct watched *w, size_t at, const char *what) {
  size_t value = at / op2i_type_size(w->type);
  if (w->argument < 0)
    return op2i_error(OP2_ERR_KERNEL, "the function %s %s '%s', which the call does not name", what,
                      w->what, w->name);
  return op2i_error(OP2_ERR_KERNEL, "the function %s value %zu of %s %zu of %s '%s' (argument %d)",
                    what, value % (size_t)w->dim, w->in_nonzeros ? "nonzero" : "row",
                    value / (size_t)w->dim, w->what, w->name, w->argument);
}

static op2_status compare_values(const struct watched *w) {
  size_t value_bytes = op2i_type_size(w->type);
  if (w->how == TO_WRITE && value_bytes < 4)
    return OP2_SUCCESS; /* the pattern is also a plausible value */
  for (size_t at = 0; at < w->bytes; at += value_bytes) {
    const unsigned char *value = w->memory + at;
    if (w->how == FOREIGN && !is_pattern(value, w->type)) return wrong(w, at, "changed");
    if (w->how == READ_ONLY && memcmp(value, w->saved + at, value_bytes))
      return wrong(w, at, w->argument < 0 ? "changed" : "changed OP2_READ");
    if (w->how == TO_WRITE && is_pattern(value, w->type))
      return wrong(w, at, "left unwritten OP2_WRITE");
  }
  return OP2_SUCCESS;
}

static const struct watched *touched(const struct guard *guard, const void *address) {
  uintptr_t at = (uintptr_t)address;
  for (int64_t i = 0; i < guard->n; i++) {
    const struct watched *w = &guard->watched[i];
    if (at >= (uintptr_t)w->memory && at - (uintptr_t)w->memory < w->bytes) return w;
  }
  return NULL;
}

static op2_status report_fault(const struct guard *guard, const struct op2i_fault *fault) {
  const struct watched *w = touched(guard, fault->address);
  if (w) return wrong(w, (size_t)((unsigned char *)fault->address - w->memory), "touched");
  return op2i_error(OP2_ERR_KERNEL, "the function was stopped by signal %d at address %p",
                    fault->signal, fault->address);
}

/* ---- running the function -------------------------------------------------------------------- */

struct run {
  op2_call_function function;
  void *data;
  void *const *values;
  int answer;
};

static void enter(void *const *args) {
  struct run *run = args[0];
  run->answer = run->function(run->data, run->values);
}

/* The values are put back in all cases. */
static op2_status judge_call(struct guard *guard, bool ended, int answer) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < guard->n; i++) {
    const struct watched *w = &guard->watched[i];
    if (ended && !status && !(answer && w->how == TO_WRITE)) status = compare_values(w);
    bool touched = w->how == READ_ONLY && memcmp(w->memory, w->saved, w->bytes) != 0;
    if (touched || w->how == FOREIGN) memcpy(w->memory, w->saved, w->bytes);
    op2i_free(w->saved);
  }
  op2i_free(guard->watched);
  return status;
}

op2_status op2i_check_call(struct op2i_user_call *call, void *data, void *const *values,
                           int *answer) {
  struct guard guard = {.call = call};
  struct op2i_fault fault = {0};
  struct run run = {call->function, data, values, 0};
  void *args[] = {&run};
  op2_status status = OP2_SUCCESS;
  bool ended = false;
  for (int n = 0; n < call->nargs && !status; n++) status = watch_argument(&guard, n, values[n]);
  if (!status) status = watch_others(&guard);
  if (!status) {
    op2i_fault_catch();
    shut(&guard);
    struct op2i_fp_scope *scope = op2i_call_window(call);
    ended = op2i_fault_call(enter, args, &fault);
    op2i_fp_window_close(scope, ended);
    for (int64_t i = 0; i < guard.n; i++) open_again(&guard.watched[i]);
    op2i_fault_release();
    if (!ended) status = report_fault(&guard, &fault);
  }
  op2_status found = judge_call(&guard, ended, run.answer);
  *answer = run.answer;
  return status ? status : found;
}
