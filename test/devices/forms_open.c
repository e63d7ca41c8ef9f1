/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms that do not have their outcome yet, on each device. The lists are to become empty. */
#include "forms.h"

#include <stddef.h>

const char *const forms_open_cuda[] = {"literal_outside", "jump_over_a_value",
                                       "macros_of_many_kinds", NULL};
const char *const forms_open_opencl[] = {"literal_outside",      "bit_fields",
                                         "choice_of_tables",     "table_that_is_not_const",
                                         "macros_of_many_kinds", NULL};
