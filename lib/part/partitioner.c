/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of partitioners. */
#include "partitioner.h"

#include <pthread.h>

enum { MOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct op2i_partitioner *offered[MOST] = {&op2i_partitioner_scotch};
static int noffered = 1;

void op2i_partitioner_offer(const struct op2i_partitioner *partitioner) {
  bool known = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < noffered; i++) known |= offered[i] == partitioner;
  if (!known && noffered < MOST) offered[noffered++] = partitioner;
  pthread_mutex_unlock(&lock);
}

const struct op2i_partitioner *op2i_partitioner_find(const struct op2i_comm *comm,
                                                     const char **why) {
  const struct op2i_partitioner *found = NULL;
  pthread_mutex_lock(&lock);
  for (int i = noffered - 1; i >= 0 && !found; i--) {
    *why = offered[i]->unavailable(comm);
    if (!*why) found = offered[i];
  }
  pthread_mutex_unlock(&lock);
  return found;
}
