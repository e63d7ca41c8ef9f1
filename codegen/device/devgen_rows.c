/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of functions that move rows of values between dats and packed memory. */
#include "devgen.h"
#include "devgen_row.h"
#include "error.h"

/* Each work item moves one unit of one row. */
static void move_rows(struct op2i_text *out, const char *name, const char *type, bool unpack) {
  static const char there[] = "op2_values[op2_places[2 * op2_row] * op2_units + op2_unit]";
  static const char packed[] = "op2_packed[op2_places[2 * op2_row + 1] + op2_unit]";
  op2i_text_add(out,
                "OP2_ENTRY %s(int64_t op2_rows, int64_t op2_units,\n"
                "    OP2_GLOBAL %s *op2_values, OP2_GLOBAL const int32_t *op2_places,\n"
                "    OP2_GLOBAL %s *op2_packed OP2_SHARED_PARAMETER) {\n"
                "  const int64_t op2_at = op2_group() * op2_items() + op2_item();\n"
                "  const int64_t op2_row = op2_at / op2_units;\n"
                "  const int64_t op2_unit = op2_at - op2_row * op2_units;\n"
                "  if (op2_row < op2_rows) %s =\n      %s;\n"
                "}\n",
                name, type, type, unpack ? there : packed, unpack ? packed : there);
}

op2_status op2i_device_rows_text(const struct op2i_device_dialect *dialect, struct op2i_text *out) {
  op2i_text_add(out, "/* Rows that travel, %s */\n%s%s", OP2I_ABI,
                dialect->opening ? dialect->opening : "", dialect->prelude);
  move_rows(out, "op2_pack4", "uint32_t", false);
  move_rows(out, "op2_unpack4", "uint32_t", true);
  move_rows(out, "op2_pack1", "unsigned char", false);
  move_rows(out, "op2_unpack1", "unsigned char", true);
  return out->failed ? op2i_error_nomem("generated code") : OP2_SUCCESS;
}
