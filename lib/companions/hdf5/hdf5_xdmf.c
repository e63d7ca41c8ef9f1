/* SPDX-License-Identifier: BSD-3-Clause */
/* Results in files of HDF5, and the XDMF file that says what they have. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hdf5_vtk.h"
#include "io_file.h"
#include "op2/query.h"
#include "op2/xdmf.h"

#define OP2I_XDMF_MAGIC UINT64_C(0x6f70327864736631)

struct op2_xdmf_s {
  uint64_t magic;
  op2_mesh mesh;
  const struct op2i_companion *op2;
  char *path;       /* of the XDMF file */
  char *name;       /* that of the HDF5 files without number and suffix, from the last / on */
  int stem;         /* how many characters of the path it takes, with its folder */
  int n;            /* times so far */
  int64_t topology; /* numbers in it */
  char *grids;      /* the text of these times, on rank 0 */
};

/* ---- the text -------------------------------------------------------------------------------- */

static void put_escaped(FILE *to, const char *text) {
  for (; *text; text++) {
    const char *of = strchr("&<>\"", *text);
    static const char *const escape[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    if (of)
      fputs(escape[of - "&<>\""], to);
    else
      fputc(*text, to);
  }
}

/* A reference to a dataset. `number` is that of a time's file, or -1: the mesh's. */
static void put_data(FILE *to, const struct op2_xdmf_s *series, int number, const char *name,
                     int64_t rows, int columns, op2_type type) {
  static const struct {
    const char *name;
    int bytes;
  } types[] = {[OP2_F64] = {"Float", 8}, [OP2_F32] = {"Float", 4}, [OP2_I8] = {"Char", 1},
               [OP2_I16] = {"Int", 2},   [OP2_I32] = {"Int", 4},   [OP2_I64] = {"Int", 8},
               [OP2_U8] = {"UChar", 1},  [OP2_U16] = {"UInt", 2},  [OP2_U32] = {"UInt", 4},
               [OP2_U64] = {"UInt", 8}};
  fprintf(to, "          <DataItem Dimensions=\"%" PRId64, rows);
  if (columns > 1) fprintf(to, " %d", columns);
  fprintf(to, "\" NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">", types[type].name,
          types[type].bytes);
  put_escaped(to, series->name);
  if (number >= 0) fprintf(to, "-%04d", number);
  fputs(".h5:/", to);
  put_escaped(to, name);
  fputs("</DataItem>\n", to);
}

static void put_mesh(FILE *to, const struct op2_xdmf_s *series) {
  const op2_mesh_info *info = &series->mesh->info;
  fprintf(to, "        <Topology TopologyType=\"Mixed\" NumberOfElements=\"%" PRId64 "\">\n",
          info->cells);
  put_data(to, series, -1, "topology", series->topology, 1, OP2_I64);
  fprintf(to, "        </Topology>\n        <Geometry GeometryType=\"%s\">\n",
          info->space == 2 ? "XY" : "XYZ");
  put_data(to, series, -1, "coordinates", info->nodes, info->space, OP2_F64);
  fputs("        </Geometry>\n", to);
}

static void put_dat(FILE *to, const struct op2_xdmf_s *series, const op2_dat_info *dat) {
  const bool on_nodes = dat->set == series->mesh->nodes;
  const char *kind = "Matrix";
  if (dat->dim == 1) kind = "Scalar";
  if (dat->dim == 2 || dat->dim == 3) kind = "Vector";
  if (dat->dim == 6) kind = "Tensor6";
  if (dat->dim == 9) kind = "Tensor";
  fputs("        <Attribute Name=\"", to);
  put_escaped(to, dat->name);
  fprintf(to, "\" AttributeType=\"%s\" Center=\"%s\">\n", kind, on_nodes ? "Node" : "Cell");
  put_data(to, series, series->n, dat->name,
           on_nodes ? series->mesh->info.nodes : series->mesh->info.cells, dat->dim, dat->type);
  fputs("        </Attribute>\n", to);
}

/* As many bytes as the text of all times and of a new one has at most. */
static size_t room_for(const struct op2_xdmf_s *series, int n, const op2_dat *dats) {
  enum { EACH = 600, ESCAPED = 6 }; /* the words around names, and letters for one of theirs */
  const size_t name = EACH + ESCAPED * strlen(series->name);
  size_t room = (series->grids ? strlen(series->grids) : 0) + 3 * name;
  op2_dat_info info;
  for (int d = 0; d < n; d++)
    if (op2_dat_info_get(dats[d], &info) == OP2_SUCCESS)
      room += name + 2 * ESCAPED * strlen(info.name);
  return room;
}

/* Print a time with a point, whatever the user's locale. */
static void put_time(FILE *to, double time) {
  char value[60];
  snprintf(value, sizeof value, "%.17g", time);
  for (char *c = value; *c; c++)
    if (*c == ',') *c = '.';
  fprintf(to, "        <Time Value=\"%s\"/>\n", value);
}

/* Print the text of all times and of a new one, which the caller frees. */
static op2_status print_grids(op2_xdmf series, double time, int n, const op2_dat *dats,
                              char **out) {
  const size_t room = room_for(series, n, dats);
  op2_dat_info info;
  op2_status status = OP2_SUCCESS;
  *out = series->op2->calloc(1, room);
  FILE *to = *out ? fmemopen(*out, room, "w") : NULL;
  if (!to) return series->op2->error_nomem("an XDMF file");
  if (series->grids) fputs(series->grids, to);
  fprintf(to, "      <Grid Name=\"time %d\" GridType=\"Uniform\">\n", series->n);
  put_time(to, time);
  put_mesh(to, series);
  for (int d = 0; d < n && !status; d++) {
    status = op2_dat_info_get(dats[d], &info);
    if (!status) put_dat(to, series, &info);
  }
  fputs("      </Grid>\n", to);
  const bool good = !ferror(to);
  if ((fclose(to) == 0) & good) return status;
  return status ? status : series->op2->error_nomem("an XDMF file");
}

static const char head[] = "<?xml version=\"1.0\"?>\n"
                           "<Xdmf Version=\"3.0\">\n"
                           "  <Domain>\n"
                           "    <Grid Name=\"series\" GridType=\"Collection\" "
                           "CollectionType=\"Temporal\">\n";
static const char tail[] = "    </Grid>\n  </Domain>\n</Xdmf>\n";

/* Replace the XDMF file in one step. */
static op2_status replace_text(op2_xdmf series, const char *grids) {
  const struct op2i_companion *op2 = series->op2;
  const size_t room = op2i_io_part_room(series->path), length = strlen(grids);
  const int64_t ends[] = {(int64_t)(sizeof head - 1), (int64_t)(sizeof head - 1 + length)};
  char *names = op2->calloc(2, room);
  if (!names) return op2->error_nomem("an XDMF file");
  struct op2i_io_part part = {
      .target = names, .name = names + room, .fd = -1, .owner = getpid(), .leads = true};
  if (op2i_io_part_name(&part, series->path) && op2i_io_part_create(&part, 0) &&
      op2i_io_part_begin(&part, false) && op2i_io_part_write(&part, head, sizeof head - 1, 0) &&
      op2i_io_part_write(&part, grids, length, ends[0]) &&
      op2i_io_part_write(&part, tail, sizeof tail - 1, ends[1]) && op2i_io_part_sync(&part))
    op2i_io_part_keep(&part, ends[1] + (int64_t)(sizeof tail - 1), NULL);
  op2_status status = OP2_SUCCESS;
  if (part.failed)
    status = op2->error(OP2_ERR_IO, "%s: cannot be %s: %s", series->path, part.doing,
                        strerror(part.failed));
  op2i_io_part_drop(&part);
  op2->free(names);
  return status;
}

/* ---- files of HDF5 --------------------------------------------------------------------------- */

/* Open the file of the mesh (-1) or of a time. */
static op2_status open_numbered(op2_xdmf series, int number, op2_file *file) {
  const size_t length = (size_t)series->stem + 20;
  char *path = series->op2->calloc(1, length), digits[16] = "";
  op2_status status = path ? OP2_SUCCESS : series->op2->error_nomem("a file's name");
  status = series->mesh->methods->agree(series->mesh, status);
  if (number >= 0) snprintf(digits, sizeof digits, "-%04d", number);
  if (!status) {
    snprintf(path, length, "%.*s%s.h5", series->stem, series->path, digits);
    status = op2_file_open(series->mesh->ctx, path, OP2_FILE_CREATE, file);
  }
  series->op2->free(path);
  return status;
}

static op2_status close_file(op2_file file, op2_status status) {
  return status ? op2i_file_abandon(file, status) : op2_file_close(&file);
}

static op2_status write_topology(op2_xdmf series, op2_file file) {
  int64_t n = 0, first = 0, *numbers = NULL;
  const op2_mesh mesh = series->mesh;
  op2_status status = mesh->methods->agree(mesh, mesh->methods->mixed(mesh, &n, &numbers));
  if (!status) status = op2i_file_place(file, n, &first, &series->topology);
  const struct op2i_dataset what = {.kind = "numbers",
                                    .name = "topology",
                                    .type = OP2_I64,
                                    .rows = series->topology,
                                    .size = -1,
                                    .bare = true};
  if (!status) status = op2i_dataset_write(file, &what, first, n, numbers, OP2_SUCCESS);
  series->op2->free(numbers);
  return status;
}

static op2_status write_mesh(op2_xdmf series) {
  op2_file file = NULL;
  op2_status status = open_numbered(series, -1, &file);
  if (status) return status;
  status = op2_file_write_dat(file, series->mesh->coordinates, "coordinates");
  if (!status) status = write_topology(series, file);
  return close_file(file, status);
}

static op2_status write_dats(op2_xdmf series, int n, const op2_dat *dats) {
  op2_file file = NULL;
  op2_status status = open_numbered(series, series->n, &file);
  if (status) return status;
  for (int d = 0; d < n && !status; d++) status = op2_file_write_dat(file, dats[d], NULL);
  return close_file(file, status);
}

/* ---- series ---------------------------------------------------------------------------------- */

/* The length of a path without its ending; -1: it has another one. */
static int find_stem(const char *path) {
  static const char *const endings[] = {".xdmf", ".xmf"};
  for (int e = 0; e < 2; e++) {
    const size_t length = strlen(path), end = strlen(endings[e]);
    if (length > end && path[length - end - 1] != '/' &&
        strcmp(path + length - end, endings[e]) == 0)
      return (int)(length - end);
  }
  return -1;
}

static op2_status make_series(const struct op2i_companion *op2, op2_mesh mesh, const char *path,
                              op2_xdmf *out) {
  const int stem = find_stem(path);
  if (stem < 0)
    return op2->error(OP2_ERR_NAME, "op2_xdmf_create: '%s' does not end with .xdmf or .xmf", path);
  const size_t length = strlen(path) + 1;
  op2_xdmf series = op2->calloc(1, sizeof *series + 2 * length);
  if (!series) return op2->error_nomem("a series of results");
  char *copy = memcpy((char *)series + sizeof *series, path, length);
  char *name = memcpy(copy + length, path, (size_t)stem);
  *series = (struct op2_xdmf_s){.magic = OP2I_XDMF_MAGIC, .mesh = mesh, .op2 = op2, .stem = stem};
  series->path = copy;
  series->name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
  *out = series;
  return OP2_SUCCESS;
}

op2_status op2_xdmf_create(op2_mesh mesh, const char *path, op2_xdmf *out) {
  static const char call[] = "op2_xdmf_create";
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  op2_xdmf series = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2i_hdf5_check_mesh(op2, mesh, call);
  if (status) return status;
  op2->call(mesh->ctx, call, path, 0, 0);
  if (!path || !out)
    status = op2->error(OP2_ERR_ARG, "%s: a null pointer", call);
  else
    status = make_series(op2, mesh, path, &series);
  status = mesh->methods->agree(mesh, status);
  if (!status) status = write_mesh(series);
  if (status)
    op2_xdmf_destroy(&series);
  else
    *out = series;
  return status;
}

static op2_status check_dats(op2_xdmf series, int n, const op2_dat *dats) {
  op2_dat_info info;
  if (n < 0 || (n > 0 && !dats))
    return series->op2->error(OP2_ERR_ARG,
                              "op2_xdmf_write: null dats, or a negative number of them");
  for (int d = 0; d < n; d++) {
    op2_status status = op2_dat_info_get(dats[d], &info);
    if (status) return status;
    if (info.set != series->mesh->nodes && info.set != series->mesh->cells)
      return series->op2->error(OP2_ERR_MISMATCH,
                                "op2_xdmf_write: dat '%s' is neither on the nodes nor on the cells "
                                "of the mesh",
                                info.name);
  }
  return OP2_SUCCESS;
}

op2_status op2_xdmf_write(op2_xdmf series, double time, int n, const op2_dat *dats) {
  static const char call[] = "op2_xdmf_write";
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  char *grids = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!series || series->magic != OP2I_XDMF_MAGIC)
    return op2->error(OP2_ERR_ARG, "%s: not a series of op2_xdmf_create()", call);
  const op2_mesh mesh = series->mesh;
  op2_status status = op2i_hdf5_check_mesh(op2, mesh, call);
  if (status) return status;
  op2->call(mesh->ctx, call, series->path, (uint64_t)n, 0);
  status = mesh->methods->agree(mesh, check_dats(series, n, dats));
  if (!status) status = write_dats(series, n, dats);
  if (!status) {
    if (op2_rank(mesh->ctx) == 0) status = print_grids(series, time, n, dats, &grids);
    if (!status && grids) status = replace_text(series, grids);
    status = mesh->methods->agree(mesh, status);
  }
  if (status) {
    op2->free(grids);
    return status;
  }
  op2->free(series->grids);
  series->grids = grids;
  series->n++;
  return OP2_SUCCESS;
}

void op2_xdmf_destroy(op2_xdmf *handle) {
  if (!handle || !*handle) return;
  op2_xdmf series = *handle;
  *handle = NULL;
  if (series->magic != OP2I_XDMF_MAGIC) return;
  series->magic = 0;
  series->op2->free(series->grids);
  series->op2->free(series);
}
