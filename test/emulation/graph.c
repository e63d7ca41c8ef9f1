/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of launches and memsets. An executable graph is a copy: it changes by the functions that change its
 * nodes, and by no others. When it is launched, nodes run in any order that their edges allow. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { EDGES = 4 };

struct emulation_node {
  struct emulation_graph *graph;
  int number;
  int after[EDGES], nafter;
  struct emulation_module *module; /* null: a memset */
  struct emulation_launch launch;
  struct emulation_memset memset;
};
struct emulation_graph {
  struct emulation_graph *next;
  int n;
  struct emulation_node **nodes;
};
struct emulation_exec {
  struct emulation_exec *next;
  const struct emulation_graph *graph; /* of which it is a copy */
  int n;
  struct emulation_node *nodes;
};

static struct emulation_graph *graphs;
static struct emulation_exec *execs;
static int64_t instantiated;

static bool is_graph(const struct emulation_graph *graph) {
  const struct emulation_graph *g = graphs;
  while (g && g != graph) g = g->next;
  return g != NULL;
}

static bool is_exec(const struct emulation_exec *exec) {
  const struct emulation_exec *e = execs;
  while (e && e != exec) e = e->next;
  return e != NULL;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void free_node(struct emulation_node *node) { free(node->launch.parameters); }

static int fill_kernel(struct emulation_node *node, const struct emulation_kernel_node *kernel) {
  struct emulation_launch launch = {.function = kernel->function,
                                    .blocks = kernel->grid_x,
                                    .threads = kernel->block_x,
                                    .shared_bytes = kernel->shared_bytes,
                                    .parameters = kernel->parameters};
  if (!kernel->function || kernel->grid_y != 1 || kernel->grid_z != 1 || kernel->block_y != 1 ||
      kernel->block_z != 1 || kernel->extra || !emulation_can_launch(&launch))
    return EMULATION_INVALID_VALUE;
  if (!emulation_copy_parameters(&launch)) return EMULATION_OUT_OF_MEMORY;
  free_node(node);
  node->launch = launch;
  node->module = kernel->function->module;
  return EMULATION_SUCCESS;
}

static int fill_memset(struct emulation_node *node, const struct emulation_memset *memset) {
  if (memset->element_bytes != 1 || memset->height != 1 || memset->width == 0 ||
      !emulation_holds(memset->memory, memset->width))
    return EMULATION_INVALID_VALUE;
  node->memset = *memset;
  return EMULATION_SUCCESS;
}

/* Take a node up, or free it. */
static int add(struct emulation_graph *graph, struct emulation_node *node, int result,
               struct emulation_node *const *after, size_t nafter, struct emulation_node **out) {
  struct emulation_node **nodes = NULL;
  if (!result && (!is_graph(graph) || nafter > EDGES)) result = EMULATION_INVALID_VALUE;
  for (size_t i = 0; i < nafter && !result; i++) {
    if (after[i]->graph != graph) result = EMULATION_INVALID_VALUE;
    node->after[node->nafter++] = after[i]->number;
  }
  if (!result) nodes = realloc(graph->nodes, (size_t)(graph->n + 1) * sizeof *nodes);
  if (!result && !nodes) result = EMULATION_OUT_OF_MEMORY;
  if (result) {
    free_node(node);
    free(node);
    return result;
  }
  node->graph = graph;
  node->number = graph->n;
  graph->nodes = nodes;
  graph->nodes[graph->n++] = node;
  *out = node;
  return EMULATION_SUCCESS;
}

int cuGraphAddKernelNode(struct emulation_node **out, struct emulation_graph *graph,
                         struct emulation_node *const *after, size_t nafter,
                         const struct emulation_kernel_node *kernel) {
  emulation_called(__func__);
  emulation_lock();
  struct emulation_node *node = calloc(1, sizeof *node);
  int result = node ? emulation_ready() : EMULATION_OUT_OF_MEMORY;
  if (!result) result = fill_kernel(node, kernel);
  return emulation_unlock(node ? add(graph, node, result, after, nafter, out) : result);
}

int cuGraphAddMemsetNode(struct emulation_node **out, struct emulation_graph *graph,
                         struct emulation_node *const *after, size_t nafter,
                         const struct emulation_memset *memset, void *context) {
  emulation_called(__func__);
  emulation_lock();
  struct emulation_node *node = calloc(1, sizeof *node);
  int result = node ? emulation_ready() : EMULATION_OUT_OF_MEMORY;
  if (!result && !context) result = EMULATION_INVALID_CONTEXT;
  if (!result) result = fill_memset(node, memset);
  return emulation_unlock(node ? add(graph, node, result, after, nafter, out) : result);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

int cuGraphCreate(struct emulation_graph **out, unsigned flags) {
  emulation_called(__func__);
  emulation_lock();
  struct emulation_graph *graph = calloc(1, sizeof *graph);
  int result = emulation_ready();
  if (!result && flags) result = EMULATION_INVALID_VALUE;
  if (!result && !graph) result = EMULATION_OUT_OF_MEMORY;
  if (result) {
    free(graph);
    return emulation_unlock(result);
  }
  graph->next = graphs;
  *out = graphs = graph;
  return emulation_unlock(EMULATION_SUCCESS);
}

static void end_graph(struct emulation_graph *graph) {
  struct emulation_graph **at = &graphs;
  while (*at != graph) at = &(*at)->next;
  *at = graph->next;
  for (int i = 0; i < graph->n; i++) {
    free_node(graph->nodes[i]);
    free(graph->nodes[i]);
  }
  free(graph->nodes);
  free(graph);
}

int cuGraphDestroy(struct emulation_graph *graph) {
  emulation_called(__func__);
  emulation_lock();
  if (!is_graph(graph)) return emulation_unlock(EMULATION_INVALID_VALUE);
  end_graph(graph);
  return emulation_unlock(EMULATION_SUCCESS);
}

/* ---- executable graphs ----------------------------------------------------------------------- */

static void end_exec(struct emulation_exec *exec) {
  struct emulation_exec **at = &execs;
  while (*at != exec) at = &(*at)->next;
  *at = exec->next;
  for (int i = 0; i < exec->n; i++) free_node(&exec->nodes[i]);
  free(exec->nodes);
  free(exec);
}

static bool copy_nodes(struct emulation_exec *exec, const struct emulation_graph *graph) {
  for (; exec->n < graph->n; exec->n++) {
    struct emulation_node *node = &exec->nodes[exec->n];
    *node = *graph->nodes[exec->n];
    if (node->module && !emulation_copy_parameters(&node->launch)) return false;
  }
  return true;
}

/* OP2_TEST_EMULATION: instantiate=N lets the Nth fail, and all after it; 0: none. */
int cuGraphInstantiateWithFlags(struct emulation_exec **out, struct emulation_graph *graph,
                                unsigned long long flags) {
  emulation_called(__func__);
  emulation_lock();
  const int64_t fails = emulation_setting("instantiate", 0);
  int result = emulation_ready();
  if (!result && (flags || !is_graph(graph))) result = EMULATION_INVALID_VALUE;
  if (!result && fails && ++instantiated >= fails) result = EMULATION_OUT_OF_MEMORY;
  if (result) return emulation_unlock(result);
  struct emulation_exec *exec = calloc(1, sizeof *exec);
  exec->nodes = calloc((size_t)graph->n + 1, sizeof *exec->nodes);
  exec->graph = graph;
  exec->next = execs;
  execs = exec;
  if (!copy_nodes(exec, graph)) abort();
  *out = exec;
  return emulation_unlock(EMULATION_SUCCESS);
}

int cuGraphExecDestroy(struct emulation_exec *exec) {
  emulation_called(__func__);
  emulation_lock();
  if (!is_exec(exec)) return emulation_unlock(EMULATION_INVALID_VALUE);
  end_exec(exec);
  return emulation_unlock(EMULATION_SUCCESS);
}

/* The node is the graph's, of which this is a copy; the graph is still there. */
static struct emulation_node *node_of(struct emulation_exec *exec,
                                      const struct emulation_node *node) {
  if (!is_exec(exec) || !is_graph(exec->graph)) return NULL;
  for (int i = 0; i < exec->graph->n && i < exec->n; i++)
    if (exec->graph->nodes[i] == node) return &exec->nodes[i];
  return NULL;
}

int cuGraphExecKernelNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                   const struct emulation_kernel_node *kernel) {
  emulation_called(__func__);
  emulation_lock();
  struct emulation_node *own = node_of(exec, node);
  int result = emulation_ready();
  if (!result && (!own || !own->module)) result = EMULATION_INVALID_VALUE;
  return emulation_unlock(result ? result : fill_kernel(own, kernel));
}

int cuGraphExecMemsetNodeSetParams(struct emulation_exec *exec, struct emulation_node *node,
                                   const struct emulation_memset *memset, void *context) {
  emulation_called(__func__);
  emulation_lock();
  struct emulation_node *own = node_of(exec, node);
  int result = emulation_ready();
  if (!result && (!own || own->module || !context)) result = EMULATION_INVALID_VALUE;
  return emulation_unlock(result ? result : fill_memset(own, memset));
}

/* ---- launching ------------------------------------------------------------------------------- */

static bool may_run(const struct emulation_node *node, const bool *ran) {
  for (int i = 0; i < node->nafter; i++)
    if (!ran[node->after[i]]) return false;
  return true;
}

/* The last node that may run does. */
static int run_nodes(const struct emulation_exec *exec, void *stream, bool *ran) {
  int result = EMULATION_SUCCESS;
  for (int n = 0; n < exec->n && !result; n++) {
    int i = exec->n - 1;
    while (ran[i] || !may_run(&exec->nodes[i], ran)) i--;
    ran[i] = true;
    const struct emulation_node *node = &exec->nodes[i];
    if (node->module && !emulation_is_module(node->module))
      result = EMULATION_INVALID_HANDLE;
    else if (node->module)
      result = emulation_put_off_launch(stream, &node->launch);
    else
      result = emulation_put_off_memset(stream, &node->memset);
  }
  return result;
}

int cuGraphLaunch(struct emulation_exec *exec, void *stream) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready();
  if (!result && !is_exec(exec)) result = EMULATION_INVALID_VALUE;
  if (result) return emulation_unlock(result);
  bool *ran = calloc((size_t)exec->n + 1, sizeof *ran);
  result = ran ? run_nodes(exec, stream, ran) : EMULATION_OUT_OF_MEMORY;
  free(ran);
  return emulation_unlock(result);
}

void emulation_forget_graphs(void) {
  while (execs) end_exec(execs);
  while (graphs) end_graph(graphs);
  instantiated = 0;
}
