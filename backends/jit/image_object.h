/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IMAGE_OBJECT_H
#define OP2I_IMAGE_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "file.h"

/* A shared object that is looked up: what image.c and image_tables.c share. */

enum {
  OP2I_IMAGE_TAGS = 40,
  OP2I_RELR_SIZE = 35,
  OP2I_RELR = 36,
  OP2I_RELR_EACH = 37
}; /* not in older headers */

struct op2i_image_object {
  struct op2i_bytes file;
  ElfW(Ehdr) header;
  uint64_t tag[OP2I_IMAGE_TAGS]; /* of the dynamic section, 0: not there */
  uint64_t gnu_hash, versym, verneed, verdef, nrelative;
  uint64_t nsymbols;
  uint64_t dynamic, dynamic_size; /* addresses of the dynamic section */
  uint64_t called;  /* relocations in the arrays of functions that are called: each place has one */
  bool writes_code; /* relocations may change what is not writable */
};

/* The loaded segment that holds these addresses and has the flags, -1 when there is none; `in_file`:
 * that holds them by bytes of the file. */
int op2i_image_find(const struct op2i_image_object *o, uint64_t address, uint64_t size,
                    unsigned flags, bool in_file);
/* The bytes of the file at an address, null when it has not so many there. */
const unsigned char *op2i_image_at(const struct op2i_image_object *o, uint64_t address,
                                   uint64_t size);
/* Whether up to 64 bytes are zeros. */
bool op2i_image_nothing(const void *bytes, size_t size);
/* Whether a function may begin at an address. */
bool op2i_image_code(const struct op2i_image_object *o, uint64_t address);
/* Whether there is a text at this place of the table of names; the table ends with a zero. */
bool op2i_image_name(const struct op2i_image_object *o, uint64_t offset);
/* Entry i of the dynamic section; false behind its end. */
bool op2i_image_dynamic(const struct op2i_image_object *o, uint64_t i, ElfW(Dyn) * entry);

/* image_tables.c: null, or what is wrong with the tables of symbols, versions and relocations. */
const char *op2i_image_tables_fault(struct op2i_image_object *o);

#endif
