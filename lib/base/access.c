/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of access modes. */
#include "access.h"

const struct op2i_access_mode op2i_access_modes[] = {
    {.name = "no access mode"},
#define ACCESS(name_, ...) [OP2_##name_] = {.name = "OP2_" #name_, __VA_ARGS__},
#include "access.def"
#undef ACCESS
};
