/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOAD_H
#define OP2I_LOAD_H

#include "file.h"
#include "folder.h"
#include "text.h"

/* Load a shared object from memory, so that the code that runs is the code that was verified, even
 * if files are written meanwhile. The kernel gets it as a memory file without a name in any folder,
 * which appears as op2-NAME in /proc/PID/maps. If the system has no such files, or no /proc to open
 * them, it is a file in the scratch folder that is removed at once, or in the folder `last`, which
 * may be null. If it cannot be loaded, *handle is null, `why` is the reason, and *refused is true
 * if the object was at fault rather than a lack of descriptors, memory or folders. Fails only for
 * lack of memory. */
op2_status op2i_load(struct op2i_bytes image, const char *name, struct op2i_scratch *scratch,
                     const char *last, void **handle, bool *refused, struct op2i_text *why);

/* Have the system make the process's table of descriptors as long as loading needs it. With one
 * thread that takes a microsecond; once there are more the system waits for all processors, several
 * milliseconds. Does nothing if there are more. */
void op2i_load_prepare(void);

#endif
