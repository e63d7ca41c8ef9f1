/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of binaries, and their launches. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "opencl_device.h"

static op2_status find_kernel(struct op2i_opencl_device *device, struct op2i_opencl_code *code,
                              const char *entry) {
  const struct op2i_opencl_api *cl = &op2i_opencl_api;
  cl_int failure = cl->clBuildProgram(code->program, 1, &device->id, "", NULL, NULL);
  if (failure != CL_SUCCESS) return op2i_opencl_status(device, failure, "clBuildProgram");
  code->kernel = cl->clCreateKernel(code->program, entry, &failure);
  if (failure == CL_INVALID_KERNEL_NAME)
    return op2i_error(OP2_ERR_COMPILE, "clCreateKernel: the binary has no kernel '%s'", entry);
  if (failure != CL_SUCCESS) return op2i_opencl_status(device, failure, "clCreateKernel");
  size_t group_max = 0;
  failure = cl->clGetKernelWorkGroupInfo(code->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof group_max, &group_max, NULL);
  code->base.group_max = (int64_t)group_max;
  return op2i_opencl_status(device, failure, "clGetKernelWorkGroupInfo");
}

/* Sets the size of what the driver made. */
static op2_status check_tail(const struct op2i_opencl_device *device, const unsigned char *image,
                             size_t bytes, size_t *size) {
  struct op2i_opencl_tail tail;
  const char *name = device->base.limits.name;
  if (bytes <= sizeof tail) return op2i_error(OP2_ERR_COMPILE, "%s: a binary is cut off", name);
  *size = bytes - sizeof tail;
  memcpy(&tail, image + *size, sizeof tail);
  if (!op2i_key_equal(tail.image, op2i_digest(image, *size)))
    return op2i_error(OP2_ERR_COMPILE, "%s: a binary is damaged", name);
  if (memcmp(tail.target, device->base.limits.target, sizeof tail.target) != 0)
    return op2i_error(OP2_ERR_COMPILE, "%s: a binary is for %.*s, and not for %s", name,
                      (int)sizeof tail.target, tail.target, device->base.limits.target);
  return OP2_SUCCESS;
}

op2_status op2i_opencl_load_code(struct op2i_device *base, const void *binary, size_t bytes,
                                 const char *entry, struct op2i_device_code **out) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  op2_status status = op2i_opencl_alive(device);
  size_t size = 0;
  if (status == OP2_SUCCESS) status = check_tail(device, binary, bytes, &size);
  if (status != OP2_SUCCESS) return status;
  struct op2i_opencl_code *code = op2i_calloc(1, sizeof *code);
  if (!code) return op2i_error_nomem("a kernel of OpenCL");
  const unsigned char *image = binary;
  cl_int failure;
  code->program = op2i_opencl_api.clCreateProgramWithBinary(device->context, 1, &device->id, &size,
                                                            &image, NULL, &failure);
  status = op2i_opencl_status(device, failure, "clCreateProgramWithBinary");
  if (status == OP2_SUCCESS) status = find_kernel(device, code, entry);
  if (status == OP2_SUCCESS)
    *out = &code->base;
  else
    op2i_opencl_unload(base, &code->base);
  return status;
}

void op2i_opencl_unload(struct op2i_device *base, struct op2i_device_code *loaded) {
  struct op2i_opencl_code *code = (struct op2i_opencl_code *)loaded;
  (void)base;
  if (!code) return;
  if (code->kernel) (void)op2i_opencl_api.clReleaseKernel(code->kernel);
  if (code->program) (void)op2i_opencl_api.clReleaseProgram(code->program);
  op2i_free(code);
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, const struct op2i_device_arg *arg) {
  cl_mem memory = arg->memory;
  cl_long number = arg->number;
  return arg->is_memory ? op2i_opencl_api.clSetKernelArg(kernel, index, sizeof memory, &memory)
                        : op2i_opencl_api.clSetKernelArg(kernel, index, sizeof number, &number);
}

static op2_status set_args(struct op2i_opencl_device *device, cl_kernel kernel,
                           const struct op2i_launch *launch) {
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < launch->nargs && code == CL_SUCCESS; i++)
    code = set_arg(kernel, (cl_uint)i, &launch->args[i]);
  if (code == CL_SUCCESS && launch->local_bytes > 0)
    code = op2i_opencl_api.clSetKernelArg(kernel, (cl_uint)launch->nargs,
                                          (size_t)launch->local_bytes, NULL);
  return op2i_opencl_status(device, code, "clSetKernelArg");
}

/* The kernel may want more than the device has, or an earlier one may have gone wrong. */
static op2_status out_of_resources(struct op2i_opencl_device *device) {
  op2_status status = op2i_opencl_wait(&device->base);
  return status != OP2_SUCCESS
             ? status
             : op2i_opencl_status(device, CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel");
}

static op2_status check_limits(const struct op2i_opencl_device *device,
                               const struct op2i_opencl_code *code,
                               const struct op2i_launch *launch) {
  const struct op2i_device_limits *limits = &device->base.limits;
  if (launch->group > code->base.group_max)
    return op2i_error(OP2_ERR_UNAVAILABLE,
                      "%s: a group of %lld is larger than the kernel can have (%lld)", limits->name,
                      (long long)launch->group, (long long)code->base.group_max);
  if (launch->local_bytes > limits->local_bytes)
    return op2i_error(OP2_ERR_UNAVAILABLE, "%s: %lld bytes are more than a group can share (%lld)",
                      limits->name, (long long)launch->local_bytes, (long long)limits->local_bytes);
  return OP2_SUCCESS;
}

op2_status op2i_opencl_launch(struct op2i_device *base, struct op2i_device_code *loaded,
                              const struct op2i_launch *launch) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  struct op2i_opencl_code *code = (struct op2i_opencl_code *)loaded;
  op2_status status = OP2_SUCCESS;
  OP2I_TRY(op2i_opencl_alive(device));
  OP2I_TRY(check_limits(device, code, launch));
  OP2I_TRY(set_args(device, code->kernel, launch));
  const size_t group = (size_t)launch->group, all = (size_t)launch->groups * group;
  cl_int failure = op2i_opencl_api.clEnqueueNDRangeKernel(device->queue, code->kernel, 1, NULL,
                                                          &all, &group, 0, NULL, NULL);
  if (failure == CL_OUT_OF_RESOURCES) return out_of_resources(device);
  OP2I_TRY(op2i_opencl_status(device, failure, "clEnqueueNDRangeKernel"));
  base->counts.launches++;
  OP2I_TRY(op2i_opencl_waited(device, op2i_opencl_api.clFlush(device->queue), "clFlush"));
fail:
  return status;
}

op2_status op2i_opencl_wait(struct op2i_device *base) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  op2_status status = op2i_opencl_alive(device);
  if (status != OP2_SUCCESS) return status;
  return op2i_opencl_waited(device, op2i_opencl_api.clFinish(device->queue), "clFinish");
}
