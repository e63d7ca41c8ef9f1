/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of checkpoints in their folder. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint_parts.h"
#include "log.h"

static const char suffix[] = ".h5", part_suffix[] = ".h5.op2-part";

size_t op2i_checkpoint_name_room(op2_checkpoint ck) {
  return strlen(ck->path) + 24 + sizeof part_suffix;
}

static void name_file(op2_checkpoint ck, int64_t number, const char *end, char *room) {
  snprintf(room, op2i_checkpoint_name_room(ck), "%s.%06" PRId64 "%s", ck->path, number, end);
}

void op2i_checkpoint_name(op2_checkpoint ck, int64_t number, char *room) {
  name_file(ck, number, suffix, room);
}

/* The number in the name of a checkpoint's file, or of a part of one; 0: it is neither. */
static int64_t number_of(op2_checkpoint ck, const char *name, bool *part) {
  enum { DIGITS_LEAST = 6, DIGITS_MOST = 15 };
  const char *base = strrchr(ck->path, '/') + 1;
  const size_t length = strlen(base);
  size_t digits = 0;
  if (strncmp(name, base, length) != 0 || name[length] != '.') return 0;
  name += length + 1;
  while (isdigit((unsigned char)name[digits])) digits++;
  if (digits < DIGITS_LEAST || digits > DIGITS_MOST) return 0;
  *part = strcmp(name + digits, part_suffix) == 0;
  return *part || strcmp(name + digits, suffix) == 0 ? strtoll(name, NULL, 10) : 0;
}

static DIR *open_folder(op2_checkpoint ck) {
  char *slash = strrchr(ck->path, '/');
  const char first = slash[1];
  slash[1] = '\0';
  DIR *folder = opendir(ck->path);
  slash[1] = first;
  return folder;
}

/* ---- listing --------------------------------------------------------------------------------- */

static op2_status append(op2_checkpoint ck, int64_t number, int64_t *n, int64_t *capacity,
                         int64_t **numbers) {
  if (*n == *capacity) {
    const int64_t room = 2 * *capacity + 16;
    int64_t *more = ck->op2->calloc((size_t)room, sizeof *more);
    if (!more) return ck->op2->error_nomem("a list of checkpoints");
    if (*n) memcpy(more, *numbers, (size_t)*n * sizeof *more);
    ck->op2->free(*numbers);
    *numbers = more;
    *capacity = room;
  }
  (*numbers)[(*n)++] = number;
  return OP2_SUCCESS;
}

static int descending(const void *one, const void *two) {
  const int64_t a = *(const int64_t *)one, b = *(const int64_t *)two;
  return a > b ? -1 : a < b;
}

static op2_status list_here(op2_checkpoint ck, int64_t *n, int64_t **numbers) {
  int64_t capacity = 0;
  op2_status status = OP2_SUCCESS;
  DIR *folder = open_folder(ck);
  if (!folder)
    return ck->op2->error(OP2_ERR_IO, "checkpoint %s: its folder cannot be read (%s)", ck->path,
                          strerror(errno));
  for (struct dirent *entry; !status && (entry = readdir(folder));) {
    bool part = false;
    const int64_t number = number_of(ck, entry->d_name, &part);
    if (number && !part) status = append(ck, number, n, &capacity, numbers);
  }
  closedir(folder);
  if (*n) qsort(*numbers, (size_t)*n, sizeof **numbers, descending);
  return status;
}

op2_status op2i_checkpoint_list(op2_checkpoint ck, int64_t *n, int64_t **numbers) {
  const struct op2i_companion *op2 = ck->op2;
  op2_status status = OP2_SUCCESS;
  *n = 0;
  *numbers = NULL;
  if (!ck->comm || ck->comm->rank == 0) status = list_here(ck, n, numbers);
  status = op2i_checkpoint_agree(ck, status);
  if (!status && ck->comm) {
    status = op2->share(ck->comm, 0, n, sizeof *n);
    if (!status && ck->comm->rank && *n) {
      *numbers = op2->calloc((size_t)*n, sizeof **numbers);
      if (!*numbers) status = op2->error_nomem("a list of checkpoints");
    }
    status = op2i_checkpoint_agree(ck, status);
    if (!status && *n) status = op2->share(ck->comm, 0, *numbers, (size_t)*n * sizeof **numbers);
  }
  if (status) op2->free(*numbers);
  if (status) *numbers = NULL;
  return status;
}

/* ---- removing -------------------------------------------------------------------------------- */

static void remove_file(op2_checkpoint ck, int64_t number, const char *end, char *room) {
  name_file(ck, number, end, room);
  if (unlink(room) != 0 && errno != ENOENT)
    ck->op2->log(ck->ctx, OP2I_LOG_WARN, "%s cannot be removed (%s)", room, strerror(errno));
}

/* Parts of files that are older than the newest one belong to programs that were killed. */
static void remove_parts(op2_checkpoint ck, int64_t newest, char *room) {
  DIR *folder = open_folder(ck);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) {
    bool part = false;
    const int64_t number = number_of(ck, entry->d_name, &part);
    if (part && number && number < newest) remove_file(ck, number, part_suffix, room);
  }
  closedir(folder);
}

void op2i_checkpoint_prune(op2_checkpoint ck, int64_t newest) {
  int64_t n = 0, *numbers = NULL, kept = 0;
  if (ck->comm && ck->comm->rank) return;
  char *room = ck->op2->calloc(op2i_checkpoint_name_room(ck), 1);
  if (room && !list_here(ck, &n, &numbers)) {
    for (int64_t i = 0; i < n; i++) {
      const bool damaged = numbers[i] >= ck->damaged_from && numbers[i] <= ck->damaged_to;
      if (numbers[i] > newest) continue;
      if (damaged || kept >= ck->options.keep)
        remove_file(ck, numbers[i], suffix, room);
      else
        kept++;
    }
    remove_parts(ck, newest, room);
  }
  ck->op2->free(numbers);
  ck->op2->free(room);
}
