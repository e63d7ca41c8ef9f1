/* SPDX-License-Identifier: BSD-3-Clause */
/* When a VTU file is asked for, its cells, points, names and dats are put into a job. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mesh_mail.h"
#include "op2/query.h"
#include "vtu.h"

char *op2i_vtu_join(const struct op2i_companion *op2, const char *text, const char *more) {
  const size_t first = strlen(text), second = strlen(more);
  char *both = op2->calloc(first + second + 1, 1);
  if (!both) return NULL;
  memcpy(both, text, first);
  memcpy(both + first, more, second);
  return both;
}

void op2i_vtu_grid_drop(const struct op2i_companion *op2, struct op2i_vtu_grid *grid) {
  if (!grid || --grid->refs > 0) return;
  void *const memory[] = {grid->point,         grid->connectivity,  grid->offset,
                          grid->type,          grid->coded[0].data, grid->coded[1].data,
                          grid->coded[2].data, grid->coded[3].data};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) op2->free(memory[i]);
  op2->free(grid);
}

void op2i_vtu_job_free(void *data) {
  struct op2i_vtu_job *job = data;
  if (!job) return;
  const struct op2i_companion *op2 = job->op2;
  if (job->part && !job->written) unlink(job->part);
  if (job->file) fclose(job->file);
  op2i_vtu_grid_drop(op2, job->grid);
  void *const memory[] = {job->path,   job->part,    job->index, job->stem,
                          job->series, job->entries, job->dats,  job->arrays};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) op2->free(memory[i]);
  op2->free(job);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The stem is the path without ".vtu" or ".pvtu"; pieces of several ranks are STEM-r0.vtu and so on. */
static op2_status make_names(struct op2i_vtu_job *job, const char *path) {
  char end[40] = ".vtu";
  size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".vtu") == 0) length -= 4;
  if (length > 5 && strcmp(path + length - 5, ".pvtu") == 0) length -= 5;
  job->stem = op2i_vtu_join(job->op2, path, "");
  if (!job->stem) return job->op2->error_nomem("a file of results");
  job->stem[length] = '\0';
  if (job->ranks > 1) snprintf(end, sizeof end, "-r%d.vtu", op2_rank(job->ctx));
  job->path = op2i_vtu_join(job->op2, job->stem, end);
  if (job->path) job->part = op2i_vtu_join(job->op2, job->path, ".op2-part");
  if (job->ranks > 1 && op2_rank(job->ctx) == 0)
    job->index = op2i_vtu_join(job->op2, job->stem, ".pvtu");
  if (!job->part || (job->ranks > 1 && op2_rank(job->ctx) == 0 && !job->index))
    return job->op2->error_nomem("a file of results");
  FILE *file = fopen(job->part, "wb");
  if (!file)
    return job->op2->error(OP2_ERR_IO, "%s: cannot be created (%s)", job->path, strerror(errno));
  fclose(file);
  return OP2_SUCCESS;
}

/* ---- dats ------------------------------------------------------------------------------------ */

/* *of is the set whose elements are the cells of the file: that of a dat which is not on nodes. */
static op2_status make_dats(op2_mesh mesh, struct op2i_vtu_job *job, const op2_dat *dats,
                            op2_set *of) {
  job->dats = job->op2->calloc((size_t)job->ndats + 1, sizeof *job->dats);
  if (!job->dats) return job->op2->error_nomem("a file of results");
  for (int d = 0; d < job->ndats; d++) {
    op2_dat_info info = {0};
    op2_status status = op2_dat_info_get(dats[d], &info);
    if (status) return status;
    const bool known = info.set == mesh->nodes || info.set == mesh->cells ||
                       (mesh->faces.interior &&
                        (info.set == mesh->faces.interior || info.set == mesh->faces.boundary));
    if (!known || (*of && info.set != mesh->nodes && info.set != *of))
      return job->op2->error(OP2_ERR_MISMATCH,
                             "op2_vtu_write: dat '%s' is neither on the nodes of %s nor on the set "
                             "of the other dats of the file",
                             info.name, mesh->path);
    if (info.set != mesh->nodes) *of = info.set;
    snprintf(job->dats[d].name, sizeof job->dats[d].name, "%s", info.name);
    job->dats[d].type = info.type;
    job->dats[d].dim = info.dim;
    job->dats[d].on_nodes = info.set == mesh->nodes;
  }
  if (!*of) *of = mesh->cells;
  return OP2_SUCCESS;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* These are read from the mesh's objects: the nodes of elements, which elements of the whole set they
 * are, and the kinds of cells. */
struct source {
  op2_set of;
  int arity;
  int32_t *entry;
  int64_t *number;
  uint8_t *kind;
};

/* Find the kinds of the cells that this rank has now. Collective. */
static op2_status find_kinds(op2_mesh mesh, op2_status status, int64_t n,
                             const struct source *source) {
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  if (source->of != mesh->cells) return status;
  if (mesh->only_kind < 0)
    return op2i_mesh_fetch(mesh, status, cells->total, 1, cells->kind, status ? 0 : n,
                           source->number, source->kind);
  if (!status) memset(source->kind, (int)mesh->only_kind, (size_t)n);
  return status;
}

static op2_status read_source(op2_mesh mesh, struct op2i_vtu_grid *grid, struct source *source) {
  const op2_set of = source->of;
  const op2_map map = of == mesh->cells            ? mesh->cell_nodes
                      : of == mesh->faces.boundary ? mesh->faces.boundary_nodes
                                                   : mesh->faces.nodes;
  op2_map_info info = {0};
  int64_t ends[4] = {0};
  op2_status status = op2_map_info_get(map, &info);
  if (!status) status = op2_set_sections(of, ends);
  source->arity = info.arity;
  grid->ncells = op2_set_size(of);
  source->entry = mesh->op2->calloc((size_t)(grid->ncells * info.arity) + 1, sizeof *source->entry);
  source->number = mesh->op2->calloc((size_t)ends[3] + 1, sizeof *source->number);
  source->kind = mesh->op2->calloc((size_t)grid->ncells + 1, 1);
  if (!status && (!source->entry || !source->number || !source->kind))
    status = mesh->op2->error_nomem("a file of results");
  if (!status) status = op2_map_get(map, source->entry);
  if (!status) status = op2_set_global(of, source->number);
  return find_kinds(mesh, status, grid->ncells, source);
}

/* The nodes of an element in VTK's order; returns VTK's number of its kind. */
static uint8_t order_nodes(op2_mesh mesh, const struct source *source, int64_t element,
                           int64_t *nodes, int *n) {
  static const uint8_t faces[] = {0, 0, 3, 5, 9};
  const int32_t *entry = source->entry + element * source->arity;
  if (source->of == mesh->cells) {
    const struct op2i_cell_kind *kind = &op2i_cell_kinds[source->kind[element]];
    for (*n = 0; *n < kind->vtk_nodes; ++*n)
      nodes[*n] = entry[kind->reorder ? kind->reorder[*n] : *n];
    return kind->vtk;
  }
  for (*n = 0; *n < source->arity; ++*n) nodes[*n] = entry[*n];
  if (*n > 2 && nodes[*n - 1] == nodes[*n - 2]) --*n;
  return faces[*n];
}

static op2_status make_cells(op2_mesh mesh, struct op2i_vtu_grid *grid,
                             const struct source *source) {
  int64_t nodes[OP2I_ORDER_MOST], end = 0;
  int n;
  grid->connectivity = mesh->op2->calloc((size_t)(grid->ncells * source->arity) + 1, sizeof *nodes);
  grid->offset = mesh->op2->calloc((size_t)grid->ncells + 1, sizeof *grid->offset);
  grid->type = mesh->op2->calloc((size_t)grid->ncells + 1, 1);
  if (!grid->connectivity || !grid->offset || !grid->type)
    return mesh->op2->error_nomem("a file of results");
  for (int64_t e = 0; e < grid->ncells; e++) {
    grid->type[e] = order_nodes(mesh, source, e, nodes, &n);
    memcpy(grid->connectivity + end, nodes, (size_t)n * sizeof *nodes);
    grid->offset[e] = end += n;
  }
  return OP2_SUCCESS;
}

/* Points are the nodes that the file's cells have; all nodes if there is one rank. */
static op2_status make_points(op2_mesh mesh, struct op2i_vtu_grid *grid) {
  int64_t ends[4] = {0}, *point, n = grid->ncells ? grid->offset[grid->ncells - 1] : 0;
  const int ranks = op2_ranks(mesh->ctx);
  op2_status status = op2_set_sections(mesh->nodes, ends);
  if (status) return status;
  grid->point = mesh->op2->calloc((size_t)ends[3] + 1, sizeof *grid->point);
  point = mesh->op2->calloc((size_t)ends[3] + 1, sizeof *point);
  if (grid->point && point) {
    for (int64_t i = 0; i < n; i++) point[grid->connectivity[i]] = 1;
    for (int64_t i = 0; i < ends[3]; i++)
      if (point[i] || ranks == 1) {
        grid->point[grid->npoints] = i;
        point[i] = grid->npoints++;
      }
    for (int64_t i = 0; i < n; i++) grid->connectivity[i] = point[grid->connectivity[i]];
  } else
    status = mesh->op2->error_nomem("a file of results");
  mesh->op2->free(point);
  return status;
}

/* Make the points and cells of a file. Collective. */
static op2_status make_grid(op2_mesh mesh, op2_set of, struct op2i_vtu_grid **out) {
  struct source source = {.of = of};
  struct op2i_vtu_grid *grid = mesh->op2->calloc(1, sizeof *grid);
  op2_status made =
      op2i_mesh_agree(mesh, grid ? OP2_SUCCESS : mesh->op2->error_nomem("a file of results"));
  if (made) {
    mesh->op2->free(grid);
    return made;
  }
  grid->refs = 1;
  grid->of = of;
  grid->changes = op2_dat_changes(mesh->coordinates);
  op2_status status = read_source(mesh, grid, &source);
  if (!status) status = make_cells(mesh, grid, &source);
  if (!status) status = make_points(mesh, grid);
  mesh->op2->free(source.entry);
  mesh->op2->free(source.number);
  mesh->op2->free(source.kind);
  if (status)
    op2i_vtu_grid_drop(mesh->op2, grid);
  else
    *out = grid;
  return status;
}

/* Let a job use the grid that is kept, if it is one of the same elements, or else a new one: on all
 * ranks if on any. */
static op2_status use_grid(op2_mesh mesh, struct op2i_vtu_job *job, op2_set of,
                           struct op2i_vtu_grid **kept) {
  struct op2i_vtu_grid *grid = kept ? *kept : NULL;
  int64_t anew = !grid || grid->of != of || grid->ncells != op2_set_size(of);
  op2_status status = OP2_SUCCESS;
  if (mesh->comm) status = mesh->op2->greatest(mesh->comm, 1, &anew);
  if (status) return status;
  if (anew) {
    status = make_grid(mesh, of, &grid);
    if (status) return status;
    if (kept) {
      op2i_vtu_grid_drop(mesh->op2, *kept);
      *kept = grid;
      grid->refs++;
    }
  } else
    grid->refs++;
  job->grid = grid;
  job->npoints = grid->npoints;
  job->ncells = grid->ncells;
  job->point = grid->point;
  job->connectivity = grid->connectivity;
  job->offset = grid->offset;
  job->type = grid->type;
  job->moved = op2_dat_changes(mesh->coordinates) != grid->changes;
  return OP2_SUCCESS;
}

op2_status op2i_vtu_job_make(op2_mesh mesh, const char *path, int n, const op2_dat *dats,
                             struct op2i_vtu_grid **kept, struct op2i_vtu_job **out) {
  op2_set of = NULL;
  struct op2i_vtu_job *job = mesh->op2->calloc(1, sizeof *job);
  op2_status status =
      op2i_mesh_agree(mesh, job ? OP2_SUCCESS : mesh->op2->error_nomem("a file of results"));
  if (status) {
    mesh->op2->free(job);
    return status;
  }
  *job = (struct op2i_vtu_job){.op2 = mesh->op2,
                               .ctx = mesh->ctx,
                               .ranks = op2_ranks(mesh->ctx),
                               .space = mesh->raw.space,
                               .ndats = n};
  status = op2i_mesh_agree(mesh, make_dats(mesh, job, dats, &of));
  if (!status) status = use_grid(mesh, job, of, kept);
  if (!status && path) status = op2i_vtu_writer_get(mesh, &job->writer);
  if (!status && path) status = make_names(job, path);
  if (status)
    op2i_vtu_job_free(job);
  else
    *out = job;
  return status;
}
