/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROCESS_H
#define OP2I_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "op2/types.h"

/* What the library knows of its process: the contexts that live in it, and whether it is a forked
 * child. Any thread may call these. */

/* Contexts begin one after the other: StarPU and hwloc are started by the first that needs them. */
void op2i_process_begin_context(void);
void op2i_process_context_begun(void);

/* For a few instructions on what all threads share. fork() waits for whoever is at them: in a child
 * nobody else would ever unlock. */
void op2i_process_lock(void);
void op2i_process_unlock(void);

/* dlopen and dlclose, for which fork() waits as well: a child would find the loader's own locks taken
 * for ever. Under a lock of its own, as others who load may call the library meanwhile. */
void *op2i_process_load(const char *path, int flags);
void op2i_process_unload(void *handle);
/* dl_iterate_phdr: call `visit` for each loaded object until it returns another value than 0, which is
 * returned. No object comes or goes meanwhile, so `visit` must not load or unload any. */
struct dl_phdr_info;
int op2i_process_objects(int (*visit)(struct dl_phdr_info *object, size_t size, void *closure),
                         void *closure);

/* A context begins and ends. When the process exits, those that live are asked for loops that never
 * ran. Those that live when the process forks are marked in the child as finalized and forked, so
 * that nothing looks further than it does anyway. */
void op2i_process_enter(op2_context ctx);
void op2i_process_leave(op2_context ctx);

/* Whether this process is a child that fork() made while the library was loaded: threads that
 * libraries keep were there, and are not here. */
bool op2i_process_forked(void);

/* Free the memory of a handle's object, but not yet: copies of the handle can be told that it is
 * gone, until so many more objects are. */
enum op2i_grave { OP2I_GRAVE_OBJECT, OP2I_GRAVE_CONTEXT, OP2I_GRAVES };
void op2i_process_bury(enum op2i_grave kind, void *memory);

#endif
