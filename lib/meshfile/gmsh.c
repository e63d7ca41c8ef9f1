/* SPDX-License-Identifier: BSD-3-Clause */
/* Gmsh's .msh files, formats 2 and 4.1: the header, the names of groups, and which section is read by
 * which function. */
#define _GNU_SOURCE /* for memmem() */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gmsh_sections.h"
#include "meshfile_formats.h"

int op2i_gmsh_kind(struct op2i_gmsh *gmsh, int64_t number) {
  int kind = op2i_kind_of_gmsh(number);
  if (kind < 0)
    op2i_scan_fail(gmsh->scan, "elements of Gmsh's type %" PRId64 " are not known", number);
  return kind;
}

bool op2i_gmsh_recognise(const struct op2i_scan *scan) {
  const char *at = scan->data;
  while (at < scan->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
  return scan->end - at > 1 && *at == '$';
}

/* "4.1 1 8": version, whether numbers are binary, and the bytes of size_t; then the number 1. */
static bool header(struct op2i_gmsh *gmsh) {
  struct op2i_scan *scan = gmsh->scan;
  double version;
  int64_t binary, bytes, one;
  if (!op2i_scan_real(scan, "the version of the format", &version) ||
      !op2i_scan_int(scan, "the file type", &binary) ||
      !op2i_scan_int(scan, "the data size", &bytes))
    return false;
  if (!(version >= 2 && version < 3) && !(version > 4.05 && version < 4.15))
    return op2i_scan_fail(scan, "this is Gmsh's format %g; 2.0 to 2.2 and 4.1 can be read",
                          version);
  if (binary < 0 || binary > 1 || (bytes != 8 && bytes != 4))
    return op2i_scan_fail(scan, "the header of the file is damaged");
  gmsh->version = (int)version;
  gmsh->raw->repeats = gmsh->version == 2;
  gmsh->binary = binary == 1;
  scan->size_bytes = (int)bytes;
  if (!gmsh->binary) return true;
  op2i_scan_line(scan);
  scan->binary = true;
  if (!op2i_scan_int(scan, "the number one", &one)) return false;
  scan->swapped = one == 1 << 24;
  if (one != 1 && !scan->swapped) return op2i_scan_fail(scan, "the order of bytes is unknown");
  scan->binary = false;
  return true;
}

/* 1 7 "walls": dimension, number and name of a group. This section is never binary. */
static bool names(struct op2i_gmsh *gmsh) {
  struct op2i_scan *scan = gmsh->scan;
  int64_t n, dimension, tag;
  int32_t group;
  if (!op2i_scan_count(scan, "the number of groups", 4, &n)) return false;
  for (int64_t i = 0; i < n; i++) {
    if (!op2i_scan_int(scan, "the dimension of a group", &dimension) ||
        !op2i_scan_int(scan, "the number of a group", &tag))
      return false;
    if (dimension < 0 || dimension > 3)
      return op2i_scan_fail(scan, "a group has dimension %" PRId64, dimension);
    op2i_scan_space(scan);
    const char *name = scan->at + 1;
    const char *line = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    if (!line) line = scan->end;
    const char *end = line;
    while (end > name && end[-1] != '"') end--;
    if (line == scan->at || *scan->at != '"' || end - 1 < name)
      return op2i_scan_fail(scan, "the name of a group should be here, in quotation marks");
    if (memchr(name, '\0', (size_t)(end - 1 - name)))
      return op2i_scan_fail(scan, "the name of a group is damaged");
    if (!op2i_raw_group(gmsh->raw, (int32_t)dimension, tag, name, (size_t)(end - 1 - name), &group))
      return op2i_scan_nomem(scan);
    scan->at = line;
  }
  return true;
}

/* Skip a section that nothing is needed of, up to its last line. */
static bool skip(struct op2i_scan *scan, const char *end) {
  const char *at = memmem(scan->at, (size_t)(scan->end - scan->at), end, strlen(end));
  if (!at) return op2i_scan_fail(scan, "the section has no end (%s)", end);
  scan->at = at;
  return true;
}

static bool partitioned(struct op2i_gmsh *gmsh) {
  return op2i_scan_fail(gmsh->scan, "files that Gmsh has partitioned cannot be read: save the mesh "
                                    "as a whole, and let op2_partition() spread it over ranks");
}

static bool parametric(struct op2i_gmsh *gmsh) {
  return op2i_scan_fail(gmsh->scan, "nodes with parametric coordinates cannot be read in format 2: "
                                    "save the mesh without them, or in format 4.1");
}

static bool once(struct op2i_gmsh *gmsh, bool *has, const char *what) {
  if (*has) return op2i_scan_fail(gmsh->scan, "a second section of %s", what);
  *has = true;
  return true;
}

static bool nodes(struct op2i_gmsh *gmsh) {
  return once(gmsh, &gmsh->has_nodes, "nodes") &&
         (gmsh->version == 2 ? op2i_gmsh2_nodes(gmsh) : op2i_gmsh4_nodes(gmsh));
}

static bool elements(struct op2i_gmsh *gmsh) {
  return once(gmsh, &gmsh->has_elements, "elements") &&
         (gmsh->version == 2 ? op2i_gmsh2_elements(gmsh) : op2i_gmsh4_elements(gmsh));
}

static const struct section {
  const char *name, *end;
  bool (*read)(struct op2i_gmsh *gmsh);
  bool binary; /* in binary files */
} sections[] = {
    {"$MeshFormat", "$EndMeshFormat", header, false},
    {"$PhysicalNames", "$EndPhysicalNames", names, false},
    {"$Entities", "$EndEntities", op2i_gmsh4_entities, true},
    {"$PartitionedEntities", "$EndPartitionedEntities", partitioned, false},
    {"$Nodes", "$EndNodes", nodes, true},
    {"$ParametricNodes", "$EndParametricNodes", parametric, false},
    {"$Elements", "$EndElements", elements, true},
};

/* Read one section, from its first line to its last. */
static bool section(struct op2i_gmsh *gmsh) {
  struct op2i_scan *scan = gmsh->scan;
  char name[80], end[90];
  int length = 0;
  for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
    if (!op2i_scan_word(scan, sections[s].name)) continue;
    if (s && !gmsh->version) return op2i_scan_fail(scan, "$MeshFormat should come first");
    op2i_scan_line(scan);
    scan->binary = sections[s].binary && gmsh->binary;
    bool good = sections[s].read(gmsh);
    scan->binary = false;
    op2i_scan_space(scan);
    if (good && !op2i_scan_word(scan, sections[s].end))
      return op2i_scan_fail(scan, "%s should be here", sections[s].end);
    return good;
  }
  while (length < 70 && scan->at + length < scan->end && scan->at[length] > ' ') length++;
  if (length < 2 || *scan->at != '$') return op2i_scan_fail(scan, "a section should begin here");
  snprintf(name, sizeof name, "%.*s", length, scan->at);
  snprintf(end, sizeof end, "$End%s", name + 1);
  return skip(scan, end) && op2i_scan_word(scan, end);
}

bool op2i_gmsh_read(struct op2i_scan *scan, struct op2i_raw *raw) {
  struct op2i_gmsh gmsh = {.scan = scan, .raw = raw};
  bool good = true;
  op2i_scan_space(scan);
  while (good && scan->at < scan->end) {
    good = section(&gmsh);
    op2i_scan_space(scan);
  }
  if (good && (!gmsh.has_nodes || !gmsh.has_elements))
    good = op2i_scan_fail(scan, "the file ends, and there is no section of %s",
                          gmsh.has_nodes ? "elements" : "nodes");
  if (!good && !scan->status) op2i_scan_fail(scan, "a section is damaged");
  raw->op2->free(gmsh.entities);
  raw->op2->free(gmsh.groups);
  return good;
}
