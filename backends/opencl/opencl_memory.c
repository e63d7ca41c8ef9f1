/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of OpenCL devices, and what goes to it and comes from it. */
#include <string.h>

#include "error.h"
#include "opencl_device.h"

/* Zeros; the place and the number of bytes are multiples of the width. */
static cl_int fill(struct op2i_opencl_device *device, cl_mem memory, size_t at, size_t bytes) {
  const cl_ulong zero = 0;
  size_t width = (at | bytes) % 8 == 0 ? 8 : (at | bytes) % 4 == 0 ? 4 : 1;
  return op2i_opencl_api.clEnqueueFillBuffer(device->queue, memory, &zero, width, at, bytes, 0,
                                             NULL, NULL);
}

/* Drivers that make room at the first use only are made to use it. */
static op2_status touch(struct op2i_opencl_device *device, cl_mem memory) {
  cl_int code = fill(device, memory, 0, 1);
  if (code == CL_OUT_OF_RESOURCES) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return op2i_opencl_status(device, code, "clEnqueueFillBuffer (of new memory)");
}

op2_status op2i_opencl_alloc(struct op2i_device *base, size_t bytes, void **memory) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  const struct op2i_opencl_api *cl = &op2i_opencl_api;
  op2_status status = op2i_opencl_alive(device);
  if (status != OP2_SUCCESS) return status;
  if (bytes > device->largest)
    return op2i_error(OP2_ERR_NOMEM, "%s: %zu bytes are more than it can have in one piece (%zu)",
                      base->limits.name, bytes, device->largest);
  cl_int code;
  cl_mem made =
      cl->clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
  if (code == CL_OUT_OF_RESOURCES) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  status = op2i_opencl_status(device, code, "clCreateBuffer");
  if (status == OP2_SUCCESS) status = touch(device, made);
  if (status == OP2_SUCCESS)
    *memory = made;
  else if (code == CL_SUCCESS)
    (void)cl->clReleaseMemObject(made);
  return status;
}

void op2i_opencl_release(struct op2i_device *base, void *memory) {
  (void)base;
  if (memory) (void)op2i_opencl_api.clReleaseMemObject(memory);
}

/* Free once the device has taken what is in it. */
static cl_int free_slot(struct op2i_opencl_slot *slot) {
  if (!slot->written) return CL_SUCCESS;
  cl_int code = op2i_opencl_api.clWaitForEvents(1, &slot->written);
  (void)op2i_opencl_api.clReleaseEvent(slot->written);
  slot->written = NULL;
  return code;
}

void op2i_opencl_drop_slots(struct op2i_opencl_device *device) {
  for (int i = 0; i < OP2I_OPENCL_SLOTS; i++) (void)free_slot(&device->slots[i]);
}

/* A put that waited would wait for all launches before it. */
static op2_status put_small(struct op2i_opencl_device *device, cl_mem memory, size_t at,
                            const void *host, size_t bytes) {
  struct op2i_opencl_slot *slot = &device->slots[device->slot];
  op2_status status = op2i_opencl_waited(device, free_slot(slot), "clWaitForEvents");
  if (status != OP2_SUCCESS) return status;
  memcpy(slot->bytes, host, bytes);
  device->slot = (device->slot + 1) % OP2I_OPENCL_SLOTS;
  cl_int code = op2i_opencl_api.clEnqueueWriteBuffer(device->queue, memory, CL_FALSE, at, bytes,
                                                     slot->bytes, 0, NULL, &slot->written);
  return op2i_opencl_waited(device, code, "clEnqueueWriteBuffer");
}

static op2_status put_large(struct op2i_opencl_device *device, cl_mem memory, size_t at,
                            const void *host, size_t bytes) {
  cl_int code = op2i_opencl_api.clEnqueueWriteBuffer(device->queue, memory, CL_TRUE, at, bytes,
                                                     host, 0, NULL, NULL);
  return op2i_opencl_waited(device, code, "clEnqueueWriteBuffer");
}

op2_status op2i_opencl_put(struct op2i_device *base, void *memory, size_t at, const void *host,
                           size_t bytes) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  op2_status status = op2i_opencl_alive(device);
  if (status != OP2_SUCCESS || bytes == 0) return status;
  status = bytes <= OP2I_OPENCL_SLOT_BYTES ? put_small(device, memory, at, host, bytes)
                                           : put_large(device, memory, at, host, bytes);
  if (status != OP2_SUCCESS) return status;
  base->counts.puts++;
  base->counts.put_bytes += (int64_t)bytes;
  return OP2_SUCCESS;
}

op2_status op2i_opencl_get(struct op2i_device *base, void *host, void *memory, size_t at,
                           size_t bytes) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  op2_status status = op2i_opencl_alive(device);
  if (status != OP2_SUCCESS || bytes == 0) return status;
  cl_int code = op2i_opencl_api.clEnqueueReadBuffer(device->queue, memory, CL_TRUE, at, bytes, host,
                                                    0, NULL, NULL);
  status = op2i_opencl_waited(device, code, "clEnqueueReadBuffer");
  if (status != OP2_SUCCESS) return status;
  base->counts.gets++;
  base->counts.get_bytes += (int64_t)bytes;
  return OP2_SUCCESS;
}

op2_status op2i_opencl_clear(struct op2i_device *base, void *memory, size_t at, size_t bytes) {
  struct op2i_opencl_device *device = (struct op2i_opencl_device *)base;
  op2_status status = op2i_opencl_alive(device);
  if (status != OP2_SUCCESS || bytes == 0) return status;
  return op2i_opencl_status(device, fill(device, memory, at, bytes), "clEnqueueFillBuffer");
}
