/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that the library knows by their address only. This is the one file that decides how: the
 * kernel's text calls, through a function of op2_compat.h that knows all types, what its last
 * argument points to. */
#include "compat.h"
#include "mem.h"

/* The addresses are no part of the text, which so is the same in every run and on all ranks. */
#define ADDRESSES "op2_compat_addresses"

static void parameter(const struct op2_compat_site *site, int i, const op_arg *arg,
                      struct op2i_text *out) {
  bool value = arg->kind == OP2_COMPAT_IDX;
  bool all = (value || arg->kind == OP2_COMPAT_DAT) && op2i_compat_all_slots(arg);
  bool constant = value || op2i_compat_access(site, i, arg) == OP2_READ;
  const char *type = value ? "int" : op2i_compat_type(arg->type, 0)->text;
  op2i_text_add(out, "%s%s *%sa%d, ", constant ? "const " : "", type, all && !value ? "*" : "", i);
}

void op2i_compat_address_text(const struct op2_compat_site *site, int nargs, const op_arg *args,
                              struct op2i_text *out) {
  for (int i = 0; i < nargs; i++)
    if (args[i].opt) parameter(site, i, &args[i], out);
  op2i_text_add(out, "const unsigned long long *" ADDRESSES ") {\n  const void *values[] = {");
  for (int i = 0; i < nargs; i++) op2i_text_add(out, args[i].opt ? "a%d, " : "0, ", i);
  op2i_text_add(out, "};\n  ((void (*)(void (*)(void), const void *const *))" ADDRESSES
                     "[0])((void (*)(void))" ADDRESSES "[1], values);\n}\n");
}

void op2i_compat_addresses(const struct op2_compat_site *site, uint64_t addresses[2]) {
  addresses[0] = (uint64_t)(uintptr_t)site->call;
  addresses[1] = (uint64_t)(uintptr_t)site->function;
}
