/* SPDX-License-Identifier: BSD-3-Clause */
/* Numberings of sets in checkpoints. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint_digest.h"
#include "checkpoint_parts.h"
#include "checkpoint_text.h"
#include "context.h"
#include "io_numbers.h"
#include "mesh.h"
#include "op2/ranks.h"

enum { SET_WORDS = 7, MAP_WORDS = 7, NAME_ROOM = 40 };

static struct op2i_dataset numbers_of(int place, int64_t n, char name[NAME_ROOM]) {
  snprintf(name, NAME_ROOM, "op2_order/%d", place);
  return (struct op2i_dataset){.kind = "numbering",
                               .name = name,
                               .type = n > INT32_MAX ? OP2_I64 : OP2_I32,
                               .rows = n,
                               .columns = 1,
                               .wide = n > INT32_MAX,
                               .size = -1,
                               .bare = true};
}

/* ---- writing --------------------------------------------------------------------------------- */

static op2_status write_numbers(op2_file file, const struct op2_set_s *set, int place,
                                char checksum[OP2I_CHECKSUM_ROOM]) {
  const int64_t n = set->ends[OP2I_NONEXEC];
  char name[NAME_ROOM];
  const struct op2i_dataset what = numbers_of(place, n, name);
  int64_t *numbers = file->op2->calloc((size_t)n + 1, sizeof *numbers);
  if (!numbers) return file->op2->error_nomem("a numbering");
  memcpy(numbers, set->number, (size_t)n * sizeof *numbers);
  op2i_checksum_word(op2i_rows_digest(0, n, sizeof *numbers, numbers), checksum);
  op2i_numbers_narrow(&what, n, numbers);
  op2_status status = op2i_dataset_write(file, &what, 0, n, numbers, OP2_SUCCESS);
  file->op2->free(numbers);
  return status;
}

static op2_status write_map(op2_file file, struct op2i_contents *text,
                            const struct op2_map_s *map) {
  char state[16], rows[24], colors[16], blocks[16];
  snprintf(state, sizeof state, "%d", (int)map->numbering);
  snprintf(rows, sizeof rows, "%" PRId64, map->rows_to_wait);
  snprintf(colors, sizeof colors, "%" PRId32, map->crowd_colors);
  snprintf(blocks, sizeof blocks, "%" PRId32, map->crowd_blocks);
  return op2i_checkpoint_line(file, text, "map", map->obj.name, state, rows,
                              map->modified ? "1" : "0", colors, blocks, (char *)NULL);
}

static op2_status write_set(op2_file file, struct op2i_contents *text, op2_set set, int place) {
  char checksum[OP2I_CHECKSUM_ROOM] = "-", size[24], at[16];
  op2_status status = OP2_SUCCESS;
  if (!file->comm && set->number) status = write_numbers(file, set, place, checksum);
  if (status) return status;
  snprintf(size, sizeof size, "%" PRId64, op2_set_global_size(set));
  snprintf(at, sizeof at, "%d", place);
  status =
      op2i_checkpoint_line(file, text, "set", set->obj.name, size, set->keeps_order ? "1" : "0",
                           set->auto_renumbered ? "1" : "0", checksum, at, (char *)NULL);
  for (struct op2i_link *l = set->maps_from.first; l && !status && !file->comm; l = l->next)
    status = write_map(file, text, l->object);
  return status;
}

op2_status op2i_orders_write(op2_file file, struct op2i_contents *text) {
  op2_status status = OP2_SUCCESS;
  int place = 0;
  for (struct op2i_link *l = file->ctx->sets.first; l && !status; l = l->next)
    status = write_set(file, text, l->object, place++);
  return op2i_file_agree(file, status);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The next object of a list, from *at on, that has the name; null, and *at stays: there is none. A
 * program that runs again declares its objects in the same order. */
static void *next_called(struct op2i_link **at, const char *name) {
  struct op2i_link *l = *at;
  while (l && strcmp(((const struct op2i_object *)l->object)->name, name) != 0) l = l->next;
  if (l) *at = l->next;
  return l ? l->object : NULL;
}

static bool is_line(const struct op2i_line *line, const char *word, int nwords) {
  return line->n == nwords && strcmp(line->words[0], word) == 0;
}

op2_status op2i_orders_check(op2_file file, int nlines, const struct op2i_line *lines) {
  struct op2i_link *sets = file->ctx->sets.first;
  for (int i = 0; i < nlines; i++) {
    if (!is_line(&lines[i], "set", SET_WORDS)) continue;
    const op2_set set = next_called(&sets, lines[i].words[1]);
    const int64_t there = strtoll(lines[i].words[2], NULL, 10);
    if (set && op2_set_global_size(set) != there)
      return op2i_file_error(file, NULL, OP2_ERR_MISMATCH,
                             "set '%s' has %" PRId64 " elements there, and %" PRId64 " here",
                             set->obj.name, there, op2_set_global_size(set));
  }
  return OP2_SUCCESS;
}

/* True if each number occurs once. */
static bool is_permutation(op2_file file, int64_t n, const int64_t *numbers) {
  unsigned char *seen = file->op2->calloc((size_t)n + 1, 1);
  bool good = seen != NULL;
  for (int64_t i = 0; i < n && good; i++) good = !seen[numbers[i]]++;
  file->op2->free(seen);
  return good;
}

static op2_status read_numbers(op2_file file, const struct op2i_line *line, op2_set set,
                               int64_t **numbers) {
  const int64_t n = set->ends[OP2I_NONEXEC];
  char name[NAME_ROOM], checksum[OP2I_CHECKSUM_ROOM];
  struct op2i_dataset what = numbers_of(atoi(line->words[6]), n, name);
  op2_status status = op2i_numbers_read(file, &what, 0, n, 0, n, numbers);
  if (status) return status;
  op2i_checksum_word(op2i_rows_digest(0, n, sizeof **numbers, *numbers), checksum);
  if (strcmp(checksum, line->words[5]) == 0 && is_permutation(file, n, *numbers))
    return OP2_SUCCESS;
  return op2i_file_error(file, NULL, OP2_ERR_IO, "the numbering of set '%s' is damaged",
                         set->obj.name);
}

/* The sets of the lines, as they are to be numbered. */
struct orders {
  op2_file file;
  struct op2i_set_order *all; /* with the numbers, which this owns */
  int n;
  struct op2i_link *sets, *maps; /* where the next set and map are looked for */
};

static op2_status take_set(struct orders *o, const struct op2i_line *line) {
  const op2_set set = next_called(&o->sets, line->words[1]);
  int64_t *numbers = NULL;
  o->maps = set ? set->maps_from.first : NULL;
  if (!set) return OP2_SUCCESS;
  struct op2i_set_order *order = &o->all[o->n++];
  *order = (struct op2i_set_order){
      .set = set, .keeps = *line->words[3] == '1', .automatic = *line->words[4] == '1'};
  if (o->file->comm || *line->words[5] == '-') return OP2_SUCCESS;
  op2_status status = read_numbers(o->file, line, set, &numbers);
  order->number = numbers;
  return status;
}

static op2_status take_map(struct orders *o, const struct op2i_line *line, bool change) {
  const op2_map map = o->file->comm ? NULL : next_called(&o->maps, line->words[1]);
  const struct op2i_map_wait wait = {.numbering = atoi(line->words[2]),
                                     .rows = strtoll(line->words[3], NULL, 10),
                                     .modified = *line->words[4] == '1',
                                     .colors = atoi(line->words[5]),
                                     .blocks = atoi(line->words[6])};
  if (!map || !change || o->file->op2->numbering_restore(map, &wait)) return OP2_SUCCESS;
  return op2i_file_error(o->file, NULL, OP2_ERR_IO, "map '%s' is in no known state", map->obj.name);
}

static op2_status restore(struct orders *o) {
  op2_file file = o->file;
  return file->op2->renumber_restore(file->ctx, o->n, o->all);
}

op2_status op2i_orders_read(op2_file file, int nlines, const struct op2i_line *lines, bool change) {
  struct orders o = {.file = file, .sets = file->ctx->sets.first};
  o.all = file->op2->calloc((size_t)nlines + 1, sizeof *o.all);
  op2_status status = o.all ? OP2_SUCCESS : file->op2->error_nomem("numberings");
  status = op2i_file_agree(file, status);
  for (int i = 0; i < nlines && !status; i++)
    if (is_line(&lines[i], "set", SET_WORDS)) status = take_set(&o, &lines[i]);
  if (!status && change) status = restore(&o);
  o.sets = file->ctx->sets.first;
  for (int i = 0; i < nlines && !status; i++) {
    if (is_line(&lines[i], "set", SET_WORDS)) {
      const op2_set set = next_called(&o.sets, lines[i].words[1]);
      o.maps = set ? set->maps_from.first : NULL;
    } else if (is_line(&lines[i], "map", MAP_WORDS)) {
      status = take_map(&o, &lines[i], change);
    }
  }
  for (int i = 0; i < o.n; i++) file->op2->free((void *)o.all[i].number);
  file->op2->free(o.all);
  return op2i_file_agree(file, status);
}
