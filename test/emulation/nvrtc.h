/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_EMULATION_NVRTC_H
#define OP2_EMULATION_NVRTC_H

#include "emulation.h"

/* What NVRTC returns. */
enum {
  NVRTC_SUCCESS = 0,
  NVRTC_OUT_OF_MEMORY = 1,
  NVRTC_INVALID_INPUT = 3,
  NVRTC_INVALID_OPTION = 5,
  NVRTC_COMPILATION = 6
};

struct nvrtc_program {
  char *source, *log, *image;
  size_t image_bytes;
  bool is_ptx; /* what was asked for is PTX, not a cubin */
  bool wraps;  /* signed integers wrap */
  int nheaders;
  char **headers, **names;
};

int nvrtcVersion(int *major, int *minor);
const char *nvrtcGetErrorString(int result);
int nvrtcCreateProgram(struct nvrtc_program **program, const char *source, const char *name,
                       int nheaders, const char *const *headers, const char *const *names);
int nvrtcDestroyProgram(struct nvrtc_program **program);
int nvrtcCompileProgram(struct nvrtc_program *program, int n, const char *const *options);
int nvrtcGetProgramLogSize(struct nvrtc_program *program, size_t *bytes);
int nvrtcGetProgramLog(struct nvrtc_program *program, char *log);
int nvrtcGetCUBINSize(struct nvrtc_program *program, size_t *bytes);
int nvrtcGetCUBIN(struct nvrtc_program *program, char *cubin);
int nvrtcGetPTXSize(struct nvrtc_program *program, size_t *bytes);
int nvrtcGetPTX(struct nvrtc_program *program, char *ptx);
int nvrtcGetNumSupportedArchs(int *n);
int nvrtcGetSupportedArchs(int *architectures);
/* Faults of OP2_TEST_PLANT that were found in texts, and planted, since it was asked last. */
int op2_emulation_planted(void);

/* The most programs that threads have compiled at the same time so far. */
int op2_emulation_compiled_together(void);

/* text.c: `source` with faults planted and a table of what can be launched; `*planted` counts. Null where
 * memory lacks. *shared: the name that it gives to memory that blocks share, or empty. */
enum { EMULATION_NAME = 64 };
char *emulation_text(const char *source, char shared[EMULATION_NAME], int *planted);

/* nvrtc.c: compile by the host's compiler alone. */
int emulation_compile(struct nvrtc_program *program, int n, const char *const *options);

/* real.c: a real compiler that has to take each text besides, if the environment says where it is. */
struct emulation_real;
extern const struct emulation_real emulation_real_nvrtc, emulation_real_hiprtc;
/* Success, or a failure that is reported together with the text. */
int emulation_look_really(const struct emulation_real *real, struct nvrtc_program *program, int n,
                          const char *const *options);

#endif
