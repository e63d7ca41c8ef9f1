/* SPDX-License-Identifier: BSD-3-Clause */
/* The message of a thread's last error, and the names of status codes. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[OP2I_MESSAGE_MAX];

static _Thread_local struct op2i_error_details details = {.argument = -1};

op2_status op2i_error(op2_status status, const char *format, ...) {
  /* A second buffer is needed, since an argument may be the present message. */
  static _Thread_local char fresh[OP2I_MESSAGE_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(fresh, sizeof fresh, format, args);
  va_end(args);
  snprintf(message, sizeof message, "%s", fresh);
  details = (struct op2i_error_details){.status = status, .argument = -1};
  return status;
}

op2_status op2i_error_at(op2_status status, const char *file, int line, int argument,
                         const char *object) {
  if (!status) return status;
  details.file = file;
  details.line = line;
  details.argument = argument;
  snprintf(details.object, sizeof details.object, "%s", object ? object : "");
  return status;
}

op2_status op2i_error_nomem(const char *what) {
  return op2i_error(OP2_ERR_NOMEM, "out of memory for %s", what);
}

void op2i_error_keep(struct op2i_error_kept *kept) {
  snprintf(kept->message, sizeof kept->message, "%s", message);
  kept->details = details;
}

void op2i_error_restore(const struct op2i_error_kept *kept) {
  snprintf(message, sizeof message, "%s", kept->message);
  details = kept->details;
}

const char *op2_error_message(void) { return message; }

void op2_error_get(op2_error *error) {
  if (!error) return;
  *error = (op2_error){.message = message,
                       .object = *details.object ? details.object : NULL,
                       .file = details.file,
                       .line = details.line,
                       .argument = details.argument,
                       .status = details.status};
}

const char *op2_status_name(op2_status status) {
  switch (status) {
  case OP2_SUCCESS: return "OP2_SUCCESS";
  case OP2_ERR_ARG: return "OP2_ERR_ARG";
  case OP2_ERR_STATE: return "OP2_ERR_STATE";
  case OP2_ERR_NOMEM: return "OP2_ERR_NOMEM";
  case OP2_ERR_RANGE: return "OP2_ERR_RANGE";
  case OP2_ERR_MISMATCH: return "OP2_ERR_MISMATCH";
  case OP2_ERR_ACCESS: return "OP2_ERR_ACCESS";
  case OP2_ERR_TYPE: return "OP2_ERR_TYPE";
  case OP2_ERR_ARITY: return "OP2_ERR_ARITY";
  case OP2_ERR_NAME: return "OP2_ERR_NAME";
  case OP2_ERR_SYNTAX: return "OP2_ERR_SYNTAX";
  case OP2_ERR_OPTION: return "OP2_ERR_OPTION";
  case OP2_ERR_UNAVAILABLE: return "OP2_ERR_UNAVAILABLE";
  case OP2_ERR_IO: return "OP2_ERR_IO";
  case OP2_ERR_COMPILE: return "OP2_ERR_COMPILE";
  case OP2_ERR_KERNEL: return "OP2_ERR_KERNEL";
  case OP2_ERR_CALL: return "OP2_ERR_CALL";
  case OP2_ERR_DIVERGED: return "OP2_ERR_DIVERGED";
  case OP2_ERR_FATAL: return "OP2_ERR_FATAL";
  }
  return "OP2_ERR_?";
}
