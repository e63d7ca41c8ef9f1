/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that mean something in C++, CUDA C or OpenCL C, as names of all kinds of things. */
#include "forms.h"

#include <stddef.h>

#define EACH_LOCAL(a, b, c, d, e, f)                                                               \
  "double " #a " = x, " #b " = f, " #c " = n, " #d " = 1, " #e " = 2, " #f " = 3;\n"               \
  "out[0] = " #a " + " #b "; out[1] = " #c " * " #d "; out[2] = " #e " - " #f ";"
#define LOCALS(name_, a, b, c, d, e, f)                                                            \
  { .name = name_, .body = EACH_LOCAL(a, b, c, d, e, f) }

/* Members, a tag and labels. */
#define MEMBERS(name_, a, b, c, d)                                                                 \
  {                                                                                                \
    .name = name_, .before = "struct " #a " { double " #a ", " #b "; int " #c "[2]; };\n",         \
    .body = "struct " #a " s = {x, f, {n, 1}}, *p = &s; p->" #b " += s." #a "; int " #d " = n;\n"  \
            "if (" #d " > 3) goto " #b ";\n out[2] = s." #c "[1]; " #b ": out[0] = s." #b          \
            " + p->" #a "; out[1] = p->" #c "[0] + " #d ";"                                        \
  }

/* A table, a type, an enumerator and a function. */
#define OUTSIDE(name_, a, b, c, d)                                                                 \
  {                                                                                                \
    .name = name_,                                                                                 \
    .before =                                                                                      \
        "static const double " #a "[2] = {1.5, 2.5};\ntypedef struct { double v; } " #b            \
        ";\nenum { " #c " = 7 };\nstatic double " #d "(" #b " s) { return s.v + " #c "; }\n",      \
    .body = #b " s = {x}; out[0] = " #d "(s); out[1] = " #a "[n & 1]; out[2] = " #c ";"            \
  }

/* Macros with and without parameters, and a parameter of one. */
#define MACROS(name_, a, b, c)                                                                     \
  {                                                                                                \
    .name = name_, .before = "#define " #a " 3.5\n#define " #b "(" #c ") ((" #c ") / 3)\n",        \
    .body = "out[0] = " #a " * x; out[1] = " #b "(f); out[2] = " #b "(" #a ");"                    \
  }

static const struct form list[] = {
    LOCALS("cxx_1", and, or, not, xor, bitand, bitor),
    LOCALS("cxx_2", compl, and_eq, or_eq, not_eq, xor_eq, alignas),
    LOCALS("cxx_3", alignof, catch, char16_t, char32_t, class, const_cast),
    LOCALS("cxx_4", constexpr, decltype, delete, dynamic_cast, explicit, export),
    LOCALS("cxx_5", friend, mutable, namespace, new, noexcept, nullptr),
    LOCALS("cxx_6", operator, private, protected, public, reinterpret_cast, static_cast),
    LOCALS("cxx_7", template, this, thread_local, throw, try, typeid),
    LOCALS("cxx_8", typename, using, virtual, wchar_t, static_assert, char8_t),
    {.name = "cxx_9", .body = "int true = n, false = 2, bool = 3; out[0] = true + false * bool;"},
    LOCALS("cxx_10", final, override, import, module, concept, requires),
    MEMBERS("cxx_members_1", class, new, operator, this),
    MEMBERS("cxx_members_2", and, or, not, xor),
    MEMBERS("cxx_members_3", template, delete, typename, bool),
    OUTSIDE("cxx_outside_1", explicit, class, new, template),
    OUTSIDE("cxx_outside_2", and, or, not, xor),
    OUTSIDE("cxx_outside_3", true, false, bool, static_assert),
    MACROS("cxx_macros_1", new, class, this),
    MACROS("cxx_macros_2", and, or, not ),
    LOCALS("cuda_1", threadIdx, blockIdx, blockDim, gridDim, warpSize, dim3),
    LOCALS("cuda_2", double2, float4, int3, uchar4, cudaError, half2),
    MEMBERS("cuda_members", float4, threadIdx, dim3, double3),
    OUTSIDE("cuda_outside_1", threadIdx, double3, warpSize, dim3),
    OUTSIDE("cuda_outside_2", norm, float4, clock, rsqrt),
    OUTSIDE("cuda_outside_3", atomicAdd, int2, __popc, printf),
    MACROS("cuda_macros", rsqrt, norm, threadIdx),
    LOCALS("opencl_1", kernel, global, local, constant, private, vector),
    LOCALS("opencl_2", half, event, uchar, ushort, uint, ulong),
    LOCALS("opencl_3", event_t, sampler_t, image2d_t, pipe, generic, queue_t),
    LOCALS("opencl_4", read_only, write_only, read_write, uniform, pixel, quad),
    LOCALS("opencl_5", dot, cross, length, distance, normalize, step),
    LOCALS("opencl_6", mix, clamp, sign, select, any, all),
    LOCALS("opencl_7", char2, double4, float16, long8, imaginary, complex),
    LOCALS("opencl_8", bool2, barrier, get_global_id, vec_step, as_int, channel),
    MEMBERS("opencl_members_1", kernel, global, local, constant),
    MEMBERS("opencl_members_2", double4, uint, half, event),
    OUTSIDE("opencl_outside_1", step, double2, mix, normalize),
    OUTSIDE("opencl_outside_2", clamp, event, uchar, length),
    OUTSIDE("opencl_outside_3", local, vector, global, kernel),
    OUTSIDE("opencl_outside_4", dot, uint, all, convert_int),
    MACROS("opencl_macros", step, mix, clamp),
    MACROS("opencl_macros_2", local, global, kernel),
    {.name = "own_types",
     .before =
         "typedef unsigned char uchar; typedef unsigned int uint; typedef unsigned long ulong;\n"
         "typedef unsigned short ushort; typedef double real;\n",
     .body =
         "uchar c = (uchar)n; uint u = (uint)n; ulong l = u; ushort s = (ushort)n; real r = x;\n"
         "out[0] = c + s; out[1] = u / 3 + l; out[2] = r;"},
    LOCALS("c_locals_1", exp, log, sin, y1, j0, gamma),
    LOCALS("c_locals_2", index, abs, div, signbit, isnan, floor),
    LOCALS("c_locals_3", min, max, fmin, fmax, pow, sqrt),
    LOCALS("c_locals_4", memcpy, strlen, printf, malloc, rand, exit),
    MEMBERS("c_members_1", exp, log, sqrt, floor),
    MEMBERS("c_members_2", y1, gamma, index, fmax),
    OUTSIDE("c_outside_1", ldiv, div, printf, abs),
    OUTSIDE("c_outside_2", index, time, signal, rsqrt),
    OUTSIDE("c_outside_3", remove, select, read, write),
    {.name = "c_helpers",
     .before = "static double log(double a) { return a + 1; }\nstatic double gamma(double a) { "
               "return a * 2; }\n"
               "static double fmin(double a, double b) { return a - b; }\nstatic int abs(int a) { "
               "return a - 1; }\n"
               "static double pow(double a, int b) { return a * b; }\nstatic double y0(double a) { "
               "return a / 3; }\n",
     .body = "out[0] = log(x); out[1] = gamma(f); out[2] = fmin(x, n); out[3] = abs(n); out[4] = "
             "pow(x, 3); out[5] = y0(n);"},
    {.name = "c_helpers_beside_macros",
     .before = "#define TWO 2\nstatic double exp(double a) { return a + TWO; }\nstatic double "
               "fmax(double a, double b) { return a - b; }\n"
               "static double norm(double a, int k) { return a * k; }\nstatic int step(double a) { "
               "return a > 3; }\n"
               "static double rsqrt(double a, double b) { return a * b; }\n",
     .body = "out[0] = exp(x); out[1] = fmax(f, n); out[2] = norm(f, n); out[3] = step(x); out[4] "
             "= rsqrt(f, 2);"},
    {.name = "labels",
     .body = "int k = 0; class: k++; if (k < n) goto class; local: k += 2; if (k < 5) goto local; "
             "out[0] = k;"},
};

const struct forms forms_words = {list, sizeof list / sizeof *list};
