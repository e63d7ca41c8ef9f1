/* SPDX-License-Identifier: BSD-3-Clause */
/* Wide rows in a device's shared memory: where those of a group are, and how much they take. */
#include "loop_device.h"

#include "context.h"

bool op2i_device_row(const struct op2i_loop *loop, int d, bool *loaded, bool *stored) {
  int first = -1;
  *loaded = *stored = false;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat != d || arg->kind != OP2I_ARG_DIRECT || op2i_device_shared(loop, arg)) continue;
    int member = op2i_loop_member_of(loop, a);
    if (first < 0) first = member;
    *loaded |= member == first && !op2i_overwrites(arg->access);
    *stored |= op2i_modifies(arg->access);
  }
  *stored &= !loop->fused.dropped || !loop->fused.dropped[d];
  return first >= 0;
}

static const struct op2i_loop_arg *arg_of_dat(const struct op2i_loop *loop, int d) {
  const struct op2i_loop_arg *arg = loop->args;
  while (arg->dat != d) arg++;
  return arg;
}

static int bytes_of(const struct op2i_device_part *part) { return part->stride * part->piece; }

/* A row that is only stored has the place of one that is only loaded: a work item has taken its own
 * before it puts anything there. */
static bool share(const struct op2i_device_parts *parts, struct op2i_device_part *part) {
  if (part->loaded) return false;
  for (const struct op2i_device_part *p = parts->part; p < parts->part + parts->nparts; p++) {
    bool free = !p->stored && bytes_of(p) == bytes_of(part) && p->piece == part->piece;
    for (const struct op2i_device_part *q = parts->part; q < parts->part + parts->nparts; q++)
      free &= q->loaded || q->round != p->round || q->at != p->at;
    if (!free) continue;
    part->round = p->round;
    part->at = p->at;
    return true;
  }
  return false;
}

/* `end`: bytes that the last round has so far. */
static void place_part(struct op2i_device_parts *parts, struct op2i_device_part part, int *end) {
  if (!share(parts, &part)) {
    part.at = (*end + part.piece - 1) / part.piece * part.piece;
    if (parts->nrounds == 0 || part.at + bytes_of(&part) > OP2I_DEVICE_ROUND) {
      parts->nrounds++;
      part.at = 0;
    }
    part.round = parts->nrounds - 1;
    *end = part.at + bytes_of(&part);
    if (*end > parts->bytes) parts->bytes = *end;
  }
  parts->part[parts->nparts++] = part;
}

/* The number of parts of a row, or 0 if it is moved directly. */
static int count_parts(const struct op2i_loop_arg *arg) {
  int64_t bytes = (int64_t)arg->dim * (int64_t)op2i_type_size(arg->type);
  if (bytes <= OP2I_DEVICE_NARROW) return 0;
  if (bytes > OP2I_DEVICE_PART && arg->dim > OP2I_DEVICE_LISTED) return 0;
  return (int)((bytes + OP2I_DEVICE_PART - 1) / OP2I_DEVICE_PART);
}

/* Values for which work items have vectors are moved in pieces of 16 bytes, others in words of 4
 * bytes or in larger values: so each work item takes its row in pieces that are as large. */
static int largest_piece(op2_type type) {
  if (type == OP2_F64 || type == OP2_F32 || type == OP2_I32) return 16;
  return op2i_type_size(type) == 8 ? 8 : 4;
}

static void place_row(struct op2i_device_parts *parts, const struct op2i_loop_arg *arg,
                      struct op2i_device_part part, int *end) {
  int n = count_parts(arg), bytes = n ? (int)(arg->dim * (int64_t)op2i_type_size(arg->type)) : 0;
  if (n == 0 || parts->nparts + n > OP2I_DEVICE_PARTS) return;
  part.piece = largest_piece(arg->type);
  while (bytes % part.piece != 0) part.piece /= 2;
  part.of = bytes / part.piece;
  int most = (part.of + n - 1) / n;
  for (part.first = 0; part.first < part.of; part.first += most) {
    part.pieces = part.of - part.first < most ? part.of - part.first : most;
    part.stride = part.pieces | 1;
    place_part(parts, part, end);
  }
}

void op2i_device_parts(const struct op2i_loop *loop, struct op2i_device_parts *parts) {
  int end = 0;
  *parts = (struct op2i_device_parts){0};
  for (int loads = 1; loads >= 0; loads--)
    for (int d = 0; d < loop->op.ndats; d++) {
      struct op2i_device_part part = {.dat = d};
      if (op2i_device_row(loop, d, &part.loaded, &part.stored) && part.loaded == (loads == 1) &&
          (part.loaded || part.stored))
        place_row(parts, arg_of_dat(loop, d), part, &end);
    }
}

int64_t op2i_device_stage_bytes(const struct op2i_loop *loop, const struct op2i_device_form *form,
                                int64_t group) {
  const struct op2i_device *device = loop->op.ctx ? loop->op.ctx->device : NULL;
  bool listed = loop->set->base != loop->set;
  if (listed || (device && !device->kind->stages)) return 0;
  return (form->parts.bytes * group + 7) / 8 * 8;
}
