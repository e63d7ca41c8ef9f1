/* SPDX-License-Identifier: BSD-3-Clause */
/* The library of a profiler with NVTX's interface, by the types and numbers of NVTX's own header. */
#include <nvtx3/nvToolsExt.h>

#include "record.h"

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables);

static int push(const char *name) {
  record("push", name);
  return 0;
}

static int pop(void) {
  record("pop", "");
  return 0;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables) {
  const NvtxExportTableVersionInfo *version = tables(NVTX_ETID_VERSIONINFO);
  const NvtxExportTableCallbacks *callbacks = tables(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table = NULL;
  unsigned bytes = 0;
  if (!version || version->struct_size < sizeof *version || version->version < 3) return 0;
  if (!callbacks || callbacks->struct_size < sizeof *callbacks) return 0;
  if (tables(NVTX_ETID_RESERVED0)) return 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDA, &table, &bytes)) return 0;
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &bytes)) return 0;
  if (bytes < NVTX_CBID_CORE_SIZE * sizeof *table) return 0;
  *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
  *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
  record("init", "");
  return 1;
}
