/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: messages. The caller of the step prefixes them with the loop and the place where it
 * was queued. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "check.h"
#include "check_layout.h"
#include "error.h"

static void describe_dat(const struct op2i_check *check, const struct op2i_check_row *row,
                         char *out, size_t size) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  op2_dat dat = check->loop->op.dats[arg->dat];
  int n = snprintf(out, size, "dat '%.100s', %s", dat->obj.name, op2i_access_name(arg->access));
  if (arg->map < 0 || n < 0 || (size_t)n >= size) return;
  const char *map = check->loop->maps[arg->map]->obj.name, *set = dat->set->obj.name;
  out += n;
  size -= (size_t)n;
  if (arg->kind == OP2I_ARG_ITER || row->own_role == OP2I_ROW_TRAP)
    snprintf(out, size, ", all slots of map '%.100s'", map);
  else
    snprintf(out, size, ", slot %d of map '%.100s': element %" PRId64 " of '%.100s'",
             arg->kind == OP2I_ARG_SLOT ? arg->slot : row->slot, map,
             op2i_set_number(dat->set, row->target), set);
}

static void describe_numbers(const struct op2i_check *check, const struct op2i_loop_arg *arg,
                             char *out, size_t size) {
  const char *map = arg->map < 0 ? "" : check->loop->maps[arg->map]->obj.name;
  if (arg->map < 0)
    snprintf(out, size, "op2_arg_idx");
  else if (arg->slot < 0)
    snprintf(out, size, "op2_arg_map_idx, all slots of map '%.100s'", map);
  else
    snprintf(out, size, "op2_arg_map_idx, slot %d of map '%.100s'", (int)arg->slot, map);
}

static void describe(const struct op2i_check *check, const struct op2i_check_row *row, char *out,
                     size_t size) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  switch (arg->kind) {
  case OP2I_ARG_GBL:
    snprintf(out, size,
             op2i_arg_informs(arg) ? "op2_arg_info, global '%.100s'" : "global '%.100s', %s",
             check->loop->op.gbls[arg->gbl]->obj.name, op2i_access_name(arg->access));
    break;
  case OP2I_ARG_VAL: snprintf(out, size, "op2_arg_val"); break;
  case OP2I_ARG_OPAQUE: snprintf(out, size, "op2_arg_opaque"); break;
  case OP2I_ARG_ABSENT: snprintf(out, size, "absent"); break;
  case OP2I_ARG_WORK: snprintf(out, size, "op2_arg_work"); break;
  case OP2I_ARG_IDX: describe_numbers(check, arg, out, size); break;
  default: describe_dat(check, row, out, size);
  }
}

op2_status op2i_check_error(const struct op2i_check *check, const struct op2i_check_row *row,
                            const char *format, ...) {
  char argument[512] = "", what[512], text[600];
  int nargs = check->loop->nargs;
  if (row && row->arg >= nargs) {
    snprintf(argument, sizeof argument, "constant '%.100s', ",
             check->loop->consts[row->arg - nargs].name);
  } else if (row) {
    describe(check, row, what, sizeof what);
    snprintf(argument, sizeof argument, "argument %d (%.470s), ", row->arg, what);
  }
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return op2i_error(OP2_ERR_KERNEL, "%selement %" PRId64 " of '%s': %s", argument,
                    op2i_set_number(check->loop->set->base, check->element),
                    check->loop->set->base->obj.name, text);
}

struct op2i_component op2i_check_component(const struct op2i_check *check,
                                           const struct op2i_check_row *row, int64_t component) {
  struct op2i_component out;
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  int64_t own = (int64_t)(row->bytes / row->value_bytes);
  bool outside = component < 0 || component >= own;
  if (outside)
    snprintf(out.text, sizeof out.text, "component %" PRId64 ", where 0 to %" PRId64 " are its own",
             component, own - 1);
  else if (arg->kind == OP2I_ARG_ITER)
    snprintf(out.text, sizeof out.text, "component %" PRId64 " of slot %" PRId64,
             component % op2i_arg_copied(arg) + op2i_arg_copied_first(arg),
             component / op2i_arg_copied(arg));
  else
    snprintf(out.text, sizeof out.text, "component %" PRId64, component);
  return out;
}
