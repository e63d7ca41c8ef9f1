/* SPDX-License-Identifier: BSD-3-Clause */
/* Check of the dependences between tasks against the definition, element by element: if two tasks
 * access a value, and one of them modifies it, a path joins them. It uses no granules and
 * footprints, and is for debug builds and tests. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "exchange.h"
#include "mem.h"
#include "tasks.h"

/* ---- checking -------------------------------------------------------------------------------- */

/* Every value has its last writers and the readers since then, in lists. There are several writers
 * if all elements of a step write the same: they need not follow one another, but each follows
 * those before the step. Other tasks need not be kept, since the writers were checked against
 * them. */
struct touch {
  int64_t task;
  int64_t next; /* earlier task of the same list, -1 none */
};

struct value {
  int64_t writers, readers; /* indices into touches, -1 none */
  int64_t before[2];        /* the lists that the present writers had to follow */
  int64_t alike; /* the step whose elements all write the same; -1: there is one writer */
};

static const struct value untouched = {-1, -1, {-1, -1}, -1};

struct table {
  struct table *next;
  const void *resource;
  struct value *values;
};

struct verifier {
  struct op2i_step *steps;
  const struct op2i_task_list *list;
  int64_t ntasks, words;
  uint64_t *before; /* [ntasks][words] bit t of row s is set if t is an ancestor of s */
  struct table *tables;
  struct touch *touches;
  int64_t ntouches, touches_capacity;
  int64_t task;
  const char *name; /* name of the dat or global that is being checked */
};

static struct value *values_of(struct verifier *c, const void *resource, int64_t size) {
  for (struct table *t = c->tables; t; t = t->next)
    if (t->resource == resource) return t->values;
  struct table *t = op2i_calloc(1, sizeof *t);
  struct value *values = op2i_malloc((size_t)size * sizeof *values);
  if (!t || !values) {
    op2i_free(t);
    op2i_free(values);
    return NULL;
  }
  for (int64_t i = 0; i < size; i++) values[i] = untouched;
  *t = (struct table){c->tables, resource, values};
  c->tables = t;
  return values;
}

static op2_status must_follow(const struct verifier *c, int64_t earlier, int64_t element) {
  if (earlier < 0 || earlier == c->task) return OP2_SUCCESS;
  if (c->before[c->task * c->words + (earlier >> 6)] >> (earlier & 63) & 1) return OP2_SUCCESS;
  const struct op2i_step *a = &c->steps[c->list->tasks[earlier].step];
  const struct op2i_step *b = &c->steps[c->list->tasks[c->task].step];
  return op2i_error(OP2_ERR_STATE,
                    "tasks: task %" PRId64 " of loop %" PRId64 " does not follow task %" PRId64
                    " of loop %" PRId64 ", which shares element %" PRId64 " of '%s'",
                    c->task, b->number, earlier, a->number, element, c->name);
}

static op2_status must_follow_all(const struct verifier *c, int64_t list, int64_t element) {
  op2_status status = OP2_SUCCESS;
  for (; list >= 0 && !status; list = c->touches[list].next)
    status = must_follow(c, c->touches[list].task, element);
  return status;
}

static op2_status push(struct verifier *c, int64_t *list) {
  if (*list >= 0 && c->touches[*list].task == c->task) return OP2_SUCCESS;
  if (op2i_grow(&c->touches, sizeof *c->touches, c->ntouches, &c->touches_capacity))
    return op2i_error_nomem("the verifier of tasks");
  c->touches[c->ntouches] = (struct touch){c->task, *list};
  *list = c->ntouches++;
  return OP2_SUCCESS;
}

static op2_status modify(struct verifier *c, struct value *value, int64_t element) {
  op2_status status = must_follow_all(c, value->writers, element);
  if (!status) status = must_follow_all(c, value->readers, element);
  if (status) return status;
  if (value->alike < 0 && value->writers >= 0) {
    c->touches[value->writers].task = c->task;
    value->readers = -1;
    return OP2_SUCCESS;
  }
  *value = untouched;
  return push(c, &value->writers);
}

/* Overwrite a value in a step whose elements all write the same there. */
static op2_status overwrite_alike(struct verifier *c, struct value *value, int64_t element) {
  const int64_t step = c->list->tasks[c->task].step;
  if (value->alike != step) *value = (struct value){-1, -1, {value->writers, value->readers}, step};
  op2_status status = must_follow_all(c, value->before[0], element);
  if (!status) status = must_follow_all(c, value->before[1], element);
  return status ? status : push(c, &value->writers);
}

static op2_status touch(struct verifier *c, struct value *value, int64_t element, bool modifies) {
  if (modifies) return modify(c, value, element);
  op2_status status = must_follow_all(c, value->writers, element);
  return status ? status : push(c, &value->readers);
}

/* A key for the values of a dat in a place. */
static const void *values_in(op2_dat dat, enum op2i_place place) { return &dat->values.at[place]; }

static op2_status touch_arg(struct verifier *c, const struct op2i_step *step, int n,
                            int64_t position) {
  const struct op2i_loop *loop = step->loop;
  const struct op2i_loop_arg *arg = &loop->args[n];
  op2_dat dat = loop->op.dats[arg->dat];
  c->name = dat->obj.name;
  struct value *values =
      values_of(c, values_in(dat, step->where.place), dat->set->ends[OP2I_NONEXEC]);
  if (!values) return op2i_error_nomem("the verifier of tasks");
  int64_t e = loop->set->idx ? loop->set->idx[position] : position;
  bool modifies = op2i_modifies(arg->access);
  struct op2i_targets targets = op2i_arg_targets(loop, arg, e);
  op2_status status = OP2_SUCCESS;
  for (int64_t k = 0; k < targets.at.n && !status; k++) {
    int64_t target = op2i_target(targets, k);
    status = arg->same_values ? overwrite_alike(c, &values[target], target)
                              : touch(c, &values[target], target, modifies);
  }
  return status;
}

static op2_status touch_globals(struct verifier *c, const struct op2i_step *step, bool reducing) {
  const struct op2i_loop *loop = step->loop;
  op2_status status = OP2_SUCCESS;
  for (int n = 0; n < loop->nargs && !status; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (reducing ? !op2i_arg_reduces(arg) : !op2i_arg_reads_global(arg)) continue;
    c->name = loop->op.gbls[arg->gbl]->obj.name;
    struct value *values = values_of(c, step->values.versions[arg->gbl], 1);
    if (!values) return op2i_error_nomem("the verifier of tasks");
    status = touch(c, values, 0, reducing);
  }
  return status;
}

static op2_status touch_position(struct verifier *c, const struct op2i_step *step, int64_t p) {
  op2_status status = OP2_SUCCESS;
  for (int n = 0; n < step->loop->nargs && !status; n++)
    if (step->loop->args[n].dat >= 0) status = touch_arg(c, step, n, p);
  return status;
}

/* A convoy reads what its loops have reduced when it is packed, and changes globals when it is
 * unpacked. */
static op2_status touch_convoy(struct verifier *c, const struct op2i_step *step) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < step->convoy->n && !status; i++) {
    const struct op2i_step *of = step->convoy->reductions[i].steps;
    for (int n = 0; n < of->loop->nargs && !status; n++) {
      const struct op2i_loop_arg *arg = &of->loop->args[n];
      if (!op2i_arg_reduces(arg)) continue;
      c->name = of->loop->op.gbls[arg->gbl]->obj.name;
      struct value *values = values_of(c, of->values.versions[arg->gbl], 1);
      if (!values) return op2i_error_nomem("the verifier of tasks");
      status = touch(c, values, 0, step->kind == OP2I_STEP_REDUCE);
    }
  }
  return status;
}

static op2_status touch_leg(struct verifier *c, const struct op2i_step *step, int leg) {
  bool ends = step->kind == OP2I_STEP_END;
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < op2i_exchange_dats(step->exchange) && !status; i++) {
    op2_dat dat = op2i_exchange_dat(step->exchange, i);
    struct value *values =
        values_of(c, values_in(dat, op2i_host_place(dat->obj.ctx)), dat->set->ends[OP2I_NONEXEC]);
    c->name = dat->obj.name;
    if (!values) return op2i_error_nomem("the verifier of tasks");
    for (int part = 0; part < OP2I_HALO_PARTS; part++) {
      struct op2i_rows rows = op2i_exchange_rows(step->exchange, i, leg, part, ends);
      for (int64_t k = 0; k < rows.n && !status; k++)
        status = touch(c, &values[rows.row[k]], rows.row[k], ends);
    }
  }
  return status;
}

static op2_status touch_move(struct verifier *c, const struct op2i_step *step, int32_t i) {
  const struct op2i_move *move = &step->where.moves[i];
  op2_dat dat = step->loop->op.dats[move->dat];
  int64_t size = dat->set->ends[OP2I_NONEXEC];
  int64_t lo = (int64_t)(move->source.first / dat->row_bytes);
  int64_t hi = lo + (int64_t)(move->source.bytes / dat->row_bytes);
  struct value *from = values_of(c, values_in(dat, move->source.from), size);
  struct value *to = values_of(c, values_in(dat, move->to), size);
  if (!from || !to) return op2i_error_nomem("the verifier of tasks");
  c->name = dat->obj.name;
  op2_status status = OP2_SUCCESS;
  for (int64_t e = lo; e < hi && !status; e++) {
    status = touch(c, &from[e], e, false);
    if (!status) status = touch(c, &to[e], e, true);
  }
  return status;
}

static op2_status touch_range(struct verifier *c, const struct op2i_step *step) {
  op2_status status = touch_globals(c, step, false);
  for (int64_t p = step->lo; p < step->hi && !status; p++) status = touch_position(c, step, p);
  return status ? status : touch_globals(c, step, true);
}

static op2_status touch_task(struct verifier *c) {
  const struct op2i_task *task = &c->list->tasks[c->task];
  const struct op2i_step *step = &c->steps[task->step];
  if (step->convoy) return touch_convoy(c, step);
  if (!step->loop) return touch_leg(c, step, task->first);
  if (task->kind == OP2I_TASK_MOVE) return touch_move(c, step, task->first);
  if (task->kind == OP2I_TASK_DEVICE) return touch_range(c, step);
  if (task->kind == OP2I_TASK_REDUCE) return touch_globals(c, step, true);
  op2_status status = touch_globals(c, step, false);
  for (int32_t i = task->first; i < task->last; i++) {
    int32_t block = step->plan->blkmap[i];
    int64_t hi = op2i_plan_block_hi(step->plan, block);
    if (hi > step->hi) hi = step->hi;
    for (int64_t p = op2i_plan_block_lo(step->plan, block); p < hi && !status; p++)
      status = touch_position(c, step, p);
  }
  return status;
}

static void find_ancestors(struct verifier *c) {
  for (int64_t t = 0; t < c->ntasks; t++) {
    const struct op2i_task *task = &c->list->tasks[t];
    uint64_t *row = c->before + t * c->words;
    for (int64_t d = 0; d < task->ndeps; d++) {
      int64_t dep = c->list->deps[task->first_dep + d];
      /* an invalid entry is ignored, so the order that it was to give is reported as missing */
      if (dep < 0 || dep >= t) continue;
      const uint64_t *other = c->before + dep * c->words;
      for (int64_t w = 0; w < c->words; w++) row[w] |= other[w];
      row[dep >> 6] |= UINT64_C(1) << (dep & 63);
    }
  }
}

op2_status op2i_task_list_verify(struct op2i_step *steps, const struct op2i_task_list *list) {
  enum {
    MOST = 4096
    /* only the first tasks of a program are checked; the bits of more would take too much memory */
  };
  struct verifier c = {.steps = steps, .list = list};
  c.ntasks = list->ntasks < MOST ? list->ntasks : MOST;
  c.words = (c.ntasks + 63) / 64;
  c.before = op2i_calloc((size_t)(c.ntasks * c.words), sizeof *c.before);
  op2_status status = c.before ? OP2_SUCCESS : op2i_error_nomem("the verifier of tasks");
  if (!status) find_ancestors(&c);
  for (; c.task < c.ntasks && !status; c.task++) status = touch_task(&c);
  while (c.tables) {
    struct table *t = c.tables;
    c.tables = t->next;
    op2i_free(t->values);
    op2i_free(t);
  }
  op2i_free(c.touches);
  op2i_free(c.before);
  return status;
}
