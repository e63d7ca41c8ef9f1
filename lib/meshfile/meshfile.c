/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes from files: reading, what is known of them, and their end. */
#include "meshfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cgns.h"
#include "exodus.h"
#include "meshfile_formats.h"
#include "meshfile_spread.h"
#include "vtu_read.h"
#include "xdmf.h"

op2_status op2i_mesh_agree(op2_mesh mesh, op2_status status) {
  return mesh->comm ? mesh->op2->agree(mesh->comm, status) : status;
}

op2_status op2i_mesh_validate(op2_mesh mesh, const char *call) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!mesh || mesh->magic != OP2I_MESH_MAGIC)
    return op2->error(OP2_ERR_ARG, "%s: not a mesh", call);
  return op2->context_validate(mesh->ctx, call);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The root of an XML file says which format it is. */
static bool read_xml(struct op2i_scan *scan, struct op2i_raw *raw) {
  struct op2i_xml xml;
  bool good = op2i_xml_read(&xml, scan, "AppendedData");
  if (good && strcmp(xml.root->name, "VTKFile") == 0)
    good = op2i_vtu_read(&xml, raw);
  else if (good && strcmp(xml.root->name, "Xdmf") == 0)
    good = op2i_xdmf_read(&xml, raw);
  else if (good)
    good = op2i_xml_fail(&xml, xml.root, "this XML file is neither one of VTK nor of XDMF");
  op2i_xml_free(&xml);
  return good;
}

/* The groups and datasets of a file of HDF5 say which format it is. */
static bool read_tree(struct op2i_scan *scan, struct op2i_raw *raw) {
  struct op2i_tree tree;
  bool good = op2i_tree_open(&tree, scan, scan->path);
  if (good && op2i_cgns_recognise(&tree))
    good = op2i_cgns_read(&tree, raw);
  else if (good && op2i_exodus_recognise(&tree))
    good = op2i_exodus_read(&tree, raw);
  else if (good)
    good = op2i_tree_fail(&tree, "/", "this file of HDF5 is neither one of CGNS nor of Exodus");
  op2i_tree_close(&tree);
  return good;
}

static op2_status read_format(struct op2i_scan *scan, struct op2i_raw *raw) {
  bool good;
  if (op2i_gmsh_recognise(scan))
    good = op2i_gmsh_read(scan, raw);
  else if (op2i_xml_recognise(scan))
    good = read_xml(scan, raw);
  else if (op2i_tree_recognise(scan))
    good = read_tree(scan, raw);
  else if (op2i_netcdf_recognise(scan))
    good = op2i_exodus_classic_read(scan, raw);
  else if (op2i_su2_recognise(scan))
    good = op2i_su2_read(scan, raw);
  else
    return scan->op2->error(
        OP2_ERR_IO,
        "%s: neither a mesh of Gmsh nor one of SU2, VTK (.vtu, .pvtu), XDMF, CGNS "
        "or Exodus",
        scan->path);
  return good ? OP2_SUCCESS : scan->status;
}

/* Rank 0 reads the file. */
static op2_status read_file(op2_mesh mesh) {
  struct op2i_scan scan;
  if (op2_rank(mesh->ctx) > 0) return op2i_mesh_agree(mesh, OP2_SUCCESS);
  op2_status status = op2i_scan_open(&scan, mesh->op2, mesh->path);
  if (!status) status = read_format(&scan, &mesh->raw);
  op2i_scan_close(&scan);
  if (!status) status = op2i_raw_finish(&mesh->raw, mesh->path);
  return op2i_mesh_agree(mesh, status);
}

static op2_status make_mesh(const struct op2i_companion *op2, op2_context ctx, const char *path,
                            op2_mesh *out) {
  const size_t length = strlen(path) + 1;
  op2_mesh mesh = op2->calloc(1, sizeof *mesh + length);
  if (!mesh) return op2->error_nomem("a mesh");
  *mesh = (struct op2_mesh_s){.magic = OP2I_MESH_MAGIC,
                              .op2 = op2,
                              .methods = &op2i_mesh_methods,
                              .ctx = ctx,
                              .raw = {.op2 = op2},
                              .path = memcpy((char *)mesh + sizeof *mesh, path, length)};
  *out = mesh;
  return OP2_SUCCESS;
}

op2_status op2_mesh_read(op2_context ctx, const char *path, op2_mesh *out) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_comm *comm = NULL;
  op2_mesh mesh = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2->comm_of(ctx, "op2_mesh_read", &comm);
  if (status) return status;
  op2->call(ctx, "op2_mesh_read", path, 0, 0);
  if (!path || !out)
    status = op2->error(OP2_ERR_ARG, "op2_mesh_read: a null pointer");
  else
    status = make_mesh(op2, ctx, path, &mesh);
  if (comm) status = op2->agree(comm, status);
  if (status) {
    op2->free(mesh);
    return status;
  }
  mesh->comm = comm;
  op2->hold(ctx);
  status = read_file(mesh);
  if (!status) status = op2i_mesh_spread(mesh);
  if (!status) status = op2i_mesh_declare(mesh);
  if (status)
    op2_mesh_destroy(&mesh);
  else
    *out = mesh;
  return status;
}

void op2_mesh_destroy(op2_mesh *handle) {
  if (!handle || !*handle) return;
  op2_mesh mesh = *handle;
  *handle = NULL;
  if (mesh->magic != OP2I_MESH_MAGIC) return;
  const struct op2i_companion *op2 = mesh->op2;
  op2i_mesh_drop_faces(mesh);
  op2_map_destroy(&mesh->neighbours);
  op2_map_destroy(&mesh->edge_nodes);
  op2_set_destroy(&mesh->edges);
  op2_dat_destroy(&mesh->coordinates);
  op2_map_destroy(&mesh->cell_nodes);
  op2_set_destroy(&mesh->cells);
  op2_set_destroy(&mesh->nodes);
  op2i_raw_free(&mesh->raw);
  op2->let_go(mesh->ctx);
  mesh->magic = 0;
  op2->free(mesh);
}

/* ---- contents -------------------------------------------------------------------------------- */

op2_set op2_mesh_nodes(op2_mesh mesh) { return mesh ? mesh->nodes : NULL; }
op2_set op2_mesh_cells(op2_mesh mesh) { return mesh ? mesh->cells : NULL; }
op2_map op2_mesh_cell_nodes(op2_mesh mesh) { return mesh ? mesh->cell_nodes : NULL; }
op2_dat op2_mesh_coordinates(op2_mesh mesh) { return mesh ? mesh->coordinates : NULL; }

op2_status op2_mesh_info_get(op2_mesh mesh, op2_mesh_info *info) {
  op2_status status = op2i_mesh_validate(mesh, "op2_mesh_info_get");
  if (status) return status;
  if (!info) return mesh->op2->error(OP2_ERR_ARG, "op2_mesh_info_get: a null pointer");
  *info = mesh->info;
  return OP2_SUCCESS;
}
