/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms that do not have their outcome yet, on each device. The lists are to become empty. */
#include "forms.h"

#include <stddef.h>

const char *const forms_open_cuda[] = {
    "literal_of_struct", "literal_of_array", "address_of_literal", "assigned_literal",
    "literal_in_a_loop", "literal_in_a_macro", "literal_in_a_literal", "returned_literal",
    "literal_of_union", "literal_by_choice", "literal_of_number", "literal_outside",
    "selection", "selection_of_values", "type_of_value", "type_of_array",
    "statement_in_an_expression", "choice_without_middle", "range_of_cases", "sizes", "hints",
    "jump_over_a_value", "designated_array", "designated_struct", "designated_parts",
    "designated_range", "designated_table", "old_initializers", "parameters", "storage",
    "alignment", "assigned_enum", "signs_of_enums", "enums_inside", "pointers_to_void",
    "more_pointers_to_void", "signed_overflow", "more_signed_overflow", "conditionals",
    "macros_of_many_kinds", "cxx_8", "cxx_9", "cxx_members_3", "cxx_outside_3", "cuda_1",
    "cuda_members", "cuda_outside_1", "cuda_outside_2", "cuda_outside_3", "opencl_members_2",
    "opencl_outside_1", "opencl_outside_4", "c_outside_1", "limits", "reals",
    "macros_as_values", "whole_numbers", "texts", "offsets", "words_for_operators",
    "headers_of_others", "any_type", "numbers_beyond_double", NULL};
const char *const forms_open_opencl[] = {
    "literal_of_array", "address_of_literal", "literal_in_a_loop", "literal_by_choice",
    "literal_outside", "selection", "type_of_value", "type_of_array", "choice_without_middle",
    "storage", "bit_fields", "table_to_a_helper", "table_of_rows_to_a_helper",
    "choice_of_tables", "table_of_structs", "table_by_two_helpers", "table_that_is_not_const",
    "number_at_file_scope", "text_to_a_helper", "table_of_no_numbers", "macros_of_many_kinds",
    "cxx_9", "cxx_members_3", "cxx_outside_3", "cuda_outside_1", "cuda_outside_2",
    "cuda_outside_3", "opencl_3", "opencl_4", "opencl_8", "opencl_outside_1",
    "opencl_outside_2", "opencl_outside_4", "c_outside_1", "c_outside_3", "limits", "reals",
    "macros_as_values", "whole_numbers", "classes", "bytes", "texts", "structs_as_bytes",
    "offsets", "words_for_operators", "headers_of_others", "assertion", "any_type",
    "numbers_beyond_double", NULL};
