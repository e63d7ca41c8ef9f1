/* SPDX-License-Identifier: BSD-3-Clause */
/* Where values are, and moving them between places. The state of a place is which rows are fresh
 * there; every row is fresh somewhere, or there is no memory yet and all are zero. */
#include "buffer.h"

#include <string.h>

#include "access.h"
#include "context.h"
#include "device.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"

/* ---- places ---------------------------------------------------------------------------------- */

static struct op2i_device *device_at(const struct op2i_buffer *buffer, int place) {
  return place == OP2I_DEVICE ? buffer->ctx->device : buffer->ctx->shadow;
}

static op2_status device_room(const struct op2i_buffer *buffer, struct op2i_device *device,
                              bool zero, void **room) {
  op2_status status = op2i_device_alloc(device, buffer->bytes ? buffer->bytes : 1, room);
  if (status || !zero) return status;
  status = device->kind->clear(device, *room, 0, buffer->bytes);
  if (status) op2i_device_release(device, *room);
  return status;
}

static op2_status room_in(const struct op2i_buffer *buffer, int place, bool zero, void **room) {
  if (place != OP2I_HOST) return device_room(buffer, device_at(buffer, place), zero, room);
  *room = zero ? op2i_alloc_data(buffer->bytes) : op2i_alloc_raw(buffer->bytes);
  return *room ? OP2_SUCCESS : op2i_error_nomem("values");
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct stretch {
  size_t first, bytes;
};

static struct stretch stretch_of(const struct op2i_buffer *buffer, unsigned rows) {
  size_t first = rows & OP2I_OWNED_ROWS ? 0 : buffer->owned_bytes;
  size_t end = rows & OP2I_HALO_ROWS ? buffer->bytes : buffer->owned_bytes;
  return (struct stretch){first, end - first};
}

/* A NaN of either width, and integers that point nowhere. */
static void spoil(const struct op2i_buffer *buffer, int place, unsigned rows) {
  static const unsigned char pattern[8] = {0xA5, 0xA5, 0xF7, 0x7F, 0xA5, 0xA5, 0xF7, 0x7F};
  if (!buffer->ctx || !buffer->ctx->config.shadow || !buffer->at[place]) return;
  if (place == OP2I_DEVICE) return;
  struct stretch s = stretch_of(buffer, rows);
  for (size_t i = 0; i < s.bytes; i++)
    ((unsigned char *)buffer->at[place])[s.first + i] = pattern[(s.first + i) % 8];
}

/* Between the host and a device; the shadow is the host's memory to the other device. */
static op2_status fetch_from(struct op2i_buffer *buffer, int from, int to, unsigned rows) {
  struct stretch s = stretch_of(buffer, rows);
  struct op2i_device *device = device_at(buffer, from > to ? from : to);
  if (s.bytes == 0) return OP2_SUCCESS;
  if (to > from)
    return device->kind->put(device, buffer->at[to], s.first,
                             (const char *)buffer->at[from] + s.first, s.bytes);
  return device->kind->get(device, (char *)buffer->at[to] + s.first, buffer->at[from], s.first,
                           s.bytes);
}

/* ---- state ----------------------------------------------------------------------------------- */

static void changed(struct op2i_buffer *buffer) {
  buffer->only = -1;
  for (int p = 0; p < OP2I_NPLACES; p++) {
    bool other = false;
    for (int q = 0; q < OP2I_NPLACES; q++) other |= q != p && buffer->at[q];
    if (buffer->at[p] && !other && buffer->fresh[p] == OP2I_EVERY_ROW)
      buffer->only = (signed char)p;
  }
  if (buffer->told) buffer->ctx->epoch++;
}

op2_data_state op2i_buffer_state(const struct op2i_buffer *buffer, unsigned rows) {
  unsigned there = (buffer->fresh[OP2I_SHADOW] | buffer->fresh[OP2I_DEVICE]) & rows;
  if (!buffer->at[OP2I_SHADOW] && !buffer->at[OP2I_DEVICE]) return OP2_STATE_DEVICE_UNALLOCATED;
  if (!buffer->at[OP2I_HOST]) return OP2_STATE_HOST_UNALLOCATED;
  if (!there) return OP2_STATE_HOST;
  return buffer->fresh[OP2I_HOST] & rows ? OP2_STATE_BOTH : OP2_STATE_DEVICE;
}

static void release(struct op2i_buffer *buffer, int place) {
  if (place != OP2I_HOST && buffer->at[place])
    op2i_device_release(device_at(buffer, place), buffer->at[place]);
  else if (place == OP2I_HOST && !buffer->borrowed)
    op2i_free_data(buffer->at[place]);
  if (place == OP2I_DEVICE && buffer->at[place])
    op2i_list_remove(&buffer->ctx->device->buffers, &buffer->there);
  buffer->at[place] = NULL;
  buffer->fresh[place] = 0;
}

void op2i_buffer_init(struct op2i_buffer *buffer, op2_context ctx, size_t bytes, size_t owned_bytes,
                      bool told) {
  *buffer = (struct op2i_buffer){
      .ctx = ctx, .bytes = bytes, .owned_bytes = owned_bytes, .only = -1, .told = told};
}

void op2i_buffer_free(struct op2i_buffer *buffer) {
  for (int p = 0; p < OP2I_NPLACES; p++) release(buffer, p);
  buffer->only = -1;
}

void op2i_buffer_replace(struct op2i_buffer *buffer, void *host, bool borrowed) {
  op2i_buffer_free(buffer);
  buffer->at[OP2I_HOST] = host;
  buffer->fresh[OP2I_HOST] = host ? OP2I_EVERY_ROW : 0;
  buffer->borrowed = borrowed;
  changed(buffer);
}

static op2_status allocate(struct op2i_buffer *buffer, int place, bool overwritten) {
  bool first = !op2i_buffer_has_memory(buffer);
  void *room = NULL;
  op2_status status = room_in(buffer, place, first && !overwritten, &room);
  if (status) return status;
  if (place == OP2I_DEVICE && buffer->told)
    op2i_list_append(&buffer->ctx->device->buffers, &buffer->there, buffer);
  buffer->at[place] = room;
  buffer->fresh[place] = first ? OP2I_EVERY_ROW : 0;
  spoil(buffer, place, first && !overwritten ? 0 : OP2I_EVERY_ROW);
  return OP2_SUCCESS;
}

/* Owned rows and halo in one piece, where they are in one place. */
static op2_status bring(struct op2i_buffer *buffer, int place, unsigned rows) {
  op2_status status = OP2_SUCCESS;
  for (int from = 0; from < OP2I_NPLACES && rows && !status; from++) {
    unsigned found = buffer->fresh[from] & rows;
    if (found) status = fetch_from(buffer, from, place, found);
    rows &= ~found;
  }
  return status;
}

static void outdate(struct op2i_buffer *buffer, int place, unsigned rows) {
  unsigned lost = buffer->fresh[place] & rows;
  buffer->fresh[place] &= (unsigned char)~rows;
  for (unsigned part = OP2I_OWNED_ROWS; part <= OP2I_HALO_ROWS; part <<= 1)
    if (lost & part) spoil(buffer, place, part);
}

op2_status op2i_buffer_move(struct op2i_buffer *buffer, enum op2i_place place, op2_access access,
                            unsigned rows, void **data) {
  const void *before = buffer->at[place];
  if (place == OP2I_DEVICE) buffer->asked = buffer->ctx->epoch;
  unsigned char fresh[OP2I_NPLACES];
  memcpy(fresh, buffer->fresh, sizeof fresh);
  if (!before) {
    bool whole = stretch_of(buffer, rows).bytes == buffer->bytes;
    op2_status status = allocate(buffer, place, op2i_overwrites(access) && whole);
    if (status) return status;
  }
  if (!op2i_overwrites(access)) {
    op2_status status = bring(buffer, place, rows & ~(unsigned)buffer->fresh[place]);
    if (status && !before) release(buffer, place);
    if (status) return status;
  }
  buffer->fresh[place] |= (unsigned char)rows;
  for (int p = 0; p < OP2I_NPLACES && op2i_modifies(access); p++)
    if (p != (int)place) outdate(buffer, p, rows);
  if (!before || memcmp(fresh, buffer->fresh, sizeof fresh)) changed(buffer);
  *data = buffer->at[place];
  return OP2_SUCCESS;
}

/* ---- where memory is short ------------------------------------------------------------------- */

static unsigned only_there(const struct op2i_buffer *buffer) {
  unsigned elsewhere = buffer->fresh[OP2I_HOST] | buffer->fresh[OP2I_SHADOW];
  return buffer->fresh[OP2I_DEVICE] & ~elsewhere;
}

static op2_status leave(struct op2i_buffer *buffer) {
  op2_status status = OP2_SUCCESS;
  unsigned rows = only_there(buffer);
  void *data;
  if (rows) status = op2i_buffer_move(buffer, OP2I_HOST, OP2_READ, rows, &data);
  if (status) return status;
  release(buffer, OP2I_DEVICE);
  changed(buffer);
  return OP2_SUCCESS;
}

static bool goes_before(const struct op2i_buffer *a, const struct op2i_buffer *b) {
  bool a_moves = only_there(a), b_moves = only_there(b);
  return a_moves == b_moves ? a->asked < b->asked : b_moves;
}

bool op2i_buffers_give_way(op2_context ctx) {
  struct op2i_buffer *first = NULL;
  for (struct op2i_link *l = ctx->device->buffers.first; l; l = l->next) {
    struct op2i_buffer *buffer = l->object;
    if (buffer->round == ctx->device->round) continue;
    if (!first || goes_before(buffer, first)) first = buffer;
  }
  return first && !leave(first);
}
