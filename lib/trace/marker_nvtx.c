/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges for NVIDIA's profilers. A profiler names a library by NVTX_INJECTION64_PATH; that library
 * asks for a table of places, and writes into these where its functions are. NVTX's header does the
 * same in programs that include it, and libnvToolsExt.so.1 does so in older ones. */
#include <dlfcn.h>
#include <string.h>

#include "env.h"
#include "process.h"
#include "tool_table.h"

/* Numbers of NVTX's interface, version 3: tables, modules with functions, and functions. */
enum {
  TABLE_CALLBACKS = 1,
  TABLE_VERSION = 3,
  MODULE_CORE = 1,
  PUSH = 9,
  POP = 11,
  FUNCTIONS = 16
};
enum { NVTX_VERSION = 3 };

typedef void (*any_function)(void);
typedef any_function **function_table;

static struct {
  any_function functions[FUNCTIONS];
  any_function *places[FUNCTIONS + 1];
  bool loaded;
} nvtx;

static int module_functions(int module, function_table *table, unsigned *bytes) {
  if (module != MODULE_CORE) return 0;
  for (int f = 1; f < FUNCTIONS; f++) nvtx.places[f] = &nvtx.functions[f];
  if (bytes) *bytes = sizeof nvtx.places;
  if (table) *table = nvtx.places;
  return 1;
}

static void refuse_version(uint32_t version) { (void)version; }

static const void *export_table(uint32_t which) {
  static const struct {
    size_t bytes;
    int (*module_functions)(int module, function_table *table, unsigned *bytes);
  } callbacks = {sizeof callbacks, module_functions};
  static const struct {
    size_t bytes;
    uint32_t version, reserved;
    void (*refuse)(uint32_t version);
  } version = {sizeof version, NVTX_VERSION, 0, refuse_version};
  return which == TABLE_CALLBACKS ? (const void *)&callbacks
         : which == TABLE_VERSION ? (const void *)&version
                                  : NULL;
}

/* A pointer to a function is not one to an object, but has its size on every system with dlsym(). */
static bool find(void *library, const char *name, void *function) {
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(function, &symbol, sizeof symbol);
  return symbol;
}

static const char *inject(const char *path) {
  int (*initialize)(const void *(*tables)(uint32_t));
  void *library = op2i_process_load(path, RTLD_LAZY | RTLD_LOCAL);
  if (!find(library, "InitializeInjectionNvtx2", &initialize))
    return "the library that NVTX_INJECTION64_PATH names is not one of a profiler";
  return initialize(export_table) ? NULL
                                  : "the library of NVTX_INJECTION64_PATH could not be started";
}

static const char *load(void) {
  const char *path = op2i_env_system("NVTX_INJECTION64_PATH");
  if (path) return inject(path);
  void *library = op2i_process_load("libnvToolsExt.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (find(library, "nvtxRangePushA", &nvtx.functions[PUSH]) &&
      find(library, "nvtxRangePop", &nvtx.functions[POP]))
    return NULL;
  return "no profiler has set NVTX_INJECTION64_PATH, and libnvToolsExt.so.1 is not here";
}

static void push(const char *name) {
  int (*function)(const char *);
  memcpy(&function, &nvtx.functions[PUSH], sizeof function);
  if (function) function(name);
}

static void pop(void) {
  int (*function)(void);
  memcpy(&function, &nvtx.functions[POP], sizeof function);
  if (function) function();
}

static void begin(const char *name, uint32_t device, uint64_t *id) {
  (void)device, (void)id;
  push(name);
}

static void end(uint64_t id) {
  (void)id;
  pop();
}

const char *op2i_marker_nvtx(struct op2i_tool *tool) {
  const char *why = nvtx.loaded ? NULL : load();
  if (why) return why;
  nvtx.loaded = true;
  for (int k = 0; k < OP2I_TOOLS_KINDS; k++) tool->begin[k] = begin, tool->end[k] = end;
  tool->push = push;
  tool->pop = pop;
  return NULL;
}
