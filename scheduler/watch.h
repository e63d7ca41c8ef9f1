/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_WATCH_H
#define OP2I_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

/* Puts something to sleep when nobody has been busy with it for a while. The thread sleeps itself
 * between deadlines. pause and resume are called with the lock held, one at a time, and
 * alternately. */
struct op2i_watch {
  void (*pause)(void);
  void (*resume)(void);
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  int64_t busy; /* users at work */
  bool paused, stop, armed;
  int64_t deadline; /* CLOCK_MONOTONIC nanoseconds, when armed */
};

/* Starts paused: pause has been called once. */
op2_status op2i_watch_start(struct op2i_watch *watch, void (*pause)(void), void (*resume)(void));
void op2i_watch_stop(struct op2i_watch *watch); /* leaves it resumed */
void op2i_watch_busy(struct op2i_watch *watch);
void op2i_watch_idle(struct op2i_watch *watch, int idle_ms);

#endif
