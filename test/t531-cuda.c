/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of CUDA, as struct op2i_device_kind has them: all of it on the first device that there
 * is; without one what is said then, NVRTC by itself, and a toy, support_cuda.c. Parts run in
 * processes of their own, since a kernel that goes wrong takes CUDA from its process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_api.h"
#include "cuda_device.h"
#include "device.h"
#include "error.h"
#include "mem.h"
#include "support.h"
#include "text.h"

static const struct op2i_device_kind *const kind = &op2i_device_cuda;
static char self[4096];

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
  static char said[65536];
  char command[3 * sizeof self];
  snprintf(command, sizeof command, "%s '%s' %s", settings, self, argument);
  FILE *pipe = popen(command, "r");
  size_t length = pipe ? fread(said, 1, sizeof said - 1, pipe) : 0;
  said[length] = '\0';
  int status = pipe ? pclose(pipe) : -1;
  if (status != 0) snprintf(said + length, sizeof said - length, "\n(status %d)", status);
  return said;
}

static void write_file(const char *path, const void *bytes, size_t length) {
  FILE *file = fopen(path, "w");
  if (!file || fwrite(bytes, 1, length, file) != length) perror(path);
  if (file) fclose(file);
}

/* ---- NVRTC by itself ------------------------------------------------------------------------- */

static void *binary;
static size_t binary_bytes;
static struct op2i_text build_log;

static void forget_build(void) {
  op2i_free(binary);
  binary = NULL;
  binary_bytes = 0;
  op2i_text_free(&build_log);
}

static op2_status compile(const char *source, const char *target, const char *const *includes) {
  forget_build();
  return op2i_cuda_compile(source, target, includes, &build_log, &binary, &binary_bytes);
}

static bool compiles(const char *source, const char *target, const char *const *includes) {
  op2_status status = compile(source, target, includes);
  if (status != OP2_SUCCESS)
    diag("%s\n%s", op2_error_message(), build_log.chars ? build_log.chars : "");
  return status == OP2_SUCCESS && binary_bytes > 500 && memcmp(binary, "\177ELF", 4) == 0;
}

/* Each group sums its values by a tree, and one of its members writes the sum, and what numbers and
 * null it was given. */
static const char tree[] =
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "static double value(double x) { return fmin(fabs(sqrt(x * x)), 1e300); }\n"
    "extern \"C\" __global__ void sum(const double *x, int64_t n, double *sums,\n"
    "                               const double *none, int64_t big) {\n"
    "  extern __shared__ double part[];\n"
    "  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  const int me = threadIdx.x, all = blockDim.x;\n"
    "  part[me] = i < n ? value(x[i]) : 0;\n"
    "  for (int m = all / 2; m > 0; m /= 2) {\n"
    "    __syncthreads();\n"
    "    if (me < m) part[me] += part[me + m];\n"
    "  }\n"
    "  if (me == 0) {\n"
    "    sums[2 * blockIdx.x] = part[0];\n"
    "    sums[2 * blockIdx.x + 1] = none ? -1 : (double)(big + gridDim.x);\n"
    "  }\n"
    "}\n";

static void test_compile(void) {
  static const char *const targets[] = {"sm_80", "sm_90", "sm_100"};
  int major = 0, minor = 0;
  sscanf(op2i_nvrtc_version(), "%d.%d", &major, &minor);
  diag("NVRTC %s", op2i_nvrtc_version());
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (i == 2 && major * 100 + minor < 1208)
      skip("NVRTC %s knows no %s", op2i_nvrtc_version(), targets[i]);
    else
      ok(compiles(tree, targets[i], NULL) && !build_log.chars, "%s", targets[i]);
  FAILS(compile(tree, "sm_1", NULL), OP2_ERR_COMPILE);
  ok(says(build_log.chars, "gpu-architecture") && !binary, "a target that is none");
  FAILS(compile(tree, "", NULL), OP2_ERR_COMPILE);
  FAILS(compile(tree, "compute_90", NULL), OP2_ERR_COMPILE);
  ok(!binary, "a target without binaries");
  forget_build();
}

static void test_errors(void) {
  FAILS(compile("extern \"C\" __global__ void k(double *x) {\n  x[0] = 1;\n  x[1] = nowhere;\n}\n",
                "sm_90", NULL),
        OP2_ERR_COMPILE);
  ok(says(build_log.chars, "(3): error") && says(build_log.chars, "nowhere"),
     "the log has the line");
  ok(says(op2_error_message(), "nvrtcCompileProgram: NVRTC_ERROR_COMPILATION"), "and who said so");
  op2i_text_free(&build_log);
  op2i_text_add(&build_log, "before\n");
  FAILS(op2i_cuda_compile("#line 77 \"kernels.h\"\nint x = ;\n", "sm_90", NULL, &build_log, &binary,
                          &binary_bytes),
        OP2_ERR_COMPILE);
  ok(says(build_log.chars, "before\n") && says(build_log.chars, "kernels.h(77)"),
     "or the one that the source says, after what was there");
  FAILS(compile("#include \"not-there.h\"\n", "sm_90", NULL), OP2_ERR_COMPILE);
  ok(says(build_log.chars, "not-there.h"), "a header that is not there is named");
  FAILS(compile("double f(double x);\nextern \"C\" __global__ void k(double *x) { *x = f(1); }\n",
                "sm_90", NULL),
        OP2_ERR_COMPILE);
  ok(says(build_log.chars, "_Z1fd"), "a function that is nowhere, too");
  forget_build();
}

/* Folders of headers, one with a blank in its name. */
static void test_includes(void) {
  static const char source[] = "#include <one.h>\n#include \"two.h\"\n"
                               "static_assert(ONE == 1 && TWO == 2, \"\");\n";
  char first[4096], second[4096], path[4200];
  snprintf(first, sizeof first, "%s/first", test_scratch());
  snprintf(second, sizeof second, "%s/second of two's", test_scratch());
  mkdir(first, 0700);
  mkdir(second, 0700);
  const char *const includes[] = {first, second, "/not there", NULL};
  snprintf(path, sizeof path, "%s/one.h", first);
  write_file(path, "#define ONE 1\n", 14);
  snprintf(path, sizeof path, "%s/two.h", second);
  write_file(path, "#define TWO 2\n", 14);
  ok(compiles(source, "sm_90", includes), "headers from two folders");
  write_file(path, "#define TWO 3\n", 14);
  FAILS(compile(source, "sm_90", includes), OP2_ERR_COMPILE);
  forget_build();
}

/* A header, what stands outside the kernel, and what is to be so in it, for which there must be a
 * device. */
static const struct {
  const char *header, *outside, *condition;
} headers[] = {
    {"math.h", "struct my { double log; };\n",
     "fabs(sqrt(2) - M_SQRT2) < 1e-15 && sqrtf(4) == 2 && fabs(pow(2, 10) - 1024) < 1e-9 && "
     "lround(2.5) == 3 "
     "&& "
     "isnan(NAN) && fmin(1, 2.0f) == 1 && isinf(HUGE_VAL) && scalbn(1.0, 3) == 8 && "
     "lrintf(2.5f) == 2 && fabs(cos(M_PI) + 1) < 1e-15 && fma(2, 3, 4) == 10 && remainder(5, 3) == "
     "-1"},
    {"math.h",
     "static_assert(sizeof(exp(1.0f)) == 8 && sizeof(expf(1.0)) == 4, \"\");\n"
     "double of_float(float f) { return exp(f) - (double)expf(f); }\n",
     "of_float(1.1f) != 0 && fabs(of_float(1.1f)) < 1e-6"},
    {"math.h",
     "double parts(double x) { int e; double w, f = modf(x, &w); return frexp(w, &e) + e + f; }\n",
     "parts(8.5) == 0.5 + 4 + 0.5 && ldexp(0.5, 4) == 8 && ilogb(8.0) == 3"},
    {"math.h", "static const double inf = INFINITY, huge = HUGE_VAL, none = NAN;\n",
     "fpclassify(0.0) == FP_ZERO && fpclassify(inf) == FP_INFINITE && isnormal(1e-300) && "
     "fpclassify(1e-310) == FP_SUBNORMAL && fpclassify(-1e-40f) == FP_SUBNORMAL && "
     "fpclassify(none) == FP_NAN && sizeof(NAN) == 4 && !isnormal(huge) && isless(1.0, 2.0) && "
     "isunordered(NAN, 1.0)"},
    {"tgmath.h",
     "static_assert(sizeof(exp(1.0f)) == 4 && sizeof(exp(1.0)) == 8 && sizeof(sqrt(4)) == 8, "
     "\"\");\n"
     "static_assert(sizeof(pow(1.0f, 2.0f)) == 4 && sizeof(pow(1.0f, 2.0)) == 8, \"\");\n",
     "sqrt(4) == 2.0 && fma(2, 3.0f, 4.0) == 10 && ldexp(1.0f, 3) == 8 && fmax(1, 2.5) == 2.5 && "
     "lround(2.5f) == 3"},
    {"stdint.h",
     "#if INT32_MAX != 2147483647 || UINT64_MAX != 18446744073709551615UL\n#error no\n#endif\n"
     "static_assert(sizeof(int8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(int32_t) == 4, \"\");\n"
     "static_assert(sizeof(int64_t) == 8 && sizeof(intptr_t) == sizeof(void *), \"\");\n"
     "static_assert(sizeof(uint_fast64_t) == 8 && INT64_C(1) << 40 == 1099511627776, \"\");\n",
     "(int8_t)-1 < 0 && (uint8_t)-1 > 0 && INT64_MIN < 0"},
    {"inttypes.h", "static const char format[] = \"%\" PRId64 \" %\" PRIu32 \" %\" PRIxPTR;\n",
     "sizeof format == 11 && format[1] == 'l' && sizeof(int64_t) == 8"},
    {"stddef.h", "struct pair { char a; double b; };\n",
     "offsetof(struct pair, b) == 8 && x != NULL && sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8"},
    {"stdbool.h",
     "#if !__bool_true_false_are_defined\n#error no\n#endif\nbool yes(int x) { return x; }\n",
     "yes(7) == true && !false && (_Bool)2 == 1"},
    {"float.h",
     "#if DBL_MANT_DIG != 53 || FLT_RADIX != 2 || DBL_DECIMAL_DIG != 17\n#error no\n#endif\n"
     "static_assert(1 + DBL_EPSILON > 1 && 1 + DBL_EPSILON / 2 == 1 && DBL_MAX > 1e308, \"\");\n",
     "FLT_MAX < 1e39 && DBL_TRUE_MIN > 0 && FLT_MIN > 0 && DBL_MIN < 1e-300"},
    {"limits.h",
     "#if CHAR_BIT != 8 || INT_MAX != 2147483647\n#error no\n#endif\n"
     "static_assert(INT_MIN < -INT_MAX && LLONG_MAX == LONG_MAX && LONG_MAX > 0, \"\");\n",
     "UINT_MAX == 4294967295U && ULLONG_MAX == (unsigned long)-1"},
    {"string.h",
     "double copies(double *x) {\n"
     "  double here[4], there[4];\n"
     "  x[1] = 5; x[2] = 6;\n"
     "  memset(here, 0, sizeof here);\n"
     "  memcpy(here, x + 1, 2 * sizeof(double));\n"
     "  memcpy(there, here, sizeof here);\n"
     "  memmove(here + 1, here, 2 * sizeof(double));\n"
     "  return memcmp(there, here, sizeof here) && there[3] == 0 && here[2] == 6 && here[1] == 5 ? "
     "here[0] : -1;\n"
     "}\n",
     "copies(x) == 5"},
    {"stdlib.h", "static_assert(sizeof(abs(1.5)) == sizeof(int), \"\");\n",
     "-abs(-3) < 0 && abs(-3) * -1.0 == -3 && labs(-4L) == 4 && llabs(-5L) == 5 && NULL == 0"},
    {"stdio.h", "void never(int x) { if (x) printf(\"%d\", x); }\n", "NULL == 0"},
    {"assert.h",
     "static_assert(sizeof(int) == 4, \"int\");\n_Static_assert(sizeof(int) == 4, \"int\");\n"
     "int half_of(int x) { assert(x % 2 == 0); return x / 2; }\n",
     "half_of(8) == 4"},
};
enum { NHEADERS = sizeof headers / sizeof *headers };

/* As generated code may have them: twice, and in the middle of an extern "C". */
static void header_source(char *source, size_t room, int i) {
  snprintf(source, room,
           "extern \"C\" {\n#include <%s>\n#include <%s>\n}\n%s"
           "extern \"C\" __global__ void k(double *x) { x[0] = (%s) ? 42 : -1; }\n",
           headers[i].header, headers[i].header, headers[i].outside, headers[i].condition);
}

static void all_headers(char *source, size_t room) {
  size_t length = 0;
  for (int i = 0; i < NHEADERS; i++)
    length +=
        (size_t)snprintf(source + length, room - length, "#include <%s>\n", headers[i].header);
  snprintf(source + length, room - length,
           "extern \"C\" __global__ void k(double *x) { x[0] = sqrt(1764); }\n");
}

static void test_headers_compile(void) {
  char source[4096];
  for (int i = 0; i < NHEADERS; i++) {
    header_source(source, sizeof source, i);
    ok(compiles(source, "sm_90", NULL) && !build_log.chars, "<%s> compiles (%d)", headers[i].header,
       i);
  }
  all_headers(source, sizeof source);
  ok(compiles(source, "sm_90", NULL), "all of them compile");
  forget_build();
}

/* The N-th allocation fails, for every N. */
static void test_nomem_compile(void) {
  static const char *const includes[] = {"/a", "/b", NULL};
  int failed = 0, other = 0;
  bool good = false;
  for (int64_t n = 1; n < 1000 && !good; n++) {
    forget_build();
    op2i_mem_fail_here_at(n);
    op2_status status = compile("extern \"C\" __global__ void k() {}\n", "sm_90", includes);
    good = op2i_mem_fail_here_at(0) < n;
    failed += status == OP2_ERR_NOMEM;
    other += status != OP2_SUCCESS && status != OP2_ERR_NOMEM;
  }
  ok(good && failed >= 3 && other == 0, "out of memory %d times, and told each time", failed);
  forget_build();
}

static void test_nvrtc(void) {
  const char *why = op2i_nvrtc_missing();
  if (why) {
    FAILS(compile(tree, "sm_90", NULL), OP2_ERR_UNAVAILABLE);
    is_str(op2_error_message(), why, "without NVRTC that is said");
    skip("nothing is compiled: %s", why);
    return;
  }
  test_compile();
  test_errors();
  test_includes();
  test_headers_compile();
  test_nomem_compile();
}

/* ---- kernels --------------------------------------------------------------------------------- */

static op2_status build(struct op2i_device *device, const char *source) {
  forget_build();
  return kind->build(device, source, NULL, &build_log, &binary, &binary_bytes);
}

static struct op2i_device_code *code_of(struct op2i_device *device, const char *source,
                                        const char *entry) {
  struct op2i_device_code *code = NULL;
  op2_status status = build(device, source);
  if (status == OP2_SUCCESS) status = kind->load(device, binary, binary_bytes, entry, &code);
  if (status != OP2_SUCCESS)
    diag("%s\n%s", op2_error_message(), build_log.chars ? build_log.chars : "");
  return code;
}

/* Run a kernel of one parameter, an array of double; false where something fails. */
static bool run_on(struct op2i_device *device, const char *source, int n, double *values) {
  struct op2i_device_code *code = code_of(device, source, "k");
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
  kind->unload(device, code);
  return good;
}

/* ---- which device ---------------------------------------------------------------------------- */

static int count_lines(const char *text) {
  int n = 0;
  for (; text && *text; text++) n += *text == '\n';
  return n;
}

static void test_limits(const struct op2i_device_limits *limits) {
  int number = 0;
  diag("%s, %s: %d units, groups of %lld, %lld bytes shared, %lld in all", limits->name,
       limits->target, limits->units, (long long)limits->group_max, (long long)limits->local_bytes,
       (long long)limits->memory_bytes);
  ok(limits->name[0], "a device has a name");
  ok(sscanf(limits->target, "sm_%d", &number) == 1 && number >= 50 && number < 1000,
     "and a target: %s", limits->target);
  ok(limits->doubles, "it has double precision");
  ok(limits->units >= 1 && limits->units < 100000, "units");
  ok(limits->group_max >= 512 && limits->group_max <= 1 << 20, "group_max");
  ok(limits->local_bytes >= 49152 && limits->local_bytes <= 1 << 30, "local_bytes");
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
  char part[64], other[64];
  kind->list(&lines);
  int n = count_lines(lines.chars);
  if (!ok(n >= 1 && says(lines.chars, "0: ") && says(lines.chars, name), "%d devices are listed",
          n))
    return;
  diag("%s", lines.chars);
  const char *at = strstr(lines.chars, name);
  while (at > lines.chars && at[-1] != '\n') at--;
  snprintf(part, sizeof part, "%d", atoi(at));
  opens(part, name);
  snprintf(part, sizeof part, "%.30s", name + 1); /* the first of those of this name */
  opens(part, name);
  for (size_t i = 0; i < sizeof part; i++)
    other[i] = part[i] >= 'a' && part[i] <= 'z'   ? (char)(part[i] - 'a' + 'A')
               : part[i] >= 'A' && part[i] <= 'Z' ? (char)(part[i] - 'A' + 'a')
                                                  : part[i];
  opens(other, name);
  snprintf(other, sizeof other, "%d", n);
  refuses(other, name);
  refuses("18446744073709551616", name);
  refuses("no such device", name);
  refuses("-1", name);
  refuses("", name);
  op2i_text_free(&lines);
}

/* ---- memory ---------------------------------------------------------------------------------- */

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
  kind->release(device, memory);
  kind->release(device, other);
  kind->release(device, NULL);
  CHECK(kind->alloc(device, 0, &memory));
  CHECK(kind->put(device, memory, 0, host, 0));
  CHECK(kind->get(device, back, memory, 0, 0));
  kind->release(device, memory);
}

/* Much and little by turns, from memory that is written again as soon as put() returns, to places
 * that do not overlap: what is read too late shows. */
static void test_turns(struct op2i_device *device) {
  enum { MOST = 3 << 20, TURNS = 60 };
  const size_t all = (size_t)64 << 20;
  unsigned char *want = malloc(all), *host = malloc(MOST), *back = malloc(all);
  void *memory = NULL;
  uint64_t state = 5;
  size_t at = 0;
  int wrong = 0;
  if (!want || !host || !back || !CHECK(kind->alloc(device, all, &memory))) return;
  CHECK(kind->clear(device, memory, 0, all));
  memset(want, 0, all);
  for (int i = 0; i < TURNS; i++) {
    size_t most = i % 3 ? MOST : 300, bytes = (size_t)draw_below(&state, most);
    if (at + bytes > all) break;
    for (size_t j = 0; j < bytes; j++) host[j] = (unsigned char)(j * 7 + (size_t)i + j / 1000);
    memcpy(want + at, host, bytes);
    wrong += kind->put(device, memory, at, host, bytes) != OP2_SUCCESS;
    memset(host, 0xee, bytes);
    at += bytes;
    if (i % 7 == 3) {
      wrong += kind->get(device, back, memory, at / 3, at / 2) != OP2_SUCCESS;
      wrong += memcmp(back, want + at / 3, at / 2) != 0;
    }
  }
  wrong += kind->get(device, back, memory, 0, all) != OP2_SUCCESS;
  wrong += memcmp(back, want, all) != 0;
  is_int(wrong, 0, "%zu MiB by turns, with what comes back between them", at >> 20);
  kind->release(device, memory);
  free(want);
  free(host);
  free(back);
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
  ok(says(op2_error_message(), "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY") &&
         says(op2_error_message(), device->limits.name),
     "the message has the call, its error and the device");
  diag("%s", op2_error_message());
  FAILS(kind->alloc(device, SIZE_MAX / 2, &memory), OP2_ERR_NOMEM);
  ok(!memory, "more memory than there is gives none");
  if (!CHECK(kind->alloc(device, 1, &memory))) return;
  CHECK(kind->put(device, memory, 0, &byte, 1));
  CHECK(kind->get(device, &back, memory, 0, 1));
  is_int(back, 1, "and less can still be had");
  kind->release(device, memory);
}

/* The thread's own context is none before, between and after. */
static void test_context(struct op2i_device *device) {
  op2i_cuda_context current = (op2i_cuda_context)(uintptr_t)1;
  void *memory = NULL;
  int byte = 0;
  CHECK(kind->alloc(device, 8, &memory));
  CHECK(kind->put(device, memory, 0, &byte, 1));
  CHECK(kind->get(device, &byte, memory, 0, 1));
  CHECK(kind->wait(device));
  kind->release(device, memory);
  (void)op2i_cuda.cuCtxPopCurrent_v2(&current);
  ok(current == NULL || current == (op2i_cuda_context)(uintptr_t)1,
     "no context is left with the thread");
}

/* ---- launches -------------------------------------------------------------------------------- */

static void launch_sum(struct op2i_device *device, struct op2i_device_code *code, int group,
                       int64_t local_bytes) {
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
  const struct op2i_launch launch = {
      .groups = groups, .group = group, .local_bytes = local_bytes, .nargs = 5, .args = args};
  CHECK(kind->put(device, x_memory, 0, x, sizeof x));
  CHECK(kind->clear(device, sums_memory, 0, sizeof sums));
  CHECK(kind->launch(device, code, &launch));
  CHECK(kind->get(device, sums, sums_memory, 0, sizeof sums));
  for (int g = 0; g < groups; g++) {
    double sum = 0;
    for (int i = g * group; i < (g + 1) * group && i < N; i++) sum += x[i];
    wrong += sums[2 * g] != sum || sums[2 * g + 1] != (double)(groups - big);
  }
  is_int(wrong, 0, "groups of %d that share %lld bytes: wrong sums", group, (long long)local_bytes);
  kind->release(device, x_memory);
  kind->release(device, sums_memory);
}

static void test_refused_launches(struct op2i_device *device, struct op2i_device_code *code) {
  const struct op2i_device_arg args[5] = {{0}};
  const struct op2i_launch good = {
      .groups = 1, .group = 1, .local_bytes = 8, .nargs = 5, .args = args};
  struct op2i_launch launch = good;
  const int64_t before = device->counts.launches;
  launch.group = code->group_max + 1;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_UNAVAILABLE);
  launch = good;
  launch.local_bytes = device->limits.local_bytes + 1;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_UNAVAILABLE);
  launch = good;
  launch.groups = INT64_C(1) << 32;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_UNAVAILABLE);
  launch.groups = 0;
  FAILS(kind->launch(device, code, &launch), OP2_ERR_UNAVAILABLE);
  is_int(device->counts.launches, before, "launches that are refused do not count");
  CHECK(kind->wait(device));
}

static void test_launch(struct op2i_device *device) {
  struct op2i_device_code *code = code_of(device, tree, "sum");
  if (!ok(code != NULL, "a kernel with shared memory and a barrier")) return;
  ok(code->group_max >= 256 && code->group_max <= device->limits.group_max, "groups of up to %lld",
     (long long)code->group_max);
  const int64_t before = device->counts.launches;
  static const int groups[] = {1, 32, 64, 256};
  for (int i = 0; i < 4; i++) launch_sum(device, code, groups[i], (int64_t)8 * groups[i]);
  launch_sum(device, code, 128, device->limits.local_bytes);
  is_int(device->counts.launches - before, 5, "launches are counted");
  test_refused_launches(device, code);
  launch_sum(device, code, 32, 8 * 32);
  kind->unload(device, code);
  kind->unload(device, NULL);
}

/* More parameters than a few, all different. */
static void test_parameters(struct op2i_device *device) {
  enum { N = 100 };
  char source[8192];
  struct op2i_device_arg args[N + 1] = {{0}};
  int64_t sum = 0, want = 0;
  size_t length = (size_t)snprintf(source, sizeof source, "extern \"C\" __global__ void k(long *x");
  for (int i = 0; i < N; i++)
    length += (size_t)snprintf(source + length, sizeof source - length, ", long a%d", i);
  length += (size_t)snprintf(source + length, sizeof source - length, ") { *x = 0");
  for (int i = 0; i < N; i++)
    length += (size_t)snprintf(source + length, sizeof source - length, " + %d * a%d", i + 1, i);
  snprintf(source + length, sizeof source - length, "; }");
  struct op2i_device_code *code = code_of(device, source, "k");
  args[0].is_memory = true;
  if (!ok(code != NULL, "a kernel of many parameters") ||
      !CHECK(kind->alloc(device, sizeof sum, &args[0].memory)))
    return;
  for (int i = 0; i < N; i++) {
    args[i + 1].number = (INT64_C(1) << 33) + i * i;
    want += (i + 1) * args[i + 1].number;
  }
  const struct op2i_launch launch = {.groups = 1, .group = 1, .nargs = N + 1, .args = args};
  CHECK(kind->launch(device, code, &launch));
  CHECK(kind->get(device, &sum, args[0].memory, 0, sizeof sum));
  is_int(sum, want, "%d numbers arrive", N);
  kind->release(device, args[0].memory);
  kind->unload(device, code);
}

/* What is handed over is done in this order. */
static void test_order(struct op2i_device *device) {
  static const char source[] =
      "extern \"C\" __global__ void k(long *x, long n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  x[i] = x[i] * 3 + n + x[64 + i];\n"
      "}\n";
  struct op2i_device_code *code = code_of(device, source, "k");
  void *memory = NULL;
  int64_t values[64], more[64], want = 0, wrong = 0;
  if (!ok(code != NULL, "a kernel for a row of launches") ||
      !CHECK(kind->alloc(device, sizeof values + sizeof more, &memory)))
    return;
  CHECK(kind->clear(device, memory, 0, sizeof values + sizeof more));
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < 100 && status == OP2_SUCCESS; i++) {
    const struct op2i_device_arg args[] = {{.is_memory = true, .memory = memory},
                                           {.number = i % 5}};
    const struct op2i_launch launch = {.groups = 8, .group = 8, .nargs = 2, .args = args};
    for (int j = 0; j < 64; j++) more[j] = i * i;
    status = kind->put(device, memory, sizeof values, more, sizeof more);
    if (status == OP2_SUCCESS) status = kind->launch(device, code, &launch);
    want = (int64_t)((uint64_t)want * 3 + (uint64_t)(i % 5 + i * i));
  }
  CHECK(status);
  CHECK(kind->get(device, values, memory, 0, sizeof values));
  for (int i = 0; i < 64; i++) wrong += values[i] != want;
  is_int(wrong, 0, "a hundred puts and launches one after the other");
  kind->release(device, memory);
  kind->unload(device, code);
}

static void test_load(struct op2i_device *device) {
  struct op2i_device_code *code = NULL;
  if (!CHECK(build(device, tree))) return;
  FAILS(kind->load(device, binary, binary_bytes, "other", &code), OP2_ERR_COMPILE);
  ok(says(op2_error_message(), "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND") && !code,
     "an entry that is not there");
  FAILS(kind->load(device, "garbage", 7, "sum", &code), OP2_ERR_COMPILE);
  int whole = 0;
  for (size_t cut = 0; cut < binary_bytes; cut += 1 + binary_bytes / 100)
    whole += kind->load(device, binary, cut, "sum", &code) != OP2_ERR_COMPILE;
  is_int(whole, 0, "parts of a binary are none");
  ok(!code, "and nothing is loaded of them");
  CHECK(kind->load(device, binary, binary_bytes, "sum", &code));
  if (code) launch_sum(device, code, 1, 8);
  kind->unload(device, code);
}

static void test_headers_run(struct op2i_device *device) {
  char source[4096];
  double values[4];
  for (int i = 0; i < NHEADERS; i++) {
    header_source(source, sizeof source, i);
    memset(values, 0, sizeof values);
    ok(run_on(device, source, 4, values) && values[0] == 42, "<%s> (%d)", headers[i].header, i);
  }
  all_headers(source, sizeof source);
  ok(run_on(device, source, 4, values) && values[0] == 42, "all of them");
}

/* Values are those of the host where both are rounded as IEEE 754 says. */
static void test_rounding(struct op2i_device *device) {
  static const char source[] = "#include <math.h>\n"
                               "extern \"C\" __global__ void k(double *x) {\n"
                               "  x[3] = x[0] * x[1] + x[2];\n"
                               "  float a = x[0], b = x[1];\n"
                               "  x[4] = a / b;\n"
                               "  x[5] = sqrtf(a);\n"
                               "  x[6] = x[0] / x[1];\n"
                               "  x[7] = sqrt(x[0]);\n"
                               "  x[8] = a * 1e-38f;\n"
                               "}\n";
  uint64_t state = 3;
  int wrong = 0;
  for (int i = 0; i < (quick() ? 5 : 20); i++) {
    double values[9] = {1 + (double)draw(&state) * 0x1p-64, 1 + (double)draw(&state) * 0x1p-64};
    const double x = values[0], y = values[1];
    volatile double product = x * y;
    volatile float a = (float)x, b = (float)y, quotient = a / b, root = sqrtf(a), tiny = a * 1e-38f;
    values[2] = -product; /* of which fused arithmetic leaves what was rounded away */
    if (!run_on(device, source, 9, values)) wrong += 1000;
    wrong += values[3] != 0;
    wrong += values[4] != quotient || values[5] != root || values[8] != tiny;
    wrong += values[6] != x / y || values[7] != sqrt(x);
  }
  is_int(wrong, 0, "products, quotients and roots are rounded as they are written");
}

/* ---- failures -------------------------------------------------------------------------------- */

/* The N-th allocation of the library's own fails, for every N. */
static void test_nomem(struct op2i_device *device) {
  int failed = 0, other = 0;
  bool good = false;
  for (int64_t n = 1; n < 1000 && !good; n++) {
    struct op2i_device *opened = NULL;
    struct op2i_device_code *code = NULL;
    op2i_mem_fail_here_at(n);
    op2_status status = kind->open(NULL, &opened);
    if (!status) status = build(device, "extern \"C\" __global__ void k(char *x) { *x = 1; }");
    if (!status) status = kind->load(device, binary, binary_bytes, "k", &code);
    good = op2i_mem_fail_here_at(0) < n;
    failed += status == OP2_ERR_NOMEM;
    other += status != OP2_SUCCESS && status != OP2_ERR_NOMEM;
    kind->unload(device, code);
    if (opened) kind->close(opened);
  }
  ok(good && failed >= 3 && other == 0, "out of memory %d times, and told each time", failed);
}

/* In a process that can be done without: a kernel that writes where nothing is. */
static int run_fault(void) {
  static const char source[] = "extern \"C\" __global__ void k(long at) { *(double *)at = 1; }";
  struct op2i_device *device = NULL, *again = NULL;
  void *memory = NULL, *more = NULL;
  char byte = 0;
  if (!CHECK(kind->open(NULL, &device))) return done();
  struct op2i_device_code *code = code_of(device, source, "k"), *other = NULL;
  if (!ok(code != NULL, "a kernel") || !CHECK(kind->alloc(device, 1, &memory))) return done();
  const struct op2i_device_arg args[] = {{.number = 1 << 20}};
  const struct op2i_launch launch = {.groups = 1, .group = 1, .nargs = 1, .args = args};
  CHECK(kind->put(device, memory, 0, &byte, 1));
  CHECK(kind->launch(device, code, &launch));
  FAILS(kind->wait(device), OP2_ERR_FATAL);
  diag("%s", op2_error_message());
  ok(says(op2_error_message(), "is lost: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS") &&
         says(op2_error_message(), device->limits.name),
     "the message says which device, and why");
  char first[1024];
  snprintf(first, sizeof first, "%s", op2_error_message());
  FAILS(kind->wait(device), OP2_ERR_FATAL);
  FAILS(kind->launch(device, code, &launch), OP2_ERR_FATAL);
  FAILS(kind->put(device, memory, 0, &byte, 1), OP2_ERR_FATAL);
  FAILS(kind->get(device, &byte, memory, 0, 1), OP2_ERR_FATAL);
  FAILS(kind->clear(device, memory, 0, 1), OP2_ERR_FATAL);
  FAILS(kind->alloc(device, 1, &more), OP2_ERR_FATAL);
  FAILS(kind->load(device, binary, binary_bytes, "k", &other), OP2_ERR_FATAL);
  FAILS(build(device, tree), OP2_ERR_FATAL);
  is_str(op2_error_message(), first, "all that is asked fails with this message");
  kind->release(device, memory);
  kind->unload(device, code);
  kind->close(device);
  op2_status status = kind->open(NULL, &again);
  diag("another one: %s", status ? op2_error_message() : "can be opened");
  if (status == OP2_SUCCESS) kind->close(again);
  forget_build();
  return done();
}

/* Lines of TAP that another process says are comments here, and count as one check. */
static void all_good(const char *said, const char *what) {
  char line[1024];
  int n = 0, bad = 0;
  for (const char *at = said; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    n += strncmp(line, "ok ", 3) == 0;
    bad += strncmp(line, "not ok", 6) == 0 || strncmp(line, "(status", 7) == 0;
    if (strncmp(line, "ok ", 3) != 0) diag("| %s", line);
  }
  ok(n > 0 && bad == 0 && strstr(said, "\n1.."), "%s: %d checks in a process of its own", what, n);
}

static void test_fork(void) {
  struct op2i_device *device = NULL;
  int status = 0;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    const char *why = kind->unavailable();
    _exit(why && strstr(why, "fork") && kind->open(NULL, &device) == OP2_ERR_UNAVAILABLE ? 0 : 1);
  }
  waitpid(pid, &status, 0);
  is_int(status, 0, "a child that was forked with CUDA in use is told so");
}

static void *use_in_thread(void *result) {
  struct op2i_device *device = NULL;
  double values[1] = {0};
  bool good = kind->open(NULL, &device) == OP2_SUCCESS &&
              run_on(device, "extern \"C\" __global__ void k(double *x) { x[0] = 6; }", 1, values);
  if (device) kind->close(device);
  *(bool *)result = good && values[0] == 6;
  return NULL;
}

static void test_thread(void) {
  pthread_t thread;
  bool good = false;
  if (pthread_create(&thread, NULL, use_in_thread, &good) == 0) pthread_join(thread, NULL);
  ok(good, "another thread uses a device of its own");
}

static void test_device(struct op2i_device *device) {
  test_limits(&device->limits);
  test_choice(device->limits.name);
  test_places(device);
  test_turns(device);
  test_much(device);
  test_too_much(device);
  test_context(device);
  test_launch(device);
  test_parameters(device);
  test_order(device);
  test_load(device);
  test_headers_run(device);
  test_rounding(device);
  test_nomem(device);
  forget_build();
}

/* ---- a toy, in a process of its own ---------------------------------------------------------- */

/* Puts and launches by turns, of more parameters than a few: what is handed over is done in this
 * order. */
static void toy_launches(struct op2i_device *device) {
  enum { N = 100 };
  struct op2i_device_code *code = code_of(device, "anything", "add");
  struct op2i_device_arg args[N + 2] = {{0}};
  int64_t start, got = 0, want = 0, wrong = 0;
  if (!ok(code != NULL, "code, by an NVRTC that does not know all options") ||
      !CHECK(kind->alloc(device, 64, &args[0].memory)))
    return;
  is_int(code->group_max, 512, "groups are as large as this function says");
  args[0].is_memory = true;
  args[1].number = N;
  const struct op2i_launch launch = {
      .groups = 3, .group = 512, .local_bytes = 90000, .nargs = N + 2, .args = args};
  for (int round = 0; round < 10; round++) {
    want = start = round * 1000;
    for (int i = 0; i < N; i++) want += args[i + 2].number = round + ((int64_t)i << 33);
    wrong += kind->put(device, args[0].memory, 0, &start, 8) != OP2_SUCCESS;
    start = -1;
    wrong += kind->launch(device, code, &launch) != OP2_SUCCESS;
    if (round % 3 != 2) continue;
    wrong += kind->get(device, &got, args[0].memory, 0, 8) != OP2_SUCCESS;
    wrong += got != want;
  }
  is_int(wrong, 0, "puts, launches and gets follow one another");
  test_refused_launches(device, code);
  struct op2i_launch shares = launch;
  shares.local_bytes = device->limits.local_bytes; /* of which the function has some for itself */
  FAILS(kind->launch(device, code, &shares), OP2_ERR_ARG);
  ok(says(op2_error_message(), "Toy Beta: cuLaunchKernel: CUDA_ERROR_INVALID_VALUE"),
     "what the driver refuses is told");
  kind->release(device, args[0].memory);
  kind->unload(device, code);
}

static void toy_refusals(struct op2i_device *device) {
  struct op2i_device_code *code = NULL;
  void *memory = NULL;
  char bytes[16] = {0};
  CHECK(build(device, "anything"));
  is_int(build_log.length, 0, "options that were dropped leave nothing in the log");
  FAILS(kind->load(device, binary, binary_bytes, "other", &code), OP2_ERR_COMPILE);
  FAILS(kind->load(device, binary, binary_bytes - 1, "add", &code), OP2_ERR_COMPILE);
  ok(!code, "nothing is loaded");
  if (!CHECK(kind->alloc(device, 16, &memory))) return;
  FAILS(kind->put(device, memory, 8, bytes, 9), OP2_ERR_ARG);
  ok(says(op2_error_message(), "cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_VALUE"), "beyond the end");
  FAILS(kind->get(device, bytes, memory, 16, 1), OP2_ERR_ARG);
  FAILS(kind->clear(device, memory, 15, 2), OP2_ERR_ARG);
  CHECK(kind->get(device, bytes, memory, 0, 16));
  kind->release(device, memory);
}

static int run_toy(void) {
  struct op2i_device *device = NULL;
  if (!CHECK(kind->open(NULL, &device))) return done();
  is_str(device->limits.name, "Toy Beta", "the device with most units");
  opens("0", "Toy Alpha");
  opens("toy", "Toy Alpha");
  opens("ETA", "Toy Beta");
  test_limits(&device->limits);
  test_choice(device->limits.name);
  test_places(device);
  test_turns(device);
  test_much(device);
  test_too_much(device);
  test_context(device);
  toy_launches(device);
  toy_refusals(device);
  test_nomem(device);
  kind->close(device);
  test_fork();
  int (*left)(void) = NULL;
  void *toy = dlopen("libcuda.so.1", RTLD_NOW);
  if (toy) *(void **)&left = dlsym(toy, "op2_toy_left");
  is_int(left ? left() : -1, 0, "all that was made is destroyed");
  forget_build();
  return done();
}

/* ---- without a device ------------------------------------------------------------------------ */

static void test_without(const char *why) {
  struct op2i_device *device = NULL;
  struct op2i_text lines = {0};
  FAILS(kind->open(NULL, &device), OP2_ERR_UNAVAILABLE);
  is_str(op2_error_message(), why, "open() says why there is no device");
  FAILS(kind->open("0", &device), OP2_ERR_UNAVAILABLE);
  ok(!device, "and gives none");
  is_str(kind->unavailable(), why, "the reason stays");
  kind->list(&lines);
  if (op2i_cuda_missing()) is_int(lines.length, 0, "no device is listed");
  op2i_text_free(&lines);
}

/* A folder in which this file, or a link to it, is the driver. */
static void driver_is(char *settings, size_t room, const char *name, const char *file) {
  char folder[4096], path[4200];
  snprintf(folder, sizeof folder, "%s/%s", test_scratch(), name);
  mkdir(folder, 0700);
  snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
  if (file && symlink(file, path) != 0) perror(path);
  if (!file) write_file(path, "no library", 10);
  snprintf(settings, room, "LD_LIBRARY_PATH='%s'\":$LD_LIBRARY_PATH\"", folder);
}

/* A module of the build, which lies beside this program. */
static const char *module_of(const char *name) {
  static char path[4200];
  snprintf(path, sizeof path, "%.*s/lib%s.so", (int)(strrchr(self, '/') - self), self, name);
  return path;
}

static void test_drivers(void) {
  char settings[8192];
  driver_is(settings, sizeof settings, "broken", NULL);
  is_str(child(settings, "why"), "libcuda.so.1 is not there (no NVIDIA driver)",
         "a driver that cannot be opened");
  driver_is(settings, sizeof settings, "old", module_of("op2-test-icd"));
  is_str(child(settings, "why"), "libcuda.so.1 lacks cuInit: the NVIDIA driver is too old",
         "a driver that lacks what is called");
}

static void test_toy(void) {
  char settings[8192], lib64[4200], nvrtc[4300], pinned[9000];
  const char *module = module_of("op2-test-cuda");
  driver_is(settings, sizeof settings, "toy", module);
  snprintf(lib64, sizeof lib64, "%s/toy/lib64", test_scratch());
  snprintf(nvrtc, sizeof nvrtc, "%s/libnvrtc.so.13", lib64);
  mkdir(lib64, 0700);
  if (symlink(module, nvrtc) != 0) perror(nvrtc);
  snprintf(settings + strlen(settings), sizeof settings - strlen(settings), " CUDA_HOME='%s/toy'",
           test_scratch());
  is_str(child(settings, "why"), "available", "a toy of a driver is one");
  all_good(child(settings, "toy"), "the toy");
  all_good(child(settings, "fault"), "a toy that writes where nothing is");
  snprintf(pinned, sizeof pinned, "%s OP2_TEST_CUDA=pinned", settings);
  all_good(child(pinned, "toy"), "a toy without pinned memory");
  snprintf(pinned, sizeof pinned, "%s OP2_TEST_CUDA=devices", settings);
  is_str(child(pinned, "why"), "no CUDA device", "a driver without devices");
}

int main(int argc, char **argv) {
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = '\0';
  if (argc == 2 && strcmp(argv[1], "why") == 0) {
    const char *why = kind->unavailable();
    printf("%s", why ? why : "available");
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "fault") == 0) return run_fault();
  if (argc == 2 && strcmp(argv[1], "toy") == 0) return run_toy();
  ok(!loaded("libcuda.") && !loaded("libnvrtc"),
     "no library of CUDA's is loaded before it is asked");
  struct op2i_device *device = NULL;
  const char *why = kind->unavailable();
  if (why) {
    test_without(why);
    skip("nothing runs on a device: %s", why);
  } else if (CHECK(kind->open(NULL, &device))) {
    test_device(device);
    kind->close(device);
    test_fork();
    test_thread();
    all_good(child("", "fault"), "a kernel that writes where nothing is");
  }
  test_nvrtc();
  test_drivers();
  test_toy();
  return done();
}
