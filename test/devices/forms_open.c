/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms that do not have their outcome yet, on each device. The lists are to become empty. */
#include "forms.h"

#include <stddef.h>

const char *const forms_open_cuda[] = {"literal_outside",
                                       "jump_over_a_value",
                                       "signed_overflow",
                                       "more_signed_overflow",
                                       "macros_of_many_kinds",
                                       "any_type",
                                       NULL};
const char *const forms_open_opencl[] = {"literal_outside",
                                         "bit_fields",
                                         "table_to_a_helper",
                                         "table_of_rows_to_a_helper",
                                         "choice_of_tables",
                                         "table_of_structs",
                                         "table_by_two_helpers",
                                         "table_that_is_not_const",
                                         "number_at_file_scope",
                                         "text_to_a_helper",
                                         "macros_of_many_kinds",
                                         "texts",
                                         "any_type",
                                         NULL};
