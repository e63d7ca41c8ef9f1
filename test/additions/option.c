/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses the option that option.patch adds, OP2_PATIENCE: it is listed, read and checked. */
#include <op2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char listed[65536] = "";
  op2_context ctx = NULL;
  FILE *stream = fmemopen(listed, sizeof listed, "w");
  if (!stream || op2_environment_write(stream) || fclose(stream)) return 1;
  if (!strstr(listed, "OP2_PATIENCE")) return 2;
  setenv("OP2_PATIENCE", "91", 1);
  if (op2_init(NULL, &ctx) != OP2_ERR_OPTION) return 3;
  if (!strstr(op2_error_message(), "OP2_PATIENCE is '91'")) return 4;
  setenv("OP2_PATIENCE", "90", 1);
  if (op2_init(NULL, &ctx)) return 5;
  return op2_finalize(&ctx) ? 6 : 0;
}
