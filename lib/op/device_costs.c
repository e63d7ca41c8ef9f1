/* SPDX-License-Identifier: BSD-3-Clause */
/* A cost model of the device strategies that give the same bits, in bytes of memory that an element
 * moves at the speed of a copy: doc/devices.md has the measurements behind it. */
#include "codegen.h"
#include "loop_device.h"

/* PER_BYTE: cost of computing an element once, for each byte that it names; less than 1, since
 * neighbours share most of them. PER_KEPT_BYTE, PER_SHARED_BYTE: cost of each byte that an element
 * has for its targets, if these take it from memory or from shared memory. PER_OPERATION: cost of
 * an operation. BLOCKS_PER_COLUMN: number of further blocks of targets that an element is in, for each
 * column through which it reaches targets. */
static const double PER_BYTE = 0.26, PER_KEPT_BYTE = 2.7, PER_SHARED_BYTE = 0.6,
                    PER_OPERATION = 0.2, BLOCKS_PER_COLUMN = 0.25;

static double bytes_of(const struct op2i_loop_arg *arg) {
  int first;
  return (double)op2i_device_slots(arg, &first) * arg->dim * (double)op2i_type_size(arg->type);
}

static double named_bytes(const struct op2i_loop *loop, double *kept) {
  double bytes = 0;
  *kept = 0;
  for (int m = 0; m < loop->nmaps; m++) bytes += 4.0 * loop->maps[m]->arity;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    if (arg->dat < 0) continue;
    bytes += bytes_of(arg);
    if (op2i_device_shared(loop, arg)) *kept += bytes_of(arg);
  }
  return bytes;
}

void op2i_device_costs(const struct op2i_loop *loop, struct op2i_device_form *form) {
  double kept, bytes = named_bytes(loop, &kept), operations = 0;
  int columns = 0;
  for (int m = 0; m < op2i_loop_nmembers(loop); m++)
    operations += op2i_codegen.operations(op2i_loop_member(loop, m).kernel->source);
  for (int p = 0; p < form->npasses; p++) columns += form->passes[p].ncolumns;
  double once = PER_BYTE * bytes + PER_OPERATION * operations;
  form->repeat = columns * once;
  form->owner = (form->npasses + BLOCKS_PER_COLUMN * columns) * once + PER_SHARED_BYTE * kept;
  form->gather = once + PER_KEPT_BYTE * kept;
}
