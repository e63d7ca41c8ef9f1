/* SPDX-License-Identifier: BSD-3-Clause */
/* The multigrid method in the form that OP2's translator gives loops for one thread (its target
 * `seq`): each loop is a function that calls the kernel for one element after the other, with
 * pointers into dats, which may overlap as far as the compiler knows, through maps whose arity it
 * reads. Kernels are inlined, and constants are variables of the program. It is compiled with OP2's
 * own flags, and uses nothing of the library but the text of the kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/dump.h"
#include "common/reference.h"
#include "gas.h"
#include "kernels_levels.h"
#include "levels.h"

/* A map and a dat as OP2 has them, and an argument of a loop. */
typedef struct form_map {
  int dim;
  int *map;
} form_map;

typedef struct form_arg {
  char *data;
  form_map *map;
  int *map_data;
} form_arg;

typedef struct level {
  int nnode, nedge, nbedge;
  form_map edge_nodes, bedge_nodes, parents;
  double *area, *rim, *normal, *bnormal;
  int *kind;
  double *q, *old, *res, *sum, *force, *first;
} level;

static double dt, rms;

/* ---- loops ---- */

static form_arg direct(void *data) { return (form_arg){.data = data}; }
static form_arg through(void *data, form_map *map) { return (form_arg){data, map, map->map}; }

#define AT(arg, dim, index) (&((double *)(arg).data)[(dim) * (index)])
#define SLOT(arg, n, slot)  ((arg).map_data[(n) * (arg).map->dim + (slot)])

static __attribute__((noinline)) void loop_save(int n, form_arg q, form_arg old) {
  for (int i = 0; i < n; i++) save(AT(q, 5, i), AT(old, 5, i));
}

static __attribute__((noinline)) void loop_time_step(int n, form_arg area, form_arg rim, form_arg q,
                                                     form_arg least) {
  for (int i = 0; i < n; i++)
    time_step(AT(area, 1, i), AT(rim, 1, i), AT(q, 5, i), (double *)least.data);
}

static __attribute__((noinline)) void loop_flux(int n, form_arg normal, form_arg q1, form_arg q2,
                                                form_arg res1, form_arg res2) {
  for (int i = 0; i < n; i++) {
    const int slot0 = SLOT(q1, i, 0), slot1 = SLOT(q1, i, 1);
    flux(AT(normal, 3, i), AT(q1, 5, slot0), AT(q2, 5, slot1), AT(res1, 5, slot0),
         AT(res2, 5, slot1));
  }
}

static __attribute__((noinline)) void loop_boundary(int n, form_arg normal, form_arg kind,
                                                    form_arg q1, form_arg q2, form_arg res1,
                                                    form_arg res2) {
  for (int i = 0; i < n; i++) {
    const int slot0 = SLOT(q1, i, 0), slot1 = SLOT(q1, i, 1);
    boundary(AT(normal, 3, i), &((int *)kind.data)[i], AT(q1, 5, slot0), AT(q2, 5, slot1),
             AT(res1, 5, slot0), AT(res2, 5, slot1));
  }
}

static __attribute__((noinline)) void loop_stage(int n, form_arg part, form_arg step, form_arg area,
                                                 form_arg old, form_arg res, form_arg q) {
  for (int i = 0; i < n; i++)
    stage(*(double *)part.data, (double *)step.data, AT(area, 1, i), AT(old, 5, i), AT(res, 5, i),
          AT(q, 5, i));
}

static __attribute__((noinline)) void loop_last_stage(int n, form_arg step, form_arg area,
                                                      form_arg old, form_arg res, form_arg q,
                                                      form_arg sum) {
  for (int i = 0; i < n; i++)
    last_stage((double *)step.data, AT(area, 1, i), AT(old, 5, i), AT(res, 5, i), AT(q, 5, i),
               (double *)sum.data);
}

static __attribute__((noinline)) void loop_clear(int n, form_arg sum, form_arg force) {
  for (int i = 0; i < n; i++) clear(AT(sum, 6, i), AT(force, 5, i));
}

static __attribute__((noinline)) void loop_collect(int n, form_arg area, form_arg q, form_arg res,
                                                   form_arg sum1, form_arg sum2, form_arg force1,
                                                   form_arg force2) {
  for (int i = 0; i < n; i++) {
    const int slot0 = SLOT(sum1, i, 0), slot1 = SLOT(sum1, i, 1);
    collect(AT(area, 1, i), AT(q, 5, i), AT(res, 5, i), AT(sum1, 6, slot0), AT(sum2, 6, slot1),
            AT(force1, 5, slot0), AT(force2, 5, slot1));
  }
}

static __attribute__((noinline)) void loop_begin_level(int n, form_arg sum, form_arg q,
                                                       form_arg first) {
  for (int i = 0; i < n; i++) begin_level(AT(sum, 6, i), AT(q, 5, i), AT(first, 5, i));
}

static __attribute__((noinline)) void loop_balance(int n, form_arg res, form_arg force) {
  for (int i = 0; i < n; i++) balance(AT(res, 5, i), AT(force, 5, i));
}

static __attribute__((noinline)) void loop_add_force(int n, form_arg force, form_arg res) {
  for (int i = 0; i < n; i++) add_force(AT(force, 5, i), AT(res, 5, i));
}

static __attribute__((noinline)) void loop_prolong(int n, form_arg q1, form_arg q2, form_arg first1,
                                                   form_arg first2, form_arg q) {
  for (int i = 0; i < n; i++) {
    const int slot0 = SLOT(q1, i, 0), slot1 = SLOT(q1, i, 1);
    prolong(AT(q1, 5, slot0), AT(q2, 5, slot1), AT(first1, 5, slot0), AT(first2, 5, slot1),
            AT(q, 5, i));
  }
}

/* ---- a cycle ---- */

static void own_residual(level *v) {
  loop_flux(v->nedge, direct(v->normal), through(v->q, &v->edge_nodes),
            through(v->q, &v->edge_nodes), through(v->res, &v->edge_nodes),
            through(v->res, &v->edge_nodes));
  loop_boundary(v->nbedge, direct(v->bnormal), direct(v->kind), through(v->q, &v->bedge_nodes),
                through(v->q, &v->bedge_nodes), through(v->res, &v->bedge_nodes),
                through(v->res, &v->bedge_nodes));
}

static void residual(level *v, bool finest) {
  own_residual(v);
  if (!finest) loop_add_force(v->nnode, direct(v->force), direct(v->res));
}

static void smooth(level *v, bool finest) {
  static const double parts[GAS_STAGES] = GAS_PARTS;
  dt = GAS_NO_STEP;
  loop_save(v->nnode, direct(v->q), direct(v->old));
  loop_time_step(v->nnode, direct(v->area), direct(v->rim), direct(v->q), direct(&dt));
  for (int k = 0; k < GAS_STAGES; k++) {
    double part = parts[k];
    residual(v, finest);
    if (!finest || k < GAS_STAGES - 1) {
      loop_stage(v->nnode, direct(&part), direct(&dt), direct(v->area), direct(v->old),
                 direct(v->res), direct(v->q));
    } else {
      rms = 0;
      loop_last_stage(v->nnode, direct(&dt), direct(v->area), direct(v->old), direct(v->res),
                      direct(v->q), direct(&rms));
    }
  }
}

static void restriction(level *fine, level *coarse, bool finest) {
  residual(fine, finest);
  loop_clear(coarse->nnode, direct(coarse->sum), direct(coarse->force));
  loop_collect(fine->nnode, direct(fine->area), direct(fine->q), direct(fine->res),
               through(coarse->sum, &fine->parents), through(coarse->sum, &fine->parents),
               through(coarse->force, &fine->parents), through(coarse->force, &fine->parents));
  loop_begin_level(coarse->nnode, direct(coarse->sum), direct(coarse->q), direct(coarse->first));
  own_residual(coarse);
  loop_balance(coarse->nnode, direct(coarse->res), direct(coarse->force));
}

static void prolongation(level *coarse, level *fine) {
  loop_prolong(fine->nnode, through(coarse->q, &fine->parents), through(coarse->q, &fine->parents),
               through(coarse->first, &fine->parents), through(coarse->first, &fine->parents),
               direct(fine->q));
}

static void cycle(level *v) {
  smooth(&v[0], true);
  for (int k = 1; k < LEVELS; k++) {
    restriction(&v[k - 1], &v[k], k == 1);
    smooth(&v[k], false);
  }
  for (int k = LEVELS - 1; k > 0; k--) prolongation(&v[k], &v[k - 1]);
}

/* ---- the run ---- */

static void *copied(const void *from, size_t bytes) {
  void *to = reference_alloc(bytes);
  return to && from ? memcpy(to, from, bytes) : to;
}

static bool set_level(const mesh *m, const int32_t *parent, level *v) {
  const size_t nodes = (size_t)m->nnode, edges = (size_t)m->nedge, bedges = (size_t)m->nbedge;
  const size_t row = GAS_DIM * sizeof(double);
  *v = (level){.nnode = (int)m->nnode,
               .nedge = (int)m->nedge,
               .nbedge = (int)m->nbedge,
               .edge_nodes = {2, copied(m->edge, 2 * edges * sizeof(int))},
               .bedge_nodes = {2, copied(m->bedge, 2 * bedges * sizeof(int))},
               .parents = {2, parent ? copied(parent, 2 * nodes * sizeof(int)) : NULL},
               .area = copied(m->area, nodes * sizeof(double)),
               .rim = copied(m->rim, nodes * sizeof(double)),
               .normal = copied(m->normal, 3 * edges * sizeof(double)),
               .bnormal = copied(m->bnormal, 3 * bedges * sizeof(double)),
               .kind = copied(m->kind, bedges * sizeof(int)),
               .q = copied(NULL, nodes * row),
               .old = copied(NULL, nodes * row),
               .res = copied(NULL, nodes * row),
               .sum = copied(NULL, nodes * (row + sizeof(double))),
               .force = copied(NULL, nodes * row),
               .first = copied(NULL, nodes * row)};
  return v->edge_nodes.map && v->bedge_nodes.map && (v->parents.map || !parent) && v->area &&
         v->rim && v->normal && v->bnormal && v->kind && v->q && v->old && v->res && v->sum &&
         v->force && v->first;
}

static void free_level(level *v) {
  void *all[] = {v->edge_nodes.map,
                 v->bedge_nodes.map,
                 v->parents.map,
                 v->area,
                 v->rim,
                 v->normal,
                 v->bnormal,
                 v->kind,
                 v->q,
                 v->old,
                 v->res,
                 v->sum,
                 v->force,
                 v->first};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static int run(const options *o, const levels *l, bench_error *error) {
  level v[LEVELS] = {0};
  bool good = true;
  int rc = 0;
  for (int k = 0; k < LEVELS; k++)
    good = set_level(&l->mesh[k], k < LEVELS - 1 ? l->parent[k] : NULL, &v[k]) && good;
  if (!good) rc = bench_fail(error, "out of memory for the levels");
  for (int i = 0; good && i < v[0].nnode; i++) start(v[0].q + GAS_DIM * i);
  const int warmup = option_warmup(&o->run, o->iterations);
  const double begin = clock_now();
  double timed = begin;
  for (int it = 1; good && it <= o->iterations; it++) {
    cycle(v);
    if (o->every > 0 && it % o->every == 0) printf("%d %.15e\n", it, sqrt(rms / v[0].nnode));
    if (it == warmup) timed = clock_now();
  }
  reference_times(begin, timed, o->iterations - warmup);
  if (good && o->dump_q)
    rc =
        dump_write(o->dump_q, v[0].q, GAS_DIM * (int64_t)v[0].nnode, sqrt(rms / v[0].nnode), error);
  for (int k = 0; k < LEVELS; k++) free_level(&v[k]);
  return rc;
}

int main(int argc, char **argv) {
  options o;
  const int status = options_parse(argc, argv, PROGRAM_SEQ, &o);
  if (status >= 0) return status;
  gam = GAS_GAMMA;
  gm1 = GAS_GM1;
  cfl = GAS_CFL;
  gas_far_field(o.mach, far_flow);
  mesh m = {0};
  levels l = {0};
  bench_error error;
  int rc = options_mesh(&o, &m, &error);
  if (rc == 0) rc = levels_make(&o, &m, &l, &error);
  if (rc == 0) rc = run(&o, &l, &error);
  levels_free(&l);
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? 1 : 0;
}
