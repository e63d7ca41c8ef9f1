/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CUDA_GRAPH_H
#define OP2I_CUDA_GRAPH_H

/* Launches that are collected, and graphs of them. */

#include "cuda_api.h"
#include "device.h"
#include "device_graphs.h"

/* A launch, or a memset if `function` is null. Values of its parameters are at `first` among those
 * of all launches, eight bytes each. */
struct op2i_cuda_op {
  op2i_cuda_function function;
  unsigned groups, group, local_bytes;
  int64_t first, nargs;
  const void *block; /* the memory that is set to zero, and the part of it */
  op2i_cuda_pointer memory;
  size_t bytes;
};
struct op2i_cuda_ops {
  struct op2i_cuda_op *ops; /* [n], in the order in which they run */
  int64_t n, capacity;
  uint64_t *args; /* [nargs] */
  int64_t nargs, args_capacity;
};

/* Add a launch or a memset. False if there is no memory for that; then nothing was added. */
bool op2i_cuda_ops_launch(struct op2i_cuda_ops *ops, op2i_cuda_function function,
                          const struct op2i_launch *launch);
bool op2i_cuda_ops_clear(struct op2i_cuda_ops *ops, const void *block, op2i_cuda_pointer memory,
                         size_t bytes);
/* Return true if one of them uses memory that begins there. */
bool op2i_cuda_ops_use(const struct op2i_cuda_ops *ops, const void *memory);
void op2i_cuda_ops_clear_all(struct op2i_cuda_ops *ops);
void op2i_cuda_ops_free(struct op2i_cuda_ops *ops);

/* Where graphs are launched. */
struct op2i_cuda_place {
  const struct op2i_cuda_api *api;
  op2i_cuda_context context;
  op2i_cuda_stream stream;
  int64_t unloaded; /* functions unloaded so far: another one may be at the same address */
};

/* Launch what was collected as the next graph of `graphs`. The result of the driver is 0, or
 * nothing of it was launched, and *call is the call that failed. *apart is set if it is to be
 * launched without a graph. */
op2i_cuda_result op2i_cuda_graph_launch(const struct op2i_cuda_place *place,
                                        struct op2i_device_graphs *graphs,
                                        struct op2i_cuda_ops *ops, bool *apart, const char **call);
/* Launch it without a graph, one after the other. */
op2i_cuda_result op2i_cuda_ops_run(const struct op2i_cuda_place *place,
                                   const struct op2i_cuda_ops *ops, const char **call);
/* Free graphs; `api` is null if the device is lost. */
void op2i_cuda_graphs_free(const struct op2i_cuda_api *api, struct op2i_device_graphs *graphs);

#endif
