/* SPDX-License-Identifier: BSD-3-Clause */
#include "compile_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

const char *const case_compilers[] = {"gcc", "clang", NULL};

bool case_have_compiler(const char *compiler) {
  char command[128];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", compiler);
  return system(command) == 0;
}

int case_share(const char *compiler, int *of) {
  int mine = 0, installed = 0;
  for (const char *const *c = case_compilers; *c; c++) {
    if (strcmp(*c, compiler) == 0) mine = installed;
    installed += case_have_compiler(*c);
  }
  *of = thorough() ? 1 : installed;
  return thorough() ? 0 : mine;
}

static char *read_back(const char *path) {
  enum { ROOM = 1 << 16 };
  char *text = calloc(1, ROOM);
  FILE *file = fopen(path, "r");
  if (file) {
    size_t got = fread(text, 1, ROOM - 1, file);
    text[got] = '\0';
    fclose(file);
  }
  return text;
}

bool case_compile(const char *compiler, const char *flags, const char *source,
                  struct compiled *out) {
  const char *base = getenv("TMPDIR");
  char folder[512], path[640], command[4096];
  memset(out, 0, sizeof *out);
  snprintf(folder, sizeof folder, "%s/op2-test-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) return false;
  snprintf(path, sizeof path, "%s/a.c", folder);
  FILE *file = fopen(path, "w");
  bool good = file && fputs(source, file) >= 0;
  if (file) good = fclose(file) == 0 && good;
  snprintf(command, sizeof command,
           "cd '%s' && %s -std=gnu11 %s -shared -fPIC a.c -o a.so -lm >messages 2>&1", folder,
           compiler, flags);
  good = good && system(command) == 0;
  snprintf(path, sizeof path, "%s/messages", folder);
  out->messages = read_back(path);
  snprintf(path, sizeof path, "%s/a.so", folder);
  if (good) out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  (void)!system(command);
  return out->library != NULL;
}

void *case_symbol(const struct compiled *compiled, const char *name) {
  return dlsym(compiled->library, name);
}

void case_unload(struct compiled *compiled) {
  if (compiled->library) dlclose(compiled->library);
  free(compiled->messages);
  memset(compiled, 0, sizeof *compiled);
}
