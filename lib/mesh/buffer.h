/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BUFFER_H
#define OP2I_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "object.h"
#include "op2/context.h"
#include "op2/device.h"
#include "op2/loop.h"

/* A buffer holds the values of one object (a dat, a version of a global, the entries of a map or
 * the elements of a subset) and records which places have them. Code that works on values in a
 * place requests them there each time: rows that are out of date are copied first, and rows that
 * become out of date elsewhere are marked. Pointers to values are kept only as long as the
 * context's epoch stays what it was after the request. */

/* Kinds of memory that loops can work in. */
enum op2i_place {
  OP2I_HOST,
  OP2I_SHADOW, /* for tests: stands for device memory, but is host memory */
  OP2I_DEVICE, /* memory of the context's device; pointers are handles (device.h) */
  OP2I_NPLACES
};

/* Groups of rows, as bits. A set's owned elements come first. Buffers of other objects have no
 * halo. */
enum { OP2I_OWNED_ROWS = 1, OP2I_HALO_ROWS = 2, OP2I_EVERY_ROW = 3 };

struct op2i_buffer {
  op2_context ctx;
  size_t bytes, owned_bytes; /* of all rows; of the owned rows */
  /* Null: there is no memory there; if all are null, all values are zero. */
  void *at[OP2I_NPLACES];
  unsigned char fresh[OP2I_NPLACES]; /* groups of rows whose values are up to date there */
  /* Bytes of owned rows that are fresh where not all of them are: leading bytes in places of the
   * host, trailing bytes on the device. */
  size_t part[OP2I_NPLACES];
  /* The only place with memory, if all rows are fresh there; else -1. */
  signed char only;
  bool borrowed; /* the host memory is not the buffer's to free */
  /* Host memory that is used when some is needed there. It holds values of no meaning. */
  void *spare;
  bool advances_epoch; /* changes of state advance the context's epoch */
  /* Link in the device's list of buffers, while this one has memory there and
   * `advances_epoch` is set. */
  struct op2i_link there;
  int64_t asked; /* epoch of the last request on the device */
  int64_t round; /* the device's eviction epoch when it was last marked as needed there */
};

/* Set up a buffer without memory. Buffers that are requested at each run, whatever the epoch, need
 * not advance it: advances_epoch = false. */
void op2i_buffer_init(struct op2i_buffer *buffer, op2_context ctx, size_t bytes, size_t owned_bytes,
                      bool advances_epoch);
/* Replace all values by those in this host memory, and free memory elsewhere. Borrowed memory
 * outlives the buffer; other memory comes from op2i_alloc_raw() or op2i_alloc_data(). */
void op2i_buffer_replace(struct op2i_buffer *buffer, void *host, bool borrowed);
void op2i_buffer_free(struct op2i_buffer *buffer);
/* Give all values up: the buffer is as after op2i_buffer_init(), but keeps its host memory as
 * spare. */
void op2i_buffer_retire(struct op2i_buffer *buffer);
void op2i_buffer_free_spare(struct op2i_buffer *buffer);
/* Take over the spare memory of a buffer of the same size. */
void op2i_buffer_take_spare(struct op2i_buffer *buffer, struct op2i_buffer *from);

op2_status op2i_buffer_move(struct op2i_buffer *buffer, enum op2i_place place, op2_access access,
                            unsigned rows, void **data);
/* Get the memory of all rows in a place, for an access to some of them: OP2_READ, OP2_WRITE (each
 * of these rows is overwritten as a whole, and may hold anything before) or OP2_RW. Fails if there
 * is no memory; then nothing has changed. */
static inline op2_status op2i_buffer_at(struct op2i_buffer *buffer, enum op2i_place place,
                                        op2_access access, unsigned rows, void **data) {
  if (buffer->only != (signed char)place)
    return op2i_buffer_move(buffer, place, access, rows, data);
  *data = buffer->at[place];
  return OP2_SUCCESS;
}

/* The state of the owned rows, or of the halo (one of the two), as op2_dat_state() reports it. The
 * shadow counts as a device. */
op2_data_state op2i_buffer_state(const struct op2i_buffer *buffer, unsigned rows);

/* Called when the device's memory is full: evict one buffer from it. Buffers that are marked as
 * needed in the present eviction epoch, or that are requested at each run, stay. Buffers whose
 * values are elsewhere as well go first, then those that were requested longest ago; values that
 * only the device has are copied to the host first. False if no buffer could be evicted. */
bool op2i_buffers_evict(op2_context ctx);
/* ---- for steps that run together on host and device ------------------------------------------ */

/* Copies that an access in a place waits for: the place and the bytes that each comes from. */
enum { OP2I_SOURCES = 3 };
struct op2i_missing {
  int n;
  struct op2i_source {
    enum op2i_place from;
    size_t first, bytes;
  } sources[OP2I_SOURCES];
};
/* Make sure that there is memory in the place, whatever it holds. New memory is zeroed if
 * `clear`. */
op2_status op2i_buffer_room(struct op2i_buffer *buffer, enum op2i_place place, bool clear);
/* As op2i_buffer_at(), but missing rows are only listed: op2i_buffer_bring() copies them later, in
 * the order of the requests. The place has memory already. */
void *op2i_buffer_expect(struct op2i_buffer *buffer, enum op2i_place place, op2_access access,
                         unsigned rows, struct op2i_missing *missing);
/* The same for two parts that run together: one reads `bytes` leading bytes in a place of the host,
 * the other `bytes` trailing bytes on the device. The rows have no halo. */
void op2i_buffer_expect_part(struct op2i_buffer *buffer, enum op2i_place place, size_t bytes,
                             struct op2i_missing *missing);
/* Record that these two parts modify all rows: from then on the leading bytes are in the host's
 * place, the trailing bytes on the device. */
void op2i_buffer_split(struct op2i_buffer *buffer, enum op2i_place host, size_t leading,
                       size_t trailing);
op2_status op2i_buffer_bring(const struct op2i_buffer *buffer, enum op2i_place to,
                             const struct op2i_source *source);
/* Number of bytes of owned rows that are fresh in the place: leading bytes on the host, trailing
 * bytes on the device. */
static inline size_t op2i_buffer_part(const struct op2i_buffer *buffer, enum op2i_place place) {
  return buffer->fresh[place] & OP2I_OWNED_ROWS ? buffer->owned_bytes : buffer->part[place];
}

static inline bool op2i_buffer_has_memory(const struct op2i_buffer *buffer) {
  bool has = false;
  for (int p = 0; p < OP2I_NPLACES; p++) has |= buffer->at[p] != NULL;
  return has;
}

#endif
