/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_VERSION_H
#define OP2_VERSION_H

/** @file version.h
 * The version of the interface these headers describe. The build reads this file: the shared
 * library's SONAME carries OP2_VERSION_MAJOR, the package version is MAJOR.MINOR.PATCH, and nothing
 * else states it. A change that breaks callers raises MAJOR; an addition raises MINOR. */
#define OP2_VERSION_MAJOR 1 /**< changes that break callers */
#define OP2_VERSION_MINOR 0 /**< additions */
#define OP2_VERSION_PATCH 0 /**< corrections */

#endif
