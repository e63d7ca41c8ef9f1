/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules: compiled device code is a shared object of the host's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulation.h"

enum { FUNCTIONS = 64 };

struct emulation_module {
  struct emulation_module *next;
  void *handle;
  const struct op2_emulation **now;
  const struct op2_emulation_shared *shared;
  const struct op2_emulation_entry *entries;
  const char *kernel;
  uintptr_t begin, end; /* where it lies in memory */
  int nfunctions;
  struct emulation_function functions[FUNCTIONS];
};

static struct emulation_module *modules; /* all that are loaded */

/* The driver is not told how long an image is: its tables say. */
static size_t length_of(const void *image) {
  Elf64_Ehdr head;
  size_t end;
  memcpy(&head, image, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_type != ET_DYN) return 0;
  end = head.e_shoff + (size_t)head.e_shnum * sizeof(Elf64_Shdr);
  for (int i = 0; i < head.e_shnum; i++) {
    Elf64_Shdr section;
    memcpy(&section, (const char *)image + head.e_shoff + (size_t)i * sizeof section,
           sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_offset + section.sh_size > end)
      end = section.sh_offset + section.sh_size;
  }
  return end;
}

/* By a name that was never there before: the loader knows by names what it has loaded. */
static void *open_image(const void *image, size_t bytes) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  void *handle = NULL;
  snprintf(path, sizeof path, "%s/op2-emulation-XXXXXX", folder && *folder ? folder : "/tmp");
  int file = mkstemp(path);
  if (file < 0) return NULL;
  if (write(file, image, bytes) == (ssize_t)bytes) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  close(file);
  unlink(path);
  return handle;
}

static int note_extent(struct dl_phdr_info *info, size_t size, void *data) {
  struct emulation_module *module = data;
  (void)size;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (at < begin) begin = at;
    if (at + info->dlpi_phdr[i].p_memsz > end) end = at + info->dlpi_phdr[i].p_memsz;
  }
  uintptr_t inside = (uintptr_t)module->shared;
  if (inside < begin || inside >= end) return 0;
  module->begin = begin;
  module->end = end;
  return 1;
}

int emulation_module_load(const void *image, struct emulation_module **out) {
  size_t bytes = length_of(image);
  struct emulation_module *module = calloc(1, sizeof *module);
  if (!module) return EMULATION_OUT_OF_MEMORY;
  module->handle = bytes ? open_image(image, bytes) : NULL;
  if (module->handle) {
    *(void **)&module->now = dlsym(module->handle, "op2_emulation_now");
    *(const void **)&module->shared = dlsym(module->handle, "op2_emulation_memory");
    *(const void **)&module->entries = dlsym(module->handle, "op2_emulation_entries");
    module->kernel = dlsym(module->handle, "op2_emulation_kernel");
  }
  module->next = modules;
  modules = module;
  if (!module->now || !module->shared || !module->entries ||
      !dl_iterate_phdr(note_extent, module)) {
    emulation_module_unload(module);
    return EMULATION_INVALID_IMAGE;
  }
  *out = module;
  return EMULATION_SUCCESS;
}

void emulation_module_unload(struct emulation_module *module) {
  struct emulation_module **at = &modules;
  while (*at != module) at = &(*at)->next;
  *at = module->next;
  emulation_forget_shared();
  if (module->handle) dlclose(module->handle);
  free(module);
}

void emulation_unload_all(void) {
  while (modules) emulation_module_unload(modules);
}

bool emulation_is_module(const struct emulation_module *module) {
  const struct emulation_module *m = modules;
  while (m && m != module) m = m->next;
  return m != NULL;
}

struct emulation_function *emulation_module_find(struct emulation_module *module,
                                                 const char *name) {
  const struct op2_emulation_entry *entry = module->entries;
  for (int f = 0; f < module->nfunctions; f++)
    if (strcmp(module->functions[f].entry->name, name) == 0) return &module->functions[f];
  while (entry->name && strcmp(entry->name, name) != 0) entry++;
  if (!entry->name || module->nfunctions == FUNCTIONS) return NULL;
  struct emulation_function *function = &module->functions[module->nfunctions++];
  *function =
      (struct emulation_function){.entry = entry, .module = module, .dynamic_max = 48 << 10};
  return function;
}

int emulation_module_fixed(const struct emulation_module *module) {
  return (int)(module->shared->fixed_end - module->shared->fixed);
}

const char *emulation_module_kernel(const struct emulation_module *module) {
  return module->kernel ? module->kernel : "";
}

static bool among(uintptr_t at, const unsigned char *begin, const unsigned char *end) {
  return at >= (uintptr_t)begin && at < (uintptr_t)end;
}

/* Constants and the like, not what blocks share. */
bool emulation_module_holds(const struct emulation_module *module, uintptr_t at) {
  const struct op2_emulation_shared *shared = module->shared;
  return at >= module->begin && at < module->end &&
         !among(at, shared->dynamic, shared->dynamic + shared->dynamic_bytes) &&
         !among(at, shared->fixed, shared->fixed_end);
}

const struct op2_emulation_shared *emulation_module_enter(const struct emulation_module *module,
                                                          const struct op2_emulation *now) {
  *module->now = now;
  return module->shared;
}
