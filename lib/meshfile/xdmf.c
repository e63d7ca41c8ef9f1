/* SPDX-License-Identifier: BSD-3-Clause */
/* XDMF files: the first grid that has a topology is the mesh. Further ones over the same nodes, as FEniCS
 * writes them for marks of facets and cells, add elements with groups. */
#include "xdmf.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "vtk_cells.h"

struct xdmf {
  const struct op2i_xml *xml;
  struct op2i_raw *raw;
  const struct op2i_xml_element *geometry; /* of the first grid: its DataItem */
};

/* The elements of a grid, one after the other. */
struct elements {
  const struct op2i_xml_element *topology;
  int64_t n; /* numbers in the data */
  int64_t *data;
  const struct op2i_xdmf_kind *kind; /* null: of several kinds, each before its nodes */
  int64_t at, count;                 /* the place of the next one, and how many were added */
  int64_t *group;                    /* null: there are none */
  int64_t groups;                    /* as many as these */
  bool zero;                         /* 0 is a group as well */
};

static const char *type_of(const struct op2i_xml_element *element, const char *name) {
  const char *type = op2i_xml_attribute(element, name);
  return type ? type : op2i_xml_attribute(element, "Type");
}

static bool is_text(const char *text, const char *word) {
  return text && strcasecmp(text, word) == 0;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool read_geometry(struct xdmf *xdmf, const struct op2i_xml_element *grid) {
  const struct op2i_xml *xml = xdmf->xml;
  const struct op2i_xml_element *geometry = op2i_xml_child(grid, "Geometry");
  const struct op2i_xml_element *item = geometry ? op2i_xml_child(geometry, "DataItem") : NULL;
  if (!item) return op2i_xml_fail(xml, grid, "the grid has no geometry");
  const char *type = type_of(geometry, "GeometryType");
  const int space = is_text(type, "XY") ? 2 : 3;
  int64_t n = 0;
  void *x = NULL;
  if (space == 3 && type && !is_text(type, "XYZ"))
    return op2i_xml_fail(xml, geometry, "a geometry of type '%.40s'; XYZ and XY are read", type);
  if (!op2i_xdmf_data(xml, item, true, &n, &x)) return false;
  bool good = n % space == 0 || op2i_xml_fail(xml, item, "%" PRId64 " coordinates", n);
  for (int64_t i = 0; good && i < n / space; i++) {
    double at[3] = {0};
    memcpy(at, (double *)x + space * i, (size_t)space * sizeof *at);
    if (!op2i_is_place(at))
      good = op2i_xml_fail(xml, item, "a coordinate of node %" PRId64 " is not a finite number", i);
    else if (!op2i_raw_node(xdmf->raw, i, at))
      good = op2i_scan_nomem(xml->scan);
  }
  xml->scan->op2->free(x);
  if (space == 2) xdmf->raw->space = 2;
  xdmf->geometry = item;
  return good;
}

/* True if a grid has no geometry of its own, or refers to that of the first one. */
static bool has_same_nodes(const struct xdmf *xdmf, const struct op2i_xml_element *grid) {
  const struct op2i_xml_element *geometry = op2i_xml_child(grid, "Geometry");
  const struct op2i_xml_element *item = geometry ? op2i_xml_child(geometry, "DataItem") : NULL;
  if (!item) return true;
  const ptrdiff_t length = op2i_xml_text_end(xdmf->xml, item) - item->text;
  return length == op2i_xml_text_end(xdmf->xml, xdmf->geometry) - xdmf->geometry->text &&
         memcmp(item->text, xdmf->geometry->text, (size_t)length) == 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Take the next element's kind and the number of its nodes. */
static bool next_kind(struct xdmf *xdmf, struct elements *elements,
                      const struct op2i_xdmf_kind **kind) {
  *kind = elements->kind;
  if (*kind) return true;
  const int64_t number = elements->data[elements->at++];
  *kind = op2i_xdmf_kind_mixed(number, 0);
  if (*kind && (*kind)->counted) {
    const int64_t nodes = elements->at < elements->n ? elements->data[elements->at++] : 0;
    *kind = nodes > 0 ? op2i_xdmf_kind_mixed(number, nodes) : NULL;
  }
  return *kind || op2i_xml_fail(xdmf->xml, elements->topology,
                                "element %" PRId64 " is of type %" PRId64
                                ", or has as many nodes, as is not known",
                                elements->count, number);
}

static bool add_elements(struct xdmf *xdmf, struct elements *elements) {
  const struct op2i_xdmf_kind *kind;
  struct op2i_scan *scan = xdmf->xml->scan;
  while (elements->at < elements->n) {
    if (!next_kind(xdmf, elements, &kind)) return false;
    if (elements->n - elements->at < kind->nodes)
      return op2i_xml_fail(xdmf->xml, elements->topology, "the last element has too few nodes");
    scan->at = elements->topology->text;
    if (!op2i_vtk_cell_add(scan, xdmf->raw, kind->vtk, kind->nodes, elements->data + elements->at,
                           0, xdmf->raw->nnodes))
      return false;
    const int64_t e = elements->count++;
    if (elements->group && e < elements->groups && (elements->group[e] || elements->zero) &&
        !op2i_vtk_group_add(scan, xdmf->raw, kind->vtk, kind->nodes, elements->group[e]))
      return false;
    elements->at += kind->nodes;
  }
  return !elements->group || elements->groups == elements->count ||
         op2i_xml_fail(xdmf->xml, elements->topology,
                       "there are groups of %" PRId64 " elements, and %" PRId64 " elements",
                       elements->groups, elements->count);
}

/* Numbers of nodes begin at 0, and nodes are in the format's order, unless the topology says otherwise. */
static bool check_order(const struct op2i_xml *xml, const struct op2i_xml_element *topology) {
  int64_t base = 0;
  if (op2i_xml_attribute(topology, "BaseOffset") &&
      !op2i_xml_count(xml, topology, "BaseOffset", &base))
    return false;
  if (base || op2i_xml_attribute(topology, "Order"))
    return op2i_xml_fail(xml, topology, "a topology with %s is not read",
                         base ? "a BaseOffset" : "an Order of its own");
  return true;
}

static bool read_topology(struct xdmf *xdmf, struct elements *elements) {
  const struct op2i_xml *xml = xdmf->xml;
  const char *type = type_of(elements->topology, "TopologyType");
  const bool mixed = is_text(type, "Mixed");
  int64_t nodes = 0;
  void *data = NULL;
  if (!check_order(xml, elements->topology)) return false;
  if (!mixed && op2i_xml_attribute(elements->topology, "NodesPerElement") &&
      !op2i_xml_count(xml, elements->topology, "NodesPerElement", &nodes))
    return false;
  if (!mixed && type) elements->kind = op2i_xdmf_kind_named(type, nodes);
  if (!mixed && !elements->kind)
    return op2i_xml_fail(xml, elements->topology,
                         "a topology of type '%.40s' with %" PRId64 " nodes, which is not known",
                         type ? type : "", nodes);
  if (!op2i_xdmf_data(xml, op2i_xml_child(elements->topology, "DataItem"), false, &elements->n,
                      &data))
    return false;
  elements->data = data;
  return true;
}

/* Find the attribute that has groups: by the usual names in the first grid, any of cells in others. */
static const struct op2i_xml_element *find_groups(const struct op2i_xml_element *grid, bool first,
                                                  bool *zero) {
  const struct op2i_vtk_group_name *name = op2i_vtk_group_names;
  for (; name->name || !first; name++) {
    const struct op2i_xml_element *attribute = op2i_xml_child(grid, "Attribute");
    for (; attribute; attribute = op2i_xml_next(attribute, "Attribute"))
      if (is_text(op2i_xml_attribute(attribute, "Center"), "Cell") &&
          op2i_xml_child(attribute, "DataItem") &&
          (!first || is_text(op2i_xml_attribute(attribute, "Name"), name->name))) {
        *zero = !first || name->zero;
        return op2i_xml_child(attribute, "DataItem");
      }
    if (!first) break;
  }
  return NULL;
}

static bool read_elements(struct xdmf *xdmf, const struct op2i_xml_element *grid, bool first) {
  struct elements elements = {.topology = op2i_xml_child(grid, "Topology")};
  const struct op2i_xml_element *groups = find_groups(grid, first, &elements.zero);
  void *numbers = NULL;
  bool good = read_topology(xdmf, &elements);
  if (good && groups) good = op2i_xdmf_data(xdmf->xml, groups, false, &elements.groups, &numbers);
  elements.group = numbers;
  good = good && add_elements(xdmf, &elements);
  xdmf->raw->op2->free(elements.data);
  xdmf->raw->op2->free(numbers);
  return good;
}

/* ---- grids ----------------------------------------------------------------------------------- */

static bool has_topology(const struct op2i_xml_element *grid) {
  const struct op2i_xml_element *topology = op2i_xml_child(grid, "Topology");
  return topology && op2i_xml_child(topology, "DataItem");
}

/* The first grid of a series in time, or the grid itself. */
static const struct op2i_xml_element *first_grid(const struct op2i_xml_element *grid) {
  while (grid && is_text(type_of(grid, "GridType"), "Collection") &&
         !is_text(op2i_xml_attribute(grid, "CollectionType"), "Spatial"))
    grid = op2i_xml_child(grid, "Grid");
  return grid;
}

bool op2i_xdmf_read(const struct op2i_xml *xml, struct op2i_raw *raw) {
  struct xdmf xdmf = {.xml = xml, .raw = raw};
  const struct op2i_xml_element *domain = op2i_xml_child(xml->root, "Domain");
  const struct op2i_xml_element *child = domain ? op2i_xml_child(domain, "Grid") : NULL;
  for (; child; child = op2i_xml_next(child, "Grid")) {
    const struct op2i_xml_element *grid = first_grid(child);
    if (!grid || !has_topology(grid)) continue;
    const bool first = !xdmf.geometry;
    if (!first && grid != child) continue; /* results in time */
    if (first && !read_geometry(&xdmf, grid)) return false;
    if (!has_same_nodes(&xdmf, grid))
      return op2i_xml_fail(xml, grid,
                           "the grid has nodes of its own: files of several meshes are "
                           "not read");
    if (!read_elements(&xdmf, grid, first)) return false;
    if (!first) raw->repeats = true;
  }
  return xdmf.geometry || op2i_xml_fail(xml, xml->root,
                                        "there is no grid with a topology: series "
                                        "in space and structured grids are not read");
}
