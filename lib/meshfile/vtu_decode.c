/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoding of the arrays of VTK's XML files. */
#include "vtu_decode.h"

#include <inttypes.h>
#include <string.h>

#include "vtu_zlib.h"

/* zlib makes at most 1 byte of 1,032. */
enum { RATIO_MOST = 1040 };

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t bits_of(const unsigned char *from, int bytes, bool swapped) {
  uint64_t bits = 0;
  const bool little = op2i_little_endian();
  for (int b = 0; b < bytes; b++)
    bits |= (uint64_t)from[b] << 8 * (little != swapped ? b : bytes - 1 - b);
  return bits;
}

static double real_of(uint64_t bits, int bytes) {
  const uint32_t narrow_bits = (uint32_t)bits;
  float narrow;
  double wide;
  memcpy(&narrow, &narrow_bits, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  return bytes == 4 ? (double)narrow : wide;
}

static int64_t integer_of(uint64_t bits, const struct op2i_number_type *type) {
  const int spare = 64 - 8 * type->bytes;
  if (type->is_signed && spare > 0 && bits >> (8 * type->bytes - 1))
    bits |= ~UINT64_C(0) << (64 - spare);
  return (int64_t)bits;
}

void op2i_numbers_convert(const void *from, const struct op2i_number_type *type, bool swapped,
                          int64_t n, bool real, void *to) {
  const unsigned char *at = from;
  for (int64_t i = 0; i < n; i++, at += type->bytes) {
    const uint64_t bits = bits_of(at, type->bytes, swapped);
    if (!real)
      ((int64_t *)to)[i] = integer_of(bits, type);
    else if (type->real)
      ((double *)to)[i] = real_of(bits, type->bytes);
    else
      ((double *)to)[i] = (double)integer_of(bits, type);
  }
}

bool op2i_numbers_scan(struct op2i_scan *scan, const char *at, const char *end, const char *what,
                       int64_t n, bool real, void **out) {
  struct op2i_scan part = *scan;
  part.at = at;
  part.end = end;
  if (n > (end - at + 1) / 2) {
    scan->at = at;
    return op2i_scan_fail(scan, "there should be %" PRId64 " numbers of %s here", n, what);
  }
  void *numbers = scan->op2->calloc((size_t)n + 1, 8);
  if (!numbers) return op2i_scan_nomem(scan);
  bool good = true;
  for (int64_t i = 0; i < n && good; i++)
    good = real ? op2i_scan_real(&part, what, (double *)numbers + i)
                : op2i_scan_int(&part, what, (int64_t *)numbers + i);
  op2i_scan_space(&part);
  if (good && part.at < end)
    good = op2i_scan_fail(&part, "there are more than %" PRId64 " numbers of %s", n, what);
  scan->status = part.status;
  if (good)
    *out = numbers;
  else
    scan->op2->free(numbers);
  return good;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Bytes of a file, which may be in base64. */
struct source {
  const char *at, *end;
  bool base64;
  unsigned char held[3]; /* of the last four letters */
  int n, used;
};

static int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decode the next four letters; headers and data may each end with '='. */
static bool next_letters(struct source *source) {
  uint32_t bits = 0;
  int letters = 0, n = 0;
  while (letters < 4 && source->at < source->end) {
    const char c = *source->at++;
    const int value = base64_value(c);
    if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
    if (value < 0 && (c != '=' || letters < 2)) return false;
    if (value >= 0 && n < letters) return false; /* a letter behind '=' */
    bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
    letters++;
    n += value >= 0;
  }
  if (letters < 4) return false;
  for (int b = 0; b < 3; b++) source->held[b] = (unsigned char)(bits >> 8 * (2 - b));
  source->n = n - 1;
  source->used = 0;
  return true;
}

static bool take(struct source *source, void *to, size_t n) {
  unsigned char *bytes = to;
  if (!source->base64) {
    if ((size_t)(source->end - source->at) < n) return false;
    memcpy(to, source->at, n);
    source->at += n;
    return true;
  }
  for (size_t b = 0; b < n; b++) {
    if (source->used == source->n && !next_letters(source)) return false;
    bytes[b] = source->held[source->used++];
  }
  return true;
}

/* No more bytes than these are left. */
static int64_t most_left(const struct source *source) {
  const int64_t length = source->end - source->at;
  return source->base64 ? length / 4 * 3 + 3 : length;
}

static bool take_size(struct source *source, const struct op2i_vtu_code *code, uint64_t *value) {
  unsigned char bytes[8];
  if (!take(source, bytes, (size_t)code->header_bytes)) return false;
  *value = bits_of(bytes, code->header_bytes, code->swapped);
  return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

struct array {
  const struct op2i_vtu_code *code;
  const struct op2i_xml_element *element;
  const char *name;
  struct source source;
  unsigned char *data;
  uint64_t bytes; /* that it should have */
};

static bool damaged(const struct array *array) {
  return op2i_xml_fail(array->code->xml, array->element, "the array '%.60s' is damaged",
                       array->name);
}

static bool wrong_size(const struct array *array, uint64_t got) {
  return op2i_xml_fail(array->code->xml, array->element,
                       "the array '%.60s' has %" PRIu64 " bytes, and should have %" PRIu64,
                       array->name, got, array->bytes);
}

static bool make_data(struct array *array) {
  struct op2i_scan *scan = array->code->xml->scan;
  array->data = scan->op2->calloc((size_t)array->bytes + 1, 1);
  return array->data || op2i_scan_nomem(scan);
}

static bool read_plain(struct array *array) {
  uint64_t bytes;
  if (!take_size(&array->source, array->code, &bytes)) return damaged(array);
  if (bytes != array->bytes) return wrong_size(array, bytes);
  if (bytes > (uint64_t)most_left(&array->source)) return damaged(array);
  if (!make_data(array)) return false;
  return take(&array->source, array->data, (size_t)bytes) || damaged(array);
}

/* Sizes of blocks: all have `each` bytes but the last one, which has `tail`. */
struct blocks {
  uint64_t n, each, tail;
  uint64_t *compressed;
};

static bool inflate_blocks(struct array *array, const struct blocks *blocks, uint64_t largest) {
  struct op2i_scan *scan = array->code->xml->scan;
  unsigned char *room = scan->op2->calloc((size_t)largest + 1, 1);
  bool good = true;
  if (!room) return op2i_scan_nomem(scan);
  for (uint64_t b = 0; b < blocks->n && good; b++) {
    const size_t size = (size_t)(b + 1 == blocks->n && blocks->tail ? blocks->tail : blocks->each);
    good =
        take(&array->source, room, (size_t)blocks->compressed[b]) &&
        op2i_vtu_expand(room, (size_t)blocks->compressed[b], array->data + b * blocks->each, size);
  }
  scan->op2->free(room);
  return good || damaged(array);
}

static bool read_blocks(struct array *array, struct blocks *blocks) {
  uint64_t largest = 0;
  const uint64_t left = (uint64_t)most_left(&array->source);
  for (uint64_t b = 0; b < blocks->n; b++) {
    if (!take_size(&array->source, array->code, &blocks->compressed[b])) return damaged(array);
    if (blocks->compressed[b] > left) return damaged(array);
    if (blocks->compressed[b] > largest) largest = blocks->compressed[b];
  }
  return make_data(array) && inflate_blocks(array, blocks, largest);
}

static bool read_compressed(struct array *array) {
  struct op2i_scan *scan = array->code->xml->scan;
  struct blocks blocks = {0};
  if (!take_size(&array->source, array->code, &blocks.n) ||
      (blocks.n && (!take_size(&array->source, array->code, &blocks.each) ||
                    !take_size(&array->source, array->code, &blocks.tail))))
    return damaged(array);
  const uint64_t left = (uint64_t)most_left(&array->source);
  if (blocks.n > left / (uint64_t)array->code->header_bytes || blocks.tail > blocks.each ||
      (blocks.n > 0) != (blocks.each > 0) || array->bytes / RATIO_MOST > left)
    return damaged(array);
  uint64_t bytes = 0;
  if (blocks.n && blocks.n - 1 > array->bytes / blocks.each) return damaged(array);
  if (blocks.n) bytes = (blocks.n - 1) * blocks.each + (blocks.tail ? blocks.tail : blocks.each);
  if (bytes != array->bytes) return wrong_size(array, bytes);
  blocks.compressed = scan->op2->calloc((size_t)blocks.n + 1, sizeof *blocks.compressed);
  if (!blocks.compressed) return op2i_scan_nomem(scan);
  const bool good = read_blocks(array, &blocks);
  scan->op2->free(blocks.compressed);
  return good;
}

/* Find where the bytes of the array are. */
static bool find_source(struct array *array, bool appended) {
  const struct op2i_vtu_code *code = array->code;
  const struct op2i_xml *xml = code->xml;
  array->source.base64 = !appended || code->appended_base64;
  if (!appended) {
    array->source.at = array->element->text;
    array->source.end = op2i_xml_text_end(xml, array->element);
    return true;
  }
  int64_t offset;
  if (!op2i_xml_count(xml, array->element, "offset", &offset)) return false;
  if (!code->appended || offset > xml->scan->end - code->appended)
    return op2i_xml_fail(xml, array->element, "there are no data of '%.60s'", array->name);
  array->source.at = code->appended + offset;
  array->source.end = xml->scan->end;
  return true;
}

static const struct {
  const char *name;
  struct op2i_number_type type;
} types[] = {
    {"Int8", {1, false, true}},    {"UInt8", {1, false, false}},  {"Int16", {2, false, true}},
    {"UInt16", {2, false, false}}, {"Int32", {4, false, true}},   {"UInt32", {4, false, false}},
    {"Int64", {8, false, true}},   {"UInt64", {8, false, false}}, {"Float32", {4, true, true}},
    {"Float64", {8, true, true}},
};

static const struct op2i_number_type *type_of(const struct array *array) {
  const char *name = op2i_xml_attribute(array->element, "type");
  for (size_t t = 0; name && t < sizeof types / sizeof *types; t++)
    if (strcmp(types[t].name, name) == 0) return &types[t].type;
  op2i_xml_fail(array->code->xml, array->element, "the array '%.60s' has values of type %.40s",
                array->name, name ? name : "that is not given");
  return NULL;
}

bool op2i_vtu_decode(const struct op2i_vtu_code *code, const struct op2i_xml_element *element,
                     int64_t n, bool real, void **out) {
  const struct op2i_xml *xml = code->xml;
  struct op2i_scan *scan = xml->scan;
  const char *name = op2i_xml_attribute(element, "Name");
  const char *format = op2i_xml_attribute(element, "format");
  struct array array = {.code = code, .element = element, .name = name ? name : "Points"};
  const struct op2i_number_type *type = type_of(&array);
  if (!type) return false;
  if (type->real && !real)
    return op2i_xml_fail(xml, element, "the array '%.60s' should have integers", array.name);
  if (n < 0 || n > INT64_MAX / 16)
    return op2i_xml_fail(xml, element, "the array '%.60s' cannot be so long", array.name);
  if (n && (!format || strcmp(format, "ascii") == 0))
    return op2i_numbers_scan(scan, element->text, op2i_xml_text_end(xml, element), array.name, n,
                             real, out);
  if (format && strcmp(format, "binary") != 0 && strcmp(format, "appended") != 0 &&
      strcmp(format, "ascii") != 0)
    return op2i_xml_fail(xml, element, "arrays of format '%.40s' are not known", format);
  array.bytes = (uint64_t)n * (uint64_t)type->bytes;
  bool good = n == 0 || (find_source(&array, strcmp(format, "appended") == 0) &&
                         (code->compressed ? read_compressed(&array) : read_plain(&array)));
  void *numbers = good ? scan->op2->calloc((size_t)n + 1, 8) : NULL;
  if (good && !numbers) good = op2i_scan_nomem(scan);
  if (good) op2i_numbers_convert(array.data, type, code->swapped, n, real, numbers);
  scan->op2->free(array.data);
  if (good) *out = numbers;
  return good;
}
