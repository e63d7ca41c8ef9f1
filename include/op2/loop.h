/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_LOOP_H
#define OP2_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file loop.h
 * Kernels, loop arguments and parallel loops.
 *
 * A kernel is a C99 function that returns void and is applied to every element of a set. Its
 * parameters correspond to the loop's arguments one by one:
 *
 * | argument | parameter | what it points to |
 * |---|---|---|
 * | op2_arg_direct(d, m) | `T *` | the dim values of the element |
 * | op2_arg_dat(d, i, map, m) | `T *` | the dim values of the element in slot i |
 * | op2_arg_dat(d, OP2_ALL, map, m) | `T **` (or `T *x[]`) | one pointer for every slot |
 * | op2_arg_dat(d, OP2_PACKED, map, m) | `T *` | arity * dim private values, slot by slot |
 * | op2_arg_dat(d, OP2_ITER(0), map, m) | `T *` | the same, as all such arguments of one extent |
 * | op2_arg_gbl(g, m) | `T *` | the dim values, or a private partial result of a reduction |
 * | op2_arg_info(g, n) | `T *` | dim values that go with what argument n finds, zeros at first |
 * | op2_arg_val(p, dim, type) | `T *`, or `T` when dim is 1 | the values captured at the call |
 * | op2_arg_idx() | `int32_t` or `int64_t`, or a pointer to const one | the element's number |
 * | op2_arg_map_idx(map, i) | the same | the number of the element in slot i |
 * | op2_arg_map_idx(map, OP2_ALL) | `const int32_t *`, `const int64_t *` | a number for each slot |
 * | op2_arg_opaque(p) | any pointer | whatever the program's pointer leads to |
 * | op2_arg_work(dim, type) | `T *` | dim values of the call's own, not set at first |
 * | op2_arg_opt(0, argument) | the pointer for `argument` | nothing: it is null |
 *
 * `T` is the C type of the argument's type, or a structure of numbers of that type alone where the
 * parameter is a `T *` (`struct { double rho, mom[2], e; } *` for a dat of four doubles), which must
 * not have more values than the argument and no alignment of its own; READ parameters may be
 * pointers to const, all others may not. A parameter that is declared as an array with a length
 * (`T x[4]`, `T *x[4]`) may be shorter than what it is given, never longer; the number in `T *x[4]`
 * does not count.
 *
 * A kernel is C, not C++: `auto` deduces no types. The library warns of what the text shows to
 * depend on the order of the elements: variables that keep a value (`static`), when the kernel is
 * made; and values of an OP2_INC argument that are read, and slots that the map does not have, when
 * the kernel is first called with such an argument.
 *
 * A dat may be given to several arguments: what the kernel adds, lowers and raises in private
 * copies reaches the data after the kernel, argument by argument. A global may be given to several
 * arguments that are all READ, all INC, all MIN or all MAX (one with op2_arg_info() only to one);
 * otherwise the call is refused.
 *
 * A kernel computes what C says, and the same in scalar code, in vectors of any length and in the
 * checked mode. Where C leaves a choice:
 *
 * - signed integers that overflow: wrap, as unsigned ones do (-fwrapv). On CUDA and OpenCL devices
 *   the result is not defined in functions of the program's headers, and for types that only these
 *   define
 * - float and double: every operation is rounded to its own type, and none is contracted with
 *   another (fused multiply-add); denormal numbers are kept. With OP2_CONTRACT=1, where the
 *   processor has the instruction, a product of doubles without parentheses of its own is rounded
 *   once with what it is added to or subtracted from: of `a * b + c * d` the left one
 * - fmin(a, b), fmax(a, b): a where it is less (greater) than b or b is NaN, else b: of two zeros
 *   b, of a number and a NaN the number
 * - NaN: it is certain that a result is NaN, but not its sign and its other bits
 * - OP2_MIN, OP2_MAX: see below
 *
 * **Minima and maxima** (OP2_MIN, OP2_MAX). For each element the kernel begins with a copy of the
 * value that the global had before the loop, or that the dat has. The library combines the values
 * that the kernel leaves in these copies, and takes any number in place of NaN but never a NaN
 * (::op2_access). So a kernel for which a NaN decides (`*m = *m < x ? *m : x`) finds the same as
 * one that leaves NaN out (`if (x < *m) *m = x`), unless the copy is NaN at first, where the latter
 * finds nothing. No result depends on the order of the elements, as long as a kernel treats NaN in
 * one of these ways. A later loop begins with the values that earlier ones have found; therefore
 * loops that lower or raise the same global of floating type, or the same dat through a map, are
 * not fused.
 *
 * **Floating-point environment.** Kernels, and the library itself, run in the default environment
 * on every thread: operations round to nearest, denormal numbers are kept and nothing traps,
 * whatever the program has set for its threads (feenableexcept(), fesetround(),
 * `gfortran -ffpe-trap`, libraries that were linked with -ffast-math). So results do not depend on
 * these modes, and a kernel with conditions is safe under traps, although vector code also computes
 * for elements that a condition excludes. When the library returns, the environment of the calling
 * thread is what it was: exceptions that kernels raise are not added to its flags. That holds where
 * OP2_CFLAGS has -ffast-math, too. Functions of op2_call() and of operators, and solves by PETSc,
 * run in the environment of the thread that makes the queue run; what they change in it stays
 * changed. Kernels must not change it; where one does, that lasts until the end of a block at most.
 * Devices have an environment of their own, which is the default; threads that their driver, MPI or
 * StarPU starts in op2_init() or op2_init_mpi() begin with it.
 *
 * **Kernels by address.** A kernel may also be a function that is compiled already, in C, C++
 * (`extern "C"`), Fortran (`bind(c)`) or any other language that makes functions for C:
 * op2_kernel_desc.function points to it, and op2_kernel_desc.source declares it, as in
 * `void flux(const double *x, double *res, int n)`, behind the types that its parameters need.
 * Arguments are checked against this declaration as against a kernel's text, and the declaration
 * must be right: nothing compares it with the function (in C and C++, OP2_KERNEL_FUNCTION() does).
 * Plans, colours, workers, ranks and the checked mode are those of all loops. What differs:
 *
 * - speed: one element after the other: no vector code, and no device, on whose backends these
 *   loops run on the host. It may be fused with other loops that are not vector code
 * - threads: ::OP2_ONE_THREAD keeps all threads of the process but one out of all such functions;
 *   which thread it is may change. ::OP2_ANY_THREADS lets any number of them in
 * - constants: it does not see them; op2_arg_val() or a global hands values over
 * - rounding: what its compiler chose, fused multiply-add or -ffast-math for instance, so that
 *   results may differ from those of the same text. The floating-point environment is that of all
 *   kernels
 * - ranks: every rank gives a function that does the same; their addresses are not compared
 * - the checked mode: it is called several times for each element, and what it does besides
 *   (output, counters) is done as often
 *
 * The function must stay where it is until the context has ended (a library must not be unloaded),
 * and it must return: an exception or a longjmp that leaves it is undefined behaviour. It must not
 * call the library.
 *
 * Behaviour that C does not define remains undefined, and may differ: division of integers by zero,
 * and of the least one by -1 (both end the program on x86), shifts by as many bits as there are or
 * more, and conversion of a real number to an integer type that cannot hold it, or of NaN. */

/** Take all slots of a map: the kernel gets an array of pointers. */
#define OP2_ALL (-1)
/** Take all slots of a map: the kernel gets one private buffer with arity * dim values. A loop may
 * have any number of such arguments, through maps of any arity. */
#define OP2_PACKED (-2000)
/** The same over index space i (0 or 1), as PyOP2 had it until 2018: all arguments of a loop over
 * one index space have maps of the same arity, and the call is refused otherwise. */
#define OP2_ITER(i) (-1000 - (i))

/** The place in the program where a loop was queued. The strings must live as long as the program
 * does. */
typedef struct op2_where {
  const char *file; /**< as in __FILE__ */
  int line;         /**< as in __LINE__ */
} op2_where;

/** A pointer to a compiled function of any type. It is converted back before it is called. */
typedef void (*op2_function)(void);

/** The threads that may run a compiled function. */
typedef enum op2_threads {
  OP2_ONE_THREAD = 0, /**< no two threads of the process at once in functions that say so */
  OP2_ANY_THREADS = 1 /**< any number of threads, at once */
} op2_threads;

/** A function that kernels of its file share, as OP2_FUNCTION() defines it. */
typedef struct op2_function_text {
  const char *name;                     /**< the function's name */
  const char *source;                   /**< its definition, in C */
  const struct op2_function_text *next; /**< the one defined before it in the file; null: none */
} op2_function_text;

/** @cond
 * The functions of this file, the last one first. OP2_FUNCTION() enters each before the program (or
 * the shared library) begins. Files that define none have nothing of it. */
#ifdef __cplusplus
}
namespace {
template <int> struct op2_functions_ { static const op2_function_text *last; };
template <int n> const op2_function_text *op2_functions_<n>::last;
} // namespace
extern "C" {
#define OP2_FUNCTIONS_OF_FILE_
#define OP2_LAST_FUNCTION_ (::op2_functions_<0>::last)
#else
#define OP2_FUNCTIONS_OF_FILE_                                                                     \
  static const op2_function_text *op2_last_function_ __attribute__((unused));
#define OP2_LAST_FUNCTION_ op2_last_function_
#endif
/** @endcond */
/** For op2_kernel_desc.functions: the functions that OP2_FUNCTION() defines in this file and in the
 * headers that it includes. There has to be one, or an OP2_KERNEL(), before it. */
#define OP2_FUNCTIONS (&OP2_LAST_FUNCTION_)

/** The description of a kernel. Zero-initialise it, then fill it in. */
typedef struct op2_kernel_desc {
  const char *name;             /**< the function's name in `source` */
  const char *source;           /**< C text: the function, helpers, types, directives; with
                                    `function`, a declaration in place of the function */
  const char *const *headers;   /**< to include, "<math.h>" or the path of a regular file of at
                                    most 64 MiB; null-terminated. What these files define is read
                                    with the source, so kernels that share functions by them can
                                    be vector code */
  const char *const *includes;  /**< directories to search; null-terminated; may be null */
  const char *file;             /**< where `source` stands; may be null */
  int line;                     /**< line of `file` on which `source` begins; 0 when file is null */
  int threads;                  /**< with `function`, an op2_threads; else 0 */
  const char *const *libraries; /**< to link the kernel with: paths of shared libraries,
                                    archives and object files, and options of the linker (`-lNAME`,
                                    `-LDIR`); null-terminated; may be null. Relative paths start at
                                    the working directory when the kernel is created, and
                                    folders of shared libraries are searched at run time as well.
                                    `OP2_LDFLAGS` adds options for all kernels. Devices link
                                    nothing. Null with `function` */
  op2_function function;        /**< a compiled function, which is called instead of one in
                                    `source` (see "Kernels by address"); null: none */
  const char *remark;           /**< a line for op2_explain(): where the text comes from, or why
                                    there is only an address; may be null */
  const op2_function_text *const *functions; /**< ::OP2_FUNCTIONS: the functions that `source` may
                                    call beside its own; may be null. It gets the text of those whose
                                    names it uses and does not define itself, and of those that they
                                    call, before its first line of code. Ignored with `function` */
  const void *reserved[2];                   /**< null: room for later versions */
} op2_kernel_desc;

/** Define a kernel that the program's C compiler checks, too. Written as `OP2_KERNEL(name,
 * (parameters), { body })`, it makes the function `name` and the descriptor `name_kernel` for
 * op2_kernel_create(). The body's text is taken as it stands and on one line: macros in it are not
 * expanded, functions of the file around it are not seen but for those of OP2_FUNCTION(), and
 * messages of the compiler at run time point to the macro. Constants need a variable of the same
 * name and type in the file. A kernel that needs more (headers, types, line numbers) fills in an
 * ::op2_kernel_desc of its own. `<math.h>` is always there. */
/* clang-format off */
#define OP2_KERNEL(name_, params_, ...)                                                            \
  OP2_FUNCTIONS_OF_FILE_                                                                           \
  static inline __attribute__((unused)) void name_ params_ __VA_ARGS__                             \
  static const op2_kernel_desc name_##_kernel = {                                                  \
      #name_, "void " #name_ #params_ " " #__VA_ARGS__ "\n", OP2_NULL_, OP2_NULL_, __FILE__,       \
      __LINE__, 0, OP2_NULL_, OP2_NULL_, OP2_NULL_, OP2_FUNCTIONS, {OP2_NULL_}}
/* clang-format on */

/** Define a function that kernels call. Written as `OP2_FUNCTION(name, result, (parameters), { body
 * })` before them, in their file or in a header that it includes, it makes a function that the
 * program's C compiler checks and that the program may call as well:
 *
 *     OP2_FUNCTION(sound_speed, double, (const double *q), {
 *       const double p = 0.4 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0]);
 *       return sqrt(1.4 * p / q[0]);
 *     });
 *     OP2_KERNEL(time_step, (const double *q, const double *area, double *adt), {
 *       *adt = (fabs(q[1] / q[0]) + sound_speed(q)) / *area;
 *     });
 *
 * Each OP2_KERNEL() gets the text of those that it calls, and of those that they call; an
 * ::op2_kernel_desc of the program's own does where its `functions` is ::OP2_FUNCTIONS. What the
 * text sees is what a kernel's sees: constants (op2_const_create), `<math.h>`, other functions of
 * OP2_FUNCTION(), and with a description of the program's own its headers and what its source
 * defines in lines before its code; no macros, types and variables of the file around it. So
 * kernels with such functions become vector code, are fused and run on devices like others. The
 * name is that of one function in the file. In C++ the text has to be C, too. */
/* clang-format off */
#define OP2_FUNCTION(name_, result_, params_, ...)                                                 \
  OP2_FUNCTIONS_OF_FILE_                                                                           \
  static inline __attribute__((unused)) result_ name_ params_ __VA_ARGS__                          \
  static __attribute__((constructor(1000))) void name_##_enter_(void) {                            \
    static op2_function_text text_ = {                                                             \
        #name_, "static " #result_ " " #name_ #params_ " " #__VA_ARGS__, OP2_NULL_};               \
    text_.next = OP2_LAST_FUNCTION_;                                                               \
    OP2_LAST_FUNCTION_ = &text_;                                                                   \
  }                                                                                                \
  struct op2_function_text
/* clang-format on */

/** @cond */
/* clang-format off */
#ifdef __cplusplus
#define OP2_FUNCTION_(name_) reinterpret_cast<op2_function>(name_##_function)
#else
#define OP2_FUNCTION_(name_) (op2_function)(name_)
#endif
/** @endcond */
/** Define the descriptor `name_kernel` of a kernel by address. Written as
 * `OP2_KERNEL_FUNCTION(name, (parameters), threads)` behind a declaration or definition of the
 * function `name`, whose type the program's compiler compares with the parameters. */
#define OP2_KERNEL_FUNCTION(name_, params_, threads_)                                              \
  static void (*const name_##_function) params_ __attribute__((unused)) = name_;                   \
  static const op2_kernel_desc name_##_kernel = {                                                  \
      #name_, "void " #name_ #params_ ";\n", OP2_NULL_, OP2_NULL_, __FILE__, __LINE__, threads_,    \
      OP2_NULL_, OP2_FUNCTION_(name_), OP2_NULL_, OP2_NULL_, {OP2_NULL_}}
/* clang-format on */

/** One argument of a loop. Made by the op2_arg_* functions only; passed by value. The first member
 * has a type of its own, so that a handle in place of an argument does not compile. Programs store
 * arguments, so the layout of these 64 bytes does not change as long as the library's soname does
 * not. The second map and its slot are for matrices and zero in all other arguments; reserved
 * members are zero. */
typedef struct op2_arg {
  const struct op2_arg_tag *tag; /**< the kind of argument */
  void *object;                  /**< the dat, global or matrix */
  op2_map map;                   /**< the map, or null */
  op2_map map2;                  /**< of a matrix, the map of its columns */
  int32_t idx;                   /**< the slot */
  int32_t idx2;                  /**< the slot of the second map */
  int32_t dim;                   /**< values of an element, where the program says how many */
  int32_t type;                  /**< their ::op2_type */
  int32_t access;                /**< the ::op2_access */
  int32_t reserved;              /**< 0 */
  const void *value;             /**< the program's pointer, of arguments with values */
} op2_arg;

/* ---- kernels --------------------------------------------------------------------------------- */

/** @brief Make a kernel from source text, or from a compiled function and its declaration; its
 * signature is parsed and kept.
 * @memory *desc and its strings are copied; a function must stay until the context has ended
 * @sync   compiles nothing                @mpi    collective; the same text on every rank, with or
 *         without a function
 * @errors OP2_ERR_STATE, OP2_ERR_NAME, OP2_ERR_ARG (no source; threads without a function, or
 *         unknown; libraries with one), OP2_ERR_SYNTAX (no such function, or one that cannot be a
 *         kernel; with a function, a body, or no declaration; gives the line), OP2_ERR_IO (a
 *         header that cannot be read), OP2_ERR_NOMEM
 * @source OP2 op_par_loop's function; PyOP2 Kernel */
OP2_API OP2_NODISCARD op2_status op2_kernel_create(op2_context ctx, const op2_kernel_desc *desc,
                                                   op2_kernel *kernel);

/** @brief Give up a kernel handle.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_kernel_destroy(op2_kernel *kernel);

/* ---- arguments ------------------------------------------------------------------------------- */

/** @brief A dat reached through a map: slot idx, all slots (::OP2_ALL) or a private buffer
 * (::OP2_PACKED, ::OP2_ITER). A null map is refused with a slot or a private buffer; with ::OP2_ALL
 * it means the element itself, as in op2_arg_direct(). Through a map to a set of
 * op2_set_create_single() a dat is READ or INC, in slot 0 or a private buffer: a global of the
 * library's has its values while the loop runs, so that elements and ranks need not take turns.
 * @memory keeps nothing; the loop that takes the argument does
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none here: a wrong argument is reported by the call that takes it
 * @source OP2 op_arg_dat; PyOP2 dat(mode, map[i]), since 2019 dat(mode, map) */
OP2_API op2_arg op2_arg_dat(op2_dat dat, int idx, op2_map map, op2_access access);

/** @brief A dat on the iteration set: the element's own values.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none here
 * @source OP2 op_arg_dat with OP_ID */
OP2_API op2_arg op2_arg_direct(op2_dat dat, op2_access access);

/** @brief A global: READ, or reduced into with INC, MIN or MAX. MIN and MAX copy and compare all
 * values of the global for each element, whichever of them the kernel changes, so that a global of
 * hundreds of values takes more time than most kernels.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none here
 * @source OP2 op_arg_gbl */
OP2_API op2_arg op2_arg_gbl(op2_gbl gbl, op2_access access);

/** @brief A global for what goes with the value that a MIN or MAX finds: where it was, or whatever
 * else the kernel knows of that element. Argument `reduction` of the same loop (counted from 0) is
 * a global of one value in OP2_MIN or OP2_MAX. The kernel sets the values of this argument where it
 * lowers or raises that one, which for each element begins with the value that the global had
 * before the loop. The element with the least (greatest) value wins; among equal ones it is the
 * element with the lowest number, in whatever order they run. Its values become the global's. Where
 * none is less (greater) than what the global had, both globals stay as they are. NaN never wins,
 * and any number wins over NaN. One reduction may have several such arguments. Neither global may
 * occur in the loop once more.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective
 * @errors none here: a wrong argument is reported by the call that takes it
 * @source OP2 op_arg_info */
OP2_API op2_arg op2_arg_info(op2_gbl gbl, int reduction);

/** @brief Values copied when the loop is queued.
 * @shape  values[dim]                     @units  values of `type`
 * @memory values is read by the call that takes the argument, and not kept
 * @sync   never blocks, runs nothing      @mpi    the same values on every rank
 * @errors none here                       @source OP2 op_arg_gbl with OP_READ */
OP2_API op2_arg op2_arg_val(const void *values, int dim, op2_type type);

/** @brief A pointer of the program's, which reaches the kernel unchanged: to a table, a structure or
 * an object of another language. The kernel's parameter is a pointer of any type (`void *`, `struct
 * state *`); nothing compares it with what is there. The library knows nothing of that memory: it
 * orders no loops by it and moves it to no device (the loop runs on the host, in scalar code). All
 * threads get the same pointer at once, so kernels may read what is there, and what they write
 * needs atomics or the like. The checked mode calls the kernel several times for each element, and
 * does not see what it does there.
 * @shape  the program's; one pointer is kept   @units  the program's
 * @memory p is kept until the loop has run and may be null; what it leads to is the program's and
 *         must exist until then (op2_flush() ends when all loops have run)
 * @sync   never blocks, runs nothing      @mpi    the pointers of ranks are not compared
 * @errors none here: a parameter that is no pointer is reported by the call that takes the argument
 * @source op2 */
OP2_API op2_arg op2_arg_opaque(const void *p);

/** @brief Values for the kernel to work with: each call of the kernel has its own, which hold
 * anything when it begins and are lost when it ends. In vector code and on devices they are in
 * registers where they fit; a small array that the kernel declares for itself does as well. The
 * checked mode finds kernels that read values before they write them.
 * @shape  values[dim]                     @units  values of `type`
 * @memory keeps nothing; the values are on the stacks of workers
 * @sync   never blocks, runs nothing      @mpi    the same dim and type on every rank
 * @errors none here: a wrong argument is reported by the call that takes it
 * @source OP2 op_arg_gbl with OP_WORK */
OP2_API op2_arg op2_arg_work(int dim, op2_type type);

/** @brief An argument that may be absent. If `present` is not 0 this is the argument itself; else
 * the kernel gets a null pointer in its place, and asks for it: `if (p) *p += x;`. Then nothing of
 * the argument is looked at, so that its handles may be null or destroyed, and the loop neither
 * uses nor waits for its dat. Each combination of absent arguments is a loop of its own with code
 * of its own, in which the compiler drops what an absent argument makes unreachable. The kernel's
 * parameter must be a pointer.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    the same arguments are absent on every rank
 * @errors none here: a wrong argument is reported by the call that takes it
 * @source OP2 op_opt_arg_dat */
OP2_API op2_arg op2_arg_opt(int present, op2_arg argument);

/** @brief The number of the element the kernel is applied to, in the user's numbering. A kernel
 * that takes it as an int32_t is refused on sets of more than 2^31 elements (OP2_ERR_RANGE).
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    the global number, by which all ranks know the element (op2_set_global())
 * @errors none here: a parameter that is too narrow is reported by the call that takes the argument
 * @source OP2 op_arg_idx; PyOP2 IterationIndex */
OP2_API op2_arg op2_arg_idx(void);

/** @brief The number of the element that a slot of a map leads to, or with ::OP2_ALL those of all
 * slots. As op2_arg_idx(), of the map's target set.
 * @memory keeps nothing; the loop that takes the argument does
 * @sync   never blocks, runs nothing      @mpi    global numbers
 * @errors none here: a wrong argument is reported by the call that takes it
 * @source OP2 op_arg_idx with a map; PyOP2 map values in a kernel */
OP2_API op2_arg op2_arg_map_idx(op2_map map, int slot);

/** @cond
 * The same functions for compilers that inline: calls to make its arguments would take a third of
 * the time that queueing a loop takes. Where nothing is inlined the library's functions are called,
 * and these definitions make no code (gnu_inline). Tags are odd numbers, which no handle is. */
#ifdef __cplusplus
#define OP2_TAG_(n) reinterpret_cast<const struct op2_arg_tag *>(static_cast<uintptr_t>(n))
#define OP2_NULL_   nullptr
#define OP2_INT_(n) static_cast<int32_t>(n)
#else
#define OP2_TAG_(n) ((const struct op2_arg_tag *)(uintptr_t)(n))
#define OP2_NULL_   ((void *)0)
#define OP2_INT_(n) ((int32_t)(n))
#endif
#define OP2_TAG_DAT_     OP2_TAG_(0x6f703201)
#define OP2_TAG_GBL_     OP2_TAG_(0x6f703203)
#define OP2_TAG_VAL_     OP2_TAG_(0x6f703205)
#define OP2_TAG_IDX_     OP2_TAG_(0x6f703207)
#define OP2_TAG_MAP_IDX_ OP2_TAG_(0x6f703209)
#define OP2_TAG_INFO_    OP2_TAG_(0x6f70320b)
#define OP2_TAG_OPAQUE_  OP2_TAG_(0x6f70320f)
#define OP2_TAG_ABSENT_  OP2_TAG_(0x6f703211)
#define OP2_TAG_WORK_    OP2_TAG_(0x6f703213)

#ifndef OP2_INLINE_
#define OP2_INLINE_ extern __inline__ __attribute__((__gnu_inline__))
#endif

OP2_INLINE_ op2_arg op2_arg_dat(op2_dat dat, int idx, op2_map map, op2_access access) {
  op2_arg arg = {OP2_TAG_DAT_, dat, map, OP2_NULL_, idx, 0, 0, 0, OP2_INT_(access), 0, OP2_NULL_};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_direct(op2_dat dat, op2_access access) {
  op2_arg arg = {OP2_TAG_DAT_,     dat, OP2_NULL_, OP2_NULL_, OP2_ALL, 0, 0, 0,
                 OP2_INT_(access), 0,   OP2_NULL_};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_gbl(op2_gbl gbl, op2_access access) {
  op2_arg arg = {OP2_TAG_GBL_,     gbl, OP2_NULL_, OP2_NULL_, 0, 0, 0, 0,
                 OP2_INT_(access), 0,   OP2_NULL_};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_info(op2_gbl gbl, int reduction) {
  op2_arg arg = {OP2_TAG_INFO_,    gbl, OP2_NULL_, OP2_NULL_, reduction, 0, 0, 0,
                 OP2_INT_(OP2_RW), 0,   OP2_NULL_};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_val(const void *values, int dim, op2_type type) {
  op2_arg arg = {OP2_TAG_VAL_, OP2_NULL_,      OP2_NULL_,          OP2_NULL_, 0,     0,
                 dim,          OP2_INT_(type), OP2_INT_(OP2_READ), 0,         values};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_opaque(const void *p) {
  op2_arg arg = {OP2_TAG_OPAQUE_,    OP2_NULL_, OP2_NULL_, OP2_NULL_, 0, 0, 0, 0,
                 OP2_INT_(OP2_READ), 0,         p};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_opt(int present, op2_arg argument) {
  op2_arg absent = {OP2_TAG_ABSENT_,    OP2_NULL_, OP2_NULL_, OP2_NULL_, 0, 0, 0, 0,
                    OP2_INT_(OP2_READ), 0,         OP2_NULL_};
  return present ? argument : absent;
}
OP2_INLINE_ op2_arg op2_arg_work(int dim, op2_type type) {
  op2_arg arg = {OP2_TAG_WORK_, OP2_NULL_,      OP2_NULL_,           OP2_NULL_, 0,        0,
                 dim,           OP2_INT_(type), OP2_INT_(OP2_WRITE), 0,         OP2_NULL_};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_idx(void) {
  op2_arg arg = {OP2_TAG_IDX_,       OP2_NULL_, OP2_NULL_, OP2_NULL_, 0, 0, 0, 0,
                 OP2_INT_(OP2_READ), 0,         OP2_NULL_};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_map_idx(op2_map map, int slot) {
  op2_arg arg = {OP2_TAG_MAP_IDX_,   OP2_NULL_, map,      OP2_NULL_, slot, 0, 0, 0,
                 OP2_INT_(OP2_READ), 0,         OP2_NULL_};
  return arg;
}
/** @endcond */

/* ---- loops ----------------------------------------------------------------------------------- */

/** @brief Queue a loop: apply a kernel to every element of a set or subset.
 * Use op2_par_loop(), which fills in `where` and `nargs`. All argument errors are found here, and
 * then nothing is queued. In eager mode the loop also runs here and its own failure is returned.
 * @shape  args[nargs], nargs >= 1         @units  arguments
 * @memory args is copied; handles are kept until the loop has run
 * @sync   runs nothing, unless the queue is full (then the queue runs first, except the last
 *         loops of one that repeats itself), the context is eager, or so many loops have been
 *         queued that a badly numbered mesh is renumbered before this one (OP2_RENUMBER)
 * @mpi    every rank queues the same loops in the same order; collective where it runs some
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_MISMATCH, OP2_ERR_ACCESS, OP2_ERR_TYPE,
 *         OP2_ERR_ARITY, OP2_ERR_RANGE (a slot that the map does not have, private copies of more
 *         than 256 KiB, or more than 2^30 bytes of constants and values), OP2_ERR_SYNTAX (the
 *         kernel gives a constant a value; gives the line), OP2_ERR_NOMEM
 * @source OP2 op_par_loop; PyOP2 par_loop */
OP2_API OP2_NODISCARD op2_status op2_par_loop_at(op2_where where, op2_kernel kernel, op2_set set,
                                                 int nargs, const op2_arg *args);

/** @brief Make a ParLoop object, which can be generated, computed or queued any number of times.
 * @shape  args[nargs]                     @units  arguments
 * @memory args is copied, values of op2_arg_val() included; the handles are kept until the loop is
 *         destroyed
 * @sync   runs nothing                    @mpi    collective: the same loop on every rank
 * @errors as op2_par_loop_at()            @source PyOP2 ParLoop */
OP2_API OP2_NODISCARD op2_status op2_loop_create_at(op2_where where, op2_kernel kernel, op2_set set,
                                                    int nargs, const op2_arg *args, op2_loop *loop);

/** @brief The generated source of a loop; needs no data, so it can be used ahead of time.
 * Targets are "c", "simd", "check", "cuda", "hip" and "opencl", whatever the context's backend is;
 * a strategy may follow the last three: "cuda:staged" (doc/devices.md). The backend "static" is for
 * programs that need only the source: it needs no device or compiler, and its loops fail with
 * OP2_ERR_UNAVAILABLE when they are to run.
 * @memory *source belongs to the loop and lives as long as it does
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_UNAVAILABLE (unknown target or strategy; or a device, or that
 *         strategy, cannot run the loop), OP2_ERR_NOMEM
 * @source PyOP2 ParLoop code generation */
OP2_API OP2_NODISCARD op2_status op2_loop_generate(op2_loop loop, const char *target,
                                                   const char **source);

/** @brief Run a loop now, after everything it depends on.
 * @memory keeps nothing                   @sync   forces what the loop depends on, runs it and
 *         waits
 * @mpi    collective                      @errors as op2_par_loop_at(), and the loop's own
 *         execution failure
 * @source PyOP2 ParLoop.compute */
OP2_API OP2_NODISCARD op2_status op2_loop_compute(op2_loop loop);

/** @brief Queue a loop object; constants are captured now, values of op2_arg_val() were at
 * creation.
 * @memory the loop may be destroyed at once
 * @sync   as op2_par_loop_at()            @mpi    as op2_par_loop_at()
 * @errors as op2_par_loop_at(); OP2_ERR_STATE when a constant of the kernel was
 *         created or destroyed since the loop object was made
 * @source PyOP2 ParLoop.enqueue */
OP2_API OP2_NODISCARD op2_status op2_loop_enqueue(op2_loop loop);

/** @brief Give up a loop object; queued uses of it still run.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_loop_destroy(op2_loop *loop);

#ifdef __cplusplus
}

template <class... Args>
inline op2_status op2_par_loop_cxx(op2_where where, op2_kernel kernel, op2_set set, Args... args) {
  const op2_arg list[] = {args...};
  return op2_par_loop_at(where, kernel, set, static_cast<int>(sizeof...(args)), list);
}
template <class... Args>
inline op2_status op2_loop_create_cxx(op2_loop *loop, op2_where where, op2_kernel kernel,
                                      op2_set set, Args... args) {
  const op2_arg list[] = {args...};
  return op2_loop_create_at(where, kernel, set, static_cast<int>(sizeof...(args)), list, loop);
}
/* Parenthesised initialisers keep these usable as expressions. */
#define OP2_HERE                       (op2_where{__FILE__, __LINE__})
#define op2_par_loop(kernel, set, ...) op2_par_loop_cxx(OP2_HERE, kernel, set, __VA_ARGS__)
#define op2_loop_create(loop, kernel, set, ...)                                                    \
  op2_loop_create_cxx(loop, OP2_HERE, kernel, set, __VA_ARGS__)
#else
/** The calling file and line. */
#define OP2_HERE ((op2_where){__FILE__, __LINE__})
/** @cond */
#define OP2_ARGS_(...)                                                                             \
  (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]) { __VA_ARGS__ }
/** @endcond */
/** Queue a loop: `op2_par_loop(kernel, set, argument, ...)`; see op2_par_loop_at(). */
#define op2_par_loop(kernel, set, ...)                                                             \
  op2_par_loop_at(OP2_HERE, kernel, set, OP2_ARGS_(__VA_ARGS__))
/** Make a loop object: `op2_loop_create(&loop, kernel, set, argument, ...)`; see
 * op2_loop_create_at(). */
#define op2_loop_create(loop, kernel, set, ...)                                                    \
  op2_loop_create_at(OP2_HERE, kernel, set, OP2_ARGS_(__VA_ARGS__), loop)
#endif

#endif
