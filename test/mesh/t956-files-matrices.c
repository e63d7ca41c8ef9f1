/* SPDX-License-Identifier: BSD-3-Clause */
/* Subsets and matrices in a file of everything, on other numbers of ranks and other owners, from
 * every backend: files are equal byte for byte, and loops go on from what was read as they did from
 * what was written. Patterns are in CSR form, by global numbers. What does not fit is refused. */
#include <stdio.h>
#include <string.h>

#include "file_case.h"
#include "init.h"
#include "mem.h"
#include "rank_case.h"
#include "support.h"

enum { WIDTH = 9, HEIGHT = 6, POINTS = WIDTH * HEIGHT, BOXES = (WIDTH - 1) * (HEIGHT - 1) };

static char once[512], twice[512], other[512];

/* ---- a program ------------------------------------------------------------------------------- */

struct program {
  op2_context ctx;
  op2_set nodes, cells, rim, none, corner; /* subsets: all but the first two */
  op2_map corners, inner, self;            /* inner leads to no node of the rim */
  op2_dat x, y, w, mark;
  op2_sparsity square, oblong, inside;
  op2_mat a, b, c;
  op2_kernel add, spread, count;
};

static const char *const sources[] = {
    "void add(const double *w, double a[4][4]) { for (int i = 0; i < 16; i++) a[i / 4][i % 4] += "
    "w[0] "
    "* (i / 4 + 1) - 2 * (i % 4); }",
    "void spread(const double *w, float b[2][12]) { for (int i = 0; i < 24; i++) b[i / 12][i % 12] "
    "+= "
    "(float)w[0] + i; }",
    "void count(int *mark) { mark[0] += 3; }",
};

static bool on_rim(int64_t n) {
  return n % WIDTH == 0 || n % WIDTH == WIDTH - 1 || n < WIDTH || n >= POINTS - WIDTH;
}

/* This rank's block of n elements. */
static int64_t block(op2_context ctx, int64_t n, int64_t *count) {
  const int64_t rank = op2_rank(ctx), ranks = op2_ranks(ctx);
  *count = n * (rank + 1) / ranks - n * rank / ranks;
  return n * rank / ranks;
}

static op2_status declare_maps(struct program *p) {
  int64_t n, idx[BOXES][4], inner[BOXES][4], self[BOXES];
  const op2_entries_desc how = {.type = OP2_I64, .partial = true, .global = true};
  const int64_t first = block(p->ctx, BOXES, &n);
  for (int64_t i = 0; i < n; i++) {
    const int64_t cell = first + i, node = cell / (WIDTH - 1) * WIDTH + cell % (WIDTH - 1);
    const int64_t row[] = {node, node + 1, node + WIDTH + 1, node + WIDTH};
    memcpy(idx[i], row, sizeof row);
    for (int k = 0; k < 4; k++) inner[i][k] = on_rim(row[k]) ? -1 - k : row[k];
    self[i] = cell;
  }
  op2_status status = op2_map_create_global(p->cells, p->nodes, 4, idx[0], "corners", &p->corners);
  if (!status)
    status = op2_map_create_entries(p->cells, p->nodes, 4, &how, inner[0], "inner", &p->inner);
  return status ? status : op2_map_create_global(p->cells, p->cells, 1, self, "self", &p->self);
}

static op2_status declare_subsets(struct program *p) {
  int64_t n, positions[POINTS], nrim = 0, last = 0;
  const int64_t first = block(p->ctx, POINTS, &n);
  for (int64_t i = 0; i < n; i++)
    if (on_rim(first + i)) positions[nrim++] = i;
  op2_status status = op2_subset_create(p->nodes, nrim, positions, "rim", &p->rim);
  if (!status) status = op2_subset_create(p->nodes, 0, NULL, "none", &p->none);
  last = nrim ? nrim - 1 : 0; /* a position in the parent */
  return status ? status
                : op2_subset_create(p->rim, nrim && op2_rank(p->ctx) == op2_ranks(p->ctx) - 1,
                                    &last, "sub/corner", &p->corner);
}

static op2_status declare_dats(struct program *p) {
  double x[POINTS], w[BOXES];
  int64_t n, first = block(p->ctx, POINTS, &n);
  for (int64_t i = 0; i < n; i++) x[i] = (double)((first + i) * 7 % 13) - 6;
  op2_status status = op2_dat_create(p->nodes, 1, OP2_F64, x, "x", &p->x);
  first = block(p->ctx, BOXES, &n);
  for (int64_t i = 0; i < n; i++) w[i] = (double)((first + i) * 17 % 11);
  if (!status) status = op2_dat_create(p->cells, 1, OP2_F64, w, "w", &p->w);
  if (!status) status = op2_dat_create(p->nodes, 1, OP2_F64, NULL, "y", &p->y);
  return status ? status : op2_dat_create(p->nodes, 1, OP2_I32, NULL, "mark", &p->mark);
}

static op2_status declare_kernels(struct program *p) {
  static const char *const names[] = {"add", "spread", "count"};
  op2_kernel *const kernels[] = {&p->add, &p->spread, &p->count};
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < 3 && !status; k++) {
    const op2_kernel_desc desc = {.name = names[k], .source = sources[k]};
    status = op2_kernel_create(p->ctx, &desc, kernels[k]);
  }
  return status;
}

/* Give the nodes to ranks in no order; the cells follow. */
static op2_status scatter(struct program *p) {
  int32_t owner[POINTS];
  int64_t number[POINTS];
  op2_status status = op2_set_global(p->nodes, number);
  for (int64_t i = 0; !status && i < op2_set_size(p->nodes); i++)
    owner[i] = (int32_t)(number[i] * 29 / 3 % op2_ranks(p->ctx));
  const op2_partition_options how = {
      .method = OP2_PARTITION_GIVEN, .set = p->nodes, .owner = owner};
  return status ? status : op2_partition(p->ctx, &how, NULL);
}

static op2_status declare_mats(struct program *p) {
  const op2_map_pair square[] = {{p->corners, p->corners}, {NULL, NULL}};
  const op2_map_pair oblong = {p->self, p->corners};
  const op2_map_pair inside = {p->inner, p->corners};
  op2_status status = op2_sparsity_create(2, square, "square", &p->square);
  if (!status) status = op2_sparsity_create(1, &oblong, "in/oblong", &p->oblong);
  if (!status) status = op2_sparsity_create(1, &inside, "inside", &p->inside);
  if (!status) status = op2_mat_create(p->square, 1, 1, OP2_F64, "A", &p->a);
  if (!status) status = op2_mat_create(p->oblong, 2, 3, OP2_F32, "mats/B", &p->b);
  return status ? status : op2_mat_create(p->inside, 1, 1, OP2_F64, "C", &p->c);
}

static op2_status declare(struct program *p) {
  int64_t n;
  block(p->ctx, POINTS, &n);
  op2_status status = op2_set_create(p->ctx, n, "nodes", &p->nodes);
  block(p->ctx, BOXES, &n);
  if (!status) status = op2_set_create(p->ctx, n, "cells", &p->cells);
  if (!status) status = declare_maps(p);
  if (!status) status = declare_subsets(p);
  if (!status) status = declare_dats(p);
  if (!status) status = scatter(p);
  if (!status) status = declare_mats(p);
  return status ? status : declare_kernels(p);
}

/* A step of the program, in whole numbers. */
static op2_status advance(struct program *p) {
  op2_status status =
      op2_par_loop(p->add, p->cells, op2_arg_direct(p->w, OP2_READ),
                   op2_arg_mat_drop(p->a, p->corners, p->corners, OP2_INC, OP2_ROWS, p->corner));
  if (!status)
    status = op2_par_loop(p->spread, p->cells, op2_arg_direct(p->w, OP2_READ),
                          op2_arg_mat(p->b, p->self, p->corners, OP2_INC));
  if (!status)
    status = op2_par_loop(p->add, p->cells, op2_arg_direct(p->w, OP2_READ),
                          op2_arg_mat(p->c, p->inner, p->corners, OP2_INC));
  if (!status) status = op2_par_loop(p->count, p->rim, op2_arg_direct(p->mark, OP2_RW));
  if (!status) status = op2_par_loop(p->count, p->none, op2_arg_direct(p->mark, OP2_RW));
  return status ? status : op2_mat_mult(p->a, p->x, p->y);
}

static void destroy(struct program *p) {
  op2_kernel *const kernels[] = {&p->add, &p->spread, &p->count};
  op2_dat *const dats[] = {&p->x, &p->y, &p->w, &p->mark};
  op2_set *const sets[] = {&p->rim, &p->none, &p->corner, &p->nodes, &p->cells};
  for (int k = 0; k < 3; k++) op2_kernel_destroy(kernels[k]);
  op2_mat_destroy(&p->a);
  op2_mat_destroy(&p->b);
  op2_mat_destroy(&p->c);
  op2_sparsity_destroy(&p->square);
  op2_sparsity_destroy(&p->oblong);
  op2_sparsity_destroy(&p->inside);
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  op2_map_destroy(&p->corners);
  op2_map_destroy(&p->inner);
  op2_map_destroy(&p->self);
  for (int s = 0; s < 5; s++) op2_set_destroy(sets[s]);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Take the handles of what was read. Returns the number of objects that are not as expected. */
static int take(struct program *p, int64_t n, const op2_object *read) {
  const struct {
    const char *name;
    op2_object_kind kind;
    void *handle;
  } all[] = {{"nodes", OP2_OBJECT_SET, &p->nodes},
             {"cells", OP2_OBJECT_SET, &p->cells},
             {"rim", OP2_OBJECT_SET, &p->rim},
             {"none", OP2_OBJECT_SET, &p->none},
             {"sub/corner", OP2_OBJECT_SET, &p->corner},
             {"corners", OP2_OBJECT_MAP, &p->corners},
             {"self", OP2_OBJECT_MAP, &p->self},
             {"inner", OP2_OBJECT_MAP, &p->inner},
             {"x", OP2_OBJECT_DAT, &p->x},
             {"w", OP2_OBJECT_DAT, &p->w},
             {"y", OP2_OBJECT_DAT, &p->y},
             {"mark", OP2_OBJECT_DAT, &p->mark},
             {"square", OP2_OBJECT_SPARSITY, &p->square},
             {"in/oblong", OP2_OBJECT_SPARSITY, &p->oblong},
             {"inside", OP2_OBJECT_SPARSITY, &p->inside},
             {"A", OP2_OBJECT_MAT, &p->a},
             {"mats/B", OP2_OBJECT_MAT, &p->b},
             {"C", OP2_OBJECT_MAT, &p->c}};
  enum { MADE = sizeof all / sizeof *all, MATRICES = 6 };
  const bool matrices = n == MATRICES;
  const int64_t first = matrices ? MADE - MATRICES : 0;
  int wrong = n != (matrices ? MATRICES : MADE - MATRICES);
  for (int64_t i = 0; i < n && !wrong; i++) {
    wrong += strcmp(read[i].name, all[first + i].name) || read[i].kind != all[first + i].kind;
    memcpy(all[first + i].handle, &read[i].handle, sizeof read[i].handle);
  }
  return wrong;
}

/* Read all of a file. `owners`: 0 for those of op2_partition()'s choice, 1 for no order. */
static int read_program(struct program *p, const char *path, int owners) {
  const op2_object *read = NULL;
  op2_file file = NULL;
  int64_t n = 0;
  int wrong = op2_file_open(p->ctx, path, OP2_FILE_READ, &file) != OP2_SUCCESS;
  wrong = wrong || op2_file_read_all(file, &n, &read) || take(p, n, read);
  wrong = wrong || (owners ? scatter(p) : op2_partition(p->ctx, NULL, NULL));
  wrong = wrong || op2_file_read_matrices(file, &n, &read) || take(p, n, read);
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
  if (!wrong && t->renumbers && op2_renumber(p.corners) == OP2_ERR_ARG) wrong++;
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
  static const int pairs[][2] = {{1, 1}, {1, 3}, {3, 1}, {2, 3}, {3, 2}, {1, 4}, {4, 2}};
  char first[512], second[512];
  struct trial t = {.backend = "sequential"};
  snprintf(first, sizeof first, "%s/first.h5", test_scratch());
  snprintf(second, sizeof second, "%s/second.h5", test_scratch());
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    const int from = pairs[k][0], to = pairs[k][1];
    t.owners = (int)k % 2;
    t.renumbers = k % 3 == 0;
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
  int32_t starts[POINTS + 1], row[4], rim[POINTS];
  float blocks[4][6];
  int64_t rows = 0, nrim = 0;
  int columns = 0, wrong = 0;
  op2_type type = OP2_F64;
  op2_file file = opened(once, OP2_FILE_READ);
  CHECK(op2_file_read_rows(file, "square/starts", 0, POINTS + 1, 1, OP2_I32, starts));
  CHECK(op2_file_read_rows(file, "square/columns", 0, 4, 1, OP2_I32, row));
  ok(starts[0] == 0 && starts[1] == 4 && starts[2] == 10 && row[0] == 0 && row[1] == 1 &&
         row[2] == WIDTH && row[3] == WIDTH + 1,
     "the first row of a pattern");
  CHECK(op2_file_shape(file, "square/columns", &rows, &columns, &type));
  is_int(rows, starts[POINTS], "as many columns as rows have nonzeros");
  CHECK(op2_file_read_rows(file, "in/oblong/mats/B", 0, 4, 6, OP2_F32, blocks));
  /* Cell 0 has w = 0, and its nodes are 0, 1, WIDTH + 1 and WIDTH, of which slot 3 is the third. */
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 3; c++) {
      wrong += blocks[0][3 * r + c] != (float)(12 * r + c);
      wrong += blocks[2][3 * r + c] != (float)(12 * r + 9 + c);
    }
  is_int(wrong, 0, "blocks of a matrix, row by row, in the order of the pattern");
  CHECK(op2_file_shape(file, "rim", &rows, &columns, &type));
  CHECK(op2_file_read_rows(file, "rim", 0, rows, 1, OP2_I32, rim));
  for (int64_t n = 0; n < POINTS; n++)
    if (on_rim(n)) wrong += nrim >= rows || rim[nrim++] != n;
  ok(!wrong && nrim == rows, "the elements of a subset");
  CHECK(op2_file_shape(file, "none", &rows, &columns, &type));
  is_int(rows, 0, "an empty subset");
  CHECK(op2_file_close(&file));
}

/* ---- refused --------------------------------------------------------------------------------- */

static bool failed(op2_status status, op2_status want, const char *words) {
  const bool good = status == want && strstr(op2_error_message(), words);
  if (!good) diag("%s: %s", op2_status_name(status), op2_error_message());
  return good;
}

/* A program of two nodes and a cell, whose file is made by hand. */
static void write_by_hand(const char *text, const int32_t *subset, const int32_t *starts,
                          const int32_t *columns) {
  const double values[] = {1, 2, 3, 4};
  op2_file file = opened(other, OP2_FILE_CREATE);
  op2_set nodes = NULL, cells = NULL, places = NULL;
  op2_map map = NULL;
  op2_dat dat = NULL;
  CHECK(op2_set_create(ctx, 4, "places", &places));
  CHECK(op2_dat_create(places, 1, OP2_F64, values, "M", &dat));
  CHECK(op2_set_create(ctx, 2, "nodes", &nodes));
  CHECK(op2_set_create(ctx, 1, "cells", &cells));
  CHECK(op2_map_create(cells, nodes, 2, (const int32_t[]){0, 1}, "ends", &map));
  CHECK(op2_file_write_set(file, nodes, NULL));
  CHECK(op2_file_write_set(file, cells, NULL));
  CHECK(op2_file_write_map(file, map, NULL));
  CHECK(op2_file_write_const(file, 2, OP2_I32, "some", subset));
  CHECK(op2_file_write_const(file, 3, OP2_I32, "S/starts", starts));
  CHECK(op2_file_write_const(file, 4, OP2_I32, "S/columns", columns));
  CHECK(op2_file_write_dat(file, dat, "S/M"));
  CHECK(op2_file_write_const(file, (int)strlen(text), OP2_I8, "op2_contents", text));
  CHECK(op2_file_close(&file));
  op2_dat_destroy(&dat);
  op2_map_destroy(&map);
  op2_set_destroy(&cells);
  op2_set_destroy(&nodes);
  op2_set_destroy(&places);
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

#define MESH "set\tnodes\nset\tcells\nmap\tends\tcells\tnodes\n"
#define GOOD "pair\tS\tends\tends\nsparsity\tS\nmatrix\tM\tS\t1x1\n"

static const struct by_hand {
  const char *text;
  int32_t subset[2], starts[3], columns[4];
  op2_status status;
  const char *words;
} by_hand[] = {
    {MESH GOOD, {0, 1}, {0, 2, 4}, {0, 1, 0, 1}, OP2_SUCCESS, ""},
    {MESH "subset\tsome\tnodes\n" GOOD, {0, 1}, {0, 2, 4}, {0, 1, 0, 1}, OP2_SUCCESS, ""},
    {MESH "subset\tsome\tcells\n", {0, 1}, {0}, {0}, OP2_ERR_RANGE, "has the entry 1 at row 1"},
    {MESH "subset\tsome\tnodes\n", {1, 1}, {0}, {0}, OP2_ERR_RANGE, "elements have to ascend"},
    {MESH "subset\tsome\tedges\n", {0, 1}, {0}, {0}, OP2_ERR_IO, "set 'edges'"},
    {MESH GOOD, {0, 1}, {0, 3, 2}, {0, 1, 0, 1}, OP2_ERR_RANGE, "rows have to follow each other"},
    {MESH GOOD, {0, 1}, {1, 2, 4}, {0, 1, 0, 1}, OP2_ERR_RANGE, "first row has to begin at 0"},
    {MESH GOOD, {0, 1}, {0, 2, 3}, {0, 1, 0, 1}, OP2_ERR_RANGE, "last row has to end at 4"},
    {MESH GOOD, {0, 1}, {0, 2, 5}, {0, 1, 0, 1}, OP2_ERR_RANGE, "has the entry 5 at row 2"},
    {MESH GOOD, {0, 1}, {0, 2, 4}, {0, 2, 0, 1}, OP2_ERR_RANGE, "has the entry 2 at row 1"},
    {MESH "pair\tS\tedges\tends\nsparsity\tS\n", {0, 1}, {0}, {0}, OP2_ERR_STATE, "map 'edges'"},
    {MESH "sparsity\tS\n", {0, 1}, {0}, {0}, OP2_ERR_ARG, "no pairs"},
    {MESH "matrix\tM\tS\t1x1\n", {0, 1}, {0}, {0}, OP2_ERR_IO, "sparsity 'S', which is not"},
    {MESH "pair\tS\tends\tends\nsparsity\tS\nmatrix\tM\tS\tone\n",
     {0, 1},
     {0},
     {0},
     OP2_ERR_IO,
     "blocks of 'one'"},
    {MESH "pair\tS\tends\tends\nsparsity\tS\nmatrix\tM\tS\t2x1\n",
     {0, 1},
     {0, 2, 4},
     {0, 1, 0, 1},
     OP2_ERR_MISMATCH,
     "expected [4][2]"},
};

static void files_refused(void) {
  for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
    const struct by_hand *c = &by_hand[i];
    const op2_object *read = NULL, *mats = NULL;
    int64_t n = 0, m = 0;
    write_by_hand(c->text, c->subset, c->starts, c->columns);
    op2_file file = opened(other, OP2_FILE_READ);
    op2_status status = op2_file_read_all(file, &n, &read);
    if (!status) status = op2_file_read_matrices(file, &m, &mats);
    if (c->status)
      ok(failed(status, c->status, c->words) && m == 0 && !mats, "refused: %s", c->words);
    else
      ok(!status && n >= 3 && m == 2, "a file that is made by hand");
    destroy_all(m, mats);
    destroy_all(n, read);
    is_int(op2_objects(ctx, OP2_OBJECT_ANY), 0, "nothing is left");
    CHECK(op2_file_close(&file));
  }
}

/* Entries of -1 are refused but where a program asks for a map that may lead nowhere. */
static void nowhere(void) {
  int32_t row[4];
  op2_set nodes = NULL, cells = NULL;
  op2_map map = NULL;
  op2_map_info info;
  op2_file file = opened(once, OP2_FILE_READ);
  CHECK(op2_file_read_rows(file, "inner", 0, 1, 4, OP2_I32, row));
  ok(row[0] == -1 && row[1] == -1 && row[2] == WIDTH + 1 && row[3] == -1, "-1 leads nowhere");
  CHECK(op2_file_read_set(file, "nodes", &nodes));
  CHECK(op2_file_read_set(file, "cells", &cells));
  ok(failed(op2_file_read_map(file, cells, nodes, 4, "inner", &map), OP2_ERR_RANGE,
            "has the entry -1 at row 0, column 0"),
     "not as a map all of whose entries lead somewhere");
  CHECK(op2_file_read_map_partial(file, cells, nodes, 4, "inner", &map));
  CHECK(op2_map_info_get(map, &info));
  ok(info.partial, "a map that may lead nowhere");
  op2_map_destroy(&map);
  op2_set_destroy(&cells);
  op2_set_destroy(&nodes);
  CHECK(op2_file_close(&file));
}

static void order_refused(void) {
  const op2_object *read = NULL, *mats = NULL;
  int64_t n = 0, m = 0;
  write_by_hand(by_hand[0].text, by_hand[0].subset, by_hand[0].starts, by_hand[0].columns);
  op2_file file = opened(other, OP2_FILE_READ);
  ok(failed(op2_file_read_matrices(file, &m, &mats), OP2_ERR_STATE, "op2_file_read_all() has to"),
     "matrices before the rest");
  CHECK(op2_file_read_all(file, &n, &read));
  ok(failed(op2_file_read_matrices(file, &m, NULL), OP2_ERR_ARG, "null pointer"), "a null pointer");
  op2_map_destroy(&(op2_map){read[2].handle});
  ok(failed(op2_file_read_matrices(file, &m, &mats), OP2_ERR_STATE,
            "map 'ends', which op2_file_read_all() has not read or the program has destroyed"),
     "a map that was destroyed");
  destroy_all(2, read);
  CHECK(op2_file_close(&file));
}

/* Before the mesh is partitioned, targets may be on other ranks. */
static int too_early(struct op2i_comm *comm, void *trial) {
  const op2_object *read = NULL;
  struct program p;
  op2_file file = NULL;
  int64_t n = 0;
  if (begin(comm, trial, &p)) return 1;
  int wrong = op2_file_open(p.ctx, once, OP2_FILE_READ, &file) ||
              op2_file_read_all(file, &n, &read) || take(&p, n, read) ||
              op2_file_read_matrices(file, &n, &read) != OP2_ERR_STATE ||
              !strstr(op2_error_message(), "partition first") ||
              op2_objects(p.ctx, OP2_OBJECT_SPARSITY) != 0;
  if (op2_file_close(&file)) wrong++;
  return end(&p, wrong);
}

/* What is wrong on one rank is an error on all. */
static int null_on_one(struct op2i_comm *comm, void *trial) {
  const op2_object *read = NULL;
  struct program p;
  op2_file file = NULL;
  int64_t n = 0;
  if (begin(comm, trial, &p)) return 1;
  int wrong = op2_file_open(p.ctx, once, OP2_FILE_READ, &file) ||
              op2_file_read_all(file, &n, comm->rank ? NULL : &read) != OP2_ERR_ARG || read;
  if (op2_file_close(&file)) wrong++;
  return end(&p, wrong);
}

/* What a matrix needs is written, in its place, although its handle was destroyed. */
static void handles_destroyed(void) {
  struct program p = {.ctx = ctx};
  CHECK(declare(&p));
  CHECK(advance(&p));
  CHECK(op2_file_dump(ctx, twice));
  op2_sparsity_destroy(&p.square);
  op2_sparsity_destroy(&p.oblong);
  op2_map_destroy(&p.self);
  op2_map_destroy(&p.corners);
  op2_set_destroy(&p.nodes);
  CHECK(op2_file_dump(ctx, other));
  ok(file_equal(twice, other), "sparsities, maps and sets whose handles were destroyed");
  destroy(&p);
}

/* A sparsity and matrices of it may have one name, and matrices of two sparsities. */
static void equal_names(void) {
  struct program p = {.ctx = ctx};
  const op2_object *read = NULL;
  op2_map_pair pair = {NULL, NULL};
  op2_sparsity sparsity = NULL;
  op2_mat mats[2] = {NULL};
  op2_file file = NULL;
  int64_t n = 0;
  CHECK(op2_set_create(ctx, 2, "nodes", &p.nodes));
  CHECK(op2_map_create(p.nodes, p.nodes, 1, (const int32_t[]){0, 1}, "self", &p.self));
  pair.rows = pair.columns = p.self;
  CHECK(op2_sparsity_create(1, &pair, "A", &sparsity));
  CHECK(op2_sparsity_create(1, &pair, "K", &p.square));
  CHECK(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mats[0]));
  CHECK(op2_mat_create(p.square, 1, 1, OP2_F64, "A", &mats[1]));
  CHECK(op2_file_dump(ctx, other));
  file = opened(other, OP2_FILE_READ);
  CHECK(op2_file_read_all(file, &n, &read));
  const op2_object mesh[] = {read[0], read[1]};
  CHECK(op2_file_read_matrices(file, &n, &read));
  ok(n == 4 && !strcmp(read[2].name, "A") && !strcmp(read[3].name, "A"), "matrices of one name");
  destroy_all(n, read);
  destroy_all(2, mesh);
  CHECK(op2_file_close(&file));
  for (int m = 0; m < 2; m++) op2_mat_destroy(&mats[m]);
  CHECK(op2_mat_create(sparsity, 1, 1, OP2_F64, "starts", &mats[0]));
  ok(failed(op2_file_dump(ctx, other), OP2_ERR_NAME, "'A/starts'"), "a name of the pattern");
  op2_mat_destroy(&mats[0]);
  op2_sparsity_destroy(&sparsity);
  destroy(&p);
}

/* If an allocation of one rank alone fails, the file is written on no rank. */
static int fail_alone(struct op2i_comm *comm, void *trial) {
  struct program p;
  const int rank = comm->rank;
  if (begin(comm, trial, &p)) return 1;
  int wrong = declare(&p) || advance(&p) || op2_renumber(p.corners);
  int64_t n = 0, made = 1;
  while (n <= made && n < 20000 && !wrong) {
    n += thorough() ? 1 : 3;
    if (rank == 1) op2i_mem_fail_here_at(n);
    const op2_status status = op2_file_dump(p.ctx, other);
    if (rank == 1) made = op2i_mem_fail_here_at(0);
    wrong += status && status != OP2_ERR_NOMEM;
    if (op2i_comm_share(comm, 1, &made, sizeof made)) wrong++;
  }
  return end(&p, wrong + (n < 100));
}

static int read_both(const char *path) {
  struct program p = {.ctx = ctx};
  const int wrong = read_program(&p, path, 0);
  destroy(&p);
  return wrong;
}

static void without_memory(void) {
  int64_t n = 0, made = 1, wrong = 0;
  while (n <= made && n < 20000) {
    n += n < 20 ? 1 : 41;
    op2i_mem_fail_at(n);
    const int bad = read_both(once);
    made = op2i_mem_fail_at(0);
    wrong += bad && op2_objects(ctx, OP2_OBJECT_ANY) != 0;
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
  is_int(run_contexts(2, null_on_one, &t), 0, "a null pointer on one rank");
  is_int(run_contexts(2, too_early, &t), 0, "matrices before the mesh is partitioned");
  CHECK(op2_init(&options, &ctx));
  layout();
  files_refused();
  nowhere();
  order_refused();
  handles_destroyed();
  equal_names();
  without_memory();
  CHECK(op2_finalize(&ctx));
  return done();
}
