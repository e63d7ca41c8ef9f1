/* SPDX-License-Identifier: BSD-3-Clause */
/* Tools with the interface of Kokkos Tools: they are found, loaded and called. */
#include "tools.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "process.h"

/* The version of the interface that the functions below are of. */
enum { INTERFACE = 20171029 };

/* The functions of Kokkos Tools that a library has; each may be null. */
struct tool {
  char path[1024];
  void (*begin[OP2I_TOOLS_KINDS])(const char *name, uint32_t device, uint64_t *id);
  void (*end[OP2I_TOOLS_KINDS])(uint64_t id);
  void (*push)(const char *name);
  void (*pop)(void);
  void (*finalize)(void);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct op2i_tools {
  struct tool list[OP2I_TOOLS_MOST];
  int n, users;
} tools;

/* ---- loading --------------------------------------------------------------------------------- */

/* A pointer to a function is not one to an object, but has its size on every system with dlsym(). */
static void find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
}

static void find_all(void *library, struct tool *tool) {
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

/* A library stays loaded: it may have threads, or handlers that run at exit. */
static void load(op2_context ctx, const char *path) {
  void (*init)(int sequence, uint64_t version, uint32_t devices, void *device);
  if (is_loaded(path)) return;
  if (tools.n == OP2I_TOOLS_MOST) {
    op2i_log(ctx, OP2I_LOG_WARN, "OP2_TOOLS_LIBS: '%s' is not loaded: %d tools are", path, tools.n);
    return;
  }
  void *library = op2i_process_load(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    op2i_log(ctx, OP2I_LOG_WARN, "OP2_TOOLS_LIBS: %s", dlerror());
    return;
  }
  struct tool *tool = &tools.list[tools.n];
  snprintf(tool->path, sizeof tool->path, "%s", path);
  find_all(library, tool);
  find(library, "kokkosp_init_library", &init);
  if (init) init(tools.n, INTERFACE, 0, NULL);
  tools.n++;
}

void op2i_tools_open(op2_context ctx) {
  const char *list = ctx->config.tools;
  if (!list || !*list || !strcmp(list, "0")) return;
  pthread_mutex_lock(&lock);
  for (size_t n; *list; list += n + (list[n] != 0)) {
    char path[1024];
    n = strcspn(list, ";");
    snprintf(path, sizeof path, "%.*s", (int)(n < sizeof path ? n : sizeof path - 1), list);
    if (n > 0) load(ctx, path);
  }
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
