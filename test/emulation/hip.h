/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_EMULATION_HIP_H
#define OP2_EMULATION_HIP_H

/* The functions that the emulated HIP runtime and the emulated hipRTC export, as the real ones declare them
 * but for pointers' types. */

#include "driver.h"

/* Return from a function of HIP with the result of one of the driver's, for which the thread's device has
 * a context. */
int emulation_hip_enter(void);
int emulation_hip_leave(int result);
#define HIP_CALL(call_)                                                                            \
  emulation_begin_call(__func__);                                                                  \
  const int entered = emulation_hip_enter();                                                       \
  return emulation_end_call(entered ? entered : emulation_hip_leave(call_));

/* A launch of the function may use all of a group's memory. */
void emulation_hip_allow(struct emulation_function *function);

int hipInit(unsigned flags);
int hipRuntimeGetVersion(int *version);
const char *hipGetErrorName(int result);
const char *hipGetErrorString(int result);
int hipGetDeviceCount(int *count);
int hipDeviceGet(int *device, int number);
int hipSetDevice(int device);
int hipGetDevice(int *device);
int hipDeviceGetName(char *name, int room, int device);
int hipDeviceGetAttribute(int *value, int attribute, int device);
int hipDeviceTotalMem(size_t *bytes, int device);
int hipGetDevicePropertiesR0600(void *properties, int device);

int hipMalloc(void **memory, size_t bytes);
int hipFree(void *memory);
int hipHostMalloc(void **memory, size_t bytes, unsigned flags);
int hipHostFree(void *memory);
int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *stream);
int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *stream);
int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *stream);
int hipMemsetD8Async(void *memory, unsigned char value, size_t bytes, void *stream);

int hipStreamCreateWithFlags(void **stream, unsigned flags);
int hipStreamDestroy(void *stream);
int hipStreamSynchronize(void *stream);
int hipEventCreateWithFlags(void **event, unsigned flags);
int hipEventDestroy(void *event);
int hipEventRecord(void *event, void *stream);
int hipEventSynchronize(void *event);
int hipEventQuery(void *event);
int hipEventElapsedTime(float *milliseconds, void *start, void *end);

int hipModuleLoadData(struct emulation_module **module, const void *image);
int hipModuleUnload(struct emulation_module *module);
int hipModuleGetFunction(struct emulation_function **function, struct emulation_module *module,
                         const char *name);
int hipFuncGetAttribute(int *value, int attribute, struct emulation_function *function);
int hipModuleLaunchKernel(struct emulation_function *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, void *stream, void **parameters, void **extra);

/* hip_graph.c */
struct hip_extent {
  unsigned x, y, z;
};
struct hip_kernel_node {
  struct hip_extent block;
  void **extra;
  struct emulation_function *function;
  struct hip_extent grid;
  void **parameters;
  unsigned shared_bytes;
};
struct hip_memset_node {
  void *memory;
  unsigned element_bytes;
  size_t height, pitch;
  unsigned value;
  size_t width;
};
int hipGraphCreate(struct emulation_graph **graph, unsigned flags);
int hipGraphDestroy(struct emulation_graph *graph);
int hipGraphAddKernelNode(struct emulation_node **node, struct emulation_graph *graph,
                          struct emulation_node *const *after, size_t nafter,
                          const struct hip_kernel_node *kernel);
int hipGraphAddMemsetNode(struct emulation_node **node, struct emulation_graph *graph,
                          struct emulation_node *const *after, size_t nafter,
                          const struct hip_memset_node *zeros);
int hipGraphInstantiateWithFlags(struct emulation_exec **exec, struct emulation_graph *graph,
                                 unsigned long long flags);
int hipGraphExecKernelNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                    const struct hip_kernel_node *kernel);
int hipGraphExecMemsetNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                    const struct hip_memset_node *zeros);
int hipGraphLaunch(struct emulation_exec *exec, void *stream);
int hipGraphExecDestroy(struct emulation_exec *exec);

/* hiprtc.c */
struct nvrtc_program;
int hiprtcVersion(int *major, int *minor);
int hiprtcCreateProgram(struct nvrtc_program **program, const char *source, const char *name,
                        int nheaders, const char *const *headers, const char *const *names);
int hiprtcDestroyProgram(struct nvrtc_program **program);
int hiprtcCompileProgram(struct nvrtc_program *program, int n, const char *const *options);
int hiprtcGetProgramLogSize(struct nvrtc_program *program, size_t *bytes);
int hiprtcGetProgramLog(struct nvrtc_program *program, char *log);
int hiprtcGetCodeSize(struct nvrtc_program *program, size_t *bytes);
int hiprtcGetCode(struct nvrtc_program *program, char *code);

#endif
