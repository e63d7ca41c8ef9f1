/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of the loader, and the list of devices. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fpenv.h"
#include "load.h"
#include "mem.h"
#include "opencl_api.h"
#include "process.h"

static struct op2i_opencl_api opencl;
static const char *missing;

#define FIND(name_)                                                                                \
  if (!(*(void **)&opencl.name_ = dlsym(handle, #name_))) missing = "libOpenCL lacks " #name_;

static void find_functions(void *handle) { OP2I_OPENCL_FUNCTIONS(FIND) }

/* The loader searches for platforms once in a process. If StarPU was its first user, it found none
 * (scheduler/starpu/starpu_start.c). A second copy of the loader searches again. */
static void *open_again(void *handle) {
  struct link_map *object;
  struct op2i_bytes image = {0};
  struct op2i_scratch scratch;
  struct op2i_text why = {0};
  const char *fault = NULL;
  void *copy = NULL;
  bool refused;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &object)) return NULL;
  if (op2i_file_load(object->l_name, &image, &fault) || fault) return NULL;
  op2i_scratch_init(&scratch);
  if (op2i_load(image, "op2-opencl", &scratch, NULL, &copy, &refused, &why)) copy = NULL;
  op2i_scratch_close(&scratch);
  op2i_text_free(&why);
  op2i_free(image.data);
  return copy;
}

static void open_loader(void) {
  void *handle = op2i_process_load("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL), *copy;
  cl_uint n = 0;
  if (!handle) {
    missing = "libOpenCL.so.1 is not here (package ocl-icd-libopencl1)";
    return;
  }
  find_functions(handle);
  if (missing || (!opencl.clGetPlatformIDs(0, NULL, &n) && n > 0)) return;
  copy = open_again(handle);
  if (copy) find_functions(copy);
}

const struct op2i_opencl_api *op2i_opencl_api(const char **why) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_loader);
  *why = missing;
  return missing ? NULL : &opencl;
}

const char *op2i_opencl_error(cl_int error) {
#define NAMED(name_)                                                                               \
  case name_: return #name_;
  switch (error) {
    NAMED(CL_DEVICE_NOT_FOUND)
    NAMED(CL_DEVICE_NOT_AVAILABLE)
    NAMED(CL_COMPILER_NOT_AVAILABLE)
    NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    NAMED(CL_OUT_OF_RESOURCES)
    NAMED(CL_OUT_OF_HOST_MEMORY)
    NAMED(CL_BUILD_PROGRAM_FAILURE)
    NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    NAMED(CL_INVALID_VALUE)
    NAMED(CL_INVALID_DEVICE)
    NAMED(CL_INVALID_CONTEXT)
    NAMED(CL_INVALID_COMMAND_QUEUE)
    NAMED(CL_INVALID_MEM_OBJECT)
    NAMED(CL_INVALID_BINARY)
    NAMED(CL_INVALID_BUILD_OPTIONS)
    NAMED(CL_INVALID_PROGRAM_EXECUTABLE)
    NAMED(CL_INVALID_KERNEL_NAME)
    NAMED(CL_INVALID_KERNEL_ARGS)
    NAMED(CL_INVALID_ARG_INDEX)
    NAMED(CL_INVALID_ARG_VALUE)
    NAMED(CL_INVALID_ARG_SIZE)
    NAMED(CL_INVALID_WORK_GROUP_SIZE)
    NAMED(CL_INVALID_WORK_ITEM_SIZE)
    NAMED(CL_INVALID_BUFFER_SIZE)
    NAMED(CL_INVALID_OPERATION)
  default: return "an error of OpenCL";
  }
}

static void name_found(const struct op2i_opencl_api *api, struct op2i_opencl_found *f) {
  char platform[120] = "", device[120] = "";
  api->clGetPlatformInfo(f->platform, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
  api->clGetDeviceInfo(f->device, CL_DEVICE_NAME, sizeof device, device, NULL);
  api->clGetDeviceInfo(f->device, CL_DEVICE_TYPE, sizeof f->type, &f->type, NULL);
  snprintf(f->name, sizeof f->name, "%s / %s", platform, device);
}

int op2i_opencl_find(const struct op2i_opencl_api *api, struct op2i_opencl_found *found) {
  cl_platform_id platforms[OP2I_OPENCL_MOST];
  cl_device_id devices[OP2I_OPENCL_MOST];
  cl_uint nplatforms = 0;
  int n = 0;
  cl_int error = api->clGetPlatformIDs(OP2I_OPENCL_MOST, platforms, &nplatforms);
  op2i_fp_reset(); /* loading a platform may have changed the floating-point environment */
  if (error) return 0;
  for (cl_uint p = 0; p < nplatforms && p < OP2I_OPENCL_MOST; p++) {
    cl_uint ndevices = 0;
    if (api->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, OP2I_OPENCL_MOST, devices, &ndevices))
      continue;
    for (cl_uint d = 0; d < ndevices && d < OP2I_OPENCL_MOST && n < OP2I_OPENCL_MOST; d++) {
      found[n] = (struct op2i_opencl_found){.platform = platforms[p], .device = devices[d]};
      name_found(api, &found[n++]);
    }
  }
  return n;
}
