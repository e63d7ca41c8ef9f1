/* SPDX-License-Identifier: BSD-3-Clause */
/* The first touch of pages by threads on the nodes of those who will use them. */
#define _GNU_SOURCE
#include "numa.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "affinity.h"
#include "error.h"
#include "machine.h"
#include "mem.h"

void (*op2i_numa_watch)(int node, char *lo, char *hi);

int op2i_numa_node(int cpu) {
  const struct op2i_machine *machine = op2i_machine();
  for (int c = 0; c < machine->ncpus && machine->nodes > 0; c++)
    if (machine->system[c] == cpu) return machine->node[c];
  return -1;
}

/* The node of a member, or -1. */
static int node_of(int member, int cpu, bool forced) {
  const struct op2i_machine *machine = op2i_machine();
  const int node = cpu >= 0 ? op2i_numa_node(cpu) : -1;
  if (node >= 0 || !forced) return node;
  return machine->ncpus > 0 && machine->nodes > 0 ? machine->node[member % machine->ncpus] : 0;
}

op2_status op2i_numa_find(int members, const int *cpus, bool forced, struct op2i_numa **numa) {
  *numa = NULL;
  if (!forced && op2i_machine()->nodes < 2) return OP2_SUCCESS;
  struct op2i_numa *found = op2i_malloc(sizeof *found + (size_t)members * sizeof *found->node);
  if (!found) return op2i_error_nomem("the NUMA nodes of workers");
  bool known = true, several = forced;
  found->members = members;
  for (int m = 0; m < members; m++) {
    found->node[m] = node_of(m, cpus[m], forced);
    known = known && found->node[m] >= 0;
    several = several || found->node[m] != found->node[0];
  }
  if (known && several)
    *numa = found;
  else
    op2i_free(found);
  return OP2_SUCCESS;
}

/* ---- touching -------------------------------------------------------------------------------- */

struct touch {
  const struct op2i_numa *numa;
  char *data;
  size_t shared, bytes, page;
  int node;
};

static char *share_begin(const struct touch *t, int member) {
  const size_t members = (size_t)t->numa->members, m = (size_t)member;
  if (member == t->numa->members) return t->data + t->bytes;
  return t->data + t->shared / members * m + t->shared % members * m / members;
}

/* The first huge page that begins there or later, or the end of the data. */
static char *page_from(const struct touch *t, char *at) {
  char *page = at + (-(uintptr_t)at & (OP2I_HUGE_PAGE - 1)), *end = t->data + t->bytes;
  return page < end ? page : end;
}

/* The system need not use huge pages, so each smaller page is written to. */
static void touch_share(const struct touch *t, int member) {
  char *lo = page_from(t, share_begin(t, member)), *hi = page_from(t, share_begin(t, member + 1));
  if (lo >= hi) return;
  if (op2i_numa_watch) op2i_numa_watch(t->node, lo, hi);
  for (char *page = lo; page < hi; page += t->page) *(volatile char *)page = 0;
}

static void bind_to_node(int node) {
  const struct op2i_machine *machine = op2i_machine();
  int numbers[OP2I_CPUS_MAX], n = 0;
  for (int c = 0; c < machine->ncpus; c++)
    if (machine->node[c] == node) numbers[n++] = machine->system[c];
  if (n > 0) op2i_bind(numbers, n);
}

static void *touch_node(void *argument) {
  const struct touch *t = argument;
  bind_to_node(t->node);
  for (int m = 0; m < t->numa->members; m++)
    if (t->numa->node[m] == t->node) touch_share(t, m);
  return NULL;
}

/* Pages that the C library has had in use are given back to the system, so that the next write to
 * them is a first one. The last page may have other data behind. */
static void forget_pages(const struct touch *t) {
  (void)madvise(t->data, t->bytes / t->page * t->page, MADV_DONTNEED);
}

static bool has_node(const struct op2i_numa *numa, int node) {
  for (int m = 0; m < numa->members; m++)
    if (numa->node[m] == node) return true;
  return false;
}

/* The pages of a node whose thread cannot be made stay as they are. */
void op2i_numa_place(const struct op2i_numa *numa, void *data, size_t shared, size_t bytes) {
  enum { MOST_NODES = 64 };
  if (!numa || bytes < OP2I_NUMA_BYTES) return;
  struct touch touches[MOST_NODES];
  pthread_t threads[MOST_NODES];
  bool begun[MOST_NODES];
  const struct touch all = {.numa = numa,
                            .data = data,
                            .shared = shared,
                            .bytes = bytes,
                            .page = (size_t)sysconf(_SC_PAGESIZE)};
  forget_pages(&all);
  for (int n = 0; n < MOST_NODES; n++) {
    touches[n] = all;
    touches[n].node = n;
    begun[n] = has_node(numa, n) && !pthread_create(&threads[n], NULL, touch_node, &touches[n]);
  }
  for (int n = 0; n < MOST_NODES; n++)
    if (begun[n]) pthread_join(threads[n], NULL);
}
