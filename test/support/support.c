/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "support.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { SET, MAP, DAT, GBL, CONST, KERNEL, LOOP, MEMORY };

struct owned {
  enum kind kind;
  void *handle;
};

op2_context test_ctx;
struct config test_config;

static struct owned *owned;
static int owned_count, owned_room;
static bool case_failed;
static jmp_buf case_end;

/* ---- objects of a case ---------------------------------------------------------------------- */

static void own(enum kind kind, void *handle) {
  if (owned_count == owned_room) {
    owned_room = owned_room ? 2 * owned_room : 64;
    owned = realloc(owned, (size_t)owned_room * sizeof *owned);
    if (!owned) exit(2);
  }
  owned[owned_count++] = (struct owned){kind, handle};
}

static void destroy(struct owned *o) {
  switch (o->kind) {
  case SET: op2_set_destroy(&(op2_set){o->handle}); break;
  case MAP: op2_map_destroy(&(op2_map){o->handle}); break;
  case DAT: op2_dat_destroy(&(op2_dat){o->handle}); break;
  case GBL: op2_gbl_destroy(&(op2_gbl){o->handle}); break;
  case CONST: op2_const_destroy(&(op2_const){o->handle}); break;
  case KERNEL: op2_kernel_destroy(&(op2_kernel){o->handle}); break;
  case LOOP: op2_loop_destroy(&(op2_loop){o->handle}); break;
  case MEMORY: free(o->handle); break;
  }
}

/* Memory is released last, since wrapped dats borrow it. */
static void destroy_all(uint64_t seed) {
  for (int i = owned_count - 1; i > 0; i--) {
    int j = draw_below(&seed, i + 1);
    struct owned swap = owned[i];
    owned[i] = owned[j];
    owned[j] = swap;
  }
  for (int i = 0; i < owned_count; i++)
    if (owned[i].kind != MEMORY) destroy(&owned[i]);
}

static void free_memory(void) {
  for (int i = 0; i < owned_count; i++)
    if (owned[i].kind == MEMORY) destroy(&owned[i]);
  owned_count = 0;
}

void disown(const void *handle) {
  for (int i = 0; i < owned_count; i++) {
    if (owned[i].handle != handle) continue;
    owned[i] = owned[--owned_count];
    return;
  }
}

void own_set(op2_set set) { own(SET, set); }
void own_map(op2_map map) { own(MAP, map); }
void own_dat(op2_dat dat) { own(DAT, dat); }
void own_loop(op2_loop loop) { own(LOOP, loop); }

op2_set new_set(int64_t size, const char *name) {
  op2_set set = NULL;
  MUST(op2_set_create(test_ctx, size, name, &set));
  own(SET, set);
  return set;
}

op2_set new_sections(int64_t core, int64_t own_end, int64_t exec, int64_t total, const char *name) {
  op2_set set = NULL;
  MUST(op2_set_create_sections(test_ctx, (int64_t[]){core, own_end, exec, total}, name, &set));
  own(SET, set);
  return set;
}

op2_set new_subset(op2_set parent, int64_t n, const int64_t *idx, const char *name) {
  op2_set set = NULL;
  MUST(op2_subset_create(parent, n, idx, name, &set));
  own(SET, set);
  return set;
}

op2_map new_map(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name) {
  op2_map map = NULL;
  MUST(op2_map_create(from, to, arity, idx, name, &map));
  own(MAP, map);
  return map;
}

op2_dat new_dat(op2_set set, int dim, op2_type type, const void *data, const char *name) {
  op2_dat dat = NULL;
  MUST(op2_dat_create(set, dim, type, data, name, &dat));
  own(DAT, dat);
  return dat;
}

op2_gbl new_gbl(int dim, op2_type type, const void *data, const char *name) {
  op2_gbl gbl = NULL;
  MUST(op2_gbl_create(test_ctx, dim, type, data, name, &gbl));
  own(GBL, gbl);
  return gbl;
}

op2_const new_const(int dim, op2_type type, const void *data, const char *name) {
  op2_const cst = NULL;
  MUST(op2_const_create(test_ctx, dim, type, data, name, &cst));
  own(CONST, cst);
  return cst;
}

op2_kernel new_kernel(const op2_kernel_desc *desc) {
  op2_kernel kernel = NULL;
  MUST(op2_kernel_create(test_ctx, desc, &kernel));
  own(KERNEL, kernel);
  return kernel;
}

op2_kernel new_source(const char *name, const char *source) {
  return new_kernel(&(op2_kernel_desc){.name = name, .source = source});
}

void *scratch(size_t count, size_t bytes) {
  void *memory = calloc(count ? count : 1, bytes);
  if (!memory) exit(2);
  own(MEMORY, memory);
  return memory;
}

op2_set new_sectioned(int kind, int64_t n, int64_t *owned_size, const char *name) {
  const int64_t ends[SECTION_KINDS][2] = {{n, n}, {0, n}, {n / 2, n}, {0, n / 2}};
  *owned_size = ends[kind][1];
  return new_sections(ends[kind][0], ends[kind][1], n, n, name);
}

/* ---- expectations --------------------------------------------------------------------------- */

void abandon_case(void) {
  case_failed = true;
  longjmp(case_end, 1);
}

bool expect_at(const char *file, int line, bool good, const char *text) {
  if (good) return true;
  case_failed = true;
  diag("%s:%d: not so: %s", file, line, text);
  return false;
}

void must_at(const char *file, int line, op2_status status, const char *text) {
  if (status == OP2_SUCCESS) return;
  diag("%s:%d: %s: %s: %s", file, line, text, op2_status_name(status), op2_error_message());
  abandon_case();
}

void refused_at(const char *file, int line, op2_status got, op2_status want, int64_t queued_before,
                int nwords, const char *const *words, const char *text) {
  char message[4096];
  snprintf(message, sizeof message, "%s", op2_error_message());
  bool good = got == want && op2_queued(test_ctx) == queued_before;
  for (int i = 0; i < nwords; i++)
    if (!strstr(message, words[i])) {
      diag("  '%s' is not in the message", words[i]);
      good = false;
    }
  if (good) return;
  case_failed = true;
  diag("%s:%d: %s: expected %s, got %s: %s (%lld queued before, %lld after)", file, line, text,
       op2_status_name(want), op2_status_name(got), message, (long long)queued_before,
       (long long)op2_queued(test_ctx));
}

void mismatch_at(const char *file, int line, const char *what, int64_t i, double got, double want) {
  case_failed = true;
  diag("%s:%d: %s[%lld] is %.17g, expected %.17g", file, line, what, (long long)i, got, want);
}

/* ---- folders -------------------------------------------------------------------------------- */

static char cache_dir[4096], scratch_dir[4096];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
  (void)st, (void)type, (void)ftw;
  return remove(path);
}

static void remove_dirs(void) {
  if (scratch_dir[0]) nftw(scratch_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_scratch(void) {
  if (scratch_dir[0]) return scratch_dir;
  const char *base = getenv("TMPDIR");
  snprintf(scratch_dir, sizeof scratch_dir, "%s/op2-test-XXXXXX", base && *base ? base : P_tmpdir);
  if (!mkdtemp(scratch_dir)) {
    perror(scratch_dir);
    exit(2);
  }
  atexit(remove_dirs);
  return scratch_dir;
}

/* The environment is read only once: threads of a test read it while StarPU, when it starts,
 * changes the environment. */
const char *test_cache(void) {
  if (cache_dir[0]) return cache_dir;
  const char *given = getenv("OP2_TEST_CACHE");
  if (given && *given)
    snprintf(cache_dir, sizeof cache_dir, "%s", given);
  else
    snprintf(cache_dir, sizeof cache_dir, "%.4000s/cache", test_scratch());
  return cache_dir;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Use the toolkit that was fetched for the tests if there is no other. */
static void find_toolkit(void) {
  char path[4096];
  const char *fetched = getenv("OP2_TEST_CUDA");
  if (!fetched || getenv("CUDA_HOME")) return;
  snprintf(path, sizeof path, "%s/lib64/libnvrtc.so.13", fetched);
  if (access(path, R_OK) == 0) setenv("CUDA_HOME", fetched, 1);
}

/* Set the variables of a list like "OP2_FUSE=2 OP2_TEAM=1" in OP2_TEST_SWITCHES. */
static void set_switches(void) {
  const char *list = getenv("OP2_TEST_SWITCHES");
  char words[256], *rest = NULL;
  snprintf(words, sizeof words, "%s", list ? list : "");
  for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    if (!value) continue;
    *value++ = '\0';
    setenv(word, value, 1);
  }
}

void test_environment(void) {
  static const char *const ours[] = {"OP2_BACKEND",    "OP2_THREADS",   "OP2_EAGER",
                                     "OP2_BLOCK_SIZE", "OP2_QUEUE_MAX", "OP2_GRAPH",
                                     "OP2_LOG",        "OP2_CFLAGS",    "OP2_CACHE_DIR"};
  for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) unsetenv(ours[i]);
  setenv("OP2_VERIFY", "1", 1);
  setenv("OP2_TRIAL", "0", 0); /* no form of code, and no word of op2_explain(), depends on times */
  find_toolkit();
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  setenv("OCL_ICD_VENDORS", "/dev/null/none", 1); /* backend_unfit() says why */
#endif
  if (getenv("OP2_TEST_CFLAGS")) setenv("OP2_CFLAGS", getenv("OP2_TEST_CFLAGS"), 1);
  set_switches();
  test_scratch();
  test_cache();
}

bool explains(const char *text) {
  char *all = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&all, &size);
  if (!EXPECT(stream != NULL)) return false;
  MUST(op2_explain(test_ctx, stream));
  fclose(stream);
  bool has = strstr(all, text) != NULL;
  free(all);
  return has;
}

bool queue_grows(void) {
  const char *most = getenv("OP2_QUEUE_MAX");
  return !test_config.eager && !(most && *most);
}
bool on_check(void) { return strcmp(test_config.backend, "check") == 0; }
bool is_device(const char *backend) {
  return strcmp(backend, "opencl") == 0 || strcmp(backend, "cuda") == 0 ||
         strcmp(backend, "hip") == 0;
}
bool on_device(void) {
  const char *place = getenv("OP2_PLACE");
  bool beside = place && *place && strcmp(test_config.backend, "starpu") == 0;
  return is_device(test_config.backend) || beside;
}

op2_options config_options(const struct config *config) {
  return (op2_options){.backend = config->backend,
                       .threads = 2,
                       .eager = config->eager ? 1 : -1,
                       .block_size = config->block_size,
                       .cache_dir = test_cache(),
                       .log_level = 1};
}

static void run_case(const struct test_case *test, const struct config *config, uint64_t seed) {
  op2_options options = config_options(config);
  case_failed = false;
  test_config = *config;
  set_switches(); /* the test may have set some of them otherwise */
  if (op2_init(&options, &test_ctx) != OP2_SUCCESS) {
    diag("op2_init: %s", op2_error_message());
    case_failed = true;
  } else if (!setjmp(case_end)) {
    test->body();
  }
  destroy_all(seed);
  if (test_ctx)
    expect_at(__FILE__, __LINE__, op2_finalize(&test_ctx) == OP2_SUCCESS, op2_error_message());
  free_memory();
  test_ctx = NULL;
  ok(!case_failed, "%s (%s, %s, blocks of %d)", test->name, config->backend,
     config->eager ? "eager" : "lazy", config->block_size);
}

/* The checked mode applies kernels one by one, whatever the blocks: quick runs try two block sizes,
 * and tests that take long one. */
static int sizes_of(const char *backend, unsigned flags) {
  if (flags & RUN_ONE_BLOCK) return 1;
  if (flags & RUN_TWO_BLOCKS && !thorough() && strcmp(backend, "check") == 0) return 1;
  return quick() && strcmp(backend, "check") == 0 ? 2 : 4;
}

enum { DEVICES = 3 }; /* how many devices every_backend begins with */
const char *const every_backend[] = {"opencl", "cuda",   "hip",   "sequential",
                                     "openmp", "starpu", "check", NULL};
const char *const device_backends[] = {"opencl", "cuda", "hip", NULL};
const char *const host_backends[] = {"sequential", "openmp", "starpu", NULL};

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static int backend_number(const char *backend) {
  int b = 0;
  while (every_backend[b] && strcmp(every_backend[b], backend) != 0) b++;
  return b;
}
#endif

/* Every case is tried in half of its configurations, chosen like the fields of one colour of a
 * chessboard: neighbouring cases use the other half, so that together they try all. In builds with a
 * sanitizer, which take several times as long, it is a quarter, which gives each case a backend for
 * lazy execution and one for eager at least. With OP2_TEST_FULL=1 all are tried. */
static bool is_tried(int i, const struct config *config, int block, unsigned flags) {
  const bool both_modes = !(flags & (RUN_EAGER_ONLY | RUN_LAZY_ONLY));
  if (thorough()) return true;
  const bool device = is_device(config->backend);
  /* A device has one block size for lazy execution and one for eager. */
  if (!both_modes && (device || sizes_of(config->backend, flags) == 1)) return true;
  const int column = i + (device ? 0 : block) + taken_half();
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return (column + 2 * config->eager + backend_number(config->backend)) % 4 == 0;
#else
  return (column + config->eager) % 2 == 0;
#endif
}

/* StarPU starts with the first context and stops with the last one: an idle context keeps it
 * running. */
static void run_backend(const char *backend, int n, const struct test_case *cases, unsigned flags) {
  static const int block_sizes[] = {7, 1, 2, 1000000};
  const int step = flags & RUN_TWO_BLOCKS && !thorough() ? 2 : 1;
  op2_context keep = NULL;
  op2_options options = {
      .backend = backend, .threads = 2, .cache_dir = test_cache(), .log_level = 1};
  if (op2_init(&options, &keep) != OP2_SUCCESS) diag("op2_init: %s", op2_error_message());
  for (int eager = flags & RUN_EAGER_ONLY ? 1 : 0; eager <= (flags & RUN_LAZY_ONLY ? 0 : 1);
       eager++)
    for (int b = 0; b < sizes_of(backend, flags); b += step) {
      /* A device's compiler takes long, and block sizes matter little on it. */
      if (is_device(backend) && !thorough() && b != step * (eager % sizes_of(backend, flags)))
        continue;
      const struct config config = {backend, eager == 1, block_sizes[b]};
      /* Half of the configurations run a task per block; the others a team, or the calling thread
       * alone for short programs. */
      setenv("OP2_CHUNK_US", b < 2 ? "0" : "200", 1);
      setenv("OP2_TEAM", b == 2 ? "1" : "0", 1);
      for (int i = 0; i < n; i++)
        if (is_tried(i, &config, b / step, flags))
          run_case(&cases[i], &config, (uint64_t)(b * 2 + eager));
    }
  if (keep) ok(op2_finalize(&keep) == OP2_SUCCESS, "finalize the idle context on %s", backend);
}

const char *backend_unfit(const char *backend) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  if (!strcmp(backend, "opencl"))
    return "the sanitizer and a platform's own compiler do not go together";
#endif
  return op2_backend_unavailable(backend);
}

const char *next_backend(const char *const *backends, int *b) {
  const char *named = getenv("OP2_TEST_BACKEND");
  while (backends[*b]) {
    const char *backend = backends[(*b)++];
    if (named && *named && strcmp(named, backend) != 0) continue;
    const char *why = backend_unfit(backend);
    if (!why) return backend;
    skip("%s: %s", backend, why);
  }
  return NULL;
}

int run_cases(int n, const struct test_case *cases, unsigned flags) {
  const char *backend;
  test_environment();
  diag("%d cases", n);
  bool devices = getenv("OP2_TEST_BACKEND") || thorough() || flags & RUN_ON_DEVICES;
  for (int b = devices ? 0 : DEVICES; (backend = next_backend(every_backend, &b));)
    run_backend(backend, n, cases, flags);
  free(owned);
  owned = NULL;
  owned_room = 0;
  return done();
}

uint64_t draw(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int draw_below(uint64_t *state, int n) { return (int)(draw(state) % (uint64_t)n); }
