/* SPDX-License-Identifier: BSD-3-Clause */
/* A warning about a badly numbered mesh is printed once for each map, with advice. Meshes that are
 * well numbered, or that no numbering would help, get none. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "delaunay_case.h"
#include "hear.h"
#include "support.h"

OP2_KERNEL(spread, (const double *w, double *a, double *b), {
  *a += *w;
  *b += *w;
});
OP2_KERNEL(gather, (double *w, const double *a, const double *b), { *w = *a + *b; });
OP2_KERNEL(spread3, (double *x[3]), { x[0][0] += (x[1][0] += 1, x[2][0] += 1); });
OP2_KERNEL(mark, (double *a, double *b), { *a = *b = 1; });
OP2_KERNEL(spread_all, (double *x[9]), {
  for (int i = 0; i < 9; i++) x[i][0] += 1;
});

enum access { SPREAD, GATHER, MARK, ALL3, ALL9 };

struct rows {
  const char *name;
  int64_t nfrom, nto;
  int arity;
  const int32_t *idx;
};

static const char *backend;

static op2_status queue(op2_kernel k, enum access access, op2_set from, op2_map map, op2_dat w,
                        op2_dat x) {
  if (access == SPREAD)
    return op2_par_loop(k, from, op2_arg_direct(w, OP2_READ), op2_arg_dat(x, 0, map, OP2_INC),
                        op2_arg_dat(x, 1, map, OP2_INC));
  if (access == GATHER)
    return op2_par_loop(k, from, op2_arg_direct(w, OP2_WRITE), op2_arg_dat(x, 0, map, OP2_READ),
                        op2_arg_dat(x, 1, map, OP2_READ));
  if (access == MARK)
    return op2_par_loop(k, from, op2_arg_dat(x, 0, map, OP2_WRITE),
                        op2_arg_dat(x, 1, map, OP2_WRITE));
  return op2_par_loop(k, from, op2_arg_dat(x, OP2_ALL, map, OP2_INC));
}

struct wish {
  enum access access;
  int log_level;
  bool renumber;
};

/* The text printed while loops run over a map; *explained is the text of op2_explain(). */
static const char *said_over(const struct rows *rows, struct wish wish, char explained[65536]) {
  op2_options options = {
      .backend = backend, .threads = 2, .cache_dir = test_cache(), .log_level = wish.log_level};
  op2_context ctx = NULL;
  op2_set from = NULL, to = NULL;
  op2_map map = NULL;
  op2_dat w = NULL, x = NULL;
  static const op2_kernel_desc *const kernels[] = {&spread_kernel, &gather_kernel, &mark_kernel,
                                                   &spread3_kernel, &spread_all_kernel};
  op2_kernel kernel = NULL, gatherer = NULL;
  hear_begin();
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_kernel_create(ctx, kernels[wish.access], &kernel);
  if (!status) status = op2_kernel_create(ctx, &gather_kernel, &gatherer);
  if (!status) status = op2_set_create(ctx, rows->nfrom, "sides", &from);
  if (!status) status = op2_set_create(ctx, rows->nto, "points", &to);
  if (!status) status = op2_map_create(from, to, rows->arity, rows->idx, "ends", &map);
  if (!status) status = op2_dat_create(from, 1, OP2_F64, NULL, "w", &w);
  if (!status) status = op2_dat_create(to, 1, OP2_F64, NULL, "x", &x);
  if (!status && wish.renumber) status = op2_renumber(map);
  for (int i = 0; i < 2 && !status; i++) {
    status = queue(kernel, wish.access, from, map, w, x);
    if (!status) status = op2_flush(ctx);
    if (!status && wish.access == SPREAD) status = queue(gatherer, GATHER, from, map, w, x);
    if (!status) status = op2_flush(ctx);
  }
  memset(explained, 0, 65536);
  FILE *stream = fmemopen(explained, 65535, "w");
  if (!status) status = op2_explain(ctx, stream);
  fclose(stream);
  if (status) diag("%s", op2_error_message());
  op2_kernel_destroy(&gatherer);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_dat_destroy(&w);
  op2_map_destroy(&map);
  op2_set_destroy(&to);
  op2_set_destroy(&from);
  if (!status) status = op2_finalize(&ctx);
  const char *said = hear_end();
  CHECK(status);
  return said;
}

static bool has_plans(void) { return strcmp(backend, "sequential") != 0; }

static int times(const char *text, const char *part) {
  int n = 0;
  while ((text = strstr(text, part))) n++, text++;
  return n;
}

/* The reason why op2_renumber() is unavailable, or null. */
static const char *no_renumbering(void) {
  static char why[256];
  op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_map map = NULL;
  const int32_t turn[] = {1, 2, 0};
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, 3, "points", &set);
  if (!status) status = op2_map_create(set, set, 1, turn, "turn", &map);
  why[0] = '\0';
  if (!status && op2_renumber(map) == OP2_ERR_UNAVAILABLE)
    snprintf(why, sizeof why, "%s", op2_error_message());
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  if (!status) status = op2_finalize(&ctx);
  if (status) diag("%s", op2_error_message());
  return why[0] ? why : NULL;
}

static void warned(const struct rows *rows, enum access access, bool scattered) {
  char explained[65536];
  const char *said = said_over(rows, (struct wish){.access = access}, explained);
  bool right = times(said, "op2 warning: ") == 1 && strstr(said, "map 'ends' (sides -> points)") &&
               strstr(said, "badly numbered") && strstr(said, "op2_renumber()") &&
               !no_renumbering() == !strstr(said, "it needs Scotch") &&
               (!scattered || strstr(said, "of 100 accesses")) &&
               (!has_plans() || access == GATHER || strstr(said, " colours for "));
  if (!ok(right, "%s: %s is warned of, once", backend, rows->name))
    diag("said: %s\n%s", said, explained);
  ok(strstr(explained, "ends (sides -> points)") && strstr(explained, "badly numbered"),
     "%s: op2_explain says so too", backend);
  is_str(said_over(rows, (struct wish){.access = access, .log_level = 1}, explained), "",
         "%s: %s: nothing below the level of warnings", backend, rows->name);
}

static void quiet(const struct rows *rows, enum access access) {
  char explained[65536];
  is_str(said_over(rows, (struct wish){.access = access}, explained), "", "%s: %s is not warned of",
         backend, rows->name);
  ok(!strstr(explained, "badly numbered"), "%s: nor by op2_explain", backend);
}

static void mended(const struct rows *rows, enum access access) {
  if (no_renumbering()) {
    skip("%s: %s: %s", backend, rows->name, no_renumbering());
    return;
  }
  char explained[65536];
  const char *said = said_over(rows, (struct wish){.access = access, .renumber = true}, explained);
  is_str(said, "", "%s: %s is not warned of after op2_renumber()", backend, rows->name);
  ok(strstr(explained, "renumbered") && !strstr(explained, "badly numbered"),
     "%s: op2_explain says that it was renumbered", backend);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Edges of a grid, those along x first; in random order if `mixed`. */
static int32_t *grid(int32_t side, bool mixed, struct rows *rows) {
  int32_t nodes = side * side, n = 0;
  int32_t *idx = calloc((size_t)(4 * nodes), sizeof *idx);
  for (int d = 0; d < 2; d++)
    for (int32_t i = 0; i < nodes; i++) {
      if (d ? i + side >= nodes : i % side == side - 1) continue;
      idx[2 * n] = i;
      idx[2 * n++ + 1] = i + (d ? side : 1);
    }
  uint64_t state = 5;
  int32_t *name = calloc((size_t)nodes, sizeof *name);
  for (int32_t i = 0; i < nodes; i++) name[i] = i;
  for (int32_t i = nodes - 1; i > 0 && mixed; i--) {
    int32_t j = draw_below(&state, i + 1), t = name[i];
    name[i] = name[j];
    name[j] = t;
  }
  for (int32_t i = 0; i < 2 * n; i++) idx[i] = name[idx[i]];
  for (int32_t i = n - 1; i > 0 && mixed; i--) {
    int32_t j = draw_below(&state, i + 1);
    for (int s = 0; s < 2; s++) {
      int32_t t = idx[2 * i + s];
      idx[2 * i + s] = idx[2 * j + s];
      idx[2 * j + s] = t;
    }
  }
  free(name);
  *rows = (struct rows){mixed ? "a grid in random order" : "a grid in order", n, nodes, 2, idx};
  return idx;
}

/* Edges of a cube in the order of their first nodes. */
static int32_t *cube(int32_t side, struct rows *rows) {
  int32_t nodes = side * side * side, n = 0;
  const int32_t step[3] = {1, side, side * side};
  int32_t *idx = calloc((size_t)(6 * nodes), sizeof *idx);
  for (int32_t i = 0; i < nodes; i++)
    for (int d = 0; d < 3; d++) {
      if (i / step[d] % side == side - 1) continue;
      idx[2 * n] = i;
      idx[2 * n++ + 1] = i + step[d];
    }
  *rows = (struct rows){"a cube in order", n, nodes, 2, idx};
  return idx;
}

/* The second end of each row is one target that all share, or one of a few. */
static int32_t *hubs(int32_t n, int32_t few, struct rows *rows) {
  int32_t *idx = calloc((size_t)(2 * n), sizeof *idx);
  uint64_t state = 6;
  for (int32_t i = 0; i < n; i++) {
    idx[2 * i] = few + i;
    idx[2 * i + 1] = draw_below(&state, few);
  }
  *rows = (struct rows){few > 1 ? "a mesh with ten hubs" : "a mesh with a hub", n, n + few, 2, idx};
  return idx;
}

/* Rows of nine neighbours of a grid. */
static int32_t *stencil(int32_t side, struct rows *rows) {
  int32_t n = 0, nodes = side * side;
  int32_t *idx = calloc((size_t)(9 * nodes), sizeof *idx);
  for (int32_t y = 1; y + 1 < side; y++)
    for (int32_t x = 1; x + 1 < side; x++, n++)
      for (int s = 0; s < 9; s++) idx[9 * n + s] = (y + s / 3 - 1) * side + x + s % 3 - 1;
  *rows = (struct rows){"a stencil of nine", n, nodes, 9, idx};
  return idx;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void generated(void) {
  struct delaunay coarse = delaunay_make(quick() ? 16000 : 30000);
  struct delaunay fine = delaunay_make(16000), finest = delaunay_refine(&fine);
  diag("%d nodes, %d triangles, %d edges; refined: %d, %d, %d", coarse.nnodes, coarse.ntriangles,
       coarse.nedges, finest.nnodes, finest.ntriangles, finest.nedges);
  ok(coarse.nnodes + coarse.ntriangles - coarse.nedges == 1, "Euler's formula for a disc");
  const struct rows edges = {"a generated mesh", coarse.nedges, coarse.nnodes, 2, coarse.edge[0]};
  const struct rows triangles = {"its triangles", coarse.ntriangles, coarse.nnodes, 3,
                                 coarse.triangle[0]};
  const struct rows refined = {"a refined mesh", finest.nedges, finest.nnodes, 2, finest.edge[0]};
  if (has_plans()) {
    warned(&edges, SPREAD, false);
    if (coarse.ntriangles > 40000) warned(&triangles, ALL3, false);
    warned(&refined, SPREAD, false);
  }
  if (!strstr(backend, "sequential")) {
    mended(&edges, SPREAD);
    mended(&refined, SPREAD);
  }
  delaunay_free(&coarse);
  delaunay_free(&fine);
  delaunay_free(&finest);
}

static void in_order(void) {
  struct rows rows;
  int32_t *idx = grid(200, false, &rows);
  quiet(&rows, SPREAD);
  free(idx);
  idx = cube(40, &rows);
  quiet(&rows, SPREAD);
  free(idx);
  idx = stencil(220, &rows);
  quiet(&rows, ALL9);
  free(idx);
}

static void no_numbering_helps(void) {
  struct rows rows;
  int32_t *idx = hubs(50000, 1, &rows);
  quiet(&rows, SPREAD);
  free(idx);
  idx = hubs(50000, 10, &rows);
  quiet(&rows, SPREAD);
  free(idx);
  idx = grid(100, true, &rows);
  rows.name = "a small grid in random order";
  quiet(&rows, SPREAD);
  free(idx);
  idx = grid(200, false, &rows);
  rows.name = "a loop that keeps element order";
  quiet(&rows, MARK);
  free(idx);
}

static void random_order(void) {
  struct rows rows;
  int32_t *idx = grid(200, true, &rows);
  warned(&rows, SPREAD, true);
  rows.name = "a grid in random order that is read";
  warned(&rows, GATHER, true);
  mended(&rows, SPREAD);
  free(idx);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu"};
  test_environment();
  setenv("OP2_RENUMBER", "0", 1); /* with automatic renumbering there is no warning */
  for (int i = 0; i < 3; i++) {
    backend = backends[i];
    if (op2_backend_unavailable(backend)) {
      skip("%s: %s", backend, op2_backend_unavailable(backend));
      continue;
    }
    generated();
    in_order();
    no_numbering_helps();
    random_order();
  }
  return done();
}
