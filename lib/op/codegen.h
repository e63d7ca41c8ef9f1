/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CODEGEN_H
#define OP2I_CODEGEN_H

/* The interface of the code generator, a layer above, to kernels and loops. */

#include <stdbool.h>

#include "code.h"
#include "op2/loop.h"
#include "strategy.h"

struct op2i_loop;
struct op2i_signature;
struct op2i_text;

/* Properties of a loop that are needed before its text is made. */
struct op2i_judgement {
  bool mergeable;  /* its scalar text may share a translation unit; that of vectors always may */
  bool divides;    /* vectors are divided, or roots of them are taken */
  int registers;   /* number of registers that the values of a batch fill */
  bool prefetches; /* its vector code prefetches rows */
};

struct op2i_codegen {
  /* codegen/c: op2i_kernel_given(), op2i_signature_parse(), op2i_signature_parse_address(),
   * op2i_signature_free(), op2i_source_uses(), op2i_source_assigns(), op2i_source_operations(),
   * op2i_source_doubles(), op2i_source_recurs(),
   * op2i_source_extended() */
  bool (*given)(const char *compiler, const char *flags, const char *headers);
  op2_status (*parse)(const char *source, const char *name, bool given, struct op2i_signature *out);
  op2_status (*parse_address)(const char *source, const char *name, bool given,
                              struct op2i_signature *signature, struct op2i_text *out);
  void (*free_signature)(struct op2i_signature *signature);
  bool (*uses)(const char *source, const char *whole, const char *word);
  int (*assigns)(const char *source, const char *word);
  double (*operations)(const char *source);
  bool (*doubles)(const char *source);
  bool (*extended)(const char *source);
  bool (*recurs)(const char *source);
  /* codegen/simd: op2i_simd_forget() */
  void (*forget)(op2_kernel kernel);
  /* codegen/host: op2i_generate_same_values(), op2i_generate_judge(), op2i_generate() */
  op2_status (*same_values)(const struct op2i_loop *loop, int dat, bool *holds);
  op2_status (*judge)(const struct op2i_loop *loop, int simd_bytes,
                      struct op2i_judgement *judgement, struct op2i_text *why);
  op2_status (*generate)(const struct op2i_loop *loop, enum op2i_variant variant,
                         struct op2i_text *out, bool *mergeable);
  /* codegen/device: op2i_device_rows_text() */
  op2_status (*generate_rows)(enum op2i_variant variant, struct op2i_text *out);
  /* codegen/device: the text of a device's variant by one strategy. OP2_ERR_UNAVAILABLE if the loop
   * cannot use that strategy. */
  op2_status (*generate_by)(const struct op2i_loop *loop, enum op2i_variant variant,
                            enum op2i_device_strategy strategy, struct op2i_text *out);
};
extern const struct op2i_codegen op2i_codegen; /* codegen/device/codegen.c */

#endif
