/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_HOLD_H
#define OP2_HOLD_H

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file hold.h
 * Memory that outlives access scopes, for interfaces to languages in which nobody knows how long an
 * array is used. A scope (op2_dat_read_begin(), op2_dat_write_begin()) and a function of op2_call()
 * show the values of a dat in memory of the library, which is freed or used for something else
 * later: when the dat is destroyed, its set is renumbered or partitioned. A holder keeps that memory
 * from being freed. It does not keep the values: after the scope they are those of the dat at some
 * time, or older ones. */

/** @brief Become a holder of the memory in which an open scope, or the call that runs, shows the
 * values of a dat.
 * @shape  [set total size][dim]           @units  values of the dat's type
 * @memory until op2_memory_release() is called as often as
 *         this function has returned the memory
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: null for a null handle, a dat without memory on the host, and one of
 *         op2_dat_wrap(), whose memory is the program's
 * @source op2 */
OP2_API const void *op2_dat_hold(op2_dat dat);

/** @brief Give up memory that op2_dat_hold() has returned, and null the pointer.
 * @shape  one pointer                     @units  none: the values are not looked at
 * @memory freed when the library does not use it either and there is no other holder; null is a
 *         no-op
 * @sync   never blocks, runs nothing; any thread may call it at any time, also after the context has
 *         ended
 * @mpi    not collective                  @errors none
 * @source op2 */
OP2_API void op2_memory_release(const void **memory);

#ifdef __cplusplus
}
#endif
#endif
