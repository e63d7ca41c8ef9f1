/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CUDA_DEVICE_H
#define OP2I_CUDA_DEVICE_H

/* What the files of this room share. */

#include <stdbool.h>

#include "cuda_api.h"
#include "device.h"

/* Why no device can be used; null: there are some. Found at the first call of either, by any
 * thread. */
const char *op2i_cuda_unavailable(void);
/* The limits of each, by its number. */
int op2i_cuda_found(const struct op2i_device_limits **found);

/* Pinned memory of the host in two halves, through which data goes: a half is filled while the
 * other is read. */
struct op2i_cuda_stage {
  char *memory;            /* null: not there yet */
  bool refused;            /* and will not be */
  op2i_cuda_event left[2]; /* the device has read, or written, the half */
  bool pending[2];         /* and that is to be waited for */
  int half;                /* that is being filled */
  size_t used;             /* of it */
};

struct op2i_cuda_device {
  struct op2i_device base;
  int id;
  op2i_cuda_context context;
  op2i_cuda_stream stream;
  struct op2i_cuda_stage stage;
  char lost[512]; /* why nothing works any more; empty: all is well */
};

/* OP2_SUCCESS, or the failure that a result of the driver means. Memory that is lacking is
 * OP2_ERR_NOMEM, code that cannot be loaded OP2_ERR_COMPILE, more than the device can do
 * OP2_ERR_UNAVAILABLE; what no call of this process recovers from is OP2_ERR_FATAL. */
op2_status op2i_cuda_status(struct op2i_cuda_device *device, int result, const char *call);
#define OP2I_CUDA(device_, call_, ...)                                                             \
  op2i_cuda_status((device_), op2i_cuda.call_(__VA_ARGS__), #call_)

/* Every use of a device is between these two, which leave the thread's own context as it was. The
 * first fails where the device is lost, and then there is no second. */
op2_status op2i_cuda_enter(struct op2i_cuda_device *device);
void op2i_cuda_leave(void);

op2_status op2i_cuda_alloc(struct op2i_device *base, size_t bytes, void **memory);
void op2i_cuda_release(struct op2i_device *base, void *memory);
op2_status op2i_cuda_put(struct op2i_device *base, void *memory, size_t at, const void *host,
                         size_t bytes);
op2_status op2i_cuda_get(struct op2i_device *base, void *host, void *memory, size_t at,
                         size_t bytes);
op2_status op2i_cuda_clear(struct op2i_device *base, void *memory, size_t at, size_t bytes);
void op2i_cuda_stage_free(struct op2i_cuda_device *device); /* between enter and leave */

enum { OP2I_CUDA_HEADERS = 12 };
/* Headers of C, which NVRTC lacks: what they declare and CUDA does not have built in. */
extern const char *const op2i_cuda_header_names[OP2I_CUDA_HEADERS];
extern const char *const op2i_cuda_headers[OP2I_CUDA_HEADERS];

/* As build() of struct op2i_device_kind, for a target such as "sm_90"; without a driver, too. */
op2_status op2i_cuda_compile(const char *source, const char *target, const char *const *includes,
                             struct op2i_text *log, void **binary, size_t *bytes);

struct op2i_cuda_code {
  struct op2i_device_code base;
  op2i_cuda_module module;
  op2i_cuda_function function;
};
op2_status op2i_cuda_load(struct op2i_device *base, const void *binary, size_t bytes,
                          const char *entry, struct op2i_device_code **code);
void op2i_cuda_unload(struct op2i_device *base, struct op2i_device_code *code);
op2_status op2i_cuda_launch(struct op2i_device *base, struct op2i_device_code *code,
                            const struct op2i_launch *launch);
op2_status op2i_cuda_wait(struct op2i_device *base);

#endif
