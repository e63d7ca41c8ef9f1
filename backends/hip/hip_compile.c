/* SPDX-License-Identifier: BSD-3-Clause */
/* Compilation of CUDA C as HIP to a code object, with hipRTC. Its clang contracts a * b + c and does
 * not round single-precision divisions and roots correctly unless it is told otherwise. */
#include "hip_compile.h"

#include <pthread.h>
#include <stdio.h>

#include "cuda_compile.h"
#include "error.h"

void op2i_hip_compiler(char *name, size_t room) {
  snprintf(name, room, "hipRTC %s, headers %08x", op2i_hiprtc_version(),
           op2i_cuda_headers_digest());
}

/* hipRTC of HIP 5 crashes if two threads compile at the same time, as contexts of two threads do. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void op2i_hip_hold(void) { pthread_mutex_lock(&mutex); }
void op2i_hip_let_go(void) { pthread_mutex_unlock(&mutex); }

op2_status op2i_hip_compile(const char *source, const char *architecture,
                            const char *const *includes, struct op2i_text *log, void **binary,
                            size_t *bytes) {
  op2i_hip_hold();
  const op2_status status =
      op2i_hip_compile_held(source, architecture, includes, log, binary, bytes);
  op2i_hip_let_go();
  return status;
}

op2_status op2i_hip_compile_held(const char *source, const char *architecture,
                                 const char *const *includes, struct op2i_text *log, void **binary,
                                 size_t *bytes) {
  const char *why;
  char wanted[64];
  const char *const options[] = {wanted,
                                 "-std=c++17",
                                 "-O3",
                                 "-fwrapv",
                                 "-ffp-contract=off",
                                 "-fno-fast-math",
                                 "-fhip-fp32-correctly-rounded-divide-sqrt",
                                 "-fno-gpu-flush-denormals-to-zero",
                                 "--gpu-max-threads-per-block=256", /* as many as groups have */
                                 "-Wno-c++11-narrowing", /* which C has no word against */
                                 "-w"};
  const struct op2i_cuda_compiler compiler = {.name = "hipRTC",
                                              .api = op2i_hiprtc_api(&why),
                                              .architecture = architecture,
                                              .noptions = sizeof options / sizeof *options,
                                              .options = options};
  if (!compiler.api) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  if (!*architecture)
    return op2i_error(OP2_ERR_COMPILE, "hipRTC %s knows neither this device nor one like it",
                      op2i_hiprtc_version());
  snprintf(wanted, sizeof wanted, "--offload-arch=%s", architecture);
  return op2i_cuda_compile_by(&compiler, source, includes, log, binary, bytes);
}
