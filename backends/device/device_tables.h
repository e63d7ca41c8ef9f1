/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_TABLES_H
#define OP2I_DEVICE_TABLES_H

/* What launches of a loop need to know of its mesh: kept with the loop, in the device's memory. */

#include "device.h"
#include "device_clock.h"
#include "loop_device.h"
#include "step.h"

struct op2i_device_table {
  int64_t ntargets;                 /* of a pass: that are reached */
  int64_t owned, local_bytes; /* OWNER: targets of a block, 0: there are none; for the largest */
  void *memory[OP2I_LAUNCH_TABLES]; /* t0, t1, ... of the entry (codegen/device) */
};

/* A global that the host has until the loop runs. */
struct op2i_device_late {
  void *memory;
  unsigned char *sent; /* what was put there last, */
  bool known;          /* if anything was */
};

struct op2i_device_tables {
  struct op2i_device *device;
  struct op2i_device_form form;
  bool made[OP2I_RANGES];
  struct op2i_split split; /* of which the second range has tables, where the loop has one */
  struct op2i_device_clock clocks[OP2I_RANGES];
  struct op2i_device_table passes[OP2I_RANGES][OP2I_DEVICE_PASSES]; /* of blocks: the first */
  /* What was last sent along with a launch, on both sides. */
  unsigned char *given;
  int64_t given_bytes;
  void *given_there;
  bool sent;
  void *kept; /* what elements leave to another launch */
  int64_t kept_bytes;
  struct op2i_device_late *late; /* [nlate] of its globals, in programs of several places */
  int nlate;
  void *partial; /* values of reductions */
  int64_t partial_bytes;
};

/* Those of a step's loop, made when they are first asked for. */
op2_status op2i_device_tables(const struct op2i_step *step, struct op2i_device_tables **tables);

#endif
