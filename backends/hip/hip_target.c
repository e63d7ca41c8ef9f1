/* SPDX-License-Identifier: BSD-3-Clause */
/* Architectures that hipRTC knows. It cannot be asked which, and the one of Debian 12 ends the process
 * if it is given another. So a child process compiles a short text for an architecture before this
 * process compiles for it. If the child fails, it is the turn of the nearest architectures. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "child.h"
#include "error.h"
#include "hip_compile.h"
#include "mem.h"
#include "text.h"

#define SECOND INT64_C(1000000000)

/* ---- trying an architecture in a child ------------------------------------------------------- */

/* The child runs this and nothing else. It ends by a signal, so that nothing runs there that the program
 * has registered for its own end. */
static void compile_in_child(const char *architecture, int result) {
  static const char text[] = "extern \"C\" __global__ void op2_once(double *a) { a[0] += 1; }\n";
  static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  const struct rlimit none = {0, 0};
  struct op2i_text log = {0};
  void *binary = NULL;
  size_t bytes;
  for (size_t s = 0; s < sizeof deadly / sizeof *deadly; s++) signal(deadly[s], SIG_DFL);
  setrlimit(RLIMIT_CORE, &none);
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  if (!op2i_hip_compile_held(text, architecture, NULL, &log, &binary, &bytes))
    (void)!write(result, "", 1);
  kill(getpid(), SIGKILL);
}

/* True if a child that has its own end of the pipe said that it compiled. */
static bool answers(int result) {
  const int64_t deadline = op2i_child_clock() + 60 * SECOND;
  struct pollfd watched = {.fd = result, .events = POLLIN};
  char byte;
  while (op2i_child_clock() < deadline)
    if (poll(&watched, 1, 100) > 0) return read(result, &byte, 1) == 1;
  return false;
}

static bool knows(const char *architecture) {
  int ends[2], how;
  if (pipe2(ends, O_CLOEXEC)) return false;
  op2i_hip_hold();
  const pid_t child = fork();
  if (child == 0) compile_in_child(architecture, ends[1]);
  op2i_hip_let_go();
  close(ends[1]);
  const bool good = child > 0 && answers(ends[0]);
  close(ends[0]);
  if (child > 0) {
    kill(child, SIGKILL);
    op2i_child_wait(child, INT64_MAX, &how);
  }
  return good;
}

/* ---- architectures that are near ------------------------------------------------------------- */

/* Architectures by what an instruction set has in common: code for a later one of a row may run on an
 * earlier one only if the driver says so, and code for the generic one, which hipRTC has since version
 * 6.3, runs on all. */
static const struct {
  const char *generic;
  const char *members; /* from the oldest on */
} families[] = {
    {"gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c"},
    {NULL, "gfx908 gfx90a"},
    {"gfx9-4-generic", "gfx940 gfx941 gfx942 gfx950"},
    {"gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013"},
    {"gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036"},
    {"gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153"},
    {"gfx12-generic", "gfx1200 gfx1201"},
};
enum { FAMILIES = sizeof families / sizeof *families };

static size_t alike(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n]) n++;
  return n;
}

/* Return the family of an architecture, that of the members with the longest beginning in common if it
 * is newer than the table; -1: none has its generation. */
static int family_of(const char *base) {
  int found = -1;
  size_t most = strlen(base) - 3;
  for (int f = 0; f < FAMILIES; f++) {
    for (const char *member = families[f].members; *member; member += strspn(member, " ")) {
      const size_t length = strcspn(member, " ");
      const size_t n = alike(base, member);
      if (length == strlen(base) && n > most) {
        most = n;
        found = f;
      }
      member += length;
    }
  }
  return found;
}

/* Copy the last of the first n members to `name`; return the number of those before it. */
static size_t last_member(const char *members, size_t n, char name[OP2I_CUDA_ARCHITECTURE]) {
  size_t begin = n;
  while (begin > 0 && members[begin - 1] != ' ') begin--;
  snprintf(name, OP2I_CUDA_ARCHITECTURE, "%.*s", (int)(n - begin), members + begin);
  return begin > 0 ? begin - 1 : 0;
}

/* Write the first that is known of the generic architecture, and of the members from the one before
 * `base` to the oldest. */
static bool nearest(const char *base, char found[OP2I_CUDA_ARCHITECTURE]) {
  const int f = family_of(base);
  if (f < 0) return false;
  if (families[f].generic) {
    snprintf(found, OP2I_CUDA_ARCHITECTURE, "%s", families[f].generic);
    if (knows(found)) return true;
  }
  const char *members = families[f].members, *at = strstr(members, base);
  size_t left = at == members ? 0 : at ? (size_t)(at - members) - 1 : strlen(members);
  while (left > 0) {
    left = last_member(members, left, found);
    if (knows(found)) return true;
  }
  return false;
}

/* Features of a target follow its name: "gfx90a:sramecc+:xnack-". */
static void find(const char *target, char found[OP2I_CUDA_ARCHITECTURE]) {
  char base[OP2I_CUDA_ARCHITECTURE];
  snprintf(found, OP2I_CUDA_ARCHITECTURE, "%s", target);
  if (strlen(target) < OP2I_CUDA_ARCHITECTURE && knows(found)) return;
  snprintf(base, sizeof base, "%.*s", (int)strcspn(target, ":"), target);
  snprintf(found, OP2I_CUDA_ARCHITECTURE, "%s", base);
  if (strchr(target, ':') && knows(found)) return;
  if (strlen(base) < 6 || !nearest(base, found)) found[0] = '\0';
}

bool op2i_hip_architecture(const char *target, char architecture[OP2I_CUDA_ARCHITECTURE]) {
  enum { KEPT = 16 };
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static struct { char target[64], found[OP2I_CUDA_ARCHITECTURE]; } kept[KEPT];
  static int nkept;
  const char *why;
  int k = 0;
  if (!op2i_hiprtc_api(&why)) {
    snprintf(architecture, OP2I_CUDA_ARCHITECTURE, "%.31s", target);
    return false;
  }
  pthread_mutex_lock(&mutex);
  while (k < nkept && strcmp(kept[k].target, target) != 0) k++;
  if (k == KEPT) k = 0;
  if (strcmp(kept[k].target, target) != 0) {
    snprintf(kept[k].target, sizeof kept[k].target, "%s", target);
    find(target, kept[k].found);
    if (k == nkept) nkept++;
  }
  snprintf(architecture, OP2I_CUDA_ARCHITECTURE, "%s", kept[k].found);
  pthread_mutex_unlock(&mutex);
  return false;
}
