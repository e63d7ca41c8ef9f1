/* SPDX-License-Identifier: BSD-3-Clause */
/* The real NVRTC beside the emulated one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc.h"

enum { TARGETS = 3 };
static const char *const targets[TARGETS] = {"sm_80", "sm_90", "sm_100"};

static struct {
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(void *, int, const char *const *);
  int (*log_size)(void *, size_t *);
  int (*log)(void *, char *);
  int (*destroy)(void **);
} real;
static bool there;
static _Atomic int ntexts;

static bool find(void *library) {
  *(void **)&real.create = dlsym(library, "nvrtcCreateProgram");
  *(void **)&real.compile = dlsym(library, "nvrtcCompileProgram");
  *(void **)&real.log_size = dlsym(library, "nvrtcGetProgramLogSize");
  *(void **)&real.log = dlsym(library, "nvrtcGetProgramLog");
  *(void **)&real.destroy = dlsym(library, "nvrtcDestroyProgram");
  return real.create && real.compile && real.log_size && real.log && real.destroy;
}

static bool quick(void) {
  const char *asked = getenv("OP2_TEST_QUICK");
  return asked && *asked && strcmp(asked, "0") != 0;
}

static void tell(void) {
  if (there)
    fprintf(stderr, "# emulation: the real NVRTC took %d texts, each for %d of %d targets\n",
            ntexts, quick() ? 1 : TARGETS, TARGETS);
}

/* OP2_TEST_NVRTC: where it may be, separated by colons. */
static void open_real(void) {
  const char *at = getenv("OP2_TEST_NVRTC");
  char path[4096];
  while (at && *at && !there) {
    const int length = (int)strcspn(at, ":");
    snprintf(path, sizeof path, "%.*s", length, at);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    there = library && find(library);
    at += length + (at[length] == ':');
  }
  if (there) atexit(tell);
}

static bool takes(const struct nvrtc_program *program, const char *target, int n,
                  const char *const *options, char **log) {
  char architecture[64];
  const char *list[160];
  void *compiled;
  size_t bytes = 0;
  if (n > 159) return false;
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", target);
  for (int i = 0; i < n; i++)
    list[i] = strncmp(options[i], "--gpu-architecture", 18) == 0 ? architecture : options[i];
  list[n++] = "--no-cache"; /* for which it would ask the driver, and find the emulated one */
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

bool emulation_real_takes(const struct nvrtc_program *program, int n, const char *const *options,
                          char **log) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_real);
  /* Compiling takes most of the time: in quick runs each text has one target, by its length. */
  const int first = quick() ? (int)(strlen(program->source) % TARGETS) : 0;
  const int end = quick() ? first + 1 : TARGETS;
  bool took = true;
  for (int t = first; t < end && there && took; t++)
    took = takes(program, targets[t], n, options, log);
  ntexts += there && took;
  return took;
}
