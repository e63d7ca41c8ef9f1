/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_COMPAT_FORTRAN_H
#define OP2_COMPAT_FORTRAN_H

#include "op2_compat.h"

/** @file op2_compat_fortran.h
 * What the modules for programs in OP2's Fortran interface (fortran/compat) need beside
 * op2_compat.h. Programs do not include this header. Access modes and slots of maps begin with 1
 * here, and strings need to live during the call only. */

#ifdef __cplusplus
extern "C" {
#endif

/** @brief The number by which maps name the first element, if a word of the command line has
 * `OP_MAPS_BASE_INDEX=0` or 1; else `base`.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors end the program: any other number
 * @source OP2 op_init in Fortran */
OP2_COMPAT_API int op2_compat_fortran_base(const char *word, int base);
/** @brief As op_init(), with the number by which maps name the first element. `local` is null, or
 * points to the communicator of the ranks, as an integer of Fortran.
 * @memory keeps nothing                   @sync   as op_init()
 * @mpi    collective                      @errors end the program
 * @source OP2 op_init_base, op_mpi_init_base in Fortran */
OP2_COMPAT_API void op2_compat_fortran_init(int diags, int base, const int *local);
/** @brief As op_opt_arg_dat().
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors end the program
 * @source OP2 op_arg_dat, op_opt_arg_dat in Fortran */
OP2_COMPAT_API op_arg op2_compat_fortran_dat(int opt, op_dat dat, int idx, op_map map, int dim,
                                             const char *type, int access);
/** @brief As op_arg_idx(). The kernel gets numbers from 1, of slots as maps are numbered.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors end the program
 * @source OP2 op_arg_idx in Fortran */
OP2_COMPAT_API op_arg op2_compat_fortran_idx(int idx, op_map map);
/** @brief As op_arg_gbl(), op_opt_arg_gbl() and, with the number of an argument in place of 0 as
 * `reduction`, op_arg_info().
 * @shape  data[dim]                       @units  values of `type`, of `size` bytes each
 * @memory keeps the pointer until the loop has run
 * @sync   runs nothing                    @mpi    not collective
 * @errors end the program                 @source OP2 op_arg_gbl, op_arg_info in Fortran */
OP2_COMPAT_API op_arg op2_compat_fortran_gbl(int opt, void *data, int dim, const char *type,
                                             int size, int access, int reduction);
/** @brief Run a loop. `call` calls a kernel with nargs pointers.
 * @shape  args[nargs]                     @units  arguments
 * @memory args is copied
 * @sync   runs the queue, and the loop    @mpi    collective
 * @errors end the program                 @source OP2 op_par_loop_N in Fortran */
OP2_COMPAT_API void op2_compat_fortran_loop(void (*kernel)(void),
                                            void (*call)(void (*kernel)(void), void *const *values),
                                            op_set set, int nargs, const op_arg *args);
/** @brief Give the C text of a kernel, whose function has this name. It is used in place of the
 * compiled kernel, as vector code, in loops where both compute the same on some elements.
 * @memory kernel must stay until op_exit(); name and text are copied
 * @sync   runs nothing                    @mpi    collective
 * @errors end the program                 @source op2 */
OP2_COMPAT_API void op2_compat_fortran_text(void (*kernel)(void), const char *name,
                                            const char *text);
/** @brief Make a variable visible to texts of kernels. Nothing is done if `name` is that of a type,
 * which some programs give in its place: compiled kernels read the variable itself.
 * @shape  data[dim]                       @units  values of `type`
 * @memory data must live until op_exit(): each loop takes the values that it has then
 * @sync   runs nothing                    @mpi    collective
 * @errors end the program                 @source OP2 op_decl_const in Fortran */
OP2_COMPAT_API void op2_compat_fortran_const(const char *name, int dim, const char *type,
                                             const void *data);
/** @brief The number of ranks.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 op_mpi_size in Fortran */
OP2_COMPAT_API int op2_compat_fortran_ranks(void);

#ifdef __cplusplus
}
#endif
#endif
