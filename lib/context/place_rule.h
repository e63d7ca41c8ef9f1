/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PLACE_RULE_H
#define OP2I_PLACE_RULE_H

/* What OP2_PLACE says: KERNEL:WHERE, separated by commas. A kernel's own name counts before `*`, which
 * is any kernel; of two that fit alike, the first. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

enum op2i_rule_kind {
  OP2I_RULE_NONE, /* nothing is said of the kernel */
  OP2I_RULE_FREE, /* where it takes least time, by what was measured */
  OP2I_RULE_HOST,
  OP2I_RULE_DEVICE,
  OP2I_RULE_SPLIT,     /* on both at once, each a part */
  OP2I_RULE_ALTERNATE, /* in turns: for tests, */
  OP2I_RULE_RANDOM     /* and by drawing numbers */
};

struct op2i_rule {
  enum op2i_rule_kind kind;
  uint64_t seed;      /* of RANDOM */
  int32_t parts[2];   /* of SPLIT: the host's and the device's */
  const char *device; /* the kind that was asked for by name, a literal; null: any */
};

/* Null rules say nothing. OP2_ERR_OPTION with what is wrong with them. */
op2_status op2i_rules_check(const char *rules);
/* Rules that were checked. */
struct op2i_rule op2i_rule_of(const char *rules, const char *kernel);
/* What OP2_PLACE_COSTS says: null says nothing. */
op2_status op2i_costs_check(const char *costs);
/* Nanoseconds that an element of a kernel takes on the host or on the device, by costs that were checked;
 * -1: not said. `*` is any kernel that is not named. */
double op2i_cost_of(const char *costs, const char *kernel, bool device);
/* Of a copy, and of a byte of it. */
double op2i_cost_of_copy(const char *costs);
double op2i_cost_of_byte(const char *costs);

/* Whether some kernel may run on a device, and of which kind that is to be (null: any). */
bool op2i_rules_want_device(const char *rules, const char **kind);

#endif
