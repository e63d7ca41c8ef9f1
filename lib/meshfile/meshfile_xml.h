/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_XML_H
#define OP2I_MESHFILE_XML_H

/* The elements of an XML file as a tree. Expat reads the file; entities and defaults of attributes that
 * a file declares are refused, since a small file can grow without limit by them. */

#include "meshfile_scan.h"

struct op2i_xml_element {
  struct op2i_xml_element *parent, *child, *last, *next; /* the first and the last child */
  struct op2i_xml_element *before;                       /* all elements, the latest first */
  const char *name;
  const char **attribute; /* name, value, name, value, ..., null */
  const char *text;       /* behind the start tag, in the file: the content begins here */
};

struct op2i_xml {
  struct op2i_scan *scan;
  struct op2i_xml_element *root;
  struct op2i_xml_element *latest;
  const char *stop; /* Elements of this name end the tree: binary data follow. Null: none do. */
};

/* True if the file begins as XML does. */
bool op2i_xml_recognise(const struct op2i_scan *scan);
/* Read all elements, up to and with the first that is named `stop`. A failure is recorded in `scan`;
 * op2i_xml_free() is called in any case. */
bool op2i_xml_read(struct op2i_xml *xml, struct op2i_scan *scan, const char *stop);
void op2i_xml_free(struct op2i_xml *xml);

/* The value of an attribute; null: there is none. */
const char *op2i_xml_attribute(const struct op2i_xml_element *element, const char *name);
/* The first child of this name, or the next element of this name after a child; null: there is none. */
struct op2i_xml_element *op2i_xml_child(const struct op2i_xml_element *element, const char *name);
struct op2i_xml_element *op2i_xml_next(const struct op2i_xml_element *element, const char *name);
/* The end of the text behind the start tag: the next tag, or the end of the file. */
const char *op2i_xml_text_end(const struct op2i_xml *xml, const struct op2i_xml_element *element);
/* Record a failure of this element, and return false. */
bool op2i_xml_fail(const struct op2i_xml *xml, const struct op2i_xml_element *element,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Read an attribute that is a number >= 0. */
bool op2i_xml_count(const struct op2i_xml *xml, const struct op2i_xml_element *element,
                    const char *name, int64_t *value);

#endif
