/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged mesh files are errors with the place of the damage, and never crash: files that are cut
 * short at each byte, files with other bytes and other numbers, and mistakes with known messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2/meshfile.h"
#include "support.h"

static op2_context ctx;
static char damaged[600];

static char *load(const char *name, size_t *size) {
  char path[600];
  snprintf(path, sizeof path, "%s/test/mesh/meshes/%s", source_root(), name);
  FILE *file = fopen(path, "rb");
  char *data = malloc(1 << 16);
  *size = file ? fread(data, 1, 1 << 16, file) : 0;
  if (file) fclose(file);
  return data;
}

/* Faces and all else of a mesh that was read are made, or refused because of its cells. */
static bool derive(op2_mesh mesh) {
  op2_faces faces;
  op2_set edges = NULL;
  op2_map map = NULL;
  const op2_status status[] = {op2_faces_create(mesh, &faces), op2_edges_create(mesh, &edges, &map),
                               op2_neighbours_create(mesh, &map)};
  for (int s = 0; s < 3; s++)
    if (status[s] && status[s] != OP2_ERR_MISMATCH) return false;
  return status[0] == status[2] || status[0] == OP2_ERR_MISMATCH;
}

/* Read a file of these bytes. True if that is a success, or an error of the file that names it. */
static bool tame(const char *data, size_t size, op2_status *status) {
  op2_mesh mesh = NULL;
  FILE *file = fopen(damaged, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file)) return false;
  *status = op2_mesh_read(ctx, damaged, &mesh);
  const bool good = *status == OP2_SUCCESS ? mesh != NULL
                                           : *status == OP2_ERR_IO && !mesh &&
                                                 strstr(op2_error_message(), damaged) != NULL;
  if (!good) diag("%s", op2_error_message());
  const bool derived = !mesh || derive(mesh);
  op2_mesh_destroy(&mesh);
  return good && derived;
}

static uint64_t state = 12345;
static uint64_t next_random(uint64_t n) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (state >> 33) % n;
}

static void cut_short(const char *name, const char *data, size_t size) {
  int bad = 0, good = 0;
  op2_status status;
  const size_t stride = quick() ? 7 : 1;
  for (size_t length = 0; length < size; length += stride) {
    bad += !tame(data, length, &status);
    good += status == OP2_SUCCESS;
  }
  is_int(bad, 0, "%s: cut short at each byte", name);
  /* White space at the end may go, and in SU2's files the markers as a whole. */
  /* In this Exodus file times come last, 16 bytes. */
  const int most = strstr(name, ".su2") ? 6 : strstr(name, ".e") ? 16 : 1;
  ok(good <= most, "%s: %d of the short files are read", name, good);
}

/* Change a byte, a run of bytes, or a digit; or repeat, or drop, a piece. */
static size_t damage(char *data, size_t size) {
  const size_t at = next_random(size), piece = 1 + next_random(20);
  switch (next_random(5)) {
  case 0: data[at] = (char)next_random(256); break;
  case 1:
    for (size_t i = at; i < at + piece && i < size; i++)
      data[i] = (char)(next_random(2) ? 0xff : 0);
    break;
  case 2:
    for (size_t i = at; i < size; i++)
      if (data[i] >= '0' && data[i] <= '9') {
        data[i] = (char)('0' + next_random(10));
        break;
      }
    break;
  case 3:
    if (at + piece >= size) break;
    memmove(data + at, data + at + piece, size - at - piece);
    return size - piece;
  default: memmove(data + at + piece, data + at, size - at); return size + piece;
  }
  return size;
}

static void flipped(const char *name, const char *data, size_t size) {
  const int tries = quick() ? 300 : thorough() ? 20000 : 1000;
  char *copy = malloc(size + 400);
  int bad = 0, refused = 0;
  op2_status status;
  for (int t = 0; t < tries; t++) {
    size_t length = size;
    memcpy(copy, data, size);
    for (uint64_t n = 1 + next_random(3); n > 0; n--) length = damage(copy, length);
    bad += !tame(copy, length, &status);
    refused += status != OP2_SUCCESS;
  }
  is_int(bad, 0, "%s: %d damaged files, of which %d are refused", name, tries, refused);
  free(copy);
}

static void says(const char *text, const char *words) {
  op2_status status = OP2_SUCCESS;
  const bool good = tame(text, strlen(text), &status) && status == OP2_ERR_IO &&
                    strstr(op2_error_message(), words);
  ok(good, "%s: %s", words, status ? op2_error_message() : "read");
}

#define HEAD  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n3\n5 0 0 0\n7 1 0 0\n9 0 1 0\n$EndNodes\n"

#define VTU(attributes, inside)                                                                    \
  "<VTKFile type='UnstructuredGrid'" attributes ">\n<UnstructuredGrid>\n" inside                   \
  "</UnstructuredGrid>\n</VTKFile>\n"
#define ARRAY(type, name, values)                                                                  \
  "<DataArray type='" type "' Name='" name "' format='ascii'>" values "</DataArray>\n"
#define PIECE(points, inside)                                                                      \
  "<Piece NumberOfPoints='" points "' NumberOfCells='1'>\n" inside "</Piece>\n"
#define POINTS "<Points>" ARRAY("Float64", "Points", "0 0 0 1 0 0 0 1 0") "</Points>\n"
#define CELLS(type, ends, nodes)                                                                   \
  "<Cells>" ARRAY("Int32", "connectivity", nodes) ARRAY("Int32", "offsets", ends)                  \
      ARRAY("UInt8", "types", type) "</Cells>\n"

#define XDMF(type, cells, geometry, points, nodes)                                                 \
  "<Xdmf Version='3.0'>\n<Domain><Grid>\n<Topology TopologyType='" type                            \
  "'><DataItem Dimensions='" cells "' Format='XML'>" nodes                                         \
  "</DataItem></Topology><Geometry GeometryType='" geometry "'><DataItem Dimensions='" points      \
  "' Format='XML'>0 0 0 1 0 0 0 1 0</DataItem></Geometry></Grid></Domain></Xdmf>"

#ifdef OP2_MESHFILE_EXPAT
static void xml_messages(void) {
  op2_status status;
  const char *good = VTU("", PIECE("3", POINTS CELLS("5", "3", "0 1 2")));
  ok(tame(good, strlen(good), &status) && status == OP2_SUCCESS, "a file without mistakes is read");
  says("<html>\n</html>\n", ":1: this XML file is neither one of VTK nor of XDMF");
  says("<VTKFile type='PolyData'></VTKFile>", "VTK's type PolyData");
  says("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "entities that a file declares are not read");
  says("<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>", "attributes that a file declares");
  says("<VTKFile type='UnstructuredGrid'>\n<a>\n</b>", ":3: mismatched tag");
  says(VTU(" byte_order='Middle'", ""), "the order of bytes 'Middle'");
  says(VTU(" header_type='Int8'", ""), "headers of type 'Int8'");
  says(VTU(" compressor='vtkLZ4DataCompressor'", ""), "compressed by vtkLZ4DataCompressor");
  says(VTU("", "<Piece NumberOfPoints='-1' NumberOfCells='0'/>"),
       "NumberOfPoints of <Piece> is '-1'");
  says(VTU("", PIECE("3", "")), "the piece has no points");
  says(VTU("", PIECE("4", POINTS CELLS("5", "3", "0 1 2"))),
       "there should be 12 numbers of Points");
  says(VTU("", PIECE("2", POINTS CELLS("5", "3", "0 1 2"))),
       "there are more than 6 numbers of Points");
  says(VTU("", PIECE("9999999999999999", POINTS)), "there should be 29999999999999997 numbers");
  says(VTU("", PIECE("3", POINTS CELLS("5", "3", "0 1 3"))), "cell 0 has point 3 of 3");
  says(VTU("", PIECE("3", POINTS CELLS("5", "2", "0 1"))), "VTK's type 5 with 2 nodes");
  says(VTU("", PIECE("3", POINTS CELLS("42", "3", "0 1 2"))), "VTK's type 42 with 3 nodes");
  says(VTU("", PIECE("3", POINTS CELLS("5", "-3", "0 1 2"))), "the offset of cell 0 is damaged");
  says(VTU("", PIECE("3", POINTS CELLS("5", "3.5", "0 1 2"))), "'3.5' is where offsets should be");
  says(XDMF("Triangle", "3", "XYZ", "3 3", "0 1 2 3"),
       ":3: there are more than 3 numbers of a DataItem");
  says(XDMF("Triangle", "3", "XYZ", "3 3", "0 1 3"), "cell 0 has point 3 of 3");
  says(XDMF("Triangle", "3", "XYZ", "3 2", "0 1 2"), "there are more than 6 numbers");
  says(XDMF("Triangle", "3", "VXVYVZ", "3 3", "0 1 2"), "a geometry of type 'VXVYVZ'");
  says(XDMF("Triangle", "3 x", "XYZ", "3 3", "0 1 2"), "the Dimensions are '3 x'");
  says(XDMF("Triangle", "99999999999 99999999999", "XYZ", "3 3", ""), "the Dimensions are '999");
  says(XDMF("3DSMesh", "3", "XYZ", "3 3", "0 1 2"), "a topology of type '3DSMesh'");
  says(XDMF("Triangle' BaseOffset='1", "3", "XYZ", "3 3", "1 2 0"), "with a BaseOffset");
  says(XDMF("Triangle' Order='0 2 1", "3", "XYZ", "3 3", "0 1 2"), "with an Order of its own");
  says("<Xdmf><Domain><Grid><Topology Type='Triangle'><DataItem Dimensions='3' Format='Binary' "
       "Compression='Zlib'>x</DataItem></Topology><Geometry><DataItem Dimensions='3 3'>"
       "0 0 0 1 0 0 0 1 0</DataItem></Geometry></Grid></Domain></Xdmf>",
       "a DataItem with compression by 'Zlib'");
  says(XDMF("Mixed", "4", "XYZ", "3 3", "77 0 1 2"), "element 0 is of type 77");
  says(XDMF("Mixed", "4", "XYZ", "3 3", "5 0 1 2"), "the last element has too few nodes");
  says("<Xdmf Version='3.0'><Domain/></Xdmf>", "there is no grid with a topology");
}
#endif

static void messages(void) {
  says("", "neither a mesh of Gmsh nor one of SU2");
  says("solid cube\n", "neither a mesh of Gmsh nor one of SU2");
  says("$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", ":2: this is Gmsh's format 3");
  says("$MeshFormat\n4 0 8\n$EndMeshFormat\n", ":2: this is Gmsh's format 4");
  says("$Nodes\n0\n", ":1: $MeshFormat should come first");
  says(HEAD NODES, "there is no section of elements");
  says(HEAD "$Nodes\n2\n5 0 0 0\n7 1 x 0\n", ":7: 'x' is where a coordinate should be");
  says(HEAD "$Nodes\n2\n5 0 0 0\n7 1 nan 0\n", ":7: 'nan' is where a coordinate should be");
  says(HEAD "$Nodes\n900\n5 0 0 0\n", ":5: the number of nodes is 900, which");
  says(HEAD "$Nodes\n-1\n5 0 0 0\n", ":5: the number of nodes is -1, which");
  says(HEAD "$Nodes\n2\n5 0 0 0\n5 1 0 0\n$EndNodes\n$Elements\n1\n1 1 0 5 5\n$EndElements\n",
       "node 5 is there twice");
  says(HEAD NODES "$Elements\n1\n4 2 2 1 1 5 7 8\n$EndElements\n",
       "element 4 has node 8, which is not in the file");
  says(HEAD NODES "$Elements\n1\n4 2 2 1 1 5 7\n$EndElements\n",
       ":13: '$EndElements' is where a node of an element should be");
  says(HEAD NODES "$Elements\n1\n4 77 2 1 1 5 7 9\n$EndElements\n",
       ":12: elements of Gmsh's type 77 are not known");
  says(HEAD NODES "$Elements\n1\n4 2 2 1 1 5 7 9\nElements\n", ":13: $EndElements should be here");
  says(HEAD NODES NODES, "a second section of nodes");
  says(HEAD "$Periodic\n1\n", "the section has no end ($EndPeriodic)");
  says("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PartitionedEntities\n", "op2_partition()");
  says(HEAD "$ParametricNodes\n3\n", ":5: nodes with parametric coordinates");
#ifdef OP2_MESHFILE_EXPAT
  xml_messages();
#endif
  says("NDIME= 4\n", ":1: the dimension is 4");
  says("NDIME= 2\nNELEM= 1\n5 0 1\n", ":3: the element has too few nodes");
  says("NDIME= 2\nNELEM= 1\n12 0 1\n", ":3: an element of type 12 among those of dimension 2");
  says("NELEM= 1\nNDIME= 2\n", ":1: NDIME should come before NELEM");
  says("NDIME= 2\nNPOIN= 1\n0 0\nNELEM= 0\n", "has no cells");
  says("NDIME= 2\nNPOIN= 1\n0 0\n0 0\n", ":4: a keyword should be here");
  says("NZONE= 2\nNDIME= 2\n", ":1: files of several zones cannot be read");
}

int main(void) {
  static const char *const files[] = {"plane-2.msh",  "plane-2b.msh", "solid-4.msh",
                                      "solid-4b.msh", "plane-4.msh",  "plane-4b.msh",
#ifdef OP2_MESHFILE_EXPAT
                                      "plane.vtu",    "plane-b.vtu",
#endif
                                      "solid.su2",    "plane.e"};
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  test_environment();
  snprintf(damaged, sizeof damaged, "%s/damaged.mesh", test_scratch());
  if (!CHECK(op2_init(&options, &ctx))) return done();
  messages();
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    size_t size;
    char *data = load(files[f], &size);
    ok(size > 0, "%s is there", files[f]);
    if (size) cut_short(files[f], data, size);
    if (size) flipped(files[f], data, size);
    free(data);
  }
  CHECK(op2_finalize(&ctx));
  return done();
}
