/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VARIABLES_H
#define OP2I_VARIABLES_H

/* The table of environment variables, for code that reads those of the library. */

#include <stdbool.h>
#include <stddef.h>

#include "env.h"

enum op2i_variable_id {
#define TEXT(id_, ...)   OP2I_ENV_##id_,
#define FLAG(id_, ...)   OP2I_ENV_##id_,
#define NUMBER(id_, ...) OP2I_ENV_##id_,
#include "options.def"
  OP2I_ENV_COUNT
};

enum op2i_variable_type { OP2I_TEXT_VARIABLE, OP2I_BOOLEAN_VARIABLE, OP2I_NUMBER_VARIABLE };

struct op2i_variable {
  const char *name;
  enum op2i_variable_type type;
  int fallback, least, most; /* default, least and largest value of a number */
  const char *shown;         /* default as it is printed */
  const char *help;
  size_t field, by;   /* offsets in op2i_config: of the value, and of who set a text */
  size_t option;      /* 1 + offset in op2_options; 0: programs set it by the environment alone */
  const char *called; /* what it is called in op2_options */
  bool same;          /* all ranks have to agree on it */
};
extern const struct op2i_variable op2i_variables[OP2I_ENV_COUNT];

/* The value of the variable; null if it is not set, empty or ignored. */
const char *op2i_env_text(enum op2i_variable_id id);
/* The same as a number, or its default. */
op2_status op2i_env_int(enum op2i_variable_id id, int *value);

#endif
