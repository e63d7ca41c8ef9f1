/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TYPES_H
#define OP2I_TYPES_H

/* The types of values. All code that depends on a type is generated from this table, or calls the
 * functions below. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2/types.h"

/* use_(type, the type's abbreviation in names of generated code, C type) */
#define OP2I_REAL_TYPES(use_) use_(OP2_F64, f64, double) use_(OP2_F32, f32, float)
#define OP2I_SIGNED_TYPES(use_)                                                                    \
  use_(OP2_I8, i8, int8_t) use_(OP2_I16, i16, int16_t) use_(OP2_I32, i32, int32_t)                 \
      use_(OP2_I64, i64, int64_t)
#define OP2I_UNSIGNED_TYPES(use_)                                                                  \
  use_(OP2_U8, u8, uint8_t) use_(OP2_U16, u16, uint16_t) use_(OP2_U32, u32, uint32_t)              \
      use_(OP2_U64, u64, uint64_t)
#define OP2I_TYPES(use_) OP2I_REAL_TYPES(use_) OP2I_SIGNED_TYPES(use_) OP2I_UNSIGNED_TYPES(use_)

size_t op2i_type_size(op2_type type);      /* 0 for an unknown type */
const char *op2i_type_c(op2_type type);    /* the C name, "double" */
const char *op2i_type_stem(op2_type type); /* "f64" */
const char *op2i_type_name(op2_type type); /* "OP2_F64" */
bool op2i_type_real(op2_type type);
bool op2i_type_signed(op2_type type); /* True for signed integers. */

#endif
