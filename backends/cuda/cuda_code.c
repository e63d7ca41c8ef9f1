/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of a CUDA device: loading what NVRTC made, and launches of it. */
#include <elf.h>
#include <limits.h>
#include <string.h>

#include "cuda_device.h"
#include "error.h"
#include "mem.h"

/* ---- loading --------------------------------------------------------------------------------- */

static bool within(uint64_t at, uint64_t length, uint64_t bytes) {
  return at <= bytes && length <= bytes - at;
}

/* The driver is not told how long a cubin is, and reads as far as its tables say. */
static bool is_whole(const void *binary, size_t bytes) {
  Elf64_Ehdr head;
  Elf64_Shdr section;
  if (bytes < sizeof head) return false;
  memcpy(&head, binary, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_shentsize != sizeof section || head.e_shnum == 0 ||
      !within(head.e_shoff, head.e_shnum * sizeof section, bytes) ||
      !within(head.e_phoff, (uint64_t)head.e_phnum * head.e_phentsize, bytes))
    return false;
  for (int i = 0; i < head.e_shnum; i++) {
    memcpy(&section, (const char *)binary + head.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && !within(section.sh_offset, section.sh_size, bytes))
      return false;
  }
  return true;
}

/* A group may share as much memory as the device has for one; without asking it is less. */
static op2_status find_function(struct op2i_cuda_device *device, struct op2i_cuda_code *code,
                                const char *entry) {
  op2i_cuda_function function;
  int threads = 0, shared = 0;
  op2_status status;
  OP2I_TRY(OP2I_CUDA(device, cuModuleGetFunction, &function, code->module, entry));
  OP2I_TRY(
      OP2I_CUDA(device, cuFuncGetAttribute, &threads, OP2I_CUDA_FUNCTION_MAX_THREADS, function));
  OP2I_TRY(OP2I_CUDA(device, cuFuncGetAttribute, &shared, OP2I_CUDA_FUNCTION_SHARED, function));
  int room = (int)device->base.limits.local_bytes - shared;
  if (room > 0)
    OP2I_TRY(OP2I_CUDA(device, cuFuncSetAttribute, function, OP2I_CUDA_FUNCTION_MAX_DYNAMIC_SHARED,
                       room));
  code->function = function;
  code->base.group_max = threads;
fail:
  return status;
}

static op2_status load_into(struct op2i_cuda_device *device, const void *binary, const char *entry,
                            struct op2i_cuda_code *code) {
  op2_status status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  status = OP2I_CUDA(device, cuModuleLoadData, &code->module, binary);
  if (status == OP2_SUCCESS) {
    status = find_function(device, code, entry);
    if (status != OP2_SUCCESS) (void)op2i_cuda.cuModuleUnload(code->module);
  }
  op2i_cuda_leave();
  return status;
}

op2_status op2i_cuda_load(struct op2i_device *base, const void *binary, size_t bytes,
                          const char *entry, struct op2i_device_code **out) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  if (!is_whole(binary, bytes))
    return op2i_error(OP2_ERR_COMPILE, "%s: what is to be loaded for %s is no whole binary",
                      base->limits.name, entry);
  struct op2i_cuda_code *code = op2i_calloc(1, sizeof *code);
  if (!code) return op2i_error_nomem("code of a CUDA device");
  op2_status status = load_into(device, binary, entry, code);
  if (status == OP2_SUCCESS)
    *out = &code->base;
  else
    op2i_free(code);
  return status;
}

void op2i_cuda_unload(struct op2i_device *base, struct op2i_device_code *unloaded) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  struct op2i_cuda_code *code = (struct op2i_cuda_code *)unloaded;
  if (code && !device->lost[0] && op2i_cuda_enter(device) == OP2_SUCCESS) {
    (void)OP2I_CUDA(device, cuModuleUnload, code->module);
    op2i_cuda_leave();
  }
  op2i_free(code);
}

/* ---- running --------------------------------------------------------------------------------- */

static op2_status check_launch(const struct op2i_cuda_device *device,
                               const struct op2i_cuda_code *code,
                               const struct op2i_launch *launch) {
  const struct op2i_device_limits *limits = &device->base.limits;
  if (launch->groups < 1 || launch->groups > INT_MAX)
    return op2i_error(OP2_ERR_UNAVAILABLE, "%s: a launch of %lld groups; there can be 1 to %d",
                      limits->name, (long long)launch->groups, INT_MAX);
  if (launch->group < 1 || launch->group > code->base.group_max)
    return op2i_error(OP2_ERR_UNAVAILABLE, "%s: a launch of groups of %lld; there can be 1 to %lld",
                      limits->name, (long long)launch->group, (long long)code->base.group_max);
  if (launch->local_bytes < 0 || launch->local_bytes > limits->local_bytes)
    return op2i_error(OP2_ERR_UNAVAILABLE,
                      "%s: a launch of groups that share %lld bytes; they can share %lld",
                      limits->name, (long long)launch->local_bytes, (long long)limits->local_bytes);
  return OP2_SUCCESS;
}

/* In CUDA a function declares the memory that a group shares, `extern __shared__`, and has no
 * parameter that points to it: local_bytes says how much there is, and adds none. */
static op2_status launch_with(struct op2i_cuda_device *device, struct op2i_cuda_code *code,
                              const struct op2i_launch *launch, void **parameters) {
  for (int i = 0; i < launch->nargs; i++) {
    const struct op2i_device_arg *arg = &launch->args[i];
    parameters[i] = arg->is_memory ? (void *)&arg->memory : (void *)&arg->number;
  }
  op2_status status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  status = OP2I_CUDA(device, cuLaunchKernel, code->function, (unsigned)launch->groups, 1, 1,
                     (unsigned)launch->group, 1, 1, (unsigned)launch->local_bytes, device->stream,
                     parameters, NULL);
  op2i_cuda_leave();
  if (status == OP2_SUCCESS) device->base.counts.launches++;
  return status;
}

op2_status op2i_cuda_launch(struct op2i_device *base, struct op2i_device_code *launched,
                            const struct op2i_launch *launch) {
  enum { FEW = 64 };
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  struct op2i_cuda_code *code = (struct op2i_cuda_code *)launched;
  void *few[FEW], **parameters = few;
  op2_status status = check_launch(device, code, launch);
  if (status != OP2_SUCCESS) return status;
  if (launch->nargs > FEW) parameters = op2i_malloc((size_t)launch->nargs * sizeof *parameters);
  if (!parameters) return op2i_error_nomem("the parameters of a launch");
  status = launch_with(device, code, launch, parameters);
  if (parameters != few) op2i_free(parameters);
  return status;
}

op2_status op2i_cuda_wait(struct op2i_device *base) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  op2_status status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  status = OP2I_CUDA(device, cuStreamSynchronize, device->stream);
  op2i_cuda_leave();
  return status;
}
