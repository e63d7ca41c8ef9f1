/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of the driver that time steps of airfoil make, counted by name on the emulation of a
 * device (test/emulation): the steps are replayed, and pass a number that changes in each of them,
 * or none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "airfoil_steps.h"
#include "emulation/driver.h"
#include "emulation_names.h"
#include "machine.h"
#include "support.h"

/* Steps that are counted, and steps before these. */
enum { STEPS = 100, BEFORE = 12, NAMES = 128 };

static void (*count)(struct op2_emulation_counts *counts);
static int64_t (*calls)(const char *name);
static const char *(*called)(int i);

struct tally {
  struct op2_emulation_counts counts;
  int64_t all, times[NAMES];
};

static void tally(struct tally *t) {
  memset(t, 0, sizeof *t);
  count(&t->counts);
  t->all = calls(NULL);
  for (int i = 0; i < NAMES && called(i); i++) t->times[i] = calls(called(i));
}

static void print_tally(const char *what, const struct tally *before, const struct tally *after) {
  diag("%s: %lld calls in %d steps", what, (long long)(after->all - before->all), STEPS);
  for (int i = 0; i < NAMES && called(i); i++)
    if (after->times[i] > before->times[i])
      diag("  %-28s %lld", called(i), (long long)(after->times[i] - before->times[i]));
}

/* Each step is a program, as the queue is full when it is queued. */
static bool measure(enum way way, const char *name, struct tally *before, struct tally *after,
                    struct result *got) {
  if (!steps_begin(emulation_backend(), LOOPS)) return false;
  bool good = steps_queue(way, 0, BEFORE);
  tally(before);
  good = good && steps_queue(way, BEFORE, STEPS);
  tally(after);
  print_tally(name, before, after);
  good = good && steps_take(got);
  steps_end();
  return good;
}

/* A step is a look at the current context and a graph. A number that changes takes a transfer,
 * whatever the number of loops that use it. */
static void with_graphs(enum way way, const struct result *want) {
  static struct result got;
  static struct tally before, after;
  if (!measure(way, ways[way], &before, &after, &got)) return;
  ok(steps_near(&got, want), "%s: the host's values", ways[way]);
  is_int(after.all - before.all, (way == SAME ? 2 : 3) * STEPS, "%s: calls", ways[way]);
  is_int(after.counts.allocations - before.counts.allocations, 0, "%s: allocations", ways[way]);
  is_int(after.counts.waits - before.counts.waits, 0, "%s: waits", ways[way]);
}

static void without_graphs(enum way way, const struct result *want) {
  static struct result with, without;
  static struct tally before, after;
  bool good = measure(way, ways[way], &before, &after, &with);
  const int64_t graphs = calls(emulation_call("cuGraphLaunch"));
  const int64_t launches = calls(emulation_call("cuLaunchKernel"));
  setenv("OP2_DEVICE_GRAPHS", "0", 1);
  good = measure(way, "the same with OP2_DEVICE_GRAPHS=0", &before, &after, &without) && good;
  unsetenv("OP2_DEVICE_GRAPHS");
  ok(good && steps_near(&without, want), "%s without graphs: the host's values", ways[way]);
  ok(good && !memcmp(&with, &without, sizeof with), "%s: the same bits as with graphs", ways[way]);
  is_int(calls(emulation_call("cuGraphLaunch")) - graphs, 0, "%s without graphs: there are none",
         ways[way]);
  ok(calls(emulation_call("cuLaunchKernel")) - launches >= LOOPS * STEPS / 2, "%s: but launches",
     ways[way]);
}

/* The first programs have several texts each, which threads compile at the same time with NVRTC. */
static void compiled_together(void) {
  int (*together)(void) = NULL;
  void *nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  if (nvrtc) *(void **)&together = dlsym(nvrtc, "op2_emulation_compiled_together");
  if (op2i_machine()->cores < 2 || getenv("OP2_TEST_CACHE"))
    skip("texts are compiled together: there is one core, or they may be in the cache");
  else
    ok(together && together() > 1, "%d texts are compiled together", together ? together() : 0);
  if (nvrtc) dlclose(nvrtc);
}

int main(void) {
  static struct result want;
  test_environment();
  void *driver = dlopen(emulation_driver(), RTLD_NOW | RTLD_LOCAL);
  if (driver) *(void **)&count = dlsym(driver, "op2_emulation_count");
  if (!count) {
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
    return done();
  }
  *(void **)&calls = dlsym(driver, "op2_emulation_calls");
  *(const void **)&called = dlsym(driver, "op2_emulation_call");
  for (enum way way = 0; way < WAYS; way++) {
    if (!steps_expect(way, BEFORE + STEPS, &want)) return done();
    with_graphs(way, &want);
    without_graphs(way, &want);
  }
  if (!emulation_is_hip()) compiled_together();
  dlclose(driver);
  return done();
}
