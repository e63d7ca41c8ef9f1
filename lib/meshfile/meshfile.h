/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_H
#define OP2I_MESHFILE_H

/* A mesh that was read: this rank's share of what was in the file, and the objects that were declared
 * of it. */

#include "companion.h"
#include "meshfile_raw.h"
#include "op2/meshfile.h"
#include "op2/ranks.h"

/* This changes with the structs that libop2-hdf5 uses: those of this file and of vtu.h. */
#define OP2I_MESH_MAGIC UINT64_C(0x6f70326d65736834)

struct op2i_vtu_job;
struct op2i_vtu_grid;
struct op2i_vtu_writer;

/* libop2-hdf5 does not link to libop2-meshfile, and writes meshes by these functions: see below and
 * vtu.h. */
struct op2i_mesh_methods {
  op2_status (*validate)(op2_mesh mesh, const char *call);
  op2_status (*agree)(op2_mesh mesh, op2_status status);
  op2_status (*job_make)(op2_mesh mesh, const char *path, int n, const op2_dat *dats,
                         struct op2i_vtu_grid **grid, struct op2i_vtu_job **out);
  void (*job_free)(void *job);
  int (*arguments)(op2_mesh mesh, struct op2i_vtu_job *job, const op2_dat *dats, op2_arg *args);
  op2_status (*mixed)(op2_mesh mesh, int64_t *n, int64_t **out);
};
extern const struct op2i_mesh_methods op2i_mesh_methods; /* vtu.c */

struct op2_mesh_s {
  uint64_t magic;
  const struct op2i_companion *op2;
  const struct op2i_mesh_methods *methods;
  op2_context ctx;
  struct op2i_comm *comm; /* null: alone */
  char *path;
  struct op2i_raw raw; /* this rank's share */
  op2_mesh_info info;
  int64_t only_kind; /* the kind of all cells, or -1 if there are several */
  op2_set nodes, cells;
  op2_map cell_nodes;
  op2_dat coordinates;
  op2_set edges; /* null until op2_edges_create(), and the map as well */
  op2_map edge_nodes;
  op2_map neighbours;             /* null until op2_neighbours_create() */
  op2_faces faces;                /* null handles until op2_faces_create() */
  struct op2i_vtu_writer *writer; /* writes its files; null before the first one. The context's */
  int64_t *facet; /* the faces of this rank's elements of their dimension (faces_declare.c) */
};

/* Collective: a failure of one rank is one of all. */
op2_status op2i_mesh_agree(op2_mesh mesh, op2_status status);
/* A call on a mesh begins: null and an error if it is no mesh, or its context has ended. */
op2_status op2i_mesh_validate(op2_mesh mesh, const char *call);
/* This rank's block of n elements. */
void op2i_mesh_block(op2_mesh mesh, int64_t n, int64_t *first, int64_t *count);
/* Declare the sets, the map and the coordinates. Collective. */
op2_status op2i_mesh_declare(op2_mesh mesh);
/* Destroy what op2_faces_create() has made, if anything. */
void op2i_mesh_drop_faces(op2_mesh mesh);

#endif
