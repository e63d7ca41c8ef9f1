/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "error.h"
#include "lanes.h"
#include "mem.h"
#include "vec.h"

/* Two vectors one behind the other; the first n rows, and again the last of them. */
static const char common[] =
    "#ifndef OP2_JOIN64\n"
    "typedef double op2_join4 __attribute__((vector_size(32)));\n"
    "typedef double op2_join8 __attribute__((vector_size(64)));\n"
    "#if defined __AVX512F__ && __has_builtin(__builtin_ia32_insertf64x4_mask)\n"
    "#define OP2_JOIN64(type, a, b, ...) ((type)__builtin_ia32_insertf64x4_mask( \\\n"
    "    __builtin_ia32_pd512_256pd((op2_join4)(a)), (op2_join4)(b), 1, (op2_join8){0}, -1))\n"
    "#else\n"
    "#define OP2_JOIN64(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"
    "#endif\n"
    "typedef double op2_join2 __attribute__((vector_size(16)));\n"
    "#if defined __AVX__ && __has_builtin(__builtin_ia32_pd256_pd)\n"
    "#define OP2_JOIN32(type, a, b, ...) ((type)__builtin_ia32_vinsertf128_pd256( \\\n"
    "    __builtin_ia32_pd256_pd((op2_join2)(a)), (op2_join2)(b), 1))\n"
    "#else\n"
    "#define OP2_JOIN32(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"
    "#endif\n"
    "static __attribute__((noinline, cold, unused)) void op2_pad(void *op2_to, const void "
    "*op2_from, "
    "size_t op2_row,\n    int64_t op2_count, int op2_lanes) {\n"
    "  unsigned char *op2_t = op2_to;\n"
    "  __builtin_memcpy(op2_t, op2_from, (size_t)op2_count * op2_row);\n"
    "  for (int64_t op2_l = op2_count; op2_l < op2_lanes; op2_l++)\n"
    "    __builtin_memcpy(op2_t + (size_t)op2_l * op2_row, op2_t + (size_t)(op2_count - 1) * "
    "op2_row, "
    "op2_row);\n}\n"
    "static inline __attribute__((always_inline, unused)) void op2_ahead(const void *op2_from, int "
    "op2_bytes) {\n"
    "  for (int op2_b = 0; op2_b < op2_bytes; op2_b += 64)\n"
    "    __builtin_prefetch((const void *)((uintptr_t)op2_from + 8192 + (uintptr_t)op2_b));\n}\n"
    "static const int64_t op2_each[] __attribute__((unused)) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
    "11, "
    "12, 13, 14, 15};\n"
    "#endif\n";

static op2_status refused(const struct op2i_rewrite *r, const struct op2i_text *why) {
  return op2i_error(OP2_ERR_UNAVAILABLE, "kernel '%s' %s", r->member.kernel->obj.name, why->chars);
}

/* The kernel of member m, where no member before has it. */
static op2_status kernel(struct op2i_vec *v, int m) {
  const struct op2i_rewrite *r = &v->e->rewrites[m];
  struct op2i_text why = {0};
  if (r->same_as != m) return OP2_SUCCESS;
  bool *varying = op2i_calloc((size_t)r->member.nargs, sizeof *varying);
  if (!varying) return op2i_error_nomem("generated code");
  for (int i = 0; i < r->member.nargs; i++) varying[i] = v->args[r->member.first_arg + i].varies;
  const struct op2i_lanes_request request = {
      .rewrite = r, .varying = varying, .lanes = v->lanes, .widest = v->widest};
  op2i_emit_consts_struct(v->e, r);
  bool divides = false;
  op2_status status = op2i_lanes_kernel(&request, v->out, &why, &divides);
  v->divides = v->divides || divides;
  if (!status && why.failed) status = op2i_error_nomem("generated code");
  if (!status && why.length) status = refused(r, &why);
  op2i_text_free(&why);
  op2i_free(varying);
  return status;
}

/* With the lanes of vectors of lane_bytes, though vectors may be as long as `widest`. */
static op2_status emit_lanes(const struct op2i_emitter *e, int lane_bytes, int widest) {
  struct op2i_vec v;
  op2_status status = op2i_vec_begin(&v, e, lane_bytes);
  if (!status) {
    v.widest = widest;
    op2i_lanes_prelude(v.lanes, v.out);
    op2i_text_add(v.out, "%s", common);
    op2i_vec_move_helps(&v);
  }
  for (int m = 0; m < e->nmembers && !status; m++) status = kernel(&v, m);
  if (!status) {
    op2i_vec_body(&v);
    op2i_emit_entry(e);
  }
  op2i_vec_end(&v);
  return status;
}

/* A kernel may need values that are longer than those of its arguments: then fewer lanes do. */
op2_status op2i_vec_emit(const struct op2i_emitter *e, int simd_bytes) {
  enum { LEAST_BYTES = 16 };
  size_t start = e->out->length;
  op2_status status = emit_lanes(e, simd_bytes, simd_bytes);
  for (int bytes = simd_bytes / 2; status == OP2_ERR_UNAVAILABLE && bytes >= LEAST_BYTES;
       bytes /= 2) {
    op2i_text_cut(e->out, start);
    status = emit_lanes(e, bytes, simd_bytes);
  }
  return status;
}
