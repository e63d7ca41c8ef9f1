/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of launches, on the emulation of a device (test/emulation): what changes between two runs of
 * a program, what interrupts them, and what refuses them. Results are the host's each time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "airfoil_steps.h"
#include "buffer.h"
#include "context.h"
#include "cuda_api.h"
#include "device.h"
#include "device_graphs.h"
#include "emulation_names.h"
#include "hear.h"
#include "hip_api.h"
#include "mem.h"
#include "support.h"
#include "text.h"

enum { STEPS = 30, HALF = STEPS / 2 };

static void *driver;
static int64_t (*calls)(const char *name);
static int (*get_current)(void **context), (*set_current)(void *context);
static int (*get_device)(int *device), (*set_device)(int device); /* HIP's */

static struct result want[WAYS], got;

/* The lines of op2_explain() that name graphs. */
static void explain_graphs(char *text, size_t room) {
  size_t length = 0;
  char *all = NULL;
  FILE *stream = open_memstream(&all, &length);
  CHECK(op2_explain(flow.ctx, stream));
  fclose(stream);
  text[0] = '\0';
  for (char *line = strtok(all, "\n"); line; line = strtok(NULL, "\n"))
    if (strstr(line, " graph")) snprintf(text + strlen(text), room - strlen(text), "%s;", line);
  free(all);
}

static bool explains_graphs(const char *expected) {
  char text[1024];
  explain_graphs(text, sizeof text);
  if (strstr(text, expected)) return true;
  diag("op2_explain: %s", text);
  return false;
}

/* ---- the length of programs ------------------------------------------------------------------ */

/* All steps wait in the queue: a program has several of them, and its numbers change within it. */
static void several_steps(enum way way) {
  const int64_t before = calls(NULL);
  if (!steps_begin(emulation_backend(), 0)) return;
  bool good = true;
  for (int s = 0; s < STEPS; s += HALF / 3)
    good = good && steps_queue(way, s, HALF / 3) && CHECK(op2_flush(flow.ctx));
  ok(good && steps_take(&got) && steps_near(&got, &want[way]), "%s, five steps in a flush",
     ways[way]);
  diag("%lld calls in all", (long long)(calls(NULL) - before));
  steps_end();
}

/* The table of OP2_REPORT counts graphs. */
static bool reported(void) {
  size_t length = 0;
  char *text = NULL;
  FILE *stream = open_memstream(&text, &length);
  CHECK(op2_report(flow.ctx, stream));
  fclose(stream);
  const char *line = strstr(text, "graphs of launches");
  const bool good = line && strstr(text, "device: ");
  if (!good) diag("%s", text);
  free(text);
  return good;
}

static void explained(void) {
  if (!steps_begin(emulation_backend(), LOOPS)) return;
  ok(steps_queue(SAME, 0, STEPS) && explains_graphs("1 graph of 9 launches, made 1 time"),
     "op2_explain has the graph");
  ok(reported(), "so has the report");
  ok(steps_take(&got) && steps_near(&got, &want[SAME]), "and results are right");
  steps_end();
}

/* ---- what changes between runs --------------------------------------------------------------- */

/* All values leave the device, and others take their memory. */
static bool move_memory(void **taken, size_t bytes) {
  flow.ctx->device->round++;
  while (op2i_buffers_evict(flow.ctx)) continue;
  return CHECK(op2i_device_alloc(flow.ctx->device, bytes, taken));
}

static void moved_memory(void) {
  static const size_t sizes[] = {CELLS * 4 * sizeof(double), CELLS * sizeof(double)};
  const int64_t changes = calls(emulation_call("cuGraphExecKernelNodeSetParams"));
  void *taken[2] = {NULL, NULL};
  if (!steps_begin(emulation_backend(), LOOPS)) return;
  bool good = steps_queue(SAME, 0, HALF);
  for (int m = 0; m < 2; m++) good = good && move_memory(&taken[m], sizes[m]);
  ok(good && steps_queue(SAME, HALF, STEPS - HALF) &&
         explains_graphs("1 graph of 9 launches, made 1 time"),
     "values have moved on the device: the graph is the same");
  ok(calls(emulation_call("cuGraphExecKernelNodeSetParams")) > changes, "and has other addresses");
  ok(steps_take(&got) && steps_near(&got, &want[SAME]), "and results are right");
  for (int m = 0; m < 2; m++) op2i_device_release(flow.ctx->device, taken[m]);
  steps_end();
}

/* ---- the order of operations ----------------------------------------------------------------- */

static struct op2i_device_code *load_copy(struct op2i_device *device, void **binary) {
  static const char source[] =
      "extern \"C\" __global__ void copy(const double *x, double *y) { *y = *x; }\n";
  struct op2i_device_code *code = NULL;
  struct op2i_text log = {0};
  size_t bytes;
  bool good = CHECK(device->kind->build(device, source, NULL, &log, binary, &bytes)) &&
              CHECK(device->kind->load(device, *binary, bytes, "copy", &code));
  op2i_text_free(&log);
  return good ? code : NULL;
}

/* Copies x to y, and then changes x, which must not come to the device before the copy is made. */
static void overtaking(void) {
  const double old[2] = {1, 2}, new[2] = {3, 4};
  struct op2i_device_graphs graphs = {.own = NULL};
  void *x = NULL, *y = NULL, *binary = NULL;
  double there = 0;
  if (!steps_begin(emulation_backend(), LOOPS)) return;
  struct op2i_device *device = flow.ctx->device;
  const struct op2i_device_kind *kind = device->kind;
  struct op2i_device_code *code = load_copy(device, &binary);
  bool good = code && CHECK(op2i_device_alloc(device, sizeof old, &x)) &&
              CHECK(op2i_device_alloc(device, sizeof old, &y)) &&
              CHECK(kind->put(device, x, 0, old, sizeof old));
  const struct op2i_device_arg args[] = {{.is_memory = true, .memory = x},
                                         {.is_memory = true, .memory = y}};
  const struct op2i_launch launch = {.groups = 1, .group = 1, .nargs = 2, .args = args};
  op2i_device_collect(device, &graphs, true);
  good = good && CHECK(kind->clear(device, y, 0, sizeof old)) &&
         CHECK(kind->launch(device, code, &launch)) &&
         CHECK(kind->put(device, x, 0, new, sizeof new)) &&
         CHECK(kind->get(device, &there, y, 0, sizeof there));
  ok(good && there == old[0], "a transfer does not overtake launches that use its memory");
  good = CHECK(op2i_device_collected(device));
  op2i_device_graphs_free(&graphs);
  if (code) kind->unload(device, code);
  op2i_free(binary);
  op2i_device_release(device, x);
  op2i_device_release(device, y);
  ok(good, "and collecting ends");
  steps_end();
}

/* Functions that are unloaded may be followed by others at the same address. */
static bool unload_another(void) {
  void *binary = NULL;
  struct op2i_device_code *code = load_copy(flow.ctx->device, &binary);
  if (code) flow.ctx->device->kind->unload(flow.ctx->device, code);
  op2i_free(binary);
  return code != NULL;
}

static void unloaded_function(void) {
  if (!steps_begin(emulation_backend(), LOOPS)) return;
  ok(steps_queue(SAME, 0, HALF) && unload_another() && steps_queue(SAME, HALF, STEPS - HALF) &&
         explains_graphs("made 2 times"),
     "a function was unloaded: the graph is made anew");
  ok(steps_take(&got) && steps_near(&got, &want[SAME]), "and results are right");
  steps_end();
}

/* The host's values come to the device in the midst of the steps; a set has other numbers. */
static void changed_values(bool renumber) {
  struct result middle;
  if (!steps_begin(emulation_backend(), LOOPS)) return;
  bool good = steps_queue(SAME, 0, HALF) && steps_take(&middle);
  for (int c = 0; c < CELLS; c++) middle.q[c][0] += 0;
  good = good && CHECK(op2_dat_set(flow.q, middle.q));
  if (renumber) good = good && CHECK(op2_renumber(flow.edge_cells));
  good = good && steps_queue(SAME, HALF, STEPS - HALF) && steps_take(&got);
  if (renumber) {
    const double off = got.rms - want[SAME].rms;
    ok(good && off * off <= 1e-18 * want[SAME].rms * want[SAME].rms, "sets have other numbers");
  } else {
    ok(good && steps_near(&got, &want[SAME]), "values came from the host");
  }
  steps_end();
}

/* ---- what interrupts them -------------------------------------------------------------------- */

static void places(const char *where) {
  setenv("OP2_PLACE", where, 1);
  if (!steps_begin(emulation_backend(), LOOPS)) return;
  bool good = steps_queue(VALUE, 0, STEPS);
  ok(good && steps_take(&got) && steps_near(&got, &want[VALUE]), "OP2_PLACE=%s", where);
  steps_end();
  unsetenv("OP2_PLACE");
}

/* The context that is current, and another one. With HIP these are a device and another one. */
static int looked, foreign;
static void *other = &foreign;

static void *current(void) {
  void *context = NULL;
  int device = -1;
  if (emulation_is_hip()) return get_device(&device) || device != 1 ? NULL : other;
  return get_current(&context) ? NULL : context;
}

static int make_current(void *context) {
  return emulation_is_hip() ? set_device(context == other) : set_current(context);
}

/* A function that has a context of its own, and leaves it current. */
static int look(void *data, void *const *values) {
  (void)data, (void)values;
  looked++;
  return make_current(other);
}

static void calls_between(void) {
  setenv("OP2_TEST_EMULATION", "devices=2", 1);
  if (!steps_begin(emulation_backend(), 0)) return;
  bool good = true;
  for (int s = 0; s < STEPS && good; s++)
    good = steps_queue(SAME, s, 1) &&
           CHECK(op2_call(flow.ctx, look, NULL, op2_arg_direct(flow.q, OP2_READ))) &&
           CHECK(op2_par_loop(flow.kernels[SAVE], flow.cells, op2_arg_direct(flow.q, OP2_READ),
                              op2_arg_direct(flow.qold, OP2_WRITE))) &&
           CHECK(op2_flush(flow.ctx));
  ok(good && looked == STEPS && current() == other,
     "functions of the program run between launches, and keep their context");
  ok(steps_take(&got) && steps_near(&got, &want[SAME]), "and results are right");
  steps_end();
  ok(current() == other, "the context that was current is so in the end");
  make_current(NULL);
  unsetenv("OP2_TEST_EMULATION");
}

static void own_context(void) {
  if (!steps_begin(emulation_backend(), LOOPS)) return;
  ok(steps_queue(SAME, 0, STEPS) && steps_take(&got), "no context is current at first");
  steps_end();
  ok(!current(), "and none is in the end");
}

/* The program has the device's context current itself. */
static void shared_context(void) {
  void *own = NULL;
  int (*retain)(void **, int), (*release)(int);
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&release = dlsym(driver, "cuDevicePrimaryCtxRelease_v2");
  if (retain(&own, 0) || set_current(own) || !steps_begin(emulation_backend(), LOOPS)) return;
  ok(steps_queue(SAME, 0, STEPS) && steps_take(&got) && steps_near(&got, &want[SAME]),
     "the program uses the device, too");
  steps_end();
  ok(current() == own, "and has its context in the end");
  set_current(NULL);
  release(0);
}

/* ---- what refuses them ----------------------------------------------------------------------- */

static int count_warnings(const char *text) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, "makes no graph")); at++) n++;
  return n;
}

/* Two programs, one after the other. */
static bool two_programs(struct result *result) {
  bool good = steps_begin(emulation_backend(), LOOPS) && steps_queue(SAME, 0, HALF) &&
              steps_queue(VALUE, HALF, STEPS - HALF) && steps_take(result);
  steps_end();
  return good;
}

static void refused_graph(int nth) {
  static struct result plain;
  char setting[32];
  snprintf(setting, sizeof setting, "instantiate=%d", nth);
  setenv("OP2_TEST_EMULATION", setting, 1);
  setenv("OP2_LOG", "2", 1);
  const int64_t before = calls(emulation_call("cuGraphLaunch"));
  hear_begin();
  bool good = two_programs(&got);
  ok(count_warnings(hear_end()) == 1, "graph %d cannot be made: one warning", nth);
  const int64_t launched = calls(emulation_call("cuGraphLaunch")) - before;
  ok(nth == 1 ? launched == 0 : launched > 0, "%lld graphs are launched", (long long)launched);
  unsetenv("OP2_TEST_EMULATION");
  unsetenv("OP2_LOG");
  setenv("OP2_DEVICE_GRAPHS", "0", 1);
  good = two_programs(&plain) && good;
  unsetenv("OP2_DEVICE_GRAPHS");
  ok(good && !memcmp(&plain, &got, sizeof got), "and the bits are those of launches");
}

static struct op2i_cuda_api *functions(void) {
  const char *why;
  const struct op2i_cuda_api *api =
      emulation_is_hip() ? op2i_hip_as_cuda(&why) : op2i_cuda_api(&why);
  return (struct op2i_cuda_api *)(uintptr_t)api;
}

/* A driver that has no graphs. */
static void older_driver(void) {
  struct op2i_cuda_api *api = functions();
  const int64_t before = calls(emulation_call("cuGraphLaunch"));
  api->graphs = false;
  if (steps_begin(emulation_backend(), LOOPS)) {
    ok(steps_queue(GLOBAL, 0, STEPS) && steps_take(&got) && steps_near(&got, &want[GLOBAL]),
       "a driver without graphs: results are right");
    steps_end();
  }
  api->graphs = true;
  is_int(calls(emulation_call("cuGraphLaunch")) - before, 0, "and there are none");
}

/* Another process opens the HIP runtime of Debian 12. */
static void older_hip(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    setenv("OP2_TEST_EMULATION", "driver=50221153", 1);
    const struct op2i_cuda_api *api = functions();
    _exit(api ? api->graphs : 2);
  }
  ok(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0,
     "HIP 5 gets no graphs");
}

/* The device is lost after some calls, among them those that make and launch graphs. */
static void lost(void) {
  int failed = 0, right = 0, wrong = 0;
  char setting[32];
  for (int n = 60; n < 320; n += 13) {
    snprintf(setting, sizeof setting, "lost=%d", n);
    setenv("OP2_TEST_EMULATION", setting, 1);
    op2_status status = OP2_SUCCESS;
    if (!steps_begin(emulation_backend(), LOOPS)) return;
    for (int s = 0; s < STEPS && !status; s++) status = steps_try(VALUE, s);
    if (!status) status = op2_gbl_get(flow.rms, &got.rms);
    if (!status) status = op2_dat_get(flow.q, got.q);
    failed += status == OP2_ERR_FATAL && strstr(op2_error_message(), "lost");
    right += !status && steps_near(&got, &want[VALUE]);
    wrong += status && status != OP2_ERR_FATAL;
    (void)!steps_leave();
  }
  ok(failed > 0 && wrong == 0 && failed + right == 20, "a lost device: told %d times, right %d",
     failed, right);
  unsetenv("OP2_TEST_EMULATION");
}

int main(void) {
  test_environment();
  driver = dlopen(emulation_driver(), RTLD_NOW | RTLD_LOCAL);
  if (driver) *(void **)&calls = dlsym(driver, "op2_emulation_calls");
  if (!calls) {
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
    return done();
  }
  if (emulation_is_hip()) older_hip();
  *(void **)&get_device = dlsym(driver, "hipGetDevice");
  *(void **)&set_device = dlsym(driver, "hipSetDevice");
  *(void **)&get_current = dlsym(driver, "cuCtxGetCurrent");
  *(void **)&set_current = dlsym(driver, "cuCtxSetCurrent");
  for (enum way way = 0; way < WAYS; way++)
    if (!steps_expect(way, STEPS, &want[way])) return done();
  for (enum way way = 0; way < WAYS; way++) several_steps(way);
  explained();
  overtaking();
  moved_memory();
  unloaded_function();
  changed_values(false);
  changed_values(true);
  places("bres_calc:cpu,*:device");
  places("res_calc:alternate,*:device");
  places("*:random=7");
  calls_between();
  own_context();
  if (!emulation_is_hip()) shared_context();
  refused_graph(1);
  refused_graph(2);
  older_driver();
  lost();
  dlclose(driver);
  return done();
}
