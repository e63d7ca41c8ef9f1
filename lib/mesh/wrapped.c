/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of memory that the program lends to dats and globals. */
#include "wrapped.h"

#include "context.h"
#include "error.h"

/* Memory of a dat or global, and the words for that. */
struct memory {
  const char *kind, *name, *data;
  size_t bytes;
};

static op2_status check_apart(struct memory one, struct memory other) {
  if (one.data >= other.data + other.bytes || other.data >= one.data + one.bytes)
    return OP2_SUCCESS;
  return op2i_error(OP2_ERR_ARG, "%s '%s': wrapped memory overlaps that of %s '%s'", one.kind,
                    one.name, other.kind, other.name);
}

static struct memory memory_of_dat(const struct op2_dat_s *dat) {
  return (struct memory){"dat", dat->obj.name, dat->wrapped,
                         (size_t)dat->set->ends[OP2I_NONEXEC] * dat->row_bytes};
}

op2_status op2i_wrapped_check(op2_context ctx, const char *kind, const char *name, const void *data,
                              size_t bytes, op2_type type) {
  const struct memory memory = {kind, name, data, bytes};
  op2_status status = OP2_SUCCESS;
  if (!data) return op2i_error(OP2_ERR_ARG, "%s '%s': wrapped memory is null", kind, name);
  if ((uintptr_t)data % op2i_type_size(type))
    return op2i_error(OP2_ERR_ARG, "%s '%s': wrapped memory is not aligned for %s", kind, name,
                      op2i_type_name(type));
  for (op2_dat dat = ctx->wrapped; dat && !status; dat = dat->next_wrapped)
    status = check_apart(memory, memory_of_dat(dat));
  for (const struct op2i_link *l = ctx->wrapped_gbls.first; l && !status; l = l->next) {
    const struct op2_gbl_s *gbl = l->object;
    status =
        check_apart(memory, (struct memory){"global", gbl->obj.name, gbl->wrapped, gbl->bytes});
  }
  return status;
}
