/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TYPES_H
#define OP2_TYPES_H

#include <stdint.h>

/** @file types.h
 * Handles, element types and access modes.
 *
 * A handle is an opaque pointer. Creating functions write it last and only on success; the matching
 * `op2_*_destroy` takes the handle's address, accepts a null handle, never fails and never blocks,
 * and leaves the handle null. Objects are reference-counted: queued loops keep what they use, so
 * destroying a dat with work pending is safe, and the order in which objects are destroyed does not
 * matter.
 *
 * Handles may be copied; the copies stand for one object, which goes when one of them is destroyed
 * or finalized. Using a copy after that returns an error (OP2_ERR_ARG, or OP2_ERR_STATE for a
 * context), and destroying it again only prints a warning on stderr. This holds until 4096 more
 * objects, or contexts, have been destroyed: after that the memory may be another object's.
 *
 * A context and everything made from it is used by one thread at a time. Different contexts are
 * independent. */

#if defined(_WIN32)
#error "op2 needs a POSIX system"
#endif
/** Marks what the library exports. */
#define OP2_API __attribute__((visibility("default")))
/** Marks functions whose status compilers warn of where a program ignores it. */
#define OP2_NODISCARD __attribute__((warn_unused_result))

typedef struct op2_context_s *op2_context;   /**< what everything else is made from */
typedef struct op2_set_s *op2_set;           /**< a set of mesh elements, or a subset of one */
typedef struct op2_map_s *op2_map;           /**< for each element of a set, arity of another */
typedef struct op2_dat_s *op2_dat;           /**< dim values for every element of a set */
typedef struct op2_gbl_s *op2_gbl;           /**< dim values of no set: parameters, reductions */
typedef struct op2_const_s *op2_const;       /**< values that kernels see under their own name */
typedef struct op2_kernel_s *op2_kernel;     /**< the function applied to every element */
typedef struct op2_loop_s *op2_loop;         /**< a ParLoop: kernel, set and arguments */
typedef struct op2_sparsity_s *op2_sparsity; /**< where matrices may have values other than zero */
typedef struct op2_mat_s *op2_mat;           /**< a sparse matrix */
typedef struct op2_solver_s *op2_solver;     /**< a solver for systems of equations */
typedef struct op2_operator_s *op2_operator; /**< a matrix that is given by loops */

/** Scalar types of dats, globals, constants and values. */
typedef enum op2_type {
  OP2_F64 = 1, /**< double */
  OP2_F32,     /**< float */
  OP2_I8,      /**< int8_t */
  OP2_I16,     /**< int16_t */
  OP2_I32,     /**< int32_t */
  OP2_I64,     /**< int64_t */
  OP2_U8,      /**< uint8_t */
  OP2_U16,     /**< uint16_t */
  OP2_U32,     /**< uint32_t */
  OP2_U64      /**< uint64_t */
} op2_type;

/** How a kernel uses an argument. The library relies on these modes: a kernel that violates them is
 * caught by the checked mode (`OP2_BACKEND=check`) and gives undefined values elsewhere. An OP2_INC
 * argument does not hold the data but a private sum, so a kernel that reads it back computes
 * something else than its text says; nor may MIN and MAX values be read, except to compare them
 * with the values that they are combined with. */
typedef enum op2_access {
  OP2_READ = 1, /**< only read */
  OP2_WRITE,    /**< every component is overwritten and none is read before that */
  OP2_RW,  /**< read and written; targets shared by several elements are updated in element order,
              and loops in which elements share none are faster */
  OP2_INC, /**< the kernel adds to a private copy that starts at zero; the library adds that to the
              data. The zero of floating types is -0.0, so that adding nothing changes nothing */
  OP2_MIN, /**< the kernel lowers a private copy, one for each element; the data takes it where it
              is less. In floating types it is taken as well where the data is NaN, never where it
              is NaN itself, and a zero that is taken is +0.0: so what is found does not depend on
              the order */
  OP2_MAX  /**< the kernel raises a private copy; the data takes it where it is greater, as with
              OP2_MIN */
} op2_access;

#endif
