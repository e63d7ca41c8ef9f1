/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOAD_H
#define OP2I_LOAD_H

#include "file.h"
#include "folder.h"
#include "text.h"

/* Load a shared object from memory: what was verified is what runs, whoever writes to files
 * meanwhile. The kernel gets it as a file without a place in any folder, named op2-NAME in
 * /proc/PID/maps; where it has no such files, or no /proc to open them by, as a file in the scratch
 * folder that is removed at once, or in the folder `last`, which may be null. *handle is null when
 * it does not load, and `why` says why; *refused then tells whether the object was at fault, rather
 * than a lack of descriptors, memory or places. Fails only for lack of memory. */
op2_status op2i_load(struct op2i_bytes image, const char *name, struct op2i_scratch *scratch,
                     const char *last, void **handle, bool *refused, struct op2i_text *why);

#endif
