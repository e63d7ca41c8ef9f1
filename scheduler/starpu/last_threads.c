/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of the moment when workers are the only threads left in a process. Without /proc
 * it cannot be detected. */
#define _GNU_SOURCE
#include "last_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

static int workers[OP2I_LAST_THREADS]; /* thread numbers of the system; 0: not known yet */

static int thread_number(void) {
  static _Thread_local int number;
  if (!number) number = (int)syscall(SYS_gettid);
  return number;
}

/* True if a thread has ended and only its number is still in use, as that of a main thread
 * is while others run. */
static bool has_ended(int thread) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return false;
  text[length] = '\0';
  /* The state follows the name, which may contain any characters. */
  const char *name_end = strrchr(text, ')');
  return name_end && (strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0);
}

static bool is_worker(int thread) {
  for (int w = 0; w < OP2I_LAST_THREADS; w++) {
    int number = __atomic_load_n(&workers[w], __ATOMIC_RELAXED);
    if (number == thread) return true;
    if (!number) return false;
  }
  return false;
}

static bool only_workers(void) {
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return false;
  bool only = true;
  for (const struct dirent *entry; only && (entry = readdir(folder));) {
    int thread = atoi(entry->d_name);
    only = thread == 0 || is_worker(thread) || has_ended(thread);
  }
  closedir(folder);
  return only;
}

static void *end_thread(void *end) {
  (*(void (**)(void))end)();
  return NULL;
}

static bool start_end(void (*end)(void)) {
  static void (*kept)(void);
  pthread_t thread;
  kept = end;
  return !pthread_create(&thread, NULL, end_thread, &kept) && !pthread_detach(thread);
}

void op2i_last_threads_look(int worker, void (*end)(void)) {
  enum { EVERY_NS = 200000000 };
  static int64_t next;
  static bool ending;
  if (worker < 0 || worker >= OP2I_LAST_THREADS) return;
  __atomic_store_n(&workers[worker], thread_number(), __ATOMIC_RELAXED);
  if (worker > 0 || ending) return;
  int64_t now = op2i_nanoseconds();
  if (now < next) return;
  next = now + EVERY_NS;
  if (!has_ended((int)getpid()) || !only_workers()) return;
  ending = start_end(end); /* if no thread can be created, the next look tries again */
}

void op2i_last_threads_forget(void) {
  for (int w = 0; w < OP2I_LAST_THREADS; w++) workers[w] = 0;
}
