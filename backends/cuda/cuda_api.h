/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CUDA_API_H
#define OP2I_CUDA_API_H

/* The part of the CUDA driver and NVRTC that op2 calls. Both are opened at their first use, so that
 * one library serves machines with and without them; building op2 needs nothing of CUDA. The
 * declarations are limited to the part of their interfaces that has kept its numbers since CUDA
 * 11. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2/status.h"

typedef int op2i_cuda_result; /* 0: success */
typedef unsigned long long op2i_cuda_pointer;
typedef struct op2i_cuda_context_s *op2i_cuda_context;
typedef struct op2i_cuda_stream_s *op2i_cuda_stream;
typedef struct op2i_cuda_module_s *op2i_cuda_module;
typedef struct op2i_cuda_function_s *op2i_cuda_function;
typedef struct op2i_cuda_link_s *op2i_cuda_link_state;
typedef struct op2i_cuda_graph_s *op2i_cuda_graph;
typedef struct op2i_cuda_node_s *op2i_cuda_node;
typedef struct op2i_cuda_exec_s *op2i_cuda_exec;
typedef struct op2i_nvrtc_program_s *op2i_nvrtc_program;

enum { OP2I_CUDA_NOMEM = 2, OP2I_CUDA_NO_DEVICE = 100, OP2I_CUDA_NOT_READY = 600 };

/* Attributes of a device. */
enum {
  OP2I_CUDA_MAX_THREADS = 1,
  OP2I_CUDA_SHARED = 8,
  OP2I_CUDA_WARP = 10,
  OP2I_CUDA_UNITS = 16,
  OP2I_CUDA_MAJOR = 75,
  OP2I_CUDA_MINOR = 76,
  OP2I_CUDA_SHARED_OPTIN = 97
};
/* Attributes of a function. */
enum {
  OP2I_CUDA_FUNCTION_THREADS = 0,
  OP2I_CUDA_FUNCTION_SHARED = 1,
  OP2I_CUDA_FUNCTION_DYNAMIC = 8
};

/* A kernel or a memset in a graph: the driver's structures as of CUDA 10, which the functions below
 * take. */
struct op2i_cuda_kernel_node {
  op2i_cuda_function function;
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void **parameters, **extra;
};
struct op2i_cuda_memset_node {
  op2i_cuda_pointer memory;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height; /* elements; rows */
};

/* Functions that older drivers may lack: all of them are there, or none is used. */
#define OP2I_CUDA_GRAPH_FUNCTIONS(use_)                                                            \
  use_(cuCtxGetCurrent, (op2i_cuda_context * context)) use_(cuCtxSetCurrent,                       \
                                                            (op2i_cuda_context context))           \
      use_(cuGraphCreate, (op2i_cuda_graph * graph, unsigned flags)) use_(cuGraphDestroy,          \
                                                                          (op2i_cuda_graph graph)) \
          use_(cuGraphAddKernelNode,                                                               \
               (op2i_cuda_node * node, op2i_cuda_graph graph, const op2i_cuda_node *after,         \
                size_t nafter, const struct op2i_cuda_kernel_node *kernel))                        \
              use_(cuGraphAddMemsetNode,                                                           \
                   (op2i_cuda_node * node, op2i_cuda_graph graph, const op2i_cuda_node *after,     \
                    size_t nafter, const struct op2i_cuda_memset_node *memset,                     \
                    op2i_cuda_context context))                                                    \
                  use_(cuGraphInstantiateWithFlags,                                                \
                       (op2i_cuda_exec * exec, op2i_cuda_graph graph, unsigned long long flags))   \
                      use_(cuGraphExecKernelNodeSetParams,                                         \
                           (op2i_cuda_exec exec, op2i_cuda_node node,                              \
                            const struct op2i_cuda_kernel_node *kernel))                           \
                          use_(cuGraphExecMemsetNodeSetParams,                                     \
                               (op2i_cuda_exec exec, op2i_cuda_node node,                          \
                                const struct op2i_cuda_memset_node *memset,                        \
                                op2i_cuda_context context))                                        \
                              use_(cuGraphLaunch, (op2i_cuda_exec exec, op2i_cuda_stream stream))  \
                                  use_(cuGraphExecDestroy, (op2i_cuda_exec exec))

/* use_(return type, name as the library exports it, parameters) */
#define OP2I_CUDA_FUNCTIONS(use_)                                                                  \
  use_(cuInit, (unsigned flags)) use_(cuDriverGetVersion, (int *version)) use_(                    \
      cuLinkCreate_v2,                                                                             \
      (unsigned n, int *options, void **values,                                                    \
       op2i_cuda_link_state *link)) use_(cuLinkAddData_v2,                                         \
                                         (op2i_cuda_link_state link, int kind, void *data,         \
                                          size_t bytes, const char *name, unsigned n,              \
                                          int *options, void **values))                            \
      use_(cuLinkComplete, (op2i_cuda_link_state link, void **image, size_t *bytes)) use_(         \
          cuLinkDestroy,                                                                           \
          (op2i_cuda_link_state link)) use_(cuGetErrorName,                                        \
                                            (op2i_cuda_result result, const char **name))          \
          use_(cuGetErrorString, (op2i_cuda_result result, const char **text)) use_(               \
              cuDeviceGetCount, (int *count)) use_(cuDeviceGet, (int *device, int number))         \
              use_(cuDeviceGetName, (char *name, int bytes, int device)) use_(                     \
                  cuDeviceGetAttribute,                                                            \
                  (int *value, int attribute,                                                      \
                   int device)) use_(cuDeviceTotalMem_v2, (size_t * bytes, int device))            \
                  use_(cuDevicePrimaryCtxRetain, (op2i_cuda_context * context, int device)) use_(  \
                      cuDevicePrimaryCtxRelease_v2,                                                \
                      (int device)) use_(cuCtxPushCurrent_v2, (op2i_cuda_context context))         \
                      use_(cuCtxPopCurrent_v2, (op2i_cuda_context * context)) use_(                \
                          cuStreamCreate,                                                          \
                          (op2i_cuda_stream * stream,                                              \
                           unsigned flags)) use_(cuStreamDestroy_v2, (op2i_cuda_stream stream))    \
                          use_(cuStreamSynchronize, (op2i_cuda_stream stream)) use_(               \
                              cuMemAlloc_v2,                                                       \
                              (op2i_cuda_pointer * memory,                                         \
                               size_t bytes)) use_(cuMemFree_v2, (op2i_cuda_pointer memory))       \
                              use_(cuMemAllocHost_v2, (void **memory, size_t bytes)) use_(         \
                                  cuMemFreeHost, (void *memory))                                   \
                                  use_(cuMemcpyHtoDAsync_v2,                                       \
                                       (op2i_cuda_pointer to, const void *from, size_t bytes,      \
                                        op2i_cuda_stream stream))                                  \
                                      use_(cuMemcpyDtoHAsync_v2,                                   \
                                           (void *to, op2i_cuda_pointer from, size_t bytes,        \
                                            op2i_cuda_stream stream))                              \
                                          use_(cuMemsetD8Async,                                    \
                                               (op2i_cuda_pointer memory, unsigned char value,     \
                                                size_t bytes,                                      \
                                                op2i_cuda_stream stream))                          \
                                              use_(cuEventCreate, (void **event, unsigned flags))  \
                                                  use_(cuEventDestroy_v2, (void *event)) use_(     \
                                                      cuEventRecord,                               \
                                                      (void *event,                                \
                                                       op2i_cuda_stream                            \
                                                           stream)) use_(cuEventSynchronize,       \
                                                                         (void *event))            \
                                                      use_(cuEventQuery, (void *event)) use_(      \
                                                          cuEventElapsedTime,                      \
                                                          (float *ms, void *begin,                 \
                                                           void *end)) use_(cuModuleLoadData,      \
                                                                            (op2i_cuda_module *    \
                                                                                 module,           \
                                                                             const void *image))   \
                                                          use_(cuModuleUnload,                     \
                                                               (op2i_cuda_module module))          \
                                                              use_(cuModuleGetFunction,            \
                                                                   (op2i_cuda_function * function, \
                                                                    op2i_cuda_module module,       \
                                                                    const char *name))             \
                                                                  use_(cuFuncGetAttribute,         \
                                                                       (int *value, int attribute, \
                                                                        op2i_cuda_function         \
                                                                            function))             \
                                                                      use_(cuFuncSetAttribute,     \
                                                                           (op2i_cuda_function     \
                                                                                function,          \
                                                                            int attribute,         \
                                                                            int value))            \
                                                                          use_(cuLaunchKernel,     \
                                                                               (op2i_cuda_function \
                                                                                    function,      \
                                                                                unsigned grid_x,   \
                                                                                unsigned grid_y,   \
                                                                                unsigned grid_z,   \
                                                                                unsigned block_x,  \
                                                                                unsigned block_y,  \
                                                                                unsigned block_z,  \
                                                                                unsigned           \
                                                                                    shared_bytes,  \
                                                                                op2i_cuda_stream   \
                                                                                    stream,        \
                                                                                void **parameters, \
                                                                                void **extra))

#define OP2I_NVRTC_FUNCTIONS(use_)                                                                 \
  use_(nvrtcVersion, (int *major, int *minor)) use_(                                               \
      nvrtcCreateProgram, (op2i_nvrtc_program * program, const char *source, const char *name,     \
                           int nheaders, const char *const *headers, const char *const *names))    \
      use_(nvrtcDestroyProgram, (op2i_nvrtc_program * program)) use_(                              \
          nvrtcCompileProgram, (op2i_nvrtc_program program, int n, const char *const *options))    \
          use_(nvrtcGetProgramLogSize, (op2i_nvrtc_program program, size_t * bytes))               \
              use_(nvrtcGetProgramLog, (op2i_nvrtc_program program, char *log))                    \
                  use_(nvrtcGetCUBINSize, (op2i_nvrtc_program program, size_t * bytes))            \
                      use_(nvrtcGetCUBIN, (op2i_nvrtc_program program, char *cubin))               \
                          use_(nvrtcGetPTXSize, (op2i_nvrtc_program program, size_t * bytes))      \
                              use_(nvrtcGetPTX, (op2i_nvrtc_program program, char *ptx))           \
                                  use_(nvrtcGetNumSupportedArchs, (int *n))                        \
                                      use_(nvrtcGetSupportedArchs, (int *architectures))

#define OP2I_CUDA_MEMBER(name_, parameters_) op2i_cuda_result(*name_) parameters_;
struct op2i_cuda_api {
  OP2I_CUDA_FUNCTIONS(OP2I_CUDA_MEMBER)
  OP2I_CUDA_GRAPH_FUNCTIONS(OP2I_CUDA_MEMBER)
  bool graphs; /* true if the functions of graphs are there */
};
struct op2i_nvrtc_api {
  OP2I_NVRTC_FUNCTIONS(OP2I_CUDA_MEMBER)
};

/* Return what could be opened; null: not available, and *why is the reason. */
const struct op2i_cuda_api *op2i_cuda_api(const char **why);
const struct op2i_nvrtc_api *op2i_nvrtc_api(const char **why);

const char *op2i_nvrtc_version(void); /* "13.0" */

struct op2i_text;
struct op2i_device_limits;
/* Compile source to a cubin for an architecture such as "sm_90", or to PTX for one such as
 * "compute_90"; no device is needed. See device.h, build(). */
op2_status op2i_cuda_compile(const char *source, const char *architecture,
                             const char *const *includes, struct op2i_text *log, void **binary,
                             size_t *bytes);
/* Write the identity of what builds binaries: NVRTC and the replacements for C's headers. */
void op2i_cuda_compiler(char *name, size_t room);

int op2i_cuda_attribute(const struct op2i_cuda_api *api, int number, int which); /* 0: unknown */
void op2i_cuda_describe(const struct op2i_cuda_api *api, int number,
                        struct op2i_device_limits *limits);
/* Write the architecture for which NVRTC compiles what is to run on a target such as "sm_90". Return
 * true if that gives PTX, which the driver has to translate. */
enum { OP2I_CUDA_ARCHITECTURE = 32 };
bool op2i_cuda_architecture(const char *target, char architecture[OP2I_CUDA_ARCHITECTURE]);
/* Translate PTX to a cubin for the device of the current context. *binary is replaced, and null after
 * a failure, of which the driver's words are added to the log. */
op2_status op2i_cuda_translate(const struct op2i_cuda_api *api, struct op2i_text *log,
                               void **binary, size_t *bytes);

#endif
