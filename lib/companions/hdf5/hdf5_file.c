/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing of files, and messages of what is wrong with them. */
#include "hdf5_file.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context.h"

/* ---- how HDF5 is called ---------------------------------------------------------------------- */

static pthread_mutex_t hdf5 = PTHREAD_MUTEX_INITIALIZER;

void op2i_hdf5_enter(struct op2i_hdf5_manner *manner) {
  pthread_mutex_lock(&hdf5);
  *manner = (struct op2i_hdf5_manner){0};
  H5Eget_auto2(H5E_DEFAULT, &manner->function, &manner->data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5Eclear2(H5E_DEFAULT);
}

void op2i_hdf5_leave(const struct op2i_hdf5_manner *manner) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, manner->function, manner->data);
  pthread_mutex_unlock(&hdf5);
}

enum { WORDS = 400 };

/* Of the errors that led to each other, the first is the one that tells something. */
static herr_t keep_first(unsigned n, const H5E_error2_t *error, void *words) {
  if (n == 0 && error->desc) snprintf(words, WORDS, "%s", error->desc);
  return 0;
}

op2_status op2i_hdf5_error(op2_file file, const struct op2i_dataset *what, bool asked,
                           op2_status status, const char *format, ...) {
  char text[800], words[WORDS] = "", about[300] = "";
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (asked) H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, words);
  if (what) snprintf(about, sizeof about, "%s '%.200s' ", what->kind, what->name);
  return file->op2->error(status, "%s: %s%s%s%s%s", file->path, about, text,
                          *words ? " (HDF5: " : "", words, *words ? ")" : "");
}

/* ---- what all calls do ----------------------------------------------------------------------- */

op2_status op2i_file_agree(op2_file file, op2_status status) {
  return file->comm ? file->op2->agree(file->comm, status) : status;
}

op2_status op2i_file_check(op2_file file, const char *call, bool writes, const char *name,
                           const void *out) {
  op2_status status = file->op2->context_validate(file->ctx);
  if (status) return status;
  if (!name || !out) return file->op2->error(OP2_ERR_ARG, "%s: a null pointer", call);
  if (!*name) return file->op2->error(OP2_ERR_NAME, "%s: the name is empty", call);
  if (writes && file->mode == OP2_FILE_READ)
    return file->op2->error(OP2_ERR_STATE, "%s: %s is open for reading", call, file->path);
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
  if (file && file->magic == OP2I_FILE_MAGIC) return OP2_SUCCESS;
  return op2->error(OP2_ERR_ARG, "%s: not an open file", call);
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

/* ---- opening --------------------------------------------------------------------------------- */

static op2_status open_with(op2_file file, hid_t access) {
  op2_status status = OP2_SUCCESS;
  /* Small datasets one by one: what a block of them leaves over is written as it happens to be. */
  if (access < 0 || file->transfer < 0 || H5Pset_small_data_block_size(access, 0) < 0)
    return op2i_hdf5_error(file, NULL, true, OP2_ERR_NOMEM, "cannot be opened");
  if (file->comm) status = op2i_hdf5_ranks(file->op2, file->ctx, access, file->transfer);
  /* Beyond this all ranks go on or none. */
  status = op2i_file_agree(file, status);
  if (status) return status;
  if (file->mode == OP2_FILE_CREATE)
    file->id = H5Fcreate(file->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  else
    file->id =
        H5Fopen(file->path, file->mode == OP2_FILE_ADD ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  if (file->id < 0)
    status = op2i_hdf5_error(file, NULL, true, OP2_ERR_IO, "cannot be %s",
                             file->mode == OP2_FILE_CREATE ? "created" : "opened as an HDF5 file");
  return op2i_file_agree(file, status);
}

static op2_status close_ids(op2_file file) {
  op2_status status = OP2_SUCCESS;
  if (file->id >= 0 && H5Fclose(file->id) < 0)
    status = op2i_hdf5_error(file, NULL, true, OP2_ERR_IO, "cannot be closed");
  if (file->transfer >= 0) H5Pclose(file->transfer);
  return status;
}

static op2_status open_file(op2_file file) {
  struct op2i_hdf5_manner manner;
  op2i_hdf5_enter(&manner);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  file->transfer = H5Pcreate(H5P_DATASET_XFER);
  op2_status status = open_with(file, access);
  if (status && file->id >= 0) H5Fclose(file->id);
  if (status && file->transfer >= 0) H5Pclose(file->transfer);
  if (access >= 0) H5Pclose(access);
  op2i_hdf5_leave(&manner);
  return status;
}

static op2_status check_open(const struct op2i_companion *op2, const char *path, op2_file_mode mode,
                             const op2_file *file) {
  if (!path || !file) return op2->error(OP2_ERR_ARG, "op2_file_open: a null pointer");
  if (mode < OP2_FILE_READ || mode > OP2_FILE_ADD)
    return op2->error(OP2_ERR_ARG, "op2_file_open: %s: %d is not an op2_file_mode", path,
                      (int)mode);
  return OP2_SUCCESS;
}

static op2_status make_file(const struct op2i_companion *op2, op2_context ctx, const char *path,
                            op2_file_mode mode, op2_file *out) {
  size_t length = strlen(path) + 1;
  op2_file file = op2->calloc(1, sizeof *file + length);
  if (!file) return op2->error_nomem("a file");
  *file = (struct op2_file_s){.magic = OP2I_FILE_MAGIC,
                              .op2 = op2,
                              .ctx = ctx,
                              .comm = ctx->comm,
                              .path = memcpy(file + 1, path, length),
                              .mode = mode,
                              .id = H5I_INVALID_HID,
                              .transfer = H5I_INVALID_HID};
  *out = file;
  return OP2_SUCCESS;
}

op2_status op2_file_open(op2_context ctx, const char *path, op2_file_mode mode, op2_file *out) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  op2_file file = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2->context_validate(ctx);
  if (status) return status;
  status = check_open(op2, path, mode, out);
  /* Ranks that are threads share HDF5, and must not wait for each other there. */
  if (!status && ctx->comm) status = op2i_hdf5_ranks_check(op2, ctx);
  if (!status) status = make_file(op2, ctx, path, mode, &file);
  if (ctx->comm) status = op2->agree(ctx->comm, status);
  if (!status) status = open_file(file);
  if (status) {
    op2->free(file);
    return status;
  }
  op2->hold(ctx);
  *out = file;
  return OP2_SUCCESS;
}

op2_status op2_file_close(op2_file *handle) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct op2i_hdf5_manner manner;
  op2_status status = OP2_SUCCESS;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  if (!handle || !*handle) return OP2_SUCCESS;
  op2_file file = *handle;
  *handle = NULL;
  status = op2i_file_is_open(file, "op2_file_close");
  if (status) return status;
  /* A child's copy of what its parent has open is not to be written; MPI has closed it at its
   * end. */
  bool ours = op2->context_validate(file->ctx) != OP2_ERR_STATE || !file->ctx->forked;
  if (ours && !(file->comm && op2i_hdf5_ranks_over())) {
    op2i_hdf5_enter(&manner);
    status = close_ids(file);
    op2i_hdf5_leave(&manner);
    if (!file->ctx->finalized) status = op2i_file_agree(file, status);
  }
  file->magic = 0;
  op2->let_go(file->ctx);
  op2->free(file);
  return status;
}
