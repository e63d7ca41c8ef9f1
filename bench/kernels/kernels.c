/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's kernels beside twins by hand, in turn in one run. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option.h"
#include "table.h"

static const yardstick *const yardsticks[] = {
#define KERNEL(name) &yardstick_##name,
#include "kernels.def"
#undef KERNEL
    NULL,
};

static const option table[] = {
    {"--kernels", "NAME,...", "which (default all)", PROGRAM_COMPARES, option_text,
     offsetof(settings, kernels)},
    {"--sizes", "N,...", "elements (default 2200,10000,100000,1000000,4000000)", PROGRAM_COMPARES,
     option_text, offsetof(settings, sizes)},
    {"--rounds", "N", "measurements of each (default 21)", PROGRAM_COMPARES, option_positive,
     offsetof(settings, rounds)},
    {"--least", "MS", "milliseconds that a measurement takes at least (default 5)",
     PROGRAM_COMPARES, option_real, offsetof(settings, least)},
    {"--stream", "MB", "size of the array for the memory's bandwidth; 0: none (default 512)",
     PROGRAM_COMPARES, option_count, offsetof(settings, stream)},
    {"--all", "", "a line for each twin, in place of the best one", PROGRAM_COMPARES, option_flag,
     offsetof(settings, all)},
    {"--untried", "", "measure before trials of scalar code have ended", PROGRAM_COMPARES,
     option_flag, offsetof(settings, untried)},
    {"--spoil", "", "change a value of each twin's result, to see that this is noticed",
     PROGRAM_COMPARES, option_flag, offsetof(settings, spoil)},
    {"--list", "", "print the names of the kernels, and exit", PROGRAM_COMPARES, option_flag,
     offsetof(settings, list)},
    {0},
};

/* True if a text of words with commas between them has this word. */
static bool has_word(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = words; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strcspn(at, ",") == length && !memcmp(at, word, length)) return true;
  return false;
}

static bool known(const char *word, size_t length) {
  for (int k = 0; yardsticks[k]; k++)
    if (strlen(yardsticks[k]->name) == length && !memcmp(yardsticks[k]->name, word, length))
      return true;
  return false;
}

/* Returns false after reporting a name that is none of a kernel. */
static bool check_names(const char *words) {
  for (const char *at = words; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (!known(at, strcspn(at, ","))) {
      fprintf(stderr, "kernels: there is no kernel %.*s (--list has them)\n", (int)strcspn(at, ","),
              at);
      return false;
    }
  return true;
}

/* Read the sizes, from 1 on; returns their number, or 0 after reporting a wrong one. */
static int read_sizes(const char *text, int64_t *sizes) {
  int n = 0;
  for (const char *at = text; at; n++) {
    char *end;
    const long long size = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
    if (size < 1 || size > 100000000 || (*end && *end != ',') || n == MOST_SIZES) {
      fprintf(stderr, "kernels: --sizes %s: expected at most %d numbers from 1 to 100000000\n",
              text, MOST_SIZES);
      return 0;
    }
    sizes[n] = size;
    at = *end ? end + 1 : NULL;
  }
  return n;
}

static void list(void) {
  for (int k = 0; yardsticks[k]; k++)
    printf("%-16s %s\n", yardsticks[k]->name, yardsticks[k]->what);
}

static int64_t size_of(const yardstick *y, int64_t wanted) {
  return y->limit && wanted > y->limit ? y->limit : wanted;
}

/* Run a kernel at all sizes, of which those above its limit become one. */
static bool run_sizes(const settings *o, const machine *m, const yardstick *y, counts *c) {
  int64_t before = 0;
  for (int k = 0; k < o->nsize; k++) {
    const int64_t size = size_of(y, o->size[k]);
    if (size == before) continue;
    before = size;
    if (!table_lines(o, m, y, size, c)) return false;
  }
  return true;
}

static bool run(const settings *o, const machine *m, counts *c) {
  table_head(o, m);
  for (int k = 0; yardsticks[k]; k++)
    if (!o->kernels || has_word(o->kernels, yardsticks[k]->name))
      if (!run_sizes(o, m, yardsticks[k], c)) return false;
  table_foot(c);
  return true;
}

int main(int argc, char **argv) {
  settings o = {
      .sizes = "2200,10000,100000,1000000,4000000", .rounds = 21, .least = 5, .stream = 512};
  const int status = option_parse(argc, argv, PROGRAM_COMPARES, table, &o, &o.run);
  if (status >= 0) return status;
  if (o.list) {
    list();
    return 0;
  }
  o.nsize = read_sizes(o.sizes, o.size);
  if (!o.nsize || !check_names(o.kernels)) return 2;
  if (o.rounds > MOST_ROUNDS) o.rounds = MOST_ROUNDS;
  machine m = {0};
  counts c = {0};
  const bool right = machine_start(&m, &o) && run(&o, &m, &c);
  return machine_end(&m) && right && !c.different ? 0 : 1;
}
