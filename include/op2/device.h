/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_DEVICE_H
#define OP2_DEVICE_H

/** @file device.h
 * The places of values, in contexts whose loops run on a device.
 *
 * Values live in two places, the host and the context's device, and the program need not move them:
 * a loop or an access that needs values where they are out of date copies them, at that moment and
 * not before, and an access that overwrites all of them copies nothing. These functions report the
 * resulting state.
 *
 *     before               a loop reads       a loop writes      the host reads   the host writes
 *     DEVICE_UNALLOCATED   BOTH               DEVICE             as it was        as it was
 *     HOST_UNALLOCATED     HOST_UNALLOCATED   HOST_UNALLOCATED   BOTH             HOST
 *     DEVICE               DEVICE             DEVICE             BOTH             HOST
 *     HOST                 BOTH               DEVICE             HOST             HOST
 *     BOTH                 BOTH               DEVICE             BOTH             HOST
 *     SPLIT                DEVICE             DEVICE             HOST             HOST
 *
 * A dat without values is HOST_UNALLOCATED once a loop has used it on the device. Constants and
 * ::op2_arg_val values belong to the host and are sent with each launch. On contexts without a
 * device everything is DEVICE_UNALLOCATED. */

#include "op2/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The place of the values of a dat or global. */
typedef enum op2_data_state {
  OP2_STATE_DEVICE_UNALLOCATED, /**< on the host, or nowhere: then they are zero */
  OP2_STATE_HOST_UNALLOCATED,   /**< on the device only; the host has no memory for them */
  OP2_STATE_DEVICE,             /**< on the device; what the host has is out of date */
  OP2_STATE_HOST,               /**< on the host; what the device has is out of date */
  OP2_STATE_BOTH,               /**< in both places */
  OP2_STATE_SPLIT /**< some on the host, the others on the device: a loop last ran on both at once,
                     and each has the rows of its part */
} op2_data_state;

/** The memory in which values are, and the processor that a loop runs on. */
typedef enum op2_place {
  OP2_PLACE_HOST,  /**< the program's memory, and the processor */
  OP2_PLACE_DEVICE /**< the device's own, where it has one, and the device */
} op2_place;

/** Transfers between the host and the context's device, and launches, since the context began. */
typedef struct op2_device_stats {
  int64_t puts;        /**< transfers from the host to the device: of dats, maps, globals, tables of
                             loops, constants */
  int64_t put_bytes;   /**< bytes in these */
  int64_t gets;        /**< transfers from the device to the host */
  int64_t get_bytes;   /**< bytes in these */
  int64_t launches;    /**< launches of functions on the device; a loop takes one or several */
  int64_t host_loops;  /**< runs of loops on the host that the device could not do or had no memory
                             for; op2_explain() reports why. Fused loops count as one */
  int64_t memory;      /**< bytes that the library uses on the device now, without what it keeps
                             for reuse */
  int64_t most_memory; /**< the largest value of that so far */
  int64_t reserved[8]; /**< 0: room for later versions */
} op2_device_stats;

/** @brief Get the place of a dat's values now.
 * Queued loops may change it when they run; after op2_flush() they have done so. With several ranks
 * it is the place of the rows that this rank owns.
 * @memory *state is the caller's          @sync   never blocks, runs nothing
 * @mpi    not collective: of this rank    @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_state(op2_dat dat, op2_data_state *state);

/** @brief Get the place of a global's value now, as op2_dat_state(). op2_gbl_set() makes a new
 * value, which is DEVICE_UNALLOCATED.
 * @memory *state is the caller's          @sync   never blocks, runs nothing
 * @mpi    not collective: of this rank    @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_gbl_state(op2_gbl gbl, op2_data_state *state);

/** @brief Copy the values of a dat to a place before they are needed there.
 * Values that are up to date there are left alone; otherwise the dat is BOTH afterwards, or
 * HOST_UNALLOCATED if it had no values. Without a device, OP2_PLACE_DEVICE only runs the loops that
 * write the dat. No program needs this function; it moves a transfer out of a section that is
 * timed.
 * @memory keeps nothing                   @sync   forces the dat's writer and what that depends on
 * @mpi    collective
 * @errors OP2_ERR_ARG (also for an unknown place), OP2_ERR_STATE, OP2_ERR_NOMEM (on the device,
 *         too: then the values are where they were), or the failure of the dat's writer
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_to(op2_dat dat, op2_place place);

/** @brief Get counts of transfers and of launches on the device, and the memory in use there.
 * @units  bytes                           @memory *stats is the caller's
 * @sync   never blocks, runs nothing
 * @mpi    not collective: of this rank; all zero on contexts without a device
 * @errors OP2_ERR_STATE, OP2_ERR_ARG      @source op2 */
OP2_API OP2_NODISCARD op2_status op2_device_stats_get(op2_context ctx, op2_device_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
