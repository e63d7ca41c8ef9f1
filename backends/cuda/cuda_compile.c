/* SPDX-License-Identifier: BSD-3-Clause */
/* Compilation of CUDA C to a cubin with NVRTC. */
#include <stdio.h>
#include <string.h>

#include "cuda_api.h"
#include "cuda_compile.h"
#include "error.h"
#include "mem.h"
#include "text.h"

enum { FOLDERS = 64, OPTIONS = 16 };

void op2i_cuda_compiler(char *name, size_t room) {
  snprintf(name, room, "NVRTC %s, headers %08x", op2i_nvrtc_version(), op2i_cuda_headers_digest());
}

static void take_log(const struct op2i_nvrtc_api *nvrtc, op2i_nvrtc_program program,
                     struct op2i_text *log) {
  size_t bytes = 0;
  if (nvrtc->nvrtcGetProgramLogSize(program, &bytes) || bytes < 2) return;
  char *text = op2i_malloc(bytes);
  if (text && !nvrtc->nvrtcGetProgramLog(program, text)) op2i_text_add(log, "%s", text);
  op2i_free(text);
}

/* Take the cubin or the PTX. */
static op2_status take_binary(const struct op2i_cuda_compiler *compiler, op2i_nvrtc_program program,
                              void **binary, size_t *bytes) {
  const struct op2i_nvrtc_api *api = compiler->api;
  const bool ptx = compiler->ptx;
  int result = ptx ? api->nvrtcGetPTXSize(program, bytes) : api->nvrtcGetCUBINSize(program, bytes);
  if (result || *bytes == 0)
    return op2i_error(OP2_ERR_COMPILE, "%s made no code for this device", compiler->name);
  *binary = op2i_malloc(*bytes);
  if (!*binary) return op2i_error_nomem("compiled code");
  result = ptx ? api->nvrtcGetPTX(program, *binary) : api->nvrtcGetCUBIN(program, *binary);
  if (!result) return OP2_SUCCESS;
  op2i_free(*binary);
  *binary = NULL;
  return op2i_error(OP2_ERR_COMPILE, "%s made no code for this device", compiler->name);
}

static op2_status compile(const struct op2i_cuda_compiler *compiler, op2i_nvrtc_program program,
                          const char *const *includes) {
  char folders[FOLDERS][300];
  const char *options[FOLDERS + OPTIONS];
  int n = 0;
  for (; n < compiler->noptions; n++) options[n] = compiler->options[n];
  for (int i = 0; includes && includes[i] && i < FOLDERS; i++) {
    snprintf(folders[i], sizeof folders[i], "-I%s", includes[i]);
    options[n++] = folders[i];
  }
  int result = compiler->api->nvrtcCompileProgram(program, n, options);
  return result ? op2i_error(OP2_ERR_COMPILE, "%s does not compile it for %s (error %d)",
                             compiler->name, compiler->architecture, result)
                : OP2_SUCCESS;
}

op2_status op2i_cuda_compile_by(const struct op2i_cuda_compiler *compiler, const char *source,
                                const char *const *includes, struct op2i_text *log, void **binary,
                                size_t *bytes) {
  op2i_nvrtc_program program;
  const char *headers[OP2I_CUDA_HEADERS], *names[OP2I_CUDA_HEADERS];
  for (int h = 0; h < OP2I_CUDA_HEADERS; h++) {
    headers[h] = op2i_cuda_headers[h].text;
    names[h] = op2i_cuda_headers[h].name;
  }
  int result = compiler->api->nvrtcCreateProgram(&program, source, "loop.cu", OP2I_CUDA_HEADERS,
                                                 headers, names);
  if (result)
    return op2i_error(OP2_ERR_COMPILE, "%s does not take the text (error %d)", compiler->name,
                      result);
  op2_status status = compile(compiler, program, includes);
  if (status)
    take_log(compiler->api, program, log);
  else
    status = take_binary(compiler, program, binary, bytes);
  compiler->api->nvrtcDestroyProgram(&program);
  return status;
}

op2_status op2i_cuda_compile(const char *source, const char *architecture,
                             const char *const *includes, struct op2i_text *log, void **binary,
                             size_t *bytes) {
  const char *why;
  char wanted[96];
  const char *const options[] = {
      wanted,        "--std=c++17",     "--fmad=false",      "--prec-div=true", "--prec-sqrt=true",
      "--ftz=false", "-default-device", "--disable-warnings"};
  const struct op2i_cuda_compiler compiler = {.name = "NVRTC",
                                              .api = op2i_nvrtc_api(&why),
                                              .architecture = architecture,
                                              .ptx = strncmp(architecture, "compute_", 8) == 0,
                                              .noptions = sizeof options / sizeof *options,
                                              .options = options};
  if (!compiler.api) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  snprintf(wanted, sizeof wanted, "--gpu-architecture=%s", architecture);
  return op2i_cuda_compile_by(&compiler, source, includes, log, binary, bytes);
}
