/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing of a VTU file when the queue runs it: arrays are encoded first, since the header has their
 * places, and all are appended to it as binary numbers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vtu.h"

/* Names and sizes of types. */
static const struct {
  const char *name;
  size_t bytes;
} types[] = {
    [OP2_F64] = {"Float64", 8}, [OP2_F32] = {"Float32", 4}, [OP2_I8] = {"Int8", 1},
    [OP2_I16] = {"Int16", 2},   [OP2_I32] = {"Int32", 4},   [OP2_I64] = {"Int64", 8},
    [OP2_U8] = {"UInt8", 1},    [OP2_U16] = {"UInt16", 2},  [OP2_U32] = {"UInt32", 4},
    [OP2_U64] = {"UInt64", 8},
};

struct array {
  const char *name;
  op2_type type;
  int components;
  unsigned char *data; /* as in the file, with its header */
  size_t size;
};

struct writer {
  struct op2i_vtu_job *job;
  int narrays;
  struct array *arrays; /* coordinates, connectivity, offsets, types, and dats */
};

enum { BLOCK = 1 << 20, COORDINATES = 0, CONNECTIVITY, OFFSETS, TYPES, DATS };

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Blocks are compressed one by one; the header has their number and sizes. */
static bool compress_array(struct op2i_vtu_job *job, struct array *array, const unsigned char *data,
                           size_t size) {
  const size_t blocks = (size + BLOCK - 1) / BLOCK, head = 8 * (3 + blocks);
  const size_t each = op2i_vtu_compressed_most(BLOCK);
  const uint64_t front[3] = {blocks, BLOCK, size % BLOCK};
  array->data = job->op2->calloc(head + blocks * each, 1);
  if (!array->data) return false;
  memcpy(array->data, front, sizeof front);
  array->size = head;
  for (size_t b = 0; b < blocks; b++) {
    const size_t left = size - b * BLOCK, length = left < BLOCK ? left : BLOCK;
    const uint64_t got =
        op2i_vtu_compress(data + b * BLOCK, length, array->data + array->size, each);
    if (!got) return false;
    memcpy(array->data + 8 * (3 + b), &got, sizeof got);
    array->size += got;
  }
  return true;
}

static bool store(struct op2i_vtu_job *job, struct array *array, const void *data, size_t size) {
  const uint64_t bytes = size;
  if (op2i_vtu_compressor) return compress_array(job, array, data, size);
  array->data = job->op2->calloc(8 + size, 1);
  if (!array->data) return false;
  memcpy(array->data, &bytes, sizeof bytes);
  memcpy(array->data + 8, data, size);
  array->size = 8 + size;
  return true;
}

/* Copy rows; those of two components get a third, which is 0, as vectors have in VTK. `which` has the
 * rows, or is null for all in their order. */
static bool store_rows(struct op2i_vtu_job *job, struct array *array, int dim, int64_t n,
                       const int64_t *which, const void *values) {
  const size_t bytes = types[array->type].bytes, row = bytes * (size_t)dim;
  const size_t wide = bytes * (size_t)array->components;
  unsigned char *copy = job->op2->calloc((size_t)n + 1, wide);
  bool good = copy != NULL;
  for (int64_t i = 0; good && i < n; i++)
    memcpy(copy + (size_t)i * wide, (const char *)values + (size_t)(which ? which[i] : i) * row,
           row);
  good = good && store(job, array, copy, (size_t)n * wide);
  job->op2->free(copy);
  return good;
}

static bool store_arrays(struct writer *writer, void *const *values) {
  struct op2i_vtu_job *job = writer->job;
  struct array *arrays = writer->arrays;
  const int64_t ends = job->ncells ? job->offset[job->ncells - 1] : 0;
  arrays[COORDINATES] = (struct array){"Points", OP2_F64, 3, NULL, 0};
  arrays[CONNECTIVITY] = (struct array){"connectivity", OP2_I64, 1, NULL, 0};
  arrays[OFFSETS] = (struct array){"offsets", OP2_I64, 1, NULL, 0};
  arrays[TYPES] = (struct array){"types", OP2_U8, 1, NULL, 0};
  bool good =
      store_rows(job, &arrays[COORDINATES], job->space, job->npoints, job->point, values[0]) &&
      store(job, &arrays[CONNECTIVITY], job->connectivity, 8 * (size_t)ends) &&
      store(job, &arrays[OFFSETS], job->offset, 8 * (size_t)job->ncells) &&
      store(job, &arrays[TYPES], job->type, (size_t)job->ncells);
  for (int d = 0; d < job->ndats && good; d++) {
    const struct op2i_vtu_dat *dat = &job->dats[d];
    arrays[DATS + d] = (struct array){dat->name, dat->type, dat->dim == 2 ? 3 : dat->dim, NULL, 0};
    good = store_rows(job, &arrays[DATS + d], dat->dim, dat->on_nodes ? job->npoints : job->ncells,
                      dat->on_nodes ? job->point : NULL, values[dat->argument]);
  }
  return good;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_name(FILE *file, const char *name) {
  for (const char *c = name; *c; c++)
    if (*c == '&' || *c == '<' || *c == '>' || *c == '"' || (unsigned char)*c < ' ')
      fprintf(file, "&#%d;", (unsigned char)*c < ' ' ? ' ' : *c);
    else
      fputc(*c, file);
}

static void put_head(FILE *file, const char *kind) {
  const uint16_t one = 1;
  fprintf(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\"",
          kind, *(const char *)&one ? "LittleEndian" : "BigEndian");
  fprintf(file, " header_type=\"UInt64\"");
  if (op2i_vtu_compressor) fprintf(file, " compressor=\"%s\"", op2i_vtu_compressor);
  fprintf(file, ">\n");
}

/* In an index of pieces arrays have no places. */
static void put_array(FILE *file, const struct writer *writer, int a, bool index) {
  const struct array *array = &writer->arrays[a];
  size_t offset = 0;
  for (int before = 0; before < a; before++) offset += writer->arrays[before].size;
  fprintf(file, "<%sDataArray type=\"%s\" Name=\"", index ? "P" : "", types[array->type].name);
  put_name(file, array->name);
  fprintf(file, "\" NumberOfComponents=\"%d\"", array->components);
  if (!index) fprintf(file, " format=\"appended\" offset=\"%zu\"", offset);
  fprintf(file, "/>\n");
}

static void put_dats(FILE *file, const struct writer *writer, bool on_nodes, bool index) {
  const char *kind = on_nodes ? "PointData" : "CellData", *p = index ? "P" : "";
  fprintf(file, "<%s%s>\n", p, kind);
  for (int d = 0; d < writer->job->ndats; d++)
    if (writer->job->dats[d].on_nodes == on_nodes) put_array(file, writer, DATS + d, index);
  fprintf(file, "</%s%s>\n", p, kind);
}

static void put_piece(FILE *file, const struct writer *writer) {
  const struct op2i_vtu_job *job = writer->job;
  put_head(file, "UnstructuredGrid");
  fprintf(file,
          "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64
          "\">\n<Points>\n",
          job->npoints, job->ncells);
  put_array(file, writer, COORDINATES, false);
  fprintf(file, "</Points>\n<Cells>\n");
  for (int a = CONNECTIVITY; a <= TYPES; a++) put_array(file, writer, a, false);
  fprintf(file, "</Cells>\n");
  put_dats(file, writer, true, false);
  put_dats(file, writer, false, false);
  fprintf(file, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
  for (int a = 0; a < writer->narrays; a++)
    fwrite(writer->arrays[a].data, 1, writer->arrays[a].size, file);
  fprintf(file, "\n</AppendedData>\n</VTKFile>\n");
}

static void put_index(FILE *file, const struct writer *writer) {
  const struct op2i_vtu_job *job = writer->job;
  const char *slash = strrchr(job->stem, '/');
  put_head(file, "PUnstructuredGrid");
  fprintf(file, "<PUnstructuredGrid GhostLevel=\"0\">\n<PPoints>\n");
  put_array(file, writer, COORDINATES, true);
  fprintf(file, "</PPoints>\n");
  put_dats(file, writer, true, true);
  put_dats(file, writer, false, true);
  for (int r = 0; r < job->ranks; r++) {
    fprintf(file, "<Piece Source=\"");
    put_name(file, slash ? slash + 1 : job->stem);
    fprintf(file, "-r%d.vtu\"/>\n", r);
  }
  fprintf(file, "</PUnstructuredGrid>\n</VTKFile>\n");
}

static void put_series(FILE *file, const struct writer *writer) {
  fprintf(file,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
          "<Collection>\n%s</Collection>\n</VTKFile>\n",
          writer->job->entries);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Write a file under the name of the part, and give it its own name when it is complete. */
static int put_file(const struct writer *writer, const char *path, const char *part,
                    void (*put)(FILE *file, const struct writer *writer)) {
  FILE *file = fopen(part, "wb");
  if (!file) return errno;
  errno = 0;
  put(file, writer);
  int failed = ferror(file) ? (errno ? errno : EIO) : 0;
  if (fclose(file) && !failed) failed = errno ? errno : EIO;
  if (!failed && rename(part, path)) failed = errno;
  if (failed) unlink(part);
  return failed;
}

int op2i_vtu_job_run(void *data, void *const *values) {
  struct op2i_vtu_job *job = data;
  struct writer writer = {.job = job, .narrays = DATS + job->ndats};
  int failed = ENOMEM;
  const char *path = job->path;
  writer.arrays = job->op2->calloc((size_t)writer.narrays, sizeof *writer.arrays);
  if (writer.arrays && store_arrays(&writer, values))
    failed = put_file(&writer, path, job->part, put_piece);
  if (!failed) job->written = true;
  if (!failed && job->index) failed = put_file(&writer, path = job->index, job->part, put_index);
  if (!failed && job->series) failed = put_file(&writer, path = job->series, job->part, put_series);
  for (int a = 0; writer.arrays && a < writer.narrays; a++) job->op2->free(writer.arrays[a].data);
  job->op2->free(writer.arrays);
  if (failed) job->op2->log(job->ctx, 1, "%s: cannot be written (%s)", path, strerror(failed));
  return failed;
}
