/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL's loader, opened at run time, and the names of its errors. */
#include "opencl_api.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "process.h"

struct op2i_opencl_api op2i_opencl_api;

/* ISO C has no conversion from the address of an object to that of a function. */
static bool find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

const char *op2i_opencl_load(void) {
  void *library = op2i_process_load("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "libOpenCL.so.1 is not there (package ocl-icd-libopencl1)";
#define FIND(name)                                                                                 \
  if (!find(library, #name, &op2i_opencl_api.name))                                                \
  return "libOpenCL.so.1 has no " #name ", which is of OpenCL 1.2"
  OP2I_OPENCL_FUNCTIONS(FIND);
#undef FIND
  return NULL;
}

/* Those that the functions we call may return. */
static const struct {
  cl_int code;
  const char *name;
} errors[] = {
#define ERROR(name)                                                                                \
  { name, #name }
    ERROR(CL_DEVICE_NOT_FOUND),
    ERROR(CL_DEVICE_NOT_AVAILABLE),
    ERROR(CL_COMPILER_NOT_AVAILABLE),
    ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ERROR(CL_OUT_OF_RESOURCES),
    ERROR(CL_OUT_OF_HOST_MEMORY),
    ERROR(CL_MEM_COPY_OVERLAP),
    ERROR(CL_BUILD_PROGRAM_FAILURE),
    ERROR(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ERROR(CL_COMPILE_PROGRAM_FAILURE),
    ERROR(CL_LINKER_NOT_AVAILABLE),
    ERROR(CL_LINK_PROGRAM_FAILURE),
    ERROR(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    ERROR(CL_INVALID_VALUE),
    ERROR(CL_INVALID_DEVICE_TYPE),
    ERROR(CL_INVALID_PLATFORM),
    ERROR(CL_INVALID_DEVICE),
    ERROR(CL_INVALID_CONTEXT),
    ERROR(CL_INVALID_QUEUE_PROPERTIES),
    ERROR(CL_INVALID_COMMAND_QUEUE),
    ERROR(CL_INVALID_HOST_PTR),
    ERROR(CL_INVALID_MEM_OBJECT),
    ERROR(CL_INVALID_BINARY),
    ERROR(CL_INVALID_BUILD_OPTIONS),
    ERROR(CL_INVALID_PROGRAM),
    ERROR(CL_INVALID_PROGRAM_EXECUTABLE),
    ERROR(CL_INVALID_KERNEL_NAME),
    ERROR(CL_INVALID_KERNEL_DEFINITION),
    ERROR(CL_INVALID_KERNEL),
    ERROR(CL_INVALID_ARG_INDEX),
    ERROR(CL_INVALID_ARG_VALUE),
    ERROR(CL_INVALID_ARG_SIZE),
    ERROR(CL_INVALID_KERNEL_ARGS),
    ERROR(CL_INVALID_WORK_DIMENSION),
    ERROR(CL_INVALID_WORK_GROUP_SIZE),
    ERROR(CL_INVALID_WORK_ITEM_SIZE),
    ERROR(CL_INVALID_GLOBAL_OFFSET),
    ERROR(CL_INVALID_EVENT_WAIT_LIST),
    ERROR(CL_INVALID_EVENT),
    ERROR(CL_INVALID_OPERATION),
    ERROR(CL_INVALID_BUFFER_SIZE),
    ERROR(CL_INVALID_GLOBAL_WORK_SIZE),
    ERROR(CL_INVALID_PROPERTY),
    ERROR(CL_INVALID_COMPILER_OPTIONS),
    ERROR(CL_INVALID_LINKER_OPTIONS),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}, /* the loader's own */
#undef ERROR
};

const char *op2i_opencl_error_name(cl_int code) {
  static _Thread_local char unknown[32];
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) return errors[i].name;
  snprintf(unknown, sizeof unknown, "error %d", (int)code);
  return unknown;
}
