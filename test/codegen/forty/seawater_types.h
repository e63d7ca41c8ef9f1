/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of the ocean model. */
#pragma once

typedef double real;
enum { SALT = 1, TEMP = 0, NTRACERS = 2 };
