/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of launches on AMD's devices: HIP's functions take other structures than CUDA's, and no
 * context. */
#include "hip_graph.h"

static const struct op2i_hip_api *hip;

/* HIP's structures. */
struct extent {
  unsigned x, y, z;
};
struct op2i_hip_kernel_node {
  struct extent block;
  void **extra;
  void *function;
  struct extent grid;
  void **parameters;
  unsigned shared_bytes;
};
struct op2i_hip_memset_node {
  void *memory;
  unsigned element_bytes;
  size_t height, pitch;
  unsigned value;
  size_t width;
};

static struct op2i_hip_kernel_node kernel_of(const struct op2i_cuda_kernel_node *k) {
  return (struct op2i_hip_kernel_node){.block = {k->block_x, k->block_y, k->block_z},
                                       .extra = k->extra,
                                       .function = k->function,
                                       .grid = {k->grid_x, k->grid_y, k->grid_z},
                                       .parameters = k->parameters,
                                       .shared_bytes = k->shared_bytes};
}

static struct op2i_hip_memset_node memset_of(const struct op2i_cuda_memset_node *m) {
  return (struct op2i_hip_memset_node){.memory = (void *)(uintptr_t)m->memory,
                                       .element_bytes = m->element_bytes,
                                       .height = m->height,
                                       .pitch = m->pitch,
                                       .value = m->value,
                                       .width = m->width};
}

static int add_kernel(op2i_cuda_node *node, op2i_cuda_graph graph, const op2i_cuda_node *after,
                      size_t nafter, const struct op2i_cuda_kernel_node *kernel) {
  const struct op2i_hip_kernel_node own = kernel_of(kernel);
  return hip->hipGraphAddKernelNode(node, graph, after, nafter, &own);
}

static int add_memset(op2i_cuda_node *node, op2i_cuda_graph graph, const op2i_cuda_node *after,
                      size_t nafter, const struct op2i_cuda_memset_node *zeros,
                      op2i_cuda_context context) {
  const struct op2i_hip_memset_node own = memset_of(zeros);
  (void)context;
  return hip->hipGraphAddMemsetNode(node, graph, after, nafter, &own);
}

static int set_kernel(op2i_cuda_exec exec, op2i_cuda_node node,
                      const struct op2i_cuda_kernel_node *kernel) {
  const struct op2i_hip_kernel_node own = kernel_of(kernel);
  return hip->hipGraphExecKernelNodeSetParams(exec, node, &own);
}

static int set_memset(op2i_cuda_exec exec, op2i_cuda_node node,
                      const struct op2i_cuda_memset_node *zeros, op2i_cuda_context context) {
  const struct op2i_hip_memset_node own = memset_of(zeros);
  (void)context;
  return hip->hipGraphExecMemsetNodeSetParams(exec, node, &own);
}

/* A thread always has a device, which stands for the context. */
static int current_context(op2i_cuda_context *context) {
  int device = 0;
  const int result = hip->hipGetDevice(&device);
  *context = op2i_hip_context(device);
  return result;
}

static int set_context(op2i_cuda_context context) {
  return context ? hip->hipSetDevice(op2i_hip_device(context)) : 0;
}

void op2i_hip_adapt_graphs(const struct op2i_hip_api *found, struct op2i_cuda_api *as_cuda) {
  hip = found;
  as_cuda->cuCtxGetCurrent = current_context;
  as_cuda->cuCtxSetCurrent = set_context;
  as_cuda->cuGraphAddKernelNode = add_kernel;
  as_cuda->cuGraphAddMemsetNode = add_memset;
  as_cuda->cuGraphExecKernelNodeSetParams = set_kernel;
  as_cuda->cuGraphExecMemsetNodeSetParams = set_memset;
}
