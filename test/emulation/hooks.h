/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_EMULATION_HOOKS_H
#define OP2_EMULATION_HOOKS_H

/* What compiled device code and the emulated driver know of each other. Read by C and by device.hpp, which
 * has no headers: types are the language's own. */

struct op2_emulation_place {
  unsigned x, y, z;
};

enum op2_emulation_access { OP2_EMULATION_READ, OP2_EMULATION_WRITE, OP2_EMULATION_ATOMIC };

/* Of the thread that runs now; and what is called for each access to memory, and at barriers. */
struct op2_emulation {
  struct op2_emulation_place thread, block, threads, blocks;
  /* `from`: where in the code; null: it does not matter */
  void (*access)(const void *at, unsigned long bytes, int kind, const void *from);
  void (*misaligned)(const void *at);
  void (*barrier)(int line);
  void (*fence)(void); /* of all threads of the device */
};

/* A function that can be launched; a table of them ends with a null name. */
struct op2_emulation_entry {
  const char *name;
  const char *parameters; /* their names, each followed by a blank */
  int nparameters;
  const unsigned *bytes; /* of each */
  int threads_max;       /* as it declares, or 0 */
  void (*call)(void **parameters);
};

/* What a module exports besides: memory that a block shares. */
struct op2_emulation_shared {
  unsigned char *dynamic; /* what `extern __shared__` means */
  unsigned long dynamic_bytes;
  unsigned char *fixed, *fixed_end;
};

#endif
