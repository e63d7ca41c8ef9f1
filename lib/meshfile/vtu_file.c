/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing of a VTU file when the queue runs it: arrays are encoded first, since the header has their
 * places, and all are appended to it as binary numbers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vtu.h"
#include "vtu_zlib.h"

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

struct writer {
  struct op2i_vtu_job *job;
  int narrays;
  struct op2i_vtu_array *arrays;
};

enum { BLOCK = 1 << 20, PROBE = 1 << 15 };

_Thread_local const struct op2i_vtu_call *op2i_vtu_queueing;

/* ---- arrays ---------------------------------------------------------------------------------- */

/* True if the array's code is the grid's: points and cells, unless points have moved. */
static bool is_shared(const struct op2i_vtu_job *job, int a) {
  return a < OP2I_VTU_DATS && !(a == OP2I_VTU_POINTS && job->moved);
}

/* True if a piece of the block does not become smaller by a tenth, as with most results. */
static bool is_dense(const unsigned char *data, size_t size, void *room, size_t most) {
  const size_t length = size < PROBE ? size : PROBE;
  return length &&
         op2i_vtu_compress(data + (size - length) / 2, length, room, most) > length - length / 10;
}

/* The number of bytes before the first block: the number of blocks and their sizes. */
static size_t head_size(size_t size) { return 8 * (3 + (size + BLOCK - 1) / BLOCK); }

/* The most bytes that an array of `size` bytes takes in memory when it is encoded. */
static size_t code_most(size_t size, bool stays) {
  if (!op2i_vtu_compressor) return stays ? 8 : 8 + size;
  return head_size(size) + (size + BLOCK - 1) / BLOCK * op2i_vtu_compressed_most(BLOCK);
}

/* Compress block by block into coded->data. Where the values stay until they are written, dense
 * blocks are stored: their sizes alone are in the head. */
static bool compress_array(struct op2i_vtu_coded *coded, const unsigned char *data, size_t size,
                           bool stays) {
  const size_t head = head_size(size), each = op2i_vtu_compressed_most(BLOCK);
  const uint64_t front[3] = {(size + BLOCK - 1) / BLOCK, BLOCK, size % BLOCK};
  memcpy(coded->data, front, sizeof front);
  coded->size = coded->held = head;
  for (size_t b = 0; b < front[0]; b++) {
    const size_t left = size - b * BLOCK, length = left < BLOCK ? left : BLOCK;
    const size_t as_stored = op2i_vtu_stored_size(length);
    const unsigned char *block = data + b * BLOCK;
    unsigned char *out = coded->data + coded->held;
    uint64_t got = as_stored;
    if (!stays || !is_dense(block, length, out, each)) {
      got = op2i_vtu_compress(block, length, out, each);
      if (!got) return false;
      if (stays && got > as_stored) got = as_stored;
    }
    memcpy(coded->data + 8 * (3 + b), &got, sizeof got);
    coded->size += got;
    if (!stays || got != as_stored) coded->held += got;
  }
  return true;
}

/* Without compression there is the number of bytes, and the values follow. */
static bool encode(struct op2i_vtu_coded *coded, const void *data, size_t size, bool stays) {
  const uint64_t bytes = size;
  if (op2i_vtu_compressor) return compress_array(coded, data, size, stays);
  memcpy(coded->data, &bytes, sizeof bytes);
  if (!stays) memcpy(coded->data + 8, data, size);
  coded->size = 8 + size;
  coded->held = stays ? 8 : coded->size;
  return true;
}

/* Codes of the job's own arrays lie one after the other in memory that the writer keeps. */
static bool make_own_rooms(struct writer *writer) {
  struct op2i_vtu_job *job = writer->job;
  size_t bytes = 0;
  for (int a = 0; a < writer->narrays; a++)
    if (!is_shared(job, a)) bytes += code_most(writer->arrays[a].bytes, true);
  unsigned char *at = op2i_vtu_writer_room(job->writer, OP2I_VTU_CODES, bytes);
  for (int a = 0; at && a < writer->narrays; a++) {
    if (is_shared(job, a)) continue;
    writer->arrays[a].own.data = at;
    at += code_most(writer->arrays[a].bytes, true);
  }
  return at;
}

/* An array that all files of a grid share is encoded once. */
static bool encode_shared(struct op2i_vtu_job *job, struct op2i_vtu_coded *coded,
                          const struct op2i_vtu_array *array) {
  if (coded->data) return true;
  coded->data = job->op2->calloc(code_most(array->bytes, false) + 1, 1);
  if (coded->data && encode(coded, array->raw, array->bytes, false)) return true;
  job->op2->free(coded->data);
  *coded = (struct op2i_vtu_coded){0};
  return false;
}

static bool encode_arrays(struct writer *writer) {
  struct op2i_vtu_job *job = writer->job;
  if (!make_own_rooms(writer)) return false;
  for (int a = 0; a < writer->narrays; a++) {
    struct op2i_vtu_array *array = &writer->arrays[a];
    const bool shared = is_shared(job, a);
    array->coded = shared ? &job->grid->coded[a] : &array->own;
    if (shared ? !encode_shared(job, array->coded, array)
               : !encode(array->coded, array->raw, array->bytes, true))
      return false;
  }
  return true;
}

/* Copy rows to `copy`, and return its end; those of two components get a third, which is 0, as vectors
 * have in VTK. `which` has the rows, or is null for all in their order. */
static unsigned char *take_rows(struct op2i_vtu_array *array, int dim, int64_t n,
                                const int64_t *which, const void *values, unsigned char *copy) {
  const size_t bytes = types[array->type].bytes, row = bytes * (size_t)dim;
  const size_t wide = bytes * (size_t)array->components;
  if (!which && row == wide)
    memcpy(copy, values, (size_t)n * row);
  else
    for (int64_t i = 0; i < n; i++) {
      unsigned char *to = copy + (size_t)i * wide;
      memcpy(to, (const char *)values + (size_t)(which ? which[i] : i) * row, row);
      memset(to + row, 0, wide - row);
    }
  array->raw = copy;
  array->bytes = (size_t)n * wide;
  return copy + array->bytes;
}

static void describe_arrays(const struct op2i_vtu_job *job, struct op2i_vtu_array *arrays) {
  const int64_t ends = job->ncells ? job->offset[job->ncells - 1] : 0;
  arrays[OP2I_VTU_POINTS] =
      (struct op2i_vtu_array){.name = "Points", .type = OP2_F64, .components = 3};
  arrays[OP2I_VTU_CONNECTIVITY] = (struct op2i_vtu_array){
      "connectivity", OP2_I64, 1, job->connectivity, 8 * (size_t)ends, {0}, NULL};
  arrays[OP2I_VTU_OFFSETS] = (struct op2i_vtu_array){
      "offsets", OP2_I64, 1, job->offset, 8 * (size_t)job->ncells, {0}, NULL};
  arrays[OP2I_VTU_TYPES] =
      (struct op2i_vtu_array){"types", OP2_U8, 1, job->type, (size_t)job->ncells, {0}, NULL};
  for (int d = 0; d < job->ndats; d++) {
    const struct op2i_vtu_dat *dat = &job->dats[d];
    arrays[OP2I_VTU_DATS + d] = (struct op2i_vtu_array){
        .name = dat->name, .type = dat->type, .components = dat->dim == 2 ? 3 : dat->dim};
  }
}

static int64_t rows(const struct op2i_vtu_job *job, const struct op2i_vtu_dat *dat) {
  return dat->on_nodes ? job->npoints : job->ncells;
}

/* Copy the values, which the queue lends only while the call runs. */
static bool take_arrays(struct op2i_vtu_job *job, void *const *values) {
  const bool points = job->moved || !job->grid->coded[OP2I_VTU_POINTS].data;
  struct op2i_vtu_array *arrays =
      job->op2->calloc((size_t)(OP2I_VTU_DATS + job->ndats), sizeof *arrays);
  if (!arrays) return false;
  job->arrays = arrays;
  describe_arrays(job, arrays);
  size_t bytes = points ? 3 * sizeof(double) * (size_t)job->npoints : 0;
  for (int d = 0; d < job->ndats; d++) {
    const struct op2i_vtu_array *array = &arrays[OP2I_VTU_DATS + d];
    bytes += (size_t)(rows(job, &job->dats[d]) * array->components) * types[array->type].bytes;
  }
  unsigned char *at = op2i_vtu_writer_room(job->writer, OP2I_VTU_COPIES, bytes);
  if (!at) return false;
  if (points)
    at = take_rows(&arrays[OP2I_VTU_POINTS], job->space, job->npoints, job->point, values[0], at);
  for (int d = 0; d < job->ndats; d++) {
    const struct op2i_vtu_dat *dat = &job->dats[d];
    at = take_rows(&arrays[OP2I_VTU_DATS + d], dat->dim, rows(job, dat),
                   dat->on_nodes ? job->point : NULL, values[dat->argument], at);
  }
  return true;
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
  const struct op2i_vtu_array *array = &writer->arrays[a];
  size_t offset = 0;
  for (int before = 0; before < a; before++) offset += writer->arrays[before].coded->size;
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
    if (writer->job->dats[d].on_nodes == on_nodes)
      put_array(file, writer, OP2I_VTU_DATS + d, index);
  fprintf(file, "</%s%s>\n", p, kind);
}

/* Blocks that are not in the code are written from the values. */
static void append_array(FILE *file, const struct op2i_vtu_array *array) {
  const struct op2i_vtu_coded *coded = array->coded;
  if (coded->held == coded->size) {
    fwrite(coded->data, 1, coded->held, file);
    return;
  }
  const size_t head = op2i_vtu_compressor ? head_size(array->bytes) : 8;
  const unsigned char *code = coded->data + head, *raw = array->raw;
  fwrite(coded->data, 1, head, file);
  for (size_t b = 0; b * BLOCK < array->bytes; b++) {
    const size_t left = array->bytes - b * BLOCK, length = left < BLOCK ? left : BLOCK;
    uint64_t size = op2i_vtu_stored_size(length);
    if (op2i_vtu_compressor) memcpy(&size, coded->data + 8 * (3 + b), sizeof size);
    if (size == op2i_vtu_stored_size(length))
      op2i_vtu_put_stored(file, raw + b * BLOCK, length);
    else
      code += fwrite(code, 1, size, file);
  }
}

static void put_piece(FILE *file, const struct writer *writer) {
  const struct op2i_vtu_job *job = writer->job;
  put_head(file, "UnstructuredGrid");
  fprintf(file,
          "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64
          "\">\n<Points>\n",
          job->npoints, job->ncells);
  put_array(file, writer, OP2I_VTU_POINTS, false);
  fprintf(file, "</Points>\n<Cells>\n");
  for (int a = OP2I_VTU_CONNECTIVITY; a <= OP2I_VTU_TYPES; a++) put_array(file, writer, a, false);
  fprintf(file, "</Cells>\n");
  put_dats(file, writer, true, false);
  put_dats(file, writer, false, false);
  fprintf(file, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
  for (int a = 0; a < writer->narrays; a++) append_array(file, &writer->arrays[a]);
  fprintf(file, "\n</AppendedData>\n</VTKFile>\n");
}

static void put_index(FILE *file, const struct writer *writer) {
  const struct op2i_vtu_job *job = writer->job;
  const char *slash = strrchr(job->stem, '/');
  put_head(file, "PUnstructuredGrid");
  fprintf(file, "<PUnstructuredGrid GhostLevel=\"0\">\n<PPoints>\n");
  put_array(file, writer, OP2I_VTU_POINTS, true);
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

/* Write a file that is open under the name of the part, and give it its own name when it is complete. */
static int put_open(const struct writer *writer, FILE *file, const char *path, const char *part,
                    void (*put)(FILE *file, const struct writer *writer)) {
  errno = 0;
  put(file, writer);
  int failed = ferror(file) ? (errno ? errno : EIO) : 0;
  if (fclose(file) && !failed) failed = errno ? errno : EIO;
  if (!failed && rename(part, path)) failed = errno;
  if (failed) unlink(part);
  return failed;
}

static int put_file(const struct writer *writer, const char *path, const char *part,
                    void (*put)(FILE *file, const struct writer *writer)) {
  FILE *file = fopen(part, "wb");
  return file ? put_open(writer, file, path, part, put) : errno;
}

void op2i_vtu_job_write(struct op2i_vtu_job *job) {
  struct writer writer = {job, OP2I_VTU_DATS + job->ndats, job->arrays};
  FILE *file = job->file;
  job->failed = ENOMEM;
  if (!encode_arrays(&writer)) return;
  job->file = NULL;
  job->failed = put_open(&writer, file, job->path, job->part, put_piece);
  if (!job->failed) job->written = true;
  if (!job->failed && job->index) job->failed = put_file(&writer, job->index, job->part, put_index);
  if (!job->failed && job->series)
    job->failed = put_file(&writer, job->series, job->part, put_series);
}

int op2i_vtu_call_run(void *data, void *const *values) {
  struct op2i_vtu_call *call = data;
  struct op2i_vtu_job *job = call->job;
  int failed = 0;
  op2i_vtu_writer_wait(job->writer);
  if (!take_arrays(job, values)) failed = ENOMEM;
  if (!failed && !(job->file = fopen(job->part, "wb"))) failed = errno;
  if (!failed && op2i_vtu_queueing == call) {
    op2i_vtu_job_write(job);
    failed = job->failed;
  } else if (!failed) {
    call->job = NULL;
    return op2i_vtu_writer_start(job->writer, job);
  }
  if (failed) job->op2->log(job->ctx, 1, "%s: cannot be written (%s)", job->path, strerror(failed));
  return failed;
}
