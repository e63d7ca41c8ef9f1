/* SPDX-License-Identifier: BSD-3-Clause */
/* Code for OpenCL devices: building, loading and launching. */
#include "mem.h"
#include "opencl_device.h"
#include "text.h"

/* A binary whose functions are in use. */
struct op2i_opencl_image {
  const void *binary;
  cl_program program;
  int uses;
  struct op2i_opencl_image *next;
};

struct code {
  struct op2i_device_code code;
  struct op2i_opencl_image *image;
  cl_kernel kernel;
};

/* ---- building -------------------------------------------------------------------------------- */

static void take_log(struct op2i_opencl *cl, cl_program program, struct op2i_text *log) {
  size_t bytes = 0;
  cl_device_id device = cl->found.device;
  if (cl->api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes))
    return;
  char *text = op2i_calloc(1, bytes + 1);
  if (text &&
      !cl->api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL))
    op2i_text_add(log, "%s", text);
  op2i_free(text);
}

static op2_status take_binary(struct op2i_opencl *cl, cl_program program, void **binary,
                              size_t *bytes) {
  op2_status status = OP2I_OPENCL_CALL(cl, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES,
                                       sizeof *bytes, bytes, NULL);
  if (status) return status;
  unsigned char *room = op2i_malloc(*bytes + 1);
  if (!room) return op2i_error_nomem("compiled code");
  status = OP2I_OPENCL_CALL(cl, clGetProgramInfo, program, CL_PROGRAM_BINARIES, sizeof room, &room,
                            NULL);
  if (status)
    op2i_free(room);
  else
    *binary = room;
  return status;
}

static op2_status compile(struct op2i_opencl *cl, cl_program program, const char *const *includes,
                          struct op2i_text *log) {
  struct op2i_text options = {0};
  op2i_text_add(&options, "-cl-std=CL1.2 -w%s",
                cl->rounds ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
  for (; includes && *includes; includes++) op2i_text_add(&options, " -I%s", *includes);
  if (options.failed) {
    op2i_text_free(&options);
    return op2i_error_nomem("options of a compiler");
  }
  cl_int error = cl->api->clBuildProgram(program, 1, &cl->found.device, options.chars, NULL, NULL);
  op2i_text_free(&options);
  if (!error) return OP2_SUCCESS;
  take_log(cl, program, log);
  return op2i_error(OP2_ERR_COMPILE, "%s does not compile it: %s", cl->device.limits.name,
                    op2i_opencl_error(error));
}

op2_status op2i_opencl_build(struct op2i_device *device, const char *source,
                             const char *const *includes, struct op2i_text *log, void **binary,
                             size_t *bytes) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  struct op2i_text text = {0};
  cl_int error = 0;
  op2_status status = op2i_opencl_alive(cl);
  if (status) return status;
  op2i_opencl_source(source, &text);
  const char *chars = text.chars;
  if (text.failed || !chars) {
    op2i_text_free(&text);
    return op2i_error_nomem("the text of a loop");
  }
  cl_program program = cl->api->clCreateProgramWithSource(cl->context, 1, &chars, NULL, &error);
  status = op2i_opencl_refused(cl, "clCreateProgramWithSource", error);
  if (!status) {
    status = compile(cl, program, includes, log);
    if (!status) status = take_binary(cl, program, binary, bytes);
    cl->api->clReleaseProgram(program);
  }
  op2i_text_free(&text);
  return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

static op2_status make_image(struct op2i_opencl *cl, const void *binary, size_t bytes,
                             struct op2i_opencl_image *image) {
  const unsigned char *chars = binary;
  cl_int error = 0, good = 0;
  image->binary = binary;
  image->program = cl->api->clCreateProgramWithBinary(cl->context, 1, &cl->found.device, &bytes,
                                                      &chars, &good, &error);
  op2_status status = op2i_opencl_refused(cl, "clCreateProgramWithBinary", error ? error : good);
  if (status) return status;
  status =
      OP2I_OPENCL_ASK(cl, clBuildProgram, image->program, 1, &cl->found.device, "", NULL, NULL);
  if (status) cl->api->clReleaseProgram(image->program);
  return status;
}

/* Functions of one binary share a program, as a platform may keep much memory for each program. */
static op2_status use_image(struct op2i_opencl *cl, const void *binary, size_t bytes,
                            struct op2i_opencl_image **out) {
  struct op2i_opencl_image *image = cl->images;
  while (image && image->binary != binary) image = image->next;
  if (!image) {
    image = op2i_calloc(1, sizeof *image);
    if (!image) return op2i_error_nomem("a loop on the device");
    op2_status status = make_image(cl, binary, bytes, image);
    if (status) {
      op2i_free(image);
      return status;
    }
    image->next = cl->images;
    cl->images = image;
  }
  image->uses++;
  *out = image;
  return OP2_SUCCESS;
}

static void unuse_image(struct op2i_opencl *cl, struct op2i_opencl_image *image) {
  struct op2i_opencl_image **at = &cl->images;
  if (--image->uses > 0) return;
  while (*at != image) at = &(*at)->next;
  *at = image->next;
  cl->api->clReleaseProgram(image->program);
  op2i_free(image);
}

static op2_status make_kernel(struct op2i_opencl *cl, struct code *code, const char *entry) {
  cl_int error = 0;
  size_t group = 1;
  code->kernel = cl->api->clCreateKernel(code->image->program, entry, &error);
  op2_status status = op2i_opencl_refused(cl, "clCreateKernel", error);
  if (status) return status;
  cl->api->clGetKernelWorkGroupInfo(code->kernel, cl->found.device, CL_KERNEL_WORK_GROUP_SIZE,
                                    sizeof group, &group, NULL);
  code->code.group_max = group > 0 ? (int64_t)group : 1;
  return OP2_SUCCESS;
}

void op2i_opencl_unload(struct op2i_device *device, struct op2i_device_code *unloaded) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  struct code *code = (struct code *)unloaded;
  if (code->kernel) cl->api->clReleaseKernel(code->kernel);
  if (code->image) unuse_image(cl, code->image);
  op2i_free(code);
}

op2_status op2i_opencl_load(struct op2i_device *device, const void *binary, size_t bytes,
                            const char *entry, struct op2i_device_code **out) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  op2_status status = op2i_opencl_alive(cl);
  if (status) return status;
  struct code *code = op2i_calloc(1, sizeof *code);
  if (!code) return op2i_error_nomem("a loop on the device");
  status = use_image(cl, binary, bytes, &code->image);
  if (!status) status = make_kernel(cl, code, entry);
  if (status)
    op2i_opencl_unload(device, &code->code);
  else
    *out = &code->code;
  return status;
}

/* ---- launching ------------------------------------------------------------------------------- */

static op2_status set_arg(struct op2i_opencl *cl, cl_kernel kernel, cl_uint a,
                          const struct op2i_device_arg *arg) {
  cl_mem memory = arg->memory;
  if (arg->is_memory)
    return OP2I_OPENCL_ASK(cl, clSetKernelArg, kernel, a, sizeof memory, memory ? &memory : NULL);
  return OP2I_OPENCL_ASK(cl, clSetKernelArg, kernel, a, sizeof arg->number, &arg->number);
}

/* Every function has a last parameter for group-shared memory, of eight bytes if it needs none. */
op2_status op2i_opencl_launch(struct op2i_device *device, struct op2i_device_code *launched,
                              const struct op2i_launch *l) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  struct code *code = (struct code *)launched;
  size_t group = (size_t)l->group, all = (size_t)l->groups * group;
  op2_status status = op2i_opencl_alive(cl);
  for (int a = 0; a < l->nargs && !status; a++)
    status = set_arg(cl, code->kernel, (cl_uint)a, &l->args[a]);
  if (!status)
    status = OP2I_OPENCL_ASK(cl, clSetKernelArg, code->kernel, (cl_uint)l->nargs,
                             (size_t)(l->local_bytes ? l->local_bytes : 8), NULL);
  if (!status)
    status = OP2I_OPENCL_ASK(cl, clEnqueueNDRangeKernel, cl->queue, code->kernel, 1, NULL, &all,
                             &group, 0, NULL, NULL);
  /* If the flush fails, the launch stays queued until the next call that waits, which reports the
   * error. */
  if (!status) cl->api->clFlush(cl->queue);
  return status;
}
