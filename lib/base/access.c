/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of access modes. */
#include "access.h"

const char *op2i_access_name(op2_access access) {
  static const char *const names[] = {"no access mode", "OP2_READ", "OP2_WRITE", "OP2_RW",
                                      "OP2_INC",        "OP2_MIN",  "OP2_MAX"};
  return (int)access >= OP2_READ && (int)access <= OP2_MAX ? names[access] : names[0];
}
