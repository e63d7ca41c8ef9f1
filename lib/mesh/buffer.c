/* SPDX-License-Identifier: BSD-3-Clause */
/* Where values are, and moving them between places. The state of a place is which rows are fresh
 * there; every row is fresh somewhere, or there is no memory yet and all are zero. */
#include "buffer.h"

#include <string.h>

#include "access.h"
#include "context.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"

/* ---- places ---------------------------------------------------------------------------------- */

struct memory {
  void *(*alloc)(size_t bytes); /* holds anything */
  void *(*alloc_zero)(size_t bytes);
  void (*release)(void *memory);
  void (*put)(void *to, const void *host, size_t bytes); /* from the host's memory */
  void (*get)(void *host, const void *from, size_t bytes);
};

static void copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

static const struct memory memories[OP2I_NPLACES] = {
    [OP2I_HOST] = {op2i_alloc_raw, op2i_alloc_data, op2i_free_data, copy, copy},
    [OP2I_SHADOW] = {op2i_alloc_raw, op2i_alloc_data, op2i_free_data, copy, copy},
};

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
  struct stretch s = stretch_of(buffer, rows);
  for (size_t i = 0; i < s.bytes; i++)
    ((unsigned char *)buffer->at[place])[s.first + i] = pattern[(s.first + i) % 8];
}

static void fetch_from(struct op2i_buffer *buffer, int from, int to, unsigned rows) {
  struct stretch s = stretch_of(buffer, rows);
  char *out = (char *)buffer->at[to] + s.first;
  const char *in = (const char *)buffer->at[from] + s.first;
  if (from == OP2I_HOST)
    memories[to].put(out, in, s.bytes);
  else
    memories[from].get(out, in, s.bytes);
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
  if (place != OP2I_HOST || !buffer->borrowed) memories[place].release(buffer->at[place]);
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
  const struct memory *memory = &memories[place];
  void *room =
      first && !overwritten ? memory->alloc_zero(buffer->bytes) : memory->alloc(buffer->bytes);
  if (!room) return op2i_error_nomem("values");
  buffer->at[place] = room;
  buffer->fresh[place] = first ? OP2I_EVERY_ROW : 0;
  spoil(buffer, place, first && !overwritten ? 0 : OP2I_EVERY_ROW);
  return OP2_SUCCESS;
}

static void bring(struct op2i_buffer *buffer, int place, unsigned rows) {
  for (unsigned part = OP2I_OWNED_ROWS; part <= OP2I_HALO_ROWS; part <<= 1)
    for (int from = 0; from < OP2I_NPLACES && rows & part; from++)
      if (buffer->fresh[from] & part) {
        fetch_from(buffer, from, place, part);
        break;
      }
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
  if (!op2i_overwrites(access)) bring(buffer, place, rows & ~(unsigned)buffer->fresh[place]);
  buffer->fresh[place] |= (unsigned char)rows;
  for (int p = 0; p < OP2I_NPLACES && op2i_modifies(access); p++)
    if (p != (int)place) outdate(buffer, p, rows);
  if (!before || memcmp(fresh, buffer->fresh, sizeof fresh)) changed(buffer);
  *data = buffer->at[place];
  return OP2_SUCCESS;
}
