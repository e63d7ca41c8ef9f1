/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VTU_ZLIB_H
#define OP2I_VTU_ZLIB_H

/* Compression of VTU files, in zlib's format, where a library for it is there; and the reverse. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The name of the compressor, or null. */
extern const char *const op2i_vtu_compressor;
/* The most bytes that `size` bytes take when they are compressed, and compression; the number of
 * bytes is returned, 0 if it failed. */
size_t op2i_vtu_compressed_most(size_t size);
size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room);
/* The bytes of a block that is stored as it is, and writing one without a copy in memory. Without a
 * compressor these are the bytes themselves. */
size_t op2i_vtu_stored_size(size_t size);
void op2i_vtu_put_stored(FILE *file, const void *data, size_t size);
/* Restore exactly `size` bytes; false if the data are not these. */
bool op2i_vtu_expand(const void *data, size_t length, void *out, size_t size);

#endif
