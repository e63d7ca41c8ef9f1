/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression in zlib's format, by libdeflate, which is faster, or by zlib, where one of them is there. */
#include "vtu_zlib.h"

/* ---- by the library -------------------------------------------------------------------------- */

/* The fastest level: results of computations are hardly smaller with higher ones. */
enum { LEVEL = 1 };

#if defined(OP2_MESHFILE_LIBDEFLATE)
#include <libdeflate.h>

const char *const op2i_vtu_compressor = "vtkZLibDataCompressor";

size_t op2i_vtu_compressed_most(size_t size) { return libdeflate_zlib_compress_bound(NULL, size); }

size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room) {
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
  if (!compressor) return 0;
  const size_t length = libdeflate_zlib_compress(compressor, data, size, out, room);
  libdeflate_free_compressor(compressor);
  return length;
}

static uint32_t add_to_sum(uint32_t sum, const void *data, size_t size) {
  return libdeflate_adler32(sum, data, size);
}

bool op2i_vtu_expand(const void *data, size_t length, void *out, size_t size) {
  struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
  if (!decompressor) return false;
  const enum libdeflate_result result =
      libdeflate_zlib_decompress(decompressor, data, length, out, size, NULL);
  libdeflate_free_decompressor(decompressor);
  return result == LIBDEFLATE_SUCCESS;
}
#elif defined(OP2_MESHFILE_ZLIB)
#include <zlib.h>

const char *const op2i_vtu_compressor = "vtkZLibDataCompressor";

size_t op2i_vtu_compressed_most(size_t size) { return compressBound((uLong)size); }

size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room) {
  uLongf length = (uLongf)room;
  return compress2(out, &length, data, (uLong)size, LEVEL) == Z_OK ? length : 0;
}

static uint32_t add_to_sum(uint32_t sum, const void *data, size_t size) {
  return (uint32_t)adler32_z(sum, data, size);
}

bool op2i_vtu_expand(const void *data, size_t length, void *out, size_t size) {
  uLongf got = (uLongf)size;
  return uncompress(out, &got, data, (uLong)length) == Z_OK && got == size;
}
#else
const char *const op2i_vtu_compressor = NULL;

size_t op2i_vtu_compressed_most(size_t size) { return size; }

size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room) {
  (void)data, (void)size, (void)out, (void)room;
  return 0;
}

static uint32_t add_to_sum(uint32_t sum, const void *data, size_t size) {
  (void)data, (void)size;
  return sum;
}

bool op2i_vtu_expand(const void *data, size_t length, void *out, size_t size) {
  (void)data, (void)length, (void)out, (void)size;
  return false;
}
#endif

/* ---- stored ---------------------------------------------------------------------------------- */

/* A stored block is cut into pieces with a head of five bytes each; two bytes come before them all, and
 * a check sum of four bytes after them (RFC 1950 and 1951). */
enum { PIECE = 65535 };

size_t op2i_vtu_stored_size(size_t size) {
  const size_t pieces = size ? (size + PIECE - 1) / PIECE : 1;
  return op2i_vtu_compressor ? 2 + 5 * pieces + size + 4 : size;
}

static void put_bytes(FILE *file, const unsigned char *bytes, size_t n) {
  fwrite(bytes, 1, n, file);
}

void op2i_vtu_put_stored(FILE *file, const void *data, size_t size) {
  const unsigned char *at = data, *const end = at + size;
  uint32_t sum = 1;
  if (!op2i_vtu_compressor) {
    put_bytes(file, data, size);
    return;
  }
  put_bytes(file, (const unsigned char[]){0x78, 0x01}, 2);
  do {
    const size_t left = (size_t)(end - at), n = left < PIECE ? left : PIECE;
    const uint16_t length = (uint16_t)n, inverse = (uint16_t)~length;
    put_bytes(file,
              (const unsigned char[]){n == left, length & 0xff, length >> 8, inverse & 0xff,
                                      inverse >> 8},
              5);
    put_bytes(file, at, n);
    sum = add_to_sum(sum, at, n);
    at += n;
  } while (at < end);
  put_bytes(file, (const unsigned char[]){sum >> 24, sum >> 16 & 0xff, sum >> 8 & 0xff, sum & 0xff},
            4);
}
