/* SPDX-License-Identifier: BSD-3-Clause */
/* This processor: the properties that code for it depends on, its default flags and its vectors. */
#include "cpu.h"

#include <string.h>

/* Zen 4, which works on 64 bytes in two steps (AMD document 57647, "Software Optimization Guide for
 * the AMD Zen4 Microarchitecture"), is the only one of AMD's family 19h with AVX-512. */
bool op2i_cpu_halves(const char vendor[12], unsigned signature, bool avx512) {
  unsigned family = signature >> 8 & 15;
  if (family == 15) family += signature >> 20 & 255;
  return avx512 && family == 0x19 && !memcmp(vendor, "AuthenticAMD", 12);
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

/* A leaf, and masks of its registers that describe instructions. The others hold APIC ids, core
 * numbers and the like, which differ between cores and runs (Intel SDM volume 2A, CPUID; AMD APM
 * volume 3, appendix E). */
static const struct {
  unsigned leaf, subleaf;
  unsigned eax, ebx, ecx, edx; /* masks */
} leaves[] = {
    {0, 0, 0, ~0u, ~0u, ~0u},          /* vendor */
    {1, 0, ~0u, 0, ~0u, ~0u},          /* family and model, features; ebx: APIC id */
    {7, 0, 0, ~0u, ~0u, ~0u},          /* features */
    {7, 1, ~0u, ~0u, ~0u, ~0u},        /* features */
    {0xd, 0, ~0u, ~0u, 0, ~0u},        /* register state: the system's settings change ebx */
    {0xd, 1, ~0u, 0, 0, 0},            /* XSAVE variants */
    {0x19, 0, ~0u, ~0u, 0, 0},         /* key locker */
    {0x80000001, 0, ~0u, 0, ~0u, ~0u}, /* features */
    {0x80000008, 0, 0, ~0u, 0, 0},     /* features */
};

void op2i_cpu_text(struct op2i_text *text) {
  for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
    unsigned a, b, c, d;
    if (!__get_cpuid_count(leaves[i].leaf, leaves[i].subleaf, &a, &b, &c, &d)) continue;
    op2i_text_add(text, "cpuid %x.%x %x %x %x %x\n", leaves[i].leaf, leaves[i].subleaf,
                  a & leaves[i].eax, b & leaves[i].ebx, c & leaves[i].ecx, d & leaves[i].edx);
  }
}

const char *op2i_cpu_flags(void) {
  return __builtin_cpu_supports("avx512f")
             ? "-O3 -march=native -fno-math-errno -mprefer-vector-width=512"
             : "-O3 -march=native -fno-math-errno";
}

int op2i_simd_bytes(void) {
  return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? 64
         : __builtin_cpu_supports("avx2")                                         ? 32
                                                                                  : 16;
}

bool op2i_simd_halved(void) {
  unsigned a, b, c, d, signature;
  if (!__get_cpuid(0, &a, &b, &c, &d)) return false;
  const unsigned vendor[3] = {b, d, c};
  if (!__get_cpuid(1, &signature, &b, &c, &d)) return false;
  return op2i_cpu_halves((const char *)vendor, signature, op2i_simd_bytes() == 64);
}

#else

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* True for lines of /proc/cpuinfo that name instructions or the design of a core, on Arm, POWER and
 * RISC-V. */
static bool is_about_core(const char *line) {
  static const char *const names[] = {
      "Features", "CPU implementer", "CPU architecture", "CPU part", "cpu\t", "isa", "uarch"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(line, names[i], strlen(names[i])) == 0) return true;
  return false;
}

/* Lines repeat for each core: each different line counts once. */
static void add_line(struct op2i_text *text, const char *line, size_t length) {
  if (is_about_core(line) && !(text->chars && strstr(text->chars, line)))
    op2i_text_bytes(text, line, length);
}

void op2i_cpu_text(struct op2i_text *text) {
  int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char chunk[4096], line[4096];
  size_t length = 0;
  for (;;) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; i++) {
      if (length < sizeof line - 1) line[length++] = chunk[i];
      if (chunk[i] != '\n') continue;
      line[length] = '\0';
      add_line(text, line, length);
      length = 0;
    }
  }
  close(fd);
}

const char *op2i_cpu_flags(void) {
#if defined(__aarch64__) || defined(__arm__) || defined(__powerpc__)
  return "-O3 -mcpu=native -fno-math-errno";
#else
  return "-O3 -fno-math-errno";
#endif
}

int op2i_simd_bytes(void) {
#if defined(__aarch64__) || defined(__powerpc64__)
  return 16;
#else
  return 0;
#endif
}

bool op2i_simd_halved(void) { return false; }

#endif
