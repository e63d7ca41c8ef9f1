/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression by zlib, where it is there. */
#include "vtu_zlib.h"

#ifdef OP2_MESHFILE_ZLIB
#include <zlib.h>

const char *const op2i_vtu_compressor = "vtkZLibDataCompressor";

size_t op2i_vtu_compressed_most(size_t size) { return compressBound((uLong)size); }

/* The fastest level: results of computations are hardly smaller with higher ones. */
size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room, bool store) {
  uLongf length = (uLongf)room;
  return compress2(out, &length, data, (uLong)size, store ? 0 : 1) == Z_OK ? length : 0;
}
#else
const char *const op2i_vtu_compressor = NULL;

size_t op2i_vtu_compressed_most(size_t size) { return size; }

size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room, bool store) {
  (void)data, (void)size, (void)out, (void)room, (void)store;
  return 0;
}
#endif
