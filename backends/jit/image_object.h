/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IMAGE_OBJECT_H
#define OP2I_IMAGE_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "file.h"

/* A shared object that is being checked; shared by image.c and image_tables.c. */

enum {
  OP2I_IMAGE_TAGS = 40,
  OP2I_RELR_SIZE = 35,
  OP2I_RELR = 36,
  OP2I_RELR_EACH = 37
}; /* not in older headers */

struct op2i_image_object {
  struct op2i_bytes file;
  ElfW(Ehdr) header;
  uint64_t tag[OP2I_IMAGE_TAGS]; /* values of the dynamic section, 0: not there */
  uint64_t gnu_hash, versym, verneed, verdef, nrelative;
  uint64_t nsymbols;
  uint64_t dynamic, dynamic_size; /* address and size of the dynamic section */
  uint64_t called;  /* relocations in the arrays of called functions: each element has one */
  bool writes_code; /* True if relocations may change memory that is not writable */
};

/* Return the loaded segment that holds these addresses and has the flags, or -1; with `in_file` it
 * must hold them with bytes of the file. */
int op2i_image_find(const struct op2i_image_object *o, uint64_t address, uint64_t size,
                    unsigned flags, bool in_file);
/* Return the bytes of the file at an address, or null if it has fewer bytes there. */
const unsigned char *op2i_image_at(const struct op2i_image_object *o, uint64_t address,
                                   uint64_t size);
/* True if up to 64 bytes are zeros. */
bool op2i_image_nothing(const void *bytes, size_t size);
/* True if a function may begin at an address. */
bool op2i_image_code(const struct op2i_image_object *o, uint64_t address);
/* True if the offset is inside the table of names; the table ends with a zero. */
bool op2i_image_name(const struct op2i_image_object *o, uint64_t offset);
/* Get entry i of the dynamic section; returns false past its end. */
bool op2i_image_dynamic(const struct op2i_image_object *o, uint64_t i, ElfW(Dyn) * entry);

/* image_tables.c: return null, or what is wrong with the tables of symbols, versions and
 * relocations. */
const char *op2i_image_tables_fault(struct op2i_image_object *o);

#endif
