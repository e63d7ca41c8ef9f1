/* SPDX-License-Identifier: BSD-3-Clause */
/* The classic formats of netCDF: CDF-1, CDF-2 with places of 64 bits, and CDF-5 with numbers of 64 bits. All
 * numbers have the most significant byte first. */
#include <stdlib.h>
#include <string.h>

#include "meshfile_raw.h"
#include "netcdf.h"
#include "vtu_decode.h"

enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 };

/* Types by number, from 1. Texts are 2. */
static const struct op2i_number_type types[] = {
    {1, false, true},  {1, false, true},  {1, false, false}, {2, false, true},
    {4, false, true},  {4, true, true},   {8, true, true},   {1, false, false},
    {2, false, false}, {4, false, false}, {8, false, true},  {8, false, false},
};
enum { TYPES = sizeof types / sizeof *types, TEXT = 2 };

struct header {
  struct op2i_netcdf *file;
  struct op2i_scan *scan;
  int version;
  int64_t ndimensions;
  int64_t *dimension; /* 0: the one of records */
};

bool op2i_netcdf_recognise(const struct op2i_scan *scan) {
  return scan->end - scan->data >= 4 && memcmp(scan->data, "CDF", 3) == 0 &&
         (scan->data[3] == 1 || scan->data[3] == 2 || scan->data[3] == 5);
}

static bool damaged(struct header *header) {
  return op2i_scan_fail(header->scan, "the header of the netCDF file is damaged");
}

static bool take(struct header *header, int bytes, int64_t *value) {
  uint64_t bits = 0;
  *value = 0;
  if (header->scan->end - header->scan->at < bytes) return damaged(header);
  for (int b = 0; b < bytes; b++) bits = bits << 8 | (unsigned char)*header->scan->at++;
  *value = (int64_t)bits;
  return *value >= 0 || damaged(header);
}

static bool take_count(struct header *header, int64_t *value) {
  return take(header, header->version == 5 ? 8 : 4, value);
}

/* A number of items that take at least 4 bytes each, behind the mark of their kind; none may have no mark. */
static bool take_list(struct header *header, int64_t mark, int64_t *n) {
  int64_t found = 0;
  if (!take(header, 4, &found) || !take_count(header, n)) return false;
  if ((found != mark && (found || *n)) || *n > (header->scan->end - header->scan->at) / 4)
    return damaged(header);
  return true;
}

/* Skip bytes that are filled up to a multiple of four. */
static bool skip(struct header *header, int64_t bytes) {
  if (bytes > header->scan->end - header->scan->at) return damaged(header);
  bytes = (bytes + 3) / 4 * 4;
  const int64_t left = header->scan->end - header->scan->at;
  header->scan->at += bytes < left ? bytes : left;
  return true;
}

static bool take_name(struct header *header, const char **name, int64_t *length) {
  *length = 0;
  if (!take_count(header, length)) return false;
  *name = header->scan->at;
  return skip(header, *length);
}

static bool take_dimensions(struct header *header) {
  const char *name;
  int64_t n, length;
  if (!take_list(header, DIMENSIONS, &n)) return false;
  header->dimension = header->scan->op2->calloc((size_t)n + 1, sizeof *header->dimension);
  if (!header->dimension) return op2i_scan_nomem(header->scan);
  header->ndimensions = n;
  for (int64_t d = 0; d < n; d++)
    if (!take_name(header, &name, &length) || !take_count(header, &header->dimension[d]))
      return false;
  return true;
}

/* Skip attributes, and keep the text of elem_type for a variable. */
static bool take_attributes(struct header *header, struct op2i_netcdf_variable *variable) {
  static const char elem_type[] = "elem_type";
  const char *name;
  int64_t n, length = 0, type = 0, values = 0;
  if (!take_list(header, ATTRIBUTES, &n)) return false;
  for (int64_t a = 0; a < n; a++) {
    if (!take_name(header, &name, &length) || !take(header, 4, &type) ||
        !take_count(header, &values))
      return false;
    if (type < 1 || type >= TYPES || values > header->scan->end - header->scan->at)
      return damaged(header);
    if (variable && type == TEXT && length == sizeof elem_type - 1 &&
        memcmp(name, elem_type, (size_t)length) == 0) {
      variable->attribute = header->scan->at;
      variable->attribute_length = values;
    }
    if (!skip(header, values * types[type].bytes)) return false;
  }
  return true;
}

/* Take the extents of a variable, as many as are used. */
static bool take_extents(struct header *header, struct op2i_netcdf_variable *variable) {
  int64_t rank, d = 0;
  if (!take_count(header, &rank) || rank > (header->scan->end - header->scan->at) / 4)
    return damaged(header);
  variable->rank = rank <= OP2I_TREE_RANKS ? (int)rank : OP2I_TREE_RANKS + 1;
  variable->n = 1;
  for (int64_t r = 0; r < rank; r++) {
    if (!take_count(header, &d) || d >= header->ndimensions) return damaged(header);
    const int64_t extent = header->dimension[d];
    if (r == 0 && extent == 0) variable->record = true;
    if (r < OP2I_TREE_RANKS) variable->extent[r] = extent;
    if (extent && variable->n > INT64_MAX / 16 / extent) return damaged(header);
    variable->n *= extent;
  }
  return true;
}

static bool take_variable(struct header *header, struct op2i_netcdf_variable *variable) {
  struct op2i_scan *scan = header->scan;
  int64_t size, begin = 0;
  *variable = (struct op2i_netcdf_variable){0};
  if (!take_name(header, &variable->name, &variable->length) || !take_extents(header, variable) ||
      !take_attributes(header, variable) || !take(header, 4, &variable->type) ||
      !take_count(header, &size) || !take(header, header->version == 1 ? 4 : 8, &begin))
    return false;
  if (variable->type < 1 || variable->type >= TYPES) return damaged(header);
  const int64_t left = begin <= scan->end - scan->data ? scan->end - scan->data - begin : -1;
  if (!variable->record && (left < 0 || variable->n > left / types[variable->type].bytes))
    return op2i_scan_fail(scan, "the file ends before the values of '%.*s'",
                          (int)(variable->length < 60 ? variable->length : 60), variable->name);
  if (left >= 0) variable->begin = scan->data + begin;
  return true;
}

static int compare(const char *a, int64_t a_length, const char *b, int64_t b_length) {
  const int order = memcmp(a, b, (size_t)(a_length < b_length ? a_length : b_length));
  return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_name(const void *a, const void *b) {
  const struct op2i_netcdf_variable *x = a, *y = b;
  return compare(x->name, x->length, y->name, y->length);
}

static bool take_header(struct header *header) {
  struct op2i_netcdf *file = header->file;
  int64_t records, n;
  if (!take_count(header, &records) || !take_dimensions(header) || !take_attributes(header, NULL) ||
      !take_list(header, VARIABLES, &n))
    return false;
  file->variable = header->scan->op2->calloc((size_t)n + 1, sizeof *file->variable);
  if (!file->variable) return op2i_scan_nomem(header->scan);
  for (; file->n < n; file->n++)
    if (!take_variable(header, &file->variable[file->n])) return false;
  qsort(file->variable, (size_t)n, sizeof *file->variable, by_name);
  return true;
}

bool op2i_netcdf_classic_open(struct op2i_netcdf *file) {
  struct header header = {.file = file, .scan = file->scan, .version = file->scan->data[3]};
  file->scan->binary = true;
  file->scan->at = file->scan->data + 4;
  const bool good = take_header(&header);
  file->scan->op2->free(header.dimension);
  return good;
}

const struct op2i_netcdf_variable *op2i_netcdf_classic_find(const struct op2i_netcdf *file,
                                                            const char *name) {
  const struct op2i_netcdf_variable key = {.name = name, .length = (int64_t)strlen(name)};
  return bsearch(&key, file->variable, (size_t)file->n, sizeof key, by_name);
}

size_t op2i_netcdf_classic_bytes(const struct op2i_netcdf_variable *variable) {
  return (size_t)types[variable->type].bytes;
}

void op2i_netcdf_classic_read(const struct op2i_netcdf_variable *variable, bool real,
                              void *values) {
  op2i_numbers_convert(variable->begin, &types[variable->type], op2i_little_endian(), variable->n,
                       real, values);
}
