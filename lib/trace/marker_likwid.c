/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of LIKWID's marker interface, for likwid-perfctr -m. LIKWID counts events of the thread
 * that begins and ends a region, which is the calling thread here. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "process.h"
#include "tool_table.h"

enum { DEEPEST = 64, LONGEST = 100 };

static struct {
  void (*init)(void);
  void (*close)(void);
  int (*start)(const char *region);
  int (*stop)(const char *region);
} likwid;

/* The regions that are open: LIKWID asks for a region's name at its end, too. Those that are too
 * deep have none. */
static char open_regions[DEEPEST][LONGEST];
static int depth;

static bool find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol;
}

static const char *load(void) {
  void *library = op2i_process_load("liblikwid.so.5", RTLD_NOW | RTLD_GLOBAL);
  if (!library) library = op2i_process_load("liblikwid.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return "liblikwid.so is not here";
  if (!find(library, "likwid_markerInit", &likwid.init) ||
      !find(library, "likwid_markerClose", &likwid.close) ||
      !find(library, "likwid_markerStartRegion", &likwid.start) ||
      !find(library, "likwid_markerStopRegion", &likwid.stop)) {
    memset(&likwid, 0, sizeof likwid);
    return "liblikwid.so has no marker interface";
  }
  return NULL;
}

/* In the file that LIKWID writes, colons and blanks come between fields. */
static void push(const char *name) {
  if (depth++ >= DEEPEST) return;
  char *region = open_regions[depth - 1];
  snprintf(region, LONGEST, "%s", name);
  for (char *at = region; (at = strpbrk(at, ": \t\n")) != NULL;) *at = '_';
  likwid.start(region);
}

static void pop(void) {
  if (depth > 0 && --depth < DEEPEST) likwid.stop(open_regions[depth]);
}

static void begin(const char *name, uint32_t device, uint64_t *id) {
  (void)device, (void)id;
  push(name);
}

static void end(uint64_t id) {
  (void)id;
  pop();
}

/* LIKWID writes its file here. Another context that begins later has it write a new one. */
static void finalize(void) {
  while (depth) pop();
  likwid.close();
}

const char *op2i_marker_likwid(struct op2i_tool *tool) {
  const char *why = likwid.init ? NULL : load();
  if (why) return why;
  likwid.init();
  for (int k = 0; k < OP2I_TOOLS_KINDS; k++) tool->begin[k] = begin, tool->end[k] = end;
  tool->push = push;
  tool->pop = pop;
  tool->finalize = finalize;
  return NULL;
}
