/* SPDX-License-Identifier: BSD-3-Clause */
/* A set that all ranks share, its dats and maps, and matrices with dense rows and columns, in a file
 * of everything: on other numbers of ranks and other owners, from every backend, the files are equal
 * byte for byte, and loops go on from what was read as they did from what was written. The layout of
 * a dense row; what does not fit is refused. */
#include <stdio.h>
#include <string.h>

#include "file_case.h"
#include "init.h"
#include "mem.h"
#include "mesh.h"
#include "rank_case.h"
#include "support.h"

enum { WIDTH = 9, HEIGHT = 6, POINTS = WIDTH * HEIGHT, BOXES = (WIDTH - 1) * (HEIGHT - 1) };
enum { SIDES = 7, SPACING = 5 }; /* side i has nodes 5 i and 5 i + 3, so most nodes have no side */
enum { MATS = 5, KERNELS = 5, DATS = 5, MAPS = 4, SETS = 4 };

static char once[512], twice[512], other[512];

/* ---- a program ------------------------------------------------------------------------------- */

enum { NODES, CELLS, FRINGE, SHARED };
enum { CORNERS, ENDS, OF_CELLS, OF_SIDES };
enum { X, W, Y, P, Q };
enum { ROW, COLUMN, CORNER, GAPS, SQUARE };

struct program {
  op2_context ctx;
  op2_set sets[SETS];
  op2_map maps[MAPS];
  op2_dat dats[DATS];
  op2_sparsity sparsities[MATS];
  op2_mat mats[MATS];
  op2_kernel kernels[KERNELS], sum;
};

static const char *const set_names[] = {"nodes", "cells", "sides", "shared"};
static const char *const map_names[] = {"corners", "ends", "of cells", "of/sides"};
static const char *const dat_names[] = {"x", "w", "y", "p", "q"};

/* The maps to rows and to columns, and the block of each matrix, with the kernel that adds to it. */
static const struct {
  const char *name, *pattern, *source;
  int rows, columns, height, width;
  op2_type type;
} mat_cases[] = {
    [ROW] = {"row", "a row",
             "void add(const double *w, double a[2][4]) { for (int i = 0; i < 8; i++) "
             "a[i / 4][i % 4] += w[0] * (i / 4 + 1) - i % 4; }",
             OF_CELLS, CORNERS, 2, 1, OP2_F64},
    [COLUMN] = {"mats/column", "columns",
                "void add(const double *w, float a[12][2]) { for (int i = 0; i < 24; i++) "
                "a[i / 2][i % 2] += (float)w[0] - i; }",
                CORNERS, OF_CELLS, 3, 2, OP2_F32},
    [CORNER] = {"corner", "corner",
                "void add(const double *w, double a[2][2]) { for (int i = 0; i < 4; i++) "
                "a[i / 2][i % 2] += w[0] + i; }",
                OF_CELLS, OF_CELLS, 2, 2, OP2_F64},
    [GAPS] = {"gaps", "gaps", "void add(double a[1][2]) { a[0][0] += 3; a[0][1] -= 1; }", OF_SIDES,
              ENDS, 1, 1, OP2_F64},
    [SQUARE] = {"square", "square",
                "void add(const double *w, double a[4][4]) { for (int i = 0; i < 16; i++) "
                "a[i / 4][i % 4] += w[0] * (i % 3); }",
                CORNERS, CORNERS, 1, 1, OP2_F64},
};

/* This rank's block of n elements. */
static int64_t block(op2_context ctx, int64_t n, int64_t *count) {
  const int64_t rank = op2_rank(ctx), ranks = op2_ranks(ctx);
  *count = n * (rank + 1) / ranks - n * rank / ranks;
  return n * rank / ranks;
}

static op2_status declare_sets(struct program *p) {
  static const int64_t sizes[] = {POINTS, BOXES, SIDES};
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < SHARED && !status; s++) {
    int64_t n;
    block(p->ctx, sizes[s], &n);
    status = op2_set_create(p->ctx, n, set_names[s], &p->sets[s]);
  }
  return status ? status : op2_set_create_single(p->ctx, set_names[SHARED], &p->sets[SHARED]);
}

static op2_status declare_maps(struct program *p) {
  int64_t n, corners[BOXES][4], ends[SIDES][2];
  int64_t first = block(p->ctx, BOXES, &n);
  for (int64_t i = 0; i < n; i++) {
    const int64_t cell = first + i, node = cell / (WIDTH - 1) * WIDTH + cell % (WIDTH - 1);
    const int64_t row[] = {node, node + 1, node + WIDTH + 1, node + WIDTH};
    memcpy(corners[i], row, sizeof row);
  }
  op2_status status = op2_map_create_global(p->sets[CELLS], p->sets[NODES], 4, corners[0],
                                            map_names[CORNERS], &p->maps[CORNERS]);
  first = block(p->ctx, SIDES, &n);
  for (int64_t i = 0; i < n; i++) {
    ends[i][0] = (first + i) * SPACING;
    ends[i][1] = (first + i) * SPACING + 3;
  }
  if (!status)
    status = op2_map_create_global(p->sets[FRINGE], p->sets[NODES], 2, ends[0], map_names[ENDS],
                                   &p->maps[ENDS]);
  if (!status)
    status = op2_map_create(p->sets[CELLS], p->sets[SHARED], 1, NULL, map_names[OF_CELLS],
                            &p->maps[OF_CELLS]);
  return status ? status
                : op2_map_create(p->sets[FRINGE], p->sets[SHARED], 1, NULL, map_names[OF_SIDES],
                                 &p->maps[OF_SIDES]);
}

static op2_status declare_dats(struct program *p) {
  static const int on[] = {NODES, CELLS, NODES, SHARED, SHARED}, dims[] = {1, 1, 1, 2, 2};
  const double pair[] = {5, -3};
  double x[POINTS], w[BOXES];
  const void *const values[] = {x, w, NULL, pair, NULL};
  int64_t n, first = block(p->ctx, POINTS, &n);
  for (int64_t i = 0; i < n; i++) x[i] = (double)((first + i) * 7 % 13) - 6;
  first = block(p->ctx, BOXES, &n);
  for (int64_t i = 0; i < n; i++) w[i] = (double)((first + i) * 17 % 11);
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < DATS && !status; d++)
    status = op2_dat_create(p->sets[on[d]], dims[d], OP2_F64, values[d], dat_names[d], &p->dats[d]);
  return status;
}

static op2_status declare_kernels(struct program *p) {
  const op2_kernel_desc sum = {
      .name = "sum", .source = "void sum(const double *w, double *p) { p[0] += w[0]; p[1] -= 1; }"};
  op2_status status = op2_kernel_create(p->ctx, &sum, &p->sum);
  for (int m = 0; m < MATS && !status; m++) {
    const op2_kernel_desc desc = {.name = "add", .source = mat_cases[m].source};
    status = op2_kernel_create(p->ctx, &desc, &p->kernels[m]);
  }
  return status;
}

/* Give the nodes to ranks in no order; cells and sides follow. */
static op2_status scatter(struct program *p) {
  int32_t owner[POINTS];
  int64_t number[POINTS];
  op2_status status = op2_set_global(p->sets[NODES], number);
  for (int64_t i = 0; !status && i < op2_set_size(p->sets[NODES]); i++)
    owner[i] = (int32_t)(number[i] * 29 / 3 % op2_ranks(p->ctx));
  const op2_partition_options how = {
      .method = OP2_PARTITION_GIVEN, .set = p->sets[NODES], .owner = owner};
  return status ? status : op2_partition(p->ctx, &how, NULL);
}

static op2_status declare_mats(struct program *p) {
  op2_status status = OP2_SUCCESS;
  for (int m = 0; m < MATS && !status; m++) {
    const op2_map_pair pair = {p->maps[mat_cases[m].rows], p->maps[mat_cases[m].columns]};
    status = op2_sparsity_create(1, &pair, mat_cases[m].pattern, &p->sparsities[m]);
    if (!status)
      status = op2_mat_create(p->sparsities[m], mat_cases[m].height, mat_cases[m].width,
                              mat_cases[m].type, mat_cases[m].name, &p->mats[m]);
  }
  return status;
}

static op2_status declare(struct program *p) {
  op2_status status = declare_sets(p);
  if (!status) status = declare_maps(p);
  if (!status) status = declare_dats(p);
  if (!status) status = scatter(p);
  if (!status) status = declare_mats(p);
  return status ? status : declare_kernels(p);
}

static op2_status assemble(struct program *p, int m) {
  const op2_arg mat =
      op2_arg_mat(p->mats[m], p->maps[mat_cases[m].rows], p->maps[mat_cases[m].columns], OP2_INC);
  if (m == GAPS) return op2_par_loop(p->kernels[m], p->sets[FRINGE], mat);
  return op2_par_loop(p->kernels[m], p->sets[CELLS], op2_arg_direct(p->dats[W], OP2_READ), mat);
}

/* A step of the program, in whole numbers. */
static op2_status advance(struct program *p) {
  op2_status status = OP2_SUCCESS;
  for (int m = 0; m < MATS && !status; m++) status = assemble(p, m);
  if (!status)
    status = op2_par_loop(p->sum, p->sets[CELLS], op2_arg_direct(p->dats[W], OP2_READ),
                          op2_arg_dat(p->dats[P], 0, p->maps[OF_CELLS], OP2_INC));
  if (!status) status = op2_mat_mult(p->mats[ROW], p->dats[X], p->dats[Q]);
  return status ? status : op2_mat_mult_transpose(p->mats[ROW], p->dats[P], p->dats[Y]);
}

static void destroy(struct program *p) {
  op2_kernel_destroy(&p->sum);
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&p->kernels[k]);
  for (int m = 0; m < MATS; m++) op2_mat_destroy(&p->mats[m]);
  for (int m = 0; m < MATS; m++) op2_sparsity_destroy(&p->sparsities[m]);
  for (int d = 0; d < DATS; d++) op2_dat_destroy(&p->dats[d]);
  for (int m = 0; m < MAPS; m++) op2_map_destroy(&p->maps[m]);
  for (int s = 0; s < SETS; s++) op2_set_destroy(&p->sets[s]);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Take the handle of one object. Returns 1 if it is not the expected one. */
static int take(const op2_object *read, op2_object_kind kind, const char *name, void *handle) {
  if (read->kind != kind || strcmp(read->name, name)) return 1;
  memcpy(handle, &read->handle, sizeof read->handle);
  return 0;
}

static int take_mesh(struct program *p, int64_t n, const op2_object *read) {
  int wrong = n != SETS + MAPS + DATS;
  for (int s = 0; s < SETS && !wrong; s++)
    wrong = take(read++, OP2_OBJECT_SET, set_names[s], &p->sets[s]);
  for (int m = 0; m < MAPS && !wrong; m++)
    wrong = take(read++, OP2_OBJECT_MAP, map_names[m], &p->maps[m]);
  for (int d = 0; d < DATS && !wrong; d++)
    wrong = take(read++, OP2_OBJECT_DAT, dat_names[d], &p->dats[d]);
  return wrong;
}

static int take_mats(struct program *p, int64_t n, const op2_object *read) {
  int wrong = n != 2 * MATS;
  for (int m = 0; m < MATS && !wrong; m++)
    wrong = take(read++, OP2_OBJECT_SPARSITY, mat_cases[m].pattern, &p->sparsities[m]);
  for (int m = 0; m < MATS && !wrong; m++)
    wrong = take(read++, OP2_OBJECT_MAT, mat_cases[m].name, &p->mats[m]);
  return wrong;
}

/* Read all of a file. `owners`: 0 for those of op2_partition()'s choice, 1 for no order. */
static int read_program(struct program *p, const char *path, int owners) {
  const op2_object *read = NULL;
  op2_file file = NULL;
  int64_t n = 0;
  int wrong = op2_file_open(p->ctx, path, OP2_FILE_READ, &file) != OP2_SUCCESS;
  wrong = wrong || op2_file_read_all(file, &n, &read) || take_mesh(p, n, read);
  wrong = wrong || !p->sets[SHARED]->single; /* or maps to it would have tables */
  wrong = wrong || (owners ? scatter(p) : op2_partition(p->ctx, NULL, NULL));
  wrong = wrong || op2_file_read_matrices(file, &n, &read) || take_mats(p, n, read);
  if (op2_file_close(&file)) wrong++;
  return wrong ? wrong : declare_kernels(p) != OP2_SUCCESS;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

struct trial {
  const char *backend;
  int owners;
  bool renumbers;
};

static int begin(struct op2i_comm *comm, const struct trial *t, struct program *p) {
  const op2_options options = {.backend = t->backend, .threads = 1, .cache_dir = test_cache()};
  *p = (struct program){0};
  return op2i_init_ranks(&options, comm, &p->ctx) != OP2_SUCCESS;
}

static int end(struct program *p, int wrong) {
  if (wrong) printf("# %s\n", op2_error_message());
  destroy(p);
  return wrong + (op2_finalize(&p->ctx) != OP2_SUCCESS);
}

static int write_on(struct op2i_comm *comm, void *trial) {
  struct program p;
  if (begin(comm, trial, &p)) return 1;
  return end(&p, declare(&p) || advance(&p) || op2_file_dump(p.ctx, once) || advance(&p) ||
                     op2_file_dump(p.ctx, twice));
}

static int read_on(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct program p;
  if (begin(comm, t, &p)) return 1;
  int wrong = read_program(&p, once, t->owners);
  if (!wrong && t->renumbers && op2_renumber(p.maps[CORNERS]) == OP2_ERR_ARG) wrong++;
  wrong = wrong || op2_file_dump(p.ctx, other);
  return end(&p, wrong);
}

/* The same, and one step more. */
static int step_on(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct program p;
  if (begin(comm, t, &p)) return 1;
  return end(&p, read_program(&p, once, t->owners) || advance(&p) || op2_file_dump(p.ctx, other));
}

static void on_ranks(void) {
  char first[512], second[512];
  snprintf(first, sizeof first, "%s/first.h5", test_scratch());
  snprintf(second, sizeof second, "%s/second.h5", test_scratch());
  for (int k = 0; k < 9; k++) {
    const int from = k / 3 + 1, to = k % 3 + 1;
    struct trial t = {.backend = "sequential", .owners = k / 3 != k % 3, .renumbers = k % 2};
    is_int(run_contexts(from, write_on, &t), 0, "written on %d ranks", from);
    if (k == 0)
      ok(rename(once, first) == 0 && rename(twice, second) == 0, "files of one rank");
    else
      ok(file_equal(first, once) && file_equal(second, twice), "the files do not depend on ranks");
    snprintf(once, sizeof once, "%s/first.h5", test_scratch());
    is_int(run_contexts(to, read_on, &t), 0, "read on %d ranks", to);
    ok(file_equal(first, other), "written again it is the same, byte for byte");
    is_int(run_contexts(to, step_on, &t), 0, "a step on %d ranks", to);
    ok(file_equal(second, other), "the step leads to the file of the writer's second step");
    snprintf(once, sizeof once, "%s/once.h5", test_scratch());
  }
  ok(rename(first, once) == 0 && rename(second, twice) == 0, "files are kept for other cases");
}

static void on_backends(void) {
  const char *backend;
  char kept[512];
  snprintf(kept, sizeof kept, "%s/kept.h5", test_scratch());
  ok(rename(once, kept) == 0, "the file of the sequential backend");
  for (int b = 0; (backend = next_backend(every_backend, &b));) {
    struct trial t = {.backend = backend};
    is_int(run_contexts(1, write_on, &t), 0, "%s: written", backend);
    ok(file_equal(once, kept), "%s: the file has the same bytes", backend);
    is_int(run_contexts(1, step_on, &t), 0, "%s: read, and a step", backend);
    ok(file_equal(twice, other), "%s: what was read goes on alike", backend);
  }
}

/* ---- the layout ------------------------------------------------------------------------------ */

static op2_context ctx;

static op2_file opened(const char *name, op2_file_mode mode) {
  op2_file file = NULL;
  CHECK(op2_file_open(ctx, name, mode, &file));
  return file;
}

static void layout(void) {
  int32_t starts[2], columns[2 * SIDES], map[BOXES], size = 0;
  double values[2 * SIDES], row[2];
  int64_t rows = 0;
  int width = 0, wrong = 0;
  op2_type type = OP2_F64;
  op2_file file = opened(once, OP2_FILE_READ);
  CHECK(op2_file_read_rows(file, "shared", 0, 1, 1, OP2_I32, &size));
  is_int(size, 1, "a set that all ranks share has one element");
  CHECK(op2_file_read_rows(file, "of cells", 0, BOXES, 1, OP2_I32, map));
  for (int i = 0; i < BOXES; i++) wrong += map[i] != 0;
  is_int(wrong, 0, "a map to it has entries 0");
  CHECK(op2_file_read_rows(file, "gaps/starts", 0, 2, 1, OP2_I32, starts));
  ok(starts[0] == 0 && starts[1] == 2 * SIDES, "a pattern of one row");
  CHECK(op2_file_read_rows(file, "gaps/columns", 0, starts[1], 1, OP2_I32, columns));
  CHECK(op2_file_read_rows(file, "gaps/gaps", 0, starts[1], 1, OP2_F64, values));
  for (int i = 0; i < 2 * SIDES; i++)
    wrong += columns[i] != i / 2 * SPACING + i % 2 * 3 || values[i] != (i % 2 ? -1 : 3);
  is_int(wrong, 0, "a dense row has the columns that elements lead to, ascending");
  CHECK(op2_file_shape(file, "a row/row", &rows, &width, &type));
  CHECK(op2_file_read_rows(file, "a row/row", 0, 1, 2, OP2_F64, row));
  ok(rows == POINTS && width == 2 && row[0] == 0 && row[1] == 0, "blocks as the program has them");
  CHECK(op2_file_read_rows(file, "a row/row", 1, 1, 2, OP2_F64, row));
  /* Cells 0 and 1, with w = 0 and 6, have node 1 as their second and first. */
  ok(row[0] == 5 && row[1] == 11, "the block of a column");
  CHECK(op2_file_close(&file));
}

/* ---- refused --------------------------------------------------------------------------------- */

static bool failed(op2_status status, op2_status want, const char *words) {
  const bool good = status == want && strstr(op2_error_message(), words);
  if (!good) diag("%s: %s", op2_status_name(status), op2_error_message());
  return good;
}

/* A file made by hand of three nodes, a cell that leads to two of them, and a dense row. */
struct by_hand {
  int32_t shared, whole, starts[2], columns[2];
  op2_status status;
  const char *words;
};

static void write_by_hand(const struct by_hand *c) {
  static const char text[] = "set\tnodes\nset\tcells\nsingle\tR\nmap\tends\tcells\tnodes\n"
                             "map\twhole\tcells\tR\npair\tS\twhole\tends\nsparsity\tS\n"
                             "matrix\tM\tS\t1x1\n";
  op2_file file = opened(other, OP2_FILE_CREATE);
  op2_set nodes = NULL, cells = NULL, shared = NULL, two = NULL;
  op2_map ends = NULL, whole = NULL;
  op2_dat dat = NULL;
  CHECK(op2_set_create(ctx, 3, "nodes", &nodes));
  CHECK(op2_set_create(ctx, 1, "cells", &cells));
  CHECK(op2_set_create(ctx, c->shared, "R", &shared));
  CHECK(op2_set_create(ctx, 2, "places", &two));
  CHECK(op2_dat_create(two, 1, OP2_F64, (const double[]){1, 2}, "M", &dat));
  CHECK(op2_map_create(cells, nodes, 2, (const int32_t[]){0, 2}, "ends", &ends));
  CHECK(op2_map_create(cells, two, 1, &c->whole, "whole", &whole));
  CHECK(op2_file_write_set(file, nodes, NULL));
  CHECK(op2_file_write_set(file, cells, NULL));
  CHECK(op2_file_write_set(file, shared, NULL));
  CHECK(op2_file_write_map(file, ends, NULL));
  CHECK(op2_file_write_map(file, whole, NULL));
  CHECK(op2_file_write_const(file, 2, OP2_I32, "S/starts", c->starts));
  CHECK(op2_file_write_const(file, 2, OP2_I32, "S/columns", c->columns));
  CHECK(op2_file_write_dat(file, dat, "S/M"));
  CHECK(op2_file_write_const(file, (int)strlen(text), OP2_I8, "op2_contents", text));
  CHECK(op2_file_close(&file));
  op2_dat_destroy(&dat);
  op2_map_destroy(&whole);
  op2_map_destroy(&ends);
  op2_set *const sets[] = {&nodes, &cells, &shared, &two};
  for (int s = 0; s < 4; s++) op2_set_destroy(sets[s]);
}

static void destroy_all(int64_t n, const op2_object *objects) {
  while (n-- > 0) {
    void *const handle = objects[n].handle;
    if (objects[n].kind == OP2_OBJECT_MAP) op2_map_destroy(&(op2_map){handle});
    if (objects[n].kind == OP2_OBJECT_SET) op2_set_destroy(&(op2_set){handle});
    if (objects[n].kind == OP2_OBJECT_SPARSITY) op2_sparsity_destroy(&(op2_sparsity){handle});
    if (objects[n].kind == OP2_OBJECT_MAT) op2_mat_destroy(&(op2_mat){handle});
  }
}

static void files_refused(void) {
  static const struct by_hand all[] = {
      {1, 0, {0, 2}, {0, 2}, OP2_SUCCESS, ""},
      {2, 0, {0, 2}, {0, 2}, OP2_ERR_RANGE, "'R' has the size 2"},
      {0, 0, {0, 2}, {0, 2}, OP2_ERR_RANGE, "'R' has the size 0"},
      {1, 1, {0, 2}, {0, 2}, OP2_ERR_RANGE, "has the entry 1 at row 0"},
      {1, 0, {0, 1}, {0, 2}, OP2_ERR_RANGE, "last row has to end at 2"},
      {1, 0, {1, 2}, {0, 2}, OP2_ERR_RANGE, "first row has to begin at 0"},
      {1, 0, {0, 2}, {0, 3}, OP2_ERR_RANGE, "has the entry 3 at row 1"},
      {1, 0, {0, 2}, {0, 1}, OP2_ERR_RANGE, "has no place in row 0, column 1"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const op2_object *read = NULL, *mats = NULL;
    int64_t n = 0, m = 0;
    write_by_hand(&all[i]);
    op2_file file = opened(other, OP2_FILE_READ);
    op2_status status = op2_file_read_all(file, &n, &read);
    if (!status) status = op2_file_read_matrices(file, &m, &mats);
    if (all[i].status)
      ok(failed(status, all[i].status, all[i].words) && m == 0, "refused: %s", all[i].words);
    else
      ok(!status && n == 5 && m == 2, "a file that is made by hand");
    destroy_all(m, mats);
    destroy_all(n, read);
    is_int(op2_objects(ctx, OP2_OBJECT_ANY), 0, "nothing is left");
    CHECK(op2_file_close(&file));
  }
}

/* If an allocation of one rank alone fails, the file is written on no rank. */
static int fail_alone(struct op2i_comm *comm, void *trial) {
  struct program p;
  const int rank = comm->rank;
  if (begin(comm, trial, &p)) return 1;
  int wrong = declare(&p) || advance(&p) || op2_renumber(p.maps[CORNERS]);
  int64_t n = 0, made = 1;
  while (n <= made && n < 20000 && !wrong) {
    n += thorough() ? 1 : 7;
    if (rank == 1) op2i_mem_fail_here_at(n);
    const op2_status status = op2_file_dump(p.ctx, other);
    if (rank == 1) made = op2i_mem_fail_here_at(0);
    wrong += status && status != OP2_ERR_NOMEM;
    if (op2i_comm_share(comm, 1, &made, sizeof made)) wrong++;
  }
  return end(&p, wrong + (n < 100));
}

static void without_memory(void) {
  int64_t n = 0, made = 1, wrong = 0;
  while (n <= made && n < 20000) {
    struct program p = {.ctx = ctx};
    n += n < 20 ? 1 : 41;
    op2i_mem_fail_at(n);
    const int bad = read_program(&p, once, 0);
    destroy(&p);
    made = op2i_mem_fail_at(0);
    wrong += op2_objects(ctx, OP2_OBJECT_ANY) != 0;
    wrong += !bad && n <= made;
  }
  ok(n > 200 && n < 20000, "allocations were made to fail");
  is_int(wrong, 0, "nothing is left of what could not be read");
}

int main(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  struct trial t = {.backend = "sequential"};
  test_environment();
  snprintf(once, sizeof once, "%s/once.h5", test_scratch());
  snprintf(twice, sizeof twice, "%s/twice.h5", test_scratch());
  snprintf(other, sizeof other, "%s/other.h5", test_scratch());
  on_ranks();
  on_backends();
  is_int(run_contexts(2, fail_alone, &t), 0, "allocations of one rank fail");
  CHECK(op2_init(&options, &ctx));
  layout();
  files_refused();
  without_memory();
  CHECK(op2_finalize(&ctx));
  return done();
}
