/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OPENCL_API_H
#define OP2I_OPENCL_API_H

/* The part of OpenCL's loader that op2 calls. It is opened at its first use and never closed. With
 * some platforms this loads a compiler, which a program that uses no device should not pay for. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define OP2I_OPENCL_FUNCTIONS(use_)                                                                \
  use_(clGetPlatformIDs) use_(clGetPlatformInfo) use_(clGetDeviceIDs) use_(clGetDeviceInfo)        \
      use_(clCreateContext) use_(clReleaseContext) use_(clCreateCommandQueue)                      \
          use_(clReleaseCommandQueue) use_(clFinish) use_(clFlush) use_(clCreateBuffer)            \
              use_(clReleaseMemObject) use_(clEnqueueWriteBuffer) use_(clEnqueueReadBuffer)        \
                  use_(clEnqueueFillBuffer) use_(clCreateProgramWithSource)                        \
                      use_(clCreateProgramWithBinary) use_(clBuildProgram)                         \
                          use_(clGetProgramBuildInfo) use_(clGetProgramInfo)                       \
                              use_(clReleaseProgram) use_(clCreateKernel) use_(clReleaseKernel)    \
                                  use_(clSetKernelArg) use_(clGetKernelWorkGroupInfo)              \
                                      use_(clEnqueueNDRangeKernel)                                 \
                                          use_(clEnqueueMarkerWithWaitList) use_(clWaitForEvents)  \
                                              use_(clReleaseEvent) use_(clGetEventInfo)            \
                                                  use_(clGetEventProfilingInfo)

#define OP2I_OPENCL_MEMBER(name_) __typeof__(&name_) name_;
struct op2i_opencl_api {
  OP2I_OPENCL_FUNCTIONS(OP2I_OPENCL_MEMBER)
};

/* Return null, and the reason, if the loader is not available. */
const struct op2i_opencl_api *op2i_opencl_api(const char **why);
const char *op2i_opencl_error(cl_int error); /* "CL_OUT_OF_RESOURCES" */

/* One device of any platform. */
struct op2i_opencl_found {
  cl_platform_id platform;
  cl_device_id device;
  cl_device_type type;
  char name[256]; /* "platform / device" */
};
enum { OP2I_OPENCL_MOST = 64 };
int op2i_opencl_find(const struct op2i_opencl_api *api, struct op2i_opencl_found *found);

struct op2i_text;
/* Replace the lines that include C's headers by those of their declarations that OpenCL C lacks. */
void op2i_opencl_source(const char *source, struct op2i_text *out);

#endif
