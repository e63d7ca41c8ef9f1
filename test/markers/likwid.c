/* SPDX-License-Identifier: BSD-3-Clause */
/* LIKWID's marker interface, with the name of its library. */
#include "record.h"

void likwid_markerInit(void);
void likwid_markerClose(void);
int likwid_markerStartRegion(const char *region);
int likwid_markerStopRegion(const char *region);

void likwid_markerInit(void) { record("init", ""); }
void likwid_markerClose(void) { record("close", ""); }

int likwid_markerStartRegion(const char *region) {
  record("push", region);
  return 0;
}

int likwid_markerStopRegion(const char *region) {
  record("pop", region);
  return 0;
}
