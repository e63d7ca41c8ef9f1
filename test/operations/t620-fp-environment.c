/* SPDX-License-Identifier: BSD-3-Clause */
/* The floating-point environment: whatever modes the program sets, wherever it sets them, loops
 * compute the same bits as without; the program's modes and flags are unchanged whenever the
 * library returns; and functions of op2_call() and of operators see them.
 *
 * Every cell of {modes} x {where they are set} x {backend} is a process of its own, so a trap fails
 * that cell alone. Each build of a run takes half of the cells, and OP2_TEST_FULL=1 takes all, on
 * devices as well. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fp_case.h"
#include "op2/solve.h"
#include "support.h"
#include "tap.h"

enum { NODES = 3000, EDGES = 6000 };

enum when { NEVER, BEFORE_INIT, AFTER_INIT, PLUGIN, LIBRARY, WORKER, FUNCTION, OPERATOR, WHENS };
static const char *const when_names[WHENS] = {
    "nowhere",    "before op2_init", "after op2_init", "by a plugin", "by a library of a kernel",
    "in kernels", "in a function",   "in an operator"};

struct cell {
  const char *backend;
  enum when when;
  unsigned modes;
};

/* The report of a cell's process, in shared memory. */
static struct report {
  uint64_t bits; /* hash of all results */
  int values;    /* number of results */
  char problem[300];
  const char *unfit;
} * report;

static double xs[NODES];
static float fs[NODES];
static int32_t ends[2 * EDGES];
static const char *now; /* the last call that was made */

static void complain(const char *what) {
  if (!*report->problem) snprintf(report->problem, sizeof report->problem, "%s: %s", now, what);
}

/* FNV-1a: nothing here computes in floating point while the modes are set. */
static void add_bits(const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    report->bits = (report->bits ^ ((const unsigned char *)data)[i]) * 1099511628211u;
  report->values++;
}

/* ---- the kernels ----------------------------------------------------------------------------- */

/* Lanes that the condition excludes divide by zero, overflow and take roots of negative numbers. */
OP2_KERNEL(guarded, (const double *x, double *y), {
  y[0] = x[0] > 0 ? sqrt(x[0]) / x[0] : 0;
  y[1] = x[0] < 1e150 && x[0] > -1e150 ? x[0] * x[0] : x[0];
});
OP2_KERNEL(rounded, (const double *x, const float *f, double *y, float *g), {
  y[0] = x[0] / 3 + 0.1;
  y[1] = y[1] * 0.3 - x[0];
  g[0] = f[0] / 3.0f;
});
OP2_KERNEL(halved, (double *x, float *f), {
  *x *= 0.5;
  *f *= 0.5f;
});
OP2_KERNEL(spread,
           (const double *a, const double *b, double *to_a, double *to_b, double *sum,
            double *most),
           {
             *to_a += *b / 7;
             *to_b += *a / 11;
             *sum += (*a < 1e100 ? *a : 1) * 0.1;
             *most = *a > *most ? *a : *most;
           });
/* The kernel raises division by zero and invalid. */
OP2_KERNEL(raising, (const double *x, double *y),
           { y[0] = (x[0] - x[0]) / (x[0] - x[0]) + 1 / (x[0] - x[0]); });
/* The rest of a quotient after rounding to double shows how long double rounds; the third value is
 * NaN. */
OP2_KERNEL(extended, (const double *x, double *y), {
  const long double quotient = (long double)x[0] / 3;
  y[0] = (double)quotient;
  y[1] = (double)((quotient - y[0]) * 0x1p60L);
  y[2] = (double)((quotient - quotient) / (quotient - quotient));
});

OP2_KERNEL(weighted, (const double *w, const double *x, double *y), { *y = *w / 3 * *x; });

/* A kernel that changes the modes of the thread that it runs on. */
static const char spoiling[] = "extern int feenableexcept(int);\n"
                               "extern int fesetround(int);\n"
                               "static void change(int flush, int shorten) {\n"
                               "#if defined __x86_64__\n"
                               "  const unsigned short control = 0x27f;\n"
                               "  if (flush)\n"
                               "    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);\n"
                               "  if (shorten) __asm__ volatile(\"fldcw %0\" : : \"m\"(control));\n"
                               "#endif\n"
                               "}\n"
                               "void spoil(const int *what, double *x) {\n"
                               "  if (what[0]) feenableexcept(what[0]);\n"
                               "  if (what[1]) fesetround(what[1]);\n"
                               "  change(what[2], what[3]);\n"
                               "  x[0] = 1;\n"
                               "}\n";

/* ---- a cell's program ------------------------------------------------------------------------ */

static op2_context ctx;
static unsigned expected; /* modes that this thread should have when the library returns */

static void look_at_modes(void) {
  char text[120];
  snprintf(text, sizeof text, "the caller's modes are %#x, and were %#x", fp_get(), expected);
  if (fp_get() != expected) complain(text);
  snprintf(text, sizeof text, "flags %#x were raised", (unsigned)fp_flags());
  if (fp_flags()) complain(text);
  fp_clear_flags();
}

static void called(const char *call, op2_status status) {
  now = call;
  if (status) complain(op2_error_message());
  look_at_modes();
}
#define CALL(call) called(#call, call)

static op2_set nodes, edges;
static op2_map map;
static op2_dat x, y, f, g, longs, tiny, tiny_f, flow, spoilt, weight, solution;
static op2_gbl sum, most, norm;
static double tinies[NODES], weights[NODES];
static float tiny_fs[NODES];

static void declare(void) {
  CALL(op2_set_create(ctx, NODES, "nodes", &nodes));
  CALL(op2_set_create(ctx, EDGES, "edges", &edges));
  CALL(op2_map_create(edges, nodes, 2, ends, "ends", &map));
  CALL(op2_dat_create(nodes, 1, OP2_F64, xs, "x", &x));
  CALL(op2_dat_create(nodes, 2, OP2_F64, NULL, "y", &y));
  CALL(op2_dat_create(nodes, 1, OP2_F32, fs, "f", &f));
  CALL(op2_dat_create(nodes, 1, OP2_F32, NULL, "g", &g));
  CALL(op2_dat_create(nodes, 3, OP2_F64, NULL, "longs", &longs));
  CALL(op2_dat_create(nodes, 1, OP2_F64, tinies, "tiny", &tiny));
  CALL(op2_dat_create(nodes, 1, OP2_F32, tiny_fs, "tiny_f", &tiny_f));
  CALL(op2_dat_create(nodes, 1, OP2_F64, NULL, "flow", &flow));
  CALL(op2_dat_create(nodes, 1, OP2_F64, NULL, "spoilt", &spoilt));
  CALL(op2_dat_create(nodes, 1, OP2_F64, weights, "weight", &weight));
  CALL(op2_dat_create(nodes, 1, OP2_F64, NULL, "solution", &solution));
  CALL(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CALL(op2_gbl_create(ctx, 1, OP2_F64, NULL, "most", &most));
  CALL(op2_gbl_create(ctx, 1, OP2_F64, NULL, "norm", &norm));
}

static unsigned given_modes;   /* modes that a function sets; ~0: none */
static unsigned product_modes; /* modes that an operator's function sets; ~0: none */

/* The function that the queue calls; it sees the modes that the program has set. */
static int function(void *data, void *const *values) {
  (void)data;
  add_bits(values[0], sizeof(double) * NODES);
  now = "a function of op2_call()";
  if (fp_get() != expected) complain("it does not get the caller's modes");
  if (fp_flags()) complain("it finds flags that the loops raised");
  if (given_modes != ~0u) fp_set(expected = given_modes);
  return 0;
}

/* Loops and reads inside an operator's function run as all others do, and the modes that it sets
 * are the caller's from then on. */
static op2_status product(void *data, op2_dat in, op2_dat out) {
  static op2_kernel k_weighted;
  static double values[NODES];
  (void)data;
  now = "an operator's function";
  if (fp_get() != expected) complain("it does not get the caller's modes");
  if (fp_flags()) complain("it finds flags that the solver raised");
  if (product_modes != ~0u) fp_set(expected = product_modes);
  fp_clear_flags();
  if (!k_weighted) CALL(op2_kernel_create(ctx, &weighted_kernel, &k_weighted));
  CALL(op2_par_loop(k_weighted, nodes, op2_arg_direct(weight, OP2_READ),
                    op2_arg_direct(in, OP2_READ), op2_arg_direct(out, OP2_WRITE)));
  CALL(op2_call(ctx, function, NULL, op2_arg_direct(out, OP2_READ)));
  CALL(op2_dat_get(out, values));
  add_bits(values, sizeof values);
  return OP2_SUCCESS;
}

static void solve(void) {
  static const op2_solver_options options = {.method = OP2_METHOD_CG,
                                             .preconditioner = OP2_PRECONDITIONER_NONE,
                                             .iterations = 5,
                                             .allow_failure = 1};
  const op2_arg args[] = {op2_arg_direct(weight, OP2_READ)};
  const op2_operator_desc desc = {
      .set = nodes, .dim = 1, .type = OP2_F64, .apply = product, .args = args, .nargs = 1};
  op2_operator op;
  op2_solver solver;
  op2_solve_result result;
  CALL(op2_operator_create(&desc, "weighted", &op));
  CALL(op2_solver_create(ctx, &options, "solver", &solver));
  CALL(op2_solve_operator(solver, op, solution, weight));
  CALL(op2_solver_result(solver, &result));
  add_bits(&result.residual, sizeof result.residual);
}

static void queue_extended(const char *backend) {
  static op2_kernel k_extended;
  if (is_device(backend)) return; /* devices have no long double */
  if (!k_extended) CALL(op2_kernel_create(ctx, &extended_kernel, &k_extended));
  CALL(op2_par_loop(k_extended, nodes, op2_arg_direct(x, OP2_READ),
                    op2_arg_direct(longs, OP2_WRITE)));
}

static void queue_loops(void) {
  static op2_kernel k_guarded, k_rounded, k_halved, k_spread, k_raising;
  if (!k_guarded) {
    CALL(op2_kernel_create(ctx, &guarded_kernel, &k_guarded));
    CALL(op2_kernel_create(ctx, &rounded_kernel, &k_rounded));
    CALL(op2_kernel_create(ctx, &halved_kernel, &k_halved));
    CALL(op2_kernel_create(ctx, &spread_kernel, &k_spread));
    CALL(op2_kernel_create(ctx, &raising_kernel, &k_raising));
  }
  CALL(op2_par_loop(k_guarded, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE)));
  CALL(op2_par_loop(k_rounded, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(f, OP2_READ),
                    op2_arg_direct(y, OP2_RW), op2_arg_direct(g, OP2_WRITE)));
  CALL(op2_par_loop(k_halved, nodes, op2_arg_direct(tiny, OP2_RW), op2_arg_direct(tiny_f, OP2_RW)));
  CALL(op2_par_loop(k_spread, edges, op2_arg_dat(x, 0, map, OP2_READ),
                    op2_arg_dat(x, 1, map, OP2_READ), op2_arg_dat(flow, 0, map, OP2_INC),
                    op2_arg_dat(flow, 1, map, OP2_INC), op2_arg_gbl(sum, OP2_INC),
                    op2_arg_gbl(most, OP2_MAX)));
  CALL(op2_call(ctx, function, NULL, op2_arg_direct(flow, OP2_READ)));
  CALL(op2_dat_axpy(flow, op2_scalar_ratio(most, sum), tiny));
  CALL(op2_dat_norm(tiny, OP2_NORM_2, norm));
  CALL(op2_par_loop(k_raising, nodes, op2_arg_direct(x, OP2_READ),
                    op2_arg_direct(spoilt, OP2_WRITE)));
}

static void look_at_results(void) {
  static const struct {
    op2_dat *dat;
    size_t bytes;
  } dats[] = {{&y, 2 * sizeof(double)},    {&g, sizeof(float)},     {&tiny, sizeof(double)},
              {&tiny_f, sizeof(float)},    {&flow, sizeof(double)}, {&solution, sizeof(double)},
              {&longs, 3 * sizeof(double)}};
  static char values[NODES * 3 * sizeof(double)];
  op2_gbl *const gbls[] = {&sum, &most, &norm};
  for (size_t d = 0; d < sizeof dats / sizeof *dats; d++) {
    CALL(op2_dat_get(*dats[d].dat, values));
    add_bits(values, dats[d].bytes * NODES);
  }
  for (size_t i = 0; i < 3; i++) {
    CALL(op2_gbl_get(*gbls[i], values));
    add_bits(values, sizeof(double));
  }
}

/* The kernels set the modes of whatever threads they run on. */
static void spoil(unsigned modes) {
  static const int traps = 0x1 | 0x4 | 0x8, upward = 0x800, to_zero = 0xc00; /* of x86-64 */
  const int what[4] = {modes & FP_TRAPS ? traps : 0,
                       modes & FP_UPWARD    ? upward
                       : modes & FP_TO_ZERO ? to_zero
                                            : 0,
                       modes & FP_FLUSH ? 1 : 0, modes & FP_SHORT ? 1 : 0};
  const op2_kernel_desc desc = {.name = "spoil", .source = spoiling};
  op2_kernel kernel;
  CALL(op2_kernel_create(ctx, &desc, &kernel));
  CALL(op2_par_loop(kernel, nodes, op2_arg_val(what, 4, OP2_I32),
                    op2_arg_direct(spoilt, OP2_WRITE)));
}

/* Other calls that compute: statistics, descriptions, tolerances, single values of another type. */
static void look_around(void) {
  op2_times times;
  op2_profile profile;
  op2_solver solver;
  op2_solver_options options = {.method = OP2_METHOD_CG};
  FILE *nowhere = fopen("/dev/null", "w");
  const uint64_t nan = 0x7ff8000000000000u;
  CALL(op2_times_get(ctx, &times));
  CALL(op2_profile_get(ctx, 0, &profile));
  CALL(op2_explain(ctx, nowhere));
  CALL(op2_graph_write_dot(ctx, nowhere));
  CALL(op2_environment_write(nowhere));
  CALL(op2_renumber(map));
  memcpy(&options.rtol, &nan, sizeof nan);
  now = "op2_solver_create";
  if (op2_solver_create(ctx, &options, "s", &solver) != OP2_ERR_OPTION)
    complain("NaN is no tolerance");
  look_at_modes();
  fclose(nowhere);
}

static void set_modes(const struct cell *cell, enum when when) {
  if (cell->when != when) return;
  expected = cell->modes;
  fp_set(cell->modes);
}

/* Name the library that changes the modes of the thread that loads it. */
static void name_library(const struct cell *cell, char path[4096]) {
  char modes[16];
  snprintf(path, 4096, "%s/test/libop2-test-fpmodes.so", getenv("OP2_TEST_BUILD"));
  snprintf(modes, sizeof modes, "%u", cell->modes);
  setenv("OP2_TEST_MODES", modes, 1);
}

static void load_plugin(const struct cell *cell) {
  char path[4096];
  name_library(cell, path);
  now = "dlopen";
  if (!dlopen(path, RTLD_NOW)) complain(dlerror());
  expected = cell->modes;
}

/* The library is loaded with the kernel's code. What is queued after this loop, and the library's
 * own arithmetic, still run in the default modes. */
static void link_library(const struct cell *cell) {
  char path[4096];
  const char *const libraries[] = {path, NULL};
  const op2_kernel_desc desc = {.name = "linked",
                                .source = "extern int fpmodes_loaded(void);\n"
                                          "void linked(double *x) { *x = fpmodes_loaded(); }\n",
                                .libraries = libraries};
  op2_kernel kernel;
  name_library(cell, path);
  CALL(op2_kernel_create(ctx, &desc, &kernel));
  CALL(op2_par_loop(kernel, nodes, op2_arg_direct(spoilt, OP2_WRITE)));
}

static void run(const struct cell *cell) {
  const struct config config = {cell->backend, false, 7};
  op2_options options = config_options(&config);
  options.threads = 2;
  setenv("OP2_CHUNK_US", "0", 1); /* every block is a task */
  report->unfit = backend_unfit(cell->backend);
  if (report->unfit) return;
  given_modes = product_modes = ~0u;
  set_modes(cell, BEFORE_INIT);
  fp_clear_flags();
  CALL(op2_init(&options, &ctx));
  set_modes(cell, AFTER_INIT);
  declare();
  if (cell->when == PLUGIN) load_plugin(cell);
  if (cell->when == LIBRARY) link_library(cell);
  if (cell->when == WORKER) spoil(cell->modes);
  if (cell->when == FUNCTION) given_modes = cell->modes;
  if (cell->when == OPERATOR) product_modes = cell->modes;
  for (int time = 0; time < 3; time++) {
    queue_loops();
    queue_extended(cell->backend);
    if (time < 2) CALL(op2_flush(ctx));
  }
  solve();
  look_at_results();
  look_around();
  CALL(op2_finalize(&ctx));
}

/* ---- processes ------------------------------------------------------------------------------- */

static void run_apart(const struct cell *cell) {
  int status = 0;
  memset(report, 0, sizeof *report);
  pid_t child = fork();
  if (child == 0) {
    run(cell);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) exit(2);
  if (WIFSIGNALED(status))
    snprintf(report->problem, sizeof report->problem, "after %s: %s", now ? now : "?",
             strsignal(WTERMSIG(status)));
  else if (status && !*report->problem)
    snprintf(report->problem, sizeof report->problem, "exit status %d", WEXITSTATUS(status));
}

static void fill(void) {
  uint64_t random = 1;
  for (int i = 0; i < NODES; i++) {
    double value = (draw_below(&random, 2000) - 1000) / 7.0;
    xs[i] = i % 5 == 0 ? 0 : i % 11 == 0 ? 1e300 : value;
    fs[i] = (float)(value * 0.1);
    tinies[i] = 1e-310 * (1 + i);
    weights[i] = 1 + 0.01 * (i % 7);
    tiny_fs[i] = 1e-40f * (float)(1 + i);
  }
  for (int e = 0; e < 2 * EDGES; e++) ends[e] = draw_below(&random, NODES);
}

/* A device's generated code has no modes that a kernel could set, and is linked to no library. */
static bool makes_sense(const struct cell *cell) {
#if !defined __x86_64__
  if (cell->when == WORKER) return false; /* the kernel uses this processor's encoding of modes */
#endif
  if (cell->modes & ~fp_possible()) return false;
  if (cell->when == OPERATOR && !thorough() && cell->modes != FP_TRAPS &&
      cell->modes != fp_sets[FP_SETS - 1])
    return false;
  if (!is_device(cell->backend)) return true;
  return cell->when != WORKER && cell->when != LIBRARY && (thorough() || cell->when == BEFORE_INIT);
}

/* What the program computes in the default modes. */
static struct report run_usual(const char *backend, enum when when) {
  const struct cell cell = {backend, when, 0};
  run_apart(&cell);
  if (!report->unfit)
    ok(!*report->problem, "%s, default modes set %s: %s", backend, when_names[when],
       *report->problem ? report->problem : "good");
  return *report;
}

/* Modes set at this time, all of them in turn. */
static void run_times(const char *backend, enum when when, struct report usual) {
  for (int m = 0; m < FP_SETS; m++) {
    const struct cell cell = {backend, when, fp_sets[m]};
    if (!makes_sense(&cell) || (!thorough() && ((int)when + m) % 2 != taken_half())) continue;
    run_apart(&cell);
    ok(!*report->problem && report->values == usual.values && report->bits == usual.bits,
       "%s, %s set %s: %s", backend, fp_name(cell.modes), when_names[when],
       *report->problem             ? report->problem
       : report->bits == usual.bits ? "same bits"
                                    : "other bits");
  }
}

static void run_backend(const char *backend) {
  const struct report usual = run_usual(backend, NEVER);
  if (usual.unfit) {
    skip("%s: it cannot run here", backend);
    return;
  }
  for (int w = BEFORE_INIT; w < WHENS; w++) run_times(backend, (enum when)w, usual);
}

/* Objects that are linked with -ffast-math change the modes of the thread that loads them. */
static void run_fast_math(void) {
  const struct cell cell = {"openmp", NEVER, 0};
  setenv("OP2_CFLAGS", "-O2 -ffast-math", 1);
  run_apart(&cell);
  unsetenv("OP2_CFLAGS");
  if (report->unfit)
    skip("-ffast-math: openmp cannot run here");
  else
    ok(!*report->problem, "OP2_CFLAGS with -ffast-math: %s",
       *report->problem ? report->problem : "the program's modes stay");
}

/* On x87, generated code must also compute in double. */
static void run_on_x87(void) {
#if defined __x86_64__
  struct report usual = {0};
  if (system("${OP2_CC:-cc} -mfpmath=387 -x c -c -o /dev/null /dev/null 2>/dev/null")) {
    skip("-mfpmath=387: the compiler does not know it");
    return;
  }
  setenv("OP2_CFLAGS", "-O2 -mfpmath=387", 1);
  for (int m = -1; m < FP_SETS; m++) {
    const struct cell cell = {"sequential", m < 0 ? NEVER : BEFORE_INIT, m < 0 ? 0 : fp_sets[m]};
    run_apart(&cell);
    if (m < 0) usual = *report;
    ok(!*report->problem && report->values == usual.values && report->bits == usual.bits,
       "OP2_CFLAGS with -mfpmath=387, %s: %s", fp_name(cell.modes),
       *report->problem             ? report->problem
       : report->bits == usual.bits ? "same bits"
                                    : "other bits");
  }
  unsetenv("OP2_CFLAGS");
#else
  skip("-mfpmath=387: this processor has no x87");
#endif
}

int main(void) {
  const char *only = getenv("OP2_TEST_BACKEND");
  test_environment();
  report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (report == MAP_FAILED) return 2;
  fill();
  if (!(fp_possible() & FP_TRAPS)) skip("traps: this processor has none");
  if (!(fp_possible() & FP_FLUSH))
    skip("denormal numbers: how this processor flushes them is not known");
  if (!(fp_possible() & FP_SHORT)) skip("short long doubles: this processor has no x87");
  /* Whether a backend is there is asked in the processes that use it. */
  for (int b = 0; every_backend[b]; b++)
    if (!only || !*only || !strcmp(only, every_backend[b])) run_backend(every_backend[b]);
  run_fast_math();
  run_on_x87();
  return done();
}
