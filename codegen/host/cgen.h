/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CGEN_H
#define OP2I_CGEN_H

#include "codegen.h"
#include "loop.h"
#include "text.h"

/* Generation of a loop's source text for the host. */

/* Append the generated source of a loop. The function is pure: the text depends on the loop's
 * structure only, never on data, addresses or names of anything but kernel, parameters and
 * constants. The text is complete (compiles alone) and wraps its names in OP2_NAME(x) so that
 * several can share a translation unit: the prelude is guarded, the entry function is
 * OP2_NAME(op2_entry). *mergeable is set to true if sharing is safe. OP2I_VECTOR uses vectors of
 * form.simd_bytes, and fails with OP2_ERR_UNAVAILABLE for loops that cannot be generated in that
 * form. */
op2_status op2i_generate(const struct op2i_loop *loop, enum op2i_variant variant,
                         struct op2i_text *out, bool *mergeable);
/* Find out whether the loop can be generated as OP2I_VECTOR with such vectors: *why stays empty if
 * it can, else it gets the reason in words. */
op2_status op2i_generate_judge(const struct op2i_loop *loop, int simd_bytes,
                               struct op2i_judgement *judgement, struct op2i_text *why);
/* same_values.c: set *holds to true if the kernel's text shows that every element overwrites all that
 * it reaches of this dat with the same values. */
op2_status op2i_generate_same_values(const struct op2i_loop *loop, int dat, bool *holds);

#endif
