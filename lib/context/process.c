/* SPDX-License-Identifier: BSD-3-Clause */
/* The contexts of this process, their treatment in a forked child, and the memory of destroyed
 * objects, kept so that stale handles are recognised. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "context.h"
#include "env.h"
#include "fpenv.h"
#include "mem.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* held for reading by threads that load libraries or are in some that have locks of their own */
static pthread_rwlock_t loading = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;
static op2_context living; /* list */
/* The contexts that have ended while the program kept objects of theirs. A tool that looks for
 * leaked memory finds these objects from here, as long as their handles may be used. */
static op2_context ended; /* list */
static bool forked;

/* Ring buffers with the oldest entry at `at`. */
enum { RING_SIZE = 4096 };
static struct {
  void *memory[RING_SIZE];
  int at;
} deferred[OP2I_DEFERRED_KINDS];

/* ---- fork ------------------------------------------------------------------------------------ */

void op2i_process_begin_context(void) { pthread_mutex_lock(&beginning); }
void op2i_process_context_begun(void) { pthread_mutex_unlock(&beginning); }
void op2i_process_lock(void) { pthread_mutex_lock(&lock); }
void op2i_process_unlock(void) { pthread_mutex_unlock(&lock); }

void op2i_process_library_begin(void) { pthread_rwlock_rdlock(&loading); }
void op2i_process_library_end(void) { pthread_rwlock_unlock(&loading); }

void *op2i_process_load(const char *path, int flags) {
  /* libraries that were linked with -ffast-math change it when they are loaded */
  struct op2i_fp_state state;
  op2i_fp_read(&state);
  op2i_process_library_begin();
  void *handle = dlopen(path, flags);
  int error = errno;
  op2i_process_library_end();
  op2i_fp_write(&state);
  errno = error;
  return handle;
}

void op2i_process_unload(void *handle) {
  op2i_process_library_begin();
  dlclose(handle);
  op2i_process_library_end();
}

int op2i_process_objects(int (*visit)(struct dl_phdr_info *object, size_t size, void *closure),
                         void *closure) {
  op2i_process_library_begin();
  int result = dl_iterate_phdr(visit, closure);
  op2i_process_library_end();
  return result;
}

/* The child has a copy of its parent's memory, which other threads may have left in the middle of a
 * change, and none of the workers: its contexts do nothing any more, and access nothing. */
static void in_child(void) {
  forked = true;
  for (op2_context ctx = living; ctx; ctx = ctx->next_living) ctx->finalized = ctx->forked = true;
  living = NULL;
  op2i_env_in_child();
  op2i_process_unlock();
  (void)pthread_rwlock_init(&loading, NULL);
  (void)pthread_mutex_init(&beginning, NULL);
}

static void before_fork(void) {
  pthread_rwlock_wrlock(&loading);
  op2i_process_lock();
}

static void in_parent(void) {
  op2i_process_unlock();
  pthread_rwlock_unlock(&loading);
}

bool op2i_process_forked(void) { return forked; }

/* ---- exit ------------------------------------------------------------------------------------ */

/* Loops that are still queued are lost when the process ends. They are reported, not run, since
 * what they need (workers, the user's memory) may be gone. Details beyond their number are printed
 * only if no other thread can be queueing loops. */
static void report_lost(void) {
  /* A signal handler that exits may have interrupted a thread that holds the lock. */
  if (pthread_mutex_trylock(&lock)) return;
  for (op2_context ctx = living; ctx; ctx = ctx->next_living)
    if (!ctx->finalized && !ctx->fatal)
      op2i_scheduler.report_lost(ctx->sched, pthread_equal(ctx->maker, pthread_self()));
  op2i_process_unlock();
}

/* Registered when the library is loaded: threads of other libraries do not survive in a child
 * either, and exit handlers that the program registers later run before this one. */
__attribute__((constructor)) static void watch(void) {
  (void)pthread_atfork(before_fork, in_parent, in_child);
  (void)atexit(report_lost);
}

/* ---- contexts -------------------------------------------------------------------------------- */

void op2i_process_enter(op2_context ctx) {
  ctx->maker = pthread_self();
  op2i_process_lock();
  ctx->next_living = living;
  living = ctx;
  op2i_process_unlock();
}

static void take_from(op2_context *list, op2_context ctx) {
  while (*list && *list != ctx) list = &(*list)->next_living;
  if (*list) *list = ctx->next_living;
}

void op2i_process_leave(op2_context ctx) {
  op2i_process_lock();
  take_from(&living, ctx);
  ctx->next_living = ended;
  ended = ctx;
  op2i_process_unlock();
}

void op2i_process_forget(op2_context ctx) {
  op2i_process_lock();
  take_from(&ended, ctx);
  op2i_process_unlock();
}

/* ---- memory of freed objects ----------------------------------------------------------------- */

void op2i_free_deferred(enum op2i_deferred_kind kind, void *memory) {
  op2i_process_lock();
  int at = deferred[kind].at;
  deferred[kind].at = (at + 1) % RING_SIZE;
  void *oldest = deferred[kind].memory[at];
  deferred[kind].memory[at] = memory;
  op2i_process_unlock();
  op2i_free(oldest);
}
