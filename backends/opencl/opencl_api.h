/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OPENCL_API_H
#define OP2I_OPENCL_API_H

/* OpenCL's functions, found at run time: the library is linked with nothing of it, and nothing
 * of it is loaded before somebody asks. Version 1.2 is what is used. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "op2/status.h"

/* Each is a member of the table, and is looked up by its name. */
#define OP2I_OPENCL_FUNCTIONS(EACH)                                                                \
  EACH(clGetPlatformIDs);                                                                          \
  EACH(clGetPlatformInfo);                                                                         \
  EACH(clGetDeviceIDs);                                                                            \
  EACH(clGetDeviceInfo);                                                                           \
  EACH(clCreateContext);                                                                           \
  EACH(clReleaseContext);                                                                          \
  EACH(clCreateCommandQueue);                                                                      \
  EACH(clReleaseCommandQueue);                                                                     \
  EACH(clCreateBuffer);                                                                            \
  EACH(clReleaseMemObject);                                                                        \
  EACH(clEnqueueReadBuffer);                                                                       \
  EACH(clEnqueueWriteBuffer);                                                                      \
  EACH(clEnqueueFillBuffer);                                                                       \
  EACH(clCreateProgramWithSource);                                                                 \
  EACH(clCreateProgramWithBinary);                                                                 \
  EACH(clReleaseProgram);                                                                          \
  EACH(clCompileProgram);                                                                          \
  EACH(clLinkProgram);                                                                             \
  EACH(clBuildProgram);                                                                            \
  EACH(clGetProgramInfo);                                                                          \
  EACH(clGetProgramBuildInfo);                                                                     \
  EACH(clCreateKernel);                                                                            \
  EACH(clReleaseKernel);                                                                           \
  EACH(clSetKernelArg);                                                                            \
  EACH(clGetKernelWorkGroupInfo);                                                                  \
  EACH(clEnqueueNDRangeKernel);                                                                    \
  EACH(clWaitForEvents);                                                                           \
  EACH(clReleaseEvent);                                                                            \
  EACH(clFlush);                                                                                   \
  EACH(clFinish)

struct op2i_opencl_api {
#define OP2I_OPENCL_MEMBER(name) __typeof__(name) *name
  OP2I_OPENCL_FUNCTIONS(OP2I_OPENCL_MEMBER);
#undef OP2I_OPENCL_MEMBER
};

/* Filled once op2i_device_opencl.unavailable() was asked and had nothing to say; tests put
 * functions of their own into it. */
extern struct op2i_opencl_api op2i_opencl_api;

/* Open the loader and find the functions: null, or why not. The caller sees to it that it is called
 * once. */
const char *op2i_opencl_load(void);

const char *op2i_opencl_error_name(cl_int code);

#endif
