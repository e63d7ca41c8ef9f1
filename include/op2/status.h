/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_STATUS_H
#define OP2_STATUS_H

#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file status.h
 * How failures are reported. Every function that can fail returns an ::op2_status; zero is success.
 * The message of a failure names the caller's own objects and is read with op2_error_message().
 *
 * There are three classes of failure:
 *
 * - **API**: the call itself was wrong (a null handle, a map between other sets, an access mode
 * that the kind of argument does not allow). Nothing was queued and no object was changed.
 * - **Execution**: a queued loop could not be compiled, a checked run caught its kernel, or a
 * function of op2_call() returned an error. The call that queued it returned success long before;
 * the failure is returned by the first synchronising call that needs the results, and names the
 * file and line that queued the loop or call. What it would have written is poisoned until it is
 * overwritten as a whole; loops and calls that would read poison are cancelled; all others run. Of
 * several failures, the one that was queued first is returned first; the rest follow, one per
 * op2_flush() or op2_finalize(), so none is lost.
 * - **Fatal** (::OP2_ERR_FATAL): the context can do no more work. Destroying objects and
 * op2_finalize() remain legal.
 *
 * With several ranks, a failure on one rank is a failure on all, in calls that all ranks make
 * together: every rank returns the same status, with the number of the lowest rank that failed and
 * its message, and the same values are poisoned and the same loops cancelled everywhere. Ranks that
 * make different calls get ::OP2_ERR_FATAL, which names the first call in which two of them differ.
 * A rank that ends, or that lacks memory to queue a loop or call, ends the contexts of all ranks:
 * these return ::OP2_ERR_FATAL where they would wait for it. */

/** The outcome of a call. */
typedef enum op2_status {
  OP2_SUCCESS = 0, /**< done, or queued */
  OP2_ERR_ARG, /**< a null handle, a negative size, an argument not made by an op2_arg_* function */
  OP2_ERR_STATE,    /**< not initialised, finalized, or an access scope is open */
  OP2_ERR_NOMEM,    /**< out of memory */
  OP2_ERR_RANGE,    /**< a map entry, slot or subset index out of range */
  OP2_ERR_MISMATCH, /**< objects that do not belong together: sets, maps, dats, contexts, extents */
  OP2_ERR_ACCESS,   /**< access mode not allowed for this kind of argument or kernel parameter */
  OP2_ERR_TYPE,     /**< kernel parameter and argument disagree in type or shape */
  OP2_ERR_ARITY,    /**< number of arguments and of kernel parameters disagree */
  OP2_ERR_NAME,     /**< a name that is taken, empty or not a C identifier */
  OP2_ERR_SYNTAX,   /**< a kernel's source has no usable function of the kernel's name */
  OP2_ERR_OPTION,   /**< an option or environment variable with a value it cannot have */
  OP2_ERR_UNAVAILABLE, /**< a backend or feature this build or machine does not offer */
  OP2_ERR_IO,          /**< a file or stream could not be written or read */
  OP2_ERR_COMPILE,     /**< execution: the generated code did not compile or load */
  OP2_ERR_KERNEL,      /**< execution: the checked mode caught a kernel or a call that breaks its
                      descriptors */
  OP2_ERR_FATAL,       /**< the context can do no more work */
  OP2_ERR_CALL,        /**< execution: a function of op2_call() returned an error */
  OP2_ERR_DIVERGED     /**< execution: a system of equations was not solved */
} op2_status;

/** @brief The name of a status code, for example "OP2_ERR_RANGE".
 * @memory the string is static            @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: an unknown code gives "OP2_ERR_?"
 * @source op2 */
OP2_API const char *op2_status_name(op2_status status);

/** @brief The text of the last failure that an op2 call returned on this thread.
 * @memory the string belongs to the library and is valid until the next op2 call on this thread
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: the empty string when nothing has failed
 * @source op2 */
OP2_API const char *op2_error_message(void);

/** A failure, described for programs that do not read messages. */
typedef struct op2_error {
  const char *message;     /**< as op2_error_message() gives it; "" when nothing has failed */
  const char *object;      /**< the name of the object that was wrong; null: not known */
  const char *file;        /**< where what failed was queued; null: not known */
  int line;                /**< in `file` */
  int argument;            /**< which argument of a loop or call was wrong, from 0; -1: none */
  op2_status status;       /**< OP2_SUCCESS when nothing has failed */
  int reserved_number;     /**< 0 */
  const void *reserved[3]; /**< null: room for later versions */
} op2_error;

/** @brief Describe the last failure that an op2 call returned on this thread: for bindings, which
 * make an exception of it. `file` is known where a loop, call or operation was refused or has failed
 * when it ran, `argument` and `object` where one was refused because of an argument. A failure of
 * another rank has a message and a status alone.
 * @memory *error is the caller's; its strings are valid until the next op2 call on this thread
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: a null pointer is left alone
 * @source op2 */
OP2_API void op2_error_get(op2_error *error);

#ifdef __cplusplus
}
#endif
#endif
