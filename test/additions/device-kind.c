/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a loop on the kind of device that device-kind.patch adds: by its backend, and beside starpu
 * by OP2_PLACE; and prints code for it. Ends with 77 where there is no OpenCL. */
#include <stdlib.h>
#include <string.h>

#include "addition.h"

enum { N = 1000 };

OP2_KERNEL(spread, (const double *x, double *left, double *right), {
  *left += *x;
  *right -= 2 * *x;
});

static int run(const char *backend) {
  int32_t ends[2 * N];
  double x[N], sums[N + 1];
  op2_context ctx;
  op2_set edges, nodes;
  op2_map map;
  op2_dat value, sum;
  op2_kernel kernel;
  op2_loop loop;
  op2_device_stats stats;
  const char *source;
  for (int i = 0; i < N; i++) {
    ends[2 * i] = i;
    ends[2 * i + 1] = i + 1;
    x[i] = i % 13;
  }
  DO(op2_init(&(op2_options){.backend = backend}, &ctx));
  DO(op2_set_create(ctx, N, "edges", &edges));
  DO(op2_set_create(ctx, N + 1, "nodes", &nodes));
  DO(op2_map_create(edges, nodes, 2, ends, "ends", &map));
  DO(op2_dat_create(edges, 1, OP2_F64, x, "x", &value));
  DO(op2_dat_create(nodes, 1, OP2_F64, NULL, "sum", &sum));
  DO(op2_kernel_create(ctx, &spread_kernel, &kernel));
  DO(op2_loop_create(&loop, kernel, edges, op2_arg_direct(value, OP2_READ),
                     op2_arg_dat(sum, 0, map, OP2_INC), op2_arg_dat(sum, 1, map, OP2_INC)));
  DO(op2_loop_enqueue(loop));
  DO(op2_dat_get(sum, sums));
  for (int i = 0; i <= N; i++)
    if (sums[i] != (i < N ? x[i] : 0) - (i > 0 ? 2 * x[i - 1] : 0)) return 2;
  DO(op2_device_stats_get(ctx, &stats));
  if (stats.launches < 1 || stats.host_loops) return 3;
  DO(op2_loop_generate(loop, "pocl", &source));
  if (!strstr(source, "__kernel")) return 4;
  op2_loop_destroy(&loop);
  return op2_finalize(&ctx) ? 5 : 0;
}

int main(void) {
  const char *missing = op2_backend_unavailable("opencl");
  if (missing) {
    fprintf(stderr, "%s\n", missing);
    return 77;
  }
  int bad = run("pocl");
  if (bad) return bad;
  if (op2_backend_unavailable("starpu")) return 0;
  setenv("OP2_PLACE", "*:pocl", 1);
  bad = run("starpu");
  return bad ? 10 + bad : 0;
}
