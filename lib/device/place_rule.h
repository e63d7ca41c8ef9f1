/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PLACE_RULE_H
#define OP2I_PLACE_RULE_H

/* Rules of OP2_PLACE: KERNEL:WHERE, separated by commas. An entry with the kernel's name takes
 * precedence over `*`, which stands for any kernel; of two equally specific entries, the first one
 * holds. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

enum op2i_rule_kind {
  OP2I_RULE_NONE, /* no rule for the kernel */
  OP2I_RULE_FREE, /* where it takes the least time, as measured */
  OP2I_RULE_HOST,
  OP2I_RULE_DEVICE,
  OP2I_RULE_SPLIT,     /* a part on the host and a part on the device, at the same time */
  OP2I_RULE_ALTERNATE, /* alternately on the host and the device, for tests */
  OP2I_RULE_RANDOM     /* at random, for tests */
};

struct op2i_rule {
  enum op2i_rule_kind kind;
  uint64_t seed;      /* seed of RANDOM */
  int32_t parts[2];   /* shares of SPLIT: the host's and the device's */
  const char *device; /* the kind of device that was named, a literal; null: any */
};

/* Check rules; null stands for none. OP2_ERR_OPTION with the reason. */
op2_status op2i_rules_check(const char *rules);
/* The rule for a kernel, from rules that were checked. */
struct op2i_rule op2i_rule_of(const char *rules, const char *kernel);
/* Check costs of OP2_PLACE_COSTS; null stands for none. OP2_ERR_OPTION with the reason. */
op2_status op2i_costs_check(const char *costs);
/* Nanoseconds that an element of a kernel takes on the host or on the device, from costs that were
 * checked; -1: not given. `*` stands for any kernel that is not named. */
double op2i_cost_of(const char *costs, const char *kernel, bool device);
/* Nanoseconds of a copy to or from the device, and of each of its bytes; -1: not given. */
double op2i_cost_of_copy(const char *costs);
double op2i_cost_of_byte(const char *costs);

/* True if some kernel may run on a device; *kind is the kind that is asked for (null: any). */
bool op2i_rules_want_device(const char *rules, const char **kind);

#endif
