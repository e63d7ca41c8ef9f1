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

/* The host's memory and what passes for a device's in tests. */
static void *host_room(size_t bytes, bool zero) {
  return zero ? op2i_alloc_data(bytes) : op2i_alloc_raw(bytes);
}

static struct op2i_device *device_of(const struct op2i_buffer *buffer) {
  return buffer->ctx->device;
}

static op2_status device_room(const struct op2i_buffer *buffer, bool zero, void **room) {
  struct op2i_device *device = device_of(buffer);
  op2_status status = device->kind->alloc(device, buffer->bytes ? buffer->bytes : 1, room);
  if (status || !zero) return status;
  status = device->kind->clear(device, *room, 0, buffer->bytes);
  if (status) device->kind->release(device, *room);
  return status;
}

static op2_status room_in(const struct op2i_buffer *buffer, int place, bool zero, void **room) {
  if (place == OP2I_DEVICE) return device_room(buffer, zero, room);
  *room = host_room(buffer->bytes, zero);
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

static op2_status fetch_from(const struct op2i_buffer *buffer, int from, int to, unsigned rows) {
  struct stretch s = stretch_of(buffer, rows);
  char *out = (char *)buffer->at[to];
  const char *in = (const char *)buffer->at[from];
  if (s.bytes == 0) return OP2_SUCCESS;
  if (to != OP2I_DEVICE && from != OP2I_DEVICE) {
    memcpy(out + s.first, in + s.first, s.bytes);
    return OP2_SUCCESS;
  }
  struct op2i_device *device = device_of(buffer);
  if (to == OP2I_DEVICE)
    return device->kind->put(device, buffer->at[to], s.first, in + s.first, s.bytes);
  return device->kind->get(device, out + s.first, buffer->at[from], s.first, s.bytes);
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

static void release(struct op2i_buffer *buffer, int place) {
  if (place == OP2I_DEVICE && buffer->at[place])
    device_of(buffer)->kind->release(device_of(buffer), buffer->at[place]);
  else if (place == OP2I_SHADOW || (place == OP2I_HOST && !buffer->borrowed))
    op2i_free_data(buffer->at[place]);
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
  buffer->at[place] = room;
  buffer->fresh[place] = first ? OP2I_EVERY_ROW : 0;
  spoil(buffer, place, first && !overwritten ? 0 : OP2I_EVERY_ROW);
  return OP2_SUCCESS;
}

static op2_status bring(struct op2i_buffer *buffer, int place, unsigned rows) {
  op2_status status = OP2_SUCCESS;
  for (unsigned part = OP2I_OWNED_ROWS; part <= OP2I_HALO_ROWS && !status; part <<= 1)
    for (int from = 0; from < OP2I_NPLACES && rows & part; from++)
      if (buffer->fresh[from] & part) {
        status = fetch_from(buffer, from, place, part);
        break;
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
  unsigned char fresh[OP2I_NPLACES];
  memcpy(fresh, buffer->fresh, sizeof fresh);
  if (!before) {
    op2_status status = allocate(buffer, place, op2i_overwrites(access) && rows == OP2I_EVERY_ROW);
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

/* ---- values that are brought later ----------------------------------------------------------- */

op2_status op2i_buffer_room(struct op2i_buffer *buffer, enum op2i_place place) {
  if (buffer->at[place]) return OP2_SUCCESS;
  op2_status status = allocate(buffer, place, false);
  if (!status) changed(buffer);
  return status;
}

/* Nothing is spoilt: what goes out of date is still read by those that run before. */
void *op2i_buffer_expect(struct op2i_buffer *buffer, enum op2i_place place, op2_access access,
                         unsigned rows, struct op2i_missing *missing) {
  *missing = (struct op2i_missing){.rows = {0}};
  for (int half = 0; half < 2; half++) {
    unsigned part = rows & (half ? OP2I_HALO_ROWS : OP2I_OWNED_ROWS);
    bool needed = part && !op2i_overwrites(access) && !(buffer->fresh[place] & part);
    for (int from = 0; from < OP2I_NPLACES && needed && stretch_of(buffer, part).bytes; from++)
      if (buffer->fresh[from] & part) {
        missing->rows[half] = part;
        missing->from[half] = (enum op2i_place)from;
        break;
      }
  }
  buffer->fresh[place] |= (unsigned char)rows;
  for (int p = 0; p < OP2I_NPLACES && op2i_modifies(access); p++)
    if (p != (int)place) buffer->fresh[p] &= (unsigned char)~rows;
  changed(buffer);
  return buffer->at[place];
}

op2_status op2i_buffer_bring(const struct op2i_buffer *buffer, enum op2i_place from,
                             enum op2i_place to, unsigned rows) {
  return fetch_from(buffer, from, to, rows);
}
