/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that make different calls: each public call is left out, made twice or changed on one of
 * two ranks that are threads, and both report within ten seconds which ranks differ, and in which
 * calls. No option is set. With OP2_TEST_FULL=1 every call is tried in every way; otherwise a
 * selection. t936 does the same with processes of MPI. */
#include <stdio.h>

#include "comm.h"
#include "diverge_case.h"
#include "init.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

static char path[600];

static int diverge(struct op2i_comm *comm, void *data) {
  const struct diverge_kind *kind = data;
  const op2_options options = diverge_options(kind);
  struct diverge_world w = {.rank = comm->rank, .path = path};
  return op2i_init_ranks(&options, comm, &w.ctx) ? 1 : diverge_run(&w, kind);
}

static void try_kind(struct diverge_kind *kind) {
  const op2_options options = diverge_options(kind);
  is_int(run_contexts(2, diverge, kind), 0, "%s is %s on rank %d (%s%s)",
         diverge_step_at(kind->lists, kind->step)->name, diverge_ways[kind->way], kind->deviant,
         options.backend, options.eager == 1 ? ", eager" : "");
}

int main(void) {
  static const struct diverge_list *const lists[] = {&diverge_mesh,
                                                     &diverge_loops,
                                                     &diverge_algebra,
                                                     &diverge_matrices,
#ifdef DIVERGE_FILES
                                                     &diverge_files,
#endif
                                                     NULL};
  struct diverge_kind usual = {lists, 0, AS_USUAL, 0};
  test_environment();
  snprintf(path, sizeof path, "%s/diverge.h5", test_scratch());
  for (usual.step = 0; usual.step < 6; usual.step++)
    is_int(run_contexts(2, diverge, &usual), 0, "ranks that make the same calls");
  for (int s = 0; s < diverge_steps(lists); s++)
    for (enum diverge_way way = LEFT_OUT; way < DIVERGE_WAYS; way++) {
      struct diverge_kind kind = {lists, s, way, (s + (int)way) % 2};
      if (diverge_tries(&kind)) try_kind(&kind);
    }
  return done();
}
