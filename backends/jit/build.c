/* SPDX-License-Identifier: BSD-3-Clause */
/* Compilation of functions that no cache has. Texts are gathered into translation units, and
 * compilers run side by side. A unit that fails is divided until each member stands alone, so that
 * each gets its own message and the correct ones work. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "depend.h"
#include "error.h"
#include "image.h"
#include "jit_state.h"
#include "log.h"
#include "machine.h"
#include "mem.h"
#include "text.h"

/* One translation unit. */
struct job {
  struct op2i_request **member;
  int64_t count;
  int parent;          /* index of its files' folder in the scratch folders */
  char stem[PATH_MAX]; /* path of its files without suffix; "": none yet */
  struct op2i_compiler_run run;
  bool hopeless; /* True if dividing it would not help */
};

struct job_list {
  struct job *item;
  int64_t count, capacity;
};

/* A larger translation unit costs more memory and, if one member is at fault, more repeated work
 * than it saves. */
enum { MEMBERS_MAX = 32, PARTS = 8 };

/* ---- grouping requests into jobs ------------------------------------------------------------- */

/* Make jobs of consecutive requests, divided into `parts` jobs of about the same size. */
static op2_status add_jobs(struct job_list *jobs, struct op2i_request **member, int64_t count,
                           int64_t parts) {
  for (int64_t i = 0; i < parts; i++) {
    int64_t from = count * i / parts, to = count * (i + 1) / parts;
    if (op2i_grow(&jobs->item, sizeof *jobs->item, jobs->count, &jobs->capacity) != 0)
      return op2i_error_nomem("loops to compile");
    jobs->item[jobs->count++] = (struct job){.member = member + from, .count = to - from};
  }
  return OP2_SUCCESS;
}

static bool same_words(const char *const *a, const char *const *b) {
  static const char *const none[] = {NULL};
  if (!a) a = none;
  if (!b) b = none;
  for (; *a && *b; a++, b++)
    if (strcmp(*a, *b) != 0) return false;
  return !*a && !*b;
}

static bool belong_together(const struct op2i_jit_code *a, const struct op2i_jit_code *b) {
  return a->mergeable && b->mergeable && same_words(a->includes, b->includes) &&
         same_words(a->libraries, b->libraries);
}

/* Move the requests that can share a translation unit with the first one directly after it; returns
 * their number, including the first. */
static int64_t gather(struct op2i_request **requests, int64_t n) {
  int64_t count = 1;
  for (int64_t i = 1; i < n; i++) {
    if (!belong_together(requests[0]->code, requests[i]->code)) continue;
    struct op2i_request *found = requests[i];
    memmove(&requests[count + 1], &requests[count], (size_t)(i - count) * sizeof *requests);
    requests[count++] = found;
  }
  return count;
}

static op2_status plan_jobs(struct job_list *jobs, struct op2i_request **requests, int64_t n,
                            int64_t width) {
  while (n > 0) {
    int64_t count = gather(requests, n), least = (count + MEMBERS_MAX - 1) / MEMBERS_MAX;
    int64_t parts = count < width ? count : width;
    op2_status status = add_jobs(jobs, requests, count, parts > least ? parts : least);
    if (status != OP2_SUCCESS) return status;
    requests += count;
    n -= count;
  }
  return OP2_SUCCESS;
}

/* ---- starting jobs --------------------------------------------------------------------------- */

/* Give the loop's function a second symbol with its kernel's name, so that profilers and debuggers
 * show which loop it is. The function is found by the first one. */
static void name_entry(struct op2i_text *text, const char *key, const char *label) {
  enum { LONGEST = 40 };
  op2i_text_add(text, "#ifdef __ELF__\nextern __typeof__(op2_entry_k%s) op2_loop_", key);
  for (int i = 0; label[i] && i < LONGEST; i++) {
    const char c = label[i];
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    op2i_text_add(text, "%c", plain ? c : '_');
  }
  op2i_text_add(text, "_k%s __attribute__((alias(\"op2_entry_k%s\")));\n#endif\n", key, key);
}

static void add_source(struct op2i_text *text, const struct op2i_request *request) {
  char key[OP2I_KEY_CHARS];
  op2i_key_text(request->plain, key);
  op2i_text_add(text, "#define OP2_ID k%s\n#line 1 \"generated code of ", key);
  for (const char *c = request->code->label ? request->code->label : "a loop"; *c; c++) {
    char plain = *c == '"' || *c == '\\' || (unsigned char)*c < ' ' ? '_' : *c;
    op2i_text_bytes(text, &plain, 1);
  }
  op2i_text_add(text, "\"\n%s\n#undef OP2_ID\n", request->code->source);
  if (request->code->label) name_entry(text, key, request->code->label);
}

static int write_source(struct op2i_folder *folder, const struct op2i_text *text,
                        char stem[PATH_MAX]) {
  /* A path is never used twice in a process: the loader takes a known name for the image it already
   * has. */
  static atomic_uint counter;
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/u%u.c", folder->path, atomic_fetch_add(&counter, 1));
  if (length >= (int)sizeof path - 4) return ENAMETOOLONG;
  int fd = op2i_file_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return errno;
  int error = op2i_file_write(fd, text->chars, text->length);
  if (close(fd) != 0 && !error) error = errno;
  if (error)
    unlink(path);
  else
    snprintf(stem, PATH_MAX, "%.*s", length - 2, path);
  return error;
}

/* Write the source to the first scratch folder with free space, from job->parent on. */
static op2_status place_source(struct op2i_jit *jit, struct job *job,
                               const struct op2i_text *source) {
  struct op2i_text why = {0};
  op2_status status;
  for (;; job->parent++) {
    OP2I_TRY(op2i_scratch_find(&jit->scratch, &job->parent, jit->cache.folder.path, &why));
    if (job->parent == OP2I_SCRATCH_PARENTS) break;
    struct op2i_folder *folder = &jit->scratch.folder[job->parent];
    int error = write_source(folder, source, job->stem);
    if (!error) break;
    op2i_text_add(&why, "%s%s: %s", why.length ? "; " : "", folder->path, strerror(error));
  }
  if (job->parent == OP2I_SCRATCH_PARENTS) {
    job->hopeless = true;
    op2i_text_add(&job->run.failure, "there is no folder for the compiler's files: %s",
                  why.length ? why.chars : "none");
  }
  if (why.failed || job->run.failure.failed) status = op2i_error_nomem("a message");
fail:
  op2i_text_free(&why);
  return status;
}

static op2_status start_job(op2_context ctx, struct job *job) {
  struct op2i_jit *jit = ctx->jit;
  struct op2i_text source = {0};
  op2_status status = OP2_SUCCESS;
  if (jit->halted) {
    job->hopeless = true;
    op2i_text_add(&job->run.failure,
                  "no compiler was started for it, as one had just been given up: %s", jit->halted);
    return job->run.failure.failed ? op2i_error_nomem("a message") : OP2_SUCCESS;
  }
  for (int64_t i = 0; i < job->count; i++) add_source(&source, job->member[i]);
  if (source.failed) OP2I_TRY(op2i_error_nomem("source to compile"));
  OP2I_TRY(place_source(jit, job, &source));
  if (job->parent == OP2I_SCRATCH_PARENTS) goto fail;
  job->run.stem = job->stem;
  job->run.folder = jit->scratch.folder[job->parent].path;
  job->run.includes = job->member[0]->code->includes;
  job->run.libraries = job->member[0]->code->libraries;
  OP2I_TRY(op2i_compiler_start(&jit->compiler, &job->run));
  job->hopeless = job->run.pid == 0;
fail:
  op2i_text_free(&source);
  return status;
}

/* ---- finishing jobs -------------------------------------------------------------------------- */

static void remove_files(struct job *job) {
  static const char *const suffixes[] = {".c", ".d", ".so", ".log"};
  char path[PATH_MAX + 8];
  for (size_t i = 0; job->stem[0] && i < sizeof suffixes / sizeof *suffixes; i++) {
    snprintf(path, sizeof path, "%s%s", job->stem, suffixes[i]);
    unlink(path);
  }
  job->stem[0] = '\0';
}

/* Read the compiler's output. */
static op2_status read_output(const struct job *job, const char *suffix, struct op2i_bytes *bytes,
                              const char **fault) {
  char path[PATH_MAX + 8];
  snprintf(path, sizeof path, "%s%s", job->stem, suffix);
  return op2i_file_load(path, bytes, fault);
}

/* Find the requests' functions in a loaded image. */
static void find_entries(struct op2i_jit *jit, struct job *job, void *handle) {
  char key[OP2I_KEY_CHARS];
  for (int64_t i = 0; i < job->count && !job->run.failure.length; i++) {
    struct op2i_request *request = job->member[i];
    request->code->function = op2i_image_function(handle, request->plain);
    op2i_key_text(request->plain, key);
    if (!request->code->function)
      op2i_text_add(&job->run.failure,
                    "what the C compiler %s made lacks the function op2_entry_k%s",
                    jit->compiler.driver.item[0], key);
  }
}

static op2_status load(op2_context ctx, struct job *job, struct op2i_bytes image) {
  struct op2i_jit *jit = ctx->jit;
  struct op2i_text why = {0};
  struct op2i_image *loaded;
  bool refused; /* not used: failures of both kinds are reported */
  op2_status status =
      op2i_image_load(ctx, image, job->member[0]->key, NULL, &loaded, &refused, &why);
  if (loaded)
    find_entries(jit, job, loaded->handle);
  else if (status == OP2_SUCCESS)
    op2i_text_add(&job->run.failure, "what the C compiler %s made does not load: %s",
                  jit->compiler.driver.item[0], why.chars);
  op2i_text_free(&why);
  for (int64_t i = 0; i < job->count && status == OP2_SUCCESS; i++) {
    struct op2i_jit_code *code = job->member[i]->code;
    if (job->run.failure.length)
      code->function = NULL;
    else
      status = op2i_jit_learn(jit, job->member[i], loaded);
  }
  return status;
}

/* Record what the image depends on; *known is false if that cannot be found out. */
static op2_status record(op2_context ctx, const struct job *job, struct op2i_text *list,
                         bool *known) {
  struct op2i_bytes rule = {0}, source = {0};
  const char *fault;
  op2_status status;
  OP2I_TRY(read_output(job, ".d", &rule, &fault));
  OP2I_TRY(read_output(job, ".c", &source, &fault));
  const struct op2i_compiled compiled = {.code = job->member[0]->code,
                                         .source = source.data ? (const char *)source.data : "",
                                         .rule = (const char *)rule.data,
                                         .started = job->run.started};
  status = op2i_depend_record(ctx, &compiled, list, known);
fail:
  op2i_free(rule.data);
  op2i_free(source.data);
  return status;
}

static op2_status store(op2_context ctx, struct job *job, struct op2i_bytes image,
                        struct op2i_bytes list) {
  struct op2i_bytes entry = {0};
  struct op2i_key *keys = op2i_calloc((size_t)(2 * job->count), sizeof *keys);
  if (!keys) return op2i_error_nomem("keys of compiled loops");
  for (int64_t i = 0; i < job->count; i++) {
    keys[2 * i] = job->member[i]->key;
    keys[2 * i + 1] = job->member[i]->plain;
  }
  op2_status status = op2i_entry_build(image, keys, 2 * job->count, list, &entry);
  if (!status) op2i_cache_store(ctx, &ctx->jit->cache, entry, keys, 2 * job->count);
  op2i_free(keys);
  op2i_free(entry.data);
  return status;
}

/* Store the image in the cache, and record in memory what it depends on: a kernel with headers of
 * its own may be requested again in this context after they have changed. */
static op2_status keep_image(op2_context ctx, struct job *job, struct op2i_bytes image) {
  struct op2i_cache *cache = &ctx->jit->cache;
  struct op2i_text list = {0};
  bool known;
  if (cache->folder.fd < 0 && job->member[0]->code->mergeable) return OP2_SUCCESS;
  op2_status status = record(ctx, job, &list, &known);
  struct op2i_bytes bytes = {(unsigned char *)list.chars, list.length};
  if (!status && !known)
    op2i_log(ctx, OP2I_LOG_DEBUG, "%s is not kept: what it was compiled from is not known",
             job->member[0]->code->label ? job->member[0]->code->label : "a loop");
  else if (!status && cache->folder.fd >= 0)
    status = store(ctx, job, image, bytes);
  if (status)
    op2i_text_free(&list);
  else
    op2i_image_depends(cache->images[cache->nimages - 1], &bytes);
  return status;
}

/* The compiler reports success: load the image, and keep it once it is known to work. */
static op2_status load_result(op2_context ctx, struct job *job) {
  struct op2i_compiler *compiler = &ctx->jit->compiler;
  struct op2i_text *failure = &job->run.failure;
  struct op2i_bytes image = {0};
  const char *fault;
  op2_status status = read_output(job, ".so", &image, &fault);
  if (status != OP2_SUCCESS) return status;
  if (!fault) fault = op2i_image_fault(image);
  if (fault) {
    op2i_text_add(failure, "the C compiler %s made no usable shared object (%s):\n",
                  compiler->driver.item[0], fault);
    status = op2i_compiler_report(compiler, &job->run);
  } else {
    status = load(ctx, job, image);
  }
  if (status == OP2_SUCCESS && failure->failed) status = op2i_error_nomem("a message");
  if (status == OP2_SUCCESS && !failure->length) status = keep_image(ctx, job, image);
  op2i_free(image.data);
  return status;
}

/* Compile again in the next folder; if there is none, the compiler's messages stand. */
static op2_status start_again(op2_context ctx, struct job *job) {
  struct op2i_text said = job->run.failure;
  job->run.failure = (struct op2i_text){0};
  remove_files(job);
  job->parent++;
  op2_status status = start_job(ctx, job);
  if (!job->run.pid) {
    op2i_text_free(&job->run.failure);
    job->run.failure = said;
  } else {
    op2i_text_free(&said);
  }
  return status;
}

static op2_status halt(struct op2i_jit *jit, struct job *job) {
  job->hopeless = true;
  if (jit->halted) return OP2_SUCCESS;
  jit->halted = op2i_strdup(job->run.failure.chars);
  return jit->halted ? OP2_SUCCESS : op2i_error_nomem("a message");
}

static op2_status finish(op2_context ctx, struct job *job) {
  struct op2i_jit *jit = ctx->jit;
  op2_status status = OP2_SUCCESS;
  while (job->run.pid) {
    OP2I_TRY(op2i_compiler_wait(&jit->compiler, &job->run));
    if (job->run.given_up)
      OP2I_TRY(halt(jit, job));
    else if (!job->run.good && !op2i_scratch_works(&jit->scratch, job->parent))
      OP2I_TRY(start_again(ctx, job));
  }
  if (job->run.good) status = load_result(ctx, job);
fail:
  remove_files(job);
  return status;
}

/* Every job that was started is waited for, even if memory runs out. */
static op2_status run_jobs(op2_context ctx, struct job *jobs, int64_t n, int64_t width) {
  op2_status status = OP2_SUCCESS;
  int64_t started = 0;
  for (int64_t done = 0; done < n; done++) {
    while (status == OP2_SUCCESS && started < n && started - done < width)
      status = start_job(ctx, &jobs[started++]);
    if (done == started) break;
    op2_status ended = finish(ctx, &jobs[done]);
    if (status == OP2_SUCCESS) status = ended;
  }
  return status;
}

/* ---- results of jobs ------------------------------------------------------------------------- */

static op2_status report_build(op2_context ctx, const struct job *job) {
  for (int64_t i = 0; i < job->count; i++) {
    struct op2i_jit_code *code = job->member[i]->code;
    code->status = OP2_ERR_COMPILE;
    code->message = op2i_strdup(job->run.failure.chars);
    if (!code->message) return op2i_error_nomem("a message");
    ctx->jit->stats.failed++;
    op2i_log(ctx, OP2I_LOG_DEBUG, "%s: %s", code->label ? code->label : "a loop", code->message);
  }
  return OP2_SUCCESS;
}

/* Jobs from..to-1 have ended: record those that worked, and divide or give up the others. */
static op2_status judge_jobs(op2_context ctx, struct job_list *jobs, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    struct job job = jobs->item[i]; /* a copy, because the list may move */
    op2_status status = OP2_SUCCESS;
    if (!job.run.failure.length)
      ctx->jit->stats.compiled += job.count;
    else if (job.count == 1 || job.hopeless)
      status = report_build(ctx, &job);
    else
      status = add_jobs(jobs, job.member, job.count, job.count < PARTS ? job.count : PARTS);
    if (status != OP2_SUCCESS) return status;
  }
  return OP2_SUCCESS;
}

static op2_status build_all(op2_context ctx, struct op2i_request **requests, int64_t n,
                            struct job_list *jobs) {
  int64_t width = op2i_machine()->cores > 1 ? op2i_machine()->cores : 1, from = 0;
  op2_status status = plan_jobs(jobs, requests, n, width);
  while (status == OP2_SUCCESS && from < jobs->count) {
    int64_t to = jobs->count;
    status = run_jobs(ctx, jobs->item + from, to - from, width);
    if (status == OP2_SUCCESS) status = judge_jobs(ctx, jobs, from, to);
    from = to;
  }
  return status;
}

static op2_status report_missing(op2_context ctx, struct op2i_request **requests, int64_t n) {
  struct op2i_jit *jit = ctx->jit;
  struct job job = {.member = requests, .count = n};
  op2i_text_add(&job.run.failure, "%s%s%s", jit->compiler.missing.chars,
                jit->outdated ? "; what the cache has of it is not used: " : "",
                jit->outdated ? jit->outdated : "");
  op2_status status =
      job.run.failure.failed ? op2i_error_nomem("a message") : report_build(ctx, &job);
  op2i_text_free(&job.run.failure);
  return status;
}

op2_status op2i_build(op2_context ctx, struct op2i_request **requests, int64_t n) {
  struct job_list jobs = {0};
  if (ctx->jit->compiler.missing.length) return report_missing(ctx, requests, n);
  double start_time = op2i_seconds();
  op2_status status = build_all(ctx, requests, n, &jobs);
  double seconds = op2i_seconds() - start_time;
  ctx->jit->stats.seconds += seconds;
  op2i_log(ctx, OP2I_LOG_INFO, "%s to compile: %s, %.3f s", OP2I_N(n, "loop"),
           OP2I_N(jobs.count, "compiler run"), seconds);
  for (int64_t i = 0; i < jobs.count; i++) op2i_text_free(&jobs.item[i].run.failure);
  op2i_free(jobs.item);
  return status;
}
