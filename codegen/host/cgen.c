/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated C of one loop: what all loops share, the kernel's headers and source, and a function
 * that calls it. */
#include <string.h>

#include "cgen.h"
#include "codegen.h"
#include "conditional.h"
#include "context.h"
#include "emit.h"
#include "error.h"
#include "math_print.h"
#include "signature.h"
#include "vec.h"
#include "vec_rows.h"

/* A copy of struct op2i_call. A translation unit of several loops defines OP2_ID before each, with
 * another value each time, so that each loop has its own names.
 *
 * fmin() and fmax() are defined in the generated text, since compilers and C libraries do not agree
 * which of two zeros they return: the first operand if it is less (greater) or the other one is
 * NaN, else the second. simd_helper.c has the same for vectors. Compilers must treat them like any
 * other function (backends/jit/compiler.c). */
static const char prelude[] =
    "#ifndef OP2_PRELUDE\n"
    "#define OP2_PRELUDE \"" OP2I_ABI "\"\n"
    "#include <float.h>\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#define OP2_EXTREME(name, type, before) \\\n"
    "  extern __inline__ __attribute__((gnu_inline, always_inline)) type \\\n"
    "  name(type op2_a, type op2_b) { \\\n"
    "    type op2_chosen = op2_a before op2_b ? op2_a : op2_b; \\\n"
    "    return op2_b == op2_b ? op2_chosen : op2_a; \\\n"
    "  }\n"
    "OP2_EXTREME(fmin, double, <)\n"
    "OP2_EXTREME(fmax, double, >)\n"
    "OP2_EXTREME(fminf, float, <)\n"
    "OP2_EXTREME(fmaxf, float, >)\n"
    "struct op2_call {\n"
    "  void *const *dat;\n"
    "  const int32_t *const *map;\n"
    "  const int64_t *subset;\n"
    "  const void *const *gbl;\n"
    "  const unsigned char *payload;\n"
    "  const int64_t *number;\n"
    "  const int64_t *const *target;\n"
    "  int64_t distance;\n"
    "};\n"
    "#ifdef OP2_ID\n"
    "#define OP2_PASTE_(name, id) name##_##id\n"
    "#define OP2_PASTE(name, id) OP2_PASTE_(name, id)\n"
    "#define OP2_NAME(name) OP2_PASTE(name, OP2_ID)\n"
    "#else\n"
    "#define OP2_NAME(name) name\n"
    "#endif\n"
    "#endif\n";

/* The structure above must match the library's: a change of one must be a change of both. */
_Static_assert(offsetof(struct op2i_call, dat) == 0 &&
                   offsetof(struct op2i_call, map) == sizeof(void *) &&
                   offsetof(struct op2i_call, subset) == 2 * sizeof(void *) &&
                   offsetof(struct op2i_call, gbl) == 3 * sizeof(void *) &&
                   offsetof(struct op2i_call, payload) == 4 * sizeof(void *) &&
                   offsetof(struct op2i_call, number) == 5 * sizeof(void *) &&
                   offsetof(struct op2i_call, target) == 6 * sizeof(void *) &&
                   offsetof(struct op2i_call, distance) == 7 * sizeof(void *) &&
                   sizeof(struct op2i_call) == 7 * sizeof(void *) + sizeof(int64_t),
               "struct op2_call of generated code");

/* ---- a summary for readers ------------------------------------------------------------------- */

/* Describe an argument, with the name that its kernel has for it. */
static void describe_arg(const struct op2i_emitter *e, int a, struct op2i_text *out) {
  static const char *const words[] = {[OP2I_ARG_VAL] = "values",
                                      [OP2I_ARG_IDX] = "element number",
                                      [OP2I_ARG_WORK] = "work array",
                                      [OP2I_ARG_OPAQUE] = "a pointer of the program\n",
                                      [OP2I_ARG_ABSENT] = "absent\n"};
  const struct op2i_loop_arg *arg = &e->loop->args[a];
  const char *name = op2i_emit_param(e, a)->name;
  op2i_text_add(out, *name ? " *   %d %s: " : " *   %d%s: ", a, name);
  if (arg->dat >= 0)
    op2i_text_add(out, "dat %d", (int)arg->dat);
  else if (arg->kind == OP2I_ARG_GBL)
    op2i_text_add(out, "global %d", (int)arg->gbl);
  else
    op2i_text_add(out, "%s", words[arg->kind]);
  if (arg->kind == OP2I_ARG_OPAQUE || arg->kind == OP2I_ARG_ABSENT) return;
  if (arg->kind == OP2I_ARG_IDX) {
    if (arg->map >= 0 && arg->slot >= 0)
      op2i_text_add(out, " through map %d slot %d", (int)arg->map, (int)arg->slot);
    else if (arg->map >= 0)
      op2i_text_add(out, "s through all %d slots of map %d", (int)arg->arity, (int)arg->map);
    op2i_text_add(out, "\n");
    return;
  }
  if (op2i_arg_informs(arg)) {
    op2i_text_add(out, ", %s[%d], of the element that wins in argument %d\n",
                  op2i_type_c(arg->type), (int)arg->dim, (int)arg->info_of);
    return;
  }
  op2i_text_add(out, ", %s[%d], %s", op2i_type_c(arg->type), (int)arg->dim,
                op2i_access_name(arg->access));
  if (arg->kind == OP2I_ARG_SLOT)
    op2i_text_add(out, " through map %d slot %d", (int)arg->map, (int)arg->slot);
  if (arg->kind == OP2I_ARG_ALL)
    op2i_text_add(out, " through all %d slots of map %d", (int)arg->arity, (int)arg->map);
  if (arg->kind == OP2I_ARG_ITER)
    op2i_text_add(out, " gathered from all %d slots of map %d", (int)arg->arity, (int)arg->map);
  op2i_text_add(out, "\n");
}

static void describe(const struct op2i_emitter *e, enum op2i_variant variant,
                     struct op2i_text *out) {
  const struct op2i_loop *loop = e->loop;
  op2i_text_add(out, "/* %s of kernel %s over a %s, %s:\n",
                variant == OP2I_CHECKED ? "One checked call" : "Loop", op2i_loop_name(loop),
                loop->set->base == loop->set ? "set" : "subset", OP2I_ABI);
  for (int a = 0; a < loop->nargs; a++) describe_arg(e, a, out);
  op2i_text_add(out, " */\n");
}

/* ---- the text -------------------------------------------------------------------------------- */

static bool all_mergeable(const struct op2i_emitter *e) {
  bool all = true;
  for (int m = 0; m < e->nmembers; m++) all = all && e->rewrites[m].mergeable;
  return all;
}

/* The functions of the math library that scalar code computes by itself, and those that contracted
 * products are computed by. */
static void define_math(const struct op2i_emitter *e) {
  if (op2i_emit_contracts(e)) {
    struct op2i_math_seen seen = {0};
    op2i_math_print("fused", 1, &seen, e->out);
    op2i_math_print("fused_minus", 1, &seen, e->out);
  }
  if (!op2i_emit_own_math(e)) return;
  for (int m = 0; m < e->nmembers; m++) {
    const struct op2_kernel_s *kernel = e->rewrites[m].member.kernel;
    const char *text = kernel->whole.text.length ? kernel->whole.text.chars : kernel->source;
    op2i_math_define(text, kernel->headers, e->out);
  }
}

static op2_status vectors(struct op2i_emitter *e, int simd_bytes) {
  struct op2i_text why = {0};
  op2_status status = op2i_vec_emit(e, simd_bytes, &why);
  if (!status && why.length) status = op2i_error(OP2_ERR_UNAVAILABLE, "%s", why.chars);
  op2i_text_free(&why);
  return status;
}

static op2_status functions(struct op2i_emitter *e, enum op2i_variant variant, int simd_bytes) {
  const char *headers = e->loop->kernel->headers;
  describe(e, variant, e->out);
  op2i_text_add(e->out, "%s", prelude);
  if (variant == OP2I_VECTOR) return vectors(e, simd_bytes);
  define_math(e);
  op2i_text_add(e->out, "%s", headers ? headers : "");
  e->rewrites[0].apart = variant == OP2I_CHECKED;
  op2i_emit_kernels(e);
  if (variant == OP2I_CHECKED)
    op2i_emit_checked(e);
  else
    op2i_emit_plain(e);
  return OP2_SUCCESS;
}

op2_status op2i_generate_vector(const struct op2i_loop *loop, enum op2i_variant variant,
                                int simd_bytes, struct op2i_text *out, bool *mergeable) {
  struct op2i_emitter emitter;
  op2_status status = op2i_emitter_begin(&emitter, loop, &op2i_dialect_c, out);
  if (!status && variant == OP2I_VECTOR) status = op2i_emit_bare_types(&emitter);
  if (!status) {
    status = functions(&emitter, variant, simd_bytes);
    /* Vector code has names of its own at file scope and contains no macros. */
    if (mergeable) *mergeable = variant == OP2I_VECTOR || all_mergeable(&emitter);
  }
  if (!status && out->failed) status = op2i_error_nomem("generated code");
  op2i_emitter_end(&emitter);
  return status;
}

op2_status op2i_generate(const struct op2i_loop *loop, enum op2i_variant variant,
                         struct op2i_text *out, bool *mergeable) {
  return op2i_generate_vector(loop, variant, loop->form.simd_bytes, out, mergeable);
}

op2_status op2i_generate_judge(const struct op2i_loop *loop, int simd_bytes,
                               struct op2i_judgement *judgement, struct op2i_text *why) {
  struct op2i_emitter emitter;
  struct op2i_text none = {0};
  op2_status status = op2i_emitter_begin(&emitter, loop, &op2i_dialect_c, &none);
  if (!status) status = op2i_vec_judge(&emitter, simd_bytes, judgement, why);
  if (!status) judgement->mergeable = all_mergeable(&emitter);
  op2i_emitter_end(&emitter);
  op2i_text_free(&none);
  return status;
}
