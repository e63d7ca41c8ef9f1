/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of HDF5, and files that it opens and closes. */
#include "hdf5_format.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context.h"

/* ---- calling HDF5 ---------------------------------------------------------------------------- */

static pthread_mutex_t hdf5 = PTHREAD_MUTEX_INITIALIZER;

void op2i_hdf5_enter(struct op2i_hdf5_scope *scope) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  pthread_mutex_lock(&hdf5);
  *scope = (struct op2i_hdf5_scope){0};
  if (op2) op2->fp_enter(&scope->fp);
  H5Eget_auto2(H5E_DEFAULT, &scope->function, &scope->data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5Eclear2(H5E_DEFAULT);
}

void op2i_hdf5_leave(struct op2i_hdf5_scope *scope) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, scope->function, scope->data);
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  if (op2) op2->fp_leave(&scope->fp);
  pthread_mutex_unlock(&hdf5);
}

enum { WORDS = 400 };

/* In a chain of errors the first one has the most information. */
static herr_t keep_first(unsigned n, const H5E_error2_t *error, void *words) {
  if (n == 0 && error->desc) snprintf(words, WORDS, "%s", error->desc);
  return 0;
}

op2_status op2i_hdf5_error(op2_file file, const struct op2i_dataset *what, bool asked,
                           op2_status status, const char *format, ...) {
  char text[800], words[WORDS] = "";
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (asked) H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, words);
  return op2i_file_error(file, what, status, "%s%s%s%s", text, *words ? " (HDF5: " : "", words,
                         *words ? ")" : "");
}

/* ---- files ----------------------------------------------------------------------------------- */

/* If file locking is disabled, as on some parallel file systems, files are opened without locks. */
static void set_locks(hid_t access) {
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access, true, true);
#else
  (void)access;
#endif
}

static op2_status open_file(op2_file file, const char *name, bool driven) {
  struct op2i_hdf5_file *h = op2i_hdf5_of(file);
  struct op2i_hdf5_scope scope;
  op2_status status = OP2_SUCCESS;
  h->id = H5I_INVALID_HID;
  h->driven.part = &file->part;
  op2i_hdf5_enter(&scope);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  bool good = access >= 0 && H5Pset_small_data_block_size(access, 0) >= 0;
  if (good && !driven) set_locks(access);
  if (good && driven) good = op2i_driver_set(access, &h->driven);
  if (!good)
    status = op2i_hdf5_error(file, NULL, true, OP2_ERR_NOMEM, "cannot be opened");
  else if (driven && file->mode == OP2_FILE_CREATE)
    h->id = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  else
    h->id = H5Fopen(name, driven ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  h->open = !status && h->id >= 0;
  if (!status && !h->open)
    status = op2i_hdf5_error(file, NULL, true, OP2_ERR_IO, "cannot be %s",
                             file->mode == OP2_FILE_CREATE ? "created" : "opened as an HDF5 file");
  if (access >= 0) H5Pclose(access);
  op2i_hdf5_leave(&scope);
  return status;
}

static void close_file(op2_file file) {
  struct op2i_hdf5_file *h = op2i_hdf5_of(file);
  struct op2i_hdf5_scope scope;
  if (!h->open) return;
  op2i_hdf5_enter(&scope);
  H5Fclose(h->id);
  h->open = false;
  op2i_hdf5_leave(&scope);
}

static op2_status flush(op2_file file) {
  struct op2i_hdf5_scope scope;
  op2_status status = OP2_SUCCESS;
  op2i_hdf5_enter(&scope);
  if (H5Fflush(op2i_hdf5_of(file)->id, H5F_SCOPE_GLOBAL) < 0)
    status = op2i_hdf5_error(file, NULL, true, OP2_ERR_IO, "cannot be written");
  op2i_hdf5_leave(&scope);
  return status;
}

static int64_t end(op2_file file) {
  const struct op2i_driven *driven = &op2i_hdf5_of(file)->driven;
  return driven->open ? -1 : driven->end;
}

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* Check for the signature of HDF5. It allows a user block before it, of 0, 512, 1024, ... bytes. */
static bool is_signed(struct op2i_io_part *part, int64_t bytes) {
  unsigned char found[sizeof signature];
  for (int64_t at = 0; at + (int64_t)sizeof found <= bytes; at = at ? 2 * at : 512)
    if (!op2i_io_part_read(part, found, sizeof found, at))
      return false;
    else if (memcmp(found, signature, sizeof found) == 0)
      return true;
  return op2i_io_part_fail(part, "kept: it is no HDF5 file", EIO);
}

/* An HDF5 that was built with another MPI would call the functions of that MPI under the names of
 * this one. */
static const char *unavailable(op2_context ctx) {
#if defined(H5_HAVE_PARALLEL) && !defined(OP2_HDF5_MPI)
  if (ctx->comm && strcmp(ctx->comm->kind->name, "threads") != 0)
    return "files over ranks need an HDF5 without MPI, or built with the MPI of the ranks, which "
           "this one is not";
#else
  (void)ctx;
#endif
  return NULL;
}

const struct op2i_file_format op2i_format_hdf5 = {
    .name = "HDF5",
    .bytes = sizeof(struct op2i_hdf5_file),
    .unavailable = unavailable,
    .open = open_file,
    .close = close_file,
    .flush = flush,
    .end = end,
    .whole = is_signed,
    .read = op2i_hdf5_read,
    .shape = op2i_hdf5_shape,
    .has = op2i_hdf5_has,
    .make = op2i_hdf5_make,
    .find = op2i_hdf5_find,
};
