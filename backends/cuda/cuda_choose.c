/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices of a driver with CUDA's interface: which there are, and which one a context takes. */
#include <stdio.h>

#include "cuda_driver.h"
#include "device.h"
#include "text.h"

static int count_devices(const struct op2i_cuda_api *api) {
  int count = 0;
  return api->cuDeviceGetCount(&count) ? 0 : count;
}

void op2i_cuda_look(const struct op2i_cuda_driver *driver, char *missing, size_t room) {
  const char *why;
  int count = 0;
  const struct op2i_cuda_api *api = driver->api(&why);
  missing[0] = '\0';
  if (!api) {
    snprintf(missing, room, "%s", why);
    return;
  }
  op2i_cuda_result result = api->cuInit(0);
  if (!result) result = api->cuDeviceGetCount(&count);
  if (result) api->cuGetErrorString(result, &why);
  if (result)
    snprintf(missing, room, "the %s driver does not start: %s", driver->maker, why);
  else if (count == 0)
    snprintf(missing, room, "there is no %s device", driver->maker);
}

void op2i_cuda_list(const struct op2i_cuda_driver *driver, struct op2i_text *out) {
  const char *why;
  const struct op2i_cuda_api *api = driver->api(&why);
  for (int d = 0; api && d < count_devices(api); d++) {
    struct op2i_device_limits limits;
    driver->describe(api, d, &limits);
    op2i_text_add(out, "%d: %s, %s, %.0f GiB\n", d, limits.name, limits.target,
                  (double)limits.memory_bytes / (1 << 30));
  }
}

/* Return the first device that `which` means, or -1. */
static int named(const struct op2i_cuda_driver *driver, const struct op2i_cuda_api *api,
                 const char *which) {
  for (int d = 0; d < count_devices(api); d++) {
    struct op2i_device_limits limits;
    driver->describe(api, d, &limits);
    if (op2i_device_meant(which, d, limits.name)) return d;
  }
  return -1;
}

/* Return the device of a rank among those with the most processors, in round-robin order. */
static int best(const struct op2i_cuda_driver *driver, const struct op2i_cuda_api *api,
                int node_rank) {
  int n = count_devices(api), most = -1, alike = 0;
  struct op2i_device_limits limits;
  for (int d = 0; d < n; d++) {
    driver->describe(api, d, &limits);
    alike = limits.units > most ? 1 : alike + (limits.units == most);
    if (limits.units > most) most = limits.units;
  }
  for (int d = 0, left = alike ? node_rank % alike : 0; d < n; d++) {
    driver->describe(api, d, &limits);
    if (limits.units == most && left-- == 0) return d;
  }
  return -1;
}

int op2i_cuda_choose(const struct op2i_cuda_driver *driver, const char *which, int node_rank) {
  const char *why;
  const struct op2i_cuda_api *api = driver->api(&why);
  if (!api) return -1;
  return which ? named(driver, api, which) : best(driver, api, node_rank);
}
