/* SPDX-License-Identifier: BSD-3-Clause */
/* All objects of a context are written to a file. Each is a dataset that the other calls write. A
 * text beside them says what belongs together, which OP2's layout leaves to programs. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io_all.h"
#include "mesh.h"
#include "op2/matrix.h"
#include "sparse.h"

/* ---- kinds of objects ------------------------------------------------------------------------ */

static op2_status write_set(op2_file file, void *set) {
  return op2_file_write_set(file, set, NULL);
}
static op2_status write_map(op2_file file, void *map) {
  return op2_file_write_map(file, map, NULL);
}
static op2_status write_dat(op2_file file, void *dat) {
  return op2_file_write_dat(file, dat, NULL);
}
static op2_status write_subset(op2_file file, void *subset) {
  return op2i_subset_write(file, subset);
}
static op2_status write_sparsity(op2_file file, void *sparsity) {
  return op2i_sparsity_write(file, sparsity);
}
static op2_status write_mat(op2_file file, void *mat) { return op2i_mat_write(file, mat); }

/* The values that `get` copies out. */
static op2_status write_values(op2_file file, void *object, int dim, op2_type type,
                               const char *name, op2_status (*get)(void *object, void *out)) {
  void *values = file->op2->calloc((size_t)dim, file->op2->type_size(type));
  op2_status status = values ? OP2_SUCCESS : file->op2->error_nomem("values of a file");
  status = op2i_file_agree(file, status);
  if (!status) status = op2i_file_agree(file, get(object, values));
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

/* The k-th object that an object's lines name, or null behind the last one. */
static void *subset_other(const void *handle, int k) {
  return k ? NULL : ((const struct op2_set_s *)handle)->base;
}
static void *map_other(const void *handle, int k) {
  const struct op2_map_s *map = handle;
  return k > 1 ? NULL : k ? map->to : map->from;
}
static void *dat_other(const void *handle, int k) {
  return k ? NULL : ((const struct op2_dat_s *)handle)->set;
}
static void *sparsity_other(const void *handle, int k) {
  const struct op2_sparsity_s *sparsity = handle;
  if (k >= 2 * sparsity->npairs) return NULL;
  return k % 2 ? sparsity->pairs[k / 2].columns : sparsity->pairs[k / 2].rows;
}
static void *mat_other(const void *handle, int k) {
  return k ? NULL : ((const struct op2_mat_s *)handle)->sparsity;
}

static bool is_subset(const void *handle) {
  return ((const struct op2_set_s *)handle)->base != handle;
}
static bool is_single(const void *handle) {
  return ((const struct op2_set_s *)handle)->single && !is_subset(handle);
}
static bool is_set(const void *handle) { return !is_single(handle) && !is_subset(handle); }
static bool is_whole_map(const void *handle) {
  const struct op2_map_s *map = handle;
  return (map->idx || map->global || op2i_map_single(map)) && !map->absent;
}
static bool is_partial_map(const void *handle) {
  const struct op2_map_s *map = handle;
  return (map->idx || map->global) && map->absent;
}

/* How the objects of a kind are written. */
static const struct writer {
  bool (*written)(const void *handle);       /* null: all of them are */
  void *(*other)(const void *handle, int k); /* null: there are none */
  int others;                                /* the kind of these, or the first of several */
  op2_status (*write)(op2_file file, void *object);
} writers[OP2I_FILE_KINDS] = {
    [OP2I_FILE_SET] = {.written = is_set, .write = write_set},
    [OP2I_FILE_SINGLE] = {.written = is_single, .write = write_set},
    [OP2I_FILE_SUBSET] = {is_subset, subset_other, OP2I_FILE_SET, write_subset},
    [OP2I_FILE_MAP] = {is_whole_map, map_other, OP2I_FILE_SET, write_map},
    [OP2I_FILE_PARTIAL] = {is_partial_map, map_other, OP2I_FILE_SET, write_map},
    [OP2I_FILE_DAT] = {NULL, dat_other, OP2I_FILE_SET, write_dat},
    [OP2I_FILE_GBL] = {.write = write_gbl},
    [OP2I_FILE_CONST] = {.write = write_const},
    [OP2I_FILE_SPARSITY] = {NULL, sparsity_other, OP2I_FILE_MAP, write_sparsity},
    [OP2I_FILE_MAT] = {NULL, mat_other, OP2I_FILE_SPARSITY, write_mat},
};

/* ---- the list of objects --------------------------------------------------------------------- */

struct entry {
  struct op2i_object *object; /* referenced */
  int kind;
  bool given_up; /* the program has destroyed the handle */
};

/* A dump writes all objects that the program has handles of, and those that they use, even if their
 * handles were destroyed. */
struct dump {
  op2_file file;
  struct entry *entries;
  int64_t n, room;
  struct op2i_contents text;
};

static void *other_of(const struct entry *entry, int k) {
  const struct writer *writer = &writers[entry->kind];
  return writer->other ? writer->other(entry->object, k) : NULL;
}

static bool has(const struct dump *dump, const void *object) {
  for (int64_t i = 0; i < dump->n; i++)
    if (dump->entries[i].object == object) return true;
  return false;
}

/* Handles of objects in the list are valid until it is freed. */
static op2_status add(struct dump *dump, int kind, void *handle) {
  const struct op2i_companion *op2 = dump->file->op2;
  struct op2i_object *object = handle;
  if (has(dump, object)) return OP2_SUCCESS;
  if (dump->n == dump->room) {
    const int64_t room = 2 * dump->room + 16;
    struct entry *entries = op2->calloc((size_t)room, sizeof *entries);
    if (!entries) return op2->error_nomem("a list of objects");
    if (dump->n) memcpy(entries, dump->entries, (size_t)dump->n * sizeof *entries);
    op2->free(dump->entries);
    dump->entries = entries;
    dump->room = room;
  }
  op2->ref(object);
  dump->entries[dump->n++] = (struct entry){object, kind, object->given_up};
  object->given_up = false;
  return OP2_SUCCESS;
}

static void free_list(struct dump *dump) {
  const struct op2i_companion *op2 = dump->file->op2;
  for (int64_t i = 0; i < dump->n; i++) {
    struct op2i_object *object = dump->entries[i].object;
    object->given_up = object->given_up || dump->entries[i].given_up;
    op2->unref(object);
  }
  op2->free(dump->entries);
}

static op2_status list_handles(struct dump *dump, int kind) {
  const struct op2i_file_kind *of = &op2i_file_kinds[kind];
  const struct writer *writer = &writers[kind];
  op2_status status = OP2_SUCCESS;
  const int64_t n = writer->write ? op2_objects(dump->file->ctx, of->kind) : 0;
  for (int64_t i = 0; i < n && !status; i++) {
    op2_object object;
    status = op2_object_get(dump->file->ctx, of->kind, (int)i, &object);
    if (!status && (!writer->written || writer->written(object.handle)))
      status = add(dump, kind, object.handle);
  }
  return status;
}

/* The kind of an object that is of `kind` or of one behind it: other sets follow plain ones, and
 * maps that may lead nowhere the others. */
static int kind_of(int kind, const void *handle) {
  while (writers[kind].written && !writers[kind].written(handle)) kind++;
  return kind;
}

/* Objects whose handles were destroyed are in no list of the program's, so they are found by what
 * uses them. */
static op2_status list_others(struct dump *dump, int kind) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < dump->n && !status; i++) {
    const struct entry entry = dump->entries[i];
    void *other = NULL;
    if (entry.kind != kind) continue;
    for (int k = 0; !status && (other = other_of(&entry, k)); k++)
      status = add(dump, kind_of(writers[kind].others, other), other);
  }
  return status;
}

/* By kinds, and in each by declaration. */
static int compare(const void *one, const void *two) {
  const struct entry *a = one, *b = two;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  return a->object->id < b->object->id ? -1 : a->object->id > b->object->id;
}

/* The objects that one uses are of kinds that come before its own. */
static op2_status make_list(struct dump *dump) {
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < OP2I_FILE_KINDS && !status; k++) status = list_handles(dump, k);
  for (int k = OP2I_FILE_KINDS; k-- > 0 && !status;) status = list_others(dump, k);
  if (!status && dump->n) qsort(dump->entries, (size_t)dump->n, sizeof *dump->entries, compare);
  return op2i_file_agree(dump->file, status);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Fill in an object's line; `block` has room for the words that are made for it. */
enum { BLOCK_ROOM = 32 };
static void describe(const struct entry *entry, struct op2i_line *line, char block[BLOCK_ROOM]) {
  const struct op2i_file_kind *kind = &op2i_file_kinds[entry->kind];
  *line = (struct op2i_line){{kind->word, entry->object->name}, kind->nwords};
  for (int k = 0; k + 2 < kind->nwords; k++) {
    const struct op2i_object *other = other_of(entry, k);
    if (other) line->words[k + 2] = other->name;
  }
  if (entry->kind != OP2I_FILE_MAT) return;
  const struct op2_mat_s *mat = (const void *)entry->object;
  snprintf(block, BLOCK_ROOM, "%dx%d", (int)mat->row_dim, (int)mat->column_dim);
  line->words[3] = block;
}

static op2_status add_pair(op2_file file, struct op2i_contents *text,
                           const struct op2_sparsity_s *sparsity, const char *rows,
                           const char *columns) {
  const struct op2i_file_kind *kind = &op2i_file_kinds[OP2I_FILE_PAIR];
  const struct op2i_line line = {{kind->word, sparsity->obj.name, rows, columns}, kind->nwords};
  return op2i_contents_add(file, text, &line);
}

/* Maps to rows come before those to columns, also where the nonzeros are kept by columns. A matrix
 * whose rows and columns are of one element has its diagonal by itself. */
static op2_status add_pairs(op2_file file, struct op2i_contents *text,
                            const struct op2_sparsity_s *sparsity) {
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < sparsity->npairs && !status; k++) {
    const struct op2i_pair *pair = &sparsity->pairs[k];
    const op2_map rows = sparsity->flipped ? pair->columns : pair->rows;
    const op2_map columns = sparsity->flipped ? pair->rows : pair->columns;
    status = add_pair(file, text, sparsity, rows->obj.name, columns->obj.name);
  }
  if (!status && sparsity->whole_diagonal && !sparsity->rows->single)
    status = add_pair(file, text, sparsity, "", "");
  return status;
}

static op2_status write_entry(struct dump *dump, const struct entry *entry) {
  struct op2i_line line;
  char block[BLOCK_ROOM];
  op2_status status = OP2_SUCCESS;
  describe(entry, &line, block);
  if (entry->kind == OP2I_FILE_SPARSITY)
    status = add_pairs(dump->file, &dump->text, (const void *)entry->object);
  if (!status) status = op2i_contents_add(dump->file, &dump->text, &line);
  status = op2i_file_agree(dump->file, status);
  return status ? status : writers[entry->kind].write(dump->file, entry->object);
}

static op2_status write_all(op2_file file) {
  struct dump dump = {.file = file};
  op2_status status = make_list(&dump);
  for (int64_t i = 0; i < dump.n && !status; i++) status = write_entry(&dump, &dump.entries[i]);
  if (!status && dump.text.length > INT_MAX)
    status = file->op2->error(OP2_ERR_RANGE, "%s: too many objects", file->path);
  if (!status && dump.text.length)
    status =
        op2_file_write_const(file, (int)dump.text.length, OP2_I8, OP2I_CONTENTS, dump.text.chars);
  file->op2->free(dump.text.chars);
  free_list(&dump);
  return status;
}

op2_status op2_file_dump(op2_context ctx, const char *path) {
  op2_file file = NULL;
  op2_status status = op2_file_open(ctx, path, OP2_FILE_CREATE, &file);
  if (status) return status;
  status = write_all(file);
  return status ? op2i_file_abandon(file, status) : op2_file_close(&file);
}
