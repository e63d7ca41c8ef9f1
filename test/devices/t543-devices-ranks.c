/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that each have a device, alone or beside workers: halo rows are packed and unpacked there,
 * and only they are copied between device and host while loops run; values that the host has
 * changed are copied from the host. The mesh is a row of cells with edges between them, cut in
 * two. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "emulation_names.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

enum { HALF = ROW_CELLS / 2, EDGES = ROW_CELLS - 1, RANKS = 2, STEPS = 4 };

OP2_KERNEL(turn, (double *x, int8_t *c), {
  x[0] += 1;
  x[1] = 0.5 * x[1] + x[0];
  for (int k = 0; k < 3; k++) c[k] = (int8_t)((c[k] + k + 1) % 100);
});
OP2_KERNEL(feel,
           (const double *xa, const double *xb, const int8_t *ca, const int8_t *cb, double *f),
           { *f = xa[1] + 2 * xb[0] + ca[2] - cb[0]; });
OP2_KERNEL(give, (const double *f, double *xa, double *xb), {
  xa[0] += 0.25 * *f;
  xb[0] -= 0.25 * *f;
});

/* ---- reference in one context without ranks -------------------------------------------------- */

struct whole {
  double x[ROW_CELLS][2], f[EDGES];
  int8_t c[ROW_CELLS][3];
};

static void whole_step(struct whole *w) {
  for (int i = 0; i < ROW_CELLS; i++) {
    w->x[i][0] += 1;
    w->x[i][1] = 0.5 * w->x[i][1] + w->x[i][0];
    for (int k = 0; k < 3; k++) w->c[i][k] = (int8_t)((w->c[i][k] + k + 1) % 100);
  }
  for (int e = 0; e < EDGES; e++)
    w->f[e] = w->x[e][1] + 2 * w->x[e + 1][0] + w->c[e][2] - w->c[e + 1][0];
  for (int e = 0; e < EDGES; e++) {
    w->x[e][0] += 0.25 * w->f[e];
    w->x[e + 1][0] -= 0.25 * w->f[e];
  }
}

/* The host reads all of x and changes some of it. */
static void whole_edit(struct whole *w) {
  for (int i = 0; i < ROW_CELLS; i++) w->x[i][1] += i;
}

/* ---- the same on a rank ---------------------------------------------------------------------- */

struct mine {
  struct row row;
  op2_dat x, c, f;
  op2_kernel turn, feel, give;
};

static op2_status begin(struct mine *m, struct op2i_comm *comm, const char *backend) {
  op2_status status = row_begin(&m->row, comm, backend);
  op2_context ctx = m->row.ctx;
  if (!status) status = op2_dat_create(m->row.cells, 2, OP2_F64, NULL, "x", &m->x);
  if (!status) status = op2_dat_create(m->row.cells, 3, OP2_I8, NULL, "c", &m->c);
  if (!status) status = op2_dat_create(m->row.edges, 1, OP2_F64, NULL, "f", &m->f);
  if (!status) status = op2_kernel_create(ctx, &turn_kernel, &m->turn);
  if (!status) status = op2_kernel_create(ctx, &feel_kernel, &m->feel);
  if (!status) status = op2_kernel_create(ctx, &give_kernel, &m->give);
  return status;
}

static op2_status end(struct mine *m) {
  op2_kernel_destroy(&m->turn);
  op2_kernel_destroy(&m->feel);
  op2_kernel_destroy(&m->give);
  op2_dat_destroy(&m->x);
  op2_dat_destroy(&m->c);
  op2_dat_destroy(&m->f);
  return row_end(&m->row);
}

static op2_status step(struct mine *m) {
  const struct row *w = &m->row;
  op2_status status =
      op2_par_loop(m->turn, w->cells, op2_arg_direct(m->x, OP2_RW), op2_arg_direct(m->c, OP2_RW));
  if (!status)
    status = op2_par_loop(m->feel, w->edges, op2_arg_dat(m->x, 0, w->ends, OP2_READ),
                          op2_arg_dat(m->x, 1, w->ends, OP2_READ),
                          op2_arg_dat(m->c, 0, w->ends, OP2_READ),
                          op2_arg_dat(m->c, 1, w->ends, OP2_READ), op2_arg_direct(m->f, OP2_WRITE));
  if (!status)
    status = op2_par_loop(m->give, w->edges, op2_arg_direct(m->f, OP2_READ),
                          op2_arg_dat(m->x, 0, w->ends, OP2_INC),
                          op2_arg_dat(m->x, 1, w->ends, OP2_INC));
  return status ? status : op2_flush(w->ctx);
}

static op2_status edit(struct mine *m) {
  double x[HALF][2];
  op2_status status = op2_dat_get(m->x, x);
  for (int i = 0; i < HALF && !status; i++) x[i][1] += m->row.comm->rank * HALF + i;
  return status ? status : op2_dat_set(m->x, x);
}

static int compare(struct mine *m, const struct whole *whole) {
  double x[HALF][2];
  int8_t c[HALF][3];
  int first = m->row.comm->rank * HALF;
  if (op2_dat_get(m->x, x) || op2_dat_get(m->c, c)) return 1;
  return memcmp(x, whole->x[first], sizeof x) != 0 || memcmp(c, whole->c[first], sizeof c) != 0;
}

/* Transfers and messages of a rank in the steps that are counted. */
struct moved {
  struct op2i_device_counts device;
  int64_t exchanges, bytes;
};
struct told {
  const char *backend;
  struct moved moved[RANKS];
  int64_t reduced[RANKS]; /* bytes copied from the device for a sum */
};

static struct moved now(const struct mine *m) {
  return (struct moved){m->row.ctx->device->counts, m->row.comm->exchanges, m->row.comm->bytes};
}

static struct moved since(const struct mine *m, struct moved then) {
  struct moved moved = now(m);
  moved.device.puts -= then.device.puts;
  moved.device.put_bytes -= then.device.put_bytes;
  moved.device.gets -= then.device.gets;
  moved.device.get_bytes -= then.device.get_bytes;
  moved.device.launches -= then.device.launches;
  moved.exchanges -= then.exchanges;
  moved.bytes -= then.bytes;
  return moved;
}

/* The sum over all ranks; *bytes is what this rank copied from its device for it. */
static op2_status add_up(struct mine *m, int64_t *bytes, int *wrong) {
  int64_t sum = 0;
  op2_status status = row_put(&m->row, m->row.a);
  if (!status) status = op2_flush(m->row.ctx);
  int64_t before = m->row.ctx->device->counts.get_bytes;
  if (!status) status = row_total(&m->row, m->row.a);
  if (!status) status = op2_gbl_get(m->row.sum, &sum);
  *bytes = m->row.ctx->device->counts.get_bytes - before;
  *wrong += !status && sum != 5 * ROW_CELLS;
  return status;
}

/* From the second step on everything is on the device; then the host reads and changes values
 * between steps. */
static int rank(struct op2i_comm *comm, void *data) {
  struct told *told = data;
  struct whole *whole = calloc(1, sizeof *whole);
  struct mine m;
  int wrong = 0;
  op2_status status = whole ? begin(&m, comm, told->backend) : OP2_ERR_NOMEM;
  for (int s = 0; s < 2 && !status; s++) {
    whole_step(whole);
    status = step(&m);
  }
  struct moved before = status ? (struct moved){0} : now(&m);
  for (int s = 0; s < STEPS && !status; s++) {
    whole_step(whole);
    status = step(&m);
  }
  if (!status) told->moved[comm->rank] = since(&m, before);
  if (!status) wrong += compare(&m, whole);
  for (int s = 0; s < 3 && !status; s++) {
    whole_edit(whole);
    status = edit(&m);
    whole_step(whole);
    if (!status) status = step(&m);
  }
  if (!status) wrong += 10 * compare(&m, whole);
  if (!status) status = add_up(&m, &told->reduced[comm->rank], &wrong);
  if (status) fprintf(stderr, "# %s\n", op2_error_message());
  if (wrong) fprintf(stderr, "# rank %d: wrong values (%d)\n", comm->rank, wrong);
  free(whole);
  return wrong + (status != OP2_SUCCESS) + (end(&m) != OP2_SUCCESS);
}

static void steps_on(const char *backend) {
  struct told told = {.backend = backend};
  ok(run_contexts(RANKS, rank, &told) == 0,
     "%s: two ranks get what one gets, also where the host comes in between", backend);
  for (int r = 0; r < RANKS; r++) {
    const struct moved *own = &told.moved[r], *other = &told.moved[1 - r];
    ok(own->exchanges > 0 && own->bytes > 0 && own->device.launches >= 3 * STEPS,
       "%s, rank %d: it runs loops on its device and sends halos", backend, r);
    ok(own->device.get_bytes == own->bytes && own->device.gets <= own->exchanges,
       "%s, rank %d: from the device come the %d bytes that are sent, and %d are", backend, r,
       (int)own->bytes, (int)own->device.get_bytes);
    ok(own->device.put_bytes == other->bytes && own->device.puts <= own->exchanges,
       "%s, rank %d: to the device go the %d bytes that arrive, and %d do", backend, r,
       (int)other->bytes, (int)own->device.put_bytes);
    is_int(told.reduced[r], 8, "%s, rank %d: of a sum one value comes from the device", backend, r);
  }
}

/* The emulation's memory is the host's, so any message may be there. Nothing goes by way of the host. */
static void direct(const char *backend, const char *places) {
  struct told told = {.backend = backend};
  setenv("OP2_DEVICE_MPI", "1", 1);
  if (places) setenv("OP2_PLACE", places, 1);
  ok(run_contexts(RANKS, rank, &told) == 0, "%s%s%s: messages from device to device, right values",
     backend, places ? ", OP2_PLACE=" : "", places ? places : "");
  for (int r = 0; r < RANKS && (!places || !strcmp(places, "*:device")); r++) {
    const struct moved *own = &told.moved[r];
    ok(own->exchanges > 0 && own->bytes > 0 && own->device.get_bytes == 0 &&
           own->device.put_bytes == 0,
       "rank %d: %d bytes are sent, %d come from the device, %d go there", r, (int)own->bytes,
       (int)own->device.get_bytes, (int)own->device.put_bytes);
  }
  unsetenv("OP2_PLACE");
  unsetenv("OP2_DEVICE_MPI");
}

/* Beside StarPU's workers: all loops on a device, or some of them. Rows come from where they are. */
static void beside(const char *places) {
  struct told told = {.backend = "starpu"};
  int64_t launches = 0;
  setenv("OP2_PLACE", places, 1);
  ok(run_contexts(RANKS, rank, &told) == 0, "starpu, OP2_PLACE=%s: ranks get what one gets",
     places);
  for (int r = 0; r < RANKS; r++) launches += told.moved[r].device.launches;
  ok(launches > 0 && told.moved[0].exchanges > 0, "and run loops on devices");
  unsetenv("OP2_PLACE");
}

/* True if the test's device is an emulated one. */
static bool emulated(void) {
  void *driver = dlopen(emulation_driver(), RTLD_NOW | RTLD_LOCAL);
  const bool found = driver && dlsym(driver, "op2_emulation_count");
  if (driver) dlclose(driver);
  return found && getenv("OP2_TEST_BACKEND");
}

int main(void) {
  const char *backend;
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  for (int b = 0; (backend = next_backend(device_backends, &b));) {
    steps_on(backend);
    if (emulated()) direct(backend, NULL);
  }
  for (int b = 0; (backend = next_backend(device_backends, &b));)
    if (!op2_backend_unavailable("starpu")) {
      beside("*:device");
      beside("turn:cpu,*:device");
      beside("*:random=3");
      if (!emulated()) break;
      direct("starpu", "*:device");
      direct("starpu", "turn:cpu,*:device");
      direct("starpu", "*:random=3");
      break;
    }
  return done();
}
