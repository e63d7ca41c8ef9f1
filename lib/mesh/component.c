/* SPDX-License-Identifier: BSD-3-Clause */
/* Components of dats: handles that stand for some values of each element. Loops refer to the dat, and
 * let their kernels begin at the component. */
#include "component.h"

#include <stdio.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"

op2_status op2i_dat_validate(op2_dat dat, const char *what) {
  const bool component = op2i_object_is(dat, OP2I_COMPONENT);
  return op2i_object_validate(dat, component ? OP2I_COMPONENT : OP2I_DAT, what);
}

static void release_component(void *object) { op2i_unref(((op2_dat)object)->whole); }

/* "u[1]", or "u[1:3]" for two components. */
static char *make_name(op2_dat whole, int first, int n) {
  const size_t room = strlen(whole->obj.name) + 32;
  char *name = op2i_malloc(room);
  if (name && n == 1) snprintf(name, room, "%s[%d]", whole->obj.name, first);
  if (name && n > 1) snprintf(name, room, "%s[%d:%d]", whole->obj.name, first, first + n);
  return name;
}

static op2_status make_component(op2_dat whole, int first, int n, op2_dat *out) {
  op2_dat component = op2i_calloc(1, sizeof *component);
  char *name = make_name(whole, first, n);
  op2_status status = component && name ? OP2_SUCCESS : op2i_error_nomem("a component");
  if (!status)
    status = op2i_object_init(component, whole->obj.ctx, OP2I_COMPONENT, name, release_component);
  op2i_free(name);
  if (status) {
    op2i_free(component);
    return status;
  }
  component->set = whole->set;
  component->dim = n;
  component->type = whole->type;
  component->row_bytes = (size_t)n * op2i_type_size(whole->type);
  component->whole = op2i_ref(whole);
  component->first = first;
  *out = component;
  return OP2_SUCCESS;
}

op2_status op2_dat_component(op2_dat dat, int first, int n, op2_dat *out) {
  static const char call[] = "op2_dat_component";
  const bool nested = op2i_object_is(dat, OP2I_COMPONENT);
  const int32_t range[] = {first, n};
  op2i_object_call(dat, nested ? OP2I_COMPONENT : OP2I_DAT, call, NULL,
                   op2i_digest_bytes(0, range, sizeof range));
  op2_status status = op2i_dat_validate(dat, call);
  if (status) return status;
  if (!out) return op2i_error(OP2_ERR_ARG, "%s: dat '%s': a null pointer", call, dat->obj.name);
  if (first < 0 || n < 1 || first > dat->dim - n)
    return op2i_error(OP2_ERR_RANGE, "%s: dat '%s' has %d components: %d from %d on are not there",
                      call, dat->obj.name, (int)dat->dim, n, first);
  return make_component(op2i_dat_whole(dat), dat->first + first, n, out);
}

void op2i_component_copy(op2_dat component, void *rows, void *values, bool get) {
  const size_t bytes = component->row_bytes, row = component->whole->row_bytes;
  const size_t at = (size_t)component->first * op2i_type_size(component->type);
  const struct op2_set_s *set = component->set;
  for (int64_t i = 0; i < set->ends[OP2I_OWNED]; i++) {
    char *in_row = (char *)rows + (size_t)i * row + at;
    char *value = (char *)values + (size_t)op2i_set_place(set, i) * bytes;
    memcpy(get ? value : in_row, get ? in_row : value, bytes);
  }
}
