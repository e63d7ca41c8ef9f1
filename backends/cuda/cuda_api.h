/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CUDA_API_H
#define OP2I_CUDA_API_H

/* The parts of CUDA's driver interface and of NVRTC that are called here, as CUDA 11.2 and all
 * later versions export them. Both are opened when somebody asks, and stay open: the build needs
 * neither, nor their headers, and one library serves machines with and without. */

#include <stddef.h>
#include <stdint.h>

struct op2i_text;

typedef uint64_t op2i_cuda_address;
typedef struct op2i_cuda_context *op2i_cuda_context;
typedef struct op2i_cuda_stream *op2i_cuda_stream;
typedef struct op2i_cuda_event *op2i_cuda_event;
typedef struct op2i_cuda_module *op2i_cuda_module;
typedef struct op2i_cuda_function *op2i_cuda_function;
typedef struct op2i_nvrtc_program *op2i_nvrtc_program;

/* What calls of the driver return. */
enum {
  OP2I_CUDA_SUCCESS = 0,
  OP2I_CUDA_OUT_OF_MEMORY = 2,
  OP2I_CUDA_DEINITIALIZED = 4,
  OP2I_CUDA_INSUFFICIENT_DRIVER = 35,
  OP2I_CUDA_DEVICE_UNAVAILABLE = 46,
  OP2I_CUDA_NO_DEVICE = 100,
  OP2I_CUDA_INVALID_IMAGE = 200,
  OP2I_CUDA_INVALID_CONTEXT = 201,
  OP2I_CUDA_NO_BINARY_FOR_GPU = 209,
  OP2I_CUDA_ECC_UNCORRECTABLE = 214,
  OP2I_CUDA_INVALID_PTX = 218,
  OP2I_CUDA_NVLINK_UNCORRECTABLE = 220,
  OP2I_CUDA_NO_JIT_COMPILER = 221,
  OP2I_CUDA_UNSUPPORTED_PTX = 222,
  OP2I_CUDA_CONTAINED = 226,
  OP2I_CUDA_INVALID_SOURCE = 300,
  OP2I_CUDA_NOT_FOUND = 500,
  OP2I_CUDA_ILLEGAL_ADDRESS = 700,
  OP2I_CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
  OP2I_CUDA_LAUNCH_TIMEOUT = 702,
  OP2I_CUDA_CONTEXT_IS_DESTROYED = 709,
  OP2I_CUDA_ASSERT = 710,
  OP2I_CUDA_HARDWARE_STACK = 714, /* to 719: instructions, alignment, addresses, and the rest */
  OP2I_CUDA_LAUNCH_FAILED = 719,
  OP2I_CUDA_TENSOR_MEMORY_LEAK = 721,
  OP2I_CUDA_SYSTEM_NOT_READY = 802, /* to 804: driver and library that do not fit */
  OP2I_CUDA_COMPAT_NOT_SUPPORTED = 804,
  OP2I_CUDA_UNKNOWN = 999
};

/* What is asked of devices and functions, and flags. */
enum {
  OP2I_CUDA_DEVICE_MAX_THREADS_PER_BLOCK = 1,
  OP2I_CUDA_DEVICE_MULTIPROCESSORS = 16,
  OP2I_CUDA_DEVICE_MAJOR = 75,
  OP2I_CUDA_DEVICE_MINOR = 76,
  OP2I_CUDA_DEVICE_MAX_SHARED_OPTIN = 97,
  OP2I_CUDA_FUNCTION_MAX_THREADS = 0,
  OP2I_CUDA_FUNCTION_SHARED = 1,
  OP2I_CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8,
  OP2I_CUDA_STREAM_NON_BLOCKING = 1,
  OP2I_CUDA_EVENT_DISABLE_TIMING = 2
};

enum {
  OP2I_NVRTC_SUCCESS = 0,
  OP2I_NVRTC_OUT_OF_MEMORY = 1,
  OP2I_NVRTC_INVALID_OPTION = 5,
};

/* clang-format off */
#define OP2I_CUDA_CALLS(call) \
  call(cuInit, (unsigned flags)) \
  call(cuDriverGetVersion, (int *version)) \
  call(cuGetErrorName, (int result, const char **name)) \
  call(cuGetErrorString, (int result, const char **text)) \
  call(cuDeviceGetCount, (int *count)) \
  call(cuDeviceGet, (int *device, int number)) \
  call(cuDeviceGetName, (char *name, int room, int device)) \
  call(cuDeviceGetAttribute, (int *value, int attribute, int device)) \
  call(cuDeviceTotalMem_v2, (size_t *bytes, int device)) \
  call(cuDevicePrimaryCtxRetain, (op2i_cuda_context *context, int device)) \
  call(cuDevicePrimaryCtxRelease_v2, (int device)) \
  call(cuCtxPushCurrent_v2, (op2i_cuda_context context)) \
  call(cuCtxPopCurrent_v2, (op2i_cuda_context *context)) \
  call(cuStreamCreate, (op2i_cuda_stream *stream, unsigned flags)) \
  call(cuStreamDestroy_v2, (op2i_cuda_stream stream)) \
  call(cuStreamSynchronize, (op2i_cuda_stream stream)) \
  call(cuEventCreate, (op2i_cuda_event *event, unsigned flags)) \
  call(cuEventDestroy_v2, (op2i_cuda_event event)) \
  call(cuEventRecord, (op2i_cuda_event event, op2i_cuda_stream stream)) \
  call(cuEventSynchronize, (op2i_cuda_event event)) \
  call(cuMemAlloc_v2, (op2i_cuda_address *memory, size_t bytes)) \
  call(cuMemFree_v2, (op2i_cuda_address memory)) \
  call(cuMemAllocHost_v2, (void **memory, size_t bytes)) \
  call(cuMemFreeHost, (void *memory)) \
  call(cuMemcpyHtoDAsync_v2, (op2i_cuda_address to, const void *from, size_t bytes, \
                              op2i_cuda_stream stream)) \
  call(cuMemcpyDtoHAsync_v2, (void *to, op2i_cuda_address from, size_t bytes, \
                              op2i_cuda_stream stream)) \
  call(cuMemsetD8Async, (op2i_cuda_address at, unsigned char value, size_t bytes, \
                         op2i_cuda_stream stream)) \
  call(cuModuleLoadData, (op2i_cuda_module *module, const void *image)) \
  call(cuModuleUnload, (op2i_cuda_module module)) \
  call(cuModuleGetFunction, (op2i_cuda_function *function, op2i_cuda_module module, \
                             const char *name)) \
  call(cuFuncGetAttribute, (int *value, int attribute, op2i_cuda_function function)) \
  call(cuFuncSetAttribute, (op2i_cuda_function function, int attribute, int value)) \
  call(cuLaunchKernel, (op2i_cuda_function function, unsigned grid_x, unsigned grid_y, \
                        unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, \
                        unsigned shared_bytes, op2i_cuda_stream stream, void **parameters, \
                        void **extra))

#define OP2I_NVRTC_CALLS(call) \
  call(nvrtcVersion, (int *major, int *minor)) \
  call(nvrtcCreateProgram, (op2i_nvrtc_program *program, const char *source, const char *name, \
                            int nheaders, const char *const *headers, const char *const *names)) \
  call(nvrtcDestroyProgram, (op2i_nvrtc_program *program)) \
  call(nvrtcCompileProgram, (op2i_nvrtc_program program, int n, const char *const *options)) \
  call(nvrtcGetProgramLogSize, (op2i_nvrtc_program program, size_t *bytes)) \
  call(nvrtcGetProgramLog, (op2i_nvrtc_program program, char *log)) \
  call(nvrtcGetCUBINSize, (op2i_nvrtc_program program, size_t *bytes)) \
  call(nvrtcGetCUBIN, (op2i_nvrtc_program program, char *cubin))
/* clang-format on */

#define OP2I_CUDA_MEMBER(name_, parameters_) int(*name_) parameters_;
struct op2i_cuda_api {
  OP2I_CUDA_CALLS(OP2I_CUDA_MEMBER)
};
struct op2i_nvrtc_api {
  OP2I_NVRTC_CALLS(OP2I_CUDA_MEMBER)
  const char *(*nvrtcGetErrorString)(int result);
};

/* Filled by the first call of the function beneath that returns null. */
extern struct op2i_cuda_api op2i_cuda;
extern struct op2i_nvrtc_api op2i_nvrtc;

/* Why a library cannot be called; null: it can. The driver is opened, and not yet begun: cuInit()
 * is for who needs it, since no process that is forked after it can use CUDA. Asked by any
 * thread. */
const char *op2i_cuda_missing(void);
const char *op2i_nvrtc_missing(void);
const char *op2i_nvrtc_version(void); /* "13.0"; empty where it is missing */

#endif
