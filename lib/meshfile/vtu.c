/* SPDX-License-Identifier: BSD-3-Clause */
/* Results for ParaView: single files, and series of them. Files are written by calls that are queued
 * among the loops. */
#include "vtu.h"

#include <stdio.h>
#include <string.h>

#include "op2/call.h"
#include "xdmf.h"

#define OP2I_SERIES_MAGIC UINT64_C(0x6f70327365723031)

struct op2_vtu_series_s {
  uint64_t magic;
  op2_mesh mesh;
  const struct op2i_companion *op2;
  op2_context ctx;
  char *stem, *path;          /* of the .pvd file */
  char *entries;              /* its lines */
  struct op2i_vtu_grid *grid; /* of the last file */
  int n;                      /* files so far */
};

static op2_status check_write(op2_mesh mesh, const char *call, const char *path, int n,
                              const op2_dat *dats) {
  if (!path || n < 0 || (n > 0 && !dats))
    return mesh->op2->error(OP2_ERR_ARG, "%s: a null pointer, or a negative number of dats", call);
  if (!*path) return mesh->op2->error(OP2_ERR_ARG, "%s: the path is empty", call);
  return OP2_SUCCESS;
}

/* The coordinates come first. An object is one argument of a call at most, so a dat that is given
 * twice, or is the coordinates, uses the argument that it has. */
static int make_arguments(op2_mesh mesh, struct op2i_vtu_job *job, const op2_dat *dats,
                          op2_arg *args) {
  int nargs = 0;
  args[nargs++] = op2_arg_direct(mesh->coordinates, OP2_READ);
  for (int d = 0; d < job->ndats; d++) {
    int *argument = &job->dats[d].argument;
    for (int before = 0; before < d; before++)
      if (dats[before] == dats[d]) *argument = job->dats[before].argument;
    if (*argument || dats[d] == mesh->coordinates) continue;
    *argument = nargs;
    args[nargs++] = op2_arg_direct(dats[d], OP2_READ);
  }
  return nargs;
}

const struct op2i_mesh_methods op2i_mesh_methods = {op2i_mesh_validate, op2i_mesh_agree,
                                                    op2i_vtu_job_make,  op2i_vtu_job_free,
                                                    make_arguments,     op2i_xdmf_mixed};

static void free_call(void *data) {
  struct op2i_vtu_call *call = data;
  if (!call) return;
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  op2i_vtu_job_free(call->job);
  op2->free(call);
}

/* Queue a job, which belongs to the queue from then on, also where this fails. */
static op2_status queue(op2_where where, op2_mesh mesh, struct op2i_vtu_job *job,
                        const op2_dat *dats) {
  op2_arg *args = mesh->op2->calloc((size_t)job->ndats + 1, sizeof *args);
  struct op2i_vtu_call *call = mesh->op2->calloc(1, sizeof *call);
  op2_status status = args && call ? OP2_SUCCESS : mesh->op2->error_nomem("a file of results");
  status = op2i_mesh_agree(mesh, status);
  if (status) {
    mesh->op2->free(args);
    mesh->op2->free(call);
    op2i_vtu_job_free(job);
    return status;
  }
  call->job = job;
  const int nargs = make_arguments(mesh, job, dats, args);
  op2i_vtu_queueing = call;
  status = op2_call_owned_at(where, "op2_vtu_write", mesh->ctx, op2i_vtu_call_run, call, free_call,
                             nargs, args);
  op2i_vtu_queueing = NULL;
  mesh->op2->free(args);
  return status;
}

op2_status op2_vtu_write_at(op2_where where, op2_mesh mesh, const char *path, int n,
                            const op2_dat *dats) {
  struct op2i_vtu_job *job = NULL;
  op2_status status = op2i_mesh_validate(mesh, "op2_vtu_write");
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_vtu_write", path, (uint64_t)n, 0);
  status = op2i_mesh_agree(mesh, check_write(mesh, "op2_vtu_write", path, n, dats));
  if (!status) status = op2i_vtu_job_make(mesh, path, n, dats, NULL, &job);
  status = op2i_mesh_agree(mesh, status);
  if (status) {
    op2i_vtu_job_free(job);
    return status;
  }
  return queue(where, mesh, job, dats);
}

/* ---- series ---------------------------------------------------------------------------------- */

op2_status op2_vtu_series_create(op2_mesh mesh, const char *path, op2_vtu_series *out) {
  op2_status status = op2i_mesh_validate(mesh, "op2_vtu_series_create");
  if (status) return status;
  const struct op2i_companion *op2 = mesh->op2;
  status = check_write(mesh, "op2_vtu_series_create", path, 0, NULL);
  if (status) return status;
  if (!out) return op2->error(OP2_ERR_ARG, "op2_vtu_series_create: a null pointer");
  size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".pvd") == 0) length -= 4;
  op2_vtu_series series = op2->calloc(1, sizeof *series);
  if (!series) return op2->error_nomem("a series");
  *series =
      (struct op2_vtu_series_s){OP2I_SERIES_MAGIC, mesh, op2, mesh->ctx, NULL, NULL, NULL, NULL, 0};
  series->stem = op2i_vtu_join(op2, path, "");
  series->entries = op2i_vtu_join(op2, "", "");
  if (series->stem) series->stem[length] = '\0';
  if (series->stem) series->path = op2i_vtu_join(op2, series->stem, ".pvd");
  if (!series->path || !series->entries) {
    op2_vtu_series_destroy(&series);
    return op2->error_nomem("a series");
  }
  *out = series;
  return OP2_SUCCESS;
}

void op2_vtu_series_destroy(op2_vtu_series *handle) {
  if (!handle || !*handle) return;
  op2_vtu_series series = *handle;
  *handle = NULL;
  if (series->magic != OP2I_SERIES_MAGIC) return;
  series->magic = 0;
  series->op2->free(series->stem);
  series->op2->free(series->path);
  series->op2->free(series->entries);
  op2i_vtu_grid_drop(series->op2, series->grid);
  series->op2->free(series);
}

/* Write a name as XML has it in quotation marks. */
static void escape(const char *name, char *out, size_t room) {
  size_t length = 0;
  for (out[0] = '\0'; *name && length + 8 < room; name++)
    length += (size_t)(strchr("&<>\"", *name) ? snprintf(out + length, 8, "&#%d;", *name)
                                              : snprintf(out + length, 8, "%c", *name));
}

/* The line of the next file, with a point in the time whatever the user's locale. */
static char *add_entry(const op2_vtu_series series, double time, const char *name) {
  char value[60], file[1600], line[1800];
  const char *slash = strrchr(name, '/');
  snprintf(value, sizeof value, "%.17g", time);
  for (char *c = value; *c; c++)
    if (*c == ',') *c = '.';
  escape(slash ? slash + 1 : name, file, sizeof file);
  snprintf(line, sizeof line, "<DataSet timestep=\"%s\" file=\"%s.%s\"/>\n", value, file,
           op2_ranks(series->ctx) > 1 ? "pvtu" : "vtu");
  return op2i_vtu_join(series->op2, series->entries, line);
}

/* Let a job write the series as well; *entries are what the series has from then on. */
static op2_status add_series(op2_vtu_series series, struct op2i_vtu_job *job, double time,
                             char **entries) {
  const struct op2i_companion *op2 = series->op2;
  *entries = add_entry(series, time, job->stem);
  if (!*entries) return op2->error_nomem("a series");
  if (op2_rank(series->ctx) > 0) return OP2_SUCCESS;
  job->series = op2i_vtu_join(op2, series->path, "");
  job->entries = op2i_vtu_join(op2, *entries, "");
  return job->series && job->entries ? OP2_SUCCESS : op2->error_nomem("a series");
}

op2_status op2_vtu_series_write_at(op2_where where, op2_vtu_series series, double time, int n,
                                   const op2_dat *dats) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_vtu_job *job = NULL;
  char number[30], *path, *entries = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!series || series->magic != OP2I_SERIES_MAGIC)
    return op2->error(OP2_ERR_ARG, "op2_vtu_series_write: not a series");
  op2_mesh mesh = series->mesh;
  op2_status status = op2i_mesh_validate(mesh, "op2_vtu_series_write");
  if (status) return status;
  op2->call(mesh->ctx, "op2_vtu_series_write", series->path, (uint64_t)n, 0);
  snprintf(number, sizeof number, "-%04d", series->n);
  path = op2i_vtu_join(op2, series->stem, number);
  status = path ? check_write(mesh, "op2_vtu_series_write", path, n, dats)
                : op2->error_nomem("a series");
  status = op2i_mesh_agree(mesh, status);
  if (!status) status = op2i_vtu_job_make(mesh, path, n, dats, &series->grid, &job);
  if (!status) status = add_series(series, job, time, &entries);
  op2->free(path);
  status = op2i_mesh_agree(mesh, status);
  if (status)
    op2i_vtu_job_free(job);
  else
    status = queue(where, mesh, job, dats);
  if (status) {
    op2->free(entries);
    return status;
  }
  op2->free(series->entries);
  series->entries = entries;
  series->n++;
  return OP2_SUCCESS;
}
