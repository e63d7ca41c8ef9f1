/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_TYPE_H
#define OP2I_HDF5_TYPE_H

#include "hdf5_format.h"

/* Types of values in files and in memory. */

/* Types in files and in memory; the text is that of the attribute `type`. Called between enter and
 * leave. */
hid_t op2i_hdf5_native(op2_type type);
bool op2i_hdf5_is(hid_t id, op2_type type);         /* in either byte order */
bool op2i_hdf5_type_of(hid_t id, op2_type *type);   /* false: the type is none of op2's */
void op2i_hdf5_type_words(hid_t id, char text[64]); /* describes it for messages */
const char *op2i_hdf5_type_text(op2_type type);
bool op2i_hdf5_type_means(const char *text, op2_type type);

#endif
