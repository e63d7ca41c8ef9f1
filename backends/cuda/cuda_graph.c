/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches that are collected become a graph: a chain of kernels and memsets. It is launched by one
 * call, as long as the launches have the same functions in the same order. An argument that has
 * changed takes one call for its launch. */
#include "cuda_graph.h"

#include <string.h>

#include "mem.h"

/* A graph is made anew so many times at most, since making it takes longer than its launches. A
 * single launch needs no graph. */
enum { MADE_MOST = 8, NODES_LEAST = 2, ARGS_MOST = 256 };

struct graph {
  struct op2i_cuda_ops ops; /* as they are in the graph */
  op2i_cuda_graph graph;
  op2i_cuda_exec exec;   /* null: there is no graph */
  op2i_cuda_node *nodes; /* [ops.n] */
  int64_t unloaded;      /* as when it was made */
  int made;
};
struct graphs {
  struct graph *list; /* [n] */
  int64_t n, capacity;
};

/* ---- collecting ------------------------------------------------------------------------------ */

bool op2i_cuda_ops_launch(struct op2i_cuda_ops *ops, op2i_cuda_function function,
                          const struct op2i_launch *launch) {
  if (launch->nargs > ARGS_MOST || op2i_grow(&ops->ops, sizeof *ops->ops, ops->n, &ops->capacity) ||
      op2i_reserve(&ops->args, sizeof *ops->args, ops->nargs + launch->nargs, &ops->args_capacity))
    return false;
  for (int a = 0; a < launch->nargs; a++)
    ops->args[ops->nargs + a] = launch->args[a].is_memory
                                    ? (uint64_t)(uintptr_t)launch->args[a].memory
                                    : (uint64_t)launch->args[a].number;
  ops->ops[ops->n++] = (struct op2i_cuda_op){.function = function,
                                             .groups = (unsigned)launch->groups,
                                             .group = (unsigned)launch->group,
                                             .local_bytes = (unsigned)launch->local_bytes,
                                             .first = ops->nargs,
                                             .nargs = launch->nargs};
  ops->nargs += launch->nargs;
  return true;
}

bool op2i_cuda_ops_clear(struct op2i_cuda_ops *ops, const void *block, op2i_cuda_pointer memory,
                         size_t bytes) {
  if (op2i_grow(&ops->ops, sizeof *ops->ops, ops->n, &ops->capacity)) return false;
  ops->ops[ops->n++] =
      (struct op2i_cuda_op){.first = ops->nargs, .block = block, .memory = memory, .bytes = bytes};
  return true;
}

bool op2i_cuda_ops_use(const struct op2i_cuda_ops *ops, const void *memory) {
  const uint64_t value = (uint64_t)(uintptr_t)memory;
  for (int64_t a = 0; a < ops->nargs; a++)
    if (ops->args[a] == value) return true;
  for (int64_t i = 0; i < ops->n; i++)
    if (ops->ops[i].block == memory) return true;
  return false;
}

void op2i_cuda_ops_clear_all(struct op2i_cuda_ops *ops) { ops->n = ops->nargs = 0; }

void op2i_cuda_ops_free(struct op2i_cuda_ops *ops) {
  op2i_free(ops->ops);
  op2i_free(ops->args);
  *ops = (struct op2i_cuda_ops){.ops = NULL};
}

static void list_parameters(const struct op2i_cuda_ops *ops, const struct op2i_cuda_op *op,
                            void **parameters) {
  for (int64_t a = 0; a < op->nargs; a++) parameters[a] = &ops->args[op->first + a];
}

op2i_cuda_result op2i_cuda_ops_run(const struct op2i_cuda_place *place,
                                   const struct op2i_cuda_ops *ops, const char **call) {
  void *parameters[ARGS_MOST];
  op2i_cuda_result result = 0;
  for (int64_t i = 0; i < ops->n && !result; i++) {
    const struct op2i_cuda_op *op = &ops->ops[i];
    list_parameters(ops, op, parameters);
    *call = op->function ? "cuLaunchKernel" : "cuMemsetD8Async";
    if (op->function)
      result = place->api->cuLaunchKernel(op->function, op->groups, 1, 1, op->group, 1, 1,
                                          op->local_bytes, place->stream, parameters, NULL);
    else
      result = place->api->cuMemsetD8Async(op->memory, 0, op->bytes, place->stream);
  }
  return result;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static struct op2i_cuda_kernel_node kernel_of(const struct op2i_cuda_op *op, void **parameters) {
  return (struct op2i_cuda_kernel_node){.function = op->function,
                                        .grid_x = op->groups,
                                        .grid_y = 1,
                                        .grid_z = 1,
                                        .block_x = op->group,
                                        .block_y = 1,
                                        .block_z = 1,
                                        .shared_bytes = op->local_bytes,
                                        .parameters = parameters};
}

static struct op2i_cuda_memset_node memset_of(const struct op2i_cuda_op *op) {
  return (struct op2i_cuda_memset_node){
      .memory = op->memory, .element_bytes = 1, .width = op->bytes, .height = 1};
}

/* Each node follows the one before. */
static op2i_cuda_result add_node(const struct op2i_cuda_place *place, struct graph *g, int64_t i,
                                 const char **call) {
  const struct op2i_cuda_op *op = &g->ops.ops[i];
  const op2i_cuda_node *after = i > 0 ? &g->nodes[i - 1] : NULL;
  if (!op->function) {
    const struct op2i_cuda_memset_node zeros = memset_of(op);
    *call = "cuGraphAddMemsetNode";
    return place->api->cuGraphAddMemsetNode(&g->nodes[i], g->graph, after, i > 0, &zeros,
                                            place->context);
  }
  void *parameters[ARGS_MOST];
  list_parameters(&g->ops, op, parameters);
  const struct op2i_cuda_kernel_node kernel = kernel_of(op, parameters);
  *call = "cuGraphAddKernelNode";
  return place->api->cuGraphAddKernelNode(&g->nodes[i], g->graph, after, i > 0, &kernel);
}

static op2i_cuda_result change_node(const struct op2i_cuda_place *place, struct graph *g, int64_t i,
                                    const char **call) {
  const struct op2i_cuda_op *op = &g->ops.ops[i];
  if (!op->function) {
    const struct op2i_cuda_memset_node zeros = memset_of(op);
    *call = "cuGraphExecMemsetNodeSetParams";
    return place->api->cuGraphExecMemsetNodeSetParams(g->exec, g->nodes[i], &zeros, place->context);
  }
  void *parameters[ARGS_MOST];
  list_parameters(&g->ops, op, parameters);
  const struct op2i_cuda_kernel_node kernel = kernel_of(op, parameters);
  *call = "cuGraphExecKernelNodeSetParams";
  return place->api->cuGraphExecKernelNodeSetParams(g->exec, g->nodes[i], &kernel);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Leave no graph. Launches of it that the device has not done yet are not affected. */
static void drop(const struct op2i_cuda_api *api, struct graph *g) {
  if (api && g->exec) api->cuGraphExecDestroy(g->exec);
  if (api && g->graph) api->cuGraphDestroy(g->graph);
  op2i_free(g->nodes);
  g->exec = NULL;
  g->graph = NULL;
  g->nodes = NULL;
}

static void exchange(struct op2i_cuda_ops *a, struct op2i_cuda_ops *b) {
  const struct op2i_cuda_ops c = *a;
  *a = *b;
  *b = c;
}

static op2i_cuda_result make(const struct op2i_cuda_place *place, struct graph *g,
                             const char **call) {
  op2i_cuda_result result = 0;
  g->nodes = op2i_calloc((size_t)g->ops.n, sizeof *g->nodes);
  *call = "cuGraphCreate";
  if (!g->nodes) return OP2I_CUDA_NOMEM;
  result = place->api->cuGraphCreate(&g->graph, 0);
  for (int64_t i = 0; i < g->ops.n && !result; i++) result = add_node(place, g, i, call);
  if (result) return result;
  *call = "cuGraphInstantiateWithFlags";
  return place->api->cuGraphInstantiateWithFlags(&g->exec, g->graph, 0);
}

static bool same_launches(const struct op2i_cuda_ops *a, const struct op2i_cuda_ops *b) {
  if (a->n != b->n || a->nargs != b->nargs) return false;
  for (int64_t i = 0; i < a->n; i++)
    if (a->ops[i].function != b->ops[i].function || a->ops[i].nargs != b->ops[i].nargs)
      return false;
  return true;
}

static bool same_arguments(const struct op2i_cuda_ops *a, const struct op2i_cuda_ops *b,
                           int64_t i) {
  const struct op2i_cuda_op *x = &a->ops[i], *y = &b->ops[i];
  return x->groups == y->groups && x->group == y->group && x->local_bytes == y->local_bytes &&
         x->memory == y->memory && x->bytes == y->bytes &&
         (x->nargs == 0 ||
          !memcmp(a->args + x->first, b->args + y->first, (size_t)x->nargs * sizeof *a->args));
}

/* The graph gets what has been collected; `ops` gets what the graph had. */
static op2i_cuda_result change(const struct op2i_cuda_place *place, struct graph *g,
                               struct op2i_cuda_ops *ops, const char **call) {
  op2i_cuda_result result = 0;
  exchange(&g->ops, ops);
  for (int64_t i = 0; i < g->ops.n && !result; i++)
    if (!same_arguments(&g->ops, ops, i)) result = change_node(place, g, i, call);
  return result;
}

static struct graph *next_graph(struct op2i_device_graphs *graphs) {
  struct graphs *own = graphs->own;
  if (!own) own = graphs->own = op2i_calloc(1, sizeof *own);
  if (!own) return NULL;
  if (graphs->next == own->n) {
    if (op2i_grow(&own->list, sizeof *own->list, own->n, &own->capacity)) return NULL;
    own->list[own->n++] = (struct graph){.exec = NULL};
  }
  return &own->list[graphs->next++];
}

op2i_cuda_result op2i_cuda_graph_launch(const struct op2i_cuda_place *place,
                                        struct op2i_device_graphs *graphs,
                                        struct op2i_cuda_ops *ops, bool *apart, const char **call) {
  struct graph *g = next_graph(graphs);
  const bool alike = g && g->exec && same_launches(&g->ops, ops);
  const bool same = alike && g->unloaded == place->unloaded;
  *apart = !g || ops->n < NODES_LEAST || (!alike && g->made == MADE_MOST);
  if (*apart) return 0;
  op2i_cuda_result result = 0;
  if (same) {
    result = change(place, g, ops, call);
  } else {
    drop(place->api, g);
    exchange(&g->ops, ops);
    g->unloaded = place->unloaded;
    g->made += !alike;
    graphs->made++;
    result = make(place, g, call);
  }
  *call = result ? *call : "cuGraphLaunch";
  if (!result) result = place->api->cuGraphLaunch(g->exec, place->stream);
  if (result) {
    drop(place->api, g);
    exchange(&g->ops, ops);
    return result;
  }
  graphs->n++;
  graphs->nodes += (int)g->ops.n;
  return 0;
}

void op2i_cuda_graphs_free(const struct op2i_cuda_api *api, struct op2i_device_graphs *graphs) {
  struct graphs *own = graphs->own;
  for (int64_t i = 0; own && i < own->n; i++) {
    drop(api, &own->list[i]);
    op2i_cuda_ops_free(&own->list[i].ops);
  }
  if (own) op2i_free(own->list);
  op2i_free(own);
  graphs->own = NULL;
}
