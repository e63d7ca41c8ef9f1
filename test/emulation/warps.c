/* SPDX-License-Identifier: BSD-3-Clause */
/* What warps ask of memory at once, if OP2_TEST_EMULATION has warps=1. Threads run one after the other here:
 * accesses of a warp belong together if they come from the same place in the code, the nth time in each
 * thread since the last barrier. Shared memory has 32 banks of 4 bytes, which serve a warp, or half of it
 * for 8 bytes, or a quarter for 16; words that several threads ask for count once. The device's memory
 * moves sectors of 32 bytes. At its end the program says of each function how many words it asked of a bank
 * at once at most, how many sectors of memory, and how many these would be if nothing else were in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "emulation.h"

enum { WARP = 32, BANKS = 32, SECTOR = 32, THREADS = 1024, FUNCTIONS = 512, SLOTS = 1 << 15 };

struct record {
  const void *from;
  uintptr_t at;
  unsigned bytes;
  bool shared;
};

/* The records of a thread since the last barrier. */
static struct list {
  struct record *records;
  int count, capacity;
} lists[THREADS];

/* What the threads of a warp do together. */
struct together {
  const void *from;
  int nth, stamp, n;
  struct record of[WARP];
};

struct figures {
  char name[128];
  int shared; /* the most words of a bank */
  long long sectors, least;
};

static struct together *slots; /* [SLOTS] by place and number */
static int *filled;            /* [SLOTS] the slots that are in use */
static int nfilled, stamp;
static struct count {
  const void *from;
  int stamp, n;
} counts[SLOTS]; /* of a thread, by place */
static struct figures all[FUNCTIONS];
static int nall;

bool emulation_warps(void) { return emulation_setting("warps", 0) != 0; }

static void report(void) {
  for (int i = 0; i < nall; i++)
    fprintf(stderr, "# warps: %s: %d words of a bank, %lld sectors, %lld at least\n", all[i].name,
            all[i].shared, all[i].sectors, all[i].least);
}

void emulation_warps_note(unsigned thread, const void *from, uintptr_t at, unsigned long bytes,
                          bool shared) {
  struct list *list = &lists[thread];
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 256;
    list->records = realloc(list->records, (size_t)list->capacity * sizeof *list->records);
    if (!list->records) abort();
  }
  list->records[list->count++] = (struct record){from, at, (unsigned)bytes, shared};
}

static unsigned hash(const void *from, int nth) {
  uintptr_t h = ((uintptr_t)from * 0x9e3779b97f4a7c15u) ^ ((uintptr_t)nth * 0xc2b2ae3d27d4eb4fu);
  return (unsigned)(h >> 40) % SLOTS;
}

/* How often the thread has come by this place. */
static int number(const void *from, int lane) {
  unsigned h = hash(from, 0);
  while (counts[h].stamp == lane && counts[h].from != from) h = (h + 1) % SLOTS;
  if (counts[h].stamp != lane) counts[h] = (struct count){from, lane, 0};
  return counts[h].n++;
}

static struct together *slot(const void *from, int nth) {
  unsigned h = hash(from, nth);
  while (slots[h].stamp == stamp && (slots[h].from != from || slots[h].nth != nth))
    h = (h + 1) % SLOTS;
  if (slots[h].stamp != stamp) {
    if (nfilled > SLOTS / 2) return NULL;
    slots[h].from = from;
    slots[h].nth = nth;
    slots[h].stamp = stamp;
    slots[h].n = 0;
    filled[nfilled++] = (int)h;
  }
  return &slots[h];
}

/* The most different words of a bank that `n` threads ask for. */
static int words_of_a_bank(const struct record *of, int n) {
  int seen[BANKS] = {0}, worst = 0;
  uintptr_t words[BANKS][4 * WARP];
  for (int i = 0; i < n; i++)
    for (uintptr_t word = of[i].at / 4; word <= (of[i].at + of[i].bytes - 1) / 4; word++) {
      const int bank = (int)(word % BANKS);
      int k = 0;
      while (k < seen[bank] && words[bank][k] != word) k++;
      if (k == seen[bank]) words[bank][seen[bank]++] = word;
      if (seen[bank] > worst) worst = seen[bank];
    }
  return worst;
}

static int compare(const void *a, const void *b) {
  const uintptr_t one = ((const struct record *)a)->at, other = ((const struct record *)b)->at;
  return (one > other) - (one < other);
}

/* Sectors that a warp's accesses touch, and the bytes of these that it asks for. */
static void count_sectors(struct together *t, struct figures *f) {
  uintptr_t behind = 0, last = 0;
  long long bytes = 0;
  qsort(t->of, (size_t)t->n, sizeof *t->of, compare);
  for (int i = 0; i < t->n; i++) {
    const uintptr_t begin = t->of[i].at > behind ? t->of[i].at : behind,
                    end = t->of[i].at + t->of[i].bytes;
    if (end > begin) bytes += (long long)(end - begin);
    if (end > behind) behind = end;
    for (uintptr_t sector = t->of[i].at / SECTOR + 1; sector <= (end - 1) / SECTOR + 1; sector++) {
      f->sectors += sector > last;
      if (sector > last) last = sector;
    }
  }
  f->least += (bytes + SECTOR - 1) / SECTOR;
}

static struct figures *figures_of(const char *kernel, const char *function) {
  char name[128];
  int i = 0;
  snprintf(name, sizeof name, "%s %s", kernel, function);
  while (i < nall && strcmp(all[i].name, name) != 0) i++;
  if (i == FUNCTIONS) return NULL;
  if (nall == 0) atexit(report);
  if (i == nall) snprintf(all[nall++].name, sizeof all->name, "%s", name);
  return &all[i];
}

bool op2_emulation_warps(const char *name, int *words, long long *sectors, long long *least) {
  for (int i = 0; i < nall; i++)
    if (strcmp(all[i].name, name) == 0) {
      *words = all[i].shared;
      *sectors = all[i].sectors;
      *least = all[i].least;
      return true;
    }
  return false;
}

static void judge(struct together *t, struct figures *f) {
  if (!t->of[0].shared) {
    count_sectors(t, f);
    return;
  }
  const int at_once = t->of[0].bytes > 8 ? 8 : t->of[0].bytes > 4 ? 16 : WARP;
  for (int i = 0; i < t->n; i += at_once) {
    const int words = words_of_a_bank(t->of + i, t->n - i < at_once ? t->n - i : at_once);
    if (words > f->shared) f->shared = words;
  }
}

static void one_warp(unsigned first, struct figures *f) {
  stamp++;
  nfilled = 0;
  for (unsigned lane = 0; lane < WARP; lane++) {
    struct list *list = &lists[first + lane];
    static int lanes;
    lanes++;
    for (int i = 0; i < list->count; i++) {
      const struct record *r = &list->records[i];
      struct together *t = slot(r->from, number(r->from, lanes));
      if (t) t->of[t->n++] = *r;
    }
    list->count = 0;
  }
  for (int i = 0; i < nfilled; i++) judge(&slots[filled[i]], f);
}

void emulation_warps_judge(const char *kernel, const char *function, unsigned threads) {
  struct figures *f = figures_of(kernel, function);
  if (!slots) slots = calloc(SLOTS, sizeof *slots);
  if (!filled) filled = calloc(SLOTS, sizeof *filled);
  if (!slots || !filled || !f) abort();
  for (unsigned first = 0; first < threads; first += WARP) one_warp(first, f);
}
