/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CGEN_H
#define OP2I_CGEN_H

#include "codegen.h"
#include "loop.h"
#include "text.h"

/* From a loop to the text of its code. */

/* Append the generated source of a loop. Pure: depends on the loop's structure only,
 * never on data, addresses or names of anything but kernel, parameters and constants. The text is
 * complete (compiles alone) and wraps its names in OP2_NAME(x) so that several can share a
 * translation unit: the prelude is guarded, the entry function is OP2_NAME(op2_entry). *mergeable
 * tells whether sharing is safe. OP2I_VECTOR takes vectors of form.simd_bytes, and fails with
 * OP2_ERR_UNAVAILABLE for loops that cannot be had in that form. */
op2_status op2i_generate(const struct op2i_loop *loop, enum op2i_variant variant,
                         struct op2i_text *out, bool *mergeable);
/* Whether the loop can be had as OP2I_VECTOR with such vectors, or else why not, in words; *why
 * stays empty if it can. */
op2_status op2i_generate_judge(const struct op2i_loop *loop, int simd_bytes,
                               struct op2i_judgement *judgement, struct op2i_text *why);

#endif
