/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing of files, and error messages about files. */
#include "hdf5_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool op2i_file_leads(op2_file file) { return !file->comm || file->comm->rank == 0; }

op2_status op2i_file_fault(op2_file file, const struct op2i_dataset *what) {
  const struct op2i_part *part = &file->part;
  char about[300] = "";
  if (!part->failed) return OP2_SUCCESS;
  if (what) snprintf(about, sizeof about, "%s '%.200s': ", what->kind, what->name);
  return file->op2->error(part->failed == ENOMEM ? OP2_ERR_NOMEM : OP2_ERR_IO,
                          "%s: %s%s cannot be %s (%s)", file->path, about, part->name, part->doing,
                          strerror(part->failed));
}

/* ---- opening --------------------------------------------------------------------------------- */

/* If file locking is disabled, as on some parallel file systems, files are opened without locks. */
static void set_locks(hid_t access) {
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access, true, true);
#else
  (void)access;
#endif
}

/* Open HDF5's identifier of a file. If `driven`, HDF5 writes to the part, which is open already. */
static op2_status open_hdf5(op2_file file, const char *name, bool driven) {
  struct op2i_hdf5_scope scope;
  op2_status status = OP2_SUCCESS;
  op2i_hdf5_enter(&scope);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  bool good = access >= 0 && H5Pset_small_data_block_size(access, 0) >= 0;
  if (good && !driven) set_locks(access);
  if (good && driven) good = op2i_driver_set(access, &file->driven);
  if (!good)
    status = op2i_hdf5_error(file, NULL, true, OP2_ERR_NOMEM, "cannot be opened");
  else if (driven && file->mode == OP2_FILE_CREATE)
    file->id = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  else
    file->id = H5Fopen(name, driven ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  if (!status && file->id < 0)
    status = op2i_hdf5_error(file, NULL, true, OP2_ERR_IO, "cannot be %s",
                             file->mode == OP2_FILE_CREATE ? "created" : "opened as an HDF5 file");
  if (access >= 0) H5Pclose(access);
  op2i_hdf5_leave(&scope);
  return status ? status : op2i_file_fault(file, NULL);
}

static void close_hdf5(op2_file file) {
  struct op2i_hdf5_scope scope;
  if (file->id < 0) return;
  op2i_hdf5_enter(&scope);
  H5Fclose(file->id);
  file->id = H5I_INVALID_HID;
  op2i_hdf5_leave(&scope);
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
  op2_status status = op2i_file_agree(file, open_hdf5(file, file->path, false));
  return status ? status : check_same(file);
}

/* The leader creates the part, and the others open it, before HDF5 accesses it. */
static op2_status open_to_write(op2_file file) {
  struct op2i_part *part = &file->part;
  const bool leads = op2i_file_leads(file);
  int64_t number = file->op2->nanoseconds() ^ (int64_t)getpid() << 40;
  if (op2i_part_name(part, file->path) && leads) op2i_part_create(part, number);
  op2_status status = op2i_file_agree(file, op2i_file_fault(file, NULL));
  if (!status && file->comm) {
    status = file->op2->share(file->comm, 0, &number, sizeof number);
    if (!status && !leads) op2i_part_join(part, number);
    if (!status) status = op2i_file_agree(file, op2i_file_fault(file, NULL));
  }
  if (status) return status;
  if (leads && op2i_part_begin(part, file->mode == OP2_FILE_ADD))
    status = open_hdf5(file, part->name, true);
  if (!status) status = op2i_file_fault(file, NULL);
  file->stale = true;
  return op2i_file_agree(file, status);
}

op2_status op2i_file_refresh(op2_file file) {
  struct op2i_hdf5_scope scope;
  op2_status status = OP2_SUCCESS;
  if (file->mode == OP2_FILE_READ || !file->stale || !file->comm) return OP2_SUCCESS;
  if (op2i_file_leads(file)) {
    op2i_hdf5_enter(&scope);
    if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0)
      status = op2i_hdf5_error(file, NULL, true, OP2_ERR_IO, "cannot be written");
    op2i_hdf5_leave(&scope);
    if (!status) status = op2i_file_fault(file, NULL);
  }
  status = op2i_file_agree(file, status);
  if (!status && !op2i_file_leads(file)) {
    close_hdf5(file);
    status = open_hdf5(file, file->part.name, false);
  }
  status = op2i_file_agree(file, status);
  file->stale = status != OP2_SUCCESS;
  return status;
}

/* An HDF5 that was built with another MPI would call the functions of that MPI under the names of
 * this one. */
static bool has_other_mpi(op2_context ctx) {
#if defined(H5_HAVE_PARALLEL) && !defined(OP2_HDF5_MPI)
  return ctx->comm && strcmp(ctx->comm->kind->name, "threads") != 0;
#else
  (void)ctx;
  return false;
#endif
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
  size_t length = strlen(path) + 1, room = op2i_part_room(path);
  op2_file file = op2->calloc(1, sizeof *file + length + 2 * room);
  if (!file) return op2->error_nomem("a file");
  char *text = (char *)(file + 1);
  *file = (struct op2_file_s){.magic = OP2I_FILE_MAGIC,
                              .op2 = op2,
                              .ctx = ctx,
                              .comm = ctx->comm,
                              .path = memcpy(text, path, length),
                              .mode = mode,
                              .id = H5I_INVALID_HID};
  file->part = (struct op2i_part){.target = text + length,
                                  .name = text + length + room,
                                  .fd = -1,
                                  .owner = getpid(),
                                  .leads = op2i_file_leads(file),
                                  .shared = ctx->comm != NULL};
  file->driven.part = &file->part;
  *out = file;
  return OP2_SUCCESS;
}

/* HDF5 may still have the file open, in a forked child or after MPI_Finalize: then its memory is
 * kept, as HDF5 accesses it when the program ends. */
static void free_file(op2_file file) {
  op2i_part_drop(&file->part);
  file->magic = 0;
  if (!file->driven.open) file->op2->free(file);
}

op2_status op2_file_open(op2_context ctx, const char *path, op2_file_mode mode, op2_file *out) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  op2_file file = NULL;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2->context_validate(ctx, "op2_file_open");
  if (status) return status;
  op2->call(ctx, "op2_file_open", path, (uint64_t)mode, 0);
  status = check_open(op2, path, mode, out);
  if (!status && has_other_mpi(ctx))
    status =
        op2->error(OP2_ERR_UNAVAILABLE, "files over ranks need an HDF5 without MPI, or built with "
                                        "the MPI of the ranks, which this one is not");
  if (!status) status = make_file(op2, ctx, path, mode, &file);
  if (ctx->comm) status = op2->agree(ctx->comm, status);
  if (!status) status = mode == OP2_FILE_READ ? open_to_read(file) : open_to_write(file);
  if (status && file) {
    close_hdf5(file);
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
  op2i_part_sync(&file->part);
  if (file->driven.open)
    status = file->op2->error(OP2_ERR_IO, "%s: HDF5 cannot close it", file->path);
  else
    status = op2i_file_fault(file, NULL);
  status = op2i_file_agree(file, status);
  if (status) return status;
  if (op2i_file_leads(file) && !op2i_part_keep(&file->part, file->driven.end))
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
  if (!file->ctx->forked) close_hdf5(file);
  if (!status && file->broken)
    status = op2->error(OP2_ERR_IO, "the file is not kept: %s", file->why);
  else if (!status && file->mode != OP2_FILE_READ)
    status = keep_file(file);
  op2->let_go(file->ctx);
  free_file(file);
  return status;
}
