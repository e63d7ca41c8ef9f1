/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that the library knows by their address only. This is the one file that decides how: the
 * kernel's text calls a function of this file, which calls the kernel through a function of
 * op2_compat.h that knows all types. The addresses are what its last argument points to. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "compat.h"
#include "mem.h"

/* The addresses are no part of the text, so the text is the same in every run and on all ranks. */
#define ADDRESSES "op2_compat_addresses"

static void parameter(const struct op2_compat_site *site, int i, const op_arg *arg,
                      struct op2i_text *out) {
  bool value = arg->kind == OP2_COMPAT_IDX;
  bool all = (value || arg->kind == OP2_COMPAT_DAT) && op2i_compat_all_slots(arg);
  bool constant = value || op2i_compat_access(site, i, arg) == OP2_READ;
  const char *type = value ? "int" : op2i_compat_type(arg->type, 0)->text;
  op2i_text_add(out, "%s%s *%sa%d, ", constant ? "const " : "", type, all && !value ? "*" : "", i);
}

bool op2i_compat_repeats(const struct op2_compat_site *site, int nargs, const op_arg *args) {
  if (op2i_compat_alone()) return false;
  for (int i = 0; i < nargs; i++)
    if (args[i].opt && args[i].kind == OP2_COMPAT_DAT && args[i].map &&
        op2i_compat_access(site, i, &args[i]) != OP2_READ)
      return op2i_compat_prints(site);
  return false;
}

/* The number of elements that an argument gives. */
static int numbers(const op_arg *arg) { return op2i_compat_all_slots(arg) ? arg->map->dim : 1; }

/* Copies of the numbers for a kernel that does not count from 0. */
static void from_base(int i, const op_arg *arg, struct op2i_text *out) {
  op2i_text_add(out, "  const int b%d[] = {", i);
  for (int k = 0; k < numbers(arg); k++) op2i_text_add(out, "a%d[%d] + %d, ", i, k, arg->base);
  op2i_text_add(out, "};\n");
}

static bool has_base(const op_arg *arg) { return arg->kind == OP2_COMPAT_IDX && arg->base; }

void op2i_compat_address_text(const struct op2_compat_site *site, int nargs, const op_arg *args,
                              struct op2i_text *out) {
  bool repeats = op2i_compat_repeats(site, nargs, args);
  for (int i = 0; i < nargs; i++)
    if (args[i].opt) parameter(site, i, &args[i], out);
  if (repeats) op2i_text_add(out, "const int *op2_compat_owner, ");
  op2i_text_add(out, "const unsigned long long *" ADDRESSES ") {\n");
  for (int i = 0; i < nargs; i++)
    if (has_base(&args[i])) from_base(i, &args[i], out);
  op2i_text_add(out, "  const void *values[] = {");
  for (int i = 0; i < nargs; i++)
    op2i_text_add(out, !args[i].opt ? "0, " : has_base(&args[i]) ? "b%d, " : "a%d, ", i);
  op2i_text_add(out,
                "};\n  ((void (*)(const unsigned long long *, const void *const *, int))" ADDRESSES
                "[0])(" ADDRESSES ", values, %s);\n}\n",
                repeats ? "*op2_compat_owner" : "0");
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The places of a kernel's addresses. */
enum { HERE, CALL, FUNCTION, RANK };

static void call(const uint64_t *addresses, void *const *values) {
  ((void (*)(void (*)(void), void *const *))(uintptr_t)addresses[CALL])(
      (void (*)(void))(uintptr_t)addresses[FUNCTION], values);
}

static void call_always(const uint64_t *addresses, void *const *values, int owner) {
  (void)owner;
  call(addresses, values);
}

/* Redirect output to /dev/null, or undo this. */
static void silence(bool on) {
  static int kept[2];
  FILE *const files[] = {stdout, stderr};
  for (int i = 0; i < 2; i++) {
    int file = fileno(files[i]), other = on ? open("/dev/null", O_WRONLY) : kept[i];
    fflush(files[i]);
    if (on) kept[i] = dup(file);
    if (other >= 0 && kept[i] >= 0) dup2(other, file);
    if (other >= 0) close(other);
  }
}

/* Call a function over the elements that a rank owns and over copies of others', for which it has
 * printed on their own rank. Meanwhile no other thread prints. */
static void call_once(const uint64_t *addresses, void *const *values, int owner) {
  static pthread_rwlock_t printing = PTHREAD_RWLOCK_INITIALIZER;
  bool copy = owner != (int)addresses[RANK];
  if (copy)
    pthread_rwlock_wrlock(&printing);
  else
    pthread_rwlock_rdlock(&printing);
  if (copy) silence(true);
  call(addresses, values);
  if (copy) silence(false);
  pthread_rwlock_unlock(&printing);
}

void op2i_compat_addresses(const struct op2_compat_site *site, bool repeats,
                           uint64_t addresses[OP2I_COMPAT_ADDRESSES]) {
  addresses[HERE] = (uint64_t)(uintptr_t)(repeats ? call_once : call_always);
  addresses[CALL] = (uint64_t)(uintptr_t)site->call;
  addresses[FUNCTION] = (uint64_t)(uintptr_t)site->function;
  addresses[RANK] = (uint64_t)op2_rank(op2i_compat.ctx);
}
