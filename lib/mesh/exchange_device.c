/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing and unpacking halo rows on the device, for dats whose values are there: only the
 * exchanged rows are copied between the device and the host. */
#include "context.h"
#include "device.h"
#include "error.h"
#include "exchange_internal.h"
#include "mem.h"

#include <string.h>

/* The rows of a dat on one side of an exchange. */
struct table {
  void *places; /* on the device; null: not made yet, or none */
  int64_t n;
  int unit;
};

struct op2i_exchange_device {
  struct op2i_device *device;
  void *packed[OP2I_SIDES];         /* the messages of a side, as in the host's memory */
  struct table *tables[OP2I_SIDES]; /* [n] */
  /* [nlegs] Messages in `packed`; null: not opened yet, or nothing is sent. */
  struct op2i_message **messages[OP2I_SIDES];
};

static struct op2i_device *device_of(const struct op2i_exchange *x) {
  return x->stale->dat->obj.ctx->device;
}

static op2_status open_device(struct op2i_exchange *x) {
  struct op2i_exchange_device *there = op2i_calloc(1, sizeof *there);
  if (!there) return op2i_error_nomem("an exchange of halos");
  x->device = there;
  there->device = device_of(x);
  for (int side = OP2I_OUT; side < OP2I_SIDES; side++) {
    there->tables[side] = op2i_calloc((size_t)x->n, sizeof *there->tables[side]);
    there->messages[side] = op2i_calloc((size_t)x->nlegs, sizeof(struct op2i_message *));
    if (there->tables[side] && there->messages[side]) continue;
    op2i_exchange_device_free(x);
    return op2i_error_nomem("an exchange of halos");
  }
  return OP2_SUCCESS;
}

void op2i_exchange_device_free(struct op2i_exchange *x) {
  struct op2i_exchange_device *there = x->device;
  if (!there) return;
  for (int side = OP2I_OUT; side < OP2I_SIDES; side++) {
    for (int i = 0; there->tables[side] && i < x->n; i++)
      op2i_device_release(there->device, there->tables[side][i].places);
    for (int l = 0; there->messages[side] && l < x->nlegs; l++)
      if (there->messages[side][l]) x->comm->kind->close(there->messages[side][l]);
    op2i_free(there->messages[side]);
    op2i_free(there->tables[side]);
    op2i_device_release(there->device, there->packed[side]);
  }
  op2i_free(there);
  x->device = NULL;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Offset in bytes of dat i's rows of a leg, within the messages of a side. */
static size_t begin_of(const struct op2i_exchange *x, int i, int leg, enum op2i_side side) {
  size_t at = (size_t)(x->legs[leg].memory[side] - x->memory) - x->first[side];
  for (int before = 0; before < i; before++)
    for (int part = 0; part < OP2I_HALO_PARTS; part++)
      at += (size_t)op2i_exchange_rows(x, before, leg, part, side == OP2I_IN).n *
            x->stale[before].dat->row_bytes;
  return at;
}

/* Rows are copied in units of 4 bytes if all lengths and offsets allow that, else in single
 * bytes. */
static int unit_of(const struct op2i_exchange *x, int i, enum op2i_side side) {
  size_t bits = x->stale[i].dat->row_bytes;
  for (int leg = 0; leg < x->nlegs; leg++) bits |= begin_of(x, i, leg, side);
  return bits % 4 ? 1 : 4;
}

static int64_t list_leg(const struct op2i_exchange *x, int i, int leg, enum op2i_side side,
                        int unit, int32_t *places) {
  size_t at = begin_of(x, i, leg, side);
  int64_t n = 0;
  for (int part = 0; part < OP2I_HALO_PARTS; part++) {
    const struct op2i_rows rows = op2i_exchange_rows(x, i, leg, part, side == OP2I_IN);
    for (int64_t k = 0; k < rows.n; k++, n++) {
      places[2 * n] = rows.row[k];
      places[2 * n + 1] = (int32_t)(at / (size_t)unit);
      at += x->stale[i].dat->row_bytes;
    }
  }
  return n;
}

static int64_t count_rows(const struct op2i_exchange *x, int i, enum op2i_side side) {
  int64_t n = 0;
  for (int leg = 0; leg < x->nlegs; leg++)
    for (int part = 0; part < OP2I_HALO_PARTS; part++)
      n += op2i_exchange_rows(x, i, leg, part, side == OP2I_IN).n;
  return n;
}

static op2_status have_table(struct op2i_exchange *x, int i, enum op2i_side side) {
  struct table *table = &x->device->tables[side][i];
  if (table->places) return OP2_SUCCESS;
  int64_t n = 0;
  *table = (struct table){.n = count_rows(x, i, side), .unit = unit_of(x, i, side)};
  if (!table->n) return OP2_SUCCESS;
  if (x->bytes[side] / (size_t)table->unit > INT32_MAX)
    return op2i_error(OP2_ERR_RANGE, "an exchange of more than 2^31 units");
  int32_t *places = op2i_malloc(2 * (size_t)table->n * sizeof *places);
  if (!places) return op2i_error_nomem("an exchange of halos");
  for (int leg = 0; leg < x->nlegs; leg++)
    n += list_leg(x, i, leg, side, table->unit, places + 2 * n);
  op2_status status = op2i_device_numbers(x->device->device, places, 2 * table->n, &table->places);
  op2i_free(places);
  return status;
}

op2_status op2i_exchange_have_there(struct op2i_exchange *x, enum op2i_side side) {
  op2_status status = x->device ? OP2_SUCCESS : open_device(x);
  if (!status && !x->device->packed[side])
    status = op2i_device_alloc(x->device->device, x->bytes[side], &x->device->packed[side]);
  for (int i = 0; i < x->n && !status; i++)
    if (x->dats[side][i].there) status = have_table(x, i, side);
  return status;
}

/* ---- packing and unpacking on the device ----------------------------------------------------- */

static op2_status move_dat(struct op2i_exchange *x, int i, enum op2i_side side) {
  const struct table *table = &x->device->tables[side][i];
  struct op2i_device_rows rows = {
      .values = x->dats[side][i].values,
      .packed = x->device->packed[side],
      .places = table->places,
      .n = table->n,
      .unit = table->unit,
      .unpack = side == OP2I_IN,
  };
  if (!x->dats[side][i].there || !rows.values || !rows.n) return OP2_SUCCESS;
  rows.row_units = (int64_t)x->stale[i].dat->row_bytes / rows.unit;
  return x->device->device->move_rows(x->stale[i].dat->obj.ctx, &rows);
}

op2_status op2i_exchange_move_there(struct op2i_exchange *x, enum op2i_side side) {
  bool any = false;
  for (int i = 0; i < x->n; i++) any |= x->dats[side][i].there && x->dats[side][i].values;
  /* Messages must not arrive in memory from which rows are still being unpacked. */
  if (!any || !x->bytes[side])
    return side == OP2I_OUT && x->direct[OP2I_IN] ? x->device->device->kind->wait(x->device->device)
                                                  : OP2_SUCCESS;
  op2_status status = OP2_SUCCESS;
  struct op2i_device *device = x->device->device;
  unsigned char *here = x->memory + x->first[side];
  if (side == OP2I_IN && !x->direct[side])
    status = device->kind->put(device, x->device->packed[side], 0, here, x->bytes[side]);
  for (int i = 0; i < x->n && !status; i++) status = move_dat(x, i, side);
  if (side == OP2I_OUT && !status && x->direct[side])
    status = device->kind->wait(device);
  else if (side == OP2I_OUT && !status)
    status = device->kind->get(device, here, x->device->packed[side], 0, x->bytes[side]);
  return status;
}

/* ---- messages in the device's memory --------------------------------------------------------- */

/* True if messages may be in the device's memory: its handles are addresses, and the setting or the
 * communicator says so. */
static bool may_be_direct(const struct op2i_exchange *x) {
  const op2_context ctx = x->stale->dat->obj.ctx;
  const int asked = ctx->config.device_mpi;
  if (!x->with_device || !ctx->device || !ctx->device->kind->addresses || asked == 0) return false;
  return asked > 0 || (x->comm->takes && strcmp(x->comm->takes, ctx->device->kind->name) == 0);
}

static bool is_all_there(const struct op2i_exchange *x, enum op2i_side side) {
  for (int i = 0; i < x->n; i++) {
    const struct op2i_travelling *dat = &x->dats[side][i];
    const bool there = side == OP2I_OUT
                           ? dat->there && dat->values
                           : x->stale[i].dat->values.fresh[OP2I_DEVICE] & OP2I_OWNED_ROWS;
    if (!there && count_rows(x, i, side)) return false;
  }
  return x->bytes[side] > 0;
}

static op2_status open_message(struct op2i_exchange *x, int l, enum op2i_side side) {
  struct op2i_leg *leg = &x->legs[l];
  const size_t at = (size_t)(leg->memory[side] - x->memory) - x->first[side];
  const struct op2i_envelope envelope = {side == OP2I_OUT, leg->rank, OP2I_TAG_ROWS,
                                         (char *)x->device->packed[side] + at, leg->bytes[side]};
  if (!leg->bytes[side] || x->device->messages[side][l]) return OP2_SUCCESS;
  return x->comm->kind->open(x->comm, &envelope, &x->device->messages[side][l]);
}

/* Memory and messages of a side. Where there is none for them, messages are in the host's. */
static op2_status have_direct(struct op2i_exchange *x, enum op2i_side side) {
  op2_status status = x->device ? OP2_SUCCESS : open_device(x);
  struct op2i_device *device = device_of(x);
  if (!status && !x->device->packed[side]) {
    status = op2i_device_alloc(device, x->bytes[side], &x->device->packed[side]);
    if (!status) status = device->kind->clear(device, x->device->packed[side], 0, x->bytes[side]);
  }
  for (int l = 0; l < x->nlegs && !status; l++) status = open_message(x, l, side);
  return status;
}

void op2i_exchange_choose(struct op2i_exchange *x) {
  int m = 0;
  for (int side = OP2I_OUT; side < OP2I_SIDES; side++)
    x->direct[side] =
        may_be_direct(x) && is_all_there(x, side) && have_direct(x, side) == OP2_SUCCESS;
  for (int l = 0; l < x->nlegs; l++)
    for (int side = OP2I_OUT; side < OP2I_SIDES; side++) {
      if (!x->legs[l].bytes[side]) continue;
      x->started[m] = x->direct[side] ? x->device->messages[side][l] : x->messages[m];
      m++;
    }
}

op2_status op2i_exchange_fetch(struct op2i_exchange *x) {
  bool here = false;
  if (!x->direct[OP2I_IN]) return OP2_SUCCESS;
  for (int i = 0; i < x->n; i++) here |= !x->dats[OP2I_IN][i].there;
  if (!here) return OP2_SUCCESS;
  struct op2i_device *device = x->device->device;
  return device->kind->get(device, x->memory + x->first[OP2I_IN], x->device->packed[OP2I_IN], 0,
                           x->bytes[OP2I_IN]);
}
