/* SPDX-License-Identifier: BSD-3-Clause */
/* Printing of a rank's part of the mesh for op2_explain(). */
#include <inttypes.h>

#include "comm.h"
#include "context.h"
#include "mesh.h"
#include "part_report.h"
#include "text.h"

static void report_set(op2_set set, FILE *stream) {
  const int64_t *ends = set->ends;
  fprintf(stream,
          "  set '%s': %s on all ranks; here %" PRId64 " core, %" PRId64
          " more owned, %" PRId64 " in the exec halo, %" PRId64 " in the non-exec halo, %s\n",
          set->obj.name, OP2I_N(set->halo->global_size, "element"), ends[OP2I_CORE],
          ends[OP2I_OWNED] - ends[OP2I_CORE], ends[OP2I_EXEC] - ends[OP2I_OWNED],
          ends[OP2I_NONEXEC] - ends[OP2I_EXEC], OP2I_N(set->halo->n, "neighbour"));
}

void op2i_partition_explain(op2_context ctx, FILE *stream) {
  const op2_partition_report *r = &ctx->partition;
  if (!ctx->comm) return;
  fprintf(stream, "\nrank %d of %d\n", ctx->comm->rank, ctx->comm->size);
  if (ctx->partitioned)
    fprintf(stream,
            "  op2_partition: %" PRId64 " of %" PRId64 " rows of maps are cut; %" PRId64
            " elements, at most %" PRId64 " owned by one rank (%.3f times the mean); exec halos "
            "%" PRId64 ", at most %" PRId64 "; non-exec halos %" PRId64 ", at most %" PRId64
            "; %s moved\n",
            r->cut, r->rows, r->owned, r->most_owned, r->imbalance, r->exec, r->most_exec,
            r->nonexec, r->most_nonexec, OP2I_N(r->moved, "element"));
  for (struct op2i_link *l = ctx->sets.first; l; l = l->next) report_set(l->object, stream);
}
