/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong sizes in a damaged file that a set could have: no memory is allocated for them before they
 * are compared with the contents of the file, on one rank and on several. A set in blocks gets a
 * table of its elements' numbers only if a loop needs it. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "context.h"
#include "file_plain.h"
#include "init.h"
#include "mesh.h"
#include "rank_case.h"
#include "support.h"

static char path[512];

/* The process's largest resident memory so far, in MB. */
static long most_resident(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Write one set of this size, and a map of two rows. */
static void write_damaged(int size) {
  const int32_t rows[2] = {0, 1};
  const struct plain map = {"map", H5T_NATIVE_INT, H5T_NATIVE_INT, 2, 1, rows, 2, 1, "int", 3};
  const struct plain dat = {"dat", H5T_NATIVE_INT, H5T_NATIVE_INT, 2, 1, rows, 2, 1, "int", 3};
  op2_file_id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  plain_set("set", size);
  plain_array(&map);
  plain_array(&dat);
  H5Fclose(op2_file_id);
}

/* The set can be declared; reading anything on it is refused with the message for the file. */
static int read_damaged(struct op2i_comm *comm, void *data) {
  const int size = *(const int *)data;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_context ctx = NULL;
  op2_file file = NULL;
  op2_set set = NULL;
  op2_map map = NULL;
  op2_dat dat = NULL;
  int bad = 0;
  op2_status status = op2i_init_ranks(&options, comm, &ctx);
  if (!status) status = op2_file_open(ctx, path, OP2_FILE_READ, &file);
  if (!status) status = op2_file_read_set(file, "set", &set);
  if (!status) {
    bad += op2_set_global_size(set) != size;
    bad += !op2_file_read_map(file, set, set, 1, "map", &map) ||
           !strstr(op2_error_message(), "map") || !strstr(op2_error_message(), path);
    bad += !op2_file_read_dat(file, set, 1, OP2_I32, "dat", &dat) ||
           !strstr(op2_error_message(), path);
    bad += map || dat;
  }
  op2_set_destroy(&set);
  if (op2_file_close(&file)) bad++;
  if (op2_finalize(&ctx)) bad++;
  return bad + (status != OP2_SUCCESS);
}

/* The largest size comes last: a library that fills tables is found by the smaller ones, for which
 * the memory suffices. */
static void sizes(void) {
  static const int all[] = {1 << 24, 1 << 27, INT32_MAX};
  enum { ALLOWED = 100 }; /* MB: the program, HDF5 and threads */
  (void)read_damaged(NULL, &(int){0});
  for (int s = 0; s < 3; s++)
    for (int ranks = 0; ranks <= 3; ranks++) {
      int size = all[s];
      write_damaged(size);
      long before = most_resident();
      int bad = ranks ? run_contexts(ranks, read_damaged, &size) : read_damaged(NULL, &size);
      is_int(bad, 0, "a set of %d elements, %d ranks, and a file of two rows", size, ranks);
      if (!ok(most_resident() - before < ALLOWED, "it takes no memory: %ld MB more",
              most_resident() - before))
        return;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

enum { EACH = 5 };

OP2_KERNEL(put, (double *x), { *x = 1; });
OP2_KERNEL(tell, (const int64_t *i, double *x), { *x = (double)*i; });

static op2_status numbers_on(op2_context ctx, int rank, int *bad) {
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_kernel put = NULL, tell = NULL;
  double values[EACH] = {0};
  op2_status status = op2_set_create(ctx, EACH, "set", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "dat", &dat);
  if (!status) status = op2_kernel_create(ctx, &put_kernel, &put);
  if (!status) status = op2_kernel_create(ctx, &tell_kernel, &tell);
  if (!status) status = op2_par_loop(put, set, op2_arg_direct(dat, OP2_WRITE));
  if (!status) status = op2_flush(ctx);
  if (!status) *bad += set->halo->global != NULL;
  if (!status) status = op2_par_loop(tell, set, op2_arg_idx(), op2_arg_direct(dat, OP2_WRITE));
  if (!status) status = op2_dat_get(dat, values);
  if (!status) *bad += set->halo->global == NULL;
  for (int i = 0; i < EACH; i++) *bad += values[i] != rank * EACH + i;
  op2_kernel_destroy(&put);
  op2_kernel_destroy(&tell);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  return status;
}

static int numbers_on_rank(struct op2i_comm *comm, void *data) {
  op2_context ctx = NULL;
  int bad = 0;
  const op2_options options = {.backend = data, .cache_dir = test_cache()};
  op2_status status = op2i_init_ranks(&options, comm, &ctx);
  if (!status) status = numbers_on(ctx, op2_rank(ctx), &bad);
  if (status) diag("%s", op2_error_message());
  if (op2_finalize(&ctx)) bad++;
  return bad + (status != OP2_SUCCESS);
}

static void numbers(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  for (int b = 0; b < 4; b++) {
    const char *why = backend_unfit(backends[b]);
    if (why)
      skip("%s: %s", backends[b], why);
    else
      is_int(run_contexts(3, numbers_on_rank, (void *)backends[b]), 0,
             "%s: a table of numbers from the first loop that asks for it", backends[b]);
  }
}

int main(void) {
  test_environment();
  snprintf(path, sizeof path, "%s/sizes.h5", test_scratch());
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  sizes();
  numbers();
  return done();
}
