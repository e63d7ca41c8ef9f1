/* SPDX-License-Identifier: BSD-3-Clause */
#include "checkpoint.h"

#include <stdio.h>

#ifdef BENCH_HDF5
#include "op2/checkpoint.h"

bool checkpoint_begin(const run_options *run, const kept_state *kept, void **out) {
  const op2_checkpoint_options options = {.seconds = run->checkpoint_seconds};
  op2_checkpoint checkpoint = NULL;
  bool found = false;
  *out = NULL;
  if (!run->checkpoint) return true;
  TRY(op2_checkpoint_create(kept->ctx, run->checkpoint, &options, &checkpoint));
  for (int d = 0; d < kept->ndats; d++) TRY(op2_checkpoint_add_dat(checkpoint, kept->dats[d]));
  for (int g = 0; g < kept->ngbls; g++) TRY(op2_checkpoint_add_gbl(checkpoint, kept->gbls[g]));
  TRY(op2_checkpoint_add_counter(checkpoint, "iteration", OP2_I32, 1, kept->iteration));
  TRY(op2_checkpoint_read(checkpoint, &found));
  if (found && option_writes) printf("goes on after iteration %d\n", *kept->iteration);
  *out = checkpoint;
  return true;
fail:
  op2_checkpoint_destroy(&checkpoint);
  return false;
}

bool checkpoint_step(void *checkpoint, bool *stop) {
  if (checkpoint) TRY(op2_checkpoint_step(checkpoint, stop));
  return true;
fail:
  return false;
}

bool checkpoint_end(void **of) {
  op2_checkpoint checkpoint = *of;
  op2_checkpoint_info info;
  if (!checkpoint) return true;
  *of = NULL;
  TRY(op2_checkpoint_info_get(checkpoint, &info));
  if (option_writes)
    printf("checkpoints: %lld written in %.3f s\n", (long long)info.written, info.seconds);
  op2_checkpoint_destroy(&checkpoint);
  return true;
fail:
  op2_checkpoint_destroy(&checkpoint);
  return false;
}
#else
bool checkpoint_begin(const run_options *run, const kept_state *kept, void **checkpoint) {
  (void)kept;
  *checkpoint = NULL;
  if (run->checkpoint)
    fprintf(stderr, "%s: --checkpoint: this was built without HDF5\n", report_name);
  return !run->checkpoint;
}

bool checkpoint_step(void *checkpoint, bool *stop) { return !checkpoint || *stop; }

bool checkpoint_end(void **checkpoint) { return !*checkpoint; }
#endif
