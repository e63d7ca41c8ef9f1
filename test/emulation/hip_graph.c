/* SPDX-License-Identifier: BSD-3-Clause */
/* HIP's graphs by those of the emulated driver. */
#include "hip.h"

static struct emulation_kernel_node kernel_of(const struct hip_kernel_node *k) {
  return (struct emulation_kernel_node){.function = k->function,
                                        .grid_x = k->grid.x,
                                        .grid_y = k->grid.y,
                                        .grid_z = k->grid.z,
                                        .block_x = k->block.x,
                                        .block_y = k->block.y,
                                        .block_z = k->block.z,
                                        .shared_bytes = k->shared_bytes,
                                        .parameters = k->parameters,
                                        .extra = k->extra};
}

static struct emulation_memset memset_of(const struct hip_memset_node *z) {
  return (struct emulation_memset){.memory = (uint64_t)(uintptr_t)z->memory,
                                   .pitch = z->pitch,
                                   .value = z->value,
                                   .element_bytes = z->element_bytes,
                                   .width = z->width,
                                   .height = z->height};
}

/* A memset node takes the context of the thread's device. */
static void *context_now(void) {
  void *context = NULL;
  cuCtxGetCurrent(&context);
  return context;
}

int hipGraphCreate(struct emulation_graph **graph, unsigned flags) {
  HIP_CALL(cuGraphCreate(graph, flags))
}

int hipGraphDestroy(struct emulation_graph *graph) { HIP_CALL(cuGraphDestroy(graph)) }

int hipGraphAddKernelNode(struct emulation_node **node, struct emulation_graph *graph,
                          struct emulation_node *const *after, size_t nafter,
                          const struct hip_kernel_node *kernel) {
  const struct emulation_kernel_node k = kernel_of(kernel);
  emulation_hip_allow(kernel->function);
  HIP_CALL(cuGraphAddKernelNode(node, graph, after, nafter, &k))
}

int hipGraphAddMemsetNode(struct emulation_node **node, struct emulation_graph *graph,
                          struct emulation_node *const *after, size_t nafter,
                          const struct hip_memset_node *zeros) {
  const struct emulation_memset z = memset_of(zeros);
  HIP_CALL(cuGraphAddMemsetNode(node, graph, after, nafter, &z, context_now()))
}

int hipGraphInstantiateWithFlags(struct emulation_exec **exec, struct emulation_graph *graph,
                                 unsigned long long flags) {
  HIP_CALL(cuGraphInstantiateWithFlags(exec, graph, flags))
}

int hipGraphExecKernelNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                    const struct hip_kernel_node *kernel) {
  const struct emulation_kernel_node k = kernel_of(kernel);
  HIP_CALL(cuGraphExecKernelNodeSetParams(exec, node, &k))
}

int hipGraphExecMemsetNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                    const struct hip_memset_node *zeros) {
  const struct emulation_memset z = memset_of(zeros);
  HIP_CALL(cuGraphExecMemsetNodeSetParams(exec, node, &z, context_now()))
}

int hipGraphLaunch(struct emulation_exec *exec, void *stream) {
  HIP_CALL(cuGraphLaunch(exec, stream))
}

int hipGraphExecDestroy(struct emulation_exec *exec) { HIP_CALL(cuGraphExecDestroy(exec)) }
