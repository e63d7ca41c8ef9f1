/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks for Intel's profilers. A profiler names a library, the collector, by INTEL_LIBITTNOTIFY64.
 * The collector gets a description of the program with the names of functions, and writes into the
 * places beside them where its functions are. Intel's ittnotify_static.c does the same in programs
 * that are linked with it; the structs below are those that it shares with collectors. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "env.h"
#include "process.h"
#include "tool_table.h"

enum { MAJOR = 3, MINOR = 0, BUILD = 20240101, GROUP_STRUCTURE = 1 << 12, GROUP_ALL = -1 };

struct domain {
  volatile int enabled;
  const char *name;
  void *wide;
  int extra;
  void *extras, *next;
};
struct string {
  const char *text;
  void *wide;
  int extra;
  void *extras, *next;
};
struct id {
  unsigned long long d1, d2, d3;
};

struct function {
  const char *name;
  void **place;
  void *initially, *absent;
  int group;
};

/* The description of the program. */
struct program {
  unsigned char magic[8];
  unsigned long major, minor, build;
  volatile long initialized, mutex_initialized, counter;
  pthread_mutex_t mutex;
  void *library, *error_handler;
  const char **path;
  struct function *functions;
  struct program *next;
  void *threads, *domains, *strings;
  int state;
  void *counters;
  unsigned events;
  void *histograms;
};

static struct {
  struct domain *(*domain_create)(const char *name);
  struct string *(*string_create)(const char *name);
  void (*task_begin)(const struct domain *domain, struct id task, struct id parent,
                     struct string *name);
  void (*task_end)(const struct domain *domain);
} itt;

static void *places[4];
static struct function functions[] = {
    {"__itt_domain_create", &places[0], NULL, NULL, GROUP_STRUCTURE},
    {"__itt_string_handle_create", &places[1], NULL, NULL, GROUP_STRUCTURE},
    {"__itt_task_begin", &places[2], NULL, NULL, GROUP_STRUCTURE},
    {"__itt_task_end", &places[3], NULL, NULL, GROUP_STRUCTURE},
    {NULL, NULL, NULL, NULL, 0},
};
static struct program program = {
    .magic = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30},
    .major = MAJOR,
    .minor = MINOR,
    .build = BUILD,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .functions = functions,
};
static struct domain *domain;

/* Names for collectors that make none themselves. Further ones share one. */
enum { NAMES = 256, LONGEST = 100 };
static struct {
  struct string handle;
  char text[LONGEST];
} names[NAMES];
static int nnames;

/* Collectors of older profilers have the functions by name. */
static void find_functions(void *library) {
  void (*initialize)(struct program * program, int groups);
  void *symbol = dlsym(library, "__itt_api_init");
  memcpy(&initialize, &symbol, sizeof symbol);
  if (symbol)
    initialize(&program, GROUP_ALL);
  else
    for (struct function *f = functions; f->name; f++) *f->place = dlsym(library, f->name);
  memcpy(&itt.domain_create, &places[0], sizeof places[0]);
  memcpy(&itt.string_create, &places[1], sizeof places[1]);
  memcpy(&itt.task_begin, &places[2], sizeof places[2]);
  memcpy(&itt.task_end, &places[3], sizeof places[3]);
}

static const char *load(void) {
  const char *path = op2i_env_system("INTEL_LIBITTNOTIFY64");
  if (!path) return "no profiler has set INTEL_LIBITTNOTIFY64";
  void *library = op2i_process_load(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return "the library that INTEL_LIBITTNOTIFY64 names cannot be loaded";
  program.library = library;
  find_functions(library);
  program.initialized = 1;
  if (!itt.task_begin || !itt.task_end)
    return "the library that INTEL_LIBITTNOTIFY64 names has no tasks";
  static struct domain own = {.enabled = 1, .name = "op2"};
  domain = itt.domain_create ? itt.domain_create("op2") : &own;
  return domain ? NULL : "the library of INTEL_LIBITTNOTIFY64 could not be started";
}

static struct string *own_name(const char *text) {
  static struct string other = {.text = "(other names)"};
  int n = 0;
  while (n < nnames && strncmp(names[n].text, text, LONGEST - 1) != 0) n++;
  if (n == NAMES) return &other;
  if (n < nnames) return &names[n].handle;
  snprintf(names[n].text, LONGEST, "%s", text);
  names[n].handle.text = names[n].text;
  nnames++;
  return &names[n].handle;
}

/* The collector returns the same handle for the same name. */
static void push(const char *name) {
  const struct id none = {0};
  if (!domain->enabled) return;
  itt.task_begin(domain, none, none, itt.string_create ? itt.string_create(name) : own_name(name));
}

static void pop(void) {
  if (domain->enabled) itt.task_end(domain);
}

static void begin(const char *name, uint32_t device, uint64_t *id) {
  (void)device, (void)id;
  push(name);
}

static void end(uint64_t id) {
  (void)id;
  pop();
}

const char *op2i_marker_itt(struct op2i_tool *tool) {
  const char *why = domain ? NULL : load();
  if (why) return why;
  for (int k = 0; k < OP2I_TOOLS_KINDS; k++) tool->begin[k] = begin, tool->end[k] = end;
  tool->push = push;
  tool->pop = pop;
  return NULL;
}
