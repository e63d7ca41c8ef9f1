/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals after which programs write a checkpoint. They are the process's, whatever the number of
 * its checkpoints, contexts and ranks. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "checkpoint_parts.h"

enum { SIGNALS = 65 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  struct sigaction former; /* what the program had installed; written while the handler is not */
  int users;
} watched[SIGNALS];
static atomic_uint arrived[SIGNALS];

static void on_signal(int number, siginfo_t *info, void *context) {
  const struct sigaction *former = &watched[number].former;
  const int error = errno;
  atomic_fetch_add(&arrived[number], 1);
  if (former->sa_flags & SA_SIGINFO)
    former->sa_sigaction(number, info, context);
  else if (former->sa_handler != SIG_DFL && former->sa_handler != SIG_IGN)
    former->sa_handler(number);
  errno = error;
}

static bool install(int number) {
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
  struct sigaction now;
  action.sa_sigaction = on_signal;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &now) != 0) return false;
  /* A handler of the program's, installed meanwhile, may call this one: it stays. */
  const bool ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal;
  if (!ours) watched[number].former = now;
  return ours || sigaction(number, &action, NULL) == 0;
}

bool op2i_signal_watch(int number) {
  bool good = number > 0 && number < SIGNALS;
  pthread_mutex_lock(&lock);
  if (good && watched[number].users == 0) good = install(number);
  if (good) watched[number].users++;
  pthread_mutex_unlock(&lock);
  return good;
}

void op2i_signal_leave(int number) {
  struct sigaction now;
  pthread_mutex_lock(&lock);
  if (--watched[number].users == 0 && sigaction(number, NULL, &now) == 0 &&
      (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal)
    (void)sigaction(number, &watched[number].former, NULL);
  pthread_mutex_unlock(&lock);
}

unsigned op2i_signal_count(int number) { return number > 0 ? atomic_load(&arrived[number]) : 0; }
