/* SPDX-License-Identifier: BSD-3-Clause */
/* The floating-point environment over ranks of MPI and in files: whatever modes the program sets,
 * before or after op2_init_mpi() or in a function of op2_call(), ranks exchange, reduce, write and
 * read the same bits as without, and the program's modes and flags are unchanged whenever the
 * library returns. Run by t622-fp-ranks.sh with the folder for its files; "alone" is a context
 * without ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp_case.h"
#include "op2/io.h"
#include "op2/mpi.h"
#include "support.h"

enum { EACH = 150 }; /* nodes and edges of each rank */
enum when { NEVER, BEFORE_INIT, AFTER_INIT, FUNCTION, WHENS };
static const char *const when_names[WHENS] = {"nowhere", "before op2_init", "after op2_init",
                                              "in a function"};

struct cell {
  const char *backend;
  enum when when;
  unsigned modes;
};

static int rank, ranks = 1, wrong;
static bool alone;
static char path[512];
static uint64_t bits;     /* hash of all results of a cell */
static unsigned expected; /* modes that this thread should have when the library returns */
static unsigned given;    /* modes that the function sets; ~0: none */

static void complain(const char *call, const char *what) {
  fprintf(stderr, "# rank %d: %s: %s\n", rank, call, what);
  wrong++;
}

/* FNV-1a: nothing here computes in floating point while the modes are set. */
static void add_bits(const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    bits = (bits ^ ((const unsigned char *)data)[i]) * 1099511628211u;
}

static void look_at_modes(const char *call) {
  if (fp_get() != expected) complain(call, "the caller's modes are others");
  if (fp_flags()) complain(call, "flags were raised");
  fp_clear_flags();
}

static void called(const char *call, op2_status status) {
  if (status) complain(call, op2_error_message());
  look_at_modes(call);
}
#define CALL(call) called(#call, call)

/* ---- a cell's program ------------------------------------------------------------------------ */

/* Lanes that the condition excludes divide by zero and overflow. */
OP2_KERNEL(guarded, (const double *x, double *y), {
  y[0] = x[0] > 0 ? 1 / x[0] / 3 : x[0] / 7;
  y[1] = x[0] < 1e150 ? x[0] * x[0] : x[0];
});
OP2_KERNEL(spread,
           (const double *a, const double *b, double *to_a, double *to_b, double *sum, double *most,
            float *narrow),
           {
             *to_a += *b / 7;
             *to_b += *a / 11;
             *sum += (*a < 1e100 ? *a : 1) * 0.1;
             *most = *a > *most ? *a : *most;
             *narrow += (*a < 1e30 ? (float)*a : 1.0f) / 3.0f;
           });
/* The kernel raises division by zero and invalid. */
OP2_KERNEL(raising, (const double *x, double *y), { *y = 1 / (*x - *x) + (*x - *x) / (*x - *x); });

static op2_context ctx;
static op2_set nodes, edges;
static op2_map ends;
static op2_dat x, y, flow, odd;
static op2_gbl sum, most, narrow, norm;
static op2_kernel k_guarded, k_spread, k_raising;
static double xs[EACH];
static int64_t idx[2 * EACH];

static int function(void *data, void *const *values) {
  (void)data, (void)values;
  if (fp_get() != expected) complain("a function of op2_call()", "others' modes");
  if (fp_flags()) complain("a function of op2_call()", "flags that loops raised");
  if (given != ~0u) fp_set(expected = given);
  return 0;
}

static void declare(void) {
  const op2_partition_options blocks = {.method = OP2_PARTITION_BLOCKS};
  const int64_t first = (int64_t)rank * EACH;
  CALL(op2_set_create(ctx, EACH, "nodes", &nodes));
  CALL(op2_set_create(ctx, EACH, "edges", &edges));
  CALL(op2_map_create_global(edges, nodes, 2, idx, "ends", &ends));
  CALL(op2_dat_create(nodes, 1, OP2_F64, NULL, "x", &x));
  CALL(op2_dat_create(nodes, 2, OP2_F64, NULL, "y", &y));
  CALL(op2_dat_create(nodes, 1, OP2_F64, NULL, "flow", &flow));
  CALL(op2_dat_create(nodes, 1, OP2_F64, NULL, "odd", &odd));
  CALL(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CALL(op2_gbl_create(ctx, 1, OP2_F64, NULL, "most", &most));
  CALL(op2_gbl_create(ctx, 1, OP2_F32, NULL, "narrow", &narrow));
  CALL(op2_gbl_create(ctx, 1, OP2_F64, NULL, "norm", &norm));
  CALL(op2_partition(ctx, &blocks, NULL));
  CALL(op2_dat_set_block(x, first, EACH, xs));
  CALL(op2_kernel_create(ctx, &guarded_kernel, &k_guarded));
  CALL(op2_kernel_create(ctx, &spread_kernel, &k_spread));
  CALL(op2_kernel_create(ctx, &raising_kernel, &k_raising));
}

static void compute(void) {
  CALL(op2_par_loop(k_guarded, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE)));
  CALL(op2_par_loop(k_spread, edges, op2_arg_dat(x, 0, ends, OP2_READ),
                    op2_arg_dat(x, 1, ends, OP2_READ), op2_arg_dat(flow, 0, ends, OP2_INC),
                    op2_arg_dat(flow, 1, ends, OP2_INC), op2_arg_gbl(sum, OP2_INC),
                    op2_arg_gbl(most, OP2_MAX), op2_arg_gbl(narrow, OP2_INC)));
  CALL(op2_call(ctx, function, NULL, op2_arg_direct(flow, OP2_READ)));
  CALL(op2_par_loop(k_raising, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(odd, OP2_WRITE)));
  CALL(op2_dat_axpy(flow, op2_scalar_ratio(most, sum), x));
  CALL(op2_dat_norm(x, OP2_NORM_2, norm));
  CALL(op2_flush(ctx));
}

static void look_at_results(op2_dat dat, int dim) {
  static double values[2 * EACH];
  CALL(op2_dat_get_block(dat, (int64_t)rank * EACH, EACH, values));
  add_bits(values, sizeof(double) * (size_t)(EACH * dim));
}

static void write_file(void) {
  const uint64_t least = 1; /* the smallest positive number, by its bits */
  double value;
  op2_file file = NULL;
  memcpy(&value, &least, sizeof value);
  CALL(op2_file_open(ctx, path, OP2_FILE_CREATE, &file));
  CALL(op2_file_write_set(file, nodes, NULL));
  CALL(op2_file_write_set(file, edges, NULL));
  CALL(op2_file_write_map(file, ends, NULL));
  CALL(op2_file_write_dat(file, x, NULL));
  CALL(op2_file_write_dat(file, flow, NULL));
  CALL(op2_file_write_dat(file, odd, NULL));
  CALL(op2_file_write_const(file, 1, OP2_F64, "least", &value));
  CALL(op2_file_close(&file));
}

static void read_file(void) {
  op2_file file = NULL;
  op2_set set = NULL, others = NULL;
  op2_map map = NULL;
  op2_dat dats[3] = {NULL};
  static const char *const names[3] = {"x", "flow", "odd"};
  double value = 0;
  CALL(op2_file_open(ctx, path, OP2_FILE_READ, &file));
  CALL(op2_file_read_set(file, "nodes", &set));
  CALL(op2_file_read_set(file, "edges", &others));
  CALL(op2_file_read_map(file, others, set, 2, "ends", &map));
  for (int d = 0; d < 3; d++) {
    CALL(op2_file_read_dat(file, set, 1, OP2_F64, names[d], &dats[d]));
    look_at_results(dats[d], 1);
  }
  CALL(op2_file_read_const(file, 1, OP2_F64, "least", &value));
  add_bits(&value, sizeof value);
  CALL(op2_file_close(&file));
  for (int d = 0; d < 3; d++) op2_dat_destroy(&dats[d]);
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  op2_set_destroy(&others);
}

static void destroy(void) {
  op2_kernel_destroy(&k_guarded);
  op2_kernel_destroy(&k_spread);
  op2_kernel_destroy(&k_raising);
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_dat_destroy(&flow);
  op2_dat_destroy(&odd);
  op2_gbl_destroy(&sum);
  op2_gbl_destroy(&most);
  op2_gbl_destroy(&narrow);
  op2_gbl_destroy(&norm);
  op2_map_destroy(&ends);
  op2_set_destroy(&edges);
  op2_set_destroy(&nodes);
}

static void set_modes(const struct cell *cell, enum when when) {
  if (cell->when == when) fp_set(expected = cell->modes);
}

/* Run under the program's own modes, from the point that the cell names to the end. */
static void run(const struct cell *cell) {
  const op2_options options = {
      .backend = cell->backend, .threads = 1, .cache_dir = test_cache(), .log_level = 1};
  double value;
  bits = 14695981039346656037u;
  expected = 0;
  given = cell->when == FUNCTION ? cell->modes : ~0u;
  set_modes(cell, BEFORE_INIT);
  fp_clear_flags();
  CALL(alone ? op2_init(&options, &ctx) : op2_init_mpi(&options, MPI_COMM_WORLD, &ctx));
  set_modes(cell, AFTER_INIT);
  declare();
  for (int time = 0; time < 2; time++) compute();
  look_at_results(x, 1);
  look_at_results(y, 2);
  look_at_results(flow, 1);
  op2_gbl *const gbls[] = {&sum, &most, &norm};
  for (int g = 0; g < 3; g++) {
    CALL(op2_gbl_get(*gbls[g], &value));
    add_bits(&value, sizeof value);
  }
  CALL(op2_gbl_get(narrow, &value));
  add_bits(&value, sizeof(float));
  write_file();
  read_file();
  destroy();
  CALL(op2_finalize(&ctx));
  fp_set(0);
  fp_clear_flags();
}

/* ---- cells ----------------------------------------------------------------------------------- */

static uint64_t digest_of_file(void) {
  unsigned char chunk[4096];
  size_t n;
  FILE *file = fopen(path, "rb");
  uint64_t kept = bits, digest;
  bits = 1;
  while (file && (n = fread(chunk, 1, sizeof chunk, file)) > 0) add_bits(chunk, n);
  if (file) fclose(file);
  digest = bits;
  bits = kept;
  return digest;
}

/* Check that all ranks have the results that they have without modes. */
static void compare(const struct cell *cell, uint64_t usual, uint64_t usual_file) {
  if (bits != usual) complain("results", "other bits");
  if (!rank && digest_of_file() != usual_file) complain(path, "other bytes");
  int all = wrong;
  if (!alone) MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!rank)
    is_int(all, 0, "%s, %s set %s", cell->backend, fp_name(cell->modes), when_names[cell->when]);
  fflush(stdout);
  wrong = 0;
}

/* Each set of modes is set once at each place, on one backend or another, or on all with
 * OP2_TEST_FULL=1. */
static void run_backend(int b, const char *backend) {
  const struct cell plain = {backend, NEVER, 0};
  run(&plain);
  const uint64_t usual = bits, usual_file = rank ? 0 : digest_of_file();
  compare(&plain, usual, usual_file);
  for (int w = BEFORE_INIT; w < WHENS; w++)
    for (int m = 0; m < FP_SETS; m++) {
      const struct cell cell = {backend, (enum when)w, fp_sets[m]};
      if (cell.modes & ~fp_possible()) continue;
      if (!thorough() && (m + w) % 3 != b % 3) continue;
      fprintf(stderr, "# rank %d: %s, %s set %s\n", rank, backend, fp_name(cell.modes),
              when_names[w]);
      run(&cell);
      compare(&cell, usual, usual_file);
    }
}

static void fill(void) {
  for (int i = 0; i < EACH; i++) {
    int64_t node = (int64_t)rank * EACH + i;
    xs[i] = node % 5 == 0    ? 0
            : node % 11 == 0 ? 1e300
            : node % 7 == 0  ? 1e-310 * (double)node
                             : (double)(node * 37 % 200 - 100) / 7;
    idx[2 * i] = node;
    idx[2 * i + 1] = (node * 3 + 1) % ((int64_t)ranks * EACH);
  }
}

int main(int argc, char **argv) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  test_environment();
  alone = argc > 2 && !strcmp(argv[2], "alone");
  if (!alone) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  snprintf(path, sizeof path, "%s/modes-%d.h5", argc > 1 ? argv[1] : ".", ranks);
  fill();
  for (int b = 0; b < 4; b++) {
    const char *why = backend_unfit(backends[b]);
    if (!why)
      run_backend(b, backends[b]);
    else if (!rank)
      skip("%s: %s", backends[b], why);
  }
  int status = rank ? 0 : done();
  if (!alone) MPI_Finalize();
  return status;
}
