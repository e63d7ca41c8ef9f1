/* SPDX-License-Identifier: BSD-3-Clause */
/* Where loops take least time: the steps that run together are gone through twice, with the time that
 * each takes where it would run and with the copies that this needs from where values are now. Twice,
 * since a program mostly comes again. Loops are moved from one place to the other, all steps of a
 * loop at once, as long as that gets less. */
#include <string.h>

#include "mem.h"
#include "mesh.h"
#include "model.h"

enum { HOST, DEVICE, PLACES };
/* What has been chosen is changed for a gain of this share only: values would go to and fro. */
static const double worth = 0.05;

struct dat {
  op2_dat dat;
  double copy;         /* seconds */
  bool fresh[PLACES];  /* before */
  bool follow[PLACES]; /* while steps are gone through */
};

struct model {
  const struct op2i_step *steps;
  int64_t n;
  struct op2i_copy_cost each;
  int workers;
  struct dat *dats; /* that the steps use, one of each */
  int ndats;
  int32_t *dat_of; /* of all steps: which */
  bool *device;    /* [n] */
};

/* ---- what there is --------------------------------------------------------------------------- */

static int number_of(struct model *m, op2_dat dat) {
  int d = 0;
  while (d < m->ndats && m->dats[d].dat != dat) d++;
  if (d < m->ndats) return d;
  const struct op2i_buffer *values = &dat->values;
  bool host = !op2i_buffer_has_memory(values) ||
              (values->fresh[OP2I_HOST] | values->fresh[OP2I_SHADOW]) & OP2I_OWNED_ROWS;
  m->dats[m->ndats++] =
      (struct dat){.dat = dat,
                   .copy = 1e-9 * (m->each.copy_ns + m->each.byte_ns * (double)values->bytes),
                   .fresh = {host, values->fresh[OP2I_DEVICE] & OP2I_OWNED_ROWS}};
  return d;
}

static bool open_model(struct model *m) {
  size_t uses = 0;
  for (int64_t s = 0; s < m->n; s++)
    uses += m->steps[s].loop ? (size_t)m->steps[s].loop->op.ndats : 0;
  m->dats = op2i_malloc(uses * sizeof *m->dats);
  m->dat_of = op2i_malloc(uses * sizeof *m->dat_of);
  m->device = op2i_calloc((size_t)m->n, sizeof *m->device);
  if (!m->dats || !m->dat_of || !m->device) return false;
  size_t at = 0;
  for (int64_t s = 0; s < m->n; s++)
    for (int d = 0; m->steps[s].loop && d < m->steps[s].loop->op.ndats; d++)
      m->dat_of[at++] = number_of(m, m->steps[s].loop->op.dats[d]);
  return true;
}

static void close_model(struct model *m) {
  op2i_free(m->dats);
  op2i_free(m->dat_of);
  op2i_free(m->device);
}

/* ---- what it takes --------------------------------------------------------------------------- */

static double copies(struct model *m, int64_t s, const int32_t *dat_of) {
  const struct op2i_op *op = &m->steps[s].loop->op;
  int place = m->device[s] ? DEVICE : HOST;
  double seconds = 0;
  for (int d = 0; d < op->ndats; d++) {
    struct dat *dat = &m->dats[dat_of[d]];
    if (!dat->follow[place] && !op2i_overwrites(op->dat_access[d])) seconds += dat->copy;
    dat->follow[place] = true;
    if (op2i_modifies(op->dat_access[d])) dat->follow[!place] = false;
  }
  return seconds;
}

static double seconds_of(struct model *m) {
  enum { TIMES = 2 };
  double seconds = 0;
  for (int d = 0; d < m->ndats; d++)
    memcpy(m->dats[d].follow, m->dats[d].fresh, sizeof m->dats[d].fresh);
  for (int t = 0; t < TIMES; t++) {
    const int32_t *dat_of = m->dat_of;
    for (int64_t s = 0; s < m->n; s++) {
      const struct op2i_step *step = &m->steps[s];
      if (!step->loop) continue;
      double ns = op2i_loop_cost(step->loop, m->device[s]) * (double)(step->hi - step->lo);
      seconds += 1e-9 * (m->device[s] ? ns : ns / m->workers) + copies(m, s, dat_of);
      dat_of += step->loop->op.ndats;
    }
  }
  return seconds;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* All steps of the loop go to the other place; back, where that is no gain. */
static bool flip(struct model *m, const struct op2i_loop *loop, double *least) {
  for (int64_t s = 0; s < m->n; s++)
    if (m->steps[s].loop == loop) m->device[s] = !m->device[s];
  double seconds = seconds_of(m);
  if (seconds < *least) {
    *least = seconds;
    return true;
  }
  for (int64_t s = 0; s < m->n; s++)
    if (m->steps[s].loop == loop) m->device[s] = !m->device[s];
  return false;
}

static bool is_first(const struct model *m, int64_t s) {
  for (int64_t k = 0; k < s; k++)
    if (m->steps[k].loop == m->steps[s].loop) return false;
  return true;
}

static double improve(struct model *m, const bool *free) {
  enum { ROUNDS = 8 };
  double least = seconds_of(m);
  bool better = true;
  for (int round = 0; round < ROUNDS && better; round++) {
    better = false;
    for (int64_t s = 0; s < m->n; s++)
      if (free[s] && is_first(m, s)) better |= flip(m, m->steps[s].loop, &least);
  }
  return least;
}

bool op2i_model_choose(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                       const bool *free, bool *device) {
  struct model m = {.steps = steps, .n = n, .workers = sched->ctx->workers};
  op2i_copy_cost(sched, &m.each);
  bool good = open_model(&m);
  if (good) {
    memcpy(m.device, device, (size_t)n * sizeof *device);
    double least = (1 - worth) * seconds_of(&m);
    for (int start = HOST; start < PLACES; start++) {
      for (int64_t s = 0; s < n; s++) m.device[s] = free[s] ? start == DEVICE : device[s];
      double seconds = improve(&m, free);
      if (seconds >= least) continue;
      least = seconds;
      memcpy(device, m.device, (size_t)n * sizeof *device);
    }
  }
  close_model(&m);
  return good;
}
