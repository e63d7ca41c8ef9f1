/* SPDX-License-Identifier: BSD-3-Clause */
/* Source into binaries, by the driver's compiler. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "opencl_device.h"
#include "opencl_include.h"
#include "text.h"

/* In front of every source. Sums of products are rounded as they are written, as on the host. */
static const char prelude[] = "#pragma OPENCL FP_CONTRACT OFF\n"
                              "#ifdef cl_khr_fp64\n"
                              "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                              "#endif\n"
                              "#line 1\n";

/* Version 1.2 is the one that all have; some of 3.0 may want their own. */
static const char *const standards[] = {"-cl-std=CL1.2", "-cl-std=CL3.0", "-cl-std=CL2.0", NULL};

/* A build while it goes on. */
struct build {
  struct op2i_opencl_device *device;
  struct op2i_text *log;
  cl_program compiled, linked;
};

static op2_status make_headers(struct op2i_opencl_device *device) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < OP2I_OPENCL_HEADERS && status == OP2_SUCCESS; i++) {
    const char *text = op2i_opencl_headers[i].text;
    cl_int code = CL_SUCCESS;
    if (device->headers[i]) continue;
    device->headers[i] =
        op2i_opencl_api.clCreateProgramWithSource(device->context, 1, &text, NULL, &code);
    status = op2i_opencl_status(device, code, "clCreateProgramWithSource (a header)");
  }
  return status;
}

static void add_log(struct build *build, cl_program program) {
  const struct op2i_opencl_api *cl = &op2i_opencl_api;
  cl_device_id id = build->device->id;
  size_t bytes = 0;
  if (cl->clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS)
    return;
  char *text = op2i_calloc(1, bytes + 1);
  if (!text) return;
  if (cl->clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, bytes, text, NULL) == CL_SUCCESS)
    op2i_text_add(build->log, "%s", text);
  op2i_free(text);
}

static cl_int compile(struct build *build, const char *options) {
  const char *names[OP2I_OPENCL_HEADERS];
  for (int i = 0; i < OP2I_OPENCL_HEADERS; i++) names[i] = op2i_opencl_headers[i].name;
  return op2i_opencl_api.clCompileProgram(build->compiled, 1, &build->device->id, options,
                                          OP2I_OPENCL_HEADERS, build->device->headers, names, NULL,
                                          NULL);
}

static bool refused(cl_int code) {
  return code == CL_INVALID_COMPILER_OPTIONS || code == CL_INVALID_BUILD_OPTIONS;
}

/* Warnings are left out: PoCL counts them on stderr, and nobody reads those of what compiles. */
static cl_int compile_as(struct build *build, const char *standard, const char *includes,
                         op2_status *status) {
  struct op2i_text options = {0};
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  op2i_text_add(&options, "%s -w%s%s", standard,
                build->device->rounds_right ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
                includes ? includes : "");
  if (!options.failed) code = compile(build, options.chars);
  *status = op2i_opencl_status(build->device, code, "clCompileProgram");
  op2i_text_free(&options);
  return code;
}

static op2_status compile_program(struct build *build, const char *includes) {
  struct op2i_opencl_device *device = build->device;
  op2_status status = OP2_SUCCESS;
  cl_int code = CL_SUCCESS;
  if (device->standard) {
    code = compile_as(build, device->standard, includes, &status);
  } else {
    int i = 0;
    do code = compile_as(build, standards[i], includes, &status);
    while (refused(code) && standards[++i]);
    if (code == CL_SUCCESS) device->standard = standards[i];
  }
  if (code != CL_SUCCESS) add_log(build, build->compiled);
  return status;
}

static op2_status link_program(struct build *build) {
  cl_int code;
  build->linked = op2i_opencl_api.clLinkProgram(build->device->context, 1, &build->device->id, "",
                                                1, &build->compiled, NULL, NULL, &code);
  if (code != CL_SUCCESS && build->linked) add_log(build, build->linked);
  if (code == CL_LINK_PROGRAM_FAILURE && !build->linked) /* PoCL keeps no log of it */
    op2i_text_add(build->log,
                  "the linker does not say why: is every function there that is called?\n");
  return op2i_opencl_status(build->device, code, "clLinkProgram");
}

static void add_tail(const struct op2i_opencl_device *device, unsigned char *image, size_t size) {
  struct op2i_opencl_tail tail = {.image = op2i_digest(image, size)};
  memcpy(tail.target, device->base.limits.target, sizeof tail.target);
  memcpy(image + size, &tail, sizeof tail);
}

static op2_status take_binary(struct build *build, void **binary, size_t *bytes) {
  const struct op2i_opencl_api *cl = &op2i_opencl_api;
  size_t size = 0;
  cl_int code =
      cl->clGetProgramInfo(build->linked, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  if (code != CL_SUCCESS)
    return op2i_opencl_status(build->device, code, "clGetProgramInfo (CL_PROGRAM_BINARY_SIZES)");
  if (size == 0)
    return op2i_error(OP2_ERR_COMPILE, "%s: its compiler makes no binaries",
                      build->device->base.limits.name);
  unsigned char *image = op2i_malloc(size + sizeof(struct op2i_opencl_tail));
  if (!image) return op2i_error_nomem("a binary of OpenCL");
  code = cl->clGetProgramInfo(build->linked, CL_PROGRAM_BINARIES, sizeof image, &image, NULL);
  op2_status status =
      op2i_opencl_status(build->device, code, "clGetProgramInfo (CL_PROGRAM_BINARIES)");
  if (status != OP2_SUCCESS) {
    op2i_free(image);
    return status;
  }
  add_tail(build->device, image, size);
  *binary = image;
  *bytes = size + sizeof(struct op2i_opencl_tail);
  return OP2_SUCCESS;
}

static op2_status create(struct build *build, const char *source) {
  const char *const texts[] = {prelude, source};
  cl_int code;
  build->compiled = op2i_opencl_api.clCreateProgramWithSource(build->device->context, 2,
                                                              (const char **)texts, NULL, &code);
  return op2i_opencl_status(build->device, code, "clCreateProgramWithSource");
}

op2_status op2i_opencl_build(struct op2i_device *base, const char *source,
                             const char *const *includes, struct op2i_text *log, void **binary,
                             size_t *bytes) {
  struct build build = {.device = (struct op2i_opencl_device *)base, .log = log};
  struct op2i_opencl_links links = {0};
  struct op2i_text folders = {0};
  op2_status status = OP2_SUCCESS;
  OP2I_TRY(op2i_opencl_alive(build.device));
  OP2I_TRY(make_headers(build.device));
  OP2I_TRY(create(&build, source));
  OP2I_TRY(op2i_opencl_include(&links, includes, &folders));
  OP2I_TRY(folders.failed ? op2i_error_nomem("a compiler's options") : OP2_SUCCESS);
  OP2I_TRY(compile_program(&build, folders.chars));
  OP2I_TRY(link_program(&build));
  OP2I_TRY(take_binary(&build, binary, bytes));
fail:
  if (build.linked) (void)op2i_opencl_api.clReleaseProgram(build.linked);
  if (build.compiled) (void)op2i_opencl_api.clReleaseProgram(build.compiled);
  op2i_opencl_links_remove(&links);
  op2i_text_free(&folders);
  return status;
}
