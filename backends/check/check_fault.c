/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: a kernel that accesses invalid memory or divides by zero is stopped and its loop
 * fails, where otherwise the process would end. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "check_fence.h"
#include "fpenv.h"
#include "process.h"

struct call {
  sigjmp_buf back;
  struct call *volatile outer; /* the enclosing call, of another context */
  struct op2i_fault fault;
};

/* The last two come from traps, which compilers put where they detect that a kernel divides by zero
 * or follows a null pointer. */
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* The kernel that runs on this thread; null: none. */
static _Thread_local struct call *volatile running;

static int users;
static struct sigaction before[SIGNALS];

/* The default action occurs when the faulting instruction runs again. A signal that was sent by a
 * process is raised again, and so is SIGTRAP, as some processors continue after the instruction. */
static void pass_on(int number, siginfo_t *info, void *context) {
  int i = 0;
  while (i < SIGNALS - 1 && signals[i] != number) i++;
  /* SIG_DFL and SIG_IGN are not functions, whatever the flags say. */
  bool handled = before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN;
  if (handled && before[i].sa_flags & SA_SIGINFO) {
    before[i].sa_sigaction(number, info, context);
  } else if (handled) {
    before[i].sa_handler(number);
  } else if (before[i].sa_handler == SIG_DFL || info->si_code > 0) {
    (void)sigaction(number, &before[i], NULL);
    if (info->si_code <= 0 || number == SIGTRAP) (void)raise(number);
  }
}

/* Signals of these kinds that a process sent have si_code <= 0. */
static void on_fault(int number, siginfo_t *info, void *context) {
  struct call *call = running;
  if (!call || info->si_code <= 0) {
    pass_on(number, info, context);
    return;
  }
  call->fault = (struct op2i_fault){number, info->si_addr};
  siglongjmp(call->back, 1);
}

void op2i_fault_catch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  /* The signal stays unblocked, as the handler does not return. */
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  op2i_process_lock();
  if (users++ == 0)
    for (int i = 0; i < SIGNALS; i++) (void)sigaction(signals[i], &action, &before[i]);
  op2i_process_unlock();
}

/* A handler that other code has set meanwhile stays. */
void op2i_fault_release(void) {
  struct sigaction now;
  op2i_process_lock();
  if (--users == 0)
    for (int i = 0; i < SIGNALS; i++)
      if (!sigaction(signals[i], NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
          now.sa_sigaction == on_fault)
        (void)sigaction(signals[i], &before[i], NULL);
  op2i_process_unlock();
}

bool op2i_fault_call(op2i_checked_fn entry, void *const *args, struct op2i_fault *fault) {
  struct call call;
  *fault = (struct op2i_fault){0};
  call.outer = running;
  if (sigsetjmp(call.back, 0)) {
    running = call.outer;
    *fault = call.fault;
    op2i_fp_reset(); /* the signal handler or the interrupted code may have changed it */
    return false;
  }
  running = &call;
  entry(args);
  running = call.outer;
  return true;
}
