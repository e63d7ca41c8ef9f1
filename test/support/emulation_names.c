/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulation_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool emulation_is_hip(void) {
  const char *asked = getenv("OP2_TEST_BACKEND");
  return asked && strcmp(asked, "hip") == 0;
}

const char *emulation_backend(void) { return emulation_is_hip() ? "hip" : "cuda"; }

const char *emulation_driver(void) {
  return emulation_is_hip() ? "libamdhip64.so.7" : "libcuda.so.1";
}

const char *emulation_call(const char *cuda_name) {
  static char name[64];
  if (!emulation_is_hip()) return cuda_name;
  if (strcmp(cuda_name, "cuLaunchKernel") == 0) return "hipModuleLaunchKernel";
  snprintf(name, sizeof name, "hip%s", cuda_name + 2);
  return name;
}
