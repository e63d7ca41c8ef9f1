/* SPDX-License-Identifier: BSD-3-Clause */
/* A checkpoint is written: values first, and then the text that lists them. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint_digest.h"
#include "checkpoint_parts.h"
#include "checkpoint_text.h"
#include "mesh.h"
#include "op2/io.h"

/* The file that is written, its text, and memory for values. */
struct writing {
  op2_checkpoint ck;
  op2_file file;
  struct op2i_contents text;
  uint64_t *sums; /* [nitems] */
  void *room;
};

/* ---- values ---------------------------------------------------------------------------------- */

static op2_status write_dat(struct writing *w, const struct op2i_item *item, uint64_t *sum) {
  const op2_dat dat = (void *)item->object;
  int64_t first = 0, n = 0;
  struct op2i_dataset what = {.kind = "dat",
                              .name = item->name,
                              .type = item->type,
                              .rows = op2i_item_rows(item),
                              .columns = item->dim,
                              .size = (int64_t)dat->row_bytes};
  op2i_file_block(w->file, what.rows, &first, &n);
  op2_status status = op2_dat_get_block(dat, first, n, w->room);
  if (!status) *sum = op2i_rows_digest(first, n, dat->row_bytes, w->room);
  return op2i_dataset_write(w->file, &what, first, n, w->room, status);
}

/* Values that all ranks have alike; those of counters are rank 0's. */
static op2_status get_values(struct writing *w, const struct op2i_item *item) {
  const size_t bytes = op2i_item_bytes(w->ck, item);
  void *object = item->object;
  if (item->kind == OP2I_ITEM_GBL) return op2_gbl_get(object, w->room);
  if (item->kind == OP2I_ITEM_CONST) return op2_const_get(object, w->room);
  memcpy(w->room, item->values, bytes);
  return w->ck->comm ? w->ck->op2->share(w->ck->comm, 0, w->room, bytes) : OP2_SUCCESS;
}

static op2_status write_values(struct writing *w, const struct op2i_item *item, uint64_t *sum) {
  op2_status status = op2i_file_agree(w->file, get_values(w, item));
  if (status) return status;
  /* The sum over all ranks is rank 0's. */
  if (op2i_file_leads(w->file))
    *sum = op2i_rows_digest(0, 1, op2i_item_bytes(w->ck, item), w->room);
  return op2_file_write_const(w->file, item->dim, item->type, item->name, w->room);
}

/* ---- the text -------------------------------------------------------------------------------- */

static op2_status describe(struct writing *w, const struct op2i_item *item, uint64_t sum) {
  const char *word = op2i_item_words[item->kind], *type = op2i_checkpoint_type(item->type);
  char checksum[OP2I_CHECKSUM_ROOM], dim[16], rows[24];
  op2i_checksum_word(sum, checksum);
  snprintf(dim, sizeof dim, "%d", item->dim);
  if (item->kind != OP2I_ITEM_DAT)
    return op2i_checkpoint_line(w->file, &w->text, word, item->name, type, dim, checksum,
                                (char *)NULL);
  const struct op2_dat_s *dat = (const void *)item->object;
  snprintf(rows, sizeof rows, "%" PRId64, op2i_item_rows(item));
  return op2i_checkpoint_line(w->file, &w->text, word, item->name, dat->set->obj.name, rows, type,
                              dim, checksum, (char *)NULL);
}

static op2_status write_text(struct writing *w) {
  char checksum[OP2I_CHECKSUM_ROOM];
  op2_status status = op2i_checksums_add_up(w->file, w->ck->nitems, w->sums);
  if (status) return status;
  status =
      op2i_checkpoint_line(w->file, &w->text, "checkpoint", OP2I_CHECKPOINT_FORM, (char *)NULL);
  for (int i = 0; i < w->ck->nitems && !status; i++)
    status = describe(w, &w->ck->items[i], w->sums[i]);
  status = op2i_file_agree(w->file, status);
  if (!status) status = op2i_orders_write(w->file, &w->text);
  if (!status) {
    op2i_checksum_word(XXH3_64bits(w->text.chars, w->text.length), checksum);
    status = op2i_checkpoint_line(w->file, &w->text, "end", checksum, (char *)NULL);
  }
  if (!status && w->text.length > INT_MAX)
    status = w->ck->op2->error(OP2_ERR_RANGE, "%s: too much is kept", w->file->path);
  status = op2i_file_agree(w->file, status);
  if (status) return status;
  return op2_file_write_const(w->file, (int)w->text.length, OP2_I8, OP2I_CHECKPOINT_TEXT,
                              w->text.chars);
}

/* ---- the file -------------------------------------------------------------------------------- */

static op2_status write_all(struct writing *w) {
  const op2_checkpoint ck = w->ck;
  w->room = op2i_checkpoint_room(ck, w->file);
  w->sums = ck->op2->calloc((size_t)ck->nitems + 1, sizeof *w->sums);
  op2_status status = w->room && w->sums ? OP2_SUCCESS : ck->op2->error_nomem("a checkpoint");
  status = op2i_file_agree(w->file, status);
  for (int i = 0; i < ck->nitems && !status; i++)
    status = (ck->items[i].kind == OP2I_ITEM_DAT ? write_dat : write_values)(w, &ck->items[i],
                                                                             &w->sums[i]);
  if (!status) status = write_text(w);
  ck->op2->free(w->text.chars);
  ck->op2->free(w->sums);
  ck->op2->free(w->room);
  return status;
}

static op2_status write_file(op2_checkpoint ck, const char *name) {
  struct writing w = {.ck = ck};
  op2_status status = op2_file_open(ck->ctx, name, OP2_FILE_CREATE, &w.file);
  if (status) return status;
  status = write_all(&w);
  return status ? op2i_file_abandon(w.file, status) : op2_file_close(&w.file);
}

/* The number of the next file: one above all that are there. */
static op2_status next_number(op2_checkpoint ck, int64_t *number) {
  int64_t n = 0, *numbers = NULL;
  op2_status status = op2i_checkpoint_list(ck, &n, &numbers);
  *number = (!status && n && numbers[0] > ck->info.newest ? numbers[0] : ck->info.newest) + 1;
  ck->op2->free(numbers);
  return status;
}

static op2_status write_next(op2_checkpoint ck) {
  int64_t number = 0;
  op2_status status = op2i_checkpoint_agree(ck, op2i_checkpoint_alive(ck));
  if (status) return status;
  char *name = ck->op2->calloc(op2i_checkpoint_name_room(ck), 1);
  status = name ? OP2_SUCCESS : ck->op2->error_nomem("the name of a checkpoint");
  status = op2i_checkpoint_agree(ck, status);
  if (!status) status = next_number(ck, &number);
  if (!status) {
    op2i_checkpoint_name(ck, number, name);
    status = write_file(ck, name);
  }
  ck->op2->free(name);
  if (status) return status;
  ck->info.newest = number;
  op2i_checkpoint_prune(ck, number);
  return OP2_SUCCESS;
}

/* The next one is due after a time in which this one's is no larger part than it may be. */
op2_status op2_checkpoint_write(op2_checkpoint ck) {
  op2_status status = op2i_checkpoint_check(ck, "op2_checkpoint_write");
  if (status) return status;
  const int64_t begin = ck->op2->nanoseconds();
  status = write_next(ck);
  const int64_t end = ck->op2->nanoseconds();
  const double took = (double)(end - begin) * 1e-9, waits = took * (1 / ck->options.share - 1);
  const double seconds = ck->options.seconds > waits ? ck->options.seconds : waits;
  ck->due = end + (int64_t)(seconds * 1e9);
  ck->looked = end;
  ck->looked_call = ck->calls;
  ck->info.seconds += took;
  ck->info.written += !status;
  ck->info.failed += status != OP2_SUCCESS;
  return status;
}
