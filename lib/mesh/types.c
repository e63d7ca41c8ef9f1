/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and sizes of value types, names of accesses. */
#include "mesh.h"

static const struct {
  const char *name, *c;
  size_t size;
} types[] = {
    [OP2_F64] = {"OP2_F64", "double", 8},   [OP2_F32] = {"OP2_F32", "float", 4},
    [OP2_I8] = {"OP2_I8", "int8_t", 1},     [OP2_I16] = {"OP2_I16", "int16_t", 2},
    [OP2_I32] = {"OP2_I32", "int32_t", 4},  [OP2_I64] = {"OP2_I64", "int64_t", 8},
    [OP2_U8] = {"OP2_U8", "uint8_t", 1},    [OP2_U16] = {"OP2_U16", "uint16_t", 2},
    [OP2_U32] = {"OP2_U32", "uint32_t", 4}, [OP2_U64] = {"OP2_U64", "uint64_t", 8},
};

static int known(op2_type type) { return (int)type >= OP2_F64 && (int)type <= OP2_U64; }

size_t op2i_type_size(op2_type type) { return known(type) ? types[type].size : 0; }
const char *op2i_type_c(op2_type type) { return known(type) ? types[type].c : "?"; }
const char *op2i_type_name(op2_type type) {
  return known(type) ? types[type].name : "unknown type";
}

const char *op2i_access_name(op2_access access) {
  static const char *const names[] = {"no access mode", "OP2_READ", "OP2_WRITE", "OP2_RW",
                                      "OP2_INC",        "OP2_MIN",  "OP2_MAX"};
  return (int)access >= OP2_READ && (int)access <= OP2_MAX ? names[access] : names[0];
}
