/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_DEVICE_H
#define OP2_DEVICE_H

/** @file device.h
 * Where values are, on contexts whose loops run on a device.
 *
 * Values live in two places, the host and the context's device, and nobody has to move them: a loop or
 * an access that needs values where they are out of date brings them, at that moment and not before,
 * and what overwrites all of them brings nothing. These functions tell what has come of it.
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
 * ::op2_arg_val values are the host's, and go along with each launch. On contexts without a device
 * everything is DEVICE_UNALLOCATED. */

#include "op2/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where the values of a dat or global are. */
typedef enum op2_data_state {
  OP2_STATE_DEVICE_UNALLOCATED, /**< on the host, or nowhere: then they are zero */
  OP2_STATE_HOST_UNALLOCATED,   /**< on the device, which has them first */
  OP2_STATE_DEVICE,             /**< on the device; what the host has is out of date */
  OP2_STATE_HOST,               /**< on the host; what the device has is out of date */
  OP2_STATE_BOTH,               /**< in both places */
  OP2_STATE_SPLIT /**< some on the host, the others on the device: where a loop last ran
                                     on both at once, each has the rows of its part */
} op2_data_state;

/** Places for values. */
typedef enum op2_place { OP2_PLACE_HOST, OP2_PLACE_DEVICE } op2_place;

/** What has passed between the host and the context's device since the context began. */
typedef struct op2_device_stats {
  int64_t puts;       /**< transfers from the host to the device: of dats, maps, globals, tables of
                             loops, constants */
  int64_t put_bytes;  /**< in these */
  int64_t gets;       /**< transfers from the device to the host */
  int64_t get_bytes;  /**< in these */
  int64_t launches;   /**< of functions on the device; a loop takes one or several */
  int64_t host_loops; /**< runs of loops on the host, which the device would not do or had no memory
                             for; op2_explain() tells why. Fused loops count as one */
  int64_t memory;     /**< bytes that the library has on the device now */
  int64_t most_memory; /**< the same, at the most so far */
  int64_t reserved[8]; /**< 0: room for later versions */
} op2_device_stats;

/** @brief Where the values of a dat are now.
 * Loops that are queued may change that when they run: after op2_flush() it is what they left. Over
 * ranks the rows are meant that this rank owns.
 * @memory *state is the caller's          @sync   never blocks, runs nothing
 * @mpi    not collective: of this rank    @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_state(op2_dat dat, op2_data_state *state);

/** @brief Where the value of a global is now, as op2_dat_state(). op2_gbl_set() makes a new value, which
 * is DEVICE_UNALLOCATED.
 * @memory *state is the caller's          @sync   never blocks, runs nothing
 * @mpi    not collective: of this rank    @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_gbl_state(op2_gbl gbl, op2_data_state *state);

/** @brief Have the values of a dat in a place as well, before somebody needs them there.
 * What is up to date there is left alone, otherwise the dat is BOTH afterwards, or HOST_UNALLOCATED
 * where it had no values. Without a device nothing is done for the other place but to run what writes
 * the dat. No program needs this; it moves a transfer out of what is timed.
 * @memory keeps nothing                   @sync   forces the dat's writer and what that depends on
 * @mpi    collective
 * @errors OP2_ERR_ARG (also for a place that there is not), OP2_ERR_STATE, OP2_ERR_NOMEM (on the device,
 *         too: then the values are where they were), or the failure of the dat's writer
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_to(op2_dat dat, op2_place place);

/** @brief What has moved between the host and the device, what ran there, and what memory that takes.
 * @units  bytes                           @memory *stats is the caller's
 * @sync   never blocks, runs nothing
 * @mpi    not collective: of this rank; all zero on contexts without a device
 * @errors OP2_ERR_STATE, OP2_ERR_ARG      @source op2 */
OP2_API OP2_NODISCARD op2_status op2_device_stats_get(op2_context ctx, op2_device_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
