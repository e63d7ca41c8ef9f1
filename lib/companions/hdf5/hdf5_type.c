/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of values in files, and their names in OP2. */
#include <stdio.h>
#include <string.h>

#include "hdf5_format.h"
#include "hdf5_type.h"

/* HDF5's names of types are not constants, but expressions that initialise the library. */
#define TYPES(use_)                                                                                \
  use_(OP2_F64, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE,                                                 \
       H5T_IEEE_F64BE) use_(OP2_F32, H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, H5T_IEEE_F32BE)             \
      use_(OP2_I8, H5T_NATIVE_INT8, H5T_STD_I8LE, H5T_STD_I8BE)                                    \
          use_(OP2_I16, H5T_NATIVE_INT16, H5T_STD_I16LE, H5T_STD_I16BE)                            \
              use_(OP2_I32, H5T_NATIVE_INT32, H5T_STD_I32LE, H5T_STD_I32BE)                        \
                  use_(OP2_I64, H5T_NATIVE_INT64, H5T_STD_I64LE, H5T_STD_I64BE)                    \
                      use_(OP2_U8, H5T_NATIVE_UINT8, H5T_STD_U8LE, H5T_STD_U8BE)                   \
                          use_(OP2_U16, H5T_NATIVE_UINT16, H5T_STD_U16LE, H5T_STD_U16BE)           \
                              use_(OP2_U32, H5T_NATIVE_UINT32, H5T_STD_U32LE, H5T_STD_U32BE)       \
                                  use_(OP2_U64, H5T_NATIVE_UINT64, H5T_STD_U64LE, H5T_STD_U64BE)

hid_t op2i_hdf5_native(op2_type type) {
#define NATIVE(type_, native_, little_, big_)                                                      \
  case type_: return native_;
  switch (type) { TYPES(NATIVE) }
  return H5I_INVALID_HID;
}

bool op2i_hdf5_is(hid_t id, op2_type type) {
#define EQUAL(type_, native_, little_, big_)                                                       \
  case type_: return H5Tequal(id, little_) > 0 || H5Tequal(id, big_) > 0;
  switch (type) { TYPES(EQUAL) }
  return false;
}

bool op2i_hdf5_type_of(hid_t id, op2_type *type) {
#define FIND(type_, native_, little_, big_)                                                        \
  if (op2i_hdf5_is(id, type_)) {                                                                   \
    *type = type_;                                                                                 \
    return true;                                                                                   \
  }
  TYPES(FIND)
  return false;
}

/* The first text of each type is the one that is written; OP2 declares dats by any of them, and
 * keeps the text. */
static const struct {
  op2_type type;
  const char *text;
} words[] = {
    {OP2_F64, "double"},   {OP2_F64, "double precision"},
    {OP2_F64, "real(8)"},  {OP2_F32, "float"},
    {OP2_F32, "real(4)"},  {OP2_F32, "real"},
    {OP2_I32, "int"},      {OP2_I32, "int(4)"},
    {OP2_I32, "integer"},  {OP2_I32, "integer(4)"},
    {OP2_I64, "long"},     {OP2_I64, "long long"},
    {OP2_I8, "int8_t"},    {OP2_I16, "int16_t"},
    {OP2_U8, "uint8_t"},   {OP2_U16, "uint16_t"},
    {OP2_U32, "uint32_t"}, {OP2_U64, "uint64_t"},
};

const char *op2i_hdf5_type_text(op2_type type) {
  size_t i = 0;
  while (words[i].type != type) i++;
  return words[i].text;
}

bool op2i_hdf5_type_means(const char *text, op2_type type) {
  size_t length = strlen(text);
  /* The suffix is OP2's memory layout of the dat. */
  if (length > 4 && strcmp(text + length - 4, ":soa") == 0) length -= 4;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].type == type && strlen(words[i].text) == length &&
        strncmp(words[i].text, text, length) == 0)
      return true;
  return false;
}

void op2i_hdf5_type_words(hid_t id, char text[64]) {
  op2_type type;
  const int bits = (int)H5Tget_size(id) * 8;
  if (op2i_hdf5_type_of(id, &type)) {
    snprintf(text, 64, "values of type %s", op2i_hdf5_type_text(type));
    return;
  }
  switch (H5Tget_class(id)) {
  case H5T_INTEGER: snprintf(text, 64, "integers of %d bits of a special kind", bits); break;
  case H5T_FLOAT: snprintf(text, 64, "floating-point numbers of %d bits", bits); break;
  case H5T_STRING: snprintf(text, 64, "texts"); break;
  case H5T_ENUM: snprintf(text, 64, "an enumeration, as h5py's booleans"); break;
  case H5T_COMPOUND: snprintf(text, 64, "compounds, as h5py's complex numbers"); break;
  default: snprintf(text, 64, "values of a type of HDF5's own");
  }
}
