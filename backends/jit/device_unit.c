/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns text into functions of a device. Each text in use is built once and loaded when it is
 * launched. Some units without uses stay for a time, like images of the host. */
#include "device_unit.h"

#include <string.h>

#include "clock.h"
#include "context.h"
#include "error.h"
#include "jit_state.h"
#include "log.h"
#include "mem.h"
#include "text.h"

enum { ENTRIES = 12, ENTRY_NAME = 24 };

struct op2i_device_unit {
  struct op2i_image image; /* first member: it counts the uses; its other fields are not used */
  struct op2i_device_unit *next;
  struct op2i_key key;
  void *binary;
  size_t bytes;
  int nentries;
  struct {
    char name[ENTRY_NAME];
    struct op2i_device_code *code;
  } entries[ENTRIES];
};

op2_status op2i_device_unit_code(struct op2i_device *device, struct op2i_device_unit *unit,
                                 const char *entry, struct op2i_device_code **code) {
  for (int i = 0; i < unit->nentries; i++)
    if (strcmp(unit->entries[i].name, entry) == 0) {
      *code = unit->entries[i].code;
      return OP2_SUCCESS;
    }
  if (unit->nentries == ENTRIES) return op2i_error(OP2_ERR_STATE, "too many functions in a loop");
  op2_status status = device->kind->load(device, unit->binary, unit->bytes, entry, code);
  if (status) return status;
  device->counts.functions++;
  strncpy(unit->entries[unit->nentries].name, entry, ENTRY_NAME - 1);
  unit->entries[unit->nentries++].code = *code;
  return OP2_SUCCESS;
}

static void free_unit(struct op2i_device *device, struct op2i_device_unit *unit) {
  for (int i = 0; i < unit->nentries; i++) device->kind->unload(device, unit->entries[i].code);
  device->counts.functions -= unit->nentries;
  op2i_free(unit->binary);
  op2i_free(unit);
}

void op2i_device_units_close(op2_context ctx) {
  struct op2i_jit *jit = ctx->jit;
  while (jit && jit->units) {
    struct op2i_device_unit *unit = jit->units;
    jit->units = unit->next;
    free_unit(ctx->device, unit);
  }
}

/* ---- units without uses ---------------------------------------------------------------------- */

static struct op2i_device_unit **oldest_idle(struct op2i_jit *jit) {
  struct op2i_device_unit **oldest = NULL;
  for (struct op2i_device_unit **at = &jit->units; *at; at = &(*at)->next) {
    const struct op2i_image *image = &(*at)->image;
    if (image->uses > 0) continue;
    if (!oldest || image->idle_since < (*oldest)->image.idle_since) oldest = at;
  }
  return oldest;
}

op2_status op2i_device_units_trim(op2_context ctx) {
  struct op2i_jit *jit = ctx->jit;
  int64_t idle = 0;
  for (const struct op2i_device_unit *unit = jit->units; unit; unit = unit->next)
    idle += unit->image.uses == 0;
  if (idle <= jit->idle_most) return OP2_SUCCESS;
  /* Earlier launches may still run. */
  op2_status status = ctx->device->kind->wait(ctx->device);
  for (; idle > jit->idle_most && !status; idle--) {
    struct op2i_device_unit **at = oldest_idle(jit), *unit = *at;
    *at = unit->next;
    free_unit(ctx->device, unit);
  }
  return status;
}

/* ---- building and finding binaries ----------------------------------------------------------- */

static void keep_binary(op2_context ctx, const struct op2i_device_unit *unit) {
  struct op2i_bytes entry, image = {unit->binary, unit->bytes};
  if (op2i_entry_build(image, &unit->key, 1, (struct op2i_bytes){0}, &entry)) return;
  op2i_cache_store(ctx, &ctx->jit->cache, entry, &unit->key, 1);
  op2i_free(entry.data);
}

/* Compute the key of a binary from what it depends on. Files that a kernel includes are in the text
 * by their digests. */
static struct op2i_key key_of(const struct op2i_device *device, const struct op2i_jit_code *code) {
  const struct op2i_device_limits *limits = &device->limits;
  struct op2i_key parts[] = {op2i_digest(limits->target, strlen(limits->target)),
                             op2i_digest(limits->compiler, strlen(limits->compiler)),
                             op2i_digest(code->source, strlen(code->source))};
  return op2i_digest(parts, sizeof parts);
}

static void hand_out(struct op2i_jit_code *code, struct op2i_device_unit *unit) {
  op2i_image_use(&unit->image);
  code->function = unit;
  code->image = &unit->image;
}

static void adopt(op2_context ctx, struct op2i_jit_code *code, struct op2i_device_unit *unit) {
  unit->next = ctx->jit->units;
  ctx->jit->units = unit;
  hand_out(code, unit);
}

/* Take the binary from the cache on disk; the code stays without a function if it is not there. */
static op2_status fetch(op2_context ctx, struct op2i_jit_code *code, struct op2i_key key) {
  struct op2i_jit *jit = ctx->jit;
  void *image;
  size_t size;
  op2_status status = op2i_cache_read(ctx, &jit->cache, key, &image, &size, &jit->stats.rejected);
  if (status || !image) return status;
  struct op2i_device_unit *unit = op2i_calloc(1, sizeof *unit);
  if (!unit) {
    op2i_free(image);
    return op2i_error_nomem("a loop on the device");
  }
  *unit = (struct op2i_device_unit){.key = key, .binary = image, .bytes = size};
  jit->stats.disk_hits++;
  adopt(ctx, code, unit);
  return OP2_SUCCESS;
}

static op2_status build(op2_context ctx, struct op2i_jit_code *code, struct op2i_key key) {
  struct op2i_text log = {0};
  struct op2i_device_unit *unit = op2i_calloc(1, sizeof *unit);
  if (!unit) return op2i_error_nomem("a loop on the device");
  unit->key = key;
  double begin = op2i_seconds();
  code->status = ctx->device->kind->build(ctx->device, code->source, code->includes, &log,
                                          &unit->binary, &unit->bytes);
  ctx->jit->stats.seconds += op2i_seconds() - begin;
  op2i_log(ctx, OP2I_LOG_DEBUG, "%s: %s for the device in %.3f s", code->label,
           code->status ? "not built" : "built", op2i_seconds() - begin);
  if (!code->status) {
    ctx->jit->stats.compiled++;
    keep_binary(ctx, unit);
    adopt(ctx, code, unit);
  } else {
    op2i_free(unit);
    code->message = op2i_strdup(log.length ? log.chars : op2_error_message());
  }
  op2i_text_free(&log);
  return code->status == OP2_ERR_FATAL ? code->status : OP2_SUCCESS;
}

static struct op2i_device_unit *find_unit(const struct op2i_jit *jit, struct op2i_key key) {
  struct op2i_device_unit *unit = jit->units;
  while (unit && !op2i_key_equal(unit->key, key)) unit = unit->next;
  return unit;
}

op2_status op2i_device_units(op2_context ctx, int n, struct op2i_jit_code *codes) {
  op2_status status = OP2_SUCCESS;
  for (struct op2i_jit_code *code = codes; code < codes + n && !status; code++) {
    if (!code->on_device) continue;
    struct op2i_key key = key_of(ctx->device, code);
    struct op2i_device_unit *unit = find_unit(ctx->jit, key);
    code->function = NULL;
    if (unit) {
      hand_out(code, unit);
      ctx->jit->stats.memory_hits++;
    } else
      status = fetch(ctx, code, key);
    if (!status && !code->function && !code->if_cached) status = build(ctx, code, key);
  }
  return status;
}
