/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints as objects: their options, and the list of what is kept. */
#include "checkpoint.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint_parts.h"
#include "context.h"
#include "mesh.h"
#include "op2/ranks.h"

op2_status op2i_checkpoint_agree(op2_checkpoint ck, op2_status status) {
  return ck->comm ? ck->op2->agree(ck->comm, status) : status;
}

op2_status op2i_checkpoint_check(op2_checkpoint ck, const char *call) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!ck || ck->magic != OP2I_CHECKPOINT_MAGIC)
    return op2->error(OP2_ERR_ARG, "%s: no checkpoint", call);
  op2_status status = op2->context_validate(ck->ctx, call);
  if (!status) op2->call(ck->ctx, call, NULL, 0, 0);
  return status;
}

/* ---- options --------------------------------------------------------------------------------- */

static op2_checkpoint_options with_defaults(const op2_checkpoint_options *given) {
  op2_checkpoint_options options = {0};
  if (given) options = *given;
  if (options.keep == 0) options.keep = 2;
  if (options.signal == 0) options.signal = SIGTERM;
  if (options.seconds == 0) options.seconds = 600;
  if (options.share == 0) options.share = 0.1;
  return options;
}

/* The member of the options that has no such value; null: all are good. */
static const char *odd_option(const op2_checkpoint_options *options) {
  if (options->keep < 1) return "keep is below 1";
  if (options->signal < -1 || options->signal > 64) return "signal is no signal";
  if (!(options->seconds == options->seconds)) return "seconds is not a number";
  if (!(options->share > 0 && options->share <= 1)) return "share is not in (0, 1]";
  if (options->calls < 0) return "calls is negative";
  for (int i = 0; i < 4; i++)
    if (options->reserved_numbers[i] || options->reserved[i])
      return "a reserved member is not zero";
  return NULL;
}

static op2_status check_path(const struct op2i_companion *op2, const char *path) {
  const size_t length = strlen(path);
  if (length == 0 || path[length - 1] == '/')
    return op2->error(OP2_ERR_NAME, "op2_checkpoint_create: '%s' has no name of a file", path);
  return OP2_SUCCESS;
}

static op2_status check_create(const struct op2i_companion *op2, const char *path,
                               const op2_checkpoint_options *options, const op2_checkpoint *out) {
  if (!path || !out) return op2->error(OP2_ERR_ARG, "op2_checkpoint_create: a null pointer");
  const char *odd = odd_option(options);
  if (odd) return op2->error(OP2_ERR_OPTION, "op2_checkpoint_create: %s: %s", path, odd);
  return check_path(op2, path);
}

/* ---- creating -------------------------------------------------------------------------------- */

static void free_checkpoint(op2_checkpoint ck) {
  const struct op2i_companion *op2 = ck->op2;
  for (int i = 0; i < ck->nitems; i++) {
    if (ck->items[i].object) op2->unref(ck->items[i].object);
    op2->free(ck->items[i].own);
  }
  op2->free(ck->items);
  ck->magic = 0;
  op2->free(ck);
}

/* The path becomes absolute, so that a program may change its working directory. */
static op2_status make(const struct op2i_companion *op2, op2_context ctx, const char *path,
                       const op2_checkpoint_options *options, op2_checkpoint *out) {
  char room[PATH_MAX];
  const char *here = *path == '/' ? NULL : realpath(".", room);
  if (*path != '/' && !here)
    return op2->error(OP2_ERR_IO, "op2_checkpoint_create: the working directory has no name (%s)",
                      strerror(errno));
  const size_t folder = here ? strlen(here) : 0;
  op2_checkpoint ck = op2->calloc(1, sizeof *ck + folder + strlen(path) + 2);
  if (ck) {
    *ck = (struct op2_checkpoint_s){.magic = OP2I_CHECKPOINT_MAGIC,
                                    .op2 = op2,
                                    .ctx = ctx,
                                    .comm = ctx->comm,
                                    .path = (char *)(ck + 1),
                                    .options = *options,
                                    .next_look = 1};
    if (here) memcpy(ck->path, here, folder);
    if (here) ck->path[folder] = '/';
    strcpy(ck->path + folder + (here != NULL), path);
    *out = ck;
  }
  return ck ? OP2_SUCCESS : op2->error_nomem("a checkpoint");
}

static op2_status begin(op2_checkpoint ck) {
  int64_t n = 0, *numbers = NULL;
  op2_status status = op2i_checkpoint_list(ck, &n, &numbers);
  ck->op2->free(numbers);
  if (status) return status;
  if (ck->options.signal > 0 && !op2i_signal_watch(ck->options.signal))
    status = ck->op2->error(OP2_ERR_OPTION, "op2_checkpoint_create: signal %d cannot be handled",
                            ck->options.signal);
  else
    ck->signals = op2i_signal_count(ck->options.signal);
  const bool watches = !status;
  status = op2i_checkpoint_agree(ck, status);
  if (status && watches && ck->options.signal > 0) op2i_signal_leave(ck->options.signal);
  ck->looked = ck->op2->nanoseconds();
  ck->due = ck->looked + (int64_t)(ck->options.seconds * 1e9);
  return status;
}

/* Ranks that differ in these would not write together. */
static uint64_t options_digest(const op2_checkpoint_options *options) {
  uint64_t seconds, digest = op2i_hash_word(0, (uint64_t)options->calls);
  memcpy(&seconds, &options->seconds, sizeof seconds);
  return op2i_hash_word(op2i_hash_word(digest, seconds), (uint64_t)options->signal);
}

op2_status op2_checkpoint_create(op2_context ctx, const char *path,
                                 const op2_checkpoint_options *given, op2_checkpoint *out) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  const op2_checkpoint_options options = with_defaults(given);
  op2_checkpoint ck = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2->context_validate(ctx, "op2_checkpoint_create");
  if (status) return status;
  op2->call(ctx, "op2_checkpoint_create", path, options_digest(&options), 0);
  status = check_create(op2, path, &options, out);
  if (!status) status = make(op2, ctx, path, &options, &ck);
  if (ctx->comm) status = op2->agree(ctx->comm, status);
  if (!status) status = begin(ck);
  if (status) {
    if (ck) free_checkpoint(ck);
    return status;
  }
  op2->hold(ctx);
  *out = ck;
  return OP2_SUCCESS;
}

void op2_checkpoint_destroy(op2_checkpoint *handle) {
  if (!handle || !*handle || (*handle)->magic != OP2I_CHECKPOINT_MAGIC) return;
  op2_checkpoint ck = *handle;
  op2_context ctx = ck->ctx;
  const struct op2i_companion *op2 = ck->op2;
  *handle = NULL;
  if (ck->options.signal > 0) op2i_signal_leave(ck->options.signal);
  free_checkpoint(ck);
  op2->let_go(ctx);
}

op2_status op2_checkpoint_info_get(op2_checkpoint ck, op2_checkpoint_info *info) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!ck || ck->magic != OP2I_CHECKPOINT_MAGIC || !info)
    return op2->error(OP2_ERR_ARG, "op2_checkpoint_info_get: no checkpoint, or a null pointer");
  *info = ck->info;
  return OP2_SUCCESS;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

size_t op2i_item_bytes(op2_checkpoint ck, const struct op2i_item *item) {
  return (size_t)item->dim * ck->op2->type_size(item->type);
}

int64_t op2i_item_rows(const struct op2i_item *item) {
  return op2_set_global_size(((const struct op2_dat_s *)(const void *)item->object)->set);
}

void *op2i_checkpoint_room(op2_checkpoint ck, op2_file file) {
  size_t most = 1;
  for (int i = 0; i < ck->nitems; i++) {
    size_t bytes = op2i_item_bytes(ck, &ck->items[i]);
    int64_t first = 0, n = 1;
    if (ck->items[i].kind == OP2I_ITEM_DAT)
      op2i_file_block(file, op2i_item_rows(&ck->items[i]), &first, &n);
    bytes *= (size_t)n;
    if (bytes > most) most = bytes;
  }
  return ck->op2->calloc(most, 1);
}

op2_status op2i_checkpoint_alive(op2_checkpoint ck) {
  for (int i = 0; i < ck->nitems; i++)
    if (ck->items[i].object && ck->items[i].object->given_up)
      return ck->op2->error(OP2_ERR_STATE, "checkpoint %s: '%s', which it keeps, was destroyed",
                            ck->path, ck->items[i].name);
  return OP2_SUCCESS;
}

/* True if it is kept already. An error if something else has the name. */
static op2_status check_item(op2_checkpoint ck, const struct op2i_item *item, const char *call,
                             bool *kept) {
  *kept = false;
  if (!*item->name || strncmp(item->name, "op2_", 4) == 0 || strpbrk(item->name, "\t\n"))
    return ck->op2->error(OP2_ERR_NAME, "%s: checkpoint %s: '%s' is no name for what is kept", call,
                          ck->path, item->name);
  for (int i = 0; i < ck->nitems; i++) {
    if (strcmp(ck->items[i].name, item->name) != 0) continue;
    *kept = item->object && ck->items[i].object == item->object;
    if (!*kept)
      return ck->op2->error(OP2_ERR_NAME, "%s: checkpoint %s: something else is called '%s'", call,
                            ck->path, item->name);
  }
  return OP2_SUCCESS;
}

static op2_status add_here(op2_checkpoint ck, struct op2i_item item, const char *call) {
  bool kept = false;
  op2_status status = check_item(ck, &item, call, &kept);
  if (status || kept) return status;
  if (ck->nitems == ck->capacity) {
    const int room = 2 * ck->capacity + 16;
    struct op2i_item *items = ck->op2->calloc((size_t)room, sizeof *items);
    if (!items) return ck->op2->error_nomem("what a checkpoint keeps");
    if (ck->nitems) memcpy(items, ck->items, (size_t)ck->nitems * sizeof *items);
    ck->op2->free(ck->items);
    ck->items = items;
    ck->capacity = room;
  }
  if (item.object) {
    ck->op2->ref(item.object);
  } else {
    item.own = ck->op2->calloc(strlen(item.name) + 1, 1);
    if (!item.own) return ck->op2->error_nomem("the name of a counter");
    item.name = strcpy(item.own, item.name);
  }
  ck->items[ck->nitems++] = item;
  return OP2_SUCCESS;
}

/* Keep what was added if all ranks could add it, and nothing of it otherwise. */
static op2_status conclude(op2_checkpoint ck, int before, op2_status status) {
  status = op2i_checkpoint_agree(ck, status);
  while (status && ck->nitems > before) {
    struct op2i_item *item = &ck->items[--ck->nitems];
    if (item->object) ck->op2->unref(item->object);
    ck->op2->free(item->own);
    item->own = NULL;
  }
  return status;
}

static struct op2i_item item_of(enum op2i_item_kind kind, void *object) {
  const op2_dat dat = object;
  const op2_gbl gbl = object;
  const op2_const cst = object;
  struct op2i_item item = {.kind = kind, .object = object};
  item.name = item.object->name;
  switch (kind) {
  case OP2I_ITEM_DAT: item.type = dat->type, item.dim = dat->dim; break;
  case OP2I_ITEM_GBL: item.type = gbl->type, item.dim = gbl->dim; break;
  case OP2I_ITEM_CONST: item.type = cst->type, item.dim = cst->dim; break;
  case OP2I_ITEM_COUNTER: break;
  }
  return item;
}

static op2_status add_object(op2_checkpoint ck, enum op2i_item_kind kind, enum op2i_kind is,
                             void *object, const char *call) {
  op2_status status = op2i_checkpoint_check(ck, call);
  if (status) return status;
  const int before = ck->nitems;
  status = ck->op2->validate(object, is, call);
  if (!status && ((struct op2i_object *)object)->ctx != ck->ctx)
    status = ck->op2->error(OP2_ERR_MISMATCH, "%s: checkpoint %s: '%s' is of another context", call,
                            ck->path, ((struct op2i_object *)object)->name);
  if (!status) status = add_here(ck, item_of(kind, object), call);
  return conclude(ck, before, status);
}

op2_status op2_checkpoint_add_dat(op2_checkpoint ck, op2_dat dat) {
  return add_object(ck, OP2I_ITEM_DAT, OP2I_DAT, dat, "op2_checkpoint_add_dat");
}

op2_status op2_checkpoint_add_gbl(op2_checkpoint ck, op2_gbl gbl) {
  return add_object(ck, OP2I_ITEM_GBL, OP2I_GBL, gbl, "op2_checkpoint_add_gbl");
}

op2_status op2_checkpoint_add_const(op2_checkpoint ck, op2_const cst) {
  return add_object(ck, OP2I_ITEM_CONST, OP2I_CONST, cst, "op2_checkpoint_add_const");
}

static op2_status add_kind(op2_checkpoint ck, enum op2i_item_kind kind, op2_object_kind is,
                           const char *call) {
  op2_status status = OP2_SUCCESS;
  const int64_t n = op2_objects(ck->ctx, is);
  for (int64_t i = 0; i < n && !status; i++) {
    op2_object object;
    status = op2_object_get(ck->ctx, is, (int)i, &object);
    if (!status) status = add_here(ck, item_of(kind, object.handle), call);
  }
  return status;
}

op2_status op2_checkpoint_add_all(op2_checkpoint ck) {
  static const char call[] = "op2_checkpoint_add_all";
  op2_status status = op2i_checkpoint_check(ck, call);
  if (status) return status;
  const int before = ck->nitems;
  status = add_kind(ck, OP2I_ITEM_DAT, OP2_OBJECT_DAT, call);
  if (!status) status = add_kind(ck, OP2I_ITEM_GBL, OP2_OBJECT_GBL, call);
  return conclude(ck, before, status);
}

op2_status op2_checkpoint_add_counter(op2_checkpoint ck, const char *name, op2_type type, int dim,
                                      void *values) {
  static const char call[] = "op2_checkpoint_add_counter";
  op2_status status = op2i_checkpoint_check(ck, call);
  if (status) return status;
  const int before = ck->nitems;
  const struct op2i_item item = {
      .kind = OP2I_ITEM_COUNTER, .name = name, .type = type, .dim = dim, .values = values};
  if (!name || !values)
    status = ck->op2->error(OP2_ERR_ARG, "%s: a null pointer", call);
  else if (dim < 1)
    status = ck->op2->error(OP2_ERR_ARG, "%s: '%s': dim %d is not positive", call, name, dim);
  else if (!ck->op2->type_size(type))
    status = ck->op2->error(OP2_ERR_TYPE, "%s: '%s': %d is not an op2_type", call, name, (int)type);
  else
    status = add_here(ck, item, call);
  return conclude(ck, before, status);
}
