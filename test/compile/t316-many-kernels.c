/* SPDX-License-Identifier: BSD-3-Clause */
/* A process does not grow with every kernel that is made and destroyed, along with sets, maps and
 * dats: neither its memory nor its number of mappings. Objects that still exist go on working. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { N = 1000, KEPT = 4000 };

static int32_t ends[2 * N];
static double values[N];

/* ---- memory and mappings of the process ------------------------------------------------------ */

static long resident_kb(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Mappings of compiled loops: files in memory, or private files where there are none. */
static int count_mappings(void) {
  char line[4096];
  int n = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  while (file && fgets(line, sizeof line, file))
    n += strstr(line, "/memfd:op2-") || strstr(line, "op2-scratch-");
  if (file) fclose(file);
  return n;
}

/* ---- programs -------------------------------------------------------------------------------- */

struct mesh {
  op2_set nodes, edges;
  op2_map ends;
  op2_dat x;
};

static bool make_mesh(op2_context ctx, struct mesh *mesh) {
  return !op2_set_create(ctx, N, "nodes", &mesh->nodes) &&
         !op2_set_create(ctx, N, "edges", &mesh->edges) &&
         !op2_map_create(mesh->edges, mesh->nodes, 2, ends, "ends", &mesh->ends) &&
         !op2_dat_create(mesh->nodes, 1, OP2_F64, NULL, "x", &mesh->x);
}

static void free_mesh(struct mesh *mesh) {
  op2_dat_destroy(&mesh->x);
  op2_map_destroy(&mesh->ends);
  op2_set_destroy(&mesh->edges);
  op2_set_destroy(&mesh->nodes);
}

static op2_status make_kernel(op2_context ctx, int number, op2_kernel *kernel) {
  char source[128];
  snprintf(source, sizeof source, "void add(double *a, double *b) { *a += %d; *b += %d; }\n",
           number, 2 * number);
  return op2_kernel_create(ctx, &(op2_kernel_desc){.name = "add", .source = source}, kernel);
}

/* Edge e adds to the nodes e and e + 1: three times its number to each node. */
static bool run(op2_kernel kernel, const struct mesh *mesh, int number, int times) {
  if (op2_par_loop(kernel, mesh->edges, op2_arg_dat(mesh->x, 0, mesh->ends, OP2_INC),
                   op2_arg_dat(mesh->x, 1, mesh->ends, OP2_INC)) ||
      op2_dat_get(mesh->x, values))
    return false;
  int good = 0;
  for (int i = 0; i < N; i++) good += values[i] == 3.0 * number * times;
  return good == N;
}

static bool make_run_and_destroy(op2_context ctx, int number) {
  struct mesh mesh = {0};
  op2_kernel kernel = NULL;
  bool good =
      make_mesh(ctx, &mesh) && !make_kernel(ctx, number, &kernel) && run(kernel, &mesh, number, 1);
  if (!good) diag("kernel %d: %s", number, op2_error_message());
  op2_kernel_destroy(&kernel);
  free_mesh(&mesh);
  return good;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* The first half of the kernels fills the caches of objects that the library keeps for later
 * reuse. */
static void test_growth(op2_context ctx, const char *backend, int kernels) {
  int good = 0, half_mappings = 0;
  long half_kb = 0;
  for (int k = 1; k <= kernels; k++) {
    good += make_run_and_destroy(ctx, k);
    if (k != kernels / 2) continue;
    half_mappings = count_mappings();
    half_kb = resident_kb();
  }
  is_int(good, kernels, "%s: %d kernels compute what they should", backend, kernels);
  int mappings = count_mappings() - half_mappings;
  long kb = resident_kb() - half_kb;
  ok(half_mappings > 0, "%s: %d mappings of compiled loops are seen", backend, half_mappings);
  ok(mappings <= 16, "%s: the second half of them leaves %d more mappings", backend, mappings);
  if (SANITIZED)
    skip("%s: a sanitizer keeps memory that was freed", backend);
  else
    ok(kb <= 6 * kernels, "%s: and %ld kB of memory", backend, kb);
}

static void test_backend(const char *backend, int kernels) {
  op2_context ctx = NULL;
  op2_kernel kept = NULL;
  struct mesh mesh = {0};
  const op2_options options = {
      .backend = backend, .threads = 2, .cflags = "-O0", .cache_dir = test_cache()};
  if (!CHECK(op2_init(&options, &ctx))) return;
  ok(make_mesh(ctx, &mesh) && !make_kernel(ctx, KEPT, &kept) && run(kept, &mesh, KEPT, 1),
     "%s: a kernel that stays", backend);
  test_growth(ctx, backend, kernels);
  ok(run(kept, &mesh, KEPT, 2), "%s: the kernel that stays works as before", backend);
  ok(make_run_and_destroy(ctx, 1), "%s: so does one that comes again", backend);
  op2_kernel_destroy(&kept);
  free_mesh(&mesh);
  CHECK(op2_finalize(&ctx));
}

int main(void) {
  static const char *const backends[] = {"starpu", "openmp", "sequential", "check"};
  test_environment();
  for (int i = 0; i < N; i++) {
    ends[2 * i] = i;
    ends[2 * i + 1] = (i + 1) % N;
  }
  bool any = false;
  for (int b = 0; b < 4 && (!any || thorough()); b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why && thorough()) skip("%s: %s", backends[b], why);
    if (why) continue;
    any = true;
    test_backend(backends[b], thorough() ? 2000 : 160);
  }
  return done();
}
