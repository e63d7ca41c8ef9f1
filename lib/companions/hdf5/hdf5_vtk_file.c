/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as VTKHDF: values are added to the file. All datasets can be extended; each rank adds a
 * partition to them in turn, and the last one makes the time valid, as the number of steps. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hdf5_format.h"
#include "hdf5_type.h"
#include "hdf5_vtk.h"

enum { CHUNK_MOST = 1 << 16, CHUNK_LEAST = 256, WORDS = 200 };

struct writer {
  struct op2i_vtk_time *at;
  void *const *values;
  hid_t file, root, steps;
  bool leads, closes;
};

/* ---- groups and attributes ------------------------------------------------------------------- */

static bool make_group(hid_t in, const char *name) {
  const hid_t group = H5Gcreate2(in, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  return group >= 0 && H5Gclose(group) >= 0;
}

static bool make_attribute(hid_t of, const char *name, hid_t type, hsize_t n, const void *value) {
  const hid_t space = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
  const hid_t attribute =
      space < 0 ? H5I_INVALID_HID : H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return good;
}

static bool make_kind(hid_t root) {
  static const char kind[] = "UnstructuredGrid";
  static const int64_t version[2] = {2, 0};
  const hid_t type = H5Tcopy(H5T_C_S1);
  const bool good = type >= 0 && H5Tset_size(type, sizeof kind - 1) >= 0 &&
                    H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                    make_attribute(root, "Version", H5T_NATIVE_INT64, 2, version) &&
                    make_attribute(root, "Type", type, 0, kind);
  if (type >= 0) H5Tclose(type);
  return good;
}

/* The number of times that are complete. */
static bool add_step(hid_t steps) {
  int64_t n = 0;
  const hid_t attribute = H5Aopen(steps, "NSteps", H5P_DEFAULT);
  bool good = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, &n) >= 0;
  n++;
  good = good && H5Awrite(attribute, H5T_NATIVE_INT64, &n) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  return good;
}

/* ---- datasets -------------------------------------------------------------------------------- */

/* An empty dataset of rows of so many columns; 0: of numbers. */
static bool make_dataset(hid_t in, const char *name, hid_t type, int columns, int64_t chunk) {
  const hsize_t none[2] = {0, (hsize_t)columns}, most[2] = {H5S_UNLIMITED, (hsize_t)columns};
  const int64_t rows = chunk > CHUNK_MOST ? CHUNK_MOST : chunk < CHUNK_LEAST ? CHUNK_LEAST : chunk;
  const hsize_t piece[2] = {(hsize_t)rows, (hsize_t)columns};
  const int rank = columns ? 2 : 1;
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, none, most);
  bool good = list >= 0 && space >= 0 && H5Pset_chunk(list, rank, piece) >= 0;
  if (good && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
    good = H5Pset_shuffle(list) >= 0 && H5Pset_deflate(list, 1) >= 0;
  const hid_t made =
      good ? H5Dcreate2(in, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT) : H5I_INVALID_HID;
  if (made >= 0) H5Dclose(made);
  if (space >= 0) H5Sclose(space);
  if (list >= 0) H5Pclose(list);
  return made >= 0;
}

/* Add rows behind those that are there, whose number is put into *before, which may be null. */
static bool append(hid_t in, const char *name, hid_t type, int64_t rows, const void *data,
                   int64_t *before) {
  const hid_t dataset = H5Dopen2(in, name, H5P_DEFAULT);
  hid_t space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset);
  hid_t memory = H5I_INVALID_HID;
  hsize_t size[2] = {0, 0}, begin[2] = {0, 0};
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, size, NULL);
  bool good = rank == 1 || rank == 2;
  if (good && before) *before = (int64_t)size[0];
  begin[0] = size[0];
  size[0] += (hsize_t)rows;
  if (good && rows > 0) {
    const hsize_t part[2] = {(hsize_t)rows, size[1]};
    H5Sclose(space);
    good = H5Dset_extent(dataset, size) >= 0;
    space = H5Dget_space(dataset);
    memory = H5Screate_simple(rank, part, NULL);
    good = good && space >= 0 && memory >= 0 &&
           H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, part, NULL) >= 0 &&
           H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data) >= 0;
  }
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  if (dataset >= 0) H5Dclose(dataset);
  return good;
}

static bool append_number(hid_t in, const char *name, int64_t number) {
  return append(in, name, H5T_NATIVE_INT64, 1, &number, NULL);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int columns_of(int dim) { return dim == 2 ? 3 : dim; }

/* The place of a dat in the file, or of where its rows of a time begin. */
static void name_of(const struct op2i_vtu_dat *dat, bool offsets, char *name, size_t room) {
  snprintf(name, room, "%s%s/%s", dat->on_nodes ? "PointData" : "CellData",
           offsets ? "Offsets" : "", dat->name);
  for (char *c = strchr(name, '/') + 1; *c; c++) /* HDF5 would make groups, and VTK lacks points */
    if (*c == '/' || *c == '.') *c = '_';
}

static bool make_file(const struct writer *writer) {
  static const char *const counts[] = {"NumberOfPoints", "NumberOfCells",
                                       "NumberOfConnectivityIds"};
  static const char *const starts[] = {"PartOffsets", "NumberOfParts", "PointOffsets",
                                       "CellOffsets", "ConnectivityIdOffsets"};
  const struct op2i_vtu_job *job = writer->at->cells;
  const hid_t root = writer->root, steps = writer->steps;
  const int64_t none = 0;
  bool good = make_kind(root) && make_attribute(steps, "NSteps", H5T_NATIVE_INT64, 0, &none) &&
              make_group(root, "PointData") && make_group(root, "CellData") &&
              make_group(steps, "PointDataOffsets") && make_group(steps, "CellDataOffsets") &&
              make_dataset(steps, "Values", H5T_NATIVE_DOUBLE, 0, 0) &&
              make_dataset(root, "Points", H5T_NATIVE_DOUBLE, 3, job->npoints) &&
              make_dataset(root, "Connectivity", H5T_NATIVE_INT64, 0, 4 * job->ncells) &&
              make_dataset(root, "Offsets", H5T_NATIVE_INT64, 0, job->ncells) &&
              make_dataset(root, "Types", H5T_NATIVE_UINT8, 0, job->ncells);
  for (size_t i = 0; i < sizeof counts / sizeof *counts && good; i++)
    good = make_dataset(root, counts[i], H5T_NATIVE_INT64, 0, 0);
  for (size_t i = 0; i < sizeof starts / sizeof *starts && good; i++)
    good = make_dataset(steps, starts[i], H5T_NATIVE_INT64, 0, 0);
  for (int d = 0; d < job->ndats && good; d++) {
    const struct op2i_vtu_dat *dat = &job->dats[d];
    char name[WORDS + 60];
    const int columns = columns_of(dat->dim);
    name_of(dat, false, name, sizeof name);
    good = make_dataset(root, name, op2i_hdf5_native(dat->type), columns == 1 ? 0 : columns,
                        dat->on_nodes ? job->npoints : job->ncells);
    name_of(dat, true, name, sizeof name);
    good = good && make_dataset(steps, name, H5T_NATIVE_INT64, 0, 0);
  }
  return good;
}

/* Add rows of a dat; those of two components get a third, which is 0. `which` has the rows, or is
 * null for all in their order. */
static bool append_rows(const struct writer *writer, const char *name, op2_type type, int dim,
                        int64_t n, const int64_t *which, const void *values) {
  const struct op2i_companion *op2 = writer->at->op2;
  const size_t bytes = op2->type_size(type), row = bytes * (size_t)dim;
  const size_t wide = bytes * (size_t)columns_of(dim);
  char *copy = op2->calloc((size_t)n + 1, wide);
  for (int64_t i = 0; copy && i < n; i++)
    memcpy(copy + (size_t)i * wide, (const char *)values + (size_t)(which ? which[i] : i) * row,
           row);
  if (!copy) errno = ENOMEM;
  const bool good = copy && append(writer->root, name, op2i_hdf5_native(type), n, copy, NULL);
  op2->free(copy);
  return good;
}

/* The cells of this rank, as a partition. A list of offsets begins with 0. */
static bool append_cells(const struct writer *writer) {
  const struct op2i_vtu_job *job = writer->at->cells;
  const hid_t root = writer->root;
  const int64_t ends = job->ncells ? job->offset[job->ncells - 1] : 0;
  return append_number(root, "NumberOfPoints", job->npoints) &&
         append_number(root, "NumberOfCells", job->ncells) &&
         append_number(root, "NumberOfConnectivityIds", ends) &&
         append_rows(writer, "Points", OP2_F64, job->space, job->npoints, job->point,
                     writer->values[0]) &&
         append(root, "Connectivity", H5T_NATIVE_INT64, ends, job->connectivity, NULL) &&
         append_number(root, "Offsets", 0) &&
         append(root, "Offsets", H5T_NATIVE_INT64, job->ncells, job->offset, NULL) &&
         append(root, "Types", H5T_NATIVE_UINT8, job->ncells, job->type, NULL);
}

/* The cells of all times are those of the first one. */
static bool append_step(const struct writer *writer) {
  static const char *const starts[] = {"PartOffsets", "PointOffsets", "CellOffsets",
                                       "ConnectivityIdOffsets"};
  const struct op2i_vtu_job *job = writer->at->cells;
  const hid_t steps = writer->steps;
  bool good = append(steps, "Values", H5T_NATIVE_DOUBLE, 1, &writer->at->time, NULL) &&
              append_number(steps, "NumberOfParts", job->ranks);
  for (size_t i = 0; i < sizeof starts / sizeof *starts && good; i++)
    good = append_number(steps, starts[i], 0);
  for (int d = 0; d < job->ndats && good; d++) {
    char name[WORDS + 60];
    int64_t before = 0;
    name_of(&job->dats[d], false, name, sizeof name);
    good = append(writer->root, name, op2i_hdf5_native(job->dats[d].type), 0, NULL, &before);
    name_of(&job->dats[d], true, name, sizeof name);
    good = good && append_number(steps, name, before);
  }
  return good;
}

static bool append_dats(const struct writer *writer) {
  const struct op2i_vtu_job *job = writer->at->cells;
  bool good = true;
  for (int d = 0; d < job->ndats && good; d++) {
    const struct op2i_vtu_dat *dat = &job->dats[d];
    char name[WORDS + 60];
    name_of(dat, false, name, sizeof name);
    good =
        append_rows(writer, name, dat->type, dat->dim, dat->on_nodes ? job->npoints : job->ncells,
                    dat->on_nodes ? job->point : NULL, writer->values[dat->argument]);
  }
  return good;
}

static bool open_groups(struct writer *writer, bool make) {
  if (make && !(make_group(writer->file, "VTKHDF") && make_group(writer->file, "VTKHDF/Steps")))
    return false;
  writer->root = H5Gopen2(writer->file, "VTKHDF", H5P_DEFAULT);
  writer->steps = H5Gopen2(writer->file, "VTKHDF/Steps", H5P_DEFAULT);
  return writer->root >= 0 && writer->steps >= 0;
}

/* Write the part of this rank: 0, or an error number. */
static int write_part(struct writer *writer) {
  struct op2i_vtk_time *at = writer->at;
  struct op2i_hdf5_scope scope;
  const bool make = at->first && writer->leads;
  op2i_hdf5_enter(&scope);
  errno = 0;
  writer->root = writer->steps = H5I_INVALID_HID;
  writer->file = make ? H5Fcreate(at->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                      : H5Fopen(at->path, H5F_ACC_RDWR, H5P_DEFAULT);
  bool good = writer->file >= 0 && open_groups(writer, make) && (!make || make_file(writer));
  good = good && (!at->first || append_cells(writer)) && (!writer->leads || append_step(writer)) &&
         append_dats(writer) && (!writer->closes || add_step(writer->steps));
  if (writer->steps >= 0) H5Gclose(writer->steps);
  if (writer->root >= 0) H5Gclose(writer->root);
  if (writer->file >= 0 && H5Fclose(writer->file) < 0) good = false;
  const int failed = good ? 0 : errno ? errno : EIO;
  op2i_hdf5_leave(&scope);
  return failed;
}

int op2i_vtk_time_run(void *data, void *const *values) {
  struct op2i_vtk_time *at = data;
  const int rank = op2_rank(at->cells->ctx), ranks = at->cells->ranks;
  struct writer writer = {.at = at, .values = values};
  int failed = 0;
  writer.leads = rank == 0;
  writer.closes = rank == ranks - 1;
  for (int turn = 0; turn < ranks && !failed; turn++) {
    int64_t bad = 0;
    if (turn == rank) bad = write_part(&writer);
    const op2_status status = at->comm ? at->op2->greatest(at->comm, 1, &bad) : OP2_SUCCESS;
    failed = status ? EIO : (int)bad;
  }
  if (failed)
    at->op2->log(at->cells->ctx, 1, "%s: cannot be written (%s)", at->path, strerror(failed));
  return failed;
}
