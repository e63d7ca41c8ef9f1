/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of op2_par_loop() calls, with messages in the caller's names. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "component.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "loop.h"
#include "loop_validate.h"
#include "sparse.h"

struct call {
  op2_where where;
  op2_kernel kernel;
  op2_set set;
  int nargs;
  const op2_arg *args;
};

/* Names the argument that has an invalid handle. */
enum { WHAT_MAX = 512 };
static void name_argument(const struct call *call, int n, char what[WHAT_MAX]) {
  snprintf(what, WHAT_MAX, "%s:%d: loop '%s', argument %d", call->where.file, call->where.line,
           call->kernel->obj.name, n);
}

static op2_status wrong(const struct call *call, op2_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static op2_status wrong(const struct call *call, op2_status status, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return op2i_error(status, "%s:%d: loop '%s' over '%s': %s", call->where.file, call->where.line,
                    call->kernel->obj.name, call->set->obj.name, text);
}

static op2_status check_access(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  if (!op2i_access_valid(arg->access))
    return wrong(call, OP2_ERR_ACCESS, "argument %d (%s): %" PRId32 " is not an access mode", n,
                 op2i_arg_words(arg), arg->access);
  if (arg->tag == OP2_TAG_GBL_ && op2i_keeps_order(arg->access))
    return wrong(call, OP2_ERR_ACCESS,
                 "argument %d: global '%s' cannot be %s: READ, INC, MIN and MAX are possible", n,
                 ((op2_gbl)arg->object)->obj.name, op2i_access_name((op2_access)arg->access));
  return OP2_SUCCESS;
}

/* True if the kernel gets a private block in which the rows of all slots of the map are packed. */
static bool is_packed(const op2_arg *arg) {
  return arg->idx == OP2_PACKED || arg->idx == OP2_ITER(0) || arg->idx == OP2_ITER(1);
}

/* Without a dat, the argument stands for numbers of elements. */
static op2_status check_map(const struct call *call, int n, op2_dat dat) {
  const op2_arg *arg = &call->args[n];
  op2_map map = arg->map;
  const char *name = dat ? dat->obj.name : "op2_arg_map_idx";
  if (map->obj.ctx != call->set->obj.ctx)
    return wrong(call, OP2_ERR_MISMATCH, "argument %d: map '%s' belongs to another context", n,
                 map->obj.name);
  if (map->from != call->set->base)
    return wrong(call, OP2_ERR_MISMATCH,
                 "argument %d: map '%s' starts from set '%s', the loop is over '%s'", n,
                 map->obj.name, map->from->obj.name, call->set->base->obj.name);
  if (dat && map->to != dat->set)
    return wrong(call, OP2_ERR_MISMATCH,
                 "argument %d: map '%s' leads to set '%s', dat '%s' is on '%s'", n, map->obj.name,
                 map->to->obj.name, name, dat->set->obj.name);
  if (map->first && arg->idx == OP2I_EACH) return OP2_SUCCESS;
  if (map->absent)
    return wrong(call, OP2_ERR_MISMATCH,
                 "argument %d: map '%s' has entries that lead nowhere, and is for matrices alone "
                 "(op2_map_create_partial)",
                 n, map->obj.name);
  if (map->global)
    return wrong(
        call, OP2_ERR_STATE,
        "argument %d: map '%s' leads to elements anywhere: partition first (op2_partition)", n,
        map->obj.name);
  if (!map->idx && map->from->ends[OP2I_NONEXEC] > 0)
    return wrong(call, OP2_ERR_MISMATCH, "argument %d: map '%s' was declared without values", n,
                 map->obj.name);
  if (arg->idx != OP2_ALL && !(dat && is_packed(arg)) && (arg->idx < 0 || arg->idx >= map->arity))
    return wrong(call, OP2_ERR_RANGE,
                 "argument %d ('%s'): slot %" PRId32 " of map '%s' is not in [0, %" PRId32 ")", n,
                 name, arg->idx, map->obj.name, map->arity);
  return OP2_SUCCESS;
}

static op2_status check_dat(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  op2_dat dat = arg->object;
  char what[WHAT_MAX];
  name_argument(call, n, what);
  op2_status status = op2i_dat_validate(dat, what);
  if (status) return status;
  if (dat->obj.ctx != call->set->obj.ctx)
    return wrong(call, OP2_ERR_MISMATCH, "argument %d: dat '%s' belongs to another context", n,
                 dat->obj.name);
  if (arg->map) {
    status = op2i_object_validate(arg->map, OP2I_MAP, what);
    return status ? status : check_map(call, n, dat);
  }
  if (is_packed(arg))
    return wrong(call, OP2_ERR_RANGE, "argument %d: dat '%s' as %s argument without a map", n,
                 dat->obj.name, arg->idx == OP2_PACKED ? "a packed" : "an iteration-space");
  if (arg->idx != OP2_ALL)
    return wrong(call, OP2_ERR_RANGE,
                 "argument %d: slot %" PRId32
                 " of dat '%s' without a map: the map is null (an element's own values are "
                 "op2_arg_direct())",
                 n, arg->idx, dat->obj.name);
  if (dat->set != call->set->base)
    return wrong(
        call, OP2_ERR_MISMATCH,
        "argument %d: dat '%s' is on set '%s', the loop is over '%s', and no map leads there", n,
        dat->obj.name, dat->set->obj.name, call->set->base->obj.name);
  return OP2_SUCCESS;
}

/* Check the subset whose rows or columns an argument leaves out. */
static op2_status check_dropped(const struct call *call, int n, const char *what) {
  static const char *const sides[] = {[OP2_ROWS] = "rows", [OP2_COLUMNS] = "columns"};
  const op2_arg *arg = &call->args[n];
  const struct op2_mat_s *mat = arg->object;
  const op2_set subset = (op2_set)arg->value;
  if (arg->idx2 == OP2_ALL) return OP2_SUCCESS;
  op2_status status = op2i_object_validate(subset, OP2I_SET, what);
  if (status) return status;
  if (arg->idx2 < OP2_ROWS || arg->idx2 > OP2_ROWS_AND_COLUMNS)
    return wrong(call, OP2_ERR_ARG,
                 "argument %d: matrix '%s': side %" PRId32
                 " is not OP2_ROWS, OP2_COLUMNS or OP2_ROWS_AND_COLUMNS",
                 n, mat->obj.name, arg->idx2);
  for (int side = OP2_ROWS; side <= OP2_COLUMNS; side++) {
    const struct op2_set_s *of = side == OP2_ROWS ? op2i_sparsity_row_set(mat->sparsity)
                                                  : op2i_sparsity_column_set(mat->sparsity);
    if (arg->idx2 & side && subset->base != of)
      return wrong(call, OP2_ERR_MISMATCH,
                   "argument %d: '%s' is of set '%s', and the %s of matrix '%s' are of '%s'", n,
                   subset->obj.name, subset->base->obj.name, sides[side], mat->obj.name,
                   of->obj.name);
  }
  return OP2_SUCCESS;
}

static op2_status check_mat(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  op2_mat mat = arg->object;
  char what[WHAT_MAX];
  name_argument(call, n, what);
  op2_status status = op2i_object_validate(mat, OP2I_MAT, what);
  if (!status) status = op2i_object_validate(arg->map, OP2I_MAP, what);
  if (!status) status = op2i_object_validate(arg->map2, OP2I_MAP, what);
  if (status) return status;
  if (mat->obj.ctx != call->set->obj.ctx)
    return wrong(call, OP2_ERR_MISMATCH, "argument %d: matrix '%s' belongs to another context", n,
                 mat->obj.name);
  if (!op2i_sums(arg->access) && !op2i_overwrites(arg->access))
    return wrong(call, OP2_ERR_ACCESS,
                 "argument %d: matrix '%s' cannot be %s: INC and WRITE are possible", n,
                 mat->obj.name, op2i_access_name((op2_access)arg->access));
  if (!op2i_sparsity_nonzeros(mat->sparsity, arg->map, arg->map2))
    return wrong(
        call, OP2_ERR_MISMATCH,
        "argument %d: maps '%s' and '%s' are no pair of sparsity '%s', which matrix '%s' has", n,
        arg->map->obj.name, arg->map2->obj.name, mat->sparsity->obj.name, mat->obj.name);
  if (arg->map->from != call->set->base)
    return wrong(call, OP2_ERR_MISMATCH,
                 "argument %d: map '%s' starts from set '%s', the loop is over '%s'", n,
                 arg->map->obj.name, arg->map->from->obj.name, call->set->base->obj.name);
  return check_dropped(call, n, what);
}

static op2_status check_gbl(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  op2_gbl gbl = arg->object;
  char what[WHAT_MAX];
  name_argument(call, n, what);
  op2_status status = op2i_object_validate(gbl, OP2I_GBL, what);
  if (status) return status;
  if (gbl->obj.ctx != call->set->obj.ctx)
    return wrong(call, OP2_ERR_MISMATCH, "argument %d: global '%s' belongs to another context", n,
                 gbl->obj.name);
  for (int m = 0; m < n; m++) {
    const op2_arg *other = &call->args[m];
    if (other->object != arg->object || other->access == arg->access) continue;
    if (!op2i_modifies(other->access) || !op2i_modifies(arg->access))
      return wrong(call, OP2_ERR_ACCESS,
                   "arguments %d and %d: global '%s' cannot be read and reduced into by one loop",
                   m, n, gbl->obj.name);
    return wrong(call, OP2_ERR_ACCESS,
                 "arguments %d and %d: global '%s' cannot be reduced in two ways at once", m, n,
                 gbl->obj.name);
  }
  return OP2_SUCCESS;
}

/* The index of another argument that has the global of argument n, or -1. */
static int once_more(const struct call *call, int n) {
  for (int m = 0; m < call->nargs; m++)
    if (m != n && call->args[m].object == call->args[n].object &&
        op2i_arg_kind(&call->args[m]) == OP2I_ARG_GBL)
      return m;
  return -1;
}

/* op2_arg_info() must refer to a reduction of one value, MIN or MAX, of a global that is nowhere
 * else in the loop. */
static op2_status check_reduction(const struct call *call, int n) {
  int r = call->args[n].idx;
  const op2_arg *arg = r >= 0 && r < call->nargs ? &call->args[r] : NULL;
  if (!arg || arg->tag != OP2_TAG_GBL_ || !op2i_bounds(arg->access))
    return wrong(call, OP2_ERR_ARG,
                 "argument %d: op2_arg_info is about argument %d, which is not a global in OP2_MIN "
                 "or OP2_MAX",
                 n, r);
  op2_status status = check_gbl(call, r);
  if (status) return status;
  op2_gbl gbl = arg->object;
  if (gbl->dim != 1)
    return wrong(call, OP2_ERR_ARG,
                 "argument %d: op2_arg_info is about argument %d, and global '%s' has %" PRId32
                 " values of which each could be another element's",
                 n, r, gbl->obj.name, gbl->dim);
  int other = once_more(call, r);
  if (other < 0) return OP2_SUCCESS;
  return wrong(
      call, OP2_ERR_ACCESS,
      "arguments %d and %d: global '%s' is reduced with op2_arg_info, and then it can only "
      "be given once",
      r < other ? r : other, r < other ? other : r, gbl->obj.name);
}

static op2_status check_info(const struct call *call, int n) {
  op2_gbl gbl = call->args[n].object;
  op2_status status = check_gbl(call, n);
  if (!status) status = check_reduction(call, n);
  int other = status ? -1 : once_more(call, n);
  if (other < 0) return status;
  return wrong(call, OP2_ERR_ACCESS,
               "arguments %d and %d: global '%s' is given to op2_arg_info, and then it can only be "
               "given once",
               n < other ? n : other, n < other ? other : n, gbl->obj.name);
}

/* Values that are captured, or that the kernel has to work with. */
static op2_status check_val(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  const bool work = arg->tag == OP2_TAG_WORK_;
  if (!arg->value && !work)
    return wrong(call, OP2_ERR_ARG, "argument %d: op2_arg_val of a null pointer", n);
  if (arg->dim < 1)
    return wrong(call, OP2_ERR_ARG, "argument %d: %s with dim %" PRId32, n,
                 work ? "op2_arg_work" : "op2_arg_val", arg->dim);
  if (!op2i_type_size((op2_type)arg->type))
    return wrong(call, OP2_ERR_TYPE, "argument %d: %" PRId32 " is not an op2_type", n, arg->type);
  return OP2_SUCCESS;
}

static op2_status check_map_idx(const struct call *call, int n) {
  char what[WHAT_MAX];
  name_argument(call, n, what);
  op2_status status = op2i_object_validate(call->args[n].map, OP2I_MAP, what);
  return status ? status : check_map(call, n, NULL);
}

static op2_status check_object(const struct call *call, int n) {
  enum op2i_tag tag;
  if (!op2i_arg_tag(&call->args[n], &tag))
    return wrong(call, OP2_ERR_ARG, "argument %d was not made by an op2_arg_* function", n);
  switch (tag) {
  case OP2I_TAG_DAT: return check_dat(call, n);
  case OP2I_TAG_GBL: return check_gbl(call, n);
  case OP2I_TAG_WORK:
  case OP2I_TAG_VAL: return check_val(call, n);
  case OP2I_TAG_MAP_IDX: return check_map_idx(call, n);
  case OP2I_TAG_INFO: return check_info(call, n);
  case OP2I_TAG_MAT: return check_mat(call, n);
  default: return OP2_SUCCESS;
  }
}

static bool is_iter(const op2_arg *arg) {
  return op2i_arg_kind(arg) == OP2I_ARG_ITER && arg->tag != OP2_TAG_MAT_ && arg->idx != OP2_PACKED;
}

static op2_status check_extents(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  if (!is_iter(arg)) return OP2_SUCCESS;
  for (int m = 0; m < n; m++) {
    const op2_arg *other = &call->args[m];
    if (is_iter(other) && other->idx == arg->idx && other->map->arity != arg->map->arity)
      return wrong(call, OP2_ERR_MISMATCH,
                   "arguments %d and %d: iteration-space arguments have different extents (%" PRId32
                   " and %" PRId32 ")",
                   m, n, other->map->arity, arg->map->arity);
  }
  return OP2_SUCCESS;
}

/* ---- against the kernel's parameters --------------------------------------------------------- */

/* True if an argument is the numbers of all elements that a map leads to. */
static bool is_row(const op2_arg *arg) {
  return op2i_arg_kind(arg) == OP2I_ARG_IDX && arg->map && arg->idx == OP2_ALL;
}

static op2_type argument_type(const op2_arg *arg, int32_t *dim) {
  if (arg->tag == OP2_TAG_MAT_) {
    op2_mat mat = arg->object;
    *dim = mat->row_dim * mat->column_dim;
    return mat->type;
  }
  switch (op2i_arg_kind(arg)) {
  case OP2I_ARG_GBL: *dim = ((op2_gbl)arg->object)->dim; return ((op2_gbl)arg->object)->type;
  case OP2I_ARG_WORK:
  case OP2I_ARG_VAL: *dim = arg->dim; return (op2_type)arg->type;
  case OP2I_ARG_ABSENT:
  case OP2I_ARG_OPAQUE: *dim = 1; return OP2_U64;
  case OP2I_ARG_IDX: *dim = is_row(arg) ? arg->map->arity : 1; return OP2_I64;
  default: *dim = ((op2_dat)arg->object)->dim; return ((op2_dat)arg->object)->type;
  }
}

/* The number of slots that a kernel sees at once. */
static int64_t slots_of(const op2_arg *arg) {
  enum op2i_arg_kind kind = op2i_arg_kind(arg);
  if (kind != OP2I_ARG_ALL && kind != OP2I_ARG_ITER) return 1;
  return arg->map->arity * (arg->tag == OP2_TAG_MAT_ ? (int64_t)arg->map2->arity : 1);
}

static op2_status check_depth(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  const struct op2i_param *param = &call->kernel->signature.params[n];
  enum op2i_arg_kind kind = op2i_arg_kind(arg);
  int32_t dim;
  (void)argument_type(arg, &dim);
  bool by_value = (kind == OP2I_ARG_VAL && dim == 1) || (kind == OP2I_ARG_IDX && !is_row(arg));
  int depth = kind == OP2I_ARG_ALL ? 2 : 1;
  if (param->depth == depth || (by_value && param->depth == 0)) return OP2_SUCCESS;
  const char *expected = depth == 2 ? "an array of pointers, one per slot"
                         : by_value ? "a value or a pointer"
                                    : "a pointer";
  return wrong(call, OP2_ERR_TYPE,
               "argument %d (%s): the kernel's parameter is '%s %s', expected %s", n,
               op2i_arg_words(arg), param->type_text, param->name, expected);
}

/* A parameter that is declared as a longer array than the argument is lets its kernel run past the
 * end. A shorter one may leave values alone. The number in `T *x[4]` has no meaning in C, and
 * people write all kinds of numbers there, so only the indices that the kernel uses count. */
static op2_status check_length(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  const struct op2i_param *param = &call->kernel->signature.params[n];
  enum op2i_arg_kind kind = op2i_arg_kind(arg);
  int32_t dim;
  (void)argument_type(arg, &dim);
  int64_t length = (kind == OP2I_ARG_ALL ? 1 : dim) * slots_of(arg);
  if (param->extent <= length || kind == OP2I_ARG_ALL) return OP2_SUCCESS;
  return wrong(call, OP2_ERR_TYPE,
               "argument %d (%s): the kernel's parameter '%s %s' is an array of %" PRId64
               " values, the argument has %" PRId64 OP2I_SEE_CHECK,
               n, op2i_arg_words(arg), param->type_text, param->name, param->extent, length);
}

/* A kernel may declare the block of a matrix in any number of dimensions, if the length of rows and
 * the number of values are right. Extents that are not declared, or that only the compiler can
 * evaluate, are accepted. */
static op2_status check_shape(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  const struct op2i_param *param = &call->kernel->signature.params[n];
  op2_mat mat = arg->object;
  int64_t rows = (int64_t)arg->map->arity * mat->row_dim;
  int64_t columns = (int64_t)arg->map2->arity * mat->column_dim, values = 1;
  bool row = param->nextents < 2;
  for (int k = param->nextents - 1; k >= 0; k--) {
    if (!param->extents[k]) {
      row = row || k > 0;
      values = k > 0 ? rows * columns : 0; /* other extents are not known here */
      break;
    }
    values *= param->extents[k];
    row = row || (k > 0 && values == columns);
  }
  if (!param->nextents || (row && (!values || values == rows * columns))) return OP2_SUCCESS;
  return wrong(
      call, OP2_ERR_TYPE,
      "argument %d (%s): the kernel's parameter '%s %s' has another shape than the matrix's "
      "block of %" PRId64 " rows and %" PRId64 " columns",
      n, op2i_arg_words(arg), param->type_text, param->name, rows, columns);
}

/* Numbers of elements are global, so the size of the whole set counts. */
static op2_status check_number(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  const struct op2i_param *param = &call->kernel->signature.params[n];
  op2_set set = arg->map ? arg->map->to : call->set->base;
  int64_t size = op2_set_global_size(set);
  if (param->type != OP2_I32 || size <= (int64_t)INT32_MAX + 1) return OP2_SUCCESS;
  return wrong(
      call, OP2_ERR_RANGE,
      "argument %d (%s): set '%s' has %" PRId64
      " elements, whose numbers do not fit into the kernel's parameter '%s %s': it takes an "
      "int64_t",
      n, op2i_arg_words(arg), set->obj.name, size, param->type_text, param->name);
}

/* A typedef may hide a pointer; then only the compiler can tell. */
static op2_status check_pointer(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  const struct op2i_param *param = &call->kernel->signature.params[n];
  if (param->depth > 0 || (!param->type && !param->foreign)) return OP2_SUCCESS;
  return wrong(call, OP2_ERR_TYPE,
               "argument %d (%s): the kernel's parameter is '%s %s', expected a pointer", n,
               op2i_arg_words(arg), param->type_text, param->name);
}

/* Names what the kernel may modify in messages. */
static const char *made_for(const op2_arg *arg) {
  if (arg->tag == OP2_TAG_WORK_) return "op2_arg_work";
  return arg->tag == OP2_TAG_INFO_ ? "op2_arg_info" : op2i_access_name((op2_access)arg->access);
}

static op2_status check_param(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  const struct op2i_param *param = &call->kernel->signature.params[n];
  if (op2i_arg_kind(arg) == OP2I_ARG_OPAQUE || op2i_arg_kind(arg) == OP2I_ARG_ABSENT)
    return check_pointer(call, n);
  op2_status status = check_depth(call, n);
  if (status) return status;
  int32_t dim;
  op2_type type = argument_type(arg, &dim);
  bool index = op2i_arg_kind(arg) == OP2I_ARG_IDX;
  bool fits = param->foreign
                  ? false
                  : !param->type || param->type == type || (index && param->type == OP2_I32);
  if (!fits)
    return wrong(call, OP2_ERR_TYPE, "argument %d (%s) is %s, the kernel's parameter is '%s %s'%s",
                 n, op2i_arg_words(arg), index ? "an int32_t or int64_t" : op2i_type_name(type),
                 param->type_text, param->name,
                 param->foreign ? ", which is none of the types of op2" : "");
  if (op2i_modifies(arg->access) && param->readonly)
    return wrong(
        call, OP2_ERR_ACCESS,
        "argument %d (%s) is %s, but the kernel's parameter '%s %s' points to const" OP2I_SEE_CHECK,
        n, op2i_arg_words(arg), made_for(arg), param->type_text, param->name);
  if (index && param->depth && !param->readonly)
    return wrong(call, OP2_ERR_TYPE, "argument %d: %s %s a pointer to const, not '%s %s'", n,
                 is_row(arg) ? "element numbers" : "the element number",
                 is_row(arg) ? "need" : "needs a value or", param->type_text, param->name);
  if (index) status = check_number(call, n);
  if (status) return status;
  return arg->tag == OP2_TAG_MAT_ ? check_shape(call, n) : check_length(call, n);
}

/* Private copies live on the stacks of worker threads, which limits their size. */
static op2_status check_private(const struct call *call) {
  enum { MOST = 256 * 1024 };
  double bytes = 0;
  for (int n = 0; n < call->nargs; n++) {
    const op2_arg *arg = &call->args[n];
    enum op2i_arg_kind kind = op2i_arg_kind(arg);
    bool direct_to_data = arg->access <= OP2_RW && kind != OP2I_ARG_ITER &&
                          arg->tag != OP2_TAG_INFO_ && kind != OP2I_ARG_WORK;
    if (kind == OP2I_ARG_VAL || kind == OP2I_ARG_IDX || direct_to_data) continue;
    int32_t dim;
    op2_type type = argument_type(arg, &dim);
    bytes += (double)dim * (double)op2i_type_size(type) * (double)slots_of(arg);
    if (bytes > MOST)
      return wrong(call, OP2_ERR_RANGE,
                   "argument %d (%s): the private copies of INC, MIN, MAX, info, packed, work and "
                   "iteration-space arguments take more than %d bytes",
                   n, op2i_arg_words(arg), MOST);
  }
  return OP2_SUCCESS;
}

/* Offsets into captured values are of type int, which limits their size. */
static op2_status check_captured(const struct call *call) {
  const double most = 1 << 30;
  double bytes = 0;
  for (int n = 0; n < call->nargs; n++)
    if (op2i_arg_kind(&call->args[n]) == OP2I_ARG_VAL)
      bytes +=
          16 + (double)call->args[n].dim * (double)op2i_type_size((op2_type)call->args[n].type);
    else if (op2i_arg_kind(&call->args[n]) == OP2I_ARG_OPAQUE)
      bytes += 16 + sizeof(uint64_t);
  for (int c = 0; c < call->kernel->nconsts; c++)
    bytes += 16 + (double)call->kernel->consts[c]->bytes;
  if (bytes <= most) return OP2_SUCCESS;
  return wrong(call, OP2_ERR_RANGE,
               "the constants it uses and the values of op2_arg_val take %.0f bytes, and more than "
               "2^30 cannot be captured; a global can be read instead",
               bytes);
}

static op2_status check_handles(const struct call *call) {
  char what[WHAT_MAX];
  snprintf(what, sizeof what, "%s:%d: op2_par_loop", call->where.file, call->where.line);
  op2_status status = op2i_object_validate(call->kernel, OP2I_KERNEL, what);
  if (!status) status = op2i_object_validate(call->set, OP2I_SET, what);
  if (!status) status = op2i_context_validate(call->set->obj.ctx, "op2_par_loop");
  if (status) return status;
  if (call->kernel->obj.ctx != call->set->obj.ctx)
    return wrong(call, OP2_ERR_MISMATCH, "kernel and set belong to different contexts");
  if (call->nargs < 1 || !call->args) return wrong(call, OP2_ERR_ARG, "there are no arguments");
  return OP2_SUCCESS;
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warn_of_param(const struct call *call, int n) {
  const op2_arg *arg = &call->args[n];
  bool all = op2i_arg_kind(arg) == OP2I_ARG_ALL && arg->tag != OP2_TAG_MAT_;
  const struct op2i_shown shown = {.where = call->where,
                                   .set = call->set->obj.name,
                                   .argument = op2i_arg_words(arg),
                                   .map = all ? arg->map->obj.name : NULL,
                                   .nslots = slots_of(arg)};
  op2i_kernel_warn(call->kernel, n, (op2_access)arg->access, &shown);
}

/* Check all arguments. On failure *at is the one that is wrong, or -1 if it is none of them. */
static op2_status check_arguments(const struct call *call, int *at) {
  op2_status status = OP2_SUCCESS;
  for (int n = 0; !status && n < call->nargs; n++) {
    *at = n;
    status = check_object(call, n);
    if (!status) status = check_access(call, n);
    if (!status) status = check_extents(call, n);
  }
  if (status) return status;
  *at = -1;
  if (call->kernel->signature.nparams != call->nargs)
    return wrong(call, OP2_ERR_ARITY, "%d arguments for a kernel of %d parameters", call->nargs,
                 call->kernel->signature.nparams);
  for (int n = 0; !status && n < call->nargs; n++) {
    *at = n;
    status = check_param(call, n);
  }
  if (status) return status;
  *at = -1;
  status = check_private(call);
  return status ? status : check_captured(call);
}

op2_status op2i_loop_validate(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                              const op2_arg *args) {
  OP2I_FP_DEFAULT;
  const struct call call = {where, kernel, set, nargs, args};
  int at = -1;
  op2_status status = check_handles(&call);
  if (!status) status = check_arguments(&call, &at);
  for (int n = 0; !status && n < nargs; n++) warn_of_param(&call, n);
  return op2i_error_at(status, where.file, where.line, at,
                       at < 0 ? NULL : op2i_arg_object_name(&args[at]));
}
