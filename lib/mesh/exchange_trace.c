/* SPDX-License-Identifier: BSD-3-Clause */
/* An exchange in the timeline: how long its messages were in flight, and an arrow for each. */
#include "context.h"
#include "exchange_internal.h"
#include "text.h"
#include "trace.h"

static void name(struct op2i_exchange *x, struct op2i_trace *trace) {
  struct op2i_text dats = {0};
  for (int i = 0; i < x->n; i++)
    op2i_text_add(&dats, "%s%s", i ? ", " : "", x->stale[i].dat->obj.name);
  x->what = op2i_trace_name(trace, "exchange", "dats", dats.failed ? NULL : dats.chars);
  op2i_text_free(&dats);
}

void op2i_exchange_trace(struct op2i_exchange *x) {
  struct op2i_trace *trace = x->stale->dat->obj.ctx->trace;
  int64_t bytes = 0;
  if (!x->what) name(x, trace);
  for (int l = 0; l < x->nlegs; l++) bytes += (int64_t)x->legs[l].bytes[OP2I_OUT];
  const int track = op2i_trace_flight(trace, x->what, x->begun, x->ended, bytes);
  for (int l = 0; l < x->nlegs && track >= 0; l++)
    for (int side = OP2I_OUT; side < OP2I_SIDES; side++) {
      const struct op2i_leg *leg = &x->legs[l];
      const bool leaves = side == OP2I_OUT;
      if (!leg->bytes[side]) continue;
      op2i_trace_arrow(trace, track,
                       (struct op2i_trace_arrow){.leaves = leaves,
                                                 .from = leaves ? x->comm->rank : leg->rank,
                                                 .to = leaves ? leg->rank : x->comm->rank,
                                                 .number = leg->number[side],
                                                 .at = leaves ? x->begun : x->ended});
    }
}
