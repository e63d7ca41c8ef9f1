/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include <time.h>

#include "clock.h"
#include "error.h"

static void *watch_main(void *argument) {
  struct op2i_watch *watch = argument;
  pthread_mutex_lock(&watch->lock);
  while (!watch->stop) {
    if (!watch->armed) {
      pthread_cond_wait(&watch->changed, &watch->lock);
    } else if (op2i_nanoseconds() >= watch->deadline) {
      watch->armed = false;
      watch->paused = true;
      watch->pause();
    } else {
      struct timespec until = {.tv_sec = (time_t)(watch->deadline / 1000000000),
                               .tv_nsec = (long)(watch->deadline % 1000000000)};
      pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
    }
  }
  pthread_mutex_unlock(&watch->lock);
  return NULL;
}

op2_status op2i_watch_start(struct op2i_watch *watch, void (*pause)(void), void (*resume)(void)) {
  pthread_condattr_t attributes;
  *watch = (struct op2i_watch){.pause = pause, .resume = resume, .paused = true};
  pthread_mutex_init(&watch->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&watch->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  pause();
  if (!pthread_create(&watch->thread, NULL, watch_main, watch)) return OP2_SUCCESS;
  resume();
  pthread_cond_destroy(&watch->changed);
  pthread_mutex_destroy(&watch->lock);
  return op2i_error(OP2_ERR_NOMEM, "a thread to watch over idle workers could not be started");
}

void op2i_watch_stop(struct op2i_watch *watch) {
  pthread_mutex_lock(&watch->lock);
  watch->stop = true;
  pthread_cond_signal(&watch->changed);
  pthread_mutex_unlock(&watch->lock);
  pthread_join(watch->thread, NULL);
  if (watch->paused) watch->resume();
  pthread_cond_destroy(&watch->changed);
  pthread_mutex_destroy(&watch->lock);
}

void op2i_watch_busy(struct op2i_watch *watch) {
  pthread_mutex_lock(&watch->lock);
  watch->busy++;
  watch->armed = false;
  if (watch->paused) {
    watch->paused = false;
    watch->resume();
  }
  pthread_mutex_unlock(&watch->lock);
}

void op2i_watch_idle(struct op2i_watch *watch, int idle_ms) {
  pthread_mutex_lock(&watch->lock);
  if (--watch->busy == 0) {
    /* The thread looks again when its old deadline passes, so it need not be woken if it has one
     * that is earlier. */
    watch->deadline = op2i_nanoseconds() + (int64_t)idle_ms * 1000000;
    watch->armed = true;
    pthread_cond_signal(&watch->changed);
  }
  pthread_mutex_unlock(&watch->lock);
}
