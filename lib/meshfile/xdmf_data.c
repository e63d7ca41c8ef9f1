/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of XDMF files, in three places: the XML file itself, files of HDF5, and files that have nothing
 * else. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "meshfile_tree.h"
#include "vtu_decode.h"
#include "xdmf.h"

struct item {
  const struct op2i_xml *xml;
  const struct op2i_xml_element *element;
  bool real;
  int64_t n; /* as Dimensions say */
  char path[4096];
};

/* Multiply the numbers of an attribute like "10 3". */
static bool read_dimensions(struct item *item) {
  const char *text = op2i_xml_attribute(item->element, "Dimensions");
  if (!text) return op2i_xml_fail(item->xml, item->element, "the DataItem has no Dimensions");
  const char *at = text + strspn(text, " \t\r\n");
  item->n = 1;
  while (*at) {
    int64_t extent = 0;
    const char *digits = at;
    for (; *at >= '0' && *at <= '9' && at - digits < 17; at++) extent = 10 * extent + (*at - '0');
    if (at == digits || (extent && item->n > INT64_MAX / 64 / extent))
      return op2i_xml_fail(item->xml, item->element, "the Dimensions are '%.60s'", text);
    item->n *= extent;
    at += strspn(at, " \t\r\n");
  }
  return true;
}

/* Replace XML's words for letters in a text: `&amp;` and the like. */
static void unescape(char *text) {
  static const char *const words[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  char *to = text;
  for (const char *at = text; *at; to++) {
    int w = 0;
    while (w < 5 && strncmp(at, words[w], strlen(words[w])) != 0) w++;
    *to = w < 5 ? "&<>\"'"[w] : *at;
    at += w < 5 ? strlen(words[w]) : 1;
  }
  *to = '\0';
}

/* The path of a file that the text names, beside the XDMF file; what follows the last colon goes into `part`,
 * if that is not null. */
static bool read_path(struct item *item, char *part, size_t size) {
  const char *at = item->element->text, *end = op2i_xml_text_end(item->xml, item->element);
  const char *file = item->xml->scan->path, *slash = strrchr(file, '/');
  while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) at++;
  while (end > at && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r'))) end--;
  const char *colon = end;
  while (part && colon > at && colon[-1] != ':') colon--;
  if (colon == at || memchr(at, '\0', (size_t)(end - at)))
    return op2i_xml_fail(item->xml, item->element, "the name of a file should be here");
  const int name =
      (int)((part ? colon - 1 : end) - at < 3000 ? (part ? colon - 1 : end) - at : 3000);
  const int folder = slash && *at != '/' ? (int)(slash + 1 - file) : 0;
  const int length = snprintf(item->path, sizeof item->path, "%.*s%.*s", folder, file, name, at);
  const int rest = part ? snprintf(part, size, "%s%.*s", *colon == '/' ? "" : "/",
                                   (int)(end - colon < 3000 ? end - colon : 3000), colon)
                        : 0;
  if (length < 0 || length >= (int)sizeof item->path || rest < 0 || (part && rest >= (int)size))
    return op2i_xml_fail(item->xml, item->element, "the name of the file is too long");
  unescape(item->path + folder);
  if (part) unescape(part);
  return true;
}

static bool read_hdf(struct item *item, void **out) {
  char dataset[1000];
  struct op2i_tree tree = {0};
  if (!read_path(item, dataset, sizeof dataset)) return false;
  const bool good = op2i_tree_open(&tree, item->xml->scan, item->path) &&
                    op2i_tree_numbers(&tree, dataset, item->real, &item->n, out);
  op2i_tree_close(&tree);
  return good;
}

/* Find the type of numbers in a binary file. */
static bool read_type(const struct item *item, struct op2i_number_type *type, bool *swapped) {
  const struct op2i_xml_element *element = item->element;
  const char *name = op2i_xml_attribute(element, "DataType");
  const char *order = op2i_xml_attribute(element, "Endian");
  const bool little = op2i_little_endian();
  int64_t bytes = 4;
  if (!name) name = op2i_xml_attribute(element, "NumberType");
  if (!name) name = "Float";
  if (op2i_xml_attribute(element, "Precision") &&
      !op2i_xml_count(item->xml, element, "Precision", &bytes))
    return false;
  *type = (struct op2i_number_type){(int)bytes, strcasecmp(name, "Float") == 0, *name != 'U'};
  if (strcasecmp(name, "Char") == 0 || strcasecmp(name, "UChar") == 0) type->bytes = 1;
  *swapped = order && ((strcasecmp(order, "Big") == 0 && little) ||
                       (strcasecmp(order, "Little") == 0 && !little));
  if ((type->bytes != 1 && type->bytes != 2 && type->bytes != 4 && type->bytes != 8) ||
      (type->real && type->bytes < 4))
    return op2i_xml_fail(item->xml, element, "numbers of %" PRId64 " bytes", bytes);
  if (type->real && !item->real)
    return op2i_xml_fail(item->xml, element, "there should be integers here");
  return true;
}

static bool read_binary(struct item *item, void **out) {
  struct op2i_scan *scan = item->xml->scan, part;
  struct op2i_number_type type;
  bool swapped, good = false;
  int64_t seek = 0;
  const char *compression = op2i_xml_attribute(item->element, "Compression");
  if (compression && strcasecmp(compression, "Raw") != 0)
    return op2i_xml_fail(item->xml, item->element, "a DataItem with compression by '%.40s'",
                         compression);
  if (!read_path(item, NULL, 0) || !read_type(item, &type, &swapped)) return false;
  if (op2i_xml_attribute(item->element, "Seek") &&
      !op2i_xml_count(item->xml, item->element, "Seek", &seek))
    return false;
  scan->status = op2i_scan_open(&part, scan->op2, item->path);
  if (!scan->status) {
    const int64_t size = part.end - part.data;
    if (seek > size || item->n > (size - seek) / type.bytes)
      op2i_xml_fail(item->xml, item->element, "%s is too short", item->path);
    else if (!(*out = scan->op2->calloc((size_t)item->n + 1, 8)))
      op2i_scan_nomem(scan);
    else
      good = true;
  }
  if (good) op2i_numbers_convert(part.data + seek, &type, swapped, item->n, item->real, *out);
  op2i_scan_close(&part);
  return good;
}

bool op2i_xdmf_data(const struct op2i_xml *xml, const struct op2i_xml_element *element, bool real,
                    int64_t *n, void **out) {
  struct item item = {.xml = xml, .element = element, .real = real};
  const char *format = op2i_xml_attribute(element, "Format");
  const char *kind = op2i_xml_attribute(element, "ItemType");
  bool good;
  if ((kind && strcasecmp(kind, "Uniform") != 0) || op2i_xml_attribute(element, "Reference"))
    return op2i_xml_fail(xml, element,
                         "DataItems that refer to others, or are made of them, are "
                         "not read");
  if (!read_dimensions(&item)) return false;
  if (!format || strcasecmp(format, "XML") == 0)
    good = op2i_numbers_scan(xml->scan, element->text, op2i_xml_text_end(xml, element),
                             "a DataItem", item.n, real, out);
  else if (strcasecmp(format, "HDF") == 0)
    good = read_hdf(&item, out);
  else if (strcasecmp(format, "Binary") == 0)
    good = read_binary(&item, out);
  else
    return op2i_xml_fail(xml, element, "a DataItem of format '%.40s'", format);
  *n = item.n;
  return good;
}
