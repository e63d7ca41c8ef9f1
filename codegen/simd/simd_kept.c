/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the vector forms of kernels from one loop to the next. Whether a loop can be vectorised is
 * asked before it is known which others it will be fused with, and translation takes most of the
 * time of code generation. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "simd.h"

/* This character stands for the rewrite's prefix; no C source has it outside literals. */
enum { PREFIX = '\1' };

static bool same_consts(const struct op2i_simd_translation *kept, const struct op2i_rewrite *r) {
  if (kept->nconsts != r->member.nconsts) return false;
  for (int c = 0; c < kept->nconsts; c++) {
    const struct op2i_simd_const *a = &kept->consts[c];
    const struct op2i_loop_const *b = &r->consts[c];
    if (a->type != b->type || a->dim != b->dim || a->in_place != b->in_place ||
        strcmp(a->name, b->name) != 0)
      return false;
  }
  return true;
}

static bool matches(const struct op2i_simd_translation *kept,
                    const struct op2i_simd_request *request) {
  size_t nparams = (size_t)request->rewrite->member.nargs;
  return kept->lanes == request->lanes && kept->widest == request->widest &&
         !memcmp(kept->varying, request->varying, nparams * sizeof *kept->varying) &&
         same_consts(kept, request->rewrite);
}

static void free_translation(struct op2i_simd_translation *kept) {
  op2i_text_free(&kept->text);
  op2i_text_free(&kept->why);
  op2i_free(kept->varying);
  for (int c = 0; kept->consts && c < kept->nconsts; c++) op2i_free(kept->consts[c].name);
  op2i_free(kept->consts);
  op2i_free(kept);
}

void op2i_simd_forget(op2_kernel kernel) {
  while (kernel->translations) {
    struct op2i_simd_translation *kept = kernel->translations;
    kernel->translations = kept->next;
    free_translation(kept);
  }
}

static const char *text_of(const struct op2_kernel_s *kernel) {
  return kernel->whole.text.length ? kernel->whole.text.chars : kernel->source;
}

/* Translate a kernel with the contents of its headers. */
static op2_status translate_whole(const struct op2i_simd_request *request,
                                  struct op2i_simd_translation *kept) {
  struct op2i_simd_request marked = *request;
  struct op2i_rewrite whole;
  const char *why = NULL;
  op2_status status = op2i_rewrite_whole(request->rewrite, &whole, &why);
  marked.rewrite = &whole;
  if (!status && why)
    op2i_text_add(&kept->why, "%s", why);
  else if (!status)
    status = op2i_simd_kernel(&marked, &kept->text, &kept->why, &kept->divides);
  op2i_rewrite_end(&whole);
  return status;
}

static op2_status translate(const struct op2i_simd_request *request,
                            struct op2i_simd_translation *kept) {
  struct op2i_rewrite rewrite = *request->rewrite;
  struct op2i_simd_request marked = *request;
  if (strchr(text_of(rewrite.member.kernel), PREFIX)) {
    op2i_text_add(&kept->why, "has a control character");
    return kept->why.failed ? op2i_error_nomem("generated code") : OP2_SUCCESS;
  }
  memcpy(rewrite.prefix, (const char[]){PREFIX, '\0'}, 2);
  marked.rewrite = &rewrite;
  op2_status status = rewrite.member.kernel->whole.text.length
                          ? translate_whole(&marked, kept)
                          : op2i_simd_kernel(&marked, &kept->text, &kept->why, &kept->divides);
  if (!status && kept->why.failed) status = op2i_error_nomem("generated code");
  return status;
}

/* Store the key of a translation; false without memory. */
static bool remember(const struct op2i_simd_request *request, struct op2i_simd_translation *kept) {
  const struct op2i_rewrite *r = request->rewrite;
  size_t nparams = (size_t)r->member.nargs;
  kept->lanes = request->lanes;
  kept->widest = request->widest;
  kept->varying = op2i_malloc(nparams * sizeof *kept->varying);
  kept->consts = op2i_calloc((size_t)r->member.nconsts, sizeof *kept->consts);
  if (!kept->varying || !kept->consts) return false;
  memcpy(kept->varying, request->varying, nparams * sizeof *kept->varying);
  for (; kept->nconsts < r->member.nconsts; kept->nconsts++) {
    const struct op2i_loop_const *from = &r->consts[kept->nconsts];
    char *name = op2i_strdup(from->name);
    if (!name) return false;
    kept->consts[kept->nconsts] =
        (struct op2i_simd_const){name, from->type, from->dim, from->in_place};
  }
  return true;
}

static op2_status make_translation(const struct op2i_simd_request *request,
                                   struct op2i_simd_translation **out) {
  struct op2i_simd_translation *kept = op2i_calloc(1, sizeof *kept);
  if (!kept) return op2i_error_nomem("generated code");
  op2_status status =
      remember(request, kept) ? translate(request, kept) : op2i_error_nomem("generated code");
  if (status)
    free_translation(kept);
  else
    *out = kept;
  return status;
}

op2_status op2i_simd_translated(const struct op2i_simd_request *request,
                                const struct op2i_simd_translation **out) {
  op2_kernel kernel = request->rewrite->member.kernel;
  struct op2i_simd_translation *kept = kernel->translations;
  while (kept && !matches(kept, request)) kept = kept->next;
  if (!kept) {
    op2_status status = make_translation(request, &kept);
    if (status) return status;
    kept->next = kernel->translations;
    kernel->translations = kept;
  }
  *out = kept;
  return OP2_SUCCESS;
}

void op2i_simd_append(const struct op2i_simd_translation *kept, const struct op2i_rewrite *rewrite,
                      struct op2i_text *out) {
  const char *at = kept->text.chars;
  for (const char *mark; at && (mark = strchr(at, PREFIX)); at = mark + 1) {
    op2i_text_bytes(out, at, (size_t)(mark - at));
    op2i_text_add(out, "%s", rewrite->prefix);
  }
  if (at) op2i_text_add(out, "%s", at);
}
