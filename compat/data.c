/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of dats for the program: in place, copied, and in files. */
#include <errno.h>

#include "compat.h"
#include "mem.h"

void op2i_compat_close_view(void) {
  if (!op2i_compat.viewed) return;
  op2i_compat_check(op2_dat_write_end(op2i_compat.viewed->handle, &op2i_compat.view), "dat->data");
  op2i_compat.viewed = NULL;
}

/* The program may write through the pointer, so this opens a scope for writing, which the next use
 * of a dat ends. */
char *op2_compat_data(op_dat dat) {
  if (op2i_compat.viewed == dat) return op2i_compat.view;
  op2i_compat_close_view();
  op2i_compat_check(op2_dat_write_begin(dat->handle, &op2i_compat.view), "dat->data");
  op2i_compat.viewed = dat;
  return op2i_compat.view;
}

void op_fetch_data_char(op_dat dat, char *out) {
  op2i_compat_close_view();
  op2i_compat_check(op2i_compat_alone()
                        ? op2_dat_get(dat->handle, out)
                        : op2_dat_get_block(dat->handle, dat->set->first, dat->set->declared, out),
                    "op_fetch_data");
}

void op_fetch_data_idx_char(op_dat dat, char *out, int low, int high) {
  op2i_compat_close_view();
  if (low < 0 || high < low || high >= op_get_size(dat->set))
    op2i_compat_end("op_fetch_data_idx: dat '%s' has no elements %d to %d", dat->name, low, high);
  op2i_compat_check(op2_dat_get_block(dat->handle, low, high - low + 1, out), "op_fetch_data_idx");
}

/* ---- files ----------------------------------------------------------------------------------- */

static void print_value(FILE *file, op2_type type, const char *at) {
  switch (type) {
  case OP2_F64: fprintf(file, " %+2.15lE", *(const double *)at); break;
  case OP2_F32: fprintf(file, " %+f", *(const float *)at); break;
  case OP2_I32: fprintf(file, " %+d", *(const int *)at); break;
  case OP2_U32: fprintf(file, " %u", *(const unsigned *)at); break;
  case OP2_I64: fprintf(file, " %+lld", *(const long long *)at); break;
  case OP2_U64: fprintf(file, " %llu", *(const unsigned long long *)at); break;
  case OP2_I16: fprintf(file, " %+d", *(const short *)at); break;
  default: fprintf(file, " %+d", *(const signed char *)at);
  }
}

static void print_values(FILE *file, op_dat dat, int n, const char *values) {
  const struct op2i_compat_type *type = op2i_compat_type(dat->type, 0);
  fprintf(file, "%d %d\n", n, dat->dim);
  for (int64_t e = 0; e < n; e++) {
    for (int64_t k = 0; k < dat->dim; k++)
      print_value(file, type->type, values + (e * dat->dim + k) * type->size);
    fprintf(file, "\n");
  }
}

static void write_values(FILE *file, op_dat dat, int n, const char *values) {
  fwrite(&n, sizeof n, 1, file);
  fwrite(&dat->dim, sizeof dat->dim, 1, file);
  fwrite(values, (size_t)dat->size, (size_t)n, file);
}

/* The first rank writes the values of all. */
static void to_file(op_dat dat, const char *name, const char *mode,
                    void (*write)(FILE *, op_dat, int, const char *)) {
  int n = op_is_root() ? op_get_size(dat->set) : 0;
  char *values = op2i_compat_memory((size_t)dat->size * (size_t)n);
  op2i_compat_close_view();
  op2i_compat_check(op2_dat_get_block(dat->handle, 0, n, values), "op_print_dat_to_file");
  FILE *file = op_is_root() ? fopen(name, mode) : NULL;
  if (op_is_root() && !file) op2i_compat_end("%s cannot be written: %s", name, strerror(errno));
  if (file) write(file, dat, n, values);
  if (file && (ferror(file) | fclose(file))) op2i_compat_end("%s cannot be written", name);
  op2i_free(values);
}

void op_print_dat_to_txtfile(op_dat dat, const char *file) {
  to_file(dat, file, "w", print_values);
}

void op_print_dat_to_binfile(op_dat dat, const char *file) {
  to_file(dat, file, "wb", write_values);
}
