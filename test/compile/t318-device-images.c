/* SPDX-License-Identifier: BSD-3-Clause */
/* Code on a device is unloaded with the kernels that it was made of, like code on the host: if many
 * are made, run and destroyed, the number of functions loaded on the device stops growing. Code in
 * use works as before, and so do kernels that are made again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "jit_state.h"
#include "support.h"

enum { N = 500, KEPT = 4000 };

/* ---- programs -------------------------------------------------------------------------------- */

static op2_status make_kernel(op2_context ctx, int number, op2_kernel *kernel) {
  char source[128];
  snprintf(source, sizeof source, "void add(double *a) { *a += %d; }\n", number);
  return op2_kernel_create(ctx, &(op2_kernel_desc){.name = "add", .source = source}, kernel);
}

static bool run(op2_kernel kernel, op2_set set, int number) {
  double values[N];
  op2_dat x = NULL;
  bool good = !op2_dat_create(set, 1, OP2_F64, NULL, "x", &x) &&
              !op2_par_loop(kernel, set, op2_arg_direct(x, OP2_RW)) && !op2_dat_get(x, values);
  for (int i = 0; i < N && good; i++) good = values[i] == number;
  op2_dat_destroy(&x);
  return good;
}

static bool make_run_and_destroy(op2_context ctx, op2_set set, int number) {
  op2_kernel kernel = NULL;
  bool good = !make_kernel(ctx, number, &kernel) && run(kernel, set, number);
  if (!good) diag("kernel %d: %s", number, op2_error_message());
  op2_kernel_destroy(&kernel);
  return good;
}

/* Some kernels fill the caches of objects that the library keeps for later reuse. A device's
 * compiler takes a second for each, so the library keeps fewer in quick runs. */
static void test_growth(op2_context ctx, op2_set set, const char *backend) {
  const struct op2i_device_counts *counts = &ctx->device->counts;
  if (quick()) ctx->jit->idle_most = 5;
  const int filling = (int)ctx->jit->idle_most + 2, kernels = filling + (quick() ? 10 : 34);
  int64_t filled = 0;
  int good = 0;
  for (int k = 1; k <= kernels; k++) {
    good += make_run_and_destroy(ctx, set, k);
    if (k == filling) filled = counts->functions;
  }
  is_int(good, kernels, "%s: %d kernels compute what they should", backend, kernels);
  ok(counts->launches >= kernels && counts->host_runs == 0 && filled > 0,
     "%s: on the device, by %d functions after %d kernels", backend, (int)filled, filling);
  ok(counts->functions <= filled + 2, "%s: and by %d after all", backend, (int)counts->functions);
}

static void test_backend(const char *backend) {
  op2_context ctx = NULL;
  op2_kernel kept = NULL;
  op2_set set = NULL;
  const op2_options options = {.backend = backend, .cache_dir = test_cache()};
  if (!CHECK(op2_init(&options, &ctx))) return;
  ok(!op2_set_create(ctx, N, "set", &set) && !make_kernel(ctx, KEPT, &kept) && run(kept, set, KEPT),
     "%s: a kernel that stays", backend);
  test_growth(ctx, set, backend);
  ok(run(kept, set, KEPT), "%s: the kernel that stays works as before", backend);
  ok(make_run_and_destroy(ctx, set, 1), "%s: so does one that comes again", backend);
  op2_kernel_destroy(&kept);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend(device_backends, &b));) test_backend(backend);
  return done();
}
