/* SPDX-License-Identifier: BSD-3-Clause */
/* From CUDA C to a cubin, by NVRTC: this needs neither a device nor its driver. */
#include <stdio.h>
#include <string.h>

#include "cuda_device.h"
#include "error.h"
#include "mem.h"
#include "text.h"

/* Arithmetic is as it is written, as on the host. A version that does not know one of these is not
 * told of it. */
static const char *const usual[] = {
    "--std=c++17",
    "--device-as-default-execution-space",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    "--extra-device-vectorization",
    "--disable-warnings",
};
enum { NUSUAL = sizeof usual / sizeof *usual };

struct options {
  const char **list;
  int n;
  struct op2i_text texts; /* of those that are made here, one after the other */
};

static int count(const char *const *includes) {
  int n = 0;
  while (includes && includes[n]) n++;
  return n;
}

/* Texts move while they grow: they are pointed to when all are there. */
static op2_status gather(struct options *options, const char *target, const char *const *includes,
                         bool (*known)(const char *option)) {
  const int n = count(includes);
  options->n = 0;
  options->list = op2i_malloc((size_t)(NUSUAL + 1 + n) * sizeof *options->list);
  op2i_text_add(&options->texts, "--gpu-architecture=%s", target);
  for (int i = 0; i < n; i++) {
    op2i_text_bytes(&options->texts, "", 1);
    op2i_text_add(&options->texts, "-I%s", includes[i]);
  }
  if (!options->list || options->texts.failed) return op2i_error_nomem("options of NVRTC");
  for (int i = 0; i < NUSUAL; i++)
    if (!known || known(usual[i])) options->list[options->n++] = usual[i];
  const char *next = options->texts.chars;
  for (int i = 0; i <= n; i++, next += strlen(next) + 1) options->list[options->n++] = next;
  return OP2_SUCCESS;
}

static void free_options(struct options *options) {
  op2i_free(options->list);
  op2i_text_free(&options->texts);
  *options = (struct options){0};
}

/* ---- one run of NVRTC ------------------------------------------------------------------------ */

static op2_status failed(int result, const char *call) {
  op2_status status = result == OP2I_NVRTC_OUT_OF_MEMORY ? OP2_ERR_NOMEM : OP2_ERR_COMPILE;
  return op2i_error(status, "NVRTC %s: %s: %s", op2i_nvrtc_version(), call,
                    op2i_nvrtc.nvrtcGetErrorString(result));
}

static int create(op2i_nvrtc_program *program, const char *source) {
  return op2i_nvrtc.nvrtcCreateProgram(program, source, "op2.cu", OP2I_CUDA_HEADERS,
                                       op2i_cuda_headers, op2i_cuda_header_names);
}

static bool knows(const char *option) {
  op2i_nvrtc_program program = NULL;
  if (create(&program, "") != OP2I_NVRTC_SUCCESS) return false;
  int result = op2i_nvrtc.nvrtcCompileProgram(program, 1, &option);
  (void)op2i_nvrtc.nvrtcDestroyProgram(&program);
  return result == OP2I_NVRTC_SUCCESS;
}

static void add_log(op2i_nvrtc_program program, struct op2i_text *log) {
  size_t bytes = 0;
  if (op2i_nvrtc.nvrtcGetProgramLogSize(program, &bytes) != OP2I_NVRTC_SUCCESS || bytes <= 1)
    return;
  char *text = op2i_calloc(1, bytes + 1);
  if (text && op2i_nvrtc.nvrtcGetProgramLog(program, text) == OP2I_NVRTC_SUCCESS)
    op2i_text_add(log, "%s", text);
  op2i_free(text);
}

static op2_status take_cubin(op2i_nvrtc_program program, void **binary, size_t *bytes) {
  size_t length = 0;
  int result = op2i_nvrtc.nvrtcGetCUBINSize(program, &length);
  if (result != OP2I_NVRTC_SUCCESS) return failed(result, "nvrtcGetCUBINSize");
  if (length == 0) return op2i_error(OP2_ERR_COMPILE, "NVRTC made no binary for this target");
  char *cubin = op2i_malloc(length);
  if (!cubin) return op2i_error_nomem("a binary of a CUDA device");
  result = op2i_nvrtc.nvrtcGetCUBIN(program, cubin);
  if (result != OP2I_NVRTC_SUCCESS) {
    op2i_free(cubin);
    return failed(result, "nvrtcGetCUBIN");
  }
  *binary = cubin;
  *bytes = length;
  return OP2_SUCCESS;
}

/* `*refused`: it is the options that were. */
static op2_status compile(const char *source, const struct options *options, struct op2i_text *log,
                          void **binary, size_t *bytes, bool *refused) {
  op2i_nvrtc_program program = NULL;
  op2_status status;
  int result = create(&program, source);
  if (result != OP2I_NVRTC_SUCCESS) return failed(result, "nvrtcCreateProgram");
  result = op2i_nvrtc.nvrtcCompileProgram(program, options->n, options->list);
  *refused = result == OP2I_NVRTC_INVALID_OPTION;
  if (result == OP2I_NVRTC_SUCCESS) {
    status = take_cubin(program, binary, bytes);
  } else {
    status = failed(result, "nvrtcCompileProgram");
    add_log(program, log);
  }
  (void)op2i_nvrtc.nvrtcDestroyProgram(&program);
  return status;
}

op2_status op2i_cuda_compile(const char *source, const char *target, const char *const *includes,
                             struct op2i_text *log, void **binary, size_t *bytes) {
  const char *why = op2i_nvrtc_missing();
  if (why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  struct options options = {0};
  const size_t said = log->length;
  bool refused = false;
  op2_status status = gather(&options, target, includes, NULL);
  if (status == OP2_SUCCESS) status = compile(source, &options, log, binary, bytes, &refused);
  if (refused) {
    const int all = options.n;
    free_options(&options);
    op2_status again = gather(&options, target, includes, knows);
    if (again != OP2_SUCCESS || options.n < all) {
      if (log->length > said) op2i_text_cut(log, said);
      status = again ? again : compile(source, &options, log, binary, bytes, &refused);
    }
  }
  free_options(&options);
  return status;
}
