/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of OP2_TRACE: it keeps the rules of the trace event format, its loops take the time
 * that the profile has, short slices are summed, and results stay what they are. A file that cannot
 * be written is warned of. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op2.h"
#include "support.h"
#include "tap.h"
#include "trace_case.h"

OP2_KERNEL(spread, (const double *length, double *a, double *b), {
  *a += length[0];
  *b -= 0.5 * length[0];
});
OP2_KERNEL(relax, (double *x, double *sum), {
  double y = *x;
  for (int i = 0; i < 40; i++) y = 0.5 * (y + 3 / (y * y + 1));
  *x = y;
  *sum += y;
});
OP2_KERNEL(tiny, (double *t), { *t += 1; });

enum { NODES = 30000, STEPS = 6, TINY = 40, KERNELS = 3 };

/* A call that must succeed; there are too many for a line each. */
static int failed;
#define DO(call_)                                                                                  \
  do {                                                                                             \
    if ((call_) && !failed++) diag("%s: %s", #call_, op2_error_message());                         \
  } while (0)

static op2_context ctx;
static op2_set nodes, edges, few;
static op2_map ends;
static op2_dat x, length, t;
static op2_gbl sum;
static op2_kernel kernels[KERNELS];

static int look(void *data, void *const *values) {
  *(double *)data = *(double *)values[0];
  return 0;
}

static void start(const char *backend) {
  static int32_t idx[2 * NODES];
  static double lengths[NODES];
  const op2_kernel_desc *descs[KERNELS] = {&spread_kernel, &relax_kernel, &tiny_kernel};
  const op2_options options = {
      .backend = backend, .threads = 2, .block_size = 512, .cache_dir = test_cache()};
  for (int i = 0; i < NODES; i++) {
    idx[2 * i] = i, idx[2 * i + 1] = (i + 1) % NODES;
    lengths[i] = 1 + i % 7;
  }
  DO(op2_init(&options, &ctx));
  DO(op2_set_create(ctx, NODES, "nodes", &nodes));
  DO(op2_set_create(ctx, NODES, "edges \"of\"\tthe mesh", &edges));
  DO(op2_set_create(ctx, 16, "few", &few));
  DO(op2_map_create(edges, nodes, 2, idx, "ends", &ends));
  DO(op2_dat_create(nodes, 1, OP2_F64, NULL, "x", &x));
  DO(op2_dat_create(edges, 1, OP2_F64, lengths, "length", &length));
  DO(op2_dat_create(few, 1, OP2_F64, NULL, "t", &t));
  DO(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  for (int k = 0; k < KERNELS; k++) DO(op2_kernel_create(ctx, descs[k], &kernels[k]));
}

static double looked;

static void run(void) {
  for (int s = 0; s < STEPS; s++) {
    DO(op2_section_begin(ctx, "step"));
    DO(op2_section_begin(ctx, "flux"));
    DO(op2_par_loop(kernels[0], edges, op2_arg_direct(length, OP2_READ),
                    op2_arg_dat(x, 0, ends, OP2_INC), op2_arg_dat(x, 1, ends, OP2_INC)));
    DO(op2_par_loop(kernels[1], nodes, op2_arg_direct(x, OP2_RW), op2_arg_gbl(sum, OP2_INC)));
    DO(op2_section_end(ctx, "flux"));
    DO(op2_call(ctx, look, &looked, op2_arg_gbl(sum, OP2_READ)));
    for (int i = 0; i < TINY; i++) DO(op2_par_loop(kernels[2], few, op2_arg_direct(t, OP2_RW)));
    DO(op2_flush(ctx));
    DO(op2_section_end(ctx, "step"));
  }
}

static void stop(void) {
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&kernels[k]);
  op2_gbl_destroy(&sum);
  op2_dat_destroy(&x);
  op2_dat_destroy(&length);
  op2_dat_destroy(&t);
  op2_map_destroy(&ends);
  op2_set_destroy(&few);
  op2_set_destroy(&edges);
  op2_set_destroy(&nodes);
  DO(op2_finalize(&ctx));
}

/* ---- the whole program ----------------------------------------------------------------------- */

struct result {
  double x[NODES], sum;
  double us[KERNELS], all; /* microseconds of each kernel by the profile, and of all loops */
};

static void profile(struct result *result) {
  op2_profile line;
  op2_times times;
  DO(op2_times_get(ctx, &times));
  result->all = 1e6 * times.loops * op2_workers(ctx);
  for (int k = 0; k < KERNELS; k++) result->us[k] = 0;
  for (int i = 0; op2_profile_get(ctx, i, &line) == OP2_SUCCESS; i++)
    for (int k = 0; k < KERNELS; k++) {
      static const char *const names[KERNELS] = {"spread", "relax", "tiny"};
      if (!strcmp(line.kernel, names[k])) result->us[k] += 1e6 * line.seconds;
    }
}

/* Run the program, with a trace if there is a path. */
static void traced(const char *backend, const char *path, struct result *result) {
  if (path) setenv("OP2_TRACE", path, 1);
  start(backend);
  unsetenv("OP2_TRACE");
  run();
  DO(op2_dat_get(x, result->x));
  DO(op2_gbl_get(sum, &result->sum));
  profile(result);
  stop();
}

static bool close_to(double got, double want) {
  if (fabs(got - want) <= 0.02 * want + 1) return true;
  diag("%.3f us in the trace, %.3f us in the profile", got, want);
  return false;
}

/* On a device the profile counts all workers for its time. */
static int workers_of(const struct json *trace, const char *backend) {
  return is_device(backend) ? (int)json_number(json_member(trace, "otherData"), "workers") : 1;
}

static void test_backend(const char *backend) {
  static struct result plain, with;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.json", test_scratch(), backend);
  setenv("OP2_FUSE", "0", 1);
  traced(backend, NULL, &plain);
  traced(backend, path, &with);
  ok(!memcmp(plain.x, with.x, sizeof plain.x) && !memcmp(&plain.sum, &with.sum, sizeof plain.sum),
     "%s: the results are the same with a trace", backend);
  struct json *trace = json_read(path);
  ok(trace && trace_is_valid(trace), "%s: the file keeps the rules of the format", backend);
  const int workers = workers_of(trace, backend);
  bool same = true;
  static const char *const names[KERNELS] = {"spread", "relax", "tiny"};
  for (int k = 0; k < KERNELS; k++)
    same = close_to(workers * trace_loop_us(trace, names[k]), with.us[k]) && same;
  ok(same, "%s: the loops of each kernel take the profile's time", backend);
  ok(trace_slices(trace, "host", "run the queue") >= 1 &&
         trace_slices(trace, "host", "program") >= 1,
     "%s: the host's track has forces and programs", backend);
  is_int(trace_slices(trace, "host", "step"), STEPS, "%s: and the program's sections", backend);
  json_free(trace);
}

/* Sum up the loops of all names that the trace has. */
static double all_loops(const struct json *trace) {
  double sum_us = 0;
  const struct json *list = json_member(trace, "traceEvents"),
                    *summed = json_member(json_member(trace, "otherData"), "summed");
  for (const struct json *e = list ? list->first : NULL; e; e = e->next) {
    const struct json *args = json_member(e, "args");
    if (strcmp(json_text(e, "cat"), "loop") || !strcmp(json_text(e, "name"), "short loops"))
      continue;
    sum_us += json_member(args, "busy_us") ? json_number(args, "busy_us") : json_number(e, "dur");
  }
  for (const struct json *s = summed ? summed->first : NULL; s; s = s->next)
    if (json_number(s, "track") > 0) sum_us += json_number(s, "busy_us");
  return sum_us;
}

static void test_fused(void) {
  static struct result with;
  if (backend_unfit("openmp")) {
    skip("fused loops: %s", backend_unfit("openmp"));
    return;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/fused.json", test_scratch());
  setenv("OP2_FUSE", "2", 1);
  traced("sequential", path, &with);
  traced("openmp", path, &with);
  setenv("OP2_FUSE", "0", 1);
  struct json *trace = json_read(path);
  ok(trace && trace_is_valid(trace) && close_to(all_loops(trace), with.all),
     "fused loops take the time of all loops");
  json_free(trace);
}

/* ---- solves ---------------------------------------------------------------------------------- */

OP2_KERNEL(weigh, (double a[2][2], const double *extent), {
  a[0][0] += 1.5 * extent[0];
  a[1][1] += 1.5;
  a[0][1] -= 1;
  a[1][0] -= 1;
});

enum { MOST = 200 };
static struct {
  int n;
  double residual[MOST];
} history;

static void follow(void *data, int iteration, double residual) {
  (void)data;
  if (iteration == history.n && history.n < MOST) history.residual[history.n++] = residual;
}

static void solve(void) {
  const op2_map_pair pair = {ends, ends};
  const op2_solver_options options = {.method = OP2_METHOD_CG};
  op2_kernel kernel = NULL;
  op2_sparsity pattern = NULL;
  op2_mat mat = NULL;
  op2_dat y = NULL;
  op2_solver solver = NULL;
  DO(op2_kernel_create(ctx, &weigh_kernel, &kernel));
  DO(op2_sparsity_create(1, &pair, "pattern", &pattern));
  DO(op2_mat_create(pattern, 1, 1, OP2_F64, "A", &mat));
  DO(op2_dat_create(nodes, 1, OP2_F64, NULL, "y", &y));
  DO(op2_solver_create(ctx, &options, "a \"solver\"", &solver));
  DO(op2_solver_monitor(solver, follow, NULL));
  DO(op2_par_loop(kernel, edges, op2_arg_mat(mat, ends, ends, OP2_INC),
                  op2_arg_direct(length, OP2_READ)));
  DO(op2_solve(solver, mat, y, x));
  DO(op2_flush(ctx));
  op2_solver_destroy(&solver);
  op2_dat_destroy(&y);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&pattern);
  op2_kernel_destroy(&kernel);
}

/* The curve of the residuals has the values that the solver's function gets, in slices of the host
 * that have the solve's description. */
static bool is_history(const struct json *trace) {
  int n = 0;
  const struct json *list = json_member(trace, "traceEvents");
  for (const struct json *e = list ? list->first : NULL; e; e = e->next) {
    if (strcmp(json_text(e, "ph"), "C") != 0) continue;
    const double got = json_number(json_member(e, "args"), "residual");
    if (n == history.n || strcmp(json_text(e, "name"), "residual of 'a \"solver\"'") ||
        fabs(got - history.residual[n]) > 1e-8 * history.residual[n]) {
      diag("%s: %.10g, not %.10g", json_text(e, "name"), got, history.residual[n]);
      return false;
    }
    n++;
  }
  return n > 3 && n == history.n;
}

static void test_solve(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/solve.json", test_scratch());
  setenv("OP2_TRACE", path, 1);
  start("sequential");
  unsetenv("OP2_TRACE");
  run();
  solve();
  stop();
  struct json *trace = json_read(path);
  ok(trace && trace_is_valid(trace), "a trace of a solve keeps the rules of the format");
  ok(is_history(trace), "and has the residuals of the solve");
  json_free(trace);
}

/* ---- short loops, forks, failures ------------------------------------------------------------ */

static void test_short(void) {
  enum { MANY = 20000 };
  char path[4096];
  snprintf(path, sizeof path, "%s/short.json", test_scratch());
  setenv("OP2_TRACE", path, 1);
  start("sequential");
  unsetenv("OP2_TRACE");
  for (int i = 0; i < MANY; i++) DO(op2_par_loop(kernels[2], few, op2_arg_direct(t, OP2_RW)));
  DO(op2_flush(ctx));
  stop();
  struct json *trace = json_read(path);
  const struct json *other = json_member(trace, "otherData");
  ok(trace && trace_is_valid(trace) && trace_slices(trace, "loop", "tiny") < MANY / 10,
     "short loops that follow each other are one slice");
  ok(strstr(json_text(other, "short"), "less than 5 us") != NULL, "and the file says so");
  json_free(trace);
}

static void test_fork(void) {
  char path[4096];
  static struct result result;
  snprintf(path, sizeof path, "%s/fork.json", test_scratch());
  setenv("OP2_TRACE", path, 1);
  start("sequential");
  unsetenv("OP2_TRACE");
  run();
  const pid_t child = fork();
  if (child == 0) { /* exit() would remove the test's folder */
    fflush(NULL);
    _exit(0);
  }
  int how = 1;
  waitpid(child, &how, 0);
  DO(op2_dat_get(x, result.x));
  stop();
  struct json *trace = json_read(path);
  ok(how == 0 && trace && trace_is_valid(trace), "a forked child writes nothing into the file");
  json_free(trace);
}

/* Run the program with the variable set, and return what it writes on standard error. */
static char *messages_with(const char *value) {
  char path[4096], *text = calloc(1, 1 << 14);
  snprintf(path, sizeof path, "%s/messages", test_scratch());
  const int saved = dup(STDERR_FILENO);
  fflush(stderr);
  if (!text || !freopen(path, "w", stderr)) return text;
  setenv("OP2_TRACE", value, 1);
  start("sequential");
  unsetenv("OP2_TRACE");
  run();
  stop();
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  FILE *file = fopen(path, "r");
  if (file && !fread(text, 1, (1 << 14) - 1, file)) text[0] = 0;
  if (file) fclose(file);
  return text;
}

static void test_failures(void) {
  char *text = messages_with("/nowhere/at/all.json");
  ok(text && strstr(text, "the trace could not be written to '/nowhere/at/all.json'"),
     "a file that cannot be opened is warned of");
  free(text);
  text = messages_with("/dev/full");
  ok(text && strstr(text, "the trace could not be written to '/dev/full': No space left"),
     "and so is a device that is full");
  free(text);
  text = messages_with("0");
  ok(text && !*text, "0 makes no trace");
  free(text);
}

int main(void) {
  test_environment();
  int b = 0;
  for (const char *backend; (backend = next_backend(device_backends, &b));) test_backend(backend);
  b = 0;
  for (const char *backend; (backend = next_backend(host_backends, &b));) test_backend(backend);
  test_fused();
  test_solve();
  test_short();
  test_fork();
  test_failures();
  ok(!failed, "all calls succeed");
  return done();
}
