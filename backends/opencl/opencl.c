/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of OpenCL: which one, its beginning and end, and what its errors mean. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "opencl_device.h"
#include "text.h"

static void list(struct op2i_text *out) {
  const struct op2i_opencl_found *found;
  int n = op2i_opencl_found(&found);
  for (int i = 0; i < n; i++) {
    const struct op2i_device_limits *limits = &found[i].limits;
    op2i_text_add(out, "%d: %s, %.1f GiB, %s%s%s%s\n", i, limits->name,
                  (double)limits->memory_bytes / (1 << 30), limits->target,
                  limits->doubles ? "" : ", no double precision", found[i].unfit ? ", " : "",
                  found[i].unfit ? found[i].unfit : "");
  }
}

static op2_status none_such(const char *which) {
  struct op2i_text there = {0};
  list(&there);
  op2_status status = op2i_error(OP2_ERR_OPTION, "there is no OpenCL device '%s'; there are:\n%s",
                                 which, there.chars ? there.chars : "");
  op2i_text_free(&there);
  return status;
}

/* GPUs before accelerators before CPUs; those that cannot do all that is asked of them never. */
static int first_of_best(const struct op2i_opencl_found *found, int n) {
  static const cl_device_type order[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                         CL_DEVICE_TYPE_ALL};
  for (size_t kind = 0; kind < sizeof order / sizeof *order; kind++)
    for (int i = 0; i < n; i++)
      if (found[i].type & order[kind] && !found[i].unfit && found[i].limits.doubles) return i;
  return -1;
}

static bool is_number(const char *text) {
  for (const char *c = text; *c; c++)
    if (!isdigit((unsigned char)*c)) return false;
  return *text != '\0';
}

/* -1: there is none such. A text is looked for among those that can be used first. */
static int choose(const struct op2i_opencl_found *found, int n, const char *which) {
  if (!which) return first_of_best(found, n);
  if (is_number(which)) {
    errno = 0;
    unsigned long number = strtoul(which, NULL, 10);
    return errno == 0 && number < (unsigned long)n ? (int)number : -1;
  }
  int unfit = -1;
  for (int i = n - 1; i >= 0 && *which; i--)
    if (strcasestr(found[i].limits.name, which) && found[i].unfit) unfit = i;
  for (int i = 0; i < n && *which; i++)
    if (strcasestr(found[i].limits.name, which) && !found[i].unfit) return i;
  return unfit;
}

static bool rounds_right(cl_device_id id) {
  cl_device_fp_config config = 0;
  (void)op2i_opencl_api.clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config,
                                        NULL);
  return config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

static op2_status begin(struct op2i_opencl_device *device, const struct op2i_opencl_found *found) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              (cl_context_properties)found->platform, 0};
  cl_int code;
  cl_ulong largest = 0;
  device->id = found->id;
  device->base.limits = found->limits;
  device->rounds_right = rounds_right(found->id);
  (void)op2i_opencl_api.clGetDeviceInfo(found->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest,
                                        &largest, NULL);
  device->largest = (size_t)largest;
  device->context = op2i_opencl_api.clCreateContext(properties, 1, &found->id, NULL, NULL, &code);
  if (code != CL_SUCCESS) return op2i_opencl_status(device, code, "clCreateContext");
  device->queue = op2i_opencl_api.clCreateCommandQueue(device->context, found->id, 0, &code);
  return op2i_opencl_status(device, code, "clCreateCommandQueue");
}

static void close_device(struct op2i_device *base) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  const struct op2i_opencl_api *cl = &op2i_opencl_api;
  if (!device) return;
  op2i_opencl_drop_slots(device);
  for (int i = 0; i < OP2I_OPENCL_HEADERS; i++)
    if (device->headers[i]) (void)cl->clReleaseProgram(device->headers[i]);
  if (device->queue) (void)cl->clReleaseCommandQueue(device->queue);
  if (device->context) (void)cl->clReleaseContext(device->context);
  op2i_free(device);
}

static op2_status open_device(const char *which, struct op2i_device **out) {
  const char *why = op2i_opencl_unavailable();
  if (why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  const struct op2i_opencl_found *found;
  int n = op2i_opencl_found(&found), chosen = choose(found, n, which);
  if (chosen < 0) return none_such(which ? which : "");
  if (found[chosen].unfit)
    return op2i_error(OP2_ERR_UNAVAILABLE, "the OpenCL device %s cannot be used: %s",
                      found[chosen].limits.name, found[chosen].unfit);
  struct op2i_opencl_device *device = op2i_calloc(1, sizeof *device);
  if (!device) return op2i_error_nomem("an OpenCL device");
  device->base.kind = &op2i_device_opencl;
  op2_status status = begin(device, &found[chosen]);
  if (status == OP2_SUCCESS)
    *out = &device->base;
  else
    close_device(&device->base);
  return status;
}

/* ---- what errors mean ----------------------------------------------------------------------- */

op2_status op2i_opencl_alive(const struct op2i_opencl_device *device) {
  return device->lost[0] ? op2i_error(OP2_ERR_FATAL, "%s", device->lost) : OP2_SUCCESS;
}

static op2_status lose(struct op2i_opencl_device *device, cl_int code, const char *call) {
  if (!device->lost[0])
    snprintf(device->lost, sizeof device->lost, "the OpenCL device %s is lost: %s: %s",
             device->base.limits.name, call, op2i_opencl_error_name(code));
  return op2i_opencl_alive(device);
}

static op2_status meaning(cl_int code) {
  switch (code) {
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
  case CL_OUT_OF_HOST_MEMORY:
  case CL_INVALID_BUFFER_SIZE: return OP2_ERR_NOMEM;
  case CL_OUT_OF_RESOURCES:
  case CL_INVALID_WORK_GROUP_SIZE:
  case CL_INVALID_WORK_ITEM_SIZE:
  case CL_INVALID_GLOBAL_WORK_SIZE: return OP2_ERR_UNAVAILABLE;
  case CL_INVALID_BINARY:
  case CL_BUILD_PROGRAM_FAILURE:
  case CL_COMPILE_PROGRAM_FAILURE:
  case CL_LINK_PROGRAM_FAILURE:
  case CL_INVALID_COMPILER_OPTIONS:
  case CL_INVALID_BUILD_OPTIONS:
  case CL_INVALID_PROGRAM_EXECUTABLE:
  case CL_INVALID_KERNEL_NAME: return OP2_ERR_COMPILE;
  case CL_DEVICE_NOT_AVAILABLE:
  case CL_INVALID_COMMAND_QUEUE:
  case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return OP2_ERR_FATAL;
  default: return OP2_ERR_ARG;
  }
}

op2_status op2i_opencl_status(struct op2i_opencl_device *device, cl_int code, const char *call) {
  if (code == CL_SUCCESS) return OP2_SUCCESS;
  op2_status status = meaning(code);
  if (status == OP2_ERR_FATAL) return lose(device, code, call);
  return op2i_error(status, "%s: %s: %s", device->base.limits.name, call,
                    op2i_opencl_error_name(code));
}

op2_status op2i_opencl_waited(struct op2i_opencl_device *device, cl_int code, const char *call) {
  return code == CL_OUT_OF_RESOURCES ? lose(device, code, call)
                                     : op2i_opencl_status(device, code, call);
}

const struct op2i_device_kind op2i_device_opencl = {
    .name = "opencl",
    .unavailable = op2i_opencl_unavailable,
    .open = open_device,
    .close = close_device,
    .list = list,
    .alloc = op2i_opencl_alloc,
    .release = op2i_opencl_release,
    .put = op2i_opencl_put,
    .get = op2i_opencl_get,
    .clear = op2i_opencl_clear,
    .build = op2i_opencl_build,
    .load = op2i_opencl_load_code,
    .unload = op2i_opencl_unload,
    .launch = op2i_opencl_launch,
    .wait = op2i_opencl_wait,
};
