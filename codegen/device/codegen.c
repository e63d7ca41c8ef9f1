/* SPDX-License-Identifier: BSD-3-Clause */
/* The table by which lower layers call the code generators, for all kinds of code. */
#include "codegen.h"

#include "cgen.h"
#include "conditional.h"
#include "devgen.h"
#include "devgen_row.h"
#include "kernel_checks.h"
#include "signature.h"
#include "simd.h"

static const struct op2i_device_dialect *dialect_of(enum op2i_variant variant) {
#define DEVICE_KIND(id_, name_, summary_) &op2i_dialect_##name_,
  static const struct op2i_device_dialect *const dialects[] = {
#include "kinds.def"
  };
  return dialects[variant - OP2I_FIRST_DEVICE];
}

static op2_status generate(const struct op2i_loop *loop, enum op2i_variant variant,
                           struct op2i_text *out, bool *mergeable) {
  if (!op2i_on_device(variant)) return op2i_generate(loop, variant, out, mergeable);
  *mergeable = false;
  return op2i_device_generate(loop, dialect_of(variant), out);
}

static op2_status generate_by(const struct op2i_loop *loop, enum op2i_variant variant,
                              enum op2i_device_strategy strategy, struct op2i_text *out) {
  return op2i_device_generate_by(loop, dialect_of(variant), strategy, out);
}

static op2_status generate_rows(enum op2i_variant variant, struct op2i_text *out) {
  return op2i_device_rows_text(dialect_of(variant), out);
}

const struct op2i_codegen op2i_codegen = {
    .given = op2i_kernel_given,
    .parse = op2i_signature_parse,
    .parse_address = op2i_signature_parse_address,
    .free_signature = op2i_signature_free,
    .uses = op2i_source_uses,
    .assigns = op2i_source_assigns,
    .operations = op2i_source_operations,
    .doubles = op2i_source_doubles,
    .extended = op2i_source_extended,
    .recurs = op2i_source_recurs,
    .forget = op2i_simd_forget,
    .same_values = op2i_generate_same_values,
    .judge = op2i_generate_judge,
    .generate = generate,
    .generate_rows = generate_rows,
    .generate_by = generate_by,
};
