/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_case.h"

#include <stdio.h>
#include <string.h>

#include "context.h"
#include "init.h"
#include "jit.h"
#include "op2.h"

enum { LOOPS = 6 }; /* one of them is queued after the others */

const char *const code_hows[CODE_HOWS] = {"a folder of all ranks", "the same again",
                                          "folders of their own",  "no folder",
                                          "flags of their own",    "a rank without a compiler",
                                          "a kernel with a fault"};

struct rank {
  const struct code_scene *scene;
  op2_context ctx;
  op2_set cells;
  op2_dat x;
  op2_kernel kernels[LOOPS];
  int size, rank;
};

static op2_status begin(struct rank *r, const struct code_scene *scene, struct op2i_comm *comm) {
  char folder[400];
  bool last = comm->rank == comm->size - 1;
  op2_options options = {.backend = scene->backend, .cache_dir = folder, .threads = 1};
  *r = (struct rank){.scene = scene, .size = comm->size, .rank = comm->rank};
  int owner = scene->how == CODE_OWN_FOLDER ? comm->rank : -1;
  int kind = scene->how == CODE_AGAIN ? CODE_ONE_FOLDER : (int)scene->how;
  snprintf(folder, sizeof folder, "%s/%s-%d-%d-%d", scene->folder, scene->backend, comm->size, kind,
           owner);
  if (scene->how == CODE_NO_FOLDER) options.cache_dir = "/dev/null/none";
  if (scene->how == CODE_OWN_FLAGS && last) options.cc = "cc -O1";
  if (scene->how == CODE_NO_COMPILER && last) options.cc = "false";
  op2_status status = op2i_init_ranks(&options, comm, &r->ctx);
  if (status) return status;
  r->ctx->config.log_level = 0; /* no warning about the missing folder */
  r->ctx->config.eager = 0;
  status = op2_set_create(r->ctx, 3, "cells", &r->cells);
  if (!status) status = op2_dat_create(r->cells, 1, OP2_I64, NULL, "x", &r->x);
  for (int k = 0; k < LOOPS && !status; k++) {
    char name[20], source[100];
    const char *fault = scene->how == CODE_BAD_KERNEL && k == LOOPS / 2 ? "nonsense" : "";
    snprintf(name, sizeof name, "k%d", k);
    snprintf(source, sizeof source, "void k%d(long *x) { *x = 2 * *x + %d %s; }", k, k, fault);
    const op2_kernel_desc desc = {.name = name, .source = source};
    status = op2_kernel_create(r->ctx, &desc, &r->kernels[k]);
  }
  return status;
}

static int64_t expected(void) {
  int64_t x = 0;
  for (int k = 0; k < LOOPS; k++) x = 2 * x + k;
  return x;
}

static int say(const struct rank *r, const char *what) {
  fprintf(stderr, "# rank %d: %s: %s\n", r->rank, what, op2_error_message());
  return 1;
}

/* Run all loops but the last in one flush and the last one in another. */
static op2_status run(const struct rank *r, int64_t *x) {
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < LOOPS && !status; k++) {
    if (k == LOOPS - 1) status = op2_flush(r->ctx);
    if (!status) status = op2_par_loop(r->kernels[k], r->cells, op2_arg_direct(r->x, OP2_RW));
  }
  return status ? status : op2_dat_get(r->x, x);
}

static int is(const struct rank *r, int64_t got, int64_t want, const char *what) {
  if (got == want) return 0;
  fprintf(stderr, "# rank %d: %d %s, not %d\n", r->rank, (int)got, what, (int)want);
  return 1;
}

/* The number of loops that all ranks compile together. A last rank with flags of its own compiles
 * every loop; the other ranks also compile every loop once, and each of them compiles again the
 * share that the last rank would have compiled for it. */
static int64_t expected_runs(const struct rank *r) {
  int64_t n = r->size, share = (LOOPS - 1) / n;
  switch (r->scene->how) {
  case CODE_ONE_FOLDER: return LOOPS;
  case CODE_OWN_FOLDER:
  case CODE_NO_FOLDER: return n * LOOPS;
  case CODE_OWN_FLAGS: return n == 1 ? LOOPS : LOOPS + LOOPS - share + (n - 1) * share;
  default: return 0;
  }
}

/* Compare the numbers of loops that the ranks have compiled and failed to compile with the expected
 * ones; returns the number of differences. */
static int count(const struct rank *r) {
  struct op2i_jit_stats stats;
  op2i_jit_statistics(r->ctx, &stats);
  int64_t sums[2] = {stats.compiled, stats.failed};
  if (op2i_comm_sum(r->ctx->comm, 2, sums)) return say(r, "to sum up");
  if (r->scene->how == CODE_NO_COMPILER) return 0;
  if (r->scene->how == CODE_BAD_KERNEL) return is(r, sums[1], 1, "loops failed");
  int wrong = is(r, sums[0], expected_runs(r), "loops were compiled by all");
  wrong += is(r, stats.compiled + stats.disk_hits, LOOPS, "loops were compiled or loaded");
  return wrong + is(r, sums[1], 0, "loops failed");
}

static int told(const struct rank *r, op2_status status) {
  char name[40];
  const char *said = op2_error_message(), *at;
  bool missing = r->scene->how == CODE_NO_COMPILER;
  snprintf(name, sizeof name, "rank %d of %d: ", r->size - 1, r->size);
  if (!missing) name[5] = '\0'; /* any rank */
  at = strstr(said, name);
  if (status != OP2_ERR_COMPILE || !at || strstr(at + 1, name))
    return say(r, "a message with one rank");
  return strstr(said, missing ? "false" : "nonsense") ? 0 : say(r, "a message with the cause");
}

int code_rank(struct op2i_comm *comm, void *data) {
  struct rank r;
  int wrong = 0;
  int64_t x[3] = {-1, -1, -1};
  if (begin(&r, data, comm)) return say(&r, "to begin");
  bool fails = r.scene->how == CODE_NO_COMPILER || r.scene->how == CODE_BAD_KERNEL;
  op2_status status = run(&r, x);
  if (fails)
    wrong += told(&r, status);
  else if (status || x[0] != expected() || x[2] != expected())
    wrong += say(&r, "to run");
  wrong += count(&r);
  for (int k = 0; k < LOOPS; k++) op2_kernel_destroy(&r.kernels[k]);
  op2_dat_destroy(&r.x);
  op2_set_destroy(&r.cells);
  status = op2_finalize(&r.ctx);
  return wrong + (!fails && status ? say(&r, "to end") : 0);
}
