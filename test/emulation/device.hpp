/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands before device code that is compiled for the emulation: the words of CUDA C++ that NVRTC has
 * built in, and the functions that the compiler calls for each access to memory (-fsanitize=thread) and for
 * addresses that are not aligned (-fsanitize=alignment). No header of the host's is seen. */
#include "hooks.h"

#define OP2_EMULATION_OWN   __attribute__((no_sanitize("thread", "alignment")))
#define OP2_EMULATION_SHOWN __attribute__((visibility("default")))

extern "C" {
OP2_EMULATION_SHOWN const op2_emulation *op2_emulation_now;

#define OP2_EMULATION_ACCESS(bytes)                                                                \
  OP2_EMULATION_OWN void __tsan_read##bytes(void *at) {                                            \
    op2_emulation_now->access(at, bytes, OP2_EMULATION_READ, __builtin_return_address(0));                                      \
  }                                                                                                \
  OP2_EMULATION_OWN void __tsan_write##bytes(void *at) {                                           \
    op2_emulation_now->access(at, bytes, OP2_EMULATION_WRITE, __builtin_return_address(0));                                     \
  }
OP2_EMULATION_ACCESS(1)
OP2_EMULATION_ACCESS(2)
OP2_EMULATION_ACCESS(4)
OP2_EMULATION_ACCESS(8)
OP2_EMULATION_ACCESS(16)
#define OP2_EMULATION_UNALIGNED(bytes)                                                             \
  OP2_EMULATION_OWN void __tsan_unaligned_read##bytes(void *at) {                                  \
    op2_emulation_now->access(at, bytes, OP2_EMULATION_READ, __builtin_return_address(0));                                      \
  }                                                                                                \
  OP2_EMULATION_OWN void __tsan_unaligned_write##bytes(void *at) {                                 \
    op2_emulation_now->access(at, bytes, OP2_EMULATION_WRITE, __builtin_return_address(0));                                     \
  }
OP2_EMULATION_UNALIGNED(2)
OP2_EMULATION_UNALIGNED(4)
OP2_EMULATION_UNALIGNED(8)
OP2_EMULATION_UNALIGNED(16)
OP2_EMULATION_OWN void __tsan_read_range(void *at, long bytes) {
  op2_emulation_now->access(at, (unsigned long)bytes, OP2_EMULATION_READ, __builtin_return_address(0));
}
OP2_EMULATION_OWN void __tsan_write_range(void *at, long bytes) {
  op2_emulation_now->access(at, (unsigned long)bytes, OP2_EMULATION_WRITE, __builtin_return_address(0));
}
void __tsan_init(void) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
OP2_EMULATION_OWN void __ubsan_handle_type_mismatch_v1(void *, void *at) {
  op2_emulation_now->misaligned(at);
}

__attribute__((aligned(1024))) unsigned char op2_emulation_dynamic[256 * 1024];
extern unsigned char __start_op2_fixed_shared[] __attribute__((weak, visibility("hidden")));
extern unsigned char __stop_op2_fixed_shared[] __attribute__((weak, visibility("hidden")));
OP2_EMULATION_SHOWN extern const op2_emulation_shared op2_emulation_memory = {
    op2_emulation_dynamic, sizeof op2_emulation_dynamic, __start_op2_fixed_shared,
    __stop_op2_fixed_shared};
}

/* ---- entries --------------------------------------------------------------------------------- */

template <unsigned long... I> struct op2_emulation_numbers {};
template <auto F> struct op2_emulation_caller;
template <class... P, void (*F)(P...)> struct op2_emulation_caller<F> {
  static constexpr unsigned bytes[] = {sizeof(P)..., 0};
  template <unsigned long... I>
  OP2_EMULATION_OWN static void spread(void **parameters, op2_emulation_numbers<I...>) {
    F(*(P *)parameters[I]...);
  }
  OP2_EMULATION_OWN static void call(void **parameters) {
    spread(parameters, op2_emulation_numbers<__integer_pack(sizeof...(P))...>());
  }
  static constexpr op2_emulation_entry entry(const char *name, const char *names, int threads) {
    return {name, names, (int)sizeof...(P), bytes, threads, call};
  }
};

/* ---- keywords of CUDA ------------------------------------------------------------------------ */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))
#define __align__(n)    __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("op2_fixed_shared")))

typedef decltype(sizeof 0) size_t;

struct uint3 {
  unsigned x, y, z;
};
typedef uint3 dim3;
#define OP2_EMULATION_PLACE(name_, member_)                                                        \
  OP2_EMULATION_OWN __attribute__((const)) static inline uint3 name_() {                           \
    const op2_emulation_place *place = &op2_emulation_now->member_;                                \
    return {place->x, place->y, place->z};                                                         \
  }
OP2_EMULATION_PLACE(op2_emulation_thread, thread)
OP2_EMULATION_PLACE(op2_emulation_block, block)
OP2_EMULATION_PLACE(op2_emulation_threads, threads)
OP2_EMULATION_PLACE(op2_emulation_blocks, blocks)
#define threadIdx (op2_emulation_thread())
#define blockIdx  (op2_emulation_block())
#define blockDim  (op2_emulation_threads())
#define gridDim   (op2_emulation_blocks())

OP2_EMULATION_OWN static inline void op2_emulation_barrier(int line) {
  op2_emulation_now->barrier(line);
}
#define __syncthreads() op2_emulation_barrier(__LINE__)
static inline void __syncwarp() {} /* no barrier: threads of a warp are checked like others */
OP2_EMULATION_OWN static inline void __threadfence() { op2_emulation_now->fence(); }
static inline void __threadfence_block() {}
template <class T> static inline T __ldg(const T *at) { return *at; }

#define OP2_EMULATION_VECTORS(type_, name_, align2_, align4_)                                      \
  struct __attribute__((aligned(align2_))) name_##2 {                                              \
    type_ x, y;                                                                                    \
  };                                                                                               \
  struct __attribute__((aligned(align4_))) name_##4 {                                              \
    type_ x, y, z, w;                                                                              \
  };                                                                                               \
  static inline name_##2 make_##name_##2(type_ x, type_ y) { return {x, y}; }                      \
  static inline name_##4 make_##name_##4(type_ x, type_ y, type_ z, type_ w) {                     \
    return {x, y, z, w};                                                                           \
  }
OP2_EMULATION_VECTORS(signed char, char, 2, 4)
OP2_EMULATION_VECTORS(unsigned char, uchar, 2, 4)
OP2_EMULATION_VECTORS(short, short, 4, 8)
OP2_EMULATION_VECTORS(unsigned short, ushort, 4, 8)
OP2_EMULATION_VECTORS(int, int, 8, 16)
OP2_EMULATION_VECTORS(unsigned, uint, 8, 16)
OP2_EMULATION_VECTORS(long, long, 16, 16)
OP2_EMULATION_VECTORS(long long, longlong, 16, 16)
OP2_EMULATION_VECTORS(float, float, 8, 16)
OP2_EMULATION_VECTORS(double, double, 16, 16)

/* ---- atomics: threads run one at a time, so accesses are only marked as atomic --------------- */

#define OP2_EMULATION_ATOMIC(name_, type_, result_)                                                \
  OP2_EMULATION_OWN static inline type_ name_(type_ *at, type_ value) {                            \
    op2_emulation_now->access(at, sizeof(type_), OP2_EMULATION_ATOMIC, nullptr);                            \
    const type_ old = *at;                                                                         \
    *at = result_;                                                                                 \
    return old;                                                                                    \
  }
#define OP2_EMULATION_INTEGER_ATOMICS(type_)                                                       \
  OP2_EMULATION_ATOMIC(atomicAdd, type_, old + value)                                              \
  OP2_EMULATION_ATOMIC(atomicMin, type_, value < old ? value : old)                                \
  OP2_EMULATION_ATOMIC(atomicMax, type_, value > old ? value : old)                                \
  OP2_EMULATION_ATOMIC(atomicExch, type_, value)                                                   \
  OP2_EMULATION_ATOMIC(atomicOr, type_, old | value)                                               \
  OP2_EMULATION_ATOMIC(atomicAnd, type_, old &value)                                               \
  OP2_EMULATION_OWN static inline type_ atomicCAS(type_ *at, type_ compared, type_ value) {        \
    op2_emulation_now->access(at, sizeof(type_), OP2_EMULATION_ATOMIC, nullptr);                            \
    const type_ old = *at;                                                                         \
    if (old == compared) *at = value;                                                              \
    return old;                                                                                    \
  }
OP2_EMULATION_INTEGER_ATOMICS(int)
OP2_EMULATION_INTEGER_ATOMICS(unsigned)
OP2_EMULATION_INTEGER_ATOMICS(unsigned long long)
OP2_EMULATION_ATOMIC(atomicMin, long long, value < old ? value : old)
OP2_EMULATION_ATOMIC(atomicMax, long long, value > old ? value : old)
OP2_EMULATION_ATOMIC(atomicAdd, float, old + value)
OP2_EMULATION_ATOMIC(atomicAdd, double, old + value)
OP2_EMULATION_ATOMIC(atomicExch, float, value)

/* ---- bits, and functions of C that NVRTC has built in ----------------------------------------- */

#define OP2_EMULATION_BITS(name_, from_, to_)                                                      \
  static inline to_ name_(from_ value) {                                                           \
    to_ out;                                                                                       \
    __builtin_memcpy(&out, &value, sizeof out);                                                    \
    return out;                                                                                    \
  }
OP2_EMULATION_BITS(__longlong_as_double, long long, double)
OP2_EMULATION_BITS(__double_as_longlong, double, long long)
OP2_EMULATION_BITS(__int_as_float, int, float)
OP2_EMULATION_BITS(__float_as_int, float, int)

/* For this compiler quotients by zero are no constants. */
#define INFINITY  (__builtin_huge_valf())
#define NAN       (__builtin_nanf(""))
#define HUGE_VAL  (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())

#define OP2_EMULATION_ONE(name_)                                                                   \
  static inline double name_(double x) { return __builtin_##name_(x); }                            \
  static inline float name_(float x) { return __builtin_##name_##f(x); }                           \
  static inline float name_##f(float x) { return __builtin_##name_##f(x); }
#define OP2_EMULATION_TWO(name_)                                                                   \
  static inline double name_(double x, double y) { return __builtin_##name_(x, y); }               \
  static inline float name_(float x, float y) { return __builtin_##name_##f(x, y); }               \
  static inline float name_##f(float x, float y) { return __builtin_##name_##f(x, y); }
OP2_EMULATION_ONE(sqrt)
OP2_EMULATION_ONE(fabs)
OP2_EMULATION_ONE(floor)
OP2_EMULATION_ONE(ceil)
OP2_EMULATION_ONE(trunc)
OP2_EMULATION_ONE(round)
OP2_EMULATION_ONE(rint)
OP2_EMULATION_ONE(nearbyint)
OP2_EMULATION_ONE(exp)
OP2_EMULATION_ONE(exp2)
OP2_EMULATION_ONE(expm1)
OP2_EMULATION_ONE(log)
OP2_EMULATION_ONE(log2)
OP2_EMULATION_ONE(log10)
OP2_EMULATION_ONE(log1p)
OP2_EMULATION_ONE(logb)
OP2_EMULATION_ONE(sin)
OP2_EMULATION_ONE(cos)
OP2_EMULATION_ONE(tan)
OP2_EMULATION_ONE(asin)
OP2_EMULATION_ONE(acos)
OP2_EMULATION_ONE(atan)
OP2_EMULATION_ONE(sinh)
OP2_EMULATION_ONE(cosh)
OP2_EMULATION_ONE(tanh)
OP2_EMULATION_ONE(asinh)
OP2_EMULATION_ONE(acosh)
OP2_EMULATION_ONE(atanh)
OP2_EMULATION_ONE(cbrt)
OP2_EMULATION_ONE(erf)
OP2_EMULATION_ONE(erfc)
OP2_EMULATION_ONE(tgamma)
OP2_EMULATION_ONE(lgamma)
OP2_EMULATION_TWO(pow)
OP2_EMULATION_TWO(atan2)
OP2_EMULATION_TWO(fmod)
OP2_EMULATION_TWO(hypot)
OP2_EMULATION_TWO(fmin)
OP2_EMULATION_TWO(fmax)
OP2_EMULATION_TWO(fdim)
OP2_EMULATION_TWO(copysign)
OP2_EMULATION_TWO(remainder)
OP2_EMULATION_TWO(nextafter)
static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double ldexp(double x, int n) { return __builtin_ldexp(x, n); }
static inline float ldexp(float x, int n) { return __builtin_ldexpf(x, n); }
static inline float ldexpf(float x, int n) { return __builtin_ldexpf(x, n); }
static inline double scalbn(double x, int n) { return __builtin_scalbn(x, n); }
static inline float scalbn(float x, int n) { return __builtin_scalbnf(x, n); }
static inline float scalbnf(float x, int n) { return __builtin_scalbnf(x, n); }
static inline double scalbln(double x, long n) { return __builtin_scalbln(x, n); }
static inline float scalbln(float x, long n) { return __builtin_scalblnf(x, n); }
static inline float scalblnf(float x, long n) { return __builtin_scalblnf(x, n); }
static inline double frexp(double x, int *n) { return __builtin_frexp(x, n); }
static inline float frexp(float x, int *n) { return __builtin_frexpf(x, n); }
static inline float frexpf(float x, int *n) { return __builtin_frexpf(x, n); }
static inline double modf(double x, double *whole) { return __builtin_modf(x, whole); }
static inline float modf(float x, float *whole) { return __builtin_modff(x, whole); }
static inline float modff(float x, float *whole) { return __builtin_modff(x, whole); }
static inline double remquo(double x, double y, int *n) { return __builtin_remquo(x, y, n); }
static inline float remquo(float x, float y, int *n) { return __builtin_remquof(x, y, n); }
static inline float remquof(float x, float y, int *n) { return __builtin_remquof(x, y, n); }
#define OP2_EMULATION_WHOLE(type_, name_)                                                          \
  static inline type_ name_(double x) { return __builtin_##name_(x); }                             \
  static inline type_ name_(float x) { return __builtin_##name_##f(x); }                           \
  static inline type_ name_##f(float x) { return __builtin_##name_##f(x); }
OP2_EMULATION_WHOLE(int, ilogb)
OP2_EMULATION_WHOLE(long, lround)
OP2_EMULATION_WHOLE(long, lrint)
OP2_EMULATION_WHOLE(long long, llround)
OP2_EMULATION_WHOLE(long long, llrint)
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long abs(long x) { return x < 0 ? -x : x; }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline long labs(long x) { return x < 0 ? -x : x; }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf(x); }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x); }

/* ---- functions that only CUDA has: a kernel's own function of such a name is another one ------- */

#define OP2_EMULATION_EXTREMES(type_)                                                              \
  static inline type_ min(type_ x, type_ y) { return y < x ? y : x; }                              \
  static inline type_ max(type_ x, type_ y) { return y > x ? y : x; }
OP2_EMULATION_EXTREMES(int)
OP2_EMULATION_EXTREMES(unsigned)
OP2_EMULATION_EXTREMES(long)
OP2_EMULATION_EXTREMES(unsigned long)
OP2_EMULATION_EXTREMES(long long)
OP2_EMULATION_EXTREMES(unsigned long long)
OP2_EMULATION_EXTREMES(float)
OP2_EMULATION_EXTREMES(double)
static inline double min(float x, double y) { return y < x ? y : x; }
static inline double min(double x, float y) { return y < x ? y : x; }
static inline double max(float x, double y) { return y > x ? y : x; }
static inline double max(double x, float y) { return y > x ? y : x; }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrt(float x) { return 1 / sqrt(x); }
static inline double exp10(double x) { return __builtin_exp10(x); }
static inline float exp10(float x) { return __builtin_exp10f(x); }
static inline double sinpi(double x) { return sin(3.141592653589793 * x); }
static inline float sinpi(float x) { return sinf(3.1415927f * x); }
static inline double norm(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}
static inline int clock() { return 0; }
static inline long long clock64() { return 0; }

static inline void *op2_emulation_copy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
static inline void *op2_emulation_fill(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = (char)value;
  return to;
}
extern "C" int printf(const char *form, ...);
#define memcpy op2_emulation_copy
#define memset op2_emulation_fill
