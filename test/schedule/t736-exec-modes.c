/* SPDX-License-Identifier: BSD-3-Clause */
/* The execution mode of programs (in the calling thread, by a team or as tasks): the rule that
 * chooses it, the report of op2_explain(), and that no bit of any result depends on it; also with
 * several contexts at once, and with loops that fail. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec_mode.h"
#include "graph.h"
#include "loopdata.h"
#include "machine.h"
#include "starpu_pool.h"
#include "support.h"
#include "tap.h"

/* ---- the rule -------------------------------------------------------------------------------- */

enum { BLOCKS = 16, BLOCK = 512, STEPS = 2 };

/* A program of two steps without colours. */
struct model {
  struct op2_set_s set;
  struct op2i_loop loops[STEPS];
  struct op2i_loop_data data[STEPS];
  struct op2i_plan plan;
  struct op2i_step steps[STEPS];
  struct op2i_bundle bundle;
  struct op2i_config config;
  struct op2i_workers_info workers;
};

static const int32_t offs[] = {0, BLOCKS};

static void make_model(struct model *m, double microseconds) {
  *m = (struct model){.plan = {.nblocks = BLOCKS,
                               .ncolors = 1,
                               .block_size = BLOCK,
                               .color_offs = (int32_t *)(uintptr_t)offs},
                      .config = {.chunk_us = 400, .team = OP2I_TEAM_AUTO},
                      .set.ends[OP2I_OWNED] = BLOCKS * BLOCK,
                      .workers = {.count = 2, .members = 2, .awake = true}};
  for (int s = 0; s < STEPS; s++) {
    m->data[s].ns_per_element = 1e3 * microseconds / STEPS / (BLOCKS * BLOCK);
    m->loops[s].attached.sched_data = &m->data[s];
    m->loops[s].set = &m->set;
    m->loops[s].bytes = 1e6; /* used for loops that have never run */
    m->steps[s] = (struct op2i_step){
        .loop = &m->loops[s], .hi = BLOCKS * BLOCK, .plan = &m->plan, .bundle = &m->bundle};
  }
}

static enum op2i_exec_mode choose(struct model *m) {
  return op2i_mode_choose(m->steps, STEPS, &m->config, &m->workers);
}

/* Record a run in which each thread was idle for `waited` microseconds. */
static void ran_idly(struct model *m, enum op2i_exec_mode mode, double microseconds,
                     double waited) {
  op2i_mode_ran(&m->steps->bundle->modes, mode, 1e-6 * microseconds, 1e-6 * waited);
}

static void ran(struct model *m, enum op2i_exec_mode mode, double microseconds) {
  ran_idly(m, mode, microseconds, 0);
}

/* Make a model that has run twice in the calling thread. */
static void make_known(struct model *m, double microseconds) {
  make_model(m, microseconds);
  ran(m, OP2I_MODE_HERE, 10 * microseconds);
  ran(m, OP2I_MODE_HERE, microseconds);
}

static void says(struct model *m, enum op2i_exec_mode mode, const char *why) {
  enum op2i_exec_mode got = choose(m);
  ok(got == mode && strstr(m->steps->bundle->modes.why, why), "%s", why);
  if (got != mode) diag("way %d, expected %d: %s", got, mode, m->steps->bundle->modes.why);
}

static void test_rule(void) {
  struct model m;
  make_known(&m, 200);
  says(&m, OP2I_MODE_TEAM, "enough for a team");
  m.workers.count = 1, m.workers.members = 1;
  says(&m, OP2I_MODE_HERE, "there is one worker");
  m.workers.count = 4;
  says(&m, OP2I_MODE_HERE, "no team");
  m.workers.members = 4, m.config.team = 0;
  says(&m, OP2I_MODE_HERE, "no team");
  m.config.chunk_us = 0;
  says(&m, OP2I_MODE_TASKS, "OP2_CHUNK_US=0");
  m.config.team = 1;
  says(&m, OP2I_MODE_TEAM, "OP2_TEAM=1");
  m.workers.over = true;
  says(&m, OP2I_MODE_HERE, "the workers have ended");
}

static void test_costs(void) {
  struct model m;
  make_known(&m, 3);
  says(&m, OP2I_MODE_HERE, "too little to do");
  make_known(&m, 4.2);
  says(&m, OP2I_MODE_HERE, "save too little");
  make_known(&m, 30);
  says(&m, OP2I_MODE_TEAM, "enough for a team");
  m.workers.awake = false;
  says(&m, OP2I_MODE_HERE,
       "save too little"); /* 13 us: less than the cost of calling the members */
  make_known(&m, 1000);
  m.config.team = 0;
  says(&m, OP2I_MODE_TASKS, "worth several tasks");
  make_known(&m, 790);
  says(&m, OP2I_MODE_TEAM, "enough for a team");
}

static void test_first_runs(void) {
  struct model m;
  make_model(&m, 200);
  m.data[1].ns_per_element = 0;
  says(&m, OP2I_MODE_HERE, "found out");
  make_model(&m, 200);
  says(&m, OP2I_MODE_TEAM, "enough for a team"); /* the loops are known from other programs */
  ran(&m, OP2I_MODE_TEAM, 100);
  says(&m, OP2I_MODE_HERE, "found out");
  ran(&m, OP2I_MODE_HERE, 200);
  says(&m, OP2I_MODE_TEAM, "enough for a team");
}

/* Number of programs that run until the team is tried again; tries_of() has already run the first
 * of them. */
static int pause_of(struct model *m) {
  int n = 1;
  for (; n < 10000 && choose(m) == OP2I_MODE_HERE; n++) ran(m, OP2I_MODE_HERE, 200);
  return n;
}

static int tries_of(struct model *m, double microseconds) {
  int n = 0;
  for (; n < 10000 && choose(m) == OP2I_MODE_TEAM; n++) ran(m, OP2I_MODE_TEAM, microseconds);
  return n;
}

static void test_feedback(void) {
  struct model m;
  make_known(&m, 200);
  is_int(tries_of(&m, 150), 10000, "a team that is faster stays");
  make_known(&m, 200);
  is_int(tries_of(&m, 245), 9, "one that is slower goes when it has lost two programs' time");
  ok(strstr(m.steps->bundle->modes.why, "slower when it was last tried") != NULL,
     "and that is said");
  is_int(pause_of(&m), 32, "it is tried again after 32 programs");
  is_int(tries_of(&m, 5000), 1, "and goes at once when it takes very long");
  is_int(pause_of(&m), 384, "for 16 times as long as that was more");
  is_int(tries_of(&m, 245), 9, "it is tried again");
  is_int(pause_of(&m), 768, "then goes for twice as long as before");
  for (int i = 0; i < 20; i++) tries_of(&m, 250), pause_of(&m);
  tries_of(&m, 250);
  is_int(pause_of(&m), 4096, "and never for more than 4096");
  for (int i = 0; i < 40 && choose(&m) == OP2I_MODE_TEAM; i++) ran(&m, OP2I_MODE_TEAM, 100);
  is_int(tries_of(&m, 3000), 2, "after many good runs one may be held up, but not two");
  is_int(pause_of(&m), 192, "and what was before is forgiven");
}

/* The time in the calling thread is that of its fast runs. */
static void test_slow_runs(void) {
  struct model m;
  make_known(&m, 200);
  for (int i = 0; i < 5; i++) ran(&m, OP2I_MODE_HERE, 100000);
  ok(m.steps->bundle->modes.takes[OP2I_MODE_HERE] < 225e-6,
     "runs that were held up say little (%g)", m.steps->bundle->modes.takes[OP2I_MODE_HERE]);
  for (int i = 0; i < 20; i++) ran(&m, OP2I_MODE_HERE, 100);
  ok(m.steps->bundle->modes.takes[OP2I_MODE_HERE] < 101e-6, "quick ones do (%g)",
     m.steps->bundle->modes.takes[OP2I_MODE_HERE]);
}

/* The threshold for using a team is higher than the one for giving it up. */
static void test_hysteresis(void) {
  struct model m;
  make_known(&m, 5);
  double us = 5;
  while (us < 50 && choose(&m) != OP2I_MODE_TEAM) make_known(&m, us += 0.02);
  make_known(&m, us - 0.05);
  ok(choose(&m) == OP2I_MODE_HERE, "a little less than enough: no team is taken");
  ran(&m, OP2I_MODE_TEAM, us / 2);
  ok(choose(&m) == OP2I_MODE_TEAM, "but one that runs it stays");
}

/* ---- choice between a team and tasks --------------------------------------------------------- */

/* The estimate alone chooses between a team and tasks. */
static void test_either(void) {
  static const int32_t each[BLOCKS + 1] = {0, 1,  2,  3,  4,  5,  6,  7, 8,
                                           9, 10, 11, 12, 13, 14, 15, 16};
  struct model m;
  make_model(&m, 1000);
  says(&m, OP2I_MODE_TEAM, "hardly wait");
  ok(m.steps->bundle->modes.either, "who has no team for it takes tasks");
  m.config.chunk_us = 600;
  ok(choose(&m) != OP2I_MODE_TASKS && !m.steps->bundle->modes.either,
     "but not where a loop is not worth them");
  m.config.chunk_us = 400;
  m.plan.ncolors = BLOCKS, m.plan.color_offs = (int32_t *)(uintptr_t)each;
  says(&m, OP2I_MODE_TASKS, "wait too long");
  make_model(&m, 1000);
  m.steps[1].where.nmoves = 1;
  says(&m, OP2I_MODE_TASKS, "worth several tasks");
  m.steps[1] = (struct op2i_step){.kind = OP2I_STEP_BEGIN};
  says(&m, OP2I_MODE_TASKS, "worth several tasks");
}

/* Number of programs that run in this mode before another is chosen, at most ten thousand. */
static int runs_of(struct model *m, enum op2i_exec_mode mode, double microseconds, double waited) {
  int n = 0;
  for (; n < 10000 && choose(m) == mode; n++) ran_idly(m, mode, microseconds, waited);
  return n;
}

static void test_trials(void) {
  struct model m;
  make_model(&m, 1000);
  is_int(runs_of(&m, OP2I_MODE_TEAM, 500, 0), 10000, "where nobody waits nothing else is tried");
  make_model(&m, 1000);
  is_int(runs_of(&m, OP2I_MODE_TEAM, 512, 60), 10, "when a run's time was waited, tasks are");
  says(&m, OP2I_MODE_TASKS, "to be found out");
  is_int(runs_of(&m, OP2I_MODE_TASKS, 600, 60), 4, "for four runs");
  says(&m, OP2I_MODE_TEAM, "faster when both ran");
  is_int(runs_of(&m, OP2I_MODE_TEAM, 512, 60), 18, "then again after twice as long");
  for (int i = 0; i < 20; i++)
    runs_of(&m, OP2I_MODE_TASKS, 600, 60), runs_of(&m, OP2I_MODE_TEAM, 512, 60);
  runs_of(&m, OP2I_MODE_TASKS, 600, 60);
  is_int(runs_of(&m, OP2I_MODE_TEAM, 512, 60), 547, "and never after more than 64 runs' time");
  ran(&m, OP2I_MODE_TASKS, 9000);
  is_int(runs_of(&m, OP2I_MODE_TASKS, 400, 0), 10000, "the first run of a trial does not count");
  says(&m, OP2I_MODE_TASKS, "faster when both ran");
  is_int(runs_of(&m, OP2I_MODE_TASKS, 400, 99), 10000, "no team is tried that should be slower");
  for (int s = 0; s < STEPS; s++) m.data[s].ns_per_element /= 2;
  m.config.chunk_us = 100;
  says(&m, OP2I_MODE_TEAM, "to be found out");
}

/* ---- real programs --------------------------------------------------------------------------- */

enum { NODES = 5000, EDGES = 15000, ROUNDS = 6 };

OP2_KERNEL(spread, (const double *w, const double *a, const double *b, double *ra, double *rb), {
  double flow = sin(*w * (*b - *a));
  *ra += flow;
  *rb -= flow;
});
OP2_KERNEL(settle, (double *u, double *r, double *sum, double *top), {
  *u += 0.1 * *r;
  *sum += *r * *r;
  *top = *r > *top ? *r : *top;
  *r = 0;
});
static const op2_kernel_desc broken_kernel = {
    .name = "broken", .source = "void broken(double *u) { *u = there_is_no_such_thing; }"};

struct result {
  double u[NODES], sum[ROUNDS], top[ROUNDS];
};

static int32_t ends[2 * EDGES];
static double weight[EDGES], start[NODES];

static void make_mesh(void) {
  uint64_t random = 7;
  for (int e = 0; e < EDGES; e++) {
    ends[2 * e] = (int32_t)((int64_t)e * NODES / EDGES);
    ends[2 * e + 1] = (ends[2 * e] + 1 + draw_below(&random, 90)) % NODES;
    weight[e] = draw_below(&random, 1000) / 997.0;
  }
  for (int n = 0; n < NODES; n++) start[n] = draw_below(&random, 1000003) / 977.0;
}

struct objects {
  op2_context ctx;
  op2_set nodes, edges;
  op2_map map;
  op2_dat w, u, r;
  op2_gbl sum, top;
  op2_kernel spread, settle, broken;
};

#define DO(call)                                                                                   \
  if ((status = (call)) != OP2_SUCCESS) return status

static op2_status declare(struct objects *o, const char *backend, int threads, bool eager) {
  op2_options options = {.backend = backend,
                         .threads = threads,
                         .eager = eager ? 1 : -1,
                         .block_size = 128,
                         .cache_dir = test_cache()};
  op2_status status;
  DO(op2_init(&options, &o->ctx));
  DO(op2_set_create(o->ctx, NODES, "nodes", &o->nodes));
  DO(op2_set_create(o->ctx, EDGES, "edges", &o->edges));
  DO(op2_map_create(o->edges, o->nodes, 2, ends, "ends", &o->map));
  DO(op2_dat_create(o->edges, 1, OP2_F64, weight, "w", &o->w));
  DO(op2_dat_create(o->nodes, 1, OP2_F64, start, "u", &o->u));
  DO(op2_dat_create(o->nodes, 1, OP2_F64, NULL, "r", &o->r));
  DO(op2_gbl_create(o->ctx, 1, OP2_F64, NULL, "sum", &o->sum));
  DO(op2_gbl_create(o->ctx, 1, OP2_F64, NULL, "top", &o->top));
  DO(op2_kernel_create(o->ctx, &spread_kernel, &o->spread));
  DO(op2_kernel_create(o->ctx, &settle_kernel, &o->settle));
  return op2_kernel_create(o->ctx, &broken_kernel, &o->broken);
}

static op2_status run_round(struct objects *o, int round, struct result *out) {
  op2_status status;
  const double nothing = 0;
  DO(op2_gbl_set(o->sum, &nothing));
  DO(op2_gbl_set(o->top, &nothing));
  DO(op2_par_loop(o->spread, o->edges, op2_arg_direct(o->w, OP2_READ),
                  op2_arg_dat(o->u, 0, o->map, OP2_READ), op2_arg_dat(o->u, 1, o->map, OP2_READ),
                  op2_arg_dat(o->r, 0, o->map, OP2_INC), op2_arg_dat(o->r, 1, o->map, OP2_INC)));
  DO(op2_par_loop(o->settle, o->nodes, op2_arg_direct(o->u, OP2_RW), op2_arg_direct(o->r, OP2_RW),
                  op2_arg_gbl(o->sum, OP2_INC), op2_arg_gbl(o->top, OP2_MAX)));
  DO(op2_gbl_get(o->sum, &out->sum[round]));
  return op2_gbl_get(o->top, &out->top[round]);
}
#undef DO

static void destroy(struct objects *o) {
  op2_kernel_destroy(&o->spread);
  op2_kernel_destroy(&o->settle);
  op2_kernel_destroy(&o->broken);
  op2_gbl_destroy(&o->sum);
  op2_gbl_destroy(&o->top);
  op2_dat_destroy(&o->w);
  op2_dat_destroy(&o->u);
  op2_dat_destroy(&o->r);
  op2_map_destroy(&o->map);
  op2_set_destroy(&o->edges);
  op2_set_destroy(&o->nodes);
}

static int64_t taken[OP2I_MODES]; /* programs of the last run by execution mode, or tasks */

static bool run(const char *backend, int threads, bool eager, struct result *out) {
  struct objects o = {0};
  memset(out, 0, sizeof *out);
  op2_status status = declare(&o, backend, threads, eager);
  for (int i = 0; i < ROUNDS && !status; i++) status = run_round(&o, i, out);
  if (!status) status = op2_dat_get(o.u, out->u);
  if (status) diag("%s", op2_error_message());
  if (!status) {
    taken[OP2I_MODE_HERE] = o.ctx->sched->stats.programs_inline;
    taken[OP2I_MODE_TEAM] = o.ctx->sched->stats.programs_team;
    taken[OP2I_MODE_TASKS] = o.ctx->sched->stats.tasks_submitted;
  }
  destroy(&o);
  return op2_finalize(&o.ctx) == OP2_SUCCESS && !status;
}

static void set_mode(const char *team, const char *chunk_us) {
  setenv("OP2_TEAM", team, 1);
  setenv("OP2_CHUNK_US", chunk_us, 1);
}

static void test_bits(void) {
  static struct result here, team, tasks;
  for (int threads = 1; threads <= 4; threads++)
    for (int eager = 0; eager < 2; eager++) {
      const char *how = eager ? "eager" : "lazy";
      set_mode("0", "1000000");
      bool good = run("starpu", threads, eager, &here);
      ok(good && taken[OP2I_MODE_HERE] && !taken[OP2I_MODE_TEAM] && !taken[OP2I_MODE_TASKS],
         "%d threads, %s: all in the calling thread", threads, how);
      set_mode("0", "0");
      good = run("starpu", threads, eager, &tasks);
      ok(good && !taken[OP2I_MODE_HERE] && !taken[OP2I_MODE_TEAM] && taken[OP2I_MODE_TASKS],
         "%d threads, %s: all as tasks", threads, how);
      set_mode("1", "400");
      good = run("starpu", threads, eager, &team);
      bool alone = threads == 1 || op2i_machine()->cores == 1;
      int64_t all = taken[OP2I_MODE_HERE] + taken[OP2I_MODE_TEAM];
      ok(good && !taken[OP2I_MODE_TASKS] && all &&
             taken[alone ? OP2I_MODE_HERE : OP2I_MODE_TEAM] == all,
         "%d threads, %s: %s", threads, how, alone ? "no team of one" : "all by a team");
      ok(!memcmp(&here, &team, sizeof here) && !memcmp(&here, &tasks, sizeof here),
         "%d threads, %s: the same bits", threads, how);
    }
  const char *why = op2_backend_unavailable("openmp");
  if (why)
    skip("the bits of openmp: %s", why);
  else
    ok(run("openmp", 2, false, &team) && !memcmp(&here, &team, sizeof here), "and those of openmp");
}

/* ---- several contexts ------------------------------------------------------------------------ */

enum { CONTEXTS = 4 };
static struct result expected, others[CONTEXTS];

static void *use_context(void *out) {
  struct objects o = {0};
  op2_status status = declare(&o, "starpu", 2, false);
  for (int i = 0; i < ROUNDS && !status; i++) status = run_round(&o, i, out);
  if (!status) status = op2_dat_get(o.u, ((struct result *)out)->u);
  destroy(&o);
  bool ended = op2_finalize(&o.ctx) == OP2_SUCCESS;
  return ended && !status ? out : NULL;
}

/* Several contexts run at once, by a team whenever one is available (`always`), or in the mode that
 * measured times choose. */
static void test_contexts(bool always) {
  pthread_t threads[CONTEXTS];
  int same = 0;
  set_mode("1", always ? "400" : "1");
  if (!always) unsetenv("OP2_TEAM");
  if (!run("starpu", 2, false, &expected)) diag("the run that others are held against failed");
  for (int repeat = 0; repeat < 5; repeat++) {
    for (int c = 0; c < CONTEXTS; c++) pthread_create(&threads[c], NULL, use_context, &others[c]);
    for (int c = 0; c < CONTEXTS; c++) {
      void *out;
      pthread_join(threads[c], &out);
      same += out && !memcmp(&expected, out, sizeof expected);
    }
  }
  is_int(same, 5 * CONTEXTS, "contexts of several threads share the %s, and the bits are theirs",
         always ? "team" : "workers");
}

/* ---- programs that are worth tasks ---------------------------------------------------------- */

enum { MANY = 400000, FLUSHES = 3 };
OP2_KERNEL(halve, (double *x), { *x = 0.5 * *x + 1; });

/* Hold the team's lock, as another thread's program would. */
static void hold_team(bool hold) {
#if OP2_HAVE_STARPU
  if (hold)
    pthread_mutex_lock(&op2i_starpu_team()->busy);
  else
    pthread_mutex_unlock(&op2i_starpu_team()->busy);
#else
  (void)hold;
#endif
}

/* Programs run by the team if it is available, else as tasks, and never in the calling thread.
 * There are too few runs for any trial. */
static void test_worth_tasks(void) {
  static double x[MANY];
  struct objects o = {0};
  op2_kernel kernel;
  op2_set set;
  op2_dat dat;
  unsetenv("OP2_TEAM");
  setenv("OP2_CHUNK_US", "10", 1);
  if (!CHECK(declare(&o, "starpu", 2, false))) return;
  struct op2i_sched *sched = o.ctx->sched;
  CHECK(op2_set_create(o.ctx, MANY, "many", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  CHECK(op2_kernel_create(o.ctx, &halve_kernel, &kernel));
  for (int f = 0; f < 2 * FLUSHES; f++) {
    if (f == FLUSHES) {
      int64_t team = op2i_machine()->cores > 1 ? FLUSHES : 0;
      is_int(sched->stats.programs_team, team, "loops that are worth tasks run by the team");
      if (team) is_int(sched->stats.tasks_submitted, 0, "and are no tasks");
      hold_team(true);
    }
    CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW)));
    CHECK(op2_flush(o.ctx));
  }
  hold_team(false);
  ok(sched->stats.tasks_submitted >= 2 * FLUSHES,
     "while another thread has the team they are tasks");
  is_int(sched->stats.programs_inline, 0, "none runs in the calling thread alone");
  CHECK(op2_dat_get(dat, x));
  int right = 0;
  for (int i = 0; i < MANY; i++) right += fabs(x[i] - (2 - ldexp(2, -2 * FLUSHES))) < 1e-15;
  is_int(right, MANY, "all elements are right");
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  destroy(&o);
  CHECK(op2_finalize(&o.ctx));
}

/* ---- failures and messages ------------------------------------------------------------------- */

static void test_failure(void) {
  static struct result out;
  struct objects o = {0};
  set_mode("1", "400");
  if (!CHECK(declare(&o, "starpu", 2, false)) || !CHECK(run_round(&o, 0, &out))) return;
  CHECK(op2_par_loop(o.broken, o.nodes, op2_arg_direct(o.r, OP2_WRITE)));
  FAILS(run_round(&o, 1, &out), OP2_ERR_COMPILE);
  CHECK(op2_dat_set(o.r, start));
  CHECK(op2_dat_set(o.u, start));
  CHECK(run_round(&o, 2, &out));
  ok(out.sum[2] > 0, "after a loop without code the team goes on");
  destroy(&o);
  CHECK(op2_finalize(&o.ctx));
}

static bool explained(op2_context ctx, const char *what) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  bool good = stream && op2_explain(ctx, stream) == OP2_SUCCESS;
  if (stream) fclose(stream);
  good = good && strstr(text, what);
  if (!good) diag("'%s' is not in:\n%s", what, text ? text : "nothing");
  free(text);
  return good;
}

static void test_told(void) {
  static struct result out;
  struct objects o = {0};
  set_mode("1", "400");
  if (!CHECK(declare(&o, "starpu", 2, false))) return;
  for (int i = 0; i < ROUNDS; i++) CHECK(run_round(&o, i, &out));
  int64_t team = o.ctx->sched->stats.programs_team;
  char line[160];
  snprintf(line, sizeof line, "%d programs run in the calling thread, %d by a team",
           (int)o.ctx->sched->stats.programs_inline, (int)team);
  ok(explained(o.ctx, line), "op2_explain counts programs by their way");
  snprintf(line, sizeof line,
           "  run 0 times in the calling thread, %d by a team, 0 as tasks; the "
           "last time so because: OP2_TEAM=1\n",
           ROUNDS);
  ok(team >= ROUNDS ? explained(o.ctx, line) : op2i_machine()->cores == 1,
     "and says why each took its last one");
  destroy(&o);
  CHECK(op2_finalize(&o.ctx));
}

int main(void) {
  test_environment();
  unsetenv("OP2_THREADS");
  test_rule();
  test_costs();
  test_first_runs();
  test_feedback();
  test_slow_runs();
  test_hysteresis();
  test_either();
  test_trials();
  if (op2_backend_unavailable("starpu")) {
    skip("starpu: %s", op2_backend_unavailable("starpu"));
    return done();
  }
  make_mesh();
  test_bits();
  test_contexts(true);
  test_contexts(false);
  test_worth_tasks();
  test_failure();
  test_told();
  return done();
}
