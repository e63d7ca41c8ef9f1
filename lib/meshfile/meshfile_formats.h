/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_FORMATS_H
#define OP2I_MESHFILE_FORMATS_H

/* Readers of file formats: they fill a mesh from a file that has been loaded. A failure is recorded in
 * `scan`. Formats that come as trees, or as variables, have headers of their own. */

#include "meshfile_raw.h"
#include "meshfile_scan.h"

bool op2i_gmsh_recognise(const struct op2i_scan *scan);
bool op2i_gmsh_read(struct op2i_scan *scan, struct op2i_raw *raw);

bool op2i_su2_recognise(const struct op2i_scan *scan);
bool op2i_su2_read(struct op2i_scan *scan, struct op2i_raw *raw);

#endif
