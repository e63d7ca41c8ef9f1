/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns generated text into functions: from memory, from the cache on disk, or with the
 * compiler. */
#include "jit_state.h"

#include <string.h>

#include "choice.h"
#include "context.h"
#include "depend.h"
#include "device_unit.h"
#include "error.h"
#include "log.h"
#include "mem.h"
#include "query.h"

/* ---- functions in memory --------------------------------------------------------------------- */

static struct op2i_jit_slot *find_slot(struct op2i_jit_slot *slots, int64_t nslots,
                                       struct op2i_key key) {
  uint64_t at = key.low;
  for (;; at++) {
    struct op2i_jit_slot *slot = &slots[at & (uint64_t)(nslots - 1)];
    if (!slot->function || op2i_key_equal(slot->key, key)) return slot;
  }
}

static void hand_out(struct op2i_jit_code *code, void *function, struct op2i_image *image) {
  code->function = function;
  code->image = image;
  op2i_image_use(image);
}

/* Find a function in memory. If the kernel has headers of its own, they may have changed since it
 * was loaded: then it is not used, and the compiler's answers about folders are dropped. */
static op2_status known(op2_context ctx, const struct op2i_request *request) {
  struct op2i_jit *jit = ctx->jit;
  struct op2i_text why = {0};
  bool holds = true, absent;
  request->code->function = NULL;
  if (!jit->nslots) return OP2_SUCCESS;
  const struct op2i_jit_slot *slot = find_slot(jit->slots, jit->nslots, request->key);
  op2_status status = OP2_SUCCESS;
  if (slot->function && !request->code->mergeable)
    status = op2i_depend_check(ctx, slot->image->list, request->code, &holds, &absent, &why);
  if (!status && holds && slot->function) hand_out(request->code, slot->function, slot->image);
  if (!status && !holds) {
    op2i_log(ctx, OP2I_LOG_DEBUG, "a compiled loop in memory is made anew: %s", why.chars);
    op2i_query_forget(jit);
  }
  op2i_text_free(&why);
  return status;
}

static op2_status enlarge(struct op2i_jit *jit) {
  int64_t nslots = jit->nslots ? 2 * jit->nslots : 64;
  struct op2i_jit_slot *slots = op2i_calloc((size_t)nslots, sizeof *slots);
  if (!slots) return op2i_error_nomem("the table of compiled loops");
  for (int64_t i = 0; i < jit->nslots; i++)
    if (jit->slots[i].function) *find_slot(slots, nslots, jit->slots[i].key) = jit->slots[i];
  op2i_free(jit->slots);
  jit->slots = slots;
  jit->nslots = nslots;
  return OP2_SUCCESS;
}

bool op2i_jit_forget_leaving(struct op2i_jit *jit) {
  struct op2i_jit_slot *before = jit->slots;
  struct op2i_jit_slot *slots = op2i_calloc((size_t)jit->nslots, sizeof *slots);
  if (!slots) return false;
  jit->slots = slots;
  jit->used = 0;
  for (int64_t i = 0; i < jit->nslots; i++) {
    if (!before[i].function || before[i].image->leaves) continue;
    *find_slot(slots, jit->nslots, before[i].key) = before[i];
    jit->used++;
  }
  op2i_free(before);
  return true;
}

op2_status op2i_jit_learn(struct op2i_jit *jit, struct op2i_request *request,
                          struct op2i_image *image) {
  if (2 * (jit->used + 1) > jit->nslots) {
    op2_status status = enlarge(jit);
    if (status != OP2_SUCCESS) return status;
  }
  struct op2i_jit_slot *slot = find_slot(jit->slots, jit->nslots, request->key);
  if (!slot->function) jit->used++;
  *slot = (struct op2i_jit_slot){request->key, request->code->function, image};
  hand_out(request->code, request->code->function, image);
  return OP2_SUCCESS;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static op2_status open_jit(op2_context ctx) {
  if (ctx->jit) return OP2_SUCCESS;
  struct op2i_jit *jit = op2i_calloc(1, sizeof *jit);
  if (!jit) return op2i_error_nomem("the cache of compiled loops");
  op2_status status = op2i_compiler_open(&jit->compiler, &ctx->config);
  if (status == OP2_SUCCESS) status = op2i_cache_open(ctx, &jit->cache);
  if (status != OP2_SUCCESS) {
    op2i_compiler_close(&jit->compiler);
    op2i_free(jit);
    return status;
  }
  op2i_scratch_init(&jit->scratch);
  jit->idle_most = OP2I_IDLE_MOST;
  jit->identity = op2i_digest(jit->compiler.identity.chars, jit->compiler.identity.length);
  jit->plain = op2i_digest(jit->compiler.plain.chars, jit->compiler.plain.length);
  ctx->jit = jit;
  return OP2_SUCCESS;
}

void op2i_jit_close(op2_context ctx) {
  struct op2i_jit *jit = ctx->jit;
  if (!jit) return;
  op2i_device_units_close(ctx);
  op2i_cache_close(&jit->cache);
  op2i_query_forget(jit);
  op2i_compiler_close(&jit->compiler);
  op2i_free(jit->slots);
  op2i_free(jit->halted);
  op2i_free(jit->outdated);
  op2i_free(jit);
  ctx->jit = NULL;
}

void op2i_jit_unuse(op2_context ctx, struct op2i_image *image) {
  if (image && ctx->jit) op2i_image_unuse(&ctx->jit->cache, image);
}

void op2i_jit_resume(op2_context ctx) {
  if (!ctx->jit) return;
  op2i_free(ctx->jit->halted);
  ctx->jit->halted = NULL;
}

void op2i_jit_statistics(op2_context ctx, struct op2i_jit_stats *stats) {
  *stats = ctx->jit ? ctx->jit->stats : (struct op2i_jit_stats){0};
}

/* ---- requests for functions ------------------------------------------------------------------ */

static op2_status find_keys(const struct op2i_jit *jit, struct op2i_request *request) {
  const struct op2i_jit_code *code = request->code;
  struct op2i_text folders = {0};
  for (const char *const *folder = code->includes; folder && *folder; folder++)
    op2i_text_bytes(&folders, *folder, strlen(*folder) + 1);
  for (const char *const *library = code->libraries; library && *library; library++) {
    op2i_text_add(&folders, "library ");
    op2i_text_bytes(&folders, *library, strlen(*library) + 1);
  }
  if (folders.failed) {
    op2i_text_free(&folders);
    return op2i_error_nomem("a loop's key");
  }
  struct op2i_key parts[] = {jit->identity,
                             op2i_digest(folders.chars ? folders.chars : "", folders.length),
                             op2i_digest(code->source, strlen(code->source))};
  op2i_text_free(&folders);
  request->key = op2i_digest(parts, sizeof parts);
  parts[0] = jit->plain;
  request->plain = op2i_digest(parts, sizeof parts);
  if (jit->compiler.missing.length) request->key = request->plain;
  return OP2_SUCCESS;
}

op2_status op2i_code_key(op2_context ctx, const struct op2i_jit_code *code, struct op2i_key *key) {
  struct op2i_jit_code copy = *code;
  struct op2i_request request = {.code = &copy};
  op2_status status = open_jit(ctx);
  if (!status) status = find_keys(ctx->jit, &request);
  if (!status) *key = request.key;
  return status;
}

static struct op2i_request *find_same_key(struct op2i_request **missing, int64_t nmissing,
                                          struct op2i_key key) {
  for (int64_t i = 0; i < nmissing; i++)
    if (op2i_key_equal(missing[i]->key, key)) return missing[i];
  return NULL;
}

/* Look a function up in memory and on disk; if it is in neither, add it to the list of missing
 * ones. */
static op2_status look_up(op2_context ctx, struct op2i_request *request,
                          struct op2i_request **missing, int64_t *nmissing) {
  struct op2i_jit *jit = ctx->jit;
  struct op2i_jit_code *code = request->code;
  op2_status status;
  OP2I_TRY(find_keys(jit, request));
  OP2I_TRY(known(ctx, request));
  if (code->function) {
    jit->stats.memory_hits++;
    return OP2_SUCCESS;
  }
  request->earlier = find_same_key(missing, *nmissing, request->key);
  if (request->earlier) return OP2_SUCCESS;
  struct op2i_image *image;
  OP2I_TRY(op2i_cache_load(ctx, &jit->cache, request, &image, &jit->stats.rejected));
  if (code->function) {
    jit->stats.disk_hits++;
    return op2i_jit_learn(jit, request, image);
  }
  missing[(*nmissing)++] = request;
fail:
  return status;
}

static op2_status reuse_earlier(struct op2i_jit *jit, struct op2i_request *request) {
  const struct op2i_jit_code *done = request->earlier->code;
  struct op2i_jit_code *code = request->code;
  if (done->function) hand_out(code, done->function, done->image);
  code->status = done->status;
  if (code->function)
    jit->stats.memory_hits++;
  else if (done->message && !(code->message = op2i_strdup(done->message)))
    return op2i_error_nomem("a message");
  return OP2_SUCCESS;
}

static void reset(op2_context ctx, struct op2i_jit_code *codes, int n, op2_status status) {
  for (int i = 0; i < n; i++) {
    op2i_jit_unuse(ctx, codes[i].image);
    codes[i].image = NULL;
    op2i_free(codes[i].message);
    codes[i].message = NULL;
    codes[i].function = NULL;
    codes[i].status = status;
  }
}

/* Keep only this rank's part of the missing functions. A rank that looks later, and finds some of
 * them, has the same part of the rest. */
static int64_t take_part(const struct op2i_jit *jit, const struct op2i_request *requests, int part,
                         int parts, struct op2i_request **missing, int64_t n) {
  int64_t taken = 0;
  for (int64_t i = 0; i < n; i++)
    if (jit->cache.folder.fd < 0 || (missing[i] - requests) % parts == part)
      missing[taken++] = missing[i];
  return taken;
}

op2_status op2i_jit_get(op2_context ctx, int n, struct op2i_jit_code *codes) {
  return op2i_jit_get_part(ctx, 0, 1, n, codes);
}

op2_status op2i_jit_get_part(op2_context ctx, int part, int parts, int n,
                             struct op2i_jit_code *codes) {
  op2_status status = OP2_SUCCESS;
  int64_t nmissing = 0;
  for (int i = 0; i < n; i++) {
    codes[i].message = NULL;
    codes[i].image = NULL;
  }
  reset(ctx, codes, n, OP2_SUCCESS);
  struct op2i_request *requests = op2i_calloc((size_t)n, sizeof *requests);
  struct op2i_request **missing = op2i_calloc((size_t)n, sizeof *missing);
  if (!requests || !missing) OP2I_TRY(op2i_error_nomem("loops to compile"));
  OP2I_TRY(open_jit(ctx));
  op2i_jit_trim(ctx);
  OP2I_TRY(op2i_device_units_trim(ctx));
  OP2I_TRY(op2i_device_units(ctx, n, codes));
  for (int i = 0; i < n; i++) {
    if (codes[i].on_device) continue;
    requests[i].code = &codes[i];
    OP2I_TRY(look_up(ctx, &requests[i], missing, &nmissing));
  }
  nmissing = take_part(ctx->jit, requests, part, parts, missing, nmissing);
  if (nmissing > 0) OP2I_TRY(op2i_build(ctx, missing, nmissing));
  for (int i = 0; i < n; i++)
    if (requests[i].earlier) OP2I_TRY(reuse_earlier(ctx->jit, &requests[i]));
fail:
  /* Loaded images do not need their files any more, and a program that crashes later leaves no
   * files. */
  if (ctx->jit) op2i_scratch_close(&ctx->jit->scratch);
  if (status != OP2_SUCCESS) reset(ctx, codes, n, status);
  op2i_free(requests);
  op2i_free(missing);
  return status;
}
