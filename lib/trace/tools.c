/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiling tools, with the interface of Kokkos Tools and of markers: they are found, loaded and
 * called. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "process.h"
#include "tool_table.h"

/* The version of the interface that the functions below are of. */
enum { INTERFACE = 20171029 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct op2i_tools {
  struct op2i_tool list[OP2I_TOOLS_MOST];
  int n, users;
} tools;

/* ---- loading --------------------------------------------------------------------------------- */

/* A pointer to a function is not one to an object, but has its size on every system with dlsym(). */
static void find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
}

static void find_all(void *library, struct op2i_tool *tool) {
  find(library, "kokkosp_begin_parallel_for", &tool->begin[OP2I_TOOLS_FOR]);
  find(library, "kokkosp_end_parallel_for", &tool->end[OP2I_TOOLS_FOR]);
  find(library, "kokkosp_begin_parallel_reduce", &tool->begin[OP2I_TOOLS_REDUCE]);
  find(library, "kokkosp_end_parallel_reduce", &tool->end[OP2I_TOOLS_REDUCE]);
  find(library, "kokkosp_begin_fence", &tool->begin[OP2I_TOOLS_FENCE]);
  find(library, "kokkosp_end_fence", &tool->end[OP2I_TOOLS_FENCE]);
  find(library, "kokkosp_push_profile_region", &tool->push);
  find(library, "kokkosp_pop_profile_region", &tool->pop);
  find(library, "kokkosp_finalize_library", &tool->finalize);
}

static bool is_loaded(const char *path) {
  for (int t = 0; t < tools.n; t++)
    if (!strcmp(tools.list[t].path, path)) return true;
  return false;
}

/* The place of another tool; null if there is no room, or the process has the tool already. */
static struct op2i_tool *place(op2_context ctx, const char *variable, const char *path) {
  if (is_loaded(path)) return NULL;
  if (tools.n == OP2I_TOOLS_MOST) {
    op2i_log(ctx, OP2I_LOG_WARN, "%s: '%s' is not loaded: %d tools are", variable, path, tools.n);
    return NULL;
  }
  struct op2i_tool *tool = &tools.list[tools.n];
  memset(tool, 0, sizeof *tool);
  snprintf(tool->path, sizeof tool->path, "%s", path);
  return tool;
}

/* A library stays loaded: it may have threads, or handlers that run at exit. */
static void load_library(op2_context ctx, const char *path) {
  void (*init)(int sequence, uint64_t version, uint32_t devices, void *device);
  struct op2i_tool *tool = place(ctx, "OP2_TOOLS_LIBS", path);
  if (!tool) return;
  void *library = op2i_process_load(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    op2i_log(ctx, OP2I_LOG_WARN, "OP2_TOOLS_LIBS: %s", dlerror());
    return;
  }
  find_all(library, tool);
  find(library, "kokkosp_init_library", &init);
  if (init) init(tools.n, INTERFACE, 0, NULL);
  tools.n++;
}

static void load_markers(op2_context ctx, const char *name) {
  static const struct {
    const char *name;
    const char *(*load)(struct op2i_tool *tool);
  } markers[] = {
      {"nvtx", op2i_marker_nvtx}, {"itt", op2i_marker_itt}, {"likwid", op2i_marker_likwid}};
  const size_t n = sizeof markers / sizeof *markers;
  size_t m = 0;
  while (m < n && strcmp(name, markers[m].name) != 0) m++;
  struct op2i_tool *tool = m < n ? place(ctx, "OP2_MARKERS", name) : NULL;
  const char *why = m == n ? "expected nvtx, itt or likwid" : tool ? markers[m].load(tool) : NULL;
  if (why)
    op2i_log(ctx, OP2I_LOG_WARN, "OP2_MARKERS: no markers '%s': %s", name, why);
  else if (tool)
    tools.n++;
}

static void load_list(op2_context ctx, const char *list, const char *between,
                      void (*load)(op2_context ctx, const char *name)) {
  if (!list || !strcmp(list, "0")) return;
  for (size_t n; *list; list += n + (list[n] != 0)) {
    char name[1024];
    n = strcspn(list, between);
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
    if (n > 0) load(ctx, name);
  }
}

void op2i_tools_open(op2_context ctx) {
  if (!ctx->config.tools && !ctx->config.markers) return;
  pthread_mutex_lock(&lock);
  load_list(ctx, ctx->config.tools, ";", load_library);
  load_list(ctx, ctx->config.markers, ",", load_markers);
  if (tools.n > 0) {
    tools.users++;
    ctx->tools = &tools;
  }
  pthread_mutex_unlock(&lock);
}

void op2i_tools_close(op2_context ctx) {
  if (!ctx->tools) return;
  ctx->tools = NULL;
  pthread_mutex_lock(&lock);
  if (--tools.users == 0) {
    for (int t = 0; t < tools.n; t++)
      if (tools.list[t].finalize) tools.list[t].finalize();
    tools.n = 0;
  }
  pthread_mutex_unlock(&lock);
}

/* ---- calls ----------------------------------------------------------------------------------- */

void op2i_tools_begin(enum op2i_tools_kind kind, const char *name, struct op2i_tools_ids *ids) {
  pthread_mutex_lock(&lock);
  for (int t = 0; t < tools.n; t++) {
    ids->id[t] = 0;
    if (tools.list[t].begin[kind]) tools.list[t].begin[kind](name, 0, &ids->id[t]);
  }
  pthread_mutex_unlock(&lock);
}

void op2i_tools_end(enum op2i_tools_kind kind, const struct op2i_tools_ids *ids) {
  pthread_mutex_lock(&lock);
  for (int t = tools.n - 1; t >= 0; t--)
    if (tools.list[t].end[kind]) tools.list[t].end[kind](ids->id[t]);
  pthread_mutex_unlock(&lock);
}

void op2i_tools_push(const char *name) {
  pthread_mutex_lock(&lock);
  for (int t = 0; t < tools.n; t++)
    if (tools.list[t].push) tools.list[t].push(name);
  pthread_mutex_unlock(&lock);
}

void op2i_tools_pop(void) {
  pthread_mutex_lock(&lock);
  for (int t = tools.n - 1; t >= 0; t--)
    if (tools.list[t].pop) tools.list[t].pop();
  pthread_mutex_unlock(&lock);
}
