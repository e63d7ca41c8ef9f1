/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef BENCH_MPI
#include "op2/mpi.h"
#endif

#include "option.h"
#include "report.h"

static int me, all = 1;
static bool among; /* True if there are ranks, even one */
static op2_partition_report parts;

/* Launchers set one of these variables: the number of processes, or with PMIx alone the number of
 * this one. A single task of Slurm may be a shell. */
static const char *launched(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  const char *value = getenv("SLURM_STEP_NUM_TASKS");
  if (value && !strcmp(value, "1")) value = NULL;
  for (size_t i = 0; !value && i < sizeof names / sizeof *names; i++) value = getenv(names[i]);
  return value;
}

#ifdef BENCH_MPI
bool ranks_begin(int *argc, char ***argv) {
  int level;
  if (!launched()) return true;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) ||
      MPI_Comm_rank(MPI_COMM_WORLD, &me) || MPI_Comm_size(MPI_COMM_WORLD, &all)) {
    fprintf(stderr, "%s: MPI does not start\n", report_name);
    return false;
  }
  among = true;
  option_writes = me == 0;
  if (option_writes || freopen("/dev/null", "w", stdout)) return true;
  perror("/dev/null");
  return false;
}

int ranks_end(int status) {
  if (!among) return status;
  fflush(NULL);
  if (status == EXIT_FAILURE) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}

op2_status ranks_init(const op2_options *options, op2_context *ctx) {
  return among ? op2_init_mpi(options, MPI_COMM_WORLD, ctx) : op2_init(options, ctx);
}

void ranks_greatest(double *values, int n) {
  if (among) MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

void ranks_sum(double *values, int n) {
  if (among) MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
#else
bool ranks_begin(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *value = launched();
  if (!value || !strcmp(value, "1")) return true;
  fprintf(stderr,
          "%s: started by a launcher, and built without MPI: every process would run by "
          "itself\n",
          report_name);
  return false;
}

int ranks_end(int status) { return status; }

op2_status ranks_init(const op2_options *options, op2_context *ctx) {
  return op2_init(options, ctx);
}

void ranks_greatest(double *values, int n) { (void)values, (void)n; }
void ranks_sum(double *values, int n) { (void)values, (void)n; }
#endif

bool ranks_first(void) { return me == 0; }
int ranks_number(void) { return all; }

/* ---- blocks of the mesh ---- */

/* Return the first element of a rank's block, of n elements; it ends where the next rank's block
 * begins. */
static int64_t first_of(int64_t n, int rank) { return n / all * rank + n % all * rank / all; }

op2_status ranks_set(op2_context ctx, int64_t n, const char *name, op2_set *set) {
  return op2_set_create(ctx, first_of(n, me + 1) - first_of(n, me), name, set);
}

op2_status ranks_map(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name,
                     op2_map *map) {
  if (!among) return op2_map_create(from, to, arity, idx, name, map);
  const int64_t n = op2_set_size(from) * arity;
  const int32_t *block = idx + first_of(op2_set_global_size(from), me) * arity;
  int64_t *rows = malloc((size_t)(n > 0 ? n : 1) * sizeof *rows);
  if (!rows) return OP2_ERR_NOMEM;
  for (int64_t i = 0; i < n; i++) rows[i] = block[i];
  const op2_status status = op2_map_create_global(from, to, arity, rows, name, map);
  free(rows);
  return status;
}

op2_status ranks_dat(op2_set set, int dim, op2_type type, const void *values, const char *name,
                     op2_dat *dat) {
  const size_t width = (size_t)dim * (type == OP2_I32 ? sizeof(int32_t) : sizeof(double));
  const size_t skipped = (size_t)first_of(op2_set_global_size(set), me) * width;
  return op2_dat_create(set, dim, type, (const char *)values + skipped, name, dat);
}

/* ---- partitions ---- */

/* Return the bits of a number, well mixed. */
static uint64_t mix(uint64_t bits) {
  bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
  return bits ^ bits >> 31;
}

static op2_status deal_out(op2_context ctx, op2_set set) {
  const int64_t n = op2_set_size(set), first = first_of(op2_set_global_size(set), me);
  int32_t *owner = malloc((size_t)(n > 0 ? n : 1) * sizeof *owner);
  if (!owner) return OP2_ERR_NOMEM;
  for (int64_t i = 0; i < n; i++) owner[i] = (int32_t)(mix((uint64_t)(first + i)) % (uint64_t)all);
  const op2_partition_options how = {.method = OP2_PARTITION_GIVEN, .set = set, .owner = owner};
  const op2_status status = op2_partition(ctx, &how, &parts);
  free(owner);
  return status;
}

static op2_status cut_boxes(op2_context ctx, op2_set set, const double *x) {
  op2_dat dat = NULL;
  op2_status status = ranks_dat(set, 2, OP2_F64, x, "coordinates", &dat);
  const op2_partition_options how = {.method = OP2_PARTITION_COORDINATES, .coordinates = dat};
  if (status == OP2_SUCCESS) status = op2_partition(ctx, &how, &parts);
  op2_dat_destroy(&dat);
  return status;
}

op2_status ranks_partition(op2_context ctx, const char *method, op2_map neighbours, op2_set set,
                           const double *x) {
  const op2_partition_options how = {.method = OP2_PARTITION_KWAY, .map = neighbours};
  if (!among) return OP2_SUCCESS;
  if (method && !strcmp(method, "blocks")) return op2_partition(ctx, NULL, &parts);
  if (method && !strcmp(method, "random")) return deal_out(ctx, set);
  if (method && !strcmp(method, "coordinates")) return cut_boxes(ctx, set, x);
  const op2_status status = op2_partition(ctx, &how, &parts);
  return method || status != OP2_ERR_UNAVAILABLE ? status : cut_boxes(ctx, set, x);
}

const op2_partition_report *ranks_parts(void) { return &parts; }

/* ---- results ---- */

op2_status ranks_values_begin(op2_dat dat, int64_t n, size_t width, const void **values) {
  if (!among) return op2_dat_read_begin(dat, values);
  void *out = malloc(me == 0 && n > 0 ? (size_t)n * width : 1);
  op2_status status = out ? OP2_SUCCESS : OP2_ERR_NOMEM;
  if (out) status = op2_dat_get_block(dat, 0, me == 0 ? n : 0, out);
  if (status || me > 0) {
    free(out);
    out = NULL;
  }
  *values = out;
  return status;
}

op2_status ranks_values_end(op2_dat dat, const void **values) {
  if (!among) return op2_dat_read_end(dat, values);
  free((void *)*values);
  *values = NULL;
  return OP2_SUCCESS;
}
