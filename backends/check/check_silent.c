/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds two mistakes of programs: a variable that is changed in the belief that a constant changes
 * with it, and a minimum or maximum that still holds what an earlier step has left in it. */
#define _GNU_SOURCE /* process_vm_readv */
#include "check_silent.h"

#include <link.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "context.h"
#include "hash.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "mesh.h"
#include "process.h"
#include "text.h"
#include "types.h"

/* ---- values ---------------------------------------------------------------------------------- */

static double value_of(op2_type type, const void *at) {
#define CASE(type_, short_, c_)                                                                    \
  case type_: return (double)*(const c_ *)at;
  switch (type) { OP2I_TYPES(CASE) }
#undef CASE
  return 0;
}

/* The first component in which two arrays differ; dim: they are equal. */
static int32_t first_difference(op2_type type, int32_t dim, const void *a, const void *b) {
  const size_t bytes = op2i_type_size(type);
  int32_t c = 0;
  while (c < dim &&
         !memcmp((const char *)a + (size_t)c * bytes, (const char *)b + (size_t)c * bytes, bytes))
    c++;
  return c;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Read memory that may be gone without a fault. */
static bool read_memory(const void *from, void *to, size_t bytes) {
  struct iovec here = {to, bytes}, there = {(void *)from, bytes};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

struct search {
  uintptr_t address;
  bool found;
};

static int look_in_object(struct dl_phdr_info *object, size_t size, void *closure) {
  struct search *search = closure;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const uintptr_t from = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    search->found |= object->dlpi_phdr[i].p_type == PT_LOAD && search->address >= from &&
                     search->address - from < object->dlpi_phdr[i].p_memsz;
  }
  return search->found;
}

/* True for a variable that lives as long as the program. */
static bool is_static(const void *address) {
  struct search search = {.address = (uintptr_t)address};
  (void)op2i_process_objects(look_in_object, &search);
  return search.found;
}

/* The memory of a variable that is out of scope holds anything. A value that a program would set a
 * constant to is of a similar size. */
static bool is_plausible(double now, double before) {
  if (!isfinite(now)) return false;
  if (now == 0 || before == 0) return fabs(now - before) <= 1e6 && fabs(now - before) >= 1e-6;
  return fabs(now / before) <= 1e6 && fabs(now / before) >= 1e-6;
}

static void compare_constant(op2_const cst) {
  unsigned char now[256];
  if (!cst->given || cst->bytes > sizeof now) return;
  if (!read_memory(cst->given, now, cst->bytes)) {
    cst->given = NULL;
    return;
  }
  const int32_t c = first_difference(cst->type, cst->dim, now, cst->data);
  if (c == cst->dim) return;
  const size_t at = (size_t)c * op2i_type_size(cst->type);
  const double is = value_of(cst->type, now + at);
  const double was = value_of(cst->type, (const char *)cst->data + at);
  if (is_static(cst->given) || is_plausible(is, was)) {
    char component[32] = "";
    if (cst->dim > 1) snprintf(component, sizeof component, "[%d]", c);
    op2i_log(cst->obj.ctx, OP2I_LOG_WARN,
             "constant '%s'%s is %.9g in loops, and the variable that it was made of is %.9g now: "
             "op2_const_create() copies, and op2_const_set() changes a constant",
             cst->obj.name, component, was, is);
  }
  cst->given = NULL;
}

void op2i_silent_constants(const struct op2i_step *step) {
  for (op2_const cst = step->loop->op.ctx->consts; cst; cst = cst->next) compare_constant(cst);
}

/* ---- minima and maxima ----------------------------------------------------------------------- */

/* True for a minimum or maximum of a global that this step alone computes. */
static bool is_bound(const struct op2i_step *step, const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_GBL && (arg->access == OP2_MIN || arg->access == OP2_MAX) &&
         !step->defers && step->reduces && step->hi - step->lo == step->loop->set->ends[OP2I_EXEC];
}

static size_t bytes_of(const struct op2i_loop_arg *arg) {
  return (size_t)arg->dim * op2i_type_size(arg->type);
}

void *op2i_silent_begin(const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  size_t bytes = 0;
  for (int a = 0; a < loop->nargs; a++)
    if (is_bound(step, &loop->args[a])) bytes += bytes_of(&loop->args[a]);
  unsigned char *before = bytes ? op2i_malloc(bytes) : NULL, *to = before;
  for (int a = 0; before && a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (!is_bound(step, arg)) continue;
    memcpy(to, step->values.gbl[arg->gbl], bytes_of(arg));
    to += bytes_of(arg);
  }
  return before;
}

static uint64_t digest(const unsigned char *bytes, size_t n) {
  uint64_t hash = n;
  for (size_t i = 0; i < n; i++) hash = op2i_hash_word(hash, bytes[i]);
  return hash;
}

/* A minimum that starts from zero is zero for values above it, and one that starts from its own last
 * result stays there. */
static void compare_bound(const struct op2i_step *step, const struct op2i_loop_arg *arg,
                          const unsigned char *before) {
  op2_gbl gbl = step->loop->op.gbls[arg->gbl];
  const unsigned char *after = step->values.gbl[arg->gbl];
  const size_t bytes = bytes_of(arg);
  const bool minimum = arg->access == OP2_MIN, unmoved = !memcmp(before, after, bytes);
  const bool own = gbl->reduced_by == step->loop && gbl->reduced == digest(before, bytes);
  const double held = value_of(arg->type, before);
  if (unmoved && !gbl->reduced_warned && (own || (minimum && held == 0))) {
    gbl->reduced_warned = true;
    op2i_log(
        step->loop->op.ctx, OP2I_LOG_WARN,
        "%s:%d: loop '%s' over '%s': no element is %s the %.9g that global '%s' held before%s; "
        "a %s counts that value too, so set another one before the loop (op2_gbl_set) unless "
        "it is meant to count",
        step->file, step->line, op2i_loop_name(step->loop), step->loop->set->obj.name,
        minimum ? "below" : "above", held, gbl->obj.name,
        own ? ", which is what this loop had left in it" : "", minimum ? "minimum" : "maximum");
  }
  if (!unmoved || !own) {
    gbl->reduced_by = unmoved ? NULL : step->loop;
    gbl->reduced = digest(after, bytes);
  }
}

void op2i_silent_end(const struct op2i_step *step, void *before) {
  const unsigned char *from = before;
  for (int a = 0; before && a < step->loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &step->loop->args[a];
    if (!is_bound(step, arg)) continue;
    compare_bound(step, arg, from);
    from += bytes_of(arg);
  }
  op2i_free(before);
}
