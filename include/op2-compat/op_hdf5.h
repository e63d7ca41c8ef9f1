/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of OP2 for HDF5 files, in libop2-compat-hdf5. Errors end the program. */
#ifndef OP2_COMPAT_HDF5_H
#define OP2_COMPAT_HDF5_H

#include "op2_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Declare a set whose size is in a file.
 * @units  elements                        @memory as op_decl_set()
 * @sync   reads the file                  @mpi    collective
 * @errors end the program                 @source OP2 op_decl_set_hdf5 */
OP2_COMPAT_API op_set op_decl_set_hdf5(const char *file, const char *name);
/** @brief Declare a set that has as many elements as a table has rows.
 * @units  elements                        @memory as op_decl_set()
 * @sync   reads the file                  @mpi    collective
 * @errors end the program                 @source OP2 op_decl_set_hdf5_infer_size */
OP2_COMPAT_API op_set op_decl_set_hdf5_infer_size(const char *file, const char *name,
                                                  const char *dataset);
/** @brief Declare a map with the entries of a table; null, with a line on stdout, if there is none.
 * @shape  a table [from->size][dim]       @memory as op_decl_map()
 * @units  elements                        @sync   reads the file
 * @mpi    collective                      @errors end the program
 * @source OP2 op_decl_map_hdf5 */
OP2_COMPAT_API op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char *file,
                                       const char *name);
/** @brief Declare a dat with the values of a table; null, with a line on stdout, if there is none.
 * @shape  a table [set->size][dim]        @units  values of `type`
 * @memory as op_decl_dat()                @sync   reads the file
 * @mpi    collective                      @errors end the program
 * @source OP2 op_decl_dat_hdf5 */
OP2_COMPAT_API op_dat op_decl_dat_hdf5(op_set set, int dim, const char *type, const char *file,
                                       const char *name);
/** @brief Read values of no set.
 * @shape  data[dim]                       @units  values of `type`
 * @memory data is the caller's            @sync   reads the file
 * @mpi    collective                      @errors end the program
 * @source OP2 op_get_const_hdf5 */
OP2_COMPAT_API void op_get_const_hdf5(const char *name, int dim, const char *type, char *data,
                                      const char *file);
/** @brief Add values of no set to a file.
 * @shape  data[dim]                       @units  values of `type`
 * @memory data is only read               @sync   writes the file
 * @mpi    collective                      @errors end the program
 * @source OP2 op_write_const_hdf5 */
OP2_COMPAT_API void op_write_const_hdf5(const char *name, int dim, const char *type, char *data,
                                        const char *file);
/** @brief Write all sets, maps and dats to a new file.
 * @memory keeps nothing                   @sync   runs what dats depend on, writes the file
 * @mpi    collective                      @errors end the program
 * @source OP2 op_dump_to_hdf5 */
OP2_COMPAT_API void op_dump_to_hdf5(const char *file);
/** @brief Add the values of a dat to a file, under its name. A table that is there already is an
 * error.
 * @memory keeps nothing                   @sync   runs what the dat depends on, writes the file
 * @mpi    collective                      @errors end the program
 * @source OP2 op_fetch_data_hdf5_file */
OP2_COMPAT_API void op_fetch_data_hdf5_file(op_dat dat, const char *file);
/** @brief The same under another name.
 * @memory keeps nothing                   @sync   runs what the dat depends on, writes the file
 * @mpi    collective                      @errors end the program
 * @source OP2 op_fetch_data_hdf5_file_path */
OP2_COMPAT_API void op_fetch_data_hdf5_file_path(op_dat dat, const char *file, const char *path);

#ifdef __cplusplus
}
#endif
#endif
