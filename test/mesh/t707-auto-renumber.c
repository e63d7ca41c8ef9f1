/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic renumbering: the calls alone decide when it happens, so that results have the same bits
 * however and whenever loops run. A mesh that is in good order, small, used for a short time or
 * kept in order by its loops is left alone, and no call of the interface shows the new numbers. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delaunay_case.h"
#include "hear.h"
#include "mem.h"
#include "support.h"

OP2_KERNEL(flux, (const double *w, const double *xa, const double *xb, double *ra, double *rb), {
  double f = *w * (xa[0] - xb[0]) + 0.01 * xb[1];
  ra[0] -= f;
  rb[0] += f;
  ra[1] += 0.5 * f;
});
OP2_KERNEL(slope, (double *w, const double *xa, const double *xb),
           { *w = 0.9 * *w + 0.01 * (xa[0] - xb[0]); });
OP2_KERNEL(move, (double *x, double *r, double *sum), {
  x[0] += 0.02 * r[0];
  x[1] += 0.01 * r[1];
  r[0] = r[1] = 0;
  *sum += x[0] * x[1];
});
OP2_KERNEL(tag, (int64_t * id, int64_t *mine, int i), {
  *id = 3 * *id + i;
  *mine += *id;
});
OP2_KERNEL(sweep, (uint32_t * a, uint32_t *b), {
  *a = 3 * *a + *b;
  *b = 5 * *b + *a;
});

/* Calls that are not under test; a failure ends the program. */
static void must_succeed(op2_status status, const char *text, int line) {
  if (!status) return;
  ok(false, "line %d: %s: %s", line, text, op2_error_message());
  exit(done());
}
#define DO(call) must_succeed((call), #call, __LINE__)

/* ---- meshes ---------------------------------------------------------------------------------- */

struct mesh {
  const char *name;
  int32_t nnodes, nedges;
  int32_t *edge; /* [nedges][2] */
};

static void swap(int32_t *a, int32_t *b) {
  int32_t t = *a;
  *a = *b;
  *b = t;
}

/* Edges of a grid by their first nodes; in random order if `mixed`. */
static struct mesh grid(int32_t side, bool mixed) {
  int32_t nodes = side * side, n = 0;
  int32_t *edge = calloc((size_t)(4 * nodes), sizeof *edge);
  int32_t *name = calloc((size_t)nodes, sizeof *name);
  uint64_t state = 5;
  for (int32_t i = 0; i < nodes; i++) name[i] = i;
  for (int32_t i = nodes - 1; i > 0 && mixed; i--) swap(&name[i], &name[draw_below(&state, i + 1)]);
  for (int32_t i = 0; i < nodes; i++)
    for (int d = 0; d < 2; d++) {
      if (d ? i + side >= nodes : i % side == side - 1) continue;
      edge[2 * n] = name[i];
      edge[2 * n++ + 1] = name[i + (d ? side : 1)];
    }
  for (int32_t i = n - 1; i > 0 && mixed; i--) {
    int32_t j = draw_below(&state, i + 1);
    swap(&edge[2 * i], &edge[2 * j]);
    swap(&edge[2 * i + 1], &edge[2 * j + 1]);
  }
  free(name);
  return (struct mesh){mixed ? "a grid in random order" : "a grid in order", nodes, n, edge};
}

/* A grid whose edges and nodes are mixed within stretches that fit into a cache. */
static struct mesh mixed_near(int32_t side, int32_t stretch) {
  struct mesh mesh = grid(side, false);
  int32_t *name = calloc((size_t)mesh.nnodes, sizeof *name);
  uint64_t state = 13;
  mesh.name = "a grid that is mixed within stretches";
  for (int32_t i = 0; i < mesh.nnodes; i++) name[i] = i;
  for (int32_t i = 0; i < mesh.nnodes; i++)
    swap(&name[i], &name[i / stretch * stretch + draw_below(&state, i % stretch + 1)]);
  for (int32_t i = 0; i < mesh.nedges; i++) {
    int32_t j = i / stretch * stretch + draw_below(&state, i % stretch + 1);
    swap(&mesh.edge[2 * i], &mesh.edge[2 * j]);
    swap(&mesh.edge[2 * i + 1], &mesh.edge[2 * j + 1]);
  }
  for (int32_t i = 0; i < 2 * mesh.nedges; i++) mesh.edge[i] = name[mesh.edge[i]];
  free(name);
  return mesh;
}

static struct mesh refined(int32_t nodes) {
  struct delaunay coarse = delaunay_make(nodes), fine = delaunay_refine(&coarse);
  struct mesh mesh = {"a refined mesh", fine.nnodes, fine.nedges, NULL};
  mesh.edge = calloc(2 * (size_t)fine.nedges, sizeof *mesh.edge);
  memcpy(mesh.edge, fine.edge[0], 2 * (size_t)fine.nedges * sizeof *mesh.edge);
  delaunay_free(&coarse);
  delaunay_free(&fine);
  return mesh;
}

/* ---- a program ------------------------------------------------------------------------------- */

struct world {
  op2_context ctx;
  const struct mesh *mesh;
  op2_set nodes, edges, some;
  op2_map ends;
  op2_dat x, r, w, id, mine, s;
  op2_gbl sum;
  op2_kernel flux, slope, move, tag, sweep;
  int64_t *memory;   /* memory of the dat `mine`, which is wrapped */
  int queued, point; /* count of loops; index of the first one after renumbering */
};

enum looks { NEVER, FLUSHES, READS, SOMETIMES };

/* The way in which a program is run. */
struct mode {
  const char *backend, *renumber;
  bool eager;
  enum looks looks;
  int queue_max, threads, log_level;
};

static op2_status declare(struct world *v) {
  int32_t n = v->mesh->nnodes, m = v->mesh->nedges;
  double *x = calloc(2 * (size_t)n, sizeof *x), *w = calloc((size_t)m, sizeof *w);
  int64_t *list = calloc((size_t)n, sizeof *list);
  uint64_t state = 7;
  v->memory = calloc((size_t)n, sizeof *v->memory);
  for (int32_t i = 0; i < 2 * n; i++) x[i] = 1 + 1e-3 * (double)draw_below(&state, 1000);
  for (int32_t i = 0; i < m; i++) w[i] = 0.1 + 1e-4 * (double)draw_below(&state, 1000);
  for (int32_t i = 0; i < n; i++) v->memory[i] = list[i] = i;
  op2_status status = op2_set_create(v->ctx, n, "nodes", &v->nodes);
  if (!status) status = op2_set_create(v->ctx, m, "edges", &v->edges);
  if (!status) status = op2_subset_create(v->nodes, n / 3, list + n / 2, "some", &v->some);
  if (!status) status = op2_map_create(v->edges, v->nodes, 2, v->mesh->edge, "ends", &v->ends);
  if (!status) status = op2_dat_create(v->nodes, 2, OP2_F64, x, "x", &v->x);
  if (!status) status = op2_dat_create(v->nodes, 2, OP2_F64, NULL, "r", &v->r);
  if (!status) status = op2_dat_create(v->edges, 1, OP2_F64, w, "w", &v->w);
  if (!status) status = op2_dat_create(v->nodes, 1, OP2_I64, list, "id", &v->id);
  if (!status) status = op2_dat_wrap(v->nodes, 1, OP2_I64, v->memory, "mine", &v->mine);
  if (!status) status = op2_dat_create(v->nodes, 1, OP2_U32, NULL, "s", &v->s);
  if (!status) status = op2_gbl_create(v->ctx, 1, OP2_F64, NULL, "sum", &v->sum);
  if (!status) status = op2_kernel_create(v->ctx, &flux_kernel, &v->flux);
  if (!status) status = op2_kernel_create(v->ctx, &slope_kernel, &v->slope);
  if (!status) status = op2_kernel_create(v->ctx, &move_kernel, &v->move);
  if (!status) status = op2_kernel_create(v->ctx, &tag_kernel, &v->tag);
  if (!status) status = op2_kernel_create(v->ctx, &sweep_kernel, &v->sweep);
  free(x);
  free(w);
  free(list);
  return status;
}

static op2_status begin(struct world *v, const struct mesh *mesh, const struct mode *mode) {
  *v = (struct world){.mesh = mesh};
  const op2_options options = {.backend = mode->backend,
                               .threads = mode->threads ? mode->threads : 2,
                               .cache_dir = test_cache(),
                               .eager = mode->eager ? 1 : -1,
                               .queue_max = mode->queue_max,
                               .log_level = mode->log_level};
  if (mode->renumber)
    setenv("OP2_RENUMBER", mode->renumber, 1);
  else
    unsetenv("OP2_RENUMBER");
  op2_status status = op2_init(&options, &v->ctx);
  unsetenv("OP2_RENUMBER");
  return status ? status : declare(v);
}

static void end(struct world *v) {
  op2_kernel *kernels[] = {&v->flux, &v->slope, &v->move, &v->tag, &v->sweep};
  op2_dat *dats[] = {&v->x, &v->r, &v->w, &v->id, &v->mine, &v->s};
  for (int i = 0; i < 5; i++) op2_kernel_destroy(kernels[i]);
  for (int i = 0; i < 6; i++) op2_dat_destroy(dats[i]);
  op2_gbl_destroy(&v->sum);
  op2_map_destroy(&v->ends);
  op2_set_destroy(&v->some);
  op2_set_destroy(&v->edges);
  op2_set_destroy(&v->nodes);
  DO(op2_finalize(&v->ctx));
  free(v->memory);
}

static bool natural(op2_set set) {
  int64_t ends[4];
  DO(op2_set_sections(set, ends));
  int64_t *number = calloc((size_t)ends[3], sizeof *number), i = 0;
  DO(op2_set_numbering(set, number));
  while (i < ends[3] && number[i] == i) i++;
  free(number);
  return i == ends[3];
}

enum what { FLUX, SLOPE, MOVE, TAG, SWEEP };

static op2_status queue(struct world *v, enum what what) {
  v->queued++;
  switch (what) {
  case FLUX:
    return op2_par_loop(
        v->flux, v->edges, op2_arg_direct(v->w, OP2_READ), op2_arg_dat(v->x, 0, v->ends, OP2_READ),
        op2_arg_dat(v->x, 1, v->ends, OP2_READ), op2_arg_dat(v->r, 0, v->ends, OP2_INC),
        op2_arg_dat(v->r, 1, v->ends, OP2_INC));
  case SLOPE:
    return op2_par_loop(v->slope, v->edges, op2_arg_direct(v->w, OP2_RW),
                        op2_arg_dat(v->x, 0, v->ends, OP2_READ),
                        op2_arg_dat(v->x, 1, v->ends, OP2_READ));
  case MOVE:
    return op2_par_loop(v->move, v->nodes, op2_arg_direct(v->x, OP2_RW),
                        op2_arg_direct(v->r, OP2_RW), op2_arg_gbl(v->sum, OP2_INC));
  case TAG:
    return op2_par_loop(v->tag, v->some, op2_arg_direct(v->id, OP2_RW),
                        op2_arg_direct(v->mine, OP2_RW), op2_arg_idx());
  default:
    return op2_par_loop(v->sweep, v->edges, op2_arg_dat(v->s, 0, v->ends, OP2_RW),
                        op2_arg_dat(v->s, 1, v->ends, OP2_RW));
  }
}

static void look(struct world *v, const struct mode *mode, uint64_t *state) {
  double sum;
  if (mode->looks == FLUSHES || (mode->looks == SOMETIMES && draw_below(state, 7) == 0))
    DO(op2_flush(v->ctx));
  if (mode->looks == READS || (mode->looks == SOMETIMES && draw_below(state, 7) == 0))
    DO(op2_gbl_get(v->sum, &sum));
}

/* Queue loops, and note when the numbers change. */
static void steps(struct world *v, const struct mode *mode, int n, const enum what *what) {
  uint64_t state = 11;
  for (int i = 0; i < n; i++) {
    DO(queue(v, what[i % 8]));
    if (!v->point && !natural(v->nodes)) v->point = v->queued;
    look(v, mode, &state);
  }
}

/* ---- results --------------------------------------------------------------------------------- */

struct result {
  double *x, sum;
  int64_t *id, *mine;
  uint32_t *s;
  int point;
  bool natural_nodes, natural_edges;
};

static struct result result_of(struct world *v) {
  size_t n = (size_t)v->mesh->nnodes;
  struct result r = {.x = calloc(4 * n, sizeof *r.x),
                     .id = calloc(n, sizeof *r.id),
                     .mine = calloc(n, sizeof *r.mine),
                     .s = calloc(n, sizeof *r.s),
                     .point = v->point,
                     .natural_nodes = natural(v->nodes),
                     .natural_edges = natural(v->edges)};
  DO(op2_dat_get(v->x, r.x));
  DO(op2_dat_get(v->r, r.x + 2 * n));
  DO(op2_dat_get(v->id, r.id));
  DO(op2_dat_get(v->s, r.s));
  DO(op2_gbl_get(v->sum, &r.sum));
  const void *mine = NULL;
  DO(op2_dat_read_begin(v->mine, &mine));
  memcpy(r.mine, mine, n * sizeof *r.mine);
  if (mine != v->memory) diag("wrapped memory is elsewhere");
  DO(op2_dat_read_end(v->mine, &mine));
  return r;
}

static void result_free(struct result *r) {
  free(r->x);
  free(r->id);
  free(r->mine);
  free(r->s);
}

static bool same_integers(const struct mesh *mesh, const struct result *a, const struct result *b) {
  size_t n = (size_t)mesh->nnodes;
  return !memcmp(a->id, b->id, n * sizeof *a->id) &&
         !memcmp(a->mine, b->mine, n * sizeof *a->mine) && !memcmp(a->s, b->s, n * sizeof *a->s);
}

static bool same_bits(const struct mesh *mesh, const struct result *a, const struct result *b) {
  return !memcmp(a->x, b->x, 4 * (size_t)mesh->nnodes * sizeof *a->x) &&
         !memcmp(&a->sum, &b->sum, sizeof a->sum) && same_integers(mesh, a, b);
}

static bool near(const struct mesh *mesh, const struct result *a, const struct result *b) {
  double off = fabs(a->sum - b->sum) / fabs(b->sum);
  for (int64_t i = 0; i < 4 * (int64_t)mesh->nnodes; i++) off = fmax(off, fabs(a->x[i] - b->x[i]));
  if (!(off < 1e-11)) diag("off by %g", off);
  return off < 1e-11 && same_integers(mesh, a, b);
}

static struct result run(const struct mesh *mesh, const struct mode *mode, int n,
                         const enum what *what, char *explained) {
  struct world v;
  DO(begin(&v, mesh, mode));
  steps(&v, mode, n, what);
  struct result r = result_of(&v);
  if (explained) {
    memset(explained, 0, 65536);
    FILE *stream = fmemopen(explained, 65535, "w");
    DO(op2_explain(v.ctx, stream));
    fclose(stream);
  }
  end(&v);
  return r;
}

/* No two loops that increment the same dat are adjacent: if they were fused, rounding would
 * differ. */
static const enum what usual[8] = {FLUX, MOVE, TAG, FLUX, MOVE, FLUX, MOVE, TAG};
/* The same without conflicts of blocks. */
static const enum what reading[8] = {SLOPE, MOVE, TAG, SLOPE, MOVE, SLOPE, MOVE, TAG};

/* Every second loop through the map modifies something, and the eighth one only reads. */
static const enum what mixed[8] = {FLUX, MOVE, SLOPE, MOVE, TAG, MOVE, TAG, MOVE};

/* ---- the same bits in every mode ------------------------------------------------------------- */

static const struct mode modes[] = {
    {.looks = NEVER},
    {.looks = FLUSHES},
    {.looks = READS},
    {.looks = SOMETIMES},
    {.looks = NEVER, .eager = true},
    {.looks = SOMETIMES, .queue_max = 5},
    {.looks = FLUSHES, .threads = 1},
    {.looks = NEVER, .threads = 3},
};
enum { MODES = sizeof modes / sizeof *modes };

/* Run some of the modes. The first loop after renumbering is loop `point` in every mode; 0: numbers
 * never change. */
static void modes_agree(const char *backend, const struct mesh *mesh, const enum what *what,
                        const char *renumber, int n, int nmodes, int point) {
  struct result first = {0}, r;
  struct mode mode = {.backend = backend, .renumber = "0"};
  struct result plain = run(mesh, &mode, n, what, NULL);
  ok(plain.point == 0 && plain.natural_nodes && plain.natural_edges,
     "%s: %s: OP2_RENUMBER=0 leaves it", backend, mesh->name);
  for (int m = 0; m < nmodes; m++) {
    if (modes[m].threads && (!strcmp(backend, "check") || !strcmp(backend, "sequential"))) continue;
    mode = modes[m];
    mode.backend = backend;
    mode.renumber = renumber;
    r = run(mesh, &mode, n, what, NULL);
    if (!ok(r.point == point && r.natural_nodes == !point,
            "%s: %s, %s, mode %d: new numbers for loop %d", backend, mesh->name,
            renumber ? renumber : "auto", m, point))
      diag("for loop %d", r.point);
    if (m == 0) {
      ok(near(mesh, &r, &plain), "%s: %s: what no numbering changes", backend, mesh->name);
      if (what != reading)
        ok(same_bits(mesh, &r, &plain) == !point, "%s: %s: but for roundings, which tell", backend,
           mesh->name);
      first = r;
      continue;
    }
    ok(same_bits(mesh, &r, &first), "%s: %s, mode %d: the same bits", backend, mesh->name, m);
    result_free(&r);
  }
  result_free(&first);
  result_free(&plain);
}

/* ---- meshes that are not renumbered ---------------------------------------------------------- */

static void left_alone(const char *backend, const struct mesh *mesh, int n) {
  char *explained = malloc(65536);
  hear_begin();
  struct result r = run(mesh, &(struct mode){.backend = backend}, n, usual, explained);
  is_str(hear_end(), "", "%s: %s: nothing is said", backend, mesh->name);
  ok(r.natural_nodes && r.natural_edges, "%s: %s is left alone", backend, mesh->name);
  if (!ok(!strstr(explained, "renumbered"), "%s: op2_explain has nothing to say", backend))
    diag("%s", explained);
  result_free(&r);
  free(explained);
}

/* A numbering that is not bad enough to be changed, and would be better after op2_renumber(), is
 * warned of, once. */
static void warned(const char *backend, const struct mesh *mesh) {
  char *explained = malloc(65536);
  hear_begin();
  struct result r = run(mesh, &(struct mode){.backend = backend}, 41, reading, explained);
  const char *said = hear_end(), *line = strstr(said, "op2 warning: map 'ends' (edges -> nodes)");
  if (!ok(line && strstr(line, "is badly numbered") && strstr(line, "of 100 accesses") &&
              !strstr(line + 1, "op2 warning"),
          "%s: %s: a warning, once", backend, mesh->name))
    diag("%s\n%s", said, explained);
  ok(r.natural_nodes && r.natural_edges, "%s: %s is left alone", backend, mesh->name);
  ok(strstr(explained, "badly numbered, op2_renumber() would help"), "%s: op2_explain says so",
     backend);
  result_free(&r);
  free(explained);
}

/* Loops that keep element order may leave nothing to win: the log says whose. */
static void kept(const char *backend, const struct mesh *mesh) {
  static const enum what what[8] = {SWEEP, SLOPE, MOVE, SLOPE, MOVE, SLOPE, MOVE, SLOPE};
  char *explained = malloc(65536);
  hear_begin();
  struct result r = run(mesh, &(struct mode){.backend = backend}, 121, what, explained);
  const char *said = hear_end();
  const char *line = strstr(said, "op2 warning: not renumbered by map 'ends'");
  if (!ok(r.natural_nodes && line &&
              strstr(line, "Loops keep the element order of 'edges'; op2_renumber() changes it"),
          "%s: %s: nothing was done, and a warning says whose order is kept", backend, mesh->name))
    diag("%s", said);
  result_free(&r);
  free(explained);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void words(const char *backend, const struct mesh *mesh, int point) {
  char *explained = malloc(65536), before[64];
  for (int level = 2; level <= 3; level++) {
    hear_begin();
    struct result r =
        run(mesh, &(struct mode){.backend = backend, .log_level = level}, 40, usual, explained);
    const char *said = hear_end(), *line = strstr(said, "op2 info: renumbered");
    snprintf(before, sizeof before, "(before loop %d, in ", point);
    if (level == 2)
      is_str(said, "", "%s: no warning", backend);
    else
      ok(line && strstr(line, "2 sets by map 'ends'") && strstr(line, before) &&
             strstr(line, "OP2_RENUMBER") && !strstr(line + 10, "op2 info: renumbered"),
         "%s: one line of the log says it", backend);
    line = strstr(explained, "renumbering by itself:\n  renumbered 2 sets by map 'ends'");
    double after = 0, was = 0;
    if (line) line = strstr(line, "brings ");
    ok(line &&
           sscanf(line, "brings %lf times what it reaches to a cache, before %lf", &after, &was) ==
               2 &&
           after < 1.5 && was > 1.5 && strstr(line, before),
       "%s: op2_explain says when, and what it won", backend);
    result_free(&r);
  }
  free(explained);
}

/* ---- loops that keep element order ----------------------------------------------------------- */

/* Loops in element order, queued before or after renumbering, see edges in the program's order, and
 * so do results. */
static void ordered(const char *backend, const struct mesh *mesh) {
  static const enum what early[8] = {SWEEP, FLUX, MOVE, TAG, FLUX, SWEEP, MOVE, TAG};
  static const enum what late[8] = {FLUX, MOVE, TAG, FLUX, MOVE, FLUX, SWEEP, MOVE};
  const enum what *both[] = {early, late};
  for (int b = 0; b < 2; b++)
    for (int eager = 0; eager < 2; eager++) {
      struct mode mode = {.backend = backend, .renumber = "0", .eager = eager};
      struct result plain = run(mesh, &mode, 24, both[b], NULL);
      mode.renumber = "1";
      char *explained = malloc(65536);
      struct result r = run(mesh, &mode, 24, both[b], explained);
      ok(near(mesh, &r, &plain), "%s: %s, %s: order is the program's", backend,
         b ? "late" : "early", eager ? "eager" : "lazy");
      ok(!r.natural_nodes && r.natural_edges, "%s: nodes are renumbered, edges are not", backend);
      ok(!strstr(explained, "was given back the program's order before loop 7") == !b,
         "%s: op2_explain says what was given back", backend);
      result_free(&plain);
      result_free(&r);
      free(explained);
    }
}

/* Numbers that the program chose by op2_renumber() are left alone. */
static void asked(const char *backend, const struct mesh *mesh) {
  for (int before = 0; before < 2; before++) {
    struct world v;
    DO(begin(&v, mesh, &(struct mode){.backend = backend, .renumber = "1"}));
    if (!before) DO(queue(&v, FLUX));
    DO(op2_renumber(v.ends));
    DO(queue(&v, FLUX));
    DO(queue(&v, SWEEP));
    ok(!natural(v.edges) && !natural(v.nodes), "%s: what op2_renumber() did stays", backend);
    end(&v);
  }
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static void scopes(const char *backend, const struct mesh *mesh) {
  for (int eager = 0; eager < 2; eager++) {
    struct world v;
    const void *id = NULL;
    void *mine = NULL;
    DO(begin(&v, mesh, &(struct mode){.backend = backend, .renumber = "1", .eager = eager}));
    DO(op2_dat_read_begin(v.id, &id));
    DO(queue(&v, FLUX));
    DO(op2_dat_write_begin(v.mine, &mine));
    DO(queue(&v, FLUX));
    bool put_off = natural(v.nodes) && ((const int64_t *)id)[5] == 5 && mine == v.memory;
    DO(op2_dat_read_end(v.id, &id));
    DO(queue(&v, FLUX));
    put_off = put_off && natural(v.nodes);
    ((int64_t *)mine)[3] = 77;
    DO(op2_dat_write_end(v.mine, &mine));
    ok(put_off, "%s: an open scope puts it off", backend);
    DO(queue(&v, FLUX));
    ok(!natural(v.nodes), "%s: until the first loop without one", backend);
    struct result r = result_of(&v);
    ok(r.mine[3] == 77 && r.mine[4] == 4 && r.id[9] == 9, "%s: values are where they were",
       backend);
    result_free(&r);
    DO(op2_dat_write_begin(v.mine, &mine));
    DO(queue(&v, SWEEP)); /* restores the order of edges while a scope of nodes is open */
    ((int64_t *)mine)[8] = 88;
    DO(op2_dat_write_end(v.mine, &mine));
    r = result_of(&v);
    ok(r.mine[8] == 88 && r.mine[3] == 77 && r.natural_edges && !r.natural_nodes,
       "%s: going back leaves open scopes alone", backend);
    result_free(&r);
    end(&v);
  }
}

/* ---- failures of allocations ----------------------------------------------------------------- */

/* The N-th allocation fails in the call that renumbers, or that restores the order: the call
 * reports it or goes on, and results are right. */
static void without_memory(const struct mesh *mesh, enum what what) {
  const enum what all[8] = {FLUX, MOVE, what, FLUX, MOVE, FLUX, what, MOVE};
  struct mode mode = {.backend = "sequential", .renumber = "0"};
  struct result plain = run(mesh, &mode, 8, all, NULL);
  mode.renumber = "1";
  mode.log_level = 1;
  int64_t count = 0;
  int denied = 0, wrong = 0, left = 0;
  for (int64_t n = 0; n <= count; n++) { /* n = 0: no allocation fails */
    struct world v;
    DO(begin(&v, mesh, &mode));
    for (int i = 0; i < 8; i++) {
      bool now = what == SWEEP ? i == 2 : i == 0;
      if (now) DO(op2_flush(v.ctx)); /* loops that fail are not under test here */
      if (now) op2i_mem_fail_at(0);
      if (now) op2i_mem_fail_at(n);
      op2_status status = queue(&v, all[i]);
      int64_t made = now ? op2i_mem_fail_at(0) : 0;
      if (made > count) count = made;
      if (status == OP2_ERR_NOMEM && now) {
        denied++;
        status = queue(&v, all[i]);
      }
      DO(status);
    }
    struct result r = result_of(&v);
    left += r.natural_nodes;
    wrong += !near(mesh, &r, &plain);
    result_free(&r);
    end(&v);
  }
  result_free(&plain);
  ok(wrong == 0 && count > 10, "each of %d allocations failing: results are right", (int)count);
  ok(what == SWEEP ? denied > 3 : left > 5, "%d times it was reported, %d times nothing was done",
     denied, left);
}

/* ---- all backends ---------------------------------------------------------------------------- */

/* The reason why renumbering is unavailable, or null. */
static const char *unavailable(void) {
  static char why[256];
  struct mesh mesh = grid(3, false);
  struct world v;
  DO(begin(&v, &mesh, &(struct mode){.backend = "sequential"}));
  why[0] = '\0';
  if (op2_renumber(v.ends)) snprintf(why, sizeof why, "%s", op2_error_message());
  end(&v);
  free(mesh.edge);
  return why[0] ? why : NULL;
}

static void on_backend(const char *backend, const struct mesh *random, const struct mesh *split) {
  struct mesh sorted = grid(200, false), small = grid(20, true);
  small.name = "a small grid in random order";
  if (strcmp(backend, "check") != 0) {
    /* Blocks conflict in both meshes, which shows when the map has been used eight times. */
    modes_agree(backend, random, usual, NULL, 41, MODES, 20);
    left_alone(backend, &sorted, 100);
    words(backend, random, 20);
    if (!quick() || strcmp(backend, "sequential") == 0) {
      modes_agree(backend, split, usual, "auto", 41, 5, 20);
      modes_agree(backend, random, reading, "auto", 41, 5, 36);
      modes_agree(backend, random, mixed, "auto", 41, 5, 33);
      modes_agree(backend, split, reading, "auto", 121, 5, 108);
    }
  }
  if (strcmp(backend, "check") != 0) {
    struct mesh near = mixed_near(300, 12000);
    warned(backend, &near);
    kept(backend, random);
    free(near.edge);
  }
  left_alone(backend, &small, 100);
  left_alone(backend, random, 18);
  modes_agree(backend, &small, usual, "1", 25, MODES, 1);
  ordered(backend, &small);
  asked(backend, &small);
  scopes(backend, &small);
  free(sorted.edge);
  free(small.edge);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  test_environment();
  if (unavailable()) {
    skip("%s", unavailable());
    return done();
  }
  struct mesh random = grid(200, true), split = refined(8500), tiny = grid(6, true);
  for (int i = 0; i < 4; i++)
    if (op2_backend_unavailable(backends[i]))
      skip("%s: %s", backends[i], op2_backend_unavailable(backends[i]));
    else
      on_backend(backends[i], &random, &split);
  without_memory(&tiny, FLUX);
  without_memory(&tiny, SWEEP);
  free(random.edge);
  free(split.edge);
  free(tiny.edge);
  return done();
}
