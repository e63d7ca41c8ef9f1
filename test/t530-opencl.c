/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of OpenCL, as struct op2i_device_kind has them: all of it on the first device that
 * there is, PoCL's if no other. Parts run in processes of their own, as does what is loaded from
 * a binary. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "device.h"
#include "error.h"
#include "mem.h"
#include "support.h"
#include "text.h"

#if OP2_HAVE_OPENCL
#include "opencl_api.h"
#endif

/* Drivers that are compilers keep what they have until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\n";
}

static const struct op2i_device_kind *const kind = &op2i_device_opencl;
static char self[4096], binary_file[4200];

static bool loaded(const char *part) {
  char line[4096];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, part) != NULL;
  if (maps) fclose(maps);
  return found;
}

static bool says(const char *text, const char *part) {
  bool found = text && strstr(text, part);
  if (!found) diag("'%s' is not in: %s", part, text ? text : "(null)");
  return found;
}

/* What this program prints when it is started with other settings and an argument. */
static const char *child(const char *settings, const char *argument) {
  static char said[8192];
  char command[3 * sizeof self];
  snprintf(command, sizeof command, "%s '%s' %s", settings, self, argument);
  FILE *pipe = popen(command, "r");
  size_t length = pipe ? fread(said, 1, sizeof said - 1, pipe) : 0;
  said[length] = '\0';
  int status = pipe ? pclose(pipe) : -1;
  if (status != 0) snprintf(said + length, sizeof said - length, "\n(status %d)", status);
  return said;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void *binary;
static size_t binary_bytes;
static struct op2i_text build_log;

static op2_status build(struct op2i_device *device, const char *source,
                        const char *const *includes) {
  op2i_free(binary);
  binary = NULL;
  op2i_text_free(&build_log);
  build_log = (struct op2i_text){0};
  return kind->build(device, source, includes, &build_log, &binary, &binary_bytes);
}

static struct op2i_device_code *code_of(struct op2i_device *device, const char *source,
                                        const char *const *includes, const char *entry) {
  struct op2i_device_code *code = NULL;
  op2_status status = build(device, source, includes);
  if (status == OP2_SUCCESS) status = kind->load(device, binary, binary_bytes, entry, &code);
  if (status != OP2_SUCCESS)
    diag("%s\n%s", op2_error_message(), build_log.chars ? build_log.chars : "");
  return code;
}

/* Run a kernel of one parameter, an array of double; false where something fails. */
static bool run_on(struct op2i_device *device, const char *source, const char *const *includes,
                   int n, double *values) {
  struct op2i_device_code *code = code_of(device, source, includes, "k");
  void *memory = NULL;
  size_t bytes = sizeof *values * (size_t)n;
  bool good = code && kind->alloc(device, bytes, &memory) == OP2_SUCCESS &&
              kind->put(device, memory, 0, values, bytes) == OP2_SUCCESS;
  const struct op2i_device_arg args[] = {{.is_memory = true, .memory = memory}};
  const struct op2i_launch launch = {.groups = 1, .group = 1, .nargs = 1, .args = args};
  good = good && kind->launch(device, code, &launch) == OP2_SUCCESS &&
         kind->get(device, values, memory, 0, bytes) == OP2_SUCCESS;
  if (code && !good) diag("%s", op2_error_message());
  kind->release(device, memory);
  if (code) kind->unload(device, code);
  return good;
}

/* ---- which device --------------------------------------------------------------------------- */

static int count_lines(const char *text) {
  int n = 0;
  for (; text && *text; text++) n += *text == '\n';
  return n;
}

static void test_limits(const struct op2i_device_limits *limits) {
  diag("%s, %s: %d units, groups of %lld, %lld bytes shared, %lld in all", limits->name,
       limits->target, limits->units, (long long)limits->group_max, (long long)limits->local_bytes,
       (long long)limits->memory_bytes);
  ok(limits->name[0] && strstr(limits->name, " / "), "a device has a platform and a name");
  is_int(strspn(limits->target + 3, "0123456789abcdef"), 10, "and a target of ten digits");
  ok(strncmp(limits->target, "cl-", 3) == 0 && strlen(limits->target) == 13, "which is one word");
  ok(limits->doubles, "it has double precision");
  ok(limits->units >= 1 && limits->units < 100000, "units");
  ok(limits->group_max >= 64 && limits->group_max <= 1 << 20, "group_max");
  ok(limits->local_bytes >= 16384 && limits->local_bytes <= 1 << 30, "local_bytes");
  ok(limits->memory_bytes >= INT64_C(1) << 26 && limits->memory_bytes < INT64_C(1) << 50,
     "memory_bytes");
}

/* A device opened so is the one of this name. */
static void opens(const char *which, const char *name) {
  struct op2i_device *device = NULL;
  if (!CHECK(kind->open(which, &device))) return;
  is_str(device->limits.name, name, "'%s' is that device", which);
  ok(device->kind == kind, "of this kind");
  kind->close(device);
}

static void refuses(const char *which, const char *there) {
  struct op2i_device *device = NULL;
  FAILS(kind->open(which, &device), OP2_ERR_OPTION);
  ok(says(op2_error_message(), which) && says(op2_error_message(), there) && !device,
     "'%s' is no device, and the message lists what there is", which);
}

static void test_choice(const char *name) {
  struct op2i_text lines = {0};
  char part[64], upper[64], beyond[16];
  kind->list(&lines);
  int n = count_lines(lines.chars);
  ok(n >= 1 && says(lines.chars, "0: ") && says(lines.chars, name), "%d devices are listed", n);
  const char *at = strstr(lines.chars, name) - 3; /* "0: " */
  while (at > lines.chars && at[-1] != '\n') at--;
  snprintf(part, sizeof part, "%d", atoi(at));
  opens(part, name);
  snprintf(part, sizeof part, "%.20s", strstr(name, " / ") - 2);
  opens(part, name);
  for (size_t i = 0; i < sizeof part; i++)
    upper[i] = part[i] >= 'a' && part[i] <= 'z' ? (char)(part[i] - 'a' + 'A') : part[i];
  opens(upper, name);
  snprintf(beyond, sizeof beyond, "%d", n);
  refuses(beyond, name);
  refuses("18446744073709551616", name);
  refuses("no such device", name);
  refuses("-1", name);
  op2i_text_free(&lines);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void test_places(struct op2i_device *device) {
  enum { N = 1000 };
  unsigned char host[N], back[N], want[N];
  void *memory = NULL, *other = NULL;
  uint64_t state = 1;
  for (int i = 0; i < N; i++) host[i] = want[i] = (unsigned char)(1 + draw_below(&state, 255));
  if (!CHECK(kind->alloc(device, N, &memory)) || !CHECK(kind->alloc(device, N, &other))) return;
  struct op2i_device_counts before = device->counts;
  CHECK(kind->put(device, memory, 0, host, N));
  CHECK(kind->put(device, other, 0, host + 1, N - 1));
  CHECK(kind->get(device, back, memory, 0, N));
  ok(memcmp(back, host, N) == 0, "what is put can be got");
  static const size_t places[][2] = {{8, 16}, {100, 4}, {3, 5}, {501, 1}, {900, 100}, {40, 0}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    CHECK(kind->clear(device, memory, places[i][0], places[i][1]));
    memset(want + places[i][0], 0, places[i][1]);
  }
  CHECK(kind->put(device, memory, 200, host, 77));
  memcpy(want + 200, host, 77);
  CHECK(kind->get(device, back, memory, 0, N));
  ok(memcmp(back, want, N) == 0, "places inside are cleared and written, and no others");
  CHECK(kind->get(device, back, memory, 199, 79));
  ok(memcmp(back, want + 199, 79) == 0, "and read");
  CHECK(kind->get(device, back, other, 0, N - 1));
  ok(memcmp(back, host + 1, N - 1) == 0, "other memory is as it was");
  is_int(device->counts.puts - before.puts, 3, "puts are counted");
  is_int(device->counts.put_bytes - before.put_bytes, N + N - 1 + 77, "with their bytes");
  is_int(device->counts.gets - before.gets, 4, "and gets");
  is_int(device->counts.get_bytes - before.get_bytes, N + N + 79 + N - 1, "with theirs");
  FAILS(kind->put(device, memory, N, host, 1), OP2_ERR_ARG);
  ok(says(op2_error_message(), "clEnqueueWriteBuffer: CL_INVALID_VALUE"), "beyond the end");
  CHECK(kind->put(device, memory, 0, host, N));
  kind->release(device, memory);
  kind->release(device, other);
  kind->release(device, NULL);
  CHECK(kind->alloc(device, 0, &memory));
  kind->release(device, memory);
}

static void test_much(struct op2i_device *device) {
  const size_t bytes = (size_t)100 << 20, n = bytes / sizeof(uint64_t);
  uint64_t *there = malloc(bytes), *back = malloc(bytes), state = 7;
  void *memory = NULL;
  if (!there || !back) {
    skip("no 200 MiB here");
  } else if (CHECK(kind->alloc(device, bytes, &memory))) {
    for (size_t i = 0; i < n; i++) there[i] = draw(&state);
    CHECK(kind->put(device, memory, 0, there, bytes));
    CHECK(kind->get(device, back, memory, 0, bytes));
    ok(memcmp(there, back, bytes) == 0, "100 MiB there and back");
    CHECK(kind->clear(device, memory, 0, bytes));
    CHECK(kind->get(device, back, memory, 0, bytes));
    size_t nonzero = 0;
    for (size_t i = 0; i < n; i++) nonzero += back[i] != 0;
    is_int(nonzero, 0, "and cleared");
    kind->release(device, memory);
  }
  free(there);
  free(back);
}

static void test_too_much(struct op2i_device *device) {
  void *memory = NULL;
  char byte = 1, back = 0;
  FAILS(kind->alloc(device, (size_t)device->limits.memory_bytes * 2, &memory), OP2_ERR_NOMEM);
  diag("%s", op2_error_message());
  FAILS(kind->alloc(device, SIZE_MAX, &memory), OP2_ERR_NOMEM);
  ok(!memory, "more memory than there is gives none");
  if (!CHECK(kind->alloc(device, 1, &memory))) return;
  CHECK(kind->put(device, memory, 0, &byte, 1));
  CHECK(kind->get(device, &back, memory, 0, 1));
  is_int(back, 1, "and less can still be had");
  kind->release(device, memory);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* Each group sums its values by a tree, and one of its members writes the sum, and a sum of the
 * number of groups and one that it was given. */
static const char tree[] =
    "__kernel void sum(__global const double *x, long n, __global double *sums,\n"
    "                  __global const double *none, long big, __local double *part) {\n"
    "  const long i = get_global_id(0);\n"
    "  const int me = get_local_id(0), all = get_local_size(0);\n"
    "  part[me] = i < n ? x[i] : 0;\n"
    "  for (int m = all / 2; m > 0; m /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (me < m) part[me] += part[me + m];\n"
    "  }\n"
    "  if (me == 0) {\n"
    "    sums[2 * get_group_id(0)] = part[0];\n"
    "    sums[2 * get_group_id(0) + 1] = none ? -1 : (double)(big + (long)get_num_groups(0));\n"
    "  }\n"
    "}\n";

static void launch_sum(struct op2i_device *device, struct op2i_device_code *code, int group) {
  enum { N = 5000 };
  static double x[N], sums[2 * N];
  const int groups = (N + group - 1) / group;
  void *x_memory = NULL, *sums_memory = NULL;
  int wrong = 0;
  for (int i = 0; i < N; i++) x[i] = i * 7 % 1001;
  if (!CHECK(kind->alloc(device, sizeof x, &x_memory)) ||
      !CHECK(kind->alloc(device, sizeof sums, &sums_memory)))
    return;
  const int64_t big = INT64_C(1) << 40;
  const struct op2i_device_arg args[] = {{.is_memory = true, .memory = x_memory},
                                         {.number = N},
                                         {.is_memory = true, .memory = sums_memory},
                                         {.is_memory = true, .memory = NULL},
                                         {.number = -big}};
  const struct op2i_launch launch = {.groups = groups,
                                     .group = group,
                                     .local_bytes = (int64_t)sizeof(double) * group,
                                     .nargs = 5,
                                     .args = args};
  CHECK(kind->put(device, x_memory, 0, x, sizeof x));
  CHECK(kind->clear(device, sums_memory, 0, sizeof sums));
  CHECK(kind->launch(device, code, &launch));
  CHECK(kind->get(device, sums, sums_memory, 0, sizeof sums));
  for (int g = 0; g < groups; g++) {
    double sum = 0;
    for (int i = g * group; i < (g + 1) * group && i < N; i++) sum += x[i];
    wrong += sums[2 * g] != sum || sums[2 * g + 1] != (double)(groups - big);
  }
  is_int(wrong, 0, "groups of %d: wrong sums", group);
  kind->release(device, x_memory);
  kind->release(device, sums_memory);
}

static void test_launch(struct op2i_device *device) {
  struct op2i_device_code *code = code_of(device, tree, NULL, "sum");
  if (!ok(code != NULL, "a kernel with shared memory and a barrier")) return;
  ok(code->group_max >= 1 && code->group_max <= device->limits.group_max, "groups of up to %lld",
     (long long)code->group_max);
  const int64_t before = device->counts.launches;
  static const int groups[] = {1, 32, 64, 256};
  int launches = 0;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (groups[i] <= code->group_max)
      launch_sum(device, code, groups[i]), launches++;
    else
      skip("no groups of %d here", groups[i]);
  is_int(device->counts.launches - before, launches, "launches are counted");
  const struct op2i_device_arg args[7] = {{0}};
  struct op2i_launch launch = {
      .groups = 1, .group = code->group_max + 1, .local_bytes = 8, .nargs = 5, .args = args};
  FAILS(kind->launch(device, code, &launch), OP2_ERR_UNAVAILABLE);
  launch.group = 1;
  launch.local_bytes = device->limits.local_bytes + 1;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_UNAVAILABLE);
  launch.local_bytes = 8;
  launch.nargs = 7;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_ARG);
  ok(says(op2_error_message(), "clSetKernelArg: CL_INVALID_ARG_"), "arguments too many");
  CHECK(kind->wait(device));
  launch_sum(device, code, 32 <= code->group_max ? 32 : 1);
  kind->unload(device, code);
  kind->unload(device, NULL);
}

/* What puts and launches in turn leave in memory: each launch adds to elements before the place
 * that the next put goes to. */
enum { PIECES = 100, PIECE = 3000 };
static int piece_length(int i) { return i % 7 == 6 ? PIECE : i * 5 % 512 + 1; }
static int64_t piece_value(int i, int j) {
  int64_t value = j < piece_length(i) ? i * 1000000 + j : 0, place = i * PIECE + j;
  for (int launch = 9; launch < PIECES; launch += 10)
    if (place < launch * PIECE && (launch > i || j >= piece_length(i))) value += place;
  return value;
}

/* The host's memory may be written again when a put has returned, whatever is still to run before
 * it. */
static void test_puts(struct op2i_device *device) {
  static const char source[] =
      "__kernel void k(__global long *x, long n) { for (long i = 0; i < n; i++) x[i] += i; }";
  static int64_t piece[PIECE], back[PIECES * PIECE];
  struct op2i_device_code *code = code_of(device, source, NULL, "k");
  void *memory = NULL;
  int64_t wrong = 0;
  if (!ok(code != NULL, "a kernel between puts") ||
      !CHECK(kind->alloc(device, sizeof back, &memory)))
    return;
  CHECK(kind->clear(device, memory, 0, sizeof back));
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < PIECES && !status; i++) {
    const struct op2i_device_arg args[] = {{.is_memory = true, .memory = memory},
                                           {.number = (int64_t)i * PIECE}};
    const struct op2i_launch launch = {.groups = 1, .group = 1, .nargs = 2, .args = args};
    const size_t length = (size_t)piece_length(i);
    for (size_t j = 0; j < length; j++) piece[j] = i * 1000000 + (int64_t)j;
    status = kind->put(device, memory, (size_t)i * sizeof piece, piece, length * sizeof *piece);
    memset(piece, 0xff, sizeof piece);
    if (!status && i % 10 == 9) status = kind->launch(device, code, &launch);
  }
  CHECK(status);
  CHECK(kind->get(device, back, memory, 0, sizeof back));
  for (int i = 0; i < PIECES; i++)
    for (int j = 0; j < PIECE; j++) wrong += back[i * PIECE + j] != piece_value(i, j);
  is_int(wrong, 0, "memory of the host is free after a put");
  kind->release(device, memory);
  kind->unload(device, code);
}

/* What is handed over is done in this order. */
static void test_order(struct op2i_device *device) {
  static const char source[] = "__kernel void k(__global long *x, long n) { x[get_global_id(0)] = "
                               "x[get_global_id(0)] * 3 + n; }";
  struct op2i_device_code *code = code_of(device, source, NULL, "k");
  void *memory = NULL;
  int64_t values[64], want = 0, steps = 100, wrong = 0;
  if (!ok(code != NULL, "a kernel for a row of launches") ||
      !CHECK(kind->alloc(device, sizeof values, &memory)))
    return;
  CHECK(kind->clear(device, memory, 0, sizeof values));
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < steps && status == OP2_SUCCESS; i++) {
    const struct op2i_device_arg args[] = {{.is_memory = true, .memory = memory},
                                           {.number = i % 5}};
    const struct op2i_launch launch = {.groups = 8, .group = 8, .nargs = 2, .args = args};
    status = kind->launch(device, code, &launch);
    want = (int64_t)((uint64_t)want * 3 + (uint64_t)(i % 5));
  }
  CHECK(status);
  CHECK(kind->get(device, values, memory, 0, sizeof values));
  for (int i = 0; i < 64; i++) wrong += values[i] != want;
  is_int(wrong, 0, "a hundred launches one after the other");
  kind->release(device, memory);
  kind->unload(device, code);
}

/* ---- building ------------------------------------------------------------------------------- */

/* Binaries that are cut off or changed, and one of another device. */
static void test_damage(struct op2i_device *device) {
  struct op2i_device_code *code = NULL;
  uint64_t state = 5;
  int loaded_ones = 0;
  unsigned char *image = binary;
  for (int i = 0; i < 50; i++) {
    size_t length = (size_t)(draw(&state) % binary_bytes),
           at = (size_t)(draw(&state) % binary_bytes);
    loaded_ones += kind->load(device, binary, length, "sum", &code) != OP2_ERR_COMPILE;
    image[at] ^= 0x10;
    loaded_ones += kind->load(device, binary, binary_bytes, "sum", &code) != OP2_ERR_COMPILE;
    image[at] ^= 0x10;
  }
  is_int(loaded_ones, 0, "binaries that are cut off or changed are refused");
  char target[sizeof device->limits.target];
  memcpy(target, device->limits.target, sizeof target);
  snprintf(device->limits.target, sizeof device->limits.target, "cl-0123456789");
  FAILS(kind->load(device, binary, binary_bytes, "sum", &code), OP2_ERR_COMPILE);
  ok(says(op2_error_message(), target), "and so are those of another device");
  memcpy(device->limits.target, target, sizeof target);
}

static void test_errors(struct op2i_device *device) {
  struct op2i_device_code *code = NULL;
  FAILS(build(device, "__kernel void k(__global double *x) {\n  x[0] = 1;\n  x[1] = nowhere;\n}\n",
              NULL),
        OP2_ERR_COMPILE);
  ok(says(build_log.chars, ":3:") && says(build_log.chars, "nowhere"), "the log has the line");
  diag("%s", op2_error_message());
  FAILS(build(device, "#line 77 \"kernels.h\"\n__kernel void k(__global double *x) { x[0] = }\n",
              NULL),
        OP2_ERR_COMPILE);
  ok(says(build_log.chars, "kernels.h:77"), "or the one that the source says");
  FAILS(build(device, "double f(double x);\n__kernel void k(__global double *x) { x[0] = f(1); }\n",
              NULL),
        OP2_ERR_COMPILE);
  ok(says(op2_error_message(), "clLinkProgram: CL_LINK_PROGRAM_FAILURE"), "a function of nowhere");
  ok(says(build_log.chars, "function"), "and a hint in the log");
  FAILS(build(device, "#include \"not-there.h\"\n", NULL), OP2_ERR_COMPILE);
  ok(says(build_log.chars, "not-there.h"), "a header that is not there is named");
  if (!CHECK(build(device, tree, NULL))) return;
  FAILS(kind->load(device, binary, binary_bytes, "other", &code), OP2_ERR_COMPILE);
  ok(says(op2_error_message(), "'other'") && !code, "an entry that is not there");
  FAILS(kind->load(device, "garbage", 7, "sum", &code), OP2_ERR_COMPILE);
  ok(says(op2_error_message(), "cut off") && !code, "bytes that are no binary");
  test_damage(device);
  CHECK(kind->load(device, binary, binary_bytes, "sum", &code));
  if (code) launch_sum(device, code, 1);
  kind->unload(device, code);
}

static void write_file(const char *path, const void *bytes, size_t length) {
  FILE *file = fopen(path, "w");
  if (!file || fwrite(bytes, 1, length, file) != length) perror(path);
  if (file) fclose(file);
}

/* Folders of headers, one with a blank in its name. */
static void test_includes(struct op2i_device *device) {
  static const char source[] = "#include <one.h>\n#include \"two.h\"\n"
                               "__kernel void k(__global double *x) { x[0] = ONE; x[1] = TWO; }\n";
  char first[4096], second[4096], path[4200];
  snprintf(first, sizeof first, "%s/first", test_scratch());
  snprintf(second, sizeof second, "%s/second of two's", test_scratch());
  mkdir(first, 0700);
  mkdir(second, 0700);
  const char *const includes[] = {first, second, "/not there", NULL};
  double values[2] = {0, 0};
  snprintf(path, sizeof path, "%s/one.h", first);
  write_file(path, "#define ONE 1\n", 14);
  snprintf(path, sizeof path, "%s/two.h", second);
  write_file(path, "#define TWO 2\n", 14);
  ok(run_on(device, source, includes, 2, values) && values[0] == 1 && values[1] == 2,
     "headers from two folders");
  write_file(path, "#define TWO 3\n", 14);
  ok(run_on(device, source, includes, 2, values) && values[0] == 1 && values[1] == 3,
     "a header that has changed");
}

/* What headers are to give, as conditions in a kernel and outside. */
static const struct {
  const char *header, *outside, *condition;
} headers[] = {
    {"math.h", "",
     "fabs(sqrt(2.0) - M_SQRT2) < 1e-15 && sqrtf(4) == 2 && pow(2, 10) == 1024 && lround(2.5) == 3 "
     "&& "
     "isnan(NAN) && fmin(1, 2) == 1 && isinf(HUGE_VAL) && scalbn(1.0, 3) == 8 && lrintf(2.5f) == 2 "
     "&& "
     "cos(M_PI) == -1 && fma(2.0, 3.0, 4.0) == 10 && fpclassify(0.0) == FP_ZERO"},
    {"math.h", "double of_float(float f) { return exp(f) - (double)expf(f); }\n",
     "of_float(1.1f) != 0 && fabs(of_float(1.1f)) < 1e-6 && sizeof(exp(1.0f)) == 8 && "
     "sizeof(expf(1.0)) == 4"},
    {"math.h",
     "double parts(double x) { int e; double w, f = modf(x, &w); return frexp(w, &e) + e + f; }\n",
     "parts(8.5) == 0.5 + 4 + 0.5 && ldexp(0.5, 4) == 8 && ilogb(8.0) == 3"},
    {"tgmath.h", "",
     "sizeof(exp(1.0f)) == 4 && sizeof(exp(1.0)) == 8 && sizeof(pow(1.0f, 2.0f)) == 4 && "
     "sizeof(pow(1.0f, 2.0)) == 8 && sqrt(4) == 2.0 && sizeof(sqrt(4)) == 8 && "
     "fma(2, 3.0f, 4.0) == 10 && ldexp(1.0f, 3) == 8 && fmax(1, 2.5) == 2.5"},
    {"stdint.h",
     "#if INT32_MAX != 2147483647 || UINT64_MAX != 18446744073709551615UL\n#error no\n#endif\n",
     "sizeof(int8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(int32_t) == 4 && sizeof(int64_t) == 8 "
     "&& "
     "(int8_t)-1 < 0 && (uint8_t)-1 > 0 && INT64_MIN < 0 && INT64_C(1) << 40 == 1099511627776 && "
     "sizeof(intptr_t) == sizeof(void *) && sizeof(uint_fast64_t) == 8 && sizeof(intmax_t) == 8"},
    {"inttypes.h", "__constant char format[] = \"%\" PRId64 \" %\" PRIu32;\n",
     "sizeof format == 7 && sizeof(int64_t) == 8"},
    {"stddef.h", "struct pair { char a; double b; };\n",
     "offsetof(struct pair, b) == 8 && (x == NULL ? 0 : 1) && sizeof(size_t) == 8 && "
     "sizeof(ptrdiff_t) == "
     "8"},
    {"stdbool.h",
     "#if !__bool_true_false_are_defined || !true || false\n#error no\n#endif\nbool yes(int x) { "
     "return x; }\n",
     "yes(7) == true && !false && (_Bool)2 == 1"},
    {"float.h",
     "#if DBL_MANT_DIG != 53 || FLT_RADIX != 2 || DBL_DECIMAL_DIG != 17\n#error no\n#endif\n",
     "1 + DBL_EPSILON > 1 && 1 + DBL_EPSILON / 2 == 1 && DBL_MAX > 1e308 && FLT_MAX < 1e39 && "
     "DBL_TRUE_MIN > 0 && FLT_MIN > 0 && DBL_MIN < 1e-300"},
    {"limits.h", "#if CHAR_BIT != 8 || INT_MAX != 2147483647\n#error no\n#endif\n",
     "INT_MIN < -INT_MAX && LLONG_MAX == LONG_MAX && LONG_MAX > 0 && UINT_MAX == 4294967295U && "
     "ULLONG_MAX == (ulong)-1"},
    {"string.h", "", "copies(x) == 5"},
    {"stdlib.h", "",
     "-abs(-3) < 0 && abs(-3) * -1.0 == -3 && labs(-4L) == 4 && llabs(-5L) == 5 && NULL == 0"},
    {"stdio.h", "void never(int x) { if (x) printf(\"%d\", x); }\n", "NULL == 0"},
    {"assert.h",
     "static_assert(sizeof(int) == 4, \"int\");\nint half_of(int x) { assert(x % 2 == 0); return x "
     "/ 2; }\n",
     "half_of(8) == 4"},
};

/* Private memory filled from global memory, and compared. */
static const char copies[] = "double copies(__global double *x) {\n"
                             "  double here[4], there[4];\n"
                             "  x[1] = 5; x[2] = 6;\n"
                             "  memset(here, 0, sizeof here);\n"
                             "  memcpy(here, x + 1, 2 * sizeof(double));\n"
                             "  memcpy(there, here, sizeof here);\n"
                             "  memmove(here + 1, here, 2 * sizeof(double));\n"
                             "  return memcmp(there, here, sizeof here) && there[3] == 0 && "
                             "here[2] == 6 && here[1] == 5 ? here[0] : -1;\n"
                             "}\n";

static void test_headers(struct op2i_device *device) {
  char source[4096], all[4096] = "";
  double values[4];
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    snprintf(source, sizeof source,
             "#include <%s>\n#include <%s>\n%s%s__kernel void k(__global double *x) { x[0] = (%s) "
             "? 42 : "
             "-1; }\n",
             headers[i].header, headers[i].header, headers[i].outside,
             strcmp(headers[i].header, "string.h") == 0 ? copies : "", headers[i].condition);
    memset(values, 0, sizeof values);
    ok(run_on(device, source, NULL, 4, values) && values[0] == 42, "<%s> (%d)", headers[i].header,
       (int)i);
    snprintf(all + strlen(all), sizeof all - strlen(all), "#include <%s>\n", headers[i].header);
  }
  snprintf(all + strlen(all), sizeof all - strlen(all),
           "__kernel void k(__global double *x) { x[0] = sqrt(1764); }\n");
  ok(run_on(device, all, NULL, 4, values) && values[0] == 42, "all of them");
}

/* Values are those of the host where both are rounded as IEEE 754 says. */
static void test_rounding(struct op2i_device *device) {
  static const char source[] = "__kernel void k(__global double *x) {\n"
                               "  x[3] = x[0] * x[1] + x[2];\n"
                               "  float a = x[0], b = x[1];\n"
                               "  x[4] = a / b;\n"
                               "  x[5] = sqrt(a);\n"
                               "  x[6] = x[0] / x[1];\n"
                               "}\n";
  uint64_t state = 3;
  int wrong = 0;
  for (int i = 0; i < (quick() ? 5 : 20); i++) {
    double values[7] = {1 + (double)draw(&state) * 0x1p-64, 1 + (double)draw(&state) * 0x1p-64};
    const double x = values[0], y = values[1];
    volatile double product = x * y;
    volatile float a = (float)x, b = (float)y, quotient = a / b, root = sqrtf(a);
    values[2] = -product; /* of which fused arithmetic leaves what was rounded away */
    if (!run_on(device, source, NULL, 7, values)) wrong += 1000;
    wrong += values[3] != 0;
    wrong += values[4] != quotient || values[5] != root;
    wrong += values[6] != x / y;
  }
  is_int(wrong, 0, "products, quotients and roots are rounded as they are written");
}

/* ---- other processes ------------------------------------------------------------------------ */

/* The binary in a file, run in a process that has compiled nothing. */
static int run_binary(const char *path) {
  static double x[64], sums[2];
  char *image = malloc(1 << 24);
  FILE *file = fopen(path, "r");
  size_t bytes = file ? fread(image, 1, 1 << 24, file) : 0;
  struct op2i_device *device = NULL;
  struct op2i_device_code *code = NULL;
  void *x_memory = NULL, *sums_memory = NULL;
  for (int i = 0; i < 64; i++) x[i] = i;
  op2_status status = kind->open(NULL, &device);
  if (!status) status = kind->load(device, image, bytes, "sum", &code);
  if (!status) status = kind->alloc(device, sizeof x, &x_memory);
  if (!status) status = kind->alloc(device, sizeof sums, &sums_memory);
  if (!status) status = kind->put(device, x_memory, 0, x, sizeof x);
  const struct op2i_device_arg args[] = {{.is_memory = true, .memory = x_memory},
                                         {.number = 64},
                                         {.is_memory = true, .memory = sums_memory},
                                         {.is_memory = true, .memory = NULL},
                                         {.number = 5}};
  const struct op2i_launch launch = {
      .groups = 1, .group = 64, .local_bytes = 64 * 8, .nargs = 5, .args = args};
  if (!status) status = kind->launch(device, code, &launch);
  if (!status) status = kind->get(device, sums, sums_memory, 0, sizeof sums);
  printf("%s %g %g", status ? op2_error_message() : "good", sums[0], sums[1]);
  if (device) {
    kind->release(device, x_memory);
    kind->release(device, sums_memory);
    kind->unload(device, code);
    kind->close(device);
  }
  if (file) fclose(file);
  free(image);
  return 0;
}

static void test_binary(struct op2i_device *device) {
  char argument[4300], settings[4300];
  if (!CHECK(build(device, tree, NULL))) return;
  write_file(binary_file, binary, binary_bytes);
  snprintf(argument, sizeof argument, "binary '%s'", binary_file);
  is_str(child("", argument), "good 2016 6", "a binary runs in another process");
  snprintf(settings, sizeof settings, "POCL_CACHE_DIR='%s/other'", test_scratch());
  is_str(child(settings, argument), "good 2016 6", "also where the driver has kept nothing");
}

static void test_unavailable(void) {
  struct op2i_device *device = NULL;
  ok(says(child("OCL_ICD_VENDORS=/nonexistent", "why"), "there is no OpenCL platform"),
     "without drivers there is no platform");
  ok(says(child("OCL_ICD_VENDORS=/nonexistent", "why"), "pocl-opencl-icd"),
     "and it says what to do");
  int status = 0;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    const char *why = kind->unavailable();
    _exit(why && strstr(why, "fork") && kind->open(NULL, &device) == OP2_ERR_UNAVAILABLE ? 0 : 1);
  }
  waitpid(pid, &status, 0);
  is_int(status, 0, "a child that was forked with OpenCL in use is told so");
}

/* ---- failures ------------------------------------------------------------------------------- */

#if OP2_HAVE_OPENCL
static cl_int finish_fails(cl_command_queue queue) {
  (void)queue;
  return CL_OUT_OF_RESOURCES;
}
static cl_int fill_fails(cl_command_queue queue, cl_mem memory, const void *pattern, size_t width,
                         size_t at, size_t bytes, cl_uint n, const cl_event *list,
                         cl_event *event) {
  (void)queue, (void)memory, (void)pattern, (void)width, (void)at;
  (void)bytes, (void)n, (void)list, (void)event;
  return CL_OUT_OF_RESOURCES;
}
static cl_int launch_fails(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t *first, const size_t *all, const size_t *group, cl_uint n,
                           const cl_event *list, cl_event *event) {
  (void)queue, (void)kernel, (void)dimensions, (void)first, (void)all;
  (void)group, (void)n, (void)list, (void)event;
  return CL_OUT_OF_RESOURCES;
}

/* Memory that is made, and is not there when it is used. */
static void test_no_room(struct op2i_device *device) {
  const struct op2i_opencl_api saved = op2i_opencl_api;
  void *memory = NULL;
  op2i_opencl_api.clEnqueueFillBuffer = fill_fails;
  FAILS(kind->alloc(device, 64, &memory), OP2_ERR_NOMEM);
  ok(!memory, "memory that cannot be touched is none");
  op2i_opencl_api = saved;
  CHECK(kind->alloc(device, 64, &memory));
  kind->release(device, memory);
}

/* A launch that the device has no room for; a kernel that went wrong: all later calls fail. */
static void test_lost(void) {
  const struct op2i_opencl_api saved = op2i_opencl_api;
  struct op2i_device *device = NULL;
  struct op2i_device_code *code = NULL;
  void *memory = NULL, *more = NULL;
  char byte = 0;
  if (!CHECK(kind->open(NULL, &device))) return;
  code = code_of(device, "__kernel void k(__global char *x) { *x = 1; }", NULL, "k");
  if (!CHECK(kind->alloc(device, 1, &memory)) || !ok(code != NULL, "a kernel")) return;
  const struct op2i_device_arg args[] = {{.is_memory = true, .memory = memory}};
  const struct op2i_launch launch = {.groups = 1, .group = 1, .nargs = 1, .args = args};
  op2i_opencl_api.clEnqueueNDRangeKernel = launch_fails;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_UNAVAILABLE);
  CHECK(kind->wait(device));
  op2i_opencl_api.clFinish = finish_fails;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_FATAL);
  op2i_opencl_api = saved;
  ok(says(op2_error_message(), "is lost: clFinish: CL_OUT_OF_RESOURCES"), "the message says where");
  FAILS(kind->wait(device), OP2_ERR_FATAL);
  FAILS(kind->launch(device, code, &launch), OP2_ERR_FATAL);
  FAILS(kind->put(device, memory, 0, &byte, 1), OP2_ERR_FATAL);
  FAILS(kind->get(device, &byte, memory, 0, 1), OP2_ERR_FATAL);
  FAILS(kind->clear(device, memory, 0, 1), OP2_ERR_FATAL);
  FAILS(kind->alloc(device, 1, &more), OP2_ERR_FATAL);
  FAILS(build(device, tree, NULL), OP2_ERR_FATAL);
  ok(says(op2_error_message(), "is lost: clFinish"), "as do all others");
  kind->release(device, memory);
  kind->unload(device, code);
  kind->close(device);
  if (CHECK(kind->open(NULL, &device))) kind->close(device);
}
#else
static void test_no_room(struct op2i_device *device) { (void)device; }
static void test_lost(void) {}
#endif

/* The N-th allocation of the library's own fails, for every N. */
static void test_nomem(struct op2i_device *device) {
  int failed = 0, other = 0;
  bool good = false;
  for (int64_t n = 1; n < 1000 && !good; n++) {
    struct op2i_device *opened = NULL;
    struct op2i_device_code *code = NULL;
    op2i_mem_fail_here_at(n);
    op2_status status = kind->open(NULL, &opened);
    if (!status) status = build(device, "__kernel void k(__global char *x) { *x = 1; }", NULL);
    if (!status) status = kind->load(device, binary, binary_bytes, "k", &code);
    good = op2i_mem_fail_here_at(0) < n;
    failed += status == OP2_ERR_NOMEM;
    other += status != OP2_SUCCESS && status != OP2_ERR_NOMEM;
    kind->unload(device, code);
    if (opened) kind->close(opened);
  }
  ok(good && failed >= 3 && other == 0, "out of memory %d times, and told each time", failed);
}

static void *use_in_thread(void *result) {
  struct op2i_device *device = NULL;
  double values[1] = {0};
  bool good = kind->open(NULL, &device) == OP2_SUCCESS &&
              run_on(device, "__kernel void k(__global double *x) { x[0] = 6; }", NULL, 1, values);
  if (device) kind->close(device);
  *(bool *)result = good && values[0] == 6;
  return NULL;
}

static bool in_thread(void) {
  pthread_t thread;
  bool good = false;
  if (pthread_create(&thread, NULL, use_in_thread, &good) == 0) pthread_join(thread, NULL);
  return good;
}

/* A thread that uses a device of its own, and ends. */
static void test_thread(void) {
  ok(in_thread(), "another thread uses another device");
  is_str(child("", "thread"), "good", "a thread is the first to ask for devices, and ends");
}

static void test_device(struct op2i_device *device) {
  test_limits(&device->limits);
  test_choice(device->limits.name);
  test_places(device);
  test_much(device);
  test_too_much(device);
  test_launch(device);
  test_order(device);
  test_puts(device);
  test_errors(device);
  test_includes(device);
  test_headers(device);
  test_rounding(device);
  test_binary(device);
  test_no_room(device);
  test_nomem(device);
}

int main(int argc, char **argv) {
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = '\0';
  if (argc == 2 && strcmp(argv[1], "why") == 0) {
    const char *why = kind->unavailable();
    printf("%s", why ? why : "available");
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "binary") == 0) return run_binary(argv[2]);
  if (argc == 2 && strcmp(argv[1], "thread") == 0) {
    printf("%s", in_thread() ? "good" : op2_error_message());
    return 0;
  }
  ok(!loaded("pocl"), "no driver of OpenCL is loaded before somebody asks");
  char cache[4200];
  snprintf(cache, sizeof cache, "%s/pocl", test_scratch());
  setenv("POCL_CACHE_DIR", cache, 1); /* what is tried here stays out of the user's */
  stack_t before, after;
  sigaltstack(NULL, &before);
  const char *why = kind->unavailable();
  sigaltstack(NULL, &after);
  ok(before.ss_sp == after.ss_sp && before.ss_flags == after.ss_flags,
     "the thread has the stack for signals that it had");
  struct op2i_device *device = NULL;
  is_str(kind->name, "opencl", "the kind has its name");
  ok(why == kind->unavailable(), "what is unavailable is found out once");
  if (why) {
    FAILS(kind->open(NULL, &device), OP2_ERR_UNAVAILABLE);
    is_str(op2_error_message(), why, "open says why there is none");
    ok(!OP2_HAVE_OPENCL == (strstr(why, "op2 was built without OpenCL") != NULL),
       "and how it was built");
    skip("no device of OpenCL: %s", why);
    return done();
  }
  snprintf(binary_file, sizeof binary_file, "%s/binary", test_scratch());
  if (CHECK(kind->open(NULL, &device))) {
    test_device(device);
    kind->close(device);
  }
  test_lost();
  test_thread();
  test_unavailable();
  op2i_free(binary);
  op2i_text_free(&build_log);
  return done();
}
