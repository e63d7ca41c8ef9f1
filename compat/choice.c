/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of op2.hpp: the stored text of a lambda, or its address. */
#include "choice.h"
#include "cxx.h"
#include "mem.h"

enum { MOST = 128 }; /* arguments of a loop */

struct choice {
  struct op2_compat_choice base;
  op2_context ctx;
  struct op2_compat_stored stored;
  char *name, *text, *declaration;
  op2_function function;
  int threads;
  op2_kernel made; /* the kernel that was chosen, of text or again by address; null: not yet */
};

/* ---- text ------------------------------------------------------------------------------------ */

/* The context whose constants a text may use, while one is made. */
static _Thread_local op2_context constants_of;

static bool is_constant(const char *name, int length) {
  op2_object object;
  for (int i = 0; !op2_object_get(constants_of, OP2_OBJECT_CONST, i, &object); i++)
    if (strlen(object.name) == (size_t)length && !memcmp(object.name, name, (size_t)length))
      return true;
  return false;
}

/* Turn what is given behind a name into C. Returns null, or why not. */
static const char *turn(struct op2i_cxx_unit *unit, const char *name, struct op2i_text *out) {
  struct op2i_cxx_item item;
  const char *why = op2i_cxx_given(unit, name, &item);
  if (why) return why;
  struct op2i_cxx_request request = {name, "", is_constant, true, &item};
  why = op2i_cxx_translate(unit, &request, out);
  if (!why || strncmp(why, "a structure", 11)) return why;
  op2i_text_free(out);
  request.flat = false;
  return op2i_cxx_translate(unit, &request, out);
}

/* The same from stored text. */
static const char *text_of(op2_context ctx, const char *stored, const char *name,
                           struct op2i_text *out) {
  const struct op2_compat_site site = {.text = stored};
  struct op2i_cxx_unit unit = {0};
  const char *mode = getenv("OP_COMPAT_KERNELS"), *why;
  if (mode && !strcmp(mode, "address")) return "OP_COMPAT_KERNELS=address";
  char *source = op2i_compat_source(&site, &why);
  if (!source) return why;
  constants_of = ctx;
  why = op2i_cxx_read(source, &unit);
  if (!why) why = turn(&unit, name, out);
  if (!why && (out->failed || !out->chars)) why = "memory is lacking";
  op2i_cxx_free(&unit);
  return why;
}

static op2_kernel_desc describe(const struct choice *c, const char *remark) {
  static const char *const integers[] = {"<stddef.h>", "<stdint.h>", NULL};
  return (op2_kernel_desc){.name = c->name,
                           .source = c->text,
                           .headers = strstr(c->text, "_t ") ? integers : NULL,
                           .remark = remark};
}

/* ---- kernels --------------------------------------------------------------------------------- */

static op2_status make_address(op2_context ctx, const op2_kernel_desc *desc, const char *why,
                               op2_kernel *out) {
  op2_kernel_desc remarked = *desc;
  struct op2i_text remark = {0};
  op2i_text_add(&remark, "called by its address: %s", why);
  remarked.remark = remark.failed ? "called by its address" : remark.chars;
  op2_status status = op2_kernel_create(ctx, &remarked, out);
  op2i_text_free(&remark);
  return status;
}

/* Constants of the program's context, in that of the trial. */
static op2_status bring_constants(const struct choice *c, op2_context trial) {
  op2_object object;
  op2_status status = OP2_SUCCESS;
  int64_t n = op2_objects(c->ctx, OP2_OBJECT_CONST);
  for (int i = 0; i < n && !status; i++) {
    op2_const_info info;
    op2_const made;
    char values[1 << 16];
    status = op2_object_get(c->ctx, OP2_OBJECT_CONST, i, &object);
    if (!status) status = op2_const_info_get(object.handle, &info);
    if (status || info.dim > (int)sizeof values / 8) continue;
    status = op2_const_get(object.handle, values);
    if (!status) status = op2_const_create(trial, info.dim, info.type, values, info.name, &made);
  }
  return status;
}

/* Compare text and function. *why is null if they agree. */
static op2_status compare(const struct choice *c, const struct op2i_compat_list *list,
                          const char **why) {
  static const bool nothing_readonly[MOST];
  char key[200];
  snprintf(key, sizeof key, "=%s", c->name);
  const struct op2_compat_site site = {.kernel = c->name,
                                       .file = "op2.hpp",
                                       .function = c->function,
                                       .call = c->stored.call,
                                       .readonly = nothing_readonly};
  op2_kernel_desc desc = describe(c, NULL);
  op2_context trial = NULL;
  op2_status status = op2i_compat_trial_context(&trial);
  if (!status) status = bring_constants(c, trial);
  struct op2i_compat_tried what = {.ctx = trial,
                                   .site = &site,
                                   .copy = c->stored.copies ? c->stored.copies(key) : NULL,
                                   .set = (op_set)&list->set,
                                   .nargs = list->nargs,
                                   .args = list->args};
  if (!status) *why = op2i_compat_trial(&what, &desc);
  op2_status ended = trial ? op2_finalize(&trial) : OP2_SUCCESS;
  return status ? status : ended;
}

/* *out is true if `here` is true on one of the ranks. Collective. */
static op2_status anywhere(op2_context ctx, bool here, bool *out) {
  double value = here, sum = 0;
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_gbl gbl = NULL;
  *out = here;
  if (op2_ranks(ctx) <= 1) return OP2_SUCCESS;
  op2_status status = op2_set_create(ctx, 1, NULL, &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, &value, NULL, &dat);
  if (!status) status = op2_gbl_create(ctx, 1, OP2_F64, &sum, NULL, &gbl);
  if (!status) status = op2_dat_sum(dat, gbl);
  if (!status) status = op2_gbl_get(gbl, &sum);
  *out = sum > 0;
  op2_gbl_destroy(&gbl);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  return status;
}

/* Make the kernel of text if `why` is null on all ranks, else the one by address. */
static op2_status decide(struct choice *c, const char *why) {
  bool refused;
  op2_kernel_desc address = {
      .name = c->name, .source = c->declaration, .threads = c->threads, .function = c->function};
  op2_status status = anywhere(c->ctx, why != NULL, &refused);
  if (status) return status;
  if (refused)
    return make_address(c->ctx, &address, why ? why : "another rank cannot use its text", &c->made);
  op2_kernel_desc desc = describe(c, "text that op2-c++ has stored");
  return op2_kernel_create(c->ctx, &desc, &c->made);
}

/* True if parameter n of a declaration is the number of an element in 64 bits. */
static bool is_wide(const char *declaration, int n) {
  const char *at = strchr(declaration, '(');
  for (; at && n > 0; n--) at = strchr(at + 1, ',');
  const char *wide = at ? strstr(at, "int64_t") : NULL, *end = at ? strpbrk(at + 1, ",)") : NULL;
  return wide && end && wide < end;
}

/* Why a loop does not decide; null if it can. */
static const char *undecided(const struct choice *c, const struct op2i_compat_list *list) {
  for (int i = 0; i < list->nargs && !list->why; i++)
    if (list->args[i].kind == OP2_COMPAT_IDX && is_wide(c->declaration, i))
      return "a number of an element has 64 bits";
  return list->why;
}

static op2_status choose(struct op2_compat_choice *base, op2_set set, int nargs,
                         const op2_arg *args, op2_kernel *kernel) {
  struct choice *c = (struct choice *)(void *)base;
  struct op2i_compat_list list;
  const char *why = NULL;
  bool put_off, elements;
  *kernel = c->made ? c->made : base->address;
  if (c->made || nargs > MOST) return OP2_SUCCESS;
  op2_status status = op2i_compat_list_make(set, nargs, args, &list);
  if (!status) status = anywhere(c->ctx, undecided(c, &list) != NULL, &put_off);
  if (!status) status = anywhere(c->ctx, list.set.size > 0, &elements);
  if (!status && elements && !put_off) {
    status = compare(c, &list, &why);
    if (!status) status = decide(c, why);
    if (!status) *kernel = c->made;
  }
  op2i_compat_list_free(&list);
  return status;
}

static void destroy(struct op2_compat_choice *base) {
  struct choice *c = (struct choice *)(void *)base;
  op2_kernel_destroy(&c->made);
  op2i_free(c->name);
  op2i_free(c->text);
  op2i_free(c->declaration);
  op2i_free(c);
}

/* Takes the text, whose memory is the choice's then. */
static struct choice *make(op2_context ctx, const struct op2_compat_stored *stored,
                           const op2_kernel_desc *desc, char *text) {
  struct choice *c = op2i_compat_memory(sizeof *c);
  *c = (struct choice){.base = {.choose = choose, .destroy = destroy},
                       .ctx = ctx,
                       .stored = *stored,
                       .name = op2i_strdup(desc->name),
                       .text = text,
                       .declaration = op2i_strdup(desc->source),
                       .function = desc->function,
                       .threads = desc->threads};
  if (!c->name || !c->declaration) op2i_compat_end("memory is lacking");
  return c;
}

op2_status op2_compat_choice_create(op2_context ctx, const struct op2_compat_stored *stored,
                                    const op2_kernel_desc *desc, op2_kernel *kernel,
                                    struct op2_compat_choice **choice) {
  struct op2i_text text = {0};
  const char *why = text_of(ctx, stored->text, desc->name, &text);
  op2_status status = make_address(
      ctx, desc, why ? why : "no loop yet in which its text could be compared with the function",
      kernel);
  *choice = NULL;
  if (status || why) {
    op2i_text_free(&text);
    return status;
  }
  struct choice *c = make(ctx, stored, desc, text.chars);
  c->base.address = *kernel;
  *choice = &c->base;
  return OP2_SUCCESS;
}
