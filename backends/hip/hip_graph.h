/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HIP_GRAPH_H
#define OP2I_HIP_GRAPH_H

/* Graphs of launches on AMD's devices, and what stands for a context there. */

#include "hip_api.h"

/* Put adapters in the place of functions of graphs that HIP has with other parameters. */
void op2i_hip_adapt_graphs(const struct op2i_hip_api *hip, struct op2i_cuda_api *as_cuda);

/* A device's only context is known by the device's number. */
static inline op2i_cuda_context op2i_hip_context(int device) {
  return (op2i_cuda_context)(uintptr_t)(device + 1);
}
static inline int op2i_hip_device(op2i_cuda_context context) { return (int)(uintptr_t)context - 1; }

#endif
