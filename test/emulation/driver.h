/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_EMULATION_DRIVER_H
#define OP2_EMULATION_DRIVER_H

/* The functions that the emulated driver exports, as the real one declares them but for pointers' types. */

#include "emulation.h"

/* Calls come from any thread. */
void emulation_lock(void);
int emulation_unlock(int result); /* that */

/* Each function of the driver calls this first, with its __func__. Calls within another function of the
 * driver, between the other two, do not count. */
void emulation_called(const char *name);
void emulation_begin_call(const char *name);
int emulation_end_call(int result); /* returns the result */

/* stream.c: what is put off. */
int emulation_put_off_launch(void *stream, const struct emulation_launch *launch);
/* A launch with a copy of its parameters' values, which the caller frees; false: no memory. */
bool emulation_copy_parameters(struct emulation_launch *launch);
/* A row of bytes that are set, as in a graph. */
struct emulation_memset {
  uint64_t memory;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
};
int emulation_put_off_memset(void *stream, const struct emulation_memset *memset);
int emulation_finish_streams(void);
void emulation_forget_streams(void);

/* For tests: how often a program has done this so far. Waits are calls that return when a stream has
 * nothing left to do, releases and transfers of memory that is not pinned among them; allocations are
 * those of pinned memory as well, and transfers those of graphs. */
struct op2_emulation_counts {
  int64_t waits, allocations, transfers;
};
void op2_emulation_count(struct op2_emulation_counts *counts);
/* What warps asked of memory so far in a function of a loop, "KERNEL FUNCTION" (warps.c): the most words of
 * a bank of shared memory at once, sectors of the device's memory, and how many these would be at least.
 * False if nothing is known of it. */
bool op2_emulation_warps(const char *name, int *words, long long *sectors, long long *least);
/* How often a function of the driver was called so far, by its exported name; null: all of them. And the
 * names of those that were called, from 0; null behind the last. */
int64_t op2_emulation_calls(const char *name);
const char *op2_emulation_call(int i);

/* device.c: the devices that are visible, and which of all those that are emulated one of them is. */
int emulation_devices(void);
int emulation_device(int number);
/* For tests: how many launches a device has had so far, by its number among all. */
int64_t op2_emulation_launches(int device);

/* driver.c: the device whose context is current has a launch more; and whether the function takes such a launch. */
void emulation_launched(void);
bool emulation_can_launch(const struct emulation_launch *launch);

/* graph.c: there are no graphs any more. */
void emulation_forget_graphs(void);

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int result, const char **name);
int cuGetErrorString(int result, const char **text);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int number);
int cuDeviceGetName(char *name, int room, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSynchronize(void);
int cuCtxGetCurrent(void **context);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(struct emulation_module **module, const void *image);
int cuModuleUnload(struct emulation_module *module);
int cuModuleGetFunction(struct emulation_function **function, struct emulation_module *module,
                        const char *name);
struct emulation_link;
int cuLinkCreate_v2(unsigned n, int *options, void **values, struct emulation_link **link);
int cuLinkAddData_v2(struct emulation_link *link, int kind, void *data, size_t bytes,
                     const char *name, unsigned n, int *options, void **values);
int cuLinkComplete(struct emulation_link *link, void **image, size_t *bytes);
int cuLinkDestroy(struct emulation_link *link);
int cuFuncGetAttribute(int *value, int attribute, struct emulation_function *function);
int cuFuncSetAttribute(struct emulation_function *function, int attribute, int value);
int cuLaunchKernel(struct emulation_function *function, unsigned grid_x, unsigned grid_y,
                   unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared_bytes, void *stream, void **parameters, void **extra);

int cuMemAlloc_v2(uint64_t *memory, size_t bytes);
int cuMemFree_v2(uint64_t memory);
int cuMemAllocHost_v2(void **memory, size_t bytes);
int cuMemFreeHost(void *memory);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream);
int cuMemsetD8Async(uint64_t memory, unsigned char value, size_t bytes, void *stream);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamQuery(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventSynchronize(void *event);
int cuEventQuery(void *event);

struct emulation_graph;
struct emulation_node;
struct emulation_exec;
struct emulation_kernel_node {
  struct emulation_function *function;
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void **parameters, **extra;
};
int cuGraphCreate(struct emulation_graph **graph, unsigned flags);
int cuGraphDestroy(struct emulation_graph *graph);
int cuGraphAddKernelNode(struct emulation_node **node, struct emulation_graph *graph,
                         struct emulation_node *const *after, size_t nafter,
                         const struct emulation_kernel_node *kernel);
int cuGraphAddMemsetNode(struct emulation_node **node, struct emulation_graph *graph,
                         struct emulation_node *const *after, size_t nafter,
                         const struct emulation_memset *memset, void *context);
int cuGraphInstantiateWithFlags(struct emulation_exec **exec, struct emulation_graph *graph,
                                unsigned long long flags);
int cuGraphExecKernelNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                   const struct emulation_kernel_node *kernel);
int cuGraphExecMemsetNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                   const struct emulation_memset *memset, void *context);
int cuGraphLaunch(struct emulation_exec *exec, void *stream);
int cuGraphExecDestroy(struct emulation_exec *exec);

int cuEventElapsedTime(float *milliseconds, void *start, void *end);

#endif
