/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_XDMF_H
#define OP2I_XDMF_H

/* Reading of XDMF files: XML that says what is where, and numbers in it, in files of HDF5 or in others; and
 * the topology of one that is written. */

#include "meshfile.h"
#include "meshfile_raw.h"
#include "meshfile_xml.h"

bool op2i_xdmf_read(const struct op2i_xml *xml, struct op2i_raw *raw); /* xdmf.c */

/* xdmf_data.c: read the numbers of a DataItem into an array that is made, which the caller frees: of int64_t,
 * or of double if `real`. *n is how many there are. */
bool op2i_xdmf_data(const struct op2i_xml *xml, const struct op2i_xml_element *item, bool real,
                    int64_t *n, void **out);

/* xdmf_topology.c: the kinds of elements. `vtk` is VTK's number; the order of nodes is VTK's. */
struct op2i_xdmf_kind {
  const char *name, *other_name; /* of topologies of this kind alone */
  int mixed;                     /* its number in topologies of several kinds */
  int vtk, nodes;
  bool counted; /* there, the number of nodes comes next */
};
/* Kinds by name, in upper or lower case, and by number, with as many nodes unless that is 0; null: it is not
 * known. */
const struct op2i_xdmf_kind *op2i_xdmf_kind_named(const char *name, int64_t nodes);
const struct op2i_xdmf_kind *op2i_xdmf_kind_mixed(int64_t number, int64_t nodes);
/* The cells of this rank's share as a topology of several kinds, in an array that is made, which the caller
 * frees. */
op2_status op2i_xdmf_mixed(op2_mesh mesh, int64_t *n, int64_t **out);

#endif
