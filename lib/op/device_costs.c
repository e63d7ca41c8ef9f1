/* SPDX-License-Identifier: BSD-3-Clause */
/* What a loop is held to cost on a device, by strategies that give the same bits. In bytes of memory that
 * an element moves, at the speed of a copy: doc/devices.md has the measurements behind it. */
#include "codegen.h"
#include "loop_device.h"

/* Of the bytes that an element names, what one computation of it costs, since neighbours share most of
 * them; of the bytes that it leaves to a second launch, what writing and fetching them costs; of an
 * operation. */
static const double PER_BYTE = 0.26, PER_KEPT_BYTE = 2.7, PER_OPERATION = 0.2;

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
  int times = 0;
  for (int m = 0; m < op2i_loop_nmembers(loop); m++)
    operations += op2i_codegen.operations(op2i_loop_member(loop, m).kernel->source);
  for (int p = 0; p < form->npasses; p++) times += form->passes[p].ncolumns;
  double once = PER_BYTE * bytes + PER_OPERATION * operations;
  form->repeat = times * once;
  form->gather = once + PER_KEPT_BYTE * kept;
}
