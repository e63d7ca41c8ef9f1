/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels: source text with its headers, its signature, and the constants that it uses. */
#include "kernel.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "codegen.h"
#include "context.h"
#include "error.h"
#include "header.h"
#include "header_text.h"
#include "log.h"
#include "mem.h"
#include "mesh.h"

static void free_strings(char **strings) {
  for (char **s = strings; s && *s; s++) op2i_free(*s);
  op2i_free(strings);
}

static void free_parts(op2_kernel kernel) {
  op2i_free(kernel->source);
  op2i_free(kernel->functions);
  op2i_free(kernel->file);
  op2i_free(kernel->remark);
  op2i_free(kernel->headers);
  op2i_whole_free(&kernel->whole);
  free_strings(kernel->includes);
  free_strings(kernel->libraries);
  op2i_free(kernel->consts);
  op2i_free(kernel->function);
  op2i_codegen.free_signature(&kernel->signature);
  op2i_codegen.forget(kernel);
}

static void release_kernel(void *object) { free_parts(object); }

static op2_status copy_string(const char *text, char **out) {
  if (!text) return OP2_SUCCESS;
  *out = op2i_strdup(text);
  return *out ? OP2_SUCCESS : op2i_error_nomem("a kernel");
}

static op2_status copy_strings(const char *const *strings, char ***out) {
  if (!strings) return OP2_SUCCESS;
  size_t n = 0;
  while (strings[n]) n++;
  *out = op2i_calloc(n + 1, sizeof **out);
  if (!*out) return op2i_error_nomem("a kernel");
  for (size_t i = 0; i < n; i++) {
    op2_status status = copy_string(strings[i], &(*out)[i]);
    if (status) return status;
  }
  return OP2_SUCCESS;
}

/* Paths are made absolute: code is compiled later, when the program may be in another directory. */
static op2_status make_absolute(char **name, size_t option) {
  char here[PATH_MAX], path[2 * PATH_MAX];
  if ((*name)[option] == '/' || !getcwd(here, sizeof here)) return OP2_SUCCESS;
  snprintf(path, sizeof path, "%.*s%s/%s", (int)option, *name, strcmp(here, "/") ? here : "",
           *name + option);
  op2i_free(*name);
  *name = op2i_strdup(path);
  return *name ? OP2_SUCCESS : op2i_error_nomem("a kernel");
}

static op2_status copy_folders(const char *const *folders, char ***out) {
  op2_status status = copy_strings(folders, out);
  for (char **folder = *out; !status && folder && *folder; folder++)
    status = make_absolute(folder, 0);
  return status;
}

/* -LDIR is the only option that has a path. */
static op2_status copy_libraries(const char *const *libraries, char ***out) {
  op2_status status = copy_strings(libraries, out);
  for (char **library = *out; !status && library && *library; library++) {
    bool folder = strncmp(*library, "-L", 2) == 0 && (*library)[2];
    if (folder || (*library)[0] != '-') status = make_absolute(library, folder ? 2 : 0);
  }
  return status;
}

static bool reserved_is_zero(const op2_kernel_desc *desc) {
  bool zero = desc->function || desc->threads == 0;
  for (size_t i = 0; i < sizeof desc->reserved / sizeof *desc->reserved; i++)
    zero = zero && !desc->reserved[i];
  return zero;
}

static op2_status check_function(const op2_kernel_desc *desc) {
  if (!desc->function) return OP2_SUCCESS;
  if (desc->threads != OP2_ONE_THREAD && desc->threads != OP2_ANY_THREADS)
    return op2i_error(OP2_ERR_ARG,
                      "op2_kernel_create: kernel '%s': threads is %d, which is neither "
                      "OP2_ONE_THREAD nor OP2_ANY_THREADS",
                      desc->name, desc->threads);
  if (!desc->libraries || !desc->libraries[0]) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_ARG,
                    "op2_kernel_create: kernel '%s': a kernel by address takes no libraries, since "
                    "its function is compiled and linked already",
                    desc->name);
}

static op2_status check_desc(const op2_kernel_desc *desc) {
  if (!desc || !desc->source)
    return op2i_error(
        OP2_ERR_ARG, "op2_kernel_create: a null pointer%s",
        desc && desc->function ? ": the source declares the parameters of the function" : "");
  if (!desc->name || !*desc->name)
    return op2i_error(OP2_ERR_NAME, "op2_kernel_create: the kernel has no name");
  if (reserved_is_zero(desc)) return check_function(desc);
  return op2i_error(OP2_ERR_ARG,
                    "op2_kernel_create: kernel '%s': what is reserved in its op2_kernel_desc is "
                    "not zero: it was not initialised, or is of a later version of op2",
                    desc->name);
}

/* Editors put a byte-order mark before a file's text, which C does not allow. */
static const char *behind_mark(const char *text) {
  return strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
}

/* The constant has no other owner, is in no list, and has an id that no object has. */
static op2_status keep_function(op2_kernel kernel, const op2_kernel_desc *desc) {
  static char name[] = OP2I_FUNCTION_NAME;
  struct holder {
    struct op2_const_s constant;
    uint64_t address;
  } *holder = op2i_calloc(1, sizeof *holder);
  if (!holder) return op2i_error_nomem("a kernel");
  holder->address = (uintptr_t)desc->function;
  holder->constant.obj.name = name;
  holder->constant.dim = 1;
  holder->constant.type = OP2_U64;
  holder->constant.bytes = sizeof holder->address;
  holder->constant.data = &holder->address;
  kernel->function = &holder->constant;
  kernel->one_thread = desc->threads == OP2_ONE_THREAD;
  return OP2_SUCCESS;
}

static op2_status read_text(op2_kernel kernel, const op2_kernel_desc *desc, const char *source) {
  struct op2i_text text = {0}, names = {0};
  op2_status status = op2i_kernel_join(desc, source, &text, &names);
  if (!status) status = copy_string(text.chars ? text.chars : "", &kernel->source);
  if (!status) status = copy_string(names.chars, &kernel->functions);
  op2i_text_free(&text);
  op2i_text_free(&names);
  if (status) return status;
  return op2i_codegen.parse(kernel->source, desc->name, kernel->given, &kernel->signature);
}

static op2_status read_source(op2_kernel kernel, const op2_kernel_desc *desc) {
  const char *source = behind_mark(desc->source);
  struct op2i_text text = {0};
  if (!desc->function) return read_text(kernel, desc, source);
  op2_status status = keep_function(kernel, desc);
  if (!status)
    status =
        op2i_codegen.parse_address(source, desc->name, kernel->given, &kernel->signature, &text);
  if (!status) status = copy_string(text.chars, &kernel->source);
  op2i_text_free(&text);
  return status;
}

/* The types of parameters that headers define become known. */
static op2_status learn_types(op2_kernel kernel, const char *name) {
  struct op2i_signature *known = &kernel->signature, whole = {0};
  bool unclear = false;
  for (int n = 0; n < known->nparams; n++)
    unclear = unclear || (!known->params[n].type && !known->params[n].foreign);
  if (!unclear) return OP2_SUCCESS;
  op2_status status =
      op2i_codegen.parse(kernel->whole.text.chars, name, kernel->whole_given, &whole);
  for (int n = 0; !status && n < known->nparams && whole.nparams == known->nparams; n++) {
    struct op2i_param *to = &known->params[n];
    const struct op2i_param *from = &whole.params[n];
    if (to->type || to->foreign || !from->type) continue;
    to->type = from->type;
    to->depth = from->depth;
    to->extent = from->extent;
    to->nextents = from->nextents;
    memcpy(to->extents, from->extents, sizeof to->extents);
    to->readonly = from->readonly;
    to->rows = from->rows;
  }
  op2i_codegen.free_signature(&whole);
  return status == OP2_ERR_NOMEM ? status : OP2_SUCCESS;
}

/* Read the headers that the library can follow, for vector code. */
static op2_status read_whole(op2_context ctx, op2_kernel kernel, const op2_kernel_desc *desc) {
  struct op2i_text foreign = {0};
  if (desc->function) return OP2_SUCCESS;
  op2_status status = op2i_headers_expand(desc, kernel->source, &kernel->whole);
  if (status || !kernel->whole.text.length) return status;
  for (const char *const *h = desc->headers; h && *h; h++)
    if ((*h)[0] == '<') op2i_text_add(&foreign, "#include %s\n", *h);
  if (foreign.failed) status = op2i_error_nomem("a kernel's headers");
  if (!status)
    kernel->whole_given = op2i_codegen.given(ctx->config.cc, ctx->config.cflags, foreign.chars);
  op2i_text_free(&foreign);
  return status ? status : learn_types(kernel, desc->name);
}

static op2_status create(op2_context ctx, const op2_kernel_desc *desc, op2_kernel *out) {
  op2_status status = check_desc(desc);
  if (status) return status;
  op2_kernel kernel = op2i_calloc(1, sizeof *kernel);
  if (!kernel) return op2i_error_nomem("a kernel");
  struct op2i_text headers = {0};
  OP2I_TRY(copy_string(desc->file, &kernel->file));
  OP2I_TRY(copy_string(desc->remark, &kernel->remark));
  OP2I_TRY(copy_folders(desc->includes, &kernel->includes));
  OP2I_TRY(copy_libraries(desc->libraries, &kernel->libraries));
  OP2I_TRY(op2i_headers_collect(desc, &headers));
  OP2I_TRY(copy_string(headers.chars ? headers.chars : "", &kernel->headers));
  kernel->line = desc->line;
  kernel->const_epoch = -1;
  kernel->given = op2i_codegen.given(ctx->config.cc, ctx->config.cflags, kernel->headers);
  OP2I_TRY(read_source(kernel, desc));
  OP2I_TRY(read_whole(ctx, kernel, desc));
  OP2I_TRY(op2i_object_init(kernel, ctx, OP2I_KERNEL, desc->name, release_kernel));
  op2i_text_free(&headers);
  *out = kernel;
  return OP2_SUCCESS;
fail:
  op2i_text_free(&headers);
  free_parts(kernel);
  op2i_free(kernel);
  return status;
}

static void warn_of_state(op2_context ctx, const struct op2_kernel_s *kernel) {
  const struct op2i_signature *s = &kernel->signature;
  if (s->state_line)
    op2i_log(ctx, OP2I_LOG_WARN,
             "kernel '%s', line %d: the variable '%s' keeps its value from one element to the "
             "next: elements are computed in any order and at once, so what it holds is not "
             "determined. Use an OP2_INC global, or op2_arg_idx() for the element's number",
             kernel->obj.name, s->state_line, s->state);
}

void op2i_kernel_warn(op2_kernel kernel, int n, op2_access access, const struct op2i_shown *shown) {
  const struct op2i_param *param = &kernel->signature.params[n];
  bool read = param->read_line && op2i_sums(access);
  bool beyond = param->index_line && shown->map && param->most_index >= shown->nslots;
  uint32_t bit = 1U << (n % 32);
  if ((!read && !beyond) || kernel->warned & bit) return;
  kernel->warned |= bit;
  if (beyond)
    op2i_log(kernel->obj.ctx, OP2I_LOG_WARN,
             "%s:%d: loop '%s' over '%s': argument %d (%s): line %d of the kernel uses '%s[%" PRId64
             "]', and map '%s' has slots 0 to %" PRId64 OP2I_SEE_CHECK,
             shown->where.file, shown->where.line, kernel->obj.name, shown->set, n, shown->argument,
             param->index_line, param->name, param->most_index, shown->map, shown->nslots - 1);
  else
    op2i_log(kernel->obj.ctx, OP2I_LOG_WARN,
             "%s:%d: loop '%s' over '%s': argument %d (%s) is OP2_INC, and line %d of the kernel "
             "reads '%s': what it finds there is not the data but a part of what is to be added. "
             "OP2_RW gives the data" OP2I_SEE_CHECK,
             shown->where.file, shown->where.line, kernel->obj.name, shown->set, n, shown->argument,
             param->read_line, param->name);
}

/* Headers are left out, since ranks may find them in different folders, and so are addresses, which
 * differ between processes. */
static uint64_t digest(const op2_kernel_desc *desc, const char *source) {
  uint64_t text = op2i_digest_text(op2i_digest_text(0, desc->name), source);
  return op2i_hash_word(text, desc->function != NULL);
}

op2_status op2_kernel_create(op2_context ctx, const op2_kernel_desc *desc, op2_kernel *out) {
  op2_kernel kernel = NULL;
  op2_status status = op2i_context_validate(ctx, "op2_kernel_create");
  if (status) return status;
  op2i_context_call(ctx, "op2_kernel_create", desc ? desc->name : NULL, 0, 0);
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_kernel_create: a null pointer");
  status = op2i_context_agree(ctx, create(ctx, desc, &kernel));
  if (status) {
    op2_kernel_destroy(&kernel);
    return status;
  }
  /* Ranks are compared after the text is checked: a faulty text is a failure, not a difference. */
  op2i_context_call(ctx, "op2_kernel_create", desc->name, digest(desc, kernel->source), 0);
  warn_of_state(ctx, kernel);
  *out = kernel;
  return OP2_SUCCESS;
}

op2_status op2i_kernel_create_own(op2_context ctx, const char *name, const char *source,
                                  op2_kernel *kernel) {
  const op2_kernel_desc desc = {.name = name, .source = source};
  op2_status status = op2_kernel_create(ctx, &desc, kernel);
  if (!status) op2i_object_own(*kernel);
  return status;
}

void op2_kernel_destroy(op2_kernel *kernel) {
  if (!kernel) return;
  if (op2i_object_leave(*kernel, OP2I_KERNEL)) op2i_unref(*kernel);
  *kernel = NULL;
}

static op2_status use_const(const struct op2_kernel_s *kernel, op2_const constant, op2_const **used,
                            int64_t *n, int64_t *capacity) {
  int line = op2i_codegen.assigns(kernel->source, constant->obj.name);
  if (line)
    return op2i_error(OP2_ERR_SYNTAX,
                      "kernel '%s', line %d: constant '%s' is given a value: kernels may only read "
                      "constants" OP2I_SEE_CHECK,
                      kernel->obj.name, line, constant->obj.name);
  if (op2i_grow(used, sizeof **used, *n, capacity)) return op2i_error_nomem("a kernel's constants");
  (*used)[(*n)++] = constant;
  return OP2_SUCCESS;
}

op2_status op2i_kernel_bind_consts(op2_kernel kernel) {
  op2_context ctx = kernel->obj.ctx;
  if (kernel->const_epoch == ctx->const_epoch) return OP2_SUCCESS;
  int64_t n = 0, capacity = 0;
  op2_const *used = NULL;
  const char *whole = kernel->whole.text.length ? kernel->whole.text.chars : NULL;
  for (op2_const c = kernel->function ? kernel->function : ctx->consts; c; c = c->next) {
    if (!op2i_codegen.uses(kernel->source, whole, c->obj.name)) continue;
    op2_status status = use_const(kernel, c, &used, &n, &capacity);
    if (!status) continue;
    op2i_free(used);
    return status;
  }
  op2i_free(kernel->consts);
  kernel->consts = used;
  kernel->nconsts = (int)n;
  kernel->const_epoch = ctx->const_epoch;
  return OP2_SUCCESS;
}
