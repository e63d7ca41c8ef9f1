/* SPDX-License-Identifier: BSD-3-Clause */
/* On a machine with several NUMA nodes, pages of large dats are first written on the node of the
 * member that runs the blocks of their rows, and members look for blocks on their own node first.
 * hwloc describes a machine with two nodes of two cores here, and OP2_NUMA=1 takes members for bound
 * to its cores. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "machine.h"
#include "mem.h"
#include "mesh.h"
#include "model/record.h"
#include "numa.h"
#include "op2.h"
#include "tap.h"

enum { ROWS = 1200000, DIM = 2, MEMBERS = 4, MOST_PAGES = 1 << 13 };

static char path[256]; /* of the record */

/* ---- pages that are touched ------------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct touched {
  char *lo, *hi;
  int node, resident; /* resident: pages that had been written before */
} touched[64];
static int ntouched;

/* The last page of data may have other data behind, so it does not count. */
static int resident_pages(char *lo, char *hi) {
  static unsigned char vector[MOST_PAGES];
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), n = (size_t)(hi - lo) / page;
  int resident = 0;
  if (n > MOST_PAGES || mincore(lo, n * page, vector)) return -1;
  for (size_t i = 0; i < n; i++) resident += vector[i] & 1;
  return resident;
}

static void watch(int node, char *lo, char *hi) {
  pthread_mutex_lock(&lock);
  if (ntouched < (int)(sizeof touched / sizeof *touched))
    touched[ntouched++] = (struct touched){lo, hi, node, resident_pages(lo, hi)};
  pthread_mutex_unlock(&lock);
}

static int node_of_page(const char *page) {
  for (int t = 0; t < ntouched; t++)
    if (page >= touched[t].lo && page < touched[t].hi) return touched[t].node;
  return -1;
}

/* ---- a loop ---------------------------------------------------------------------------------- */

static void add_one(const double *x, double *y) {
  y[0] += x[0] + 1;
  y[1] += x[1] - 1;
}
OP2_KERNEL_FUNCTION(add_one, (const double *x, double *y), OP2_ANY_THREADS);

struct objects {
  op2_context ctx;
  op2_set set;
  op2_dat x, y, few;
  op2_kernel kernel;
};

#define DO(call)                                                                                   \
  if ((status = (call)) != OP2_SUCCESS) return status

static op2_status declare(struct objects *o, const char *backend, int64_t rows, const double *x) {
  const op2_options options = {.backend = backend, .threads = MEMBERS};
  op2_status status;
  DO(op2_init(&options, &o->ctx));
  DO(op2_set_create(o->ctx, rows, "rows", &o->set));
  DO(op2_dat_create(o->set, DIM, OP2_F64, x, "x", &o->x));
  DO(op2_dat_create(o->set, DIM, OP2_F64, NULL, "y", &o->y));
  return op2_kernel_create(o->ctx, &add_one_kernel, &o->kernel);
}

static op2_status run(struct objects *o) {
  op2_status status;
  DO(op2_par_loop(o->kernel, o->set, op2_arg_direct(o->x, OP2_READ), op2_arg_direct(o->y, OP2_RW)));
  return op2_flush(o->ctx);
}

static op2_status destroy(struct objects *o) {
  op2_kernel_destroy(&o->kernel);
  op2_dat_destroy(&o->x);
  op2_dat_destroy(&o->y);
  op2_set_destroy(&o->set);
  return op2_finalize(&o->ctx);
}

static double *values(void) {
  double *x = malloc(sizeof *x * DIM * ROWS);
  for (int64_t i = 0; x && i < DIM * ROWS; i++) x[i] = (double)(i % 1000) / 7;
  return x;
}

/* ---- the nodes of rows ----------------------------------------------------------------------- */

/* Count the rows of a dat that are not on the node of the member that has their block. Rows do not
 * count whose huge page may begin in the share of the member before, or whose block may be another
 * member's, as shares of rows are not whole blocks. */
static int64_t rows_elsewhere(const record *r, const char *data, int64_t *seen) {
  const record_run *run = &r->runs[r->nrun - 1];
  const int64_t size = run->steps[0].size, row_bytes = DIM * (int64_t)sizeof(double);
  const int64_t near = size + OP2I_HUGE_PAGE / row_bytes;
  int64_t elsewhere = 0;
  *seen = 0;
  for (int64_t e = 0; e < run->nevent; e++) {
    const record_event *event = &run->events[e];
    if (event->n <= 0) continue;
    const int64_t first = ROWS * event->owner / MEMBERS + near,
                  end = ROWS * (event->owner + 1) / MEMBERS - size;
    for (int64_t row = event->first * size; row < (event->first + event->n) * size; row++) {
      if (row < first || row >= end) continue;
      ++*seen;
      elsewhere += node_of_page(data + row * row_bytes) != event->owner / 2;
    }
  }
  return elsewhere;
}

static void test_rows(void) {
  struct objects o = {0};
  double *x = values();
  record r = {0};
  bench_error error;
  int64_t seen_x = 0, seen_y = 0, wrong_x = 0, wrong_y = 0;
  int resident = 0;
  ntouched = 0;
  setenv("OP2_SCHEDULE", path, 1);
  op2_status status = declare(&o, "openmp", ROWS, x);
  if (!status) status = run(&o);
  ok(status == OP2_SUCCESS && o.ctx->numa && o.ctx->numa->node[1] == 0 && o.ctx->numa->node[2] == 1,
     "members are on two nodes");
  const char *data_x = o.x->values.at[OP2I_HOST], *data_y = o.y->values.at[OP2I_HOST];
  unsetenv("OP2_SCHEDULE");
  is_int(ntouched, 2 * MEMBERS, "both dats are touched, share by share");
  for (int t = 0; t < ntouched; t++) resident += touched[t].resident != 0;
  is_int(resident, 0, "no page of them has been written before");
  status = destroy(&o);
  if (!status && !record_read(path, &r, &error)) {
    wrong_x = rows_elsewhere(&r, data_x, &seen_x);
    wrong_y = rows_elsewhere(&r, data_y, &seen_y);
  }
  ok(seen_x > ROWS / 3 && seen_y > ROWS / 3, "blocks of %d rows are compared", (int)seen_x);
  is_int(wrong_x + wrong_y, 0, "rows are on the node of the member that has their block");
  record_free(&r);
  free(x);
}

/* Values are copied by the calling thread's rules whatever was touched. */
static void test_bits(void) {
  static double results[2][DIM * ROWS];
  double *x = values();
  bool good = true;
  for (int on = 0; on < 2; on++) {
    struct objects o = {0};
    setenv("OP2_NUMA", on ? "1" : "0", 1);
    ntouched = 0;
    op2_status status = declare(&o, "openmp", ROWS, x);
    if (!status) status = run(&o);
    if (!status) status = op2_dat_get(o.y, results[on]);
    good = good && !status && (ntouched > 0) == on && destroy(&o) == OP2_SUCCESS;
  }
  ok(good, "OP2_NUMA=0 leaves pages to the thread that fills them");
  ok(!memcmp(results[0], results[1], sizeof *results), "the results are the same bits");
  free(x);
}

static void test_small(void) {
  struct objects o = {0};
  ntouched = 0;
  const op2_status status = declare(&o, "openmp", 1000, NULL);
  ok(status == OP2_SUCCESS && destroy(&o) == OP2_SUCCESS && ntouched == 0,
     "small dats are not placed");
}

/* A renumbered dat over memory of the program gets memory of its own. */
static void test_renumbered(void) {
  struct objects o = {0};
  op2_map map = NULL;
  op2_dat wrapped = NULL;
  double *x = values();
  int32_t *ring = malloc(2 * sizeof *ring * ROWS);
  for (int32_t i = 0; ring && i < ROWS; i++) {
    ring[2 * i] = (int32_t)((int64_t)i * 7919 % ROWS);
    ring[2 * i + 1] = (int32_t)(((int64_t)i + 1) * 7919 % ROWS);
  }
  op2_status status = declare(&o, "openmp", ROWS, x);
  if (!status) status = op2_map_create(o.set, o.set, 2, ring, "ring", &map);
  if (!status) status = op2_dat_wrap(o.set, DIM, OP2_F64, x, "wrapped", &wrapped);
  ntouched = 0;
  if (!status) status = op2_renumber(map);
  if (status == OP2_ERR_UNAVAILABLE)
    skip("renumbering: %s", op2_error_message());
  else
    ok(status == OP2_SUCCESS && node_of_page(wrapped->values.at[OP2I_HOST]) == 0 &&
           node_of_page((char *)wrapped->values.at[OP2I_HOST] + (DIM * ROWS - 1) * sizeof *x) == 1,
       "renumbering places the memory that it makes");
  op2_dat_destroy(&wrapped);
  op2_map_destroy(&map);
  ok(destroy(&o) == OP2_SUCCESS, "and all ends well");
  free(ring);
  free(x);
}

/* Without OP2_NUMA nothing is placed for members that may run anywhere, whose nodes are not known. */
static void test_unbound(void) {
  struct objects o = {0};
  unsetenv("OP2_NUMA");
  ntouched = 0;
  op2_status status = declare(&o, "openmp", ROWS, NULL);
  ok(!status && !o.ctx->numa && ntouched == 0, "members that are not bound have no node");
  ok(destroy(&o) == OP2_SUCCESS, "and the context ends");
}

/* The machine as it is: with one node nothing is done. This is the child of a process that has not
 * looked at the machine yet. */
static void test_one_node(void) {
  int status = -1;
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    struct objects o = {0};
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("OP2_NUMA");
    const bool made = declare(&o, "openmp", ROWS, NULL) == OP2_SUCCESS;
    const bool several = op2i_machine()->nodes > 1;
    _exit(made && (several || (!o.ctx->numa && ntouched == 0)) ? 0 : 1);
  }
  ok(waitpid(pid, &status, 0) == pid && status == 0, "with one node nothing is done");
}

/* ---- where members look for blocks ------------------------------------------------------------ */

static void doze(const double *ms, double *x) {
  const long ns = (long)(1e6 * *ms);
  if (ns > 0) nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
  *x += 1;
}
OP2_KERNEL_FUNCTION(doze, (const double *ms, double *x), OP2_ANY_THREADS);

enum { SLEEPERS = 16384, BLOCKS = 16 };

/* Member 1 is soon done, and the others have blocks left. Returns whose blocks it takes first, or
 * -1. */
static int first_stolen(const char *numa) {
  static double ms[SLEEPERS];
  const op2_options options = {
      .backend = "openmp", .threads = MEMBERS, .block_size = SLEEPERS / BLOCKS};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat time = NULL, x = NULL;
  op2_kernel kernel = NULL;
  record r = {0};
  bench_error error;
  int owner = -1;
  for (int b = 0; b < BLOCKS; b++) ms[b * (SLEEPERS / BLOCKS)] = b / 4 == 1 ? 5 : 60;
  setenv("OP2_NUMA", numa, 1);
  setenv("OP2_SCHEDULE", path, 1);
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, SLEEPERS, "elements", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, ms, "ms", &time);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_kernel_create(ctx, &doze_kernel, &kernel);
  if (!status)
    status = op2_par_loop(kernel, set, op2_arg_direct(time, OP2_READ), op2_arg_direct(x, OP2_RW));
  if (!status) status = op2_flush(ctx);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&time);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx) || status || record_read(path, &r, &error)) return -1;
  const record_run *run = &r.runs[r.nrun - 1];
  int64_t when = INT64_MAX;
  for (int64_t e = 0; e < run->nevent; e++) {
    const record_event *event = &run->events[e];
    if (event->n <= 0 || event->member != 1 || event->owner == 1 || event->begin > when) continue;
    when = event->begin;
    owner = event->owner;
  }
  record_free(&r);
  unsetenv("OP2_SCHEDULE");
  return owner;
}

/* The machine may be busy, so this is tried several times. */
static void steals_from(const char *numa, int wanted, const char *name) {
  int got = -1;
  for (int i = 0; i < 6 && got != wanted; i++) got = first_stolen(numa);
  is_int(got, wanted, "%s", name);
}

int main(void) {
  snprintf(path, sizeof path, "%.200s/op2-numa-XXXXXX", P_tmpdir);
  const int file = mkstemp(path);
  if (op2_backend_unavailable("openmp") || file < 0) {
    skip("there is no OpenMP, or no file can be made in %s", P_tmpdir);
    return done();
  }
  close(file);
  unsetenv("OP2_SHADOW"); /* loops would work in other memory */
  op2i_numa_watch = watch;
  test_one_node();
  setenv("HWLOC_SYNTHETIC", "numa:2 core:2 pu:1", 1);
  setenv("OP2_NUMA", "1", 1);
  if (op2i_machine()->nodes != 2) {
    skip("hwloc is not there, or does not describe machines");
  } else {
    test_rows();
    test_small();
    test_renumbered();
    test_bits();
    steals_from("1", 0, "members take blocks from members of their own node first");
    steals_from("0", 2, "with OP2_NUMA=0 from the next member");
    test_unbound();
  }
  unlink(path);
  return done();
}
