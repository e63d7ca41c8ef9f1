/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of the CUDA driver and NVRTC, once in a process. They stay open, as other libraries may
 * use them, too. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "cuda_api.h"
#include "env.h"
#include "process.h"

static struct op2i_cuda_api cuda;
static struct op2i_nvrtc_api nvrtc;
static const char *cuda_missing, *nvrtc_missing;
static char version[32] = "?";

const char *op2i_nvrtc_version(void) { return version; }

#define FIND(name_, parameters_)                                                                   \
  if (!(*(void **)&api->name_ = dlsym(handle, #name_))) return "it lacks " #name_;

static const char *find_graphs(void *handle, struct op2i_cuda_api *api) {
  OP2I_CUDA_GRAPH_FUNCTIONS(FIND)
  return NULL;
}

static const char *find_cuda(void *handle, struct op2i_cuda_api *api) {
  OP2I_CUDA_FUNCTIONS(FIND)
  api->graphs = !find_graphs(handle, api);
  return NULL;
}

static const char *find_nvrtc(void *handle, struct op2i_nvrtc_api *api) {
  OP2I_NVRTC_FUNCTIONS(FIND)
  return NULL;
}

static void open_cuda(void) {
  void *handle = op2i_process_load("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  cuda_missing = handle ? find_cuda(handle, &cuda) : "libcuda.so.1 is not here (no NVIDIA driver)";
}

/* Open a library in a folder; with "" the system's loader searches for it. */
static void *open_in(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
  return op2i_process_load(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_any(const char *folder) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                      "libnvrtc.so"};
  void *handle = NULL;
  for (size_t n = 0; n < sizeof names / sizeof *names && !handle; n++)
    handle = open_in(folder, names[n]);
  return handle;
}

static void open_nvrtc(void) {
  int major, minor;
  static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
  char folder[400];
  void *handle = open_any("");
  for (size_t h = 0; h < 2 && !handle; h++) {
    const char *home = op2i_env_system(homes[h]);
    if (!home) continue;
    snprintf(folder, sizeof folder, "%s/lib64", home);
    handle = open_any(folder);
  }
  if (!handle) handle = open_any("/usr/local/cuda/lib64");
  nvrtc_missing = handle ? find_nvrtc(handle, &nvrtc)
                         : "libnvrtc is not here (the CUDA toolkit has it; CUDA_HOME says where)";
  if (!nvrtc_missing && !nvrtc.nvrtcVersion(&major, &minor))
    snprintf(version, sizeof version, "%d.%d", major, minor);
}

const struct op2i_cuda_api *op2i_cuda_api(const char **why) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_cuda);
  *why = cuda_missing;
  return cuda_missing ? NULL : &cuda;
}

const struct op2i_nvrtc_api *op2i_nvrtc_api(const char **why) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_nvrtc);
  *why = nvrtc_missing;
  return nvrtc_missing ? NULL : &nvrtc;
}
