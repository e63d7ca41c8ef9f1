/* SPDX-License-Identifier: BSD-3-Clause */
/* All objects that op2_file_dump() has written are declared again, by the text that says what
 * belongs together. Each is a dataset that the other calls read. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io_all.h"
#include "mesh.h"
#include "op2/matrix.h"

/* A list of objects that are being read, and the file. */
struct reading {
  op2_file file;
  bool of_matrices; /* sparsities and matrices are read, else all other objects */
  op2_object *objects;
  int64_t n;
  op2_map_pair *pairs; /* those of the sparsity that comes next */
  int npairs;
  int line; /* the number of the line that is read, from 1 */
};

/* ---- objects of each kind --------------------------------------------------------------------- */

static op2_status read_set(struct reading *r, const struct op2i_line *line, void **out) {
  op2_set set = NULL;
  op2_status status = op2_file_read_set(r->file, line->words[1], &set);
  *out = set;
  return status;
}

static op2_status read_single(struct reading *r, const struct op2i_line *line, void **out) {
  op2_set set = NULL;
  op2_status status = op2i_file_read_single(r->file, line->words[1], &set);
  *out = set;
  return status;
}

/* The object of this kind and name among those of a list; null: there is none. */
static void *object_called(const op2_object *objects, int64_t n, op2_object_kind kind,
                           const char *name) {
  for (int64_t i = 0; i < n; i++)
    if (objects[i].kind == kind && !strcmp(objects[i].name, name)) return objects[i].handle;
  return NULL;
}

/* The set of this name among those that have been read; null: there is none, which is an error. */
static op2_set set_called(const struct reading *r, const struct op2i_line *line, int word) {
  const op2_set set = object_called(r->objects, r->n, OP2_OBJECT_SET, line->words[word]);
  if (!set)
    r->file->op2->error(OP2_ERR_IO, "%s: %s '%s' is on set '%s', which is not in the file",
                        r->file->path, line->words[0], line->words[1], line->words[word]);
  return set;
}

static op2_status read_subset(struct reading *r, const struct op2i_line *line, void **out) {
  const op2_set base = set_called(r, line, 2);
  op2_set subset = NULL;
  op2_status status = base ? op2i_subset_read(r->file, base, line->words[1], &subset) : OP2_ERR_IO;
  *out = subset;
  return status;
}

static op2_status read_a_map(struct reading *r, const struct op2i_line *line,
                             op2_status (*read)(op2_file file, op2_set from, op2_set to, int arity,
                                                const char *name, op2_map *map),
                             void **out) {
  op2_set from = set_called(r, line, 2), to = from ? set_called(r, line, 3) : NULL;
  int64_t rows;
  int arity;
  op2_type type;
  op2_map map = NULL;
  if (!to) return OP2_ERR_IO;
  op2_status status = op2_file_shape(r->file, line->words[1], &rows, &arity, &type);
  if (!status) status = read(r->file, from, to, arity, line->words[1], &map);
  *out = map;
  return status;
}
static op2_status read_map(struct reading *r, const struct op2i_line *line, void **out) {
  return read_a_map(r, line, op2_file_read_map, out);
}
static op2_status read_partial(struct reading *r, const struct op2i_line *line, void **out) {
  return read_a_map(r, line, op2_file_read_map_partial, out);
}

static op2_status read_dat(struct reading *r, const struct op2i_line *line, void **out) {
  op2_set set = set_called(r, line, 2);
  int64_t rows;
  int dim;
  op2_type type;
  op2_dat dat = NULL;
  if (!set) return OP2_ERR_IO;
  op2_status status = op2_file_shape(r->file, line->words[1], &rows, &dim, &type);
  if (!status) status = op2_file_read_dat(r->file, set, dim, type, line->words[1], &dat);
  *out = dat;
  return status;
}

/* Read values that are kept without a set, for `create`. */
static op2_status read_values(struct reading *r, const char *name,
                              op2_status (*create)(op2_context ctx, int dim, op2_type type,
                                                   const void *values, const char *name,
                                                   void **out),
                              void **out) {
  const struct op2i_companion *op2 = r->file->op2;
  int64_t rows;
  int columns;
  op2_type type;
  op2_status status = op2_file_shape(r->file, name, &rows, &columns, &type);
  if (status) return status;
  if (rows > INT_MAX / (columns ? columns : 1))
    return op2->error(OP2_ERR_RANGE, "%s: '%s' has too many values", r->file->path, name);
  const int dim = (int)rows * columns;
  void *values = op2->calloc((size_t)dim + 1, op2->type_size(type));
  status = op2i_file_agree(r->file, values ? OP2_SUCCESS : op2->error_nomem("values of a file"));
  if (!status) status = op2_file_read_const(r->file, dim, type, name, values);
  if (!status) status = create(r->file->ctx, dim, type, values, name, out);
  op2->free(values);
  return status;
}

static op2_status create_gbl(op2_context ctx, int dim, op2_type type, const void *values,
                             const char *name, void **out) {
  op2_gbl gbl = NULL;
  op2_status status = op2_gbl_create(ctx, dim, type, values, name, &gbl);
  *out = gbl;
  return status;
}
static op2_status read_gbl(struct reading *r, const struct op2i_line *line, void **out) {
  return read_values(r, line->words[1], create_gbl, out);
}

static op2_status create_const(op2_context ctx, int dim, op2_type type, const void *values,
                               const char *name, void **out) {
  op2_const cst = NULL;
  op2_status status = op2_const_create(ctx, dim, type, values, name, &cst);
  *out = cst;
  return status;
}
static op2_status read_const(struct reading *r, const struct op2i_line *line, void **out) {
  return read_values(r, line->words[1], create_const, out);
}

/* True if op2_file_read_all() has made this object, whether or not it exists. */
static bool was_read(const struct op2_file_s *file, const void *handle) {
  for (int64_t i = 0; i < file->nobjects; i++)
    if (file->objects[i].handle == handle) return true;
  return false;
}

/* A map that op2_file_read_all() has read; an empty word stands for the diagonal. */
static op2_status map_called(const struct reading *r, const struct op2i_line *line, int word,
                             op2_map *map) {
  const char *name = line->words[word];
  const int64_t n = *name ? op2_objects(r->file->ctx, OP2_OBJECT_MAP) : 0;
  for (int64_t i = 0; i < n; i++) {
    op2_object object;
    op2_status status = op2_object_get(r->file->ctx, OP2_OBJECT_MAP, (int)i, &object);
    if (status) return status;
    if (strcmp(object.name, name) || !was_read(r->file, object.handle)) continue;
    *map = object.handle;
    return OP2_SUCCESS;
  }
  if (!*name) return OP2_SUCCESS;
  return r->file->op2->error(OP2_ERR_STATE,
                             "%s: sparsity '%s' is of map '%s', which op2_file_read_all() has not "
                             "read or the program has destroyed",
                             r->file->path, line->words[1], name);
}

/* Remember a pair of maps. The file lists the pairs of a sparsity before the sparsity itself. */
static op2_status read_pair(struct reading *r, const struct op2i_line *line, void **out) {
  op2_map_pair *pair = &r->pairs[r->npairs++];
  op2_status status = map_called(r, line, 2, &pair->rows);
  if (!status) status = map_called(r, line, 3, &pair->columns);
  *out = NULL;
  return op2i_file_agree(r->file, status);
}

static op2_status read_sparsity(struct reading *r, const struct op2i_line *line, void **out) {
  op2_sparsity sparsity = NULL;
  op2_status status = op2_sparsity_create(r->npairs, r->pairs, line->words[1], &sparsity);
  memset(r->pairs, 0, (size_t)r->npairs * sizeof *r->pairs);
  r->npairs = 0;
  *out = sparsity;
  return status;
}

static op2_status read_mat(struct reading *r, const struct op2i_line *line, void **out) {
  const struct op2i_companion *op2 = r->file->op2;
  const op2_sparsity sparsity =
      object_called(r->objects, r->n, OP2_OBJECT_SPARSITY, line->words[2]);
  int rows = 0, columns = 0;
  op2_mat mat = NULL;
  if (!sparsity)
    return op2->error(OP2_ERR_IO, "%s: matrix '%s' is of sparsity '%s', which is not in the file",
                      r->file->path, line->words[1], line->words[2]);
  if (sscanf(line->words[3], "%dx%d", &rows, &columns) != 2 || rows < 1 || columns < 1 ||
      rows > INT_MAX / columns)
    return op2->error(OP2_ERR_IO, "%s: matrix '%s' has blocks of '%s', not of two numbers as '1x1'",
                      r->file->path, line->words[1], line->words[3]);
  op2_status status = op2i_mat_read(r->file, sparsity, rows, columns, line->words[1], &mat);
  *out = mat;
  return status;
}

static void destroy_set(void *set) { op2_set_destroy(&(op2_set){set}); }
static void destroy_map(void *map) { op2_map_destroy(&(op2_map){map}); }
static void destroy_dat(void *dat) { op2_dat_destroy(&(op2_dat){dat}); }
static void destroy_gbl(void *gbl) { op2_gbl_destroy(&(op2_gbl){gbl}); }
static void destroy_const(void *cst) { op2_const_destroy(&(op2_const){cst}); }

static void destroy_sparsity(void *sparsity) { op2_sparsity_destroy(&(op2_sparsity){sparsity}); }
static void destroy_mat(void *mat) { op2_mat_destroy(&(op2_mat){mat}); }

static const struct reader {
  op2_status (*read)(struct reading *r, const struct op2i_line *line, void **out);
  void (*destroy)(void *object); /* null: it is no object */
} readers[OP2I_FILE_KINDS] = {
    [OP2I_FILE_SET] = {read_set, destroy_set},
    [OP2I_FILE_SINGLE] = {read_single, destroy_set},
    [OP2I_FILE_SUBSET] = {read_subset, destroy_set},
    [OP2I_FILE_MAP] = {read_map, destroy_map},
    [OP2I_FILE_PARTIAL] = {read_partial, destroy_map},
    [OP2I_FILE_DAT] = {read_dat, destroy_dat},
    [OP2I_FILE_GBL] = {read_gbl, destroy_gbl},
    [OP2I_FILE_CONST] = {read_const, destroy_const},
    [OP2I_FILE_PAIR] = {read_pair, NULL},
    [OP2I_FILE_SPARSITY] = {read_sparsity, destroy_sparsity},
    [OP2I_FILE_MAT] = {read_mat, destroy_mat},
};

/* ---- all of a file --------------------------------------------------------------------------- */

/* The kind of a line; OP2I_FILE_KINDS: it is none that this version knows. */
static int kind_of(const struct op2i_line *line) {
  int k = 0;
  while (k < OP2I_FILE_KINDS &&
         (strcmp(op2i_file_kinds[k].word, line->words[0]) || line->n != op2i_file_kinds[k].nwords))
    k++;
  return k;
}

static op2_status read_line(struct reading *r, const struct op2i_line *line) {
  const int k = kind_of(line);
  r->line++;
  if (k == OP2I_FILE_KINDS)
    return r->file->op2->error(OP2_ERR_IO, "%s: line %d of '%s' describes no object of op2",
                               r->file->path, r->line, OP2I_CONTENTS);
  if (op2i_file_kinds[k].of_matrices != r->of_matrices) return OP2_SUCCESS;
  void *handle = NULL;
  op2_status status = readers[k].read(r, line, &handle);
  if (!status && handle)
    r->objects[r->n++] = (op2_object){.kind = op2i_file_kinds[k].kind,
                                      .handle = handle,
                                      .name = ((const struct op2i_object *)handle)->name};
  return status;
}

static void destroy_read(struct reading *r) {
  while (r->n-- > 0)
    for (int k = OP2I_FILE_KINDS; k-- > 0;)
      if (readers[k].destroy && op2i_file_kinds[k].kind == r->objects[r->n].kind) {
        readers[k].destroy(r->objects[r->n].handle);
        break;
      }
  r->file->op2->free(r->objects);
}

/* Read the text; *text is the caller's. */
static op2_status read_text(op2_file file, char **text) {
  int64_t rows;
  int columns;
  op2_type type;
  op2_status status = op2_file_shape(file, OP2I_CONTENTS, &rows, &columns, &type);
  if (!status && (type != OP2_I8 || columns != 1 || rows >= INT_MAX))
    status = file->op2->error(OP2_ERR_TYPE, "%s: '%s' is not the text of op2_file_dump()",
                              file->path, OP2I_CONTENTS);
  if (status) return status;
  *text = file->op2->calloc((size_t)rows + 1, 1);
  status = *text ? OP2_SUCCESS : file->op2->error_nomem("the contents of a file");
  status = op2i_file_agree(file, status);
  return status ? status : op2_file_read_const(file, (int)rows, OP2_I8, OP2I_CONTENTS, *text);
}

static op2_status read_lines(struct reading *r, char *text) {
  size_t lines = 1;
  for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
  r->objects = r->file->op2->calloc(lines, sizeof *r->objects);
  r->pairs = r->file->op2->calloc(lines, sizeof *r->pairs);
  op2_status status =
      r->objects && r->pairs ? OP2_SUCCESS : r->file->op2->error_nomem("a list of objects");
  status = op2i_file_agree(r->file, status);
  for (char *at = text; *at && !status;) {
    struct op2i_line line;
    op2i_contents_take(&at, &line);
    status = read_line(r, &line);
  }
  r->file->op2->free(r->pairs);
  return status;
}

/* Read the objects of op2_file_read_all() or of op2_file_read_matrices(). On success they and the
 * list are the caller's. */
static op2_status read_objects(struct reading *r, const char *call, const int64_t *n,
                               const op2_object **objects) {
  op2_file file = r->file;
  char *text = NULL;
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  file->op2->call(file->ctx, call, NULL, 0, 0);
  status = op2i_file_check(file, call, false, OP2I_CONTENTS, n);
  if (!status && !objects) status = file->op2->error(OP2_ERR_ARG, "%s: a null pointer", call);
  if (!status && r->of_matrices && !file->objects)
    status = file->op2->error(OP2_ERR_STATE, "%s: %s: op2_file_read_all() has to come before", call,
                              file->path);
  status = op2i_file_agree(file, status);
  if (!status) status = read_text(file, &text);
  if (!status) status = read_lines(r, text);
  file->op2->free(text);
  if (status) destroy_read(r);
  return status;
}

op2_status op2_file_read_all(op2_file file, int64_t *n, const op2_object **objects) {
  struct reading r = {.file = file};
  op2_status status = read_objects(&r, "op2_file_read_all", n, objects);
  if (status) return status;
  file->op2->free(file->objects);
  file->objects = r.objects;
  file->nobjects = r.n;
  *n = r.n;
  *objects = r.objects;
  return OP2_SUCCESS;
}

op2_status op2_file_read_matrices(op2_file file, int64_t *n, const op2_object **objects) {
  struct reading r = {.file = file, .of_matrices = true};
  op2_status status = read_objects(&r, "op2_file_read_matrices", n, objects);
  if (status) return status;
  file->op2->free(file->matrices);
  file->matrices = r.objects;
  *n = r.n;
  *objects = r.objects;
  return OP2_SUCCESS;
}
