/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of op2's calls as those of OP2's, so that a trial can be made of them. */
#include "choice.h"
#include "mem.h"

/* The name of a type in OP2's calls, or null. */
static const char *name_of_type(op2_type type) {
  switch (type) {
  case OP2_F64: return "double";
  case OP2_F32: return "float";
  case OP2_I32: return "int";
  case OP2_U32: return "uint";
  case OP2_I64: return "ll";
  case OP2_U64: return "ull";
  case OP2_I16: return "short";
  case OP2_I8: return "char";
  case OP2_U8: return "bool";
  default: return NULL;
  }
}

static op_access access_of(int32_t access) {
  switch (access) {
  case OP2_WRITE: return OP_WRITE;
  case OP2_RW: return OP_RW;
  case OP2_INC: return OP_INC;
  case OP2_MIN: return OP_MIN;
  case OP2_MAX: return OP_MAX;
  default: return OP_READ;
  }
}

static void set_type(struct op2i_compat_list *list, op_arg *out, int dim, op2_type type) {
  out->dim = dim;
  out->type = name_of_type(type);
  if (!out->type) list->why = "an argument has a type that OP2 has not";
}

static op2_status add_map(struct op2i_compat_list *list, int i, op2_map map, int idx) {
  op2_map_info info;
  struct op_map_core *out = &list->maps[i];
  op2_status status = op2_map_info_get(map, &info);
  if (status) return status;
  if (idx < OP2_ALL || info.partial || !info.has_values || info.global_only)
    list->why = "an argument takes a map in a way that OP2 has not";
  if (list->why) return OP2_SUCCESS;
  op2_set_info from;
  status = op2_set_info_get(info.from, &from);
  if (status) return status;
  size_t rows = (size_t)from.ends[3];
  list->entries[i] = op2i_compat_memory(rows * (size_t)info.arity * sizeof **list->entries);
  *out = (struct op_map_core){.dim = info.arity, .map = list->entries[i], .name = info.name};
  list->args[i].map = out;
  list->args[i].idx = idx;
  return op2_map_get(map, list->entries[i]);
}

static op2_status add_dat(struct op2i_compat_list *list, int i, const op2_arg *arg) {
  op2_dat_info info;
  op_arg *out = &list->args[i];
  struct op_dat_core *dat = &list->dats[i];
  op2_status status = op2_dat_info_get(arg->object, &info);
  if (status) return status;
  set_type(list, out, info.dim, info.type);
  if (list->why) return OP2_SUCCESS;
  *dat = (struct op_dat_core){.dim = info.dim,
                              .size = info.dim * op2i_compat_type(out->type, 0)->size,
                              .type = out->type,
                              .name = info.name,
                              .handle = arg->object};
  out->kind = OP2_COMPAT_DAT;
  out->dat = dat;
  out->acc = access_of(arg->access);
  return arg->map ? add_map(list, i, arg->map, arg->idx) : OP2_SUCCESS;
}

static op2_status add_gbl(struct op2i_compat_list *list, int i, const op2_arg *arg) {
  op2_gbl_info info;
  op_arg *out = &list->args[i];
  op2_status status = op2_gbl_info_get(arg->object, &info);
  if (status) return status;
  set_type(list, out, info.dim, info.type);
  if (list->why) return OP2_SUCCESS;
  out->acc = access_of(arg->access);
  out->kind = arg->tag == OP2_TAG_INFO_ ? OP2_COMPAT_INFO : OP2_COMPAT_GBL;
  out->idx = arg->idx;
  if (out->kind == OP2_COMPAT_GBL && (out->acc == OP_WRITE || out->acc == OP_RW))
    list->why = "a global is written in a way that OP2 has not";
  list->values[i] =
      op2i_compat_memory((size_t)info.dim * (size_t)op2i_compat_type(out->type, 0)->size);
  out->data = list->values[i];
  return op2_gbl_get(arg->object, list->values[i]);
}

static op2_status add(struct op2i_compat_list *list, int i, const op2_arg *arg) {
  op_arg *out = &list->args[i];
  *out = (op_arg){.kind = OP2_COMPAT_GBL, .opt = 1, .dim = 1, .type = "int"};
  if (arg->tag == OP2_TAG_DAT_ && !arg->map2) return add_dat(list, i, arg);
  if (arg->tag == OP2_TAG_GBL_ || arg->tag == OP2_TAG_INFO_) return add_gbl(list, i, arg);
  if (arg->tag == OP2_TAG_VAL_ || arg->tag == OP2_TAG_WORK_) {
    set_type(list, out, arg->dim, (op2_type)arg->type);
    out->acc = arg->tag == OP2_TAG_WORK_ ? OP_WORK : OP_READ;
    out->data = (char *)(uintptr_t)arg->value;
    return OP2_SUCCESS;
  }
  out->kind = OP2_COMPAT_IDX;
  if (arg->tag == OP2_TAG_IDX_) return OP2_SUCCESS;
  if (arg->tag == OP2_TAG_MAP_IDX_) return add_map(list, i, arg->map, arg->idx);
  list->why = "an argument is a matrix, a pointer of the program, or absent";
  return OP2_SUCCESS;
}

op2_status op2i_compat_list_make(op2_set set, int nargs, const op2_arg *args,
                                 struct op2i_compat_list *list) {
  size_t n = (size_t)nargs;
  op2_set_info info;
  *list = (struct op2i_compat_list){.nargs = nargs};
  op2_status status = op2_set_info_get(set, &info);
  if (status) return status;
  if (info.base != set) list->why = "there has been no loop over a whole set";
  list->set.size = (int)info.ends[1];
  list->args = op2i_compat_memory(n * sizeof *list->args);
  list->dats = op2i_compat_memory(n * sizeof *list->dats);
  list->maps = op2i_compat_memory(n * sizeof *list->maps);
  list->entries = op2i_compat_memory(n * sizeof *list->entries);
  list->values = op2i_compat_memory(n * sizeof *list->values);
  for (int i = 0; i < nargs && !status && !list->why; i++) status = add(list, i, &args[i]);
  return status;
}

void op2i_compat_list_free(struct op2i_compat_list *list) {
  for (int i = 0; i < list->nargs && list->args; i++) {
    op2i_free(list->entries[i]);
    op2i_free(list->values[i]);
  }
  op2i_free(list->args);
  op2i_free(list->dats);
  op2i_free(list->maps);
  op2i_free(list->entries);
  op2i_free(list->values);
}
