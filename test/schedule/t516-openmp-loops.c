/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that follow each other run in one parallel region of OpenMP, each behind the one before, by
 * as many threads as OpenMP gives: with its variables, and inside a region of the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op2.h"
#include "tap.h"

enum { NODES = 30000, EDGES = 3 * NODES, FEW = 10, ROUNDS = 4 };

typedef void region_function(void *data);
typedef void region(region_function *run, void *data, unsigned threads, unsigned flags);

static int regions;
static region *gnu_region;

/* The library's parallel regions come here, if gcc has compiled it. */
OP2_API void GOMP_parallel(region_function *run, void *data, unsigned threads, unsigned flags);
void GOMP_parallel(region_function *run, void *data, unsigned threads, unsigned flags) {
  regions++;
  gnu_region(run, data, threads, flags);
}

OP2_KERNEL(spread, (const double *u, double *a, double *b), {
  a[0] += u[0];
  b[0] += 2 * u[0];
});
OP2_KERNEL(add, (const double *r, double *sum), { sum[0] += r[0]; });
OP2_KERNEL(take, (double *r, double *u, const double *sum), {
  u[0] = fmod(u[0] + r[0] + sum[0], 7.0);
  r[0] = 0;
});
OP2_KERNEL(mark, (double *few, const double *sum), { few[0] += sum[0]; });

struct result {
  double u[NODES], few[FEW], sum;
};

static int32_t ends[2 * EDGES];

/* All values are whole numbers below 2^53, so that every order of additions has the same result. */
static void reference(struct result *out) {
  static double r[NODES];
  memset(r, 0, sizeof r);
  memset(out, 0, sizeof *out);
  for (int n = 0; n < NODES; n++) out->u[n] = n % 5;
  for (int round = 0; round < ROUNDS; round++) {
    for (int e = 0; e < EDGES; e++) {
      r[ends[2 * e]] += out->u[e / 3];
      r[ends[2 * e + 1]] += 2 * out->u[e / 3];
    }
    for (int n = 0; n < NODES; n++) out->sum += r[n];
    for (int i = 0; i < FEW; i++) out->few[i] += out->sum;
    for (int n = 0; n < NODES; n++) out->u[n] = fmod(out->u[n] + r[n] + out->sum, 7.0), r[n] = 0;
  }
}

struct objects {
  op2_set nodes, edges, few;
  op2_map ends, origin;
  op2_dat u, r, f;
  op2_gbl sum;
  op2_kernel spread, add, take, mark;
};

#define DO(call)                                                                                   \
  if ((status = (call)) != OP2_SUCCESS) return status

static op2_status declare(op2_context ctx, struct objects *o) {
  static double u[NODES];
  static int32_t origin[EDGES];
  op2_status status;
  for (int n = 0; n < NODES; n++) u[n] = n % 5;
  for (int e = 0; e < EDGES; e++) origin[e] = e / 3;
  DO(op2_set_create(ctx, NODES, "nodes", &o->nodes));
  DO(op2_set_create(ctx, EDGES, "edges", &o->edges));
  DO(op2_set_create(ctx, FEW, "few", &o->few));
  DO(op2_map_create(o->edges, o->nodes, 2, ends, "ends", &o->ends));
  DO(op2_map_create(o->edges, o->nodes, 1, origin, "origin", &o->origin));
  DO(op2_dat_create(o->nodes, 1, OP2_F64, u, "u", &o->u));
  DO(op2_dat_create(o->nodes, 1, OP2_F64, NULL, "r", &o->r));
  DO(op2_dat_create(o->few, 1, OP2_F64, NULL, "f", &o->f));
  DO(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &o->sum));
  DO(op2_kernel_create(ctx, &spread_kernel, &o->spread));
  DO(op2_kernel_create(ctx, &add_kernel, &o->add));
  DO(op2_kernel_create(ctx, &take_kernel, &o->take));
  return op2_kernel_create(ctx, &mark_kernel, &o->mark);
}

static op2_status queue(struct objects *o) {
  op2_status status;
  for (int round = 0; round < ROUNDS; round++) {
    DO(op2_par_loop(o->spread, o->edges, op2_arg_dat(o->u, 0, o->origin, OP2_READ),
                    op2_arg_dat(o->r, 0, o->ends, OP2_INC),
                    op2_arg_dat(o->r, 1, o->ends, OP2_INC)));
    DO(op2_par_loop(o->add, o->nodes, op2_arg_direct(o->r, OP2_READ),
                    op2_arg_gbl(o->sum, OP2_INC)));
    DO(op2_par_loop(o->mark, o->few, op2_arg_direct(o->f, OP2_RW), op2_arg_gbl(o->sum, OP2_READ)));
    DO(op2_par_loop(o->take, o->nodes, op2_arg_direct(o->r, OP2_RW), op2_arg_direct(o->u, OP2_RW),
                    op2_arg_gbl(o->sum, OP2_READ)));
  }
  return OP2_SUCCESS;
}

static void destroy(struct objects *o) {
  op2_kernel_destroy(&o->spread);
  op2_kernel_destroy(&o->add);
  op2_kernel_destroy(&o->take);
  op2_kernel_destroy(&o->mark);
  op2_gbl_destroy(&o->sum);
  op2_dat_destroy(&o->u);
  op2_dat_destroy(&o->r);
  op2_dat_destroy(&o->f);
  op2_map_destroy(&o->ends);
  op2_map_destroy(&o->origin);
  op2_set_destroy(&o->nodes);
  op2_set_destroy(&o->edges);
  op2_set_destroy(&o->few);
}

/* Run all loops in one flush, in a context with so many threads (0: as the environment says). Sets
 * *taken to the number of parallel regions. */
static bool run(int threads, int *workers, int *taken) {
  static struct result got, want;
  const op2_options options = {.backend = "openmp", .threads = threads};
  struct objects o = {0};
  op2_context ctx = NULL;
  op2_status status = op2_init(&options, &ctx);
  memset(&got, 0, sizeof got);
  if (!status) status = declare(ctx, &o);
  if (!status) *workers = op2_workers(ctx);
  if (!status) status = queue(&o);
  regions = 0;
  if (!status) status = op2_flush(ctx);
  *taken = regions;
  if (!status) status = op2_dat_get(o.u, got.u);
  if (!status) status = op2_dat_get(o.f, got.few);
  if (!status) status = op2_gbl_get(o.sum, &got.sum);
  if (status) diag("%s", op2_error_message());
  reference(&want);
  destroy(&o);
  return op2_finalize(&ctx) == OP2_SUCCESS && !status && !memcmp(&got, &want, sizeof got);
}

static void one_region(void) {
  int workers = 0, taken = 0;
  static const int numbers[] = {1, 2, 3, 4, 5, 8, 9, 20, 70, 130};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const int threads = numbers[i];
    ok(run(threads, &workers, &taken) && workers == threads, "%d threads: right", threads);
    if (threads == 1)
      is_int(taken, 0, "one thread needs no region");
    else if (taken == 0)
      skip("the compiler's regions are not GNU's");
    else
      is_int(taken, 1, "all loops run in one region");
  }
}

OP2_KERNEL(halve, (double *x), { x[0] *= 0.5; });

/* A loop that takes about a microsecond: less than a region costs, which shows once it has run. */
static void short_loop(void) {
  enum { RUNS = 200, SIZE = 10000 };
  static double values[SIZE];
  const op2_options options = {.backend = "openmp", .threads = 2};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  int first = 0, without = 0;
  op2_status status = op2_init(&options, &ctx);
  for (int i = 0; i < SIZE; i++) values[i] = 1;
  if (!status) status = op2_set_create(ctx, SIZE, "points", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, values, "x", &x);
  if (!status) status = op2_kernel_create(ctx, &halve_kernel, &kernel);
  for (int r = 0; r < RUNS && !status; r++) {
    regions = 0;
    status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_RW));
    if (!status) status = op2_flush(ctx);
    if (r == 0) first = regions;
    without += regions == 0;
  }
  if (!status) status = op2_dat_get(x, values);
  ok(!status && values[0] == ldexp(1, -RUNS) && values[SIZE - 1] == values[0],
     "a short loop: right");
  if (first == 0)
    skip("the compiler's regions are not GNU's");
  else
    ok(without > 0, "a loop that is shorter than a region runs without (%d of %d times)", without,
       RUNS);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  ok(op2_finalize(&ctx) == OP2_SUCCESS, "the context ends");
}

/* ---- variables of OpenMP, which are read when its library is loaded --------------------------- */

static int child(const char *workers_wanted) {
  int workers = 0, taken = 0;
  const bool right = run(atoi(workers_wanted) < 0 ? 4 : 0, &workers, &taken);
  return right && (atoi(workers_wanted) < 0 || workers == atoi(workers_wanted)) ? 0 : 1;
}

static void variable(const char *program, const char *name, const char *value,
                     const char *workers) {
  int status = -1;
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    setenv(name, value, 1);
    unsetenv("OP2_THREADS");
    execl(program, program, workers, (char *)NULL);
    _exit(2);
  }
  const bool ended = waitpid(pid, &status, 0) == pid;
  ok(ended && status == 0, "%s=%s: right (%d)", name, value, status);
}

/* ---- regions of the program ------------------------------------------------------------------ */

static bool inside_good;

static void inside(void *unused) {
  int (*number)(void) = NULL, workers, taken;
  (void)unused;
  *(void **)&number = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
  if (number && number() == 0) inside_good = run(3, &workers, &taken);
}

static void program_region(int levels) {
  void (*allow)(int) = NULL;
  *(void **)&allow = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
  if (!allow) {
    skip("OpenMP has no levels");
    return;
  }
  allow(levels);
  inside_good = false;
  gnu_region(inside, NULL, 2, 0);
  ok(inside_good, "right inside of the program's region, with %d levels", levels);
}

int main(int argc, char **argv) {
  *(void **)&gnu_region = dlsym(RTLD_NEXT, "GOMP_parallel");
  for (int e = 0; e < EDGES; e++) {
    ends[2 * e] = (int32_t)((int64_t)e * 7 % NODES);
    ends[2 * e + 1] = (int32_t)(((int64_t)e / 3 + e % 50) % NODES);
  }
  if (argc > 1) return child(argv[1]);
  if (op2_backend_unavailable("openmp")) {
    skip("openmp: %s", op2_backend_unavailable("openmp"));
    return done();
  }
  unsetenv("OP2_CHUNK_US"); /* 0 would share every loop */
  one_region();
  short_loop();
  variable(argv[0], "OMP_NUM_THREADS", "3", "3");
  variable(argv[0], "OMP_NUM_THREADS", "1", "1");
  variable(argv[0], "OMP_DYNAMIC", "true", "-1");
  variable(argv[0], "OMP_THREAD_LIMIT", "2", "-1");
  variable(argv[0], "OMP_PLACES", "cores", "-1");
  if (gnu_region) {
    program_region(1);
    program_region(2);
  } else {
    skip("the region of the program would be GNU's");
  }
  return done();
}
