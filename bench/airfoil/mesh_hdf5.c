/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh_hdf5.h"

#ifdef BENCH_HDF5
#include <stdlib.h>

#include "gas.h"
#include "op2.h"
#include "op2/io.h"

/* A mesh is read and written in one piece, in a context of its own; calls that fail end a function
 * at `fail`. */
#define TRY(call_)                                                                                 \
  do {                                                                                             \
    if (call_) goto fail;                                                                          \
  } while (0)

static int read_size(op2_file file, const char *name, int64_t *size) {
  op2_set set = NULL;
  if (op2_file_read_set(file, name, &set)) return -1;
  *size = op2_set_size(set);
  op2_set_destroy(&set);
  return 0;
}

/* Check that numbers are in the range that the scheme and the drawing require. */
static int check_numbers(const char *path, const char *name, int64_t n, const int32_t *numbers,
                         int32_t low, int64_t high, bench_error *error) {
  for (int64_t i = 0; i < n; i++)
    if (numbers[i] < low || numbers[i] >= high)
      return bench_fail(error, "%s: %s: number %lld is %d, and must be in [%d, %lld)", path, name,
                        (long long)i, (int)numbers[i], (int)low, (long long)high);
  return 0;
}

static int check_mesh(const char *path, const mesh *m, bench_error *error) {
  return check_numbers(path, "pcell", 4 * m->ncell, m->cell, 0, m->nnode, error) ||
                 check_numbers(path, "pedge", 2 * m->nedge, m->edge, 0, m->nnode, error) ||
                 check_numbers(path, "pecell", 2 * m->nedge, m->ecell, 0, m->ncell, error) ||
                 check_numbers(path, "pbedge", 2 * m->nbedge, m->bedge, 0, m->nnode, error) ||
                 check_numbers(path, "pbecell", m->nbedge, m->becell, 0, m->ncell, error) ||
                 check_numbers(path, "p_bound", m->nbedge, m->bound, MESH_WALL, MESH_FAR_FIELD + 1,
                               error)
             ? -1
             : 0;
}

static int read_arrays(op2_file file, mesh *m) {
  TRY(op2_file_read_rows(file, "pcell", 0, m->ncell, 4, OP2_I32, m->cell));
  TRY(op2_file_read_rows(file, "pedge", 0, m->nedge, 2, OP2_I32, m->edge));
  TRY(op2_file_read_rows(file, "pecell", 0, m->nedge, 2, OP2_I32, m->ecell));
  TRY(op2_file_read_rows(file, "pbedge", 0, m->nbedge, 2, OP2_I32, m->bedge));
  TRY(op2_file_read_rows(file, "pbecell", 0, m->nbedge, 1, OP2_I32, m->becell));
  TRY(op2_file_read_rows(file, "p_bound", 0, m->nbedge, 1, OP2_I32, m->bound));
  TRY(op2_file_read_rows(file, "p_x", 0, m->nnode, 2, OP2_F64, m->x));
  return 0;
fail:
  return -1;
}

static int read_file(op2_file file, const char *path, mesh *m, bench_error *error) {
  mesh made = {0};
  if (read_size(file, "nodes", &made.nnode) || read_size(file, "cells", &made.ncell) ||
      read_size(file, "edges", &made.nedge) || read_size(file, "bedges", &made.nbedge))
    return bench_fail(error, "%s", op2_error_message());
  if (made.nnode > INT32_MAX || made.ncell > INT32_MAX)
    return bench_fail(error, "%s: the mesh has more than 2^31 elements", path);
  if (mesh_alloc(&made, error)) return -1;
  int rc = read_arrays(file, &made);
  if (rc)
    bench_fail(error, "%s", op2_error_message());
  else
    rc = check_mesh(path, &made, error);
  if (rc)
    mesh_free(&made);
  else
    *m = made;
  return rc;
}

/* Write what OP2's airfoil reads besides the mesh: the free stream everywhere, and constants. */
static int write_state(op2_file file, op2_set cells, int64_t ncell) {
  static const char *const names[] = {"p_qold", "p_adt", "p_res"};
  const double gamma = GAS_GAMMA, gm1 = GAS_GM1, cfl = GAS_CFL, eps = GAS_EPS, mach = GAS_MACH,
               alpha = GAS_ALPHA;
  double stream[4], *q = malloc((size_t)(ncell > 0 ? ncell : 1) * sizeof stream);
  op2_dat dat = NULL;
  if (!q) return -1;
  gas_free_stream(stream);
  for (int64_t i = 0; i < 4 * ncell; i++) q[i] = stream[i % 4];
  TRY(op2_dat_create(cells, 4, OP2_F64, q, "p_q", &dat));
  TRY(op2_file_write_dat(file, dat, NULL));
  for (int i = 0; i < 3; i++) {
    op2_dat_destroy(&dat);
    TRY(op2_dat_create(cells, i == 1 ? 1 : 4, OP2_F64, NULL, names[i], &dat));
    TRY(op2_file_write_dat(file, dat, NULL));
  }
  op2_dat_destroy(&dat);
  TRY(op2_file_write_const(file, 1, OP2_F64, "gam", &gamma));
  TRY(op2_file_write_const(file, 1, OP2_F64, "gm1", &gm1));
  TRY(op2_file_write_const(file, 1, OP2_F64, "cfl", &cfl));
  TRY(op2_file_write_const(file, 1, OP2_F64, "eps", &eps));
  TRY(op2_file_write_const(file, 1, OP2_F64, "mach", &mach));
  TRY(op2_file_write_const(file, 1, OP2_F64, "alpha", &alpha));
  TRY(op2_file_write_const(file, 4, OP2_F64, "qinf", stream));
  free(q);
  return 0;
fail:
  op2_dat_destroy(&dat);
  free(q);
  return -1;
}

static int write_map(op2_file file, op2_set from, op2_set to, int arity, const int32_t *idx,
                     const char *name) {
  op2_map map = NULL;
  int rc = op2_map_create(from, to, arity, idx, name, &map) || op2_file_write_map(file, map, NULL);
  op2_map_destroy(&map);
  return rc;
}

static int write_dat(op2_file file, op2_set set, int dim, op2_type type, const void *values,
                     const char *name) {
  op2_dat dat = NULL;
  int rc =
      op2_dat_create(set, dim, type, values, name, &dat) || op2_file_write_dat(file, dat, NULL);
  op2_dat_destroy(&dat);
  return rc;
}

static int write_file(op2_context ctx, op2_file file, const mesh *m) {
  static const char *const names[] = {"nodes", "edges", "bedges", "cells"};
  const int64_t sizes[] = {m->nnode, m->nedge, m->nbedge, m->ncell};
  op2_set set[4] = {0};
  int rc = 0;
  for (int s = 0; s < 4 && !rc; s++)
    rc = op2_set_create(ctx, sizes[s], names[s], &set[s]) || op2_file_write_set(file, set[s], NULL);
  rc = rc || write_map(file, set[1], set[0], 2, m->edge, "pedge") ||
       write_map(file, set[1], set[3], 2, m->ecell, "pecell") ||
       write_map(file, set[2], set[0], 2, m->bedge, "pbedge") ||
       write_map(file, set[2], set[3], 1, m->becell, "pbecell") ||
       write_map(file, set[3], set[0], 4, m->cell, "pcell") ||
       write_dat(file, set[2], 1, OP2_I32, m->bound, "p_bound") ||
       write_dat(file, set[0], 2, OP2_F64, m->x, "p_x") || write_state(file, set[3], m->ncell);
  for (int s = 0; s < 4; s++) op2_set_destroy(&set[s]);
  return rc;
}

static int begin(const char *path, op2_file_mode mode, op2_context *ctx, op2_file *file) {
  const op2_options options = {.backend = "sequential"};
  return op2_init(&options, ctx) || op2_file_open(*ctx, path, mode, file);
}

/* Only the first failure is reported. */
static int end(op2_context *ctx, op2_file *file, int rc, bench_error *error) {
  if (op2_file_close(file) && !rc) rc = bench_fail(error, "%s", op2_error_message());
  if (op2_finalize(ctx) && !rc) rc = bench_fail(error, "%s", op2_error_message());
  return rc;
}

static int read_hdf5(const char *path, mesh *m, bench_error *error) {
  op2_context ctx = NULL;
  op2_file file = NULL;
  mesh made = {0};
  int rc = begin(path, OP2_FILE_READ, &ctx, &file) ? bench_fail(error, "%s", op2_error_message())
                                                   : read_file(file, path, &made, error);
  rc = end(&ctx, &file, rc, error);
  if (rc)
    mesh_free(&made);
  else
    *m = made;
  return rc;
}

static int write_hdf5(const mesh *m, const char *path, bench_error *error) {
  op2_context ctx = NULL;
  op2_file file = NULL;
  int rc = begin(path, OP2_FILE_CREATE, &ctx, &file) || write_file(ctx, file, m)
               ? bench_fail(error, "%s", op2_error_message())
               : 0;
  return end(&ctx, &file, rc, error);
}

static const mesh_format hdf5 = {read_hdf5, write_hdf5};
void mesh_hdf5_use(void) { mesh_hdf5 = &hdf5; }
#else
void mesh_hdf5_use(void) {}
#endif
