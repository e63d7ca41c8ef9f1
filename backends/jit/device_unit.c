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
#include "machine.h"
#include "mem.h"
#include "parallel.h"
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

static struct op2i_device_unit *find_unit(const struct op2i_jit *jit, struct op2i_key key) {
  struct op2i_device_unit *unit = jit->units;
  while (unit && !op2i_key_equal(unit->key, key)) unit = unit->next;
  return unit;
}

/* ---- building -------------------------------------------------------------------------------- */

/* A unit that is to be built, for the first code that asks for it. */
struct job {
  struct op2i_device *device;
  struct op2i_jit_code *code;
  struct op2i_device_unit *unit; /* null once it is in the list */
  struct op2i_key key;
  char *message; /* of a failure; null: no memory for it */
  double seconds;
};

/* Threads have messages of failures of their own, so they are kept here. */
static void build_some(void *data, int64_t from, int64_t to) {
  for (struct job *job = (struct job *)data + from; job < (struct job *)data + to; job++) {
    struct op2i_text log = {0};
    struct op2i_jit_code *code = job->code;
    const double begin = op2i_seconds();
    code->status = job->device->kind->build(job->device, code->source, code->includes, &log,
                                            &job->unit->binary, &job->unit->bytes);
    job->seconds = op2i_seconds() - begin;
    if (code->status) job->message = op2i_strdup(log.length ? log.chars : op2_error_message());
    op2i_text_free(&log);
  }
}

static op2_status end_job(op2_context ctx, struct job *job) {
  struct op2i_jit_code *code = job->code;
  op2i_log(ctx, OP2I_LOG_DEBUG, "%s: %s for the device in %.3f s", code->label,
           code->status ? "not built" : "built", job->seconds);
  if (!code->status) {
    ctx->jit->stats.compiled++;
    keep_binary(ctx, job->unit);
    adopt(ctx, code, job->unit);
    job->unit = NULL;
  }
  if (code->status == OP2_ERR_FATAL)
    return op2i_error(OP2_ERR_FATAL, "%s", job->message ? job->message : "a device is lost");
  code->message = job->message;
  job->message = NULL;
  return OP2_SUCCESS;
}

/* Several texts are built at the same time, by at most a thread for each core, if the device allows
 * that. */
static op2_status run_jobs(op2_context ctx, struct job *jobs, int64_t n) {
  const double begin = op2i_seconds();
  op2_status status = OP2_SUCCESS;
  op2i_parallel(ctx->device->kind->builds_together ? op2i_machine()->cores : 1, n, 1, build_some,
                jobs);
  ctx->jit->stats.seconds += op2i_seconds() - begin;
  for (int64_t j = 0; j < n; j++) {
    const op2_status ended = end_job(ctx, &jobs[j]);
    if (!status) status = ended;
  }
  return status;
}

/* Return the job of a text; null: there is none. */
static const struct job *find_job(const struct job *jobs, int64_t n, struct op2i_key key) {
  for (int64_t j = 0; j < n; j++)
    if (op2i_key_equal(jobs[j].key, key)) return &jobs[j];
  return NULL;
}

/* Find the unit in memory or on disk, or add a job for it. */
static op2_status look_up(op2_context ctx, struct op2i_jit_code *code, struct job *jobs,
                          int64_t *njobs) {
  const struct op2i_key key = key_of(ctx->device, code);
  struct op2i_device_unit *unit = find_unit(ctx->jit, key);
  code->function = NULL;
  if (unit) {
    hand_out(code, unit);
    ctx->jit->stats.memory_hits++;
    return OP2_SUCCESS;
  }
  if (find_job(jobs, *njobs, key)) return OP2_SUCCESS;
  op2_status status = fetch(ctx, code, key);
  if (status || code->function || code->if_cached) return status;
  unit = op2i_calloc(1, sizeof *unit);
  if (!unit) return op2i_error_nomem("a loop on the device");
  unit->key = key;
  jobs[(*njobs)++] = (struct job){.device = ctx->device, .code = code, .unit = unit, .key = key};
  return OP2_SUCCESS;
}

/* A code whose text another one has, too, gets that one's unit, or its failure. */
static void share(op2_context ctx, struct op2i_jit_code *code, const struct job *jobs, int64_t n) {
  const struct op2i_key key = key_of(ctx->device, code);
  const struct job *job = find_job(jobs, n, key);
  struct op2i_device_unit *unit = find_unit(ctx->jit, key);
  if (!job || job->code == code) return;
  code->status = job->code->status;
  if (unit) {
    hand_out(code, unit);
    ctx->jit->stats.memory_hits++;
  } else if (job->code->message) {
    code->message = op2i_strdup(job->code->message);
  }
}

op2_status op2i_device_units(op2_context ctx, int n, struct op2i_jit_code *codes) {
  op2_status status = OP2_SUCCESS;
  int64_t on_device = 0, njobs = 0;
  for (int i = 0; i < n; i++) on_device += codes[i].on_device;
  if (!on_device) return status;
  struct job *jobs = op2i_calloc((size_t)on_device, sizeof *jobs);
  if (!jobs) return op2i_error_nomem("a loop on the device");
  for (int i = 0; i < n && !status; i++)
    if (codes[i].on_device) status = look_up(ctx, &codes[i], jobs, &njobs);
  if (!status && njobs) status = run_jobs(ctx, jobs, njobs);
  for (int i = 0; i < n && !status && njobs; i++)
    if (codes[i].on_device && !codes[i].function) share(ctx, &codes[i], jobs, njobs);
  for (int64_t j = 0; j < njobs; j++) {
    op2i_free(jobs[j].unit);
    op2i_free(jobs[j].message);
  }
  op2i_free(jobs);
  return status;
}
