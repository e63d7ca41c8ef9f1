/* SPDX-License-Identifier: BSD-3-Clause */
/* The places (host or device) that have an object's values, and copies between them. The state of a
 * place is the set of rows that are fresh there. Every row is fresh in some place, unless there is
 * no memory yet and all rows are zero. After a loop that ran on the host and the device at once,
 * each has the owned rows of its part. */
#include "buffer.h"

#include <string.h>

#include "access.h"
#include "context.h"
#include "device.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"
#include "numa.h"
#include "recycle.h"

/* ---- memory of the host and of devices ------------------------------------------------------- */

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

/* ---- rows ------------------------------------------------------------------------------------ */

struct stretch {
  size_t first, bytes;
};

static struct stretch stretch_of(const struct op2i_buffer *buffer, unsigned rows) {
  size_t first = rows & OP2I_OWNED_ROWS ? 0 : buffer->owned_bytes;
  size_t end = rows & OP2I_HALO_ROWS ? buffer->bytes : buffer->owned_bytes;
  return (struct stretch){first, end - first};
}

/* Get memory in which these rows are zero; the others may hold anything. */
static op2_status room_in(struct op2i_buffer *buffer, int place, unsigned zeros, void **room) {
  const struct stretch s = stretch_of(buffer, zeros);
  if (place != OP2I_HOST) return device_room(buffer, device_at(buffer, place), s.bytes > 0, room);
  *room = buffer->spare;
  buffer->spare = NULL;
  if (*room && s.bytes) memset((char *)*room + s.first, 0, s.bytes);
  if (*room) return OP2_SUCCESS;
  *room = s.bytes ? op2i_alloc_data(buffer->bytes) : op2i_alloc_raw(buffer->bytes);
  if (!*room) return op2i_error_nomem("values");
  if (buffer->ctx) op2i_numa_place(buffer->ctx->numa, *room, buffer->owned_bytes, buffer->bytes);
  return OP2_SUCCESS;
}

/* Overwrite rows that are out of date, for tests with a shadow device. The pattern is a NaN in both
 * widths and, as an integer, no valid index. */
static void spoil(const struct op2i_buffer *buffer, int place, unsigned rows) {
  static const unsigned char pattern[8] = {0xA5, 0xA5, 0xF7, 0x7F, 0xA5, 0xA5, 0xF7, 0x7F};
  if (!buffer->ctx || !buffer->ctx->config.shadow || !buffer->at[place]) return;
  if (place == OP2I_DEVICE) return;
  struct stretch s = stretch_of(buffer, rows);
  for (size_t i = 0; i < s.bytes; i++)
    ((unsigned char *)buffer->at[place])[s.first + i] = pattern[(s.first + i) % 8];
}

/* True if the values are few bytes and all zero. Most sums start from such values, and a device
 * clears memory without a transfer that the host might have to wait for. */
static bool few_zeros(const char *values, size_t bytes) {
  enum { FEW = 64 };
  static const char zeros[FEW];
  return bytes <= FEW && !memcmp(values, zeros, bytes);
}

/* Copies run between the host and a device only. To the real device, the shadow is host memory. */
op2_status op2i_buffer_bring(const struct op2i_buffer *buffer, enum op2i_place to,
                             const struct op2i_source *source) {
  enum op2i_place from = source->from;
  struct op2i_device *device = device_at(buffer, from > to ? from : to);
  char *values = (char *)buffer->at[from > to ? to : from] + source->first;
  if (from > to)
    return device->kind->get(device, values, buffer->at[from], source->first, source->bytes);
  if (few_zeros(values, source->bytes))
    return device->kind->clear(device, buffer->at[to], source->first, source->bytes);
  return device->kind->put(device, buffer->at[to], source->first, values, source->bytes);
}

/* ---- copies that are needed ------------------------------------------------------------------ */

static void add_source(struct op2i_missing *missing, int from, size_t first, size_t end) {
  if (first >= end) return;
  missing->sources[missing->n++] =
      (struct op2i_source){.from = (enum op2i_place)from, .first = first, .bytes = end - first};
}

/* Find the sources of a part of the owned rows. On the host the part is leading bytes: they come
 * from another host place as far as that has them, and beyond that from the device. On the device
 * the part is trailing bytes, which come from the host place that has most of them. */
static void find_part(const struct op2i_buffer *buffer, int place, size_t bytes,
                      struct op2i_missing *missing) {
  size_t all = buffer->owned_bytes, have = op2i_buffer_part(buffer, place);
  if (bytes <= have) return;
  int most = OP2I_HOST;
  for (int p = OP2I_HOST; p < OP2I_DEVICE; p++)
    if (op2i_buffer_part(buffer, p) > op2i_buffer_part(buffer, most)) most = p;
  if (place == OP2I_DEVICE) {
    add_source(missing, most, all - bytes, all - have);
    return;
  }
  size_t near = op2i_buffer_part(buffer, most);
  if (near > bytes) near = bytes;
  if (op2i_buffer_part(buffer, OP2I_DEVICE) == all) near = have; /* one copy of all */
  add_source(missing, most, have, near);
  add_source(missing, OP2I_DEVICE, near > have ? near : have, bytes);
}

/* Owned rows and halo are copied in one piece if one place has both. */
static struct op2i_missing find_missing(const struct op2i_buffer *buffer, int place,
                                        unsigned rows) {
  struct op2i_missing missing = {.n = 0};
  rows &= ~(unsigned)buffer->fresh[place];
  for (int from = 0; from < OP2I_NPLACES && rows; from++) {
    unsigned found = buffer->fresh[from] & rows;
    struct stretch s = stretch_of(buffer, found);
    if (found) add_source(&missing, from, s.first, s.first + s.bytes);
    rows &= ~found;
  }
  if (rows & OP2I_OWNED_ROWS) find_part(buffer, place, buffer->owned_bytes, &missing);
  return missing;
}

/* ---- state ----------------------------------------------------------------------------------- */

static void changed(struct op2i_buffer *buffer) {
  int places = 0, last = 0;
  for (int p = 0; p < OP2I_NPLACES; p++)
    if (buffer->at[p]) places++, last = p;
  const bool only = places == 1 && buffer->fresh[last] == OP2I_EVERY_ROW;
  buffer->only = (signed char)(only ? last : -1);
  if (buffer->advances_epoch) buffer->ctx->epoch++;
}

op2_data_state op2i_buffer_state(const struct op2i_buffer *buffer, unsigned rows) {
  unsigned there = (buffer->fresh[OP2I_SHADOW] | buffer->fresh[OP2I_DEVICE]) & rows;
  if (!buffer->at[OP2I_SHADOW] && !buffer->at[OP2I_DEVICE]) return OP2_STATE_DEVICE_UNALLOCATED;
  if (!buffer->at[OP2I_HOST]) return OP2_STATE_HOST_UNALLOCATED;
  bool split = rows & OP2I_OWNED_ROWS && buffer->part[OP2I_DEVICE];
  if (!there) return buffer->fresh[OP2I_HOST] & rows || !split ? OP2_STATE_HOST : OP2_STATE_SPLIT;
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
  buffer->part[place] = 0;
}

void op2i_buffer_init(struct op2i_buffer *buffer, op2_context ctx, size_t bytes, size_t owned_bytes,
                      bool advances_epoch) {
  /* Every field is named: clearing the buffer first would take much longer. */
  *buffer = (struct op2i_buffer){.ctx = ctx,
                                 .bytes = bytes,
                                 .owned_bytes = owned_bytes,
                                 .at = {NULL, NULL, NULL},
                                 .fresh = {0, 0, 0},
                                 .part = {0, 0, 0},
                                 .only = -1,
                                 .borrowed = false,
                                 .spare = NULL,
                                 .advances_epoch = advances_epoch,
                                 .there = {NULL, NULL, NULL},
                                 .asked = 0,
                                 .round = 0};
}

void op2i_buffer_free_spare(struct op2i_buffer *buffer) {
  op2i_free_data(buffer->spare);
  buffer->spare = NULL;
}

void op2i_buffer_free(struct op2i_buffer *buffer) {
  for (int p = 0; p < OP2I_NPLACES; p++) release(buffer, p);
  op2i_buffer_free_spare(buffer);
  buffer->only = -1;
}

void op2i_buffer_retire(struct op2i_buffer *buffer) {
  void *host = buffer->at[OP2I_HOST];
  if (host && !buffer->borrowed && !op2i_data_held(host)) {
    op2i_buffer_free_spare(buffer);
    buffer->spare = host;
    buffer->at[OP2I_HOST] = NULL;
  }
  for (int p = 0; p < OP2I_NPLACES; p++) release(buffer, p);
  buffer->borrowed = false;
  changed(buffer);
}

void op2i_buffer_take_spare(struct op2i_buffer *buffer, struct op2i_buffer *from) {
  if (buffer->spare || !from->spare) return;
  buffer->spare = from->spare;
  from->spare = NULL;
}

void op2i_buffer_replace(struct op2i_buffer *buffer, void *host, bool borrowed) {
  op2i_buffer_free(buffer);
  buffer->at[OP2I_HOST] = host;
  buffer->fresh[OP2I_HOST] = host ? OP2I_EVERY_ROW : 0;
  buffer->borrowed = borrowed;
  changed(buffer);
}

/* Make memory in a place. Until there is some in another place all rows are zero, but these need
 * not be, since they are overwritten. */
static op2_status allocate(struct op2i_buffer *buffer, int place, unsigned overwritten) {
  bool first = !op2i_buffer_has_memory(buffer);
  unsigned zeros = first ? OP2I_EVERY_ROW & ~overwritten : 0;
  void *room = NULL;
  op2_status status = room_in(buffer, place, zeros, &room);
  if (status == OP2_ERR_NOMEM && op2i_spares_free_memory(buffer->ctx))
    status = room_in(buffer, place, zeros, &room);
  if (status) return status;
  if (place == OP2I_DEVICE && buffer->advances_epoch)
    op2i_list_append(&buffer->ctx->device->buffers, &buffer->there, buffer);
  buffer->at[place] = room;
  buffer->fresh[place] = first ? OP2I_EVERY_ROW : 0;
  spoil(buffer, place, first ? overwritten : OP2I_EVERY_ROW);
  return OP2_SUCCESS;
}

static op2_status bring(const struct op2i_buffer *buffer, int place, unsigned rows) {
  if (!(rows & ~(unsigned)buffer->fresh[place])) return OP2_SUCCESS;
  const struct op2i_missing missing = find_missing(buffer, place, rows);
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < missing.n && !status; i++)
    status = op2i_buffer_bring(buffer, (enum op2i_place)place, &missing.sources[i]);
  return status;
}

static void outdate(struct op2i_buffer *buffer, int place, unsigned rows) {
  unsigned lost = buffer->fresh[place] & rows;
  buffer->fresh[place] &= (unsigned char)~rows;
  if (rows & OP2I_OWNED_ROWS) buffer->part[place] = 0;
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
    op2_status status = allocate(buffer, place, op2i_overwrites(access) ? rows : 0);
    if (status) return status;
  }
  if (!op2i_overwrites(access)) {
    op2_status status = bring(buffer, place, rows);
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

/* ---- eviction from a device ------------------------------------------------------------------ */

static unsigned only_there(const struct op2i_buffer *buffer) {
  unsigned elsewhere = buffer->fresh[OP2I_HOST] | buffer->fresh[OP2I_SHADOW];
  unsigned split = buffer->part[OP2I_DEVICE] ? OP2I_OWNED_ROWS : 0;
  return (buffer->fresh[OP2I_DEVICE] | split) & ~elsewhere;
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

bool op2i_buffers_evict(op2_context ctx) {
  struct op2i_buffer *first = NULL;
  for (struct op2i_link *l = ctx->device->buffers.first; l; l = l->next) {
    struct op2i_buffer *buffer = l->object;
    if (buffer->round == ctx->device->round) continue;
    if (!first || goes_before(buffer, first)) first = buffer;
  }
  return first && !leave(first);
}

/* ---- values that are copied later ------------------------------------------------------------ */

op2_status op2i_buffer_room(struct op2i_buffer *buffer, enum op2i_place place, bool clear) {
  if (buffer->at[place]) return OP2_SUCCESS;
  op2_status status = allocate(buffer, place, 0);
  if (status) return status;
  struct op2i_device *device = place == OP2I_HOST ? NULL : device_at(buffer, place);
  if (clear && device) status = device->kind->clear(device, buffer->at[place], 0, buffer->bytes);
  if (clear && !device) memset(buffer->at[place], 0, buffer->bytes);
  changed(buffer);
  return status;
}

/* Values that go out of date are not overwritten here: steps that run before still read them. */
void *op2i_buffer_expect(struct op2i_buffer *buffer, enum op2i_place place, op2_access access,
                         unsigned rows, struct op2i_missing *missing) {
  missing->n = 0;
  if (!op2i_overwrites(access)) *missing = find_missing(buffer, place, rows);
  buffer->fresh[place] |= (unsigned char)rows;
  for (int p = 0; p < OP2I_NPLACES && op2i_modifies(access); p++) {
    if (p == (int)place) continue;
    buffer->fresh[p] &= (unsigned char)~rows;
    if (rows & OP2I_OWNED_ROWS) buffer->part[p] = 0;
  }
  changed(buffer);
  return buffer->at[place];
}

void op2i_buffer_expect_part(struct op2i_buffer *buffer, enum op2i_place place, size_t bytes,
                             struct op2i_missing *missing) {
  missing->n = 0;
  find_part(buffer, place, bytes, missing);
  if (bytes > op2i_buffer_part(buffer, place)) buffer->part[place] = bytes;
  if (buffer->part[place] == buffer->owned_bytes) buffer->fresh[place] |= OP2I_OWNED_ROWS;
  changed(buffer);
}

void op2i_buffer_split(struct op2i_buffer *buffer, enum op2i_place host, size_t leading,
                       size_t trailing) {
  for (int p = 0; p < OP2I_NPLACES; p++) {
    buffer->part[p] = p == (int)host ? leading : p == OP2I_DEVICE ? trailing : 0;
    buffer->fresh[p] &= (unsigned char)~OP2I_OWNED_ROWS;
    if (buffer->part[p] == buffer->owned_bytes) buffer->fresh[p] |= OP2I_OWNED_ROWS;
  }
  changed(buffer);
}
