/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_COMPAT_H
#define OP2_COMPAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#include <cmath>
#include <iostream>
#include <limits>
#include <type_traits>
#endif

/** @file op2_compat.h
 * The C++ interface of OP2 on this library (doc/from-op2.md). Programs include it as op_seq.h, with
 * this folder among those that are searched, and link to libop2-compat. A call that fails prints
 * why on stderr and ends the program with status 1, as such programs expect. All calls are for one
 * thread. Among the ranks of MPI (op2_compat_mpi.h) they are collective unless their comment says
 * otherwise, and an error ends all ranks. */

#define OP2_COMPAT_API __attribute__((visibility("default")))
#ifdef __cplusplus
#define OP2_COMPAT_C_ extern "C"
#else
#define OP2_COMPAT_C_
#endif

typedef unsigned int uint;
typedef long long ll;
typedef unsigned long long ull;

typedef int op_access;
#define OP_READ  0
#define OP_WRITE 1
#define OP_RW    2
#define OP_INC   3
#define OP_MIN   4
#define OP_MAX   5
#define OP_WORK  6

#define OP_ID  ((op_map)0)
#define OP_GBL ((op_map)0)
#define OP_ALL (-1)

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

typedef struct op_set_core *op_set;
typedef struct op_map_core *op_map;
typedef struct op_dat_core *op_dat;

/** A set. The members are for reading. Sizes are those of this rank's part; op_partition() renews
 * them. */
struct op_set_core {
  int index;
  int size; /**< elements that this rank owns; they come first */
  const char *name;
  int core_size;    /**< of these, those that lead to no other rank's */
  int exec_size;    /**< copies of elements of others for which loops run here, too */
  int nonexec_size; /**< other copies */
  void *handle;     /**< op2_set */
  int declared;     /**< the size of the block that was declared */
  long long first;  /**< the number of its first element in the whole set */
  void *owners;     /**< the library's own */
};
/** A map. The members are for reading; `map` is a copy of what was declared, from 0. After
 * op_partition() it has a row for each element that this rank owns, and the positions of targets
 * among what this rank has. */
struct op_map_core {
  int index;
  op_set from, to;
  int dim;
  int *map;
  const char *name;
  void *handle; /**< op2_map */
};

/** @brief The values of a dat in place, for `dat->data`.
 * @memory the pointer is valid until a loop, or another call that uses dats, is made
 * @sync   forces every queued user of the dat
 * @mpi    collective                      @errors end the program
 * @source OP2 op_dat_core.data */
OP2_COMPAT_C_ OP2_COMPAT_API char *op2_compat_data(op_dat dat);

/** The member `data` of a dat, which is converted to a pointer by op2_compat_data(). */
struct op2_compat_view {
  op_dat dat;
#ifdef __cplusplus
  template <class T> operator T *() const { return reinterpret_cast<T *>(op2_compat_data(dat)); }
#endif
};
/** A dat. The members are for reading, but values may be written through `data`. */
struct op_dat_core {
  int index;
  op_set set;
  int dim;
  int size; /**< bytes of an element */
  struct op2_compat_view data;
  const char *type;
  const char *name;
  void *handle; /**< op2_dat */
};

enum op2_compat_kind { OP2_COMPAT_DAT, OP2_COMPAT_GBL, OP2_COMPAT_IDX, OP2_COMPAT_INFO };

/** An argument of op_par_loop, made by op_arg_*. */
typedef struct op_arg {
  enum op2_compat_kind kind;
  op_dat dat;
  op_map map;
  int idx;
  int dim;
  int opt; /**< 0: the kernel gets a null pointer */
  int lazy;
  op_access acc;
  int size; /**< bytes of a value */
  int base; /**< what the kernel gets for the first element's number */
  const char *type;
  char *data;
} op_arg;

/** A call of op_par_loop in the program. */
struct op2_compat_site {
  const char *kernel, *unit, *text, *header, *file;
  int line;
  void (*function)(void);
  void (*call)(void (*function)(void), void *const *values);
  const bool *readonly; /**< for each parameter whether it points to const */
  void *cache;
  /** The copy of a kernel that op2-c++ has compiled without contraction, or null. */
  void (*(*copies)(const char *kernel))(void);
};

#ifdef __cplusplus
extern "C" {
#endif

/* ---- begin and end --------------------------------------------------------------------------- */

/** @brief Make the context that all other calls use. `OP_MAPS_BASE_INDEX=1` among the arguments
 * says that maps are numbered from 1. `diags` above 0 reports kernels that run by their address.
 * @memory argv is only read               @sync   as op2_init()
 * @mpi    collective                      @errors end the program: also another number than 0 or 1
 * @source OP2 op_init */
OP2_COMPAT_API void op_init(int argc, char **argv, int diags);
/** @brief As op_init(); the layout of data is the library's.
 * @memory argv is only read               @sync   as op2_init()
 * @mpi    collective                      @errors end the program
 * @source OP2 op_init_soa */
OP2_COMPAT_API void op_init_soa(int argc, char **argv, int diags, int soa);
/** @brief Run what is queued and end the context; handles are freed.
 * @memory frees all sets, maps and dats   @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_exit */
OP2_COMPAT_API void op_exit(void);

/* ---- declarations ---------------------------------------------------------------------------- */

/** @brief Declare a set.
 * @units  elements                        @memory the handle lives until op_exit()
 * @sync   runs nothing                    @mpi    collective
 * @errors end the program                 @source OP2 op_decl_set */
OP2_COMPAT_API op_set op_decl_set(int size, const char *name);
/** @brief Declare a map.
 * @shape  map[from->size][dim]            @units  elements
 * @memory map is copied                   @sync   runs nothing
 * @mpi    collective                      @errors end the program
 * @source OP2 op_decl_map */
OP2_COMPAT_API op_map op_decl_map(op_set from, op_set to, int dim, int *map, const char *name);
/** @brief Declare a map whose entries have 64 bits.
 * @shape  map[from->size][dim]            @units  elements
 * @memory map is copied                   @sync   runs nothing
 * @mpi    collective                      @errors end the program
 * @source OP2 op_decl_map_long */
OP2_COMPAT_API op_map op_decl_map_long(op_set from, op_set to, int dim, long long *map,
                                       const char *name);
/** @brief Declare a dat, for op_decl_dat(), whose type is that of the pointer.
 * @shape  data[set->size][dim]            @units  values of `type`, of `size` bytes each
 * @memory data is copied; null gives zeros
 * @sync   runs nothing                    @mpi    collective
 * @errors end the program                 @source OP2 op_decl_dat_char */
OP2_COMPAT_API op_dat op_decl_dat_char(op_set set, int dim, const char *type, int size, char *data,
                                       const char *name);
/** @brief Give up a dat.
 * @memory queued loops keep its values    @sync   runs nothing
 * @mpi    collective                      @errors none: returns 0
 * @source OP2 op_free_dat_temp */
OP2_COMPAT_API int op_free_dat_temp_char(op_dat dat);
/** @brief Make a variable visible to kernels under its name, for op_decl_const().
 * @shape  data[dim]                       @units  values of `type`
 * @memory data must live until op_exit(): each loop takes the values that it has then
 * @sync   runs nothing                    @mpi    collective
 * @errors end the program                 @source OP2 op_decl_const */
OP2_COMPAT_API void op2_compat_const(const char *name, int dim, const char *type, const void *data);

/* ---- loops ----------------------------------------------------------------------------------- */

/** @brief A dat as an argument: of the element (OP_ID), of slot idx of a map, or of all its slots
 * (a negative idx).
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors end the program
 * @source OP2 op_arg_dat */
OP2_COMPAT_API op_arg op_arg_dat(op_dat dat, int idx, op_map map, int dim, const char *type,
                                 op_access acc);
/** @brief As op_arg_dat(), and a null pointer for the kernel if opt is 0.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors end the program
 * @source OP2 op_opt_arg_dat */
OP2_COMPAT_API op_arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim,
                                     const char *type, op_access acc);
/** @brief The element's number, or with a map that of slot idx, from 0.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 op_arg_idx */
OP2_COMPAT_API op_arg op_arg_idx(int idx, op_map map);
/** @brief A variable of the program as an argument, for op_arg_gbl() and its like.
 * @shape  data[dim]                       @units  values of `type`, of `size` bytes each
 * @memory keeps the pointer until the loop is queued, or if `lazy` until op_lazy_get()
 * @sync   runs nothing                    @mpi    not collective
 * @errors end the program                 @source OP2 op_arg_gbl_char */
OP2_COMPAT_API op_arg op2_compat_arg(enum op2_compat_kind kind, int opt, int lazy, char *data,
                                     int dim, const char *type, int size, op_access acc);
/** @brief Run a loop, for op_par_loop().
 * @shape  args[nargs]                     @units  arguments
 * @memory args is copied
 * @sync   queues the loop; runs the queue if a variable gets a result, or the kernel runs by its
 *         address
 * @mpi    collective                      @errors end the program
 * @source OP2 op_par_loop */
OP2_COMPAT_API void op2_compat_loop(struct op2_compat_site *site, const char *name, op_set set,
                                    int nargs, const op_arg *args);
/** @brief Bring the result of a reduction whose argument was OP_LAZY() to its variable.
 * @memory data is the variable; nothing is done if there is no such result
 * @sync   forces the loops that reduce into it
 * @mpi    collective                      @errors end the program
 * @source op2 */
OP2_COMPAT_API void op_lazy_get(void *data);

/* ---- values and reports ---------------------------------------------------------------------- */

/** @brief Copy values out, for op_fetch_data().
 * @shape  out[set->size][dim]             @units  values of the dat's type
 * @memory out is the caller's             @sync   as op2_dat_get()
 * @mpi    collective                      @errors end the program
 * @source OP2 op_fetch_data_char */
OP2_COMPAT_API void op_fetch_data_char(op_dat dat, char *out);
/** @brief Copy values of elements low to high out, both included, for op_fetch_data_idx().
 * @shape  out[high - low + 1][dim]        @units  values of the dat's type
 * @memory out is the caller's             @sync   as op2_dat_get()
 * @mpi    collective                      @errors end the program
 * @source OP2 op_fetch_data_idx_char */
OP2_COMPAT_API void op_fetch_data_idx_char(op_dat dat, char *out, int low, int high);
/** @brief Write the values to a text file: size and dim, then a line for each element.
 * @memory keeps nothing                   @sync   as op2_dat_get()
 * @mpi    collective                      @errors end the program
 * @source OP2 op_print_dat_to_txtfile */
OP2_COMPAT_API void op_print_dat_to_txtfile(op_dat dat, const char *file);
/** @brief The same in binary: size and dim as int, then the values.
 * @memory keeps nothing                   @sync   as op2_dat_get()
 * @mpi    collective                      @errors end the program
 * @source OP2 op_print_dat_to_binfile */
OP2_COMPAT_API void op_print_dat_to_binfile(op_dat dat, const char *file);
/** @brief printf().
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 op_printf */
OP2_COMPAT_API void op_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** @brief Print a line.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 op_print */
OP2_COMPAT_API void op_print(const char *line);
/** @brief Run what is queued, then read the clocks.
 * @units  seconds: of the processor, and of the clock
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_timers */
OP2_COMPAT_API void op_timers(double *cpu, double *elapsed);
/** @brief Read the clocks without running anything.
 * @units  seconds                         @memory keeps nothing
 * @sync   runs nothing                    @mpi    not collective
 * @errors none                            @source OP2 op_timers_core */
OP2_COMPAT_API void op_timers_core(double *cpu, double *elapsed);
/** @brief Print calls, seconds and bandwidth of each kernel, and how often results of reductions
 * made the queue run.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_timing_output */
OP2_COMPAT_API void op_timing_output(void);
/** @brief Print sets, maps and dats, and with `diags` above 1 what the library did with the loops.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    collective                      @errors end the program
 * @source OP2 op_diagnostic_output */
OP2_COMPAT_API void op_diagnostic_output(void);
/** @brief The size of a set over all ranks.
 * @units  elements                        @memory keeps nothing
 * @sync   runs nothing                    @mpi    not collective
 * @errors none                            @source OP2 op_get_size */
OP2_COMPAT_API int op_get_size(op_set set);
/** @brief The number of elements of a set that this rank owns.
 * @units  elements                        @memory keeps nothing
 * @sync   runs nothing                    @mpi    not collective
 * @errors none                            @source OP2 op_get_size_local */
OP2_COMPAT_API int op_get_size_local(op_set set);
/** @brief The number of this rank, 0 in one process.
 * @memory rank is the caller's            @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 op_rank */
OP2_COMPAT_API void op_rank(int *rank);
/** @brief True on the first rank.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 op_is_root */
OP2_COMPAT_API int op_is_root(void);
/** @brief Cut sets into blocks if op_partition() was not called, or bring in the maps that were
 * declared since: the set that it cut keeps its owners. The next loop does that, too.
 * @memory as op_partition()               @sync   as op_partition()
 * @mpi    collective                      @errors end the program
 * @source OP2 op_halo_create */
OP2_COMPAT_API void op_halo_create(void);
/** @brief True if it is true on one of the ranks.
 * @memory keeps nothing                   @sync   runs nothing; waits for all ranks
 * @mpi    collective                      @errors none
 * @source op2 */
OP2_COMPAT_API int op2_compat_any(int here);
/** @brief Choose the rank that owns each element, and move sets, maps and dats there. With a map
 * its graph is cut (op2_partition(), k-way), for "GEOM" and "INERTIAL" the box round the
 * coordinates; "EXTERNAL" takes owners from a dat of int, which is the last argument. Where the
 * library has no partitioner for graphs, coordinates or blocks are cut, with a warning. Nothing is
 * done in one process.
 * @memory as op2_partition()              @sync   runs all that is queued
 * @mpi    collective                      @errors end the program
 * @source OP2 op_partition */
OP2_COMPAT_API void op_partition(const char *library, const char *routine, op_set set, op_map map,
                                 op_dat coordinates);
/** @brief op2_renumber(); a refusal is printed, and not an error.
 * @memory keeps nothing                   @sync   as op2_renumber()
 * @mpi    collective                      @errors none
 * @source OP2 op_renumber */
OP2_COMPAT_API void op_renumber(op_map map);

/** @brief The context behind these calls, as an op2_context, for op2's own calls.
 * @memory the library's                   @sync   runs nothing; ends the use of `dat->data`
 * @mpi    not collective                  @errors none: null before op_init()
 * @source op2 */
OP2_COMPAT_API void *op2_compat_context(void);
/** @brief The i-th set, map or dat, or null.
 * @memory the library's                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source op2 */
OP2_COMPAT_API op_set op2_compat_set(int i);
OP2_COMPAT_API op_map op2_compat_map(int i); /**< see op2_compat_set() */
OP2_COMPAT_API op_dat op2_compat_dat(int i); /**< see op2_compat_set() */
/** @brief The op2_type of a type that OP2's calls name.
 * @units  bytes, in *size                 @memory size is the caller's
 * @sync   runs nothing                    @mpi    not collective
 * @errors end the program                 @source op2 */
OP2_COMPAT_API int op2_compat_type_of(const char *type, int *size);

/** @brief What op_init() was told to report.
 * @memory the program's own to change     @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 OP_diags */
extern OP2_COMPAT_API int OP_diags;
/** @brief The size of the set of a name over all ranks, or -1.
 * @units  elements                        @memory keeps nothing
 * @sync   runs nothing                    @mpi    not collective
 * @errors none                            @source OP2 op_size_of_set */
OP2_COMPAT_API int op_size_of_set(const char *name);
/** @brief The dat of a set, dim, type and name, or null. `size` is ignored.
 * @memory the library's                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 search_dat */
OP2_COMPAT_API op_dat search_dat(op_set set, int dim, const char *type, int size, const char *name);
/** @brief 1 if both are the same set.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 compare_sets */
static inline int compare_sets(op_set one, op_set other) { return one == other; }
/** @brief Print an error and end the program.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors ends the program
 * @source OP2 op_err_print */
OP2_COMPAT_API void op_err_print(const char *error, int argument, const char *name);
/** @brief Run what is queued.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 deviceSync */
OP2_COMPAT_API void deviceSync(void);
/** @brief Run what is queued, and wait for all ranks.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_mpi_barrier */
OP2_COMPAT_API void op_mpi_barrier(void);
/** @brief As op_timing_output(), into a file.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective; the first rank writes
 * @errors end the program                 @source OP2 op_timing_output_2_file */
OP2_COMPAT_API void op_timing_output_2_file(const char *file);
/** @brief The table of op_timing_output() as values that commas separate, under a line of names.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective; the first rank writes
 * @errors end the program                 @source OP2 op_timings_to_csv */
OP2_COMPAT_API void op_timings_to_csv(const char *file);

/* The library brings values where they are needed, and has nothing to take down before op_exit(). */
static inline void op_upload_all(void) {}
static inline void op_upload_dat(op_dat dat) { (void)dat; }
static inline void op_download_dat(op_dat dat) { (void)dat; }
static inline void op_partition_destroy(void) {}
static inline void op_halo_destroy(void) {}

/* Calls whose type is not that of a pointer. */
static inline op_dat op_decl_dat_temp_char(op_set set, int dim, const char *type, int size,
                                           const char *name) {
  return op_decl_dat_char(set, dim, type, size, NULL, name);
}
static inline void op_decl_const_char(int dim, const char *type, int size, char *data,
                                      const char *name) {
  (void)size;
  op2_compat_const(name, dim, type, data);
}
static inline op_arg op_opt_arg_gbl_char(int opt, char *data, int dim, const char *type, int size,
                                         op_access acc) {
  return op2_compat_arg(OP2_COMPAT_GBL, opt, 0, data, dim, type, size, acc);
}
static inline op_arg op_arg_gbl_char(char *data, int dim, const char *type, int size,
                                     op_access acc) {
  return op_opt_arg_gbl_char(1, data, dim, type, size, acc);
}
static inline op_arg op_arg_info_char(char *data, int dim, const char *type, int size,
                                      int reduction) {
  op_arg arg = op2_compat_arg(OP2_COMPAT_INFO, 1, 0, data, dim, type, size, OP_RW);
  arg.idx = reduction;
  return arg;
}

static inline void *op_malloc(size_t bytes) { return malloc(bytes); }
static inline void *op_calloc(size_t count, size_t bytes) { return calloc(count, bytes); }
static inline void *op_realloc(void *old, size_t bytes) { return realloc(old, bytes); }
static inline void op_free(void *memory) { free(memory); }

#ifdef __cplusplus
}

#endif

/* This has to come before templates that a program calls with the same names. */
#include "op2_compat_refused.h"

#ifdef __cplusplus
/* ---- templates ------------------------------------------------------------------------------- */

template <class T>
inline op_dat op_decl_dat(op_set set, int dim, const char *type, T *data, const char *name) {
  return op_decl_dat_char(set, dim, type, sizeof(T), reinterpret_cast<char *>(data), name);
}
template <class T>
inline op_dat op_decl_dat_temp(op_set set, int dim, const char *type, T *, const char *name) {
  return op_decl_dat_char(set, dim, type, sizeof(T), nullptr, name);
}
inline int op_free_dat_temp(op_dat dat) { return op_free_dat_temp_char(dat); }
template <class T>
inline void op2_compat_decl_const(const char *name, int dim, const char *type, T *data) {
  op2_compat_const(name, dim, type, data);
}
#define op_decl_const(dim, type, data)        op2_compat_decl_const(#data, dim, type, data)
#define op_decl_const2(name, dim, type, data) op2_compat_decl_const(name, dim, type, data)

template <class T> inline void op_fetch_data(op_dat dat, T *out) {
  op_fetch_data_char(dat, reinterpret_cast<char *>(out));
}
template <class T> inline void op_fetch_data_idx(op_dat dat, T *out, int low, int high) {
  op_fetch_data_idx_char(dat, reinterpret_cast<char *>(out), low, high);
}

/* A variable whose result is brought by op_lazy_get(). */
template <class T> struct op2_compat_later { T *data; };
template <class T> inline op2_compat_later<T> op2_compat_lazy(T *data) { return {data}; }
/** In op_arg_gbl(OP_LAZY(variable), ...): the loop is only queued, and the variable holds no value
 * (NaN) until op_lazy_get(&variable) or until the program gives it one. Another loop reads such a
 * result by op_arg_gbl(OP_LAZY(variable), ..., OP_READ), without waiting for it. */
#define OP_LAZY(variable) op2_compat_lazy(&(variable))

template <class T>
inline op_arg op_opt_arg_gbl(int opt, T *data, int dim, const char *type, op_access acc) {
  return op2_compat_arg(OP2_COMPAT_GBL, opt, 0, (char *)data, dim, type, sizeof(T), acc);
}
template <class T> inline op_arg op_arg_gbl(T *data, int dim, const char *type, op_access acc) {
  return op_opt_arg_gbl(1, data, dim, type, acc);
}
template <class T>
inline op_arg op_arg_gbl(op2_compat_later<T> later, int dim, const char *type, op_access acc) {
  return op2_compat_arg(OP2_COMPAT_GBL, 1, 1, (char *)later.data, dim, type, sizeof(T), acc);
}
template <class T> inline op_arg op_arg_info(T *data, int dim, const char *type, int reduction) {
  return op_arg_info_char((char *)data, dim, type, sizeof(T), reduction);
}

/* Calls a kernel of any type with pointers. */
template <int... I> struct op2_compat_indices {};
template <int N, int... I> struct op2_compat_count : op2_compat_count<N - 1, N - 1, I...> {};
template <int... I> struct op2_compat_count<0, I...> { typedef op2_compat_indices<I...> type; };
template <class... P> struct op2_compat_caller {
  template <int... I>
  static void pass(void (*function)(P...), void *const *values, op2_compat_indices<I...>) {
    function(reinterpret_cast<P>(values[I])...);
  }
  static void call(void (*function)(void), void *const *values) {
    pass(reinterpret_cast<void (*)(P...)>(function), values,
         typename op2_compat_count<sizeof...(P)>::type());
  }
};

template <class... P, class... A>
inline void op2_compat_par_loop(op2_compat_site *site, void (*function)(P...), const char *name,
                                op_set set, A... args) {
  static_assert(sizeof...(P) == sizeof...(A),
                "op_par_loop needs as many arguments as the kernel has parameters");
  static const bool readonly[] = {std::is_const<
      typename std::remove_pointer<typename std::remove_pointer<P>::type>::type>::value...};
  const op_arg list[] = {args...};
  site->function = reinterpret_cast<void (*)(void)>(function);
  site->call = op2_compat_caller<P...>::call;
  site->readonly = readonly;
  op2_compat_loop(site, name, set, static_cast<int>(sizeof...(A)), list);
}

static const char *const op2_compat_header __attribute__((unused)) = __FILE__;
/* op2-c++ defines the text of the program's own files, and finds copies of kernels. */
#ifndef OP2_COMPAT_TEXT
#define OP2_COMPAT_TEXT nullptr
#endif
#ifndef OP2_COMPAT_COPIES
#define OP2_COMPAT_COPIES nullptr
#endif
#define op_par_loop(kernel_, name_, set_, ...)                                                     \
  (__extension__({                                                                                 \
    static struct op2_compat_site op2_site_ = {                                                    \
        #kernel_, __BASE_FILE__, OP2_COMPAT_TEXT, op2_compat_header, __FILE__, __LINE__,           \
        nullptr,  nullptr,       nullptr,         nullptr,           OP2_COMPAT_COPIES};           \
    op2_compat_par_loop(&op2_site_, kernel_, name_, set_, __VA_ARGS__);                            \
  }))
#endif
#ifdef OP2_COMPAT_MPI
#include "op2_compat_mpi.h"
#endif
#endif
