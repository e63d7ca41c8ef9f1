/* SPDX-License-Identifier: BSD-3-Clause */
/* A launch: blocks one after the other, the threads of each on stacks of their own, which change at barriers.
 * What is wrong with it is reported once, and ends it. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "emulation.h"

enum { THREADS = 1024, STACK = 256 << 10, GUARD = 4096 };

struct thread {
  void *here[5]; /* of __builtin_setjmp: where it goes on */
  char *stack;
  bool begun; /* `here` is somewhere */
  bool done, waits;
  int line; /* of the barrier at which it waits */
};

static struct thread threads[THREADS];
static struct thread *running;
static void *scheduler[5];
static const struct emulation_launch *launched;
static struct op2_emulation now;
static const struct op2_emulation_shared *shared;
static int failure;
static bool judges; /* what warps ask of memory is counted */
static uint32_t launches;
static char report[1024];

const char *emulation_report(void) { return report[0] ? report : NULL; }

/* ---- reports --------------------------------------------------------------------------------- */

/* The nth of names that are each followed by a blank. */
static int name_at(const char *names, int n, const char **name) {
  for (; n > 0 && *names; n--) names += strcspn(names, " ") + 1;
  *name = names;
  return (int)strcspn(names, " ");
}

static bool place_in_shared(uintptr_t at, char *text, size_t room) {
  const uintptr_t dynamic = (uintptr_t)shared->dynamic, fixed = (uintptr_t)shared->fixed;
  const size_t bytes = (size_t)(shared->fixed_end - shared->fixed);
  const bool is_dynamic = at - dynamic < shared->dynamic_bytes, is_fixed = at - fixed < bytes;
  if (is_dynamic)
    snprintf(text, room, "byte %lld of the %u that the block shares", (long long)(at - dynamic),
             launched->shared_bytes);
  else if (is_fixed)
    snprintf(text, room, "byte %lld of the %zu that blocks always share", (long long)(at - fixed),
             bytes);
  return is_dynamic || is_fixed;
}

static void place_of(uintptr_t at, char *text, size_t room) {
  const struct op2_emulation_entry *entry = launched->function->entry;
  uintptr_t base, passed;
  size_t bytes;
  const char *name;
  if (place_in_shared(at, text, room)) return;
  if (!emulation_nearest(at, &base, &bytes)) {
    snprintf(text, room, "%p", (void *)at);
    return;
  }
  int used = snprintf(text, room, "byte %lld of a piece of %zu", (long long)(at - base), bytes);
  for (int p = 0; p < entry->nparameters; p++) {
    if (entry->bytes[p] != sizeof passed) continue;
    memcpy(&passed, launched->parameters[p], sizeof passed);
    if (passed != base) continue;
    int length = name_at(entry->parameters, p, &name);
    snprintf(text + used, room - (size_t)used, ", parameter %d (%.*s)", p, length, name);
    return;
  }
}

static void say(int result, const char *format, ...) {
  va_list list;
  if (failure) return;
  failure = result;
  int used = snprintf(report, sizeof report, "%s: block %u, thread %u ",
                      launched->function->entry->name, now.block.x, now.thread.x);
  va_start(list, format);
  vsnprintf(report + used, sizeof report - (size_t)used, format, list);
  va_end(list);
  fprintf(stderr, "# emulation: %s\n", report);
}

/* ---- threads --------------------------------------------------------------------------------- */

__attribute__((noinline, noreturn)) static void to_scheduler(void) {
  __builtin_longjmp(scheduler, 1);
}

__attribute__((noinline, noreturn)) static void to_thread(struct thread *thread) {
  __builtin_longjmp(thread->here, 1);
}

__attribute__((noinline)) static void leave(struct thread *thread) {
  if (!__builtin_setjmp(thread->here)) to_scheduler();
}

/* The thread never comes back: its stack begins anew. */
__attribute__((noreturn)) static void abandon(void) {
  running->begun = false;
  to_scheduler();
}

static void live(void) {
  for (;;) {
    launched->function->entry->call(launched->parameters);
    running->done = true;
    leave(running);
  }
}

__attribute__((noinline)) static void begin(struct thread *thread) {
  ucontext_t context;
  if (!thread->stack) {
    thread->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (thread->stack == MAP_FAILED) abort();
    mprotect(thread->stack, GUARD, PROT_NONE);
  }
  getcontext(&context);
  context.uc_stack.ss_sp = thread->stack;
  context.uc_stack.ss_size = STACK;
  context.uc_link = NULL;
  makecontext(&context, live, 0);
  thread->begun = true;
  setcontext(&context);
}

__attribute__((noinline)) static void resume(struct thread *thread) {
  running = thread;
  thread->waits = false;
  now.thread.x = (unsigned)(thread - threads);
  emulation_phase.thread = (uint16_t)now.thread.x;
  if (__builtin_setjmp(scheduler)) return;
  if (thread->begun)
    to_thread(thread);
  else
    begin(thread);
}

/* ---- functions that device code calls -------------------------------------------------------- */

static bool own_stack(uintptr_t at) { return at - (uintptr_t)running->stack < STACK; }

static bool shares(uintptr_t at) {
  return at - (uintptr_t)shared->dynamic < shared->dynamic_bytes ||
         (at >= (uintptr_t)shared->fixed && at < (uintptr_t)shared->fixed_end);
}

static void look(const void *pointer, unsigned long bytes, int kind, const void *from) {
  const uintptr_t at = (uintptr_t)pointer;
  char place[256];
  int result;
  if (own_stack(at)) return;
  const char *wrong = emulation_look(at, bytes, kind, &result);
  if (emulation_module_holds(launched->function->module, at)) return;
  if (judges && from && !wrong) emulation_warps_note(now.thread.x, from, at, bytes, shares(at));
  if (!wrong) return;
  place_of(at, place, sizeof place);
  say(result, "%s: %lu bytes at %s", wrong, bytes, place);
  abandon();
}

static void look_not(const void *at, unsigned long bytes, int kind, const void *from) {
  (void)at, (void)bytes, (void)kind, (void)from;
}

static void misaligned(const void *at) {
  char place[256];
  place_of((uintptr_t)at, place, sizeof place);
  say(EMULATION_MISALIGNED_ADDRESS, "uses an address that is not aligned: %s", place);
  abandon();
}

static void barrier(int line) {
  running->waits = true;
  running->line = line;
  leave(running);
}

/* ---- random orders of threads ---------------------------------------------------------------- */

static uint64_t draw(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void arrange(uint32_t *order, uint32_t n, uint64_t *seed) {
  int64_t kind = emulation_setting("order", 0);
  if (kind == 0) kind = 1 + launches % 3;
  for (uint32_t i = 0; i < n; i++) order[i] = kind == 2 ? n - 1 - i : i;
  for (uint32_t i = n; kind == 3 && i > 1; i--) {
    uint32_t j = (uint32_t)(draw(seed) % i), other = order[j];
    order[j] = order[i - 1];
    order[i - 1] = other;
  }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* All threads stand at the same barrier, or all are done. */
static void look_at_barrier(void) {
  const struct thread *first = &threads[0];
  for (unsigned t = 1; t < launched->threads && !failure; t++) {
    const struct thread *thread = &threads[t];
    if (thread->waits == first->waits && (!thread->waits || thread->line == first->line)) continue;
    now.thread.x = t;
    if (thread->waits && first->waits)
      say(EMULATION_LAUNCH_FAILED, "is at the barrier of line %d, and thread 0 at that of line %d",
          thread->line, first->line);
    else
      say(EMULATION_LAUNCH_FAILED, "%s the barrier of line %d, and thread 0 %s",
          thread->waits ? "is at" : "never reaches", thread->waits ? thread->line : first->line,
          thread->waits ? "never reaches it" : "is at it");
  }
}

static void run_block(uint64_t *seed) {
  uint32_t order[THREADS];
  const bool checks = now.access == look;
  emulation_phase.block = emulation_phase.now;
  for (unsigned t = 0; t < launched->threads; t++) threads[t].done = false;
  do {
    arrange(order, launched->threads, seed);
    for (unsigned i = 0; i < launched->threads && !failure; i++)
      if (!threads[order[i]].done) resume(&threads[order[i]]);
    emulation_phase.now++;
    if (checks && !failure) look_at_barrier();
    if (judges && !failure)
      emulation_warps_judge(emulation_module_kernel(launched->function->module),
                            launched->function->entry->name, launched->threads);
  } while (threads[0].waits && !failure);
}

static int run_blocks(uint32_t *order) {
  uint64_t seed = launches;
  arrange(order, launched->blocks, &seed);
  emulation_phase.launch = emulation_phase.now;
  emulation_forget_releases();
  for (unsigned b = 0; b < launched->blocks && !failure; b++) {
    now.block.x = order[b];
    emulation_fresh_shared(shared, launched->shared_bytes);
    run_block(&seed);
  }
  for (unsigned t = 0; t < THREADS && failure; t++) threads[t].begun = false;
  return failure;
}

int emulation_run(const struct emulation_launch *launch) {
  uint32_t *order = malloc(launch->blocks * sizeof *order);
  if (!order) return EMULATION_OUT_OF_MEMORY;
  launched = launch;
  shared = emulation_module_enter(launch->function->module, &now);
  failure = EMULATION_SUCCESS;
  launches++;
  judges = emulation_warps();
  if (emulation_phase.now == 0) emulation_phase.now = 1;
  now = (struct op2_emulation){.threads = {launch->threads, 1, 1},
                               .blocks = {launch->blocks, 1, 1},
                               .access = emulation_checks() ? look : look_not,
                               .misaligned = misaligned,
                               .barrier = barrier,
                               .fence = emulation_fence};
  int result = run_blocks(order);
  free(order);
  return result;
}
