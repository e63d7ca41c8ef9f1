/* SPDX-License-Identifier: BSD-3-Clause */
/* NVRTC by the host's compiler: a cubin is a shared object, in which nothing may be missing. Headers are those
 * that the program brings, and no others, as with NVRTC. */
#define _GNU_SOURCE
#include "nvrtc.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPTIONS = 128, PATH = 4096 };
extern char **environ;
static _Atomic int planted;

int op2_emulation_planted(void) {
  int since = planted;
  planted -= since;
  return since;
}

/* Binaries that look at accesses and those that do not are kept by different names. */
int nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = emulation_checks() ? 99 : 98;
  return NVRTC_SUCCESS;
}

static const int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

static int known_architectures(void) {
  int n = 0;
  while (n < ARCHITECTURES && architectures[n] <= emulation_setting("newest", 121)) n++;
  return n;
}

int nvrtcGetNumSupportedArchs(int *n) {
  *n = known_architectures();
  return NVRTC_SUCCESS;
}

int nvrtcGetSupportedArchs(int *list) {
  memcpy(list, architectures, (size_t)known_architectures() * sizeof *list);
  return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(int result) {
  static const char *const names[] = {"NVRTC_SUCCESS",
                                      "NVRTC_ERROR_OUT_OF_MEMORY",
                                      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "NVRTC_ERROR_INVALID_INPUT",
                                      "NVRTC_ERROR_INVALID_PROGRAM",
                                      "NVRTC_ERROR_INVALID_OPTION",
                                      "NVRTC_ERROR_COMPILATION"};
  return result >= 0 && result <= NVRTC_COMPILATION ? names[result] : "NVRTC_ERROR_UNKNOWN";
}

int nvrtcCreateProgram(struct nvrtc_program **out, const char *source, const char *name,
                       int nheaders, const char *const *headers, const char *const *names) {
  struct nvrtc_program *program = calloc(1, sizeof *program);
  (void)name;
  if (!program || !source) return NVRTC_OUT_OF_MEMORY;
  program->source = strdup(source);
  program->headers = calloc((size_t)nheaders + 1, sizeof *program->headers);
  program->names = calloc((size_t)nheaders + 1, sizeof *program->names);
  program->nheaders = nheaders;
  for (int h = 0; h < nheaders; h++) {
    program->headers[h] = strdup(headers[h]);
    program->names[h] = strdup(names[h]);
  }
  *out = program;
  return NVRTC_SUCCESS;
}

int nvrtcDestroyProgram(struct nvrtc_program **destroyed) {
  struct nvrtc_program *program = *destroyed;
  for (int h = 0; h < program->nheaders; h++) {
    free(program->headers[h]);
    free(program->names[h]);
  }
  free(program->headers);
  free(program->names);
  free(program->source);
  free(program->log);
  free(program->image);
  free(program);
  *destroyed = NULL;
  return NVRTC_SUCCESS;
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *bytes) {
  struct stat about;
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  if (file && fstat(fileno(file), &about) == 0) text = calloc(1, (size_t)about.st_size + 1);
  *bytes = text ? fread(text, 1, (size_t)about.st_size, file) : 0;
  if (file) fclose(file);
  return text;
}

static bool write_file(const char *folder, const char *name, const char *text) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  bool good = file && fputs(text, file) >= 0;
  if (file) good &= fclose(file) == 0;
  return good;
}

static void remove_file(const char *folder, const char *name) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

static void remove_folder(const struct nvrtc_program *program, const char *folder) {
  static const char *const ours[] = {"loop.cpp", "loop.so", "log"};
  for (int h = 0; h < program->nheaders; h++) remove_file(folder, program->names[h]);
  for (int f = 0; f < 3; f++) remove_file(folder, ours[f]);
  rmdir(folder);
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* A cubin is made for sm_90, PTX for compute_90, if that is known. */
static bool take_architecture(struct nvrtc_program *program, const char *name,
                              char definition[EMULATION_NAME]) {
  const char *number = strchr(name, '_');
  int a = 0;
  program->is_ptx = strncmp(name, "compute_", 8) == 0;
  if (!number || (!program->is_ptx && strncmp(name, "sm_", 3) != 0)) return false;
  while (a < known_architectures() && architectures[a] != atoi(number + 1)) a++;
  snprintf(definition, EMULATION_NAME, "-D__CUDA_ARCH__=%s0", number + 1);
  return a < known_architectures();
}

/* Those that real ones know and the tests use; a folder is passed on. */
static bool take_options(struct nvrtc_program *program, int n, const char *const *options,
                         const char **list, int *count, char definition[EMULATION_NAME]) {
  static const char *const known[] = {"--std=c++17",
                                      "--fmad=false",
                                      "--prec-div=true",
                                      "--prec-sqrt=true",
                                      "--ftz=false",
                                      "-default-device",
                                      "--device-as-default-execution-space",
                                      "--extra-device-vectorization",
                                      "--disable-warnings"};
  enum { KNOWN = sizeof known / sizeof *known };
  static const char target[] = "--gpu-architecture=";
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < KNOWN && strcmp(known[k], options[i]) != 0) k++;
    if (strncmp(options[i], target, strlen(target)) == 0) {
      if (!take_architecture(program, options[i] + strlen(target), definition)) return false;
    } else if (strncmp(options[i], "-I", 2) == 0 && *count < OPTIONS) {
      list[(*count)++] = options[i];
    } else if (k == KNOWN) {
      return false;
    }
  }
  return true;
}

static int start(const char *const *list, const char *log) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (posix_spawnp(&child, list[0], &actions, NULL, (char *const *)(uintptr_t)list, environ) ||
      waitpid(child, &status, 0) < 0)
    status = -1;
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

static int compile_in(struct nvrtc_program *program, const char *folder, const char *shared, int n,
                      const char *const *options) {
  char in[PATH], out[PATH], log[PATH], include[PATH], symbol[2 * EMULATION_NAME],
      target[EMULATION_NAME] = "-D__CUDA_ARCH__=800";
  /* With these a vector in memory is read and written at once, as by the device. */
  static const char *const whole[] = {"-fno-tree-sra", "-fno-tree-fre", "-fno-tree-forwprop",
                                      "-fno-ipa-sra", NULL};
  const char *list[OPTIONS + 48] = {OP2_EMULATION_CXX,
                                    "-x",
                                    "c++",
                                    "-std=c++17",
                                    "-O1",
                                    "-w",
                                    "-fPIC",
                                    "-shared",
                                    "-nostdinc",
                                    "-nostdinc++",
                                    "-nodefaultlibs",
                                    "-fno-rtti",
                                    "-D__CUDACC__",
                                    "-D__CUDACC_RTC__",
                                    "-fno-exceptions",
                                    "-Wl,-Bsymbolic",
                                    "-Wl,-z,defs",
                                    "-g1",
                                    "-include",
                                    OP2_EMULATION_FOLDER "/device.hpp",
                                    "-ffp-contract=off",
                                    "-fvisibility=hidden",
                                    "-fno-strict-aliasing",
                                    "-fno-tree-loop-distribute-patterns",
                                    "-fno-math-errno",
                                    target,
                                    include,
                                    "-o",
                                    out,
                                    in,
                                    "-lm",
                                    "-lc"};
  int count = 0;
  while (list[count]) count++;
  if (emulation_checks()) {
    list[count++] = "-fsanitize=thread,alignment";
    list[count++] = "--param=tsan-instrument-func-entry-exit=0";
    for (int k = 0; emulation_setting("warps", 0) && whole[k]; k++) list[count++] = whole[k];
  }
  snprintf(symbol, sizeof symbol, "-Wl,--defsym=%s=op2_emulation_dynamic", shared);
  if (*shared) list[count++] = symbol;
  if (program->wraps) list[count++] = "-fwrapv";
  snprintf(in, sizeof in, "%s/loop.cpp", folder);
  snprintf(out, sizeof out, "%s/loop.so", folder);
  snprintf(log, sizeof log, "%s/log", folder);
  snprintf(include, sizeof include, "-I%s", folder);
  if (!take_options(program, n, options, list, &count, target)) return NVRTC_INVALID_OPTION;
  int status = start(list, log);
  size_t bytes;
  program->log = read_file(log, &bytes);
  if (status == 0) program->image = read_file(out, &program->image_bytes);
  return program->image ? NVRTC_SUCCESS : NVRTC_COMPILATION;
}

int emulation_compile(struct nvrtc_program *program, int n, const char *const *options) {
  const char *base = getenv("TMPDIR");
  char folder[PATH / 2], shared[EMULATION_NAME];
  snprintf(folder, sizeof folder, "%s/op2-nvrtc-XXXXXX", base && *base ? base : "/tmp");
  int found = 0;
  char *text = emulation_text(program->source, shared, &found);
  planted += found;
  bool good = text && mkdtemp(folder) && write_file(folder, "loop.cpp", text);
  for (int h = 0; h < program->nheaders && good; h++)
    good = write_file(folder, program->names[h], program->headers[h]);
  free(text);
  int result = good ? compile_in(program, folder, shared, n, options) : NVRTC_OUT_OF_MEMORY;
  remove_folder(program, folder);
  return result;
}

/* Threads may compile programs at the same time. */
static _Atomic int compiling, together;

int op2_emulation_compiled_together(void) { return together; }

static void note_begin(void) {
  const int now = ++compiling;
  int most = together;
  while (now > most && !atomic_compare_exchange_weak(&together, &most, now)) continue;
}

int nvrtcCompileProgram(struct nvrtc_program *program, int n, const char *const *options) {
  note_begin();
  int result = emulation_compile(program, n, options);
  compiling--;
  return result ? result : emulation_look_really(&emulation_real_nvrtc, program, n, options);
}

int nvrtcGetProgramLogSize(struct nvrtc_program *program, size_t *bytes) {
  *bytes = program->log ? strlen(program->log) + 1 : 1;
  return NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(struct nvrtc_program *program, char *log) {
  strcpy(log, program->log ? program->log : "");
  return NVRTC_SUCCESS;
}

int nvrtcGetCUBINSize(struct nvrtc_program *program, size_t *bytes) {
  *bytes = program->is_ptx ? 0 : program->image_bytes;
  return NVRTC_SUCCESS;
}

int nvrtcGetCUBIN(struct nvrtc_program *program, char *cubin) {
  memcpy(cubin, program->image, program->image_bytes);
  return NVRTC_SUCCESS;
}

int nvrtcGetPTXSize(struct nvrtc_program *program, size_t *bytes) {
  *bytes = program->is_ptx ? strlen(EMULATION_PTX) + program->image_bytes : 0;
  return NVRTC_SUCCESS;
}

int nvrtcGetPTX(struct nvrtc_program *program, char *ptx) {
  const size_t head = strlen(EMULATION_PTX);
  memcpy(ptx, EMULATION_PTX, head);
  memcpy(ptx + head, program->image, program->image_bytes);
  return NVRTC_SUCCESS;
}
