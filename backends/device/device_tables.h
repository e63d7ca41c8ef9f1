/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_TABLES_H
#define OP2I_DEVICE_TABLES_H

/* Tables of the mesh for the launches of a loop. They are kept with the loop, in the device's
 * memory. */

#include "device.h"
#include "device_clock.h"
#include "loop_device.h"
#include "step.h"

struct op2i_device_table {
  int64_t ntargets;           /* number of targets that the pass reaches */
  int64_t owned, local_bytes; /* OWNER: targets per block, 0: no blocks; for the largest block */
  void *memory[OP2I_LAUNCH_TABLES]; /* t0, t1, ... of the entry (codegen/device) */
};

/* A global that stays on the host until the loop runs. */
struct op2i_device_late {
  void *memory;
  unsigned char *sent; /* the value that was last sent */
  bool known;          /* True if `sent` is valid */
};

struct op2i_device_tables {
  struct op2i_device *device;
  struct op2i_device_form form;
  bool made[OP2I_RANGES];
  struct op2i_split split; /* the split for which the second range has tables, if the loop is
                              split */
  struct op2i_device_clock clocks[OP2I_RANGES];
  struct op2i_device_table passes[OP2I_RANGES][OP2I_DEVICE_PASSES]; /* for blocks: the first */
  /* The captured values that were last sent with a launch, on the host and on the device. */
  unsigned char *given;
  int64_t given_bytes;
  void *given_there;
  bool sent;
  void *kept; /* values that elements leave to another launch */
  int64_t kept_bytes;
  struct op2i_device_late *late; /* [nlate] of the loop's globals, in programs that run on several
                                    places */
  int nlate;
  void *partial; /* partial results of reductions */
  int64_t partial_bytes;
};

/* Make, at the first use, and return the tables of a step's loop. */
op2_status op2i_device_tables(const struct op2i_step *step, struct op2i_device_tables **tables);

#endif
