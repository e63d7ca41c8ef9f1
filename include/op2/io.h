/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_IO_H
#define OP2_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/mesh.h"
#include "op2/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file io.h
 * Meshes and values in HDF5 files of OP2's flat layout, as OP2 writes and reads them. These
 * functions are in a library of their own, libop2-hdf5 (`pkg-config op2-hdf5`); libop2 itself does
 * not use HDF5, and op2.h does not include this header.
 *
 * A file holds, each under its name, which may be a path with `/`:
 *
 * - a set as a dataset of one number, its size;
 * - a map as a dataset [size of from][arity] of targets, with the attributes `size` (of from),
 *   `dim` (the arity) and `type` ("int", "long" where a number needs 64 bits);
 * - a dat as a dataset [size of the set][dim] with the attributes `size` (bytes of an element),
 *   `dim` and `type` ("double", "float", "int", "long"; types that OP2 lacks are named as in C,
 *   "uint8_t");
 * - constants as a dataset [dim] with the attributes `dim` and `type`.
 *
 * op2_file_dump() also writes what OP2's files do not have. Datasets of numbers have no attributes:
 *
 * - a subset as a dataset [elements] of their numbers in its set, ascending;
 * - a sparsity PATTERN in CSR form as the datasets `PATTERN/starts` [rows + 1] and
 *   `PATTERN/columns` [nonzeros]: the columns of row i are those from starts[i] to
 *   starts[i + 1] - 1, ascending;
 * - a matrix as a dataset `PATTERN/NAME` [nonzeros][row_dim * column_dim] of the blocks in that
 *   order, row by row, with the attributes of a dat;
 * - a text `op2_contents` as a dataset [characters] of bytes: a line for each object, with tabs
 *   between its words. They are `set NAME`, `single NAME` (a set of op2_set_create_single()),
 *   `subset NAME SET`, `map NAME FROM TO`, `partial NAME FROM TO` (a map with -1 where an entry
 *   leads nowhere), `dat NAME SET`, `global NAME`, `constant NAME`, `pair PATTERN ROWS COLUMNS` for
 *   each pair of maps of the sparsity that follows (two empty words: the whole diagonal),
 *   `sparsity PATTERN`, and `matrix NAME PATTERN 2x1` with row_dim and column_dim.
 *
 * A set of op2_set_create_single() and maps to it are datasets like others, for programs that know
 * none of such a set: the size is 1, and all entries of the maps are 0.
 *
 * Elements are numbered as users and all ranks know them (op2/ranks.h), so a file does not depend
 * on how many ranks wrote it, and any number of ranks can read it. What is written does not depend
 * on the time either: files of equal contents are equal byte for byte.
 *
 * Files that OP2 has not written can be read, too, as h5py and others write them: the attributes
 * may be missing, and those that are there must not contradict the dataset. The text of `type` may
 * have any of HDF5's forms. A set and the entries of a map may be integers of any type. A row of a
 * dat or a map, and constants, may have any number of dimensions: [n][3][3] is a dat of dim 9.
 * Values of dats and constants are not converted: the type that is asked for is that of the file.
 * op2_file_shape() reports what a dataset holds.
 *
 * A file that is written has the name NAME.op2-part until op2_file_close(), which makes sure that
 * all of it is on the disk and then gives it its own name, in one step. Until then a former file of
 * that name stays what it was, even if something fails or a program is killed; after a failure it
 * stays, and the part is removed. A part that a killed program has left is replaced when NAME is
 * next written. So the folder has to be writable, and needs space for both files. The new file has
 * the permissions of the former one. Symbolic links stay and lead to it, also those that led to no
 * file yet. Two programs must not write one file at a time: the first that closes it gets an error.
 *
 * With several ranks (op2/mpi.h), one file is read and written by all of them at once; every call
 * here is then collective: all ranks make it, in the same order, for the same names. An error on
 * one rank is an error on all, and its message names the rank. Sets that are read are blocks, of
 * equal sizes but for one element, and op2_partition() moves them. MPI-IO is not used: each rank
 * has to see the file under the path that it gives, in a file system where processes can write to
 * parts of one file, as those of clusters can; on NFS ranks lock what they write. HDF5 may be built
 * without MPI, or with the MPI of the ranks.
 *
 * Messages name the file, what was to be read, and what is wrong with it, with HDF5's own words if
 * it has some; HDF5 itself prints nothing. Wrong values in a damaged file cannot be detected if
 * they are valid values, and a file that was made to mislead HDF5 itself may do so: do not read
 * files from sources that you do not trust. */

typedef struct op2_file_s *op2_file; /**< an open file */

/** How a file is opened. */
typedef enum op2_file_mode {
  OP2_FILE_READ = 1, /**< read it */
  OP2_FILE_CREATE,   /**< write a new one, which replaces a former one when it is closed */
  OP2_FILE_ADD       /**< read a file that is there and write more into a copy of it, which replaces
                      * it when it is closed: what is large and does not change is better kept in a
                      * file of its own */
} op2_file_mode;

/** @brief Open a file, or create it.
 * @memory path is copied; a relative one starts at the present working directory. The file keeps
 *         the context's memory until it is closed with op2_file_close(), which has to come before
 *         op2_finalize() and MPI_Finalize. Copies of the handle are of no use after that. A program
 *         that ends without closing a file leaves its part behind
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors OP2_ERR_ARG (null, an unknown mode), OP2_ERR_STATE (no context), OP2_ERR_IO (no such
 *         file, no HDF5 file, a truncated one, no right to it or to its folder, ranks that see no
 *         file or another one), OP2_ERR_UNAVAILABLE (libop2-hdf5 and libop2 of different builds, an
 *         HDF5 with another MPI than the ranks), OP2_ERR_NOMEM; on error *file is untouched
 * @source OP2 op_decl_*_hdf5 (file names) */
OP2_API OP2_NODISCARD op2_status op2_file_open(op2_context ctx, const char *path,
                                               op2_file_mode mode, op2_file *file);

/** @brief Close a file and null the handle, whatever is returned. With OP2_SUCCESS what was written
 * is on the disk under the file's name; with any other status the former file is unchanged.
 * @memory gives up the file's; a null handle is a no-op
 * @sync   runs nothing; waits until the disk has what was written
 * @mpi    collective
 * @errors OP2_ERR_IO (this call or one before it could not write; the file is not kept),
 *         OP2_ERR_STATE (the context has ended: what was written is not kept), OP2_ERR_ARG (no
 *         file)
 * @source OP2 */
OP2_API OP2_NODISCARD op2_status op2_file_close(op2_file *file);

/* ---- reading --------------------------------------------------------------------------------- */

/** @brief Declare the set that has this name in a file; with several ranks, this rank's block of
 * it. The dataset is one integer, the size; for others see op2_file_shape().
 * @units  elements                        @memory the set is the caller's
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (the context has ended),
 *         OP2_ERR_IO (not in the file, or not readable), OP2_ERR_TYPE, OP2_ERR_RANGE (a size below
 *         0, or more elements than a set can have), OP2_ERR_NOMEM; on error *set is untouched
 * @source OP2 op_decl_set_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_read_set(op2_file file, const char *name, op2_set *set);

/** @brief Declare the map that has this name in a file, as op2_map_create_global() does.
 * @units  elements                        @memory the map is the caller's
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors as op2_file_read_set(); OP2_ERR_MISMATCH (another size, dim or type than the sets and
 *         arity ask for, attributes that contradict), OP2_ERR_RANGE (row, column and
 *         value of an entry that is no element)
 * @source OP2 op_decl_map_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_read_map(op2_file file, op2_set from, op2_set to,
                                                   int arity, const char *name, op2_map *map);

/** @brief Declare the map that has this name in a file, and whose entries lead nowhere where they
 * are -1, as op2_map_create_partial() does. op2_file_write_map() writes such maps so.
 * @units  elements                        @memory the map is the caller's
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors as op2_file_read_map()          @source op2 */
OP2_API OP2_NODISCARD op2_status op2_file_read_map_partial(op2_file file, op2_set from, op2_set to,
                                                           int arity, const char *name,
                                                           op2_map *map);

/** @brief Declare the dat that has this name in a file, with its values. The set may have been
 * partitioned and renumbered.
 * @units  values of `type`                @memory the dat is the caller's
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors as op2_file_read_map()          @source OP2 op_decl_dat_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_read_dat(op2_file file, op2_set set, int dim,
                                                   op2_type type, const char *name, op2_dat *dat);

/** @brief Read the values of constants, or of anything else that is kept without a set: for
 * op2_const_create() and op2_gbl_create().
 * @shape  values[dim]                     @units  values of `type`
 * @memory values is the caller's, untouched on error
 * @sync   runs nothing; waits for the file system
 * @mpi    collective: the same values on every rank
 * @errors as op2_file_read_map()          @source OP2 op_get_const_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_read_const(op2_file file, int dim, op2_type type,
                                                     const char *name, void *values);

/** @brief Read rows of a map or a dat as they are in the file, for the caller's own use.
 * @shape  rows[n][dim]; any range within the dataset on each rank, empty ones too
 * @units  values of `type`                @memory rows is the caller's
 * @sync   runs nothing; waits for the file system
 * @mpi    collective; each rank may ask for others
 * @errors as op2_file_read_map(); OP2_ERR_RANGE (rows that are not there)
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_file_read_rows(op2_file file, const char *name, int64_t first,
                                                    int64_t n, int dim, op2_type type, void *rows);

/** @brief Get the rows, values in a row and type of a dataset, as of files that were not made for
 * OP2: for op2_set_create() if a file holds no sets, and for programs that do not know the shape. A
 * single value is one row of one.
 * @shape  dataset [rows][columns], all dimensions but the first taken together
 * @units  rows; values                    @memory outputs are the caller's, untouched on error
 * @sync   runs nothing; waits for the file system
 * @mpi    collective: the same on every rank
 * @errors as op2_file_read_set(); OP2_ERR_TYPE (values that op2 has no type for)
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_file_shape(op2_file file, const char *name, int64_t *rows,
                                                int *columns, op2_type *type);

/** @brief Find out if a file has a dataset of this name.
 * @memory *has is the caller's, untouched on error
 * @sync   runs nothing; waits for the file system
 * @mpi    collective: the same on every rank
 * @errors OP2_ERR_ARG, OP2_ERR_NAME, OP2_ERR_STATE (the context has ended), OP2_ERR_IO (ranks that
 *         see different files)
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_file_has(op2_file file, const char *name, bool *has);

/** @brief Declare a set with an element for each row of a dataset, for files that hold maps and
 * dats but no sets; with several ranks, this rank's block of it.
 * @units  elements                        @memory the set is the caller's
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors as op2_file_shape() and op2_file_read_set(); on error *set is untouched
 * @source OP2 op_decl_set_hdf5_infer_size */
OP2_API OP2_NODISCARD op2_status op2_file_read_set_rows(op2_file file, const char *dataset,
                                                        const char *name, op2_set *set);

/** @brief Read all that op2_file_dump() has written but for matrices: sets, those of
 * op2_set_create_single(), subsets, maps, dats, globals and constants, as objects of their names. They are in this order, and in each kind in the
 * order in which they were declared once.
 * @shape  (*objects)[*n]                  @units  objects
 * @memory the list is the file's, until this is called again or the file is closed; the objects in
 *         it are the caller's, to be destroyed as if it had declared them
 * @sync   runs nothing; waits for the file system
 * @mpi    collective; sets are blocks, as those of op2_file_read_set(), on any number of ranks
 * @errors as op2_file_read_map(); OP2_ERR_IO also for a file without the text `op2_contents`, or
 *         where that does not fit the file; OP2_ERR_RANGE also for a set of op2_set_create_single()
 *         whose size is not 1; OP2_ERR_NAME (a constant of that name exists). On error
 *         nothing is declared, and the outputs are untouched
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_file_read_all(op2_file file, int64_t *n,
                                                   const op2_object **objects);

/** @brief Read the sparsities and matrices that op2_file_dump() has written, after
 * op2_file_read_all() has read the maps from this open file. Sparsities need maps whose targets are
 * on this rank: with several ranks op2_partition() comes before. They are made from their pairs of
 * maps, as they were once, so that loops can add to the matrices.
 * @shape  (*objects)[*n], sparsities before matrices
 * @units  objects
 * @memory as op2_file_read_all(); a rank's share of the largest matrix, for the time of the call
 * @sync   runs nothing; waits for the file system
 * @mpi    collective; any number of ranks, and any owners of rows
 * @errors as op2_file_read_all() and op2_sparsity_create(); OP2_ERR_STATE (op2_file_read_all() has
 *         not been called, or one of its maps was destroyed), OP2_ERR_RANGE (a row or column that
 *         there is not, rows that do not cover all nonzeros in order, or a nonzero that the maps do
 *         not lead to). On error nothing is declared, and the outputs are untouched
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_file_read_matrices(op2_file file, int64_t *n,
                                                        const op2_object **objects);

/* ---- writing --------------------------------------------------------------------------------- */

/** @brief Write the size of a set.
 * @units  elements
 * @memory name is the name in the file; null: the object's own, here and in all calls below
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors OP2_ERR_ARG (null, a subset), OP2_ERR_STATE (the context has ended, or the file is open
 *         for reading), OP2_ERR_NAME (the name is taken, or none), OP2_ERR_MISMATCH (another
 *         context), OP2_ERR_IO (also after a write that failed so, since the file will not be
 *         kept), OP2_ERR_NOMEM
 * @source OP2 op_dump_to_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_write_set(op2_file file, op2_set set, const char *name);

/** @brief Write a map, by global numbers; entries that lead nowhere are -1, and those to a set of
 * op2_set_create_single() are 0.
 * @units  elements
 * @memory 8 bytes for each entry of a rank's share, for the time of the call
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors as op2_file_write_set(); OP2_ERR_MISMATCH also for a map without values; OP2_ERR_NOMEM
 * @source OP2 op_dump_to_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_write_map(op2_file file, op2_map map, const char *name);

/** @brief Write the values of a dat.
 * @units  values of the dat's type
 * @memory a rank's share of them, for the time of the call
 * @sync   as op2_dat_get(), and waits for the file system
 * @mpi    collective
 * @errors as op2_file_write_map(), or the execution failure that poisoned the dat
 * @source OP2 op_fetch_data_hdf5_file, op_dump_to_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_write_dat(op2_file file, op2_dat dat, const char *name);

/** @brief Write the values of a dat, over those that the file has under this name if it has any:
 * for a state that is kept again and again (::OP2_FILE_ADD). What is there has the dat's rows, dim
 * and type, in native byte order, and is neither in chunks nor compressed, as op2 and OP2 write it.
 * Like all that is written, the new values take effect when the file is closed.
 * @units  values of the dat's type
 * @memory a rank's share of them, for the time of the call
 * @sync   as op2_dat_get(), and waits for the file system
 * @mpi    collective
 * @errors as op2_file_write_dat(), without OP2_ERR_NAME for a name that is taken;
 *         OP2_ERR_MISMATCH, OP2_ERR_TYPE (another shape or type), OP2_ERR_UNAVAILABLE (chunks,
 *         compression, byte order)
 * @source OP2 op_fetch_data_hdf5_file */
OP2_API OP2_NODISCARD op2_status op2_file_update_dat(op2_file file, op2_dat dat, const char *name);

/** @brief Write the values of constants.
 * @shape  values[dim]                     @units  values of `type`
 * @memory values is the caller's, and the same on every rank
 * @sync   runs nothing; waits for the file system
 * @mpi    collective
 * @errors as op2_file_write_set(); OP2_ERR_TYPE
 * @source OP2 op_write_const_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_write_const(op2_file file, int dim, op2_type type,
                                                      const char *name, const void *values);

/** @brief Write a file of all sets, subsets, maps, dats, globals, constants, sparsities and
 * matrices of a context, under their names: for op2_file_read_all() and op2_file_read_matrices(),
 * or for programs that know the names. A text `op2_contents` says what each is and which others
 * belong to it. What these objects use is written even if its handle was destroyed: the set of a
 * dat, the sparsity of a matrix, and the maps of that. Maps without values (but for those to sets of
 * op2_set_create_single(), which need none), components, kernels, operators and solvers are left
 * out. A sparsity and its matrices may have one name, and so may matrices of two sparsities; any
 * other two objects need names of their own. The file does not depend on who owned what; read and
 * written again it is the same, byte for byte.
 * @memory a rank's share of the largest object, for the time of the call
 * @sync   runs what is queued and modifies any of it
 * @mpi    collective
 * @errors as op2_file_open(), op2_file_write_map() and op2_file_close(); OP2_ERR_NAME also for two
 *         objects of one name, for a matrix called `starts` or `columns`, and for a name with a tab
 *         or the end of a line in it. On error a former file stays what it was
 * @source OP2 op_dump_to_hdf5 */
OP2_API OP2_NODISCARD op2_status op2_file_dump(op2_context ctx, const char *path);

#ifdef __cplusplus
}
#endif
#endif
