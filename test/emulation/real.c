/* SPDX-License-Identifier: BSD-3-Clause */
/* The real NVRTC or hipRTC beside the emulated one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc.h"

enum { TARGETS = 3 };

struct emulation_real {
  const char *name, *prefix, *variable;
  const char *architecture; /* the option that says for which target */
  const char *targets[TARGETS];
  const char *besides; /* one more option, or null */
};

const struct emulation_real emulation_real_nvrtc = {
    .name = "NVRTC",
    .prefix = "nvrtc",
    .variable = "OP2_TEST_NVRTC",
    .architecture = "--gpu-architecture=",
    .targets = {"sm_80", "sm_90", "sm_100"},
    .besides = "--no-cache", /* for which it would ask the driver, and find the emulated one */
};
const struct emulation_real emulation_real_hiprtc = {
    .name = "hipRTC",
    .prefix = "hiprtc",
    .variable = "OP2_TEST_HIPRTC",
    .architecture = "--offload-arch=",
    .targets = {"gfx90a", "gfx906", "gfx1030"},
};

static struct {
  const struct emulation_real *which; /* null: there is none */
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(void *, int, const char *const *);
  int (*log_size)(void *, size_t *);
  int (*log)(void *, char *);
  int (*destroy)(void **);
} real;
static _Atomic int ntexts;

static void *function(void *library, const struct emulation_real *which, const char *name) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, "%s%s", which->prefix, name);
  return dlsym(library, symbol);
}

static bool find(void *library, const struct emulation_real *which) {
  *(void **)&real.create = function(library, which, "CreateProgram");
  *(void **)&real.compile = function(library, which, "CompileProgram");
  *(void **)&real.log_size = function(library, which, "GetProgramLogSize");
  *(void **)&real.log = function(library, which, "GetProgramLog");
  *(void **)&real.destroy = function(library, which, "DestroyProgram");
  return real.create && real.compile && real.log_size && real.log && real.destroy;
}

static bool quick(void) {
  const char *asked = getenv("OP2_TEST_QUICK");
  return asked && *asked && strcmp(asked, "0") != 0;
}

static void tell(void) {
  fprintf(stderr, "# emulation: the real %s took %d texts, each for %d of %d targets\n",
          real.which->name, ntexts, quick() ? 1 : TARGETS, TARGETS);
}

/* The variable says where it may be, separated by colons. A library of the emulation has one of both. */
static void open_real(const struct emulation_real *which) {
  const char *at = getenv(which->variable);
  char path[4096];
  /* hipRTC is LLVM, which does not go together with the sanitizer in a program. */
  if (which == &emulation_real_hiprtc && dlsym(RTLD_DEFAULT, "__asan_init")) return;
  while (at && *at && !real.which) {
    const int length = (int)strcspn(at, ":");
    snprintf(path, sizeof path, "%.*s", length, at);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library && find(library, which)) real.which = which;
    at += length + (at[length] == ':');
  }
  if (real.which) atexit(tell);
}

static bool takes(const struct nvrtc_program *program, const char *target, int n,
                  const char *const *options, char **log) {
  const char *option = real.which->architecture;
  char architecture[64];
  const char *list[160];
  void *compiled;
  size_t bytes = 0;
  if (n > 158) return false;
  snprintf(architecture, sizeof architecture, "%s%s", option, target);
  for (int i = 0; i < n; i++)
    list[i] = strncmp(options[i], option, strlen(option)) == 0 ? architecture : options[i];
  if (real.which->besides) list[n++] = real.which->besides;
  if (real.create(&compiled, program->source, "loop.cu", program->nheaders,
                  (const char *const *)program->headers, (const char *const *)program->names))
    return false;
  bool took = real.compile(compiled, n, list) == NVRTC_SUCCESS;
  if (!took && !real.log_size(compiled, &bytes)) {
    free(*log);
    *log = calloc(1, bytes + 1);
    if (*log) real.log(compiled, *log);
  }
  real.destroy(&compiled);
  return took;
}

int emulation_look_really(const struct emulation_real *which, struct nvrtc_program *program, int n,
                          const char *const *options) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool opened;
  if (getenv("OP2_TEST_PLANT")) return NVRTC_SUCCESS;
  pthread_mutex_lock(&mutex);
  if (!opened) open_real(which);
  opened = true;
  pthread_mutex_unlock(&mutex);
  if (!real.which) return NVRTC_SUCCESS;
  /* Compiling takes most of the time: in quick runs each text has one target, by its length. */
  const int first = quick() ? (int)(strlen(program->source) % TARGETS) : 0;
  const int end = quick() ? first + 1 : TARGETS;
  bool took = true;
  for (int t = first; t < end && took; t++)
    took = takes(program, real.which->targets[t], n, options, &program->log);
  if (took)
    ntexts++;
  else
    fprintf(stderr, "# emulation: the real %s does not take this text: %s\n%s\n", which->name,
            program->log ? program->log : "", program->source);
  return took ? NVRTC_SUCCESS : NVRTC_COMPILATION;
}
