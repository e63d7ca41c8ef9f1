/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets, maps and dats of a program for OP2. */
#include "compat.h"
#include "mem.h"

/* Programs may write into the names that they read, so these have room. */
static char *copy(const char *text) {
  size_t length = strlen(text ? text : "");
  char *made = op2i_compat_memory(length + 64);
  memcpy(made, text ? text : "", length);
  return made;
}

static void begun(const char *call) {
  if (!op2i_compat.ctx) op2i_compat_end("%s before op_init", call);
}

op_set op_decl_set(int size, const char *name) {
  op2_set handle;
  begun("op_decl_set");
  op2i_compat_check(op2_set_create(op2i_compat.ctx, size, name, &handle), "op_decl_set");
  op_set set = op2i_compat_memory(sizeof *set);
  *set = (struct op_set_core){.index = (int)op2i_compat.nsets,
                              .size = size,
                              .name = copy(name),
                              .core_size = size,
                              .handle = handle,
                              .declared = size,
                              .first = op2i_compat_before(size)};
  op2i_compat_append(&op2i_compat.sets, sizeof set, &op2i_compat.nsets, &op2i_compat.sets_max,
                     &set);
  return set;
}

/* Entries are numbers in the whole set, which alone are those of its elements. The copy has them
 * from 0; entries that an int does not hold are there after op_partition(). */
static op_map declare_map(op_set from, op_set to, int dim, const void *map, op2_type type,
                          const char *name) {
  op2_map handle;
  begun("op_decl_map");
  if (!from || !to) op2i_compat_end("op_decl_map: map '%s' has a null set", name);
  if (dim < 1 || (!map && from->size))
    op2i_compat_end("op_decl_map: map '%s' needs at least one entry for each element", name);
  size_t count = (size_t)from->size * (size_t)dim;
  int *values = op2i_compat_memory(count * sizeof *values);
  for (size_t i = 0; i < count; i++)
    values[i] = (type == OP2_I64 ? (int)((const long long *)map)[i] : ((const int *)map)[i]) -
                op2i_compat.maps_base;
  const op2_entries_desc how = {.type = type, .base = op2i_compat.maps_base, .global = true};
  op2i_compat_check(op2_map_create_entries(from->handle, to->handle, dim, &how, map, name, &handle),
                    "op_decl_map");
  op2i_compat.parted = false;
  op_map made = op2i_compat_memory(sizeof *made);
  *made = (struct op_map_core){(int)op2i_compat.nmaps, from, to, dim, values, copy(name), handle};
  op2i_compat_append(&op2i_compat.maps, sizeof made, &op2i_compat.nmaps, &op2i_compat.maps_max,
                     &made);
  return made;
}

op_map op_decl_map(op_set from, op_set to, int dim, int *map, const char *name) {
  return declare_map(from, to, dim, map, OP2_I32, name);
}

op_map op_decl_map_long(op_set from, op_set to, int dim, long long *map, const char *name) {
  return declare_map(from, to, dim, map, OP2_I64, name);
}

op_dat op_decl_dat_char(op_set set, int dim, const char *type, int size, char *data,
                        const char *name) {
  op2_dat handle;
  begun("op_decl_dat");
  if (!set) op2i_compat_end("op_decl_dat: dat '%s' has a null set", name);
  const struct op2i_compat_type *known = op2i_compat_type(type, size);
  op2i_compat_check(op2_dat_create(set->handle, dim, known->type, data, name, &handle),
                    "op_decl_dat");
  op_dat dat = op2i_compat_memory(sizeof *dat);
  *dat = (struct op_dat_core){
      (int)op2i_compat.ndats, set, dim, known->size * dim, {dat}, copy(type), copy(name), handle};
  op2i_compat_append(&op2i_compat.dats, sizeof dat, &op2i_compat.ndats, &op2i_compat.dats_max,
                     &dat);
  return dat;
}

/* Queued loops keep the values of the dat. */
int op_free_dat_temp_char(op_dat dat) {
  op2_dat handle = dat->handle;
  if (op2i_compat.viewed == dat) op2i_compat_close_view();
  op2_dat_destroy(&handle);
  for (int64_t i = 0; i < op2i_compat.ndats; i++)
    if (op2i_compat.dats[i] == dat) op2i_compat.dats[i] = op2i_compat.dats[--op2i_compat.ndats];
  op2i_free((char *)dat->name);
  op2i_free((char *)dat->type);
  op2i_free(dat);
  return 0;
}

int op_size_of_set(const char *name) {
  for (int64_t i = 0; i < op2i_compat.nsets; i++)
    if (!strcmp(op2i_compat.sets[i]->name, name)) return op_get_size(op2i_compat.sets[i]);
  return -1;
}

op_dat search_dat(op_set set, int dim, const char *type, int size, const char *name) {
  (void)size;
  for (int64_t i = 0; i < op2i_compat.ndats; i++) {
    op_dat dat = op2i_compat.dats[i];
    if (dat->set == set && dat->dim == dim && !strcmp(dat->type, type) && !strcmp(dat->name, name))
      return dat;
  }
  return NULL;
}

void op_renumber(op_map map) {
  op2i_compat_close_view();
  if (op2_renumber(map->handle)) op2i_compat_warn("op_renumber: %s", op2_error_message());
}

void *op2_compat_context(void) {
  op2i_compat_close_view();
  return op2i_compat.ctx;
}

op_set op2_compat_set(int i) { return i < op2i_compat.nsets ? op2i_compat.sets[i] : NULL; }
op_map op2_compat_map(int i) { return i < op2i_compat.nmaps ? op2i_compat.maps[i] : NULL; }
op_dat op2_compat_dat(int i) { return i < op2i_compat.ndats ? op2i_compat.dats[i] : NULL; }
