/* SPDX-License-Identifier: BSD-3-Clause */
/* The preludes of CUDA C and OpenCL C, which define the same names for both. fmin() and fmax() are
 * the library's own, as in scalar code on the host (codegen/host/cgen.c). */
#include "devgen.h"

#define EXTREMES                                                                                   \
  "#define OP2_EXTREME(name, type, before) \\\n"                                                   \
  "  static inline type name(type op2_a, type op2_b) { \\\n"                                       \
  "    type op2_chosen = op2_a before op2_b ? op2_a : op2_b; \\\n"                                 \
  "    return op2_b == op2_b ? op2_chosen : op2_a; \\\n"                                           \
  "  }\n"                                                                                          \
  "OP2_EXTREME(op2_fminf, float, <)\n"                                                             \
  "OP2_EXTREME(op2_fmaxf, float, >)\n"                                                             \
  "#ifdef OP2_DOUBLES\n"                                                                           \
  "OP2_EXTREME(op2_fmin, double, <)\n"                                                             \
  "OP2_EXTREME(op2_fmax, double, >)\n"                                                             \
  "#endif\n"                                                                                       \
  "#define fmin op2_fmin\n"                                                                        \
  "#define fmax op2_fmax\n"                                                                        \
  "#define fminf op2_fminf\n"                                                                      \
  "#define fmaxf op2_fmaxf\n"

/* Words that are names in C and keywords in C++ become names again; those that are operators there
 * cannot be macros (codegen/c/rename.c). */
static const char cuda[] =
    "#include <float.h>\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#define OP2_ENTRY extern \"C\" __global__ void\n"
    "#define OP2_GLOBAL\n"
    "#define OP2_LOCAL\n"
    "#define OP2_SHARED_PARAMETER\n"
    "#define OP2_DOUBLES\n"
    "typedef double op2_eight;\n"
    "#define OP2_SHARED extern __shared__ __align__(16) op2_eight op2_shared[];\n"
    "static inline int64_t op2_group() { return (int64_t)blockIdx.x; }\n"
    "static inline int op2_item() { return (int)threadIdx.x; }\n"
    "static inline int op2_items() { return (int)blockDim.x; }\n"
    "#define op2_wait() __syncthreads()\n"
    "#define op2_in_order() __syncwarp()\n" /* compilers move no access to memory across it */
    /* The groups of a launch are counted before the partial results; the last sets zero again. What
     * a group has stored is there before it is counted, and before the last one reads it. */
    "static inline int op2_arrives_last(op2_eight *op2_partial, int64_t op2_n) {\n"
    "  unsigned *op2_count = (unsigned *)(op2_partial - 1);\n"
    "  __threadfence();\n"
    "  const int op2_last = atomicAdd(op2_count, 1u) == (unsigned)(op2_n - 1);\n"
    "  if (op2_last) atomicExch(op2_count, 0u);\n"
    "  __threadfence();\n"
    "  return op2_last;\n"
    "}\n"
    "struct op2_any {\n"
    "  const void *op2_at;\n"
    "  template <class op2_type> __device__ operator op2_type *() const { return (op2_type "
    "*)op2_at; }\n"
    "};\n"
    "#define OP2_AS(p) (op2_any{(const void *)(p)})\n"
    "#define op2_load2(type, p) (*(const type##2 *)(p))\n"
    "#define op2_load4(type, p) (*(const type##4 *)(p))\n"
    "#define op2_store2(type, p, a, b) (*(type##2 *)(p) = make_##type##2(a, b))\n"
    "#define op2_store4(type, p, a, b, c, d) (*(type##4 *)(p) = make_##type##4(a, b, c, d))\n"
    "typedef int4 op2_unit16;\n"
    "typedef int2 op2_unit8;\n"
    "typedef int op2_unit4;\n"
    "typedef short op2_unit2;\n"
    "typedef signed char op2_unit1;\n"
    "#define restrict __restrict__\n"
    /* C converts pointers to void to other pointers. */
    "#define OP2_POINTER(name, kind, more) \\\n"
    "  struct name { \\\n"
    "    kind *op2_at; \\\n"
    "    name() = default; \\\n"
    "    name(kind *op2_p) : op2_at(op2_p) {} more \\\n"
    "    template <class op2_t> operator op2_t *() const { return (op2_t *)op2_at; } \\\n"
    "    explicit operator bool() const { return op2_at != 0; } \\\n"
    "    explicit operator long() const { return (long)op2_at; } \\\n"
    "    explicit operator unsigned long() const { return (unsigned long)op2_at; } \\\n"
    "  }; \\\n"
    "  template <class op2_t> static inline bool operator==(name a, op2_t *b) { return a.op2_at == "
    "b; } \\\n"
    "  template <class op2_t> static inline bool operator!=(name a, op2_t *b) { return a.op2_at != "
    "b; } \\\n"
    "  template <class op2_t> static inline bool operator==(op2_t *a, name b) { return a == "
    "b.op2_at; } \\\n"
    "  template <class op2_t> static inline bool operator!=(op2_t *a, name b) { return a != "
    "b.op2_at; } \\\n"
    "  static inline bool operator==(name a, name b) { return a.op2_at == b.op2_at; } \\\n"
    "  static inline bool operator!=(name a, name b) { return a.op2_at != b.op2_at; } \\\n"
    "  static inline bool operator==(name a, const void *b) { return a.op2_at == b; } \\\n"
    "  static inline bool operator!=(name a, const void *b) { return a.op2_at != b; } \\\n"
    "  static inline bool operator==(const void *a, name b) { return a == b.op2_at; } \\\n"
    "  static inline bool operator!=(const void *a, name b) { return a != b.op2_at; }\n"
    "OP2_POINTER(op2_void, void, )\n"
    "OP2_POINTER(op2_const_void, const void,\n"
    "  op2_const_void(op2_void op2_p) : op2_at(op2_p.op2_at) {})\n"
    "#define OP2_TYPE_OF(...) decltype(__VA_ARGS__)\n"
    "template <class op2_t> struct op2_plain { typedef op2_t is; };\n"
    "template <class op2_t> struct op2_plain<op2_t &> { typedef op2_t is; };\n"
    "template <class op2_t> struct op2_plain<op2_t &&> { typedef op2_t is; };\n"
    "template <class op2_t> struct op2_bare { typedef op2_t is; };\n"
    "template <class op2_t> struct op2_bare<const op2_t> { typedef op2_t is; };\n"
    /* Generic selections: the value's type after conversion, and the choice by it. */
    "template <class op2_t> struct op2_value { typedef op2_t is; };\n"
    "template <class op2_t, size_t op2_n> struct op2_value<op2_t[op2_n]> { typedef op2_t *is; };\n"
    "template <class op2_t> typename op2_value<op2_t>::is op2_value_of(const op2_t &);\n"
    "int op2_value_of(bool &&);\n"
    "struct op2_other {};\n"
    "template <class op2_a, class op2_b> struct op2_same { static constexpr bool is = false; };\n"
    "template <class op2_a> struct op2_same<op2_a, op2_a> { static constexpr bool is = true; };\n"
    "template <class op2_v, class... op2_t> constexpr int op2_chosen() {\n"
    "  constexpr bool same[] = {op2_same<op2_v, op2_t>::is...};\n"
    "  constexpr bool other[] = {op2_same<op2_other, op2_t>::is...};\n"
    "  for (size_t i = 0; i < sizeof...(op2_t); i++) if (same[i]) return (int)i;\n"
    "  for (size_t i = 0; i < sizeof...(op2_t); i++) if (other[i]) return (int)i;\n"
    "  return -1;\n"
    "}\n"
    "template <int op2_n, class op2_f, class... op2_r> auto op2_pick(op2_f f, op2_r... r) {\n"
    "  if constexpr (op2_n == 0) return f; else return op2_pick<op2_n - 1>(r...);\n"
    "}\n"
    /* Arguments of functions of tgmath.h: whole numbers are double. */
    "static inline float op2_real(float x) { return x; }\n"
    "template <class op2_t> double op2_real(op2_t x) { return (double)x; }\n"
    "template <class op2_a, class op2_b> auto op2_common(op2_a a, op2_b b) {\n"
    "  return (decltype(op2_real(a) + op2_real(b)))a;\n"
    "}\n"
    "static inline float op2_any_fma(float x, float y, float z) { return fmaf(x, y, z); }\n"
    "static inline double op2_any_fma(double x, double y, double z) { return fma(x, y, z); }\n"
    "typedef bool op2_word_bool;\n"
    "typedef wchar_t op2_word_wchar_t;\n"
    "#define _Bool op2_word_bool\n"
    "#define _Static_assert(x, ...) typedef char op2_asserted[(x) ? 1 : -1]\n"
    "#define _Alignof(x) __alignof__(x)\n"
    "#define _Alignas(x) __align__(x)\n"
    "#define _Noreturn\n"
    "#define register\n"
    "#define __const const\n"
    "#define __inline inline\n"
    "#define __volatile__ volatile\n"
    "#define __extension__\n"
    "#define __builtin_fabs(x) fabs((double)(x))\n"
    "#define __builtin_fabsf(x) fabsf(x)\n"
    "#define __builtin_sqrt(x) sqrt((double)(x))\n"
    "#define __builtin_sqrtf(x) sqrtf(x)\n"
    "#define __builtin_popcount(x) __popc(x)\n"
    "#define alignas op2_word_alignas\n"
    "#define alignof op2_word_alignof\n"
    "#define blockDim op2_word_blockDim\n"
    "#define blockIdx op2_word_blockIdx\n"
    "#define bool op2_word_bool\n"
    "#define catch op2_word_catch\n"
    "#define char16_t op2_word_char16_t\n"
    "#define char32_t op2_word_char32_t\n"
    "#define class op2_word_class\n"
    "#define const_cast op2_word_const_cast\n"
    "#define constexpr op2_word_constexpr\n"
    "#define delete op2_word_delete\n"
    "#define dynamic_cast op2_word_dynamic_cast\n"
    "#define explicit op2_word_explicit\n"
    "#define export op2_word_export\n"
    "#define false op2_word_false\n"
    "#define friend op2_word_friend\n"
    "#define gridDim op2_word_gridDim\n"
    "#define mutable op2_word_mutable\n"
    "#define namespace op2_word_namespace\n"
    "#define new op2_word_new\n"
    "#define noexcept op2_word_noexcept\n"
    "#define nullptr op2_word_nullptr\n"
    "#define operator op2_word_operator\n"
    "#define private op2_word_private\n"
    "#define protected op2_word_protected\n"
    "#define public op2_word_public\n"
    "#define reinterpret_cast op2_word_reinterpret_cast\n"
    "#define static_assert op2_word_static_assert\n"
    "#define static_cast op2_word_static_cast\n"
    "#define template op2_word_template\n"
    "#define this op2_word_this\n"
    "#define thread_local op2_word_thread_local\n"
    "#define threadIdx op2_word_threadIdx\n"
    "#define throw op2_word_throw\n"
    "#define true op2_word_true\n"
    "#define try op2_word_try\n"
    "#define typeid op2_word_typeid\n"
    "#define typename op2_word_typename\n"
    "#define using op2_word_using\n"
    "#define virtual op2_word_virtual\n"
    "#define warpSize op2_word_warpSize\n"
    "#define wchar_t op2_word_wchar_t\n" EXTREMES /* kernels are in C */
    "#undef __cplusplus\n";

/* CUDA C becomes HIP by these lines: functions of HIP are for the host unless they say otherwise, hipRTC
 * declares these integers as other types than C does, and work items of a wave, which execute in step,
 * need no barrier. */
static const char hip[] = "#pragma clang force_cuda_host_device begin\n"
                          "#define int64_t op2_int64_t\n"
                          "#define uint64_t op2_uint64_t\n"
                          "#define __syncwarp() __asm__ volatile(\"\" ::: \"memory\")\n";

static const char opencl[] =
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define OP2_DOUBLES\n"
    "typedef double op2_eight;\n"
    "#else\n"
    "typedef ulong op2_eight;\n"
    "#endif\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#include <float.h>\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#define OP2_ENTRY __kernel void\n"
    "#define OP2_GLOBAL __global\n"
    "#define OP2_LOCAL __local\n"
    "#define OP2_SHARED_PARAMETER , __local op2_eight *op2_shared\n"
    "#define OP2_SHARED\n"
    "#define op2_group() ((int64_t)get_group_id(0))\n"
    "#define op2_item() ((int)get_local_id(0))\n"
    "#define op2_items() ((int)get_local_size(0))\n"
    "#define op2_wait() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n"
    "#define OP2_AS(p) ((void *)(p))\n"
    "#define op2_load2(type, p) vload2(0, (OP2_GLOBAL const type *)(p))\n"
    "#define op2_load4(type, p) vload4(0, (OP2_GLOBAL const type *)(p))\n"
    "#define op2_store2(type, p, a, b) vstore2((type##2)(a, b), 0, (OP2_GLOBAL type *)(p))\n"
    "#define op2_store4(type, p, a, b, c, d) \\\n"
    "  vstore4((type##4)(a, b, c, d), 0, (OP2_GLOBAL type *)(p))\n"
    "#define op2_move1(from, to) (*(to) = *(from))\n"
    "#define op2_move2(from, to) vstore2(vload2(0, from), 0, to)\n"
    "#define op2_move4(from, to) vstore4(vload4(0, from), 0, to)\n"
    "typedef bool op2_word_bool;\n"
    "#undef bool\n"
    "#undef true\n"
    "#undef false\n"
    "#define __restrict__ restrict\n"
    "#define register\n"
    "#define __const const\n"
    "#define __volatile__ volatile\n"
    "#define typeof __typeof__\n"
    "#define bool op2_word_bool\n"
    "#define constant op2_word_constant\n"
    "#define false op2_word_false\n"
    "#define generic op2_word_generic\n"
    "#define global op2_word_global\n"
    "#define half op2_word_half\n"
    "#define image1d_array_t op2_word_image1d_array_t\n"
    "#define image1d_buffer_t op2_word_image1d_buffer_t\n"
    "#define image1d_t op2_word_image1d_t\n"
    "#define image2d_array_t op2_word_image2d_array_t\n"
    "#define image2d_t op2_word_image2d_t\n"
    "#define image3d_t op2_word_image3d_t\n"
    "#define kernel op2_word_kernel\n"
    "#define local op2_word_local\n"
    "#define pipe op2_word_pipe\n"
    "#define private op2_word_private\n"
    "#define read_only op2_word_read_only\n"
    "#define read_write op2_word_read_write\n"
    "#define true op2_word_true\n"
    "#define uniform op2_word_uniform\n"
    "#define vec_step op2_word_vec_step\n"
    "#define vector op2_word_vector\n"
    "#define write_only op2_word_write_only\n" EXTREMES;

/* Both return the value that was in memory, and replace it if it equals `was`. */
static const char cuda_atomics[] =
    "#define op2_swap32(p, was, is) atomicCAS((unsigned int *)(p), was, is)\n"
    "#define op2_swap64(p, was, is) \\\n"
    "  atomicCAS((unsigned long long *)(p), (unsigned long long)(was), (unsigned long long)(is))\n";
static const char opencl_atomics[] =
    "#define op2_swap32(p, was, is) atomic_cmpxchg((volatile __global uint *)(p), was, is)\n"
    "#ifdef cl_khr_int64_base_atomics\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#endif\n"
    "#define op2_swap64(p, was, is) atom_cmpxchg((volatile __global ulong *)(p), was, is)\n";

const struct op2i_device_dialect op2i_dialect_cuda = {
    .name = "cuda",
    .prelude = cuda,
    .atomics = cuda_atomics,
    .adds = true,
    .generic = true,
    .stages = true,
    .c = {.restricted = "__restrict__",
          .global = "OP2_GLOBAL ",
          .renames = true,
          .operators = true},
};
const struct op2i_device_dialect op2i_dialect_hip = {
    .name = "hip",
    .opening = hip,
    .prelude = cuda,
    .atomics = cuda_atomics,
    .adds = true,
    .wraps = true,
    .generic = true,
    .stages = true,
    .c = {.restricted = "__restrict__",
          .global = "OP2_GLOBAL ",
          .variables = "__device__ ",
          .renames = true,
          .operators = true},
};
const struct op2i_device_dialect op2i_dialect_opencl = {
    .name = "opencl",
    .prelude = opencl,
    .atomics = opencl_atomics,
    .c = {.restricted = "restrict",
          .global = "OP2_GLOBAL ",
          .tables = "__constant ",
          .longs = true,
          .renames = true},
};
