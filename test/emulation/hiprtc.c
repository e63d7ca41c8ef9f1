/* SPDX-License-Identifier: BSD-3-Clause */
/* hipRTC by the emulated NVRTC. It knows other options, and architectures that it does not know end the
 * process, as with the one of Debian 12. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip.h"
#include "nvrtc.h"

enum { OPTIONS = 128 };

int hiprtcVersion(int *major, int *minor) {
  int result = nvrtcVersion(major, minor);
  *major = 9;
  return result;
}

int hiprtcCreateProgram(struct nvrtc_program **program, const char *source, const char *name,
                        int nheaders, const char *const *headers, const char *const *names) {
  return nvrtcCreateProgram(program, source, name, nheaders, headers, names);
}

int hiprtcDestroyProgram(struct nvrtc_program **program) { return nvrtcDestroyProgram(program); }

/* With `knows` only that one is known, and by its plain name. */
static void need_architecture(const char *name) {
  static const char *const all[] = {"gfx906",  "gfx908", "gfx90a", "gfx90a:sramecc+:xnack-",
                                    "gfx1030", "gfx1100"};
  const int64_t only = emulation_setting("knows", 0);
  char known[32];
  snprintf(known, sizeof known, "gfx%llx", (unsigned long long)only);
  if (only && strcmp(name, known) == 0) return;
  for (size_t a = 0; a < sizeof all / sizeof *all && !only; a++)
    if (strcmp(name, all[a]) == 0) return;
  fprintf(stderr, "emulated hipRTC: no architecture %s\n", name);
  abort();
}

int hiprtcCompileProgram(struct nvrtc_program *program, int n, const char *const *options) {
  static const char target[] = "--offload-arch=";
  static const char *const known[] = {"-std=c++17",
                                      "-O3",
                                      "-fwrapv",
                                      "-ffp-contract=off",
                                      "-fno-fast-math",
                                      "-fhip-fp32-correctly-rounded-divide-sqrt",
                                      "-fno-gpu-flush-denormals-to-zero",
                                      "--gpu-max-threads-per-block=256",
                                      "-Wno-c++11-narrowing",
                                      "-w"};
  enum { KNOWN = sizeof known / sizeof *known };
  const char *list[OPTIONS] = {"--gpu-architecture=sm_80"};
  int count = 1, contracts = 1;
  if (n > OPTIONS - 1) return NVRTC_INVALID_INPUT;
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < KNOWN && strcmp(known[k], options[i]) != 0) k++;
    if (strncmp(options[i], target, strlen(target)) == 0)
      need_architecture(options[i] + strlen(target));
    else if (strncmp(options[i], "-I", 2) == 0)
      list[count++] = options[i];
    else if (k == KNOWN)
      return NVRTC_INVALID_OPTION;
    contracts &= strcmp(options[i], "-ffp-contract=off") != 0;
    program->wraps |= strcmp(options[i], "-fwrapv") == 0;
  }
  if (contracts) return NVRTC_INVALID_OPTION; /* the results would have other bits */
  int result = emulation_compile(program, count, list);
  return result ? result : emulation_look_really(&emulation_real_hiprtc, program, n, options);
}

int hiprtcGetProgramLogSize(struct nvrtc_program *program, size_t *bytes) {
  return nvrtcGetProgramLogSize(program, bytes);
}

int hiprtcGetProgramLog(struct nvrtc_program *program, char *log) {
  return nvrtcGetProgramLog(program, log);
}

int hiprtcGetCodeSize(struct nvrtc_program *program, size_t *bytes) {
  return nvrtcGetCUBINSize(program, bytes);
}

int hiprtcGetCode(struct nvrtc_program *program, char *code) {
  return nvrtcGetCUBIN(program, code);
}
