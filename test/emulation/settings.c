/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "emulation.h"

int64_t emulation_setting(const char *name, int64_t otherwise) {
  const char *at = getenv("OP2_TEST_EMULATION");
  size_t length = strlen(name);
  while (at && *at) {
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      return strtoll(at + length + 1, NULL, 0);
    at = strchr(at, ',');
    if (at) at++;
  }
  return otherwise;
}

bool emulation_checks(void) { return emulation_setting("check", 1) != 0; }
