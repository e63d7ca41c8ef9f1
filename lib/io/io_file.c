/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing of files, and error messages about files. */
#include "io_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "mesh.h"

op2_status op2i_file_error(op2_file file, const struct op2i_dataset *what, op2_status status,
                           const char *format, ...) {
  char text[1250], about[300] = "";
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (what) snprintf(about, sizeof about, "%s '%.200s' ", what->kind, what->name);
  return file->op2->error(status, "%s: %s%s", file->path, about, text);
}

/* ---- checks that all calls share ------------------------------------------------------------- */

op2_status op2i_file_agree(op2_file file, op2_status status) {
  return file->comm ? file->op2->agree(file->comm, status) : status;
}

op2_status op2i_file_agree_on(op2_file file, const struct op2i_dataset *what, op2_status status) {
  uint64_t digest = 0;
  status = op2i_file_agree(file, status);
  if (status || !what->call || !file->comm) return status;
  for (int a = 0; a < 2; a++)
    if (what->about[a])
      digest = op2i_hash_word(digest, ((const struct op2i_object *)what->about[a])->made);
  for (const char *c = what->name; *c; c++) digest = op2i_hash_word(digest, (unsigned char)*c);
  file->op2->call(file->ctx, what->call, what->name, digest, what->values);
  return status;
}

op2_status op2i_file_check(op2_file file, const char *call, bool writes, const char *name,
                           const void *out) {
  file->op2->call(file->ctx, call, name, 0, 0);
  if (!name || !out) return file->op2->error(OP2_ERR_ARG, "%s: a null pointer", call);
  if (!*name) return file->op2->error(OP2_ERR_NAME, "%s: the name is empty", call);
  if (writes && file->mode == OP2_FILE_READ)
    return file->op2->error(OP2_ERR_STATE, "%s: %s is open for reading", call, file->path);
  if (writes && file->broken)
    return file->op2->error(OP2_ERR_IO, "%s: an earlier write has failed: %s", call, file->why);
  return OP2_SUCCESS;
}

op2_status op2i_file_check_values(op2_file file, const char *call, bool writes, int dim,
                                  op2_type type, const char *name, const void *values) {
  op2_status status = op2i_file_check(file, call, writes, name, values);
  if (status) return status;
  if (dim < 1)
    return file->op2->error(OP2_ERR_ARG, "%s: %s: '%s': dim %d is not positive", call, file->path,
                            name, dim);
  if (!file->op2->type_size(type))
    return file->op2->error(OP2_ERR_TYPE, "%s: %s: '%s': %d is not an op2_type", call, file->path,
                            name, (int)type);
  return OP2_SUCCESS;
}

op2_status op2i_file_is_open(op2_file file, const char *call) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!file || file->magic != OP2I_FILE_MAGIC)
    return op2->error(OP2_ERR_ARG, "%s: not an open file", call);
  /* This check comes before any communication: a context that has ended has no ranks to communicate
   * with. */
  return op2->context_validate(file->ctx, call);
}

op2_status op2i_file_member(op2_file file, const void *object, enum op2i_kind kind,
                            const char *call) {
  const struct op2i_object *member = object;
  op2_status status = file->op2->validate(object, kind, call);
  if (!status && member->ctx != file->ctx)
    status = file->op2->error(OP2_ERR_MISMATCH, "%s: %s: '%s' is of another context", call,
                              file->path, member->name);
  return status;
}

void op2i_file_block(op2_file file, int64_t n, int64_t *first, int64_t *count) {
  int64_t rank = file->comm ? file->comm->rank : 0, size = file->comm ? file->comm->size : 1;
  int64_t each = n / size, more = n % size;
  *first = rank * each + (rank < more ? rank : more);
  *count = each + (rank < more);
}

int64_t op2i_file_rows_of(const struct op2_set_s *set) {
  return set->ends[set->base->halo ? OP2I_OWNED : OP2I_NONEXEC];
}

op2_status op2i_file_place(op2_file file, int64_t n, int64_t *first, int64_t *all) {
  op2_status status = OP2_SUCCESS;
  *first = n;
  if (file->comm) status = file->op2->before(file->comm, 1, first);
  if (!file->comm) *first = 0;
  *all = *first + n;
  if (file->comm && !status)
    status = file->op2->share(file->comm, file->comm->size - 1, all, sizeof *all);
  return status;
}

bool op2i_file_leads(op2_file file) { return !file->comm || file->comm->rank == 0; }

op2_status op2i_file_fault(op2_file file, const struct op2i_dataset *what) {
  const struct op2i_io_part *part = &file->part;
  char about[300] = "";
  if (!part->failed) return OP2_SUCCESS;
  if (what) snprintf(about, sizeof about, "%s '%.200s': ", what->kind, what->name);
  return file->op2->error(part->failed == ENOMEM ? OP2_ERR_NOMEM : OP2_ERR_IO,
                          "%s: %s%s cannot be %s (%s)", file->path, about, part->name, part->doing,
                          strerror(part->failed));
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Let the format open the file `name`, or the part, which is open already. */
static op2_status open_format(op2_file file, const char *name, bool writes) {
  op2_status status = file->format->open(file, name, writes);
  return status ? status : op2i_file_fault(file, NULL);
}

/* Ranks on machines with local disks may find different files under one name. */
static op2_status check_same(op2_file file) {
  struct stat st;
  int64_t mine = stat(file->path, &st) == 0 ? st.st_size : -1, first = mine;
  if (!file->comm) return OP2_SUCCESS;
  op2_status status = file->op2->share(file->comm, 0, &first, sizeof first);
  if (!status && mine != first)
    status = file->op2->error(
        OP2_ERR_IO, "%s: this rank sees a file of %" PRId64 " bytes, and rank 0 one of %" PRId64,
        file->path, mine, first);
  return op2i_file_agree(file, status);
}

static op2_status open_to_read(op2_file file) {
  op2_status status = op2i_file_agree(file, open_format(file, file->path, false));
  return status ? status : check_same(file);
}

/* The leader creates the part, and the others open it, before the format accesses it. */
static op2_status open_to_write(op2_file file) {
  struct op2i_io_part *part = &file->part;
  const bool leads = op2i_file_leads(file);
  int64_t number = file->op2->nanoseconds() ^ (int64_t)getpid() << 40;
  if (op2i_io_part_name(part, file->path) && leads) op2i_io_part_create(part, number);
  op2_status status = op2i_file_agree(file, op2i_file_fault(file, NULL));
  if (!status && file->comm) {
    status = file->op2->share(file->comm, 0, &number, sizeof number);
    if (!status && !leads) op2i_io_part_join(part, number);
    if (!status) status = op2i_file_agree(file, op2i_file_fault(file, NULL));
  }
  if (status) return status;
  if (leads && op2i_io_part_begin(part, file->mode == OP2_FILE_ADD))
    status = open_format(file, part->name, true);
  if (!status) status = op2i_file_fault(file, NULL);
  file->stale = true;
  return op2i_file_agree(file, status);
}

op2_status op2i_file_refresh(op2_file file) {
  op2_status status = OP2_SUCCESS;
  if (file->mode == OP2_FILE_READ || !file->stale || !file->comm) return OP2_SUCCESS;
  if (op2i_file_leads(file)) {
    status = file->format->flush(file);
    if (!status) status = op2i_file_fault(file, NULL);
  }
  status = op2i_file_agree(file, status);
  if (!status && !op2i_file_leads(file)) {
    file->format->close(file);
    status = open_format(file, file->part.name, false);
  }
  status = op2i_file_agree(file, status);
  file->stale = status != OP2_SUCCESS;
  return status;
}

/* Return the format of files of this name. */
static const struct op2i_file_format *format_of(const char *path) {
#define FILE_FORMAT(name_) &op2i_format_##name_,
  static const struct op2i_file_format *const formats[] = {
#include "formats.def"
  };
#undef FILE_FORMAT
  size_t length = strlen(path), f = 0;
  while (formats[f]->suffix) {
    size_t end = strlen(formats[f]->suffix);
    if (length > end && strcmp(path + length - end, formats[f]->suffix) == 0) break;
    f++;
  }
  return formats[f];
}

static op2_status check_open(const struct op2i_companion *op2, op2_context ctx, const char *path,
                             op2_file_mode mode, const op2_file *file) {
  if (!path || !file) return op2->error(OP2_ERR_ARG, "op2_file_open: a null pointer");
  if (mode < OP2_FILE_READ || mode > OP2_FILE_ADD)
    return op2->error(OP2_ERR_ARG, "op2_file_open: %s: %d is not an op2_file_mode", path,
                      (int)mode);
  const char *why = format_of(path)->unavailable(ctx);
  return why ? op2->error(OP2_ERR_UNAVAILABLE, "%s", why) : OP2_SUCCESS;
}

static op2_status make_file(const struct op2i_companion *op2, op2_context ctx, const char *path,
                            op2_file_mode mode, op2_file *out) {
  size_t length = strlen(path) + 1, room = op2i_io_part_room(path);
  const struct op2i_file_format *format = format_of(path);
  op2_file file = op2->calloc(1, format->bytes + length + 2 * room);
  if (!file) return op2->error_nomem("a file");
  char *text = (char *)file + format->bytes;
  *file = (struct op2_file_s){.magic = OP2I_FILE_MAGIC,
                              .op2 = op2,
                              .format = format,
                              .ctx = ctx,
                              .comm = ctx->comm,
                              .path = memcpy(text, path, length),
                              .mode = mode};
  file->part = (struct op2i_io_part){.target = text + length,
                                     .name = text + length + room,
                                     .fd = -1,
                                     .owner = getpid(),
                                     .leads = op2i_file_leads(file),
                                     .shared = ctx->comm != NULL};
  *out = file;
  return OP2_SUCCESS;
}

/* The format may still have the file open: HDF5 does in a forked child or after MPI_Finalize, and
 * accesses its memory when the program ends. */
static void free_file(op2_file file) {
  op2i_io_part_drop(&file->part);
  file->op2->free(file->objects);
  file->op2->free(file->matrices);
  file->objects = file->matrices = NULL;
  file->magic = 0;
  if (file->format->end(file) >= 0) file->op2->free(file);
}

op2_status op2_file_open(op2_context ctx, const char *path, op2_file_mode mode, op2_file *out) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  op2_file file = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2->context_validate(ctx, "op2_file_open");
  if (status) return status;
  op2->call(ctx, "op2_file_open", path, (uint64_t)mode, 0);
  status = check_open(op2, ctx, path, mode, out);
  if (!status) status = make_file(op2, ctx, path, mode, &file);
  if (ctx->comm) status = op2->agree(ctx->comm, status);
  if (!status) status = mode == OP2_FILE_READ ? open_to_read(file) : open_to_write(file);
  if (status && file) {
    file->format->close(file);
    free_file(file);
  }
  if (status) return status;
  op2->hold(ctx);
  *out = file;
  return OP2_SUCCESS;
}

/* ---- closing --------------------------------------------------------------------------------- */

/* All ranks make sure that their data are on the disk before the leader renames the part. */
static op2_status keep_file(op2_file file) {
  op2_status status;
  int64_t end = file->format->end(file);
  op2i_io_part_sync(&file->part);
  if (end < 0)
    status = file->op2->error(OP2_ERR_IO, "%s: %s cannot close it", file->path, file->format->name);
  else
    status = op2i_file_fault(file, NULL);
  status = op2i_file_agree(file, status);
  if (status) return status;
  if (op2i_file_leads(file) && !op2i_io_part_keep(&file->part, end, file->format->whole))
    status = op2i_file_fault(file, NULL);
  return op2i_file_agree(file, status);
}

op2_status op2_file_close(op2_file *handle) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!handle || !*handle) return OP2_SUCCESS;
  op2_file file = *handle;
  *handle = NULL;
  if (file->magic != OP2I_FILE_MAGIC) return op2i_file_is_open(file, "op2_file_close");
  op2_status status = op2->context_validate(file->ctx, "op2_file_close");
  if (!status) op2->call(file->ctx, "op2_file_close", NULL, 0, 0);
  /* The files of a forked child belong to its parent. */
  if (!file->ctx->forked) file->format->close(file);
  if (!status && file->broken)
    status = op2->error(OP2_ERR_IO, "the file is not kept: %s", file->why);
  else if (!status && file->mode != OP2_FILE_READ)
    status = keep_file(file);
  op2->let_go(file->ctx);
  free_file(file);
  return status;
}

op2_status op2i_file_abandon(op2_file file, op2_status status) {
  const struct op2i_companion *op2 = file->op2;
  if (!file->broken) snprintf(file->why, sizeof file->why, "%.399s", op2_error_message());
  char why[sizeof file->why];
  memcpy(why, file->why, sizeof why);
  file->broken = true;
  op2_status closed = op2_file_close(&file);
  return closed ? op2->error(status, "%s", why) : status;
}
