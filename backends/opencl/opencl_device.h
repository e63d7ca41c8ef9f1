/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OPENCL_DEVICE_H
#define OP2I_OPENCL_DEVICE_H

/* An OpenCL device, as the files of this folder use it. */

#include "device.h"
#include "device_ring.h"
#include "error.h"
#include "opencl_api.h"

struct op2i_opencl {
  struct op2i_device device;
  const struct op2i_opencl_api *api;
  struct op2i_opencl_found found;
  cl_context context;
  cl_command_queue queue;
  bool rounds; /* True if correctly rounded division in single precision can be requested */
  char *lost;  /* why the device cannot be used any more; null: it can */
  struct op2i_device_ring ring;
  struct op2i_opencl_image *images; /* binaries whose functions are in use */
};

static inline struct op2i_opencl *op2i_opencl_of(struct op2i_device *device) {
  return (struct op2i_opencl *)device;
}

/* Return a status and message for the result of a call that waits for the device; after
 * OP2_ERR_FATAL the device is lost. */
op2_status op2i_opencl_failed(struct op2i_opencl *cl, const char *call, cl_int error);
/* The same for a call that does not wait; a lack of any resource is OP2_ERR_NOMEM, too. */
op2_status op2i_opencl_refused(struct op2i_opencl *cl, const char *call, cl_int error);
/* Return OP2_ERR_FATAL once the device is lost. */
op2_status op2i_opencl_alive(const struct op2i_opencl *cl);

#define OP2I_OPENCL_CALL(cl_, name_, ...)                                                          \
  op2i_opencl_failed(cl_, #name_, (cl_)->api->name_(__VA_ARGS__))
#define OP2I_OPENCL_ASK(cl_, name_, ...)                                                           \
  op2i_opencl_refused(cl_, #name_, (cl_)->api->name_(__VA_ARGS__))

/* opencl_code.c: functions of the device's table, see device.h. */
op2_status op2i_opencl_build(struct op2i_device *device, const char *source,
                             const char *const *includes, struct op2i_text *log, void **binary,
                             size_t *bytes);
op2_status op2i_opencl_load(struct op2i_device *device, const void *binary, size_t bytes,
                            const char *entry, struct op2i_device_code **code);
void op2i_opencl_unload(struct op2i_device *device, struct op2i_device_code *code);
op2_status op2i_opencl_launch(struct op2i_device *device, struct op2i_device_code *code,
                              const struct op2i_launch *launch);

#endif
