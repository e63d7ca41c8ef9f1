/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OPENCL_DEVICE_H
#define OP2I_OPENCL_DEVICE_H

/* What the files of this room share. */

#include <stdbool.h>

#include "device.h"
#include "entry.h"
#include "opencl_api.h"

/* Those that there are, in the order of platforms and of their devices. */
struct op2i_opencl_found {
  cl_platform_id platform;
  cl_device_id id;
  cl_device_type type;
  const char *unfit; /* why it cannot be used; null: it can */
  struct op2i_device_limits limits;
};
/* Found at the first call of either, by any thread; `why` and `*found` are not freed. */
const char *op2i_opencl_unavailable(void);
int op2i_opencl_found(const struct op2i_opencl_found **found);

enum { OP2I_OPENCL_HEADERS = 12 };
/* Headers of C that OpenCL C lacks: what they declare and OpenCL does not have built in. */
extern const struct op2i_opencl_header {
  const char *name, *text;
} op2i_opencl_headers[OP2I_OPENCL_HEADERS];

/* What small puts are copied to, so that the caller has its memory back before the device has come
 * to them. */
enum { OP2I_OPENCL_SLOTS = 16, OP2I_OPENCL_SLOT_BYTES = 4096 };
struct op2i_opencl_slot {
  cl_event written; /* null: it is free */
  unsigned char bytes[OP2I_OPENCL_SLOT_BYTES];
};

struct op2i_opencl_device {
  struct op2i_device base;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  cl_program headers[OP2I_OPENCL_HEADERS]; /* made at the first build */
  const char *standard; /* "-cl-std=..." that its compiler takes; null: not known yet */
  bool rounds_right;    /* division and square root of floats are correctly rounded where asked */
  size_t largest;       /* bytes of one piece of memory */
  struct op2i_opencl_slot slots[OP2I_OPENCL_SLOTS]; /* used in turn */
  int slot;
  char lost[512]; /* why nothing works any more; empty: all is well */
};

/* OP2_SUCCESS, or the failure that a code of OpenCL means. Memory that is lacking is OP2_ERR_NOMEM,
 * more than the device can do OP2_ERR_UNAVAILABLE, and a device that is gone OP2_ERR_FATAL. */
op2_status op2i_opencl_status(struct op2i_opencl_device *device, cl_int code, const char *call);
/* The same for calls that wait: CL_OUT_OF_RESOURCES tells there of a kernel that went wrong. */
op2_status op2i_opencl_waited(struct op2i_opencl_device *device, cl_int code, const char *call);
/* OP2_ERR_FATAL with the reason once the device is lost. */
op2_status op2i_opencl_alive(const struct op2i_opencl_device *device);

op2_status op2i_opencl_alloc(struct op2i_device *base, size_t bytes, void **memory);
void op2i_opencl_release(struct op2i_device *base, void *memory);
op2_status op2i_opencl_put(struct op2i_device *base, void *memory, size_t at, const void *host,
                           size_t bytes);
/* The end of small puts, of a device that is closed. */
void op2i_opencl_drop_slots(struct op2i_opencl_device *device);
op2_status op2i_opencl_get(struct op2i_device *base, void *host, void *memory, size_t at,
                           size_t bytes);
op2_status op2i_opencl_clear(struct op2i_device *base, void *memory, size_t at, size_t bytes);

op2_status op2i_opencl_build(struct op2i_device *base, const char *source,
                             const char *const *includes, struct op2i_text *log, void **binary,
                             size_t *bytes);

/* What ends a binary of ours. Drivers cannot be trusted to see that one is damaged: PoCL aborts. */
struct op2i_opencl_tail {
  char target[sizeof((struct op2i_device_limits *)0)->target];
  struct op2i_key image; /* digest of all that is before */
};

struct op2i_opencl_code {
  struct op2i_device_code base;
  cl_program program;
  cl_kernel kernel;
};
op2_status op2i_opencl_load_code(struct op2i_device *base, const void *binary, size_t bytes,
                                 const char *entry, struct op2i_device_code **code);
void op2i_opencl_unload(struct op2i_device *base, struct op2i_device_code *code);
op2_status op2i_opencl_launch(struct op2i_device *base, struct op2i_device_code *code,
                              const struct op2i_launch *launch);
op2_status op2i_opencl_wait(struct op2i_device *base);

#endif
