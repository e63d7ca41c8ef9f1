/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of each type of values. */
#include "types.h"

#define ROW(type_, stem_, c_) [type_] = {#type_, #c_, #stem_, sizeof(c_)},
static const struct {
  const char *name, *c, *stem;
  size_t size;
} types[] = {OP2I_TYPES(ROW)};

static bool known(op2_type type) {
  return (int)type > 0 && (size_t)type < sizeof types / sizeof *types;
}

size_t op2i_type_size(op2_type type) { return known(type) ? types[type].size : 0; }
const char *op2i_type_c(op2_type type) { return known(type) ? types[type].c : "?"; }
const char *op2i_type_stem(op2_type type) { return known(type) ? types[type].stem : "?"; }
const char *op2i_type_name(op2_type type) {
  return known(type) ? types[type].name : "unknown type";
}

#define YES(type_, stem_, c_)                                                                      \
  case type_: return true;

bool op2i_type_real(op2_type type) {
  switch (type) {
    OP2I_REAL_TYPES(YES)
  default: return false;
  }
}

bool op2i_type_signed(op2_type type) {
  switch (type) {
    OP2I_SIGNED_TYPES(YES)
  default: return false;
  }
}
