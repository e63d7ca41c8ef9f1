/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as VTKHDF: files, and values that are queued for them. */
#include "hdf5_vtk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "op2/call.h"
#include "op2/vtkhdf.h"

#define OP2I_VTKHDF_MAGIC UINT64_C(0x6f703276746b6831)

struct op2_vtkhdf_s {
  uint64_t magic;
  op2_mesh mesh;
  const struct op2i_companion *op2;
  const struct op2i_mesh_methods *methods;
  char *path;
  bool begun; /* the first time was queued, which has these dats: */
  int ndats;
  struct op2i_vtu_dat *dats;
};

op2_status op2i_hdf5_check_mesh(const struct op2i_companion *op2, op2_mesh mesh, const char *call) {
  if (!mesh || mesh->magic != OP2I_MESH_MAGIC) return op2->error(OP2_ERR_ARG, "%s: no mesh", call);
  return mesh->methods->validate(mesh, call);
}

/* Rank 0 tries whether the file can be written, and leaves the folder as it was. */
static op2_status try_path(const struct op2i_companion *op2, op2_mesh mesh, const char *path) {
  if (op2_rank(mesh->ctx) > 0) return OP2_SUCCESS;
  const bool there = access(path, F_OK) == 0;
  FILE *file = fopen(path, "ab");
  if (!file) return op2->error(OP2_ERR_IO, "%s: cannot be written (%s)", path, strerror(errno));
  fclose(file);
  if (!there) unlink(path);
  return OP2_SUCCESS;
}

op2_status op2_vtkhdf_create(op2_mesh mesh, const char *path, op2_vtkhdf *out) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  op2_vtkhdf file = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2i_hdf5_check_mesh(op2, mesh, "op2_vtkhdf_create");
  if (status) return status;
  op2->call(mesh->ctx, "op2_vtkhdf_create", path, 0, 0);
  if (!path || !*path || !out)
    status = op2->error(OP2_ERR_ARG, "op2_vtkhdf_create: a null pointer, or an empty path");
  else
    status = try_path(op2, mesh, path);
  if (!status) {
    const size_t length = strlen(path) + 1;
    file = op2->calloc(1, sizeof *file + length);
    if (!file) status = op2->error_nomem("a file of results");
    if (file)
      *file = (struct op2_vtkhdf_s){.magic = OP2I_VTKHDF_MAGIC,
                                    .mesh = mesh,
                                    .op2 = op2,
                                    .methods = mesh->methods,
                                    .path = memcpy((char *)file + sizeof *file, path, length)};
  }
  status = mesh->methods->agree(mesh, status);
  if (status)
    op2->free(file);
  else
    *out = file;
  return status;
}

void op2_vtkhdf_destroy(op2_vtkhdf *handle) {
  if (!handle || !*handle) return;
  op2_vtkhdf file = *handle;
  *handle = NULL;
  if (file->magic != OP2I_VTKHDF_MAGIC) return;
  file->magic = 0;
  file->op2->free(file->dats);
  file->op2->free(file);
}

static void free_time(void *data) {
  struct op2i_vtk_time *at = data;
  if (!at) return;
  const struct op2i_companion *op2 = at->op2;
  if (at->cells) at->methods->job_free(at->cells);
  op2->free(at);
}

/* The names of a file are different, and all times have the same dats. */
static op2_status check_dats(op2_vtkhdf file, const struct op2i_vtu_job *job) {
  for (int d = 0; d < job->ndats; d++)
    for (int before = 0; before < d; before++)
      if (job->dats[d].on_nodes == job->dats[before].on_nodes &&
          strcmp(job->dats[d].name, job->dats[before].name) == 0)
        return file->op2->error(OP2_ERR_MISMATCH, "op2_vtkhdf_write: two dats have the name '%s'",
                                job->dats[d].name);
  bool same = !file->begun || file->ndats == job->ndats;
  for (int d = 0; d < job->ndats && same && file->begun; d++) {
    const struct op2i_vtu_dat *a = &file->dats[d], *b = &job->dats[d];
    same = a->type == b->type && a->dim == b->dim && a->on_nodes == b->on_nodes &&
           strcmp(a->name, b->name) == 0;
  }
  if (same) return OP2_SUCCESS;
  return file->op2->error(OP2_ERR_MISMATCH, "op2_vtkhdf_write: these are not the dats that %s has",
                          file->path);
}

static op2_status make_time(op2_vtkhdf file, double time, int n, const op2_dat *dats,
                            struct op2i_vtk_time **out) {
  const struct op2i_companion *op2 = file->op2;
  const size_t length = strlen(file->path) + 1;
  struct op2i_vtk_time *at = op2->calloc(1, sizeof *at + length);
  op2_status status = at ? OP2_SUCCESS : op2->error_nomem("values of a time");
  if (!status && (n < 0 || (n > 0 && !dats)))
    status = op2->error(OP2_ERR_ARG, "op2_vtkhdf_write: null dats, or a negative number of them");
  status = file->methods->agree(file->mesh, status);
  if (status) {
    op2->free(at);
    return status;
  }
  *at = (struct op2i_vtk_time){.op2 = op2,
                               .methods = file->methods,
                               .comm = file->mesh->comm,
                               .path = memcpy((char *)at + sizeof *at, file->path, length),
                               .time = time,
                               .first = !file->begun};
  status = file->methods->job_make(file->mesh, NULL, n, dats, NULL, &at->cells);
  if (!status) status = check_dats(file, at->cells);
  if (status)
    free_time(at);
  else
    *out = at;
  return status;
}

/* Keep which dats the file has. */
static op2_status keep_dats(op2_vtkhdf file, const struct op2i_vtu_job *job) {
  if (file->begun) return OP2_SUCCESS;
  file->op2->free(file->dats);
  file->dats = file->op2->calloc((size_t)job->ndats + 1, sizeof *file->dats);
  if (!file->dats) return file->op2->error_nomem("a file of results");
  memcpy(file->dats, job->dats, (size_t)job->ndats * sizeof *file->dats);
  file->ndats = job->ndats;
  return OP2_SUCCESS;
}

op2_status op2_vtkhdf_write_at(op2_where where, op2_vtkhdf file, double time, int n,
                               const op2_dat *dats) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_vtk_time *at = NULL;
  op2_arg *args = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!file || file->magic != OP2I_VTKHDF_MAGIC)
    return op2->error(OP2_ERR_ARG, "op2_vtkhdf_write: not a file of op2_vtkhdf_create()");
  const op2_mesh mesh = file->mesh;
  op2_status status = op2i_hdf5_check_mesh(op2, mesh, "op2_vtkhdf_write");
  if (status) return status;
  op2->call(mesh->ctx, "op2_vtkhdf_write", file->path, (uint64_t)n, 0);
  status = make_time(file, time, n, dats, &at);
  if (!status) status = keep_dats(file, at->cells);
  if (!status) {
    args = op2->calloc((size_t)n + 1, sizeof *args);
    if (!args) status = op2->error_nomem("values of a time");
  }
  status = mesh->methods->agree(mesh, status);
  if (status) {
    free_time(at);
  } else {
    const int nargs = mesh->methods->arguments(mesh, at->cells, dats, args);
    status = op2_call_owned_at(where, "op2_vtkhdf_write", mesh->ctx, op2i_vtk_time_run, at,
                               free_time, nargs, args);
  }
  op2->free(args);
  if (!status) file->begun = true;
  return status;
}
