/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of results: airfoil's loops on a mesh of a file, without output and while files are written at
 * equal distances, in turn. Loops count until the last one has ended, with output as well; what is
 * left to be written then is timed apart. The state at the end must be bitwise equal. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "airfoil/gas.h"
#include "airfoil/kernels.h"
#include "common/clock.h"
#include "common/option.h"
#include "op2/meshfile.h"

typedef struct settings {
  const char *size, *folder;
  int steps, files, rounds;
  run_options run;
} settings;

static const option table[] = {
    {"--size", "WxH", "quadrilaterals of the mesh (default 1200x600)", PROGRAM_COMPARES,
     option_text, offsetof(settings, size)},
    {"--steps", "N", "time steps (default 1000)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, steps)},
    {"--files", "N", "files that are written (default 20)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, files)},
    {"--rounds", "N", "pairs of measurements (default 1)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, rounds)},
    {"--folder", "DIR", "where mesh and files are written (default .)", PROGRAM_COMPARES,
     option_text, offsetof(settings, folder)},
    {0},
};

enum { KERNELS = 5, CONSTS = 5 };
enum { Q, QOLD, ADT, RES, BOUND, DATS };

typedef struct flow {
  op2_context ctx;
  op2_mesh mesh;
  op2_faces faces;
  op2_const consts[CONSTS];
  op2_kernel kernels[KERNELS];
  op2_dat dats[DATS];
  op2_gbl rms;
} flow;

typedef struct times {
  double loops, rest, change;
} times;

#define TRY(call_)                                                                                 \
  do {                                                                                             \
    if (call_) goto fail;                                                                          \
  } while (0)

/* ---- the mesh -------------------------------------------------------------------------------- */

/* A channel with a bump, as SU2 has it. */
static bool write_mesh(const char *path, int64_t ni, int64_t nj) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "NDIME= 2\nNELEM= %" PRId64 "\n", ni * nj);
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < ni; i++) {
      const int64_t a = j * (ni + 1) + i, b = a + ni + 1;
      fprintf(file, "9 %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", a, a + 1, b + 1, b);
    }
  fprintf(file, "NPOIN= %" PRId64 "\n", (ni + 1) * (nj + 1));
  for (int64_t j = 0; j <= nj; j++)
    for (int64_t i = 0; i <= ni; i++) {
      const double x = 3.0 * (double)i / (double)ni, t = (double)j / (double)nj;
      const double bump = 0.1 * exp(-20 * (x - 1) * (x - 1));
      fprintf(file, "%.15g %.15g\n", x, bump + t * (1 - bump));
    }
  fprintf(file, "NMARK= 0\n");
  return fclose(file) == 0;
}

/* ---- the flow -------------------------------------------------------------------------------- */

static void end_flow(flow *f) {
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&f->kernels[k]);
  for (int d = 0; d < DATS; d++) op2_dat_destroy(&f->dats[d]);
  for (int c = 0; c < CONSTS; c++) op2_const_destroy(&f->consts[c]);
  op2_gbl_destroy(&f->rms);
  op2_mesh_destroy(&f->mesh);
}

/* The free stream everywhere: the bump disturbs it. */
static bool make_dats(flow *f) {
  const op2_set cells = op2_mesh_cells(f->mesh);
  const int64_t ncells = op2_set_size(cells);
  double *start = malloc(4 * (size_t)ncells * sizeof *start);
  int32_t *bound = calloc((size_t)op2_set_size(f->faces.boundary), sizeof *bound);
  if (!start || !bound) goto fail;
  for (int64_t c = 0; c < ncells; c++) memcpy(start + 4 * c, qinf, sizeof qinf);
  for (int64_t b = 0; b < op2_set_size(f->faces.boundary); b++) bound[b] = b % 3 != 0;
  TRY(op2_dat_create(cells, 4, OP2_F64, start, "q", &f->dats[Q]));
  TRY(op2_dat_create(cells, 4, OP2_F64, NULL, "qold", &f->dats[QOLD]));
  TRY(op2_dat_create(cells, 1, OP2_F64, NULL, "adt", &f->dats[ADT]));
  TRY(op2_dat_create(cells, 4, OP2_F64, NULL, "res", &f->dats[RES]));
  TRY(op2_dat_create(f->faces.boundary, 1, OP2_I32, bound, "bound", &f->dats[BOUND]));
  TRY(op2_gbl_create(f->ctx, 1, OP2_F64, NULL, "rms", &f->rms));
  free(start);
  free(bound);
  return true;
fail:
  free(start);
  free(bound);
  return false;
}

static bool begin_flow(op2_context ctx, const char *path, flow *f) {
  static const op2_kernel_desc *const descs[KERNELS] = {
      &save_soln_kernel, &adt_calc_kernel, &res_calc_kernel, &bres_calc_kernel, &update_kernel};
  *f = (flow){.ctx = ctx};
  TRY(op2_mesh_read(ctx, path, &f->mesh));
  TRY(op2_faces_create(f->mesh, &f->faces));
  gam = GAS_GAMMA;
  gm1 = GAS_GM1;
  cfl = GAS_CFL;
  eps = GAS_EPS;
  gas_free_stream(qinf);
  TRY(op2_const_create(ctx, 1, OP2_F64, &gam, "gam", &f->consts[0]));
  TRY(op2_const_create(ctx, 1, OP2_F64, &gm1, "gm1", &f->consts[1]));
  TRY(op2_const_create(ctx, 1, OP2_F64, &cfl, "cfl", &f->consts[2]));
  TRY(op2_const_create(ctx, 1, OP2_F64, &eps, "eps", &f->consts[3]));
  TRY(op2_const_create(ctx, 4, OP2_F64, qinf, "qinf", &f->consts[4]));
  for (int k = 0; k < KERNELS; k++) TRY(op2_kernel_create(ctx, descs[k], &f->kernels[k]));
  if (make_dats(f)) return true;
fail:
  end_flow(f);
  return false;
}

static op2_status stage(flow *f) {
  const op2_set cells = op2_mesh_cells(f->mesh);
  const op2_map corners = op2_mesh_cell_nodes(f->mesh);
  const op2_dat x = op2_mesh_coordinates(f->mesh), *d = f->dats;
  const op2_faces *faces = &f->faces;
  TRY(op2_par_loop(f->kernels[1], cells, op2_arg_dat(x, 0, corners, OP2_READ),
                   op2_arg_dat(x, 1, corners, OP2_READ), op2_arg_dat(x, 2, corners, OP2_READ),
                   op2_arg_dat(x, 3, corners, OP2_READ), op2_arg_direct(d[Q], OP2_READ),
                   op2_arg_direct(d[ADT], OP2_WRITE)));
  /* Airfoil's normal is (dy, -dx) with dx = x1 - x2, so a face's second node comes first. */
  TRY(op2_par_loop(
      f->kernels[2], faces->interior, op2_arg_dat(x, 1, faces->nodes, OP2_READ),
      op2_arg_dat(x, 0, faces->nodes, OP2_READ), op2_arg_dat(d[Q], 0, faces->cells, OP2_READ),
      op2_arg_dat(d[Q], 1, faces->cells, OP2_READ), op2_arg_dat(d[ADT], 0, faces->cells, OP2_READ),
      op2_arg_dat(d[ADT], 1, faces->cells, OP2_READ), op2_arg_dat(d[RES], 0, faces->cells, OP2_INC),
      op2_arg_dat(d[RES], 1, faces->cells, OP2_INC)));
  TRY(op2_par_loop(
      f->kernels[3], faces->boundary, op2_arg_dat(x, 1, faces->boundary_nodes, OP2_READ),
      op2_arg_dat(x, 0, faces->boundary_nodes, OP2_READ),
      op2_arg_dat(d[Q], 0, faces->boundary_cell, OP2_READ),
      op2_arg_dat(d[ADT], 0, faces->boundary_cell, OP2_READ),
      op2_arg_dat(d[RES], 0, faces->boundary_cell, OP2_INC), op2_arg_direct(d[BOUND], OP2_READ)));
  return op2_par_loop(f->kernels[4], cells, op2_arg_direct(d[QOLD], OP2_READ),
                      op2_arg_direct(d[Q], OP2_WRITE), op2_arg_direct(d[RES], OP2_RW),
                      op2_arg_direct(d[ADT], OP2_READ), op2_arg_gbl(f->rms, OP2_INC));
fail:
  return OP2_ERR_STATE;
}

static bool step(flow *f) {
  TRY(op2_par_loop(f->kernels[0], op2_mesh_cells(f->mesh), op2_arg_direct(f->dats[Q], OP2_READ),
                   op2_arg_direct(f->dats[QOLD], OP2_WRITE)));
  TRY(stage(f));
  TRY(stage(f));
  return true;
fail:
  return false;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static bool run(const settings *o, flow *f, op2_vtu_series series, times *t) {
  const double begin = clock_now();
  for (int s = 0, written = 0; s < o->steps; s++) {
    if (!step(f)) return false;
    if ((int64_t)(s + 1) * o->files / o->steps == written) continue;
    written++;
    if (series) TRY(op2_vtu_series_write(series, s, 1, &f->dats[Q]));
    TRY(op2_gbl_get(f->rms, &t->change)); /* as programs look at their residual now and then */
  }
  TRY(op2_gbl_get(f->rms, &t->change));
  t->loops = clock_now() - begin;
  TRY(op2_flush(f->ctx));
  t->rest = clock_now() - begin - t->loops;
  return true;
fail:
  return false;
}

/* A run in a new context, after two steps that compile and plan. */
static bool measure(const settings *o, const char *path, const char *results, times *t) {
  const op2_options options = {
      .threads = o->run.threads, .block_size = o->run.block_size, .backend = o->run.backend};
  op2_context ctx = NULL;
  op2_vtu_series series = NULL;
  flow f = {0};
  bool right = false;
  TRY(op2_init(&options, &ctx));
  if (!begin_flow(ctx, path, &f) || !step(&f) || !step(&f)) goto fail;
  TRY(op2_flush(ctx));
  if (results) TRY(op2_vtu_series_create(f.mesh, results, &series));
  right = run(o, &f, series, t);
fail:
  if (!right) fprintf(stderr, "output: %s\n", op2_error_message());
  op2_vtu_series_destroy(&series);
  end_flow(&f);
  return op2_finalize(&ctx) == OP2_SUCCESS && right;
}

static void remove_files(const settings *o, const char *stem) {
  char path[600];
  for (int i = 0; i < o->files; i++) {
    snprintf(path, sizeof path, "%s-%04d.vtu", stem, i);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s.pvd", stem);
  unlink(path);
}

static bool compare(const settings *o, const char *mesh, const char *stem) {
  bool good = true;
  printf(
      "round    without       with  ratio       left  seconds; ratio with/without of the loops\n");
  for (int r = 0; r < o->rounds && good; r++) {
    times without = {0}, with = {0};
    good = measure(o, mesh, NULL, &without) && measure(o, mesh, stem, &with);
    remove_files(o, stem);
    if (!good) break;
    printf("%5d %10.3f %10.3f %6.3f %10.3f\n", r + 1, without.loops, with.loops,
           with.loops / without.loops, with.rest);
    if (without.change != with.change) good = false;
    printf("%s\n", good ? "same bits" : "BITS DIFFER");
    fflush(stdout);
  }
  return good;
}

int main(int argc, char **argv) {
  settings o = {.size = "1200x600", .folder = ".", .steps = 1000, .files = 20, .rounds = 1};
  char mesh[500], stem[500];
  int64_t ni, nj;
  const int exit_status = option_parse(argc, argv, PROGRAM_COMPARES, table, &o, &o.run);
  if (exit_status >= 0) return exit_status;
  if (!option_size(o.size, &ni, &nj) || ni < 1 || nj < 1 || ni * nj > 100000000) {
    fprintf(stderr, "output: --size takes a size such as 40x30, not %s\n", o.size);
    return 2;
  }
  snprintf(mesh, sizeof mesh, "%s/bench-output.su2", o.folder);
  snprintf(stem, sizeof stem, "%s/bench-output", o.folder);
  if (!write_mesh(mesh, ni, nj)) {
    fprintf(stderr, "output: %s cannot be written\n", mesh);
    return 1;
  }
  printf("%" PRId64 " cells, %d steps, %d files\n", ni * nj, o.steps, o.files);
  const bool good = compare(&o, mesh, stem);
  unlink(mesh);
  return !good;
}
