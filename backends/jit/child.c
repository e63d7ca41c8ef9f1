/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a compiler with a time limit, and ending it with the processes that it has
 * started. */
#define _GNU_SOURCE
#include "child.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define SECOND INT64_C(1000000000)

bool op2i_child_apart(void) {
  sigset_t blocked;
  struct sigaction action;
  if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGINT) == 1)
    return true;
  return sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
         action.sa_handler != SIG_IGN;
}

/* ---- ending a process and its children ------------------------------------------------------- */

enum { FAMILY_MOST = 1024 };
struct family {
  pid_t member[FAMILY_MOST];
  int count;
};

static bool holds(const struct family *family, pid_t pid) {
  for (int i = 0; i < family->count; i++)
    if (family->member[i] == pid) return true;
  return false;
}

/* Return the parent of process `name` according to the kernel; 0: no such process. The name of a
 * program, in parentheses, may contain any characters. */
static pid_t parent_of(int proc, const char *name) {
  char path[32], text[1024];
  int parent = 0;
  if (snprintf(path, sizeof path, "%.20s/stat", name) >= (int)sizeof path) return 0;
  int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  text[length > 0 ? length : 0] = '\0';
  const char *end = strrchr(text, ')');
  return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Stop the children of the family's members and make them members; returns true if there were any.
 * A stopped parent reaps no child, so that the number of a child cannot be reused by an unrelated
 * process. */
static bool stop_children(struct family *family) {
  DIR *list = opendir("/proc");
  int before = family->count;
  if (!list) return false;
  for (const struct dirent *item; family->count < FAMILY_MOST && (item = readdir(list));) {
    if (!isdigit((unsigned char)item->d_name[0])) continue;
    pid_t pid = (pid_t)strtol(item->d_name, NULL, 10);
    if (holds(family, pid) || !holds(family, parent_of(dirfd(list), item->d_name))) continue;
    kill(pid, SIGSTOP);
    family->member[family->count++] = pid;
  }
  closedir(list);
  return family->count > before;
}

static void end_family(pid_t pid) {
  struct family family = {.member = {pid}, .count = 1};
  kill(pid, SIGSTOP);
  while (stop_children(&family)) continue;
  for (int i = 0; i < family.count; i++) kill(family.member[i], SIGKILL);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static _Atomic int64_t stopped; /* nanoseconds for which this process was stopped while it waited */

int64_t op2i_child_clock(void) { return op2i_nanoseconds() - atomic_load(&stopped); }

/* Wait for the end of a process or for a while; `fd` refers to the process, or is -1 if the kernel
 * has no such descriptors. */
static void nap(int fd, int64_t nanoseconds) {
  enum { BLIND = 5000000 }; /* delay with which the end may be noticed without a descriptor */
  int64_t before = op2i_nanoseconds();
  if (fd < 0 && nanoseconds > BLIND) nanoseconds = BLIND;
  struct timespec time = {nanoseconds / SECOND, nanoseconds % SECOND};
  struct pollfd end = {.fd = fd, .events = POLLIN};
  ppoll(&end, fd < 0 ? 0 : 1, &time, NULL);
  int64_t over = op2i_nanoseconds() - before - nanoseconds;
  if (over > SECOND) atomic_fetch_add(&stopped, over);
}

static int open_process(pid_t pid) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, pid, 0);
#else
  return (void)pid, -1;
#endif
}

/* A process that is blocked in the kernel (by a file server that is down) does not die even so:
 * after a while it is not waited for any more. */
static void collect(pid_t pid, int fd) {
  int64_t until = op2i_nanoseconds() + 5 * SECOND;
  int how;
  while (waitpid(pid, &how, WNOHANG) == 0 && op2i_nanoseconds() < until) nap(fd, SECOND / 10);
}

enum op2i_child_end op2i_child_wait(pid_t pid, int64_t deadline, int *how) {
  enum op2i_child_end end = OP2I_CHILD_ENDED;
  int fd = open_process(pid);
  for (;;) {
    pid_t got = waitpid(pid, how, WNOHANG);
    if (got == pid) break;
    if (got < 0 && errno != EINTR) {
      end = OP2I_CHILD_HIDDEN;
      break;
    }
    int64_t left = deadline - op2i_child_clock();
    if (left <= 0) {
      end_family(pid);
      collect(pid, fd);
      end = OP2I_CHILD_LATE;
      break;
    }
    nap(fd, left < SECOND ? left : SECOND);
  }
  if (fd >= 0) close(fd);
  return end;
}
