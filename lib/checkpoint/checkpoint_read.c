/* SPDX-License-Identifier: BSD-3-Clause */
/* One checkpoint is read. It is looked at as a whole before any value changes: first its text, then
 * whether the program fits it, and then the checksums of all that is going to be read. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint_digest.h"
#include "checkpoint_parts.h"
#include "checkpoint_text.h"
#include "context.h"
#include "mesh.h"
#include "op2/graph.h"
#include "op2/io.h"

struct reading {
  op2_checkpoint ck;
  op2_file file;
  char *text;
  size_t length;
  struct op2i_line *lines;
  int nlines;
  const struct op2i_line **found; /* [nitems] the line of each */
  void *room;
};

/* ---- the text -------------------------------------------------------------------------------- */

static op2_status bad_text(struct reading *r, const char *why) {
  return r->ck->op2->error(OP2_ERR_IO, "%s: the text '%s' %s", r->file->path, OP2I_CHECKPOINT_TEXT,
                           why);
}

/* The last line has the checksum of those before it. */
static op2_status check_text(struct reading *r) {
  char want[OP2I_CHECKSUM_ROOM + 8], checksum[OP2I_CHECKSUM_ROOM];
  size_t body = r->length > 0 ? r->length - 1 : 0;
  while (body > 0 && r->text[body - 1] != '\n') body--;
  op2i_checksum_word(XXH3_64bits(r->text, body), checksum);
  snprintf(want, sizeof want, "end\t%s\n", checksum);
  if (strcmp(r->text + body, want) != 0) return bad_text(r, "is damaged");
  if (strncmp(r->text, "checkpoint\t" OP2I_CHECKPOINT_FORM "\n",
              sizeof "checkpoint\t" OP2I_CHECKPOINT_FORM) != 0)
    return bad_text(r, "is of another version of the library");
  return OP2_SUCCESS;
}

static op2_status cut_lines(struct reading *r) {
  int n = 0;
  char *at = r->text;
  for (size_t i = 0; i < r->length; i++) n += r->text[i] == '\n';
  r->lines = r->ck->op2->calloc((size_t)n + 1, sizeof *r->lines);
  r->found = r->ck->op2->calloc((size_t)r->ck->nitems + 1, sizeof *r->found);
  if (!r->lines || !r->found) return r->ck->op2->error_nomem("the text of a checkpoint");
  for (; r->nlines < n; r->nlines++) op2i_contents_take(&at, &r->lines[r->nlines]);
  return OP2_SUCCESS;
}

static op2_status read_text(struct reading *r) {
  int64_t rows = 0;
  int columns = 0;
  op2_type type = OP2_I8;
  op2_status status = op2_file_shape(r->file, OP2I_CHECKPOINT_TEXT, &rows, &columns, &type);
  if (status) return status;
  if (rows < 1 || rows > INT_MAX || columns != 1 || type != OP2_I8) return bad_text(r, "is none");
  r->length = (size_t)rows;
  r->text = r->ck->op2->calloc(r->length + 1, 1);
  status = r->text ? OP2_SUCCESS : r->ck->op2->error_nomem("the text of a checkpoint");
  status = op2i_file_agree(r->file, status);
  if (!status)
    status = op2_file_read_const(r->file, (int)rows, OP2_I8, OP2I_CHECKPOINT_TEXT, r->text);
  if (!status) status = check_text(r);
  if (!status) status = cut_lines(r);
  return op2i_file_agree(r->file, status);
}

/* ---- the program and the file ---------------------------------------------------------------- */

static const struct op2i_line *line_of(const struct reading *r, const struct op2i_item *item) {
  const int words = item->kind == OP2I_ITEM_DAT ? 7 : 5;
  for (int l = 0; l < r->nlines; l++) {
    const struct op2i_line *line = &r->lines[l];
    if (line->n == words && !strcmp(line->words[0], op2i_item_words[item->kind]) &&
        !strcmp(line->words[1], item->name))
      return line;
  }
  return NULL;
}

static op2_status check_set(struct reading *r, const struct op2i_item *item,
                            const struct op2i_line *line) {
  const struct op2_set_s *set = ((const struct op2_dat_s *)(const void *)item->object)->set;
  const int64_t size = op2i_item_rows(item), there = strtoll(line->words[3], NULL, 10);
  if (strcmp(line->words[2], set->obj.name) != 0)
    return op2i_file_error(r->file, NULL, OP2_ERR_MISMATCH,
                           "dat '%s' is on set '%s' there, and on set '%s' here", item->name,
                           line->words[2], set->obj.name);
  if (size != there)
    return op2i_file_error(r->file, NULL, OP2_ERR_MISMATCH,
                           "set '%s' has %" PRId64 " elements there, and %" PRId64 " here",
                           set->obj.name, there, size);
  return OP2_SUCCESS;
}

static op2_status check_item(struct reading *r, const struct op2i_item *item,
                             const struct op2i_line *line) {
  const char *kind = op2i_item_words[item->kind], *type = op2i_checkpoint_type(item->type);
  if (!line)
    return op2i_file_error(r->file, NULL, OP2_ERR_MISMATCH, "%s '%s' is not in it", kind,
                           item->name);
  const int at = item->kind == OP2I_ITEM_DAT ? 4 : 2, dim = atoi(line->words[at + 1]);
  if (strcmp(line->words[at], type) != 0 || dim != item->dim)
    return op2i_file_error(r->file, NULL, OP2_ERR_MISMATCH,
                           "%s '%s' has %d values of %s there, and %d of %s here", kind, item->name,
                           dim, line->words[at], item->dim, type);
  return item->kind == OP2I_ITEM_DAT ? check_set(r, item, line) : OP2_SUCCESS;
}

static op2_status check_items(struct reading *r) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < r->ck->nitems && !status; i++) {
    r->found[i] = line_of(r, &r->ck->items[i]);
    status = check_item(r, &r->ck->items[i], r->found[i]);
  }
  if (!status) status = op2i_orders_check(r->file, r->nlines, r->lines);
  if (!status && r->ck->ctx->open_scopes > 0)
    status = r->ck->op2->error(OP2_ERR_STATE, "op2_checkpoint_read: an access scope is open");
  return op2i_file_agree(r->file, status);
}

/* ---- values ---------------------------------------------------------------------------------- */

static op2_status read_item(struct reading *r, const struct op2i_item *item, int64_t *first,
                            int64_t *n) {
  *first = 0;
  *n = 1;
  if (item->kind != OP2I_ITEM_DAT)
    return op2_file_read_const(r->file, item->dim, item->type, item->name, r->room);
  struct op2i_dataset what = {.kind = "dat",
                              .name = item->name,
                              .type = item->type,
                              .rows = op2i_item_rows(item),
                              .columns = item->dim,
                              .size = (int64_t)op2i_item_bytes(r->ck, item)};
  op2i_file_block(r->file, what.rows, first, n);
  return op2i_dataset_read(r->file, &what, *first, *n, r->room, OP2_SUCCESS);
}

/* All values that will be read have the checksums of the text. */
static op2_status verify_item(struct reading *r, int i) {
  const struct op2i_item *item = &r->ck->items[i];
  int64_t first = 0, n = 0;
  char checksum[OP2I_CHECKSUM_ROOM];
  op2_status status = read_item(r, item, &first, &n);
  if (status) return status;
  uint64_t sum = op2i_rows_digest(first, n, op2i_item_bytes(r->ck, item), r->room);
  if (item->kind == OP2I_ITEM_DAT) status = op2i_checksums_add_up(r->file, 1, &sum);
  op2i_checksum_word(sum, checksum);
  if (!status && strcmp(checksum, r->found[i]->words[r->found[i]->n - 1]) != 0)
    status = op2i_file_error(r->file, NULL, OP2_ERR_IO, "%s '%s' is damaged",
                             op2i_item_words[item->kind], item->name);
  return op2i_file_agree(r->file, status);
}

static op2_status verify(struct reading *r) {
  r->room = op2i_checkpoint_room(r->ck, r->file);
  op2_status status = r->room ? OP2_SUCCESS : r->ck->op2->error_nomem("values of a checkpoint");
  status = op2i_file_agree(r->file, status);
  for (int i = 0; i < r->ck->nitems && !status; i++) status = verify_item(r, i);
  return status ? status : op2i_orders_read(r->file, r->nlines, r->lines, false);
}

static op2_status restore_item(struct reading *r, const struct op2i_item *item) {
  int64_t first = 0, n = 0;
  void *object = item->object;
  op2_status status = read_item(r, item, &first, &n);
  if (status) return status;
  switch (item->kind) {
  case OP2I_ITEM_DAT: return op2_dat_set_block(object, first, n, r->room);
  case OP2I_ITEM_GBL: return op2i_file_agree(r->file, op2_gbl_set(object, r->room));
  case OP2I_ITEM_CONST: return op2i_file_agree(r->file, op2_const_set(object, r->room));
  case OP2I_ITEM_COUNTER: memcpy(item->values, r->room, op2i_item_bytes(r->ck, item)); break;
  }
  return OP2_SUCCESS;
}

static op2_status restore(struct reading *r) {
  op2_status status = op2_flush(r->ck->ctx);
  if (!status) status = op2i_orders_read(r->file, r->nlines, r->lines, true);
  for (int i = 0; i < r->ck->nitems && !status; i++) status = restore_item(r, &r->ck->items[i]);
  return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* A failure of the file itself, and not of this program. */
static bool is_damage(op2_status status) {
  return status == OP2_ERR_IO || status == OP2_ERR_TYPE || status == OP2_ERR_RANGE ||
         status == OP2_ERR_MISMATCH;
}

static op2_status read_all(struct reading *r, bool *damaged) {
  op2_status status = read_text(r);
  *damaged = is_damage(status);
  if (!status) status = check_items(r);
  if (status) return status;
  status = verify(r);
  *damaged = is_damage(status);
  return status ? status : restore(r);
}

op2_status op2i_checkpoint_read_file(op2_checkpoint ck, const char *name, bool *damaged) {
  struct reading r = {.ck = ck};
  op2_status status = op2_file_open(ck->ctx, name, OP2_FILE_READ, &r.file);
  *damaged = is_damage(status);
  if (status) return status;
  status = read_all(&r, damaged);
  ck->op2->free(r.text);
  ck->op2->free(r.lines);
  ck->op2->free(r.found);
  ck->op2->free(r.room);
  /* The message is that of the failure. */
  if (op2_file_close(&r.file) != OP2_SUCCESS && !status) status = OP2_ERR_IO;
  return status;
}
