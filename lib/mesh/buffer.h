/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BUFFER_H
#define OP2I_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "object.h"
#include "op2/context.h"
#include "op2/device.h"
#include "op2/loop.h"

/* A buffer is the values of one object - a dat, a version of a global, the entries of a map, the
 * elements of a subset - and knows in which places they are. Whoever works on values in a place
 * asks for them there, each time anew: what is out of date is brought first, and what becomes out
 * of date elsewhere is noted. Pointers to values are not kept, but for as long as the context's
 * epoch stays what it was after they were asked for. */

/* Kinds of memory that loops can work in. */
enum op2i_place {
  OP2I_HOST,
  OP2I_SHADOW, /* for tests: that of a device in the host's memory */
  OP2I_DEVICE, /* that of the context's: its pointers are handles (device.h) */
  OP2I_NPLACES
};

/* Which rows: a set's owned elements come first. Buffers of other objects have no halo. */
enum { OP2I_OWNED_ROWS = 1, OP2I_HALO_ROWS = 2, OP2I_EVERY_ROW = 3 };

struct op2i_buffer {
  op2_context ctx;
  size_t bytes, owned_bytes;         /* in all; of the owned rows */
  void *at[OP2I_NPLACES];            /* null: no memory there; in none: all values are zero */
  unsigned char fresh[OP2I_NPLACES]; /* the rows whose values are there */
  /* Of owned rows that are not fresh as a whole, how many bytes are: leading ones in the host's places,
   * trailing ones on the device. */
  size_t part[OP2I_NPLACES];
  signed char only;                  /* the one place with memory, all rows fresh; -1: not so */
  bool borrowed;                     /* the host's memory is somebody else's */
  bool told;                         /* the epoch tells of changes */
  /* While it has memory on the device, and is told: among the buffers there. */
  struct op2i_link there;
  int64_t asked; /* the epoch in which it was last asked for there, */
  int64_t round; /* and the device's, when it was last said to be needed there */
};

/* Without memory. Buffers that are asked for at each run whatever the epoch need not tell it. */
void op2i_buffer_init(struct op2i_buffer *buffer, op2_context ctx, size_t bytes, size_t owned_bytes,
                      bool told);
/* The values are those in this memory of the host's from now on; what was elsewhere is freed.
 * Borrowed memory outlives the buffer, other comes from op2i_alloc_raw() or op2i_alloc_data(). */
void op2i_buffer_replace(struct op2i_buffer *buffer, void *host, bool borrowed);
void op2i_buffer_free(struct op2i_buffer *buffer);

op2_status op2i_buffer_move(struct op2i_buffer *buffer, enum op2i_place place, op2_access access,
                            unsigned rows, void **data);
/* The memory of all rows in a place, for an access to some of them: OP2_READ, OP2_WRITE (each of
 * them is overwritten as a whole, and may hold anything before) or OP2_RW. Fails without memory;
 * then nothing has changed. */
static inline op2_status op2i_buffer_at(struct op2i_buffer *buffer, enum op2i_place place,
                                        op2_access access, unsigned rows, void **data) {
  if (buffer->only != (signed char)place)
    return op2i_buffer_move(buffer, place, access, rows, data);
  *data = buffer->at[place];
  return OP2_SUCCESS;
}

/* The state of its owned rows, or those of the halo (one of both), as op2_dat_state() tells it; the
 * shadow counts as a device. */
op2_data_state op2i_buffer_state(const struct op2i_buffer *buffer, unsigned rows);

/* The device's memory is full: of the buffers that are not needed there in its present round, and are not
 * asked for at each run, the one goes that was asked for longest ago, those first whose values are elsewhere
 * as well; what is there alone comes to the host before. False: there is none. */
bool op2i_buffers_give_way(op2_context ctx);
/* ---- for steps that run together in several places ------------------------------------------- */

/* Copies that an access in a place waits for: which bytes come from where. */
enum { OP2I_SOURCES = 3 };
struct op2i_missing {
  int n;
  struct op2i_source {
    enum op2i_place from;
    size_t first, bytes;
  } sources[OP2I_SOURCES];
};
/* Memory in the place, whatever it holds, or, where it is new, zeros. */
op2_status op2i_buffer_room(struct op2i_buffer *buffer, enum op2i_place place, bool clear);
/* As op2i_buffer_at(), but what is missing is only told: it is brought later, by op2i_buffer_bring(), in
 * the order in which it was asked for. There is memory in the place. */
void *op2i_buffer_expect(struct op2i_buffer *buffer, enum op2i_place place, op2_access access,
                         unsigned rows, struct op2i_missing *missing);
/* The same for two that run together: one reads so many leading bytes in a place of the host's, the other so
 * many trailing ones on the device. No row is of a halo. */
void op2i_buffer_expect_part(struct op2i_buffer *buffer, enum op2i_place place, size_t bytes,
                             struct op2i_missing *missing);
/* And they modify all rows: the leading bytes are in the host's place from then on, the trailing ones on
 * the device. */
void op2i_buffer_split(struct op2i_buffer *buffer, enum op2i_place host, size_t leading,
                       size_t trailing);
op2_status op2i_buffer_bring(const struct op2i_buffer *buffer, enum op2i_place to,
                             const struct op2i_source *source);
/* Bytes of owned rows that are fresh in the place, leading ones or trailing ones. */
static inline size_t op2i_buffer_part(const struct op2i_buffer *buffer, enum op2i_place place) {
  return buffer->fresh[place] & OP2I_OWNED_ROWS ? buffer->owned_bytes : buffer->part[place];
}

static inline bool op2i_buffer_has_memory(const struct op2i_buffer *buffer) {
  bool has = false;
  for (int p = 0; p < OP2I_NPLACES; p++) has |= buffer->at[p] != NULL;
  return has;
}

#endif
