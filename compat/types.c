/* SPDX-License-Identifier: BSD-3-Clause */
/* The types that programs name in OP2's calls. */
#include "compat.h"

static const struct op2i_compat_type types[] = {
    {"double", "double", OP2_F64, 8},
    {"float", "float", OP2_F32, 4},
    {"int", "int", OP2_I32, 4},
    {"uint", "unsigned", OP2_U32, 4},
    {"unsigned int", "unsigned", OP2_U32, 4},
    {"long", "long", OP2_I64, 8},
    {"ll", "long long", OP2_I64, 8},
    {"long long", "long long", OP2_I64, 8},
    {"ull", "unsigned long long", OP2_U64, 8},
    {"short", "short", OP2_I16, 2},
    {"bool", "unsigned char", OP2_U8, 1},
    {"char", "signed char", OP2_I8, 1},
    {"r8", "double", OP2_F64, 8},
    {"real*8", "double", OP2_F64, 8},
    {"r4", "float", OP2_F32, 4},
    {"i4", "int", OP2_I32, 4},
    {"integer*4", "int", OP2_I32, 4},
    {"real(8)", "double", OP2_F64, 8},
    {"real(4)", "float", OP2_F32, 4},
    {"integer(4)", "int", OP2_I32, 4},
    {"integer(8)", "long long", OP2_I64, 8},
    {"logical", "int", OP2_I32, 4},
};

const struct op2i_compat_type *op2i_compat_type_known(const char *name) {
  size_t length = strcspn(name, ":"); /* ":soa" chooses a layout, which the library does itself */
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length)) return &types[i];
  return NULL;
}

const struct op2i_compat_type *op2i_compat_type(const char *name, int size) {
  const struct op2i_compat_type *type = op2i_compat_type_known(name);
  if (!type)
    op2i_compat_end("type \"%s\" has no counterpart: declare the dat as values of double, float, "
                    "int, uint, ll, ull, short, char or bool",
                    name);
  if (size && size != type->size)
    op2i_compat_end("type \"%s\" has %d bytes, but the pointer leads to values of %d", name,
                    type->size, size);
  return type;
}

int op2_compat_type_of(const char *type, int *size) {
  const struct op2i_compat_type *known = op2i_compat_type(type, 0);
  *size = known->size;
  return (int)known->type;
}
