/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of the HIP runtime and hipRTC, once in a process. They stay open, as other libraries may
 * use them, too. hipRTC is a library of its own since HIP 5.3 or so; before, and in Debian's
 * packages, the runtime has its functions. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "env.h"
#include "hip_api.h"
#include "hip_compile.h"
#include "hip_graph.h"
#include "process.h"

static struct op2i_hip_api hip;
static struct op2i_cuda_api as_cuda;
static struct op2i_nvrtc_api hiprtc;
static const char *hip_missing, *hiprtc_missing;
static char version[32] = "?";

const char *op2i_hiprtc_version(void) { return version; }

#define FIND_AS(name_, hip_name_)                                                                  \
  if (!(*(void **)&api->name_ = dlsym(handle, #hip_name_))) return "it lacks " #hip_name_;
#define FIND_OWN(type_, name_, parameters_) FIND_AS(name_, name_)

static const char *find_own(void *handle, struct op2i_hip_api *api) {
  OP2I_HIP_OWN(FIND_OWN)
  *(void **)&api->properties = dlsym(handle, "hipGetDevicePropertiesR0600");
  if (!api->properties) FIND_AS(properties, hipGetDeviceProperties)
  return NULL;
}

static const char *find_same(void *handle, struct op2i_cuda_api *api) {
  OP2I_HIP_SAME(FIND_AS)
  return NULL;
}

static const char *find_graphs(void *handle, struct op2i_cuda_api *api) {
  OP2I_HIP_GRAPH_SAME(FIND_AS)
  return NULL;
}

static const char *find_own_graphs(void *handle, struct op2i_hip_api *api) {
  OP2I_HIP_GRAPH_OWN(FIND_OWN)
  return NULL;
}

/* Before HIP 6 a node does not take a function of a module everywhere. */
static bool has_graphs(void *handle) {
  enum { HIP_6 = 60000000 };
  int runtime = 0;
  return !as_cuda.cuDriverGetVersion(&runtime) && runtime >= HIP_6 &&
         !find_graphs(handle, &as_cuda) && !find_own_graphs(handle, &hip);
}

static const char *find_hiprtc(void *handle, struct op2i_nvrtc_api *api) {
  OP2I_HIPRTC_SAME(FIND_AS)
  return NULL;
}

/* Open a library of a version in a folder; with "" the system's loader searches for it. */
static void *open_in(const char *folder, const char *name, const char *number) {
  char path[512];
  snprintf(path, sizeof path, "%s%s%s.so%s%s", folder, *folder ? "/" : "", name, *number ? "." : "",
           number);
  return op2i_process_load(path, RTLD_NOW | RTLD_LOCAL);
}

/* Open the newest runtime in a folder, and hipRTC of the same version or, without that, the runtime
 * in its place. */
static void *open_both(const char *folder, void **compiler) {
  static const char *const numbers[] = {"7", "6", "5", ""};
  void *handle = NULL;
  for (size_t n = 0; n < sizeof numbers / sizeof *numbers && !handle; n++) {
    handle = open_in(folder, "libamdhip64", numbers[n]);
    if (handle) *compiler = open_in(folder, "libhiprtc", numbers[n]);
  }
  if (handle && !*compiler) *compiler = handle;
  return handle;
}

static void note_version(void) {
  int major, minor, runtime = 0;
  as_cuda.cuDriverGetVersion(&runtime);
  if (!hiprtc.nvrtcVersion(&major, &minor))
    snprintf(version, sizeof version, "%d.%d, HIP %d", major, minor, runtime);
}

static void open_hip(void) {
  static const char *const homes[] = {"ROCM_PATH", "HIP_PATH"};
  char folder[400];
  void *compiler = NULL, *handle = open_both("", &compiler);
  for (size_t h = 0; h < 2 && !handle; h++) {
    const char *home = op2i_env_system(homes[h]);
    if (!home) continue;
    snprintf(folder, sizeof folder, "%s/lib", home);
    handle = open_both(folder, &compiler);
  }
  if (!handle) handle = open_both("/opt/rocm/lib", &compiler);
  hip_missing = handle ? find_own(handle, &hip)
                       : "libamdhip64 is not here (AMD's ROCm has it; ROCM_PATH says where)";
  if (!hip_missing) hip_missing = find_same(handle, &as_cuda);
  if (hip_missing) return;
  op2i_hip_adapt(&hip, &as_cuda);
  op2i_hip_adapt_graphs(&hip, &as_cuda);
  as_cuda.graphs = has_graphs(handle);
  hiprtc_missing = find_hiprtc(compiler, &hiprtc);
  if (hiprtc_missing)
    hiprtc_missing = "libhiprtc is not here (AMD's ROCm has it; ROCM_PATH says where)";
  else
    note_version();
}

static void open_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_hip);
}

const struct op2i_hip_api *op2i_hip_api(const char **why) {
  open_once();
  *why = hip_missing;
  return hip_missing ? NULL : &hip;
}

const struct op2i_cuda_api *op2i_hip_as_cuda(const char **why) {
  open_once();
  *why = hip_missing;
  return hip_missing ? NULL : &as_cuda;
}

const struct op2i_nvrtc_api *op2i_hiprtc_api(const char **why) {
  open_once();
  *why = hip_missing ? hip_missing : hiprtc_missing;
  return *why ? NULL : &hiprtc;
}
