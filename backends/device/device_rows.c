/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing and unpacking of rows for halo exchanges, by launches. */
#include "device_rows.h"

#include "code.h"
#include "codegen.h"
#include "context.h"
#include "device_unit.h"
#include "error.h"
#include "loop_device.h"
#include "mem.h"
#include "text.h"

enum { GROUP = 128 };

static op2_status build(op2_context ctx, struct op2i_device_unit **unit) {
  struct op2i_text text = {0};
  op2_status status = op2i_codegen.generate_rows(op2i_device_variant(ctx->device->kind), &text);
  struct op2i_jit_code code = {
      .source = text.chars, .label = "rows that travel", .on_device = true};
  if (!status) status = op2i_jit_get(ctx, 1, &code);
  if (!status) status = code.status;
  if (!status)
    *unit = code.function;
  else if (code.message)
    op2i_error(status, "the device cannot move rows of halos: %s", code.message);
  op2i_free(code.message);
  op2i_text_free(&text);
  return status;
}

/* Find the function that moves rows in units of rows->unit bytes. */
static op2_status find_mover(op2_context ctx, const struct op2i_device_rows *rows,
                             struct op2i_device_code **code) {
  static const char *const names[2][2] = {{"op2_pack1", "op2_unpack1"},
                                          {"op2_pack4", "op2_unpack4"}};
  struct op2i_device_code **kept = &ctx->device->rows[rows->unit == 4][rows->unpack];
  struct op2i_device_unit *unit;
  op2_status status = OP2_SUCCESS;
  if (!*kept) status = build(ctx, &unit);
  if (!*kept && !status)
    status = op2i_device_unit_code(ctx->device, unit, names[rows->unit == 4][rows->unpack], kept);
  *code = *kept;
  return status;
}

op2_status op2i_device_move_rows(op2_context ctx, const struct op2i_device_rows *rows) {
  struct op2i_device *device = ctx->device;
  struct op2i_device_code *code;
  op2_status status = find_mover(ctx, rows, &code);
  if (status || rows->n <= 0) return status;
  const struct op2i_device_arg args[] = {
      {.number = rows->n},
      {.number = rows->row_units},
      {.is_memory = true, .memory = rows->values},
      {.is_memory = true, .memory = rows->places},
      {.is_memory = true, .memory = rows->packed},
  };
  int64_t group = GROUP;
  while (group > code->group_max) group /= 2;
  const struct op2i_launch launch = {
      .groups = (rows->n * rows->row_units + group - 1) / group,
      .group = group,
      .local_bytes = 8,
      .nargs = (int)(sizeof args / sizeof *args),
      .args = args,
  };
  device->counts.launches++;
  return device->kind->launch(device, code, &launch);
}
