/* SPDX-License-Identifier: BSD-3-Clause */
/* Which device each rank of a node takes, over MPI on emulated devices: run by t543-devices-mpi.sh with four
 * processes, of which the first one reports. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "device.h"
#include "emulation/driver.h"
#include "emulation_names.h"
#include "op2/mpi.h"
#include "support.h"

enum { RANKS = 4, TEXT = 64 };

static int world;
static int64_t (*launches)(int device);

/* Ranks 0 to n - 1 of the world have a context. Lists of devices have an entry for each of them. */
struct choice {
  const char *what;
  int n;
  const char *devices, *visible, *which;
  int expected[RANKS];
};

static const struct choice choices[] = {
    {"one device, one rank", 1, "devices=1", NULL, NULL, {0}},
    {"one device, four ranks", 4, "devices=1", NULL, NULL, {0, 0, 0, 0}},
    {"two devices, two ranks", 2, "devices=2", NULL, NULL, {0, 1}},
    {"two devices, three ranks", 3, "devices=2", NULL, NULL, {0, 1, 0}},
    {"three devices, one rank", 1, "devices=3", NULL, NULL, {0}},
    {"three devices, two ranks", 2, "devices=3", NULL, NULL, {0, 1}},
    {"three devices, four ranks", 4, "devices=3", NULL, NULL, {0, 1, 2, 0}},
    {"OP2_DEVICE=2", 3, "devices=3", NULL, "2", {2, 2, 2}},
    {"OP2_DEVICE=1,2", 4, "devices=3", NULL, "1,2", {1, 2, 1, 2}},
    {"OP2_DEVICE=2,0,0", 4, "devices=3", NULL, "2,0,0", {2, 0, 0, 2}},
    {"OP2_DEVICE by names", 2, "devices=3", NULL, " 2,emulation", {2, 0}},
    {"two of three devices are visible", 3, "devices=3", "2,1", NULL, {2, 1, 2}},
    {"OP2_DEVICE=1 of visible ones", 2, "devices=3", "2,0", "1", {0, 0}},
    {"each rank sees one device", 4, "devices=3", "rank", NULL, {0, 1, 2, 0}},
};
enum { CHOICES = sizeof choices / sizeof *choices };

OP2_KERNEL(add, (const double *x, double *sum), { *sum += *x; });

/* A loop runs on the device. */
static bool compute(op2_context ctx) {
  const double values[3] = {1, 2, 3};
  double sum = 0;
  int size;
  MPI_Comm comm;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_gbl total = NULL;
  op2_kernel kernel = NULL;
  const bool good =
      !op2_mpi_comm(ctx, &comm) && !MPI_Comm_size(comm, &size) &&
      !op2_set_create(ctx, 3, "elements", &set) &&
      !op2_dat_create(set, 1, OP2_F64, values, "x", &x) &&
      !op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &total) &&
      !op2_kernel_create(ctx, &add_kernel, &kernel) &&
      !op2_par_loop(kernel, set, op2_arg_direct(x, OP2_READ), op2_arg_gbl(total, OP2_INC)) &&
      !op2_gbl_get(total, &sum) && sum == 6 * size;
  op2_kernel_destroy(&kernel);
  op2_gbl_destroy(&total);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  return good;
}

static void set_or_unset(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

/* Returns the number in the name of the rank's device if a loop ran there, or -1. */
static int device_of(const struct choice *c, MPI_Comm comm) {
  char own[TEXT];
  const op2_options options = {.backend = emulation_backend(), .device = c->which};
  op2_context ctx = NULL;
  snprintf(own, sizeof own, "%d", world % 3);
  setenv("OP2_TEST_EMULATION", c->devices, 1);
  set_or_unset(emulation_is_hip() ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES",
               c->visible && !strcmp(c->visible, "rank") ? own : c->visible);
  int device = -1;
  if (!op2_init_mpi(&options, comm, &ctx)) {
    device = atoi(strrchr(ctx->device->limits.name, ' '));
    const int64_t before = launches(device);
    if (!compute(ctx) || launches(device) == before) device = -1;
  }
  if (device < 0) fprintf(stderr, "rank %d: %s: %s\n", world, c->what, op2_error_message());
  return op2_finalize(&ctx) ? -1 : device;
}

static void choose(const struct choice *c) {
  MPI_Comm comm;
  int all[RANKS], device = -1, wrong = 0;
  char text[TEXT] = "";
  MPI_Comm_split(MPI_COMM_WORLD, world < c->n ? 0 : MPI_UNDEFINED, world, &comm);
  if (world < c->n) {
    device = device_of(c, comm);
    MPI_Comm_free(&comm);
  }
  MPI_Gather(&device, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; world == 0 && r < c->n; r++) {
    snprintf(text + strlen(text), sizeof text - strlen(text), " %d", all[r]);
    wrong += all[r] != c->expected[r];
  }
  if (world == 0) is_int(wrong, 0, "%s: the devices are%s", c->what, text);
}

/* A rank whose entry means no device fails, and the others with it. */
static void refused(void) {
  const op2_options options = {.backend = emulation_backend(), .device = "0,7"};
  op2_context ctx = NULL;
  setenv("OP2_TEST_EMULATION", "devices=3", 1);
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("HIP_VISIBLE_DEVICES");
  int wrong = op2_init_mpi(&options, MPI_COMM_WORLD, &ctx) != OP2_ERR_OPTION, all;
  if (!strstr(op2_error_message(), "'7'")) wrong++;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (wrong) fprintf(stderr, "rank %d: %s\n", world, op2_error_message());
  if (world == 0) is_int(all, 0, "an entry that means no device is told");
}

/* The answer of an MPI that takes memory of devices, or does not; extensions of MPI have this name. */
static int answer;
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) { return answer; }

static void asked(int given, const char *takes) {
  const op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  answer = given;
  int wrong = op2_init_mpi(&options, MPI_COMM_WORLD, &ctx) != OP2_SUCCESS, all;
  if (!wrong)
    wrong = takes ? !ctx->comm->takes || strcmp(ctx->comm->takes, takes) : !!ctx->comm->takes;
  wrong += op2_finalize(&ctx) != OP2_SUCCESS;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world == 0)
    is_int(all, 0, "MPI says %d: its messages may be in memory of %s", given,
           takes ? takes : "the host alone");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  test_environment();
  asked(1, "cuda");
  asked(0, NULL);
  void *driver = dlopen(emulation_driver(), RTLD_NOW | RTLD_LOCAL);
  if (driver) *(void **)&launches = dlsym(driver, "op2_emulation_launches");
  if (launches) {
    for (int c = 0; c < CHOICES; c++) choose(&choices[c]);
    refused();
  } else if (world == 0) {
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
  }
  MPI_Finalize();
  return world == 0 ? done() : 0;
}
