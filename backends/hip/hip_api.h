/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HIP_API_H
#define OP2I_HIP_API_H

/* The part of AMD's HIP runtime and of hipRTC that op2 calls. Their functions are those of CUDA's
 * driver and of NVRTC under other names, so they fill the same tables (cuda_api.h); those that differ
 * have adapters. Both libraries are opened at their first use, and building op2 needs nothing of HIP.
 * The declarations are limited to what has kept its numbers since HIP 4.3, as in HIP 7. */

#include "cuda_api.h"

/* Attributes of a device. */
enum {
  OP2I_HIP_MAJOR = 23,
  OP2I_HIP_MAX_THREADS = 56,
  OP2I_HIP_MINOR = 61,
  OP2I_HIP_UNITS = 63,
  OP2I_HIP_SHARED = 74,
  OP2I_HIP_WAVE = 87
};

/* Functions of CUDA's table that HIP has with the same parameters: use_(name there, HIP's name). */
#define OP2I_HIP_SAME(use_)                                                                        \
  use_(cuDriverGetVersion, hipRuntimeGetVersion) use_(cuDeviceGet, hipDeviceGet)                   \
      use_(cuDeviceGetName, hipDeviceGetName) use_(cuDeviceTotalMem_v2, hipDeviceTotalMem) use_(   \
          cuStreamCreate, hipStreamCreateWithFlags) use_(cuStreamDestroy_v2, hipStreamDestroy)     \
          use_(cuStreamSynchronize, hipStreamSynchronize) use_(cuMemAlloc_v2, hipMalloc) use_(     \
              cuMemFree_v2, hipFree) use_(cuMemFreeHost, hipHostFree) use_(cuMemcpyHtoDAsync_v2,   \
                                                                           hipMemcpyHtoDAsync)     \
              use_(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync) use_(                                 \
                  cuMemsetD8Async, hipMemsetD8Async) use_(cuEventCreate, hipEventCreateWithFlags)  \
                  use_(cuEventDestroy_v2, hipEventDestroy) use_(cuEventRecord, hipEventRecord)     \
                      use_(cuEventSynchronize, hipEventSynchronize)                                \
                          use_(cuEventQuery, hipEventQuery)                                        \
                              use_(cuEventElapsedTime, hipEventElapsedTime)                        \
                                  use_(cuModuleLoadData, hipModuleLoadData)                        \
                                      use_(cuModuleUnload, hipModuleUnload)                        \
                                          use_(cuModuleGetFunction, hipModuleGetFunction)          \
                                              use_(cuFuncGetAttribute, hipFuncGetAttribute)        \
                                                  use_(cuLaunchKernel, hipModuleLaunchKernel)

/* Functions of graphs, in the same way. All of them and of those below are there, or none is used. */
#define OP2I_HIP_GRAPH_SAME(use_)                                                                  \
  use_(cuGraphCreate, hipGraphCreate) use_(cuGraphDestroy, hipGraphDestroy)                        \
      use_(cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags)                              \
          use_(cuGraphLaunch, hipGraphLaunch) use_(cuGraphExecDestroy, hipGraphExecDestroy)

/* Functions of NVRTC's table, in the same way. */
#define OP2I_HIPRTC_SAME(use_)                                                                     \
  use_(nvrtcVersion, hiprtcVersion) use_(nvrtcCreateProgram, hiprtcCreateProgram)                  \
      use_(nvrtcDestroyProgram, hiprtcDestroyProgram)                                              \
          use_(nvrtcCompileProgram, hiprtcCompileProgram)                                          \
              use_(nvrtcGetProgramLogSize, hiprtcGetProgramLogSize)                                \
                  use_(nvrtcGetProgramLog, hiprtcGetProgramLog)                                    \
                      use_(nvrtcGetCUBINSize, hiprtcGetCodeSize)                                   \
                          use_(nvrtcGetCUBIN, hiprtcGetCode)

/* Functions that CUDA has not, or has with other parameters: use_(type, name, parameters). */
#define OP2I_HIP_OWN(use_)                                                                         \
  use_(int, hipInit, (unsigned flags)) use_(int, hipGetDeviceCount, (int *count))                  \
      use_(int, hipDeviceGetAttribute, (int *value, int attribute, int device))                    \
          use_(int, hipGetDevice, (int *device)) use_(int, hipSetDevice, (int device))             \
              use_(int, hipHostMalloc, (void **memory, size_t bytes, unsigned flags))              \
                  use_(const char *, hipGetErrorName, (int result))                                \
                      use_(const char *, hipGetErrorString, (int result))

/* Functions of graphs that take structures of HIP's own. */
struct op2i_hip_kernel_node;
struct op2i_hip_memset_node;
#define OP2I_HIP_GRAPH_OWN(use_)                                                                   \
  use_(int, hipGraphAddKernelNode,                                                                 \
       (op2i_cuda_node * node, op2i_cuda_graph graph, const op2i_cuda_node *after, size_t nafter,  \
        const struct op2i_hip_kernel_node *kernel))                                                \
      use_(int, hipGraphAddMemsetNode,                                                             \
           (op2i_cuda_node * node, op2i_cuda_graph graph, const op2i_cuda_node *after,             \
            size_t nafter, const struct op2i_hip_memset_node *memset))                             \
          use_(int, hipGraphExecKernelNodeSetParams,                                               \
               (op2i_cuda_exec exec, op2i_cuda_node node,                                          \
                const struct op2i_hip_kernel_node *kernel))                                        \
              use_(int, hipGraphExecMemsetNodeSetParams,                                           \
                   (op2i_cuda_exec exec, op2i_cuda_node node,                                      \
                    const struct op2i_hip_memset_node *memset))

#define OP2I_HIP_MEMBER(type_, name_, parameters_) type_(*name_) parameters_;
struct op2i_hip_api {
  OP2I_HIP_OWN(OP2I_HIP_MEMBER)
  OP2I_HIP_GRAPH_OWN(OP2I_HIP_MEMBER)
  /* hipGetDevicePropertiesR0600, which HIP has since version 6, or hipGetDeviceProperties. */
  int (*properties)(void *properties, int device);
};

/* Return what could be opened; null: not available, and *why is the reason. */
const struct op2i_hip_api *op2i_hip_api(const char **why);
const struct op2i_cuda_api *op2i_hip_as_cuda(const char **why);
const struct op2i_nvrtc_api *op2i_hiprtc_api(const char **why);
const char *op2i_hiprtc_version(void); /* "9.0, HIP 50221153" */

#endif
