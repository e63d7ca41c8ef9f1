/* SPDX-License-Identifier: BSD-3-Clause */
/* All objects of a context in a file, and back. Each is a dataset that the other calls write and
 * read. A text beside them says what belongs together, which OP2's layout leaves to programs. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io_file.h"
#include "mesh.h"
#include "op2/ranks.h"

static const char contents[] = "op2_contents";

/* A line of the text: what it is, its name, and the names of the sets that belong to it. */
enum { WORDS = 4 };
struct line {
  const char *words[WORDS];
  int n;
};

struct text {
  char *chars;
  size_t length, room;
};

/* A list of objects that are being read, and the file. */
struct reading {
  op2_file file;
  op2_object *objects;
  int64_t n;
};

/* ---- writing --------------------------------------------------------------------------------- */

static op2_status write_set(op2_file file, void *set) {
  return op2_file_write_set(file, set, NULL);
}
static op2_status write_map(op2_file file, void *map) {
  return op2_file_write_map(file, map, NULL);
}
static op2_status write_dat(op2_file file, void *dat) {
  return op2_file_write_dat(file, dat, NULL);
}

/* The values that `get` copies out. */
static op2_status write_values(op2_file file, void *object, int dim, op2_type type,
                               const char *name, op2_status (*get)(void *object, void *out)) {
  void *values = file->op2->calloc((size_t)dim, file->op2->type_size(type));
  op2_status status = values ? OP2_SUCCESS : file->op2->error_nomem("values of a file");
  status = op2i_file_agree(file, status);
  if (!status) status = get(object, values);
  if (!status) status = op2_file_write_const(file, dim, type, name, values);
  file->op2->free(values);
  return status;
}

static op2_status get_gbl(void *gbl, void *out) { return op2_gbl_get(gbl, out); }
static op2_status write_gbl(op2_file file, void *object) {
  op2_gbl gbl = object;
  return write_values(file, gbl, gbl->dim, gbl->type, gbl->obj.name, get_gbl);
}

static op2_status get_const(void *cst, void *out) { return op2_const_get(cst, out); }
static op2_status write_const(op2_file file, void *object) {
  op2_const cst = object;
  return write_values(file, cst, cst->dim, cst->type, cst->obj.name, get_const);
}

/* ---- reading --------------------------------------------------------------------------------- */

static op2_status read_set(struct reading *r, const struct line *line, void **out) {
  op2_set set = NULL;
  op2_status status = op2_file_read_set(r->file, line->words[1], &set);
  *out = set;
  return status;
}

/* The set of this name among those that have been read; null: there is none, which is an error. */
static op2_set set_called(const struct reading *r, const struct line *line, int word) {
  for (int64_t i = 0; i < r->n; i++)
    if (r->objects[i].kind == OP2_OBJECT_SET && !strcmp(r->objects[i].name, line->words[word]))
      return r->objects[i].handle;
  r->file->op2->error(OP2_ERR_IO, "%s: %s '%s' is on set '%s', which is not in the file",
                      r->file->path, line->words[0], line->words[1], line->words[word]);
  return NULL;
}

static op2_status read_map(struct reading *r, const struct line *line, void **out) {
  op2_set from = set_called(r, line, 2), to = from ? set_called(r, line, 3) : NULL;
  int64_t rows;
  int arity;
  op2_type type;
  op2_map map = NULL;
  if (!to) return OP2_ERR_IO;
  op2_status status = op2_file_shape(r->file, line->words[1], &rows, &arity, &type);
  if (!status) status = op2_file_read_map(r->file, from, to, arity, line->words[1], &map);
  *out = map;
  return status;
}

static op2_status read_dat(struct reading *r, const struct line *line, void **out) {
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
static op2_status read_gbl(struct reading *r, const struct line *line, void **out) {
  return read_values(r, line->words[1], create_gbl, out);
}

static op2_status create_const(op2_context ctx, int dim, op2_type type, const void *values,
                               const char *name, void **out) {
  op2_const cst = NULL;
  op2_status status = op2_const_create(ctx, dim, type, values, name, &cst);
  *out = cst;
  return status;
}
static op2_status read_const(struct reading *r, const struct line *line, void **out) {
  return read_values(r, line->words[1], create_const, out);
}

/* ---- kinds of objects ------------------------------------------------------------------------ */

static void destroy_set(void *set) { op2_set_destroy(&(op2_set){set}); }
static void destroy_map(void *map) { op2_map_destroy(&(op2_map){map}); }
static void destroy_dat(void *dat) { op2_dat_destroy(&(op2_dat){dat}); }
static void destroy_gbl(void *gbl) { op2_gbl_destroy(&(op2_gbl){gbl}); }
static void destroy_const(void *cst) { op2_const_destroy(&(op2_const){cst}); }

/* In the order in which they are written and read. */
static const struct kind {
  op2_object_kind kind;
  const char *word;
  int nwords; /* in its lines */
  op2_status (*write)(op2_file file, void *object);
  op2_status (*read)(struct reading *r, const struct line *line, void **out);
  void (*destroy)(void *object);
} kinds[] = {
    {OP2_OBJECT_SET, "set", 2, write_set, read_set, destroy_set},
    {OP2_OBJECT_MAP, "map", 4, write_map, read_map, destroy_map},
    {OP2_OBJECT_DAT, "dat", 3, write_dat, read_dat, destroy_dat},
    {OP2_OBJECT_GBL, "global", 2, write_gbl, read_gbl, destroy_gbl},
    {OP2_OBJECT_CONST, "constant", 2, write_const, read_const, destroy_const},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Fill in an object's line. False: it is not written. */
static bool describe(const struct kind *kind, const op2_object *object, struct line *line) {
  *line = (struct line){{kind->word, object->name}, kind->nwords};
  if (kind->kind == OP2_OBJECT_SET) return ((op2_set)object->handle)->base == object->handle;
  if (kind->kind == OP2_OBJECT_DAT) line->words[2] = ((op2_dat)object->handle)->set->obj.name;
  if (kind->kind != OP2_OBJECT_MAP) return true;
  const op2_map map = object->handle;
  line->words[2] = map->from->obj.name;
  line->words[3] = map->to->obj.name;
  return map->idx || map->global;
}

/* Sets whose handles the program has destroyed are in no list, so they would be missing. */
static op2_status check_set(op2_file file, const struct line *line, op2_set set) {
  if (!set->obj.given_up) return OP2_SUCCESS;
  return file->op2->error(OP2_ERR_STATE, "%s: %s '%s' is on set '%s', whose handle was destroyed",
                          file->path, line->words[0], line->words[1], set->obj.name);
}

static op2_status check_sets(op2_file file, const struct line *line, const op2_object *object) {
  if (object->kind == OP2_OBJECT_DAT) return check_set(file, line, ((op2_dat)object->handle)->set);
  if (object->kind != OP2_OBJECT_MAP) return OP2_SUCCESS;
  op2_status status = check_set(file, line, ((op2_map)object->handle)->from);
  return status ? status : check_set(file, line, ((op2_map)object->handle)->to);
}

/* ---- the text -------------------------------------------------------------------------------- */

static op2_status enlarge(op2_file file, struct text *text, size_t more) {
  const size_t room = 2 * (text->room + more);
  if (text->length + more <= text->room) return OP2_SUCCESS;
  char *chars = file->op2->calloc(room, 1);
  if (!chars) return file->op2->error_nomem("the contents of a file");
  if (text->length) memcpy(chars, text->chars, text->length);
  file->op2->free(text->chars);
  text->chars = chars;
  text->room = room;
  return OP2_SUCCESS;
}

static op2_status add_line(op2_file file, struct text *text, const struct line *line) {
  for (int w = 0; w < line->n; w++) {
    const size_t length = strlen(line->words[w]);
    if (strpbrk(line->words[w], "\t\n"))
      return file->op2->error(OP2_ERR_NAME,
                              "%s: %s '%s': a name with a tab or the end of a line in it",
                              file->path, line->words[0], line->words[w]);
    op2_status status = enlarge(file, text, length + 1);
    if (status) return status;
    memcpy(text->chars + text->length, line->words[w], length);
    text->chars[text->length + length] = w + 1 < line->n ? '\t' : '\n';
    text->length += length + 1;
  }
  return OP2_SUCCESS;
}

/* Cut the next line of a text into words. */
static void take_line(char **at, struct line *line) {
  char *end = strchr(*at, '\n');
  *line = (struct line){.n = 0};
  if (end) *end = '\0';
  for (char *word = *at; word; line->n++) {
    char *next = strchr(word, '\t');
    if (next) *next++ = '\0';
    if (line->n < WORDS) line->words[line->n] = word;
    word = next;
  }
  *at = end ? end + 1 : *at + strlen(*at);
}

/* ---- all of a context ------------------------------------------------------------------------ */

static op2_status write_kind(op2_file file, const struct kind *kind, struct text *text) {
  op2_status status = OP2_SUCCESS;
  const int64_t n = op2_objects(file->ctx, kind->kind);
  for (int64_t i = 0; i < n && !status; i++) {
    op2_object object;
    struct line line;
    status = op2_object_get(file->ctx, kind->kind, (int)i, &object);
    if (status || !describe(kind, &object, &line)) continue;
    status = check_sets(file, &line, &object);
    if (!status) status = add_line(file, text, &line);
    status = op2i_file_agree(file, status);
    if (!status) status = kind->write(file, object.handle);
  }
  return status;
}

static op2_status write_all(op2_file file) {
  struct text text = {0};
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < KINDS && !status; k++) status = write_kind(file, &kinds[k], &text);
  if (!status && text.length > INT_MAX)
    status = file->op2->error(OP2_ERR_RANGE, "%s: too many objects", file->path);
  if (!status && text.length)
    status = op2_file_write_const(file, (int)text.length, OP2_I8, contents, text.chars);
  file->op2->free(text.chars);
  return status;
}

/* Close a file that must not replace the former one, and return its failure. */
static op2_status abandon(op2_file file, op2_status status) {
  const struct op2i_companion *op2 = file->op2;
  if (!file->broken) snprintf(file->why, sizeof file->why, "%.399s", op2_error_message());
  char why[sizeof file->why];
  memcpy(why, file->why, sizeof why);
  file->broken = true;
  op2_status closed = op2_file_close(&file);
  return closed ? op2->error(status, "%s", why) : status;
}

op2_status op2_file_dump(op2_context ctx, const char *path) {
  op2_file file = NULL;
  op2_status status = op2_file_open(ctx, path, OP2_FILE_CREATE, &file);
  if (status) return status;
  status = write_all(file);
  return status ? abandon(file, status) : op2_file_close(&file);
}

static const struct kind *kind_of(const struct line *line) {
  for (int k = 0; k < KINDS; k++)
    if (!strcmp(kinds[k].word, line->words[0]))
      return line->n == kinds[k].nwords ? &kinds[k] : NULL;
  return NULL;
}

static op2_status read_line(struct reading *r, const struct line *line) {
  const struct kind *kind = kind_of(line);
  if (!kind)
    return r->file->op2->error(OP2_ERR_IO, "%s: line %d of '%s' describes no object of op2",
                               r->file->path, (int)r->n + 1, contents);
  void *handle = NULL;
  op2_status status = kind->read(r, line, &handle);
  if (!status)
    r->objects[r->n++] = (op2_object){
        .kind = kind->kind, .handle = handle, .name = ((const struct op2i_object *)handle)->name};
  return status;
}

static void destroy_read(struct reading *r) {
  while (r->n-- > 0)
    for (int k = 0; k < KINDS; k++)
      if (kinds[k].kind == r->objects[r->n].kind) kinds[k].destroy(r->objects[r->n].handle);
  r->file->op2->free(r->objects);
}

/* Read the text; *text is the caller's. */
static op2_status read_text(op2_file file, char **text) {
  int64_t rows;
  int columns;
  op2_type type;
  op2_status status = op2_file_shape(file, contents, &rows, &columns, &type);
  if (!status && (type != OP2_I8 || columns != 1 || rows >= INT_MAX))
    status = file->op2->error(OP2_ERR_TYPE, "%s: '%s' is not the text of op2_file_dump()",
                              file->path, contents);
  if (status) return status;
  *text = file->op2->calloc((size_t)rows + 1, 1);
  status = *text ? OP2_SUCCESS : file->op2->error_nomem("the contents of a file");
  status = op2i_file_agree(file, status);
  return status ? status : op2_file_read_const(file, (int)rows, OP2_I8, contents, *text);
}

static op2_status read_all(struct reading *r, char *text) {
  size_t lines = 1;
  for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
  r->objects = r->file->op2->calloc(lines, sizeof *r->objects);
  op2_status status = r->objects ? OP2_SUCCESS : r->file->op2->error_nomem("a list of objects");
  status = op2i_file_agree(r->file, status);
  for (char *at = text; *at && !status;) {
    struct line line;
    take_line(&at, &line);
    status = read_line(r, &line);
  }
  return status;
}

op2_status op2_file_read_all(op2_file file, int64_t *n, const op2_object **objects) {
  static const char call[] = "op2_file_read_all";
  struct reading r = {.file = file};
  char *text = NULL;
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  file->op2->call(file->ctx, call, NULL, 0, 0);
  status = op2i_file_agree(file, op2i_file_check(file, call, false, contents, n));
  if (!status && !objects) status = file->op2->error(OP2_ERR_ARG, "%s: a null pointer", call);
  if (!status) status = read_text(file, &text);
  if (!status) status = read_all(&r, text);
  file->op2->free(text);
  if (status) {
    destroy_read(&r);
    return status;
  }
  file->op2->free(file->objects);
  file->objects = r.objects;
  *n = r.n;
  *objects = r.objects;
  return OP2_SUCCESS;
}
