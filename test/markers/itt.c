/* SPDX-License-Identifier: BSD-3-Clause */
/* A collector of ITT's interface. The structs have the layout of Intel's ittnotify_config.h; t724
 * has Intel's own part of a program call it, too, where that is there. */
#define _XOPEN_SOURCE 700 /* strdup */
#include <pthread.h>
#include <string.h>

#include "record.h"

typedef struct {
  volatile int flags;
  const char *name;
  void *wide;
  int extra1;
  void *extra2, *next;
} itt_domain;

typedef struct itt_string {
  const char *name;
  void *wide;
  int extra1;
  void *extra2;
  struct itt_string *next;
} itt_string;

typedef struct {
  unsigned long long d1, d2, d3;
} itt_id;

typedef struct {
  const char *name;
  void **place;
  void *init, *null;
  int group;
} itt_api;

typedef struct {
  unsigned char magic[8];
  unsigned long version_major, version_minor, version_build;
  volatile long api_initialized, mutex_initialized, atomic_counter;
  pthread_mutex_t mutex;
  void *lib, *error_handler;
  const char **dll_path;
  itt_api *api_list;
} itt_global;

void __itt_api_init(itt_global *program, int groups);

/* Handles live as long as the program. */
static itt_string *strings;
static itt_domain domain = {.flags = 1};

static itt_domain *domain_create(const char *name) {
  static char copy[200];
  snprintf(copy, sizeof copy, "%s", name);
  domain.name = copy;
  record("domain", name);
  return &domain;
}

static itt_string *string_create(const char *name) {
  itt_string *string = strings;
  while (string && strcmp(string->name, name) != 0) string = string->next;
  if (string || !(string = calloc(1, sizeof *string))) return string;
  string->name = strdup(name);
  string->next = strings;
  return strings = string;
}

/* A program may have made a domain before it loads a collector. */
static int is_enabled(const itt_domain *of) {
  return of->flags && (!strcmp(of->name, "op2") || !strcmp(of->name, "theirs"));
}

static void task_begin(const itt_domain *of, itt_id task, itt_id parent, itt_string *name) {
  if (is_enabled(of) && !parent.d1 && !parent.d2 && !task.d3) record("push", name->name);
}

static void task_end(const itt_domain *of) {
  if (is_enabled(of)) record("pop", "");
}

static void give(const itt_api *api, const char *name, void (*function)(void)) {
  if (!strcmp(api->name, name)) memcpy(api->place, &function, sizeof function);
}

void __itt_api_init(itt_global *program, int groups) {
  static const unsigned char magic[8] = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30};
  enum { STRUCTURE = 1 << 12 };
  if (memcmp(program->magic, magic, sizeof magic) != 0 || program->version_major != 3) return;
  record("init", "");
  for (const itt_api *api = program->api_list; api->name; api++) {
    if (!(api->group & groups & STRUCTURE)) continue;
    if (!getenv("OP2_TEST_FEW")) {
      give(api, "__itt_domain_create", (void (*)(void))domain_create);
      give(api, "__itt_string_handle_create", (void (*)(void))string_create);
    }
    give(api, "__itt_task_begin", (void (*)(void))task_begin);
    give(api, "__itt_task_end", (void (*)(void))task_end);
  }
}
