/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VTU_ZLIB_H
#define OP2I_VTU_ZLIB_H

/* Compression of VTU files by zlib, where it is there. */

#include <stdbool.h>
#include <stddef.h>

/* The name of the compressor, or null. */
extern const char *const op2i_vtu_compressor;
/* The most bytes that `size` bytes take when they are compressed, and compression; the number of
 * bytes is returned, 0 if it failed. If `store` is set, no time is spent to make it smaller. */
size_t op2i_vtu_compressed_most(size_t size);
size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room, bool store);

#endif
