/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_MESHFILE_H
#define OP2_MESHFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/loop.h"
#include "op2/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file meshfile.h
 * Meshes from the files of mesh generators. These functions are in a library of their own,
 * libop2-meshfile (`pkg-config op2-meshfile`); op2.h does not include this header.
 *
 * op2_mesh_read() declares the sets and maps of a mesh from one of these files:
 *
 * - Gmsh's `.msh`, formats 2.0 to 2.2 and 4.1, as text and binary, in either order of bytes;
 * - SU2's native `.su2` files of one zone;
 * - VTK's `.vtu` and `.pvtu`, in all encodings but compression by LZ4 and LZMA, if the library was
 *   built with Expat, and with zlib or libdeflate for compressed arrays;
 * - XDMF's `.xdmf`, if it was built with Expat;
 * - CGNS in HDF5, of unstructured zones;
 * - Exodus II, in any version of netCDF.
 *
 * Files of HDF5 are read through libop2-hdf5, which is opened then, and need not be there otherwise.
 *
 * A file holds elements of several dimensions. Those of the highest one are the *cells*; the others
 * mark boundaries, curves and points. The mesh has a set of all nodes of the file, a set of all
 * cells, of one type or several, a map from cells to their nodes and a dat of coordinates. Nodes and
 * cells are numbered from 0 in the order of the file, whatever numbers the file gives them.
 *
 * Nodes of a cell are in the order of Gmsh: corners first, and those of elements of higher order
 * behind them.
 *
 * *Groups* are what the file gives a name: physical groups of Gmsh, whose number is the name where
 * they have none, markers of SU2, boundary conditions of CGNS and their families, blocks and sets of
 * Exodus, and the numbers in an array of integers on the cells of files of VTK and XDMF
 * that is called gmsh:physical, cell_tags, CellEntityIds, medit:ref, su2:tag, name_to_read or
 * MaterialIDs: the first of these that is there. Cells have no group where it is 0, except in the
 * last two. op2_mesh_group() makes subsets of them.
 *
 * With several ranks, rank 0 reads the file and sends each rank a block of the nodes and of the
 * elements of each dimension, which that rank declares by global numbers (op2/ranks.h) and keeps
 * until op2_mesh_destroy(). op2_partition() is the next call. The whole mesh is in the memory of
 * rank 0 alone, and only within op2_mesh_read(). Faces, edges and neighbours are found by all ranks
 * together, and have the same numbers on any number of ranks. */

typedef struct op2_mesh_s *op2_mesh; /**< a mesh that was read from a file */

/** Shapes of elements, of any order. */
typedef enum op2_cell_type {
  OP2_CELL_POINT,         /**< a node by itself */
  OP2_CELL_LINE,          /**< two corners */
  OP2_CELL_TRIANGLE,      /**< three corners */
  OP2_CELL_QUADRILATERAL, /**< four corners in a plane, or nearly so */
  OP2_CELL_TETRAHEDRON,   /**< four corners and as many triangles */
  OP2_CELL_PYRAMID,       /**< five corners: a quadrilateral and four triangles */
  OP2_CELL_PRISM,         /**< six corners: two triangles and three quadrilaterals */
  OP2_CELL_HEXAHEDRON     /**< eight corners and six quadrilaterals */
} op2_cell_type;

/** The contents of a mesh, the same on all ranks. */
typedef struct op2_mesh_info {
  int32_t dimension;    /**< of the cells: 1, 2 or 3 */
  int32_t space;        /**< coordinates of a node: 2 if it is a plane mesh with z = 0, else 3 */
  int64_t nodes;        /**< nodes, on all ranks */
  int64_t cells;        /**< cells, on all ranks */
  int64_t cells_of[8];  /**< of these, cells of each ::op2_cell_type */
  int32_t cell_nodes;   /**< the most nodes that a cell has: the arity of op2_mesh_cell_nodes() */
  int32_t groups;       /**< groups of elements of any dimension */
  int64_t unused_nodes; /**< nodes that belong to no cell */
  const void *reserved[4]; /**< null: room for later versions */
} op2_mesh_info;

/** A group of elements. */
typedef struct op2_mesh_group_info {
  const char *name;        /**< as in the file */
  int32_t dimension;       /**< of its elements */
  int64_t elements;        /**< as many as the file has, on all ranks */
  const void *reserved[4]; /**< null: room for later versions */
} op2_mesh_group_info;

/* ---- reading --------------------------------------------------------------------------------- */

/** @brief Read a mesh from a file and declare its sets, maps and coordinates. The contents of the
 * file decide which format it is.
 * @units  coordinates as in the file
 * @memory path is copied; the mesh is the caller's, until op2_mesh_destroy(). It keeps this rank's
 *         blocks of nodes and elements, 8 bytes for each number
 * @sync   runs nothing; waits for the file system
 * @mpi    collective: rank 0 reads the file, and each rank declares a block of every set
 * @errors OP2_ERR_ARG (null), OP2_ERR_STATE (no context), OP2_ERR_IO (no such file, an unknown
 *         format, a damaged file: with the line, or the byte in binary files, a node that an element
 *         has and the file has not), OP2_ERR_UNAVAILABLE
 *         (libop2-meshfile and libop2 of different builds; a format whose library this build lacks:
 *         the message has the package and the option), OP2_ERR_NOMEM; on error *mesh is untouched
 * @source Gmsh MSH file format; SU2 mesh file; VTK file formats; XDMF model and
 *         format; CGNS SIDS; Exodus II; Firedrake Mesh(), DMPlexCreateFromFile */
OP2_API OP2_NODISCARD op2_status op2_mesh_read(op2_context ctx, const char *path, op2_mesh *mesh);

/** @brief Give up a mesh, with the handles of sets, maps and dats that its functions have returned
 * as the mesh's. Loops that are queued keep what they use. Subsets that op2_mesh_group() has made
 * are the caller's and stay.
 * @memory frees what was read             @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none
 * @source op2 */
OP2_API void op2_mesh_destroy(op2_mesh *mesh);

/** @brief Get what a mesh consists of.
 * @units  elements                        @memory *info is the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective; numbers of all ranks
 * @errors OP2_ERR_ARG                     @source DMPlex */
OP2_API OP2_NODISCARD op2_status op2_mesh_info_get(op2_mesh mesh, op2_mesh_info *info);

/** @brief The set of nodes.
 * @memory the mesh's                      @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: null for a null handle
 * @source op2 */
OP2_API op2_set op2_mesh_nodes(op2_mesh mesh);

/** @brief The set of cells: the elements of the highest dimension.
 * @memory the mesh's                      @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: null for a null handle
 * @source op2 */
OP2_API op2_set op2_mesh_cells(op2_mesh mesh);

/** @brief The map from cells to their nodes. Its arity is the most nodes that a cell has; a cell that
 * has fewer has its last node again in the slots behind it, so that loops over all cells may read
 * through the map, and those that increment run over the subset of a type (op2_mesh_cells_of()).
 * @memory the mesh's                      @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: null for a null handle
 * @source op2 */
OP2_API op2_map op2_mesh_cell_nodes(op2_mesh mesh);

/** @brief The coordinates of the nodes, of type ::OP2_F64 and with op2_mesh_info.space values.
 * @units  as in the file                  @memory the mesh's
 * @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: null for a null handle
 * @source op2 */
OP2_API op2_dat op2_mesh_coordinates(op2_mesh mesh);

/** @brief Declare the subset of the cells of one type, empty if there are none. Loops over it use
 * the first slots of op2_mesh_cell_nodes(), as many as cells of this type have nodes.
 * @units  elements                        @memory the subset is the caller's
 * @sync   runs nothing                    @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_NOMEM; on error *subset is untouched
 * @source DMPlexGetCellType */
OP2_API OP2_NODISCARD op2_status op2_mesh_cells_of(op2_mesh mesh, op2_cell_type type,
                                                   op2_set *subset);

/* ---- groups ---------------------------------------------------------------------------------- */

/** @brief Get what is known of the i-th group, in the order of the file.
 * @units  elements                        @memory *info is the caller's, untouched on error; the
 *         name is the mesh's
 * @sync   never blocks, runs nothing      @mpi    not collective; numbers of all ranks
 * @errors OP2_ERR_ARG; OP2_ERR_RANGE past the last one
 * @source DMLabel */
OP2_API OP2_NODISCARD op2_status op2_mesh_group_get(op2_mesh mesh, int i,
                                                    op2_mesh_group_info *info);

/** @brief Declare the subset of the elements of a set of the mesh that are in a group. `of` is the
 * set of boundary faces (op2_faces_create()), for boundary conditions; that of interior faces; the
 * set of cells; or the set of nodes, for the nodes of all elements of the group: to fix values at a
 * wall. Groups of one name and several dimensions are one. If name is null, the elements are those
 * that are in no group: boundary faces without a condition, for example.
 *
 * The subset may be declared before op2_partition() or after it.
 * @units  elements                        @memory the subset is the caller's
 * @sync   runs nothing                    @mpi    collective
 * @errors OP2_ERR_ARG (null), OP2_ERR_NAME (no group of this name: the message has all names),
 *         OP2_ERR_MISMATCH (a set of another mesh, or a subset), OP2_ERR_NOMEM; on error *subset is
 *         untouched
 * @source DMLabel, Firedrake subdomain_id */
OP2_API OP2_NODISCARD op2_status op2_mesh_group(op2_mesh mesh, const char *name, op2_set of,
                                                op2_set *subset);

/* ---- faces ----------------------------------------------------------------------------------- */

/** The faces of the cells: edges in two dimensions. All handles are the mesh's. */
typedef struct op2_faces {
  op2_set interior;        /**< the faces between two cells */
  op2_map cells;           /**< [2] their cells, the one with the lower number first */
  op2_map nodes;           /**< [2 to 4] their corners */
  op2_set boundary;        /**< the faces of one cell only */
  op2_map boundary_cell;   /**< [1] this cell */
  op2_map boundary_nodes;  /**< [2 to 4] their corners */
  const void *reserved[4]; /**< null: room for later versions */
} op2_faces;

/** @brief Declare the faces of a mesh's cells as two sets with maps: those between two cells, and
 * those at the boundary. Each face is there once, also over ranks, in the order in which the cells
 * first have it. Called again it returns the same objects.
 *
 * The order of a face's corners has a meaning. In the plane, the first cell is on the left of the way
 * from corner 0 to corner 1, so that (y1 - y0, x0 - x1) is normal to the face, as long as it, and
 * points from the first cell to the second, or out of the mesh. In space, corners are
 * counterclockwise when seen from the second cell or from outside of the mesh, so that half of
 * (x2 - x0) x (x3 - x1) is the area vector, with that direction; if there are triangles among
 * quadrilaterals, their last corner is there twice, and the formula holds. This is so whether or not
 * the file has the corners of a cell in the order of positive area or volume. Cells of a curved
 * surface in space are taken as they are.
 *
 * Faces of elements of higher order have their corners only.
 * @units  elements
 * @memory *faces is the caller's, and what it holds the mesh's until op2_mesh_destroy()
 * @sync   runs nothing
 * @mpi    collective, best before op2_partition(): each rank declares a block of the faces
 * @errors OP2_ERR_ARG (null), OP2_ERR_MISMATCH (a face of three cells, or with a node twice: the
 *         message has the file's numbers of nodes and cells; an element of a group that should be a
 *         face and is none; cells that are lines), OP2_ERR_NOMEM; on error *faces is untouched
 * @source DMPlexGetSupport; OP2's airfoil: edges and bedges */
OP2_API OP2_NODISCARD op2_status op2_faces_create(op2_mesh mesh, op2_faces *faces);

/* ---- edges and neighbours -------------------------------------------------------------------- */

/** @brief Declare the edges of all cells, each once, as a set with a map to its two ends: for values
 * on edges, and loops that have control volumes around nodes. In the plane they are the interior and
 * boundary faces together. They are numbered in the order in which the cells first have them; the end
 * with the lower number comes first. Called again it returns the same objects.
 * @units  elements
 * @memory *edges and *nodes are the mesh's until op2_mesh_destroy()
 * @sync   runs nothing
 * @mpi    collective, best before op2_partition(): each rank declares a block
 * @errors OP2_ERR_ARG (null), OP2_ERR_MISMATCH (cells are lines), OP2_ERR_NOMEM; on error the outputs
 *         are untouched
 * @source DMPlex edges; OP2's aero and airfoil */
OP2_API OP2_NODISCARD op2_status op2_edges_create(op2_mesh mesh, op2_set *edges, op2_map *nodes);

/** @brief Declare the map from cells to their neighbours across faces. Its arity is the most faces
 * that a cell has. Neighbours come in the order of the faces between; the slots that are left, of
 * faces at the boundary or of cells with fewer faces, lead to the cell itself. Called again it
 * returns the same map.
 * @units  elements
 * @memory *neighbours is the mesh's until op2_mesh_destroy()
 * @sync   runs nothing
 * @mpi    collective, best before op2_partition(): each rank declares a block
 * @errors as op2_faces_create()           @source DMPlex adjacency */
OP2_API OP2_NODISCARD op2_status op2_neighbours_create(op2_mesh mesh, op2_map *neighbours);

/* ---- geometry -------------------------------------------------------------------------------- */

/** @brief Queue loops that compute the area or volume and the centroid of every cell, by its corners.
 * Use op2_mesh_geometry(), which fills in `where`. Volumes are never negative. In the plane both are
 * exact. In space a volume is that which the area vectors of the cell's faces enclose, from the mean of
 * each face's corners: exact if faces are plane, and so are centroids if faces of four corners are
 * parallelograms.
 * @units  those of the coordinates
 * @memory volume is on the cells, of type ::OP2_F64 and dim 1, centroid of dim op2_mesh_info.space;
 *         either may be null
 * @sync   as op2_par_loop_at()            @mpi    collective, after op2_partition()
 * @errors OP2_ERR_ARG (both null), OP2_ERR_UNAVAILABLE (cells are lines, or a surface in space), as
 *         op2_kernel_create() and op2_par_loop_at()
 * @source Firedrake CellVolume */
OP2_API OP2_NODISCARD op2_status op2_mesh_geometry_at(op2_where where, op2_mesh mesh,
                                                      op2_dat volume, op2_dat centroid);

/** Queue the computation of volumes and centroids of cells; see op2_mesh_geometry_at(). */
#define op2_mesh_geometry(mesh, volume, centroid)                                                  \
  op2_mesh_geometry_at(OP2_HERE, mesh, volume, centroid)

/** @brief Queue a loop that computes normals and centres of faces. Use op2_faces_geometry(), which
 * fills in `where`. A normal is as long as the face, or its area in space, and points from the first
 * cell to the second, or out of the mesh (op2_faces_create()); a centre is the mean of the corners.
 * @units  those of the coordinates
 * @memory both dats are on `of`, the set of interior faces or that of the boundary, of type
 *         ::OP2_F64 and dim op2_mesh_info.space; either may be null
 * @sync   as op2_par_loop_at()            @mpi    collective, after op2_partition()
 * @errors as op2_mesh_geometry_at(); OP2_ERR_MISMATCH (another set)
 * @source Firedrake FacetNormal */
OP2_API OP2_NODISCARD op2_status op2_faces_geometry_at(op2_where where, op2_mesh mesh, op2_set of,
                                                       op2_dat normal, op2_dat centre);

/** Queue the computation of normals and centres of faces; see op2_faces_geometry_at(). */
#define op2_faces_geometry(mesh, of, normal, centre)                                               \
  op2_faces_geometry_at(OP2_HERE, mesh, of, normal, centre)

/* ---- results --------------------------------------------------------------------------------- */

/** A series of files, one for each time. */
typedef struct op2_vtu_series_s *op2_vtu_series;

/** @brief Queue the writing of values on a mesh as a VTU file for ParaView. Use op2_vtu_write(),
 * which fills in `where`. The values are those that the dats have at this place of the queue: they are
 * copied when the queue runs, and a thread writes the file beside the loops that follow. It is
 * complete when op2_flush() or op2_finalize() returns. In eager mode it is written at once. Its name
 * ends in `.vtu`, which is added if it is not there.
 *
 * Dats are on nodes, and on one of the other sets: cells, interior faces or boundary faces, which
 * then are the cells of the file. Each has its name in the file; vectors of two components get a
 * third, which is 0. Numbers are appended as binary, and compressed where libop2-meshfile was built
 * with zlib. Elements of order two keep all their nodes, those of higher order their corners.
 *
 * With several ranks each writes a file STEM-r0.vtu, STEM-r1.vtu, ... of the elements that it owns,
 * and rank 0 STEM.pvtu, which refers to them.
 * @shape  dats[n]                         @units  values of the dats' types
 * @memory path and dats are copied; the connectivity and, while the file is written, all values
 *         are held as copies, those of one file at a time. A series keeps points and cells as they are
 *         in files. The mesh may be destroyed before the queue has run
 * @sync   as op2_call(): runs nothing, but in eager mode
 * @mpi    collective, after op2_partition(); all ranks see the same folder
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a dat of another set than these), OP2_ERR_STATE (before
 *         op2_partition()), OP2_ERR_IO (the file cannot be created), OP2_ERR_NOMEM; later, from
 *         op2_flush() or op2_finalize() on the rank that fails, OP2_ERR_CALL if it cannot be written,
 *         with the reason in the log (OP2_LOG=1) and its number, errno, in the message. A file of this
 *         name stays what it was until the new one is complete
 * @source VTK file formats, XML UnstructuredGrid; Firedrake VTKFile */
OP2_API OP2_NODISCARD op2_status op2_vtu_write_at(op2_where where, op2_mesh mesh, const char *path,
                                                  int n, const op2_dat *dats);

/** Queue the writing of dats on a mesh as a VTU file, `op2_vtu_write(mesh, path, n, dats)`; see
 * op2_vtu_write_at(). */
#define op2_vtu_write(mesh, path, n, ...) op2_vtu_write_at(OP2_HERE, mesh, path, n, __VA_ARGS__)

/** @brief Begin a series of VTU files: STEM-0000.vtu, STEM-0001.vtu, ..., and STEM.pvd, which has the
 * time of each and is what ParaView opens.
 * @memory path is copied; the mesh is kept by its handle, and must live as long as files are added
 * @sync   never blocks, runs nothing      @mpi    all ranks make the same series
 * @errors OP2_ERR_ARG, OP2_ERR_NOMEM; on error *series is untouched
 * @source ParaView .pvd; Firedrake VTKFile */
OP2_API OP2_NODISCARD op2_status op2_vtu_series_create(op2_mesh mesh, const char *path,
                                                       op2_vtu_series *series);

/** @brief Queue the writing of the next file of a series. Use op2_vtu_series_write(), which fills in
 * `where`. STEM.pvd is written anew behind each file. A file that could not be written
 * stays in the list of those that follow it.
 * @shape  dats[n]                         @units  time: the program's
 * @memory as op2_vtu_write_at()           @sync   as op2_vtu_write_at()
 * @mpi    collective
 * @errors as op2_vtu_write_at()           @source ParaView .pvd; Firedrake VTKFile.write */
OP2_API OP2_NODISCARD op2_status op2_vtu_series_write_at(op2_where where, op2_vtu_series series,
                                                         double time, int n, const op2_dat *dats);

/** Queue the writing of the next file of a series, `op2_vtu_series_write(series, time, n, dats)`;
 * see op2_vtu_series_write_at(). */
#define op2_vtu_series_write(series, time, n, ...)                                                 \
  op2_vtu_series_write_at(OP2_HERE, series, time, n, __VA_ARGS__)

/** @brief Give up a series. Files that are queued will be written.
 * @memory frees the series                @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none
 * @source op2 */
OP2_API void op2_vtu_series_destroy(op2_vtu_series *series);

#ifdef __cplusplus
}
#endif
#endif
