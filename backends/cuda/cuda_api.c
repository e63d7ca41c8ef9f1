/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening the CUDA driver and NVRTC, each once in a process. */
#include "cuda_api.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "env.h"

struct op2i_cuda_api op2i_cuda;
struct op2i_nvrtc_api op2i_nvrtc;

static const char *cuda_missing, *nvrtc_missing;
static char nvrtc_version[32];

#define FIND(name_, parameters_)                                                                   \
  if (!(*(void **)&found->name_ = dlsym(library, #name_))) return #name_;

/* The name of what it lacks, or null. */
static const char *find_cuda(void *library, struct op2i_cuda_api *found) {
  OP2I_CUDA_CALLS(FIND)
  return NULL;
}

static const char *find_nvrtc(void *library, struct op2i_nvrtc_api *found) {
  OP2I_NVRTC_CALLS(FIND)
  FIND(nvrtcGetErrorString, )
  return NULL;
}

static void open_cuda(void) {
  static char lacks[128];
  struct op2i_cuda_api found;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    cuda_missing = "libcuda.so.1 is not there (no NVIDIA driver)";
    return;
  }
  const char *name = find_cuda(library, &found);
  if (!name) {
    op2i_cuda = found;
    return;
  }
  snprintf(lacks, sizeof lacks, "libcuda.so.1 lacks %s: the NVIDIA driver is too old", name);
  cuda_missing = lacks;
}

const char *op2i_cuda_missing(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_cuda);
  return cuda_missing;
}

/* ---- NVRTC, of which several versions may be there ------------------------------------------- */

/* The driver loads no code of a major version that it does not know. */
static int driver_major(void) {
  int version = 0;
  if (op2i_cuda_missing() || op2i_cuda.cuDriverGetVersion(&version) != OP2I_CUDA_SUCCESS)
    return INT_MAX;
  return version / 1000;
}

static bool take(void *library, int newest) {
  struct op2i_nvrtc_api found;
  int major = 0, minor = 0;
  if (!library || find_nvrtc(library, &found) ||
      found.nvrtcVersion(&major, &minor) != OP2I_NVRTC_SUCCESS || major > newest)
    return false;
  op2i_nvrtc = found;
  snprintf(nvrtc_version, sizeof nvrtc_version, "%d.%d", major, minor);
  return true;
}

/* By each of its names in a folder; without one where the system looks. */
static bool open_in(const char *folder, const char *below, int newest) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                      "libnvrtc.so.11", "libnvrtc.so"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    int length = snprintf(path, sizeof path, "%s%s%s", folder, below, names[i]);
    if (length > 0 && (size_t)length < sizeof path &&
        take(dlopen(path, RTLD_NOW | RTLD_LOCAL), newest))
      return true;
  }
  return false;
}

/* What the user says comes first. */
static bool open_newest(int newest) {
  static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *home = op2i_env_system(variables[i]);
    if (home && open_in(home, "/lib64/", newest)) return true;
  }
  return open_in("", "", newest) || open_in("/usr/local/cuda", "/lib64/", newest) ||
         open_in("/usr/local/cuda", "/targets/x86_64-linux/lib/", newest);
}

static void open_nvrtc(void) {
  int newest = driver_major();
  if (open_newest(newest) || (newest < INT_MAX && open_newest(INT_MAX))) return;
  nvrtc_missing = "libnvrtc is not there (package cuda-nvrtc of the CUDA toolkit; CUDA_HOME says "
                  "where that is)";
}

const char *op2i_nvrtc_missing(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_nvrtc);
  return nvrtc_missing;
}

const char *op2i_nvrtc_version(void) { return op2i_nvrtc_missing() ? "" : nvrtc_version; }
