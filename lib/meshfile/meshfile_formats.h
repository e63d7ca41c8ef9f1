/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_FORMATS_H
#define OP2I_MESHFILE_FORMATS_H

/* Readers of file formats: they fill a mesh from a file that has been loaded. A failure is recorded in
 * `scan`, for readers of XML and HDF5 in that of the tree. */

#include "meshfile_raw.h"
#include "meshfile_scan.h"
#include "meshfile_tree.h"
#include "meshfile_xml.h"

bool op2i_gmsh_recognise(const struct op2i_scan *scan);
bool op2i_gmsh_read(struct op2i_scan *scan, struct op2i_raw *raw);

bool op2i_su2_recognise(const struct op2i_scan *scan);
bool op2i_su2_read(struct op2i_scan *scan, struct op2i_raw *raw);

bool op2i_vtu_read(const struct op2i_xml *xml, struct op2i_raw *raw); /* and .pvtu */
bool op2i_xdmf_read(const struct op2i_xml *xml, struct op2i_raw *raw);

bool op2i_exodus_recognise(struct op2i_tree *tree);
bool op2i_exodus_read(struct op2i_tree *tree, struct op2i_raw *raw);
bool op2i_exodus_classic_read(struct op2i_scan *scan, struct op2i_raw *raw);

bool op2i_cgns_recognise(struct op2i_tree *tree);
bool op2i_cgns_read(struct op2i_tree *tree, struct op2i_raw *raw);

#endif
