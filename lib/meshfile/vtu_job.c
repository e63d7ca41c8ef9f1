/* SPDX-License-Identifier: BSD-3-Clause */
/* When a VTU file is asked for, its cells, points, names and dats are put into a job. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void op2i_vtu_job_free(void *data) {
  struct op2i_vtu_job *job = data;
  if (!job) return;
  const struct op2i_companion *op2 = job->op2;
  if (job->part && !job->written) unlink(job->part);
  void *const memory[] = {job->path,   job->part,    job->index, job->stem,
                          job->series, job->entries, job->point, job->connectivity,
                          job->offset, job->type,    job->dats};
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

/* These are read from the mesh's objects: the nodes of elements, and which elements of the whole set
 * they are. */
struct source {
  op2_set of;
  int arity;
  int32_t *entry;
  int64_t *number;
};

static op2_status read_source(op2_mesh mesh, struct op2i_vtu_job *job, struct source *source) {
  const op2_set of = source->of;
  const op2_map map = of == mesh->cells            ? mesh->cell_nodes
                      : of == mesh->faces.boundary ? mesh->faces.boundary_nodes
                                                   : mesh->faces.nodes;
  op2_map_info info = {0};
  int64_t ends[4] = {0};
  op2_status status = op2_map_info_get(map, &info);
  if (!status) status = op2_set_sections(of, ends);
  if (status) return status;
  source->arity = info.arity;
  job->ncells = op2_set_size(of);
  source->entry = job->op2->calloc((size_t)(job->ncells * info.arity) + 1, sizeof *source->entry);
  source->number = job->op2->calloc((size_t)ends[3] + 1, sizeof *source->number);
  if (!source->entry || !source->number) return job->op2->error_nomem("a file of results");
  status = op2_map_get(map, source->entry);
  return status ? status : op2_set_global(of, source->number);
}

/* The nodes of an element in VTK's order; returns VTK's number of its kind. */
static uint8_t order_nodes(op2_mesh mesh, const struct source *source, int64_t element,
                           int64_t *nodes, int *n) {
  static const uint8_t faces[] = {0, 0, 3, 5, 9};
  const int32_t *entry = source->entry + element * source->arity;
  if (source->of == mesh->cells) {
    const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
    const struct op2i_cell_kind *kind = &op2i_cell_kinds[cells->kind[source->number[element]]];
    for (*n = 0; *n < kind->vtk_nodes; ++*n)
      nodes[*n] = entry[kind->reorder ? kind->reorder[*n] : *n];
    return kind->vtk;
  }
  for (*n = 0; *n < source->arity; ++*n) nodes[*n] = entry[*n];
  if (*n > 2 && nodes[*n - 1] == nodes[*n - 2]) --*n;
  return faces[*n];
}

static op2_status make_cells(op2_mesh mesh, struct op2i_vtu_job *job, const struct source *source) {
  int64_t nodes[OP2I_ORDER_MOST], end = 0;
  int n;
  job->connectivity = job->op2->calloc((size_t)(job->ncells * source->arity) + 1, sizeof *nodes);
  job->offset = job->op2->calloc((size_t)job->ncells + 1, sizeof *job->offset);
  job->type = job->op2->calloc((size_t)job->ncells + 1, 1);
  if (!job->connectivity || !job->offset || !job->type)
    return job->op2->error_nomem("a file of results");
  for (int64_t e = 0; e < job->ncells; e++) {
    job->type[e] = order_nodes(mesh, source, e, nodes, &n);
    memcpy(job->connectivity + end, nodes, (size_t)n * sizeof *nodes);
    job->offset[e] = end += n;
  }
  return OP2_SUCCESS;
}

/* Points are the nodes that the file's cells have; all nodes if there is one rank. */
static op2_status make_points(op2_mesh mesh, struct op2i_vtu_job *job) {
  int64_t ends[4] = {0}, *point, n = job->ncells ? job->offset[job->ncells - 1] : 0;
  op2_status status = op2_set_sections(mesh->nodes, ends);
  if (status) return status;
  job->point = job->op2->calloc((size_t)ends[3] + 1, sizeof *job->point);
  point = job->op2->calloc((size_t)ends[3] + 1, sizeof *point);
  if (job->point && point) {
    for (int64_t i = 0; i < n; i++) point[job->connectivity[i]] = 1;
    for (int64_t i = 0; i < ends[3]; i++)
      if (point[i] || job->ranks == 1) {
        job->point[job->npoints] = i;
        point[i] = job->npoints++;
      }
    for (int64_t i = 0; i < n; i++) job->connectivity[i] = point[job->connectivity[i]];
  } else
    status = job->op2->error_nomem("a file of results");
  job->op2->free(point);
  return status;
}

op2_status op2i_vtu_job_make(op2_mesh mesh, const char *path, int n, const op2_dat *dats,
                             struct op2i_vtu_job **out) {
  struct source source = {0};
  struct op2i_vtu_job *job = mesh->op2->calloc(1, sizeof *job);
  if (!job) return mesh->op2->error_nomem("a file of results");
  *job = (struct op2i_vtu_job){.op2 = mesh->op2,
                               .ctx = mesh->ctx,
                               .ranks = op2_ranks(mesh->ctx),
                               .space = mesh->raw.space,
                               .ndats = n};
  op2_status status = make_dats(mesh, job, dats, &source.of);
  if (!status) status = read_source(mesh, job, &source);
  if (!status) status = make_cells(mesh, job, &source);
  if (!status) status = make_points(mesh, job);
  if (!status && path) status = make_names(job, path);
  mesh->op2->free(source.entry);
  mesh->op2->free(source.number);
  if (status)
    op2i_vtu_job_free(job);
  else
    *out = job;
  return status;
}
