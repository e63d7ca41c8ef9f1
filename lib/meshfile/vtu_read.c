/* SPDX-License-Identifier: BSD-3-Clause */
/* VTK's XML files: .vtu, an unstructured grid of one piece or several, and .pvtu, which names files of
 * pieces. */
#include "vtu_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vtk_cells.h"
#include "vtu_zlib.h"

/* ---- one piece ------------------------------------------------------------------------------- */

struct piece {
  const struct op2i_vtu_code *code;
  struct op2i_raw *raw;
  const struct op2i_xml_element *element;
  int64_t npoints, ncells;
  int64_t *offset, *type, *connectivity;
  int64_t *group; /* null: there are none */
  bool zero;      /* 0 is a group as well */
  int64_t *ghost; /* null: no cell is one */
};

static const struct op2i_xml_element *array_of(const struct op2i_xml_element *of,
                                               const char *name) {
  const struct op2i_xml_element *array = of ? op2i_xml_child(of, "DataArray") : NULL;
  for (; array; array = op2i_xml_next(array, "DataArray")) {
    const char *its_name = op2i_xml_attribute(array, "Name");
    if (!name || (its_name && strcmp(its_name, name) == 0)) return array;
  }
  return NULL;
}

static bool read_points(struct piece *piece) {
  const struct op2i_xml *xml = piece->code->xml;
  const struct op2i_xml_element *array = array_of(op2i_xml_child(piece->element, "Points"), NULL);
  int64_t components = 3;
  void *x = NULL;
  if (!piece->npoints) return true;
  if (!array) return op2i_xml_fail(xml, piece->element, "the piece has no points");
  if (op2i_xml_attribute(array, "NumberOfComponents") &&
      !op2i_xml_count(xml, array, "NumberOfComponents", &components))
    return false;
  if (components != 3)
    return op2i_xml_fail(xml, array, "points have %" PRId64 " coordinates", components);
  if (piece->npoints > INT64_MAX / 64)
    return op2i_xml_fail(xml, piece->element, "there cannot be so many points");
  bool good = op2i_vtu_decode(piece->code, array, 3 * piece->npoints, true, &x);
  for (int64_t i = 0; i < piece->npoints && good; i++) {
    const double *at = (double *)x + 3 * i;
    if (!op2i_is_place(at))
      good =
          op2i_xml_fail(xml, array, "a coordinate of point %" PRId64 " is not a finite number", i);
    else if (!op2i_raw_node(piece->raw, piece->raw->nnodes, at))
      good = op2i_scan_nomem(xml->scan);
  }
  xml->scan->op2->free(x);
  return good;
}

static bool read_integers(struct piece *piece, const char *of, const char *name, int64_t n,
                          int64_t **out) {
  const struct op2i_xml_element *array = array_of(op2i_xml_child(piece->element, of), name);
  void *numbers = NULL;
  if (!array)
    return op2i_xml_fail(piece->code->xml, piece->element, "the piece has no array '%s'", name);
  if (!op2i_vtu_decode(piece->code, array, n, false, &numbers)) return false;
  *out = numbers;
  return true;
}

static bool is_integers(const struct op2i_xml_element *array) {
  const char *type = array ? op2i_xml_attribute(array, "type") : NULL;
  const char *components = array ? op2i_xml_attribute(array, "NumberOfComponents") : NULL;
  return type && strstr(type, "Int") && (!components || strcmp(components, "1") == 0);
}

/* Read which cells are in which groups, and which belong to other pieces. */
static bool read_marks(struct piece *piece) {
  const struct op2i_xml_element *data = op2i_xml_child(piece->element, "CellData");
  const struct op2i_vtk_group_name *name = op2i_vtk_group_names;
  while (name->name && !is_integers(array_of(data, name->name))) name++;
  piece->zero = name->zero;
  if (name->name && !read_integers(piece, "CellData", name->name, piece->ncells, &piece->group))
    return false;
  return !is_integers(array_of(data, "vtkGhostType")) ||
         read_integers(piece, "CellData", "vtkGhostType", piece->ncells, &piece->ghost);
}

/* Offsets have to ascend. */
static bool check_offsets(const struct piece *piece) {
  for (int64_t c = 0; c < piece->ncells; c++)
    if (piece->offset[c] < (c ? piece->offset[c - 1] : 0))
      return op2i_xml_fail(piece->code->xml, piece->element,
                           "the offset of cell %" PRId64 " is damaged", c);
  return true;
}

enum { DUPLICATE = 1 }; /* the bit of vtkGhostType for a cell that another piece has as its own */

static bool add_cells(struct piece *piece, int64_t first) {
  struct op2i_scan *scan = piece->code->xml->scan;
  scan->at = piece->element->text;
  for (int64_t c = 0, begin = 0; c < piece->ncells; c++) {
    const int64_t n = piece->offset[c] - begin;
    if (!piece->ghost || !(piece->ghost[c] & DUPLICATE)) {
      if (!op2i_vtk_cell_add(scan, piece->raw, piece->type[c], n, piece->connectivity + begin,
                             first, piece->npoints))
        return false;
      if (piece->group && (piece->group[c] || piece->zero) &&
          !op2i_vtk_group_add(scan, piece->raw, piece->type[c], n, piece->group[c]))
        return false;
    }
    begin += n;
  }
  return true;
}

static bool read_piece(struct piece *piece) {
  const struct op2i_companion *op2 = piece->raw->op2;
  const int64_t first = piece->raw->nnodes;
  const bool good =
      op2i_xml_count(piece->code->xml, piece->element, "NumberOfPoints", &piece->npoints) &&
      op2i_xml_count(piece->code->xml, piece->element, "NumberOfCells", &piece->ncells) &&
      read_points(piece) &&
      (!piece->ncells || (read_integers(piece, "Cells", "offsets", piece->ncells, &piece->offset) &&
                          check_offsets(piece) &&
                          read_integers(piece, "Cells", "types", piece->ncells, &piece->type) &&
                          read_integers(piece, "Cells", "connectivity",
                                        piece->offset[piece->ncells - 1], &piece->connectivity) &&
                          read_marks(piece) && add_cells(piece, first)));
  op2->free(piece->offset);
  op2->free(piece->type);
  op2->free(piece->connectivity);
  op2->free(piece->group);
  op2->free(piece->ghost);
  return good;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* Find how the arrays are encoded. */
static bool read_code(const struct op2i_xml *xml, struct op2i_vtu_code *code) {
  const char *order = op2i_xml_attribute(xml->root, "byte_order");
  const char *header = op2i_xml_attribute(xml->root, "header_type");
  const char *compressor = op2i_xml_attribute(xml->root, "compressor");
  *code = (struct op2i_vtu_code){.xml = xml, .header_bytes = 4};
  if (order && strcmp(order, "BigEndian") != 0 && strcmp(order, "LittleEndian") != 0)
    return op2i_xml_fail(xml, xml->root, "the order of bytes '%.40s' is not known", order);
  code->swapped = order && (strcmp(order, "LittleEndian") == 0) != op2i_little_endian();
  if (header && strcmp(header, "UInt64") == 0)
    code->header_bytes = 8;
  else if (header && strcmp(header, "UInt32") != 0)
    return op2i_xml_fail(xml, xml->root, "headers of type '%.40s' are not known", header);
  code->compressed = compressor && *compressor;
  if (code->compressed && strcmp(compressor, "vtkZLibDataCompressor") != 0)
    return op2i_xml_fail(xml, xml->root,
                         "arrays are compressed by %.60s; zlib alone is read: write "
                         "the file with vtkZLibDataCompressor, or without compression",
                         compressor);
  if (code->compressed && !op2i_vtu_compressor)
    return op2i_xml_fail(xml, xml->root,
                         "arrays are compressed, and libop2-meshfile was built "
                         "without zlib (Debian's zlib1g-dev; meson setup -Dzlib=enabled)");
  return true;
}

/* Find the appended data: they begin behind a '_'. */
static bool read_appended(const struct op2i_xml *xml, struct op2i_vtu_code *code) {
  const struct op2i_xml_element *appended = op2i_xml_child(xml->root, "AppendedData");
  if (!appended) return true;
  const char *encoding = op2i_xml_attribute(appended, "encoding"), *at = appended->text;
  while (at < xml->scan->end && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) at++;
  if (at == xml->scan->end || *at != '_')
    return op2i_xml_fail(xml, appended, "appended data should begin with '_'");
  code->appended = at + 1;
  code->appended_base64 = !encoding || strcmp(encoding, "base64") == 0;
  if (!code->appended_base64 && strcmp(encoding, "raw") != 0)
    return op2i_xml_fail(xml, appended, "appended data with encoding '%.40s'", encoding);
  return true;
}

bool op2i_vtu_pieces_read(const struct op2i_xml *xml, struct op2i_raw *raw,
                          struct op2i_vtu_pieces *pieces) {
  const struct op2i_xml_element *grid = op2i_xml_child(xml->root, "UnstructuredGrid");
  struct op2i_vtu_code code;
  if (!grid) return op2i_xml_fail(xml, xml->root, "<UnstructuredGrid> should be here");
  if (!read_code(xml, &code) || !read_appended(xml, &code)) return false;
  const struct op2i_xml_element *element = op2i_xml_child(grid, "Piece");
  for (; element; element = op2i_xml_next(element, "Piece")) {
    if (!op2i_raw_room(raw->op2, &pieces->first, sizeof *pieces->first, pieces->n + 1,
                       &pieces->capacity))
      return op2i_scan_nomem(xml->scan);
    pieces->first[pieces->n++] = raw->nnodes;
    struct piece piece = {.code = &code, .raw = raw, .element = element};
    if (!read_piece(&piece)) return false;
  }
  return true;
}

/* ---- an index of pieces ---------------------------------------------------------------------- */

static bool is_type(const struct op2i_xml *xml, const char *type) {
  const char *its_type = op2i_xml_attribute(xml->root, "type");
  return strcmp(xml->root->name, "VTKFile") == 0 && its_type && strcmp(its_type, type) == 0;
}

/* Read the file of a piece; its failure is one of the index. */
static bool read_source(struct op2i_scan *scan, const char *path, struct op2i_raw *raw,
                        struct op2i_vtu_pieces *pieces) {
  struct op2i_scan part;
  struct op2i_xml xml = {0};
  op2_status status = op2i_scan_open(&part, scan->op2, path);
  bool good = !status && op2i_xml_read(&xml, &part, "AppendedData");
  if (good && !is_type(&xml, "UnstructuredGrid"))
    good = op2i_xml_fail(&xml, xml.root, "this is not a piece of an unstructured grid");
  good = good && op2i_vtu_pieces_read(&xml, raw, pieces);
  if (!good && !scan->status) scan->status = status ? status : part.status;
  if (xml.scan) op2i_xml_free(&xml);
  op2i_scan_close(&part);
  return good;
}

static bool read_index(const struct op2i_xml *xml, struct op2i_raw *raw,
                       struct op2i_vtu_pieces *pieces) {
  const struct op2i_xml_element *grid = op2i_xml_child(xml->root, "PUnstructuredGrid");
  const char *slash = strrchr(xml->scan->path, '/');
  const int folder = slash ? (int)(slash + 1 - xml->scan->path) : 0;
  if (!grid) return op2i_xml_fail(xml, xml->root, "<PUnstructuredGrid> should be here");
  const struct op2i_xml_element *piece = op2i_xml_child(grid, "Piece");
  for (; piece; piece = op2i_xml_next(piece, "Piece")) {
    char path[4096];
    const char *source = op2i_xml_attribute(piece, "Source");
    if (!source) return op2i_xml_fail(xml, piece, "the piece has no Source");
    const int length =
        snprintf(path, sizeof path, "%.*s%s", *source == '/' ? 0 : folder, xml->scan->path, source);
    if (length < 0 || length >= (int)sizeof path)
      return op2i_xml_fail(xml, piece, "the name of the piece is too long");
    if (!read_source(xml->scan, path, raw, pieces)) return false;
  }
  return true;
}

bool op2i_vtu_read(const struct op2i_xml *xml, struct op2i_raw *raw) {
  struct op2i_vtu_pieces pieces = {0};
  bool good;
  if (is_type(xml, "UnstructuredGrid"))
    good = op2i_vtu_pieces_read(xml, raw, &pieces);
  else if (is_type(xml, "PUnstructuredGrid"))
    good = read_index(xml, raw, &pieces);
  else {
    const char *type = op2i_xml_attribute(xml->root, "type");
    return op2i_xml_fail(xml, xml->root,
                         "this is a file of VTK's type %.60s; UnstructuredGrid and "
                         "PUnstructuredGrid are read",
                         type ? type : "that is not given");
  }
  good = good && op2i_vtu_pieces_join(xml->scan, raw, &pieces);
  raw->op2->free(pieces.first);
  return good;
}
