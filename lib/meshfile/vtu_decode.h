/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VTU_DECODE_H
#define OP2I_VTU_DECODE_H

/* Arrays of VTK's XML files as numbers: from text, from binary numbers in base64 or as they are, with
 * compression by zlib or without. Also numbers of any type in memory, for other formats. */

#include "meshfile_xml.h"

/* How the arrays of a file are encoded. */
struct op2i_vtu_code {
  const struct op2i_xml *xml;
  bool swapped;         /* the order of bytes is not this machine's */
  int header_bytes;     /* of each number in headers: 4 or 8 */
  bool compressed;      /* by zlib */
  const char *appended; /* where appended data begin; null: there are none */
  bool appended_base64; /* they are in base64 */
};

/* True if this machine has the least significant byte of a number first. */
static inline bool op2i_little_endian(void) {
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 1;
}

/* A type of numbers in memory. */
struct op2i_number_type {
  int bytes;
  bool real, is_signed;
};

/* Convert n numbers to int64_t, or to double if `real`. */
void op2i_numbers_convert(const void *from, const struct op2i_number_type *type, bool swapped,
                          int64_t n, bool real, void *to);
/* Read n numbers of a text as int64_t or double into an array that is made, which the caller frees;
 * `at` is the text's place in the file. `what` names them in messages. */
bool op2i_numbers_scan(struct op2i_scan *scan, const char *at, const char *end, const char *what,
                       int64_t n, bool real, void **out);
/* Read the n numbers of a DataArray in the same manner. */
bool op2i_vtu_decode(const struct op2i_vtu_code *code, const struct op2i_xml_element *array,
                     int64_t n, bool real, void **out);

#endif
