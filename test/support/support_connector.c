/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling tool with all functions of Kokkos Tools' interface that the library may call. It writes
 * a line for each call into the file that OP2_TEST_CONNECTOR names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *file;
static uint64_t next;

/* Compilers want declarations of functions that others call. */
void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device);
void kokkosp_finalize_library(void);
void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id);
void kokkosp_end_parallel_for(uint64_t id);
void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *id);
void kokkosp_end_parallel_reduce(uint64_t id);
void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *id);
void kokkosp_end_fence(uint64_t id);
void kokkosp_push_profile_region(const char *name);
void kokkosp_pop_profile_region(void);

static void begin(const char *kind, const char *name, uint64_t *id) {
  *id = ++next;
  if (file) fprintf(file, "begin %s %d %s\n", kind, (int)*id, name);
}

static void end(const char *kind, uint64_t id) {
  if (file) fprintf(file, "end %s %d\n", kind, (int)id);
}

void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device) {
  const char *path = getenv("OP2_TEST_CONNECTOR");
  (void)device;
  file = path ? fopen(path, "w") : NULL;
  if (file) fprintf(file, "init %d %d %d\n", sequence, (int)version, (int)devices);
}

void kokkosp_finalize_library(void) {
  if (!file) return;
  fputs("finalize\n", file);
  fclose(file);
  file = NULL;
}

void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id) {
  (void)device;
  begin("for", name, id);
}
void kokkosp_end_parallel_for(uint64_t id) { end("for", id); }

void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *id) {
  (void)device;
  begin("reduce", name, id);
}
void kokkosp_end_parallel_reduce(uint64_t id) { end("reduce", id); }

void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *id) {
  (void)device;
  begin("fence", name, id);
}
void kokkosp_end_fence(uint64_t id) { end("fence", id); }

void kokkosp_push_profile_region(const char *name) {
  if (file) fprintf(file, "push %s\n", name);
}
void kokkosp_pop_profile_region(void) {
  if (file) fputs("pop\n", file);
}
