/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector code of a loop, with as many lanes as its kernels allow, and the prelude that all such
 * texts begin with. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "simd.h"
#include "vec.h"
#include "vec_rows.h"
#include "vec_view.h"

/* OP2_JOIN concatenates two vectors. op2_pad() copies the first rows and repeats the last of them.
 * op2_ahead() prefetches what lies so many bytes further on. */
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
    "  unsigned char *op2_at = op2_to;\n"
    "  __builtin_memcpy(op2_at, op2_from, (size_t)op2_count * op2_row);\n"
    "  for (int64_t op2_lane = op2_count; op2_lane < op2_lanes; op2_lane++)\n"
    "    __builtin_memcpy(op2_at + (size_t)op2_lane * op2_row, op2_at + (size_t)(op2_count - 1) * "
    "op2_row, "
    "op2_row);\n}\n"
    "static inline __attribute__((always_inline, unused)) void op2_ahead("
    "const void *op2_from, int64_t op2_distance, int op2_bytes) {\n"
    "  for (int op2_byte = 0; op2_byte < op2_bytes; op2_byte += 64)\n"
    "    __builtin_prefetch((const void *)((uintptr_t)op2_from + (uintptr_t)op2_distance + "
    "(uintptr_t)op2_byte));\n}\n"
    "static const int64_t op2_each[] __attribute__((unused)) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
    "11, "
    "12, 13, 14, 15};\n"
    "#endif\n";

/* A kernel may need values that are wider than those of its arguments; then fewer lanes are tried.
 * On success the caller must end *v. */
static op2_status begin_vectors(struct op2i_vec *v, const struct op2i_emitter *e, int simd_bytes,
                                struct op2i_text *why) {
  enum { LEAST_BYTES = 16 };
  op2_status status = op2i_vec_begin(v, e, simd_bytes, simd_bytes, why);
  for (int bytes = simd_bytes / 2; !status && why->length && bytes >= LEAST_BYTES; bytes /= 2) {
    op2i_vec_end(v);
    op2i_text_cut(why, 0);
    status = op2i_vec_begin(v, e, bytes, simd_bytes, why);
  }
  if (status) op2i_vec_end(v);
  return status;
}

op2_status op2i_vec_judge(const struct op2i_emitter *e, int simd_bytes,
                          struct op2i_judgement *judgement, struct op2i_text *why) {
  struct op2i_vec v;
  op2_status status = begin_vectors(&v, e, simd_bytes, why);
  if (status) return status;
  judgement->divides = v.divides;
  judgement->registers = v.state;
  judgement->prefetches = !why->length && op2i_vec_prefetches(&v);
  op2i_vec_end(&v);
  return OP2_SUCCESS;
}

op2_status op2i_vec_emit(struct op2i_emitter *e, int simd_bytes, struct op2i_text *why) {
  struct op2i_vec v;
  op2_status status = begin_vectors(&v, e, simd_bytes, why);
  if (status) return status;
  if (!why->length) {
    op2i_simd_prelude(v.lanes, v.out);
    op2i_text_add(v.out, "%s", common);
    op2i_vec_move_helps(&v);
    for (int m = 0; m < e->nmembers; m++) {
      if (!v.kernels[m]) continue;
      op2i_emit_consts_struct(e, &e->rewrites[m]);
      op2i_simd_append(v.kernels[m], &e->rewrites[m], v.out);
    }
    e->prefetches = op2i_vec_prefetches(&v);
    op2i_vec_body(&v);
    op2i_emit_entry(e);
  }
  op2i_vec_end(&v);
  return status;
}
